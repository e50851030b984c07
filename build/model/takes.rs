//! Derives rows from the rows of another format: the VOP3 form of a VOP1, VOP2 or VOPC operation has that operation's
//! number plus a constant, its operands, and modifiers of its own.

use crate::build::model::error::Result;
use crate::build::model::*;
use crate::build::shared::FLAGS;

/// The suffix of the names of macros for operations on 64 bits.
const WIDE: &str = "64";

/// Gives each format with `takes` the rows that other formats mark for it, with tokens such as `vop3a:F2`.
pub fn all(isa: &mut Isa) -> Result<()> {
    for n in 0..isa.formats.len() {
        let mut taken = Vec::new();
        for takes in &isa.formats[n].takes {
            let Some(source) = isa.formats.iter().find(|f| f.name == takes.format) else {
                return takes.at.err(format!("takes the rows of {}, which is not a format", takes.format));
            };
            if let Some(flag) = takes.without.iter().find(|flag| !FLAGS.contains(&flag.as_str())) {
                return takes.at.err(format!("`{flag}` is not a flag"));
            }
            for row in &source.rows {
                let wanted = row.tokens.iter().find_map(|t| match t {
                    Token::Form { format, macro_name } if *format == isa.formats[n].name.to_lowercase() => {
                        Some(macro_name)
                    }
                    _ => None,
                });
                if let Some(modifiers) = wanted {
                    taken.push(derived(takes, row, modifiers, &isa.targets)?);
                }
            }
        }
        isa.formats[n].rows.extend(taken);
    }
    // A form that has become a row is no longer a form of the original row.
    let takers: Vec<String> =
        isa.formats.iter().filter(|f| !f.takes.is_empty()).map(|f| f.name.to_lowercase()).collect();
    let is_taken = |t: &Token| matches!(t, Token::Form { format, .. } if takers.contains(format));
    for row in isa.formats.iter_mut().flat_map(|f| &mut f.rows) {
        row.tokens.retain(|t| !is_taken(t));
    }
    Ok(())
}

fn derived(takes: &Takes, row: &Row, modifiers: &str, targets: &[TargetRow]) -> Result<Row> {
    let (mut reads, mut writes) = (row.reads.clone(), row.writes.clone());
    let mut tokens = Vec::new();
    for token in &row.tokens {
        let Token::Operand { name, operand_type, access, .. } = token else { continue };
        let mut taken = token.clone();
        let renamed = takes.renames.iter().find(|r| r.old == *name && r.access.is_none_or(|a| a == *access));
        if let Some(rename) = renamed {
            // A field now names the implied register.
            let implied = if access.writes() { &mut writes } else { &mut reads };
            implied.retain(|register| *register != rename.old);
            let renamed = (rename.new.clone(), rename.operand_type.clone().or(operand_type.clone()));
            if let Token::Operand { name, operand_type, .. } = &mut taken {
                (*name, *operand_type) = renamed;
            }
        }
        tokens.push(taken);
    }
    tokens.push(Token::Word(modifiers.to_string()));
    let has = |name: &str| row.tokens.iter().any(|t| matches!(t, Token::Form { format, .. } if format == name));
    if takes.forms.iter().all(|(name, _)| has(name)) {
        let form = |(format, macro_name): (String, String)| Token::Form { format, macro_name };
        tokens.extend(takes.forms.iter().cloned().map(form));
    }
    // Operations on 64 bits have fewer extended forms, with macros of their own.
    let is_wide = |name: &str, format: &str, of: &str| name == format && of.ends_with(WIDE);
    for (name, macro_name) in &takes.forms {
        if row.tokens.iter().any(|t| matches!(t, Token::Form { format, macro_name: of } if is_wide(name, format, of))) {
            tokens.push(Token::Form { format: name.clone(), macro_name: format!("{macro_name}{WIDE}") });
        }
    }
    let number = |t: &TargetRow| {
        let (number, spelling) = row.opcode.of(&t.name)?;
        Some((t.name.clone(), (number + takes.add.of(&t.name)?, spelling.clone())))
    };
    let opcode: Vec<_> = targets.iter().filter_map(number).collect();
    if opcode.is_empty() {
        return row.at.err(format!("no target has the {} form of {}", takes.format, row.mnemonic));
    }
    Ok(Row {
        at: row.at.clone(),
        mnemonic: row.mnemonic.clone(),
        tokens,
        reads,
        writes,
        flags: row.flags.iter().filter(|f| !takes.without.contains(f)).cloned().collect(),
        passes: None,
        address: None,
        purpose: None,
        opcode: Cells::of_targets(opcode),
    })
}
