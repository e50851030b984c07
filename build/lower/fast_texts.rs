//! Assigns ready-made texts to operands: those of src/text/texts.rs, by indices computed from fields.

use std::iter::repeat;

use crate::build::emit::operand_texts::{
    ACC, BLANK, EMPTY, HEX, MISSING, NO_SADDR, NUMBERS, OFF, PAIRS, QUADS, SADDRS, SIXTEENS, WAITS,
};
use crate::build::lower::cases::{self, Case, bit};
use crate::build::lower::codes::Codes;
use crate::build::lower::{NONE, OperandDesc};
use crate::build::model::Piece;

/// `FastSignature::TEXTS` in src/table/text.rs.
const TEXTS: usize = 4;

/// The bits of a scalar register's code that is part of an offset.
const SCALAR: u16 = (1 << 7) - 1;

/// The words for which the operands of a signature have these texts: `FastSignature` in src/table/text.rs.
pub type Ready = Case<Text>;

/// The index of a text: the words rotated by `turn`, masked, plus `add`.
#[derive(Clone, PartialEq)]
pub struct Text {
    turn: u8,
    mask: u16,
    add: u16,
}

/// The cases of words that printing tries in order.
///
/// `waits`: the positions of the counters of `s_waitcnt`.
pub fn all(descs: &[&OperandDesc], waits: &[[Piece; 2]], codes: &Codes) -> Vec<Ready> {
    cases::all(descs.iter().map(|desc| texts(desc, waits, codes)))
}

impl Ready {
    /// The fields of `FastSignature`.
    pub fn fields(&self) -> String {
        let Case { parts: texts, clear, set } = self;
        let blank = texts.is_empty().then_some(Text { turn: 0, mask: 0, add: BLANK });
        let more = texts.len() > TEXTS;
        let texts = texts.iter().cloned().chain(blank).chain(repeat(always(EMPTY))).take(TEXTS);
        let (mut turns, mut masks, mut adds) = (Vec::new(), Vec::new(), Vec::new());
        for Text { turn, mask, add } in texts {
            // Texts have 16 bytes.
            turns.push((turn + 60) % 64);
            masks.push(mask << 4);
            adds.push(add << 4);
        }
        format!(
            "marks: {:#x}, unmarked: {set:#x}, turns: {turns:?}, masks: {masks:?}, adds: {adds:?}, more: {more}",
            clear | set
        )
    }
}

