//! The README's example: a program assembles a source, reads the file, checks its code, and repairs it.

use amdgpu_isa::Target;
use amdgpu_lint::check;
use amdgpu_lint::repair::{self, Repair};
use amdgpu_object::{Error, Part};

const SOURCE: &str = r#"
    .amdgcn_target "amdgcn-amd-amdhsa--gfx942"
    .type k,@function
k:  s_load_dword s4, s[0:1], 0x0
    s_add_u32 s5, s4, s4
    s_endpgm
"#;

#[test]
fn a_program_assembles_checks_and_repairs() {
    let (mut said, mut repaired) = (Vec::new(), Vec::new());
    let assembly = amdgpu_asm::assemble("k.s", SOURCE, &amdgpu_asm::Options::default()).unwrap();
    let (file, target) = (assembly.to_code_object(false).unwrap(), Target::Gfx942);
    amdgpu_object::visit::<Error>(&file, None, |part| {
        let Part::Image(image) = part else { return Ok(()) };
        said.extend(check::image(&image, target).iter().map(|finding| finding.what.to_string()));
        let edits = repair::image(&image, target, Repair::Fix).unwrap().followed().unwrap();
        repaired = repair::apply(&image, target, &edits).unwrap();
        Ok(())
    })
    .unwrap();
    assert_eq!(said, ["s4 is used before it is loaded"]);
    assert!(repaired.len() > file.len());
}
