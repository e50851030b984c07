//! Directives that no other file handles.

use amdgpu_isa::Filler;
use amdgpu_object::elf::{SHT_NOTE, SHT_PROGBITS};

use super::assembler::Assembler;
use super::expr::Expr;
use super::flaw::{Flaw, Result, Span};
use super::metadata::{self, Note, Pal};
use super::scan::Scan;
use super::table::Def;
use super::target::{Os, Processor};

/// The symbol type `STT_AMDGPU_HSA_KERNEL`.
const KERNEL: u8 = 10;

/// Directives of ELF files. LLVM's assembler knows these, and the directives of frames and of AMD GPUs, only in lower
/// case.
const OF_FILES: [&str; 23] = [
    ".text",
    ".data",
    ".bss",
    ".rodata",
    ".tdata",
    ".tbss",
    ".section",
    ".pushsection",
    ".popsection",
    ".previous",
    ".subsection",
    ".size",
    ".type",
    ".ident",
    ".symver",
    ".version",
    ".weakref",
    ".weak",
    ".local",
    ".protected",
    ".internal",
    ".hidden",
    ".cg_profile",
];

fn is_of_amd(word: &str) -> bool {
    word.starts_with(".amd") || word.starts_with(".end_amd")
}

/// The error of a directive that does not exist.
fn unknown(word: &str, place: Span) -> Flaw {
    Flaw::new(place, format!("there is no directive {word}"))
}

/// Reads the number of a `.line`, which has no effect.
fn line_number(scan: &mut Scan<'_>) -> Result<()> {
    let (from, is_done) = (scan.at, scan.is_done());
    let is_plain = scan.peek().is_ascii_digit();
    if is_done || is_plain && super::expr::number(scan.word()).is_some() {
        return Ok(());
    }
    Err(scan.since(from, "a number without signs expected"))
}

impl Assembler {
    pub fn directive(&mut self, spelled: &str, start: usize, scan: &mut Scan<'_>) -> Result<()> {
        let place = scan.line.place(start..scan.at);
        let word = &*spelled.to_ascii_lowercase();
        if word != spelled && (OF_FILES.contains(&word) || is_of_amd(word)) {
            return Err(Flaw::new(place, format!("there is no directive {spelled}")).note(format!("{word} is one")));
        }
        if self.kernel.is_some() && (word.starts_with(".amdhsa_") || word == ".end_amdhsa_kernel") {
            let read = self.kernel_directives(word, start, scan);
            if let (Err(_), Some(kernel)) = (&read, &mut self.kernel) {
                kernel.is_whole = false;
            }
            return read;
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
            ".text" | ".data" | ".bss" | ".rodata" | ".tdata" | ".tbss" => return self.named(word, scan),
            ".subsection" => return self.subsection(scan),
            ".section" => return self.section_directive(false, scan),
            ".pushsection" => return self.push_section(scan),
            ".popsection" => self.pop_section(place)?,
            ".previous" => self.previous_section(place)?,
            _ if is_of_amd(word) => return self.of_amd(word, place, scan),
            ".ident" => self.ident(place, scan)?,
            ".version" => self.version_note(place, scan)?,
            ".print" => drop(scan.string()?),
            ".line" => line_number(scan)?,
            ".end" => self.end_source()?,
            ".abort" => return Err(self.abort(place, scan)),
            ".addrsig" => self.has_address_table = true,
            ".addrsig_sym" => {
                let (id, _) = self.symbol_name(scan)?;
                self.addressed.push(id);
            }
            // Hints for linkers, and names that other files define, have no effect.
            ".extern" => return Ok(()),
            ".lto_set_conditional" => {
                scan.name()?;
                scan.expect(",")?;
                scan.name()?;
            }
            ".lto_discard" => {
                let mut has_more = !scan.is_done();
                while has_more {
                    scan.name()?;
                    has_more = scan.eat(",");
                }
            }
            ".altmacro" | ".noaltmacro" => self.is_alternate = word == ".altmacro",
            ".err" => return Err(Flaw::new(place, ".err was reached")),
            ".error" | ".warning" => self.message(word, place, scan)?,
            ".half" | ".hword" | ".word" => {
                let flaw = Flaw::new(place, format!("there is no directive {word} for AMD GPUs"));
                return Err(flaw.note("`.short` has 2 bytes, and `.long` has 4"));
            }
            _ => return Err(unknown(word, place)),
        }
        scan.end()
    }

