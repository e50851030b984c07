//! What an instruction reads and writes.

mod values;

use crate::table::{Item, Kind, Mode, NONE, OperandTables, Plain, SMALL, special};
use crate::target::OPERANDS;
use crate::target::generated::ANY_WIDE;
use crate::{DecodeError, Field, Inst};
use values::{OFF, VECTOR, code_at, value_of};

/// A register: a file and a number in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Reg {
    /// Scalar register.
    Sgpr(u8),
    /// Vector register; as an operand of 16 bits, its lower half.
    Vgpr(u8),
    /// The upper half of a vector register.
    VgprHigh(u8),
    /// Accumulation register.
    Agpr(u8),
    /// Trap handler temporary.
    Ttmp(u8),
    /// Any other scalar code: vcc, exec, m0, flat_scratch, src_shared_base, ... The number is the operand code.
    Special(u8),
    /// The condition code bit.
    Scc,
    /// The whole vcc, when no field names it.
    Vcc,
    /// The whole exec mask, when no field names it.
    Exec,
    /// m0, when no field names it.
    M0,
    /// The MODE register: rounding, denormals, exceptions.
    Mode,
    /// The flat scratch base.
    FlatScratch,
    /// The XNACK mask.
    XnackMask,
    /// The trap status register.
    TrapStatus,
}

/// What an operand is.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// A run of registers; the number of dwords is in [`Operand::bits`].
    Reg(Reg),
    /// An inline integer constant.
    Int(i8),
    /// An inline floating-point constant, by its operand code (240 to 248).
    Float(u8),
    /// A 32-bit literal.
    Literal(u32),
    /// A constant in the instruction.
    Imm(i32),
    /// A branch distance in dwords, from the next instruction.
    Label(i16),
    /// No register: `off`.
    Off,
}

/// Whether an operand is read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Read.
    Read,
    /// Written.
    Write,
    /// Read and written.
    ReadWrite,
}

impl Access {
    /// The operand is read.
    pub const fn reads(self) -> bool {
        !matches!(self, Access::Write)
    }

    /// The operand is written.
    pub const fn writes(self) -> bool {
        !matches!(self, Access::Read)
    }
}

/// One operand of an instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Operand {
    /// The field that names it: its role. `None` for implicit operands.
    pub role: Option<Field>,
    /// The register, or the constant.
    pub value: Value,
    /// Width in bits.
    pub bits: u16,
    /// Read, written or both.
    pub access: Access,
}

/// The operands of an instruction; see [`Inst::operands`].
#[derive(Clone)]
pub struct Operands<'a> {
    inst: &'a Inst,
    tables: &'static OperandTables,
    /// Item numbers that are left.
    list: &'static [u8],
    /// What of the first item in the list has been given: the register of a scalar memory offset, or so many
    /// registers of an image address.
    given: u8,
    /// The implicit operands that are left.
    implicit: &'static [Operand],
    /// A field has shown that vcc is read (1), written (2), that nothing goes to LDS (4).
    shown: u8,
}

impl<'a> Operands<'a> {
    #[inline]
    pub(crate) fn new(inst: &'a Inst) -> Self {
        let tables = OPERANDS[inst.target() as usize];
        let (list, implicit) = tables.lists(inst.slot(), inst.form()).unwrap_or((&[], &[]));
        Operands { inst, tables, list, given: 0, implicit, shown: 0 }
    }
}

impl Iterator for Operands<'_> {
    type Item = Operand;

    // What is not plain is read by functions that get no reference to the state: so a loop keeps it in registers.
    #[inline]
    fn next(&mut self) -> Option<Operand> {
        while let Some((&number, rest)) = self.list.split_first() {
            let number = usize::from(number);
            if let Some(plain) = self.tables.plain.get(number) {
                self.list = rest;
                return Some(read_plain(self.tables, plain, self.inst));
            }
            let step = other(self.tables, self.inst, number, self.given);
            self.given = step.given;
            self.shown |= step.shown;
            if step.given == 0 {
                self.list = rest;
            }
            if step.operand.is_some() {
                return step.operand;
            }
        }
        while let Some((&operand, rest)) = self.implicit.split_first() {
            self.implicit = rest;
            if self.shown == 0 {
                return Some(operand);
            }
            if let Some(access) = unshown(&operand, self.shown) {
                return Some(Operand { access, ..operand });
            }
        }
        None
    }

    // `for_each` and its like are faster than `for`: an operand is made where it is used, and not moved there.
    #[inline]
    fn fold<B, F: FnMut(B, Operand) -> B>(self, mut all: B, mut f: F) -> B {
        let Operands { inst, tables, list, mut given, implicit, mut shown } = self;
        for &number in list {
            let number = usize::from(number);
            if let Some(plain) = tables.plain.get(number) {
                all = f(all, read_plain(tables, plain, inst));
                continue;
            }
            loop {
                let step = other(tables, inst, number, given);
                (given, shown) = (step.given, shown | step.shown);
                if let Some(operand) = step.operand {
                    all = f(all, operand);
                }
                if given == 0 {
                    break;
                }
            }
        }
        for &operand in implicit {
            let access = if shown == 0 { Some(operand.access) } else { unshown(&operand, shown) };
            if let Some(access) = access {
                all = f(all, Operand { access, ..operand });
            }
        }
        all
    }
}

