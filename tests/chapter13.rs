//! Every opcode of every table in the manual's chapter 13 decodes, prints its name and encodes, or the erratum next to
//! it in `tests/chapter13.tsv` has the reason.
#![cfg(all(feature = "gfx942", feature = "text"))]

use crate::words;

use amdgpu_isa::{DecodeError, Format, Opcode, Target, decode};
use std::collections::{BTreeMap, BTreeSet};
use words::{Rng, bytes, encodings, layout, legal, set};

const TARGET: Target = Target::Gfx942;

struct Row<'a> {
    table: u32,
    format: &'a str,
    number: u16,
    name: &'a str,
    erratum: Option<Erratum<'a>>,
}

struct Erratum<'a> {
    kind: &'a str,
    number: u16,
    name: &'a str,
}

fn rows() -> Vec<Row<'static>> {
    let lines = include_str!("chapter13.tsv").lines().filter(|l| !l.starts_with('#'));
    lines
        .map(|line| {
            let cells: Vec<&str> = line.split('\t').collect();
            let [table, format, number, name, ref erratum @ ..] = cells[..] else { panic!("short row: {line}") };
            let erratum = erratum.first().map(|e| {
                let words: Vec<&str> = e.split(' ').collect();
                let [kind, number, name] = words[..] else { panic!("erratum is no KIND NUMBER NAME: {line}") };
                Erratum { kind, number: number.parse().unwrap(), name }
            });
            Row { table: table.parse().unwrap(), format, number: number.parse().unwrap(), name, erratum }
        })
        .collect()
}

/// The format and the operation of the library for a format and a number of the manual. Table 89 covers VOP3P and
/// VOP3P-MAI.
fn find(all: &[(Format, u16, Opcode)], format: &str, number: u16) -> Option<(Format, u16, Opcode)> {
    let same = |f: Format| f.name() == format || format == "VOP3P" && f.name() == "VOP3P-MAI";
    all.iter().copied().find(|(f, n, _)| same(*f) && *n == number)
}

/// The mnemonic without the suffix of its encoding.
fn mnemonic(text: &str) -> &str {
    let word = text.split(' ').next().unwrap_or("");
    let suffixes = ["_e32", "_e64", "_sdwa", "_dpp"];
    suffixes.iter().find_map(|s| word.strip_suffix(s)).unwrap_or(word)
}

#[test]
fn every_opcode_decodes_prints_and_encodes() {
    let all = encodings(TARGET);
    let mut rng = Rng(13);
    for row in rows().iter().filter(|r| r.erratum.as_ref().is_none_or(|e| e.kind != "no-vop3")) {
        let (number, name) = row.erratum.as_ref().map_or((row.number, row.name), |e| (e.number, e.name));
        let place = format!("table {}: {} {number} {name}", row.table, row.format);
        let encoding = find(&all, row.format, number).unwrap_or_else(|| panic!("{place}: no such opcode"));
        for inst in legal(TARGET, encoding, 6, &mut rng) {
            let text = inst.to_string();
            assert_eq!(mnemonic(&text), name, "{place}: {text}");
            let mut out = [0; 20];
            let len = inst.encode(&mut out).unwrap();
            assert_eq!(out[..len], bytes(inst.words()), "{place}");
            assert_eq!(decode(TARGET, &out[..len]), Ok(inst), "{place}");
        }
    }
}

