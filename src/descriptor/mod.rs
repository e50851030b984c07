//! Kernel descriptors: the 64 bytes from which the command processor starts a kernel of the HSA runtime.

mod registers;
#[cfg(feature = "text")]
mod text;
mod words;

use crate::opcode::{DescriptorPart, limits};
use crate::table::Directive;
use crate::target::{KERNELS, Target};

use core::fmt;

pub use registers::Registers;
#[cfg(feature = "text")]
pub use text::Directives;
pub use words::{KernargPreload, KernelCodeProperties, PgmRsrc1, PgmRsrc2, PgmRsrc3};

impl Target {
    /// The parts of the target's kernel descriptors, in the order in which compilers write them. The numbers of
    /// registers are not among them: see [`Registers`].
    pub fn directives(self) -> &'static [Directive] {
        KERNELS.get(self as usize).map_or(&[], |tables| tables.directives)
    }

    /// The alignment of the first accumulation register in the register file, if accumulation registers follow a
    /// kernel's vector registers there; `None` on other targets.
    pub fn accum_granule(self) -> Option<i64> {
        KERNELS.get(self as usize).map(|tables| tables.accum_granule.into()).filter(|granule| *granule > 0)
    }

    /// The greatest size in bytes of a variable in the memory of a work-group, the LDS.
    ///
    /// From RDNA1 on, this is the size of the LDS of a work-group processor. A work-group gets at most 64 KiB of that
    /// LDS, except on CDNA5. Source: LLVM's assembler, which refuses more in `.amdgpu_lds`.
    ///
    /// ```
    /// # #[cfg(all(feature = "gfx600", feature = "gfx942", feature = "gfx1100"))] {
    /// use amdgpu_isa::Target;
    /// let all = [Target::Gfx600, Target::Gfx942, Target::Gfx1100].map(Target::lds_size);
    /// assert_eq!(all, [0x8000, 0x10000, 0x20000]);
    /// # }
    /// ```
    pub fn lds_size(self) -> u32 {
        KERNELS.get(self as usize).map_or(0, |tables| u32::from(tables.lds) << 10)
    }

    /// The distance in bytes from the entry of a kernel with preloaded arguments to its second entry. Firmware that has
    /// read the arguments into registers starts the kernel at the second entry, and older firmware at the first. `None`
    /// on targets whose firmware always reads arguments, or never.
    ///
    /// ```
    /// # #[cfg(all(feature = "gfx942", feature = "gfx908", feature = "gfx1250"))] {
    /// use amdgpu_isa::Target;
    /// let all = [Target::Gfx908, Target::Gfx942, Target::Gfx1250].map(Target::second_entry);
    /// assert_eq!(all, [None, Some(256), None]);
    /// # }
    /// ```
    pub fn second_entry(self) -> Option<u64> {
        KERNELS.get(self as usize).map(|tables| tables.second_entry.into()).filter(|distance| *distance > 0)
    }

    /// Whether kernels reserve scalar registers for flat_scratch: [`Registers::flat_scratch`].
    ///
    /// ```
    /// # #[cfg(all(feature = "gfx600", feature = "gfx900", feature = "gfx942"))] {
    /// use amdgpu_isa::Target;
    /// let all = [Target::Gfx600, Target::Gfx900, Target::Gfx942].map(Target::reserves_flat_scratch);
    /// assert_eq!(all, [false, true, false]);
    /// # }
    /// ```
    pub fn reserves_flat_scratch(self) -> bool {
        KERNELS.get(self as usize).is_some_and(|tables| tables.flat_scratch > 0)
    }

    /// Whether kernels have the directive `.amdhsa_reserve_xnack_mask`. The value of the directive is 1 if XNACK is on,
    /// and 0 otherwise.
    ///
    /// ```
    /// # #[cfg(all(feature = "gfx600", feature = "gfx900", feature = "gfx1100"))] {
    /// use amdgpu_isa::Target;
    /// let all = [Target::Gfx600, Target::Gfx900, Target::Gfx1100].map(Target::states_xnack_mask);
    /// assert_eq!(all, [false, true, true]);
    /// # }
    /// ```
    pub fn states_xnack_mask(self) -> bool {
        KERNELS.get(self as usize).is_some_and(|tables| tables.xnack_mask > 0)
    }

    /// Whether code for the target can require XNACK to be on or to be off. XNACK is the repetition of memory accesses
    /// that failed.
    pub fn has_xnack(self) -> bool {
        KERNELS.get(self as usize).is_some_and(|tables| tables.xnack != 0)
    }

    /// Whether code for the target can require SRAM-ECC to be on or to be off.
    pub fn has_sramecc(self) -> bool {
        KERNELS.get(self as usize).is_some_and(|tables| tables.sramecc != 0)
    }
}

