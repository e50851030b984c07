//! The length of an instruction, from its first bits: the tables of `src/length.rs`.

use crate::build::lower::{self, Target, trailing};
use crate::build::model::Bits;
use crate::build::shared::length::{ASK, JOINED, ONE, TWO, UNKNOWN};

/// For each value of the top nine bits, the entry as described by `length` in src/shared.rs.
pub fn entries(t: &Target) -> Vec<u8> {
    let of = |top: usize| {
        let Some(opcode_space) = usize::from(t.lut[top]).checked_sub(1).map(|n| &t.opcode_spaces[n]) else { return 0 };
        let signatures = signatures(t, opcode_space, top);
        let mut trailings: Vec<u8> = signatures.iter().map(|s| t.constraints[s.constraints].trailing).collect();
        trailings.sort_unstable();
        trailings.dedup();
        let is_listed = |s: &&lower::FormSignature| !s.trailing_dwords.is_empty();
        match (opcode_space.dwords, &trailings[..]) {
            (2, [trailing::LIST] | [0, trailing::LIST]) if !signatures.iter().any(is_listed) => JOINED,
            // The first dword alone does not determine the length.
            (_, trailings) if trailings.iter().any(|t| t & trailing::LIST != 0) => UNKNOWN,
            (1, []) => ONE,
            (1, [trailing]) => ONE | trailing,
            (1, trailings) => ASK | trailings.iter().fold(0, |all, t| all | t),
            (2, [] | [0]) => TWO,
            _ => UNKNOWN,
        }
    };
    (0..512).map(of).collect()
}

/// The signatures of the operations with these top nine bits.
fn signatures<'t>(t: &'t Target, opcode_space: &lower::OpcodeSpace, top: usize) -> Vec<&'t lower::FormSignature> {
    let seg_indices = 1usize << opcode_space.seg.map_or(0, |s| s.width);
    let ops = (0..1usize << opcode_space.op.width).filter(|&op| {
        let (word, mask) = (op << opcode_space.op.lsb, ((1usize << opcode_space.op.width) - 1) << opcode_space.op.lsb);
        (word ^ top << 23) & mask & 0xff80_0000 == 0
    });
    let indices: Vec<usize> = match opcode_space.second() {
        Some(_) => (0..opcode_space.size).collect(),
        None => ops.flat_map(|op| (0..seg_indices).map(move |seg| op | seg << opcode_space.op.width)).collect(),
    };
    let operations = indices.into_iter().filter_map(|n| t.operations[opcode_space.base + n].as_ref());
    operations.map(|s| &t.signatures[s.signature - 1]).collect()
}

/// A bit for each opcode of an opcode space that has an operation.
pub fn valid(t: &Target, opcode_space: &lower::OpcodeSpace) -> Vec<u8> {
    let operations = &t.operations[opcode_space.base..opcode_space.base + opcode_space.size];
    let byte = |eight: &[Option<lower::Operation>]| {
        eight.iter().enumerate().fold(0, |bits, (n, operation)| bits | u8::from(operation.is_some()) << n)
    };
    operations.chunks(8).map(byte).collect()
}

/// The operations of an opcode space that ignore a field in which most others announce a trailing dword, so that they
/// decode with such a code in it. Each entry is (mask of the encoding and the opcode, their value, trailing dwords).
pub fn others(t: &Target, opcode_space: &lower::OpcodeSpace) -> Vec<(u32, u32, u8)> {
    use lower::trailing::{DPP, SDWA, SRC0, SSRC0, SSRC1};
    let (literal, sdwa, dpp) = (t.code.literal.into(), t.code.sdwa.into(), t.code.dpp.into());
    let codes =
        [(SSRC0, 0, 8, literal), (SSRC1, 8, 8, literal), (SRC0, 0, 9, literal), (SDWA, 0, 9, sdwa), (DPP, 0, 9, dpp)];
    let constraints = |s: &lower::Operation| &t.constraints[t.signatures[s.signature - 1].constraints];
    let operations = &t.operations[opcode_space.base..opcode_space.base + opcode_space.size];
    let all = operations.iter().flatten().fold(0, |all, s| all | constraints(s).trailing);
    let decodes = |c: &lower::Constraints, (lsb, width, code): (u8, u8, u128)| {
        let checks = &t.checks[c.checks.0..c.checks.0 + c.checks.1];
        let refused = |check: &lower::Check| {
            let value = code as usize + usize::from(check.add);
            (check.lsb, check.width) == (lsb, width) && t.sets[check.set][value / 32 % 16] >> (value % 32) & 1 == 0
        };
        c.mask & code << lsb == 0 && !checks.iter().any(refused)
    };
    let (enc, value) = &opcode_space.fixed[0];
    let mut found = Vec::new();
    if opcode_space.dwords != 1 || all & lower::trailing::LIST != 0 {
        return found;
    }
    for (n, operation) in operations.iter().enumerate() {
        let Some(operation) = operation else { continue };
        let c = constraints(operation);
        let fewer =
            codes.iter().any(|&(bit, lsb, width, code)| all & !c.trailing & bit != 0 && decodes(c, (lsb, width, code)));
        // An operation that ALWAYS has a literal is known from the first nine bits.
        if fewer && c.trailing & lower::trailing::ALWAYS == 0 {
            let op = Bits { pieces: vec![opcode_space.op], fixed: None, ignored: false };
            let mask = (enc.mask() | op.mask()) as u32;
            found.push((mask, (*value as u32) << enc.pieces[0].lsb | (n as u32) << opcode_space.op.lsb, c.trailing));
        }
    }
    found
}
