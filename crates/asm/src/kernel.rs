//! `.amdhsa_kernel`: kernel descriptors. Their numbers may be known only at the end of the source.

use std::collections::{BTreeSet, HashMap};

use amdgpu_isa::Target;
use amdgpu_isa::kernel::{DescriptorError, DescriptorPart, Directive, KernelDescriptor, PgmRsrc1, Registers};
use object::elf::{STB_GLOBAL, STB_LOCAL, STT_OBJECT, STV_DEFAULT, STV_PROTECTED};

use super::Kind;
use super::assembler::{Assembler, Fixup, FixupKind};
use super::expr::{Expr, TOP};
use super::flaw::{Flaw, Result, Span};
use super::scan::Scan;
use super::table::SymbolId;

pub struct Kernel {
    pub place: Span,
    pub name: String,
    pub code: SymbolId,
    pub section: usize,
    pub offset: u64,
    values: HashMap<String, (Expr, Span)>,
    /// The lanes of the kernel's waves, if a directive states them.
    lanes: Option<u16>,
    /// The place of the directive that ends the descriptor.
    end: Span,
    /// Whether no directive is wrong or missing so far.
    pub is_whole: bool,
}

/// Directives that are not parts of the descriptor, but numbers from which its parts are computed.
pub const NUMBERS: [&str; 6] =
    ["next_free_vgpr", "next_free_sgpr", "accum_offset", "reserve_vcc", "reserve_flat_scratch", "reserve_xnack_mask"];

/// The greatest number of blocks of vector registers of a wave, with its shared registers but without the first block.
const MOST_BLOCKS: i64 = PgmRsrc1::from_bits(u32::MAX).granulated_workitem_vgpr_count() as i64;

/// Whether a directive's number has to be known at the directive, as in LLVM's assembler. This holds for the numbers of
/// initial registers and of shared registers.
fn is_early(name: &str) -> bool {
    name.starts_with("user_sgpr_") || name == "shared_vgpr_count"
}

/// The position of a directive's number in the order of a descriptor's numbers: the byte at which the dword that
/// depends on it begins, then its position in [`NUMBERS`] plus 1, or 0 if it is not there. The byte is `usize::MAX` if
/// no dword depends on the number. `None` for a number of scalar registers on which the descriptor does not depend.
fn position(target: Target, name: &str) -> Option<(usize, usize)> {
    let number = NUMBERS.iter().position(|number| *number == name);
    let directive = target.directives().iter().find(|directive| directive.name() == name);
    if number.is_none() && directive.is_none() {
        return Some((usize::MAX, 0));
    }
    let is_scalar = number.is_some() && !["next_free_vgpr", "accum_offset"].contains(&name);
    // The descriptor with a small or with a great number: the two differ in the dword that depends on the number.
    let with = |is_great: bool| -> Result<KernelDescriptor, DescriptorError> {
        let mut descriptor = KernelDescriptor::new(target);
        match directive {
            Some(directive) => descriptor.set(target, directive.part(), if is_great { directive.max() } else { 0 })?,
            None => {
                let few = Registers { vgprs: 64, ..Registers::new(target) };
                let many = match name {
                    "accum_offset" => Registers { accum_offset: 64, ..few },
                    _ if is_scalar => Registers { sgprs: 64, ..few },
                    _ => Registers { vgprs: 128, ..few },
                };
                descriptor.set_registers(target, if is_great { many } else { few })?;
            }
        }
        Ok(descriptor)
    };
    let changed = match (with(false), with(true)) {
        (Ok(few), Ok(many)) => few.to_bytes().iter().zip(many.to_bytes()).position(|(a, b)| *a != b),
        _ => None,
    };
    let dword = changed.map_or(usize::MAX, |byte| byte / 4 * 4);
    (changed.is_some() || !is_scalar).then_some((dword, number.map_or(0, |number| number + 1)))
}

