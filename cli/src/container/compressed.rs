//! Compressed offload bundles, as `clang --offload-compress` writes them:
//!
//! ```text
//! v1: "CCOB" version:u16 method:u16                 size:u32 hash:u64
//! v2: "CCOB" version:u16 method:u16 file_size:u32   size:u32 hash:u64
//! v3: "CCOB" version:u16 method:u16 file_size:u64   size:u64 hash:u64
//! ```
//! `size` is the size of the decompressed data; `file_size` includes the header. Version 1 does not state
//! where it ends, but the compressed stream does.

use std::cmp::Ordering;
use std::io::Read;

use super::Budget;
use crate::error::{Error, Result};
use crate::unzstd;

const MAGIC: &[u8] = b"CCOB";

pub fn is_compressed(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Whether a bundle seems to begin here, in the middle of a damaged one: the magic number and a version that is known.
pub fn is_likely(bytes: &[u8]) -> bool {
    is_compressed(bytes) && matches!(bytes.get(4..6), Some([1..=3, 0]))
}

struct Header {
    method: u16,
    /// Size of the header in bytes.
    length: usize,
    file_size: Option<u64>,
    size: u64,
}

fn header(bytes: &[u8]) -> Result<Header> {
    let cut = || Error::input(format!("cut off inside its header, at {} bytes", bytes.len()));
    let u16_at = |at: usize| bytes.get(at..at + 2).and_then(|b| b.try_into().ok()).map(u16::from_le_bytes);
    let u32_at = |at: usize| bytes.get(at..at + 4).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
    let u64_at = |at: usize| bytes.get(at..at + 8).and_then(|b| b.try_into().ok()).map(u64::from_le_bytes);
    let version = u16_at(4).ok_or_else(cut)?;
    let method = u16_at(6).ok_or_else(cut)?;
    let (length, file_size, size) = match version {
        1 => (20, None, u32_at(8).ok_or_else(cut)?.into()),
        2 => (24, Some(u32_at(8).ok_or_else(cut)?.into()), u32_at(12).ok_or_else(cut)?.into()),
        3 => (32, Some(u64_at(8).ok_or_else(cut)?), u64_at(16).ok_or_else(cut)?),
        other => return Err(Error::input(format!("version {other} is not known; 1, 2 and 3 are"))),
    };
    if bytes.len() < length {
        return Err(cut());
    }
    Ok(Header { method, length, file_size, size })
}

/// Decompressed data.
pub struct Plain {
    pub bytes: Vec<u8>,
    /// What is wrong with the bundle, if `bytes` is only what could be read of it.
    pub damage: Option<Error>,
}

/// Decompresses the bundle that `bytes` begins with. Sets `end` to the number of bytes that belong to it, as far as that is
/// known; it is set even if nothing can be decompressed.
pub fn decompress(bytes: &[u8], end: &mut usize, budget: &Budget) -> Result<Plain> {
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
            damage = Some(Error::input(format!("cut off: it claims {claim} bytes, the file has {}", bytes.len())));
            bytes.len()
        }
    };
    let packed = bytes.get(header.length..packed_end).unwrap_or_default();
    budget.spend(header.size, packed.len())?;
    let mut rest = packed;
    let mut plain = match header.method {
        0 => inflate(&mut flate2::bufread::ZlibDecoder::new(&mut rest), header.size),
        1 => {
            let reader = unzstd::reader(&mut rest, header.size);
            inflate(&mut reader.map_err(|e| Error::input(format!("cannot decompress: {e}")))?, header.size)
        }
        other => {
            return Err(Error::input(format!("compression method {other} is not known; 0 (zlib) and 1 (zstd) are")));
        }
    };
    if claim != Some(*end) {
        *end = packed_end - rest.len();
    }
    plain.damage = damage.or(plain.damage);
    Ok(plain)
}

/// Reads all data. The buffer grows with the data itself, never with the size in the header.
fn inflate(from: &mut impl Read, size: u64) -> Plain {
    let mut plain = Vec::new();
    // Read one byte more than the header states, to notice excess data.
    let read = from.take(size.saturating_add(1)).read_to_end(&mut plain);
    let damage = match (read, (plain.len() as u64).cmp(&size)) {
        (Err(e), _) => Some(format!("cannot decompress: {e}")),
        (_, Ordering::Equal) => None,
        (_, Ordering::Less) => Some(format!("damaged: it promises {size} bytes and holds {}", plain.len())),
        (_, Ordering::Greater) => Some(format!("damaged: it promises {size} bytes and holds more")),
    };
    Plain { bytes: plain, damage: damage.map(Error::input) }
}
