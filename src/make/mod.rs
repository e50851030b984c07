//! Makes instructions: a function for each instruction of a target, and [`Builder`] for a target known only at run
//! time.
//!
//! Each function in a target's module has the name of the printed instruction (`v_add_f32_e32`), and takes the operands
//! in the order of the assembly text, except a `vcc` that no field names. An operand that is not allowed is a type
//! error where types can express that. All other errors are kept until [`Code::words`] returns the first of them, so
//! modifiers can be chained without question marks in between. Everything is `const`.
//!
//! ```
//! # #[cfg(feature = "gfx942")] {
//! use amdgpu_isa::make::*;
//! use amdgpu_isa::imm::Waitcnt;
//! use amdgpu_isa::gfx942;
//!
//! // A constant becomes an inline constant if one has its value, otherwise a literal.
//! let add = gfx942::s_add_u32(s(4), s(1), int(1000)).words().unwrap();
//! assert_eq!(*add, [0x8004_ff01, 1000]);
//! // Registers are as wide as the operand: v[4:7], v[2:3].
//! const LOAD: Result<Words, BuildError> = gfx942::global_load_dwordx4(v(4), v(2), off()).offset(16).nt().words();
//! assert_eq!(*LOAD.unwrap(), [0xdc5e_8010, 0x047f_0002]);
//! // A width can be given, and must then be the operand's.
//! let sum: Agpr<16> = a(0);
//! gfx942::v_mfma_f32_32x32x8_f16(sum, v(2), v(4), sum).words().unwrap();
//!
//! // A constant of several parts is given by its parts, and encoded for the target.
//! let wait = gfx942::s_waitcnt(Waitcnt::new().with_vmcnt(2).with_lgkmcnt(0)).words().unwrap();
//! assert_eq!(*wait, [0xbf8c_0072]);
//! let error = gfx942::s_waitcnt(Waitcnt::new().with_vmcnt(64)).words().unwrap_err();
//! assert_eq!(error.to_string(), "64 does not fit in the 6 bits of vmcnt");
//!
//! // One scalar goes over the constant bus, and two from RDNA on.
//! let error = gfx942::v_add_f32_e64(v(0), s(1), s(2)).words().unwrap_err();
//! assert_eq!(error, BuildError::ConstantBus(amdgpu_isa::Field::Src1));
//! # }
//! ```
//!
//! The module `constructors` of each target's module lists its functions: a table for each format, with operands and
//! modifiers, and, with the feature `meaning`, with the formula of each operation.
//!
//! An [`Assembler`](crate::asm::Assembler) accepts a [`Code`] or a [`Builder`] directly, and returns the error of an
//! instruction that cannot be made.
//!
//! ```
//! # #[cfg(feature = "gfx942")] {
//! use amdgpu_isa::asm::{Assembler, FixupSlot, LabelSlot};
//! use amdgpu_isa::make::*;
//! use amdgpu_isa::{Opcode, Target, gfx942};
//! # fn compile() -> Result<usize, amdgpu_isa::asm::AssembleError> {
//! let mut code = [0u32; 16];
//! let (mut labels, mut fixups) = ([LabelSlot::EMPTY; 1], [FixupSlot::EMPTY; 1]);
//! let mut asm = Assembler::new(Target::Gfx942, &mut code, &mut labels, &mut fixups);
//! let again = asm.here()?;
//! asm.emit(gfx942::s_sub_u32(s(2), s(2), int(1)))?;
//! asm.emit(Builder::new(Target::Gfx942, Opcode::SCmpLgU32).ssrc0(args::s(2)).ssrc1(0))?;
//! asm.jump(Opcode::SCbranchScc1, again)?;
//! asm.emit(gfx942::s_endpgm())?;
//! Ok(asm.finish()?.len())
//! # }
//! # assert_eq!(compile(), Ok(16));
//! # }
//! ```
//!
//! From RDNA3 on, operands of 16 bits in vector registers are halves: [`v(1).l()`](Vgpr::l) is `v1.l`, and
//! [`v(1).h()`](Vgpr::h) is `v1.h`. Such operands set the bits of `op_sel`; the method `op_sel` is needed only for
//! scalars. Dual instructions are made from two operations: see [`Dual`]. If the target has its own spelling of an
//! operation (`global_load_b64` instead of `global_load_dwordx2`), the function has both names.
//!
//! ```
//! # #[cfg(feature = "gfx1100")] {
//! use amdgpu_isa::gfx1100::{self, vopd, vopd::*};
//! use amdgpu_isa::make::*;
//! use amdgpu_isa::Target;
//!
//! let half = gfx1100::v_add_f16_e32(v(0).h(), float(0.5), v(1).l());
//! assert_eq!(half.inst(Target::Gfx1100).unwrap().to_string(), "v_add_f16_e32 v0.h, 0.5, v1.l");
//! // The encoding of 32 bits can name only halves of v0 to v127.
//! let error = gfx1100::v_add_f16_e32(v(0).h(), float(0.5), v(128).l()).words().unwrap_err();
//! assert_eq!(error.to_string(), "vsrc1: v128 is not allowed here");
//! let half = gfx1100::v_add_f16_e64(v(0).h(), s(2), v(128).l()).op_sel(0b1001).words().unwrap();
//! assert_eq!(*half, [0xd532_4800, 0x0003_0002]);
//! // A register and op_sel must agree.
//! let error = gfx1100::v_add_f16_e64(v(0).h(), s(2), v(128).l()).op_sel(0b1011).words().unwrap_err();
//! assert_eq!(error, BuildError::OtherHalf { operand: 1 });
//!
//! // DPP after an encoding of 64 bits.
//! let shared = gfx1100::v_fma_f32_e64_dpp(v(0), v(1), v(2), v(3), gfx1100::dpp_ctrl::ROW_MIRROR).neg(2).clamp();
//! assert_eq!(shared.words().unwrap().len(), 3);
//! let load = gfx1100::global_load_b64(v(4), v(2), off()).offset(-16).dlc().words().unwrap();
//! assert_eq!(*load, [0xdc56_3ff0, 0x047c_0002]);
//! let two = vopd(v_dual_mul_f32(v(4), s(2), v(1)), v_dual_mov_b32(v(7), int(0)));
//! assert_eq!(two.inst(Target::Gfx1100).unwrap().to_string(), "v_dual_mul_f32 v4, s2, v1 :: v_dual_mov_b32 v7, 0");
//! # }
//! ```
//!
//! The compiler refuses a scalar where only a vector register is allowed, the wrong operand width, a modifier that the
//! instruction lacks, and an AccVGPR where none is allowed.
//!
//! ```compile_fail
//! use amdgpu_isa::{gfx942, make::*};
//! gfx942::v_add_f32_e32(v(0), v(1), s(2));
//! ```
//! ```compile_fail
//! use amdgpu_isa::{gfx942, make::*};
//! gfx942::s_mov_b64(s::<1>(4), s(6));
//! ```
//! ```compile_fail
//! use amdgpu_isa::{gfx942, make::*};
//! gfx942::v_add_f32_e32(v(0), v(1), v(2)).clamp();
//! ```
//! ```compile_fail
//! use amdgpu_isa::{gfx942, make::*};
//! gfx942::v_add_f32_e32(a(0), v(1), v(2));
//! ```
//!
//! The compiler also refuses a whole register where a half is wanted, and a dual instruction whose first operation can
//! only be the second one.
//!
//! ```compile_fail
//! use amdgpu_isa::{gfx1100, make::*};
//! gfx1100::v_add_f16_e32(v(0), v(1).l(), v(2).h());
//! ```
//! ```compile_fail
//! use amdgpu_isa::gfx1100::{vopd, vopd::*};
//! use amdgpu_isa::make::*;
//! vopd(v_dual_and_b32(v(0), v(1), v(2)), v_dual_mov_b32(v(3), v(4)));
//! ```

