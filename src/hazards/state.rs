//! What the instructions before the next one leave behind.

use crate::assembler::make;
use crate::common::made;
use crate::hazards::pair::{all_files, covers, holds, matches, may_hold, passes};
use crate::hazards::steps::{Counted, Seen, are_near, counts, of_two, reaches, turns_expert};
use crate::hazards::table::{Ender, HazardRow, HazardTables, class};
use crate::hazards::{Modes, Need, Needs, Rule, Unit};
use crate::target::HAZARDS;
use crate::{Field, Inst, Reg, Target};

/// The instructions that can still harm the next one: a bounded value.
///
/// It has room for [`Hazards::MOST`] of them, more than the longest distance. Where so many paths join that there are more,
/// it takes the worst: what it has no room for, it takes to be about every register.
#[derive(Clone, Copy, Debug)]
pub struct Hazards {
    target: Target,
    /// Also what one source demands and another denies.
    strict: bool,
    modes: Modes,
    len: u8,
    /// The scalar registers that `HazardTables::seen` is about.
    seen: Seen,
    /// The earlier instructions, in the order of `Inst::order`.
    past: [Past; Hazards::MOST],
    /// What had no room: the first instruction stands for all of them.
    lost: Past,
}

/// An instruction that was issued.
#[derive(Clone, Copy, Debug)]
pub(super) struct Past {
    /// The rows of which it is a producer, and which nothing ended.
    rows: u128,
    /// Those of them for which what has to come between came.
    armed: u128,
    pub(super) inst: Inst,
    /// What came after it: wait states, vector operations, transcendental ones, and what rules count.
    states: u8,
    pub(super) valu: u8,
    pub(super) trans: u8,
    pub(super) mem: u8,
    pub(super) counted: Counted,
    /// The longest distances among its rows.
    last_states: u8,
    last_valu: u8,
}

/// More accesses to memory than a wait for all but some of them lets open.
const MEMS: u8 = 63;

/// The numbers of passes that a row has a distance for.
pub(super) const PASSES: [u8; 5] = [2, 4, 8, 16, 32];

const EMPTY: Past = Past {
    rows: 0,
    armed: 0,
    inst: Inst::of(0, 0, 0),
    states: u8::MAX,
    valu: u8::MAX,
    trans: u8::MAX,
    mem: u8::MAX,
    counted: Counted::NONE,
    last_states: 0,
    last_valu: 0,
};

impl PartialEq for Hazards {
    fn eq(&self, other: &Hazards) -> bool {
        let of = |all: &Hazards| (all.target, all.strict, all.modes, all.seen, all.lost);
        of(self) == of(other) && self.past() == other.past()
    }
}

impl Eq for Hazards {}

/// What came after the longest distance makes no difference.
impl PartialEq for Past {
    fn eq(&self, other: &Past) -> bool {
        let of = |past: &Past| {
            let last = (past.last_states, past.last_valu);
            let (trans, mem) = (past.trans, past.mem.min(MEMS));
            (past.rows, past.armed, past.states.min(last.0), past.valu.min(last.1), trans, mem, past.counted, last)
        };
        of(self) == of(other) && self.inst == other.inst
    }
}

impl Eq for Past {}

impl Hazards {
    /// How many earlier instructions it can hold.
    pub const MOST: usize = 32;

    /// Nothing has been issued yet. It demands what manuals and LLVM agree on, and what one of them knows and the others say
    /// nothing about.
    pub const fn new(target: Target) -> Hazards {
        let past = [EMPTY; Hazards::MOST];
        Hazards { target, strict: false, modes: Modes::NEITHER, len: 0, seen: Seen::NOTHING, past, lost: EMPTY }
    }

    /// The same, but it also demands what one source demands and another one denies: who inserts that is safe.
    pub const fn strict(target: Target) -> Hazards {
        Hazards::new(target).strictly()
    }

    /// The same, but from here on it demands what [`Hazards::strict`] does.
    pub const fn strictly(self) -> Hazards {
        Hazards { strict: true, ..self }
    }

    /// The same in other modes than [`Modes::NEITHER`].
    pub const fn with(self, modes: Modes) -> Hazards {
        Hazards { modes, ..self }
    }

    /// The modes, as far as they are known here.
    pub const fn modes(&self) -> Modes {
        self.modes
    }

    /// The same at the beginning of a function that others call: vector operations may have read any scalar register,
    /// which matters on RDNA4.
    pub const fn called(self) -> Hazards {
        Hazards { seen: Seen::called(HAZARDS[self.target as usize]), ..self }
    }

