//! What the generated tables are made of.
//!
//! An *opcode space* is a set of formats that share encoding bits and opcode numbers. The top nine bits of the first
//! dword select it, and the opcode field selects the *opcode index* in it. An instruction's words must satisfy its
//! *constraints*, which many opcode indices share. A dword after the base words (SDWA, DPP) makes another *form* of the
//! opcode index, with constraints of its own. A form's operands and modifiers are its *signature*, and each of them has
//! a *descriptor*: where its bits are and how they read. Each kind of table is a static of its own, so that firmware
//! links only the tables of the functions that it calls.
//!
//! Most opcode numbers are unused, and neighbouring operations are alike. So tables by opcode index are stored in
//! *pages* of 16 indices, and equal pages are stored once.

mod counters;
#[cfg(all(feature = "text", feature = "fast"))]
mod fast_text;
mod layout;
mod operands;
#[cfg(feature = "text")]
mod text;

pub(crate) use crate::shared::{NONE, trailing};
use crate::shared::{PAGE, RuleKind};
use crate::target::generated::{ANY_IMAGE_ADDRESS, BaseConstraintIndex, ConstraintIndex, InfoIndex, OPCODE_SPACES};
use crate::{Access, Field, Format, Inst, Opcode};
pub(crate) use counters::*;
#[cfg(all(feature = "text", feature = "fast"))]
pub(crate) use fast_text::*;
pub use layout::*;
pub(crate) use operands::*;
#[cfg(feature = "text")]
pub(crate) use text::*;

/// Pads a table to the length of the longest of its kind, or to every number that can index it.
pub(crate) const fn padded<T: Copy, const N: usize>(entries: &[T], none: T) -> [T; N] {
    let mut all = [none; N];
    let mut n = 0;
    while n < entries.len() {
        all[n] = entries[n];
        n += 1;
    }
    all
}

/// What `decode` needs. The linker stores equal tables of different targets once, which is why these are references.
pub(crate) struct DecodeTables {
    /// Opcode space selected by the top nine bits of the first dword; 0: none.
    pub opcode_space_of: &'static [u8; 512],
    /// Entry 0 and the padding are [`NO_OPCODE_SPACE`].
    pub opcode_spaces: &'static [OpcodeSpace; OPCODE_SPACES],
    /// Pages of `constraints_of`.
    pub pages: &'static [u8],
    /// Index in `constraints` for each opcode index; 0: there is no operation.
    pub constraints_of: &'static [BaseConstraintIndex],
    pub constraints: &'static [Constraints],
    /// Masks: bits of the first two dwords that must be zero, for `Constraints::zeros`, and those of `Wide`.
    pub zeros: &'static [u64],
    /// Group of each field value. Two values are in the same group if every set of `sets` has both or neither.
    pub code_groups: &'static [u8; 512],
    /// Sets of groups, one bit each. The first set holds all groups.
    pub sets: &'static [u64],
    /// Constraints of the SDWA form and of the DPP form; 0: there is no such form.
    pub forms: &'static [[ConstraintIndex; 2]],
    /// More checks, for constraints with `marks::FURTHER`.
    pub more: &'static [(ConstraintIndex, &'static [Check])],
    /// Which values a field may have: one bit of the byte at `Check::first` plus the value. Eight sets share each byte.
    pub allowed: &'static [u8],
    /// Bits that must be one, for constraints with that mark: which of `zeros`.
    pub ones: &'static [(ConstraintIndex, u8)],
    /// Codes that are scalar registers.
    pub scalars: &'static [u32; 16],
    /// Rules that tie several fields together; the first list is empty.
    pub rules: &'static [&'static [Rule]],
    /// Sorted by their constraints.
    pub trailing_dwords: &'static [TrailingDword],
    pub announcers: &'static [Announcer],
    pub wide: &'static [Wide],
    pub joined: &'static [Joined],
    /// The opcode indices with operands whose length other fields determine, in order, and a number that many share.
    pub sized: &'static [(u16, u8)],
    /// Where each form of these numbers has its operands.
    pub sized_forms: &'static [SizedForm],
    pub sized_operands: &'static [OperandDesc],
    /// Base format and format of the trailing dword, for error messages.
    pub parts: &'static [(Format, Option<Format>)],
    /// Which field each bit of a format belongs to.
    pub fields: &'static [FieldMap],
}

/// The fields of a format in the order of their first bits. A field in two pieces is listed twice.
pub(crate) struct FieldMap {
    pub format: Format,
    pub dwords: u8,
    pub fields: &'static [(Field, u8)],
}

