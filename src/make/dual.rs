//! Dual instructions (VOPD): two operations of RDNA3 and later in one instruction.

use core::fmt;
use core::marker::PhantomData;

use super::argument::Argument;
use super::builder::Builder;
use super::generated::{DUALS, RULES};
use super::modifiers::ModifierSet;
use super::op::{self, Kind, Op, Vgpr, kind};
use super::operand::Place;
use super::resolve::Rules;
use super::{BuildError, Code};
use crate::codec::code::{VGPR, VGPR_LAST};
use crate::codec::numbers::narrow_float;
use crate::codec::{Port, Ports, conflict};
use crate::{Field, Format, Inst, Opcode, Target};

/// An operation that can be either one of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Either;

/// An operation that can only be the second one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OnlySecond;

/// One operation of a dual instruction; the functions of a target's module `vopd` make it, and the target's function
/// `vopd` makes an instruction from two of them.
///
/// `P`: [`Either`] or [`OnlySecond`].
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
pub struct Dual<P> {
    operation: &'static Operation,
    dst: u16,
    src0: Op<kind::Any, 1>,
    src1: u16,
    literal: u32,
    part: PhantomData<P>,
}

impl From<Dual<Either>> for Dual<OnlySecond> {
    fn from(dual: Dual<Either>) -> Self {
        let Dual { operation, dst, src0, src1, literal, .. } = dual;
        Dual { operation, dst, src0, src1, literal, part: PhantomData }
    }
}

/// The modifiers of a dual instruction: none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vopd;
impl ModifierSet for Vopd {}

/// What the tables know about an operation.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Operation {
    pub opcode: u8,
    /// The first source, as that of the first operation.
    pub src0: Place,
    /// It has a second source.
    pub src1: bool,
    /// A literal always follows.
    pub literal: bool,
    pub addend: Addend,
    pub reads_vcc: bool,
}

impl Operation {
    /// Of all operations, only moves have one source.
    const fn is_move(&self) -> bool {
        !self.src1
    }
}

/// The register that the result is added to. It is read over a port of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Addend {
    None,
    /// The destination.
    Dst,
    /// The second source, which is then not read as such.
    Src1,
}

/// The dual instructions of a target.
pub(crate) struct Duals {
    pub target: Target,
    /// The encoding bits.
    pub bits: u64,
    pub dwords: u8,
    pub fields: &'static [Fields; 2],
    /// The first sources of two moves can be in one bank.
    pub moves: bool,
    /// The operations, whether each can be the first one, and the operation that does the same in an instruction of its
    /// own.
    pub operations: &'static [(Opcode, bool, Option<Opcode>, &'static Operation)],
}

/// The positions of one operation's fields.
#[derive(Debug)]
pub(crate) struct Fields {
    pub opcode: u8,
    pub src0: (Field, u8),
    pub src1: (Field, u8),
    pub dst: (Field, u8),
}

impl<P> Dual<P> {
    #[inline(always)]
    pub(crate) const fn new<K: Kind>(
        operation: &'static Operation,
        dst: Vgpr<1>,
        src0: Op<K, 1>,
        src1: Vgpr<1>,
        literal: u32,
    ) -> Dual<P> {
        Dual { operation, dst: dst.code, src0: src0.any(), src1: src1.code, literal, part: PhantomData }
    }

    /// The register that is read as the second source, or 0.
    const fn second(&self) -> u16 {
        match self.operation.addend {
            Addend::Src1 => 0,
            _ if self.operation.src1 => self.src1,
            _ => 0,
        }
    }

    /// The register that is read as the addend, or 0, and its field.
    const fn addend(&self, fields: &Fields) -> (u16, Field) {
        match self.operation.addend {
            Addend::None => (0, fields.dst.0),
            Addend::Dst => (self.dst, fields.dst.0),
            Addend::Src1 => (self.src1, fields.src1.0),
        }
    }
}

/// Why two instructions cannot become one: see [`pair`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PairError {
    /// The target has no dual instruction with this operation, or the instruction has a modifier or an operand for which a
    /// dual one has no place.
    Operation(Opcode),
    /// One of them can only be the second operation, and so can the other.
    BothSecond,
    /// The second one reads or writes a register that the first one writes.
    Dependent,
    /// Registers in one bank, two literals, or more scalars than the constant bus carries.
    Build(BuildError),
}