    /// The same at the beginning of a kernel, for which some rules have something to say: there, [`Need::producer`] is an `s_nop`.
    ///
    /// ```
    /// # #[cfg(feature = "gfx1250")] {
    /// use amdgpu_isa::hazards::Hazards;
    /// use amdgpu_isa::{Target, decode_words};
    /// let clause = decode_words(Target::Gfx1250, &[0xbf85_0001]).unwrap(); // s_clause 0x1
    /// let load = decode_words(Target::Gfx1250, &[0xee05_0000, 0x0000_0000, 0x0000_0000]).unwrap(); // global_load_b32 v0, v0, s[0:1]
    /// let mut hazards = Hazards::new(Target::Gfx1250).kernel();
    /// hazards.issue(&clause);
    /// assert!(hazards.needs(&load).event.unwrap().rule.caution().is_some());
    /// # }
    /// ```
    pub fn kernel(mut self) -> Hazards {
        let rows = HAZARDS[self.target as usize].begin & self.modes.rows(HAZARDS[self.target as usize]);
        if let Ok(inst) = make(self.target, made::S_NOP, &[]) {
            if rows != 0 {
                self.merge(&Past { rows, inst, states: 0, valu: 0, trans: 0, mem: 0, ..EMPTY });
            }
        }
        self
    }

    /// The target.
    pub const fn target(&self) -> Target {
        self.target
    }

    /// How many wait states one `s_nop` can be.
    pub(crate) fn longest_nop(&self) -> u8 {
        HAZARDS[self.target as usize].nop as u8 + 1
    }

    fn past(&self) -> &[Past] {
        self.past.get(..self.len.into()).unwrap_or(&self.past)
    }

    fn past_mut(&mut self) -> &mut [Past] {
        let len = usize::from(self.len).min(Hazards::MOST);
        self.past.split_at_mut(len).0
    }

    /// What is missing before the instruction, if it is the next one: the most of each unit.
    ///
    /// An instruction of another target needs nothing.
    pub fn needs(&self, inst: &Inst) -> Needs {
        let mut needs = Needs::default();
        self.each(inst, |need| {
            let most = match need.rule.unit() {
                Unit::States => &mut needs.states,
                Unit::Valu => &mut needs.valu,
                Unit::Event => &mut needs.event,
            };
            if most.as_ref().is_none_or(|most| most.missing < need.missing) {
                *most = Some(need);
            }
        });
        needs
    }

    /// Everything that is missing before the instruction, by each rule and for each earlier instruction.
    pub fn each(&self, inst: &Inst, mut take: impl FnMut(Need)) {
        if inst.target() != self.target {
            return;
        }
        let tables = HazardTables::of(inst);
        let possible = self.past().iter().fold(self.lost.rows, |rows, past| rows | past.rows);
        let mut consumes = possible & tables.classes(inst).fold(0, |rows, class| rows | class.consumes);
        if consumes == 0 {
            return;
        }
        let files = all_files(inst);
        for (n, row) in bits(consumes).filter_map(|n| Some((n, tables.rows.get(n)?))) {
            if !may_hold(&row.consumer, inst, files) {
                consumes &= !(1 << n);
            }
        }
        for past in self.past().iter().filter(|past| past.rows & consumes != 0) {
            let passes = Some(passes(&past.inst));
            self.of(past, passes, (inst, consumes & !tables.again), |row| matches(row, &past.inst, inst), &mut take);
        }
        for (n, row) in bits(consumes & tables.again).filter_map(|n| Some((n, tables.rows.get(n)?))) {
            let of_row = || self.past().iter().filter(move |past| past.rows >> n & 1 == 1);
            let distance = if self.strict { row.most } else { row.distance }[0];
            // Both were near each other on one path.
            let seconds = move || of_row().filter(move |past| past.armed >> n & 1 == 1);
            let both = of_row().flat_map(|first| seconds().map(move |second| [first, second]));
            both.filter_map(|both| of_two(row, both, distance, inst)).for_each(&mut take);
        }
        // Of two producers, one that is lost says too little.
        let consumes = consumes & !tables.again;
        if self.lost.rows & consumes != 0 {
            let matches = |row: &HazardRow| holds(&row.consumer, inst).then_some(None);
            self.of(&self.lost, None, (inst, consumes), matches, &mut take);
        }
    }

