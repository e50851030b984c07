//! Parser of modifiers: `clamp`, `offset:16`, `quad_perm:[0,1,2,3]`.

use super::format::DEFAULT_FORMAT;
use super::{Cursor, Descs, Kind, ParseError, Parser, Reading};
use crate::code::VGPR;
use crate::codec::{EncodedOperand, default_of, encode_number, put_modifier};
use crate::flags::Flags;
use crate::kind::{ListStyle, ModifierKind, ModifierList, NONE, OperandKind, Position, RegisterKind};
use crate::opcode::{Field, Format};
use crate::operation::info;
use crate::table::generated::SPACES;
use crate::table::{OperandDesc, Space};
use crate::target::TEXT;
use crate::text::imm::shown_bits;

/// The greatest number of bits in a list, as for LLVM's assembler.
const LIST: usize = 4;

/// An upper bound of the number of modifiers of an instruction.
const MOST: usize = 32;

/// Whether the modifier is a cache policy, or CDNA5's scale of the offset: their order in the text is free.
fn is_cache_policy(field: Field) -> bool {
    use Field::*;
    matches!(field, Glc | Slc | Dlc | Scc | Sc0 | Sc1 | Nt | Th | Scope | Nv | ScaleOffset)
}

/// The beginnings of the names of temporal hints of atomic operations, stores and loads.
const HINTS: [&str; 3] = ["TH_ATOMIC_", "TH_STORE_", "TH_LOAD_"];
/// The names of the temporal hint 0, from all kinds of operations.
const ZEROS: [&[u8]; 4] = [b"TH_DEFAULT", b"TH_LOAD_RT", b"TH_STORE_RT", b"TH_ATOMIC_RT"];

