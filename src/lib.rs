//! Encode, decode, print and patch AMD GPU machine code.
#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod common;
mod decode;
mod error;
mod inst;
mod operand;
mod table;
mod target;
#[cfg(feature = "text")]
mod text;
mod types;

pub use common::{Field, Flags, Format, Opcode};
pub use decode::{Decoder, Invalid, decode, decode_words, length};
pub use error::{DecodeError, EncodeError, FieldError};
pub use inst::Inst;
pub use operand::{Access, Operand, Operands, Reg, Value};
pub use table::{FieldInfo, Layout};
pub use target::{Target, UnknownTarget};
#[cfg(feature = "text")]
pub use text::{FieldText, TextBuffer};
pub use types::*;
