//! Encode, decode, print and patch AMD GPU machine code: without `std`, allocation, `unsafe` or panics.
//!
//! Each target is a feature (`gfx942`, ...) and a [`Target`]; `all-targets` enables all of them. [`decode()`] turns
//! bytes into an [`Inst`], which keeps them bit for bit. The [`Inst`] tells what the instruction does ([`Opcode`],
//! [`Flags`](facts::Flags)), what it reads and writes ([`Operands`](operands::Operands)), the values of its fields, and
//! whether it breaks a rule beyond decoding ([`Inst::check`]). [`Decoder`] iterates over a buffer; [`length`] computes
//! only the length of an instruction. Each target has a module with a struct for each microcode format, which holds the
//! words of that format. The feature `text` adds printing. Code is little-endian dwords; an instruction has 4 to 20
//! bytes.
//!
//! | module | for |
//! |---|---|
//! | [`patch`] | changing code in place; hooks |
//! | [`asm`] | labels, branches, alignment, symbols |
//! | `make` | a function for each instruction, and a builder (feature `make`) |
//! | [`facts`], [`imm`] | what an instruction reads, writes and waits for; the parts of its constants |
//! | `flow`, [`hazards`] | control flow and liveness (feature `alloc`); waits and distances that hardware requires |
//! | [`addresses`] | addresses that code computes from the program counter |
//! | [`convert`] | other encodings, other targets |
//! | [`check`] | rules beyond decoding |
//! | [`signature`], [`layout`] | what an operation takes, and where its fields are, without an instruction at hand |
//! | `text` | printing and parsing (feature `text`) |
//! | `meaning` | what each operation computes (feature `meaning`) |
//! | [`processor`] | every processor, by name or ELF number |
//! | [`operands`], [`errors`] | the smaller types of operands; errors |
//! | `gfx942` and others | the structs, opcode enums and constructors of one target |
//!
//! # Decode
//! If bytes are not an instruction, the decoder reports the reason and continues after them.
//! ```
//! # #[cfg(feature = "gfx942")] {
//! use amdgpu_isa::{Access, DecodeError, Decoded, Decoder, Format, Opcode, Reg, Target, Value};
//! // v_fmac_f32 v5, s4, v4; then a dword that is not an instruction; then s_endpgm
//! let code = [0x04, 0x08, 0x0a, 0x76, 0x00, 0x00, 0xff, 0xbf, 0x00, 0x00, 0x81, 0xbf];
//! let mut walk = Decoder::new(Target::Gfx942, &code);
//!
//! let Decoded { offset, inst } = walk.next().unwrap();
//! let inst = inst.unwrap();
//! assert_eq!((offset, inst.len(), inst.opcode()), (0, 4, Opcode::VFmacF32));
//! let sum = inst.operands().next().unwrap();
//! assert_eq!((sum.value, sum.bits, sum.access), (Value::Reg(Reg::Vgpr(5)), 32, Access::ReadWrite));
//!
//! let invalid = walk.next().unwrap();
//! let unknown = DecodeError::UnknownOpcode { format: Format::Sopp, opcode: 127 };
//! assert_eq!((invalid.offset, invalid.inst.unwrap_err().error), (4, unknown));
//! assert_eq!(walk.next().unwrap().inst.unwrap().opcode(), Opcode::SEndpgm);
//! # }
//! ```
//!
//! # Encode
//! An [`Inst`] writes exactly the words that it was decoded from, including reserved and ignored bits.
//! ```
//! # #[cfg(feature = "gfx942")] {
//! use amdgpu_isa::errors::EncodeError;
//! use amdgpu_isa::{Target, decode};
//! let code = [0xff, 0x00, 0x80, 0xbe, 0x78, 0x56, 0x34, 0x12]; // s_mov_b32 s0, 0x12345678
//! let inst = decode(Target::Gfx942, &code).unwrap();
//! let mut out = [0; 20];
//! assert_eq!(inst.encode(&mut out), Ok(8));
//! assert_eq!(out[..8], code);
//! assert_eq!(inst.encode(&mut out[..4]), Err(EncodeError { needed: 8 }));
//! # }
//! ```
//!
//! # Typed structs
//! The fields of a format are read and written by name. All these functions are `const`. A value that does not fit is
//! an error, and an operation that the target lacks does not compile.
//! ```
//! # #[cfg(feature = "gfx942")] {
//! use amdgpu_isa::gfx942::{Sop2, Sop2Op, Sopp, SoppOp};
//! use amdgpu_isa::{Microcode, Target, decode_words};
//! const NOP: Sopp = Sopp::new().with_op(SoppOp::SNop).with_simm16(3);
//! assert_eq!(NOP.to_words(), [0xbf80_0003]);
//!
//! let add = Sop2::new().with_op(Sop2Op::SAddU32).with_sdst(4).unwrap().with_ssrc0(1).with_ssrc1(5);
//! let inst = decode_words(Target::Gfx942, &add.to_words()).unwrap();
//! assert_eq!(Sop2::of(&inst), Some(add));
//! assert_eq!((add.op(), add.sdst()), (Ok(Sop2Op::SAddU32), 4));
//! let error = add.with_sdst(128).unwrap_err();
//! assert_eq!((error.value, error.width), (128, 7));
//! # }
//! ```
//!
//! # Making instructions
//! With the feature `make`, each target's module has a function for each instruction, and there is a builder for a
//! target known only at run time: see the module `make`.
//! ```
//! # #[cfg(all(feature = "gfx942", feature = "make"))] {
//! use amdgpu_isa::{gfx942, make::*};
//! let load = gfx942::global_load_dwordx4(v(4), v(2), off()).offset(16).nt().words().unwrap();
//! assert_eq!(*load, [0xdc5e_8010, 0x047f_0002]);
//! # }
//! ```
//!
//! # Patch
//! An instruction can be changed in place, or as a value. A change that does not fit is refused, and nothing is
//! written. See [`InstMut`](patch::InstMut), [`Inst::with`], [`Inst::locate`] and [`Trampoline`](patch::Trampoline).
//! ```
//! # #[cfg(feature = "gfx942")] {
//! use amdgpu_isa::patch::{InstMut, PatchError};
//! use amdgpu_isa::{Field, Reg, Target};
//! let mut code: [u32; 2] = [0x8004_ff01, 1000]; // s_add_u32 s4, s1, 1000
//! let mut add = InstMut::new(Target::Gfx942, &mut code[..]).unwrap();
//! add.set_literal(2000).unwrap();
//! add.set_register(Field::Ssrc0, Reg::Sgpr(7)).unwrap();
//! // Without the literal it would be shorter.
//! let shorter = add.set_register(Field::Ssrc1, Reg::Sgpr(7));
//! assert_eq!(shorter, Err(PatchError::Size { dwords: 2, needed: 1 }));
//! assert_eq!(code, [0x8004_ff07, 2000]);
//! # }
//! ```
//!
//! # Assemble
//! An [`Assembler`](asm::Assembler) handles labels, branches that become long if necessary, alignment and symbols,
//! without allocation.
//! ```
//! # #[cfg(feature = "gfx942")] {
//! use amdgpu_isa::asm::{Assembler, FixupSlot, LabelSlot};
//! use amdgpu_isa::{Opcode, Target};
//! let mut code = [0u32; 16];
//! let (mut labels, mut fixups) = ([LabelSlot::EMPTY; 1], [FixupSlot::EMPTY; 2]);
//! let mut asm = Assembler::new(Target::Gfx942, &mut code, &mut labels, &mut fixups);
//! let end = asm.label().unwrap();
//! asm.jump(Opcode::SCbranchExecz, end).unwrap();
//! asm.emit([0x0204_0501]).unwrap(); // v_add_f32 v2, v1, v2
//! asm.bind(end).unwrap();
//! asm.emit([0xbf81_0000]).unwrap(); // s_endpgm
//! assert_eq!(asm.finish().unwrap().len(), 12);
//! assert_eq!(code[..3], [0xbf88_0001, 0x0204_0501, 0xbf81_0000]);
//! # }
//! ```
//!
//! # What an instruction does
//! An [`Inst`] knows the registers that it reads and writes, the memory that it accesses, the counters that it raises,
//! whether its sources can be swapped, and its other encodings. See [`RegSet`](facts::RegSet), [`Inst::memory`],
//! [`Inst::counters`], [`Flags`](facts::Flags), [`Inst::commuted`], [`Inst::shrink`] and [`Inst::expand`]. A
//! [`Signature`](signature::Signature) describes the operands of an operation without an instruction at hand.
//! ```
//! # #[cfg(all(feature = "gfx942", feature = "text"))] {
//! use amdgpu_isa::facts::Counter;
//! use amdgpu_isa::{Reg, Target, decode_words};
//! let load = decode_words(Target::Gfx942, &[0xdc50_8000, 0x0000_0001]).unwrap(); // global_load_dword v0, v1, s[0:1]
//! let sub = decode_words(Target::Gfx942, &[0xd102_0003, 0x0002_0005]).unwrap(); // v_sub_f32_e64 v3, s5, v0
//! assert!(load.counters().contains(Counter::Vmcnt) && load.reads().contains(Reg::Exec));
//! assert!(sub.reads().intersects(&load.writes())); // so it has to wait
//! assert_eq!(sub.shrink().unwrap().to_string(), "v_sub_f32_e32 v3, s5, v0");
//! assert_eq!(sub.commuted().unwrap().to_string(), "v_subrev_f32_e64 v3, v0, s5");
//! # }
//! ```
//!
//! # Another target
//! An instruction can be re-targeted: the result has the same operation, operands and modifiers, encoded for the other
//! target.
//! ```
//! # #[cfg(all(feature = "gfx942", feature = "gfx600"))] {
//! use amdgpu_isa::convert::RetargetError;
//! use amdgpu_isa::{Field, Target, decode_words};
//! let load = decode_words(Target::Gfx600, &[0xc002_8310]).unwrap(); // s_load_dword s5, s[2:3], 0x10 (dwords)
//! let load = load.retarget(Target::Gfx942).unwrap();
//! assert_eq!(load.words(), [0xc002_0141, 0x40]); // s_load_dword s5, s[2:3], 0x40 (bytes)
//!
//! let wait = decode_words(Target::Gfx942, &[0xbf8c_4f74]).unwrap(); // s_waitcnt vmcnt(20)
//! let error = wait.retarget(Target::Gfx600).unwrap_err();
//! assert_eq!(error, RetargetError::Value { field: Field::Vmcnt, value: 20 });
//! # }
//! ```
//!
//! # Text
//! With the feature `text`, [`Inst`] implements `Display` in LLVM 22's syntax for the target. A `TextBuffer` is faster
//! for many instructions.
//! ```
//! # #[cfg(all(feature = "gfx942", feature = "text"))] {
//! use amdgpu_isa::{Field, Target, decode_words};
//! let inst = decode_words(Target::Gfx942, &[0xd3c4_8000, 0x0402_1109]).unwrap();
//! assert_eq!(inst.to_string(), "v_mfma_f32_32x32x2_f32 a[0:15], v9, v8, a[0:15]");
//! assert_eq!(inst.field_text(Field::Src0).to_string(), "v9");
//! # }
//! ```
#![no_std]
#![cfg_attr(not(feature = "capi"), forbid(unsafe_code))]
#![cfg_attr(feature = "capi", deny(unsafe_code))]
#![warn(missing_docs)]
// On docs.rs each item lists the features that it needs.
#![cfg_attr(docsrs, feature(doc_cfg))]
// Without a target there is nothing to decode, and most code is unreachable.
#![cfg_attr(not(has_target), allow(unused, unreachable_code))]

