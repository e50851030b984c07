//! `docs/llvm-differences.md` is true: LLVM, its assembler and this library confirm every line of its tables.
//!
//! The assembler is `llvm-mc-22`, from the Debian package `llvm-22`.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::ours;
use amdgpu_isa::Target;
use amdgpu_llvm::{Answer, Case, Classes, Oracle, Ours, USUAL, Verdict, Word, disassembles, features, hex, version};

const PAGE: &str = include_str!("../../docs/llvm-differences.md");

/// The headings of the tables. `assembled` has the bytes of LLVM's text, or of the library's if LLVM has none;
/// `versions` are the versions of LLVM that give this text.
const COLUMNS: [&str; 6] = ["target", "bytes", "this library", "LLVM", "assembled", "versions"];

/// The page with the table of what the manual of CDNA5 reserves, and the heading of this table.
const ERRATA: &str = include_str!("../../docs/manual-errata.md");
const RESERVED: [&str; 6] = ["format", "reserved", "LLVM 22", "here", "bytes", "decoded"];

/// A line of a table, as written in the page.
struct Row<'a> {
    number: usize,
    section: &'a str,
    cells: [&'a str; 6],
}

impl Row<'_> {
    fn has(&self, version: u32) -> bool {
        self.cells[5].split(", ").any(|v| v == version.to_string())
    }
}

/// The cells of a line. Bars inside a cell are written `\|`.
fn split(line: &str) -> Vec<&str> {
    let bars = line.match_indices('|').map(|(at, _)| at).filter(|&at| !line[..at].ends_with('\\'));
    let (mut cells, mut start) = (Vec::new(), 0);
    for at in bars.chain([line.len()]) {
        cells.push(line[start..at].trim());
        start = at + 1;
    }
    cells
}

fn rows() -> Result<Vec<Row<'static>>, String> {
    let (mut section, mut rows) = ("", Vec::new());
    for (n, line) in PAGE.lines().enumerate() {
        section = line.strip_prefix("## ").unwrap_or(section);
        let Some(inside) = line.strip_prefix('|').and_then(|l| l.strip_suffix('|')) else { continue };
        let cells = split(inside);
        let at = format!("docs/llvm-differences.md:{}", n + 1);
        let cells: [&str; 6] = cells.try_into().map_err(|_| format!("{at}: not six columns"))?;
        if cells != COLUMNS && !cells[0].starts_with("---") {
            rows.push(Row { number: n + 1, section, cells });
        }
    }
    Ok(rows)
}

/// The texts that a line should have, computed from the bytes alone.
fn current(row: &Row, target: Target, classes: &Classes) -> Result<[String; 3], String> {
    let [_, bytes, ..] = row.cells;
    let word = Word::from_hex(bytes.trim_matches('`')).ok_or("the bytes are no hex")?;
    let answer = Oracle::start(target)?.ask(&[word]).remove(0);
    let case = Case::new(target, word, answer, version());
    // The page is about differences, all of which are in the reviewed list.
    if !matches!(classes.judge(&case), Verdict::Class(_)) {
        return Err("this is in no class of crates/llvm/src/differences.txt".into());
    }
    let ours = match &case.ours {
        Ours::Inst { text, .. } => format!("`{text}`"),
        Ours::Refused(reason) => format!("refuses: {reason}"),
    };
    let llvm = match (&case.llvm, &case.ours) {
        (Answer::Text { len, text, .. }, Ours::Inst { len: ours, .. }) if len != ours => {
            format!("`{text}`, {len} bytes of {ours}")
        }
        (Answer::Text { text, .. }, _) => format!("`{text}`"),
        (Answer::Reject, _) => "refuses".into(),
        (Answer::Crash, _) => "crashes".into(),
    };
    // The text is LLVM's, or the library's if LLVM has none. The assembler is that of LLVM 22.
    let assembled = match (&case.llvm, &case.ours) {
        _ if !disassembles(USUAL, target) => "-".into(),
        (Answer::Text { text, .. }, _) | (_, Ours::Inst { text, .. }) => assemble(target, text)?,
        _ => "-".into(),
    };
    Ok([ours, llvm, assembled].map(|cell| cell.replace('|', "\\|")))
}

