//! The registers that instructions read and write, as sets.

use core::fmt;
use core::ops::{BitAnd, BitOr, BitOrAssign, Sub};

use crate::code::{INT, VECTOR_LAST};
use crate::inst::Inst;
use crate::opcode::{ADDRESSES, Field, Format, Special};
use crate::table::{Codes, NONE};
use crate::target::{DECODE, FACTS, Target};
use crate::value::{Operand, Reg, Value};
use crate::vgpr_msb::VgprMsb;

/// The number of v0 in a set. Scalar registers come before v0, numbered by their operand codes 0 to 127. Accumulation
/// registers begin at `AGPRS`, after 256 vector registers; targets with more vector registers have none. Registers
/// without a code begin at `OTHERS`.
const VGPRS: usize = INT as usize;
const AGPRS: usize = VGPRS + VECTORS;
const OTHERS: usize = VGPRS + BANKS * VECTORS;
const VECTORS: usize = VECTOR_LAST as usize + 1;
/// The number of banks of 256 vector registers, which the upper bits of a register's number select.
const BANKS: usize = 4;
/// Width in bits of an operand that is a half of a vector register.
const HALF: u16 = 16;
const WORDS: usize = OTHERS / 64 + 1;
/// The registers without a code. The last two are used on targets on which no code names them.
const WITHOUT_CODE: [Reg; 5] = [Reg::Scc, Reg::Mode, Reg::TrapStatus, Reg::FlatScratch, Reg::XnackMask];

/// A set of registers of a target: `Copy`, with a bit for each 32-bit register, in 160 bytes. The set is made for
/// liveness, dependences and register reports; see [`Inst::reads`].
///
/// A register has one name in the set, however an operand names it: [`Reg::Sgpr`], [`Reg::Vgpr`], [`Reg::Agpr`],
/// [`Reg::Ttmp`]; [`Reg::Special`] for the halves of vcc, exec, flat_scratch and xnack_mask, and for m0; [`Reg::Scc`],
/// [`Reg::Mode`], [`Reg::TrapStatus`]; and, on targets on which no code names them, [`Reg::FlatScratch`] and
/// [`Reg::XnackMask`]. Constants that have a code (`src_shared_base`) are not registers.
///
/// ```
/// # #[cfg(feature = "gfx942")] {
/// use amdgpu_isa::facts::RegSet;
/// use amdgpu_isa::{Decoded, Decoder, Reg, Target};
/// // v_mad_u64_u32 v[2:3], s[4:5], v0, s6, v[8:9]; s_endpgm
/// let code = [0x02, 0x04, 0xe8, 0xd1, 0x00, 0x0d, 0x20, 0x04, 0x00, 0x00, 0x81, 0xbf];
/// let mut used = RegSet::new(Target::Gfx942);
/// for Decoded { inst, .. } in Decoder::new(Target::Gfx942, &code) {
///     let inst = inst.unwrap();
///     used |= inst.reads() | inst.writes();
/// }
/// assert!(used.contains(Reg::Vgpr(9)) && used.contains(Reg::Sgpr(5)) && !used.contains(Reg::Vgpr(1)));
/// assert_eq!(used.iter().filter(|reg| matches!(reg, Reg::Vgpr(_))).count(), 5);
/// # }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[doc(alias = "liveness")]
#[doc(alias = "implicit-def")]
pub struct RegSet {
    target: Target,
    bits: [u64; WORDS],
}
static_assertions::const_assert!(core::mem::size_of::<RegSet>() <= 160);

