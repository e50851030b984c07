//! How long constructors take, beside storing words that were made before.
//!
//! `cargo bench --features make --bench make` prints a line for each kind of work and the ratio. Both sides write the same
//! words into the same buffer; the registers are run-time values, as a register allocator has them.

use std::hint::black_box;
use std::time::Instant;

use amdgpu_isa::gfx942::*;
use amdgpu_isa::make::{Words, float, int, off, s, v};

/// Instructions of a block.
const BLOCK: usize = 12;
const BLOCKS: usize = 64;
const ROUNDS: usize = 4000;

#[inline(always)]
fn push(out: &mut [u32; 4096], at: usize, words: Words) -> usize {
    let [low, high] = words.padded();
    // Room for two is always there: the end of the buffer is never reached.
    out[at & 4095] = low;
    out[(at + 1) & 4095] = high;
    at + words.len()
}

/// A dozen instructions whose registers are `r` and up.
#[inline(always)]
fn block(r: u8, mut emit: impl FnMut(Words)) -> Option<()> {
    let n = r & 63;
    emit(s_load_dwordx2(s(n & 60), s(2), int(16)).words().ok()?);
    emit(s_add_u32(s(n), s(1), s(n + 1)).words().ok()?);
    emit(s_mov_b32(s(n), int(7)).words().ok()?);
    emit(s_lshl_b32(s(n), s(n), int(2)).words().ok()?);
    emit(v_mov_b32_e32(v(r), s(n)).words().ok()?);
    emit(v_add_f32_e32(v(r), v(1), v(n)).words().ok()?);
    emit(v_mul_f32_e32(v(r), s(4), v(n)).words().ok()?);
    emit(v_fma_f32(v(r), v(n), v(2), v(r)).words().ok()?);
    emit(v_max_f32_e64(v(r), v(n), float(1.0)).clamp().words().ok()?);
    emit(global_load_dword(v(r), v(n & 62), off()).offset(8).words().ok()?);
    emit(global_store_dword(v(n & 62), v(r), off()).nt().words().ok()?);
    emit(v_lshl_add_u32(v(r), v(n), int(3), v(r)).words().ok()?);
    Some(())
}

#[inline(never)]
fn constructed(registers: &[u8; BLOCKS], out: &mut [u32; 4096]) -> Option<usize> {
    let mut at = 0;
    for &r in registers {
        block(r, |words| at = push(out, at, words))?;
    }
    Some(at)
}

#[inline(never)]
fn stored(made: &[Words], out: &mut [u32; 4096]) -> usize {
    let mut at = 0;
    for words in made {
        at = push(out, at, *words);
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
    let mut registers = [0u8; BLOCKS];
    registers.iter_mut().enumerate().for_each(|(n, r)| *r = (n * 37 % 200) as u8);
    let mut made = Vec::new();
    for &r in &registers {
        block(r, |words| made.push(words)).ok_or("an instruction is not made")?;
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
