//! Writes the tables of the operand iterator for one target: `OperandTables` in src/table/operands.rs.

use crate::build::check::layout_assumptions::room;
use crate::build::emit::camel;
use crate::build::emit::names;
use crate::build::emit::tables::desc_text;
use crate::build::kind::{AddressKind, NumberKind, OperandKind, RegisterKind};
use crate::build::lower::cases::VECTOR;
use crate::build::lower::fast_operands::{self, FastOperands};
use crate::build::lower::kept::Term;
use crate::build::lower::operands::{List, Lists, Row, When, lists};
use crate::build::lower::pages::{PAGE, pages, position};
use crate::build::lower::{NONE, OperandDesc, Target};
use crate::build::model::error::Result;
use crate::build::model::{Access, Isa};
use crate::build::shared::IMPLICIT;
use crate::build::shared::value_table::{self, ADDRESSES, NO_SHIFT, SECTION};
use crate::build::writer::{put, putln};
use std::collections::BTreeMap;

/// The fields of a row, except its role, width and access.
struct RowText {
    how: &'static str,
    turn: u8,
    acc: u8,
    address: u8,
    mask: u32,
    add: u16,
}

/// The fields of a row that has no bits in the words.
const FIXED: RowText = RowText { how: "Value", turn: 0, acc: NO_SHIFT, address: NO_SHIFT, mask: 0, add: 0 };

impl RowText {
    fn text(self, role: &str, bits: u16, access: Access) -> (&'static str, String) {
        let RowText { how, turn, acc, address, mask, add } = self;
        let how = if how == "Value" && (acc, address) != (NO_SHIFT, NO_SHIFT) { "Varied" } else { how };
        let text = format!(
            "Row::new(How::{how}, [{turn}, {acc}, {address}], [{mask:#x}, {add}], ({role}, {bits}, Access::{access:?}))"
        );
        (how, text)
    }
}

/// The text of a row; `None` if the row needs a descriptor. An operand in the words needs none if it is of one of the
/// kinds below, and in one piece of at most `most` bits within the first three dwords.
fn row_text(t: &Target, row: &Row, most: u8, [first, count]: [u8; 2]) -> Option<(&'static str, String)> {
    let i = match row {
        Row::Desc(desc) | Row::Kept(desc, _) | Row::Off(desc) => desc,
        &Row::Implicit((n, bits), access, when) => {
            let (how, acc, address) = match when {
                When::Always => ("Value", NO_SHIFT, NO_SHIFT),
                When::Bit(bit) => ("If", bit, NO_SHIFT),
                When::Hwreg(first, last) => ("Hwreg", first, last),
            };
            return Some(
                RowText { how, acc, address, add: value_table::IMPLICIT + n as u16, ..FIXED }
                    .text("None", bits, access),
            );
        }
    };
    let of = |row: RowText, bits: u16| {
        let role = format!("Some(Field::{})", camel(&i.field));
        Some(row.text(&role, bits, i.access.expect("a modifier is not an operand")))
    };
    let is_global = matches!(i.kind, OperandKind::Address(AddressKind::Global { .. }));
    let bits = if is_global { 32 } else { u16::from(i.dwords) * 32 };
    if i.kind == OperandKind::Register(RegisterKind::Vcc) {
        let vcc = IMPLICIT.iter().position(|name| *name == "vcc")? as u16;
        return of(RowText { add: value_table::IMPLICIT + vcc, ..FIXED }, bits);
    }
    // An operand that is known to be absent has the code for "no scalar address".
    if let Row::Off(_) = row {
        return of(RowText { add: ADDRESSES + t.code.off, ..FIXED }, bits);
    }
    if i.write_if_bit != NONE || i.split.0 != NONE || i.lsb >= 96 || i.width > most {
        return None;
    }
    let mask = (1u32 << i.width) - 1;
    let is_third = i.lsb >= 64;
    let is_label = i.kind == OperandKind::Number(NumberKind::Label);
    let is_number = is_label || i.kind.is_number();
    if is_third && (i.shift != 0 || is_number || i.kind.positions().iter().any(|&n| n != NONE && n >= 64)) {
        return None;
    }
    if is_number {
        let how = if is_label { "Label" } else { "Imm" };
        return of(RowText { how, turn: i.lsb, mask, ..FIXED }, i.width.into());
    }
    let (acc, address, other) = match i.kind {
        OperandKind::Register(RegisterKind::Code { .. }) => (NO_SHIFT, NO_SHIFT, 0),
        OperandKind::Register(RegisterKind::Agpr) => (NO_SHIFT, NO_SHIFT, 1 << VECTOR),
        OperandKind::Register(RegisterKind::Vector { acc } | RegisterKind::Data { acc, lds: NONE, tfe: NONE }) => {
            match acc {
                NONE => (NO_SHIFT, NO_SHIFT, 0),
                acc => (acc.checked_sub(VECTOR)?, NO_SHIFT, 0),
            }
        }
        // The table of values has a single code for "no address": an operand with two such codes needs a descriptor.
        OperandKind::Address(AddressKind::Scalar { .. }) if t.code.neither == u16::MAX || i.dwords != 1 => {
            (NO_SHIFT, NO_SHIFT, ADDRESSES)
        }
        OperandKind::Address(AddressKind::Global { saddr }) => (NO_SHIFT, saddr, 0),
        _ => return None,
    };
    // The table of values has sections for single registers, pairs, and longer tuples. Vector registers, which are not
    // aligned, are only in the first section.
    let section = if i.add >= 1 << VECTOR { 0 } else { (u16::from(i.dwords.min(3)) - 1) * SECTION };
    let add = i.add + section + other;
    // In a row with terms, `acc` and `address` hold the first term and the number of terms.
    if count > 0 {
        let is_plain = !is_third && (acc, address) == (NO_SHIFT, NO_SHIFT);
        let turn = (i.lsb + 64 - i.shift) % 64;
        let row = RowText { how: "Kept", turn, acc: first, address: count, mask: mask << i.shift, add };
        return is_plain.then(|| of(row, bits))?;
    }
    let (how, turn) = if is_third { ("Varied", i.lsb) } else { ("Value", (i.lsb + 64 - i.shift) % 64) };
    of(RowText { how, turn, acc, address, mask: mask << i.shift, add }, bits)
}

