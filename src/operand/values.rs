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
/// As many numbers has each section of the table: that of single registers, that of pairs, and that of longer tuples.
/// `SECTION` in build/operands.rs.
const SECTION: usize = 1024;
/// The last numbers of a section are those of scalar addresses. `ADDRESSES` there.
const ADDRESSES: usize = 768;
/// The code that is no register as a scalar address.
pub(super) const OFF: usize = 127;

/// The code that stands at a place in the table.
pub(super) const fn code_at(index: usize) -> u16 {
    let code = index % SECTION;
    (if code < ADDRESSES { code } else { code - ADDRESSES }) as u16
}

/// What codes mean, and accumulation registers behind them; a literal, which no code means here, where that depends on
/// the target or the words.
static VALUES: [Value; 3 * SECTION] = {
    let mut all = [Value::Literal(0); 3 * SECTION];
    let mut index = 0;
    while index < all.len() {
        let (code, address) = (code_at(index) as usize, index % SECTION >= ADDRESSES);
        let n = code as u8;
        // Scalar tuples begin at the aligned register, as the hardware reads them.
        let first = match index / SECTION {
            0 => n,
            1 => n & !1,
            _ => n & !3,
        };
        all[index] = match code {
            OFF if address => Value::Off,
            _ if code <= SCALAR_LAST as usize => Value::Reg(Reg::Sgpr(first)),
            _ if code < 128 => shared(code),
            128..=192 => Value::Int((code - 128) as i8),
            193..=208 => Value::Int((192 - code as i16) as i8),
            240..=248 => Value::Float(n),
            VECTOR..AGPR => Value::Reg(Reg::Vgpr(n)),
            AGPR.. => Value::Reg(Reg::Agpr(n)),
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
        if SHARED_CODES[n].0 as usize == code {
            return Value::Reg(Reg::Special(code as u8));
        }
        n += 1;
    }
    Value::Literal(0)
}

#[cfg(all(test, has_target))]
mod tests {
    use crate::operand::{Mode, NONE, Value, read_plain, read_small};
    use crate::target::OPERANDS;
    use crate::{Inst, Target};

    /// Every plain operand of every target is what bare metal finds without the table, whatever its code.
    #[test]
    fn operands_are_those_that_bare_metal_finds() {
        let (mut seen, mut off, mut odd) = (0, 0, 0);
        for &target in Target::ALL {
            let tables = OPERANDS[target as usize];
            for plain in tables.plain {
                let flags = if plain.bit != NONE { 1u64 << plain.bit } else { 0 };
                // What the mode looks at: nothing set, its first bit, and all seven.
                for more in [0, flags, flags * 127] {
                    for code in (0..=plain.mask).filter(|code| code & !plain.mask == 0) {
                        let bits = u64::from(code).rotate_left(plain.turn.into()) | more;
                        let words = [bits as u32, (bits >> 32) as u32, 0, 0, 0];
                        let inst = Inst::new(target, words, 0, 2);
                        let (quick, small) = (read_plain(tables, plain, &inst), read_small(tables, plain, &inst));
                        assert_eq!(quick, small, "{target} {:?} {code}", plain.role);
                        seen += 1;
                        off += usize::from(plain.mode == Mode::Off && quick.value == Value::Off);
                        odd += usize::from(plain.mode == Mode::Off && quick.bits == 32 && code & 1 == 1);
                    }
                }
            }
        }
        assert!(seen > 10_000);
        if Target::ALL.iter().any(|t| t.name() == "gfx942") {
            assert!(off > 0 && odd > 0);
        }
    }
}
