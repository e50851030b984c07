//! What the generated tables are made of.
//!
//! A *family* is a set of formats that share encoding bits and opcode numbers; the top nine bits of the first dword
//! find it. The opcode field finds the *slot* in it. What decoding demands of a slot is its *class*, which many slots
//! share; with a dword behind the base words (SDWA, DPP) the slot is another *form* and has another class. What the
//! operands and modifiers of a form are is its *shape*, and what says where one of them lies and how it reads is an
//! *item*. So that firmware links only what it calls, each kind of table is a static of its own.
//!
//! Few of a family's opcodes exist, and neighbours are alike: what is said of slots stands in *pages* of 16 slots, and
//! equal pages stand there once.

#[cfg(all(feature = "text", feature = "fast"))]
mod fast_text;
mod layout;
mod operands;
#[cfg(feature = "text")]
mod text;

pub(crate) use crate::shared::{NONE, tail};
use crate::shared::{PAGE, RuleKind};
// How long the longest of each table is among the targets: an index is compared with a constant.
use crate::target::generated::{CLASS_OF, CLASSES, FAMILIES, PAGES, SETS, ZEROS};
use crate::{Access, Field, Format, Inst, Opcode};
#[cfg(all(feature = "text", feature = "fast"))]
pub(crate) use fast_text::*;
pub use layout::*;
pub(crate) use operands::*;
#[cfg(feature = "text")]
pub(crate) use text::*;

/// A table with room behind its entries: as long as the longest of its kind, or for every number that can look into it.
pub(crate) const fn padded<T: Copy, const N: usize>(entries: &[T], none: T) -> [T; N] {
    let mut all = [none; N];
    let mut n = 0;
    while n < entries.len() {
        all[n] = entries[n];
        n += 1;
    }
    all
}

/// What `decode` needs.
pub(crate) struct DecodeTables {
    /// Family of the top nine bits of the first dword; 0: none.
    pub families_of: [u8; 512],
    /// The first, and those behind the last, have no slot.
    pub families: [Family; FAMILIES],
    /// Pages of `class_of`.
    pub pages: [u8; PAGES],
    /// Class of each slot. The first class is that of no operation.
    pub class_of: [u8; CLASS_OF],
    pub classes: [Class; CLASSES],
    /// Bits of the first two dwords that must be zero, for `Class::zeros`.
    pub zeros: [u64; ZEROS],
    /// What kind of code a field value is: what no set of `sets` tells apart is of one kind.
    pub kinds: [u8; 512],
    /// Sets of kinds. The first holds all.
    pub sets: [u64; SETS],
    /// Classes of the SDWA and DPP forms; 0: there is none.
    pub forms: &'static [[u8; 2]],
    /// Further checks of classes with the mark `marks::FURTHER`: the class, and a run of checks.
    pub more: &'static [(u8, &'static [Check])],
    /// Which values a field may have: a bit of the byte at `Check::first` plus the value. Eight sets lie side by side.
    pub allowed: &'static [u8],
    /// Bits that must be one, of classes with that mark.
    pub ones: &'static [(u8, u64)],
    /// Codes that are scalar registers.
    pub scalars: &'static [u32; 16],
    /// Rules that tie several fields; the first list is empty.
    pub rules: &'static [&'static [Rule]],
    /// In the order of their classes.
    pub follows: &'static [Follow],
    pub wide: &'static [Wide],
    pub joined: &'static [Joined],
    /// Formats of the words, for errors: the base format and that of the dword behind it.
    pub parts: &'static [(Format, Option<Format>)],
    /// The field that each bit of a format is of: fields by their first bits.
    pub fields: &'static [FieldMap],
}

/// The fields of a format, and the first bit of each (of each piece, if it is in two) in ascending order.
pub(crate) struct FieldMap {
    pub format: Format,
    pub dwords: u8,
    pub fields: &'static [(Field, u8)],
}

/// A dword follows the base words of a class when a field holds one of these codes.
pub(crate) struct Follow {
    pub class: u8,
    pub lsb: u8,
    pub width: u8,
    /// The form that it makes; 0: a literal, which makes none.
    pub form: u8,
    pub first: u16,
    pub last: u16,
    /// Class of the form.
    pub of: u8,
}

