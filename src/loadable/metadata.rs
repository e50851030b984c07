//! The note of a code object: the facts about its kernels that a runtime needs, as MessagePack.

use alloc::vec::Vec;

use super::{Argument, CodeObject, Kernel};
use crate::target::Target;

/// A document under construction. Maps are in the order of their keys.
pub struct Document(pub Vec<u8>);

impl Document {
    fn number(&mut self, value: u32) {
        match value {
            0..=0x7f => self.0.push(value as u8),
            0x80..=0xff => self.0.extend([0xcc, value as u8]),
            0x100..=0xffff => {
                self.0.push(0xcd);
                self.0.extend((value as u16).to_be_bytes());
            }
            _ => {
                self.0.push(0xce);
                self.0.extend(value.to_be_bytes());
            }
        }
    }

    fn head(&mut self, short: u8, most: usize, long: u8, len: usize) {
        if len <= most {
            self.0.push(short | len as u8);
        } else {
            self.0.push(long);
            self.0.extend((len as u32).to_be_bytes());
        }
    }

    fn text(&mut self, parts: &[&str]) {
        self.head(0xa0, 31, 0xdb, parts.iter().map(|part| part.len()).sum());
        parts.iter().for_each(|part| self.0.extend(part.bytes()));
    }

    fn list(&mut self, len: usize) {
        self.head(0x90, 15, 0xdd, len);
    }

    fn map(&mut self, len: usize) {
        self.head(0x80, 15, 0xdf, len);
    }

    fn pair(&mut self, key: &str, value: u32) {
        self.text(&[key]);
        self.number(value);
    }
}

/// The document of a code object.
pub fn document(object: &CodeObject<'_>, target: Target) -> Vec<u8> {
    let mut out = Document(Vec::new());
    out.map(3);
    out.text(&["amdhsa.kernels"]);
    out.list(object.kernels.len());
    object.kernels.iter().for_each(|kernel| write(&mut out, kernel, target));
    out.text(&["amdhsa.target"]);
    let setting = |name, value| match value {
        None => "",
        Some(true) => {
            if name == "xnack" {
                ":xnack+"
            } else {
                ":sramecc+"
            }
        }
        Some(false) => {
            if name == "xnack" {
                ":xnack-"
            } else {
                ":sramecc-"
            }
        }
    };
    let (sramecc, xnack) = (setting("sramecc", object.sramecc), setting("xnack", object.xnack));
    out.text(&["amdgcn-amd-amdhsa--", object.processor.name(), sramecc, xnack]);
    out.text(&["amdhsa.version"]);
    out.list(2);
    out.number(1);
    out.number(2);
    out.0
}

/// The size of a kernel's arguments in bytes.
pub fn arguments_size(kernel: &Kernel<'_>) -> u32 {
    let given = kernel.descriptor.words().get(2).copied().unwrap_or(0);
    if given != 0 { given } else { kernel.layout().last().map_or(0, |(offset, size)| offset.saturating_add(size)) }
}

fn write(out: &mut Document, kernel: &Kernel<'_>, target: Target) {
    let descriptor = &kernel.descriptor;
    let [group, private, ..] = descriptor.words();
    let registers = descriptor.registers(target);
    out.map(12);
    out.text(&[".args"]);
    out.list(kernel.arguments.len());
    for (argument, (offset, size)) in kernel.arguments.iter().zip(kernel.layout()) {
        let is_buffer = *argument == Argument::Buffer;
        out.map(3 + usize::from(is_buffer));
        if is_buffer {
            out.text(&[".address_space"]);
            out.text(&["global"]);
        }
        out.pair(".offset", offset);
        out.pair(".size", size);
        out.text(&[".value_kind"]);
        out.text(&[if is_buffer { "global_buffer" } else { "by_value" }]);
    }
    out.pair(".group_segment_fixed_size", group);
    out.pair(".kernarg_segment_align", 8);
    out.pair(".kernarg_segment_size", arguments_size(kernel));
    out.pair(".max_flat_workgroup_size", kernel.max_workgroup_size);
    out.text(&[".name"]);
    out.text(&[kernel.name]);
    out.pair(".private_segment_fixed_size", private);
    out.pair(".sgpr_count", registers.sgprs.into());
    out.text(&[".symbol"]);
    out.text(&[kernel.name, ".kd"]);
    out.pair(".uses_dynamic_stack", 0);
    // The value is a boolean.
    out.0.pop();
    out.0.push(if descriptor.properties().uses_dynamic_stack() { 0xc3 } else { 0xc2 });
    out.pair(".vgpr_count", registers.vgprs.into());
    out.pair(".wavefront_size", descriptor.wave_size(target).into());
}
