//! The structs of the microcode formats: the words are the value, a setter changes only its own bits, a value that does
//! not fit is an error that says so, and an instruction built from a struct decodes to it.
//!
//! Tests one struct of each layout, or with `AMDGPU_ISA_STRUCTS=1` those of all targets, which take minutes to compile.
#![cfg(has_target)]

mod consts;
use crate::words;

use amdgpu_isa::errors::FieldError;
use amdgpu_isa::layout::FieldInfo;
use amdgpu_isa::{Format, Inst, Microcode, Opcode, Target, decode_words};
use std::fmt::Debug;
use words::{FieldBits, Rng, pieces};

include!(concat!(env!("OUT_DIR"), "/roster.rs"));

fn info<S: Microcode>(target: Target, field: &str) -> &'static FieldInfo {
    let layout = words::layout(target, S::FORMAT);
    layout.fields.iter().find(|f| f.field.name() == field).unwrap_or_else(|| panic!("{} has no {field}", S::FORMAT))
}

fn random<S: Microcode<Words: AsMut<[u32]>>>(rng: &mut Rng) -> S {
    let mut words = S::Words::default();
    words.as_mut().iter_mut().for_each(|w| *w = rng.word());
    S::from_words(words)
}

fn all_bits_are_kept<S: Microcode<Words: AsMut<[u32]> + PartialEq + Debug> + PartialEq + Debug>(
    target: Target,
    new: S,
) {
    let mut rng = Rng(1);
    for _ in 0..50 {
        let s: S = random(&mut rng);
        assert_eq!(S::from_words(s.to_words()), s);
        let mut other = s.to_words();
        let bit = rng.below(other.as_ref().len() * 32);
        other.as_mut()[bit / 32] ^= 1 << (bit % 32);
        assert_eq!(S::from_words(other).to_words(), other);
        assert_ne!(S::from_words(other), s, "bit {bit} of {} does not count", S::FORMAT);
    }
    // A new struct has the encoding bits, and nothing else.
    let layout = words::layout(target, S::FORMAT);
    let mut fixed = S::Words::default();
    assert_eq!(fixed.as_ref().len() * 32, usize::from(layout.bits));
    for field in layout.fields {
        words::set(fixed.as_mut(), field, field.fixed.unwrap_or(0).into());
    }
    assert_eq!(new.to_words(), fixed, "{} is not new", S::FORMAT);
}

/// The effect of a setter; `None` if the type of its argument cannot hold the value.
type Setter<S> = dyn Fn(S, i64) -> Option<Result<S, FieldError>>;

fn a_field_is_set_alone<S>(target: Target, name: &str, get: &dyn Fn(&S) -> i64, set: &Setter<S>, checked: bool)
where
    S: Microcode<Words: AsMut<[u32]> + PartialEq + Debug>,
{
    let info = info::<S>(target, name);
    let width: u8 = pieces(info).map(|p| p.width).sum();
    let place = format!("{target} {}.{name}, {width} bits", S::FORMAT);
    let mut rng = Rng(2);
    let (all, top) = ((1i64 << width) - 1, 1i64 << (width - 1));
    let mut values =
        vec![0, 1, -1, all, all + 1, top, top - 1, -top, -top - 1, i64::from(u32::MAX), i64::from(i32::MIN)];
    values.extend((0..20).map(|_| i64::from(rng.word()) & all));
    values.extend((0..20).map(|_| i64::from(rng.word() as i32)));
    // The field is signed if its getter is.
    let mut ones = S::Words::default();
    words::set(ones.as_mut(), info, u32::MAX);
    let signed = get(&S::from_words(ones)) < 0;
    let (low, high) = if signed { (-top, top - 1) } else { (0, all) };
    let (mut taken, mut refused) = (0, 0);
    for value in values {
        let s: S = random(&mut rng);
        match set(s, value) {
            None => {}
            Some(Ok(after)) => {
                taken += 1;
                assert!((low..=high).contains(&value), "{place}: takes {value}");
                assert_eq!(get(&after), value, "{place}");
                let mut expected = s.to_words();
                words::set(expected.as_mut(), info, value as u32);
                assert_eq!(after.to_words(), expected, "{place}: {value} into {:08x?}", s.to_words());
            }
            Some(Err(error)) => {
                refused += 1;
                assert!(!(low..=high).contains(&value), "{place}: refuses {value}");
                assert_eq!(error, FieldError { field: info.field, value, width }, "{place}");
                assert!(error.to_string().contains(name), "{error}");
            }
        }
    }
    assert!(taken > 1, "{place}: takes nothing");
    assert_eq!(refused > 0, checked, "{place}: {refused} values were refused");
    // The getter reads exactly those bits.
    let s: S = random(&mut rng);
    let mut other = s.to_words();
    other.as_mut().iter_mut().for_each(|w| *w = !*w);
    let mut low_first = pieces(info);
    let mut shift = 0;
    let raw = low_first.by_ref().fold(0, |v, p: FieldBits| {
        let piece = p.get(s.to_words().as_ref()) << shift;
        shift += p.width;
        v | piece
    });
    words::set(other.as_mut(), info, raw);
    assert_eq!(get(&S::from_words(other)), get(&s), "{place}");
}

