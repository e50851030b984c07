//! Refusals: the bits that make words not an instruction, and the values that would be accepted there.

use amdgpu_isa::layout::Layout;
use amdgpu_isa::{DecodeError, Field, Format, Target};
use serde::Serialize;

use crate::explain::{self, Card};
use crate::values::{Place, Run, padded, runs};

#[derive(Serialize)]
pub struct Refused {
    pub message: String,
    /// The field whose value is refused, and its bits.
    pub field: Option<&'static str>,
    pub bits: Option<(u32, u32)>,
    /// The values that would be accepted in these bits.
    pub legal: Vec<Run>,
    /// The encoding bits of each format with which an instruction of the target can begin, if no format has those of
    /// the words; otherwise empty.
    pub formats: Vec<Encoding>,
}

/// The bits that select a format.
#[derive(Serialize)]
pub struct Encoding {
    format: &'static str,
    mask: u32,
    value: u32,
}

/// The card of `words`, which are not an instruction: of all the dwords of their format, or of the first dword if the
/// format is not known.
pub fn card(target: Target, words: &[u32], error: DecodeError) -> Card {
    let layout = layout(target, words, error);
    let announced = layout.and_then(|layout| announced(target, layout, words));
    let mut places = layout.map_or(Vec::new(), |layout| places(layout, 0));
    let first = places.len();
    if let (Some(layout), Some(announced)) = (layout, announced) {
        places.extend(self::places(announced, layout.bits.into()));
    }
    let bad = place(&places, error);
    let legal = match (error, &bad) {
        (DecodeError::ReservedBits { .. }, Some(bad)) => flipped(bad.read(words)),
        (_, Some(bad)) => runs(target, words, bad),
        _ => Vec::new(),
    };
    let length = layout.map_or(1, |layout| usize::from(layout.bits) / 32).min(words.len()).max(1);
    let extended = places.iter().flat_map(|(place, ..)| &place.pieces).map(|(lsb, width)| (lsb + width) as usize).max();
    let length = extended.map_or(length, |bits| length.max(bits.div_ceil(32))).min(words.len());
    let words = &words[..length];
    let field = |(n, (place, fixed, about)): (usize, &(Place, bool, &'static str))| explain::Field {
        name: place.field.name().into(),
        pieces: place.pieces.clone(),
        value: place.read(words).into(),
        meaning: match (place.field, layout) {
            (Field::Encoding, Some(layout)) if *fixed => layout.format.name().into(),
            (Field::Op, Some(layout)) => operation(target, layout, place.read(words)).into(),
            _ => about.to_string(),
        },
        about,
        format: if n < first { layout } else { announced }.map_or("", |layout| layout.format.name()),
    };
    Card {
        words: words.to_vec(),
        text: words.iter().map(|word| format!(".long {word:#010x}")).collect::<Vec<_>>().join("\n"),
        format: layout.map_or("", |layout| layout.format.name()),
        sources: layout.into_iter().chain(announced).map(explain::Source::new).collect(),
        fields: places.iter().enumerate().map(field).collect(),
        operands: Vec::new(),
        facts: Vec::new(),
        rule: None,
        refused: Some(Refused {
            message: error.to_string(),
            field: bad.as_ref().map(|bad| bad.field.name()),
            bits: bad.as_ref().and_then(|bad| bad.pieces.first().copied()),
            legal,
            formats: if matches!(error, DecodeError::UnknownEncoding) { encodings(target) } else { Vec::new() },
        }),
    }
}

fn operation(target: Target, layout: &Layout, number: u32) -> &'static str {
    let opcode = u16::try_from(number).ok().and_then(|number| layout.format.opcode(target, number));
    opcode.map_or("", |opcode| opcode.mnemonic(target, layout.format).unwrap_or(opcode.name()))
}

/// The format that the error names, or else, of those whose fixed bits match, the one with the most fixed bits; `None`
/// if the encoding bits are unknown.
fn layout(target: Target, words: &[u32], error: DecodeError) -> Option<&'static Layout> {
    let base = target.layouts().iter().filter(|layout| !layout.extension);
    match error {
        DecodeError::UnknownOpcode { format, .. } => base.clone().find(|layout| layout.format == format),
        DecodeError::UnknownEncoding => None,
        _ => {
            let agrees = |layout: &&Layout| {
                let fixed = layout.fields.iter().filter(|info| !info.overlay);
                fixed
                    .filter_map(|info| Some((Place::new(info, 0), info.fixed?)))
                    .all(|(place, fixed)| place.read(words) == u32::from(fixed))
            };
            let fixed_bits = |layout: &&Layout| -> u32 {
                let fixed = layout.fields.iter().filter(|info| info.fixed.is_some());
                fixed.map(|info| u32::from(info.width)).sum()
            };
            base.filter(agrees).max_by_key(fixed_bits)
        }
    }
}

/// The fields of a format with their bits, whether each is fixed, and its purpose.
fn places(layout: &Layout, first: u32) -> Vec<(Place, bool, &'static str)> {
    let fields = layout.fields.iter().filter(|info| !info.overlay);
    fields.map(|info| (Place::new(info, first), info.fixed.is_some(), info.about())).collect()
}

/// The layout of the dword that the words announce.
fn announced(target: Target, layout: &Layout, words: &[u32]) -> Option<&'static Layout> {
    let places = places(layout, 0);
    let announced = layout.extends.iter().find(|extension| {
        let field = places.iter().find(|(place, ..)| place.field == extension.field);
        field.is_some_and(|(place, ..)| place.read(words) == u32::from(extension.code))
    });
    let format = announced.map(|extension| extension.format).filter(|format| *format != Format::Literal)?;
    target.layouts().iter().find(|layout| layout.format == format)
}

/// The bits that the error is about.
fn place(places: &[(Place, bool, &'static str)], error: DecodeError) -> Option<Place> {
    let named = |field: Field, bit: u32| {
        let has = |place: &Place| place.pieces.iter().any(|&(lsb, width)| (lsb..lsb + width).contains(&bit));
        places.iter().map(|(place, ..)| place).find(|place| place.field == field && has(place)).cloned()
    };
    match error {
        DecodeError::UnknownOpcode { .. } => {
            places.iter().map(|(place, ..)| place).find(|place| place.field == Field::Op).cloned()
        }
        DecodeError::ReservedBits { field, bit, .. } => {
            Some(Place { field: field.unwrap_or(Field::Reserved), pieces: vec![(bit.into(), 1)] })
        }
        DecodeError::ReservedValue { field, lsb, width, .. } => {
            named(field, lsb.into()).or(Some(Place { field, pieces: vec![(lsb.into(), width.into())] }))
        }
        _ => None,
    }
}

/// The only other value of a bit.
fn flipped(bit: u32) -> Vec<Run> {
    vec![Run { first: bit ^ 1, last: bit ^ 1, text: [String::new(), String::new()] }]
}

fn encodings(target: Target) -> Vec<Encoding> {
    let base = target.layouts().iter().filter(|layout| !layout.extension);
    let encoding = |layout: &Layout| {
        let (mut mask, mut value) = (padded(&[]), padded(&[]));
        for info in layout.fields.iter().filter(|info| !info.overlay) {
            if let Some(fixed) = info.fixed {
                let place = Place::new(info, 0);
                place.write(&mut mask, u32::MAX);
                place.write(&mut value, fixed.into());
            }
        }
        Encoding { format: layout.format.name(), mask: mask[0], value: value[0] }
    };
    base.map(encoding).collect()
}
