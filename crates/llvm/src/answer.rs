//! LLVM's answers about words.

/// LLVM's answer about one word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// The word is an instruction.
    Text {
        /// The length of the instruction in bytes.
        len: usize,
        /// The text, with one space between mnemonic and operands, and with LLVM's comments `/*...*/`.
        text: String,
        /// The comment that LLVM appends after `;` or `//`.
        comment: String,
    },
    /// The word is not an instruction.
    Reject,
    /// LLVM's process ended, or did not answer.
    Crash,
}

impl Answer {
    /// The answer as one line: `LEN text`, `ERR` or `CRASH`.
    pub fn line(&self) -> String {
        match self {
            Answer::Text { len, text, .. } => format!("{len} {text}"),
            Answer::Reject => "ERR".into(),
            Answer::Crash => "CRASH".into(),
        }
    }
}
