//! The operations that are still outstanding, and the waits that the next instruction needs for them.

use crate::flags::Flags;
use crate::hazards::in_flight::{Held, Passed, event, events_of, is_read_at_issue};
use crate::hazards::indexed::{IndexMode, Indexed, reached};
use crate::hazards::need::{Conflict, Doubt, Wait, Waits, own_wait};
use crate::hazards::room::{Bounded, Capacity, Few, Room};
use crate::hazards::uses::{Run, Use, Uses, share};
use crate::imm::Waitcnt;
use crate::inst::Inst;
use crate::registers::RegSet;
use crate::table::{Counter, Event, Holds, NONE};
use crate::target::{COUNTS, Target};
use crate::value::Reg;
use crate::vgpr_msb::VgprMsb;

/// The operations that may be outstanding before the next instruction: a value, comparable, and `Copy` if it is
/// [`Bounded`].
///
/// An operation raises one counter or two ([`Inst::counters`]) when it is issued. Until it is done, its results must
/// not be read or overwritten, and its sources must not be overwritten if it reads them late. A wait ([`Inst::waits`])
/// until at most N operations are left proves that an operation is done if N is zero, or if at least N younger ones of
/// its order were issued (operations of one order are done in the order of issue). If as many younger ones were issued
/// as the counter can hold, the operation is done, too: an operation that would raise a full counter must wait.
///
/// A flat operation raises two counters, and its address decides which of the two tells when it is done. So a wait is
/// certainly missing only if it is missing for both counters; see [`Wait::is_sure`].
///
/// On CDNA5 the upper bits of vector registers' numbers are followed ([`VgprMsb`]). If paths with different bits meet,
/// a wait for a vector register is not sure.
///
/// Up to GCN 1.4 and CDNA2, some registers belong to the address of an image only if the image has enough dimensions. A
/// wait for such a register is not sure ([`Doubt::Dimensions`]).
///
/// Memory is not followed: neither loads of data that another operation stores, nor reads of LDS that is filled from
/// memory.
///
/// ```
/// # #[cfg(feature = "gfx942")] {
/// use amdgpu_isa::hazards::Pending;
/// use amdgpu_isa::{Reg, Target, decode_words};
/// use amdgpu_isa::facts::Counter;
/// let decode = |words: &[u32]| decode_words(Target::Gfx942, words).unwrap();
/// let load = decode(&[0xdc50_8000, 0x0000_0001]); // global_load_dword v0, v1, s[0:1]
/// let store = decode(&[0xdc70_8000, 0x0000_0301]); // global_store_dword v1, v3, s[0:1]
/// let add = decode(&[0x0204_0500]); // v_add_f32 v2, v0, v2
/// let mut pending = Pending::new(Target::Gfx942);
/// pending.issue(&load, 0);
/// pending.issue(&store, 8);
/// let wait = pending.needs(&add).iter().next().unwrap();
/// assert_eq!((wait.counter, wait.at_most, wait.producer), (Counter::Vmcnt, 1, 0));
/// assert_eq!(wait.register, Some(Reg::Vgpr(0)));
/// pending.issue(&decode(&[0xbf8c_0f71]), 16); // s_waitcnt vmcnt(1)
/// assert!(pending.needs(&add).is_empty());
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending<C: Capacity = Bounded> {
    pub(super) target: Target,
    /// Outstanding operations, in the order of their keys.
    pub(super) held: C::Held,
    /// Whether some operations had no room.
    pub(super) overflowed: bool,
    /// The upper bits of the numbers of vector registers.
    pub(super) msb: VgprMsb,
    /// The operands to which an index is added.
    pub(super) index: IndexMode,
    /// The greatest value that each counter can have now.
    pub(super) most: [u8; Counter::ALL.len()],
    /// The effect of a called function so far on the operations of each event; empty in a bounded state, and if no
    /// known call has entered the function.
    pub(super) passed: C::Passed,
}

impl Copy for Pending {}

impl Pending {
    /// The state without outstanding operations.
    pub const fn new(target: Target) -> Pending {
        Pending {
            target,
            held: Few::new(Held::NONE),
            overflowed: false,
            msb: VgprMsb::ENTRY,
            index: IndexMode::OFF,
            most: [0; Counter::ALL.len()],
            passed: Few::new(Passed::NOTHING),
        }
    }
}

