//! Operands and modifiers of forms, and how each of them reads and prints.

use super::*;

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

    /// Which signature the base form of an opcode index has.
    pub(crate) fn number(&self, op_index: usize) -> u16 {
        paged_from(self.pages, self.signature_of, op_index).unwrap_or(0)
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
