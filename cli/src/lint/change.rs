//! `--fix` and `--trim`: writes a file with the changes.

use std::borrow::Cow;
use std::io::{self, Write};

use amdgpu_lint::edits::{Edits, Now};
use amdgpu_lint::plan;
use amdgpu_object::{Image, Name, Part, Section, SymbolKind};

use super::jumps::Jumps;
use super::{Args, branches, check};
use crate::error::{Error, Result};
use crate::isa::flow::Flow;
use crate::isa::hazards::Hazards;
use crate::isa::{Counter, Target};
use crate::{dis, escape};

/// What is planned for a section's functions, and by which rules.
struct Plan {
    start: fn(Target) -> Hazards,
    of: fn(&Flow<'_>, u64, &dyn Fn(usize) -> Now, &mut Edits),
}

const FIX: Plan = Plan { start: Hazards::new, of: plan::fix };
/// Where sources disagree about a distance, nothing is taken away.
const TRIM: Plan = Plan { start: Hazards::strict, of: plan::trim };

/// What the options ask for: the bytes with the changes, which are written, or those of the file.
pub fn change<'b>(args: &Args, name: &str, bytes: &'b [u8]) -> Result<Cow<'b, [u8]>> {
    let mut changed = Cow::Borrowed(bytes);
    let steps = [(args.fix, &FIX), (args.trim, &TRIM)];
    for (_, plan) in steps.into_iter().filter(|(is_asked, _)| *is_asked) {
        if let Some(new) = once(args, name, &changed, plan)? {
            changed = Cow::Owned(new);
        }
    }
    if let Some(path) = args.output.as_ref().filter(|_| args.fix || args.trim) {
        if path.as_os_str() == "-" {
            let mut stdout = io::stdout().lock();
            stdout.write_all(&changed)?;
            stdout.flush()?;
        } else {
            let shown = escape::path(path);
            std::fs::write(path, &changed).map_err(|e| Error::input(format!("cannot write {shown}: {e}")))?;
        }
    }
    Ok(changed)
}

/// The bytes with the changes of one plan; `None` if there are none.
fn once(args: &Args, name: &str, bytes: &[u8], plan: &Plan) -> Result<Option<Vec<u8>>> {
    let mut edits = Edits::default();
    let new = match (&args.target, args.raw) {
        (Some(selection), true) => {
            let section = Section::new(Name::from("(raw)"), args.base, bytes);
            let jump = sections(&[section], selection.target, plan, &mut edits)?;
            let new =
                edits.apply(selection.target, bytes, args.base).map_err(|error| Error::input(error.to_string()))?;
            leads_nowhere_new(args, jump)?;
            new
        }
        _ => {
            let (mut new, mut passed) = (None, String::new());
            amdgpu_object::visit(bytes, args.max_unpacked, |part| match part {
                Part::Image(image) if image.label.is_empty() => {
                    new = Some(image_of(args, &image, plan, &mut edits)?);
                    Ok(())
                }
                Part::Damaged(error) => Err(error.into()),
                Part::Image(image) => match dis::target_of(&image, args.target.as_ref()) {
                    Ok(_) => Err(in_container(image.label)),
                    Err(reason) => {
                        passed = dis::about(image.label, &reason);
                        Ok(())
                    }
                },
                Part::Skipped { label, reason } => {
                    passed = dis::about(label, &reason);
                    Ok(())
                }
                _ => Ok(()),
            })?;
            if new.is_none() && !passed.is_empty() {
                return Err(Error::input(format!("{name}: nothing to change: {passed}")));
            }
            new.unwrap_or_default()
        }
    };
    if edits.is_empty() {
        return Ok(None);
    }
    let (inserted, changed, gone) = edits.counts();
    let _ = writeln!(anstream::stderr(), "{name}: {inserted} inserted, {changed} changed, {gone} taken away");
    Ok(Some(new))
}

/// What is to be done with a code object that is part of another file.
fn in_container(label: &str) -> Error {
    let label = escape::name(label.as_bytes());
    Error::input(format!(
        "only a code object by itself can be changed, not one in a container: take {label} out first, out of a bundle with \
         `clang-offload-bundler --unbundle --type=o --targets=...`, out of an archive with `ar x`, out of a program with \
         `llvm-objdump --offloading`"
    ))
}

/// The code object with the changes that are planned.
fn image_of(args: &Args, image: &Image<'_>, plan: &Plan, edits: &mut Edits) -> Result<Vec<u8>> {
    let target = dis::target_of(image, args.target.as_ref()).map_err(|error| Error::input(error.to_string()))?;
    let is_linked = image.sections.iter().all(|section| section.address != 0);
    if !is_linked {
        return Err(Error::input(amdgpu_program::Error::Relocatable.to_string()));
    }
    let jump = sections(&image.sections, target, plan, edits)?;
    let new = amdgpu_program::rewrite(image, target, edits).map_err(|error| Error::input(error.to_string()))?;
    leads_nowhere_new(args, jump)?;
    let is_proved = amdgpu_program::validate(image.bytes, &new, target, amdgpu_lint::mend::is_neutral);
    is_proved.map_err(|why| {
        Error::input(format!("the changes cannot be proved to keep the program, so nothing is written: {why}"))
    })?;
    Ok(new)
}

/// Refuses changes that move code which a jump with an unknown target may reach, unless the user vouches for it.
fn leads_nowhere_new(args: &Args, jump: Option<u64>) -> Result<()> {
    match jump.filter(|_| !args.trust_jumps) {
        Some(at) => Err(Error::input(format!(
            "it is not known where the jump at {at:#x} leads, and code that it may lead to would move; --trust-jumps says that \
             nothing points into that code but branches and relocations"
        ))),
        None => Ok(()),
    }
}

/// Plans the changes of sections. Returns the address of a jump that may lead to code that moves.
fn sections(sections: &[Section<'_>], target: Target, plan: &Plan, edits: &mut Edits) -> Result<Option<u64>> {
    let mut all = Vec::new();
    for section in sections {
        let functions = check::functions(section);
        let mut jumps = Jumps::default();
        check::flows(section, target, &functions, &mut |flow| {
            let first = |block| {
                let (pending, hazards, is_called) = check::entry(flow, &functions, block, (plan.start)(flow.target()));
                Now { pending, hazards, memory: [is_called; Counter::ALL.len()] }
            };
            (plan.of)(flow, section.address, &first, edits);
            branches::mend(flow, edits);
            jumps.add(flow, &functions);
            Ok(())
        })?;
        for kernel in functions.iter().filter(|symbol| symbol.kind == SymbolKind::Kernel) {
            edits.keep(kernel.address, padding(section, kernel.address));
        }
        all.push((section, jumps));
    }
    let first = |(section, jumps): &(&Section<'_>, Jumps)| jumps.first_unknown(section, target, edits);
    Ok(all.iter().find_map(first).filter(|_| !edits.is_empty()))
}

/// How many bytes in front of a kernel are the same dword, up to a symbol.
fn padding(section: &Section<'_>, address: u64) -> u64 {
    let at = usize::try_from(address - section.address).unwrap_or(0);
    let before = section.symbols.iter().rev().find(|symbol| symbol.address < address);
    let room = before.map_or(0, |symbol| address - symbol.address);
    let words = section.bytes.get(..at).unwrap_or(&[]).rchunks_exact(4);
    let same = words.clone().take_while(|word| Some(*word) == words.clone().next()).count();
    // The first of them may be the end of a kernel.
    (same.saturating_sub(1) as u64 * 4).min(room)
}