    /// What one earlier instruction demands. Without `passes`, as if it had the most.
    fn of(
        &self,
        past: &Past,
        passes: Option<u8>,
        (inst, consumes): (&Inst, u128),
        matches: impl Fn(&HazardRow) -> Option<Option<Reg>>,
        take: &mut impl FnMut(Need),
    ) {
        let tables = HazardTables::of(&past.inst);
        let active = past.rows & consumes & (past.armed | !(tables.thens | tables.asking));
        for row in bits(active).filter_map(|n| tables.rows.get(n)) {
            let distances = if self.strict { row.most } else { row.distance };
            let of_passes = distances.iter().zip(PASSES).filter(|(_, n)| passes.is_none_or(|passes| passes == *n));
            // Without passes, all are the same.
            let distance = of_passes.map(|(distance, _)| *distance).max().unwrap_or(distances[0]);
            let passed = match row.unit {
                Unit::States => past.states,
                Unit::Valu => past.valu,
                Unit::Event => 0,
            };
            let missing = match row.field.and_then(|field| inst.get(field)) {
                // Of transcendental operations nobody knows when they are done.
                Some(0) => 0,
                Some(_) if past.trans != 0 => 1,
                Some(own) => distance.min(own as u8).saturating_sub(passed),
                None => distance.saturating_sub(passed),
            };
            if missing == 0 || past.trans >= row.trans || past.counted.reaches(row.times) {
                continue;
            }
            if past.states >= row.lasts && !self.strict {
                continue;
            }
            if let Some(register) = matches(row) {
                take(Need { rule: Rule(row.rule), missing, producer: past.inst, register });
            }
        }
    }

    /// The instruction is issued.
    pub fn issue(&mut self, inst: &Inst) {
        if inst.target() != self.target {
            return;
        }
        let tables = HazardTables::of(inst);
        let (mut ends, mut arms, mut is) = (0, 0, 0);
        let mut new = Past { inst: *inst, states: 0, valu: 0, trans: 0, mem: 0, ..EMPTY };
        for class in tables.classes(inst) {
            ends |= class.ends;
            arms |= class.arms;
            for ender in bits(class.enders.into()).filter_map(|n| tables.enders.get(n)) {
                match ender.over {
                    _ if !holds(&ender.side, inst) => {}
                    _ if ender.upto.is_some() => self.end_upto(ender, inst),
                    true => self.end_covered(ender, inst),
                    false => ends |= ender.rows,
                }
            }
            is |= class.is;
            new.rows |= class.produces & self.modes.rows(tables);
            (new.last_states, new.last_valu) = (new.last_states.max(class.states), new.last_valu.max(class.valu));
        }
        let files = if new.rows == 0 { (0, 0) } else { all_files(inst) };
        for (n, row) in bits(new.rows).filter_map(|n| Some((n, tables.rows.get(n)?))) {
            // What waits for an event stays for long, so only what matters may.
            let is_event = tables.events >> n & 1 == 1;
            if !may_hold(&row.producer, inst, files) || is_event && !holds(&row.producer, inst) {
                new.rows &= !(1 << n);
            }
        }
        if is & class::EXPERT != 0 {
            self.modes.expert = turns_expert(tables, inst).unwrap_or(self.modes.expert);
        }
        let seen = self.seen.issue(tables, is, inst);
        for (n, row) in bits(new.rows & tables.asking).filter_map(|n| Some((n, tables.rows.get(n)?))) {
            match seen.has(row, inst) {
                false => new.rows &= !(1 << n),
                true => new.armed |= 1 << n,
            }
        }
        let states = match is & class::NOP {
            0 => 1,
            _ => (inst.get(Field::Simm16).unwrap_or(0) & u32::from(tables.nop)) as u8 + 1,
        };
        let counted = counts(tables, is, inst);
        let passed = if is & class::ACCESS != 0 { tables.directly } else { 0 };
        let pass = |past: &mut Past| {
            past.counted.pass(counted);
            past.rows &= !ends;
            past.armed = past.armed & !passed | past.rows & arms;
            past.states = past.states.saturating_add(states);
            past.valu = past.valu.saturating_add(u8::from(is & class::VALU != 0));
            past.trans = past.trans.saturating_add(u8::from(is & class::TRANS != 0));
            past.mem = past.mem.saturating_add(u8::from(is & class::MEM != 0)).min(MEMS);
        };
        self.past_mut().iter_mut().for_each(pass);
        if self.lost.rows != 0 {
            pass(&mut self.lost);
            if self.lost.is_over(tables) {
                self.lost = EMPTY;
            }
        }
        self.remove(|past| past.is_over(tables));
        for (n, row) in bits(new.rows & tables.again).filter_map(|n| Some((n, tables.rows.get(n)?))) {
            let mut firsts = self.past().iter().filter(|past| past.rows >> n & 1 == 1);
            if firsts.any(|first| are_near(row, [first, &new])) {
                new.armed |= 1 << n;
            }
        }
        if new.rows != 0 {
            for n in bits(new.rows & tables.events) {
                let Some(row) = tables.rows.get(n) else { continue };
                for past in self.past_mut().iter_mut().filter(|past| past.rows >> n & 1 == 1) {
                    if covers((&row.producer, inst), (&row.producer, &past.inst)) {
                        past.rows &= !(1 << n);
                    }
                }
            }
            self.remove(|past| past.rows == 0);
            self.merge(&new);
        }
    }

