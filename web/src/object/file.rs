//! The contents of a dropped file: the package amdgpu-object finds the code objects in it, and one of them is opened.

use amdgpu_isa::Target;
use amdgpu_isa::kernel::{KernelDescriptor, Registers};
use amdgpu_object::{Error, ErrorKind, Part, Section, Symbol, SymbolKind};
use serde::Serialize;

/// The limit for decompressed bundles in bytes. The data is in memory twice while it is decompressed.
pub const MOST_UNPACKED: u64 = 512 << 20;

/// The greatest number of notes that are shown.
const MOST_NOTES: usize = 20;

/// A region: code from one symbol to the next. No instruction reaches into another region.
pub struct Region {
    pub target: Target,
    pub address: u64,
    /// The bounds of the region in the code of all sections together.
    pub start: usize,
    pub end: usize,
    /// The names of the symbols at the region's beginning.
    pub names: Vec<String>,
    pub is_kernel: bool,
}

#[derive(Serialize)]
pub struct Descriptor {
    pub name: String,
    pub address: u64,
    target: &'static str,
    /// The parts of the descriptor that are not the default, and the registers, named as in `.amdhsa_` directives.
    /// Empty if the kernel has no descriptor.
    directives: Vec<(String, u32)>,
}

/// A code object of the file.
#[derive(Serialize)]
pub struct Image {
    /// The code object's place in the file, such as the id of its entry in a bundle; empty if the file is a code
    /// object.
    label: String,
    /// The processor with its features, as the file has it.
    target: String,
    /// The number of bytes of code.
    bytes: usize,
    kernels: usize,
    /// The reason why the code object cannot be shown.
    unknown: Option<String>,
}

/// The code objects of a file, and the one of them that is opened.
pub struct File {
    pub images: Vec<Image>,
    pub opened: usize,
    /// Notes about the parts that were skipped, and about damage.
    pub notes: Vec<String>,
    pub read: Read,
}

pub struct Read {
    pub target: Target,
    pub code: Vec<u8>,
    pub regions: Vec<Region>,
    pub kernels: Vec<Descriptor>,
}

/// Opens the code object with this number, or else the first that can be shown. `usual` is the target of code objects
/// that do not name theirs.
pub fn open(bytes: &[u8], number: Option<usize>, usual: Target) -> Result<File, String> {
    let (mut images, mut notes, mut opened) = (Vec::new(), Vec::new(), None);
    let visited = amdgpu_object::visit(bytes, Some(MOST_UNPACKED), |part| {
        let image = match part {
            Part::Image(image) => image,
            Part::Skipped { label, reason } => {
                notes.push(if label.is_empty() { reason.to_string() } else { format!("{label}: {reason}") });
                return Ok(());
            }
            Part::Damaged(error) => {
                notes.push(message(error));
                return Ok(());
            }
            _ => return Ok(()),
        };
        let target = match &image.target {
            None => match image.unknown_processor {
                Some(number) => Err(format!("this page does not know processor {number:#x}")),
                None => Ok(usual),
            },
            Some(id) => id.processor.parse::<Target>().map_err(|_| format!("this page does not know {id}")),
        };
        let here = images.len();
        if let Ok(target) = target {
            if opened.is_none() && number.is_none_or(|number| number == here) {
                opened = Some((here, read(&image.sections, target)));
            }
        }
        notes.extend(image.newer.map(|newer| newer.to_string()));
        let kernels = image.kernels().count();
        images.push(Image {
            label: image.label.into(),
            target: image.target.map_or(usual.name().into(), |id| id.to_string()),
            bytes: image.sections.iter().map(|section| section.bytes.len()).sum(),
            kernels,
            unknown: target.err(),
        });
        Ok::<(), Error>(())
    });
    notes.extend(visited.err().map(message));
    let Some((opened, read)) = opened else {
        let unknown = images.iter().filter_map(|image| image.unknown.clone()).chain(notes).take(MOST_NOTES);
        let reasons: Vec<String> = unknown.collect();
        return Err(if reasons.is_empty() { "it holds no code for a GPU".into() } else { reasons.join("; ") });
    };
    let more = notes.len().saturating_sub(MOST_NOTES);
    notes.truncate(MOST_NOTES);
    notes.extend((more > 0).then(|| format!("and {more} more")));
    Ok(File { images, opened, notes, read })
}

