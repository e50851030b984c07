//! Archives (`.a`), in the variants of GNU and BSD. Their members are files of any kind, of which some can be visited.
//!
//! ```text
//! "!<arch>\n"  { name:16 date:12 uid:6 gid:6 mode:8 size:10 "`\n"  ...bytes, padded to two }*      (numbers are text)
//! ```
//! GNU keeps names of more than 15 bytes in the member `//`, BSD at the beginning of the member. The members of a thin
//! archive are files of their own.

use core::str;

use crate::error::{Container, ErrorKind};
use crate::name::shortened;
use crate::nesting::Nesting;
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
    let size = str::from_utf8(header.get(48..58)?).ok()?.trim_end_matches(' ');
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

fn member(data: &[u8], label: &str, nesting: Nesting<'_>, each: &mut Visitor<'_>) -> Result<()> {
    let nesting = Nesting { outer: label, ..nesting };
    if elf::is_elf(data) {
        let file = elf::File::parse(data)?;
        if file.machine != EM_AMDGPU {
            // Most members of a library for the host have no GPU code. They are skipped without a message.
            return host::visit(&file, label, true, nesting, each);
        }
    }
    // Members can be anything, such as texts. They are skipped.
    if is_known(data) { visit_part(data, label, nesting, each) } else { Ok(()) }
}
