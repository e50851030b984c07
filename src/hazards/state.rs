//! The earlier instructions from which the next one must keep a distance, or after which a rule demands another
//! instruction before the next one.

use crate::compose::compose;
use crate::flags::Flags;
use crate::hazards::next::Next;
use crate::hazards::owed::{self, Owed};
use crate::hazards::pair::{Match, conditions_hold, covering, has_operand, holds, is_gone, overwritten, passes, runs};
use crate::hazards::pair::{matches, matches_rest, matches_run, perhaps_read};
use crate::hazards::past::{EMPTY, Past, kind};
use crate::hazards::room::{Bounded, Capacity, Few, Room};
use crate::hazards::rule::PASSES;
use crate::hazards::steps::{Age, Seen, counted, expert_after, makes_pair, need_of_two, wait_ends};
use crate::hazards::table::{bits, longest};
use crate::hazards::uses::{Run, Uses};
use crate::hazards::{Modes, Need, Needs, Unit};
use crate::inst::Inst;
use crate::opcode::{Field, well_known};
use crate::table::hazards::{Ender, HazardRow, HazardTables, class};
use crate::target::{HAZARDS, Target};
use crate::vgpr_msb::VgprMsb;

/// The earlier instructions that still constrain the next one: a value, which is `Copy` if it is [`Bounded`].
///
/// A bounded state has room for [`Hazards::MOST`] instructions from which distances are counted, more than the longest
/// distance, and for some instructions after which another instruction has to come. If more remain, for example where
/// many paths meet, the state is incomplete ([`Hazards::is_incomplete`]): [`Hazards::needs`] may leave something out,
/// and [`Hazards::protect`] may insert more than is needed.
///
/// On CDNA5 the upper bits of vector registers' numbers are followed ([`VgprMsb`]). Where paths with different bits
/// meet, a need for a distance is not [sure](Need::is_sure) if it is about vector registers. Rules without a distance
/// then report nothing about vector registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hazards<C: Capacity = Bounded> {
    pub(super) target: Target,
    /// Whether to demand the distances that one source demands and another one denies.
    pub(super) strict: bool,
    pub(super) modes: Modes,
    /// The upper bits of the numbers of vector registers.
    pub(super) msb: VgprMsb,
    /// Scalar registers that count as seen, because earlier instructions accessed them: see `HazardTables::seen`.
    pub(super) seen: Seen,
    /// The earlier instructions from which distances are counted, in the order of `Past::order`.
    pub(super) past: C::Past,
    /// The earlier instructions after which another instruction has to come before the consumer.
    pub(super) owed: C::Owed,
    /// The entry of all instructions that had no room, with the rows of all of them and the least of their ages.
    pub(super) overflow: Past,
    /// A stand-in for the instructions before a known call that has entered the function. Its rows are those that the
    /// function has not ended, and its age counts the function's instructions. `Hazards::returned_from` applies both to
    /// the caller's entries.
    pub(super) before_call: Past,
}

/// The change of the entries of earlier instructions when an instruction is issued. The steps of [`Hazards::step_of`]
/// are inlined, so that the fields of an `Advance` stay in machine registers.
struct Advance {
    /// The rows that the instruction ends.
    ends: u128,
    /// The rows that demand an intermediate instruction, and for which the issued instruction is one.
    arms: u128,
    /// The rows whose intermediate instruction no longer counts.
    disarms: u128,
    /// The age that the instruction adds.
    age: Age,
    /// The kinds of the instruction's operations, among those that waits count, as bits.
    kinds: u16,
}

impl Advance {
    #[inline(always)]
    fn apply(&self, past: &mut Past) {
        past.age.add(&self.age);
        if self.ends != 0 {
            past.rows &= !self.ends;
        }
        if self.disarms | self.arms != 0 {
            past.armed = past.armed & !self.disarms | past.rows & self.arms;
        }
    }
}

impl Copy for Hazards {}

impl Hazards {
    /// The number of earlier instructions that a bounded state can hold to count distances from them.
    pub const MOST: usize = 32;

