//! Emits a kernel with a loop, from nothing to a file that a runtime loads, for each enabled target that has global
//! memory: each of 64 lanes adds up `count` numbers that are 256 bytes apart.
//!
//! `cargo run --example emit --features make,alloc,all-targets [-- DIRECTORY]`

use std::error::Error;

use amdgpu_isa::asm::{AssembleError, Assembler, FixupSlot, LabelSlot};
use amdgpu_isa::facts::RegSet;
use amdgpu_isa::hazards::Guard;
use amdgpu_isa::kernel::{Argument, CodeObject, DescriptorPart, Kernel, KernelDescriptor, Registers};
use amdgpu_isa::make::Builder;
use amdgpu_isa::{Opcode::*, Reg::*, Target};

/// The kernel's file for a target; `None` if the target lacks `global_load_dword`.
pub fn emit(target: Target) -> Result<Option<Vec<u8>>, Box<dyn Error>> {
    if GlobalLoadDword.encodings(target).next().is_none() {
        return Ok(None);
    }
    let op = |opcode| Builder::new(target, opcode);
    // s[0:1] have the address of the arguments when the kernel begins, and v0 the number of the lane.
    let before = [
        op(SLoadDwordx4).sdata(Sgpr(4)).sbase(Sgpr(0)).offset(0), // s[4:5]: out, s[6:7]: numbers
        op(SLoadDword).sdata(Sgpr(8)).sbase(Sgpr(0)).offset(16),  // count
        op(VLshlrevB32).vdst(Vgpr(0)).src0(2).src1(Vgpr(0)),
        op(VMovB32).vdst(Vgpr(1)).src0(0),
    ];
    let again = [
        op(GlobalLoadDword).vdst(Vgpr(2)).addr(Vgpr(0)).saddr(Sgpr(6)),
        op(SAddU32).sdst(Sgpr(6)).ssrc0(Sgpr(6)).ssrc1(256),
        op(SAddcU32).sdst(Sgpr(7)).ssrc0(Sgpr(7)).ssrc1(0),
        op(VAddF32).vdst(Vgpr(1)).src0(Vgpr(1)).src1(Vgpr(2)),
        op(SAddI32).sdst(Sgpr(8)).ssrc0(Sgpr(8)).ssrc1(-1),
        op(SCmpLgU32).ssrc0(Sgpr(8)).ssrc1(0),
    ];
    let after = [op(GlobalStoreDword).addr(Vgpr(0)).data(Vgpr(1)).saddr(Sgpr(4)), op(SEndpgm)];

    let (mut labels, mut fixups) = ([LabelSlot::EMPTY; 1], [FixupSlot::EMPTY; 1]);
    let mut words = Vec::new();
    let mut asm = Assembler::new(target, &mut words, &mut labels, &mut fixups);
    let (mut guard, mut used) = (Guard::new(target), RegSet::new(target));
    let mut part = |asm: &mut Assembler<'_, Vec<u32>>, builders: &[Builder], is_loop: bool| {
        for builder in builders {
            let inst = builder.build()?;
            let mut result: Result<(), AssembleError> = Ok(());
            guard.before(&inst, |wait| result = result.and_then(|()| asm.emit(*wait)))?;
            result?;
            asm.emit(inst)?;
            used |= inst.reads() | inst.writes();
        }
        // Code that two paths reach begins with no outstanding operations on either path.
        let mut result: Result<(), AssembleError> = Ok(());
        if is_loop {
            guard.settle(|wait| result = result.and_then(|()| asm.emit(*wait)));
        }
        result.map_err(Box::<dyn Error>::from)
    };
    part(&mut asm, &before, true)?;
    let start = asm.here()?;
    part(&mut asm, &again, true)?;
    asm.jump(SCbranchScc1, start)?;
    part(&mut asm, &after, false)?;
    asm.finish()?;

    let mut descriptor = KernelDescriptor::new(target);
    descriptor.set(target, DescriptorPart::UserSgprKernargSegmentPtr, 1)?;
    descriptor.count_user_sgprs(target);
    let arguments = [Argument::buffer().named("out"), Argument::buffer().named("numbers"), Argument::of::<u32>()];
    let kernel = Kernel::new(target, "sums", &words, Registers::of(target, &used)).descriptor(descriptor);
    let kernels = [kernel.arguments(&arguments).max_workgroup_size(64)];
    Ok(Some(CodeObject::new(target.processor().parse()?, &kernels).to_elf()?))
}

#[allow(dead_code)] // A test uses the rest.
fn main() -> Result<(), Box<dyn Error>> {
    for &target in Target::ALL {
        let Some(file) = emit(target)? else { continue };
        println!("{target}: {} bytes", file.len());
        if let Some(directory) = std::env::args().nth(1) {
            std::fs::write(format!("{directory}/{}.co", target.name()), file)?;
        }
    }
    Ok(())
}
