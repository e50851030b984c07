//! The names of operand codes and field values, as a target's assembler spells them.

use crate::code::{AGPR, AGPR_LAST, INT, INT_LAST, LITERAL, LITERAL64, NEGATIVE, NEGATIVE_LAST, VGPR, VGPR_LAST};
use crate::kind::{NONE, OperandKind, RegisterKind};
use crate::target::{DESCS, OPERANDS, TEXT, Target};

/// A run of operand codes: see [`Target::operand_codes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct CodeRun {
    /// The first code.
    pub first: u16,
    /// The last code.
    pub last: u16,
    /// The name of a single code. A run of registers has the name of their file, such as `s`. A run of inline integers
    /// has the value of the first code: `0` (ascending) or `-1` (descending).
    pub name: &'static str,
    /// The name as an operand of 64 bits, which differs for some single codes; empty if the code cannot be such an
    /// operand.
    pub pair: &'static str,
}

/// The names of a field's values: see [`Target::enumerations`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Enumeration {
    /// The name of the set of values, such as `hwreg`.
    pub name: &'static str,
    /// Each value with its name; of several values with one name, only the first is listed.
    pub values: &'static [(u16, &'static str)],
}

impl Target {
    /// The meanings of operand codes, in ascending order. Codes outside all runs have no meaning.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::Target;
    /// let mut all = Target::Gfx942.operand_codes();
    /// let scalar = all.next().unwrap();
    /// assert_eq!((scalar.name, scalar.first, scalar.last), ("s", 0, 101));
    /// assert!(all.any(|run| (run.first, run.name, run.pair) == (106, "vcc_lo", "vcc")));
    /// # }
    /// ```
    pub fn operand_codes(self) -> impl Iterator<Item = CodeRun> {
        let (tables, text) = (OPERANDS[self as usize], TEXT[self as usize]);
        let file = |first, last, name| CodeRun { first, last, name, pair: name };
        let files = [
            file(0, tables.sgpr_last, "s"),
            file(tables.ttmp_first, tables.ttmp_last, "ttmp"),
            file(INT, INT_LAST, "0"),
            file(NEGATIVE, NEGATIVE_LAST, "-1"),
            file(LITERAL64, LITERAL64, "literal64"),
            file(LITERAL, LITERAL, "literal"),
            file(VGPR, VGPR_LAST, "v"),
            file(AGPR, AGPR_LAST, "a"),
        ];
        let acc = DESCS[self as usize].descs.iter().any(|desc| {
            matches!(desc.kind, OperandKind::Register(RegisterKind::Agpr | RegisterKind::AgprOrConstant))
                || desc.kind.acc() != NONE
        });
        let there = move |run: &CodeRun| match run.first {
            AGPR => acc,
            LITERAL64 => tables.has_literal64,
            _ => run.first <= run.last,
        };
        let mut next = 0;
        core::iter::from_fn(move || {
            let named =
                text.names.codes.iter().map(|&(code, name, pair)| CodeRun { first: code, last: code, name, pair });
            let all = files.into_iter().filter(there).chain(named);
            let run = all.filter(|run| run.first >= next).min_by_key(|run| run.first)?;
            next = run.last + 1;
            Some(run)
        })
    }

    /// The names of field values, for each set of values that has names.
    pub fn enumerations(self) -> impl Iterator<Item = Enumeration> {
        let names = &TEXT[self as usize].names;
        let all = [
            ("hwreg", names.hwreg),
            ("sendmsg", names.sendmsg),
            ("gs_op", names.gs_op),
            ("sysmsg_op", names.sysmsg_op),
            ("instid", names.instid),
            ("instskip", names.instskip),
            ("version", names.version),
            ("wait_event", names.wait_event),
            ("dfmt", names.dfmt),
            ("nfmt", names.nfmt),
            ("buf_fmt", names.buf_fmt),
            ("sdwa_sel", names.sdwa_sel),
            ("dst_unused", names.dst_unused),
            ("omod", names.omod),
            ("dpp_ctrl", names.dpp_ctrl),
            ("exp_tgt", names.exp_tgt),
            ("swizzle", names.swizzle),
            ("interp_param", names.interp_param),
            ("dim", names.dim),
            ("matrix_fmt", names.matrix_fmt),
            ("matrix_scale", names.matrix_scale),
            ("matrix_scale_fmt", names.matrix_scale_fmt),
            ("scope", names.scope),
            ("th_load", names.th_load),
            ("th_load_system", names.th_load_system),
            ("th_store", names.th_store),
            ("th_store_system", names.th_store_system),
            ("th_atomic", names.th_atomic),
        ];
        let there = all.into_iter().filter(|(_, values)| !values.is_empty());
        there.map(|(name, values)| Enumeration { name, values })
    }
}
