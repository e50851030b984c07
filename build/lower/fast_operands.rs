//! The operands of common words: `FastOperands` in src/table/operands.rs.

use crate::build::kind::{Notation, NumberKind, OffsetKind, OperandKind};
use crate::build::lower::cases::{self, Case, Known, bit};
use crate::build::lower::kept::Term;
use crate::build::lower::operands::{List, Lists, Row, When};
use crate::build::lower::pages::position;
use crate::build::lower::{NONE, OperandDesc};
use crate::build::shared::meta;

/// The operands of the instructions of a form in which the bits `clear` are 0 and the bits `set` are 1.
pub struct FastOperands {
    /// The numbers of the operands' rows in `Lists::rows`, counted from one.
    rows: Vec<u16>,
    /// The bits that must be clear, and the bits that must be set.
    clear: u64,
    set: u64,
    dwords: u8,
    next: usize,
}

impl FastOperands {
    /// The source text of the entry. `plain` tells whether each row is a plain value.
    pub fn text(&self, plain: &[bool], row_bits: u32) -> String {
        let FastOperands { rows, clear, set, dwords, next } = self;
        let is_plain = !rows.is_empty() && rows.iter().all(|&n| plain[usize::from(n) - 1]);
        let varied = if is_plain { "" } else { " | VARIED" };
        let (list, match_mask, length) =
            (list_number(rows, row_bits), clear | set, u32::from(*dwords) << meta::DWORDS_AT);
        format!(
            "FastOperands {{ list: {list}, match_mask: {match_mask:#x}, match_value: {set:#x}, \
             length: {length:#x}{varied}, next: {next} }}"
        )
    }
}

/// A list as a number, which has the number of the first operand's row in its lowest bits.
pub fn list_number(rows: &[u16], row_bits: u32) -> u128 {
    rows.iter().rev().fold(0, |list, &row| list << row_bits | u128::from(row))
}

/// The first case of each list, in the order of the lists, followed by all other cases. Adds the rows that the cases
/// need.
pub fn all(lists: &mut Lists) -> Vec<FastOperands> {
    let all = lists.list.clone();
    let (mut first, mut others) = (Vec::new(), Vec::new());
    for List { rows, dwords, dual, .. } in &all {
        // The list of one operation of a dual instruction lacks the operands of the other. Its entry matches no
        // instruction, because no instruction has 0 dwords.
        if *dual {
            first.push(FastOperands { rows: Vec::new(), clear: 1, set: 1, dwords: 0, next: 0 });
            continue;
        }
        let rows: Vec<Row> = rows.iter().map(|&n| lists.rows[usize::from(n) - 1].clone()).collect();
        let off = lists.t.code.off;
        let cases = cases::all(rows.iter().map(|row| of_row(row, off)));
        let (count, after) = (cases.len(), all.len() + others.len());
        for (n, Case { parts, clear, set }) in cases.into_iter().enumerate() {
            let rows = parts.into_iter().map(|row| position(&mut lists.rows, row) as u16 + 1).collect();
            let next = if n + 1 < count { after + n } else { 0 };
            let to = if n == 0 { &mut first } else { &mut others };
            to.push(FastOperands { rows, clear, set, dwords: *dwords, next });
        }
    }
    first.extend(others);
    first
}

/// The cases of one operand. `off` is the code for "no scalar address".
fn of_row(row: &Row, off: u16) -> Vec<Case<Row>> {
    let as_it_is = Case::new(row.clone(), 0, 0);
    let (desc, terms) = match row {
        // A register that is only read if a bit is set is absent if the bit is clear.
        Row::Implicit(.., When::Bit(n)) => return vec![Case { parts: Vec::new(), clear: bit(*n), set: 0 }],
        Row::Desc(desc) if is_low(desc) => (desc, &[][..]),
        Row::Kept(desc, terms) if is_low(desc) => (desc, &terms[..]),
        _ => return vec![as_it_is],
    };
    if let Some(cases) = cases::of(desc, off) {
        return cases.into_iter().map(|case| with_terms(case, terms)).collect();
    }
    match desc.kind {
        // Only a constant that is not negative is a plain value.
        OperandKind::Offset(OffsetKind::Bytes { imm, soffset_en, .. }) => {
            let sign = if soffset_en == NONE { 0 } else { bit(desc.lsb + desc.width - 1) };
            let constant =
                Row::Desc(OperandDesc { kind: OperandKind::Number(NumberKind::Plain(Notation::Hex)), ..desc.clone() });
            vec![Case::new(constant, bit(soffset_en) | sign, bit(imm)), as_it_is]
        }
        _ => vec![as_it_is],
    }
}

/// The row of a case. Of the terms (conditions under which an instruction keeps a part of the operand), the row has
/// those that can hold for words of the case.
fn with_terms(case: Case<Known>, terms: &[Term]) -> Case<Row> {
    let (clear, set) = (case.clear, case.set);
    case.map(|known| match known.is_off {
        true => Row::Off(known.desc),
        false => Row::of(known.desc, terms.iter().filter(|term| term.is_possible(clear, set)).copied().collect()),
    })
}

/// Whether the operand is always present, its field is one piece within the first three dwords, and all other bits on
/// which the operand depends are among the first 64.
fn is_low(desc: &OperandDesc) -> bool {
    let is_low = desc.kind.positions().iter().all(|&n| n == NONE || n < 64);
    desc.split.0 == NONE && desc.write_if_bit == NONE && desc.lsb < 96 && is_low
}
