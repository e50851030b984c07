//! Kernels of a code object.

use super::KernelError;
use super::argument::{Argument, Hidden};
use crate::decode::decode_words;
use crate::descriptor::{DescriptorError, KernelDescriptor, Registers};
use crate::opcode::DescriptorPart;
use crate::target::Target;

/// A kernel: its code, and the facts about it that a runtime needs.
///
/// ```
/// # #[cfg(feature = "gfx942")] {
/// use amdgpu_isa::Target;
/// use amdgpu_isa::kernel::{Argument, DescriptorPart, Kernel, KernelDescriptor, Registers};
/// let target = Target::Gfx942;
/// let code = [0xbf81_0000]; // s_endpgm
/// let mut descriptor = KernelDescriptor::new(target);
/// descriptor.set(target, DescriptorPart::UserSgprKernargSegmentPtr, 1).unwrap();
/// descriptor.count_user_sgprs(target);
/// let arguments = [Argument::buffer().named("out"), Argument::of::<u8>(), Argument::value(24, 8)];
/// let kernel = Kernel::new(target, "nothing", &code, Registers { vgprs: 3, sgprs: 8, ..Registers::new(target) })
///     .descriptor(descriptor)
///     .arguments(&arguments)
///     .max_workgroup_size(256);
/// assert_eq!(kernel.offsets().collect::<Vec<u32>>(), [0, 8, 16]);
/// assert_eq!(kernel.arguments_size(), Some(40));
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Kernel<'a> {
    pub(super) target: Target,
    pub(super) name: &'a str,
    pub(super) code: &'a [u32],
    pub(super) registers: Registers,
    pub(super) descriptor: KernelDescriptor,
    pub(super) arguments: &'a [Argument<'a>],
    pub(super) hidden: &'a [Hidden],
    pub(super) max_workgroup_size: u32,
    pub(super) workgroup_size: Option<[u32; 3]>,
    pub(super) has_uniform_workgroups: bool,
    pub(super) spills: [u32; 2],
}

impl<'a> Kernel<'a> {
    /// The greatest number of lanes of a workgroup that the HSA runtime launches on any processor, which is also the
    /// greatest that LLVM accepts.
    const MOST_LANES: u32 = 1024;

