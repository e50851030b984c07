//! Follows instructions along all paths.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec;
use alloc::vec::Vec;

use super::{Exit, Flow};
use crate::Inst;
use crate::hazards::{Capacity, Hazards, Pending};

/// How often a block is passed at most. What the library follows needs a few times.
const MOST: u16 = 1000;
/// How often a block is passed before what grows there with each turn of a loop is taken to be as great as it can be.
const AGAIN: u16 = 3;

/// Something that instructions change as they run, and of which the worst is taken where paths meet.
///
/// Calls of functions in the code are followed: a function begins with the worst that its callers left ([`State::enter`]), and
/// each caller goes on with its own state and what the function left ([`State::returned_from`]).
pub trait State: Clone {
    /// An instruction runs, which begins at this offset of the code, in bytes.
    fn step(&mut self, inst: &Inst, offset: u32);

    /// Another path leads to the same place. Returns whether anything changed.
    fn join(&mut self, other: &Self) -> bool;

    /// The same in a loop that was passed a few times: what grows with each turn is taken to be as great as it can be.
    fn join_again(&mut self, other: &Self) -> bool {
        self.join(other)
    }

    /// A call, which `step` has seen, has returned from a function that is not known.
    fn returned(&mut self) {}

    /// A function begins that was called with this state.
    fn enter(&mut self) {}

    /// A function returns: its caller knows what was there before.
    fn leave(&mut self) {}

    /// A call, which `step` has seen, has returned from a function that left this.
    fn returned_from(&mut self, _exit: &Self) {
        self.returned();
    }
}

/// A function that is called begins and ends with a wait for everything (LLVM's calling convention).
impl<C: Capacity> State for Pending<C> {
    fn step(&mut self, inst: &Inst, offset: u32) {
        self.issue(inst, offset);
    }

    fn join(&mut self, other: &Self) -> bool {
        Pending::join(self, other)
    }

    fn join_again(&mut self, other: &Self) -> bool {
        Pending::join_again(self, other)
    }

    fn returned(&mut self) {
        self.clear();
    }

    fn enter(&mut self) {
        Pending::enter(self);
    }

    fn leave(&mut self) {
        Pending::leave(self);
    }

    fn returned_from(&mut self, exit: &Self) {
        Pending::returned_from(self, exit);
    }
}

impl<C: Capacity> State for Hazards<C> {
    fn step(&mut self, inst: &Inst, offset: u32) {
        self.issue_at(inst, offset);
    }

    fn join(&mut self, other: &Self) -> bool {
        Hazards::join(self, other)
    }

    fn returned(&mut self) {
        Hazards::returned(self);
    }

    fn enter(&mut self) {
        Hazards::enter(self);
    }

    fn leave(&mut self) {
        Hazards::leave(self);
    }

    fn returned_from(&mut self, exit: &Self) {
        Hazards::returned_from(self, exit);
    }
}

impl Flow<'_> {
    /// Follows a state along all paths from the entries, and calls `each` with every block that they reach and the worst
    /// state in front of it: functions one after the other. `first` is the state at the beginning of a function.
    ///
    /// Returns whether every state is final. It is not if `join` does not come to an end.
    pub fn follow<S: State>(&self, first: impl Fn(usize) -> S, each: impl FnMut(usize, &S)) -> bool {
        self.follow_groups(&self.groups(), first, each)
    }

    /// The same for some of the [`groups`](Flow::groups), which do not depend on each other.
    pub fn follow_groups<S: State>(
        &self,
        groups: &[Vec<usize>],
        first: impl Fn(usize) -> S,
        mut each: impl FnMut(usize, &S),
    ) -> bool {
        let mut is_final = true;
        // The place of each block in its group.
        let mut places = vec![0; self.blocks().len()];
        for group in groups {
            let mut following = Following::with(self, group, &first, places);
            is_final &= following.settle();
            following.each(&mut each);
            places = following.places;
        }
        is_final
    }

    /// Several ways lead to a block.
    fn is_meeting(&self, block: usize) -> bool {
        self.predecessors(block).len() != 1 || self.blocks().get(block).is_some_and(|block| block.is_entry)
    }

    /// A block runs, up to a call at its end.
    fn run<S: State>(&self, block: usize, state: &mut S) {
        self.insts(block).for_each(|(address, inst)| state.step(&inst, self.offset_of(address)));
    }

    /// A block runs, and a call at its end returns from a function that is not known.
    pub fn pass<S: State>(&self, block: usize, state: &mut S) {
        self.run(block, state);
        if matches!(self.blocks().get(block).map(|block| block.exit), Some(Exit::Call { .. })) {
            state.returned();
        }
    }

    /// The offset of an address in the code, in bytes.
    pub fn offset_of(&self, address: u64) -> u32 {
        self.offset(address).and_then(|offset| u32::try_from(offset).ok()).unwrap_or(u32::MAX)
    }
}

