//! Code led away and back: a jump in the place of some instructions, which move elsewhere.

use core::fmt;

use crate::assembler::{AssembleError, AssembleErrorKind, Assembler, Far, FixupSlot, LabelSlot, make};
use crate::buffer::Memory;
use crate::common::made;
use crate::{Buffer, DecodeError, Inst, Target};

/// Why no trampoline is put in. The code is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TrampolineError {
    /// The hook's address is not in the code, or no multiple of 4.
    Outside(u64),
    /// At this address within the code, no instruction begins where one must: the hook's, read from the start of the code.
    Boundary(u64),
    /// What would be displaced is no instruction.
    Decode {
        /// Its address.
        at: u64,
        /// Why.
        error: DecodeError,
    },
    /// The code ends here, and the jump does not fit before.
    End(u64),
    /// A branch from elsewhere goes into the middle of what would be displaced.
    Landing {
        /// The branch's address.
        from: u64,
        /// Where it goes.
        to: u64,
    },
    /// The jump or the displaced code cannot be assembled: see [`AssembleError`].
    Assemble(AssembleError),
}

impl fmt::Display for TrampolineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            TrampolineError::Outside(at) => write!(f, "{at:#x} is not in the code"),
            TrampolineError::Boundary(at) => write!(f, "no instruction begins at {at:#x}"),
            TrampolineError::Decode { at, error } => write!(f, "at {at:#x}: {error}"),
            TrampolineError::End(at) => write!(f, "the code ends at {at:#x}, before the jump does"),
            TrampolineError::Landing { from, to } => write!(f, "a branch at {from:#x} goes to {to:#x}, under the jump"),
            TrampolineError::Assemble(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for TrampolineError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            TrampolineError::Decode { error, .. } => Some(error),
            TrampolineError::Assemble(error) => Some(error),
            _ => None,
        }
    }
}

impl<E: Into<AssembleError>> From<E> for TrampolineError {
    fn from(error: E) -> Self {
        TrampolineError::Assemble(error.into())
    }
}

/// A trampoline: a jump at `hook` to `area`, where the caller's code stands, then the instructions that the jump has
/// displaced, then a jump back behind it.
///
/// As many whole instructions are displaced as the jump needs: one dword if `area` is within 128 KiB, else 6 or 8 (see
/// [`Far`]). They do at their new place what they did: branches and calls are encoded anew. What cannot be seen is
/// assumed:
///
/// - The registers of `far` are free at the hook, and SCC is, unless [`Far::scc`] keeps it. Without `far` nothing is
///   overwritten.
/// - Only branches of the code that is given, which has to be all that can branch there, lead into it; no address of its
///   middle is in a register or a table.
/// - Nobody runs the code while it is changed, and the instruction cache is emptied afterwards.
///
/// ```
/// # #[cfg(all(feature = "gfx942", feature = "text"))] {
/// use amdgpu_isa::{Decoded, DecoderMut, Target, Trampoline};
/// // At 0x1000: s_add_u32 s4, s1, s5; s_cbranch_scc0 to the start; s_endpgm
/// let mut code: [u32; 3] = [0x8004_0501, 0xbf84_fffe, 0xbf81_0000];
/// let mut area = [0u32; 8];
/// let trampoline = Trampoline { target: Target::Gfx942, hook: 0x1004, area: 0x4000, far: None };
/// let payload = [0xbf8f_0003]; // s_setprio 3
/// let installed = trampoline.install(&mut code[..], 0x1000, &payload, &mut area).unwrap();
/// assert_eq!((installed.displaced, installed.len, installed.copy), (4, 12, 0x4004));
/// let text = |words: &mut [u32]| -> Vec<String> {
///     DecoderMut::new(Target::Gfx942, words).map(|Decoded { inst, .. }| inst.unwrap().to_string()).collect()
/// };
/// assert_eq!(text(&mut code), ["s_add_u32 s4, s1, s5", "s_branch 3070", "s_endpgm"]);
/// // The branch goes back to 0x1000 from here, too.
/// assert_eq!(text(&mut area[..3]), ["s_setprio 3", "s_cbranch_scc0 62462", "s_branch 62463"]);
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Trampoline {
    /// The target of all the code.
    pub target: Target,
    /// The address of the first instruction to be displaced, in bytes.
    pub hook: u64,
    /// The address where the trampoline will lie, in bytes.
    pub area: u64,
    /// Registers for jumps that do not reach.
    pub far: Option<Far>,
}

/// What [`Trampoline::install`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Installed {
    /// Bytes of the code that were displaced: the jump, and `s_nop`s if it is shorter.
    pub displaced: usize,
    /// Bytes that the trampoline has.
    pub len: usize,
    /// The address of the displaced instructions in it.
    pub copy: u64,
}

/// Dwords of the longest jump, and of that and what an instruction can stand over.
const JUMP: usize = 8;
const DISPLACED: usize = JUMP + crate::decode::MAX_DWORDS;

