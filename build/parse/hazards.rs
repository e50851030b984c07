//! Statements about kinds of instructions, and the rules about hazards.

use crate::build::model::error::{Result, SourceLine};
use crate::build::model::hazards::*;
use crate::build::parse::Parser;
use crate::build::parse::numbers::{number, up_to};

/// The current part of a file about hazards.
#[derive(Clone, PartialEq, Eq)]
pub enum Section {
    None,
    Kinds,
    /// Rules that come from this source, until the next `source` line.
    Rules(String),
}

impl Parser {
    pub fn hazard(&mut self, all: &mut Hazards, at: &SourceLine, line: &str) -> Result<()> {
        if let Section::Rules(source) = &mut self.hazards {
            if let Some(text) = line.strip_prefix("source ") {
                *source = text.trim().to_string();
                return Ok(());
            }
            let source = source.clone();
            all.rules.push(self.hazard_rule(at, line, source)?);
            return Ok(());
        }
        if let Some(text) = line.strip_prefix("seen ") {
            all.seen.push(self.watched(at, text)?);
            return Ok(());
        }
        if let Some((on, text)) = line.strip_prefix("expert ").and_then(|text| text.split_once(' ')) {
            all.expert.push((at.clone(), on == "on", side(at, text)?));
            return Ok(());
        }
        if let Some(text) = line.strip_prefix("called ") {
            let Some((what, words)) = text.rsplit_once(" = ") else { return at.err("expected: called WHAT = WORDS") };
            let (only, what) = match what.split_once(' ') {
                Some((node, what)) if self.nodes.iter().any(|n| n == node) => (vec![node.to_string()], what),
                _ => (Vec::new(), what),
            };
            let (what, words) = (what.trim().to_string(), words.trim().to_string());
            all.called.push(Called { at: at.clone(), only, what, words });
            return Ok(());
        }
        if let Some(text) = line.strip_prefix("counted ") {
            all.counted.push(self.watched(at, text)?);
            return Ok(());
        }
        if let Some(text) = line.strip_prefix("unchecked ") {
            let columns: Vec<&str> = text.split('|').map(str::trim).collect();
            let [id, cells, reason] = columns[..] else { return at.err("expected: unchecked ID | CELL... | REASON") };
            let cells: Vec<&str> = cells.split_whitespace().collect();
            let there = self.cells(at, &cells, |at, s| Ok(up_to(at, s, 1)? as u8))?;
            let (id, reason) = (id.to_string(), reason.to_string());
            all.unchecked.push(Unchecked { at: at.clone(), id, there, reason });
            return Ok(());
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["rules"] => self.hazards = Section::Rules(String::new()),
            ["kind", name, "=", ref terms @ ..] if !terms.is_empty() => {
                let terms = terms.iter().map(|word| term(at, word)).collect::<Result<_>>()?;
                all.kinds.push(Kind { at: at.clone(), name: name.to_string(), terms });
            }
            ["indexed", what, kind] => all.indexed.push((at.clone(), what.to_string(), kind.to_string())),
            ["nop", mnemonic, field, ref cells @ ..] => {
                let bits = self.cells(at, cells, |at, s| Ok(up_to(at, s, 16)? as u8))?;
                let (mnemonic, field) = (mnemonic.to_string(), field.to_string());
                all.nop = Some(Nop { at: at.clone(), mnemonic, field, bits });
            }
            _ => return at.err("expected: kind NAME = TERM..., nop MNEMONIC FIELD CELL..., or rules"),
        }
        Ok(())
    }

    /// Reads `SIDE or SIDE | HOW | CELL...`.
    fn watched(&self, at: &SourceLine, text: &str) -> Result<Watched> {
        let columns: Vec<&str> = text.split('|').map(str::trim).collect();
        let [text, how, cells] = columns[..] else { return at.err("expected: INSTRUCTIONS | HOW | CELL...") };
        let cells: Vec<&str> = cells.split_whitespace().collect();
        let there = self.cells(at, &cells, |at, s| Ok(up_to(at, s, 1)? as u8))?;
        Ok(Watched { at: at.clone(), sides: sides(at, text)?, how: how.to_string(), there })
    }

