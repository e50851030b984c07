//! Changes instructions, in memory or as values.
//!
//! Each method of [`InstMut`] calls the method of [`Inst`] that returns a changed instruction ([`Inst::with`] and
//! others), and writes the result back if it is valid. Nothing in this module depends on the target's generation.

mod change;
mod error;
mod locate;
mod operand;
mod trampoline;

use core::ops::Deref;

pub use error::PatchError;
pub use locate::{Location, Piece};
pub use trampoline::{Installed, Trampoline, TrampolineError};

use crate::decode::{Decoded, Invalid};
use crate::error::DecodeError;
use crate::imm::Imm;
use crate::inst::Inst;
use crate::opcode::{Field, Opcode};
use crate::target::Target;
use crate::value::{Reg, Value};

pub use crate::buffer::{Buffer, Memory};

/// An instruction in memory, in a slice of dwords or bytes, that can be changed in place.
///
/// An `InstMut` derefs to [`Inst`]. A change either succeeds, so that the memory decodes to the requested instruction,
/// or returns an error and leaves the memory untouched.
///
/// ```
/// # #[cfg(feature = "gfx942")] {
/// use amdgpu_isa::patch::InstMut;
/// use amdgpu_isa::{Field, Opcode, Target};
/// // s_add_u32 s4, s1, s5; s_mov_b32 s0, 0x12345678
/// let mut code: [u32; 3] = [0x8004_0501, 0xbe80_00ff, 0x1234_5678];
/// let mut inst = InstMut::new(Target::Gfx942, &mut code[1..]).unwrap();
/// assert_eq!(inst.opcode(), Opcode::SMovB32);
/// inst.set_literal(0x1000).unwrap();
/// inst.set(Field::Sdst, 7).unwrap();
/// assert!(inst.set(Field::Sdst, 128).is_err());
/// assert_eq!(code, [0x8004_0501, 0xbe87_00ff, 0x1000]);
/// # }
/// ```
#[derive(Debug)]
pub struct InstMut<'a, C: Memory + ?Sized = [u32]> {
    inst: Inst,
    code: &'a mut C,
}

impl<C: Memory + ?Sized> Deref for InstMut<'_, C> {
    type Target = Inst;

    fn deref(&self) -> &Inst {
        &self.inst
    }
}

impl<'a, C: Memory + ?Sized> InstMut<'a, C> {
    /// Decodes the first instruction of `code`. The code after it is never changed.
    ///
    /// # Errors
    /// See [`decode`](crate::decode()).
    #[inline]
    pub fn new(target: Target, code: &'a mut C) -> Result<Self, DecodeError> {
        // Moving the instruction out of a `Result` would be a wide load, which waits for the narrow stores before it.
        let inst = match code.first_fast(target) {
            Some(inst) => inst,
            None => code.first(target)?,
        };
        Ok(InstMut { inst, code })
    }

    /// Sets a field: see [`Inst::with`].
    ///
    /// # Errors
    /// As for [`Inst::with`]; the memory is unchanged.
    pub fn set(&mut self, field: Field, value: u32) -> Result<(), PatchError> {
        self.inst.put(field, value)?;
        self.write();
        Ok(())
    }

    /// Sets a field to a signed value: see [`Inst::with_signed`].
    ///
    /// # Errors
    /// As for [`Inst::with_signed`]; the memory is unchanged.
    pub fn set_signed(&mut self, field: Field, value: i32) -> Result<(), PatchError> {
        self.change(|inst| inst.with_signed(field, value))
    }

    /// Sets the literal: see [`Inst::with_literal`].
    ///
    /// # Errors
    /// As for [`Inst::with_literal`]; the memory is unchanged.
    pub fn set_literal(&mut self, literal: u32) -> Result<(), PatchError> {
        self.change(|inst| inst.with_literal(literal))
    }

    /// Sets a constant that has parts: see [`Inst::with_imm`].
    ///
    /// # Errors
    /// As for [`Inst::with_imm`]; the memory is unchanged.
    pub fn set_imm(&mut self, imm: Imm) -> Result<(), PatchError> {
        self.change(|inst| inst.with_imm(imm))
    }

    /// Sets an operand: see [`Inst::with_operand`].
    ///
    /// # Errors
    /// As for [`Inst::with_operand`]; the memory is unchanged.
    pub fn set_operand(&mut self, field: Field, value: Value) -> Result<(), PatchError> {
        self.change(|inst| inst.with_operand(field, value))
    }

    /// Sets an operand to a register: see [`Inst::with_operand`].
    ///
    /// # Errors
    /// As for [`Inst::with_operand`]; the memory is unchanged.
    pub fn set_register(&mut self, field: Field, register: Reg) -> Result<(), PatchError> {
        self.set_operand(field, Value::Reg(register))
    }

