//! The C interface with whole files has the same results as the packages.

use std::ffi::{CStr, c_char};
use std::ptr::null;

use amdgpu_isa_c::*;
use amdgpu_lint::check::{self, Severity};
use amdgpu_lint::repair::{self, Repair};
use amdgpu_object::{Error, Image, Part};

const SAMPLES: [&[u8]; 4] = [
    include_bytes!("../../../tests/samples/gfx942/saxpy.co"),
    include_bytes!("../../../tests/samples/gfx900/reduce.co"),
    include_bytes!("../../../tests/samples/gfx600/mixed.co"),
    include_bytes!("../../../tests/samples/gfx1100/matrix1100.co"),
];

fn text(at: *const c_char) -> Option<String> {
    // SAFETY: the library gives null or a string that ends in a zero.
    (!at.is_null()).then(|| unsafe { CStr::from_ptr(at) }.to_str().unwrap().to_string())
}

fn notes(answer: *const amdgpu_isa_answer) -> Vec<amdgpu_isa_note> {
    // SAFETY: an answer that is not freed, and a writable note. All bits of a note are numbers and pointers.
    let note = |n| unsafe {
        let mut note = std::mem::zeroed();
        amdgpu_isa_answer_note(answer, n, &mut note).then_some(note)
    };
    (0..).map_while(note).collect()
}

fn bytes(answer: *const amdgpu_isa_answer) -> Option<Vec<u8>> {
    let mut len = 0;
    // SAFETY: an answer that is not freed, and the slice that it has.
    unsafe {
        let at = amdgpu_isa_answer_bytes(answer, &mut len);
        (!at.is_null()).then(|| std::slice::from_raw_parts(at, len).to_vec())
    }
}

