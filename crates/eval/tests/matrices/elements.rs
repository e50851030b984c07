//! Elements of matrices in registers.

use amdgpu_eval::{EvalError, Evaluator, Wave};
use amdgpu_isa::{Reg, Target, parse};

/// The place of an element: a lane, and its number among the elements of the lane.
pub type Place = (usize, usize);

/// A type of elements: its width, and the bits of a small integer.
#[derive(Clone, Copy)]
pub struct Kind {
    pub bits: usize,
    pub encode: fn(i32) -> u64,
}

pub const F16: Kind = Kind { bits: 16, encode: |n| (n as f32).to_bits() as u64 >> 13 & 0x3fff | half_exponent(n) };
pub const BF16: Kind = Kind { bits: 16, encode: |n| u64::from((n as f32).to_bits() >> 16) };
pub const F32: Kind = Kind { bits: 32, encode: |n| (n as f32).to_bits().into() };
pub const F64: Kind = Kind { bits: 64, encode: |n| f64::from(n).to_bits() };
pub const I32: Kind = Kind { bits: 32, encode: |n| u64::from(n as u32) };
pub const I8: Kind = Kind { bits: 8, encode: |n| u64::from(n as u8) };
pub const I4: Kind = Kind { bits: 4, encode: |n| n as u64 & 15 };
/// E4M3, for -4 to 4.
pub const FP8: Kind = Kind { bits: 8, encode: |n| sign(n, 7) | [0, 0x38, 0x40, 0x44, 0x48][n.unsigned_abs() as usize] };
/// E2M3, for -4 to 4.
pub const FP6: Kind = Kind { bits: 6, encode: |n| sign(n, 5) | [0, 8, 16, 20, 24][n.unsigned_abs() as usize] };
/// E2M1, for -4 to 4.
pub const FP4: Kind = Kind { bits: 4, encode: |n| sign(n, 3) | [0, 2, 4, 5, 6][n.unsigned_abs() as usize] };

fn sign(n: i32, bit: u32) -> u64 {
    u64::from(n < 0) << bit
}

/// The sign and the highest bit of the exponent of an f16, whose other bits are those of an f32.
fn half_exponent(n: i32) -> u64 {
    let top = if n == 0 { 0 } else { u64::from(n.unsigned_abs() > 1) << 14 };
    sign(n, 15) | top
}

/// A generator of pseudo-random numbers.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self, count: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % count
    }

    pub fn small(&mut self) -> i32 {
        self.next(9) as i32 - 4
    }
}

/// Puts an element into registers from `first` on.
pub fn put(wave: &mut Wave, first: u16, (lane, item): Place, kind: Kind, n: i32) {
    put_bits(wave, first, lane, item * kind.bits, kind.bits, (kind.encode)(n));
}

pub fn put_bits(wave: &mut Wave, first: u16, lane: usize, at: usize, bits: usize, value: u64) {
    for n in 0..bits {
        let (dword, bit) = (((at + n) / 32) as u16, (at + n) % 32);
        let old = wave.read(Reg::Vgpr(first), dword, lane).unwrap();
        wave.write(Reg::Vgpr(first), dword, lane, old & !(1 << bit) | ((value >> n & 1) as u32) << bit);
    }
}

pub fn get(wave: &Wave, first: u16, (lane, item): Place, kind: Kind) -> u64 {
    let dword = |n: usize| u64::from(wave.read(Reg::Vgpr(first), n as u16, lane).unwrap());
    match kind.bits {
        64 => dword(item * 2) | dword(item * 2 + 1) << 32,
        bits => dword(item * bits / 32) >> (item * bits % 32) & ((1 << bits) - 1),
    }
}

pub fn run(target: &str, text: &str, wave: &mut Wave) -> Result<(), EvalError> {
    let inst = parse(target.parse::<Target>().unwrap(), text).unwrap_or_else(|error| panic!("{text}: {error}"));
    Evaluator::default().run(&inst, wave)
}

/// The first registers of the operands in the tests: the result, both factors, the added matrix or the indices, and the
/// scales.
pub const D: u16 = 0;
pub const A: u16 = 32;
pub const B: u16 = 64;
pub const C: u16 = 96;
pub const SCALES: [u16; 2] = [128, 130];

/// All pairs of a row and a column.
pub fn pairs(rows: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..rows * rows).map(move |n| (n / rows, n % rows))
}

/// The places of results of 16 and of 32 rows on CDNA.
pub fn d16(row: usize, column: usize) -> Place {
    (row / 4 * 16 + column, row % 4)
}

pub fn d32(row: usize, column: usize) -> Place {
    (row / 4 % 2 * 32 + column, row / 8 * 4 + row % 4)
}

/// The places of results in waves of 32 and of 64 lanes on RDNA4.
pub fn d_of_32(row: usize, column: usize) -> Place {
    (row / 8 * 16 + column, row % 8)
}

pub fn d_of_64(row: usize, column: usize) -> Place {
    (row / 4 % 2 * 32 + row / 8 * 16 + column, row % 4)
}