pub mod args;
mod argument;
mod arguments;
mod builder;
#[allow(dead_code)] // Only some targets have dual instructions.
pub mod dual;
mod error;
mod fill;
#[allow(dead_code)] // Only RDNA's operations have such addresses.
mod image;
mod limit;
pub mod modifiers;
mod op;
#[allow(dead_code)] // Not every target calls all of the module.
mod operand;
mod resolve;

use core::marker::PhantomData;
use core::ops::Deref;

use modifiers::ModifierSet;

use crate::decode::decode_words;
use crate::inst::Inst;
use crate::target::Target;

pub use argument::{Argument, ToArgument};
pub use builder::Builder;
pub use dual::Dual;
pub use error::{BuildError, Given};
pub use image::{ImageAddress, address, addresses};
pub use op::*;

/// The generated tables of operands and modifiers.
#[allow(clippy::all, dead_code, unused_imports)]
pub(crate) mod generated {
    include!(concat!(env!("OUT_DIR"), "/make.rs"));
}
pub use generated::operands;
#[cfg_attr(doc, doc(hidden))]
pub use generated::sets;

/// An instruction under construction. `M` is the set of its modifiers, which determines the available methods.
///
/// [`Code::words`] reports the first error in operands or modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Code<M> {
    bits: u64,
    /// The third and fourth dword; zero except for a few instructions.
    high: u64,
    dwords: u8,
    /// The fifth dword.
    last: u32,
    /// Number of dwords of image data, if its size must be checked; otherwise 0.
    data: u8,
    /// Number of registers of an image address, if this number must be checked; otherwise 0.
    address: u8,
    error: Option<BuildError>,
    /// The values that the instruction reads over the constant bus, as `bus_key` returns them; 0 for values that have
    /// not been read yet.
    bus: [u64; 2],
    /// Bits whose values operands have decided: those that select AccVGPRs or halves of registers.
    decided: u64,
    set: PhantomData<M>,
}

