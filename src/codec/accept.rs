//! The values that an operand accepts in at least one instruction of a form. The file of each group of kinds has a
//! function `accept` that finds them, next to `read` and `encode`.

use crate::code::{AGPR, VGPR, is_inside};
use crate::constraint::probe::Probe;
use crate::kind::Position;
use crate::table::OperandDesc;
use crate::target::Target;

/// A value that an operand accepts, or a group of values.
pub(crate) enum Accepted {
    /// The operand with this code.
    Code(u16),
    /// The upper halves of vector registers, besides the lower ones.
    Halves,
    /// The vcc that no field names.
    Vcc,
    /// No register.
    Off,
    /// A number in the field.
    Number,
}

/// An operand of a form, together with the values that the form's fields can hold.
pub(crate) struct InForm<'a> {
    pub target: Target,
    pub probe: &'a Probe,
    pub desc: &'a OperandDesc,
}

/// The least and the greatest number of dwords of an operand.
pub(crate) type Lengths = (u16, u16);

impl InForm<'_> {
    /// Whether a bit can have this value; a missing bit is zero.
    pub fn can_be(&self, bit: Position, value: bool) -> bool {
        self.probe.can_be(bit, value)
    }

    /// The length that the descriptor states, as the least and the greatest.
    pub fn length(&self) -> Lengths {
        (self.desc.dwords.into(), self.desc.dwords.into())
    }

    /// Passes each operand code that the field may hold to `each`.
    pub fn codes(&self, flag: bool, mut each: impl FnMut(u16)) {
        let desc = self.desc;
        // A field of operand codes has at most nine bits, like the codes.
        for value in 0..1u32 << desc.width.min(9) {
            if self.probe.accepts(desc, value, flag) {
                each(((value as u16) << desc.shift) + desc.add);
            }
        }
    }

    /// Adds a vector register, the accumulation register of the same number, or both, as the bit `acc` allows.
    pub fn vector(&self, code: u16, acc: Position, add: &mut impl FnMut(Accepted)) {
        if self.can_be(acc, false) {
            add(Accepted::Code(code));
        }
        if self.can_be(acc, true) {
            add(Accepted::Code(code - VGPR + AGPR));
        }
    }

    /// Adds all vector registers at which a tuple of `dwords` can begin.
    pub fn vgprs(&self, dwords: u16, add: &mut impl FnMut(Accepted)) {
        let begins = |code: &u16| is_inside(code - VGPR, dwords, self.target.vgprs());
        (VGPR..AGPR).filter(begins).for_each(|code| add(Accepted::Code(code)));
    }
}
