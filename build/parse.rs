//! Reads the lines of a table file. The grammar is described in `isa/README.md`.

use crate::build::error::{Place, Result};
use crate::build::facts;
use crate::build::model::*;

/// Reads one file into `isa`.
pub fn file(isa: &mut Isa, name: &str, text: &str) -> Result<()> {
    let mut p = Parser { columns: Vec::new(), needed: 0, format: None, in_enum: false, in_rows: false };
    for (i, raw) in text.lines().enumerate() {
        let at = Place { file: name.to_string(), line: i + 1 };
        let line = raw.split('#').next().unwrap_or("").trim_end();
        if line.is_empty() {
            continue;
        }
        p.line(isa, &at, line)?;
    }
    Ok(())
}

struct Parser {
    columns: Vec<String>,
    /// So many cells each row has; those behind them may be left out at its end.
    needed: usize,
    /// Index of the format that the file is about.
    format: Option<usize>,
    /// A value belongs to the enum above it in the same file.
    in_enum: bool,
    in_rows: bool,
}

impl Parser {
    fn line(&mut self, isa: &mut Isa, at: &Place, line: &str) -> Result<()> {
        if self.in_rows {
            let row = self.row(at, line)?;
            isa.formats[self.format.expect("rows follow a format")].rows.push(row);
            return Ok(());
        }
        let (head, about) = match line.split_once(';') {
            Some((h, a)) => (h, a.trim()),
            None => (line, ""),
        };
        let words: Vec<&str> = head.split_whitespace().collect();
        let (key, args) = words.split_first().expect("line is not empty");
        match (*key, self.format) {
            ("columns", _) => {
                // Behind `|` are targets of which the tables have only some rows.
                self.needed = args.iter().position(|a| *a == "|").unwrap_or(args.len());
                self.columns = args.iter().filter(|a| **a != "|").map(|s| s.to_string()).collect();
                for (i, c) in self.columns.iter().enumerate() {
                    if self.columns[..i].contains(c) {
                        return at.err(format!("column {c} stands twice"));
                    }
                }
            }
            ("target", _) => isa.targets.push(target(at, args)?),
            ("code", _) => isa.codes.push(self.code(at, args)?),
            ("kind", _) => isa.kinds.push(kind(at, args)?),
            ("align", _) => match args {
                ["scalar", n] => isa.scalar_align = up_to(at, n, 32)? as u16,
                _ => return at.err("expected: align scalar NUMBER"),
            },
            ("enum", _) => {
                let [name] = args else { return at.err("expected: enum NAME") };
                isa.enums.push(EnumTable {
                    at: at.clone(),
                    name: name.to_string(),
                    bits: false,
                    values: Vec::new(),
                    registers: Vec::new(),
                });
                self.in_enum = true;
            }
            ("bits", None) => {
                let [name] = args else { return at.err("expected: bits NAME") };
                isa.enums.push(EnumTable {
                    at: at.clone(),
                    name: name.to_string(),
                    bits: true,
                    values: Vec::new(),
                    registers: Vec::new(),
                });
                self.in_enum = true;
            }
            ("registers", None) => {
                let Some(table) = isa.enums.last_mut().filter(|_| self.in_enum) else {
                    return at.err("registers outside an enum");
                };
                let [name, counts @ ..] = args else { return at.err("expected: registers NAME NUMBER...") };
                let counts = counts.iter().map(|n| Ok(up_to(at, n, 16)? as u8)).collect::<Result<Vec<_>>>()?;
                if counts.len() != table.values.len() {
                    return at.err(format!("{} numbers for {} values", counts.len(), table.values.len()));
                }
                table.registers.push((name.to_string(), counts));
            }
            ("value", _) => {
                let Some(table) = isa.enums.last_mut().filter(|_| self.in_enum) else {
                    return at.err("value outside an enum");
                };
                let [name, cells @ ..] = args else { return at.err("expected: value NAME CELL...") };
                let value = self.cells(at, cells, |_, s| Ok(s.to_string()))?;
                table.values.push(EnumValue { at: at.clone(), name: name.to_string(), value });
            }
            ("format", None) => {
                self.format = Some(isa.formats.len());
                isa.formats.push(format(at, args)?);
            }
            (_, None) => return at.err(format!("unknown word `{key}`")),
            (_, Some(f)) => self.format_line(&mut isa.formats[f], at, line, key, args, about)?,
        }
        Ok(())
    }

