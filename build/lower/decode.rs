//! The data for decoding one target: constraints, the sets of codes to which they refer, and the packing of these sets.
//! `DecodeTables` in src/table/decode.rs describes the tables.

use crate::build::check::layout_assumptions::room;
use crate::build::lower::operands::plain;
use crate::build::lower::pages::{PAGE, number, pages, position};
use crate::build::lower::rules::Rule;
use crate::build::lower::{self, NONE, Target};
use crate::build::model::error::Result;
use crate::build::shared::{constraint_flags, meta};

/// The checked fields of `src/decode.rs`, as (lowest bit, width): the fields whose codes are the reason for nearly all
/// refusals. An opcode space has the checked fields that most of its checks fit; the other checks are made one by one,
/// which takes longer. The rows are, for one dword, scalar and vector operations; for two or more dwords, vector
/// operations, memory, scalar memory (including the register of an offset and the bit that makes it a constant, which
/// have no checks but are used by `build/lower/fast_decode.rs`), two operations in one instruction, and memory with
/// three dwords.
///
/// The order of the fields in a row matters for `build/lower/fast_decode.rs`: each column should have few groups of
/// codes.
pub const CHECKED_FIELDS: [[(u8, u8); 4]; 7] = [
    [(0, 8), (8, 8), (0, 0), (16, 7)],
    [(0, 9), (9, 8), (17, 8), (0, 0)],
    [(32, 9), (41, 9), (50, 9), (0, 8)],
    [(32, 8), (48, 8), (40, 8), (56, 8)],
    [(0, 6), (57, 7), (17, 1), (6, 7)],
    [(32, 9), (0, 9), (0, 0), (0, 0)],
    [(32, 8), (41, 9), (55, 8), (0, 8)],
];

/// The classes of codes that are scalar registers.
pub const SCALARS: [&str; 5] = ["sgpr", "sys", "ttmp", "m0", "exec"];

/// The demands of the decoder on a form of a row. Several signatures can have the same demands.
#[derive(Clone, PartialEq, Eq)]
pub struct Constraints {
    pub zeros: u128,
    pub ones: u128,
    pub ignored_high: u64,
    /// The index in `CHECKED_FIELDS`.
    pub checked: usize,
    /// The set of each checked field.
    pub sets: [u8; 4],
    /// The checks of the first 64 bits for which no checked field is free.
    pub more: Vec<lower::Check>,
    pub high_checks: Vec<lower::Check>,
    pub trailing: u8,
    /// The flags, as `constraint_flags::*`, without `FURTHER`.
    pub flags: u8,
    pub rules: Vec<Rule>,
    pub dwords: u8,
    pub forms: [u16; 2],
    pub trailing_dwords: Vec<TrailingDword>,
    pub parts: (usize, Option<usize>),
}

impl Constraints {
    fn is_further(&self) -> bool {
        self.ones as u64 != 0 || !self.more.is_empty()
    }

    pub fn all_flags(&self) -> u8 {
        self.flags | if self.is_further() { constraint_flags::FURTHER } else { 0 }
    }
}

/// A `lower::TrailingDword`, with the number and the constraints of the form that the dword makes.
#[derive(Clone, PartialEq, Eq)]
pub struct TrailingDword {
    pub field: (u8, u8),
    pub codes: (u16, u16),
    pub dwords: u8,
    pub form: u8,
    pub of: u16,
}

/// The dwords that can follow the base words of any constraints.
pub fn trailings(targets: &[Target]) -> u8 {
    targets.iter().flat_map(|t| &t.constraints).fold(0, |all, c| all | c.trailing)
}

/// The tables of one target, before they are written.
pub struct Tables<'a> {
    pub t: &'a Target<'a>,
    pub constraints: ConstraintTable<'a>,
    /// The constraints of each opcode index.
    pub of_index: Vec<u16>,
    pub pages: Vec<u8>,
    pub constraints_of: Vec<u16>,
    pub code_groups: Vec<u8>,
    pub sets: Vec<u64>,
    pub zeros: Vec<u64>,
    /// The opcode indices and forms with operands whose length depends on other fields, and these operands.
    pub sized: Vec<(usize, u8, Vec<lower::OperandDesc>)>,
}

/// The greatest number of opcode spaces of a target, including the empty one: a power of two, so that a mask makes any
/// number a valid index.
pub fn opcode_spaces(all: &[Tables]) -> usize {
    all.iter().map(|t| t.t.opcode_spaces.len() + 1).max().unwrap_or(1).next_power_of_two()
}

/// The greatest number of constraints of a target.
pub fn constraints(all: &[Tables]) -> usize {
    all.iter().map(|t| t.constraints.list.len()).max().unwrap_or(1)
}

