//! Arbitrary instructions for fuzzing: any that decode, valid ones (which also follow the rules of [`Inst::check`]),
//! and nearly valid ones.
//!
//! | what | gives |
//! |---|---|
//! | [`valid`] | an instruction of a target that also follows the rules beyond decoding: [`Inst::check`] is `Ok` |
//! | [`near_valid`] | a valid instruction with one bit or field changed or without its last dwords, and the defect |
//! | [`near_valid_bytes`] | a nearly valid instruction as bytes, which may end after any byte |
//! | `Inst::arbitrary` | anything that decodes, of any enabled target: it may break rules and set ignored bits |
//! | `Sop2::arbitrary`, ... | a format struct with an operation of the format and any values in its fields |
//!
//! An instruction takes few bytes (a valid one 8 on average), and fewer or smaller bytes give a simpler instruction: no
//! bytes give the first operation with zeros in its fields. So the findings of a fuzzer are easy to minimize.
//!
//! ```
//! # #[cfg(feature = "gfx942")] {
//! use amdgpu_isa::arbitrary::{Broken, near_valid, valid};
//! use amdgpu_isa::{Target, decode_words};
//! use arbitrary::Unstructured;
//!
//! let mut u = Unstructured::new(b"any bytes at all, from a fuzzer");
//! let inst = valid(Target::Gfx942, &mut u).unwrap();
//! assert_eq!(inst.check(), Ok(()));
//! let near = near_valid(Target::Gfx942, &mut u).unwrap();
//! match near.broken {
//!     Broken::Decode(error) => assert_eq!(amdgpu_isa::decode(Target::Gfx942, near.bytes()), Err(error)),
//!     Broken::Rule(error) => assert_eq!(decode_words(Target::Gfx942, near.words()).unwrap().check(), Err(error)),
//! }
//! # }
//! ```

mod near;
mod valid;

use ::arbitrary::{Arbitrary, Error, Result, Unstructured};

use crate::decode::decode_words;
use crate::error::DecodeError;
use crate::inst::Inst;
use crate::opcode::{Format, Opcode};
use crate::operation::Encoding;
use crate::table::{Layout, MAX_DWORDS};
use crate::target::Target;

pub use near::{Broken, NearValid, near_valid, near_valid_bytes};
pub use valid::valid;

/// The greatest number of changes by `legal`. It is enough for any words, as each checked field takes each value at
/// most once.
const MAX_CHANGES: usize = 8192;

/// Makes an instruction of any enabled target: first the target and the operation are chosen, then the words, which are
/// changed until the decoder accepts them. The function takes 24 bytes or less; zeros give the simplest instruction.
impl<'a> Arbitrary<'a> for Inst {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Inst> {
        let target = *u.choose(Target::ALL)?;
        let (layout, number) = operation(target, u)?;
        let len = usize::from(layout.bits / 32);
        let mut words = [0; MAX_DWORDS];
        for word in words.get_mut(..len).unwrap_or(&mut []) {
            *word = u.arbitrary()?;
        }
        encode(layout, number, &mut words);
        legal(target, &mut words, len, |u| u.arbitrary(), u)
    }

    fn size_hint(_: usize) -> (usize, Option<usize>) {
        (0, Some(4 + MAX_DWORDS * 4))
    }
}

/// Changes words that the decoder refuses until it accepts them. `more` yields the dwords after the first `len`, if the
/// instruction has more.
fn legal<'a>(
    target: Target,
    words: &mut [u32; MAX_DWORDS],
    mut len: usize,
    more: impl Fn(&mut Unstructured<'a>) -> Result<u32>,
    u: &mut Unstructured<'a>,
) -> Result<Inst> {
    for _ in 0..MAX_CHANGES {
        match decode_words(target, words.get(..len).unwrap_or(words)) {
            Ok(inst) => return Ok(inst),
            Err(DecodeError::Truncated { needed }) => {
                let dwords = usize::from(needed / 4).min(MAX_DWORDS);
                for word in words.get_mut(len..dwords).unwrap_or(&mut []) {
                    *word = more(u)?;
                }
                len = dwords;
            }
            Err(DecodeError::ReservedBits { bit, .. }) => put(words, bit, 1, |b| !b),
            // Increment the value, so that every value is tried in the end.
            Err(DecodeError::ReservedValue { lsb, width, .. }) => put(words, lsb, width, |v| v.wrapping_add(1)),
            Err(_) => break,
        }
    }
    Err(Error::IncorrectFormat)
}

