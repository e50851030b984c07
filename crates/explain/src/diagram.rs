//! The bits of an instruction and their fields, dword by dword, for all drawings.

use amdgpu_isa::Inst;

use crate::{FieldView, facts, fields};

/// The drawing of an instruction, or of a dword that is not an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagram {
    /// The instruction's text.
    pub title: String,
    /// The target, the format and the length.
    pub subtitle: String,
    /// The dwords to draw.
    pub words: Vec<u32>,
    /// The fields; empty if the dword is not an instruction.
    pub fields: Vec<FieldView>,
    /// Further facts, one per line: a heading, and the fact.
    pub facts: Vec<(&'static str, String)>,
}

/// Neighbouring bits of one dword that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The lowest bit within the dword, 0 to 31.
    pub lsb: u32,
    /// The width in bits.
    pub width: u32,
    /// The index into `Diagram::fields`; `None` for bits that belong to no field.
    pub field: Option<usize>,
}

impl Cell {
    /// The highest bit within the dword, 0 to 31.
    pub fn msb(&self) -> u32 {
        self.lsb + self.width - 1
    }
}

impl Diagram {
    /// The diagram of an instruction.
    pub fn of(inst: &Inst) -> Diagram {
        Diagram {
            title: inst.to_string(),
            subtitle: format!("{} {}, {} bytes", inst.target().name(), inst.format(), inst.len()),
            words: inst.words().to_vec(),
            fields: fields(inst),
            facts: facts(inst),
        }
    }

    /// The cells of dword `index`, from bit 31 down to bit 0.
    pub fn cells(&self, index: usize) -> Vec<Cell> {
        let owners: Vec<_> = (0..32).map(|bit| self.owner(32 * index as u64 + bit)).collect();
        let mut cells: Vec<Cell> = Vec::new();
        for (bit, &owner) in (0..32).zip(&owners).rev() {
            // Each piece of a field has a cell of its own, because its `(field, piece)` is different.
            let joins = bit < 31 && owners.get(bit as usize + 1) == Some(&owner);
            match cells.last_mut() {
                Some(cell) if joins => {
                    cell.lsb = bit;
                    cell.width += 1;
                }
                _ => cells.push(Cell { lsb: bit, width: 1, field: owner.map(|(field, _)| field) }),
            }
        }
        cells
    }

    /// The field and the piece of it to which a bit of the instruction belongs: the first field, if fields overlap.
    fn owner(&self, bit: u64) -> Option<(usize, usize)> {
        self.fields.iter().enumerate().find_map(|(i, field)| {
            let holds = |&(lsb, width): &(u32, u32)| (u64::from(lsb)..u64::from(lsb) + u64::from(width)).contains(&bit);
            field.pieces.iter().position(holds).map(|piece| (i, piece))
        })
    }

    /// Whether a bit of a dword is set.
    pub fn bit(&self, dword: usize, bit: u32) -> bool {
        self.words.get(dword).is_some_and(|w| w >> (bit & 31) & 1 != 0)
    }

    /// A key for each field whose name does not fit one of its cells, in order of appearance: letters, then digits,
    /// then `*`.
    pub fn keys(&self, fits: impl Fn(&str, u32) -> bool) -> Vec<Option<char>> {
        let mut keys = vec![None; self.fields.len()];
        let mut letters = ('a'..='z').chain('A'..='Z').chain('0'..='9');
        for dword in 0..self.words.len() {
            for cell in self.cells(dword) {
                let Some(i) = cell.field else { continue };
                if let (Some(field), Some(key @ None)) = (self.fields.get(i), keys.get_mut(i)) {
                    if !fits(&field.name, cell.width) {
                        *key = Some(letters.next().unwrap_or('*'));
                    }
                }
            }
        }
        keys
    }

    /// The bits of a field in the whole instruction: `15:0`, or `14 60:59` for a split field, where the piece with the
    /// highest bits of the value comes first.
    pub fn range(field: &FieldView) -> String {
        let piece = |&(lsb, width): &(u32, u32)| match width {
            0 | 1 => format!("{lsb}"),
            _ => format!("{}:{lsb}", u64::from(lsb) + u64::from(width) - 1),
        };
        field.pieces.iter().rev().map(piece).collect::<Vec<_>>().join(" ")
    }

