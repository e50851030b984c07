//! Fields whose values depend on other fields: `only ... if ...` in `isa/`.

use super::modifiers::{Limit, ModifierSet, Pieces};
use super::{BuildError, Code};

impl<M: ModifierSet> Code<M> {
    /// Checks the values of the fields that `limits` restricts.
    pub(super) const fn limited(self, mut limits: &[Limit]) -> Self {
        while let [limit, rest @ ..] = limits {
            let value = self.value(limit.at);
            if self.holds(limit.conditions) && !is_among(value >> limit.shift, limit.values) {
                return self.fail(BuildError::Excluded { field: limit.field, value: value as u32 });
            }
            limits = rest;
        }
        self
    }

    const fn holds(&self, mut conditions: &[(Pieces, u128)]) -> bool {
        while let [(at, values), rest @ ..] = conditions {
            if !is_among(self.value(*at), *values) {
                return false;
            }
            conditions = rest;
        }
        true
    }

    const fn value(&self, [low, high]: Pieces) -> u64 {
        self.piece(low) | self.piece(high) << low.1
    }

    const fn piece(&self, (lsb, width): (u8, u8)) -> u64 {
        let bits = if lsb < 64 { self.bits } else { self.high };
        bits >> (lsb & 63) & ((1 << width) - 1)
    }
}

const fn is_among(value: u64, values: u128) -> bool {
    value < 128 && values >> value & 1 == 1
}
