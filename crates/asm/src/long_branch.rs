//! Branches that take more than a dword. Long ones: where a branch does not reach, the sequence that the library's
//! assembler writes, through registers that the caller names.
//!
//! And those of RDNA1 that would go over 63 dwords, which its hardware cannot: they have an `s_nop` after them.
//!
//! The branches that need it are known only at the end, and they move everything after them. So the source is read
//! again until all branches reach; each is long, or has its `s_nop`, in all later rounds, so there is a last one.

use amdgpu_isa::asm::{Assembler as Writer, Far, FixupSlot, LabelSlot};
use amdgpu_isa::{Decoded, Decoder, Field, Inst};

use super::assembler::{Assembler, Fixup, FixupKind};
use super::expr::Expr;
use super::flaw::{Flaw, Result, Span};
use super::instruction::bytes;

/// More dwords than any long branch has.
const MOST: usize = 16;
/// A place that no branch reaches, from wherever it is.
const NOWHERE: u64 = 0x1234_5678_9abc_def0;

impl Assembler {
    /// Emits a branch; a long one if an earlier round has found that it does not reach.
    pub fn emit_branch(&mut self, inst: &Inst, bytes: &[u8], expr: Expr, place: Span) -> Result<()> {
        let number = self.branches;
        self.branches += 1;
        let Some(far) = self.far.filter(|_| self.long.contains(&number)) else {
            self.emit_fixup(bytes, 0, FixupKind::Branch(number), expr, place)?;
            return match self.padded.contains(&number) {
                true => self.emit(&nop(inst), place),
                false => Ok(()),
            };
        };
        let code = long(inst, far).map_err(|why| Flaw::new(place, why))?;
        let start = self.here().len;
        self.emit(&code, place)?;
        let mut pc = None;
        for Decoded { offset, inst } in Decoder::new(inst.target(), &code) {
            let Ok(inst) = inst else { continue };
            self.count_registers(&inst);
            if inst.get(Field::Literal).is_none() {
                continue;
            }
            // The distance is counted from the first addition, which is after `s_getpc_b64`.
            let is_high = pc.is_some();
            let from = *pc.get_or_insert(start + offset as u64);
            let at = start + (offset + inst.len()) as u64 - 4;
            let fixup = Fixup { offset: at, kind: FixupKind::Distance { from, is_high }, expr: expr.clone(), place };
            self.here_mut().fixups.push(fixup);
        }
        Ok(())
    }
}

/// The instruction after a branch that would be broken without it.
fn nop(branch: &Inst) -> Vec<u8> {
    Inst::nop(branch.target()).iter().flat_map(bytes).collect()
}

/// The long form of a branch, with a distance that is still to be filled in.
fn long(inst: &Inst, far: Far) -> std::result::Result<Vec<u8>, String> {
    let mut code = [0u32; MOST];
    let (mut labels, mut fixups) = ([LabelSlot::EMPTY], [FixupSlot::EMPTY]);
    let mut writer = Writer::new(inst.target(), &mut code, &mut labels, &mut fixups);
    let write = || {
        writer.far(far)?;
        let there = writer.label_at(NOWHERE)?;
        writer.branch(*inst, there)?;
        writer.finish().map(|done| done.len())
    };
    let len = write().map_err(|e| e.to_string())?;
    Ok(code.iter().flat_map(|dword| dword.to_le_bytes()).take(len).collect())
}
