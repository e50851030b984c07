//! Assigns the precomputed texts of src/text/texts.rs to operands, by indices computed from fields.

use std::iter::repeat;

use crate::build::emit::operand_texts::{
    ACC, BLANK, DELAYS, DEPCTR_ZERO, DEPCTRS, EMPTY, HEX, INSTIDS, INSTSKIPS, MISSING, NO_SADDR, NULL, NUMBERS, OFF,
    PAIRS, QUADS, SADDRS, SIXTEENS, WAITS,
};
use crate::build::kind::{AddressKind, Notation, NumberKind, OffsetKind, OperandKind, PartsKind, RegisterKind};
use crate::build::lower::cases::{self, Case, Known, bit};
use crate::build::lower::codes::Codes;
use crate::build::lower::{NONE, OperandDesc};
use crate::build::model::Piece;

/// The number of texts in an entry: `FastSignature::TEXTS` in src/table/fast_text.rs.
const TEXTS: usize = 4;

/// The bits of a scalar register's code.
const SCALAR: u16 = (1 << 7) - 1;

/// The words for which the operands of a signature have the given texts: `FastSignature` in src/table/fast_text.rs.
pub type Ready = Case<Text>;

/// The positions of the parts of constants: see [`all`].
pub struct Parts {
    pub waitcnt: Vec<[Piece; 2]>,
    pub depctr: Vec<[Piece; 2]>,
    pub delay_alu: Vec<[Piece; 2]>,
}

/// The index of a text: the words rotated by `turn`, masked, plus `add`.
#[derive(Clone, PartialEq)]
pub struct Text {
    turn: u8,
    mask: u16,
    add: u16,
}

/// The cases of words, in the order in which printing tries them.
///
/// `wide` tells whether the instruction has three dwords.
pub fn all(descs: &[&OperandDesc], parts: &Parts, codes: &Codes, wide: bool) -> Vec<Ready> {
    cases::all(descs.iter().map(|desc| texts(desc, parts, codes, wide)))
}

impl Ready {
    /// The fields of `FastSignature`, and of at least `least` entries that continue it.
    ///
    /// `operands` is the number of operands with texts, and `bits` the number of bits that are rotated.
    pub fn fields(&self, operands: usize, bits: u8, least: usize) -> Vec<String> {
        let Case { parts: texts, clear, set } = self;
        let all_known = texts.iter().all(|text| *text != always(MISSING));
        let is_parts = operands == 1 && texts.len() > 1;
        let count = if all_known { texts.len().div_ceil(TEXTS).max(1) } else { 1 };
        let blank = texts.is_empty().then_some(Text { turn: 0, mask: 0, add: BLANK });
        let mut texts = texts.iter().cloned().chain(blank).chain(repeat(always(EMPTY)));
        let entry = |n: usize| {
            let kind = match n + 1 < count {
                true if is_parts => "MoreParts",
                true => "MoreOperands",
                false if is_parts => "Parts",
                false if n == 0 && operands > TEXTS => "FirstOperands",
                false => "Operands",
            };
            let (mut rotations, mut masks, mut adds) = (Vec::new(), Vec::new(), Vec::new());
            for Text { turn, mask, add } in texts.by_ref().take(TEXTS) {
                // `place` in src/text/fast.rs is a position in bytes: 16 times the index of a text.
                rotations.push((turn + bits - 4) % bits);
                masks.push(mask << 4);
                adds.push(add << 4);
            }
            let (match_mask, match_value) = if n == 0 { (clear | set, *set) } else { (0, 0) };
            format!(
                "match_mask: {match_mask:#x}, match_value: {match_value:#x}, rotations: {rotations:?}, \
                 masks: {masks:?}, adds: {adds:?}, kind: TextKind::{kind}"
            )
        };
        (0..count.max(1 + least)).map(entry).collect()
    }
}

/// The cases of one operand.
fn texts(desc: &OperandDesc, parts: &Parts, codes: &Codes, wide: bool) -> Vec<Ready> {
    let is_outside = desc.lsb >= if wide { 96 } else { 64 };
    if desc.is_returned() && desc.write_if_bit < 64 {
        return returned(desc, parts, codes, wide);
    }
    if desc.is_returned()
        || is_outside
        || desc.split.0 != NONE
        || desc.kind.positions().iter().any(|&n| n != NONE && n >= 64)
    {
        return missing();
    }
    if let Some(cases) = cases::of(desc, codes.off) {
        return cases.into_iter().map(|case| case.map(|known| plain(&known))).collect();
    }
    let code = code(desc);
    match desc.kind {
        OperandKind::Register(kind) => register(desc, kind, code, codes),
        OperandKind::Address(kind) => address(desc, kind, code, codes),
        OperandKind::Offset(kind) => offset(desc, kind, code, codes),
        OperandKind::Number(kind) => number(desc, kind, parts),
        OperandKind::Image(_) | OperandKind::Modifier(_) | OperandKind::Second => missing(),
    }
}

