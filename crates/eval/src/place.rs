//! Reads the places that a formula names.

use amdgpu_isa::meaning::{FloatType, Part, Place, Source, Type};
use amdgpu_isa::signature::DataType;
use amdgpu_isa::{Operand, Reg, Value as OperandValue};

use crate::bits::Bits;
use crate::compute::{self, Scope, Value, as_type};
use crate::error::EvalError;
use crate::float::{Number, Rules};
use crate::operands::{Input, register_after};
use crate::run::Frame;
use crate::wave::is_vector;
use crate::words;

type Result<T> = std::result::Result<T, EvalError>;

impl Scope for Frame<'_> {
    fn rules(&self) -> &Rules {
        &self.rules
    }

    fn name(&self, name: &str) -> Option<Value> {
        self.names.iter().rev().find(|(known, _)| known == name).map(|(_, value)| *value)
    }

    fn push(&mut self, name: &str, value: Value) {
        self.names.push((name.into(), value));
    }

    fn pop(&mut self) {
        self.names.pop();
    }

    fn place(&mut self, place: &Place) -> Result<Value> {
        let lane = match &place.lane {
            Some(expr) => {
                let lane = compute::int(self, expr)?;
                Some(usize::try_from(lane).unwrap_or(0) % self.lanes)
            }
            None => None,
        };
        if let Some(value) = self.plain(place.source)? {
            let bits = Bits(vec![value as u32, (value >> 32) as u32]);
            return self.part(place, &bits, 0, None);
        }
        if let Source::Destination(n) = place.source {
            let operand = self.operands.destination(n)?;
            let operand = self.further(operand, place)?;
            let bits = self.registers(&operand, lane)?;
            let is_half = place.part == Part::Whole && place.ty.is_some_and(|ty| ty.bits() == 16);
            // An accumulator of 16 bits is read from the half to which the result is written.
            let first = match operand.value {
                OperandValue::Reg(Reg::VgprHigh(_)) => 16,
                _ if is_half && operand.bits != 16 => self.modifiers.half_written(),
                _ => 0,
            };
            return self.part(place, &bits, first, None);
        }
        let input = self.operands.input(place.source)?;
        let input = Input { operand: self.further(input.operand, place)?, ..input };
        let bits = self.source(&input, lane, matches!(place.ty, Some(Type::Signed(_))))?;
        let first = match input.operand.value {
            OperandValue::Reg(Reg::VgprHigh(_)) => 16,
            OperandValue::Reg(Reg::Vgpr(_)) => 0,
            // OP_SEL chooses the upper half of a scalar or a literal.
            _ if input.operand.bits == 16 && self.modifiers.takes_high(input.number()) => 16,
            _ => 0,
        };
        self.part(place, &bits, first, Some(&input))
    }
}

