//! Hash tables that lie in memory the same way in each run: where one entry collides with another is code that a fuzzer sees,
//! and what it sees selects its next inputs.

/// The bytes that the standard library asks the system for to seed its hash tables: zeros.
///
/// # Safety
/// `bytes` points at `length` bytes that may be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn getrandom(bytes: *mut u8, length: usize, _flags: u32) -> isize {
    // SAFETY: as the caller says.
    unsafe { bytes.write_bytes(0, length) };
    length.cast_signed()
}
