//! Writes the tables that `decode` reads for one target: `DecodeTables` in src/table/decode.rs.

use crate::build::check::layout_assumptions::room;
use crate::build::emit::camel;
use crate::build::emit::tables::{announcers_text, desc_text, joined_text};
use crate::build::kind::AddressShape;
use crate::build::lower::decode::{
    Allowed, CHECKED_FIELDS, Constraints, SCALARS, Tables, TrailingDword, code_set, constraints, of_base_forms,
    opcode_spaces, set_of,
};
use crate::build::lower::lengths::Announcer;
use crate::build::lower::pages::{number, position};
use crate::build::lower::rules::Rule;
use crate::build::lower::{self, HighOp, Target, trailing};
use crate::build::model::error::Result;
use crate::build::shared::constraint_flags;
use crate::build::writer::{put, putln};

/// Writes the sizes of the tables, and the positions of the checked fields.
pub fn sizes(w: &mut String, all: &[Tables]) {
    putln!(w, "pub(crate) const OPCODE_SPACES: usize = {};", opcode_spaces(all));
    // Index types are as small as the enabled targets allow, and the fast path's table has an entry for every value of
    // its index type.
    let constraints = constraints(all);
    let (index, most) = if constraints <= 256 { ("u8", 256) } else { ("u16", constraints.next_power_of_two()) };
    putln!(w, "pub(crate) type ConstraintIndex = {index};");
    let index = if of_base_forms(all) <= 256 { "u8" } else { "u16" };
    putln!(w, "pub(crate) type BaseConstraintIndex = {index};");
    putln!(w, "#[cfg(feature = \"fast\")]\npub(crate) const FAST_CONSTRAINTS: usize = {most};");
    putln!(w, "pub(crate) const CHECKED_FIELDS: [[(u8, u8); 4]; {}] = {CHECKED_FIELDS:?};", CHECKED_FIELDS.len());
}

pub fn tables(w: &mut String, tables: &Tables) -> Result<()> {
    let opcode_space = |(f, checked): (&lower::OpcodeSpace, &usize)| {
        let op_bits = f.op.width + f.high_op.filter(|_| f.high_op_is != HighOp::Encoding).map_or(0, |s| s.width);
        let second = match f.second_op_base() {
            None if f.ends_in_second_dword() => "IN_SECOND_DWORD".to_string(),
            index => index.unwrap_or(0).to_string(),
        };
        let (op_mask, high_op) = ((1u32 << f.op.width) - 1, f.high_op.map_or(0, |s| (s.lsb % 32) | (s.width << 5)));
        if f.is_joined() {
            return "NO_OPCODE_SPACE".to_string();
        }
        let (base, op_shift) = (f.base, f.op.lsb);
        format!(
            "OpcodeSpace {{ base: {base}, op_mask: {op_mask:#x}, op_shift: {op_shift}, high_op_field: {high_op:#x}, \
             checked: {checked}, op_bits: {op_bits}, second_op_base: {second} }}"
        )
    };
    let list = tables.t.opcode_spaces.iter().zip(&tables.constraints.checked).map(opcode_space);
    putln!(w, "pub(crate) static DECODE: DecodeTables = DecodeTables {{\nopcode_space_of: &{:?},", tables.t.lut);
    putln!(w, "opcode_spaces: &padded(&[NO_OPCODE_SPACE, {}], NO_OPCODE_SPACE),", list.collect::<Vec<_>>().join(", "));
    putln!(w, "pages: &{:?},\nconstraints_of: &{:?},", tables.pages, tables.constraints_of);
    putln!(w, "zeros: &{:?},\nsets: &{:?},", tables.zeros, tables.sets);
    putln!(w, "code_groups: &{:?},", tables.code_groups);
    let (mut forms, mut parts, mut rules) = (vec![[0, 0]], Vec::new(), vec![Vec::new()]);
    let constraints = |c: &Constraints| {
        let (flags, sets, zeros) = (c.all_flags(), c.sets, number(&mut tables.zeros.clone(), c.zeros as u64));
        let rules = number(&mut rules, c.rules.clone());
        let trailing = c.trailing | if c.dwords > 1 { trailing::TWO } else { 0 };
        let (forms, parts) = (number(&mut forms, c.forms), number(&mut parts, c.parts));
        format!(
            "Constraints {{ flags: {flags}, rules: {rules}, sets: {sets:?}, zeros: {zeros}, trailing: {trailing}, forms: {forms}, parts: {parts} }}"
        )
    };
    let list: Vec<String> = tables.constraints.list.iter().map(constraints).collect();
    putln!(w, "constraints: &[{}],\nforms: &{forms:?},", list.join(",\n"));
    putln!(w, "rules: &[");
    rules.iter().for_each(|rules| putln!(w, "&[{}],", rules.iter().map(rule_text).collect::<String>()));
    putln!(w, "],");
    rare(w, tables)?;
    let name = |f: usize| format!("Format::{}", camel(&tables.t.formats[f].def.name));
    putln!(w, "parts: &[");
    for (base, extension) in parts {
        let extension = extension.map_or("None".into(), |f| format!("Some({})", name(f)));
        putln!(w, "({}, {extension}),", name(base));
    }
    let scalars = code_set(tables.t, &SCALARS);
    putln!(w, "],\nscalars: &{scalars:?}, vgprs: {},", tables.t.vgprs());
    field_maps(w, tables.t);
    putln!(w, "}};");
    Ok(())
}

