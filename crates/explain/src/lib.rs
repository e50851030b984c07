//! Views of an instruction for people: its [`fields`] with their meaning, [`facts`] that no operand shows, a
//! [`Diagram`] of its bits, and a picture of the diagram ([`svg`]). [`words`] reads words in the forms that people copy
//! from listings and manuals.
//!
//! ```
//! use amdgpu_explain::{Diagram, svg};
//! use amdgpu_isa::{Target, parse};
//!
//! let target: Target = "gfx942".parse().unwrap();
//! let diagram = Diagram::of(&parse(target, "s_add_u32 s0, s4, s5").unwrap());
//! assert_eq!(diagram.fields.iter().find(|field| field.name == "ssrc0").unwrap().meaning, "s4");
//! assert!(svg::render(&[diagram]).starts_with("<svg"));
//! ```
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod diagram;
mod facts;
mod fields;
pub mod hex;
pub mod svg;
pub mod words;

#[doc(hidden)]
pub use diagram::sample;
pub use diagram::{Cell, Diagram};
pub use facts::{facts, plain};
pub use fields::{FieldView, fields};
