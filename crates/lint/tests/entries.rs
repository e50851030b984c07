//! Kernels with preloaded arguments have two entries.

use amdgpu_isa::kernel::KernelDescriptor;
use amdgpu_isa::{Target, parse};
use amdgpu_lint::check;
use amdgpu_object::{Image, Part, TargetId};

fn code(target: Target, text: &str) -> Vec<u8> {
    let words = text.split("; ").flat_map(|text| parse(target, text).expect(text).words().to_vec());
    words.flat_map(u32::to_le_bytes).collect()
}

/// Firmware that has read the arguments starts a kernel 256 bytes after its label.
#[test]
fn the_second_entry_of_a_kernel_is_an_entry() {
    let target = Target::Gfx942;
    let file = include_bytes!("../../../tests/samples/gfx942/saxpy.co");
    let rules = |length: u32, first: &str| {
        let second = "global_load_dword v1, v0, s[8:9]; v_add_u32_e32 v2, v1, v1; s_endpgm";
        let mut bytes = code(target, first);
        let nop = code(target, "s_nop 0");
        while bytes.len() < 256 {
            bytes.extend_from_slice(&nop);
        }
        bytes.extend_from_slice(&code(target, second));
        let mut rules = Vec::new();
        let result = amdgpu_object::visit::<amdgpu_object::Error>(file, None, |part| {
            let Part::Image(other) = part else { return Ok(()) };
            let mut symbol = other.kernels().next().expect("a kernel").clone();
            (symbol.address, symbol.size) = (0, bytes.len() as u64);
            let mut descriptor = symbol.descriptor.expect("it has a descriptor").to_bytes();
            descriptor[58] = length as u8;
            symbol.descriptor = Some(KernelDescriptor::from_bytes(descriptor));
            let mut image = Image::bare(TargetId::parse("gfx942"), 0, &bytes);
            image.sections[0].symbols.push(symbol);
            let all = check::image(&image, target);
            rules = all.iter().map(|found| (found.rule().to_string(), found.address)).collect();
            Ok(())
        });
        result.expect("a file");
        rules.retain(|(rule, _): &(String, u64)| rule == "missing-wait" || rule == "few-user-sgprs");
        rules
    };
    let wait = ("missing-wait".to_string(), 264);
    assert_eq!(rules(0, "s_endpgm"), []);
    assert!(rules(2, "s_endpgm").contains(&wait));
    // Code that falls through from the first entry is checked once.
    assert_eq!(rules(2, "s_nop 0").iter().filter(|found| **found == wait).count(), 1);
}
