//! The instructions that benchmarks make with `Builder`.
#![cfg(feature = "make")]

use amdgpu_isa::Opcode::*;
use amdgpu_isa::Reg::{Sgpr, Vgpr};
use amdgpu_isa::make::Builder;
use amdgpu_isa::{Inst, Target};
use std::hint::black_box;

/// Makes a dozen instructions as a compiler for several targets does.
#[inline(never)]
pub fn built(target: Target, n: u8, mut each: impl FnMut(Option<Inst>)) {
    let op = |opcode| Builder::new(black_box(target), opcode);
    let (s, pair, v, w) = (Sgpr(n % 96), Sgpr(n % 48 * 2), Vgpr(n.into()), Vgpr((n % 127 * 2).into()));
    let mut made = |builder: &Builder| each(builder.build().ok());
    made(&op(SLoadDwordx2).sdata(pair).sbase(Sgpr(0)).offset(16));
    made(&op(SAddU32).sdst(s).ssrc0(Sgpr(1)).ssrc1(1000));
    made(&op(SMovB32).sdst(s).ssrc0(7));
    made(&op(SLshlB32).sdst(s).ssrc0(s).ssrc1(2));
    made(&op(VMovB32).vdst(v).src0(s));
    made(&op(VAddF32).vdst(v).src0(1.0).src1(w));
    made(&op(VMulF32).vdst(v).src0(Sgpr(4)).src1(w));
    made(&op(VFmaF32).vdst(v).src0(w).src1(s).src2(v).neg(0).abs(1).clamp());
    made(&op(VMaxF32).vdst(v).src0(w).src1(1.0).clamp());
    made(&op(GlobalLoadDword).vdst(v).addr(w).saddr(pair).offset(8));
    made(&op(GlobalStoreDword).addr(w).data(v).saddr(pair).nt());
    made(&op(DsReadB64).vdst(w).addr(v).offset(64));
}