    /// Sets the target of a branch or call at the address `pc`, in bytes: see [`Inst::with_branch_target`].
    ///
    /// # Errors
    /// As for [`Inst::with_branch_target`]; the memory is unchanged.
    pub fn set_branch_target(&mut self, pc: u64, target: u64) -> Result<(), PatchError> {
        self.change(|inst| inst.with_branch_target(pc, target))
    }

    /// Sets the operation: see [`Inst::with_opcode`].
    ///
    /// # Errors
    /// As for [`Inst::with_opcode`]; the memory is unchanged.
    pub fn set_opcode(&mut self, opcode: Opcode) -> Result<(), PatchError> {
        self.change(|inst| inst.with_opcode(opcode))
    }

    /// Replaces the instruction with any other of the same length.
    ///
    /// # Errors
    /// The new instruction has another length or belongs to another target; the memory is unchanged.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::patch::{InstMut, PatchError};
    /// use amdgpu_isa::{Target, decode_words};
    /// let nop = decode_words(Target::Gfx942, &[0xbf80_0000]).unwrap();
    /// let mut code: [u32; 3] = [0xbf81_0000, 0xbe80_00ff, 0x1234_5678]; // s_endpgm; s_mov_b32 s0, 0x12345678
    /// InstMut::new(Target::Gfx942, &mut code[..]).unwrap().replace(&nop).unwrap();
    /// let refused = InstMut::new(Target::Gfx942, &mut code[1..]).unwrap().replace(&nop);
    /// assert_eq!(refused, Err(PatchError::Size { dwords: 2, needed: 1 }));
    /// assert_eq!(code, [0xbf80_0000, 0xbe80_00ff, 0x1234_5678]);
    /// # }
    /// ```
    pub fn replace(&mut self, inst: &Inst) -> Result<(), PatchError> {
        let (dwords, needed) = (self.inst.words().len() as u8, inst.words().len() as u8);
        match (self.inst.target() == inst.target(), dwords == needed) {
            (false, _) => Err(PatchError::Target),
            (_, false) => Err(PatchError::Size { dwords, needed }),
            _ => self.change(|_| Ok(*inst)),
        }
    }

    fn change(&mut self, to: impl FnOnce(&Inst) -> Result<Inst, PatchError>) -> Result<(), PatchError> {
        self.inst = to(&self.inst)?;
        self.write();
        Ok(())
    }

    /// Writes the instruction to the memory.
    #[inline]
    fn write(&mut self) {
        for (at, &word) in self.inst.words().iter().enumerate() {
            // The instruction was decoded from this memory, and its length has not changed.
            self.code.set_dword(at, word);
        }
    }
}

/// Iterates over code that can be changed: like [`Decoder`](crate::Decoder), with an [`InstMut`] for each instruction.
/// Offsets are in bytes.
///
/// ```
/// # #[cfg(feature = "gfx942")] {
/// use amdgpu_isa::patch::DecoderMut;
/// use amdgpu_isa::{Decoded, Field, Opcode, Target};
/// let mut code: [u8; 8] = [0x7f, 0x00, 0x8e, 0xbf, 0x00, 0x00, 0x81, 0xbf]; // s_sleep 127; s_endpgm
/// for Decoded { inst, .. } in DecoderMut::new(Target::Gfx942, &mut code[..]) {
///     let mut inst = inst.unwrap();
///     if inst.opcode() == Opcode::SSleep {
///         inst.set(Field::Simm16, 1).unwrap();
///     }
/// }
/// assert_eq!(code, [0x01, 0x00, 0x8e, 0xbf, 0x00, 0x00, 0x81, 0xbf]);
/// # }
/// ```
#[derive(Debug)]
pub struct DecoderMut<'a, C: Memory + ?Sized = [u32]> {
    target: Target,
    /// The rest of the code; `None` while `next` splits it, and at the end.
    rest: Option<&'a mut C>,
    offset: usize,
}

impl<'a, C: Memory + ?Sized> DecoderMut<'a, C> {
    /// Starts at the first byte.
    pub fn new(target: Target, code: &'a mut C) -> Self {
        DecoderMut { target, rest: Some(code), offset: 0 }
    }
}

impl<'a, C: Memory + ?Sized> Iterator for DecoderMut<'a, C> {
    type Item = Decoded<InstMut<'a, C>>;

    fn next(&mut self) -> Option<Self::Item> {
        let (rest, offset) = (self.rest.take()?, self.offset);
        let (word, len) = rest.head();
        if len == 0 {
            return None;
        }
        let decoded = rest.first(self.target);
        let dwords = decoded.as_ref().map_or(1, |inst| inst.words().len());
        let (code, rest) = rest.split(dwords)?;
        self.rest = Some(rest);
        self.offset += decoded.as_ref().map_or(usize::from(len), |inst| inst.len());
        let inst = match decoded {
            Ok(inst) => Ok(InstMut { inst, code }),
            Err(error) => Err(Invalid { word, len, error }),
        };
        Some(Decoded { offset, inst })
    }
}

impl<C: Memory + ?Sized> core::iter::FusedIterator for DecoderMut<'_, C> {}
