//! The values of scalar registers that are computed from the program counter, in both files at once.

use alloc::vec;
use alloc::vec::Vec;

use amdgpu_isa::facts::AddressStep;
use amdgpu_isa::{Inst, Operand, Reg, Value};

use super::Difference;
use super::pairs::Pairs;

/// A value of 32 bits in the old file and in the new one.
type Both = (u32, u32);
/// An address in the old file and in the new one.
type Whole = (u64, u64);

/// The number of registers: the SGPRs, and after them the two halves of VCC.
const REGISTERS: usize = VCC + 2;
const VCC: usize = 128;

/// The known values of scalar registers between two instructions.
pub struct Values {
    /// Values that were computed from the program counter.
    made: Vec<Option<Both>>,
    /// For a value of `made` that is half of a finished address: this address, in both files. The other half may be in
    /// any register.
    wholes: Vec<Option<Whole>>,
    /// Constants, and distances that code makes of a literal, which may differ between the files.
    numbers: Vec<Option<Number>>,
    /// The carry or borrow of the last addition to a value of `made`, or subtraction from one, in both files.
    carry: Option<(bool, bool)>,
}

/// A number in a register that does not come from the program counter.
#[derive(Clone, Copy)]
struct Number {
    value: Both,
    /// Whether an address was made with the number.
    is_used: bool,
}

impl Number {
    fn differs(&self) -> bool {
        self.value.0 != self.value.1
    }
}

impl Default for Values {
    fn default() -> Self {
        let (made, wholes, numbers) = (vec![None; REGISTERS], vec![None; REGISTERS], vec![None; REGISTERS]);
        Values { made, wholes, numbers, carry: None }
    }
}

/// The first scalar register of an operand, and the number of its registers.
fn registers(operand: &Operand) -> Option<(usize, usize)> {
    let first = match operand.value {
        Value::Reg(Reg::Sgpr(n)) if usize::from(n) < VCC => n.into(),
        Value::Reg(Reg::Vcc | Reg::VCC_LO) => VCC,
        Value::Reg(Reg::VCC_HI) => VCC + 1,
        _ => return None,
    };
    Some((first, usize::from(operand.bits.div_ceil(32)).max(1)))
}

/// The address that consists of two halves, in both files.
fn whole(low: Option<Both>, high: Option<Both>) -> Option<Whole> {
    let (low, high) = (low?, high?);
    let join = |low: u32, high: u32| u64::from(high) << 32 | u64::from(low);
    Some((join(low.0, high.0), join(low.1, high.1)))
}

impl Values {
    fn is_empty(&self) -> bool {
        self.made.iter().all(Option::is_none) && !self.numbers.iter().flatten().any(Number::differs)
    }

    fn at(&self, n: usize) -> Option<Both> {
        self.made.get(n).copied().flatten()
    }

    fn set(&mut self, n: usize, value: Option<Both>) {
        if let Some(place) = self.made.get_mut(n) {
            *place = value;
        }
        if let Some(place) = self.wholes.get_mut(n) {
            *place = None;
        }
        if let Some(place) = self.numbers.get_mut(n) {
            *place = None;
        }
    }

    fn number(&self, n: usize) -> Option<Number> {
        self.numbers.get(n).copied().flatten()
    }

    fn set_number(&mut self, n: usize, value: Both) {
        self.set(n, None);
        if let Some(place) = self.numbers.get_mut(n) {
            *place = Some(Number { value, is_used: false });
        }
    }

    /// Passes over a neutral instruction that only one file has. Of its effects, only a write to SCC matters.
    pub fn neutral(&mut self, inst: &Inst) {
        if inst.writes().contains(Reg::Scc) {
            self.carry = None;
        }
    }

