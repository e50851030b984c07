//! Baselines of known findings: a check with a baseline fails only because of new findings.
//!
//! ```
//! use amdgpu_isa::Target;
//! use amdgpu_lint::baseline::Baseline;
//! use amdgpu_lint::check;
//! use amdgpu_object::{Image, TargetId};
//!
//! // global_load_dword v0, v1, s[0:1]; v_add_f32_e32 v2, v0, v2; s_endpgm
//! let words = [0xdc50_8000u32, 0x0000_0001, 0x0204_0500, 0xbf81_0000].map(u32::to_le_bytes);
//! let image = Image::bare(TargetId::parse("gfx942"), 0x1000, words.as_flattened());
//! let found = check::image(&image, Target::Gfx942);
//!
//! let mut baseline = Baseline::default();
//! found.iter().for_each(|finding| baseline.add(finding));
//! let text = baseline.to_string();
//! assert!(text.ends_with("\n1 missing-wait v0 gfx942 -\n"), "{text}");
//!
//! let mut known: Baseline = text.parse()?;
//! assert!(known.take(&found[0]), "it is known");
//! assert!(!known.take(&found[0]), "a second one like it is new");
//! # Ok::<(), amdgpu_lint::baseline::BaselineError>(())
//! ```

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use core::fmt;
use core::str::FromStr;

use crate::check::{Finding, register_name};

/// The number of known findings for each function, rule, register and target. Addresses are not stored, so a baseline
/// still holds after code has moved.
///
/// `Display` writes a line `COUNT RULE REGISTER TARGET FUNCTION` for each number, in an order that does not depend on
/// the order of the findings. `FromStr` reads these lines. `-` stands for no register or no function. Control
/// characters in names of functions are escaped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    known: BTreeMap<Key, usize>,
}

/// The part of a finding that a baseline compares: function, rule, register and target. A key does not borrow from the
/// code that was checked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    function: String,
    rule: String,
    register: String,
    target: String,
}

/// The reason why a text is not a baseline.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BaselineError {
    /// The number of the line, from 1 on.
    pub line: usize,
}

const HEAD: &str = "# Known findings: COUNT RULE REGISTER TARGET FUNCTION";

impl Baseline {
    /// Adds a finding to the known findings.
    pub fn add(&mut self, finding: &Finding<'_>) {
        self.add_key(Key::of(finding));
    }

    /// Adds the finding with this key.
    pub fn add_key(&mut self, key: Key) {
        let count = self.known.entry(key).or_insert(0);
        *count = count.saturating_add(1);
    }

    /// Whether the finding is known. A match uses up one known finding: if one such finding is known, a second call
    /// returns `false`.
    pub fn take(&mut self, finding: &Finding<'_>) -> bool {
        self.take_key(&Key::of(finding))
    }

    /// Whether the finding with this key is known. A match uses up one known finding, as in [`Baseline::take`].
    pub fn take_key(&mut self, key: &Key) -> bool {
        let Some(count) = self.known.get_mut(key).filter(|count| **count > 0) else { return false };
        *count -= 1;
        true
    }

    /// The number of known findings that no finding has matched yet.
    pub fn len(&self) -> usize {
        self.known.values().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// Whether no known finding is left to match.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Key {
    /// The key of a finding.
    pub fn of(finding: &Finding<'_>) -> Key {
        let register = finding.what.register().map_or_else(|| "-".to_owned(), |reg| register_name(reg).to_string());
        let function = finding.function.map_or_else(|| "-".to_owned(), |function| escaped(&function.name.to_text()));
        Key { function, rule: finding.rule().to_owned(), register, target: finding.target.name().to_owned() }
    }
}

/// The name with control characters, such as ends of lines, and backslashes escaped.
fn escaped(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        match c {
            c if c.is_control() || c == '\\' => c.escape_default().for_each(|c| out.push(c)),
            c => out.push(c),
        }
    }
    out
}

impl fmt::Display for Baseline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEAD}")?;
        let mut known = self.known.iter().filter(|(_, count)| **count > 0);
        known.try_for_each(|(Key { function, rule, register, target }, count)| {
            writeln!(f, "{count} {rule} {register} {target} {function}")
        })
    }
}

impl FromStr for Baseline {
    type Err = BaselineError;

    /// Reads the text that `Display` writes. Empty lines, and lines that begin with `#`, are comments.
    ///
    /// # Errors
    /// A line has another form.
    fn from_str(text: &str) -> Result<Baseline, BaselineError> {
        let mut baseline = Baseline::default();
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
        for (n, line) in lines {
            let mut parts = line.splitn(5, ' ');
            let mut part = || parts.next().filter(|part| !part.is_empty()).map(ToOwned::to_owned);
            let read = (|| {
                let count: usize = part()?.parse().ok()?;
                let (rule, register, target, function) = (part()?, part()?, part()?, part()?);
                Some((Key { function, rule, register, target }, count))
            })();
            let (key, count) = read.ok_or(BaselineError { line: n + 1 })?;
            let known = baseline.known.entry(key).or_insert(0);
            *known = known.saturating_add(count);
        }
        Ok(baseline)
    }
}

impl fmt::Display for BaselineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} is not COUNT RULE REGISTER TARGET FUNCTION", self.line)
    }
}

impl core::error::Error for BaselineError {}
