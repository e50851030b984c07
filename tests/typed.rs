//! The structs of the microcode formats: words convert to a struct and back unchanged, a setter changes only its own
//! bits and refuses a value that does not fit, and an instruction built from a struct decodes to that struct.
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

/// Up to four dwords. Dwords that a format lacks are zero.
type Words = [u32; 4];

/// A listed opcode with its number, or the number alone.
type Listed = Result<(Opcode, i64), i64>;

/// A struct as functions over its words: the checks are compiled once, not for each struct.
struct Struct {
    target: Target,
    format: Format,
    name: &'static str,
    dwords: usize,
    new: fn() -> Words,
    /// The conversion of words to a struct and back.
    through: fn(&Words) -> Words,
    /// Whether the structs with these words are equal.
    same: fn(&Words, &Words) -> bool,
    of: fn(&Inst) -> Option<Words>,
    /// The names of the fields, and whether their setters can refuse a value.
    fields: &'static [(&'static str, bool)],
    /// The value of the field with this index.
    get: fn(&Words, usize) -> i64,
    /// The effect of the setter of the field with this index; `None` if the type of its argument cannot hold the value.
    set: fn(&Words, usize, i64) -> Option<Result<Words, FieldError>>,
    op: Option<Op>,
}

/// The opcode field of a struct.
struct Op {
    get: fn(&Words) -> Listed,
    /// The setter of the operation with a number; `None` if no operation has this number.
    set: fn(&Words, i64) -> Option<Words>,
}

impl Struct {
    fn info(&self, field: &str) -> &'static FieldInfo {
        let fields = words::layout(self.target, self.format).fields;
        fields.iter().find(|f| f.field.name() == field).unwrap_or_else(|| panic!("{} has no {field}", self.format))
    }

    fn random(&self, rng: &mut Rng) -> Words {
        let mut words = Words::default();
        words[..self.dwords].iter_mut().for_each(|w| *w = rng.word());
        words
    }

    /// A new struct with the operation and the fields of another.
    fn rebuild(&self, words: &Words) -> Words {
        let mut new = (self.new)();
        if let Some(op) = &self.op {
            let (_, number) = (op.get)(words).unwrap();
            new = (op.set)(&new, number).unwrap();
        }
        for n in 0..self.fields.len() {
            new = (self.set)(&new, n, (self.get)(words, n)).unwrap().unwrap();
        }
        new
    }
}

fn load<S: Microcode<Words: AsMut<[u32]>>>(words: &Words) -> S {
    let mut own = S::Words::default();
    own.as_mut().iter_mut().zip(words).for_each(|(own, word)| *own = *word);
    S::from_words(own)
}

fn store<S: Microcode>(s: S) -> Words {
    let mut words = Words::default();
    words.iter_mut().zip(s.to_words().as_ref()).for_each(|(word, own)| *word = *own);
    words
}

fn all_bits_are_kept(s: &Struct) {
    let mut rng = Rng(1);
    for _ in 0..50 {
        let words = s.random(&mut rng);
        assert!((s.same)(&(s.through)(&words), &words), "{words:08x?} of {}", s.format);
        let mut other = words;
        let bit = rng.below(s.dwords * 32);
        other[bit / 32] ^= 1 << (bit % 32);
        assert_eq!((s.through)(&other), other);
        assert!(!(s.same)(&other, &words), "bit {bit} of {} does not count", s.format);
    }
    // A new struct has the encoding bits; all other bits are 0.
    let layout = words::layout(s.target, s.format);
    let mut fixed = Words::default();
    assert_eq!(s.dwords * 32, usize::from(layout.bits));
    for field in layout.fields {
        words::set(&mut fixed, field, field.fixed.unwrap_or(0).into());
    }
    assert_eq!((s.new)(), fixed, "{} is not new", s.format);
}

