//! The operands of an instruction, as formulas name them.

use amdgpu_isa::meaning::Source;
use amdgpu_isa::signature::{DataType, Signature};
use amdgpu_isa::{Access, Field, Inst, Operand, Reg, Target, Value};

use crate::error::EvalError;

/// An operand that is only read.
#[derive(Clone, Copy)]
pub struct Input {
    pub operand: Operand,
    /// The type as which the operation reads constants.
    pub ty: DataType,
}

impl Input {
    /// The number of the source in modifiers: the digit in the name of its field; 0 if there is none.
    pub fn number(&self) -> usize {
        let name = self.operand.role.map_or("", |field| field.name());
        name.bytes().find(u8::is_ascii_digit).map_or(0, |digit| usize::from(digit - b'0'))
    }

    /// Whether the name of the operand's field has a number, unlike the field of a mask of lanes.
    pub fn is_numbered(&self) -> bool {
        self.operand.role.is_some_and(|field| field.name().contains(|c: char| c.is_ascii_digit()))
    }

    /// Whether the operand is two values of 32 bits.
    pub fn is_pair(&self) -> bool {
        matches!(self.ty, DataType::PkF32 | DataType::PkI32)
    }
}

/// The operands of an operation, in the order of the text.
pub struct Operands {
    /// The operands that are written.
    pub destinations: Vec<Operand>,
    /// The operands that are only read, without `literal`.
    pub sources: Vec<Input>,
    pub literal: Option<Input>,
    /// Whether the instruction reads VCC without naming it.
    pub reads_vcc: bool,
}

impl Operands {
    /// The operands of an instruction, or of one of its two operations: `half` is the letter at the end of the fields'
    /// names.
    pub fn of(inst: &Inst, half: Option<char>) -> Operands {
        let signature = signature(inst);
        let ty = |operand: &Operand| {
            let found = signature.and_then(|s| s.operands().find(|o| Some(o.field) == operand.role).map(|o| o.ty));
            found.unwrap_or(DataType::Bits)
        };
        let is_vcc = |operand: &Operand| operand.value == Value::Reg(Reg::Vcc);
        let reads_vcc = inst.operands().any(|operand| operand.role.is_none() && is_vcc(&operand));
        let mut operands = Operands { destinations: Vec::new(), sources: Vec::new(), literal: None, reads_vcc };
        for operand in inst.operands().filter(|operand| operand.role.is_some() || is_vcc(operand)) {
            if is_of_other(&operand, half) {
                continue;
            }
            if operand.access != Access::Read {
                operands.destinations.push(operand);
                continue;
            }
            let input = Input { operand, ty: ty(&operand) };
            if operand.role == Some(Field::Literal) {
                operands.literal = Some(input);
            } else {
                operands.sources.push(input);
            }
        }
        operands
    }

    /// The operand for a name in a formula, if it is only read.
    pub fn input(&self, source: Source) -> Result<Input, EvalError> {
        let found = match source {
            Source::Operand(n) => self.sources.get(usize::from(n)),
            Source::Literal => self.literal.as_ref(),
            // The mask that the formula calls VCC is the third source of the encoding.
            Source::Vcc => self.sources.get(2),
            _ => None,
        };
        found.copied().ok_or(EvalError::Operand)
    }

    pub fn destination(&self, n: u8) -> Result<Operand, EvalError> {
        self.destinations.get(usize::from(n)).copied().ok_or(EvalError::Operand)
    }

    /// Whether the third source is a mask of this many lanes that stands for VCC.
    pub fn has_mask(&self, lanes: usize) -> bool {
        let bits = self.sources.get(2).map_or(0, |input| usize::from(input.operand.bits));
        bits == lanes && !self.reads_vcc
    }

    /// Whether the operation works on 16 bits.
    pub fn are_halves(&self) -> bool {
        self.destinations.first().is_some_and(|destination| destination.bits == 16)
            || self.sources.first().is_some_and(|source| source.ty == DataType::I16)
    }
}

/// The register whose number is `by` more than that of another one; `None` if there is no such register.
pub fn register_after(target: Target, reg: Reg, by: i128) -> Option<Reg> {
    let number = match reg {
        Reg::Vgpr(n) => n,
        Reg::Agpr(n) | Reg::Sgpr(n) | Reg::Ttmp(n) => n.into(),
        _ => return None,
    };
    let name = reg.to_string();
    let file = target.operand_codes().find(|run| run.first < run.last && name == format!("{}{number}", run.name))?;
    let found = (i128::from(number) + by).try_into().ok().filter(|&n: &u16| n <= file.last - file.first)?;
    let small = || u8::try_from(found).ok();
    Some(match reg {
        Reg::Vgpr(_) => Reg::Vgpr(found),
        Reg::Agpr(_) => Reg::Agpr(small()?),
        Reg::Sgpr(_) => Reg::Sgpr(small()?),
        _ => Reg::Ttmp(small()?),
    })
}

/// Whether the operand belongs to the other operation of a dual instruction.
fn is_of_other(operand: &Operand, half: Option<char>) -> bool {
    let name = operand.role.map_or("", |role| role.name());
    half.is_some_and(|half| operand.role != Some(Field::Literal) && !name.ends_with(half))
}

/// The signature of the instruction's form, or of that form without its extension.
fn signature(inst: &Inst) -> Option<Signature> {
    let is_it =
        |s: &Signature| s.format() == inst.format() && (s.extension() == inst.extension() || s.extension().is_none());
    inst.opcode().signatures(inst.target()).find(is_it)
}

/// Whether a result of 16 bits keeps the other half of its register. On targets where it does, the tables say that the
/// destination is also read.
pub fn keeps_half(inst: &Inst) -> bool {
    let is_plain = |s: &Signature| s.format() == inst.format() && s.extension().is_none();
    let is_read = || {
        let plain = inst.opcode().signatures(inst.target()).find(is_plain);
        plain.is_some_and(|s| s.operands().any(|operand| operand.access == Access::ReadWrite))
    };
    inst.target().keeps_halves() && is_read()
}
