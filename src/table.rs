//! The types of the generated tables.
//!
//! An *opcode space* is a set of formats that share encoding bits and opcode numbers. The top nine bits of the first
//! dword select it, and the opcode field selects the *opcode index* in it. An instruction's words must satisfy its
//! *constraints*, which many opcode indices share. A dword after the base words (SDWA, DPP) makes another *form* of the
//! opcode index, with constraints of its own. The operands and modifiers of a form are its *signature*. Each operand or
//! modifier has a *descriptor*: the position of its bits and how they are read. Each kind of table is a static of its
//! own, so that firmware links only the tables of the functions that it calls.
//!
//! Most opcode numbers are unused, and neighbouring operations are alike. So tables by opcode index are stored in
//! *pages* of 16 indices, and equal pages are stored once.

mod about;
#[cfg(feature = "text")]
mod assembler;
mod counters;
mod decode;
mod effects;
mod facts;
#[cfg(feature = "fast")]
pub(crate) mod fast_decode;
#[cfg(all(feature = "text", feature = "fast"))]
mod fast_text;
mod fillers;
pub(crate) mod generated;
pub(crate) mod hazards;
mod kernel;
mod layout;
mod names;
mod operand_descriptors;
mod operands;
pub(crate) mod sizes;
#[cfg(feature = "text")]
mod text;
pub(crate) mod values;

use crate::shared::{PAGE, RuleKind};

pub(crate) use crate::kind::NONE;
pub(crate) use crate::shared::trailing;

#[cfg(feature = "text")]
pub(crate) use assembler::*;
pub use counters::*;
pub(crate) use decode::*;
pub use effects::*;
pub(crate) use facts::*;
#[cfg(all(feature = "text", feature = "fast"))]
pub(crate) use fast_text::*;
pub use fillers::*;
pub use kernel::*;
pub use layout::*;
pub(crate) use names::*;
pub use operand_descriptors::*;
pub(crate) use operands::*;
use sizes::{BaseConstraintIndex, ConstraintIndex, InfoIndex, OPCODE_SPACES};
#[cfg(feature = "text")]
pub(crate) use text::*;

/// Pads a table to `N` entries: the length of the longest table of its kind, or the number of possible indices.
pub(crate) const fn padded<T: Copy, const N: usize>(entries: &[T], none: T) -> [T; N] {
    let mut all = [none; N];
    let mut n = 0;
    while n < entries.len() {
        all[n] = entries[n];
        n += 1;
    }
    all
}

/// The entry of an opcode index in a paged table.
#[inline(always)]
pub(crate) fn paged<T: Copy>(pages: &[u8], entries: &[T], op_index: usize) -> Option<T> {
    let page = usize::from(*pages.get(op_index / PAGE)?);
    entries.get(page * PAGE + op_index % PAGE).copied()
}

/// The entry of an opcode index in a paged table whose entries are relative to a base stored with the page.
#[inline(always)]
fn paged_from<T: Copy + Into<u16>>(pages: &[(u8, u16)], entries: &[T], op_index: usize) -> Option<u16> {
    let (page, base) = *pages.get(op_index / PAGE)?;
    let entry: T = *entries.get(usize::from(page) * PAGE + op_index % PAGE)?;
    Some(base + entry.into())
}
