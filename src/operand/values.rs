//! What operand codes mean, ready-made.

use super::{Reg, Value};
use crate::target::generated::{SCALAR_LAST, SHARED_CODES};

/// What a code means, if it means that on every target and for whatever words.
#[inline(always)]
pub(super) fn value_of(code: u16, odd: u8) -> Option<&'static Value> {
    let number = if code <= SCALAR_LAST { code & !u16::from(odd) } else { code };
    VALUES.get(usize::from(number)).filter(|value| !matches!(value, Value::Off))
}

/// The bit that the codes of vector registers have, and scalar ones have not.
pub(super) const VECTOR: u16 = 256;
/// The first of the numbers of accumulation registers.
pub(super) const AGPR: u16 = 512;

/// What codes mean, and accumulation registers behind them; `off`, which no code means here, where that depends on the
/// target or the words.
static VALUES: [Value; 768] = {
    let mut all = [Value::Off; 768];
    let mut code = 0;
    while code < all.len() {
        let n = code as u8;
        all[code] = match code {
            _ if code <= SCALAR_LAST as usize => Value::Reg(Reg::Sgpr(n)),
            128..=192 => Value::Int((code - 128) as i8),
            193..=208 => Value::Int((192 - code as i16) as i8),
            240..=248 => Value::Float(n),
            256..512 => Value::Reg(Reg::Vgpr(n)),
            512.. => Value::Reg(Reg::Agpr(n)),
            _ => Value::Off,
        };
        code += 1;
    }
    let mut n = 0;
    while n < SHARED_CODES.len() {
        let code = SHARED_CODES[n].0;
        if matches!(all[code as usize], Value::Off) {
            all[code as usize] = Value::Reg(Reg::Special(code as u8));
        }
        n += 1;
    }
    all
};

#[cfg(all(test, has_target))]
mod tests {
    use super::*;
    use crate::operand::register_or_constant;
    use crate::target::OPERANDS;
    use crate::{Target, decode};

    /// The table says what the codes say.
    #[test]
    fn the_values_of_codes_are_those_that_bare_metal_finds() {
        let mut known = 0;
        for &target in Target::ALL {
            // Any instruction: the codes that it matters for are not in the table.
            let Some(inst) = (0..u32::MAX >> 9).find_map(|n| decode(target, &(n << 9).to_le_bytes()).ok()) else {
                continue;
            };
            for (code, (dwords, odd)) in (0..512).flat_map(|code| [(1, 0), (2, 1), (4, 3), (16, 3)].map(|d| (code, d)))
            {
                let Some(value) = value_of(code, odd) else { continue };
                assert_eq!(*value, register_or_constant(OPERANDS[target as usize], code, dwords, &inst), "{code}");
                known += 1;
            }
            assert!((0..256).all(|n| value_of(AGPR + n, 3) == Some(&Value::Reg(Reg::Agpr(n as u8)))));
        }
        let special = SHARED_CODES.iter().filter(|code| !(240..=248).contains(&code.0)).count();
        assert!(special >= 4);
        assert_eq!(known, Target::ALL.len() * 4 * (usize::from(SCALAR_LAST) + 1 + special + 81 + 9 + 256));
    }
}
