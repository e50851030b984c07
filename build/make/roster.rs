//! Lists every function that makes an instruction, as macros that call another one: `tests/make.rs` and `tests/llvm`
//! give them all random operands.

use std::fmt::Write;

use crate::build::emit::camel;
use crate::build::lower::{Slot, Target};
use crate::build::make::Pool;
use crate::build::make::form::Function;

/// `$then! { gfx942 Gfx942 s_add_u32 SAddU32 Sop2 "" [("sdst" "op 31 code 1 false b") ...] }`
pub fn entry(out: &mut String, t: &Target, slot: &Slot, function: &Function) {
    let (module, target, name) = (&t.row.name, camel(&t.row.name), &function.name);
    let (opcode, format) = (camel(&slot.mnemonic), camel(&t.formats[slot.format].def.name));
    write!(out, "        $then! {{ {module} {target} {name} {opcode} {format} {:?} [", function.extension).unwrap();
    for (name, kind) in &function.parameters {
        write!(out, "({name:?} {kind:?}) ").unwrap();
    }
    out.push_str("] }\n");
}

/// The functions, and the sets with their methods.
pub fn all(functions: &str, sets: &Pool) -> String {
    let mut out = format!("macro_rules! every_constructor {{\n    ($then:ident) => {{\n{functions}    }};\n}}\n");
    out.push_str("macro_rules! every_set {\n    ($then:ident) => {\n");
    let mut all: Vec<(&String, &str)> =
        sets.names.iter().map(|(key, name)| (name, key.split_once("//").map_or("", |k| k.1))).collect();
    all.sort();
    for (name, methods) in all {
        write!(out, "        $then! {{ {name} [").unwrap();
        for method in methods.split(';').filter(|m| !m.is_empty()) {
            write!(out, "({method}) ").unwrap();
        }
        out.push_str("] }\n");
    }
    out.push_str("    };\n}\n");
    out
}
