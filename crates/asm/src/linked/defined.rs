//! Names that a linker defines: the beginnings and the ends of tables of functions, and of sections whose names are
//! identifiers in C.

use object::elf::{STV_HIDDEN, STV_PROTECTED};

use super::inputs::inputs;
use super::{ARRAYS, Chunk};
use crate::resolve::{DefinedIn, Image, Symbol};

/// A name that a linker defines.
struct Name<'n> {
    section: &'n str,
    is_end: bool,
    /// Whether the section is a table of functions that a loader calls.
    is_array: bool,
}

/// The meaning of a name such as `__init_array_start` or `__stop_SECTION`.
fn meaning(name: &str) -> Option<Name<'_>> {
    let rest = name.strip_prefix("__")?;
    let array = |suffix| rest.strip_suffix(suffix).filter(|stem| stem.ends_with("_array"));
    let name = |section, is_end, is_array| Some(Name { section, is_end, is_array });
    match (array("_start"), array("_end"), rest.strip_prefix("start_"), rest.strip_prefix("stop_")) {
        (Some(stem), ..) => name(stem, false, true),
        (_, Some(stem), ..) => name(stem, true, true),
        (.., Some(section), _) => name(section, false, false),
        (.., Some(section)) => name(section, true, false),
        _ => None,
    }
}

impl Name<'_> {
    fn is_of(&self, chunk: &Chunk) -> bool {
        match self.is_array {
            true => ARRAYS.contains(&chunk.kind) && chunk.name.strip_prefix('.') == Some(self.section),
            false => chunk.name == self.section,
        }
    }

    /// The symbol with its definition. A table of functions that the file lacks begins and ends at 0, at the header of
    /// the file.
    fn define(&self, symbol: &Symbol, chunks: &[Chunk], image: &Image) -> Option<Symbol> {
        let is_table = || ARRAY_NAMES.contains(&self.section);
        let Some(chunk) = chunks.iter().find(|chunk| self.is_of(chunk)) else {
            let absent = Symbol { at: DefinedIn::Absolute, visibility: STV_HIDDEN, ..symbol.clone() };
            return (self.is_array && is_table()).then_some(absent);
        };
        let (first, last) = (chunk.inputs.first()?.0, chunk.inputs.last()?.0);
        let (section, value) = if self.is_end { (last, image.sections[last].section.len) } else { (first, 0) };
        let visibility = if self.is_array { STV_HIDDEN } else { STV_PROTECTED };
        Some(Symbol { at: DefinedIn::Section(section), value, visibility, ..symbol.clone() })
    }
}

/// The names of the tables of functions, without their dots.
const ARRAY_NAMES: [&str; 3] = ["preinit_array", "init_array", "fini_array"];

/// The symbols of the image that a linker defines, each with its number.
pub fn symbols(image: &Image) -> Vec<(usize, Symbol)> {
    let is_undefined = |symbol: &Symbol| symbol.at == DefinedIn::Undefined;
    let undefined = || image.symbols.iter().enumerate().filter(|(_, symbol)| is_undefined(symbol));
    if !undefined().any(|(_, symbol)| meaning(&symbol.name).is_some()) {
        return Vec::new();
    }
    let chunks = inputs(image);
    let defined =
        undefined().filter_map(|(n, symbol)| Some((n, meaning(&symbol.name)?.define(symbol, &chunks, image)?)));
    defined.collect()
}
