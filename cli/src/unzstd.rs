//! Reads zstd with the C library. The page in `web/`, which has none, puts another module in the place of this one.

use std::io::{self, Read};

/// Decompresses the frame at the beginning of `from`, and leaves what follows it. `size`: of the decompressed data.
pub fn reader<'a>(from: &'a mut &[u8], size: u64) -> io::Result<impl Read + 'a> {
    let mut decoder = zstd::stream::read::Decoder::with_buffer(from)?.single_frame();
    // Clang uses long-distance matching: the window is as large as the data, up to 2^27 and, for larger
    // data, beyond. zstd's own limits are 2^27 by default and 2^31.
    let window_log = size.max(1).ilog2() + 1;
    decoder.window_log_max(window_log.clamp(27, 31))?;
    Ok(decoder)
}
