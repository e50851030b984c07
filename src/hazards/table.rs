//! The classes of an instruction in the tables of rules.

use crate::inst::Inst;
use crate::table::hazards::{Ender, HazardClass, HazardTables};
use crate::table::paged;
use crate::target::HAZARDS;

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
