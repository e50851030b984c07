//! A state that is followed along all paths of some functions.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use super::order::set;
use super::regions::Regions;
use super::{Exit, Flow, State};

/// The greatest number of times that a block is passed. The states of this library need only a few.
const MOST: u16 = 1000;
/// The number of times that a block is passed before a value that grows there with each iteration of a loop becomes the
/// greatest possible one.
const AGAIN: u16 = 3;
/// The number of rounds of changes after which changes are made without waiting for the effect of other changes.
const ROUNDS: usize = 200;

/// A state that is followed through a group of functions, and can be followed again after a change.
///
/// [`Flow::follow_groups`] follows a state once. If [`State::step`] then has another effect in some blocks, which makes
/// states worse, [`Following::touch`] and [`Following::settle`] follow the difference.
pub struct Following<'f, 'c, S, F> {
    flow: &'f Flow<'c>,
    group: &'f [usize],
    /// Each block with its place (its index in the group), sorted by block.
    places: Vec<(usize, usize)>,
    first: F,
    /// The state before each block at which paths meet. Any other block gets its state from its predecessor.
    before: Vec<Option<Box<S>>>,
    /// The blocks whose state changed, as indices in the group.
    open: BTreeSet<usize>,
    /// The end of each function that returns or is called.
    exits: BTreeMap<usize, Exited<S>>,
    /// The called functions for which it is not known yet whether they return.
    undecided: Vec<usize>,
    /// The number of times that each block was passed since [`Following::settle`] began.
    passed: Vec<u16>,
    /// The places whose number in `passed` is not 0.
    counted: Vec<usize>,
    /// The place that `next_open` returned last.
    last: usize,
    /// The place from which on `enter_next` looks for functions to enter.
    entered: usize,
    /// The place from which on blocks get no states: the end of the region that is being changed, or else of the group.
    end: usize,
}

/// The end of a function; without a state if no return has been reached.
#[derive(Clone)]
struct Exited<S> {
    state: Option<Box<S>>,
    /// Whether no return of the function is known, so that calls of it are treated like calls of unknown functions.
    is_unknown: bool,
    /// The blocks, as indices in the group, from which a path leads to a call of the function.
    callers: BTreeSet<usize>,
}

impl<S> Default for Exited<S> {
    fn default() -> Self {
        Exited { state: None, is_unknown: false, callers: BTreeSet::new() }
    }
}

impl<'f, 'c, S: State, F: Fn(usize) -> S> Following<'f, 'c, S, F> {
    /// Prepares to follow a state through `group`, which is one of [`Flow::groups`]. `first` returns the state at the
    /// beginning of a function.
    pub fn new(flow: &'f Flow<'c>, group: &'f [usize], first: F) -> Self {
        let mut places: Vec<(usize, usize)> = group.iter().copied().zip(0..).collect();
        places.sort_unstable();
        let (before, passed) = (vec![None; group.len()], vec![0; group.len()]);
        let (open, exits, undecided) = (BTreeSet::new(), BTreeMap::new(), Vec::new());
        let (counted, last, entered, end) = (Vec::new(), 0, 0, group.len());
        let mut following = Following {
            flow,
            group,
            places,
            first,
            before,
            open,
            exits,
            undecided,
            passed,
            counted,
            last,
            entered,
            end,
        };
        for (place, block) in group.iter().enumerate().filter(|(_, block)| flow.is_root(**block)) {
            following.reach(place, Cow::Owned(Box::new((following.first)(*block))));
        }
        following
    }

    /// Follows the state until nothing changes. Returns whether every state is final: `false` if repeated
    /// [`State::join`]s do not converge.
    pub fn settle(&mut self) -> bool {
        self.settle_in(0..self.group.len())
    }

    /// [`Following::settle`] of some places, to which no path leads from later places. Earlier places must be settled.
    fn settle_in(&mut self, places: Range<usize>) -> bool {
        let flow = self.flow;
        for place in self.counted.drain(..) {
            set(&mut self.passed, place, 0);
        }
        let mut is_final = true;
        loop {
            while let Some(place) = self.next_open(&places) {
                let state = self.before.get(place).cloned().flatten();
                is_final &= self.pass(place, state, &mut |block, state| flow.run(block, state));
            }
            if !self.decide_exits() && !self.enter_next(&places) {
                return is_final;
            }
        }
    }

