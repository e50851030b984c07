//! Faults of a source while it is being read, with ranges of bytes, which the public types turn into lines and columns.

use std::collections::HashMap;

use crate::Kind;

/// A range of bytes of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The number of the text among all texts that were read.
    pub file: usize,
    pub start: usize,
    pub end: usize,
}

/// An error or a warning.
#[derive(Clone, Debug)]
pub struct Flaw {
    pub place: Span,
    pub message: String,
    pub note: Option<String>,
    pub is_warning: bool,
    pub kind: Kind,
}

impl Flaw {
    pub fn new(place: Span, message: impl Into<String>) -> Flaw {
        Flaw { place, message: message.into(), note: None, is_warning: false, kind: Kind::Other }
    }

    pub fn note(self, note: impl Into<String>) -> Flaw {
        Flaw { note: Some(note.into()), ..self }
    }

    pub fn kind(self, kind: Kind) -> Flaw {
        Flaw { kind, ..self }
    }
}

pub type Result<T, E = Flaw> = std::result::Result<T, E>;

/// The number of flaws that are kept. A source can have millions.
const SHOWN: usize = 100;

/// The flaws of a source, in the order in which they were found.
#[derive(Clone, Debug, Default)]
pub struct Flaws {
    pub shown: Vec<Flaw>,
    /// The number of further flaws, which are not kept.
    pub hidden: usize,
    /// The number of warnings of each kind among them.
    hidden_warnings: HashMap<Kind, usize>,
    errors: usize,
}

impl Flaws {
    pub fn add(&mut self, flaw: Flaw) {
        self.errors += usize::from(!flaw.is_warning);
        let is_minor = |flaw: &Flaw| flaw.is_warning && flaw.kind == Kind::Other;
        let mut hidden = None;
        if self.shown.len() < SHOWN {
            self.shown.push(flaw);
        } else if let Some(last) = self.shown.iter().rposition(is_minor).filter(|_| !is_minor(&flaw)) {
            // An error, or a warning with a kind of its own, takes the place of a warning without one.
            hidden = Some(self.shown.remove(last));
            self.shown.push(flaw);
        } else {
            hidden = Some(flaw);
        }
        if let Some(flaw) = hidden {
            self.hidden += 1;
            *self.hidden_warnings.entry(flaw.kind).or_default() += usize::from(flaw.is_warning);
        }
    }

    /// Turns the warnings of a kind into errors, including hidden ones.
    pub fn refuse(&mut self, kind: Kind) {
        for flaw in self.shown.iter_mut().filter(|flaw| flaw.kind == kind && flaw.is_warning) {
            flaw.is_warning = false;
            self.errors += 1;
        }
        self.errors += self.hidden_warnings.remove(&kind).unwrap_or(0);
    }

    /// The number of errors, including hidden ones.
    pub fn errors(&self) -> usize {
        self.errors
    }
}