    /// The instruction waits until so many are left, and ends rows of producers with more behind them.
    fn end_upto(&mut self, ender: &Ender, inst: &Inst) {
        let ends = |past: &Past| ender.upto.as_ref().is_some_and(|upto| reaches(upto, past, inst));
        for past in self.past_mut().iter_mut().filter(|past| ends(past)) {
            past.rows &= !ender.rows;
        }
        if ends(&self.lost) {
            self.lost.rows &= !ender.rows;
        }
    }

    /// The instruction ends rows of producers whose registers are all among its own.
    fn end_covered(&mut self, ender: &Ender, inst: &Inst) {
        let tables = HazardTables::of(inst);
        for past in self.past_mut() {
            for (n, row) in bits(past.rows & ender.rows).filter_map(|n| Some((n, tables.rows.get(n)?))) {
                match covers((&ender.side, inst), (&row.producer, &past.inst)) {
                    true if ender.begins => past.armed |= 1 << n,
                    true => past.rows &= !(1 << n),
                    false => {}
                }
            }
        }
    }

    /// Another path leads to the same place: takes the worst of both. Returns whether anything changed, so that repeating
    /// it until nothing does ends.
    pub fn join(&mut self, other: &Hazards) -> bool {
        let before = *self;
        self.strict |= other.strict;
        self.modes = self.modes.worse(other.modes);
        self.seen.join(other.seen);
        for past in other.past() {
            let mut past = *past;
            let tables = HazardTables::of(&past.inst);
            for n in bits(past.rows & tables.events) {
                let Some(row) = tables.rows.get(n) else { continue };
                let mut same = self.past().iter().filter(|p| p.rows >> n & 1 == 1 && p.inst != past.inst);
                if same.any(|p| covers((&row.producer, &p.inst), (&row.producer, &past.inst))) {
                    past.rows &= !(1 << n);
                }
            }
            if past.rows != 0 && !past.is_over(tables) {
                self.merge(&past);
            }
        }
        if other.lost.rows != 0 {
            self.lost.worsen(&other.lost);
        }
        *self != before
    }

    /// Adds an instruction, or the worse of two that are the same. If there is no room, that of the longest past is lost.
    fn merge(&mut self, new: &Past) {
        let order = new.inst.order();
        let at = self.past().partition_point(|past| past.inst.order() < order);
        if let Some(same) = self.past_mut().get_mut(at).filter(|past| past.inst == new.inst) {
            // The newer one, if both are on one path.
            same.worsen(new);
            return;
        }
        if usize::from(self.len) == Hazards::MOST {
            let age = |past: &Past| (past.states, past.valu, past.inst.order());
            let oldest = self.past_mut().iter_mut().max_by_key(|past| age(past));
            match oldest.filter(|oldest| age(oldest) > age(new)) {
                Some(oldest) => {
                    let lost = core::mem::replace(oldest, EMPTY);
                    self.lost.worsen(&lost);
                    self.remove(|past| past.rows == 0);
                    self.merge(new);
                }
                None => self.lost.worsen(new),
            }
            return;
        }
        if let Some(room) = self.past.get_mut(at..=self.len.into()) {
            room.rotate_right(1);
            if let Some(first) = room.first_mut() {
                *first = *new;
                self.len += 1;
            }
        }
    }

    /// Removes some, and keeps the order of the others.
    fn remove(&mut self, gone: impl Fn(&Past) -> bool) {
        let mut kept = 0;
        for n in 0..usize::from(self.len) {
            if let Some(past) = self.past.get(n).copied().filter(|past| !gone(past)) {
                if let Some(place) = self.past.get_mut(kept) {
                    *place = past;
                    kept += 1;
                }
            }
        }
        self.len = kept as u8;
    }
}

impl Past {
    /// Nothing depends on it any more.
    fn is_over(&self, tables: &HazardTables) -> bool {
        let far = self.states >= self.last_states && self.valu >= self.last_valu;
        self.rows == 0 || far && self.rows & tables.events == 0
    }

    /// The worse of two.
    fn worsen(&mut self, other: &Past) {
        if self.rows == 0 {
            *self = *other;
            return;
        }
        self.rows |= other.rows;
        self.armed |= other.armed;
        self.states = self.states.min(other.states);
        self.valu = self.valu.min(other.valu);
        self.trans = self.trans.min(other.trans);
        self.mem = self.mem.min(other.mem);
        self.counted.worsen(other.counted);
        self.last_states = self.last_states.max(other.last_states);
        self.last_valu = self.last_valu.max(other.last_valu);
    }
}

/// The numbers of the bits that are set.
fn bits(mut set: u128) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let n = set.trailing_zeros();
        set &= set.wrapping_sub(1);
        (n < u128::BITS).then_some(n as usize)
    })
}
