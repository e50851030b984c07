//! The types of values in formulas.

use core::fmt;

/// A format of floating-point numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatType {
    F16,
    F32,
    F64,
    Bf16,
    /// 8 bits, 4 of them the exponent (E4M3).
    Fp8,
    /// 8 bits, 5 of them the exponent (E5M2).
    Bf8,
    /// 6 bits, 2 of them the exponent (E2M3).
    Fp6,
    /// 6 bits, 3 of them the exponent (E3M2).
    Bf6,
    /// 4 bits, 2 of them the exponent (E2M1).
    Fp4,
}

impl FloatType {
    pub const ALL: [FloatType; 9] = [
        FloatType::F16,
        FloatType::F32,
        FloatType::F64,
        FloatType::Bf16,
        FloatType::Fp8,
        FloatType::Bf8,
        FloatType::Fp6,
        FloatType::Bf6,
        FloatType::Fp4,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            FloatType::F16 => "f16",
            FloatType::F32 => "f32",
            FloatType::F64 => "f64",
            FloatType::Bf16 => "bf16",
            FloatType::Fp8 => "fp8",
            FloatType::Bf8 => "bf8",
            FloatType::Fp6 => "fp6",
            FloatType::Bf6 => "bf6",
            FloatType::Fp4 => "fp4",
        }
    }

    /// The width in bits.
    pub const fn bits(self) -> u16 {
        match self {
            FloatType::F16 | FloatType::Bf16 => 16,
            FloatType::F32 => 32,
            FloatType::F64 => 64,
            FloatType::Fp8 | FloatType::Bf8 => 8,
            FloatType::Fp6 | FloatType::Bf6 => 6,
            FloatType::Fp4 => 4,
        }
    }
}

/// The type of a value: it says how to read the bits of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// An unsigned integer of this many bits: `u32`, or `b32`, which says nothing about the meaning of the bits.
    Unsigned(u16),
    /// A signed integer in two's complement.
    Signed(u16),
    Float(FloatType),
    /// `lane`: the bit of the lane in a mask of all lanes.
    Lane,
    /// `mix`, `mixbf`: an f32, or half a register of this type, as the instruction's bits for mixed precision select.
    Mixed(FloatType),
    /// `iu8`, `iu4`: an integer that is signed if the instruction sets the bit that negates a source in other
    /// operations.
    MaybeSigned(u16),
    /// `fa`, `fb`: a small float of the type that the instruction selects for the first and for the second factor.
    Chosen(u8),
    /// `sa`, `sb`: a scale of the first and of the second factor, in the format that the instruction selects.
    Scale(u8),
}

impl Type {
    /// The type with a name such as `u8`, `i64` or `bf16`.
    pub fn named(name: &str) -> Option<Type> {
        if let Some(float) = FloatType::ALL.into_iter().find(|f| f.name() == name) {
            return Some(Type::Float(float));
        }
        match name {
            "lane" => return Some(Type::Lane),
            "mix" => return Some(Type::Mixed(FloatType::F16)),
            "mixbf" => return Some(Type::Mixed(FloatType::Bf16)),
            "fa" => return Some(Type::Chosen(0)),
            "fb" => return Some(Type::Chosen(1)),
            "sa" => return Some(Type::Scale(0)),
            "sb" => return Some(Type::Scale(1)),
            "iu8" => return Some(Type::MaybeSigned(8)),
            "iu4" => return Some(Type::MaybeSigned(4)),
            _ => {}
        }
        let bits =
            |digits: &str| digits.parse::<u16>().ok().filter(|n| (1..=1024).contains(n) && !digits.starts_with('0'));
        match name.split_at_checked(1)? {
            ("u" | "b", digits) => bits(digits).map(Type::Unsigned),
            ("i", digits) => bits(digits).map(Type::Signed),
            _ => None,
        }
    }

    /// The width in bits.
    pub const fn bits(self) -> u16 {
        match self {
            Type::Unsigned(bits) | Type::Signed(bits) | Type::MaybeSigned(bits) => bits,
            Type::Float(float) => float.bits(),
            Type::Lane => 1,
            Type::Mixed(_) => 32,
            // The least width; the operand is as wide as the selected float needs.
            Type::Chosen(_) => 4,
            Type::Scale(_) => 8,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Unsigned(bits) => write!(f, "u{bits}"),
            Type::Signed(bits) => write!(f, "i{bits}"),
            Type::Float(float) => f.write_str(float.name()),
            Type::Lane => f.write_str("lane"),
            Type::Mixed(FloatType::Bf16) => f.write_str("mixbf"),
            Type::Mixed(_) => f.write_str("mix"),
            Type::MaybeSigned(bits) => write!(f, "iu{bits}"),
            Type::Chosen(0) => f.write_str("fa"),
            Type::Chosen(_) => f.write_str("fb"),
            Type::Scale(0) => f.write_str("sa"),
            Type::Scale(_) => f.write_str("sb"),
        }
    }
}