fn a_field_is_set_alone(s: &Struct, n: usize) {
    let (name, checked) = s.fields[n];
    let info = s.info(name);
    let width: u8 = pieces(info).map(|p| p.width).sum();
    let place = format!("{} {}.{name}, {width} bits", s.target, s.format);
    let mut rng = Rng(2);
    let (all, top) = ((1i64 << width) - 1, 1i64 << (width - 1));
    let mut values =
        vec![0, 1, -1, all, all + 1, top, top - 1, -top, -top - 1, i64::from(u32::MAX), i64::from(i32::MIN)];
    values.extend((0..20).map(|_| i64::from(rng.word()) & all));
    values.extend((0..20).map(|_| i64::from(rng.word() as i32)));
    // A field is signed if its getter returns a negative number for ones.
    let mut ones = Words::default();
    words::set(&mut ones, info, u32::MAX);
    let signed = (s.get)(&ones, n) < 0;
    let (low, high) = if signed { (-top, top - 1) } else { (0, all) };
    let (mut taken, mut refused) = (0, 0);
    for value in values {
        let words = s.random(&mut rng);
        match (s.set)(&words, n, value) {
            None => {}
            Some(Ok(after)) => {
                taken += 1;
                assert!((low..=high).contains(&value), "{place}: takes {value}");
                assert_eq!((s.get)(&after, n), value, "{place}");
                let mut expected = words;
                words::set(&mut expected, info, value as u32);
                assert_eq!(after, expected, "{place}: {value} into {words:08x?}");
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
    // The getter reads exactly the bits of the field.
    let words = s.random(&mut rng);
    let mut other = words;
    other[..s.dwords].iter_mut().for_each(|w| *w = !*w);
    let mut low_first = pieces(info);
    let mut shift = 0;
    let raw = low_first.by_ref().fold(0, |v, p: FieldBits| {
        let piece = p.get(&words) << shift;
        shift += p.width;
        v | piece
    });
    words::set(&mut other, info, raw);
    assert_eq!((s.get)(&other, n), (s.get)(&words, n), "{place}");
}

/// Checks the opcode field: a listed number gives its operation, and any other number is returned as is.
fn opcodes_are_those_listed(s: &Struct, op: &Op) {
    let (target, format) = (s.target, s.format);
    // EXP has one operation, and no field for it.
    if !words::layout(target, format).fields.iter().any(|f| f.field.name() == "op") {
        return;
    }
    let info = s.info("op");
    let listed: Vec<_> = words::encodings(target).into_iter().filter(|(f, ..)| *f == format).collect();
    assert!(!listed.is_empty(), "{target} {format}");
    let mut rng = Rng(3);
    for raw in 0..1u32 << (info.width + info.hi_width) {
        let without = s.random(&mut rng);
        let mut words = without;
        words::set(&mut words, info, raw);
        let expected = listed.iter().find(|(_, n, _)| u32::from(*n) == raw).map(|(.., op)| (*op, i64::from(raw)));
        assert_eq!((op.get)(&words), expected.ok_or(raw.into()), "{target} {format} {raw}");
        let set = (op.set)(&without, raw.into());
        assert_eq!(set, expected.map(|_| words), "{target} {format} {raw}");
    }
}

/// Checks every operation of the format: its words convert to the struct, and a struct rebuilt from the fields gives
/// words that decode.
fn instructions_are_seen_and_built(s: &Struct) {
    let target = s.target;
    let mut rng = Rng(4);
    let layout = words::layout(target, s.format);
    let mut reserved = Words::default();
    for field in layout.fields.iter().filter(|f| f.field.name() == "reserved") {
        words::set(&mut reserved, field, u32::MAX);
    }
    let mut seen = 0;
    for encoding in words::encodings(target) {
        let (format, ..) = encoding;
        // An extension follows other formats, in some instructions.
        let base = words::layout(target, format);
        // A literal of 64 bits can follow where one of 32 bits can.
        let extension = if s.format == Format::Literal64 { Format::Literal } else { s.format };
        if format != s.format && !base.extends.iter().any(|e| e.format == extension) {
            continue;
        }
        for inst in words::legal(target, encoding, if layout.extension { 12 } else { 3 }, &mut rng) {
            let Some(own) = (s.of)(&inst) else {
                assert!(format != s.format && inst.extension() != Some(s.format), "{inst:?} is no {}?", s.format);
                continue;
            };
            seen += 1;
            let first = if format == s.format { 0 } else { usize::from(base.bits / 32) };
            let size = s.dwords;
            assert_eq!(own[..size], inst.words()[first..first + size], "{inst:?}");
            assert_eq!(inst.part(s.format), Some(&own[..size]), "{inst:?}");
            let mut expected = own;
            expected.iter_mut().zip(reserved).for_each(|(w, r)| *w &= !r);
            let built = s.rebuild(&own);
            assert_eq!(built, expected, "{inst:?}");
            let mut words = inst.words().to_vec();
            words[first..first + size].copy_from_slice(&built[..size]);
            let again: Inst = decode_words(target, &words).unwrap_or_else(|e| panic!("{inst:?}, rebuilt: {e}"));
            assert_eq!((again.opcode(), again.format(), again.words()), (inst.opcode(), format, &words[..]));
            assert_eq!((s.of)(&again), Some(built));
        }
    }
    assert!(seen > 0, "{target}: no instruction with {} was found", s.format);
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

fn opcode<O: Copy + Into<I>, I: Into<i64>>(op: Result<O, I>, of: fn(O) -> Opcode) -> Listed {
    op.map(|op| (of(op), op.into().into())).map_err(Into::into)
}

/// The operation with a number; checks that both conversions agree.
fn operation<O, I>(from_bits: fn(I) -> Result<O, I>, raw: i64) -> Option<O>
where
    O: PartialEq + Debug + TryFrom<I>,
    I: Copy + TryFrom<i64, Error: Debug>,
{
    let number = I::try_from(raw).expect("opcodes are small");
    let op = from_bits(number).ok();
    assert_eq!(O::try_from(number).ok(), op, "{raw}");
    op
}

/// The functions of the opcode field, if there is one.
macro_rules! op {
    ($module:ident $ty:ident ()) => {
        None
    };
    ($module:ident $ty:ident ($op:ident)) => {{
        use amdgpu_isa::$module::$op;
        Some(Op {
            get: |words| opcode(load::<$ty>(words).op(), $op::opcode),
            set: |words, raw| operation($op::from_bits, raw).map(|op| store(load::<$ty>(words).with_op(op))),
        })
    }};
}

fn structs() -> Vec<&'static Struct> {
    let mut all: Vec<&Struct> = Vec::new();
    macro_rules! each {
        ($module:ident $target:ident $ty:ident $op:tt [$(($how:ident $field:ident $with:ident $int:ident))*]) => {{
            use amdgpu_isa::$module::$ty;
            // One function for all fields of a struct, as each costs time to compile.
            fn get(words: &Words, n: usize) -> i64 {
                let s: $ty = load(words);
                let mut left = n;
                $(
                    if left == 0 {
                        return s.$field().into();
                    }
                    left -= 1;
                )*
                panic!("{} has {left} fields less than {n}", stringify!($ty))
            }
            fn set(words: &Words, n: usize, value: i64) -> Option<Result<Words, FieldError>> {
                let s: $ty = load(words);
                let mut left = n;
                $(
                    if left == 0 {
                        return <$int>::from_number(value).map(|v| result!($how, s.$with(v)).map(store));
                    }
                    left -= 1;
                )*
                panic!("{} has {left} fields less than {n}", stringify!($ty))
            }
            static STRUCT: Struct = Struct {
                target: Target::$target,
                format: $ty::FORMAT,
                name: stringify!($ty),
                dwords: size_of::<<$ty as Microcode>::Words>() / 4,
                new: || store($ty::new()),
                through: |words| store(load::<$ty>(words)),
                same: |one, other| load::<$ty>(one) == load::<$ty>(other),
                of: |inst| $ty::of(inst).map(store),
                fields: &[$((stringify!($field), matches!(stringify!($how).as_bytes(), b"checked"))),*],
                get,
                set,
                op: op!($module $ty $op),
            };
            all.push(&STRUCT);
        }};
    }
    every_struct!(each);
    all
}

#[test]
fn every_struct_keeps_all_bits_of_its_words() {
    structs().into_iter().for_each(all_bits_are_kept);
}

#[test]
fn every_setter_changes_its_own_bits_or_says_why_not() {
    for s in structs() {
        (0..s.fields.len()).for_each(|n| a_field_is_set_alone(s, n));
        // The struct has all fields except encoding bits, the opcode and bits without a meaning.
        let other = |f: &&FieldInfo| f.fixed.is_some() || ["op", "reserved"].contains(&f.field.name());
        let fields = words::layout(s.target, s.format).fields.iter().filter(|f| !other(f));
        let names: Vec<_> = s.fields.iter().map(|field| field.0).collect();
        assert_eq!(fields.map(|f| f.field.name()).collect::<Vec<_>>(), names, "{}", s.name);
    }
}

#[test]
fn every_opcode_field_gives_the_operation_or_the_number() {
    for s in structs() {
        s.op.iter().for_each(|op| opcodes_are_those_listed(s, op));
    }
}

#[test]
fn every_instruction_is_seen_as_its_structs_and_built_from_them() {
    structs().into_iter().for_each(instructions_are_seen_and_built);
}
