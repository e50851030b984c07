//! `docs/manual-errata.md`: its tables list the allowed differences, and each of their lines shows its bytes.

use amdgpu_isa::{DecodeError, Field, Inst, Target, decode};

use super::table::{Op, space};

const PATH: &str = "docs/manual-errata.md";
const PAGE: &str = include_str!("../../docs/manual-errata.md");

/// The headings of the tables of manuals.
const COUNTS: &str = "manual, target, its rows, by a rule, rows here, the same";
const DIFFERENCES: &str = "manuals, place, in the manual, here, rows, bytes, decoded";
const OTHERS: &str = "manuals, place, in the manual, true, bytes, decoded";

/// The heading of the table of what the CDNA5 manual reserves.
const RESERVED: &str = "format, reserved, LLVM 22, here, bytes, decoded";

/// One side of a difference.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Side {
    /// `-`: the side has no such row.
    Nothing,
    /// A row, such as `VOP3P 32 v_fma_mix_f32`.
    Row(Op),
    /// `VOP3 384 + VOP1`: all rows of the second format, whose numbers in the first format are greater by this number.
    Shifted { to: &'static str, add: u16, from: &'static str },
}

impl Side {
    fn read(cell: &'static str) -> Result<Side, String> {
        let words: Vec<&str> = cell.split(' ').collect();
        let number = |n: &str| n.parse::<u16>().map_err(|_| format!("`{n}` is not a number"));
        Ok(match words[..] {
            ["-"] => Side::Nothing,
            [format, n, name] => Side::Row((format, number(n)?, name)),
            [to, n, "+", from] => Side::Shifted { to, add: number(n)?, from },
            _ => return Err(format!("`{cell}` is no row")),
        })
    }
}

/// A line of a table.
pub struct Line {
    pub at: String,
    /// The heading that applies to all lines below it.
    pub section: &'static str,
    pub manuals: Vec<&'static str>,
    pub place: &'static str,
    pub bytes: &'static str,
    pub decoded: &'static str,
    pub kind: Kind,
}

pub enum Kind {
    /// The line explains this number of differences between a manual's tables and this library's.
    Difference { manual: Side, here: Side, rows: usize },
    /// The line is about statements outside of the opcode tables, or shows more about a difference: only its bytes can
    /// be checked.
    Other,
}

/// How this library treats what the manual reserves.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Here {
    /// The word decodes as it does without the bits, and the instruction keeps the bits.
    Ignored,
    /// The word does not decode.
    Refused,
    /// The text shows the value.
    Taken,
    /// The word decodes, and `Inst::check` refuses it.
    Checked,
}

/// A line about what the manual of CDNA5 reserves.
pub struct Reserved {
    pub at: String,
    pub formats: Vec<&'static str>,
    /// The bits or the codes; none for values of a field.
    pub numbers: Vec<u16>,
    pub here: Here,
    bytes: &'static str,
    decoded: &'static str,
}

impl Reserved {
    fn read(at: String, cells: &[&'static str; 6]) -> Result<Reserved, String> {
        let [formats, reserved, llvm, here, bytes, decoded] = *cells;
        let here = match here {
            "ignored" => Here::Ignored,
            "refused" => Here::Refused,
            "taken" => Here::Taken,
            "checked" => Here::Checked,
            other => return Err(format!("`{other}` is no decision")),
        };
        if !["takes", "refuses"].contains(&llvm) {
            return Err(format!("LLVM 22 `{llvm}`"));
        }
        let numbers = match reserved.split_once(' ') {
            Some(("bit" | "bits" | "code" | "codes", list)) => numbers(list)?,
            _ => Vec::new(),
        };
        Ok(Reserved { at, formats: formats.split(", ").collect(), numbers, here, bytes, decoded })
    }

    /// Checks that the bytes are decoded as the line says.
    pub fn check(&self, target: Target) -> Result<(), String> {
        let found = decode_line(target, self.bytes, self.decoded).map_err(|e| format!("{}: {e}", self.at))?;
        let is_as_said = match (&found, self.here) {
            (Err(_), Here::Refused) => true,
            (Ok(inst), Here::Checked) => inst.check().is_err(),
            (Ok(inst), Here::Taken) => inst.check().is_ok() && inst.is_canonical(),
            (Ok(inst), Here::Ignored) => !inst.is_canonical(),
            _ => false,
        };
        if is_as_said { Ok(()) } else { Err(format!("{}: it is not {:?}", self.at, self.here)) }
    }
}

/// The numbers of `8, 9, 12 to 15`.
fn numbers(list: &str) -> Result<Vec<u16>, String> {
    let mut all = Vec::new();
    for range in list.split(", ") {
        let (first, last) = range.split_once(" to ").unwrap_or((range, range));
        let number = |n: &str| n.parse::<u16>().map_err(|_| format!("`{n}` is not a number"));
        all.extend(number(first)?..=number(last)?);
    }
    Ok(all)
}

pub struct Page {
    pub lines: Vec<Line>,
    pub reserved: Vec<Reserved>,
    /// The lines of the first table: the location of each, and its cells.
    pub counts: Vec<(String, Vec<&'static str>)>,
}

impl Page {
    pub fn read() -> Result<Page, String> {
        let mut page = Page { lines: Vec::new(), reserved: Vec::new(), counts: Vec::new() };
        let (mut section, mut heading) = ("", String::new());
        for (n, line) in PAGE.lines().enumerate() {
            if let Some(name) = line.strip_prefix("## ") {
                section = name;
            }
            let Some(inside) = line.strip_prefix('|').and_then(|l| l.strip_suffix('|')) else {
                heading.clear();
                continue;
            };
            let at = format!("{PATH}:{}", n + 1);
            let cells: Vec<&str> = inside.split('|').map(str::trim).collect();
            if heading.is_empty() {
                heading = cells.join(", ");
            } else if !cells[0].starts_with("---") {
                page.add(at.clone(), section, &heading, cells).map_err(|e| format!("{at}: {e}"))?;
            }
        }
        Ok(page)
    }