    /// The value of a field: small numbers in decimal, and others in hexadecimal.
    pub fn value(field: &FieldView) -> String {
        match field.value {
            0..=9 => field.value.to_string(),
            v => format!("{v:#x}"),
        }
    }

    /// The bits that are set but belong to no field: they are ignored or reserved.
    pub fn unnamed_set_bits(&self) -> Vec<u32> {
        if self.fields.is_empty() {
            return Vec::new();
        }
        let count = u32::try_from(self.words.len()).unwrap_or(0) * 32;
        let set = |&b: &u32| self.bit((b / 32) as usize, b % 32) && self.owner(u64::from(b)).is_none();
        (0..count).filter(set).collect()
    }
}

/// Diagrams for the tests of renderings.
pub mod sample {
    use super::*;

    fn field(name: &str, pieces: &[(u32, u32)], value: u64, meaning: &str) -> FieldView {
        FieldView { name: name.into(), pieces: pieces.into(), value, meaning: meaning.into() }
    }

    /// A VOP3P word with its split `op_sel_hi`, and unnamed bits.
    pub fn vop3p() -> Diagram {
        Diagram {
            title: "v_pk_fma_f16 v0, v1, v2, v3 op_sel_hi:[0,1,1] <&>".into(),
            subtitle: "gfx942 VOP3P, 8 bytes".into(),
            words: vec![0xd38e_4000, 0x140e_0501],
            fields: vec![
                field("encoding", &[(23, 9)], 0x1a7, "VOP3P"),
                field("op", &[(16, 7)], 14, "v_pk_fma_f16"),
                field("clamp", &[(15, 1)], 0, ""),
                field("op_sel_hi", &[(59, 2), (14, 1)], 6, "[0,1,1]"),
                field("op_sel", &[(11, 3)], 0, ""),
                field("neg_hi", &[(8, 3)], 0, ""),
                field("vdst", &[(0, 8)], 0, "v0"),
                field("neg", &[(61, 3)], 0, ""),
                field("src2", &[(50, 9)], 0x103, "v3"),
                field("src1", &[(41, 9)], 0x102, "v2"),
                field("src0", &[(32, 9)], 0x101, "v1"),
            ],
            facts: vec![("flags", "packed".into())],
        }
    }

    /// A diagram of `count` dwords, with a field across a dword boundary, and one that reaches past the end.
    pub fn wide(count: u32) -> Diagram {
        Diagram {
            title: format!("wide{count}"),
            subtitle: String::new(),
            words: (0..count).map(|i| 0x8000_0001u32.rotate_left(i)).collect(),
            fields: vec![
                field("lo", &[(0, 5)], 1, "s1"),
                field("across", &[(28, 8)], 0x18, ""),
                field("past", &[(32 * count - 4, 40)], 0, ""),
                field("empty", &[], 0, ""),
                field("overlap", &[(3, 9)], 0, ""),
            ],
            facts: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn cells_fill_every_dword_exactly() {
        for diagram in (1..=5).map(sample::wide).chain([sample::vop3p()]) {
            for dword in 0..diagram.words.len() {
                let cells = diagram.cells(dword);
                assert_eq!(cells.iter().map(|c| c.width).sum::<u32>(), 32);
                assert_eq!(cells.first().map(Cell::msb), Some(31));
                assert!(cells.windows(2).all(|w| w[0].lsb == w[1].msb() + 1));
            }
        }
    }

    #[test]
    fn every_field_has_a_letter_of_its_own() {
        let mut diagram = sample::wide(2);
        let field = diagram.fields[0].clone();
        let bit = |lsb| FieldView { pieces: vec![(lsb, 1)], ..field.clone() };
        diagram.fields = (0..64).map(bit).collect();
        let keys = diagram.keys(|_, _| false);
        // The keys are all letters and digits, and then stars.
        assert_eq!(keys.iter().flatten().filter(|key| key.is_ascii_alphanumeric()).collect::<BTreeSet<_>>().len(), 62);
        assert_eq!(keys.iter().filter(|key| **key == Some('*')).count(), 2);
    }

    #[test]
    fn split_fields_show_all_their_bits() {
        let d = sample::vop3p();
        assert_eq!(Diagram::range(&d.fields[3]), "14 60:59");
        let places: Vec<_> =
            (0..2).flat_map(|i| d.cells(i)).filter(|c| c.field == Some(3)).map(|c| (c.lsb, c.width)).collect();
        assert_eq!(places, [(14, 1), (27, 2)]);
    }
}