impl Inst {
    /// The registers that the instruction reads, including implicit ones.
    ///
    /// A destination that keeps a part of its old value, or all of it under some condition, is read too: lanes that DPP
    /// leaves out, bytes that SDWA preserves, the other half of a 16-bit result, data that a load with `tfe` or `lwe`
    /// does not fetch, the destination of `s_cmov_b32`. A destination of 16 bits counts as read unless LLVM or the
    /// manual says that the other half becomes zero. A compare writes its whole mask of lanes, also with DPP.
    ///
    /// Up to GCN 1.4 and CDNA2, the image resource, not the words, determines how many address registers an image
    /// operation has. The set has as many as the operation can have, even if its operand and its text show fewer.
    ///
    /// Lanes that are switched off keep their values, which does not count as a read. Registers that only m0 or the
    /// mode selects (`v_movrels`, `s_set_gpr_idx_on`) are not in the set; [`Pending`](crate::hazards::Pending) assumes
    /// that such an operand may be the register that it names or any later one.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::{Reg, Target, decode_words};
    /// // v_addc_co_u32_e32 v1, vcc, v2, v3, vcc
    /// let add = decode_words(Target::Gfx942, &[0x3802_0702]).unwrap();
    /// let (reads, writes) = (add.reads(), add.writes());
    /// assert!(reads.contains(Reg::Vcc) && reads.contains(Reg::Exec) && reads.contains(Reg::Vgpr(2)));
    /// assert!(writes.contains(Reg::Vcc) && writes.contains(Reg::Vgpr(1)) && !writes.contains(Reg::Vgpr(2)));
    /// # }
    /// ```
    pub fn reads(&self) -> RegSet {
        self.reads_in(VgprMsb::ENTRY)
    }

    /// The registers that the instruction reads if the numbers of vector registers have these upper bits. Unknown bits
    /// count as 0.
    ///
    /// ```
    /// # #[cfg(feature = "gfx1250")] {
    /// use amdgpu_isa::{Reg, Target, VgprMsb, decode_words};
    /// let mov = decode_words(Target::Gfx1250, &[0x7e02_0302]).unwrap(); // v_mov_b32_e32 v1, v2
    /// let msb = VgprMsb::new(0x41);
    /// assert!(mov.reads_in(msb).contains(Reg::Vgpr(258)) && mov.writes_in(msb).contains(Reg::Vgpr(257)));
    /// # }
    /// ```
    pub fn reads_in(&self, msb: VgprMsb) -> RegSet {
        let mut set = self.accessed(msb, |operand| {
            // The set has whole registers. A write to one half keeps the other, so the register counts as read.
            let kept = operand.bits == HALF && operand.is_vector() && operand.access.writes();
            (operand.access.reads() || kept).then_some(*operand)
        });
        let (first, count) = self.perhaps_read();
        set.insert_bits(first, count);
        set
    }

    /// The run of registers after the address operand that an image operation may also read, as its image resource
    /// determines. Empty if the words determine the number of address registers.
    pub(crate) fn perhaps_read(&self) -> (usize, usize) {
        if self.format() != Format::Mimg || self.get(Field::Dim).is_some() {
            return (0, 0);
        }
        let opcode = self.opcode();
        let most = ADDRESSES.iter().find(|(of, _)| *of == opcode).map_or(0, |(_, dwords)| u16::from(*dwords) * 32);
        let Some(named) = self.operands().find(|operand| operand.role == Some(Field::Vaddr)) else { return (0, 0) };
        let run = |bits| RegSet::run(self.target(), &Operand { bits, ..named });
        let ((first, count), (_, all)) = (run(named.bits), run(named.bits.max(most)));
        (first + count, all - count)
    }

    /// The registers that the instruction writes, including implicit ones.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::{Reg, Target, decode_words};
    /// let load = decode_words(Target::Gfx942, &[0xc00a_0101, 0]).unwrap(); // s_load_dwordx4 s[4:7], s[2:3], 0x0
    /// assert!(load.writes().iter().eq((4..8).map(Reg::Sgpr)));
    /// # }
    /// ```
    pub fn writes(&self) -> RegSet {
        self.writes_in(VgprMsb::ENTRY)
    }