    fn format_line(
        &mut self,
        f: &mut Format,
        at: &Place,
        line: &str,
        key: &str,
        args: &[&str],
        about: &str,
    ) -> Result<()> {
        match key {
            "about" => f.about = line["about".len()..].trim().to_string(),
            "source" => f.source = line["source".len()..].trim().to_string(),
            "suffix" => f.suffix = args.join(" "),
            "bare" => f.bare = args.iter().map(|s| s.to_string()).collect(),
            "literal" => f.literal = args.iter().map(|s| s.to_string()).collect(),
            "reads" => {
                let [register, targets @ ..] = args else { return at.err("expected: reads REGISTER TARGET...") };
                f.reads.push((register.to_string(), targets.iter().map(|t| t.to_string()).collect()));
            }
            "extend" => {
                let [format, field, codes, targets @ ..] = args else {
                    return at.err("expected: extend FORMAT FIELD CODE TARGET...");
                };
                let (code, last_code) = run(at, codes)?;
                if last_code > 511 {
                    return at.err(format!("`{codes}` is more than 511"));
                }
                f.extends.push(Extend {
                    at: at.clone(),
                    format: format.to_string(),
                    field: field.to_string(),
                    code: code as u16,
                    last_code: last_code as u16,
                    targets: targets.iter().map(|t| t.to_string()).collect(),
                });
            }
            "dual" => {
                let [x, y] = args else { return at.err("expected: dual LETTER LETTER") };
                f.dual = Some([x.to_string(), y.to_string()]);
            }
            "replace" => {
                let (args, targets) = match args {
                    [args @ .., last] if last.starts_with('@') => (args, last[1..].split(',').collect()),
                    _ => (args, Vec::new()),
                };
                let (operand, kind, field) = match args {
                    [o, k] => (o, k, None),
                    [o, k, f] => (o, k, Some(f.to_string())),
                    _ => return at.err("expected: replace OPERAND KIND [FIELD] [@TARGET,...]"),
                };
                let (operand, read_as) = with_kind(operand);
                f.replaces.push(Replace {
                    at: at.clone(),
                    operand,
                    read_as,
                    kind: kind.to_string(),
                    field,
                    targets: targets.iter().map(|t| t.to_string()).collect(),
                });
            }
            "succeeds" => {
                let [format, renames @ ..] = args else { return at.err("expected: succeeds FORMAT OLD=NEW...") };
                let rename = |r: &&str| match r.split_once('=') {
                    Some((old, new)) => Ok((old.to_string(), new.to_string())),
                    None => at.err(format!("expected OLD=NEW, found `{r}`")),
                };
                let renames = renames.iter().map(rename).collect::<Result<Vec<_>>>()?;
                f.succeeds = Some(Succeeds { at: at.clone(), format: format.to_string(), renames });
            }
            "field" => {
                let [name, kind, cells @ ..] = args else { return at.err("expected: field NAME KIND CELL...") };
                let bits = self.cells(at, cells, bits)?;
                f.fields.push(Field {
                    at: at.clone(),
                    name: name.to_string(),
                    kind: kind.trim_end_matches(['~', '+']).to_string(),
                    ignored_if_unused: kind.ends_with('~'),
                    overlay: kind.ends_with('+'),
                    bits,
                    about: about.to_string(),
                });
            }
            "macro" => {
                let [name, "=", words @ ..] = args else { return at.err("expected: macro NAME = WORD...") };
                if f.macros.iter().any(|(n, _)| n == name) {
                    return at.err(format!("macro {name} is defined twice"));
                }
                let tokens = words.iter().map(|w| token(at, w)).collect::<Result<Vec<_>>>()?;
                f.macros.push((name.to_string(), tokens));
            }
            "counts" => {
                let [counter, cells @ ..] = args else { return at.err("expected: counts COUNTER CELL...") };
                let cells = self.cells(at, cells, |_, s| Ok(s.to_string()))?;
                f.counts.push(Counts { at: at.clone(), counter: counter.to_string(), cells });
            }
            "bus" => f.bus = true,
            "default" | "neutral" => {
                let [field, value] = args else { return at.err(format!("expected: {key} FIELD VALUE")) };
                let value = up_to(at, value, 0xffff)? as u16;
                let neutral = key == "neutral";
                f.defaults.push(FieldDefault { at: at.clone(), neutral, field: field.to_string(), value });
            }
            "ops" => self.in_rows = true,
            _ if facts::line(f, at, key, args)? => {}
            _ => return at.err(format!("unknown word `{key}`")),
        }
        Ok(())
    }

