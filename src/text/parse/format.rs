//! Parser of formats of typed buffers: `format:22`, `format:[BUF_FMT_32_FLOAT]`, `dfmt:14, nfmt:4`.

use super::{Kind, ParseError, Parser};
use crate::codec::put_modifier;
use crate::kind::{ModifierKind, OperandKind, Position};
use crate::opcode::Field;
use crate::table::OperandDesc;

/// The default formats BUF_DATA_FORMAT_8 and BUF_FMT_8_UNORM, which text can omit.
pub(super) const DEFAULT_FORMAT: u32 = 1;

/// The width of the number format of a typed buffer.
const NFMT: u8 = 3;

impl<'t> Parser<'t, '_> {
    /// Parses the format of a typed buffer if it comes before the scalar offset. Only formats in numbers can come
    /// there: `format:22`, or `dfmt` and `nfmt`, which have no other place.
    pub(super) fn early_format(&mut self) -> Result<(), ParseError> {
        let is_format = |desc: &&OperandDesc| {
            let kinds = matches!(
                desc.kind,
                OperandKind::Modifier(ModifierKind::MtbufFormat { .. } | ModifierKind::BufferFormat)
            );
            kinds && desc.access.is_none()
        };
        let Some(format) = self.form.descs().find(is_format) else { return Ok(()) };
        self.cursor.blank();
        let name = self.cursor.name();
        match format.kind {
            OperandKind::Modifier(ModifierKind::MtbufFormat { nfmt }) if matches!(name, b"dfmt" | b"nfmt") => {
                self.format_numbers(nfmt, format)?;
            }
            OperandKind::Modifier(ModifierKind::BufferFormat) if name == b"format" => {
                // The name of a format comes after the offset, so only a number is read here.
                self.label()?;
                let value = self.up_to(format.field, (1 << format.width) - 1)?;
                self.put(format, value)?;
            }
            _ => return Ok(()),
        }
        self.cursor.eat(b',');
        self.cursor.blank();
        self.early = Some(format);
        Ok(())
    }

    /// Reads `dfmt:14, nfmt:4`, which come before the scalar offset.
    fn format_numbers(&mut self, nfmt_at: Position, desc: &OperandDesc) -> Result<(), ParseError> {
        let start = self.cursor.at;
        let (mut dfmt, mut nfmt) = (None, None);
        for _ in 0..2 {
            if dfmt.is_none() && self.cursor.eat_call(b"dfmt", b':') {
                dfmt = Some(self.up_to(Field::Dfmt, 15)?);
            } else if nfmt.is_none() && self.cursor.eat_call(b"nfmt", b':') {
                nfmt = Some(self.up_to(Field::Nfmt, 7)?);
            }
            self.cursor.eat(b',');
        }
        self.put_formats([dfmt, nfmt], nfmt_at, desc, start)
    }

    /// Stores a data format and a number format, which can be missing.
    fn put_formats(
        &mut self,
        [dfmt, nfmt]: [Option<u32>; 2],
        nfmt_at: Position,
        desc: &OperandDesc,
        start: usize,
    ) -> Result<(), ParseError> {
        self.words.put(nfmt_at, NFMT, nfmt.unwrap_or(0));
        put_modifier(desc, dfmt.unwrap_or(DEFAULT_FORMAT), &mut self.words)
            .map_err(|refused| self.cursor.error_since(start, Kind::of(desc.field, refused)))
    }

    /// Reads `format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT]` or `format:78`.
    pub(super) fn mtbuf_format(&mut self, nfmt_at: Position, desc: &OperandDesc) -> Result<(), ParseError> {
        let (mut dfmt, mut nfmt) = (None, None);
        let start = self.cursor.at;
        self.label()?;
        if self.cursor.eat(b'[') {
            loop {
                self.cursor.blank();
                let name = self.cursor.name();
                match (self.named(self.text.names.dfmt, name), self.named(self.text.names.nfmt, name)) {
                    (Some(n), _) if dfmt.is_none() => dfmt = Some(n),
                    (_, Some(n)) if nfmt.is_none() => nfmt = Some(n),
                    _ => return Err(self.cursor.error(Kind::Name(desc.field))),
                }
                self.cursor.at += name.len();
                if !self.cursor.eat(b',') {
                    break;
                }
            }
            self.cursor.expect(b']')?;
        } else {
            let both = self.up_to(desc.field, (1 << (desc.width + NFMT)) - 1)?;
            (dfmt, nfmt) = (Some(both & ((1 << desc.width) - 1)), Some(both >> desc.width));
        }
        self.put_formats([dfmt, nfmt], nfmt_at, desc, start)
    }

    /// Reads `format:[BUF_FMT_32_FLOAT]`, `format:22`, or the two parts of a name as before RDNA1:
    /// `format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT]`.
    pub(super) fn buf_fmt(&mut self, field: Field, most: i64) -> Result<u32, ParseError> {
        self.label()?;
        if !self.cursor.eat(b'[') {
            return self.up_to(field, most);
        }
        self.cursor.blank();
        let start = self.cursor.at;
        let name = self.cursor.name();
        let value = match self.named(self.text.names.buf_fmt, name) {
            Some(value) => {
                self.cursor.at += name.len();
                Some(value)
            }
            None => {
                let (data, number) = self.format_parts(field)?;
                let is_it = |name: &[u8]| {
                    let rest = name.strip_prefix(b"BUF_FMT_").and_then(|rest| rest.strip_prefix(data));
                    // The format `INVALID` has no number format.
                    let is_without_number = rest.is_some_and(<[u8]>::is_empty) && number == b"UNORM";
                    is_without_number || rest.and_then(|rest| rest.strip_prefix(b"_")) == Some(number)
                };
                self.text.names.buf_fmt.iter().find(|(_, name)| is_it(name.as_bytes())).map(|e| e.0.into())
            }
        };
        let value = value.ok_or_else(|| self.cursor.error_since(start, Kind::Name(field)))?;
        self.cursor.expect(b']')?;
        Ok(value)
    }

    /// The data format and the number format that the names contain; one of them may be missing.
    fn format_parts(&mut self, field: Field) -> Result<(&'t [u8], &'t [u8]), ParseError> {
        let (mut data, mut number) = (None, None);
        loop {
            self.cursor.blank();
            let name = self.cursor.name();
            match (name.strip_prefix(b"BUF_DATA_FORMAT_"), name.strip_prefix(b"BUF_NUM_FORMAT_")) {
                (Some(part), _) if data.is_none() => data = Some(part),
                (_, Some(part)) if number.is_none() => number = Some(part),
                _ => return Err(self.cursor.error(Kind::Name(field))),
            }
            self.cursor.at += name.len();
            if !self.cursor.eat(b',') {
                return Ok((data.unwrap_or(b"8"), number.unwrap_or(b"UNORM")));
            }
        }
    }
}
