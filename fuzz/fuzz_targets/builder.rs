//! Typed structs with any field values, through the public API: a setter refuses a value, or the struct holds it, and
//! words that decode give the same struct.
#![no_main]

use amdgpu_isa::errors::FieldError;
use amdgpu_isa::{Inst, Microcode, Target, decode, decode_words};
use arbitrary::{Arbitrary, Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use std::fmt::Debug;
use std::sync::LazyLock;

include!(concat!(env!("OUT_DIR"), "/roster.rs"));

fuzz_target!(|data: &[u8]| {
    let mut u = Unstructured::new(data);
    // Running out of bytes is not an error.
    while !u.is_empty() && u.choose(&STRUCTS).copied().is_ok_and(|build| build(&mut u).is_ok()) {}
});

fn comes_back(inst: &Inst) {
    let mut out = [0; 20];
    let len = inst.encode(&mut out).expect("20 bytes are enough");
    assert_eq!(decode(inst.target(), &out[..len]), Ok(*inst));
}

/// Checks that the words of a struct, if they decode, give the same struct.
fn decodes_to_itself<S>(target: Target, s: S, base: bool, u: &mut Unstructured) -> Result<()>
where
    S: Microcode<Words: PartialEq + Debug + for<'a> TryFrom<&'a [u32]>> + PartialEq + Debug,
{
    assert_eq!(S::from_words(s.to_words()), s);
    if !base {
        return Ok(());
    }
    let mut words = s.to_words().as_ref().to_vec();
    words.extend(u.arbitrary::<[u32; 2]>()?);
    let Ok(inst) = decode_words(target, &words) else { return Ok(()) };
    assert_eq!(inst.words(), &words[..inst.len() / 4]);
    // The words may have another format: VOP3B within VOP3A, SOP1 within SOP2.
    assert_eq!(S::of(&inst), (inst.format() == S::FORMAT).then_some(s), "{inst:?}");
    comes_back(&inst);
    Ok(())
}

macro_rules! result {
    (exact, $set:expr) => {
        Ok::<_, FieldError>($set)
    };
    (checked, $set:expr) => {
        $set
    };
}

type Build = fn(&mut Unstructured) -> Result<()>;

/// One function for each struct of each target.
static STRUCTS: LazyLock<Vec<Build>> = LazyLock::new(|| {
    let mut all: Vec<Build> = Vec::new();
    macro_rules! each {
        ($module:ident $target:ident $ty:ident ($($op:ident)?) [$(($how:ident $field:ident $with:ident $int:ident))*]) => {
            all.push(|u| {
                use amdgpu_isa::$module::$ty;
                let mut s = if u.arbitrary()? { $ty::arbitrary(u)? } else { $ty::new() };
                let base = !stringify!($($op)?).is_empty();
                $(
                    // Some formats have few listed numbers, so the next listed number is taken.
                    let first = u.arbitrary::<u16>()? % 1024;
                    let mut numbers = (first..1024).chain(0..first).filter_map(|n| n.try_into().ok());
                    if let Some(op) = numbers.find_map(|n| amdgpu_isa::$module::$op::from_bits(n).ok()) {
                        s = s.with_op(op);
                        assert_eq!(s.op(), Ok(op));
                    }
                )?
                $(
                    let value: $int = u.arbitrary()?;
                    match result!($how, s.$with(value)) {
                        Ok(after) => {
                            assert_eq!(after.$field(), value);
                            s = after;
                        }
                        Err(e) => assert_eq!((e.value, e.field.name()), (i64::from(value), stringify!($field))),
                    }
                )*
                decodes_to_itself(Target::$target, s, base, u)
            });
        };
    }
    every_struct!(each);
    all
});
