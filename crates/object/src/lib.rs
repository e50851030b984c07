//! Files with machine code of AMD GPUs.
#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_docs)]

extern crate alloc;

mod target_id;

pub use target_id::{TargetId, is_amdgpu};
