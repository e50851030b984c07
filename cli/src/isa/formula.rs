//! A formula as JSON: lists that begin with the name of their kind.

use amdgpu_isa::meaning::{Expr, Formula, Goal, Part, Place, Source, Unary};
use serde::Serialize;
use serde_json::{Value, json};

/// The tree of a formula. docs/isa-json.md describes it.
#[derive(Serialize)]
pub struct Tree {
    /// The statements: for each, the place that gets a value, and the value.
    statements: Vec<(Value, Value)>,
    remark: Option<String>,
}

impl Tree {
    pub fn of(text: &str) -> Tree {
        match Formula::read(text) {
            Ok(formula) => Tree {
                statements: formula.statements.iter().map(|s| (goal(&s.goal), expr(&s.value))).collect(),
                remark: formula.remark,
            },
            // This cannot happen, because the build has read every formula.
            Err(_) => Tree { statements: Vec::new(), remark: None },
        }
    }
}

fn goal(goal: &Goal) -> Value {
    match goal {
        Goal::Name(name) => json!(["name", name]),
        Goal::Place(of) => place(of),
    }
}

fn place(place: &Place) -> Value {
    let mut object = json!({ "place": name(place.source) });
    if let Some(ty) = place.ty {
        object["type"] = json!(ty.to_string());
    }
    if let Some(lane) = &place.lane {
        object["lane"] = expr(lane);
    }
    if let Some(further) = &place.further {
        object["further"] = expr(further);
    }
    match &place.part {
        Part::Whole => {}
        Part::Element(at) => object["element"] = expr(at),
        Part::Bits(high, low) => object["bits"] = json!([expr(high), expr(low)]),
    }
    object
}

fn name(source: Source) -> String {
    if let Some((name, _)) = Source::NAMED.into_iter().find(|(_, known)| *known == source) {
        return name.into();
    }
    match source {
        Source::Destination(n) => format!("D{n}"),
        Source::Operand(n) => format!("S{n}"),
        _ => String::new(),
    }
}

fn expr(of: &Expr) -> Value {
    match of {
        // Integers that do not fit in 64 bits become strings.
        Expr::Int(n) => i64::try_from(*n).map_or_else(|_| json!(n.to_string()), |n| json!(n)),
        Expr::Float(n) => json!(["float", n]),
        Expr::Name(name) => json!(["name", name]),
        Expr::Place(of) => place(of),
        Expr::Unary(Unary::Minus, a) => json!(["-", expr(a)]),
        Expr::Unary(Unary::Complement, a) => json!(["~", expr(a)]),
        Expr::Unary(Unary::Not, a) => json!(["!", expr(a)]),
        Expr::Binary(operator, a, b) => json!([operator.symbol(), expr(a), expr(b)]),
        Expr::If(condition, a, b) => json!(["?", expr(condition), expr(a), expr(b)]),
        Expr::Call(call, arguments) => {
            let mut list = vec![json!(call.name())];
            list.extend(arguments.iter().map(expr));
            Value::Array(list)
        }
        Expr::Convert(ty, a) => json!([ty.to_string(), expr(a)]),
        Expr::Sum(index, count, body) => json!(["sum", index, expr(count), expr(body)]),
    }
}
