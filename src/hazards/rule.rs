//! The rules about hazards.

use core::fmt;

use crate::table::generated::{HAZARD_RULES, UNCHECKED};
use crate::table::hazards::{Certainty, HazardRow, Mode, RuleInfo, UncheckedInfo, Unit};
use crate::target::{HAZARDS, Target};

/// The numbers of passes for which a row has distances, in the order of the distances.
pub(super) const PASSES: [u8; 5] = [2, 4, 8, 16, 32];

/// A rule of `isa/hazards.isa`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rule(pub(crate) u16);

impl Rule {
    /// The rules of the targets in this build.
    pub fn all() -> impl Iterator<Item = Rule> {
        (0..HAZARD_RULES.len() as u16).map(Rule)
    }

    fn info(self) -> Option<&'static RuleInfo> {
        HAZARD_RULES.get(usize::from(self.0))
    }

    /// The rule's name in `isa/hazards.isa`, such as `F01`.
    pub fn id(self) -> &'static str {
        self.info().map_or("", |rule| rule.id)
    }

    /// The rules of a target, in the order of `isa/hazards.isa`.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::Target;
    /// use amdgpu_isa::hazards::{Rule, Unit};
    /// let rule = Rule::of(Target::Gfx942).find(|rule| rule.id() == "M36").unwrap();
    /// assert_eq!(rule.text(), "A matrix operation reads another one's result as A, B or index");
    /// assert_eq!(rule.ends(), "a matrix operation that overwrites the same registers");
    /// assert_eq!((rule.unit(), rule.mode(), rule.caution()), (Unit::States, None, None));
    /// assert_eq!(rule.distance(Target::Gfx942).unwrap().to_string(), "passes + 3");
    /// # }
    /// ```
    pub fn of(target: Target) -> impl Iterator<Item = Rule> {
        let rows = HAZARDS[target as usize].rows;
        let is_first =
            move |n: &usize| n.checked_sub(1).is_none_or(|before| rule_of(rows, before) != rule_of(rows, *n));
        (0..rows.len()).filter(is_first).filter_map(|n| rule_of(rows, n))
    }

    /// The rule's distance on a target; `None` if the target lacks the rule, or no distance ends it.
    pub fn distance(self, target: Target) -> Option<Distance> {
        let row = HAZARDS[target as usize].rows.iter().find(|row| row.rule == self.0)?;
        (row.unit != Unit::Event).then_some(Distance { agreed: row.distance, most: row.most })
    }

    /// Whether only [`Hazards::strict`](crate::hazards::Hazards::strict) demands the rule on this target, because one
    /// source has the rule and another one denies it. `false` if the target lacks the rule.
    pub fn is_strict(self, target: Target) -> bool {
        let mut rows = HAZARDS[target as usize].rows.iter().filter(|row| row.rule == self.0);
        let is_disputed = |row: &HazardRow| row.distance.iter().all(|distance| *distance == 0);
        rows.next().is_some_and(is_disputed) && rows.all(is_disputed)
    }

    /// The rule in a sentence without a full stop.
    pub fn text(self) -> &'static str {
        self.info().map_or("", |rule| rule.text)
    }

    /// A remark, such as how sources differ, in sentences; perhaps empty.
    pub fn note(self) -> &'static str {
        self.info().map_or("", |rule| rule.note)
    }

    /// The reason why the rule is only a caution: code that breaks it need not be wrong.
    pub fn caution(self) -> Option<&'static str> {
        self.info().map(|rule| rule.caution).filter(|text| !text.is_empty())
    }

    /// The mode that the rule requires; `None` if the rule holds in all modes.
    pub fn mode(self) -> Option<Mode> {
        self.info().and_then(|rule| rule.mode)
    }

    /// The sources of the rule.
    pub fn source(self) -> &'static str {
        self.info().map_or("", |rule| rule.source)
    }

    /// The instructions that end the rule, in words, such as `a vector operation or s_waitcnt_depctr vm_vsrc(0)`; empty
    /// if only a distance ends it.
    pub fn ends(self) -> &'static str {
        self.info().map_or("", |rule| rule.ends)
    }

    /// The unit of the rule's distance.
    pub fn unit(self) -> Unit {
        self.info().map_or(Unit::States, |rule| rule.unit)
    }

    /// The certainty of the rule.
    pub fn certainty(self) -> Certainty {
        self.info().map_or(Certainty::Agreed, |rule| rule.certainty)
    }
}

/// A fault that software has to avoid, and that no [`Rule`] checks.
///
/// ```
/// # #[cfg(feature = "gfx942")] {
/// use amdgpu_isa::Target;
/// use amdgpu_isa::hazards::Unchecked;
/// let fault = Unchecked::of(Target::Gfx942).next().unwrap();
/// assert_eq!(fault.id(), "F20");
/// assert!(fault.reason().starts_with("The number of the wave's scalar registers, which the code does not state"));
/// # }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Unchecked(u16);

impl Unchecked {
    /// The unchecked faults of the targets in this build.
    pub fn all() -> impl Iterator<Item = Unchecked> {
        (0..UNCHECKED.len() as u16).map(Unchecked)
    }

    /// The unchecked faults that code for a target can have.
    pub fn of(target: Target) -> impl Iterator<Item = Unchecked> {
        Unchecked::all().filter(move |fault| fault.is_of(target))
    }

    fn info(self) -> Option<&'static UncheckedInfo> {
        UNCHECKED.get(usize::from(self.0))
    }

    fn is_of(self, target: Target) -> bool {
        self.info().is_some_and(|fault| fault.targets.contains(&(target as u8)))
    }

    /// The fault's name in `isa/hazards.isa`, such as `F20`.
    pub fn id(self) -> &'static str {
        self.info().map_or("", |fault| fault.id)
    }

    /// The reason why no rule checks the fault, in a sentence.
    pub fn reason(self) -> &'static str {
        self.info().map_or("", |fault| fault.reason)
    }
}

impl fmt::Debug for Unchecked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

fn rule_of(rows: &[HazardRow], n: usize) -> Option<Rule> {
    rows.get(n).map(|row| Rule(row.rule))
}

/// The distance that a rule demands between two instructions. It may depend on the number of passes that the first
/// instruction takes in the matrix core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Distance {
    agreed: [u8; 5],
    most: [u8; 5],
}

impl Distance {
    /// The distance that [`Hazards::new`](crate::hazards::Hazards::new) demands after an instruction that takes this
    /// number of passes. Only operations of the matrix core take passes.
    pub fn agreed(&self, passes: u8) -> u8 {
        of_passes(&self.agreed, passes)
    }

    /// The distance that [`Hazards::strict`](crate::hazards::Hazards::strict) demands after an instruction that takes
    /// this number of passes.
    pub fn strict(&self, passes: u8) -> u8 {
        of_passes(&self.most, passes)
    }
}

/// The distance after an instruction that takes this number of passes. A number that `PASSES` lacks counts as the next
/// greater one there, or as the greatest one.
fn of_passes(distances: &[u8; 5], passes: u8) -> u8 {
    let n = PASSES.iter().position(|n| passes <= *n).unwrap_or(PASSES.len() - 1);
    distances.get(n).copied().unwrap_or(0)
}

/// Text such as `5`, `passes + 2` or `2 with 2 passes, 0 with more`; then the numbers of [`Distance::strict`], if they
/// differ.
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

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}
