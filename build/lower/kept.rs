//! Destinations that an instruction writes only in part, depending on its words: the destination of SDWA that preserves
//! the rest, of DPP that leaves out lanes, of a 16-bit result in the upper half, of loads that may fail, and of an odd
//! number of packed components.

use crate::build::kind::{ImageData, ImageKind, OperandKind};
use crate::build::lower::{FormSignature, Info, OperandDesc, Target};
use crate::build::model::Access;
use crate::build::shared::constraint_flags;

/// The fields of vector registers with results.
const DATA: [&str; 2] = ["vdst", "vdata"];
/// The field that DPP has and DPP8 lacks, and the fields with which DPP leaves out lanes.
const DPP: &str = "dpp_ctrl";
const LANES: [&str; 3] = ["bound_ctrl", "row_mask", "bank_mask"];
/// The fields of a load that may fail.
const FAILS: [&str; 2] = ["tfe", "lwe"];
/// The bit of `op_sel` for the destination.
const UPPER_HALF: usize = 3;

/// The set of words whose bits under `mask` have the value `value`, among the first 128 bits of an instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Term {
    pub mask: u128,
    pub value: u128,
}

impl Term {
    /// The set of all words.
    const ALWAYS: Term = Term { mask: 0, value: 0 };

    /// The words with a value at the positions `places`, the lowest bit first.
    fn of(places: &[u8], value: u32) -> Term {
        let bit = |(n, place): (usize, &u8)| Term { mask: 1 << place, value: u128::from(value >> n & 1) << place };
        places.iter().enumerate().map(bit).fold(Term::ALWAYS, Term::and)
    }

    /// The words with another value at these positions, as a term for each bit that can differ.
    fn unlike(places: &[u8], value: u32) -> Vec<Term> {
        places.iter().enumerate().map(|(n, &place)| Term::of(&[place], !value >> n & 1)).collect()
    }

    /// The words that are in both terms, which must be about different bits.
    fn and(self, other: Term) -> Term {
        Term { mask: self.mask | other.mask, value: self.value | other.value }
    }

    /// Whether the set has words in which the bits of `clear` are clear and those of `set` are set.
    pub fn is_possible(&self, clear: u64, set: u64) -> bool {
        self.value & u128::from(clear) == 0 && self.mask & !self.value & u128::from(set) == 0
    }
}

/// The words with which a form keeps a part of an operand that it writes, as the union of terms.
pub fn terms(t: &Target, s: &FormSignature, info: &Info, desc: &OperandDesc) -> Vec<Term> {
    if desc.access != Some(Access::Write) || !DATA.contains(&desc.field.as_str()) {
        return Vec::new();
    }
    let words = Words { t, s };
    let mut terms = words.of_extension();
    // An operand that is one half of a register does not include the other half, so the rules below do not apply.
    if desc.kind.is_half() {
        return terms;
    }
    let has = |flag: &str| info.flags.iter().any(|f| f == flag);
    if has("half") {
        terms.push(words.upper_half());
    }
    if has("load") {
        terms.extend(FAILS.iter().filter_map(|name| words.place(name)).map(|places| Term::of(&places, 1)));
        terms.extend(words.odd(desc));
    }
    terms
}

/// The words of a form.
struct Words<'a> {
    t: &'a Target<'a>,
    s: &'a FormSignature,
}

impl Words<'_> {
    /// The positions of a field's bits, the lowest one first; `None` if the form lacks the field.
    fn place(&self, name: &str) -> Option<Vec<u8>> {
        let base = self.t.formats[self.s.format].def.bits;
        let parts = self.s.extension.map(|extension| (extension, base)).into_iter().chain([(self.s.format, 0)]);
        let found = |(format, first): (usize, u8)| {
            let (_, bits) = self.t.formats[format].fields.iter().find(|(field, _)| field.name == name)?;
            Some(bits.pieces.iter().flat_map(|p| p.lsb..p.lsb + p.width).map(|n| first + n).collect())
        };
        parts.into_iter().find_map(found)
    }

    /// The default value of a field of the trailing dword, or with `neutral` its value without effect; 0 if the tables
    /// state none.
    fn stated(&self, name: &str, neutral: bool) -> u32 {
        let stated = self.s.extension.into_iter().flat_map(|extension| &self.t.formats[extension].def.defaults);
        stated.into_iter().find(|d| d.neutral == neutral && d.field == name).map_or(0, |d| d.value)
    }

    fn of_extension(&self) -> Vec<Term> {
        let mut terms = Vec::new();
        if let (Some(unused), Some(part)) = (self.place("dst_unused"), self.place("dst_sel")) {
            // The default of `dst_unused` preserves the rest.
            let preserves = Term::of(&unused, self.stated("dst_unused", false));
            terms.extend(Term::unlike(&part, self.stated("dst_sel", true)).into_iter().map(|some| some.and(preserves)));
        }
        if self.place(DPP).is_some() {
            let lanes = LANES.iter().filter_map(|name| Some((self.place(name)?, self.stated(name, true))));
            terms.extend(lanes.flat_map(|(places, all)| Term::unlike(&places, all)));
        }
        terms
    }

    /// The words whose result is a half of the destination.
    fn upper_half(&self) -> Term {
        match (self.place("dst_sel"), self.place("op_sel")) {
            // Where SDWA writes only a part, `dst_unused` determines the rest.
            (Some(part), _) => Term::of(&part, self.stated("dst_sel", true)),
            (None, Some(op_sel)) => op_sel.get(UPPER_HALF).map_or(Term::ALWAYS, |place| Term::of(&[*place], 1)),
            (None, None) => Term::ALWAYS,
        }
    }

    /// The words with an odd number of components that are packed in pairs. A gather has four components for any dmask,
    /// and an empty dmask counts as one component.
    fn odd(&self, desc: &OperandDesc) -> Vec<Term> {
        let gathers = matches!(desc.kind, OperandKind::Image(ImageKind::Data { data: ImageData::Gather, .. }));
        let packs = self.t.constraints[self.s.constraints].flags & constraint_flags::D16 != 0;
        let (true, Some(d16), Some(dmask)) = (packs && !gathers, self.place("d16"), self.place("dmask")) else {
            return Vec::new();
        };
        let masks = (0..1u32 << dmask.len()).filter(|mask| mask.count_ones().max(1) % 2 == 1);
        masks.map(|mask| Term::of(&dmask, mask).and(Term::of(&d16, 1))).collect()
    }
}
