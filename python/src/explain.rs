//! The picture of an instruction: drawn by the command's own code.

use amdgpu_isa::Inst;

#[allow(dead_code)] // The terminal's rendering needs the rest.
#[path = "../../src/bin/amdgpu-isa/explain/diagram.rs"]
mod diagram;
#[path = "../../src/bin/amdgpu-isa/explain/svg.rs"]
mod svg;

use crate::isa;

pub fn svg(inst: &Inst) -> String {
    svg::render(&[diagram::Diagram {
        title: inst.to_string(),
        subtitle: format!("{} {}, {} bytes", inst.target().name(), inst.format(), inst.len()),
        words: inst.words().to_vec(),
        fields: isa::fields(inst),
        facts: isa::facts(inst),
    }])
}
