//! Floats as bits with a type, and the operations on them.

use amdgpu_isa::meaning::FloatType;
use rustc_apfloat::ieee::{BFloat, Double, Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

use crate::mode::{FloatMode, Mode};
use crate::small;

/// A float: the bits of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    pub ty: FloatType,
    pub bits: u64,
}

/// The settings on which operations depend.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    pub mode: Mode,
    /// Whether floats of 8 bits have the formats of CDNA3 (FNUZ).
    pub fnuz: bool,
}

/// Evaluates an expression with the soft float for a type; `None` for floats of 8 bits and less.
macro_rules! with {
    ($ty:expr, $float:ident => $do:expr) => {
        match $ty {
            FloatType::F16 => {
                type $float = Half;
                Some($do)
            }
            FloatType::Bf16 => {
                type $float = BFloat;
                Some($do)
            }
            FloatType::F32 => {
                type $float = Single;
                Some($do)
            }
            FloatType::F64 => {
                type $float = Double;
                Some($do)
            }
            _ => None,
        }
    };
}

impl Rules {
    pub fn of(&self, ty: FloatType) -> &FloatMode {
        if ty == FloatType::F32 { &self.mode.single } else { &self.mode.other }
    }
}

impl Number {
    /// The number nearest to a double, in a mode that keeps denormals.
    pub fn from_double(ty: FloatType, value: f64) -> Number {
        let bits = with!(ty, F => {
            let double = Double::from_bits(value.to_bits().into());
            let converted: F = double.convert(&mut false).value;
            converted.to_bits() as u64
        });
        let bits = bits.or_else(|| small::from_double(ty, false, value, true));
        Number { ty, bits: bits.unwrap_or(0) }
    }

    /// The number as a double, which can hold the numbers of all types.
    pub fn to_double(self, rules: &Rules) -> f64 {
        let wide = with!(self.ty, F => {
            let double: Double = F::from_bits(self.bits.into()).convert(&mut false).value;
            f64::from_bits(double.to_bits() as u64)
        });
        wide.or_else(|| small::to_double(self.ty, rules.fnuz, self.bits)).unwrap_or(f64::NAN)
    }

    /// The value as a source: a denormal number is replaced by zero if the mode says so.
    fn source(self, rules: &Rules) -> Number {
        if rules.of(self.ty).keeps_sources { self } else { self.flush() }
    }

    /// The value as a result: a denormal number is replaced by zero if the mode says so.
    fn result(self, rules: &Rules) -> Number {
        if rules.of(self.ty).keeps_results { self } else { self.flush() }
    }

    /// A zero with the same sign if the number is denormal, else the number.
    pub fn flush(self) -> Number {
        if self.is_denormal() { Number { bits: self.bits & self.sign_bit(), ..self } } else { self }
    }

    pub fn sign_bit(self) -> u64 {
        1 << (self.ty.bits() - 1)
    }

    pub fn negate(self) -> Number {
        Number { bits: self.bits ^ self.sign_bit(), ..self }
    }

    pub fn abs(self) -> Number {
        Number { bits: self.bits & !self.sign_bit(), ..self }
    }

    pub fn is_negative(self) -> bool {
        self.bits & self.sign_bit() != 0
    }

    pub fn is_zero(self) -> bool {
        self.bits & !self.sign_bit() == 0
    }

    pub fn is_nan(self) -> bool {
        with!(self.ty, F => F::from_bits(self.bits.into()).is_nan()).unwrap_or(false)
    }

    pub fn is_signaling(self) -> bool {
        with!(self.ty, F => F::from_bits(self.bits.into()).is_signaling()).unwrap_or(false)
    }

    pub fn is_infinite(self) -> bool {
        with!(self.ty, F => F::from_bits(self.bits.into()).is_infinite()).unwrap_or(false)
    }

    pub fn is_denormal(self) -> bool {
        with!(self.ty, F => F::from_bits(self.bits.into()).is_denormal()).unwrap_or(false)
    }

    /// The nearest f32 with 10 bits of fraction; of two equally near ones, the even one. A NaN stays as it is. `None`
    /// if this number is not an f32.
    pub fn xf32(self) -> Option<Number> {
        if self.ty != FloatType::F32 || self.is_nan() {
            return (self.ty == FloatType::F32).then_some(self);
        }
        let rounded = self.bits + 0xfff + (self.bits >> 13 & 1);
        Some(Number { bits: rounded & !0x1fff, ..self })
    }

    /// The NaN with its highest fraction bit set.
    pub fn quiet(self) -> Number {
        Number { bits: self.bits | 1 << (self.fraction() - 1), ..self }
    }

    fn nan(ty: FloatType) -> Number {
        let bits = with!(ty, F => F::qnan(None).to_bits() as u64).unwrap_or(0);
        Number { ty, bits }
    }