#[cfg(feature = "alloc")]
extern crate alloc;
// A library for C needs a panic handler, although nothing panics.
#[cfg(all(feature = "capi", not(any(target_os = "none", target_os = "unknown"))))]
extern crate std;

pub mod addresses;
#[cfg(feature = "arbitrary")]
pub mod arbitrary;
mod assembler;
#[cfg(all(doctest, feature = "gfx942", feature = "text"))]
mod book;
mod buffer;
#[cfg(all(feature = "capi", has_target))]
#[allow(unsafe_code)]
pub mod capi;
pub mod check;
mod code;
mod codec;
mod compare;
mod compose;
mod constraint;
pub mod convert;
mod decode;
mod descriptor;
mod dwarf;
mod error;
pub mod facts;
mod flags;
#[cfg(feature = "alloc")]
pub mod flow;
mod form;
#[cfg(all(feature = "meaning", feature = "alloc"))]
#[allow(missing_docs)] // isa/README.md describes the names of the formula language.
mod formula;
pub mod hazards;
pub mod imm;
mod inst;
#[allow(dead_code)] // The library and the generator each use a part of this module.
mod kind;
mod length;
#[cfg(feature = "alloc")]
mod loadable;
#[cfg(feature = "make")]
pub mod make;
#[cfg(feature = "meaning")]
pub mod meaning;
#[macro_use]
mod microcode;
mod opcode;
mod operand;
mod operation;
pub mod patch;
pub mod processor;
mod registers;
mod retarget;
#[allow(dead_code)] // The library and the generator each use a part of this module.
mod shared;
pub mod signature;
mod table;
mod target;
#[cfg(feature = "text")]
pub mod text;
mod value;
#[cfg(feature = "text")]
mod value_name;
mod vgpr_msb;

