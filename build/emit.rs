//! Writes the tables of every enabled target, and the enums that all targets share.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::build::error::Result;
use crate::build::lower::{self, NONE, Target};
use crate::build::model::*;
use crate::build::{names, roster, types};

pub fn all(isa: &Isa, targets: &[Target]) -> Result<Vec<(String, String)>> {
    let mut files =
        vec![("common.rs".to_string(), common(isa, targets)), ("targets.rs".to_string(), target_enum(targets))];
    let mut tables = String::new();
    info_table(&mut tables, &infos(targets));
    // What no enabled target needs is left out of the code.
    let unknown = targets.iter().any(|t| lengths(t).contains(&UNKNOWN));
    writeln!(tables, "pub(crate) const ANY_UNKNOWN_LENGTH: bool = {unknown};").unwrap();
    let sized = targets.iter().flat_map(|t| &t.classes).any(|c| c.special & lower::special::SIZED != 0);
    let wide = targets.iter().flat_map(|t| &t.items).any(|i| i.lsb >= 64);
    writeln!(tables, "pub(crate) const ANY_SIZED: bool = {sized};\npub(crate) const ANY_WIDE: bool = {wide};").unwrap();
    let mut abouts = vec![String::new()];
    for t in targets {
        tables += &target_tables(isa, targets, t, &mut abouts)?;
    }
    writeln!(tables, "pub(crate) static ABOUTS: &[&str] = &{abouts:?};").unwrap();
    files.push(("tables.rs".to_string(), tables));
    files.push(("types.rs".to_string(), types::all(isa, targets)));
    files.push(("roster.rs".to_string(), roster::all(targets)));
    Ok(files)
}

/// `s_add_u32` -> `SAddU32`, `VOP3P-MAI` -> `Vop3pMai`
pub fn camel(name: &str) -> String {
    let mut out = String::new();
    for part in name.split(['_', '-']) {
        let mut chars = part.chars();
        if let Some(c) = chars.next() {
            // A digit needs a separator where the split took one: `x_2b_1` and `x_2b1` are two names.
            if c.is_ascii_digit() && out.ends_with(|l: char| l.is_ascii_digit()) {
                out.push('_');
            }
            out.extend(c.to_uppercase());
            out.push_str(&chars.as_str().to_lowercase());
        }
    }
    out
}

/// All opcodes of the enabled targets, in the order of their names.
fn opcodes(targets: &[Target]) -> BTreeSet<String> {
    let slots = targets.iter().flat_map(|t| t.slots.iter().flatten());
    slots.flat_map(|s| std::iter::once(&s.mnemonic).chain(&s.second)).cloned().collect()
}

/// Every field name of the tables, of whatever target: hand-written code may name one in any build.
fn fields(isa: &Isa) -> BTreeSet<String> {
    let mut all: BTreeSet<String> = isa.formats.iter().flat_map(|f| &f.fields).map(|f| f.name.to_lowercase()).collect();
    all.insert("vcc".into());
    // Parts of constants, which are named in errors; `rest` is what belongs to none.
    all.extend(isa.enums.iter().filter(|e| e.bits).flat_map(|e| &e.values).map(|v| v.name.clone()));
    all.insert("rest".into());
    all
}

fn names_fn(out: &mut String, name: &str, doc: &str, list: &[String]) {
    // What reads a name reads 48 bytes from its start.
    assert!(list.iter().all(|s| s.len() <= 48));
    let blob = list.concat() + &" ".repeat(48);
    let mut ends = vec![0usize];
    for s in list {
        ends.push(ends.last().unwrap() + s.len());
    }
    writeln!(out, "/// {doc}\n#[cfg(feature = \"text\")]\npub(crate) static {name}: &str = \"{blob}\";").unwrap();
    writeln!(out, "#[cfg(feature = \"text\")]\npub(crate) static {name}_AT: [u16; {}] = {ends:?};", ends.len())
        .unwrap();
}

