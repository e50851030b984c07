//! One instruction on every target.

use amdgpu_isa::facts::Encoding;
use amdgpu_isa::{Inst, Opcode, Target, decode_words};
use serde::Serialize;

use crate::explain::{Card, card};

#[derive(Serialize)]
pub struct Everywhere {
    opcode: &'static str,
    format: &'static str,
    on: Vec<On>,
}

/// The operation on a target. If there are no encodings, the target lacks it.
#[derive(Serialize)]
pub struct On {
    target: &'static str,
    processor: &'static str,
    generation: &'static str,
    products: &'static [&'static str],
    encodings: Vec<Number>,
    /// The equivalent instruction on the target.
    same: Option<Card>,
    /// The reason why the target has no equivalent instruction.
    error: Option<String>,
}

#[derive(Serialize)]
pub struct Number {
    format: &'static str,
    number: u16,
    mnemonic: &'static str,
}

pub fn all(target: Target, words: &[u32]) -> Option<Everywhere> {
    let inst = decode_words(target, words).ok()?;
    let lanes = target.wave_size();
    // If a processor has two targets, only the one with the same wave size is listed.
    let wanted =
        |other: &&Target| other.wave_size() == other.with_wave_size(lanes).map_or(other.wave_size(), |_| lanes);
    let on = Target::ALL.iter().filter(wanted).filter(|other| first_of_name(other, lanes));
    let on = on.map(|other| on_target(&inst, *other)).collect();
    Some(Everywhere { opcode: inst.opcode().name(), format: inst.format().name(), on })
}

/// Whether a target has this wave size, or is the first target of its processor.
fn first_of_name(target: &Target, lanes: u16) -> bool {
    let mut same = Target::ALL.iter().filter(|other| other.processor() == target.processor());
    target.wave_size() == lanes || same.next() == Some(target)
}

fn on_target(inst: &Inst, target: Target) -> On {
    let there = inst.retarget(target);
    let encodings: Vec<Number> = numbers(inst.opcode(), target);
    On {
        target: target.name(),
        processor: target.processor(),
        generation: target.generation(),
        products: target.aliases(),
        error: there.as_ref().err().filter(|_| !encodings.is_empty()).map(ToString::to_string),
        same: there.ok().map(|inst| card(&inst)),
        encodings,
    }
}

fn numbers(opcode: Opcode, target: Target) -> Vec<Number> {
    let number = |Encoding { format, number, .. }| Number {
        format: format.name(),
        number,
        mnemonic: opcode.mnemonic(target, format).unwrap_or(opcode.name()),
    };
    opcode.encodings(target).map(number).collect()
}
