//! Changes one part of an instruction. The new words are decoded before they are returned.

use super::{Location, PatchError};
use crate::code::of_int;
use crate::codec::{has_number, is_signed};
use crate::decode::decode_words;
use crate::error::{DecodeError, FieldError};
use crate::imm::Imm;
use crate::inst::Inst;
use crate::kind::{NumberKind, OperandKind};
use crate::opcode::{Field, Opcode};
use crate::operation::Encoding;
#[cfg(feature = "fast")]
use crate::table::FieldInfo;
use crate::table::{MAX_DWORDS, OperandDesc};

impl Inst {
    /// The instruction with another value in a field; its length and all other bits stay the same.
    ///
    /// The value is the field's bits as [`Inst::get`] returns them; it is not masked. `op` can be set too, to an opcode
    /// number of the same format. Rules beyond decoding are not checked: see [`Inst::check`].
    ///
    /// # Errors
    /// The instruction lacks the field, the value does not fit or is reserved, or the length, the format or (unless the
    /// field holds an opcode) the operation would change.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::patch::PatchError;
    /// use amdgpu_isa::{Field, Target, decode_words};
    /// let sleep = decode_words(Target::Gfx942, &[0xbf8e_007f]).unwrap(); // s_sleep 127
    /// assert_eq!(sleep.with(Field::Simm16, 1).unwrap().words(), [0xbf8e_0001]);
    /// assert_eq!(sleep.with(Field::Ssrc0, 1), Err(PatchError::NoField(Field::Ssrc0)));
    /// assert!(matches!(sleep.with(Field::Simm16, 0x10000), Err(PatchError::Value(_))));
    /// assert!(matches!(sleep.with(Field::Op, 127), Err(PatchError::Decode(_))));
    /// # }
    /// ```
    pub fn with(&self, field: Field, value: u32) -> Result<Inst, PatchError> {
        let mut changed = *self;
        changed.put(field, value)?;
        Ok(changed)
    }

    /// Sets a field in place: see [`Inst::with`]. After an error the instruction is as it was.
    #[inline]
    pub(super) fn put(&mut self, field: Field, value: u32) -> Result<(), PatchError> {
        let (first, info) = self.settable(field).ok_or(PatchError::NoField(field))?;
        #[cfg(feature = "fast")]
        if self.put_piece(first, info, value) {
            return Ok(());
        }
        *self = self.with_decoded(Location::new(info, first), value)?;
        Ok(())
    }

    /// Sets a field of one piece, if the fast path of the decoder accepts the result. If not, the result is `false`,
    /// and the instruction is as it was.
    #[cfg(feature = "fast")]
    #[inline(always)]
    fn put_piece(&mut self, first: u8, info: &FieldInfo, value: u32) -> bool {
        let (lsb, most) = (first + info.lsb, (1u64 << (info.width & 63)) - 1);
        if info.hi_width != 0 || lsb >= 64 || u64::from(value) > most {
            return false;
        }
        let bits = self.bits() & !(most << lsb) | u64::from(value) << lsb;
        let is_accepted = self.is_with(bits);
        if is_accepted {
            self.put_bits(bits);
        }
        is_accepted
    }

    #[inline(never)]
    fn with_decoded(&self, place: Location, value: u32) -> Result<Inst, PatchError> {
        let mut words = self.padded_words();
        place.put(&mut words, value)?;
        match decode_words(self.target(), words.get(..self.words().len()).unwrap_or(&words)) {
            Ok(changed) if changed.is_like(self) => Ok(changed),
            decoded => self.with_another(place.field, decoded),
        }
    }

    /// Checks an instruction whose form or operation has changed with a field.
    #[cold]
    fn with_another(&self, field: Field, decoded: Result<Inst, DecodeError>) -> Result<Inst, PatchError> {
        let changed = self.other(decoded)?;
        match changed.opcode() == self.opcode() || field == Field::Op || self.second_opcode().is_some() {
            true => Ok(changed),
            false => Err(PatchError::Form { format: self.format(), extension: self.extension() }),
        }
    }