#[cfg(feature = "alloc")]
impl Pending<super::Unbounded> {
    /// The state without outstanding operations, with room for any number of them.
    pub fn unbounded(target: Target) -> Self {
        let (held, passed) = (alloc::vec::Vec::new(), alloc::vec::Vec::new());
        let (msb, index) = (VgprMsb::ENTRY, IndexMode::OFF);
        Pending { target, held, overflowed: false, msb, index, most: [0; Counter::ALL.len()], passed }
    }
}

impl<C: Capacity> Pending<C> {
    /// The target.
    pub const fn target(&self) -> Target {
        self.target
    }

    /// Whether more runs of registers were held than there is room for, so that [`Pending::needs`] may leave out waits.
    pub const fn is_incomplete(&self) -> bool {
        self.overflowed
    }

    /// The greatest value that the counter can have now. A wait for this number, or a greater one, has no effect.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::hazards::Pending;
    /// use amdgpu_isa::{Target, decode_words};
    /// use amdgpu_isa::facts::Counter;
    /// let load = decode_words(Target::Gfx942, &[0xdc50_8000, 0x0000_0001]).unwrap(); // global_load_dword v0, v1, s[0:1]
    /// let mut pending = Pending::new(Target::Gfx942);
    /// pending.issue(&load, 0);
    /// assert_eq!((pending.most(Counter::Vmcnt), pending.most(Counter::Lgkmcnt)), (1, 0));
    /// # }
    /// ```
    pub fn most(&self, counter: Counter) -> u8 {
        if !self.follows(counter) {
            return COUNTS[self.target as usize].max.get(counter as usize).copied().unwrap_or(0);
        }
        self.most.get(counter as usize).copied().unwrap_or(0)
    }

    /// The upper bits of the numbers of vector registers.
    pub const fn msb(&self) -> VgprMsb {
        self.msb
    }

    /// Whether the upper bits of some registers' numbers are unknown, so that waits for these registers are not sure.
    pub fn is_banked(&self) -> bool {
        self.target.has_banks() && (self.msb == VgprMsb::UNKNOWN || self.held().any(|held| held.any_bank))
    }

    /// Whether the operations that raise the counter are known: `false` for `xcnt`, which counts translations of
    /// addresses, and for counters that the target lacks.
    pub fn follows(&self, counter: Counter) -> bool {
        COUNTS[self.target as usize].events.iter().any(|event| event.counter == counter)
    }

    /// Whether an outstanding operation of the counter holds registers. If not, a wait for the counter only orders
    /// memory accesses.
    pub fn holds_registers(&self, counter: Counter) -> bool {
        self.held().any(|held| event(self.target, held.event).is_some_and(|event| event.counter == counter))
    }

    /// The waits after which no operation that the function itself issued holds registers: for each counter the
    /// strictest. The waits leave out operations that [`Pending::enter`] found outstanding, and operations that are
    /// perhaps done.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::hazards::Pending;
    /// use amdgpu_isa::imm::Waitcnt;
    /// use amdgpu_isa::{Target, decode_words};
    /// let load = decode_words(Target::Gfx942, &[0xdc50_8000, 0x0000_0001]).unwrap(); // global_load_dword v0, v1, s[0:1]
    /// let mut pending = Pending::new(Target::Gfx942);
    /// pending.issue(&load, 0);
    /// assert_eq!(pending.own_waits().waitcnt(), Waitcnt::new().with_vmcnt(0));
    /// pending.enter();
    /// assert!(pending.own_waits().is_empty());
    /// # }
    /// ```
    pub fn own_waits(&self) -> Waits {
        let mut waits = Waits::default();
        for held in self.held().filter(|held| !held.inherited && !held.maybe_done) {
            let Some(event) = event(self.target, held.event) else { continue };
            let conflict = if event.holds_results() { Conflict::Read } else { Conflict::Source };
            waits.add(self.wait_of(held, event, conflict, RegSet::register(self.target, held.first.into())));
        }
        waits
    }

    /// The waits that are missing if the instruction is the next one: for each counter the strictest.
    pub fn needs(&self, inst: &Inst) -> Waits {
        self.needs_of(&Uses::of(inst, self.msb))
    }

    /// The result of [`Pending::needs`] for an instruction whose registers were found before.
    pub(super) fn needs_of(&self, uses: &Uses<'_>) -> Waits {
        if self.is_met(uses) { self.needs_met(uses) } else { Waits::default() }
    }