/// A state that is followed through a group of functions, which can go on when instructions do something else than before.
///
/// [`Flow::follow_groups`] does it once. Who changes what [`State::step`] does for the instructions of some blocks, so that
/// states get worse, calls [`Following::touch`] and [`Following::settle`] again.
pub struct Following<'f, 'c, S, F> {
    flow: &'f Flow<'c>,
    group: &'f [usize],
    /// The place of each block in the group.
    places: Vec<usize>,
    first: F,
    /// Where paths meet, in front of each place; a block to which one way leads gets its state from that.
    before: Vec<Option<Box<S>>>,
    /// The places whose state changed.
    open: BTreeSet<usize>,
    /// By function, what it leaves when it returns.
    exits: BTreeMap<usize, Exited<S>>,
    /// How often each block was passed.
    passed: Vec<u16>,
}

/// The end of a function.
struct Exited<S> {
    state: Option<Box<S>>,
    /// It does not return, as far as is known, so that its calls are as those of unknown functions.
    is_unknown: bool,
    /// Places from which a way leads to a call of it.
    callers: BTreeSet<usize>,
}

impl<S> Default for Exited<S> {
    fn default() -> Self {
        Exited { state: None, is_unknown: false, callers: BTreeSet::new() }
    }
}

impl<'f, 'c, S: State, F: Fn(usize) -> S> Following<'f, 'c, S, F> {
    /// Nothing is followed yet. `group`: one of [`Flow::groups`]; `first`: the state at the beginning of a function.
    pub fn new(flow: &'f Flow<'c>, group: &'f [usize], first: F) -> Self {
        Following::with(flow, group, first, vec![0; flow.blocks().len()])
    }

    fn with(flow: &'f Flow<'c>, group: &'f [usize], first: F, mut places: Vec<usize>) -> Self {
        for (place, block) in group.iter().enumerate() {
            if let Some(of) = places.get_mut(*block) {
                *of = place;
            }
        }
        let (before, passed) = (vec![None; group.len()], vec![0; group.len()]);
        let (open, exits) = (BTreeSet::new(), BTreeMap::new());
        let mut following = Following { flow, group, places, first, before, open, exits, passed };
        for (place, block) in group.iter().enumerate().filter(|(_, block)| flow.is_root(**block)) {
            following.reach(place, &(following.first)(*block));
        }
        following
    }

    /// Follows until nothing changes. Returns whether every state is final: it is not if [`State::join`] does not come to an
    /// end.
    pub fn settle(&mut self) -> bool {
        self.passed.iter_mut().for_each(|times| *times = 0);
        let mut is_final = true;
        loop {
            while let Some(place) = self.open.pop_first() {
                is_final &= self.pass(place);
            }
            // Functions that do not return, and what nothing calls although something did when it was found.
            let mut goes_on = false;
            for exited in self.exits.values_mut().filter(|exited| exited.state.is_none() && !exited.is_unknown) {
                exited.is_unknown = true;
                self.open.extend(&exited.callers);
                goes_on = true;
            }
            if goes_on {
                continue;
            }
            let is_entry = |block: usize| self.flow.blocks().get(block).is_some_and(|block| block.is_entry);
            let is_left = |(block, before): (&usize, &Option<Box<S>>)| before.is_none() && is_entry(*block);
            let left = self.group.iter().zip(&self.before).position(is_left);
            let Some((place, block)) = left.and_then(|place| Some((place, *self.group.get(place)?))) else { break };
            self.reach(place, &(self.first)(block));
        }
        is_final
    }

    /// The number of places of the group, where paths meet or functions begin: one for each block, in the order of the group.
    pub fn len(&self) -> usize {
        self.group.len()
    }

    /// The group has no block.
    pub fn is_empty(&self) -> bool {
        self.group.is_empty()
    }

