//! A state that is followed along all paths of some functions.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec;
use alloc::vec::Vec;

use super::{Exit, Flow, State};

/// The greatest number of times that a block is passed. The states of this library need only a few.
const MOST: u16 = 1000;
/// The number of times that a block is passed before a value that grows there with each iteration of a loop becomes the
/// greatest one.
const AGAIN: u16 = 3;

/// A state that is followed through a group of functions, and can be followed again after a change.
///
/// [`Flow::follow_groups`] follows once. If [`State::step`] then has another effect in some blocks, which makes states
/// worse, [`Following::touch`] and [`Following::settle`] follow the difference.
pub struct Following<'f, 'c, S, F> {
    flow: &'f Flow<'c>,
    group: &'f [usize],
    /// Each block with its index in the group, in the order of the blocks.
    places: Vec<(usize, usize)>,
    first: F,
    /// The state before each block at which paths meet. A block to which one path leads gets its state from its
    /// predecessor.
    before: Vec<Option<Box<S>>>,
    /// The blocks whose state changed, as indices in the group.
    open: BTreeSet<usize>,
    /// The end of each function that returns or is called.
    exits: BTreeMap<usize, Exited<S>>,
    /// The number of times that each block was passed.
    passed: Vec<u16>,
}

/// The end of a function.
struct Exited<S> {
    state: Option<Box<S>>,
    /// Whether no return is known: calls of the function are treated like calls of unknown functions.
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
    /// Creates a state to be followed. `group` is one of [`Flow::groups`]; `first` is the state at the beginning of a
    /// function.
    pub fn new(flow: &'f Flow<'c>, group: &'f [usize], first: F) -> Self {
        let mut places: Vec<(usize, usize)> = group.iter().copied().zip(0..).collect();
        places.sort_unstable();
        let (before, passed) = (vec![None; group.len()], vec![0; group.len()]);
        let (open, exits) = (BTreeSet::new(), BTreeMap::new());
        let mut following = Following { flow, group, places, first, before, open, exits, passed };
        for (place, block) in group.iter().enumerate().filter(|(_, block)| flow.is_root(**block)) {
            following.reach(place, &(following.first)(*block));
        }
        following
    }

    /// Follows until nothing changes. Returns whether every state is final: it is not if repeated [`State::join`]s do
    /// not converge.
    pub fn settle(&mut self) -> bool {
        self.passed.iter_mut().for_each(|times| *times = 0);
        let (mut is_final, mut looked) = (true, 0);
        loop {
            while let Some(place) = self.open.pop_first() {
                is_final &= self.pass(place);
            }
            // Treat functions that do not return like unknown ones.
            for exited in self.exits.values_mut().filter(|exited| exited.state.is_none() && !exited.is_unknown) {
                exited.is_unknown = true;
                self.open.extend(&exited.callers);
            }
            if !self.open.is_empty() {
                continue;
            }
            // Enter functions whose calls are not reached.
            let is_entry = |block: &usize| self.flow.blocks().get(*block).is_some_and(|block| block.is_entry);
            let mut rest = self.group.iter().zip(&self.before).enumerate().skip(looked);
            let left = rest.find(|(_, (block, before))| before.is_none() && is_entry(block));
            let Some((place, (&block, _))) = left else { break };
            looked = place + 1;
            self.reach(place, &(self.first)(block));
        }
        is_final
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
        self.run_from_place(place, &mut |block, state| {
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

    /// Calls `run` with every block that is reached, and the state before it, which `run` turns into the state at the
    /// block's end: it calls [`State::step`] for each of [`Flow::insts`]. This takes less time than [`Following::each`]
    /// if every instruction is looked at.
    pub fn run_each(&self, run: &mut impl FnMut(usize, &mut S)) {
        (0..self.group.len()).for_each(|place| self.run_from_place(place, run));
    }

    fn run_from_place(&self, place: usize, run: &mut impl FnMut(usize, &mut S)) {
        let (Some(&block), Some(Some(state))) = (self.group.get(place), self.before.get(place)) else { return };
        let mut way = vec![(block, S::clone(state))];
        while let Some((block, mut state)) = way.pop() {
            run(block, &mut state);
            let mut alone = self.alone(block).peekable();
            if alone.peek().is_some() && self.goes_on(block, &mut state) {
                way.extend(alone.map(|next| (next, state.clone())));
            }
        }
    }

    /// The blocks after a block to which no other path leads.
    fn alone(&self, block: usize) -> impl Iterator<Item = usize> {
        let flow = self.flow;
        flow.successors(block).iter().copied().filter(|next| !flow.is_meeting(*next))
    }

    /// Notes that the blocks from a place on have changed: [`Following::settle`] follows them again.
    pub fn touch(&mut self, place: usize) {
        self.open.insert(place);
    }

    /// Joins a state to the state of a place.
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

    /// Follows the state before a place up to where paths meet. Returns `false` if it gives up.
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

    /// Passes the state of a call on to the function. `place` is the start of the path to the call.
    fn call(&mut self, block: usize, place: usize, state: &S) {
        let Some(callee) = self.flow.callee(block) else { return };
        let mut entered = state.clone();
        entered.enter();
        let function = self.function(callee);
        self.reach(self.place(callee), &entered);
        self.exits.entry(function).or_default().callers.insert(place);
    }

    /// Adds the state at a return to the end of the block's function.
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

    /// Turns the state at the end of a block into the state before its successors. Returns `false` if the end of a
    /// called function has not been reached yet.
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
        let found = self.places.binary_search_by_key(&block, |(block, _)| *block).ok();
        found.and_then(|n| self.places.get(n)).map_or(usize::MAX, |(_, place)| *place)
    }

    fn function(&self, block: usize) -> usize {
        self.flow.functions.get(block).copied().unwrap_or(usize::MAX)
    }
}

impl Flow<'_> {
    /// Follows a state along all paths from the entries, one function after the other, and calls `each` with every
    /// block that is reached and the worst state before it. `first` is the state at the beginning of a function.
    ///
    /// Returns whether every state is final. It is not if repeated `join`s do not converge.
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
            let mut following = Following::new(self, group, &first);
            is_final &= following.settle();
            following.each(&mut each);
        }
        is_final
    }
}
