//! Definitions that the library and the generator in `build/` share: both include this file.

/// The kind of a rule that ties several fields together. Such a rule can refuse words that satisfy the masks and sets
/// of values of the constraints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum RuleKind {
    /// The field names the first of `Rule::n` registers, and the last of them must exist.
    RegisterRun,
    /// The field must hold the code of a scalar register.
    Scalar,
    /// The words are refused.
    Forbidden,
    /// The field names the first register of image data, and the last one must exist. `Rule::n` is the kind of
    /// operation, as `image::*`. The rule has no set of values; it reads dmask, tfe and d16, the last two of which may
    /// be missing.
    Image,
    /// The field must hold `Rule::n`.
    Value,
}

impl RuleKind {
    /// The bit of this kind in a set of kinds.
    pub const fn bit(self) -> u8 {
        1 << self as u8
    }

    /// Whether a set has this kind.
    pub const fn is_in(self, kinds: u8) -> bool {
        kinds & self.bit() != 0
    }
}

/// Flags: properties of constraints other than masks and sets.
pub mod constraint_flags {
    /// The operation has the lds bit: data that goes to LDS has no register operand.
    pub const LDS: u8 = 1;
    /// The operation has a d16 bit that packs two components per register.
    pub const D16: u8 = 1 << 1;
    /// Other fields determine the length of a tuple, so the size of every operand must be checked.
    pub const SIZED: u8 = 1 << 2;
    /// `DecodeTables::wide` has an entry for the constraints.
    pub const WIDE: u8 = 1 << 3;
    /// `DecodeTables::more` or `ones` has an entry for the constraints.
    pub const FURTHER: u8 = 1 << 4;
    /// The operation is the first of two; the second one has constraints of its own.
    pub const DUAL: u8 = 1 << 5;
    /// The flags of constraints that the masks and sets do not express completely.
    pub const CLOSER: u8 = SIZED | WIDE | FURTHER | DUAL;
}

/// Kinds of operations by the number of registers of image data.
pub mod image {
    /// One register for each component.
    pub const DATA: u8 = 1;
    /// Four components.
    pub const GATHER: u8 = 1 << 1;
    pub const ATOMIC: u8 = 1 << 2;
    pub const CMPSWAP: u8 = 1 << 3;
    /// The d16 bit packs two components per register.
    pub const D16: u8 = 1 << 4;
}

/// Number of opcode indices in a page of the tables.
pub const PAGE: usize = 16;

/// The dwords that can follow the base words.
pub mod trailing {
    /// A literal when bits 7:0 are 255.
    pub const SSRC0: u8 = 1;
    /// A literal when bits 15:8 are 255.
    pub const SSRC1: u8 = 2;
    /// A literal when bits 8:0 are 255.
    pub const SRC0: u8 = 4;
    /// An SDWA dword when bits 8:0 are 249.
    pub const SDWA: u8 = 8;
    /// A DPP dword when bits 8:0 are 250.
    pub const DPP: u8 = 16;
    /// Always a literal.
    pub const ALWAYS: u8 = 32;
    /// Other dwords: see `DecodeTables::trailing`.
    pub const LIST: u8 = 64;
    /// The base format has two dwords; with the flag `constraint_flags::WIDE`, three or four.
    pub const TWO: u8 = 128;
}

/// The number of the first form whose dword has no flag in `trailing`. Forms 1 and 2 are SDWA and DPP, which have
/// flags.
pub const FIRST_TRAILING_FORM: u8 = 3;

/// Entries of `LengthTables` for the top nine bits of the first dword. The low bits of an entry are `trailing::*`.
pub mod length {
    /// One dword, and one more if `trailing` requires it.
    pub const ONE: u8 = 0x40;
    /// Exactly two dwords.
    pub const TWO: u8 = 0x80;
    /// Like `ONE`, except for words that `LengthTables::others` lists.
    pub const ASK: u8 = 0xc0;
    /// `LengthTables::lists` has the length, at the index in the lowest five bits.
    pub const LISTED: u8 = TWO | super::trailing::ALWAYS;
    pub const KIND: u8 = 0xc0;
}