    /// A state before the first instruction. It demands the distances on which manuals and LLVM agree, and those that
    /// one source knows and no other denies.
    pub const fn new(target: Target) -> Hazards {
        Hazards {
            target,
            strict: false,
            modes: Modes::NEITHER,
            msb: VgprMsb::ENTRY,
            seen: Seen::NOTHING,
            past: Few::new(EMPTY),
            owed: Few::new(Owed::NONE),
            overflow: EMPTY,
            before_call: EMPTY,
        }
    }

    /// A state like [`Hazards::new`], whose rules also include the demands that one source makes and another one
    /// denies.
    pub const fn strict(target: Target) -> Hazards {
        Hazards { strict: true, ..Hazards::new(target) }
    }
}

#[cfg(feature = "alloc")]
impl Hazards<super::Unbounded> {
    /// A state before the first instruction, with the demands of [`Hazards::new`] and room for any number of
    /// instructions.
    pub fn unbounded(target: Target) -> Self {
        let (past, owed) = (alloc::vec::Vec::new(), alloc::vec::Vec::new());
        let (modes, msb, seen) = (Modes::NEITHER, VgprMsb::ENTRY, Seen::NOTHING);
        Hazards { target, strict: false, modes, msb, seen, past, owed, overflow: EMPTY, before_call: EMPTY }
    }
}

impl<C: Capacity> Hazards<C> {
    /// The state with the demands of [`Hazards::strict`] from now on.
    #[must_use]
    pub fn strictly(mut self) -> Self {
        self.strict = true;
        self
    }

    /// The state at the beginning of a function that others call: vector operations may have read any scalar register,
    /// which matters on RDNA4.
    #[must_use]
    pub fn called(mut self) -> Self {
        self.seen = Seen::called(HAZARDS[self.target as usize]);
        self
    }

    /// The state in these modes, instead of [`Modes::NEITHER`].
    #[must_use]
    pub fn with(mut self, modes: Modes) -> Self {
        self.modes = modes;
        self
    }

    /// The modes at this place in the code, as far as they are known.
    pub const fn modes(&self) -> Modes {
        self.modes
    }

