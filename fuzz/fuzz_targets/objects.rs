//! Any file given to the tool: it reads code objects, bundles and host programs without a panic, an endless loop or
//! much memory, and decodes their code.
#![no_main]

use libfuzzer_sys::fuzz_target;

use amdgpu_isa::{Decoder, Target};
use amdgpu_object::{Error, Part};

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
        Ok(())
    };
    for visited in [amdgpu_object::visit(data, None, part), amdgpu_object::scan(data, None, part)] {
        if let Err(error) = visited {
            assert!(!error.to_string().is_empty());
        }
    }
});