    /// The result of [`Pending::needs`] for an instruction of which an outstanding operation may hold a register.
    pub(super) fn needs_met(&self, uses: &Uses<'_>) -> Waits {
        match own_wait(uses.inst) {
            Some((counter, at_most)) => {
                let mut before = self.clone();
                before.wait(counter, at_most);
                before.needs_after(uses)
            }
            None => self.needs_after(uses),
        }
    }

    /// Whether an outstanding operation may hold a register of the instruction.
    pub(super) fn is_met(&self, uses: &Uses<'_>) -> bool {
        // `held` is empty most of the time.
        !self.held.is_empty()
            && (self.is_banked()
                || self.held().any(|held| uses.touches(held.first, held.count))
                || !Indexed::of(uses, self.index).is_none()
                || uses.inst.perhaps_read().1 != 0)
    }

    /// The result of [`Pending::needs`] for an instruction that has performed its own wait, which comes before its
    /// reads.
    fn needs_after(&self, uses: &Uses<'_>) -> Waits {
        let mut waits = Waits::default();
        let facts = uses.facts();
        let (is_banked, indexed) = (self.is_banked(), Indexed::of(uses, self.index));
        let more = uses.inst.perhaps_read();
        for held in self.held() {
            let is_near = is_banked || uses.touches(held.first, held.count);
            let near = if is_near { self.conflict(held, uses, facts) } else { None };
            let far = || if indexed.is_none() { None } else { self.far_conflict(held, uses, &indexed) };
            let perhaps = || if more.1 == 0 { None } else { self.perhaps_conflict(held, more) };
            if let Some(wait) = near.or_else(far).or_else(perhaps) {
                waits.add(wait);
            }
        }
        waits
    }

    fn conflict(&self, held: &Held, uses: &Uses<'_>, facts: u32) -> Option<Wait> {
        let (event, flags) = (event(self.target, held.event)?, Flags::of_facts(facts));
        let run = |first: u16| (usize::from(first), usize::from(held.count));
        let read = || {
            let read = |first| uses.first_of(run(first), |one| is_read_at_issue(one, flags));
            self.firsts(held).find_map(read).map(|bit| (bit, Conflict::Read))
        };
        let written = || self.firsts(held).find_map(|first| uses.first_of(run(first), |one| one.access.writes()));
        let (bit, conflict) = match event.holds {
            Holds::Results | Holds::Loose => read().or_else(|| Some((written()?, Conflict::Overwrite)))?,
            Holds::Ordered => read().or_else(|| {
                let bit = written()?;
                let mut own = events_of(uses.inst, facts, uses.inst.counters_of(facts));
                let in_order = own.any(|(number, _)| number == held.event);
                (!in_order).then_some((bit, Conflict::Overwrite))
            })?,
            Holds::Sources | Holds::Data => (written()?, Conflict::Source),
            Holds::Nothing => return None,
        };
        let register = RegSet::register(uses.inst.target(), bit.into());
        let is_bank_unknown = (held.any_bank || self.is_bank_unknown()) && matches!(register, Some(Reg::Vgpr(_)));
        let doubt = match held.maybe_done {
            true => Some(Doubt::Flat),
            false => is_bank_unknown.then_some(Doubt::Bank),
        };
        Some(Wait { doubt, ..self.wait_of(held, event, conflict, register) })
    }

    /// The conflict with an operation whose result is in a register that the next instruction reads if an image has
    /// enough dimensions.
    fn perhaps_conflict(&self, held: &Held, more: Run) -> Option<Wait> {
        let event = event(self.target, held.event).filter(|event| event.holds_results())?;
        let first = usize::from(held.first);
        let is_met = share(more, (first, held.count.into()));
        let register = RegSet::register(self.target, first.max(more.0));
        is_met.then(|| Wait { doubt: Some(Doubt::Dimensions), ..self.wait_of(held, event, Conflict::Read, register) })
    }

