//! Long branches, which reach any address through a pair of scalar registers.

use super::AssembleErrorKind;
use crate::code::INT;
use crate::compose::{check_scalar, compose, literal_code};
use crate::inst::Inst;
use crate::opcode::{Field, well_known};
use crate::target::Target;

/// Registers for long branches. The code must not need the values of these registers at its branches.
///
/// A branch reaches 128 KiB. With the registers `pair` and `scc` of this struct, a long branch is
/// ```text
/// s_cselect_b32 scc, 1, 0               ; only with Far::scc
/// s_getpc_b64   pair
/// s_add_u32     pair.lo, pair.lo, distance.lo
/// s_addc_u32    pair.hi, pair.hi, distance.hi
/// s_cmp_lg_u32  scc, 0                  ; only with Far::scc
/// s_setpc_b64   pair
/// ```
/// The long form takes 6 or 8 dwords. A conditional branch takes two more, and a call ends in `s_swappc_b64`. The
/// addition overwrites SCC: SCC has its old value at the target of the branch only if a third register preserves it.
///
/// ```
/// # #[cfg(all(feature = "gfx942", feature = "text"))] {
/// use amdgpu_isa::asm::{Assembler, Far, FixupSlot, LabelSlot};
/// use amdgpu_isa::{Opcode, Target};
/// let mut code = [0u32; 8];
/// let (mut labels, mut fixups) = ([LabelSlot::EMPTY; 1], [FixupSlot::EMPTY; 1]);
/// let mut asm = Assembler::new(Target::Gfx942, &mut code, &mut labels, &mut fixups);
/// asm.far(Far { pair: 4, scc: None }).unwrap();
/// let there = asm.label_at(0x1234_5678).unwrap();
/// asm.jump(Opcode::SBranch, there).unwrap();
/// assert_eq!(asm.finish().unwrap().len(), 24);
/// let text: Vec<String> =
///     amdgpu_isa::patch::DecoderMut::new(Target::Gfx942, &mut code[..6]).map(|decoded| decoded.inst.unwrap().to_string()).collect();
/// let wanted = ["s_getpc_b64 s[4:5]", "s_add_u32 s4, s4, 0x12345674", "s_addc_u32 s5, s5, 0", "s_setpc_b64 s[4:5]"];
/// assert_eq!(text[..2], wanted[..2]);
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Far {
    /// The first register of the pair: an even number.
    pub pair: u8,
    /// A register that preserves SCC across the branch. Without it, SCC is lost.
    pub scc: Option<u8>,
}

/// The kinds of branches that have a long form.
#[derive(Clone, Copy)]
enum Long {
    /// A branch that is always taken.
    Jump,
    /// A conditional branch: the code skips the long branch if the condition is false.
    Condition,
    /// A call, with the pair that receives the return address.
    Call(u32),
}

impl Long {
    /// The long form of a branch; `None` if the operation has none.
    fn of(branch: &Inst) -> Option<Long> {
        let flags = branch.flags();
        if flags.is_call() {
            return branch.get(Field::Sdst).map(Long::Call);
        }
        if !flags.is_branch() || branch.get(Field::Sdst).is_some() {
            return None;
        }
        Some(if flags.no_fallthrough() { Long::Jump } else { Long::Condition })
    }
}

impl Far {
    /// Refuses registers that the target lacks, and a register for SCC that is part of the pair.
    pub(super) fn check(&self, target: Target) -> Result<(), AssembleErrorKind> {
        check_scalar(target, self.pair, true)?;
        match self.scc {
            Some(scc) if scc == self.pair || scc == self.pair + 1 => Err(AssembleErrorKind::Register(scc)),
            Some(scc) => Ok(check_scalar(target, scc, false)?),
            None => Ok(()),
        }
    }

    /// Number of dwords of the long form.
    fn dwords(&self, long: Long) -> usize {
        let condition = if matches!(long, Long::Condition) { 2 } else { 0 };
        6 + condition + if self.scc.is_some() { 2 } else { 0 }
    }

