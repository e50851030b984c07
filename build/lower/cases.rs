//! Cases of an instruction's words, distinguished by some of their bits. build/lower/fast_texts.rs and
//! build/lower/fast_operands.rs list the operands for each case, and the library tries the cases in order.

use crate::build::kind::{AddressKind, OperandKind, RegisterKind};
use crate::build::lower::{NONE, OperandDesc};

/// The greatest number of cases that the library tries; trying more is too slow.
const MOST_TRIED: usize = 8;
/// The bit of a nine-bit code that is set for vector registers and clear for constants.
pub const VECTOR: u8 = 8;

/// The operands of words in which the bits `clear` are 0 and the bits `set` are 1.
#[derive(Clone, PartialEq)]
pub struct Case<T> {
    pub parts: Vec<T>,
    pub clear: u64,
    pub set: u64,
}

impl<T: Clone> Case<T> {
    pub fn new(part: T, clear: u64, set: u64) -> Case<T> {
        Case { parts: vec![part], clear, set }
    }

    pub fn map<U>(self, of: impl FnMut(T) -> U) -> Case<U> {
        Case { parts: self.parts.into_iter().map(of).collect(), clear: self.clear, set: self.set }
    }

    /// Appends the next operand; `None` if no words satisfy both cases.
    fn then(&self, next: &Case<T>) -> Option<Case<T>> {
        let parts = self.parts.iter().chain(&next.parts).cloned().collect();
        let (clear, set) = (self.clear | next.clear, self.set | next.set);
        (clear & set == 0).then_some(Case { parts, clear, set })
    }
}

/// Combines the cases of each operand. If two cases match, the first is used: cases of an operand with more conditions
/// come first, and so do combinations with more conditions.
pub fn all<T: Clone>(operands: impl Iterator<Item = Vec<Case<T>>>) -> Vec<Case<T>> {
    let none = vec![Case { parts: Vec::new(), clear: 0, set: 0 }];
    let mut all = operands.fold(none, |all, found| {
        all.iter().flat_map(|before| found.iter().filter_map(|next| before.then(next))).collect()
    });
    all.truncate(MOST_TRIED);
    all
}

/// The mask of one of the first 64 bits; zero for `NONE`.
pub fn bit(n: u8) -> u64 {
    if n == NONE { 0 } else { 1 << n }
}

/// An operand that is a plain code, an accumulation register, or absent (the code for "no scalar address").
#[derive(Clone, PartialEq)]
pub struct Known {
    pub desc: OperandDesc,
    pub is_off: bool,
}

/// The cases of an operand that bits among the first 64 determine completely. `None` for any other operand. `off` is
/// the code for "no scalar address".
pub fn of(desc: &OperandDesc, off: u16) -> Option<Vec<Case<Known>>> {
    // The field of the scalar address has seven bits.
    let no_address = |lsb: u8| (u64::from(!off & 0x7f) << lsb, u64::from(off) << lsb);
    let case = |kind: OperandKind, dwords: u8, clear: u64, set: u64| {
        Case::new(Known { desc: OperandDesc { kind, dwords, ..desc.clone() }, is_off: false }, clear, set)
    };
    let (code, agpr) = (OperandKind::CODE, OperandKind::Register(RegisterKind::Agpr));
    let absent = |clear: u64, set: u64| {
        Case::new(Known { desc: OperandDesc { kind: code, ..desc.clone() }, is_off: true }, clear, set)
    };
    let register = |acc: u8, others: u64| {
        // A constant is not an accumulation register.
        let vector = if desc.width == 9 { bit(desc.lsb + VECTOR) } else { 0 };
        let mut all = vec![case(code, desc.dwords, bit(acc) | others, 0)];
        if acc != NONE {
            all.push(case(agpr, desc.dwords, others, bit(acc) | vector));
        }
        if acc != NONE && vector != 0 {
            all.push(case(code, desc.dwords, others | vector, bit(acc)));
        }
        all
    };
    Some(match desc.kind {
        OperandKind::Register(RegisterKind::Vector { acc }) => register(acc, 0),
        // The data is a plain register if neither LDS (`lds`) nor the fail status (`tfe`) is involved.
        OperandKind::Register(RegisterKind::Data { acc, lds, tfe }) => register(acc, bit(lds) | bit(tfe)),
        // The address is a pair if there is no scalar address.
        OperandKind::Address(AddressKind::Global { saddr }) => {
            let (clear, set) = no_address(saddr);
            vec![case(code, 2, clear, set), case(code, 1, 0, 0)]
        }
        // The address is a VGPR if there is no scalar address, otherwise absent.
        OperandKind::Address(AddressKind::Scratch { sve: NONE, saddr }) => {
            let (clear, set) = no_address(saddr);
            vec![case(code, desc.dwords, clear, set), absent(0, 0)]
        }
        OperandKind::Address(AddressKind::Scratch { sve, .. }) => {
            vec![absent(bit(sve), 0), case(code, desc.dwords, 0, bit(sve))]
        }
        _ => return None,
    })
}
