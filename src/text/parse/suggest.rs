//! Suggestions for a name that a target lacks: the name that was probably meant.

use super::cursor::Cursor;
use super::explain::other_encodings;
use super::operation::{self, stem};
use super::{Kind, ParseError, Suffixes};
use crate::codec::descs;
use crate::imm::Waitcnt;
use crate::kind::{ModifierKind, OperandKind};
use crate::opcode::Field;
use crate::operation::OpcodeEntry;
use crate::table::{Counter, TextNames};
use crate::target::{MNEMONICS_OF, OPS, TEXT, Target};

/// Suggestions for an unknown name: see [`Suggestion::of`] and [`Suggestion::for_error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Suggestion {
    /// The most similar name that the target has, if it differs little; a mnemonic is without the suffix of an
    /// encoding.
    pub nearest: Option<&'static str>,
    /// The first target of this build that has an operation, a register or a value of this name.
    pub elsewhere: Option<Target>,
    /// The suffixes of the encodings that accept the text, if the mnemonic in it has the suffix of another encoding.
    pub encodings: Suffixes,
}

impl Suggestion {
    const NOTHING: Suggestion = Suggestion { nearest: None, elsewhere: None, encodings: Suffixes::NONE };
}

/// The length of the longest name that is compared.
const LONGEST_NAME: usize = 48;

impl Suggestion {
    /// Suggests a mnemonic in place of the first word of a text, which should not be a mnemonic of the target. All
    /// mnemonics are compared.
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
        let indices = MNEMONICS_OF[target as usize].slots.iter().filter_map(|slot| slot.checked_sub(1));
        let known = indices.filter_map(|op_index| {
            let opcode = OPS[target as usize].opcode(op_index.into())?;
            Some(operation::spelling(target, op_index, opcode))
        });
        Suggestion { nearest: nearest(name, known), elsewhere, ..Suggestion::NOTHING }
    }

    /// Suggests a name in place of the one at the position of an error: a mnemonic, a modifier, a register, or a value.
    /// If the mnemonic has the suffix of an encoding, suggests other encodings, too.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::text::Suggestion;
    /// use amdgpu_isa::{Target, parse};
    /// let text = "s_getreg_b32 s0, hwreg(HW_REG_MOD)";
    /// let error = parse(Target::Gfx942, text).unwrap_err();
    /// assert_eq!(Suggestion::for_error(Target::Gfx942, text, &error).nearest, Some("HW_REG_MODE"));
    /// # }
    /// ```
    pub fn for_error(target: Target, text: &str, error: &ParseError) -> Suggestion {
        let mut cursor = Cursor::new(text);
        cursor.lines();
        let name = cursor.name();
        cursor.at += name.len();
        let mnemonic = stem(name).0;
        let encodings = other_encodings(target, cursor, name);
        let nothing = Suggestion { encodings, ..Suggestion::NOTHING };
        cursor.at = error.span.start as usize;
        match error.kind {
            Kind::Mnemonic => return Suggestion::of(target, text),
            // The error itself lists the suffixes.
            Kind::Variant(_) => return Suggestion::NOTHING,
            Kind::Name(_) | Kind::Symbol | Kind::Unexpected | Kind::Operand(_) => {}
            _ => return nothing,
        }
        // The error can be about all of `name:value` or `name(value)`.
        let word = cursor.name();
        let entries = operation::all(target, mnemonic).map(|(_, op_index)| OpcodeEntry::new(target, op_index));
        let forms = entries.flat_map(|entry| [entry.signature].into_iter().chain(entry.forms(target)));
        let modifiers = forms.flat_map(|form| descs(target, form)).filter(|desc| desc.access.is_none());
        let modifiers = modifiers.filter(|desc| desc.kind != OperandKind::Modifier(ModifierKind::Hidden));
        let t = &TEXT[target as usize].names;
        let known = modifiers.map(|desc| desc.field.name());
        // Targets of exports have names of registers, too.
        let is_export = matches!(error.kind, Kind::Name(Field::Tgt));
        let exports = move |t: &'static TextNames| {
            let names: &[(u16, &'static str)] = if is_export { t.exp_tgt } else { &[] };
            names.iter().map(|(_, name)| *name)
        };
        let values = move |t: &'static TextNames| values(t).chain(exports(t));
        let known = known.chain(values(t));
        let known = known
            .chain(Counter::ALL.iter().filter_map(|&counter| Waitcnt::max(target, counter).map(|_| counter.name())));
        let known = known.chain(t.codes.iter().map(|(_, name, _)| *name));
        let has = |other: Target| {
            let t = &TEXT[other as usize].names;
            let registers = t.codes.iter().flat_map(|(_, name, pair)| [*name, *pair]);
            !word.is_empty() && values(t).chain(registers).any(|name| name.as_bytes() == word)
        };
        // The target has this name. The name is only in the wrong place, so no similar name was meant.
        if has(target) {
            return nothing;
        }
        let elsewhere = Target::ALL.iter().copied().find(|&other| has(other));
        Suggestion { nearest: nearest(word, known), elsewhere, encodings }
    }
}

/// The names of values that operands and modifiers of a target have.
fn values(t: &'static TextNames) -> impl Iterator<Item = &'static str> {
    let tables = [
        t.hwreg,
        t.sendmsg,
        t.gs_op,
        t.sysmsg_op,
        t.instid,
        t.instskip,
        t.dfmt,
        t.nfmt,
        t.buf_fmt,
        t.sdwa_sel,
        t.dst_unused,
        t.dpp_ctrl,
        t.swizzle,
        t.dim,
        t.scope,
        t.th_load,
        t.th_store,
        t.th_atomic,
    ];
    tables.into_iter().flatten().map(|(_, name)| *name)
}

/// The most similar name, if it differs little.
fn nearest(name: &[u8], known: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    // A name with more than one wrong character in four is not a typing error.
    let (mut nearest, mut least) = (None, name.len().min(LONGEST_NAME) / 4 + 1);
    for known in known {
        let distance = distance(name, known.as_bytes());
        if distance < least && distance > 0 {
            (nearest, least) = (Some(known), distance);
        }
    }
    nearest
}

/// The number of characters that must be changed, added or removed to turn one name into the other, ignoring case.
fn distance(a: &[u8], b: &[u8]) -> usize {
    if a.len() > LONGEST_NAME || b.len() > LONGEST_NAME {
        return usize::MAX;
    }
    // `row` holds the distances of the part of `a` read so far to all beginnings of `b`.
    let mut row = [0; LONGEST_NAME + 1];
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
