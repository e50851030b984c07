//! Directives of sections, symbols and data.

use object::elf::{STB_GLOBAL, STB_LOCAL, STB_WEAK, STT_FUNC, STT_OBJECT, STV_HIDDEN, STV_INTERNAL, STV_PROTECTED};

use super::flaw::{Flaw, Result, Span};
use super::leb;
use super::metadata::{self, Note};
use super::program::{
    Apart, Assembler, Group, SHF_ALLOC, SHF_EXECINSTR, SHF_GROUP, SHF_WRITE, SHT_NOBITS, SHT_NOTE, SHT_PROGBITS, What,
};
use super::scan::Scan;
use super::table::Def;
use super::target::{Os, Processor};

/// The bytes of `s_nop 0`, with which code is padded, on all targets.
pub const NOP: [u8; 4] = 0xbf80_0000_u32.to_le_bytes();

impl Assembler {
    pub fn directive(&mut self, word: &str, start: usize, scan: &mut Scan<'_>) -> Result<()> {
        let place = scan.line.place(start..scan.at);
        if self.kernel.is_some() && (word.starts_with(".amdhsa_") || word == ".end_amdhsa_kernel") {
            return self.kernel_directive(word, start, scan);
        }
        if self.condition(word, scan)?
            || self.block(word, scan)?
            || self.data(word, scan)?
            || self.of_symbol(word, scan)?
        {
            return Ok(());
        }
        if self.debug_directive(word, place, scan)? {
            return scan.end();
        }
        match word {
            ".text" | ".data" | ".bss" | ".rodata" => self.named(word),
            ".section" | ".pushsection" => {
                if word == ".pushsection" {
                    self.stack.push((self.table.section, self.previous));
                }
                return self.section_directive(scan);
            }
            ".popsection" => {
                let (section, previous) =
                    self.stack.pop().ok_or_else(|| Flaw::new(place, "no .pushsection is above"))?;
                (self.table.section, self.previous) = (section, previous);
            }
            ".previous" => self.switch(self.previous),
            ".amdgcn_target" | ".amd_amdgpu_isa" => {
                scan.blank();
                let from = scan.at;
                let text = String::from_utf8_lossy(&scan.string()?).into_owned();
                let place = scan.place(from);
                let processor = Processor::parse(&text).map_err(|why| Flaw::new(place, why))?;
                if word == ".amd_amdgpu_isa" {
                    self.notes.push(Note {
                        name: b"AMD\0".to_vec(),
                        kind: metadata::ISA_NAME,
                        contents: text.into_bytes(),
                    });
                }
                return self.set_target(processor, place);
            }
            ".amdhsa_code_object_version" => {
                scan.blank();
                let from = scan.at;
                let version = self.number(scan)?;
                if !(4..=6).contains(&version) {
                    return Err(Flaw::new(scan.place(from), "code objects of versions 4 to 6 are known"));
                }
                self.version = version as u32;
            }
            ".amdhsa_kernel" => return self.kernel_begin(scan),
            ".end_amdhsa_kernel" => return Err(Flaw::new(place, "no .amdhsa_kernel is above")),
            ".amdgpu_metadata" | ".amdgpu_pal_metadata" => return self.metadata(word, place),
            ".amdgpu_lds" => return self.shared(scan),
            ".ident" => {
                let text = scan.string()?;
                let before = self.table.section;
                self.section(".comment", SHT_PROGBITS, 0x30, 1);
                let zero: &[u8] = if self.here().len == 0 { &[0] } else { &[] };
                let emitted = self.emit(&[zero, &text, &[0]].concat(), place);
                self.table.section = before;
                emitted?;
            }
            // Hints for linkers.
            ".addrsig" | ".addrsig_sym" | ".amdgpu_info" => return Ok(()),
            ".altmacro" | ".noaltmacro" => self.is_alternate = word == ".altmacro",
            ".err" => return Err(Flaw::new(place, ".err was reached")),
            ".error" | ".warning" => {
                let text = if scan.is_done() { Vec::new() } else { scan.string()? };
                let text =
                    if text.is_empty() { format!("{word} was reached").into() } else { String::from_utf8_lossy(&text) };
                let fault = Flaw::new(place, text);
                if word == ".error" {
                    return Err(fault);
                }
                self.fault(Flaw { is_warning: true, ..fault });
            }
            _ if word.starts_with(".amdhsa_") => return Err(Flaw::new(place, "no .amdhsa_kernel is above")),
            _ => return Err(Flaw::new(place, format!("there is no directive {word}"))),
        }
        scan.end()
    }

