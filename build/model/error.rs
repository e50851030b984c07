//! Errors in a table, with their location.

use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    pub file: String,
    pub line: usize,
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.message)
    }
}

pub type Result<T> = std::result::Result<T, Error>;

/// The location of a table line, for messages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceLine {
    pub file: String,
    pub line: usize,
}

impl SourceLine {
    pub fn error(&self, message: impl Into<String>) -> Error {
        Error { file: self.file.clone(), line: self.line, message: message.into() }
    }

    pub fn err<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(self.error(message))
    }
}
