//! The rules of a target, as `build/emit/hazards.rs` writes them.

use crate::opcode::{Field, Format};
use crate::value::Reg;

/// The unit of a rule's distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum Unit {
    /// Wait states.
    States,
    /// Vector instructions.
    Valu,
    /// Nothing: it waits for what [`Rule::ends`](crate::hazards::Rule::ends) tells.
    Event,
}

/// How certain a rule is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum Certainty {
    /// A manual has it, and LLVM obeys it.
    Agreed,
    /// LLVM obeys it, and no manual has it.
    Llvm,
    /// A manual has it, and LLVM does not know it.
    Manual,
    /// Only Mesa's compiler obeys it.
    Mesa,
    /// Wrong results on hardware were reported; compilers and manuals do not know it yet.
    Reported,
    /// A change of LLVM that is not accepted yet has it: perhaps it will turn out to be something else.
    Proposed,
}

/// A mode in which alone some rules hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Mode {
    /// Memory accesses are repeated after a page fault: [`Modes::xnack`](crate::hazards::Modes::xnack).
    Xnack,
    /// The expert mode of scheduling: [`Modes::expert`](crate::hazards::Modes::expert).
    Expert,
}

/// Texts about a rule, for people.
pub(crate) struct RuleInfo {
    pub id: &'static str,
    pub text: &'static str,
    pub source: &'static str,
    pub note: &'static str,
    pub caution: &'static str,
    pub ends: &'static str,
    pub mode: Option<Mode>,
    pub unit: Unit,
    pub certainty: Certainty,
}

/// The rules of a target. A set of rows has a bit for each of them.
pub(crate) struct HazardTables {
    pub rows: &'static [HazardRow],
    pub classes: &'static [HazardClass],
    /// Pages of `class_of`, which has the class of each opcode index.
    pub pages: &'static [u8],
    pub class_of: &'static [u8],
    /// The rows by what their producers access, and by what their consumers do.
    pub producers: ByFile,
    pub consumers: ByFile,
    /// Instructions that end some rows, but only under conditions.
    pub enders: &'static [Ender],
    /// The rows that only an instruction ends, not a distance; and those whose distance counts vector operations.
    pub events: u128,
    pub valu: u128,
    /// The rows that a wait for some of what came ends.
    pub waited: u128,
    /// The rows for which another instruction has to come between.
    pub thens: u128,
    /// The rows that hold with XNACK only, and those in the expert mode only.
    pub xnack: u128,
    pub expert: u128,
    /// The instructions that turn the expert mode on and off.
    pub expert_on: &'static [Side],
    pub expert_off: &'static [Side],
    /// The rows whose producer must access registers that were seen.
    pub asking: u128,
    /// The operands of which registers are seen.
    pub seen: &'static [Side],
    /// Whether the other registers of their aligned pairs are seen, too.
    pub pairs: bool,
    /// Whether a register that is written is no longer seen.
    pub until_written: bool,
    /// The instructions that rows count.
    pub counted: &'static [Side],
    /// The rows that end if another access to memory follows the intermediate instruction.
    pub directly: u128,
    /// The rows whose producer is the beginning of a kernel.
    pub begin: u128,
    /// The rows with two producers.
    pub again: u128,
    /// The bits of the constant of `s_nop` that count.
    pub nop: u16,
}

/// Rows by the files of the registers that one of their sides accesses.
pub(crate) struct ByFile {
    /// Rows about no operands, or about one register.
    pub any: u128,
    /// Rows about operands that are read in each of the files of `file`, by their bits, and rows about operands that
    /// are written.
    pub reads: [u128; 8],
    pub writes: [u128; 8],
    /// Rows with conditions.
    pub conditional: u128,
}

/// An instruction that ends some rows.
pub(crate) struct Ender {
    pub rows: u128,
    pub side: Side,
    /// Only of producers whose operands are all among its own.
    pub over: bool,
    /// The rows begin after it, and do not end.
    pub begins: bool,
    /// Only of producers after which enough came.
    pub upto: Option<Upto>,
}

/// Bits of the constant, and the kind of operations that they count, as a bit: without one, vector operations.
#[allow(dead_code)] // Not every set of targets has rules with it.
pub(crate) struct Upto {
    pub lsb: u8,
    pub mask: u16,
    pub kind: u16,
}

