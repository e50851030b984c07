//! Hash tables with the same order in each run. Otherwise the code that runs when entries collide would differ, and
//! with it the inputs that the fuzzer selects.

/// Writes zeros for the bytes with which the standard library seeds its hash tables.
///
/// # Safety
/// `bytes` points at `length` bytes that may be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn getrandom(bytes: *mut u8, length: usize, _flags: u32) -> isize {
    // SAFETY: the caller promises that these bytes may be written.
    unsafe { bytes.write_bytes(0, length) };
    length.cast_signed()
}
