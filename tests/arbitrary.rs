//! Arbitrary bytes give instructions: some that decode, valid ones that keep all rules, and nearly valid ones that
//! break one rule and report it; for every target and nearly every operation, from few bytes. Needs the feature
//! `arbitrary`.
use crate::generations::is_from_rdna3;
use crate::words;

use amdgpu_isa::arbitrary::{Broken, NearValid, near_valid, near_valid_bytes, valid};
use amdgpu_isa::check::RuleError;
use amdgpu_isa::{DecodeError, Format, Inst, Target, decode, decode_words};
use arbitrary::{Arbitrary, Unstructured};
use std::collections::{BTreeMap, BTreeSet};
use words::{Rng, has_even_tuples, is_rdna};

fn random(rng: &mut Rng, len: usize) -> Vec<u8> {
    (0..len).map(|_| rng.number() as u8).collect()
}

#[test]
fn arbitrary_bytes_give_legal_instructions_of_all_kinds() {
    let mut rng = Rng(1);
    let (mut operations, mut extensions) = (BTreeSet::new(), BTreeSet::new());
    let all: usize = Target::ALL.iter().map(|t| words::encodings(*t).len()).sum();
    for _ in 0..all * 20 {
        let bytes = random(&mut rng, 32);
        let mut u = Unstructured::new(&bytes);
        let inst = Inst::arbitrary(&mut u).unwrap_or_else(|e| panic!("{bytes:02x?}: {e}"));
        assert_eq!(decode_words(inst.target(), inst.words()), Ok(inst));
        assert!(32 - u.len() <= Inst::size_hint(0).1.unwrap(), "{inst:?} took {} bytes", 32 - u.len());
        operations.insert((inst.target(), inst.format(), inst.opcode()));
        extensions.insert((inst.target(), inst.extension()));
    }
    assert!(operations.len() * 100 > all * 98, "only {} of {all} operations", operations.len());
    for &target in Target::ALL {
        assert!(extensions.contains(&(target, None)), "{target}");
        assert!(extensions.iter().any(|(t, e)| *t == target && e.is_some()), "{target}: nothing with a dword after it");
    }
}

#[test]
fn no_bytes_give_an_instruction_too() {
    let inst = Inst::arbitrary(&mut Unstructured::new(&[])).unwrap();
    assert_eq!(decode_words(inst.target(), inst.words()), Ok(inst));
    for &target in Target::ALL {
        let inst = valid(target, &mut Unstructured::new(&[])).unwrap();
        assert_eq!((inst.target(), inst.check(), inst.extension()), (target, Ok(()), None));
        near(target, &[]);
        near_bytes(target, &[]);
    }
}

#[test]
fn valid_instructions_keep_every_rule_and_take_few_bytes() {
    let mut rng = Rng(2);
    // The quick run tries the first target of each generation, and the full run all targets.
    let first = |target: &Target| Target::ALL.iter().find(|t| t.generation() == target.generation()) == Some(target);
    let tried = Target::ALL.iter().filter(|target| words::is_full() || first(target));
    for &target in tried {
        let (mut operations, mut extensions, mut registers) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let all: BTreeSet<_> = words::encodings(target).into_iter().map(|(format, _, op)| (format, op)).collect();
        // Even on a target with few operations, only about one draw in a thousand gives a particular operation.
        let (rounds, mut taken) = ((all.len() * 60).max(40_000), 0);
        for _ in 0..rounds {
            let bytes = random(&mut rng, 40);
            let mut u = Unstructured::new(&bytes);
            let inst = valid(target, &mut u).unwrap_or_else(|e| panic!("{target} {bytes:02x?}: {e}"));
            assert_eq!(inst.check(), Ok(()), "{inst:?}");
            assert!(inst.is_canonical(), "{inst:?}");
            assert_eq!(decode_words(target, inst.words()), Ok(inst));
            taken += bytes.len() - u.len();
            assert!(bytes.len() - u.len() <= 24, "{inst:?} took {} bytes", bytes.len() - u.len());
            operations.insert((inst.format(), inst.opcode()));
            operations.extend(inst.second_opcode().map(|op| (inst.format(), op)));
            extensions.insert(inst.extension());
            registers.extend(inst.operands().filter_map(|o| match o.value {
                amdgpu_isa::Value::Reg(reg) => Some(reg),
                _ => None,
            }));
        }
        let average = taken as f64 / rounds as f64;
        println!("{target}: {average:.2} bytes for an instruction, {} operations", operations.len());
        // Operations of RDNA have more fields.
        let most = if is_rdna(target) { 11.0 } else { 9.0 };
        assert!(average < most, "{target}: {average:.2} bytes for an instruction");
        let missing: Vec<_> = all.difference(&operations).collect();
        assert!(missing.len() * 100 < all.len(), "{target}: {missing:?}");
        let mut announced: BTreeSet<Format> =
            target.layouts().iter().flat_map(|l| l.extends).map(|e| e.format).collect();
        // The code that announces a literal of 64 bits does so in some operands only.
        announced.extend(target.layouts().iter().map(|l| l.format).filter(|format| *format == Format::Literal64));
        assert_eq!(extensions.into_iter().flatten().collect::<BTreeSet<_>>(), announced, "{target}");
        assert!(registers.len() > 300, "{target}: only {} registers", registers.len());
    }
}

