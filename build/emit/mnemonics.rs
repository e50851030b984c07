//! The tables in which the parser looks up a mnemonic: opcode indices by the hash of their mnemonics, and synonyms.

use crate::build::emit::camel;
use crate::build::lower::{Operation, Target};
use crate::build::model::Isa;
use crate::build::model::error::Result;
use crate::build::shared::mnemonic_hash;
use crate::build::writer::putln;

/// Writes a hash table with open addressing: an operation is in the slot that the hash of its mnemonic selects, or in a
/// later slot before the next empty one. Operations of fewer bits come first, as the assembler prefers them.
pub fn table(w: &mut String, isa: &Isa, t: &Target) -> Result<()> {
    let mut all: Vec<(u8, usize, &Operation)> = Vec::new();
    for (index, operation) in t.operations.iter().enumerate() {
        if let Some(operation) = operation {
            all.push((t.formats[operation.format].def.bits, index, operation));
        }
    }
    all.sort_by_key(|&(bits, index, _)| (bits, index));
    let mut slots = vec![0; (2 * all.len()).next_power_of_two().max(2)];
    let mask = slots.len() - 1;
    for (_, index, operation) in all {
        let name = operation.spelling.as_ref().unwrap_or(&operation.mnemonic);
        let mut at = mnemonic_hash(name.as_bytes()) as usize & mask;
        while slots[at] != 0 {
            at = (at + 1) & mask;
        }
        slots[at] = index + 1;
    }
    let mut synonyms = Vec::new();
    for synonym in &isa.synonyms {
        if let Some((means, modifier)) = synonym.of(&t.row.name)? {
            let modifier = modifier.map(|(field, value)| format!("(Field::{}, {value})", camel(field)));
            let modifier = modifier.map_or("None".into(), |modifier| format!("Some({modifier})"));
            synonyms.push((synonym.name.to_ascii_lowercase(), format!("({:?}, {means:?}, {modifier})", synonym.name)));
        }
    }
    synonyms.sort();
    let synonyms = synonyms.into_iter().map(|(_, row)| row).collect::<Vec<_>>().join(", ");
    let head = "pub(crate) static MNEMONICS_OF: MnemonicTable = MnemonicTable";
    putln!(w, "#[cfg(feature = \"text\")]\n{head} {{ slots: &{slots:?}, synonyms: &[{synonyms}] }};");
    Ok(())
}
