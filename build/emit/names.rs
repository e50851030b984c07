//! Writes the parts of constants (`ImmTables`); the codes and values that have a name on a target, each with the number
//! of its name, which is the same on all targets (`NameTables`, for re-targeting); and special registers, fields of
//! hardware registers, parts of kernel descriptors, and successors of formats. The texts of the names in `NameTables`
//! are in the printer's table.

use crate::build::emit::camel;
use crate::build::lower::Target;
use crate::build::model::error::Result;
use crate::build::model::*;
use crate::build::parse;
use crate::build::writer::{put, putln};
use std::collections::BTreeSet;

/// An enum without names of its own: `dpp_ctrl64` restricts the values of `dpp_ctrl`.
const NO_NAMES: &str = "dpp_ctrl64";

/// Writes the positions of the parts of constants, and the operations of messages.
pub fn imms(w: &mut String, isa: &Isa, t: &Target) -> Result<()> {
    putln!(w, "pub(crate) static IMMS: ImmTables = ImmTables {{");
    for e in isa.enums.iter().filter(|e| e.bits) {
        put!(w, "{}: [", e.name);
        for [low, high] in pieces(e, t)? {
            put!(w, "Part {{ lsb: {}, width: {}, hi: {}, hi_width: {} }},", low.lsb, low.width, high.lsb, high.width);
        }
        putln!(w, "],");
    }
    put!(w, "messages: &[");
    let values = isa.enums.iter().flat_map(|e| &e.values);
    for (v, (list, is_optional)) in values.filter_map(|v| Some((v, v.operations.as_ref()?))) {
        // If the target lacks the message, the number is the message's number on the first target that has it.
        let here = v.value.of(&t.row.name);
        let Some(number) = here.or_else(|| isa.targets.iter().find_map(|t| v.value.of(&t.name))) else { continue };
        let (list, exists) = (camel(list), here.is_some());
        put!(w, "MessageOperations {{ message: {number}, list: OperationList::{list}, ");
        put!(w, "is_optional: {is_optional}, exists: {exists} }},");
    }
    putln!(w, "] }};");
    Ok(())
}

/// The pieces of each part of a constant, low piece first; a missing piece has no bits.
pub fn parts(isa: &Isa, t: &Target, name: &str) -> Result<Vec<[Piece; 2]>> {
    isa.enums.iter().find(|e| e.bits && e.name == name).map_or(Ok(Vec::new()), |e| pieces(e, t))
}

fn pieces(e: &EnumTable, t: &Target) -> Result<Vec<[Piece; 2]>> {
    let none = Piece { lsb: 0, width: 0 };
    let pieces = |v: &EnumValue| match v.value.of(&t.row.name) {
        None => Ok([none, none]),
        Some(cell) => match parse::numbers::bits(&v.at, &rev_pieces(cell))?.pieces[..] {
            [low] => Ok([low, none]),
            [low, high] => Ok([low, high]),
            _ => v.at.err(format!("{} is in more than two pieces", v.name)),
        },
    };
    e.values.iter().map(pieces).collect()
}

/// Reverses the order of pieces, because constants list their low piece first.
fn rev_pieces(s: &str) -> String {
    s.split(',').rev().collect::<Vec<_>>().join(",")
}

/// Writes runs of codes and values, each with the index of its row in the tables. A renamed value has its first name's
/// row.
pub fn names(w: &mut String, isa: &Isa, t: &Target) -> Result<()> {
    putln!(w, "pub(crate) static NAMES: NameTables = NameTables {{ codes: &[");
    // The codes for "no address" are left out: each of them has another meaning, which is listed.
    for (row, c) in isa.codes.iter().enumerate().filter(|(_, c)| !c.is_no_address()) {
        if let Some((a, b)) = c.range.of(&t.row.name) {
            put!(w, "Named {{ first: {a}, last: {b}, row: {row} }},");
        }
    }
    putln!(w, "],");
    for e in isa.enums.iter().filter(|e| !e.bits && e.name != NO_NAMES) {
        put!(w, "{}: &[", e.name);
        for (row, v) in e.values.iter().enumerate() {
            if let Some(cell) = v.value.of(&t.row.name) {
                let (a, b) = parse::numbers::run(&v.at, cell)?;
                let first = v.was.as_ref().and_then(|was| e.values.iter().position(|first| first.name == *was));
                let row = first.unwrap_or(row);
                put!(w, "Named {{ first: {a}, last: {b}, row: {row} }},");
            }
        }
        putln!(w, "],");
    }
    putln!(w, "}};");
    Ok(())
}

/// The names of the fields of hardware registers. A field that is in several registers is listed once.
fn parts_of(isa: &Isa) -> Vec<&str> {
    let all: BTreeSet<&str> = isa.registers.iter().flat_map(|r| &r.parts).map(|part| part.name.as_str()).collect();
    all.into_iter().collect()
}

/// Writes the names of the fields of hardware registers.
pub fn part_names(w: &mut String, isa: &Isa) {
    let names = parts_of(isa);
    putln!(w, "/// The names of the fields of hardware registers.");
    putln!(w, "pub(crate) static HWREG_FIELD_NAMES: [&str; {}] = {names:?};", names.len());
}