/// An operand that is not plain, if there is one.
struct Step {
    operand: Option<Operand>,
    /// The new `Operands::given`; 0: the item has no further operand.
    given: u8,
    /// What is added to `Operands::shown`.
    shown: u8,
}

#[inline(never)]
fn other(tables: &OperandTables, inst: &Inst, number: usize, given: u8) -> Step {
    let done = Step { operand: None, given: 0, shown: 0 };
    let Some(item) = number.checked_sub(tables.plain.len()).and_then(|n| tables.items.get(n)) else { return done };
    if matches!(item.kind, Kind::SmemOffset | Kind::ImgAddr | Kind::ImgAddrGrad) {
        let operand = part(tables, item, inst, given);
        if operand.is_some() {
            return Step { operand, given: given + 1, shown: 0 };
        }
    }
    let Some(operand) = read(tables, item, inst) else { return done };
    // The vcc that the text shows is not implicit besides; nor is it written when SDWA names another register.
    // And m0 is the address in LDS: without the lds bit it is not read.
    let shown = match item.kind {
        Kind::Vcc | Kind::SdstOrVcc => u8::from(operand.access.reads()) | u8::from(operand.access.writes()) << 1,
        Kind::BufData if item.aux[1] != NONE => 4,
        _ => 0,
    };
    Step { operand: Some(operand), given: 0, shown }
}

/// The next operand of an item that is several; `None` when it is the last one's turn, or none's.
fn part(tables: &OperandTables, item: &Item, inst: &Inst, given: u8) -> Option<Operand> {
    match item.kind {
        Kind::SmemOffset if given == 0 => match smem_offset(item, inst) {
            SmemOffset::Both(code, _) => {
                let value = register_or_constant(tables, code, 1, inst);
                Some(Operand { role: Some(Field::Soffset), value, bits: 32, access: Access::Read })
            }
            _ => None,
        },
        Kind::SmemOffset => None,
        _ => image_address(item, inst, given),
    }
}

/// How an implicit operand is accessed besides what fields have shown; `None` if it is not.
#[cold]
fn unshown(operand: &Operand, shown: u8) -> Option<Access> {
    match operand.value {
        Value::Reg(Reg::Vcc) => {}
        Value::Reg(Reg::M0) if shown & 4 != 0 => return None,
        _ => return Some(operand.access),
    }
    match (operand.access.reads() && shown & 1 == 0, operand.access.writes() && shown & 2 == 0) {
        (true, true) => Some(Access::ReadWrite),
        (true, false) => Some(Access::Read),
        (false, true) => Some(Access::Write),
        (false, false) => None,
    }
}

#[inline(always)]
fn read_plain(t: &OperandTables, item: &Plain, inst: &Inst) -> Operand {
    if SMALL {
        return read_small(t, item, inst);
    }
    let mut index = plain_index(item, inst);
    let mut bits = item.bits;
    if item.bit != NONE {
        match item.mode {
            Mode::Address => bits = address_bits(item, inst),
            _ => index += index & VECTOR & usize::from(flag(inst, item.bit)) << 8,
        }
    }
    // A reference: what is copied as a whole is not taken apart and put together again.
    let other;
    let value = match value_of(index) {
        Some(value) => value,
        None => {
            other = register_or_constant(t, code_at(index), bits / 32, inst);
            &other
        }
    };
    Operand { role: item.role, value: *value, bits, access: item.access }
}

