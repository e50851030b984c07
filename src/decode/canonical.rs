//! Bits that the hardware ignores.

use super::decode_words;
use crate::codec::idle_addresses;
use crate::constraint::{mask, wide_of};
use crate::inst::Inst;
use crate::shared::marks;
use crate::table::sizes::MARKS;
use crate::table::{FormSignature, MAX_DWORDS};
use crate::target::{DECODE, DESCS};

impl Inst {
    /// Whether all bits that the hardware ignores in this form of the operation are zero. The field of an absent
    /// operand counts as read, not as ignored: for example the address of a buffer without `offen` and `idxen` (`off`).
    pub fn is_canonical(&self) -> bool {
        self.words().iter().zip(self.ignored()).all(|(word, ignored)| word & ignored == 0)
    }

    /// Returns the instruction with all bits cleared that the hardware ignores.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::{Target, decode_words};
    /// let inst = decode_words(Target::Gfx942, &[0xd141_0005, 0x0002_0904]).unwrap(); // v_mov_b32_e64 has no src1 and no src2
    /// assert_eq!(inst.canonical().words(), [0xd141_0005, 0x0000_0104]);
    /// # }
    /// ```
    pub fn canonical(&self) -> Inst {
        let mut words = [0; MAX_DWORDS];
        words.iter_mut().zip(self.words()).for_each(|(to, &from)| *to = from);
        words.iter_mut().zip(self.ignored()).for_each(|(word, ignored)| *word &= !ignored);
        decode_words(self.target(), words.get(..self.words().len()).unwrap_or(&words)).unwrap_or(*self)
    }

    /// Masks of the bits that the hardware ignores, for each dword.
    pub(crate) fn ignored(&self) -> [u32; MAX_DWORDS] {
        let t = DESCS[self.target() as usize];
        let of = |signature: &FormSignature| t.ignored.get(usize::from(signature.ignored)).copied().unwrap_or(0);
        let second = self.second_index().map_or(0, |index| of(t.signature(index, 0)));
        let low = of(self.signature()) | second;
        let decode = DECODE[self.target() as usize];
        let wide = wide_of(decode, self.constraints());
        let high = wide.map_or(0, |w| mask(decode, w.ignored));
        let mut masks = [low as u32, (low >> 32) as u32, high as u32, (high >> 32) as u32, 0];
        if MARKS & self.marks() & marks::SIZED != 0 {
            idle_addresses(self, &mut masks);
        }
        masks
    }
}
