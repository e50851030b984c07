//! A word, and what the library and LLVM say of it.

use amdgpu_isa::Target;

use crate::answer::Answer;
use crate::word::Word;

/// The library's answer about bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ours {
    /// An instruction.
    Inst {
        /// Its bytes.
        len: usize,
        /// Its text.
        text: String,
        /// The name of its format.
        format: &'static str,
    },
    /// No instruction, for this reason.
    Refused(String),
}

impl Ours {
    /// Decodes bytes.
    pub fn decode(target: Target, bytes: &[u8]) -> Ours {
        match amdgpu_isa::decode(target, bytes) {
            Ok(inst) => Ours::Inst { len: inst.len(), text: inst.to_string(), format: inst.format().name() },
            Err(error) => Ours::Refused(error.to_string()),
        }
    }

    /// The bytes of the instruction; `None` if there is none.
    pub fn size(&self) -> Option<usize> {
        match self {
            Ours::Inst { len, .. } => Some(*len),
            Ours::Refused(_) => None,
        }
    }

    /// One line: `LEN text` or `ERR reason`.
    pub fn line(&self) -> String {
        match self {
            Ours::Inst { len, text, .. } => format!("{len} {text}"),
            Ours::Refused(reason) => format!("ERR {reason}"),
        }
    }
}

/// Everything about one word.
pub struct Case {
    /// The target for which both have read the word.
    pub target: Target,
    /// What they have read.
    pub word: Word,
    /// What the library says.
    pub ours: Ours,
    /// What LLVM says.
    pub llvm: Answer,
    /// The version of LLVM.
    pub version: u32,
}

impl Case {
    /// A word and LLVM's answer; the library is asked here.
    pub fn new(target: Target, word: Word, llvm: Answer, version: u32) -> Case {
        Case { target, word, ours: Ours::decode(target, word.bytes()), llvm, version }
    }

    /// The kind of difference, if there is one.
    pub fn difference(&self) -> Option<Kind> {
        match (&self.ours, &self.llvm) {
            (_, Answer::Crash) => Some(Kind::LlvmCrashes),
            (Ours::Refused(_), Answer::Reject) => None,
            (Ours::Refused(_), Answer::Text { .. }) => Some(Kind::WeRefuse),
            (Ours::Inst { .. }, Answer::Reject) => Some(Kind::LlvmRefuses),
            (Ours::Inst { len: a, .. }, Answer::Text { len: b, .. }) if a != b => Some(Kind::Length),
            (Ours::Inst { text: a, .. }, Answer::Text { text: b, .. }) => (a != b).then_some(Kind::Text),
        }
    }
}

/// How the library and LLVM differ.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// Only LLVM reads an instruction.
    WeRefuse,
    /// Only the library reads an instruction.
    LlvmRefuses,
    /// LLVM gives no answer.
    LlvmCrashes,
    /// Both read an instruction, of different lengths.
    Length,
    /// Both read an instruction of one length, with different texts.
    Text,
}

impl Kind {
    /// A few words for a table.
    pub fn name(self) -> &'static str {
        match self {
            Kind::WeRefuse => "we refuse",
            Kind::LlvmRefuses => "LLVM refuses",
            Kind::LlvmCrashes => "LLVM crashes",
            Kind::Length => "length",
            Kind::Text => "text",
        }
    }
}
