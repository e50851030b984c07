//! Numbers and expressions, with the operators of LLVM's assembler.

use super::cursor::{Cursor, is_name};
use super::register::is_numbered;
use super::symbols::{Integer, Symbols};
use super::{Kind, ParseError, Span, decimal};

/// The greatest depth of nested parentheses.
const DEPTH: u8 = 32;

/// Binary operators and their precedence, longer operators first; a greater number binds closer.
const OPERATORS: [(&[u8], u8); 20] = [
    (b"<<", 6),
    (b">>", 6),
    (b"&&", 2),
    (b"||", 1),
    (b"==", 3),
    (b"!=", 3),
    (b"<>", 3),
    (b"<=", 3),
    (b">=", 3),
    (b"<", 3),
    (b">", 3),
    (b"+", 4),
    (b"-", 4),
    (b"|", 5),
    (b"^", 5),
    (b"&", 5),
    (b"!", 5),
    (b"*", 6),
    (b"/", 6),
    (b"%", 6),
];

/// The binary operator at the beginning of a text, and its precedence: a greater number binds closer.
pub fn operator(text: &str) -> Option<(&'static str, u8)> {
    let (found, strength) = OPERATORS.iter().find(|(operator, _)| text.as_bytes().starts_with(operator))?;
    Some((core::str::from_utf8(found).ok()?, *strength))
}

/// The result of a binary operator; `None` if there is no such operator, or the divisor is zero.
pub fn result(operator: &str, a: i64, b: i64) -> Option<i64> {
    apply(operator.as_bytes(), a, b)
}

/// The functions of any number of arguments: see [`combined`].
const FUNCTIONS: [&str; 3] = ["max", "or", "alignto"];

/// The result of a function of two arguments: `max`, `or`, or `alignto`, which rounds the first up to a multiple of the
/// second. A function of more arguments combines the result with each further one. `None` if there is no function of
/// this name, the second argument of `alignto` is not positive, or the result does not fit.
pub fn combined(function: &str, a: i64, b: i64) -> Option<i64> {
    match function {
        "max" => Some(a.max(b)),
        "or" => Some(a | b),
        "alignto" if b > 0 => a.checked_add(b - 1)?.checked_div(b)?.checked_mul(b),
        _ => None,
    }
}

/// The value of a character between single quotes at the beginning of a text, and its length in bytes with the quotes.
/// Some letters after a backslash have a special meaning, as in C.
pub fn character(text: &str) -> Option<(i64, usize)> {
    let mut parts = text.strip_prefix('\'')?.chars();
    match (parts.next(), parts.next(), parts.next()) {
        (Some('\\'), Some(c), Some('\'')) => {
            let value = match c {
                'n' => 10,
                't' => 9,
                'r' => 13,
                'b' => 8,
                'f' => 12,
                other => u32::from(other),
            };
            Some((value.into(), 3 + c.len_utf8()))
        }
        (Some(c), Some('\''), _) => Some((u32::from(c).into(), 2 + c.len_utf8())),
        _ => None,
    }
}

/// A number without the suffix of its type in C, such as `UL`, which LLVM's assembler ignores.
pub fn without_suffix(number: &[u8]) -> &[u8] {
    let mut rest = number;
    for letter in [b'l', b'l', b'u'] {
        match rest {
            [before @ .., last] if last.eq_ignore_ascii_case(&letter) => rest = before,
            _ => {}
        }
    }
    rest
}

