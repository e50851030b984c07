//! Values of expressions.

use amdgpu_isa::Inst;
use amdgpu_isa::meaning::{Binary, Call, Expr, FloatType, Part, Place, Source, Type, Unary};
use rustc_apfloat::Round;

use crate::bits::Bits;
use crate::error::EvalError;
use crate::float::{Number, Rules};
use crate::{trig, words};

type Result<T> = std::result::Result<T, EvalError>;

/// The value of an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    Int(i128),
    Float(Number),
    /// A constant without a type: it gets the type of the float that it is combined with.
    Constant(f64),
}

/// The values of the names in an expression.
pub trait Scope {
    fn rules(&self) -> &Rules;
    /// The value of a place in the current lane.
    fn place(&mut self, place: &Place) -> Result<Value>;
    fn name(&self, name: &str) -> Option<Value>;
    fn push(&mut self, name: &str, value: Value);
    fn pop(&mut self);
}

/// Computes an expression.
pub fn value(scope: &mut dyn Scope, expr: &Expr) -> Result<Value> {
    Ok(match expr {
        Expr::Int(n) => Value::Int(*n),
        Expr::Float(n) => Value::Constant(*n),
        Expr::Name(name) => scope.name(name).ok_or(EvalError::Place("a name"))?,
        Expr::Place(place) => scope.place(place)?,
        Expr::Unary(operator, of) => match (operator, value(scope, of)?) {
            (Unary::Minus, Value::Int(n)) => Value::Int(n.wrapping_neg()),
            (Unary::Minus, Value::Float(n)) => Value::Float(n.negate()),
            (Unary::Minus, Value::Constant(n)) => Value::Constant(-n),
            (Unary::Complement, Value::Int(n)) => Value::Int(!n),
            (Unary::Not, Value::Int(n)) => Value::Int((n == 0).into()),
            _ => return Err(EvalError::Type),
        },
        // The second operand is not computed if the first one decides.
        Expr::Binary(Binary::AndAlso, a, b) => Value::Int((int(scope, a)? != 0 && int(scope, b)? != 0).into()),
        Expr::Binary(Binary::OrElse, a, b) => Value::Int((int(scope, a)? != 0 || int(scope, b)? != 0).into()),
        Expr::Binary(operator, a, b) => {
            let (a, b) = (value(scope, a)?, value(scope, b)?);
            binary(*operator, a, b, scope.rules())?
        }
        Expr::If(condition, then, otherwise) => {
            let chosen = if int(scope, condition)? != 0 { then } else { otherwise };
            value(scope, chosen)?
        }
        Expr::Convert(ty, of) => {
            let of = value(scope, of)?;
            convert(*ty, of, scope.rules())?
        }
        Expr::Sum(index, count, body) => {
            let count = int(scope, count)?.clamp(0, 1024);
            let mut sum = None;
            for n in 0..count {
                scope.push(index, Value::Int(n));
                let term = value(scope, body);
                scope.pop();
                let term = term?;
                sum = Some(match sum {
                    None => term,
                    Some(sum) => binary(Binary::Plus, sum, term, scope.rules())?,
                });
            }
            sum.unwrap_or(Value::Int(0))
        }
        Expr::Call(name, arguments) => {
            let values = arguments.iter().map(|a| value(scope, a)).collect::<Result<Vec<_>>>()?;
            call(*name, &values, scope.rules())?
        }
    })
}

pub fn int(scope: &mut dyn Scope, expr: &Expr) -> Result<i128> {
    match value(scope, expr)? {
        Value::Int(n) => Ok(n),
        _ => Err(EvalError::Type),
    }
}

/// Two floats of one type; a constant gets the type of the other value.
fn floats(a: Value, b: Value) -> Result<(Number, Number)> {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) if a.ty == b.ty => Ok((a, b)),
        (Value::Float(a), Value::Constant(b)) => Ok((a, Number::from_double(a.ty, b))),
        (Value::Constant(a), Value::Float(b)) => Ok((Number::from_double(b.ty, a), b)),
        _ => Err(EvalError::Type),
    }
}

