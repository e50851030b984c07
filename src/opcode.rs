//! The enums that all targets share: operations, formats, fields, special registers.

include!(concat!(env!("OUT_DIR"), "/opcode.rs"));

use core::fmt;
use core::str::FromStr;

impl Opcode {
    /// The number of the operation, which never changes: it is the same in every build, whatever its features, in every
    /// later version, and in Python. Programs can store the number; it says nothing about the encoding.
    ///
    /// ```
    /// use amdgpu_isa::Opcode;
    /// assert_eq!(Opcode::SEndpgm.number(), 590);
    /// assert_eq!(Opcode::from_number(590), Some(Opcode::SEndpgm));
    /// assert_eq!(Opcode::from_number(u16::MAX), None);
    /// ```
    #[inline]
    pub const fn number(self) -> u16 {
        self as u16
    }

    /// The place of the operation in [`Opcode::ALL`]. If no enabled target has it, the result is `None` or a place
    /// beyond the last one.
    #[inline]
    pub(crate) fn place(self) -> Option<usize> {
        let number = usize::from(self.number());
        if LOWEST {
            return Some(number);
        }
        let (set, bit) = (*ENABLED.get(number / 32)?, 1 << (number % 32));
        let before = usize::from(*ENABLED_BEFORE.get(number / 32)?);
        (set & bit != 0).then(|| before + (set & (bit - 1)).count_ones() as usize)
    }

    /// The mnemonic, in LLVM's spelling, without the suffix of an encoding; empty if no enabled target has the
    /// operation.
    #[cfg(feature = "text")]
    pub fn name(self) -> &'static str {
        let Some(at) = self.place() else { return "" };
        let (Some(&a), Some(&b)) = (MNEMONICS_AT.get(at), MNEMONICS_AT.get(at + 1)) else { return "" };
        MNEMONICS.get(usize::from(a)..usize::from(b)).unwrap_or("")
    }

    /// An array that begins with the name, and the name's length: a copy of a fixed size is cheaper than one of the
    /// exact size.
    #[cfg(feature = "text")]
    #[inline]
    pub(crate) fn padded_name(self) -> (&'static [u8; 48], usize) {
        let Some(at) = self.place() else { return (&[0; 48], 0) };
        let (Some(&a), Some(&b)) = (MNEMONICS_AT.get(at), MNEMONICS_AT.get(at + 1)) else { return (&[0; 48], 0) };
        match MNEMONICS.as_bytes().get(usize::from(a)..).and_then(|rest| rest.first_chunk()) {
            Some(name) => (name, usize::from(b - a)),
            None => (&[0; 48], 0),
        }
    }
}

/// Prints the name, or the number if this build lacks the name.
impl fmt::Debug for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        #[cfg(feature = "text")]
        if !self.name().is_empty() {
            return f.write_str(self.name());
        }
        write!(f, "Opcode({})", self.number())
    }
}

/// Prints [`Opcode::name`], which is empty if no enabled target has the operation.
#[cfg(feature = "text")]
impl fmt::Display for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Parses the name of an operation that an enabled target has, ignoring case. [`Opcode::from_mnemonic`] parses a
/// target's own spelling.
///
/// ```
/// # #[cfg(feature = "gfx942")] {
/// use amdgpu_isa::errors::UnknownName;
/// use amdgpu_isa::Opcode;
/// assert_eq!("v_add_f32".parse(), Ok(Opcode::VAddF32));
/// assert_eq!("V_ADD_F32".parse(), Ok(Opcode::VAddF32));
/// assert_eq!("v_add_f32_e32".parse::<Opcode>(), Err(UnknownName)); // the suffix is that of an encoding
/// # }
/// ```
#[cfg(feature = "text")]
impl FromStr for Opcode {
    type Err = UnknownName;

    fn from_str(s: &str) -> Result<Self, Self::Err> {
        Opcode::ALL.iter().copied().find(|opcode| opcode.name().eq_ignore_ascii_case(s)).ok_or(UnknownName)
    }
}

/// The error that no operation, format, field or part of a descriptor has the name in this build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UnknownName;

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown name")
    }
}

impl core::error::Error for UnknownName {}

/// Parses the manual's name, such as `VOP3P-MAI`, ignoring case.
impl FromStr for Format {
    type Err = UnknownName;

    fn from_str(s: &str) -> Result<Self, Self::Err> {
        Format::ALL.iter().copied().find(|format| format.name().eq_ignore_ascii_case(s)).ok_or(UnknownName)
    }
}

/// Parses the manual's name, such as `ssrc0`, ignoring case.
impl FromStr for Field {
    type Err = UnknownName;

    fn from_str(s: &str) -> Result<Self, Self::Err> {
        Field::ALL.iter().copied().find(|field| field.name().eq_ignore_ascii_case(s)).ok_or(UnknownName)
    }
}

/// Parses the name of the directive without `.amdhsa_`, such as `kernarg_size`.
///
/// ```
/// use amdgpu_isa::errors::UnknownName;
/// use amdgpu_isa::kernel::DescriptorPart;
/// assert_eq!("kernarg_size".parse(), Ok(DescriptorPart::KernargSize));
/// assert_eq!("kernarg_sise".parse::<DescriptorPart>(), Err(UnknownName));
/// ```
impl FromStr for DescriptorPart {
    type Err = UnknownName;

    fn from_str(s: &str) -> Result<Self, Self::Err> {
        DescriptorPart::ALL.iter().copied().find(|part| part.name() == s).ok_or(UnknownName)
    }
}

impl DescriptorPart {
    /// The name of the part's directive without `.amdhsa_`, such as `kernarg_size`.
    pub fn name(self) -> &'static str {
        PART_NAMES.get(self as usize).copied().unwrap_or("")
    }
}

impl fmt::Display for DescriptorPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Format {
    /// The manual's name, such as `VOP3P-MAI`.
    pub fn name(self) -> &'static str {
        FORMAT_NAMES.get(self as usize).copied().unwrap_or("")
    }

    /// Whether the format is that of a literal of 32 or 64 bits.
    pub(crate) fn is_literal(self) -> bool {
        matches!(self, Format::Literal | Format::Literal64)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Field {
    /// The manual's name, such as `ssrc0`.
    pub fn name(self) -> &'static str {
        FIELD_NAMES.get(self as usize).copied().unwrap_or("")
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A row of the table of the numbers that debuggers (DWARF) give to registers.
pub(crate) struct DwarfNumber {
    /// The name of one register, or the letter before the numbers of several.
    pub name: &'static str,
    /// The first and the last of several registers, and whether they are scalar; `None` for one register.
    pub registers: Option<(u16, u16, bool)>,
    /// The number of the register, or of the first one.
    pub number: u16,
}
