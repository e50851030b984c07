//! The parts of a source, for editors. The source may be wrong or unfinished.

mod reader;

use std::collections::HashMap;
use std::ops::Range;

use crate::scan::is_name;
use crate::target::Processor;

/// The parts of a source, as ranges of its bytes. Macros are not expanded, and conditions are not evaluated.
///
/// ```
/// use amdgpu_asm::outline::{DefinitionKind, Outline};
/// let source = ".amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\n.type k,@function\nk: s_branch k // back to k\n";
/// let outline = Outline::of(source);
/// assert_eq!(outline.processor.unwrap().target().name(), "gfx942");
/// let k = outline.definition("k").unwrap();
/// assert_eq!((k.kind, &source[k.place.clone()]), (DefinitionKind::Function, "k"));
/// assert_eq!(outline.mentions("k").count(), 3); // without the comment
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Outline {
    /// The source with blanks in place of comments, or zeros in metadata. Every other byte has the same offset as in
    /// the source.
    pub code: String,
    /// The parts of statements, in the order of the source.
    pub parts: Vec<Part>,
    /// The names that the source defines.
    pub definitions: Vec<Definition>,
    /// Ranges of several lines that belong together, in the order in which they begin.
    pub blocks: Vec<Block>,
    /// The processor that the source names.
    pub processor: Option<Processor>,
    /// The positions of definitions in `definitions`, by name.
    numbers: HashMap<String, Vec<usize>>,
}

/// A part of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Part {
    /// The kind of the part.
    pub kind: PartKind,
    /// The first word: the label, the name that gets a value, the directive, the mnemonic or the name of the macro.
    pub word: Range<usize>,
    /// The text after the word, up to the end of the line; empty for a label.
    pub rest: Range<usize>,
}

/// Kinds of parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PartKind {
    /// A label.
    Label,
    /// A name that gets a value with `=`.
    Assignment,
    /// A directive.
    Directive,
    /// An instruction, or the call of a macro.
    Instruction,
}

/// A name that a source defines.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Definition {
    /// The defined name.
    pub name: String,
    /// The kind of the named thing.
    pub kind: DefinitionKind,
    /// The range of the name in the source.
    pub place: Range<usize>,
    /// The range of the whole definition. A function, a kernel descriptor or a macro goes up to its end; any other
    /// definition is only the name.
    pub whole: Range<usize>,
}

/// Kinds of definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DefinitionKind {
    /// A label.
    Label,
    /// A label with the type of a function, or with a kernel descriptor.
    Function,
    /// A kernel descriptor, which has the name of its function.
    Kernel,
    /// A macro.
    Macro,
    /// A name with a value.
    Value,
    /// A variable without contents: `.comm`, `.lcomm`, `.amdgpu_lds`.
    Variable,
}

/// Several lines that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Block {
    /// The kind of the block.
    pub kind: BlockKind,
    /// The range from the beginning of the first line's contents to the end of the last line's.
    pub range: Range<usize>,
}

/// Kinds of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BlockKind {
    /// A function.
    Function,
    /// Lines with nothing but comments.
    Comment,
    /// The lines from a directive to the directive that ends it: a kernel descriptor, a macro, a repetition, a
    /// condition, metadata.
    Directive,
}

impl Outline {
    /// The outline of a source. Each line of the source is read once.
    pub fn of(text: &str) -> Outline {
        reader::read(text)
    }

    /// The definition of a name; the label of a kernel, not its descriptor with the same name.
    pub fn definition(&self, name: &str) -> Option<&Definition> {
        let all = || self.definitions_of(name);
        all().find(|definition| definition.kind != DefinitionKind::Kernel).or_else(|| all().next())
    }

    /// All definitions of a name: local labels, which are numbers, can have several.
    pub fn definitions_of(&self, name: &str) -> impl Iterator<Item = &Definition> {
        self.numbers.get(name).into_iter().flatten().filter_map(|number| self.definitions.get(*number))
    }

    /// The definition of the name at a byte. `1f` and `1b` name the next and the previous label `1`.
    pub fn defined_at(&self, at: usize) -> Option<&Definition> {
        let name = self.code.get(self.name_at(at)?)?;
        let local = |suffix| name.strip_suffix(suffix).filter(|number: &&str| is_number(number));
        if let Some(number) = local('f') {
            return self.definitions_of(number).find(|definition| definition.place.start > at);
        }
        if let Some(number) = local('b') {
            return self.definitions_of(number).filter(|definition| definition.place.start <= at).last();
        }
        if is_number(name) {
            return self.definitions_of(name).find(|definition| definition.place.contains(&at));
        }
        self.definition(name)
    }

    /// The range of the name that contains a byte or ends just before it.
    pub fn name_at(&self, at: usize) -> Option<Range<usize>> {
        let bytes = self.code.as_bytes();
        let (before, after) = (bytes.get(..at)?, bytes.get(at..)?);
        let start = at - before.iter().rev().take_while(|byte| is_name(**byte)).count();
        let end = at + after.iter().take_while(|byte| is_name(**byte)).count();
        (start < end).then_some(start..end)
    }

    /// The ranges at which a name is in the code.
    pub fn mentions<'a>(&'a self, name: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
        let bytes = self.code.as_bytes();
        let is_apart = move |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_none_or(|byte| !is_name(*byte));
        let all = self.code.match_indices(name).filter(move |_| !name.is_empty());
        let whole = all.filter(move |(at, _)| is_apart(at.checked_sub(1)) && is_apart(Some(at + name.len())));
        whole.map(|(at, name)| at..at + name.len())
    }

    /// The last part that begins at or before a byte.
    pub fn part_before(&self, at: usize) -> Option<&Part> {
        let next = self.parts.partition_point(|part| part.word.start <= at);
        self.parts.get(next.checked_sub(1)?)
    }
}

fn is_number(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit())
}
