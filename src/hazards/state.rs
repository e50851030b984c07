//! What the instructions before the next one leave behind.

use crate::assembler::make;
use crate::common::made;
use crate::hazards::owed::{self, Owed};
use crate::hazards::pair::{all_files, covers, holds, matches, matches_run, may_hold, passes, runs};
use crate::hazards::room::{Bounded, Capacity, Few, Room};
use crate::hazards::steps::{Age, Seen, counts, follows, of_two, reaches, turns_expert};
use crate::hazards::table::{Ender, HazardRow, HazardTables, class};
use crate::hazards::{Modes, Need, Needs, Rule, Unit};
use crate::target::HAZARDS;
use crate::{Field, Inst, Reg, Target, VgprMsb};

/// The instructions that can still harm the next one: a value, which is `Copy` if it is [`Bounded`].
///
/// A bounded one has room for [`Hazards::MOST`] of them, more than the longest distance. Where so many paths join that there
/// are more, it knows that something is missing ([`Hazards::is_incomplete`]): [`Hazards::needs`] does not say what, and
/// [`Hazards::protect`] inserts more than is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hazards<C: Capacity = Bounded> {
    target: Target,
    /// Also what one source demands and another denies.
    strict: bool,
    modes: Modes,
    /// The upper bits of the numbers of vector registers.
    msb: VgprMsb,
    /// The scalar registers that `HazardTables::seen` is about.
    seen: Seen,
    /// The earlier instructions that distances are about, in the order of `Past::order`.
    past: C::Past,
    /// Those that an event is about.
    owed: C::Owed,
    /// What had no room: the first instruction stands for all of them.
    lost: Past,
    /// What came since the function began, for who follows calls: an instruction before it that produces every row.
    before: Past,
}

impl Copy for Hazards {}

/// An instruction that was issued.
#[derive(Clone, Copy, Debug)]
pub struct Past {
    /// The rows of which it is a producer, and which nothing ended.
    rows: u128,
    /// Those of them for which what has to come between came.
    armed: u128,
    pub(super) inst: Inst,
    pub(super) msb: VgprMsb,
    /// What `Hazards::issue_at` was told.
    pub(super) place: u32,
    /// It is one of the caller.
    inherited: bool,
    /// What came after it.
    pub(super) age: Age,
    /// The longest distances among its rows.
    last_states: u8,
    last_valu: u8,
}

/// The numbers of passes that a row has a distance for.
pub(super) const PASSES: [u8; 5] = [2, 4, 8, 16, 32];

const EMPTY: Past = Past {
    rows: 0,
    armed: 0,
    inst: Inst::of(0, 0, 0),
    msb: VgprMsb::ENTRY,
    place: 0,
    inherited: false,
    age: Age::OLD,
    last_states: 0,
    last_valu: 0,
};

/// What a function begins with for who follows calls: nothing came, and nothing ended.
const BEFORE: Past = Past { rows: u128::MAX, age: Age::NEW, last_states: u8::MAX, last_valu: u8::MAX, ..EMPTY };

impl Default for Past {
    fn default() -> Past {
        EMPTY
    }
}

/// What came after the longest distance makes no difference.
impl PartialEq for Past {
    fn eq(&self, other: &Past) -> bool {
        let of = |past: &Past| {
            let last = (past.last_states, past.last_valu);
            let Age { states, valu, .. } = past.age;
            (Age { states: states.min(last.0), valu: valu.min(last.1), ..past.age }, last)
        };
        of(self) == of(other) && self.is_of(other)
    }
}

impl Eq for Past {}

impl Hazards {
    /// How many earlier instructions it can hold.
    pub const MOST: usize = 32;

    /// Nothing has been issued yet. It demands what manuals and LLVM agree on, and what one of them knows and the others say
    /// nothing about.
    pub const fn new(target: Target) -> Hazards {
        Hazards {
            target,
            strict: false,
            modes: Modes::NEITHER,
            msb: VgprMsb::ENTRY,
            seen: Seen::NOTHING,
            past: Few::new(EMPTY),
            owed: Few::new(Owed::NONE),
            lost: EMPTY,
            before: EMPTY,
        }
    }