impl fmt::Display for PairError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            PairError::Operation(opcode) => write!(f, "no dual instruction has {opcode:?} with these operands"),
            PairError::BothSecond => f.write_str("both could only be the second operation"),
            PairError::Dependent => f.write_str("the second one needs or changes what the first one writes"),
            PairError::Build(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for PairError {}

/// The dual instruction (VOPD) that does what these two do, one after the other. Which of them becomes its first operation
/// is open: whatever is possible.
///
/// # Errors
/// The target has no such pair, or a rule forbids it.
///
/// ```
/// # #[cfg(feature = "gfx1100")] {
/// use amdgpu_isa::make::dual::{PairError, pair};
/// use amdgpu_isa::{Target, decode_words};
/// let of = |word| decode_words(Target::Gfx1100, &[word]).unwrap();
/// let multiply = of(0x1008_0202); // v_mul_f32_e32 v4, s2, v1
/// let add = of(0x4a0e_0702); // v_add_nc_u32_e32 v7, v2, v3
/// assert_eq!(pair(&multiply, &add).unwrap().words(), [0xc8e0_0202, 0x0406_0702]);
/// let next = of(0x4a0e_0704); // v_add_nc_u32_e32 v7, v4, v3
/// assert_eq!(pair(&multiply, &next), Err(PairError::Dependent));
/// # }
/// ```
pub fn pair(first: &Inst, second: &Inst) -> Result<Inst, PairError> {
    let written = first.writes();
    if second.reads().intersects(&written) || second.writes().intersects(&written) {
        return Err(PairError::Dependent);
    }
    join(first, second).or_else(|error| join(second, first).map_err(|_| error))
}

/// Both operations write what neither reads from the other, so their order does not matter.
fn join(x: &Inst, y: &Inst) -> Result<Inst, PairError> {
    let target = x.target();
    let duals = DUALS.iter().find(|duals| duals.target == target && y.target() == target);
    let duals = duals.ok_or(PairError::Operation(x.opcode()))?;
    let of = |inst: &Inst| {
        let found = duals.operations.iter().find(|operation| operation.2 == Some(inst.opcode()));
        // Any modifier that has an effect needs a longer encoding.
        let short = inst.shrink().ok().filter(|short| short.words().len() == 1 || short.extension() == LITERAL);
        found.zip(short).ok_or(PairError::Operation(inst.opcode()))
    };
    let ((&(x_opcode, is_first, ..), x), (&(y_opcode, ..), y)) = (of(x)?, of(y)?);
    if !is_first {
        return Err(PairError::BothSecond);
    }
    let mut literals = [&x, &y].into_iter().filter_map(|inst| inst.get(Field::Literal));
    if literals.next().is_some_and(|first| literals.next().is_some_and(|second| first != second)) {
        return Err(PairError::Build(BuildError::TwoLiterals(Field::Literal)));
    }
    let mut builder = Builder::new(target, x_opcode).second(y_opcode);
    for (inst, at) in [(&x, &duals.fields[0]), (&y, &duals.fields[1])] {
        for operand in inst.operands() {
            builder = match operand.role {
                Some(Field::Vdst) => builder.set(at.dst.0, operand.value),
                Some(Field::Src0) => builder.set(at.src0.0, operand.value),
                Some(Field::Vsrc1) => builder.set(at.src1.0, operand.value),
                Some(Field::Literal) => builder.set(Field::Literal, operand.value),
                // The lanes that v_cndmask selects are always in vcc.
                _ => builder,
            };
        }
    }
    builder.build().map_err(PairError::Build)
}

const LITERAL: Option<Format> = Some(Format::Literal);

/// A builder's dual instruction with this second operation.
pub(super) fn build(builder: &Builder, second: Opcode) -> Result<Inst, BuildError> {
    let lacks = BuildError::Encoding { format: None, extension: None };
    let target = builder.target;
    let duals = DUALS.iter().find(|duals| duals.target == target).ok_or(lacks)?;
    let of = |opcode: Opcode, first: bool| {
        let found = duals.operations.iter().find(|operation| operation.0 == opcode && (operation.1 || !first));
        found.map(|operation| operation.3).ok_or(BuildError::Opcode(opcode))
    };
    let (first, second) = (of(builder.opcode, true)?, of(second, false)?);
    let [at_x, at_y] = duals.fields;
    let known = |field: Field| {
        let has = |at: &Fields, operation: &Operation| {
            field == at.dst.0 || field == at.src0.0 || field == at.src1.0 && operation.src1
        };
        has(at_x, first) || has(at_y, second) || field == Field::Literal && (first.literal || second.literal)
    };
    if let Some(&(field, _)) = builder.arguments().iter().find(|(field, _)| !known(*field)) {
        return Err(BuildError::Unknown(field));
    }
    let rules = RULES[target as usize];
    let x = Dual::<Either>::of(builder, rules, first, at_x)?;
    let y = Dual::<OnlySecond>::of(builder, rules, second, at_y)?;
    Code::<Vopd>::new(duals.bits, duals.dwords).dual(rules, duals.fields, duals.moves, x, y).inst(target)
}

impl<P> Dual<P> {
    /// One of a builder's operations.
    fn of(builder: &Builder, rules: &Rules, operation: &'static Operation, at: &Fields) -> Result<Dual<P>, BuildError> {
        let find = |field: Field| -> Result<Argument, BuildError> {
            let (_, argument) = builder.find(field).ok_or(BuildError::Missing(field))?;
            match argument.dwords {
                0 | 1 => Ok(argument),
                given => Err(BuildError::Width { field, dwords: 1, given }),
            }
        };
        let register = |field: Field| {
            let argument = find(field)?;
            match argument.code {
                VGPR..=VGPR_LAST => Ok(argument.code),
                _ => Err(BuildError::Operand { field, given: argument.given(rules) }),
            }
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
        let src0 = Op::new(src0.code, src0.value);
        Ok(Dual { operation, dst: register(at.dst.0)?, src0, src1, literal, part: PhantomData })
    }
}

impl<M: ModifierSet> Code<M> {
    /// Two operations. `moves`: the first sources of two moves can be in one bank.
    pub(crate) const fn dual<P>(
        mut self,
        rules: &Rules,
        [at_x, at_y]: &[Fields; 2],
        moves: bool,
        x: Dual<Either>,
        y: Dual<P>,
    ) -> Self {
        if x.operation.reads_vcc || y.operation.reads_vcc {
            self = self.reads(rules.vcc as u64, 1);
        }
        self = self.one(rules, at_x, &x).one(rules, at_y, &y);
        self = self.put(at_x.dst.1, (x.dst % VGPR) as u64).put(at_y.dst.1, (y.dst % VGPR / 2) as u64);
        let ports = [self.ports(at_x, &x), self.ports(at_y, &y)];
        let (x, y) = match conflict(&ports[0], &ports[1], moves) {
            None => return self,
            Some(Port::Dst) => (at_x.dst.0, at_y.dst.0),
            Some(Port::Src0) => (at_x.src0.0, at_y.src0.0),
            Some(Port::Src1) => (at_x.src1.0, at_y.src1.0),
            Some(Port::Addend) => (x.addend(at_x).1, y.addend(at_y).1),
        };
        self.fail(BuildError::Banks { x, y })
    }

    /// What one of the operations reads and writes; the words have its first source.
    const fn ports<P>(&self, at: &Fields, dual: &Dual<P>) -> Ports {
        Ports {
            dst: dual.dst,
            src0: self.bits_from(at.src0.1) & VGPR_LAST,
            src1: dual.second(),
            addend: dual.addend(at).0,
            is_move: dual.operation.is_move(),
        }
    }

    /// The opcode and the sources of one of the operations.
    const fn one<P>(mut self, rules: &Rules, at: &Fields, dual: &Dual<P>) -> Self {
        let operation = dual.operation;
        let place = Place { field: at.src0.0, lsb: at.src0.1, ..operation.src0 };
        self = self.put(at.opcode, operation.opcode as u64).operand(rules, &place, dual.src0);
        if operation.src1 {
            self = self.put(at.src1.1, (dual.src1 % VGPR) as u64);
        }
        if operation.literal { self.constant_at(Field::Literal, place.literal, dual.literal, place.bus) } else { self }
    }
}