    /// Reads `id | producer | consumer | registers | ends | from | unit cells ; text`.
    fn hazard_rule(&self, at: &SourceLine, line: &str, source: String) -> Result<HazardRule> {
        let Some((columns, text)) = line.split_once(';') else { return at.err("expected: ... ; TEXT") };
        let (text, caution) = text.split_once(" ; ").unwrap_or((text, ""));
        // A sentence ends where a capital letter follows.
        let ends = |(n, _): &(usize, &str)| text[n + 2..].starts_with(|c: char| c.is_ascii_uppercase());
        let (text, note) = match text.match_indices(". ").find(ends) {
            Some((n, _)) => (&text[..n], &text[n + 2..]),
            None => (text.trim().trim_end_matches('.'), ""),
        };
        let columns: Vec<&str> = columns.split('|').map(str::trim).collect();
        let [id, producer, consumer, registers, ends, from, distance] = columns[..] else {
            return at.err("expected: id | producer | consumer | registers | ends | from | unit and distance ; text");
        };
        let words: Vec<&str> = distance.split_whitespace().collect();
        let Some((unit, cells)) = words.split_first() else { return at.err("the row has no unit") };
        let (mut others, mut trans, mut lasts, mut times) = (Vec::new(), None, None, None);
        for side in ends.split(" or ").filter(|side| *side != "-") {
            match side.split_once('*') {
                Some(("trans", n)) => trans = Some(up_to(at, n, 15)? as u8),
                Some(("counted", n)) => times = Some(up_to(at, n, 99)? as u8),
                Some(("states", n)) => lasts = Some(up_to(at, n, 99)? as u8),
                _ => others.push(self::side(at, side)?),
            }
        }
        let (id, when) = match id.split_once(" when ") {
            Some((id, mode)) => (id, Some(mode.trim().to_string())),
            None => (id, None),
        };
        let mut steps = producer.split(" then ").map(str::trim);
        let first = steps.next().unwrap_or("");
        let (mut then, mut then_side, mut again, mut counted, mut directly) = (None, None, None, false, false);
        for step in steps {
            match step.strip_prefix("again within ") {
                Some(n) => again = Some(up_to(at, n, 99)? as u8),
                None if step == "counted" => counted = true,
                None if step.starts_with("over ") || step.contains(" if ") => {
                    then_side = Some(Side { begins: true, ..side(at, step)? });
                }
                None => {
                    directly = step.starts_with("directly ");
                    then = Some(step.strip_prefix("directly ").unwrap_or(step));
                }
            }
        }
        let mut registers = registers.split_whitespace();
        let overlap = registers.next().unwrap_or("-").to_string();
        let (field, differs): (Vec<&str>, Vec<&str>) = registers.partition(|word| word.starts_with("field="));
        let field = field.first().map(|word| word["field=".len()..].to_string());
        Ok(HazardRule {
            at: at.clone(),
            id: id.to_string(),
            when,
            producer: sides(at, first)?,
            then: then.map(str::to_string),
            directly,
            then_side,
            again,
            counted,
            consumer: sides(at, consumer)?,
            registers: Registers { overlap, differs: differs.first().map(|word| word.to_string()), field },
            ends: others,
            trans,
            lasts,
            times,
            ends_text: if ends == "-" { String::new() } else { ends.to_string() },
            from: from.split(',').map(str::to_string).collect(),
            unit: unit.to_string(),
            distance: self.cells(at, cells, |_, s| Ok(s.to_string()))?,
            text: text.trim().to_string(),
            note: note.trim().to_string(),
            caution: caution.trim().to_string(),
            source,
        })
    }
}

fn list(s: &str) -> Vec<String> {
    s.split(',').map(str::to_string).collect()
}

fn term(at: &SourceLine, word: &str) -> Result<Term> {
    Ok(match (word.split_once(':'), &word[..1]) {
        (Some(("is", kind)), _) => Term::Is(kind.to_string(), true),
        (Some(("not", kind)), _) => Term::Is(kind.to_string(), false),
        (Some(("name", names)), _) => Term::Names(list(names)),
        (None, "+") => Term::Flag(word[1..].to_string(), true),
        (None, "-") => Term::Flag(word[1..].to_string(), false),
        (None, "@") => Term::Only(list(&word[1..])),
        (None, _) if word == "any" => Term::Any,
        (None, _) if word.starts_with(|c: char| c.is_ascii_uppercase()) => Term::Formats(list(word)),
        _ => return at.err(format!("`{word}` is not a term of a kind")),
    })
}

