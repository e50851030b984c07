//! Compressed offload bundles, as `clang --offload-compress` writes them:
//!
//! ```text
//! v1: "CCOB" version:u16 method:u16                 size:u32 hash:u64
//! v2: "CCOB" version:u16 method:u16 file_size:u32   size:u32 hash:u64
//! v3: "CCOB" version:u16 method:u16 file_size:u64   size:u64 hash:u64
//! ```
//! `size` is the size of the decompressed data; `file_size` includes the header. Version 1 does not state
//! where it ends, but the compressed stream does.

use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::Result;
use crate::error::ErrorKind;
use crate::nesting::Budget;

const MAGIC: &[u8] = b"CCOB";

pub fn is_compressed(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Whether a compressed bundle seems to begin here: its magic number and a known version are found.
pub fn is_likely(bytes: &[u8]) -> bool {
    is_compressed(bytes) && matches!(bytes.get(4..6), Some([1..=3, 0]))
}

struct Header {
    method: u16,
    /// The size of the header in bytes.
    length: usize,
    file_size: Option<u64>,
    size: u64,
}

fn header(bytes: &[u8]) -> Result<Header, ErrorKind> {
    let cut = || ErrorKind::HeaderCut { len: bytes.len() };
    let u16_at = |at: usize| bytes.get(at..at + 2).and_then(|b| b.try_into().ok()).map(u16::from_le_bytes);
    let u32_at = |at: usize| bytes.get(at..at + 4).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
    let u64_at = |at: usize| bytes.get(at..at + 8).and_then(|b| b.try_into().ok()).map(u64::from_le_bytes);
    let version = u16_at(4).ok_or_else(cut)?;
    let method = u16_at(6).ok_or_else(cut)?;
    let (length, file_size, size) = match version {
        1 => (20, None, u32_at(8).ok_or_else(cut)?.into()),
        2 => (24, Some(u32_at(8).ok_or_else(cut)?.into()), u32_at(12).ok_or_else(cut)?.into()),
        3 => (32, Some(u64_at(8).ok_or_else(cut)?), u64_at(16).ok_or_else(cut)?),
        other => return Err(ErrorKind::Version { version: other.into(), known: "1, 2 and 3" }),
    };
    if bytes.len() < length {
        return Err(cut());
    }
    Ok(Header { method, length, file_size, size })
}

/// Decompressed data.
pub struct Plain {
    pub bytes: Vec<u8>,
    /// The damage, if `bytes` is only the part that could be read.
    pub damage: Option<ErrorKind>,
}

/// Decompresses the bundle that `bytes` begins with. Sets `end`, even if nothing can be decompressed, to the number of
/// bytes that belong to the bundle, as far as this is known.
pub fn decompress(bytes: &[u8], end: &mut usize, budget: &Budget) -> Result<Plain, ErrorKind> {
    *end = MAGIC.len();
    let header = header(bytes)?;
    *end = header.length;
    let mut damage = None;
    let claim = header.file_size.map(|claim| usize::try_from(claim).unwrap_or(usize::MAX));
    let packed_end = match claim {
        None => bytes.len(),
        Some(claim) if (header.length..=bytes.len()).contains(&claim) => {
            *end = claim;
            claim
        }
        Some(claim) => {
            damage = Some(ErrorKind::ContainerCut { claimed: claim as u64, len: bytes.len() });
            bytes.len()
        }
    };
    let packed = bytes.get(header.length..packed_end).unwrap_or_default();
    budget.spend(header.size, packed.len())?;
    let stream = match header.method {
        0 => zlib::decompress(packed, header.size)?,
        1 => zstd::decompress(packed, header.size)?,
        method => return Err(ErrorKind::Method { method }),
    };
    if claim != Some(*end) {
        *end = header.length + stream.taken;
    }
    let damage = damage.or_else(|| stream.damage(header.size));
    Ok(Plain { bytes: stream.bytes, damage })
}

/// A decompressed stream, up to its damage if it is damaged.
struct Stream {
    /// The data, with at most one byte more than the header promises, so that excess data is noticed. The memory grows
    /// with the data itself, not with the size in the header.
    bytes: Vec<u8>,
    /// The number of bytes of the compressed data that belong to the stream.
    taken: usize,
    error: Option<ErrorKind>,
}

impl Stream {
    /// The error of a stream that should decompress to `promised` bytes, if there is one.
    fn damage(&self, promised: u64) -> Option<ErrorKind> {
        let held = self.bytes.len() as u64;
        match held.cmp(&promised) {
            _ if self.error.is_some() => self.error.clone(),
            Ordering::Equal => None,
            Ordering::Less => Some(ErrorKind::Size { promised, held: Some(held) }),
            Ordering::Greater => Some(ErrorKind::Size { promised, held: None }),
        }
    }
}

/// The smallest size of a growing buffer in bytes, unless less is promised.
#[cfg(any(feature = "zlib", feature = "zstd"))]
const STEP: usize = 64 << 10;

/// Makes a buffer larger if its first `len` bytes fill it, up to `promised` bytes and one more. Returns whether there
/// is room after its first `len` bytes.
#[cfg(any(feature = "zlib", feature = "zstd"))]
fn grow(buffer: &mut Vec<u8>, len: usize, promised: u64) -> bool {
    if len == buffer.len() {
        let most = usize::try_from(promised).unwrap_or(usize::MAX).saturating_add(1);
        buffer.resize(len.saturating_mul(2).max(STEP).min(most), 0);
    }
    len < buffer.len()
}

#[cfg(feature = "zlib")]
mod zlib {
    use alloc::string::ToString as _;
    use alloc::vec::Vec;

    use miniz_oxide::inflate::TINFLStatus;
    use miniz_oxide::inflate::core::{DecompressorOxide, decompress as inflate, inflate_flags as flags};

    use super::{ErrorKind, Stream, grow};

    pub fn decompress(packed: &[u8], promised: u64) -> Result<Stream, ErrorKind> {
        let flags = flags::TINFL_FLAG_PARSE_ZLIB_HEADER | flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
        let mut state = DecompressorOxide::new();
        let (mut bytes, mut len, mut taken, mut error) = (Vec::new(), 0, 0, None);
        while grow(&mut bytes, len, promised) {
            let rest = packed.get(taken..).unwrap_or_default();
            let (status, read, written) = inflate(&mut state, rest, &mut bytes, len, flags);
            (len, taken) = (len + written, taken + read);
            match status {
                TINFLStatus::HasMoreOutput => {}
                TINFLStatus::Done => break,
                status => {
                    let reason = match status {
                        TINFLStatus::FailedCannotMakeProgress | TINFLStatus::NeedsMoreInput => "the data is cut off",
                        TINFLStatus::Adler32Mismatch => "the checksum does not match",
                        _ => "the data is damaged",
                    };
                    error = Some(ErrorKind::Compressed { reason: reason.to_string() });
                    break;
                }
            }
        }
        bytes.truncate(len);
        Ok(Stream { bytes, taken, error })
    }
}

#[cfg(feature = "zstd")]
mod zstd {
    use alloc::string::String;
    use alloc::vec::Vec;

    use ruzstd::decoding::StreamingDecoder;
    use ruzstd::io::Read as _;

    use super::{ErrorKind, Stream, grow};

    pub fn decompress(packed: &[u8], promised: u64) -> Result<Stream, ErrorKind> {
        let failed = |reason: String| ErrorKind::Compressed { reason };
        let mut rest = packed;
        // The window of long-distance matching may be as large as the data, rounded up to a power of two.
        let window = promised.max(1 << 20).checked_next_power_of_two().unwrap_or(promised);
        let decoder = StreamingDecoder::new_with_max_window_size(&mut rest, window);
        let mut decoder = decoder.map_err(|_| failed("its header is damaged, or cut off".into()))?;
        let (mut bytes, mut len, mut error) = (Vec::new(), 0, None);
        while grow(&mut bytes, len, promised) {
            match decoder.read(bytes.get_mut(len..).unwrap_or_default()) {
                Ok(0) => {
                    let decoder = &decoder.decoder;
                    let sum = decoder.get_checksum_from_data();
                    if sum.is_some() && sum != decoder.get_calculated_checksum() {
                        error = Some(failed("the checksum does not match".into()));
                    }
                    break;
                }
                Ok(read) => len += read,
                // The messages of this decompressor are for programmers, so they are not shown.
                Err(_) => {
                    error = Some(failed("its data is damaged".into()));
                    break;
                }
            }
        }
        bytes.truncate(len);
        drop(decoder);
        Ok(Stream { bytes, taken: packed.len() - rest.len(), error })
    }
}

#[cfg(not(feature = "zlib"))]
mod zlib {
    pub fn decompress(_: &[u8], _: u64) -> Result<super::Stream, super::ErrorKind> {
        Err(super::ErrorKind::NotInThisBuild { feature: "zlib" })
    }
}

#[cfg(not(feature = "zstd"))]
mod zstd {
    pub fn decompress(_: &[u8], _: u64) -> Result<super::Stream, super::ErrorKind> {
        Err(super::ErrorKind::NotInThisBuild { feature: "zstd" })
    }
}