/// Returns the value if it is between 0 and `max`.
fn fits(value: i64, max: i64, place: Span) -> Result<i64> {
    match (0..=max).contains(&value) {
        true => Ok(value),
        false => Err(Flaw::new(place, format!("{value}: a number from 0 to {max} expected"))),
    }
}

/// Whether a directive can be inside of a kernel descriptor, or ends it.
pub fn is_kernel_directive(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    word.starts_with(".amdhsa_") || word == ".end_amdhsa_kernel"
}

/// Whether kernels of a target have the directive `.amdhsa_NAME`.
pub fn has(target: Target, name: &str) -> bool {
    match name {
        "reserve_flat_scratch" => target.reserves_flat_scratch(),
        "reserve_xnack_mask" => target.states_xnack_mask(),
        "accum_offset" => target.accum_granule().is_some(),
        _ => NUMBERS.contains(&name) || target.directives().iter().any(|d| d.name() == name),
    }
}

/// Whether the number of a directive takes all 32 bits of a dword of the descriptor.
fn is_dword(directive: &Directive) -> bool {
    directive.max() == u32::MAX
}

impl Assembler {
    pub fn kernel_begin(&mut self, scan: &mut Scan<'_>) -> Result<()> {
        scan.blank();
        let start = scan.at;
        let name = scan.name()?;
        let place = scan.place(start);
        self.processor(place)?;
        let code = self.table.id(&name, place);
        let (values, end) = (HashMap::new(), place);
        self.kernel =
            Some(Kernel { place, name, code, section: 0, offset: 0, values, lanes: None, end, is_whole: true });
        self.more_kernel_directives(scan)
    }

    /// Reads the directives of a line inside of a kernel descriptor. As in LLVM's assembler, one can follow another.
    pub fn kernel_directives(&mut self, word: &str, start: usize, scan: &mut Scan<'_>) -> Result<()> {
        self.kernel_directive(word, start, scan)?;
        self.more_kernel_directives(scan)
    }

    fn more_kernel_directives(&mut self, scan: &mut Scan<'_>) -> Result<()> {
        while self.kernel.is_some() && !scan.is_done() {
            let start = scan.at;
            let word = scan.word().to_ascii_lowercase();
            if !is_kernel_directive(&word) {
                scan.at = start;
                return scan.end();
            }
            self.kernel_directive(&word, start, scan)?;
        }
        Ok(())
    }

    fn kernel_directive(&mut self, word: &str, start: usize, scan: &mut Scan<'_>) -> Result<()> {
        if word == ".end_amdhsa_kernel" {
            scan.end()?;
            return self.kernel_end(scan.line.place(start..start + word.len()));
        }
        let at = scan.at;
        let whole = scan.line.place(start..start + word.len());
        let processor = self.processor(whole)?;
        let name = word.strip_prefix(".amdhsa_").unwrap_or("");
        if !has(processor.target, name) {
            let elsewhere = Target::ALL.iter().rev().find(|target| has(**target, name));
            let fault = Flaw::new(whole, format!("kernels of {} have no {word}", processor.processor.name()));
            return Err(match elsewhere {
                Some(target) => fault.note(format!("{} has it", target.processor())),
                None => fault,
            });
        }
        scan.at = at;
        scan.blank();
        let from = scan.at;
        let expr = self.expression(scan)?;
        let place = scan.place(from);
        if is_early(name) {
            self.known(&expr, place)?;
        }
        if name == "wavefront_size32" {
            let lanes = if self.known(&expr, place)? == 0 { 64 } else { 32 };
            if let Some(kernel) = &mut self.kernel {
                kernel.lanes = Some(lanes);
                self.found.lanes.insert(kernel.name.clone(), lanes);
            }
        }
        if name == "reserve_xnack_mask" {
            let is_on = processor.target.has_xnack() && processor.xnack != Some(false);
            if self.known(&expr, place)? != i64::from(is_on) {
                let name = processor.processor.name();
                return Err(Flaw::new(
                    place,
                    format!("for {name} with this setting of XNACK it is {}", u8::from(is_on)),
                ));
            }
        }
        if let Ok(value) = self.table.value(&expr) {
            // The greatest number of user registers is checked at the end of the descriptor.
            let directive = processor.target.directives().iter().find(|directive| directive.name() == name);
            let directive = directive.filter(|_| name != "user_sgpr_count");
            let most = if name.starts_with("reserve_") { 1 } else { i64::MAX };
            fits(value, directive.map_or(most, |directive| directive.max().into()), place)?;
        }
        let Some(kernel) = &mut self.kernel else { return Ok(()) };
        if kernel.values.insert(name.to_string(), (expr, place)).is_some() {
            return Err(Flaw::new(whole, format!("{word} is here twice")));
        }
        Ok(())
    }

