//! The types of the data in operands are those of the formula.

use amdgpu_isa::meaning::{Formula, OperandData, Type};
use amdgpu_isa::signature::{OperandSignature, Signature};
use amdgpu_isa::{Access, Opcode, Target};

fn signatures(target: Target) -> impl Iterator<Item = Signature> {
    Opcode::ALL.iter().flat_map(move |opcode| opcode.signatures(target))
}

fn operands(signature: &Signature) -> Vec<(OperandSignature, OperandData)> {
    let data = signature.data();
    assert_eq!(data.len(), signature.operands().count(), "{signature:?}");
    signature.operands().zip(data).collect()
}

fn texts(target: Target, opcode: Opcode) -> Vec<String> {
    let signature = opcode.signatures(target).next().unwrap_or_else(|| panic!("{target} lacks {opcode}"));
    signature.data().iter().map(|data| data.to_string()).collect()
}

fn has_formula(signature: &Signature) -> bool {
    let text = signature.opcode().meaning(signature.target()).unwrap();
    !Formula::read(text).unwrap().statements.is_empty()
}

/// Operations of gfx1100 whose results have no type but bits, by parts of their names, and the reason.
const BITS: &[(&str, &str)] = &[
    ("_load_dword", "moves"),
    ("ds_read", "moves"),
    ("_swap", "moves"),
    ("_wrxchg", "moves"),
    ("_cmpstore_rtn", "moves"),
    ("_mov_b", "moves"),
    ("movrel", "moves"),
    ("swaprel", "moves"),
    ("s_cmov_b", "moves"),
    ("s_cselect_b", "moves"),
    ("lane", "moves between lanes"),
    ("v_permlane", "moves between lanes"),
    ("_and_", "bit by bit"),
    ("_or_", "bit by bit"),
    ("_xor_", "bit by bit"),
    ("_xnor_", "bit by bit"),
    ("_not_", "bit by bit"),
    ("_or3_", "bit by bit"),
    ("_xor3_", "bit by bit"),
    ("_mskor_", "bit by bit"),
    ("v_bfi_", "bit by bit"),
    ("s_wqm_", "bits of quads"),
    ("s_quadmask_", "bits of quads"),
    ("s_bitset", "sets one bit"),
    ("s_bitreplicate", "places bits"),
    ("brev_", "places bits"),
    ("bfrev_", "places bits"),
    ("_bfm_", "makes a run of bits"),
    ("lshl", "shifts"),
    ("lshr", "shifts"),
    ("v_perm_b32", "chooses bytes"),
    ("s_pack_", "puts two halves together"),
    ("v_cvt_pk_u8_f32", "its formula puts a byte into a word"),
    ("v_cvt_pknorm_", "its formula puts two halves together"),
    ("v_lerp_u8", "its formula puts four bytes together"),
];

#[test]
fn results_are_bits_only_where_bits_are_moved_or_changed_one_by_one() {
    let mut unused: Vec<&str> = BITS.iter().map(|(name, _)| *name).collect();
    let (mut all, mut bits, mut unknown) = (0, 0, 0);
    for signature in signatures(Target::Gfx1100).filter(|s| s.extension().is_none()) {
        for (operand, data) in operands(&signature).into_iter().filter(|(operand, _)| operand.access != Access::Read) {
            let name = signature.opcode().name();
            all += 1;
            assert!(data.stated || !has_formula(&signature), "{name} {}", operand.field);
            if !data.stated {
                unknown += 1;
                assert_eq!((data.ty, data.bits, data.count), (None, operand.bits, 1), "{name} {}", operand.field);
            } else if data.ty.is_none() {
                bits += 1;
                let names = BITS.iter().filter(|(part, _)| name.contains(part)).map(|(part, _)| *part);
                let known: Vec<&str> = names.collect();
                assert!(!known.is_empty(), "{name} {} is {data}", operand.field);
                unused.retain(|part| !known.contains(part));
            }
        }
    }
    println!("{all} results: {bits} are bits, {unknown} have a sentence alone");
    assert!(unused.is_empty(), "no results are bits: {unused:?}");
    assert!(unknown * 8 < all, "{unknown} of {all} results have a sentence alone");
}

/// The names of types in mnemonics of matrix operations, longer ones first, and the types.
const MATRIX: &[(&str, &str)] = &[
    ("bf16", "bf16"),
    ("f16", "f16"),
    ("f32", "f32"),
    ("f64", "f64"),
    ("bf8", "bf8"),
    ("fp8", "fp8"),
    ("iu8", "iu8"),
    ("iu4", "iu4"),
    ("i32", "i32"),
    ("i8", "i8"),
    ("f4", "fp4"),
];

