//! The bits that the hardware ignores, and the values that assemblers write there.

/// The value that assemblers write to the sources that an operation does not have, such as the third source of
/// `v_add_f32_e64`. The hardware ignores this value, and the text does not show it.
///
/// See [`Inst::filler`](crate::Inst::filler).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Filler {
    /// The value of LLVM up to version 22 and of AMD's older assemblers: 0, but 256 (the code of v0) in instructions
    /// that load the scales of matrices (CDNA5).
    Llvm22,
    /// The value of LLVM from version 23 on, for RDNA1 and later: the code of the constant 0, 128. With DPP,
    /// LLVM writes it only in `v_cmpx`, and 0 elsewhere.
    Llvm23,
}

impl Filler {
    /// Every filler.
    pub const ALL: &'static [Filler] = &[Filler::Llvm22, Filler::Llvm23];

    /// The filler with this name.
    pub fn named(name: &str) -> Option<Filler> {
        Filler::ALL.iter().copied().find(|filler| filler.name() == name)
    }

    /// The name in sources and options: `llvm22` or `llvm23`.
    pub const fn name(self) -> &'static str {
        match self {
            Filler::Llvm22 => "llvm22",
            Filler::Llvm23 => "llvm23",
        }
    }
}

/// The bits among the first 64 that the hardware ignores in a form of an operation.
pub(crate) struct Ignored {
    pub bits: u64,
    /// The ignored bits of sources that the form does not have, and the value of these bits for each [`Filler`].
    pub sources: u64,
    pub fillers: [u64; 2],
}

/// The entry of a form without ignored bits.
pub(crate) static NOTHING_IGNORED: Ignored = Ignored { bits: 0, sources: 0, fillers: [0; 2] };
