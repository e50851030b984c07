//! Reader of formulas.

use core::fmt;

use super::alloc::borrow::ToOwned;
use super::alloc::boxed::Box;
use super::alloc::format;
use super::alloc::string::String;
use super::alloc::vec::Vec;
use super::call::Call;
use super::token::{Token, next};
use super::tree::{Binary, Expr, Formula, Goal, Part, Place, Source, Statement, Unary};
use super::types::Type;

/// The reason why a text is not a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError(pub String);

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for SyntaxError {}

type Result<T> = core::result::Result<T, SyntaxError>;

/// The deepest nesting of a formula that is read, limited because the reader is recursive.
const DEPTH: u8 = 40;
/// The greatest number of words of a formula, with its end as one word. The number is limited because functions that
/// walk the tree are recursive.
const SIZE: u16 = 1000;

struct Reader<'a> {
    /// The text after `token`.
    rest: &'a str,
    token: Option<Token<'a>>,
    depth: u8,
    /// The number of words that have been read.
    size: u16,
}

impl Formula {
    /// Reads statements that are separated by `;`, perhaps with a sentence in quotes at the end.
    pub fn read(text: &str) -> Result<Formula> {
        let mut reader = Reader { rest: text, token: None, depth: 0, size: 0 };
        reader.step()?;
        let mut formula = Formula { statements: Vec::new(), remark: None };
        loop {
            if let Some(Token::Text(sentence)) = reader.token {
                formula.remark = Some(sentence.to_owned());
                reader.step()?;
                break;
            }
            formula.statements.push(reader.statement()?);
            if !reader.takes(";")? && !matches!(reader.token, Some(Token::Text(_))) {
                break;
            }
        }
        match reader.token {
            None => Ok(formula),
            Some(_) => reader.expected("the end, or `;`"),
        }
    }
}

impl Formula {
    /// Reads a value alone.
    pub fn read_value(text: &str) -> Result<Expr> {
        let mut reader = Reader { rest: text, token: None, depth: 0, size: 0 };
        reader.step()?;
        let value = reader.expr()?;
        if reader.token.is_none() { Ok(value) } else { reader.expected("the end") }
    }
}

impl<'a> Reader<'a> {
    fn step(&mut self) -> Result<()> {
        if self.size == SIZE {
            return Err(SyntaxError(format!("longer than {SIZE} words")));
        }
        self.size += 1;
        match next(self.rest) {
            Some((token, rest)) => {
                (self.token, self.rest) = (token, rest);
                Ok(())
            }
            None => Err(SyntaxError(format!("no word of a formula begins with `{}`", self.rest.trim_start()))),
        }
    }

    fn expected<T>(&self, what: &str) -> Result<T> {
        let found = match self.token {
            None => "the end".to_owned(),
            Some(Token::Name(word) | Token::Symbol(word)) => format!("`{word}`"),
            Some(Token::Int(number)) => format!("`{number}`"),
            Some(Token::Float(number)) => format!("`{number}`"),
            Some(Token::Text(_)) => "a sentence".to_owned(),
        };
        Err(SyntaxError(format!("expected {what}, found {found}")))
    }

    fn is_at(&self, symbol: &str) -> bool {
        self.token == Some(Token::Symbol(symbol))
    }

    /// Steps over the symbol if the symbol is next, and returns whether it was.
    fn takes(&mut self, symbol: &str) -> Result<bool> {
        let is_at = self.is_at(symbol);
        if is_at {
            self.step()?;
        }
        Ok(is_at)
    }

    fn needs(&mut self, symbol: &str) -> Result<()> {
        if self.takes(symbol)? { Ok(()) } else { self.expected(&format!("`{symbol}`")) }
    }

    fn statement(&mut self) -> Result<Statement> {
        let Some(Token::Name(name)) = self.token else { return self.expected("a place or a name") };
        let goal = match Source::named(name) {
            Some(source) => {
                self.step()?;
                Goal::Place(self.place(source)?)
            }
            None if is_local(name) => {
                self.step()?;
                Goal::Name(name.to_owned())
            }
            None => return Err(SyntaxError(format!("`{name}` is not a place; names of values are in lower case"))),
        };
        self.needs("=")?;
        Ok(Statement { goal, value: self.expr()? })
    }

    /// Reads `a ? b : c`, or an expression that binds closer.
    fn expr(&mut self) -> Result<Expr> {
        self.nested(|reader| {
            let value = reader.binary(0)?;
            if !reader.takes("?")? {
                return Ok(value);
            }
            let then = reader.expr()?;
            reader.needs(":")?;
            Ok(Expr::If(Box::new(value), Box::new(then), Box::new(reader.expr()?)))
        })
    }

