//! `dis`: a listing of the machine code in a file.

mod chosen;
mod json;
mod labels;
mod listing;
mod msb;
mod pieces;
mod provenance;
mod walk;

use std::fmt;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use amdgpu_object::{AddressMap, Container, Image, Part, Section, TargetError, TargetId, TargetIdError};
use amdgpu_source::Source;
use chosen::Near;

use crate::error::{Error, Result};
use crate::escape;
use crate::isa::{self, Target};
use crate::out::{BOLD, Out, RED};

#[derive(clap::Args)]
pub struct Args {
    /// The files to read; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Show only the code for this processor (such as gfx942, mi300x, gfx942:xnack+); with --raw, the target of the
    /// words
    #[arg(long, value_parser = selection)]
    target: Option<Selection>,
    /// The file is bare machine code without a container
    #[arg(long, requires = "target")]
    raw: bool,
    /// Address of the first byte of bare machine code
    #[arg(long, requires = "raw", value_parser = address, default_value = "0")]
    base: u64,
    /// Print a source from which `asm` makes the same sections again
    #[arg(long, conflicts_with_all = ["target", "raw", "json", "no_encoding", "max_unpacked"])]
    asm: bool,
    /// Show only the kernel or function of this name
    #[arg(long, value_name = "NAME", conflicts_with_all = ["raw", "asm"])]
    kernel: Option<String>,
    /// Show the descriptor of each kernel as directives
    #[arg(long, conflicts_with_all = ["raw", "asm"])]
    descriptors: bool,
    /// Print one JSON object for each instruction
    #[arg(long)]
    json: bool,
    /// Show each dword of padding; otherwise a long run of equal dwords is one line
    #[arg(long, conflicts_with_all = ["json", "asm"])]
    no_fold: bool,
    /// Omit notes on the origins of constants: addresses that code makes, arguments of kernels, relocations
    #[arg(long, conflicts_with_all = ["json", "asm"])]
    no_sources: bool,
    /// Omit the encoding beside each instruction
    #[arg(long, conflicts_with = "json")]
    no_encoding: bool,
    /// Look for code objects and bundles at every byte of a file of any kind
    #[arg(long, conflicts_with_all = ["raw", "asm"])]
    scan: bool,
    /// Refuse the file if all its compressed data together has more than SIZE bytes when decompressed, such as 4G; by
    /// default 64M, plus 256 bytes for each byte of the file
    #[arg(long, value_name = "SIZE", value_parser = size, conflicts_with = "raw")]
    max_unpacked: Option<u64>,
}

/// Visits the code of a file. With `scan`, also visits code objects and bundles that begin anywhere in it.
pub fn visit<E: From<amdgpu_object::Error>>(
    scan: bool,
    bytes: &[u8],
    max_unpacked: Option<u64>,
    each: impl FnMut(Part<'_>) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    match scan {
        true => amdgpu_object::scan(bytes, max_unpacked, each),
        false => amdgpu_object::visit(bytes, max_unpacked, each),
    }
}

/// The code that `--target` selects.
#[derive(Clone)]
pub struct Selection {
    pub target: Target,
    /// The processor with the named features. An image with another setting of one of these features is not selected.
    pub id: TargetId,
}

/// Reads a target id, such as `gfx942:xnack+`.
pub fn selection(text: &str) -> std::result::Result<Selection, String> {
    match TargetId::read(text) {
        Ok((id, target)) => Ok(Selection { target, id }),
        Err(TargetIdError::Unknown(name)) => {
            isa::parse_target(&name).map(|target| Selection { target, id: TargetId::parse(&name) })
        }
        Err(error) => Err(error.to_string()),
    }
}

/// Reads a target id, and returns the target with its instructions.
pub fn target(text: &str) -> std::result::Result<Target, String> {
    selection(text).map(|selection| selection.target)
}