    fn named(&mut self, name: &str) {
        let (kind, flags) = usual(name);
        self.section(name, kind, flags, 0);
    }

    fn section_directive(&mut self, scan: &mut Scan<'_>) -> Result<()> {
        scan.blank();
        let from = scan.at;
        let name = match scan.peek() {
            b'"' => scan.name()?,
            _ => {
                let rest = scan.rest();
                let len = rest.bytes().position(|c| matches!(c, b',' | b' ' | b'\t')).unwrap_or(rest.len());
                scan.at += len;
                rest.get(..len).unwrap_or("").to_string()
            }
        };
        let place = scan.place(from);
        if name.is_empty() {
            return Err(scan.fault("the name of a section expected"));
        }
        let mut apart = Apart::default();
        let known = self.find_section(&name, &apart).and_then(|index| self.sections.get(index));
        let (mut kind, mut flags) = known.map_or_else(|| usual(&name), |known| (known.kind, known.flags));
        let mut entry = 0;
        if scan.eat(",") {
            let at = scan.at;
            flags = 0;
            for letter in scan.string()? {
                flags |= match letter {
                    b'a' => SHF_ALLOC,
                    b'w' => SHF_WRITE,
                    b'x' => SHF_EXECINSTR,
                    b'M' => 0x10,
                    b'S' => 0x20,
                    b'G' => SHF_GROUP,
                    b'e' => 0x8000_0000,
                    b'R' => 0x20_0000,
                    _ => return Err(scan.since(at, format!("no flag {:?} is known", char::from(letter)))),
                };
            }
            if scan.eat(",") {
                let at = scan.at;
                if !scan.eat("@") && !scan.eat("%") {
                    return Err(scan.fault("`@` and the type of the section expected"));
                }
                kind = match scan.word() {
                    "progbits" => SHT_PROGBITS,
                    "nobits" => SHT_NOBITS,
                    "note" => SHT_NOTE,
                    _ => return Err(scan.since(at, "sections are @progbits, @nobits or @note")),
                };
                if flags & 0x10 != 0 {
                    scan.expect(",")?;
                    entry = self.number(scan)?.clamp(0, i64::from(u32::MAX)) as u64;
                }
                apart = self.apart(flags & SHF_GROUP != 0, scan)?;
            } else if flags & SHF_GROUP != 0 {
                return Err(scan.fault("`,` and the type of the section expected"));
            }
        }
        scan.end()?;
        let index = self.section_apart(&name, kind, flags, entry, apart);
        let section = &self.sections[index];
        if (section.kind, section.flags) != (kind, flags) {
            return Err(Flaw::new(place, format!("{name} has another type or other flags above")));
        }
        Ok(())
    }

    /// The group of a section, and its number among those of its name.
    fn apart(&mut self, has_group: bool, scan: &mut Scan<'_>) -> Result<Apart> {
        let mut apart = Apart::default();
        if has_group {
            scan.expect(",")?;
            let (symbol, _) = self.symbol_name(scan)?;
            apart.group = Some(Group { symbol, is_comdat: false });
        }
        while scan.eat(",") {
            let from = scan.at;
            match (scan.word(), &mut apart.group) {
                ("comdat", Some(group)) => group.is_comdat = true,
                ("unique", _) => {
                    scan.expect(",")?;
                    let number = self.number(scan)?;
                    let number = u32::try_from(number).map_err(|_| scan.since(from, "a number of 32 bits expected"))?;
                    apart.unique = Some(number);
                }
                _ => return Err(scan.since(from, "`comdat` of a group, or `unique` expected")),
            }
        }
        Ok(apart)
    }

