//! The assembler: labels, a loop, a call out of range of a branch, and the address of a symbol, in an array.
//!
//! `cargo run --example assemble`

use amdgpu_isa::asm::{Assembler, Far, FixupSlot, LabelSlot, RelocationKind};
use amdgpu_isa::gfx942::{Sop1, Sop1Op, Sop2, Sop2Op, Sopc, SopcOp, Sopk, SopkOp};
use amdgpu_isa::{Decoded, Decoder, Opcode, Target};

const TARGET: Target = Target::Gfx942;

/// Small integers as source codes.
const fn int(n: u8) -> u8 {
    128 + n
}

/// The address of the called function, which is out of range of a branch.
const FUNCTION: u64 = 0x10_0000;

/// The number of the symbol to load, in the caller's own table.
const TABLE: u32 = 0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut code = [0u32; 64];
    let (mut labels, mut fixups) = ([LabelSlot::EMPTY; 4], [FixupSlot::EMPTY; 8]);
    let mut asm = Assembler::new(TARGET, &mut code, &mut labels, &mut fixups);
    // Branches that do not reach go through s[4:5], and s6 keeps SCC.
    asm.far(Far { pair: 4, scc: Some(6) })?;

    asm.load_symbol(8, TABLE)?;
    asm.emit(Sop1::new().with_op(Sop1Op::SMovB32).with_sdst(2)?.with_ssrc0(int(10)))?;
    let (again, done, function) = (asm.here()?, asm.label()?, asm.label_at(FUNCTION)?);
    asm.emit(Sopc::new().with_op(SopcOp::SCmpEqU32).with_ssrc0(2).with_ssrc1(int(0)))?;
    asm.jump(Opcode::SCbranchScc1, done)?;
    asm.branch(Sopk::new().with_op(SopkOp::SCallB64).with_sdst(30)?, function)?;
    asm.emit(Sop2::new().with_op(Sop2Op::SSubU32).with_sdst(2)?.with_ssrc0(2).with_ssrc1(int(1)))?;
    asm.jump(Opcode::SBranch, again)?;
    asm.align(16)?;
    asm.bind(done)?;
    asm.emit([0xbf81_0000])?; // s_endpgm

    let whole = asm.finish()?;
    println!("{} bytes; `done` is at {:#x}", whole.len(), whole.address(done).unwrap_or(0));
    assert_eq!(whole.address(done), Some(whole.len() as u64 - 4));
    for relocation in whole.relocations() {
        println!(
            "  at {:#04x}: {} symbol {} + {}",
            relocation.offset, relocation.kind, relocation.symbol, relocation.addend
        );
    }
    let kinds: Vec<RelocationKind> = whole.relocations().map(|relocation| relocation.kind).collect();
    assert_eq!(kinds, [RelocationKind::Rel32Lo, RelocationKind::Rel32Hi]);

    let bytes: Vec<u8> = whole.buffer()[..whole.len() / 4].iter().flat_map(|word| word.to_le_bytes()).collect();
    for Decoded { offset, inst } in Decoder::new(TARGET, &bytes) {
        println!("{offset:4x}  {}", inst.map_err(|invalid| invalid.error)?);
    }
    Ok(())
}
