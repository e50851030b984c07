//! Swaps the first two sources of an instruction.

use super::{ConvertError, kept};
use crate::codec::{Words, encode, read};
use crate::compare::same_operands;
use crate::decode::decode_words;
use crate::inst::Inst;
use crate::opcode::{Field, Opcode, SWAPS};
use crate::table::OperandDesc;
use crate::value::{Access, Operand};

/// Modifiers with one bit for each source.
const LISTS: [Field; 5] = [Field::Neg, Field::NegHi, Field::Abs, Field::OpSel, Field::OpSelHi];
/// Modifiers of one source: the field for the first source, and the one for the second.
const PAIRS: [(Field, Field); 4] = [
    (Field::Src0Sel, Field::Src1Sel),
    (Field::Src0Neg, Field::Src1Neg),
    (Field::Src0Abs, Field::Src1Abs),
    (Field::Src0Sext, Field::Src1Sext),
];

impl Opcode {
    /// The operation that gives the same result with its first two sources swapped; often the same operation. The
    /// result has a meaning only for operations that [are commutable](crate::facts::Flags::is_commutable) on a target.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::Opcode;
    /// assert_eq!(Opcode::VSubF32.swapped(), Opcode::VSubrevF32);
    /// assert_eq!(Opcode::VAddF32.swapped(), Opcode::VAddF32);
    /// # }
    /// ```
    pub fn swapped(self) -> Opcode {
        let other = SWAPS.iter().find_map(|&(a, b)| match self {
            _ if self == a => Some(b),
            _ if self == b => Some(a),
            _ => None,
        });
        other.unwrap_or(self)
    }
}

impl Inst {
    /// Returns the instruction with its first two sources swapped, including their modifiers. The operation is
    /// unchanged, or becomes one with the same result (`v_subrev_f32` for `v_sub_f32`, `s_cmp_gt_u32` for
    /// `s_cmp_lt_u32`).
    ///
    /// The encoding is unchanged. If the encoding has no room for a source, [`Inst::expand`] may help. If both sources
    /// are NaN, the order can decide which of them a minimum or maximum returns.
    ///
    /// # Errors
    /// The operation is not commutable, or one source cannot take the other's place.
    ///
    /// ```
    /// # #[cfg(all(feature = "gfx942", feature = "text"))] {
    /// use amdgpu_isa::convert::ConvertError;
    /// use amdgpu_isa::{Field, Target, decode_words};
    /// let sub = decode_words(Target::Gfx942, &[0x0404_0501]).unwrap();
    /// assert_eq!(sub.to_string(), "v_sub_f32_e32 v2, v1, v2");
    /// assert_eq!(sub.commuted().unwrap().to_string(), "v_subrev_f32_e32 v2, v2, v1");
    ///
    /// let scalar = decode_words(Target::Gfx942, &[0x0404_0401]).unwrap(); // v_sub_f32_e32 v2, s1, v2
    /// assert_eq!(scalar.commuted(), Err(ConvertError::Operand(Field::Src0)));
    /// let scalar = scalar.expand().unwrap().commuted().unwrap();
    /// assert_eq!(scalar.to_string(), "v_subrev_f32_e64 v2, v2, s1");
    /// # }
    /// ```
    pub fn commuted(&self) -> Result<Inst, ConvertError> {
        let not = ConvertError::NotCommutable(self.opcode());
        if !self.flags().is_commutable() || self.second_opcode().is_some() {
            return Err(not);
        }
        let (first, second) = self.sources().ok_or(not)?;
        let other = self.opcode().swapped();
        let base = if other == self.opcode() { *self } else { self.with_opcode(other).map_err(|_| not)? };
        let mut words = Words::of(&base).ok_or(not)?;
        for (to, from) in [(second, first), (first, second)] {
            let refused = ConvertError::Operand(from.field);
            let (coded, _) = read(from, self).ok_or(refused)?;
            encode(to, coded, &mut words).map_err(|_| refused)?;
        }
        for field in LISTS {
            if let (Some(held), Some(place)) = (self.get(field), self.locate(field)) {
                let swapped = held & !3 | held >> 1 & 1 | (held & 1) << 1;
                place.put(&mut words.dwords, swapped).map_err(|_| not)?;
            }
        }
        for (a, b) in PAIRS {
            for (to, from) in [(a, b), (b, a)] {
                if let (Some(held), Some(place)) = (self.get(from), self.locate(to)) {
                    place.put(&mut words.dwords, held).map_err(|_| not)?;
                }
            }
        }
        let dwords = self.words().len();
        let made = decode_words(self.target(), words.dwords.get(..dwords).unwrap_or(&words.dwords));
        let made = made.map_err(|_| ConvertError::Operand(first.field))?;
        if made.opcode() != other || made.words().len() != dwords || made.extension() != self.extension() {
            return Err(ConvertError::Operand(first.field));
        }
        self.compare_swapped(&made, first.field, second.field)?;
        kept(self, made)
    }

    /// The first two sources.
    fn sources(&self) -> Option<(&'static OperandDesc, &'static OperandDesc)> {
        let mut sources = self.all_descs().filter(|desc| {
            // A literal that is always present, and a vcc that no field names, do not count as sources.
            desc.access == Some(Access::Read) && desc.kind.signs().is_some()
        });
        Some((sources.next()?, sources.next()?))
    }

    /// Checks that the two sources have swapped values, and that the other operands are unchanged.
    fn compare_swapped(&self, made: &Inst, first: Field, second: Field) -> Result<(), ConvertError> {
        let value =
            |field| self.operands().find(|o| o.role == Some(field) && o.access == Access::Read).map(|o| o.value);
        let expected = |old: &Operand| match old.role {
            Some(field) if field == first && old.access == Access::Read => value(second),
            Some(field) if field == second && old.access == Access::Read => value(first),
            _ => Some(old.value),
        };
        let same = |old: &Operand, new: &Operand| {
            (old.role, old.access, old.bits) == (new.role, new.access, new.bits) && expected(old) == Some(new.value)
        };
        same_operands(self.operands(), made.operands(), same).map_err(|_| ConvertError::Operand(first))
    }
}
