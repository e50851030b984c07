//! Expressions with symbols. Their values may be known only at the end of the source.

use amdgpu_isa::text::expression::{character, combined, operator, result, without_suffix};

use super::flaw::{Result, Span};
use super::scan::Scan;
use super::table::{Def, SymbolId, Table};
use amdgpu_object::relocation_kinds as kinds;

/// The greatest depth of nesting of an expression.
const DEPTH: u16 = 256;

/// The depth that is left at the beginning of an evaluation.
pub const TOP: u16 = 4 * DEPTH;
/// The greatest number of operators, one after the other, in an expression that is not known when it is read.
const MOST_OPERATORS: u16 = 4096;
/// The greatest number of steps, through parts of expressions and symbols, of one evaluation.
const STEPS: u32 = 20_000;

/// The part of a symbol's address that a relocation holds: `sym@rel32@lo`.
pub type Variant = Option<&'static str>;

#[derive(Clone, Debug)]
pub enum Expr {
    Int(i64),
    Symbol(SymbolId, Variant),
    Unary(u8, Box<Expr>),
    Binary(&'static str, Box<(Expr, Expr)>, u16),
    Call(Function, Vec<Expr>),
}

/// Functions that compilers use in the numbers of a kernel's registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// A function of [`combined`], by name.
    Combined(&'static str),
    TotalNumVgprs,
    ExtraSgprs,
    InstPrefSize,
    Occupancy,
}

const FUNCTIONS: [(&str, Function); 7] = [
    ("max", Function::Combined("max")),
    ("or", Function::Combined("or")),
    ("alignto", Function::Combined("alignto")),
    ("totalnumvgprs", Function::TotalNumVgprs),
    ("extrasgprs", Function::ExtraSgprs),
    ("instprefsize", Function::InstPrefSize),
    ("occupancy", Function::Occupancy),
];

impl Expr {
    fn depth(&self) -> u16 {
        match self {
            Expr::Binary(_, _, depth) => *depth,
            Expr::Unary(_, of) => of.depth() + 1,
            Expr::Call(_, of) => of.iter().map(Expr::depth).max().unwrap_or(0) + 1,
            _ => 0,
        }
    }

    /// The sum with its symbol marked for a part of the address, such as `rel32@lo`; `None` unless the sum is of one
    /// symbol and numbers.
    fn with_variant(self, part: &'static str) -> Option<Expr> {
        match self {
            Expr::Symbol(id, None) => Some(Expr::Symbol(id, Some(part))),
            Expr::Binary("+", parts, depth) if matches!(parts.0, Expr::Int(_)) => {
                Some(Expr::Binary("+", Box::new((parts.0, parts.1.with_variant(part)?)), depth))
            }
            Expr::Binary(sign @ ("+" | "-"), parts, depth) if matches!(parts.1, Expr::Int(_)) => {
                Some(Expr::Binary(sign, Box::new((parts.0.with_variant(part)?, parts.1)), depth))
            }
            _ => None,
        }
    }

    /// Whether a literal with this expression holds the value of the expression, and not the distance from the literal
    /// to it, as in LLVM's assembler: the expression is a difference, a number, a symbol with an `abs` part, or made of
    /// these.
    pub fn is_absolute(&self) -> bool {
        match self {
            Expr::Binary("-", _, _) => true,
            Expr::Binary(_, parts, _) => parts.0.is_absolute() && parts.1.is_absolute(),
            Expr::Symbol(_, variant) => variant.is_some_and(|v| v.starts_with("abs")),
            Expr::Int(_) => true,
            _ => false,
        }
    }
}

/// A reader of expressions, which may add symbols to the table, such as a label for the current place.
pub struct Reader<'r, 'a> {
    pub scan: &'r mut Scan<'a>,
    pub table: &'r mut Table,
}

impl Reader<'_, '_> {
    pub fn expression(&mut self) -> Result<Expr> {
        let first = self.term(DEPTH)?;
        let all = self.operators(first, 0, DEPTH)?;
        if self.scan.peek() != b'@' {
            return Ok(all);
        }
        // The part of an address can follow the whole sum: `(sym+4)@rel32@lo`.
        let start = self.scan.at;
        self.scan.at += 1;
        let word = self.scan.word();
        let part = variant(word).ok_or_else(|| self.scan.since(start, unknown_variant()))?;
        let with_part = all.with_variant(part);
        with_part.ok_or_else(|| self.scan.since(start, format!("@{part} is for a sum with one symbol")))
    }

