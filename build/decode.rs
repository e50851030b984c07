//! Writes what `decode` needs of one target: `DecodeTables` in src/table.rs.

use std::fmt::Write;

use crate::build::emit::camel;
use crate::build::error::Result;
use crate::build::lower::{self, NONE, Target, special, tail};
use crate::build::pages::{PAGE, pages};

/// What the decoder asks of a form of a row: shapes differ in more.
#[derive(Clone, PartialEq, Eq)]
struct Class {
    zeros: u128,
    ones: u128,
    ignored_high: u32,
    checks: Vec<u8>,
    flagged: Vec<lower::Check>,
    high_checks: Vec<u8>,
    tail: u8,
    special: u16,
    dwords: u8,
    forms: [u8; 2],
    follows: Vec<Follow>,
    parts: (usize, Option<usize>),
}

/// What `lower::Follow` says, with the number of the form, and its class.
#[derive(Clone, PartialEq, Eq)]
struct Follow {
    field: (u8, u8),
    codes: (u16, u16),
    form: u8,
    of: u8,
}

/// Rules that some class of some target has: the code for the others is left out.
pub fn rules(targets: &[Target]) -> u16 {
    let of = |t: &Target, c: &lower::Class| {
        let checks = &t.checks[c.checks.0..c.checks.0 + c.checks.1];
        let further = c.value as u64 != 0 || checks.len() > 4 || checks.iter().any(|c| c.hi != NONE);
        c.special | if further { special::FURTHER } else { 0 }
    };
    targets.iter().flat_map(|t| t.classes.iter().map(move |c| of(t, c))).fold(0, |all, rules| all | rules)
}

/// All that may stand behind the base words of some class.
pub fn tails(targets: &[Target]) -> u8 {
    targets.iter().flat_map(|t| &t.classes).fold(0, |all, c| all | c.tail)
}

/// The tables of one target, before they are written.
pub struct Tables<'a> {
    t: &'a Target<'a>,
    classes: Classes<'a>,
    pages: Vec<u8>,
    class_of: Vec<u8>,
    allowed: Allowed,
}

/// How long the longest of each table is, as in src/table.rs.
pub struct Sizes([usize; 6]);

const SIZES: [&str; 6] = ["FAMILIES", "PAGES", "CLASS_OF", "CLASSES", "CHECKS", "ALLOWED"];

impl Sizes {
    pub fn of(all: &[Tables]) -> Sizes {
        let mut most = all.iter().fold([1; 6], |most, t| std::array::from_fn(|i| most[i].max(t.sizes()[i])));
        // A power of two, so that a number of some bits is always one of them.
        most[0] = most[0].next_power_of_two();
        Sizes(most)
    }

    pub fn emit(&self, w: &mut String) {
        for (name, n) in SIZES.iter().zip(self.0) {
            writeln!(w, "pub(crate) const {name}: usize = {n};").unwrap();
        }
    }
}

/// The entries of an array, as many as it has room for.
fn filled(entries: impl ExactSizeIterator<Item = String>, none: &str, room: usize) -> String {
    let missing = room - entries.len();
    entries.map(|e| e + ",\n").chain(std::iter::repeat_n(none.to_string() + ",", missing)).collect()
}

fn numbers<T: ToString>(list: &[T], room: usize) -> String {
    filled(list.iter().map(T::to_string), "0", room).replace('\n', "")
}

impl<'a> Tables<'a> {
    pub fn new(t: &'a Target<'a>) -> Result<Self> {
        let mut classes = Classes::new(t);
        let of_shape: Vec<u8> = (0..t.shapes.len()).map(|s| classes.of_shape(s)).collect();
        if classes.list.len() > 255 || classes.checks.len() > 253 {
            return t.row.at.err("more classes or checks than a byte can number");
        }
        let mut of_slot: Vec<u8> =
            t.slots.iter().map(|s| s.as_ref().map_or(0, |s| of_shape[s.shape - 1])).collect();
        of_slot.resize(of_slot.len().next_multiple_of(PAGE), 0);
        let (pages, class_of) = pages(&of_slot, <[u8]>::to_vec);
        let mut allowed = Allowed::default();
        let flagged = classes.list.iter().flat_map(|c| &c.flagged);
        let mut sets: Vec<Vec<bool>> = classes.checks.iter().chain(flagged).map(|c| set_of(t, c)).collect();
        // The longest first: a shorter set may be the beginning of a longer one.
        sets.sort_by_key(|s| std::cmp::Reverse(s.len()));
        for set in &sets {
            allowed.place(set);
        }
        Ok(Tables { t, classes, pages, class_of, allowed })
    }

