//! The language in which `isa/` says what an operation computes: its tree, its types, and the reader of its text.
//!
//! `isa/README.md` describes the language. The generator reads every formula with this module and checks it against the
//! rows of its operation; programs read the same text again.

extern crate alloc;

mod call;
mod read;
mod token;
mod tree;
mod types;

pub use call::Call;
#[allow(unused_imports)] // Only the generator uses it, to check formulas.
pub use call::Rule;
pub use read::SyntaxError;
pub use tree::{Binary, Expr, Formula, Goal, Part, Place, Source, Statement, Unary};
pub use types::{FloatType, Type};
