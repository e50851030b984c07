//! LLVM's constant folder computes the same results. `opt-22` of the Debian package `llvm-22` folds calls of intrinsics
//! and instructions of LLVM's IR with constant arguments, and the evaluator runs the machine instructions that they
//! stand for.
//!
//! Of the intrinsics `llvm.amdgcn.`, LLVM does not fold `rsq`, `sqrt`, `log`, `exp2`, `tanh`, `div.fixup`, `fmad.ftz`,
//! `sffbh`, `lerp`, `sad.u8`, `msad.u8`, `sdot4`, `alignbyte`, `bitop3`, `mul.u24`, `cvt.f32.bf8`, `cvt.f32.fp8`,
//! `cvt.pknorm.i16` and `cvt.pk.u8.f32`.

mod cases;
mod differences;
mod opt;
mod types;

use std::collections::BTreeMap;

use amdgpu_eval::{Evaluator, Wave};
use amdgpu_isa::{Inst, Reg, Target, parse};

use crate::proofs::values::Rng;
use cases::{Case, cases};
use differences::{CLASSES, Difference};
use opt::{Function, folded};
use types::Ty;

/// The names of arguments in a `Case`.
const NAMES: [&str; 3] = ["a", "b", "c"];

impl Case {
    /// The body of a function that returns the bits of the result.
    fn body(&self, values: &[u64]) -> String {
        let mut ir = self.ir.clone();
        for ((name, ty), value) in NAMES.iter().zip(&self.arguments).zip(values) {
            let constant = ty.constant(*value);
            let (_, bare) = constant.split_once(' ').unwrap();
            ir = ir.replace(&format!("${name}"), &constant).replace(&format!("%{name}"), bare);
        }
        let (ty, bits) = (self.result.name(), self.result.bits());
        match self.result {
            Ty::I1 | Ty::I16 | Ty::I32 | Ty::I64 => format!("%r = {ir}\n ret {ty} %r"),
            _ => format!("%r = {ir}\n %b = bitcast {ty} %r to i{bits}\n ret i{bits} %b"),
        }
    }

    /// The instruction on a target, if the target has it.
    fn inst(&self, target: Target) -> Option<Inst> {
        let (mnemonic, rest) = self.text.split_once(' ')?;
        let kind = if self.text.starts_with('s') { 's' } else { 'v' };
        let with = |half: &str| {
            let register = |n: u32, ty: Ty| match ty.bits() {
                64 => format!("{kind}[{n}:{}]", n + 1),
                16 => format!("{kind}{n}{half}"),
                _ => format!("{kind}{n}"),
            };
            let operand = |word: &str| match (word, NAMES.iter().position(|name| *name == word)) {
                ("d", _) => register(8, self.result),
                ("vcc", _) if target.wave_size() == 32 => "vcc_lo".into(),
                (_, Some(n)) => register(16 + 2 * n as u32, self.arguments[n]),
                _ => word.to_string(),
            };
            let (operands, modifiers) =
                rest.split_once(" clamp").map_or((rest, ""), |(operands, _)| (operands, " clamp"));
            let operands: Vec<String> = operands.split(", ").map(operand).collect();
            parse(target, &format!("{mnemonic} {}{modifiers}", operands.join(", "))).ok()
        };
        with("").or_else(|| with(".l"))
    }

    /// The bits of the result that the evaluator computes.
    fn computed(&self, inst: &Inst, values: &[u64], evaluator: &mut Evaluator) -> u64 {
        let register = |n: usize| if self.text.starts_with('s') { Reg::Sgpr(n as u8) } else { Reg::Vgpr(n as u16) };
        let mut wave = Wave::default();
        wave.exec = 1;
        if let Some((key, value)) = self.mode {
            wave.mode.set(key, value).unwrap();
        }
        for (n, value) in values.iter().enumerate() {
            wave.write(register(16 + 2 * n), 0, 0, *value as u32);
            wave.write(register(16 + 2 * n), 1, 0, (value >> 32) as u32);
        }
        evaluator.run(inst, &mut wave).unwrap_or_else(|error| panic!("{inst}: {error}"));
        let dword = |n| u64::from(wave.read(register(8), n, 0).unwrap_or(0));
        let bits = if self.result == Ty::I1 { wave.vcc } else { dword(0) | dword(1) << 32 };
        bits & self.result.mask()
    }

