//! Code objects that the HSA runtime loads, written without a linker: kernels in, an ELF file out.

mod elf;
mod metadata;

use alloc::vec::Vec;
use core::fmt;

use crate::descriptor::KernelDescriptor;
use crate::processor::Processor;

/// Kernels that become a code object.
///
/// ```
/// # #[cfg(feature = "gfx942")] {
/// use amdgpu_isa::Target;
/// use amdgpu_isa::kernel::{Argument, CodeObject, Kernel, KernelDescriptor};
/// let end = [0xbf81_0000]; // s_endpgm
/// let kernel = Kernel::new("nothing", &end, KernelDescriptor::new(Target::Gfx942));
/// let object = CodeObject::new("gfx942".parse().unwrap(), &[kernel]).to_elf().unwrap();
/// assert!(object.starts_with(b"\x7fELF"));
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct CodeObject<'a> {
    /// The processor that runs the kernels.
    pub processor: Processor,
    /// The setting of XNACK that the code is for; `None` if it is for both.
    pub xnack: Option<bool>,
    /// The setting of SRAM-ECC that the code is for; `None` if it is for both.
    pub sramecc: Option<bool>,
    /// The kernels.
    pub kernels: &'a [Kernel<'a>],
}

/// A kernel: its code, and the facts about it that a runtime needs.
#[derive(Clone, Copy, Debug)]
pub struct Kernel<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its instructions.
    pub code: &'a [u32],
    /// Its descriptor. The distance to the code is filled in, and the size of the arguments if it is 0.
    pub descriptor: KernelDescriptor,
    /// Its arguments.
    pub arguments: &'a [Argument],
    /// The greatest number of lanes of a workgroup.
    pub max_workgroup_size: u32,
}

/// An argument of a kernel. Its offset is the next multiple of its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Argument {
    /// The address of memory that all lanes can access.
    Buffer,
    /// A value of this many bytes.
    Value(u32),
}

impl<'a> Kernel<'a> {
    /// A kernel without arguments, of workgroups of up to 1024 lanes.
    pub fn new(name: &'a str, code: &'a [u32], descriptor: KernelDescriptor) -> Kernel<'a> {
        Kernel { name, code, descriptor, arguments: &[], max_workgroup_size: 1024 }
    }

    /// The offset and the size of each argument.
    pub fn layout(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.arguments.iter().scan(0u32, |end, argument| {
            let size = argument.size();
            let offset = end.checked_next_multiple_of(size.max(1).checked_next_power_of_two()?)?;
            *end = offset.checked_add(size)?;
            Some((offset, size))
        })
    }
}

impl Argument {
    fn size(self) -> u32 {
        match self {
            Argument::Buffer => 8,
            Argument::Value(size) => size,
        }
    }
}

/// The reason why a code object cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CodeObjectError {
    /// The library does not have the processor's instructions, or the processor has no such setting.
    Processor,
    /// A name is empty, contains a zero, or is the name of two kernels.
    Name,
    /// The file would have more than four gigabytes.
    Size,
}

impl fmt::Display for CodeObjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CodeObjectError::Processor => "the processor is not in this build, or has no such setting",
            CodeObjectError::Name => "the name of a kernel is empty, has a zero, or is there twice",
            CodeObjectError::Size => "the code object would have more than four gigabytes",
        })
    }
}

impl core::error::Error for CodeObjectError {}

impl<'a> CodeObject<'a> {
    /// Kernels for a processor with any settings.
    pub fn new(processor: Processor, kernels: &'a [Kernel<'a>]) -> CodeObject<'a> {
        CodeObject { processor, xnack: None, sramecc: None, kernels }
    }

    /// The bytes of an ELF file that a runtime can load.
    ///
    /// # Errors
    /// The processor is not in this build, a name is not valid, or the file would be too long.
    pub fn to_elf(&self) -> Result<Vec<u8>, CodeObjectError> {
        let target = self.processor.target().ok_or(CodeObjectError::Processor)?;
        if self.xnack.is_some() && !target.has_xnack() || self.sramecc.is_some() && !target.has_sramecc() {
            return Err(CodeObjectError::Processor);
        }
        for (n, kernel) in self.kernels.iter().enumerate() {
            let is_taken = self.kernels.iter().take(n).any(|other| other.name == kernel.name);
            if kernel.name.is_empty() || kernel.name.bytes().any(|byte| byte == 0) || is_taken {
                return Err(CodeObjectError::Name);
            }
        }
        elf::write(self, target)
    }

    /// `e_flags` of the file.
    pub(crate) fn flags(&self, target: crate::target::Target) -> u32 {
        let setting = |has: bool, value: Option<bool>| match (has, value) {
            (false, _) => 0,
            (_, None) => 1,
            (_, Some(false)) => 2,
            (_, Some(true)) => 3,
        };
        let generic = u32::from(self.processor.generic_version().unwrap_or(0));
        self.processor.mach()
            | setting(target.has_xnack(), self.xnack) << 8
            | setting(target.has_sramecc(), self.sramecc) << 10
            | generic << 24
    }
}
