//! Dual instructions: of random pairs of operations, the library accepts those that LLVM's assembler accepts, makes the
//! same bytes, and LLVM's disassembler prints the requested operands.

use amdgpu_isa::make::dual::{Dual, OnlyFirst, OnlySecond, Vopd, Vopd3};
use amdgpu_isa::make::kind::Any;
use amdgpu_isa::make::{BuildError, Op, Vgpr, Words, v};
use amdgpu_isa::{Field, Format, Opcode, Target};

use crate::case::{Case, Rng};
use crate::{Report, assembler, words};
use amdgpu_llvm::{Answer, Oracle, Word};

include!(concat!(env!("OUT_DIR"), "/make_dual_roster.rs"));

struct DualOperation<F: 'static> {
    target: Target,
    opcode: Opcode,
    x: Option<fn(&mut Case) -> Dual<OnlyFirst, F>>,
    y: Option<fn(&mut Case) -> Dual<OnlySecond, F>>,
}

/// The function of a target that joins two operations.
type Join<F> = (Target, fn(Dual<OnlyFirst, F>, Dual<OnlySecond, F>) -> Result<Words, BuildError>);

/// The operations that have functions, with their formats.
pub fn opcodes(target: Target) -> impl Iterator<Item = (Opcode, Format)> {
    let short = VOPD.iter().filter(move |o| o.target == target).map(|o| (o.opcode, Format::Vopd));
    short.chain(VOPD3.iter().filter(move |o| o.target == target).map(|o| (o.opcode, Format::Vopd3)))
}

/// Negates some sources, and sets the truth table.
fn modify<P>(mut dual: Dual<P, Vopd3>, case: &mut Case, half: &str, neg: u8, table: bool) -> Dual<P, Vopd3> {
    let mut signs = 0;
    for source in (0..3u8).filter(|n| neg >> n & 1 == 1) {
        // The text of a negated constant is that of another constant, or `neg(...)`.
        let text = &case.operands[usize::from(source) + 1].1;
        if text.starts_with(['v', 's', 't', 'm', 'e']) && !text.starts_with("src") && case.coin() {
            let text = &mut case.operands[usize::from(source) + 1].1;
            *text = format!("-{text}");
            dual = dual.neg(source);
            signs |= 1 << source;
        }
    }
    if signs != 0 {
        case.builder = case.builder.set(if half == "x" { Field::Negx } else { Field::Negy }, signs);
    }
    if table {
        let table = case.rng.number() as u8 | 16;
        case.builder = case.builder.set(Field::Bitop3, table);
        case.modifiers.push(format!("bitop3:{table:#x}"));
        dual = dual.bitop3(table);
    }
    dual
}

