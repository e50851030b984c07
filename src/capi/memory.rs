//! Memory of the caller: slices, buffers for results, and texts.

use core::ffi::c_char;
use core::fmt::Write;
use core::mem::MaybeUninit;

/// Whether the pointer and length make a slice. No object has more than `isize::MAX` bytes, so a greater length, such
/// as one made from a negative number, counts as an empty slice.
fn is_slice<T>(at: *const T, len: usize) -> bool {
    !at.is_null() && len.checked_mul(size_of::<T>()).is_some_and(|bytes| isize::try_from(bytes).is_ok())
}

/// # Safety
/// `at` is null or has `len` readable elements.
pub unsafe fn slice<'a, T>(at: *const T, len: usize) -> &'a [T] {
    // SAFETY: the caller's promise.
    if is_slice(at, len) { unsafe { core::slice::from_raw_parts(at, len) } } else { &[] }
}

/// # Safety
/// `at` is null or has `len` readable and writable elements.
pub unsafe fn slice_mut<'a, T>(at: *mut T, len: usize) -> &'a mut [T] {
    // SAFETY: the caller's promise.
    if is_slice(at, len) { unsafe { core::slice::from_raw_parts_mut(at, len) } } else { &mut [] }
}

/// An output buffer: C need not have initialized it, and nothing is read from it.
///
/// # Safety
/// `at` is null or has `len` writable elements.
pub unsafe fn room_of<'a, T>(at: *mut T, len: usize) -> &'a mut [MaybeUninit<T>] {
    // SAFETY: the caller's promise; any bytes are a `MaybeUninit`.
    unsafe { slice_mut(at.cast(), len) }
}

/// Writes one value for the caller.
///
/// # Safety
/// `to` is null or writable.
pub unsafe fn give<T>(to: *mut T, value: T) {
    // SAFETY: the caller's promise.
    if let [place] = unsafe { room_of(to, 1) } {
        place.write(value);
    }
}

/// # Safety
/// `at` is null or a string that ends in a zero.
pub unsafe fn text<'a>(at: *const c_char) -> &'a str {
    if at.is_null() {
        return "";
    }
    // SAFETY: the caller's promise.
    unsafe { core::ffi::CStr::from_ptr(at) }.to_str().unwrap_or("")
}

/// A writer into a buffer that keeps the bytes that fit, and counts all bytes.
struct Text<'a> {
    out: &'a mut [MaybeUninit<u8>],
    len: usize,
}

impl Write for Text<'_> {
    fn write_str(&mut self, s: &str) -> core::fmt::Result {
        // The last byte is reserved for the terminating zero.
        let room = self.out.len().saturating_sub(1);
        for byte in s.bytes() {
            if let Some(place) = self.out.get_mut(self.len).filter(|_| self.len < room) {
                place.write(byte);
            }
            self.len += 1;
        }
        Ok(())
    }
}

/// # Safety
/// `out` is null or has `room` writable bytes.
pub unsafe fn print(out: *mut c_char, room: usize, what: core::fmt::Arguments<'_>) -> usize {
    // SAFETY: the caller's promise.
    let out = unsafe { room_of(out.cast::<u8>(), room) };
    let mut text = Text { out, len: 0 };
    let _ = text.write_fmt(what);
    let end = text.len.min(text.out.len().saturating_sub(1));
    if let Some(zero) = text.out.get_mut(end) {
        zero.write(0);
    }
    text.len
}