    /// Follows the state from the beginning until nothing changes, and calls `run` with every block that is reached and
    /// the state before it. `run` turns that state into the one at the block's end, by [`State::step`] for each of
    /// [`Flow::insts`]. Returns the same as [`Following::settle`].
    ///
    /// States are dropped as soon as nothing leads back to their blocks, and code without loops and calls is passed
    /// once, with `run`. So this takes less memory and time than [`Following::settle`] followed by [`Following::each`].
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::Target;
    /// use amdgpu_isa::flow::{Flow, Following};
    /// use amdgpu_isa::hazards::Pending;
    /// // s_cbranch_scc0 L; s_nop 0; L: s_endpgm
    /// let code: Vec<u8> = [0xbf84_0001u32, 0xbf80_0000, 0xbf81_0000].iter().flat_map(|w| w.to_le_bytes()).collect();
    /// let flow = Flow::new(Target::Gfx942, &code, 0, &[0]);
    /// let (groups, mut blocks) = (flow.groups(), Vec::new());
    /// let following = Following::new(&flow, &groups[0], |_| Pending::new(Target::Gfx942));
    /// let is_final = following.run_once(&mut |block, pending| {
    ///     blocks.push(block);
    ///     flow.insts(block).for_each(|(address, inst)| pending.issue(&inst, flow.offset_of(address)));
    /// });
    /// assert!(is_final);
    /// assert_eq!(blocks, [0, 1, 2]);
    /// # }
    /// ```
    pub fn run_once(mut self, run: &mut impl FnMut(usize, &mut S)) -> bool {
        let mut is_final = true;
        for region in Regions::new(self.flow, self.group, |block| self.place(block)) {
            let places = region.places;
            if region.repeats {
                is_final &= self.settle_in(places.clone());
                for place in places.clone() {
                    let state = self.before.get_mut(place).and_then(Option::take);
                    self.run_from_place(place, state, run);
                }
            } else {
                is_final &= self.pass_once(&places, run);
            }
            self.before.get_mut(places).unwrap_or_default().fill_with(|| None);
        }
        is_final
    }

    /// Follows the state from the beginning, and calls `change` with every block that is reached and the state before
    /// it. `change` makes all changes that its block needs, which may change the effect of [`State::step`] in the
    /// block, and returns whether it made any. Most blocks are passed once. Blocks in loops and in called functions,
    /// and the blocks after them up to where paths meet, are all passed again after each round of changes, until no
    /// change is needed.
    ///
    /// The last argument of `change` tells whether the state has the effect of all changes before the block. After 200
    /// rounds it is always `true`, and after 400 rounds no more changes are made: then, or if repeated [`State::join`]s
    /// do not converge, the result is `false`.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use core::cell::RefCell;
    /// use amdgpu_isa::{Inst, Target};
    /// use amdgpu_isa::flow::{Flow, Following, State};
    /// /// The number of instructions since the last pause. `pauses`: the offsets of instructions that follow a pause.
    /// #[derive(Clone)]
    /// struct Busy<'p> { number: u32, pauses: &'p RefCell<Vec<u32>> }
    /// impl State for Busy<'_> {
    ///     fn step(&mut self, _: &Inst, offset: u32) {
    ///         self.number = if self.pauses.borrow().contains(&offset) { 1 } else { self.number + 1 };
    ///     }
    ///     fn join(&mut self, other: &Self) -> bool {
    ///         let before = self.number;
    ///         self.number = self.number.max(other.number).min(100);
    ///         self.number != before
    ///     }
    /// }
    /// // v_mov_b32 v0, v1; L: v_mov_b32 v0, v1; v_mov_b32 v0, v1; s_cbranch_scc0 L; s_endpgm
    /// let code: Vec<u8> =
    ///     [0x7e00_0301u32, 0x7e00_0301, 0x7e00_0301, 0xbf84_fffd, 0xbf81_0000].iter().flat_map(|w| w.to_le_bytes()).collect();
    /// let flow = Flow::new(Target::Gfx942, &code, 0, &[0]);
    /// let pauses = RefCell::new(Vec::new());
    /// for group in flow.groups() {
    ///     let following = Following::new(&flow, &group, |_| Busy { number: 0, pauses: &pauses });
    ///     let is_final = following.change_each(&mut |block, busy, _| {
    ///         let start = flow.offset_of(flow.blocks()[block].start);
    ///         let is_needed = busy.number > 3 && !pauses.borrow().contains(&start);
    ///         pauses.borrow_mut().extend(is_needed.then_some(start));
    ///         is_needed
    ///     });
    ///     assert!(is_final);
    /// }
    /// assert_eq!(pauses.into_inner(), [4]);
    /// # }
    /// ```
    pub fn change_each(mut self, change: &mut impl FnMut(usize, &S, bool) -> bool) -> bool {
        let (flow, mut is_final) = (self.flow, true);
        for region in Regions::new(flow, self.group, |block| self.place(block)) {
            let places = region.places;
            if region.repeats {
                is_final &= self.change_region(&places, change);
            } else {
                is_final &= self.pass_once(&places, &mut |block, state| {
                    change(block, state, true);
                    flow.run(block, state);
                });
            }
            self.before.get_mut(places).unwrap_or_default().fill_with(|| None);
        }
        is_final
    }

