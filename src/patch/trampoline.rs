//! Trampolines: a jump replaces some instructions, which are moved to another address.

use core::fmt;

use crate::assembler::{AssembleError, AssembleErrorKind, Assembler, Far, FixupSlot, LabelSlot, Room, distance};
use crate::buffer::{Buffer, Memory};
use crate::compose::{Plain, plain, plain_word};
use crate::error::DecodeError;
use crate::inst::Inst;
use crate::opcode::Opcode;
use crate::opcode::well_known::S_BRANCH;
use crate::target::{MOVES, Target};

/// The reason why a trampoline cannot be installed. The code is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TrampolineError {
    /// The hook's address is not in the code, or not a multiple of 4.
    Outside(u64),
    /// No instruction begins at the hook's address (given here) when the code is decoded from its start.
    Boundary(u64),
    /// The words to be displaced are not an instruction.
    Decode {
        /// The address of the words.
        at: u64,
        /// The reason.
        error: DecodeError,
    },
    /// The code ends at this address, before the end of the jump; or the instruction before the address (`s_endpgm`, an
    /// unconditional branch) does not continue there.
    End(u64),
    /// A branch outside the displaced instructions goes into the middle of them.
    Landing {
        /// The address of the branch.
        from: u64,
        /// The target of the branch.
        to: u64,
    },
    /// The trampoline overlaps the code that it patches, from this address on.
    Overlap(u64),
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
            TrampolineError::Landing { from, to } => {
                write!(f, "a branch at {from:#x} goes to {to:#x}, into displaced code")
            }
            TrampolineError::Overlap(at) => write!(f, "the trampoline and the code are both at {at:#x}"),
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

/// A trampoline: a jump at `hook` to `area`, which holds the caller's code, the instructions that the jump displaces,
/// and a jump back to the code after them.
///
/// The jump displaces whole instructions: it needs one dword if `area` is within 128 KiB, otherwise 6 or 8 (see
/// [`Far`]). The displaced instructions have the same effect at their new address, because branches and calls are
/// encoded anew. The library cannot check the following, and assumes it:
///
/// - The registers of `far` are free at the hook, and so is SCC unless [`Far::scc`] preserves it. Without `far` nothing
///   is overwritten.
/// - The given code contains all branches into the displaced instructions. No register or table holds an address in the
///   middle of these instructions.
/// - Nobody executes the code during the change, and the instruction cache is invalidated afterwards.
///
/// ```
/// # #[cfg(all(feature = "gfx942", feature = "text"))] {
/// use amdgpu_isa::patch::{DecoderMut, Trampoline};
/// use amdgpu_isa::{Decoded, Target};
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
#[doc(alias = "detour")]
#[doc(alias = "hook")]
pub struct Trampoline {
    /// The target of the code and of the trampoline.
    pub target: Target,
    /// The address of the first instruction to be displaced, in bytes.
    pub hook: u64,
    /// The address of the trampoline, in bytes.
    pub area: u64,
    /// Registers for jumps to targets that a branch cannot reach.
    pub far: Option<Far>,
}

/// The result of [`Trampoline::install`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Installed {
    /// Number of bytes of displaced code. Its place now holds the jump, and `s_nop`s if the jump is shorter.
    pub displaced: usize,
    /// Length of the trampoline in bytes.
    pub len: usize,
    /// The address of the displaced instructions in the trampoline.
    pub copy: u64,
}

/// Number of dwords of the longest jump, and an upper bound of the number of dwords that it displaces: the last
/// displaced instruction may extend past the end of the jump.
const JUMP: usize = 8;
const DISPLACED: usize = JUMP + crate::table::MAX_DWORDS;

impl Trampoline {
    /// Writes the trampoline to `area`, and the jump into `code`, whose first byte has the address `base`. Besides the
    /// payload, `area` needs at most 88 dwords. Without `far` it needs at most 6, or 8 on targets with
    /// [broken branches](Target::has_broken_branches), where a branch may need an `s_nop` beside it.
    ///
    /// # Errors
    /// See [`TrampolineError`]. In that case `code` is unchanged, but `area` may have been written to.
    pub fn install<C: Memory + ?Sized, B: Buffer + ?Sized>(
        &self,
        code: &mut C,
        base: u64,
        payload: &[u32],
        area: &mut B,
    ) -> Result<Installed, TrampolineError> {
        self.install_as::<true, C, B>(code, base, payload, area)
    }