    /// The conflict with an operation that holds the register of an indexed operand or one above it: the index may
    /// select the held register.
    fn far_conflict(&self, held: &Held, uses: &Uses<'_>, indexed: &Indexed) -> Option<Wait> {
        let event = event(self.target, held.event)?;
        let run = (held.first, held.count);
        let first = |is: &dyn Fn(&Use) -> bool| uses.iter().filter(is).find_map(|one| reached(&one, run));
        let read = || first(&|one| indexed.reads(one)).map(|bit| (bit, Conflict::Read));
        let written = || first(&|one| indexed.writes(one));
        let (bit, conflict) = match event.holds {
            _ if event.holds_results() => read().or_else(|| Some((written()?, Conflict::Overwrite)))?,
            Holds::Nothing => return None,
            _ => (written()?, Conflict::Source),
        };
        let register = RegSet::register(self.target, bit.into());
        Some(Wait { doubt: Some(Doubt::Index), ..self.wait_of(held, event, conflict, register) })
    }

    /// The possible first registers of the operation's run: one in each bank (group of 256) if only the operation's
    /// bank is unknown; the one in the first bank if the next instruction's bank is unknown; otherwise the known one.
    fn firsts(&self, held: &Held) -> impl Iterator<Item = u16> {
        let is_any = (held.any_bank || self.is_bank_unknown()) && RegSet::is_vector(held.first.into());
        let banks = if is_any && !self.is_bank_unknown() { RegSet::BANKS } else { 1 };
        let first = held.first;
        (0..banks).map(move |bank| if is_any { RegSet::in_bank(first, bank) } else { first })
    }

    /// A sure wait for an operation.
    fn wait_of(&self, held: &Held, event: &Event, conflict: Conflict, register: Option<Reg>) -> Wait {
        Wait {
            counter: event.counter,
            at_most: held.at_most(event),
            conflict,
            register,
            producer: held.producer,
            doubt: None,
            kind: event.name,
            source: COUNTS[self.target as usize].sources.get(event.counter as usize).copied().unwrap_or(""),
        }
    }

    fn is_bank_unknown(&self) -> bool {
        self.msb == VgprMsb::UNKNOWN
    }

    /// Issues the instruction, and assumes that the code performs the waits that the instruction needs.
    /// [`Wait::producer`] will be `producer`, such as the instruction's address.
    pub fn issue(&mut self, inst: &Inst, producer: u32) {
        self.issue_of(&Uses::of(inst, self.msb), producer);
    }

    /// Issues an instruction whose registers were found before, as [`Pending::issue`] does.
    pub(super) fn issue_of(&mut self, uses: &Uses<'_>, producer: u32) {
        self.wait_first(uses.inst);
        if self.is_met(uses) {
            self.assume_needs(uses);
        }
        self.note(uses, producer);
    }

    /// Issues the instruction, and returns the waits that [`Pending::needs`] returns before it.
    pub fn step(&mut self, inst: &Inst, producer: u32) -> Waits {
        let uses = Uses::of(inst, self.msb);
        self.wait_first(inst);
        let waits = if self.is_met(&uses) { self.assume_needs(&uses) } else { Waits::default() };
        self.note(&uses, producer);
        waits
    }

    /// Performs the instruction's own wait, which comes before its reads.
    fn wait_first(&mut self, inst: &Inst) {
        if let Some((counter, at_most)) = own_wait(inst) {
            self.wait(counter, at_most);
        }
    }

    /// Assumes that the code performs the waits that the instruction needs, and returns these waits.
    fn assume_needs(&mut self, uses: &Uses<'_>) -> Waits {
        let waits = self.needs_after(uses);
        for wait in waits.iter() {
            if wait.is_sure() {
                self.assume_one(wait.counter, wait.at_most);
            } else if !wait.doubt.is_some_and(Doubt::is_of_consumer) {
                self.drop_one(&wait);
            }
        }
        waits
    }

    /// Issues an instruction that needs no wait but its own.
    pub(super) fn issue_ready(&mut self, uses: &Uses<'_>, producer: u32) {
        self.wait_first(uses.inst);
        self.note(uses, producer);
    }

    /// Notes the effects of the instruction on the counters.
    fn note(&mut self, uses: &Uses<'_>, producer: u32) {
        let (inst, msb, facts) = (uses.inst, uses.msb, uses.facts());
        let (flags, counters) = (Flags::of_facts(facts), inst.counters_of(facts));
        // A called function begins with the upper bits of its caller.
        self.msb = if flags.is_call() { msb } else { msb.after(inst) };
        self.index = self.index.after(inst, uses);
        if flags.is_wait() {
            self.wait_for(&inst.waits());
        }
        if counters.is_empty() {
            return;
        }
        let results = events_of(inst, facts, counters).filter(|(_, event)| event.holds_results()).count();
        for (number, event) in events_of(inst, facts, counters) {
            self.raise(event);
            let flat_pair = results > 1 && event.holds_results();
            let any_bank = msb == VgprMsb::UNKNOWN;
            event.each_run(uses, flags, |first, count| {
                self.insert(Held { first, count, event: number, flat_pair, any_bank, producer, ..Held::NONE });
            });
        }
    }

