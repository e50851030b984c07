//! Instructions can be constants, for example in a table of patches in flash memory: no code has to make them.
#![cfg(feature = "gfx942")]

use amdgpu_isa::errors::FieldError;
use amdgpu_isa::gfx942::{Sop2, Sop2Op, Sopp, SoppOp, Vop3a, Vop3aOp, Vop3p, hwreg};
use amdgpu_isa::{Field, Format, Microcode, Opcode, Target, decode_words};

/// Unwraps a result in a constant; a value that does not fit would not compile.
macro_rules! fits {
    ($result:expr) => {
        match $result {
            Ok(s) => s,
            Err(_) => panic!("the value does not fit"),
        }
    };
}

const ADD: Sop2 = fits!(Sop2::new().with_op(Sop2Op::SAddU32).with_ssrc0(1).with_ssrc1(5).with_sdst(4));
const ADD_WORDS: [u32; 1] = ADD.to_words();
const TOO_BIG: Result<Sop2, FieldError> = ADD.with_sdst(128);
const BRANCH_BACK: [u32; 1] = Sopp::new().with_op(SoppOp::SBranch).with_simm16(0xfffe).to_words();
const NO_SUCH_OP: Result<SoppOp, u8> = Sopp::from_words([0xbfff_0000]).op();
const OPCODE: Opcode = fits!(Vop3aOp::from_bits(257)).opcode();
const NEG: u8 = Vop3a::from_words([0, 0xa000_0000]).neg();
const SPLIT: Vop3p = fits!(Vop3p::new().with_op_sel_hi(0b110));
const MODE: u16 = hwreg::HW_REG_MODE;

#[test]
fn constants_are_what_the_functions_give() {
    assert_eq!(ADD_WORDS, [0x8004_0501]);
    assert_eq!(TOO_BIG, Err(FieldError { field: Field::Sdst, value: 128, width: 7 }));
    assert_eq!(BRANCH_BACK, [0xbf82_fffe]);
    assert_eq!(NO_SUCH_OP, Err(127));
    assert_eq!(OPCODE, Opcode::VAddF32);
    assert_eq!(NEG, 0b101);
    // Bit 2 of op_sel_hi is bit 14 of the instruction, and bits 1:0 are bits 60:59.
    assert_eq!(SPLIT.to_words(), [0xd380_4000, 0x1000_0000]);
    assert_eq!(SPLIT.op_sel_hi(), 0b110);
    assert_eq!(MODE, 1);
}

#[test]
fn the_view_of_an_instruction_is_its_struct() {
    let inst = decode_words(Target::Gfx942, &ADD_WORDS).unwrap();
    assert_eq!(Sop2::of(&inst), Some(ADD));
    assert_eq!(Sop2::FORMAT, Format::Sop2);
    assert_eq!(Sopp::of(&inst), None);
}
