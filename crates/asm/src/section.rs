//! Directives of sections.

use amdgpu_object::elf::{
    FLAG_LETTERS, SHF_ALLOC, SHF_EXECINSTR, SHF_GROUP, SHF_LINK_ORDER, SHF_MERGE, SHF_STRINGS, SHF_TLS, SHF_WRITE,
    SHT_LLVM_CALL_GRAPH_PROFILE, SHT_NOBITS, SHT_NOTE, SHT_PROGBITS,
};

use super::assembler::{Assembler, Group, SectionIdentity};
use super::flaw::{Flaw, Result, Span};
use super::scan::Scan;
use super::table::{Def, SymbolId};

/// The types of sections by their names.
const TYPES: [(&str, u32); 17] = [
    ("progbits", SHT_PROGBITS),
    ("nobits", SHT_NOBITS),
    ("note", SHT_NOTE),
    ("init_array", 14),
    ("fini_array", 15),
    ("preinit_array", 16),
    ("unwind", 0x7000_0001),
    ("llvm_odrtab", 0x6fff_4c00),
    ("llvm_linker_options", 0x6fff_4c01),
    ("llvm_call_graph_profile", SHT_LLVM_CALL_GRAPH_PROFILE),
    ("llvm_dependent_libraries", 0x6fff_4c04),
    ("llvm_sympart", 0x6fff_4c05),
    ("llvm_bb_addr_map", 0x6fff_4c0a),
    ("llvm_offloading", 0x6fff_4c0b),
    ("llvm_lto", 0x6fff_4c0c),
    ("llvm_jt_sizes", 0x6fff_4c0d),
    ("llvm_cfi_jump_table", 0x6fff_4c0e),
];