impl Cursor<'_> {
    /// Reads an expression of integers. The character `stop` ends it, even if it is an operator.
    pub fn expression(&mut self, symbols: &dyn Symbols, stop: u8) -> Result<Integer, ParseError> {
        if let Some(bits) = self.whole_float(stop) {
            return Ok(Integer { value: bits as i64, open: false });
        }
        self.blank();
        let start = self.at;
        let first = self.term(symbols, DEPTH)?;
        // As in LLVM's assembler, an expression between bars has no operators, because a bar is an operator itself.
        let value = if stop == b'|' { first } else { self.operators(symbols, first, 0, stop, DEPTH)? };
        symbols.expression(Span::new(start, self.at));
        Ok(value)
    }

    /// Reads a float that is a whole expression, perhaps after a plus or in parentheses, and returns the bits of the
    /// double, which LLVM's assembler uses as the integer.
    fn whole_float(&mut self, stop: u8) -> Option<u64> {
        let (mut ahead, mut depth) = (*self, 0usize);
        loop {
            ahead.blank();
            match ahead.peek() {
                b'0'..=b'9' | b'.' => break,
                b'(' => depth += 1,
                b'+' => {}
                _ => return None,
            }
            ahead.at += 1;
        }
        let bits = ahead.float()?;
        for _ in 0..depth {
            ahead.eat(b')').then_some(())?;
        }
        ahead.blank();
        let goes_on = || OPERATORS.iter().any(|(operator, _)| ahead.rest().starts_with(operator));
        if ahead.peek() != stop && goes_on() {
            return None;
        }
        *self = ahead;
        Some(bits)
    }

    /// Reads an expression whose symbols all have fixed values.
    pub fn integer(&mut self, symbols: &dyn Symbols) -> Result<i64, ParseError> {
        self.blank();
        if let Some(number) = self.plain() {
            return Ok(number);
        }
        let start = self.at;
        let found = self.expression(symbols, 0)?;
        if found.open {
            return Err(self.error_since(start, Kind::Open));
        }
        Ok(found.value)
    }

    fn operators(
        &mut self,
        symbols: &dyn Symbols,
        mut left: Integer,
        least: u8,
        stop: u8,
        depth: u8,
    ) -> Result<Integer, ParseError> {
        loop {
            self.blank();
            if self.peek() == stop {
                return Ok(left);
            }
            let mut after = *self;
            let found = OPERATORS.iter().find(|(text, _)| after.eat_all(text));
            let Some(&(operator, strength)) = found.filter(|(_, strength)| *strength > least) else { return Ok(left) };
            let start = self.at;
            *self = after;
            let mut right = self.term(symbols, depth)?;
            right = self.operators(symbols, right, strength, stop, depth)?;
            let value = apply(operator, left.value, right.value);
            let value = value.ok_or_else(|| self.error_since(start, Kind::Expression))?;
            left = Integer { value, open: left.open || right.open };
        }
    }

    fn term(&mut self, symbols: &dyn Symbols, depth: u8) -> Result<Integer, ParseError> {
        self.blank();
        let Some(depth) = depth.checked_sub(1) else { return Err(self.error(Kind::Expression)) };
        match self.peek() {
            open @ (b'(' | b'[') => {
                let close = if open == b'(' { b')' } else { b']' };
                self.at += 1;
                let first = self.term(symbols, depth)?;
                let all = self.operators(symbols, first, 0, close, depth)?;
                self.expect(close)?;
                Ok(all)
            }
            sign @ (b'-' | b'+' | b'~' | b'!') => {
                self.at += 1;
                let term = self.term(symbols, depth)?;
                Ok(term.map(match sign {
                    b'-' => term.value.wrapping_neg(),
                    b'~' => !term.value,
                    b'!' => (term.value == 0).into(),
                    _ => term.value,
                }))
            }
            // LLVM's assembler computes with the bits of a double. The result is useful only if all bits are 0.
            b'0'..=b'9' => match Cursor::float(&mut Cursor { ..*self }) {
                Some(0) => {
                    self.float();
                    Ok(Integer { value: 0, open: false })
                }
                Some(_) => Err(self.error(Kind::Number)),
                None => self.number(),
            },
            b'\'' => {
                let text = core::str::from_utf8(self.rest()).unwrap_or("");
                let (value, len) = character(text).ok_or_else(|| self.error(Kind::Expression))?;
                self.at += len;
                Ok(Integer { value, open: false })
            }
            _ => {
                let name = self.name();
                let text = core::str::from_utf8(name).unwrap_or("");
                if text.is_empty() {
                    return Err(self.error(Kind::Expression));
                }
                let function = FUNCTIONS.into_iter().find(|known| *known == text);
                if let Some(function) = function.filter(|_| self.eat_call(name, b'(')) {
                    return self.call(function, symbols, depth);
                }
                let found = if is_numbered(name) { None } else { symbols.value(text) };
                let found = found.ok_or_else(|| self.error(Kind::Symbol))?;
                self.at += name.len();
                Ok(found)
            }
        }
    }

    /// Reads the arguments of a function, after the opening parenthesis.
    fn call(&mut self, function: &str, symbols: &dyn Symbols, depth: u8) -> Result<Integer, ParseError> {
        let mut all: Option<Integer> = None;
        loop {
            let first = self.term(symbols, depth)?;
            let next = self.operators(symbols, first, 0, 0, depth)?;
            all = Some(match all {
                None => next,
                Some(all) => {
                    let value =
                        combined(function, all.value, next.value).ok_or_else(|| self.error(Kind::Expression))?;
                    Integer { value, open: all.open || next.open }
                }
            });
            if !self.eat(b',') {
                break;
            }
        }
        self.expect(b')')?;
        all.ok_or_else(|| self.error(Kind::Expression))
    }

    /// Reads a short decimal number at the end of an operand or of a list element, where most numbers are.
    #[inline]
    fn plain(&mut self) -> Option<i64> {
        let (mut value, mut len) = (0, 0);
        while let digit @ b'0'..=b'9' = self.ahead(len) {
            (value, len) = (10 * value + i64::from(digit - b'0'), len + 1);
            // A number that begins with a zero is octal.
            if len > 8 || len > 1 && value < 10 {
                return None;
            }
        }
        let is_plain = len > 0 && matches!(self.ahead(len), b':' | b']' | b',' | b')' | 0);
        self.at += if is_plain { len } else { 0 };
        is_plain.then_some(value)
    }

    /// Reads a number without a sign: decimal, or hexadecimal, binary or octal after `0x`, `0b` or `0`. A name can
    /// follow the digits, as in LLVM's assembler: `offset:8glc`.
    fn number(&mut self) -> Result<Integer, ParseError> {
        let word = self.word();
        let (radix, digits) = match without_suffix(word) {
            [b'0', b'x' | b'X', digits @ ..] => (16, digits),
            [b'0', b'b' | b'B', digits @ ..] => (2, digits),
            [b'0', digits @ ..] if !digits.is_empty() => (8, digits),
            digits => (10, digits),
        };
        let mut len = word.len();
        let mut value: Option<u64> = Some(0);
        for (n, digit) in digits.iter().enumerate() {
            let Some(digit) = char::from(*digit).to_digit(radix) else {
                len = self.end_before_name(word, digits, n)?;
                break;
            };
            value = value.and_then(|v| v.checked_mul(radix.into())?.checked_add(digit.into()));
        }
        let value = value.filter(|_| !digits.is_empty()).ok_or_else(|| self.error(Kind::Number))?;
        self.at += len;
        Ok(Integer { value: value as i64, open: false })
    }

    /// The length of the number at the beginning of `word`; an error unless character `n` of `digits` begins a name.
    #[cold]
    fn end_before_name(&self, word: &[u8], digits: &[u8], n: usize) -> Result<usize, ParseError> {
        // The digits end where the suffix of C begins.
        let end = without_suffix(word).len().saturating_sub(digits.len()) + n;
        let (number, name) = word.split_at_checked(end).ok_or_else(|| self.error(Kind::Number))?;
        // `1b` and `1f` are labels, a suffix of C belongs to the number, and a zero can stand alone.
        let is_suffix = matches!(name.first(), Some(b'u' | b'U' | b'l' | b'L'));
        let is_label = matches!(name, b"b" | b"f");
        let is_name = name.first().is_some_and(u8::is_ascii_alphabetic) && !is_suffix && !is_label;
        match is_name && (n > 0 || number == b"0") {
            true => Ok(number.len()),
            false => Err(self.error(Kind::Number)),
        }
    }

    /// Reads a float with a fraction or an exponent, if there is one here, and returns its bits.
    pub fn float(&mut self) -> Option<u64> {
        self.blank();
        let is_negative = self.peek() == b'-';
        let mut number = *self;
        if is_negative {
            number.at += 1;
            number.blank();
        }
        let bits = number.unsigned_float()?;
        *self = number;
        Some(bits | u64::from(is_negative) << 63)
    }

    /// Reads a float without a sign.
    fn unsigned_float(&mut self) -> Option<u64> {
        if self.peek() == b'0' && matches!(self.ahead(1), b'x' | b'X') {
            return self.hexadecimal();
        }
        let digits = |mut at: usize| {
            while self.ahead(at).is_ascii_digit() {
                at += 1;
            }
            at
        };
        // As in LLVM's assembler, a zero at the beginning makes the number octal, unless a point follows.
        let is_first = match self.peek() {
            b'0' => self.ahead(1) == b'.',
            b'.' => self.ahead(1).is_ascii_digit(),
            first => first.is_ascii_digit(),
        };
        if !is_first {
            return None;
        }
        let mut end = digits(0);
        let (mut is_float, mut len) = (false, None);
        if self.ahead(end) == b'.' {
            (end, is_float) = (digits(end + 1), true);
        }
        if matches!(self.ahead(end), b'e' | b'E') {
            let sign = usize::from(matches!(self.ahead(end + 1), b'-' | b'+'));
            let last = digits(end + 1 + sign);
            if last > end + 1 + sign {
                (end, is_float) = (last, true);
            } else if !is_name(self.ahead(last)) {
                // LLVM's assembler ignores an exponent without digits.
                (end, is_float, len) = (last, true, Some(end));
            }
        }
        if !is_float {
            return None;
        }
        let bits = decimal::nearest(self.between(self.at, self.at + len.unwrap_or(end)));
        self.at += end;
        Some(bits)
    }

    /// Reads a float of hexadecimal digits with a power of two: `0x1.8p1`.
    fn hexadecimal(&mut self) -> Option<u64> {
        let first = 2;
        let mut end = first;
        // `value` holds the first 60 bits of the number; its last bit is also set if a later digit is not 0.
        let (mut value, mut exponent, mut dots) = (0u64, 0i32, 0usize);
        loop {
            let c = self.ahead(end);
            match char::from(c).to_digit(16) {
                Some(digit) if value >> 56 == 0 => {
                    value = value << 4 | u64::from(digit);
                    exponent -= if dots > 0 { 4 } else { 0 };
                }
                Some(digit) => {
                    value |= u64::from(digit != 0);
                    exponent += if dots > 0 { 0 } else { 4 };
                }
                None if c == b'.' && dots == 0 => dots = 1,
                None => break,
            }
            end += 1;
        }
        if end == first + dots || !matches!(self.ahead(end), b'p' | b'P') {
            return None;
        }
        let sign = usize::from(matches!(self.ahead(end + 1), b'-' | b'+'));
        let start = self.at + end + 1;
        let digits = self.between(start + sign, self.text.len());
        let digits = digits.iter().position(|c| !c.is_ascii_digit()).unwrap_or(digits.len());
        let end = start + sign + digits;
        let power: i32 = core::str::from_utf8(self.between(start, end)).ok()?.parse().ok()?;
        // Beyond these limits the result is 0 or infinite.
        let power = exponent.saturating_add(power).clamp(-4000, 4000);
        self.at = end;
        Some(decimal::scaled(value, power))
    }
}

/// The result of an operator; `None` if a divisor is zero.
fn apply(operator: &[u8], a: i64, b: i64) -> Option<i64> {
    let is = |condition: bool| -i64::from(condition);
    Some(match operator {
        // The shift distance counts modulo 64, as on the machines on which LLVM's assembler runs.
        b"<<" => a.wrapping_shl(b as u32),
        b">>" => (a as u64).wrapping_shr(b as u32) as i64,
        b"&&" => (a != 0 && b != 0).into(),
        b"||" => (a != 0 || b != 0).into(),
        b"==" => is(a == b),
        b"!=" | b"<>" => is(a != b),
        b"<=" => is(a <= b),
        b">=" => is(a >= b),
        b"<" => is(a < b),
        b">" => is(a > b),
        b"+" => a.wrapping_add(b),
        b"-" => a.wrapping_sub(b),
        b"|" => a | b,
        b"^" => a ^ b,
        b"&" => a & b,
        b"!" => a | !b,
        b"*" => a.wrapping_mul(b),
        b"/" if b != 0 => a.wrapping_div(b),
        b"%" if b != 0 => a.wrapping_rem(b),
        _ => return None,
    })
}