    fn operators(&mut self, mut left: Expr, least: u8, depth: u16) -> Result<Expr> {
        loop {
            self.scan.blank();
            let Some((text, strength)) = operator(self.scan.rest()).filter(|(_, strength)| *strength > least) else {
                return Ok(left);
            };
            let start = self.scan.at;
            self.scan.at += text.len();
            let right = self.term(depth)?;
            let right = self.operators(right, strength, depth)?;
            left = match (&left, &right) {
                (Expr::Int(a), Expr::Int(b)) => {
                    Expr::Int(result(text, *a, *b).ok_or_else(|| self.scan.since(start, "the divisor is zero"))?)
                }
                _ => {
                    let depth = left.depth().max(right.depth()) + 1;
                    if depth > MOST_OPERATORS {
                        let message = format!("the expression has more than {MOST_OPERATORS} operators");
                        return Err(self.scan.since(start, message));
                    }
                    Expr::Binary(text, Box::new((left, right)), depth)
                }
            };
        }
    }

    fn term(&mut self, depth: u16) -> Result<Expr> {
        let Some(depth) = depth.checked_sub(1) else {
            return Err(self.scan.fault(format!("expressions are nested deeper than {DEPTH}")));
        };
        self.scan.blank();
        let start = self.scan.at;
        match self.scan.peek() {
            b'(' | b'[' => {
                let end = if self.scan.peek() == b'(' { ")" } else { "]" };
                self.scan.at += 1;
                let first = self.term(depth)?;
                let all = self.operators(first, 0, depth)?;
                self.scan.expect(end)?;
                Ok(all)
            }
            sign @ (b'-' | b'+' | b'~' | b'!') => {
                self.scan.at += 1;
                Ok(match (sign, self.term(depth)?) {
                    (b'+', of) => of,
                    (_, Expr::Int(value)) => Expr::Int(unary(sign, value)),
                    (_, of) => Expr::Unary(sign, Box::new(of)),
                })
            }
            b'\'' => self.character(),
            b'0'..=b'9' => {
                let word = self.scan.word();
                // The part of an address can follow a number: `sym+4@rel32@lo`.
                let (word, more) = word.split_at(word.find('@').unwrap_or(word.len()));
                self.scan.at -= more.len();
                let (digits, direction) = word.split_at(word.len() - 1);
                if matches!(direction, "b" | "f") && !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit()) {
                    let id = self.table.numbered(digits, direction == "b");
                    let id = id.ok_or_else(|| self.scan.since(start, format!("no label {digits} is above")))?;
                    return Ok(Expr::Symbol(id, None));
                }
                if let Some(bits) = self.real(word) {
                    return Ok(Expr::Int(bits));
                }
                number(word).map(Expr::Int).ok_or_else(|| self.scan.since(start, "not a number of up to 64 bits"))
            }
            _ => self.symbol(depth),
        }
    }

    /// Reads the bits of a double, which begins with the word that was read last.
    fn real(&mut self, word: &str) -> Option<i64> {
        let is_hexadecimal = word.starts_with("0x") || word.starts_with("0X");
        let ends_in_exponent = word.ends_with(if is_hexadecimal { ['p', 'P'] } else { ['e', 'E'] });
        let is_real = word.contains('.') || !is_hexadecimal && word.contains(['e', 'E']) || word.contains(['p', 'P']);
        if !is_real {
            return None;
        }
        let mut after = self.scan.clone();
        if ends_in_exponent && matches!(after.peek(), b'+' | b'-') && after.ahead(1).is_ascii_digit() {
            after.at += 1;
            after.word();
        }
        let text = self.scan.around(word.len(), after.at - self.scan.at).to_ascii_lowercase();
        let bits = super::real::bits(&text, true)?;
        self.scan.at = after.at;
        Some(bits as i64)
    }

    fn character(&mut self) -> Result<Expr> {
        let start = self.scan.at;
        let found = character(self.scan.rest()).filter(|_| self.scan.ahead(1).is_ascii());
        let (value, len) = found.ok_or_else(|| self.scan.since(start, "a character and `'` expected"))?;
        self.scan.at += len;
        Ok(Expr::Int(value))
    }

