//! Joins two instructions into a dual one.

use core::fmt;

use crate::inst::Inst;
use crate::make::generated::DUALS;
use crate::make::{BuildError, Builder};
use crate::opcode::{Field, Format, Opcode};

/// The reason why two instructions cannot become one: see [`pair`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PairError {
    /// The target has no dual instruction with this operation, or the instruction has a modifier or an operand for
    /// which dual instructions have no room.
    Operation(Opcode),
    /// Both operations can only be the second one.
    BothSecond,
    /// The second instruction reads or writes a register that the first one writes.
    Dependent,
    /// The registers are in one bank, there are two literals, or there are more scalars than the constant bus carries.
    Build(BuildError),
}

impl fmt::Display for PairError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            PairError::Operation(opcode) => write!(f, "no dual instruction has {opcode:?} with these operands"),
            PairError::BothSecond => f.write_str("both could only be the second operation"),
            PairError::Dependent => f.write_str("the second one accesses a register that the first one writes"),
            PairError::Build(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for PairError {}

/// Returns the dual instruction (VOPD) with the effect of these two instructions, one after the other. Either
/// instruction can become the first operation.
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

/// Joins two instructions, whose order does not matter: the second does not use a register that the first writes, and
/// both read before either writes.
fn join(x: &Inst, y: &Inst) -> Result<Inst, PairError> {
    let target = x.target();
    let duals =
        DUALS.iter().find(|duals| (duals.target, duals.format) == (target, Format::Vopd) && y.target() == target);
    let duals = duals.ok_or(PairError::Operation(x.opcode()))?;
    let of = |inst: &Inst| {
        let found = duals.operations.iter().find(|operation| operation.2 == Some(inst.opcode()));
        // A modifier that has an effect needs a longer encoding.
        let short = inst.shrink().ok().filter(|short| short.words().len() == 1 || short.extension() == LITERAL);
        found.zip(short).ok_or(PairError::Operation(inst.opcode()))
    };
    let ((&(x_opcode, part, ..), x), (&(y_opcode, ..), y)) = (of(x)?, of(y)?);
    if !part.first {
        return Err(PairError::BothSecond);
    }
    let mut literals = [&x, &y].into_iter().filter_map(|inst| inst.get(Field::Literal));
    if literals.next().is_some_and(|first| literals.next().is_some_and(|second| first != second)) {
        return Err(PairError::Build(BuildError::TwoLiterals(Field::Literal)));
    }
    // VOPD3 would be longer than the two instructions.
    let mut builder = Builder::new(target, x_opcode).second(y_opcode).format(Format::Vopd);
    for (inst, at) in [(&x, &duals.fields[0]), (&y, &duals.fields[1])] {
        for operand in inst.operands() {
            builder = match operand.role {
                Some(Field::Vdst) => builder.set(at.dst.0, operand.value),
                Some(Field::Src0) => builder.set(at.src0.0, operand.value),
                Some(Field::Vsrc1) => builder.set(at.src1.0, operand.value),
                Some(Field::Literal) => builder.set(Field::Literal, operand.value),
                // The mask by which v_cndmask selects is always in vcc.
                _ => builder,
            };
        }
    }
    builder.build().map_err(PairError::Build)
}

const LITERAL: Option<Format> = Some(Format::Literal);
