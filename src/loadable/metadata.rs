//! The note of a code object: the facts about its kernels that a runtime needs, as MessagePack.

use alloc::vec::Vec;

use super::argument::{Argument, Hidden, Kind};
use super::{CodeObject, Kernel};
use crate::descriptor::KernelDescriptor;
use crate::opcode::DescriptorPart;

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

    /// Writes a map of those entries that have a value. `entries` is in the order of the keys.
    fn entries(&mut self, entries: &[(&str, Option<Item<'_>>)]) {
        self.map(entries.iter().filter(|(_, item)| item.is_some()).count());
        for (key, item) in entries {
            let Some(item) = item else { continue };
            self.text(&[key]);
            match item {
                Item::Number(value) => self.number(*value),
                Item::Flag(value) => self.0.push(if *value { 0xc3 } else { 0xc2 }),
                Item::Text(text) => self.text(&[text]),
                Item::Numbers(numbers) => {
                    self.list(numbers.len());
                    numbers.iter().for_each(|number| self.number(*number));
                }
                Item::Document(document) => self.0.extend(&document.0),
            }
        }
    }
}

/// A value of a map.
enum Item<'a> {
    Number(u32),
    Flag(bool),
    Text(&'a str),
    Numbers(&'a [u32]),
    /// A list or another value that is encoded already.
    Document(&'a Document),
}

/// The document of a code object.
pub fn document(object: &CodeObject<'_>, descriptors: &[KernelDescriptor]) -> Vec<u8> {
    let mut kernels = Document(Vec::new());
    kernels.list(object.kernels.len());
    object.kernels.iter().zip(descriptors).for_each(|(kernel, of)| write(&mut kernels, object, kernel, of));
    let mut printf = Document(Vec::new());
    printf.list(object.printf.len());
    object.printf.iter().for_each(|text| printf.text(&[text]));
    let setting = |value, off: &'static str, on: &'static str| match value {
        None => "",
        Some(false) => off,
        Some(true) => on,
    };
    let sramecc = setting(object.sramecc, ":sramecc-", ":sramecc+");
    let xnack = setting(object.xnack, ":xnack-", ":xnack+");
    let mut target = Document(Vec::new());
    target.text(&["amdgcn-amd-amdhsa--", object.processor.name(), sramecc, xnack]);
    let mut out = Document(Vec::new());
    out.entries(&[
        ("amdhsa.kernels", Some(Item::Document(&kernels))),
        ("amdhsa.printf", (!object.printf.is_empty()).then_some(Item::Document(&printf))),
        ("amdhsa.target", Some(Item::Document(&target))),
        ("amdhsa.version", Some(Item::Numbers(&[1, 2]))),
    ]);
    out.0
}

fn write(out: &mut Document, object: &CodeObject<'_>, kernel: &Kernel<'_>, descriptor: &KernelDescriptor) {
    let target = kernel.target;
    let [group, private, arguments_size, ..] = descriptor.words();
    let number = |value: u32| Some(Item::Number(value));
    let mut arguments = Document(Vec::new());
    let hidden = Hidden::ALL.iter().filter(|hidden| kernel.hidden.contains(hidden));
    arguments.list(kernel.arguments.len() + hidden.clone().count());
    for (argument, offset) in kernel.arguments.iter().zip(kernel.offsets()) {
        write_argument(&mut arguments, argument, offset);
    }
    let first = kernel.hidden_offset().unwrap_or(0);
    hidden.for_each(|hidden| {
        arguments.entries(&[
            (".offset", number(first.saturating_add(hidden.offset()))),
            (".size", number(hidden.size())),
            (".value_kind", Some(Item::Text(hidden.name()))),
        ]);
    });
    let mut symbol = Document(Vec::new());
    symbol.text(&[kernel.name, ".kd"]);
    let counts = kernel.registers.counts(target);
    let [sgpr_spills, vgpr_spills] = kernel.spills;
    out.entries(&[
        (".agpr_count", counts.agprs.map(|count| Item::Number(count.into()))),
        (".args", Some(Item::Document(&arguments))),
        (".group_segment_fixed_size", number(group)),
        (".kernarg_segment_align", number(kernel.arguments_align())),
        (".kernarg_segment_size", number(arguments_size)),
        (".language", object.language.map(|(name, _)| Item::Text(name))),
        (".language_version", object.language.as_ref().map(|(_, version)| Item::Numbers(version))),
        (".max_flat_workgroup_size", kernel.lanes().map(Item::Number)),
        (".name", Some(Item::Text(kernel.name))),
        (".private_segment_fixed_size", number(private)),
        (".reqd_workgroup_size", kernel.workgroup_size.as_ref().map(|size| Item::Numbers(size))),
        (".sgpr_count", number(counts.sgprs)),
        (".sgpr_spill_count", number(sgpr_spills)),
        (".symbol", Some(Item::Document(&symbol))),
        (".uniform_work_group_size", kernel.has_uniform_workgroups.then_some(Item::Number(1))),
        (".uses_dynamic_stack", Some(Item::Flag(descriptor.properties().uses_dynamic_stack()))),
        (".vgpr_count", number(counts.vgprs)),
        (".vgpr_spill_count", number(vgpr_spills)),
        (".wavefront_size", number(descriptor.wave_size(target).into())),
        (".workgroup_processor_mode", descriptor.get(target, DescriptorPart::WorkgroupProcessorMode).map(Item::Number)),
    ]);
}

fn write_argument(out: &mut Document, argument: &Argument<'_>, offset: u32) {
    let flag = |is_set: bool| is_set.then_some(Item::Flag(true));
    out.entries(&[
        (".access", argument.access.map(|access| Item::Text(access.name()))),
        (".actual_access", argument.actual_access.map(|access| Item::Text(access.name()))),
        (".address_space", argument.kind.address_space().map(Item::Text)),
        (".is_const", flag(argument.is_const)),
        (".is_pipe", flag(argument.kind == Kind::Pipe)),
        (".is_restrict", flag(argument.is_restrict)),
        (".is_volatile", flag(argument.is_volatile)),
        (".name", argument.name.map(Item::Text)),
        (".offset", Some(Item::Number(offset))),
        (".pointee_align", argument.pointee_align.map(Item::Number)),
        (".size", Some(Item::Number(argument.size))),
        (".type_name", argument.type_name.map(Item::Text)),
        (".value_kind", Some(Item::Text(argument.kind.name()))),
    ]);
}
