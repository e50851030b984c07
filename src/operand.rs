//! Iterates over the operands of an instruction.

mod list;

use crate::code::{LITERAL, int_of};
use crate::codec::code::{is_literal64, meaning};
use crate::codec::{Address, EncodedOperand, code_in, flag, operand, read};
use crate::imm::Hwreg;
use crate::inst::Inst;
use crate::kind::{AddressKind, OperandKind, RegisterKind};
use crate::opcode::{Field, Format, JUMPS};
#[cfg(feature = "fast")]
use crate::table::sizes::OP_INDICES;
use crate::table::sizes::{ANY_WIDE, OperandList, ROW_BITS};
#[cfg(feature = "fast")]
use crate::table::values::value_table::value_of;
use crate::table::values::{ADDRESS, IMPLICIT, VECTOR, code_at, implicit, is_off};
use crate::table::{How, OperandDesc, OperandTables, Row};
#[cfg(feature = "fast")]
use crate::target::BRANCHES;
#[cfg(not(feature = "fast"))]
use crate::target::MOVES;
use crate::target::OPERANDS;
use crate::value::{Access, Operand, Value};

/// The operands of an instruction: see [`Inst::operands`].
#[derive(Clone)]
pub struct Operands<'a> {
    inst: &'a Inst,
    tables: &'static OperandTables,
    /// The indices of the remaining rows, one byte each.
    list: OperandList,
    /// Whether all rows in the list are `How::Value`, and none is a literal.
    #[cfg_attr(not(feature = "fast"), allow(dead_code))]
    plain: bool,
    /// The number of operands of the list's first row that have been returned: the register of a scalar memory offset,
    /// or registers of an image address.
    given: u8,
}

impl<'a> Operands<'a> {
    #[inline(always)]
    pub(crate) fn new(inst: &'a Inst) -> Self {
        let tables = OPERANDS[inst.target() as usize];
        let (list, plain) = tables.of(inst);
        Operands { inst, tables, list, plain, given: 0 }
    }
}

