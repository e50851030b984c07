//! Processors by name and ELF number: LLVM lists several that have the same instructions.

use core::fmt;
use core::hash::{Hash, Hasher};
use core::str::FromStr;

use crate::table::Filler;
use crate::target::{PROCESSORS, ProcessorInfo, Target, UnknownTarget};

/// A processor that a code object can be made for. Nearly all of them are in the lists of LLVM 22 or LLVM 24.
///
/// A [`Target`] stands for all processors with the same instructions, such as `gfx1100` for `gfx1103`; this type
/// distinguishes them. A generic processor such as `gfx11-generic` has the instructions that all members of a family
/// have.
///
/// ```
/// # #[cfg(feature = "gfx1100")] {
/// use amdgpu_isa::processor::Processor;
/// use amdgpu_isa::Target;
/// let phoenix = Processor::from_e_flags(0x44).unwrap();
/// assert_eq!((phoenix.name(), phoenix.target()), ("gfx1103", Some(Target::Gfx1100)));
/// assert_eq!("RX 7900 XTX".parse::<Processor>().map(Processor::name), Ok("gfx1100"));
/// # }
/// ```
#[derive(Clone, Copy)]
#[doc(alias = "EF_AMDGPU_MACH")]
#[doc(alias = "mcpu")]
pub struct Processor(&'static ProcessorInfo);

impl Processor {
    /// Every processor, including those whose instructions are not in this build.
    pub fn all() -> impl Iterator<Item = Processor> {
        PROCESSORS.iter().map(Processor)
    }

    /// LLVM's name, such as `gfx1103`.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Other names: code names, products, and for the first processor of a family also the name of the family, such as
    /// `rdna3`.
    pub fn aliases(self) -> &'static [&'static str] {
        self.0.aliases
    }

    /// The target that has the processor's instructions, with waves of the processor's default size; `None` if this
    /// build has no such target.
    pub fn target(self) -> Option<Target> {
        self.0.target
    }

    /// The usual filler in code for the processor: that of the first LLVM version that knows the processor. The filler
    /// of the processor's target ([`Target::filler`]) can be another one. Instructions that are made for the target
    /// have the target's filler; [`Inst::with_filler`](crate::Inst::with_filler) changes it.
    ///
    /// ```
    /// # #[cfg(all(feature = "gfx1150", feature = "text"))] {
    /// use amdgpu_isa::processor::Processor;
    /// use amdgpu_isa::{Filler, Target, parse};
    /// let newer: Processor = "gfx1154".parse().unwrap();
    /// assert_eq!((newer.filler(), Target::Gfx1150.filler()), (Filler::Llvm23, Filler::Llvm22));
    /// let add = parse(Target::Gfx1150, "v_add_f32_e64 v0, v1, v2").unwrap().with_filler(newer.filler());
    /// assert_eq!(add.words(), [0xd503_0000, 0x0202_0501]);
    /// # }
    /// ```
    pub fn filler(self) -> Filler {
        self.0.filler
    }

    /// The value of `EF_AMDGPU_MACH` in the flags of an ELF header, at most 255.
    pub fn mach(self) -> u32 {
        self.0.mach
    }

    /// For a generic processor, the newest version of it that these tables describe, from 1 on: bits 31:24 of `e_flags`
    /// (`EF_AMDGPU_GENERIC_VERSION`) have the version that a code object is for. `None` for other processors.
    pub fn generic_version(self) -> Option<u8> {
        self.0.generic
    }

    /// The processor that a code object is for, from the `e_flags` of its ELF header; `None` if the flags name no
    /// processor, or one that [`Processor::all`] lacks.
    pub fn from_e_flags(e_flags: u32) -> Option<Processor> {
        Processor::all().find(|processor| processor.mach() == e_flags & 0xff)
    }

    fn is_called(self, name: &str) -> bool {
        self.name().eq_ignore_ascii_case(name)
            || self.aliases().iter().any(|alias| is_same(alias, name))
            || self.is_in_triple(name)
    }

    /// Whether the processor has this name in target triples of later LLVM versions: `amdgpu9.42` is gfx942.
    fn is_in_triple(self, name: &str) -> bool {
        const PREFIX: &str = "amdgpu";
        let version = match (name.get(..PREFIX.len()), name.get(PREFIX.len()..)) {
            (Some(prefix), Some(version)) if prefix.eq_ignore_ascii_case(PREFIX) => version,
            _ => return false,
        };
        // The last two characters of a number are the minor version and the stepping.
        let dot = version.bytes().position(|byte| byte == b'.');
        let Some((major, rest)) = split_around(version, dot).filter(|(_, rest)| rest.len() == 2) else { return false };
        let number = self.name().strip_prefix("gfx").and_then(|number| number.strip_prefix(major));
        number.is_some_and(|number| number.eq_ignore_ascii_case(rest))
    }
}