/// Operations that are two others, one behind the other, in four dwords: the first is known as itself too.
pub(crate) struct Joined {
    /// Bits of the first two dwords and of the third that are always the same.
    pub masks: (u64, u32),
    pub values: (u64, u32),
    /// The opcode is in the third dword.
    pub base: u16,
    pub shift: u8,
    pub op_mask: u16,
}

/// What a class demands of the third dword and the fourth.
pub(crate) struct Wide {
    pub class: u8,
    pub checks: &'static [Check],
    /// Bits that must be zero, that must be one, and that are ignored.
    pub zeros: u64,
    pub ones: u64,
    pub ignored: u64,
}

#[derive(Clone, Copy)]
pub(crate) struct Family {
    /// First slot.
    pub base: u16,
    pub op_mask: u16,
    pub op_shift: u8,
    /// A second field of the slot number, above the opcode: its lowest bit, and its width << 5.
    pub seg: u8,
    /// Which of `LANES`.
    pub lanes: u8,
    /// Bits of the opcode: more than `op_mask` has where a part of it lies apart.
    pub op_bits: u8,
}

/// Fills up `DecodeTables::families`; no slot is its: it is in a page behind all others.
pub(crate) const NO_FAMILY: Family = Family { base: 0xfff0, op_mask: 0, op_shift: 0, seg: 0, lanes: 0, op_bits: 0 };

/// Fills up `DecodeTables::classes`, where a target has fewer than another.
#[allow(dead_code)]
pub(crate) const NO_CLASS: Class = Class { marks: 0, rules: 0, sets: [0; 4], zeros: 0, tail: 0, forms: 0, parts: 0 };

/// What has to hold of the words.
#[derive(Clone, Copy)]
pub(crate) struct Class {
    /// As `marks::*`.
    pub marks: u8,
    /// Which of `DecodeTables::rules`.
    pub rules: u8,
    /// For each field of the family's lanes the set of `DecodeTables::sets` that it must be in.
    pub sets: [u8; 4],
    /// Which of `DecodeTables::zeros`.
    pub zeros: u8,
    /// Which dwords follow, as `tail::*`, and whether the base format has two.
    pub tail: u8,
    /// Which of `DecodeTables::forms`.
    pub forms: u8,
    /// Which of `DecodeTables::parts`.
    pub parts: u8,
}

/// What must hold of several fields together: where all that it looks at has the values that it says, the field must be
/// as the kind says.
pub(crate) struct Rule {
    pub kind: RuleKind,
    /// The field that is refused.
    pub field: Bits,
    pub n: u8,
    /// Other fields, and a value of each; no bits have the value zero.
    pub looks: [(Bits, u8); 3],
}

/// A run of bits in one dword: the lowest, counted from the first dword, and how many, less than 16.
#[derive(Clone, Copy)]
pub(crate) struct Bits(pub u8, pub u8);

/// What `length` needs.
pub(crate) struct LengthTables {
    /// What the top nine bits of the first dword say of the length, as `length::*`.
    pub entries: [u8; 512],
    /// Operations that have less behind them than others with the same nine bits.
    pub others: &'static [Other],
}

pub(crate) struct Other {
    pub mask: u32,
    pub value: u32,
    pub tail: u8,
}

/// A field whose value must be in a set.
pub(crate) struct Check {
    pub lsb: u8,
    /// A flag that goes on top of the field's bits, or `NONE`.
    pub hi: u8,
    /// The set: a bit of the bytes of `allowed`, and the byte that stands for zero.
    pub bit: u8,
    pub mask: u16,
    pub first: u16,
}

/// The entry of a slot, from the numbers of the pages and the pages themselves.
#[inline(always)]
pub(crate) fn paged<T: Copy>(pages: &[u8], entries: &[T], slot: usize) -> Option<T> {
    let page = usize::from(*pages.get(slot / PAGE)?);
    entries.get(page * PAGE + slot % PAGE).copied()
}