    /// The registers that the instruction writes if the numbers of vector registers have these upper bits: see
    /// [`Inst::reads_in`].
    pub fn writes_in(&self, msb: VgprMsb) -> RegSet {
        self.accessed(msb, |operand| operand.access.writes().then_some(*operand))
    }

    fn accessed(&self, msb: VgprMsb, how: impl Fn(&Operand) -> Option<Operand>) -> RegSet {
        let set = RegSet::new(self.target());
        self.operands().filter_map(|operand| how(&operand)).fold(set, |mut set, operand| {
            let (first, count) = RegSet::run_in(self, msb, &operand);
            set.insert_bits(first, count);
            set
        })
    }
}

impl Target {
    /// The number of vector registers that instructions can access, including those that only a run past v255 or upper
    /// bits of register numbers ([`VgprMsb`]) reach.
    ///
    /// ```
    /// # #[cfg(feature = "gfx1250")]
    /// assert_eq!(amdgpu_isa::Target::Gfx1250.vgprs(), 1024);
    /// ```
    pub fn vgprs(self) -> u16 {
        DECODE[self as usize].vgprs
    }

    /// Whether the target has an instruction that sets upper bits of vector register numbers.
    pub(crate) fn has_banks(self) -> bool {
        FACTS[self as usize].banked
    }
}

impl RegSet {
    /// The empty set.
    pub const fn new(target: Target) -> RegSet {
        RegSet { target, bits: [0; WORDS] }
    }

    /// Adds a register, or both halves of a pair such as [`Reg::Vcc`].
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::facts::RegSet;
    /// use amdgpu_isa::{Reg, Target};
    /// let mut set = RegSet::new(Target::Gfx942);
    /// set.insert(Reg::Vgpr(7));
    /// set.insert(Reg::Vcc);
    /// assert_eq!(set.len(), 3);
    /// # }
    /// ```
    pub fn insert(&mut self, reg: Reg) {
        let (first, count) = RegSet::bits_of(self.target, reg);
        self.insert_bits(first, count);
    }

    /// Adds all registers that an operand names; none if it is a constant.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::facts::RegSet;
    /// use amdgpu_isa::{Reg, Target, decode_words};
    /// let load = decode_words(Target::Gfx942, &[0xc00a_0101, 0]).unwrap(); // s_load_dwordx4 s[4:7], s[2:3], 0x0
    /// let mut set = RegSet::new(Target::Gfx942);
    /// load.operands().take(1).for_each(|data| set.insert_operand(&data));
    /// assert!(set.contains(Reg::Sgpr(7)) && !set.contains(Reg::Sgpr(2)));
    /// # }
    /// ```
    pub fn insert_operand(&mut self, operand: &Operand) {
        let (first, count) = RegSet::run(self.target, operand);
        self.insert_bits(first, count);
    }

    /// Adds all registers that an operand of an instruction names if the numbers of vector registers have these upper
    /// bits.
    pub fn insert_operand_in(&mut self, inst: &Inst, msb: VgprMsb, operand: &Operand) {
        let (first, count) = RegSet::run_in(inst, msb, operand);
        self.insert_bits(first, count);
    }

    /// The run of `bits` bits that begins at a vector register; `None` if the run ends after v255, as few runs do.
    #[inline(always)]
    pub(crate) const fn vgpr_run(number: u16, bits: u16) -> Option<(u16, u16)> {
        let dwords = bits.div_ceil(32);
        if number < VECTORS as u16 && dwords <= VECTORS as u16 - number {
            Some((VGPRS as u16 + number, dwords))
        } else {
            None
        }
    }

