//! The next instruction, as rules see it.

use crate::hazards::table::Classes;
use crate::hazards::uses::Uses;
use crate::inst::Inst;
use crate::table::hazards::{HazardRow, HazardTables};
use crate::vgpr_msb::VgprMsb;

/// The next instruction, with all that rules ask of it: found once.
pub(crate) struct Next<'i> {
    pub tables: &'static HazardTables,
    pub classes: Classes,
    pub uses: Uses<'i>,
}

impl<'i> Next<'i> {
    pub fn of(inst: &'i Inst, msb: VgprMsb) -> Next<'i> {
        let tables = HazardTables::of(inst);
        Next { tables, classes: tables.classes(inst), uses: Uses::of(inst, msb) }
    }
}

impl HazardTables {
    /// Some rows with their numbers.
    #[inline]
    pub(crate) fn numbered(&self, rows: u128) -> impl Iterator<Item = (usize, &'static HazardRow)> + use<> {
        let all = self.rows;
        bits(rows).filter_map(move |n| Some((n, all.get(n)?)))
    }
}

/// The numbers of the bits that are set.
#[inline]
pub(crate) fn bits(mut set: u128) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let n = set.trailing_zeros();
        set &= set.wrapping_sub(1);
        (n < u128::BITS).then_some(n as usize)
    })
}
