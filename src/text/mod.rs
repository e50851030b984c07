//! Assembly text in LLVM 22's syntax: printing and parsing of instructions.

#[cfg(feature = "fast")]
mod fast;
mod imm;
mod operand;
mod out;
pub(crate) mod parse;
#[cfg(feature = "fast")]
mod texts;

use core::fmt;

use crate::codec::value;
use crate::inst::Inst;
use crate::kind::{ListStyle, ModifierKind, NumberKind, NumberList, OperandKind};
use crate::opcode::Field;
#[cfg(feature = "fast")]
use crate::table::DescTables;
#[cfg(feature = "fast")]
use crate::table::sizes::ANY_LITERAL64;
use crate::table::{OperandDesc, OperandTables, TextTables};
#[cfg(feature = "fast")]
use crate::target::DESCS;
use crate::target::{OPERANDS, TEXT};
use crate::vgpr_msb::VgprMsb;

use out::Out;
pub use parse::{
    Integer, MnemonicError, OperandText, ParseError, ParseErrorKind, Span, Suffixes, Suggestion, Symbols, expression,
    parse_with, signatures,
};

/// Suffixes of mnemonics; `FormSignature::suffix` is an index in this table.
static SUFFIXES: [[u8; 16]; 6] =
    [padded(""), padded("_e32"), padded("_e64"), padded("_sdwa"), padded("_dpp"), padded("_e64_dpp")];

/// A text padded with zeros, with its length in the last byte.
const fn padded(text: &str) -> [u8; 16] {
    let mut all = [0; 16];
    let mut n = 0;
    while n < text.len() {
        all[n] = text.as_bytes()[n];
        n += 1;
    }
    all[15] = n as u8;
    all
}

/// Suffixes from this index on identify a trailing dword, and are always printed.
const ALWAYS: u8 = 3;

/// Prints the instruction in LLVM 22's syntax for its target.
///
/// `write_str` is called once, and nothing is allocated. [`TextBuffer`] is faster for many instructions.
impl fmt::Display for Inst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = Out::new();
        print(self, self.word(0), self.word(1), &mut out);
        write(&out, f)
    }
}

fn write(out: &Out, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str(core::str::from_utf8(out.bytes()).map_err(|_| fmt::Error)?)
}

/// A reusable buffer for the text of one instruction.
///
/// ```
/// # #[cfg(feature = "gfx942")] {
/// use amdgpu_isa::text::TextBuffer;
/// use amdgpu_isa::{Target, decode};
/// let mut text = TextBuffer::new();
/// let inst = decode(Target::Gfx942, &[0x01, 0x05, 0x04, 0x80]).unwrap();
/// assert_eq!(text.print(&inst), b"s_add_u32 s4, s1, s5");
/// assert_eq!(text.as_str(), "s_add_u32 s4, s1, s5");
/// # }
/// ```
#[derive(Clone)]
#[doc(alias = "MCInstPrinter")]
#[doc(alias = "format")]
pub struct TextBuffer(Out);

impl TextBuffer {
    /// Creates an empty buffer.
    pub const fn new() -> Self {
        TextBuffer(Out::new())
    }

    /// Prints an instruction, replacing the old text, and returns the new text, which is ASCII and the same as that of
    /// [`Display`](fmt::Display).
    #[inline]
    pub fn print(&mut self, inst: &Inst) -> &[u8] {
        self.0.clear();
        print(inst, inst.word(0), inst.word(1), &mut self.0);
        self.0.bytes()
    }

    /// Prints an instruction as a build without the feature `fast` does. Proofs compare both printers in one build.
    #[doc(hidden)]
    pub fn print_small(&mut self, inst: &Inst) -> &[u8] {
        self.0.clear();
        print_from_descriptors(inst, &mut self.0);
        self.0.bytes()
    }

    /// Prints an instruction and returns the text. Comments in the text show the numbers of registers beyond v255, as
    /// in llvm-objdump's output: `v[2:3] /*v[258:259]*/`. `msb` is the state that the code before the instruction has
    /// set.
    pub fn print_with(&mut self, inst: &Inst, msb: VgprMsb) -> &[u8] {
        if msb == VgprMsb::ENTRY || msb == VgprMsb::UNKNOWN {
            return self.print(inst);
        }
        self.0.clear();
        each(&Printer { msb, ..Printer::new(inst) }, &mut self.0);
        self.0.bytes()
    }