/// Where the operands of a form are whose length other fields determine: an entry of `DecodeTables::sized_forms`.
pub(crate) struct SizedForm {
    /// As in `DecodeTables::sized`.
    pub number: u8,
    pub form: u8,
    /// The first of `DecodeTables::sized_operands`, and how many there are.
    pub first: u8,
    pub count: u8,
}

/// Dwords that can follow the base words.
pub(crate) struct TrailingDword {
    /// Those of a base form.
    pub constraints: BaseConstraintIndex,
    /// Which of `DecodeTables::announcers`, and the form << 4.
    pub announcer_and_form: u8,
    /// Constraints of the form.
    pub of: ConstraintIndex,
}

impl TrailingDword {
    /// Which of `DecodeTables::announcers`.
    pub(crate) fn announcer(&self) -> usize {
        usize::from(self.announcer_and_form % 16)
    }

    /// Form of the instruction with these dwords; 0: a literal, which makes no other form.
    pub(crate) fn form(&self) -> u8 {
        self.announcer_and_form / 16
    }
}

/// Operations in four dwords whose first two dwords are an instruction of their own.
pub(crate) struct Joined {
    /// Fixed bits: of the first two dwords, and of the third.
    pub masks: (u64, u32),
    pub values: (u64, u32),
    /// Opcode index of opcode 0; the opcode is in the third dword.
    pub base: u16,
    pub shift: u8,
    pub op_mask: u16,
}

impl Joined {
    /// The opcode, if these are the first dwords and the third of such an operation.
    pub(crate) fn opcode(&self, first: u64, third: u32) -> Option<u16> {
        let holds = (first & self.masks.0, third & self.masks.1) == self.values;
        holds.then(|| (third >> (self.shift & 31)) as u16 & self.op_mask)
    }
}

/// What constraints demand of the third and fourth dword.
pub(crate) struct Wide {
    pub constraints: ConstraintIndex,
    pub checks: &'static [Check],
    /// Bits that must be zero, that must be one, and that are ignored: which of `DecodeTables::zeros`.
    pub zeros: u8,
    pub ones: u8,
    pub ignored: u8,
}

#[derive(Clone, Copy)]
pub(crate) struct OpcodeSpace {
    /// Opcode index of opcode 0.
    pub base: u16,
    pub op_mask: u16,
    pub op_shift: u8,
    /// A second field that extends the opcode at its upper end: its lowest bit, and its width << 5.
    pub seg: u8,
    /// Which of `CHECKED_FIELDS`.
    pub checked: u8,
    /// Width of the opcode in bits, with the part in the second field.
    pub op_bits: u8,
    /// If each instruction is two operations: the opcode index of the second operation's opcode 0. The second field
    /// then holds its opcode. 0: each instruction is one operation. `IN_SECOND_DWORD`: the same, and the second field
    /// lies in the second dword.
    pub second: u16,
}

/// No opcode index: see `OpcodeSpace::second`.
pub(crate) const IN_SECOND_DWORD: u16 = u16::MAX;

/// Padding. Its base is past the last page, so every look-up finds no operation.
pub(crate) const NO_OPCODE_SPACE: OpcodeSpace =
    OpcodeSpace { base: 0xfff0, op_mask: 0, op_shift: 0, seg: 0, checked: 0, op_bits: 0, second: 0 };

/// What the words of an instruction must satisfy.
#[derive(Clone, Copy)]
pub(crate) struct Constraints {
    /// As `marks::*`.
    pub marks: u8,
    /// Which of `DecodeTables::rules`.
    pub rules: u8,
    /// For each checked field of the opcode space: which of `DecodeTables::sets` its value must be in.
    pub sets: [u8; 4],
    /// Which of `DecodeTables::zeros`.
    pub zeros: u8,
    /// Which dwords can follow, as `trailing::*`, and whether the base words are two.
    pub trailing: u8,
    /// Which of `DecodeTables::forms`.
    pub forms: u8,
    /// Which of `DecodeTables::parts`.
    pub parts: u8,
}

/// A rule that ties several fields: if the fields in `looks` have these values, `field` must satisfy `kind`.
pub(crate) struct Rule {
    pub kind: RuleKind,
    /// The field that the error names.
    pub field: Bits,
    pub n: u8,
    /// The fields looked at, and the value of each. An unused entry has no bits and the value zero.
    pub looks: [(Bits, u8); 3],
}

