//! Waves with random and special values.

use amdgpu_eval::{LANES, Mode, Wave};
use amdgpu_isa::{Access, Inst, Operand, Reg, Value};

/// Pseudo-random numbers (SplitMix64): the same in each run.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub fn choose<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// The kind of values that a register gets.
#[derive(Clone, Copy)]
enum Pattern {
    /// Floats with these numbers of exponent bits and of fraction bits.
    Float(u32, u32),
    /// Integers near the ends of their ranges.
    Integers,
    /// Small integers, such as shifts and indices of lanes.
    Small,
    Random,
}

/// Patterns of floats with the name of their type in formulas.
const FLOATS: [(&str, Pattern); 4] = [
    ("f16", Pattern::Float(5, 10)),
    ("bf16", Pattern::Float(8, 7)),
    ("f32", Pattern::Float(8, 23)),
    ("f64", Pattern::Float(11, 52)),
];

/// A float: zero, denormal, one, the largest, infinity, NaN, signaling NaN, or a random number, most often near one.
pub fn float(exponent: u32, fraction: u32, rng: &mut Rng) -> u64 {
    let (top, ones) = ((1u64 << exponent) - 1, (1u64 << fraction) - 1);
    let bias = top >> 1;
    let sign = (rng.next() & 1) << (exponent + fraction);
    let of = |e: u64, f: u64| e << fraction | f & ones;
    let near = bias - 4 + rng.next() % 8;
    sign | match rng.below(14) {
        0 => 0,
        1 => of(0, 1),
        2 => of(0, ones),
        3 => of(0, rng.next()),
        4 => of(1, 0),
        5 => of(bias, 0),
        6 => of(top - 1, ones),
        7 => of(top, 0),
        8 => of(top, 1 << (fraction - 1) | rng.next() & 3),
        9 => of(top, 1),
        10 => of(rng.next() & top, rng.next()),
        11 => of(near, 0),
        _ => of(near, rng.next()),
    }
}

/// An integer of 32 bits at or near the end of a range of 8, 16 or 32 bits.
pub fn integer(rng: &mut Rng) -> u32 {
    let edge = rng.choose(&[0u32, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0x8000_0000, u32::MAX]);
    edge.wrapping_add(rng.below(3) as u32).wrapping_sub(1)
}

impl Pattern {
    /// The values of `count` dwords.
    fn dwords(self, count: usize, rng: &mut Rng) -> Vec<u32> {
        match self {
            Pattern::Float(e, f) => {
                let width = e + f + 1;
                let one = |rng: &mut Rng| float(e, f, rng);
                match width {
                    16 => (0..count).map(|_| (one(rng) | one(rng) << 16) as u32).collect(),
                    32 => (0..count).map(|_| one(rng) as u32).collect(),
                    _ => (0..count.div_ceil(2)).flat_map(|_| halves(one(rng))).take(count).collect(),
                }
            }
            Pattern::Integers => (0..count).map(|_| integer(rng)).collect(),
            Pattern::Small => (0..count).map(|_| rng.below(70) as u32).collect(),
            Pattern::Random => (0..count).map(|_| rng.next() as u32).collect(),
        }
    }
}

fn halves(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}

/// The patterns for the types in a formula.
fn patterns(meaning: &str) -> Vec<Pattern> {
    let floats = FLOATS.iter().filter(|(name, _)| meaning.contains(name)).map(|&(_, pattern)| pattern);
    let floats: Vec<Pattern> = floats.collect();
    let mut all = floats.repeat(3);
    all.extend([Pattern::Integers, Pattern::Small, Pattern::Random]);
    all
}

/// A wave in which all registers that the instructions name have values.
pub fn wave(insts: &[Inst], rng: &mut Rng) -> Wave {
    let lanes = u32::from(insts[0].target().wave_size());
    let mut wave = Wave::default();
    (wave.exec, wave.mode) = (exec(lanes, rng), mode(rng));
    (wave.vcc, wave.scc) = (rng.next(), rng.next() & 1 == 1);
    wave.m0 = rng.choose(&[0, 1, 31, rng.0 as u32]);
    let suited = patterns(insts[0].opcode().meaning(insts[0].target()).unwrap_or(""));
    let usual = rng.choose(&suited);
    for operand in insts.iter().flat_map(|inst| inst.operands()) {
        let pattern = if rng.below(4) == 0 { rng.choose(&suited) } else { usual };
        fill(&operand, pattern, &mut wave, rng);
    }
    wave
}

/// An EXEC with some, most or all lanes on.
fn exec(lanes: u32, rng: &mut Rng) -> u64 {
    let all = u64::MAX >> (64 - lanes);
    all & match rng.below(4) {
        0 => rng.next(),
        1 => rng.next() | rng.next() | rng.next(),
        _ => u64::MAX,
    }
}

/// The default mode, or a random one.
fn mode(rng: &mut Rng) -> Mode {
    let mut mode = Mode::default();
    if rng.next() & 1 == 0 {
        return mode;
    }
    let words = [
        ("round", rng.choose(&["ne", "up", "down", "zero"])),
        ("denorm32", rng.choose(&["keep", "flush", "flush-in", "flush-out"])),
        ("denorm64", rng.choose(&["keep", "flush", "flush-in", "flush-out"])),
        ("dx10_clamp", rng.choose(&["0", "1"])),
        ("fp16_ovfl", rng.choose(&["0", "1"])),
    ];
    words.into_iter().for_each(|(key, value)| mode.set(key, value).unwrap());
    mode
}

fn fill(operand: &Operand, pattern: Pattern, wave: &mut Wave, rng: &mut Rng) {
    let Some(reg) = general(operand) else { return };
    let lanes = if matches!(reg, Reg::Sgpr(_) | Reg::Ttmp(_)) { 1 } else { LANES };
    for lane in 0..lanes {
        let dwords = pattern.dwords(operand.bits.div_ceil(32).into(), rng);
        (0..).zip(dwords).for_each(|(index, dword)| wave.write(reg, index, lane, dword));
    }
}

/// The general register that an operand is.
fn general(operand: &Operand) -> Option<Reg> {
    match operand.value {
        Value::Reg(reg @ (Reg::Sgpr(_) | Reg::Ttmp(_) | Reg::Vgpr(_) | Reg::Agpr(_) | Reg::VgprHigh(_))) => Some(reg),
        _ => None,
    }
}

/// The registers that an instruction writes, with their numbers of dwords.
pub fn written(inst: &Inst) -> impl Iterator<Item = (Reg, u16)> + '_ {
    let operands = inst.operands().filter(|operand| operand.access != Access::Read);
    operands.filter_map(|operand| match operand.value {
        Value::Reg(reg) => Some((reg, operand.bits.div_ceil(32))),
        _ => None,
    })
}
