//! Rows of operations and the words in them.

use crate::build::model::error::{Result, SourceLine};
use crate::build::model::{Access, Does, LaneOf, Means, Row, Token};
use crate::build::parse::Parser;
use crate::build::parse::numbers::up_to;

impl Parser {
    /// Reads `mnemonic | operands | implicit | flags | opcodes`.
    pub fn row(&self, at: &SourceLine, line: &str) -> Result<Row> {
        let parts: Vec<&str> = line.split('|').map(str::trim).collect();
        let [mnemonic, operands, implicit, flags, opcodes] = parts[..] else {
            return at.err("expected: mnemonic | operands | implicit | flags | opcodes");
        };
        if mnemonic.is_empty() || !mnemonic.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_') {
            return at.err(format!("bad mnemonic `{mnemonic}`"));
        }
        let tokens = operands.split_whitespace().map(|w| token(at, w)).collect::<Result<Vec<_>>>()?;
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for w in implicit.split_whitespace() {
            let (list, to) = match w.split_once(':') {
                Some(("r", l)) => (l, &mut reads),
                Some(("w", l)) => (l, &mut writes),
                _ => return at.err(format!("expected r:... or w:..., found `{w}`")),
            };
            to.extend(list.split(',').map(str::to_string));
        }
        let opcode = self.cells(at, &opcodes.split_whitespace().collect::<Vec<_>>(), |at, s| {
            let (number, spelling) = match s.split_once(':') {
                Some((n, spelling)) => (n, Some(spelling.to_string())),
                None => (s, None),
            };
            Ok((up_to(at, number, 0xffff)? as u16, spelling))
        })?;
        let passes = flags.split_whitespace().find_map(|w| w.strip_prefix("passes="));
        let passes = passes.map(|list| {
            self.cells(at, &list.split(',').collect::<Vec<_>>(), |at, s| {
                let (less, more) = s.split_once('/').unwrap_or((s, s));
                Ok((up_to(at, less, 32)? as u8, up_to(at, more, 32)? as u8))
            })
        });
        let address = flags.split_whitespace().find_map(|w| w.strip_prefix("address="));
        let purpose = flags.split_whitespace().find_map(|w| w.strip_prefix("purpose="));
        let is_flag = |w: &&str| !["passes=", "address=", "purpose="].iter().any(|other| w.starts_with(other));
        Ok(Row {
            at: at.clone(),
            mnemonic: mnemonic.to_string(),
            tokens,
            reads,
            writes,
            flags: flags.split_whitespace().filter(is_flag).map(str::to_string).collect(),
            passes: passes.transpose()?,
            address: address.map(str::to_string),
            purpose: purpose.map(str::to_string),
            opcode,
        })
    }
}

/// Reads `NAME...: FORMULA`. The first colon with a blank after it ends the names: colons in braces have no blank.
pub fn does(at: &SourceLine, line: &str) -> Result<Does> {
    let Some((names, text)) = line.split_once(": ") else { return at.err("expected: does NAME...: FORMULA") };
    let names = names.split_whitespace().map(str::to_string).collect();
    Ok(Does { at: at.clone(), names, text: text.trim().to_string() })
}

/// Reads `means NAME...: FORMULA`.
pub fn means(at: &SourceLine, line: &str) -> Result<Means> {
    let (head, text) = line.split_once(": ").unwrap_or((line, ""));
    let names: Vec<String> = head.split_whitespace().skip(1).map(str::to_string).collect();
    if names.is_empty() || text.is_empty() {
        return at.err("expected: means NAME...: FORMULA");
    }
    Ok(Means { at: at.clone(), names, text: text.trim().to_string() })
}

/// Reads `SOURCE NAME...: FORMULA`.
pub fn lane_of(at: &SourceLine, line: &str) -> Result<LaneOf> {
    let (head, text) = line.split_once(": ").unwrap_or((line, ""));
    let mut words = head.split_whitespace();
    let source = words.next().and_then(|word| word.strip_prefix('S')?.parse().ok());
    let patterns: Vec<String> = words.map(str::to_string).collect();
    match source {
        Some(source) if !patterns.is_empty() && !text.is_empty() => {
            Ok(LaneOf { at: at.clone(), source, patterns, text: text.trim().to_string() })
        }
        _ => at.err("expected, below the rows: lane SOURCE NAME...: FORMULA"),
    }
}

fn bit_list(at: &SourceLine, s: &str) -> Result<(String, Option<Vec<u8>>)> {
    let Some((name, list)) = s.split_once('[') else { return Ok((s.to_string(), None)) };
    let Some(list) = list.strip_suffix(']') else { return at.err(format!("`{s}` lacks `]`")) };
    let bits = list.split(',').map(|b| Ok(up_to(at, b, 127)? as u8)).collect::<Result<Vec<_>>>()?;
    Ok((name.to_string(), Some(bits)))
}

pub fn with_type(s: &str) -> (String, Option<String>) {
    match s.split_once('.') {
        Some((n, k)) => (n.to_string(), Some(k.to_string())),
        None => (s.to_string(), None),
    }
}

pub fn token(at: &SourceLine, word: &str) -> Result<Token> {
    if let Some(rest) = word.strip_prefix("any:") {
        let (name, bits) = bit_list(at, rest)?;
        return Ok(Token::Any { name, bits });
    }
    for (prefix, ones) in [("zero:", false), ("one:", true)] {
        if let Some(rest) = word.strip_prefix(prefix) {
            let (name, bits) = bit_list(at, rest)?;
            return Ok(Token::Must { name, bits, ones });
        }
    }
    if let Some(letter) = word.strip_prefix("only:") {
        return Ok(Token::Only(letter.to_string()));
    }
    if let Some(i) = word.find(['=', ':', '&']) {
        let (left, ty) = (&word[..i], &word[i + 1..]);
        let access = match &word[i..i + 1] {
            "=" => Access::Write,
            ":" => Access::Read,
            _ => Access::ReadWrite,
        };
        if access == Access::Read
            && left.chars().all(|c| c.is_ascii_alphanumeric())
            && ty.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
        {
            return Ok(Token::Form { format: left.to_string(), macro_name: ty.to_string() });
        }
        let (ty, on_return) = match ty.strip_suffix("@rtn") {
            Some(t) => (t, true),
            None => (ty, false),
        };
        let (ty, only) = match ty.split_once('@') {
            Some((ty, list)) => (ty, list.split(',').map(str::to_string).collect()),
            None => (ty, Vec::new()),
        };
        let (ty, kept) = match ty.split_once('&') {
            Some((_, _)) if access != Access::Write => {
                return at.err(format!("`{word}`: only a written operand can be kept in part"));
            }
            Some((ty, list)) => (ty, list.split(',').map(str::to_string).collect()),
            None => (ty, Vec::new()),
        };
        let (name, operand_type) = with_type(left);
        return Ok(Token::Operand { name, operand_type, access, ty: ty.to_string(), on_return, kept, only });
    }
    let (word, only) = match word.split_once('@') {
        Some((word, list)) => (word, list.split(',').map(str::to_string).collect()),
        None => (word, Vec::new()),
    };
    let (rest, bits) = bit_list(at, word)?;
    let (name, operand_type) = with_type(&rest);
    if operand_type.is_none() && bits.is_none() && only.is_empty() {
        return Ok(Token::Word(name));
    }
    Ok(Token::Modifier { name, operand_type, bits, only })
}
