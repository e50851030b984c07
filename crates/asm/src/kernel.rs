//! `.amdhsa_kernel`: kernel descriptors. Their numbers may be known only at the end.

use std::collections::HashMap;

use amdgpu_isa::kernel::{DescriptorError, KernelDescriptor, Registers};
use object::elf::{STB_GLOBAL, STB_LOCAL, STT_OBJECT, STV_DEFAULT, STV_PROTECTED};

use super::expr::Expr;
use super::flaw::{Flaw, Result, Span};
use super::program::{Assembler, What};
use super::scan::Scan;
use super::table::SymbolId;

pub struct Kernel {
    pub place: Span,
    pub name: String,
    pub code: SymbolId,
    section: usize,
    offset: u64,
    values: HashMap<String, (Expr, Span)>,
    /// The lanes of its waves.
    lanes: Option<u16>,
}

/// Directives that are no parts of the descriptor, but numbers from which parts are made.
const NUMBERS: [&str; 6] =
    ["next_free_vgpr", "next_free_sgpr", "accum_offset", "reserve_vcc", "reserve_flat_scratch", "reserve_xnack_mask"];

impl Assembler {
    pub fn kernel_begin(&mut self, scan: &mut Scan<'_>) -> Result<()> {
        scan.blank();
        let start = scan.at;
        let name = scan.name()?;
        let place = scan.place(start);
        scan.end()?;
        self.processor(place)?;
        let code = self.table.id(&name, place);
        self.kernel = Some(Kernel { place, name, code, section: 0, offset: 0, values: HashMap::new(), lanes: None });
        Ok(())
    }