    /// The number of fraction bits.
    pub fn fraction(self) -> u32 {
        match self.ty {
            FloatType::F16 => 10,
            FloatType::Bf16 => 7,
            FloatType::F32 => 23,
            FloatType::F64 => 52,
            FloatType::Fp8 | FloatType::Fp6 => 3,
            FloatType::Bf8 | FloatType::Bf6 => 2,
            FloatType::Fp4 => 1,
        }
    }

    /// The exponent field.
    pub fn exponent(self) -> i128 {
        i128::from((self.bits & !self.sign_bit()) >> self.fraction())
    }

    fn apply(
        self,
        other: Number,
        rules: &Rules,
        do_it: impl Fn(Number, Number, Round) -> Option<u64>,
    ) -> Option<Number> {
        if self.ty != other.ty {
            return None;
        }
        let bits = do_it(self.source(rules), other.source(rules), rules.of(self.ty).round)?;
        Some(Number { ty: self.ty, bits }.result(rules))
    }

    pub fn add(self, other: Number, rules: &Rules) -> Option<Number> {
        self.apply(other, rules, |a, b, round| {
            with!(a.ty, F => F::from_bits(a.bits.into()).add_r(F::from_bits(b.bits.into()), round).value.to_bits() as u64)
        })
    }

    pub fn subtract(self, other: Number, rules: &Rules) -> Option<Number> {
        self.apply(other, rules, |a, b, round| {
            with!(a.ty, F => F::from_bits(a.bits.into()).sub_r(F::from_bits(b.bits.into()), round).value.to_bits() as u64)
        })
    }

    pub fn multiply(self, other: Number, rules: &Rules) -> Option<Number> {
        self.apply(other, rules, |a, b, round| {
            with!(a.ty, F => F::from_bits(a.bits.into()).mul_r(F::from_bits(b.bits.into()), round).value.to_bits() as u64)
        })
    }

    pub fn divide(self, other: Number, rules: &Rules) -> Option<Number> {
        self.apply(other, rules, |a, b, round| {
            with!(a.ty, F => F::from_bits(a.bits.into()).div_r(F::from_bits(b.bits.into()), round).value.to_bits() as u64)
        })
    }

    pub fn fma(self, times: Number, plus: Number, rules: &Rules) -> Option<Number> {
        let plus = plus.source(rules);
        if plus.ty != self.ty {
            return None;
        }
        self.apply(times, rules, |a, b, round| {
            let c = plus.bits.into();
            with!(a.ty, F => {
                let product = F::from_bits(a.bits.into());
                product.mul_add_r(F::from_bits(b.bits.into()), F::from_bits(c), round).value.to_bits() as u64
            })
        })
    }

    /// The number as another type.
    pub fn convert(self, ty: FloatType, round: Option<Round>, rules: &Rules) -> Number {
        let from = self.source(rules);
        let round = round.unwrap_or(rules.of(ty).round);
        let double: Option<Double> = with!(self.ty, F => F::from_bits(from.bits.into()).convert(&mut false).value);
        let double = double.unwrap_or_else(|| Double::from_bits(from.to_double(rules).to_bits().into()));
        let bits = with!(ty, F => {
            let converted: F = double.convert_r(round, &mut false).value;
            converted.to_bits() as u64
        });
        if let Some(bits) = bits {
            // A NaN stays a NaN, although its lowest bits are cut off.
            return Number { ty, bits }.result(rules);
        }
        let value = f64::from_bits(double.to_bits() as u64);
        Number { ty, bits: small::from_double(ty, rules.fnuz, value, rules.mode.saturates).unwrap_or(0) }
    }

    pub fn from_int(ty: FloatType, value: i128, rules: &Rules) -> Option<Number> {
        let round = rules.of(ty).round;
        let bits = with!(ty, F => F::from_i128_r(value, round).value.to_bits() as u64)?;
        Some(Number { ty, bits })
    }

    /// The number rounded towards zero and limited to the range of an integer of `bits` bits; 0 for NaN.
    pub fn to_int(self, bits: u16, signed: bool, rules: &Rules) -> i128 {
        if self.is_nan() {
            return 0;
        }
        let (width, from) = (usize::from(bits), self.source(rules));
        let value = with!(self.ty, F => {
            let float = F::from_bits(from.bits.into());
            if signed {
                float.to_i128_r(width, Round::TowardZero, &mut false).value
            } else {
                float.to_u128_r(width, Round::TowardZero, &mut false).value as i128
            }
        });
        value.unwrap_or_else(|| from.to_double(rules) as i128)
    }

    pub fn to_integral(self, round: Round, rules: &Rules) -> Option<Number> {
        let from = self.source(rules);
        let bits = with!(self.ty, F => F::from_bits(from.bits.into()).round_to_integral(round).value.to_bits() as u64)?;
        Some(Number { ty: self.ty, bits })
    }

