//! Sources, which are assembled in memory, so that findings have lines.

use std::borrow::Cow;

use amdgpu_asm::{Assembly, Faults, Kind, Options, Places, Statement};

use super::{Args, assume};
use crate::asm;
use crate::error::{Error, Result};

/// A source that was assembled.
pub struct Assembled {
    /// The code object; an object for a linker, if the source leaves symbols undefined.
    pub bytes: Vec<u8>,
    assembly: Assembly,
    is_object: bool,
}

/// The places of code in its source; `None` for code without a source.
pub struct Source<'a>(Option<Places<'a>>);

impl Assembled {
    /// Assembles the text of a source.
    pub fn of(name: &str, text: &str, options: &Options) -> std::result::Result<Assembled, Faults> {
        let assembly = amdgpu_asm::assemble(name, text, options)?;
        let needs_linker =
            |faults: &Faults| faults.all().iter().all(|f| matches!(f.kind, Kind::Undefined | Kind::Shared));
        let (bytes, is_object) = match assembly.to_code_object(false) {
            Err(faults) if needs_linker(&faults) => (assembly.to_object()?, true),
            linked => (linked?, false),
        };
        Ok(Assembled { bytes, assembly, is_object })
    }

    pub fn warnings(&self) -> Faults {
        self.assembly.warnings()
    }

    pub fn source(&self) -> Source<'_> {
        Source(Some(if self.is_object { self.assembly.places_in_object() } else { self.assembly.places() }))
    }
}

impl Source<'_> {
    pub fn none() -> Source<'static> {
        Source(None)
    }

    /// The statement that made a byte of the section.
    pub fn at(&mut self, section: &str, offset: u64) -> Option<Statement> {
        self.0.as_mut()?.at(section, offset)
    }
}

/// Assembles a file, if it is a source. Prints errors and warnings on stderr.
pub fn assemble(args: &Args, name: &str, bytes: &[u8], color: bool) -> Result<Option<Assembled>> {
    let Some(text) = text(name, bytes).filter(|_| !args.raw) else { return Ok(None) };
    if args.changes() {
        return Err(Error::input(format!(
            "{name}: --fix and --trim change code objects, and this is a source: make a code object of it first, \
             with `asm`"
        )));
    }
    let mut options = Options::default();
    options.include.clone_from(&args.include);
    options.keeps_places = true;
    if let Some(selection) = &args.target {
        let processor = selection.id.to_string().parse();
        options.target = Some(processor.map_err(|faults: Faults| Error::input(faults.to_string()))?);
        options.wave = Some(selection.target.wave_size());
    }
    options.wave = assume::lanes(&args.assume).or(options.wave);
    match Assembled::of(name, &text, &options) {
        Ok(assembled) => {
            asm::say(&assembled.warnings(), false, color)?;
            Ok(Some(assembled))
        }
        Err(faults) => {
            asm::say(&faults, false, color)?;
            let errors = faults.errors();
            Err(Error::input(format!("{name}: {errors} error{}", if errors == 1 { "" } else { "s" })))
        }
    }
}

/// The text of a file that is a source: its name ends like that of a source, or it is text and not a thin archive.
/// `None` for other files.
fn text<'b>(name: &str, bytes: &'b [u8]) -> Option<Cow<'b, str>> {
    let is_named = name.ends_with(".s") || name.ends_with(".S");
    let is_text = |c: char| !c.is_control() || matches!(c, '\t' | '\n' | '\r' | '\x0c');
    match std::str::from_utf8(bytes) {
        _ if is_named => Some(amdgpu_asm::source_text(bytes)),
        Ok(text) if !text.is_empty() && !text.starts_with("!<") && text.chars().all(is_text) => Some(text.into()),
        _ => None,
    }
}
