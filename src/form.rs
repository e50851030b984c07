//! One form of an operation on a target: the initial bits of its words, and checks of the result.

mod start;

use crate::codec::{Words, descs};
use crate::decode::canonical::filled;
use crate::decode::decode_words;
use crate::error::DecodeError;
use crate::inst::Inst;
use crate::opcode::{Field, Format, Opcode};
use crate::operation::{OpcodeEntry, layout};
use crate::table::{FieldInfo, FormSignature, Layout, OperandDesc};
use crate::target::Target;

#[cfg(feature = "make")]
pub(crate) use start::Start;
pub(crate) use start::start_of;

/// A form of an operation: a base format, and the format of a trailing dword.
pub(crate) struct Form {
    pub opcode: Opcode,
    pub target: Target,
    entry: OpcodeEntry,
    pub layout: &'static Layout,
    pub signature: &'static FormSignature,
    /// The format of the trailing dword; `None` if it is a literal, or if there is no such dword.
    pub extension: Option<Format>,
}

/// The reason why the words are not an instruction of the form.
pub(crate) enum Unmade {
    /// The words do not decode.
    Decode(DecodeError),
    /// The form would need two trailing dwords.
    Literal,
    /// The words are another instruction or form.
    Other,
}

impl Form {
    /// The form of an operation; `None` if the target lacks the format.
    pub(crate) fn new(
        target: Target,
        opcode: Opcode,
        entry: &OpcodeEntry,
        signature: &'static FormSignature,
    ) -> Option<Form> {
        let layout = layout(target, entry.signature.format)?;
        let extension = signature.extension.filter(|e| !e.is_literal());
        Some(Form { opcode, target, entry: *entry, layout, signature, extension })
    }

    pub(crate) fn descs(&self) -> impl Iterator<Item = &'static OperandDesc> + Clone + use<> {
        descs(self.target, self.signature)
    }

    /// The words with the encoding bits, the opcode, and the code that announces the trailing dword.
    pub(crate) fn start(&self) -> Words {
        self.start_with(0)
    }

    /// The words of `start`, with the bits `second` in the opcode field in addition to those of the operation.
    #[inline]
    fn start_with(&self, second: u16) -> Words {
        let mut words = Words::new(self.target, self.layout);
        let start = start_of(self.target, self.layout.format);
        words.dwords = start.dwords;
        if let Some(op) = start.op {
            // High bits, which distinguish formats, do not fit and are cut off.
            let number = start.number(self.target, &self.entry);
            words.put_field(0, op, (number | second).into());
        }
        if let Some(extension) = self.extension {
            let is_variable = |info: &&FieldInfo| !info.overlay && info.fixed.is_none() && info.field != Field::Op;
            for info in self.layout.fields.iter().filter(is_variable) {
                let announced = self.layout.extends.iter().find(|e| e.field == info.field && e.format == extension);
                if let Some(announced) = announced {
                    words.put_field(0, info, announced.code.into());
                }
            }
        }
        words.fill(filled(self.target, self.signature));
        words
    }

    /// The words of `start`, with the opcode of the second operation.
    #[cfg(feature = "text")]
    pub(crate) fn start_dual(&self, second: u16) -> Words {
        self.start_with(second)
    }

    /// The words of `start`, for a conversion of `from`. Several codes can announce the trailing dword (the codes of
    /// DPP8 with and without `fi`). If `from` has that dword too, its code is kept.
    pub(crate) fn start_as(&self, from: &Inst) -> Words {
        let mut words = self.start();
        let info = |layout: &'static Layout, field| layout.fields.iter().find(|info| info.field == field);
        let old = layout(from.target(), from.format());
        for e in self.layout.extends.iter().filter(|e| Some(e.format) == self.extension) {
            let (Some(there), Some(here)) = (info(self.layout, e.field), old.and_then(|old| info(old, e.field))) else {
                continue;
            };
            if from.extension() == self.extension && from.field(here.lsb, here.width) == u32::from(e.code) {
                words.put_field(0, there, e.code.into());
            }
        }
        words
    }

    /// Decodes the words with their literal, and checks that they have this form.
    pub(crate) fn finish(&self, words: &mut Words) -> Result<Inst, Unmade> {
        let extension = self.extension.and_then(|extension| layout(self.target, extension));
        let mut dwords = usize::from((self.layout.bits + extension.map_or(0, |layout| layout.bits)) / 32);
        if words.literal.is_some() {
            for literal in words.literals() {
                if self.extension.is_some() {
                    return Err(Unmade::Literal);
                }
                *words.dwords.get_mut(dwords).ok_or(Unmade::Literal)? = literal;
                dwords += 1;
            }
        }
        // Some rows of the tables require ones in bits that no modifier sets. Each try sets one such bit; there are at
        // most 32 of these bits.
        for _ in 0..u32::BITS {
            match decode_words(self.target, words.dwords.get(..dwords).unwrap_or(&words.dwords)) {
                Ok(inst) => return self.accept(inst, dwords),
                Err(DecodeError::ReservedBits { bit, .. }) if !words.is_set(bit) => words.set(bit, true),
                Err(error) => return Err(Unmade::Decode(error)),
            }
        }
        Err(Unmade::Other)
    }

    /// Whether an instruction is of this form. The opcode index determines the operation, and the signature the
    /// formats.
    #[inline]
    fn has(&self, inst: &Inst) -> bool {
        inst.op_index() == usize::from(self.entry.op_index)
            && match inst.form() {
                0 => core::ptr::eq(self.entry.signature, self.signature),
                _ => core::ptr::eq(inst.signature(), self.signature),
            }
    }

    fn accept(&self, inst: Inst, dwords: usize) -> Result<Inst, Unmade> {
        if self.has(&inst) && inst.words().len() == dwords {
            return Ok(inst);
        }
        let own = inst.extension().filter(|e| !e.is_literal());
        let good = inst.opcode() == self.opcode
            && inst.words().len() == dwords
            && (inst.format(), own) == (self.signature.format, self.extension);
        if good { Ok(inst) } else { Err(Unmade::Other) }
    }
}