    /// Like [`Inst::with`], but takes the number that the operation reads from the field. Some numbers are signed: the
    /// offset of a global or scalar load, the distance of a branch. In such a field, the upper half of the values means
    /// negative numbers. Numbers are not masked. A constant of 16 bits or a literal can be given as a signed or an
    /// unsigned number. In all other fields a negative number does not fit.
    ///
    /// # Errors
    /// As for [`Inst::with`].
    ///
    /// ```
    /// # #[cfg(all(feature = "gfx942", feature = "text"))] {
    /// use amdgpu_isa::{Field, Target, decode_words};
    /// let load = decode_words(Target::Gfx942, &[0xdc50_8000, 0x0000_0001]).unwrap();
    /// assert_eq!(load.to_string(), "global_load_dword v0, v1, s[0:1]");
    /// let load = load.with_signed(Field::Offset, -16).unwrap();
    /// assert_eq!(load.to_string(), "global_load_dword v0, v1, s[0:1] offset:-16");
    /// assert!(load.with_signed(Field::Offset, 4096).is_err());
    /// assert!(load.with_signed(Field::Vdst, -1).is_err());
    /// # }
    /// ```
    pub fn with_signed(&self, field: Field, value: i32) -> Result<Inst, PatchError> {
        let width = self.locate(field).ok_or(PatchError::NoField(field))?.width();
        let unused = 32 - u32::from(width.clamp(1, 32));
        let bits = (value as u32) << unused >> unused;
        let negative = i64::from(value << unused >> unused);
        let is_read = match self.signs(field) {
            (true, true) => negative == value.into() || i64::from(bits) == value.into(),
            (true, false) => negative == value.into(),
            _ => i64::from(bits) == value.into(),
        };
        if !is_read {
            return Err(FieldError { field, value: value.into(), width }.into());
        }
        self.with(field, bits)
    }

    /// Whether the field takes negative numbers, and whether its upper values are also positive numbers.
    fn signs(&self, field: Field) -> (bool, bool) {
        let is_constant = |desc: &OperandDesc| {
            desc.width == 16 && matches!(desc.kind, OperandKind::Number(kind) if kind.has_both_signs())
        };
        let is_number = |desc: &OperandDesc| {
            desc.kind == OperandKind::Number(NumberKind::Label) || is_signed(desc) && has_number(desc, self)
        };
        let has = |test: &dyn Fn(&OperandDesc) -> bool| self.descs().any(|desc| desc.field == field && test(desc));
        let is_bits = field == Field::Literal || has(&is_constant);
        (is_bits || has(&is_number), is_bits)
    }

    /// The instruction with another literal: the dword after the base words, which two sources can share.
    ///
    /// # Errors
    /// The instruction has no literal.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::{Target, decode_words};
    /// let mov = decode_words(Target::Gfx942, &[0xbe80_00ff, 0x1234_5678]).unwrap(); // s_mov_b32 s0, 0x12345678
    /// assert_eq!(mov.with_literal(7).unwrap().words(), [0xbe80_00ff, 7]);
    /// # }
    /// ```
    pub fn with_literal(&self, literal: u32) -> Result<Inst, PatchError> {
        self.with(Field::Literal, literal)
    }

    /// The instruction with another value for a constant that has parts: `s_waitcnt`, `s_getreg`, ...
    ///
    /// # Errors
    /// A part does not fit, or the instruction has a different kind of constant or none (the error then names
    /// [`Field::Simm16`]).
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::imm::{Imm, Waitcnt};
    /// use amdgpu_isa::{Target, decode_words};
    /// let wait = decode_words(Target::Gfx942, &[0xbf8c_c07f]).unwrap(); // s_waitcnt lgkmcnt(0)
    /// let all = Waitcnt::new().with_vmcnt(0).with_expcnt(0).with_lgkmcnt(0);
    /// assert_eq!(wait.with_imm(Imm::Waitcnt(all)).unwrap().words(), [0xbf8c_0000]);
    /// # }
    /// ```
    pub fn with_imm(&self, imm: Imm) -> Result<Inst, PatchError> {
        let is_same = |desc: &&OperandDesc| desc.kind.parts() == Some(imm.kind());
        let desc = self.descs().find(is_same).ok_or(PatchError::NoField(Field::Simm16))?;
        self.with(desc.field, imm.encode(self.target())?.into())
    }