/// A run of bits in one dword: its lowest bit, counted from the first dword, and its width, at most 15.
#[derive(Clone, Copy)]
pub(crate) struct Bits(pub u8, pub u8);

/// What `length` needs.
pub(crate) struct LengthTables {
    /// What the top nine bits of the first dword reveal about the length, as `length::*`.
    pub entries: [u8; 512],
    /// Operations that take fewer trailing dwords than others with the same nine bits.
    pub others: &'static [Other],
    /// Operations that codes in other places make longer, too.
    pub lists: &'static [LengthList],
    /// Operations in four dwords, with a bit for each valid opcode.
    pub joined: &'static [(Joined, &'static [u8])],
}

pub(crate) struct LengthList {
    /// Dwords of the base words.
    pub dwords: u8,
    /// Whether two dwords after them can make them another operation: one of `LengthTables::joined`.
    pub joined: bool,
    /// Where the opcode is.
    pub op_shift: u8,
    pub op_width: u8,
    /// The first one that the words match says how many dwords follow.
    pub announcers: &'static [Announcer],
    /// From each of these opcodes on, operations have the announcers with these bits, for they ignore the fields of the
    /// others. Without runs, all have all.
    pub runs: &'static [(u16, u8)],
}

/// Dwords follow if a field has one of these codes.
pub(crate) struct Announcer {
    pub first: u16,
    /// How many more codes there are after the first.
    pub more: u8,
    pub lsb: u8,
    pub width: u8,
    pub dwords: u8,
}

impl Announcer {
    /// Whether the lowest bits are one of the codes.
    pub(crate) fn is_in(&self, bits: u32) -> bool {
        let value = bits & ((1 << (self.width & 15)) - 1);
        value.wrapping_sub(self.first.into()) <= self.more.into()
    }
}

pub(crate) struct Other {
    pub mask: u32,
    pub value: u32,
    pub trailing: u8,
}

/// A field whose value must be in a set.
pub(crate) struct Check {
    pub lsb: u8,
    /// A one-bit field that extends the value at its upper end, or `NONE`.
    pub hi: u8,
    /// The bit of each byte of `allowed` that this set has; `first` is the byte for the value zero.
    pub bit: u8,
    pub mask: u16,
    pub first: u16,
}

/// The entry of an opcode index in a paged table.
#[inline(always)]
pub(crate) fn paged<T: Copy>(pages: &[u8], entries: &[T], op_index: usize) -> Option<T> {
    let page = usize::from(*pages.get(op_index / PAGE)?);
    entries.get(page * PAGE + op_index % PAGE).copied()
}

/// The same for entries that are relative to a base stored with the page.
#[inline(always)]
fn paged_from<T: Copy + Into<u16>>(pages: &[(u8, u16)], entries: &[T], op_index: usize) -> Option<u16> {
    let (page, base) = *pages.get(op_index / PAGE)?;
    let entry: T = *entries.get(usize::from(page) * PAGE + op_index % PAGE)?;
    Some(base + entry.into())
}

/// What the printer needs.
pub(crate) struct DescTables {
    /// Pages of `signature_of`, each with the base that its entries are relative to.
    pub pages: &'static [(u8, u16)],
    /// FormSignature of each opcode index's base form.
    pub signature_of: &'static [u8],
    pub signatures: &'static [FormSignature],
    /// Signatures of the SDWA form and the DPP form, counted from one; 0: there is no such form.
    pub forms: &'static [[u16; 2]],
    /// Other forms, in order: signature of the base form, number of the form, and its signature.
    pub others: &'static [(u16, u8, u16)],
    /// Masks of the bits that the hardware ignores.
    pub ignored: &'static [u64],
    pub lists: &'static [u16],
    pub descs: &'static [OperandDesc],
}

impl DescTables {
    #[inline]
    pub(crate) fn signature(&self, op_index: usize, form: u8) -> &FormSignature {
        // The numbers come from the tables of the same target, so the signature is always found.
        self.find(op_index, form).unwrap_or(&NO_SIGNATURE)
    }

    #[inline]
    fn find(&self, op_index: usize, form: u8) -> Option<&FormSignature> {
        let number = paged_from(self.pages, self.signature_of, op_index)?;
        let signature = self.signatures.get(usize::from(number))?;
        match form {
            0 => Some(signature),
            1 | 2 => {
                let forms = self.forms.get(usize::from(signature.forms))?;
                let form = forms.get(usize::from(form) - 1)?;
                self.signatures.get(usize::from(form.checked_sub(1)?))
            }
            _ => {
                let found = self.others.binary_search_by_key(&(number, form), |o| (o.0, o.1)).ok()?;
                self.signatures.get(usize::from(self.others.get(found)?.2))
            }
        }
    }

