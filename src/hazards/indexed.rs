//! Registers to whose numbers an index is added.

use crate::hazards::uses::{Use, Uses};
use crate::imm::{GprIdx, Imm};
use crate::inst::Inst;
use crate::opcode::Field;
use crate::registers::RegSet;
use crate::table::hazards::{HazardTables, class, file};

/// The operands of vector operations to which a mode adds an index: a bit for each of three sources and the
/// destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct IndexMode(u8);

impl IndexMode {
    pub const OFF: IndexMode = IndexMode(0);
    const SOURCES: [(Field, u8); 4] = [(Field::Src0, 1), (Field::Src1, 2), (Field::Vsrc1, 2), (Field::Src2, 4)];
    const DESTINATION: u8 = 8;

    /// The mode after an instruction.
    #[inline]
    pub(super) fn after(self, inst: &Inst, uses: &Uses<'_>) -> IndexMode {
        // While the mode is off, only an instruction that writes M0 can change it.
        if uses.files.1 & file::M0 == 0 && self == IndexMode::OFF {
            return self;
        }
        match inst.imm() {
            Some(Imm::GprIdx(GprIdx { src0, src1, src2, dst, .. })) => {
                let bits = [src0, src1, src2, dst].into_iter().rev();
                IndexMode(bits.fold(0, |set, bit| set << 1 | u8::from(bit)))
            }
            _ if HazardTables::of(inst).classes(inst).is() & class::INDEX_OFF != 0 => IndexMode::OFF,
            _ => self,
        }
    }

    /// The mode where two paths meet: it indexes the operands that the mode of either path indexes.
    pub(super) fn joined(self, other: IndexMode) -> IndexMode {
        IndexMode(self.0 | other.0)
    }
}

/// The operands of an instruction to whose numbers an index is added. The index is unknown, so such an operand may be
/// the register that it names or any later one.
#[derive(Clone, Copy)]
pub(super) struct Indexed {
    reads: bool,
    writes: bool,
    mode: IndexMode,
}

impl Indexed {
    #[inline]
    pub(super) fn of(uses: &Uses<'_>, mode: IndexMode) -> Indexed {
        let none = Indexed { reads: false, writes: false, mode: IndexMode::OFF };
        if uses.files.0 & file::M0 == 0 && mode == IndexMode::OFF {
            return none;
        }
        let is = HazardTables::of(uses.inst).classes(uses.inst).is();
        let mode = if is & class::VALU == 0 { IndexMode::OFF } else { mode };
        Indexed { reads: is & class::INDEXED_SOURCE != 0, writes: is & class::INDEXED_DESTINATION != 0, mode }
    }

    /// Whether no index is added to any operand of the instruction.
    #[inline]
    pub(super) fn is_none(&self) -> bool {
        !self.reads && !self.writes && self.mode == IndexMode::OFF
    }

    /// Whether an index is added to the number of a register that is read.
    pub(super) fn reads(&self, one: &Use) -> bool {
        let bits = IndexMode::SOURCES.iter().filter(|(field, _)| one.role == Some(*field));
        let by_mode = bits.fold(0, |set, (_, bit)| set | bit) & self.mode.0 != 0;
        let is_source = one.role.is_some() && !DESTINATIONS.contains(&one.role);
        one.access.reads() && is_source && (self.reads || by_mode && RegSet::is_vector(one.run().0))
    }

    /// Whether an index is added to the number of a register that is written. The destination of an operation that
    /// always adds an index (`v_movreld_b32`) has no write access: it names the register from which the index counts.
    pub(super) fn writes(&self, one: &Use) -> bool {
        let by_mode = self.mode.0 & IndexMode::DESTINATION != 0 && RegSet::is_vector(one.run().0);
        DESTINATIONS.contains(&one.role) && (self.writes || by_mode && one.access.writes())
    }
}

/// The fields that name destinations.
const DESTINATIONS: [Option<Field>; 2] = [Some(Field::Vdst), Some(Field::Sdst)];

/// The first register of the run of `count` registers from `first` that an indexed operand may be; `None` if all of
/// them are below the operand or in another file.
pub(super) fn reached(one: &Use, (first, count): (u16, u16)) -> Option<u16> {
    let (from, length) = one.run();
    let is_alike = RegSet::is_vector(from) == RegSet::is_vector(first.into());
    let is_reached = length != 0 && is_alike && from < usize::from(first) + usize::from(count);
    is_reached.then(|| first.max(from as u16))
}