// The items that nearly every program needs are at the root; the others are in a module for each use.
#[doc(hidden)]
pub use decode::class::{DecodingClass, TiedBits, tied};
#[doc(hidden)]
pub use decode::decode_small;
pub use decode::{Decoded, Decoder, WordDecoder, decode, decode_words};
pub use error::DecodeError;
pub use inst::Inst;
pub use length::length;
pub use microcode::Microcode;
pub use opcode::{Field, Format, Opcode};
pub use table::Filler;
pub use target::Target;
#[cfg(feature = "text")]
pub use text::parse::parse;
pub use value::{Access, Operand, Reg, Value};
pub use vgpr_msb::VgprMsb;

/// Assembling into a buffer: labels, branches, alignment and symbols.
pub mod asm {
    pub use crate::assembler::{
        AssembleError, AssembleErrorKind, Assembled, Assembler, Emit, Far, FixupSlot, Label, LabelSlot, Relocation,
        RelocationKind, Room,
    };
}

/// The errors of decoding, encoding, typed structs and names, except for [`DecodeError`], which is at the root.
pub mod errors {
    pub use crate::decode::Invalid;
    pub use crate::error::{EncodeError, FieldError};
    pub use crate::opcode::UnknownName;
    pub use crate::target::UnknownTarget;
}