    /// The run of registers that an operand names: the first number, and how many there are. A register has one number,
    /// however it is named.
    pub(crate) fn run(target: Target, operand: &Operand) -> (usize, usize) {
        let Value::Reg(reg) = operand.value else { return (0, 0) };
        let (first, count) = RegSet::bits_of(target, reg);
        if count == 0 {
            return (0, 0);
        }
        // A tuple ends at the end of its register file.
        let end = match first {
            ..VGPRS => VGPRS,
            VGPRS..AGPRS if RegSet::vgprs(target) == VECTORS => AGPRS,
            VGPRS..OTHERS => OTHERS,
            _ => first + count,
        };
        let dwords = match reg {
            Reg::Special(special) if special as usize >= Special::WRITTEN => count,
            _ => usize::from(operand.bits).div_ceil(32),
        };
        (first, dwords.min(end.saturating_sub(first)))
    }

    /// The run of registers that an operand names ([`RegSet::run`]) if the numbers of vector registers have these upper
    /// bits.
    pub(crate) fn run_in(inst: &Inst, msb: VgprMsb, operand: &Operand) -> (usize, usize) {
        RegSet::banked(inst, msb, operand, RegSet::run(inst.target(), operand))
    }

    /// The run of an operand with these upper bits, from the run without them.
    pub(crate) fn banked(
        inst: &Inst,
        msb: VgprMsb,
        operand: &Operand,
        (first, count): (usize, usize),
    ) -> (usize, usize) {
        if msb == VgprMsb::ENTRY || !RegSet::is_vector(first) || !inst.target().has_banks() {
            return (first, count);
        }
        let upper = operand.role.and_then(|field| msb.upper(inst, field)).unwrap_or(0);
        let first = first + usize::from(upper) * VECTORS;
        (first, count.min(OTHERS.saturating_sub(first)))
    }

    /// The register with a number of [`RegSet::run`].
    pub(crate) fn register(target: Target, number: usize) -> Option<Reg> {
        RegSet::new(target).reg(number)
    }

    /// Whether a number of [`RegSet::run`] is a vector or accumulation register.
    pub(crate) const fn is_vector(number: usize) -> bool {
        number >= VGPRS && number < OTHERS
    }

    /// The number of banks of 256 vector registers that a set has room for.
    pub(crate) const BANKS: u16 = BANKS as u16;

    /// The number, as in [`RegSet::run`], of the vector register in this bank whose lower bits are those of `number`.
    pub(crate) const fn in_bank(number: u16, bank: u16) -> u16 {
        let (first, size) = (VGPRS as u16, VECTORS as u16);
        first + number.saturating_sub(first) % size + bank * size
    }

    /// Whether a number of [`RegSet::run`] is a scalar register with a code.
    pub(crate) const fn is_scalar(number: usize) -> bool {
        number < VGPRS
    }

    /// Whether the register is in the set; for a pair such as [`Reg::Vcc`], whether either half is.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::{Reg, Target, decode_words};
    /// let mov = decode_words(Target::Gfx942, &[0xbeea_0004]).unwrap(); // s_mov_b32 vcc_lo, s4
    /// assert!(mov.writes().contains(Reg::Vcc) && mov.reads().contains(Reg::Sgpr(4)));
    /// assert!(!mov.writes().contains(Reg::VCC_HI));
    /// # }
    /// ```
    pub fn contains(&self, reg: Reg) -> bool {
        let (first, count) = RegSet::bits_of(self.target, reg);
        (first..first + count).any(|bit| self.has(bit))
    }

    /// Whether the sets have a register in common.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::{Target, decode_words};
    /// let first = decode_words(Target::Gfx942, &[0x0204_0501]).unwrap(); // v_add_f32 v2, v1, v2
    /// let second = decode_words(Target::Gfx942, &[0x0a06_0702]).unwrap(); // v_mul_f32 v3, v2, v3
    /// assert!(second.reads().intersects(&first.writes()));
    /// assert!(!first.reads().intersects(&second.writes()));
    /// # }
    /// ```
    pub fn intersects(&self, other: &RegSet) -> bool {
        !(*self & *other).is_empty()
    }

