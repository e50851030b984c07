//! Operands of the functions: the accepted values, as a mask of classes and as a Rust type.

use crate::build::emit::camel;
use crate::build::emit::make::Pool;
use crate::build::kind::{AddressKind, ImageKind, OffsetKind, OperandKind, RegisterKind};
use crate::build::lower::{Constraints, NONE, OperandDesc, Target};
use crate::build::model::error::Result;
use crate::build::model::*;
use crate::build::shared::class::{self, EXEC, INT};
pub use crate::build::shared::class::{AGPR, BUS, OFF, VGPR};
use crate::build::writer::putln;
use std::collections::BTreeMap;

/// The bits of `class` in src/shared.rs by the names of `isa/operands.isa`, and the kinds of operands in each class.
pub const CLASSES: [(&str, u16, &[&str]); 15] = [
    ("sgpr", class::SGPR, &["Sgpr"]),
    ("sys", class::SYS, &["Sys"]),
    ("ttmp", class::TTMP, &["Ttmp"]),
    ("m0", class::M0, &["M0"]),
    ("exec", class::EXEC, &["Exec"]),
    ("int", class::INT, &["Const", "Inline"]),
    ("ro", class::RO, &["ReadOnly"]),
    ("float", class::FLOAT, &[]),
    ("literal", class::LITERAL, &["Literal"]),
    ("lds", class::LDS, &["Lds"]),
    ("vgpr", class::VGPR, &["Vgpr"]),
    ("agpr", class::AGPR, &["Agpr"]),
    ("off", class::OFF, &["Off"]),
    ("half", HALF, &["Half"]),
    ("literal64", class::LITERAL64, &["Literal64"]),
];

/// The class of halves of vector registers. The library has no such class: `kind::Half` has the class of vector
/// registers.
pub const HALF: u16 = 1 << 13;

pub fn class_bit(name: &str) -> u16 {
    CLASSES.iter().find(|c| c.0 == name).map_or(0, |c| c.1)
}

/// The classes that a descriptor's operand accepts.
pub fn allowed(t: &Target, constraints: &Constraints, desc: &OperandDesc) -> Result<u16> {
    let run = |(first, n): (usize, usize)| &t.checks[first..first + n];
    let check = run(constraints.checks)
        .iter()
        .chain(run(constraints.high_checks))
        .find(|c| c.lsb == desc.lsb && c.field == desc.field);
    let set = check.map(|c| t.sets[c.set]);
    // Without a check, all codes that the field can hold are valid. In flagged types, the flag is one more bit.
    let flags = u8::from(matches!(desc.kind, OperandKind::Register(kind) if kind.is_flagged()));
    let first = u32::from(desc.add);
    let held = first..first + (1 << (desc.width.min(16) + flags) << desc.shift);
    let has = |n: u16| set.map_or(held.contains(&n.into()), |s| s[usize::from(n) / 32 % 16] >> (n % 32) & 1 == 1);
    let acc = if desc.kind.acc() == NONE { 0 } else { AGPR };
    // `first` is 0, or the flag's bit if a flag determines how the field is read: the set then has this bit above the
    // codes.
    let classes = |first: u16| {
        let rows = t.codes.iter().filter(|c| !c.is_no_address());
        rows.fold(0, |mask, c| {
            let class = class_bit(&c.class);
            // Many codes have a class that is already in the mask.
            if mask & class == class {
                return mask;
            }
            let &(a, b) = c.range.of(&t.row.name).expect("those of the target");
            let any = (a..=b).any(|code| first + code < 512 && has(first + code));
            if any { mask | class } else { mask }
        })
    };
    let unknown = || {
        let kind = desc.kind.name().unwrap_or("vcc");
        t.row.at.err(format!("build/make does not know what `{}` of operand type {kind} can be", desc.field))
    };
    Ok(match desc.kind {
        OperandKind::Register(RegisterKind::Vcc | RegisterKind::OppositeParity { .. }) => return unknown(),
        OperandKind::Register(kind) => {
            let is_unchecked = set.is_none() && desc.add == t.code.vgpr.0;
            let own = match kind.flag() {
                _ if kind.is_vector() || desc.is_returned() || is_unchecked => VGPR,
                NONE if kind.is_flagged() => VGPR,
                NONE => classes(0),
                _ => classes(1 << desc.width) | if kind.signs().is_some() { VGPR } else { 0 },
            };
            if kind.is_agpr() { own & !VGPR | AGPR } else { own | acc }
        }
        OperandKind::Address(kind) => match kind {
            AddressKind::Global { .. } | AddressKind::Buffer { .. } => VGPR,
            AddressKind::Scratch { .. } | AddressKind::ExportSource { .. } => VGPR | OFF,
            // The code of `off` is also that of the upper half of exec. So a set with this code allows `exec` only if
            // it also has the code of the lower half.
            AddressKind::Scalar { .. } => {
                let is_exec = |c: &CodeRow| c.name == "exec_lo" && has(c.range.of(&t.row.name).map_or(0, |r| r.0));
                let exec = if t.codes.iter().any(|c| is_exec(c)) { 0 } else { EXEC };
                classes(0) & !exec | OFF
            }
        },
        OperandKind::Image(ImageKind::Data { .. }) => VGPR | acc,
        OperandKind::Offset(OffsetKind::Bytes { .. } | OffsetKind::Sum { .. }) => {
            ["sgpr", "sys", "ttmp", "m0", "exec", "int"].iter().fold(0, |m, c| m | class_bit(c))
        }
        OperandKind::Offset(OffsetKind::Dwords { .. }) => classes(0) & !VGPR | INT,
        OperandKind::Image(ImageKind::Address { .. })
        | OperandKind::Number(_)
        | OperandKind::Modifier(_)
        | OperandKind::Second => return unknown(),
    })
}

