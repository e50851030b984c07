//! Evaluates an instruction.

use std::collections::HashMap;
use std::rc::Rc;

use amdgpu_isa::meaning::{Expr, FloatType, Formula, Goal, Part, Place, Source, Type};
use amdgpu_isa::signature::DataType;
use amdgpu_isa::{Access, Field, Format, Inst, Opcode, Operand, Reg, Value as OperandValue};

use crate::bits::Bits;
use crate::compute::{self, Scope, Value, as_type};
use crate::error::EvalError;
use crate::float::Rules;
use crate::modifiers::Modifiers;
use crate::wave::{Wave, is_vector};

type Result<T> = std::result::Result<T, EvalError>;

/// Evaluates instructions, and keeps the formulas that it has read.
#[derive(Default)]
pub struct Evaluator {
    formulas: HashMap<&'static str, Rc<Formula>>,
}

/// The operands of an instruction as formulas name them.
struct Operands {
    destinations: Vec<Operand>,
    sources: Vec<Operand>,
    literal: Option<Operand>,
}

impl Operands {
    /// The operands of an instruction, or of one of its two operations, whose fields end in a letter.
    fn of(inst: &Inst, half: Option<char>) -> Operands {
        let mut operands = Operands { destinations: Vec::new(), sources: Vec::new(), literal: None };
        let is_other = |operand: &Operand| {
            let name = operand.role.map_or("", |role| role.name());
            half.is_some_and(|half| operand.role != Some(Field::Literal) && !name.ends_with(half))
        };
        for operand in inst.operands().filter(|operand| operand.role.is_some() || is_shown_vcc(operand)) {
            if is_other(&operand) {
                continue;
            }
            if operand.access != Access::Read {
                operands.destinations.push(operand);
            } else if operand.role == Some(Field::Literal) {
                operands.literal = Some(operand);
            } else {
                operands.sources.push(operand);
            }
        }
        operands
    }
}

/// Whether the operand is a VCC that the text shows although no field names it.
fn is_shown_vcc(operand: &Operand) -> bool {
    operand.value == OperandValue::Reg(Reg::Vcc)
}

impl Evaluator {
    /// Changes the registers of a wave as the instruction does.
    ///
    /// # Errors
    /// [`EvalError`] if the tables have no formula of the operation, or the formula needs what is not in a [`Wave`]; then the wave is
    /// unchanged.
    pub fn run(&mut self, inst: &Inst, wave: &mut Wave) -> Result<()> {
        let before = wave.clone();
        // Bits that the hardware ignores are in fields that have a meaning for other operations.
        let inst = &inst.canonical();
        let Some(second) = inst.second_opcode() else {
            return self.half(inst, inst.opcode(), None, &before, wave);
        };
        // Both operations read the registers from before.
        let mut after = before.clone();
        self.half(inst, inst.opcode(), Some('x'), &before, &mut after)?;
        self.half(inst, second, Some('y'), &before, &mut after)?;
        *wave = after;
        Ok(())
    }

    /// Changes the registers as one operation of an instruction does.
    fn half(&mut self, inst: &Inst, opcode: Opcode, half: Option<char>, before: &Wave, wave: &mut Wave) -> Result<()> {
        let text = opcode.meaning(inst.target()).ok_or(EvalError::NoMeaning)?;
        let formula = self.formula(text)?;
        if formula.statements.is_empty() {
            return Err(EvalError::Sentence(text));
        }
        let set = BROADCASTS.into_iter().find(|&field| inst.get(field).is_some_and(|value| value != 0));
        if let Some(field) = set.filter(|_| !chooses_types(&formula)) {
            return Err(EvalError::Modifier(field));
        }
        let lanes = usize::from(inst.target().wave_size());
        let rules = Rules { mode: before.mode, fnuz: inst.target().has_fnuz() };
        let mut frame = Frame {
            inst,
            before,
            rules,
            lanes,
            lane: 0,
            operands: Operands::of(inst, half),
            modifiers: Modifiers::of(inst, half, lanes)?,
            names: Vec::new(),
            keeps_half: keeps_half(inst),
            is_vector: inst.format().is_vector_alu(),
            source_off: false,
        };
        *wave = frame.all(&formula, wave.clone())?;
        Ok(())
    }

