//! Dual instructions (VOPD, VOPD3): two operations of RDNA3 and later in one instruction.

mod pair;

use core::marker::PhantomData;

use super::argument::Argument;
use super::builder::{Builder, weight};
use super::generated::DUALS;
use super::generated::RULES;
use super::modifiers::ModifierSet;
use super::op::{self, Kind, Op, Vgpr, kind};
use super::operand::Place;
use super::resolve::Rules;
use super::{BuildError, Code, Given};
use crate::check::{Freedom, Port, Ports, conflict};
use crate::code::{VGPR, VGPR_LAST, is_inside};
use crate::codec::inline_constant::narrow_float;
use crate::inst::Inst;
use crate::opcode::{Field, Format, Opcode};
use crate::target::Target;
use crate::value::Reg;

pub use pair::{PairError, pair};

/// An operation that can be the first or the second one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Either;

/// An operation that can only be the second one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OnlySecond;

/// An operation that can only be the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OnlyFirst;

/// Operations that can be the first one: [`Either`] or [`OnlyFirst`].
pub trait First {}
impl First for Either {}
impl First for OnlyFirst {}

/// Operations that can be the second one: [`Either`] or [`OnlySecond`].
pub trait Second {}
impl Second for Either {}
impl Second for OnlySecond {}

/// One operation of a dual instruction. The functions of a target's module `vopd` make such operations, and the
/// target's function `vopd` makes an instruction from two operations. The module and the function `vopd3` do so for
/// VOPD3.
///
/// `P`: [`Either`], [`OnlyFirst`] or [`OnlySecond`]; `F`: [`Vopd`] or [`Vopd3`].
///
/// ```
/// # #[cfg(feature = "gfx1100")] {
/// use amdgpu_isa::gfx1100::{vopd, vopd::*};
/// use amdgpu_isa::{Field, make::*};
/// // v_dual_mul_f32 v4, s2, v1 :: v_dual_add_nc_u32 v7, v2, v3
/// let code = vopd(v_dual_mul_f32(v(4), s(2), v(1)), v_dual_add_nc_u32(v(7), v(2), v(3)));
/// assert_eq!(*code.words().unwrap(), [0xc8e0_0202, 0x0406_0702]);
///
/// // The two destinations are an even register and an odd one.
/// let code = vopd(v_dual_mul_f32(v(4), s(2), v(1)), v_dual_add_nc_u32(v(6), v(2), v(3)));
/// let error = code.words().unwrap_err();
/// assert_eq!(error, BuildError::Banks { x: Field::Vdstx, y: Field::Vdsty });
/// assert_eq!(error.to_string(), "vdstx and vdsty are in one bank");
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dual<P, F = Vopd> {
    operation: &'static Operation,
    dst: u16,
    src0: Op<kind::Any, 1>,
    src1: u16,
    src2: Op<kind::Any, 1>,
    literal: u32,
    /// A bit for each negated source.
    neg: u8,
    table: Option<u8>,
    part: PhantomData<(P, F)>,
}

impl<F> From<Dual<Either, F>> for Dual<OnlySecond, F> {
    fn from(dual: Dual<Either, F>) -> Self {
        dual.cast()
    }
}

impl<F> From<Dual<Either, F>> for Dual<OnlyFirst, F> {
    fn from(dual: Dual<Either, F>) -> Self {
        dual.cast()
    }
}

/// The modifiers of a dual instruction: none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vopd;
impl ModifierSet for Vopd {}

/// The modifiers of a long dual instruction: none, because each of its operations has its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vopd3;
impl ModifierSet for Vopd3 {}

/// The properties of an operation, from the tables.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Operation {
    pub opcode: u8,
    /// The position of the first source in the first operation.
    pub src0: Place,
    /// Whether the operation has a second source.
    pub src1: bool,
    /// Whether a literal always follows the operation.
    pub literal: bool,
    /// The register that the result is added to, if there is one.
    pub addend: Addend,
    pub reads_vcc: bool,
    /// Number of registers of each operand.
    pub dwords: u8,
    /// The position of the third source in the first operation, if there is one.
    pub src2: Option<Place>,
    /// The sources that can be negated, one bit each.
    pub neg: u8,
    /// Whether the operation has a truth table.
    pub table: bool,
}