/// The text before and after a separator of one byte. (The standard library's search for a separator can panic.)
pub(crate) fn split_around(text: &str, separator: Option<usize>) -> Option<(&str, &str)> {
    let at = separator?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

/// Whether two names of a product are the same, ignoring case and the separators of words.
fn is_same(alias: &str, name: &str) -> bool {
    const SEPARATORS: [u8; 3] = [b' ', b'-', b'_'];
    fn words(name: &str) -> impl Iterator<Item = u8> + '_ {
        name.bytes().filter(|byte| !SEPARATORS.contains(byte)).map(|byte| byte.to_ascii_lowercase())
    }
    let is_end = |byte: Option<u8>| byte.is_some_and(|byte| SEPARATORS.contains(&byte));
    !is_end(name.bytes().next()) && !is_end(name.bytes().next_back()) && words(alias).eq(words(name))
}

impl PartialEq for Processor {
    fn eq(&self, other: &Processor) -> bool {
        self.mach() == other.mach()
    }
}

impl Eq for Processor {}

impl Hash for Processor {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.mach().hash(state);
    }
}

impl fmt::Debug for Processor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Do not print the name as text with escapes: the code for escapes can panic.
        write!(f, "Processor({})", self.name())
    }
}

impl fmt::Display for Processor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The error that no processor has the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UnknownProcessor;

impl fmt::Display for UnknownProcessor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown processor")
    }
}

impl core::error::Error for UnknownProcessor {}

/// Parses LLVM's name, its form in newer target triples (`amdgpu9.42`), or an alias. Case is ignored, and so are
/// spaces, dashes and underscores between the words of an alias: `RX 7900 XTX` is `rx7900xtx`.
impl FromStr for Processor {
    type Err = UnknownProcessor;

    fn from_str(s: &str) -> Result<Self, Self::Err> {
        Processor::all().find(|processor| processor.is_called(s)).ok_or(UnknownProcessor)
    }
}

/// Parses the name of a processor (see [`Processor`](crate::processor::Processor)) to the target with its instructions,
/// optionally with the size of its waves: `gfx1103:wave64`.
///
/// ```
/// # #[cfg(feature = "gfx942")] {
/// use amdgpu_isa::Target;
/// assert_eq!("gfx942".parse(), Ok(Target::Gfx942));
/// assert_eq!("MI300X".parse(), Ok(Target::Gfx942));
/// assert_eq!("amdgpu9.42".parse(), Ok(Target::Gfx942));
/// assert!("gfx1".parse::<Target>().is_err());
/// # }
/// ```
impl FromStr for Target {
    type Err = UnknownTarget;

    fn from_str(s: &str) -> Result<Self, Self::Err> {
        let (name, lanes) = match split_around(s, s.bytes().rposition(|byte| byte == b':')) {
            Some((name, wave)) if wave.eq_ignore_ascii_case("wave32") => (name, Some(32)),
            Some((name, wave)) if wave.eq_ignore_ascii_case("wave64") => (name, Some(64)),
            _ => (s, None),
        };
        let target = name.parse::<Processor>().ok().and_then(Processor::target);
        target.and_then(|target| lanes.map_or(Some(target), |lanes| target.with_wave_size(lanes))).ok_or(UnknownTarget)
    }
}
