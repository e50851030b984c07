//! The operations that a mnemonic can mean, and the order of their encodings.

use crate::codec::descs;
use crate::kind::OperandKind;
use crate::opcode::{Format, Opcode};
use crate::operation::{OpcodeEntry, info, own_spelling};
use crate::shared::mnemonic_hash;
use crate::table::generated::ASSEMBLER_FACTS;
use crate::table::{AssemblerFacts, FormSignature, Implied, Open};
use crate::target::{MNEMONICS_OF, OPS, Target};

/// The encoding that the suffix of a mnemonic selects.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Suffix {
    None,
    E32,
    E64,
    Sdwa,
    Dpp,
    LongDpp,
}

const SUFFIXES: [(&[u8], Suffix); 5] = [
    (b"_e64_dpp", Suffix::LongDpp),
    (b"_e32", Suffix::E32),
    (b"_e64", Suffix::E64),
    (b"_sdwa", Suffix::Sdwa),
    (b"_dpp", Suffix::Dpp),
];

/// The order in which LLVM tries encodings.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    Short,
    Long,
    Sdwa,
    Dpp,
    LongDpp,
}

impl Rank {
    pub const ALL: [Rank; 5] = [Rank::Short, Rank::Long, Rank::Sdwa, Rank::Dpp, Rank::LongDpp];

    pub fn of(signature: &FormSignature) -> Rank {
        let is_long = assembler_facts(signature.format).is_long;
        match signature.extension {
            Some(Format::Sdwa | Format::Sdwab) => Rank::Sdwa,
            Some(Format::Dpp | Format::Dpp8) if is_long => Rank::LongDpp,
            Some(Format::Dpp | Format::Dpp8) => Rank::Dpp,
            _ if is_long => Rank::Long,
            _ => Rank::Short,
        }
    }

    /// The forms of an operation with this rank.
    pub fn forms(self, target: Target, entry: &OpcodeEntry) -> impl Iterator<Item = &'static FormSignature> + use<> {
        // A few forms of images with a trailing dword have the rank of the form without it.
        let base = Some(entry.signature).filter(|base| Rank::of(base) == self);
        base.into_iter().chain(entry.forms(target).filter(move |form| Rank::of(form) == self))
    }

    fn has(self, suffix: Suffix) -> bool {
        match suffix {
            Suffix::None => true,
            Suffix::E32 => self == Rank::Short,
            Suffix::E64 => self == Rank::Long,
            Suffix::Sdwa => self == Rank::Sdwa,
            Suffix::Dpp => self == Rank::Dpp,
            Suffix::LongDpp => self == Rank::LongDpp,
        }
    }
}

/// The facts about LLVM's assembler that depend on the format.
pub(super) fn assembler_facts(format: Format) -> &'static AssemblerFacts {
    const UNKNOWN: AssemblerFacts = AssemblerFacts { is_long: false, folds_signs: false, open: Open::None };
    ASSEMBLER_FACTS.get(format as usize).unwrap_or(&UNKNOWN)
}

/// The opcodes and opcode indices of a mnemonic, in the order of their encodings: those with fewer bits come first.
pub(super) fn all(target: Target, name: &[u8]) -> impl Iterator<Item = (Opcode, u16)> {
    let slots = MNEMONICS_OF[target as usize].slots;
    let mask = slots.len().wrapping_sub(1);
    let start = mnemonic_hash(name) as usize;
    let indices = (0..slots.len()).map_while(move |n| slots.get((start + n) & mask)?.checked_sub(1));
    indices.filter_map(move |op_index| {
        let opcode = OPS[target as usize].opcode(op_index.into())?;
        let known = spelling(target, op_index, opcode).as_bytes();
        (known == name || known.eq_ignore_ascii_case(name)).then_some((opcode, op_index))
    })
}

/// The name that a synonym stands for, ignoring case, and the modifier that the synonym implies. The name is empty if
/// there is no such synonym.
pub(super) fn meaning(target: Target, name: &[u8]) -> (&'static [u8], Implied) {
    let synonyms = MNEMONICS_OF[target as usize].synonyms;
    let lower = || name.iter().map(u8::to_ascii_lowercase);
    let found = synonyms.binary_search_by(|(synonym, ..)| synonym.bytes().map(|c| c.to_ascii_lowercase()).cmp(lower()));
    found.ok().and_then(|n| synonyms.get(n)).map_or((b"", None), |&(_, means, implied)| (means.as_bytes(), implied))
}

