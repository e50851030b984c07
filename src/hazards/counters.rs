//! The operations that are still outstanding, and the waits that the next instruction needs for them.

use crate::common::made;
use crate::hazards::held::{Held, event, events};
use crate::hazards::waits::{Conflict, Wait, Waits, own_wait};
use crate::table::{Event, Holds, NONE};
use crate::target::COUNTS;
use crate::{Counter, Inst, Reg, RegSet, Target, Waitcnt};

/// How many registers or runs of registers can be waited for at once.
const ROOM: usize = 96;

/// The operations that may be outstanding before the next instruction: a bounded value, `Copy` and comparable.
///
/// An operation raises one counter or two ([`Inst::counters`]) when it is issued. Until it is done, its results must not
/// be read or overwritten, and its sources not be overwritten if it reads them late. A wait ([`Inst::waits`]) until at
/// most N operations are left proves that an operation is done if N younger ones of its order are outstanding, or if N is
/// 0. A full counter is such a wait, too: what would raise it further is not issued before.
///
/// A flat operation raises two counters, of which only one tells when it is done, by its address. So it is certain that a
/// wait is missing if it is missing for both; see [`Wait::sure`].
///
/// Where an instruction has chosen among several banks of 256 vector registers, a wait for a vector register is not sure.
///
/// Memory is not followed: what one operation stores and another one loads is not compared, nor is LDS that is filled from
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pending {
    target: Target,
    /// In the order of their keys; behind the last one, `Held::NONE`.
    held: [Held; ROOM],
    len: u8,
    /// Some had no room.
    lost: bool,
    /// The numbers of vector registers in instructions are no longer all that says which registers are meant.
    banked: bool,
    /// The most that each counter can be.
    most: [u8; Counter::ALL.len()],
}

impl Pending {
    /// Nothing is outstanding.
    pub const fn new(target: Target) -> Pending {
        Pending { target, held: [Held::NONE; ROOM], len: 0, lost: false, banked: false, most: [0; Counter::ALL.len()] }
    }

    /// The target.
    pub const fn target(&self) -> Target {
        self.target
    }

    /// More registers were outstanding than there is room for: waits may be missing that [`Pending::needs`] does not
    /// return.
    pub const fn is_incomplete(&self) -> bool {
        self.lost
    }

    /// The most that a counter can be. A wait for that many, or more, waits for nothing.
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

    /// Instructions have chosen among several banks of 256 vector registers, so that waits for these are not sure.
    pub const fn is_banked(&self) -> bool {
        self.banked
    }

    /// It is known which operations raise the counter: not so for `xcnt`, which counts translations of addresses.
    pub fn follows(&self, counter: Counter) -> bool {
        COUNTS[self.target as usize].events.iter().any(|event| event.counter == counter)
    }

    /// An outstanding operation of the counter holds registers. Otherwise waits for it only order accesses to memory.
    pub fn holds_registers(&self, counter: Counter) -> bool {
        self.held().any(|held| event(self.target, held.event).is_some_and(|event| event.counter == counter))
    }

    /// The waits that are missing before the instruction, if it is the next one: for each counter the strictest.
    pub fn needs(&self, inst: &Inst) -> Waits {
        match own_wait(inst) {
            Some((counter, at_most)) => {
                let mut before = *self;
                before.wait(counter, at_most);
                before.needs_after(inst)
            }
            None => self.needs_after(inst),
        }
    }

    /// The instruction's own wait, before it reads anything, is over.
    fn needs_after(&self, inst: &Inst) -> Waits {
        let mut waits = Waits::default();
        if self.len > 0 {
            let (reads, writes) = (inst.reads_at_issue(), inst.writes());
            self.held().for_each(|held| {
                if let Some(wait) = self.conflict(held, inst, &reads, &writes) {
                    waits.add(wait);
                }
            });
        }
        waits
    }

