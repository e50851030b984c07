//! The plan of the sweeps. Single fields are tried in every form of every operation. Products of fields, which are
//! nearly all of the words, are tried once for all forms that are decoded in the same way.
//!
//! Few faults can hide in the products that are left out: decoding takes the numbers of a few table entries from the
//! opcode, and nothing else, and these numbers are the class of a form. A fault in the code, or in an entry, shows in
//! the first form of its class. A fault in the numbers of one operation, in any table, makes a class of its own.
//! Besides, the single fields of every operation are tried, and the pairs of values at which their meaning changes. A
//! fault escapes only if code depends on one opcode and on inner values of two fields, and the decoder has no such
//! code.
//!
//! Text is made in the same way: the mnemonic depends on the operation, and everything else on its signature. The
//! products of instructions of one dword are all printed, so the number of the signature belongs to their class.
//!
//! All values of numbers wider than 17 bits are tried once for each format and dword after it: no table can look at so
//! many bits together, because it would have a bit for each value.

use std::collections::HashSet;

use amdgpu_isa::layout::FieldInfo;

use crate::forms::{self, Form, width};
use crate::values::{self, NARROW};

/// A sweep: some of the words to try. The numbers are indexes in a form's lists of fields, operands, modifiers and
/// rules.
#[derive(Clone, Copy)]
pub enum Sweep {
    /// Every single field, from all fillings, and the pairs of values at which the meaning of fields changes.
    Fields,
    /// All values of a wide field; if it is a whole dword, all values of its halves.
    Wide(usize),
    /// All pairs of codes of two operands, by their numbers among the operands.
    Operands(usize, usize),
    /// All codes of an operand with all values of a modifier.
    Modified(usize, usize),
    /// All values of the fields that a rule ties, by the number of the rule.
    Tied(usize),
    /// All values of the modifiers together.
    Together,
}

/// The greatest number of values of a field for which all are tried in each class. All values of wider fields are tried
/// once for each layout.
const OF_CLASS: u64 = 1 << 17;

/// The number of different classes.
pub fn classes(forms: &[Form]) -> usize {
    forms.iter().map(Form::class).collect::<HashSet<_>>().len()
}

/// The sweeps of all forms, each with the number of the form.
pub fn plan(forms: &[Form]) -> Vec<(usize, Sweep)> {
    let (mut classes, mut layouts) = (HashSet::new(), HashSet::new());
    let mut plan = Vec::new();
    for (number, form) in forms.iter().enumerate() {
        plan.push((number, Sweep::Fields));
        let is_first = classes.insert(form.class());
        for (n, field) in form.fields.iter().enumerate().filter(|(_, field)| width(field) > NARROW) {
            let (base, extension, _) = form.layout;
            let is_of_class = values::all(field).0 <= OF_CLASS;
            if if is_of_class { is_first } else { layouts.insert((base, extension, field.field)) } {
                plan.push((number, Sweep::Wide(n)));
            }
        }
        if is_first {
            plan.extend(products(form).map(|sweep| (number, sweep)));
        }
    }
    plan
}

/// The approximate number of words of a sweep.
pub fn size(form: &Form, sweep: Sweep) -> u64 {
    let all = |field: &FieldInfo| values::all(field).0;
    match sweep {
        Sweep::Fields => {
            let few = |field: &FieldInfo| all(field).min(1 << NARROW);
            let single: u64 = form.fields.iter().map(few).sum();
            single * (form.fillings.len() as u64 + 4)
        }
        Sweep::Wide(n) => all(&form.fields[n]),
        Sweep::Operands(a, b) => all(&form.operands[a]) * all(&form.operands[b]),
        Sweep::Modified(a, b) => all(&form.operands[a]) * all(&form.modifiers[b]),
        Sweep::Tied(rule) => form.ties[rule].iter().map(|(_, values)| values.len() as u64).product(),
        Sweep::Together => 1 << bits_together(&form.modifiers).len(),
    }
}

/// The greatest number of bits of modifiers that take all their values together. Fields that do not fit keep the value
/// of the filling.
const TOGETHER: u8 = 22;

/// The positions of the bits of as many modifiers as fit.
pub fn bits_together(modifiers: &[FieldInfo]) -> Vec<u8> {
    let mut bits = Vec::new();
    for field in modifiers {
        if bits.len() + usize::from(width(field)) <= TOGETHER.into() {
            bits.extend(forms::bits(field));
        }
    }
    bits
}

fn products(form: &Form) -> impl Iterator<Item = Sweep> {
    let (operands, modifiers, rules) = (form.operands.len(), form.modifiers.len(), form.ties.len());
    let pairs = (0..operands).flat_map(move |a| (a + 1..operands).map(move |b| Sweep::Operands(a, b)));
    let modified = (0..operands).flat_map(move |a| (0..modifiers).map(move |b| Sweep::Modified(a, b)));
    pairs.chain(modified).chain((0..rules).map(Sweep::Tied)).chain([Sweep::Together])
}