/// The case of an operand without a precomputed text.
fn missing() -> Vec<Ready> {
    vec![Case::new(always(MISSING), 0, 0)]
}

/// A case that applies if the bits of `clear` are zero and those of `set` are one.
fn text(clear: u64, set: u64, text: Text) -> Ready {
    Case::new(text, clear, set)
}

fn register(desc: &OperandDesc, kind: RegisterKind, code: Option<u16>, codes: &Codes) -> Vec<Ready> {
    let vcc = codes.vcc;
    let field = |add| field(desc, add);
    let bits = |positions: &[u8]| positions.iter().fold(0, |all, &n| all | bit(n));
    match (kind, code) {
        // Constants of the type `i16` are printed as their bits.
        (RegisterKind::Code { .. }, _) if desc.ty == "i16" => missing(),
        // The scalar destination beside a vector one is often null.
        (RegisterKind::Code { .. }, Some(code))
            if desc.width == 7 && desc.field == "sdst" && desc.lsb == 8 && codes.null != u16::MAX =>
        {
            let set = u64::from(codes.null) << desc.lsb;
            vec![text(!set & u64::from(SCALAR) << desc.lsb, set, always(NULL)), text(0, 0, field(code))]
        }
        // The lowest bit is not in the field: it is the inverse of the lowest bit of the other destination.
        (RegisterKind::OppositeParity { other }, _) => {
            let turn = (desc.lsb + 127) % 128;
            let text = |clear, set, odd| text(clear, set, Text { mask: 0xfe, turn, add: desc.add + odd });
            vec![text(0, bit(other), 0), text(bit(other), 0, 1)]
        }
        // Only a source without negation, absolute value and sign extension has a text.
        (RegisterKind::Code { signs }, Some(code)) => {
            vec![text(bits(&signs.positions()), 0, field(code))]
        }
        (RegisterKind::Agpr, _) => vec![text(0, 0, agpr(desc))],
        // An operand without a field is always vcc.
        (RegisterKind::Vcc, _) if desc.dwords == 1 => vec![text(0, 0, always(vcc))],
        (RegisterKind::Vcc, _) if desc.dwords == 2 => vec![text(0, 0, always(vcc + PAIRS))],
        (RegisterKind::NamedOrVcc { named }, _) if desc.dwords == 2 => {
            vec![text(bit(named), 0, always(vcc + PAIRS))]
        }
        _ => missing(),
    }
}

fn address(desc: &OperandDesc, kind: AddressKind, code: Option<u16>, codes: &Codes) -> Vec<Ready> {
    let field = |add| field(desc, add);
    match (kind, code) {
        (AddressKind::Buffer { offen, idxen, addr64 }, _) => {
            let [offen, idxen, addr64] = [offen, idxen, addr64].map(bit);
            vec![
                text(offen | idxen | addr64, 0, always(OFF)),
                text(idxen | addr64, offen, field(desc.add)),
                text(offen | addr64, idxen, field(desc.add)),
                text(addr64, offen | idxen, field(desc.add + PAIRS)),
            ]
        }
        // FLAT does not show that the address is absent.
        (AddressKind::Scalar { is_silent: true, .. }, Some(code)) if desc.width == 7 => {
            let (clear, set) = bits_of(desc, codes.off);
            vec![text(clear, set, always(EMPTY)), text(0, 0, field(code))]
        }
        (AddressKind::Scalar { .. }, Some(_)) if desc.width == 7 && desc.dwords == 2 && codes.off == NO_SADDR => {
            vec![text(0, 0, field(SADDRS))]
        }
        (AddressKind::Scalar { .. }, Some(code)) if desc.width == 7 && desc.dwords <= 2 => {
            let neither = Some(codes.neither).filter(|&neither| neither != u16::MAX);
            let is_off = |off: u16| {
                let (clear, set) = bits_of(desc, off);
                text(clear, set, always(OFF))
            };
            [Some(codes.off), neither].into_iter().flatten().map(is_off).chain([text(0, 0, field(code))]).collect()
        }
        _ => missing(),
    }
}

