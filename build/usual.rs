//! What the operands of most words are: `Usual` in src/table/operands.rs.

use crate::build::decode::number;
use crate::build::lower::{Item, NONE};
use crate::build::operands::{List, Lists, Row, VECTOR, bytes};

/// How many lists the iterator tries one after the other.
const MOST_TRIED: usize = 8;

/// The operands of some words of a form.
pub struct Usual {
    /// Numbers in `Lists::rows`.
    rows: Vec<u8>,
    /// Bits that are not set, and bits that are.
    clear: u64,
    set: u64,
    dwords: u8,
    next: usize,
}

impl Usual {
    /// `plain`: which rows are.
    pub fn text(&self, plain: &[bool]) -> String {
        let Usual { rows, clear, set, dwords, next } = self;
        let is_plain = !rows.is_empty() && rows.iter().all(|&n| plain[usize::from(n)]);
        let varied = if is_plain { "" } else { " | VARIED" };
        let (list, marks, length) = (bytes(rows), clear | set, u32::from(*dwords) << 29);
        format!(
            "Usual {{ list: {list:#x}, marks: {marks:#x}, unmarked: {set:#x}, length: {length:#x}{varied}, next: {next} }}"
        )
    }
}

/// The first that is tried of each list, in their order; the others behind them. Adds the rows that it needs.
pub fn all(lists: &mut Lists) -> Vec<Usual> {
    let all = lists.list.clone();
    let (mut first, mut others) = (Vec::new(), Vec::new());
    for List { rows, dwords, .. } in &all {
        let rows: Vec<Row> = rows.iter().map(|&n| lists.rows[usize::from(n)].clone()).collect();
        let ways = ways(&rows);
        let (count, behind) = (ways.len(), all.len() + others.len());
        for (n, Way { rows, clear, set }) in ways.into_iter().enumerate() {
            let rows = rows.into_iter().map(|row| number(&mut lists.rows, row)).collect();
            let next = if n + 1 < count { behind + n } else { 0 };
            let to = if n == 0 { &mut first } else { &mut others };
            to.push(Usual { rows, clear, set, dwords: *dwords, next });
        }
    }
    first.extend(others);
    first
}

/// What some words have in common, and what their operands are.
struct Way {
    rows: Vec<Row>,
    clear: u64,
    set: u64,
}

impl Way {
    /// With the next operand, if there are such words.
    fn then(&self, next: &Way) -> Option<Way> {
        let rows = self.rows.iter().chain(&next.rows).cloned().collect();
        let (clear, set) = (self.clear | next.clear, self.set | next.set);
        (clear & set == 0).then_some(Way { rows, clear, set })
    }
}

/// What words can be. Where two fit the first is meant: it asks for more.
fn ways(rows: &[Row]) -> Vec<Way> {
    let mut all = vec![Way { rows: Vec::new(), clear: 0, set: 0 }];
    for row in rows {
        let found = of_row(row);
        all = all.iter().flat_map(|before| found.iter().filter_map(|next| before.then(next))).collect();
    }
    all.truncate(MOST_TRIED);
    all
}

/// What one operand can be.
fn of_row(row: &Row) -> Vec<Way> {
    let bit = |n: u8| if n == NONE { 0 } else { 1u64 << n };
    let as_it_is = vec![Way { rows: vec![row.clone()], clear: 0, set: 0 }];
    let item = match row {
        // A register that is only read if a bit is set.
        Row::Implicit(.., n) if *n != NONE => return vec![Way { rows: Vec::new(), clear: bit(*n), set: 0 }],
        Row::Item(item) if is_low(item) => item,
        _ => return as_it_is,
    };
    let way = |kind: &str, dwords: u8, clear: u64, set: u64| {
        let item = Item { kind: kind.into(), dwords, aux: [NONE; 4], ..item.clone() };
        Way { rows: vec![Row::Item(item)], clear, set }
    };
    let [a, b, c, _] = item.aux;
    match item.kind.as_str() {
        "acc" | "buf_data" => {
            // What goes to LDS, and the register for the fail status, are other words.
            let (acc, others) = (a, bit(b) | bit(c));
            // Constants are no registers.
            let vector = if item.width == 9 { bit(item.lsb + VECTOR) } else { 0 };
            let mut all = vec![way("code", item.dwords, bit(acc) | others, 0)];
            if acc != NONE {
                all.push(way("agpr", item.dwords, others, bit(acc) | vector));
            }
            if acc != NONE && vector != 0 {
                all.push(way("code", item.dwords, vector, bit(acc)));
            }
            all
        }
        // A pair, if there is no scalar address.
        "global_addr" => vec![way("code", 2, 0, 127 << a), way("code", 1, 0, 0)],
        "scratch_addr" if a != NONE => vec![way("off", item.dwords, bit(a), 0), way("code", item.dwords, 0, bit(a))],
        // It is there, if there is no scalar address.
        "scratch_addr" => vec![way("code", item.dwords, 0, 127 << b), way("off", item.dwords, 0, 0)],
        // A constant, not negative.
        "smem_offset" if a != NONE => {
            let sign = if b == NONE { 0 } else { bit(item.lsb + item.width - 1) };
            let as_it_is = Way { rows: vec![row.clone()], clear: 0, set: 0 };
            vec![way("hex", item.dwords, bit(b) | sign, bit(a)), as_it_is]
        }
        _ => as_it_is,
    }
}

/// It is always there, in one piece, and the first 64 bits say all of it.
fn is_low(item: &Item) -> bool {
    let bits = [item.lsb].into_iter().chain(item.aux.into_iter().filter(|&n| n != NONE));
    item.split.0 == NONE && item.cond == NONE && bits.max() < Some(64)
}
