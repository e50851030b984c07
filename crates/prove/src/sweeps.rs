//! The sweeps of the plan, over the fields of forms.

use amdgpu_isa::Target;
use amdgpu_isa::layout::FieldInfo;

use crate::check::{self, Subject, Words, bytes};
use crate::first::Hand;
use crate::forms::{Form, width};
use crate::plan::{Sweep, bits_together};
use crate::tally::{Rows, Tally};
use crate::values::{self, NARROW};
use crate::words::{FieldBits, set};
use crate::{Part, parsed};

pub struct Sweeps<'a, S> {
    pub subject: &'a S,
    pub target: Target,
    pub rows: &'a Rows,
    pub forms: &'a [Form],
    /// One in this many of the words that decode is printed, except in sweeps of single narrow fields, of the special
    /// values of wide fields, and of instructions of one dword, which print all.
    pub print: u64,
}

impl<S: Subject> Sweeps<'_, S> {
    /// Tries all words of a sweep that belong to the part. `first` is the number of its first word.
    pub fn sweep(&self, (form, sweep): (usize, Sweep), first: u64, part: Part, hand: &mut Hand, tally: &mut Tally) {
        let Some(form) = self.forms.get(form) else { return };
        let start = form.fillings[0];
        let print = if form.is_a_dword() { 1 } else { self.print };
        let mut each = Each { sweeps: self, part, print, count: first, printed: 0, hand, tally };
        match sweep {
            Sweep::Fields => {
                each.fields(form);
                each.ends(form);
            }
            Sweep::Wide(n) => {
                let field = &form.fields[n];
                let (count, value) = values::all(field);
                each.all(print, count, start, |words, number| set(words, field, value(number)));
            }
            Sweep::Operands(a, b) => each.pair(start, &form.operands[a], &form.operands[b]),
            Sweep::Modified(a, b) => each.pair(start, &form.operands[a], &form.modifiers[b]),
            Sweep::Tied(rule) => each.tied(start, &form.ties[rule]),
            Sweep::Together => each.together(start, &bits_together(&form.modifiers)),
        }
    }
}

/// Checks the words of a form, one after the other.
struct Each<'a, 'b, S> {
    sweeps: &'a Sweeps<'b, S>,
    part: Part,
    /// One in this many of the words that decode is printed in sweeps of several fields, and of wide fields apart from
    /// their special values.
    print: u64,
    count: u64,
    printed: u64,
    hand: &'a mut Hand,
    tally: &'a mut Tally,
}

impl<S: Subject> Each<'_, '_, S> {
    /// Tries every single field, from each filling.
    fn fields(&mut self, form: &Form) {
        for &start in &form.fillings {
            for field in &form.fields {
                if width(field) <= NARROW {
                    let (count, value) = values::all(field);
                    self.all(1, count, start, |words, number| set(words, field, value(number)));
                } else {
                    let special = values::special(field);
                    self.all(1, special.len() as u64, start, |words, n| set(words, field, special[n as usize]));
                    let (count, value) = values::spread(field);
                    // Wide fields are numbers, which are all printed in the same way.
                    self.all(self.print, count, start, |words, number| set(words, field, value(number)));
                }
            }
        }
    }

    /// Tries the pairs of values at which the meaning of fields changes.
    fn ends(&mut self, form: &Form) {
        let (Sweeps { subject, target, .. }, start) = (self.sweeps, form.fillings[0]);
        let ends = form.fields.iter().map(|field| (field, values::ends(*subject, *target, &start, field)));
        let ends: Vec<_> = ends.collect();
        for (n, (a, of_a)) in ends.iter().enumerate() {
            for (b, of_b) in &ends[n + 1..] {
                // The two halves of a constant are tried together, because its text depends on both.
                let wide = width(a) > NARROW && width(b) > NARROW;
                let (print, of_a) = if wide { (1, &values::special(a)) } else { (self.print, of_a) };
                self.all(print, (of_a.len() * of_b.len()) as u64, start, |words, number| {
                    set(words, a, of_a[number as usize / of_b.len()]);
                    set(words, b, of_b[number as usize % of_b.len()]);
                });
            }
        }
    }

    /// Tries all pairs of values of two fields.
    fn pair(&mut self, start: Words, a: &FieldInfo, b: &FieldInfo) {
        let (high, low) = (width(a), width(b));
        self.all(self.print, 1 << (high + low), start, |words, number| {
            set(words, a, (number >> low) as u32);
            set(words, b, number as u32);
        });
    }

    /// Tries all combinations of the values of fields that a rule ties.
    fn tied(&mut self, start: Words, fields: &[(FieldBits, Vec<u32>)]) {
        let count = fields.iter().map(|(_, values)| values.len() as u64).product();
        self.all(self.print, count, start, |words, mut number| {
            for (bits, values) in fields {
                bits.set(words, values[(number % values.len() as u64) as usize]);
                number /= values.len() as u64;
            }
        });
    }

    /// Tries all values of some bits.
    fn together(&mut self, start: Words, bits: &[u8]) {
        self.all(self.print, 1 << bits.len(), start, |words, number| {
            for (n, &bit) in bits.iter().enumerate() {
                let word = &mut words[usize::from(bit / 32)];
                *word = *word & !(1 << (bit % 32)) | ((number >> n) as u32 & 1) << (bit % 32);
            }
        });
    }

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

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Mutex;

    use amdgpu_isa::{DecodeError, Inst, decode};

    use super::*;
    use crate::{forms, plan};

    /// A subject that records the values of some fields in the decoded words.
    struct Remembers<'a>(&'a [FieldInfo], Mutex<HashSet<Vec<u32>>>);

    impl Subject for Remembers<'_> {
        fn decode(&self, target: Target, bytes: &[u8]) -> Result<Inst, DecodeError> {
            let dword = |bytes: &[u8]| bytes.iter().rev().fold(0, |dword, byte| dword << 8 | u32::from(*byte));
            let words: Vec<_> = bytes.chunks(4).map(dword).collect();
            let values = self.0.iter().map(|field| forms::value(field, &words)).collect();
            self.1.lock().expect("no thread has panicked").insert(values);
            decode(target, bytes)
        }
    }

    /// Modifiers that are set together take all combinations of their values, whatever their first values are.
    #[test]
    fn modifiers_together_take_all_their_values() {
        let target = Target::Gfx900;
        let name = |form: &Form| decode(target, &bytes(&form.fillings[0])).expect("it decodes").mnemonic();
        let mut form = forms::forms(target).into_iter().find(|form| name(form) == "v_max3_f32").expect("it has a form");
        let modifiers = form.modifiers.clone();
        for n in [0, u32::MAX] {
            modifiers.iter().for_each(|field| set(&mut form.fillings[0], field, n));
            let subject = Remembers(&modifiers, Mutex::default());
            let (rows, forms) = (Rows::new(target), std::slice::from_ref(&form));
            let sweeps = Sweeps { subject: &subject, target, rows: &rows, forms, print: 1000 };
            let whole = Part { k: 0, n: 1 };
            sweeps.sweep((0, Sweep::Together), 0, whole, &mut Hand::default(), &mut Tally::new(target));
            // The number of different combinations of values shows that none is missing.
            let width: u8 = modifiers.iter().map(width).sum();
            assert!(width >= 9, "abs, neg, omod and clamp are among them");
            assert_eq!(subject.1.into_inner().expect("no thread has panicked").len(), 1 << width);
            assert_eq!(plan::size(&form, Sweep::Together), 1 << width);
        }
    }
}
