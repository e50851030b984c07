//! An example of an operation: all fields are zero, or have the first value that is accepted if zero is refused.

use amdgpu_isa::layout::Layout;
use amdgpu_isa::{DecodeError, Field, Target, decode_words};

use crate::values::{Place, padded};

/// The greatest number of attempts. An instruction has fewer fields.
const TRIES: usize = 40;

pub fn of(target: Target, format: &str, number: u16) -> Result<Vec<u32>, String> {
    let layout = target.layouts().iter().find(|layout| layout.format.name() == format && !layout.extension);
    let layout = layout.ok_or_else(|| format!("{target} has no format {format}"))?;
    let mut words = padded(&[]);
    for info in layout.fields.iter().filter(|info| !info.overlay) {
        match info.fixed {
            Some(fixed) => Place::new(info, 0).write(&mut words, fixed.into()),
            None if info.field == Field::Op => Place::new(info, 0).write(&mut words, number.into()),
            None => {}
        }
    }
    for _ in 0..TRIES {
        match decode_words(target, &words) {
            Ok(inst) => return Ok(inst.words().to_vec()),
            Err(error) => repair(target, layout, &mut words, error)?,
        }
    }
    Err(format!("no example of {format} {number} was found"))
}

/// Changes the bits that an error is about, so that another error or none is left.
fn repair(target: Target, layout: &Layout, words: &mut [u32], error: DecodeError) -> Result<(), String> {
    let place = match error {
        DecodeError::ReservedBits { field, bit, .. } => {
            Place { field: field.unwrap_or(Field::Reserved), pieces: vec![(bit.into(), 1)] }
        }
        DecodeError::ReservedValue { field, lsb, width, .. } => {
            let info = layout.fields.iter().find(|info| info.field == field && !info.overlay);
            info.map_or(Place { field, pieces: vec![(lsb.into(), width.into())] }, |info| Place::new(info, 0))
        }
        other => return Err(other.to_string()),
    };
    let before = place.read(words);
    for value in 0..1 << place.width().min(16) {
        place.write(words, value);
        if value != before && decode_words(target, words).err() != Some(error) && !again(target, words, error) {
            return Ok(());
        }
    }
    place.write(words, before);
    Err(error.to_string())
}

/// Whether the same field is refused with another value.
fn again(target: Target, words: &[u32], before: DecodeError) -> bool {
    match (decode_words(target, words), before) {
        (
            Err(DecodeError::ReservedValue { field, lsb, .. }),
            DecodeError::ReservedValue { field: same, lsb: there, .. },
        ) => (field, lsb) == (same, there),
        _ => false,
    }
}
