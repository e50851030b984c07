//! What the instructions before the next one leave behind.

use crate::hazards::Needs;
use crate::{Inst, Target};

/// The instructions that can still harm the next one: a bounded value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hazards {
    target: Target,
}

impl Hazards {
    /// Nothing has been issued yet.
    pub const fn new(target: Target) -> Hazards {
        Hazards { target }
    }

    /// The target.
    pub const fn target(&self) -> Target {
        self.target
    }

    /// What is missing before the instruction, if it is the next one.
    pub fn needs(&self, _inst: &Inst) -> Needs {
        Needs::default()
    }

    /// The instruction is issued.
    pub fn issue(&mut self, _inst: &Inst) {}

    /// Another path leads to the same place: takes the worst of both. Returns whether anything changed, so that repeating
    /// it until nothing does ends.
    pub fn join(&mut self, _other: &Hazards) -> bool {
        false
    }
}