fn common(isa: &Isa, targets: &[Target]) -> String {
    let mut out = String::new();
    let ops: Vec<String> = opcodes(targets).into_iter().collect();
    out += "/// An operation, whatever its encoding and its number in a target.\n///\n";
    out += "/// The variants are those of the enabled targets; their order is that of the names and may change.\n";
    out += "#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]\n#[non_exhaustive]\n";
    // An enum without variants can have no representation.
    out += if ops.is_empty() { "" } else { "#[repr(u16)]\n" };
    out += "#[allow(missing_docs)]\npub enum Opcode {\n";
    for op in &ops {
        writeln!(out, "    /// `{op}`\n    {},", camel(op)).unwrap();
    }
    out += "}\n";
    writeln!(
        out,
        "impl Opcode {{\n    /// Every operation of the enabled targets.\n    pub const ALL: &'static [Opcode] = &["
    )
    .unwrap();
    for op in &ops {
        write!(out, "Opcode::{}, ", camel(op)).unwrap();
    }
    out += "];\n}\n";
    names_fn(&mut out, "MNEMONICS", "Names of all opcodes, one behind the other.", &ops);

    out += "/// A microcode format of the manual.\n#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]\n#[non_exhaustive]\n#[repr(u8)]\npub enum Format {\n";
    let mut formats: Vec<&Format> = isa.formats.iter().collect();
    formats.sort_by_key(|f| &f.name);
    for f in &formats {
        writeln!(out, "    /// {} ({} bits)\n    {},", f.about, f.bits, camel(&f.name)).unwrap();
    }
    out += "}\n";
    let names: Vec<String> = formats.iter().map(|f| f.name.clone()).collect();
    writeln!(out, "pub(crate) static FORMAT_NAMES: [&str; {}] = {names:?};", names.len()).unwrap();

    let fields: Vec<String> = fields(isa).into_iter().collect();
    out += "/// The name of a field of a microcode format.\n#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]\n#[non_exhaustive]\n#[repr(u8)]\n#[allow(missing_docs)]\npub enum Field {\n";
    for f in &fields {
        writeln!(out, "    {},", camel(f)).unwrap();
    }
    out += "}\n";
    writeln!(out, "pub(crate) static FIELD_NAMES: [&str; {}] = {fields:?};", fields.len()).unwrap();

    names::common(&mut out, isa);
    out
}

/// The distinct infos of all targets, so that targets share them.
fn infos(targets: &[Target]) -> Vec<lower::Info> {
    let mut all = Vec::new();
    for i in targets.iter().flat_map(|t| &t.infos) {
        if !all.contains(i) {
            all.push(i.clone());
        }
    }
    all
}

fn target_enum(targets: &[Target]) -> String {
    let mut out = String::new();
    out += "/// A GPU target that this build knows.\n#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]\n#[non_exhaustive]\n";
    out += if targets.is_empty() { "" } else { "#[repr(u8)]\n" };
    out += "pub enum Target {\n";
    for t in targets {
        let others = t.row.aliases.join("`, `");
        writeln!(out, "    /// {}; also called `{others}`.\n    {},", t.row.generation, camel(&t.row.name)).unwrap();
    }
    out += "}\n";
    let variants: Vec<String> = targets.iter().map(|t| format!("Target::{}", camel(&t.row.name))).collect();
    writeln!(
        out,
        "impl Target {{\n    /// Every target of this build.\n    pub const ALL: &'static [Target] = &[{}];\n}}",
        variants.join(", ")
    )
    .unwrap();
    writeln!(out, "pub(crate) static TARGETS: [TargetInfo; {}] = [", targets.len()).unwrap();
    for t in targets {
        let a: Vec<String> = t.row.aliases.iter().map(|a| format!("{a:?}")).collect();
        writeln!(
            out,
            "    TargetInfo {{ name: {:?}, generation: {:?}, mach: &{:?}, aligned_vgprs: {}, partial: {}, aliases: &[{}] }},",
            t.row.name,
            t.row.generation,
            t.row.mach,
            t.row.has("aligned-vgprs"),
            t.row.feature() != t.row.name,
            a.join(", ")
        )
        .unwrap();
    }
    out += "];\n";
    for (name, ty) in [
        ("LENGTHS", "LengthTables"),
        ("DECODE", "DecodeTables"),
        ("OPERANDS", "OperandTables"),
        ("OPS", "OpTables"),
        ("LAYOUT", "LayoutTables"),
        ("IMMS", "ImmTables"),
        ("NAMES", "NameTables"),
    ] {
        let refs: Vec<String> = targets.iter().map(|t| format!("&{}::{name}", t.row.name)).collect();
        writeln!(out, "pub(crate) static {name}: [&{ty}; {}] = [{}];", targets.len(), refs.join(", ")).unwrap();
    }
    let refs: Vec<String> = targets.iter().map(|t| format!("&{}::TEXT", t.row.name)).collect();
    writeln!(
        out,
        "#[cfg(feature = \"text\")]\npub(crate) static TEXT: [&TextTables; {}] = [{}];",
        targets.len(),
        refs.join(", ")
    )
    .unwrap();
    out
}