impl<'t> Parser<'t, '_> {
    /// Parses the modifiers in the order in which they are printed, and sets missing ones to their defaults.
    pub(super) fn modifiers(&mut self, descs: Descs) -> Result<(), ParseError> {
        self.skip_zero_offset(descs);
        let shown = || descs.modifiers().take(MOST).enumerate();
        let early = self.early.map(|early| early.field);
        let is_early = |desc: &OperandDesc| Some(desc.field) == early;
        if self.cursor.is_done() {
            let mut missing = descs.modifiers().filter(|desc| !is_early(desc));
            return missing.try_for_each(|desc| self.default(desc));
        }
        let mut seen = shown().filter(|(_, desc)| is_early(desc)).fold(0u32, |seen, (n, _)| seen | 1 << n);
        for (n, desc) in shown() {
            self.skip_absent(descs);
            if is_cache_policy(desc.field) {
                // At the first cache policy, all cache policies of the text are parsed.
                let mut start = self.cursor.at;
                while let Some((m, found)) =
                    shown().find(|(_, other)| is_cache_policy(other.field) && self.is_here(other))
                {
                    if seen >> m & 1 == 1 {
                        return Err(self.cursor.error(Kind::Duplicate(found.field)));
                    }
                    if self.cursor.between(start, self.cursor.at).contains(&b',') {
                        return Err(self.cursor.error(Kind::Unexpected));
                    }
                    seen |= 1 << m;
                    start = self.cursor.at;
                    self.modifier(found)?;
                }
            } else if seen >> n & 1 == 0 && self.is_here(desc) {
                seen |= 1 << n;
                self.modifier(desc)?;
            }
            if seen >> n & 1 == 0 {
                self.default(desc)?;
            }
        }
        self.skip_absent(descs);
        if let Some(error) = self.hint_of_other_scope(descs) {
            return Err(error);
        }
        if self.cursor.is_done() {
            return Ok(());
        }
        match shown().find(|(_, desc)| self.is_here(desc)) {
            Some((n, desc)) if seen >> n & 1 == 1 => Err(self.cursor.error(Kind::Duplicate(desc.field))),
            Some((_, desc)) => Err(self.cursor.error(Kind::Order(desc.field))),
            None => Ok(()),
        }
    }

    /// Skips `offset:0` of FLAT if the target's FLAT has no offsets, as LLVM's assembler does.
    fn skip_zero_offset(&mut self, descs: Descs) {
        let mut after = self.cursor;
        if self.form.signature.format == Format::Flat
            && after.eat_call(b"offset", b':')
            && !descs.modifiers().any(|desc| desc.field == Field::Offset)
            && after.integer(self.symbols) == Ok(0)
        {
            after.eat(b',');
            self.cursor = after;
        }
    }

    /// Skips names such as `nogds`, which deny a flag that the operation does not have.
    fn skip_absent(&mut self, descs: Descs) {
        loop {
            self.cursor.blank();
            let name = self.cursor.name();
            if !name.strip_prefix(b"no").is_some_and(|name| self.lacks(descs, name)) {
                return;
            }
            self.cursor.at += name.len();
            self.cursor.eat(b',');
        }
    }

    /// Whether LLVM's assembler accepts the denial of the flag `name`, although the operation does not have the flag:
    /// GDS of an LDS operation, a cache policy of other operations, a flag of image operations of other targets, or a
    /// flag that CDNA5 adds to cache policies.
    fn lacks(&self, descs: Descs, name: &[u8]) -> bool {
        use Field::{D16, Dlc, Gds, Glc, Nv, Sc1, ScaleOffset, Scc, Slc};
        let known = [Gds, D16, Glc, Slc, Dlc, Scc, Nv, ScaleOffset];
        let Some(field) = known.into_iter().find(|f| f.name().as_bytes() == name) else { return false };
        let space = SPACES.get(self.form.signature.format as usize).copied().flatten();
        let flags = Flags(info(self.words.target, self.op_index).flags);
        let accesses = flags.is_load() || flags.is_store();
        let has_kind = |kind| descs.modifiers().any(|desc| desc.kind == OperandKind::Modifier(kind));
        let has_scope = || has_kind(ModifierKind::Choice(ModifierList::Scope));
        let has = |field| descs.modifiers().any(|desc| desc.field == field);
        let knows = |field| descs.all.descs.iter().any(|desc| desc.field == field);
        let has_policy = has(Glc) || has(Slc);
        let is_scalar = || accesses && space == Some(Space::Scalar) && !has_scope();
        let has_others = match field {
            Gds => {
                let is_plain = accesses && !flags.has_side_effects() || has_kind(ModifierKind::Swizzle);
                space == Some(Space::Lds) && is_plain && (has(Field::Offset) || has(Field::Offset0))
            }
            D16 => accesses && has(Field::Dmask) && !knows(D16),
            Glc | Slc => has_policy || is_scalar(),
            Dlc => has_policy && knows(Dlc),
            Scc => has_policy && knows(Scc) || (knows(Scc) || knows(Sc1)) && is_scalar(),
            _ => has_scope() && (accesses || space != Some(Space::Scalar)),
        };
        has_others && !has(field)
    }

    /// Parses a modifier that must come next.
    pub(super) fn one_modifier(&mut self, desc: &OperandDesc) -> Result<(), ParseError> {
        match self.is_here(desc) {
            true => self.modifier(desc),
            false => Err(self.cursor.error(Kind::Missing(desc.field))),
        }
    }

    /// Whether the text of this modifier comes next.
    pub(super) fn is_here(&mut self, desc: &OperandDesc) -> bool {
        self.cursor.blank();
        let name = self.cursor.name();
        if name.is_empty() {
            return false;
        }
        let own = desc.field.name().as_bytes();
        let OperandKind::Modifier(kind) = desc.kind else { return name == own };
        match kind {
            ModifierKind::Flag { deniable } => name == own || deniable && name.strip_prefix(b"no") == Some(own),
            ModifierKind::Omod => matches!(name, b"mul" | b"div"),
            ModifierKind::List(ListStyle::NegLo) => name == b"neg_lo",
            ModifierKind::List(ListStyle::Neg) => name == b"neg",
            ModifierKind::DppCtrl => self.dpp_name(name).is_some(),
            ModifierKind::Dpp8 { .. } => name == b"dpp8",
            ModifierKind::Bitop3 { .. } => name == b"bitop3",
            ModifierKind::ByteSel => name == b"byte_sel",
            ModifierKind::Swizzle => name == b"offset",
            ModifierKind::MtbufFormat { .. } => name == b"format",
            ModifierKind::BufferFormat => name == b"format",
            _ => name == own,
        }
    }

    /// Sets a modifier that the text lacks.
    fn default(&mut self, desc: &OperandDesc) -> Result<(), ParseError> {
        let OperandKind::Modifier(kind) = desc.kind else { return Ok(()) };
        let value = match kind {
            // LLVM's assembler also sets the bits of absent operands.
            ModifierKind::List(ListStyle::Ones) => (1 << desc.width) - 1,
            ModifierKind::MtbufFormat { .. } | ModifierKind::BufferFormat => DEFAULT_FORMAT,
            ModifierKind::DppCtrl if self.is_other_dpp() => return Err(self.cursor.error(Kind::Name(desc.field))),
            ModifierKind::DppCtrl | ModifierKind::Dpp8 { .. } | ModifierKind::Choice(ModifierList::Dim) => {
                return Err(self.cursor.error(Kind::Missing(desc.field)));
            }
            ModifierKind::DppMask | ModifierKind::Choice(ModifierList::SdwaSel | ModifierList::DstUnused) => {
                default_of(desc.field)
            }
            _ => self.implied.filter(|(field, _)| *field == desc.field).map_or(0, |(_, value)| value),
        };
        // A zero is not stored, because an operand may have set bits of the field.
        if value == 0 { Ok(()) } else { self.put(desc, value) }
    }

    pub(super) fn put(&mut self, desc: &OperandDesc, value: u32) -> Result<(), ParseError> {
        put_modifier(desc, value, &mut self.words).map_err(|refused| self.cursor.error(Kind::of(desc.field, refused)))
    }

    /// Reads a number from 0 to `most`.
    pub(super) fn up_to(&mut self, field: Field, most: i64) -> Result<u32, ParseError> {
        self.between(field, 0, most)
    }

    /// Reads a number from `min` to `max`.
    pub(super) fn between(&mut self, field: Field, min: i64, max: i64) -> Result<u32, ParseError> {
        self.cursor.blank();
        let start = self.cursor.at;
        let value = self.cursor.integer(self.symbols)?;
        match (min..=max).contains(&value) {
            true => Ok(value as u32),
            false => Err(self.cursor.error_since(start, Kind::Range { field, min, max })),
        }
    }

    /// Skips `name:`.
    pub(super) fn label(&mut self) -> Result<(), ParseError> {
        self.cursor.blank();
        self.cursor.at += self.cursor.name().len();
        self.cursor.expect(b':')
    }

    /// Parses a modifier, and a comma after it.
    fn modifier(&mut self, desc: &OperandDesc) -> Result<(), ParseError> {
        self.modifier_text(desc)?;
        self.cursor.eat(b',');
        Ok(())
    }

    /// Parses a modifier, and stores its value.
    fn modifier_text(&mut self, desc: &OperandDesc) -> Result<(), ParseError> {
        let start = self.cursor.at;
        let name = self.cursor.name();
        let most = ((1u64 << desc.width) - 1) as i64;
        let OperandKind::Modifier(kind) = desc.kind else { return Err(self.cursor.error(Kind::Unexpected)) };
        let value = match kind {
            ModifierKind::Flag { .. } => {
                self.cursor.at += name.len();
                u32::from(name == desc.field.name().as_bytes())
            }
            ModifierKind::Omod => {
                self.label()?;
                let factor = self.cursor.integer(self.symbols)?;
                // `mul:1` and `div:1` change nothing.
                let value = self.numbered(self.text.names.omod, name, factor).or((factor == 1).then_some(0));
                let written = if name == b"mul" { "mul" } else { "div" };
                value.ok_or_else(|| self.cursor.error_since(start, Kind::Factor(written)))?
            }
            ModifierKind::Named
            | ModifierKind::Wait
            | ModifierKind::Dmask
            | ModifierKind::DppMask
            | ModifierKind::ByteSel => {
                self.label()?;
                let value = self.up_to(desc.field, most)?;
                // This branch also reads the bound_ctrl of permlane swaps, in which 0 can mean 1.
                let is_bound = desc.field == Field::BoundCtrl && self.zero_is_bound();
                if is_bound { 1 } else { value }
            }
            ModifierKind::Bitop3 { .. } => {
                self.label()?;
                // The error must not name the field, because the bits of the truth table are in fields with the names
                // of other modifiers.
                self.up_to(desc.field, u8::MAX.into()).map_err(|error| match error.kind {
                    Kind::Range { .. } => ParseError::new(error.span, Kind::Number8),
                    _ => error,
                })?
            }
            ModifierKind::Signed => return self.signed_number(desc),
            ModifierKind::List(style) => {
                // Registers with the suffix `.h` may have set bits of op_sel.
                let bits = self.bits(style, desc)?;
                if bits != 0 && self.contradicts_suffixes(desc, bits) {
                    return Err(self.cursor.error_since(start, Kind::Name(desc.field)));
                }
                if self.implied.is_some_and(|(field, value)| field == desc.field && value != bits) {
                    return Err(self.cursor.error_since(start, Kind::Implied));
                }
                bits | self.words.value(desc)
            }
            ModifierKind::Choice(ModifierList::Dim) => self.dim(desc)?,
            ModifierKind::Choice(list) => return self.choice(desc, self.text.names.of_modifier(list)),
            ModifierKind::TemporalHint { .. } => self.temporal_hint(desc)?,
            ModifierKind::DppCtrl => self.dpp_ctrl(desc.field)?,
            ModifierKind::DppBound => {
                self.label()?;
                let value = self.up_to(desc.field, 1)?;
                if self.zero_is_bound() { 1 } else { value }
            }
            ModifierKind::Dpp8 { code } => return self.dpp8(code, desc),
            ModifierKind::Swizzle => self.swizzle(desc.field)?,
            ModifierKind::MtbufFormat { nfmt } => return self.mtbuf_format(nfmt, desc),
            ModifierKind::BufferFormat => self.buf_fmt(desc.field, most)?,
            ModifierKind::Hidden => return Err(self.cursor.error(Kind::Unexpected)),
        };
        self.put(desc, value)
    }

    /// Reads `name:-8`, and stores the number.
    fn signed_number(&mut self, desc: &OperandDesc) -> Result<(), ParseError> {
        self.label()?;
        self.cursor.blank();
        let start = self.cursor.at;
        let value = self.cursor.integer(self.symbols)?;
        encode_number(desc, value, &mut self.words)
            .map_err(|refused| self.cursor.error_since(start, Kind::of(desc.field, refused)))
    }

    /// Whether `bound_ctrl:0` means 1, as it does before RDNA3.
    fn zero_is_bound(&self) -> bool {
        self.words.target.bound_ctrl_zero()
    }

    /// Reads `[0,1,1]`: the bits that the printed list shows, the lowest first. Missing bits are 0.
    fn bits(&mut self, style: ListStyle, desc: &OperandDesc) -> Result<u32, ParseError> {
        let start = self.cursor.at;
        self.label()?;
        self.cursor.expect(b'[')?;
        let shown = u32::from(shown_bits(style, desc));
        let (mut bits, mut left) = (0, shown);
        for _ in 0..LIST {
            let value = self.up_to(desc.field, 1)?;
            match left {
                // Zeros for absent operands have no effect, nor do ones where the default is one.
                0 if value == 0 || style == ListStyle::Ones => {}
                0 => return Err(self.cursor.error_since(start, Kind::Name(desc.field))),
                _ => {
                    bits |= value << left.trailing_zeros();
                    left &= left - 1;
                }
            }
            if !self.cursor.eat(b',') {
                break;
            }
        }
        self.cursor.expect(b']')?;
        let unused = ((1u32 << desc.width) - 1) & !u32::from(desc.used_bits);
        if bits & unused != 0 {
            return Err(self.cursor.error_since(start, Kind::Name(desc.field)));
        }
        Ok(if style == ListStyle::Ones { bits | unused } else { bits })
    }

    /// Whether the bits select another half of a register than its suffix `.l` or `.h` in the text.
    fn contradicts_suffixes(&self, desc: &OperandDesc, bits: u32) -> bool {
        let of_suffixes = self.words.value(desc);
        let registers = self.held.iter().flatten().filter(|held| match held.coded {
            EncodedOperand::Code(code) | EncodedOperand::High(code) => code >= VGPR,
            _ => false,
        });
        let mut places = registers.filter_map(|held| match held.desc.kind {
            OperandKind::Register(RegisterKind::HalfSelected { half, .. }) => Some(half),
            _ => None,
        });
        let differs = |half: Position| {
            let mut other = self.words.clone();
            other.set(half, !self.words.is_set(half));
            (other.value(desc) ^ of_suffixes) & (bits ^ of_suffixes) != 0
        };
        self.suffixes == Some(true) && places.any(differs)
    }

    /// Reads `dim:SQ_RSRC_IMG_2D` or `dim:2d`: the prefix can be missing, and case is ignored after it.
    fn dim(&mut self, desc: &OperandDesc) -> Result<u32, ParseError> {
        const PREFIX: &[u8] = b"SQ_RSRC_IMG_";
        self.label()?;
        self.cursor.blank();
        let word = self.cursor.word();
        let suffix = word.strip_prefix(PREFIX).unwrap_or(word);
        let is = |name: &str| name.as_bytes().strip_prefix(PREFIX).is_some_and(|own| own.eq_ignore_ascii_case(suffix));
        let found = self.text.names.dim.iter().find(|(_, name)| is(name));
        let &(value, _) = found.ok_or_else(|| self.cursor.error(Kind::Name(desc.field)))?;
        self.cursor.at += word.len();
        Ok(value.into())
    }

    /// Reads `name:VALUE`: one of the names, or a number.
    fn choice(&mut self, desc: &OperandDesc, names: &[(u16, &str)]) -> Result<(), ParseError> {
        self.label()?;
        self.cursor.blank();
        let start = self.cursor.at;
        let word = self.cursor.word();
        let is_scope = || desc.kind == OperandKind::Modifier(ModifierKind::Choice(ModifierList::Scope));
        let value = match names.iter().find(|(_, name)| name.as_bytes() == word) {
            Some((value, _)) => {
                self.cursor.at += word.len();
                u32::from(*value)
            }
            None if self.cursor.name().is_empty() && !self.cursor.is_done() => {
                self.up_to(desc.field, (1 << desc.width) - 1)?
            }
            // The printer omits this scope, so the table of names lacks it.
            None if word == b"SCOPE_CU" && is_scope() => {
                self.cursor.at += word.len();
                0
            }
            None => return Err(self.cursor.error(Kind::Name(desc.field))),
        };
        put_modifier(desc, value, &mut self.words)
            .map_err(|refused| self.cursor.error_since(start, Kind::of(desc.field, refused)))
    }

    /// The temporal hint in the rest of the text; 0 if there is none.
    pub(super) fn hint_ahead(&mut self) -> u32 {
        let here = self.cursor;
        let desc = self
            .form
            .descs()
            .find(|desc| matches!(desc.kind, OperandKind::Modifier(ModifierKind::TemporalHint { .. })));
        let hint = here.words().find(|(_, word)| *word == b"th").zip(desc).and_then(|((place, _), desc)| {
            self.cursor.at = place;
            self.temporal_hint(desc).ok()
        });
        self.cursor = here;
        hint.unwrap_or(0)
    }

    /// The error of a temporal hint whose name does not fit the scope: some values have another name in the system
    /// scope.
    fn hint_of_other_scope(&self, descs: Descs) -> Option<ParseError> {
        let (place, is_system) = self.hint?;
        let is_scope =
            |desc: &&OperandDesc| desc.kind == OperandKind::Modifier(ModifierKind::Choice(ModifierList::Scope));
        let scope = descs.modifiers().find(is_scope)?;
        let has_all = self.words.value(scope) == (1 << scope.width) - 1;
        (has_all != is_system)
            .then(|| Cursor { at: place, ..self.cursor }.error(Kind::HintOfScope { system: is_system }))
    }

    /// Reads a temporal hint, by the names that the printer writes and others that LLVM's assembler accepts.
    fn temporal_hint(&mut self, desc: &OperandDesc) -> Result<u32, ParseError> {
        self.label()?;
        self.cursor.blank();
        let word = self.cursor.word();
        if word.first().is_some_and(u8::is_ascii_digit) {
            return self.up_to(desc.field, 7);
        }
        let flags = Flags(info(self.words.target, self.op_index).flags);
        let t = &self.text.names;
        let (prefix, table, system) = match () {
            _ if flags.is_atomic() => (HINTS[0], t.th_atomic, &[][..]),
            _ if flags.is_store() => (HINTS[1], t.th_store, t.th_store_system),
            _ => (HINTS[2], t.th_load, t.th_load_system),
        };
        let returns = u32::from(self.reading == Reading::Returns);
        let (usual, whole) = (self.named(table, word), self.named(system, word));
        let has_other = usual.is_some_and(|value| system.iter().any(|(other, _)| u32::from(*other) == value));
        self.hint = (has_other || whole.is_some()).then_some((self.cursor.at, whole.is_some()));
        let value = match (usual.or(whole), word.strip_prefix(prefix.as_bytes())) {
            (Some(value), _) => Some(value | returns),
            (_, Some(b"RT")) => Some(0),
            // As in LLVM's assembler, the hint 0 can have its name from another kind of operation.
            _ if ZEROS.contains(&word) => Some(returns),
            (_, Some(b"RT_RETURN")) => Some(1),
            // LLVM prints this text if the hint does not fit the scope.
            (_, Some([b'0', b'x', digit @ b'4'..=b'7'])) if flags.is_atomic() => Some((digit - b'0').into()),
            _ => None,
        };
        let is_of_another = || HINTS.iter().any(|other| *other != prefix && word.starts_with(other.as_bytes()));
        let kind = || if is_of_another() { Kind::Hint(prefix) } else { Kind::Name(desc.field) };
        let value = value.ok_or_else(|| self.cursor.error(kind()))?;
        self.cursor.at += word.len();
        Ok(value)
    }

    pub(super) fn named(&self, names: &[(u16, &str)], word: &[u8]) -> Option<u32> {
        names.iter().find(|(_, name)| name.as_bytes() == word).map(|e| e.0.into())
    }

    /// The value of `name:number` in a table of names that has the number in decimal digits.
    fn numbered(&self, names: &[(u16, &str)], name: &[u8], number: i64) -> Option<u32> {
        let is = |text: &str| {
            let parts = text.split_once(':');
            parts.is_some_and(|(stem, digits)| stem.as_bytes() == name && digits.parse() == Ok(number))
        };
        names.iter().find(|(_, text)| is(text)).map(|e| e.0.into())
    }

    /// The first DPP control with this name, to which the table may add a number: `row_shl`, `row_bcast:15`.
    fn dpp_name(&self, name: &[u8]) -> Option<(u16, &'static str)> {
        let mut entries = self.text.names.dpp_ctrl.iter();
        let stem = |text: &'static str| text.as_bytes().split(|&c| c == b':').next() == Some(name);
        entries.find(|(_, text)| stem(text)).copied()
    }

    /// Whether the next name is that of a DPP control on any target.
    #[cold]
    fn is_other_dpp(&self) -> bool {
        let name = self.cursor.name();
        let mut names = TEXT.iter().flat_map(|text| text.names.dpp_ctrl);
        names.any(|(_, text)| text.as_bytes().split(|&c| c == b':').next() == Some(name))
    }

    fn dpp_ctrl(&mut self, field: Field) -> Result<u32, ParseError> {
        let start = self.cursor.at;
        let name = self.cursor.name();
        let Some((first, text)) = self.dpp_name(name) else { return Err(self.cursor.error(Kind::Name(field))) };
        let first = u32::from(first);
        if text.contains(':') {
            // The number is a part of the entry; several entries can have the same name before the number.
            self.label()?;
            let number = self.cursor.integer(self.symbols)?;
            let found = self.numbered(self.text.names.dpp_ctrl, name, number);
            return found.ok_or_else(|| self.cursor.error_since(start, Kind::Name(field)));
        }
        match text {
            "quad_perm" => {
                self.label()?;
                self.lanes(field, 4, 2)
            }
            "row_shl" | "row_shr" | "row_ror" => {
                self.label()?;
                self.cursor.blank();
                let place = self.cursor.at;
                match self.up_to(field, 15)? {
                    0 => Err(self.cursor.error_since(place, Kind::Range { field, min: 1, max: 15 })),
                    n => Ok(first + n - 1),
                }
            }
            "row_newbcast" | "row_share" | "row_xmask" => {
                self.label()?;
                Ok(first + self.up_to(field, 15)?)
            }
            _ => {
                self.cursor.at += name.len();
                Ok(first)
            }
        }
    }

    /// Reads `[0,1,2,3]`: numbers of `width` bits. The first number gives the lowest bits.
    fn lanes(&mut self, field: Field, lanes: u32, width: u32) -> Result<u32, ParseError> {
        self.cursor.expect(b'[')?;
        let mut all = 0;
        for lane in 0..lanes {
            if lane > 0 {
                self.cursor.expect(b',')?;
            }
            all |= self.up_to(field, (1 << width) - 1)? << (width * lane);
        }
        self.cursor.expect(b']')?;
        Ok(all)
    }

    /// Reads `dpp8:[...]`. Two codes announce the dword: `fi:1` after the list selects the one that stands for `fi`.
    fn dpp8(&mut self, code: Position, desc: &OperandDesc) -> Result<(), ParseError> {
        self.label()?;
        let lanes = self.lanes(desc.field, 8, 3)?;
        self.put(desc, lanes)?;
        self.cursor.eat(b',');
        if self.cursor.eat_call(b"fi", b':') && self.up_to(Field::Fi, 1)? == 1 && code != NONE {
            self.words.set(code, false);
            self.words.set(code + 1, true);
        }
        Ok(())
    }

    /// Reads the offset of `ds_swizzle_b32`, as a number or as one of the modes that the printer writes.
    fn swizzle(&mut self, field: Field) -> Result<u32, ParseError> {
        self.label()?;
        if !self.cursor.eat_call(b"swizzle", b'(') {
            return self.up_to(field, u16::MAX.into());
        }
        self.cursor.blank();
        let mode = self.cursor.name();
        let error = self.cursor.error(Kind::Name(field));
        let base = self.named(self.text.names.swizzle, mode);
        self.cursor.at += mode.len();
        self.cursor.expect(b',')?;
        let power = |n: u32, least: u32, most: u32| n.is_power_of_two() && (least..=most).contains(&n);
        const AND: u32 = 31;
        let value = match (mode, base) {
            (b"QUAD_PERM", Some(base)) => {
                let mut all = base;
                for lane in 0..4 {
                    if lane > 0 {
                        self.cursor.expect(b',')?;
                    }
                    all |= self.up_to(field, 3)? << (2 * lane);
                }
                all
            }
            (b"FFT", Some(base)) => base | self.up_to(field, 31)?,
            (b"ROTATE", Some(base)) => {
                let direction = self.up_to(field, 1)?;
                self.cursor.expect(b',')?;
                base | direction << 10 | self.up_to(field, 31)? << 5
            }
            (b"SWAP", _) => match self.up_to(field, 16)? {
                n if power(n, 1, 16) => AND | n << 10,
                _ => return Err(error),
            },
            (b"REVERSE", _) => match self.up_to(field, 32)? {
                n if power(n, 2, 32) => AND | (n - 1) << 10,
                _ => return Err(error),
            },
            (b"BROADCAST", _) => {
                let group = self.up_to(field, 32)?;
                if !power(group, 2, 32) {
                    return Err(error);
                }
                self.cursor.expect(b',')?;
                let lane = self.up_to(field, i64::from(group) - 1)?;
                (AND + 1 - group) & AND | lane << 5
            }
            (b"BITMASK_PERM", _) => self.bitmask(field)?,
            _ => return Err(error),
        };
        self.cursor.expect(b')')?;
        Ok(value)
    }

    /// Reads `"01pi0"`: the new value of each bit of a lane's number, the highest bit first.
    fn bitmask(&mut self, field: Field) -> Result<u32, ParseError> {
        self.cursor.blank();
        let start = self.cursor.at;
        let (mut and, mut or, mut xor) = (0, 0, 0);
        self.cursor.expect(b'"')?;
        for bit in (0..5).rev() {
            let mask = 1u32 << bit;
            match self.cursor.peek() {
                b'0' => {}
                b'1' => or |= mask,
                b'p' => and |= mask,
                b'i' => (and, xor) = (and | mask, xor | mask),
                _ => return Err(self.cursor.error_since(start, Kind::Name(field))),
            }
            self.cursor.at += 1;
        }
        self.cursor.expect(b'"')?;
        Ok(and | or << 5 | xor << 10)
    }
}
