//! Code objects that the HSA runtime loads, written without a linker: kernels in, an ELF file out.

mod argument;
mod elf;
mod kernel;
mod metadata;

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::fmt;

use crate::descriptor::DescriptorError;
use crate::error::DecodeError;
use crate::processor::Processor;
use crate::target::Target;

pub use argument::{Access, Argument, Hidden};
pub use kernel::Kernel;

/// Kernels that become a code object.
///
/// ```
/// # #[cfg(feature = "gfx942")] {
/// use amdgpu_isa::Target;
/// use amdgpu_isa::kernel::{CodeObject, CodeObjectError, Kernel, KernelError, Registers};
/// let target = Target::Gfx942;
/// let end = [0xbf81_0000]; // s_endpgm
/// let kernels = [Kernel::new(target, "nothing", &end, Registers::new(target))];
/// let object = CodeObject::new("gfx942".parse().unwrap(), &kernels).xnack(false).to_elf().unwrap();
/// assert!(object.starts_with(b"\x7fELF"));
/// # #[cfg(feature = "gfx600")] {
///
/// // A kernel for another target is an error.
/// let error = CodeObject::new("gfx600".parse().unwrap(), &kernels).to_elf().unwrap_err();
/// assert_eq!(error, CodeObjectError::Kernel { kernel: 0, error: KernelError::Target { target } });
/// # }
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct CodeObject<'a> {
    processor: Processor,
    xnack: Option<bool>,
    sramecc: Option<bool>,
    language: Option<(&'a str, [u32; 2])>,
    printf: &'a [&'a str],
    kernels: &'a [Kernel<'a>],
}

/// The reason why a code object cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CodeObjectError {
    /// The library lacks the processor's instructions, or the processor lacks a chosen setting (XNACK, SRAM-ECC).
    Processor,
    /// By an estimate, the file would have more than four gigabytes.
    Size,
    /// A kernel cannot be written.
    Kernel {
        /// The number of the kernel, from 0.
        kernel: usize,
        /// The reason.
        error: KernelError,
    },
}

/// The reason why a kernel cannot be part of a code object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum KernelError {
    /// The name is empty or contains a zero byte; or a symbol of the kernel (its name, and its name with `.kd` for the
    /// descriptor) has the name of an earlier kernel's symbol.
    Name,
    /// The kernel is for another target than the file.
    Target {
        /// The kernel's target.
        target: Target,
    },
    /// The descriptor requests waves of another size than the kernel's target has.
    WaveSize,
    /// The descriptor has bits that mean nothing on the target.
    Descriptor,
    /// The target does not have the registers, or a descriptor cannot state their numbers.
    Registers(DescriptorError),
    /// Bytes before the first unconditional jump, call or program end are not an instruction of the target, or the code
    /// is empty.
    Code {
        /// The number of the dword at which these bytes begin.
        dword: usize,
        /// The reason why the bytes are not an instruction.
        error: DecodeError,
    },
    /// The alignment of an argument is not a power of two up to 4096, or that of the LDS that it points to is not a
    /// power of two.
    Alignment {
        /// The argument's number, from 0.
        argument: usize,
    },
    /// An argument has no bytes.
    Empty {
        /// The argument's number, from 0.
        argument: usize,
    },
    /// The descriptor states a smaller size than all arguments need, or the arguments need more than four gigabytes.
    ArgumentsSize {
        /// The size in bytes that the arguments need; `u32::MAX` if they do not fit.
        needed: u32,
    },
    /// The size of workgroups, or its limit, is zero or has more than 1024 lanes, or the size exceeds the limit.
    Workgroup,
}

impl fmt::Display for CodeObjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CodeObjectError::Processor => f.write_str("the processor is not in this build, or has no such setting"),
            CodeObjectError::Size => f.write_str("the code object would have more than four gigabytes"),
            CodeObjectError::Kernel { kernel, error } => write!(f, "kernel {kernel}: {error}"),
        }
    }
}

impl core::error::Error for CodeObjectError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            CodeObjectError::Kernel { error, .. } => Some(error),
            _ => None,
        }
    }
}

