//! Archives (`.a`), in the variants of GNU and BSD. Members are files of any kind. Members that are code objects or
//! containers of them can be visited.
//!
//! ```text
//! "!<arch>\n"  { name:16 date:12 uid:6 gid:6 mode:8 size:10 "`\n"  ...bytes, padded to two }*      (numbers are text)
//! ```
//! GNU keeps names of more than 15 bytes in the member `//`, BSD at the beginning of the member. The members of a thin
//! archive are files of their own.

use alloc::vec::Vec;
use core::ops::Range;
use core::str;

use crate::error::{Container, ErrorKind};
use crate::name::shortened;
use crate::nesting::Nesting;
use crate::replace::put;
use crate::{EM_AMDGPU, Result, Visitor, elf, host, is_known, visit_part};

const MAGIC: &[u8] = b"!<arch>\n";
const THIN: &[u8] = b"!<thin>\n";
const HEADER: usize = 60;

pub fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC) || bytes.starts_with(THIN)
}

struct Header<'a> {
    name: &'a [u8],
    size: u64,
}

fn header(bytes: &[u8]) -> Option<Header<'_>> {
    let header = bytes.get(..HEADER)?;
    let size = str::from_utf8(header.get(SIZE)?).ok()?.trim_end_matches(' ');
    let size = size.parse().ok().filter(|_| header.ends_with(b"`\n"))?;
    Some(Header { name: header.get(..16)?.trim_ascii_end(), size })
}

/// The number in a name such as `/123` or `#1/20`.
fn number(digits: &[u8]) -> Option<usize> {
    str::from_utf8(digits).ok()?.parse().ok()
}

pub fn visit(bytes: &[u8], nesting: Nesting<'_>, each: &mut Visitor<'_>) -> Result<()> {
    if bytes.starts_with(THIN) {
        return Err(ErrorKind::ThinArchive.into());
    }
    let mut long_names: &[u8] = &[];
    let mut at = MAGIC.len();
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let Some(Header { name, size }) = header(rest) else {
            let (offset, is_decompressed) = (nesting.offset(at), nesting.is_decompressed);
            nesting.report(ErrorKind::NotAMember { offset, is_decompressed }, each)?;
            // Members begin at even offsets.
            let next =
                (at + 2..bytes.len()).step_by(2).find(|&next| bytes.get(next..).is_some_and(|b| header(b).is_some()));
            match next {
                Some(next) => at = next,
                None => return Ok(()),
            }
            continue;
        };
        let from = at + HEADER;
        let rest = rest.get(HEADER..).unwrap_or_default();
        let whole = usize::try_from(size).ok().and_then(|size| rest.get(..size));
        let mut data = whole.unwrap_or(rest);
        let mut start = from;
        at = from.saturating_add(data.len()).next_multiple_of(2);
        let name = match name {
            b"/" | b"/SYM64/" | b"__.SYMDEF" | b"__.SYMDEF SORTED" => continue,
            b"//" => {
                long_names = data;
                continue;
            }
            _ => match (name.strip_prefix(b"#1/").map(number), name.strip_prefix(b"/").map(number)) {
                (Some(Some(length)), _) => match data.split_at_checked(length) {
                    Some((name, rest)) => {
                        (data, start) = (rest, from + length);
                        name.split(|&b| b == 0).next().unwrap_or(name)
                    }
                    None => name,
                },
                (_, Some(Some(offset))) => {
                    let name = long_names.get(offset..).unwrap_or_default();
                    name.split(|&b| b == b'\n').next().unwrap_or(name)
                }
                _ => name,
            },
        };
        if name.starts_with(b"__.SYMDEF") {
            continue;
        }
        let name = shortened(name.strip_suffix(b"/").unwrap_or(name));
        let path = nesting.path(Container::Member(name.clone()), start);
        let inside = nesting.inside(start, &path);
        if whole.is_none() {
            inside.report(ErrorKind::MemberCut { claimed: size, left: rest.len() }, each)?;
        }
        inside.contain(member(data, &nesting.label(&name), inside, each), each)?;
    }
    Ok(())
}

