//! Tries what the first dword alone does not determine: for each form every value of each field, all pairs of operand
//! codes, and all values of the modifiers together.

use amdgpu_isa::Target;
use amdgpu_isa::layout::FieldInfo;

use super::check::{self, Subject, Words, bytes};
use super::first::Hand;
use super::forms::{self, Form, width};
use super::tally::{Rows, Tally};
use super::words::{pieces, set};
use super::{Part, parsed};

/// How many bits of modifiers are taken through all their values together. Fields that do not fit keep the filling's
/// value.
const TOGETHER: u8 = 22;

/// Literals that print in their own way because an inline constant has the same value, and that have bits set in both
/// halves: integers from -16, and 1/(2*pi).
const CONSTANTS: [u32; 18] = [
    0xffff_fff0,
    0xffff_fff1,
    0xffff_fff2,
    0xffff_fff3,
    0xffff_fff4,
    0xffff_fff5,
    0xffff_fff6,
    0xffff_fff7,
    0xffff_fff8,
    0xffff_fff9,
    0xffff_fffa,
    0xffff_fffb,
    0xffff_fffc,
    0xffff_fffd,
    0xffff_fffe,
    0xffff_ffff,
    0x3e22_f983,
    0x3fc4_5f30,
];

pub struct Sweeps<'a, S> {
    pub subject: &'a S,
    pub target: Target,
    pub rows: &'a Rows,
    pub forms: &'a [Form],
    /// One in this many of the words that decode is printed, except in sweeps of single narrow fields, which print all.
    pub print: u64,
}

impl<S: Subject> Sweeps<'_, S> {
    /// All words of a form that belong to the part.
    pub fn form(&self, number: u64, part: Part, hand: &mut Hand, tally: &mut Tally) {
        let Some(form) = self.forms.get(number as usize) else { return };
        let mut each = Each { sweeps: self, part, count: number, printed: 0, hand, tally };
        for (n, &start) in form.fillings.iter().enumerate() {
            for field in &form.fields {
                let (count, value) = forms::values(field, n == 0);
                // Wide fields are numbers, which all print alike.
                let print = if width(field) <= 12 { 1 } else { self.print };
                each.all(print, count, start, |words, number| set(words, field, value(number)));
                if width(field) == 32 {
                    let constants = CONSTANTS.len() as u64;
                    each.all(1, constants, start, |words, number| set(words, field, CONSTANTS[number as usize]));
                }
            }
        }
        let start = form.fillings[0];
        for (n, a) in form.operands.iter().enumerate() {
            for b in &form.operands[n + 1..] {
                let (high, low) = (width(a), width(b));
                each.all(self.print, 1 << (high + low), start, |words, number| {
                    set(words, a, (number >> low) as u32);
                    set(words, b, number as u32);
                });
            }
        }
        let bits = bits_together(&form.modifiers);
        each.all(self.print, 1 << bits.len(), start, |words, number| {
            for (n, &bit) in bits.iter().enumerate() {
                let word = &mut words[usize::from(bit / 32)];
                *word = *word & !(1 << (bit % 32)) | ((number >> n) as u32 & 1) << (bit % 32);
            }
        });
    }
}

/// The positions of the modifiers' bits, as many fields as fit.
fn bits_together(modifiers: &[FieldInfo]) -> Vec<u8> {
    let mut bits = Vec::new();
    for field in modifiers {
        if bits.len() + usize::from(width(field)) <= TOGETHER.into() {
            bits.extend(pieces(field).flat_map(|piece| piece.lsb..piece.lsb + piece.width));
        }
    }
    bits
}

/// Checks the words of a form, one after the other.
struct Each<'a, 'b, S> {
    sweeps: &'a Sweeps<'b, S>,
    part: Part,
    count: u64,
    printed: u64,
    hand: &'a mut Hand,
    tally: &'a mut Tally,
}

impl<S: Subject> Each<'_, '_, S> {
    /// Checks the words that `put` makes from `start`, for each of `count` numbers. One in `print` of those that decode
    /// is printed.
    fn all(&mut self, print: u64, count: u64, start: Words, put: impl Fn(&mut Words, u64)) {
        let first = self.count;
        self.count += count;
        for number in self.part.of(first, count) {
            let mut words = start;
            put(&mut words, number - first);
            self.one(words, print);
        }
    }

    #[inline(always)]
    fn one(&mut self, words: Words, print: u64) {
        let (subject, target) = (self.sweeps.subject, self.sweeps.target);
        self.hand.words = words;
        self.tally.words += 1;
        match subject.decode(target, &bytes(&words)) {
            Err(error) => {
                self.tally.refused(self.sweeps.rows.of_word(words[0]), error);
                if let Err(fault) = check::refusal(subject, target, &words, error) {
                    self.tally.fault(&words, fault);
                }
            }
            Ok(inst) => {
                self.tally.decoded += 1;
                self.tally.rows[self.sweeps.rows.of_format(inst.format())].instructions += 1;
                if let Err(fault) = check::instruction(subject, target, &words, &inst) {
                    self.tally.fault(&words, fault);
                }
                if let Err(fault) = check::besides(subject, target, &words, &inst) {
                    self.tally.fault(&words, fault);
                }
                self.printed += 1;
                if self.printed >= print {
                    self.printed = 0;
                    self.tally.texts += 1;
                    if let Err(fault) = self.hand.texts.check(subject, target, &words, &inst) {
                        self.tally.fault(&words, fault);
                    }
                    if let Err(fault) = parsed::check(&inst, &self.hand.texts.parsed(subject, target)) {
                        self.tally.fault(&words, fault);
                    }
                }
            }
        }
    }
}
