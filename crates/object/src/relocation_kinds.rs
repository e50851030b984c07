//! Kinds of relocations, as `r_type` has them, and the numbers that a linker writes for them.
//!
//! `S` is the symbol's address, `A` the addend, `P` the address of the place that is written, `G` the address of the
//! symbol's entry in the table of addresses (GOT). Source: "Relocation Records" of LLVM's "User Guide for AMDGPU
//! Backend".

/// No effect.
pub const NONE: u32 = 0;
/// The lower 32 bits of `S + A`.
pub const ABS32_LO: u32 = 1;
/// The upper 32 bits of `S + A`.
pub const ABS32_HI: u32 = 2;
/// `S + A`, 64 bits.
pub const ABS64: u32 = 3;
/// `S + A - P`, 32 bits.
pub const REL32: u32 = 4;
/// `S + A - P`, 64 bits.
pub const REL64: u32 = 5;
/// `S + A`, 32 bits.
pub const ABS32: u32 = 6;
/// `G + A - P`, 32 bits.
pub const GOTPCREL: u32 = 7;
/// The lower 32 bits of `G + A - P`.
pub const GOTPCREL32_LO: u32 = 8;
/// The upper 32 bits of `G + A - P`.
pub const GOTPCREL32_HI: u32 = 9;
/// The lower 32 bits of `S + A - P`.
pub const REL32_LO: u32 = 10;
/// The upper 32 bits of `S + A - P`.
pub const REL32_HI: u32 = 11;
/// The address at which the file is loaded, plus `A`, 64 bits.
pub const RELATIVE64: u32 = 13;
/// `(S + A - P - 4) / 4`, 16 bits: the distance of a branch in dwords.
pub const REL16: u32 = 14;

/// The modifiers that sources write after the name of a symbol (`name@rel32@lo`), each with its kind of relocation.
pub const MODIFIERS: [(&str, u32); 9] = [
    ("gotpcrel", GOTPCREL),
    ("gotpcrel32@lo", GOTPCREL32_LO),
    ("gotpcrel32@hi", GOTPCREL32_HI),
    ("rel32@lo", REL32_LO),
    ("rel32@hi", REL32_HI),
    ("rel64", REL64),
    ("abs32@lo", ABS32_LO),
    ("abs32@hi", ABS32_HI),
    ("abs64", ABS64),
];

/// The modifier for a kind of relocation, if there is one.
pub fn modifier(kind: u32) -> Option<&'static str> {
    MODIFIERS.iter().find(|(_, of)| *of == kind).map(|(modifier, _)| *modifier)
}

/// The modifier with which a source asks for a kind of relocation; empty for kinds that the assembler makes without
/// one.
pub fn written(kind: u32) -> Option<&'static str> {
    match kind {
        REL32 | REL16 => Some(""),
        _ => modifier(kind),
    }
}

/// The kind of relocation for a modifier, if there is one.
pub fn of_modifier(modifier: &str) -> Option<u32> {
    MODIFIERS.iter().find(|(known, _)| *known == modifier).map(|(_, kind)| *kind)
}

/// The formula with which a linker computes the number for a relocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Formula {
    /// The address from which the number is computed.
    pub base: Base,
    /// Whether the address of the place, `P`, is subtracted.
    pub is_relative: bool,
    /// The part of the result that is written.
    pub part: Part,
    /// The number of bytes that are written.
    pub size: usize,
}

/// The address from which a linker computes a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// The symbol's address, `S`.
    Symbol,
    /// The address of the symbol's entry in the table of addresses, `G`.
    Entry,
}

/// The part of a result that a linker writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The whole result, which has to fit.
    Whole,
    /// The lower 32 bits.
    Low,
    /// The upper 32 bits.
    High,
    /// The distance from the dword after the place, in dwords.
    Dwords,
}

impl Formula {
    /// The formula of a kind; `None` for kinds without effect, for kinds that only a loader computes, and for unknown
    /// kinds.
    pub const fn of(kind: u32) -> Option<Formula> {
        let (base, is_relative, part, size) = match kind {
            ABS32_LO => (Base::Symbol, false, Part::Low, 4),
            ABS32_HI => (Base::Symbol, false, Part::High, 4),
            ABS64 => (Base::Symbol, false, Part::Whole, 8),
            ABS32 => (Base::Symbol, false, Part::Whole, 4),
            REL32 => (Base::Symbol, true, Part::Whole, 4),
            REL64 => (Base::Symbol, true, Part::Whole, 8),
            REL32_LO => (Base::Symbol, true, Part::Low, 4),
            REL32_HI => (Base::Symbol, true, Part::High, 4),
            REL16 => (Base::Symbol, true, Part::Dwords, 2),
            GOTPCREL => (Base::Entry, true, Part::Whole, 4),
            GOTPCREL32_LO => (Base::Entry, true, Part::Low, 4),
            GOTPCREL32_HI => (Base::Entry, true, Part::High, 4),
            _ => return None,
        };
        Some(Formula { base, is_relative, part, size })
    }

    /// The number for a base, an addend and a place. The number is not cut to [`Formula::size`] bytes: a linker refuses
    /// a number that does not fit.
    ///
    /// ```
    /// use amdgpu_object::relocation_kinds::{Formula, REL32_LO};
    /// let formula = Formula::of(REL32_LO).unwrap();
    /// assert_eq!((formula.size, formula.value(0x2000, 4, 0x1004)), (4, 0x1000));
    /// ```
    pub const fn value(self, base: u64, addend: i64, place: u64) -> u64 {
        let sum = base.wrapping_add_signed(addend).wrapping_sub(if self.is_relative { place } else { 0 });
        match self.part {
            Part::Whole => sum,
            Part::Low => sum & 0xffff_ffff,
            Part::High => sum >> 32,
            Part::Dwords => ((sum.wrapping_sub(4) as i64) >> 2) as u64,
        }
    }

    /// The addend of a relocation whose table has no addends (`SHT_REL`): the number at its place. `place` has the
    /// bytes from there on. A branch has a distance there, and no addend.
    ///
    /// ```
    /// use amdgpu_object::relocation_kinds::{ABS32_LO, Formula};
    /// assert_eq!(Formula::of(ABS32_LO).unwrap().addend_at(&[0xfc, 0xff, 0xff, 0xff, 0]), -4);
    /// ```
    pub fn addend_at(self, place: &[u8]) -> i64 {
        match (self.part, self.size) {
            (Part::Dwords, _) => 0,
            (_, 8) => place.first_chunk().map_or(0, |bytes| i64::from_le_bytes(*bytes)),
            _ => place.first_chunk().map_or(0, |bytes| i32::from_le_bytes(*bytes).into()),
        }
    }

    /// Whether the number is signed, as a distance is unless it is split into halves.
    pub const fn is_signed(self) -> bool {
        self.is_relative && matches!(self.part, Part::Whole | Part::Dwords)
    }
}