/// The layout and the opcode number of an arbitrary operation of the target, in one of its formats.
fn operation(target: Target, u: &mut Unstructured<'_>) -> Result<(&'static Layout, u16)> {
    let first = u.choose_index(Opcode::ALL.len())?;
    // If the target lacks the chosen operation, take a later one.
    let all = Opcode::ALL.iter().cycle().skip(first).take(Opcode::ALL.len());
    let Some(opcode) = all.copied().find(|op| op.encodings(target).next().is_some()) else {
        return Err(Error::IncorrectFormat);
    };
    let encoding = u.choose_index(opcode.encodings(target).count())?;
    let Some(Encoding { format, number }) = opcode.encodings(target).nth(encoding) else {
        return Err(Error::IncorrectFormat);
    };
    Ok((layout(target, format)?, number))
}

fn layout(target: Target, format: Format) -> Result<&'static Layout> {
    target.layouts().iter().find(|l| l.format == format).ok_or(Error::IncorrectFormat)
}

/// Sets the encoding bits and the opcode number.
fn encode(layout: &Layout, number: u16, words: &mut [u32; MAX_DWORDS]) {
    for field in layout.fields {
        let value = field.fixed.or((field.field == crate::opcode::Field::Op).then_some(number));
        if let Some(value) = value {
            put(words, field.lsb, field.width, |_| value.into());
            if field.hi_width > 0 {
                put(words, field.hi, field.hi_width, |_| u32::from(value) >> field.width);
            }
        }
    }
}

/// Changes a run of bits; `lsb` counts from the start of the instruction.
fn put(words: &mut [u32; MAX_DWORDS], lsb: u8, width: u8, new: impl Fn(u32) -> u32) {
    let at = usize::from(lsb / 32);
    let shift = lsb % 32;
    // No field crosses a dword boundary.
    if let Some(word) = words.get_mut(at) {
        let mask = ((1u64 << width) - 1) as u32;
        let value = new(*word >> shift & mask) & mask;
        *word = *word & !(mask << shift) | value << shift;
    }
}

/// Implements `Arbitrary` for a struct of a microcode format: an operation, and any values in the fields that have
/// setters.
macro_rules! structure {
    ($ty:ident, $base:ident, $free:expr $(, $op:ident)?) => {
        #[cfg_attr(doc, doc(hidden))]
        impl<'a> ::arbitrary::Arbitrary<'a> for $ty {
            fn arbitrary(u: &mut ::arbitrary::Unstructured<'a>) -> ::arbitrary::Result<Self> {
                let new = Self::new() $( .with_op(<$op as ::arbitrary::Arbitrary>::arbitrary(u)?) )?;
                Ok(Self::from_bits(new.into_bits() | <$base as ::arbitrary::Arbitrary>::arbitrary(u)? & $free))
            }
            fn size_hint(_: usize) -> (usize, Option<usize>) {
                (0, Some(2 + core::mem::size_of::<$base>()))
            }
        }
    };
}

/// Implements `Arbitrary` for the operations of a format.
macro_rules! operations {
    ($ty:ident, $base:ident, $bits:expr) => {
        #[cfg_attr(doc, doc(hidden))]
        impl<'a> ::arbitrary::Arbitrary<'a> for $ty {
            fn arbitrary(u: &mut ::arbitrary::Unstructured<'a>) -> ::arbitrary::Result<Self> {
                let listed = || (0..1u32 << $bits).filter_map(|n| Self::from_bits(n as $base).ok());
                let n = u.choose_index(listed().count())?;
                listed().nth(n).ok_or(::arbitrary::Error::IncorrectFormat)
            }
            fn size_hint(_: usize) -> (usize, Option<usize>) {
                (0, Some(2))
            }
        }
    };
}

pub(crate) use {operations, structure};
