//! A word, and the answers of the library and of LLVM about it.

use amdgpu_isa::Target;

use crate::answer::Answer;
use crate::word::Word;

/// The library's answer about bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ours {
    /// The bytes begin with an instruction.
    Inst {
        /// The length of the instruction in bytes.
        len: usize,
        /// The text of the instruction.
        text: String,
        /// The name of the instruction's format.
        format: &'static str,
    },
    /// The bytes are not an instruction, for this reason.
    Refused(String),
}

impl Ours {
    /// The library's answer about bytes.
    pub fn decode(target: Target, bytes: &[u8]) -> Ours {
        match amdgpu_isa::decode(target, bytes) {
            Ok(inst) => Ours::Inst { len: inst.len(), text: inst.to_string(), format: inst.format().name() },
            Err(error) => Ours::Refused(error.to_string()),
        }
    }

    /// The length of the instruction in bytes; `None` if the bytes are refused.
    pub fn size(&self) -> Option<usize> {
        match self {
            Ours::Inst { len, .. } => Some(*len),
            Ours::Refused(_) => None,
        }
    }

    /// The answer as one line: `LEN text` or `ERR reason`.
    pub fn line(&self) -> String {
        match self {
            Ours::Inst { len, text, .. } => format!("{len} {text}"),
            Ours::Refused(reason) => format!("ERR {reason}"),
        }
    }
}

/// A word, and both answers about it.
pub struct Case {
    /// The target for which the library and LLVM were asked.
    pub target: Target,
    /// The word about which the library and LLVM were asked.
    pub word: Word,
    /// The library's answer.
    pub ours: Ours,
    /// LLVM's answer.
    pub llvm: Answer,
    /// The version of LLVM that gave the answer.
    pub version: u32,
}

impl Case {
    /// The case of a word and LLVM's answer. The library is asked for its own answer.
    pub fn new(target: Target, word: Word, llvm: Answer, version: u32) -> Case {
        Case { target, word, ours: Ours::decode(target, word.bytes()), llvm, version }
    }

    /// The kind of difference between the answers, if there is one.
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

/// The kind of a difference between the library and LLVM.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// Only LLVM decodes the word.
    WeRefuse,
    /// Only the library decodes the word.
    LlvmRefuses,
    /// LLVM gives no answer.
    LlvmCrashes,
    /// The library and LLVM decode instructions of different lengths.
    Length,
    /// The library and LLVM decode instructions of the same length with different texts.
    Text,
}

impl Kind {
    /// A name of a few words, for tables.
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