impl Operation {
    /// Whether the operation is a move; only moves have one source.
    const fn is_move(&self) -> bool {
        !self.src1
    }
}

/// The register that the result is added to. This register is read over a port of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Addend {
    None,
    /// The destination.
    Dst,
    /// The second source, which is then not read over the second source's port.
    Src1,
    /// The third source.
    Src2,
}

/// The dual instructions of a target.
pub(crate) struct Duals {
    pub target: Target,
    pub format: Format,
    /// The encoding bits.
    pub bits: u64,
    pub dwords: u8,
    pub fields: &'static [Fields; 2],
    pub may: Freedom,
    /// For each operation: the operation, the positions that it can have, the operation with the same effect in an
    /// instruction of its own, and its properties.
    pub operations: &'static [(Opcode, Part, Option<Opcode>, &'static Operation)],
}

/// The positions that an operation can have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub first: bool,
    pub second: bool,
}

/// The positions of one operation's fields.
#[derive(Debug)]
pub(crate) struct Fields {
    pub opcode: u8,
    pub src0: (Field, u8),
    pub src1: (Field, u8),
    pub src2: (Field, u8),
    pub dst: (Field, u8),
    pub neg: (Field, u8),
    pub table: (Field, u8),
}

impl<P, F> Dual<P, F> {
    #[inline(always)]
    pub(crate) const fn new<K: Kind, L: Kind, const N: usize>(
        operation: &'static Operation,
        dst: Vgpr<N>,
        src0: Op<K, N>,
        src1: Vgpr<N>,
        src2: Op<L, N>,
        literal: u32,
    ) -> Dual<P, F> {
        let (src0, src2) = (Op::new(src0.code, src0.value), Op::new(src2.code, src2.value));
        Dual { operation, dst: dst.code, src0, src1: src1.code, src2, literal, neg: 0, table: None, part: PhantomData }
    }

    /// The operation with other types for its position and its format.
    const fn cast<Q, G>(self) -> Dual<Q, G> {
        let Dual { operation, dst, src0, src1, src2, literal, neg, table, .. } = self;
        Dual { operation, dst, src0, src1, src2, literal, neg, table, part: PhantomData }
    }

    /// The register that is read as the second source, or 0.
    const fn second(&self) -> u16 {
        match self.operation.addend {
            Addend::Src1 => 0,
            _ if self.operation.src1 => self.src1,
            _ => 0,
        }
    }

    /// The register that is read as the addend, or 0, with its field.
    const fn addend(&self, fields: &Fields) -> (u16, Field) {
        match self.operation.addend {
            Addend::None => (0, fields.dst.0),
            Addend::Dst => (self.dst, fields.dst.0),
            Addend::Src1 => (self.src1, fields.src1.0),
            Addend::Src2 => (self.src2.code, fields.src2.0),
        }
    }
}

impl<P> Dual<P, Vopd3> {
    /// Negates a source, counted from 0. The instruction refuses a source that cannot be negated.
    #[inline(always)]
    pub const fn neg(mut self, source: u8) -> Self {
        self.neg |= if source < 7 { 1 << source } else { 1 << 7 };
        self
    }

    /// Sets the truth table of an operation that has one, like that of `v_bitop3_b32`.
    #[inline(always)]
    pub const fn bitop3(mut self, table: u8) -> Self {
        self.table = Some(table);
        self
    }
}

/// Builds a builder's dual instruction with this second operation: VOPD if it has room for everything, otherwise VOPD3.
pub(super) fn build(builder: &Builder, second: Opcode) -> Result<Inst, BuildError> {
    let mut best = BuildError::Encoding { format: None, extension: None };
    for duals in DUALS.iter().filter(|duals| duals.target == builder.target && builder.takes(duals.format)) {
        match build_as(builder, second, duals) {
            Ok(inst) => return Ok(inst),
            Err(error) if weight(&error) >= weight(&best) => best = error,
            Err(_) => {}
        }
    }
    Err(best)
}