    /// The value of a half of the source operand with a number, in both files.
    fn value(&self, (one, other): (&Inst, &Inst), number: usize, half: usize) -> Option<Both> {
        let read = |inst: &Inst| inst.operands().filter(|operand| operand.access.reads()).nth(number);
        let (a, b) = (read(one)?, read(other)?);
        if let Some((n, count)) = registers(&a) {
            let n = n + half.min(count.saturating_sub(1));
            return self.at(n).or_else(|| self.number(n).map(|number| number.value));
        }
        let of = |inst: &Inst, operand: &Operand| Some((inst.constant(operand)? >> (32 * half)) as u32);
        Some((of(one, &a)?, of(other, &b)?))
    }

    /// Follows an instruction and its counterpart, and checks the addresses that these instructions use.
    pub fn step(&mut self, pairs: &Pairs, old: (u64, &Inst), new: (u64, &Inst)) -> Result<(), Difference> {
        let ((address, one), (_, other)) = (old, new);
        let flags = one.flags();
        if one.reads_pc(address) {
            return self.begin(old, new);
        }
        if pairs.differ_as_filled(address, one, other) {
            self.uses(pairs, address, one)?;
            self.forget(one);
            return Ok(());
        }
        let literals_differ = one.words() != other.words() && one.branch_target(address).is_none();
        if self.is_empty() && !literals_differ {
            self.write(one, None);
            return Ok(());
        }
        if self.distance((one, other)) {
            return Ok(());
        }
        let result = match one.address_step() {
            Some(step) => self.result((one, other), step),
            None => None,
        };
        // The differing literal is added to a value that is not known.
        if literals_differ && result.is_none() && one.address_step().is_some() {
            return Err(Difference::Address { old: address });
        }
        if result.is_none() {
            self.uses(pairs, address, one)?;
        }
        self.write(one, result);
        if flags.is_call() || flags.no_fallthrough() || flags.is_branch() || flags.is_terminator() {
            self.leave(pairs, address)?;
        }
        Ok(())
    }

    /// Records the program counter, which an instruction reads in both files.
    fn begin(&mut self, (old, one): (u64, &Inst), (new, other): (u64, &Inst)) -> Result<(), Difference> {
        let pc = |address: u64, inst: &Inst| address.wrapping_add(inst.len() as u64);
        let (a, b) = (pc(old, one), pc(new, other));
        let written = one.operands().filter(|operand| operand.access.writes()).find_map(|to| registers(&to));
        let (n, _) = written.ok_or(Difference::Address { old })?;
        self.set(n, Some((a as u32, b as u32)));
        self.set(n + 1, Some(((a >> 32) as u32, (b >> 32) as u32)));
        Ok(())
    }

    /// Records a distance that code makes of a literal. Returns whether the instructions make one whose value is known.
    fn distance(&mut self, insts: (&Inst, &Inst)) -> bool {
        let step = insts.0.address_step();
        let is_number = |source: Operand| registers(&source).is_none_or(|(n, _)| self.at(n).is_none());
        let mut sources = insts.0.operands().filter(|operand| operand.access.reads());
        let to = insts.0.operands().find(|operand| operand.access.writes()).and_then(|to| registers(&to));
        let value = match (step, sources.all(is_number)) {
            (Some(AddressStep::Distance), true) => {
                let sum = |((a, c), (b, d)): (Both, Both)| (u32::wrapping_add(a, b), u32::wrapping_add(c, d));
                self.value(insts, 0, 0).zip(self.value(insts, 1, 0)).map(sum)
            }
            (Some(AddressStep::Absolute), true) => {
                let absolute = |value: u32| (value as i32).unsigned_abs();
                self.value(insts, 0, 0).map(|(a, b)| (absolute(a), absolute(b)))
            }
            _ => None,
        };
        let (Some((to, _)), Some(value)) = (to, value) else { return false };
        self.forget(insts.0);
        self.set_number(to, value);
        true
    }

    /// Notes that the numbers in the source registers of an instruction have become a part of an address.
    fn used(&mut self, inst: &Inst) {
        for operand in inst.operands().filter(|operand| operand.access.reads()) {
            let number = registers(&operand).and_then(|(n, _)| self.numbers.get_mut(n)?.as_mut());
            if let Some(number) = number {
                number.is_used = true;
            }
        }
    }

