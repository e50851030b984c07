//! What operand codes mean, ready-made.

use super::{AGPR, IMPLICIT, IMPLICIT_REGISTERS, SECTION, VECTOR, code_at, implicit, is_off};
use crate::operand::{Reg, Value};
use crate::table::OperandTables;
use crate::target::generated::{SCALAR_LAST, SHARED_CODES};

/// What a code means, if it means that on every target and for whatever words; `index` is where it is in the table.
#[inline(always)]
pub(in crate::operand) fn value_of(tables: &OperandTables, index: usize) -> Option<&'static Value> {
    Some(&tables.values[index % ROOM]).filter(|value| !matches!(value, Value::Literal(_)))
}

/// Any number of so many bits can look into the table.
const ROOM: usize = 4096;
pub(crate) type Values = [Value; ROOM];

/// What codes mean, and accumulation registers behind them; a literal, which no code means here, where that depends on
/// the target or the words.
pub(crate) static VALUES: Values = {
    let mut all = [Value::Literal(0); ROOM];
    let mut index = 0;
    while index < IMPLICIT + IMPLICIT_REGISTERS.len() {
        let code = code_at(index) as usize;
        let n = code as u8;
        // Scalar tuples begin at the aligned register, as the hardware reads them.
        let first = match index / SECTION {
            0 => n,
            1 => n & !1,
            _ => n & !3,
        };
        all[index] = match code {
            _ if index >= IMPLICIT => implicit(index),
            _ if is_off(index) => Value::Off,
            _ if code <= SCALAR_LAST as usize => Value::Reg(Reg::Sgpr(first)),
            _ if code < 128 => shared(code),
            128..=192 => Value::Int((code - 128) as i8),
            193..=208 => Value::Int((192 - code as i16) as i8),
            240..=248 => Value::Float(n),
            _ if code >= AGPR as usize => Value::Reg(Reg::Agpr(n)),
            VECTOR.. => Value::Reg(Reg::Vgpr(n)),
            _ => shared(code),
        };
        index += 1;
    }
    all
};

/// The register that a code names on every target.
const fn shared(code: usize) -> Value {
    let mut n = 0;
    while n < SHARED_CODES.len() {
        if SHARED_CODES[n] as usize == code {
            return Value::Reg(Reg::Special(code as u8));
        }
        n += 1;
    }
    Value::Literal(0)
}