/// Kernels: their descriptors, and with the feature `alloc` code objects that a runtime loads.
pub mod kernel {
    #[cfg(feature = "text")]
    pub use crate::descriptor::Directives;
    pub use crate::descriptor::{
        DescriptorError, KernargPreload, KernelCodeProperties, KernelDescriptor, PgmRsrc1, PgmRsrc2, PgmRsrc3,
        Registers,
    };
    #[cfg(feature = "alloc")]
    pub use crate::loadable::{Access, Argument, CodeObject, CodeObjectError, Hidden, Kernel, KernelError};
    pub use crate::opcode::DescriptorPart;
    pub use crate::table::Directive;
}

/// The fields of formats and of instructions, with their positions and values.
pub mod layout {
    pub use crate::inst::HeldField;
    pub use crate::table::{Extension, FieldInfo, Layout};
}

/// The iterator over operands, and the types that [`Value`] and [`Reg`] are made of.
pub mod operands {
    pub use crate::dwarf::dwarf_register;
    pub use crate::opcode::Special;
    pub use crate::operand::Operands;
    pub use crate::value::InlineFloat;
}

// The modules of targets.
include!(concat!(env!("OUT_DIR"), "/types.rs"));

// Modules of disabled targets. These modules are never compiled, but let the compiler name the feature that a missing
// module needs.
include!(concat!(env!("OUT_DIR"), "/off.rs"));
