//! Destinations that an instruction writes only in part, as the manuals describe them. This does not use the tables.

use crate::words::is_rdna;
use amdgpu_isa::{Field, Format, Inst, Operand, Reg, Value};

/// Operations whose 16-bit result zeroes the upper half of the destination, or keeps the lower half if op_sel[3]
/// directs the result to the upper one (Vega ISA, the descriptions of VOP3A opcodes 490 to 495 and 630).
const LEGACY: [&str; 6] = [
    "v_mad_legacy_f16",
    "v_mad_legacy_u16",
    "v_mad_legacy_i16",
    "v_fma_legacy_f16",
    "v_div_fixup_legacy_f16",
    "v_interp_p2_legacy_f16",
];
/// Loads of one or three components of 16 bits: from gfx9 on they keep the last half of a register.
const ODD_LOADS: [&str; 4] = [
    "buffer_load_format_d16_x",
    "buffer_load_format_d16_xyz",
    "tbuffer_load_format_d16_x",
    "tbuffer_load_format_d16_xyz",
];

/// Whether an operation of VOP1 or VOP2 has a result of 16 bits.
fn has_half_result(name: &str) -> bool {
    name.starts_with("v_cvt_f16_") || name.ends_with("_f16") && name != "v_cvt_f32_f16"
}

pub fn is_vector(operand: &Operand) -> bool {
    matches!(operand.value, Value::Reg(Reg::Vgpr(_) | Reg::VgprHigh(_) | Reg::Agpr(_)))
}

/// The reason why a part of a destination is kept, although its operation only writes it.
pub fn kept(inst: &Inst) -> Option<&'static str> {
    let name = inst.opcode().name();
    let get = |field| inst.get(field).unwrap_or(0);
    let from_gfx9 = inst.target().name().starts_with("gfx9") || is_rdna(inst.target());
    let is_load = inst.flags().is_load();
    // From RDNA3 on the operand is a half, and a set has whole registers.
    let is_half = |o: &Operand| o.access.writes() && o.bits == 16 && is_vector(o);
    if inst.operands().any(|o| is_half(&o)) {
        return Some("half of a register");
    }
    match inst.extension() {
        // From RDNA1 on a 16-bit result leaves the other half as it is, and no source says that `dst_sel:DWORD` changes
        // that.
        Some(Format::Sdwa) if is_rdna(inst.target()) && get(Field::DstSel) == 6 && has_half_result(name) => {
            return Some("sdwa half");
        }
        // `dst_unused:UNUSED_PRESERVE` keeps a part, unless `dst_sel` is DWORD.
        Some(Format::Sdwa) if get(Field::DstUnused) == 2 && get(Field::DstSel) != 6 => return Some("sdwa"),
        Some(Format::Dpp) => return leaves_out_lanes(inst).then_some("dpp"),
        _ => {}
    }
    // These operations load four components, whatever `dmask` is. Operations with several samples do so only from RDNA3
    // on.
    let gathers = name.contains("gather4") || name == "image_msaa_load" && !inst.target().name().starts_with("gfx10");
    let packs = !["gfx801", "gfx803"].contains(&inst.target().name()) && !gathers;
    match inst.format() {
        Format::Vop3a | Format::Vop3Interp if LEGACY.contains(&name) && get(Field::OpSel) >= 8 => Some("upper half"),
        Format::Mubuf | Format::Mtbuf | Format::Vbuffer if from_gfx9 && ODD_LOADS.contains(&name) => Some("half"),
        _ if is_load && get(Field::Tfe) + get(Field::Lwe) > 0 => Some("fail"),
        Format::Mimg | Format::Vimage | Format::Vsample if is_load && packs && get(Field::D16) == 1 => {
            (get(Field::Dmask).count_ones().max(1) % 2 == 1).then_some("odd")
        }
        _ => None,
    }
}

/// Whether DPP leaves lanes of the destination out.
fn leaves_out_lanes(inst: &Inst) -> bool {
    let is = |field, value| inst.get(field) == Some(value);
    let all = is(Field::BoundCtrl, 1) && is(Field::RowMask, 15) && is(Field::BankMask, 15);
    inst.extension() == Some(Format::Dpp) && !all
}

/// Whether an operand that the operation only writes is also read, because the instruction keeps a part of it.
pub fn is_kept(inst: &Inst, operand: &Operand) -> bool {
    let is_data = matches!(operand.role, Some(Field::Vdst | Field::Vdata)) && is_vector(operand);
    // An operand of 16 bits is a half: its access does not include the other half.
    is_data && if operand.bits == 16 { leaves_out_lanes(inst) } else { kept(inst).is_some() }
}