/// The directive of a part, if the target has one.
fn directive(target: Target, part: DescriptorPart) -> Option<&'static Directive> {
    target.directives().iter().find(|directive| directive.part == part)
}

/// The reason why a kernel descriptor cannot hold a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DescriptorError {
    /// The target's descriptors do not have the part.
    Missing(DescriptorPart),
    /// The value is greater than the part can hold.
    Range {
        /// The greatest value.
        max: u32,
    },
    /// The target has fewer vector registers than were requested, or lacks accumulation registers.
    Vgprs,
    /// The target has fewer scalar registers than were requested.
    Sgprs,
    /// `accum_offset` is not a multiple of four from 4 to 256, or does not fit the numbers of registers.
    AccumOffset,
}

impl fmt::Display for DescriptorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DescriptorError::Missing(part) => write!(f, "the target's kernel descriptors have no {part}"),
            DescriptorError::Range { max } => write!(f, "a number from 0 to {max} expected"),
            DescriptorError::Vgprs => f.write_str("the target has fewer vector registers"),
            DescriptorError::Sgprs => f.write_str("the target has fewer scalar registers"),
            DescriptorError::AccumOffset => {
                f.write_str("a multiple of 4 from 4 to 256 expected, and not above the vector registers")
            }
        }
    }
}

impl core::error::Error for DescriptorError {}

/// The 64 bytes of a kernel descriptor. Every value of the bytes is kept.
///
/// The meaning of bits depends on the target. [`get`](KernelDescriptor::get) and [`set`](KernelDescriptor::set) take
/// the target into account. The structs of the words ([`PgmRsrc1`], ...) have fields for all bits, and are the same for
/// all targets.
///
/// ```
/// # #[cfg(feature = "gfx942")] {
/// use amdgpu_isa::Target;
/// use amdgpu_isa::kernel::{DescriptorError, KernelDescriptor, DescriptorPart, Registers};
/// let target = Target::Gfx942;
/// let mut kernel = KernelDescriptor::new(target);
/// kernel.set(target, DescriptorPart::KernargSize, 24).unwrap();
/// kernel.set(target, DescriptorPart::UserSgprKernargSegmentPtr, 1).unwrap();
/// kernel.count_user_sgprs(target);
/// kernel.set_registers(target, Registers { vgprs: 11, sgprs: 16, ..Registers::new(target) }).unwrap();
/// assert_eq!(kernel.rsrc1().granulated_workitem_vgpr_count(), 1);
/// assert_eq!(kernel.rsrc2().user_sgpr_count(), 2);
/// assert_eq!(KernelDescriptor::from_bytes(kernel.to_bytes()), kernel);
///
/// let error = kernel.set(target, DescriptorPart::WavefrontSize32, 1).unwrap_err();
/// assert_eq!(error, DescriptorError::Missing(DescriptorPart::WavefrontSize32));
/// assert_eq!(error.to_string(), "the target's kernel descriptors have no wavefront_size32");
/// # }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct KernelDescriptor {
    words: [u32; 16],
}

impl KernelDescriptor {
    /// The size of a descriptor in bytes.
    pub const SIZE: usize = 64;
    /// The offset of the eight bytes that hold the distance to the code: [`KernelDescriptor::entry`].
    pub const ENTRY: usize = 16;
    /// The alignment of a kernel's code in bytes.
    pub const ENTRY_ALIGN: u64 = 1 << limits::ENTRY[0];

    /// The descriptor of a kernel with default values.
    pub fn new(target: Target) -> KernelDescriptor {
        let mut descriptor = KernelDescriptor { words: [0; 16] };
        for directive in target.directives() {
            descriptor.set_bits(directive, directive.default);
        }
        descriptor
    }

    /// Reads a descriptor.
    pub fn from_bytes(bytes: [u8; 64]) -> KernelDescriptor {
        let mut words = [0; 16];
        for (word, four) in words.iter_mut().zip(bytes.chunks_exact(4)) {
            *word = u32::from_le_bytes(four.first_chunk().copied().unwrap_or([0; 4]));
        }
        KernelDescriptor { words }
    }

    /// The bytes as they are in memory.
    pub fn to_bytes(&self) -> [u8; 64] {
        let mut bytes = [0; 64];
        for (four, word) in bytes.chunks_exact_mut(4).zip(self.words) {
            // `copy_from_slice` would link a panic that is never reached.
            four.iter_mut().zip(word.to_le_bytes()).for_each(|(to, from)| *to = from);
        }
        bytes
    }

