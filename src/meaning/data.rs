//! The types of the data in operands, as the formula of an operation sees them.

use core::fmt;

use super::alloc::string::String;
use super::alloc::vec::Vec;
use super::{Binary, Call, Expr, Formula, Goal, Part, Place, Source, Type, Unary};
use crate::opcode::Field;
use crate::signature::{OperandSignature, Signature};
use crate::value::Access;

/// The data that an operation reads from or writes to an operand: elements of one type. See [`Signature::data`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct OperandData {
    /// The type of an element; `None` for bits that are moved, or changed one by one.
    pub ty: Option<Type>,
    /// The width of an element in bits: 32 for [`Type::Mixed`], and the least width for [`Type::Chosen`].
    pub bits: u16,
    /// The number of elements: as many as the operand has room for if the formula numbers its elements, or else 1. A
    /// mask has one for each lane. For [`Type::Chosen`] it is the number that fits with the least width.
    pub count: u16,
    /// Whether the formula names the operand. If not, the data is the bits of the operand, as for addresses, operands
    /// that the operation does not read, and all operands of an operation whose meaning is only a sentence.
    pub stated: bool,
}

impl fmt::Display for OperandData {
    /// Writes the type and the count, such as `f32`, `f16x2` or `lane`, or `b64` for bits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ty {
            Some(Type::Lane) => return f.write_str("lane"),
            Some(ty) => write!(f, "{ty}")?,
            None => write!(f, "b{}", self.bits)?,
        }
        if self.count > 1 { write!(f, "x{}", self.count) } else { Ok(()) }
    }
}

impl Signature {
    /// The data that the operation reads and writes, for each operand in the order of [`Signature::operands`], by the
    /// types in its formula. [`OperandSignature::ty`], by contrast, is the type of constants in the operand.
    ///
    /// If the formula reads an operand as several types, a float takes precedence over a signed integer, a signed
    /// integer over an unsigned one, and each of these over bits. Of several floats or integers, the widest one counts.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::{Opcode, Target};
    /// let data = |opcode: Opcode| {
    ///     let signature = opcode.signatures(Target::Gfx942).next().unwrap();
    ///     signature.data().iter().map(|data| data.to_string()).collect::<Vec<_>>()
    /// };
    /// assert_eq!(data(Opcode::VMfmaF32_32x32x8F16), ["f32x16", "f16x4", "f16x4", "f32x16"]);
    /// assert_eq!(data(Opcode::VAddCoU32), ["u32", "lane", "u32", "u32"]);
    /// assert_eq!(data(Opcode::VAndB32), ["b32", "b32", "b32"]);
    /// # }
    /// ```
    pub fn data(&self) -> Vec<OperandData> {
        let formula = self.opcode().meaning(self.target()).and_then(|text| Formula::read(text).ok());
        let views = formula.map_or_else(Vec::new, |formula| views(&formula));
        let lanes = self.target().wave_size();
        let (mut written, mut read) = (0, 0);
        let operand = |operand: OperandSignature| {
            let main = match () {
                _ if operand.access != Access::Read => Source::Destination(next(&mut written)),
                _ if operand.field == Field::Literal => Source::Literal,
                _ => Source::Operand(next(&mut read)),
            };
            // In encodings where a third source replaces VCC, the formula still names VCC.
            let is_mask = main == Source::Operand(2) && operand.bits == lanes;
            let names = |source: Source| match source {
                Source::Data(0) => [Field::Data, Field::Data0, Field::Vdata, Field::Sdata].contains(&operand.field),
                Source::Data(_) => operand.field == Field::Data1,
                Source::Vcc => operand.field == Field::Vcc || is_mask,
                Source::Attribute(_) => operand.field == Field::Attr,
                source => source == main,
            };
            let mine = views.iter().filter(|view| names(view.source));
            data_of(&operand, mine)
        };
        self.operands().map(operand).collect()
    }
}

/// Returns the number, and then adds one to it.
fn next(number: &mut u8) -> u8 {
    *number = number.saturating_add(1);
    *number - 1
}

/// A place that a formula names, with its type.
struct View {
    source: Source,
    ty: Option<Type>,
    /// The width, if the type says only the width.
    plain: Option<u16>,
    /// Whether the place is an element that the formula numbers.
    indexed: bool,
}

impl View {
    fn of(place: &Place) -> View {
        // Bits that are selected by their numbers have no type.
        let ty = place.ty.filter(|_| !matches!(place.part, Part::Bits(..)));
        let plain = ty.filter(|_| place.plain).map(Type::bits);
        let indexed = matches!(place.part, Part::Element(_)) && ty.is_some();
        View { source: place.source, ty: ty.filter(|_| !place.plain), plain, indexed }
    }

    fn typed(source: Source, ty: Type, indexed: bool) -> View {
        View { source, ty: Some(ty), plain: None, indexed }
    }

    /// The precedence of the type.
    fn rank(&self) -> Option<(u8, u16)> {
        let kind = match self.ty? {
            Type::Float(_) | Type::Mixed(_) | Type::Chosen(_) | Type::Scale(_) => 3,
            Type::Signed(_) | Type::MaybeSigned(_) => 2,
            Type::Unsigned(_) => 1,
            Type::Lane => 0,
        };
        Some((kind, self.ty?.bits()))
    }
}

