//! Compares the results of instructions.

use amdgpu_eval::{EvalError, Evaluator, LANES, Wave};
use amdgpu_isa::meaning::{FloatType, Formula, Goal, Type};
use amdgpu_isa::{Inst, Opcode, Reg, Target};

use super::values::{Rng, wave, written};

/// The way in which NaNs are compared.
#[derive(Clone, Copy, PartialEq)]
pub enum Nan {
    /// NaNs are compared bit by bit.
    Exact,
    /// All NaNs are equal in results to which the formula gives a float type. Integers, masks, and floats that a
    /// formula only moves are compared bit by bit.
    Any,
}

pub enum Outcome {
    Same,
    /// The evaluator cannot run the first sequence, or a wave lacks a register that only the second one needs.
    NotRun(EvalError),
    /// The first difference between the results, or the error if only the second sequence cannot be run.
    Different(String),
}

/// The terms of a comparison.
pub struct Terms {
    pub nan: Nan,
    /// Whether the mode flushes denormal numbers.
    pub flushes: bool,
    /// The number of waves.
    pub waves: usize,
}

/// Runs two sequences of instructions with the same values.
pub fn compare(evaluator: &mut Evaluator, [a, b]: [&[Inst]; 2], terms: &Terms, rng: &mut Rng) -> Outcome {
    let all: Vec<Inst> = a.iter().chain(b).copied().collect();
    for _ in 0..terms.waves {
        let mut before = wave(&all, rng);
        if terms.flushes {
            before.mode.set("denorm", "flush").unwrap();
        }
        let (mut left, mut right) = (before.clone(), before);
        if let Err(error) = run(evaluator, a, &mut left) {
            return Outcome::NotRun(error);
        }
        match run(evaluator, b, &mut right) {
            Ok(()) => {}
            // The first sequence did not need the register although it names it, because a NaN in another one decided.
            Err(error @ EvalError::Unknown(_)) => return Outcome::NotRun(error),
            Err(error) => return Outcome::Different(error.to_string()),
        }
        if left == right {
            continue;
        }
        if terms.nan == Nan::Any {
            all.iter().for_each(|inst| one_nan(inst, [&mut left, &mut right]));
        }
        if left != right {
            return Outcome::Different(difference(&all, &left, &right));
        }
    }
    Outcome::Same
}

fn run(evaluator: &mut Evaluator, insts: &[Inst], wave: &mut Wave) -> Result<(), EvalError> {
    insts.iter().try_for_each(|inst| evaluator.run(inst, wave))
}

/// The first difference, in words.
fn difference(insts: &[Inst], left: &Wave, right: &Wave) -> String {
    for (reg, dwords) in insts.iter().flat_map(written) {
        for (index, lane) in (0..dwords).flat_map(|index| (0..LANES).map(move |lane| (index, lane))) {
            let [a, b] = [left, right].map(|wave| wave.read(reg, index, lane).unwrap_or(0));
            if a != b {
                return format!("{reg}+{index} lane {lane}: {a:#x}, {b:#x}");
            }
        }
    }
    let state = |wave: &Wave| format!("scc {} vcc {:#x} exec {:#x} m0 {:#x}", wave.scc, wave.vcc, wave.exec, wave.m0);
    format!("{}; {}", state(left), state(right))
}

/// Replaces every NaN in registers that the instruction writes by the same NaN.
fn one_nan(inst: &Inst, waves: [&mut Wave; 2]) {
    let types = float_results(inst.opcode(), inst.target());
    let registers: Vec<(Reg, u16)> = written(inst).collect();
    for wave in waves {
        for &(reg, dwords) in &registers {
            for lane in 0..LANES {
                types.iter().for_each(|&ty| one_nan_of(ty, (reg, dwords, lane), wave));
            }
        }
    }
}

fn one_nan_of(ty: FloatType, (reg, dwords, lane): (Reg, u16, usize), wave: &mut Wave) {
    if ty == FloatType::F64 {
        for index in (0..dwords.saturating_sub(1)).step_by(2) {
            let [low, high] = [index, index + 1].map(|index| wave.read(reg, index, lane).unwrap_or(0));
            if f64::from_bits(u64::from(high) << 32 | u64::from(low)).is_nan() {
                wave.write(reg, index, lane, 0);
                wave.write(reg, index + 1, lane, 0x7ff8_0000);
            }
        }
        return;
    }
    for index in 0..dwords {
        if let Some(dword) = wave.read(reg, index, lane) {
            wave.write(reg, index, lane, with_one_nan(ty, dword));
        }
    }
}

fn with_one_nan(ty: FloatType, dword: u32) -> u32 {
    let half = |infinity: u32, half: u32| if half & 0x7fff > infinity { infinity | 0x3f } else { half };
    let halves = |infinity: u32| half(infinity, dword & 0xffff) | half(infinity, dword >> 16) << 16;
    match ty {
        FloatType::F16 => halves(0x7c00),
        FloatType::Bf16 => halves(0x7f80),
        FloatType::F32 if f32::from_bits(dword).is_nan() => 0x7fc0_0000,
        _ => dword,
    }
}

/// The types of floats that the formula of an operation gives to its destinations.
fn float_results(opcode: Opcode, target: Target) -> Vec<FloatType> {
    let Some(formula) = opcode.meaning(target).and_then(|text| Formula::read(text).ok()) else { return Vec::new() };
    let of = |goal: &Goal| match goal {
        Goal::Place(place) => match place.ty {
            Some(Type::Float(ty)) => Some(ty),
            _ => None,
        },
        Goal::Name(_) => None,
    };
    formula.statements.iter().filter_map(|statement| of(&statement.goal)).collect()
}