    /// Like [`Trampoline::install`], but never uses `far`. A program that calls only `install_near` links neither the
    /// assembler nor the tables for long branches: on a Cortex-M4, it is 2 KB larger than a program that only decodes.
    ///
    /// # Errors
    /// As for [`Trampoline::install`] without `far`.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::Target;
    /// use amdgpu_isa::patch::Trampoline;
    /// let mut code: [u32; 2] = [0x8004_0501, 0xbf81_0000]; // s_add_u32 s4, s1, s5; s_endpgm
    /// let mut area = [0u32; 8];
    /// let near = Trampoline { target: Target::Gfx942, hook: 0x1000, area: 0x4000, far: None };
    /// near.install_near(&mut code[..], 0x1000, &[0xbf8f_0003], &mut area).unwrap();
    /// assert_eq!((code[0], area[1]), (0xbf82_0bff, 0x8004_0501));
    /// let away = Trampoline { area: 0x80_0000, ..near };
    /// assert!(away.install_near(&mut code[..], 0x1000, &[], &mut area).is_err());
    /// # }
    /// ```
    pub fn install_near<C: Memory + ?Sized, B: Buffer + ?Sized>(
        &self,
        code: &mut C,
        base: u64,
        payload: &[u32],
        area: &mut B,
    ) -> Result<Installed, TrampolineError> {
        if self.target.has_broken_branches() {
            // The jump may need an `s_nop` beside it, and can then displace two instructions.
            return self.install_as::<false, C, B>(code, base, payload, area);
        }
        let at = self.place(code, base)?;
        aligned(self.hook)?;
        let jump = self.branch(self.hook, self.area, 0)?;
        let rest = code.from(at).ok_or(TrampolineError::End(self.hook))?;
        let inst = rest.first(self.target).map_err(|error| TrampolineError::Decode { at: self.hook, error })?;
        let displaced = inst.words().len();
        self.look_for_landings(code, base, at, displaced)?;

        aligned(self.area)?;
        let own = Some(inst.opcode());
        let start = payload.len();
        put(area, 0, payload, None)?;
        let moves = MOVES[self.target as usize];
        let is_in = |list: &[u16]| list.contains(&(inst.op_index() as u16));
        if is_in(moves.reads_pc) {
            return Err(error_at(start, AssembleErrorKind::ReadsPc(self.hook), own));
        }
        put(area, start, inst.words(), own)?;
        let (mut end, continues) = (start + displaced, !is_in(moves.ends));
        if continues {
            let word = plain_word(self.target, Plain::Branch).map_err(|kind| error_at(end, kind, S_BRANCH))?;
            put(area, end, &[word], S_BRANCH)?;
        }
        let copy = self.area.wrapping_add(start as u64 * 4);
        let branches = match inst.branch_target(self.hook) {
            Some(to) => {
                let distance = distance(copy, to);
                let distance = distance.ok_or_else(|| too_far((copy, to), start, own))?;
                Some(inst.words().first().map_or(0, |word| word & !0xffff | u32::from(distance)))
            }
            None => None,
        };
        if continues {
            let back = copy.wrapping_add(displaced as u64 * 4);
            let word = self.branch(back, self.hook.wrapping_add(displaced as u64 * 4), end)?;
            area.set_dword(end, word);
            end += 1;
        }
        if let Some(word) = branches {
            area.set_dword(start, word);
        }
        let len = end * 4;
        self.look_for_overlap(base, code.dwords(), len)?;

        let nop = plain_word(self.target, Plain::Nop).map_err(AssembleErrorKind::from)?;
        (1..displaced).for_each(|n| _ = code.set_dword(at + n, nop));
        code.set_dword(at, jump);
        Ok(Installed { displaced: displaced * 4, len, copy })
    }

    /// The dword of the hook, which must be in the code.
    fn place<C: Memory + ?Sized>(&self, code: &C, base: u64) -> Result<usize, TrampolineError> {
        let outside = TrampolineError::Outside(self.hook);
        let offset = self.hook.checked_sub(base).filter(|offset| offset % 4 == 0).ok_or(outside)?;
        let at = usize::try_from(offset / 4).map_err(|_| outside)?;
        if at < code.dwords() { Ok(at) } else { Err(outside) }
    }

    /// The word of an `s_branch` from one address to another. `dword` is the place of the branch, for errors.
    fn branch(&self, from: u64, to: u64, dword: usize) -> Result<u32, TrampolineError> {
        let word = plain_word(self.target, Plain::Branch).map_err(|kind| error_at(dword, kind, S_BRANCH))?;
        let distance = distance(from, to).ok_or_else(|| too_far((from, to), dword, S_BRANCH))?;
        Ok(word | u32::from(distance))
    }

