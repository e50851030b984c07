//! Moves code from another address.

use super::slots::LabelPlace;
use super::{AssembleError, AssembleErrorKind, Assembler};
use crate::buffer::Memory;
use crate::common::made;
use crate::{Buffer, DecodeError, Inst, Target};

impl<B: Buffer + ?Sized> Assembler<'_, B> {
    /// Emits the instructions of `code`, which is at the address `from`, so that they behave here as they do there.
    ///
    /// Branches keep their targets, except that a branch into the middle of the code goes into the middle of the copy.
    /// Calls return into the copy. Each branch needs a label and a fix-up, and becomes long if it must.
    ///
    /// # Errors
    /// No room, words that are not an instruction, a branch that does not go to the start of an instruction, or
    /// `s_getpc_b64`: how the code uses the address that it reads is unknown.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::{AssembleErrorKind, Assembler, FixupSlot, LabelSlot, Target, decode_words};
    /// let mut code = [0u32; 8];
    /// let (mut labels, mut fixups) = ([LabelSlot::EMPTY; 1], [FixupSlot::EMPTY; 1]);
    /// let mut asm = Assembler::new(Target::Gfx942, &mut code, &mut labels, &mut fixups);
    /// asm.base(0x4000).unwrap();
    /// let old = [0x8004_0501u32, 0xbf84_0010]; // s_add_u32 s4, s1, s5; s_cbranch_scc0
    /// asm.moved(&old[..], 0x1000).unwrap();
    /// let refused = asm.moved(&[0xbe84_1c00u32][..], 0x1008).unwrap_err(); // s_getpc_b64
    /// assert_eq!(refused.kind, AssembleErrorKind::ReadsPc(0x1008));
    /// asm.finish().unwrap();
    /// let branch = decode_words(Target::Gfx942, &code[1..]).unwrap();
    /// assert_eq!(branch.branch_target(0x4004), Some(0x1048));
    /// # }
    /// ```
    pub fn moved<C: Memory + ?Sized>(&mut self, code: &C, from: u64) -> Result<(), AssembleError> {
        let (target, start, fixups) = (self.target, self.len, self.fixup_count);
        let mut walk = Walk { target, code, at: 0 };
        while let Some((at, inst)) = walk.next().map_err(|error| self.here_is(error.into(), None))? {
            let pc = from.wrapping_add(at as u64 * 4);
            if Some(inst.opcode()) == made::S_GETPC_B64 {
                return Err(self.here_is(AssembleErrorKind::ReadsPc(pc), Some(inst.opcode())));
            }
            let Some(to) = inst.branch_target(pc) else {
                self.emit(inst)?;
                continue;
            };
            let inside = to.wrapping_sub(from) / 4;
            let place = match usize::try_from(inside) {
                // Before relaxation, the copy has the layout of the original.
                Ok(dword) if dword > 0 && dword < code.dwords() => {
                    let before = branches_before(target, code, dword);
                    let before =
                        before.map_err(AssembleErrorKind::from).and_then(|n| n.ok_or(AssembleErrorKind::Boundary(to)));
                    let before = before.map_err(|kind| self.here_is(kind, Some(inst.opcode())))?;
                    LabelPlace::Here { dword: start + dword, fixups: fixups + before }
                }
                _ => LabelPlace::Address(to),
            };
            let label = self.new_label(place).map_err(|kind| self.here_is(kind, Some(inst.opcode())))?;
            self.branch(inst, label)?;
        }
        Ok(())
    }
}

/// Number of branches before a dword; `None` if no instruction begins there.
fn branches_before<C: Memory + ?Sized>(target: Target, code: &C, dword: usize) -> Result<Option<usize>, DecodeError> {
    let (mut walk, mut branches) = (Walk { target, code, at: 0 }, 0);
    while let Some((at, inst)) = walk.next()? {
        if at >= dword {
            return Ok((at == dword).then_some(branches));
        }
        branches += usize::from(inst.label().is_some());
    }
    Ok(None)
}

/// Walks over code, all of which must be instructions.
pub(crate) struct Walk<'a, C: Memory + ?Sized> {
    pub target: Target,
    pub code: &'a C,
    pub at: usize,
}

impl<C: Memory + ?Sized> Walk<'_, C> {
    /// The next instruction and the dword where it begins.
    pub(crate) fn next(&mut self) -> Result<Option<(usize, Inst)>, DecodeError> {
        let (at, rest) = (self.at, self.code.from(self.at));
        let Some(rest) = rest.filter(|rest| rest.head().1 > 0) else { return Ok(None) };
        let inst = rest.first(self.target)?;
        self.at += inst.words().len();
        Ok(Some((at, inst)))
    }
}
