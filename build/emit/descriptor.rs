//! Writes the layout of kernel descriptors for each target.

use crate::build::emit::camel;
use crate::build::lower::Target;
use crate::build::model::{EnumValue, Isa};
use crate::build::writer::putln;

pub fn tables(isa: &Isa, targets: &[Target]) -> String {
    let mut out = String::new();
    putln!(out, "pub(crate) static KERNELS: [KernelTables; {}] = [", targets.len());
    for t in targets {
        let name = &t.row.name;
        let number = |row: &EnumValue| format!("{}: {}", row.name, row.value.of(name).map_or("0", |value| value));
        let numbers: Vec<String> = isa.kernel.iter().map(number).collect();
        putln!(out, "    KernelTables {{\n        {},\n        directives: &[", numbers.join(", "));
        for row in &isa.directives {
            let Some((at, len)) = row.bits.of(name) else { continue };
            let default = row.default.parse().unwrap_or(u32::from(t.row.has(&row.default)));
            putln!(
                out,
                "            Directive {{ part: DescriptorPart::{}, at: {at}, len: {len}, default: {default}, sgprs: {} }},",
                camel(&row.name),
                row.sgprs
            );
        }
        out += "        ],\n    },\n";
    }
    out += "];\n";
    out
}