    fn install_as<const FAR: bool, C: Memory + ?Sized, B: Buffer + ?Sized>(
        &self,
        code: &mut C,
        base: u64,
        payload: &[u32],
        area: &mut B,
    ) -> Result<Installed, TrampolineError> {
        let at = self.place(code, base)?;
        let mut jump = [0; JUMP];
        let needed = self.jump::<FAR>(&mut jump, self.hook, self.area)?;
        let (displaced, falls_through) = self.measure(code, at, needed)?;
        self.look_for_landings(code, base, at, displaced)?;

        let mut words = [0; DISPLACED];
        words.iter_mut().enumerate().for_each(|(n, word)| *word = code.dword(at + n).unwrap_or(0));
        let words = words.get(..displaced).unwrap_or(&words);
        let (mut labels, mut fixups) = ([LabelSlot::EMPTY; DISPLACED], [FixupSlot::EMPTY; DISPLACED]);
        let mut asm = self.assembler::<FAR, B>(area, self.area, &mut labels, &mut fixups)?;
        asm.words(payload)?;
        let copy = self.area.wrapping_add(asm.offset());
        asm.moved(words, self.hook)?;
        if falls_through {
            let back = asm.label_at(self.hook.wrapping_add(displaced as u64 * 4))?;
            asm.plain_jump(back)?;
        }
        let len = asm.finish()?.len();
        self.look_for_overlap(base, code.dwords(), len)?;

        let nop = plain(self.target, Plain::Nop)?;
        let fill = nop.words().iter().cycle();
        for (n, &word) in jump.iter().take(needed).chain(fill).take(displaced).enumerate() {
            code.set_dword(at + n, word);
        }
        Ok(Installed { displaced: displaced * 4, len, copy })
    }

    fn assembler<'a, const FAR: bool, B: Buffer + ?Sized>(
        &self,
        out: &'a mut B,
        base: u64,
        labels: &'a mut [LabelSlot],
        fixups: &'a mut [FixupSlot],
    ) -> Result<Assembler<'a, B>, AssembleError> {
        let mut asm = Assembler::new(self.target, out, labels, fixups);
        asm.base(base)?;
        match self.far {
            Some(far) if FAR => asm.far(far)?,
            _ => {}
        }
        Ok(asm)
    }

    /// Writes to `words` a jump from the address `from` to the address `to`, and returns its length in dwords.
    fn jump<const FAR: bool>(&self, words: &mut [u32; JUMP], from: u64, to: u64) -> Result<usize, AssembleError> {
        let (mut labels, mut fixups) = ([LabelSlot::EMPTY; 1], [FixupSlot::EMPTY; 1]);
        let mut asm = self.assembler::<FAR, _>(words, from, &mut labels, &mut fixups)?;
        let there = asm.label_at(to)?;
        asm.plain_jump(there)?;
        Ok(asm.finish()?.len() / 4)
    }

    /// Number of dwords of the whole instructions that a jump of `needed` dwords displaces, and whether the last of
    /// them falls through to the next instruction.
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

    /// Refuses a trampoline of `len` bytes that overlaps the code. Both can extend past the end of the address space.
    fn look_for_overlap(&self, base: u64, dwords: usize, len: usize) -> Result<(), TrampolineError> {
        let overlap = |first: u64| Err(TrampolineError::Overlap(first));
        match (self.area.wrapping_sub(base), base.wrapping_sub(self.area)) {
            (after, _) if after < dwords as u64 * 4 => overlap(self.area),
            (_, after) if after < len as u64 => overlap(base),
            _ => Ok(()),
        }
    }

    /// Refuses branches into the middle of the displaced instructions, and a hook that is not at the start of an
    /// instruction.
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

/// Fails if an address of code is not a multiple of 4.
fn aligned(address: u64) -> Result<(), TrampolineError> {
    if address % 4 == 0 { Ok(()) } else { Err(AssembleErrorKind::Base(address).into()) }
}

/// Writes dwords, the first of them to place `at`. `opcode` is that of the instruction, for errors.
fn put<B: Buffer + ?Sized>(
    out: &mut B,
    at: usize,
    words: &[u32],
    opcode: Option<Opcode>,
) -> Result<(), TrampolineError> {
    if !out.room(at + words.len()) {
        return Err(error_at(at, AssembleErrorKind::Room(Room::Code), opcode));
    }
    words.iter().enumerate().for_each(|(n, &word)| _ = out.set_dword(at + n, word));
    Ok(())
}

#[cold]
fn too_far((from, to): (u64, u64), dword: usize, opcode: Option<Opcode>) -> TrampolineError {
    error_at(dword, AssembleErrorKind::Distance { from, to }, opcode)
}

/// An error at a dword of the new code.
#[cold]
fn error_at(dword: usize, kind: impl Into<AssembleErrorKind>, opcode: Option<Opcode>) -> TrampolineError {
    TrampolineError::Assemble(AssembleError { kind: kind.into(), offset: Some(dword as u64 * 4), opcode })
}
