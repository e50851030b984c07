//! Any file given to the tool: the tool reads code objects, bundles and host programs without a panic, an endless loop
//! or much memory, decodes their code, and repairs them or says why it does not.
#![no_main]

use libfuzzer_sys::fuzz_target;

use amdgpu_isa::{Decoder, Target};
use amdgpu_lint::repair::{self, Repair};
use amdgpu_object::{Error, Image, Part};

/// The greatest number of bytes of code that is repaired. Only files whose length is a multiple of eight are repaired:
/// repairs of all files would leave time for only a tenth of the inputs.
const REPAIRED: usize = 1 << 10;

/// Repairs a code object, and checks that the result can be read again and can replace the code object in the file.
fn repair(data: &[u8], image: &Image<'_>, target: Target) {
    for kind in [Repair::Fix, Repair::Trim] {
        let Ok(plan) = repair::image(image, target, kind) else { continue };
        let Ok(new) = repair::apply(image, target, &plan.edits) else { continue };
        let mut sections = 0;
        let read = amdgpu_object::visit(&new, None, |part| {
            if let Part::Image(image) = part {
                sections += image.sections.len();
            }
            Ok::<(), Error>(())
        });
        assert!(read.is_ok() && sections >= image.sections.len());
        let replaced = image.offset.map(|offset| amdgpu_object::replace(data, offset, &new));
        assert!(replaced.and_then(Result::ok).is_none_or(|file| file.len() >= new.len()));
    }
}

fuzz_target!(|data: &[u8]| {
    let part = |part: Part<'_>| {
        let Part::Image(image) = part else { return Ok::<(), Error>(()) };
        let named = image.target.as_ref().and_then(|t| t.processor.parse().ok());
        let target: Target = named.unwrap_or(Target::ALL[0]);
        for section in &image.sections {
            let bytes: usize = Decoder::new(target, section.bytes)
                .map(|decoded| decoded.inst.map_or_else(|invalid| usize::from(invalid.len), |inst| inst.len()))
                .sum();
            assert_eq!(bytes, section.bytes.len());
            assert!(section.symbols.is_sorted_by_key(|s| s.address), "{}: symbols are not sorted", section.name);
        }
        let code: usize = image.sections.iter().map(|section| section.bytes.len()).sum();
        if code <= REPAIRED && data.len() % 8 == 0 {
            repair(data, &image, target);
        }
        Ok(())
    };
    for visited in [amdgpu_object::visit(data, None, part), amdgpu_object::scan(data, None, part)] {
        if let Err(error) = visited {
            assert!(!error.to_string().is_empty());
        }
    }
});