    /// The order of two numbers; `None` if one is NaN.
    pub fn compare(self, other: Number, rules: &Rules) -> Option<core::cmp::Ordering> {
        let (a, b) = (self.source(rules), other.source(rules));
        if a.ty != b.ty {
            return None;
        }
        with!(a.ty, F => F::from_bits(a.bits.into()).partial_cmp(&F::from_bits(b.bits.into())))?
    }

    /// The number times 2 to the power `power`.
    pub fn scale(self, power: i128, rules: &Rules) -> Option<Number> {
        let power = power.clamp(-10_000, 10_000) as i32;
        let from = self.source(rules);
        let round = rules.of(self.ty).round;
        let bits = with!(self.ty, F => F::from_bits(from.bits.into()).scalbn_r(power, round).to_bits() as u64)?;
        Some(Number { ty: self.ty, bits }.result(rules))
    }

    /// The significand, whose absolute value is at least 0.5 and less than 1, and its exponent; for zero, infinity and
    /// NaN: the number itself, and 0.
    pub fn frexp(self, rules: &Rules) -> Option<(Number, i128)> {
        let from = self.source(rules);
        if from.is_zero() || from.is_nan() || from.is_infinite() {
            return Some((from, 0));
        }
        let mut exponent = 0;
        let bits = with!(self.ty, F => F::from_bits(from.bits.into()).frexp_r(&mut exponent, Round::NearestTiesToEven).to_bits() as u64)?;
        Some((Number { ty: self.ty, bits }, exponent.into()))
    }

    /// The smaller number. If one of the two is a NaN: the other number, or the NaN if `nan`.
    pub fn least(self, other: Number, nan: bool, rules: &Rules) -> Number {
        self.chosen(other, nan, core::cmp::Ordering::Less, rules)
    }

    /// The greater number. If one of the two is a NaN: the other number, or the NaN if `nan`.
    pub fn greatest(self, other: Number, nan: bool, rules: &Rules) -> Number {
        self.chosen(other, nan, core::cmp::Ordering::Greater, rules)
    }

    fn chosen(self, other: Number, nan: bool, wanted: core::cmp::Ordering, rules: &Rules) -> Number {
        let (a, b) = (self.source(rules), other.source(rules));
        let chosen = match (a.is_nan(), b.is_nan()) {
            (true, true) => a.quiet(),
            (true, false) => {
                if nan {
                    a.quiet()
                } else {
                    b
                }
            }
            (false, true) => {
                if nan {
                    b.quiet()
                } else {
                    a
                }
            }
            (false, false) => match a.compare(b, rules) {
                Some(core::cmp::Ordering::Equal) => {
                    // -0 is less than +0.
                    let takes_negative = wanted == core::cmp::Ordering::Less;
                    if a.is_negative() == takes_negative { a } else { b }
                }
                Some(order) if order == wanted => a,
                _ => b,
            },
        };
        chosen.result(rules)
    }

    /// The nearest number to the result of a function that the hardware approximates.
    pub fn map(self, rules: &Rules, function: impl Fn(f64) -> f64) -> Number {
        let from = self.source(rules);
        if from.is_nan() {
            return from.quiet();
        }
        let value = function(from.to_double(rules));
        if value.is_nan() {
            return Number::nan(self.ty);
        }
        Number::from_double(self.ty, value).result(rules)
    }

    /// The class of the number as one bit of ten: see `class` in `isa/README.md`.
    pub fn class(self) -> i128 {
        let negative = self.is_negative();
        let at = if self.is_nan() {
            return if self.is_signaling() { 1 } else { 2 };
        } else if self.is_infinite() {
            if negative { 2 } else { 9 }
        } else if self.is_zero() {
            if negative { 5 } else { 6 }
        } else if self.is_denormal() {
            if negative { 4 } else { 7 }
        } else if negative {
            3
        } else {
            8
        };
        1 << at
    }

    /// The number, limited to -1.0 to 1.0, or to 0.0 to 1.0 if not `signed`, times `steps` and rounded to the nearest
    /// integer; 0 for NaN.
    pub fn normalized(self, steps: f64, signed: bool, rules: &Rules) -> i128 {
        let value = self.source(rules).to_double(rules);
        let least = if signed { -1.0 } else { 0.0 };
        if value.is_nan() { 0 } else { (value.clamp(least, 1.0) * steps).round_ties_even() as i128 }
    }

    /// The number as another type: random bits are added below the last bit that is kept, and the rest is cut off.
    pub fn stochastic(self, ty: FloatType, random: u64, rules: &Rules) -> Number {
        let kept = Number { ty, bits: 0 }.fraction();
        let from = self.convert(FloatType::F32, None, rules);
        if from.is_nan() || from.is_infinite() {
            return from.convert(ty, None, rules);
        }
        let dropped = 23 - kept;
        let add = (random as u32 >> (32 - dropped)) as u64;
        let sum = Number { bits: (from.bits + add) & !((1 << dropped) - 1), ..from };
        sum.convert(ty, Some(Round::TowardZero), rules)
    }
}