    /// The signatures of an operation's forms with a trailing dword: SDWA and DPP, then the others.
    pub(crate) fn forms(&self, op_index: usize) -> impl Iterator<Item = &FormSignature> {
        let number = paged_from(self.pages, self.signature_of, op_index);
        let base = number.and_then(|n| self.signatures.get(usize::from(n)));
        let pair = base.and_then(|s| self.forms.get(usize::from(s.forms))).copied().unwrap_or_default();
        let others = self.others_of(op_index).map(|(_, signature)| signature);
        let all = pair.into_iter().filter_map(|f| f.checked_sub(1)).chain(others);
        all.filter_map(|f| self.signatures.get(usize::from(f)))
    }

    /// The numbers and signatures of an operation's forms that are neither SDWA nor DPP.
    pub(crate) fn others_of(&self, op_index: usize) -> impl Iterator<Item = (u8, u16)> {
        let number = paged_from(self.pages, self.signature_of, op_index);
        self.others.iter().filter(move |o| Some(o.0) == number).map(|o| (o.1, o.2))
    }

    /// The indices of a signature's descriptors.
    #[inline]
    pub(crate) fn list_of(&self, signature: &FormSignature) -> &[u16] {
        let first = usize::from(signature.first);
        self.lists.get(first..first + usize::from(signature.descs)).unwrap_or(&[])
    }

    /// The descriptors of an instruction's operands and modifiers.
    #[inline]
    pub(crate) fn of(&self, inst: &Inst) -> impl Iterator<Item = &OperandDesc> {
        let second = inst.second_index().map_or(&[][..], |index| self.list_of(self.signature(index, 0)));
        self.list_of(inst.signature()).iter().chain(second).filter_map(|&n| self.descs.get(usize::from(n)))
    }
}

#[cfg_attr(not(feature = "text"), allow(dead_code))]
pub(crate) struct FormSignature {
    pub format: Format,
    /// Suffix of the mnemonic: an index of `SUFFIXES` in text/mod.rs.
    pub suffix: u8,
    /// Format of the trailing dword, if this form has one.
    pub extension: Option<Format>,
    /// First descriptor index in `lists`.
    pub first: u16,
    pub descs: u8,
    /// Which of `DescTables::forms`.
    pub forms: u8,
    /// Which of `DescTables::ignored`.
    pub ignored: u8,
}

/// Returned for an index that no table holds; never reached.
pub(crate) static NO_SIGNATURE: FormSignature =
    FormSignature { format: Format::Literal, suffix: 0, extension: None, first: 0, descs: 0, forms: 0, ignored: 0 };

/// An operand or a modifier: where its bits are, and how they read.
#[cfg_attr(not(feature = "text"), allow(dead_code))]
pub(crate) struct OperandDesc {
    pub operand_type: OperandType,
    pub field: Field,
    pub lsb: u8,
    /// Width of the value. Its low `lo_width` bits are at `lsb`, the others at `hi`.
    pub width: u8,
    pub hi: u8,
    pub lo_width: u8,
    /// Mask of the bits of the value that the operation uses.
    pub used: u8,
    pub shift: u8,
    pub add: u16,
    pub ty: crate::DataType,
    pub dwords: u8,
    /// `None`: a modifier.
    pub access: Option<Access>,
    /// Bit that must be set for the operand to be written, or `NONE`.
    pub cond: u8,
    /// Other bits that the operand type looks at: neg, abs and sext of a source; acc; offen and idxen; ...
    pub aux: [u8; 4],
}

