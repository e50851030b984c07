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
    /// No distance: the rule holds until the event that [`Rule::ends`](crate::hazards::Rule::ends) describes.
    Event,
}

/// The certainty of a rule: the sources that have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum Certainty {
    /// A manual has the rule, and LLVM obeys it.
    Agreed,
    /// LLVM obeys the rule, and no manual has it.
    Llvm,
    /// A manual has the rule, and LLVM does not know it.
    Manual,
    /// Only Mesa's compiler obeys the rule.
    Mesa,
    /// Wrong results on hardware were reported; compilers and manuals do not know the rule yet.
    Reported,
    /// A proposed change of LLVM has the rule, which may turn out to be different.
    Proposed,
}

/// A mode that some rules require.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Mode {
    /// Memory accesses are repeated after a page fault: [`Modes::xnack`](crate::hazards::Modes::xnack).
    Xnack,
    /// The expert mode of scheduling: [`Modes::expert`](crate::hazards::Modes::expert).
    Expert,
}

/// Facts about a rule that users see, most of them as text.
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

/// A fault that no rule checks.
pub(crate) struct UncheckedInfo {
    pub id: &'static str,
    pub reason: &'static str,
    /// The targets that have the fault, by their numbers in this build.
    pub targets: &'static [u8],
}

/// The rules of a target, as rows. A set of rows has a bit for each row.
pub(crate) struct HazardTables {
    pub rows: &'static [HazardRow],
    pub classes: &'static [HazardClass],
    /// Pages of `class_of`, which has the class of each opcode index.
    pub pages: &'static [u8],
    pub class_of: &'static [u8],
    /// The rows by the register files that their producers access, and by those that their consumers access.
    pub producers: ByFile,
    pub consumers: ByFile,
    /// Instructions that end some rows, or make them begin, under conditions.
    pub enders: &'static [Ender],
    /// The rows that only an instruction ends, not a distance.
    pub events: u128,
    /// For 0 and for each distance in wait states that a row has, in ascending order, the rows that last longer; then
    /// the same for distances in vector operations.
    pub lasts_states: &'static [(u8, u128)],
    pub lasts_valu: &'static [(u8, u128)],
    /// The rows that a wait with a count ends: see [`Upto`].
    pub waited: u128,
    /// The rows that hold only if an instruction that the rule names comes between producer and consumer.
    pub thens: u128,
    /// The rows that hold with XNACK only, and the rows that hold in the expert mode only.
    pub xnack: u128,
    pub expert: u128,
    /// The instructions that turn the expert mode on and off.
    pub expert_on: &'static [Side],
    pub expert_off: &'static [Side],
    /// The rows whose producer must access registers that count as seen: see `seen`.
    pub asking: u128,
    /// The operands that make registers count as seen: after an instruction with such an operand, the operand's
    /// registers are seen.
    pub seen: &'static [Side],
    /// Whether the other register of an aligned pair counts as seen, too.
    pub pairs: bool,
    /// Whether a register no longer counts as seen after a write.
    pub until_written: bool,
    /// The instructions that are counted for rows: see `HazardRow::times` and `HazardRow::counted`.
    pub counted: &'static [Side],
    /// The rows of `thens` whose intermediate instruction no longer counts after another access to memory.
    pub directly: u128,
    /// The rows whose producer is the beginning of a kernel.
    pub begin: u128,
    /// The rows with two producers.
    pub again: u128,
    /// The rows that cannot tell their producers apart, so that only the latest producer counts.
    pub latest: u128,
    /// Mask of the bits of the constant of `s_nop` that state the number of wait states.
    pub nop: u16,
}

/// Rows by the register files that one side, producers or consumers, accesses.
pub(crate) struct ByFile {
    /// Rows whose side is about no operands, or about one register (`Accessed::only`).
    pub any: u128,
    /// For each bit of `file`, the rows about operands read in that file, and the rows about operands written in it.
    pub reads: [u128; 8],
    pub writes: [u128; 8],
    /// Rows whose side has conditions other than `Condition::Seen`.
    pub conditional: u128,
    /// Rows whose side is about instructions with a trailing dword ([`Condition::Form`]).
    pub trailing: u128,
}

/// An instruction that ends some rows.
pub(crate) struct Ender {
    pub rows: u128,
    pub side: Side,
    /// Whether the instruction ends rows only of producers whose operands are all among the instruction's own.
    pub over: bool,
    /// Whether the instruction makes the rows begin to hold, instead of ending them; with `over`, only the rows of
    /// producers whose operands are all among the instruction's own.
    pub begins: bool,
    /// The bits that hold a wait's count. The wait ends rows only of producers after which at least that many
    /// operations came.
    pub upto: Option<Upto>,
}

/// The bits of a wait's constant that hold a count, and the kind of operations counted: a bit, or 0 for vector
/// operations.
#[allow(dead_code)] // Not every set of targets has rules with it.
pub(crate) struct Upto {
    pub lsb: u8,
    pub mask: u16,
    pub kind: u16,
}