/// A listed opcode with its number, or the number alone.
type Listed = Result<(Opcode, i64), i64>;

/// The opcode field: a listed number gives its operation, any other number is returned as is.
fn opcodes_are_those_listed<S>(target: Target, get: &dyn Fn(&S) -> Listed, with: &dyn Fn(S, i64) -> Option<S>)
where
    S: Microcode<Words: AsMut<[u32]> + PartialEq + Debug>,
{
    // EXP has one operation, and no field for it.
    if !words::layout(target, S::FORMAT).fields.iter().any(|f| f.field.name() == "op") {
        return;
    }
    let info = info::<S>(target, "op");
    let listed: Vec<_> = words::encodings(target).into_iter().filter(|(f, ..)| *f == S::FORMAT).collect();
    assert!(!listed.is_empty(), "{target} {}", S::FORMAT);
    let mut rng = Rng(3);
    for raw in 0..1u32 << (info.width + info.hi_width) {
        let mut words = random::<S>(&mut rng).to_words();
        let without = words;
        words::set(words.as_mut(), info, raw);
        let expected = listed.iter().find(|(_, n, _)| u32::from(*n) == raw).map(|(.., op)| (*op, i64::from(raw)));
        assert_eq!(get(&S::from_words(words)), expected.ok_or(raw.into()), "{target} {} {raw}", S::FORMAT);
        let set = with(S::from_words(without), raw.into());
        assert_eq!(set.map(S::to_words), expected.map(|_| words), "{target} {} {raw}", S::FORMAT);
    }
}

/// Every operation of the format: its words seen as the struct, and the struct's words decoded.
fn instructions_are_seen_and_built<S>(target: Target, rebuild: &dyn Fn(S) -> S)
where
    S: Microcode<Words: AsMut<[u32]> + PartialEq + Debug + for<'a> TryFrom<&'a [u32]>> + PartialEq + Debug,
{
    let mut rng = Rng(4);
    let layout = words::layout(target, S::FORMAT);
    let mut reserved = S::Words::default();
    for field in layout.fields.iter().filter(|f| f.field.name() == "reserved") {
        words::set(reserved.as_mut(), field, u32::MAX);
    }
    let mut seen = 0;
    for encoding in words::encodings(target) {
        let (format, ..) = encoding;
        // An extension follows other formats, in some instructions.
        let base = words::layout(target, format);
        // A literal of 64 bits follows where one of 32 can.
        let behind = if S::FORMAT == Format::Literal64 { Format::Literal } else { S::FORMAT };
        if format != S::FORMAT && !base.extends.iter().any(|e| e.format == behind) {
            continue;
        }
        for inst in words::legal(target, encoding, if layout.extension { 12 } else { 3 }, &mut rng) {
            let Some(s) = S::of(&inst) else {
                assert!(format != S::FORMAT && inst.extension() != Some(S::FORMAT), "{inst:?} is no {}?", S::FORMAT);
                continue;
            };
            seen += 1;
            let first = if format == S::FORMAT { 0 } else { usize::from(base.bits / 32) };
            let size = s.to_words().as_ref().len();
            assert_eq!(s.to_words().as_ref(), &inst.words()[first..first + size], "{inst:?}");
            assert_eq!(inst.part(S::FORMAT), Some(s.to_words().as_ref()), "{inst:?}");
            let mut expected = s.to_words();
            expected.as_mut().iter_mut().zip(reserved.as_ref()).for_each(|(w, r)| *w &= !r);
            let built = rebuild(s);
            assert_eq!(built.to_words(), expected, "{inst:?}");
            let mut words = inst.words().to_vec();
            words[first..first + size].copy_from_slice(built.to_words().as_ref());
            let again: Inst = decode_words(target, &words).unwrap_or_else(|e| panic!("{inst:?}, rebuilt: {e}"));
            assert_eq!((again.opcode(), again.format(), again.words()), (inst.opcode(), format, &words[..]));
            assert_eq!(S::of(&again), Some(built));
        }
    }
    assert!(seen > 0, "{target}: no instruction with {} was found", S::FORMAT);
}