/// How a field reads, and prints. The enabled targets decide which of these occur.
#[allow(dead_code)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OperandType {
    /// An operand code.
    Code,
    Agpr,
    /// An AGPR; a constant below 256.
    AgprOrConst,
    /// A VGPR, or an AGPR if the bit at `aux[0]` is set; a constant below 256.
    Acc,
    /// The same; its length depends on the matrix format at `aux[1]`.
    AccSized,
    SdwaSrc,
    /// Buffer data; absent when the data go to LDS.
    BufData,
    SdstOrVcc,
    /// VCC, named by no field.
    Vcc,
    BufVaddr,
    GlobalAddr,
    ScratchAddr,
    /// A scalar address. If there is none, the text shows `off`, or nothing where `aux[0]` is a field.
    Saddr,
    SmemOffset,
    /// A signed number, in hexadecimal.
    SignedHex,
    Literal,
    Hex,
    Int16,
    Endpgm,
    Label,
    Hwreg,
    Sendmsg,
    Waitcnt,
    GprIdx,
    Depctr,
    DelayAlu,
    Version,
    /// Not shown, or shown by another descriptor.
    None,
    /// `name:[a,b,...]`, unless all are zero.
    List,
    ListNegLo,
    ListNeg,
    /// The same; bits that the operation does not use show as 0.
    ListAll,
    /// The same, unless all are one.
    ListOnes,
    /// The same, always; bits that the operation does not use show as 0.
    ListAlways,
    /// `byte_sel:2`, whichever field holds it; 0 is not printed.
    ByteSel,
    Flag,
    Omod,
    /// A truth table in three fields: this one has the high bits, those at `aux[0]` and `aux[1]` the bits below.
    Bitop3,
    /// `name:value`, unless zero.
    Named,
    /// The same, even if zero.
    Wait,
    /// The same, signed, unless zero.
    Signed,
    SdwaSel,
    DstUnused,
    DppCtrl,
    DppBound,
    DppMask,
    Swizzle,
    MtbufFormat,
    /// The same as one number.
    BufFmt,
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
    /// One half of a register; bit 7 of the field selects it.
    Half,
    /// The same, but the bit at `aux[3]` selects the half.
    HalfSel,
    /// A destination whose lowest bit is the inverse of the lowest bit of the destination at `aux[0]`.
    Vdsty,
    /// Separates the two operations of a dual instruction.
    Second,
    /// Image coordinates. The dimensions determine the number of registers, and there are `OperandDesc::dwords - 1`
    /// more. They are one run, or fields of their own name them, as `used` says: see
    /// `ADDRESS_RUN`.
    ImgAddr,
    /// The same with a level of detail, or a limit of it.
    ImgAddrLod,
    /// The same with gradients, of 32 or 16 bits each.
    ImgGrad,
    ImgGradLod,
    ImgGrad16,
    ImgGrad16Lod,
    /// A level of detail alone.
    ImgLod,
    /// A ray: its two directions are six components that a16 packs.
    ImgRay,
    ImgRayDual,
    ImgRay8,
    Dim,
    Scope,
    /// Named values; 0 is not printed.
    MatrixFmt,
    MatrixScale,
    MatrixScaleFmt,
    Th,
    Dpp8,
}

impl OperandType {
    /// Whether the value is the number in the field, as listed in `NUMBERS` of build/emit/operands.rs.
    pub(crate) fn is_number(self) -> bool {
        use OperandType::*;
        matches!(
            self,
            Attr | InterpParam
                | ExpTgt
                | Hex
                | Int16
                | Endpgm
                | Hwreg
                | Sendmsg
                | Waitcnt
                | GprIdx
                | Depctr
                | DelayAlu
                | Version
        )
    }

    /// Whether one field can read as several operands.
    pub(crate) fn has_parts(self) -> bool {
        self == OperandType::SmemOffset || self.is_image_address()
    }

    /// Whether it is an image address, which can be several operands.
    pub(crate) fn is_image_address(self) -> bool {
        use OperandType::*;
        // Without such a target, the code for them is left out.
        ANY_IMAGE_ADDRESS
            && matches!(
                self,
                ImgAddr
                    | ImgAddrLod
                    | ImgGrad
                    | ImgGradLod
                    | ImgGrad16
                    | ImgGrad16Lod
                    | ImgLod
                    | ImgRay
                    | ImgRayDual
                    | ImgRay8
            )
    }
}

/// The operation of each opcode index.
pub(crate) struct OpTables {
    /// Index in `runs` for each page of opcode indices.
    pub pages: &'static [u8],
    /// A bit for each opcode index of the page that has an operation, and the number of the first operation; the others
    /// follow it. If the highest bit is set, the rest is the position of their numbers in `list`.
    pub runs: &'static [(u16, u16)],
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
    /// For each opcode, where its opcode indices begin in `op_indices`.
    pub first: &'static [u16],
    pub op_indices: &'static [u16],
}

impl OpTables {
    pub(crate) fn opcode(&self, op_index: usize) -> Option<Opcode> {
        const LISTED: u16 = 0x8000;
        let (mask, first) = *self.runs.get(usize::from(*self.pages.get(op_index / PAGE)?))?;
        let before = (mask & ((1 << (op_index % PAGE)) - 1)).count_ones() as u16;
        let number = match first & LISTED {
            0 => first + before,
            _ => *self.list.get(usize::from((first & !LISTED) + before))?,
        };
        Opcode::from_number(number)
    }
}

