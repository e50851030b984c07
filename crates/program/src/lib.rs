//! Changes AMD GPU code objects in memory: code grows and shrinks, and everything that points into it is adapted.
//!
//! [`Edits`] collects instructions that will be inserted or replaced. [`rewrite`] makes a code object with the changes.
//! It adapts branches, addresses that code makes relative to itself, kernel descriptors, symbols, pointers that a
//! loader fills in, and the tables of the file; all other bytes stay as they are. [`Placed`] does the same to an object
//! for a linker, whose sections have no addresses yet. [`validate`] proves, independently, that two files differ only
//! in neutral instructions. The package needs an allocator, but no operating system.
//!
//! ```
//! use amdgpu_isa::{Target, parse};
//! use amdgpu_object::{Error, Part};
//! use amdgpu_program::{Edits, rewrite, validate};
//!
//! let file = include_bytes!("../../../tests/samples/gfx942/saxpy.co");
//! let nop = parse(Target::Gfx942, "s_nop 0").unwrap();
//! let mut new = Vec::new();
//! amdgpu_object::visit(file, None, |part| {
//!     if let Part::Image(image) = part {
//!         let mut edits = Edits::default();
//!         edits.insert(image.kernels().next().unwrap().address, &[nop]);
//!         new = rewrite(&image, Target::Gfx942, &edits).unwrap();
//!     }
//!     Ok::<(), Error>(())
//! })?;
//! validate(file, &new, Target::Gfx942, |inst| *inst == nop).unwrap();
//! assert!(validate(file, &new, Target::Gfx942, |_| false).is_err());
//! # Ok::<(), Error>(())
//! ```
#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_docs)]

extern crate alloc;

pub mod addresses;
mod code;
mod edits;
mod error;
mod fixed;
mod implicit;
mod kept;
mod layout;
mod placed;
mod rewrite;
mod sections;
mod validate;

pub use edits::{Edit, Edits, Slot, second_entry};
pub use error::Error;
pub use placed::Placed;
pub use rewrite::rewrite;
pub use validate::{Difference, validate};

/// Calls `each` with the image of a code object. Errors are ignored here, because damage is reported when the object's
/// tables are read.
fn visit(bytes: &[u8], each: &mut dyn FnMut(&amdgpu_object::Image<'_>)) {
    let _ = amdgpu_object::visit(bytes, Some(0), |part| {
        match part {
            // Images inside of the code object's sections have labels.
            amdgpu_object::Part::Image(image) if image.label.is_empty() => each(&image),
            _ => {}
        }
        Ok::<(), amdgpu_object::Error>(())
    });
}