pub fn address(text: &str) -> std::result::Result<u64, String> {
    let digits = text.strip_prefix("0x").or(text.strip_prefix("0X"));
    match digits {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => text.parse(),
    }
    .map_err(|_| "an address is a number of up to 64 bits, such as 4096 or 0x1000".into())
}

/// Reads a number of bytes, in units of a power of 1024 if it ends in K, M or G.
pub fn size(text: &str) -> std::result::Result<u64, String> {
    let (digits, shift) = match text.strip_suffix(['K', 'M', 'G']) {
        Some(digits) if text.ends_with('K') => (digits, 10),
        Some(digits) if text.ends_with('M') => (digits, 20),
        Some(digits) => (digits, 30),
        None => (text, 0),
    };
    let number: u64 = digits.parse().map_err(|_| "a size is a number of bytes, or one with K, M or G, such as 512M")?;
    number.checked_mul(1 << shift).ok_or_else(|| format!("at most {} bytes", u64::MAX))
}

impl Selection {
    /// Whether an image runs on this processor with these features. Processors with the same instructions count as
    /// different, and an image that leaves a feature open runs with either setting, as the loader has it.
    fn matches(&self, id: &TargetId) -> bool {
        let agrees = |(name, is_on): &(String, bool)| id.feature(name).is_none_or(|own| own == *is_on);
        id.processor == self.id.processor && self.id.features.iter().all(agrees)
    }
}

/// A message about a part of a file, with its label.
pub fn about(label: &str, what: &dyn fmt::Display) -> String {
    let colon = if label.is_empty() { "" } else { ": " };
    format!("{}{colon}{what}", escape::name(label.as_bytes()))
}

/// The target of an image, or the reason why it is passed over.
pub fn target_of(image: &Image<'_>, selection: Option<&Selection>) -> std::result::Result<Target, String> {
    if let (Some(id), Some(selection)) = (&image.target, selection) {
        if !selection.matches(id) {
            return Err(format!("holds {id}, not {}", selection.id));
        }
    }
    image.target_for(selection.map(|selection| selection.target)).map_err(|error| match error {
        TargetError::Unsupported(_) => format!("{error}; it knows {}", isa::known_targets()),
        TargetError::UnknownProcessor(_) | TargetError::Unstated => format!("{error}; use --target TARGET"),
        error => error.to_string(),
    })
}

pub fn run(args: &Args, color: bool) -> Result<()> {
    let (last, others) = args.files.split_last().ok_or_else(|| Error::Usage("no file is given".into()))?;
    if args.asm && !others.is_empty() {
        return Err(Error::Usage("--asm makes a source of one file".into()));
    }
    let mut failed = false;
    for path in others {
        match file(args, path, color) {
            // The other files are listed even if one has errors.
            Err(error @ (Error::Input(_) | Error::TooMuch { .. })) => {
                failed = true;
                let message = escape::message(&error.to_string());
                let _ = writeln!(anstream::stderr(), "{}error:{} {message}", RED.render(), RED.render_reset());
            }
            other => other?,
        }
    }
    file(args, last, color)?;
    if failed { Err(Error::input("not all files could be listed whole")) } else { Ok(()) }
}

/// Lists one file.
fn file(args: &Args, path: &Path, color: bool) -> Result<()> {
    let name = if path.as_os_str() == "-" { "standard input".into() } else { escape::path(path) };
    let bytes = read(path).map_err(|e| Error::input(format!("cannot read {name}: {e}")))?;
    if args.asm {
        return write_source(&bytes, io::stdout().lock()).map_err(|e| e.within(&name));
    }
    let (notes, result) = list(args, &name, &bytes, io::stdout(), color);
    // With `--target`, skipped images are expected; report them only without it.
    if args.target.is_none() {
        let mut stderr = anstream::stderr();
        for note in notes {
            let _ = writeln!(stderr, "{}note:{} {name}: {note}", BOLD.render(), BOLD.render_reset());
        }
    }
    result
}