    /// Whether the directive is about a symbol.
    fn of_symbol(&mut self, word: &str, scan: &mut Scan<'_>) -> Result<bool> {
        match word {
            ".globl" | ".global" | ".local" | ".weak" | ".protected" | ".hidden" | ".internal" => loop {
                let (id, _) = self.symbol_name(scan)?;
                let symbol = self.table.get_mut(id);
                symbol.is_used = true;
                match word {
                    ".globl" | ".global" => symbol.bind = Some(STB_GLOBAL),
                    ".local" => symbol.bind = Some(STB_LOCAL),
                    ".weak" => symbol.bind = Some(STB_WEAK),
                    ".protected" => symbol.visibility = STV_PROTECTED,
                    ".hidden" => symbol.visibility = STV_HIDDEN,
                    _ => symbol.visibility = STV_INTERNAL,
                }
                if !scan.eat(",") {
                    break;
                }
            },
            ".type" => {
                let (id, _) = self.symbol_name(scan)?;
                scan.eat(",");
                scan.blank();
                let at = scan.at;
                let _ = scan.eat("@") || scan.eat("%") || scan.eat("#");
                let word = if scan.peek() == b'"' { scan.name()? } else { scan.word().to_string() };
                self.table.get_mut(id).kind = match word.trim_start_matches("STT_").to_ascii_lowercase().as_str() {
                    "notype" => 0,
                    "object" => STT_OBJECT,
                    "function" | "func" => STT_FUNC,
                    "section" => 3,
                    "amdgpu_hsa_kernel" => 10,
                    _ => return Err(scan.since(at, "symbols are @function, @object or @notype")),
                };
            }
            ".size" => {
                let (id, _) = self.symbol_name(scan)?;
                scan.expect(",")?;
                scan.blank();
                let from = scan.at;
                let expr = self.expression(scan)?;
                self.table.get_mut(id).size = Some((expr, scan.place(from)));
            }
            ".set" | ".equ" | ".equiv" => {
                scan.blank();
                let from = scan.at;
                let name = scan.name()?;
                let place = scan.place(from);
                scan.expect(",")?;
                self.assign(&name, place, scan, word != ".equiv")?;
            }
            _ => return Ok(false),
        }
        scan.end().map(|()| true)
    }

    fn symbol_name(&mut self, scan: &mut Scan<'_>) -> Result<(usize, Span)> {
        scan.blank();
        let from = scan.at;
        let name = scan.name()?;
        let place = scan.place(from);
        Ok((self.table.id(&name, place), place))
    }

    /// `.amdgpu_lds NAME, SIZE, ALIGNMENT`
    fn shared(&mut self, scan: &mut Scan<'_>) -> Result<()> {
        let (id, place) = self.symbol_name(scan)?;
        self.not_defined(id, place)?;
        scan.expect(",")?;
        let size = self.number(scan)?;
        let align = if scan.eat(",") { self.number(scan)? } else { 4 };
        scan.end()?;
        let Some(align) = u64::try_from(align).ok().filter(|align| align.is_power_of_two()) else {
            return Err(Flaw::new(place, "the alignment is no power of two"));
        };
        let symbol = self.table.get_mut(id);
        (symbol.def, symbol.kind, symbol.place) = (Def::Shared { align }, STT_OBJECT, place);
        symbol.bind = symbol.bind.or(Some(STB_GLOBAL));
        symbol.size = Some((super::expr::Expr::Int(size), place));
        Ok(())
    }