    /// Passes a region without loops and calls, and removes the state before it. Returns `false` if a block was passed
    /// too often.
    fn pass_once(&mut self, places: &Range<usize>, run: &mut impl FnMut(usize, &mut S)) -> bool {
        self.enter_next(places);
        self.open.remove(&places.start);
        let state = self.before.get_mut(places.start).and_then(Option::take);
        self.pass(places.start, state, run)
    }

    /// [`Following::change_each`] of a region with loops or calls.
    fn change_region(&mut self, places: &Range<usize>, change: &mut impl FnMut(usize, &S, bool) -> bool) -> bool {
        let at_entry = self.before.get(places.clone()).unwrap_or_default().to_vec();
        let open: Vec<usize> = self.open.range(places.clone()).copied().collect();
        let exits = self.take_exits(places);
        // Blocks after the region get no states until the region's states are final, because a change may still improve
        // those states.
        self.end = places.end;
        let mut is_final = true;
        for round in 0..=2 * ROUNDS {
            self.take_exits(places);
            self.exits.extend(exits.iter().map(|(function, exited)| (*function, exited.clone())));
            self.before.get_mut(places.clone()).unwrap_or_default().clone_from_slice(&at_entry);
            self.open.extend(&open);
            self.entered = self.entered.min(places.start);
            self.settle_in(places.clone());
            let mut is_changed = false;
            for place in places.clone().filter(|_| round < 2 * ROUNDS) {
                self.from_place(place, &mut |block, state| {
                    let changes = change(block, state, !is_changed || round >= ROUNDS);
                    // Blocks after the region do not lead back to it.
                    is_changed |= changes && places.contains(&self.place(block));
                });
            }
            is_final = round < 2 * ROUNDS;
            if !is_changed {
                break;
            }
        }
        self.end = self.group.len();
        let reached = places.clone().filter(|place| self.before.get(*place).is_some_and(Option::is_some));
        self.open.extend(reached.collect::<Vec<_>>());
        self.settle_in(places.clone()) && is_final
    }

    /// Removes and returns the ends of the functions that contain some places or are called there.
    fn take_exits(&mut self, places: &Range<usize>) -> BTreeMap<usize, Exited<S>> {
        let blocks = self.group.get(places.clone()).unwrap_or_default().iter();
        let functions = blocks.flat_map(|block| [Some(*block), self.flow.callee(*block)]).flatten();
        let functions = functions.map(|block| self.flow.function_of(block));
        functions.filter_map(|function| self.exits.remove_entry(&function)).collect()
    }

    /// Removes and returns the next one of some places whose state changed: the first one at or after the place that
    /// was returned last, otherwise the first of all. So a path back waits until all later places have been passed, and
    /// the changes of overlapping loops are passed once for all loops, not once for each.
    fn next_open(&mut self, places: &Range<usize>) -> Option<usize> {
        let later = self.open.range(self.last.clamp(places.start, places.end)..places.end).next();
        let next = *later.or_else(|| self.open.range(places.clone()).next())?;
        self.last = next;
        self.open.remove(&next);
        Some(next)
    }

