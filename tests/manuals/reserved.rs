//! Bits and operand codes that the manual of CDNA5 reserves: the errata page lists exactly those that no field of the
//! manual has, and each of them is ignored or refused as the page says, in every operation of gfx1250.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use amdgpu_isa::layout::Layout;
use amdgpu_isa::{Field, Format, Inst, Opcode, Target, Value, decode_words};

use super::page::{Here, Page, Reserved};
use super::target;
use crate::words::{Filling, Rng, attempt, encodings, layout, legal, repair};

const FIELDS: &str = include_str!("cdna5-fields.txt");

/// The name on the page for the codes of sources.
const SOURCES: &str = "sources";

/// The bits or codes that the manual describes, by format.
fn described() -> BTreeMap<&'static str, BTreeSet<u16>> {
    let lines = FIELDS.lines().filter(|line| !line.starts_with('#'));
    let ranges = |text: &'static str| {
        text.split(' ').flat_map(|range| {
            let (high, low) = range.split_once(':').unwrap_or((range, range));
            let number = |n: &str| n.parse::<u16>().unwrap_or_else(|_| panic!("{range} is no range"));
            number(low)..=number(high)
        })
    };
    lines.map(|line| line.split_once(" = ").expect("a name")).map(|(name, all)| (name, ranges(all).collect())).collect()
}

/// The lines of the page about bits or codes, by format: each number and how it is treated.
fn listed(lines: &[Reserved]) -> BTreeMap<&'static str, BTreeMap<u16, Here>> {
    let mut all: BTreeMap<&str, BTreeMap<u16, Here>> = BTreeMap::new();
    for line in lines {
        for format in &line.formats {
            for number in &line.numbers {
                let before = all.entry(format).or_default().insert(*number, line.here);
                assert!(before.is_none(), "{}: {format} {number} stands there twice", line.at);
            }
        }
    }
    all
}

/// Instructions of an operation, in the form with the extension or without one.
fn instances(
    target: Target,
    encoding: (Format, u16, Opcode),
    extension: Option<&'static str>,
    rng: &mut Rng,
) -> Vec<Inst> {
    let Some(extension) = extension else { return legal(target, encoding, 3, rng) };
    let base: &Layout = layout(target, encoding.0);
    let Some(announced) = base.extends.iter().find(|e| e.format.name() == extension) else { return Vec::new() };
    let fillings = [Filling::Zero, Filling::Typical, Filling::Random, Filling::Random];
    let made = |filling| {
        let mut words = attempt(target, base, encoding.1, Some(announced), filling, rng);
        repair(target, &mut words, rng).filter(|inst| inst.extension().is_some_and(|e| e.name() == extension))
    };
    fillings.into_iter().filter_map(made).collect()
}

/// The fault of a reserved bit in an instruction, if it is not as the list says.
fn fault(inst: &Inst, bit: u16, here: Here) -> Option<String> {
    let mut words = inst.words().to_vec();
    let before = words[usize::from(bit / 32)];
    words[usize::from(bit / 32)] = before ^ 1 << (bit % 32);
    let other = decode_words(inst.target(), &words);
    let is_as_said = match (&other, here) {
        (Ok(other), Here::Ignored) => {
            other.to_string() == inst.to_string()
                && other.words() == words
                && other.canonical() == inst.canonical()
                && !(other.is_canonical() && inst.is_canonical())
        }
        // A shorter instruction is the first half of a scaled matrix operation.
        (Ok(other), Here::Refused) => other.len() < inst.len(),
        (Err(_), Here::Refused) => true,
        _ => false,
    };
    (!is_as_said).then(|| format!("{inst} {:08x?}: bit {bit} is not {here:?}: {other:?}", inst.words()))
}

