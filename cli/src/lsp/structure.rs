//! Definitions, references, symbols and folds.

use std::ops::Range;

use amdgpu_asm::outline::{BlockKind, Definition, DefinitionKind};
use lsp_types::{DocumentSymbol, FoldingRange, FoldingRangeKind, Location, SymbolKind};

use super::document::Document;

pub fn definition(document: &Document, at: usize) -> Option<Location> {
    let definition = document.outline().defined_at(at).filter(|_| !document.is_comment(at))?;
    Some(location(document, &definition.place))
}

/// The places of a name that the source defines.
pub fn references(document: &Document, at: usize, with_definition: bool) -> Option<Vec<Location>> {
    let outline = document.outline();
    let definition = outline.defined_at(at).filter(|_| !document.is_comment(at))?;
    let is_wanted = |range: &Range<usize>| {
        let is_own = outline.definitions_of(&definition.name).any(|other| other.place == *range);
        let found = outline.defined_at(range.start).is_some_and(|other| other.place == definition.place);
        found && (with_definition || !is_own)
    };
    let is_number = definition.name.bytes().all(|byte| byte.is_ascii_digit());
    let suffixes: &[&str] = if is_number { &["", "b", "f"] } else { &[""] };
    let names: Vec<String> = suffixes.iter().map(|suffix| format!("{}{suffix}", definition.name)).collect();
    let mut found: Vec<Range<usize>> = names.iter().flat_map(|name| outline.mentions(name)).filter(is_wanted).collect();
    found.sort_by_key(|range| range.start);
    Some(found.iter().map(|range| location(document, range)).collect())
}

fn location(document: &Document, range: &Range<usize>) -> Location {
    Location::new(document.uri.clone(), document.text.range(range))
}

/// The definitions of a document. Definitions in a function are the function's children.
pub fn symbols(document: &Document) -> Vec<DocumentSymbol> {
    let mut all: Vec<&Definition> = document.outline().definitions.iter().collect();
    all.sort_by_key(|definition| definition.whole.start);
    let mut top: Vec<(DocumentSymbol, usize)> = Vec::new();
    for definition in all {
        let symbol = symbol(document, definition);
        match top.last_mut() {
            Some((function, end)) if definition.whole.end <= *end => {
                function.children.get_or_insert_default().push(symbol);
            }
            _ => {
                let is_function = definition.kind == DefinitionKind::Function;
                top.push((symbol, if is_function { definition.whole.end } else { 0 }));
            }
        }
    }
    top.into_iter().map(|(symbol, _)| symbol).collect()
}

#[allow(deprecated)] // The field that is deprecated has to be given.
fn symbol(document: &Document, definition: &Definition) -> DocumentSymbol {
    let (kind, detail) = match definition.kind {
        DefinitionKind::Function => (SymbolKind::FUNCTION, None),
        DefinitionKind::Kernel => (SymbolKind::STRUCT, Some("kernel descriptor")),
        DefinitionKind::Macro => (SymbolKind::MODULE, Some("macro")),
        DefinitionKind::Value => (SymbolKind::CONSTANT, None),
        DefinitionKind::Variable => (SymbolKind::VARIABLE, None),
        _ => (SymbolKind::KEY, None),
    };
    DocumentSymbol {
        name: definition.name.clone(),
        detail: detail.map(str::to_string),
        kind,
        tags: None,
        deprecated: None,
        range: document.text.range(&definition.whole),
        selection_range: document.text.range(&definition.place),
        children: None,
    }
}

pub fn folds(document: &Document) -> Vec<FoldingRange> {
    let blocks = document.outline().blocks.iter().map(|block| {
        let range = document.text.range(&block.range);
        FoldingRange {
            start_line: range.start.line,
            end_line: range.end.line,
            kind: Some(match block.kind {
                BlockKind::Comment => FoldingRangeKind::Comment,
                _ => FoldingRangeKind::Region,
            }),
            ..FoldingRange::default()
        }
    });
    blocks.filter(|fold| fold.start_line < fold.end_line).collect()
}