/// Indices in the table of values, which holds the meanings of operand codes.
pub mod value_table {
    /// Size of each of three sections: for single registers, for pairs, and for longer tuples.
    pub const SECTION: u16 = 1024;
    /// Index in each section from which on its entries are scalar addresses.
    pub const ADDRESSES: u16 = 768;
    /// Index of the registers that no field names, after the sections.
    pub const IMPLICIT: u16 = 3 * SECTION;
    /// Value of `Row::acc` and `Row::address` if there is no such field: a right shift by this number leaves one bit,
    /// which means neither an accumulation register nor "no scalar address".
    pub const NO_SHIFT: u8 = 63;
}

/// Indices of the precomputed texts of operands: see build/emit/operand_texts.rs.
pub mod texts {
    /// Index of the first code of a scalar address, and index of the first code of a pair.
    pub const SADDRS: u16 = 0x300;
    pub const PAIRS: u16 = 0x400;
    /// Index of the first number.
    pub const NUMBERS: u16 = 0x700;
    /// Index of the first code of four registers, and index of the first code of sixteen.
    pub const QUADS: u16 = 0x800;
    pub const SIXTEENS: u16 = 0xd00;
    /// The distance from a vector register to the accumulation register of the same number.
    pub const ACC: u16 = 0x100;
    /// Index of the first hexadecimal number.
    pub const HEX: u16 = 0xb00;
    /// The text of `null`, whose code differs between targets.
    pub const NULL: u16 = 0x7c0;
    /// The text of `off`, and the code of a scalar address that is printed as `off`.
    pub const OFF: u16 = SADDRS + NO_SADDR;
    pub const NO_SADDR: u16 = 127;
    /// The text of an absent operand, and the text of a space that replaces all operands.
    pub const EMPTY: u16 = 0xfff;
    pub const BLANK: u16 = 0xffe;
}

/// Registers that an operation may read or write without naming them in a field, by their names in `isa/`.
pub const IMPLICIT: [&str; 8] = ["scc", "vcc", "exec", "m0", "mode", "flat_scr", "xnack", "trapsts"];

/// Properties of operations by their names in `isa/`, one bit each: first those with a method of `Flags`, then those
/// for counters and memory, and last those for `reads()` and `check()`. `half`: the last 16 bits of the result are one
/// half of a register, and the other half is kept: in a form with `op_sel` only if `op_sel` selects the upper half, and
/// in SDWA only if `dst_sel` selects the whole register (otherwise `dst_unused` determines the rest). `even`: on
/// targets with aligned vector registers, a single register must be even, too. `odd`: on these targets, a tuple may
/// begin at an odd register. `one_scalar`: the operation reads at most one scalar, even if the bus carries two.
pub const FLAGS: [&str; 32] = [
    "commute",
    "convergent",
    "fpexcept",
    "trans",
    "packed",
    "dot",
    "mfma",
    "smfmac",
    "compare",
    "load",
    "store",
    "atomic",
    "branch",
    "indirect",
    "terminator",
    "call",
    "return",
    "endpgm",
    "no_next",
    "wave_barrier",
    "wait",
    "effects",
    "vmcnt",
    "expcnt",
    "lgkmcnt",
    "vscnt",
    "lds",
    "gds",
    "half",
    "even",
    "odd",
    "one_scalar",
];

/// The steps of computing an address, by their names in `isa/`: the variants of `AddressStep`.
pub const ADDRESS_STEPS: [&str; 14] = [
    "pc",
    ADDRESS_JUMP,
    "low",
    "high",
    "low_less",
    "high_less",
    "sum",
    "distance",
    "absolute",
    "copy",
    "select",
    "shift",
    "sign8",
    "sign16",
];

/// The step that jumps to the address that it computes.
pub const ADDRESS_JUMP: &str = "jump";

/// The purposes for which code uses operations, by their names in `isa/`: the variants of `Purpose`.
pub const PURPOSES: [&str; 11] = [
    "nop",
    "filler",
    "clause",
    "vgpr_count",
    "vgpr_msb",
    "vgpr_index",
    "copy",
    "sum",
    "barrier",
    "barrier_signal",
    "barrier_wait",
];