    /// Handles a directive about AMD GPUs.
    fn of_amd(&mut self, word: &str, place: Span, scan: &mut Scan<'_>) -> Result<()> {
        match word {
            ".amdhsa_kernel" | ".amdhsa_code_object_version" | ".amdgpu_metadata" if self.is_of_other_os(true) => {
                let message = format!("{word} is for the runtime of HSA, and the code is for another one");
                return Err(Flaw::new(place, message));
            }
            ".amd_kernel_code_t" if self.table.target.is_none_or(|target| target.os != Os::Hsa) => {
                scan.end()?;
                return self.kernel_code_begin(place);
            }
            ".amd_kernel_code_t" => {
                let flaw = Flaw::new(place, "the runtime of HSA has no such descriptors");
                return Err(flaw.note("`.amdhsa_kernel` describes a kernel"));
            }
            ".amdgpu_hsa_kernel" | ".amd_amdgpu_isa" if self.is_of_other_os(false) => {
                let message = format!("{word} is for code objects of version 2, which HSA no longer has");
                return Err(Flaw::new(place, message).note("`.amdhsa_kernel` describes a kernel"));
            }
            ".amdgcn_target" | ".amd_amdgpu_isa" => return self.target_directive(word, scan),
            ".amdhsa_kernel" => return self.kernel_begin(scan),
            ".amdgpu_metadata" | ".amdgpu_pal_metadata" => {
                let head = scan.end();
                self.metadata(word, place)?;
                return head;
            }
            ".amdgpu_lds" => return self.shared(scan),
            ".amdhsa_code_object_version" => self.code_object_version(scan)?,
            ".amdgpu_isa_fill" => self.isa_fill(scan)?,
            ".amdgpu_isa_flags" => self.isa_flags(scan)?,
            ".amdgpu_hsa_kernel" => self.hsa_kernel(scan)?,
            ".amd_amdgpu_pal_metadata" => self.pal_registers(place, scan)?,
            ".end_amd_kernel_code_t" => return Err(Flaw::new(place, "no .amd_kernel_code_t is above")),
            ".end_amdhsa_kernel" => return Err(Flaw::new(place, "no .amdhsa_kernel is above")),
            _ if word.starts_with(".amdhsa_") => return Err(Flaw::new(place, "no .amdhsa_kernel is above")),
            _ => return Err(unknown(word, place)),
        }
        scan.end()
    }

    /// Reads `.amdgcn_target "TARGET"`, or `.amd_amdgpu_isa "TARGET"`, which also writes a note.
    fn target_directive(&mut self, word: &str, scan: &mut Scan<'_>) -> Result<()> {
        scan.blank();
        let from = scan.at;
        let text = String::from_utf8_lossy(&scan.string()?).into_owned();
        let place = scan.place(from);
        scan.end()?;
        // The processor is the fifth part of the triple. The fourth part is empty for AMD GPUs.
        if text.splitn(5, '-').count() < 5 {
            let flaw = Flaw::new(place, "a triple and a processor expected");
            return Err(flaw.note("two dashes come before the processor, as in `amdgcn-amd-amdhsa--`"));
        }
        let processor = Processor::parse(&text).map_err(|why| Flaw::new(place, why))?;
        if word == ".amd_amdgpu_isa" {
            self.notes.push(Note { name: b"AMD\0".to_vec(), kind: metadata::ISA_NAME, contents: text.into_bytes() });
        }
        self.set_target(processor, place)
    }

    /// Reads `.amdhsa_code_object_version VERSION`.
    fn code_object_version(&mut self, scan: &mut Scan<'_>) -> Result<()> {
        scan.blank();
        let from = scan.at;
        let version = self.number(scan)?;
        if !(4..=6).contains(&version) {
            return Err(Flaw::new(scan.place(from), "code objects of versions 4 to 6 are known"));
        }
        self.version = version as u32;
        Ok(())
    }

