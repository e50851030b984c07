//! Makes instructions for a run-time target: operands and modifiers are named by their fields.

use super::argument::{Argument, ToArgument};
use super::arguments::{Arguments, Fields, role};
use super::fill::{Left, fill, plain};
use super::{BuildError, dual, op};
use crate::form::{Form, start_of};
use crate::inst::Inst;
use crate::make::generated::{DUALS, RULES};
use crate::opcode::{Field, Format, Opcode, Special};
use crate::operation::{OpcodeEntry, layout};
use crate::table::{FormSignature, OperandDesc};
use crate::target::Target;

/// An instruction under construction, for a target known only at run time.
///
/// Operands are named by their fields, in any order. Where manuals call one operand by several names, all of them are
/// accepted: `vsrc1` and `src1`, so that the encoding can stay open; `addr`, `vaddr` and `vaddr0`; `data` and `vdata`.
/// The builder chooses the shortest encoding that accepts the operands: SDWA or DPP if one of their modifiers is given,
/// otherwise 32 bits before 64. A `vcc` that an encoding implies can be named, as in the text.
///
/// ```
/// # #[cfg(feature = "gfx942")] {
/// use amdgpu_isa::make::args::{s, v};
/// use amdgpu_isa::make::{BuildError, Builder, Given};
/// use amdgpu_isa::{Field, Format, Opcode, Reg, Target};
///
/// let target: Target = "mi300x".parse().unwrap();
/// let add = Builder::new(target, Opcode::SAddU32).sdst(s(4)).ssrc0(s(1)).ssrc1(1000).build().unwrap();
/// assert_eq!(add.words(), [0x8004_ff01, 1000]);
///
/// // A scalar as the second source needs 64 bits.
/// let add = Builder::new(target, Opcode::VAddF32).vdst(v(0)).src0(v(1));
/// assert_eq!(add.src1(v(2)).build().unwrap().format(), Format::Vop2);
/// assert_eq!(add.src1(s(2)).build().unwrap().format(), Format::Vop3a);
/// let refused = BuildError::Operand { field: Field::Vsrc1, given: Given::Reg(Reg::Sgpr(2)) };
/// assert_eq!(add.src1(s(2)).e32().build(), Err(refused));
/// assert_eq!(refused.to_string(), "vsrc1: s2 is not allowed here");
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Builder {
    pub(super) target: Target,
    pub(crate) opcode: Opcode,
    /// The second operation of a dual instruction.
    second: Option<Opcode>,
    encoding: Encoding,
    arguments: Arguments,
    /// The sources to be negated: bit N stands for source N. `abs` and `sext` have the same form.
    pub(super) neg: u8,
    pub(super) abs: u8,
    pub(super) sext: u8,
    error: Option<BuildError>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Any,
    Format(Format),
    /// Base words of this many bits, which only a literal may follow.
    Bits(u8),
    Sdwa,
    Dpp,
    /// A DPP dword after base words of 32 bits (`ShortDpp`) or 64 bits (`LongDpp`).
    ShortDpp,
    LongDpp,
}

macro_rules! operands {
    ($($name:ident $field:ident)*) => {
        $(
            #[doc = concat!("The operand `", stringify!($name), "`.")]
            #[inline(always)]
            pub fn $name(self, operand: impl ToArgument) -> Builder {
                self.set(Field::$field, operand)
            }
        )*
    };
}

macro_rules! flags {
    ($($name:ident $field:ident)*) => {
        $(
            #[doc = concat!("The modifier `", stringify!($name), "`.")]
            #[inline(always)]
            pub fn $name(self) -> Builder {
                self.set(Field::$field, true)
            }
        )*
    };
}

macro_rules! values {
    ($($name:ident $field:ident)*) => {
        $(
            #[doc = concat!("The modifier `", stringify!($name), "`.")]
            #[inline(always)]
            pub fn $name(self, value: u16) -> Builder {
                self.set(Field::$field, u32::from(value))
            }
        )*
    };
}

impl Builder {
    /// An instruction of a target, without operands yet. [`Builder::build`] checks that the target has the operation.
    #[inline(always)]
    pub const fn new(target: Target, opcode: Opcode) -> Builder {
        Builder {
            target,
            opcode,
            second: None,
            encoding: Encoding::Any,
            arguments: Arguments::NONE,
            neg: 0,
            abs: 0,
            sext: 0,
            error: None,
        }
    }