#[test]
fn every_erratum_is_one() {
    let all = encodings(TARGET);
    let name_at = |format: &str, number| find(&all, format, number).map(|(.., op)| op.name());
    for row in rows() {
        let Some(e) = row.erratum else { continue };
        let place = format!("table {}: {} {} {}", row.table, row.format, row.number, row.name);
        match e.kind {
            "vop1-base" => {
                assert_eq!(e.number + 64, row.number, "{place}");
                assert_eq!(name_at("VOP1", e.number - 320), Some(e.name), "{place}");
                assert_ne!(name_at("VOP3A", row.number), Some(e.name), "{place}: the number is right");
            }
            "no-vop3" => {
                assert_eq!(name_at("VOP1", e.number - 320), Some(row.name), "{place}");
                let mut words = [0; 2];
                for field in layout(TARGET, Format::Vop3a).fields {
                    let value = field.fixed.or((field.field.name() == "op").then_some(e.number));
                    set(&mut words, field, value.unwrap_or(0).into());
                }
                let refused = Err(DecodeError::UnknownOpcode { format: Format::Vop3a, opcode: e.number });
                assert_eq!(decode(TARGET, &bytes(&words)), refused, "{place}");
            }
            "blank" => assert!(row.name.contains(' ') && row.name.replace(' ', "_") == e.name, "{place}"),
            "spelling" => assert!(row.name.replace(' ', "_") != e.name && row.number == e.number, "{place}"),
            other => panic!("{place}: unknown erratum `{other}`"),
        }
    }
}

#[test]
fn the_tables_have_as_many_rows_as_the_manual() {
    let mut counts = BTreeMap::new();
    let mut errata = BTreeMap::new();
    for row in rows() {
        *counts.entry((row.table, row.format)).or_insert(0) += 1;
        if let Some(e) = row.erratum {
            *errata.entry((row.table, e.kind)).or_insert(0) += 1;
        }
    }
    let expected = [
        ((65, "SOP2"), 52),
        ((67, "SOPK"), 21),
        ((69, "SOP1"), 54),
        ((71, "SOPC"), 20),
        ((73, "SOPP"), 30),
        ((75, "SMEM"), 82),
        ((77, "VOP2"), 61),
        ((79, "VOP1"), 81),
        ((82, "VOPC"), 198),
        ((84, "VOP3A"), 433),
        ((86, "VOP3B"), 10),
        ((89, "VOP3P"), 81),
        ((95, "DS"), 128),
        ((97, "MTBUF"), 16),
        ((99, "MUBUF"), 73),
        ((101, "FLAT"), 54),
        ((102, "GLOBAL"), 59),
        ((103, "SCRATCH"), 27),
    ];
    assert_eq!(counts, BTreeMap::from(expected));
    let expected = [
        ((84, "no-vop3"), 3),
        ((84, "vop1-base"), 78),
        ((89, "spelling"), 5),
        ((95, "blank"), 41),
        ((99, "blank"), 10),
        ((101, "blank"), 4),
        ((101, "spelling"), 6),
        ((102, "blank"), 13),
        ((103, "blank"), 9),
    ];
    assert_eq!(errata, BTreeMap::from(expected));
}

/// The library has only a known list of operations that the chapter omits, and that the hardware has as far as LLVM
/// knows.
#[test]
fn nothing_is_added_but_what_is_known_to_be_missing() {
    let all = encodings(TARGET);
    let listed: BTreeSet<_> = rows()
        .iter()
        .filter_map(|r| find(&all, r.format, r.erratum.as_ref().map_or(r.number, |e| e.number)))
        .map(|(format, number, _)| (format, number))
        .collect();
    let added: BTreeSet<_> = all
        .iter()
        .filter(|(f, n, _)| !listed.contains(&(*f, *n)))
        .map(|(f, n, op)| (f.name(), *n, op.name()))
        .collect();
    let expected = [
        ("SMEM", 38, "s_atc_probe"),
        ("SMEM", 39, "s_atc_probe_buffer"),
        ("SOP2", 43, "s_rfe_restore_b64"),
        ("SOPP", 30, "s_endpgm_ordered_ps_done"),
        ("VOP1", 55, "v_screen_partition_4se_b32"),
        ("VOP1", 75, "v_exp_legacy_f32"),
        ("VOP1", 76, "v_log_legacy_f32"),
        ("VOP3A", 375, "v_screen_partition_4se_b32"),
        ("VOP3A", 395, "v_exp_legacy_f32"),
        ("VOP3A", 396, "v_log_legacy_f32"),
    ];
    assert_eq!(added, BTreeSet::from(expected));
}