/// The same without a table of what codes mean.
fn read_small(t: &OperandTables, item: &Plain, inst: &Inst) -> Operand {
    let code = plain_code(item, inst);
    let bits = if item.mode == Mode::Address { address_bits(item, inst) } else { item.bits };
    let value = match item.mode {
        Mode::Off if usize::from(code) == OFF => Value::Off,
        Mode::Acc if flag(inst, item.bit) && usize::from(code) & VECTOR != 0 => Value::Reg(Reg::Agpr(code as u8)),
        _ => register_or_constant(t, code, bits / 32, inst),
    };
    Operand { role: item.role, value, bits, access: item.access }
}

/// Of a vector address: two registers without a scalar one.
#[inline(always)]
fn address_bits(item: &Plain, inst: &Inst) -> u16 {
    if bits(inst, item.bit, 7) as usize == OFF { 64 } else { 32 }
}

/// Where in the table of values the code is, and what it means.
#[inline(always)]
fn plain_index(item: &Plain, inst: &Inst) -> usize {
    let field = inst.bits().rotate_right(item.turn.into()) as u32 & u32::from(item.mask);
    (field + u32::from(item.add)) as usize
}

fn plain_code(item: &Plain, inst: &Inst) -> u16 {
    code_at(plain_index(item, inst))
}

/// The code of the plain operand that a field names.
pub(crate) fn code_of(inst: &Inst, field: Field) -> Option<u16> {
    let tables = OPERANDS[inst.target() as usize];
    let mut numbers = tables.list(inst.slot(), inst.form()).unwrap_or(&[]).iter().copied();
    numbers.find_map(|n| {
        let n = usize::from(n);
        match tables.plain.get(n) {
            Some(plain) => (plain.role == Some(field)).then(|| plain_code(plain, inst)),
            None => {
                let item = tables.items.get(n.checked_sub(tables.plain.len())?)?;
                let named = matches!(item.kind, Kind::Code | Kind::SdstOrVcc | Kind::Saddr);
                (item.field == field && named).then(|| code(item, inst))
            }
        }
    })
}

/// The raw value of an item's field.
#[inline]
pub(crate) fn value(item: &Item, inst: &Inst) -> u32 {
    let low = bits(inst, item.lsb, item.lo_width);
    if item.hi == NONE { low } else { low | bits(inst, item.hi, item.width - item.lo_width) << item.lo_width }
}

/// Bits of the words; `lsb` counts from the start of the instruction.
#[inline]
pub(crate) fn bits(inst: &Inst, lsb: u8, width: u8) -> u32 {
    let all = if ANY_WIDE && lsb >= 64 { inst.high_bits() } else { inst.bits() };
    ((all >> (lsb & 63)) & ((1u64 << width) - 1)) as u32
}

/// One bit of the words; a position of `NONE` is 0.
#[inline]
pub(crate) fn flag(inst: &Inst, bit: u8) -> bool {
    bit != NONE && bits(inst, bit, 1) == 1
}

/// The operand code of an item: what its value means as a source or destination.
#[inline]
pub(crate) fn code(item: &Item, inst: &Inst) -> u16 {
    ((value(item, inst) as u16) << item.shift) + item.add
}