    fn kernel_end(&mut self, end: Span) -> Result<()> {
        let Some(mut kernel) = self.kernel.take() else { return Ok(()) };
        kernel.end = end;
        self.sync();
        (kernel.section, kernel.offset) = (self.table.section, self.table.offset);
        let place = kernel.place;
        // A directive that seems to be missing may be one that was wrong.
        let was_whole = kernel.is_whole;
        for needed in ["next_free_vgpr", "next_free_sgpr"] {
            if was_whole && !kernel.values.contains_key(needed) {
                self.fault(Flaw::new(end, format!(".amdhsa_{needed} is missing")));
                kernel.is_whole = false;
            }
        }
        let target = self.processor(place)?.target;
        if was_whole && target.accum_granule().is_some() && !kernel.values.contains_key("accum_offset") {
            self.fault(Flaw::new(end, ".amdhsa_accum_offset is missing"));
            kernel.is_whole = false;
        }
        if let Some((expr, _)) = kernel.values.get("kernarg_size") {
            let linear = self.table.linear(expr, TOP);
            if !linear.is_ok_and(|linear| linear.terms.is_empty()) {
                let flaw = Flaw::new(end, "the size of the kernel's arguments has to be known here");
                self.fault(flaw.note("`.amdhsa_kernarg_size` depends on labels, or on values defined below"));
                kernel.is_whole = false;
            }
        }
        // The descriptor gets a symbol, and a field with the distance to the code.
        let descriptor = self.table.id(&format!("{}.kd", kernel.name), place);
        self.not_defined(descriptor, place)?;
        let def = super::table::Def::Label { section: kernel.section, offset: kernel.offset };
        let symbol = self.table.get_mut(descriptor);
        (symbol.def, symbol.place, symbol.kind) = (def, place, STT_OBJECT);
        symbol.size = Some((Expr::Int(KernelDescriptor::SIZE as i64), place));
        self.share_visibility(kernel.code, descriptor);
        self.table.register(descriptor);
        self.register_values(&kernel)?;
        let distance =
            Expr::Binary("-", Box::new((Expr::Symbol(kernel.code, Some("rel64")), Expr::Symbol(descriptor, None))), 1);
        let bytes = [0; KernelDescriptor::SIZE];
        self.emit_fixup(&bytes, KernelDescriptor::ENTRY as u64, FixupKind::Data(8), distance, place)?;
        self.kernels.push(kernel);
        Ok(())
    }

    /// Gives positions in the order of symbols to the symbols of a descriptor: the symbols in open numbers, and the
    /// symbol of the code.
    fn register_values(&mut self, kernel: &Kernel) -> Result<()> {
        let target = self.processor(kernel.place)?.target;
        let open = kernel.values.iter().filter(|(_, (expr, _))| !matches!(expr, Expr::Int(_)));
        let open = open.filter_map(|(name, (expr, place))| Some((position(target, name)?, place.start, expr)));
        let mut open: Vec<_> = open.collect();
        open.sort_by_key(|(position, start, _)| (*position, *start));
        let code = open.partition_point(|((byte, _), ..)| *byte < KernelDescriptor::ENTRY);
        open[..code].iter().for_each(|(.., expr)| self.table.register_all(expr));
        self.table.register(kernel.code);
        open[code..].iter().for_each(|(.., expr)| self.table.register_all(expr));
        Ok(())
    }

