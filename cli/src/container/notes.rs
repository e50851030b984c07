//! Notes in code objects: the target of those whose flags do not name it, and the waves of PAL pipelines.
//!
//! A note is `namesz:u32 descsz:u32 type:u32 name desc`, where name and desc are padded to four bytes. Metadata since
//! version 3 is a MessagePack document, in notes of type 32; both HSA and PAL use it.

use std::borrow::Cow;
use std::collections::HashMap;

use super::TargetId;
use super::places::Argument;
use crate::escape;

const NT_AMD_HSA_ISA_VERSION: u32 = 3;
const NT_AMD_HSA_ISA_NAME: u32 = 11;
const NT_AMDGPU_METADATA: u32 = 32;

#[derive(Default)]
pub struct Notes<'a> {
    pub target: Option<TargetId>,
    /// The entry points of a PAL pipeline, with the lanes of their waves.
    pub entries: Vec<(&'a [u8], Option<u16>)>,
    /// The arguments of kernels, by the kernels' names.
    pub arguments: HashMap<Cow<'a, str>, Vec<Argument<'a>>>,
}

/// More than real pipelines have.
const MAX_ENTRIES: usize = 64;

impl<'a> Notes<'a> {
    pub fn read(&mut self, mut bytes: &'a [u8]) {
        while let Some((name, kind, desc, rest)) = note(bytes) {
            let found = match (name, kind) {
                (b"AMD\0", NT_AMD_HSA_ISA_VERSION) => isa_version(desc),
                (b"AMD\0", NT_AMD_HSA_ISA_NAME) => text(desc).and_then(TargetId::in_triple),
                (b"AMDGPU\0", NT_AMDGPU_METADATA) => self.metadata(desc),
                _ => None,
            };
            self.target = self.target.take().or(found);
            bytes = rest;
        }
    }

    fn metadata(&mut self, desc: &'a [u8]) -> Option<TargetId> {
        let document = Reader(desc);
        self.pipelines(document);
        self.kernels(document);
        match document.get(b"amdhsa.target")?.head()? {
            Head::Text(id) => text(id).and_then(TargetId::in_triple),
            _ => None,
        }
    }

    fn kernels(&mut self, document: Reader<'a>) -> Option<()> {
        let mut kernels = document.get(b"amdhsa.kernels")?;
        let Head::List(count) = kernels.head()? else { return None };
        for _ in 0..count {
            let name = kernels.text_of(b".symbol").and_then(|name| name.strip_suffix(b".kd"));
            let arguments = kernels.get(b".args").map_or_else(Vec::new, arguments);
            if let Some(name) = name.filter(|_| !arguments.is_empty()) {
                self.arguments.insert(escape::name(name), arguments);
            }
            kernels.skip()?;
        }
        Some(())
    }

    fn pipelines(&mut self, document: Reader<'a>) -> Option<()> {
        let mut pipelines = document.get(b"amdpal.pipelines")?;
        let Head::List(count) = pipelines.head()? else { return None };
        for _ in 0..count {
            let mut stages = pipelines.get(b".hardware_stages")?;
            let Head::Map(count) = stages.head()? else { return None };
            for _ in 0..count {
                stages.skip()?;
                let lanes = match stages.get(b".wavefront_size").and_then(|mut value| value.head()) {
                    Some(Head::Number(lanes @ (32 | 64))) => Some(lanes as u16),
                    _ => None,
                };
                if let Some(Head::Text(name)) = stages.get(b".entry_point").and_then(|mut value| value.head()) {
                    self.entries.push((name, lanes));
                }
                if self.entries.len() > MAX_ENTRIES {
                    return None;
                }
                stages.skip()?;
            }
            pipelines.skip()?;
        }
        Some(())
    }
}

/// The arguments of a kernel, in the order of their offsets.
fn arguments(mut list: Reader<'_>) -> Vec<Argument<'_>> {
    let mut all = Vec::new();
    let Some(Head::List(count)) = list.head() else { return all };
    for n in 0..count {
        let own = list.text_of(b".name").filter(|name| !name.is_empty());
        // What the runtime adds has no name, but a kind.
        let kind = list.text_of(b".value_kind").filter(|kind| kind.starts_with(b"hidden_"));
        let name = own.or(kind).map_or_else(|| format!("arg{n}").into(), escape::name);
        if let (Some(offset), Some(size)) = (list.number_of(b".offset"), list.number_of(b".size")) {
            all.push(Argument { name, offset, size });
        }
        if list.skip().is_none() {
            break;
        }
    }
    all.sort_by_key(|argument| argument.offset);
    all
}

fn text(bytes: &[u8]) -> Option<&str> {
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    // Longer ids than any real one.
    std::str::from_utf8(bytes.get(..end)?).ok().filter(|id| id.len() <= super::bundle::MAX_ID)
}

type Note<'a> = (&'a [u8], u32, &'a [u8], &'a [u8]);