/// The position of `terms` in the list of all terms (conditions on words, see [`Term`]), and their number. Terms that
/// are already in the list are shared.
fn run(all: &mut Vec<Term>, terms: &[Term]) -> [u8; 2] {
    let first = all.windows(terms.len()).position(|some| some == terms).unwrap_or_else(|| {
        all.extend(terms);
        all.len() - terms.len()
    });
    // The range of these numbers is checked when the list is complete.
    [first as u8, terms.len() as u8]
}

fn term_text(term: &Term) -> String {
    let dwords = |bits: u128| [0, 32, 64, 96].map(|n| (bits >> n) as u32);
    format!("Term {{ mask: {:?}, value: {:?} }}", dwords(term.mask), dwords(term.value))
}

/// The operands of one target's operations.
pub struct Operands<'a> {
    lists: Lists<'a>,
    /// The list of each operation, by its index.
    list_of: Vec<u16>,
    /// The lists for instructions in which certain bits have certain values, and the number of rows that the other
    /// lists use.
    fast: Vec<FastOperands>,
    whole: usize,
}

impl<'a> Operands<'a> {
    pub fn new(isa: &'a Isa, t: &'a Target) -> Result<Operands<'a>> {
        let (mut lists, list_of) = lists(isa, t);
        let whole = lists.rows.len() + 1;
        let fast = fast_operands::all(&mut lists);
        let operands = Operands { lists, list_of, fast, whole };
        room(t, "operands in a list", operands.longest() + 1, 4)?;
        room(t, "fast lists of operands", operands.fast.len(), 10)?;
        room(t, "rows of operands", operands.rows(), 10)?;
        Ok(operands)
    }

    /// The number of rows, with the one that ends a list.
    fn rows(&self) -> usize {
        self.lists.rows.len() + 1
    }

    fn longest_of(&self, dual: bool) -> usize {
        self.lists.list.iter().filter(|l| l.dual == dual).map(|l| l.rows.len()).max().unwrap_or(0)
    }

    /// The length of the longest list of an instruction, which may have two operations.
    fn longest(&self) -> usize {
        self.longest_of(false).max(2 * self.longest_of(true))
    }

    /// The lists of operations, in pages: for each page, the number of a stored page, and the lowest list in the page;
    /// and the entries of the stored pages, each relative to that lowest list. Equal pages are stored once.
    fn paged(&self) -> (Vec<(u8, u16)>, Vec<u16>) {
        let mut list_of = self.list_of.clone();
        let last = list_of.last().copied().unwrap_or(0);
        list_of.resize(list_of.len().next_multiple_of(PAGE), last);
        let base = |page: &[u16]| page.iter().copied().min().unwrap_or(0);
        let (numbers, entries) = pages(&list_of, |page| page.iter().map(|n| n - base(page)).collect());
        (numbers.into_iter().zip(list_of.chunks(PAGE)).map(|(n, page)| (n, base(page))).collect(), entries)
    }
}

