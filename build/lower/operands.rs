//! Which operands each form has: lists of rows, which many forms share.

use std::collections::HashMap;

use crate::build::lower::pages::number;
use crate::build::lower::pages::position;
use crate::build::lower::{Info, Item, NONE, Shape, Slot, Target, tail};
use crate::build::model::Access;
use crate::build::shared::IMPLICIT;

/// The operands of a form, by their numbers in `Lists::rows`, and the lists (plus one) of further forms.
#[derive(Clone, PartialEq)]
pub struct List {
    pub rows: Vec<u8>,
    pub forms: [u16; 2],
    pub others: Vec<(u8, u16)>,
    /// Dwords without a literal.
    pub dwords: u8,
}

/// What an operand is.
#[derive(Clone, PartialEq)]
pub enum Row {
    Item(Item),
    /// A register that no field names, by its number in `IMPLICIT`, and the bit without which it is none.
    Implicit(usize, Access, u8),
}

pub struct Lists<'a> {
    pub t: &'a Target<'a>,
    pub rows: Vec<Row>,
    pub list: Vec<List>,
}

impl Lists<'_> {
    /// The number (plus one) of what is left of a shape of the printer; 0 for 0.
    fn of(&mut self, shape: usize, info: &Info) -> u16 {
        let Some(s) = shape.checked_sub(1).map(|n| &self.t.shapes[n]) else { return 0 };
        let forms = [self.of(s.sdwa, info), self.of(s.dpp, info)];
        let others = s.numbered_follows().filter(|o| o.1 != 0).map(|(f, form)| (form, self.of(f.form, info))).collect();
        let numbers = self.t.item_lists[s.items.0..s.items.0 + s.items.1].iter();
        let items: Vec<&Item> =
            numbers.map(|&n| &self.t.items[usize::from(n)]).filter(|i| i.access.is_some()).collect();
        let implicit = implicit(info, &items);
        let all = items.into_iter().map(|item| Row::Item(plain(item))).chain(implicit);
        let rows = all.map(|row| number(&mut self.rows, row)).collect();
        position(&mut self.list, List { rows, forms, others, dwords: dwords(self.t, s) }) as u16 + 1
    }
}

/// The registers that no field names.
fn implicit(info: &Info, items: &[&Item]) -> Vec<Row> {
    // The vcc that the text shows is not implicit besides; nor is it written when SDWA names another register.
    let shown = |access: fn(Access) -> bool| {
        items.iter().any(|i| ["vcc", "sdst_or_vcc"].contains(&i.kind.as_str()) && i.access.is_some_and(access))
    };
    let shown = (shown(Access::reads), shown(Access::writes));
    // And m0 is the address in LDS: without the lds bit it is not read.
    let lds = items.iter().find(|i| i.kind == "buf_data" && i.aux[1] != NONE).map_or(NONE, |i| i.aux[1]);
    let row = |(n, name): (usize, &&str)| {
        let (reads, writes) = (info.reads.iter().any(|r| r == name), info.writes.iter().any(|r| r == name));
        let is_vcc = *name == "vcc";
        let access = Access::of(reads && !(is_vcc && shown.0), writes && !(is_vcc && shown.1))?;
        Some(Row::Implicit(n, access, if *name == "m0" { lds } else { NONE }))
    };
    IMPLICIT.iter().enumerate().filter_map(row).collect()
}

/// An item without what only text tells apart: what a constant is taken for, and the signs of sources.
fn plain(item: &Item) -> Item {
    let [a, .., d] = item.aux;
    let aux = match item.kind.as_str() {
        "code" | "sdwa_src" => [NONE; 4],
        "half" | "half_sel" => [NONE, NONE, NONE, d],
        "acc" => [a, NONE, NONE, NONE],
        _ => item.aux,
    };
    Item { aux, ty: "b".into(), used: 0, ..item.clone() }
}

/// Dwords of the base words, with those that always follow.
fn dwords(t: &Target, s: &Shape) -> u8 {
    let always = t.classes[s.class].tail & tail::ALWAYS != 0;
    t.formats[s.format].def.bits / 32 + u8::from(always)
}

/// All lists, and which one each slot has.
pub fn lists<'a>(t: &'a Target) -> (Lists<'a>, Vec<u16>) {
    let mut lists = Lists { t, rows: Vec::new(), list: Vec::new() };
    let mut known = HashMap::new();
    // Slots without an operation have the list of a neighbour: they are never asked for it.
    let mut last = 0;
    let mut list_of = Vec::new();
    for slot in &t.slots {
        if let Some(Slot { shape, info, .. }) = slot {
            last = *known.entry((shape, info)).or_insert_with(|| lists.of(*shape, &t.infos[*info]).saturating_sub(1));
        }
        list_of.push(last);
    }
    (lists, list_of)
}

/// A list as a number.
pub fn bytes(rows: &[u8]) -> u128 {
    rows.iter().rev().fold(0, |all, &n| all << 8 | (u128::from(n) + 1))
}