/// Builds a builder's dual instruction in one format.
fn build_as(builder: &Builder, second: Opcode, duals: &Duals) -> Result<Inst, BuildError> {
    let target = builder.target;
    let of = |opcode: Opcode, first: bool| {
        let found = duals.operations.iter().find(|o| o.0 == opcode && if first { o.1.first } else { o.1.second });
        found.map(|operation| operation.3).ok_or(BuildError::Opcode(opcode))
    };
    let (first, second) = (of(builder.opcode, true)?, of(second, false)?);
    let [at_x, at_y] = duals.fields;
    let known = |field: Field| {
        let has = |at: &Fields, operation: &Operation| {
            field == at.dst.0
                || field == at.src0.0
                || field == at.src1.0 && operation.src1
                || field == at.src2.0 && operation.src2.is_some()
                || field == at.neg.0 && operation.neg != 0
                || field == at.table.0 && operation.table
        };
        has(at_x, first) || has(at_y, second) || field == Field::Literal && (first.literal || second.literal)
    };
    if let Some(&field) = builder.arguments().fields().iter().find(|field| !known(**field)) {
        return Err(BuildError::Unknown(field));
    }
    let rules = RULES[target as usize];
    let x = Dual::<Either>::of(builder, rules, first, at_x)?;
    let y = Dual::<OnlySecond>::of(builder, rules, second, at_y)?;
    Code::<Vopd>::new(duals.bits, duals.dwords).dual(rules, duals.fields, duals.may, x, y).inst(target)
}

impl<P> Dual<P> {
    /// Converts one of a builder's operations to a `Dual`.
    fn of(builder: &Builder, rules: &Rules, operation: &'static Operation, at: &Fields) -> Result<Dual<P>, BuildError> {
        let find = |field: Field| -> Result<Argument, BuildError> {
            let (_, argument) = builder.find(field).ok_or(BuildError::Missing(field))?;
            match argument.dwords {
                0 => Ok(argument),
                given if given == operation.dwords => Ok(argument),
                given => Err(BuildError::Width { field, dwords: operation.dwords, given }),
            }
        };
        let register = |field: Field| {
            let argument = find(field)?;
            match argument.code {
                VGPR..=VGPR_LAST => Ok(argument.code),
                _ => Err(BuildError::Operand { field, given: argument.given(rules) }),
            }
        };
        // Finds the value of an optional number, which has a field of its own.
        let number = |field: Field| match builder.find(field) {
            None => Ok(None),
            Some((_, argument)) => match argument.integer().map(u8::try_from) {
                Some(Ok(n)) => Ok(Some(n)),
                _ => Err(BuildError::Operand { field, given: argument.given(rules) }),
            },
        };
        let src0 = find(at.src0.0)?;
        let literal = match operation.literal {
            false => 0,
            true => {
                let argument = find(Field::Literal)?;
                match (argument.code, argument.integer()) {
                    (op::LITERAL, _) => argument.value as u32,
                    (_, Some(n)) if (i64::from(i32::MIN)..=i64::from(u32::MAX)).contains(&n) => n as u32,
                    (op::FLOAT, _) => {
                        narrow_float(argument.value, false).ok_or(BuildError::Constant(Field::Literal))?
                    }
                    _ => return Err(BuildError::Constant(Field::Literal)),
                }
            }
        };
        let src1 = if operation.src1 { register(at.src1.0)? } else { 0 };
        let src2 = if operation.src2.is_some() { find(at.src2.0)? } else { Argument::ZERO };
        let (src0, src2) = (Op::new(src0.code, src0.value), Op::new(src2.code, src2.value));
        let neg = if operation.neg == 0 { 0 } else { number(at.neg.0)?.unwrap_or(0) };
        let table = if operation.table { number(at.table.0)? } else { None };
        let dst = register(at.dst.0)?;
        Ok(Dual { operation, dst, src0, src1, src2, literal, neg, table, part: PhantomData })
    }
}

