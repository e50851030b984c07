//! A code generator's inner loop: writes instructions from typed structs, with registers and constants known only at
//! run time, into a slice of dwords.

use crate::table::Done;
use amdgpu_isa::Target;
use std::hint::black_box;

/// The size of the output in dwords. One loop fills it except for the last few dwords.
pub const ROOM: usize = 4096;

/// The number of loops that give about `bytes` of code; `None` if there is no loop for the target.
#[cfg(feature = "gfx942")]
pub fn loops(target: Target, bytes: usize) -> Option<usize> {
    (target == Target::Gfx942).then_some(bytes / (4 * ROOM))
}

#[cfg(not(feature = "gfx942"))]
pub fn loops(_: Target, _: usize) -> Option<usize> {
    None
}

/// Appends dwords while there is room.
struct Sink<'a> {
    /// The rest of the output.
    room: &'a mut [u32],
    instructions: u64,
}

impl Sink<'_> {
    #[inline(always)]
    fn put<const N: usize>(&mut self, words: [u32; N]) {
        if let Some((to, after)) = std::mem::take(&mut self.room).split_first_chunk_mut() {
            *to = words;
            self.room = after;
            self.instructions += 1;
        }
    }
}

/// Fills the output `loops` times.
fn fill_all(out: &mut [u32], loops: usize, fill: impl Fn(&mut Sink, u32)) -> Done {
    let mut done = Done { instructions: 0, bytes: 0 };
    for i in 0..loops {
        let room = out.len();
        let mut sink = Sink { room: &mut *out, instructions: 0 };
        fill(&mut sink, i as u32);
        done.instructions += sink.instructions;
        done.bytes += 4 * (room - sink.room.len()) as u64;
        black_box(&mut *out);
    }
    done
}

pub fn emit(out: &mut [u32], loops: usize) -> Done {
    fill_all(out, loops, fill)
}

/// The words of each instruction that `emit` writes in its first loop, computed in advance, and the number of words.
pub fn precomputed() -> Vec<([u32; 2], usize)> {
    let mut out = vec![0; ROOM];
    let words = fill_all(&mut out, 1, fill).bytes as usize / 4;
    let mut all = Vec::new();
    let mut at = 0;
    while at < words {
        // The sequence has no literals, so only formats that begin with the bits 11 have two dwords.
        let dwords = if out[at] >> 30 == 3 { 2 } else { 1 };
        all.push(([out[at], out[at + dwords - 1]], dwords));
        at += dwords;
    }
    all
}

pub fn store(words: &[([u32; 2], usize)], out: &mut [u32], loops: usize) -> Done {
    fill_all(out, loops, |sink, _| {
        for (pair, dwords) in words {
            match dwords {
                1 => sink.put([pair[0]]),
                _ => sink.put(*pair),
            }
        }
    })
}

#[cfg(not(feature = "gfx942"))]
fn fill(_: &mut Sink, _: u32) {}

/// Fills the sink with a load, multiply-add and store loop; registers and offsets follow from `seed`.
#[cfg(feature = "gfx942")]
#[inline(always)]
fn fill(sink: &mut Sink, seed: u32) {
    let mut n = seed;
    while sink.room.len() >= 32 {
        n = n.wrapping_add(1);
        // No setter refuses a value here.
        if block(sink, black_box(n)).is_err() {
            return;
        }
    }
}

#[cfg(feature = "gfx942")]
#[inline(always)]
fn block(sink: &mut Sink, n: u32) -> Result<(), amdgpu_isa::errors::FieldError> {
    use amdgpu_isa::gfx942::*;
    let (s, v) = ((n & 31) as u8, (n & 63) as u8);
    let vgpr = |v: u8| 256 + u16::from(v);
    sink.put(Sop2::new().with_op(Sop2Op::SAddU32).with_sdst(s)?.with_ssrc0(s).with_ssrc1(s + 1).to_words());
    sink.put(Sop2::new().with_op(Sop2Op::SAddcU32).with_sdst(s + 1)?.with_ssrc0(s + 2).with_ssrc1(128).to_words());
    sink.put(Sop1::new().with_op(Sop1Op::SMovB32).with_sdst(s)?.with_ssrc0(s + 3).to_words());
    sink.put(Smem::new().with_op(SmemOp::SLoadDwordx2).with_sdata(s & 30)?.with_imm(true).with_offset(8)?.to_words());
    let global = Global::new().with_addr(v).with_saddr(s & 30)?.with_offset((n & 0x7f8) as i16)?;
    sink.put(global.with_op(GlobalOp::GlobalLoadDword).with_vdst(v + 1).to_words());
    sink.put(Sopp::new().with_op(SoppOp::SWaitcnt).with_simm16(n as u16 & 15).to_words());
    sink.put(Vop1::new().with_op(Vop1Op::VMovB32).with_vdst(v).with_src0(vgpr(v + 2))?.to_words());
    let fma = Vop3a::new().with_op(Vop3aOp::VFmaF32).with_vdst(v + 3).with_src0(vgpr(v))?;
    sink.put(fma.with_src1(vgpr(v + 1))?.with_src2(u16::from(s))?.to_words());
    sink.put(Vop2::new().with_op(Vop2Op::VAddF32).with_vdst(v).with_src0(vgpr(v + 4))?.with_vsrc1(v + 5).to_words());
    sink.put(Ds::new().with_op(DsOp::DsWriteB32).with_addr(v).with_data0(v + 1).with_offset0(s).to_words());
    sink.put(global.with_op(GlobalOp::GlobalStoreDword).with_data(v + 3).to_words());
    sink.put(Sopc::new().with_op(SopcOp::SCmpLgU32).with_ssrc0(s).with_ssrc1(128).to_words());
    sink.put(Sopp::new().with_op(SoppOp::SCbranchScc1).with_simm16(n as u16).to_words());
    Ok(())
}