    fn conflict(&self, held: &Held, inst: &Inst, reads: &RegSet, writes: &RegSet) -> Option<Wait> {
        let event = event(self.target, held.event)?;
        let read = || reads.first_of(held.first, held.count).map(|bit| (bit, Conflict::Read));
        let written = || writes.first_of(held.first, held.count);
        let (bit, conflict) = match event.holds {
            Holds::Results | Holds::Loose => read().or_else(|| Some((written()?, Conflict::Overwrite)))?,
            Holds::Ordered => read().or_else(|| {
                let bit = written()?;
                let in_order = events(inst).any(|(number, _)| number == held.event);
                (!in_order).then_some((bit, Conflict::Overwrite))
            })?,
            Holds::Sources | Holds::Data => (written()?, Conflict::Source),
            Holds::Nothing => return None,
        };
        Some(Wait {
            counter: event.counter,
            at_most: held.at_most(event),
            conflict,
            register: reads.reg_of(bit),
            producer: held.producer,
            sure: !(held.doubt || self.banked && matches!(reads.reg_of(bit), Some(Reg::Vgpr(_)))),
            kind: event.name,
            source: COUNTS[self.target as usize].sources.get(event.counter as usize).copied().unwrap_or(""),
        })
    }

    /// The instruction is issued, after the waits that it needs. `producer` is what [`Wait::producer`] says of it, such as
    /// its address.
    pub fn issue(&mut self, inst: &Inst, producer: u32) {
        self.step(inst, producer);
    }

    /// Does both: what [`Pending::needs`] returns, and then [`Pending::issue`].
    pub fn step(&mut self, inst: &Inst, producer: u32) -> Waits {
        if let Some((counter, at_most)) = own_wait(inst) {
            self.wait(counter, at_most);
        }
        let waits = self.needs_after(inst);
        for wait in waits.iter() {
            if wait.sure {
                self.assume_one(wait.counter, wait.at_most);
            } else {
                self.drop_one(&wait);
            }
        }
        self.banked |= Some(inst.opcode()) == made::S_SET_VGPR_MSB;
        if inst.flags().is_wait() {
            self.wait_for(&inst.waits());
        }
        if inst.counters().is_empty() {
            return waits;
        }
        let results = events(inst).filter(|(_, event)| event.holds_results()).count();
        for (number, event) in events(inst) {
            self.raise(event);
            for (first, count) in event.held(inst).runs() {
                let twin = results > 1 && event.holds_results();
                self.insert(Held { first, count, event: number, twin, producer, ..Held::NONE });
            }
        }
        waits
    }

    /// No register is held, but nothing is known of the counters: behind a call of a function that waits for what it needs,
    /// and at its beginning.
    pub fn clear(&mut self) {
        let most = COUNTS[self.target as usize].max;
        *self = Pending { lost: self.lost, banked: self.banked, most, ..Pending::new(self.target) };
    }

    /// Waits as an instruction with these numbers does.
    pub fn wait_for(&mut self, wait: &Waitcnt) {
        for counter in wait.counters().iter() {
            if let Some(at_most) = wait.get(counter) {
                self.wait(counter, at_most);
            }
        }
    }

