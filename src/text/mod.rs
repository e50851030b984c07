//! LLVM 22's assembly text.

mod imm;
mod operand;
mod out;

use core::fmt;

use crate::operand::items;
use crate::table::Kind;
use crate::target::{OPERANDS, TEXT};
use crate::{Field, Inst};
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

/// What one field of an instruction stands for, as text; see [`Inst::field_text`].
#[derive(Clone, Copy)]
pub struct FieldText<'a> {
    inst: &'a Inst,
    field: Field,
}

impl Inst {
    /// What a field stands for: `v[4:5]`, `0.5`, `clamp`. Empty when the instruction's text does not show the field.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// # extern crate std; use std::string::ToString;
    /// use amdgpu_isa::{Field, Target, decode};
    /// let inst = decode(Target::Gfx942, &[0x01, 0x05, 0x04, 0x80]).unwrap();
    /// assert_eq!(inst.field_text(Field::Ssrc1).to_string(), "s5");
    /// # }
    /// ```
    pub fn field_text(&self, field: Field) -> FieldText<'_> {
        FieldText { inst: self, field }
    }
}

impl fmt::Display for FieldText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = Out::new(f);
        let p = Printer::new(self.inst);
        for item in items(p.operands, self.inst).iter().map(|&n| &p.operands.items[usize::from(n)]) {
            if item.field != self.field {
                continue;
            }
            if item.access == 0 {
                p.modifier(item, &mut out);
            } else {
                p.operand(item, "", &mut out);
            }
        }
        out.trim();
        out.finish()
    }
}

/// What printing an item needs to know besides it.
struct Printer<'a> {
    inst: &'a Inst,
    operands: &'static crate::table::OperandTables,
    text: &'static crate::table::TextTables,
}

impl<'a> Printer<'a> {
    fn new(inst: &'a Inst) -> Self {
        let target = inst.target() as usize;
        Printer { inst, operands: OPERANDS[target], text: TEXT[target] }
    }
}

fn print(inst: &Inst, out: &mut Out) {
    let p = Printer::new(inst);
    out.str(inst.mnemonic());
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
            // An export target and its first source have no comma between them.
            separator = if item.kind == Kind::ExpTgt { " " } else { ", " };
        }
    }
}