/// Writes the demands that only a few constraints have.
fn rare(w: &mut String, tables: &Tables) -> Result<()> {
    let all = || tables.constraints.list.iter().enumerate();
    let mask = |bits: u64| number(&mut tables.zeros.clone(), bits);
    let ones: Vec<_> = all().filter(|(_, c)| c.ones as u64 != 0).map(|(n, c)| (n, mask(c.ones as u64))).collect();
    let mut allowed = Allowed::default();
    let checks = tables.constraints.list.iter().flat_map(|c| c.more.iter().chain(&c.high_checks));
    let mut sets: Vec<Vec<bool>> = checks.map(|c| set_of(tables.t, c)).collect();
    // The longest set is placed first, because a shorter set may be the beginning of a longer one.
    sets.sort_by_key(|s| std::cmp::Reverse(s.len()));
    sets.iter().for_each(|set| _ = allowed.place(set));
    let list = |checks: &[lower::Check], allowed: &mut Allowed| {
        let mut text = String::new();
        for c in checks {
            let (first, bit) = allowed.place(&set_of(tables.t, c));
            // Checks of the third dword count bits from the start of this dword.
            let (lsb, hi, mask) = (c.lsb % 64, c.hi, (1u32 << c.width) - 1);
            put!(text, "Check {{ lsb: {lsb}, hi: {hi}, bit: {bit:#x}, mask: {mask:#x}, first: {first} }},");
        }
        text
    };
    putln!(w, "ones: &{ones:?},\nmore: &[");
    for (constraints, c) in all().filter(|(_, c)| !c.more.is_empty()) {
        putln!(w, "({constraints}, &[{}]),", list(&c.more, &mut allowed));
    }
    putln!(w, "],\ntrailing: &[");
    let (mut announcers, mut lists) = (Vec::new(), Vec::new());
    for (constraints, c) in all().filter(|(_, c)| !c.trailing_dwords.is_empty()) {
        let mut list = Vec::new();
        for &TrailingDword { field: (lsb, width), codes, dwords, form, .. } in &c.trailing_dwords {
            let announcer = position(&mut announcers, Announcer { lsb, width, codes, dwords });
            room(tables.t, "announced dwords", announcers.len(), 4)?;
            room(tables.t, "forms with announced dwords", usize::from(form) + 1, 4)?;
            list.push(announcer | usize::from(form) << 4);
        }
        let first = c.trailing_dwords.iter().find(|dword| dword.form != 0).map_or(0, |dword| dword.of);
        let list = position(&mut lists, list);
        putln!(w, "Trailing {{ constraints: {constraints}, list: {list}, first: {first} }},");
    }
    putln!(w, "],\nannouncers: &[{}],\ntrailing_dwords: &[", announcers_text(&announcers));
    room(tables.t, "lists of announced dwords", lists.len(), 8)?;
    lists.iter().for_each(|list| put!(w, "&{list:?},"));
    let high = |bits: u128| mask((bits >> 64) as u64);
    let mut wides = Vec::new();
    let mut wide = |c: &Constraints| {
        let (zeros, ones, ignored) = (high(c.zeros), high(c.ones), mask(c.ignored_high));
        let checks = list(&c.high_checks, &mut allowed);
        position(
            &mut wides,
            format!("Wide {{ checks: &[{checks}], zeros: {zeros}, ones: {ones}, ignored: {ignored} }}"),
        )
    };
    let wide: Vec<_> =
        all().filter(|(_, c)| c.flags & constraint_flags::WIDE != 0).map(|(n, c)| (n, wide(c))).collect();
    room(tables.t, "constraints of a third dword", wides.len(), 8)?;
    let wide: Vec<_> = wide.into_iter().filter(|(_, number)| *number != 0).collect();
    putln!(w, "],\nwide: &{wide:?},\nwides: &[{}],", wides.join(",\n"));
    sized(w, tables)?;
    putln!(w, "joined: &[");
    for f in tables.t.opcode_spaces.iter().filter(|f| f.is_joined()) {
        putln!(w, "{},", joined_text(f));
    }
    putln!(w, "],\nallowed: &{:?},", allowed.bytes());
    Ok(())
}