    /// The cells of a row: `.` repeats the cell to the left, `-` is none.
    fn cells<T: Clone>(
        &self,
        at: &Place,
        words: &[&str],
        read: impl Fn(&Place, &str) -> Result<T>,
    ) -> Result<Cells<T>> {
        if self.columns.is_empty() {
            return at.err("no `columns` line before this row");
        }
        if !(self.needed..=self.columns.len()).contains(&words.len()) {
            return at.err(format!("{} cells for {} columns", words.len(), self.columns.len()));
        }
        let (mut cells, mut only): (Vec<Option<T>>, Vec<Option<String>>) = (Vec::new(), Vec::new());
        for (i, w) in words.iter().enumerate() {
            let (w, needs) = match w.split_once('@') {
                Some((w, needs)) => (w, Some(needs.to_string())),
                None if *w == "." && i > 0 => (*w, only[i - 1].clone()),
                None => (*w, None),
            };
            only.push(needs);
            cells.push(match w {
                "-" => None,
                "." if i == 0 => return at.err("`.` has no cell to its left"),
                "." => cells[i - 1].clone(),
                w => Some(read(at, w)?),
            });
        }
        cells.resize_with(self.columns.len(), || None);
        only.resize_with(self.columns.len(), || None);
        if cells.iter().all(Option::is_none) {
            return at.err("no target has this row");
        }
        Ok(Cells { columns: self.columns.clone(), cells, only })
    }

    fn code(&self, at: &Place, args: &[&str]) -> Result<CodeRow> {
        let [name, pair, class, cells @ ..] = args else { return at.err("expected: code NAME PAIR CLASS CELL...") };
        let range = self.cells(at, cells, |at, s| {
            let (a, b) = s.split_once('-').unwrap_or((s, s));
            let (a, b) = (number(at, a)?, number(at, b)?);
            if a > b || b > 511 { at.err(format!("bad code range {s}")) } else { Ok((a as u16, b as u16)) }
        })?;
        Ok(CodeRow {
            at: at.clone(),
            name: name.to_string(),
            pair: (*pair != "-").then(|| pair.to_string()),
            class: class.to_string(),
            range,
        })
    }

    /// `mnemonic | operands | implicit | flags | opcodes`
    fn row(&self, at: &Place, line: &str) -> Result<Row> {
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
        let cells: Vec<&str> = opcodes.split_whitespace().collect();
        let opcode = self.cells(at, &cells, |at, s| {
            let (number_, spelling) = match s.split_once(':') {
                Some((n, spelling)) => (n, Some(spelling.to_string())),
                None => (s, None),
            };
            Ok((up_to(at, number_, 0xffff)? as u16, spelling))
        })?;
        Ok(Row {
            at: at.clone(),
            mnemonic: mnemonic.to_string(),
            tokens,
            reads,
            writes,
            flags: flags.split_whitespace().map(str::to_string).collect(),
            opcode,
        })
    }
}