fn binary(operator: Binary, a: Value, b: Value, rules: &Rules) -> Result<Value> {
    if let (Value::Int(a), Value::Int(b)) = (a, b) {
        let truth = |truth: bool| i128::from(truth);
        let by = u32::try_from(b).unwrap_or(u32::MAX);
        return Ok(Value::Int(match operator {
            Binary::OrElse => truth(a != 0 || b != 0),
            Binary::AndAlso => truth(a != 0 && b != 0),
            Binary::Or => a | b,
            Binary::Xor => a ^ b,
            Binary::And => a & b,
            Binary::Equal => truth(a == b),
            Binary::NotEqual => truth(a != b),
            Binary::Less => truth(a < b),
            Binary::LessEqual => truth(a <= b),
            Binary::Greater => truth(a > b),
            Binary::GreaterEqual => truth(a >= b),
            Binary::ShiftLeft => a.checked_shl(by).unwrap_or(0),
            Binary::ShiftRight => a.checked_shr(by).unwrap_or(if a < 0 { -1 } else { 0 }),
            Binary::Plus => a.wrapping_add(b),
            Binary::Minus => a.wrapping_sub(b),
            Binary::Times => a.wrapping_mul(b),
            Binary::Divide => a.checked_div(b).unwrap_or(0),
            Binary::Remainder => a.checked_rem(b).unwrap_or(0),
        }));
    }
    let (a, b) = floats(a, b)?;
    let order = || a.compare(b, rules);
    let truth = |truth: bool| Ok(Value::Int(truth.into()));
    let number = match operator {
        Binary::Equal => return truth(order().is_some_and(|o| o.is_eq())),
        Binary::NotEqual => return truth(!order().is_some_and(|o| o.is_eq())),
        Binary::Less => return truth(order().is_some_and(|o| o.is_lt())),
        Binary::LessEqual => return truth(order().is_some_and(|o| o.is_le())),
        Binary::Greater => return truth(order().is_some_and(|o| o.is_gt())),
        Binary::GreaterEqual => return truth(order().is_some_and(|o| o.is_ge())),
        Binary::Plus => a.add(b, rules),
        Binary::Minus => a.subtract(b, rules),
        Binary::Times => a.multiply(b, rules),
        Binary::Divide => a.divide(b, rules),
        _ => None,
    };
    number.map(Value::Float).ok_or(EvalError::Type)
}

/// The lowest bits of an integer as a value of a type.
pub fn as_type(ty: Type, bits: u128) -> Value {
    let width = u32::from(ty.bits()).min(128);
    let kept = if width == 128 { bits } else { bits & ((1 << width) - 1) };
    match ty {
        Type::Float(float) => Value::Float(Number { ty: float, bits: kept as u64 }),
        Type::Signed(_) => Value::Int(sign_extend(kept as i128, width)),
        _ => Value::Int(kept as i128),
    }
}

fn sign_extend(value: i128, width: u32) -> i128 {
    match width {
        0 => 0,
        1..128 => value << (128 - width) >> (128 - width),
        _ => value,
    }
}

fn convert(ty: Type, of: Value, rules: &Rules) -> Result<Value> {
    Ok(match (ty, of) {
        (Type::Float(float), Value::Int(n)) => Value::Float(Number::from_int(float, n, rules).ok_or(EvalError::Type)?),
        (Type::Float(float), Value::Float(n)) => Value::Float(n.convert(float, None, rules)),
        (Type::Float(float), Value::Constant(n)) => Value::Float(Number::from_double(float, n)),
        (ty, Value::Int(n)) => as_type(ty, n as u128),
        (Type::Signed(bits), Value::Float(n)) => Value::Int(n.to_int(bits, true, rules)),
        (Type::Unsigned(bits), Value::Float(n)) => Value::Int(n.to_int(bits, false, rules)),
        _ => return Err(EvalError::Type),
    })
}