    fn sizes(&self) -> [usize; 6] {
        let allowed = self.allowed.bytes().len();
        let (classes, checks) = (self.classes.list.len(), self.classes.checks.len() + 2);
        [self.t.families.len() + 1, self.pages.len(), self.class_of.len(), classes, checks, allowed]
    }

    pub fn emit(&mut self, w: &mut String, sizes: &Sizes) -> Result<()> {
        let [families, pages, class_of, classes, checks, allowed] = sizes.0;
        let family = |f: &lower::Family| {
            let (op_mask, seg) = ((1u32 << f.op.width) - 1, f.seg.map_or(0, |s| s.lsb | s.width << 5));
            format!("Family {{ base: {}, op_mask: {op_mask:#x}, op_shift: {}, seg: {seg:#x} }}", f.base, f.op.lsb)
        };
        writeln!(w, "pub(crate) static DECODE: DecodeTables = DecodeTables {{\nleads: {:?},", leads(self.t)).unwrap();
        let list = filled(self.t.families.iter().map(family), "NO_FAMILY", families - 1);
        writeln!(w, "families: [NO_FAMILY, {list}],").unwrap();
        writeln!(w, "pages: [{}],\nclass_of: [{}],", numbers(&self.pages, pages), numbers(&self.class_of, class_of))
            .unwrap();
        let (list, forms) = self.classes.emit()?;
        writeln!(w, "classes: [{}],\nforms: &{forms:?},", filled(list.into_iter(), "NO_CLASS", classes)).unwrap();
        let list: Vec<String> = self.classes.checks.iter().map(|c| check(self.t, &mut self.allowed, c)).collect();
        let list = filled(list.into_iter(), "NO_CHECK", checks - 2);
        writeln!(w, "checks: [NO_CHECK, NO_CHECK, {list}],\nflagged: &[").unwrap();
        for (class, c) in self.classes.list.iter().enumerate().flat_map(|(n, c)| c.flagged.iter().map(move |f| (n, f))) {
            let check = check(self.t, &mut self.allowed, c);
            writeln!(w, "({class}, {check}, {}),", c.hi).unwrap();
        }
        writeln!(w, "],\nallowed: [{}],", numbers(&self.allowed.bytes(), allowed)).unwrap();
        let scalars = code_set(self.t, &["sgpr", "sys", "ttmp", "m0", "exec"]);
        writeln!(w, "scalars: &{scalars:?},").unwrap();
        self.classes.emit_rare(w);
        field_maps(w, self.t);
        writeln!(w, "}};").unwrap();
        Ok(())
    }
}

fn check(t: &Target, allowed: &mut Allowed, c: &lower::Check) -> String {
    let (first, bit) = allowed.place(&set_of(t, c));
    let mask = (1u32 << c.width) - 1;
    // Those of the third dword count from its start.
    format!("Check {{ lsb: {}, bit: {bit:#x}, mask: {mask:#x}, first: {first} }}", c.lsb % 64)
}

struct Classes<'a> {
    t: &'a Target<'a>,
    /// The first is that of no operation.
    list: Vec<Class>,
    /// Counted from two.
    checks: Vec<lower::Check>,
}

impl<'a> Classes<'a> {
    fn new(t: &'a Target<'a>) -> Self {
        let none = Class {
            zeros: 0,
            ones: 0,
            ignored_high: 0,
            checks: vec![1],
            flagged: Vec::new(),
            high_checks: Vec::new(),
            tail: 0,
            special: 0,
            dwords: 1,
            forms: [0; 2],
            follows: Vec::new(),
            parts: (0, None),
        };
        Classes { t, list: vec![none], checks: Vec::new() }
    }

