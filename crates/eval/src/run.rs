//! Evaluates an instruction.

use std::collections::HashMap;
use std::rc::Rc;

use amdgpu_isa::meaning::{Call, Expr, FloatType, Formula, Goal, Part, Place, Source, Type};
use amdgpu_isa::{Inst, Opcode, Operand, Reg, Value as OperandValue};

use crate::bits::Bits;
use crate::compute::{self, Scope, Value};
use crate::error::EvalError;
use crate::float::Rules;
use crate::modifiers::{Modifiers, is_product, moves};
use crate::operands::{Operands, keeps_half};
use crate::shape;
use crate::wave::{Wave, is_vector};

type Result<T> = std::result::Result<T, EvalError>;

/// An evaluator of instructions, which keeps the formulas that it has read.
#[derive(Default)]
pub struct Evaluator {
    formulas: HashMap<&'static str, Rc<Formula>>,
}

impl Evaluator {
    /// Changes the registers of a wave as the instruction does.
    ///
    /// # Errors
    /// [`EvalError`], for example if the tables have no formula of the operation, or if the formula needs a value that
    /// is not in a [`Wave`]. The wave is then unchanged.
    pub fn run(&mut self, inst: &Inst, wave: &mut Wave) -> Result<()> {
        let before = wave.clone();
        // Clears bits that the hardware ignores, because their fields would act as modifiers here.
        let inst = &inst.canonical();
        let Some(second) = inst.second_opcode() else {
            return self.half(inst, inst.opcode(), None, &before, wave);
        };
        // Both operations read the registers as they were before the instruction.
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
        let lanes = usize::from(inst.target().wave_size());
        let modifiers = Modifiers::of(inst, half, lanes)?;
        let mut rules = Rules { mode: before.mode, fnuz: inst.target().has_fnuz() };
        if is_product(inst) {
            // Matrix products have a mode of their own: CDNA4 ISA, 7.4; CDNA5 ISA, 7.12.
            rules.mode.single = rules.mode.single.of_product(!has_single_factors(&formula));
            rules.mode.other = rules.mode.other.of_product(true);
        }
        let mut frame = Frame {
            inst,
            before,
            rules,
            lanes,
            lane: 0,
            operands: Operands::of(inst, half),
            modifiers,
            names: Vec::new(),
            keeps_half: keeps_half(inst),
            is_vector: inst.format().is_vector_alu(),
            source_off: false,
        };
        *wave = frame.all(&formula, wave.clone())?;
        Ok(())
    }

    /// Whether the result in one lane depends on other lanes, or is a bit of a mask of all lanes.
    pub fn needs_wave(&mut self, inst: &Inst) -> bool {
        let Some(formula) = inst.opcode().meaning(inst.target()).and_then(|text| self.formula(text).ok()) else {
            return false;
        };
        moves(inst) || formula.statements.iter().any(|s| goal_needs_wave(&s.goal) || reads_lanes(&s.value))
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

/// Whether a statement writes a mask, or a register of another lane.
fn goal_needs_wave(goal: &Goal) -> bool {
    matches!(goal, Goal::Place(place) if place.ty == Some(Type::Lane) || place.lane.is_some())
}

/// Whether an expression reads other lanes.
fn reads_lanes(expr: &Expr) -> bool {
    shape::any(expr, &|place| place.lane.is_some())
}

/// Whether the factors of a matrix product have the type f32, and are not rounded before they are multiplied.
fn has_single_factors(formula: &Formula) -> bool {
    let single = Some(Type::Float(FloatType::F32));
    shape::reads(formula, &|place| place.source == Source::Operand(0) && place.ty == single)
        && !shape::has(formula, &|part| matches!(part, Expr::Call(Call::Xf32, _)))
}

/// The evaluation of one operation, in one lane at a time.
pub struct Frame<'a> {
    pub inst: &'a Inst,
    pub before: &'a Wave,
    pub rules: Rules,
    pub lanes: usize,
    pub lane: usize,
    pub operands: Operands,
    pub modifiers: Modifiers,
    /// The names that the formula has defined so far, with their values.
    pub names: Vec<(String, Value)>,
    /// Whether a result of 16 bits keeps the other half of its register.
    keeps_half: bool,
    is_vector: bool,
    /// Whether DPP finds no lane for a source of the current lane. The current lane is then not written.
    pub source_off: bool,
}

/// The results of a destination: its registers in each lane, or the mask of all lanes. A scalar is in lane 0.
struct Written {
    bits: Vec<Option<Bits>>,
    mask: Option<u64>,
}

impl Written {
    /// Writes the results to the registers of a destination.
    fn store(&self, operand: &Operand, lanes: usize, after: &mut Wave) {
        let OperandValue::Reg(reg) = operand.value else { return };
        if let Some(mask) = self.mask {
            for dword in 0..(lanes / 32) as u16 {
                after.write(reg, dword, 0, (mask >> (32 * dword)) as u32);
            }
        }
        for (lane, bits) in self.bits.iter().enumerate() {
            for (dword, value) in (0..).zip(bits.iter().flat_map(|bits| &bits.0)) {
                after.write(reg, dword, lane, *value);
            }
        }
    }
}

/// The places that a formula writes.
fn goals(formula: &Formula) -> impl Iterator<Item = &Place> {
    formula.statements.iter().filter_map(|statement| match &statement.goal {
        Goal::Place(place) => Some(place),
        Goal::Name(_) => None,
    })
}

/// The mask of lanes that a place names: a destination, EXEC or VCC.
fn mask_of<'a>(
    place: &Place,
    results: &'a mut [Written],
    [exec, vcc]: &'a mut [Option<u64>; 2],
) -> Result<&'a mut Option<u64>> {
    match place.source {
        Source::Destination(n) => Ok(&mut results.get_mut(usize::from(n)).ok_or(EvalError::Operand)?.mask),
        Source::Exec => Ok(exec),
        Source::Vcc => Ok(vcc),
        _ => Err(EvalError::Operand),
    }
}

