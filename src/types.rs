//! The generated modules, one for each target.

use crate::{Format, Inst};

/// A microcode format as a struct whose value is its words.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no struct of a microcode format",
    label = "pass a struct of a target's module, such as `gfx942::Sop2`"
)]
pub trait Microcode: Copy {
    /// The format that it lays out.
    const FORMAT: Format;
    /// It is a dword behind a base format, not an instruction of its own.
    const EXTENSION: bool;
    /// Its dwords.
    type Words: AsRef<[u32]> + Copy + Default;
    /// The dwords, first to last.
    fn to_words(self) -> Self::Words;
    /// From dwords; every bit is kept.
    fn from_words(words: Self::Words) -> Self;

    /// Reads the part of an instruction that has this format; `None` if it has another.
    fn of(inst: &Inst) -> Option<Self>
    where
        Self::Words: for<'a> TryFrom<&'a [u32]>,
    {
        let words = inst.part(Self::FORMAT)?;
        Self::Words::try_from(words).ok().map(Self::from_words)
    }
}

/// What `num_enum` says of numbers that may be an opcode's. Derived, it would be one more constant and one more comparison
/// for each of thousands of opcodes, and more code than any other macro's here (`-Zmacro-stats`).
macro_rules! operations {
    ($op:ident, $number:ty) => {
        impl num_enum::TryFromPrimitive for $op {
            type Primitive = $number;
            type Error = num_enum::TryFromPrimitiveError<Self>;
            const NAME: &'static str = stringify!($op);

            fn try_from_primitive(number: $number) -> Result<Self, Self::Error> {
                Self::from_bits(number).map_err(num_enum::TryFromPrimitiveError::new)
            }
        }
        impl TryFrom<$number> for $op {
            type Error = num_enum::TryFromPrimitiveError<Self>;

            fn try_from(number: $number) -> Result<Self, Self::Error> {
                num_enum::TryFromPrimitive::try_from_primitive(number)
            }
        }
    };
}

mod prelude {
    pub(crate) use super::Microcode;
    pub(crate) use crate::{FieldError, Opcode};
}

include!(concat!(env!("OUT_DIR"), "/types.rs"));