/// The first note: its name, its type, its contents, and what follows.
fn note(bytes: &[u8]) -> Option<Note<'_>> {
    let mut reader = Reader(bytes);
    let [name, desc, kind] = [reader.u32_le()?, reader.u32_le()?, reader.u32_le()?];
    let mut part = |len: u32| {
        let part = reader.take(len.into())?;
        // The padding of the last note may be missing.
        _ = reader.take(u64::from(len).next_multiple_of(4) - u64::from(len));
        Some(part)
    };
    Some((part(name)?, kind, part(desc)?, reader.0))
}

/// `vendor_size:u16 arch_size:u16 major:u32 minor:u32 stepping:u32 vendor arch`: version 8.0.3 is gfx803.
fn isa_version(desc: &[u8]) -> Option<TargetId> {
    let mut reader = Reader(desc);
    reader.take(4)?;
    let [major, minor, stepping] = [reader.u32_le()?, reader.u32_le()?, reader.u32_le()?];
    (major < 100 && minor < 16 && stepping < 16).then(|| TargetId::parse(&format!("gfx{major}{minor:x}{stepping:x}")))
}

/// The bytes from a value on, of MessagePack or others.
#[derive(Clone, Copy)]
struct Reader<'a>(&'a [u8]);

/// A value of MessagePack; of a list or a map the number of elements, which follow.
enum Head<'a> {
    Number(u64),
    Text(&'a [u8]),
    List(u64),
    Map(u64),
    Other,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: u64) -> Option<&'a [u8]> {
        let (part, rest) = self.0.split_at_checked(usize::try_from(count).ok()?)?;
        self.0 = rest;
        Some(part)
    }

    fn u32_le(&mut self) -> Option<u32> {
        self.take(4)?.try_into().ok().map(u32::from_le_bytes)
    }

    /// A number of MessagePack, which puts the high byte first.
    fn number(&mut self, width: u64) -> Option<u64> {
        Some(self.take(width)?.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
    }

    fn text(&mut self, width: u64) -> Option<Head<'a>> {
        let len = self.number(width)?;
        self.take(len).map(Head::Text)
    }

    fn other(&mut self, len: u64) -> Option<Head<'a>> {
        self.take(len).map(|_| Head::Other)
    }

    /// Reads a value, or the head of a list or map; `None` if it is cut off or no MessagePack.
    fn head(&mut self) -> Option<Head<'a>> {
        let first = self.number(1)? as u8;
        match first {
            0..=0x7f => Some(Head::Number(first.into())),
            0xcc..=0xcf => self.number(1 << (first - 0xcc)).map(Head::Number),
            0x80..=0x8f => Some(Head::Map((first & 15).into())),
            0xde | 0xdf => self.number(2 << (first - 0xde)).map(Head::Map),
            0x90..=0x9f => Some(Head::List((first & 15).into())),
            0xdc | 0xdd => self.number(2 << (first - 0xdc)).map(Head::List),
            0xa0..=0xbf => self.take((first & 31).into()).map(Head::Text),
            0xd9..=0xdb => self.text(1 << (first - 0xd9)),
            // nil, false, true, and small negative numbers.
            0xc0 | 0xc2 | 0xc3 | 0xe0.. => Some(Head::Other),
            0xc4..=0xc6 => {
                let len = self.number(1 << (first - 0xc4))?;
                self.other(len)
            }
            0xca | 0xcb => self.other(4 << (first - 0xca)),
            0xd0..=0xd3 => self.other(1 << (first - 0xd0)),
            // Extensions, which metadata does not have.
            _ => None,
        }
    }

    /// Passes over a value with all that it contains.
    fn skip(&mut self) -> Option<()> {
        let mut left = 1u64;
        // Each turn takes a byte at least.
        while let Some(others) = left.checked_sub(1) {
            left = match self.head()? {
                Head::List(count) => others.saturating_add(count),
                Head::Map(count) => others.saturating_add(count.saturating_mul(2)),
                _ => others,
            };
        }
        Some(())
    }

    /// The value of a key in the map that begins here.
    fn get(mut self, key: &[u8]) -> Option<Self> {
        let Head::Map(count) = self.head()? else { return None };
        for _ in 0..count {
            let mut name = self;
            self.skip()?;
            if matches!(name.head()?, Head::Text(text) if text == key) {
                return Some(self);
            }
            self.skip()?;
        }
        None
    }

    fn text_of(self, key: &[u8]) -> Option<&'a [u8]> {
        match self.get(key)?.head()? {
            Head::Text(text) => Some(text),
            _ => None,
        }
    }

    fn number_of(self, key: &[u8]) -> Option<u64> {
        match self.get(key)?.head()? {
            Head::Number(number) => Some(number),
            _ => None,
        }
    }
}
