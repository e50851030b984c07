//! `isa`: the tables as JSON and as text agree with the library.

use super::{is_full, run};
use amdgpu_isa::facts::{Encoding, Flag};
use amdgpu_isa::signature::{OperandSignature, Signature};
use amdgpu_isa::{Access, Format, Opcode, Target};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};

fn list(json: &Json) -> &Vec<Json> {
    json.as_array().unwrap_or_else(|| panic!("{json} is no list"))
}

fn text(json: &Json) -> &str {
    json.as_str().unwrap_or_else(|| panic!("{json} is no text"))
}

fn access(access: Access) -> &'static str {
    match access {
        Access::Read => "r",
        Access::Write => "w",
        Access::ReadWrite => "rw",
    }
}

fn runs(json: &Json) -> Vec<(u64, u64)> {
    let number = |json: &Json| json.as_u64().expect("a number");
    list(json).iter().map(|run| (number(&run[0]), number(&run[1]))).collect()
}

fn operand_agrees(json: &Json, sets: &Json, o: &OperandSignature) {
    let place = || format!("{json}, {o:?}");
    assert_eq!(json["field"], o.field.name(), "{}", place());
    assert_eq!(json["type"], o.ty.name(), "{}", place());
    assert_eq!((json["bits"].as_u64(), json["most_bits"].as_u64()), (Some(o.bits.into()), Some(o.most_bits.into())));
    assert_eq!(json["count"].as_u64(), Some(o.count().into()), "{}", place());
    assert_eq!(json["access"], access(o.access), "{}", place());
    let alignment = (json["scalar_alignment"].as_u64(), json["vector_alignment"].as_u64());
    assert_eq!(alignment, (Some(o.scalar_alignment().into()), Some(o.vector_alignment().into())), "{}", place());
    assert!(o.others().all(|field| list(&json["others"]).contains(&field.name().into())), "{}", place());
    assert_eq!(json["returned"].as_str(), o.returned.map(|field| field.name()), "{}", place());
    assert_eq!(json["optional"], o.optional, "{}", place());
    assert_eq!(
        (json["first"].as_u64(), json["scale"].as_u64()),
        (Some(o.first.into()), Some(o.scale.into())),
        "{}",
        place()
    );
    let codes = runs(&sets[json["codes"].as_u64().expect("a number") as usize]);
    assert!(o.takes.codes.ranges().map(|(a, b)| (a.into(), b.into())).eq(codes), "{}", place());
    let imm = &json["immediate"];
    assert_eq!(imm.is_null(), o.takes.immediate.is_none(), "{}", place());
    if let Some(said) = o.takes.immediate {
        assert_eq!(
            (imm["min"].as_i64(), imm["max"].as_i64()),
            (Some(said.min.into()), Some(said.max.into())),
            "{}",
            place()
        );
        assert_eq!((&imm["bits"], &imm["kind"]), (&said.bits.into(), &said.kind.name().into()), "{}", place());
    }
    let takes: BTreeSet<&str> = list(&json["takes"]).iter().map(text).collect();
    let words = [
        ("sgpr", o.takes.sgprs()),
        ("ttmp", o.takes.ttmps()),
        ("special", o.takes.specials()),
        ("vgpr", o.takes.vgprs()),
        ("vgpr_high", o.takes.halves),
        ("agpr", o.takes.agprs()),
        ("int", o.takes.ints()),
        ("float", o.takes.floats()),
        ("literal", o.takes.literal()),
        ("literal64", o.takes.literal64()),
        ("vcc", o.takes.vcc),
        ("off", o.takes.off),
        ("immediate", o.takes.immediate.is_some()),
    ];
    assert_eq!(takes, words.iter().filter(|w| w.1).map(|w| w.0).collect(), "{}", place());
}

