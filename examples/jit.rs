//! In a JIT: typed instructions go into the JIT's own buffer, a branch is fixed up when its target is known, and the
//! facts about operands give the numbers that a kernel descriptor needs.
//!
//! `cargo run --example jit`

use amdgpu_isa::gfx942::{Sop1, Sop1Op, Sop2, Sop2Op, Sopc, SopcOp, Sopp, SoppOp, Vop1, Vop1Op, Vop2, Vop2Op};
use amdgpu_isa::{Decoder, FieldError, Microcode, Opcode, Reg, Target, Value};

const TARGET: Target = Target::Gfx942;

/// What needs no operand is a constant of the program.
const ENDPGM: Sopp = Sopp::new().with_op(SoppOp::SEndpgm);

/// The codes of sources: 128 and up are small integers, 256 and up are vector registers.
const fn int(n: u8) -> u8 {
    128 + n
}
const fn vgpr(n: u8) -> u16 {
    256 + n as u16
}

/// The buffer that the JIT owns. Nothing here allocates.
struct Buffer {
    words: [u32; 64],
    len: usize,
}

impl Buffer {
    /// Appends an instruction and says where it stands, in dwords.
    fn emit<M: Microcode>(&mut self, code: M) -> usize {
        let at = self.len;
        let words = code.to_words();
        self.words[at..at + words.as_ref().len()].copy_from_slice(words.as_ref());
        self.len += words.as_ref().len();
        at
    }

    /// Lets the branch at `at` jump to `to`.
    fn fix_up(&mut self, at: usize, to: usize) {
        let branch = Sopp::from_words([self.words[at]]);
        let distance = to as i16 - (at as i16 + 1); // in dwords, from the next instruction
        [self.words[at]] = branch.with_simm16(distance as u16).to_words();
    }
}

/// v0 = v1 * count, by adding as often: a loop, and a way around it when there is nothing to do.
fn repeat_add(code: &mut Buffer, count: u8) -> Result<(), FieldError> {
    code.emit(Sop1::new().with_op(Sop1Op::SMovB32).with_sdst(2)?.with_ssrc0(int(count)));
    code.emit(Vop1::new().with_op(Vop1Op::VMovB32).with_vdst(0).with_src0(int(0).into())?);
    code.emit(Sopc::new().with_op(SopcOp::SCmpEqU32).with_ssrc0(2).with_ssrc1(int(0)));
    let skip = code.emit(Sopp::new().with_op(SoppOp::SCbranchScc1));
    let top = code.emit(Vop2::new().with_op(Vop2Op::VAddF32).with_vdst(0).with_src0(vgpr(0))?.with_vsrc1(1));
    code.emit(Sop2::new().with_op(Sop2Op::SSubU32).with_sdst(2)?.with_ssrc0(2).with_ssrc1(int(1)));
    code.emit(Sopc::new().with_op(SopcOp::SCmpLgU32).with_ssrc0(2).with_ssrc1(int(0)));
    let again = code.emit(Sopp::new().with_op(SoppOp::SCbranchScc1));
    let end = code.emit(ENDPGM);
    code.fix_up(skip, end);
    code.fix_up(again, top);
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut code = Buffer { words: [0; 64], len: 0 };
    repeat_add(&mut code, 10)?;

    // The decoder reads what was written, and knows what each instruction touches.
    let bytes: Vec<u8> = code.words[..code.len].iter().flat_map(|w| w.to_le_bytes()).collect();
    let mut vgprs = 0;
    for (offset, item) in Decoder::new(TARGET, &bytes) {
        let inst = item.map_err(|invalid| invalid.error)?;
        println!("{offset:4x}  {inst}");
        for operand in inst.operands() {
            if let Value::Reg(Reg::Vgpr(n)) = operand.value {
                vgprs = vgprs.max(u16::from(n) + operand.bits / 32);
            }
        }
    }
    println!("vector registers: {vgprs}");
    assert_eq!(vgprs, 2);

    // A value that does not fit is an error, not another instruction.
    let error = Sop1::new().with_sdst(200).unwrap_err();
    println!("s200 as a destination: {error}");

    // What an operation is called does not depend on the target; its encodings do.
    for (format, number) in Opcode::VAddF32.encodings(TARGET) {
        println!("v_add_f32 on {TARGET}: {format} opcode {number}");
    }
    Ok(())
}
