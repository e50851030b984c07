//! The functions of formulas.

/// The types of a function's arguments and of its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Integers, or floats of one type; the result has the same type.
    Alike,
    /// Floats of one type; the result has the same type.
    Floats,
    /// A float, then integers; the result is a float of the same type.
    FloatByInts,
    /// A float, then integers; the result is an integer.
    FloatToInt,
    Integers,
    /// An integer; the result is the float of this type with the lowest bits of the integer.
    IntToFloat(super::FloatType),
    /// A float, then integers; the result is a float of this type.
    FloatTo(super::FloatType),
}

macro_rules! calls {
    ($($(#[$doc:meta])* $variant:ident $name:literal $arguments:literal $rule:expr,)*) => {
        /// A function of formulas. Each description begins with the name in formulas.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Call {
            $($(#[$doc])* $variant,)*
        }

        impl Call {
            pub const ALL: &'static [Call] = &[$(Call::$variant,)*];

            pub const fn name(self) -> &'static str {
                match self { $(Call::$variant => $name,)* }
            }

            /// The number of arguments of the function.
            pub const fn arguments(self) -> usize {
                match self { $(Call::$variant => $arguments,)* }
            }

            pub const fn rule(self) -> Rule {
                match self { $(Call::$variant => $rule,)* }
            }
        }
    };
}

use super::FloatType::{Bf6, Bf8, Bf16, F16, F32, F64, Fp4, Fp6, Fp8};

calls! {
    /// `abs(x)`: x without its sign.
    Abs "abs" 1 Rule::Alike,
    /// `min(a, b)`: the smaller one of two integers.
    Min "min" 2 Rule::Integers,
    /// `max(a, b)`: the greater one of two integers.
    Max "max" 2 Rule::Integers,
    /// `clamp(x, lo, hi)`: the integer x, but not less than lo nor more than hi.
    Clamp "clamp" 3 Rule::Integers,
    /// `median(a, b, c)`: the middle one of three integers.
    Median "median" 3 Rule::Integers,
    /// `popcount(x)`: the number of bits that are 1.
    PopCount "popcount" 1 Rule::Integers,
    /// `first_one(x)`: the number of the lowest bit that is 1, or -1.
    FirstOne "first_one" 1 Rule::Integers,
    /// `last_one(x)`: the number of the highest bit that is 1, or -1.
    LastOne "last_one" 1 Rule::Integers,
    /// `reverse(x, n)`: the lowest n bits in the opposite order.
    Reverse "reverse" 2 Rule::Integers,
    /// `sext(x, n)`: the lowest n bits as a signed integer.
    SignExtend "sext" 2 Rule::Integers,
    /// `prng(x, n)`: the number that follows x after n steps of `v_prng_b32`.
    Pseudorandom "prng" 2 Rule::Integers,
    /// `fma(a, b, c)`: a * b + c, rounded once.
    Fma "fma" 3 Rule::Floats,
    /// `min_num(a, b)`: the smaller number; of a number and a NaN, the number; -0 is smaller than +0.
    MinNum "min_num" 2 Rule::Floats,
    /// `max_num(a, b)`: the greater number; of a number and a NaN, the number; +0 is greater than -0.
    MaxNum "max_num" 2 Rule::Floats,
    /// `minimum(a, b)`: the smaller number, or NaN if one is NaN; -0 is smaller than +0.
    Minimum "minimum" 2 Rule::Floats,
    /// `maximum(a, b)`: the greater number, or NaN if one is NaN; +0 is greater than -0.
    Maximum "maximum" 2 Rule::Floats,
    /// `med3(a, b, c)`: the middle one of three numbers; if one is NaN, the smaller of the other two.
    Med3 "med3" 3 Rule::Floats,
    /// `floor(x)`: x rounded to an integer, towards negative infinity.
    Floor "floor" 1 Rule::Floats,
    /// `ceil(x)`: x rounded to an integer, towards positive infinity.
    Ceil "ceil" 1 Rule::Floats,
    /// `trunc(x)`: x rounded to an integer, towards zero.
    Trunc "trunc" 1 Rule::Floats,
    /// `rndne(x)`: x rounded to the nearest integer; if two are equally near, to the even one.
    RoundEven "rndne" 1 Rule::Floats,
    /// `fract(x)`: x - floor(x).
    Fract "fract" 1 Rule::Floats,
    /// `sqrt(x)`: the square root.
    Sqrt "sqrt" 1 Rule::Floats,
    /// `rcp(x)`: 1 / x.
    Reciprocal "rcp" 1 Rule::Floats,
    /// `rsq(x)`: 1 / sqrt(x).
    ReciprocalRoot "rsq" 1 Rule::Floats,
    /// `exp2(x)`: 2 to the power x.
    Exp2 "exp2" 1 Rule::Floats,
    /// `log2(x)`: the logarithm to the base 2.
    Log2 "log2" 1 Rule::Floats,
    /// `sin(x)`: the sine of an angle in turns.
    Sin "sin" 1 Rule::Floats,
    /// `cos(x)`: the cosine of an angle in turns.
    Cos "cos" 1 Rule::Floats,
    /// `tanh(x)`: the hyperbolic tangent.
    Tanh "tanh" 1 Rule::Floats,
    /// `flush(x)`: x, or a zero of the same sign if x is a denormal number.
    Flush "flush" 1 Rule::Floats,
    /// `frexp_mant(x)`: the significand, from 0.5 to 1, with the sign; infinity, NaN and zero are unchanged.
    FrexpMant "frexp_mant" 1 Rule::Floats,
    /// `xf32(x)`: the f32 x rounded to 10 bits of fraction; if two are equally near, to the even one.
    Xf32 "xf32" 1 Rule::Floats,
    /// `quiet(x)`: the quiet NaN with the sign and the payload of the NaN x.
    Quiet "quiet" 1 Rule::Floats,
    /// `ldexp(x, n)`: x times 2 to the power n.
    Ldexp "ldexp" 2 Rule::FloatByInts,
    /// `trig_preop(x, n)`: a part of 2/pi that fits the exponent of x; n selects the part.
    TrigPreop "trig_preop" 2 Rule::FloatByInts,
    /// `frexp_exp(x)`: the exponent that belongs to `frexp_mant(x)`; 0 for infinity, NaN and zero.
    FrexpExp "frexp_exp" 1 Rule::FloatToInt,
    /// `exponent(x)`: the exponent field.
    Exponent "exponent" 1 Rule::FloatToInt,
    /// `is_nan(x)`: whether x is a NaN.
    IsNan "is_nan" 1 Rule::FloatToInt,
    /// `is_signaling(x)`: whether x is a signaling NaN.
    IsSignaling "is_signaling" 1 Rule::FloatToInt,
    /// `is_infinite(x)`: whether x is an infinity.
    IsInfinite "is_infinite" 1 Rule::FloatToInt,
    /// `is_denormal(x)`: whether x is a denormal number.
    IsDenormal "is_denormal" 1 Rule::FloatToInt,
    /// `sign(x)`: the sign bit, even of a NaN.
    Sign "sign" 1 Rule::FloatToInt,
    /// `class(x)`: one bit of ten: signaling NaN, quiet NaN, -infinity, -normal, -denormal, -0, +0, +denormal, +normal,
    /// +infinity.
    Class "class" 1 Rule::FloatToInt,
    /// `bits(x)`: the bits of a float.
    Bits "bits" 1 Rule::FloatToInt,
    /// `snorm16(x)`: -1.0 to 1.0 as -32767 to 32767, rounded to the nearest.
    Snorm16 "snorm16" 1 Rule::FloatToInt,
    /// `unorm16(x)`: 0.0 to 1.0 as 0 to 65535, rounded to the nearest.
    Unorm16 "unorm16" 1 Rule::FloatToInt,
    /// `as_f16(x)`: the f16 whose bits are the lowest 16 bits of the integer x.
    AsF16 "as_f16" 1 Rule::IntToFloat(F16),
    /// `as_bf16(x)`: the bf16 whose bits are the lowest 16 bits of the integer x.
    AsBf16 "as_bf16" 1 Rule::IntToFloat(Bf16),
    /// `as_f32(x)`: the f32 whose bits are the lowest 32 bits of the integer x.
    AsF32 "as_f32" 1 Rule::IntToFloat(F32),
    /// `as_f64(x)`: the f64 whose bits are the lowest 64 bits of the integer x.
    AsF64 "as_f64" 1 Rule::IntToFloat(F64),
    /// `as_fp8(x)`: the fp8 whose bits are the lowest 8 bits of the integer x.
    AsFp8 "as_fp8" 1 Rule::IntToFloat(Fp8),
    /// `as_bf8(x)`: the bf8 whose bits are the lowest 8 bits of the integer x.
    AsBf8 "as_bf8" 1 Rule::IntToFloat(Bf8),
    /// `as_fp4(x)`: the fp4 whose bits are the lowest 4 bits of the integer x.
    AsFp4 "as_fp4" 1 Rule::IntToFloat(Fp4),
    /// `f16_rtz(x)`: x as an f16, rounded towards zero in any mode.
    ToF16Zero "f16_rtz" 1 Rule::FloatTo(F16),
    /// `sr_f16(x, r)`: x as an f16, rounded by adding the random bits r below the last bit that is kept.
    RandomF16 "sr_f16" 2 Rule::FloatTo(F16),
    /// `sr_bf16(x, r)`: x as a bf16, rounded by adding the random bits r below the last bit that is kept.
    RandomBf16 "sr_bf16" 2 Rule::FloatTo(Bf16),
    /// `sr_fp8(x, r)`: x as an fp8, rounded by adding the random bits r below the last bit that is kept.
    RandomFp8 "sr_fp8" 2 Rule::FloatTo(Fp8),
    /// `sr_bf8(x, r)`: x as a bf8, rounded by adding the random bits r below the last bit that is kept.
    RandomBf8 "sr_bf8" 2 Rule::FloatTo(Bf8),
    /// `sr_fp6(x, r)`: x as an fp6, rounded by adding the random bits r below the last bit that is kept.
    RandomFp6 "sr_fp6" 2 Rule::FloatTo(Fp6),
    /// `sr_bf6(x, r)`: x as a bf6, rounded by adding the random bits r below the last bit that is kept.
    RandomBf6 "sr_bf6" 2 Rule::FloatTo(Bf6),
    /// `sr_fp4(x, r)`: x as an fp4, rounded by adding the random bits r below the last bit that is kept.
    RandomFp4 "sr_fp4" 2 Rule::FloatTo(Fp4),
}

impl Call {
    pub fn named(name: &str) -> Option<Call> {
        Call::ALL.iter().copied().find(|call| call.name() == name)
    }
}
