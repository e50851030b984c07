//! The tables of `isa/` as data. They are read as written; then `tree` and `takes` add the values of each target.

pub mod counters;
pub mod error;
mod format;
pub mod hazards;
mod row;
pub mod takes;
pub mod tree;

use std::collections::BTreeMap;

use crate::build::kind::OperandKind;
pub use counters::{CounterRow, EventRow, FieldWaitRow, WaitRow, Which, fits};
use error::SourceLine;
pub use format::{
    AssemblerFacts, Bits, Counts, Does, Extend, Field, FieldDefault, Fixed, Format, HalfField, LaneOf, OPEN, Only,
    Piece, Rename, Replace, Source, Succeeds, Swap, Takes, Unused, Values, When,
};
pub use row::{Access, Row, Token};
pub use tree::{Cells, Entry, Generation};

/// The formula of each operation on the targets that have it, with the line of the formula. Empty without the feature
/// `meaning`.
pub type Meanings = BTreeMap<String, Cells<(SourceLine, String)>>;

#[derive(Debug, Default)]
pub struct Isa {
    pub generations: Vec<Generation>,
    /// Names of the traits in which targets of one generation differ.
    pub traits: Vec<String>,
    pub targets: Vec<TargetRow>,
    pub processors: Vec<ProcessorRow>,
    /// `manual gfx9 Vega`: the manual of a generation or a processor, if the manual's name differs from the
    /// generation's.
    pub manuals: Vec<(SourceLine, String, String)>,
    pub codes: Vec<CodeRow>,
    pub operand_types: Vec<OperandTypeRow>,
    pub enums: Vec<EnumTable>,
    pub registers: Vec<RegisterTable>,
    pub limits: Vec<Limit>,
    /// `msb 1 vsrc1`: the group of bits that extends the register numbers in each field.
    pub msb: Vec<(SourceLine, String, u8)>,
    pub dwarf: Vec<DwarfRow>,
    /// The parts of kernel descriptors that have a directive.
    pub directives: Vec<DirectiveRow>,
    /// Numbers that are needed to make kernel descriptors.
    pub kernel: Vec<EnumValue>,
    pub synonyms: Vec<Synonym>,
    /// `17 s_add_u32`: the operations in the order of their numbers.
    pub opcodes: Vec<OpcodeNumber>,
    pub formats: Vec<Format>,
    pub counters: Vec<CounterRow>,
    pub events: Vec<EventRow>,
    pub waits: Vec<WaitRow>,
    pub field_waits: Vec<FieldWaitRow>,
    /// `align scalar 4`: tuples of scalar registers begin at a multiple of their length or of this number, whichever is
    /// smaller.
    pub scalar_align: u16,
    /// Operations with the same result when their sources are swapped; filled in after everything is read.
    pub swaps: Vec<(String, String)>,
    pub hazards: hazards::Hazards,
}

/// `17 s_add_u32`: the number of an operation, which never changes.
#[derive(Debug, Clone)]
pub struct OpcodeNumber {
    pub at: SourceLine,
    pub number: usize,
    pub name: String,
    /// Whether no table has the operation any more.
    pub retired: bool,
}

/// `synonym v_max_f32 gfx12=v_max_num_f32`: another name for a name of the tables, perhaps with a modifier:
/// `v_dot4_i32_iu8+neg:3`.
#[derive(Debug, Clone)]
pub struct Synonym {
    pub at: SourceLine,
    pub name: String,
    /// A mnemonic or a value of an enum.
    pub means: Cells<String>,
}

/// The field and the value of the modifier that a name implies; `None` if the name implies no modifier.
pub type Implied<'a> = Option<(&'a str, u32)>;

impl Synonym {
    /// The name that the tables use on a target, and the modifier that the synonym implies; `None` if the target lacks
    /// the synonym.
    pub fn of(&self, target: &str) -> error::Result<Option<(&str, Implied<'_>)>> {
        let Some(means) = self.means.of(target) else { return Ok(None) };
        let Some((name, modifier)) = means.split_once('+') else { return Ok(Some((means, None))) };
        let parts = modifier.split_once(':').and_then(|(field, value)| Some((field, value.parse().ok()?)));
        match parts {
            Some(parts) => Ok(Some((name, Some(parts)))),
            None => self.at.err(format!("expected FIELD:VALUE, found `{modifier}`")),
        }
    }
}