    /// The halves of the result of a step that makes an address; `None` if no source comes from the program counter, or
    /// a source is not known.
    fn result(&mut self, insts: (&Inst, &Inst), step: AddressStep) -> Option<[Option<Both>; 2]> {
        let (one, _) = insts;
        let sources: Vec<Operand> = one.operands().filter(|operand| operand.access.reads()).collect();
        let is_made = |operand: &Operand| {
            registers(operand).is_some_and(|(n, count)| (n..n + count).any(|n| self.at(n).is_some()))
        };
        if !sources.iter().any(is_made) {
            return None;
        }
        let half = |number: usize, half: usize| self.value(insts, number, half);
        match step {
            AddressStep::Low => {
                let ((a, c), (b, d)) = (half(0, 0)?, half(1, 0)?);
                let ((low, carry), (new, new_carry)) = (a.overflowing_add(b), c.overflowing_add(d));
                self.carry = Some((carry, new_carry));
                self.used(one);
                Some([Some((low, new)), None])
            }
            AddressStep::LowLess => {
                let ((a, c), (b, d)) = (half(0, 0)?, half(1, 0)?);
                let ((low, borrow), (new, new_borrow)) = (a.overflowing_sub(b), c.overflowing_sub(d));
                self.carry = Some((borrow, new_borrow));
                self.used(one);
                Some([Some((low, new)), None])
            }
            AddressStep::HighLess => {
                let ((a, c), (b, d), (borrow, new_borrow)) = (half(0, 0)?, half(1, 0)?, self.carry.take()?);
                let less = |a: u32, b: u32, borrow: bool| a.wrapping_sub(b).wrapping_sub(borrow.into());
                Some([Some((less(a, b, borrow), less(c, d, new_borrow))), None])
            }
            AddressStep::High => {
                let ((a, c), (b, d), (carry, new_carry)) = (half(0, 0)?, half(1, 0)?, self.carry.take()?);
                let sum = |a: u32, b: u32, carry: bool| a.wrapping_add(b).wrapping_add(carry.into());
                Some([Some((sum(a, b, carry), sum(c, d, new_carry))), None])
            }
            AddressStep::Sum => {
                let whole = |number: usize| whole(half(number, 0), half(number, 1));
                let ((a, c), (b, d)) = (whole(0)?, whole(1)?);
                let (old, new) = (a.wrapping_add(b), c.wrapping_add(d));
                Some([Some((old as u32, new as u32)), Some(((old >> 32) as u32, (new >> 32) as u32))])
            }
            AddressStep::Copy => {
                let wide = sources.first().is_some_and(|source| source.bits > 32);
                Some([half(0, 0), if wide { half(0, 1) } else { None }])
            }
            AddressStep::Sign8 => Some([half(0, 0).map(|(a, b)| (a as i8 as u32, b as i8 as u32)), None]),
            AddressStep::Sign16 => Some([half(0, 0).map(|(a, b)| (a as i16 as u32, b as i16 as u32)), None]),
            _ => None,
        }
    }

    /// Checks that the addresses that an instruction reads in both files are counterparts.
    fn uses(&self, pairs: &Pairs, address: u64, inst: &Inst) -> Result<(), Difference> {
        for operand in inst.operands().filter(|operand| operand.access.reads()) {
            let Some((n, count)) = registers(&operand) else { continue };
            (n..n + count).try_for_each(|n| {
                self.is_followed(pairs, n).then_some(()).ok_or(Difference::Address { old: address })
            })?;
        }
        Ok(())
    }

    /// Whether a register holds no part of an address, or a half of an address that leads to the same place in both
    /// files.
    fn is_followed(&self, pairs: &Pairs, n: usize) -> bool {
        let Some(own) = self.at(n) else { return !self.number(n).is_some_and(|number| number.differs()) };
        if let Some((old, new)) = self.wholes.get(n).copied().flatten() {
            return pairs.is(old, new);
        }
        let as_low = whole(Some(own), self.at(n + 1));
        let as_high = n.checked_sub(1).and_then(|below| whole(self.at(below), Some(own)));
        let leads = |(old, new): (u64, u64)| pairs.is(old, new);
        as_low.is_some_and(leads) || as_high.is_some_and(leads) || own.0 == own.1 && as_low.or(as_high).is_none()
    }

