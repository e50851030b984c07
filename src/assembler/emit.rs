//! Values that the assembler emits as instructions.

use super::AssembleErrorKind;
use crate::decode::decode_words;
use crate::inst::Inst;
use crate::microcode::Microcode;
use crate::opcode::Opcode;
use crate::target::Target;

/// Values that the assembler accepts as an instruction: an [`Inst`], a format's struct, or dwords. With the feature
/// `make`, also the results of constructors and of the `Builder`.
///
/// ```
/// # #[cfg(feature = "gfx942")] {
/// use amdgpu_isa::gfx942::{Sopp, SoppOp};
/// use amdgpu_isa::asm::{AssembleErrorKind, Emit};
/// use amdgpu_isa::Target;
/// assert_eq!(Sopp::new().with_op(SoppOp::SEndpgm).inst(Target::Gfx942).unwrap().words(), [0xbf81_0000]);
/// assert_eq!([0xbe80_00ff, 7].inst(Target::Gfx942).unwrap().len(), 8); // s_mov_b32 s0, 7
/// assert!(matches!([0xbe80_00ff].inst(Target::Gfx942), Err(AssembleErrorKind::Decode(_)))); // its literal is missing
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an instruction that an assembler can emit",
    label = "pass an `Inst`, a format's struct, an array of dwords, or what a constructor or a `Builder` makes",
    note = "an integer alone is emitted by `Assembler::dword`, a slice of dwords by `Assembler::words`"
)]
pub trait Emit {
    /// The instruction.
    ///
    /// # Errors
    /// The instruction belongs to another target, the words are not exactly one instruction, or the arguments of a
    /// constructor or `Builder` do not make one.
    fn inst(&self, target: Target) -> Result<Inst, AssembleErrorKind>;

    /// The operation, for error messages. The operation may be known even if [`Emit::inst`] fails.
    fn opcode(&self, target: Target) -> Option<Opcode> {
        self.inst(target).ok().map(|inst| inst.opcode())
    }
}

impl Emit for Inst {
    fn inst(&self, target: Target) -> Result<Inst, AssembleErrorKind> {
        match self.target() == target {
            true => Ok(*self),
            false => Err(AssembleErrorKind::Target(self.target())),
        }
    }

    fn opcode(&self, _: Target) -> Option<Opcode> {
        Some(Inst::opcode(self))
    }
}

impl Emit for &Inst {
    fn inst(&self, target: Target) -> Result<Inst, AssembleErrorKind> {
        (*self).inst(target)
    }

    fn opcode(&self, target: Target) -> Option<Opcode> {
        Emit::opcode(*self, target)
    }
}

impl<M: Microcode> Emit for M {
    fn inst(&self, target: Target) -> Result<Inst, AssembleErrorKind> {
        of_words(target, self.to_words().as_ref())
    }
}

impl<const N: usize> Emit for [u32; N] {
    fn inst(&self, target: Target) -> Result<Inst, AssembleErrorKind> {
        of_words(target, self)
    }
}

#[cfg(feature = "make")]
impl<M: crate::make::modifiers::ModifierSet> Emit for crate::make::Code<M> {
    fn inst(&self, target: Target) -> Result<Inst, AssembleErrorKind> {
        of_words(target, &self.words()?)
    }

    fn opcode(&self, target: Target) -> Option<Opcode> {
        self.opcode(target)
    }
}

#[cfg(feature = "make")]
impl Emit for crate::make::Words {
    fn inst(&self, target: Target) -> Result<Inst, AssembleErrorKind> {
        of_words(target, self)
    }
}

#[cfg(feature = "make")]
impl Emit for crate::make::Builder {
    fn inst(&self, target: Target) -> Result<Inst, AssembleErrorKind> {
        self.build()?.inst(target)
    }

    fn opcode(&self, _: Target) -> Option<Opcode> {
        Some(self.opcode)
    }
}

fn of_words(target: Target, words: &[u32]) -> Result<Inst, AssembleErrorKind> {
    let inst = decode_words(target, words)?;
    let dwords = inst.words().len();
    match dwords == words.len() {
        true => Ok(inst),
        false => Err(AssembleErrorKind::Size { dwords: dwords as u8, given: words.len().min(255) as u8 }),
    }
}