    /// Calls `read` one level deeper.
    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Result<Expr>) -> Result<Expr> {
        if self.depth == DEPTH {
            return Err(SyntaxError(format!("nested deeper than {DEPTH}")));
        }
        self.depth += 1;
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn binary(&mut self, level: usize) -> Result<Expr> {
        let Some(operators) = Binary::LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some(&(_, operator)) = operators.iter().find(|(symbol, _)| self.is_at(symbol)) {
            self.step()?;
            let right = self.binary(level + 1)?;
            left = Expr::Binary(operator, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expr> {
        for (symbol, operator) in [("-", Unary::Minus), ("~", Unary::Complement), ("!", Unary::Not)] {
            if self.is_at(symbol) {
                self.step()?;
                let value = self.nested(Self::unary)?;
                return Ok(Expr::Unary(operator, Box::new(value)));
            }
        }
        self.primary()
    }

    fn primary(&mut self) -> Result<Expr> {
        match self.token {
            Some(Token::Int(number)) => {
                self.step()?;
                Ok(Expr::Int(number))
            }
            Some(Token::Float(number)) => {
                self.step()?;
                Ok(Expr::Float(number))
            }
            Some(Token::Symbol("(")) => {
                self.step()?;
                let value = self.expr()?;
                self.needs(")")?;
                Ok(value)
            }
            Some(Token::Name(name)) => {
                self.step()?;
                self.named(name)
            }
            _ => self.expected("a value"),
        }
    }

    fn named(&mut self, name: &str) -> Result<Expr> {
        if let Some(source) = Source::named(name) {
            return Ok(Expr::Place(self.place(source)?));
        }
        if !self.is_at("(") {
            let is_known = is_local(name);
            return if is_known { Ok(Expr::Name(name.to_owned())) } else { Err(unknown(name)) };
        }
        self.step()?;
        if name == "sum" {
            let Some(Token::Name(index)) = self.token.filter(|token| matches!(token, Token::Name(n) if is_local(n)))
            else {
                return self.expected("the name of the index");
            };
            self.step()?;
            self.needs(",")?;
            let count = self.expr()?;
            self.needs(",")?;
            let body = self.expr()?;
            self.needs(")")?;
            return Ok(Expr::Sum(index.to_owned(), Box::new(count), Box::new(body)));
        }
        let mut arguments = Vec::new();
        while !self.is_at(")") {
            if !arguments.is_empty() {
                self.needs(",")?;
            }
            arguments.push(self.expr()?);
        }
        self.step()?;
        if let Some(ty) = Type::named(name) {
            let [value] =
                <[Expr; 1]>::try_from(arguments).map_err(|_| SyntaxError(format!("{name}(...) converts one value")))?;
            return Ok(Expr::Convert(ty, Box::new(value)));
        }
        let call = Call::named(name).ok_or_else(|| unknown(name))?;
        if arguments.len() != call.arguments() {
            return Err(SyntaxError(format!("{name} takes {} values", call.arguments())));
        }
        Ok(Expr::Call(call, arguments))
    }

    /// Reads the parts after the name of a place: `@LANE`, `.TYPE`, `[+N]` and `[...]`, in any order.
    fn place(&mut self, source: Source) -> Result<Place> {
        let mut place = Place { source, lane: None, ty: None, plain: false, further: None, part: Part::Whole };
        loop {
            if self.is_at("@") && place.lane.is_none() {
                self.step()?;
                place.lane = Some(Box::new(self.nested(Self::primary)?));
            } else if self.is_at(".") && place.ty.is_none() {
                self.step()?;
                let name = match self.token {
                    Some(Token::Name(name)) => name,
                    _ => "",
                };
                let Some(ty) = Type::named(name) else { return self.expected("a type") };
                (place.ty, place.plain) = (Some(ty), name.starts_with('b') && matches!(ty, Type::Unsigned(_)));
                self.step()?;
            } else if self.is_at("[") && (place.part == Part::Whole || place.further.is_none()) {
                self.step()?;
                if place.further.is_none() && self.takes("+")? {
                    place.further = Some(Box::new(self.expr()?));
                    self.needs("]")?;
                    continue;
                }
                if place.part != Part::Whole {
                    return self.expected("`+`");
                }
                let high = Box::new(self.expr()?);
                place.part =
                    if self.takes(":")? { Part::Bits(high, Box::new(self.expr()?)) } else { Part::Element(high) };
                self.needs("]")?;
            } else {
                return Ok(place);
            }
        }
    }
}

fn unknown(name: &str) -> SyntaxError {
    SyntaxError(format!("`{name}` is not a place, a type or a function"))
}

/// Whether a value can have this name.
fn is_local(name: &str) -> bool {
    name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_') && Type::named(name).is_none()
}