/// The sizes that fit the tables of all targets.
pub struct Sizes {
    /// The number of bits that a list uses for the number of each row.
    row_bits: u32,
    list: &'static str,
    stored: &'static str,
    index: &'static str,
    fast: usize,
}

impl Sizes {
    pub fn of(all: &[Operands]) -> Sizes {
        let most = |size: &dyn Fn(&Operands) -> usize| all.iter().map(size).max().unwrap_or(0);
        let row_bits = most(&|o| o.rows()).next_power_of_two().trailing_zeros().max(8);
        let ty = |operands: usize| if operands * row_bits as usize <= 64 { "u64" } else { "u128" };
        let span = most(&|o| o.paged().1.into_iter().max().unwrap_or(0).into());
        Sizes {
            row_bits,
            list: ty(most(&|o| o.longest())),
            stored: ty(most(&|o| o.longest_of(false).max(o.longest_of(true)))),
            index: if span <= u8::MAX.into() { "u8" } else { "u16" },
            // A power of two, so that every number of log2(`fast`) bits is a valid index.
            fast: most(&|o| o.fast.len()).next_power_of_two(),
        }
    }

    pub fn write(&self, w: &mut String) {
        let Sizes { row_bits, list, stored, index, fast } = self;
        putln!(w, "#[cfg(not(feature = \"fast\"))]\npub(crate) type ListIndex = {index};");
        putln!(w, "pub(crate) const ROW_BITS: u32 = {row_bits};\npub(crate) type OperandList = {list};");
        putln!(w, "pub(crate) type StoredList = {stored};");
        putln!(w, "#[cfg(feature = \"fast\")]\npub(crate) const FAST_OPERANDS: usize = {fast};");
    }
}

pub fn tables(w: &mut String, isa: &Isa, t: &Target, operands: &Operands, sizes: &Sizes) -> Result<()> {
    let Operands { lists, list_of, fast, whole } = operands;
    putln!(w, "pub(crate) static OPERANDS: OperandTables = OperandTables {{");
    putln!(w, "#[cfg(feature = \"fast\")]\nlist_of: padded(&{list_of:?}, 0),");
    let (numbers, entries) = operands.paged();
    let small = "#[cfg(not(feature = \"fast\"))]";
    putln!(w, "{small}\npages: &{numbers:?},\n{small}\nlist_of: &{entries:?},");
    let numbers: Vec<_> = lists.list.iter().map(|l| fast_operands::list_number(&l.rows, sizes.row_bits)).collect();
    putln!(w, "lists: &{numbers:?},");
    forms(w, lists);
    let (mut descs, mut rows, mut plain) = (Vec::new(), vec!["NO_ROW".to_string()], Vec::new());
    let mut kept_terms = Vec::new();
    for (n, row) in lists.rows.iter().enumerate() {
        // Rows that are used without `fast` have fields of at most 16 bits.
        let most = if n + 1 < *whole { 16 } else { 31 };
        let kept = if let Row::Kept(_, terms) = row { run(&mut kept_terms, terms) } else { [0, 0] };
        let (how, text) = match (row_text(t, row, most, kept), row) {
            (Some(row), _) => row,
            (None, Row::Desc(desc) | Row::Kept(desc, _)) => {
                let number = position(&mut descs, desc_text(&OperandDesc { dwords: 1, ..desc.clone() }));
                ("Other", format!("Row::desc({number}, {}, {kept:?})", desc.dwords))
            }
            (None, Row::Implicit(..) | Row::Off(_)) => unreachable!("it needs no descriptor"),
        };
        plain.push(how == "Value");
        rows.push(text);
    }
    let fast = fast.iter().map(|fast| fast.text(&plain, sizes.row_bits)).collect::<Vec<_>>().join(",\n");
    putln!(w, "#[cfg(feature = \"fast\")]\nfast: padded(&[{fast}], NO_FAST_OPERANDS),");
    putln!(w, "#[cfg(feature = \"fast\")]\nvalues: &{},", values_name(isa, t));
    let (all, some) = (rows.join(",\n"), rows[..*whole].join(",\n"));
    putln!(w, "#[cfg(feature = \"fast\")]\nrows: padded(&[{all}], NO_ROW),\n{small}\nrows: &[{some}],");
    putln!(w, "descs: &[{}],", descs.join(",\n"));
    room(t, "terms of kept parts", kept_terms.len(), 8)?;
    let kept = kept_terms.iter().map(term_text).collect::<Vec<_>>().join(",\n");
    putln!(w, "kept: &[{kept}],");
    let [sgpr_last, ttmp_first, ttmp_last, off] = scalars(t);
    let neither = t.code.neither;
    putln!(w, "sgpr_last: {sgpr_last}, ttmp_first: {ttmp_first}, ttmp_last: {ttmp_last},");
    putln!(w, "off: {off}, neither: {neither},");
    putln!(w, "has_literal64: {}, lanes: {} }};", t.code.literal64 != u16::MAX, t.row.lanes());
    Ok(())
}

