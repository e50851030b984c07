//! The symbols of the caller, whose values the parser of expressions asks for.

use super::Span;
use super::operation::assembler_facts;
use crate::inst::Inst;
use crate::opcode::Field;
use crate::table::{DataType, Open};
use crate::value::Value;

/// The value of an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Integer {
    /// The value.
    pub value: i64,
    /// Whether the value depends on a symbol that is not fixed: only a literal can hold it, and a linker may change it.
    pub open: bool,
}

impl Integer {
    pub(super) fn map(self, value: i64) -> Integer {
        Integer { value, ..self }
    }
}

/// The values of names in expressions: see [`parse_with`](super::parse_with).
pub trait Symbols {
    /// The value of a symbol; `None` if there is no such symbol. Names can contain `@`, as in `kernel@rel32@lo`.
    fn value(&self, name: &str) -> Option<Integer>;

    /// Receives the place of an expression, after the parser has asked for the values of its symbols. The parser tries
    /// encodings one after the other, each from the beginning of the text, so a place can be passed several times. The
    /// instruction has the encoding that is tried last.
    fn expression(&self, _place: Span) {}
}

/// A table of symbols without entries.
pub(super) struct NoSymbols;

impl Symbols for NoSymbols {
    fn value(&self, _: &str) -> Option<Integer> {
        None
    }
}

impl Inst {
    /// Whether the literal can be a value that a linker fills in. LLVM's assembler accepts such values as 32-bit
    /// sources that can also be registers (in the longest encodings, only as integers) and as 64-bit sources of scalar
    /// operations. `false` if there is no literal.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::{Target, decode};
    /// let s_mov_b32_s0_literal = decode(Target::Gfx942, &[0xff, 0x00, 0x80, 0xbe, 0x78, 0x56, 0x34, 0x12]).unwrap();
    /// assert!(s_mov_b32_s0_literal.takes_symbol());
    /// let s_mov_b32_s0_s1 = decode(Target::Gfx942, &[0x01, 0x00, 0x80, 0xbe]).unwrap();
    /// assert!(!s_mov_b32_s0_s1.takes_symbol());
    /// # }
    /// ```
    pub fn takes_symbol(&self) -> bool {
        use DataType::{Bf16, F16, F32, I16};
        let open = assembler_facts(self.format()).open;
        let form = self.opcode().signatures(self.target()).find(|form| form.format() == self.format());
        let type_of = |field| form?.operands().find(|other| Some(other.field) == field).map(|other| other.ty);
        self.operands().filter(|operand| operand.role != Some(Field::Literal)).any(|operand| match operand.value {
            Value::Literal(_) if operand.bits != 32 => false,
            Value::Literal(_) => match type_of(operand.role) {
                Some(F16 | Bf16 | I16) => false,
                Some(F32) => matches!(open, Open::Words | Open::Wide),
                _ => !matches!(open, Open::None),
            },
            Value::Literal64 => matches!(open, Open::Wide),
            _ => false,
        })
    }
}
