//! The formula of each operation on each target: the `does` lines, with their names written out.

use std::collections::BTreeMap;

use crate::build::model::error::{Result, SourceLine};
use crate::build::model::tree::Tree;
use crate::build::model::*;

/// All formulas, by operation.
pub fn all(isa: &Isa) -> Result<Meanings> {
    let mut all: Meanings = BTreeMap::new();
    for (format, does) in isa.formats.iter().flat_map(|f| f.does.iter().map(move |does| (f, does))) {
        for name in &does.names {
            let (pattern, node) = match name.split_once('@') {
                Some((pattern, node)) => (pattern, Some(node.to_string())),
                None => (name.as_str(), None),
            };
            let made = alternatives(&does.at, pattern)?;
            let (there, missing): (Vec<_>, Vec<_>) =
                made.into_iter().partition(|(name, _)| format.rows.iter().any(|row| row.mnemonic == *name));
            // Not all combinations of several lists need exist, but each word of a list must be used in one.
            let used = |n: usize, word: &String| there.iter().any(|(_, choices)| choices[n] == *word);
            let unused = |choices: &[String]| choices.iter().enumerate().any(|(n, word)| !used(n, word));
            if let Some((name, _)) = missing.iter().find(|(_, choices)| choices.is_empty() || unused(choices)) {
                return does.at.err(format!("{} has no operation {name}", format.name));
            }
            for (mnemonic, choices) in there {
                let cells = all.entry(mnemonic.clone()).or_default();
                if cells.entries.iter().any(|entry| entry.node == node) {
                    return does.at.err(format!("a line above says what {mnemonic} does"));
                }
                let value = Some((does.at.clone(), filled(&does.at, &does.text, &choices)?));
                cells.entries.push(Entry { node: node.clone(), value, needs: None });
            }
        }
    }
    let tree = Tree { generations: &isa.generations, targets: &isa.targets };
    let everywhere: Vec<Entry<()>> = isa
        .generations
        .iter()
        .filter(|g| g.parent.is_none())
        .map(|g| Entry { node: Some(g.name.clone()), value: Some(()), needs: None })
        .collect();
    for cells in all.values_mut() {
        let at = cells.entries[0].value.clone().expect("each entry has a formula").0;
        cells.resolve(&at, &tree, &everywhere)?;
    }
    Ok(all)
}

/// The statements about the lanes in which an operation reads its sources: for each source, the first statement that
/// names it.
pub fn lanes<'a>(isa: &'a Isa, mnemonic: &str) -> Vec<&'a LaneOf> {
    let mut all: Vec<&LaneOf> = Vec::new();
    for lane in isa.formats.iter().flat_map(|format| &format.lanes) {
        let is_named = lane.patterns.iter().any(|pattern| counters::fits(pattern, mnemonic));
        if is_named && all.iter().all(|known| known.source != lane.source) {
            all.push(lane);
        }
    }
    all
}

/// The names of a pattern such as `v_cmp_{lt:<,gt:>}_{f16,f32}`, each with the texts for `$1`, `$2`, ...
fn alternatives(at: &SourceLine, pattern: &str) -> Result<Vec<(String, Vec<String>)>> {
    let mut all = vec![(String::new(), Vec::new())];
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((list, after)) = after.split_once('}') else {
            return at.err(format!("a brace of `{pattern}` does not end"));
        };
        let words: Vec<(&str, &str)> =
            list.split(',').map(|word| word.split_once(':').unwrap_or((word, word))).collect();
        all = all
            .iter()
            .flat_map(|(name, choices)| {
                words.iter().map(move |(word, text)| {
                    let mut choices = choices.clone();
                    choices.push(text.to_string());
                    (format!("{name}{before}{word}"), choices)
                })
            })
            .collect();
        rest = after;
    }
    for (name, _) in &mut all {
        name.push_str(rest);
    }
    Ok(all)
}

/// The text with the choices in place of `$1`, `$2`, ...
fn filled(at: &SourceLine, text: &str, choices: &[String]) -> Result<String> {
    let mut out = text.to_string();
    for (n, choice) in choices.iter().enumerate() {
        out = out.replace(&format!("${}", n + 1), choice);
    }
    if out.contains('$') { at.err(format!("no name in braces for the `$` in `{out}`")) } else { Ok(out) }
}