/// The cases of one operand.
fn texts(desc: &OperandDesc, waits: &[[Piece; 2]], codes: &Codes) -> Vec<Ready> {
    let vcc = codes.vcc;
    let text = |clear: u64, set: u64, text: Text| Case::new(text, clear, set);
    let aux = |n: usize| bit(desc.aux[n]);
    let bits = |aux: &[u8]| aux.iter().fold(0, |all, &n| all | bit(n));
    let missing = || vec![text(0, 0, always(MISSING))];
    if desc.is_returned() || desc.lsb >= 64 || desc.split.0 != NONE || desc.aux.iter().any(|&n| n != NONE && n >= 64) {
        return missing();
    }
    if let Some(cases) = cases::of(desc, codes.off) {
        return cases.into_iter().map(|case| case.map(|desc| plain(&desc))).collect();
    }
    let field = |add| field(desc, add);
    let code = code(desc);
    // The bits of a constant above those of which there are texts.
    let large = || (((1 << desc.width) - 1) & !0xff) << desc.lsb;
    let small = Text { mask: 0xff, ..field(HEX) };
    match (desc.operand_type.as_str(), code) {
        // Its constants are printed as their bits.
        ("code", _) if desc.ty == "i16" => missing(),
        // Only without negation, absolute value and sign extension.
        ("code", Some(code)) => vec![text(bits(&desc.aux), 0, field(code))],
        ("agpr", _) => vec![text(0, 0, plain(desc))],
        ("buf_vaddr", _) => {
            let (offen, idxen, addr64) = (aux(0), aux(1), aux(2));
            vec![
                text(offen | idxen | addr64, 0, always(OFF)),
                text(idxen | addr64, offen, field(desc.add)),
                text(offen | addr64, idxen, field(desc.add)),
                text(addr64, offen | idxen, field(desc.add + PAIRS)),
            ]
        }
        ("saddr", Some(_)) if desc.width == 7 && desc.dwords == 2 && codes.off == NO_SADDR => {
            vec![text(0, 0, field(SADDRS))]
        }
        ("saddr", Some(code)) if desc.width == 7 && desc.dwords <= 2 => {
            let neither = Some(codes.neither).filter(|&neither| neither != u16::MAX);
            let is_off = |off: u16| text(u64::from(!off & 0x7f) << desc.lsb, u64::from(off) << desc.lsb, always(OFF));
            [Some(codes.off), neither].into_iter().flatten().map(is_off).chain([text(0, 0, field(code))]).collect()
        }
        // An operand without a field is always vcc.
        ("vcc", _) if desc.dwords == 1 => vec![text(0, 0, always(vcc))],
        ("vcc", _) if desc.dwords == 2 => vec![text(0, 0, always(vcc + PAIRS))],
        ("sdst_or_vcc", _) if desc.dwords == 2 => vec![text(aux(0), 0, always(vcc + PAIRS))],
        // A small constant.
        ("smem_offset", _) if desc.lsb == 32 && desc.aux[0] != NONE => {
            vec![text(large() | aux(1), aux(0), small)]
        }
        // A register, if the constant is zero, or a small constant, if the register is null.
        ("smem_offset", Some(code)) if desc.lsb == 32 && desc.aux[2] != NONE && desc.aux[3] == NONE => {
            let register = Text { turn: desc.aux[2], mask: SCALAR, add: code };
            let off = u64::from(codes.off) << register.turn;
            let all = ((1 << desc.width) - 1) << desc.lsb;
            let others = (u64::from(SCALAR) << register.turn) & !off;
            vec![text(all, 0, register), text(large() | others, off, small)]
        }
        // Small numbers are decimal.
        ("int16" | "label", _) if desc.lsb == 0 && desc.width == 16 => {
            vec![text(0xffc0, 0, Text { mask: 0x3f, ..field(NUMBERS) })]
        }
        // Not printed if its number is zero.
        ("endpgm", _) if desc.lsb == 0 => vec![Case { parts: Vec::new(), clear: 0xffff, set: 0 }],
        ("waitcnt", _) if desc.lsb == 0 => counters(waits),
        _ => missing(),
    }
}

/// The text of a code, of an accumulation register or of `off`.
fn plain(desc: &OperandDesc) -> Text {
    match (desc.operand_type.as_str(), code(desc)) {
        ("off", _) => always(OFF),
        ("agpr", Some(code)) => field(desc, code + ACC),
        (_, Some(code)) => field(desc, code),
        (_, None) => always(MISSING),
    }
}

fn always(add: u16) -> Text {
    Text { turn: 0, mask: 0, add }
}

fn field(desc: &OperandDesc, add: u16) -> Text {
    let mask = ((1u32 << desc.width.min(16)) - 1) as u16;
    Text { turn: (desc.lsb + 64 - desc.shift) % 64, mask: mask << desc.shift, add }
}

/// The first index of an operand's codes, if tuples of its length have texts.
fn code(desc: &OperandDesc) -> Option<u16> {
    let tuples = [(1, 0), (2, PAIRS), (4, QUADS), (16, SIXTEENS)].into_iter().find(|tuple| tuple.0 == desc.dwords);
    tuples.map(|(_, section)| desc.add + section)
}

/// The cases of one counter to wait for, or two: `lgkmcnt`, `vmcnt`, or both.
fn counters(waits: &[[Piece; 2]]) -> Vec<Ready> {
    let &[[vmcnt, high], [expcnt, _], [lgkmcnt, _]] = waits else { return Vec::new() };
    if (vmcnt.width, lgkmcnt.width) != (4, 4) {
        return Vec::new();
    }
    let bits = |piece: Piece| ((1u64 << piece.width) - 1) << piece.lsb;
    let all = 0xffff;
    let text = |piece: Piece, add| Text { turn: piece.lsb, mask: 15, add };
    let [alone, behind, low, whole] = WAITS;
    let set = bits(vmcnt) | bits(high) | bits(expcnt);
    let parts = vec![text(lgkmcnt, alone)];
    let first = Case { parts, clear: all & !set & !bits(lgkmcnt), set };
    let set = bits(expcnt);
    let parts = vec![text(vmcnt, if high.width == 0 { whole } else { low }), text(lgkmcnt, behind)];
    vec![first, Case { parts, clear: all & !set & !bits(lgkmcnt) & !bits(vmcnt), set }]
}
