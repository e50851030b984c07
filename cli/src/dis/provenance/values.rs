//! The scalar registers with addresses that code has made from known ones.

use crate::isa::{Access, AddressStep, Inst, Operand, Reg, Value};

/// The base of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// No base: the offset is an address in the code object.
    Code,
    /// A pointer that the kernel receives in registers.
    Given(&'static str),
}

/// An address in two registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    pub base: Base,
    pub offset: u64,
    /// The offset from which on the address is known. The address holds at a later instruction if no branch leads to a
    /// place between this offset and the instruction.
    pub since: usize,
    /// Whether the kernel received the address in these registers.
    pub is_given: bool,
}

/// A half of an address in a register. After an addition to the low half only, the high half is not known.
#[derive(Clone, Copy)]
struct Half {
    address: Address,
    is_high: bool,
}

/// A sum of low halves, or a difference, whose carry has not been added to the high half yet.
#[derive(Clone, Copy)]
struct Carry {
    base: Base,
    /// The low half of the address before the addition.
    offset: u32,
    /// The number that was added or subtracted.
    added: u32,
    is_less: bool,
    /// The offset of the instruction that adds.
    at: usize,
}

const REGISTERS: usize = 128;

pub struct Values {
    halves: [Option<Half>; REGISTERS],
    /// The number of known values.
    known: usize,
    carry: Option<Carry>,
    /// The register with a distance that code has made of constants, and the distance.
    distance: Option<(u8, u32)>,
    /// The set of the registers that were written.
    pub written: u128,
    /// Whether addresses that are made from addresses that the kernel received are known, too.
    pub takes_given: bool,
}

/// An address that an instruction has made.
pub struct Made {
    pub address: Address,
    /// The offset of the earlier instruction that made the low half; `None` if the same one did.
    pub low: Option<usize>,
}

impl Values {
    pub const NONE: Values =
        Values { halves: [None; REGISTERS], known: 0, carry: None, distance: None, written: 0, takes_given: true };

    /// Whether no value is known.
    pub fn is_empty(&self) -> bool {
        self.known == 0
    }

    /// Forgets all values, except those that the kernel received and that nothing has overwritten.
    pub fn forget_made(&mut self) {
        (self.carry, self.distance) = (None, None);
        for half in &mut self.halves {
            if half.is_some_and(|half| !half.address.is_given) {
                *half = None;
                self.known -= 1;
            }
        }
    }

    /// The address in a pair of registers.
    pub fn pair(&self, first: u8) -> Option<Address> {
        let low = self.half(first).filter(|half| !half.is_high)?.address;
        let high = self.half(first.checked_add(1)?).filter(|half| half.is_high)?.address;
        let fits = low.base == high.base && low.offset as u32 == high.offset as u32;
        let (since, is_given) = (low.since.min(high.since), low.is_given && high.is_given);
        fits.then_some(Address { since, is_given, ..high })
    }

    pub fn set_pair(&mut self, first: u8, address: Address) {
        self.set(first, Some(Half { address, is_high: false }));
        self.set(first.saturating_add(1), Some(Half { address, is_high: true }));
    }

    fn half(&self, reg: u8) -> Option<Half> {
        self.halves.get(usize::from(reg)).copied().flatten()
    }

    fn set(&mut self, reg: u8, half: Option<Half>) {
        let Some(place) = self.halves.get_mut(usize::from(reg)) else { return };
        self.known += usize::from(half.is_some());
        self.known -= usize::from(place.is_some());
        *place = half;
    }

