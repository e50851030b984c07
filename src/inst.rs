//! A decoded instruction.

use core::fmt;
use core::hash::{Hash, Hasher};

use crate::constraint::{constraints_of_form, parts, second_index};
use crate::error::EncodeError;
use crate::opcode::{Field, Format, Opcode};
#[cfg(feature = "text")]
use crate::operation::own_spelling;
use crate::operation::{info, layout};
use crate::shared::{constraint_flags, meta};
#[cfg(feature = "fast")]
use crate::table::sizes::OP_INDICES;
use crate::table::sizes::{CONSTRAINT_FLAGS, ConstraintIndex};
use crate::table::{FieldInfo, FormSignature, Info, Layout, MAX_DWORDS, OperandDesc, Term};
#[cfg(feature = "fast")]
use crate::target::FAST_DECODE;
use crate::target::{DECODE, DESCS, LAYOUT, OPS, Target};

/// A decoded instruction: its target, its operation and its words.
///
/// The words are kept bit for bit, with reserved and ignored bits, so that [`Inst::words`] returns exactly the words
/// that were decoded. The size of an `Inst` is 24 bytes.
#[derive(Clone, Copy)]
#[doc(alias = "MCInst")]
#[doc(alias = "instruction")]
pub struct Inst {
    words: [u32; MAX_DWORDS],
    /// Target, opcode index, form and number of dwords, in the layout of `shared::meta`.
    meta: u32,
}

static_assertions::const_assert!(core::mem::size_of::<Inst>() <= 24);
static_assertions::const_assert!(Target::ALL.len() <= 1 << meta::TARGET);
static_assertions::const_assert!(MAX_DWORDS < 1 << meta::DWORDS);

/// A field of an instruction and its value; see [`Inst::fields`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct HeldField {
    /// The format that the field belongs to: the base format, or the format of the trailing dword.
    pub format: Format,
    /// First bit of the format, counted from the start of the instruction: 0, 32 or 64.
    pub first_bit: u8,
    /// The field, whose bit numbers count from `first_bit`.
    pub info: &'static FieldInfo,
    /// The value of the field.
    pub value: u32,
}

impl Inst {
    /// The part of `meta` without the target and the number of dwords.
    #[inline(always)]
    pub(crate) fn meta(op_index: u32, form: u8) -> u32 {
        op_index | u32::from(form) << meta::FORM_AT
    }

    /// The part of `meta` with the target and the number of dwords.
    #[inline(always)]
    pub(crate) const fn meta_of(target: Target, dwords: u32) -> u32 {
        (target as u32) << meta::TARGET_AT | dwords << meta::DWORDS_AT
    }

    #[inline(always)]
    pub(crate) fn new(target: Target, words: [u32; MAX_DWORDS], meta: u32, dwords: u32) -> Inst {
        Inst { words, meta: meta | Inst::meta_of(target, dwords) }
    }

    /// An instruction of one to three dwords.
    #[inline(always)]
    pub(crate) const fn of(bits: u64, third: u32, meta: u32) -> Inst {
        Inst { words: [bits as u32, (bits >> 32) as u32, third, 0, 0], meta }
    }

    #[inline]
    pub(crate) fn op_index(&self) -> usize {
        self.meta as usize % (1 << meta::OP_INDEX)
    }

    /// The opcode index if the form is 0, otherwise a number greater than any opcode index.
    #[cfg(all(feature = "text", feature = "fast"))]
    #[inline(always)]
    pub(crate) fn index_and_form(&self) -> usize {
        self.meta as usize % (1 << (meta::OP_INDEX + meta::FORM))
    }

    /// The number of the form: 0 for the base form.
    #[inline]
    pub(crate) fn form(&self) -> u8 {
        (self.meta >> meta::FORM_AT) as u8 % (1 << meta::FORM)
    }

    /// The opcode index of the second operation, if the instruction has two.
    #[inline]
    pub(crate) fn second_index(&self) -> Option<usize> {
        if CONSTRAINT_FLAGS & constraint_flags::DUAL == 0 {
            return None;
        }
        second_index(DECODE[self.target() as usize], self.words[0]).map(usize::from)
    }

    #[inline]
    #[allow(clippy::useless_conversion)] // With few targets, the entries already have this type.
    pub(crate) fn constraints(&self) -> ConstraintIndex {
        #[cfg(feature = "fast")]
        if self.form() == 0 {
            return FAST_DECODE[self.target() as usize].constraints_of[self.op_index() % OP_INDICES].into();
        }
        constraints_of_form(DECODE[self.target() as usize], self.op_index() as u16, self.form()).unwrap_or(0)
    }

