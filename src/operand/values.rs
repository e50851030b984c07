//! What operand codes mean, ready-made.

use super::{Reg, Value};
use crate::target::generated::{SCALAR_LAST, SHARED_CODES};

/// What a code means, if it means that on every target and for whatever words; `index` is `Plain::index`.
#[inline(always)]
pub(super) fn value_of(index: usize) -> Option<&'static Value> {
    VALUES.get(index).filter(|value| !matches!(value, Value::Literal(_)))
}

/// The bit that the codes of vector registers have, and scalar ones have not.
pub(super) const VECTOR: usize = 256;
/// The first of the numbers of accumulation registers.
const AGPR: usize = 2 * VECTOR;
/// As many numbers has each section of the table; the first is that of single registers, the others those of pairs, of
/// longer tuples, and of scalar addresses. `SECTION` in build/operands.rs.
pub(super) const SECTION: usize = 1024;
/// The section of scalar addresses.
const ADDRESSES: usize = 3;
/// The code that is no register as a scalar address.
pub(super) const OFF: usize = 127;

/// What codes mean, and accumulation registers behind them; a literal, which no code means here, where that depends on
/// the target or the words.
static VALUES: [Value; ADDRESSES * SECTION + 128] = {
    let mut all = [Value::Literal(0); ADDRESSES * SECTION + 128];
    let mut number = 0;
    while number < all.len() {
        let (section, code) = (number / SECTION, number % SECTION);
        let n = code as u8;
        // Scalar tuples begin at the aligned register, as the hardware reads them.
        let first = match section {
            0 => n,
            1 | ADDRESSES => n & !1,
            _ => n & !3,
        };
        all[number] = match code {
            OFF if section == ADDRESSES => Value::Off,
            _ if code <= SCALAR_LAST as usize => Value::Reg(Reg::Sgpr(first)),
            _ if code < 128 => shared(code),
            128..=192 => Value::Int((code - 128) as i8),
            193..=208 => Value::Int((192 - code as i16) as i8),
            240..=248 => Value::Float(n),
            VECTOR..AGPR => Value::Reg(Reg::Vgpr(n)),
            AGPR..768 => Value::Reg(Reg::Agpr(n)),
            _ => shared(code),
        };
        number += 1;
    }
    all
};

/// The register that a code names on every target.
const fn shared(code: usize) -> Value {
    let mut n = 0;
    while n < SHARED_CODES.len() {
        if SHARED_CODES[n].0 as usize == code {
            return Value::Reg(Reg::Special(code as u8));
        }
        n += 1;
    }
    Value::Literal(0)
}

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
            for (code, (dwords, section)) in
                (0..512).flat_map(|code| [(1, 0), (2, 1), (4, 2), (16, 2)].map(|d| (code, d)))
            {
                let Some(value) = value_of(section * SECTION + code) else { continue };
                let there = register_or_constant(OPERANDS[target as usize], code as u16, dwords, &inst);
                assert_eq!(*value, there, "{code}");
                known += 1;
            }
            for section in 0..3 {
                let agpr = |n: usize| value_of(section * SECTION + AGPR + n) == Some(&Value::Reg(Reg::Agpr(n as u8)));
                assert!((0..256).all(agpr));
            }
            let pairs = (0..128).filter(|&code| code != OFF);
            let (pair, address) = (|code| value_of(SECTION + code), |code| value_of(ADDRESSES * SECTION + code));
            assert!(pairs.clone().all(|code| pair(code) == address(code)));
            assert_eq!(address(OFF), Some(&Value::Off));
        }
        let special = SHARED_CODES.iter().filter(|code| !(240..=248).contains(&code.0)).count();
        assert!(special >= 4);
        assert_eq!(known, Target::ALL.len() * 4 * (usize::from(SCALAR_LAST) + 1 + special + 81 + 9 + 256));
    }
}