fn call(name: Call, values: &[Value], rules: &Rules) -> Result<Value> {
    use FloatType::{Bf6, Bf8, Bf16, F16, F32, F64, Fp4, Fp6, Fp8};
    let at = |n: usize| values.get(n).copied().ok_or(EvalError::Type);
    let int = |n: usize| match at(n)? {
        Value::Int(value) => Ok(value),
        _ => Err(EvalError::Type),
    };
    // Constants get the type of another argument that is a float.
    let ty = values.iter().find_map(|value| if let Value::Float(n) = value { Some(n.ty) } else { None });
    let float = |n: usize| match (at(n)?, ty) {
        (Value::Float(number), _) => Ok(number),
        (Value::Constant(number), Some(ty)) => Ok(Number::from_double(ty, number)),
        _ => Err(EvalError::Type),
    };
    let truth = |truth: bool| Ok(Value::Int(truth.into()));
    let number = match name {
        Call::Abs => {
            if let Value::Int(n) = at(0)? {
                return Ok(Value::Int(n.wrapping_abs()));
            }
            Some(float(0)?.abs())
        }
        Call::Min => return Ok(Value::Int(int(0)?.min(int(1)?))),
        Call::Max => return Ok(Value::Int(int(0)?.max(int(1)?))),
        Call::Clamp => return Ok(Value::Int(int(0)?.max(int(1)?).min(int(2)?))),
        Call::Median => {
            let mut three = [int(0)?, int(1)?, int(2)?];
            three.sort_unstable();
            return Ok(Value::Int(three[1]));
        }
        Call::PopCount => return Ok(Value::Int(int(0)?.count_ones().into())),
        Call::FirstOne => {
            let n = int(0)?;
            return Ok(Value::Int(if n == 0 { -1 } else { n.trailing_zeros().into() }));
        }
        Call::LastOne => {
            let n = int(0)?;
            return Ok(Value::Int(if n == 0 { -1 } else { 127 - i128::from(n.leading_zeros()) }));
        }
        Call::Reverse => {
            let width = u32::try_from(int(1)?).unwrap_or(0).clamp(1, 128);
            return Ok(Value::Int((int(0)?.reverse_bits() as u128 >> (128 - width)) as i128));
        }
        Call::SignExtend => return Ok(Value::Int(sign_extend(int(0)?, u32::try_from(int(1)?).unwrap_or(0)))),
        Call::Pseudorandom => {
            let step = |x: u32| x << 1 ^ if x >> 31 == 1 { 0xc5 } else { 0 };
            let steps = int(1)?.clamp(0, 64);
            return Ok(Value::Int((0..steps).fold(int(0)? as u32, |x, _| step(x)).into()));
        }
        Call::Fma => float(0)?.fma(float(1)?, float(2)?, rules),
        Call::MinNum => Some(float(0)?.least(float(1)?, false, rules)),
        Call::MaxNum => Some(float(0)?.greatest(float(1)?, false, rules)),
        Call::Minimum => Some(float(0)?.least(float(1)?, true, rules)),
        Call::Maximum => Some(float(0)?.greatest(float(1)?, true, rules)),
        Call::Med3 => Some(median(float(0)?, float(1)?, float(2)?, rules)),
        Call::Floor => float(0)?.to_integral(Round::TowardNegative, rules),
        Call::Ceil => float(0)?.to_integral(Round::TowardPositive, rules),
        Call::Trunc => float(0)?.to_integral(Round::TowardZero, rules),
        Call::RoundEven => float(0)?.to_integral(Round::NearestTiesToEven, rules),
        Call::Fract => {
            let x = float(0)?;
            let below = x.to_integral(Round::TowardNegative, rules).ok_or(EvalError::Type)?;
            x.subtract(below, rules)
        }
        Call::Sqrt => Some(float(0)?.map(rules, f64::sqrt)),
        Call::Reciprocal => {
            let x = float(0)?;
            Number::from_double(x.ty, 1.0).divide(x, rules)
        }
        Call::ReciprocalRoot => Some(float(0)?.map(rules, |x| 1.0 / x.sqrt())),
        Call::Exp2 => Some(float(0)?.map(rules, f64::exp2)),
        Call::Log2 => Some(float(0)?.map(rules, f64::log2)),
        Call::Sin => Some(float(0)?.map(rules, trig::sin)),
        Call::Cos => Some(float(0)?.map(rules, trig::cos)),
        Call::Tanh => Some(float(0)?.map(rules, f64::tanh)),
        Call::Flush => Some(float(0)?.flush()),
        Call::FrexpMant => float(0)?.frexp(rules).map(|(mantissa, _)| mantissa),
        Call::Xf32 => float(0)?.xf32(),
        Call::Quiet => Some(float(0)?.quiet()),
        Call::Ldexp => float(0)?.scale(int(1)?, rules),
        Call::TrigPreop => Some(trig::part_of_two_over_pi(float(0)?, int(1)?)),
        Call::FrexpExp => {
            let (_, exponent) = float(0)?.frexp(rules).ok_or(EvalError::Type)?;
            return Ok(Value::Int(exponent));
        }
        Call::Exponent => return Ok(Value::Int(float(0)?.exponent())),
        Call::IsNan => return truth(float(0)?.is_nan()),
        Call::IsSignaling => return truth(float(0)?.is_signaling()),
        Call::IsInfinite => return truth(float(0)?.is_infinite()),
        Call::IsDenormal => return truth(float(0)?.is_denormal()),
        Call::Sign => return truth(float(0)?.is_negative()),
        Call::Class => return Ok(Value::Int(float(0)?.class())),
        Call::Bits => return Ok(Value::Int(float(0)?.bits.into())),
        Call::Snorm16 => return Ok(Value::Int(float(0)?.normalized(32767.0, true, rules))),
        Call::Unorm16 => return Ok(Value::Int(float(0)?.normalized(65535.0, false, rules))),
        Call::AsF16 => return Ok(as_type(Type::Float(F16), int(0)? as u128)),
        Call::AsBf16 => return Ok(as_type(Type::Float(Bf16), int(0)? as u128)),
        Call::AsF32 => return Ok(as_type(Type::Float(F32), int(0)? as u128)),
        Call::AsF64 => return Ok(as_type(Type::Float(F64), int(0)? as u128)),
        Call::AsFp8 => return Ok(as_type(Type::Float(Fp8), int(0)? as u128)),
        Call::AsBf8 => return Ok(as_type(Type::Float(Bf8), int(0)? as u128)),
        Call::AsFp4 => return Ok(as_type(Type::Float(Fp4), int(0)? as u128)),
        Call::ToF16Zero => Some(float(0)?.convert(F16, Some(Round::TowardZero), rules)),
        Call::RandomF16 => Some(float(0)?.stochastic(F16, int(1)? as u64, rules)),
        Call::RandomBf16 => Some(float(0)?.stochastic(Bf16, int(1)? as u64, rules)),
        Call::RandomFp8 => Some(float(0)?.stochastic(Fp8, int(1)? as u64, rules)),
        Call::RandomFp6 => Some(float(0)?.stochastic(Fp6, int(1)? as u64, rules)),
        Call::RandomBf6 => Some(float(0)?.stochastic(Bf6, int(1)? as u64, rules)),
        Call::RandomFp4 => Some(float(0)?.stochastic(Fp4, int(1)? as u64, rules)),
        Call::RandomBf8 => Some(float(0)?.stochastic(Bf8, int(1)? as u64, rules)),
    };
    number.map(Value::Float).ok_or(EvalError::Type)
}

