//! LLVM 22's assembly text.

mod imm;
mod operand;
mod out;

use core::fmt;

use crate::Inst;
use crate::operand::items;
use crate::target::{OPERANDS, TEXT};
use out::Out;

/// What stands behind a mnemonic; `Shape::suffix` counts them.
const SUFFIXES: [&str; 5] = ["", "_e32", "_e64", "_sdwa", "_dpp"];
/// From here on the suffix says which dword follows, and is always printed.
const ALWAYS: u8 = 3;

/// The instruction in LLVM 22's syntax for its target.
///
/// One `write_str` for most instructions, no allocation.
impl fmt::Display for Inst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = Out::new(f);
        print(self, &mut out);
        out.finish()
    }
}

/// What printing an item needs to know besides it.
struct Printer<'a> {
    inst: &'a Inst,
    operands: &'static crate::table::OperandTables,
    text: &'static crate::table::TextTables,
}

fn print(inst: &Inst, out: &mut Out) {
    let target = inst.target() as usize;
    let p = Printer { inst, operands: OPERANDS[target], text: TEXT[target] };
    out.str(inst.opcode().name());
    let suffix = inst.shape().suffix;
    let list = items(p.operands, inst);
    // LLVM prints the suffix with the first operand; v_nop has none.
    let operand = list.iter().any(|&n| p.operands.items[usize::from(n)].access != 0);
    if operand && (suffix >= ALWAYS || inst.info().suffix) {
        out.str(SUFFIXES.get(usize::from(suffix)).copied().unwrap_or(""));
    }
    let mut separator = " ";
    for &number in list {
        let item = &p.operands.items[usize::from(number)];
        if item.access == 0 {
            p.modifier(item, out);
        } else if p.operand(item, separator, out) {
            separator = ", ";
        }
    }
}