/// The kinds of operands in the classes of a mask.
fn kinds(mask: u16) -> impl Iterator<Item = &'static str> {
    CLASSES.iter().filter(move |c| mask & c.1 != 0).flat_map(|c| c.2).copied()
}

/// The name of the trait for a set of classes.
pub fn trait_name(traits: &mut BTreeMap<u16, String>, mask: u16) -> String {
    let name = |mask: u16| {
        const SCALAR: u16 = 1 | 2 | 4;
        let words = CLASSES.iter().filter(|c| mask & c.1 != 0);
        match mask & SCALAR {
            SCALAR => words.filter(|c| c.1 & SCALAR == 0).fold(String::from("Scalar"), |name, c| name + &camel(c.0)),
            _ => words.fold(String::from("Only"), |name, c| name + &camel(c.0)),
        }
    };
    traits.entry(mask).or_insert_with(|| name(mask)).clone()
}

/// The values that can be passed for an operand of these classes, in words.
fn passed(mask: u16) -> String {
    const WRITTEN: [(&str, &str); 13] = [
        ("sgpr", "scalar registers `s(n)`"),
        ("vgpr", "vector registers `v(n)`"),
        ("half", "one half of a vector register, `v(n).l()` or `v(n).h()`"),
        ("agpr", "accumulation registers `a(n)`"),
        ("ttmp", "`ttmp(n)`"),
        ("sys", "a register such as `VCC`"),
        ("m0", "`M0`"),
        ("exec", "`EXEC`"),
        ("int", "a constant `int(n)` or `float(x)`"),
        ("literal", "`literal(n)`"),
        ("literal64", "`literal64(n)`"),
        ("lds", "`SRC_LDS_DIRECT`"),
        ("off", "`off()`"),
    ];
    let all: Vec<&str> = WRITTEN.iter().filter(|w| mask & class_bit(w.0) != 0).map(|w| w.1).collect();
    match all.split_last() {
        Some((last, [])) => last.to_string(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => "nothing".into(),
    }
}

pub fn traits(traits: &BTreeMap<u16, String>) -> String {
    let mut out = String::new();
    for (mask, name) in traits {
        let all: Vec<String> = kinds(*mask).map(|k| format!("[`{k}`]")).collect();
        let label = format!("pass {}", passed(*mask));
        putln!(
            out,
            "/// Implemented by {} and [`Any`].\n#[diagnostic::on_unimplemented(message = \"`{{Self}}` is not allowed here\", label = {label:?})]\npub trait {name}: Kind {{}}",
            all.join(", ")
        );
        for kind in kinds(*mask).chain(["Any"]) {
            putln!(out, "impl {name} for {kind} {{}}");
        }
    }
    out
}

/// The name of the constant with the operand codes of a target and its rules for registers.
pub fn rules(isa: &Isa, t: &Target, pool: &mut Pool) -> Result<String> {
    let range = |is: &dyn Fn(&CodeRow) -> bool| {
        t.codes.iter().find(|c| is(c)).map(|c| *c.range.of(&t.row.name).expect("those of the target"))
    };
    // The class of each code, counted from one; the highest bit marks codes that can be operands of 64 bits.
    let mut classes = vec![0u8; t.code.vgpr.0.into()];
    for c in t.codes.iter().filter(|c| !c.is_no_address() && c.class != "vgpr") {
        let &(a, b) = c.range.of(&t.row.name).expect("those of the target");
        let class = CLASSES.iter().position(|(name, ..)| *name == c.class).map_or(0, |n| n as u8 + 1);
        (a..=b).for_each(|code| classes[usize::from(code)] = class | u8::from(c.pair.is_some()) << 7);
    }
    let (ttmp_first, ttmp_last) = range(&|c| c.class == "ttmp").unwrap_or((u16::MAX, u16::MAX));
    let named = |name: &str| -> Result<u64> {
        let mut set = 0;
        for value in isa.enums.iter().filter(|e| !e.bits && e.name == name).flat_map(|e| &e.values) {
            if let Some(cell) = value.value.of(&t.row.name) {
                crate::build::check::values(&value.at, cell)?.for_each(|n| set |= 1u64 << n);
            }
        }
        Ok(set)
    };
    let key = format!(
        "Rules {{ sgpr_last: {}, sgpr_run_last: {}, vgprs: {}, ttmp_first: {ttmp_first}, ttmp_last: {ttmp_last}, vcc: {}, null: {}, off: {}, classes: {classes:?}, specials: &{:?}, aligned: {}, exp_targets: [{:#x}], interp_params: [{:#x}] }}",
        t.sgpr_last(),
        t.sgpr_run_last(),
        t.vgprs(),
        t.code.vcc,
        range(&|c| c.name == "null").map_or(u16::MAX, |r| r.0),
        t.code.off,
        crate::build::emit::names::special_codes(isa, &t.row.name),
        t.row.has("aligned-vgprs"),
        named("exp_tgt")?,
        named("interp_param")?,
    );
    Ok(pool.name("R", key, |name, key| format!("pub(crate) const {name}: Rules = {key};\n")))
}

/// Writes the named registers: as constants, or as functions if they have one name for 32 and 64 bits.
pub fn specials(out: &mut String, t: &Target) {
    for c in &t.codes {
        let kind = match c.class.as_str() {
            "sys" | "m0" | "exec" => camel(&c.class),
            "ro" => "ReadOnly".into(),
            "lds" => "Lds".into(),
            _ => continue,
        };
        let &(code, _) = c.range.of(&t.row.name).expect("those of the target");
        let constant = |out: &mut String, name: &str, n: usize| {
            putln!(
                out,
                "/// `{name}`, {} bits.\npub const {}: Op<{kind}, {n}> = Op::new({code}, 0);",
                32 * n,
                name.to_uppercase()
            );
        };
        match &c.pair {
            Some(pair) if *pair == c.name => {
                putln!(
                    out,
                    "/// `{pair}`, 32 or 64 bits.\n#[inline]\npub const fn {pair}<const N: usize>() -> Op<{kind}, N> {{ Op::new({code}, 0) }}"
                );
            }
            Some(pair) => {
                constant(out, &c.name, 1);
                constant(out, pair, 2);
            }
            None => constant(out, &c.name, 1),
        }
    }
}

/// The name of the constant with the positions of an immediate's parts.
pub fn imm(pool: &mut Pool, isa: &Isa, t: &Target, kind: &str) -> Result<String> {
    let part = |[low, high]: [Piece; 2]| {
        format!("Part {{ lsb: {}, width: {}, hi: {}, hi_width: {} }}", low.lsb, low.width, high.lsb, high.width)
    };
    let parts: Vec<String> = crate::build::emit::names::parts(isa, t, kind)?.into_iter().map(part).collect();
    let key = format!("[Part; {}] = [{}]", parts.len(), parts.join(", "));
    Ok(pool.name("I", key, |name, key| format!("pub(crate) const {name}: {key};\n")))
}

/// The name of the constant with the position of an operand and the values that it accepts.
pub fn place(pool: &mut Pool, desc: &OperandDesc, mask: u16, [literal, bus]: [u8; 2], odd: bool, acc: u8) -> String {
    let key = format!(
        "Place {{ field: Field::{}, lsb: {}, shift: {}, add: {}, allowed: {mask}, ty: DataType::{}, literal: {literal}, bus: {bus}, odd: {odd}, acc: {acc} }}",
        camel(&desc.field),
        desc.lsb,
        desc.shift,
        desc.add,
        camel(&desc.ty),
    );
    pool.name("P", key, |name, key| format!("pub(crate) const {name}: Place = {key};\n"))
}

/// The name of the constant with the positions of the fields that name the registers of an image address. `longest` is
/// the form that names the most registers.
pub fn address_place(
    pool: &mut Pool,
    constraints: &Constraints,
    desc: &OperandDesc,
    longest: OperandKind,
    nsa: u8,
    vgprs: u16,
) -> String {
    let (
        OperandKind::Image(ImageKind::Address { shape, fields, .. }),
        OperandKind::Image(ImageKind::Address { second, fifth, fields: most, .. }),
    ) = (desc.kind, longest)
    else {
        unreachable!("both are image addresses");
    };
    // Fields that must be zero do not name registers.
    let is_zero = |lsb: u8| lsb != NONE && nsa == NONE && constraints.mask >> lsb & 1 == 1;
    let parts = match fields.count() {
        _ if nsa != NONE => u8::MAX,
        count => (1..count).find(|&n| is_zero(if n == 4 { fifth } else { second + 8 * (n - 1) })).unwrap_or(count),
    };
    let key = format!(
        "AddressPlace {{ field: Field::{}, of: AddressShape::{shape:?}, lsb: {}, more: {}, fields: [{fields:?}, {most:?}], nsa: {nsa}, second: {second}, fifth: {fifth}, parts: {parts}, vgprs: {vgprs} }}",
        camel(&desc.field),
        desc.lsb,
        desc.dwords - 1,
    );
    pool.name("N", key, |name, key| format!("pub(crate) const {name}: AddressPlace = {key};\n"))
}
