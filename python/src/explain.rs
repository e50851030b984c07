//! The picture of an instruction.

use amdgpu_explain::{Diagram, svg};
use amdgpu_isa::Inst;

pub fn svg(inst: &Inst) -> String {
    svg::render(&[Diagram::of(inst)])
}