/// `processor gfx1103 gfx1100 0x044 phoenix`: a processor. Each `target` line also makes one.
#[derive(Debug, Clone)]
pub struct ProcessorRow {
    pub at: SourceLine,
    pub name: String,
    /// The target with the processor's instructions, which can be the processor itself; `None` if the tables lack such
    /// a target.
    pub target: Option<String>,
    pub mach: u32,
    /// `generic=1`: the newest version of this generic processor.
    pub generic: Option<u8>,
    /// `+new-fillers`: the processor is newer than LLVM 22, so sources that an operation lacks get the values of LLVM
    /// 23.
    pub has_new_fillers: bool,
    pub aliases: Vec<String>,
}

/// `target gfx906 gfx9 0x02f +dl +fma-mix vega20 mi50`: a target.
#[derive(Debug, Clone)]
pub struct TargetRow {
    pub at: SourceLine,
    /// An identifier: `gfx1100`; `gfx1100_wave64` if its waves do not have the default size; `gfx9_generic`.
    pub name: String,
    /// LLVM's name: `gfx1100`, for any size of its waves; `gfx9-generic`.
    pub processor: String,
    /// The lanes of a wave as a single entry; empty for 64 lanes.
    pub waves: Vec<u8>,
    /// Whether the processor also has waves of other sizes.
    pub several_waves: bool,
    /// The processor's number in ELF files (`EF_AMDGPU_MACH`), then the numbers of processors that decode the same
    /// code; filled in after everything is read.
    pub mach: Vec<u32>,
    /// The generation's name in the tables.
    pub from: String,
    /// The generation's common name; filled in after everything is read.
    pub generation: String,
    /// The traits; after everything is read, this includes the traits of the generation.
    pub traits: Vec<String>,
    /// The traits of the generation that the target lacks.
    pub lacks: Vec<String>,
    /// The number of different scalars that a vector operation can read over the constant bus, as the generation
    /// defines it.
    pub bus: u8,
    /// The target's other names, and all names of processors that decode the same code; filled in after everything is
    /// read.
    pub aliases: Vec<String>,
}

impl TargetRow {
    pub fn has(&self, name: &str) -> bool {
        self.traits.iter().any(|t| t == name)
    }

    /// The one of two values that is written by default to sources that an operation lacks. (A user can ask for the
    /// other value.)
    pub fn filler(&self, fillers: [u64; 2]) -> u64 {
        fillers[usize::from(self.has("new-fillers"))]
    }

    /// The smallest feature of the crate that enables the target: its name, or `gfx1100-wave32` (which `gfx1100`
    /// contains) if waves have several sizes.
    pub fn feature(&self) -> String {
        match self.waves[..] {
            [lanes] if self.several_waves && !self.is_other_wave() => format!("{}-wave{lanes}", self.processor),
            _ => self.processor.clone(),
        }
    }

    /// The number of lanes of a wave.
    pub fn lanes(&self) -> u8 {
        self.waves.first().copied().unwrap_or(64)
    }

    /// Whether the target's waves do not have the default size.
    pub fn is_other_wave(&self) -> bool {
        self.name != module_name(&self.processor)
    }

    /// The name in text: `gfx1100:wave64`.
    pub fn shown(&self) -> String {
        if self.is_other_wave() { format!("{}:wave{}", self.processor, self.lanes()) } else { self.processor.clone() }
    }

    /// This target with waves of another size. Its aliases remain with the target of the default size.
    pub fn with_wave(&self, lanes: u8) -> TargetRow {
        TargetRow {
            name: format!("{}_wave{lanes}", module_name(&self.processor)),
            waves: vec![lanes],
            aliases: Vec::new(),
            traits: self.traits.iter().cloned().chain([format!("wave{lanes}")]).collect(),
            ..self.clone()
        }
    }
}

/// The name of a processor as an identifier.
pub fn module_name(processor: &str) -> String {
    processor.replace('-', "_")
}

/// `code vcc_lo vcc sys 106`: a range of operand codes.
#[derive(Debug)]
pub struct CodeRow {
    pub at: SourceLine,
    pub name: String,
    /// The name of the operand of 64 bits that the code stands for; `None` if it does not stand for one.
    pub pair: Option<String>,
    /// Whether `pair` is `*`: the code can be a tuple of any length, under the same name.
    pub any_length: bool,
    pub class: String,
    pub range: Cells<(u16, u16)>,
}

impl CodeRow {
    /// Whether the row is a second meaning of a code, which exists only in the field of a scalar address.
    pub fn is_no_address(&self) -> bool {
        ["off", "neither"].contains(&self.class.as_str())
    }
}

