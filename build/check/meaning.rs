//! Checks that formulas fit the rows of their operations: places, types, widths, and that every result is written.

use std::collections::HashSet;

use crate::build::formula::{
    Binary, Call, Expr, FloatType, Formula, Goal, Part, Place, Rule, Source, Statement, Type, Unary,
};
use crate::build::kind::OperandKind;
use crate::build::lower::meaning::lanes;
use crate::build::lower::{Info, LFormat, NONE, OperandDesc, Target};
use crate::build::model::counters::fits;
use crate::build::model::error::{Result, SourceLine};
use crate::build::model::{Isa, Meanings};

/// The names that the formula of a row can use on a target.
struct Row<'a> {
    /// The widths in bits of the written operands, and of the operands that are only read.
    destinations: Vec<u32>,
    sources: Vec<u32>,
    literal: Option<u32>,
    info: &'a Info,
    has_space: bool,
    /// The fields of the format, with their widths.
    fields: Vec<(&'a str, u32)>,
}

/// The kind of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Int,
    Float(FloatType),
    /// A number such as `0.5`, which takes the type of its neighbour.
    AnyFloat,
}

struct Checker<'a> {
    row: &'a Row<'a>,
    names: Vec<(String, Kind)>,
}

/// A result, or the reason why a formula is wrong, without the place.
type Checked<T> = std::result::Result<T, String>;

pub fn check(isa: &Isa, targets: &[Target], meanings: &Meanings) -> Result<()> {
    lane_names(isa)?;
    let mut known = HashSet::new();
    for t in targets {
        for operation in t.operations.iter().flatten() {
            let of_row =
                |at: &SourceLine, reason: String| at.err(format!("{} of {}: {reason}", operation.mnemonic, t.row.name));
            let signature = &t.signatures[operation.signature - 1];
            let (first, count) = signature.descs;
            let descs: Vec<&OperandDesc> =
                t.desc_lists[first..first + count].iter().map(|&n| &t.descs[usize::from(n)]).collect();
            let row = row(&descs, &t.infos[operation.info], &t.formats[operation.format]);
            for of in lanes(isa, &operation.mnemonic) {
                if row.sources.get(usize::from(of.source)).is_none() {
                    return of_row(&of.at, format!("the row has no source {}", of.source));
                }
                lane(&of.at, &of.text, &row.fields, Vec::new())?;
            }
            let Some((at, text)) = meanings.get(&operation.mnemonic).and_then(|cells| cells.of(&t.row.name)) else {
                continue;
            };
            let sizes = (&row.destinations, &row.sources, &row.fields);
            if !known.insert(format!("{:?}", (text, sizes, &row.info.reads, &row.info.writes))) {
                continue;
            }
            let formula = match Formula::read(text) {
                Ok(formula) => formula,
                Err(error) => return of_row(at, error.to_string()),
            };
            if let Err(reason) = (Checker { row: &row, names: Vec::new() }).formula(&formula) {
                return of_row(at, reason);
            }
        }
    }
    Ok(())
}

/// Checks that each statement about lanes names operations of the statement's format.
fn lane_names(isa: &Isa) -> Result<()> {
    for format in &isa.formats {
        for lane in &format.lanes {
            let has = |pattern: &String| format.rows.iter().any(|row| fits(pattern, &row.mnemonic));
            if let Some(pattern) = lane.patterns.iter().find(|pattern| !has(pattern)) {
                return lane.at.err(format!("{} has no operation {pattern}", format.name));
            }
        }
    }
    Ok(())
}

/// Checks the formula of a DPP control. The formula gives the lane from which each lane reads. `n` is the number in the
/// control's name.
pub fn dpp_lane(at: &SourceLine, text: &str) -> Result<()> {
    lane(at, text, &[], vec![("n".into(), Kind::Int)])
}

/// Checks the formula of a value's effect: `n` is the value, `S0` the bits that it affects, `D` the old bits of the
/// destination, `x` a float, and `mask` has a bit for each bit that is written.
pub fn value(at: &SourceLine, text: &str) -> Result<()> {
    let formula = match Formula::read_value(text) {
        Ok(formula) => formula,
        Err(error) => return at.err(format!("{error}")),
    };
    let info = Info::default();
    let (destinations, sources) = (vec![32], vec![32]);
    let row = Row { destinations, sources, literal: None, info: &info, has_space: false, fields: Vec::new() };
    let names = vec![("n".into(), Kind::Int), ("mask".into(), Kind::Int), ("x".into(), Kind::AnyFloat)];
    match (Checker { row: &row, names }).expr(&formula) {
        Ok(_) => Ok(()),
        Err(reason) => at.err(format!("{reason}, in the meaning of a value")),
    }
}

