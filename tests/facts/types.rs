//! The widths and data types of operands, and whether each is written, are those of LLVM's instruction descriptions,
//! for every operation of every target in all its forms. Lists in this file have the exceptions, with reasons.
//!
//! `tests/facts/operands.txt` has LLVM's operands: the widths of all of them, and the data types of sources that can be
//! constants. `tests/facts/describe.sh` writes the file.

use std::collections::{BTreeMap, BTreeSet};

use super::{all, extension, is_like, name};
use crate::llvm_mc;
use amdgpu_isa::signature::Signature;
use amdgpu_isa::{Access, Field, Format, Inst, Operand, Reg, Target, Value};

/// An operand that is a register, or a constant in place of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Shape<'a> {
    written: bool,
    bits: u16,
    ty: Option<&'a str>,
    /// Whether the operand is a mask, with a bit for each lane. LLVM describes every mask with 64 bits.
    mask: bool,
}

fn ours(inst: &Inst) -> Vec<Shape<'static>> {
    let extension = extension(inst);
    let dual = inst.second_opcode().is_some();
    let types = |second: bool| -> Vec<(&str, (&str, u16))> {
        let opcode = if second { inst.second_opcode() } else { Some(inst.opcode()) };
        let all = opcode.into_iter().flat_map(|opcode| opcode.signatures(inst.target()));
        let own = all.filter(|s| (s.format(), s.extension()) == (inst.format(), extension));
        own.flat_map(|s| s.operands()).map(|o| (bare(o.field.name(), dual), (o.ty.name(), o.count()))).collect()
    };
    let (first, second) = (types(false), types(true));
    let shown = |o: &Operand| {
        // On GCN 1.2, vcc is an operand of compares with SDWA in LLVM's description.
        let vcc = o.role == Some(Field::Vcc) && (extension != Some(Format::Sdwab) || !o.access.writes());
        let role = !vcc && o.role.is_some_and(|field| field != Field::Literal);
        role && !matches!(o.value, Value::Imm(_) | Value::Label(_) | Value::Off)
    };
    let shape = |o: Operand| {
        let role = o.role.expect("it is shown").name();
        let types = if dual && role.ends_with('y') { &second } else { &first };
        let (_, (ty, count)) =
            types.iter().find(|(field, _)| *field == bare(role, dual)).expect("the signature has it");
        let scalar = matches!(o.value, Value::Reg(Reg::Sgpr(_) | Reg::Ttmp(_) | Reg::Special(_) | Reg::Vcc));
        let mask = inst.format().name().starts_with("VOP") && o.bits == inst.target().wave_size() && scalar;
        // The width of a wide operand is computed from its type, so that the comparison tests the type, too.
        let digits = ty.trim_start_matches(|c: char| !c.is_ascii_digit());
        let pair = if ty.starts_with("pk_") { 2 } else { 1 };
        let value = digits.parse().map_or(o.bits, |bits: u16| (pair * bits).max(32));
        let bits = if o.bits > 32 { count * value } else { o.bits };
        Shape { written: o.access != Access::Read, bits, ty: Some(ty), mask }
    };
    // LLVM describes an image atomic without a result like the one with a result.
    let returns = [Format::Mimg, Format::Vimage].contains(&inst.format()) && inst.flags().is_atomic();
    let shape = |o: Operand| {
        let Shape { written, .. } = shape(o);
        Shape { written: written || returns && o.role == Some(Field::Vdata), ..shape(o) }
    };
    let mut all: Vec<_> = inst.operands().filter(shown).map(shape).collect();
    // LLVM lists written operands first, also those of the second operation.
    all.sort_by_key(|o| !o.written);
    all
}