    /// Whether the result in one lane depends on other lanes, or is a part of a mask of all lanes.
    pub fn needs_wave(&mut self, inst: &Inst) -> bool {
        let Some(formula) = inst.opcode().meaning(inst.target()).and_then(|text| self.formula(text).ok()) else {
            return false;
        };
        let moves = matches!(inst.extension(), Some(Format::Dpp | Format::Dpp8));
        moves || formula.statements.iter().any(|s| goal_needs_wave(&s.goal) || reads_lanes(&s.value))
    }

    fn formula(&mut self, text: &'static str) -> Result<Rc<Formula>> {
        if let Some(known) = self.formulas.get(text) {
            return Ok(known.clone());
        }
        let formula = Rc::new(Formula::read(text).map_err(EvalError::Syntax)?);
        self.formulas.insert(text, formula.clone());
        Ok(formula)
    }
}

/// Whether a result of 16 bits keeps the other half of its register: on targets that do, the tables say that the
/// destination is read, too.
fn keeps_half(inst: &Inst) -> bool {
    let is_plain = |s: &amdgpu_isa::signature::Signature| s.format() == inst.format() && s.extension().is_none();
    let is_read = || {
        let signature = inst.opcode().signatures(inst.target()).find(is_plain);
        signature.is_some_and(|s| s.operands().any(|operand| operand.access == Access::ReadWrite))
    };
    inst.target().keeps_halves() && is_read()
}

/// Whether a statement writes a mask.
fn goal_needs_wave(goal: &Goal) -> bool {
    matches!(goal, Goal::Place(place) if place.ty == Some(Type::Lane) || place.lane.is_some())
}

/// Whether an expression reads other lanes.
fn reads_lanes(expr: &Expr) -> bool {
    any(expr, &|place| place.lane.is_some())
}

/// Whether fields of the instruction choose the types of factors.
fn chooses_types(formula: &Formula) -> bool {
    formula.statements.iter().any(|s| any(&s.value, &|place| matches!(place.ty, Some(Type::Chosen(_)))))
}

/// Whether a place of an expression is as wanted.
fn any(expr: &Expr, wanted: &dyn Fn(&Place) -> bool) -> bool {
    let of = |expr: &Expr| any(expr, wanted);
    match expr {
        Expr::Int(_) | Expr::Float(_) | Expr::Name(_) => false,
        Expr::Place(place) => {
            let inside = match &place.part {
                Part::Whole => false,
                Part::Element(at) => of(at),
                Part::Bits(high, low) => of(high) || of(low),
            };
            inside || wanted(place)
        }
        Expr::Unary(_, a) | Expr::Convert(_, a) => of(a),
        Expr::Binary(_, a, b) | Expr::Sum(_, a, b) => of(a) || of(b),
        Expr::If(a, b, c) => of(a) || of(b) || of(c),
        Expr::Call(_, all) => all.iter().any(of),
    }
}

/// Fields that choose other blocks and lanes of matrices, which is not computed.
const BROADCASTS: [Field; 3] = [Field::Cbsz, Field::Abid, Field::Blgp];

/// One instruction, in one lane at a time.
struct Frame<'a> {
    inst: &'a Inst,
    before: &'a Wave,
    rules: Rules,
    lanes: usize,
    lane: usize,
    operands: Operands,
    modifiers: Modifiers,
    names: Vec<(String, Value)>,
    /// Whether a result of 16 bits keeps the other half of its register.
    keeps_half: bool,
    is_vector: bool,
    /// Whether a source has turned out to be in no lane, so that the lane is not written.
    source_off: bool,
}

/// Results of a destination: its registers in each lane, or once for all.
struct Written {
    bits: Vec<Option<Bits>>,
    mask: Option<u64>,
}

