//! The code blocks of the README and of the book in docs/ are tests: `cargo test --doc book`.

#[doc = include_str!("../README.md")]
mod readme {}
#[doc = include_str!("../docs/start.md")]
mod start {}
#[doc = include_str!("../docs/features.md")]
mod features {}
#[doc = include_str!("../docs/firmware.md")]
mod firmware {}
#[doc = include_str!("../docs/instrument.md")]
mod instrument {}
#[cfg(all(feature = "gfx600", feature = "alloc"))]
#[doc = include_str!("../docs/facts.md")]
mod facts {}
#[cfg(all(feature = "meaning", feature = "alloc"))]
#[doc = include_str!("../docs/meaning.md")]
mod meaning {}
#[cfg(feature = "make")]
#[doc = include_str!("../docs/make.md")]
mod make {}
#[cfg(all(feature = "make", feature = "alloc"))]
#[doc = include_str!("../docs/jit.md")]
mod jit {}
#[cfg(feature = "arbitrary")]
#[doc = include_str!("../docs/fuzzing.md")]
mod fuzzing {}