/// The mnemonic of an opcode index on a target.
pub(super) fn spelling(target: Target, op_index: u16, opcode: Opcode) -> &'static str {
    let own = if info(target, op_index.into()).respelled { own_spelling(target, op_index.into()) } else { None };
    own.unwrap_or_else(|| opcode.name())
}

/// A mnemonic without the suffix of its encoding, and that encoding.
pub(super) fn stem(name: &[u8]) -> (&[u8], Suffix) {
    // A name that does not end in the last character of a suffix needs no search.
    if !name.last().is_some_and(|last| matches!(last.to_ascii_lowercase(), b'p' | b'2' | b'4' | b'a')) {
        return (name, Suffix::None);
    }
    for (ending, suffix) in SUFFIXES {
        let stem = name.len().checked_sub(ending.len()).map(|len| name.split_at(len));
        if let Some((stem, _)) = stem.filter(|(_, end)| end.eq_ignore_ascii_case(ending)) {
            return (stem, suffix);
        }
    }
    (name, Suffix::None)
}

/// An upper bound of the number of encodings of a mnemonic.
const MOST: usize = 8;

/// The operations that a mnemonic names, and the encoding that the suffix of the mnemonic selects.
pub(super) struct Operations {
    found: [Option<(Opcode, OpcodeEntry)>; MOST],
    suffix: Suffix,
    /// The modifier that the name implies.
    pub implied: Implied,
}

impl Operations {
    /// Finds the operations of a mnemonic, which can have the suffix of an encoding or be a synonym.
    pub fn find(target: Target, name: &[u8]) -> Operations {
        let (name, suffix) = stem(name);
        let mut operations = Operations { found: [None; MOST], suffix, implied: None };
        operations.fill(target, name);
        if operations.is_empty() {
            let (name, implied) = meaning(target, name);
            let (name, own) = stem(name);
            operations.implied = implied;
            operations.fill(target, name);
            match (own, operations.suffix) {
                (Suffix::None, _) => {}
                (own, asked) if asked == Suffix::None || asked == own => operations.suffix = own,
                _ => operations.found = [None; MOST],
            }
        }
        operations
    }

    /// The operations of a name that is a synonym as a whole, with its suffix, such as `v_readlane_b32_e32`.
    pub fn synonym(target: Target, name: &[u8]) -> Option<Operations> {
        let (name, implied) = meaning(target, name);
        let (name, suffix) = stem(name);
        let mut operations = Operations { found: [None; MOST], suffix, implied };
        operations.fill(target, name);
        (!operations.is_empty()).then_some(operations)
    }

    fn fill(&mut self, target: Target, name: &[u8]) {
        let entries = all(target, name).map(|(opcode, op_index)| (opcode, OpcodeEntry::new(target, op_index)));
        let first = entries.filter(|(_, entry)| !is_second(target, entry));
        self.found.iter_mut().zip(first).for_each(|(place, found)| *place = Some(found));
    }

    /// The same operations in all encodings; `None` if the mnemonic has no suffix.
    pub fn in_all_encodings(self) -> Option<Operations> {
        self.has_suffix().then_some(Operations { suffix: Suffix::None, ..self })
    }

    /// Whether the mnemonic has the suffix of an encoding.
    pub fn has_suffix(&self) -> bool {
        self.suffix != Suffix::None
    }

    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    pub fn found(&self) -> [Option<(Opcode, OpcodeEntry)>; MOST] {
        self.found
    }

    pub fn iter(&self) -> impl Iterator<Item = &(Opcode, OpcodeEntry)> {
        self.found.iter().map_while(Option::as_ref)
    }

    /// The ranks that the suffix allows, in the order in which LLVM tries them.
    pub fn ranks(&self) -> impl Iterator<Item = Rank> + use<> {
        let suffix = self.suffix;
        Rank::ALL.into_iter().filter(move |rank| rank.has(suffix))
    }
}

/// Whether the entry is for the second operation of a dual instruction. An operation that can be first or second has an
/// opcode index for each place.
pub(super) fn is_second(target: Target, entry: &OpcodeEntry) -> bool {
    descs(target, entry.signature).next().is_some_and(|desc| desc.kind == OperandKind::Second)
}