/// The same of entries that are counted from a number of their page.
#[inline(always)]
fn paged_from(pages: &[(u8, u16)], entries: &[u8], slot: usize) -> Option<u16> {
    let (page, base) = *pages.get(slot / PAGE)?;
    Some(base + u16::from(*entries.get(usize::from(page) * PAGE + slot % PAGE)?))
}

/// What the printer needs.
pub(crate) struct ItemTables {
    /// Pages of `shape_of`, and what is added to the numbers in each.
    pub pages: &'static [(u8, u16)],
    /// Shape of each slot's base form.
    pub shape_of: &'static [u8],
    pub shapes: &'static [Shape],
    /// Shapes (plus one) of the SDWA and DPP forms.
    pub forms: &'static [[u16; 2]],
    /// Further forms: the shape of the base form, the form, and its shape.
    pub others: &'static [(u16, u8, u16)],
    /// Bits that the hardware ignores.
    pub ignored: &'static [u64],
    pub lists: &'static [u16],
    pub items: &'static [Item],
}

impl ItemTables {
    #[inline]
    pub(crate) fn shape(&self, slot: usize, form: u8) -> &Shape {
        // The numbers came from the target's tables: they are always there, and nothing here can panic.
        self.find(slot, form).unwrap_or(&NO_SHAPE)
    }

    #[inline]
    fn find(&self, slot: usize, form: u8) -> Option<&Shape> {
        let number = paged_from(self.pages, self.shape_of, slot)?;
        let shape = self.shapes.get(usize::from(number))?;
        match form {
            0 => Some(shape),
            1 | 2 => {
                let forms = self.forms.get(usize::from(shape.forms))?;
                let form = forms.get(usize::from(form) - 1)?;
                self.shapes.get(usize::from(form.checked_sub(1)?))
            }
            _ => {
                let (.., form) = self.others.iter().find(|o| (o.0, o.1) == (number, form))?;
                self.shapes.get(usize::from(*form))
            }
        }
    }

    /// The SDWA and DPP forms that a base form has.
    pub(crate) fn forms(&self, shape: &Shape) -> impl Iterator<Item = &Shape> {
        let forms = self.forms.get(usize::from(shape.forms)).copied().unwrap_or_default();
        forms.into_iter().filter_map(|f| self.shapes.get(usize::from(f.checked_sub(1)?)))
    }

    /// The numbers of a shape's items.
    #[inline]
    pub(crate) fn list_of(&self, shape: &Shape) -> &[u16] {
        let first = usize::from(shape.first);
        self.lists.get(first..first + usize::from(shape.items)).unwrap_or(&[])
    }

    /// The items of an instruction.
    #[inline]
    pub(crate) fn of(&self, inst: &Inst) -> impl Iterator<Item = &Item> {
        self.list_of(inst.shape()).iter().filter_map(|&n| self.items.get(usize::from(n)))
    }
}

#[cfg_attr(not(feature = "text"), allow(dead_code))]
pub(crate) struct Shape {
    pub format: Format,
    /// Suffix of the mnemonic: an index of `SUFFIXES` in text/mod.rs.
    pub suffix: u8,
    /// Format of the dword behind the base words, when there is one.
    pub extension: Option<Format>,
    /// Run of item numbers in `lists`.
    pub first: u16,
    pub items: u8,
    /// Which of `ItemTables::forms`.
    pub forms: u8,
    /// Which of `ItemTables::ignored`.
    pub ignored: u8,
}

/// Stands where a number were that is no shape's, which none is.
pub(crate) static NO_SHAPE: Shape =
    Shape { format: Format::Literal, suffix: 0, extension: None, first: 0, items: 0, forms: 0, ignored: 0 };

/// An operand or a modifier: a field and how it reads.
#[cfg_attr(not(feature = "text"), allow(dead_code))]
pub(crate) struct Item {
    pub kind: Kind,
    pub field: Field,
    pub lsb: u8,
    /// All bits of the value, of which the low `lo_width` are at `lsb` and the others at `hi`.
    pub width: u8,
    pub hi: u8,
    pub lo_width: u8,
    /// Bits of the value that the row uses.
    pub used: u8,
    pub shift: u8,
    pub add: u16,
    pub ty: Ty,
    pub dwords: u8,
    /// `None`: a modifier.
    pub access: Option<Access>,
    /// Bit that must be set for the write to happen, or `NONE`.
    pub cond: u8,
    /// Bits that the kind looks at besides: neg, abs, sext of a source; acc; offen and idxen; ...
    pub aux: [u8; 4],
}

