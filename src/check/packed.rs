//! Scalar sources of packed operations on floats of 32 bits.

use crate::inst::Inst;
use crate::opcode::{Field, Special};
use crate::value::{Operand, Reg, Value};

/// Whether the instruction is a packed operation, other than a matrix operation, on a target whose packed operations on
/// floats of 32 bits read one register of a scalar source for both floats.
pub(crate) fn is_packed(inst: &Inst) -> bool {
    if !inst.target().low_scalars() {
        return false;
    }
    let flags = inst.flags();
    // Matrix operations are excluded, because their sources are vector registers.
    flags.is_packed() && !flags.is_mfma() && !flags.is_smfmac()
}

/// The first scalar source whose upper register `op_sel` or `op_sel_hi` selects, although the hardware does not read
/// it. As in LLVM's assembler, registers of the trap handler are exempt.
pub(crate) fn upper_half(inst: &Inst) -> Option<Field> {
    if !is_packed(inst) {
        return None;
    }
    let [low, high] = [Field::OpSel, Field::OpSelHi].map(|field| inst.get(field).unwrap_or(0));
    let is_scalar = |operand: &Operand| match operand.value {
        Value::Reg(Reg::Special(special)) => special != Special::Null,
        Value::Reg(reg) => !matches!(reg, Reg::Vgpr(_) | Reg::Ttmp(_)),
        _ => false,
    };
    let of = |field: &Field| inst.operands().find(|o| o.role == Some(*field) && o.bits == 64);
    let mut sources = [Field::Src0, Field::Src1, Field::Src2].into_iter().enumerate();
    let upper = sources.find(|(n, field)| (low | high) >> n & 1 == 1 && of(field).is_some_and(|o| is_scalar(&o)));
    upper.map(|(_, field)| field)
}