fn offset(desc: &OperandDesc, kind: OffsetKind, code: Option<u16>, codes: &Codes) -> Vec<Ready> {
    // The bits of a constant above the numbers that have texts.
    let large = || (((1 << desc.width) - 1) & !0xff) << desc.lsb;
    let small = Text { mask: 0xff, ..field(desc, HEX) };
    match (kind, code) {
        // Only a small constant has a text.
        (OffsetKind::Bytes { imm, soffset_en, .. }, _) if desc.lsb == 32 => {
            vec![text(large() | bit(soffset_en), bit(imm), small)]
        }
        // The text is a register if the constant is zero, or a small constant if the register is null.
        (OffsetKind::Sum { soffset, is_shown: false }, Some(code)) if desc.lsb == 32 => {
            let register = Text { turn: soffset, mask: SCALAR, add: code };
            let off = u64::from(codes.off) << register.turn;
            let all = ((1 << desc.width) - 1) << desc.lsb;
            let others = (u64::from(SCALAR) << register.turn) & !off;
            vec![text(all, 0, register), text(large() | others, off, small)]
        }
        _ => missing(),
    }
}

fn number(desc: &OperandDesc, kind: NumberKind, parts: &Parts) -> Vec<Ready> {
    let field = |add| field(desc, add);
    match kind {
        // Small numbers are decimal.
        NumberKind::Plain(Notation::Int16) if desc.lsb == 0 && desc.width == 16 => {
            vec![text(0xffc0, 0, Text { mask: 0x3f, ..field(NUMBERS) })]
        }
        NumberKind::Label if desc.lsb == 0 && desc.width == 16 => {
            vec![text(0xff80, 0, Text { mask: 0x7f, ..field(NUMBERS) })]
        }
        // The constant of `s_endpgm` is not printed if it is zero.
        NumberKind::Plain(Notation::Endpgm) if desc.lsb == 0 => {
            vec![Case { parts: Vec::new(), clear: 0xffff, set: 0 }]
        }
        NumberKind::Parts(PartsKind::Waitcnt) if desc.lsb == 0 => counters(&parts.waitcnt),
        NumberKind::Parts(PartsKind::DelayAlu) if desc.lsb == 0 => delays(&parts.delay_alu),
        NumberKind::Parts(PartsKind::Depctr) if desc.lsb == 0 => depctrs(&parts.depctr),
        NumberKind::Plain(Notation::Hex | Notation::Unsigned | Notation::Events)
            if desc.lsb == 0 && desc.width == 16 =>
        {
            vec![text(0xff00, 0, Text { mask: 0xff, ..field(HEX) })]
        }
        _ => missing(),
    }
}

/// The cases of an operand that exists only if a bit is set. The case of a vector register comes first, then its
/// absence, because only the first combinations of all operands' cases are kept.
fn returned(desc: &OperandDesc, parts: &Parts, codes: &Codes, wide: bool) -> Vec<Ready> {
    let mut all = texts(&OperandDesc { write_if_bit: NONE, ..desc.clone() }, parts, codes, wide);
    all.iter_mut().for_each(|case| case.set |= bit(desc.write_if_bit));
    all.insert(1, Case::new(always(EMPTY), bit(desc.write_if_bit), 0));
    all
}

/// The text of a code, of an accumulation register or of `off`.
fn plain(known: &Known) -> Text {
    let desc = &known.desc;
    match (desc.kind, code(desc)) {
        _ if known.is_off => always(OFF),
        (OperandKind::Register(RegisterKind::Agpr), _) => agpr(desc),
        (_, Some(code)) => field(desc, code),
        (_, None) => always(MISSING),
    }
}

fn agpr(desc: &OperandDesc) -> Text {
    code(desc).map_or(always(MISSING), |code| field(desc, code + ACC))
}

fn always(add: u16) -> Text {
    Text { turn: 0, mask: 0, add }
}

fn field(desc: &OperandDesc, add: u16) -> Text {
    let mask = ((1u32 << desc.width.min(16)) - 1) as u16;
    Text { turn: (desc.lsb + 128 - desc.shift) % 128, mask: mask << desc.shift, add }
}

/// The index of the first text for an operand's codes, if tuples of its length have texts.
fn code(desc: &OperandDesc) -> Option<u16> {
    let tuples = [(1, 0), (2, PAIRS), (4, QUADS), (16, SIXTEENS)].into_iter().find(|tuple| tuple.0 == desc.dwords);
    tuples.map(|(_, section)| desc.add + section)
}

/// The bits of an operand's field that are clear if it has this code, and those that are set.
fn bits_of(desc: &OperandDesc, code: u16) -> (u64, u64) {
    let all = (1 << desc.width) - 1;
    ((all & !u64::from(code)) << desc.lsb, u64::from(code) << desc.lsb)
}