/// The data of an operand, from the places of the formula that are this operand.
fn data_of<'a>(operand: &OperandSignature, views: impl Iterator<Item = &'a View> + Clone) -> OperandData {
    let stated = views.clone().next().is_some();
    let ty = views.clone().max_by_key(|view| view.rank()).and_then(|view| view.ty);
    let plain = views.clone().filter_map(|view| view.plain).max();
    let bits = ty.map(Type::bits).or(plain).unwrap_or(operand.bits);
    let is_it = |view: &View| view.ty == ty && (ty.is_some() || view.plain == Some(bits));
    let all = ty == Some(Type::Lane) || views.clone().any(|view| view.indexed && is_it(view));
    let count = if all { (operand.bits / bits).max(1) } else { 1 };
    OperandData { ty, bits, count, stated }
}

/// All places that a formula names.
fn views(formula: &Formula) -> Vec<View> {
    let mut all = Vec::new();
    let mut names: Vec<(&String, Option<Type>)> = Vec::new();
    for statement in &formula.statements {
        in_expr(&statement.value, &mut all);
        let given = type_of(&statement.value, &names);
        match &statement.goal {
            Goal::Name(name) => names.push((name, given)),
            Goal::Place(place) => {
                in_place(place, &mut all);
                let is_bits = matches!(place.ty, None | Some(Type::Unsigned(_)));
                // `D = u32(x)` gives the bits a type, and so does `D = bits(S0.f16) | bits(S1.f16) << 16`.
                if let (None, Part::Whole, Some(ty)) = (place.ty, &place.part, given) {
                    all.push(View::typed(place.source, ty, false));
                } else if let Some(ty) = float_in(&statement.value).filter(|_| is_bits) {
                    all.push(View::typed(place.source, ty, true));
                }
            }
        }
    }
    all
}

/// The type of a value that is assigned to a place or name without a type: the type of a conversion (`u32(x)`), a count
/// of bits, the number of a bit, a mask, or a value that operators compute from these.
fn type_of(expr: &Expr, names: &[(&String, Option<Type>)]) -> Option<Type> {
    match expr {
        Expr::Convert(ty, a) => type_of(a, names).filter(|inner| *inner == Type::Lane).or(Some(*ty)),
        Expr::Call(Call::PopCount | Call::FirstOne | Call::LastOne, _) => Some(Type::Signed(32)),
        Expr::Binary(Binary::Plus | Binary::Minus, a, b) => type_of(a, names).or_else(|| type_of(b, names)),
        Expr::Binary(Binary::And | Binary::Or | Binary::Xor, a, b) => {
            [a, b].into_iter().filter_map(|part| type_of(part, names)).find(|ty| *ty == Type::Lane)
        }
        Expr::Unary(Unary::Complement, a) => type_of(a, names),
        Expr::Place(place) if is_mask(place) => Some(Type::Lane),
        Expr::Name(name) => names.iter().rev().find(|(known, _)| *known == name)?.1,
        Expr::If(_, a, b) => type_of(a, names).filter(|ty| type_of(b, names) == Some(*ty)),
        _ => None,
    }
}

/// The type of the floats whose bits make up a value.
fn float_in(expr: &Expr) -> Option<Type> {
    match expr {
        Expr::Binary(Binary::Or | Binary::ShiftLeft, a, b) => float_in(a).or_else(|| float_in(b)),
        Expr::Call(Call::Bits, of) => match of.first()? {
            Expr::Convert(ty @ Type::Float(_), _) => Some(*ty),
            Expr::Place(place) => place.ty,
            _ => None,
        },
        _ => None,
    }
}

/// Whether the place is a whole register with a bit for each lane.
fn is_mask(place: &Place) -> bool {
    matches!(place.source, Source::Exec | Source::Vcc) && place.ty.is_none() && place.part == Part::Whole
}

/// Adds places as masks of lanes if they are combined with such masks: `S0 & ~EXEC`.
fn beside_mask(a: &Expr, b: &Expr, all: &mut Vec<View>) {
    if let (Some(a), Some(b)) = (inverted(a), inverted(b)) {
        for (mask, other) in [(a, b), (b, a)] {
            if is_mask(mask) && other.ty.is_none() && other.part == Part::Whole {
                all.push(View::typed(other.source, Type::Lane, false));
            }
        }
    }
}

/// The place of a value that is only a place, perhaps with every bit inverted.
fn inverted(expr: &Expr) -> Option<&Place> {
    match expr {
        Expr::Place(place) => Some(place),
        Expr::Unary(Unary::Complement, inner) => inverted(inner),
        _ => None,
    }
}

/// Adds a place, and the places that select its element, bits, lane or register.
fn in_place(place: &Place, all: &mut Vec<View>) {
    all.push(View::of(place));
    match &place.part {
        Part::Whole => {}
        Part::Element(at) => in_expr(at, all),
        Part::Bits(high, low) => {
            in_expr(high, all);
            in_expr(low, all);
        }
    }
    for number in [&place.lane, &place.further].into_iter().flatten() {
        in_expr(number, all);
    }
}

/// Adds the places that a value names.
fn in_expr(expr: &Expr, all: &mut Vec<View>) {
    match expr {
        Expr::Int(_) | Expr::Float(_) | Expr::Name(_) => {}
        Expr::Place(place) => in_place(place, all),
        Expr::Unary(_, a) | Expr::Convert(_, a) => in_expr(a, all),
        Expr::Binary(operator, a, b) => {
            if matches!(operator, Binary::And | Binary::Or | Binary::Xor) {
                beside_mask(a, b, all);
            }
            in_expr(a, all);
            in_expr(b, all);
        }
        Expr::Sum(_, a, b) => {
            in_expr(a, all);
            in_expr(b, all);
        }
        Expr::If(a, b, c) => [a, b, c].into_iter().for_each(|part| in_expr(part, all)),
        Expr::Call(_, parts) => parts.iter().for_each(|part| in_expr(part, all)),
    }
}