    fn agrees(&self, folded: u64, computed: u64) -> bool {
        let near = || self.ulp > 0 && folded.abs_diff(computed) <= self.ulp;
        folded == computed || self.result.is_nan(folded) && self.result.is_nan(computed) || near()
    }
}

/// The number of random constants that are tried for each operation.
const TRIES: usize = 150;

/// Values that random numbers rarely include, by the beginning of the text. Each shows a known difference.
const RARE: &[(&str, &[u64])] = &[
    ("v_trig_preop_f64", &[0x7fe0_0000_0000_0000, 3]),
    ("v_fma_legacy_f32", &[0, 0x3f80_0000, 0x8000_0000]),
    ("v_med3_f16", &[0xfc00, 0xfc01, 0x03ff]),
];

/// The instruction on one target for each formula of the operation and each format.
fn instructions(case: &Case) -> Vec<Inst> {
    let mut all: Vec<(Option<&str>, Inst)> = Vec::new();
    for &target in Target::ALL {
        let Some(inst) = case.inst(target) else { continue };
        let meaning = inst.opcode().meaning(target);
        if !all.iter().any(|(known, other)| *known == meaning && other.format() == inst.format()) {
            all.push((meaning, inst));
        }
    }
    all.into_iter().map(|(_, inst)| inst).collect()
}

/// Compares constants of every operation. Prints how many LLVM folds, and the first difference of each kind.
#[test]
fn constants_that_llvm_folds_are_the_same() {
    let cases = cases();
    let mut tried: Vec<(usize, Vec<u64>)> = Vec::new();
    for (n, case) in cases.iter().enumerate() {
        // The values of a case do not depend on the other cases.
        let mut rng = Rng(case.text.bytes().fold(0, |seed, byte| seed * 31 % (1 << 50) + u64::from(byte)));
        let values = (0..).map(|_| case.arguments.iter().map(|ty| ty.value(&mut rng)).collect::<Vec<u64>>());
        let rare = RARE.iter().filter(|(text, _)| case.text.starts_with(text));
        tried.extend(rare.map(|(_, values)| (n, values.to_vec())));
        tried.extend(values.filter(|values| (case.fits)(values)).take(TRIES).map(|values| (n, values)));
    }
    let function = |(n, values): &(usize, Vec<u64>)| {
        let case = &cases[*n];
        let flushes = case.mode.is_some_and(|(key, _)| key == "denorm");
        Function { ty: case.result, body: case.body(values), flushes }
    };
    let functions: Vec<Function> = tried.iter().map(function).collect();
    let insts: Vec<Vec<Inst>> = cases.iter().map(instructions).collect();
    let mut evaluator = Evaluator::default();
    let (mut counts, mut compared) = (vec![0; cases.len()], 0);
    let mut found: BTreeMap<&str, (usize, String)> = BTreeMap::new();
    let mut others = Vec::new();
    for ((n, values), folded) in tried.iter().zip(folded(&functions)) {
        let Some(folded) = folded else { continue };
        let case = &cases[*n];
        counts[*n] += 1;
        for inst in &insts[*n] {
            compared += 1;
            let computed = case.computed(inst, values, &mut evaluator);
            if case.agrees(folded, computed) {
                continue;
            }
            let words: Vec<String> = inst.words().iter().map(|word| format!("{word:08x}")).collect();
            let (key, value) = case.mode.unwrap_or(("round", "ne"));
            let text = format!(
                "{inst} ({}, {}, {key}={value}) of {values:x?}: LLVM {folded:x}, computed {computed:x}",
                words.join(" "),
                inst.target()
            );
            let difference = Difference { case, values, folded, computed };
            match CLASSES.iter().find(|(_, is_one)| is_one(&difference)) {
                Some((reason, _)) => found.entry(reason).or_insert((0, text)).0 += 1,
                None => others.push(text),
            }
        }
    }
    for (n, case) in cases.iter().enumerate() {
        println!("{} / {}: {} constants, {} instructions", case.text, case.ir, counts[n], insts[n].len());
        assert!(counts[n] > 0 && !insts[n].is_empty(), "{} and {} are not compared", case.text, case.ir);
    }
    println!("{compared} constants of {} pairs compared", cases.len());
    for (reason, (count, first)) in &found {
        println!("{count} differ: {reason}: {first}");
    }
    assert!(others.is_empty(), "{} differ:\n{}", others.len(), others[..others.len().min(300)].join("\n"));
    for (reason, _) in CLASSES {
        assert!(found.contains_key(reason), "nothing differs any more: {reason}");
    }
}
