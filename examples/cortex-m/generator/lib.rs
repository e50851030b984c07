//! The generator that the library's build runs.

#[path = "../../../build/mod.rs"]
mod build;

pub use build::{generate, read};