/// A number as the type of a field; `None` if the type cannot hold it.
trait FromNumber: Sized {
    fn from_number(n: i64) -> Option<Self>;
}

macro_rules! from_number {
    ($($ty:ident)*) => { $(impl FromNumber for $ty {
        fn from_number(n: i64) -> Option<$ty> {
            $ty::try_from(n).ok()
        }
    })* };
}
from_number!(u8 u16 u32 i8 i16 i32);

impl FromNumber for bool {
    fn from_number(n: i64) -> Option<bool> {
        u8::try_from(n).ok().filter(|n| *n < 2).map(|n| n == 1)
    }
}

/// The result of a setter of either kind.
macro_rules! result {
    (exact, $set:expr) => {
        Ok::<_, FieldError>($set)
    };
    (checked, $set:expr) => {
        $set
    };
}

#[test]
fn every_struct_keeps_all_bits_of_its_words() {
    macro_rules! each {
        ($module:ident $target:ident $ty:ident $op:tt $fields:tt) => {
            all_bits_are_kept(Target::$target, amdgpu_isa::$module::$ty::new());
        };
    }
    every_struct!(each);
}

#[test]
fn every_setter_changes_its_own_bits_or_says_why_not() {
    macro_rules! each {
        ($module:ident $target:ident $ty:ident $op:tt [$(($how:ident $field:ident $with:ident $int:ident))*]) => {{
            use amdgpu_isa::$module::$ty;
            let mut names = Vec::new();
            $(
                let set = |s: $ty, n| <$int>::from_number(n).map(|v| result!($how, s.$with(v)));
                let checked = stringify!($how) == "checked";
                let get = |s: &$ty| i64::from(s.$field());
                a_field_is_set_alone(Target::$target, stringify!($field), &get, &set, checked);
                names.push(stringify!($field));
            )*
            // Except encoding bits, the opcode and bits without a meaning, these are all fields.
            let other = |f: &&FieldInfo| f.fixed.is_some() || ["op", "reserved"].contains(&f.field.name());
            let fields = words::layout(Target::$target, $ty::FORMAT).fields.iter().filter(|f| !other(f));
            assert_eq!(fields.map(|f| f.field.name()).collect::<Vec<_>>(), names, "{}", stringify!($ty));
        }};
    }
    every_struct!(each);
}

fn opcode<O: Copy + Into<I>, I: Into<i64>>(op: Result<O, I>, of: impl Fn(O) -> Opcode) -> Result<(Opcode, i64), i64> {
    op.map(|op| (of(op), op.into().into())).map_err(Into::into)
}

/// The operation with a number; checks that both conversions agree.
fn operation<O, I>(from_bits: impl Fn(I) -> Result<O, I>, raw: i64) -> Option<O>
where
    O: PartialEq + Debug + TryFrom<I>,
    I: Copy + TryFrom<i64, Error: Debug>,
{
    let number = I::try_from(raw).expect("opcodes are small");
    let op = from_bits(number).ok();
    assert_eq!(O::try_from(number).ok(), op, "{raw}");
    op
}

#[test]
fn every_opcode_field_gives_the_operation_or_the_number() {
    macro_rules! each {
        ($module:ident $target:ident $ty:ident () $fields:tt) => {};
        ($module:ident $target:ident $ty:ident ($op:ident) $fields:tt) => {{
            use amdgpu_isa::$module::{$op, $ty};
            let get = |s: &$ty| opcode(s.op(), $op::opcode);
            let with = |s: $ty, raw: i64| operation($op::from_bits, raw).map(|op| s.with_op(op));
            opcodes_are_those_listed(Target::$target, &get, &with);
        }};
    }
    every_struct!(each);
}

#[test]
fn every_instruction_is_seen_as_its_structs_and_built_from_them() {
    macro_rules! each {
        ($module:ident $target:ident $ty:ident ($($op:ident)?) [$(($how:ident $field:ident $with:ident $int:ident))*]) => {{
            use amdgpu_isa::$module::$ty;
            let rebuild = |s: $ty| {
                let new = $ty::new();
                $( let new = new.with_op(amdgpu_isa::$module::$op::from_bits(s.op().unwrap().into()).unwrap()); )?
                $( let new = result!($how, new.$with(s.$field())).unwrap(); )*
                new
            };
            instructions_are_seen_and_built(Target::$target, &rebuild);
        }};
    }
    every_struct!(each);
}
