//! Writes the tables of `src/decode/fast.rs` for one target: `FastDecode`.

use std::fmt::Write;

use crate::build::lower::fast_decode::{FastConstraints, FastOpcodeSpace, FastTables, Gather};
use crate::build::shared::meta;

/// Writes the tables. `number` is the target's position among the targets of the build.
pub fn tables(w: &mut String, number: u32, tables: &FastTables) {
    let FastTables { leads, opcode_spaces, of_index, constraints, groups } = tables;
    writeln!(w, "#[cfg(feature = \"fast\")]\npub(crate) static FAST_DECODE: FastDecode = FastDecode {{").unwrap();
    writeln!(w, "leads: {leads:?},\nopcode_spaces: padded(&[NO_FAST_OPCODE_SPACE,").unwrap();
    for space in opcode_spaces {
        let Some(FastOpcodeSpace { lsb, gather: Gather { op, op_mask, gather }, base, dwords }) = space else {
            writeln!(w, "NO_FAST_OPCODE_SPACE,").unwrap();
            continue;
        };
        let meta = number << meta::TARGET_AT | u32::from(*dwords) << meta::DWORDS_AT | *base as u32;
        let all = if *dwords == 1 { u32::MAX.into() } else { u64::MAX };
        writeln!(
            w,
            "FastOpcodeSpace {{ lsb: {lsb:?}, op: {op:#x}, op_mask: {op_mask:#x}, gather: {gather:#x}, all: {all:#x}, \
             meta: {meta:#x} }},",
        )
        .unwrap();
    }
    writeln!(w, "], NO_FAST_OPCODE_SPACE),\nconstraints_of: padded(&{of_index:?}, 0),\nconstraints: padded(&[")
        .unwrap();
    for c in constraints {
        match c {
            None => writeln!(w, "NO_FAST_CONSTRAINTS,").unwrap(),
            Some(FastConstraints { zeros, third, bad, .. }) => {
                writeln!(w, "FastConstraints {{ zeros: {zeros:#x}, third: {third:?}, bad: {bad:?} }},").unwrap();
            }
        }
    }
    writeln!(w, "], NO_FAST_CONSTRAINTS),\nliterals: padded(&[").unwrap();
    for c in constraints {
        writeln!(w, "{:?},", c.as_ref().map_or([0; 4], |c| c.literals)).unwrap();
    }
    writeln!(w, "], [0; 4]),\ngroups: {groups:?},\n}};").unwrap();
}
