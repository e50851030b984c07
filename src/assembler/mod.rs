//! Writes sequences of instructions with labels, branches, alignment and symbols.
//!
//! Labels and fix-ups are recorded in the caller's slots, the fix-ups in the order of the code. At the end, branches
//! that do not reach their targets become long, and the code is moved apart in place. The module does not depend on a
//! generation: the operations are taken from the target's tables.

mod emit;
mod error;
mod far;
mod moved;
mod relax;
mod slots;
mod symbol;

pub use emit::Emit;
pub use error::{AssembleError, AssembleErrorKind, Room};
pub use far::Far;
use far::LongForm;
pub(crate) use far::distance;

use crate::buffer::Buffer;
use crate::compose::{Plain, check_scalar, compose, plain};
use crate::inst::Inst;
use crate::opcode::{Field, Format, Opcode, well_known};
use crate::target::Target;
use crate::value::Value;

pub use slots::{FixupSlot, Label, LabelSlot};
pub use symbol::{Relocation, RelocationKind};

use slots::{Fixup, FixupKind, LabelPlace};

/// Writes instructions one after the other into the caller's buffer: see [`Buffer`].
///
/// Labels and fix-ups ([`Room::Fixups`] tells how many are needed) are kept in slices that the caller also provides.
/// Nothing is allocated. You can emit an [`Inst`], a format's struct, dwords, or the result of a constructor: see
/// [`Emit`].
///
/// ```
/// # #[cfg(all(feature = "gfx942", feature = "text"))] {
/// use amdgpu_isa::gfx942::{Sop1, Sop1Op, Sop2, Sop2Op, Sopc, SopcOp, Sopp, SoppOp};
/// use amdgpu_isa::asm::{Assembler, FixupSlot, LabelSlot};
/// use amdgpu_isa::patch::DecoderMut;
/// use amdgpu_isa::{Decoded, Opcode, Target};
/// let mut code = [0u32; 64];
/// let (mut labels, mut fixups) = ([LabelSlot::EMPTY; 4], [FixupSlot::EMPTY; 8]);
/// let mut asm = Assembler::new(Target::Gfx942, &mut code, &mut labels, &mut fixups);
/// asm.emit(Sop1::new().with_op(Sop1Op::SMovB32).with_sdst(2).unwrap().with_ssrc0(128 + 10)).unwrap();
/// let again = asm.here().unwrap();
/// asm.emit(Sop2::new().with_op(Sop2Op::SSubU32).with_sdst(2).unwrap().with_ssrc0(2).with_ssrc1(128 + 1)).unwrap();
/// asm.emit(Sopc::new().with_op(SopcOp::SCmpLgU32).with_ssrc0(2).with_ssrc1(128)).unwrap();
/// asm.jump(Opcode::SCbranchScc1, again).unwrap();
/// asm.emit(Sopp::new().with_op(SoppOp::SEndpgm)).unwrap();
/// let code_len = asm.finish().unwrap().len();
/// assert_eq!(code_len, 20);
/// let text = DecoderMut::new(Target::Gfx942, &mut code[..code_len / 4]).map(|Decoded { inst, .. }| inst.unwrap().to_string());
/// let wanted = ["s_mov_b32 s2, 10", "s_sub_u32 s2, s2, 1", "s_cmp_lg_u32 s2, 0", "s_cbranch_scc1 65533", "s_endpgm"];
/// assert_eq!(text.collect::<Vec<_>>(), wanted);
/// # }
/// ```
#[derive(Debug)]
#[doc(alias = "MCStreamer")]
#[doc(alias = "MCAssembler")]
pub struct Assembler<'a, B: Buffer + ?Sized> {
    target: Target,
    out: &'a mut B,
    base: u64,
    far: Option<LongForm>,
    /// Number of dwords written so far.
    len: usize,
    /// Number of dwords of growth known so far: padding, and long branches.
    shift: usize,
    /// The final growth in dwords, once the code has its final addresses.
    grown: Option<usize>,
    labels: &'a mut [LabelSlot],
    label_count: usize,
    fixups: &'a mut [FixupSlot],
    fixup_count: usize,
}

