//! The assembler.

use std::ffi::c_char;

use amdgpu_asm::{Fault, Faults, Options, Place, source_text};

use crate::answer::{Note, amdgpu_isa_answer, amdgpu_isa_severity};
use crate::memory::{bytes, string, text};

/// Assembles a source to a code object for a loader, or to an object for a linker. The notes are the errors and the
/// warnings, with line and column. If a note is about a line of a macro, a repetition or an included file, hints follow
/// it: one for each call or directive that led to the line, from the inside out. Bytes that are not UTF-8 are characters
/// of their own.
///
/// `name` is the name of the source in notes; null stands for "source". `target` names the processor, such as
/// "gfx942:xnack-"; null if the source names it. The source reads no other files.
///
/// # Safety
/// `source` has `len` readable bytes; `name` and `target` are null or end in a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_assemble(
    name: *const c_char,
    source: *const u8,
    len: usize,
    target: *const c_char,
    for_linker: bool,
) -> *mut amdgpu_isa_answer {
    // SAFETY: the caller's promise.
    let (name, source, target) = unsafe { (text(name), bytes(source, len), text(target)) };
    let answer = assemble(name.unwrap_or("source"), source, target, for_linker);
    let answer = answer.unwrap_or_else(|notes| amdgpu_isa_answer { bytes: None, notes });
    Box::into_raw(Box::new(answer))
}

fn assemble(name: &str, source: &[u8], target: Option<&str>, for_linker: bool) -> Result<amdgpu_isa_answer, Vec<Note>> {
    let refused = |faults: Faults| notes(&faults);
    let mut options = Options::default();
    options.target = target.map(str::parse).transpose().map_err(refused)?;
    options.is_alone = true;
    let built = amdgpu_asm::assemble(name, &source_text(source), &options).map_err(refused)?;
    let bytes = if for_linker { built.to_object() } else { built.to_code_object(false) };
    Ok(amdgpu_isa_answer { bytes: Some(bytes.map_err(refused)?), notes: notes(&built.warnings()) })
}

/// Each fault, and after it the calls and directives that led to its place.
fn notes(faults: &Faults) -> Vec<Note> {
    let note = |fault: &Fault| {
        let severity = if fault.is_warning { amdgpu_isa_severity::Warning } else { amdgpu_isa_severity::Error };
        let advice = fault.note.as_ref().map(string);
        let of_fault = Note { advice, ..note_at(severity, &fault.message, fault.place.as_ref()) };
        let from = fault.from.iter().map(|from| {
            let message = format!("{} is asked for here", from.name);
            note_at(amdgpu_isa_severity::Hint, &message, Some(&from.place))
        });
        std::iter::once(of_fault).chain(from).collect::<Vec<_>>()
    };
    faults.all().iter().flat_map(note).collect()
}

fn note_at(severity: amdgpu_isa_severity, message: &str, place: Option<&Place>) -> Note {
    Note {
        place: place.map(|place| string(&place.file)),
        line: place.map_or(0, |place| place.line),
        column: place.map_or(0, |place| place.column),
        ..Note::new(severity, message)
    }
}
