//! Files with code: their sections and symbols, lint, and repairs.

use std::ffi::{CString, c_char};

use amdgpu_isa::Target;
use amdgpu_isa::capi::{number_of, target_of};
use amdgpu_lint::check;
use amdgpu_lint::repair::{self, Repair};
use amdgpu_object::{Error, Image, Part, SymbolKind, TargetError, TargetId};

use crate::answer::{Note, amdgpu_isa_answer, amdgpu_isa_note, amdgpu_isa_severity};
use crate::memory::{bytes, give, string, text};

/// The target of a target id, as bundles, compilers and other tools write it: a processor and the settings of its
/// features, such as "gfx942:sramecc+:xnack-". The target is that of the processor alone, since the settings change no
/// instruction. Returns 0 if the processor is not known, or does not have one of the settings.
///
/// # Safety
/// `id` is null or ends in a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_target_id(id: *const c_char) -> u32 {
    // SAFETY: the caller's promise.
    let id = unsafe { text(id) };
    id.and_then(|id| TargetId::read(id).ok()).map_or(0, |(_, target)| number_of(target))
}

/// A file of any kind with code for AMD GPUs: a code object, linked or not, a bundle, an archive, a host program.
pub struct amdgpu_isa_file {
    sections: Vec<Section>,
    symbols: Vec<Symbol>,
    notes: Vec<Note>,
}

struct Section {
    label: CString,
    name: CString,
    target: u32,
    address: u64,
    bytes: Vec<u8>,
}

struct Symbol {
    name: CString,
    address: u64,
    size: u64,
    kind: amdgpu_isa_symbol_kind,
    section: usize,
    target: u32,
    descriptor: Option<[u8; 64]>,
}

/// A section with code. Its pointers are valid as long as the file.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct amdgpu_isa_section {
    /// The place of the section's code object in the file, such as the id of a bundle's entry; empty if the file is a
    /// code object.
    pub label: *const c_char,
    /// The name of the section, such as ".text".
    pub name: *const c_char,
    /// The target, as `amdgpu_isa_target` names it; 0 if the file does not state it, or the library does not know it.
    pub target: u32,
    /// The address of the section's first byte; 0 in an object that is not linked.
    pub address: u64,
    /// The code of the section.
    pub bytes: *const u8,
    /// The length of the code in bytes.
    pub len: usize,
}

/// The kind of thing that a symbol names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum amdgpu_isa_symbol_kind {
    /// A kernel.
    Kernel,
    /// A function.
    Function,
    /// Something else, such as a label.
    Other,
}

/// A name for an address in a section. Its pointers are valid as long as the file.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct amdgpu_isa_symbol {
    /// The name.
    pub name: *const c_char,
    /// The address.
    pub address: u64,
    /// The size in bytes; 0 if it is not known.
    pub size: u64,
    /// The kind of thing that the symbol names.
    pub kind: amdgpu_isa_symbol_kind,
    /// The number of the section for `amdgpu_isa_file_section`.
    pub section: usize,
    /// The target of the section, with the wave size of the function if the file states it.
    pub target: u32,
    /// The 64 bytes of a kernel's descriptor; null if there is none.
    pub descriptor: *const u8,
}

/// Reads a file. A damaged file is read as far as possible, and notes describe the damage. `scan`: whether code objects
/// and bundles are searched for at every byte of a file of any kind.
///
/// # Safety
/// `file` has `len` readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_file_open(file: *const u8, len: usize, scan: bool) -> *mut amdgpu_isa_file {
    let mut read = amdgpu_isa_file { sections: Vec::new(), symbols: Vec::new(), notes: Vec::new() };
    // SAFETY: the caller's promise.
    read.notes = visit(unsafe { bytes(file, len) }, scan, |image| read.add(image));
    Box::into_raw(Box::new(read))
}

