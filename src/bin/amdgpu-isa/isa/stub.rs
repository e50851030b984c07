//! Stands in for the library, with its names and signatures, until it can be connected.
//! It knows SOPP branches, `s_nop`, `s_endpgm` and `s_mov_b32` of a literal, so that labels, lengths
//! and `batch` can be tried; every other word is refused.

use std::fmt;
use std::str::FromStr;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Gfx942,
}

impl Target {
    pub const ALL: &'static [Target] = &[Target::Gfx942];

    pub fn name(self) -> &'static str {
        "gfx942"
    }
}

impl FromStr for Target {
    type Err = ();
    fn from_str(s: &str) -> Result<Self, ()> {
        if ["gfx942", "gfx940", "gfx941", "mi300x", "mi300a"].contains(&s) { Ok(Target::Gfx942) } else { Err(()) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    Truncated { needed: usize },
    Unknown,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodeError::Truncated { needed } => write!(f, "truncated: the instruction needs {needed} bytes"),
            DecodeError::Unknown => f.write_str("unknown encoding"),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inst {
    words: [u32; 2],
    len: usize,
}

const SOPP: &[(u32, &str)] = &[
    (0, "s_nop"),
    (1, "s_endpgm"),
    (2, "s_branch"),
    (4, "s_cbranch_scc0"),
    (5, "s_cbranch_scc1"),
    (6, "s_cbranch_vccz"),
    (7, "s_cbranch_vccnz"),
    (8, "s_cbranch_execz"),
    (9, "s_cbranch_execnz"),
];

pub fn decode(_target: Target, bytes: &[u8]) -> Result<Inst, DecodeError> {
    let word = |i: usize| bytes.get(4 * i..4 * i + 4).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
    let first = word(0).ok_or(DecodeError::Truncated { needed: 4 })?;
    if first >> 23 == 0x17f && SOPP.iter().any(|&(op, _)| op == first >> 16 & 0x7f) {
        return Ok(Inst { words: [first, 0], len: 4 });
    }
    if first & 0xff80_ffff == 0xbe80_00ff && first >> 16 & 0x7f < 102 {
        let literal = word(1).ok_or(DecodeError::Truncated { needed: 8 })?;
        return Ok(Inst { words: [first, literal], len: 8 });
    }
    Err(DecodeError::Unknown)
}

impl Inst {
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn words(&self) -> &[u32] {
        self.words.get(..self.len / 4).unwrap_or(&self.words)
    }

    pub fn format(&self) -> &'static str {
        if self.len == 8 { "SOP1" } else { "SOPP" }
    }

    pub fn encode(&self, out: &mut [u8]) -> Result<usize, DecodeError> {
        for (to, word) in out.chunks_exact_mut(4).zip(self.words()) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        Ok(self.len)
    }

    pub fn branch_target(&self, pc: u64) -> Option<u64> {
        let [word, _] = self.words;
        let offset = i64::from(word as u16 as i16) * 4;
        (self.len == 4 && word >> 16 & 0x7f > 1).then(|| pc.wrapping_add(4).wrapping_add_signed(offset))
    }
}

impl fmt::Display for Inst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [word, literal] = self.words;
        if self.len == 8 {
            return write!(f, "s_mov_b32 s{}, {literal:#x}", word >> 16 & 0x7f);
        }
        let op = word >> 16 & 0x7f;
        let name = SOPP.iter().find(|s| s.0 == op).map_or("", |s| s.1);
        match (op, word & 0xffff) {
            (1, 0) => f.write_str(name),
            (_, imm) => write!(f, "{name} {imm}"),
        }
    }
}