fn format(at: &Place, args: &[&str]) -> Result<Format> {
    let (name, bits, rest) = match args {
        [n, b, rest @ ..] => (n, number(at, b)?, rest),
        _ => return at.err("expected: format NAME BITS"),
    };
    if ![32, 64, 96, 128].contains(&bits) {
        return at.err(format!("a format has 32, 64, 96 or 128 bits, not {bits}"));
    }
    let (extension, shares) = match rest {
        [] => (false, None),
        ["extension"] => (true, None),
        ["shares", f] => (false, Some(f.to_string())),
        _ => return at.err("expected nothing, `extension` or `shares FORMAT` after the width"),
    };
    Ok(Format {
        at: at.clone(),
        name: name.to_string(),
        bits: bits as u8,
        extension,
        shares,
        about: String::new(),
        source: String::new(),
        suffix: String::new(),
        bare: Vec::new(),
        literal: Vec::new(),
        dual: None,
        reads: Vec::new(),
        extends: Vec::new(),
        replaces: Vec::new(),
        succeeds: None,
        space: None,
        counts: Vec::new(),
        whens: Vec::new(),
        swaps: Vec::new(),
        bus: false,
        defaults: Vec::new(),
        fields: Vec::new(),
        macros: Vec::new(),
        rows: Vec::new(),
    })
}

fn target(at: &Place, args: &[&str]) -> Result<TargetRow> {
    let [name, mach, generation, rest @ ..] = args else {
        return at.err("expected: target NAME MACH GENERATION ALIAS...");
    };
    let Some(bus) = rest.iter().find_map(|s| s.strip_prefix("bus=")) else {
        return at.err(format!("{name} lacks bus=NUMBER"));
    };
    Ok(TargetRow {
        at: at.clone(),
        name: name.to_string(),
        mach: mach.split(',').map(|m| number(at, m)).collect::<Result<_>>()?,
        generation: generation.to_string(),
        like: rest.iter().find_map(|s| s.strip_prefix('=')).map(str::to_string),
        traits: rest.iter().filter_map(|s| s.strip_prefix('+')).map(str::to_string).collect(),
        bus: up_to(at, bus, 8)? as u8,
        aliases: rest.iter().filter(|s| !s.starts_with('+') && !s.contains('=')).map(|s| s.to_string()).collect(),
    })
}

fn kind(at: &Place, args: &[&str]) -> Result<KindRow> {
    let [name, reads_as, add, scale, takes, uses] = args else {
        return at.err("expected: kind NAME AS ADD SCALE TAKES USES");
    };
    let scale = up_to(at, scale, 256)? as u16;
    if !scale.is_power_of_two() {
        return at.err(format!("scale {scale} is no power of two"));
    }
    let list = |s: &str, none: &str| -> Vec<String> {
        if s == none { Vec::new() } else { s.split(',').map(str::to_string).collect() }
    };
    let mut used = Vec::new();
    for u in list(uses, "-") {
        let mut names = u.trim_start_matches(['?', '!', '^']).split('/');
        let name = names.next().unwrap_or("");
        let (field, bit) = match name.split_once('[') {
            Some((f, b)) => (f, Some(up_to(at, b.trim_end_matches(']'), 127)? as u8)),
            None => (name, None),
        };
        let of_base = u.starts_with('^');
        let looked_at = u.starts_with('!') || of_base;
        used.push(Use {
            field: field.to_string(),
            more: names.map(str::to_string).collect(),
            of_base,
            bit,
            optional: looked_at || u.starts_with('?'),
            looked_at,
        });
    }
    Ok(KindRow {
        at: at.clone(),
        name: name.to_string(),
        reads_as: reads_as.to_string(),
        add: up_to(at, add, 511)? as u16,
        scale,
        takes: list(takes, "any"),
        uses: used,
    })
}

