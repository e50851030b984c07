//! Every operation of some targets, with its number on each target.

use std::collections::BTreeMap;

use amdgpu_isa::facts::Encoding;
use amdgpu_isa::{Opcode, Target};

/// An operation in a format.
pub struct Operation {
    pub format: &'static str,
    /// The library's name for the operation.
    pub name: &'static str,
    /// The cell of each target: the number, `number:mnemonic` if the target spells the name differently, or `-` if it
    /// lacks the operation.
    pub cells: Vec<String>,
}

/// All operations, sorted by format and then by name.
pub fn operations(targets: &[Target]) -> Vec<Operation> {
    let mut all: BTreeMap<(&str, &str), Vec<Vec<String>>> = BTreeMap::new();
    for opcode in Opcode::ALL {
        for (column, target) in targets.iter().enumerate() {
            for Encoding { format, number, .. } in opcode.encodings(*target) {
                let name = opcode.name();
                let spelling = opcode.mnemonic(*target, format).unwrap_or(name);
                let cell = if spelling == name { number.to_string() } else { format!("{number}:{spelling}") };
                let cells = all.entry((format.name(), name)).or_insert_with(|| vec![Vec::new(); targets.len()]);
                if let Some(numbers) = cells.get_mut(column) {
                    numbers.push(cell);
                }
            }
        }
    }
    let cell = |numbers: Vec<String>| if numbers.is_empty() { "-".into() } else { numbers.join(",") };
    let made =
        |((format, name), cells): (_, Vec<_>)| Operation { format, name, cells: cells.into_iter().map(cell).collect() };
    all.into_iter().map(made).collect()
}