    /// The same, but it also demands what one source demands and another one denies: who inserts that is safe.
    pub const fn strict(target: Target) -> Hazards {
        Hazards { strict: true, ..Hazards::new(target) }
    }
}

#[cfg(feature = "alloc")]
impl Hazards<super::Unbounded> {
    /// Nothing has been issued yet, and there is room for everything that will be. It demands what [`Hazards::new`] does.
    pub fn unbounded(target: Target) -> Self {
        let (past, owed) = (alloc::vec::Vec::new(), alloc::vec::Vec::new());
        let (modes, msb, seen) = (Modes::NEITHER, VgprMsb::ENTRY, Seen::NOTHING);
        Hazards { target, strict: false, modes, msb, seen, past, owed, lost: EMPTY, before: BEFORE }
    }
}

impl<C: Capacity> Hazards<C> {
    /// The same, but from here on it demands what [`Hazards::strict`] does.
    #[must_use]
    pub fn strictly(mut self) -> Self {
        self.strict = true;
        self
    }

    /// The same at the beginning of a function that others call: vector operations may have read any scalar register,
    /// which matters on RDNA4.
    #[must_use]
    pub fn called(mut self) -> Self {
        self.seen = Seen::called(HAZARDS[self.target as usize]);
        self
    }

    /// The same in other modes than [`Modes::NEITHER`].
    #[must_use]
    pub fn with(mut self, modes: Modes) -> Self {
        self.modes = modes;
        self
    }

