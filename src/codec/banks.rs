//! Banks of vector registers, from which the two operations of one instruction read at the same time.

use crate::{Field, Inst, Reg, Value};

/// Registers whose numbers differ in these bits are in different banks.
const FOUR: u8 = 3;
/// The same for the registers that results are added to.
const TWO: u8 = 1;

/// A register that an operation reads, and the field that names it.
type Port = Option<(Field, u8)>;

/// What one of the operations reads.
#[derive(Default)]
struct Ports {
    src0: Port,
    src1: Port,
    addend: Port,
    /// It has one source.
    is_move: bool,
}

/// The operands of two operations in one instruction that are in one bank and must not be. The fields of the destinations
/// cannot name such ones.
pub(crate) fn banks(inst: &Inst) -> Option<(Field, Field)> {
    inst.second_opcode()?;
    let [mut x, mut y] = [Ports::default(), Ports::default()];
    let (mut destinations, mut sources, mut scaled) = (0, 0, false);
    for operand in inst.operands() {
        let Some(field) = operand.role else { continue };
        let port = if let Value::Reg(Reg::Vgpr(n)) = operand.value { Some((field, n)) } else { None };
        if operand.access.writes() {
            (destinations, sources, scaled) = (destinations + 1, 0, false);
        }
        let ports = if destinations == 1 { &mut x } else { &mut y };
        match (operand.access.writes(), field) {
            (true, _) => ports.addend = port.filter(|_| operand.access.reads()),
            // Of a multiplication by a constant, the operand behind it is added.
            (false, Field::Literal) => scaled = true,
            _ => {
                sources += 1;
                ports.is_move = sources == 1;
                match sources {
                    1 => ports.src0 = port,
                    _ if scaled => ports.addend = port,
                    _ => ports.src1 = port,
                }
            }
        }
    }
    let moves = inst.target().dual_moves() && x.is_move && y.is_move;
    let collide = |(a, b): (Port, Port), mask: u8| {
        let ((field, n), (other, m)) = a.zip(b)?;
        ((n ^ m) & mask == 0).then_some((field, other))
    };
    let src0 = if moves { None } else { collide((x.src0, y.src0), FOUR) };
    src0.or_else(|| collide((x.src1, y.src1), FOUR)).or_else(|| collide((x.addend, y.addend), TWO))
}