    fn of_shape(&mut self, shape: usize) -> u8 {
        let s = &self.t.shapes[shape];
        let c = &self.t.classes[s.class];
        // A shape is counted from one where it can be missing.
        let mut form = |shape: usize| shape.checked_sub(1).map_or(0, |shape| self.of_shape(shape));
        let forms = [form(s.sdwa), form(s.dpp)];
        let follows = s.numbered_follows();
        let follow = |(f, number): (&lower::Follow, u8)| Follow {
            field: (f.lsb, f.width),
            codes: (f.first, f.last),
            form: number,
            of: form(f.form),
        };
        let follows = follows.map(follow).collect();
        let (checks, flagged) = self.checks(c.checks);
        let class = Class {
            zeros: c.mask & !c.value,
            ones: c.value,
            ignored_high: (s.ignored >> 64) as u32,
            checks,
            flagged,
            high_checks: self.checks(c.high_checks).0,
            tail: c.tail,
            special: c.special,
            dwords: self.t.formats[s.format].def.bits / 32,
            forms,
            follows,
            parts: (s.format, s.extension),
        };
        number(&mut self.list, class)
    }

    /// The plain ones, and those with a flag on top.
    fn checks(&mut self, (first, n): (usize, usize)) -> (Vec<u8>, Vec<lower::Check>) {
        // Which field it is of, the layout tells.
        let checks = self.t.checks[first..first + n].iter();
        let checks = checks.map(|c| lower::Check { field: String::new(), ..c.clone() });
        let (plain, flagged): (Vec<_>, Vec<_>) = checks.partition(|c| c.hi == NONE);
        (plain.into_iter().map(|c| number(&mut self.checks, c) + 2).collect(), flagged)
    }

    /// The classes, and the pairs of forms.
    fn emit(&self) -> Result<(Vec<String>, Vec<[u8; 2]>)> {
        let mut pairs = vec![[0, 0]];
        let class = |c: &Class| {
            let forms = number(&mut pairs, c.forms);
            let further = c.ones as u64 != 0 || c.checks.len() > 4 || !c.flagged.is_empty();
            let special = c.special | if further { special::FURTHER } else { 0 };
            if c.checks.len() > 8 || c.high_checks.len() > 4 || c.dwords > 3 {
                return self
                    .t
                    .row
                    .at
                    .err("a form has more checks, or its format more dwords, than src/table.rs has room for");
            }
            let two = if c.dwords > 1 { tail::TWO } else { 0 };
            let (zeros, checks, tail) = (c.zeros as u64, four(&c.checks, 0), c.tail | two);
            Ok(format!(
                "Class {{ zeros: {zeros:#x}, checks: {checks:?}, special: {special}, tail: {tail}, forms: {forms} }}"
            ))
        };
        let list = self.list.iter().map(class).collect::<Result<_>>()?;
        Ok((list, pairs))
    }

    /// What few classes have.
    fn emit_rare(&self, w: &mut String) {
        let all = || self.list.iter().enumerate();
        let more: Vec<_> = all().filter(|(_, c)| c.checks.len() > 4).map(|(n, c)| (n, four(&c.checks, 4))).collect();
        let ones: Vec<_> = all().filter(|(_, c)| c.ones as u64 != 0).map(|(n, c)| (n, c.ones as u64)).collect();
        writeln!(w, "more: &{more:?},\nones: &{ones:?},\nfollows: &[").unwrap();
        for (class, f) in all().flat_map(|(n, c)| c.follows.iter().map(move |f| (n, f))) {
            let Follow { field: (lsb, width), codes: (first, last), form, of } = f;
            writeln!(w, "Follow {{ class: {class}, lsb: {lsb}, width: {width}, form: {form}, first: {first}, last: {last}, of: {of} }},").unwrap();
        }
        writeln!(w, "],\nwide: &[").unwrap();
        let high = |bits: u128| (bits >> 64) as u32;
        for (class, c) in all().filter(|(_, c)| c.special & special::WIDE != 0) {
            let (checks, zeros, ones) = (four(&c.high_checks, 0), high(c.zeros), high(c.ones));
            let ignored = c.ignored_high;
            writeln!(w, "Wide {{ class: {class}, checks: {checks:?}, zeros: {zeros:#x}, ones: {ones:#x}, ignored: {ignored:#x} }},").unwrap();
        }
        let mut parts = Vec::new();
        let of: Vec<u8> = self.list.iter().map(|c| number(&mut parts, c.parts)).collect();
        writeln!(w, "],\nparts_of: &{of:?},\nparts: &[").unwrap();
        let name = |f: usize| format!("Format::{}", camel(&self.t.formats[f].def.name));
        for (base, extension) in parts {
            let extension = extension.map_or("None".into(), |f| format!("Some({})", name(f)));
            writeln!(w, "({}, {extension}),", name(base)).unwrap();
        }
        writeln!(w, "],").unwrap();
    }
}