/// The types in a mnemonic, in order: `v_mfma_f32_16x16x32_bf8_fp8` has `f32`, `bf8` and `fp8`.
fn types_in(mut name: &str) -> Vec<&'static str> {
    let mut all = Vec::new();
    while !name.is_empty() {
        match MATRIX.iter().find(|(word, _)| name.starts_with(word)) {
            Some((word, ty)) => {
                all.push(*ty);
                name = &name[word.len()..];
            }
            None => name = &name[1..],
        }
    }
    all
}

#[test]
fn operands_of_matrix_operations_have_the_types_of_the_mnemonic() {
    let mut count = 0;
    for &target in Target::ALL {
        let matrices = signatures(target)
            .filter(|s| ["v_mfma_", "v_wmma_"].iter().any(|start| s.opcode().name().starts_with(start)));
        for signature in matrices.filter(|signature| has_formula(signature) && signature.operands().count() == 4) {
            let name = signature.opcode().name();
            let all = operands(&signature);
            let element = |n: usize| all[n].1.ty.unwrap_or_else(|| panic!("{name}: {n} is bits")).to_string();
            let types = types_in(name);
            // v_wmma_bf16f32: the result and the added matrix have different types.
            let (d, c) = if name.contains("bf16f32") { (types[0], types[1]) } else { (types[0], types[0]) };
            assert_eq!((element(0), element(3)), (d.into(), c.into()), "{target} {name}");
            let chosen = name.contains("f8f6f4");
            let factors = &types[if name.contains("bf16f32") { 2 } else { 1 }..];
            let [a, b] = match factors {
                _ if chosen => ["fa", "fb"],
                [one] => [*one, *one],
                [a, b] => [*a, *b],
                _ => panic!("{name} names {types:?}"),
            };
            assert_eq!((element(1), element(2)), (a.into(), b.into()), "{target} {name}");
            for (operand, data) in &all {
                assert_eq!(data.bits * data.count, operand.bits, "{target} {name} {}", operand.field);
            }
            count += 1;
        }
    }
    println!("{count} matrix operations");
    assert!(count >= 280, "{count}");
}

/// The promises of `data` about every operand hold.
#[test]
fn elements_fit_in_the_operand() {
    for &target in Target::ALL {
        for signature in signatures(target) {
            for (operand, data) in operands(&signature) {
                let place = || format!("{signature:?} {}: {data}, {} bits", operand.field, operand.bits);
                assert!(data.count >= 1 && data.bits >= 1, "{}", place());
                assert!(
                    data.count == 1 || u32::from(data.count) * u32::from(data.bits) <= operand.bits.into(),
                    "{}",
                    place()
                );
                assert!(data.stated || data.ty.is_none(), "{}", place());
                if data.ty == Some(Type::Lane) {
                    assert_eq!(data.count, operand.bits, "{}", place());
                }
            }
        }
    }
}

#[test]
fn operands_have_the_types_that_the_formula_gives_them() {
    assert_eq!(texts(Target::Gfx942, Opcode::VAddCoU32), ["u32", "lane", "u32", "u32"]);
    assert_eq!(texts(Target::Gfx942, Opcode::VDot4I32I8), ["i32", "i8x4", "i8x4", "i32"]);
    assert_eq!(texts(Target::Gfx1100, Opcode::VPkFmaF16), ["f16x2", "f16x2", "f16x2", "f16x2"]);
    assert_eq!(texts(Target::Gfx1100, Opcode::VFmaMixF32), ["f32", "mix", "mix", "mix"]);
    assert_eq!(texts(Target::Gfx1100, Opcode::VCvtF64I32), ["f64", "i32"]);
    assert_eq!(texts(Target::Gfx942, Opcode::SAndSaveexecB64), ["lane", "lane"]);
    assert_eq!(texts(Target::Gfx942, Opcode::SBcnt1I32B64), ["i32", "b64"]);
    // Data in memory have the type that is loaded or stored. Addresses are bits.
    assert_eq!(texts(Target::Gfx942, Opcode::GlobalLoadSbyte), ["i32", "b32", "b64"]);
    assert_eq!(texts(Target::Gfx942, Opcode::GlobalStoreShort), ["b32", "b16", "b64"]);
    assert_eq!(texts(Target::Gfx942, Opcode::GlobalLoadDwordx4), ["b128", "b32", "b64"]);
    assert_eq!(texts(Target::Gfx942, Opcode::DsRead2B32), ["b32x2", "b32"]);
    assert_eq!(texts(Target::Gfx942, Opcode::DsAddF32), ["b32", "f32"]);
    assert_eq!(texts(Target::Gfx1100, Opcode::BufferAtomicAddF32)[0], "f32");
}

#[test]
fn a_sentence_leaves_the_bits_of_the_operands() {
    let signature = Opcode::VMfmaLdScaleB32.signatures(Target::Gfx950).next().unwrap();
    let data = signature.data();
    assert!(data.iter().all(|data| data.ty.is_none() && !data.stated));
    assert_eq!(data.iter().map(|data| data.bits).collect::<Vec<_>>(), [32, 32]);
}
