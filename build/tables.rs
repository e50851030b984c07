//! Writes the tables of one target: what `src/table.rs` describes.

use std::fmt::Write;

use crate::build::emit::{camel, infos, opcodes};
use crate::build::error::Result;
use crate::build::lower::{self, NONE, Target};
use crate::build::model::*;
use crate::build::{lengths, names};

pub fn target_tables(isa: &Isa, targets: &[Target], t: &Target, abouts: &mut Vec<String>) -> Result<String> {
    let mut out = String::new();
    let w = &mut out;
    writeln!(w, "pub(crate) mod {} {{\nuse super::*;", t.row.name).unwrap();

    writeln!(w, "pub(crate) static DECODE: DecodeTables = DecodeTables {{").unwrap();
    writeln!(w, "lut: {:?},", t.lut).unwrap();
    writeln!(w, "families: [NO_FAMILY,").unwrap();
    for f in &t.families {
        writeln!(
            w,
            "Family {{ base: {}, shapes: {}, op_shift: {}, op_mask: {:#x}, seg: {:#x} }},",
            f.base,
            (f.shape_base as u16).wrapping_sub(1),
            f.op.lsb,
            (1u32 << f.op.width) - 1,
            f.seg.map_or(0, |s| s.lsb | s.width << 5)
        )
        .unwrap();
    }
    for _ in t.families.len() + 1..32 {
        writeln!(w, "NO_FAMILY,").unwrap();
    }
    writeln!(w, "],").unwrap();
    let local: Vec<usize> = (0..t.slots.len())
        .map(|i| {
            let base = t.families.iter().rev().find(|f| f.base <= i).expect("slots start at a family").shape_base;
            t.slots[i].as_ref().map_or(0, |s| s.shape - base)
        })
        .collect();
    writeln!(w, "shape_of: &{local:?},").unwrap();
    writeln!(w, "forms_of: &{:?},", t.shapes.iter().map(|s| [s.sdwa, s.dpp]).collect::<Vec<_>>()).unwrap();
    writeln!(w, "classes: &[").unwrap();
    let mut ones: Vec<u64> = Vec::new();
    for s in &t.shapes {
        let c = &t.classes[s.class];
        let low = c.value as u64;
        let number = ones.iter().position(|v| *v == low).unwrap_or_else(|| {
            ones.push(low);
            ones.len() - 1
        });
        let special = c.special | if low == 0 { 0 } else { 0x8000 };
        let dwords = t.formats[s.format].def.bits / 32;
        writeln!(
            w,
            "Class {{ zeros: {:#x}, ones: {number}, first: {}, checks: {}, tail: {}, special: {special}, dwords: {dwords} }},",
            (c.mask & !c.value) as u64,
            c.checks.0,
            c.checks.1,
            c.tail
        )
        .unwrap();
    }
    writeln!(w, "],\nones: &{ones:?},").unwrap();
    writeln!(w, "checks: &[").unwrap();
    let mut allowed = Allowed::default();
    let sets: Vec<Vec<bool>> = t.checks.iter().map(|c| set_of(t, c)).collect();
    // The longest first: a shorter set may be the beginning of a longer one.
    let mut order: Vec<&Vec<bool>> = sets.iter().collect();
    order.sort_by_key(|s| std::cmp::Reverse(s.len()));
    for set in order {
        allowed.place(set);
    }
    for (c, set) in t.checks.iter().zip(&sets) {
        let (first, bit) = allowed.place(set);
        writeln!(
            w,
            "Check {{ field: Field::{}, lsb: {}, hi: {}, bit: {bit:#x}, mask: {:#x}, first: {first} }},",
            camel(&c.field),
            c.lsb,
            c.hi,
            (1u32 << c.width) - 1,
        )
        .unwrap();
    }
    writeln!(w, "],\nallowed: &{:?},", allowed.bytes()).unwrap();
    let sgpr_ok = code_set(t, &["sgpr", "sys", "ttmp", "m0", "exec"]);
    writeln!(w, "scalars: &{sgpr_ok:?},\nfollows: &[").unwrap();
    for (shape, f) in t.shapes.iter().enumerate().flat_map(|(n, s)| s.follow.iter().map(move |f| (n, f))) {
        let lower::Follow { lsb, width, first, last, form } = f;
        writeln!(
            w,
            "Follow {{ shape: {shape}, lsb: {lsb}, width: {width}, first: {first}, last: {last}, form: {form} }},"
        )
        .unwrap();
    }
    writeln!(w, "],\nwide: &[").unwrap();
    for (shape, s) in t.shapes.iter().enumerate() {
        let c = &t.classes[s.class];
        if c.special & lower::special::WIDE == 0 {
            continue;
        }
        let high = |bits: u128| (bits >> 64) as u32;
        writeln!(
            w,
            "Wide {{ shape: {shape}, first: {}, checks: {}, zeros: {:#x}, ones: {:#x}, ignored: {:#x} }},",
            c.high_checks.0,
            c.high_checks.1,
            high(c.mask & !c.value),
            high(c.value),
            high(s.ignored)
        )
        .unwrap();
    }
    writeln!(w, "] }};").unwrap();

    write!(
        w,
        "pub(crate) static LENGTHS: LengthTables = LengthTables {{ entries: {:?}, others: &[",
        lengths::entries(t)
    )
    .unwrap();
    for (mask, value, tail) in t.families.iter().flat_map(|f| lengths::others(t, f)) {
        write!(w, "Other {{ mask: {mask:#x}, value: {value:#x}, tail: {tail} }},").unwrap();
    }
    writeln!(w, "] }};").unwrap();

    writeln!(w, "pub(crate) static OPERANDS: OperandTables = OperandTables {{ shapes: &[").unwrap();
    for s in &t.shapes {
        let f = camel(&t.formats[s.format].def.name);
        // LLVM prints the suffix with the first operand; v_nop has none.
        let items = &t.item_lists[s.items.0..s.items.0 + s.items.1];
        let operand = items.iter().any(|&n| t.items[usize::from(n)].access.is_some());
        let suffix = if operand { s.suffix } else { 0 };
        let extension = match s.extension {
            Some(x) => format!("Some(Format::{})", camel(&t.formats[x].def.name)),
            None => "None".into(),
        };
        writeln!(
            w,
            "Shape {{ format: Format::{f}, suffix: {}, extension: {extension}, first: {}, items: {}, ignored: {:#x} }},",
            suffix, s.items.0, s.items.1, s.ignored as u64
        )
        .unwrap();
    }
    writeln!(w, "],\nlists: &{:?},\nitems: &[", t.item_lists).unwrap();
    for i in &t.items {
        let (ty, access) = match i.access {
            None => ("B".to_string(), 0),
            Some(a) => (
                camel(&i.ty),
                match a {
                    Access::Read => 1,
                    Access::Write => 2,
                    Access::ReadWrite => 3,
                },
            ),
        };
        writeln!(
            w,
            "Item {{ kind: Kind::{}, field: Field::{}, lsb: {}, width: {}, hi: {}, lo_width: {}, used: {:#x}, shift: {}, add: {}, ty: Ty::{ty}, dwords: {}, access: {access}, cond: {}, aux: {:?} }},",
            camel(&i.kind), camel(&i.field), i.lsb, i.width, i.split.0, i.split.1, i.used, i.shift, i.add, i.dwords, i.cond, i.aux
        )
        .unwrap();
    }
    let code_at: Vec<(u16, &str)> =
        t.codes.iter().map(|c| (c.range.of(&t.row.name).unwrap().0, c.class.as_str())).collect();
    let first = |class: &str| code_at.iter().find(|c| c.1 == class).map_or(512, |c| c.0);
    let last =
        |class: &str| t.codes.iter().find(|c| c.class == class).map_or(0, |c| c.range.of(&t.row.name).unwrap().1);
    writeln!(w, "],\nsgpr_last: {}, ttmp_first: {}, ttmp_last: {},", last("sgpr"), first("ttmp"), last("ttmp"))
        .unwrap();
    writeln!(w, "lanes: {} }};", if t.row.has("wave32") { 32 } else { 64 }).unwrap();

    ops(w, targets, t);
    layout(w, t, abouts);
    names::tables(w, isa, t)?;
    text(w, isa, t)?;
    writeln!(w, "}}").unwrap();
    Ok(out)
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

fn ops(w: &mut String, targets: &[Target], t: &Target) {
    let all: Vec<String> = opcodes(targets).into_iter().collect();
    let infos = infos(targets);
    writeln!(w, "pub(crate) static OPS: OpTables = OpTables {{ opcode_of: &[").unwrap();
    for s in &t.slots {
        match s {
            Some(s) => write!(w, "Some(Opcode::{}),", camel(&s.mnemonic)).unwrap(),
            None => w.push_str("None,"),
        }
    }
    let info_of: Vec<usize> = t
        .slots
        .iter()
        .map(|s| s.as_ref().map_or(0, |s| infos.iter().position(|i| *i == t.infos[s.info]).unwrap()))
        .collect();
    writeln!(w, "], info_of: &{info_of:?},").unwrap();
    // For each opcode, where its slots stand in the list behind it.
    let (mut first, mut slots) = (vec![0usize], Vec::new());
    for name in &all {
        let of = |i: usize, second: bool| {
            let slot = t.slots[i].as_ref();
            slot.is_some_and(|s| if second { s.second.as_ref() == Some(name) } else { &s.mnemonic == name })
        };
        let mut mine: Vec<usize> = (0..t.slots.len()).filter(|&i| of(i, false)).collect();
        // Of the many pairs that an operation is in, one stands for all.
        let mut seen = false;
        mine.retain(|&i| {
            t.slots[i].as_ref().is_some_and(|s| s.second.is_none()) || !std::mem::replace(&mut seen, true)
        });
        if mine.is_empty() {
            mine.extend((0..t.slots.len()).find(|&i| of(i, true)));
        }
        slots.extend(mine);
        first.push(slots.len());
    }
    write!(w, "first: &{first:?}, slots: &{slots:?}, duals: &[").unwrap();
    for f in t.families.iter().filter(|f| f.seg_is == lower::Seg::Second && f.seg.is_some()) {
        write!(w, "Dual {{ base: {}, shift: {}, seconds: &[", f.base, f.op.width).unwrap();
        for y in 0..f.slots >> f.op.width {
            let mut with = (0..1 << f.op.width).filter_map(|x| t.slots[f.base + (y << f.op.width) + x].as_ref());
            match with.next().and_then(|s| s.second.as_ref()) {
                Some(name) => write!(w, "Some(Opcode::{}),", camel(name)).unwrap(),
                None => w.push_str("None,"),
            }
        }
        write!(w, "] }},").unwrap();
    }
    writeln!(w, "] }};").unwrap();
}

/// The facts of all targets' operations, one table for all.
pub fn info_table(w: &mut String, infos: &[lower::Info]) {
    writeln!(w, "pub(crate) static INFOS: &[Info] = &[").unwrap();
    for i in infos {
        writeln!(
            w,
            "Info {{ reads: {:#x}, writes: {:#x}, flags: {:#x}, suffix: {}, respelled: {} }},",
            reg_bits(&i.reads),
            reg_bits(&i.writes),
            flag_bits(&i.flags),
            i.suffix,
            i.respelled
        )
        .unwrap();
    }
    writeln!(w, "];").unwrap();
}

/// The order of `implicit` in src/operand.rs.
fn reg_bits(names: &[String]) -> u16 {
    names.iter().fold(0, |m, n| m | 1 << crate::build::check::IMPLICIT.iter().position(|o| o == n).expect("checked"))
}

/// The order of `flags!` in src/common.rs.
pub const FLAGS: [&str; 22] = [
    "commute",
    "convergent",
    "fpexcept",
    "trans",
    "packed",
    "dot",
    "mfma",
    "smfmac",
    "compare",
    "load",
    "store",
    "atomic",
    "branch",
    "indirect",
    "terminator",
    "call",
    "return",
    "endpgm",
    "barrier",
    "wave_barrier",
    "wait",
    "effects",
];

fn flag_bits(names: &[String]) -> u32 {
    names.iter().fold(0, |m, n| m | 1 << FLAGS.iter().position(|o| o == n).expect("checked"))
}

/// Where every field of every format lies: for errors, `explain` and `locate`.
fn layout(w: &mut String, t: &Target, abouts: &mut Vec<String>) {
    writeln!(w, "pub(crate) static LAYOUT: LayoutTables = LayoutTables {{ formats: &[").unwrap();
    for f in &t.formats {
        writeln!(
            w,
            "Layout {{ format: Format::{}, bits: {}, extension: {}, fields: &[",
            camel(&f.def.name),
            f.def.bits,
            f.def.extension
        )
        .unwrap();
        for (field, bits) in &f.fields {
            let a = bits.pieces[0];
            let b = bits.pieces.get(1).copied().unwrap_or(Piece { lsb: NONE, width: 0 });
            let about = abouts.iter().position(|a| *a == field.about).unwrap_or_else(|| {
                abouts.push(field.about.clone());
                abouts.len() - 1
            });
            writeln!(
                w,
                "FieldInfo {{ field: Field::{}, lsb: {}, width: {}, hi: {}, hi_width: {}, fixed: {:?}, overlay: {}, about: {about} }},",
                camel(&field.name.to_lowercase()), a.lsb, a.width, b.lsb, b.width, bits.fixed.map(|v| v as u16), field.overlay
            )
            .unwrap();
        }
        write!(w, "], extends: &[").unwrap();
        for field in f.def.literals(&t.row.name) {
            write!(w, "(Field::{}, 255, Format::Literal),", camel(field)).unwrap();
        }
        let there = |e: &&Extend| e.is_of(&t.row.name) && t.formats.iter().any(|f| f.def.name == e.format);
        for e in f.def.extends.iter().filter(there) {
            for code in e.code..=e.last_code {
                write!(w, "(Field::{}, {code}, Format::{}),", camel(&e.field), camel(&e.format)).unwrap();
            }
        }
        writeln!(w, "] }},").unwrap();
    }
    writeln!(w, "] }};").unwrap();
}

/// Classes of codes that text shows by their number.
const UNNAMED: [&str; 6] = ["sgpr", "ttmp", "int", "vgpr", "literal", "off"];

fn text(w: &mut String, isa: &Isa, t: &Target) -> Result<()> {
    writeln!(w, "#[cfg(feature = \"text\")]\npub(crate) static TEXT: TextTables = TextTables {{ codes: &[").unwrap();
    for c in &t.codes {
        if UNNAMED.contains(&c.class.as_str()) {
            continue;
        }
        let &(a, b) = c.range.of(&t.row.name).unwrap();
        for code in a..=b {
            writeln!(w, "({code}, {:?}, {:?}),", c.name, c.pair.as_deref().unwrap_or("")).unwrap();
        }
    }
    writeln!(w, "],").unwrap();
    let mut at = [0u8; 256];
    let named = t.codes.iter().filter(|c| !UNNAMED.contains(&c.class.as_str()));
    for (n, code) in named
        .flat_map(|c| {
            let &(a, b) = c.range.of(&t.row.name).unwrap();
            a..=b
        })
        .enumerate()
    {
        // The first name of a code is its name.
        let number = &mut at[usize::from(code) % 256];
        if *number == 0 {
            *number = n as u8 + 1;
        }
    }
    writeln!(w, "code_at: {at:?},").unwrap();
    write!(w, "spellings: &[").unwrap();
    for (i, slot) in t.slots.iter().enumerate() {
        if let Some(spelling) = slot.as_ref().and_then(|s| s.spelling.as_ref()) {
            write!(w, "({i}, {spelling:?}),").unwrap();
        }
    }
    writeln!(w, "],").unwrap();
    // dpp_ctrl64 says which values may stand, not what they are called.
    for e in isa.enums.iter().filter(|e| !e.bits && e.name != "dpp_ctrl64") {
        write!(w, "{}: &[", e.name).unwrap();
        for v in &e.values {
            let Some(cell) = v.value.of(&t.row.name) else { continue };
            write!(w, "({}, {:?}),", crate::build::parse::run(&v.at, cell)?.0, v.name).unwrap();
        }
        writeln!(w, "],").unwrap();
    }
    writeln!(w, "}};").unwrap();
    Ok(())
}
