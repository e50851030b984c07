//! The trait of structs of microcode formats. The root of the crate includes the generated structs, in a module for
//! each target.

use crate::inst::Inst;
use crate::opcode::Format;

/// A struct that holds the words of one microcode format.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a struct of a microcode format",
    label = "pass a struct of a target's module, such as `gfx942::Sop2`"
)]
pub trait Microcode: Copy {
    /// The format that the struct lays out.
    const FORMAT: Format;
    /// Whether the format is a trailing dword, not an instruction of its own.
    const EXTENSION: bool;
    /// The dwords as an array.
    type Words: AsRef<[u32]> + Copy + Default;
    /// The dwords, first to last.
    fn to_words(self) -> Self::Words;
    /// Makes the struct from dwords; every bit is kept.
    fn from_words(words: Self::Words) -> Self;

    /// Reads the part of an instruction that has this format; `None` if the instruction has no such part.
    fn of(inst: &Inst) -> Option<Self>
    where
        Self::Words: for<'a> TryFrom<&'a [u32]>,
    {
        let words = inst.part(Self::FORMAT)?;
        Self::Words::try_from(words).ok().map(Self::from_words)
    }
}

/// Implements `num_enum`'s conversion for opcode numbers. The derive macro of `num_enum` would add a constant and a
/// comparison for each of thousands of opcodes, and generate more code than any other macro here (`-Zmacro-stats`).
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

/// The names that the generated modules need.
pub(crate) mod prelude {
    pub(crate) use super::Microcode;
    pub(crate) use crate::error::FieldError;
    pub(crate) use crate::opcode::{Field, Format, Opcode};
}
