//! The words of a formula.

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Token<'a> {
    Name(&'a str),
    Int(i128),
    Float(f64),
    /// An operator or a bracket.
    Symbol(&'a str),
    /// A sentence, without its quotes.
    Text(&'a str),
}

/// The symbols; longer ones come first.
const SYMBOLS: [&str; 33] = [
    "||", "&&", "==", "!=", "<=", ">=", "<<", ">>", "|", "^", "&", "<", ">", "+", "-", "*", "/", "%", "~", "!", "?",
    ":", "=", ";", ",", ".", "@", "(", ")", "[", "]", "{", "}",
];

/// Splits off the next word, which is `None` at the end of the text. Returns `None` if the text does not begin with a
/// word.
pub fn next(text: &str) -> Option<(Option<Token<'_>>, &str)> {
    let text = text.trim_start();
    let Some(first) = text.chars().next() else { return Some((None, text)) };
    if first == '"' {
        let (inside, rest) = text[1..].split_once('"')?;
        return Some((Some(Token::Text(inside)), rest));
    }
    let word = |belongs: fn(char) -> bool| text.split_at(text.find(|c| !belongs(c)).unwrap_or(text.len()));
    if first.is_ascii_alphabetic() {
        let (name, rest) = word(|c| c.is_ascii_alphanumeric() || c == '_');
        return Some((Some(Token::Name(name)), rest));
    }
    if first.is_ascii_digit() {
        let (digits, rest) = word(|c| c.is_ascii_alphanumeric() || c == '.');
        let token = match digits.strip_prefix("0x") {
            Some(hex) => Token::Int(i128::from_str_radix(hex, 16).ok()?),
            None if digits.contains('.') => Token::Float(digits.parse().ok()?),
            None => Token::Int(digits.parse().ok()?),
        };
        return Some((Some(token), rest));
    }
    let symbol = SYMBOLS.into_iter().find(|symbol| text.starts_with(symbol))?;
    Some((Some(Token::Symbol(symbol)), &text[symbol.len()..]))
}
