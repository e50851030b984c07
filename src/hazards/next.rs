//! The next instruction, as rules see it.

use crate::hazards::table::Classes;
use crate::hazards::uses::Uses;
use crate::inst::Inst;
use crate::table::hazards::HazardTables;
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