    /// A kernel without arguments, of workgroups of up to 1024 lanes, with default values in its descriptor.
    ///
    /// The wave size is that of `target`. The metadata state the numbers of `registers`; the number of scalar registers
    /// includes the special ones that `registers` says are used. [`Registers::of`] counts the registers of
    /// instructions.
    pub fn new(target: Target, name: &'a str, code: &'a [u32], registers: Registers) -> Kernel<'a> {
        Kernel {
            target,
            name,
            code,
            registers,
            descriptor: KernelDescriptor::new(target),
            arguments: &[],
            hidden: &[],
            max_workgroup_size: Self::MOST_LANES,
            workgroup_size: None,
            has_uniform_workgroups: false,
            spills: [0; 2],
        }
    }

    /// Sets the descriptor. [`CodeObject::to_elf`](super::CodeObject::to_elf) fills in the distance to the code, the
    /// size of the arguments if it is 0, and the numbers of registers where they are smaller than the kernel's; it
    /// replaces `accum_offset`.
    pub fn descriptor(self, descriptor: KernelDescriptor) -> Kernel<'a> {
        Kernel { descriptor, ..self }
    }

    /// Sets the arguments, without hidden ones.
    pub fn arguments(self, arguments: &'a [Argument<'a>]) -> Kernel<'a> {
        Kernel { arguments, ..self }
    }

    /// Sets the hidden arguments: values that the runtime passes after the arguments. `hidden` may be in any order.
    pub fn hidden(self, hidden: &'a [Hidden]) -> Kernel<'a> {
        Kernel { hidden, ..self }
    }

    /// Sets the greatest number of lanes of a workgroup, from 1 to 1024.
    pub fn max_workgroup_size(self, lanes: u32) -> Kernel<'a> {
        Kernel { max_workgroup_size: lanes, ..self }
    }

    /// Sets the only size in x, y and z that a workgroup may have. The product becomes the greatest number of lanes,
    /// and must not exceed the one that [`Kernel::max_workgroup_size`] sets.
    pub fn workgroup_size(self, lanes: [u32; 3]) -> Kernel<'a> {
        Kernel { workgroup_size: Some(lanes), ..self }
    }

    /// States that all workgroups of a launch have the same size.
    pub fn uniform_workgroups(self) -> Kernel<'a> {
        Kernel { has_uniform_workgroups: true, ..self }
    }

    /// States how many scalar and vector registers the compiler had to save to memory. Only tools use these numbers.
    pub fn spills(self, sgprs: u32, vgprs: u32) -> Kernel<'a> {
        Kernel { spills: [sgprs, vgprs], ..self }
    }

    /// The offset of each argument in bytes, up to the last argument that fits into four gigabytes.
    pub fn offsets(&self) -> impl Iterator<Item = u32> + '_ {
        self.arguments.iter().scan(0u32, |end, argument| {
            let offset = end.checked_next_multiple_of(argument.align)?;
            *end = offset.checked_add(argument.size)?;
            Some(offset)
        })
    }

    /// The offset of the first hidden argument; `None` if the arguments do not fit into four gigabytes.
    pub fn hidden_offset(&self) -> Option<u32> {
        self.end()?.checked_next_multiple_of(Hidden::ALIGN)
    }

    /// The number of bytes that all arguments and hidden arguments take, a multiple of four; `None` if they do not fit
    /// into four gigabytes.
    pub fn arguments_size(&self) -> Option<u32> {
        let end = if self.hidden.is_empty() { self.end()? } else { self.hidden_offset()?.checked_add(Hidden::SIZE)? };
        end.checked_next_multiple_of(4)
    }

    /// The offset of the end of the last argument, in bytes.
    fn end(&self) -> Option<u32> {
        self.arguments
            .iter()
            .try_fold(0u32, |end, argument| end.checked_next_multiple_of(argument.align)?.checked_add(argument.size))
    }

    /// The alignment of the arguments in bytes: the greatest alignment of an argument, but at least four, or eight with
    /// hidden arguments.
    pub(super) fn arguments_align(&self) -> u32 {
        let hidden = if self.hidden.is_empty() { 4 } else { Hidden::ALIGN };
        self.arguments.iter().map(|argument| argument.align).fold(hidden, u32::max)
    }

    /// The greatest number of lanes of a workgroup; `None` if it is zero, or greater than runtimes or
    /// [`Kernel::max_workgroup_size`] allow.
    pub(super) fn lanes(&self) -> Option<u32> {
        let most = Some(self.max_workgroup_size).filter(|most| (1..=Self::MOST_LANES).contains(most))?;
        let Some(size) = self.workgroup_size else { return Some(most) };
        let lanes = size.iter().try_fold(1u32, |lanes, &size| lanes.checked_mul(size))?;
        Some(lanes).filter(|lanes| (1..=most).contains(lanes))
    }

    /// Whether `vgprs` counts registers from `accum_offset` on although the kernel has no accumulation registers: no
    /// instruction could name them.
    fn has_nameless(&self) -> bool {
        let Registers { vgprs, accum_offset, agprs, .. } = self.registers;
        self.target.accum_granule().is_some() && agprs == 0 && vgprs > accum_offset
    }

    /// The descriptor with everything filled in except the distance to the code.
    pub(super) fn finished(&self) -> Result<KernelDescriptor, KernelError> {
        let mut descriptor = self.descriptor;
        descriptor.raise_registers(self.target, self.registers).map_err(KernelError::Registers)?;
        if self.has_nameless() {
            return Err(KernelError::Registers(DescriptorError::AccumOffset));
        }
        let needed = self.arguments_size().ok_or(KernelError::ArgumentsSize { needed: u32::MAX })?;
        let given = descriptor.get(self.target, DescriptorPart::KernargSize).unwrap_or(0);
        if given == 0 {
            let set = descriptor.set(self.target, DescriptorPart::KernargSize, needed);
            set.map_err(|_| KernelError::ArgumentsSize { needed })?;
        } else if given < needed {
            return Err(KernelError::ArgumentsSize { needed });
        }
        Ok(descriptor)
    }

    /// Refuses a kernel that a code object for this target cannot hold.
    pub(super) fn check(&self, target: Target) -> Result<(), KernelError> {
        if self.name.is_empty() || self.name.bytes().any(|byte| byte == 0) {
            return Err(KernelError::Name);
        }
        if self.target.processor() != target.processor() {
            return Err(KernelError::Target { target: self.target });
        }
        if self.descriptor.wave_size(self.target) != self.target.wave_size() {
            return Err(KernelError::WaveSize);
        }
        if !self.descriptor.is_of(self.target) {
            return Err(KernelError::Descriptor);
        }
        if let Some(argument) = self.arguments.iter().position(|argument| !argument.is_aligned()) {
            return Err(KernelError::Alignment { argument });
        }
        if let Some(argument) = self.arguments.iter().position(|argument| argument.size == 0) {
            return Err(KernelError::Empty { argument });
        }
        self.lanes().ok_or(KernelError::Workgroup)?;
        self.check_code()
    }

    /// Decodes the code up to the first unconditional jump, call or program end, after which there may be data. Refuses
    /// dwords that are not instructions of the target.
    fn check_code(&self) -> Result<(), KernelError> {
        let mut dword = 0;
        loop {
            let rest = self.code.get(dword..).unwrap_or(&[]);
            if rest.is_empty() && dword > 0 {
                return Ok(());
            }
            let inst = decode_words(self.target, rest).map_err(|error| KernelError::Code { dword, error })?;
            let flags = inst.flags();
            if flags.no_fallthrough() || flags.is_call() || flags.is_return() {
                return Ok(());
            }
            dword += inst.words().len();
        }
    }
}
