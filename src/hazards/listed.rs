//! The rules of a target, for lists.

use core::fmt;

use crate::hazards::table::HazardRow;
use crate::hazards::{Rule, Unit};
use crate::target::{COUNTS, HAZARDS};
use crate::{Counter, Target};

/// The numbers of passes that a row has a distance for.
const PASSES: [u8; 5] = [2, 4, 8, 16, 32];

impl Rule {
    /// The rules of a target, in the order of `isa/hazards.isa`.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::Target;
    /// use amdgpu_isa::hazards::Rule;
    /// let rule = Rule::of(Target::Gfx942).find(|rule| rule.id() == "M36").unwrap();
    /// assert_eq!(rule.distance(Target::Gfx942).unwrap().to_string(), "passes + 3");
    /// # }
    /// ```
    pub fn of(target: Target) -> impl Iterator<Item = Rule> {
        let rows = HAZARDS[target as usize].rows;
        let is_first =
            move |n: &usize| n.checked_sub(1).is_none_or(|before| rule_of(rows, before) != rule_of(rows, *n));
        (0..rows.len()).filter(is_first).filter_map(|n| rule_of(rows, n))
    }

    /// How much has to be between on a target; `None` if it has no such rule, or a distance does not end it.
    pub fn distance(self, target: Target) -> Option<Distance> {
        let row = HAZARDS[target as usize].rows.iter().find(|row| row.rule == self.0)?;
        (row.unit != Unit::Event).then_some(Distance { agreed: row.distance, most: row.most })
    }

    /// Only [`Hazards::strict`](crate::hazards::Hazards::strict) demands it on this target: one source has it, and another one denies it.
    pub fn is_strict(self, target: Target) -> bool {
        let mut rows = HAZARDS[target as usize].rows.iter().filter(|row| row.rule == self.0);
        rows.all(|row| row.distance.iter().all(|distance| *distance == 0))
    }
}

fn rule_of(rows: &[HazardRow], n: usize) -> Option<Rule> {
    rows.get(n).map(|row| Rule(row.rule))
}

/// How much has to be between two instructions, which may depend on the passes of the matrix core that the first one takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Distance {
    agreed: [u8; 5],
    most: [u8; 5],
}

impl Distance {
    /// With so many passes: what [`Hazards::new`](crate::hazards::Hazards::new) demands. Operations of other units take none.
    pub fn agreed(&self, passes: u8) -> u8 {
        of_passes(&self.agreed, passes)
    }

    /// With so many passes: what [`Hazards::strict`](crate::hazards::Hazards::strict) demands.
    pub fn strict(&self, passes: u8) -> u8 {
        of_passes(&self.most, passes)
    }
}

/// Other numbers than those in the table are like the next one.
fn of_passes(distances: &[u8; 5], passes: u8) -> u8 {
    let n = PASSES.iter().position(|n| passes <= *n).unwrap_or(PASSES.len() - 1);
    distances.get(n).copied().unwrap_or(0)
}

/// `5`, `passes + 2`, `2 with 2 passes, 0 with more`; behind that, what [`Distance::strict`] is, if it is more.
impl fmt::Display for Distance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_distance(&self.agreed, f)?;
        if self.agreed != self.most {
            f.write_str(" (")?;
            write_distance(&self.most, f)?;
            f.write_str(" if strict)")?;
        }
        Ok(())
    }
}

fn write_distance(distances: &[u8; 5], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let [first, second, ..] = *distances;
    let more =
        |skip: usize| distances.iter().zip(PASSES).skip(skip).map(|(n, passes)| i16::from(*n) - i16::from(passes));
    let linear = |skip| more(skip).all(|n| Some(n) == more(skip).next());
    let passes = |skip: usize, f: &mut fmt::Formatter<'_>| match more(skip).next().unwrap_or(0) {
        0 => f.write_str("passes"),
        n if n < 0 => write!(f, "passes - {}", -n),
        n => write!(f, "passes + {n}"),
    };
    match () {
        () if distances.iter().all(|n| *n == first) => write!(f, "{first}"),
        () if linear(0) => passes(0, f),
        () => {
            write!(f, "{first} with 2 passes, ")?;
            match distances.iter().skip(1).all(|n| *n == second) {
                true => write!(f, "{second}")?,
                false if linear(1) => passes(1, f)?,
                false => {
                    for (n, passes) in distances.iter().zip(PASSES).skip(1) {
                        write!(f, "{n} with {passes}, ")?;
                    }
                }
            }
            f.write_str(" with more")
        }
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
