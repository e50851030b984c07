//! The arguments of a [`Builder`](super::Builder), in a compact form, because each of the builder's methods moves them.

use super::argument::Argument;
use super::op;
use crate::opcode::Field;

/// The greatest number of arguments.
const MAX: usize = 24;
/// The greatest number of values that need more than 32 bits. No operation has more than three sources and an offset.
const MAX_LONG: usize = 4;
/// The number of arguments that `Arguments::put` stores at a constant index. Few instructions have more.
const MOST: usize = 8;

/// An argument in one number, which moves as a whole: the lower half of its value, its code, its width, the place of
/// the upper half of its value, and the role of its field.
#[derive(Clone, Copy, Debug)]
struct Packed(u64);

/// The upper half of a value, or its place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Upper {
    Zeros,
    Ones,
    /// The upper half is in this entry of `uppers`.
    At(u8),
    /// The value is a double that equals the float in the lower half.
    Float,
}

impl Packed {
    const CODE_AT: u32 = 32;
    const CODE: u64 = 0xfff;
    const DWORDS_AT: u32 = 44;
    const DWORDS: u64 = u8::MAX as u64;
    const UPPER_AT: u32 = 52;
    const UPPER: u64 = 7;
    const ROLE_AT: u32 = 56;
    const NONE: Packed = Packed(0);

    #[inline(always)]
    fn new(field: Field, argument: Argument, upper: Upper) -> Packed {
        let upper = match upper {
            Upper::Zeros => 0,
            Upper::Ones => 1,
            Upper::Float => 2,
            Upper::At(n) => 3 + u64::from(n),
        };
        let code = u64::from(argument.code) << Packed::CODE_AT;
        let width = u64::from(argument.dwords) << Packed::DWORDS_AT;
        let lower = u64::from(argument.value as u32);
        Packed(lower | code | width | upper << Packed::UPPER_AT | (role(field) as u64) << Packed::ROLE_AT)
    }

    #[inline(always)]
    fn has_role(self, role: u8) -> bool {
        self.0 >> Packed::ROLE_AT == u64::from(role)
    }

    #[inline(always)]
    fn code(self) -> u16 {
        (self.0 >> Packed::CODE_AT & Packed::CODE) as u16
    }

    #[inline(always)]
    fn dwords(self) -> u8 {
        (self.0 >> Packed::DWORDS_AT & Packed::DWORDS) as u8
    }

    #[inline(always)]
    fn upper(self) -> Upper {
        match self.0 >> Packed::UPPER_AT & Packed::UPPER {
            0 => Upper::Zeros,
            1 => Upper::Ones,
            2 => Upper::Float,
            n => Upper::At(n as u8 - 3),
        }
    }
}

static_assertions::const_assert!(op::VGPR_HIGH_LAST as u64 <= Packed::CODE);
static_assertions::const_assert!(3 + MAX_LONG as u64 - 1 <= Packed::UPPER);

/// A set of fields.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields([u64; Fields::WORDS]);

impl Fields {
    const WORDS: usize = Field::ALL.len().div_ceil(64);
    const NONE: Fields = Fields([0; Fields::WORDS]);

    /// The set of the operands with these fields.
    pub(super) const fn of(fields: &[Field]) -> Fields {
        let (mut all, mut n) = (Fields::NONE, 0);
        while n < fields.len() {
            let field = role(fields[n]) as usize;
            all.0[field / 64] |= 1 << (field % 64);
            n += 1;
        }
        all
    }

    #[inline(always)]
    fn has(&self, role: u8) -> bool {
        let word = self.0.get(usize::from(role / 64)).copied().unwrap_or(0);
        word >> (role % 64) & 1 == 1
    }

    #[inline(always)]
    fn insert(&mut self, role: Field) {
        if let Some(word) = self.0.get_mut(role as usize / 64) {
            *word |= 1 << (role as usize % 64);
        }
    }

    /// Whether a field is in both sets.
    #[inline(always)]
    fn intersects(&self, other: &Fields) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }
}