/// Checks a formula that gives a lane. It must not name operands.
fn lane(at: &SourceLine, text: &str, fields: &[(&str, u32)], names: Vec<(String, Kind)>) -> Result<()> {
    let formula = match Formula::read_value(text) {
        Ok(formula) => formula,
        Err(error) => return at.err(format!("{error}")),
    };
    let info = Info::default();
    let (destinations, sources) = (Vec::new(), Vec::new());
    let row = Row { destinations, sources, literal: None, info: &info, has_space: false, fields: fields.to_vec() };
    let mut checker = Checker { row: &row, names };
    match checker.int(&formula) {
        Ok(()) => Ok(()),
        Err(reason) => at.err(format!("{reason}, in the formula of a lane")),
    }
}

fn row<'a>(descs: &[&OperandDesc], info: &'a Info, format: &LFormat<'a>) -> Row<'a> {
    let fields = format.fields.iter().map(|(field, bits)| (field.name.as_str(), bits.width().into())).collect();
    let has_space = format.def.space.is_some();
    let mut row = Row { destinations: Vec::new(), sources: Vec::new(), literal: None, info, has_space, fields };
    for desc in descs.iter().filter(|desc| desc.kind != OperandKind::Second) {
        let bits = u32::from(desc.dwords) * 32;
        match desc.access {
            None => {}
            // The data of an atomic operation is also its result if a bit is set.
            Some(access) if access.writes() || desc.write_if_bit != NONE => row.destinations.push(bits),
            Some(_) if desc.field == "literal" => row.literal = Some(bits),
            Some(_) => row.sources.push(bits),
        }
    }
    row
}

