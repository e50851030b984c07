//! Which operands have ready-made texts: those of src/text/texts.rs, by numbers that their fields make.

use std::iter::repeat;

use crate::build::emit::operand_texts::{
    ACC, BLANK, EMPTY, HEX, MISSING, NO_SADDR, NUMBERS, OFF, PAIRS, QUADS, SADDRS, SIXTEENS, WAITS,
};
use crate::build::lower::cases::{self, Case, bit};
use crate::build::lower::codes::Codes;
use crate::build::lower::{Item, NONE};
use crate::build::model::Piece;

/// `FastShape::TEXTS` in src/table/text.rs.
const TEXTS: usize = 4;

/// What words must be so that the operands of a shape have these texts: `FastShape` in src/table/text.rs.
pub type Ready = Case<Text>;

/// The number of a text: the words turned so far, masked, and added to.
#[derive(Clone, PartialEq)]
pub struct Text {
    turn: u8,
    mask: u16,
    add: u16,
}

/// What words can be, for printing to try one after the other.
///
/// `waits`: where the parts of what `s_waitcnt` waits for lie.
pub fn all(items: &[&Item], waits: &[[Piece; 2]], codes: &Codes) -> Vec<Ready> {
    cases::all(items.iter().map(|item| texts(item, waits, codes)))
}

impl Ready {
    /// What `FastShape` says of it.
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

/// The same of one operand.
fn texts(item: &Item, waits: &[[Piece; 2]], codes: &Codes) -> Vec<Ready> {
    let vcc = codes.vcc;
    let text = |clear: u64, set: u64, text: Text| Case::new(text, clear, set);
    let aux = |n: usize| bit(item.aux[n]);
    let bits = |aux: &[u8]| aux.iter().fold(0, |all, &n| all | bit(n));
    let missing = || vec![text(0, 0, always(MISSING))];
    if item.is_returned() || item.lsb >= 64 || item.split.0 != NONE || item.aux.iter().any(|&n| n != NONE && n >= 64) {
        return missing();
    }
    if let Some(cases) = cases::of(item, codes.off) {
        return cases.into_iter().map(|case| case.map(|item| plain(&item))).collect();
    }
    let field = |add| field(item, add);
    let code = code(item);
    match (item.kind.as_str(), code) {
        // Its constants are printed by their bits.
        ("code", _) if item.ty == "i16" => missing(),
        // Without a sign, the absolute value, the sign extension.
        ("code", Some(code)) => vec![text(bits(&item.aux), 0, field(code))],
        ("agpr", _) => vec![text(0, 0, plain(item))],
        ("buf_vaddr", _) => {
            let (offen, idxen, addr64) = (aux(0), aux(1), aux(2));
            vec![
                text(offen | idxen | addr64, 0, always(OFF)),
                text(idxen | addr64, offen, field(item.add)),
                text(offen | addr64, idxen, field(item.add)),
                text(addr64, offen | idxen, field(item.add + PAIRS)),
            ]
        }
        ("saddr", _) if codes.off != NO_SADDR => missing(),
        ("saddr", Some(_)) if item.width == 7 && item.dwords == 2 => vec![text(0, 0, field(SADDRS))],
        ("saddr", Some(code)) if item.width == 7 && item.dwords == 1 => {
            vec![text(0, u64::from(codes.off) << item.lsb, always(OFF)), text(0, 0, field(code))]
        }
        // What no field names is always vcc.
        ("vcc", _) if item.dwords == 2 => vec![text(0, 0, always(vcc + PAIRS))],
        ("sdst_or_vcc", _) if item.dwords == 2 => vec![text(aux(0), 0, always(vcc + PAIRS))],
        // A small constant.
        ("smem_offset", _) if item.lsb == 32 && item.aux[0] != NONE => {
            let large = (((1 << item.width) - 1) & !0xff) << item.lsb;
            vec![text(large | aux(1), aux(0), Text { mask: 0xff, ..field(HEX) })]
        }
        // Small numbers are decimal.
        ("int16" | "label", _) if item.lsb == 0 && item.width == 16 => {
            vec![text(0xffc0, 0, Text { mask: 0x3f, ..field(NUMBERS) })]
        }
        // Without its number it is not printed.
        ("endpgm", _) if item.lsb == 0 => vec![Case { parts: Vec::new(), clear: 0xffff, set: 0 }],
        ("waitcnt", _) if item.lsb == 0 => counters(waits),
        _ => missing(),
    }
}

/// The text of a code, of an accumulation register or of `off`.
fn plain(item: &Item) -> Text {
    match (item.kind.as_str(), code(item)) {
        ("off", _) => always(OFF),
        ("agpr", Some(code)) => field(item, code + ACC),
        (_, Some(code)) => field(item, code),
        (_, None) => always(MISSING),
    }
}

fn always(add: u16) -> Text {
    Text { turn: 0, mask: 0, add }
}

fn field(item: &Item, add: u16) -> Text {
    let mask = ((1u32 << item.width.min(16)) - 1) as u16;
    Text { turn: (item.lsb + 64 - item.shift) % 64, mask: mask << item.shift, add }
}

/// What the codes of an operand begin with, if tuples of its length have texts.
fn code(item: &Item) -> Option<u16> {
    let tuples = [(1, 0), (2, PAIRS), (4, QUADS), (16, SIXTEENS)].into_iter().find(|tuple| tuple.0 == item.dwords);
    tuples.map(|(_, section)| item.add + section)
}

/// One counter that is waited for, or two: `lgkmcnt`, `vmcnt`, or both.
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