impl Inst {
    /// The operands in the order of the assembly text, followed by the implicit ones.
    #[inline]
    pub fn operands(&self) -> Operands<'_> {
        Operands::new(self)
    }

    /// The address that a branch or call goes to if the instruction is at the byte address `pc`; `None` if no operand
    /// is a branch distance or a constant that is added to the address ([`Jump`](crate::facts::AddressStep::Jump)).
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::{Target, decode};
    /// let branch = decode(Target::Gfx942, &[0xfe, 0xff, 0x82, 0xbf]).unwrap(); // s_branch -2
    /// assert_eq!(branch.branch_target(0x100), Some(0xfc));
    /// # }
    /// ```
    #[inline]
    pub fn branch_target(&self, pc: u64) -> Option<u64> {
        // A listing calls this for every instruction, and few of them branch.
        if self.is_branch() { self.label_target(pc) } else { None }
    }

    /// Whether the instruction is a branch with offset 0x3f (63 dwords) on RDNA1, whose hardware jumps to the wrong
    /// address. An `s_nop` after the branch makes the offset 64. The assembler inserts this `s_nop`, as LLVM's does
    /// (`FeatureOffset3fBug`); if the target of the branch does not move, the `s_nop` comes before the branch.
    ///
    /// ```
    /// # #[cfg(feature = "gfx1010")] {
    /// use amdgpu_isa::{Target, decode_words};
    /// let broken = |word| decode_words(Target::Gfx1010, &[word]).unwrap().is_broken_branch();
    /// assert!(broken(0xbf82_003f) && !broken(0xbf82_0040)); // s_branch 63, s_branch 64
    /// # }
    /// ```
    pub fn is_broken_branch(&self) -> bool {
        let is_it = || self.format() == Format::Sopp && self.is_branch() && self.get(Field::Simm16) == Some(0x3f);
        self.target().has_broken_branches() && is_it()
    }

    /// The field that holds a branch's distance.
    pub(crate) fn label(&self) -> Option<Field> {
        (self.is_branch() && !self.is_jump()).then_some(Field::Simm16)
    }

    /// Whether the instruction is a branch that adds an operand to the address of the code: all branches of the format
    /// `JUMPS` do.
    #[inline]
    pub(crate) fn is_jump(&self) -> bool {
        JUMPS.is_some_and(|format| self.is_branch() && self.format() == format)
    }

    /// The constant that a jump adds to the address, as [`Inst::constant`] returns it. A listing calls this for every
    /// branch, so this function does not use the tables of operands.
    pub(crate) fn jump_distance(&self) -> Option<u64> {
        match *self.words() {
            // The source is in the lowest byte; the build checks this.
            [word] => Some(i64::from(int_of((word as u8).into())?) as u64),
            [_, literal] => Some(literal.into()).filter(|_| literal >> 31 == 0),
            _ => Some(self.last_two()),
        }
    }

    /// Whether an operand is a branch distance, or is added to the address of the code.
    #[inline]
    pub(crate) fn is_branch(&self) -> bool {
        #[cfg(feature = "fast")]
        {
            let op_index = self.op_index() % OP_INDICES;
            BRANCHES[self.target() as usize][op_index / 32] >> (op_index % 32) & 1 == 1
        }
        #[cfg(not(feature = "fast"))]
        MOVES[self.target() as usize].branches.binary_search(&(self.op_index() as u16)).is_ok()
    }

    fn label_target(&self, pc: u64) -> Option<u64> {
        let distance = if self.is_jump() {
            self.jump_distance()?
        } else {
            // Every distance is in the lower half of the first dword; the build checks this.
            (i64::from(self.bits() as i16) * 4) as u64
        };
        Some(pc.wrapping_add(self.len() as u64).wrapping_add(distance))
    }

    /// The value of an operand: an inline integer, sign-extended to 64 bits, or a literal. `None` if it is not an
    /// integer, or if the literal has 32 bits, the operand 64, and the literal's top bit is set, because operations
    /// differ in how they extend such a literal.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::{Target, decode_words};
    /// let inst = decode_words(Target::Gfx942, &[0x8004_ff04, 0x1234]).unwrap(); // s_add_u32 s4, s4, 0x1234
    /// let constants: Vec<_> = inst.operands().map(|operand| inst.constant(&operand)).collect();
    /// assert_eq!(constants[..3], [None, None, Some(0x1234)]);
    /// # }
    /// ```
    pub fn constant(&self, operand: &Operand) -> Option<u64> {
        match operand.value {
            Value::Int(value) => Some(i64::from(value) as u64),
            Value::Literal(value) => Some(value.into()).filter(|_| operand.bits < 64 || value >> 31 == 0),
            Value::Literal64 => self.literal64(),
            _ => None,
        }
    }
}

impl Iterator for Operands<'_> {
    type Item = Operand;

    // Rarer rows are read by `other`, which has no reference to the state, so a loop keeps the state in registers.
    #[inline]
    fn next(&mut self) -> Option<Operand> {
        self.plain = false;
        loop {
            let row = self.tables.first(self.list);
            if row.how <= How::Varied {
                self.list >>= ROW_BITS;
                return Some(read_varied(self.tables, row, self.inst));
            }
            if row.how <= How::Label {
                self.list >>= ROW_BITS;
                return Some(read_constant(row, self.inst));
            }
            if self.list == 0 {
                return None;
            }
            let step = other(self.tables, self.inst, row, self.given);
            self.given = step.given;
            if step.given == 0 {
                self.list >>= ROW_BITS;
            }
            if step.operand.is_some() {
                return step.operand;
            }
        }
    }

    // `for_each` and similar methods are faster than `for`: they build an operand where it is used, and do not move it.
    #[inline]
    fn fold<B, F: FnMut(B, Operand) -> B>(self, mut all: B, mut f: F) -> B {
        let Operands { inst, tables, mut list, mut given, .. } = self;
        // The branch on the number of operands is often mispredicted, so it should not wait for any other result.
        #[cfg(feature = "fast")]
        if self.plain {
            let values = tables.values;
            loop {
                // The compiler makes two copies of this body, which halves the number of jumps.
                for _ in 0..2 {
                    let row = tables.first(list);
                    list >>= ROW_BITS;
                    all = f(all, row.with(value_of(values, place(row, inst)), false));
                    if list == 0 {
                        return all;
                    }
                }
            }
        }
        while list != 0 {
            let row = tables.first(list);
            if row.how <= How::Varied {
                list >>= ROW_BITS;
                all = f(all, read_varied(tables, row, inst));
            } else if row.how <= How::Label {
                list >>= ROW_BITS;
                all = f(all, read_constant(row, inst));
            } else {
                let step = other(tables, inst, row, given);
                given = step.given;
                if given == 0 {
                    list >>= ROW_BITS;
                }
                if let Some(operand) = step.operand {
                    all = f(all, operand);
                }
            }
        }
        all
    }
}