    /// Treats called functions without a reached return like unknown functions. Returns whether there are any.
    fn decide_exits(&mut self) -> bool {
        let mut is_any = false;
        for function in self.undecided.drain(..) {
            if let Some(exited) = self.exits.get_mut(&function).filter(|exited| exited.state.is_none()) {
                (exited.is_unknown, is_any) = (true, true);
                self.open.extend(&exited.callers);
            }
        }
        is_any
    }

    /// Enters the first of the functions at these places that no reached call has entered. Returns whether there is
    /// one.
    fn enter_next(&mut self, places: &Range<usize>) -> bool {
        let is_entry = |block: usize| self.flow.blocks().get(block).is_some_and(|block| block.is_entry);
        for place in self.entered.max(places.start)..places.end {
            self.entered = place + 1;
            let Some(block) = self.group.get(place).copied().filter(|block| is_entry(*block)) else { continue };
            if self.before.get(place).is_some_and(Option::is_none) {
                self.reach(place, Cow::Owned(Box::new((self.first)(block))));
                return true;
            }
        }
        false
    }

    /// The number of blocks of the group. Each has an index (`place`), in the order of the group.
    pub fn len(&self) -> usize {
        self.group.len()
    }

    /// Whether the group has no blocks.
    pub fn is_empty(&self) -> bool {
        self.group.is_empty()
    }

    /// Calls `each` with the blocks from a place on up to where paths meet, and the state before each. `each` may
    /// change the effect of [`State::step`] in its block: the next blocks get the state after the change.
    pub fn from_place(&self, place: usize, each: &mut impl FnMut(usize, &S)) {
        let state = self.before.get(place).cloned().flatten();
        self.run_from_place(place, state, &mut |block, state| {
            each(block, state);
            if self.alone(block).next().is_some() {
                self.flow.run(block, state);
            }
        });
    }

    /// Calls `each` with every block that is reached, and the state before it.
    pub fn each(&self, each: &mut impl FnMut(usize, &S)) {
        (0..self.group.len()).for_each(|place| self.from_place(place, each));
    }

    fn run_from_place(&self, place: usize, state: Option<Box<S>>, run: &mut impl FnMut(usize, &mut S)) {
        let mut next = self.group.get(place).copied().zip(state);
        let mut others = Vec::new();
        while let Some((block, mut state)) = next.take().or_else(|| others.pop()) {
            run(block, &mut state);
            let mut alone = self.alone(block);
            let Some(first) = alone.next().filter(|_| self.goes_on(block, &mut state)) else { continue };
            others.extend(alone.map(|other| (other, state.clone())));
            next = Some((first, state));
        }
    }

    /// The block's successors that paths reach only through the block: no paths meet there.
    fn alone(&self, block: usize) -> impl Iterator<Item = usize> {
        let flow = self.flow;
        flow.successors(block).iter().copied().filter(|next| !flow.is_meeting(*next))
    }

    /// Notes that the blocks from a place on have changed: [`Following::settle`] follows them again.
    pub fn touch(&mut self, place: usize) {
        self.open.insert(place);
    }

    /// Joins a state to the state of a place.
    fn reach(&mut self, place: usize, state: Cow<'_, Box<S>>) {
        let is_again = self.passed.get(place).is_some_and(|times| *times >= AGAIN);
        let changed = match self.before.get_mut(place).filter(|_| place < self.end) {
            Some(Some(old)) if is_again => old.join_again(&state),
            Some(Some(old)) => old.join(&state),
            Some(new) => {
                *new = Some(state.into_owned());
                true
            }
            None => false,
        };
        if changed {
            self.open.insert(place);
        }
    }

