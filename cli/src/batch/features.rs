//! The first column of a batch: `gfx942`, or `gfx942:feature,feature` with the features spelled as for `llvm-mc -mattr`
//! (`+xnack`, `-xnack`, `xnack`) or as in a target id (`xnack+`, `xnack-`), or this library's name of a target
//! (`gfx1100:wave64`).
//!
//! A wave size among the features selects the target of the processor that has this size. Every other feature must
//! leave the instructions of the target as they are: one that does not would need a decoder for a machine that does not
//! exist, and ignoring it would make the comparison meaningless.

use amdgpu_isa::processor::Processor;

use crate::isa::{self, Filler, Target};

/// LLVM 22's features that affect code generation or execution, but neither decoding nor printing.
const NEUTRAL: &[&str] = &[
    "auto-waitcnt-before-barrier",
    "cumode",
    "dumpcode",
    "flat-for-global",
    "load-store-opt",
    "precise-memory",
    "promote-alloca",
    "relaxed-buffer-oob-mode",
    "si-scheduler",
    "sramecc",
    "sramecc-support",
    "tgsplit",
    "trap-handler",
    "unaligned-access-mode",
    "unaligned-buffer-access",
    "unaligned-ds-access",
    "unaligned-scratch-access",
    "unsafe-ds-offset-folding",
    "xnack",
    "xnack-support",
];

/// Features that select one of two meanings of the same words, on targets that have both.
const MODES: &[&str] = &["real-true16", "true16", "wavefrontsize16", "wavefrontsize32", "wavefrontsize64"];

/// Reads a column. Returns its target, and the usual filler of the processor that it names.
pub fn parse(column: &[u8]) -> Result<(Target, Filler), String> {
    let column = std::str::from_utf8(column).map_err(|_| "malformed line: the target is not text".to_string())?;
    let target = target(column)?;
    let name = column.split_once(':').map_or(column, |(name, _)| name);
    let filler = name.parse::<Processor>().map_or(target.filler(), Processor::filler);
    Ok((target, filler))
}

fn target(column: &str) -> Result<Target, String> {
    if let Ok(target) = column.parse() {
        return Ok(target);
    }
    let (name, features) = column.split_once(':').unwrap_or((column, ""));
    let named = isa::parse_target(name)?;
    // A feature may name a wave size. If the target does not have this size, the checks below refuse the feature.
    let waves = features.split([',', ':']).filter(|f| !f.starts_with('-') && !f.ends_with('-'));
    let lanes = waves.map(|f| f.trim_matches('+')).find_map(isa::wave_size);
    let target = lanes.and_then(|lanes| named.with_wave_size(lanes)).unwrap_or(named);
    features.split([',', ':']).filter(|f| !f.is_empty()).try_for_each(|f| feature(target, f))?;
    Ok(target)
}

fn feature(target: Target, text: &str) -> Result<(), String> {
    let (name, on) = match (text.strip_prefix(['+', '-']), text.strip_suffix(['+', '-'])) {
        (Some(name), _) => (name, text.starts_with('+')),
        (None, Some(name)) => (name, text.ends_with('+')),
        (None, None) => (text, true),
    };
    let shown = name.escape_debug();
    if NEUTRAL.contains(&name) {
        Ok(())
    } else if !MODES.contains(&name) {
        Err(format!("unknown feature \"{shown}\""))
    } else if isa::is_mode_on(target, name) == on {
        Ok(())
    } else {
        let sign = if on { '+' } else { '-' };
        Err(format!("feature \"{sign}{shown}\" does not fit {}", target.name()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_spellings_are_read() {
        for ok in
            ["gfx942", "gfx942:", "gfx942:xnack", "gfx942:+xnack,-sramecc", "gfx942:sramecc+:xnack-", "mi300x:cumode"]
        {
            assert!(parse(ok.as_bytes()).is_ok(), "{ok}");
        }
        assert_eq!(parse(b"gfx1100:wave64").map(|(target, _)| target.name()), Ok("gfx1100:wave64"));
        assert!(parse(b"gfx942:+wavefrontsize64,-wavefrontsize32,-real-true16").is_ok());
        for halves in ["gfx1100:+real-true16,+true16", "gfx1200:real-true16,+wavefrontsize64", "gfx1250:+real-true16"] {
            assert!(parse(halves.as_bytes()).is_ok(), "{halves}");
        }
    }

    #[test]
    fn what_changes_the_target_is_refused() {
        for bad in
            ["gfx942:+wavefrontsize32", "gfx942:-wavefrontsize64", "gfx942:real-true16", "gfx1100:-real-true16", "gfx1"]
        {
            assert!(parse(bad.as_bytes()).is_err(), "{bad}");
        }
        assert!(parse(b"\xff").is_err() && parse(b"gfx942:nonsense").is_err());
    }
}
