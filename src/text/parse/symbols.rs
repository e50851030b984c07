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

    /// Takes notice of the place of an expression that the parser has read, after the values of its symbols. Encodings
    /// are tried one after the other, each from the beginning of the text; the last one is the result.
    fn expression(&self, _place: Span) {}
}

/// A table of symbols without entries.
pub(super) struct NoSymbols;

impl Symbols for NoSymbols {
    fn value(&self, _: &str) -> Option<Integer> {
        None
    }
}