/// A rule for one kind of producer and one of consumer.
pub(crate) struct HazardRow {
    pub rule: u16,
    pub producer: Side,
    pub consumer: Side,
    pub overlap: Overlap,
    pub differs: Differs,
    pub unit: Unit,
    /// So many transcendental operations end it.
    pub trans: u8,
    /// So many wait states end it, unless one is strict.
    pub lasts: u8,
    /// So many of `HazardTables::counted` end it.
    pub times: u8,
    /// Another such producer comes after it, with no more vector operations between both.
    pub again: Option<u8>,
    /// One of `HazardTables::counted` has to come after the first producer, and before the second one.
    pub counted: bool,
    /// The distance by the passes of the producer: 2, 4, 8, 16, 32.
    pub distance: [u8; 5],
    /// The greatest distance of all sources, where they disagree.
    pub most: [u8; 5],
    /// The field of the consumer that holds the distance.
    pub field: Option<Field>,
    /// The kinds of operations that waits which end it count, a bit each; 0 if they count fewer than two.
    pub counts: [u16; 2],
}

/// The rows that the operations of a class can be producers, consumers or ends of.
pub(crate) struct HazardClass {
    pub produces: u128,
    pub consumes: u128,
    pub ends: u128,
    /// The rows for which it has to come between.
    pub arms: u128,
    /// A bit for each of `HazardTables::enders`.
    pub enders: u64,
    /// Passes of the matrix core; the second number holds if a factor has 8 bits.
    pub passes: [u8; 2],
    /// The longest distances among the rows that it produces.
    pub states: u8,
    pub valu: u8,
    /// As in `class`.
    pub is: u8,
    /// The kinds among those that waits count, as bits.
    pub counted: u16,
}

/// Properties of classes, as `build/lower/hazards.rs` has them.
pub(crate) mod class {
    pub const VALU: u8 = 1;
    pub const TRANS: u8 = 2;
    pub const NOP: u8 = 4;
    /// Its registers are seen.
    pub const SEES: u8 = 8;
    /// It may be one of those that are counted.
    pub const COUNTED: u8 = 16;
    /// It may turn the expert mode on or off.
    pub const EXPERT: u8 = 64;
    /// It accesses memory, perhaps for scalar registers.
    pub const ACCESS: u8 = 1 << 7;
}

/// Conditions for one of the two instructions, and its operands that the rule is about.
pub(crate) struct Side {
    pub conditions: &'static [Condition],
    pub operands: Option<Accessed>,
}

#[allow(dead_code)] // Not every set of targets has rules with each.
pub(crate) enum Condition {
    /// The dword after the words has this format.
    Form(Format),
    /// One of the flags of `shared::FLAGS`.
    Flag(u32),
    /// One of these bits of the field is set.
    AnyBit(Field, u32),
    /// None of them is.
    NoBit(Field, u32),
    Is(Field, u32),
    IsNot(Field, u32),
    /// The field names no register.
    NoRegister(Field),
    /// The constant names this hardware register, and covers this bit, if it is not `NONE`.
    Hwreg(u8, u8),
    /// The instruction is longer than this.
    Dwords(u8),
    /// Its registers were seen before: `Hazards::issue` looks.
    Seen,
    /// It writes a register that it reads.
    Own,
}

/// Some operands of an instruction.
pub(crate) struct Accessed {
    pub reads: bool,
    pub writes: bool,
    /// As in `file`.
    pub files: u8,
    /// This register alone, whatever the files.
    pub only: Option<Reg>,
    /// All that a field names.
    pub named: bool,
    /// All that no field names.
    pub implicit: bool,
    /// The fields, one of which must name the operand.
    pub fields: &'static [Field],
    /// In bits.
    pub wider_than: u16,
    pub narrower_than: u16,
}

/// Register files, in the order of `FILES` in build/check/hazards.rs.
pub(crate) mod file {
    /// All scalar registers but EXEC.
    pub const SCALAR: u8 = 1;
    pub const VCC: u8 = 1 << 1;
    pub const EXEC: u8 = 1 << 2;
    pub const M0: u8 = 1 << 3;
    pub const VECTOR: u8 = 1 << 4;
    /// `src_vccz` and `src_execz`.
    pub const ZERO_BITS: u8 = 1 << 5;
    /// `src_lds_direct`.
    pub const LDS_DIRECT: u8 = 1 << 6;
    /// Scalar registers with numbers.
    pub const NUMBERED: u8 = 1 << 7;
}

/// The registers that the operands of both instructions have in common.
#[allow(dead_code)] // Not every set of targets has rules with each.
pub(crate) enum Overlap {
    None,
    /// A register.
    Share,
    /// Both are the same registers.
    Same,
    /// Both share a register, but are not the same.
    Other,
    /// Their constants name the same hardware register.
    Hwreg,
    /// A register of each of two producers, both with even numbers or both with odd ones.
    Parity,
}

/// A further condition on both instructions.
#[allow(dead_code)] // Not every set of targets has rules with each.
#[derive(PartialEq)]
pub(crate) enum Differs {
    Nothing,
    SameOp,
    OtherOp,
    /// Both have different numbers of passes.
    Passes,
}