impl<'a, B: Buffer + ?Sized> Assembler<'a, B> {
    /// An assembler that begins at the first dword of `out`, whose address is 0.
    pub fn new(target: Target, out: &'a mut B, labels: &'a mut [LabelSlot], fixups: &'a mut [FixupSlot]) -> Self {
        let (base, far, grown) = (0, None, None);
        Assembler { target, out, base, far, len: 0, shift: 0, grown, labels, label_count: 0, fixups, fixup_count: 0 }
    }

    /// Sets the address of the code, in bytes. The emitted dwords depend on this address only through alignment and
    /// [`Assembler::label_at`].
    ///
    /// # Errors
    /// The address is not a multiple of 4.
    pub fn base(&mut self, address: u64) -> Result<(), AssembleError> {
        if address & 3 != 0 {
            return Err(AssembleErrorKind::Base(address).into());
        }
        self.base = address;
        Ok(())
    }

    /// Lets branches that do not reach their targets use these registers. Without this call such branches are errors.
    ///
    /// # Errors
    /// The target lacks a register, no aligned pair begins at `pair`, or `scc` is a register of the pair.
    pub fn far(&mut self, far: Far) -> Result<(), AssembleError> {
        far.check(self.target)?;
        self.far = Some(LongForm::new(far));
        Ok(())
    }

    /// Number of bytes emitted so far. Branches that become long add to this number: [`Assembled::address`] returns the
    /// final address of a label.
    pub fn offset(&self) -> u64 {
        (self.len + self.shift) as u64 * 4
    }

    /// Creates a label that is bound later.
    ///
    /// # Errors
    /// There is no room for labels.
    pub fn label(&mut self) -> Result<Label, AssembleError> {
        self.new_label(LabelPlace::Unbound).map_err(|kind| self.here_is(kind, None))
    }

    /// Creates a label at the current end of the code.
    ///
    /// # Errors
    /// There is no room for labels.
    pub fn here(&mut self) -> Result<Label, AssembleError> {
        let here = LabelPlace::Here { dword: self.len, fixups: self.fixup_count };
        self.new_label(here).map_err(|kind| self.here_is(kind, None))
    }

    /// Creates a label at an address, in bytes, for example in other code.
    ///
    /// # Errors
    /// There is no room for labels.
    pub fn label_at(&mut self, address: u64) -> Result<Label, AssembleError> {
        self.new_label(LabelPlace::Address(address)).map_err(|kind| self.here_is(kind, None))
    }

    /// Binds a label to the current end of the code.
    ///
    /// # Errors
    /// The label is already bound, or belongs to another assembler.
    pub fn bind(&mut self, label: Label) -> Result<(), AssembleError> {
        let here = LabelPlace::Here { dword: self.len, fixups: self.fixup_count };
        let (at, count) = (label.0 as usize, self.label_count);
        match self.labels.get_mut(at).filter(|_| at < count) {
            Some(LabelSlot(place @ LabelPlace::Unbound)) => *place = here,
            Some(_) => return Err(self.here_is(AssembleErrorKind::Bound(label), None)),
            None => return Err(self.here_is(AssembleErrorKind::UnknownLabel(label), None)),
        }
        Ok(())
    }

    /// Emits an instruction unchanged.
    ///
    /// # Errors
    /// There is no room, or the words are not an instruction of the target.
    pub fn emit(&mut self, inst: impl Emit) -> Result<(), AssembleError> {
        let put = inst.inst(self.target).and_then(|inst| self.put(inst.words()));
        put.map_err(|kind| self.here_is(kind, inst.opcode(self.target)))
    }

    /// Emits any dword unchanged.
    ///
    /// # Errors
    /// There is no room.
    pub fn dword(&mut self, dword: u32) -> Result<(), AssembleError> {
        self.words(&[dword])
    }

    /// Emits any dwords unchanged.
    ///
    /// # Errors
    /// There is no room.
    pub fn words(&mut self, words: &[u32]) -> Result<(), AssembleError> {
        self.put(words).map_err(|kind| self.here_is(kind, None))
    }

