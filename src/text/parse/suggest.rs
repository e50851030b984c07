//! What a mnemonic that a target lacks was probably meant to be.

use super::cursor::Cursor;
use super::operation::{self, stem};
use crate::Target;
use crate::target::{MNEMONICS_OF, OPS};

/// What to write in place of an unknown mnemonic: see [`Suggestion::of`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Suggestion {
    /// The mnemonic of the target that differs least, if it differs little; without the suffix of an encoding.
    pub nearest: Option<&'static str>,
    /// The first target of this build that has an operation of this name.
    pub elsewhere: Option<Target>,
}

/// The longest mnemonic that is compared.
const LONGEST: usize = 48;

impl Suggestion {
    /// Looks for what the first word of a text could mean, which is no mnemonic of the target. It compares all mnemonics.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::text::Suggestion;
    /// use amdgpu_isa::Target;
    /// assert_eq!(Suggestion::of(Target::Gfx942, "v_ad_f32 v0, v1, v2").nearest, Some("v_add_f32"));
    /// assert_eq!(Suggestion::of(Target::Gfx942, "frobnicate").nearest, None);
    /// # }
    /// ```
    pub fn of(target: Target, text: &str) -> Suggestion {
        let mut cursor = Cursor::new(text);
        cursor.blank();
        let name = stem(cursor.name()).0;
        let has = |target: &&Target| operation::all(**target, name).next().is_some();
        let elsewhere = Target::ALL.iter().find(has).copied();
        // One wrong character in four is no slip any more.
        let (mut nearest, mut least) = (None, name.len().min(LONGEST) / 4 + 1);
        for op_index in MNEMONICS_OF[target as usize].slots.iter().filter_map(|slot| slot.checked_sub(1)) {
            let Some(opcode) = OPS[target as usize].opcode(op_index.into()) else { continue };
            let known = operation::spelling(target, op_index, opcode);
            let distance = distance(name, known.as_bytes());
            if distance < least {
                (nearest, least) = (Some(known), distance);
            }
        }
        Suggestion { nearest, elsewhere }
    }
}

/// How many characters have to be changed, added or removed to make one name of another, ignoring case.
fn distance(a: &[u8], b: &[u8]) -> usize {
    if a.len() > LONGEST || b.len() > LONGEST {
        return usize::MAX;
    }
    // The distances of the beginning of `a` read so far to all beginnings of `b`.
    let mut row = [0; LONGEST + 1];
    row.iter_mut().zip(0..).for_each(|(place, n)| *place = n);
    for (n, x) in a.iter().enumerate() {
        let mut before = n;
        let mut left = n + 1;
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (place, y) in row.iter_mut().skip(1).zip(b) {
            let changed = before + usize::from(!x.eq_ignore_ascii_case(y));
            before = *place;
            left = changed.min(before + 1).min(left + 1);
            *place = left;
        }
    }
    row.get(b.len()).copied().unwrap_or(usize::MAX)
}
