//! How long constructors take, beside storing words that were made before.
//!
//! `cargo bench --features make --bench make` prints a line for each kind of work and the ratio. Both sides write the same
//! words, one instruction after the other, into the same buffer, and both know the lengths; the registers of the one are
//! run-time values, as a register allocator has them, that have to be checked.

use std::hint::black_box;
use std::time::Instant;

use amdgpu_isa::gfx942::*;
use amdgpu_isa::make::{Words, float, int, off, s, v};

/// Instructions of a block.
const BLOCK: usize = 12;
const BLOCKS: usize = 64;
const ROUNDS: usize = 4000;

/// Dwords of each.
const LENGTHS: [usize; BLOCK] = [2, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2];

#[inline(always)]
fn push(out: &mut [u32; 4096], at: usize, [low, high]: [u32; 2], len: usize) -> usize {
    // Room for two is always there: the end of the buffer is never reached.
    out[at & 4095] = low;
    out[(at + 1) & 4095] = high;
    at + len
}

/// Any register, an SGPR below the last ones that is a multiple of four, and an even one.
type Registers = (u8, u8, u8);

/// A dozen instructions.
#[inline(always)]
fn block((r, n, p): Registers, mut emit: impl FnMut(Words)) -> Option<()> {
    emit(s_load_dwordx2(s(n), s(2), int(16)).words().ok()?);
    emit(s_add_u32(s(n), s(1), s(n)).words().ok()?);
    emit(s_mov_b32(s(n), int(7)).words().ok()?);
    emit(s_lshl_b32(s(n), s(n), int(2)).words().ok()?);
    emit(v_mov_b32_e32(v(r), s(n)).words().ok()?);
    emit(v_add_f32_e32(v(r), v(1), v(p)).words().ok()?);
    emit(v_mul_f32_e32(v(r), s(4), v(p)).words().ok()?);
    emit(v_fma_f32(v(r), v(p), s(n), v(r)).words().ok()?);
    emit(v_max_f32_e64(v(r), v(p), float(1.0)).clamp().words().ok()?);
    emit(global_load_dword(v(r), v(p), off()).offset(8).words().ok()?);
    emit(global_store_dword(v(p), v(r), off()).nt().words().ok()?);
    emit(v_lshl_add_u32(v(r), v(p), int(3), v(r)).words().ok()?);
    Some(())
}

#[inline(never)]
fn constructed(registers: &[Registers; BLOCKS], out: &mut [u32; 4096]) -> Option<usize> {
    let mut at = 0;
    for &registers in registers {
        block(registers, |words| at = push(out, at, words.padded(), words.len()))?;
    }
    Some(at)
}

#[inline(never)]
fn stored(made: &[[[u32; 2]; BLOCK]; BLOCKS], out: &mut [u32; 4096]) -> usize {
    let mut at = 0;
    for block in made {
        for (words, len) in block.iter().zip(LENGTHS) {
            at = push(out, at, *words, len);
        }
    }
    at
}

/// Nanoseconds of the fastest of several runs.
fn fastest(mut run: impl FnMut()) -> f64 {
    let times = (0..9).map(|_| {
        let started = Instant::now();
        (0..ROUNDS).for_each(|_| run());
        started.elapsed().as_nanos() as f64
    });
    times.fold(f64::INFINITY, f64::min) / (ROUNDS * BLOCKS * BLOCK) as f64
}

fn main() -> Result<(), &'static str> {
    let mut registers = [(0, 0, 0); BLOCKS];
    for (n, r) in registers.iter_mut().enumerate() {
        *r = ((n * 37 % 256) as u8, (n * 20 % 96) as u8, (n * 26 % 254) as u8);
    }
    let mut made = [[[0; 2]; BLOCK]; BLOCKS];
    for (&r, made) in registers.iter().zip(&mut made) {
        let mut places = made.iter_mut();
        let mut put = |words: Words| places.next().into_iter().for_each(|place| *place = words.padded());
        block(r, &mut put).ok_or("an instruction is not made")?;
    }
    let (mut one, mut other) = ([0u32; 4096], [0u32; 4096]);
    let len = constructed(&registers, &mut one).ok_or("an instruction is not made")?;
    if stored(&made, &mut other) != len || one != other {
        return Err("the words differ");
    }
    let make = fastest(|| _ = black_box(constructed(black_box(&registers), black_box(&mut one))));
    let store = fastest(|| _ = black_box(stored(black_box(&made), black_box(&mut other))));
    println!("constructors     {make:6.2} ns an instruction");
    println!("stored words     {store:6.2} ns an instruction");
    println!("ratio            {:6.2}", make / store);
    Ok(())
}
