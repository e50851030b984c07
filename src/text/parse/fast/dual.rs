//! Parser of dual instructions, which have two operations.

use super::{Cursor, FastParser, Read};
use crate::check::{banks, bus_limit, bus_scalars};
use crate::decode::decode_words;
use crate::form::Form;
use crate::inst::Inst;
use crate::operation::OpcodeEntry;
use crate::shared::mnemonic_hash;
use crate::table::FastSignature;
use crate::target::{MNEMONICS_OF, OPS};
use crate::text::fast::is_name;
use crate::text::parse::operation::is_second;

impl FastParser<'_> {
    /// Parses the operands of both operations, and the mnemonic of the second one.
    pub(super) fn dual(&self) -> Option<Inst> {
        self.signatures(self.row).find_map(|(number, signature)| {
            let (mut cursor, mut read) = (self.cursor, Read::new(signature.match_value.into(), false));
            self.operands(number, &mut cursor, &mut read)?;
            if !cursor.eat_all(b"::") {
                return None;
            }
            cursor.blank();
            let name = cursor.name();
            cursor.at += name.len();
            let (second, row) = self.second(name)?;
            let opcode = OPS[self.target as usize].opcode(self.op_index.into())?;
            let entry = OpcodeEntry::new(self.target, self.op_index);
            let words = Form::new(self.target, opcode, &entry, entry.signature)?.start_dual(second.number(self.target));
            read.bits |= words.dwords.iter().take(2).rev().fold(0, |all, &dword| all << 32 | u128::from(dword));
            read.is_last = false;
            self.signatures(row).find_map(|signature| self.with_second(signature, cursor, read.clone(), &second))
        })
    }

    /// Parses the operands of the second operation.
    fn with_second(
        &self,
        (number, signature): (usize, &FastSignature),
        mut cursor: Cursor,
        mut read: Read,
        second: &OpcodeEntry,
    ) -> Option<Inst> {
        read.mark(signature.match_mask.into(), signature.match_value.into())?;
        self.operands(number, &mut cursor, &mut read)?;
        if !cursor.is_done() {
            return None;
        }
        let mut dwords: [u32; 4] = core::array::from_fn(|n| (read.bits >> (32 * n)) as u32);
        if let Some(literal) = read.literal {
            dwords[2] = literal;
        }
        let inst = decode_words(self.target, &dwords).ok()?;
        let is_it = inst.op_index() == self.op_index.into()
            && inst.second_index() == Some(second.op_index.into())
            && inst.words().len() == 2 + usize::from(read.literal.is_some());
        (is_it && self.is_text_of(&inst) && self.keeps_rules(&inst, &read)).then_some(inst)
    }

    /// Whether [`Inst::check`] accepts the instruction.
    fn keeps_rules(&self, inst: &Inst, read: &Read) -> bool {
        let can_break_all =
            inst.target().aligned_vgprs() || read.scalars >= bus_limit(inst) && bus_scalars(inst) > bus_limit(inst);
        if can_break_all { inst.check().is_ok() } else { banks(inst).is_none() }
    }

    /// The operation of this name that can be the second of a dual instruction, and its entry of `FastText::rows`.
    fn second(&self, name: &[u8]) -> Option<(OpcodeEntry, u32)> {
        let slots = MNEMONICS_OF[self.target as usize].slots;
        let mask = slots.len().wrapping_sub(1);
        let start = mnemonic_hash(name) as usize;
        let op_indices = (0..slots.len()).map_while(|n| slots.get((start + n) & mask)?.checked_sub(1));
        let mut rows = op_indices.filter_map(|op_index| {
            let row = *self.tables.rows.get(usize::from(op_index)).filter(|row| is_name(**row, name))?;
            Some((OpcodeEntry::new(self.target, op_index), row))
        });
        rows.find(|(entry, _)| is_second(self.target, entry))
    }
}
