//! `--fix` and `--trim`: writes a file with the changes.

use std::borrow::Cow;
use std::io::{self, Write};

use amdgpu_lint::edits::Edits;
use amdgpu_lint::repair::{self, Plan, Repair};
use amdgpu_object::{Image, Name, Part, Section};

use super::Args;
use crate::error::{Error, Result};
use crate::{asm, dis, escape};

/// What the options ask for: the bytes with the changes, which are written, or those of the file.
pub fn change<'b>(args: &Args, name: &str, bytes: &'b [u8]) -> Result<Cow<'b, [u8]>> {
    let mut changed = Cow::Borrowed(bytes);
    let steps = [(args.fix, Repair::Fix), (args.trim, Repair::Trim)];
    for (_, repair) in steps.into_iter().filter(|(is_asked, _)| *is_asked) {
        if let Some(new) = once(args, name, &changed, repair)? {
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

/// The bytes with the changes of one repair; `None` if there are none.
fn once(args: &Args, name: &str, bytes: &[u8], repair: Repair) -> Result<Option<Vec<u8>>> {
    let mut edits = Edits::default();
    let new = match (&args.target, args.raw) {
        (Some(selection), true) => {
            let section = Section::new(Name::from("(raw)"), args.base, bytes);
            let plan = repair::section(&section, selection.target, repair);
            edits = plan.edits;
            let new =
                edits.apply(selection.target, bytes, args.base).map_err(|error| Error::input(error.to_string()))?;
            leads_nowhere_new(args, plan.unknown_jump)?;
            new
        }
        _ => {
            let (mut wanted, mut passed, mut jump) = (Vec::new(), String::new(), None);
            amdgpu_object::visit(bytes, args.max_unpacked, |part| match part {
                Part::Image(image) if image.label.is_empty() => {
                    let plan = plan_of(args, &image, repair)?;
                    wanted = sizes(&image, &plan.edits);
                    jump = plan.unknown_jump;
                    // A file with several is no code object, and is refused below if any of them changes.
                    if edits.is_empty() {
                        edits = plan.edits;
                    }
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
            if wanted.is_empty() && !passed.is_empty() {
                return Err(Error::input(format!("{name}: nothing to change: {passed}")));
            }
            if edits.is_empty() {
                return Ok(None);
            }
            let mut source = Vec::new();
            dis::source::edited(bytes, &edits, &mut source).map_err(|e| e.within(name))?;
            leads_nowhere_new(args, jump).map_err(|e| e.within(name))?;
            let source =
                String::from_utf8(source).map_err(|_| Error::input("the code object has names that are no text"))?;
            let new = asm::assemble(&source, dis::source::is_stripped(bytes)).map_err(|e| e.within(name))?;
            amdgpu_object::visit(&new, None, |part| match part {
                Part::Image(image) if sizes(&image, &Edits::default()) == wanted => Ok(()),
                _ => Err(Error::input("code that jumps into its own instructions cannot be changed")),
            })?;
            new
        }
    };
    let (inserted, changed, gone) = edits.counts();
    let _ = writeln!(anstream::stderr(), "{name}: {inserted} inserted, {changed} changed, {gone} taken away");
    Ok(Some(new).filter(|_| !edits.is_empty()))
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

fn plan_of(args: &Args, image: &Image<'_>, repair: Repair) -> Result<Plan> {
    let target = dis::target_of(image, args.target.as_ref()).map_err(Error::input)?;
    repair::image(image, target, repair).map_err(|error| Error::input(error.to_string()))
}

/// Refuses changes that move code which a jump with an unknown target may reach, unless the user vouches for it.
fn leads_nowhere_new(args: &Args, jump: Option<u64>) -> Result<()> {
    match jump.filter(|_| !args.trust_jumps) {
        Some(address) => Err(Error::input(format!(
            "{}; --trust-jumps says that nothing points into that code but branches and relocations",
            amdgpu_lint::Error::UnknownJump { address }
        ))),
        None => Ok(()),
    }
}

/// The sections with their sizes after the changes.
fn sizes(image: &Image<'_>, edits: &Edits) -> Vec<(String, u64)> {
    let size = |section: &Section<'_>| {
        let end = section.address + section.bytes.len() as u64;
        edits.moved(end).wrapping_sub(edits.moved(section.address))
    };
    image.sections.iter().map(|section| (section.name.to_string(), size(section))).collect()
}
