//! A table of the meanings of operand codes.

use super::{IMPLICIT, IMPLICIT_REGISTERS, SECTION, code_at, implicit, is_off};
use crate::code::*;
use crate::value::{InlineFloat, Reg, Value, find};

/// Number of entries: enough for any index of 12 bits, so that no bounds check is needed.
const ROOM: usize = 4096;
pub(crate) type Values = [Value; ROOM];

/// The value at an index of the table. The actual value of a literal is in the words.
#[inline(always)]
pub(crate) fn value_of(values: &'static Values, place: usize) -> &'static Value {
    &values[place % ROOM]
}

/// The meanings of codes, including accumulation registers, on a target with the given last scalar register, trap
/// handler registers, codes for "no scalar address" and for a 64-bit literal, and codes of special registers.
pub(crate) const fn values(
    sgpr_last: u16,
    ttmp_first: u16,
    ttmp_last: u16,
    off: u16,
    literal64: u16,
    specials: &[u8],
) -> Values {
    let mut all = [Value::Literal(0); ROOM];
    let mut place = 0;
    while place < SECTION {
        let code = code_at(place);
        let n = code as u8;
        all[place] = match code {
            _ if is_off(place, off) => Value::Off,
            _ if code <= sgpr_last => Value::Reg(Reg::Sgpr(n)),
            _ if ttmp_first <= code && code <= ttmp_last => Value::Reg(Reg::Ttmp((code - ttmp_first) as u8)),
            FLOAT..=FLOAT_LAST => Value::Float(InlineFloat::of(code)),
            LITERAL => Value::Literal(0),
            _ if code == literal64 => Value::Literal(0),
            AGPR.. => Value::Reg(Reg::Agpr(n)),
            VGPR.. => Value::Reg(Reg::Vgpr(code - VGPR)),
            _ => match (int_of(code), find(specials, code)) {
                (Some(n), _) => Value::Int(n),
                (None, Some(special)) => Value::Reg(Reg::Special(special)),
                // No instruction holds this code.
                (None, None) => Value::Off,
            },
        };
        place += 1;
    }
    // After single registers come pairs, and longer tuples. Scalar tuples begin at the aligned register, as the
    // hardware reads them.
    while place < IMPLICIT {
        let dwords = (place / SECTION + 1) as u16;
        all[place] = match all[place % SECTION] {
            Value::Reg(Reg::Sgpr(n)) => Value::Reg(Reg::Sgpr(aligned(n as u16, dwords) as u8)),
            Value::Reg(Reg::Ttmp(n)) => Value::Reg(Reg::Ttmp(aligned(n as u16, dwords) as u8)),
            same => same,
        };
        place += 1;
    }
    while place < IMPLICIT + IMPLICIT_REGISTERS.len() {
        all[place] = implicit(place);
        place += 1;
    }
    all
}