/// The greatest number of constraints of a target's base forms, including those of unused opcode indices.
pub fn of_base_forms(all: &[Tables]) -> usize {
    all.iter().flat_map(|t| &t.of_index).map(|&n| usize::from(n) + 1).max().unwrap_or(1)
}

/// The flags of all constraints, and the kinds of their rules. The code for other flags and kinds is left out.
pub fn needed(all: &[Tables]) -> (u8, u8) {
    let constraints = || all.iter().flat_map(|t| &t.constraints.list);
    let rules = constraints().flat_map(|c| &c.rules).fold(0, |all, rule| all | rule.kind.bit());
    (constraints().fold(0, |all, c| all | c.all_flags()), rules)
}

impl<'a> Tables<'a> {
    pub fn new(t: &'a Target<'a>) -> Result<Self> {
        let mut constraints = ConstraintTable::new(t);
        let mut of_signature = vec![0; t.signatures.len()];
        let mut of_index = vec![0; t.operations.len().next_multiple_of(PAGE)];
        for (f, opcode_space) in t.opcode_spaces.iter().enumerate() {
            let of_space = of_index.iter_mut().zip(&t.operations).skip(opcode_space.base).take(opcode_space.size);
            for (number, operation) in of_space.filter_map(|(number, operation)| Some((number, operation.as_ref()?))) {
                let signature = operation.signature - 1;
                if of_signature[signature] == 0 {
                    of_signature[signature] = constraints.of_signature(signature, constraints.checked[f]);
                }
                *number = of_signature[signature];
            }
        }
        constraints.put_first(&mut of_index);
        constraints.put_in_order();
        let (pages, constraints_of) = pages(&of_index, <[u16]>::to_vec);
        room(t, "opcode indices", t.operations.len() + PAGE, meta::OP_INDEX)?;
        let (code_groups, sets) = constraints.code_groups()?;
        let mut zeros = vec![0];
        let masks = |c: &Constraints| {
            [c.zeros as u64, (c.zeros >> 64) as u64, c.ones as u64, (c.ones >> 64) as u64, c.ignored_high]
        };
        constraints.list.iter().flat_map(masks).for_each(|mask| _ = number(&mut zeros, mask));
        let dwords = t.formats.iter().map(|f| usize::from(f.def.bits / 32)).max().unwrap_or(0);
        room(t, "dwords in a format", dwords + 1, 3)?;
        for (what, n, bits) in
            [("constraints", constraints.list.len(), 16), ("masks", zeros.len(), 8), ("sets", sets.len(), 8)]
        {
            room(t, what, n, bits)?;
        }
        let operations = t.operations.iter().enumerate().filter_map(|(n, operation)| Some((n, operation.as_ref()?)));
        let sized = operations.flat_map(|(n, o)| sized(t, o.signature - 1).map(move |(form, descs)| (n, form, descs)));
        let sized = sized.filter(|(_, _, descs)| !descs.is_empty()).collect();
        Ok(Tables { t, constraints, of_index, pages, constraints_of, code_groups, sets, zeros, sized })
    }
}

pub struct ConstraintTable<'a> {
    t: &'a Target<'a>,
    /// The index in `CHECKED_FIELDS` for each opcode space.
    pub checked: Vec<usize>,
    /// The distinct constraints. The first entry belongs to unused opcode indices.
    pub list: Vec<Constraints>,
    /// The values of a checked field that are in each set. The first set has all values.
    pub sets: Vec<Vec<bool>>,
}

/// For each form of a signature, the operands that `check_length` in src/codec/image.rs checks.
fn sized<'t>(t: &'t Target, signature: usize) -> impl Iterator<Item = (u8, Vec<lower::OperandDesc>)> + use<'t> {
    let of = move |signature: usize| {
        let descs = t.signatures[signature].descs;
        let descs = t.desc_lists[descs.0..descs.0 + descs.1].iter().map(|&n| &t.descs[usize::from(n)]);
        descs.filter(|desc| desc.kind.is_sized()).map(plain).collect()
    };
    let s = &t.signatures[signature];
    let others = s.numbered_trailing().filter(|(_, form)| *form != 0).map(|(dword, form)| (form, dword.form));
    // The numbers of forms' signatures start at one: 0 means no form.
    let all = [(0, signature + 1), (1, s.sdwa), (2, s.dpp)].into_iter().chain(others);
    all.filter_map(move |(form, signature)| Some((form, of(signature.checked_sub(1)?))))
}

/// The number of the checked field that contains the field of a check.
fn field(checked: usize, c: &lower::Check) -> Option<usize> {
    CHECKED_FIELDS[checked].iter().position(|&(lsb, width)| c.hi == NONE && c.lsb == lsb && c.width <= width)
}