impl Frame<'_> {
    /// Evaluates in all lanes, and gives the wave after it.
    fn all(&mut self, formula: &Formula, mut after: Wave) -> Result<Wave> {
        let mask_all = if self.lanes == 64 { u64::MAX } else { (1 << self.lanes) - 1 };
        let once = !self.is_vector || self.is_scalar(formula);
        let reads_exec = self.inst.operands().any(|operand| operand.value == OperandValue::Reg(Reg::Exec));
        let active = if once {
            1
        } else if reads_exec {
            self.before.exec & mask_all
        } else {
            mask_all
        };
        let mut results: Vec<Written> = (0..self.operands.destinations.len())
            .map(|_| Written { bits: vec![None; self.lanes], mask: None })
            .collect();
        let (mut exec, mut vcc) = (None::<u64>, None::<u64>);
        for statement in &formula.statements {
            // A mask is written as a whole: lanes that are off have 0.
            if let Goal::Place(place) = &statement.goal {
                if place.ty == Some(Type::Lane) {
                    match place.source {
                        Source::Destination(n) => {
                            results.get_mut(usize::from(n)).ok_or(EvalError::Operand)?.mask = Some(0);
                        }
                        Source::Exec => exec = Some(0),
                        Source::Vcc => vcc = Some(0),
                        _ => return Err(EvalError::Operand),
                    }
                }
            }
        }
        for lane in 0..self.lanes {
            if active >> lane & 1 == 0 {
                continue;
            }
            self.lane = lane;
            self.names.clear();
            self.source_off = false;
            let left_out = self.modifiers.leaves_out(lane);
            for statement in &formula.statements {
                let place = match &statement.goal {
                    Goal::Name(name) => {
                        let value = compute::value(self, &statement.value)?;
                        self.names.push((name.clone(), value));
                        continue;
                    }
                    Goal::Place(place) => place,
                };
                let indexed = matches!(&place.part, Part::Element(at) if **at == index());
                let count = if indexed { self.elements(place)? } else { 1 };
                for element in 0..count {
                    self.names.push(("i".into(), Value::Int(element.into())));
                    let value = compute::value(self, &statement.value)?;
                    if !self.source_off && !left_out {
                        self.give(place, value, &mut results, &mut after, [&mut exec, &mut vcc])?;
                    }
                    self.names.pop();
                }
            }
        }
        for (operand, written) in self.operands.destinations.iter().zip(&results) {
            let OperandValue::Reg(reg) = operand.value else { continue };
            if let Some(mask) = written.mask {
                for dword in 0..(self.lanes / 32) as u16 {
                    after.write(reg, dword, 0, (mask >> (32 * dword)) as u32);
                }
            }
            for (lane, bits) in written.bits.iter().enumerate() {
                let Some(bits) = bits else { continue };
                for (dword, value) in (0..).zip(&bits.0) {
                    after.write(reg, dword, lane, *value);
                }
            }
        }
        if let Some(mask) = exec {
            after.exec = mask;
        }
        if let Some(mask) = vcc {
            after.vcc = mask;
        }
        Ok(after)
    }

    /// Whether a vector operation gives one result for all lanes.
    fn is_scalar(&self, formula: &Formula) -> bool {
        formula.statements.iter().all(|statement| match &statement.goal {
            Goal::Place(Place { source: Source::Destination(n), ty, .. }) => {
                *ty != Some(Type::Lane)
                    && self.operands.destinations.get(usize::from(*n)).is_some_and(|d| !is_vector(d))
            }
            Goal::Place(_) => false,
            Goal::Name(_) => true,
        })
    }

    /// The number of elements that a destination has.
    fn elements(&self, place: &Place) -> Result<u32> {
        let Source::Destination(n) = place.source else { return Err(EvalError::Operand) };
        let operand = self.operands.destinations.get(usize::from(n)).ok_or(EvalError::Operand)?;
        Ok(u32::from(operand.bits) / place.ty.map_or(1, |ty| u32::from(ty.bits())).max(1))
    }

    fn give(
        &mut self,
        place: &Place,
        value: Value,
        results: &mut [Written],
        after: &mut Wave,
        [exec, vcc]: [&mut Option<u64>; 2],
    ) -> Result<()> {
        let truth = |value: Value| match value {
            Value::Int(n) => Ok((n & 1) as u64),
            _ => Err(EvalError::Type),
        };
        if place.ty == Some(Type::Lane) {
            let mask = match place.source {
                Source::Destination(n) => &mut results.get_mut(usize::from(n)).ok_or(EvalError::Operand)?.mask,
                Source::Exec => exec,
                _ => vcc,
            };
            *mask.get_or_insert(0) |= truth(value)? << self.lane;
            return Ok(());
        }
        match place.source {
            Source::Scc => after.scc = truth(value)? == 1,
            Source::Destination(n) => {
                let n = usize::from(n);
                let operand = *self.operands.destinations.get(n).ok_or(EvalError::Operand)?;
                let lane = self.lane;
                let old = self.old(&operand)?;
                let so_far = results.get_mut(n).ok_or(EvalError::Operand)?.bits[lane].take();
                let bits = self.written(place, value, &operand, old, so_far)?;
                results[n].bits[lane] = Some(bits);
            }
            Source::Exec | Source::Vcc | Source::M0 => {
                let Value::Int(value) = value else { return Err(EvalError::Type) };
                match place.source {
                    Source::Exec => {
                        // A wave of 32 lanes has 32 bits of it.
                        after.exec = if self.lanes == 32 { value as u64 & 0xffff_ffff } else { value as u64 };
                    }
                    Source::Vcc => after.vcc = value as u64,
                    _ => after.m0 = value as u32,
                }
            }
            Source::Memory | Source::Lds | Source::Gds => return Err(EvalError::Memory),
            Source::Pc => return Err(EvalError::Place("PC")),
            _ => return Err(EvalError::Operand),
        }
        Ok(())
    }

    /// The registers of a destination before the instruction.
    fn old(&self, operand: &Operand) -> Result<Bits> {
        let OperandValue::Reg(reg) = operand.value else { return Err(EvalError::Operand) };
        let lane = if is_vector(operand) { self.lane } else { 0 };
        let dwords = operand.bits.div_ceil(32);
        let read = |index| self.before.read(reg, index, lane).ok_or(EvalError::Unknown(reg));
        Ok(Bits((0..dwords).map(read).collect::<Result<_>>()?))
    }

    /// The registers of a destination after a value is given to a part of it.
    fn written(&self, place: &Place, value: Value, operand: &Operand, old: Bits, so_far: Option<Bits>) -> Result<Bits> {
        let ty = place.ty.unwrap_or(Type::Unsigned(operand.bits));
        let value = match (value, ty) {
            (Value::Constant(n), Type::Float(float)) => Value::Float(crate::float::Number::from_double(float, n)),
            (value, _) => value,
        };
        let number = match value {
            Value::Float(number) => {
                let flushes = self.inst.target().omod_flushes();
                u128::from(self.modifiers.result(number, flushes, &self.rules).bits)
            }
            Value::Int(n) => {
                let n = if self.modifiers.clamp { saturated(n, ty) } else { n };
                n as u128
            }
            Value::Constant(_) => return Err(EvalError::Type),
        };
        let is_first = so_far.is_none();
        let mut bits = so_far.unwrap_or_else(|| old.clone());
        let width = u32::from(ty.bits());
        match &place.part {
            Part::Element(at) => {
                let at = self.number(at)?;
                // The half that is chosen, and the other one is kept.
                let first =
                    if at == 0 && width == 16 && bits.len() == 32 { self.modifiers.half_written() } else { at * width };
                bits.set(first, width, number);
            }
            Part::Bits(high, low) => {
                let (high, low) = (self.number(high)?, self.number(low)?);
                bits.set(low, (high + 1).saturating_sub(low), number);
            }
            Part::Whole if operand.bits == 16 => {
                let is_high = matches!(operand.value, OperandValue::Reg(Reg::VgprHigh(_)));
                bits.set(if is_high { 16 } else { 0 }, width.min(16), number);
            }
            Part::Whole if self.modifiers.has_parts() => {
                let result = (number & ((1 << width.min(32)) - 1)) as u32;
                return Ok(Bits(vec![self.modifiers.place(result, old.0[0])]));
            }
            Part::Whole if width == 16 && bits.len() == 32 => {
                let first = self.modifiers.half_written();
                let keeps = self.keeps_half || first != 0;
                if !keeps && is_first {
                    bits = Bits(vec![0]);
                }
                bits.set(first, 16, number);
            }
            Part::Whole if width == 8 && bits.len() == 32 => bits.set(8 * self.modifiers.byte_sel, 8, number),
            Part::Whole => bits.set(0, bits.len().max(width), number & mask(width)),
        }
        Ok(bits)
    }

    fn number(&self, expr: &Expr) -> Result<u32> {
        match expr {
            Expr::Int(n) => Ok(*n as u32),
            Expr::Name(name) => match self.name(name) {
                Some(Value::Int(n)) => Ok(n as u32),
                _ => Err(EvalError::Type),
            },
            _ => Err(EvalError::Type),
        }
    }

    /// The bits of a source, before modifiers; `None` if DPP finds no lane for it.
    fn source(&mut self, n: usize, operand: &Operand, lane: Option<usize>) -> Result<Bits> {
        let dwords = operand.bits.div_ceil(32);
        let bits = match operand.value {
            OperandValue::Reg(reg) => {
                let mut lane = lane.unwrap_or(self.lane);
                if n == 0 && is_vector(operand) {
                    match self.modifiers.source_lane(lane, self.before.exec) {
                        Ok(Some(from)) => lane = from,
                        Ok(None) => return Ok(Bits(vec![0; dwords.into()])),
                        Err(()) => {
                            self.source_off = true;
                            return Ok(Bits(vec![0; dwords.into()]));
                        }
                    }
                }
                let read = |index| self.before.read(reg, index, lane).ok_or(EvalError::Unknown(reg));
                Bits((0..dwords).map(read).collect::<Result<_>>()?)
            }
            value => {
                let bits = self.constant(value, operand)?;
                Bits((0..dwords).map(|n| (bits >> (32 * n).min(63)) as u32).collect())
            }
        };
        // The mask of lanes is no source that SDWA selects.
        Ok(if is_numbered(operand) { self.modifiers.select(n, bits) } else { bits })
    }

    /// The bits of a constant operand.
    fn constant(&self, value: OperandValue, operand: &Operand) -> Result<u64> {
        let ty = self.data_type(operand);
        Ok(match value {
            OperandValue::Int(n) => i64::from(n) as u64,
            OperandValue::Imm(n) => i64::from(n) as u64,
            OperandValue::Label(n) => i64::from(n) as u64,
            OperandValue::Float(float) => match ty {
                DataType::F16 | DataType::PkF16 | DataType::I16 => float.to_f16_bits().into(),
                DataType::Bf16 | DataType::PkBf16 => u64::from(float.to_f32().to_bits() >> 16),
                DataType::F64 | DataType::I64 => float.to_f64().to_bits(),
                _ if operand.bits == 64 && ty == DataType::Bits => float.to_f64().to_bits(),
                _ => float.to_f32().to_bits().into(),
            },
            // The literal of a double is its upper half.
            OperandValue::Literal(dword) if ty == DataType::F64 => u64::from(dword) << 32,
            OperandValue::Literal(dword) if operand.bits == 64 => {
                if self.inst.target().wave_size() == 64 || !self.is_vector {
                    i64::from(dword as i32) as u64
                } else {
                    dword.into()
                }
            }
            OperandValue::Literal(dword) => dword.into(),
            OperandValue::Literal64 => self.inst.literal64().ok_or(EvalError::Operand)?,
            _ => return Err(EvalError::Operand),
        })
    }

    /// The data type that the tables give an operand: how constants are read.
    fn data_type(&self, operand: &Operand) -> DataType {
        let inst = self.inst;
        let is_it = |s: &amdgpu_isa::signature::Signature| {
            s.format() == inst.format() && (s.extension() == inst.extension() || s.extension().is_none())
        };
        let signature = inst.opcode().signatures(inst.target()).find(is_it);
        let field = operand.role;
        let found = signature.and_then(|s| s.operands().find(|o| Some(o.field) == field).map(|o| o.ty));
        found.unwrap_or(DataType::Bits)
    }

    /// The operand that a source of the formula is, with its number.
    fn operand(&self, source: Source) -> Result<Operand> {
        let found = match source {
            Source::Destination(n) => self.operands.destinations.get(usize::from(n)),
            Source::Operand(n) => self.operands.sources.get(usize::from(n)),
            Source::Literal => self.operands.literal.as_ref(),
            // The mask that the encoding has as an operand.
            Source::Vcc => self.operands.sources.get(2),
            _ => None,
        };
        found.copied().ok_or(EvalError::Operand)
    }
}

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
        // A vector operation reads its own bit of VCC, and scalar operations the whole.
        let plain = match place.source {
            Source::Scc => Some(u64::from(self.before.scc)),
            Source::Exec => Some(self.before.exec),
            Source::M0 => Some(self.before.m0.into()),
            Source::Lane => Some(self.lane as u64),
            Source::Wave => Some(self.lanes as u64),
            Source::Table => Some(self.table().into()),
            Source::Select => Some(self.modifiers.selection.into()),
            Source::Half => Some(self.modifiers.takes_high_accumulator().into()),
            Source::FetchInactive => Some(self.modifiers.fetch_bits().0.into()),
            Source::BoundControl => Some(self.modifiers.fetch_bits().1.into()),
            Source::Vcc if self.operands.sources.len() < 3 || self.operand(Source::Vcc)?.bits != self.lanes as u16 => {
                Some(self.before.vcc)
            }
            Source::Vcc if !self.reads_mask() => Some(self.before.vcc),
            Source::Mode => return Err(EvalError::Place("MODE")),
            Source::Pc => return Err(EvalError::Place("PC")),
            Source::Memory | Source::Lds | Source::Gds => return Err(EvalError::Memory),
            Source::Address | Source::Base | Source::Offset(_) | Source::Data(_) => return Err(EvalError::Memory),
            Source::Destination(_) | Source::Operand(_) | Source::Literal | Source::Vcc => None,
        };
        if let Some(value) = plain {
            let bits = Bits(vec![value as u32, (value >> 32) as u32]);
            return self.part(place, &bits, 0, None);
        }
        let operand = self.operand(place.source)?;
        // The accumulator of the half that is written.
        if let Source::Destination(n) = place.source {
            let bits = {
                let OperandValue::Reg(reg) = operand.value else { return Err(EvalError::Operand) };
                let lane = if is_vector(&operand) { lane.unwrap_or(self.lane) } else { 0 };
                let read = |index| self.before.read(reg, index, lane).ok_or(EvalError::Unknown(reg));
                Bits((0..operand.bits.div_ceil(32)).map(read).collect::<Result<_>>()?)
            };
            let _ = n;
            let half = place.part == Part::Whole && place.ty.is_some_and(|ty| ty.bits() == 16);
            let high = match operand.value {
                OperandValue::Reg(Reg::VgprHigh(_)) => 16,
                _ if half && operand.bits != 16 => self.modifiers.half_written(),
                _ => 0,
            };
            return self.part(place, &bits, high, None);
        }
        let n = number_of(&operand);
        let bits = self.source(n, &operand, lane)?;
        let is_vector_half = matches!(operand.value, OperandValue::Reg(Reg::Vgpr(_) | Reg::VgprHigh(_)));
        let base = match operand.value {
            OperandValue::Reg(Reg::VgprHigh(_)) => 16,
            // The upper half of a scalar or a literal.
            _ if operand.bits == 16 && !is_vector_half && self.modifiers.takes_high(n) => 16,
            _ => 0,
        };
        self.part(place, &bits, base, Some((n, &operand)))
    }
}

