//! Sources for the tool's assembler, with macros, directives and kernels: it makes files of them that can be read again, or says
//! where something is wrong, without a panic, an endless loop or much memory.
#![no_main]
#![allow(dead_code, unused_imports)] // The tool uses more of its modules than this.

use std::collections::BTreeSet;

use libfuzzer_sys::fuzz_target;
use object::Object as _;

#[path = "../../cli/src"]
mod tool {
    pub mod asm;
    pub mod batch;
    pub mod error;
    pub mod escape;
    pub mod isa;
    pub mod lines;
}
use tool::{asm, batch, error, escape, isa, lines};

use amdgpu_isa::asm::Far;
use asm::program::Assembler;
use asm::report::{self, Place};
use asm::target::Processor;

/// The most bytes of a section, and those that macros may become.
const MOST: usize = 1 << 16;
/// Targets of all generations; the first byte selects one, and whether branches may be long.
const TARGETS: [&str; 8] = ["gfx600", "gfx803", "gfx900", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1250"];

fn round(text: &str, first: u8, long: BTreeSet<u32>) -> (Assembler, Option<asm::finish::Image>) {
    let mut assembler = Assembler::new();
    assembler.longest = MOST as u64;
    // The target `parse` looks for similar names, which would be most of the time here.
    assembler.suggestions = 1;
    (assembler.source.most, assembler.source.is_alone) = (MOST, true);
    assembler.far = (first & 0x80 != 0).then_some(Far { pair: 4, scc: None });
    assembler.long = long;
    (assembler.lanes, assembler.wave) = asm::lanes(text);
    let name = TARGETS[usize::from(first) % TARGETS.len()];
    let processor = Processor::named(name).expect("a target of this build");
    assert!(assembler.set_target(processor, Place::default()).is_ok());
    assert!(assembler.source.push("fuzz".into(), text, None, false, 0).is_ok());
    assembler.run();
    assembler.finish()
}

fuzz_target!(|data: &[u8]| {
    let Some((&first, text)) = data.split_first() else { return };
    let text = String::from_utf8_lossy(text);
    let mut long = BTreeSet::new();
    let (assembler, image) = loop {
        let (assembler, image) = round(&text, first, long.clone());
        let known = long.len();
        long.extend(&assembler.too_far);
        if long.len() == known {
            break (assembler, image);
        }
    };
    let (faults, files) = (&assembler.faults, &assembler.source.files);
    for fault in faults {
        let file = &files[fault.place.file];
        assert!(fault.place.start <= fault.place.end && fault.place.end <= file.text.len(), "{fault:?}");
        assert!(!fault.message.is_empty());
    }
    let mut json = Vec::new();
    report::json(faults, files, &mut json).expect("memory has room");
    assert_eq!(report::show(faults, files, false).is_empty(), faults.is_empty());
    let is_good = faults.iter().all(|fault| fault.is_warning) && assembler.hidden_faults == 0;
    let Some(image) = image.filter(|_| is_good) else {
        assert!(!faults.is_empty());
        return;
    };
    let object = asm::object::write(&image).expect("an object");
    let file = object::File::parse(&*object).expect("it can be read");
    assert_eq!(file.architecture(), object::Architecture::Unknown);
    for strip in [false, true] {
        match asm::linked::write(&image, strip) {
            Ok(linked) => drop(object::File::parse(&*linked).expect("it can be read")),
            Err(faults) => assert!(!faults.is_empty()),
        }
    }
});
