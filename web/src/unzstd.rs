//! Reads zstd, as the tool's module of this name does, but without a C library.

use std::io::{self, Read};

use ruzstd::decoding::StreamingDecoder;

/// Decompresses the frame at the beginning of `from`, and leaves what follows it. `size`: of the decompressed data.
pub fn reader<'a>(from: &'a mut &[u8], size: u64) -> io::Result<impl Read + 'a> {
    // The window of long-distance matching is as large as the data, rounded up.
    let window = size.max(1 << 20).next_power_of_two();
    StreamingDecoder::new_with_max_window_size(from, window).map_err(io::Error::other)
}
