//! Tries all 2^32 first dwords, each with dwords that may follow it.

use amdgpu_isa::{DecodeError, Inst, Target};

use crate::check::{self, Fault, Subject, Texts, Words, bytes};
use crate::tally::{Rows, Tally};
use crate::words::{Rng, repair_after_base};
use crate::{Part, parsed};

/// The number of words in a block. The dwords that are tried after a first dword depend only on its block, so the
/// results do not depend on threads.
pub const BLOCK: u64 = 1 << 20;
pub const BLOCKS: u64 = (1 << 32) / BLOCK;

/// The number of words after a failed repair for which no repair is tried.
const PATIENCE: u32 = 64;

/// One in this many first dwords gets the further checks, also with random bits in the dwords after it. This is a
/// prime, so that all combinations of low bits occur.
const CHECKED_ONE_IN: u64 = 13;

pub struct Walk<'a, S> {
    pub subject: &'a S,
    pub target: Target,
    pub rows: &'a Rows,
    /// One in this many of the words that decode is printed.
    pub print: u64,
}

/// The state of one thread.
#[derive(Default)]
pub struct Hand {
    pub texts: Texts,
    /// The current words, to report if they cause a panic. The first pass stores only the first dword.
    pub words: Words,
}

impl<S: Subject> Walk<'_, S> {
    /// Tries the words of a block that belong to the part.
    pub fn block(&self, number: u64, part: Part, hand: &mut Hand, tally: &mut Tally) {
        let mut state = State { rng: Rng(number), good: [0; 4], impatience: 0, turn: number, unprinted: number };
        for word in part.of(number * BLOCK, BLOCK) {
            let word = word as u32;
            hand.words[0] = word;
            tally.words += 1;
            state.turn += 1;
            let zeros = [word, 0, 0, 0, 0];
            // The value is passed by reference: a copy would wait for the narrow stores before it.
            match &self.subject.decode(self.target, &bytes(&zeros)) {
                Ok(inst) => self.accepted(&zeros, inst, &mut state, hand, tally),
                &Err(error) if is_after_base(error) => match self.with_something_good(zeros, &mut state) {
                    Some((words, inst)) => self.accepted(&words, &inst, &mut state, hand, tally),
                    None => self.refused(&zeros, error, &state, tally),
                },
                &Err(error) => self.refused(&zeros, error, &state, tally),
            }
        }
    }

    #[inline(always)]
    fn accepted(&self, words: &Words, inst: &Inst, state: &mut State, hand: &mut Hand, tally: &mut Tally) {
        tally.decoded += 1;
        tally.rows[self.rows.of_format(inst.format())].instructions += 1;
        self.judge(words, tally, check::instruction(self.subject, self.target, words, inst));
        state.unprinted += 1;
        if state.unprinted >= self.print {
            state.unprinted = 0;
            tally.texts += 1;
            self.judge(words, tally, hand.texts.check(self.subject, self.target, words, inst));
            self.judge(words, tally, parsed::check(inst, &hand.texts.parsed(self.subject, self.target)));
        }
        if state.turn % CHECKED_ONE_IN == 0 {
            self.judge(words, tally, check::besides(self.subject, self.target, words, inst));
            self.with_something_else(*words, inst, state, tally);
        }
    }

    #[inline(always)]
    fn refused(&self, words: &Words, error: DecodeError, state: &State, tally: &mut Tally) {
        tally.refused(self.rows.of_word(words[0]), error);
        if state.turn % CHECKED_ONE_IN == 0 || matches!(error, DecodeError::Truncated { .. }) {
            self.judge(words, tally, check::refusal(self.subject, self.target, words, error));
        }
    }

    #[inline(always)]
    fn judge(&self, words: &Words, tally: &mut Tally, result: Result<(), Fault>) {
        if let Err(fault) = result {
            tally.fault(words, fault);
        }
    }

    /// Decodes the word with the dwords that were last valid after an earlier word or, if these are refused, with
    /// repaired dwords.
    #[inline(never)]
    fn with_something_good(&self, zeros: Words, state: &mut State) -> Option<(Words, Inst)> {
        let [word, ..] = zeros;
        let [a, b, c, d] = state.good;
        let words = [word, a, b, c, d];
        if let Ok(inst) = self.subject.decode(self.target, &bytes(&words)) {
            return Some((words, inst));
        }
        if state.impatience > 0 {
            state.impatience -= 1;
            return None;
        }
        let mut words = zeros;
        let Some(inst) = repair_after_base(self.target, &mut words, &mut state.rng) else {
            state.impatience = PATIENCE;
            return None;
        };
        let [_, good @ ..] = words;
        state.good = good;
        Some((words, inst))
    }

    /// Checks the first dword again, with random bits in the dwords after it.
    #[inline(never)]
    fn with_something_else(&self, mut words: Words, inst: &Inst, state: &mut State, tally: &mut Tally) {
        if inst.len() == 4 {
            return;
        }
        words[1..].iter_mut().for_each(|word| *word = state.rng.word());
        if let Ok(inst) = self.subject.decode(self.target, &bytes(&words)) {
            tally.decoded += 1;
            self.judge(&words, tally, check::instruction(self.subject, self.target, &words, &inst));
        }
    }
}

/// State that carries over from one word to the next.
struct State {
    rng: Rng,
    /// The dwords that follow the first one in the words that were repaired last.
    good: [u32; 4],
    /// The number of words until repair is tried again.
    impatience: u32,
    turn: u64,
    unprinted: u64,
}

/// Whether the error is about bits after the first dword.
fn is_after_base(error: DecodeError) -> bool {
    match error {
        DecodeError::ReservedBits { bit, .. } => bit >= 32,
        DecodeError::ReservedValue { lsb, .. } => lsb >= 32,
        _ => false,
    }
}