impl<'a> ConstraintTable<'a> {
    fn new(t: &'a Target<'a>) -> Self {
        let none = Constraints {
            zeros: 0,
            ones: 0,
            ignored_high: 0,
            checked: 0,
            sets: [0; 4],
            more: Vec::new(),
            high_checks: Vec::new(),
            trailing: 0,
            // No other constraints have this mark at this point, so none of them are equal to these.
            flags: constraint_flags::FURTHER,
            rules: Vec::new(),
            dwords: 1,
            forms: [0; 2],
            trailing_dwords: Vec::new(),
            parts: (0, None),
        };
        let checked = |f: &lower::OpcodeSpace| {
            let signatures = t.operations[f.base..f.base + f.size]
                .iter()
                .flatten()
                .map(|s| &t.constraints[t.signatures[s.signature - 1].constraints]);
            let checks: Vec<_> = signatures.flat_map(|c| &t.checks[c.checks.0..c.checks.0 + c.checks.1]).collect();
            let fit = |checked: usize| checks.iter().filter(|c| field(checked, c).is_some()).count();
            let possible = if f.dwords == 1 { 0..2 } else { 2..CHECKED_FIELDS.len() };
            possible.rev().max_by_key(|&checked| fit(checked)).expect("there are some")
        };
        let checked = t.opcode_spaces.iter().map(checked).collect();
        ConstraintTable { t, checked, list: vec![none], sets: vec![vec![true; 512]] }
    }

    fn of_signature(&mut self, signature: usize, checked: usize) -> u16 {
        let t = self.t;
        let s = &t.signatures[signature];
        let c = &t.constraints[s.constraints];
        // The numbers of forms' signatures start at one: 0 means no form.
        let mut form =
            |signature: usize| signature.checked_sub(1).map_or(0, |signature| self.of_signature(signature, checked));
        let forms = [form(s.sdwa), form(s.dpp)];
        let trailing_dword = |(f, number): (&lower::TrailingDword, u8)| TrailingDword {
            field: (f.lsb, f.width),
            codes: (f.first, f.last),
            dwords: f.dwords,
            form: number,
            of: form(f.form),
        };
        let trailing_dwords = s.numbered_trailing().map(trailing_dword).collect();
        // The name of the field is left out, because the layout determines it.
        let checks = |(first, n): (usize, usize)| {
            let checks = t.checks[first..first + n].iter();
            checks.map(|c| lower::Check { field: String::new(), ..c.clone() }).collect::<Vec<_>>()
        };
        let mut sets = [0; 4];
        let mut more = Vec::new();
        for c in checks(c.checks) {
            match field(checked, &c).filter(|&field| sets[field] == 0) {
                Some(field) => {
                    sets[field] = number(&mut self.sets, checked_set(t, &c, CHECKED_FIELDS[checked][field].1))
                }
                None => more.push(c),
            }
        }
        let dwords = t.formats[s.format].def.bits / 32;
        let constraints = Constraints {
            zeros: c.mask & !c.value,
            ones: c.value,
            ignored_high: (s.ignored >> 64) as u64,
            checked,
            sets,
            more,
            high_checks: checks(c.high_checks),
            trailing: c.trailing,
            // The dwords after the second are checked if this mark is set.
            flags: c.flags | if dwords > 2 { constraint_flags::WIDE } else { 0 },
            rules: c.rules.clone(),
            dwords,
            forms,
            trailing_dwords,
            parts: (s.format, s.extension),
        };
        position(&mut self.list, constraints) as u16
    }

    /// Gives the lowest numbers to the constraints of base forms, so that a byte is enough for most or all of them.
    fn put_first(&mut self, of_index: &mut [u16]) {
        let mut order = vec![0];
        let all = of_index.iter().copied().chain(0..self.list.len() as u16);
        let mut is_new = vec![true; self.list.len()];
        is_new[0] = false;
        order.extend(all.filter(|&n| std::mem::take(&mut is_new[usize::from(n)])));
        let mut new = vec![0; order.len()];
        order.iter().zip(0..).for_each(|(&old, n)| new[usize::from(old)] = n);
        let renumber = |n: &mut u16| *n = new[usize::from(*n)];
        of_index.iter_mut().for_each(renumber);
        self.list = order.iter().map(|&old| self.list[usize::from(old)].clone()).collect();
        for c in &mut self.list {
            c.forms.iter_mut().for_each(renumber);
            c.trailing_dwords.iter_mut().for_each(|dword| renumber(&mut dword.of));
        }
    }

