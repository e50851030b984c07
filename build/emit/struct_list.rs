//! Lists every generated struct with its fields, as a macro that calls another macro. With this macro, a check of all
//! structs is written once, and covers new generations automatically. `tests/typed.rs` and `fuzz/` use it.

use crate::build::emit::camel;
use crate::build::emit::types;
use crate::build::lower::Target;
use crate::build::writer::{put, putln};
use std::collections::HashSet;

/// Writes `$then! { gfx942 Gfx942 Sop2 (Sop2Op) [(exact ssrc0 with_ssrc0 u8) (checked sdst with_sdst u8) ...] }` for
/// each struct.
///
/// An extension has `()` instead of an opcode enum. For an `exact` field, every value of the type fits, and the setter
/// returns the struct; for a `checked` field, the setter returns a `Result`.
///
/// Without `every`, only one of the structs with the same layout is listed: compiling the tests for all of them takes
/// minutes.
pub fn all(targets: &[Target], every: bool) -> String {
    let mut seen = HashSet::new();
    let mut out = String::from("macro_rules! every_struct {\n    ($then:ident) => {\n");
    for t in targets.iter().filter(|t| !t.row.is_other_wave()) {
        for f in &t.formats {
            let (module, target, ty) = (&t.row.name, camel(&t.row.name), camel(&f.def.name));
            // A struct of two operations does not have a single opcode either; its opcode numbers are ordinary fields.
            let plain = f.def.extension || f.def.dual.is_some();
            let op = if plain { String::new() } else { format!("{ty}Op") };
            let mut fields = String::new();
            for (field, bits) in f.fields.iter().filter(|(x, b)| types::is_settable(x, b) && x.operand_type != "op") {
                let how = if types::is_exact(bits.width()) { "exact" } else { "checked" };
                let (name, ty) = (&field.name, types::field_type(&field.operand_type, bits.width()));
                put!(fields, "({how} {name} with_{name} {ty}) ");
            }
            let layout = f.fields.iter().map(|(field, bits)| (field.name.clone(), bits.clone())).collect::<Vec<_>>();
            if every || seen.insert((f.def.name.clone(), layout)) {
                putln!(out, "        $then! {{ {module} {target} {ty} ({op}) [{fields}] }}");
            }
        }
    }
    out.push_str("    };\n}\n");
    out
}
