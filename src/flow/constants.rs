//! Values of scalar registers that are known without running the code: addresses relative to an instruction.

use crate::code::INT;
use crate::inst::Inst;
use crate::table::AddressStep;
use crate::value::{Operand, Reg, Value};

const REGISTERS: usize = INT as usize;

/// The known values of the scalar registers.
pub(super) struct Constants {
    values: [Option<u32>; REGISTERS],
    carry: Option<bool>,
}

impl Constants {
    pub(super) const NONE: Constants = Constants { values: [None; REGISTERS], carry: None };

    /// The value of the pair of registers that begins with this one.
    pub(super) fn pair(&self, first: u8) -> Option<u64> {
        let half = |n: usize| self.values.get(n).copied().flatten();
        let (low, high) = (half(first.into())?, half(usize::from(first) + 1)?);
        Some(u64::from(high) << 32 | u64::from(low))
    }

    fn set(&mut self, reg: u8, value: Option<u32>) {
        if let Some(place) = self.values.get_mut(usize::from(reg)) {
            *place = value;
        }
    }

    fn set_pair(&mut self, first: u8, value: Option<u64>) {
        self.set(first, value.map(|value| value as u32));
        self.set(first.saturating_add(1), value.map(|value| (value >> 32) as u32));
    }

    fn value(&self, inst: &Inst, operand: &Operand) -> Option<u64> {
        match operand.value {
            Value::Reg(Reg::Sgpr(n)) if operand.bits == 64 => self.pair(n),
            Value::Reg(Reg::Sgpr(n)) => self.values.get(usize::from(n)).copied().flatten().map(u64::from),
            _ => inst.constant(operand),
        }
    }

    /// Runs the instruction at an address.
    pub(super) fn step(&mut self, inst: &Inst, address: u64) {
        let mut operands = inst.operands();
        let destination = operands.next().filter(|operand| operand.access.writes());
        let is_pair = destination.as_ref().is_some_and(|operand| operand.bits == 64);
        let destination = destination.and_then(|operand| match operand.value {
            Value::Reg(Reg::Sgpr(n)) => Some(n),
            _ => None,
        });
        let first = operands.next().and_then(|operand| self.value(inst, &operand));
        let second = operands.next().and_then(|operand| self.value(inst, &operand));
        let carry = self.carry;
        self.forget(inst);
        let (Some(to), Some(step)) = (destination, inst.address_step()) else { return };
        let low = |value: u64| value as u32;
        match step {
            AddressStep::Pc => self.set_pair(to, Some(address.wrapping_add(inst.len() as u64))),
            AddressStep::Low | AddressStep::High => {
                let with = if step == AddressStep::Low { Some(false) } else { carry };
                if let (Some(a), Some(b), Some(with)) = (first, second, with) {
                    let sum = u64::from(low(a)) + u64::from(low(b)) + u64::from(with);
                    self.set(to, Some(low(sum)));
                    self.carry = Some(sum >> 32 != 0);
                }
            }
            AddressStep::LowLess | AddressStep::HighLess => {
                let with = if step == AddressStep::LowLess { Some(false) } else { carry };
                if let (Some(a), Some(b), Some(with)) = (first, second, with) {
                    let less = u64::from(low(b)) + u64::from(with);
                    self.set(to, Some(low(a).wrapping_sub(low(less))));
                    self.carry = Some(u64::from(low(a)) < less);
                }
            }
            AddressStep::Distance => self.set(to, first.zip(second).map(|(a, b)| low(a).wrapping_add(low(b)))),
            AddressStep::Absolute => self.set(to, first.map(|value| (value as i32).unsigned_abs())),
            AddressStep::Copy if is_pair => self.set_pair(to, first),
            AddressStep::Copy => self.set(to, first.map(low)),
            AddressStep::Sum => self.set_pair(to, first.zip(second).map(|(a, b)| a.wrapping_add(b))),
            AddressStep::Shift => self.set_pair(to, first.zip(second).map(|(a, by)| a >> (by & 63))),
            AddressStep::Sign8 => self.set(to, first.map(|value| i32::from(value as i8) as u32)),
            AddressStep::Sign16 => self.set(to, first.map(|value| i32::from(value as i16) as u32)),
            AddressStep::Jump | AddressStep::Select => {}
        }
    }

    /// Removes the values of all registers that the instruction writes; after a call, all values.
    fn forget(&mut self, inst: &Inst) {
        if inst.flags().is_call() {
            *self = Constants::NONE;
            return;
        }
        inst.operands().filter(|operand| operand.access.writes()).for_each(|operand| match operand.value {
            Value::Reg(Reg::Sgpr(n)) => {
                let first = usize::from(n);
                let dwords = usize::from(operand.bits.div_ceil(32));
                self.values.iter_mut().skip(first).take(dwords).for_each(|value| *value = None);
            }
            Value::Reg(Reg::Scc) => self.carry = None,
            _ => {}
        });
    }
}
