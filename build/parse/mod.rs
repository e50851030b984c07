//! Reads the lines of the table files. `isa/README.md` describes the grammar.

pub mod counters;
pub mod formats;
pub mod hazards;
pub mod lines;
pub mod numbers;
pub mod rows;

use crate::build::model::error::{Result, SourceLine};
use crate::build::model::*;
use numbers::{number, up_to};

/// Reads one file into `isa`, which already contains the generations and targets.
pub fn file(isa: &mut Isa, name: &str, text: &str) -> Result<()> {
    let nodes =
        isa.generations.iter().map(|g| &g.name).chain(isa.targets.iter().map(|t| &t.processor)).cloned().collect();
    let hazards = hazards::Section::None;
    let mut p = Parser { nodes, format: None, in_enum: false, in_rows: false, in_opcodes: false, hazards };
    statements(name, text, |at, line| p.line(isa, at, line))
}

/// Reads the generations, traits, targets and processors of one file.
pub fn generations(isa: &mut Isa, name: &str, text: &str) -> Result<()> {
    statements(name, text, |at, line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.split_first() {
            Some((&"gen", args)) => isa.generations.push(lines::generation(at, args)?),
            Some((&"target", args)) => {
                let (target, processor) = lines::target(at, args)?;
                isa.targets.push(target);
                isa.processors.push(processor);
            }
            Some((&"processor", args)) => isa.processors.push(lines::processor(at, args)?),
            Some((&"trait", [name, ";", ..])) => isa.traits.push(name.to_string()),
            Some((&"trait", _)) => return at.err("expected: trait NAME ; DESCRIPTION"),
            _ => {}
        }
        Ok(())
    })
}

/// Passes each non-empty line, without its comment, to `take`. An indented line continues a `does` or `lane` line.
fn statements(name: &str, text: &str, mut take: impl FnMut(&SourceLine, &str) -> Result<()>) -> Result<()> {
    let mut lines = text.lines().enumerate().peekable();
    let without_comment = |raw: &str| raw.split('#').next().unwrap_or("").trim_end().to_string();
    while let Some((i, raw)) = lines.next() {
        let mut line = without_comment(raw);
        let is_formula = ["does ", "lane "].iter().any(|word| line.starts_with(word));
        while is_formula && lines.peek().is_some_and(|(_, next)| next.starts_with(' ')) {
            let (_, next) = lines.next().expect("it was seen");
            line = format!("{line} {}", without_comment(next).trim_start());
        }
        if !line.is_empty() {
            take(&SourceLine { file: name.to_string(), line: i + 1 }, &line)?;
        }
    }
    Ok(())
}

/// The words of a kernel descriptor, each with its lowest bit in the descriptor.
const DESCRIPTOR_WORDS: [(&str, u16); 8] = [
    ("group_segment", 0),
    ("private_segment", 32),
    ("kernarg", 64),
    ("rsrc3", 352),
    ("rsrc1", 384),
    ("rsrc2", 416),
    ("properties", 448),
    ("preload", 464),
];

pub struct Parser {
    /// Names of generations and targets.
    nodes: Vec<String>,
    /// The index of the format that the file describes.
    format: Option<usize>,
    /// Whether a `value` line belongs to an enum above it in the same file.
    in_enum: bool,
    in_rows: bool,
    /// Whether the lines are numbers of operations.
    in_opcodes: bool,
    /// The current section of a file about hazards.
    hazards: hazards::Section,
}

