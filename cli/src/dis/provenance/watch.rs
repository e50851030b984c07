//! Watches code during a walk through it, for addresses that it makes and loads from known places.

use std::ops::Range;

use super::Note;
use super::values::{Address, Base, Values};
use crate::dis::Place;
use crate::isa::{Access, AddressStep, DescriptorPart, Field, Format, Inst, KernelDescriptor, Reg, Space, Value};
use amdgpu_object::{Argument, Section};

/// A note that holds if no branch leads to an instruction between the offset `since` and the note's own.
pub struct Found<'a> {
    pub offset: usize,
    pub since: usize,
    pub note: Note<'a>,
    /// The registers in which the kernel received the address, if it received it and the lines before have not
    /// overwritten them.
    given: Option<Given>,
}

struct Given {
    pair: u8,
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
    values: Values,
    /// Whether the function calls other functions, or has a jump or branch to code outside of it.
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
            values: Values::NONE,
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
        if !self.values.is_empty() || inst.is_some_and(is_first) {
            self.inst(offset, inst, target);
        }
    }

    #[cold]
    fn begin(&mut self, offset: usize) {
        self.end();
        self.function = self.functions.by_ref().find(|function| offset < function.end).unwrap_or(offset..usize::MAX);
        (self.values, self.leaves) = (Values::NONE, false);
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
                let base = Base::Given(name.strip_suffix("_segment").unwrap_or(name));
                self.values.set_pair(first, Address { base, offset: 0, since: start, is_given: true });
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
            let stays = !leaves && values.written >> given.pair & 3 == 0;
            if stays {
                found.since = usize::MAX;
            }
            stays || given.is_straight
        });
        self.before = self.found.len();
    }

    fn inst(&mut self, offset: usize, inst: Option<&Inst>, target: Option<u64>) {
        let Some(inst) = inst else {
            self.stop();
            return;
        };
        let section = self.place.section;
        let address = section.address.wrapping_add(offset as u64);
        if let Some((pair, note, from)) = self.uses(inst) {
            let given = from.is_given.then_some(Given { pair, is_straight: self.values.takes_given });
            self.found.push(Found { offset, since: from.since, note, given });
        }
        let pc = address.wrapping_add(inst.len() as u64);
        if is_linked(section, address, pc) {
            self.values.forget(inst);
        } else if let Some(made) = self.values.step(inst, offset, pc) {
            let (note, since) = (self.made(&made.address), made.address.since);
            let found = |offset| Found { offset, since, note, given: None };
            if let Some(low) = made.low {
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
        self.values.forget_made();
        self.values.takes_given = false;
    }

    fn made(&self, address: &Address) -> Note<'a> {
        match address.base {
            Base::Code => Note::Address(address.offset),
            Base::Given(what) => Note::Given(what, address.offset as i64, 1, self.arguments_of(what)),
        }
    }

    fn arguments_of(&self, what: &str) -> &'a [Argument<'a>] {
        if what == "kernarg" { self.arguments } else { &[] }
    }

    /// Notes that an instruction loads from a known address, or jumps there.
    fn uses(&self, inst: &Inst) -> Option<(u8, Note<'a>, Address)> {
        if [Format::Smem, Format::Smrd].contains(&inst.format()) {
            let (pair, offset, bytes) = scalar_load(inst)?;
            let from = self.values.pair(pair)?;
            let at = from.offset.wrapping_add_signed(offset);
            let note = match from.base {
                Base::Code => Note::Load(at, bytes),
                Base::Given(what) => Note::Given(what, at as i64, bytes, self.arguments_of(what)),
            };
            return Some((pair, note, from));
        }
        if inst.format() != Format::Sop1 {
            return None;
        }
        let flags = inst.flags();
        let is_jump = flags.is_call() || (flags.is_branch() && inst.branch_target(0).is_none());
        let mut registers = inst.operands().filter(|operand| operand.access.reads() && operand.bits == 64);
        let pair = match registers.find(|_| is_jump)?.value {
            Value::Reg(Reg::Sgpr(n)) => n,
            _ => return None,
        };
        let from = self.values.pair(pair).filter(|from| from.base == Base::Code)?;
        Some((pair, Note::Address(from.offset), from))
    }
}

/// Whether a linker changes the bytes between two addresses.
fn is_linked(section: &Section<'_>, from: u64, to: u64) -> bool {
    let all = &section.relocations;
    let next = all.partition_point(|relocation| relocation.address < from);
    all.get(next).is_some_and(|relocation| relocation.address < to)
}

/// The registers with the address of a scalar load, the distance if it is known, and the number of bytes.
fn scalar_load(inst: &Inst) -> Option<(u8, i64, u64)> {
    inst.memory().find(|access| access.space == Space::Scalar && access.access == Access::Read)?;
    let (mut base, mut offset, mut bits) = (None, 0i64, 0);
    for operand in inst.operands() {
        match (operand.role, operand.value) {
            _ if operand.access.writes() => bits = operand.bits,
            (Some(Field::Sbase), Value::Reg(Reg::Sgpr(n))) if operand.bits == 64 => base = Some(n),
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