impl fmt::Display for KernelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KernelError::Name => {
                f.write_str("its name is empty, has a zero, or is that of an earlier kernel or of its descriptor")
            }
            KernelError::Target { target } => write!(f, "it is for {target}, not for the file's processor"),
            KernelError::WaveSize => f.write_str("its descriptor requests waves of another size than its target has"),
            KernelError::Descriptor => f.write_str("its descriptor has bits that mean nothing on its target"),
            KernelError::Registers(error) => write!(f, "its registers: {error}"),
            KernelError::Code { dword, error } => {
                write!(f, "its code is not that of its target: dword {dword}: {error}")
            }
            KernelError::Alignment { argument } => {
                write!(f, "the alignment of argument {argument} is not a power of two, or too great")
            }
            KernelError::Empty { argument } => write!(f, "argument {argument} has no bytes"),
            KernelError::ArgumentsSize { needed } => {
                write!(f, "its arguments need {needed} bytes, for which its descriptor has no room")
            }
            KernelError::Workgroup => f.write_str("the size of its workgroups has a zero, or is too great"),
        }
    }
}

impl core::error::Error for KernelError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            KernelError::Registers(error) => Some(error),
            KernelError::Code { error, .. } => Some(error),
            _ => None,
        }
    }
}

impl<'a> CodeObject<'a> {
    /// Kernels for a processor, with any setting of XNACK and SRAM-ECC.
    pub fn new(processor: Processor, kernels: &'a [Kernel<'a>]) -> CodeObject<'a> {
        CodeObject { processor, xnack: None, sramecc: None, language: None, printf: &[], kernels }
    }

    /// Sets the setting of XNACK that the code is for. If XNACK is off, kernels need not reserve
    /// [`Registers::xnack_mask`](crate::kernel::Registers::xnack_mask).
    pub fn xnack(self, is_on: bool) -> CodeObject<'a> {
        CodeObject { xnack: Some(is_on), ..self }
    }

    /// Sets the setting of SRAM-ECC that the code is for.
    pub fn sramecc(self, is_on: bool) -> CodeObject<'a> {
        CodeObject { sramecc: Some(is_on), ..self }
    }

    /// States the language of the source and its version, major and minor: `("OpenCL C", [2, 0])`.
    pub fn language(self, name: &'a str, version: [u32; 2]) -> CodeObject<'a> {
        CodeObject { language: Some((name, version)), ..self }
    }

    /// Sets the texts of OpenCL's `printf`, each as `ID:N:SIZE...:TEXT` with the number of its arguments and their
    /// sizes.
    pub fn printf(self, texts: &'a [&'a str]) -> CodeObject<'a> {
        CodeObject { printf: texts, ..self }
    }

    /// The bytes of an ELF file that a runtime can load.
    ///
    /// # Errors
    /// The processor is not in this build or lacks a setting, a kernel is not valid or not for the processor, or the
    /// file would be too long.
    pub fn to_elf(&self) -> Result<Vec<u8>, CodeObjectError> {
        let target = self.processor.target().ok_or(CodeObjectError::Processor)?;
        if self.xnack.is_some() && !target.has_xnack() || self.sramecc.is_some() && !target.has_sramecc() {
            return Err(CodeObjectError::Processor);
        }
        let (mut descriptors, mut names) = (Vec::new(), BTreeSet::new());
        for (n, kernel) in self.kernels.iter().enumerate() {
            // A symbol's name is stored without `.kd`, with a flag for this suffix, which symbols of descriptors have.
            let name = kernel.name.as_bytes();
            let own = name.strip_suffix(b".kd").map_or((name, false), |before| (before, true));
            let is_new = names.insert(own) & names.insert((name, true));
            let checked = if is_new { kernel.check(target) } else { Err(KernelError::Name) };
            let descriptor = checked.and_then(|()| kernel.finished());
            descriptors.push(descriptor.map_err(|error| CodeObjectError::Kernel { kernel: n, error })?);
        }
        elf::write(self, target, &descriptors)
    }

    /// `e_flags` of the file.
    pub(crate) fn flags(&self, target: Target) -> u32 {
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
