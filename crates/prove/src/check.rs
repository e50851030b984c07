//! Properties that must hold for all words. `tests/inverse.rs` checks them on every run, and `prove` on all words.

use amdgpu_isa::errors::EncodeError;
use amdgpu_isa::text::{ParseError, TextBuffer};
use amdgpu_isa::{DecodeError, Inst, Target};

/// The number of dwords of the longest instruction of any target.
pub const DWORDS: usize = 5;

/// The words of an instruction, with zeros after them.
pub type Words = [u32; DWORDS];

/// The library, as the proof calls it. Each unit test replaces one call by a faulty one, which the proof must find.
pub trait Subject: Sync {
    /// [`amdgpu_isa::decode`].
    #[inline(always)]
    fn decode(&self, target: Target, bytes: &[u8]) -> Result<Inst, DecodeError> {
        amdgpu_isa::decode(target, bytes)
    }

    /// [`amdgpu_isa::decode_words`].
    fn decode_words(&self, target: Target, words: &[u32]) -> Result<Inst, DecodeError> {
        amdgpu_isa::decode_words(target, words)
    }

    /// Decoding without the feature `fast`.
    fn decode_small(&self, target: Target, bytes: &[u8]) -> Result<Inst, DecodeError> {
        amdgpu_isa::decode_small(target, bytes)
    }

    /// [`Inst::encode`].
    fn encode(&self, inst: &Inst, out: &mut [u8]) -> Result<usize, EncodeError> {
        inst.encode(out)
    }

    /// [`amdgpu_isa::length`].
    fn length(&self, target: Target, bytes: &[u8]) -> Option<usize> {
        amdgpu_isa::length(target, bytes)
    }

    /// `Display` of [`Inst`].
    fn write(&self, inst: &Inst, out: &mut String) -> std::fmt::Result {
        std::fmt::Write::write_fmt(out, format_args!("{inst}"))
    }

    /// [`TextBuffer::print`].
    fn print<'a>(&self, inst: &Inst, buffer: &'a mut TextBuffer) -> &'a [u8] {
        buffer.print(inst)
    }

    /// [`amdgpu_isa::parse`].
    fn parse(&self, target: Target, text: &str) -> Result<Inst, ParseError> {
        amdgpu_isa::parse(target, text)
    }

    /// Printing without the feature `fast`.
    fn print_small<'a>(&self, inst: &Inst, buffer: &'a mut TextBuffer) -> &'a [u8] {
        buffer.print_small(inst)
    }
}

/// The unchanged library.
pub struct Library;

impl Subject for Library {}

/// The description of a property that does not hold.
pub type Fault = &'static str;

/// The bytes of words, in memory order.
#[inline(always)]
pub fn bytes(words: &Words) -> [u8; 4 * DWORDS] {
    let mut bytes = [0; 4 * DWORDS];
    // Words are copied in pairs: a load does not stall if the store before it has the same width.
    for (to, pair) in bytes.chunks_mut(8).zip(words.chunks(2)) {
        let both = pair.iter().rev().fold(0, |both, word| both << 32 | u64::from(*word));
        to.copy_from_slice(&both.to_le_bytes()[..to.len()]);
    }
    bytes
}

/// Checks the length of an instruction that was decoded from the words, and that it encodes to them again.
#[inline(always)]
pub fn instruction(subject: &impl Subject, target: Target, words: &Words, inst: &Inst) -> Result<(), Fault> {
    // Nearly all instructions have one or two dwords. If the compiler knows the length, the check takes half the time.
    match inst.len() {
        4 => inverse(subject, target, words, inst, 1),
        8 => inverse(subject, target, words, inst, 2),
        12 | 16 | 20 => inverse(subject, target, words, inst, inst.len() / 4),
        _ => Err("the length is not that of an instruction"),
    }
}

#[inline(always)]
fn hold(holds: bool, fault: Fault) -> Result<(), Fault> {
    if holds { Ok(()) } else { Err(fault) }
}