impl Checker<'_> {
    fn formula(&mut self, formula: &Formula) -> Checked<()> {
        for statement in &formula.statements {
            self.statement(statement)?;
        }
        // A meaning that is only a sentence is not checked.
        if formula.statements.is_empty() {
            return Ok(());
        }
        let written = |source: Source| {
            formula.statements.iter().any(|s| matches!(&s.goal, Goal::Place(place) if place.source == source))
        };
        for n in 0..self.row.destinations.len() {
            if !written(Source::Destination(n as u8)) {
                return Err(format!(
                    "the result D{} is never written",
                    if n == 0 { String::new() } else { n.to_string() }
                ));
            }
        }
        for (name, source) in REGISTERS {
            let is_written = self.row.info.writes.iter().any(|w| w == name);
            // If VCC is an operand, the formula calls it `D1`, or `D` if it is the only result.
            let as_operand = name == "vcc" && (self.row.destinations.len() == 1 || written(Source::Destination(1)));
            if is_written && !(written(source) || as_operand) {
                return Err(format!("{name} is written according to the row, and the formula leaves it out"));
            }
            if !is_written && written(source) {
                return Err(format!("the row lacks w:{name}"));
            }
        }
        Ok(())
    }

    fn statement(&mut self, statement: &Statement) -> Checked<()> {
        let value = |checker: &mut Self| checker.expr(&statement.value);
        match &statement.goal {
            Goal::Name(name) => {
                let kind = value(self)?;
                self.names.retain(|(known, _)| known != name);
                self.names.push((name.clone(), kind));
                Ok(())
            }
            Goal::Place(place) => {
                let is_read = match place.source {
                    // With `further`, a register at a distance from the source is written, not the source.
                    Source::Operand(_) => place.further.is_none(),
                    Source::Field(_) | Source::Literal | Source::Lane | Source::Wave | Source::Attribute(_) => true,
                    _ => false,
                };
                if is_read {
                    return Err("a source is written".into());
                }
                let before = self.names.len();
                self.names.push(("i".into(), Kind::Int));
                let wanted = self.place(place, true)?;
                let kind = value(self)?;
                self.names.truncate(before);
                match (wanted, kind) {
                    (a, b) if a == b => Ok(()),
                    (Kind::Float(_), Kind::AnyFloat) => Ok(()),
                    (a, b) => Err(format!("{} is given to {}", name_of(b), name_of(a))),
                }
            }
        }
    }

    /// The name of a place's source for messages, and its width in bits.
    fn source(&self, place: &Place, written: bool) -> Checked<(&'static str, u32)> {
        let reads = |name: &str| self.row.info.reads.iter().any(|r| r == name);
        Ok(match place.source {
            Source::Destination(n) => {
                ("D", self.row.destinations.get(usize::from(n)).copied().ok_or("the row has no such result")?)
            }
            Source::Operand(n) => {
                let n = usize::from(n);
                ("S", self.row.sources.get(n).copied().ok_or_else(|| format!("the row has no source {n}"))?)
            }
            Source::Literal => ("K", self.row.literal.ok_or("the row has no literal")?),
            Source::Scc | Source::M0 | Source::Vcc | Source::Exec => {
                let (name, _) =
                    REGISTERS.into_iter().find(|(_, source)| *source == place.source).unwrap_or(("", place.source));
                // In longer encodings, a third source stands for VCC.
                let shown = place.source == Source::Vcc && self.row.sources.len() > 2;
                if !written && !reads(name) && !shown && place.source != Source::Exec {
                    return Err(format!("the row lacks r:{name}"));
                }
                (name, if place.source == Source::Scc { 1 } else { 64 })
            }
            Source::Mode | Source::Lane | Source::Wave => ("", 32),
            Source::Table => ("", 8),
            Source::Attribute(_) => {
                if self.row.fields.iter().all(|(name, _)| *name != "attr") {
                    return Err("the format has no attribute".into());
                }
                ("the attribute", 32)
            }
            Source::Field(name) => {
                let found = self.row.fields.iter().find(|(known, _)| *known == name);
                (name, found.ok_or_else(|| format!("the format has no field {name}"))?.1)
            }
            Source::Pc | Source::Address | Source::Base | Source::Offset(_) => ("", 64),
            Source::Memory | Source::Lds | Source::Gds | Source::Data(_) => {
                if !self.row.has_space {
                    return Err("the format accesses no memory".into());
                }
                ("memory", 1024)
            }
        })
    }

    /// Checks the width of a place, and returns its kind.
    fn place(&mut self, place: &Place, written: bool) -> Checked<Kind> {
        let (name, width) = self.source(place, written)?;
        if let Some(lane) = &place.lane {
            self.int(lane)?;
        }
        if let Some(further) = &place.further {
            if !matches!(place.source, Source::Destination(_) | Source::Operand(_)) {
                return Err("only operands have registers after them".into());
            }
            self.int(further)?;
        }
        if place.source.is_memory() && (place.ty.is_none() || !matches!(place.part, Part::Element(_))) {
            return Err("memory needs a type and an address".into());
        }
        match &place.part {
            Part::Whole => {
                let bits = place.ty.map_or(width, |ty| u32::from(ty.bits()));
                if bits > width {
                    return Err(format!("{name} has {width} bits, and {bits} are named"));
                }
            }
            Part::Element(at) => {
                self.int(at)?;
                let bits = place.ty.map_or(1, |ty| u32::from(ty.bits()));
                if let (Expr::Int(n), false) = (&**at, place.source.is_memory()) {
                    if (*n as u32 + 1) * bits > width {
                        return Err(format!("{name} has {width} bits, and the element {n} is beyond"));
                    }
                }
            }
            Part::Bits(high, low) => {
                self.int(high)?;
                self.int(low)?;
                if matches!(&**high, Expr::Int(n) if *n as u32 >= width) {
                    return Err(format!("{name} has {width} bits"));
                }
            }
        }
        Ok(match place.ty {
            Some(Type::Float(float)) => Kind::Float(float),
            Some(Type::Chosen(_)) => Kind::Float(FloatType::Fp8),
            Some(Type::Mixed(_) | Type::Scale(_)) => Kind::Float(FloatType::F32),
            _ => Kind::Int,
        })
    }

    fn int(&mut self, expr: &Expr) -> Checked<()> {
        match self.expr(expr)? {
            Kind::Int => Ok(()),
            other => Err(format!("{} where an integer is needed", name_of(other))),
        }
    }

    fn expr(&mut self, expr: &Expr) -> Checked<Kind> {
        Ok(match expr {
            Expr::Int(_) => Kind::Int,
            Expr::Float(_) => Kind::AnyFloat,
            Expr::Name(name) => match self.names.iter().rev().find(|(known, _)| known == name) {
                Some((_, kind)) => *kind,
                None => return Err(format!("nothing above is called `{name}`")),
            },
            Expr::Place(place) => self.place(place, false)?,
            Expr::Unary(Unary::Minus, value) => self.expr(value)?,
            Expr::Unary(_, value) => {
                self.int(value)?;
                Kind::Int
            }
            Expr::Binary(operator, left, right) => {
                let kind = self.alike(left, right)?;
                let arithmetic = matches!(operator, Binary::Plus | Binary::Minus | Binary::Times | Binary::Divide);
                let ordered = operator.compares() && !matches!(operator, Binary::OrElse | Binary::AndAlso);
                if kind != Kind::Int && !arithmetic && !ordered {
                    return Err(format!("`{}` of {}", operator.symbol(), name_of(kind)));
                }
                if operator.compares() { Kind::Int } else { kind }
            }
            Expr::If(condition, then, otherwise) => {
                self.int(condition)?;
                self.alike(then, otherwise)?
            }
            Expr::Convert(ty, value) => {
                self.expr(value)?;
                match ty {
                    Type::Float(float) => Kind::Float(*float),
                    _ => Kind::Int,
                }
            }
            Expr::Sum(index, count, body) => {
                self.int(count)?;
                self.names.push((index.clone(), Kind::Int));
                let kind = self.expr(body)?;
                self.names.pop();
                kind
            }
            Expr::Call(call, arguments) => self.call(*call, arguments)?,
        })
    }

    /// Checks the arguments of a call, and returns the kind of its result.
    fn call(&mut self, call: Call, arguments: &[Expr]) -> Checked<Kind> {
        let kinds = arguments.iter().map(|a| self.expr(a)).collect::<Checked<Vec<_>>>()?;
        let joined = |kinds: &[Kind]| {
            kinds
                .iter()
                .try_fold(Kind::AnyFloat, |all, kind| join(all, *kind))
                .ok_or_else(|| format!("{} takes values of one type", call.name()))
        };
        let floats = |kinds: &[Kind]| match joined(kinds)? {
            Kind::Float(float) => Ok(Kind::Float(float)),
            other => Err(format!("{} takes floats, not {}", call.name(), name_of(other))),
        };
        let ints = |kinds: &[Kind]| {
            if kinds.iter().all(|k| *k == Kind::Int) {
                Ok(())
            } else {
                Err(format!("{} takes integers here", call.name()))
            }
        };
        Ok(match call.rule() {
            Rule::Alike => joined(&kinds)?,
            Rule::Floats => floats(&kinds)?,
            Rule::FloatByInts => {
                ints(&kinds[1..])?;
                floats(&kinds[..1])?
            }
            Rule::FloatToInt => {
                ints(&kinds[1..])?;
                floats(&kinds[..1])?;
                Kind::Int
            }
            Rule::Integers => {
                ints(&kinds)?;
                Kind::Int
            }
            Rule::IntToFloat(float) => {
                ints(&kinds)?;
                Kind::Float(float)
            }
            Rule::FloatTo(float) => {
                ints(&kinds[1..])?;
                floats(&kinds[..1])?;
                Kind::Float(float)
            }
        })
    }

    fn alike(&mut self, left: &Expr, right: &Expr) -> Checked<Kind> {
        let (a, b) = (self.expr(left)?, self.expr(right)?);
        join(a, b).ok_or_else(|| format!("{} beside {}", name_of(a), name_of(b)))
    }
}

/// The registers that rows name, as sources of formulas.
const REGISTERS: [(&str, Source); 4] =
    [("scc", Source::Scc), ("vcc", Source::Vcc), ("exec", Source::Exec), ("m0", Source::M0)];

fn join(a: Kind, b: Kind) -> Option<Kind> {
    match (a, b) {
        (a, b) if a == b => Some(a),
        (Kind::AnyFloat, Kind::Float(float)) | (Kind::Float(float), Kind::AnyFloat) => Some(Kind::Float(float)),
        // A number without a type can be the initial value of a fold over integers.
        (Kind::AnyFloat, Kind::Int) => Some(Kind::Int),
        _ => None,
    }
}

fn name_of(kind: Kind) -> String {
    match kind {
        Kind::Int => "an integer".into(),
        Kind::Float(float) => format!("an {}", float.name()),
        Kind::AnyFloat => "a number".into(),
    }
}