    /// Calls `each` with the blocks that follow a place up to where paths meet, and the state in front of each, which it may
    /// take to the end of the block by itself: [`Following::touch`] says that it will be another one from now on.
    pub fn from_place(&self, place: usize, each: &mut impl FnMut(usize, &S)) {
        let (Some(&block), Some(Some(state))) = (self.group.get(place), self.before.get(place)) else { return };
        let mut way = vec![(block, S::clone(state))];
        while let Some((block, mut state)) = way.pop() {
            each(block, &state);
            let mut alone = self.flow.successors(block).iter().filter(|next| !self.flow.is_meeting(**next)).peekable();
            if alone.peek().is_some() {
                self.flow.run(block, &mut state);
                if self.goes_on(block, &mut state) {
                    way.extend(alone.map(|next| (*next, state.clone())));
                }
            }
        }
    }

    /// Calls `each` with every block that is reached, and the state in front of it.
    pub fn each(&self, each: &mut impl FnMut(usize, &S)) {
        (0..self.group.len()).for_each(|place| self.from_place(place, each));
    }

    /// The blocks that follow a place do something else now.
    pub fn touch(&mut self, place: usize) {
        self.open.insert(place);
    }

    /// A state reaches a place.
    fn reach(&mut self, place: usize, state: &S) {
        let is_again = self.passed.get(place).is_some_and(|times| *times >= AGAIN);
        let changed = match self.before.get_mut(place) {
            Some(Some(old)) if is_again => old.join_again(state),
            Some(Some(old)) => old.join(state),
            Some(new) => {
                *new = Some(Box::new(state.clone()));
                true
            }
            None => false,
        };
        if changed {
            self.open.insert(place);
        }
    }

    /// Follows the state in front of a place up to where paths meet. Returns `false` if it gives up.
    fn pass(&mut self, place: usize) -> bool {
        let (Some(&block), Some(Some(state))) = (self.group.get(place), self.before.get(place)) else { return true };
        let mut is_final = true;
        let mut way = vec![(block, S::clone(state))];
        while let Some((block, mut state)) = way.pop() {
            let at = self.place(block);
            if let Some(times) = self.passed.get_mut(at) {
                *times += 1;
                if *times > MOST {
                    is_final = false;
                    continue;
                }
            }
            self.flow.run(block, &mut state);
            match self.flow.blocks().get(block).map(|block| block.exit) {
                Some(Exit::Call { .. }) => self.call(block, place, &state),
                Some(Exit::Indirect { .. }) => self.leave(block, state.clone()),
                _ => {}
            }
            if !self.goes_on(block, &mut state) {
                continue;
            }
            for &next in self.flow.successors(block) {
                match self.flow.is_meeting(next) {
                    false => way.push((next, state.clone())),
                    true => self.reach(self.place(next), &state),
                }
            }
        }
        is_final
    }

    /// A block calls a function, on a way from a place.
    fn call(&mut self, block: usize, place: usize, state: &S) {
        let Some(callee) = self.flow.callee(block) else { return };
        let mut entered = state.clone();
        entered.enter();
        let function = self.function(callee);
        self.reach(self.place(callee), &entered);
        self.exits.entry(function).or_default().callers.insert(place);
    }

    /// The function of a block returns.
    fn leave(&mut self, block: usize, mut state: S) {
        state.leave();
        let function = self.function(block);
        let exited = self.exits.entry(function).or_default();
        let changed = match &mut exited.state {
            Some(old) => old.join(&state),
            new => {
                *new = Some(Box::new(state));
                true
            }
        };
        if changed {
            self.open.extend(&exited.callers);
        }
    }

    /// What a block leaves becomes what is in front of its successors. Returns `false` if they are not reached yet.
    fn goes_on(&self, block: usize, state: &mut S) -> bool {
        if !matches!(self.flow.blocks().get(block).map(|block| block.exit), Some(Exit::Call { .. })) {
            return true;
        }
        let exited = self.flow.callee(block).and_then(|callee| self.exits.get(&self.function(callee)));
        match exited {
            Some(Exited { state: Some(exit), .. }) => state.returned_from(exit),
            Some(Exited { is_unknown: false, .. }) => return false,
            _ => state.returned(),
        }
        true
    }

    fn place(&self, block: usize) -> usize {
        self.places.get(block).copied().unwrap_or(usize::MAX)
    }

    fn function(&self, block: usize) -> usize {
        self.flow.functions.get(block).copied().unwrap_or(usize::MAX)
    }
}
