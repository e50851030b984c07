//! Proof that two code objects differ only in neutral instructions.
//!
//! This module is independent of the module that writes changes: it reads both files, walks their code side by side,
//! and compares every address with its counterpart in the other file. Addresses that code makes are computed in both
//! files at once.

mod code;
mod kept;
mod pairs;
mod tables;
mod values;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use amdgpu_isa::{Inst, Target};
use amdgpu_object::ErrorKind;

use crate::{Error, Placed};

/// The difference between two code objects that should be the same program.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Difference {
    /// A file cannot be read.
    Damaged(ErrorKind),
    /// The header differs, or the number or kind of sections or segments.
    Headers,
    /// A section has other contents, or lies at a wrong place.
    Section {
        /// The name of the section, with U+FFFD in place of bytes that are not UTF-8.
        name: String,
    },
    /// A segment has other contents.
    Segment {
        /// The number of the segment.
        number: usize,
    },
    /// An instruction differs.
    Instruction {
        /// The old address of the instruction; the end of the function, if the new function is longer.
        old: u64,
        /// The address in the new file at which the counterpart should be.
        new: u64,
    },
    /// A branch has another target.
    Branch {
        /// The old address of the branch.
        old: u64,
    },
    /// An address that code makes or uses has another value, or cannot be followed.
    Address {
        /// The old address of the instruction that uses the made address.
        old: u64,
    },
    /// A symbol names another place or has another size.
    Symbol {
        /// The number of the symbol in its table.
        number: usize,
    },
    /// A loader or linker writes another value.
    Relocation {
        /// The old address of the place.
        old: u64,
    },
    /// A kernel descriptor has other contents, or names another entry.
    Descriptor {
        /// The old address of the descriptor.
        old: u64,
    },
    /// The difference concerns one section of an object for a linker. The addresses in `difference` are offsets in this
    /// section.
    InSection {
        /// The name of the section, with U+FFFD in place of bytes that are not UTF-8.
        section: String,
        /// The difference itself.
        difference: Box<Difference>,
    },
}

impl Difference {
    /// The difference with another address in place of each of its own.
    fn at(self, mut other: impl FnMut(u64) -> u64) -> Difference {
        match self {
            Difference::Instruction { old, new } => Difference::Instruction { old: other(old), new: other(new) },
            Difference::Branch { old } => Difference::Branch { old: other(old) },
            Difference::Address { old } => Difference::Address { old: other(old) },
            Difference::Relocation { old } => Difference::Relocation { old: other(old) },
            Difference::Descriptor { old } => Difference::Descriptor { old: other(old) },
            Difference::Damaged(_)
            | Difference::Headers
            | Difference::Section { .. }
            | Difference::Segment { .. }
            | Difference::Symbol { .. }
            | Difference::InSection { .. } => self,
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::Damaged(kind) => kind.fmt(f),
            Difference::Headers => f.write_str("the headers of the file differ"),
            Difference::Section { name } => write!(f, "section {name} has other contents"),
            Difference::Segment { number } => write!(f, "segment {number} has other contents"),
            Difference::Instruction { old, new } => {
                write!(f, "the instruction at {old:#x} has no counterpart at {new:#x}")
            }
            Difference::Branch { old } => write!(f, "the branch at {old:#x} leads elsewhere"),
            Difference::Address { old } => {
                write!(f, "the address that the instruction at {old:#x} uses is another one")
            }
            Difference::Symbol { number } => write!(f, "symbol {number} names something else"),
            Difference::Relocation { old } => write!(f, "the pointer at {old:#x} leads elsewhere"),
            Difference::Descriptor { old } => write!(f, "the kernel descriptor at {old:#x} says something else"),
            Difference::InSection { section, difference } => write!(f, "in section {section}, {difference}"),
        }
    }
}

impl core::error::Error for Difference {}

/// Compares two code objects as a loader sees them, or two objects for a linker as if they were linked. Instructions
/// for which `is_neutral` holds may be added, removed, or have other constants, and everything else may move as a
/// result.
///
/// `target` is the target of code outside of kernels; kernels have the lanes that their descriptors state.
///
/// # Errors
/// The first difference, or the part of either file that cannot be followed.
pub fn validate(old: &[u8], new: &[u8], target: Target, is_neutral: impl Fn(&Inst) -> bool) -> Result<(), Difference> {
    let unread = |error| match error {
        Error::Damaged(kind) => Difference::Damaged(kind),
        Error::Relocation { address } => Difference::Relocation { old: address },
        _ => Difference::Headers,
    };
    let Some(placed) = Placed::new(old).map_err(unread)? else { return compare(old, new, target, &is_neutral) };
    let new = placed.link(new).map_err(unread)?;
    compare(placed.bytes(), &new, target, &is_neutral).map_err(|difference| located(&placed, difference))
}

/// The difference with a section and offsets in it, instead of the addresses that a layout gives.
fn located(placed: &Placed<'_>, difference: Difference) -> Difference {
    let mut inside = None;
    let difference = difference.at(|address| match placed.place(address) {
        Some((section, offset)) => {
            inside.get_or_insert(section);
            offset
        }
        None => address,
    });
    match inside {
        Some(section) => Difference::InSection { section, difference: Box::new(difference) },
        None => difference,
    }
}

/// Compares two linked code objects.
fn compare(old: &[u8], new: &[u8], target: Target, is_neutral: &dyn Fn(&Inst) -> bool) -> Result<(), Difference> {
    let mut result = Err(Difference::Headers);
    crate::visit(old, &mut |old| {
        crate::visit(new, &mut |new| {
            result = tables::Files::read(old.bytes, new.bytes, target).and_then(|files| {
                let pairs = code::walk(&files, (old, new), target, is_neutral)?;
                tables::compare(&files, &pairs)
            });
        });
    });
    result
}

/// An instruction of a function, or up to four bytes that are not an instruction.
struct Item {
    address: u64,
    inst: Option<Inst>,
    bytes: [u8; 4],
    len: usize,
}

fn items(target: Target, address: u64, code: &[u8]) -> Vec<Item> {
    let (mut all, mut at) = (Vec::new(), 0usize);
    while let Some(rest) = code.get(at..).filter(|rest| !rest.is_empty()) {
        let inst = amdgpu_isa::decode(target, rest).ok();
        let len = inst.as_ref().map_or(rest.len().min(4), Inst::len);
        let mut bytes = [0; 4];
        bytes.iter_mut().zip(rest.iter().take(len)).for_each(|(to, from)| *to = *from);
        all.push(Item { address: address.wrapping_add(at as u64), inst, bytes, len });
        at += len;
    }
    all
}