/// The advice about a file that is not a code object.
fn unpacking(bytes: &[u8]) -> String {
    let tool = match Container::of(bytes) {
        Some(Container::OffloadBundle | Container::CompressedBundle) => "clang-offload-bundler --unbundle",
        Some(Container::OffloadBinary) => "llvm-offload-binary",
        Some(Container::Archive) => "ar x",
        Some(_) => "llvm-objdump --offloading",
        None => return "--asm takes one code object, and this is not one".into(),
    };
    format!("--asm takes one code object: take it out of this container or program first, with `{tool}`")
}

/// Writes the source of a code object.
fn write_source(bytes: &[u8], mut out: impl Write) -> Result<()> {
    let source = Source::new(bytes).map_err(|error| match error {
        amdgpu_source::Error::NoElf | amdgpu_source::Error::OtherMachine => Error::input(unpacking(bytes)),
        error => Error::input(error.to_string()),
    })?;
    source.parts().try_for_each(|part| out.write_all(part.as_bytes()))?;
    Ok(out.flush()?)
}

/// Lists the code in a file. Returns the parts that were skipped, with the reasons.
///
/// # Errors
/// The damage in the file, after which the rest is listed nevertheless, and errors of the output, which end the
/// listing.
pub fn list(args: &Args, name: &str, bytes: &[u8], sink: impl Write + Send, color: bool) -> (Vec<String>, Result<()>) {
    let (passed, damage) = (Messages::default(), Messages::default());
    let wanted = args.kernel.as_deref().map(Near::new);
    let mut job = Job { args, file: name, out: Out::new(sink, color), shown: 0, wanted, passed, damage };
    let result = match (&args.target, args.raw) {
        (Some(selection), true) => job.raw(selection, bytes),
        _ => visit(args.scan, bytes, args.max_unpacked, |part| job.part(part)),
    };
    let flushed = job.out.flush();
    match result {
        Err(error @ (Error::Input(_) | Error::TooMuch { .. })) => job.damage.add(|| error.to_string()),
        Err(error) => return (Vec::new(), Err(error)),
        Ok(()) => {}
    }
    match flushed {
        Ok(()) => job.finish(),
        Err(error) => (Vec::new(), Err(error.into())),
    }
}

/// Messages about parts of a file. A damaged file can have millions of them.
#[derive(Default)]
pub struct Messages {
    first: Vec<String>,
    more: usize,
}

impl Messages {
    const MOST: usize = 50;

    pub fn add(&mut self, message: impl FnOnce() -> String) {
        if self.first.len() < Self::MOST {
            self.first.push(message());
        } else {
            self.more += 1;
        }
    }

    pub fn all(mut self) -> Vec<String> {
        if self.more > 0 {
            self.first.push(format!("and {} more", self.more));
        }
        self.first
    }
}

pub fn read(file: &Path) -> io::Result<Vec<u8>> {
    if file.as_os_str() == "-" {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes)?;
        Ok(bytes)
    } else {
        fs::read(file)
    }
}

/// The origin of a line of the listing.
struct Place<'a> {
    /// The name of the file, if there are several.
    file: &'a str,
    target: Target,
    /// The name of the target in the file, such as `gfx1103`, which decodes as `gfx1100`.
    name: &'a str,
    image: &'a str,
    section: &'a Section<'a>,
    /// The meaning of addresses in the file.
    addresses: &'a AddressMap<'a>,
}

impl Place<'_> {
    /// The target with the waves of the function at an offset of the section.
    fn target_at(&self, offset: usize) -> Target {
        self.section.target_at(self.target, offset)
    }
}

struct Job<'a, W: Write + Send> {
    args: &'a Args,
    file: &'a str,
    out: Out<W>,
    /// The number of images listed so far.
    shown: usize,
    /// The name of the code to list, if not all is listed.
    wanted: Option<Near>,
    /// The parts that were skipped, with the reasons.
    passed: Messages,
    /// The damage in the file.
    damage: Messages,
}