/// The middle one of three numbers; if one is a NaN, the smallest of the others.
fn median(a: Number, b: Number, c: Number, rules: &Rules) -> Number {
    if a.is_nan() || b.is_nan() || c.is_nan() {
        return a.least(b, false, rules).least(c, false, rules);
    }
    let greatest = |x: Number, y: Number| x.greatest(y, false, rules);
    let most = greatest(greatest(a, b), c);
    let is = |x: Number| most.compare(x, rules).is_some_and(|order| order.is_eq());
    // The middle number is the greater of the two that are not the greatest.
    if is(a) {
        greatest(b, c)
    } else if is(b) {
        greatest(a, c)
    } else {
        greatest(a, b)
    }
}

/// The values of the names in a formula for a lane, or for the meaning of a field's value.
#[derive(Clone, Copy, Default)]
pub struct Names<'a> {
    /// The instruction whose fields the formula names.
    pub inst: Option<&'a Inst>,
    pub lane: usize,
    pub lanes: usize,
    /// `n`: the value of the field, or its position in a run of values.
    pub n: i128,
    /// `S0`: the bits to which the formula applies.
    pub bits: u32,
    /// `D`: the old bits of the destination.
    pub old: u32,
    /// The mask of the bits that are written.
    pub mask: u32,
    /// `x`: a float to which the formula applies, if there is one.
    pub number: Option<Number>,
}

/// The value of a formula of the tables.
pub fn named(expr: &Expr, names: &Names, rules: &Rules) -> Result<Value> {
    value(&mut NamedScope { rules, names }, expr)
}

/// The integer that a formula of the tables gives, such as the number of the lane from which another lane reads.
pub fn number(expr: &Expr, names: &Names) -> Result<i128> {
    let rules = Rules { mode: Default::default(), fnuz: false };
    int(&mut NamedScope { rules: &rules, names }, expr)
}

struct NamedScope<'a> {
    rules: &'a Rules,
    names: &'a Names<'a>,
}

impl NamedScope<'_> {
    fn part(&mut self, place: &Place, dword: u32) -> Result<Value> {
        let bits = Bits(vec![dword]);
        match &place.part {
            Part::Whole => Ok(as_type(place.ty.unwrap_or(Type::Unsigned(32)), bits.get(0, 32))),
            Part::Bits(high, low) => {
                let (high, low) = (int(self, high)?, int(self, low)?);
                let first = u32::try_from(low).map_err(|_| EvalError::Operand)?;
                let width = u32::try_from(high + 1 - low).map_err(|_| EvalError::Operand)?;
                Ok(Value::Int(bits.get(first, width) as i128))
            }
            Part::Element(_) => Err(EvalError::Operand),
        }
    }
}

impl Scope for NamedScope<'_> {
    fn rules(&self) -> &Rules {
        self.rules
    }

    fn place(&mut self, place: &Place) -> Result<Value> {
        match place.source {
            Source::Lane => Ok(Value::Int(self.names.lane as i128)),
            Source::Wave => Ok(Value::Int(self.names.lanes as i128)),
            Source::Operand(0) => self.part(place, self.names.bits),
            Source::Destination(0) => self.part(place, self.names.old),
            Source::Field(name) => {
                let inst = self.names.inst.ok_or(EvalError::Operand)?;
                words::value(inst, name).map(|value| Value::Int(value.into()))
            }
            _ => Err(EvalError::Operand),
        }
    }

    fn name(&self, name: &str) -> Option<Value> {
        match name {
            "n" => Some(Value::Int(self.names.n)),
            "mask" => Some(Value::Int(self.names.mask.into())),
            "x" => self.names.number.map(Value::Float),
            _ => None,
        }
    }

    fn push(&mut self, _: &str, _: Value) {}

    fn pop(&mut self) {}
}