/// The operand of a row whose code other fields can turn into an accumulation register, or into a longer tuple.
#[inline(always)]
fn read_varied(tables: &OperandTables, row: &Row, inst: &Inst) -> Operand {
    let bits = inst.bits();
    let place = varied_place(row, inst);
    let place = place + ((bits >> (row.acc & 63)) as usize & place & VECTOR);
    let alone = (bits >> (row.address & 63)) as usize & ADDRESS == usize::from(tables.off);
    read_value(tables, row, place, alone, inst)
}

/// Reads a constant or a branch distance.
#[inline(always)]
fn read_constant(row: &Row, inst: &Inst) -> Operand {
    let field = field(row, inst);
    let value = if row.how == How::Label { Value::Label(field as u16 as i16) } else { Value::Imm(field as i32) };
    row.with(&value, false)
}

/// The next operand of a row, if there is one.
struct Step {
    operand: Option<Operand>,
    /// The value for `Operands::given` after this operand; 0 if the row has no further operands.
    given: u8,
}

#[inline(never)]
fn other(tables: &OperandTables, inst: &Inst, row: &Row, given: u8) -> Step {
    let operand = match row.how {
        // The loops of `Operands` read these rows without this call.
        How::Value | How::Varied => Some(read_varied(tables, row, inst)),
        How::Imm | How::Label => Some(read_constant(row, inst)),
        How::Kept => Some(with_kept(tables, row, read_value(tables, row, place(row, inst), false, inst), inst)),
        How::If => flag(inst, row.acc).then(|| read_value(tables, row, place(row, inst), false, inst)),
        How::Hwreg => (row.acc..=row.address)
            .contains(&Hwreg::decode(inst.target(), inst.bits() as u16).id)
            .then(|| read_value(tables, row, place(row, inst), false, inst)),
        How::Other => match tables.desc(row) {
            None => None,
            Some(desc) => {
                if desc.kind.has_parts() {
                    let operand = part(&desc, inst, given);
                    if operand.is_some() {
                        return Step { operand, given: given + 1 };
                    }
                }
                operand(&desc, inst).map(|operand| with_kept(tables, row, operand, inst))
            }
        },
    };
    Step { operand, given: 0 }
}

/// The operand of a row. It counts as read, too, if the instruction keeps a part of it.
fn with_kept(tables: &OperandTables, row: &Row, operand: Operand, inst: &Inst) -> Operand {
    // A mask of lanes, which is not a vector register, is always written as a whole.
    let is_kept = operand.is_vector() && tables.kept_of(row).iter().any(|term| inst.has(term));
    Operand { access: if is_kept { Access::ReadWrite } else { operand.access }, ..operand }
}

/// The next part of a descriptor with several operands; `None` if no part is left, or only one that the
/// function `operand` reads.
fn part(desc: &OperandDesc, inst: &Inst, given: u8) -> Option<Operand> {
    if let Some(address) = Address::of(desc) {
        return address.operand(inst, given);
    }
    match read(desc, inst) {
        Some((EncodedOperand::RegisterPlusOffset(code, _), _)) if given == 0 => {
            let value = meaning(inst.target(), code, 1);
            Some(Operand { role: Some(Field::Soffset), value, bits: 32, access: Access::Read })
        }
        _ => None,
    }
}

/// The value of a row's field.
#[inline(always)]
fn field(row: &Row, inst: &Inst) -> u32 {
    field_in(row, inst.bits())
}