/// A fuzzer shrinks its input by cutting bytes off and by making them smaller. The result is always an instruction, and
/// on average a simpler one.
#[test]
fn fewer_bytes_and_zeros_give_plainer_instructions() {
    let mut rng = Rng(3);
    let ones = |inst: &Inst| inst.words().iter().map(|w| w.count_ones()).sum::<u32>();
    let (mut whole, mut halves, mut zeroed) = (0, 0, 0);
    for round in 0..6000 {
        let target = Target::ALL[round % Target::ALL.len()];
        let bytes = random(&mut rng, 24);
        let of = |bytes: &[u8]| valid(target, &mut Unstructured::new(bytes)).unwrap();
        for n in 0..bytes.len() {
            of(&bytes[..n]);
        }
        let mut plain = bytes.clone();
        plain[2..].fill(0);
        assert_eq!(of(&plain), of(&bytes[..2]), "zeros are as good as nothing");
        whole += ones(&of(&bytes));
        halves += ones(&of(&bytes[..5]));
        zeroed += ones(&of(&plain));
    }
    assert!(zeroed < halves && halves < whole, "{zeroed} {halves} {whole}");
}

/// Makes nearly valid words, and checks the invariants.
fn near(target: Target, bytes: &[u8]) -> NearValid {
    let near = near_valid(target, &mut Unstructured::new(bytes));
    let near = checked(target, near.unwrap_or_else(|e| panic!("{target} {bytes:02x?}: {e}")));
    assert_eq!(near.bytes(), words::bytes(near.words()), "a dword is whole: {near:?}");
    assert!(!near.words().is_empty(), "{near:?}");
    near
}

/// Makes nearly valid bytes, whose end may be cut off within a dword.
fn near_bytes(target: Target, bytes: &[u8]) -> NearValid {
    let near = near_valid_bytes(target, &mut Unstructured::new(bytes));
    let near = checked(target, near.unwrap_or_else(|e| panic!("{target} {bytes:02x?}: {e}")));
    let words = near_valid(target, &mut Unstructured::new(bytes)).expect("words, as the bytes");
    let is_cut = [words, near].iter().any(|near| near.bytes().len() < near.valid.len());
    assert!(is_cut || words == near, "{words:?} {near:?}");
    near
}

fn checked(target: Target, near: NearValid) -> NearValid {
    assert_eq!((near.valid.target(), near.valid.check()), (target, Ok(())));
    match (near.broken, decode(target, near.bytes())) {
        (Broken::Decode(error), result) => assert_eq!(result, Err(error), "{near:?}"),
        (Broken::Rule(error), Ok(inst)) => assert_eq!(inst.check(), Err(error), "{near:?}"),
        (Broken::Rule(_), Err(_)) => panic!("{near:?}"),
    }
    assert_eq!(words::bytes(near.words()), near.bytes()[..near.words().len() * 4]);
    one_change_away(&near);
    near
}

