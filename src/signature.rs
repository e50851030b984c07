//! The operands, modifiers and implicit registers that an operation has, without an instruction at hand.
//!
//! Signatures have no tables of their own: the descriptors define the operands, and the decoder's sets define which
//! values their fields may hold.

mod codes;
mod modifier;
#[cfg(feature = "text")]
mod names;
mod operand;
mod takes;

use crate::constraint::probe::{Probe, index_of};
use crate::convert::Form;
use crate::flags::Flags;
use crate::opcode::{BUS, Field, Format, Opcode};
use crate::operation::{OpcodeEntry, layout};
use crate::table::values::{IMPLICIT, implicit};
use crate::table::{FieldInfo, FormSignature, How, NONE, OperandDesc};
use crate::target::{DECODE, DESCS, FACTS, OPERANDS, OPS, Target};
use crate::value::{Access, Reg, Value};

pub use crate::table::DataType;

pub use codes::CodeSet;
pub use modifier::ModifierSignature;
#[cfg(feature = "text")]
pub use names::{CodeRun, Enumeration};
pub use operand::OperandSignature;
pub use takes::{Immediate, ImmediateKind, Takes};

/// The operands and modifiers of an operation in one of its forms on a target: see [`Opcode::signature`].
#[derive(Clone, Copy)]
#[doc(alias = "MCInstrDesc")]
pub struct Signature {
    target: Target,
    opcode: Opcode,
    number: u16,
    op_index: u16,
    form: u8,
    signature: &'static FormSignature,
    probe: Probe,
}

/// A register that instructions of a form read or write without naming it in a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ImplicitSignature {
    /// The register.
    pub reg: Reg,
    /// Width in bits.
    pub bits: u16,
    /// Whether the register is read, written or both.
    pub access: Access,
    /// The field that must be set for instructions to access the register, or that must name the hardware register that
    /// contains it (`s_getreg_b32`). `None` if all instructions access it.
    pub when: Option<Field>,
}

/// The target, unchanged. The number of a target loaded from memory is always below the number of tables, but the
/// compiler does not always see that. This look-up makes the bound visible, so that no panic is linked.
fn known(target: Target) -> Target {
    Target::ALL.get(target as usize).copied().unwrap_or(Target::ALL[0])
}

impl Format {
    /// The operation with this number in the format's opcode field on a target; `None` if there is none.
    ///
    /// In a format without an opcode field, the only operation has the number 0.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::{Format, Opcode, Target};
    /// assert_eq!(Format::Vop2.opcode(Target::Gfx942, 1), Some(Opcode::VAddF32));
    /// assert_eq!(Format::Vop3a.opcode(Target::Gfx942, 257), Some(Opcode::VAddF32));
    /// assert_eq!(Format::Vop2.opcode(Target::Gfx942, 63), None);
    /// # }
    /// ```
    pub fn opcode(self, target: Target, number: u16) -> Option<Opcode> {
        OPS[target as usize].opcode(index_of(target, self, number)?.into())
    }
}

impl Opcode {
    /// The signature of one of the operation's [forms](Opcode::forms) on a target; `None` if the target lacks that
    /// form.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::signature::DataType;
    /// use amdgpu_isa::{Access, Field, Format, Opcode, Target};
    /// let shortest = Opcode::VAddF32.forms(Target::Gfx942).next().unwrap();
    /// let add = Opcode::VAddF32.signature(Target::Gfx942, shortest).unwrap();
    /// assert_eq!((add.format(), add.number()), (Format::Vop2, 1));
    /// let [vdst, src0, vsrc1] = [0, 1, 2].map(|n| add.operands().nth(n).unwrap());
    /// assert_eq!((vdst.field, vdst.access, vdst.bits), (Field::Vdst, Access::Write, 32));
    /// assert_eq!((src0.field, src0.ty), (Field::Src0, DataType::F32));
    /// // The first source can be anything, the second only a vector register.
    /// assert!(src0.takes.sgprs() && src0.takes.ints() && src0.takes.literal());
    /// assert!(vsrc1.takes.vgprs() && !vsrc1.takes.sgprs());
    /// # }
    /// ```
    pub fn signature(self, target: Target, form: Form) -> Option<Signature> {
        self.signatures(target).find(|s| (s.format(), s.extension()) == (form.format, form.extension))
    }