impl Frame<'_> {
    /// Evaluates the formula in all lanes. Returns the wave after the operation.
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
        // A mask is written as a whole: lanes that are off have 0.
        let mut masks = [None; 2];
        for place in goals(formula).filter(|place| place.ty == Some(Type::Lane)) {
            *mask_of(place, &mut results, &mut masks)? = Some(0);
        }
        for lane in (0..self.lanes).filter(|lane| active >> lane & 1 == 1) {
            self.lane = lane;
            self.names.clear();
            self.source_off = false;
            self.one_lane(formula, &mut results, &mut masks, &mut after)?;
        }
        for (operand, written) in self.operands.destinations.iter().zip(&results) {
            written.store(operand, self.lanes, &mut after);
        }
        let [exec, vcc] = masks;
        after.exec = exec.unwrap_or(after.exec);
        after.vcc = vcc.unwrap_or(after.vcc);
        Ok(after)
    }

    /// Evaluates the formula in the current lane.
    fn one_lane(
        &mut self,
        formula: &Formula,
        results: &mut [Written],
        masks: &mut [Option<u64>; 2],
        after: &mut Wave,
    ) -> Result<()> {
        let left_out = self.modifiers.leaves_out(self.lane);
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
                    self.give(place, value, results, masks, after)?;
                }
                self.names.pop();
            }
        }
        Ok(())
    }

    /// Whether a vector operation gives one result for all lanes.
    fn is_scalar(&self, formula: &Formula) -> bool {
        goals(formula).all(|place| match place.source {
            Source::Destination(n) => {
                place.ty != Some(Type::Lane) && self.operands.destination(n).is_ok_and(|d| !is_vector(&d))
            }
            _ => false,
        })
    }

    /// The number of elements that a destination has.
    fn elements(&self, place: &Place) -> Result<u32> {
        let Source::Destination(n) = place.source else { return Err(EvalError::Operand) };
        let operand = self.operands.destination(n)?;
        Ok(u32::from(operand.bits) / place.ty.map_or(1, |ty| u32::from(ty.bits())).max(1))
    }

    /// Assigns a value to a place in the current lane: in `results`, in `masks`, or in `after` if it is not an operand.
    fn give(
        &mut self,
        place: &Place,
        value: Value,
        results: &mut [Written],
        masks: &mut [Option<u64>; 2],
        after: &mut Wave,
    ) -> Result<()> {
        let truth = |value: Value| match value {
            Value::Int(n) => Ok((n & 1) as u64),
            _ => Err(EvalError::Type),
        };
        if place.further.is_some() {
            return self.give_further(place, value, after);
        }
        if place.ty == Some(Type::Lane) {
            *mask_of(place, results, masks)?.get_or_insert(0) |= truth(value)? << self.lane;
            return Ok(());
        }
        match place.source {
            Source::Scc => after.scc = truth(value)? == 1,
            Source::Destination(n) => {
                let operand = self.operands.destination(n)?;
                let old = self.registers(&operand, None)?;
                let of_lane = &mut results.get_mut(usize::from(n)).ok_or(EvalError::Operand)?.bits[self.lane];
                *of_lane = Some(self.written(place, value, &operand, old, of_lane.take())?);
            }
            Source::Exec | Source::Vcc | Source::M0 => {
                let Value::Int(value) = value else { return Err(EvalError::Type) };
                match place.source {
                    Source::Exec => {
                        // EXEC has 32 bits in a wave of 32 lanes.
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

    /// Assigns a value to registers at a distance from those of an operand.
    fn give_further(&mut self, place: &Place, value: Value, after: &mut Wave) -> Result<()> {
        let operand = match place.source {
            Source::Destination(n) => self.operands.destination(n)?,
            source => self.operands.input(source)?.operand,
        };
        let operand = self.further(operand, place)?;
        let OperandValue::Reg(reg) = operand.value else { return Err(EvalError::Operand) };
        let old = self.registers(&operand, None)?;
        let bits = self.written(place, value, &operand, old, None)?;
        for (dword, value) in (0..).zip(bits.0) {
            after.write(reg, dword, self.lane, value);
        }
        Ok(())
    }

    /// The registers of a destination after a value is written to a part of it.
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
                // OP_SEL chooses the half that is written, and the other half is kept.
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
                return Ok(Bits(vec![self.modifiers.place(number as u32, old.0[0])?]));
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

    /// The number of an element or a bit that is written: a constant or a name.
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
}

/// The name of the index in statements that are about each element.
fn index() -> Expr {
    Expr::Name("i".into())
}

fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// The nearest integer in the range of a type.
fn saturated(value: i128, ty: Type) -> i128 {
    match ty {
        Type::Signed(bits) if bits < 128 => value.clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        Type::Unsigned(bits) if bits < 127 => value.clamp(0, (1 << bits) - 1),
        _ => value,
    }
}
