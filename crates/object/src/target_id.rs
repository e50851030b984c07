//! Target ids: a processor and its features, as code objects, bundles and command lines name them.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;

use amdgpu_isa::Target;
use amdgpu_isa::processor::Processor;

/// A processor, and the features that are required to be on or off: `gfx942:sramecc+:xnack-`.
///
/// ```
/// use amdgpu_object::TargetId;
/// let id = TargetId::parse("mi300x:xnack+:sramecc-");
/// assert_eq!(id.processor, "gfx942");
/// assert_eq!(id.to_string(), "gfx942:sramecc-:xnack+");
/// assert_eq!(TargetId::in_triple("amdgcn-amd-amdhsa--gfx1100").unwrap().processor, "gfx1100");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TargetId {
    /// The processor: LLVM's name if LLVM has this processor (`gfx942` for `amdgpu9.42`), otherwise the name as it was
    /// written.
    pub processor: String,
    /// The names of features, each with whether it is on, in alphabetical order, as LLVM writes them.
    pub features: Vec<(String, bool)>,
}

impl TargetId {
    /// The name of the feature XNACK: accesses of memory are repeated after a page fault.
    pub const XNACK: &str = "xnack";
    /// The name of the feature SRAM-ECC: memory on the chip corrects errors.
    pub const SRAMECC: &str = "sramecc";

    /// Whether a feature is required to be on or off; `None` if the id leaves it open.
    pub fn feature(&self, name: &str) -> Option<bool> {
        self.features.iter().find(|(feature, _)| feature == name).map(|(_, is_on)| *is_on)
    }

    /// Reads an id such as `gfx942:sramecc+:xnack-`. Parts after the processor that are not features with `+` or `-`
    /// are left out.
    pub fn parse(text: &str) -> Self {
        let mut parts = text.split(':');
        let processor = parts.next().unwrap_or("");
        let processor = processor.parse::<Processor>().map_or(processor, |known| known.name()).to_string();
        let mut features: Vec<_> = parts
            .filter_map(|p| {
                p.strip_suffix('+').map(|n| (n.into(), true)).or(p.strip_suffix('-').map(|n| (n.into(), false)))
            })
            .collect();
        features.sort();
        TargetId { processor, features }
    }

    /// Reads the target in a triple or after it: `amdgcn-amd-amdhsa--gfx942:sramecc+`, `amdgpu9.42-amd-amdhsa`. `None`
    /// if the text names no target.
    pub fn in_triple(text: &str) -> Option<Self> {
        // The name of a target can contain dashes (`gfx9-4-generic`), so the beginning of the name is searched for.
        if let Some(at) = text.find("-gfx") {
            return text.get(at + 1..).map(Self::parse);
        }
        let (triple, features) = text.split_at(text.find(':').unwrap_or(text.len()));
        let is_processor = |part: &&str| part.starts_with("amdgpu") && part.parse::<Processor>().is_ok();
        let processor = triple.split('-').find(is_processor)?;
        Some(Self::parse(&format!("{processor}{features}")))
    }

    /// The target id of a code object, completed by the id of its entry in the bundle: old code objects may not state
    /// their target, and the entry may require features that the code object leaves open.
    pub fn merge(own: Option<Self>, entry: Option<Self>) -> Option<Self> {
        match (own, entry) {
            (Some(mut own), Some(entry)) if own.processor == entry.processor => {
                for (name, on) in entry.features {
                    if own.features.iter().all(|(n, _)| *n != name) {
                        own.features.push((name, on));
                    }
                }
                own.features.sort();
                Some(own)
            }
            (own, entry) => own.or(entry),
        }
    }
}

/// The reason why a text does not name a target.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TargetIdError {
    /// No processor has this name, this build lacks the processor's instructions, or the processor has no waves of the
    /// named size.
    Unknown(String),
    /// A feature does not end in `+` or `-`.
    Sign(String),
    /// The processor has no such setting.
    Setting {
        /// The processor.
        processor: String,
        /// The name of the feature.
        name: String,
    },
}

impl fmt::Display for TargetIdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TargetIdError::Unknown(name) => write!(f, "unknown target {name:?}"),
            TargetIdError::Sign(name) => write!(f, "feature {name:?} must end in + or -, as in gfx942:xnack+"),
            TargetIdError::Setting { processor, name } => write!(f, "{processor} has no setting {name:?}"),
        }
    }
}

impl core::error::Error for TargetIdError {}