/// Reads an item as an operand; `None` for modifiers, and for operands that this instruction leaves out.
pub(crate) fn read(t: &OperandTables, item: &Item, inst: &Inst) -> Option<Operand> {
    let mut access = item.access.unwrap_or(Access::Read);
    if item.cond != NONE && item.kind != Kind::SdwaSrc {
        match (flag(inst, item.cond), access) {
            (true, Access::Read) => access = Access::ReadWrite,
            (false, Access::Write) => return None,
            _ => {}
        }
    }
    let mut dwords = u16::from(item.dwords);
    let of_code = |code: u16, dwords: u16| register_or_constant(t, code, dwords, inst);
    let value = match item.kind {
        Kind::Code => of_code(code(item, inst), dwords),
        Kind::Agpr => Value::Reg(Reg::Agpr(code(item, inst) as u8)),
        Kind::Acc => match code(item, inst) {
            c @ 256.. if flag(inst, item.aux[0]) => Value::Reg(Reg::Agpr(c as u8)),
            c => of_code(c, dwords),
        },
        Kind::BufData if flag(inst, item.aux[1]) && inst.has_lds() => return None,
        Kind::BufData => {
            dwords += u16::from(tfe(item, inst));
            match flag(inst, item.aux[0]) {
                true => Value::Reg(Reg::Agpr(code(item, inst) as u8)),
                false => of_code(code(item, inst), dwords),
            }
        }
        Kind::MimgData | Kind::MimgGather | Kind::MimgAtomic | Kind::MimgCmpswap => {
            dwords = mimg_item_dwords(item, inst);
            of_code(code(item, inst), dwords)
        }
        Kind::ExpSrc => match exp_source(item, inst) {
            Some(code) => of_code(code, 1),
            None => Value::Off,
        },
        Kind::SmrdOffset => match smrd_offset(item, inst) {
            SmemOffset::Reg(code) => of_code(code, 1),
            SmemOffset::Imm(n) | SmemOffset::Both(_, n) => Value::Imm(n),
        },
        Kind::SdwaSrc => of_code(sdwa_code(item, inst), dwords),
        Kind::Half | Kind::HalfSel => match half(item, inst) {
            (code @ 256.., true) => Value::Reg(Reg::VgprHigh(code as u8)),
            (code, _) => of_code(code, 1),
        },
        Kind::Vdsty => of_code(vdsty(item, inst), dwords),
        Kind::SdstOrVcc if flag(inst, sd_bit(item)) => of_code(code(item, inst), dwords),
        Kind::SdstOrVcc | Kind::Vcc => Value::Reg(Reg::Vcc),
        Kind::BufVaddr => match buf_vaddr_dwords(item, inst) {
            0 => Value::Off,
            n => {
                dwords = n;
                of_code(code(item, inst), n)
            }
        },
        Kind::GlobalAddr => {
            dwords = global_addr_dwords(item, inst);
            of_code(code(item, inst), dwords)
        }
        Kind::ScratchAddr if scratch_addr_used(item, inst) => of_code(code(item, inst), dwords),
        Kind::ScratchAddr => Value::Off,
        Kind::Saddr => match code(item, inst) {
            127 => Value::Off,
            c => of_code(c, dwords),
        },
        Kind::SmemOffset => match smem_offset(item, inst) {
            SmemOffset::Imm(n) | SmemOffset::Both(_, n) => Value::Imm(n),
            SmemOffset::Reg(code) => of_code(code, 1),
        },
        Kind::Literal => Value::Literal(inst.words().last().copied().unwrap_or(0)),
        Kind::Label => Value::Label(value(item, inst) as u16 as i16),
        Kind::Attr
        | Kind::InterpParam
        | Kind::ExpTgt
        | Kind::Hex
        | Kind::Int16
        | Kind::Endpgm
        | Kind::Hwreg
        | Kind::Sendmsg
        | Kind::Waitcnt
        | Kind::GprIdx
            if item.access.is_some() =>
        {
            Value::Imm(value(item, inst) as i32)
        }
        _ => return None,
    };
    let bits = match value {
        Value::Imm(_) | Value::Label(_) => u16::from(item.width),
        _ if matches!(item.kind, Kind::Half | Kind::HalfSel) => 16,
        _ => dwords * 32,
    };
    let role = match (item.kind, value) {
        (Kind::SmemOffset, Value::Reg(_)) if flag(inst, item.aux[1]) => Field::Soffset,
        _ => item.field,
    };
    Some(Operand { role: Some(role), value, bits, access })
}

/// The code of an SDWA source: a VGPR, or a scalar if the flag is set.
#[inline]
pub(crate) fn sdwa_code(item: &Item, inst: &Inst) -> u16 {
    let low = value(item, inst) as u16;
    // Without the flag (before gfx9) a source is always a VGPR.
    if flag(inst, item.cond) { low } else { low | 256 }
}

#[inline]
pub(crate) fn sd_bit(item: &Item) -> u8 {
    item.aux[0]
}

/// Dwords of a global address: 64 bits when there is no scalar base.
#[inline]
pub(crate) fn global_addr_dwords(item: &Item, inst: &Inst) -> u16 {
    if bits(inst, item.aux[0], 7) == 127 { 2 } else { 1 }
}

/// Registers of a buffer address: index and offset each take one, a 64-bit address two.
#[inline]
pub(crate) fn buf_vaddr_dwords(item: &Item, inst: &Inst) -> u16 {
    if flag(inst, item.aux[2]) {
        return 2;
    }
    u16::from(flag(inst, item.aux[0])) + u16::from(flag(inst, item.aux[1]))
}

/// A scratch address VGPR is used when sve says so; without that bit, when there is no scalar address.
#[inline]
pub(crate) fn scratch_addr_used(item: &Item, inst: &Inst) -> bool {
    if item.aux[0] == NONE { bits(inst, item.aux[1], 7) == 127 } else { flag(inst, item.aux[0]) }
}