/// Facts of an operation that do not depend on its operands.
#[cfg_attr(not(feature = "text"), allow(dead_code))]
pub(crate) struct Info {
    pub flags: u32,
    /// The mnemonic is printed with `_e32` or `_e64`.
    pub suffix: bool,
    /// The target spells the mnemonic in its own way.
    pub respelled: bool,
    /// An operand is a branch distance. With the feature `fast`, `FastDecode` has a bit for it.
    #[cfg_attr(feature = "fast", allow(dead_code))]
    pub label: bool,
}

/// Returned for an index that no table holds; never reached.
pub(crate) static NO_INFO: Info = Info { flags: 0, suffix: false, respelled: false, label: false };

/// What `src/facts.rs` and `src/registers.rs` need.
pub(crate) struct FactTables {
    pub whens: &'static [When],
    /// Formats whose stores raise `vscnt`, with the bit that makes an atomic operation return a value. One that returns
    /// raises `vmcnt` instead.
    pub returns: &'static [(Format, u8)],
    /// The counters of formats where those among the flags are called otherwise.
    pub counters: &'static [(Format, [crate::Counter; 4])],
    pub codes: Codes,
    /// The code of each `Special`, or 255.
    pub specials: &'static [u8],
    /// How many different scalars a vector operation can read over the constant bus.
    pub bus: u8,
}

/// Flags, as in `Info`, that instructions of a format gain or lose when a bit is set. If the bit is `NONE`, `format` is
/// an extension, and all instructions with it gain or lose them.
pub(crate) struct When {
    pub format: Format,
    pub bit: u8,
    pub set: u32,
    pub clear: u32,
}

/// Operand codes of the registers that operations use without naming them, or `NONE`.
pub(crate) struct Codes {
    pub vcc: u8,
    pub exec: u8,
    pub m0: u8,
    pub flat_scratch: u8,
    pub xnack_mask: u8,
}

/// What names mean on the target. A name is identified by the number of its row, which is the same on all targets.
pub(crate) struct NameTables {
    /// Operand codes.
    pub codes: &'static [Named],
    pub hwreg: &'static [Named],
    pub sendmsg: &'static [Named],
    pub gs_op: &'static [Named],
    pub sysmsg_op: &'static [Named],
    pub instid: &'static [Named],
    pub instskip: &'static [Named],
    #[allow(dead_code)] // A version means the same on all targets.
    pub version: &'static [Named],
    pub dfmt: &'static [Named],
    pub nfmt: &'static [Named],
    pub buf_fmt: &'static [Named],
    pub sdwa_sel: &'static [Named],
    pub dst_unused: &'static [Named],
    pub omod: &'static [Named],
    pub dpp_ctrl: &'static [Named],
    pub exp_tgt: &'static [Named],
    pub swizzle: &'static [Named],
    pub interp_param: &'static [Named],
    pub dim: &'static [Named],
    pub matrix_fmt: &'static [Named],
    pub matrix_scale: &'static [Named],
    pub matrix_scale_fmt: &'static [Named],
    pub scope: &'static [Named],
    #[allow(dead_code)] // Stores have all the values of loads and of atomic operations.
    pub th_load: &'static [Named],
    #[allow(dead_code)]
    pub th_load_system: &'static [Named],
    pub th_store: &'static [Named],
    #[allow(dead_code)]
    pub th_store_system: &'static [Named],
    #[allow(dead_code)]
    pub th_atomic: &'static [Named],
}

/// A format that replaced another one, and the fields that were renamed.
pub(crate) struct Successor {
    pub old: Format,
    pub new: Format,
    pub renames: &'static [(Field, Field)],
}

/// A run of codes or values with one name.
pub(crate) struct Named {
    pub first: u16,
    pub last: u16,
    pub row: u8,
}

/// The parts of the constants of `src/imm.rs`.
pub(crate) struct ImmTables {
    pub waitcnt: [Part; 3],
    pub hwreg: [Part; 3],
    pub sendmsg: [Part; 3],
    pub gpr_idx: [Part; 4],
    pub depctr: [Part; 7],
    pub delay_alu: [Part; 3],
}

/// Where a part of a constant is, its low bits first. A part that the target lacks has no bits.
pub(crate) struct Part {
    pub lsb: u8,
    pub width: u8,
    pub hi: u8,
    pub hi_width: u8,
}
