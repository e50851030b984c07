//! `--rules`: the list of the rules, and of the subjects that are not checked.

use std::fmt::Write as _;
use std::io::{self, Write};

use amdgpu_lint::check::Severity;
use amdgpu_lint::rules::{self, RuleInfo, Unchecked};
use amdgpu_object::Part;
use serde_json::json;

use super::{Args, Format, input, source};
use crate::dis;
use crate::error::{Error, Result};
use crate::isa::Target;
use crate::out::{BOLD, DIM, LABEL, NAME, Out, RED};

/// Lists the rules for the targets of the files, for that of `--target`, or for all targets.
pub fn run(args: &Args, color: bool, color_of_errors: bool) -> Result<()> {
    let format = args.format();
    if format == Format::Sarif {
        return Err(Error::Usage("--rules prints text, or with --json an object for each rule".into()));
    }
    let mut targets: Vec<Target> = Vec::new();
    if args.files.is_empty() || args.raw {
        targets.extend(args.target.as_ref().map(|selection| selection.target));
    } else {
        for path in &args.files {
            let (name, bytes) = input(path)?;
            of_file(args, &name, bytes, color_of_errors, &mut targets)?;
        }
    }
    targets.sort_unstable();
    targets.dedup();
    let mut out = Out::new(io::stdout(), color && format == Format::Text);
    let lists: Vec<(Option<Target>, Vec<RuleInfo>)> = match &targets[..] {
        [] if args.files.is_empty() => vec![(None, rules::every())],
        [] => return Err(Error::input("no file has code for a known target")),
        targets => targets.iter().map(|target| (Some(*target), rules::all(*target))).collect(),
    };
    for (number, (target, list)) in lists.iter().enumerate() {
        let list = list.iter().filter(|rule| args.strict || !rule.is_strict);
        match format {
            Format::Json => list.clone().try_for_each(|rule| json_rule(&mut out, *target, rule))?,
            _ => {
                out.styled(BOLD, &target.map_or("all targets".into(), |target| format!("{target}")));
                let _ = write!(out, ": {} rules", list.clone().count());
                out.line()?;
                list.clone().try_for_each(|rule| text_rule(&mut out, rule))?;
            }
        }
        let open: Vec<Unchecked> =
            target.map_or_else(|| rules::every_unchecked().collect(), |target| rules::unchecked(target).collect());
        unchecked(&mut out, format, *target, &open)?;
        if format == Format::Text && number + 1 < lists.len() {
            out.newline();
        }
    }
    Ok(out.flush()?)
}

/// Lists what is not checked in code for a target.
fn unchecked(out: &mut Out<impl Write>, format: Format, target: Option<Target>, open: &[Unchecked]) -> io::Result<()> {
    if format == Format::Text {
        out.newline();
        out.styled(BOLD, "not checked");
        out.line()?;
    }
    for Unchecked { id, what, .. } in open {
        if format == Format::Json {
            let target = target.map(|target| target.name());
            crate::json::write(&mut out.buf, &json!({ "unchecked": what, "id": id, "target": target }))?;
        } else {
            let _ = match id {
                Some(id) => write!(out, "  {id}: {what}"),
                None => write!(out, "  {what}"),
            };
        }
        out.line()?;
    }
    Ok(())
}

fn of_file(args: &Args, name: &str, bytes: Vec<u8>, color: bool, targets: &mut Vec<Target>) -> Result<()> {
    let bytes = match source::assemble(args, name, &bytes, color)? {
        Some(assembled) => assembled.bytes,
        None => bytes,
    };
    dis::visit(args.scan, &bytes, args.max_unpacked, |part| {
        if let Part::Image(image) = part {
            targets.extend(dis::target_of(&image, args.target.as_ref()).ok());
        }
        Ok::<(), Error>(())
    })
    .map_err(|error| error.within(name))
}

fn text_rule(out: &mut Out<impl Write>, rule: &RuleInfo) -> io::Result<()> {
    let style = match rule.severity {
        Severity::Error => RED,
        Severity::Warning => LABEL,
        Severity::Hint => BOLD,
    };
    out.newline();
    out.styled(style, &format!("{}[{}]", rule.severity, rule.id));
    let _ = write!(out, ": {}", rule.title);
    if let Some(needs) = rule.needs() {
        let _ = write!(out, " ({needs})");
    }
    out.line()?;
    let _ = write!(out, "  {}", rule.text);
    out.line()?;
    if !rule.ends().is_empty() {
        out.styled(NAME, &format!("  ended by: {}", rule.ends()));
        out.line()?;
    }
    for source in &rule.sources {
        out.styled(DIM, &format!("  source: {source}"));
        out.line()?;
    }
    Ok(())
}

fn json_rule(out: &mut Out<impl Write>, target: Option<Target>, rule: &RuleInfo) -> io::Result<()> {
    let unit = rule.hazard.map(|hazard| format!("{:?}", hazard.unit()).to_lowercase());
    let value = json!({
        "id": rule.id, "target": target.map(|target| target.name()), "severity": rule.severity.name(), "title": rule.title,
        "text": rule.text, "help": rule.help, "needs": rule.needs(), "unit": unit, "distance": rule.distance.map(|distance| distance.to_string()), "is_strict": rule.is_strict,
        "ends": rule.ends(), "sources": rule.sources,
        "certainty": rule.hazard.map(|hazard| format!("{:?}", hazard.certainty()).to_lowercase()),
    });
    crate::json::write(&mut out.buf, &value)?;
    out.line()
}
