//! The targets, by name.

use amdgpu_isa::Target;
use serde::Serialize;

#[derive(Serialize)]
pub struct View {
    name: &'static str,
    processor: &'static str,
    generation: &'static str,
    wave_size: u16,
    aliases: &'static [&'static str],
}

pub fn all() -> Vec<View> {
    let view = |target: &Target| View {
        name: target.name(),
        processor: target.processor(),
        generation: target.generation(),
        wave_size: target.wave_size(),
        aliases: target.aliases(),
    };
    Target::ALL.iter().map(view).collect()
}

pub fn named(name: &str) -> Result<Target, String> {
    name.parse().map_err(|error: amdgpu_isa::errors::UnknownTarget| error.to_string())
}
