//! The operands of each form: lists of rows, which many forms share.

use std::collections::HashMap;

use crate::build::kind::{NumberKind, OperandKind, PartsKind, RegisterKind, Signs};
use crate::build::lower::kept::{Term, terms};
use crate::build::lower::pages::position;
use crate::build::lower::{FormSignature, Info, NONE, OperandDesc, Operation, Target, trailing};
use crate::build::model::{Access, Isa};
use crate::build::shared::{IMPLICIT, IN_HWREG};

/// The operands of a form.
#[derive(Clone, PartialEq)]
pub struct List {
    /// The numbers of the operands' rows in `Lists::rows`, counted from one.
    pub rows: Vec<u16>,
    pub forms: [u16; 2],
    pub others: Vec<(u8, u16)>,
    /// The number of dwords, without a literal that a field announces.
    pub dwords: u8,
    /// Whether the list is for one of two operations in an instruction.
    pub dual: bool,
}

/// An operand: a descriptor or an implicit register.
#[derive(Clone, PartialEq)]
pub enum Row {
    Desc(OperandDesc),
    /// An operand that instructions write only in part if their words are in one of the terms. These instructions also
    /// read the operand.
    Kept(OperandDesc, Vec<Term>),
    /// An operand that is known to be absent, because other bits are known.
    Off(OperandDesc),
    /// A register that no field names: index in `IMPLICIT` and width in bits, access, and the instructions that access
    /// it.
    Implicit((usize, u16), Access, When),
}

impl Row {
    /// The row of an operand; `terms` are the words of the instructions that keep a part of it.
    pub fn of(desc: OperandDesc, terms: Vec<Term>) -> Row {
        if terms.is_empty() { Row::Desc(desc) } else { Row::Kept(desc, terms) }
    }
}

/// The instructions that access a register that no field names.
#[derive(Clone, Copy, PartialEq)]
pub enum When {
    Always,
    /// Only instructions with this bit set.
    Bit(u8),
    /// Only instructions whose constant names a hardware register with a number from the first to the last.
    Hwreg(u8, u8),
}

pub struct Lists<'a> {
    pub isa: &'a Isa,
    pub t: &'a Target<'a>,
    pub rows: Vec<Row>,
    pub list: Vec<List>,
}

impl Lists<'_> {
    /// The number of the list of a signature's operands, counted from one; 0 if there is no signature.
    fn of(&mut self, signature: usize, info: &Info) -> u16 {
        let Some(s) = signature.checked_sub(1).map(|n| &self.t.signatures[n]) else { return 0 };
        let forms = [self.of(s.sdwa, info), self.of(s.dpp, info)];
        let others =
            s.numbered_trailing().filter(|o| o.1 != 0).map(|(f, form)| (form, self.of(f.form, info))).collect();
        let numbers = self.t.desc_lists[s.descs.0..s.descs.0 + s.descs.1].iter();
        let descs: Vec<&OperandDesc> = numbers.map(|&n| &self.t.descs[usize::from(n)]).collect();
        let implicit = implicit(self.isa, self.t, info, &descs);
        let row = |desc: &OperandDesc| Row::of(plain(desc), terms(self.t, s, info, desc));
        let all = descs.into_iter().filter(|i| is_operand(i)).map(row).chain(implicit);
        let rows = all.map(|row| position(&mut self.rows, row) as u16 + 1).collect();
        let dual = self.t.formats[s.format].def.dual.is_some();
        position(&mut self.list, List { rows, forms, others, dwords: dwords(self.t, s), dual }) as u16 + 1
    }
}

/// Whether the descriptor is an operand: neither a modifier nor the mark between two operations.
fn is_operand(desc: &OperandDesc) -> bool {
    desc.access.is_some() && desc.kind != OperandKind::Second
}