    /// Sets the state at the beginning of an unknown function, or after its return: by convention no operation holds
    /// registers, but each counter may have any value.
    pub fn clear(&mut self) {
        self.most = COUNTS[self.target as usize].max;
        self.held.cut(0);
        (self.msb, self.index) = (VgprMsb::ENTRY, IndexMode::OFF);
        for (number, passed) in (0..).zip(self.passed.iter_mut()) {
            if let Some(event) = event(self.target, number) {
                passed.wait(0, event);
            }
        }
    }

    /// Removes all operations, as after a wait for everything.
    pub(super) fn forget(&mut self) {
        self.overflowed = false;
        self.held.cut(0);
    }

    /// Waits as an instruction with these numbers does.
    pub fn wait_for(&mut self, wait: &Waitcnt) {
        for counter in wait.counters().iter() {
            if let Some(at_most) = wait.get(counter) {
                self.wait(counter, at_most);
            }
        }
    }

    /// Assumes a wait that the code needs but lacks. Unlike [`Pending::wait_for`], this leaves waits for the other
    /// counter of a flat operation sure.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::hazards::Pending;
    /// use amdgpu_isa::imm::Waitcnt;
    /// use amdgpu_isa::{Target, decode_words};
    /// let load = decode_words(Target::Gfx942, &[0xdc50_0000, 0x0000_0002]).unwrap(); // flat_load_dword v0, v[2:3]
    /// let add = decode_words(Target::Gfx942, &[0x0204_0500]).unwrap(); // v_add_f32 v2, v0, v2
    /// let mut pending = Pending::new(Target::Gfx942);
    /// pending.issue(&load, 0);
    /// let (mut waits, mut assumes) = (pending, pending);
    /// waits.wait_for(&Waitcnt::new().with_lgkmcnt(0));
    /// assumes.assume(&Waitcnt::new().with_lgkmcnt(0));
    /// assert!(waits.needs(&add).iter().all(|wait| !wait.is_sure()));
    /// assert!(assumes.needs(&add).iter().all(|wait| wait.is_sure()));
    /// # }
    /// ```
    pub fn assume(&mut self, wait: &Waitcnt) {
        for counter in wait.counters().iter() {
            if let Some(at_most) = wait.get(counter) {
                self.assume_one(counter, at_most);
            }
        }
    }

    fn assume_one(&mut self, counter: Counter, at_most: u8) {
        self.lower(counter, at_most);
        let is_done = Pending::<C>::done(self.target, counter, at_most);
        self.held.keep(|held| !is_done(held));
    }

    fn wait(&mut self, counter: Counter, at_most: u8) {
        self.lower(counter, at_most);
        let target = self.target;
        let of = |held: &Held| event(target, held.event).filter(|event| event.counter == counter);
        self.mark_maybe_done(|held| of(held).is_some_and(|event| event.order != NONE && held.age >= at_most));
        let is_done = Pending::<C>::done(target, counter, at_most);
        self.retain(|held| !is_done(held));
    }

    /// Returns a test of whether an operation is done when the counter is at or below `at_most`.
    fn done(target: Target, counter: Counter, at_most: u8) -> impl Fn(&Held) -> bool {
        let of = move |held: &Held| event(target, held.event).filter(|event| event.counter == counter);
        move |held| of(held).is_some_and(|event| at_most == 0 || held.at_most(event) >= at_most)
    }

    /// Notes that the counter is at or below `at_most`.
    fn lower(&mut self, counter: Counter, at_most: u8) {
        if let Some(most) = self.most.get_mut(counter as usize) {
            *most = at_most.min(*most);
        }
        self.note_wait(at_most, |event| event.counter == counter);
    }

    /// Notes, in the effect of the function, a wait for the events that `is` selects.
    fn note_wait(&mut self, at_most: u8, is: impl Fn(&Event) -> bool) {
        for (number, passed) in (0..).zip(self.passed.iter_mut()) {
            if let Some(event) = event(self.target, number).filter(|event| is(event)) {
                passed.wait(at_most, event);
            }
        }
    }

