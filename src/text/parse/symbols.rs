//! The symbols of the caller, whose values the parser of expressions asks for.

use super::Span;

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