    #[inline]
    pub(crate) fn signature(&self) -> &'static FormSignature {
        DESCS[self.target() as usize].signature(self.op_index(), self.form())
    }

    #[inline]
    pub(crate) fn info(&self) -> &'static Info {
        info(self.target(), self.op_index())
    }

    /// Flags of the operation, or of both operations if there are two, as in `Info`.
    pub(crate) fn info_flags(&self) -> u32 {
        let second = self.second_index().map_or(0, |index| info(self.target(), index).flags);
        self.info().flags | second
    }

    /// The target that the instruction is for.
    #[inline]
    pub fn target(&self) -> Target {
        // The number in `meta` came from a target, so the list always has it.
        Target::ALL
            .get((self.meta >> meta::TARGET_AT) as usize % (1 << meta::TARGET))
            .copied()
            .unwrap_or(Target::ALL[0])
    }

    /// Length in bytes: 4 to 20.
    #[inline]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.dwords() * 4
    }

    /// The bits of `meta` that hold the form and the number of dwords.
    #[cfg(feature = "fast")]
    #[inline(always)]
    pub(crate) fn form_and_length(&self) -> u32 {
        const FORM: u32 = ((1 << meta::FORM) - 1) << meta::FORM_AT;
        const DWORDS: u32 = ((1 << meta::DWORDS) - 1) << meta::DWORDS_AT;
        self.meta & (FORM | DWORDS)
    }

    #[inline]
    fn dwords(&self) -> usize {
        (self.meta >> meta::DWORDS_AT) as usize
    }

    /// The dwords, base word first.
    #[inline]
    pub fn words(&self) -> &[u32] {
        self.words.get(..self.dwords()).unwrap_or(&self.words)
    }

    /// The dwords, with zeros after them.
    pub(crate) fn padded_words(&self) -> [u32; MAX_DWORDS] {
        self.words
    }

    /// Whether both instructions have the same target, operation, form and length, and so the same formats.
    #[inline]
    pub(crate) fn is_like(&self, other: &Inst) -> bool {
        self.meta == other.meta
    }

    /// Whether this is the base form of an operation, with this number of dwords.
    #[cfg(feature = "make")]
    #[inline]
    pub(crate) fn is_base(&self, op_index: u16, dwords: u8) -> bool {
        self.meta == Inst::meta_of(self.target(), dwords.into()) | Inst::meta(op_index.into(), 0)
    }

    /// Key for ordering instructions; it has no meaning except that equal instructions have equal keys.
    pub(crate) fn order(&self) -> (u32, [u32; MAX_DWORDS]) {
        (self.meta, self.words)
    }

    /// Word `n`; `n` must be less than `MAX_DWORDS`.
    #[cfg(feature = "text")]
    #[inline(always)]
    pub(crate) fn word(&self, n: usize) -> u32 {
        self.words[n]
    }

    /// The first 64 bits.
    #[inline]
    pub(crate) fn bits(&self) -> u64 {
        u64::from(self.words[0]) | u64::from(self.words[1]) << 32
    }

    /// The instruction with another lower half of the first dword. This half must be a field that can hold all values.
    pub(crate) fn with_low_half(mut self, bits: u16) -> Inst {
        self.words[0] = self.words[0] & !u32::from(u16::MAX) | u32::from(bits);
        self
    }

    /// Replaces the first 64 bits. The decoder must not depend on the bits that differ, or must have accepted them.
    #[cfg(feature = "fast")]
    #[inline(always)]
    pub(crate) fn put_bits(&mut self, bits: u64) {
        [self.words[0], self.words[1]] = [bits as u32, (bits >> 32) as u32];
    }

    /// Inverts some of the first 64 bits. The decoder must not depend on these bits.
    pub(crate) fn flip(&mut self, bits: u64) {
        self.words[0] ^= bits as u32;
        self.words[1] ^= (bits >> 32) as u32;
    }

    /// Bits 64 to 127.
    #[inline]
    pub(crate) fn high_bits(&self) -> u64 {
        u64::from(self.words[2]) | u64::from(self.words[3]) << 32
    }

    /// The bits from 128 on.
    #[inline]
    pub(crate) fn last_bits(&self) -> u64 {
        self.words[4].into()
    }

    /// Whether the words match a term.
    pub(crate) fn has(&self, term: &Term) -> bool {
        self.words.iter().zip(term.mask.iter().zip(&term.value)).all(|(word, (mask, value))| word & mask == *value)
    }

    pub(crate) fn constraint_flags(&self) -> u8 {
        let t = DECODE[self.target() as usize];
        t.constraints.get(usize::from(self.constraints())).map_or(0, |constraints| constraints.flags)
    }

    /// Whether the operation has a d16 bit that packs two components per register.
    pub(crate) fn has_d16(&self) -> bool {
        self.constraint_flags() & constraint_flags::D16 != 0
    }

    /// Whether the operation has the lds bit. In other operations, this bit is always zero.
    pub(crate) fn has_lds(&self) -> bool {
        self.constraint_flags() & constraint_flags::LDS != 0
    }

    /// The mnemonic in the spelling of the target's assembler, without the encoding suffix; usually the opcode's name.
    #[cfg(feature = "text")]
    pub fn mnemonic(&self) -> &'static str {
        let own = self.info().respelled.then(|| own_spelling(self.target(), self.op_index()));
        own.flatten().unwrap_or_else(|| self.opcode().name())
    }

    /// The operation.
    #[inline]
    pub fn opcode(&self) -> Opcode {
        // The decoder accepts only opcode indices with an opcode.
        let t = OPS[self.target() as usize];
        t.opcode(self.op_index()).unwrap_or(Opcode::SNop)
    }

    /// The second operation of an instruction that has two (VOPD); [`Inst::opcode`] is the first.
    pub fn second_opcode(&self) -> Option<Opcode> {
        OPS[self.target() as usize].opcode(self.second_index()?)
    }

    /// The 64-bit literal after the base word, if there is one (`gfx1250` and later).
    pub fn literal64(&self) -> Option<u64> {
        (self.extension() == Some(Format::Literal64)).then(|| self.last_two())
    }

    /// The last two dwords of the instruction.
    pub(crate) fn last_two(&self) -> u64 {
        match self.words() {
            [.., low, high] => u64::from(*low) | u64::from(*high) << 32,
            _ => 0,
        }
    }

    /// The last dword of the instruction.
    pub(crate) fn last_dword(&self) -> u32 {
        self.words().last().copied().unwrap_or(0)
    }

    /// The descriptors of the instruction's operands and modifiers.
    #[inline]
    pub(crate) fn descs(&self) -> impl Iterator<Item = &'static OperandDesc> + use<> {
        let t = DESCS[self.target() as usize];
        let second = self.second_index().map_or(&[][..], |index| t.list_of(t.signature(index, 0)));
        t.list_of(self.signature()).iter().chain(second).filter_map(|&n| t.descs.get(usize::from(n)))
    }

    /// The base format. [`Inst::extension`] is the format of an SDWA, DPP or literal dword.
    #[inline]
    pub fn format(&self) -> Format {
        self.formats().0
    }

    /// The format of the trailing dword, if there is one.
    pub fn extension(&self) -> Option<Format> {
        let [_, extension] = self.parts();
        extension.map(|(format, _)| format)
    }

    /// Writes the words to `out` as little-endian bytes and returns their length in bytes.
    ///
    /// # Errors
    /// `out` is too short.
    #[inline]
    pub fn encode(&self, out: &mut [u8]) -> Result<usize, EncodeError> {
        let len = self.len();
        let Some(out) = out.get_mut(..len) else { return Err(EncodeError { needed: len as u8 }) };
        // Nearly all instructions have one or two dwords, which one store writes.
        if let Some(out) = out.first_chunk_mut() {
            *out = self.bits().to_le_bytes();
        } else if let Some(out) = out.first_chunk_mut() {
            *out = self.words[0].to_le_bytes();
        }
        let mut rest = out.get_mut(8..).unwrap_or(&mut []);
        for word in self.words().iter().skip(2) {
            let Some((to, after)) = rest.split_first_chunk_mut() else { break };
            *to = word.to_le_bytes();
            rest = after;
        }
        Ok(len)
    }

    /// Writes the words to `out` and returns their number.
    ///
    /// # Errors
    /// `out` is too short.
    pub fn encode_words(&self, out: &mut [u32]) -> Result<usize, EncodeError> {
        let words = self.words();
        let Some(out) = out.get_mut(..words.len()) else { return Err(EncodeError { needed: words.len() as u8 }) };
        out.iter_mut().zip(words).for_each(|(to, word)| *to = *word);
        Ok(words.len())
    }

    /// The base format, and the format of the dword that follows or can follow the base words.
    fn formats(&self) -> (Format, Option<Format>) {
        parts(DECODE[self.target() as usize], self.constraints())
    }

    /// The formats that make up the instruction, each with its first bit.
    #[inline]
    fn parts(&self) -> [Option<(Format, u8)>; 2] {
        let (format, extension) = self.formats();
        [Some((format, 0)), self.trailing(layout(self.target(), format), extension)]
    }

    /// The format of the dwords after the base words, and their first bit. `extension` is the format of dwords that can
    /// follow.
    #[inline]
    fn trailing(&self, base: Option<&Layout>, extension: Option<Format>) -> Option<(Format, u8)> {
        let base = base.map_or(32, |l| l.bits);
        // Use one branch, which is seldom taken: most instructions that can have such dwords have none.
        let is_there = (self.len() * 8 > usize::from(base)) & extension.is_some();
        let extension = extension.filter(|_| is_there)?;
        // The code that announces the literal determines its length.
        let is_literal64 = extension == Format::Literal && self.len() * 8 > usize::from(base) + 32;
        Some((if is_literal64 { Format::Literal64 } else { extension }, base))
    }

    /// The dwords of this format: the base words, or the trailing dword; `None` if the instruction has no such part.
    pub fn part(&self, format: Format) -> Option<&[u32]> {
        let parts = self.parts();
        let (_, first) = parts.into_iter().flatten().find(|(f, _)| *f == format)?;
        let bits = layout(self.target(), format)?.bits;
        let first = usize::from(first / 32);
        self.words.get(first..first + usize::from(bits / 32))
    }

    /// Every field of the base words and of the trailing dword, with its value.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::{Field, Target, decode_words};
    /// let add = decode_words(Target::Gfx942, &[0x8004_0501]).unwrap(); // s_add_u32 s4, s1, s5
    /// let sdst = add.fields().find(|held| held.info.field == Field::Sdst).unwrap();
    /// assert_eq!((sdst.first_bit + sdst.info.lsb, sdst.info.width, sdst.value), (16, 7, 4));
    /// # }
    /// ```
    pub fn fields(&self) -> impl Iterator<Item = HeldField> + '_ {
        let target = self.target();
        let parts = self.parts();
        parts.into_iter().flatten().flat_map(move |(format, first)| {
            let fields = layout(target, format).into_iter().flat_map(|l| l.fields);
            fields.map(move |info| HeldField { format, first_bit: first, info, value: self.value_of(first, info) })
        })
    }

    /// The value of a field, if the instruction has it. A field of the trailing dword hides the base word's field of
    /// the same name: with SDWA, `src0` is the register in the second dword, not the 249 in the first.
    pub fn get(&self, field: Field) -> Option<u32> {
        self.place(field, |_| true).map(|(first, info)| self.value_of(first, info))
    }

    /// The field with this name, if `holds` is true of it, and the first bit of its part. The field of the trailing
    /// dword takes precedence over that of the base words.
    #[inline]
    pub(crate) fn place(&self, field: Field, holds: impl Fn(&FieldInfo) -> bool) -> Option<(u8, &'static FieldInfo)> {
        let tables = LAYOUT[self.target() as usize];
        let (format, extension) = self.formats();
        let base = tables.place(format)?;
        if let Some((format, first)) = self.trailing(tables.formats.get(base), extension) {
            let info = tables.place(format).and_then(|part| tables.field(part, field));
            if let Some(info) = info.filter(|info| holds(info)) {
                return Some((first, info));
            }
        }
        let info = tables.field(base, field).filter(|info| holds(info))?;
        Some((0, info))
    }

    fn value_of(&self, first: u8, f: &FieldInfo) -> u32 {
        let low = self.field(first + f.lsb, f.width);
        let high = if f.hi_width == 0 { 0 } else { self.field(first + f.hi, f.hi_width) << f.width };
        high | low
    }

    pub(crate) fn field(&self, lsb: u8, width: u8) -> u32 {
        let at = usize::from(lsb / 32);
        let word = |i: usize| u64::from(self.words.get(i).copied().unwrap_or(0));
        let both = word(at) | word(at + 1) << 32;
        ((both >> (lsb % 32)) & ((1u64 << width) - 1)) as u32
    }
}

// The words after the instruction's dwords are zero, so they need no comparison.
impl PartialEq for Inst {
    #[inline]
    fn eq(&self, other: &Inst) -> bool {
        // Compare word by word: a wide load would wait for the narrow stores that made the instruction.
        self.meta == other.meta && self.words().iter().zip(&other.words).all(|(a, b)| a == b)
    }
}

impl Eq for Inst {}

impl Hash for Inst {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.meta.hash(state);
        self.words().hash(state);
    }
}

impl fmt::Debug for Inst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Inst({} {:?} {:08x?})", self.target(), self.opcode(), self.words())
    }
}