/// The name of a field, without the letter of the half of a dual instruction.
fn bare(field: &'static str, dual: bool) -> &'static str {
    if dual { field.trim_end_matches(['x', 'y']) } else { field }
}

/// The operands in a text such as `w32 r64:f64`.
fn theirs(text: &str) -> Vec<Shape<'_>> {
    let operands = text.split(' ').filter(|t| *t != "-");
    operands
        .map(|token| {
            let (access, rest) = token.split_at(1);
            let (bits, ty) = rest.split_once(':').map_or((rest, None), |(bits, ty)| (bits, Some(ty)));
            Shape { written: access == "w", bits: bits.parse().expect("a width"), ty, mask: false }
        })
        .collect()
}

/// The differences in data types between the library and LLVM's descriptions: form, operation, the library's type,
/// LLVM's type, and the reason.
const TYPES: [(&str, &str, &str, &str, &str); 14] = [
    ("SOP*", "s_*_f32", "f32", "i32", "LLVM describes a scalar source as any 32 bits"),
    ("SOP*", "s_*_f16", "f16", "i16", "the same with 16 bits"),
    ("SOP*", "s_*_f16", "f16", "i32", "the same"),
    ("SOP1", "s_cvt_hi_f32_f16", "b", "i32", "the upper half is read"),
    ("VOP2+SDWA", "v_cndmask_b32", "i32", "f32", "LLVM's source has the modifiers of a float"),
    ("VOPC+SDWAB", "v_cmp*_class_f32", "i32", "f32", "the second source is a mask of classes"),
    ("VOPC+SDWAB", "v_cmp*_class_f16", "i32", "f16", "the same"),
    ("VOP1+SDWA", "v_movrel*", "b", "i32", "only a vector register can be the source"),
    ("VOP2+SDWA", "v_pk_fmac_f16", "pk_f16", "f32", "LLVM has the modifiers of a float there"),
    (
        "VOP3P",
        "v_wmma_*",
        "*",
        "f64",
        "LLVM takes any eight registers for halves of 64 bits: gfx1100 has no constants there",
    ),
    ("VOP3P", "v_wmma_*", "*", "f32", "the same with four registers"),
    ("VOP3P*", "v_wmma_*f32_32x16x128_f4", "f32", "i32", "LLVM takes a sum of sixteen registers for any 32 bits"),
    ("VOP3A", "v_cvt_*bf16", "f16", "bf16", "a constant is one of f16 in the text"),
    ("VOP1+SDWA", "v_cvt_f32_bf16", "bf16", "f16", "LLVM has one kind of 16-bit source in SDWA"),
];

/// The operations for which LLVM disagrees, in some forms, whether an operand is written: pattern, and reason.
const WRITTEN: [(&str, &str); 2] = [
    ("_movrel*", "the operation writes a register after the one that it names"),
    ("_subvector_loop_*", "LLVM has the counter, which changes, as an input"),
];

/// The operations that write one half of a register, for which LLVM's description has the whole register: pattern, and
/// reason.
const HALVES: [(&str, &str); 1] = [("v_ashr_pk_*", "LLVM 22 has no halves there; LLVM 24 assembles them")];

