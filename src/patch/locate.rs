//! Locates the fields of an instruction, and reads and writes their bits.

use super::PatchError;
use crate::error::FieldError;
use crate::inst::Inst;
use crate::opcode::{Field, Format};
use crate::table::FieldInfo;
use crate::target::{LAYOUT, Target};

/// A run of bits in one dword.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Piece {
    /// The dword, counted from the first dword of the instruction.
    pub dword: u8,
    /// The lowest bit, 0 to 31.
    pub bit: u8,
    /// Number of bits, 1 to 32.
    pub width: u8,
}

impl Piece {
    const fn new(lsb: u8, width: u8) -> Piece {
        Piece { dword: lsb / 32, bit: lsb % 32, width }
    }

    /// The greatest value that fits.
    const fn max(self) -> u32 {
        ((1u64 << self.width) - 1) as u32
    }

    const fn get(self, words: &[u32]) -> Option<u32> {
        let at = self.dword as usize;
        if at < words.len() { Some(words[at] >> self.bit & self.max()) } else { None }
    }

    const fn put(self, words: &mut [u32], value: u32) {
        let at = self.dword as usize;
        if at < words.len() {
            words[at] = words[at] & !(self.max() << self.bit) | (value & self.max()) << self.bit;
        }
    }
}

/// The position of a field in its instruction: for tools that emit relocations, and for constant tables of patches.
///
/// ```
/// # #[cfg(feature = "gfx942")] {
/// use amdgpu_isa::patch::{Location, Piece};
/// use amdgpu_isa::{Field, Format, Target, decode_words};
/// // s_mov_b32 s0, 0x12345678: the literal is all of the second dword.
/// let inst = decode_words(Target::Gfx942, &[0xbe80_00ff, 0x1234_5678]).unwrap();
/// let literal = inst.locate(Field::Literal).unwrap();
/// assert_eq!((literal.low, literal.high), (Piece { dword: 1, bit: 0, width: 32 }, None));
///
/// // Known when the program is compiled: no table is linked for it.
/// const OP_SEL_HI: Location = Location::of(Target::Gfx942, Format::Vop3p, Field::OpSelHi).unwrap();
/// assert_eq!(OP_SEL_HI.low, Piece { dword: 1, bit: 27, width: 2 });
/// assert_eq!(OP_SEL_HI.high, Some(Piece { dword: 0, bit: 14, width: 1 }));
/// assert_eq!(OP_SEL_HI.get(&[0xd380_4000, 0x1800_0000]), Some(7));
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// The field.
    pub field: Field,
    /// The low bits of the value.
    pub low: Piece,
    /// The high bits, if the field is in two pieces.
    pub high: Option<Piece>,
}

impl Location {
    /// The position of a field. `first` is the bit of the instruction at which the field's format begins.
    pub(super) const fn new(info: &FieldInfo, first: u8) -> Location {
        let high = match info.hi_width {
            0 => None,
            width => Some(Piece::new(first + info.hi, width)),
        };
        Location { field: info.field, low: Piece::new(first + info.lsb, info.width), high }
    }

    /// The position of a field in a format of the target, counted from the format's own first dword. `None` if the
    /// format has no field of that name, or if the field's bits are fixed.
    pub const fn of(target: Target, format: Format, field: Field) -> Option<Location> {
        let formats = LAYOUT[target as usize].formats;
        let mut i = 0;
        while i < formats.len() {
            if formats[i].format as u8 == format as u8 {
                let fields = formats[i].fields;
                let mut j = 0;
                while j < fields.len() {
                    if fields[j].field as u8 == field as u8 && is_settable(&fields[j]) {
                        return Some(Location::new(&fields[j], 0));
                    }
                    j += 1;
                }
            }
            i += 1;
        }
        None
    }

    /// Width in bits.
    pub const fn width(&self) -> u8 {
        match self.high {
            Some(high) => self.low.width + high.width,
            None => self.low.width,
        }
    }

    /// The field's value in the words of an instruction; `None` if there are too few words.
    pub const fn get(&self, words: &[u32]) -> Option<u32> {
        match (self.low.get(words), self.high) {
            (Some(low), None) => Some(low),
            (Some(low), Some(high)) => match high.get(words) {
                Some(high) => Some(high << self.low.width | low),
                None => None,
            },
            (None, _) => None,
        }
    }

    /// Writes the field's value into the words of an instruction. The result is not checked, unlike that of
    /// [`Inst::with`].
    ///
    /// # Errors
    /// The value does not fit, or there are too few words. In both cases nothing was written.
    pub const fn put(&self, words: &mut [u32], value: u32) -> Result<(), PatchError> {
        let width = self.width();
        if width < 32 && value >> width != 0 {
            return Err(PatchError::Value(FieldError { field: self.field, value: value as i64, width }));
        }
        let last = match self.high {
            Some(high) if high.dword > self.low.dword => high.dword,
            _ => self.low.dword,
        };
        if last as usize >= words.len() {
            return Err(PatchError::Size { dwords: words.len() as u8, needed: last + 1 });
        }
        self.low.put(words, value);
        if let Some(high) = self.high {
            high.put(words, value >> self.low.width);
        }
        Ok(())
    }
}

/// Whether the field has a name of its own and no fixed value.
const fn is_settable(info: &FieldInfo) -> bool {
    info.fixed.is_none() && info.field as u8 != Field::Reserved as u8
}

impl Inst {
    /// The position of the field that [`Inst::get`] reads. `None` if the instruction has no field of that name, or if
    /// the field's bits are fixed. See [`Location`].
    pub fn locate(&self, field: Field) -> Option<Location> {
        self.settable(field).map(|(first, info)| Location::new(info, first))
    }

    /// The field that [`Inst::locate`] finds, and the bit at which its format begins.
    #[inline(always)]
    pub(super) fn settable(&self, field: Field) -> Option<(u8, &'static FieldInfo)> {
        self.place(field, is_settable)
    }
}