fn sides(at: &SourceLine, text: &str) -> Result<Vec<Side>> {
    text.split(" or ").map(|text| side(at, text)).collect()
}

/// Reads `[over] KIND [if CONDITION & CONDITION] [r:FILE,FILE@FIELD,FIELD>BITS<BITS] [upto simm16[HIGH:LOW] KIND]`.
fn side(at: &SourceLine, text: &str) -> Result<Side> {
    let mut words: Vec<&str> = text.split_whitespace().filter(|word| *word != "&").collect();
    if words.is_empty() {
        return at.err("a kind of instruction is missing");
    }
    let over = words.len() > 1 && words[0] == "over";
    if over {
        words.remove(0);
    }
    let kind = words.remove(0).to_string();
    let upto = match words[..] {
        [.., "upto", field, what] => {
            words.truncate(words.len() - 3);
            let bits = field.strip_prefix("simm16[").and_then(|bits| bits.strip_suffix(']')?.split_once(':'));
            let Some((high, low)) = bits else { return at.err(format!("`{field}` is not a part of simm16")) };
            let (high, low) = (up_to(at, high, 15)? as u8, up_to(at, low, 15)? as u8);
            Some(Upto { high, low, what: what.to_string() })
        }
        _ => None,
    };
    let is_operands = |word: &&str| ["r:", "w:", "rw:"].iter().any(|access| word.starts_with(access));
    let operands = match words.last().copied().filter(is_operands) {
        Some(word) => {
            words.pop();
            Some(operands(at, word)?)
        }
        None => None,
    };
    let conditions = match words.split_first() {
        None => Vec::new(),
        Some((&"if", words)) => words.iter().map(|word| condition(at, word)).collect::<Result<_>>()?,
        Some((word, _)) => return at.err(format!("expected `if` or operands, found `{word}`")),
    };
    Ok(Side { kind, conditions, operands, over, begins: false, upto })
}

fn operands(at: &SourceLine, word: &str) -> Result<Operands> {
    let (access, rest) = word.split_once(':').expect("it has the access");
    let (rest, most) = rest.split_once('<').unwrap_or((rest, "4096"));
    let (rest, bits) = rest.split_once('>').unwrap_or((rest, "0"));
    let narrower_than = up_to(at, most, 4096)? as u16;
    let (files, fields) = match rest.split_once('@') {
        Some((files, fields)) => (files, list(fields)),
        None => (rest, Vec::new()),
    };
    let only = files.strip_prefix('=').map(str::to_string);
    let files = if only.is_some() { Vec::new() } else { list(files) };
    let wider_than = up_to(at, bits, 2048)? as u16;
    let (reads, writes) = (access.contains('r'), access.contains('w'));
    Ok(Operands { reads, writes, files, only, fields, wider_than, narrower_than })
}

fn condition(at: &SourceLine, word: &str) -> Result<Condition> {
    if word == "seen" {
        return Ok(Condition::Seen);
    }
    if word == "own" {
        return Ok(Condition::Own);
    }
    if word == "result" {
        return Ok(Condition::Result);
    }
    if let Some(n) = word.strip_prefix("dwords>") {
        return Ok(Condition::Dwords(up_to(at, n, 5)? as u8));
    }
    for (mark, wanted) in [("!&", false), ("&", true)] {
        if let Some((field, mask)) = word.split_once(mark) {
            return Ok(Condition::Bits(field.to_string(), number(at, mask)?, wanted));
        }
    }
    let Some((name, value)) = word.split_once('=') else {
        return match word.strip_suffix("!reg") {
            Some(field) => Ok(Condition::NoRegister(field.to_string())),
            None => at.err(format!("`{word}` is not a condition")),
        };
    };
    Ok(match name.strip_suffix('!') {
        Some(field) => Condition::Value(field.to_string(), number(at, value)?, false),
        None if name == "form" => Condition::Form(value.to_string()),
        None if name == "flag" => Condition::Flag(value.to_string()),
        None if name == "hwreg" => match value.trim_end_matches(']').split_once('[') {
            Some((name, bit)) => Condition::Hwreg(name.to_string(), Some(up_to(at, bit, 31)? as u8)),
            None => Condition::Hwreg(value.to_string(), None),
        },
        None => Condition::Value(name.to_string(), number(at, value)?, true),
    })
}