/// The name, type, flags and entry size of sections that LLVM's assembler knows before a source names them.
const KNOWN: [(&str, u32, u64, u64); 17] = [
    (".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0),
    (".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0),
    (".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 0),
    (".rodata", SHT_PROGBITS, SHF_ALLOC, 0),
    (".tdata", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE | SHF_TLS, 0),
    (".tbss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE | SHF_TLS, 0),
    (".data.rel.ro", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0),
    (".rodata.cst4", SHT_PROGBITS, SHF_ALLOC | SHF_MERGE, 4),
    (".rodata.cst8", SHT_PROGBITS, SHF_ALLOC | SHF_MERGE, 8),
    (".rodata.cst16", SHT_PROGBITS, SHF_ALLOC | SHF_MERGE, 16),
    (".rodata.cst32", SHT_PROGBITS, SHF_ALLOC | SHF_MERGE, 32),
    (".eh_frame", SHT_PROGBITS, SHF_ALLOC, 0),
    (".debug_info", SHT_PROGBITS, 0, 0),
    (".debug_abbrev", SHT_PROGBITS, 0, 0),
    (".debug_line", SHT_PROGBITS, 0, 0),
    (".debug_str", SHT_PROGBITS, SHF_MERGE | SHF_STRINGS, 1),
    (".debug_frame", SHT_PROGBITS, 0, 0),
];

/// A section as a directive states it.
struct Stated {
    kind: u32,
    flags: u64,
    /// The size of an entry in bytes.
    entry: u64,
    identity: SectionIdentity,
    has_type: bool,
    /// Whether the directive states a type, flags or an entry size.
    has_any: bool,
}

impl Assembler {
    /// Switches to one of the sections that have a directive of their own, such as `.text`, or to a part of it.
    pub fn named(&mut self, name: &str, scan: &mut Scan<'_>) -> Result<()> {
        let part = self.part(scan)?;
        scan.end()?;
        let (kind, flags) = usual(name);
        self.section_apart(name, kind, flags, 0, SectionIdentity { part, ..SectionIdentity::default() });
        Ok(())
    }

    /// Reads the number of a part of a section; 0 if it is missing.
    fn part(&mut self, scan: &mut Scan<'_>) -> Result<u32> {
        if scan.is_done() {
            return Ok(0);
        }
        let from = scan.at;
        let part = self.number(scan)?;
        let part = i32::try_from(part).ok().and_then(|part| u32::try_from(part).ok());
        part.ok_or_else(|| scan.since(from, "the parts of a section have numbers from 0 to 2147483647"))
    }

    /// Handles `.subsection N`: switches to another part of the same section.
    pub fn subsection(&mut self, scan: &mut Scan<'_>) -> Result<()> {
        let part = self.part(scan)?;
        scan.end()?;
        let here = self.here();
        let (name, identity) = (here.name.clone(), SectionIdentity { part, ..here.identity.clone() });
        let (kind, flags, entry) = (here.kind, here.flags, here.entry);
        self.section_apart(&name, kind, flags, entry, identity);
        Ok(())
    }

    /// Handles `.pushsection`: reads the operands of `.section`, and keeps the current section for `.popsection`.
    pub fn push_section(&mut self, scan: &mut Scan<'_>) -> Result<()> {
        self.stack.push((self.table.section, self.previous));
        let pushed = self.section_directive(true, scan);
        if pushed.is_err() {
            self.stack.pop();
        }
        pushed
    }

    /// Handles `.popsection`: returns to the section before the last `.pushsection`.
    pub fn pop_section(&mut self, place: Span) -> Result<()> {
        let (section, previous) = self.stack.pop().ok_or_else(|| Flaw::new(place, "no .pushsection is above"))?;
        self.switch(section);
        self.previous = previous;
        Ok(())
    }

    /// Handles `.previous`: switches to the section that was the current one before.
    pub fn previous_section(&mut self, place: Span) -> Result<()> {
        let previous = self.previous.ok_or_else(|| Flaw::new(place, "no other section is above"))?;
        self.switch(previous);
        Ok(())
    }

    /// Handles `.section`, or with `is_pushed` the rest of `.pushsection`, which can also state a part of the section.
    pub fn section_directive(&mut self, is_pushed: bool, scan: &mut Scan<'_>) -> Result<()> {
        scan.blank();
        let from = scan.at;
        let name = section_name(scan)?;
        let place = scan.place(from);
        if name.is_empty() {
            return Err(scan.fault("the name of a section expected"));
        }
        let stated = self.section_operands(&name, is_pushed, scan)?;
        scan.end()?;
        let (kind, flags, entry) = self.agreed(&name, place, &stated)?;
        let symbol = self.table.find(&name).map(|id| &self.table.get(id).def);
        if symbol.is_some_and(|def| !matches!(def, Def::Undefined)) {
            return Err(Flaw::new(place, format!("`{name}` is a symbol already, so no section can have this name")));
        }
        if let Some(group) = &stated.identity.group {
            self.table.register(group.symbol);
        }
        self.section_apart(&name, kind, flags, entry, stated.identity);
        Ok(())
    }

    /// Reads the operands after the name of a section.
    fn section_operands(&mut self, name: &str, is_pushed: bool, scan: &mut Scan<'_>) -> Result<Stated> {
        let (kind, flags) = usual(name);
        let identity = SectionIdentity::default();
        let mut stated = Stated { kind, flags, entry: 0, identity, has_type: false, has_any: false };
        let mut has_more = scan.eat(",");
        if has_more && is_pushed {
            scan.blank();
            if !matches!(scan.peek(), b'"' | b'#') {
                stated.identity.part = self.number(scan)? as u32;
                has_more = scan.eat(",");
            }
        }
        if !has_more {
            return Ok(stated);
        }
        let (flags, of_last) = self.section_flags(scan)?;
        stated.flags |= flags;
        if of_last {
            stated.identity.group = self.here().identity.group.clone();
            stated.flags |= if stated.identity.group.is_some() { SHF_GROUP } else { 0 };
        }
        stated.has_type = scan.eat(",");
        if stated.has_type {
            stated.kind = section_type(scan)?;
        }
        let has_group = stated.flags & SHF_GROUP != 0 && !of_last;
        if !stated.has_type && (stated.flags & SHF_MERGE != 0 || has_group) {
            return Err(scan.fault("`,` and the type of the section expected"));
        }
        if stated.flags & SHF_MERGE != 0 {
            scan.expect(",")?;
            scan.blank();
            let at = scan.at;
            let entry = self.number(scan)?;
            if entry <= 0 {
                return Err(scan.since(at, "the length of an entry is more than 0"));
            }
            stated.entry = entry as u64;
        }
        if stated.flags & SHF_LINK_ORDER != 0 {
            scan.expect(",")?;
            stated.identity.of = self.linked_symbol(scan)?;
        }
        if stated.has_type {
            self.identity(has_group, &mut stated.identity, scan)?;
        }
        stated.has_any = flags != 0 || stated.entry != 0 || stated.has_type;
        Ok(stated)
    }

    /// Reads the symbol of the section to which a section is linked; `None` for 0.
    fn linked_symbol(&mut self, scan: &mut Scan<'_>) -> Result<Option<SymbolId>> {
        scan.blank();
        if scan.peek() == b'0' {
            self.number(scan)?;
            return Ok(None);
        }
        let (symbol, place) = self.symbol_name(scan)?;
        // The name of a section stands for the section.
        let name = &self.table.get(symbol).name;
        match self.table.location(symbol).is_some() || self.first_section(name).is_some() {
            true => Ok(Some(symbol)),
            false => Err(Flaw::new(place, format!("`{name}` is not a label of a section above"))),
        }
    }

    /// The type, flags and entry size of a section. A directive without these takes them from an earlier directive of
    /// the same section, or from [`KNOWN`]. A directive that states them has to agree with these.
    fn agreed(&self, name: &str, place: Span, stated: &Stated) -> Result<(u32, u64, u64)> {
        let identity = &stated.identity;
        let above = self.find_section(name, identity).and_then(|index| self.sections.get(index));
        let above = above.map(|above| (above.kind, above.flags, above.entry));
        let is_plain = *identity == SectionIdentity { part: identity.part, ..SectionIdentity::default() };
        let known = || KNOWN.iter().find(|known| is_plain && known.0 == name).map(|known| (known.1, known.2, known.3));
        let Some((kind, flags, entry)) = above.or_else(known) else {
            return Ok((stated.kind, stated.flags, stated.entry));
        };
        if stated.has_type && kind != stated.kind {
            return Err(Flaw::new(place, format!("{name} has another type: {}", type_name(kind))));
        }
        if stated.has_any && flags != stated.flags {
            return Err(Flaw::new(place, format!("{name} has other flags: \"{}\"", letters(flags))));
        }
        if stated.has_any && entry != stated.entry {
            return Err(Flaw::new(place, format!("{name} has another length of an entry: {entry}")));
        }
        Ok((kind, flags, entry))
    }

    /// Reads the flags of a section, and whether it belongs to the group of the current section.
    fn section_flags(&mut self, scan: &mut Scan<'_>) -> Result<(u64, bool)> {
        scan.blank();
        let at = scan.at;
        let (mut flags, mut of_last) = (0, false);
        if scan.peek() == b'#' {
            while scan.eat("#") {
                flags |= match scan.word() {
                    "alloc" => SHF_ALLOC,
                    "write" => SHF_WRITE,
                    "execinstr" => SHF_EXECINSTR,
                    "tls" => SHF_TLS,
                    _ => return Err(scan.since(at, "the flags are #alloc, #write, #execinstr and #tls")),
                };
                let mut more = scan.clone();
                if !(more.eat(",") && more.eat("#")) {
                    break;
                }
                scan.eat(",");
            }
            return Ok((flags, false));
        }
        let text = scan.string()?;
        let text = String::from_utf8_lossy(&text);
        if let Some(number) = super::expr::number(&text) {
            return Ok((number as u64, false));
        }
        for letter in text.chars() {
            match FLAG_LETTERS.iter().find(|(known, _)| *known == letter) {
                Some((_, flag)) => flags |= flag,
                None if letter == '?' => of_last = true,
                None => return Err(scan.since(at, format!("no flag {letter:?} is known"))),
            }
        }
        Ok((flags, of_last))
    }

    /// Reads the symbol that names a group. Compilers name the groups of types by numbers.
    fn group_name(&mut self, scan: &mut Scan<'_>) -> Result<SymbolId> {
        scan.blank();
        if !scan.peek().is_ascii_digit() {
            return Ok(self.symbol_name(scan)?.0);
        }
        let from = scan.at;
        let word = scan.word();
        let digits = word.strip_prefix("0x").filter(|digits| !digits.is_empty());
        let is_number = match digits {
            Some(digits) => digits.bytes().all(|c| c.is_ascii_hexdigit()),
            None => word.bytes().all(|c| c.is_ascii_digit()),
        };
        match is_number {
            true => Ok(self.table.id(word, scan.place(from))),
            false => Err(scan.since(from, "a name or a number expected")),
        }
    }

    /// Reads the group of a section, and the number that distinguishes it from other sections of its name.
    fn identity(&mut self, has_group: bool, identity: &mut SectionIdentity, scan: &mut Scan<'_>) -> Result<()> {
        if has_group {
            scan.expect(",")?;
            let symbol = self.group_name(scan)?;
            identity.group = Some(Group { symbol, is_comdat: false });
        }
        while scan.eat(",") {
            scan.blank();
            let from = scan.at;
            match (scan.word(), &mut identity.group) {
                ("comdat", Some(group)) => group.is_comdat = true,
                ("unique", _) => {
                    scan.expect(",")?;
                    scan.blank();
                    let from = scan.at;
                    let number = self.number(scan)?;
                    let number = u32::try_from(number).ok().filter(|number| *number != u32::MAX);
                    identity.unique =
                        Some(number.ok_or_else(|| scan.since(from, "a number from 0 to 2^32 - 2 expected"))?);
                }
                _ => return Err(scan.since(from, "`comdat` of a group, or `unique` expected")),
            }
        }
        if let Some(group) = &mut identity.group {
            // The first section of a group decides whether other objects may have the same group.
            group.is_comdat = *self.comdats.entry(group.symbol).or_insert(group.is_comdat);
        }
        Ok(())
    }
}

/// Reads the name of a section, which ends before a comma or a blank unless it is in quotes.
fn section_name(scan: &mut Scan<'_>) -> Result<String> {
    if scan.peek() == b'"' {
        return scan.name();
    }
    let rest = scan.rest();
    let len = rest.bytes().position(|c| matches!(c, b',' | b' ' | b'\t')).unwrap_or(rest.len());
    scan.at += len;
    Ok(rest.get(..len).unwrap_or("").to_string())
}

/// The letters of flags, in the order of their table.
fn letters(flags: u64) -> String {
    FLAG_LETTERS.iter().filter(|(_, flag)| flags & flag != 0).map(|(letter, _)| *letter).collect()
}

fn type_name(kind: u32) -> String {
    let known = TYPES.iter().find(|(_, number)| *number == kind);
    known.map_or_else(|| format!("{kind:#x}"), |(name, _)| format!("@{name}"))
}

/// Reads the type of a section: `@progbits`, `%progbits`, `"progbits"`, or `@` and a number.
fn section_type(scan: &mut Scan<'_>) -> Result<u32> {
    scan.blank();
    let at = scan.at;
    let name = if scan.peek() == b'"' {
        scan.name()?
    } else if scan.eat("@") || scan.eat("%") {
        scan.word().to_string()
    } else {
        return Err(scan.fault("`@` and the type of the section expected"));
    };
    let known = TYPES.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind);
    let number = || super::expr::number(&name).and_then(|number| u32::try_from(number).ok());
    known.or_else(number).ok_or_else(|| {
        let names: Vec<String> = TYPES.iter().map(|(name, _)| format!("@{name}")).collect();
        scan.since(at, format!("no section has the type {name:?}")).note(format!("known are {}", names.join(", ")))
    })
}

/// The default type and flags of a section with this name.
pub fn usual(name: &str) -> (u32, u64) {
    let is = |prefix: &str| name == prefix || name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('.'));
    let kind = match name {
        _ if name.starts_with(".note") => SHT_NOTE,
        _ if is(".bss") || is(".tbss") => SHT_NOBITS,
        _ if is(".init_array") => 14,
        _ if is(".fini_array") => 15,
        _ if is(".preinit_array") => 16,
        _ => SHT_PROGBITS,
    };
    let flags = match name {
        ".init" | ".fini" => SHF_ALLOC | SHF_EXECINSTR,
        ".rodata1" => SHF_ALLOC,
        ".data1" => SHF_ALLOC | SHF_WRITE,
        _ if is(".text") => SHF_ALLOC | SHF_EXECINSTR,
        _ if is(".rodata") => SHF_ALLOC,
        _ if is(".tdata") || is(".tbss") => SHF_ALLOC | SHF_WRITE | SHF_TLS,
        _ if [".data", ".bss", ".init_array", ".fini_array", ".preinit_array"].into_iter().any(is) => {
            SHF_ALLOC | SHF_WRITE
        }
        _ => 0,
    };
    (kind, flags)
}
