//! Errors of the command, grouped by where they can be corrected: the command line, the input or the output.

use std::{fmt, io};

use amdgpu_object::ErrorKind;

use crate::escape;

pub type Result<T> = std::result::Result<T, Error>;

#[derive(Debug)]
pub enum Error {
    /// The command line asks for something impossible: exit code 2, as clap does.
    Usage(String),
    /// The input is missing, damaged, or has no code for this tool: exit code 1.
    Input(String),
    /// The compressed data in the input exceeds the limit: exit code 1.
    TooMuch {
        /// The name of the file, and of the part of it.
        place: String,
        /// The limit in bytes.
        limit: u64,
    },
    /// The output cannot be written. A closed pipe ends the program quietly.
    Output(io::Error),
}

impl Error {
    pub fn input(message: impl Into<String>) -> Self {
        Error::Input(message.into())
    }

    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Usage(_) => 2,
            Error::Input(_) | Error::TooMuch { .. } | Error::Output(_) => 1,
        }
    }

    /// Adds the file, or the part of it, that the message is about.
    pub fn within(self, place: &str) -> Self {
        match self {
            Error::Input(m) => Error::Input(format!("{place}: {m}")),
            Error::TooMuch { place: inner, limit } if inner.is_empty() => Error::TooMuch { place: place.into(), limit },
            Error::TooMuch { place: inner, limit } => Error::TooMuch { place: format!("{place}: {inner}"), limit },
            other => other,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Usage(m) | Error::Input(m) => f.write_str(m),
            Error::TooMuch { place, limit } => write!(
                f,
                "{place}: decompressing it would go beyond the limit of {limit} bytes; `--max-unpacked SIZE` sets another"
            ),
            Error::Output(e) => write!(f, "cannot write the output: {e}"),
        }
    }
}

impl From<amdgpu_object::Error> for Error {
    /// Describes the damage to a file, and the option that helps. The names of the parts are escaped.
    fn from(error: amdgpu_object::Error) -> Self {
        let shown = |text: String| escape::name(text.as_bytes()).into_owned();
        match error.kind {
            ErrorKind::TooMuch { limit } => {
                let steps: Vec<String> = error.path.iter().map(|step| shown(step.to_string())).collect();
                Error::TooMuch { place: steps.join(": "), limit }
            }
            ErrorKind::UnknownFormat => Error::Input(shown(error.to_string()) + "; " + BARE),
            _ => Error::Input(shown(error.to_string())),
        }
    }
}

/// The advice about bare machine code.
const BARE: &str = "for bare machine code use `--raw --target TARGET`; `--scan` looks for code inside of other files";

impl From<io::Error> for Error {
    /// Makes an error of output: in this program, `?` is used only on writes. Errors of reads are mapped explicitly,
    /// with the name of the file.
    fn from(e: io::Error) -> Self {
        Error::Output(e)
    }
}