impl Parser {
    fn line(&mut self, isa: &mut Isa, at: &SourceLine, line: &str) -> Result<()> {
        if self.in_rows {
            return self.row_line(&mut isa.formats[self.format.expect("rows follow a format")], at, line);
        }
        if self.in_opcodes {
            isa.opcodes.push(lines::opcode(at, line)?);
            return Ok(());
        }
        if self.hazards != hazards::Section::None {
            return self.hazard(&mut isa.hazards, at, line);
        }
        let (head, about) = match line.split_once(';') {
            Some((h, a)) => (h, a.trim()),
            None => (line, ""),
        };
        let words: Vec<&str> = head.split_whitespace().collect();
        let (key, args) = words.split_first().expect("line is not empty");
        match (*key, self.format) {
            // `generations` has already read these lines.
            ("gen" | "target" | "processor" | "trait", None) => {}
            ("manual", None) => isa.manuals.push(self.manual(at, args)?),
            ("code", None) => isa.codes.push(self.code(at, args)?),
            ("type", None) => isa.operand_types.push(lines::operand_type(at, args)?),
            ("align", None) => match args {
                ["scalar", n] => isa.scalar_align = up_to(at, n, 32)? as u16,
                _ => return at.err("expected: align scalar NUMBER"),
            },
            ("limit", None) => isa.limits.push(lines::limit(at, args, about)?),
            ("msb", None) => {
                let (fields, group) = lines::msb(at, args)?;
                isa.msb.extend(fields.iter().map(|field| (at.clone(), field.to_string(), group)));
            }
            ("dwarf", None) => isa.dwarf.push(lines::dwarf(at, args)?),
            ("synonym", None) => {
                let [name, cells @ ..] = args else { return at.err("expected: synonym NAME CELL...") };
                let means = self.cells(at, cells, |_, s| Ok(s.to_string()))?;
                isa.synonyms.push(Synonym { at: at.clone(), name: name.to_string(), means });
            }
            ("enum" | "bits", None) => {
                isa.enums.push(lines::enum_table(at, key, args)?);
                self.in_enum = true;
            }
            ("register", None) => {
                let (at, names) = (at.clone(), args.iter().map(|name| name.to_string()).collect());
                isa.registers.push(RegisterTable { at, names, parts: Vec::new() });
            }
            ("part", None) => {
                let ([name, cells @ ..], Some(register)) = (args, isa.registers.last_mut()) else {
                    return at.err("expected, below a register: part NAME CELL...");
                };
                let value = self.cells(at, cells, |at, s| numbers::bits(at, s).map(|_| s.to_string()))?;
                register.parts.push(EnumValue::new(at, name, value));
            }
            ("value" | "lane" | "means" | "registers", None) => {
                let table = isa.enums.last_mut().filter(|_| self.in_enum);
                self.enum_line(table, at, line, key, args)?;
            }
            ("directive", None) => isa.directives.push(self.directive(at, args)?),
            ("kernel", None) => {
                let [name, cells @ ..] = args else { return at.err("expected: kernel NAME CELL...") };
                let value = self.cells(at, cells, |at, s| Ok(up_to(at, s, 1000)?.to_string()))?;
                isa.kernel.push(EnumValue::new(at, name, value));
            }
            ("format", None) => {
                self.format = Some(isa.formats.len());
                isa.formats.push(formats::format(at, args)?);
            }
            ("ops", Some(_)) => self.in_rows = true,
            (_, None) if self.counters(isa, at, key, args, about)? => {}
            ("opcodes", None) => self.in_opcodes = true,
            ("hazards", None) => self.hazards = hazards::Section::Kinds,
            (_, None) => return at.err(format!("unknown word `{key}`")),
            (_, Some(f)) => self.format_line(&mut isa.formats[f], at, line, key, args, about)?,
        }
        Ok(())
    }

    /// Reads `manual GENERATION NAME`.
    fn manual(&self, at: &SourceLine, args: &[&str]) -> Result<(SourceLine, String, String)> {
        match args {
            [node, name @ ..] if self.nodes.iter().any(|n| n == node) && !name.is_empty() => {
                Ok((at.clone(), node.to_string(), name.join(" ")))
            }
            _ => at.err("expected: manual GENERATION NAME"),
        }
    }

    /// Reads a line after `ops`: a row, or a statement about rows.
    fn row_line(&self, format: &mut Format, at: &SourceLine, line: &str) -> Result<()> {
        if let Some(rest) = line.strip_prefix("does ") {
            format.does.push(rows::does(at, rest)?);
        } else if let Some(rest) = line.strip_prefix("lane ") {
            format.lanes.push(rows::lane_of(at, rest)?);
        } else {
            format.rows.push(self.row(at, line)?);
        }
        Ok(())
    }

