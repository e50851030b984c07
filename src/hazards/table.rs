//! The classes of an instruction in the tables of rules.

use crate::inst::Inst;
use crate::signature::Signature;
use crate::table::hazards::{Ender, HazardClass, HazardTables};
use crate::table::paged;
use crate::target::HAZARDS;

impl Signature {
    /// The passes of the matrix core that an instruction takes: usually, and if a factor has 8 bits, which `cbsz` and
    /// `blgp` choose. `None` if the tables have no passes of it. [`Distance`](super::Distance) depends on them.
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

    /// The class of the instruction's operation; of both, where it has two, the second is another.
    pub(crate) fn classes(&self, inst: &Inst) -> impl Iterator<Item = &'static HazardClass> + use<> {
        let (pages, class_of, classes) = (self.pages, self.class_of, self.classes);
        let second = inst.second_index();
        [Some(inst.op_index()), second]
            .into_iter()
            .flatten()
            .filter_map(move |op_index| classes.get(usize::from(paged(pages, class_of, op_index)?)))
    }

    /// The rows that the instruction may end.
    pub(crate) fn ended_by(&self, inst: &Inst) -> u128 {
        let of = |number: usize, ender: &Ender, class: &HazardClass| match class.enders >> number & 1 {
            0 => 0,
            _ => ender.rows,
        };
        self.classes(inst).fold(0, |rows, class| {
            let enders = self.enders.iter().enumerate();
            enders.fold(rows | class.ends, |rows, (number, ender)| rows | of(number, ender, class))
        })
    }
}