    /// The modes, as far as they are known here.
    pub const fn modes(&self) -> Modes {
        self.modes
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
    #[must_use]
    pub fn kernel(mut self) -> Self {
        let tables = HAZARDS[self.target as usize];
        let rows = tables.begin & self.modes.rows(tables);
        if let Some(inst) = make(self.target, made::S_NOP, &[]).ok().filter(|_| rows != 0) {
            let new = Past { rows: rows & !tables.events, inst, age: Age::NEW, ..EMPTY };
            for (n, row) in bits(rows & tables.events).filter_map(|n| Some((n, tables.rows.get(n)?))) {
                self.owe(n, row, &new);
            }
            if new.rows != 0 {
                self.merge(&new);
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

    /// More instructions could harm the next one than there is room for: [`Hazards::needs`] may leave something out.
    pub const fn is_incomplete(&self) -> bool {
        self.lost.rows != 0
    }

    /// The upper bits of the numbers of vector registers.
    pub const fn msb(&self) -> VgprMsb {
        self.msb
    }

    /// What is missing before the instruction, if it is the next one: the most of each unit.
    ///
    /// An instruction of another target needs nothing.
    pub fn needs(&self, inst: &Inst) -> Needs {
        let mut needs = Needs::default();
        self.each(inst, |need| needs.add(need));
        needs
    }

    /// The same, and what may be missing for instructions that had no room.
    pub(crate) fn needs_at_most(&self, inst: &Inst) -> Needs {
        let mut needs = self.needs(inst);
        self.each_lost(inst, |need| needs.add(need));
        needs
    }

    /// Everything that is missing before the instruction, by each rule and for each earlier instruction.
    pub fn each(&self, inst: &Inst, mut take: impl FnMut(Need)) {
        let possible = self.past.iter().fold(0, |rows, past| rows | past.rows);
        let possible = self.owed.iter().fold(possible, |rows, owed| rows | 1 << owed.row);
        let Some((tables, consumes)) = self.consumes(inst, possible) else { return };
        for past in self.past.iter().filter(|past| past.rows & consumes != 0) {
            let passes = Some(passes(&past.inst));
            let pair = ((&past.inst, past.msb), (inst, self.msb));
            let single = consumes & !tables.again;
            self.of(past, passes, (inst, single), |row| matches(row, pair.0, pair.1), &mut take);
        }
        for (n, row) in bits(consumes & tables.again).filter_map(|n| Some((n, tables.rows.get(n)?))) {
            let firsts = || self.past.iter().filter(move |past| past.rows >> n & 1 == 1);
            let seconds = move || firsts().filter(move |past| past.armed >> n & 1 == 1);
            let distance = self.distance(row, None);
            let both = firsts().flat_map(|first| seconds().map(move |second| [first, second]));
            both.filter_map(|both| of_two(row, both, distance, (inst, self.msb))).for_each(&mut take);
        }
        for owed in self.owed.iter().filter(|owed| consumes >> owed.row & 1 == 1) {
            let Some(row) = tables.rows.get(usize::from(owed.row)) else { continue };
            let waits = owed.armed || (tables.thens | tables.asking) >> owed.row & 1 == 0;
            if !waits || self.distance(row, Some(passes(&owed.inst))) == 0 || self.is_past(row, &owed.age) {
                continue;
            }
            // The registers that are left of it.
            let register = match owed.count {
                0 => matches(row, (&owed.inst, owed.msb), (inst, self.msb)),
                _ => matches_run(row, owed, (inst, self.msb)),
            };
            if let Some(register) = register {
                take(Need { rule: Rule(row.rule), missing: 1, producer: owed.inst, place: owed.place, register });
            }
        }
    }

    /// What may be missing for instructions that had no room.
    pub(crate) fn each_lost(&self, inst: &Inst, mut take: impl FnMut(Need)) {
        if let Some((tables, consumes)) = self.consumes(inst, self.lost.rows) {
            // Of two producers, one that is lost says too little.
            let consumes = consumes & !tables.again;
            let matches = |row: &HazardRow| holds(&row.consumer, inst).then_some(None);
            self.of(&self.lost, None, (inst, consumes), matches, &mut take);
        }
    }

    /// Those of some rows that the instruction may be a consumer of; `None` if there is none.
    fn consumes(&self, inst: &Inst, possible: u128) -> Option<(&'static HazardTables, u128)> {
        if possible == 0 || inst.target() != self.target {
            return None;
        }
        let tables = HazardTables::of(inst);
        let mut consumes = possible & tables.classes(inst).fold(0, |rows, class| rows | class.consumes);
        if consumes == 0 {
            return None;
        }
        let files = all_files(inst);
        for (n, row) in bits(consumes).filter_map(|n| Some((n, tables.rows.get(n)?))) {
            if !may_hold(&row.consumer, inst, files) {
                consumes &= !(1 << n);
            }
        }
        (consumes != 0).then_some((tables, consumes))
    }

    /// The distance that a row demands. Without `passes`, as if the producer had the most.
    fn distance(&self, row: &HazardRow, passes: Option<u8>) -> u8 {
        let distances = if self.strict { row.most } else { row.distance };
        let of_passes = distances.iter().zip(PASSES).filter(|(_, n)| passes.is_none_or(|passes| passes == *n));
        // Without passes, all are the same.
        of_passes.map(|(distance, _)| *distance).max().unwrap_or(distances[0])
    }

    /// What came after an instruction ends a row, whatever it was.
    fn is_past(&self, row: &HazardRow, age: &Age) -> bool {
        age.counted.reaches(row.times) || age.states >= row.lasts && !self.strict
    }

    /// What one earlier instruction demands.
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
            let distance = self.distance(row, passes);
            let passed = match row.unit {
                Unit::States => past.age.states,
                Unit::Valu => past.age.valu,
                Unit::Event => 0,
            };
            let missing = match row.field.and_then(|field| inst.get(field)) {
                // Of transcendental operations nobody knows when they are done.
                Some(0) => 0,
                Some(_) if past.age.trans != 0 => 1,
                Some(own) => distance.min(own as u8).saturating_sub(passed),
                None => distance.saturating_sub(passed),
            };
            if missing == 0 || past.age.trans >= row.trans || self.is_past(row, &past.age) {
                continue;
            }
            if let Some(register) = matches(row) {
                take(Need { rule: Rule(row.rule), missing, producer: past.inst, place: past.place, register });
            }
        }
    }

    /// The instruction is issued.
    pub fn issue(&mut self, inst: &Inst) {
        self.issue_at(inst, 0);
    }

    /// The instruction is issued. `place` is what [`Need::place`] says of it, such as its address.
    pub fn issue_at(&mut self, inst: &Inst, place: u32) {
        self.step(inst, place, true);
    }

    /// The instruction is issued, and what it demands of later ones is left out: for who only asks what those before it demand.
    pub fn pass(&mut self, inst: &Inst) {
        self.step(inst, 0, false);
    }

    fn step(&mut self, inst: &Inst, place: u32, produces: bool) {
        if inst.target() != self.target {
            return;
        }
        let tables = HazardTables::of(inst);
        let (mut ends, mut arms, mut is) = (0, 0, 0);
        let msb = self.msb;
        // A function begins with those of its caller.
        self.msb = if inst.flags().is_call() { msb } else { msb.after(inst) };
        let mut new = Past { inst: *inst, msb, place, age: Age::NEW, ..EMPTY };
        for class in tables.classes(inst) {
            ends |= class.ends;
            arms |= class.arms;
            for ender in bits(class.enders.into()).filter_map(|n| tables.enders.get(n)) {
                match ender.over {
                    _ if !holds(&ender.side, inst) => {}
                    _ if ender.upto.is_some() => self.end_upto(ender, inst),
                    true => self.end_covered(ender, inst, msb),
                    false => ends |= ender.rows,
                }
            }
            is |= class.is;
            if produces {
                new.rows |= class.produces & self.modes.rows(tables);
            }
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
        let step = Age::step(states, is, counts(tables, is, inst));
        let passed = if is & class::ACCESS != 0 { tables.directly } else { 0 };
        let pass = |past: &mut Past| {
            past.age.pass(&step);
            past.rows &= !ends;
            past.armed = past.armed & !passed | past.rows & arms;
        };
        self.past.iter_mut().for_each(pass);
        if self.before.rows != 0 {
            pass(&mut self.before);
        }
        if self.lost.rows != 0 {
            pass(&mut self.lost);
            if self.lost.is_far() {
                self.lost.rows &= tables.events;
            }
            if self.lost.rows == 0 {
                self.lost = EMPTY;
            }
        }
        self.past.keep(|past| !past.is_over());
        if !self.owed.is_empty() {
            let strict = self.strict;
            let is_past = |owed: &Owed| {
                let lasts = tables.rows.get(usize::from(owed.row)).map_or(u8::MAX, |row| row.lasts);
                owed.age.states >= lasts && !strict
            };
            let waited = tables.waited();
            self.owed.keep(|owed| ends >> owed.row & 1 == 0 && !is_past(owed));
            for owed in self.owed.iter_mut() {
                owed.armed = owed.armed && passed >> owed.row & 1 == 0 || arms >> owed.row & 1 == 1;
                owed.age.pass(&step);
                if let Some(row) = tables.rows.get(usize::from(owed.row)) {
                    owed.age.cut(row, waited >> owed.row & 1 == 1);
                }
            }
        }
        for (n, row) in bits(new.rows & tables.events).filter_map(|n| Some((n, tables.rows.get(n)?))) {
            self.owe(n, row, &new);
        }
        for (n, row) in bits(new.rows & tables.again).filter_map(|n| Some((n, tables.rows.get(n)?))) {
            // It is the second one of a pair.
            if self.past.iter().any(|past| past.rows >> n & 1 == 1 && follows(row, &past.age)) {
                new.armed |= 1 << n;
            }
        }
        new.rows &= !tables.events;
        if new.rows != 0 {
            // What no row of it counts makes no difference.
            let counts = |unit: Unit| bits(new.rows).any(|n| tables.rows.get(n).is_some_and(|row| row.unit == unit));
            let (states, valu) = (counts(Unit::States), counts(Unit::Valu));
            new.last_states = if states { new.last_states } else { 0 };
            new.last_valu = if valu { new.last_valu } else { 0 };
            self.merge(&new);
        }
    }

    /// The instruction is issued to which a row says that something has to come.
    fn owe(&mut self, number: usize, row: &HazardRow, new: &Past) {
        let armed = new.armed >> number & 1 == 1;
        let Past { inst, msb, place, .. } = *new;
        let (row_number, age) = (number as u8, Age::NEW);
        let owed = Owed { row: row_number, armed, inherited: false, first: 0, count: 0, inst, msb, place, age };
        let mut has_room = true;
        match row.is_about_registers() {
            false => has_room &= owed::add(&mut self.owed, owed),
            true => {
                for (first, count) in runs(&row.producer, (&new.inst, new.msb)) {
                    has_room &= owed::add(&mut self.owed, Owed { first: first as u16, count: count as u16, ..owed });
                }
            }
        }
        if !has_room {
            self.lose(&Past { rows: 1 << number, ..*new });
        }
    }

    /// The instruction waits until so many are left, and ends rows of producers with more behind them.
    fn end_upto(&mut self, ender: &Ender, inst: &Inst) {
        let ends =
            |producer: &Inst, age: &Age| ender.upto.as_ref().is_some_and(|upto| reaches(upto, (producer, age), inst));
        for past in self.past.iter_mut().filter(|past| ends(&past.inst, &past.age)) {
            past.rows &= !ender.rows;
        }
        self.owed.keep(|owed| ender.rows >> owed.row & 1 == 0 || !ends(&owed.inst, &owed.age));
        if ends(&self.lost.inst, &self.lost.age) {
            self.lost.rows &= !ender.rows;
        }
    }

    /// What had no room is not forgotten.
    fn lose(&mut self, past: &Past) {
        self.lost.worsen(past);
    }

    /// The instruction ends rows of producers whose registers are all among its own.
    fn end_covered(&mut self, ender: &Ender, inst: &Inst, msb: VgprMsb) {
        let tables = HazardTables::of(inst);
        for past in self.past.iter_mut() {
            for (n, row) in bits(past.rows & ender.rows).filter_map(|n| Some((n, tables.rows.get(n)?))) {
                match covers((&ender.side, (inst, msb)), (&row.producer, (&past.inst, past.msb))) {
                    true if ender.begins => past.armed |= 1 << n,
                    true => past.rows &= !(1 << n),
                    false => {}
                }
            }
        }
        if ender.rows & tables.events != 0 {
            for (first, count) in runs(&ender.side, (inst, msb)) {
                let is_meant = |owed: &Owed| ender.rows >> owed.row & 1 == 1;
                owed::take(&mut self.owed, (first as u16, count as u16), is_meant);
            }
        }
    }

    /// Another path leads to the same place: takes the worst of both. Returns whether anything changed, so that repeating
    /// it until nothing does ends.
    pub fn join(&mut self, other: &Self) -> bool {
        let simple = |state: &Self| (state.strict, state.modes, state.seen, state.msb, state.lost, state.before);
        let before = simple(self);
        self.strict |= other.strict;
        self.modes = self.modes.worse(other.modes);
        self.seen.join(other.seen);
        self.msb = self.msb.joined(other.msb);
        self.before.worsen(&other.before);
        if other.lost.rows != 0 {
            self.lose(&other.lost);
        }
        let mut changed = false;
        for past in other.past.iter().filter(|past| !past.is_over()) {
            changed |= self.merge(past);
        }
        for owed in other.owed.iter() {
            let (is_new, has_room) = owed::join(&mut self.owed, owed);
            changed |= is_new && has_room;
            if !has_room {
                self.lose(&Past { rows: 1 << owed.row, inst: owed.inst, age: owed.age, ..EMPTY });
            }
        }
        changed || simple(self) != before
    }

    /// The same for a comparison within a function: without what happened since it began.
    #[must_use]
    pub fn in_function(mut self) -> Self {
        self.before = EMPTY;
        self
    }

    /// A call has returned from a function that is not known, which may have read any scalar register as a mask.
    pub fn returned(&mut self) {
        self.seen.join(Seen::called(HAZARDS[self.target as usize]));
        self.msb = VgprMsb::ENTRY;
    }

    /// A function begins that was called: what came before it is the caller's.
    pub fn enter(&mut self) {
        self.before = BEFORE;
        let (past, owed) = (self.past.clone(), self.owed.clone());
        self.past.cut(0);
        self.owed.cut(0);
        for past in past.iter() {
            self.merge(&Past { inherited: true, ..*past });
        }
        for owed in owed.iter() {
            owed::join(&mut self.owed, &Owed { inherited: true, ..*owed });
        }
    }

    /// A function returns to its caller, who knows what came before.
    pub fn leave(&mut self) {
        self.past.keep(|past| !past.inherited);
        self.owed.keep(|owed| !owed.inherited);
    }

    /// A call returns with this state of the function that was called, which began with [`Hazards::enter`] and perhaps other
    /// states of other callers.
    pub fn returned_from(&mut self, exit: &Self) {
        let (since, tables) = (exit.before, HAZARDS[self.target as usize]);
        let waited = tables.waited();
        for past in self.past.iter_mut().chain([&mut self.before]) {
            past.rows &= since.rows;
            past.armed |= past.rows & since.armed;
            past.age.pass(&since.age);
        }
        self.past.keep(|past| !past.is_over());
        self.owed.keep(|owed| since.rows >> owed.row & 1 == 1);
        for owed in self.owed.iter_mut() {
            owed.armed |= since.armed >> owed.row & 1 == 1;
            owed.age.pass(&since.age);
            if let Some(row) = tables.rows.get(usize::from(owed.row)) {
                owed.age.cut(row, waited >> owed.row & 1 == 1);
            }
        }
        (self.seen, self.msb, self.modes) = (exit.seen, exit.msb, exit.modes);
        if exit.lost.rows != 0 {
            self.lose(&exit.lost);
        }
        for past in exit.past.iter().filter(|past| !past.inherited) {
            self.merge(past);
        }
        for owed in exit.owed.iter().filter(|owed| !owed.inherited) {
            owed::join(&mut self.owed, owed);
        }
    }

    /// Adds an instruction, or the worse of two that are the same. If there is no room, that of the longest past is lost.
    /// Returns whether anything changed.
    fn merge(&mut self, new: &Past) -> bool {
        let order = new.order();
        let at = self.past.partition_point(|past| past.order() < order);
        let alike = self.past.iter_mut().skip(at).take_while(|past| past.order() == order);
        let mut alike = alike;
        if let Some(same) = alike.find(|past| past.is_of(new)) {
            // The newer one, if both are on one path.
            let before = *same;
            same.worsen(new);
            return *same != before;
        }
        if self.past.put(at, *new) {
            return true;
        }
        let age = |past: &Past| (past.age.states, past.age.valu, past.order());
        let oldest = self.past.iter_mut().max_by_key(|past| age(past));
        match oldest.filter(|oldest| age(oldest) > age(new)) {
            Some(oldest) => {
                let lost = core::mem::replace(oldest, EMPTY);
                self.lose(&lost);
                self.past.keep(|past| past.rows != 0);
                self.merge(new)
            }
            None => {
                let before = self.lost;
                self.lose(new);
                self.lost != before
            }
        }
    }
}

impl Past {
    /// What an order of instructions compares.
    fn order(&self) -> impl Ord + Copy + use<> {
        (self.inst.order(), self.msb.bits(), self.inherited)
    }

    /// It is the same instruction, with the same registers, for the same rows: it differs by its distance at most.
    fn is_of(&self, other: &Past) -> bool {
        let of = |past: &Past| (past.rows, past.armed, past.age.trans, past.msb, past.inherited);
        self.inst == other.inst && of(self) == of(other)
    }

    /// Nothing depends on it any more.
    fn is_over(&self) -> bool {
        self.rows == 0 || self.is_far()
    }

    /// The longest distance has passed.
    fn is_far(&self) -> bool {
        self.age.states >= self.last_states && self.age.valu >= self.last_valu
    }

    /// The worse of two.
    fn worsen(&mut self, other: &Past) {
        if self.rows == 0 {
            *self = *other;
            return;
        }
        if other.age.states < self.age.states {
            self.place = other.place;
        }
        self.rows |= other.rows;
        self.armed |= other.armed;
        self.age.worsen(&other.age);
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