    /// The branch or call at the address `pc` with another target. Both addresses are in bytes. A constant that is
    /// added to the address ([`Jump`](crate::facts::AddressStep::Jump)) keeps its kind, literal or inline.
    ///
    /// # Errors
    /// The target is out of reach, or the instruction is not a branch.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::patch::PatchError;
    /// use amdgpu_isa::{Target, decode_words};
    /// let branch = decode_words(Target::Gfx942, &[0xbf82_fffe]).unwrap(); // s_branch
    /// let there = branch.with_branch_target(0x1000, 0x1800).unwrap();
    /// assert_eq!(there.branch_target(0x1000), Some(0x1800));
    /// assert_eq!(branch.with_branch_target(0, 0x20004), Err(PatchError::Distance(0x20000)));
    /// # }
    /// ```
    pub fn with_branch_target(&self, pc: u64, target: u64) -> Result<Inst, PatchError> {
        let distance = target.wrapping_sub(pc).wrapping_sub(self.len() as u64) as i64;
        if self.is_jump() {
            return self.with_distance(distance);
        }
        if !self.is_branch() {
            return Err(PatchError::NotABranch(self.opcode()));
        }
        match i16::try_from(distance >> 2) {
            Ok(dwords) if distance & 3 == 0 => {
                // `branch_target` reads the lower half, in which every value is a distance.
                Ok(self.with_low_half(dwords as u16))
            }
            _ => Err(PatchError::Distance(distance)),
        }
    }

    /// The jump with another distance, in bytes, which must fit in the operand that holds the old distance.
    fn with_distance(&self, distance: i64) -> Result<Inst, PatchError> {
        self.jump_distance().ok_or(PatchError::NotABranch(self.opcode()))?;
        let refused = PatchError::Distance(distance);
        match self.words().len() {
            _ if distance & 3 != 0 => Err(refused),
            1 => self.with(Field::Ssrc0, of_int(distance).ok_or(refused)?.into()),
            2 if (0..1 << 31).contains(&distance) => self.with_literal(distance as u32),
            2 => Err(refused),
            len => {
                let mut words = self.padded_words();
                let halves = [distance as u32, (distance >> 32) as u32];
                words.iter_mut().take(len).skip(len.saturating_sub(2)).zip(halves).for_each(|(to, half)| *to = half);
                self.of_words(&words)
            }
        }
    }

    /// The instruction with another operation and the same fields, in the same format and of the same length. The new
    /// operation determines the type and width of the operands: see [`Inst::operands`], [`Inst::check`].
    ///
    /// # Errors
    /// The target has no such operation in this format, a field holds a value that the operation does not allow, or the
    /// length would change.
    ///
    /// ```
    /// # #[cfg(all(feature = "gfx942", feature = "text"))] {
    /// use amdgpu_isa::patch::PatchError;
    /// use amdgpu_isa::{Opcode, Target, decode_words};
    /// let add = decode_words(Target::Gfx942, &[0x8004_0501]).unwrap(); // s_add_u32 s4, s1, s5
    /// assert_eq!(add.with_opcode(Opcode::SSubU32).unwrap().to_string(), "s_sub_u32 s4, s1, s5");
    /// assert_eq!(add.with_opcode(Opcode::VAddF32), Err(PatchError::Opcode(Opcode::VAddF32)));
    /// # }
    /// ```
    pub fn with_opcode(&self, opcode: Opcode) -> Result<Inst, PatchError> {
        let place = self.locate(Field::Op).ok_or(PatchError::NoField(Field::Op))?;
        let mut result = Err(PatchError::Opcode(opcode));
        for Encoding { number, .. } in opcode.encodings(self.target()).filter(|e| e.format == self.format()) {
            let mut words = self.padded_words();
            place.put(&mut words, number.into())?;
            match self.of_words(&words) {
                Ok(changed) if changed.opcode() == opcode => return Ok(changed),
                Ok(_) => {}
                Err(error) => result = Err(error),
            }
        }
        result
    }

    /// Decodes other words of the same length and checks that length and format stay the same.
    pub(super) fn of_words(&self, words: &[u32; MAX_DWORDS]) -> Result<Inst, PatchError> {
        match decode_words(self.target(), words.get(..self.words().len()).unwrap_or(words)) {
            Ok(changed) if changed.is_like(self) => Ok(changed),
            decoded => self.other(decoded),
        }
    }

    /// Checks the length and the format of an instruction that is another operation or form.
    #[cold]
    fn other(&self, decoded: Result<Inst, DecodeError>) -> Result<Inst, PatchError> {
        let dwords = self.words().len();
        let size = |needed: usize| PatchError::Size { dwords: dwords as u8, needed: needed as u8 };
        let changed = decoded.map_err(|e| match e {
            DecodeError::Truncated { needed } => size(usize::from(needed) / 4),
            error => PatchError::Decode(error),
        })?;
        if changed.words().len() != dwords {
            return Err(size(changed.words().len()));
        }
        if (changed.format(), changed.extension()) != (self.format(), self.extension()) {
            return Err(PatchError::Form { format: self.format(), extension: self.extension() });
        }
        Ok(changed)
    }
}