    /// Whether the set is empty.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::{Target, decode_words};
    /// let nop = decode_words(Target::Gfx942, &[0xbf80_0000]).unwrap(); // s_nop 0
    /// assert!(nop.reads().is_empty() && nop.writes().is_empty());
    /// # }
    /// ```
    pub fn is_empty(&self) -> bool {
        self.bits.iter().all(|word| *word == 0)
    }

    /// The number of 32-bit registers in the set; each register without a code counts as one.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::{Target, decode_words};
    /// let add = decode_words(Target::Gfx942, &[0x8004_0501]).unwrap(); // s_add_u32 s4, s1, s5
    /// assert_eq!((add.reads().len(), add.writes().len()), (2, 2)); // s4 and scc
    /// # }
    /// ```
    pub fn len(&self) -> usize {
        self.bits.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Iterates over the registers: scalar registers by their codes, vector registers, accumulation registers, others.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::{Reg, Target, decode_words};
    /// let add = decode_words(Target::Gfx942, &[0x8004_0501]).unwrap(); // s_add_u32 s4, s1, s5
    /// assert!(add.writes().iter().eq([Reg::Sgpr(4), Reg::Scc]));
    /// # }
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = Reg> + '_ {
        let mut next = 0;
        let bits = core::iter::from_fn(move || {
            let bit = self.first_of(next, (WORDS * 64) as u16 - next)?;
            next = bit + 1;
            Some(bit)
        });
        bits.filter_map(|bit| self.reg(bit.into()))
    }

    /// Every register of the target.
    #[cfg(feature = "alloc")]
    pub(crate) fn everything(target: Target) -> RegSet {
        let all = RegSet { target, bits: [u64::MAX; WORDS] };
        all.iter().fold(RegSet::new(target), |mut set, reg| {
            set.insert(reg);
            set
        })
    }

    /// The vector registers of the set, including accumulation registers.
    #[cfg(feature = "alloc")]
    pub(crate) fn vectors(mut self) -> RegSet {
        for (n, word) in self.bits.iter_mut().enumerate() {
            if !(VGPRS / 64..OTHERS / 64).contains(&n) {
                *word = 0;
            }
        }
        self
    }

    /// The first register of the set among `count` registers from `first` on, as a bit number.
    pub(crate) fn first_of(&self, first: u16, count: u16) -> Option<u16> {
        let (first, end) = (usize::from(first), usize::from(first) + usize::from(count));
        let mut bit = first;
        while bit < end {
            let rest = self.bits.get(bit / 64)? >> (bit % 64);
            if rest != 0 {
                let found = bit + rest.trailing_zeros() as usize;
                return (found < end).then_some(found as u16);
            }
            bit = (bit / 64 + 1) * 64;
        }
        None
    }

