//! Writes the tables of `src/decode/fast.rs` for one target: `FastDecode`.

use crate::build::lower::fast_decode::{FastConstraints, FastOpcodeSpace, FastTables, Gather};
use crate::build::shared::meta;
use crate::build::writer::putln;

/// Writes the tables. `number` is the target's position among the targets of the build.
pub fn tables(w: &mut String, number: u32, tables: &FastTables) {
    let FastTables { leads, opcode_spaces, of_index, constraints, groups } = tables;
    putln!(w, "#[cfg(feature = \"fast\")]\npub(crate) static FAST_DECODE: FastDecode = FastDecode {{");
    putln!(w, "leads: {leads:?},\nopcode_spaces: padded(&[NO_FAST_OPCODE_SPACE,");
    for space in opcode_spaces {
        let Some(FastOpcodeSpace { lsb, gather: Gather { op, op_mask, gather }, base, dwords }) = space else {
            putln!(w, "NO_FAST_OPCODE_SPACE,");
            continue;
        };
        let meta = number << meta::TARGET_AT | u32::from(*dwords) << meta::DWORDS_AT | *base as u32;
        let all = if *dwords == 1 { u32::MAX.into() } else { u64::MAX };
        putln!(
            w,
            "FastOpcodeSpace {{ lsb: {lsb:?}, op: {op:#x}, op_mask: {op_mask:#x}, gather: {gather:#x}, all: {all:#x}, \
             meta: {meta:#x} }},",
        );
    }
    putln!(w, "], NO_FAST_OPCODE_SPACE),\nconstraints_of: padded(&{of_index:?}, 0),\nconstraints: padded(&[");
    for c in constraints {
        match c {
            None => putln!(w, "NO_FAST_CONSTRAINTS,"),
            Some(FastConstraints { zeros, third, bad, .. }) => {
                putln!(w, "FastConstraints {{ zeros: {zeros:#x}, third: {third:?}, bad: {bad:?} }},");
            }
        }
    }
    putln!(w, "], NO_FAST_CONSTRAINTS),\nliterals: padded(&[");
    for c in constraints {
        putln!(w, "{:?},", c.as_ref().map_or([0; 4], |c| c.literals));
    }
    putln!(w, "], [0; 4]),\ngroups: {groups:?},\n}};");
}
