//! The names of single values, for messages.

use core::fmt;

use crate::opcode::Field;
use crate::table::Named;
use crate::target::{NAMES, TEXT, Target};

/// The name of a value of a field or of a part of a constant, as the text of an instruction has it: `row_share:3`,
/// `HW_REG_MODE`, `MSG_GS`.
pub(crate) struct ValueName {
    name: &'static str,
    /// The position in a run of values that have one name.
    number: Option<u16>,
}

/// The runs of values that have names, and the names by the first value of each run.
type Names<'t> = (&'t [Named], &'t [(u16, &'static str)]);

impl ValueName {
    /// The name of a value; `None` if it has none on the target.
    pub fn of(target: Target, field: Field, value: u16) -> Option<ValueName> {
        let (runs, names) = (NAMES[target as usize], &TEXT[target as usize].names);
        let lists: &[Names<'_>] = match field {
            Field::Id => &[(runs.hwreg, names.hwreg)],
            Field::Message => &[(runs.sendmsg, names.sendmsg)],
            Field::Op => &[(runs.gs_op, names.gs_op), (runs.sysmsg_op, names.sysmsg_op)],
            Field::Instid0 | Field::Instid1 => &[(runs.instid, names.instid)],
            Field::Instskip => &[(runs.instskip, names.instskip)],
            Field::Tgt => &[(runs.exp_tgt, names.exp_tgt)],
            Field::DppCtrl => &[(runs.dpp_ctrl, names.dpp_ctrl)],
            Field::Omod => &[(runs.omod, names.omod)],
            Field::Dim => &[(runs.dim, names.dim)],
            Field::Scope => &[(runs.scope, names.scope)],
            Field::Nfmt => &[(runs.nfmt, names.nfmt)],
            Field::Dfmt => &[(runs.dfmt, names.dfmt)],
            Field::Format => &[(runs.buf_fmt, names.buf_fmt)],
            _ => &[],
        };
        lists.iter().find_map(|(runs, names)| {
            let run = runs.iter().find(|run| (run.first..=run.last).contains(&value))?;
            let name = names.iter().find(|name| name.0 == run.first)?.1;
            // Shifts of a row begin at 1, which is the last hexadecimal digit of their first value.
            let number = value - run.first + (run.first & 15);
            Some(ValueName { name, number: (run.first != run.last).then_some(number) })
        })
    }
}

impl fmt::Display for ValueName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.number {
            Some(number) if self.name != "quad_perm" => write!(f, "{}:{number}", self.name),
            _ => f.write_str(self.name),
        }
    }
}
