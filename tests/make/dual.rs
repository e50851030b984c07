//! Dual instructions: of random pairs of operations, the library accepts those that LLVM's assembler accepts, makes the
//! same bytes, and LLVM's disassembler reads what was meant.

use amdgpu_isa::make::dual::{Dual, Either, OnlySecond};
use amdgpu_isa::make::kind::Any;
use amdgpu_isa::make::{BuildError, Op, Vgpr, Words, v};
use amdgpu_isa::{Opcode, Target};

use crate::case::{Case, Rng};
use crate::oracle::{Answer, Oracle, Word};
use crate::{Report, assembler, features, words};

include!(concat!(env!("OUT_DIR"), "/make_dual_roster.rs"));

struct DualOperation {
    target: Target,
    opcode: Opcode,
    x: Option<fn(&mut Case) -> Dual<Either>>,
    y: fn(&mut Case) -> Dual<OnlySecond>,
}

pub fn has(target: Target) -> bool {
    DUALS.iter().any(|(of, _)| *of == target)
}

pub fn opcodes(target: Target) -> impl Iterator<Item = Opcode> {
    DUAL_OPERATIONS.iter().filter(move |o| o.target == target).map(|o| o.opcode)
}

impl Case<'_> {
    /// A register. There are few, so that some of a pair are in one bank.
    fn dual_register(&mut self, name: &str) -> Vgpr<1> {
        let n = self.rng.below(16) as u8 * 17;
        let (name, op) = (place(name), v(n));
        self.give(name, op, format!("v{n}"));
        op
    }

    fn dual_source(&mut self, name: &str, kind: &str) -> Op<Any, 1> {
        if self.coin() {
            return self.dual_register(name).any();
        }
        self.op(place(name), kind)
    }

    fn dual_literal(&mut self) -> u32 {
        let value = if self.coin() { 0x1234_5678 } else { 0x1234_5601 + self.rng.below(2) as u32 };
        self.give("literal", i64::from(value), format!("{value:#x}"));
        value
    }
}

/// The name of a field, for which the roster computes it.
fn place(name: &str) -> &'static str {
    let all = ["vdstx", "src0x", "vsrc1x", "vdsty", "src0y", "vsrc1y"];
    all.into_iter().find(|field| *field == name).expect("it is a field")
}

/// The text of an operation with the operands that a case has.
fn text(opcode: Opcode, case: &Case) -> String {
    let operands: Vec<&str> = case.operands.iter().map(|o| o.1.as_str()).collect();
    format!("{} {}", opcode.name(), operands.join(", "))
}

/// LLVM's assembler counts the vcc that v_dual_cndmask_b32 reads without naming it, and vcc_lo, as two scalars.
fn is_excused(text: &str, said: &str) -> bool {
    text.contains("cndmask") && text.contains("vcc_lo") && said.contains("constant bus")
}

pub fn agrees(target: Target, cases: usize, only: &str) -> Result<String, String> {
    let join = DUALS.iter().find(|(of, _)| *of == target).ok_or("no dual instructions")?.1;
    let mine = || DUAL_OPERATIONS.iter().filter(|o| o.target == target);
    let mut made: Vec<(String, Result<Words, BuildError>)> = Vec::new();
    let mut report = Report::default();
    let mut rng = Rng(5);
    for (first, x) in mine().filter_map(|o| Some((o, o.x?))) {
        for second in mine().filter(|o| o.opcode.name().contains(only) || first.opcode.name().contains(only)) {
            for _ in 0..cases * 2 {
                // The operands of each are chosen alone, so the constant bus and the literal are often broken.
                let mut case = Case::new(target, first.opcode, false, None, None, &mut rng);
                let (dual, line) = (x(&mut case), text(first.opcode, &case));
                let literal = case.operands.iter().find(|o| o.0 == "literal").map(|o| o.1.clone());
                case.begin_second();
                let other = (second.y)(&mut case);
                let line = format!("{line} :: {}", text(second.opcode, &case));
                let other_literal = case.operands.iter().find(|o| o.0 == "literal").map(|o| o.1.clone());
                let result = join(dual, other);
                let built = case.builder.second(second.opcode).build();
                // The builder has one argument for the literals of both.
                let differ = literal.is_some() && other_literal.is_some() && literal != other_literal;
                let same = match (&result, &built) {
                    (Ok(made), Ok(inst)) => made[..] == *inst.words(),
                    (Err(error), Err(other)) => error == other || differ,
                    _ => differ,
                };
                if !same {
                    report.add("the builder differs".into(), || format!("{line}: {result:08x?} or {built:08x?}"));
                }
                made.push((line, result));
            }
        }
    }
    let mut oracle = Oracle::start(target.processor(), features(target))?;
    let lines: Vec<String> = made.iter().map(|(line, _)| line.clone()).collect();
    let (mut good, mut bad, mut excused) = (0, std::collections::BTreeMap::<String, usize>::new(), 0);
    for ((line, result), said) in made.iter().zip(assembler::assemble(target, &lines)) {
        match (result, said) {
            (Ok(made), Ok(bytes)) if words::bytes(made) == bytes => {
                good += 1;
                match &oracle.ask(&[Word::new(&bytes)])[0] {
                    Answer::Text { text, len, .. } if *len == bytes.len() && text == line => {}
                    other => report.add("read as another".into(), || format!("{line}: {}", other.line())),
                }
                if let Err(error) = amdgpu_isa::decode_words(target, made) {
                    report.add("does not decode".into(), || format!("{line}: {error}"));
                }
            }
            (Err(error), Err(_)) => {
                let kind = format!("{error:?}");
                *bad.entry(kind.split([' ', '(']).next().unwrap_or("").to_string()).or_default() += 1;
            }
            (Ok(_), Err(said)) if is_excused(line, &said) => excused += 1,
            (made, said) => report.add("differs".into(), || format!("{line}: {made:08x?}, LLVM says {said:02x?}")),
        }
    }
    if only.is_empty() && (good < cases * 100 || bad.len() < 3) {
        return Err(format!("too few cases: {good} good, {bad:?}"));
    }
    report.result(format!("{good} of {} pairs accepted, {excused} excused; refused: {bad:?}", made.len()))
}