/// The number of an equal thing in the list, at whose end it is put if there is none.
pub fn number<T: PartialEq>(list: &mut Vec<T>, value: T) -> u8 {
    let at = list.iter().position(|other| *other == value).unwrap_or_else(|| {
        list.push(value);
        list.len() - 1
    });
    at.min(255) as u8
}

fn four(numbers: &[u8], from: usize) -> [u8; 4] {
    std::array::from_fn(|i| numbers.get(from + i).copied().unwrap_or(0))
}

/// What the top nine bits say: the family, and `lead` in src/table.rs.
fn leads(t: &Target) -> Vec<u8> {
    const ASK: u8 = 0x40;
    const TWO: u8 = 0x80;
    let of = |&number: &u8| {
        let Some(family) = usize::from(number).checked_sub(1).map(|n| &t.families[n]) else { return 0 };
        let slots = t.slots[family.base..family.base + family.slots].iter().flatten();
        let tails = slots.fold(0, |all, s| all | t.classes[t.shapes[s.shape - 1].class].tail);
        let lead = match family.dwords {
            2 if tails == 0 => TWO,
            1 if tails & (tail::ALWAYS | tail::LIST) == 0 => 0,
            _ => ASK,
        };
        number | lead
    };
    t.lut.iter().map(of).collect()
}

/// Which field each bit of a format is of.
fn field_maps(w: &mut String, t: &Target) {
    writeln!(w, "fields: &[").unwrap();
    for f in &t.formats {
        let all = f.fields.iter().filter(|(field, _)| !field.overlay);
        let mut pieces: Vec<(u8, String)> =
            all.flat_map(|(x, b)| b.pieces.iter().map(|p| (p.lsb, camel(&x.name.to_lowercase())))).collect();
        pieces.sort();
        write!(w, "FieldMap {{ format: Format::{}, dwords: {}, fields: &[", camel(&f.def.name), f.def.bits / 32).unwrap();
        pieces.iter().for_each(|(lsb, name)| write!(w, "(Field::{name}, {lsb}),").unwrap());
        writeln!(w, "] }},").unwrap();
    }
    writeln!(w, "],").unwrap();
}
/// Which values of a check's field, with its flag on top, are in its set.
fn set_of(t: &Target, c: &lower::Check) -> Vec<bool> {
    let width = c.width + u8::from(c.hi != NONE);
    let set = &t.sets[c.set];
    let code = |value: usize| (value << c.shift) + usize::from(c.add);
    (0..1usize << width).map(|v| set[code(v) / 32 % 16] >> (code(v) % 32) & 1 == 1).collect()
}

/// Sets of field values, eight side by side: one load and one test look a value up.
#[derive(Default)]
struct Allowed {
    /// Groups of up to eight sets.
    groups: Vec<Vec<Vec<bool>>>,
}

impl Allowed {
    /// Where the set lies: the byte of its first value, and its bit.
    fn place(&mut self, set: &[bool]) -> (usize, u8) {
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

    fn bytes(&self) -> Vec<u8> {
        let byte = |group: &Vec<Vec<bool>>, v: usize| {
            group.iter().enumerate().fold(0, |byte, (n, set)| byte | u8::from(set.get(v) == Some(&true)) << n)
        };
        self.groups.iter().flat_map(|g| (0..g[0].len()).map(move |v| byte(g, v))).collect()
    }
}

fn code_set(t: &Target, classes: &[&str]) -> [u32; 16] {
    let mut set = [0u32; 16];
    for c in t.codes.iter().filter(|c| classes.contains(&c.class.as_str())) {
        let &(a, b) = c.range.of(&t.row.name).unwrap();
        (a..=b).for_each(|c| set[usize::from(c) / 32] |= 1 << (c % 32));
    }
    set
}

