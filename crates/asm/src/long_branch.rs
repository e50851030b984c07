//! Branches that take more than a dword. A branch that does not reach its target becomes a long branch: the sequence
//! that the library's assembler writes, through registers that the caller names, with the waits that it needs.
//!
//! A branch over 63 dwords gets an `s_nop` after it on RDNA1, whose hardware cannot branch over 63 dwords.
//!
//! Such branches are known only at the end of the source, and their additional dwords move everything after them. So
//! the source is read again until all branches reach. A branch that became long, or got an `s_nop`, stays so in all
//! later rounds, so the rounds end.

use amdgpu_isa::asm::{Assembler as Writer, Far, FixupSlot, LabelSlot};
use amdgpu_isa::hazards::Hazards;
use amdgpu_isa::{Decoded, Decoder, Field, Inst, Target};
use std::collections::BTreeMap;

use super::assembler::{Assembler, Fixup, FixupKind};
use super::expr::Expr;
use super::flaw::{Flaw, Result, Span};
use super::instruction::bytes;

/// The size of a buffer in dwords, which is more than any long branch has.
const MOST: usize = 16;
/// An address that no branch reaches.
const NOWHERE: u64 = 0x1234_5678_9abc_def0;

/// The registers for long branches as a text: `s[4:5]`, or `s[4:5],s6` to keep SCC in `s6`. `None` if the text has
/// neither form, or the first register has an odd number.
///
/// ```
/// use amdgpu_asm::{Far, far};
/// assert_eq!(far("s[4:5],s6"), Some(Far { pair: 4, scc: Some(6) }));
/// assert_eq!(far("s[5:6]"), None);
/// ```
pub fn far(text: &str) -> Option<Far> {
    let (pair, scc) = text.split_once(',').map_or((text, None), |(pair, scc)| (pair, Some(scc.trim())));
    let (first, last) = pair.trim().strip_prefix("s[")?.strip_suffix(']')?.split_once(':')?;
    let (first, last) = (first.parse::<u8>().ok()?, last.parse::<u8>().ok()?);
    let scc = scc.map(|scc| scc.strip_prefix('s')?.parse::<u8>().ok());
    let is_pair = first % 2 == 0 && first.checked_add(1) == Some(last);
    (is_pair && scc != Some(None)).then_some(Far { pair: first, scc: scc.flatten() })
}

impl Assembler {
    /// Emits a branch, as a long branch if it did not reach its target in an earlier round.
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
        let (mut from, mut is_high) = (start, false);
        for Decoded { offset, inst } in Decoder::new(inst.target(), &code) {
            let Ok(inst) = inst else { continue };
            self.count_registers(&inst);
            let end = start + (offset + inst.len()) as u64;
            // The distance is counted from the end of `s_getpc_b64`.
            if inst.reads_pc(offset as u64) {
                from = end;
            }
            if inst.get(Field::Literal).is_none() {
                continue;
            }
            let kind = FixupKind::Distance { from, is_high };
            self.here_mut().fixups.push(Fixup { offset: end - 4, kind, expr: expr.clone(), place });
            is_high = true;
        }
        Ok(())
    }
}

/// The `s_nop` after a branch that would be broken without it.
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
    let code: Vec<u8> = code.iter().flat_map(|dword| dword.to_le_bytes()).take(len).collect();
    Ok(waiting(inst.target(), &code).unwrap_or(code))
}

/// The long form with the waits that its instructions need, whatever instructions run before it. `None` if the
/// instructions need no waits, or cannot get them.
fn waiting(target: Target, code: &[u8]) -> Option<Vec<u8>> {
    let mut hazards = Hazards::new(target).called();
    // The instructions, each with its old and its new offset; an inserted wait has no old offset.
    let (mut all, mut len, mut places) = (Vec::new(), 0u64, BTreeMap::new());
    for Decoded { offset, inst } in Decoder::new(target, code) {
        let (offset, inst) = (offset as u64, inst.ok()?);
        places.insert(offset, len);
        let issued = hazards.protect(&inst, |one| {
            all.push((if *one == inst { Some(offset) } else { None }, len, *one));
            len += one.len() as u64;
        });
        issued.ok()?;
    }
    if len == code.len() as u64 {
        return None;
    }
    places.insert(code.len() as u64, len);
    let moved = all.into_iter().map(|(old, new, inst)| match old.and_then(|old| inst.branch_target(old)) {
        Some(goal) => inst.with_branch_target(new, *places.get(&goal)?).ok(),
        None => Some(inst),
    });
    Some(moved.collect::<Option<Vec<Inst>>>()?.iter().flat_map(bytes).collect())
}