/// Checks that the end is missing, or that one field or one bit has changed.
fn one_change_away(near: &NearValid) {
    let (old, new) = (words::bytes(near.valid.words()), near.bytes());
    if new.len() < old.len() {
        assert!(old.starts_with(new), "{near:?}");
        return;
    }
    let bits: Vec<usize> = (0..old.len() * 8).filter(|n| (old[n / 8] ^ new[n / 8]) >> (n % 8) & 1 == 1).collect();
    let inside = |first: u8, lsb: u8, width: u8| {
        let lsb = usize::from(first) + usize::from(lsb);
        width > 0 && bits.iter().all(|bit| (lsb..lsb + usize::from(width)).contains(bit))
    };
    let field = near.valid.fields().any(|held| inside(held.first_bit, held.info.lsb, held.info.width));
    assert!(bits.len() == 1 || field, "{near:?}: {bits:?}");
    assert!(new[old.len()..].iter().all(|b| *b == 0), "{near:?}");
}

/// On RDNA3.5 no field or bit of `s_movk_i32` can be wrong: nearly valid words are made of the simplest instruction
/// instead.
#[test]
fn each_valid_instruction_has_nearly_valid_words() {
    for &target in Target::ALL {
        let (mut rng, count) = (Rng(8), if words::is_full() { 20_000 } else { 200 });
        for _ in 0..count {
            near(target, &random(&mut rng, 32));
        }
        near(target, &[]);
        near_bytes(target, &[]);
    }
}

#[test]
fn nearly_valid_words_break_one_rule_and_say_which() {
    let (mut rng, mut overlaps, mut lengths) = (Rng(4), 0, BTreeSet::new());
    for &target in Target::ALL {
        let mut kinds: BTreeMap<&str, u32> = BTreeMap::new();
        let part = if words::is_full() { 1 } else { 20 };
        for round in 0..20_000 / part {
            let bytes = random(&mut rng, 32);
            if round % 8 == 0 {
                lengths.insert(near_bytes(target, &bytes).bytes().len());
            }
            let kind = match near(target, &bytes).broken {
                Broken::Decode(DecodeError::Truncated { .. }) => "truncated",
                Broken::Decode(DecodeError::UnknownEncoding) => "unknown encoding",
                Broken::Decode(DecodeError::UnknownOpcode { .. }) => "unknown opcode",
                Broken::Decode(DecodeError::ReservedBits { .. }) => "reserved bits",
                Broken::Decode(DecodeError::ReservedValue { .. }) => "reserved value",
                Broken::Rule(RuleError::MisalignedScalar { .. }) => "misaligned scalar",
                Broken::Rule(RuleError::ConstantBus { .. }) => "constant bus",
                Broken::Rule(RuleError::MisalignedVector { .. }) => "misaligned vector",
                Broken::Rule(RuleError::Overlap { .. }) => "overlap",
                Broken::Rule(RuleError::Banks { .. }) => "banks",
                Broken::Rule(RuleError::UpperHalf { .. }) => "upper half",
                Broken::Rule(RuleError::Value { .. }) => "value",
                Broken::Rule(_) => "another rule",
                Broken::Decode(_) => "another",
            };
            *kinds.entry(kind).or_default() += 1;
        }
        println!("{target}: {kinds:?}");
        for kind in
            ["truncated", "unknown opcode", "reserved bits", "reserved value", "misaligned scalar", "constant bus"]
        {
            // Two scalars are allowed on RDNA, and three are rare.
            let least = if is_rdna(target) && kind == "constant bus" { 5 / part } else { 100 / part };
            assert!(kinds.get(kind).is_some_and(|n| *n >= least), "{target}: {kind}: {kinds:?}");
        }
        assert!(kinds.contains_key("unknown encoding"), "{target}: {kinds:?}");
        assert_eq!(kinds.contains_key("misaligned vector"), has_even_tuples(target), "{target}: {kinds:?}");
        let has_matrices = target.layouts().iter().any(|l| l.format == Format::Vop3pMai);
        let shares_matrices = is_from_rdna3(target);
        // Operations whose operands must not overlap are rare, so all targets are counted together.
        overlaps += kinds.get("overlap").copied().unwrap_or(0);
        assert!(shares_matrices || has_matrices || !kinds.contains_key("overlap"), "{target}: {kinds:?}");
        let has_pairs = target.layouts().iter().any(|l| l.format == Format::Vopd);
        assert!(has_pairs || !kinds.contains_key("banks"), "{target}: {kinds:?}");
        assert!(!kinds.contains_key("another rule"), "{target}: {kinds:?}");
    }
    assert!(overlaps > 0 || cfg!(not(feature = "all-targets")));
    assert!(Target::ALL.is_empty() || (0..8).all(|len| lengths.contains(&len)), "{lengths:?}");
}
