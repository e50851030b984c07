//! Directives with their meanings, for editors.

use amdgpu_asm::assemble;
use amdgpu_asm::known::{DIRECTIVES, meaning, of_kernels};
use amdgpu_isa::Target;

use super::options;

#[test]
fn the_assembler_knows_each_directive() {
    // The directive that ends a document cannot stand alone.
    let is_end = |name: &str| [".end_amdgpu_metadata", ".end_amdgpu_pal_metadata"].contains(&name);
    for (name, meaning) in DIRECTIVES.iter().filter(|(name, _)| !is_end(name)) {
        let said = assemble("input", &format!("{name}\n"), &options()).err().map(|faults| faults.to_string());
        assert!(!said.is_some_and(|said| said.contains("there is no directive")), "{name}");
        assert!(!meaning.is_empty() && !meaning.ends_with('.'), "{name}");
    }
}

#[test]
fn each_number_that_is_not_a_part_of_the_descriptor_has_a_meaning() {
    for &target in Target::ALL {
        let parts: Vec<_> = target.directives().iter().map(|d| format!(".amdhsa_{}", d.name())).collect();
        let mut numbers = of_kernels(target).filter(|name| !parts.contains(name));
        assert!(numbers.all(|name| meaning(&name).is_some()), "{target}");
    }
    assert_eq!((meaning(".MACRO"), meaning(".x")), (Some("begins a macro: its name, and its parameters"), None));
}

#[test]
fn each_directive_of_kernels_is_accepted() {
    for &target in Target::ALL {
        let mut options = options();
        options.target = target.processor().parse().ok();
        for name in of_kernels(target) {
            let source = format!(".amdhsa_kernel k\n{name} 0\n");
            let said = assemble("input", &source, &options).expect_err("the end is missing").to_string();
            assert!(!said.contains("have no"), "{target} {name}: {said}");
        }
    }
}