/// Compares the two lists of operands, and describes the difference if no list above has it. Adds the index of each
/// line of `TYPES` that explains a difference to `met`.
fn difference(form: &str, name: &str, ours: &[Shape], theirs: &[Shape], met: &mut BTreeSet<usize>) -> Option<String> {
    // Lists without types are compared in any order: LLVM's memory operations have their address before or after the
    // data.
    let typed = theirs.iter().any(|o| o.ty.is_some());
    let unsure = WRITTEN.iter().any(|(names, _)| is_like(names, name.trim_start_matches(['s', 'v'])));
    let ordered = |list: &[Shape]| {
        let mut list: Vec<_> = list.iter().map(|o| (o.written && !unsure, o.bits)).collect();
        if !typed {
            list.sort();
        }
        list
    };
    let has_halves = HALVES.iter().any(|(names, _)| is_like(names, name));
    let same = |theirs: &[Shape]| {
        let is_half = |a: &Shape, b: &Shape| has_halves && a.written && (a.bits, b.bits) == (16, 32);
        let bits = |(a, b): (&Shape, &Shape)| if a.mask && b.bits == 64 || is_half(a, b) { a.bits } else { b.bits };
        let masked: Vec<Shape> = ours.iter().zip(theirs).map(|(a, b)| Shape { bits: bits((a, b)), ..*b }).collect();
        ours.len() == theirs.len() && ordered(ours) == ordered(&masked)
    };
    // Some descriptions have a partly kept destination twice: as the destination and as a source. Each of these lists
    // leaves out one such source.
    let first = theirs.iter().find(|o| o.written);
    let without = (0..theirs.len())
        .filter(|n| first.is_some_and(|w| !theirs[*n].written && theirs[*n].bits == w.bits && theirs[*n].ty.is_none()))
        .map(|n| [&theirs[..n], &theirs[n + 1..]].concat());
    let of_these_widths: Vec<_> = [theirs.to_vec()].into_iter().chain(without).filter(|list| same(list)).collect();
    if of_these_widths.is_empty() {
        return Some(format!("{ours:?}\n  LLVM {theirs:?}"));
    }
    // The index of the line of `TYPES` that explains a pair of types, if there is one.
    let listed = |a: &str, b: &str| {
        let mut lines = TYPES.iter();
        lines.position(|t| is_like(t.0, form) && is_like(t.1, name) && is_like(t.2, a) && t.3 == b)
    };
    // In these forms LLVM gives a type to every source that can be a constant, except for barriers and matrices. So a
    // source without a type cannot be a constant.
    let plain = ["VOP1", "VOP3A", "VOP3B", "VOP3P", "VOP3P-MAI", "SOP1", "SOP2", "SOPC", "SOPK"].contains(&form);
    let told = plain && !name.contains("_barrier") && !name.contains("_wmma_") && !name.contains("_swmmac_");
    let pairs = |theirs: &[Shape<'_>]| -> Vec<(String, String)> {
        let read = ours.iter().zip(theirs).filter(|(a, _)| !a.written);
        let of = |o: &Shape<'_>| o.ty.or(told.then_some("b")).map(str::to_string);
        let types = read.filter_map(|(a, b)| Some((a.ty?.to_string(), of(b)?)));
        types.filter(|(a, b)| a != b).collect()
    };
    let all: Vec<_> = of_these_widths.iter().map(|list| pairs(list)).collect();
    let good = all.iter().find(|pairs| pairs.iter().all(|(a, b)| listed(a, b).is_some()));
    match good {
        Some(pairs) => met.extend(pairs.iter().filter_map(|(a, b)| listed(a, b))),
        None => return Some(format!("{:?}: our types, and LLVM's", all[0])),
    }
    None
}

/// LLVM's operands by target, form and operation.
fn snapshot() -> BTreeMap<String, &'static str> {
    let mut of = BTreeMap::new();
    let mut operands = "";
    for line in include_str!("operands.txt").lines().filter(|l| !l.starts_with('#')) {
        if let Some(text) = line.strip_prefix("= ") {
            operands = text;
            continue;
        }
        let (head, names) = line.split_once(": ").expect("targets, a form and operations");
        let (targets, form) = head.split_once(' ').expect("targets and a form");
        for name in names.split(' ') {
            of.extend(targets.split(',').map(|target| (format!("{target} {form} {name}"), operands)));
        }
    }
    of
}

