//! What operand codes mean, ready-made.

use super::{AGPR, IMPLICIT, IMPLICIT_REGISTERS, SECTION, VECTOR, code_at, implicit, is_off};
use crate::operand::{Reg, Value};
use crate::value::{InlineFloat, find};

/// Any number of so many bits can look into the table.
const ROOM: usize = 4096;
pub(crate) type Values = [Value; ROOM];

/// What stands at a place of the table. A literal: that of the words.
#[inline(always)]
pub(in crate::operand) fn value_of(values: &'static Values, place: usize) -> &'static Value {
    &values[place % ROOM]
}

/// What codes mean, and accumulation registers behind them, where the scalar registers end with this one and the trap
/// handler's are these.
pub(crate) const fn values(sgpr_last: u16, ttmp_first: u16, ttmp_last: u16, specials: &[u8]) -> Values {
    let mut all = [Value::Literal(0); ROOM];
    let mut place = 0;
    while place < IMPLICIT + IMPLICIT_REGISTERS.len() {
        let code = code_at(place);
        let n = code as u8;
        // Scalar tuples begin at the aligned register, as the hardware reads them.
        let aligned = match place / SECTION {
            0 => u8::MAX,
            1 => !1,
            _ => !3,
        };
        all[place] = match code {
            _ if place >= IMPLICIT => implicit(place),
            _ if is_off(place) => Value::Off,
            _ if code <= sgpr_last => Value::Reg(Reg::Sgpr(n & aligned)),
            _ if ttmp_first <= code && code <= ttmp_last => Value::Reg(Reg::Ttmp((code - ttmp_first) as u8 & aligned)),
            128..=192 => Value::Int((code - 128) as i8),
            193..=208 => Value::Int((192 - code as i16) as i8),
            240..=248 => Value::Float(InlineFloat::of(code)),
            255 => Value::Literal(0),
            AGPR.. => Value::Reg(Reg::Agpr(n)),
            _ if code as usize >= VECTOR => Value::Reg(Reg::Vgpr(n)),
            _ => match find(specials, code) {
                Some(special) => Value::Reg(Reg::Special(special)),
                // No instruction has the code.
                None => Value::Off,
            },
        };
        place += 1;
    }
    all
}
