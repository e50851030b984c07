//! The bits that all instructions of a format share.

use crate::opcode::{Field, Format};
use crate::operation::OpcodeEntry;
use crate::table::{DecodeTables, FieldInfo, Layout, MAX_DWORDS};
use crate::target::{DECODE, LAYOUT, Target};

/// The words of a format with only the fixed fields set, and the field of the opcode.
#[derive(Clone, Copy)]
pub(crate) struct Start {
    pub dwords: [u32; MAX_DWORDS],
    pub op: Option<&'static FieldInfo>,
    /// The bits of the format and of the opcode in the first two dwords.
    #[cfg(feature = "fast")]
    pub own: u64,
    /// Size of the base words in bits; 0 if the target lacks the format.
    #[cfg(feature = "make")]
    pub bits: u8,
    /// The width of the opcode, and the opcode index of opcode 0, in the opcode space of `dwords`. Other opcodes of the
    /// format can be in other spaces. If `OpcodeSpace::second_op_base` is not 0, the width is 0 and the index is
    /// `u16::MAX`, so that [`Start::number`] looks up the space.
    op_bits: u8,
    base: u16,
}

const NOTHING: Start = Start {
    dwords: [0; MAX_DWORDS],
    op: None,
    #[cfg(feature = "fast")]
    own: 0,
    #[cfg(feature = "make")]
    bits: 0,
    op_bits: 0,
    base: u16::MAX,
};

impl Start {
    /// The opcode index of an operation with this format, relative to the start of its opcode space.
    #[inline(always)]
    pub fn number(&self, target: Target, entry: &OpcodeEntry) -> u16 {
        let number = entry.op_index.wrapping_sub(self.base);
        if u32::from(number) >> (self.op_bits & 31) == 0 { number } else { entry.in_space(target) }
    }

    /// The first two dwords with an opcode. High bits that do not fit are cut off.
    #[cfg(feature = "fast")]
    #[inline]
    pub fn with_op(&self, number: u16) -> u64 {
        let bits = u64::from(self.dwords[0]) | u64::from(self.dwords[1]) << 32;
        let piece = |lsb: u8, width: u8, value: u64| (value & ((1 << (width & 63)) - 1)) << (lsb & 63);
        let number = u64::from(number);
        self.op.map_or(bits, |op| {
            bits | piece(op.lsb, op.width, number) | piece(op.hi, op.hi_width, number >> (op.width & 63))
        })
    }
}

/// The greatest number of formats of a target.
const MOST: usize = {
    let (mut most, mut n) = (0, 0);
    while n < LAYOUT.len() {
        let formats = LAYOUT[n].formats.len();
        most = if formats > most { formats } else { most };
        n += 1;
    }
    most
};

/// The starts of each target's formats, in the order of its layouts.
static STARTS: [[Start; MOST]; LAYOUT.len()] = {
    let mut all = [[NOTHING; MOST]; LAYOUT.len()];
    let mut n = 0;
    while n < LAYOUT.len() {
        let mut i = 0;
        while i < LAYOUT[n].formats.len() {
            all[n][i] = start(DECODE[n], &LAYOUT[n].formats[i]);
            i += 1;
        }
        n += 1;
    }
    all
};

/// The start of a format of the target.
#[inline]
pub(crate) fn start_of(target: Target, format: Format) -> &'static Start {
    let number = LAYOUT[target as usize].numbers.get(format as usize).map_or(0, |number| usize::from(*number));
    STARTS.get(target as usize).and_then(|starts| starts.get(number.checked_sub(1)?)).unwrap_or(&NOTHING)
}

const fn start(t: &DecodeTables, layout: &'static Layout) -> Start {
    let mut start = NOTHING;
    let mut n = 0;
    while n < layout.fields.len() {
        let info = &layout.fields[n];
        n += 1;
        #[cfg(feature = "fast")]
        if !info.overlay && (info.fixed.is_some() || info.field as u8 == Field::Op as u8) {
            start.own |= mask(info.lsb, info.width) | mask(info.hi, info.hi_width);
        }
        match info.fixed {
            _ if info.overlay => {}
            Some(fixed) => {
                put(&mut start.dwords, info.lsb, info.width, fixed);
                if info.hi_width > 0 {
                    put(&mut start.dwords, info.hi, info.hi_width, fixed >> info.width);
                }
            }
            None if info.field as u8 == Field::Op as u8 => {
                assert!(start.op.is_none());
                start.op = Some(info);
            }
            None => {}
        }
    }
    let space = &t.opcode_spaces[t.opcode_space_of[(start.dwords[0] >> 23) as usize] as usize];
    if space.second_op_base == 0 {
        (start.op_bits, start.base) = (space.op_bits, space.base);
    }
    #[cfg(feature = "make")]
    {
        start.bits = layout.bits;
    }
    start
}

/// Sets bits within a dword.
const fn put(dwords: &mut [u32; MAX_DWORDS], lsb: u8, width: u8, value: u16) {
    dwords[lsb as usize / 32] |= (value as u32 & ((1u64 << width) - 1) as u32) << (lsb % 32);
}

/// Mask of the bits of a field that are in the first two dwords.
#[cfg(feature = "fast")]
const fn mask(lsb: u8, width: u8) -> u64 {
    if lsb < 64 { ((1u64 << width) - 1) << lsb } else { 0 }
}