fn form_agrees(json: &Json, sets: &Json, s: &Signature) {
    let operands = list(&json["operands"]);
    assert_eq!(operands.len(), s.operands().count(), "{s:?}");
    operands.iter().zip(s.operands()).for_each(|(json, o)| operand_agrees(json, sets, &o));
    for (json, data) in operands.iter().zip(s.data()) {
        let ty = data.ty.map_or_else(|| format!("b{}", data.bits), |ty| ty.to_string());
        let expected = serde_json::json!({ "type": ty, "count": data.count, "stated": data.stated });
        assert_eq!(json["data"], expected, "{s:?} {json}");
    }
    let modifiers = list(&json["modifiers"]);
    assert_eq!(modifiers.len(), s.modifiers().count(), "{s:?}");
    for (json, m) in modifiers.iter().zip(s.modifiers()) {
        assert_eq!((&json["field"], &json["mask"]), (&m.field.name().into(), &m.mask.into()), "{s:?}");
        let ranges = m.ranges().map(|r| r.map(|(a, b)| (a.into(), b.into())).collect::<Vec<(u64, u64)>>());
        assert_eq!((!json["values"].is_null()).then(|| runs(&json["values"])), ranges, "{s:?} {m:?}");
    }
    let implicit = list(&json["implicit"]).iter().map(|i| (text(&i["access"]), i["when"].as_str()));
    assert!(implicit.eq(s.implicit().map(|i| (access(i.access), i.when.map(|f| f.name())))), "{s:?}");
    assert_eq!(json["scalar_limit"].as_u64(), s.scalar_limit().map(u64::from), "{s:?}");
    assert!(list(&json["flags"]).iter().map(text).eq(s.flags().iter().map(Flag::name)), "{s:?}");
}

/// Compares the properties of an operation other than its forms.
fn facts_agree(json: &Json, s: &Signature) {
    let swapped = s.flags().is_commutable().then(|| s.opcode().swapped().name());
    assert_eq!(json["swapped"].as_str(), swapped, "{s:?}");
    assert_eq!(json["passes"], serde_json::json!(s.passes()), "{s:?}");
    let halves = s.halves().map(|[x, y]| [("x", x), ("y", y)].into_iter().filter(|half| half.1).map(|half| half.0));
    assert_eq!(json["halves"], serde_json::json!(halves.map(Iterator::collect::<Vec<_>>)), "{s:?}");
}

#[test]
fn the_document_has_all_operations_as_the_library_has_them() {
    // The first target of each generation, or all.
    let first = |target: &Target| Target::ALL.iter().find(|t| t.generation() == target.generation()) == Some(target);
    let whole: Vec<Target> = Target::ALL.iter().copied().filter(|target| is_full() || first(target)).collect();
    let names: Vec<&str> = whole.iter().flat_map(|target| ["--target", target.name()]).collect();
    let document: Json =
        serde_json::from_str(&run(&[&["isa", "--json"], &names[..]].concat(), b"").ok()).expect("JSON");
    assert_eq!(document["schema"], 1);
    let targets = list(&document["targets"]);
    assert_eq!(
        targets.iter().map(|t| text(&t["name"])).collect::<Vec<_>>(),
        whole.iter().map(|t| t.name()).collect::<Vec<_>>()
    );
    for (json, &target) in targets.iter().zip(&whole) {
        let machines = list(&json["elf_machines"]).iter().map(|n| n.as_u64().expect("a number") as u32);
        let sized = |n| Target::from_e_flags(n)?.with_wave_size(target.wave_size());
        assert!(machines.clone().all(|n| sized(n) == Some(target)));
        assert_eq!(machines.collect::<Vec<_>>().first(), Some(&target.mach()));
        assert!(list(&json["aliases"]).iter().all(|name| text(name).parse() == Ok(target)));
        let mut found = BTreeMap::new();
        for operation in list(&json["operations"]) {
            let key = (text(&operation["format"]), operation["number"].as_u64().expect("a number") as u16);
            assert!(found.insert(key, operation).is_none(), "{target} {key:?} stands there twice");
        }
        let mut count = 0;
        for (op, Encoding { format, number, .. }) in
            Opcode::ALL.iter().flat_map(|op| op.encodings(target).map(move |encoding| (op, encoding)))
        {
            let spelling = op.mnemonic(target, format).expect("the target has it");
            let operation = found[&(format.name(), number)];
            assert_eq!((text(&operation["name"]), text(&operation["mnemonic"])), (op.name(), spelling));
            assert_eq!(operation["id"], op.number());
            let forms = list(&operation["forms"]);
            let signatures: Vec<_> =
                op.signatures(target).filter(|s| (s.format(), s.number()) == (format, number)).collect();
            assert!(
                forms
                    .iter()
                    .map(|f| f["extension"].as_str())
                    .eq(signatures.iter().map(|s| s.extension().map(Format::name)))
            );
            // The quick run compares a quarter of the operations, others on the next target.
            if is_full() || (count + target as usize).is_multiple_of(4) {
                forms.iter().zip(&signatures).for_each(|(form, s)| form_agrees(form, &json["code_sets"], s));
            }
            facts_agree(operation, &signatures[0]);
            count += 1;
        }
        assert_eq!(count, found.len(), "{target}");
        let banks = target.dual_banks().map(|banks| {
            serde_json::json!({
                "sources": banks.sources, "others": banks.others, "moves": banks.moves, "equal": banks.equal
            })
        });
        assert_eq!(json["dual_banks"], banks.unwrap_or(Json::Null), "{target}");
        fields_agree(json, target);
        names_agree(json, target);
    }
}

