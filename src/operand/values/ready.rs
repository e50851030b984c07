//! What operand codes mean, ready-made.

use super::{IMPLICIT, IMPLICIT_REGISTERS, SECTION, code_at, implicit, is_off};
use crate::codec::code::*;
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

/// What codes mean, and accumulation registers behind them, where the scalar registers end with this one, the trap
/// handler's are these, this code is no scalar address, and special registers have these codes.
pub(crate) const fn values(sgpr_last: u16, ttmp_first: u16, ttmp_last: u16, off: u16, specials: &[u8]) -> Values {
    let mut all = [Value::Literal(0); ROOM];
    let mut place = 0;
    while place < IMPLICIT + IMPLICIT_REGISTERS.len() {
        let code = code_at(place);
        let n = code as u8;
        // Single registers, pairs, and what is longer. Scalar tuples begin at the aligned register, as the hardware reads
        // them.
        let dwords = (place / SECTION + 1) as u16;
        all[place] = match code {
            _ if place >= IMPLICIT => implicit(place),
            _ if is_off(place, off) => Value::Off,
            _ if code <= sgpr_last => Value::Reg(Reg::Sgpr(aligned(code, dwords) as u8)),
            _ if ttmp_first <= code && code <= ttmp_last => {
                Value::Reg(Reg::Ttmp(aligned(code - ttmp_first, dwords) as u8))
            }
            FLOAT..=FLOAT_LAST => Value::Float(InlineFloat::of(code)),
            LITERAL => Value::Literal(0),
            AGPR.. => Value::Reg(Reg::Agpr(n)),
            VGPR.. => Value::Reg(Reg::Vgpr(n)),
            _ => match (int_of(code), find(specials, code)) {
                (Some(n), _) => Value::Int(n),
                (None, Some(special)) => Value::Reg(Reg::Special(special)),
                // No instruction has the code.
                (None, None) => Value::Off,
            },
        };
        place += 1;
    }
    all
}
