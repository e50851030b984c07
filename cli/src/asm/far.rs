//! Branches that take more than a dword. Long ones: where a branch does not reach, the sequence that the library's assembler writes, through registers that
//! the user names.
//!
//! And those of RDNA1 that would go over 63 dwords, which its hardware cannot: they have an `s_nop` behind them.
//!
//! Which branches these are is known only at the end, and they move everything behind them. So the source is read again
//! until all branches reach; each is long, or has its `s_nop`, in all later rounds, so there is a last one.

use amdgpu_isa::asm::{Assembler as Writer, Far, FixupSlot, LabelSlot};

use super::expr::Expr;
use super::program::{Assembler, Fixup, What};
use super::report::{Fault, Place, Result};
use crate::isa::{Decoded, Decoder, Field, Inst};

/// More dwords than any long branch has.
const MOST: usize = 16;
/// A place that no branch reaches, from wherever it is.
const NOWHERE: u64 = 0x1234_5678_9abc_def0;

/// What an error says of the option.
pub const HINT: &str = "`--long-branches s[N:N+1]` goes there through two registers whose values nothing needs";

/// The registers of `--long-branches`: `s[4:5]`, or `s[4:5],s6` to keep SCC.
pub fn registers(text: &str) -> std::result::Result<Far, String> {
    let form = "two registers such as s[4:5], the first with an even number; s[4:5],s6 keeps SCC in s6";
    let read = || {
        let (pair, scc) = text.split_once(',').map_or((text, None), |(pair, scc)| (pair, Some(scc.trim())));
        let (first, last) = pair.trim().strip_prefix("s[")?.strip_suffix(']')?.split_once(':')?;
        let (first, last) = (first.parse::<u8>().ok()?, last.parse::<u8>().ok()?);
        let scc = scc.map(|scc| scc.strip_prefix('s')?.parse::<u8>().ok());
        let is_pair = first % 2 == 0 && first.checked_add(1) == Some(last);
        (is_pair && scc != Some(None)).then_some(Far { pair: first, scc: scc.flatten() })
    };
    read().ok_or_else(|| form.into())
}

impl Assembler {
    /// Emits a branch; a long one if an earlier round has found that it does not reach.
    pub fn emit_branch(&mut self, inst: &Inst, bytes: &[u8], expr: Expr, place: Place) -> Result<()> {
        let number = self.branches;
        self.branches += 1;
        let Some(far) = self.far.filter(|_| self.long.contains(&number)) else {
            self.emit_fixup(bytes, 0, What::Branch(number), expr, place)?;
            return match self.padded.contains(&number) {
                true => self.emit(&nop(inst), place),
                false => Ok(()),
            };
        };
        let code = long(inst, far).map_err(|why| Fault::new(place, why))?;
        let start = self.here().len;
        self.emit(&code, place)?;
        let mut pc = None;
        for Decoded { offset, inst } in Decoder::new(inst.target(), &code) {
            let Ok(inst) = inst else { continue };
            self.count_registers(&inst);
            if inst.get(Field::Literal).is_none() {
                continue;
            }
            // The distance is counted from the first addition, which is behind `s_getpc_b64`.
            let is_high = pc.is_some();
            let from = *pc.get_or_insert(start + offset as u64);
            let at = start + (offset + inst.len()) as u64 - 4;
            let fixup = Fixup { offset: at, what: What::Distance { from, is_high }, expr: expr.clone(), place };
            self.here_mut().fixups.push(fixup);
        }
        Ok(())
    }
}

/// What stands behind a branch that is broken without it.
fn nop(branch: &Inst) -> Vec<u8> {
    let nop = crate::isa::parse(branch.target(), "s_nop 0");
    nop.iter().flat_map(|nop| nop.words()).flat_map(|word| word.to_le_bytes()).collect()
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