    /// Passes each dword of the long form to `put`. Both addresses are in bytes.
    fn write(&self, branch: &Inst, (from, to): (u64, u64), put: &mut dyn FnMut(u32)) -> Result<(), AssembleErrorKind> {
        let long = Long::of(branch).ok_or(AssembleErrorKind::Distance { from, to })?;
        let target = branch.target();
        let mut pc = from;
        let mut emit = |inst: Inst| {
            inst.words().iter().for_each(|&word| put(word));
            pc = pc.wrapping_add(inst.len() as u64);
            pc
        };
        if matches!(long, Long::Condition) {
            let over = self.dwords(long) as u32 - 2;
            let simm16 = branch.label().ok_or(AssembleErrorKind::NotABranch(branch.opcode()))?;
            emit(branch.with(simm16, 1).map_err(|_| AssembleErrorKind::Distance { from, to })?);
            emit(compose(target, well_known::S_BRANCH, &[(simm16, over)])?);
        }
        if let Some(scc) = self.scc {
            let (one, zero) = (u32::from(INT) + 1, INT.into());
            let keep = [(Field::Sdst, scc.into()), (Field::Ssrc0, one), (Field::Ssrc1, zero)];
            emit(compose(target, well_known::S_CSELECT_B32, &keep)?);
        }
        let after = emit(compose(target, well_known::S_GETPC_B64, &[(Field::Sdst, self.pair.into())])?);
        for inst in add(target, self.pair, to.wrapping_sub(after))? {
            emit(inst);
        }
        if let Some(scc) = self.scc {
            emit(compose(target, well_known::S_CMP_LG_U32, &[(Field::Ssrc0, scc.into()), (Field::Ssrc1, INT.into())])?);
        }
        let pair = (Field::Ssrc0, self.pair.into());
        match long {
            Long::Call(back) => emit(compose(target, well_known::S_SWAPPC_B64, &[(Field::Sdst, back), pair])?),
            _ => emit(compose(target, well_known::S_SETPC_B64, &[pair])?),
        };
        Ok(())
    }
}

/// The registers of long branches, with the code that writes long branches. This code is called through pointers, so
/// that a program which never calls [`Assembler::far`](super::Assembler::far) does not contain it.
#[derive(Clone, Copy, Debug)]
pub(super) struct LongForm {
    far: Far,
    dwords: fn(&Far, &Inst) -> Option<usize>,
    write: Write,
}

type Write = fn(&Far, &Inst, (u64, u64), &mut dyn FnMut(u32)) -> Result<(), AssembleErrorKind>;

impl LongForm {
    pub(super) fn new(far: Far) -> LongForm {
        LongForm { far, dwords: |far, branch| Long::of(branch).map(|long| far.dwords(long)), write: Far::write }
    }

    /// Number of dwords of the long form of a branch; `None` if the operation has none.
    pub(super) fn dwords(&self, branch: &Inst) -> Option<usize> {
        (self.dwords)(&self.far, branch)
    }

    /// Passes each dword of the long form to `put`. Both addresses are in bytes.
    pub(super) fn write(
        &self,
        branch: &Inst,
        from_to: (u64, u64),
        put: &mut dyn FnMut(u32),
    ) -> Result<(), AssembleErrorKind> {
        (self.write)(&self.far, branch, from_to, put)
    }
}

/// Two instructions that add a distance to a pair of registers.
pub(super) fn add(target: Target, pair: u8, distance: u64) -> Result<[Inst; 2], AssembleErrorKind> {
    let one = |opcode, register: u8, literal: u64| {
        let code = literal_code(target, opcode, Field::Ssrc1)?;
        let register = u32::from(register);
        let literal = (Field::Literal, literal as u32);
        compose(target, opcode, &[(Field::Sdst, register), (Field::Ssrc0, register), (Field::Ssrc1, code), literal])
    };
    Ok([
        one(well_known::S_ADD_U32, pair, distance)?,
        one(well_known::S_ADDC_U32, pair.wrapping_add(1), distance >> 32)?,
    ])
}

/// Whether a branch of one dword at `from` reaches `to`.
pub(super) fn reaches(from: u64, to: u64) -> bool {
    distance(from, to).is_some()
}

/// The operand of a branch of one dword from `from` to `to`; `None` if the branch does not reach `to`.
pub(crate) fn distance(from: u64, to: u64) -> Option<u16> {
    let distance = to.wrapping_sub(from).wrapping_sub(4) as i64;
    i16::try_from(distance >> 2).ok().filter(|_| distance & 3 == 0).map(|dwords| dwords as u16)
}