/// One register more for the fail status.
#[inline]
pub(crate) fn tfe(item: &Item, inst: &Inst) -> bool {
    flag(inst, item.aux[2])
}

/// Registers of image data, from what the row is (`special`), its components and its flags.
pub(crate) const fn mimg_dwords(what: u16, dmask: u16, tfe: bool, d16: bool) -> u16 {
    let components = match (dmask & 15).count_ones() as u16 {
        _ if what & special::MIMG_GATHER != 0 => 4,
        0 => 1,
        n => n,
    };
    let packed = if what & special::MIMG_D16 != 0 && d16 { components.div_ceil(2) } else { components };
    let dwords = packed + tfe as u16;
    // Atomics take one or two components, with what they compare twice that; other masks mean the least of these.
    match dwords {
        4.. if what & special::MIMG_ATOMIC != 0 => 1,
        1 if what & special::MIMG_CMPSWAP != 0 => 2,
        n => n,
    }
}

pub(crate) fn mimg_item_dwords(item: &Item, inst: &Inst) -> u16 {
    let what = match item.kind {
        Kind::MimgGather => special::MIMG_GATHER,
        Kind::MimgAtomic => special::MIMG_ATOMIC,
        Kind::MimgCmpswap => special::MIMG_CMPSWAP,
        _ => special::MIMG_DATA,
    };
    let d16 = if inst.has_d16() { special::MIMG_D16 } else { 0 };
    let dmask = bits(inst, item.aux[0], 4) as u16;
    mimg_dwords(what | d16, dmask, flag(inst, item.aux[1]), flag(inst, item.aux[2]))
}

/// The register that holds a half, or a scalar, and whether it is the upper half.
pub(crate) fn half(item: &Item, inst: &Inst) -> (u16, bool) {
    let code = code(item, inst);
    match item.kind {
        Kind::Half if code >= 256 => (code & !128, code & 128 != 0),
        Kind::Half => (code, false),
        _ => (code, flag(inst, item.aux[3])),
    }
}

/// The second of two destinations: it is odd where the first one is even.
pub(crate) fn vdsty(item: &Item, inst: &Inst) -> u16 {
    let odd = u16::from(!flag(inst, item.aux[0]));
    item.add + (value(item, inst) as u16) * 2 + odd
}

/// Registers of an image address: coordinates, two in a register with a16, gradients, and what else the row has.
pub(crate) fn image_address_dwords(item: &Item, inst: &Inst) -> u16 {
    // By `dim`: 1D, 2D, 3D, cube, arrays of 1D and 2D, multisampled 2D and its array.
    const COORDINATES: [u8; 8] = [1, 2, 3, 3, 2, 3, 3, 4];
    const GRADIENTS: [u8; 8] = [2, 4, 6, 4, 2, 4, 4, 4];
    let dim = bits(inst, item.aux[0], 3) as usize % 8;
    let coordinates = u16::from(COORDINATES[dim]);
    let packed = if flag(inst, item.aux[1]) { coordinates.div_ceil(2) } else { coordinates };
    let gradients = if item.kind == Kind::ImgAddrGrad { u16::from(GRADIENTS[dim]) } else { 0 };
    let dwords = packed + gradients + u16::from(item.dwords) - 1;
    // One run of more than 12 registers is counted as 16.
    if dwords > 12 && item.aux[2] == NONE { 16 } else { dwords }
}

/// A part of an image address: a field that names the first of a run of registers.
pub(crate) struct AddressPart {
    pub field: Field,
    pub lsb: u8,
    pub register: u16,
    pub dwords: u16,
}

/// Without address fields of its own an image address is one run; else each register has a field, and the last field
/// has all that are left.
pub(crate) fn image_address_part(item: &Item, inst: &Inst, part: u8) -> Option<AddressPart> {
    let all = image_address_dwords(item, inst);
    let fields = match (item.aux[2], item.aux[3]) {
        (NONE, _) => 1,
        (_, NONE) => 4,
        _ => 5,
    };
    if u16::from(part) >= all.min(fields) {
        return None;
    }
    let (field, lsb) = match part {
        0 => (item.field, item.lsb),
        1 => (Field::Vaddr1, item.aux[2]),
        2 => (Field::Vaddr2, item.aux[2] + 8),
        3 => (Field::Vaddr3, item.aux[2] + 16),
        _ => (Field::Vaddr4, item.aux[3]),
    };
    let dwords = if u16::from(part) == fields - 1 { all - u16::from(part) } else { 1 };
    Some(AddressPart { field, lsb, register: bits(inst, lsb, 8) as u16, dwords })
}

