//! The bits of an operation's words that distinguish it from other operations.

use crate::build::lower::{HighOp, Operation, Target};

/// The number in the opcode field of an operation.
pub fn number_of(t: &Target, op_index: usize, operation: &Operation) -> u64 {
    let opcode_space = &t.opcode_spaces[t.formats[operation.format].opcode_space];
    let index_in_space = op_index - opcode_space.base;
    let width = match opcode_space.high_op_is {
        HighOp::Opcode => opcode_space.op.width + opcode_space.high_op.map_or(0, |s| s.width),
        _ => opcode_space.op.width,
    };
    (index_in_space & ((1 << width) - 1)) as u64
}

/// The encoding bits and the opcode.
pub fn encoding(t: &Target, format: usize, number: u64) -> u128 {
    let mut bits = 0u128;
    for (field, at) in &t.formats[format].fields {
        let mut value = match (at.fixed, field.operand_type.as_str()) {
            (Some(fixed), _) => fixed,
            (None, "op") => number,
            _ => continue,
        };
        for piece in &at.pieces {
            bits |= u128::from(value & ((1 << piece.width) - 1)) << piece.lsb;
            value >>= piece.width;
        }
    }
    bits
}
