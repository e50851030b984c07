//! `--assume`: assumptions about settings that neither the code nor the file states.

use amdgpu_lint::Settings;

use crate::isa::Target;

/// An assumption about code.
#[derive(Clone, Copy, PartialEq)]
pub enum Assumption {
    Xnack(bool),
    Expert(bool),
    /// The number of lanes of a wave.
    Wave(u16),
}

/// Reads the assumption in an argument.
pub fn parse(text: &str) -> Result<Assumption, String> {
    match text {
        "xnack=on" => Ok(Assumption::Xnack(true)),
        "xnack=off" => Ok(Assumption::Xnack(false)),
        "expert=on" => Ok(Assumption::Expert(true)),
        "expert=off" => Ok(Assumption::Expert(false)),
        "wave=32" => Ok(Assumption::Wave(32)),
        "wave=64" => Ok(Assumption::Wave(64)),
        _ => Err("use xnack=on, xnack=off, expert=on, expert=off, wave=32 or wave=64".into()),
    }
}

impl Assumption {
    /// The name of the setting, as arguments give it.
    fn name(self) -> &'static str {
        match self {
            Assumption::Xnack(_) => "xnack",
            Assumption::Expert(_) => "expert",
            Assumption::Wave(_) => "wave",
        }
    }

    /// The settings with this assumption.
    pub fn add_to(self, settings: Settings) -> Settings {
        match self {
            Assumption::Xnack(is_on) => Settings { xnack: Some(is_on), ..settings },
            Assumption::Expert(expert) => Settings { expert, ..settings },
            Assumption::Wave(_) => settings,
        }
    }
}

/// Refuses two different assumptions about one setting.
pub fn check(all: &[Assumption]) -> Result<(), String> {
    let contradicts = |one: &Assumption| all.iter().any(|other| one.name() == other.name() && one != other);
    match all.iter().find(|one| contradicts(one)) {
        Some(one) => Err(format!("--assume {}= is given with two values: give one", one.name())),
        None => Ok(()),
    }
}

/// The wave size that is assumed, if one is.
pub fn lanes(all: &[Assumption]) -> Option<u16> {
    all.iter().find_map(|one| if let Assumption::Wave(lanes) = one { Some(*lanes) } else { None })
}

/// The target with the wave size that is assumed, if one is.
pub fn wave(all: &[Assumption], target: Target) -> Result<Target, String> {
    let Some(lanes) = lanes(all) else { return Ok(target) };
    let none = || format!("{} has no waves of {lanes} lanes: leave out --assume wave={lanes}", target.processor());
    target.with_wave_size(lanes).ok_or_else(none)
}
