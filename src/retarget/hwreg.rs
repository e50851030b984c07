//! Translation of the bits of hardware registers.

use core::ops::Range;

use super::RetargetError;
use crate::imm::Hwreg;
use crate::opcode::Field;
use crate::table::HwregField;
use crate::target::{HWREGS, Target};

/// The number of a bit's field, and the bit's place in the field; `None` if the bit is in no field.
type Meaning = Option<(u8, u8)>;

/// The field that contains a bit of a register; `None` if the bit is in no field.
fn field(target: Target, register: u8, bit: u8) -> Option<&'static HwregField> {
    HWREGS[target as usize].iter().find(|field| field.register == register && field.bits().contains(&bit))
}

fn meaning(target: Target, register: u8, bit: u8) -> Meaning {
    field(target, register, bit).map(|field| (field.name, field.index + (bit - field.lsb)))
}

/// The bits that a constant names, up to the last one of the register.
fn bits(reg: Hwreg) -> Range<u8> {
    let end = reg.offset.saturating_add(reg.size).min(u32::BITS as u8);
    reg.offset.min(end)..end
}

/// The bits of a register of `to` with the meaning that the bits `reg` have on `from`. `named` is the number of the
/// register of `to` with the same name, if there is one. The search begins in that register, at the same bits, and then
/// goes on to all other bits and registers.
pub(super) fn there(from: Target, to: Target, reg: Hwreg, named: Option<u8>) -> Result<Hwreg, RetargetError> {
    let same = |there: Hwreg, bit: u8| {
        let here = meaning(from, reg.id, bit);
        here == meaning(to, there.id, there.offset.wrapping_add(bit - reg.offset))
    };
    let at = |id: u8| Hwreg { id, ..reg };
    let first = named.map(|id| bits(reg).find(|bit| !same(at(id), *bit)));
    if let (Some(id), Some(None)) = (named, first) {
        return Ok(at(id));
    }
    let all = |there: &Hwreg| {
        let is_same = |bit: u8| meaning(from, reg.id, bit).is_some() && same(*there, bit);
        let ends = [reg, *there].map(|range| u32::from(range.offset) + u32::from(range.size));
        ends.iter().all(|end| *end <= u32::BITS) && bits(reg).all(is_same)
    };
    let place = |field: &HwregField| {
        let (name, index) = meaning(from, reg.id, reg.offset)?;
        let is_it = field.name == name && (field.index..field.index + field.width).contains(&index);
        is_it.then(|| Hwreg { id: field.register, offset: field.lsb + (index - field.index), ..reg })
    };
    let elsewhere = HWREGS[to as usize].iter().filter_map(place).find(all);
    elsewhere.ok_or(match (named, first) {
        (Some(id), Some(Some(first))) => {
            let fields = |bit: u8| [field(from, reg.id, bit), field(to, id, bit)].map(|field| field.map(|f| f.name));
            let rest = (first..bits(reg).end).take_while(|bit| !same(at(id), *bit) && fields(*bit) == fields(first));
            let [here, there] = fields(first);
            RetargetError::Bits { first, last: rest.last().unwrap_or(first), field: here, field_there: there }
        }
        _ => RetargetError::Name { target: from, field: Field::Id, value: reg.id.into() },
    })
}