impl Case<'_> {
    /// One of a few registers, so that a pair often has two in one bank.
    fn dual_register<const N: usize>(&mut self, name: &str) -> Vgpr<N> {
        let n = self.rng.below(15) as u8 * 17;
        let n = if N > 1 { n & !1 } else { n };
        let (name, op) = (place(name), v(n));
        let text = if N > 1 { format!("v[{n}:{}]", n + 1) } else { format!("v{n}") };
        self.give(name, op, text);
        op
    }

    fn dual_source<const N: usize>(&mut self, name: &str, kind: &str) -> Op<Any, N> {
        // The third source is a scalar: the mask by which an operation selects one of its sources for each lane.
        if !name.starts_with("vsrc2") && self.coin() {
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

/// The name of a field, as the roster computes it.
fn place(name: &str) -> &'static str {
    let all = ["vdstx", "src0x", "vsrc1x", "vsrc2x", "vdsty", "src0y", "vsrc1y", "vsrc2y"];
    all.into_iter().find(|field| *field == name).expect("it is a field")
}

/// The text of an operation with the operands of a case.
fn text(opcode: Opcode, case: &Case) -> String {
    let operands: Vec<&str> = case.operands.iter().map(|o| o.1.as_str()).collect();
    let modifiers: String = case.modifiers.iter().map(|modifier| format!(" {modifier}")).collect();
    format!("{} {}{modifiers}", opcode.name(), operands.join(", "))
}

/// Whether a refusal is a known fault of LLVM's assembler. It counts the vcc that v_dual_cndmask_b32 reads without
/// naming it, and vcc_lo, as two scalars. LLVM 22 does not know that both operations of RDNA4 can read one register as
/// the same source (RDNA4 ISA, 7.8; for the third source, only LLVM 24 says so).
fn is_excused(target: Target, text: &str, said: &str) -> bool {
    let counts_twice = text.contains("cndmask") && text.contains("vcc_lo") && said.contains("constant bus");
    let shares = |source: &str, place: usize| {
        let register = |half: &str| half.split(", ").nth(place).map(str::to_owned).filter(|name| name.starts_with('v'));
        let halves: Vec<_> = text.split(" :: ").map(register).collect();
        said.contains(&format!("{source} operands must use different VGPR banks"))
            && matches!(&halves[..], [Some(one), Some(other)] if one == other)
    };
    counts_twice
        || target.generation() == "RDNA4"
            && (shares("src0", 1) || shares("src1", 2) || said.contains("src2 operands must use"))
}

/// Runs the test of each format that the target has. Returns the name and the result of each.
pub fn tests(target: Target, cases: usize, only: &str) -> Vec<(&'static str, Result<String, String>)> {
    let mut all = Vec::new();
    if JOIN_VOPD.iter().any(|join| join.0 == target) {
        all.push(("dual", agrees(target, (&VOPD, &JOIN_VOPD, Format::Vopd), cases, only)));
    }
    if JOIN_VOPD3.iter().any(|join| join.0 == target) {
        all.push(("long_dual", agrees(target, (&VOPD3, &JOIN_VOPD3, Format::Vopd3), cases, only)));
    }
    all
}

fn agrees<F: Copy>(
    target: Target,
    (operations, joins, format): (&[DualOperation<F>], &[Join<F>], Format),
    cases: usize,
    only: &str,
) -> Result<String, String> {
    let join = joins.iter().find(|join| join.0 == target).ok_or("no dual instructions")?.1;
    let mine = || operations.iter().filter(|o| o.target == target);
    let mut made: Vec<(String, Result<Words, BuildError>)> = Vec::new();
    let mut report = Report::default();
    let mut rng = Rng(5);
    for (first, x) in mine().filter_map(|o| Some((o, o.x?))) {
        let named = |o: &&DualOperation<F>| o.opcode.name().contains(only) || first.opcode.name().contains(only);
        for (second, y) in mine().filter(named).filter_map(|o| Some((o, o.y?))) {
            for _ in 0..cases * 2 {
                // The operands of both operations are chosen independently, so the rules about the constant bus and the
                // literal are often broken.
                let mut case = Case::new(target, first.opcode, false, None, None, &mut rng);
                let (dual, line) = (x(&mut case), text(first.opcode, &case));
                let literal = case.operands.iter().find(|o| o.0 == "literal").map(|o| o.1.clone());
                case.begin_second();
                let other = y(&mut case);
                let line = format!("{line} :: {}", text(second.opcode, &case));
                let other_literal = case.operands.iter().find(|o| o.0 == "literal").map(|o| o.1.clone());
                let result = join(dual, other);
                let built = case.builder.second(second.opcode).format(format).build();
                // The builder has one argument for the literals of both operations.
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
    let mut oracle = Oracle::start(target)?;
    let lines: Vec<String> = made.iter().map(|(line, _)| line.clone()).collect();
    let (mut good, mut short, mut bad, mut excused) = (0, 0, std::collections::BTreeMap::<String, usize>::new(), 0);
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
            // LLVM chooses the other format: the short one if possible, and the long one if necessary.
            (Ok(made), Ok(bytes)) if format == Format::Vopd3 && bytes.len() == 8 => {
                short += 1;
                match &oracle.ask(&[Word::new(&words::bytes(made))])[0] {
                    Answer::Text { text, .. } if text == line => {}
                    other => report.add("read as another".into(), || format!("{line}: {}", other.line())),
                }
            }
            (Err(error), Ok(bytes)) if format == Format::Vopd && bytes.len() == 12 => {
                let kind = format!("{error:?}");
                *bad.entry(kind.split([' ', '(']).next().unwrap_or("").to_string()).or_default() += 1;
            }
            (Err(error), Err(_)) => {
                let kind = format!("{error:?}");
                *bad.entry(kind.split([' ', '(']).next().unwrap_or("").to_string()).or_default() += 1;
            }
            (Ok(_), Err(said)) if is_excused(target, line, &said) => excused += 1,
            (made, said) => report.add("differs".into(), || format!("{line}: {made:08x?}, LLVM says {said:02x?}")),
        }
    }
    if only.is_empty() && (good + short < cases * 100 || bad.len() < 2) {
        return Err(format!("too few cases: {good} good, {bad:?}"));
    }
    let accepted = good + short;
    report.result(format!("{accepted} of {} pairs accepted, {excused} excused; refused: {bad:?}", made.len()))
}