fn images(file: &[u8], mut each: impl FnMut(&Image<'_>)) {
    amdgpu_object::visit(file, None, |part| {
        if let Part::Image(image) = part {
            each(&image);
        }
        Ok::<(), Error>(())
    })
    .unwrap();
}

fn target(image: &Image<'_>) -> amdgpu_isa::Target {
    image.target.as_ref().unwrap().processor.parse().unwrap()
}

#[test]
fn sections_and_symbols_are_those_of_the_file() {
    for sample in SAMPLES {
        // SAFETY: the slice, and places that are writable.
        unsafe {
            let file = amdgpu_isa_file_open(sample.as_ptr(), sample.len(), false);
            let (mut sections, mut symbols) = (0, 0);
            images(sample, |image| {
                for section in &image.sections {
                    let mut found = std::mem::zeroed();
                    assert!(amdgpu_isa_file_section(file, sections, &mut found));
                    assert_eq!(text(found.name), Some(section.name.to_string()));
                    assert_eq!((found.address, found.target), (section.address, number_of(target(image))));
                    assert_eq!(std::slice::from_raw_parts(found.bytes, found.len), section.bytes);
                    for symbol in &section.symbols {
                        let mut found = std::mem::zeroed();
                        assert!(amdgpu_isa_file_symbol(file, symbols, &mut found));
                        assert_eq!(text(found.name), Some(symbol.name.to_string()));
                        assert_eq!((found.address, found.size, found.section), (symbol.address, symbol.size, sections));
                        let lanes = symbol.lanes.map(|lanes| target(image).with_wave_size(lanes).unwrap());
                        assert_eq!(target_of(found.target), lanes.or(Some(target(image))));
                        assert_eq!(found.descriptor.is_null(), symbol.descriptor.is_none());
                        symbols += 1;
                    }
                    sections += 1;
                }
            });
            assert!(sections > 0 && symbols > 0);
            assert!(!amdgpu_isa_file_section(file, sections, std::ptr::null_mut()));
            assert!(!amdgpu_isa_file_symbol(file, symbols, std::ptr::null_mut()));
            assert!(!amdgpu_isa_file_note(file, 0, std::ptr::null_mut()));
            amdgpu_isa_file_free(file);
        }
    }
}

#[test]
fn findings_are_those_of_lint() {
    let mut count = 0;
    for sample in SAMPLES {
        // SAFETY: the slice.
        let answer = unsafe { amdgpu_isa_lint(sample.as_ptr(), sample.len(), 0) };
        let notes = notes(answer);
        assert_eq!(bytes(answer), None);
        images(sample, |image| {
            let wanted = check::image(image, target(image));
            assert_eq!(notes.len(), wanted.len());
            for (note, finding) in notes.iter().zip(&wanted) {
                let severity = match finding.severity() {
                    Severity::Error => amdgpu_isa_severity::Error,
                    Severity::Warning => amdgpu_isa_severity::Warning,
                    Severity::Hint => amdgpu_isa_severity::Hint,
                };
                assert_eq!((note.severity, note.address), (severity, finding.address));
                assert_eq!(text(note.rule).as_deref(), Some(finding.rule()));
                assert_eq!(text(note.message), Some(finding.what.to_string()));
                assert_eq!(text(note.advice), finding.advice());
                assert_eq!(text(note.place), finding.function.map(|function| function.name.to_string()));
                count += 1;
            }
        });
        // SAFETY: it is not freed yet.
        unsafe { amdgpu_isa_answer_free(answer) };
    }
    assert!(count > 0);
}

#[test]
fn repairs_are_those_of_lint() {
    for sample in SAMPLES {
        type Change = unsafe extern "C" fn(*const u8, usize, u32) -> *mut amdgpu_isa_answer;
        for (kind, change) in [(Repair::Fix, amdgpu_isa_fix as Change), (Repair::Trim, amdgpu_isa_trim)] {
            // SAFETY: the slice.
            let answer = unsafe { change(sample.as_ptr(), sample.len(), 0) };
            images(sample, |image| {
                let plan = repair::image(image, target(image), kind).unwrap();
                match plan.followed().and_then(|edits| repair::apply(image, target(image), &edits)) {
                    Ok(new) => assert_eq!(bytes(answer), Some(new)),
                    Err(error) => {
                        assert_eq!(bytes(answer), None);
                        assert_eq!(text(notes(answer)[0].message), Some(error.to_string()));
                    }
                }
            });
            // SAFETY: it is not freed yet.
            unsafe { amdgpu_isa_answer_free(answer) };
        }
    }
}

#[test]
fn code_for_an_unknown_target_is_said_to_be() {
    let sample = SAMPLES[0];
    // SAFETY: the slice, and an answer that is not freed yet.
    unsafe {
        let answer = amdgpu_isa_lint(sample.as_ptr(), sample.len(), 1);
        let message = text(notes(answer)[0].message).unwrap();
        assert!(message.contains("not a target"), "{message}");
        amdgpu_isa_answer_free(answer);
        // Code is not read for a target other than the one that the file states.
        type Change = unsafe extern "C" fn(*const u8, usize, u32) -> *mut amdgpu_isa_answer;
        for read in [amdgpu_isa_lint as Change, amdgpu_isa_fix, amdgpu_isa_trim] {
            let answer = read(sample.as_ptr(), sample.len(), amdgpu_isa_target(c"gfx1030".as_ptr()));
            let notes = notes(answer);
            assert_eq!(text(notes[0].message).as_deref(), Some("the code object holds gfx942, not gfx1030"));
            assert_eq!((bytes(answer), notes.len(), notes[0].severity), (None, 1, amdgpu_isa_severity::Error));
            amdgpu_isa_answer_free(answer);
        }
        let answer = amdgpu_isa_fix(sample.as_ptr(), 100, 0);
        assert_eq!((bytes(answer), notes(answer)[0].severity), (None, amdgpu_isa_severity::Error));
        amdgpu_isa_answer_free(answer);
    }
}

#[test]
fn sources_become_what_the_assembler_makes() {
    let source = ".amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\ns_nop 3\n";
    let built = amdgpu_asm::assemble("source", source, &amdgpu_asm::Options::default()).unwrap();
    for (for_linker, wanted) in [(true, built.to_object()), (false, built.to_code_object(false))] {
        // SAFETY: the slice, null, and an answer that is not freed yet.
        unsafe {
            let answer = amdgpu_isa_assemble(null(), source.as_ptr(), source.len(), null(), for_linker);
            assert_eq!(bytes(answer), Some(wanted.unwrap()));
            assert!(notes(answer).is_empty());
            amdgpu_isa_answer_free(answer);
        }
    }
    let source = b"s_nop 3 // Andr\xe9\n";
    // SAFETY: the slice, null, a string, and an answer that is not freed yet.
    unsafe {
        let answer = amdgpu_isa_assemble(null(), source.as_ptr(), source.len(), c"gfx942".as_ptr(), false);
        assert!(bytes(answer).is_some() && notes(answer).is_empty());
        amdgpu_isa_answer_free(answer);
    }
    for source in [&b"s_nop"[..], b"\xff", b".include \"other\""] {
        // SAFETY: as above.
        unsafe {
            let answer = amdgpu_isa_assemble(null(), source.as_ptr(), source.len(), c"gfx942".as_ptr(), false);
            assert_eq!(bytes(answer), None);
            assert!(!notes(answer).is_empty());
            amdgpu_isa_answer_free(answer);
        }
    }
}

#[test]
fn faults_of_sources_have_advice_and_callers() {
    let source = ".macro add reg\nv_ad_f32 \\reg, v1, v2\n.endm\ns_nop 0\n  add v0\n";
    // SAFETY: the slice, a string, and an answer that is not freed yet, nor are its notes.
    unsafe {
        let answer = amdgpu_isa_assemble(c"k.s".as_ptr(), source.as_ptr(), source.len(), c"gfx942".as_ptr(), false);
        let [fault, call] = notes(answer)[..] else { panic!("{:?}", notes(answer)) };
        assert_eq!((fault.severity, fault.line), (amdgpu_isa_severity::Error, 1));
        assert_eq!(text(fault.advice).as_deref(), Some("v_add_f32 is similar"));
        assert_eq!((call.severity, call.line, call.column), (amdgpu_isa_severity::Hint, 5, 3));
        assert_eq!(text(call.place).as_deref(), Some("k.s"));
        assert_eq!(text(call.message).as_deref(), Some("the macro add is asked for here"));
        amdgpu_isa_answer_free(answer);
    }
}

#[test]
fn code_is_found_anywhere() {
    let file = [b"other bytes", SAMPLES[0]].concat();
    // SAFETY: the slice, a place that is writable, and files that are not freed yet.
    unsafe {
        let nothing = amdgpu_isa_file_open(file.as_ptr(), file.len(), false);
        assert!(!amdgpu_isa_file_section(nothing, 0, std::ptr::null_mut()));
        amdgpu_isa_file_free(nothing);
        let found = amdgpu_isa_file_open(file.as_ptr(), file.len(), true);
        let mut section = std::mem::zeroed();
        assert!(amdgpu_isa_file_section(found, 0, &mut section));
        assert_eq!(text(section.label).as_deref(), Some("0xb"));
        amdgpu_isa_file_free(found);
    }
}

#[test]
fn a_target_id_is_that_of_its_processor() {
    let cases = [
        (c"gfx942", c"gfx942"),
        (c"gfx942:xnack+", c"gfx942"),
        (c"mi300x:sramecc-:xnack+", c"gfx942"),
        (c"gfx1100:wave64", c"gfx1100:wave64"),
    ];
    for (id, name) in cases {
        // SAFETY: both end in a zero.
        let (found, wanted) = unsafe { (amdgpu_isa_target_id(id.as_ptr()), amdgpu_isa_target(name.as_ptr())) };
        assert!(found == wanted && found != 0, "{id:?}");
    }
    for wrong in [c"gfx1", c"gfx942:xnack", c"gfx942:fast+", c"gfx1100:xnack+", c"amdgcn-amd-amdhsa--gfx942", c""] {
        // SAFETY: it ends in a zero.
        assert_eq!(unsafe { amdgpu_isa_target_id(wrong.as_ptr()) }, 0, "{wrong:?}");
    }
    // SAFETY: null is allowed.
    assert_eq!(unsafe { amdgpu_isa_target_id(std::ptr::null()) }, 0);
}
