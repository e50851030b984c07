//! Watches code during a walk through it, for addresses that it makes and loads from known places.

use std::ops::Range;

use super::Note;
use crate::dis::Place;
use crate::isa::{
    Access, AddressStep, Addresses, Base, DescriptorPart, Field, Format, Inst, KernelDescriptor, KnownAddress, Operand,
    Space, Value, scalars,
};
use amdgpu_object::{Argument, Section};

/// A note that holds if no branch leads to an instruction between the offset `since` and the note's own.
pub struct Found<'a> {
    pub offset: usize,
    pub since: usize,
    pub note: Note<'a>,
    /// The registers in which the kernel received the address. `None` if the code made the address, or if an earlier
    /// line has overwritten the registers.
    given: Option<Given>,
}

struct Given {
    /// A bit for each of the registers.
    registers: u128,
    /// Whether each line from the beginning of the kernel up to the note is reached from the line before it.
    is_straight: bool,
}

/// A walk through functions, one after the other.
pub struct Watch<'a> {
    place: &'a Place<'a>,
    functions: Box<dyn Iterator<Item = Range<usize>> + 'a>,
    /// The offsets of the function in which the walk is.
    function: Range<usize>,
    arguments: &'a [Argument<'a>],
    values: Addresses,
    /// The names of the pointers that the kernel receives, by their numbers in `values`, and the registers of each.
    names: Vec<(&'static str, u128)>,
    /// The registers with these pointers.
    given: u128,
    /// Whether each line from the beginning of the function on is reached from the line before it.
    is_straight: bool,
    /// Whether the function calls other functions, has a jump whose target is not known, such as a return, or has a
    /// branch to code outside of it.
    leaves: bool,
    found: Vec<Found<'a>>,
    /// The number of notes in `found` from earlier functions.
    before: usize,
}