    fn put(&mut self, words: &[u32]) -> Result<(), AssembleErrorKind> {
        if !self.len.checked_add(words.len()).is_some_and(|len| self.out.room(len)) {
            return Err(AssembleErrorKind::Room(Room::Code));
        }
        for &word in words {
            self.out.set_dword(self.len, word);
            self.len += 1;
        }
        Ok(())
    }

    /// Emits a branch or call to a label. The distance in the instruction is ignored.
    ///
    /// # Errors
    /// There is no room, or the instruction has no branch distance.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::gfx942::{Sopk, SopkOp};
    /// use amdgpu_isa::asm::{Assembler, FixupSlot, LabelSlot};
    /// use amdgpu_isa::Target;
    /// let mut code = [0u32; 4];
    /// let (mut labels, mut fixups) = ([LabelSlot::EMPTY; 1], [FixupSlot::EMPTY; 1]);
    /// let mut asm = Assembler::new(Target::Gfx942, &mut code, &mut labels, &mut fixups);
    /// let function = asm.label().unwrap();
    /// asm.branch(Sopk::new().with_op(SopkOp::SCallB64).with_sdst(30).unwrap(), function).unwrap();
    /// asm.dword(0xbf81_0000).unwrap(); // s_endpgm
    /// asm.bind(function).unwrap();
    /// asm.dword(0xbe80_1d1e).unwrap(); // s_setpc_b64 s[30:31]
    /// assert_eq!(asm.finish().unwrap().len(), 12);
    /// assert_eq!(code, [0xba9e_0001, 0xbf81_0000, 0xbe80_1d1e, 0]);
    /// # }
    /// ```
    pub fn branch(&mut self, inst: impl Emit, label: Label) -> Result<(), AssembleError> {
        let put = inst.inst(self.target).and_then(|inst| self.put_branch(&inst, label));
        put.map_err(|kind| self.here_is(kind, inst.opcode(self.target)))
    }

    fn put_branch(&mut self, inst: &Inst, label: Label) -> Result<(), AssembleErrorKind> {
        if inst.label().is_none() || inst.words().len() != 1 {
            return Err(AssembleErrorKind::NotABranch(inst.opcode()));
        }
        self.fix_up(self.len, FixupKind::Branch(label))?;
        self.put(inst.words())
    }

    /// Emits a branch whose only operand is a label: `s_branch`, `s_cbranch_scc1`, ...
    ///
    /// # Errors
    /// There is no room, the target lacks the operation, or the operation is not a branch with only a label.
    pub fn jump(&mut self, opcode: Opcode, label: Label) -> Result<(), AssembleError> {
        let inst = compose(self.target, Some(opcode), &[]).map_err(|error| self.here_is(error.into(), Some(opcode)))?;
        let mut named = inst.operands().filter(|operand| operand.role.is_some());
        if !named.all(|operand| matches!(operand.value, Value::Label(_))) {
            return Err(self.here_is(AssembleErrorKind::NotABranch(opcode), Some(opcode)));
        }
        self.branch(inst, label)
    }

    /// Emits `s_branch`. Unlike [`Assembler::jump`], this does not look up the operation and its operands in tables.
    pub(crate) fn plain_jump(&mut self, label: Label) -> Result<(), AssembleError> {
        let inst = plain(self.target, Plain::Branch).map_err(AssembleErrorKind::from);
        let put = inst.and_then(|inst| self.put_branch(&inst, label));
        put.map_err(|kind| self.here_is(kind, well_known::S_BRANCH))
    }

    /// Pads with `s_nop` to a multiple of `bytes`, a power of two from 4 to 65536, counted from address 0.
    ///
    /// # Errors
    /// `bytes` is not a power of two from 4 to 65536, or there is no room.
    pub fn align(&mut self, bytes: u64) -> Result<(), AssembleError> {
        self.pad(bytes, false).map_err(|kind| self.here_is(kind, None))
    }

    /// Like [`Assembler::align`], for padding that execution never reaches: pads with `s_code_end` if the target has
    /// it, otherwise with `s_nop`.
    ///
    /// # Errors
    /// `bytes` is not a power of two from 4 to 65536, or there is no room.
    pub fn align_end(&mut self, bytes: u64) -> Result<(), AssembleError> {
        self.pad(bytes, true).map_err(|kind| self.here_is(kind, None))
    }