    /// Follows an instruction at an offset of the section. No relocation changes its constants. Returns the address
    /// that it makes. `pc` is the address after the instruction.
    pub fn step(&mut self, inst: &Inst, offset: usize, pc: u64) -> Option<Made> {
        let mut operands = inst.operands();
        let (to, a, b) = (operands.next(), operands.next(), operands.next());
        let to = to.filter(|to| to.access == Access::Write);
        let is_pair = to.as_ref().is_some_and(|to| to.bits == 64);
        let to = to.and_then(|to| register(&to));
        let (carry, distance) = (self.carry, self.distance);
        let (half, pair) = match a.as_ref().and_then(register) {
            Some(a) => (self.half(a), self.pair(a)),
            None => (None, None),
        };
        let is_sure = |address: &Address| self.takes_given || !address.is_given;
        let (half, pair) = (half.filter(|half| is_sure(&half.address)), pair.filter(is_sure));
        self.forget(inst);
        let to = to?;
        let made = |address| Some(Made { address, low: None });
        let since = offset + inst.len();
        let step = inst.address_step()?;
        let is_distance = |operand: &Operand| distance.filter(|(of, _)| register(operand) == Some(*of));
        match step {
            AddressStep::Pc => {
                self.set_pair(to, Address { base: Base::Code, offset: pc, since, is_given: false });
            }
            AddressStep::Copy if is_pair => {
                if let Some(pair) = pair {
                    self.set_pair(to, own(pair));
                }
            }
            AddressStep::Copy | AddressStep::Sign8 | AddressStep::Sign16 => {
                // Sign extension keeps a high half, whose upper bits are all equal, but not a low half.
                let half = half.filter(|half| step == AddressStep::Copy || half.is_high);
                self.set(to, half.map(|half| Half { address: own(half.address), ..half }));
            }
            AddressStep::Distance => {
                self.distance = Some((to, (inst.constant(&a?)? as u32).wrapping_add(inst.constant(&b?)? as u32)));
            }
            AddressStep::Absolute => {
                self.distance = is_distance(&a?).map(|(_, value)| (to, (value as i32).unsigned_abs()));
            }
            AddressStep::Low | AddressStep::LowLess => {
                let (b, is_less) = (b?, step == AddressStep::LowLess);
                let added = is_distance(&b).map(|(_, value)| value).or_else(|| Some(inst.constant(&b)? as u32))?;
                let low = half.filter(|half| !half.is_high)?.address;
                let from = low.offset as u32;
                let sum = if is_less { from.wrapping_sub(added) } else { from.wrapping_add(added) };
                let address = Address { offset: sum.into(), ..own(low) };
                self.set(to, Some(Half { address, is_high: false }));
                self.carry = Some(Carry { base: low.base, offset: from, added, is_less, at: offset });
            }
            AddressStep::High | AddressStep::HighLess => {
                let is_less = step == AddressStep::HighLess;
                let (high, added) = (half.filter(|half| half.is_high)?.address, inst.constant(&b?)? as u32);
                let fits =
                    |low: &Carry| (low.base, low.offset, low.is_less) == (high.base, high.offset as u32, is_less);
                let low = carry.filter(fits)?;
                let added = u64::from(added) << 32 | u64::from(low.added);
                let sum = high.offset.wrapping_add(if is_less { added.wrapping_neg() } else { added });
                let address = Address { offset: sum, ..own(high) };
                self.set(to, Some(Half { address, is_high: true }));
                return Some(Made { address, low: Some(low.at) });
            }
            AddressStep::Sum => {
                let (from, added) = (pair?, inst.constant(&b?)?);
                let address = Address { offset: from.offset.wrapping_add(added), ..own(from) };
                self.set_pair(to, address);
                return made(address);
            }
            _ => {}
        }
        None
    }

    /// Forgets the registers that the instruction writes.
    pub fn forget(&mut self, inst: &Inst) {
        for operand in inst.operands().filter(|operand| operand.access.writes()) {
            match operand.value {
                Value::Reg(Reg::Sgpr(first)) => {
                    for reg in (first..REGISTERS as u8).take(operand.bits.div_ceil(32).into()) {
                        self.set(reg, None);
                        self.distance = self.distance.filter(|(of, _)| *of != reg);
                        self.written |= 1 << reg;
                    }
                }
                Value::Reg(Reg::Scc) => self.carry = None,
                _ => {}
            }
        }
    }
}

/// The address as one that the code has made.
fn own(address: Address) -> Address {
    Address { is_given: false, ..address }
}

fn register(operand: &Operand) -> Option<u8> {
    match operand.value {
        Value::Reg(Reg::Sgpr(n)) => Some(n),
        _ => None,
    }
}
