//! The time that constructors take, compared to storing precomputed words.
//!
//! `cargo run --profile bench --package amdgpu-isa-instructions --features make --bin make` prints a line for each kind
//! of work, and the ratios. All kinds write the same instructions into buffers of the same size. The registers of the
//! constructors are run-time values, as from a register allocator, that have to be checked; `of constant registers`
//! shows the time without that. An emitter checks for room before each instruction; without these checks
//! (`unchecked`), stored words are copied sixteen bytes at a time, whatever instructions they belong to. The lengths of
//! stored words are known at compile time, as with constructors; kept `Words` have them next to the dwords.

use std::hint::black_box;
use std::time::Instant;

use amdgpu_isa::gfx942::*;
use amdgpu_isa::make::{Words, float, int, off, s, v};

/// The number of instructions of a block.
const BLOCK: usize = 12;
const BLOCKS: usize = 64;
const ROUNDS: usize = 4000;
/// The size of the buffer in dwords.
const SIZE: usize = 4096;

/// The number of dwords of each instruction.
const LENGTHS: [usize; BLOCK] = [2, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2];

#[inline(always)]
fn push<const CHECKED: bool>(out: &mut [u32], at: usize, words: [u32; Words::MAX], len: usize) -> Option<usize> {
    let place = if CHECKED { at } else { at & (SIZE - 1) };
    *out.get_mut(place..)?.first_chunk_mut()? = words;
    Some(at + len)
}

/// Numbers of registers: any number, a multiple of four that leaves room for further SGPRs, and an even number.
type Registers = (u8, u8, u8);

/// Makes a dozen instructions, and calls `emit` with the words of each.
#[inline(always)]
fn block((r, n, p): Registers, mut emit: impl FnMut(Words) -> Option<()>) -> Option<()> {
    emit(s_load_dwordx2(s(n), s(2), int(16)).words().ok()?)?;
    emit(s_add_u32(s(n), s(1), s(n)).words().ok()?)?;
    emit(s_mov_b32(s(n), int(7)).words().ok()?)?;
    emit(s_lshl_b32(s(n), s(n), int(2)).words().ok()?)?;
    emit(v_mov_b32_e32(v(r), s(n)).words().ok()?)?;
    emit(v_add_f32_e32(v(r), v(1), v(p)).words().ok()?)?;
    emit(v_mul_f32_e32(v(r), s(4), v(p)).words().ok()?)?;
    emit(v_fma_f32(v(r), v(p), s(n), v(r)).words().ok()?)?;
    emit(v_max_f32_e64(v(r), v(p), float(1.0)).clamp().words().ok()?)?;
    emit(global_load_dword(v(r), v(p), off()).offset(8).words().ok()?)?;
    emit(global_store_dword(v(p), v(r), off()).nt().words().ok()?)?;
    emit(v_lshl_add_u32(v(r), v(p), int(3), v(r)).words().ok()?)?;
    Some(())
}

#[inline(never)]
fn constructed<const CHECKED: bool>(registers: &[Registers; BLOCKS], out: &mut [u32]) -> Option<usize> {
    let mut at = 0;
    for &registers in registers {
        block(registers, |words| {
            at = push::<CHECKED>(out, at, words.padded(), words.len())?;
            Some(())
        })?;
    }
    Some(at)
}

#[inline(never)]
fn stored<const CHECKED: bool>(made: &[[[u32; Words::MAX]; BLOCK]; BLOCKS], out: &mut [u32]) -> Option<usize> {
    let mut at = 0;
    for block in made {
        for (words, len) in block.iter().zip(LENGTHS) {
            at = push::<CHECKED>(out, at, *words, len)?;
        }
    }
    Some(at)
}

/// Writes results of constructors that were kept. Returns the number of dwords.
#[inline(never)]
fn kept(made: &[[Words; BLOCK]; BLOCKS], out: &mut [u32]) -> Option<usize> {
    let mut at = 0;
    for words in made.as_flattened() {
        at = push::<true>(out, at, words.padded(), words.len())?;
    }
    Some(at)
}

/// The nanoseconds that each instruction takes in the fastest of several runs.
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
    let nop = s_nop(0).words().map_err(|_| "an instruction is not made")?;
    let mut all = [[nop; BLOCK]; BLOCKS];
    for (&r, all) in registers.iter().zip(&mut all) {
        let mut places = all.iter_mut();
        block(r, |words| places.next().map(|place| *place = words)).ok_or("an instruction is not made")?;
    }
    let made = all.map(|block| block.map(|words| words.padded()));
    let (mut one, mut other) = ([0u32; SIZE + Words::MAX - 1], [0u32; SIZE + Words::MAX - 1]);
    let len = constructed::<true>(&registers, &mut one).ok_or("an instruction is not made")?;
    if stored::<true>(&made, &mut other) != Some(len) || one != other {
        return Err("the words differ");
    }
    if kept(&all, &mut other) != Some(len) || one != other {
        return Err("the words differ");
    }
    let make = fastest(|| _ = black_box(constructed::<true>(black_box(&registers), black_box(&mut one))));
    let store = fastest(|| _ = black_box(stored::<true>(black_box(&made), black_box(&mut other))));
    let fixed = fastest(|| {
        let (mut at, out) = (0, black_box(&mut one));
        for _ in 0..BLOCKS {
            let emit = |words: Words| {
                at = push::<true>(out, at, words.padded(), words.len())?;
                Some(())
            };
            black_box(block((10, 20, 30), emit));
        }
    });
    let keep = fastest(|| _ = black_box(kept(black_box(&all), black_box(&mut other))));
    let bulk = fastest(|| _ = black_box(stored::<false>(black_box(&made), black_box(&mut other))));
    println!("constructors             {make:6.2} ns an instruction");
    println!("  of constant registers  {fixed:6.2} ns an instruction");
    println!("stored words             {store:6.2} ns an instruction");
    println!("stored `Words`           {keep:6.2} ns an instruction");
    println!("stored words, unchecked  {bulk:6.2} ns an instruction");
    println!("ratio                    {:6.2}", make / store);
    println!("  of constant registers  {:6.2}", fixed / store);
    println!("ratio to `Words`         {:6.2}", make / keep);
    println!("  of constant registers  {:6.2}", fixed / keep);
    println!("ratio, unchecked         {:6.2}", make / bulk);
    Ok(())
}