    /// Reads a line that belongs to the `enum` or `bits` above it.
    fn enum_line(
        &self,
        table: Option<&mut EnumTable>,
        at: &SourceLine,
        line: &str,
        key: &str,
        args: &[&str],
    ) -> Result<()> {
        let Some(table) = table else {
            return match key {
                "lane" => at.err("expected, in an enum: lane NAME FORMULA"),
                _ => at.err(format!("{key} outside an enum")),
            };
        };
        match key {
            "value" => {
                let (name, mut cells) =
                    args.split_first().map_or_else(|| at.err("expected: value NAME CELL..."), Ok)?;
                let mut option = |key: &str| {
                    let (word, rest) = cells.split_first()?;
                    let value = word.strip_prefix(key)?;
                    cells = rest;
                    Some(value)
                };
                let (was, operations) = (option("was:"), option("ops:"));
                let value = self.cells(at, cells, |_, s| Ok(s.to_string()))?;
                let operations = operations.map(|list| (list.trim_end_matches('?').to_string(), list.ends_with('?')));
                let was = was.map(str::to_string);
                table.values.push(EnumValue { was, operations, ..EnumValue::new(at, name, value) });
            }
            "lane" => {
                let [name, ..] = args else { return at.err("expected, in an enum: lane NAME FORMULA") };
                let formula = line["lane".len()..].trim_start()[name.len()..].trim().to_string();
                table.lanes.push((at.clone(), name.to_string(), formula));
            }
            "means" => table.means.push(rows::means(at, line)?),
            _ => {
                let [name, counts @ ..] = args else { return at.err("expected: registers NAME NUMBER...") };
                let counts = counts.iter().map(|n| Ok(up_to(at, n, 16)? as u8)).collect::<Result<Vec<_>>>()?;
                if counts.len() != table.values.len() {
                    return at.err(format!("{} numbers for {} values", counts.len(), table.values.len()));
                }
                table.registers.push((name.to_string(), counts));
            }
        }
        Ok(())
    }

    fn directive(&self, at: &SourceLine, args: &[&str]) -> Result<DirectiveRow> {
        let [name, default, rest @ ..] = args else { return at.err("expected: directive NAME DEFAULT CELL...") };
        let (sgprs, cells) = match rest.split_first() {
            Some((word, cells)) if word.starts_with("sgprs=") => (up_to(at, &word[6..], 16)? as u8, cells),
            _ => (0, rest),
        };
        let bits = self.cells(at, cells, |at, cell| {
            let parts: Vec<&str> = cell.split(':').collect();
            let [word, high, low] = parts[..] else { return at.err(format!("`{cell}` is not WORD:HIGH:LOW")) };
            let Some((_, first)) = DESCRIPTOR_WORDS.iter().find(|(name, _)| *name == word) else {
                return at.err(format!("the descriptor has no word {word}"));
            };
            let (high, low) = (up_to(at, high, 31)?, up_to(at, low, 31)?);
            if low > high {
                return at.err(format!("bad range {cell}"));
            }
            Ok((first + low as u16, (high - low + 1) as u8))
        })?;
        Ok(DirectiveRow { at: at.clone(), name: name.to_string(), default: default.to_string(), sgprs, bits })
    }

    fn code(&self, at: &SourceLine, args: &[&str]) -> Result<CodeRow> {
        let [name, pair, class, cells @ ..] = args else { return at.err("expected: code NAME PAIR CLASS CELL...") };
        let range = self.cells(at, cells, |at, s| {
            let (a, b) = s.split_once('-').unwrap_or((s, s));
            let (a, b) = (number(at, a)?, number(at, b)?);
            if a > b || b > 511 { at.err(format!("bad code range {s}")) } else { Ok((a as u16, b as u16)) }
        })?;
        Ok(CodeRow {
            at: at.clone(),
            name: name.to_string(),
            pair: match *pair {
                "-" => None,
                "*" => Some(name.to_string()),
                pair => Some(pair.to_string()),
            },
            any_length: *pair == "*",
            class: class.to_string(),
            range,
        })
    }

    /// Reads the cells of a row: `43`, `gfx10=43`, `gfx10=-`, `59@dl`.
    fn cells<T: Clone>(
        &self,
        at: &SourceLine,
        words: &[&str],
        read: impl Fn(&SourceLine, &str) -> Result<T>,
    ) -> Result<Cells<T>> {
        if words.is_empty() {
            return at.err("the row has no cells");
        }
        let mut entries: Vec<Entry<T>> = Vec::new();
        for word in words {
            let (node, cell) = match word.split_once('=') {
                Some((node, cell)) if self.nodes.iter().any(|n| n == node) => (Some(node.to_string()), cell),
                Some((node, _)) if node.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                    return at.err(format!("{node} is not a generation or target"));
                }
                _ => (None, *word),
            };
            let (cell, needs) = match cell.split_once('@') {
                Some((cell, needs)) => (cell, Some(needs.to_string())),
                None => (cell, None),
            };
            if entries.iter().any(|e| e.node == node && e.needs == needs) {
                return at.err(format!("two cells for {}", node.as_deref().unwrap_or("the whole format")));
            }
            let value = if cell == "-" { None } else { Some(read(at, cell)?) };
            entries.push(Entry { node, value, needs });
        }
        Ok(Cells::new(entries))
    }
}
