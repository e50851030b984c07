//! The classes of an instruction in the tables of rules.

use crate::inst::Inst;
use crate::signature::Signature;
use crate::table::hazards::{HazardClass, HazardRow, HazardTables};
use crate::table::paged;
use crate::target::HAZARDS;

impl Signature {
    /// The numbers of passes that an instruction takes in the matrix core: the usual number, and the number if the
    /// elements of a factor have 8 bits (`cbsz`, `blgp`). `None` for operations outside the core. A
    /// [`Distance`](super::Distance) may depend on the number.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::{Opcode, Target};
    /// let passes = |opcode: Opcode| opcode.signatures(Target::Gfx942).next().unwrap().passes();
    /// assert_eq!(passes(Opcode::VMfmaF32_32x32x2F32), Some([16, 16]));
    /// assert_eq!(passes(Opcode::VAddF32), None);
    /// # }
    /// ```
    pub fn passes(&self) -> Option<[u8; 2]> {
        let tables = HAZARDS[self.target() as usize];
        let class = paged(tables.pages, tables.class_of, self.op_index().into())?;
        let class = tables.classes.get(usize::from(class))?;
        Some(class.passes).filter(|passes| *passes != [0, 0])
    }
}

impl HazardTables {
    pub(crate) fn of(inst: &Inst) -> &'static HazardTables {
        HAZARDS[inst.target() as usize]
    }

    /// The classes of the instruction's operations.
    #[inline]
    pub(crate) fn classes(&self, inst: &Inst) -> Classes {
        let of = |op_index| self.classes.get(usize::from(paged(self.pages, self.class_of, op_index)?));
        let first = of(inst.op_index()).unwrap_or(&NO_CLASS);
        Classes { first, second: inst.second_index().and_then(of).unwrap_or(&NO_CLASS) }
    }

    /// The rows of a set, with their numbers.
    #[inline]
    pub(crate) fn numbered(&self, rows: u128) -> impl Iterator<Item = (usize, &'static HazardRow)> + use<> {
        let all = self.rows;
        bits(rows).filter_map(move |n| Some((n, all.get(n)?)))
    }

    /// The rows that no longer hold for a register of the producer once a later instruction has overwritten it.
    pub(crate) fn overwritten(&self) -> u128 {
        let over = self.enders.iter().filter(|ender| ender.over && !ender.begins);
        over.fold(0, |rows, ender| rows | ender.rows)
    }

    /// The rows that the instruction may end.
    pub(crate) fn ended_by(&self, inst: &Inst) -> u128 {
        self.classes(inst).all(|class| class.ends | class.may_end)
    }
}

/// The longest distance of some rows, from `HazardTables::lasts_states` or `lasts_valu`.
#[inline]
pub(crate) fn longest(rows: u128, lasts: &[(u8, u128)]) -> u8 {
    lasts.iter().find(|(_, longer)| rows & longer == 0).map_or(u8::MAX, |(distance, _)| *distance)
}

/// The numbers of the bits that are set.
#[inline]
pub(crate) fn bits(mut set: u128) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        // Most sets are empty.
        if set == 0 {
            return None;
        }
        let n = set.trailing_zeros();
        set &= set.wrapping_sub(1);
        Some(n as usize)
    })
}

/// The classes of an instruction's two operations. If it has only one operation, `second` is a class that no rule is
/// about.
#[derive(Clone, Copy)]
pub(crate) struct Classes {
    pub first: &'static HazardClass,
    pub second: &'static HazardClass,
}

impl Classes {
    /// The rows that `of` returns for at least one of the classes.
    #[inline(always)]
    pub(crate) fn all(&self, of: impl Fn(&HazardClass) -> u128) -> u128 {
        of(self.first) | of(self.second)
    }

    /// The properties that at least one of the classes has, as in `table::hazards::class`.
    #[inline(always)]
    pub(crate) fn is(&self) -> u16 {
        self.first.is | self.second.is
    }
}

/// The class of an operation that no rule is about.
static NO_CLASS: HazardClass = HazardClass {
    produces: 0,
    consumes: 0,
    ends: 0,
    arms: 0,
    enders: 0,
    may_end: 0,
    passes: [0; 2],
    is: 0,
    counted: 0,
};