impl Trampoline {
    /// Writes the trampoline to `area`, and the jump into `code`, whose first byte has the address `base`. In `area`, 88
    /// dwords besides the payload are always enough; without `far`, 6.
    ///
    /// # Errors
    /// Why it cannot be done. `code` is as it was; `area` may have been written to.
    pub fn install<C: Memory + ?Sized, B: Buffer + ?Sized>(
        &self,
        code: &mut C,
        base: u64,
        payload: &[u32],
        area: &mut B,
    ) -> Result<Installed, TrampolineError> {
        let outside = TrampolineError::Outside(self.hook);
        let offset = self.hook.checked_sub(base).filter(|offset| offset % 4 == 0).ok_or(outside)?;
        let at = usize::try_from(offset / 4).map_err(|_| outside)?;
        if at >= code.dwords() {
            return Err(outside);
        }
        let mut jump = [0; JUMP];
        let needed = self.jump(&mut jump, self.hook, self.area)?;
        let (displaced, falls_through) = self.measure(code, at, needed)?;
        self.look_for_landings(code, base, at, displaced)?;

        let mut words = [0; DISPLACED];
        words.iter_mut().enumerate().for_each(|(n, word)| *word = code.dword(at + n).unwrap_or(0));
        let words = words.get(..displaced).unwrap_or(&words);
        let (mut labels, mut fixups) = ([LabelSlot::EMPTY; DISPLACED], [FixupSlot::EMPTY; DISPLACED]);
        let mut asm = self.assembler(area, self.area, &mut labels, &mut fixups)?;
        asm.words(payload)?;
        let copy = self.area.wrapping_add(asm.offset());
        asm.moved(words, self.hook)?;
        if falls_through {
            let back = asm.label_at(self.hook.wrapping_add(displaced as u64 * 4))?;
            asm.jump(made::S_BRANCH.ok_or(AssembleErrorKind::Lacks)?, back)?;
        }
        let len = asm.finish()?.len();

        let nop = make(self.target, made::S_NOP, &[])?;
        let fill = nop.words().iter().cycle();
        for (n, &word) in jump.iter().take(needed).chain(fill).take(displaced).enumerate() {
            code.set_dword(at + n, word);
        }
        Ok(Installed { displaced: displaced * 4, len, copy })
    }

    fn assembler<'a, B: Buffer + ?Sized>(
        &self,
        out: &'a mut B,
        base: u64,
        labels: &'a mut [LabelSlot],
        fixups: &'a mut [FixupSlot],
    ) -> Result<Assembler<'a, B>, AssembleError> {
        let mut asm = Assembler::new(self.target, out, labels, fixups);
        asm.base(base)?;
        if let Some(far) = self.far {
            asm.far(far)?;
        }
        Ok(asm)
    }

    /// The jump to the trampoline, and its dwords.
    fn jump(&self, words: &mut [u32; JUMP], from: u64, to: u64) -> Result<usize, AssembleError> {
        let (mut labels, mut fixups) = ([LabelSlot::EMPTY; 1], [FixupSlot::EMPTY; 1]);
        let mut asm = self.assembler(words, from, &mut labels, &mut fixups)?;
        let there = asm.label_at(to)?;
        asm.jump(made::S_BRANCH.ok_or(AssembleErrorKind::Lacks)?, there)?;
        Ok(asm.finish()?.len() / 4)
    }

    /// Dwords of whole instructions that a jump of so many displaces, and whether the last one goes on to the next.
    fn measure<C: Memory + ?Sized>(
        &self,
        code: &C,
        at: usize,
        needed: usize,
    ) -> Result<(usize, bool), TrampolineError> {
        let (mut dwords, mut falls_through) = (0, true);
        while dwords < needed {
            let here = self.hook.wrapping_add(dwords as u64 * 4);
            let rest = code.from(at + dwords).filter(|rest| rest.dwords() > 0 && falls_through);
            let rest = rest.ok_or(TrampolineError::End(here))?;
            let inst = rest.first(self.target).map_err(|error| TrampolineError::Decode { at: here, error })?;
            falls_through = !inst.flags().no_fallthrough();
            dwords += inst.words().len();
        }
        Ok((dwords, falls_through))
    }

    /// Refuses branches into the middle of what is displaced, and a hook that is none of the instructions.
    fn look_for_landings<C: Memory + ?Sized>(
        &self,
        code: &C,
        base: u64,
        at: usize,
        displaced: usize,
    ) -> Result<(), TrampolineError> {
        let mut dword = 0;
        while let Some(rest) = code.from(dword).filter(|rest| rest.dwords() > 0) {
            let from = base.wrapping_add(dword as u64 * 4);
            let inst: Option<Inst> = rest.first(self.target).ok();
            let to = inst.as_ref().and_then(|inst| inst.branch_target(from));
            let moves = (at..at + displaced).contains(&dword);
            let middle = |to: &u64| *to > self.hook && to.wrapping_sub(self.hook) < displaced as u64 * 4;
            if let Some(to) = to.filter(middle).filter(|_| !moves) {
                return Err(TrampolineError::Landing { from, to });
            }
            let next = dword + inst.map_or(1, |inst| inst.words().len());
            if dword < at && next > at {
                return Err(TrampolineError::Boundary(self.hook));
            }
            dword = next;
        }
        Ok(())
    }
}