#[inline(always)]
#[allow(clippy::useless_conversion)] // Without `fast` a row's numbers have 16 bits.
fn field_in(row: &Row, bits: u64) -> u32 {
    bits.rotate_right(row.turn.into()) as u32 & u32::from(row.mask)
}

/// The index of a row's code in the table of values.
#[inline(always)]
fn place(row: &Row, inst: &Inst) -> usize {
    place_in(row, inst.bits())
}

/// Like `place`, for a field that may be in the third dword.
#[inline(always)]
fn varied_place(row: &Row, inst: &Inst) -> usize {
    if ANY_WIDE && row.turn >= 64 { place_in(row, inst.high_bits()) } else { place(row, inst) }
}

#[inline(always)]
#[allow(clippy::useless_conversion)]
fn place_in(row: &Row, bits: u64) -> usize {
    field_in(row, bits).wrapping_add(row.add.into()) as usize
}

/// The operand of a row whose value is at an index of the table of values.
#[inline(always)]
fn read_value(t: &OperandTables, row: &Row, place: usize, alone: bool, inst: &Inst) -> Operand {
    #[cfg(feature = "fast")]
    {
        // Use a reference, so that the compiler copies the value as a whole instead of field by field.
        let value = value_of(t.values, place);
        if !matches!(value, Value::Literal(_)) {
            return row.with(value, alone);
        }
    }
    row.with(&value_small(t, row, place, inst), alone)
}

/// The value at an index of the table of values, computed without the table.
#[cold]
#[inline(never)]
fn value_small(t: &OperandTables, row: &Row, place: usize, inst: &Inst) -> Value {
    let code = code_at(place);
    match place {
        IMPLICIT.. => implicit(place),
        _ if is_off(place, t.off) => Value::Off,
        _ if code == LITERAL => Value::Literal(inst.last_dword()),
        _ if is_literal64(inst, code) => Value::Literal64,
        _ => meaning(inst.target(), code, row.with(&Value::Off, false).bits / 32),
    }
}

/// The code of the operand in a field.
pub(crate) fn code_of(inst: &Inst, field: Field) -> Option<u16> {
    let tables = OPERANDS[inst.target() as usize];
    tables.rows_of(tables.list_of(inst)).find_map(|row| match row.how {
        How::Value | How::Varied | How::Kept => (row.role() == Some(field)).then(|| code_at(varied_place(row, inst))),
        _ => {
            let desc = tables.desc(row)?;
            let named = matches!(
                desc.kind,
                OperandKind::Register(RegisterKind::Code { .. } | RegisterKind::NamedOrVcc { .. })
                    | OperandKind::Address(AddressKind::Scalar { .. })
            );
            (desc.field == field && named).then(|| code_in(&desc, inst))
        }
    })
}

#[cfg(all(test, has_target))]
mod tests {
    use super::*;
    use crate::decode::decode_words;
    use crate::target::Target;
    use crate::value::Reg;

    /// For all codes, a row's operand equals the operand that is computed without the table of values.
    #[test]
    fn values_are_those_that_are_found_without_fast() {
        let (mut seen, mut off, mut odd, mut acc) = (0, 0, 0, 0);
        for &target in Target::ALL {
            let tables = OPERANDS[target as usize];
            for row in tables.rows.iter().filter(|row| row.how <= How::Varied) {
                // The other fields have no bits set; or all bits that select an accumulation register or mean "no
                // scalar address"; or only the bits that mean "no scalar address", without the lowest.
                let address = if row.address == 63 { 0 } else { u64::from(tables.off) << row.address };
                let acc_bit = if row.acc == 63 { 0 } else { 256u64 << row.acc };
                for more in [0, acc_bit | address, address & address << 1] {
                    for field in (0..=row.mask).filter(|field| field & !row.mask == 0) {
                        let value = u64::from(field).rotate_left(row.turn.into());
                        let (low, third) = if row.turn < 64 { (value, 0) } else { (0, value as u32) };
                        let bits = low | more;
                        let inst = Inst::new(target, [bits as u32, (bits >> 32) as u32, third, 0, 0], 0, 3);
                        let fast = read_varied(tables, row, &inst);
                        let is_acc = more & acc_bit != 0 && varied_place(row, &inst) & VECTOR != 0;
                        let at = varied_place(row, &inst) + if is_acc { VECTOR } else { 0 };
                        let alone = address != 0 && more & (127 << row.address) == address;
                        let small = row.with(&value_small(tables, row, at, &inst), alone);
                        assert_eq!(fast, small, "{target} {:?} {field}", row.role());
                        seen += 1;
                        off += usize::from(fast.value == Value::Off);
                        odd += usize::from(
                            is_off(row.add as usize + ADDRESS, tables.off) && fast.bits == 32 && field & 1 == 1,
                        );
                        acc += usize::from(matches!(fast.value, Value::Reg(Reg::Agpr(_))));
                    }
                }
            }
        }
        assert!(seen > 10_000);
        if Target::ALL.iter().any(|t| t.name() == "gfx942") {
            assert!(off > 0 && odd > 0 && acc > 0);
        }
    }

