//! Buffers of dwords: the memory in which code is patched, and to which the assembler writes.

use crate::decode::{decode, decode_words, fast_bytes, fast_words};
use crate::error::DecodeError;
use crate::inst::Inst;
use crate::target::Target;

/// A buffer of dwords: a slice, an array or, with the feature `alloc`, a `Vec` of dwords or of little-endian bytes.
///
/// ```
/// use amdgpu_isa::patch::Buffer;
/// let mut bytes = [0u8; 8];
/// assert!(bytes.set_dword(1, 0xbf81_0000));
/// assert_eq!((bytes, bytes.dword(1)), ([0, 0, 0, 0, 0, 0, 0x81, 0xbf], Some(0xbf81_0000)));
/// assert!(bytes.room(2) && !bytes.room(3) && !bytes.set_dword(2, 0));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a buffer of dwords",
    label = "pass a mutable slice, array or `Vec` of `u32` or of `u8`",
    note = "`Vec` needs the feature `alloc` of amdgpu-isa"
)]
pub trait Buffer {
    /// Makes room for this many dwords in total and keeps the existing ones; `false` if that is impossible.
    fn room(&mut self, dwords: usize) -> bool;
    /// Dword number `at`, or `None` past the end.
    fn dword(&self, at: usize) -> Option<u32>;
    /// Writes dword number `at`; `false` past the end.
    fn set_dword(&mut self, at: usize, dword: u32) -> bool;
}

impl Buffer for [u32] {
    #[inline]
    fn room(&mut self, dwords: usize) -> bool {
        dwords <= self.len()
    }

    #[inline]
    fn dword(&self, at: usize) -> Option<u32> {
        self.get(at).copied()
    }

    #[inline]
    fn set_dword(&mut self, at: usize, dword: u32) -> bool {
        let place = self.get_mut(at);
        place.map(|place| *place = dword).is_some()
    }
}

impl Buffer for [u8] {
    #[inline]
    fn room(&mut self, dwords: usize) -> bool {
        dwords <= self.len() / 4
    }

    #[inline]
    fn dword(&self, at: usize) -> Option<u32> {
        let bytes = self.get(at.checked_mul(4)?..)?.first_chunk()?;
        Some(u32::from_le_bytes(*bytes))
    }

    #[inline]
    fn set_dword(&mut self, at: usize, dword: u32) -> bool {
        let rest = at.checked_mul(4).and_then(|at| self.get_mut(at..));
        let place = rest.and_then(|rest| rest.first_chunk_mut());
        place.map(|place| *place = dword.to_le_bytes()).is_some()
    }
}

/// Implements `Buffer` for types with the methods of a slice.
macro_rules! like_slices {
    ($([$($generic:tt)*] $ty:ty, $desc:ty;)*) => { $(
        impl<$($generic)*> Buffer for $ty {
            #[inline]
            fn room(&mut self, dwords: usize) -> bool {
                <[$desc] as Buffer>::room(self, dwords)
            }

            #[inline]
            fn dword(&self, at: usize) -> Option<u32> {
                <[$desc] as Buffer>::dword(self, at)
            }

            #[inline]
            fn set_dword(&mut self, at: usize, dword: u32) -> bool {
                <[$desc] as Buffer>::set_dword(self, at, dword)
            }
        }
    )* };
}

like_slices! {
    [const N: usize] [u32; N], u32;
    [const N: usize] [u8; N], u8;
}

/// Implements `Buffer` for vectors, which grow.
#[cfg(feature = "alloc")]
macro_rules! vectors {
    ($($desc:ty, $per_dword:expr;)*) => { $(
        impl Buffer for alloc::vec::Vec<$desc> {
            fn room(&mut self, dwords: usize) -> bool {
                let Some(len) = dwords.checked_mul($per_dword) else { return false };
                let more = len.saturating_sub(self.len());
                // `try_reserve` fails instead of aborting if memory is exhausted.
                let there = self.try_reserve(more).is_ok();
                if there && more > 0 {
                    self.resize(len, 0);
                }
                there
            }

            #[inline]
            fn dword(&self, at: usize) -> Option<u32> {
                <[$desc] as Buffer>::dword(self, at)
            }

            #[inline]
            fn set_dword(&mut self, at: usize, dword: u32) -> bool {
                <[$desc] as Buffer>::set_dword(self, at, dword)
            }
        }
    )* };
}

#[cfg(feature = "alloc")]
vectors! {
    u32, 1;
    u8, 4;
}

/// Code in memory, as dwords or as bytes: `[u32]` or `[u8]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not code in memory",
    label = "pass a slice of `u32` or of `u8`",
    note = "an array or a `Vec` becomes a slice with `&mut code[..]`"
)]
pub trait Memory: Buffer + sealed::Memory {}

impl Memory for [u32] {}
impl Memory for [u8] {}

pub(crate) mod sealed {
    use super::*;

    pub trait Memory {
        /// The number of whole dwords.
        fn dwords(&self) -> usize;
        /// Decodes the first instruction.
        fn first(&self, target: Target) -> Result<Inst, DecodeError>;
        /// The first instruction, if the fast path of the decoder finds it.
        fn first_fast(&self, target: Target) -> Option<Inst>;
        /// The first dword, and how many of its bytes the memory has, 0 to 4; missing bytes are 0.
        fn head(&self) -> (u32, u8);
        /// Splits the memory before dword number `dwords`. If the memory is shorter, a slice of dwords gives `None`,
        /// and a slice of bytes is split at its end.
        fn split(&mut self, dwords: usize) -> Option<(&mut Self, &mut Self)>;
        /// The part that begins with dword number `dwords`; `None` if the memory is shorter.
        fn from(&self, dwords: usize) -> Option<&Self>;
    }

    impl Memory for [u32] {
        fn dwords(&self) -> usize {
            self.len()
        }

        fn first(&self, target: Target) -> Result<Inst, DecodeError> {
            decode_words(target, self)
        }

        #[inline(always)]
        fn first_fast(&self, target: Target) -> Option<Inst> {
            fast_words(target, self)
        }

        fn head(&self) -> (u32, u8) {
            <[u32]>::first(self).map_or((0, 0), |&word| (word, 4))
        }

        fn split(&mut self, dwords: usize) -> Option<(&mut Self, &mut Self)> {
            self.split_at_mut_checked(dwords)
        }

        fn from(&self, dwords: usize) -> Option<&Self> {
            self.get(dwords..)
        }
    }

    impl Memory for [u8] {
        fn dwords(&self) -> usize {
            self.len() / 4
        }

        fn first(&self, target: Target) -> Result<Inst, DecodeError> {
            decode(target, self)
        }

        #[inline(always)]
        fn first_fast(&self, target: Target) -> Option<Inst> {
            fast_bytes(target, self)
        }

        fn head(&self) -> (u32, u8) {
            let mut word = [0; 4];
            word.iter_mut().zip(self).for_each(|(to, &from)| *to = from);
            (u32::from_le_bytes(word), self.len().min(4) as u8)
        }

        fn split(&mut self, dwords: usize) -> Option<(&mut Self, &mut Self)> {
            // The last dword of a slice may be incomplete.
            let at = dwords.checked_mul(4)?;
            self.split_at_mut_checked(at.min(self.len()))
        }

        fn from(&self, dwords: usize) -> Option<&Self> {
            self.get(dwords.checked_mul(4)?..)
        }
    }
}
