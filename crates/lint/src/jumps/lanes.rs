//! The origins of values in vector registers, and in the memory where these are saved. Compilers save scalar registers
//! in lanes of vector registers, and vector registers in memory.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use amdgpu_isa::facts::Purpose;
use amdgpu_isa::flow::Flow;
use amdgpu_isa::{Field, Inst, Opcode, Operand, Value};

use super::{bits, vectors};

/// The ways in which a value came about; none of them if the caller gave it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The value is made from the code's own address: it follows when code moves.
    pub is_followed: bool,
    /// The value was loaded, or is a constant.
    pub is_loaded: bool,
    /// The value was computed from others.
    pub is_sum: bool,
}

const LOADED: Origin = Origin { is_followed: false, is_loaded: true, is_sum: false };
const SUM: Origin = Origin { is_followed: false, is_loaded: false, is_sum: true };

impl Origin {
    /// The origin of a value that comes from one of two places.
    fn or(self, other: Origin) -> Origin {
        let (is_loaded, is_sum) = (self.is_loaded || other.is_loaded, self.is_sum || other.is_sum);
        let is_followed = (self.is_followed || other.is_followed) && !is_loaded && !is_sum;
        Origin { is_followed, is_loaded, is_sum }
    }
}

/// The origins of values, by lane. The origin of all other lanes is at `OTHERS`.
type Values = BTreeMap<u32, Origin>;
const OTHERS: u32 = u32::MAX;
/// A place in memory: the scalar registers of its address, and the offset.
type Slot = (Vec<u8>, u32);

/// The vector registers, and the places in memory, that hold values of a known origin.
#[derive(Default)]
pub struct Lanes {
    registers: BTreeMap<u16, Values>,
    saved: BTreeMap<Slot, Values>,
}

/// The sources of an instruction. A destination does not count, even if the instruction keeps a part of it.
fn sources(inst: &Inst) -> impl Iterator<Item = Operand> + '_ {
    inst.operands().filter(|operand| operand.access.reads() && !operand.access.writes())
}

/// The lane that an instruction names as a constant.
fn lane(inst: &Inst) -> Option<u32> {
    inst.constant(&sources(inst).nth(1)?).map(|lane| lane as u32)
}

/// The vector registers that an instruction writes.
fn written(inst: &Inst) -> impl Iterator<Item = u16> + '_ {
    inst.operands().filter(|operand| operand.access.writes()).flat_map(|to| vectors(&to))
}

/// The origin of a scalar source. `origin` gives the origin of a scalar register.
fn scalar(inst: &Inst, source: &Operand, origin: impl Fn(u8) -> Origin) -> Origin {
    match source.value {
        Value::Reg(_) => bits(inst, source).map_or(Origin::default(), |(first, _)| origin(first)),
        _ => LOADED,
    }
}

impl Lanes {
    /// The origin of the value that an instruction copies from a lane to a scalar register.
    pub fn read(&self, inst: &Inst) -> Origin {
        let values = sources(inst).flat_map(|operand| vectors(&operand)).find_map(|n| self.registers.get(&n));
        let Some(values) = values else { return Origin::default() };
        let of = |lane: u32| values.get(&lane).copied();
        lane(inst).and_then(of).or_else(|| of(OTHERS)).unwrap_or_default()
    }

    /// Updates the origins for an instruction. `origin` gives the origin of a scalar register.
    pub fn step(&mut self, inst: &Inst, origin: impl Fn(u8) -> Origin) {
        if inst.flags().is_call() {
            self.registers.retain(|register, _| *register >= Flow::RETURNED);
        } else if let Some(access) = inst.memory().next() {
            self.pass_memory(inst, access.access.writes());
        } else if written(inst).next().is_some() {
            match inst.flags().is_convergent() && sources(inst).all(|source| vectors(&source).is_empty()) {
                true => self.write_lane(inst, origin),
                false => self.compute(inst, origin),
            }
        }
    }