/// Writes the operands whose length depends on other fields. Most operands of images differ only in their shape and
/// their least number of dwords.
fn sized(w: &mut String, tables: &Tables) -> Result<()> {
    let (mut shapes, mut groups) = (Vec::new(), Vec::new());
    let (mut indices, mut numbers) = (Vec::new(), Vec::new());
    for forms in tables.sized.chunk_by(|a, b| a.0 == b.0) {
        let all = forms.iter().flat_map(|(_, form, descs)| descs.iter().map(move |desc| (form, desc)));
        let operand = |(form, desc): (&u8, &lower::OperandDesc)| {
            let kind = desc.kind.with_shape(AddressShape::Coordinates);
            let shape = lower::OperandDesc { kind, dwords: 1, ..desc.clone() };
            (*form, position(&mut shapes, shape), desc.kind.shape(), desc.dwords)
        };
        let group: Vec<_> = all.map(operand).collect();
        indices.push(forms[0].0);
        numbers.push(position(&mut groups, group));
    }
    for (what, count) in [("operands of variable length", shapes.len()), ("groups of these", groups.len())] {
        room(tables.t, what, count, 8)?;
    }
    putln!(w, "sized: &{indices:?},\nsized_numbers: &{numbers:?},\nsized_operands: &[");
    for (number, (form, shape, address, dwords)) in
        groups.iter().zip(0..).flat_map(|(g, n)| g.iter().map(move |of| (n, of)))
    {
        putln!(
            w,
            "SizedOperand {{ number: {number}, form: {form}, shape: {shape}, address: AddressShape::{address:?}, dwords: {dwords} }},"
        );
    }
    putln!(w, "],\nsized_shapes: &[");
    shapes.iter().for_each(|desc| putln!(w, "{},", desc_text(desc)));
    putln!(w, "],");
    Ok(())
}

fn rule_text(rule: &Rule) -> String {
    let Rule { kind, field, n, looks } = rule;
    let looks = looks.map(|(piece, value)| format!("(Bits({}, {}), {value})", piece.lsb, piece.width)).join(", ");
    format!(
        "Rule {{ kind: RuleKind::{kind:?}, field: Bits({}, {}), n: {n}, looks: [{looks}] }},",
        field.lsb, field.width
    )
}

/// Writes the field of each bit of a format.
fn field_maps(w: &mut String, t: &Target) {
    putln!(w, "fields: &[");
    for f in &t.formats {
        let all = f.fields.iter().filter(|(field, _)| !field.overlay);
        let mut pieces: Vec<(u8, String)> =
            all.flat_map(|(x, b)| b.pieces.iter().map(|p| (p.lsb, camel(&x.name.to_lowercase())))).collect();
        pieces.sort();
        put!(w, "FieldMap {{ format: Format::{}, dwords: {}, fields: &[", camel(&f.def.name), f.def.bits / 32);
        pieces.iter().for_each(|(lsb, name)| put!(w, "(Field::{name}, {lsb}),"));
        putln!(w, "] }},");
    }
    putln!(w, "],");
}
