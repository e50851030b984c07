//! The bits that the hardware ignores, and what assemblers write there.

/// What assemblers write to the sources that an operation does not have, such as the third source of `v_add_f32_e64`.
/// The hardware ignores it, and the text does not show it.
///
/// See [`Inst::filler`](crate::Inst::filler).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Filler {
    /// As LLVM up to version 22 and AMD's older assemblers: 0, and beside the scales of matrices (CDNA5) v0, which is
    /// 256.
    Llvm22,
    /// As LLVM from version 23 on, on RDNA1 and later: the constant 0, which is 128. With DPP only in `v_cmpx`.
    Llvm23,
}

impl Filler {
    /// Every filler.
    pub const ALL: &'static [Filler] = &[Filler::Llvm22, Filler::Llvm23];

    /// The filler with this name.
    pub fn named(name: &str) -> Option<Filler> {
        Filler::ALL.iter().copied().find(|filler| filler.name() == name)
    }

    /// The name, as sources and options have it: `llvm22` or `llvm23`.
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
    /// Those of them that are the sources that the form does not have, and their value by filler.
    pub sources: u64,
    pub fillers: [u64; 2],
}

/// Of a form without ignored bits.
pub(crate) static NOTHING_IGNORED: Ignored = Ignored { bits: 0, sources: 0, fillers: [0; 2] };
