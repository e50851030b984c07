//! Searches for parts of a formula.

use amdgpu_isa::meaning::{Expr, Formula, Part, Place};

/// Whether a formula computes a value with a part for which `wanted` is true.
pub fn has(formula: &Formula, wanted: &dyn Fn(&Expr) -> bool) -> bool {
    formula.statements.iter().any(|s| any_part(&s.value, wanted))
}

/// Whether a formula reads a place for which `wanted` is true.
pub fn reads(formula: &Formula, wanted: &dyn Fn(&Place) -> bool) -> bool {
    formula.statements.iter().any(|s| any(&s.value, wanted))
}

/// Whether an expression has a place for which `wanted` is true.
pub fn any(expr: &Expr, wanted: &dyn Fn(&Place) -> bool) -> bool {
    any_part(expr, &|part| matches!(part, Expr::Place(place) if wanted(place)))
}

/// Whether `wanted` is true for an expression, or for one inside it.
fn any_part(expr: &Expr, wanted: &dyn Fn(&Expr) -> bool) -> bool {
    let of = |expr: &Expr| any_part(expr, wanted);
    let inside = match expr {
        Expr::Int(_) | Expr::Float(_) | Expr::Name(_) => false,
        Expr::Place(place) => {
            let numbers = [&place.lane, &place.further].into_iter().flatten();
            let in_part = match &place.part {
                Part::Whole => false,
                Part::Element(at) => of(at),
                Part::Bits(high, low) => of(high) || of(low),
            };
            in_part || numbers.into_iter().any(|number| of(number))
        }
        Expr::Unary(_, a) | Expr::Convert(_, a) => of(a),
        Expr::Binary(_, a, b) | Expr::Sum(_, a, b) => of(a) || of(b),
        Expr::If(a, b, c) => of(a) || of(b) || of(c),
        Expr::Call(_, all) => all.iter().any(of),
    };
    inside || wanted(expr)
}