    /// Whether the directive is data or padding.
    fn data(&mut self, word: &str, scan: &mut Scan<'_>) -> Result<bool> {
        let place = scan.line.whole();
        match word {
            ".byte" | ".short" | ".2byte" | ".hword" | ".value" | ".half" | ".long" | ".4byte" | ".int" | ".word"
            | ".quad" | ".8byte" => {
                let width = match word {
                    ".byte" => 1,
                    ".short" | ".2byte" | ".hword" | ".value" | ".half" => 2,
                    ".quad" | ".8byte" => 8,
                    _ => 4,
                };
                while !scan.is_done() {
                    self.datum(width, scan)?;
                    if !scan.eat(",") {
                        break;
                    }
                }
            }
            ".uleb128" | ".sleb128" => loop {
                scan.blank();
                let from = scan.at;
                let value = self.number(scan)?;
                let mut bytes = Vec::new();
                match word {
                    ".sleb128" => leb::signed(value, &mut bytes),
                    _ => leb::unsigned(value as u64, &mut bytes),
                }
                self.emit(&bytes, scan.place(from))?;
                if !scan.eat(",") {
                    break;
                }
            },
            ".float" | ".single" | ".double" => loop {
                scan.blank();
                let from = scan.at;
                let rest = scan.rest();
                let len = rest.bytes().position(|c| matches!(c, b',' | b' ' | b'\t')).unwrap_or(rest.len());
                scan.at += len;
                let number = rest.get(..len).unwrap_or("").parse::<f64>();
                let number = number.map_err(|_| scan.since(from, "not a floating-point number"))?;
                match word {
                    ".double" => self.emit(&number.to_le_bytes(), place)?,
                    _ => self.emit(&(number as f32).to_le_bytes(), place)?,
                }
                if !scan.eat(",") {
                    break;
                }
            },
            ".ascii" | ".asciz" | ".string" => loop {
                let mut text = scan.string()?;
                if word != ".ascii" {
                    text.push(0);
                }
                self.emit(&text, place)?;
                if !scan.eat(",") {
                    break;
                }
            },
            ".zero" | ".skip" | ".space" => {
                let count = self.number(scan)?;
                let value = if scan.eat(",") { self.number(scan)? } else { 0 };
                self.fill(count, &[value as u8], place)?;
            }
            ".fill" => {
                let count = self.number(scan)?;
                let size = if scan.eat(",") { self.number(scan)? } else { 1 };
                let value = if scan.eat(",") { self.number(scan)? } else { 0 };
                let size = usize::try_from(size).ok().filter(|size| *size <= 8);
                let size = size.ok_or_else(|| Flaw::new(place, "a size from 0 to 8 expected"))?;
                // A value has four bytes; those above are zeros.
                let bytes = (value as u32 as u64).to_le_bytes();
                self.fill(count, bytes.get(..size).unwrap_or(&bytes), place)?;
            }
            ".org" => {
                let to = self.number(scan)?;
                let value = if scan.eat(",") { self.number(scan)? } else { 0 };
                let count = to.checked_sub(self.here().len as i64).filter(|count| *count >= 0);
                let count = count.ok_or_else(|| Flaw::new(place, "this place is behind already"))?;
                self.fill(count, &[value as u8], place)?;
            }
            ".p2align" | ".p2alignl" | ".p2alignw" | ".balign" | ".balignl" | ".balignw" | ".align" => {
                self.align(word, scan)?;
            }
            _ => return Ok(false),
        }
        scan.end().map(|()| true)
    }

    fn datum(&mut self, width: u8, scan: &mut Scan<'_>) -> Result<()> {
        scan.blank();
        let from = scan.at;
        let expr = self.expression(scan)?;
        let place = scan.place(from);
        let zeros = [0; 8];
        match self.table.value(&expr) {
            Ok(value) => {
                let bits = u32::from(width) * 8;
                if width < 8 && !(-1i64 << (bits - 1)..1i64 << bits).contains(&value) {
                    return Err(Flaw::new(place, format!("{value} does not fit in {width} bytes")));
                }
                let bytes = value.to_le_bytes();
                self.emit(bytes.get(..width.into()).unwrap_or(&bytes), place)
            }
            Err(_) => self.emit_fixup(zeros.get(..width.into()).unwrap_or(&zeros), 0, What::Data(width), expr, place),
        }
    }