/// How a field is read, and printed. Which of these there are depends on the enabled targets.
#[allow(dead_code)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// An operand code.
    Code,
    Agpr,
    /// An AGPR; below 256 a constant.
    AgprOrConst,
    /// A VGPR, or an AGPR if the bit `aux[0]` is set; below 256 a constant.
    Acc,
    /// The same, as long as the format of the matrix asks for, which is at `aux[1]`.
    AccSized,
    SdwaSrc,
    /// Buffer data, absent when it goes to LDS.
    BufData,
    SdstOrVcc,
    /// The vcc that no field names.
    Vcc,
    BufVaddr,
    GlobalAddr,
    ScratchAddr,
    Saddr,
    SmemOffset,
    Literal,
    Hex,
    Int16,
    Endpgm,
    Label,
    Hwreg,
    Sendmsg,
    Waitcnt,
    GprIdx,
    /// Shown elsewhere or not at all.
    None,
    /// `name:[a,b,...]`, when not all zero.
    List,
    ListNegLo,
    ListNeg,
    /// The same; bits that the row does not use are shown as 0.
    ListAll,
    /// The same, when not all one.
    ListOnes,
    /// The same, always; bits that the row does not use are shown as 0.
    ListAlways,
    Flag,
    Omod,
    /// A truth table of three bits: this field, and those at `aux[0]` and `aux[1]`, from its high bits down.
    Bitop3,
    /// `name:value`, when not zero.
    Named,
    /// The same, signed.
    Signed,
    SdwaSel,
    DstUnused,
    DppCtrl,
    DppBound,
    DppMask,
    Swizzle,
    MtbufFormat,
    SmrdOffset,
    Attr,
    InterpParam,
    ExpTgt,
    ExpSrc,
    Dmask,
    MimgData,
    MimgGather,
    MimgAtomic,
    MimgCmpswap,
    /// A half of a register: bit 7 of the field says which.
    Half,
    /// The same; the bit `aux[3]` says which.
    HalfSel,
    /// A destination whose parity is not that of the first one, which is at `aux[0]`.
    Vdsty,
    /// Here the second of two operations begins.
    Second,
    /// Image coordinates: as many registers as the dimensions ask for, `Item::dwords - 1` more; in one run, or each
    /// named by a field of its own from `aux[2]` on.
    ImgAddr,
    /// The same, and gradients.
    ImgAddrGrad,
    Dim,
    Scope,
    Th,
    Dpp8,
}

impl Kind {
    /// The value is the number in the field. `NUMBERS` in build/emit/operands.rs.
    pub(crate) fn is_number(self) -> bool {
        use Kind::*;
        matches!(self, Attr | InterpParam | ExpTgt | Hex | Int16 | Endpgm | Hwreg | Sendmsg | Waitcnt | GprIdx)
    }

    /// It can be several operands.
    pub(crate) fn has_parts(self) -> bool {
        matches!(self, Kind::SmemOffset | Kind::ImgAddr | Kind::ImgAddrGrad)
    }
}

/// What a constant operand is taken for.
#[allow(dead_code)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ty {
    B,
    I16,
    I32,
    I64,
    F16,
    F32,
    F64,
    PkI16,
    PkF16,
    PkBf16,
    Bf16,
    PkI32,
    PkF32,
}

/// Opcode and facts of each slot, and the slots of each opcode.
pub(crate) struct OpTables {
    /// Which of `runs` each page of slots is.
    pub pages: &'static [u8],
    /// Which slots of a page have an operation, a bit each, and the number of the first one; the others follow it. With
    /// the highest bit: where their numbers stand in `list`.
    pub runs: &'static [(u16, u16)],
    pub list: &'static [u16],
    /// Pages of `info_of`.
    pub info_pages: &'static [u8],
    pub info_of: &'static [u8],
    /// For each opcode the first of its slots in `slots`.
    pub first: &'static [u16],
    pub slots: &'static [u16],
    /// Runs of slots that are two operations.
    pub duals: &'static [Dual],
}