    /// Makes the instruction a dual instruction (VOPD) with this second operation. The fields of the first operation
    /// end in `x`, and those of the second one in `y`.
    ///
    /// ```
    /// # #[cfg(feature = "gfx1100")] {
    /// use amdgpu_isa::make::Builder;
    /// use amdgpu_isa::make::args::v;
    /// use amdgpu_isa::{Opcode, Target};
    /// let two = Builder::new(Target::Gfx1100, Opcode::VDualMovB32).vdstx(v(4)).src0x(1.0);
    /// let two = two.second(Opcode::VDualAddNcU32).vdsty(v(7)).src0y(v(2)).vsrc1y(v(3));
    /// assert_eq!(two.build().unwrap().words(), [0xca20_00f2, 0x0406_0702]);
    /// # }
    /// ```
    pub const fn second(self, opcode: Opcode) -> Builder {
        Builder { second: Some(opcode), ..self }
    }

    /// Sets an operand or a modifier by its field, replacing an earlier value.
    #[inline(always)]
    pub fn set(mut self, field: Field, value: impl ToArgument) -> Builder {
        match value.to_argument(self.target) {
            Ok(value) => self.put(field, value),
            Err(error) => self.error = self.error.or(Some(error)),
        }
        self
    }

    #[inline(always)]
    fn put(&mut self, field: Field, value: Argument) {
        if !self.arguments.put(field, value.on(RULES[self.target as usize])) {
            self.error = Some(BuildError::TooMany);
        }
    }

    operands! {
        sdst Sdst ssrc0 Ssrc0 ssrc1 Ssrc1 simm16 Simm16 literal Literal
        sdata Sdata sbase Sbase soffset Soffset
        vdst Vdst src0 Src0 src1 Src1 src2 Src2 vsrc Vsrc vsrc0 Vsrc0 vsrc1 Vsrc1 vsrc2 Vsrc2 vsrc3 Vsrc3
        vdstx Vdstx src0x Src0x vsrc1x Vsrc1x vdsty Vdsty src0y Src0y vsrc1y Vsrc1y
        attr Attr attrchan Attrchan tgt Tgt
        vaddr Vaddr vdata Vdata srsrc Srsrc ssamp Ssamp
        addr Addr data Data data0 Data0 data1 Data1 saddr Saddr
    }

    /// Sets the offset: a number, or a register in scalar memory instructions that accept one.
    #[inline(always)]
    pub fn offset(self, offset: impl ToArgument) -> Builder {
        self.set(Field::Offset, offset)
    }

    flags! {
        clamp Clamp glc Glc slc Slc sc0 Sc0 sc1 Sc1 nt Nt lds Lds gds Gds tfe Tfe lwe Lwe unorm Unorm da Da r128 R128
        row_en RowEn a16 A16 d16 D16 done Done vm Vm compr Compr bound_ctrl BoundCtrl fi Fi dlc Dlc high High offen Offen idxen Idxen addr64 Addr64
    }

    values! {
        omod Omod op_sel OpSel op_sel_hi OpSelHi neg_lo Neg neg_hi NegHi offset0 Offset0 offset1 Offset1
        cbsz Cbsz abid Abid blgp Blgp dmask Dmask dfmt Dfmt nfmt Nfmt buffer_format Format
        dpp_ctrl DppCtrl row_mask RowMask bank_mask BankMask
        wait_exp WaitExp wait_vdst WaitVdst wait_va_vdst WaitVaVdst wait_vm_vsrc WaitVmVsrc
        scope Scope th Th index_key IndexKey
        dst_sel DstSel dst_unused DstUnused src0_sel Src0Sel src1_sel Src1Sel
    }

    /// Sets the lane, 0 to 7, that each of eight lanes reads.
    pub fn dpp8(mut self, lanes: [u8; 8]) -> Builder {
        let mut all = 0;
        for (n, &lane) in lanes.iter().enumerate() {
            if lane > 7 {
                let error = BuildError::Range { field: Field::Sel, value: lane.into(), min: 0, max: 7 };
                self.error = self.error.or(Some(error));
            }
            all |= u32::from(lane & 7) << (3 * n);
        }
        self.set(Field::Sel, all)
    }

