//! The constant of `s_waitcnt`.

use core::fmt;

use super::{checked_rest, used_bits};
use crate::error::FieldError;
use crate::opcode::Field;
use crate::table::{Counter, Counters, Part};
use crate::target::{IMMS, Target};

/// The parts of `s_waitcnt`, in the order of the tables.
const WAITCNT: [(Counter, Field); 3] =
    [(Counter::Vmcnt, Field::Vmcnt), (Counter::Expcnt, Field::Expcnt), (Counter::Lgkmcnt, Field::Lgkmcnt)];

/// The counters to wait for: the instruction waits until each [`Counter`] with a number is at or below that number.
///
/// A `Waitcnt` can have counters of any generation; [`Waitcnt::encode`] refuses counters that the target's `s_waitcnt`
/// lacks.
///
/// ```
/// # #[cfg(all(feature = "gfx942", feature = "gfx803"))] {
/// use amdgpu_isa::facts::Counter;
/// use amdgpu_isa::imm::Waitcnt;
/// use amdgpu_isa::Target;
/// const WAIT: Waitcnt = Waitcnt::new().with_lgkmcnt(0);
/// assert_eq!(WAIT.encode(Target::Gfx942), Ok(0xc07f));
/// let many = WAIT.with_vmcnt(20);
/// assert_eq!(many.encode(Target::Gfx942), Ok(0x4074));
/// let error = many.encode(Target::Gfx803).unwrap_err();
/// assert_eq!((error.field.name(), error.value, error.width), ("vmcnt", 20, 4));
/// let error = Waitcnt::new().with(Counter::Kmcnt, 0).encode(Target::Gfx942).unwrap_err();
/// assert_eq!(error.to_string(), "the target has no kmcnt, and 0 was given");
/// # }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
#[doc(alias = "s_waitcnt")]
#[doc(alias = "vmcnt")]
#[doc(alias = "lgkmcnt")]
#[doc(alias = "expcnt")]
pub struct Waitcnt {
    counts: [Option<u8>; Counter::ALL.len()],
    rest: u16,
}

impl Waitcnt {
    /// A `Waitcnt` that waits for nothing.
    pub const fn new() -> Waitcnt {
        Waitcnt { counts: [None; Counter::ALL.len()], rest: 0 }
    }

    /// Adds a wait until this counter is at or below `count`.
    pub const fn with(mut self, counter: Counter, count: u8) -> Waitcnt {
        self.counts[counter as usize] = Some(count);
        self
    }

    /// Removes the wait for this counter.
    pub const fn without(mut self, counter: Counter) -> Waitcnt {
        self.counts[counter as usize] = None;
        self
    }

    /// Adds a wait until at most `count` of the operations in [`Counter::Vmcnt`] are outstanding: up to 14, or 62 from
    /// gfx9 on. The next number, 15 or 63, means no wait.
    pub const fn with_vmcnt(self, count: u8) -> Waitcnt {
        self.with(Counter::Vmcnt, count)
    }

    /// Adds a wait until at most `count` of the operations in [`Counter::Expcnt`], such as exports, are outstanding: up
    /// to 6. The number 7 means no wait.
    pub const fn with_expcnt(self, count: u8) -> Waitcnt {
        self.with(Counter::Expcnt, count)
    }

    /// Adds a wait until at most `count` operations of LDS, GDS and scalar memory, and messages, are outstanding: up to
    /// 14, or 62 from gfx10 on. The next number, 15 or 63, means no wait.
    pub const fn with_lgkmcnt(self, count: u8) -> Waitcnt {
        self.with(Counter::Lgkmcnt, count)
    }

    /// Sets the bits of simm16 that do not belong to a counter, given at their positions. The hardware ignores them,
    /// and the text omits them.
    pub const fn with_rest(mut self, rest: u16) -> Waitcnt {
        self.rest = rest;
        self
    }

    /// The number for a counter; `None` if there is no wait for it.
    pub const fn get(&self, counter: Counter) -> Option<u8> {
        self.counts[counter as usize]
    }

    /// The bits of simm16 that do not belong to a counter.
    pub const fn rest(&self) -> u16 {
        self.rest
    }

    /// The counters to wait for.
    pub fn counters(&self) -> Counters {
        Counter::ALL.iter().filter(|counter| self.get(**counter).is_some()).fold(Counters::new(), |all, c| all.with(*c))
    }

    /// The greatest number that the target's `s_waitcnt` can hold for a counter, which means no wait; `None` if
    /// `s_waitcnt` lacks the counter.
    pub fn max(target: Target, counter: Counter) -> Option<u8> {
        let parts = IMMS[target as usize].waitcnt.iter();
        let part = parts.zip(WAITCNT).find(|(part, (c, _))| *c == counter && part.width > 0);
        part.map(|(part, _)| part.max() as u8)
    }

    /// Decodes simm16 without loss: [`Waitcnt::encode`] restores it. A counter at its maximum means no wait.
    pub const fn decode(target: Target, simm16: u16) -> Waitcnt {
        let parts = &IMMS[target as usize].waitcnt;
        let mut wait = Waitcnt::new().with_rest(simm16 & !used_bits(parts));
        let mut n = 0;
        while n < parts.len() {
            let count = parts[n].get(simm16);
            if count != parts[n].max() {
                wait = wait.with(WAITCNT[n].0, count as u8);
            }
            n += 1;
        }
        wait
    }

    /// Encodes the counters as simm16.
    ///
    /// # Errors
    /// A counter is above the target's maximum, the target's `s_waitcnt` lacks it, or `rest` has a bit of a counter.
    pub const fn encode(self, target: Target) -> Result<u16, FieldError> {
        self.encode_in(&IMMS[target as usize].waitcnt)
    }

    pub(crate) const fn encode_in(self, parts: &[Part; 3]) -> Result<u16, FieldError> {
        let mut simm16 = check!(checked_rest(self.rest, parts));
        let mut n = 0;
        while n < Counter::ALL.len() {
            let counter = Counter::ALL[n];
            match self.get(counter) {
                Some(count) if n >= WAITCNT.len() => {
                    return Err(FieldError { field: counter.field(), value: count as i64, width: 0 });
                }
                Some(count) => simm16 = check!(parts[n].put(counter.field(), count as u16, simm16)),
                None if n < WAITCNT.len() => simm16 = check!(parts[n].put(counter.field(), parts[n].max(), simm16)),
                None => {}
            }
            n += 1;
        }
        Ok(simm16)
    }
}

impl fmt::Debug for Waitcnt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // An entry of the printed set. `debug_map` and `Debug` of texts are not used, because core's code for them can
        // panic.
        struct Entry(Option<Counter>, u16);
        impl fmt::Debug for Entry {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self.0 {
                    Some(counter) => write!(f, "{counter:?}: {}", self.1),
                    None => write!(f, "rest: {}", self.1),
                }
            }
        }
        let counts = Counter::ALL.iter().filter_map(|counter| Some(Entry(Some(*counter), self.get(*counter)?.into())));
        let rest = (self.rest != 0).then_some(Entry(None, self.rest));
        f.debug_set().entries(counts).entries(rest).finish()
    }
}