impl OpTables {
    pub(crate) fn opcode(&self, slot: usize) -> Option<Opcode> {
        const LISTED: u16 = 0x8000;
        let (mask, first) = *self.runs.get(usize::from(*self.pages.get(slot / PAGE)?))?;
        let before = (mask & ((1 << (slot % PAGE)) - 1)).count_ones() as u16;
        let number = match first & LISTED {
            0 => first + before,
            _ => *self.list.get(usize::from((first & !LISTED) + before))?,
        };
        Opcode::from_number(number)
    }
}

/// The slots of a format whose instructions are two operations.
pub(crate) struct Dual {
    pub base: u16,
    /// Width of the first opcode; the second lies above it.
    pub shift: u8,
    /// The operation of each second number.
    pub seconds: &'static [Option<Opcode>],
}

/// Facts of an operation, whatever its operands.
#[cfg_attr(not(feature = "text"), allow(dead_code))]
pub(crate) struct Info {
    pub flags: u32,
    /// Printed with `_e32` or `_e64`.
    pub suffix: bool,
    /// The target has a spelling of its own.
    pub respelled: bool,
    /// An operand is a branch distance. With the feature `fast` a bit of `FastDecode` says so.
    #[cfg_attr(feature = "fast", allow(dead_code))]
    pub label: bool,
}

/// Stands where a number were that is no info's, which none is.
pub(crate) static NO_INFO: Info = Info { flags: 0, suffix: false, respelled: false, label: false };

/// What src/facts.rs and src/registers.rs need.
pub(crate) struct FactTables {
    pub whens: &'static [When],
    pub codes: Codes,
    /// The code of each `Special`, or 255.
    pub specials: &'static [u8],
    /// So many different scalars can a vector operation read over the constant bus.
    pub bus: u8,
}

/// Flags, as those of `Info`, that a format's instructions have, or lack, if a bit is set; or, if it is `NONE`, that all
/// with this extension have or lack.
pub(crate) struct When {
    pub format: Format,
    pub bit: u8,
    pub set: u32,
    pub clear: u32,
}

/// Operand codes of the registers that need no field, or `NONE`.
pub(crate) struct Codes {
    pub vcc: u8,
    pub exec: u8,
    pub m0: u8,
    pub flat_scratch: u8,
    pub xnack_mask: u8,
}

/// What names mean on the target. A name is the number of its row in the tables, which is the same on all targets.
pub(crate) struct NameTables {
    /// Operand codes.
    pub codes: &'static [Named],
    pub hwreg: &'static [Named],
    pub sendmsg: &'static [Named],
    pub gs_op: &'static [Named],
    pub sysmsg_op: &'static [Named],
    pub dfmt: &'static [Named],
    pub nfmt: &'static [Named],
    pub sdwa_sel: &'static [Named],
    pub dst_unused: &'static [Named],
    pub omod: &'static [Named],
    pub dpp_ctrl: &'static [Named],
    pub exp_tgt: &'static [Named],
    pub swizzle: &'static [Named],
    pub interp_param: &'static [Named],
    pub dim: &'static [Named],
    pub scope: &'static [Named],
    pub th: &'static [Named],
}

/// A format that took another's place, and what has a new name in it.
pub(crate) struct Successor {
    pub old: Format,
    pub new: Format,
    pub renames: &'static [(Field, Field)],
}

/// A run of codes or values that have one name.
pub(crate) struct Named {
    pub first: u16,
    pub last: u16,
    pub row: u8,
}

/// The parts of the constants of src/imm.rs.
pub(crate) struct ImmTables {
    pub waitcnt: [Part; 3],
    pub hwreg: [Part; 3],
    pub sendmsg: [Part; 3],
    pub gpr_idx: [Part; 4],
}

/// Where a part of a constant lies, its low bits first; without any bits if the target lacks it.
pub(crate) struct Part {
    pub lsb: u8,
    pub width: u8,
    pub hi: u8,
    pub hi_width: u8,
}