    /// Forgets the registers that an instruction writes.
    fn forget(&mut self, inst: &Inst) {
        if inst.writes().contains(Reg::Scc) {
            self.carry = None;
        }
        let written = inst.operands().filter(|operand| operand.access.writes()).filter_map(|to| registers(&to));
        written.flat_map(|(n, count)| n..n + count).for_each(|n| self.set(n, None));
    }

    /// Records the registers that an instruction writes.
    fn write(&mut self, inst: &Inst, result: Option<[Option<Both>; 2]>) {
        let writes = inst.writes();
        if result.is_none() && writes.contains(Reg::Scc) {
            self.carry = None;
        }
        let copied = self.copied(inst);
        for operand in inst.operands().filter(|operand| operand.access.writes()) {
            let Some((n, count)) = registers(&operand) else { continue };
            for (half, n) in (n..n + count).enumerate() {
                let value = result.and_then(|halves| halves.get(half).copied().flatten());
                self.set(n, value);
            }
            if result.is_some() {
                self.finish(inst, n, copied);
            }
        }
        self.constant(inst);
    }

    /// The addresses whose halves are in the registers that an instruction copies.
    fn copied(&self, inst: &Inst) -> [Option<Whole>; 2] {
        let from = inst.operands().find(|operand| operand.access.reads()).and_then(|operand| registers(&operand));
        let half = |half: usize| {
            let (n, _) = from.filter(|(_, count)| half < *count)?;
            self.wholes.get(n + half).copied().flatten()
        };
        [half(0), half(1)]
    }

    /// Records the address that an instruction finishes, or half of which it copies, for the registers of the halves.
    /// `n` is the first register that the instruction writes.
    fn finish(&mut self, inst: &Inst, n: usize, copied: [Option<Whole>; 2]) {
        let (first, wholes) = match inst.address_step() {
            Some(AddressStep::Sum) => (n, [whole(self.at(n), self.at(n + 1)); 2]),
            Some(AddressStep::High | AddressStep::HighLess) if n > 0 => (n - 1, [whole(self.at(n - 1), self.at(n)); 2]),
            Some(AddressStep::Copy) => (n, copied),
            _ => return,
        };
        for (n, whole) in (first..).zip(wholes) {
            if let Some(place) = self.wholes.get_mut(n).filter(|_| whole.is_some()) {
                *place = whole;
            }
        }
    }

    /// Records a constant that is moved into registers.
    fn constant(&mut self, inst: &Inst) {
        let mut operands = inst.operands();
        let (Some(to), Some(from), None) = (operands.next(), operands.next(), operands.next()) else { return };
        let is_copy = inst.address_step() == Some(AddressStep::Copy);
        if let (Some((n, count)), Some(value)) = (registers(&to), inst.constant(&from).filter(|_| is_copy)) {
            for half in 0..count.min(2) {
                let value = (value >> (32 * half)) as u32;
                self.set_number(n + half, (value, value));
            }
        }
    }

    /// Checks the values that code after a jump may read, and forgets them.
    fn leave(&mut self, pairs: &Pairs, address: u64) -> Result<(), Difference> {
        // A half of an address is not checked if the other half has been overwritten.
        let is_whole = |n: &usize| self.at(*n).is_some() && self.at(n + 1).is_some();
        let is_open = |number: &Number| number.differs() && !number.is_used;
        let all = (0..REGISTERS).filter(is_whole).all(|n| self.is_followed(pairs, n))
            && !self.numbers.iter().flatten().any(is_open);
        *self = Values::default();
        if all { Ok(()) } else { Err(Difference::Address { old: address }) }
    }
}
