//! The differences between the library and LLVM's disassembler, for users who fuzz another decoder against both.
//!
//! [`known_difference`] says whether an answer of LLVM differs from the library's in a way that has been reviewed. The
//! [`Class`] has the reason for the difference, the versions of LLVM and the targets that have the difference, and
//! words that show it. With the feature `disassembler`, an [`Oracle`] asks LLVM, in a process that may crash.
//!
//! ```
//! use amdgpu_isa::Target;
//! use amdgpu_llvm::{Answer, Word, known_difference};
//!
//! // LLVM takes the literal 0x81 of v_fmaak_f32 for the code of the constant 1.
//! let word = Word::from_hex("0005023081000000").unwrap();
//! let text = "v_fmaak_f32 v1, v0, v2, 0x1".to_string();
//! let llvm = Answer::Text { len: 8, text, comment: String::new() };
//! let class = known_difference(Target::Gfx942, word, llvm, 22).expect("it is known");
//! assert_eq!(class.name, "mandatory literal taken for a source code");
//! ```
#![deny(unsafe_code)]
#![warn(missing_docs)]

mod answer;
mod case;
#[cfg(feature = "disassembler")]
#[allow(unsafe_code)] // LLVM's C API, and the processes around it.
mod child;
mod class;
#[cfg(feature = "disassembler")]
mod oracle;
mod rules;
mod versions;
mod word;

pub use answer::Answer;
pub use case::{Case, Kind, Ours};
#[cfg(feature = "disassembler")]
pub use child::{Llvm, MAX_TEXT, run_as_child};
pub use class::{Assembler, Class, Classes, Sample, Verdict, known_difference};
#[cfg(feature = "disassembler")]
pub use oracle::{Oracle, find_library};
pub use versions::{NEWER, NEWER_OPERATIONS, USUAL, disassembles, features, version};
pub use word::{MAX_BYTES, Word, hex};