impl<M: ModifierSet> Code<M> {
    /// Encodes two operations.
    pub(crate) const fn dual<P, Q, F>(
        mut self,
        rules: &Rules,
        [at_x, at_y]: &[Fields; 2],
        may: Freedom,
        x: Dual<P, F>,
        y: Dual<Q, F>,
    ) -> Self {
        if x.operation.reads_vcc || y.operation.reads_vcc {
            self = self.reads(rules.vcc as u64, 1);
        }
        self = self.one(rules, at_x, &x).one(rules, at_y, &y);
        self = match may.long {
            true => self.vector(rules, at_x.dst, x.operation.dwords, x.dst).vector(
                rules,
                at_y.dst,
                y.operation.dwords,
                y.dst,
            ),
            // One of the two destinations is even, and the other is odd.
            false => self.put(at_x.dst.1, (x.dst % VGPR) as u64).put(at_y.dst.1, (y.dst % VGPR / 2) as u64),
        };
        let ports = [self.ports(at_x, &x), self.ports(at_y, &y)];
        let (x, y) = match conflict(&ports[0], &ports[1], may) {
            None => return self,
            Some(Port::Dst) => (at_x.dst.0, at_y.dst.0),
            Some(Port::Src0) => (at_x.src0.0, at_y.src0.0),
            Some(Port::Src1) => (at_x.src1.0, at_y.src1.0),
            Some(Port::Addend) => (x.addend(at_x).1, y.addend(at_y).1),
        };
        self.fail(BuildError::Banks { x, y })
    }

    /// The registers that one of the operations reads and writes; its first source is taken from the words.
    const fn ports<P, F>(&self, at: &Fields, dual: &Dual<P, F>) -> Ports {
        Ports {
            dst: dual.dst,
            src0: self.bits_from(at.src0.1) & VGPR_LAST,
            src1: dual.second(),
            addend: dual.addend(at).0,
            is_move: dual.operation.is_move(),
            dwords: dual.operation.dwords as u16,
        }
    }

    /// Encodes the opcode, the sources and the modifiers of one of the operations.
    const fn one<P, F>(mut self, rules: &Rules, at: &Fields, dual: &Dual<P, F>) -> Self {
        let operation = dual.operation;
        let place = Place { field: at.src0.0, lsb: at.src0.1, ..operation.src0 };
        self = self.put(at.opcode, operation.opcode as u64).source(rules, &place, operation.dwords, dual.src0);
        if operation.src1 {
            self = self.vector(rules, at.src1, operation.dwords, dual.src1);
        }
        if let Some(third) = operation.src2 {
            let third = Place { field: at.src2.0, lsb: at.src2.1, ..third };
            self = self.source(rules, &third, operation.dwords, dual.src2);
        }
        let wrong = dual.neg & !operation.neg;
        if wrong != 0 {
            self = self.fail(BuildError::NoModifier { field: at.neg.0, source: wrong.trailing_zeros() as u8 });
        } else if dual.neg != 0 {
            self = self.put(at.neg.1, dual.neg as u64);
        }
        if let Some(table) = dual.table {
            self = match operation.table {
                true => self.put(at.table.1, table as u64),
                false => self.fail(BuildError::Unknown(at.table.0)),
            };
        }
        if operation.literal { self.constant_at(Field::Literal, place.literal, dual.literal, place.bus) } else { self }
    }

    /// Encodes a source of one or two dwords.
    const fn source(self, rules: &Rules, place: &Place, dwords: u8, op: Op<kind::Any, 1>) -> Self {
        match dwords {
            2 => self.operand(rules, place, Op::<kind::Any, 2>::new(op.code, op.value)),
            _ => self.operand(rules, place, op),
        }
    }

    /// Encodes a vector register, or a pair of them.
    const fn vector(self, rules: &Rules, (field, lsb): (Field, u8), dwords: u8, code: u16) -> Self {
        let first = code % VGPR;
        if dwords > 1 && (!is_inside(first, dwords as u16, rules.vgprs) || rules.aligned && first & 1 == 1) {
            let given = Given::Reg(Reg::Vgpr(first));
            return self.fail(BuildError::Registers { field, given, dwords });
        }
        self.put(lsb, first as u64)
    }
}