    /// Negates a source, counted from 0.
    #[inline(always)]
    pub fn neg(mut self, source: u8) -> Builder {
        self.neg |= bit(source, &mut self.error, Field::Neg);
        self
    }

    /// Takes the absolute value of a source, counted from 0.
    #[inline(always)]
    pub fn abs(mut self, source: u8) -> Builder {
        self.abs |= bit(source, &mut self.error, Field::Abs);
        self
    }

    /// Sign-extends a source of SDWA, counted from 0.
    #[inline(always)]
    pub fn sext(mut self, source: u8) -> Builder {
        self.sext |= bit(source, &mut self.error, Field::Src0Sext);
        self
    }

    /// Restricts the encoding to this base format or extension.
    #[inline(always)]
    pub fn format(self, format: Format) -> Builder {
        Builder { encoding: Encoding::Format(format), ..self }
    }

    /// Restricts the encoding to 32 bits.
    #[inline(always)]
    pub fn e32(self) -> Builder {
        Builder { encoding: Encoding::Bits(32), ..self }
    }

    /// Restricts the encoding to 64 bits.
    #[inline(always)]
    pub fn e64(self) -> Builder {
        Builder { encoding: Encoding::Bits(64), ..self }
    }

    /// Restricts the encoding to forms with an SDWA dword.
    #[inline(always)]
    pub fn sdwa(self) -> Builder {
        Builder { encoding: Encoding::Sdwa, ..self }
    }

    /// Restricts the encoding to forms with a DPP dword.
    #[inline(always)]
    pub fn dpp(self) -> Builder {
        Builder { encoding: Encoding::Dpp, ..self }
    }

    /// Restricts the encoding to forms of 32 bits with a DPP dword.
    pub fn e32_dpp(self) -> Builder {
        Builder { encoding: Encoding::ShortDpp, ..self }
    }

    /// Restricts the encoding to forms of 64 bits with a DPP dword, which exist from RDNA3 on.
    pub fn e64_dpp(self) -> Builder {
        Builder { encoding: Encoding::LongDpp, ..self }
    }

