//! The operations of a target, and facts about them that do not depend on their operands.

#[cfg(feature = "fast")]
use super::sizes::OP_INDICES;
use super::*;
use crate::opcode::{Field, Format, Opcode};

/// The operation of each opcode index.
pub(crate) struct OpTables {
    /// Index in `runs` for each page of opcode indices.
    pub pages: &'static [u8],
    /// For each kind of page, a bit for each opcode index that has an operation, and the number of the first operation;
    /// the numbers of the other operations follow it. If the number's highest bit is set, its other bits are a position
    /// in `list`.
    pub runs: &'static [(u16, u16)],
    /// For pages whose operations have several runs of numbers, a bit for each operation with which a run begins, then
    /// the first number of each run.
    pub list: &'static [u16],
}

/// The facts of each opcode index.
pub(crate) struct InfoTables {
    /// Pages of `info_of`.
    pub pages: &'static [u8],
    pub info_of: &'static [InfoIndex],
}

/// The opcode indices of each operation.
pub(crate) struct EntryTables {
    /// For each opcode of `Opcode::ALL`, the start of its opcode indices in `op_indices`.
    pub first: &'static [u16],
    pub op_indices: &'static [u16],
}

impl OpTables {
    pub(crate) fn opcode(&self, op_index: usize) -> Option<Opcode> {
        const LISTED: u16 = 0x8000;
        let (mask, first) = *self.runs.get(usize::from(*self.pages.get(op_index / PAGE)?))?;
        let before = (mask & ((1 << (op_index % PAGE)) - 1)).count_ones() as u16;
        if first & LISTED == 0 {
            return Opcode::from_number(first + before);
        }
        let (starts, numbers) = self.list.get(usize::from(first & !LISTED)..)?.split_first()?;
        let starts = starts & (u16::MAX >> (15 - before % 16));
        let number = *numbers.get((starts.count_ones() as usize).checked_sub(1)?)?;
        Opcode::from_number(number + before - starts.checked_ilog2()? as u16)
    }
}

/// Facts about an operation that do not depend on its operands.
#[cfg_attr(not(feature = "text"), allow(dead_code))]
pub(crate) struct Info {
    pub flags: u32,
    /// Whether the mnemonic is printed with `_e32` or `_e64`.
    pub suffix: bool,
    /// Whether the target has its own spelling of the mnemonic.
    pub respelled: bool,
    /// The operation's step in the computation of an address.
    pub address: Option<AddressStep>,
}

/// Opcode indices of instructions with an operand that is a branch distance, or is added to the address of the code,
/// one bit each: a quicker `MoveTables::branches`.
#[cfg(feature = "fast")]
pub(crate) type Branches = [u32; OP_INDICES / 32];

/// The words of operations that are made without other tables, in the order of `compose::Plain`; 0 for an operation
/// that the target lacks.
pub(crate) type PlainWords = [u32; 3];

/// The opcode indices of a few operations, for programs that move code and need no other facts.
pub(crate) struct MoveTables {
    /// Operations with an operand that is a branch distance, or is added to the address of the code.
    #[cfg_attr(feature = "fast", allow(dead_code))]
    pub branches: &'static [u16],
    /// Operations after which execution does not continue with the next instruction.
    pub ends: &'static [u16],
    /// Operations that read their own address, other than branches with a distance.
    pub reads_pc: &'static [u16],
}

/// The facts for an index that no table holds; never reached.
pub(crate) static NO_INFO: Info = Info { flags: 0, suffix: false, respelled: false, address: None };

/// Facts about the operations, counters and registers of a target.
pub(crate) struct FactTables {
    pub whens: &'static [When],
    /// Formats whose stores raise `vscnt`, with the bit that makes an atomic operation return a value. An atomic
    /// operation that returns a value raises `vmcnt` instead.
    pub returns: &'static [(Format, u8)],
    /// The values that operations allow in some fields, where forbidden values decode, too.
    pub only: &'static [Only],
    /// For formats in which counters have other names: the counter that each counter flag stands for.
    pub counters: &'static [(Format, [Counter; 4])],
    pub codes: Codes,
    /// The code of each `Special`; 255 if the target lacks it.
    pub specials: &'static [u8],
    /// Number of different scalars that a vector operation can read over the constant bus.
    pub bus: u8,
    /// Whether the target has an instruction that sets upper bits of vector register numbers. Such a target has no
    /// accumulation registers.
    pub banked: bool,
}

/// Flags, as in `Info`, that instructions of a format gain or lose when a bit is set. If the bit is `NONE`, `format` is
/// an extension, and all instructions with this extension gain or lose the flags.
pub(crate) struct When {
    pub format: Format,
    pub bit: u8,
    pub set: u32,
    pub clear: u32,
}

/// The values that a field can have in the operations of a run of opcode indices.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Only {
    /// The first opcode index of the run, and the last one.
    pub first: u16,
    pub last: u16,
    pub field: Field,
    /// A bit for each run of `1 << shift` values.
    pub shift: u8,
    pub values: u128,
    /// Other fields, with a bit for each of their values. Only instructions with one of these values are limited.
    pub conditions: &'static [(Field, u128)],
}

/// Operand codes of the registers that operations use without naming them, or `NONE`.
pub(crate) struct Codes {
    pub vcc: u8,
    pub exec: u8,
    pub m0: u8,
    pub flat_scratch: u8,
    pub xnack_mask: u8,
}

impl Codes {
    /// The codes, in the order of build/emit/facts.rs.
    pub(crate) const fn new(codes: [u8; 5]) -> Codes {
        let [vcc, exec, m0, flat_scratch, xnack_mask] = codes;
        Codes { vcc, exec, m0, flat_scratch, xnack_mask }
    }
}