#[test]
fn reserved_bits_are_listed_and_ignored_or_refused_as_the_page_says() {
    let target = target("gfx1250").expect("a target");
    let page = Page::read().unwrap_or_else(|e| panic!("{e}"));
    let (described, listed) = (described(), listed(&page.reserved));
    let mut wrong = Vec::new();
    let mut tried: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, bits) in described.iter().filter(|(name, _)| **name != SOURCES) {
        let none = BTreeMap::new();
        let found = listed.get(name).unwrap_or(&none);
        let first = if *name == "DPP" { 32 } else { 0 };
        let size = bits.last().map_or(0, |bit| bit + 1);
        let missing: BTreeSet<u16> = (first..size).filter(|bit| !bits.contains(bit)).collect();
        if missing != found.keys().copied().collect() {
            wrong.push(format!("{name}: the manual describes all bits but {missing:?}, and the page has {found:?}"));
        }
    }
    let rng = &mut Rng(5);
    for encoding in encodings(target) {
        for (name, bits) in &listed {
            let is_extension = *name == "DPP";
            if *name == SOURCES || !is_extension && space(encoding.0.name()) != *name {
                continue;
            }
            for inst in instances(target, encoding, is_extension.then_some(*name), rng) {
                *tried.entry(name).or_default() += 1;
                // The bits of an extension count from the end of the words before it.
                let add = if is_extension { inst.len() as u16 * 8 - 64 } else { 0 };
                wrong.extend(bits.iter().filter_map(|(bit, here)| fault(&inst, bit + add, *here)));
            }
        }
    }
    for name in listed.keys().filter(|name| **name != SOURCES) {
        assert!(tried.get(name).is_some_and(|n| *n > 3), "{name}: {tried:?}");
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
}

/// Formats with one field table in the manual.
fn space(format: &'static str) -> &'static str {
    format.strip_suffix("S16").unwrap_or(format)
}

#[test]
fn reserved_codes_of_sources_are_listed_and_refused() {
    let target = target("gfx1250").expect("a target");
    let page = Page::read().unwrap_or_else(|e| panic!("{e}"));
    let (described, listed) = (described(), listed(&page.reserved));
    let codes: BTreeSet<u16> = (0..256).filter(|code| !described[SOURCES].contains(code)).collect();
    assert_eq!(codes, listed[SOURCES].keys().copied().collect(), "the codes that the manual does not describe");
    assert!(listed[SOURCES].values().all(|here| *here == Here::Refused));
    let (mut wrong, mut tried) = (Vec::new(), HashSet::new());
    let rng = &mut Rng(6);
    for encoding in encodings(target) {
        let layout = layout(target, encoding.0);
        for inst in legal(target, encoding, 3, rng) {
            for operand in inst.operands().filter(|o| !matches!(o.value, Value::Imm(_) | Value::Label(_))) {
                let Some(info) = layout.fields.iter().find(|info| Some(info.field) == operand.role) else { continue };
                let scalar = encoding.0.name().starts_with("SOP") && info.width == 8;
                if info.hi != 255 || !scalar && info.width != 9 {
                    continue;
                }
                tried.insert((encoding.2, info.field));
                wrong.extend(codes.iter().filter_map(|code| taken(&inst, info.field, info.lsb, info.width, *code)));
            }
        }
    }
    assert!(tried.len() > 1500, "{}", tried.len());
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
}

/// The text of the instruction with another code in a field, if it decodes.
fn taken(inst: &Inst, field: Field, lsb: u8, width: u8, code: u16) -> Option<String> {
    let mut words = inst.words().to_vec();
    for bit in 0..width {
        let at = usize::from(lsb + bit);
        words[at / 32] = words[at / 32] & !(1 << (at % 32)) | u32::from(code >> bit & 1) << (at % 32);
    }
    let other = decode_words(inst.target(), &words).ok()?;
    // A shorter instruction is the first half of a scaled matrix operation.
    (other.len() >= inst.len()).then(|| format!("{inst}: {field} {code} is {other}"))
}

#[test]
fn lines_about_what_is_reserved_show_their_bytes() {
    let target = target("gfx1250").expect("a target");
    let page = Page::read().unwrap_or_else(|e| panic!("{e}"));
    let wrong: Vec<String> = page.reserved.iter().filter_map(|line| line.check(target).err()).collect();
    assert!(page.reserved.len() > 20 && wrong.is_empty(), "{}", wrong.join("\n"));
}