    /// Marks the operations that `is` selects as perhaps done. They are done unless a flat operation was done before
    /// older operations.
    fn mark_maybe_done(&mut self, is: impl Fn(&Held) -> bool) {
        for n in 0..self.held.len() {
            let Some(held) = self.held.get_mut(n).filter(|held| is(held)) else { continue };
            held.maybe_done = true;
            if held.flat_pair {
                let done = *held;
                self.doubt_twin(&done);
            }
        }
    }

    /// Marks as perhaps done the other entry of the flat operation that has the entry `done`.
    fn doubt_twin(&mut self, done: &Held) {
        // Entries of the same registers are next to each other.
        let registers = |held: &Held| (held.first, held.count);
        let first = self.held.partition_point(|held| registers(held) < registers(done));
        let same_run = self.held.iter_mut().skip(first).take_while(|held| registers(held) == registers(done));
        for held in same_run.filter(|held| held.flat_pair && held.producer == done.producer) {
            held.maybe_done |= held.event != done.event;
        }
    }

    /// Removes an operation from the counter of `wait`, because an unsure wait for the operation has been reported. If
    /// the operation is a flat one, its entry in the other counter becomes perhaps done.
    fn drop_one(&mut self, wait: &Wait) {
        let target = self.target;
        self.retain(|held| {
            let is_other = event(target, held.event).is_none_or(|event| event.counter != wait.counter);
            held.producer != wait.producer || is_other
        });
    }

    /// Notes the issue of an operation of this kind. The older operations of its order get a greater age, and those
    /// that no longer fit in the counter are done.
    fn raise(&mut self, raised: &Event) {
        let target = self.target;
        let max = COUNTS[target as usize].max.get(raised.counter as usize).copied().unwrap_or(0);
        if let Some(most) = self.most.get_mut(raised.counter as usize) {
            *most = most.saturating_add(raised.raises).min(max);
        }
        if raised.order == NONE {
            return;
        }
        let mut full = false;
        for (number, passed) in (0..).zip(self.passed.iter_mut()) {
            if event(target, number).is_some_and(|event| event.order == raised.order) {
                passed.raise(raised.holds == Holds::Loose);
            }
        }
        self.note_wait(max, |event| event.order == raised.order);
        for held in self.held.iter_mut() {
            if event(target, held.event).is_some_and(|event| event.order == raised.order) {
                held.age = held.age.saturating_add(1);
                held.loose = held.loose.saturating_add(u8::from(raised.holds == Holds::Loose));
                full |= held.age >= max;
            }
        }
        if full {
            let of = |held: &Held| event(target, held.event).filter(|event| event.order == raised.order);
            self.mark_maybe_done(|held| of(held).is_some() && held.age >= max);
            self.retain(|held| of(held).is_none_or(|event| held.at_most(event) < max));
        }
    }

    pub(super) fn held(&self) -> impl Iterator<Item = &Held> {
        self.held.iter()
    }

    pub(super) fn place(&self, held: &Held) -> Result<usize, usize> {
        self.held.binary_search_by_key(&held.key(), Held::key)
    }

    fn insert(&mut self, new: Held) {
        match self.place(&new) {
            Ok(place) => {
                if let Some(held) = self.held.get_mut(place) {
                    *held = new;
                }
            }
            Err(place) => {
                if !self.held.put(place, new) {
                    self.make_room();
                    let place = self.place(&new).unwrap_or_else(|place| place);
                    self.held.put(place, new);
                }
            }
        }
    }

    /// Removes the oldest entry to make room. The state becomes incomplete.
    fn make_room(&mut self) {
        self.overflowed = true;
        let oldest = self.held().max_by_key(|held| held.age).map(Held::key);
        self.retain(|held| Some(held.key()) != oldest);
    }

    /// Keeps the entries that `stays` selects. If one of a flat operation's two entries is removed, the other is marked
    /// as perhaps done.
    pub(super) fn retain(&mut self, mut stays: impl FnMut(&Held) -> bool) {
        // All marks come before all removals, since both entries of a flat operation may be removed.
        let mut n = 0;
        while let Some(held) = self.held.get(n).copied() {
            if held.flat_pair && !stays(&held) {
                self.doubt_twin(&held);
            }
            n += 1;
        }
        self.held.keep(stays);
    }
}
