//! Types of LLVM's IR.

use crate::proofs::values::{Rng, float, integer};

/// A type of IR.
#[derive(Clone, Copy, PartialEq)]
pub enum Ty {
    I1,
    I16,
    I32,
    I64,
    Half,
    Float,
    Double,
    /// `<2 x half>`
    Halves,
}

impl Ty {
    pub fn name(self) -> &'static str {
        match self {
            Ty::I1 => "i1",
            Ty::I16 => "i16",
            Ty::I32 => "i32",
            Ty::I64 => "i64",
            Ty::Half => "half",
            Ty::Float => "float",
            Ty::Double => "double",
            Ty::Halves => "<2 x half>",
        }
    }

    pub fn named(name: &str) -> Ty {
        let all = [Ty::I1, Ty::I16, Ty::I32, Ty::I64, Ty::Half, Ty::Float, Ty::Double, Ty::Halves];
        all.into_iter().find(|ty| ty.name() == name).unwrap_or_else(|| panic!("{name} is no type"))
    }

    pub fn bits(self) -> u32 {
        match self {
            Ty::I1 => 1,
            Ty::I16 | Ty::Half => 16,
            Ty::I32 | Ty::Float | Ty::Halves => 32,
            Ty::I64 | Ty::Double => 64,
        }
    }

    /// The widths of exponent and fraction of a float; `None` for integers.
    pub fn fields(self) -> Option<(u32, u32)> {
        match self {
            Ty::Half => Some((5, 10)),
            Ty::Float => Some((8, 23)),
            Ty::Double => Some((11, 52)),
            _ => None,
        }
    }

    pub fn value(self, rng: &mut Rng) -> u64 {
        match (self, self.fields()) {
            (_, Some((exponent, fraction))) => float(exponent, fraction, rng),
            (Ty::I64, _) => {
                u64::from(integer(rng)) << 32
                    | u64::from(if rng.below(2) == 0 { integer(rng) } else { rng.next() as u32 })
            }
            _ if rng.below(3) == 0 => u64::from(rng.next() as u32) & self.mask(),
            _ if rng.below(3) == 0 => rng.below(70) as u64,
            _ => u64::from(integer(rng)) & self.mask(),
        }
    }

    pub fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }

    /// The text of a constant with these bits.
    pub fn constant(self, bits: u64) -> String {
        match self {
            Ty::I1 | Ty::I16 | Ty::I32 | Ty::I64 => format!("{} {bits}", self.name()),
            ty => format!("{} bitcast (i{} {bits} to {})", ty.name(), ty.bits(), ty.name()),
        }
    }

    pub fn is_nan(self, bits: u64) -> bool {
        let halves = |bits: u64| Ty::Half.is_nan(bits);
        match self.fields() {
            Some((exponent, fraction)) => {
                let top = ((1u64 << exponent) - 1) << fraction;
                bits & top == top && bits & ((1 << fraction) - 1) != 0
            }
            None => self == Ty::Halves && (halves(bits & 0xffff) || halves(bits >> 16)),
        }
    }
}