/// The archive with other bytes in place of the code object at an offset, in a member that is a code object or consists
/// of bundles or offload binaries. The member's size and the table of symbols are adapted. `None` if no such member
/// holds the code object, the format of a table of symbols is not supported, or a number does not fit.
pub fn replace(file: &[u8], at: usize, new: &[u8]) -> Option<Vec<u8>> {
    let (mut start, mut tables) = (MAGIC.len(), Vec::new());
    file.strip_prefix(MAGIC)?;
    loop {
        let Header { name, size } = header(file.get(start..)?)?;
        let from = start + HEADER;
        let end = from.checked_add(usize::try_from(size).ok()?)?;
        // BSD's long names come before the data.
        let skipped = name.strip_prefix(b"#1/").map_or(Some(0), number)?;
        let data = from.checked_add(skipped)?;
        let long = file.get(from..data)?;
        let is_bsd = name.starts_with(b"__.SYMDEF") || long.starts_with(b"__.SYMDEF");
        match name {
            // Windows, and Darwin for large archives, have tables of symbols in other formats.
            b"/" if !tables.is_empty() => return None,
            _ if [name, long].iter().any(|name| name.starts_with(b"__.SYMDEF_64")) => return None,
            b"/" => tables.push(Index { from: data, end, width: 4, is_bsd: false }),
            b"/SYM64/" => tables.push(Index { from: data, end, width: 8, is_bsd: false }),
            _ if is_bsd => tables.push(Index { from: data, end, width: 4, is_bsd: true }),
            _ if (data..end).contains(&at) => {
                let member = file.get(data..end).filter(|member| !is_archive(member))?;
                let member = put(member, (at - data) as u64, new)?;
                let mut out = file.get(..start + SIZE.start)?.to_vec();
                let text = alloc::format!("{:<1$}", skipped.checked_add(member.len())?, SIZE.len());
                if text.len() > SIZE.len() {
                    return None;
                }
                out.extend_from_slice(text.as_bytes());
                out.extend_from_slice(file.get(start + SIZE.end..data)?);
                out.extend_from_slice(&member);
                out.resize(out.len().next_multiple_of(2), b'\n');
                let next = end.checked_next_multiple_of(2)?;
                let shift = i64::try_from(out.len()).ok()?.checked_sub(i64::try_from(next).ok()?)?;
                out.extend_from_slice(file.get(next..).unwrap_or_default());
                tables.iter().try_for_each(|table| table.follow(&mut out, start as u64, shift))?;
                return Some(out);
            }
            _ => {}
        }
        start = end.checked_next_multiple_of(2)?;
    }
}

/// The bytes of a member's header that hold its size.
const SIZE: Range<usize> = 48..58;

/// The table of symbols of an archive: the offsets of the members that define the symbols.
struct Index {
    /// The offsets of the first byte of the table and of the byte after the last one.
    from: usize,
    end: usize,
    /// The size in bytes of each number in the table.
    width: usize,
    /// Whether the format is BSD's: the size of all pairs in bytes, then pairs of a name and an offset, low bytes
    /// first. GNU's format is the number of offsets, then the offsets, high bytes first.
    is_bsd: bool,
}

impl Index {
    /// Adds `shift` to the offsets of all members that begin after the offset `after`.
    fn follow(&self, file: &mut [u8], after: u64, shift: i64) -> Option<()> {
        let numbers = file.get_mut(self.from..self.end)?;
        let value = |bytes: &[u8]| {
            let add = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
            if self.is_bsd { bytes.iter().rev().fold(0, add) } else { bytes.iter().fold(0, add) }
        };
        let (count, numbers) = numbers.split_at_mut_checked(self.width)?;
        let count = usize::try_from(value(count)).ok()?;
        let (count, step) = if self.is_bsd { (count / (2 * self.width), 2) } else { (count, 1) };
        if count.checked_mul(step)?.checked_mul(self.width)? > numbers.len() {
            return None;
        }
        for number in numbers.chunks_exact_mut(self.width).skip(step - 1).step_by(step).take(count) {
            let old = value(number);
            let new = if old > after { old.checked_add_signed(shift)? } else { old };
            let bytes = if self.is_bsd { new.to_le_bytes() } else { new.to_be_bytes() };
            let (kept, cut) = match self.is_bsd {
                true => bytes.split_at_checked(self.width)?,
                false => bytes.split_at_checked(bytes.len() - self.width).map(|(cut, kept)| (kept, cut))?,
            };
            if cut.iter().any(|byte| *byte != 0) {
                return None;
            }
            number.copy_from_slice(kept);
        }
        Some(())
    }
}

fn member(data: &[u8], label: &str, nesting: Nesting<'_>, each: &mut Visitor<'_>) -> Result<()> {
    let nesting = Nesting { outer: label, ..nesting };
    if elf::is_elf(data) {
        let file = elf::File::parse(data)?;
        if file.machine != EM_AMDGPU {
            // Most members of a library for the host have no GPU code. Such members are skipped without a message.
            return host::visit(&file, label, true, nesting, each);
        }
    }
    // Members of other kinds, such as texts, are skipped.
    if is_known(data) { visit_part(data, label, nesting, each) } else { Ok(()) }
}