/// The bytes that the assembler makes of a text, or its message.
fn assemble(target: Target, text: &str) -> Result<String, String> {
    let mut child = Command::new("llvm-mc-22")
        .args(["--triple=amdgcn-amd-amdhsa", "--show-encoding", "--mcpu", target.processor()])
        .arg(format!("--mattr={}", features(target)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| format!("llvm-mc-22: {e}; install the Debian package llvm-22"))?;
    let mut stdin = child.stdin.take().expect("piped");
    stdin.write_all(text.as_bytes()).and_then(|()| stdin.write_all(b"\n")).map_err(|e| e.to_string())?;
    drop(stdin);
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if let Some((_, message)) = err.lines().find_map(|line| line.split_once("error: ")) {
        return Ok(format!("error: {message}"));
    }
    let (_, list) = out.split_once("encoding: [").ok_or(format!("llvm-mc-22 says {out} {err}"))?;
    let bytes = list.split(']').next().unwrap_or_default().split(',');
    let bytes: Result<Vec<u8>, _> = bytes.map(|b| u8::from_str_radix(b.trim_start_matches("0x"), 16)).collect();
    Ok(format!("`{}`", hex(&bytes.map_err(|e| format!("{list}: {e}"))?)))
}

/// Whether a line belongs in the section of the page that contains it.
fn belongs(row: &Row) -> Result<bool, String> {
    let [_, bytes, ours, llvm, assembled, _] = row.cells;
    let refused = ours.starts_with("refuses");
    Ok(match row.section {
        "Crashes" => llvm == "crashes",
        "Accepts what is reserved" => refused && llvm.starts_with('`'),
        "Misprints" => !refused && llvm.starts_with('`') && llvm != ours && assembled != bytes,
        "Refuses what is good" => !refused && llvm == "refuses",
        other => return Err(format!("no section is called {other}")),
    })
}

pub fn is_true(classes: &Classes) -> Result<String, String> {
    let (rows, known) = (rows()?, ours::known());
    let version = version();
    let (mut wrong, mut lines, mut others) = (Vec::new(), 0, 0);
    for row in &rows {
        let at = format!("docs/llvm-differences.md:{}", row.number);
        let [name, bytes, .., versions] = row.cells;
        let Some(target) = known.iter().find(|target| target.name() == name) else {
            if row.has(version) || row.has(USUAL) || !row.has(23) {
                wrong.push(format!("{at}: LLVM {version} knows no {name}"));
            }
            others += 1;
            continue;
        };
        let is_here = row.has(version);
        (lines, others) = (lines + usize::from(is_here), others + usize::from(!is_here));
        match current(row, *target, classes) {
            Ok(cells) if !is_here && cells[..] == row.cells[2..5] => {
                wrong.push(format!("{at}: LLVM {version} has it, too"));
            }
            _ if !is_here => {}
            Err(e) => wrong.push(format!("{at}: {e}")),
            Ok(cells) if cells != row.cells[2..5] => {
                let line = format!("| {name} | {bytes} | {} | {versions} |", cells.join(" | "));
                wrong.push(format!("{at}: should be\n{line}"));
            }
            Ok(_) if !belongs(row)? => wrong.push(format!("{at}: does not belong to {}", row.section)),
            Ok(_) => {}
        }
    }
    if lines < 20 {
        wrong.push(format!("only {lines} lines"));
    }
    if wrong.is_empty() { Ok(format!("{lines} lines, {others} of other versions")) } else { Err(wrong.join("\n")) }
}

/// Checks that LLVM 22 takes or refuses what the manual of CDNA5 reserves, as `docs/manual-errata.md` says.
/// `tests/manuals` checks the other cells.
pub fn reserved_is_true() -> Result<String, String> {
    let (mut inside, mut lines) = (false, Vec::new());
    for line in ERRATA.lines() {
        let cells = line.strip_prefix('|').and_then(|l| l.strip_suffix('|')).map(split).unwrap_or_default();
        inside = cells == RESERVED || inside && !cells.is_empty();
        if inside && cells != RESERVED && !cells[0].starts_with("---") {
            lines.push(cells);
        }
    }
    let word = |cells: &Vec<&str>| Word::from_hex(cells[4].trim_matches('`')).ok_or(format!("{}: no hex", cells[4]));
    let words = lines.iter().map(word).collect::<Result<Vec<Word>, _>>()?;
    let answers = Oracle::start("gfx1250".parse().map_err(|e| format!("{e}"))?)?.ask(&words);
    let mut wrong = Vec::new();
    for (cells, answer) in lines.iter().zip(answers) {
        let takes = if matches!(answer, Answer::Text { .. }) { "takes" } else { "refuses" };
        if cells[2] != takes {
            wrong.push(format!("docs/manual-errata.md: LLVM 22 {takes} {}: {answer:?}", cells[4]));
        }
    }
    if lines.len() < 20 {
        wrong.push(format!("only {} lines", lines.len()));
    }
    if wrong.is_empty() { Ok(format!("{} lines", lines.len())) } else { Err(wrong.join("\n")) }
}
