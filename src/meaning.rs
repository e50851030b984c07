//! The meaning of each operation: a formula from the tables that computes its results, as text and as a tree.
//!
//! ```
//! # #[cfg(feature = "gfx942")] {
//! use amdgpu_isa::{Opcode, Target};
//! assert_eq!(Opcode::VXadU32.meaning(Target::Gfx942), Some("D.u32 = (S0 ^ S1) + S2.u32"));
//! # }
//! ```
//!
//! `D` and `S0` are operands in the order of the text. `isa/README.md` describes the language; [`Formula::read`] reads
//! a formula, and the package `amdgpu-eval` computes with it. [`Signature::data`](crate::signature::Signature::data)
//! has the types that the formula gives to operands.

#[cfg(feature = "alloc")]
extern crate alloc;

#[cfg(feature = "alloc")]
mod data;

include!(concat!(env!("OUT_DIR"), "/meaning.rs"));

use crate::codec::{flag, modifier_bits};
use crate::inst::Inst;
use crate::kind::{ListStyle, ModifierKind, OperandKind};
use crate::opcode::{BUS, Field, Format, Opcode};
use crate::table::generated::FNUZ;
use crate::target::Target;

#[cfg(feature = "alloc")]
pub use data::OperandData;

#[cfg(feature = "alloc")]
pub use crate::formula::{
    Binary, Call, Expr, FloatType, Formula, Goal, Part, Place, Source, Statement, SyntaxError, Type, Unary,
};

impl Opcode {
    /// The meaning of the operation on a target: statements that compute the results, or a sentence in quotes. `None`
    /// if the target lacks the operation, or the tables say nothing about it.
    pub fn meaning(self, target: Target) -> Option<&'static str> {
        let first = MEANINGS.partition_point(|row| (row.0 as u16) < self as u16);
        let mut rows = MEANINGS.get(first..)?.iter().take_while(|row| row.0 == self);
        rows.find(|row| row.1 >> (target as u32) & 1 == 1).map(|row| row.2)
    }
}

impl Target {
    /// The lane that each lane reads with this control of DPP: a formula of `LANE`, `WAVE` and `n`, and the value of
    /// `n`. A negative result of the formula means no lane. `None` if the target has no such control.
    pub fn dpp_lane(self, control: u32) -> Option<(&'static str, u32)> {
        let is_it = |row: &&(u16, u16, u128, &str)| {
            (u32::from(row.0)..=u32::from(row.1)).contains(&control) && row.2 >> (self as u32) & 1 == 1
        };
        LANES.iter().find(is_it).map(|row| (row.3, control - u32::from(row.0)))
    }

    /// The meaning of a value of the set that [`Target::enumerations`] calls `set`: a formula of `n`, the value, and of
    /// names that `isa/README.md` explains. Pass `None` as the value if the instruction lacks the field, or the target
    /// has no names for the values.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::Target;
    /// assert_eq!(Target::Gfx942.value_meaning("sdwa_sel", Some(1)), Some("S0[15:8]")); // BYTE_1
    /// assert_eq!(Target::Gfx942.value_meaning("omod", Some(3)), Some("x * 0.5")); // div:2
    /// # }
    /// ```
    pub fn value_meaning(self, set: &str, value: Option<u32>) -> Option<&'static str> {
        let word = match value {
            None => "-",
            Some(value) => {
                let values = self.enumerations().find(|enumeration| enumeration.name == set)?.values;
                values.iter().find(|(of, _)| u32::from(*of) == value)?.1
            }
        };
        VALUE_MEANINGS.iter().find(|row| row.0 == set && row.1 == word).map(|row| row.2)
    }

    /// Whether floats of 8 bits have neither infinity nor -0, so that 0x80 is NaN.
    pub fn has_fnuz(self) -> bool {
        FNUZ >> (self as u32) & 1 == 1
    }

    /// Whether a result of 16 bits keeps the other half of its register, which becomes 0 on other targets.
    pub fn keeps_halves(self) -> bool {
        KEEPS_HALF >> (self as u32) & 1 == 1
    }

    /// Whether the output modifier (`omod`) works in every denormal mode and flushes denormal results. On other targets
    /// the modifier does nothing unless MODE flushes denormal results.
    pub fn omod_flushes(self) -> bool {
        OMOD_FLUSH >> (self as u32) & 1 == 1
    }
}

impl Inst {
    /// The truth table of an operation on bits, put together from the fields that hold its pieces. `None` if the
    /// operation has none.
    pub fn truth_table(&self) -> Option<u32> {
        let is_table = |kind| matches!(kind, OperandKind::Modifier(ModifierKind::Bitop3 { .. }));
        self.descs().find(|desc| is_table(desc.kind)).map(|desc| modifier_bits(desc, self))
    }

    /// The lane in which source `n` of the formula is read, instead of the lane that the formula names: a formula of
    /// that lane (`LANE`), `WAVE` and fields of the instruction. If the result is negative, the values of the fields
    /// are undefined. `None` if the source is read in the lane that the formula names.
    pub fn source_lane(&self, n: u8) -> Option<&'static str> {
        let is_it = |row: &&(Opcode, u8, &str)| row.0 == self.opcode() && row.1 == n;
        SOURCE_LANES.iter().find(is_it).map(|row| row.2).filter(|text| *text != "LANE")
    }

    /// The meaning of a field, if it is the same for all values: a formula of `n`, the value, and of `LANE`.
    pub fn field_meaning(&self, field: Field) -> Option<&'static str> {
        let is_it = |row: &&(Format, Field, &str)| {
            row.1 == field && (row.0 == self.format() || Some(row.0) == self.extension())
        };
        FIELD_MEANINGS.iter().find(is_it).map(|row| row.2)
    }

    /// Whether DPP also reads disabled lanes: `fi:1`.
    pub fn reads_disabled_lanes(&self) -> bool {
        self.descs().any(|desc| match desc.kind {
            OperandKind::Modifier(ModifierKind::Dpp8 { code }) => !flag(self, code),
            _ => desc.field == Field::Fi && modifier_bits(desc, self) == 1,
        })
    }

    /// Whether the bits of `blgp` change the signs of the sources, instead of choosing lanes of the second one.
    pub fn blgp_negates(&self) -> bool {
        let negates = OperandKind::Modifier(ModifierKind::List(ListStyle::Neg));
        self.descs().any(|desc| desc.field == Field::Blgp && desc.kind == negates)
    }
}

impl Format {
    /// Whether the format's operations are those of the vector ALU, which are executed for each lane.
    pub fn is_vector_alu(self) -> bool {
        BUS.get(self as usize).copied().unwrap_or(false)
    }
}
