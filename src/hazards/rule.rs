//! The rules.

use core::fmt;

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
}

impl Rule {
    /// Its name in `isa/hazards.isa`, such as `F01`.
    pub fn id(self) -> &'static str {
        ""
    }

    /// What it says, in a sentence.
    pub fn text(self) -> &'static str {
        ""
    }

    /// Where it is from.
    pub fn source(self) -> &'static str {
        ""
    }

    /// What else ends it, in words; empty if only distance does.
    pub fn ends(self) -> &'static str {
        ""
    }

    /// What it counts.
    pub fn unit(self) -> Unit {
        Unit::States
    }

    /// How certain it is.
    pub fn certainty(self) -> Certainty {
        Certainty::Agreed
    }
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}