    fn fill(&mut self, count: i64, bytes: &[u8], place: Span) -> Result<()> {
        let count = u64::try_from(count).map_err(|_| Flaw::new(place, "the number is negative"))?;
        let len = count.saturating_mul(bytes.len() as u64);
        self.room(len, place)?;
        if self.here().kind == SHT_NOBITS && bytes.iter().all(|byte| *byte == 0) {
            self.here_mut().len += len;
            return Ok(());
        }
        self.emit_padding(&bytes.repeat(count as usize), place)
    }

    fn align(&mut self, word: &str, scan: &mut Scan<'_>) -> Result<()> {
        let place = scan.line.whole();
        let number = self.number(scan)?;
        let mut value = None;
        if scan.eat(",") {
            scan.blank();
            if scan.peek() != b',' && !scan.is_done() {
                value = Some(self.number(scan)?);
            }
        }
        let most = if scan.eat(",") { self.number(scan)? } else { i64::MAX };
        let align = match word.starts_with(".p2") {
            true => u32::try_from(number).ok().filter(|n| *n < 32).map(|n| 1u64 << n),
            false => u64::try_from(number).ok().map(|n| n.max(1)).filter(|n| n.is_power_of_two() && *n <= 1 << 31),
        };
        let align = align.ok_or_else(|| Flaw::new(place, "an alignment is a power of two, up to 2^31"))?;
        let size = match word.as_bytes().last() {
            Some(b'l') => 4,
            Some(b'w') => 2,
            _ => 1,
        };
        let section = self.here_mut();
        section.align = section.align.max(align);
        let count = section.len.next_multiple_of(align) - section.len;
        if count as i64 > most {
            return Ok(());
        }
        self.room(count, place)?;
        let count = count as usize;
        let section = self.here();
        let bytes = match value {
            None if section.flags & SHF_EXECINSTR != 0 => {
                [vec![0; count % NOP.len()], NOP.repeat(count / NOP.len())].concat()
            }
            _ => {
                if count % size != 0 {
                    return Err(Flaw::new(place, format!("the {count} bytes of padding are no multiple of {size}")));
                }
                let value = value.unwrap_or(0).to_le_bytes();
                value.get(..size).unwrap_or(&value).repeat(count / size)
            }
        };
        if section.kind == SHT_NOBITS {
            return self.fill(count as i64, &[0], place);
        }
        self.emit_padding(&bytes, place)
    }

    fn metadata(&mut self, word: &str, place: Span) -> Result<()> {
        let end = if word == ".amdgpu_metadata" { ".end_amdgpu_metadata" } else { ".end_amdgpu_pal_metadata" };
        let (text, at) = self.source.raw(end).ok_or_else(|| Flaw::new(place, format!("no {end} follows")))?;
        let bytes = metadata::encode(&text)
            .map_err(|(why, from)| Flaw::new(Span { start: at.start + from, end: at.start + from, ..at }, why))?;
        if word == ".amdgpu_pal_metadata" && self.table.target.is_some_and(|target| target.os == Os::Hsa) {
            return Err(Flaw::new(place, "this is for PAL, and the code for HSA"));
        }
        self.notes.push(Note { name: b"AMDGPU\0".to_vec(), kind: metadata::DOCUMENT, contents: bytes });
        Ok(())
    }
}

/// The type and the flags of a section, if nothing says others.
fn usual(name: &str) -> (u32, u64) {
    let is = |prefix: &str| name == prefix || name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('.'));
    match name {
        _ if is(".text") => (SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR),
        _ if is(".rodata") => (SHT_PROGBITS, SHF_ALLOC),
        _ if is(".data") => (SHT_PROGBITS, SHF_ALLOC | SHF_WRITE),
        _ if is(".bss") => (SHT_NOBITS, SHF_ALLOC | SHF_WRITE),
        _ if name.starts_with(".note") => (SHT_NOTE, 0),
        _ => (SHT_PROGBITS, 0),
    }
}
