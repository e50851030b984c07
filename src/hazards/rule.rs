//! The rules.

use core::fmt;

use crate::common::RULES;
use crate::hazards::table::RuleInfo;

/// A rule of `isa/hazards.isa`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rule(pub(crate) u16);

/// What a rule counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum Unit {
    /// Wait states.
    States,
    /// Vector instructions.
    Valu,
    /// Nothing: it waits for what [`Rule::ends`] tells.
    Event,
}

/// How certain a rule is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum Certainty {
    /// A manual has it, and LLVM obeys it.
    Agreed,
    /// LLVM obeys it, and no manual has it.
    Llvm,
    /// A manual has it, and LLVM does not know it.
    Manual,
    /// Only Mesa's compiler obeys it.
    Mesa,
    /// Wrong results on hardware were reported; compilers and manuals do not know it yet.
    Reported,
    /// A change of LLVM that is not accepted yet has it: perhaps it will turn out to be something else.
    Proposed,
}

impl Rule {
    /// The rules of the targets in this build.
    pub fn all() -> impl Iterator<Item = Rule> {
        (0..RULES.len() as u16).map(Rule)
    }

    fn info(self) -> Option<&'static RuleInfo> {
        RULES.get(usize::from(self.0))
    }

    /// Its name in `isa/hazards.isa`, such as `F01`.
    pub fn id(self) -> &'static str {
        self.info().map_or("", |rule| rule.id)
    }

    /// What it says, in a sentence.
    pub fn text(self) -> &'static str {
        self.info().map_or("", |rule| rule.text)
    }

    /// Where it is from.
    pub fn source(self) -> &'static str {
        self.info().map_or("", |rule| rule.source)
    }

    /// What else ends it, in the words of `isa/hazards.isa`; empty if only distance does.
    pub fn ends(self) -> &'static str {
        self.info().map_or("", |rule| rule.ends)
    }

    /// What it counts.
    pub fn unit(self) -> Unit {
        self.info().map_or(Unit::States, |rule| rule.unit)
    }

    /// How certain it is.
    pub fn certainty(self) -> Certainty {
        self.info().map_or(Certainty::Agreed, |rule| rule.certainty)
    }
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}
