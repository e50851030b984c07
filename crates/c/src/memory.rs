//! Memory of the caller, and strings for it.

use std::ffi::{CStr, CString, c_char};

/// The bytes at a pointer; empty for null, and for more than `isize::MAX` bytes, which no object has.
///
/// # Safety
/// `at` is null, or points to `len` readable bytes.
pub unsafe fn bytes<'a>(at: *const u8, len: usize) -> &'a [u8] {
    let is_slice = !at.is_null() && isize::try_from(len).is_ok();
    // SAFETY: the caller's promise.
    if is_slice { unsafe { std::slice::from_raw_parts(at, len) } } else { &[] }
}

/// The string at a pointer; `None` for null, and for bytes that are not UTF-8.
///
/// # Safety
/// `at` is null, or points to a string that ends in a zero.
pub unsafe fn text<'a>(at: *const c_char) -> Option<&'a str> {
    if at.is_null() {
        return None;
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(at) }.to_str().ok()
}

/// Writes a value for the caller. Returns whether there is one.
///
/// # Safety
/// `to` is null or writable.
pub unsafe fn give<T>(to: *mut T, value: Option<T>) -> bool {
    match value {
        Some(value) if !to.is_null() => {
            // SAFETY: the caller's promise.
            unsafe { to.write(value) };
            true
        }
        value => value.is_some(),
    }
}

/// A string for C, without zeros inside.
pub fn string(text: impl ToString) -> CString {
    let mut bytes = text.to_string().into_bytes();
    bytes.retain(|byte| *byte != 0);
    CString::new(bytes).unwrap_or_default()
}

/// The pointer to a string; null if there is none.
pub fn pointer(text: Option<&CString>) -> *const c_char {
    text.map_or(std::ptr::null(), |text| text.as_ptr())
}