    fn symbol(&mut self, depth: u16) -> Result<Expr> {
        let start = self.scan.at;
        let is_quoted = self.scan.peek() == b'"';
        let mut name = self
            .scan
            .name()
            .map_err(|fault| super::flaw::Flaw { message: "an expression expected".into(), ..fault })?;
        if is_quoted && self.scan.peek() != b'@' {
            // All text between the quotes is the name.
            let id = self.table.id(&name, self.scan.place(start));
            return Ok(match &self.table.get(id).def {
                Def::Variable(Expr::Int(value)) => Expr::Int(*value),
                _ => Expr::Symbol(id, None),
            });
        }
        if is_quoted {
            name += self.scan.word();
        }
        // Blanks may be between the name of a function and its arguments.
        let mut after = self.scan.clone();
        after.blank();
        if after.peek() == b'(' {
            self.scan.at = after.at;
            let function = FUNCTIONS.iter().find(|(known, _)| *known == name);
            let &(_, function) = function.ok_or_else(|| self.scan.since(start, "no such function"))?;
            self.scan.at += 1;
            let mut arguments = Vec::new();
            loop {
                let first = self.term(depth)?;
                arguments.push(self.operators(first, 0, depth)?);
                if !self.scan.eat(",") {
                    break;
                }
            }
            self.scan.expect(")")?;
            return Ok(Expr::Call(function, arguments));
        }
        if name == "." {
            return Ok(Expr::Symbol(self.table.here(), None));
        }
        let (plain, variant) = split_variant(&name, is_quoted);
        if plain.is_empty() || plain == "$" && !is_quoted {
            return Err(self.scan.since(start, "an expression expected"));
        }
        let known = self::variant(variant);
        if known.is_none() && !variant.is_empty() {
            return Err(self.scan.since(start, unknown_variant()));
        }
        let id = self.table.id(plain, self.scan.place(start));
        match (&self.table.get(id).def, known) {
            (Def::Variable(Expr::Int(value)), None) => Ok(Expr::Int(*value)),
            _ => Ok(Expr::Symbol(id, known)),
        }
    }
}

/// The names of variants, as LLVM's assembler has them.
fn variants() -> impl Iterator<Item = &'static str> {
    kinds::MODIFIERS.iter().map(|(modifier, _)| *modifier)
}

/// The part of an address that a name means. Case is ignored.
fn variant(name: &str) -> Variant {
    variants().find(|known| known.eq_ignore_ascii_case(name))
}

fn unknown_variant() -> String {
    format!("no such relocation; known are {}", variants().collect::<Vec<_>>().join(", "))
}

/// Splits text into the name of a symbol and the variant after `@`.
fn split_variant(name: &str, is_quoted: bool) -> (&str, &str) {
    // The names of variants contain `@`, and a name in quotes can contain it, too.
    let at = match is_quoted {
        true => variants().filter_map(|v| Some(name.strip_suffix(v)?.strip_suffix('@')?.len())).min(),
        false => name.find('@'),
    };
    at.map_or((name, ""), |at| (name.get(..at).unwrap_or(""), name.get(at + 1..).unwrap_or("")))
}

fn unary(sign: u8, value: i64) -> i64 {
    match sign {
        b'-' => value.wrapping_neg(),
        b'~' => !value,
        _ => (value == 0).into(),
    }
}

/// The value of a number as in C, which can have the suffix of a type.
pub fn number(word: &str) -> Option<i64> {
    plain_number(std::str::from_utf8(without_suffix(word.as_bytes())).ok()?)
}

/// The value of a number as in C, without a suffix.
pub fn plain_number(word: &str) -> Option<i64> {
    let (digits, radix) = digits(word)?;
    u64::from_str_radix(&digits, radix).ok().map(|value| value as i64)
}

/// The digits of a number that is written as in C, and their radix.
pub fn digits(word: &str) -> Option<(String, u32)> {
    let lower = word.to_ascii_lowercase();
    let (digits, radix) = match lower.as_bytes() {
        [b'0', b'x', ..] => (lower.get(2..)?, 16),
        [b'0', b'b', ..] => (lower.get(2..)?, 2),
        [b'0', _, ..] => (lower.get(1..)?, 8),
        _ => (lower.as_str(), 10),
    };
    (!digits.starts_with('+')).then(|| (digits.to_string(), radix))
}