/// The message of an error for the page, without advice for the command.
fn message(error: Error) -> String {
    match error.kind {
        ErrorKind::TooMuch { limit } => {
            let steps: Vec<String> = error.path.iter().map(ToString::to_string).collect();
            let (place, limit) = (steps.join(": "), limit >> 20);
            format!(
                "{place}: unpacked, it has more than the {limit} MB that this page takes; `amdgpu-isa dis` reads it"
            )
        }
        ErrorKind::UnknownFormat => format!("{error}; for bare machine code type its words under Instruction"),
        _ => error.to_string(),
    }
}

fn read(sections: &[Section<'_>], target: Target) -> Read {
    let kernels = sections.iter().flat_map(|section| &section.symbols).filter(|s| s.kind == SymbolKind::Kernel);
    let mut kernels: Vec<Descriptor> = kernels.map(|symbol| descriptor(symbol, target)).collect();
    kernels.sort_by(|a, b| (a.address, &a.name).cmp(&(b.address, &b.name)));
    let lanes = sections.iter().flat_map(|section| &section.symbols).find_map(|symbol| symbol.lanes);
    let mut read = Read { target: with_lanes(target, lanes), code: Vec::new(), regions: Vec::new(), kernels };
    for section in sections {
        add(&mut read, section, target);
    }
    read
}

fn with_lanes(target: Target, lanes: Option<u16>) -> Target {
    lanes.and_then(|lanes| target.with_wave_size(lanes)).unwrap_or(target)
}

fn descriptor(symbol: &Symbol<'_>, target: Target) -> Descriptor {
    let target = with_lanes(target, symbol.lanes);
    Descriptor {
        name: symbol.name.to_string(),
        address: symbol.address,
        target: target.name(),
        directives: symbol.descriptor.map_or(Vec::new(), |descriptor| directives(&descriptor, target)),
    }
}

fn directives(descriptor: &KernelDescriptor, target: Target) -> Vec<(String, u32)> {
    let Registers { vgprs, sgprs, .. } = descriptor.registers(target);
    let registers = [("next_free_vgpr".to_string(), vgprs.into()), ("next_free_sgpr".to_string(), sgprs.into())];
    let set = target.directives().iter().map(|d| (d.name().to_string(), descriptor.bits(d), d.default()));
    let set = set.filter(|(_, value, default)| value != default).map(|(name, value, _)| (name, value));
    registers.into_iter().chain(set).collect()
}

/// Divides a section into regions.
fn add(read: &mut Read, section: &Section<'_>, target: Target) {
    // A region begins at a dword.
    read.code.resize(read.code.len().next_multiple_of(4), 0);
    let (base, len) = (read.code.len(), section.bytes.len());
    read.code.extend_from_slice(section.bytes);
    let offset = |symbol: &Symbol<'_>| usize::try_from(symbol.address.checked_sub(section.address)?).ok();
    let code: Vec<&Symbol<'_>> = section.symbols.iter().filter(|symbol| symbol.kind != SymbolKind::Other).collect();
    let first = code.iter().find_map(|symbol| symbol.lanes);
    let begins = |start: usize, lanes| Region {
        target: with_lanes(target, lanes),
        address: section.address.wrapping_add(start as u64),
        start: base + start,
        end: base + len,
        names: Vec::new(),
        is_kernel: false,
    };
    let mut regions = vec![begins(0, first)];
    for symbol in code {
        let Some(start) = offset(symbol).filter(|offset| *offset < len && offset % 4 == 0) else { continue };
        if regions.last().is_none_or(|last| last.start < base + start) {
            regions.iter_mut().last().into_iter().for_each(|last| last.end = base + start);
            regions.push(begins(start, symbol.lanes));
        }
        if let Some(last) = regions.last_mut() {
            last.names.push(symbol.name.to_string());
            last.is_kernel |= symbol.kind == SymbolKind::Kernel;
            last.target = with_lanes(target, symbol.lanes);
        }
    }
    read.regions.extend(regions);
}
