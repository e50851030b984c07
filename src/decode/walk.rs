//! Walks over code in bytes or in dwords.

use core::fmt;

#[cfg(feature = "fast")]
use super::{Next, decode_fast, third};
use super::{decode_words, reference_bytes};
use crate::error::DecodeError;
use crate::inst::Inst;
use crate::target::Target;

/// A dword that is not an instruction, found while walking code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Invalid {
    /// The dword. Bytes beyond the end of the slice are zero.
    pub word: u32,
    /// The number of bytes of the dword in the slice: 4, or fewer at the end.
    pub len: u8,
    /// The reason why the dword is not an instruction.
    pub error: DecodeError,
}

/// One step of a walk over code: an instruction, or a dword that is not one. See [`Decoder`] and
/// [`DecoderMut`](crate::patch::DecoderMut).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Decoded<I = Inst> {
    /// The offset of the first byte from the start of the code.
    pub offset: usize,
    /// The instruction, or the dword that is not one, with the reason.
    pub inst: Result<I, Invalid>,
}

/// A walk over code, which yields each instruction with its offset in bytes, and each dword that is not an instruction.
///
/// After a dword that is not an instruction the walk continues with the next dword. For code in dwords instead of
/// bytes, use [`WordDecoder`].
#[derive(Clone, Debug)]
#[doc(alias = "disassembler")]
#[doc(alias = "MCDisassembler")]
pub struct Decoder<'a> {
    target: Target,
    /// The length of the code in bytes.
    len: usize,
    /// The bytes after `next`.
    rest: &'a [u8],
    /// The instruction decoded ahead, if any.
    #[cfg(feature = "fast")]
    next: Next,
}

impl<'a> Decoder<'a> {
    /// A walk that starts at the first byte.
    pub fn new(target: Target, bytes: &'a [u8]) -> Self {
        Decoder {
            target,
            len: bytes.len(),
            rest: bytes,
            #[cfg(feature = "fast")]
            next: Next::default(),
        }
    }

    /// Takes the instruction that was decoded ahead, and decodes the next one.
    ///
    /// The caller's work on an instruction often has a branch that is mispredicted, such as a branch on the number of
    /// operands. The processor discards the work after such a branch, but not the decoding of the next instruction,
    /// which comes before it.
    #[cfg(feature = "fast")]
    #[inline(always)]
    fn ahead(&mut self) -> Option<Inst> {
        let next = self.next;
        if next.meta == 0 {
            return None;
        }
        self.look();
        Some(next.inst())
    }

    #[cfg(feature = "fast")]
    #[inline(always)]
    fn look(&mut self) {
        let next = match self.rest.first_chunk() {
            Some(bits) => decode_fast(self.target, u64::from_le_bytes(*bits), || third(self.rest)),
            None => None,
        };
        self.next = Next::default();
        if let Some((next, len)) = next {
            self.next = next;
            self.rest = self.rest.get(len..).unwrap_or(&[]);
        }
    }

    /// The next step if no instruction was decoded ahead. The state is taken by value, so that it can stay in
    /// registers.
    #[cold]
    #[inline(never)]
    fn slow(mut self) -> (Self, Option<Result<Inst, Invalid>>) {
        if self.rest.is_empty() {
            return (self, None);
        }
        let desc = reference_bytes(self.target, self.rest).map_err(|error| invalid(self.rest, error));
        let len = desc.as_ref().map_or_else(|invalid| invalid.len.into(), Inst::len);
        self.rest = self.rest.get(len..).unwrap_or(&[]);
        #[cfg(feature = "fast")]
        self.look();
        (self, Some(desc))
    }
}

impl Iterator for Decoder<'_> {
    type Item = Decoded;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let at = self.len - self.rest.len();
        #[cfg(feature = "fast")]
        if let Some(inst) = self.ahead() {
            return Some(Decoded { offset: at - inst.len(), inst: Ok(inst) });
        }
        let (after, desc) = self.clone().slow();
        *self = after;
        Some(Decoded { offset: at, inst: desc? })
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#010x}: {}", self.word, self.error)
    }
}

impl core::error::Error for Invalid {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        Some(&self.error)
    }
}

#[cold]
fn invalid(rest: &[u8], error: DecodeError) -> Invalid {
    let mut word = [0; 4];
    let len = rest.len().min(4);
    for (to, from) in word.iter_mut().zip(rest) {
        *to = *from;
    }
    Invalid { word: u32::from_le_bytes(word), len: len as u8, error }
}

impl core::iter::FusedIterator for Decoder<'_> {}

/// A walk over code in dwords, the form in which a GPU's memory is often mapped: [`Decoder`] for `&[u32]`. Offsets are
/// in bytes.
///
/// ```
/// # #[cfg(feature = "gfx942")] {
/// use amdgpu_isa::{Decoded, Opcode, Target, WordDecoder};
/// let code = [0x8004_ff01, 1000, 0xbf81_0000]; // s_add_u32 s4, s1, 1000; s_endpgm
/// let found = WordDecoder::new(Target::Gfx942, &code).map(|Decoded { offset, inst }| (offset, inst.unwrap().opcode()));
/// assert!(found.eq([(0, Opcode::SAddU32), (8, Opcode::SEndpgm)]));
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct WordDecoder<'a> {
    target: Target,
    dwords: usize,
    rest: &'a [u32],
}

impl<'a> WordDecoder<'a> {
    /// A walk that starts at the first dword.
    pub fn new(target: Target, dwords: &'a [u32]) -> Self {
        WordDecoder { target, dwords: dwords.len(), rest: dwords }
    }
}

impl Iterator for WordDecoder<'_> {
    type Item = Decoded;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let &word = self.rest.first()?;
        let offset = (self.dwords - self.rest.len()) * 4;
        let inst = decode_words(self.target, self.rest).map_err(|error| Invalid { word, len: 4, error });
        let len = inst.as_ref().map_or(1, |inst| inst.words().len());
        self.rest = self.rest.get(len..).unwrap_or(&[]);
        Some(Decoded { offset, inst })
    }
}

impl core::iter::FusedIterator for WordDecoder<'_> {}