    /// The last printed text, in ASCII.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.bytes()
    }

    /// The last printed text.
    pub fn as_str(&self) -> &str {
        core::str::from_utf8(self.0.bytes()).unwrap_or("")
    }
}

impl Default for TextBuffer {
    fn default() -> Self {
        TextBuffer::new()
    }
}

impl fmt::Debug for TextBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TextBuffer").field(&self.as_str()).finish()
    }
}

/// The text of one field of an instruction: see [`Inst::field_text`].
#[derive(Clone, Copy)]
pub struct FieldText<'a> {
    inst: &'a Inst,
    field: Field,
}

impl Inst {
    /// The text of a field: `v[4:5]`, `0.5`, `clamp`. Empty if the instruction's text does not show the field.
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
        let mut out = Out::new();
        let p = Printer::new(self.inst);
        for desc in self.inst.descs() {
            if desc.field != self.field {
                continue;
            }
            if desc.access.is_none() {
                p.modifier(desc, &mut out);
            } else {
                p.operand(desc, "", &mut out);
            }
        }
        out.trim();
        write(&out, f)
    }
}

/// Context for printing the descriptors of an instruction.
struct Printer<'a> {
    inst: &'a Inst,
    operands: &'static OperandTables,
    #[cfg(feature = "fast")]
    descs: &'static DescTables,
    text: &'static TextTables,
    msb: VgprMsb,
}

impl<'a> Printer<'a> {
    fn new(inst: &'a Inst) -> Self {
        let target = inst.target() as usize;
        Printer {
            inst,
            operands: OPERANDS[target],
            #[cfg(feature = "fast")]
            descs: DESCS[target],
            text: TEXT[target],
            msb: VgprMsb::ENTRY,
        }
    }
}

/// Whether the text omits a modifier because it is zero; `false` for kinds that need a closer look.
#[inline(always)]
fn is_silent(desc: &OperandDesc, inst: &Inst) -> bool {
    let is_silent_if_zero = matches!(
        desc.kind,
        OperandKind::Modifier(
            ModifierKind::Flag { .. }
                | ModifierKind::Omod
                | ModifierKind::Named
                | ModifierKind::Signed
                | ModifierKind::List(ListStyle::Plain | ListStyle::NegLo | ListStyle::Neg)
        )
    );
    is_silent_if_zero && value(desc, inst) == 0
}

/// Prints an instruction into an empty buffer.
///
/// The first two words are separate arguments, because decoding has just written them as two dwords: reading them back
/// as one 64-bit value would stall until the stores reach the cache.
#[cfg_attr(not(feature = "fast"), allow(unused_variables))]
fn print(inst: &Inst, low: u32, high: u32, out: &mut Out) {
    #[cfg(feature = "fast")]
    if !(ANY_LITERAL64 && inst.len() == 12) && fast::print(inst, u64::from(low) | u64::from(high) << 32, out).is_some()
    {
        return;
    }
    print_from_descriptors(inst, out);
}

/// Prints any instruction from its descriptors. A build without the feature `fast` prints all instructions here.
#[inline(never)]
fn print_from_descriptors(inst: &Inst, out: &mut Out) {
    each(&Printer::new(inst), out);
}

fn each(p: &Printer, out: &mut Out) {
    let inst = p.inst;
    let (info, signature) = (inst.info(), inst.signature());
    if info.respelled {
        out.str(inst.mnemonic());
    } else {
        let (name, len) = inst.opcode().padded_name();
        out.part(name, len);
    }
    let suffix = signature.suffix;
    if suffix >= ALWAYS || suffix != 0 && info.suffix {
        let suffix = SUFFIXES.get(usize::from(suffix)).unwrap_or(&SUFFIXES[0]);
        out.part(suffix, suffix[15].into());
    }
    let mut separator = " ";
    for desc in inst.descs() {
        if desc.access.is_none() {
            // Most modifiers are unused, and most unused ones are zero.
            if !is_silent(desc, inst) {
                p.modifier(desc, out);
            }
        } else if p.plain(desc, separator, out) || p.operand(desc, separator, out) {
            // No comma comes between an export target and its first source, or between two operations.
            let is_alone = matches!(
                desc.kind,
                OperandKind::Number(NumberKind::Choice(NumberList::ExportTarget)) | OperandKind::Second
            );
            separator = if is_alone { " " } else { ", " };
        }
    }
}