    /// Reads `.amdgpu_isa_fill FILLER`.
    fn isa_fill(&mut self, scan: &mut Scan<'_>) -> Result<()> {
        scan.blank();
        let from = scan.at;
        let filler = Filler::named(scan.word());
        self.filler = Some(filler.ok_or_else(|| Flaw::new(scan.place(from), "`llvm22` or `llvm23` expected"))?);
        Ok(())
    }

    /// Reads `.amdgpu_isa_flags FLAGS`, the flags of the ELF header.
    fn isa_flags(&mut self, scan: &mut Scan<'_>) -> Result<()> {
        scan.blank();
        let from = scan.at;
        let flags = u32::try_from(self.number(scan)?).ok();
        let named = flags.and_then(amdgpu_isa::processor::Processor::from_e_flags);
        if named.is_none() || named != self.table.target.map(|own| own.processor) {
            let text = "these flags are not of the processor that `.amdgcn_target` names";
            return Err(Flaw::new(scan.place(from), text));
        }
        self.flags = flags;
        Ok(())
    }

    /// Reads `.amdgpu_hsa_kernel NAME`.
    fn hsa_kernel(&mut self, scan: &mut Scan<'_>) -> Result<()> {
        scan.blank();
        if scan.peek() == b'"' {
            return Err(scan.since(scan.at, "the name of a kernel without quotes expected"));
        }
        let (id, _) = self.symbol_name(scan)?;
        self.table.get_mut(id).kind = KERNEL;
        // The count of registers starts at 0 again for each kernel.
        for id in self.table.counts() {
            self.table.get_mut(id).def = Def::Variable(Expr::Int(0));
        }
        Ok(())
    }

    /// Reads `.ident "TEXT"`, and adds the text to the section of comments.
    fn ident(&mut self, place: Span, scan: &mut Scan<'_>) -> Result<()> {
        // As in LLVM's assembler, escapes in the text of `.ident` stay as they are.
        let start = scan.at;
        scan.string()?;
        let text = scan.line.text().get(start..scan.at).unwrap_or("").trim();
        let text = text.get(1..text.len().saturating_sub(1)).unwrap_or("").as_bytes();
        let before = (self.table.section, self.previous);
        self.section(".comment", SHT_PROGBITS, 0x30, 1);
        let zero: &[u8] = if self.has_ident { &[] } else { &[0] };
        self.has_ident = true;
        let emitted = self.emit(&[zero, text, &[0]].concat(), place);
        (self.table.section, self.previous) = before;
        emitted
    }

    /// Reads `.version "TEXT"`, and writes a note with the text.
    fn version_note(&mut self, place: Span, scan: &mut Scan<'_>) -> Result<()> {
        let mut text = scan.string()?;
        text.push(0);
        let before = (self.table.section, self.previous);
        self.section(".note", SHT_NOTE, 0, 0);
        let header = [text.len() as u32, 0, 1].map(u32::to_le_bytes).concat();
        text.resize(text.len().next_multiple_of(4), 0);
        self.here_mut().align = self.here().align.max(4);
        let emitted = self.emit_padding(&[header, text].concat(), place);
        (self.table.section, self.previous) = before;
        emitted
    }

    /// Ends the reading of the source at `.end`.
    fn end_source(&mut self) -> Result<()> {
        if let Some((_, place)) = self.conditions.first() {
            return Err(Flaw::new(*place, "the condition has no .endif"));
        }
        self.source.stop();
        Ok(())
    }

    /// Ends the reading of the source at `.abort`. Returns the error.
    fn abort(&mut self, place: Span, scan: &Scan<'_>) -> Flaw {
        self.source.stop();
        let text = scan.rest().trim();
        let text = if text.is_empty() { String::new() } else { format!(": {text}") };
        Flaw::new(place, format!(".abort ends the source here{text}"))
    }