/// Pairs of a register and a hardware register that contains it, the latter by its name in the enum `hwreg`. `s_getreg`
/// and `s_setreg` access the register only if their constant names such a hardware register.
pub const IN_HWREG: [(&str, &str); 16] = [
    ("scc", "HW_REG_STATUS"),
    ("vcc", "HW_REG_STATUS"),
    ("exec", "HW_REG_STATUS"),
    ("mode", "HW_REG_MODE"),
    ("trapsts", "HW_REG_TRAPSTS"),
    ("scc", "HW_REG_WAVE_STATE_PRIV"),
    ("vcc", "HW_REG_WAVE_STATUS"),
    ("exec", "HW_REG_WAVE_STATUS"),
    ("mode", "HW_REG_WAVE_MODE"),
    ("trapsts", "HW_REG_WAVE_EXCP_FLAG_PRIV"),
    ("trapsts", "HW_REG_WAVE_EXCP_FLAG_USER"),
    ("flat_scr", "HW_REG_WAVE_SCRATCH_BASE_LO"),
    ("flat_scr", "HW_REG_WAVE_SCRATCH_BASE_HI"),
    ("flat_scr", "HW_REG_FLAT_SCR_LO"),
    ("flat_scr", "HW_REG_FLAT_SCR_HI"),
    ("xnack", "HW_REG_XNACK_MASK"),
];

/// The bit of a property; 0 if there is no such property.
pub const fn flag(name: &str) -> u32 {
    let mut n = 0;
    while n < FLAGS.len() {
        if same(FLAGS[n].as_bytes(), name.as_bytes()) {
            return 1 << n;
        }
        n += 1;
    }
    0
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    let mut n = 0;
    while n < a.len() && n < b.len() && a[n] == b[n] {
        n += 1;
    }
    n == a.len() && n == b.len()
}

/// Classes of operand codes, one bit each: the classes of `isa/operands.isa`, and the AccVGPRs.
pub mod class {
    pub const SGPR: u16 = 1;
    pub const SYS: u16 = 2;
    pub const TTMP: u16 = 4;
    pub const M0: u16 = 8;
    pub const EXEC: u16 = 16;
    pub const INT: u16 = 32;
    pub const RO: u16 = 64;
    pub const FLOAT: u16 = 128;
    pub const LITERAL: u16 = 256;
    pub const LDS: u16 = 512;
    pub const VGPR: u16 = 1024;
    pub const AGPR: u16 = 2048;
    pub const OFF: u16 = 4096;
    /// A literal of 64 bits. (The bit below it is used in build/: `HALF`.)
    pub const LITERAL64: u16 = 1 << 14;
    /// Classes that use the constant bus when a vector operation reads them. `src_lds_direct` does not.
    pub const BUS: u16 = SGPR | SYS | TTMP | M0 | EXEC | RO | LITERAL | LITERAL64;
}

/// The hash of a mnemonic in `MnemonicTable`, ignoring letter case: FNV-1a of the characters, with the bit set in which
/// small and capital letters differ.
pub const fn mnemonic_hash(name: &[u8]) -> u32 {
    let (mut hash, mut n) = (0x811c_9dc5u32, 0);
    while n < name.len() {
        hash = (hash ^ (name[n] | 0x20) as u32).wrapping_mul(0x0100_0193);
        n += 1;
    }
    // The lower bits select the slot.
    hash ^ hash >> 15
}

/// The layout of the dword that an `Inst` has besides its words, from the lowest bit: opcode index, form, target, five
/// free bits, and number of dwords. Opcode index and form determine the constraints.
pub mod meta {
    /// Widths in bits.
    pub const OP_INDEX: u32 = 14;
    pub const FORM: u32 = 4;
    pub const TARGET: u32 = 6;
    pub const DWORDS: u32 = 3;
    /// Lowest bits.
    pub const FORM_AT: u32 = OP_INDEX;
    pub const TARGET_AT: u32 = FORM_AT + FORM;
    pub const DWORDS_AT: u32 = 32 - DWORDS;
}
