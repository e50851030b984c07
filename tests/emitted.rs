//! The kernel on the page about emitting code is complete: `lint` finds nothing in its file, for every target that has
//! its operations.
#![cfg(all(feature = "alloc", feature = "make"))]

use amdgpu_isa::Target;
use amdgpu_lint::check;
use amdgpu_object::{Error, Part};

#[path = "../examples/emit.rs"]
mod emit;

#[test]
fn the_emitted_kernel_is_free_of_findings() {
    let mut checked = 0;
    for &target in Target::ALL {
        let Some(file) = emit::emit(target).unwrap_or_else(|error| panic!("{target}: {error}")) else { continue };
        amdgpu_object::visit::<Error>(&file, None, |part| {
            let Part::Image(image) = part else { panic!("{target}: no code object") };
            let found = check::image(&image, target);
            assert!(found.is_empty(), "{target}: {found:?}");
            checked += image.kernels().count();
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{target}: {error}"));
    }
    assert!(checked >= 6 || !cfg!(feature = "all-targets"), "{checked} kernels");
}
