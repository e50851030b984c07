//! Checks of the fields of hardware registers.

use super::unique;
use crate::build::model::error::Result;
use crate::build::model::*;
use crate::build::parse::numbers::bits;

/// Checks that each register is one of the enum `hwreg`, that its fields do not overlap, and that a target with a field
/// has the register.
pub fn check(isa: &Isa) -> Result<()> {
    let values = || isa.enums.iter().filter(|e| e.name == "hwreg" && !e.bits).flat_map(|e| &e.values);
    let all = isa.registers.iter().flat_map(|register| register.names.iter().map(|name| (&register.at, name.as_str())));
    unique(all, "register")?;
    for register in &isa.registers {
        let named = |value: &&EnumValue| register.names.contains(&value.name);
        if let Some(name) = register.names.iter().find(|name| !values().any(|value| value.name == **name)) {
            return register.at.err(format!("{name} is not a value of hwreg"));
        }
        if register.parts.is_empty() || register.names.is_empty() {
            return register.at.err("the register has no name, or no field");
        }
        unique(register.parts.iter().map(|part| (&part.at, part.name.as_str())), "field")?;
        for t in &isa.targets {
            let is_there = values().filter(named).any(|value| value.value.of(&t.name).is_some());
            let mut used = 0;
            for part in &register.parts {
                let Some(cell) = part.value.of(&t.name) else { continue };
                let mask = bits(&part.at, cell)?.mask();
                if !is_there {
                    return part.at.err(format!("{} has {}, but not the register", t.name, part.name));
                }
                if mask & used != 0 || mask >> 32 != 0 {
                    return part
                        .at
                        .err(format!("{} overlaps another field of {}, or ends beyond bit 31", part.name, t.name));
                }
                used |= mask;
            }
        }
    }
    Ok(())
}