/// Visits the code objects of a file. Returns notes about the parts that are skipped or damaged.
fn visit(file: &[u8], scan: bool, mut each: impl FnMut(&Image<'_>)) -> Vec<Note> {
    let mut notes = Vec::new();
    let part = |part: Part<'_>| {
        match part {
            Part::Image(image) => each(&image),
            Part::Skipped { label, reason } => {
                notes.push(Note { place: Some(string(label)), ..Note::new(amdgpu_isa_severity::Hint, reason) });
            }
            Part::Damaged(error) => notes.push(Note::new(amdgpu_isa_severity::Error, error)),
            _ => {}
        }
        Ok::<(), Error>(())
    };
    let result = match scan {
        true => amdgpu_object::scan(file, None, part),
        false => amdgpu_object::visit(file, None, part),
    };
    notes.extend(result.err().map(|error| Note::new(amdgpu_isa_severity::Error, error)));
    notes
}

/// The target of an image, if the library knows it.
fn known(image: &Image<'_>) -> Option<Target> {
    image.target.as_ref()?.processor.parse().ok()
}

impl amdgpu_isa_file {
    fn add(&mut self, image: &Image<'_>) {
        let target = known(image);
        for section in &image.sections {
            let with_lanes = |lanes: Option<u16>| {
                let one = target.map(|target| lanes.and_then(|lanes| target.with_wave_size(lanes)).unwrap_or(target));
                one.map_or(0, number_of)
            };
            let number = self.sections.len();
            self.symbols.extend(section.symbols.iter().map(|symbol| Symbol {
                name: string(symbol.name),
                address: symbol.address,
                size: symbol.size,
                kind: match symbol.kind {
                    SymbolKind::Kernel => amdgpu_isa_symbol_kind::Kernel,
                    SymbolKind::Function => amdgpu_isa_symbol_kind::Function,
                    SymbolKind::Other => amdgpu_isa_symbol_kind::Other,
                },
                section: number,
                target: with_lanes(symbol.lanes),
                descriptor: symbol.descriptor.map(|descriptor| descriptor.to_bytes()),
            }));
            self.sections.push(Section {
                label: string(image.label),
                name: string(section.name),
                target: with_lanes(None),
                address: section.address,
                bytes: section.bytes.to_vec(),
            });
        }
    }
}

/// Writes the n-th section with code, from 0, to `section`. Returns whether there is one.
///
/// # Safety
/// `file` is null or a file that is not freed; `section` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_file_section(
    file: *const amdgpu_isa_file,
    n: usize,
    section: *mut amdgpu_isa_section,
) -> bool {
    // SAFETY: the caller's promise.
    let found = unsafe { file.as_ref() }.and_then(|file| file.sections.get(n));
    let shown = found.map(|found| amdgpu_isa_section {
        label: found.label.as_ptr(),
        name: found.name.as_ptr(),
        target: found.target,
        address: found.address,
        bytes: found.bytes.as_ptr(),
        len: found.bytes.len(),
    });
    // SAFETY: the caller's promise.
    unsafe { give(section, shown) }
}

/// Writes the n-th symbol, from 0, to `symbol`. The symbols of a section are together, in the order of their addresses.
/// Returns whether there is one.
///
/// # Safety
/// `file` is null or a file that is not freed; `symbol` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_file_symbol(
    file: *const amdgpu_isa_file,
    n: usize,
    symbol: *mut amdgpu_isa_symbol,
) -> bool {
    // SAFETY: the caller's promise.
    let found = unsafe { file.as_ref() }.and_then(|file| file.symbols.get(n));
    let shown = found.map(|found| amdgpu_isa_symbol {
        name: found.name.as_ptr(),
        address: found.address,
        size: found.size,
        kind: found.kind,
        section: found.section,
        target: found.target,
        descriptor: found.descriptor.as_ref().map_or(std::ptr::null(), |descriptor| descriptor.as_ptr()),
    });
    // SAFETY: the caller's promise.
    unsafe { give(symbol, shown) }
}

/// Writes the n-th note about parts that could not be read, from 0, to `note`. Returns whether there is one.
///
/// # Safety
/// `file` is null or a file that is not freed; `note` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_file_note(
    file: *const amdgpu_isa_file,
    n: usize,
    note: *mut amdgpu_isa_note,
) -> bool {
    // SAFETY: the caller's promise.
    let found = unsafe { file.as_ref() }.and_then(|file| file.notes.get(n));
    // SAFETY: the caller's promise.
    unsafe { give(note, found.map(Note::shown)) }
}

/// Frees a file.
///
/// # Safety
/// `file` is null or a file that is not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_file_free(file: *mut amdgpu_isa_file) {
    if !file.is_null() {
        // SAFETY: the caller's promise; every file is from `Box::into_raw`.
        drop(unsafe { Box::from_raw(file) });
    }
}