    fn codes(target: Target) -> &'static Codes {
        &FACTS[target as usize].codes
    }

    /// The first bit of a register in a set, and the number of bits that the register has there.
    pub(crate) fn bits_of(target: Target, reg: Reg) -> (usize, usize) {
        let codes = RegSet::codes(target);
        let other = |reg| (OTHERS + WITHOUT_CODE.iter().position(|r| *r == reg).unwrap_or(0), 1);
        let pair = |code: u8, reg| if code == NONE { other(reg) } else { (usize::from(code), 2) };
        match reg {
            Reg::Sgpr(n) => (usize::from(n).min(VGPRS - 1), 1),
            Reg::Ttmp(n) => (RegSet::ttmp_first(target).saturating_add(n.into()).min(VGPRS - 1), 1),
            Reg::Vgpr(n) => (VGPRS + usize::from(n).min(RegSet::vgprs(target) - 1), 1),
            Reg::VgprHigh(n) => (VGPRS + usize::from(n), 1),
            Reg::Agpr(n) => (AGPRS + usize::from(n), 1),
            Reg::Special(Special::SrcVccz) => (codes.vcc.into(), 2),
            Reg::Special(Special::SrcExecz) => (codes.exec.into(), 2),
            Reg::Special(Special::SrcScc) => other(Reg::Scc),
            Reg::Special(Special::SrcLdsDirect) => (codes.m0.into(), 1),
            // The null register holds nothing, and the register after its code does not belong to it.
            Reg::Special(Special::Null) => (0, 0),
            Reg::Special(special) => match special.code(target) {
                Some(code) if usize::from(code) < VGPRS => (code.into(), 1),
                // A constant, or a register that the target lacks.
                _ => (0, 0),
            },
            Reg::Vcc => (codes.vcc.into(), 2),
            Reg::Exec => (codes.exec.into(), 2),
            Reg::M0 => (codes.m0.into(), 1),
            Reg::FlatScratch => pair(codes.flat_scratch, reg),
            Reg::XnackMask => pair(codes.xnack_mask, reg),
            Reg::Scc | Reg::Mode | Reg::TrapStatus => other(reg),
        }
    }

    fn is_banked(&self) -> bool {
        RegSet::vgprs(self.target) > VECTORS
    }

    /// The number of vector registers that instructions can access.
    fn vgprs(target: Target) -> usize {
        target.vgprs().into()
    }

    fn ttmp_first(target: Target) -> usize {
        crate::target::OPERANDS[target as usize].ttmp_first.into()
    }

    fn reg(&self, bit: usize) -> Option<Reg> {
        let tables = crate::target::OPERANDS[self.target as usize];
        let number = bit as u8;
        Some(match bit {
            _ if bit <= tables.sgpr_last.into() => Reg::Sgpr(number),
            _ if (tables.ttmp_first..=tables.ttmp_last).contains(&(bit as u16)) => {
                Reg::Ttmp((bit as u16 - tables.ttmp_first) as u8)
            }
            ..VGPRS => Reg::Special(Special::of(self.target, number.into())?),
            VGPRS..OTHERS if bit < AGPRS || self.is_banked() => Reg::Vgpr((bit - VGPRS) as u16),
            AGPRS..OTHERS => Reg::Agpr(u8::try_from(bit - AGPRS).ok()?),
            _ => return WITHOUT_CODE.get(bit - OTHERS).copied(),
        })
    }

    fn has(&self, bit: usize) -> bool {
        self.bits.get(bit / 64).is_some_and(|word| word >> (bit % 64) & 1 == 1)
    }

    pub(crate) fn insert_bits(&mut self, first: usize, count: usize) {
        let (mut bit, mut left) = (first, count);
        while let (true, Some(word)) = (left > 0, self.bits.get_mut(bit / 64)) {
            // The number of bits in this word.
            let here = left.min(64 - bit % 64);
            *word |= (u64::MAX >> (64 - here)) << (bit % 64);
            (bit, left) = (bit + here, left - here);
        }
    }

    fn with(mut self, other: &RegSet, f: impl Fn(u64, u64) -> u64) -> RegSet {
        self.bits.iter_mut().zip(&other.bits).for_each(|(a, b)| *a = f(*a, *b));
        self
    }
}

impl BitOr for RegSet {
    type Output = RegSet;
    /// The registers that are in either set.
    fn bitor(self, other: RegSet) -> RegSet {
        self.with(&other, |a, b| a | b)
    }
}

impl BitOrAssign for RegSet {
    fn bitor_assign(&mut self, other: RegSet) {
        self.bits.iter_mut().zip(&other.bits).for_each(|(own, other)| *own |= other);
    }
}

impl BitAnd for RegSet {
    type Output = RegSet;
    /// The registers that are in both sets.
    fn bitand(self, other: RegSet) -> RegSet {
        self.with(&other, |a, b| a & b)
    }
}

impl Sub for RegSet {
    type Output = RegSet;
    /// The registers of the first set that are not in the second set.
    fn sub(self, other: RegSet) -> RegSet {
        self.with(&other, |a, b| a & !b)
    }
}

impl fmt::Debug for RegSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