/// Writes the fields of the hardware registers that a target has.
pub fn hwregs(w: &mut String, isa: &Isa, t: &Target) -> Result<()> {
    let names = parts_of(isa);
    putln!(w, "pub(crate) static HWREGS: HwregTables = &[");
    for register in &isa.registers {
        let values = isa.enums.iter().filter(|e| e.name == "hwreg" && !e.bits).flat_map(|e| &e.values);
        let mut numbers = values.filter(|v| register.names.contains(&v.name)).filter_map(|v| v.value.of(&t.row.name));
        let Some(number) = numbers.next() else { continue };
        for part in &register.parts {
            let Some(cell) = part.value.of(&t.row.name) else { continue };
            let (name, mut index) = (names.iter().position(|name| *name == part.name).unwrap_or(0), 0);
            for Piece { lsb, width } in parse::numbers::bits(&part.at, cell)?.pieces {
                put!(
                    w,
                    "HwregField {{ register: {number}, lsb: {lsb}, width: {width}, name: {name}, index: {index} }},"
                );
                index += width;
            }
        }
    }
    putln!(w, "];");
    Ok(())
}

/// The scalar registers and sources without a number, first those that can be written.
pub fn specials(isa: &Isa) -> Vec<&CodeRow> {
    const WRITTEN: [&str; 3] = ["sys", "m0", "exec"];
    const READ_ONLY: [&str; 2] = ["ro", "lds"];
    let of = |classes: &'static [&str]| isa.codes.iter().filter(move |c| classes.contains(&c.class.as_str()));
    of(&WRITTEN).chain(of(&READ_ONLY)).collect()
}

/// The code of each special register on a target; 255, the code of literals, if the target lacks the register.
pub fn special_codes(isa: &Isa, target: &str) -> Vec<u16> {
    specials(isa).iter().map(|c| c.range.of(target).map_or(255, |&(code, _)| code)).collect()
}

fn special_enum(w: &mut String, isa: &Isa) {
    let all = specials(isa);
    let doc = "/// A scalar register or source that has a name instead of a number. Its operand code depends on the target.\n///\n/// In a 64-bit operand, the lower half of a pair stands for the whole pair.\n";
    put!(
        w,
        "{doc}#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]\n#[non_exhaustive]\n#[repr(u8)]\npub enum Special {{\n"
    );
    for c in &all {
        let pair = c.pair.as_ref().filter(|pair| **pair != c.name && *pair != "-");
        let pair = pair.map_or(String::new(), |pair| format!("; as a 64-bit operand `{pair}`"));
        putln!(w, "    /// `{}`{pair}\n    {},", c.name, camel(&c.name));
    }
    let list: Vec<String> = all.iter().map(|c| format!("Special::{}", camel(&c.name))).collect();
    let names: Vec<&str> = all.iter().map(|c| c.name.as_str()).collect();
    let written = all.iter().filter(|c| !["ro", "lds"].contains(&c.class.as_str())).count();
    putln!(
        w,
        "}}\nimpl Special {{\n    /// Every special register or source of all targets, enabled or not.\n    pub const ALL: &'static [Special] = &[{}];\n    /// How many can be written. These come first; the others are read-only.\n    pub(crate) const WRITTEN: usize = {written};\n}}",
        list.join(", ")
    );
    putln!(w, "pub(crate) const SPECIAL_NAMES: [&str; {}] = {names:?};", names.len());
}

/// Writes the enum of the parts of kernel descriptors.
fn descriptor_parts(w: &mut String, isa: &Isa) {
    let doc = "/// A part of kernel descriptors with a directive of its own. Each target has some of them: see\n\
        /// [`Target::directives`](crate::Target::directives).\n";
    let derives = "#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]\n#[non_exhaustive]\n#[repr(u8)]";
    putln!(w, "{doc}{derives}\npub enum DescriptorPart {{");
    for row in &isa.directives {
        putln!(w, "    /// `.amdhsa_{}`\n    {},", row.name, camel(&row.name));
    }
    let list: Vec<String> = isa.directives.iter().map(|row| format!("DescriptorPart::{}", camel(&row.name))).collect();
    let names: Vec<&str> = isa.directives.iter().map(|row| row.name.as_str()).collect();
    let all = "/// Every part of the descriptors of all targets, enabled or not.\n    pub const ALL: &'static [DescriptorPart]";
    putln!(w, "}}\nimpl DescriptorPart {{\n    {all} = &[{}];\n}}", list.join(", "));
    putln!(w, "pub(crate) static PART_NAMES: [&str; {}] = {names:?};", names.len());
}

/// Writes the names that all targets share: special registers and parts of kernel descriptors.
pub fn common(w: &mut String, isa: &Isa) {
    special_enum(w, isa);
    descriptor_parts(w, isa);
}

/// Writes the formats that succeeded other formats.
pub fn successors(w: &mut String, isa: &Isa) {
    putln!(w, "/// Formats that replaced another one, and the fields that were renamed.");
    putln!(w, "pub(crate) static SUCCESSORS: &[Successor] = &[");
    for f in &isa.formats {
        for s in &f.succeeds {
            put!(w, "Successor {{ old: Format::{}, new: Format::{}, renames: &[", camel(&s.format), camel(&f.name));
            for (old, new) in &s.renames {
                put!(w, "(Field::{}, Field::{}),", camel(old), camel(new));
            }
            putln!(w, "] }},");
        }
    }
    putln!(w, "];");
}