    /// Reads `.error "TEXT"` or `.warning "TEXT"`.
    fn message(&mut self, word: &str, place: Span, scan: &mut Scan<'_>) -> Result<()> {
        let text = if scan.is_done() { Vec::new() } else { scan.string()? };
        let text = if text.is_empty() { format!("{word} was reached").into() } else { String::from_utf8_lossy(&text) };
        let fault = Flaw::new(place, text);
        if word == ".error" {
            return Err(fault);
        }
        self.fault(Flaw { is_warning: true, ..fault });
        Ok(())
    }

    /// Reads pairs of registers and their values for the runtime of PAL, as old compilers write them.
    fn pal_registers(&mut self, place: Span, scan: &mut Scan<'_>) -> Result<()> {
        if self.table.target.is_some_and(|target| target.os != Os::Pal) {
            return Err(Flaw::new(place, "this is for PAL, and the code for another runtime"));
        }
        loop {
            let register = self.pal_number(scan)?;
            scan.expect(",")?;
            let bits = self.pal_number(scan)?;
            // A second value for the same register adds bits.
            self.pal.get_or_insert_default().add(register, bits);
            if !scan.eat(",") {
                return Ok(());
            }
        }
    }

    /// Reads an expression that begins with a digit or a name, as LLVM's assembler wants it in lists of registers.
    fn pal_number(&mut self, scan: &mut Scan<'_>) -> Result<u32> {
        scan.blank();
        let from = scan.at;
        let word = scan.word();
        let is_number = word.starts_with(|c: char| c.is_ascii_digit());
        if word.is_empty() || is_number && super::expr::number(word).is_none() {
            return Err(scan.since(from, "a number without a sign expected, or a name"));
        }
        scan.at = from;
        Ok(self.number(scan)? as u32)
    }

    /// Whether the source states a runtime other than HSA (if `wants_hsa`), or the runtime HSA (otherwise).
    fn is_of_other_os(&self, wants_hsa: bool) -> bool {
        self.table.target.is_some_and(|target| target.says_os && (target.os == Os::Hsa) != wants_hsa)
    }

    /// The error of a document without an end. A quote that its line does not close hides the end.
    fn no_end(&self, end: &str, place: Span) -> Flaw {
        let text = self.source.files.get(place.file).and_then(|file| file.text.get(place.end..)).unwrap_or("");
        let lines = text.split_inclusive('\n').scan(place.end, |at, line| {
            let start = std::mem::replace(at, *at + line.len());
            Some((start, line))
        });
        let mut open = lines.filter(|(_, line)| line.matches('"').count() % 2 == 1);
        let message = format!("no {end} follows");
        match open.next().and_then(|(start, line)| Some(start + line.rfind('"')?)) {
            Some(at) => {
                let quote = Span { start: at, end: at + 1, ..place };
                Flaw::new(quote, "the line does not close this quote").note(message)
            }
            None => self.unclosed(&message, place),
        }
    }

    fn metadata(&mut self, word: &str, place: Span) -> Result<()> {
        let end = if word == ".amdgpu_metadata" { ".end_amdgpu_metadata" } else { ".end_amdgpu_pal_metadata" };
        let block = self.source.block(&[], &[end]).ok_or_else(|| self.no_end(end, place))?;
        self.check_end()?;
        let (text, at) = (block.text(), block.place(0..block.range.len()));
        let is_hsa = word == ".amdgpu_metadata";
        let wrong =
            |(why, from): metadata::Fault| Flaw::new(Span { start: at.start + from, end: at.start + from, ..at }, why);
        if !is_hsa {
            self.pal = Some(Pal::read(text).map_err(wrong)?);
            if self.table.target.is_some_and(|target| target.os == Os::Hsa) {
                self.warn(place, "this is for PAL, and the code for HSA");
            }
            return Ok(());
        }
        let contents = metadata::encode_hsa(text).map_err(wrong)?;
        self.notes.push(Note { name: b"AMDGPU\0".to_vec(), kind: metadata::DOCUMENT, contents });
        // Sections are in the order of the source, so the section of notes is made here.
        if self.table.target.is_some() {
            self.write_notes();
        }
        Ok(())
    }
}
