//! Words to compare.
//!
//! * [`Systematic`]: every opcode of every format, every value of every field on its own, with several fillings of the
//!   others
//! * [`Random`]: uniform words, words of a format filled at random, and words near to accepted ones
//! * [`corpus`]: hex lines of a file
//!
//! Fillings that LLVM refuses would hide the effect of a field, so a survey first looks for accepted ones: see
//! [`Survey::take`].

use amdgpu_llvm::Word;
use std::collections::HashSet;

/// A piece of a field: the bits `lsb .. lsb + width` of an encoding. The pieces of a field are listed from its low bits
/// to its high bits.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    pub lsb: u32,
    pub width: u32,
}

#[derive(Clone, Debug)]
pub struct Field {
    pub name: String,
    pub pieces: Vec<Piece>,
}

impl Field {
    fn width(&self) -> u32 {
        self.pieces.iter().map(|piece| piece.width).sum()
    }

    fn mask(&self) -> u128 {
        self.place(u128::MAX)
    }

    /// The low bits of `value` at the position of the field.
    fn place(&self, mut value: u128) -> u128 {
        let mut bits = 0;
        for piece in &self.pieces {
            let mask = (1u128 << piece.width) - 1;
            bits |= (value & mask) << piece.lsb;
            value >>= piece.width;
        }
        bits
    }

    fn set(&self, bits: u128, value: u128) -> u128 {
        bits & !self.mask() | self.place(value)
    }
}

/// A format, without its extension dwords.
#[derive(Clone, Debug)]
pub struct FormatLayout {
    pub name: String,
    /// The number of bits: 32, 64 or 96.
    pub bits: u32,
    /// The mask and the value of the encoding bits.
    pub fixed: (u128, u128),
    pub op: Vec<Piece>,
    pub fields: Vec<Field>,
}

/// A dword that follows a format when `field` holds `code`: literal, SDWA, DPP, ...
#[derive(Clone, Debug)]
pub struct Extension {
    pub name: String,
    pub bases: Vec<String>,
    pub field: String,
    pub code: u128,
    /// The fields, with bit numbers relative to the extension.
    pub fields: Vec<Field>,
}

/// The layouts with every extension attached to each of its bases, as formats of their own (`VOP2+SDWA`).
pub fn with_extensions(layouts: &[FormatLayout], extensions: &[Extension]) -> Vec<FormatLayout> {
    let mut all = layouts.to_vec();
    for extension in extensions {
        for base in layouts.iter().filter(|layout| extension.bases.contains(&layout.name)) {
            let Some(marker) = base.fields.iter().find(|field| field.name == extension.field) else { continue };
            let mut layout = base.clone();
            layout.name = format!("{}+{}", base.name, extension.name);
            let ends = extension.fields.iter().flat_map(|field| &field.pieces).map(|p| p.lsb + p.width);
            layout.bits = (layout.bits + ends.max().unwrap_or(32).next_multiple_of(32)).min(u128::BITS);
            layout.fixed = (base.fixed.0 | marker.mask(), base.fixed.1 | marker.place(extension.code));
            layout.fields.retain(|field| field.name != extension.field);
            // Fields end with the fourth dword. A fifth one has only constants.
            let varied = |field: &&Field| field.pieces.iter().all(|p| p.lsb + base.bits < u128::BITS);
            layout.fields.extend(extension.fields.iter().filter(varied).map(|field| Field {
                name: format!("{}.{}", extension.name, field.name),
                pieces: field.pieces.iter().map(|p| Piece { lsb: p.lsb + base.bits, ..*p }).collect(),
            }));
            all.push(layout);
        }
    }
    all
}

/// The name of the layout that fits best: `VOP2+SDWA` before `VOP2`.
pub fn format_name<'a>(layouts: &'a [FormatLayout], word: &Word) -> Option<&'a str> {
    best_layout(layouts, word).map(|best| &*layouts[best].name)
}