    /// A directive inside of a kernel.
    pub fn kernel_directive(&mut self, word: &str, start: usize, scan: &mut Scan<'_>) -> Result<()> {
        if word == ".end_amdhsa_kernel" {
            return self.kernel_end();
        }
        let at = scan.at;
        let whole = scan.line.place(start..start + word.len());
        let processor = self.processor(whole)?;
        let name = word.strip_prefix(".amdhsa_").unwrap_or("");
        let is_part = processor.target.directives().iter().any(|d| d.name() == name);
        let needs_accum = name == "accum_offset" && processor.target.accum_granule().is_none();
        if !is_part && (!NUMBERS.contains(&name) || needs_accum) {
            let elsewhere = amdgpu_isa::Target::ALL.iter().rev().find(|target| {
                let has_number = name == "accum_offset" && target.accum_granule().is_some();
                has_number || target.directives().iter().any(|d| d.name() == name)
            });
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
        scan.end()?;
        if name == "wavefront_size32" {
            let lanes = if self.known(&expr, place)? == 0 { 64 } else { 32 };
            if let Some(kernel) = &mut self.kernel {
                kernel.lanes = Some(lanes);
            }
        }
        let Some(kernel) = &mut self.kernel else { return Ok(()) };
        if kernel.values.insert(name.to_string(), (expr, place)).is_some() {
            return Err(Flaw::new(whole, format!("{word} is here twice")));
        }
        Ok(())
    }

    fn kernel_end(&mut self) -> Result<()> {
        let Some(mut kernel) = self.kernel.take() else { return Ok(()) };
        self.sync();
        (kernel.section, kernel.offset) = (self.table.section, self.table.offset);
        let place = kernel.place;
        for needed in ["next_free_vgpr", "next_free_sgpr"] {
            if !kernel.values.contains_key(needed) {
                self.fault(Flaw::new(place, format!(".amdhsa_{needed} is missing")));
            }
        }
        let target = self.processor(place)?.target;
        if target.accum_granule().is_some() && !kernel.values.contains_key("accum_offset") {
            self.fault(Flaw::new(place, ".amdhsa_accum_offset is missing"));
        }
        // The symbol of the descriptor, and the distance to the code.
        let descriptor = self.table.id(&format!("{}.kd", kernel.name), place);
        self.not_defined(descriptor, place)?;
        let def = super::table::Def::Label { section: kernel.section, offset: kernel.offset };
        let symbol = self.table.get_mut(descriptor);
        (symbol.def, symbol.place, symbol.kind) = (def, place, STT_OBJECT);
        symbol.size = Some((Expr::Int(KernelDescriptor::SIZE as i64), place));
        self.share_visibility(kernel.code, descriptor);
        let distance =
            Expr::Binary("-", Box::new((Expr::Symbol(kernel.code, Some("rel64")), Expr::Symbol(descriptor, None))), 1);
        let bytes = [0; KernelDescriptor::SIZE];
        self.emit_fixup(&bytes, KernelDescriptor::ENTRY as u64, What::Data(8), distance, place)?;
        self.kernels.push(kernel);
        Ok(())
    }

    /// Fills in the descriptors.
    pub fn fill_kernels(&mut self) {
        for kernel in std::mem::take(&mut self.kernels) {
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
    }

    /// The descriptor is as visible as the code is so far, and the code is not one that another module's could replace.
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

    /// Refuses a kernel whose address has bits that hardware ignores.
    fn check_entry(&self, kernel: &Kernel) -> Result<()> {
        const ALIGN: u64 = KernelDescriptor::ENTRY_ALIGN;
        let super::table::Def::Label { section, offset } = self.table.get(kernel.code).def else { return Ok(()) };
        let align = self.sections.get(section).map_or(1, |section| section.align);
        if offset % ALIGN == 0 && align >= ALIGN {
            return Ok(());
        }
        let message = format!("the kernel does not begin at a multiple of {ALIGN} bytes");
        let note = format!("`.p2align {}` in front of its label makes it begin there", ALIGN.ilog2());
        Err(Flaw::new(kernel.place, message).note(note))
    }

    fn descriptor(&self, kernel: &Kernel) -> Result<KernelDescriptor> {
        self.check_entry(kernel)?;
        let processor = self.processor(kernel.place)?;
        let target = kernel.lanes.and_then(|lanes| processor.target.with_wave_size(lanes)).unwrap_or(processor.target);
        let value = |name: &str| match kernel.values.get(name) {
            Some((expr, place)) => self.known(expr, *place).map(Some),
            None => Ok(None),
        };
        let at = |name: &str| kernel.values.get(name).map_or(kernel.place, |(_, place)| *place);
        let fits = |name: &str, value: i64, max: i64| match (0..=max).contains(&value) {
            true => Ok(value),
            false => Err(Flaw::new(at(name), format!("{value}: a number from 0 to {max} expected"))),
        };
        let mut descriptor = KernelDescriptor::new(target);
        for directive in target.directives() {
            let name = directive.name();
            if let Some(value) = value(name)? {
                let value = fits(name, value, directive.max().into())?;
                let set = descriptor.set(target, name, value as u32);
                set.map_err(|e| Flaw::new(at(name), e.to_string()))?;
            }
        }
        let given = value("user_sgpr_count")?;
        let needed = descriptor.count_user_sgprs(target).into();
        let count = given.unwrap_or(needed);
        if count < needed {
            let message = format!("the kernel has {needed} user SGPRs");
            return Err(Flaw::new(at("user_sgpr_count"), message));
        }
        let set = descriptor.set(target, "user_sgpr_count", count.clamp(0, i64::from(u32::MAX)) as u32);
        set.map_err(|e| Flaw::new(at("user_sgpr_count"), e.to_string()))?;

        let number = |name: &str| fits(name, value(name)?.unwrap_or(0), i64::from(u16::MAX));
        let flag = |name: &str, default: bool| Ok(fits(name, value(name)?.unwrap_or(default.into()), 1)? != 0);
        let registers = Registers {
            vgprs: number("next_free_vgpr")? as u16,
            accum_offset: number("accum_offset")? as u16,
            sgprs: number("next_free_sgpr")? as u16,
            vcc: flag("reserve_vcc", true)?,
            flat_scratch: flag("reserve_flat_scratch", true)?,
            xnack_mask: flag("reserve_xnack_mask", target.has_xnack() && processor.xnack != Some(false))?,
        };
        descriptor.set_registers(target, registers).map_err(|e| {
            let name = match e {
                DescriptorError::Vgprs => "next_free_vgpr",
                DescriptorError::AccumOffset => "accum_offset",
                _ => "next_free_sgpr",
            };
            Flaw::new(at(name), e.to_string())
        })?;
        Ok(descriptor)
    }
}