#[inline(always)]
fn inverse(subject: &impl Subject, target: Target, words: &Words, inst: &Inst, dwords: usize) -> Result<(), Fault> {
    let (code, len) = (bytes(words), dwords * 4);
    hold(subject.length(target, &code) == Some(len), "`length` gives another length")?;
    let mut out = [0; 4 * DWORDS];
    hold(subject.encode(inst, &mut out) == Ok(len), "it does not encode to its length")?;
    hold(out[..len] == code[..len], "it encodes to other bytes")?;
    // The result is compared in place: a copy of it would have to wait for the narrow stores that made it.
    let again = &subject.decode(target, &out[..len]);
    hold(matches!(again, Ok(again) if again == inst), "its bytes alone decode to another")
}

/// Further checks of a decoded instruction, which are made less often.
pub fn besides(subject: &impl Subject, target: Target, words: &Words, inst: &Inst) -> Result<(), Fault> {
    let dwords = inst.len() / 4;
    hold(inst.target() == target, "the instruction is of another target")?;
    hold(Some(inst.words()) == words.get(..dwords), "the instruction has other words")?;
    let mut expected = [0xaa; 4 * DWORDS + 4];
    let mut out = expected;
    let encoded = subject.encode(inst, &mut out);
    expected[..inst.len()].copy_from_slice(&bytes(words)[..inst.len()]);
    hold(encoded.is_ok() && out == expected, "encoding writes beyond its end")?;
    let mut other = *words;
    other[dwords..].iter_mut().for_each(|word| *word = !*word);
    let code = bytes(&other);
    let same = |decoded: &Result<Inst, DecodeError>| matches!(decoded, Ok(again) if again == inst);
    hold(same(&subject.decode_words(target, &other)), "the result depends on the bytes after it")?;
    hold(same(&subject.decode(target, &code)), "the result depends on the bytes after it")?;
    hold(same(&subject.decode_small(target, &code)), "without `fast` it decodes otherwise")
}

/// Checks the error with which `decode` refused words: it must not ask for more dwords, and `decode_words` must return
/// the same error.
#[inline(always)]
pub fn refusal(subject: &impl Subject, target: Target, words: &Words, error: DecodeError) -> Result<(), Fault> {
    if matches!(error, DecodeError::Truncated { .. }) {
        return Err("the longest instruction is not enough");
    }
    match subject.decode_words(target, words) == Err(error) {
        true => Ok(()),
        false => Err("the dwords decode to something else"),
    }
}

/// Reused buffers for texts.
#[derive(Default)]
pub struct Texts {
    first: String,
    buffer: TextBuffer,
}

impl Texts {
    /// Checks an instruction's text. It must be one line of ASCII without a question mark (which stands for a code
    /// without a name), and must be the same from all printers, when it is printed again, and with other bytes after
    /// the instruction.
    pub fn check(&mut self, subject: &impl Subject, target: Target, words: &Words, inst: &Inst) -> Result<(), Fault> {
        let Texts { first, buffer } = self;
        first.clear();
        subject.write(inst, first).map_err(|_| "printing fails")?;
        if !first.bytes().all(|byte| matches!(byte, b' '..=b'~' if byte != b'?')) {
            return Err("the text is not plain");
        }
        if first.trim() != first || !first.starts_with(inst.mnemonic()) {
            return Err("the text does not begin with the mnemonic");
        }
        if subject.print(inst, buffer) != first.as_bytes() {
            return Err("the text in a buffer differs");
        }
        if subject.print_small(inst, buffer) != first.as_bytes() {
            return Err("the text without `fast` differs");
        }
        let mut other = *words;
        other[inst.len() / 4..].iter_mut().for_each(|word| *word = !*word);
        let Ok(again) = subject.decode(target, &bytes(&other)) else {
            return Err("the result depends on the bytes after it");
        };
        hold(subject.print(&again, buffer) == first.as_bytes(), "the second text differs")
    }

    /// The instruction to which the text that was checked last parses.
    pub fn parsed(&self, subject: &impl Subject, target: Target) -> Result<Inst, ParseError> {
        subject.parse(target, &self.first)
    }
}
