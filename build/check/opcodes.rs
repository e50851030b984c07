//! Checks the numbers of operations, in `isa/opcodes.isa`: each operation of the tables has one, and no number between
//! them is missing.

use std::collections::HashSet;

use crate::build::model::Isa;
use crate::build::model::error::Result;

/// Checks that the tables and the numbers fit together. The caller has already lowered the targets, so a wrong row is
/// reported before a missing number.
pub fn check(isa: &Isa) -> Result<()> {
    super::unique(isa.opcodes.iter().map(|opcode| (&opcode.at, opcode.name.as_str())), "operation")?;
    let rows = || isa.formats.iter().flat_map(|f| &f.rows);
    let there: HashSet<&str> = rows().map(|row| row.mnemonic.as_str()).collect();
    for (next, opcode) in isa.opcodes.iter().enumerate() {
        let name = &opcode.name;
        if opcode.number != next {
            return opcode
                .at
                .err(format!("{name} has number {}, but its line is that of number {next}", opcode.number));
        }
        match (there.contains(name.as_str()), opcode.retired) {
            (false, false) => {
                return opcode.at.err(format!("no table has {name}: another name, or `retired` after it?"));
            }
            (true, true) => return opcode.at.err(format!("{name} is retired, but a table has it")),
            _ => {}
        }
    }
    let mut known: HashSet<&str> = isa.opcodes.iter().map(|opcode| opcode.name.as_str()).collect();
    let new: Vec<_> = rows().filter(|row| known.insert(&row.mnemonic)).collect();
    let Some(first) = new.first() else { return Ok(()) };
    let lines = (isa.opcodes.len()..).zip(&new).map(|(number, row)| format!("echo {number} {}", row.mnemonic));
    let lines = lines.collect::<Vec<_>>().join("; ");
    first.at.err(format!("{} has no number. To give it the next one: ({lines}) >>isa/opcodes.isa", first.mnemonic))
}
