//! One form of an operation on a target: what its words begin with, and what must come out of them.

use super::Words;
use crate::common::Place;
use crate::inst::layout;
use crate::table::{Item, Shape};
use crate::target::ITEMS;
use crate::{DecodeError, Field, Format, Inst, Layout, Opcode, Target, decode_words};

/// A form of an operation: a base format, and what stands behind it.
pub(crate) struct Form {
    opcode: Opcode,
    target: Target,
    number: u16,
    pub layout: &'static Layout,
    pub shape: &'static Shape,
    /// The format of the dword behind the base words; a literal is none.
    pub extension: Option<Format>,
}

/// Why words are not what was wanted.
pub(crate) enum Unmade {
    /// They do not decode.
    Decode(DecodeError),
    /// Two dwords would have to stand behind the base words.
    Literal,
    /// They are something else.
    Other,
}

impl Form {
    /// `None` if the target lacks the format.
    pub(crate) fn new(target: Target, opcode: Opcode, place: &Place, shape: &'static Shape) -> Option<Form> {
        let layout = layout(target, place.shape.format)?;
        let extension = shape.extension.filter(|&e| e != Format::Literal);
        Some(Form { opcode, target, number: place.number, layout, shape, extension })
    }

    pub(crate) fn items(&self) -> impl Iterator<Item = &'static Item> + use<> {
        items(self.target, self.shape)
    }

    /// Encoding bits, opcode, and the code that announces what stands behind.
    pub(crate) fn start(&self) -> Words {
        let mut words = Words::new(self.target, self.layout);
        for info in self.layout.fields.iter().filter(|info| !info.overlay) {
            let mut extends = self.layout.extends.iter();
            let announced = extends.find(|e| e.field == info.field && Some(e.format) == self.extension);
            let value = match (info.fixed, announced) {
                (Some(fixed), _) => fixed,
                (None, Some(announced)) => announced.code,
                _ if info.field == Field::Op => self.number,
                _ => continue,
            };
            words.field(0, info, value.into());
        }
        words
    }

    /// Decodes the words, with their literal, and makes sure that they are of this form.
    pub(crate) fn finish(&self, words: &mut Words) -> Result<Inst, Unmade> {
        let mut dwords = usize::from(self.layout.bits / 32) + usize::from(self.extension.is_some());
        if let Some(literal) = words.literal {
            if self.extension.is_some() {
                return Err(Unmade::Literal);
            }
            *words.dwords.get_mut(dwords).ok_or(Unmade::Literal)? = literal;
            dwords += 1;
        }
        // Some rows demand bits that no modifier of theirs is: as many as a word has.
        for _ in 0..u32::BITS {
            match decode_words(self.target, words.dwords.get(..dwords).unwrap_or(&words.dwords)) {
                Ok(inst) => return self.accept(inst, dwords),
                Err(DecodeError::ReservedBits { bit, .. }) if !words.is_set(bit) => words.set(bit, true),
                Err(error) => return Err(Unmade::Decode(error)),
            }
        }
        Err(Unmade::Other)
    }

    fn accept(&self, inst: Inst, dwords: usize) -> Result<Inst, Unmade> {
        let behind = inst.extension().filter(|&e| e != Format::Literal);
        let good = inst.opcode() == self.opcode
            && inst.words().len() == dwords
            && (inst.format(), behind) == (self.shape.format, self.extension);
        if good { Ok(inst) } else { Err(Unmade::Other) }
    }
}

/// The operands and modifiers of a shape.
pub(crate) fn items(target: Target, shape: &Shape) -> impl Iterator<Item = &'static Item> + use<> {
    let tables = ITEMS[target as usize];
    tables.list_of(shape).iter().filter_map(|&n| tables.items.get(usize::from(n)))
}
