//! Fields that are not operands, and the values that they may hold.

use super::Signature;
use crate::codec::{Address, TABLE, neutral_of};
use crate::kind::{ModifierKind, NONE, OperandKind};
use crate::opcode::Field;
use crate::table::OperandDesc;

/// A modifier of a [`Signature`]: a field that is not an operand.
///
/// The truth table of `v_bitop3` is in three fields, which count as three modifiers.
#[derive(Clone, Copy)]
pub struct ModifierSignature {
    /// The field.
    pub field: Field,
    /// The width of the field in bits.
    pub bits: u8,
    /// Whether the value is a number in two's complement.
    pub signed: bool,
    /// The bits of the field that have a meaning in this operation. The other bits must be zero, or are ignored.
    pub mask: u32,
    signature: Signature,
    desc: &'static OperandDesc,
    /// The lowest bit of the field, if the field is not the descriptor's own field.
    other_lsb: Option<u8>,
    /// The image address, if the modifier determines how many registers the address has. The form cannot name every
    /// number of registers.
    address: Option<Address<'static>>,
}

/// The greatest number of modifiers of one descriptor.
pub(super) const MOST_PARTS: u8 = 3;

impl ModifierSignature {
    /// Modifier number `part` of a descriptor, counted from zero.
    pub(super) fn new(signature: &Signature, desc: &'static OperandDesc, part: u8) -> Option<ModifierSignature> {
        if let Some(n) = part.checked_sub(1) {
            let OperandKind::Modifier(ModifierKind::Bitop3 { middle, low }) = desc.kind else { return None };
            let lsb = *[middle, low].get(usize::from(n))?;
            let (field, mask) = (signature.field_at(lsb)?, (1 << TABLE) - 1);
            let other_lsb = Some(lsb);
            return Some(ModifierSignature {
                field,
                bits: TABLE,
                signed: false,
                mask,
                signature: *signature,
                desc,
                other_lsb,
                address: None,
            });
        }
        let all = ((1u64 << desc.width) - 1) as u32;
        // Fields of more than eight bits are always used as a whole.
        let mask = if desc.width <= 8 { u32::from(desc.used_bits) & all } else { all };
        let signed = desc.kind == OperandKind::Modifier(ModifierKind::Signed);
        let address = signature.descs().find_map(Address::of).filter(|of| [of.dim, of.a16].contains(&desc.lsb));
        Some(ModifierSignature {
            field: desc.field,
            bits: desc.width,
            signed,
            mask,
            signature: *signature,
            desc,
            other_lsb: None,
            address,
        })
    }

    #[cfg(feature = "text")]
    pub(crate) fn signature(&self) -> &Signature {
        &self.signature
    }

    #[cfg(feature = "text")]
    pub(crate) fn desc(&self) -> &'static OperandDesc {
        self.desc
    }

    /// The lowest bit of the field, if the field is not the descriptor's own field.
    #[cfg(feature = "text")]
    pub(crate) fn other_lsb(&self) -> Option<u8> {
        self.other_lsb
    }

    /// Whether the field may hold this value. Another field may still forbid it: some modifiers exclude each other,
    /// such as `lds` and `tfe` of a buffer load.
    ///
    /// A signed value is given as the bits of the field.
    pub fn takes(&self, value: u32) -> bool {
        let accepts = |value| match self.other_lsb {
            Some(lsb) => (0..self.bits).all(|n| self.signature.probe.can_be(lsb + n, value >> n & 1 == 1)),
            None => self.signature.probe.accepts(self.desc, value, false),
        };
        u64::from(value) >> self.bits == 0 && accepts(value) && self.fits(value)
    }

    /// Whether the form can name the registers of at least one image address if the modifier has this value.
    fn fits(&self, value: u32) -> bool {
        let Some(address) = self.address else { return true };
        let Address { dim, a16, .. } = address;
        let holds = |bit: u8, n: u32| match bit {
            _ if bit == self.desc.lsb => n == value,
            NONE => n == 0,
            _ => true,
        };
        (0..16u32).filter(|n| holds(dim, n & 7) && holds(a16, n >> 3)).any(|n| {
            let all = address.size(n as usize & 7, n >> 3 == 1);
            address.fits_its_fields(all)
        })
    }

    /// The value that has no effect, such as that of `quad_perm:[0,1,2,3]`.
    pub fn neutral(&self) -> u32 {
        neutral_of(self.desc)
    }

    /// The values that the field may hold, as runs with a first and a last value each, in ascending order; `None` if it
    /// may hold any value.
    pub fn ranges(&self) -> Option<impl Iterator<Item = (u32, u32)> + use<>> {
        let all = 1u32.checked_shl(self.bits.into()).unwrap_or(u32::MAX);
        // Fields of more than nine bits may hold any value.
        if self.bits > 9 || (0..all).all(|value| self.takes(value)) {
            return None;
        }
        let this = *self;
        let firsts = (0..all).filter(move |&v| this.takes(v) && !v.checked_sub(1).is_some_and(|v| this.takes(v)));
        Some(firsts.map(move |first| (first, (first..all).take_while(|&v| this.takes(v)).last().unwrap_or(first))))
    }
}

impl core::fmt::Debug for ModifierSignature {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "ModifierSignature({}, {} bits)", self.field, self.bits)
    }
}
