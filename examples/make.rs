//! Makes instructions: as constants of the program, with functions whose types refuse mistakes, with errors for other
//! mistakes, and for a target that is only known at run time.
//!
//! `cargo run --features make --example make`

use amdgpu_isa::make::{Agpr, BuildError, Builder, Vgpr, Words, a, args, float, int, literal, off, s, v};
use amdgpu_isa::{Decoded, Decoder, Field, Opcode, Target, gfx942};

/// The compiler makes instructions that need no run-time values.
const LOAD: Result<Words, BuildError> = gfx942::s_load_dwordx4(s(8), s(0), int(0x10)).words();

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut code: Vec<u32> = Vec::new();
    code.extend(&*LOAD?);

    // Registers are as wide as their operands: v[4:7], and the pair v[2:3].
    code.extend(&*gfx942::global_load_dwordx4(v(4), v(2), off()).offset(16).nt().words()?);
    // A constant is encoded inline if possible, else as a literal, as in LLVM's assembler; either can be forced.
    code.extend(&*gfx942::s_add_u32(s(4), s(1), int(1000)).words()?);
    code.extend(&*gfx942::s_add_u32(s(4), s(1), literal(5)).words()?);
    // Modifiers are methods of the instructions that have them.
    code.extend(&*gfx942::v_fma_f32(v(0), v(1), s(2), float(0.5)).neg(0).abs(1).clamp().mul2().words()?);
    // A register with a width keeps it: this sum is only accepted for operands of 16 dwords.
    let (sum, left, right): (Agpr<16>, Vgpr<2>, Vgpr<2>) = (a(0), v(8), v(10));
    code.extend(&*gfx942::v_mfma_f32_32x32x8_f16(sum, left, right, sum).words()?);

    // Mistakes that types cannot refuse are errors that name the field.
    let two = gfx942::v_add_f32_e64(v(0), s(1), s(2)).words();
    assert_eq!(two.unwrap_err(), BuildError::ConstantBus(Field::Src1));

    // The target can be a run-time value: the builder finds the encoding that takes the operands.
    let target: Target = "mi300x".parse()?;
    let add = Builder::new(target, Opcode::VAddF32).vdst(args::v(0)).src0(1.5).src1(args::v(2));
    code.extend(add.build()?.words());
    code.extend(add.src0(args::s(1)).clamp().build()?.words());

    let bytes: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
    for Decoded { inst: item, .. } in Decoder::new(target, &bytes) {
        println!("{}", item.map_err(|invalid| invalid.error)?);
    }
    Ok(())
}
