//! The arguments of a [`Builder`](super::Builder). They are compact because each of the builder's methods moves them.

use super::argument::Argument;
use crate::opcode::Field;

/// The greatest number of arguments.
const MAX: usize = 24;
/// The greatest number of values that need more than 32 bits. No operation has more than three sources and an offset.
const MAX_LONG: usize = 4;

/// The upper half of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Upper {
    Zeros,
    Ones,
    /// This entry of `uppers` has it.
    At(u8),
}

/// The arguments, each with the field that it was given for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arguments {
    fields: [Field; MAX],
    codes: [u16; MAX],
    dwords: [u8; MAX],
    lowers: [u32; MAX],
    uppers_of: [Upper; MAX],
    uppers: [u32; MAX_LONG],
    len: u8,
    /// A bit for each field that was given. Several fields share a bit; most operands and modifiers were not given, and
    /// a look at it tells.
    filter: u64,
}

/// Maps fields that are the same operand in different encodings to one of them.
pub(super) fn role(field: Field) -> Field {
    match field {
        Field::Vsrc1 => Field::Src1,
        Field::Sdata => Field::Sdst,
        // Formats of memory have one field for the address in vector registers, and one for the data.
        Field::Addr | Field::Vaddr0 => Field::Vaddr,
        Field::Data => Field::Vdata,
        Field::Rsrc => Field::Srsrc,
        Field::Samp => Field::Ssamp,
        field => field,
    }
}

/// The bit of a field in `filter`.
fn filter_of(field: Field) -> u64 {
    1 << (field as u8 % 64)
}

impl Arguments {
    pub(super) const NONE: Arguments = Arguments {
        fields: [Field::Op; MAX],
        codes: [0; MAX],
        dwords: [0; MAX],
        lowers: [0; MAX],
        uppers_of: [Upper::Zeros; MAX],
        uppers: [0; MAX_LONG],
        len: 0,
        filter: 0,
    };

    /// Stores an argument, in place of an earlier one for the same operand. Returns whether there was room.
    pub(super) fn put(&mut self, field: Field, argument: Argument) -> bool {
        let at = self.position(field).unwrap_or(self.len.into());
        let (lower, upper) = (argument.value as u32, (argument.value >> 32) as u32);
        let upper_of = match upper {
            0 => Upper::Zeros,
            u32::MAX => Upper::Ones,
            _ => match self.free_upper(at) {
                Some(n) => Upper::At(n),
                None => return false,
            },
        };
        let Arguments { fields, codes, dwords, lowers, uppers_of, .. } = self;
        let (Some(f), Some(c), Some(d), Some(l), Some(u)) =
            (fields.get_mut(at), codes.get_mut(at), dwords.get_mut(at), lowers.get_mut(at), uppers_of.get_mut(at))
        else {
            return false;
        };
        (*f, *c, *d, *l, *u) = (field, argument.code, argument.dwords, lower, upper_of);
        if let Upper::At(n) = upper_of {
            let Some(place) = self.uppers.get_mut(usize::from(n)) else { return false };
            *place = upper;
        }
        self.len = self.len.max(at as u8 + 1);
        self.filter |= filter_of(role(field));
        true
    }

    /// An entry of `uppers` that only the argument at this index may use.
    fn free_upper(&self, at: usize) -> Option<u8> {
        let uppers_of = self.uppers_of.get(..self.len.into())?;
        let is_used = |n| uppers_of.iter().enumerate().any(|(other, upper)| other != at && *upper == Upper::At(n));
        (0..MAX_LONG as u8).find(|n| !is_used(*n))
    }

    /// The fields, in the order in which they were given.
    pub(super) fn fields(&self) -> &[Field] {
        self.fields.get(..self.len.into()).unwrap_or(&self.fields)
    }

    /// The arguments with their fields, in the order in which they were given.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Field, Argument)> + '_ {
        self.fields().iter().enumerate().map(|(n, field)| (*field, self.at(n)))
    }

    /// The index of the argument for an operand.
    pub(super) fn position(&self, field: Field) -> Option<usize> {
        let wanted = role(field);
        if self.filter & filter_of(wanted) == 0 {
            return None;
        }
        self.fields().iter().position(|field| role(*field) == wanted)
    }

    /// The argument with an index.
    pub(super) fn at(&self, n: usize) -> Argument {
        let lower = self.lowers.get(n).copied().unwrap_or(0);
        let upper = match self.uppers_of.get(n).copied().unwrap_or(Upper::Zeros) {
            Upper::Zeros => 0,
            Upper::Ones => u32::MAX,
            Upper::At(n) => self.uppers.get(usize::from(n)).copied().unwrap_or(0),
        };
        Argument {
            code: self.codes.get(n).copied().unwrap_or(0),
            value: u64::from(upper) << 32 | u64::from(lower),
            dwords: self.dwords.get(n).copied().unwrap_or(0),
        }
    }
}
