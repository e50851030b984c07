//! Every first dword: all 2^32 of them, each with what may stand behind it.

use amdgpu_isa::{DecodeError, Target};

use super::Part;
use super::check::{self, Subject, Texts, Words, bytes};
use super::tally::{Rows, Tally};
use super::words::{Rng, repair_behind};

/// Words of a block. What is tried behind a first dword depends on its block alone, not on who works on the others.
pub const BLOCK: u64 = 1 << 20;
pub const BLOCKS: u64 = (1 << 32) / BLOCK;

/// A word without dwords behind it that decode is tried again with repaired ones; where that fails, not so often.
const PATIENCE: u32 = 64;

pub struct Walk<'a, S> {
    pub subject: &'a S,
    pub target: Target,
    pub rows: &'a Rows,
    /// Of the words that decode, one in so many is printed.
    pub print: u64,
}

/// What one thread has at hand.
#[derive(Default)]
pub struct Hand {
    pub texts: Texts,
    /// The words in work: what a panic was about.
    pub words: Words,
}

impl<S: Subject> Walk<'_, S> {
    /// The words of a block that belong to the part.
    pub fn block(&self, number: u64, part: Part, hand: &mut Hand, tally: &mut Tally) {
        let mut rng = Rng(number);
        let mut behind = Behind { good: [0; 4], random: rng.next(), impatience: 0 };
        let mut printed = number % self.print;
        for word in part.of(number * BLOCK, BLOCK) {
            let word = word as u32;
            hand.words = [word, 0, 0, 0, 0];
            tally.words += 1;
            match self.with_something_behind(hand, &mut behind, &mut rng) {
                Err(error) => {
                    tally.refused(self.rows.of_word(word), error);
                    if let Err(fault) = check::refusal(self.subject, self.target, &hand.words, error) {
                        tally.fault(&hand.words, fault);
                    }
                }
                Ok(inst) => {
                    tally.decoded += 1;
                    tally.rows[self.rows.of_format(inst.format())].instructions += 1;
                    if let Err(fault) = check::instruction(self.subject, self.target, &hand.words, &inst) {
                        tally.fault(&hand.words, fault);
                    }
                    printed += 1;
                    if printed >= self.print {
                        printed = 0;
                        tally.texts += 1;
                        if let Err(fault) = hand.texts.check(self.subject, self.target, &hand.words, &inst) {
                            tally.fault(&hand.words, fault);
                        }
                    }
                    if inst.len() > 4 {
                        self.with_something_else(hand, &mut behind, tally);
                    }
                }
            }
        }
    }

    /// Decodes with zeros behind the word; if it is them that are refused, with dwords that were good before; if these are
    /// not, with repaired ones.
    #[inline(always)]
    fn with_something_behind(
        &self,
        hand: &mut Hand,
        behind: &mut Behind,
        rng: &mut Rng,
    ) -> Result<amdgpu_isa::Inst, DecodeError> {
        let zeros = self.subject.decode(self.target, &bytes(&hand.words));
        match zeros {
            Err(error) if is_behind(error) => {}
            other => return other,
        }
        let [word, ..] = hand.words;
        let [a, b, c, d] = behind.good;
        hand.words = [word, a, b, c, d];
        let good = self.subject.decode(self.target, &bytes(&hand.words));
        if good.is_ok() {
            return good;
        }
        if behind.impatience == 0 {
            hand.words = [word, 0, 0, 0, 0];
            if let Some(inst) = repair_behind(self.target, &mut hand.words, rng) {
                let [_, good @ ..] = hand.words;
                behind.good = good;
                return Ok(inst);
            }
            behind.impatience = PATIENCE;
        }
        behind.impatience -= 1;
        hand.words = [word, 0, 0, 0, 0];
        zeros
    }

    /// The same word with random bits in the dwords that it has behind it.
    #[inline(always)]
    fn with_something_else(&self, hand: &mut Hand, behind: &mut Behind, tally: &mut Tally) {
        // An odd number that is added again and again has all values; its high bits look random.
        behind.random = behind.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let random = behind.random ^ behind.random.rotate_left(29);
        hand.words[1] ^= random as u32;
        hand.words[2] ^= (random >> 32) as u32;
        match self.subject.decode(self.target, &bytes(&hand.words)) {
            Err(_) => {}
            Ok(inst) => {
                tally.decoded += 1;
                if let Err(fault) = check::instruction(self.subject, self.target, &hand.words, &inst) {
                    tally.fault(&hand.words, fault);
                }
            }
        }
    }
}

/// What is tried behind the first dword.
struct Behind {
    /// What decoded before.
    good: [u32; 4],
    random: u64,
    /// Words until repair is tried again.
    impatience: u32,
}

/// What is refused lies behind the first dword.
fn is_behind(error: DecodeError) -> bool {
    match error {
        DecodeError::ReservedBits { bit, .. } => bit >= 32,
        DecodeError::ReservedValue { lsb, .. } => lsb >= 32,
        _ => false,
    }
}