/// Checks that the formats have all fields, and that every field that an operation names is one of them.
fn fields_agree(json: &Json, target: Target) {
    let mut names = BTreeSet::from(["vcc"]);
    assert_eq!(list(&json["formats"]).len(), target.layouts().len());
    for (format, layout) in list(&json["formats"]).iter().zip(target.layouts()) {
        assert_eq!((&format["name"], &format["bits"]), (&layout.format.name().into(), &layout.bits.into()));
        let mut bits = BTreeSet::new();
        for (field, info) in list(&format["fields"]).iter().zip(layout.fields) {
            names.insert(info.field.name());
            assert_eq!(
                (&field["name"], field["fixed"].as_u64()),
                (&info.field.name().into(), info.fixed.map(u64::from))
            );
            for piece in list(&field["pieces"]).iter().filter(|_| field["overlay"] == false) {
                let [lsb, width] = [&piece["lsb"], &piece["width"]].map(|n| n.as_u64().expect("a number"));
                (lsb..lsb + width).for_each(|bit| assert!(bits.insert(bit), "{target} {format} {bit}"));
            }
        }
        assert!(bits.into_iter().eq(0..layout.bits.into()), "{target} {}: not all bits", layout.format);
    }
    for form in list(&json["operations"]).iter().flat_map(|o| list(&o["forms"])) {
        let fields = list(&form["operands"]).iter().chain(list(&form["modifiers"]));
        fields.for_each(|f| assert!(names.contains(text(&f["field"])), "{target} {f}"));
    }
}

/// Checks that every code that an operand accepts has a name, and that every name belongs to a code that some operand
/// accepts, and is the name that the disassembler writes.
fn names_agree(json: &Json, target: Target) {
    let codes: Vec<_> = list(&json["operand_codes"])
        .iter()
        .map(|run| {
            (
                runs(&Json::from(vec![Json::from(vec![run["first"].clone(), run["last"].clone()])]))[0],
                text(&run["name"]),
            )
        })
        .collect();
    assert!(codes.windows(2).all(|w| w[0].0.1 < w[1].0.0), "{target}: {codes:?}");
    let named = |code: u64| codes.iter().any(|((first, last), _)| (first..=last).contains(&&code));
    for set in list(&json["code_sets"]) {
        runs(set).into_iter().flat_map(|(a, b)| a..=b).for_each(|code| assert!(named(code), "{target}: {code}"));
    }
    let accepted: BTreeSet<u64> = list(&json["code_sets"]).iter().flat_map(runs).flat_map(|(a, b)| a..=b).collect();
    for ((first, last), name) in &codes {
        assert!((*first..=*last).any(|code| accepted.contains(&code)), "{target}: no operand accepts {name}");
    }
    // LLVM accepts AccVGPRs where the target has matrix operations with them.
    let matrices = target.layouts().iter().any(|layout| layout.format == Format::Vop3pMai);
    assert_eq!(codes.iter().any(|code| code.1 == "a"), matrices, "{target}");
    // s_mov_b32 s0, CODE
    let mov = Opcode::SMovB32.encodings(target).next().expect("all targets have it").number;
    for ((first, last), name) in codes.iter().filter(|c| c.0.0 < 254 && c.1 != "literal") {
        for code in *first..=*last {
            let word = 0xbe80_0000 | u32::from(mov) << 8 | code as u32;
            let inst = amdgpu_isa::decode_words(target, &[word]).expect("it takes all scalars");
            let expected = match *name {
                "s" | "ttmp" => format!("{name}{}", code - first),
                "0" => format!("{}", code - 128),
                "-1" => format!("-{}", code - 192),
                name => name.into(),
            };
            assert_eq!(inst.to_string(), format!("s_mov_b32 s0, {expected}"), "{target} {code}");
        }
    }
    let enumerations = list(&json["enumerations"]);
    let hwreg = enumerations.iter().find(|e| e["name"] == "hwreg").expect("all targets have it");
    let mode = list(&hwreg["values"]).iter().find(|v| v["value"] == 1).expect("all targets have it");
    let from_rdna4 = ["gfx12", "gfx13"].iter().any(|start| target.processor().starts_with(start));
    let name = if from_rdna4 { "HW_REG_WAVE_MODE" } else { "HW_REG_MODE" };
    assert_eq!(mode["name"], name);
    assert!(enumerations.iter().all(|e| !list(&e["values"]).is_empty()));
}