fn best_layout(layouts: &[FormatLayout], word: &Word) -> Option<usize> {
    let fits = |&index: &usize| word.bits() & layouts[index].fixed.0 == layouts[index].fixed.1;
    // Of layouts that fit equally well, the first one is taken.
    (0..layouts.len()).rev().filter(fits).max_by_key(|&index| layouts[index].fixed.0.count_ones())
}

/// A generator of pseudo-random numbers: SplitMix64 (Steele, Lea, Flood 2014).
#[derive(Clone)]
pub struct Rng(pub u64);

impl Rng {
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

    /// The generator after `count` numbers.
    fn skipping(self, count: u64) -> Rng {
        Rng(self.0.wrapping_add(count.wrapping_mul(Rng::STEP)))
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(Rng::STEP);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn wide(&mut self) -> u128 {
        u128::from(self.next()) << 64 | u128::from(self.next())
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn percent(&mut self, percent: u64) -> bool {
        self.next() % 100 < percent
    }
}

/// A typical value of a field in real code, guessed from its name and width. A wrong guess only costs time.
fn typical(field: &Field, rng: &mut Rng) -> u128 {
    let even = |rng: &mut Rng, below: usize| (rng.below(below) & !1) as u128;
    let quad = |rng: &mut Rng, below: usize| (rng.below(below) & !3) as u128;
    let name = field.name.rsplit('.').next().unwrap_or_default();
    match (name, field.width()) {
        ("saddr", _) => [127, 127, even(rng, 100)][rng.below(3)],
        ("sdst", 7) | ("sdata", 7) => [quad(rng, 88), 106, 126, even(rng, 100)][rng.below(4)],
        ("sbase", _) => (rng.below(48) & !1) as u128,
        ("srsrc", _) => rng.below(25) as u128,
        ("ssrc0" | "ssrc1" | "soffset", _) => {
            [even(rng, 100), quad(rng, 88), 106, 126, 128 + rng.below(64) as u128, 242][rng.below(6)]
        }
        (_, 9) if name.contains("src") => {
            let vgpr = 256 + even(rng, 220);
            [vgpr, vgpr, vgpr, even(rng, 100), 106, 128 + rng.below(81) as u128, 240 + rng.below(9) as u128]
                [rng.below(7)]
        }
        (_, 8) if name != "offset0" && name != "offset1" => even(rng, 220),
        ("row_mask" | "bank_mask", _) => 15,
        ("dpp_ctrl", _) => [0xe4, 0x101, 0x140, 0x150, 0x138, 0x11f][rng.below(6)],
        (_, 3) if name.ends_with("_sel") => rng.below(7) as u128,
        (_, width) if width > 10 => [0, 1, 4, 0x7f, u128::MAX, rng.wide()][rng.below(6)],
        _ => [0, 0, 0, 1, rng.wide()][rng.below(5)],
    }
}

/// An opcode of a format, and fillings of it: accepted ones, and perhaps zeros that are refused.
#[derive(Clone)]
struct Plan {
    layout: usize,
    /// The encoding bits and the opcode bits.
    fixed: u128,
    /// Fillings of all fields of the format. Bits without a field count as a field here, because reserved bits matter
    /// too.
    fillings: Vec<u128>,
}

/// Fillings that decoders accept, from which words are made.
#[derive(Clone)]
pub struct Survey {
    layouts: Vec<FormatLayout>,
    plans: Vec<Plan>,
    /// All words that the survey asked about, to be compared like any other.
    pub asked: Vec<Word>,
}

const TAIL: u128 = 0x5a17_c0de_1234_5678_3f80_0000_0000_0004;

fn word(bits: u128, width: u32) -> Word {
    let filled = if width < 128 { bits | (TAIL << width) } else { bits };
    let mut bytes = [0; 20];
    bytes[..16].copy_from_slice(&filled.to_le_bytes());
    bytes[16..].copy_from_slice(&[4, 3, 2, 1]);
    Word::new(&bytes)
}

impl Survey {
    /// Looks for fillings of each opcode that `accepts` approves (it gets many words at once): first zeros, ones,
    /// typical and random values; for opcodes that none of these find, `known` words; then variations of the accepted
    /// fillings, one field at a time.
    ///
    /// Three fillings of each plan are varied `steps` times. Bits that no field and no opcode covers become fields
    /// named `reserved`.
    pub fn take(
        layouts: Vec<FormatLayout>,
        known: &[Word],
        steps: usize,
        mut accepts: impl FnMut(&[Word]) -> Vec<bool>,
    ) -> Survey {
        let mut rng = Rng(1);
        let layouts: Vec<FormatLayout> = layouts.into_iter().map(with_reserved_bits).collect();
        let mut survey = Survey { plans: Vec::new(), asked: Vec::new(), layouts };
        let mut seeds = Vec::new();
        for (index, layout) in survey.layouts.iter().enumerate() {
            let op = Field { name: "op".into(), pieces: layout.op.clone() };
            for value in 0..1u128 << op.width() {
                let fixed = op.set(layout.fixed.1, value);
                // A format that shares its encoding with a longer one must not overwrite its opcode.
                if fixed & layout.fixed.0 != layout.fixed.1 {
                    continue;
                }
                seeds.extend(seed_fillings(layout, fixed, &mut rng).into_iter().map(|fill| (index, fixed, fill)));
            }
        }
        let words: Vec<Word> = seeds.iter().map(|&(layout, _, fill)| survey.word(layout, fill)).collect();
        let accepted = accepts(&words);
        survey.asked.extend(words);
        let seeds: Vec<_> = seeds.into_iter().zip(accepted).collect();
        for group in seeds.chunk_by(|(a, _), (b, _)| (a.0, a.1) == (b.0, b.1)) {
            let good: Vec<u128> = group.iter().filter(|(_, accepted)| *accepted).map(|(seed, _)| seed.2).collect();
            if let (Some(&first), Some(&last)) = (good.first(), good.last()) {
                let ((layout, fixed, zeros), _) = group[0];
                let mut fillings = vec![first, last, good[good.len() / 2], zeros];
                let (ones, ones_accepted) = &group[1];
                if *ones_accepted {
                    fillings.push(ones.2);
                }
                survey.plans.push(Plan { layout, fixed, fillings });
            }
        }
        survey.add_known(known, &mut accepts);
        for step in 0..steps {
            survey.walk(step, &mut rng, &mut accepts);
        }
        survey
    }

    /// Adds plans for opcodes without one, from `known` words: these opcodes demand values of several fields together.
    fn add_known(&mut self, known: &[Word], accepts: &mut impl FnMut(&[Word]) -> Vec<bool>) {
        let mut planned: HashSet<(usize, u128)> = self.plans.iter().map(|plan| (plan.layout, plan.fixed)).collect();
        let mut fresh = Vec::new();
        for known in known {
            let Some(layout) = best_layout(&self.layouts, known) else { continue };
            let FormatLayout { bits, fixed, op, .. } = &self.layouts[layout];
            let op = Field { name: "op".into(), pieces: op.clone() };
            let own = if *bits < 128 { known.bits() & ((1 << bits) - 1) } else { known.bits() };
            let fixed = own & (fixed.0 | op.mask());
            if !planned.contains(&(layout, fixed)) {
                fresh.push((layout, fixed, own));
            }
        }
        let words: Vec<Word> = fresh.iter().map(|&(layout, _, fill)| self.word(layout, fill)).collect();
        for (&(layout, fixed, fill), accepted) in fresh.iter().zip(accepts(&words)) {
            if accepted && planned.insert((layout, fixed)) {
                self.plans.push(Plan { layout, fixed, fillings: vec![fill; 3] });
            }
        }
        self.asked.extend(words);
    }

    /// Changes one field in each of the first three fillings of each plan, if the changed filling is accepted.
    fn walk(&mut self, step: usize, rng: &mut Rng, accepts: &mut impl FnMut(&[Word]) -> Vec<bool>) {
        let mut steps = Vec::new();
        for (index, plan) in self.plans.iter().enumerate() {
            let fields = &self.layouts[plan.layout].fields;
            for filling in 0..3 {
                let field = &fields[rng.below(fields.len())];
                let value = if filling == 2 || step % 4 == 0 { rng.wide() } else { typical(field, rng) };
                steps.push((index, filling, field.set(plan.fillings[filling], value)));
            }
        }
        let words: Vec<Word> = steps.iter().map(|&(plan, _, fill)| self.word(self.plans[plan].layout, fill)).collect();
        for (&(plan, filling, fill), accepted) in steps.iter().zip(accepts(&words)) {
            if accepted {
                self.plans[plan].fillings[filling] = fill;
            }
        }
        self.asked.extend(words);
    }

    fn word(&self, layout: usize, fill: u128) -> Word {
        word(fill, self.layouts[layout].bits)
    }

    pub fn layouts(&self) -> &[FormatLayout] {
        &self.layouts
    }

    /// Keeps only the formats whose name contains `filter`.
    pub fn keep(&mut self, filter: &str) {
        let layouts = &self.layouts;
        self.plans.retain(|plan| layouts[plan.layout].name.contains(filter));
        self.asked.retain(|word| format_name(layouts, word).is_some_and(|name| name.contains(filter)));
    }

    /// The number of opcodes found, over all formats.
    pub fn opcodes(&self) -> usize {
        self.plans.len()
    }
}

/// First guesses at an accepted filling: zeros, ones, single bits, typical values, random values.
fn seed_fillings(layout: &FormatLayout, fixed: u128, rng: &mut Rng) -> Vec<u128> {
    let fields = &layout.fields;
    let mut seeds = vec![fixed, fields.iter().fold(fixed, |bits, field| field.set(bits, u128::MAX))];
    // Some opcodes demand a bit (gds of ds_gws_*) and no operand.
    seeds.extend(fields.iter().filter(|field| field.width() == 1).map(|field| field.set(fixed, 1)));
    for round in 0..10 {
        seeds.push(fields.iter().fold(fixed, |bits, field| match &*field.name {
            "reserved" => bits,
            _ if round < 6 && is_modifier(field) => bits,
            _ => field.set(bits, typical(field, rng)),
        }));
    }
    for _ in 0..4 {
        seeds.push(fields.iter().fold(fixed, |bits, field| field.set(bits, rng.wide())));
    }
    seeds
}

fn is_modifier(field: &Field) -> bool {
    field.width() < 7 && !["srsrc", "sbase"].contains(&&*field.name)
}

fn with_reserved_bits(mut layout: FormatLayout) -> FormatLayout {
    let op = Field { name: "op".into(), pieces: layout.op.clone() };
    let all = if layout.bits < 128 { (1 << layout.bits) - 1 } else { u128::MAX };
    let known = layout.fields.iter().fold(layout.fixed.0 | op.mask(), |mask, field| mask | field.mask());
    for lsb in 0..layout.bits {
        if all & !known & 1 << lsb != 0 {
            layout.fields.push(Field { name: "reserved".into(), pieces: vec![Piece { lsb, width: 1 }] });
        }
    }
    layout
}

/// Words in an order that does not depend on the caller.
pub trait Source: Send {
    /// Appends up to `n` words, or none at the end.
    fn fill(&mut self, words: &mut Vec<Word>, n: usize);
    /// The approximate number of words to come.
    fn remaining(&self) -> u64;
}

impl Source for std::vec::IntoIter<Word> {
    fn fill(&mut self, words: &mut Vec<Word>, n: usize) {
        words.extend(self.take(n));
    }

    fn remaining(&self) -> u64 {
        self.len() as u64
    }
}

/// The values of one field with one filling of the other fields.
struct Sweep {
    layout: usize,
    filling: u128,
    field: usize,
    count: u64,
    exhaustive: bool,
}

impl Sweep {
    fn word(&self, layouts: &[FormatLayout], index: u64) -> Word {
        let layout = &layouts[self.layout];
        let field = &layout.fields[self.field];
        let value = if self.exhaustive { index.into() } else { sample(field, self.filling as u64, index) };
        word(field.set(self.filling, value), layout.bits)
    }
}

/// Every value of every field of every opcode (of wide fields, samples), or every n-th of these words.
pub struct Systematic {
    layouts: Vec<FormatLayout>,
    /// The words with one flag inverted, for each flag of each opcode: a sample should have all of these few words.
    flags: Vec<Word>,
    /// The words of the survey, which come before those of the sweeps.
    asked: Vec<Word>,
    sweeps: Vec<Sweep>,
    /// The sweep that comes next.
    sweep: usize,
    /// The number of the next word within the words of the survey, or within the sweep before the one that comes next.
    position: u64,
    step: u64,
    remaining: u64,
}

impl Systematic {
    /// A source of about `limit` words, evenly chosen.
    pub fn new(survey: Survey, limit: u64) -> Systematic {
        let mut sweeps = Vec::new();
        for plan in &survey.plans {
            let layout = &survey.layouts[plan.layout];
            let mut seen = HashSet::new();
            for (index, &filling) in plan.fillings.iter().filter(|&&filling| seen.insert(filling)).enumerate() {
                sweeps.extend(layout.fields.iter().enumerate().map(|(number, field)| {
                    let exhaustive = field.width() <= if index == 0 { 16 } else { 10 };
                    let count = if exhaustive { 1 << field.width() } else { samples(field) };
                    Sweep { layout: plan.layout, filling, field: number, count, exhaustive }
                }));
            }
        }
        let total = survey.asked.len() as u64 + sweeps.iter().map(|sweep| sweep.count).sum::<u64>();
        let mut flags = Vec::new();
        for plan in &survey.plans {
            let (layout, Some(&filling)) = (&survey.layouts[plan.layout], plan.fillings.first()) else { continue };
            let narrow = layout.fields.iter().filter(|field| field.width() == 1);
            flags.extend(narrow.map(|field| word(filling ^ field.mask(), layout.bits)));
        }
        if flags.len() as u64 > limit / 2 || total <= limit {
            flags.clear();
        }
        let limit = limit - flags.len() as u64;
        // The step is odd, so that it does not always select the same bits of a field.
        let step = if total <= limit { 1 } else { (total / limit.max(1)) | 1 };
        let remaining = total / step + flags.len() as u64;
        Systematic {
            layouts: survey.layouts,
            flags,
            asked: survey.asked,
            sweeps,
            sweep: 0,
            position: 0,
            step,
            remaining,
        }
    }

    /// The next word that is not the inversion of a flag.
    fn next(&mut self) -> Option<Word> {
        let asked = self.asked.len() as u64;
        loop {
            let before = self.sweep.checked_sub(1).map(|last| &self.sweeps[last]);
            let count = before.map_or(asked, |sweep| sweep.count);
            let position = self.position;
            if position < count {
                self.position += self.step;
                return Some(match before {
                    None => self.asked[position as usize],
                    Some(sweep) => sweep.word(&self.layouts, position),
                });
            }
            if self.sweep == self.sweeps.len() {
                return None;
            }
            self.position -= count;
            self.sweep += 1;
        }
    }
}

impl Source for Systematic {
    fn fill(&mut self, words: &mut Vec<Word>, n: usize) {
        while words.len() < n {
            let Some(word) = self.flags.pop().or_else(|| self.next()) else { return };
            words.push(word);
            self.remaining = self.remaining.saturating_sub(1);
        }
    }

    fn remaining(&self) -> u64 {
        self.remaining
    }
}

/// Literals: the bit patterns of 0.5, 1.0, 2.0, 4.0 and 1/2pi as f32.
const LITERALS: [u128; 5] = [0x3f00_0000, 0x3f80_0000, 0x4000_0000, 0x4080_0000, 0x3e22_f983];

/// The number of samples of a field that is too wide for all values.
fn samples(field: &Field) -> u64 {
    let random = 128;
    u64::from(2 + 5 * field.width()) + LITERALS.len() as u64 + random
}

/// A sample: none and all of the bits, single bits, runs of bits, their complements, literals, and random values.
fn sample(field: &Field, seed: u64, index: u64) -> u128 {
    let width = field.width();
    let ones = (1u128 << width) - 1;
    let Some(after) = index.checked_sub(2) else { return [0, ones][index as usize] };
    if let Some(after) = after.checked_sub(5 * u64::from(width)) {
        let random = |after: u64| Rng(seed).skipping(2 * (after - LITERALS.len() as u64)).wide();
        return LITERALS.get(after as usize).copied().unwrap_or_else(|| random(after)) & ones;
    }
    let (single, run) = (1u128 << (after / 5), (1u128 << (after / 5)) - 1);
    [single, ones ^ single, run, ones ^ run, single | 1][after as usize % 5]
}

/// Random words: a quarter uniform, if requested, a quarter of a random format and opcode with uniform fields, and the
/// others close to an accepted word. One word in 64 is truncated.
pub struct Random {
    survey: Survey,
    rng: Rng,
    remaining: u64,
    uniform: bool,
}

impl Random {
    /// A source of `count` random words. `uniform`: whether they include words that belong to no format in particular.
    pub fn new(survey: Survey, seed: u64, count: u64, uniform: bool) -> Random {
        Random { survey, rng: Rng(seed), remaining: count, uniform }
    }

    fn draw(&mut self) -> Word {
        let rng = &mut self.rng;
        let kind = rng.below(4);
        let plans = &self.survey.plans;
        let drawn = if plans.is_empty() || kind == 0 && self.uniform {
            word(rng.wide(), 128)
        } else {
            let plan = &plans[rng.below(plans.len())];
            let layout = &self.survey.layouts[plan.layout];
            let bits = if kind == 1 {
                layout.fields.iter().fold(plan.fixed, |bits, field| field.set(bits, rng.wide()))
            } else {
                let start = plan.fillings[rng.below(plan.fillings.len())];
                let keep = [20, 60, 90][rng.below(3)];
                layout.fields.iter().fold(start, |bits, field| match rng.below(100) {
                    _ if rng.percent(keep) => bits,
                    0..15 => field.set(bits, rng.wide()),
                    // The last values, because other fields can determine where a register file ends.
                    15..30 => field.set(bits, u128::MAX - rng.below(5) as u128),
                    _ => field.set(bits, typical(field, rng)),
                })
            };
            word(bits | rng.wide().checked_shl(layout.bits).unwrap_or(0), 128)
        };
        if rng.below(64) == 0 { Word::new(&drawn.bytes()[..rng.below(16)]) } else { drawn }
    }
}

impl Source for Random {
    fn fill(&mut self, words: &mut Vec<Word>, n: usize) {
        let n = self.remaining.min(n as u64);
        self.remaining -= n;
        words.extend((0..n).map(|_| self.draw()));
    }

    fn remaining(&self) -> u64 {
        self.remaining
    }
}

/// The words of a text with one hex word (bytes in memory order) at the start of each line; `#` starts a comment.
pub fn corpus(text: &str) -> Result<Vec<Word>, String> {
    let mut words = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let Some(hex) = line.split('#').next().and_then(|line| line.split_whitespace().next()) else { continue };
        words.push(Word::from_hex(hex).ok_or_else(|| format!("line {}: {hex} is no hex word", number + 1))?);
    }
    Ok(words)
}