    /// The lists agree with the descriptors, which the printer reads in another way. The shorter list for common words
    /// agrees with the list for all words, including implicit registers.
    #[test]
    fn operands_are_those_of_the_descriptors() {
        let mut state = 1u64;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state as u32
        };
        let (mut plain, mut replaced, mut whole) = (0, 0, 0);
        // A descriptor does not say whether a part of a destination is kept (tests/operands.rs tests that).
        let is_same = |of_list: Option<Operand>, of_desc: Operand| {
            let kept = Operand { access: Access::ReadWrite, ..of_desc };
            let can_be_kept = of_desc.access == Access::Write && of_desc.is_vector();
            of_list == Some(of_desc) || can_be_kept && of_list == Some(kept)
        };
        for &target in Target::ALL {
            let tables = OPERANDS[target as usize];
            for _ in 0..200_000 {
                // Set few bits, because reserved bits must be zero; or set the seven bits that mean "no scalar
                // address", or six of them.
                let second = random() & random()
                    | match random() % 3 {
                        0 => 0,
                        1 => 0x7f << 16,
                        _ => 0x7f << 16 & !(1 << (16 + random() % 7)),
                    };
                let words = [random(), second, random()];
                let Ok(inst) = decode_words(target, &words) else { continue };
                let list = tables.list_of(&inst);
                let all = Operands { inst: &inst, tables, list, plain: false, given: 0 };
                let fast = inst.operands();
                plain += usize::from(fast.plain);
                replaced += usize::from(fast.list != list);
                whole += usize::from(fast.list == list);
                assert!(all.eq(fast.clone()), "{inst:?}");
                let mut named = fast.clone().filter(|operand| operand.role.is_some());
                for desc in inst.descs().filter(|desc| desc.access.is_some()) {
                    let parts = if desc.kind.has_parts() { 0..u8::MAX } else { 0..0 };
                    for part in parts.map_while(|given| part(desc, &inst, given)) {
                        assert!(is_same(named.next(), part), "{inst:?} {part:?}");
                    }
                    // After the parts of a descriptor, `operand` reads at most an offset.
                    if let Some(last) = operand(desc, &inst) {
                        assert!(is_same(named.next(), last), "{inst:?} {last:?}");
                    }
                }
                assert_eq!(named.next(), None, "{inst:?}");
                // Iterate one by one, then all at once.
                let mut rest = fast.clone();
                fast.clone().for_each(|operand| assert_eq!(rest.next(), Some(operand), "{inst:?}"));
                assert_eq!(rest.next(), None, "{inst:?}");
                // Iterate over some one by one, and over the rest at once.
                for first in 0..=fast.clone().count() {
                    let (mut some, mut rest) = (fast.clone(), fast.clone().skip(first));
                    (0..first).for_each(|_| _ = some.next());
                    some.for_each(|operand| assert_eq!(rest.next(), Some(operand), "{inst:?}"));
                    assert_eq!(rest.next(), None, "{inst:?}");
                }
            }
        }
        assert!(whole > 1_000, "{whole}");
        // Without `fast` there are no lists for common words.
        assert_eq!(plain > 1_000 && replaced > 100, cfg!(feature = "fast"), "{plain} {replaced}");
    }
}