/// A sum of symbols, each multiplied by a number, and a constant.
#[derive(Clone, Debug, Default)]
pub struct Linear {
    pub constant: i64,
    pub terms: Vec<(SymbolId, i64)>,
    pub variant: Variant,
}

/// The reason why an expression has no value, and its place.
pub type Why = (String, Option<Span>);

impl Table {
    pub fn linear(&self, expr: &Expr, depth: u16) -> std::result::Result<Linear, Why> {
        let depth = depth.checked_sub(1).ok_or_else(|| {
            ("a symbol's value depends on itself, or on too many other symbols, one after the other".to_string(), None)
        })?;
        // A chain of symbols, each of which names the next one twice, would take exponential time.
        let steps = if depth >= TOP - 1 { 0 } else { self.steps.get() + 1 };
        self.steps.set(steps);
        if steps > STEPS {
            return Err((format!("to find the value takes more than {STEPS} steps"), None));
        }
        match expr {
            Expr::Int(value) => Ok(Linear { constant: *value, ..Linear::default() }),
            Expr::Symbol(id, variant) => match &self.get(*id).def {
                Def::Variable(value) if variant.is_none() => {
                    let linear = self.linear(value, depth)?;
                    // A symbol that is visible to a linker stays in the sum, because the linker may replace it.
                    let is_place = matches!(self.place(&linear), Some((Some(_), _)));
                    let is_visible = |id: SymbolId| self.get(id).bind.is_some_and(|bind| bind != 0);
                    // A local name for the place of a visible symbol stays in the sum, too: the local name keeps this
                    // place even if the linker replaces the visible symbol.
                    let is_of_visible = matches!(linear.terms[..], [(base, 1)] if is_visible(base));
                    match is_place && (is_visible(*id) || is_of_visible) {
                        true => Ok(Linear { constant: 0, terms: vec![(*id, 1)], variant: None }),
                        false => Ok(linear),
                    }
                }
                // If a symbol is only another name of `of`, a part of its address, such as `rel32@lo`, is that part of
                // the address of `of`.
                Def::Variable(Expr::Symbol(of, None)) if self.get(*id).is_weak_name || self.location(*id).is_none() => {
                    Ok(Linear { constant: 0, terms: vec![(*of, 1)], variant: *variant })
                }
                _ => Ok(Linear { constant: 0, terms: vec![(*id, 1)], variant: *variant }),
            },
            Expr::Unary(b'-', of) => {
                let of = self.linear(of, depth)?;
                let terms = of.terms.iter().map(|(id, times)| (*id, -times)).collect();
                Ok(Linear { constant: of.constant.wrapping_neg(), terms, variant: of.variant })
            }
            Expr::Unary(sign, of) => {
                let value = self.absolute(of, depth)?;
                Ok(Linear { constant: unary(*sign, value), ..Linear::default() })
            }
            Expr::Binary("+" | "-", ..) => {
                // A loop reads the terms of a sum, because a sum can have more terms than the depth to which
                // expressions may nest.
                let (mut first, mut others) = (expr, Vec::new());
                while let Expr::Binary(sign @ ("+" | "-"), parts, _) = first {
                    others.push((*sign == "-", &parts.1));
                    first = &parts.0;
                }
                let mut sum = self.linear(first, depth)?;
                for (minus, other) in others.into_iter().rev() {
                    let other = self.linear(other, depth)?;
                    let plus = if minus { other.constant.wrapping_neg() } else { other.constant };
                    sum.constant = sum.constant.wrapping_add(plus);
                    sum.terms.extend(other.terms.iter().map(|(id, times)| (*id, if minus { -times } else { *times })));
                    sum.variant = sum.variant.or(other.variant);
                }
                Ok(sum)
            }
            Expr::Binary(text, parts, _) => {
                let (left, right) = (self.absolute(&parts.0, depth)?, self.absolute(&parts.1, depth)?);
                let constant = result(text, left, right).ok_or(("the divisor is zero".to_string(), None))?;
                Ok(Linear { constant, ..Linear::default() })
            }
            Expr::Call(function, arguments) => {
                let values =
                    arguments.iter().map(|a| self.absolute(a, depth)).collect::<std::result::Result<Vec<_>, _>>()?;
                let constant = self.call(*function, &values).ok_or(("other arguments expected".to_string(), None))?;
                Ok(Linear { constant, ..Linear::default() })
            }
        }
    }

