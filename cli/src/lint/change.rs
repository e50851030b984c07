//! `--fix` and `--trim`: writes a file with the changes.

use std::borrow::Cow;
use std::io::{self, Write};

use amdgpu_lint::edits::Edits;
use amdgpu_lint::repair::{self, Repair};
use amdgpu_object::{CannotReplace, Image, Part, Refusal};

use super::{Args, assume, target_of};
use crate::error::{Error, Result};
use crate::isa::Target;
use crate::out::BOLD;
use crate::{dis, escape};

/// Makes the repairs that the options ask for, and writes the result. Returns its bytes; without repairs, the bytes of
/// the file.
pub fn change<'b>(args: &Args, name: &str, bytes: &'b [u8]) -> Result<Cow<'b, [u8]>> {
    let mut changed = Cow::Borrowed(bytes);
    let steps = [(args.fix, Repair::Fix), (args.trim, Repair::Trim)];
    for (_, repair) in steps.into_iter().filter(|(is_asked, _)| *is_asked) {
        if let Some(new) = apply_repair(args, name, &changed, repair).map_err(|error| error.within(name))? {
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
fn apply_repair(args: &Args, name: &str, bytes: &[u8], repair: Repair) -> Result<Option<Vec<u8>>> {
    let mut counts = [0; 3];
    let new = match (&args.target, args.raw) {
        (Some(selection), true) => {
            let image = Image::bare(selection.id.clone(), args.base, bytes);
            let target = assume::wave(&args.assume, selection.target).map_err(Error::Input)?;
            let plan = repair::image_with(&image, target, repair, args.settings());
            let plan = plan.map_err(|e| Error::input(e.to_string()))?;
            let new = plan.edits.apply(target, bytes, args.base);
            let new = new.map_err(|error| Error::input(error.to_string()))?;
            refuse_unknown_jump(args, plan.unknown())?;
            add(&mut counts, &plan.edits);
            Some(new)
        }
        _ => file(args, name, bytes, repair, &mut counts)?,
    };
    let [inserted, changed, gone] = counts;
    if let Some(new) = new.filter(|_| counts != [0; 3]) {
        let _ = writeln!(anstream::stderr(), "{name}: {inserted} inserted, {changed} changed, {gone} removed");
        return Ok(Some(new));
    }
    Ok(None)
}

fn add(counts: &mut [usize; 3], edits: &Edits) {
    let (inserted, changed, gone) = edits.counts();
    counts.iter_mut().zip([inserted, changed, gone]).for_each(|(sum, more)| *sum += more);
}

/// The file with the code objects that change; `None` if none does.
fn file(args: &Args, name: &str, bytes: &[u8], repair: Repair, counts: &mut [usize; 3]) -> Result<Option<Vec<u8>>> {
    let (mut changes, mut labels, mut passed, mut seen) = (Vec::new(), Vec::new(), String::new(), false);
    let unpacked = amdgpu_object::unpack(bytes, args.max_unpacked)?;
    let bytes = unpacked.as_deref().unwrap_or(bytes);
    amdgpu_object::visit(bytes, args.max_unpacked, |part| {
        match part {
            Part::Image(image) => match target_of(args, &image) {
                Ok(target) => {
                    seen = true;
                    if let Some(new) = image_of(args, name, &image, target, repair, counts)? {
                        if image.offset.is_none() {
                            return Err(refused(CannotReplace { offset: None, reason: Refusal::Place }, image.label));
                        }
                        labels.push((image.offset, image.label.to_string()));
                        changes.push((image.offset, new));
                    }
                }
                Err(reason) if image.label.is_empty() => return Err(Error::input(reason)),
                Err(reason) => passed = dis::about(image.label, &reason),
            },
            Part::Damaged(error) => return Err(error.into()),
            Part::Skipped { label, reason } => passed = dis::about(label, &reason),
            _ => {}
        }
        Ok(())
    })?;
    if !seen && !passed.is_empty() {
        return Err(Error::input(format!("nothing to change: {passed}")));
    }
    if unpacked.is_some() && !changes.is_empty() {
        note(format_args!("{name}: the bundle is written without compression"));
    }
    if changes.is_empty() {
        return Ok(None);
    }
    amdgpu_object::replace_all(bytes, changes).map(Some).map_err(|error| {
        let label = labels.iter().find(|(offset, _)| *offset == error.offset).map_or("", |(_, label)| label);
        refused(error, label)
    })
}

/// The error about a code object that cannot be replaced, with advice.
fn refused(error: CannotReplace, label: &str) -> Error {
    if error.reason != Refusal::Place {
        return Error::input(dis::about(label, &error));
    }
    let label = escape::name(label.as_bytes());
    Error::input(format!("{error}: take {label} out of the program first, with `llvm-objdump --offloading`"))
}

/// A code object with its changes; `None` if there are none.
fn image_of(
    args: &Args,
    name: &str,
    image: &Image<'_>,
    target: Target,
    repair: Repair,
    counts: &mut [usize; 3],
) -> Result<Option<Vec<u8>>> {
    let input = |error: amdgpu_lint::Error| Error::input(dis::about(image.label, &error));
    let plan = repair::image_with(image, target, repair, args.settings()).map_err(input)?;
    if plan.edits.is_empty() {
        return Ok(None);
    }
    add(counts, &plan.edits);
    let new = repair::apply(image, target, &plan.edits).map_err(input)?;
    refuse_unknown_jump(args, plan.unknown())?;
    let tables: Vec<_> = image.debug_tables().collect();
    if !tables.is_empty() {
        let stale = format!("its tables for debuggers ({}) are still those of the code before", tables.join(", "));
        note(format_args!("{name}: {}", dis::about(image.label, &stale)));
    }
    Ok(Some(new))
}

/// Writes a note for the user.
fn note(text: std::fmt::Arguments<'_>) {
    let _ = writeln!(anstream::stderr(), "{}note:{} {text}", BOLD.render(), BOLD.render_reset());
}

/// Refuses changes that move code to which a jump with an unknown target may lead, unless `--trust-jumps` is given.
/// `jump`: the error about that jump, if there is one.
fn refuse_unknown_jump(args: &Args, jump: Option<amdgpu_lint::Error>) -> Result<()> {
    match jump.filter(|_| !args.trust_jumps) {
        Some(error) => Err(Error::input(format!(
            "{error}; --trust-jumps says that nothing points into that code but branches and relocations"
        ))),
        None => Ok(()),
    }
}