    /// The state at the beginning of a kernel. In needs by rules about this beginning, [`Need::producer`] is an
    /// `s_nop`.
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
        if let Some(inst) = compose(self.target, well_known::S_NOP, &[]).ok().filter(|_| rows != 0) {
            let uses = Uses::of(&inst, VgprMsb::ENTRY);
            let is_meant = |(_, row): &(usize, &HazardRow)| holds(&row.producer, &uses);
            let rows = tables.numbered(rows).filter(is_meant).fold(0, |rows, (n, _)| rows | 1 << n);
            let new = Past { rows: rows & !tables.events, inst, age: Age::NEW, ..EMPTY };
            for (n, row) in tables.numbered(rows & tables.events) {
                self.owe(n, row, &new, &uses);
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

    /// The greatest number of wait states of one `s_nop`.
    pub(crate) fn longest_nop(&self) -> u8 {
        HAZARDS[self.target as usize].nop as u8 + 1
    }

    /// Whether some instructions had no room, so that [`Hazards::needs`] may leave something out.
    pub const fn is_incomplete(&self) -> bool {
        self.overflow.rows != 0
    }

    /// The upper bits of the numbers of vector registers.
    pub const fn msb(&self) -> VgprMsb {
        self.msb
    }

    /// The distances and instructions that are missing if the instruction is the next one: for each unit the greatest
    /// need.
    ///
    /// An instruction of another target needs nothing.
    pub fn needs(&self, inst: &Inst) -> Needs {
        let mut needs = Needs::default();
        self.each(inst, |need| needs.add(need));
        needs
    }

    /// The needs that [`Hazards::needs`] returns, and the possible needs because of earlier instructions that had no
    /// room.
    pub(crate) fn needs_at_most(&self, next: &Next<'_>) -> Needs {
        let mut needs = Needs::default();
        self.each_of(next, |need| needs.add(need));
        self.each_lost(next, |need| needs.add(need));
        needs
    }

    /// Passes to `take` all that is missing before the instruction, by each rule and for each earlier instruction.
    pub fn each(&self, inst: &Inst, take: impl FnMut(Need)) {
        if inst.target() == self.target {
            self.each_of(&Next::new(inst, self.msb), take);
        }
    }

    /// The rows of all earlier instructions that had room.
    pub(crate) fn rows(&self) -> u128 {
        let rows = self.past.iter().fold(0, |rows, past| rows | past.rows);
        self.owed.iter().fold(rows, |rows, owed| rows | 1 << owed.row)
    }

    pub(crate) fn each_of(&self, next: &Next<'_>, mut take: impl FnMut(Need)) {
        let consumes = self.consumes(next, self.rows());
        if consumes == 0 {
            return;
        }
        let (tables, uses) = (next.tables, &next.uses);
        for past in self.past.iter().filter(|past| past.rows & consumes != 0) {
            let passes = || Some(passes(&past.inst));
            let mut producer = None;
            let over = if past.gone == 0 { 0 } else { tables.overwritten() };
            let matches = |(n, row): (usize, &HazardRow)| {
                let producer = producer.get_or_insert_with(|| Uses::of(&past.inst, past.msb));
                match over >> n & 1 == 1 {
                    true => matches_rest(row, (producer, past.gone), uses),
                    false => matches(row, producer, uses),
                }
            };
            self.each_caused_by(past, passes, (next, consumes & !tables.again), matches, &mut take);
        }
        for (n, row) in tables.numbered(consumes & tables.again) {
            let firsts = || self.past.iter().filter(move |past| past.rows >> n & 1 == 1);
            let seconds = move || firsts().filter(move |past| past.armed >> n & 1 == 1);
            let distance = self.distance(row, None);
            let both = firsts().flat_map(|first| seconds().map(move |second| [first, second]));
            both.filter_map(|both| need_of_two(row, both, distance, uses)).for_each(&mut take);
        }
        for owed in self.owed.iter().filter(|owed| consumes >> owed.row & 1 == 1) {
            let Some(row) = tables.rows.get(usize::from(owed.row)) else { continue };
            let waits = owed.armed || (tables.thens | tables.asking) >> owed.row & 1 == 0;
            if !waits || self.distance(row, Some(passes(&owed.inst))) == 0 || self.is_past(row, &owed.age) {
                continue;
            }
            // An entry about registers matches by the registers that it still has, any other entry by the operands of
            // its instruction.
            let found = match owed.count {
                0 => matches(row, &Uses::of(&owed.inst, owed.msb), uses),
                _ => matches_run(row, owed, uses),
            };
            if let Some(found) = found {
                take(Need::of(row, 1, (owed.inst, owed.place), found));
            }
        }
    }

    /// Passes to `take` everything that may be missing because of instructions that had no room.
    pub(crate) fn each_lost(&self, next: &Next<'_>, mut take: impl FnMut(Need)) {
        if self.overflow.rows != 0 {
            // Rows with two producers are omitted, because `overflow` does not tell whether the other producer came.
            let consumes = self.consumes(next, self.overflow.rows) & !next.tables.again;
            let matches =
                |(_, row): (usize, &HazardRow)| has_operand(&row.consumer, &next.uses).then_some(Match::sure(None));
            self.each_caused_by(&self.overflow, || None, (next, consumes), matches, &mut take);
        }
    }

    /// The rows among `possible` whose conditions on the consumer hold for the instruction.
    fn consumes(&self, next: &Next<'_>, possible: u128) -> u128 {
        let possible = possible & next.classes.all(|class| class.consumes);
        if possible == 0 {
            return 0;
        }
        let consumers = &next.tables.consumers;
        let consumes = consumers.among(possible, &next.uses);
        let fails = |(_, row): &(usize, &HazardRow)| !conditions_hold(&row.consumer, &next.uses);
        let failing = next.tables.numbered(consumes & consumers.conditional).filter(fails);
        failing.fold(consumes, |consumes, (n, _)| consumes & !(1 << n))
    }

    /// The distance that a row demands after a producer with this number of passes; the greatest distance if `passes`
    /// is `None`.
    fn distance(&self, row: &HazardRow, passes: Option<u8>) -> u8 {
        let distances = if self.strict { &row.most } else { &row.distance };
        let [first, ..] = *distances;
        match passes {
            Some(passes) => {
                let of_passes = distances.iter().zip(PASSES).find(|(_, n)| passes == *n);
                // The distances of a producer without passes are all the same.
                of_passes.map_or(first, |(distance, _)| *distance)
            }
            None => distances.iter().copied().fold(first, u8::max),
        }
    }

    /// Whether enough instructions came after a producer of this age to end the row.
    fn is_past(&self, row: &HazardRow, age: &Age) -> bool {
        age.counted.is_at_least(row.times) || age.states >= row.lasts && !self.strict
    }

    /// Calls `take` with the needs that one earlier instruction causes.
    fn each_caused_by(
        &self,
        past: &Past,
        passes: impl FnOnce() -> Option<u8>,
        (next, consumes): (&Next<'_>, u128),
        mut matches: impl FnMut((usize, &HazardRow)) -> Option<Match>,
        take: &mut impl FnMut(Need),
    ) {
        let (tables, inst) = (next.tables, next.uses.inst);
        let active = past.rows & consumes & (past.armed | !(tables.thens | tables.asking));
        let passes = if active == 0 { return } else { passes() };
        for (n, row) in tables.numbered(active) {
            let distance = self.distance(row, passes);
            let passed = match row.unit {
                Unit::States => past.age.states,
                Unit::Valu => past.age.valu,
                Unit::Event => 0,
            };
            let missing = match row.field.and_then(|field| inst.get(field)) {
                // The consumer's own wait counts operations as if they completed in order, but transcendental ones
                // complete at any time.
                Some(0) => 0,
                Some(_) if past.age.trans != 0 => 1,
                Some(own) => distance.min(own as u8).saturating_sub(passed),
                None => distance.saturating_sub(passed),
            };
            if missing == 0 || past.age.trans >= row.trans || self.is_past(row, &past.age) {
                continue;
            }
            if let Some(found) = matches((n, row)) {
                take(Need::of(row, missing, (past.inst, past.place), found));
            }
        }
    }

    /// Issues the instruction.
    pub fn issue(&mut self, inst: &Inst) {
        self.issue_at(inst, 0);
    }

    /// Issues the instruction. [`Need::place`] will be `place`, such as the instruction's address.
    pub fn issue_at(&mut self, inst: &Inst, place: u32) {
        self.step(inst, place, true);
    }

    /// Issues the instruction, but not as a producer, to ask questions about the instructions before it.
    pub fn pass(&mut self, inst: &Inst) {
        self.step(inst, 0, false);
    }

    fn step(&mut self, inst: &Inst, place: u32, produces: bool) {
        if inst.target() == self.target {
            self.step_of(&Next::new(inst, self.msb), place, produces);
        }
    }

    /// Issues an instruction of the target.
    pub(crate) fn step_of(&mut self, next: &Next<'_>, place: u32, produces: bool) {
        let Next { tables, classes, ref uses } = *next;
        let (inst, msb, is) = (uses.inst, uses.msb, classes.is());
        if self.target.has_banks() {
            // A called function begins with the upper bits of its caller.
            self.msb = if Flags::of_facts(uses.facts()).is_call() { msb } else { msb.after(inst) };
        }
        let (mut ends, arms) = self.end_rows(next);
        let rows = if produces { self.produced(next) } else { 0 };
        let mut new = Past { rows, inst: *inst, msb, place, age: Age::NEW, ..EMPTY };
        if is & class::EXPERT != 0 {
            self.modes.expert = expert_after(tables, uses).unwrap_or(self.modes.expert);
            // The hardware itself keeps the distances after the end of the mode.
            ends |= if self.modes.expert { 0 } else { tables.expert };
        }
        let seen = self.seen.issue(tables, is, uses);
        for (n, row) in tables.numbered(new.rows & tables.asking) {
            match seen.has(row, uses) {
                false => new.rows &= !(1 << n),
                true => new.armed |= 1 << n,
            }
        }
        // The new producer replaces the earlier ones of these rows.
        ends |= new.rows & tables.latest;
        let states = match is & class::NOP {
            0 => 1,
            _ => (inst.get(Field::Simm16).unwrap_or(0) & u32::from(tables.nop)) as u8 + 1,
        };
        let disarms = if is & class::ACCESS != 0 { tables.directly } else { 0 };
        let age = Age::step(states, is, counted(tables, is, uses));
        let kinds = classes.first.counted | classes.second.counted;
        self.advance(&Advance { ends, arms, disarms, age, kinds }, tables);
        if new.rows != 0 {
            self.add_producer(&mut new, tables, uses);
        }
    }

    /// Ends or arms rows of single earlier instructions, where the tables state conditions on registers or counts.
    /// Returns the rows that the instruction ends for all earlier instructions, and those that it arms for all.
    #[inline(always)]
    fn end_rows(&mut self, next: &Next<'_>) -> (u128, u128) {
        let Next { tables, classes, ref uses } = *next;
        let mut ends = classes.all(|class| class.ends);
        let mut arms = classes.all(|class| class.arms);
        let may_end = classes.all(|class| class.may_end);
        let open = if may_end == 0 { 0 } else { self.rows() | self.overflow.rows | self.before_call.rows };
        if may_end & open != 0 {
            let enders = classes.first.enders | classes.second.enders;
            for ender in bits(enders.into()).filter_map(|n| tables.enders.get(n)) {
                match ender.over {
                    _ if ender.rows & open == 0 => {}
                    _ if !holds(&ender.side, uses) => {}
                    _ if ender.upto.is_some() => self.end_upto(ender, uses.inst),
                    true => self.end_covered(ender, uses),
                    false if ender.begins => arms |= ender.rows,
                    false => ends |= ender.rows,
                }
            }
        }
        (ends, arms)
    }

    /// The rows in which the instruction is a producer. For the rows of `HazardTables::asking`, the caller has to
    /// compare the registers with those seen.
    #[inline(always)]
    fn produced(&self, next: &Next<'_>) -> u128 {
        let Next { tables, classes, ref uses } = *next;
        let produced = classes.all(|class| class.produces);
        if produced == 0 {
            return 0;
        }
        let mut rows = tables.producers.among(produced & self.modes.rows(tables), uses);
        for (n, row) in tables.numbered(rows & (tables.producers.conditional | tables.events)) {
            // A producer that only an event ends is kept for a long time, so its operands must match the rule, too.
            let is_event = tables.events >> n & 1 == 1;
            let is_meant = if is_event { holds(&row.producer, uses) } else { conditions_hold(&row.producer, uses) };
            if !is_meant {
                rows &= !(1 << n);
            }
        }
        rows
    }

    /// Updates the entries of the earlier instructions when another instruction is issued.
    #[inline(always)]
    fn advance(&mut self, by: &Advance, tables: &HazardTables) {
        let (all, mut kept) = (&mut *self.past, 0);
        for n in 0..all.len() {
            let Some(past) = all.get_mut(n) else { break };
            by.apply(past);
            if past.is_over() {
                continue;
            }
            if kept != n {
                let past = *past;
                if let Some(place) = all.get_mut(kept) {
                    *place = past;
                }
            }
            kept += 1;
        }
        self.past.cut(kept);
        if self.before_call.rows != 0 {
            by.apply(&mut self.before_call);
        }
        if self.overflow.rows != 0 {
            by.apply(&mut self.overflow);
            if self.overflow.is_far() {
                self.overflow.rows &= tables.events;
            }
            if self.overflow.rows == 0 {
                self.overflow = EMPTY;
            }
        }
        if !self.owed.is_empty() {
            self.advance_owed(by, tables);
        }
    }

    /// Updates the entries of the earlier instructions after which a row demands another instruction.
    #[inline(always)]
    fn advance_owed(&mut self, by: &Advance, tables: &HazardTables) {
        let (strict, ends) = (self.strict, by.ends);
        let is_past = |owed: &Owed| {
            let lasts = tables.rows.get(usize::from(owed.row)).map_or(u8::MAX, |row| row.lasts);
            owed.age.states >= lasts && !strict
        };
        self.owed.keep(|owed| ends >> owed.row & 1 == 0 && !is_past(owed));
        for owed in self.owed.iter_mut() {
            owed.armed = owed.armed && by.disarms >> owed.row & 1 == 0 || by.arms >> owed.row & 1 == 1;
            owed.age.add(&by.age);
            if let Some(row) = tables.rows.get(usize::from(owed.row)) {
                if by.kinds != 0 {
                    owed.age.add_kinds(row, by.kinds);
                }
                owed.age.cut(row, tables.waited >> owed.row & 1 == 1);
            }
        }
    }

    /// Adds a producer that has just been issued.
    #[inline(always)]
    fn add_producer(&mut self, new: &mut Past, tables: &HazardTables, uses: &Uses<'_>) {
        for (n, row) in tables.numbered(new.rows & tables.events) {
            self.owe(n, row, new, uses);
        }
        for (n, row) in tables.numbered(new.rows & tables.again) {
            // The new instruction is the second producer of a pair.
            if self.past.iter().any(|past| past.rows >> n & 1 == 1 && makes_pair(row, &past.age)) {
                new.armed |= 1 << n;
            }
        }
        new.rows &= !tables.events;
        if new.rows != 0 {
            new.last_states = longest(new.rows, tables.lasts_states);
            new.last_valu = longest(new.rows, tables.lasts_valu);
            if C::GROWS {
                new.kind = kind(tables, new.rows, uses);
            }
            self.merge(new);
        }
    }

    /// Adds an instruction after which a row demands another instruction.
    fn owe(&mut self, number: usize, row: &HazardRow, new: &Past, uses: &Uses<'_>) {
        let armed = new.armed >> number & 1 == 1;
        let Past { inst, msb, place, .. } = *new;
        let (row_number, age) = (number as u8, Age::NEW);
        let (inherited, perhaps) = (false, false);
        let owed = Owed { row: row_number, armed, inherited, perhaps, first: 0, count: 0, inst, msb, place, age };
        let mut has_room = true;
        match row.is_about_registers() {
            false => has_room &= owed::add(&mut self.owed, owed),
            true => {
                let mut add = |(first, count): Run, perhaps| {
                    let new = Owed { first: first as u16, count: count as u16, perhaps, ..owed };
                    has_room &= owed::add(&mut self.owed, new);
                };
                runs(&row.producer, uses).for_each(|run| add(run, false));
                if let Some(more) = perhaps_read(&row.producer, uses) {
                    add(more, true);
                }
            }
        }
        if !has_room {
            self.add_to_overflow(&Past { rows: 1 << number, ..*new });
        }
    }

    /// Ends rows of producers that the wait `inst` covers: at least as many operations came after them as the wait
    /// leaves outstanding.
    fn end_upto(&mut self, ender: &Ender, inst: &Inst) {
        let rows = &HazardTables::of(inst).rows;
        let ends = |row: Option<&HazardRow>, producer: &Inst, age: &Age| {
            ender.upto.as_ref().is_some_and(|upto| wait_ends(upto, (row, producer, age), inst))
        };
        for past in self.past.iter_mut().filter(|past| ends(None, &past.inst, &past.age)) {
            past.rows &= !ender.rows;
        }
        let is_over = |owed: &Owed| ends(rows.get(usize::from(owed.row)), &owed.inst, &owed.age);
        self.owed.keep(|owed| ender.rows >> owed.row & 1 == 0 || !is_over(owed));
        if ends(None, &self.overflow.inst, &self.overflow.age) {
            self.overflow.rows &= !ender.rows;
        }
    }

    /// Ends the ender's rows for producers whose registers are all among those of the instruction. An ender with
    /// `begins` arms these rows instead. If only some registers of a vector result are among them, the rows end for
    /// these registers.
    fn end_covered(&mut self, ender: &Ender, uses: &Uses<'_>) {
        let tables = HazardTables::of(uses.inst);
        let covers = covering(&ender.side, uses);
        for past in self.past.iter_mut().filter(|past| past.rows & ender.rows != 0) {
            let inst = past.inst;
            let old = Uses::of(&inst, past.msb);
            for (n, row) in tables.numbered(past.rows & ender.rows) {
                match covers(&row.producer, &old) {
                    true if ender.begins => past.armed |= 1 << n,
                    true => past.rows &= !(1 << n),
                    false => {}
                }
            }
            if !ender.begins && past.rows & ender.rows != 0 {
                past.gone |= overwritten(&old, &ender.side, uses);
                if is_gone(&old, past.gone) {
                    past.rows &= !ender.rows;
                }
            }
        }
        if ender.rows & tables.events != 0 {
            for (first, count) in runs(&ender.side, uses) {
                let is_meant = |owed: &Owed| ender.rows >> owed.row & 1 == 1;
                owed::take(&mut self.owed, (first as u16, count as u16), is_meant);
            }
        }
    }
}
