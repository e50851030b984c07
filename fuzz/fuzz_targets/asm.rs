//! Sources for the assembler, with macros, directives and kernels: the assembler makes files that can be read again, or
//! reports an error, without a panic, an endless loop or much memory.
#![no_main]

mod hashes;

use amdgpu_asm::{Assembly, Far, Faults, Options, Place, assemble};
use libfuzzer_sys::fuzz_target;
use object::Object as _;

/// The greatest number of bytes of a section, and of the text that macros become.
const MOST: usize = 1 << 16;
/// Targets of several generations. The first byte selects one, and whether branches may be long.
const TARGETS: [&str; 8] = ["gfx600", "gfx803", "gfx1200", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1250"];

/// The options that a first byte selects; `None` if the build lacks its target.
fn options(first: u8) -> Option<Options> {
    let mut options = Options::default();
    let name = TARGETS[usize::from(first) % TARGETS.len()];
    options.target = Some(name.parse().ok()?);
    options.long_branches = (first & 0x80 != 0).then_some(Far { pair: 4, scc: None });
    options.is_alone = true;
    (options.longest_section, options.longest_expansion) = (MOST as u64, MOST);
    // One suggestion is enough: the search for similar names would take most of the time. The fuzz target `parse` tests
    // this search.
    options.suggestions = 1;
    Some(options)
}

fn check_place(place: &Place) {
    assert!(!place.file.is_empty() && place.line > 0 && place.column > 0, "{place:?}");
    assert!((place.line, place.column) <= (place.end_line, place.end_column), "{place:?}");
    let Some(text) = &place.text else { return };
    assert!(text.is_char_boundary(place.column - 1), "{place:?}");
    assert!(place.line != place.end_line || text.is_char_boundary(place.end_column - 1), "{place:?}");
}

fn check_faults(faults: &Faults) {
    for fault in faults.all() {
        assert!(!fault.message.is_empty());
        check_place(fault.place.as_ref().expect("it is in the source"));
        fault.from.iter().for_each(|from| check_place(&from.place));
    }
    assert_eq!(faults.to_string().is_empty(), faults.all().is_empty());
}

fn check_files(assembly: &Assembly) {
    let object = assembly.to_object().expect("an object");
    let file = object::File::parse(&*object).expect("it can be read");
    assert_eq!(file.architecture(), object::Architecture::Unknown);
    for strip in [false, true] {
        match assembly.to_code_object(strip) {
            Ok(linked) => drop(object::File::parse(&*linked).expect("it can be read")),
            Err(faults) => {
                assert!(faults.errors() > 0);
                check_faults(&faults);
            }
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((&first, text)) = data.split_first() else { return };
    let Some(options) = options(first) else { return };
    match assemble("fuzz", &String::from_utf8_lossy(text), &options) {
        Ok(assembly) => {
            check_faults(&assembly.warnings());
            check_files(&assembly);
        }
        Err(faults) => {
            assert!(faults.errors() > 0);
            check_faults(&faults);
        }
    }
});