/// A number, or a run of numbers `257-271`.
pub fn run(at: &Place, s: &str) -> Result<(u32, u32)> {
    let (a, b) = s.split_once('-').unwrap_or((s, s));
    let (a, b) = (number(at, a)?, number(at, b)?);
    if a > b { at.err(format!("bad range {s}")) } else { Ok((a, b)) }
}

/// A decimal or hexadecimal number.
pub fn number(at: &Place, s: &str) -> Result<u32> {
    let n = match s.strip_prefix("0x") {
        Some(h) => u32::from_str_radix(h, 16),
        None => s.parse(),
    };
    n.map_err(|_| at.error(format!("`{s}` is no number")))
}

/// A number that fits where it is kept.
fn up_to(at: &Place, s: &str, max: u32) -> Result<u32> {
    match number(at, s)? {
        n if n > max => at.err(format!("`{s}` is more than {max}")),
        n => Ok(n),
    }
}

/// `7:0`, `25`, `16~`, `14,60:59` (high part first), `31:30=10`.
pub fn bits(at: &Place, s: &str) -> Result<Bits> {
    let (s, ignored) = match s.strip_suffix('~') {
        Some(s) => (s, true),
        None => (s, false),
    };
    let (range, fixed) = match s.split_once('=') {
        Some((r, v)) => (r, Some(v)),
        None => (s, None),
    };
    let mut pieces = Vec::new();
    for part in range.split(',') {
        let (hi, lo) = part.split_once(':').unwrap_or((part, part));
        let (hi, lo) = (number(at, hi)?, number(at, lo)?);
        if lo > hi || hi > 127 || hi - lo > 31 {
            return at.err(format!("bad bit range `{part}`"));
        }
        let piece = Piece { lsb: lo as u8, width: (hi - lo + 1) as u8 };
        if pieces.iter().any(|p: &Piece| p.lsb < piece.lsb + piece.width && piece.lsb < p.lsb + p.width) {
            return at.err(format!("the pieces of `{s}` overlap"));
        }
        pieces.push(piece);
    }
    pieces.reverse();
    let mut b = Bits { pieces, fixed: None, ignored };
    if let Some(v) = fixed {
        let value = u64::from_str_radix(v, 2).map_err(|_| at.error(format!("`{v}` is no binary number")))?;
        if v.len() != usize::from(b.width()) {
            return at.err(format!("`{v}` has {} digits for {} bits", v.len(), b.width()));
        }
        b.fixed = Some(value);
    }
    Ok(b)
}

fn bit_list(at: &Place, s: &str) -> Result<(String, Option<Vec<u8>>)> {
    let Some((name, list)) = s.split_once('[') else { return Ok((s.to_string(), None)) };
    let Some(list) = list.strip_suffix(']') else { return at.err(format!("`{s}` lacks `]`")) };
    let bits = list.split(',').map(|b| Ok(up_to(at, b, 127)? as u8)).collect::<Result<Vec<_>>>()?;
    Ok((name.to_string(), Some(bits)))
}

fn with_kind(s: &str) -> (String, Option<String>) {
    match s.split_once('.') {
        Some((n, k)) => (n.to_string(), Some(k.to_string())),
        None => (s.to_string(), None),
    }
}

fn token(at: &Place, word: &str) -> Result<Token> {
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
        let (name, kind) = with_kind(left);
        return Ok(Token::Operand { name, kind, access, ty: ty.to_string(), on_return });
    }
    let (rest, bits) = bit_list(at, word)?;
    let (name, kind) = with_kind(&rest);
    if kind.is_none() && bits.is_none() {
        return Ok(Token::Word(name));
    }
    Ok(Token::Modifier { name, kind, bits })
}