fn image_address(item: &Item, inst: &Inst, part: u8) -> Option<Operand> {
    let AddressPart { field, register, dwords, .. } = image_address_part(item, inst, part)?;
    let value = Value::Reg(Reg::Vgpr(register as u8));
    Some(Operand { role: Some(field), value, bits: dwords * 32, access: Access::Read })
}

/// Refuses tuples that run past the last register, where other fields say how long they are.
#[cold]
pub(crate) fn sizes(inst: &Inst) -> Result<(), DecodeError> {
    let inside = |field, lsb, register: u16, dwords: u16| match register + dwords > 256 {
        true => Err(DecodeError::ReservedValue { field, value: register, lsb, width: 8 }),
        false => Ok(()),
    };
    let tables = OPERANDS[inst.target() as usize];
    for item in tables.others(inst.slot(), inst.form()) {
        match item.kind {
            Kind::MimgData => {
                inside(item.field, item.lsb, value(item, inst) as u16, mimg_item_dwords(item, inst))?;
            }
            Kind::ImgAddr | Kind::ImgAddrGrad => {
                for part in (0..5).map_while(|part| image_address_part(item, inst, part)) {
                    inside(part.field, part.lsb, part.register, part.dwords)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// The register of an export source, if it is enabled. Compressed sources share registers by twos.
pub(crate) fn exp_source(item: &Item, inst: &Inst) -> Option<u16> {
    if !flag(inst, item.aux[0]) {
        return None;
    }
    let n = match item.field {
        Field::Vsrc0 => 0,
        Field::Vsrc1 => 1,
        Field::Vsrc2 => 2,
        _ => 3,
    };
    let at = if flag(inst, item.aux[1]) { n / 2 } else { n };
    Some(256 + bits(inst, item.lsb - 8 * n + 8 * at, 8) as u16)
}

/// GCN 1.0 and 1.1: a constant, an SGPR, or (255) a literal.
pub(crate) fn smrd_offset(item: &Item, inst: &Inst) -> SmemOffset {
    match (flag(inst, item.aux[0]), value(item, inst)) {
        (true, n) => SmemOffset::Imm(n as i32),
        (false, code) => SmemOffset::Reg(code as u16),
    }
}

/// What the offset of a scalar memory instruction is.
pub(crate) enum SmemOffset {
    Imm(i32),
    Reg(u16),
    Both(u16, i32),
}

pub(crate) fn smem_offset(item: &Item, inst: &Inst) -> SmemOffset {
    let (imm, soffset_en) = (flag(inst, item.aux[0]), flag(inst, item.aux[1]));
    let signed = |v: u32| (v << (32 - item.width)) as i32 >> (32 - item.width);
    // The offset is signed where a second register can be added to it (gfx9 and later).
    let offset = if item.aux[1] == NONE { value(item, inst) as i32 } else { signed(value(item, inst)) };
    let soffset = if item.aux[2] == NONE { 0 } else { bits(inst, item.aux[2], 7) as u16 };
    match (imm, soffset_en) {
        (true, true) => SmemOffset::Both(soffset, offset),
        (true, false) => SmemOffset::Imm(offset),
        (false, true) => SmemOffset::Reg(soffset),
        (false, false) => SmemOffset::Reg(value(item, inst) as u16 & 0x7f),
    }
}

/// What an operand code means. Scalar tuples begin at the aligned register, as the hardware reads them.
#[inline(never)]
fn register_or_constant(t: &OperandTables, code: u16, dwords: u16, inst: &Inst) -> Value {
    let align = |n: u16| (n & !(dwords.next_power_of_two().min(4) - 1)) as u8;
    match code {
        256.. => Value::Reg(Reg::Vgpr(code as u8)),
        255 => Value::Literal(inst.words().last().copied().unwrap_or(0)),
        240..=248 => Value::Float(code as u8),
        128..=192 => Value::Int((code - 128) as i8),
        193..=208 => Value::Int(-((code - 192) as i8)),
        _ if code <= t.sgpr_last => Value::Reg(Reg::Sgpr(align(code))),
        _ if code >= t.ttmp_first && code <= t.ttmp_last => Value::Reg(Reg::Ttmp(align(code - t.ttmp_first))),
        _ => Value::Reg(Reg::Special(code as u8)),
    }
}
