//! The constant of `s_waitcnt_depctr`.

use super::{checked_rest, used_bits};
use crate::error::FieldError;
use crate::opcode::Field;
use crate::table::Part;
use crate::target::{IMMS, Target};

/// The waits of `s_waitcnt_depctr` (RDNA1 and later), for operations of the wave that have issued but still use
/// registers. The instruction waits until the number of such operations of each kind is at or below the given one, and
/// does not wait for a kind that is `None`.
///
/// ```
/// # #[cfg(feature = "gfx1030")] {
/// use amdgpu_isa::imm::Depctr;
/// use amdgpu_isa::Target;
/// let wait = Depctr { va_vdst: Some(0), ..Depctr::default() };
/// assert_eq!(wait.encode(Target::Gfx1030), Ok(0x0f9f));
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[doc(alias = "s_waitcnt_depctr")]
pub struct Depctr {
    /// LLVM's `hold_cnt`, which LLVM does not describe; only 0 waits. RDNA1 lacks it.
    pub hold_cnt: Option<u8>,
    /// Number of scalar operations that write scalar registers; only 0 waits.
    pub sa_sdst: Option<u8>,
    /// Number of vector operations that write vector registers, up to 14.
    pub va_vdst: Option<u8>,
    /// Number of vector operations that write scalar registers, up to 6.
    pub va_sdst: Option<u8>,
    /// Number of vector operations that read scalar registers; only 0 waits.
    pub va_ssrc: Option<u8>,
    /// Number of vector operations that write VCC; only 0 waits.
    pub va_vcc: Option<u8>,
    /// Number of memory operations that read vector registers, up to 6.
    pub vm_vsrc: Option<u8>,
    /// Bits of simm16 that do not belong to a part, at their positions. If any is set, the text shows the whole
    /// constant as a number.
    pub rest: u16,
}

impl Depctr {
    /// The fields that name the parts, in the order of the tables.
    const FIELDS: [Field; 7] =
        [Field::HoldCnt, Field::SaSdst, Field::VaVdst, Field::VaSdst, Field::VaSsrc, Field::VaVcc, Field::VmVsrc];

    /// Decodes simm16 without loss: [`Depctr::encode`] restores it. A part at its maximum means no wait.
    pub const fn decode(target: Target, simm16: u16) -> Depctr {
        let parts = &IMMS[target as usize].depctr;
        let mut counts = [None; 7];
        let mut n = 0;
        while n < parts.len() {
            let count = parts[n].get(simm16);
            if count != parts[n].max() {
                counts[n] = Some(count as u8);
            }
            n += 1;
        }
        let [hold_cnt, sa_sdst, va_vdst, va_sdst, va_ssrc, va_vcc, vm_vsrc] = counts;
        let rest = simm16 & !used_bits(parts);
        Depctr { hold_cnt, sa_sdst, va_vdst, va_sdst, va_ssrc, va_vcc, vm_vsrc, rest }
    }

    /// Sets the part of this name.
    #[cfg(feature = "text")]
    pub(crate) fn set(&mut self, part: Field, count: Option<u8>) {
        match part {
            Field::HoldCnt => self.hold_cnt = count,
            Field::SaSdst => self.sa_sdst = count,
            Field::VaVdst => self.va_vdst = count,
            Field::VaSdst => self.va_sdst = count,
            Field::VaSsrc => self.va_ssrc = count,
            Field::VaVcc => self.va_vcc = count,
            Field::VmVsrc => self.vm_vsrc = count,
            _ => {}
        }
    }

    /// The parts with their names, in the order of the text.
    pub(crate) const fn parts(self) -> [(Field, Option<u8>); 7] {
        let Depctr { hold_cnt, sa_sdst, va_vdst, va_sdst, va_ssrc, va_vcc, vm_vsrc, .. } = self;
        let counts = [hold_cnt, sa_sdst, va_vdst, va_sdst, va_ssrc, va_vcc, vm_vsrc];
        let mut all = [(Field::HoldCnt, None); 7];
        let mut n = 0;
        while n < all.len() {
            all[n] = (Depctr::FIELDS[n], counts[n]);
            n += 1;
        }
        all
    }

    /// The bits of the parts that the target has.
    pub(crate) fn parts_of(target: Target) -> u16 {
        used_bits(&IMMS[target as usize].depctr)
    }

    /// The greatest number of a part, which means no wait; 0 if the target lacks the part.
    pub(crate) fn max(target: Target, part: Field) -> u8 {
        let parts = IMMS[target as usize].depctr.iter().zip(Depctr::FIELDS);
        parts.filter(|(_, field)| *field == part).map(|(place, _)| place.max() as u8).sum()
    }

    /// Encodes the parts as simm16.
    ///
    /// # Errors
    /// A part does not fit, the target lacks it, or `rest` has a bit of a part.
    pub const fn encode(self, target: Target) -> Result<u16, FieldError> {
        self.encode_in(&IMMS[target as usize].depctr)
    }

    pub(crate) const fn encode_in(self, places: &[Part; 7]) -> Result<u16, FieldError> {
        let mut simm16 = check!(checked_rest(self.rest, places));
        let parts = self.parts();
        let mut n = 0;
        while n < places.len() {
            simm16 = match parts[n] {
                (field, Some(count)) if places[n].width == 0 => {
                    return Err(FieldError { field, value: count as i64, width: 0 });
                }
                (field, Some(count)) => check!(places[n].put(field, count as u16, simm16)),
                (field, None) => check!(places[n].put(field, places[n].max(), simm16)),
            };
            n += 1;
        }
        Ok(simm16)
    }
}