    /// The code does not wait so, but it ought to: for flat operations this does not mean that the code knows which of their
    /// two counters tells of them.
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
    /// assert!(waits.needs(&add).iter().all(|wait| !wait.sure));
    /// assert!(assumes.needs(&add).iter().all(|wait| wait.sure));
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
        let before = *self;
        self.wait(counter, at_most);
        for held in self.held.iter_mut().take(self.len.into()) {
            if let Some(old) = before.place(held).ok().and_then(|place| before.held.get(place)) {
                held.doubt = old.doubt;
            }
        }
    }

    fn wait(&mut self, counter: Counter, at_most: u8) {
        if let Some(most) = self.most.get_mut(counter as usize) {
            *most = at_most.min(*most);
        }
        let target = self.target;
        let of = |held: &Held| event(target, held.event).filter(|event| event.counter == counter);
        self.doubt(|held| of(held).is_some_and(|event| event.order != NONE && held.age >= at_most));
        self.retain(|held| of(held).is_none_or(|event| at_most > 0 && held.at_most(event) < at_most));
    }

    /// These are done unless a flat operation was done before older ones.
    fn doubt(&mut self, is: impl Fn(&Held) -> bool) {
        for n in 0..usize::from(self.len) {
            let Some(held) = self.held.get_mut(n).filter(|held| is(held)) else { continue };
            held.doubt = true;
            if held.twin {
                let done = *held;
                self.doubt_twin(&done);
            }
        }
    }

    /// What the other counter of a flat operation still holds is not certain.
    fn doubt_twin(&mut self, done: &Held) {
        for held in self.held.iter_mut().filter(|held| held.twin) {
            let same = (held.first, held.count, held.producer) == (done.first, done.count, done.producer);
            held.doubt |= same && held.event != done.event;
        }
    }

    /// What one operation holds, by this counter, is there perhaps, and was said to be.
    fn drop_one(&mut self, wait: &Wait) {
        let target = self.target;
        self.retain(|held| {
            let is_other = event(target, held.event).is_none_or(|event| event.counter != wait.counter);
            held.producer != wait.producer || is_other
        });
    }

    /// An operation of this kind is issued: those of its order are older now, and what does not fit in the counter is done.
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
        for held in self.held.iter_mut().take(self.len.into()) {
            if event(target, held.event).is_some_and(|event| event.order == raised.order) {
                held.age = held.age.saturating_add(1);
                held.loose = held.loose.saturating_add(u8::from(raised.holds == Holds::Loose));
                full |= held.age >= max;
            }
        }
        if full {
            let of = |held: &Held| event(target, held.event).filter(|event| event.order == raised.order);
            self.doubt(|held| of(held).is_some() && held.age >= max);
            self.retain(|held| of(held).is_none_or(|event| held.at_most(event) < max));
        }
    }

    /// Another path leads to the same place: takes the worst of both. Returns whether anything changed; repeating it until
    /// nothing does ends.
    pub fn join(&mut self, other: &Pending) -> bool {
        let mut changed = other.lost && !self.lost || other.banked && !self.banked;
        self.lost |= other.lost;
        self.banked |= other.banked;
        for (most, other) in self.most.iter_mut().zip(other.most) {
            changed |= other > *most;
            *most = other.max(*most);
        }
        for new in other.held() {
            let Ok(place) = self.place(new) else {
                // What has no room stays out: otherwise it would push out another one, which comes back.
                if usize::from(self.len) < ROOM {
                    self.insert(*new);
                    changed = true;
                } else {
                    changed |= !self.lost;
                    self.lost = true;
                }
                continue;
            };
            if let Some(old) = self.held.get_mut(place) {
                let before = *old;
                if (new.age - new.loose, new.age) < (old.age - old.loose, old.age) {
                    (old.age, old.loose, old.producer) = (new.age, new.loose, new.producer);
                }
                old.twin |= new.twin;
                old.doubt &= new.doubt;
                changed |= *old != before;
            }
        }
        changed
    }

    fn held(&self) -> impl Iterator<Item = &Held> {
        self.held.iter().take(self.len.into())
    }

    fn place(&self, held: &Held) -> Result<usize, usize> {
        self.held.get(..self.len.into()).unwrap_or(&[]).binary_search_by_key(&held.key(), Held::key)
    }

    fn insert(&mut self, new: Held) {
        let place = match self.place(&new) {
            Ok(place) => {
                self.held.iter_mut().skip(place).take(1).for_each(|held| *held = new);
                return;
            }
            Err(place) => place,
        };
        if usize::from(self.len) >= ROOM {
            self.lost = true;
            let oldest = self.held().map(|held| held.age).max().unwrap_or(0);
            let mut left = 1u8;
            self.retain(|held| {
                let drops = left > 0 && held.age == oldest;
                left -= u8::from(drops);
                !drops
            });
            return self.insert(new);
        }
        // Those behind move on.
        let mut moved = new;
        for held in self.held.iter_mut().take(usize::from(self.len) + 1).skip(place) {
            core::mem::swap(held, &mut moved);
        }
        self.len += 1;
    }

    /// Removes those that do not stay. What the other counter of a pair still holds is not certain then.
    fn retain(&mut self, mut stays: impl FnMut(&Held) -> bool) {
        let mut len = 0usize;
        let mut gone = [false; ROOM];
        let mut any_twin = false;
        for (held, gone) in self.held.iter().take(self.len.into()).zip(&mut gone) {
            *gone = !stays(held);
            any_twin |= *gone && held.twin;
        }
        if any_twin {
            for n in 0..usize::from(self.len) {
                let Some(done) = self.held.get(n).filter(|held| held.twin && gone.get(n) == Some(&true)).copied()
                else {
                    continue;
                };
                self.doubt_twin(&done);
            }
        }
        for n in 0..usize::from(self.len) {
            if let (Some(held), Some(false)) = (self.held.get(n).copied(), gone.get(n)) {
                self.held.iter_mut().skip(len).take(1).for_each(|place| *place = held);
                len += 1;
            }
        }
        self.held.iter_mut().skip(len).for_each(|held| *held = Held::NONE);
        self.len = len as u8;
    }
}