    fn pad(&mut self, bytes: u64, unreached: bool) -> Result<(), AssembleErrorKind> {
        if !bytes.is_power_of_two() || !(4..=0x10000).contains(&bytes) {
            return Err(AssembleErrorKind::Alignment(bytes));
        }
        // Refuse a target without s_nop here, not in `finish`.
        plain(self.target, Plain::Nop)?;
        let log = bytes.trailing_zeros() as u8;
        let growth = relax::padding(self.base, self.len + self.shift, log);
        self.fix_up(self.len, FixupKind::Align(log, unreached))?;
        if let Some(FixupSlot(fixup)) = self.fixup_count.checked_sub(1).and_then(|last| self.fixups.get_mut(last)) {
            fixup.growth = growth;
        }
        self.shift = self.shift.checked_add(growth).ok_or(AssembleErrorKind::Room(Room::Code))?;
        Ok(())
    }

    /// Loads the address of a label into a pair of scalar registers, independent of where the code is: `s_getpc_b64`
    /// and two additions, 20 bytes. SCC is overwritten.
    ///
    /// # Errors
    /// There is no room, or the target has no such pair.
    pub fn load_address(&mut self, pair: u8, label: Label) -> Result<(), AssembleError> {
        let words = self.address_of_next(pair, 0).and_then(|words| {
            self.fix_up(self.len, FixupKind::Address(label))?;
            Ok(words)
        });
        words.map_err(|kind| self.here_is(kind, well_known::S_GETPC_B64))?.iter().try_for_each(|inst| self.emit(inst))
    }

    /// Loads the address of a symbol into a pair of scalar registers, as compilers do: `s_getpc_b64`, and two additions
    /// whose literals the linker fills in (`sym@rel32@lo+4`, `sym@rel32@hi+12`). These take 20 bytes and overwrite SCC.
    ///
    /// # Errors
    /// There is no room, or the target has no such pair.
    pub fn load_symbol(&mut self, pair: u8, symbol: u32) -> Result<(), AssembleError> {
        self.symbol_pair(pair, symbol, [RelocationKind::Rel32Lo, RelocationKind::Rel32Hi])
    }

    /// Like [`Assembler::load_symbol`], but loads the address of the symbol's entry in the global offset table. The
    /// code must then load the symbol's address from that entry.
    ///
    /// # Errors
    /// There is no room, or the target has no such pair.
    pub fn load_symbol_entry(&mut self, pair: u8, symbol: u32) -> Result<(), AssembleError> {
        self.symbol_pair(pair, symbol, [RelocationKind::GotPcRel32Lo, RelocationKind::GotPcRel32Hi])
    }

    fn symbol_pair(&mut self, pair: u8, symbol: u32, kinds: [RelocationKind; 2]) -> Result<(), AssembleError> {
        let words = self.address_of_next(pair, 0).map_err(|kind| self.here_is(kind, well_known::S_GETPC_B64));
        let [getpc, low, high] = words?;
        self.emit(getpc)?;
        // s_getpc_b64 returns the address after itself; the linker counts from each literal.
        self.emit_symbol(low, kinds[0], symbol, 4)?;
        self.emit_symbol(high, kinds[1], symbol, 12)
    }

    /// Emits an instruction whose literal the linker fills in.
    ///
    /// # Errors
    /// There is no room, or the instruction has no literal.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::asm::{Assembler, FixupSlot, LabelSlot, Relocation, RelocationKind};
    /// use amdgpu_isa::Target;
    /// let mut code = [0u32; 4];
    /// let (mut labels, mut fixups) = ([LabelSlot::EMPTY; 1], [FixupSlot::EMPTY; 1]);
    /// let mut asm = Assembler::new(Target::Gfx942, &mut code, &mut labels, &mut fixups);
    /// let mov = [0xbe80_00ff, 0]; // s_mov_b32 s0, symbol@abs32@lo
    /// asm.emit_symbol(mov, RelocationKind::Abs32Lo, 7, 0).unwrap();
    /// let code = asm.finish().unwrap();
    /// let wanted = Relocation { offset: 4, kind: RelocationKind::Abs32Lo, symbol: 7, addend: 0 };
    /// assert_eq!(code.relocations().collect::<Vec<_>>(), [wanted]);
    /// # }
    /// ```
    pub fn emit_symbol(
        &mut self,
        inst: impl Emit,
        kind: RelocationKind,
        symbol: u32,
        addend: i64,
    ) -> Result<(), AssembleError> {
        let put = inst.inst(self.target).and_then(|inst| self.put_symbol(&inst, kind, symbol, addend));
        put.map_err(|kind| self.here_is(kind, inst.opcode(self.target)))
    }