impl TargetId {
    /// Reads a target as users name it: a processor under any of its names, the size of waves where there are two, and
    /// the settings of features. Returns the id and the target with the instructions.
    ///
    /// ```
    /// use amdgpu_isa::Target;
    /// use amdgpu_object::{TargetId, TargetIdError};
    /// let (id, target) = TargetId::read("mi300x:xnack+").unwrap();
    /// assert_eq!((id.to_string().as_str(), target), ("gfx942:xnack+", Target::Gfx942));
    /// assert_eq!(TargetId::read("gfx1").unwrap_err(), TargetIdError::Unknown("gfx1".into()));
    /// assert_eq!(TargetId::read("gfx942:fast+").unwrap_err().to_string(), "gfx942 has no setting \"fast\"");
    /// ```
    ///
    /// # Errors
    /// There is no such target in this build, or it has no such setting.
    pub fn read(text: &str) -> Result<(TargetId, Target), TargetIdError> {
        let id = TargetId::parse(text);
        let mut parts = text.split(':').skip(1).peekable();
        // `gfx1100:wave64` is a separate target.
        let name = match parts.next_if(|part| part.starts_with("wave")) {
            Some(wave) => format!("{}:{wave}", id.processor),
            None => id.processor.clone(),
        };
        let target = name.parse::<Target>().map_err(|_| TargetIdError::Unknown(name))?;
        if let Some(part) = parts.find(|part| !part.ends_with(['+', '-'])) {
            return Err(TargetIdError::Sign(part.to_string()));
        }
        id.check_features(target)?;
        Ok((id, target))
    }

    /// Refuses features that the target does not have.
    ///
    /// # Errors
    /// The first such feature.
    pub fn check_features(&self, target: Target) -> Result<(), TargetIdError> {
        let has = |name: &str| match name {
            TargetId::XNACK => target.has_xnack(),
            TargetId::SRAMECC => target.has_sramecc(),
            _ => false,
        };
        match self.features.iter().find(|(name, _)| !has(name)) {
            Some((name, _)) => Err(TargetIdError::Setting { processor: self.processor.clone(), name: name.clone() }),
            None => Ok(()),
        }
    }
}

impl fmt::Display for TargetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.processor)?;
        self.features.iter().try_for_each(|(name, on)| write!(f, ":{name}{}", if *on { '+' } else { '-' }))
    }
}

/// Whether a triple names an AMD GPU: `amdgcn-amd-amdhsa`, `amdgpu9.42-amd-amdhsa`, `r600--`.
pub fn is_amdgpu(triple: &str) -> bool {
    let arch = triple.split('-').next().unwrap_or("");
    arch == "r600" || arch.starts_with("amdgcn") || arch.starts_with("amdgpu")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn target_ids_print_as_llvm_writes_them() {
        let id = TargetId::parse("gfx942:xnack-:sramecc+");
        assert_eq!(id.to_string(), "gfx942:sramecc+:xnack-");
        assert_eq!(TargetId::parse("gfx600").to_string(), "gfx600");
        assert_eq!(TargetId::parse("amdgpu9.42:xnack-").to_string(), "gfx942:xnack-");
        assert_eq!(TargetId::parse("gfx9999:xnack-").to_string(), "gfx9999:xnack-");
    }

    #[test]
    fn a_triple_names_the_target_in_every_spelling() {
        for (text, shown) in [
            ("amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-", Some("gfx942:sramecc+:xnack-")),
            ("amdgcn-amd-amdhsa--gfx9-4-generic", Some("gfx9-4-generic")),
            ("amdgcn-amd-amdhsa-gfx906", Some("gfx906")),
            ("amdgpu-amd-amdhsa--gfx942", Some("gfx942")),
            ("amdgpu9.42-amd-amdhsa", Some("gfx942")),
            ("amdgpu9.0a-amd-amdhsa--", Some("gfx90a")),
            ("amdgpu9.42-amd-amdhsa--:xnack+", Some("gfx942:xnack+")),
            ("amdgpu9.42-amd-amdhsa--gfx942:xnack+", Some("gfx942:xnack+")),
            ("amdgcn-amd-amdhsa", None),
            ("amdgpu-amd-amdhsa", None),
            ("", None),
        ] {
            assert_eq!(TargetId::in_triple(text).map(|id| id.to_string()).as_deref(), shown, "{text}");
        }
    }

    #[test]
    fn a_code_object_knows_better_than_its_entry() {
        let merge = |own, entry| TargetId::merge(Some(TargetId::parse(own)), Some(TargetId::parse(entry)));
        let shown = |id: Option<TargetId>| id.map(|id| id.to_string());
        assert_eq!(shown(merge("gfx942:xnack-", "gfx942:sramecc+:xnack+")).as_deref(), Some("gfx942:sramecc+:xnack-"));
        assert_eq!(shown(merge("gfx90a", "gfx942:xnack+")).as_deref(), Some("gfx90a"));
        assert_eq!(shown(TargetId::merge(None, Some(TargetId::parse("gfx942")))).as_deref(), Some("gfx942"));
    }
}