impl<'a> Watch<'a> {
    /// A walk that begins with the function at an offset.
    pub fn new(place: &'a Place<'a>, from: usize) -> Watch<'a> {
        Watch {
            place,
            functions: Box::new(place.section.functions(from)),
            function: 0..0,
            arguments: &[],
            values: Addresses::NONE,
            names: Vec::new(),
            given: 0,
            is_straight: true,
            leaves: false,
            found: Vec::new(),
            before: 0,
        }
    }

    /// The notes, in the order of the instructions.
    pub fn finish(mut self) -> Vec<Found<'a>> {
        self.end();
        self.found
    }

    /// Follows the next line. `target` is the target of its branch.
    #[inline(always)]
    pub fn step(&mut self, offset: usize, inst: Option<&Inst>, target: Option<u64>) {
        if offset >= self.function.end {
            self.begin(offset);
        }
        let is_first = |inst: &Inst| inst.format() == Format::Sop1 && inst.address_step() == Some(AddressStep::Pc);
        if self.values.is_empty() && self.given & !self.values.written() == 0 {
            if !inst.is_some_and(is_first) {
                return;
            }
            // Lines that were passed over may have changed the registers.
            self.values.clear();
        }
        self.inst(offset, inst, target);
    }

    #[cold]
    fn begin(&mut self, offset: usize) {
        self.end();
        self.function = self.functions.by_ref().find(|function| offset < function.end).unwrap_or(offset..usize::MAX);
        (self.values, self.names) = (Addresses::NONE, Vec::new());
        (self.given, self.is_straight, self.leaves) = (0, true, false);
        let section = self.place.section;
        let address = section.address.wrapping_add(offset as u64);
        let from = section.symbols.partition_point(|symbol| symbol.address < address);
        let here =
            section.symbols.get(from..).unwrap_or_default().iter().take_while(|symbol| symbol.address == address);
        let kernel = here.filter_map(|symbol| Some((symbol, symbol.descriptor?))).next();
        let Some((symbol, descriptor)) = kernel else { return };
        self.arguments = self.place.addresses.arguments(symbol.name).unwrap_or_default();
        self.given(&descriptor, offset);
    }

    /// Records the pointers that a kernel gets in its first registers.
    fn given(&mut self, descriptor: &KernelDescriptor, start: usize) {
        let target = self.place.target_at(start);
        let count = descriptor.get(target, DescriptorPart::UserSgprCount).unwrap_or(0);
        let mut first = 0u8;
        for directive in target.directives().iter().filter(|d| d.user_sgprs() > 0 && descriptor.bits(d) != 0) {
            let after = first.saturating_add(directive.user_sgprs());
            let name = directive.name().strip_prefix("user_sgpr_").and_then(|name| name.strip_suffix("_ptr"));
            if let Some(name) = name.filter(|_| u32::from(after) <= count) {
                let base = Base::Given(self.names.len() as u8);
                self.values.set(first, KnownAddress { base, offset: 0, since: self.address(start) });
                let registers = 3 << first;
                self.names.push((name.strip_suffix("_segment").unwrap_or(name), registers));
                self.given |= registers;
            }
            first = after;
        }
    }

    /// Ends the function: keeps only the notes that hold now that all lines of the function are known.
    fn end(&mut self) {
        let (values, leaves) = (&self.values, self.leaves);
        let mut n = 0;
        self.found.retain_mut(|found| {
            n += 1;
            let Some(given) = found.given.take_if(|_| n > self.before) else { return true };
            // If nothing in the function changes the registers, they hold the pointers on all paths.
            let stays = !leaves && values.written() & given.registers == 0;
            if stays {
                found.since = usize::MAX;
            }
            stays || given.is_straight
        });
        self.before = self.found.len();
    }

    fn address(&self, offset: usize) -> u64 {
        self.place.section.address.wrapping_add(offset as u64)
    }

    fn inst(&mut self, offset: usize, inst: Option<&Inst>, target: Option<u64>) {
        let Some(inst) = inst else {
            self.stop();
            return;
        };
        let section = self.place.section;
        let address = self.address(offset);
        let offset_of = |address: u64| address.wrapping_sub(section.address) as usize;
        if let Some((from, note, registers)) = self.uses(inst) {
            let is_given = matches!(from.base, Base::Given(_)) && registers & self.values.written() == 0;
            let given = is_given.then_some(Given { registers, is_straight: self.is_straight });
            self.found.push(Found { offset, since: offset_of(from.since), note, given });
        }
        if is_linked(section, address, address.wrapping_add(inst.len() as u64)) {
            self.values.forget(inst);
        } else if let Some(made) = self.values.step(inst, address) {
            let (note, since) = (self.made(&made.address), offset_of(made.address.since));
            let found = |offset| Found { offset, since, note, given: None };
            if let Some(low) = made.low.map(offset_of) {
                // Other instructions can be between those that make the two halves, so the note about the first half is
                // inserted in order.
                let at = self.found.partition_point(|found| found.offset < low);
                self.found.insert(at, found(low));
            }
            self.found.push(found(offset));
        }
        let is_outside = |to: u64| {
            let to = to.checked_sub(section.address).and_then(|to| usize::try_from(to).ok());
            to.is_none_or(|to| !self.function.contains(&to))
        };
        let flags = inst.flags();
        let ends = flags.no_fallthrough();
        let is_jump = flags.is_call() || (ends && target.is_none() && !flags.is_program_end());
        self.leaves |= is_jump || target.is_some_and(is_outside);
        if ends || flags.is_call() {
            self.stop();
        }
    }

    /// Forgets values before an instruction that is not reached from the line before.
    fn stop(&mut self) {
        self.values.clear();
        self.is_straight = false;
    }

    fn made(&self, address: &KnownAddress) -> Note<'a> {
        match address.base {
            Base::Given(number) => self.load(number, address.offset, 1),
            _ => Note::Address(address.offset),
        }
    }

    /// The note about a load at a distance from a pointer that the kernel receives.
    fn load(&self, number: u8, offset: u64, bytes: u64) -> Note<'a> {
        let what = self.names.get(usize::from(number)).map_or("", |(name, _)| *name);
        let arguments = if what == "kernarg" { self.arguments } else { &[] };
        Note::Given(what, offset as i64, bytes, arguments)
    }

    /// The address in the registers of an operand, and these registers.
    fn pair(&self, operand: &Operand) -> Option<(KnownAddress, u128)> {
        let target = self.place.target;
        let registers = scalars(target, operand);
        // Registers that nothing has overwritten still have the pointer that the kernel received in them.
        let given = || {
            let number = self.names.iter().position(|(_, of)| *of == registers & !self.values.written())?;
            Some(KnownAddress { base: Base::Given(number as u8), offset: 0, since: self.address(self.function.start) })
        };
        let known = self.values.address_in(target, operand).filter(|address| address.base != Base::Number);
        Some((known.or_else(given)?, registers))
    }

    /// The note about an instruction that loads from a known address, or jumps there; with it, this address and the
    /// registers that hold it.
    fn uses(&self, inst: &Inst) -> Option<(KnownAddress, Note<'a>, u128)> {
        if [Format::Smem, Format::Smrd].contains(&inst.format()) {
            let (base, offset, bytes) = scalar_load(inst)?;
            let (from, registers) = self.pair(&base)?;
            let at = from.offset.wrapping_add_signed(offset);
            let note = match from.base {
                Base::Given(number) => self.load(number, at, bytes),
                _ => Note::Load(at, bytes),
            };
            return Some((from, note, registers));
        }
        if inst.format() != Format::Sop1 {
            return None;
        }
        let flags = inst.flags();
        let is_jump = flags.is_call() || (flags.is_branch() && inst.branch_target(0).is_none());
        let mut registers = inst.operands().filter(|operand| operand.access.reads() && operand.bits == 64);
        let (from, registers) = self.pair(&registers.find(|_| is_jump)?)?;
        let is_code = matches!(from.base, Base::Pc(_));
        is_code.then_some((from, Note::Address(from.offset), registers))
    }
}

/// Whether a linker changes the bytes between two addresses.
fn is_linked(section: &Section<'_>, from: u64, to: u64) -> bool {
    let all = &section.relocations;
    let next = all.partition_point(|relocation| relocation.address < from);
    all.get(next).is_some_and(|relocation| relocation.address < to)
}

/// The operand with the address of a scalar load, the distance if it is known, and the number of bytes.
fn scalar_load(inst: &Inst) -> Option<(Operand, i64, u64)> {
    inst.memory().find(|access| access.space == Space::Scalar && access.access == Access::Read)?;
    let (mut base, mut offset, mut bits) = (None, 0i64, 0);
    for operand in inst.operands() {
        match (operand.role, operand.value) {
            _ if operand.access.writes() => bits = operand.bits,
            (Some(Field::Sbase), Value::Reg(_)) if operand.bits == 64 => base = Some(operand),
            (Some(Field::Offset | Field::Soffset), Value::Imm(value)) => offset += i64::from(value),
            (Some(Field::Offset), Value::Literal(value)) => offset += i64::from(value),
            // The distance is in a register, or the base is the address of scratch memory.
            (_, Value::Reg(_)) => return None,
            _ => {}
        }
    }
    // The first scalar memory instructions count in dwords.
    let unit = if inst.format() == Format::Smrd { 4 } else { 1 };
    Some((base?, offset * unit, u64::from(bits / 8)))
}