    /// Builds the instruction.
    ///
    /// # Errors
    /// The target lacks the operation or encoding, an operand is missing, a field cannot hold its argument, or a rule
    /// is broken. If several encodings were tried, the error is that of the encoding that came closest; of several that
    /// came equally close, that of the last one.
    pub fn build(&self) -> Result<Inst, BuildError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let plain = if self.second.is_none() && self.encoding == Encoding::Any { self.plain() } else { None };
        plain.map_or_else(|| self.search(), Ok)
    }

    /// Fills the first base form that holds the arguments, in the order of `search`: forms of 32 bits, then one of 64.
    /// Returns `None` if no form holds them, or if only `fill` can tell whether an earlier form does. A base form has
    /// no modifier of SDWA or DPP.
    #[inline]
    fn plain(&self) -> Option<Inst> {
        let op_indices = self.opcode.op_indices(self.target);
        for (n, op_index) in op_indices.iter().enumerate() {
            let entry = OpcodeEntry::new(self.target, *op_index);
            let start = start_of(self.target, entry.signature.format);
            if start.bits > 32 && n + 1 < op_indices.len() || is_dual(entry.signature.format) {
                return None;
            }
            match plain(self, &entry, start) {
                Ok(inst) => return Some(inst),
                Err(Left::Refused) => {}
                Err(Left::Unsure) => return None,
            }
        }
        None
    }

    /// Tries all forms.
    #[cold]
    fn search(&self) -> Result<Inst, BuildError> {
        let Some(entry) = self.opcode.entries(self.target).next() else {
            return Err(BuildError::Opcode(self.opcode));
        };
        if let Some(second) = self.second {
            return dual::build(self, second);
        }
        if is_dual(entry.signature.format) {
            return Err(BuildError::Missing(Field::Opy));
        }
        let wanted = self.wanted();
        let mut tried = Tried::default();
        for rank in [Rank::Short, Rank::Long, Rank::Sdwa, Rank::Dpp, Rank::LongDpp] {
            if !wanted.takes(rank) {
                continue;
            }
            for (entry, signature) in self.forms(wanted).filter(|form| form.2 == rank).map(|form| (form.0, form.1)) {
                if let Some(inst) = tried.form(self, &entry, signature) {
                    return Ok(inst);
                }
            }
        }
        Err(self.refused(&tried))
    }

    /// The error if no form could be filled.
    #[cold]
    fn refused(&self, tried: &Tried) -> BuildError {
        // A field that no form has is reported, whatever error another form returned.
        if let Some(field) = tried.extra.filter(|field| !self.has_place(*field)) {
            return BuildError::Unknown(field);
        }
        let (format, extension) = match self.wanted() {
            Wanted::Format(format) => (Some(format), None),
            Wanted::Sdwa => (None, Some(Format::Sdwa)),
            Wanted::Dpp8 => (None, Some(Format::Dpp8)),
            Wanted::Dpp | Wanted::Rank(Rank::Dpp | Rank::LongDpp) => (None, Some(Format::Dpp)),
            _ => (None, None),
        };
        tried.best.unwrap_or(BuildError::Encoding { format, extension })
    }

    /// The encodings that the arguments allow.
    fn wanted(&self) -> Wanted {
        const SDWA: Fields = Fields::of(&[Field::DstSel, Field::DstUnused, Field::Src0Sel, Field::Src1Sel]);
        const DPP: Fields = Fields::of(&[Field::DppCtrl, Field::RowMask, Field::BankMask, Field::BoundCtrl]);
        match self.encoding {
            Encoding::Any if self.arguments.has_any(&DPP8) => Wanted::Dpp8,
            Encoding::Any if self.arguments.has_any(&DPP) => Wanted::Dpp,
            Encoding::Any if self.sext != 0 || self.arguments.has_any(&SDWA) => Wanted::Sdwa,
            Encoding::Any => Wanted::Plain,
            Encoding::Format(format) => Wanted::Format(format),
            Encoding::Bits(bits) => Wanted::Bits(bits),
            Encoding::Sdwa => Wanted::Sdwa,
            Encoding::Dpp => Wanted::Dpp,
            Encoding::ShortDpp => Wanted::Rank(Rank::Dpp),
            Encoding::LongDpp => Wanted::Rank(Rank::LongDpp),
        }
    }

    /// The forms that the instruction may have, with their ranks.
    fn forms(&self, wanted: Wanted) -> impl Iterator<Item = (OpcodeEntry, &'static FormSignature, Rank)> + '_ {
        let is_plain = matches!(wanted, Wanted::Plain | Wanted::Bits(_));
        let is_extended = !is_plain || self.arguments.has_any(&IMAGE);
        self.opcode.entries(self.target).flat_map(move |entry| {
            let base = core::iter::once(entry.signature);
            let extended = is_extended.then(|| entry.forms(self.target)).into_iter().flatten();
            base.chain(extended)
                .filter_map(move |signature| Some((entry, signature, self.rank(&entry, signature, wanted)?)))
        })
    }

    /// Whether one of the forms has an operand or a modifier in the field.
    fn has_place(&self, field: Field) -> bool {
        let is_it = |desc: &OperandDesc| role(desc.field) == role(field);
        self.forms(self.wanted()).any(|(entry, signature, _)| {
            Form::new(self.target, self.opcode, &entry, signature).is_some_and(|form| form.descs().any(is_it))
        })
    }

    /// The rank that determines when a form is tried; `None` if it is not tried.
    fn rank(&self, entry: &OpcodeEntry, signature: &FormSignature, wanted: Wanted) -> Option<Rank> {
        let bits = layout(self.target, entry.signature.format)?.bits;
        let extension = signature.extension.filter(|e| !e.is_literal());
        let rank = match extension {
            None if bits == 32 => Rank::Short,
            None => Rank::Long,
            Some(Format::Sdwa | Format::Sdwab) => Rank::Sdwa,
            // Dwords that name registers of an image address follow if the address has more than one argument.
            Some(Format::Nsa | Format::Nsa2 | Format::Nsa3) => {
                return self.arguments.has_any(&IMAGE).then_some(Rank::Long);
            }
            Some(_) if bits == 32 => Rank::Dpp,
            Some(_) => Rank::LongDpp,
        };
        let good = match wanted {
            Wanted::Format(format) => extension.unwrap_or(entry.signature.format) == format,
            Wanted::Bits(n) => extension.is_none() && bits == n,
            Wanted::Dpp8 => extension == Some(Format::Dpp8),
            Wanted::Plain => extension.is_none(),
            Wanted::Sdwa | Wanted::Dpp | Wanted::Rank(_) => {
                wanted.takes(rank) && (extension != Some(Format::Dpp8) || self.arguments.has_any(&DPP8))
            }
        };
        good.then_some(rank)
    }

    /// Whether the instruction may have this format.
    pub(super) fn takes(&self, format: Format) -> bool {
        !matches!(self.encoding, Encoding::Format(wanted) if wanted != format)
    }

    pub(super) fn arguments(&self) -> &Arguments {
        &self.arguments
    }

    /// The argument of a field, and its index.
    #[inline]
    pub(super) fn find(&self, field: Field) -> Option<(usize, Argument)> {
        let n = self.arguments.position(field)?;
        Some((n, self.arguments.at(n)))
    }

    /// Whether the argument of a field is vcc.
    pub(super) fn is_vcc(&self, field: Field) -> bool {
        let code = |special: Special| special.code(self.target).map(u16::from);
        self.find(field).is_some_and(|(_, argument)| Some(argument.code) == code(Special::VccLo))
    }

    /// Whether the argument of a field is `off` or missing.
    pub(super) fn is_off(&self, field: Field) -> bool {
        self.find(field).is_none_or(|(_, argument)| argument.code == op::OFF)
    }
}

