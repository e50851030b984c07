//! Parts of a linked file that its source cannot have: addresses without a relocation, which the source has as numbers,
//! and settings of the linker.

use std::fmt::Write as _;

use amdgpu_isa::facts::{AddressStep, Purpose};
use amdgpu_isa::{Decoded, Decoder, Inst, Value};
use amdgpu_object::elf::wide;
use object::elf;

use crate::code_object::{CodeObject, Section};

/// The names of tables with distances to code. Only objects for a linker have relocations for these distances.
const TABLES: [&str; 3] = [".debug_line", ".debug_frame", ".eh_frame"];

/// The entries of the dynamic table that the assembler does not make, and that change how a file is loaded, by their
/// tags.
const SETTINGS: [(u64, &str); 14] = [
    (1, "NEEDED"),
    (12, "INIT"),
    (13, "FINI"),
    (14, "SONAME"),
    (15, "RPATH"),
    (16, "SYMBOLIC"),
    (24, "BIND_NOW"),
    (29, "RUNPATH"),
    (30, "FLAGS"),
    (0x6fff_fff0, "VERSYM"),
    (0x6fff_fffb, "FLAGS_1"),
    (0x6fff_fffc, "VERDEF"),
    (0x6fff_fffe, "VERNEED"),
    (0x7fff_fffd, "AUXILIARY"),
];

impl CodeObject<'_> {
    /// A comment on settings of the linker that a source cannot have.
    fn settings(&self) -> String {
        let tables = self.file.sections.iter().filter(|section| section.kind == elf::SHT_DYNAMIC);
        let tables = tables.filter_map(|section| self.file.bytes(section).ok());
        let tags: Vec<u64> = tables
            .flat_map(|table| table.chunks_exact(wide::DYNAMIC))
            .filter_map(|entry| entry.first_chunk().map(|tag| u64::from_le_bytes(*tag)))
            .collect();
        let mut lost: Vec<&str> =
            SETTINGS.iter().filter(|(tag, _)| tags.contains(tag)).map(|(_, name)| *name).collect();
        if self.file.file.entry != 0 {
            lost.push("the entry point");
        }
        match lost.is_empty() {
            true => String::new(),
            false => format!("// No source can have these settings of the linker: {}.\n", lost.join(", ")),
        }
    }

    /// Comments on parts of a linked file that its source cannot have, and on tables that become wrong when code moves.
    /// If the file was linked to fixed addresses, its pointers are plain numbers: if a number may be a pointer, the
    /// source gets an error.
    pub fn lacking(&self, sections: &[Section<'_>]) -> String {
        let mut out = String::new();
        if self.file.is_object() {
            return out;
        }
        out += &self.settings();
        let is_table = |section: &&Section<'_>| section.size > 0 && TABLES.contains(&section.name.as_str());
        let tables: Vec<&str> = sections.iter().filter(is_table).map(|section| section.name.as_str()).collect();
        if !tables.is_empty() {
            let _ = writeln!(
                out,
                "// These tables have addresses as numbers, which an edit does not change: {}.",
                tables.join(", ")
            );
        }
        if self.file.file.kind == elf::ET_EXEC {
            out += "// The file was linked to fixed addresses. `asm` makes one for any address.\n";
            if has_pointers(sections) || sections.iter().any(|section| self.has_literals(sections, section)) {
                out += "\t.error \"numbers of this file may be pointers: delete this line if none is\"\n";
            }
        }
        out
    }

    /// Whether code moves a number that may be a pointer into a register.
    fn has_literals(&self, sections: &[Section<'_>], section: &Section<'_>) -> bool {
        let is_copy = |inst: &Inst| {
            inst.address_step() == Some(AddressStep::Copy) || inst.opcode().purpose() == Some(Purpose::Copy)
        };
        let is_pointer = |value: Value| matches!(value, Value::Literal(literal) if leads(sections, literal.into()));
        section.flags & u64::from(elf::SHF_EXECINSTR) != 0
            && Decoder::new(self.target, section.bytes).any(|Decoded { inst, .. }| {
                inst.is_ok_and(|inst| is_copy(&inst) && inst.operands().any(|operand| is_pointer(operand.value)))
            })
    }
}

/// Whether data has a number that may be a pointer.
fn has_pointers(sections: &[Section<'_>]) -> bool {
    let is_data = |section: &&Section<'_>| {
        let kinds = [elf::SHT_PROGBITS, elf::SHT_INIT_ARRAY, elf::SHT_FINI_ARRAY];
        section.is_loaded() && section.flags & u64::from(elf::SHF_EXECINSTR) == 0 && kinds.contains(&section.kind)
    };
    let mut words = sections.iter().filter(is_data).flat_map(|section| section.bytes.windows(8).step_by(4));
    words.any(|word| word.try_into().is_ok_and(|word| leads(sections, u64::from_le_bytes(word))))
}

/// Whether an address is in a loaded section or at its end.
fn leads(sections: &[Section<'_>], address: u64) -> bool {
    let holds = |section: &Section<'_>| (section.address..=section.end()).contains(&address);
    sections.iter().any(|section| section.is_loaded() && section.size > 0 && holds(section))
}
