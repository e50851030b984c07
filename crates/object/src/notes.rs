//! Notes in code objects: the target if the flags do not name it, the lanes of waves in PAL pipelines, and the
//! arguments of kernels.
//!
//! A note is `namesz:u32 descsz:u32 type:u32 name desc`, where name and desc are padded to four bytes. Metadata since
//! version 3 is a MessagePack document, in notes of type 32; both HSA and PAL use it.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;

use crate::metadata::{Head, Reader};
use crate::{Argument, Name, TargetId, bundle};

const NT_AMD_HSA_ISA_VERSION: u32 = 3;
const NT_AMD_HSA_ISA_NAME: u32 = 11;
const NT_AMDGPU_METADATA: u32 = 32;

#[derive(Default)]
pub struct Notes<'a> {
    pub target: Option<TargetId>,
    /// The entry points of a PAL pipeline, with the lanes of their waves.
    pub entries: Vec<(&'a [u8], Option<u16>)>,
    /// The first document of metadata, in MessagePack.
    pub document: Option<&'a [u8]>,
    /// The arguments of kernels, by the kernels' names.
    pub arguments: BTreeMap<Name<'a>, Vec<Argument<'a>>>,
}

/// The number of entry points above which reading stops. Real pipelines have fewer.
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
        self.document = self.document.or(Some(desc));
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
                self.arguments.insert(name.into(), arguments);
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
    for index in 0..count {
        let own = list.text_of(b".name").filter(|name| !name.is_empty());
        // An argument that the runtime adds has no name, but a kind.
        let kind = list.text_of(b".value_kind").filter(|kind| kind.starts_with(b"hidden_"));
        let name = own.or(kind).map(Name::from);
        if let (Some(offset), Some(size)) = (list.number_of(b".offset"), list.number_of(b".size")) {
            all.push(Argument { index, name, offset, size });
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
    // The limit is above the length of real ids.
    core::str::from_utf8(bytes.get(..end)?).ok().filter(|id| id.len() <= bundle::MAX_ID)
}

type Note<'a> = (&'a [u8], u32, &'a [u8], &'a [u8]);

/// Reads the first note: its name, its type, its contents, and the bytes after it.
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

/// The target that a note states. The contents of the note are
/// `vendor_size:u16 arch_size:u16 major:u32 minor:u32 stepping:u32 vendor arch`: version 8.0.3 is gfx803.
fn isa_version(desc: &[u8]) -> Option<TargetId> {
    let mut reader = Reader(desc);
    reader.take(4)?;
    let [major, minor, stepping] = [reader.u32_le()?, reader.u32_le()?, reader.u32_le()?];
    (major < 100 && minor < 16 && stepping < 16).then(|| TargetId::parse(&format!("gfx{major}{minor:x}{stepping:x}")))
}