/// Whether instructions of the format have two operations.
fn is_dual(format: Format) -> bool {
    DUALS.iter().any(|duals| duals.format == format)
}

#[inline(always)]
fn bit(source: u8, error: &mut Option<BuildError>, field: Field) -> u8 {
    if source > 2 {
        *error = Some(BuildError::NoModifier { field, source });
        return 0;
    }
    1 << source
}

/// The field that only DPP8 has.
const DPP8: Fields = Fields::of(&[Field::Sel]);

/// The argument that only image addresses with several arguments have.
const IMAGE: Fields = Fields::of(&[Field::Vaddr1]);

/// The errors of the forms that were tried.
#[derive(Default)]
struct Tried {
    /// The error of the form that came closest.
    best: Option<BuildError>,
    /// The first field that a form lacks.
    extra: Option<Field>,
}

impl Tried {
    /// Tries one more form.
    #[inline]
    fn form(&mut self, builder: &Builder, entry: &OpcodeEntry, signature: &'static FormSignature) -> Option<Inst> {
        fill(builder, entry, signature).map_err(|error| self.refused(error)).ok()
    }

    #[cold]
    fn refused(&mut self, error: BuildError) {
        if let BuildError::Unknown(field) = error {
            self.extra = self.extra.or(Some(field));
        }
        // An error about a value is more helpful than a missing field or encoding.
        if self.best.is_none_or(|best| weight(&error) >= weight(&best)) {
            self.best = Some(error);
        }
    }
}

/// The encodings that an instruction may have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Plain,
    Format(Format),
    Bits(u8),
    Sdwa,
    Dpp,
    Dpp8,
    Rank(Rank),
}

impl Wanted {
    /// Whether these encodings include forms of this rank.
    fn takes(self, rank: Rank) -> bool {
        match self {
            Wanted::Plain | Wanted::Bits(_) => matches!(rank, Rank::Short | Rank::Long),
            Wanted::Format(_) => true,
            Wanted::Sdwa => rank == Rank::Sdwa,
            Wanted::Dpp | Wanted::Dpp8 => matches!(rank, Rank::Dpp | Rank::LongDpp),
            Wanted::Rank(wanted) => rank == wanted,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rank {
    Short,
    Long,
    Sdwa,
    Dpp,
    LongDpp,
}

pub(super) fn weight(error: &BuildError) -> u8 {
    match error {
        BuildError::Encoding { .. } => 0,
        BuildError::Unknown(_) | BuildError::NoModifier { .. } => 1,
        BuildError::Missing(_) => 2,
        _ => 3,
    }
}
