//! `isa`: prints all tables of a target, as text or as JSON.

use std::io;

use serde::Serialize;

use crate::error::Result;
use crate::isa::Target;
use crate::isa::tables::{Form, Operand, Operation, Tables, tables};
use crate::out::{self, Out};

/// Print the tables: every operation with its number, operands, modifiers, implicit registers and flags
///
/// Each operand has its field, its access (r, w, rw), its type, and the values that it accepts; `f32x16` is 16 floats,
/// and other fields determine the width of `b32-64`. With --json also the formats with the bits of their fields, the
/// meanings of operand codes, and the names of the values of fields; docs/isa-json.md describes it.
#[derive(clap::Args)]
pub struct Args {
    /// Only this target, such as gfx942; may be repeated
    #[arg(long, value_parser = crate::dis::target)]
    target: Vec<Target>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// The version of the schema. It increases with every change that breaks readers.
const SCHEMA: u32 = 1;

#[derive(Serialize)]
struct Document {
    schema: u32,
    version: &'static str,
    targets: Vec<Tables>,
}

pub fn run(args: &Args, color: bool) -> Result<()> {
    let mut targets = if args.target.is_empty() { Target::ALL.to_vec() } else { args.target.clone() };
    targets.sort_unstable();
    targets.dedup();
    let mut out = Out::new(io::stdout().lock(), color && !args.json);
    if args.json {
        let targets = targets.into_iter().map(tables).collect();
        let document = Document { schema: SCHEMA, version: env!("CARGO_PKG_VERSION"), targets };
        serde_json::to_writer(&mut out.buf, &document).map_err(io::Error::from)?;
        out.line()?;
    } else {
        for (n, target) in targets.into_iter().enumerate() {
            if n > 0 {
                out.line()?;
            }
            listing(&mut out, &tables(target))?;
        }
    }
    Ok(out.flush()?)
}

fn listing<W: io::Write>(out: &mut Out<W>, tables: &Tables) -> io::Result<()> {
    out.styled(out::BOLD, &format!("{} ({})", tables.name, tables.generation));
    out.line()?;
    for operation in &tables.operations {
        out.line()?;
        self::operation(out, operation)?;
    }
    Ok(())
}

fn operation<W: io::Write>(out: &mut Out<W>, operation: &Operation) -> io::Result<()> {
    let Operation { name, mnemonic, format, number, .. } = operation;
    out.styled(out::NAME, mnemonic);
    out.str(&format!("  {format} {number}"));
    if mnemonic != name {
        out.str(&format!("  ({name})"));
    }
    out.line()?;
    if let Some(meaning) = &operation.meaning {
        out.styled(out::DIM, "  computes  ");
        out.str(&format!("  {}", amdgpu_explain::plain(meaning.text)));
        out.line()?;
    }
    for form in &operation.forms {
        if let Some(extension) = form.extension {
            out.styled(out::LABEL, &format!("  with {extension}"));
            out.line()?;
        }
        self::form(out, form)?;
    }
    Ok(())
}

fn form<W: io::Write>(out: &mut Out<W>, form: &Form) -> io::Result<()> {
    for operand in &form.operands {
        let Operand { field, access, takes, .. } = operand;
        let mut line = format!("  {field:8} {access:2}  {:11}  {}", width(operand), takes.join(" "));
        if let Some(imm) = &operand.immediate {
            line += &format!(" ({} {} to {})", imm.kind, imm.min, imm.max);
        }
        if let Some(field) = operand.returned {
            line += &format!(", written if {field}");
        }
        if operand.optional {
            line += ", optional";
        }
        out.str(&line);
        out.line()?;
    }
    let modifiers = form.modifiers.iter().map(|m| m.field.to_string());
    let implicit = form.implicit.iter().map(|i| {
        let when = i.when.map(|field| format!(" if {field}")).unwrap_or_default();
        format!("{} {}{when}", i.access, i.register)
    });
    let lines: [(&str, Vec<String>); 3] = [
        ("modifiers", modifiers.collect()),
        ("implicit", implicit.collect()),
        ("flags", form.flags.iter().map(|flag| flag.to_string()).collect()),
    ];
    for (about, list) in lines.iter().filter(|(_, list)| !list.is_empty()) {
        out.styled(out::DIM, &format!("  {about:10}"));
        out.str(&format!("  {}", list.join(", ")));
        out.line()?;
    }
    Ok(())
}

/// The type with its width: `f32`, `f32x16`, `b64`; `b32-64` for bits with a least and a greatest width.
fn width(operand: &Operand) -> String {
    let Operand { ty, count, bits, most_bits, .. } = operand;
    let most = if bits == most_bits { String::new() } else { format!("-{most_bits}") };
    match (*ty, count) {
        ("b", _) => format!("b{bits}{most}"),
        (ty, 1) => ty.to_string(),
        (ty, count) => format!("{ty}x{count}"),
    }
}
