//! Walks code and asks for every operand.
#![no_std]
#![no_main]

use amdgpu_isa::{Decoded, Decoder, Reg, Value};
use amdgpu_isa_cortex_m::{code, exit, keep, target};

#[unsafe(no_mangle)]
extern "C" fn app() -> ! {
    for Decoded { inst: item, .. } in Decoder::new(target(), code()) {
        let Ok(inst) = item else { continue };
        keep(inst.opcode() as u32);
        for operand in inst.operands() {
            keep(u32::from(operand.access.reads()) << 16 | u32::from(operand.bits));
            match operand.value {
                Value::Reg(Reg::Vgpr(n)) => keep(n.into()),
                Value::Reg(Reg::Sgpr(n)) => keep(n.into()),
                Value::Literal(v) => keep(v),
                Value::Imm(v) => keep(v as u32),
                _ => keep(operand.role.map_or(0, |field| field as u32)),
            }
        }
    }
    exit(true)
}