/// A rule for one kind of producer and one kind of consumer.
pub(crate) struct HazardRow {
    pub rule: u16,
    pub producer: Side,
    pub consumer: Side,
    pub overlap: Overlap,
    pub differs: Differs,
    pub unit: Unit,
    /// Number of transcendental operations that end the row; 255 if no number does, as in the next two fields.
    pub trans: u8,
    /// Number of wait states that end the row, unless `Hazards` is strict.
    pub lasts: u8,
    /// Number of instructions of `HazardTables::counted` that end the row.
    pub times: u8,
    /// For a row with two producers, the greatest number of vector operations between them.
    pub again: Option<u8>,
    /// Whether an instruction of `HazardTables::counted` has to come between the two producers.
    pub counted: bool,
    /// The distance by the passes of the producer: 2, 4, 8, 16, 32.
    pub distance: [u8; 5],
    /// The greatest distance that a source demands; the same as `distance` if the sources agree.
    pub most: [u8; 5],
    /// The field in which the consumer states a wait of its own: a value below the distance replaces the distance.
    pub field: Option<Field>,
    /// The kinds of operations counted by the waits that end the row, a bit each; 0 for a missing kind.
    pub counts: [u16; 2],
}

/// A class of operations: the rows that have them as producers or consumers, and the rows that they can end.
pub(crate) struct HazardClass {
    pub produces: u128,
    pub consumes: u128,
    pub ends: u128,
    /// The rows for which an operation of the class has to come between producer and consumer.
    pub arms: u128,
    /// The entries of `HazardTables::enders` that the operations may be, a bit each.
    pub enders: u64,
    /// The rows of the entries in `enders`.
    pub may_end: u128,
    /// Passes of the matrix core; the second number holds if a factor has 8 bits.
    pub passes: [u8; 2],
    /// Properties, as in `class`.
    pub is: u16,
    /// The kinds of operations to which the class belongs, among the kinds that waits count, as bits.
    pub counted: u16,
}

/// Properties of classes, which `build/lower/hazards.rs` assigns.
pub(crate) mod class {
    pub const VALU: u16 = 1;
    pub const TRANS: u16 = 2;
    pub const NOP: u16 = 4;
    /// The operation may have operands of `HazardTables::seen`.
    pub const SEES: u16 = 8;
    /// The operation may be one of `HazardTables::counted`.
    pub const COUNTED: u16 = 16;
    /// An index is added to the numbers of sources.
    pub const INDEXED_SOURCE: u16 = 1 << 5;
    /// The operation may turn the expert mode on or off.
    pub const EXPERT: u16 = 64;
    /// The operation accesses memory; scalar memory counts, too.
    pub const ACCESS: u16 = 1 << 7;
    /// An index is added to the numbers of destinations.
    pub const INDEXED_DESTINATION: u16 = 1 << 8;
    /// The operation ends the mode in which an index is added to the numbers of vector registers.
    pub const INDEX_OFF: u16 = 1 << 9;
}

/// Conditions for the producer or the consumer, and its operands that the rule is about.
pub(crate) struct Side {
    pub conditions: &'static [Condition],
    pub operands: Option<Accessed>,
}

#[allow(dead_code)] // The rules of some sets of targets lack some variants.
pub(crate) enum Condition {
    /// The trailing dword has this format.
    Form(Format),
    /// The operation has one of these flags of `shared::FLAGS`.
    Flag(u32),
    /// One of these bits of the field is set.
    AnyBit(Field, u32),
    /// None of these bits of the field is set.
    NoBit(Field, u32),
    Is(Field, u32),
    IsNot(Field, u32),
    /// The field names no register.
    NoRegister(Field),
    /// The constant names this hardware register, and covers this bit unless the bit is `NONE`.
    Hwreg(u8, u8),
    /// The instruction is longer than this number of dwords.
    Dwords(u8),
    /// The registers of the instruction were seen before, which `Hazards::issue` checks.
    Seen,
    /// The instruction writes a register that it reads.
    Own,
    /// The instruction writes a register.
    Result,
}

/// Some operands of an instruction.
pub(crate) struct Accessed {
    pub reads: bool,
    pub writes: bool,
    /// Register files, as in `file`.
    pub files: u8,
    /// The register that an operand must contain; `None` for any register of `files`.
    pub only: Option<Reg>,
    /// Whether all operands that a field names are meant.
    pub named: bool,
    /// Whether all operands that no field names are meant.
    pub implicit: bool,
    /// The fields, one of which must name the operand.
    pub fields: &'static [Field],
    /// The widths in bits between which the operand's width must be, both excluded.
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
    /// All scalar registers but EXEC, M0 and VCC.
    pub const NUMBERED: u8 = 1 << 7;
}

/// The registers that the operands of both instructions have in common.
#[allow(dead_code)] // The rules of some sets of targets lack some variants.
pub(crate) enum Overlap {
    None,
    /// At least one register.
    Share,
    /// All registers: the operands are the same.
    Same,
    /// At least one register, but not all.
    Other,
    /// A hardware register that the constants of both instructions name.
    Hwreg,
    /// A register of each of two producers, both with even or both with odd numbers.
    Parity,
}

/// A further condition on both instructions.
#[allow(dead_code)] // The rules of some sets of targets lack some variants.
#[derive(PartialEq)]
pub(crate) enum Differs {
    Nothing,
    SameOp,
    OtherOp,
    /// The instructions have different numbers of passes.
    Passes,
}