#[test]
fn the_text_has_every_operation_and_form() {
    let out = run(&["isa", "--target", "mi300x", "--target", "gfx942"], b"").ok();
    assert!(out.starts_with("gfx942 (CDNA3)\n\n"), "{out}");
    let target: Target = "gfx942".parse().expect("the tool has all targets");
    let encodings = || Opcode::ALL.iter().flat_map(|op| op.encodings(target).map(move |encoding| (op, encoding)));
    let blocks: Vec<&str> = out.split("\n\n").skip(1).collect();
    assert_eq!(blocks.len(), encodings().count(), "an operation is missing or there twice");
    let heads: BTreeSet<&str> = blocks.iter().filter_map(|block| block.lines().next()).collect();
    for (op, Encoding { format, number, .. }) in encodings() {
        let spelling = op.mnemonic(target, format).expect("the target has it");
        let head = format!("{spelling}  {format} {number}");
        assert!(heads.iter().any(|h| *h == head || h.starts_with(&format!("{head}  ("))), "{head}");
    }
    let block = blocks.iter().find(|block| block.starts_with("v_add_f32  VOP2 1\n")).expect("it has it");
    assert!(block.contains("\n  src0     r   f32          sgpr ttmp special vgpr int float literal\n"), "{block}");
    assert!(block.contains("\n  with SDWA\n") && block.contains("\n  with DPP\n"), "{block}");
}

#[test]
fn an_unknown_target_is_a_wrong_command_line() {
    let message = run(&["isa", "--json", "--target", "gfx1"], b"").fails(2);
    assert!(message.contains("unknown target") && message.contains("gfx942"), "{message}");
}

/// A target is named in the same way for all commands, with settings too.
#[test]
fn targets_can_have_settings() {
    for command in ["isa", "matrix"] {
        let plain = run(&[command, "--target", "gfx942"], b"").ok();
        assert_eq!(run(&[command, "--target", "mi300x:sramecc-:xnack+"], b"").ok(), plain, "{command}");
        for (name, reason) in [
            ("gfx942:fast+", "gfx942 has no setting \"fast\""),
            ("gfx1100:xnack+", "gfx1100 has no setting \"xnack\""),
            ("gfx942:xnack", "must end in + or -"),
            ("gfx942:wave32", "unknown target"),
        ] {
            let refused = run(&[command, "--target", name], b"").fails(2);
            assert!(refused.contains(reason), "{command} {name}: {refused}");
        }
    }
    let saxpy = include_bytes!("../../../tests/samples/gfx942/saxpy.co");
    let refused = run(&["lint", "--target", "gfx942:fast+", "-"], saxpy).fails(2);
    assert!(refused.contains("gfx942 has no setting \"fast\""), "{refused}");
}