    /// Fills in the descriptors.
    pub fn fill_kernels(&mut self) {
        let (is_wrong, mut open) = (self.flaws.errors() > 0, BTreeSet::new());
        for kernel in std::mem::take(&mut self.kernels).into_iter().filter(|kernel| kernel.is_whole) {
            self.check_entry(&kernel);
            self.leave_open(&kernel, &mut open);
            // A name without a value may be one that a wrong statement would have defined.
            if is_wrong && kernel.values.values().any(|(expr, _)| self.table.value(expr).is_err()) {
                continue;
            }
            match self.descriptor(&kernel) {
                Ok(descriptor) => {
                    let at = kernel.offset as usize;
                    let Some(section) = self.sections.get_mut(kernel.section) else { continue };
                    if let Some(bytes) = section.data.get_mut(at..at + KernelDescriptor::SIZE) {
                        bytes.copy_from_slice(&descriptor.to_bytes());
                    }
                }
                Err(fault) => self.fault(fault),
            }
        }
        for section in open {
            self.sections[section].fixups.sort_by_key(|fixup| fixup.offset);
        }
    }

    /// Adds fix-ups, which become relocations, for numbers that take whole dwords and have symbols that the source does
    /// not define. Adds the descriptor's section to `open`, because the section's fix-ups are no longer in order.
    fn leave_open(&mut self, kernel: &Kernel, open: &mut BTreeSet<usize>) {
        let Ok(target) = self.processor(kernel.place).map(|processor| processor.target) else { return };
        for name in target.directives().iter().filter(|directive| is_dword(directive)).map(|directive| directive.name())
        {
            let value = kernel.values.get(name).filter(|(expr, _)| self.table.value(expr).is_err());
            let (Some((expr, place)), Some((byte, _))) = (value.cloned(), position(target, name)) else { continue };
            let Some(section) = self.sections.get_mut(kernel.section) else { continue };
            let offset = kernel.offset + byte as u64;
            section.fixups.push(Fixup { offset, kind: FixupKind::Data(4), expr, place });
            open.insert(kernel.section);
        }
    }

    /// Gives the descriptor the current binding and visibility of the code. Makes code with the default visibility
    /// protected, so that no other module's code can replace it.
    fn share_visibility(&mut self, code: SymbolId, descriptor: SymbolId) {
        let symbol = self.table.get(code);
        let default = if matches!(symbol.def, super::table::Def::Undefined) { STB_GLOBAL } else { STB_LOCAL };
        let (bind, visibility) = (symbol.bind.unwrap_or(default), symbol.visibility);
        let symbol = self.table.get_mut(descriptor);
        (symbol.bind, symbol.visibility) = (Some(bind), visibility);
        if visibility == STV_DEFAULT {
            self.table.get_mut(code).visibility = STV_PROTECTED;
        }
    }

    /// Warns of a kernel at an address that is not aligned, whose low bits hardware would ignore. A code object cannot
    /// have such a kernel, but a linker can align it.
    fn check_entry(&mut self, kernel: &Kernel) {
        const ALIGN: u64 = KernelDescriptor::ENTRY_ALIGN;
        let super::table::Def::Label { section, offset } = self.table.get(kernel.code).def else { return };
        let align = self.sections.get(section).map_or(1, |section| section.align);
        if offset % ALIGN == 0 && align >= ALIGN {
            return;
        }
        let message = format!("the kernel does not begin at a multiple of {ALIGN} bytes");
        let note = format!("`.p2align {}` before its label makes it begin there", ALIGN.ilog2());
        let flaw = Flaw::new(kernel.place, message).note(note).kind(Kind::Misaligned);
        self.fault(Flaw { is_warning: true, ..flaw });
    }