fn bits(piece: Piece) -> u64 {
    ((1 << piece.width) - 1) << piece.lsb
}

/// The mask of the constant's bits.
const CONSTANT: u64 = 0xffff;

/// The cases of one or more counters to wait for: `lgkmcnt`, `vmcnt`, both, or both and `expcnt`.
fn counters(waits: &[[Piece; 2]]) -> Vec<Ready> {
    let &[[vmcnt, high], [expcnt, _], [lgkmcnt, _]] = waits else { return Vec::new() };
    let text = |piece: Piece, add, mask| Text { turn: piece.lsb, mask, add };
    let case = |parts, clear: u64, set| Case { parts, clear, set };
    let [alone, after, low, whole, export] = WAITS;
    let set = bits(vmcnt) | bits(high) | bits(expcnt);
    match (vmcnt.width, lgkmcnt.width) {
        (4, 4) => {
            let first = case(vec![text(lgkmcnt, alone, 15)], CONSTANT & !set & !bits(lgkmcnt), set);
            let set = bits(expcnt);
            let low = if high.width == 0 { whole } else { low };
            let parts = vec![text(vmcnt, low, 15), text(lgkmcnt, after, 15)];
            let second = case(parts, CONSTANT & !set & !bits(lgkmcnt) & !bits(vmcnt), set);
            let parts = vec![text(vmcnt, low, 15), text(expcnt, export, 7), text(lgkmcnt, after, 15)];
            vec![first, second, case(parts, CONSTANT & !bits(expcnt) & !bits(lgkmcnt) & !bits(vmcnt), 0)]
        }
        // Only small counts have texts.
        (6, 6) if high.width == 0 => {
            let small = |piece: Piece, mask: u64| mask << piece.lsb;
            let first = case(vec![text(lgkmcnt, alone, 15)], CONSTANT & !set & !small(lgkmcnt, 15), set);
            let set = bits(lgkmcnt) | bits(expcnt);
            let second = case(vec![text(vmcnt, low, 15), always(BLANK)], CONSTANT & !set & !small(vmcnt, 15), set);
            let set = bits(expcnt);
            let parts = vec![text(vmcnt, low, 15), text(lgkmcnt, after, 7)];
            let third = case(parts, CONSTANT & !set & !small(lgkmcnt, 7) & !small(vmcnt, 15), set);
            let parts = vec![text(vmcnt, low, 15), text(expcnt, export, 7), text(lgkmcnt, after, 7)];
            let all = case(parts, CONSTANT & !bits(expcnt) & !small(lgkmcnt, 7) & !small(vmcnt, 15), 0);
            vec![first, second, third, all]
        }
        _ => Vec::new(),
    }
}

/// The cases of `s_delay_alu` with one or two instructions to wait for.
fn delays(parts: &[[Piece; 2]]) -> Vec<Ready> {
    let &[[instid0, _], [instskip, _], [instid1, _]] = parts else { return Vec::new() };
    let name = |piece: Piece, add| Text { turn: piece.lsb, mask: (1 << piece.width) - 1, add };
    let between = |n| always(DELAYS + n);
    let first = [between(0), name(instid0, INSTIDS)];
    let last = [name(instid1, INSTIDS), between(3)];
    let two = [between(1), name(instskip, INSTSKIPS), between(2)];
    let unused = CONSTANT & !bits(instid0) & !bits(instskip) & !bits(instid1);
    // A part that is zero is not printed, so it has no text.
    vec![
        Case { parts: [&first[..], &[between(3)]].concat(), clear: CONSTANT & !bits(instid0), set: 0 },
        Case { parts: [&first[..], &[between(2)], &last].concat(), clear: unused | bits(instskip), set: 0 },
        Case { parts: [&first[..], &two, &last].concat(), clear: unused, set: 0 },
    ]
}

/// The cases of `s_waitcnt_depctr` in which one part is zero, all bits of the other parts are set, and all other bits
/// are clear.
fn depctrs(parts: &[[Piece; 2]]) -> Vec<Ready> {
    let all = parts.iter().fold(0, |all, [piece, _]| all | bits(*piece));
    let case = |(&[piece, _], n): (&[Piece; 2], u16)| {
        let (set, clear) = (all & !bits(piece), CONSTANT & !all | bits(piece));
        (piece.width > 0).then(|| Case { parts: vec![always(DEPCTRS + n), always(DEPCTR_ZERO)], clear, set })
    };
    parts.iter().zip(0..).filter_map(case).collect()
}