    /// Copies constraints of forms so that the constraints of one list are consecutive: `Trailing` in
    /// src/table/decode.rs has only the first number.
    fn put_in_order(&mut self) {
        for n in 0..self.list.len() {
            let of: Vec<u16> = self.list[n].trailing_dwords.iter().filter(|d| d.form != 0).map(|d| d.of).collect();
            if of.windows(2).all(|two| two[0] + 1 == two[1]) {
                continue;
            }
            let copies: Vec<_> = of.iter().map(|&of| self.list[usize::from(of)].clone()).collect();
            let first = self.list.len() as u16;
            self.list.extend(copies);
            let forms = self.list[n].trailing_dwords.iter_mut().filter(|dword| dword.form != 0);
            forms.zip(first..).for_each(|(dword, of)| dword.of = of);
        }
    }

    /// The group of each value, and each set as a set of groups.
    fn code_groups(&self) -> Result<(Vec<u8>, Vec<u64>)> {
        let (of_code, firsts) = groups(self.sets.iter());
        room(self.t, "groups of operand codes", firsts.len(), 6)?;
        let bits = |set: &Vec<bool>| firsts.iter().enumerate().fold(0, |all, (n, v)| all | u64::from(set[*v]) << n);
        Ok((of_code.into_iter().map(|group| group as u8).collect(), self.sets.iter().map(bits).collect()))
    }
}

/// The group of each code, numbered in the order of the codes, and the first code of each group.
pub fn groups<'a>(sets: impl Iterator<Item = &'a Vec<bool>>) -> (Vec<usize>, Vec<usize>) {
    let (mut of_code, mut firsts) = (vec![0; 512], vec![0]);
    for set in sets {
        // For each group, the new group of its codes outside of the set, and that of its codes in the set.
        let mut parts = vec![[usize::MAX; 2]; firsts.len()];
        firsts.clear();
        for (code, (group, is_in)) in of_code.iter_mut().zip(set).enumerate() {
            let part = &mut parts[*group][usize::from(*is_in)];
            if *part == usize::MAX {
                *part = firsts.len();
                firsts.push(code);
            }
            *group = *part;
        }
    }
    (of_code, firsts)
}

/// The values of a checked field that a check accepts. Bits above a narrower field are ignored.
fn checked_set(t: &Target, c: &lower::Check, width: u8) -> Vec<bool> {
    let count = 1 << width;
    let mut set = set_of(t, c);
    if set.len() < count {
        set = set.repeat(count / set.len());
    }
    set.truncate(count);
    set.resize(512, true);
    set
}

/// The values of a check's field, with its flag on top, that are in its set.
pub fn set_of(t: &Target, c: &lower::Check) -> Vec<bool> {
    let width = c.width + u8::from(c.hi != NONE);
    let set = &t.sets[c.set];
    let code = |value: usize| (value << c.shift) + usize::from(c.add);
    (0..1usize << width).map(|v| set[code(v) / 32 % 16] >> (code(v) % 32) & 1 == 1).collect()
}

/// Sets of field values. Each byte has a bit for each of eight sets, so that one load and one test look a value up.
#[derive(Default)]
pub struct Allowed {
    /// Groups of up to eight sets.
    groups: Vec<Vec<Vec<bool>>>,
}

impl Allowed {
    /// Returns the position of a set, which is added if it is new: the byte of its first value, and its bit.
    pub fn place(&mut self, set: &[bool]) -> (usize, u8) {
        let mut first = 0;
        for group in &mut self.groups {
            if let Some(n) = group.iter().position(|other| other.starts_with(set)) {
                return (first, 1 << n);
            }
            if group.len() < 8 && set.len() <= group[0].len() {
                group.push(set.to_vec());
                return (first, 1 << (group.len() - 1));
            }
            first += group[0].len();
        }
        self.groups.push(vec![set.to_vec()]);
        (first, 1)
    }

    pub fn bytes(&self) -> Vec<u8> {
        let byte = |group: &Vec<Vec<bool>>, v: usize| {
            group.iter().enumerate().fold(0, |byte, (n, set)| byte | u8::from(set.get(v) == Some(&true)) << n)
        };
        self.groups.iter().flat_map(|g| (0..g[0].len()).map(move |v| byte(g, v))).collect()
    }
}

pub fn code_set(t: &Target, constraints: &[&str]) -> [u32; 16] {
    let mut set = [0u32; 16];
    for c in t.codes.iter().filter(|c| constraints.contains(&c.class.as_str())) {
        let &(a, b) = c.range.of(&t.row.name).unwrap();
        (a..=b).for_each(|c| set[usize::from(c) / 32] |= 1 << (c % 32));
    }
    set
}