/// `type ssrc code 0 1 sgpr,... -`: an operand type.
#[derive(Debug)]
pub struct OperandTypeRow {
    pub at: SourceLine,
    pub name: String,
    /// The kind, without the positions of other bits.
    pub kind: OperandKind,
    pub add: u16,
    pub scale: u16,
    /// Classes of codes, or ranges of values; empty if any value is accepted.
    pub takes: Vec<String>,
    /// Other fields, possibly with one of their bits (`acc[1]`).
    pub uses: Vec<Use>,
}

/// A field that an operand type reads in addition to its own.
#[derive(Debug)]
pub struct Use {
    pub field: String,
    /// The names of further fields that belong to this one: `vaddr1/vaddr2`.
    pub more: Vec<String>,
    /// `^`: the field of the base word, not of the extension.
    pub of_base: bool,
    /// The bit of the field; the first bit if none is given.
    pub bit: Option<u8>,
    /// Whether some targets lack the field: `?`, and also `!` and `^`.
    pub optional: bool,
    /// `!`, and also `^`: the field is only read; its bits belong to other operands.
    pub looked_at: bool,
}

/// `dwarf s 64-105 1088`: the numbers that debuggers use (DWARF), for a register with a name, or for registers with a
/// letter and a number.
#[derive(Debug)]
pub struct DwarfRow {
    pub at: SourceLine,
    pub name: String,
    /// The first and the last register, if `name` is a letter.
    pub registers: Option<(u16, u16)>,
    /// The debuggers' number of the register, or of the first register.
    pub number: u16,
}

/// `limit NAME NUMBER... ; DESCRIPTION`: numbers of the hardware that are the same on every target.
#[derive(Debug)]
pub struct Limit {
    pub at: SourceLine,
    pub name: String,
    pub numbers: Vec<u16>,
    pub about: String,
}

#[derive(Debug)]
pub struct EnumTable {
    pub at: SourceLine,
    pub name: String,
    /// `bits NAME`: the values are the bit positions of a constant's parts.
    pub bits: bool,
    pub values: Vec<EnumValue>,
    /// `registers NAME NUMBER...`: the number of address registers for each value, in the order of the values.
    pub registers: Vec<(String, Vec<u8>)>,
    /// `lane NAME FORMULA`: the lane that each lane reads.
    #[cfg_attr(not(any(feature = "meaning", test)), allow(dead_code))] // Without formulas, nothing reads it.
    pub lanes: Vec<(SourceLine, String, String)>,
    pub means: Vec<Means>,
}

/// `register HW_REG_MODE HW_REG_WAVE_MODE`, then `part fp_round 3:0`: a hardware register, whose name can differ
/// between generations, and its fields.
#[derive(Debug)]
pub struct RegisterTable {
    pub at: SourceLine,
    pub names: Vec<String>,
    /// The fields, whose values are bit pieces.
    pub parts: Vec<EnumValue>,
}

/// `means BYTE_0: S0[7:0]`, `means row_mask: n >> LANE / 16 & 1`: the effect of values of an enum, or of the values of
/// a field.
#[derive(Debug)]
#[cfg_attr(not(any(feature = "meaning", test)), allow(dead_code))] // Without formulas, nothing reads these fields.
pub struct Means {
    pub at: SourceLine,
    /// The names of the values (`-` for a missing value), or the names of the fields.
    pub names: Vec<String>,
    pub text: String,
}

/// `directive dx10_clamp 1 rsrc1:21:21 gfx12=-`: a part of kernel descriptors with its directive.
#[derive(Debug)]
pub struct DirectiveRow {
    pub at: SourceLine,
    pub name: String,
    /// The default value: a number, or the name of a trait for 1 on targets with this trait and 0 on other targets.
    pub default: String,
    /// The number of scalar registers that the part fills.
    pub sgprs: u8,
    /// The lowest bit in the descriptor, and the number of bits.
    pub bits: Cells<(u16, u8)>,
}

#[derive(Debug)]
pub struct EnumValue {
    pub at: SourceLine,
    pub name: String,
    /// `was:NAME`: the earlier name of the value in the enum; newer targets have the new name.
    pub was: Option<String>,
    /// `ops:LIST` or `ops:LIST?`: the enum of a message's operations, and whether the message can do without one.
    pub operations: Option<(String, bool)>,
    /// A number, a run of numbers, or bit pieces.
    pub value: Cells<String>,
}

impl EnumValue {
    pub fn new(at: &SourceLine, name: &str, value: Cells<String>) -> EnumValue {
        EnumValue { at: at.clone(), name: name.to_string(), was: None, operations: None, value }
    }
}
