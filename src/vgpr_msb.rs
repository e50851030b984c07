//! Vector registers beyond v255. A field holds the lower eight bits of a register's number. The upper bits are in MODE,
//! where `s_set_vgpr_msb` sets them, so the registers of an instruction depend on earlier instructions.

use crate::imm::Imm;
use crate::inst::Inst;
use crate::opcode::limits::VGPR_MSB;
use crate::opcode::{Field, Opcode, VGPR_MSB_FIELDS, well_known};
use crate::value::{Operand, Reg, Value};

/// The upper bits of the numbers of vector registers, as far as a walk over the code can determine them.
///
/// ```
/// # #[cfg(feature = "gfx1250")] {
/// use amdgpu_isa::{Decoder, Target, VgprMsb};
/// // s_set_vgpr_msb 0x41; v_mov_b32_e32 v1, v2
/// let code = [0x41, 0x00, 0x86, 0xbf, 0x02, 0x03, 0x02, 0x7e];
/// let mut msb = VgprMsb::ENTRY;
/// for inst in Decoder::new(Target::Gfx1250, &code).map(|step| step.inst.unwrap()) {
///     let mut registers = inst.operands().filter_map(|operand| msb.register(&inst, &operand));
///     assert!(msb == VgprMsb::ENTRY || registers.eq([257, 258]));
///     msb = msb.after(&inst);
/// }
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VgprMsb(Option<u8>);

impl VgprMsb {
    /// The state at the start of a kernel and, by the calling convention, of a function: v0 to v255.
    pub const ENTRY: VgprMsb = VgprMsb(Some(0));
    /// The state in which the bits are unknown.
    pub const UNKNOWN: VgprMsb = VgprMsb(None);

    /// The state with these bits: the lower eight of the constant of `s_set_vgpr_msb`.
    pub const fn new(bits: u8) -> VgprMsb {
        VgprMsb(Some(bits))
    }

    /// The bits, if they are known: two for each of four groups of fields.
    pub const fn bits(self) -> Option<u8> {
        self.0
    }

    /// The state after an instruction, if execution continues with the next one.
    pub fn after(self, inst: &Inst) -> VgprMsb {
        if !inst.target().has_banks() {
            return self;
        }
        match inst.opcode() {
            opcode if Some(opcode) == well_known::S_SET_VGPR_MSB => {
                VgprMsb(inst.get(Field::Simm16).map(|constant| constant as u8))
            }
            // The state after the callee returns is unknown.
            _ if inst.flags().is_call() => VgprMsb::UNKNOWN,
            // A write of other bits of MODE keeps the state.
            _ => match inst.imm() {
                Some(Imm::Hwreg(hwreg)) if inst.writes().contains(Reg::Mode) => {
                    let [first, bits] = VGPR_MSB.map(u32::from);
                    let (from, to) = (u32::from(hwreg.offset), u32::from(hwreg.offset) + u32::from(hwreg.size));
                    if from < first + bits && first < to { VgprMsb::UNKNOWN } else { self }
                }
                _ => self,
            },
        }
    }

    /// The state where two paths meet: unknown if they differ.
    pub fn joined(self, other: VgprMsb) -> VgprMsb {
        if self == other { self } else { VgprMsb::UNKNOWN }
    }

    /// The number of an operand's first vector register; `None` if the operand is something else, or the upper bits of
    /// the number are unknown.
    pub fn register(self, inst: &Inst, operand: &Operand) -> Option<u16> {
        let low = match operand.value {
            Value::Reg(Reg::Vgpr(low)) => low,
            Value::Reg(Reg::VgprHigh(low)) => low.into(),
            _ => return None,
        };
        Some(self.upper(inst, operand.role?)? << 8 | low)
    }

    /// The upper bits of the registers that a field names.
    pub(crate) fn upper(self, inst: &Inst, field: Field) -> Option<u16> {
        let bits = self.0?;
        let group = VGPR_MSB_FIELDS.iter().find(|(of, _)| *of == field).map(|(_, group)| *group);
        Some(match group {
            // These two operations name registers with scales, which are always among the first 256.
            _ if SCALES.contains(&Some(inst.opcode())) => 0,
            None => 0,
            Some(1) if has_third_source_second(inst, field) => u16::from(bits >> 4 & 3),
            Some(group) => u16::from(bits >> (2 * group) & 3),
        })
    }
}

/// Whether a field that names a second source counts as the third source, because a constant precedes it.
fn has_third_source_second(inst: &Inst, field: Field) -> bool {
    let opcode = if field == Field::Vsrc1y { inst.second_opcode() } else { Some(inst.opcode()) };
    opcode.is_some() && CONSTANT_BETWEEN.contains(&opcode)
}

/// Operations whose registers hold scales.
const SCALES: [Option<Opcode>; 2] = [well_known::V_WMMA_LD_SCALE_PAIRED_B32, well_known::V_WMMA_LD_SCALE16_PAIRED_B64];

/// Operations with a constant between their sources.
const CONSTANT_BETWEEN: [Option<Opcode>; 4] =
    [well_known::V_FMAMK_F16, well_known::V_FMAMK_F32, well_known::V_FMAMK_F64, well_known::V_DUAL_FMAMK_F32];