    /// All signatures of the operation on a target, in the order of [`Opcode::forms`].
    pub fn signatures(self, target: Target) -> impl Iterator<Item = Signature> {
        self.entries(target).flat_map(move |entry| {
            let others = DESCS[target as usize].others_of(entry.op_index.into()).map(|(form, _)| form);
            // The base form, SDWA, DPP, and others.
            [0, 1, 2].into_iter().chain(others).filter_map(move |form| Signature::new(target, self, &entry, form))
        })
    }
}

impl Signature {
    fn new(target: Target, opcode: Opcode, entry: &OpcodeEntry, form: u8) -> Option<Signature> {
        let &OpcodeEntry { signature, op_index } = entry;
        let target = known(target);
        let probe = Probe::new(target, op_index, form)?;
        let signature = if form == 0 { signature } else { DESCS[target as usize].signature(op_index.into(), form) };
        Some(Signature { target, opcode, number: entry.number(target), op_index, form, signature, probe })
    }

    /// The target.
    pub fn target(&self) -> Target {
        known(self.target)
    }

    /// The operation.
    pub fn opcode(&self) -> Opcode {
        self.opcode
    }

    pub(crate) fn op_index(&self) -> u16 {
        self.op_index
    }

    #[cfg(feature = "text")]
    pub(crate) fn form(&self) -> &'static FormSignature {
        self.signature
    }

    /// The mnemonic in the target's spelling, without the suffix of an encoding.
    #[cfg(feature = "text")]
    pub fn mnemonic(&self) -> &'static str {
        crate::operation::own_spelling(self.target(), self.op_index.into()).unwrap_or_else(|| self.opcode.name())
    }

    /// The base format.
    pub fn format(&self) -> Format {
        self.signature.format
    }

    /// The format of the trailing dword; `None` for the base form, which a literal may follow.
    pub fn extension(&self) -> Option<Format> {
        self.signature.extension.filter(|_| self.form != 0)
    }

    /// The opcode number in the base format.
    pub fn number(&self) -> u16 {
        self.number
    }

    /// The operands that fields name, in the order of the assembly text: the operands that
    /// [`Inst::operands`](crate::Inst::operands) can yield for instructions of the form, except implicit ones.
    pub fn operands(&self) -> impl Iterator<Item = OperandSignature> + use<> {
        let signature = *self;
        let parts = |desc: &'static OperandDesc| (0..operand::MOST_PARTS).map(move |part| (desc, part));
        let descs = self.descs().filter(|desc| desc.access.is_some());
        descs.flat_map(parts).filter_map(move |(desc, part)| OperandSignature::new(&signature, desc, part))
    }

    /// The modifiers, in the order of the assembly text: the fields that are not operands and that the operation uses.
    pub fn modifiers(&self) -> impl Iterator<Item = ModifierSignature> + use<> {
        let signature = *self;
        let parts = |desc: &'static OperandDesc| (0..modifier::MOST_PARTS).map(move |part| (desc, part));
        let descs = self.descs().filter(|desc| desc.access.is_none());
        descs.flat_map(parts).filter_map(move |(desc, part)| ModifierSignature::new(&signature, desc, part))
    }

    /// The registers that instructions of the form read or write without naming them in a field.
    pub fn implicit(&self) -> impl Iterator<Item = ImplicitSignature> + use<> {
        let signature = *self;
        let tables = OPERANDS[self.target() as usize];
        let rows = tables.rows_of(tables.list(self.op_index.into(), self.form));
        let mut last = None;
        rows.filter(|row| row.how != How::Other && row.role().is_none()).filter_map(move |row| {
            // A register whose halves are in two hardware registers has two consecutive rows.
            if last.replace(row.add) == Some(row.add) && row.how == How::Hwreg {
                return None;
            }
            let value = implicit((row.add as usize).checked_sub(IMPLICIT)?);
            let Value::Reg(reg) = value else { return None };
            let operand = row.with(&value, false);
            let when = match row.how {
                How::If => signature.field_at(row.acc),
                How::Hwreg => signature.field_at(0),
                _ => None,
            };
            Some(ImplicitSignature { reg, bits: operand.bits, access: operand.access, when })
        })
    }

    /// The properties of the operation, without effects of modifiers.
    ///
    /// [`Inst::flags`](crate::Inst::flags) includes the effects of modifiers such as `lds`.
    pub fn flags(&self) -> Flags {
        let flags = self.facts();
        let whens = FACTS[self.target() as usize].whens.iter();
        let mine = whens.filter(|w| w.bit == NONE && self.extension() == Some(w.format));
        Flags::of_facts(mine.fold(flags, |flags, when| flags & !when.clear | when.set))
    }

    /// The number of different scalars, literals among them, that an instruction of the form can read over the constant
    /// bus: [`Inst::check`](crate::Inst::check) refuses more. `None` if the operation does not read over the bus.
    ///
    /// ```
    /// # #[cfg(all(feature = "gfx942", feature = "gfx1100"))] {
    /// use amdgpu_isa::{Opcode, Target};
    /// let limit = |opcode: Opcode, target| opcode.signatures(target).next().unwrap().scalar_limit();
    /// assert_eq!(limit(Opcode::VAddF32, Target::Gfx942), Some(1));
    /// assert_eq!(limit(Opcode::VAddF32, Target::Gfx1100), Some(2));
    /// assert_eq!(limit(Opcode::SAddU32, Target::Gfx1100), None);
    /// # }
    /// ```
    pub fn scalar_limit(&self) -> Option<u8> {
        let uses_bus = BUS.get(self.format() as usize).is_some_and(|bus| *bus);
        uses_bus.then(|| crate::operation::scalar_limit(self.target(), self.facts()))
    }

    /// Whether the operation can be the first one of a dual instruction (VOPD), and whether it can be the second one;
    /// `None` if the operation is an instruction by itself. The fields of a first operation end in `x`, and those of a
    /// second one in `y`; the [operands](Signature::operands) are those of a first operation, if the operation can be
    /// the first.
    ///
    /// ```
    /// # #[cfg(feature = "gfx1100")] {
    /// use amdgpu_isa::{Opcode, Target};
    /// let halves = |opcode: Opcode| opcode.signatures(Target::Gfx1100).next().unwrap().halves();
    /// assert_eq!(halves(Opcode::VDualAddF32), Some([true, true]));
    /// assert_eq!(halves(Opcode::VDualAndB32), Some([false, true]));
    /// assert_eq!(halves(Opcode::VAddF32), None);
    /// # }
    /// ```
    pub fn halves(&self) -> Option<[bool; 2]> {
        let spaces = DECODE[self.target() as usize].opcode_spaces;
        let space = spaces.iter().rev().find(|space| space.base <= self.op_index)?;
        let second = |number: u16| OPS[self.target() as usize].opcode((space.second_op_base + number).into());
        let is_second = |number: u16| second(number) == Some(self.opcode);
        space.is_dual().then(|| match self.op_index.checked_sub(space.second_op_base) {
            Some(_) => [false, true],
            None => [true, is_second(self.op_index - space.base)],
        })
    }

    /// The flags of the operation.
    fn facts(&self) -> u32 {
        crate::operation::info(self.target(), self.op_index.into()).flags
    }

    pub(crate) fn descs(&self) -> impl Iterator<Item = &'static OperandDesc> + use<> {
        let tables = DESCS[self.target() as usize];
        tables.list_of(self.signature).iter().filter_map(|&n| tables.descs.get(usize::from(n)))
    }

    /// The field that contains a bit of the words; if several do, the one that the operation has.
    fn field_at(&self, bit: u8) -> Option<Field> {
        let base = layout(self.target(), self.signature.format)?;
        let (there, first) = match self.extension() {
            Some(extension) if bit >= base.bits => (layout(self.target(), extension)?, base.bits),
            _ => (base, 0),
        };
        let bit = bit.checked_sub(first)?;
        let within = |lsb: u8, width: u8| bit.checked_sub(lsb).is_some_and(|n| n < width);
        let fields =
            || there.fields.iter().filter(|info| within(info.lsb, info.width) || within(info.hi, info.hi_width));
        let place = |info: &FieldInfo| (info.field, first + info.lsb);
        let named = |info: &&FieldInfo| info.overlay && self.descs().any(|desc| (desc.field, desc.lsb) == place(info));
        let own = fields().find(named).or_else(|| fields().find(|info| !info.overlay));
        own.map(|info| info.field)
    }
}

impl core::fmt::Debug for Signature {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Signature({} {:?} {}", self.target(), self.opcode, self.format())?;
        if let Some(extension) = self.extension() {
            write!(f, " {extension}")?;
        }
        f.write_str(")")
    }
}