    fn put_symbol(
        &mut self,
        inst: &Inst,
        kind: RelocationKind,
        symbol: u32,
        addend: i64,
    ) -> Result<(), AssembleErrorKind> {
        let literal = inst.locate(Field::Literal).filter(|_| inst.extension() == Some(Format::Literal));
        let at = literal.ok_or(AssembleErrorKind::NoLiteral(inst.opcode()))?.low.dword;
        self.fix_up(self.len + usize::from(at), FixupKind::Symbol(Relocation { offset: 0, kind, symbol, addend }))?;
        self.put(inst.words())
    }

    /// Finishes the code: resolves labels and branch targets, and gives the long form to branches that do not reach
    /// their targets.
    ///
    /// # Errors
    /// A label in use is not bound, a branch does not reach its target, or the buffer has no room for the growth.
    pub fn finish(mut self) -> Result<Assembled<'a, B>, AssembleError> {
        self.relax()?;
        self.grown = Some(self.shift);
        self.spread()?;
        Ok(Assembled { asm: self })
    }

    /// `s_getpc_b64`, and the instructions that add a distance to its result.
    fn address_of_next(&self, pair: u8, distance: u64) -> Result<[Inst; 3], AssembleErrorKind> {
        check_scalar(self.target, pair, true)?;
        let getpc = compose(self.target, well_known::S_GETPC_B64, &[(Field::Sdst, pair.into())])?;
        let [low, high] = far::add(self.target, pair, distance)?;
        Ok([getpc, low, high])
    }

    /// An error at the current end of the code.
    #[cold]
    fn here_is(&self, kind: AssembleErrorKind, opcode: Option<Opcode>) -> AssembleError {
        AssembleError { kind, offset: Some(self.offset()), opcode }
    }

    fn new_label(&mut self, place: LabelPlace) -> Result<Label, AssembleErrorKind> {
        let slot = self.labels.get_mut(self.label_count).ok_or(AssembleErrorKind::Room(Room::Labels))?;
        *slot = LabelSlot(place);
        let label = Label(u32::try_from(self.label_count).map_err(|_| AssembleErrorKind::Room(Room::Labels))?);
        self.label_count += 1;
        Ok(label)
    }

    fn fix_up(&mut self, at: usize, kind: FixupKind) -> Result<(), AssembleErrorKind> {
        let slot = self.fixups.get_mut(self.fixup_count).ok_or(AssembleErrorKind::Room(Room::Fixups))?;
        *slot = FixupSlot(Fixup { at, shift: self.shift, growth: 0, kind });
        self.fixup_count += 1;
        Ok(())
    }
}

/// Finished code: see [`Assembler::finish`].
#[derive(Debug)]
pub struct Assembled<'a, B: Buffer + ?Sized> {
    asm: Assembler<'a, B>,
}

impl<B: Buffer + ?Sized> Assembled<'_, B> {
    /// Length of the code in bytes. The code begins at the start of the buffer.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.asm.len * 4
    }

    /// The address of a label in bytes; `None` if the label is not bound, or belongs to another assembler.
    pub fn address(&self, label: Label) -> Option<u64> {
        self.asm.address(label).ok()
    }

    /// The dwords for the linker to fill in, in the order of the code.
    pub fn relocations(&self) -> impl Iterator<Item = Relocation> + '_ {
        let all = self.asm.fixups.iter().take(self.asm.fixup_count);
        all.filter_map(|slot| self.asm.relocation(slot))
    }

    /// The buffer.
    pub fn buffer(&self) -> &B {
        self.asm.out
    }
}
