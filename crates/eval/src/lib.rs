//! Computes what one instruction does to the registers of a wave, by the formulas of the tables.
//!
//! The evaluator serves tests and tools and is not an emulator: it does not execute memory accesses, messages or
//! branches. Integers are exact, and floats have the rounding and denormals of [`Mode`]. Functions that the hardware
//! approximates give the nearest number.
//!
//! ```
//! use amdgpu_eval::{Evaluator, Wave};
//! use amdgpu_isa::{Reg, Target, decode_words};
//! let add = decode_words(Target::Gfx942, &[0x0204_0401]).unwrap(); // v_add_f32 v2, s1, v2
//! let mut wave = Wave::default();
//! wave.write(Reg::Sgpr(1), 0, 0, 1.5f32.to_bits());
//! wave.write(Reg::Vgpr(2), 0, 7, 2.0f32.to_bits());
//! Evaluator::default().run(&add, &mut wave).unwrap();
//! assert_eq!(wave.read(Reg::Vgpr(2), 0, 7), Some(3.5f32.to_bits()));
//! assert_eq!(wave.read(Reg::Vgpr(2), 0, 8), Some(1.5f32.to_bits()));
//! ```
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod bits;
mod compute;
mod error;
mod float;
mod formats;
pub mod lines;
mod mode;
mod modifiers;
mod operands;
mod place;
mod run;
mod shape;
mod small;
mod trig;
mod wave;
mod words;

pub use error::EvalError;
pub use mode::{FloatMode, Mode, UnknownMode};
pub use run::Evaluator;
pub use wave::{LANES, Wave};
