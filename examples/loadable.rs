//! Makes a kernel that a runtime loads, with the library alone: text becomes code, and code, a descriptor and metadata
//! become a file.
//!
//! `cargo run --example loadable --features alloc -- kernel.co`

use amdgpu_isa::facts::RegSet;
use amdgpu_isa::kernel::{Argument, CodeObject, DescriptorPart, Kernel, KernelDescriptor, Registers};
use amdgpu_isa::{Target, parse};

const TARGET: Target = Target::Gfx942;
/// Adds a number to each element of a buffer.
const SOURCE: &str = "s_load_dwordx2 s[2:3], s[0:1], 0x0
    s_load_dword s4, s[0:1], 0x8
    v_lshlrev_b32_e32 v0, 2, v0
    s_waitcnt lgkmcnt(0)
    global_load_dword v1, v0, s[2:3]
    s_waitcnt vmcnt(0)
    v_add_u32_e32 v1, s4, v1
    global_store_dword v0, v1, s[2:3]
    s_endpgm";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut code = Vec::new();
    let mut used = RegSet::new(TARGET);
    for line in SOURCE.lines() {
        let inst = parse(TARGET, line)?;
        used = used | inst.reads() | inst.writes();
        code.extend_from_slice(inst.words());
    }
    let mut descriptor = KernelDescriptor::new(TARGET);
    descriptor.set(TARGET, DescriptorPart::UserSgprKernargSegmentPtr, 1)?;
    descriptor.count_user_sgprs(TARGET);

    let arguments = [Argument::buffer().named("numbers"), Argument::of::<u32>().named("n")];
    let kernel =
        Kernel::new(TARGET, "add", &code, Registers::of(TARGET, &used)).descriptor(descriptor).arguments(&arguments);
    let object = CodeObject::new(TARGET.processor().parse()?, &[kernel]).to_elf()?;
    println!("{} instructions' bytes, {} bytes in all", code.len() * 4, object.len());
    print!("{}", descriptor.directives(TARGET, false));
    match std::env::args().nth(1) {
        Some(path) => Ok(std::fs::write(path, object)?),
        None => Ok(()),
    }
}
