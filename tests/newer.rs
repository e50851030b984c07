//! Targets and operations that LLVM 22 does not know: what LLVM 24's assembler and LLVM 23's disassembler say of a sample of
//! texts. `newer/*.tsv` has them, and where they are from.
#![cfg(feature = "all-targets")]

use std::collections::HashSet;

use amdgpu_isa::{Filler, Inst, Opcode, Target, decode, parse};

const SAMPLES: &[(&str, &str)] = &[
    ("gfx1170", include_str!("newer/gfx1170.tsv")),
    ("gfx1251", include_str!("newer/gfx1251.tsv")),
    ("gfx12-5-generic", include_str!("newer/gfx12-5-generic.tsv")),
    ("gfx1310", include_str!("newer/gfx1310.tsv")),
];

/// The bytes that LLVM 24 makes of a text are the text again here, and the bytes of the text are the same. LLVM 22 knows
/// gfx1251; there the filler of unused sources has to be asked for.
#[test]
fn texts_and_bytes_are_those_of_newer_llvms() {
    let mut wrong = Vec::new();
    for &(name, lines) in SAMPLES {
        for line in lines.lines().filter(|line| !line.starts_with('#')) {
            let (hex, text) = line.split_once('\t').expect("a tab");
            let (waves, hex) = hex.split_once(' ').unwrap_or(("", hex));
            let target: Target = format!("{name}{waves}").parse().expect(name);
            let found = parse(target, text);
            let filled = |inst: Inst| if name == "gfx1251" { inst.with_filler(Filler::Llvm23) } else { inst };
            if hex == "!" {
                if let Ok(inst) = found {
                    wrong.push(format!("{target} takes {text} as {:08x?}", inst.words()));
                }
                continue;
            }
            let bytes: Vec<u8> =
                (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..][..2], 16).unwrap()).collect();
            let read = match decode(target, &bytes) {
                Ok(inst) => inst,
                Err(error) => {
                    wrong.push(format!("{target} {hex} {text}: {error}"));
                    continue;
                }
            };
            if read.to_string() != text || read.words().len() * 4 != bytes.len() {
                wrong.push(format!("{target} {hex} {text}: is {read}"));
            }
            match found {
                Ok(inst) if filled(inst).words() == read.words() => {}
                Ok(inst) => wrong.push(format!("{target} {hex} {text}: becomes {:08x?}", inst.words())),
                Err(error) => wrong.push(format!("{target} {hex} {text}: {error}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Each target is another one without some forms, and with others: as many as LLVM 24 says. Forms of one operation that have
/// another name are the same, except for those of dual operations, which are operations of their own.
#[test]
fn they_differ_from_older_targets_by_as_many_forms_as_llvm_says() {
    for (newer, older, added, removed) in [
        ("gfx1170", "gfx1150", 52, 5),
        ("gfx1251", "gfx1250", 9, 0),
        ("gfx12-5-generic", "gfx1250", 0, 57),
        ("gfx1310", "gfx1250", 638, 661),
    ] {
        let forms = |name: &str| -> HashSet<_> {
            let target: Target = name.parse().expect(name);
            Opcode::ALL.iter().flat_map(|op| op.encodings(target).map(move |form| (*op, form))).collect()
        };
        let (new, old) = (forms(newer), forms(older));
        let found = (new.difference(&old).count(), old.difference(&new).count());
        assert_eq!(found, (added, removed), "{newer}, {older}");
    }
}