    /// Follows the state before a place up to where paths meet: `run` turns the state before a block into the one at
    /// its end. Returns `false` if blocks were passed too often.
    fn pass(&mut self, place: usize, state: Option<Box<S>>, run: &mut impl FnMut(usize, &mut S)) -> bool {
        let mut is_final = true;
        let mut next = self.group.get(place).copied().zip(state);
        let mut others = Vec::new();
        while let Some((block, mut state)) = next.take().or_else(|| others.pop()) {
            if !self.count(block) {
                is_final = false;
                continue;
            }
            run(block, &mut state);
            match self.flow.blocks().get(block).map(|block| block.exit) {
                Some(Exit::Call { .. }) => self.call(block, place, &state),
                Some(Exit::Indirect { .. }) => self.leave(block, state.clone()),
                _ => {}
            }
            if !self.goes_on(block, &mut state) {
                continue;
            }
            let Some((&last, before)) = self.flow.successors(block).split_last() else { continue };
            for &other in before {
                match self.flow.is_meeting(other) {
                    false => others.push((other, state.clone())),
                    true => self.reach(self.place(other), Cow::Borrowed(&state)),
                }
            }
            match self.flow.is_meeting(last) {
                false => next = Some((last, state)),
                true => self.reach(self.place(last), Cow::Owned(state)),
            }
        }
        is_final
    }

    /// Counts one more pass of a block. Returns `false` if the block has been passed too often.
    fn count(&mut self, block: usize) -> bool {
        let place = self.place(block);
        let Some(times) = self.passed.get_mut(place) else { return true };
        if *times == 0 {
            self.counted.push(place);
        }
        *times = times.saturating_add(1);
        *times <= MOST
    }

    /// Passes the state of a call on to the function. `place` is the start of the path to the call.
    fn call(&mut self, block: usize, place: usize, state: &S) {
        let Some(callee) = self.flow.callee(block) else { return };
        let mut entered = Box::new(state.clone());
        entered.enter();
        let function = self.flow.function_of(callee);
        self.reach(self.place(callee), Cow::Owned(entered));
        let exited = self.exits.entry(function).or_default();
        if exited.state.is_none() && !exited.is_unknown {
            self.undecided.push(function);
        }
        exited.callers.insert(place);
    }

    /// Adds the state at a return to the end of the block's function.
    fn leave(&mut self, block: usize, mut state: Box<S>) {
        state.leave();
        let function = self.flow.function_of(block);
        let exited = self.exits.entry(function).or_default();
        let changed = match &mut exited.state {
            Some(old) => old.join(&state),
            new => {
                *new = Some(state);
                true
            }
        };
        if changed {
            self.open.extend(&exited.callers);
        }
    }

    /// Turns the state at the end of a block into the state before its successors. Returns `false` if the end of a
    /// called function has not been reached yet.
    fn goes_on(&self, block: usize, state: &mut S) -> bool {
        if !matches!(self.flow.blocks().get(block).map(|block| block.exit), Some(Exit::Call { .. })) {
            return true;
        }
        let exited = self.flow.callee(block).and_then(|callee| self.exits.get(&self.flow.function_of(callee)));
        match exited {
            Some(Exited { state: Some(exit), .. }) => state.returned_from(exit),
            Some(Exited { is_unknown: false, .. }) => return false,
            _ => state.returned(),
        }
        true
    }

    fn place(&self, block: usize) -> usize {
        let of = |n: usize| self.places.get(n).filter(|(other, _)| *other == block);
        // Most groups have all blocks of a range.
        let guess = self.places.first().and_then(|(first, _)| of(block.wrapping_sub(*first)));
        let found = || of(self.places.partition_point(|(other, _)| *other < block));
        guess.or_else(found).map_or(usize::MAX, |(_, place)| *place)
    }
}

impl Flow<'_> {
    /// Follows a state along all paths from the entries, one function after the other, and calls `each` with every
    /// block that is reached and the worst state before it. `first` returns the state at the beginning of a function.
    ///
    /// Returns whether every state is final: `false` if repeated `join`s do not converge.
    pub fn follow<S: State>(&self, first: impl Fn(usize) -> S, each: impl FnMut(usize, &S)) -> bool {
        self.follow_groups(&self.groups(), first, each)
    }

    /// Follows a state as [`Flow::follow`] does, through some of the [`groups`](Flow::groups), which do not depend on
    /// each other.
    pub fn follow_groups<S: State>(
        &self,
        groups: &[Vec<usize>],
        first: impl Fn(usize) -> S,
        mut each: impl FnMut(usize, &S),
    ) -> bool {
        let mut is_final = true;
        for group in groups {
            is_final &= Following::new(self, group, &first).run_once(&mut |block, state| {
                each(block, state);
                self.run(block, state);
            });
        }
        is_final
    }
}