/// The registers that no field names.
fn implicit(isa: &Isa, t: &Target, info: &Info, descs: &[&OperandDesc]) -> Vec<Row> {
    // A vcc that the text shows is not also implicit, and vcc is not written if SDWA names another register.
    let shown = |access: fn(Access) -> bool| descs.iter().any(|i| i.kind.is_vcc() && i.access.is_some_and(access));
    let shown = (shown(Access::reads), shown(Access::writes));
    // If the operation has an lds bit, m0 is the address in LDS, so m0 is read only if the bit is set.
    let lds = descs.iter().find_map(|i| match i.kind {
        OperandKind::Register(RegisterKind::Data { lds, .. }) => Some(lds).filter(|&lds| lds != NONE),
        _ => None,
    });
    // In an export, m0 is the row, and is read only if the bit row_en is set.
    let row = descs.iter().find(|i| i.field == "row_en").map(|i| i.lsb);
    let m0_if = lds.or(row).map(When::Bit);
    let names_one = descs.iter().any(|i| i.kind == OperandKind::Number(NumberKind::Parts(PartsKind::Hwreg)));
    let saved = descs.iter().find(|i| i.field == "sdst" && i.access == Some(Access::Write));
    let saved = saved.map(|i| u16::from(i.dwords) * 32);
    let mut rows = Vec::new();
    for (n, name) in IMPLICIT.iter().enumerate() {
        let (reads, writes) = (info.reads.iter().any(|r| r == name), info.writes.iter().any(|r| r == name));
        let is_vcc = *name == "vcc";
        let Some(access) = Access::of(reads && !(is_vcc && shown.0), writes && !(is_vcc && shown.1)) else { continue };
        let bits = match *name {
            "scc" => 1,
            // Scalar operations read and write as many bits of exec as they save.
            "exec" => saved.filter(|_| info.writes.iter().any(|r| r == name)).unwrap_or(t.row.lanes().into()),
            "vcc" => t.row.lanes().into(),
            "flat_scr" | "xnack" => 64,
            _ => 32,
        };
        let mut add = |when| rows.push(Row::Implicit((n, bits), access, when));
        let holding = IN_HWREG.iter().filter(|of| names_one && of.0 == *name);
        let numbers = || holding.clone().filter_map(|of| hwreg(isa, t, of.1));
        match m0_if {
            Some(when) if *name == "m0" => add(when),
            _ if holding.clone().next().is_none() => add(When::Always),
            _ => runs(numbers()).into_iter().for_each(|(first, last)| add(When::Hwreg(first, last))),
        }
    }
    rows
}

/// The runs of neighbouring numbers, each as its first and last number.
fn runs(numbers: impl Iterator<Item = u8>) -> Vec<(u8, u8)> {
    let mut runs: Vec<(u8, u8)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    runs
}

/// The number of a hardware register; `None` if the target lacks it.
fn hwreg(isa: &Isa, t: &Target, name: &str) -> Option<u8> {
    let mut values = isa.enums.iter().filter(|e| e.name == "hwreg" && !e.bits).flat_map(|e| &e.values);
    values.find(|value| value.name == name)?.value.of(&t.row.name)?.parse().ok()
}

/// A descriptor without the parts that only matter for text: the type of constants, and the signs of sources.
pub fn plain(desc: &OperandDesc) -> OperandDesc {
    OperandDesc { kind: desc.kind.with_signs(Signs::ABSENT), ty: "bits".into(), used_bits: 0, ..desc.clone() }
}

/// The number of base dwords, and of the dwords of a literal that always follows.
fn dwords(t: &Target, s: &FormSignature) -> u8 {
    let always = t.constraints[s.constraints].trailing & trailing::ALWAYS != 0;
    t.formats[s.format].def.bits / 32 + u8::from(always)
}

/// All lists, and the list of each opcode index.
pub fn lists<'a>(isa: &'a Isa, t: &'a Target) -> (Lists<'a>, Vec<u16>) {
    let mut lists = Lists { isa, t, rows: Vec::new(), list: Vec::new() };
    let mut known = HashMap::new();
    // An opcode index without an operation has the list of the operation before it. Nothing reads this entry.
    let mut last = 0;
    let mut list_of = Vec::new();
    for operation in &t.operations {
        if let Some(Operation { signature, info, .. }) = operation {
            last = *known
                .entry((signature, info))
                .or_insert_with(|| lists.of(*signature, &t.infos[*info]).saturating_sub(1));
        }
        list_of.push(last);
    }
    (lists, list_of)
}