    /// The value of an expression, if it does not depend on a linker.
    pub fn value(&self, expr: &Expr) -> std::result::Result<i64, Why> {
        self.absolute(expr, TOP)
    }

    fn absolute(&self, expr: &Expr, depth: u16) -> std::result::Result<i64, Why> {
        let linear = self.linear(expr, depth)?;
        self.fold(&linear)
    }

    /// The value of a sum in which the sections of the symbols cancel out.
    pub fn fold(&self, linear: &Linear) -> std::result::Result<i64, Why> {
        let (mut value, mut sections) = (linear.constant, std::collections::BTreeMap::<usize, i64>::new());
        for (id, times) in &linear.terms {
            let symbol = self.get(*id);
            match self.location(*id) {
                Some((section, offset)) => {
                    value = value.wrapping_add(times.wrapping_mul(offset as i64));
                    *sections.entry(section).or_default() += times;
                }
                _ if !matches!(symbol.def, Def::Undefined)
                    && linear.terms.iter().filter(|(other, _)| other == id).map(|(_, n)| n).sum::<i64>() == 0 => {}
                _ => return Err((format!("`{}` has no value here", symbol.name), Some(symbol.place))),
            }
        }
        match sections.values().all(|times| *times == 0) && linear.variant.is_none() {
            true => Ok(value),
            false => Err(("the value has to be known here, and depends on where a section will be".into(), None)),
        }
    }

    /// The place that a sum means: its section, or `None` for a plain number, and the offset.
    pub fn place(&self, linear: &Linear) -> Option<(Option<usize>, i64)> {
        let (mut value, mut sections) = (linear.constant, std::collections::BTreeMap::<usize, i64>::new());
        for (id, times) in &linear.terms {
            let (section, offset) = self.location(*id)?;
            value = value.wrapping_add(times.wrapping_mul(offset as i64));
            *sections.entry(section).or_default() += times;
        }
        let mut open = sections.into_iter().filter(|(_, times)| *times != 0);
        match (open.next(), open.next(), linear.variant) {
            (None, _, None) => Some((None, value)),
            (Some((section, 1)), None, None) => Some((Some(section), value)),
            _ => None,
        }
    }

    fn call(&self, function: Function, values: &[i64]) -> Option<i64> {
        Some(match (function, values) {
            (Function::Combined(name), [first, more @ ..]) => {
                more.iter().try_fold(*first, |all, value| combined(name, all, *value))?
            }
            (Function::TotalNumVgprs, [agprs, vgprs]) => self.target?.total_vgprs(*agprs, *vgprs)?,
            (Function::ExtraSgprs, [vcc, flat, xnack]) => self.target?.extra_sgprs(*vcc != 0, *flat != 0, *xnack != 0),
            (Function::InstPrefSize, [bytes]) => self.target?.prefetch(*bytes),
            (Function::Occupancy, values) => occupancy(values)?,
            _ => return None,
        })
    }
}

/// The number of waves that a unit runs at once. `values` are, in this order: the greatest number of waves, the granule
/// and the number of vector registers, LLVM's number of the generation, the number of waves so far, and the scalar and
/// vector registers of a wave.
fn occupancy(values: &[i64]) -> Option<i64> {
    /// LLVM's number of GCN's third generation. `RDNA` is LLVM's number of RDNA, on which scalar registers do not limit
    /// the number of waves.
    const GCN3: i64 = 7;
    const RDNA: i64 = 9;
    let &[most, granule, vgprs, generation, so_far, scalar, vector] = values else { return None };
    let steps: &[(i64, i64)] = match generation {
        GCN3.. => &[(80, 10), (88, 9), (100, 8), (i64::MAX, 7)],
        _ => &[(48, 10), (56, 9), (64, 8), (72, 7), (80, 6), (i64::MAX, 5)],
    };
    let of_scalar = match generation {
        RDNA.. => most,
        _ => steps.iter().find(|(up_to, _)| scalar <= *up_to)?.1,
    };
    let of_vector = match vector {
        vector if vector < granule => most,
        vector => {
            let rounded = vector.checked_add(granule - 1)?.checked_div(granule)?.checked_mul(granule)?;
            vgprs.checked_div(rounded)?.max(1).min(most)
        }
    };
    let limited = [(scalar, of_scalar), (vector, of_vector)].into_iter().filter(|(used, _)| *used != 0);
    limited.map(|(_, waves)| waves).chain([so_far]).min()
}