impl Frame<'_> {
    /// Whether the third source is a mask of lanes.
    fn reads_mask(&self) -> bool {
        !self.inst.operands().any(|operand| operand.role.is_none() && operand.value == OperandValue::Reg(Reg::Vcc))
    }

    /// The small float that the instruction chooses for a factor.
    fn chosen(&self, factor: u8) -> Result<FloatType> {
        let fields = if factor == 0 { [Field::Cbsz, Field::MatrixAFmt] } else { [Field::Blgp, Field::MatrixBFmt] };
        let code = fields.into_iter().find_map(|field| self.inst.get(field)).unwrap_or(0);
        let types = [FloatType::Fp8, FloatType::Bf8, FloatType::Fp6, FloatType::Bf6, FloatType::Fp4];
        types.get(code as usize).copied().ok_or(EvalError::Modifier(fields[0]))
    }

    /// The truth table of an operation on bits.
    fn table(&self) -> u32 {
        let get = |field| self.inst.get(field).unwrap_or(0);
        match self.inst.get(Field::Bitop3) {
            Some(table) => table,
            None => get(Field::Omod) << 6 | get(Field::Abs) << 3 | get(Field::Neg),
        }
    }

    /// A part of the bits of a place, as its type. `base`: the first bit. A source is given with its number, and its
    /// modifiers apply.
    fn part(&mut self, place: &Place, bits: &Bits, base: u32, source: Option<(usize, &Operand)>) -> Result<Value> {
        let (first, width) = match &place.part {
            Part::Bits(high, low) => {
                let (high, low) = (compute::int(self, high)?, compute::int(self, low)?);
                let first = u32::try_from(low).unwrap_or(1024);
                let width = u32::try_from(high + 1 - low).unwrap_or(0);
                let wide = place.ty.is_some_and(|ty| ty.bits() > 16);
                let first = if wide { first } else { first + base + self.half(source, place) };
                return Ok(Value::Int(if width == 0 { 0 } else { bits.get(first, width) as i128 }));
            }
            Part::Element(at) => {
                let at = u32::try_from(compute::int(self, at)?).unwrap_or(1024);
                let Some(ty) = place.ty else {
                    let first = at + base + self.half(source, place);
                    return Ok(Value::Int(bits.get(first, 1) as i128));
                };
                (Some(at), ty)
            }
            Part::Whole => {
                let whole = match source {
                    Some((_, operand)) => operand.bits,
                    None => bits.len() as u16,
                };
                (None, place.ty.unwrap_or(Type::Unsigned(whole)))
            }
        };
        let (element, ty) = (first, width);
        let width = u32::from(ty.bits());
        let wide = source.is_some_and(|(_, operand)| u32::from(operand.bits) < width);
        let base = if wide { 0 } else { base };
        if ty == Type::Lane {
            return Ok(Value::Int(bits.get(self.lane as u32, 1) as i128));
        }
        let Some((n, operand)) = source else {
            return Ok(as_type(ty, bits.get(base + element.unwrap_or(0) * width, width)));
        };
        match ty {
            Type::Mixed(float) => {
                let number = match self.modifiers.mixed(n) {
                    None => {
                        let whole = match operand.value {
                            OperandValue::Float(float) => float.to_f32().to_bits().into(),
                            _ => bits.get(0, 32) as u64,
                        };
                        crate::float::Number { ty: FloatType::F32, bits: whole }
                    }
                    Some(half) => crate::float::Number { ty: float, bits: bits.get(16 * half, 16) as u64 }.convert(
                        FloatType::F32,
                        None,
                        &self.rules,
                    ),
                };
                Ok(Value::Float(self.modifiers.mixed_sign(n, number)))
            }
            Type::MaybeSigned(width) => {
                let ty = if self.modifiers.is_signed(n) { Type::Signed(width) } else { Type::Unsigned(width) };
                Ok(as_type(ty, bits.get(element.unwrap_or(0) * u32::from(width), width.into())))
            }
            Type::Chosen(factor) => {
                let float = self.chosen(factor)?;
                let width = u32::from(float.bits());
                Ok(as_type(Type::Float(float), bits.get(element.unwrap_or(0) * width, width)))
            }
            ty => {
                let halved = operand.bits != 16;
                let first = base + self.modifiers.first_bit(n, element, width, operand.bits.into(), halved);
                match as_type(ty, bits.get(first, width)) {
                    Value::Float(number) => Ok(Value::Float(self.modifiers.signed(n, element, number))),
                    value => Ok(value),
                }
            }
        }
    }

    /// The first bit of the half that a 16-bit operation reads bit by bit.
    fn half(&self, source: Option<(usize, &Operand)>, place: &Place) -> u32 {
        let narrow = self.operands.destinations.first().is_some_and(|d| d.bits == 16) || self.writes_half();
        match source {
            Some((n, operand))
                if narrow && operand.bits != 16 && place.ty.is_none() && self.modifiers.takes_high(n) =>
            {
                16
            }
            _ => 0,
        }
    }

    /// Whether the operation's data have 16 bits.
    fn writes_half(&self) -> bool {
        self.operands.sources.first().is_some_and(|operand| self.data_type(operand) == DataType::I16)
    }
}

/// The number of a source among those that modifiers count: the digit in the name of its field.
fn number_of(operand: &Operand) -> usize {
    let name = operand.role.map_or("", |field| field.name());
    let digit = name.bytes().find(u8::is_ascii_digit).map_or(0, |digit| digit - b'0');
    digit.into()
}

/// Whether the name of the operand's field has a number.
fn is_numbered(operand: &Operand) -> bool {
    operand.role.is_some_and(|field| field.name().contains(|c: char| c.is_ascii_digit()))
}

/// The name of the index of elements.
fn index() -> Expr {
    Expr::Name("i".into())
}

fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// The nearest integer that a type has.
fn saturated(value: i128, ty: Type) -> i128 {
    match ty {
        Type::Signed(bits) if bits < 128 => value.clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        Type::Unsigned(bits) if bits < 127 => value.clamp(0, (1 << bits) - 1),
        _ => value,
    }
}