/// Checks the code of a file for waits and distances that are missing, or longer than needed. The answer has no bytes.
/// Its notes with a `rule` are the findings, and those without are about parts that could not be read.
///
/// `target`: the target to read the code for; 0 for the one that the file names. Code for another processor is not
/// read.
///
/// # Safety
/// `file` has `len` readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_lint(file: *const u8, len: usize, target: u32) -> *mut amdgpu_isa_answer {
    let mut findings = Vec::new();
    // SAFETY: the caller's promise.
    let mut notes = visit(unsafe { bytes(file, len) }, false, |image| match target_for(image, target) {
        Ok(target) => findings.extend(check::image(image, target).iter().map(Note::of)),
        Err(note) => findings.push(note),
    });
    notes.extend(findings);
    Box::into_raw(Box::new(amdgpu_isa_answer { bytes: None, notes }))
}

fn target_for(image: &Image<'_>, wanted: u32) -> Result<Target, Note> {
    let refused =
        |reason: String| Note { place: Some(string(image.label)), ..Note::new(amdgpu_isa_severity::Error, reason) };
    let wanted = match (wanted, target_of(wanted)) {
        (0, _) => None,
        (_, None) => {
            return Err(refused("the library was built without this target, or the number is not a target".into()));
        }
        (_, known) => known,
    };
    image.target_for(wanted).map_err(|error| {
        refused(match error {
            TargetError::Unsupported(id) => format!("this library was built without {}", id.processor),
            TargetError::UnknownProcessor(_) | TargetError::Unstated => {
                "the file does not name its processor: pass a target".into()
            }
            error => format!("the code object {error}"),
        })
    })
}

/// Inserts the waits and distances that are missing. The bytes of the answer are the new file, which is proved to be
/// the same program except for the inserted instructions. If there is no proof, some code cannot be moved, or a part of
/// the file is damaged, there are no bytes, and the notes say why. A code object is repaired as a whole file, and in a
/// bundle, an offload binary or an archive. A compressed bundle becomes one that is not compressed.
///
/// # Safety
/// `file` has `len` readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_fix(file: *const u8, len: usize, target: u32) -> *mut amdgpu_isa_answer {
    // SAFETY: the caller's promise.
    let answer = change(unsafe { bytes(file, len) }, target, Repair::Fix);
    Box::into_raw(Box::new(answer))
}

/// Takes away waits and distances that nothing needs. The answer is as for `amdgpu_isa_fix`.
///
/// # Safety
/// `file` has `len` readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_trim(file: *const u8, len: usize, target: u32) -> *mut amdgpu_isa_answer {
    // SAFETY: the caller's promise.
    let answer = change(unsafe { bytes(file, len) }, target, Repair::Trim);
    Box::into_raw(Box::new(answer))
}

fn change(file: &[u8], target: u32, kind: Repair) -> amdgpu_isa_answer {
    // The visit below reports damage.
    let unpacked = amdgpu_object::unpack(file, None).ok().flatten();
    let file = unpacked.as_deref().unwrap_or(file);
    let (mut changes, mut faults) = (Vec::new(), Vec::new());
    let mut notes = visit(file, false, |image| {
        let new = target_for(image, target).and_then(|target| {
            let edits = repair::image(image, target, kind).and_then(|plan| plan.followed());
            let new = edits.and_then(|edits| repair::apply(image, target, &edits));
            let fault = |error| Note::new(amdgpu_isa_severity::Error, error);
            new.map_err(|error| Note { place: Some(string(image.label)), ..fault(error) })
        });
        match new {
            Ok(new) if new == image.bytes => {}
            Ok(new) => changes.push((image.offset, new)),
            Err(note) => faults.push(note),
        }
    });
    let is_whole = faults.is_empty() && notes.iter().all(|note| note.severity == amdgpu_isa_severity::Hint);
    notes.extend(faults);
    let bytes = is_whole.then(|| {
        let refused = |error| notes.push(Note::new(amdgpu_isa_severity::Error, error));
        amdgpu_object::replace_all(file, changes).map_err(refused).ok()
    });
    amdgpu_isa_answer { bytes: bytes.flatten(), notes }
}
