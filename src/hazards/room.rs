//! Storage of [`Pending`](super::Pending) and [`Hazards`](super::Hazards): in the value itself, or in memory that
//! grows.

use core::fmt::Debug;
use core::ops::{Deref, DerefMut};

use super::in_flight::{Held, Passed};
use super::owed::Owed;
use super::past::Past;

/// The capacity of [`Pending`](super::Pending) and [`Hazards`](super::Hazards): [`Bounded`] or `Unbounded`.
pub trait Capacity: Clone + Debug + PartialEq + Eq {
    /// Outstanding operations.
    #[doc(hidden)]
    type Held: Room<Held>;
    /// Instructions from which the next ones must keep a distance.
    #[doc(hidden)]
    type Past: Room<Past>;
    /// Instructions after which another instruction has to come before the consumer.
    #[doc(hidden)]
    type Owed: Room<Owed>;
    /// Effects of the function so far, which only control flow needs.
    #[doc(hidden)]
    type Passed: Room<Passed>;
    /// Whether the storage grows. If so, the state joins instructions that no rule distinguishes into one entry. This
    /// costs time and code, but keeps the lists short where there are very many such instructions.
    #[doc(hidden)]
    const GROWS: bool;
}

/// Storage in the value itself, which is `Copy` and needs no heap. A state that lacks room for an entry becomes
/// incomplete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounded;

impl Capacity for Bounded {
    type Held = Few<Held, 96>;
    type Past = Few<Past, { super::Hazards::MOST }>;
    type Owed = Few<Owed, 48>;
    type Passed = Few<Passed, 0>;
    const GROWS: bool = false;
}

/// Storage in memory that grows, so that a state is never full.
#[cfg(feature = "alloc")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unbounded;

#[cfg(feature = "alloc")]
impl Capacity for Unbounded {
    type Held = alloc::vec::Vec<Held>;
    type Past = alloc::vec::Vec<Past>;
    type Owed = alloc::vec::Vec<Owed>;
    type Passed = alloc::vec::Vec<Passed>;
    const GROWS: bool = true;
}

/// A list with the room that a [`Capacity`] gives it.
pub trait Room<T>: Clone + Debug + PartialEq + Eq + Deref<Target = [T]> + DerefMut {
    /// An empty list.
    fn empty() -> Self;

    /// Inserts an item before the one at this place. Returns whether there was room.
    fn put(&mut self, at: usize, item: T) -> bool;

    /// Removes all items but the first `len`.
    fn cut(&mut self, len: usize);

    /// Removes some items, and keeps the order of the others.
    fn keep(&mut self, mut stays: impl FnMut(&T) -> bool)
    where
        T: Copy,
    {
        // All items stay in most calls.
        let Some(mut kept) = self.iter().position(|item| !stays(item)) else { return };
        for n in kept + 1..self.len() {
            if let Some(item) = self.get(n).copied().filter(|item| stays(item)) {
                if let Some(place) = self.get_mut(kept) {
                    *place = item;
                    kept += 1;
                }
            }
        }
        self.cut(kept);
    }
}

/// A list with room for `N` items.
#[derive(Clone, Copy)]
pub struct Few<T, const N: usize> {
    items: [T; N],
    len: u8,
}

impl<T: Copy, const N: usize> Few<T, N> {
    /// An empty list, whose unused places hold `filler`.
    pub(super) const fn new(filler: T) -> Self {
        Few { items: [filler; N], len: 0 }
    }
}

impl<T, const N: usize> Deref for Few<T, N> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        self.items.get(..self.len.into()).unwrap_or(&[])
    }
}

impl<T, const N: usize> DerefMut for Few<T, N> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.items.get_mut(..self.len.into()).unwrap_or(&mut [])
    }
}

impl<T: Debug, const N: usize> Debug for Few<T, N> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: PartialEq, const N: usize> PartialEq for Few<T, N> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Eq, const N: usize> Eq for Few<T, N> {}

impl<T: Copy + Default + Debug + Eq, const N: usize> Room<T> for Few<T, N> {
    fn empty() -> Self {
        Few::new(T::default())
    }

    fn put(&mut self, at: usize, item: T) -> bool {
        let len = usize::from(self.len);
        if at > len || len >= N {
            return false;
        }
        // The items from `at` on move up by one place, beginning with the last one.
        let mut places = self.items.get_mut(at..=len).unwrap_or(&mut []).iter_mut().rev();
        if let Some(mut free) = places.next() {
            for place in places {
                *free = *place;
                free = place;
            }
            *free = item;
        }
        self.len += 1;
        true
    }

    fn cut(&mut self, len: usize) {
        self.len = self.len.min(len as u8);
    }
}

#[cfg(feature = "alloc")]
impl<T: Clone + Debug + Eq> Room<T> for alloc::vec::Vec<T> {
    fn empty() -> Self {
        alloc::vec::Vec::new()
    }

    fn put(&mut self, at: usize, item: T) -> bool {
        let is_inside = at <= self.len();
        if is_inside {
            self.insert(at, item);
        }
        is_inside
    }

    fn cut(&mut self, len: usize) {
        self.truncate(len);
    }
}