impl<W: Write + Send> Job<'_, W> {
    fn raw(&mut self, selection: &Selection, bytes: &[u8]) -> Result<()> {
        if bytes.is_empty() {
            return Err(Error::input("the file is empty"));
        }
        let image = Image::bare(selection.id.clone(), self.args.base, bytes);
        self.image(&image, selection.target)
    }

    fn part(&mut self, part: Part<'_>) -> Result<()> {
        let image = match part {
            Part::Image(image) => image,
            Part::Skipped { label, reason } => {
                self.pass(label, &reason);
                return Ok(());
            }
            Part::Damaged(error) => {
                self.damage.add(|| Error::from(error).to_string());
                return Ok(());
            }
            _ => return Ok(()),
        };
        match target_of(&image, self.args.target.as_ref()) {
            Ok(target) => self.image(&image, target),
            Err(reason) => {
                self.pass(image.label, &reason);
                Ok(())
            }
        }
    }

    fn pass(&mut self, label: &str, reason: &dyn fmt::Display) {
        self.passed.add(|| about(label, reason));
    }

    fn image(&mut self, image: &Image<'_>, target: Target) -> Result<()> {
        let chosen: Vec<Section<'_>>;
        let sections = match &mut self.wanted {
            None => &image.sections,
            Some(wanted) => {
                chosen = image.sections.iter().flat_map(|section| chosen::parts(section, wanted.name())).collect();
                if chosen.is_empty() {
                    wanted.see(&image.sections);
                    return Ok(());
                }
                &chosen
            }
        };
        self.shown += 1;
        if let Some(newer) = &image.newer {
            self.pass(image.label, newer);
        }

        let processor = image.target.as_ref().map_or(target.processor(), |id| &id.processor);
        let is_default = target.name() == target.processor();
        let name = if is_default { processor.into() } else { format!("{processor}:wave{}", target.wave_size()) };
        let shown = listing::Shown {
            encoding: !self.args.no_encoding,
            descriptors: self.args.descriptors,
            padding: self.args.no_fold,
            sources: !self.args.no_sources,
        };
        for section in sections {
            let file = if self.args.files.len() > 1 { self.file } else { "" };
            let place = Place { file, target, name: &name, image: image.label, section, addresses: &image.addresses };
            if self.args.json {
                json::section(&mut self.out, &place, self.args.descriptors)?;
            } else {
                listing::header(&mut self.out, self.file, image.target.as_ref(), &place)?;
                listing::section(&mut self.out, &place, &shown)?;
            }
        }
        Ok(())
    }

    /// Returns the notes, and the damage as an error. Without damage, it is an error if nothing was listed. The message
    /// then has the notes, unless no code has the name that `--kernel` gives.
    fn finish(self) -> (Vec<String>, Result<()>) {
        let Job { file, shown, passed, damage, wanted, .. } = self;
        let (passed, damage) = (passed.all(), damage.all());
        let unknown = wanted.filter(|wanted| shown == 0 && wanted.has_seen());
        let error = match (&damage[..], shown) {
            ([], 0) if unknown.is_some() => {
                let unknown = unknown.map_or(String::new(), |unknown| unknown.message());
                return (passed, Err(Error::input(format!("{file}: {unknown}"))));
            }
            ([], 0) => {
                let mut message = format!("{file}: nothing to disassemble");
                message += if passed.is_empty() { ": the container holds no code for a GPU" } else { "" };
                passed.iter().for_each(|reason| message += &format!("\n  {reason}"));
                return (Vec::new(), Err(Error::input(message)));
            }
            ([], _) => return (passed, Ok(())),
            ([one], _) => format!("{file}: {one}"),
            (several, _) => {
                several.iter().fold(format!("{file}: it is damaged in several places"), |all, one| all + "\n  " + one)
            }
        };
        (passed, Err(Error::Input(error)))
    }
}