    /// The dwords.
    pub fn words(&self) -> [u32; 16] {
        self.words
    }

    /// The value of a part; `None` if the target's descriptors do not have it.
    pub fn get(&self, target: Target, part: DescriptorPart) -> Option<u32> {
        directive(target, part).map(|d| self.bits(d))
    }

    /// Sets a part.
    ///
    /// # Errors
    /// The target's descriptors do not have the part, or the value does not fit.
    pub fn set(&mut self, target: Target, part: DescriptorPart, value: u32) -> Result<(), DescriptorError> {
        let directive = directive(target, part).ok_or(DescriptorError::Missing(part))?;
        if value > directive.max() {
            return Err(DescriptorError::Range { max: directive.max() });
        }
        self.set_bits(directive, value);
        Ok(())
    }

    /// Sets the number of user SGPRs to the number that the enabled parts and preloaded arguments need, and returns
    /// the needed number. If it is greater than the descriptor can hold, the greatest possible number is set.
    pub fn count_user_sgprs(&mut self, target: Target) -> u32 {
        let of = |d: &Directive| self.bits(d).wrapping_mul(d.sgprs.into());
        let count = target.directives().iter().map(of).fold(0, u32::wrapping_add) + self.preload().length() as u32;
        if let Some(directive) = directive(target, DescriptorPart::UserSgprCount) {
            self.set_bits(directive, count.min(directive.max()));
        }
        count
    }

    /// The value of the bits of a part.
    pub fn bits(&self, directive: &Directive) -> u32 {
        let word = self.words.get(usize::from(directive.at / 32)).copied().unwrap_or(0);
        word >> (directive.at % 32) & directive.max()
    }

    fn set_bits(&mut self, directive: &Directive, value: u32) {
        let shift = directive.at % 32;
        if let Some(word) = self.words.get_mut(usize::from(directive.at / 32)) {
            *word = *word & !(directive.max() << shift) | (value & directive.max()) << shift;
        }
    }

    /// The number of lanes of the kernel's waves.
    pub fn wave_size(&self, target: Target) -> u16 {
        match self.get(target, DescriptorPart::WavefrontSize32) {
            Some(1) => 32,
            Some(_) => 64,
            None => target.wave_size(),
        }
    }

    /// The distance from the descriptor to the kernel's first instruction, in bytes.
    pub fn entry(&self) -> i64 {
        let [.., low, high] = *self.words.first_chunk::<6>().unwrap_or(&[0; 6]);
        (u64::from(high) << 32 | u64::from(low)) as i64
    }

    /// Sets the distance from the descriptor to the kernel's first instruction.
    pub fn set_entry(&mut self, distance: i64) {
        if let Some([.., low, high]) = self.words.first_chunk_mut::<6>() {
            (*low, *high) = (distance as u32, (distance >> 32) as u32);
        }
    }

    /// The word COMPUTE_PGM_RSRC1.
    pub fn rsrc1(&self) -> PgmRsrc1 {
        PgmRsrc1::from_bits(self.words[12])
    }

    /// Sets COMPUTE_PGM_RSRC1.
    pub fn set_rsrc1(&mut self, word: PgmRsrc1) {
        self.words[12] = word.into_bits();
    }

    /// The word COMPUTE_PGM_RSRC2.
    pub fn rsrc2(&self) -> PgmRsrc2 {
        PgmRsrc2::from_bits(self.words[13])
    }

    /// Sets COMPUTE_PGM_RSRC2.
    pub fn set_rsrc2(&mut self, word: PgmRsrc2) {
        self.words[13] = word.into_bits();
    }

    /// The word COMPUTE_PGM_RSRC3.
    pub fn rsrc3(&self) -> PgmRsrc3 {
        PgmRsrc3::from_bits(self.words[11])
    }

    /// Sets COMPUTE_PGM_RSRC3.
    pub fn set_rsrc3(&mut self, word: PgmRsrc3) {
        self.words[11] = word.into_bits();
    }

    /// The kernel code properties.
    pub fn properties(&self) -> KernelCodeProperties {
        KernelCodeProperties::from_bits(self.words[14] as u16)
    }

    /// The part of the kernel's arguments that is preloaded into scalar registers.
    pub fn preload(&self) -> KernargPreload {
        KernargPreload::from_bits((self.words[14] >> 16) as u16)
    }
}

impl fmt::Debug for KernelDescriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KernelDescriptor([")?;
        self.words.iter().try_for_each(|word| write!(f, "{word:#x}, "))?;
        f.write_str("])")
    }
}