    fn add(
        &mut self,
        at: String,
        section: &'static str,
        heading: &str,
        cells: Vec<&'static str>,
    ) -> Result<(), String> {
        let (kind, manuals, place, bytes, decoded) = match (heading, &cells[..]) {
            (COUNTS, [..]) if cells.len() == 6 => {
                self.counts.push((at, cells));
                return Ok(());
            }
            (RESERVED, [..]) => {
                let cells = &cells.try_into().map_err(|_| "not six cells")?;
                self.reserved.push(Reserved::read(at, cells)?);
                return Ok(());
            }
            (DIFFERENCES, [manuals, place, manual, here, rows, bytes, decoded]) => {
                let rows = rows.parse().map_err(|_| format!("`{rows}` is not a number"))?;
                let kind = Kind::Difference { manual: Side::read(manual)?, here: Side::read(here)?, rows };
                (kind, manuals, place, bytes, decoded)
            }
            (OTHERS, [manuals, place, _, _, bytes, decoded]) => (Kind::Other, manuals, place, bytes, decoded),
            _ => return Err(format!("the table `{heading}` has no line of {} cells", cells.len())),
        };
        let manuals = manuals.split(", ").collect();
        self.lines.push(Line { at, section, manuals, place, bytes, decoded, kind });
        Ok(())
    }
}

impl Line {
    /// Whether the line belongs in the section of the page that contains it.
    pub fn belongs(&self) -> bool {
        let Kind::Difference { manual, here, rows } = &self.kind else { return true };
        let one = *rows == 1;
        match (self.section, manual, here) {
            ("Other numbers", Side::Shifted { to, from, add }, Side::Shifted { to: t, from: f, add: a }) => {
                to == t && from == f && add != a
            }
            ("Other names", Side::Row((f, n, name)), Side::Row((format, number, other))) => {
                one && f == format && n == number && name != other
            }
            ("Left out by the manual", Side::Nothing, Side::Row(_)) => one,
            ("In the manual alone", Side::Row(_), Side::Nothing) => one,
            _ => false,
        }
    }

    /// The decoded bytes; an error if the last cell of the line disagrees.
    pub fn decode(&self, target: Target) -> Result<Result<Inst, DecodeError>, String> {
        decode_line(target, self.bytes, self.decoded)
    }
}

fn decode_line(target: Target, bytes: &str, decoded: &str) -> Result<Result<Inst, DecodeError>, String> {
    let hex = bytes.trim_matches('`');
    let byte = |i| hex.get(i..i + 2).and_then(|b| u8::from_str_radix(b, 16).ok()).ok_or("the bytes are no hex");
    let bytes = (0..hex.len()).step_by(2).map(byte).collect::<Result<Vec<u8>, _>>()?;
    let found = decode(target, &bytes);
    let text = match &found {
        Ok(inst) if inst.len() != bytes.len() => return Err(format!("{} bytes of {}", inst.len(), bytes.len())),
        Ok(inst) => format!("`{inst}`"),
        Err(e) => format!("refuses: {e}"),
    };
    if text == decoded { Ok(found) } else { Err(format!("{target} decodes the bytes to | {text} |")) }
}

/// Whether the bytes have a row's format and number.
pub fn are_about(found: &Result<Inst, DecodeError>, target: Target, format: &str, number: u16) -> bool {
    match found {
        // For an instruction of two operations, the operation in the row's half counts.
        Ok(inst) if format.starts_with("VOPD") => {
            let name = format.trim_end_matches(['X', 'Y']);
            let half = if format.ends_with('X') { Field::Opx } else { Field::Opy };
            inst.format().name() == name && inst.get(half) == Some(number.into())
        }
        Ok(inst) => {
            let mut all = inst.opcode().encodings(target);
            all.any(|e| e.format == inst.format() && space(e.format.name()) == format && e.number == number)
        }
        Err(DecodeError::UnknownOpcode { format: f, opcode }) => space(f.name()) == format && *opcode == number,
        Err(_) => false,
    }
}
