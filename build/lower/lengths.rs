//! How long an instruction is, from its first bits: the tables of `src/length.rs`.

use crate::build::lower::{self, Target};
use crate::build::model::Bits;
use crate::build::shared::length::{ASK, ONE, TWO, UNKNOWN};

/// For each value of the top nine bits what `length` in src/shared.rs says.
pub fn entries(t: &Target) -> Vec<u8> {
    let of = |top: usize| {
        let Some(family) = usize::from(t.lut[top]).checked_sub(1).map(|n| &t.families[n]) else { return 0 };
        let tails = tails(t, family, top);
        match (family.dwords, &tails[..]) {
            // Not from the first dword alone.
            (_, tails) if tails.iter().any(|t| t & lower::tail::LIST != 0) => UNKNOWN,
            (1, []) => ONE,
            (1, [tail]) => ONE | tail,
            (1, tails) => ASK | tails.iter().fold(0, |all, t| all | t),
            (2, [] | [0]) => TWO,
            _ => UNKNOWN,
        }
    };
    (0..512).map(of).collect()
}

/// What may stand behind the operations that the top nine bits leave possible.
pub fn tails(t: &Target, family: &lower::Family, top: usize) -> Vec<u8> {
    let seg_slots = 1usize << family.seg.map_or(0, |s| s.width);
    let ops = (0..1usize << family.op.width).filter(|&op| {
        let (word, mask) = (op << family.op.lsb, ((1usize << family.op.width) - 1) << family.op.lsb);
        (word ^ top << 23) & mask & 0xff80_0000 == 0
    });
    let slots = ops.flat_map(|op| (0..seg_slots).map(move |seg| op | seg << family.op.width));
    let slots = slots.filter_map(|n| t.slots[family.base + n].as_ref());
    let mut tails: Vec<u8> = slots.map(|s| t.classes[t.shapes[s.shape - 1].class].tail).collect();
    tails.sort_unstable();
    tails.dedup();
    tails
}

/// The operations of a family that decode with a code in a field that for most others announces a further dword: those
/// that ignore the field. As (mask of the encoding and the opcode, their value, tail).
pub fn others(t: &Target, family: &lower::Family) -> Vec<(u32, u32, u8)> {
    use lower::tail::{DPP, SDWA, SRC0, SSRC0, SSRC1};
    let (literal, sdwa, dpp) = (t.code.literal.into(), t.code.sdwa.into(), t.code.dpp.into());
    let codes =
        [(SSRC0, 0, 8, literal), (SSRC1, 8, 8, literal), (SRC0, 0, 9, literal), (SDWA, 0, 9, sdwa), (DPP, 0, 9, dpp)];
    let class = |s: &lower::Slot| &t.classes[t.shapes[s.shape - 1].class];
    let slots = &t.slots[family.base..family.base + family.slots];
    let all = slots.iter().flatten().fold(0, |all, s| all | class(s).tail);
    let decodes = |c: &lower::Class, (lsb, width, code): (u8, u8, u128)| {
        let checks = &t.checks[c.checks.0..c.checks.0 + c.checks.1];
        let refused = |check: &lower::Check| {
            let value = code as usize + usize::from(check.add);
            (check.lsb, check.width) == (lsb, width) && t.sets[check.set][value / 32 % 16] >> (value % 32) & 1 == 0
        };
        c.mask & code << lsb == 0 && !checks.iter().any(refused)
    };
    let (enc, value) = &family.fixed[0];
    let mut found = Vec::new();
    if family.dwords != 1 || all & lower::tail::LIST != 0 {
        return found;
    }
    for (n, slot) in slots.iter().enumerate() {
        let Some(slot) = slot else { continue };
        let c = class(slot);
        let fewer =
            codes.iter().any(|&(bit, lsb, width, code)| all & !c.tail & bit != 0 && decodes(c, (lsb, width, code)));
        // What ALWAYS has a literal is known from the first nine bits.
        if fewer && c.tail & lower::tail::ALWAYS == 0 {
            let op = Bits { pieces: vec![family.op], fixed: None, ignored: false };
            let mask = (enc.mask() | op.mask()) as u32;
            found.push((mask, (*value as u32) << enc.pieces[0].lsb | (n as u32) << family.op.lsb, c.tail));
        }
    }
    found
}