    /// Updates the origins for an instruction that writes a scalar value to one lane.
    fn write_lane(&mut self, inst: &Inst, origin: impl Fn(u8) -> Origin) {
        let own = sources(inst).next().map_or(Origin::default(), |source| scalar(inst, &source, origin));
        for n in written(inst) {
            let values = self.registers.entry(n).or_default();
            match lane(inst) {
                Some(lane) => drop(values.insert(lane, own)),
                None => values.values_mut().for_each(|value| *value = value.or(own)),
            }
        }
    }

    /// Updates the origins for an instruction that computes vector registers.
    fn compute(&mut self, inst: &Inst, origin: impl Fn(u8) -> Origin) {
        let has = |purpose| {
            let has = |opcode: Opcode| opcode.purpose() == Some(purpose);
            has(inst.opcode()) || inst.second_opcode().is_some_and(has)
        };
        let (is_sum, is_copy) = (has(Purpose::Sum), has(Purpose::Copy));
        let mut values = self.joined(inst.operands().filter(|operand| operand.access.reads()));
        // A third source can be a mask, which selects between the others.
        let is_value = |source: &Operand| source.role.is_some_and(|role| role != Field::Src2);
        let scalars = sources(inst).filter(|source| is_value(source) && vectors(source).is_empty());
        let scalars = scalars.map(|source| scalar(inst, &source, &origin)).filter(|of| is_copy || of.is_sum);
        let own = scalars.chain(is_sum.then_some(SUM)).reduce(Origin::or);
        if let Some(own) = own.filter(|own| *own != Origin::default()) {
            values.values_mut().for_each(|value| *value = value.or(own));
            let others = values.entry(OTHERS).or_default();
            *others = others.or(own);
        }
        for n in written(inst) {
            self.set(n, values.clone());
        }
    }

    /// Updates the origins for an instruction that saves vector registers, or loads saved ones. A place whose address
    /// is in a vector register holds no saved registers.
    fn pass_memory(&mut self, inst: &Inst, is_store: bool) {
        let all: Vec<Operand> = sources(inst).filter(|operand| operand.role.is_some()).collect();
        let (data, scalars): (Vec<Operand>, Vec<Operand>) = all.into_iter().partition(|it| !vectors(it).is_empty());
        let scalars: Vec<u8> = scalars.iter().filter_map(|from| bits(inst, from)).map(|(first, _)| first).collect();
        let offset = inst.get(Field::Offset).unwrap_or(0);
        let slot = |number: u16| (scalars.clone(), offset.wrapping_add(4 * u32::from(number)));
        match (is_store, data.as_slice()) {
            (true, [data]) => {
                for (number, register) in vectors(data).enumerate() {
                    let values = self.registers.get(&register).cloned().unwrap_or_default();
                    self.save(slot(number as u16), values);
                }
            }
            _ => {
                for (number, register) in written(inst).enumerate() {
                    let place = slot(number as u16);
                    let saved = self.saved.get(&place).filter(|_| data.is_empty());
                    self.set(register, saved.cloned().unwrap_or_default());
                }
            }
        }
    }

    fn save(&mut self, slot: Slot, values: Values) {
        match values.is_empty() {
            true => drop(self.saved.remove(&slot)),
            false => drop(self.saved.insert(slot, values)),
        }
    }

    fn set(&mut self, register: u16, values: Values) {
        match values.is_empty() {
            true => drop(self.registers.remove(&register)),
            false => drop(self.registers.insert(register, values)),
        }
    }

    /// The origins that values have in any of the registers of some operands.
    fn joined(&self, operands: impl Iterator<Item = Operand>) -> Values {
        let mut joined = Values::new();
        let registers = operands.flat_map(|operand| vectors(&operand));
        for (lane, origin) in registers.filter_map(|n| self.registers.get(&n)).flatten() {
            let own = joined.entry(*lane).or_insert(*origin);
            *own = own.or(*origin);
        }
        joined
    }
}