#[test]
fn operands_are_those_of_llvm() {
    let of = snapshot();
    let mut met = BTreeSet::new();
    let (mut asked, mut typed, mut faults) = (0, 0, Vec::new());
    for target in llvm_mc::targets() {
        for (form, inst) in all(target).into_iter().filter(|(_, inst)| llvm_mc::has(inst.opcode())) {
            // LLVM lists no sources for exports, and the number of registers of an NSA address depends on the image.
            if form.starts_with("EXP") || form.contains("+NSA") {
                continue;
            }
            let name = name(&inst);
            let Some(text) = of.get(&format!("{target} {form} {name}")) else {
                let listed = super::LLVM_LACKS.contains(&name.as_str());
                faults.extend((!listed).then(|| format!("{target} {form} {name}: LLVM has it not")));
                continue;
            };
            asked += 1;
            typed += usize::from(text.contains(':'));
            let bytes: String = super::words::bytes(inst.words()).iter().map(|b| format!("{b:02x}")).collect();
            let found = difference(&form, &name, &ours(&inst), &theirs(text), &mut met);
            faults.extend(found.map(|fault| format!("{target} {form} {name} {bytes}: {fault}")));
        }
    }
    assert!(faults.is_empty(), "{}\n{} differences", faults.join("\n"), faults.len());
    let unmet: Vec<_> = (0..TYPES.len()).filter(|n| !met.contains(n)).map(|n| TYPES[n]).collect();
    assert!(unmet.is_empty(), "no differences any more: {unmet:?}");
    println!("{asked} operations and forms, {typed} with sources that can be constants");
    assert!(asked > 60_000 && typed > 35_000, "only {asked}, {typed}");
}

/// A data type says how constants read and print. An operand that cannot be a constant in any form of the operation has
/// none. If LLVM's description has several types for the sources, the operand has one of them.
#[test]
fn types_are_where_constants_can_be() {
    let mut of: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
    let snapshot = snapshot();
    for (key, operands) in &snapshot {
        let (target, rest) = key.split_once(' ').expect("a target");
        let (_, name) = rest.split_once(' ').expect("a form and an operation");
        let types = theirs(operands).into_iter().filter_map(|o| o.ty);
        of.entry((target, name)).or_default().extend(types);
    }
    let (mut none, mut some, mut faults) = (0, 0, BTreeSet::new());
    for &target in Target::ALL {
        for (form, inst) in all(target) {
            let name = name(&inst);
            let Some(types) = of.get(&(target.name(), name.as_str())) else { continue };
            let alu = ["VOP", "SOP", "VINTERP", "VINTRP"].iter().any(|start| form.starts_with(start));
            // The name of a scalar operation on floats has the type, where LLVM's description has any bits. The names
            // of matrix operations have their types, too.
            let suffix = name.rsplit('_').next().expect("a name has parts");
            let scalar_float = form.starts_with("SOP") && ["f16", "f32"].contains(&suffix);
            let matrix = name.starts_with("v_wmma_") || name.starts_with("v_swmmac_");
            let extension = extension(&inst);
            let of_form = |s: &Signature| (s.format(), s.extension()) == (inst.format(), extension);
            let signature = inst.opcode().signatures(target).find(of_form).expect("it has this form");
            for operand in signature.operands() {
                let ty = operand.ty.name();
                // In a name, `bf16f32` means results of the type bf16 and sums of the type f32.
                let sums = format!("bf16{ty}");
                let good = match ty {
                    "b" => true,
                    _ if matrix && [Field::Src2, Field::Vdst].contains(&operand.field) => {
                        name.split('_').any(|part| part == ty || part == sums)
                    }
                    _ if operand.access != Access::Read => false,
                    _ if !alu => operand.field == Field::Soffset && ty == "i32",
                    _ if scalar_float => ty == suffix,
                    _ if form.starts_with("VINTERP") => name.contains(&format!("_{ty}")),
                    // The operand is the number of a barrier.
                    _ if types.is_empty() => name.contains("_barrier") && ty == "i32",
                    // In the text, a constant for a bf16 operand is written as for f16.
                    "f16" if name.ends_with("_bf16") => types.contains("bf16"),
                    _ => types.contains(ty),
                };
                *(if ty == "b" { &mut none } else { &mut some }) += 1;
                if !good {
                    faults.insert(format!("{form} {name}@{target}: {} is {ty}, and LLVM has {types:?}", operand.field));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
    println!("{none} without a type, {some} with one");
    assert!(none > 90_000 && some > 60_000, "{none}, {some}");
}
