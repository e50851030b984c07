//! The rules of a target, for lists.

use crate::hazards::Rule;
use crate::target::{COUNTS, HAZARDS};
use crate::{Counter, Target};

/// How much has to be between two instructions, in the unit of a rule. The numbers differ where a rule depends on how long
/// the first one takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Distance {
    /// The shortest distance.
    pub least: u8,
    /// The longest one; 0 if only [`Hazards::strict`](crate::hazards::Hazards::strict) demands the rule.
    pub most: u8,
    /// The longest one that `Hazards::strict` demands.
    pub strict: u8,
}

impl Rule {
    /// The rules of a target.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::Target;
    /// use amdgpu_isa::hazards::Rule;
    /// assert!(Rule::of(Target::Gfx942).any(|rule| rule.id() == "F01"));
    /// # }
    /// ```
    pub fn of(target: Target) -> impl Iterator<Item = Rule> {
        Rule::all().filter(move |rule| rule.distance(target).is_some())
    }

    /// How much has to be between on a target; `None` if the target does not have the rule.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::Target;
    /// use amdgpu_isa::hazards::Rule;
    /// let rule = Rule::of(Target::Gfx942).find(|rule| rule.id() == "F01").unwrap();
    /// let distance = rule.distance(Target::Gfx942).unwrap();
    /// assert_eq!((distance.least, distance.most, distance.strict), (5, 5, 5));
    /// # }
    /// ```
    pub fn distance(self, target: Target) -> Option<Distance> {
        let rows = HAZARDS[target as usize].rows.iter().filter(|row| row.rule == self.0);
        let parts = rows.map(|row| {
            let [least, most] = [row.distance.iter().min(), row.distance.iter().max()];
            Distance {
                least: least.copied().unwrap_or(0),
                most: most.copied().unwrap_or(0),
                strict: row.most.iter().max().copied().unwrap_or(0),
            }
        });
        parts.reduce(|one, other| Distance {
            least: one.least.min(other.least),
            most: one.most.max(other.most),
            strict: one.strict.max(other.strict),
        })
    }
}

impl Counter {
    /// The manuals that describe the counter; `None` if the target does not have it.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::Target;
    /// use amdgpu_isa::facts::Counter;
    /// assert!(Counter::Vmcnt.source(Target::Gfx942).unwrap().contains("CDNA"));
    /// assert_eq!(Counter::Loadcnt.source(Target::Gfx942), None);
    /// # }
    /// ```
    pub fn source(self, target: Target) -> Option<&'static str> {
        let tables = COUNTS[target as usize];
        let is_there = tables.max.get(self as usize).is_some_and(|max| *max > 0);
        is_there.then(|| tables.sources.get(self as usize).copied()).flatten()
    }
}