/// The arguments, each with the field that it was given for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arguments {
    all: [Packed; MAX],
    fields: [Field; MAX],
    uppers: [u32; MAX_LONG],
    len: u8,
    /// The roles of the fields that were given, so that a look-up of any other field ends at once.
    given: Fields,
}

/// Maps fields that are the same operand in different encodings to one of them.
#[inline(always)]
pub(super) const fn role(field: Field) -> Field {
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

/// The role of each field, by its number.
const ROLES: [Field; Field::ALL.len()] = {
    let (mut roles, mut n) = ([Field::Op; Field::ALL.len()], 0);
    while n < roles.len() {
        roles[Field::ALL[n] as usize] = role(Field::ALL[n]);
        n += 1;
    }
    roles
};

impl Arguments {
    pub(super) const NONE: Arguments = Arguments {
        all: [Packed::NONE; MAX],
        fields: [Field::Op; MAX],
        uppers: [0; MAX_LONG],
        len: 0,
        given: Fields::NONE,
    };

    /// Stores an argument, in place of an earlier one for the same operand. Returns whether there was room.
    ///
    /// If this function is inlined in a chain of calls that starts with `NONE`, the compiler knows `len` and which
    /// fields were given, and keeps the arguments in registers until the end of the chain. That is why each index is a
    /// constant, and why the rare path gets a copy instead of a reference.
    #[inline(always)]
    pub(super) fn put(&mut self, field: Field, argument: Argument) -> bool {
        let float = f64::from_bits(argument.value) as f32;
        let (upper, value) = match (argument.value >> 32) as u32 {
            0 => (Some(Upper::Zeros), argument.value),
            u32::MAX => (Some(Upper::Ones), argument.value),
            _ if argument.code == op::FLOAT && f64::from(float).to_bits() == argument.value => {
                (Some(Upper::Float), float.to_bits().into())
            }
            _ => (None, argument.value),
        };
        if let (Some(upper), false) = (upper, self.given.has(role(field) as u8)) {
            let packed = Packed::new(field, Argument { value, ..argument }, upper);
            match self.len {
                0 => return self.push::<0>(field, packed),
                1 => return self.push::<1>(field, packed),
                2 => return self.push::<2>(field, packed),
                3 => return self.push::<3>(field, packed),
                4 => return self.push::<4>(field, packed),
                5 => return self.push::<5>(field, packed),
                6 => return self.push::<6>(field, packed),
                7 => return self.push::<7>(field, packed),
                _ => {}
            }
        }
        let (changed, stored) = self.with(field, argument);
        *self = changed;
        stored
    }

    /// Stores an argument after `N` others.
    #[inline(always)]
    fn push<const N: usize>(&mut self, field: Field, packed: Packed) -> bool {
        const { assert!(N < MOST) }
        (self.all[N], self.fields[N], self.len) = (packed, field, N as u8 + 1);
        self.given.insert(role(field));
        true
    }

    /// The arguments with another one, and whether there was room for it.
    #[inline(never)]
    fn with(mut self, field: Field, argument: Argument) -> (Arguments, bool) {
        let at = self.position(field).unwrap_or(self.len.into());
        let high = (argument.value >> 32) as u32;
        let upper = match high {
            0 => Upper::Zeros,
            u32::MAX => Upper::Ones,
            _ => match self.free_upper(at) {
                Some(n) => Upper::At(n),
                None => return (self, false),
            },
        };
        let (Some(to), Some(of)) = (self.all.get_mut(at), self.fields.get_mut(at)) else { return (self, false) };
        (*to, *of) = (Packed::new(field, argument, upper), field);
        if let Upper::At(n) = upper {
            self.uppers.get_mut(usize::from(n)).into_iter().for_each(|place| *place = high);
        }
        self.len = self.len.max(at as u8 + 1);
        self.given.insert(role(field));
        (self, true)
    }

    /// The index of an entry of `uppers` that no argument uses, except perhaps the argument with the index `at`.
    fn free_upper(&self, at: usize) -> Option<u8> {
        let given = self.all.get(..self.len.into())?;
        let is_used = |n| given.iter().enumerate().any(|(other, packed)| other != at && packed.upper() == Upper::At(n));
        (0..MAX_LONG as u8).find(|n| !is_used(*n))
    }

    /// A mask with one set bit for each argument.
    #[inline(always)]
    pub(super) fn all(&self) -> u32 {
        (1 << (self.len & 31)) - 1
    }

    /// The fields, in the order in which they were given.
    pub(super) fn fields(&self) -> &[Field] {
        self.fields.get(..self.len.into()).unwrap_or(&self.fields)
    }

    /// The arguments with their fields, in the order in which they were given.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Field, Argument)> + '_ {
        self.fields().iter().enumerate().map(|(n, field)| (*field, self.at(n)))
    }

    /// Whether an argument was given for one of these operands.
    #[inline]
    pub(super) fn has_any(&self, fields: &Fields) -> bool {
        self.given.intersects(fields)
    }

    /// The index of the argument for an operand.
    #[inline]
    pub(super) fn position(&self, field: Field) -> Option<usize> {
        let wanted = *ROLES.get(field as usize)? as u8;
        if self.given.has(wanted) { self.search(wanted).map(|n| n as usize) } else { None }
    }

    /// Whether an argument was given for the operands with a role.
    #[inline(always)]
    pub(super) fn has(&self, role: u8) -> bool {
        self.given.has(role)
    }

    /// The index of the argument for the operand with a role; the search begins with the probable index `n`.
    #[inline(always)]
    pub(super) fn position_from(&self, n: u32, role: u8) -> Option<u32> {
        if self.all.get(n as usize).is_some_and(|packed| packed.has_role(role)) {
            return Some(n);
        }
        if self.given.has(role) { self.search(role) } else { None }
    }

    #[inline(never)]
    fn search(&self, role: u8) -> Option<u32> {
        let n = self.all.get(..self.len.into())?.iter().position(|packed| packed.has_role(role))?;
        Some(n as u32)
    }

    /// The lowest bits of the width and of the role in the numbers of [`Arguments::key`].
    pub(super) const DWORDS_AT: u32 = Packed::DWORDS_AT;
    pub(super) const ROLE_AT: u32 = Packed::ROLE_AT;

    /// The code of an argument with this index, and the bits of its number from the width upwards. If these bits equal
    /// the key of a step, the argument has the step's role and width, and a value of 32 bits.
    #[inline(always)]
    pub(super) fn key(&self, n: u32) -> (u16, u32) {
        let packed = self.all.get(n as usize).copied().unwrap_or(Packed::NONE);
        (packed.code(), (packed.0 >> Packed::DWORDS_AT) as u32)
    }

    /// The lower half of an argument's value.
    #[inline(always)]
    pub(super) fn low(&self, n: u32) -> u32 {
        self.all.get(n as usize).map_or(0, |packed| packed.0 as u32)
    }

    /// The code and the width of an argument; see [`Argument`].
    #[inline(always)]
    pub(super) fn code(&self, n: u32) -> (u16, u8) {
        self.all.get(n as usize).map_or((op::OFF, 0), |packed| (packed.code(), packed.dwords()))
    }

    /// The value of an argument, if the argument is an integer.
    #[inline(always)]
    pub(super) fn integer(&self, n: u32) -> Option<i64> {
        let packed = *self.all.get(n as usize)?;
        match packed.upper() {
            Upper::Zeros if packed.code() == op::INT => Some((packed.0 as u32).into()),
            _ => self.at(n as usize).integer(),
        }
    }

    /// The argument with an index.
    pub(super) fn at(&self, n: usize) -> Argument {
        let packed = self.all.get(n).copied().unwrap_or(Packed::NONE);
        let lower = packed.0 as u32;
        let value = |upper: u32| u64::from(upper) << 32 | u64::from(lower);
        Argument {
            code: packed.code(),
            value: match packed.upper() {
                Upper::Zeros => lower.into(),
                Upper::Ones => value(u32::MAX),
                Upper::Float => f64::from(f32::from_bits(lower)).to_bits(),
                Upper::At(n) => value(self.uppers.get(usize::from(n)).copied().unwrap_or(0)),
            },
            dwords: packed.dwords(),
        }
    }
}
