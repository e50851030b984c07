//! What the library and the generator in `build/` must agree on: both include this file.

/// Whether words that keep to a class's masks and sets are still refused, because several fields do not fit together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum RuleKind {
    /// The field names the first of `Rule::n` registers, and the last of them must exist.
    Room,
    /// The field must hold the code of a scalar register.
    Scalar,
    /// The words are refused.
    Never,
    /// The field names the first register of image data, and the last one must exist. `Rule::n` is what the operation is,
    /// as `image::*`. The rule does not ask for values; it looks at dmask, tfe and d16, of which the last two may be
    /// missing.
    Image,
}

impl RuleKind {
    /// The bit of this kind in a set of kinds.
    pub const fn bit(self) -> u8 {
        1 << self as u8
    }

    /// A set has this kind.
    pub const fn is_in(self, kinds: u8) -> bool {
        kinds & self.bit() != 0
    }
}

/// What else a class says of its words.
pub mod marks {
    /// The row has the lds bit: what goes to LDS is no operand.
    pub const LDS: u8 = 1;
    /// The row has the d16 bit, and it packs two components in a register.
    pub const D16: u8 = 1 << 1;
    /// A tuple is as long as other fields say: every operand must be asked for its size.
    pub const SIZED: u8 = 1 << 2;
    /// There is something in `DecodeTables::wide`.
    pub const WIDE: u8 = 1 << 3;
    /// There is something in `DecodeTables::more` or `ones`.
    pub const FURTHER: u8 = 1 << 4;
    /// It is the first of two operations, and the second has constraints of its own.
    pub const DUAL: u8 = 1 << 5;
    /// With these marks the masks and sets are not all that there is to check.
    pub const CLOSER: u8 = SIZED | WIDE | FURTHER | DUAL;
}

/// How many registers image data take.
pub mod image {
    /// As many as there are components.
    pub const DATA: u8 = 1;
    /// Four components.
    pub const GATHER: u8 = 1 << 1;
    pub const ATOMIC: u8 = 1 << 2;
    pub const CMPSWAP: u8 = 1 << 3;
    /// The d16 bit packs two components in a register.
    pub const D16: u8 = 1 << 4;
}

/// No bit position.
pub const NONE: u8 = 0xff;

/// Opcode indices of a page of tables.
pub const PAGE: usize = 16;

/// What follows the base words.
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
    /// What `DecodeTables::trailing_dwords` says of the class.
    pub const LIST: u8 = 64;
    /// The base format has two dwords; with the mark `marks::WIDE` three or four.
    pub const TWO: u8 = 128;
}

/// What is known of the length from the top nine bits of the first dword; the low bits are `trailing::*`.
pub mod length {
    /// One dword, and one more if `trailing` says so.
    pub const ONE: u8 = 0x40;
    /// Two dwords and nothing else.
    pub const TWO: u8 = 0x80;
    /// As `ONE`, but for what `LengthTables::others` has.
    pub const ASK: u8 = 0xc0;
    /// The first dword does not tell.
    pub const UNKNOWN: u8 = 0xff;
    pub const KIND: u8 = 0xc0;
}

/// Places in the table of what operand codes mean.
pub mod places {
    /// Each section has so many: that of single registers, that of pairs, and that of longer tuples.
    pub const SECTION: u16 = 1024;
    /// The last places of a section are those of scalar addresses.
    pub const ADDRESSES: u16 = 768;
    /// Behind the sections are the registers that no field names.
    pub const IMPLICIT: u16 = 3 * SECTION;
    /// `Row::acc` and `Row::address` where there are none: one bit is left, and it is the lowest one.
    pub const NO_SHIFT: u8 = 63;
}

/// Registers that a row may read or write without a field, by their names in `isa/`.
pub const IMPLICIT: [&str; 8] = ["scc", "vcc", "exec", "m0", "mode", "flat_scr", "xnack", "trapsts"];

/// Facts of an operation, a bit each, by their names in `isa/`: the methods of `Flags`, and behind these what counters and
/// memory are asked for.
pub const FLAGS: [&str; 27] = [
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
    "lds",
    "gds",
];

/// The bit of a fact; none where there is no such fact.
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

/// Classes of operand codes, a bit each: those of `isa/operands.isa`, and the AccVGPRs.
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
    /// What goes over the constant bus when a vector operation reads it.
    pub const BUS: u16 = SGPR | SYS | TTMP | M0 | EXEC | RO | LITERAL | LDS;
}

/// The four bytes that an `Inst` has besides its words, from the lowest bit: opcode index, form, target, five bits that are free
/// (the wave size will need one), and dwords. The class follows from opcode index and form.
pub mod meta {
    /// Bits of each.
    pub const OP_INDEX: u32 = 14;
    pub const FORM: u32 = 4;
    pub const TARGET: u32 = 6;
    pub const DWORDS: u32 = 3;
    /// Where they begin.
    pub const FORM_AT: u32 = OP_INDEX;
    pub const TARGET_AT: u32 = FORM_AT + FORM;
    pub const DWORDS_AT: u32 = 32 - DWORDS;
}
