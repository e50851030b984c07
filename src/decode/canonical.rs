//! Bits that the hardware ignores.

use super::decode_words;
use crate::codec::idle_addresses;
use crate::constraint::{mask, wide_of};
use crate::inst::Inst;
use crate::shared::constraint_flags;
use crate::table::sizes::{ANY_FILLER, CONSTRAINT_FLAGS};
use crate::table::{Filler, FormSignature, Ignored, MAX_DWORDS, NOTHING_IGNORED};
use crate::target::{DECODE, DESCS, Target};

/// The bits that the hardware ignores in a form, and the fillers of the sources that the form lacks.
fn ignored(target: Target, signature: &FormSignature) -> &'static Ignored {
    DESCS[target as usize].ignored.get(usize::from(signature.ignored)).unwrap_or(&NOTHING_IGNORED)
}

/// The bits of the sources that a form lacks, with the usual filler of the target.
pub(crate) fn filled(target: Target, signature: &FormSignature) -> u64 {
    if ANY_FILLER { ignored(target, signature).fillers[target.filler() as usize] } else { 0 }
}

/// Mask of the bits of the sources that a form lacks.
#[cfg(feature = "fast")]
pub(crate) fn unused(target: Target, signature: &FormSignature) -> u64 {
    if ANY_FILLER { ignored(target, signature).sources } else { 0 }
}

impl Inst {
    /// Whether all bits that the hardware ignores in this form are zero, except in sources that the operation does not
    /// have, which hold a [`Filler`]. The field of an absent operand counts as read, not as ignored: for example the
    /// address of a buffer without `offen` and `idxen` (`off`).
    pub fn is_canonical(&self) -> bool {
        let form = ignored(self.target(), self.signature());
        if self.bits() & self.ignored_at_first(form) != self.kept_in(form) {
            return false;
        }
        // Only longer instructions, and those with operands of variable length, can have further ignored bits.
        if self.len() <= 8 && !self.is_sized() {
            return true;
        }
        let low = self.kept_in(form);
        let expected = [low as u32, (low >> 32) as u32, 0, 0, 0];
        self.words()
            .iter()
            .zip(self.ignored_in(form))
            .zip(expected)
            .all(|((word, ignored), bits)| word & ignored == bits)
    }

    /// The instruction with all bits that the hardware ignores cleared. Sources that the operation does not have hold
    /// the [`Filler`] that the instruction has, or otherwise [`Target::filler`].
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::{Target, decode_words};
    /// let inst = decode_words(Target::Gfx942, &[0xd141_0005, 0x0002_0904]).unwrap(); // v_mov_b32_e64 has no src1 and no src2
    /// assert_eq!(inst.canonical().words(), [0xd141_0005, 0x0000_0104]);
    /// # }
    /// ```
    pub fn canonical(&self) -> Inst {
        if self.is_canonical() {
            return *self;
        }
        let mut words = self.padded_words();
        self.settle_ignored(&mut words);
        decode_words(self.target(), words.get(..self.words().len()).unwrap_or(&words)).unwrap_or(*self)
    }

    /// Sets the ignored bits in `words` to those of [`Inst::canonical`].
    pub(crate) fn settle_ignored(&self, words: &mut [u32; MAX_DWORDS]) {
        let form = ignored(self.target(), self.signature());
        words.iter_mut().zip(self.ignored_in(form)).for_each(|(word, ignored)| *word &= !ignored);
        let low = self.kept_in(form);
        words.iter_mut().zip([low as u32, (low >> 32) as u32]).for_each(|(word, bits)| *word |= bits);
    }

    /// The filler of the sources that the operation does not have. `None` if the operation has all sources of its
    /// format, if all assemblers write the same value to the missing sources, or if the words hold another value.
    ///
    /// ```
    /// # #[cfg(all(feature = "gfx1100", feature = "text"))] {
    /// use amdgpu_isa::{Filler, Target, parse};
    /// let add = parse(Target::Gfx1100, "v_add_f32_e64 v0, v1, v2").unwrap();
    /// assert_eq!((add.words(), add.filler()), (&[0xd503_0000, 0x0002_0501][..], Some(Filler::Llvm22)));
    /// let newer = add.with_filler(Filler::Llvm23);
    /// assert_eq!((newer.words(), newer.filler()), (&[0xd503_0000, 0x0202_0501][..], Some(Filler::Llvm23)));
    /// assert_eq!(newer.to_string(), add.to_string());
    /// # }
    /// ```
    pub fn filler(&self) -> Option<Filler> {
        self.filler_in(ignored(self.target(), self.signature()))
    }

    fn filler_in(&self, ignored: &Ignored) -> Option<Filler> {
        let [old, new] = ignored.fillers;
        match self.bits() & ignored.sources {
            _ if old == new => None,
            held if held == old => Some(Filler::Llvm22),
            held if held == new => Some(Filler::Llvm23),
            _ => None,
        }
    }

    /// The instruction with this filler in the sources that the operation does not have, or unchanged if
    /// [`Inst::filler`] is `None`.
    pub fn with_filler(&self, filler: Filler) -> Inst {
        let Some(held) = self.filler() else { return *self };
        let mut inst = *self;
        inst.flip(self.filling(held) ^ self.filling(filler));
        inst
    }

    /// The instruction with the usual filler of its target.
    #[cfg(all(feature = "text", feature = "fast"))]
    #[inline]
    pub(crate) fn filled(mut self) -> Inst {
        if ANY_FILLER {
            let ignored = ignored(self.target(), self.signature());
            self.flip(self.bits() & ignored.sources ^ filled(self.target(), self.signature()));
        }
        self
    }

    /// The instruction with the filler of `from`; unchanged if `from` has no filler, or the usual one of its target.
    pub(crate) fn filled_as(&self, from: &Inst) -> Inst {
        let own = from.filler().filter(|&filler| filler != from.target().filler());
        own.map_or(*self, |filler| self.with_filler(filler))
    }

    /// The bits of the sources that the operation does not have, in the canonical instruction.
    fn kept_in(&self, form: &Ignored) -> u64 {
        if !ANY_FILLER {
            return 0;
        }
        let filler = self.filler_in(form).unwrap_or(self.target().filler());
        form.fillers[filler as usize]
    }

    /// The bits of the sources that the operation does not have, with this filler.
    fn filling(&self, filler: Filler) -> u64 {
        ignored(self.target(), self.signature()).fillers[filler as usize]
    }

    /// Whether the length of an operand depends on other fields.
    fn is_sized(&self) -> bool {
        CONSTRAINT_FLAGS & constraint_flags::SIZED != 0 && self.constraint_flags() & constraint_flags::SIZED != 0
    }

    /// Mask of the bits that the hardware ignores in the first two dwords, whatever the length of operands.
    fn ignored_at_first(&self, form: &Ignored) -> u64 {
        let t = DESCS[self.target() as usize];
        form.bits | self.second_index().map_or(0, |index| ignored(self.target(), t.signature(index, 0)).bits)
    }

    /// Masks of the bits that the hardware ignores, for each dword.
    fn ignored_in(&self, form: &Ignored) -> [u32; MAX_DWORDS] {
        let low = self.ignored_at_first(form);
        let (decode, number) = (DECODE[self.target() as usize], self.constraints());
        let wide = wide_of(decode, number);
        let high = wide.map_or(0, |w| mask(decode, w.ignored));
        let mut masks = [low as u32, (low >> 32) as u32, high as u32, (high >> 32) as u32, 0];
        if self.is_sized() {
            idle_addresses(self, &mut masks);
        }
        masks
    }
}