/// Writes the lists of all forms except base forms.
fn forms(w: &mut String, lists: &Lists) {
    let of_list = |(list, base): (&List, u16)| {
        // The numbers of lists start at one here: 0 means no list.
        let pair = list.forms.into_iter().zip(1u8..).map(|(of, form)| (form, of));
        let all = pair.chain(list.others.iter().copied()).filter(|(_, of)| *of != 0);
        all.map(|(form, of)| (base, form, of - 1)).collect::<Vec<_>>()
    };
    let all: Vec<_> = lists.list.iter().zip(0..).flat_map(of_list).collect();
    put!(w, "forms: &[");
    for run in all.chunk_by(|a, b| (a.0, a.1 + 1, a.2 + 1) == *b) {
        let ((base, first, list), count) = (run[0], run.len());
        put!(w, "Forms {{ base: {base}, first: {first}, count: {count}, list: {list} }},");
    }
    putln!(w, "],");
}

/// The properties that determine the meaning of codes on a target: the last scalar register, the first and last
/// register of the trap handler, and the code for "no scalar address".
fn scalars(t: &Target) -> [u16; 4] {
    let bounds = |class: &str| t.codes.iter().find(|c| c.class == class).and_then(|c| c.range.of(&t.row.name));
    let sgpr_last = t.sgpr_last();
    let (ttmp_first, ttmp_last) = bounds("ttmp").copied().unwrap_or((512, 0));
    [sgpr_last, ttmp_first, ttmp_last, t.code.off]
}

/// The name of a target's table of values, composed of the properties that determine its contents.
fn values_name(isa: &Isa, t: &Target) -> String {
    let [sgpr_last, ttmp_first, ttmp_last, off] = scalars(t);
    let specials = names::special_codes(isa, &t.row.name).into_iter().map(|code| format!("{code:X}"));
    let long = t.code.literal64;
    format!("VALUES_{sgpr_last}_{ttmp_first}_{ttmp_last}_{off}_{long}_{}", specials.collect::<Vec<_>>().join("_"))
}

/// Writes the meanings of codes: one table for all targets with the same meanings.
pub fn values(w: &mut String, isa: &Isa, targets: &[Target]) {
    let all: BTreeMap<_, _> = targets.iter().map(|t| (values_name(isa, t), t)).collect();
    for (name, t) in all {
        let [sgpr_last, ttmp_first, ttmp_last, off] = scalars(t);
        let specials = names::special_codes(isa, &t.row.name);
        let long = t.code.literal64;
        let value = format!("values({sgpr_last}, {ttmp_first}, {ttmp_last}, {off}, {long}, &{specials:?})");
        putln!(w, "#[cfg(feature = \"fast\")]\nstatic {name}: Values = {value};");
    }
}