impl Frame<'_> {
    /// The value of a place that is not an operand; `None` for operands.
    fn plain(&self, source: Source) -> Result<Option<u64>> {
        Ok(Some(match source {
            Source::Scc => self.before.scc.into(),
            Source::Exec => self.before.exec,
            Source::M0 => self.before.m0.into(),
            Source::Lane => self.lane as u64,
            Source::Wave => self.lanes as u64,
            Source::Table => self.inst.truth_table().ok_or(EvalError::Operand)?.into(),
            Source::Field(name) => words::value(self.inst, name)?.into(),
            Source::Vcc if !self.operands.has_mask(self.lanes) => self.before.vcc,
            Source::Mode => return Err(EvalError::Place("MODE")),
            Source::Pc => return Err(EvalError::Place("PC")),
            Source::Memory | Source::Lds | Source::Gds | Source::Attribute(_) => return Err(EvalError::Memory),
            Source::Address | Source::Base | Source::Offset(_) | Source::Data(_) => return Err(EvalError::Memory),
            Source::Destination(_) | Source::Operand(_) | Source::Literal | Source::Vcc => return Ok(None),
        }))
    }

    /// The operand, or the registers at the distance from it that the place states.
    pub fn further(&mut self, mut operand: Operand, place: &Place) -> Result<Operand> {
        let Some(by) = &place.further else { return Ok(operand) };
        let by = compute::int(self, by)?;
        let OperandValue::Reg(reg) = operand.value else { return Err(EvalError::Operand) };
        let last = i128::from(operand.bits.div_ceil(32).max(1)) - 1;
        let target = self.inst.target();
        let found = register_after(target, reg, by).filter(|_| register_after(target, reg, by + last).is_some());
        operand.value = OperandValue::Reg(found.ok_or(EvalError::Index)?);
        Ok(operand)
    }

    /// The registers of an operand before the instruction, in a lane; `None` stands for the current lane.
    pub fn registers(&self, operand: &Operand, lane: Option<usize>) -> Result<Bits> {
        let OperandValue::Reg(reg) = operand.value else { return Err(EvalError::Operand) };
        let lane = if is_vector(operand) { lane.unwrap_or(self.lane) } else { 0 };
        let read = |index| self.before.read(reg, index, lane).ok_or(EvalError::Unknown(reg));
        Ok(Bits((0..operand.bits.div_ceil(32)).map(read).collect::<Result<_>>()?))
    }

    /// The bits of a source as DPP and SDWA choose them; 0 if DPP finds no lane for it. `signed`: whether a literal of
    /// 32 bits is extended by its sign.
    fn source(&mut self, input: &Input, lane: Option<usize>, signed: bool) -> Result<Bits> {
        let operand = &input.operand;
        let dwords = operand.bits.div_ceil(32);
        let mut bits = if matches!(operand.value, OperandValue::Reg(_)) {
            let mut lane = lane.unwrap_or(self.lane);
            if input.is_numbered() {
                lane = self.modifiers.lane_read(input.number(), lane);
            }
            if input.number() == 0 && is_vector(operand) {
                match self.modifiers.source_lane(lane, self.before.exec) {
                    Ok(Some(from)) => lane = from,
                    Ok(None) => return Ok(Bits(vec![0; dwords.into()])),
                    Err(()) => {
                        self.source_off = true;
                        return Ok(Bits(vec![0; dwords.into()]));
                    }
                }
            }
            self.registers(operand, Some(lane))?
        } else {
            let bits = self.constant(input, signed)?;
            Bits((0..dwords).map(|n| (bits >> (32 * n).min(63)) as u32).collect())
        };
        // One scalar or constant stands for both of two values (RDNA4 ISA, 7.7.1).
        if input.is_pair()
            && !is_vector(operand)
            && (bits.0.len() == 1 || !matches!(operand.value, OperandValue::Reg(_)))
        {
            bits = Bits(vec![bits.0[0]; 2]);
        }
        Ok(if input.is_numbered() { self.modifiers.select(input.number(), bits) } else { bits })
    }

    /// The bits of a constant operand.
    fn constant(&self, input: &Input, signed: bool) -> Result<u64> {
        let Input { operand, ty } = input;
        Ok(match operand.value {
            OperandValue::Int(n) => i64::from(n) as u64,
            OperandValue::Imm(n) => i64::from(n) as u64,
            OperandValue::Label(n) => i64::from(n) as u64,
            OperandValue::Float(float) => match ty {
                DataType::F16 | DataType::PkF16 | DataType::I16 => float.to_f16_bits().into(),
                DataType::Bf16 | DataType::PkBf16 => u64::from(float.to_f32().to_bits() >> 16),
                DataType::F64 | DataType::I64 => float.to_f64().to_bits(),
                DataType::Bits if operand.bits == 64 => float.to_f64().to_bits(),
                _ => float.to_f32().to_bits().into(),
            },
            // The literal of a double is its upper half. A literal of a signed integer is extended by its sign, and any
            // other by 0 (RDNA3 ISA, "literal constant").
            OperandValue::Literal(dword) if *ty == DataType::F64 => u64::from(dword) << 32,
            OperandValue::Literal(dword) if operand.bits == 64 && signed => i64::from(dword as i32) as u64,
            OperandValue::Literal(dword) => dword.into(),
            OperandValue::Literal64 => self.inst.literal64().ok_or(EvalError::Operand)?,
            _ => return Err(EvalError::Operand),
        })
    }

    /// The scale `at` of a factor. A scalar is the scale of all lanes and blocks, and a constant 0 is the scale 1.
    fn scale(&self, factor: u8, at: u32, bits: &Bits, input: &Input) -> Result<Number> {
        let first = match input.operand.value {
            OperandValue::Int(0) => return Ok(Number::from_double(FloatType::F32, 1.0)),
            OperandValue::Reg(_) if is_vector(&input.operand) => 8 * at,
            OperandValue::Reg(_) => 0,
            _ => return Err(EvalError::Scale),
        };
        self.modifiers.formats.scale(factor, bits.get(first, 8) as u32)
    }

    /// The value of the part that a place names, as its type. `base`: the first bit of the place. The modifiers of a
    /// source apply.
    fn part(&mut self, place: &Place, bits: &Bits, base: u32, input: Option<&Input>) -> Result<Value> {
        let (element, ty) = match &place.part {
            Part::Bits(high, low) => {
                let (high, low) = (compute::int(self, high)?, compute::int(self, low)?);
                let first = position(low);
                let width = u32::try_from(high + 1 - low).unwrap_or(0);
                let wide = place.ty.is_some_and(|ty| ty.bits() > 16);
                let first = if wide { first } else { first + base + self.half(input, place) };
                return Ok(Value::Int(if width == 0 { 0 } else { bits.get(first, width) as i128 }));
            }
            Part::Element(at) => {
                let at = position(compute::int(self, at)?);
                let Some(ty) = place.ty else {
                    let first = at + base + self.half(input, place);
                    return Ok(Value::Int(bits.get(first, 1) as i128));
                };
                (Some(at), ty)
            }
            Part::Whole => {
                let whole = input.map_or(bits.len() as u16, |input| input.operand.bits);
                (None, place.ty.unwrap_or(Type::Unsigned(whole)))
            }
        };
        if ty == Type::Lane {
            return Ok(Value::Int(bits.get(self.lane as u32, 1) as i128));
        }
        let width = u32::from(ty.bits());
        match input {
            Some(input) => self.of_source(ty, element, bits, base, input),
            None => Ok(as_type(ty, bits.get(base + element.unwrap_or(0) * width, width))),
        }
    }

    /// An element of a source, or else its lowest bits, as a type and after the modifiers.
    fn of_source(&self, ty: Type, element: Option<u32>, bits: &Bits, base: u32, input: &Input) -> Result<Value> {
        let (n, operand) = (input.number(), &input.operand);
        let at = |width: u16| bits.get(element.unwrap_or(0) * u32::from(width), width.into());
        match ty {
            Type::Mixed(float) => {
                let number = match (self.modifiers.mixed(n), operand.value) {
                    (None, OperandValue::Float(float)) => {
                        Number { ty: FloatType::F32, bits: float.to_f32().to_bits().into() }
                    }
                    (None, _) => Number { ty: FloatType::F32, bits: bits.get(0, 32) as u64 },
                    (Some(half), _) => {
                        let number = Number { ty: float, bits: bits.get(16 * half, 16) as u64 };
                        number.convert(FloatType::F32, None, &self.rules)
                    }
                };
                Ok(Value::Float(self.modifiers.mixed_sign(n, number)))
            }
            Type::MaybeSigned(width) => {
                let ty = if self.modifiers.is_signed(n) { Type::Signed(width) } else { Type::Unsigned(width) };
                Ok(as_type(ty, at(width)))
            }
            Type::Chosen(factor) => {
                let float = self.modifiers.formats.factor(factor)?;
                Ok(as_type(Type::Float(float), at(float.bits())))
            }
            Type::Scale(factor) => Ok(Value::Float(self.scale(factor, element.unwrap_or(0), bits, input)?)),
            ty => {
                let width = u32::from(ty.bits());
                let base = if u32::from(operand.bits) < width { 0 } else { base };
                let halved = operand.bits != 16;
                let first = base + self.modifiers.first_bit(n, element, width, bits.len(), halved);
                match as_type(ty, bits.get(first, width)) {
                    Value::Float(number) => Ok(Value::Float(self.modifiers.signed(n, element, number))),
                    value => Ok(value),
                }
            }
        }
    }

    /// The first bit of the half that OP_SEL chooses, if a 16-bit operation names bits of a wider source without a
    /// type; else 0.
    fn half(&self, input: Option<&Input>, place: &Place) -> u32 {
        let is_high =
            |input: &Input| input.operand.bits != 16 && place.ty.is_none() && self.modifiers.takes_high(input.number());
        if input.is_some_and(is_high) && self.operands.are_halves() { 16 } else { 0 }
    }
}

/// The number of a bit or an element. Every number outside of an operand becomes one at which all bits are 0.
fn position(n: i128) -> u32 {
    const PAST_THE_END: i128 = 1024;
    if n < 0 { PAST_THE_END as u32 } else { n.min(PAST_THE_END) as u32 }
}