fn target_tables(isa: &Isa, targets: &[Target], t: &Target, abouts: &mut Vec<String>) -> Result<String> {
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

    write!(w, "pub(crate) static LENGTHS: LengthTables = LengthTables {{ entries: {:?}, others: &[", lengths(t))
        .unwrap();
    for (mask, value, tail) in t.families.iter().flat_map(|f| others(t, f)) {
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

/// For each value of the top nine bits what `length` in src/table.rs says.
fn lengths(t: &Target) -> Vec<u8> {
    const ONE: u8 = 0x40;
    const TWO: u8 = 0x80;
    const ASK: u8 = 0xc0;
    let of = |top: usize| {
        let Some(family) = usize::from(t.lut[top]).checked_sub(1).map(|n| &t.families[n]) else { return 0 };
        // The opcodes that these nine bits leave possible.
        let seg_slots = 1usize << family.seg.map_or(0, |s| s.width);
        let ops = (0..1usize << family.op.width).filter(|&op| {
            let (word, mask) = (op << family.op.lsb, ((1usize << family.op.width) - 1) << family.op.lsb);
            (word ^ top << 23) & mask & 0xff80_0000 == 0
        });
        let slots = ops.flat_map(|op| (0..seg_slots).map(move |seg| op | seg << family.op.width));
        let mut tails: Vec<u8> = slots
            .filter_map(|n| t.slots[family.base + n].as_ref())
            .map(|s| t.classes[t.shapes[s.shape - 1].class].tail)
            .collect();
        tails.sort_unstable();
        tails.dedup();
        match (family.dwords, &tails[..]) {
            // Not from the first dword alone.
            (_, tails) if tails.iter().any(|t| t & lower::tail::LIST != 0) => UNKNOWN,
            (1, []) => ONE,
            (1, [tail]) => ONE | tail,
            (1, tails) => ASK | tails.iter().fold(0, |all, t| all | t),
            (2, [] | [0]) => TWO,
            _ => UNKNOWN,
        }
    };
    (0..512).map(of).collect()
}

/// The first dword does not tell the length.
const UNKNOWN: u8 = 0xff;

/// The operations of a family that decode with a code in a field that for most others announces a further dword: those
/// that ignore the field. As (mask of the encoding and the opcode, their value, tail).
fn others(t: &Target, family: &lower::Family) -> Vec<(u32, u32, u8)> {
    use lower::tail::{DPP, SDWA, SRC0, SSRC0, SSRC1};
    let codes = [(SSRC0, 0, 8, 255), (SSRC1, 8, 8, 255), (SRC0, 0, 9, 255), (SDWA, 0, 9, 249), (DPP, 0, 9, 250)];
    let class = |s: &lower::Slot| &t.classes[t.shapes[s.shape - 1].class];
    let slots = &t.slots[family.base..family.base + family.slots];
    let all = slots.iter().flatten().fold(0, |all, s| all | class(s).tail);
    let decodes = |c: &lower::Class, (lsb, width, code): (u8, u8, u128)| {
        let checks = &t.checks[c.checks.0..c.checks.0 + c.checks.1];
        let refused = |check: &lower::Check| {
            let value = code as usize + usize::from(check.add);
            (check.lsb, check.width) == (lsb, width) && t.sets[check.set][value / 32 % 16] >> (value % 32) & 1 == 0
        };
        c.mask & code << lsb == 0 && !checks.iter().any(refused)
    };
    let (enc, value) = &family.fixed[0];
    let mut found = Vec::new();
    if family.dwords != 1 || all & lower::tail::LIST != 0 {
        return found;
    }
    for (n, slot) in slots.iter().enumerate() {
        let Some(slot) = slot else { continue };
        let c = class(slot);
        let fewer =
            codes.iter().any(|&(bit, lsb, width, code)| all & !c.tail & bit != 0 && decodes(c, (lsb, width, code)));
        // What ALWAYS has a literal is known from the first nine bits.
        if fewer && c.tail & lower::tail::ALWAYS == 0 {
            let op = Bits { pieces: vec![family.op], fixed: None, ignored: false };
            let mask = (enc.mask() | op.mask()) as u32;
            found.push((mask, (*value as u32) << enc.pieces[0].lsb | (n as u32) << family.op.lsb, c.tail));
        }
    }
    found
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
fn info_table(w: &mut String, infos: &[lower::Info]) {
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

/// Order of `Special` in src/operand.rs.
fn reg_bits(names: &[String]) -> u16 {
    names.iter().fold(0, |m, n| m | 1 << crate::build::check::IMPLICIT.iter().position(|o| o == n).expect("checked"))
}

/// Order of `Flags` in src/opcode.rs.
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