impl<M: ModifierSet> Code<M> {
    /// Returns the dwords of the instruction.
    ///
    /// # Errors
    /// The first error in operands or modifiers.
    #[inline(always)]
    pub const fn words(&self) -> Result<Words, BuildError> {
        let mut code = *self;
        if M::IMAGE[0] != 0 {
            code = code.image_data(M::IMAGE);
        }
        if let Some(address) = &M::ADDRESS {
            code = code.image_address_size(address);
        }
        if !M::LIMITS.is_empty() {
            code = code.limited(M::LIMITS);
        }
        match code.error {
            Some(error) => Err(error),
            None => Ok(Words::new(code.bits, code.high, code.last, code.dwords)),
        }
    }

    /// The operation, if the bits so far determine it.
    pub(crate) fn opcode(&self, target: Target) -> Option<crate::opcode::Opcode> {
        let words = [self.bits as u32, (self.bits >> 32) as u32, 0];
        decode_words(target, &words).ok().map(|inst| inst.opcode())
    }

    /// The instruction, decoded for a target.
    ///
    /// # Errors
    /// See [`Code::words`]; [`BuildError::Refused`] if the target has no such instruction.
    pub fn inst(&self, target: Target) -> Result<Inst, BuildError> {
        decode_words(target, &self.words()?).map_err(BuildError::Refused)
    }
}

/// The dwords of an instruction, base word first.
///
/// ```
/// # #[cfg(feature = "gfx942")] {
/// use amdgpu_isa::{gfx942, make::*};
/// let words = gfx942::s_mov_b32(s(0), int(5)).words().unwrap();
/// assert_eq!(words.len(), 1);
/// let mut buffer = [0; 16];
/// buffer[..words.len()].copy_from_slice(&words);
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Words {
    words: [u32; Words::MAX],
    len: u8,
}

impl Words {
    /// Dwords of the longest instruction that a constructor of an enabled target makes: 2, 3 with RDNA3 and RDNA4, 4
    /// with `gfx950` and CDNA5, or 5 with RDNA1 and RDNA2.
    pub const MAX: usize = generated::LONGEST;

    /// The dwords as an array, padded with zeros.
    #[inline(always)]
    pub const fn padded(&self) -> [u32; Words::MAX] {
        self.words
    }

    #[inline(always)]
    const fn new(bits: u64, high: u64, last: u32, len: u8) -> Words {
        let mut words = [0; Words::MAX];
        let all = [bits as u32, (bits >> 32) as u32, high as u32, (high >> 32) as u32, last];
        let mut n = 0;
        while n < Words::MAX {
            words[n] = all[n];
            n += 1;
        }
        Words { words, len }
    }
}

impl Deref for Words {
    type Target = [u32];

    #[inline(always)]
    fn deref(&self) -> &[u32] {
        self.words.get(..usize::from(self.len)).unwrap_or(&self.words)
    }
}
