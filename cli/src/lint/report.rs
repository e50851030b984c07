//! Findings as text, and as lines of JSON.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::check::{Finding, Severity};
use crate::escape;
use crate::out::{BOLD, DIM, LABEL, NAME, Out, RED};

pub fn text(out: &mut Out<impl Write>, finding: &Finding) -> io::Result<()> {
    let (style, severity) = match finding.severity {
        Severity::Error => (RED, "error"),
        Severity::Warning => (LABEL, "warning"),
        Severity::Hint => (BOLD, "hint"),
    };
    out.begin(style);
    let _ = write!(out, "{severity}[{}]:", finding.rule);
    out.end(style);
    let _ = write!(out, " {}", finding.message);
    out.line()?;
    let Finding { address, target, instruction, .. } = finding;
    let _ = write!(out, "  {address:012X}  {instruction}");
    let shown = |name: &str| escape::name(name.as_bytes()).into_owned();
    let image = if finding.image.is_empty() { String::new() } else { shown(&finding.image) + ", " };
    let (function, section) = (shown(&finding.function), shown(&finding.section));
    out.styled(NAME, &format!("    // {function} ({image}{target}, {section})"));
    out.line()?;
    if let Some(producer) = &finding.producer {
        let _ = write!(out, "  {:012X}  {}", producer.address, producer.instruction);
        out.styled(NAME, "    // what it depends on");
        out.line()?;
    }
    if !finding.path.is_empty() {
        let path: Vec<String> = finding.path.iter().map(|address| format!("{address:X}")).collect();
        out.styled(DIM, &format!("  by way of {}", path.join(", ")));
        out.line()?;
    }
    if !finding.source.is_empty() {
        out.styled(DIM, &format!("  source: {}", finding.source));
        out.line()?;
    }
    Ok(())
}

pub fn json(out: &mut Out<impl Write>, finding: &Finding) -> io::Result<()> {
    crate::json::write(&mut out.buf, finding)?;
    out.line()
}
