//! Answers about files: bytes and notes.

use std::ffi::{CString, c_char};

use amdgpu_isa::capi::number_of;
use amdgpu_lint::check::{Finding, Severity};

use crate::memory::{give, pointer, string};

/// The severity of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum amdgpu_isa_severity {
    /// A fault, or a part of a file that could not be read.
    Error,
    /// A possible fault.
    Warning,
    /// A remark, or the place of a call or directive that led to the place of the note before it.
    Hint,
}

/// A note about a place in a file or in a source. Its pointers are valid as long as the answer or the file that it is
/// from.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct amdgpu_isa_note {
    /// The severity of the note.
    pub severity: amdgpu_isa_severity,
    /// The rule of `lint`, such as "missing-wait"; null if the note is not a finding.
    pub rule: *const c_char,
    /// The fault, in words.
    pub message: *const c_char,
    /// The advice, such as what to insert; null if there is none.
    pub advice: *const c_char,
    /// The function that the place is in; for a note about a source, the name of the source file; for a code object or
    /// a skipped part, its label. Null if unknown.
    pub place: *const c_char,
    /// The target of the code, as `amdgpu_isa_target` names it; 0 if unknown.
    pub target: u32,
    /// The address of the instruction; 0 in a source.
    pub address: u64,
    /// The distance from the beginning of the function in bytes.
    pub offset: u64,
    /// The line in a source, from 1; 0 in a file.
    pub line: usize,
    /// The column in a source in bytes, from 1; 0 in a file.
    pub column: usize,
}

/// The answer of a function: the bytes that it made, if it made any, and notes.
pub struct amdgpu_isa_answer {
    pub(crate) bytes: Option<Vec<u8>>,
    pub(crate) notes: Vec<Note>,
}

/// A note, with its strings.
pub(crate) struct Note {
    pub severity: amdgpu_isa_severity,
    pub rule: Option<CString>,
    pub message: CString,
    pub advice: Option<CString>,
    pub place: Option<CString>,
    pub target: u32,
    pub address: u64,
    pub offset: u64,
    pub line: usize,
    pub column: usize,
}

impl Note {
    /// A note that is not about a place.
    pub fn new(severity: amdgpu_isa_severity, message: impl ToString) -> Note {
        let message = string(message);
        let (rule, advice, place) = (None, None, None);
        Note { severity, rule, message, advice, place, target: 0, address: 0, offset: 0, line: 0, column: 0 }
    }

    pub fn of(finding: &Finding<'_>) -> Note {
        let severity = match finding.severity() {
            Severity::Error => amdgpu_isa_severity::Error,
            Severity::Warning => amdgpu_isa_severity::Warning,
            Severity::Hint => amdgpu_isa_severity::Hint,
        };
        Note {
            rule: Some(string(finding.rule())),
            advice: finding.advice().map(string),
            place: finding.function.map(|function| string(function.name)),
            target: number_of(finding.target),
            address: finding.address,
            offset: finding.function.map_or(0, |function| function.offset),
            ..Note::new(severity, &finding.what)
        }
    }

    pub fn shown(&self) -> amdgpu_isa_note {
        amdgpu_isa_note {
            severity: self.severity,
            rule: pointer(self.rule.as_ref()),
            message: self.message.as_ptr(),
            advice: pointer(self.advice.as_ref()),
            place: pointer(self.place.as_ref()),
            target: self.target,
            address: self.address,
            offset: self.offset,
            line: self.line,
            column: self.column,
        }
    }
}

/// The bytes that the function made, and their number in `len`; null if it made none: the notes say why.
///
/// # Safety
/// `answer` is null or an answer that is not freed; `len` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_answer_bytes(answer: *const amdgpu_isa_answer, len: *mut usize) -> *const u8 {
    // SAFETY: the caller's promise.
    let bytes = unsafe { answer.as_ref() }.and_then(|answer| answer.bytes.as_deref());
    // SAFETY: the caller's promise.
    unsafe { give(len, Some(bytes.map_or(0, <[u8]>::len))) };
    bytes.map_or(std::ptr::null(), <[u8]>::as_ptr)
}

/// Writes the n-th note, from 0, to `note`. Returns whether there is one.
///
/// # Safety
/// `answer` is null or an answer that is not freed; `note` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_answer_note(
    answer: *const amdgpu_isa_answer,
    n: usize,
    note: *mut amdgpu_isa_note,
) -> bool {
    // SAFETY: the caller's promise.
    let found = unsafe { answer.as_ref() }.and_then(|answer| answer.notes.get(n));
    // SAFETY: the caller's promise.
    unsafe { give(note, found.map(Note::shown)) }
}

/// Frees an answer.
///
/// # Safety
/// `answer` is null or an answer that is not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_answer_free(answer: *mut amdgpu_isa_answer) {
    if !answer.is_null() {
        // SAFETY: the caller's promise; every answer is from `Box::into_raw`.
        drop(unsafe { Box::from_raw(answer) });
    }
}
