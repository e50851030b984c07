//! Writes the tables of `src/decode/fast.rs` for one target: `FastDecode`.

use std::fmt::Write;

use crate::build::emit::camel;
use crate::build::lower::Target;
use crate::build::lower::fast_decode::{FastConstraints, FastOpcodeSpace, FastTables, Gather};

pub fn tables(w: &mut String, t: &Target, tables: &FastTables) {
    let FastTables { leads, opcode_spaces, of_index, constraints, groups, branches } = tables;
    writeln!(w, "#[cfg(feature = \"fast\")]\npub(crate) static FAST_DECODE: FastDecode = FastDecode {{").unwrap();
    writeln!(w, "leads: {leads:?},\nopcode_spaces: padded(&[NO_FAST_OPCODE_SPACE,").unwrap();
    let target = camel(&t.row.name);
    for space in opcode_spaces {
        let Some(FastOpcodeSpace { lsb, gather: Gather { op, op_mask, gather }, base, dwords }) = space else {
            writeln!(w, "NO_FAST_OPCODE_SPACE,").unwrap();
            continue;
        };
        let all = if *dwords == 1 { u32::MAX.into() } else { u64::MAX };
        writeln!(
            w,
            "FastOpcodeSpace {{ lsb: {lsb:?}, op: {op:#x}, op_mask: {op_mask:#x}, gather: {gather:#x}, all: {all:#x}, \
             meta: Inst::meta_of(Target::{target}, {dwords}) | {base} }},",
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
    writeln!(w, "], [0; 4]),\ngroups: {groups:?},\nbranches: padded(&{branches:?}, 0),\n}};").unwrap();
}
