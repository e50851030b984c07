//! Banks of vector registers. The two operations of one instruction access them at the same time.

use crate::code::{VGPR, VGPR_LAST};
use crate::inst::Inst;
use crate::opcode::limits::BANKS;
use crate::opcode::{Field, Format};
use crate::target::{DECODE, TARGETS, Target};
use crate::value::{Reg, Value};

/// Mask of the bits that select the bank of a source.
const SOURCES: u16 = BANKS[0] - 1;
/// Mask of the bits that select the bank of a destination, or of a register that results are added to.
const OTHERS: u16 = BANKS[1] - 1;

/// The registers that one operation of a dual instruction reads and writes, as operand codes. A missing operand is 0,
/// the code of a scalar: only vector registers are in banks.
#[derive(Clone, Copy, Default)]
pub(crate) struct Ports {
    pub dst: u16,
    pub src0: u16,
    pub src1: u16,
    /// The register that the result is added to, or the third source, which is read through a port of its own.
    pub addend: u16,
    /// Whether the operation is a move: no other operation has only one source.
    pub is_move: bool,
    /// The number of registers of each operand: two in an operation on 64 bits.
    pub dwords: u16,
}

/// The exceptions to the rules about banks that a target and a format allow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Freedom {
    /// Whether the first sources of two moves can be in one bank.
    pub moves: bool,
    /// Whether both operations can read the same register through the same port.
    pub equal: bool,
    /// Whether destinations can be in one bank, and addends are in as many banks as other sources, as in VOPD3.
    pub long: bool,
}

/// The banks of vector registers that the two operations of a dual instruction (VOPD) must not share: see
/// [`RuleError::Banks`](crate::check::RuleError::Banks). The bank of a register is its number modulo the number of
/// banks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct DualBanks {
    /// The number of banks of first sources, and of second sources. In VOPD3, also the number for registers that
    /// results are added to.
    pub sources: u16,
    /// The number of banks of destinations, and of registers that results are added to. In VOPD3, destinations only
    /// have to be different registers.
    pub others: u16,
    /// Whether the first sources of two moves can be in one bank.
    pub moves: bool,
    /// Whether both operations can read the same register as the same source.
    pub equal: bool,
}

impl Target {
    /// The banks of the registers of dual instructions; `None` if the target has no such instructions.
    ///
    /// ```
    /// # #[cfg(all(feature = "gfx942", feature = "gfx1100"))] {
    /// use amdgpu_isa::Target;
    /// let banks = Target::Gfx1100.dual_banks().unwrap();
    /// assert_eq!((banks.sources, banks.others, banks.moves, banks.equal), (4, 2, false, false));
    /// assert_eq!(Target::Gfx942.dual_banks(), None);
    /// # }
    /// ```
    pub fn dual_banks(self) -> Option<DualBanks> {
        let [sources, others] = BANKS;
        let [moves, equal] = TARGETS[self as usize].dual;
        let has = DECODE[self as usize].opcode_spaces.iter().any(|space| space.is_dual());
        has.then_some(DualBanks { sources, others, moves, equal })
    }

    /// The exceptions to the rules about banks for two operations in one instruction. `long`: whether the format is
    /// VOPD3.
    pub(crate) fn dual_freedom(self, long: bool) -> Freedom {
        let [moves, equal] = TARGETS[self as usize].dual;
        Freedom { moves, equal, long }
    }
}

/// A port, through which an operation accesses a register.
#[derive(Clone, Copy)]
pub(crate) enum Port {
    Dst,
    Src0,
    Src1,
    Addend,
}

/// The first port through which two operations use registers of one bank, although they may not.
pub(crate) const fn conflict(x: &Ports, y: &Ports, may: Freedom) -> Option<Port> {
    let lengths = [x.dwords, y.dwords];
    let writes = match may.long {
        true => x.dst < y.dst + y.dwords && y.dst < x.dst + x.dwords,
        false => collide(x.dst, y.dst, lengths, OTHERS),
    };
    if writes {
        Some(Port::Dst)
    } else if reads(x.src0, y.src0, lengths, SOURCES, may) && !(may.moves && x.is_move && y.is_move) {
        Some(Port::Src0)
    } else if reads(x.src1, y.src1, lengths, SOURCES, may) {
        Some(Port::Src1)
    } else if reads(x.addend, y.addend, lengths, if may.long { SOURCES } else { OTHERS }, may) {
        Some(Port::Addend)
    } else {
        None
    }
}

/// Whether two sources are read from one bank although this is not allowed.
const fn reads(x: u16, y: u16, lengths: [u16; 2], mask: u16, may: Freedom) -> bool {
    collide(x, y, lengths, mask) && !(may.equal && x == y && lengths[0] == lengths[1])
}

/// Whether two operand codes are registers whose numbers are equal in the bits of a mask; for a pair, its second
/// register counts, too.
const fn collide(x: u16, y: u16, [x_dwords, y_dwords]: [u16; 2], mask: u16) -> bool {
    let equal =
        (x ^ y) & mask == 0 || x_dwords > 1 && ((x + 1) ^ y) & mask == 0 || y_dwords > 1 && (x ^ (y + 1)) & mask == 0;
    x >= VGPR && x <= VGPR_LAST && y >= VGPR && y <= VGPR_LAST && equal
}

/// The first pair of fields, one of each operation, whose registers are in one bank but must not be.
pub(crate) fn banks(inst: &Inst) -> Option<(Field, Field)> {
    inst.second_opcode()?;
    // For each operation, the ports, and the fields that name them.
    let mut both = [(Ports::default(), [Field::Reserved; 4]); 2];
    let (mut operations, mut sources, mut scaled) = (0, 0, false);
    for operand in inst.operands() {
        let Some(field) = operand.role else { continue };
        if operand.access.writes() {
            (operations, sources, scaled) = (operations + 1, 0, false);
        }
        let code = if let Value::Reg(Reg::Vgpr(n)) = operand.value { VGPR + n } else { 0 };
        let Some((ports, fields)) = both.get_mut(operations.max(1) - 1) else { continue };
        let mut put = |port: Port, of: &mut u16| (*of, fields[port as usize]) = (code, field);
        if operand.access.writes() {
            ports.dwords = operand.bits / 32;
            put(Port::Dst, &mut ports.dst);
            if operand.access.reads() {
                put(Port::Addend, &mut ports.addend);
            }
        } else if field == Field::Literal {
            // In a multiplication by a constant, the operand after the constant is the addend.
            scaled = true;
        } else {
            sources += 1;
            ports.is_move = sources == 1;
            match sources {
                1 => put(Port::Src0, &mut ports.src0),
                3.. => put(Port::Addend, &mut ports.addend),
                _ if scaled => put(Port::Addend, &mut ports.addend),
                _ => put(Port::Src1, &mut ports.src1),
            }
        }
    }
    let [(x, of_x), (y, of_y)] = both;
    let may = inst.target().dual_freedom(inst.format() == Format::Vopd3);
    let port = conflict(&x, &y, may)? as usize;
    Some((*of_x.get(port)?, *of_y.get(port)?))
}