    fn descriptor(&self, kernel: &Kernel) -> Result<KernelDescriptor> {
        let processor = self.processor(kernel.place)?;
        let target = kernel.lanes.and_then(|lanes| processor.target.with_wave_size(lanes)).unwrap_or(processor.target);
        let value = |name: &str| match kernel.values.get(name) {
            Some((expr, place)) => self.known(expr, *place).map(Some),
            None => Ok(None),
        };
        let at = |name: &str| kernel.values.get(name).map_or(kernel.place, |(_, place)| *place);
        let fits = |name: &str, value: i64, max: i64| match name {
            // The count can follow from other directives, so the error is at the end of the descriptor.
            "user_sgpr_count" => fits(value, max, kernel.end)
                .map_err(|flaw| flaw.note("`.amdhsa_user_sgpr_count` says how many user SGPRs there are")),
            _ => fits(value, max, at(name)),
        };
        let mut descriptor = KernelDescriptor::new(target);
        for directive in target.directives() {
            let name = directive.name();
            let is_unknown = |(expr, _): &(Expr, Span)| is_dword(directive) && self.table.value(expr).is_err();
            if kernel.values.get(name).is_some_and(is_unknown) {
                continue;
            }
            if let Some(value) = value(name)? {
                let value = fits(name, value, directive.max().into())?;
                let set = descriptor.set(target, directive.part(), value as u32);
                set.map_err(|e| Flaw::new(at(name), e.to_string()))?;
            }
        }
        let given = value("user_sgpr_count")?;
        let needed = descriptor.count_user_sgprs(target).into();
        let count = given.unwrap_or(needed);
        if count < needed {
            let message = format!("the kernel has {needed} user SGPRs");
            return Err(Flaw::new(kernel.end, message).note("`.amdhsa_user_sgpr_count` says fewer"));
        }
        let set = descriptor.set(target, DescriptorPart::UserSgprCount, count.clamp(0, i64::from(u32::MAX)) as u32);
        set.map_err(|e| Flaw::new(at("user_sgpr_count"), e.to_string()))?;

        let number = |name: &str| fits(name, value(name)?.unwrap_or(0), i64::from(u16::MAX));
        let flag = |name: &str, default: bool| Ok(fits(name, value(name)?.unwrap_or(default.into()), 1)? != 0);
        let registers = Registers {
            vgprs: number("next_free_vgpr")? as u16,
            accum_offset: number("accum_offset")? as u16,
            // The directives count accumulation registers with the vector registers.
            agprs: 0,
            sgprs: number("next_free_sgpr")? as u16,
            vcc: flag("reserve_vcc", true)?,
            flat_scratch: flag("reserve_flat_scratch", true)?,
            xnack_mask: flag("reserve_xnack_mask", target.has_xnack() && processor.xnack != Some(false))?,
        };
        descriptor.set_registers(target, registers).map_err(|e| {
            let place = match e {
                DescriptorError::Vgprs => at("next_free_vgpr"),
                DescriptorError::AccumOffset => kernel.end,
                _ => at("next_free_sgpr"),
            };
            Flaw::new(place, e.to_string())
        })?;
        if kernel.lanes == Some(32) && value("shared_vgpr_count")?.is_some_and(|count| count != 0) {
            return Err(Flaw::new(kernel.end, "waves of 32 lanes share no vector registers"));
        }
        // Both numbers are counted in blocks; a block of shared registers is twice as large.
        let blocks = i64::from(descriptor.rsrc1().granulated_workitem_vgpr_count());
        let shared = value("shared_vgpr_count")?.unwrap_or(0);
        if shared > 0 && shared.saturating_mul(2).saturating_add(blocks) > MOST_BLOCKS {
            return Err(Flaw::new(
                kernel.end,
                "the kernel's vector registers and the shared ones are too many together",
            ));
        }
        Ok(descriptor)
    }
}
