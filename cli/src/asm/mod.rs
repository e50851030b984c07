//! `asm`: the assembler.

mod block;
mod debug;
mod directive;
mod expr;
mod far;
pub mod finish;
mod instruction;
mod kernel;
mod leb;
pub mod linked;
pub mod metadata;
pub mod object;
pub mod program;
pub mod report;
mod scan;
pub mod source;
mod table;
pub mod target;

use std::collections::{BTreeSet, HashMap};
use std::io::{self, Read, Write};
use std::path::PathBuf;

use crate::batch;
use crate::error::{Error, Result};
use crate::escape;
pub use directive::NOP;
use program::{Assembler, SHF_EXECINSTR};
use report::Place;
use target::Processor;

pub const STB_LOCAL: u8 = 0;
pub const STB_GLOBAL: u8 = 1;
pub const STB_WEAK: u8 = 2;
pub const STT_OBJECT: u8 = 1;
pub const STT_FUNC: u8 = 2;
pub const STV_DEFAULT: u8 = 0;
pub const STV_INTERNAL: u8 = 1;
pub const STV_HIDDEN: u8 = 2;
pub const STV_PROTECTED: u8 = 3;

/// The longest source.
const LONGEST: u64 = 1 << 30;

/// Assemble a source to a code object; with --lines, answer lines of `target<TAB>text` on stdin with `hex` or
/// `ERR<TAB>column<TAB>message`
#[derive(clap::Args)]
pub struct Args {
    /// Answer each line of standard input with a line
    #[arg(long, conflicts_with_all = ["file", "output", "object", "strip", "hex", "json", "include", "target", "wave"])]
    lines: bool,
    /// The source; `-` is standard input
    #[arg(required_unless_present = "lines")]
    file: Option<PathBuf>,
    /// The processor, as a name (`gfx942:xnack-`) or as in `.amdgcn_target`, if the source does not say it
    #[arg(conflicts_with = "lines", value_parser = Processor::named)]
    target: Option<Processor>,
    /// Write to this file; `-` is standard output
    #[arg(short, long, value_name = "FILE", required_unless_present_any = ["lines", "hex"])]
    output: Option<PathBuf>,
    /// Write a relocatable object for a linker instead of a code object for a loader
    #[arg(short = 'c', long)]
    object: bool,
    /// Leave out the table of symbols that no loader reads, as `ld.lld -s` does
    #[arg(short, long, conflicts_with_all = ["object", "hex"])]
    strip: bool,
    /// Print the code as hexadecimal bytes
    #[arg(long, conflicts_with_all = ["output", "object"])]
    hex: bool,
    /// Lanes of a wave, 32 or 64, if no kernel descriptor of the source says it
    #[arg(long, value_name = "LANES", value_parser = clap::builder::PossibleValuesParser::new(["32", "64"]))]
    wave: Option<String>,
    /// Go through these registers where a branch does not reach its place, such as s[4:5]; s[4:5],s6 keeps SCC, too
    #[arg(long, value_name = "REGISTERS", conflicts_with = "lines", value_parser = far::registers)]
    long_branches: Option<amdgpu_isa::asm::Far>,
    /// Where included files are searched, after the current directory
    #[arg(short = 'I', long, value_name = "DIRECTORY")]
    include: Vec<PathBuf>,
    /// Print errors as lines of JSON
    #[arg(long)]
    json: bool,
}

/// Returns how many lines were answered, if lines were.
pub fn run(args: &Args, color: bool) -> Result<Option<crate::lines::Count>> {
    let Some(path) = args.file.as_ref().filter(|_| !args.lines) else {
        return batch::assemble(io::stdin().lock(), io::stdout().lock()).map(Some);
    };
    let name = if path.as_os_str() == "-" { "standard input".into() } else { escape::path(path) };
    let text = read(path).map_err(|why| Error::input(format!("cannot read {name}: {why}")))?;
    let (mut long, mut padded) = (BTreeSet::new(), BTreeSet::new());
    let (mut assembler, image) = loop {
        let (assembler, image) = round(args, &name, &text, (long.clone(), padded.clone()))?;
        if assembler.too_far.is_empty() && assembler.broken.is_empty() {
            break (assembler, image);
        }
        long.extend(assembler.too_far);
        padded.extend(assembler.broken);
    };
    let mut bytes = Vec::new();
    if let Some(image) = image.filter(|_| assembler.faults.iter().all(|fault| fault.is_warning)) {
        if args.hex {
            let code = image.sections.iter().filter(|output| output.section.flags & SHF_EXECINSTR != 0);
            code.for_each(|output| amdgpu_explain::hex::bytes(&mut bytes, &output.section.data));
            bytes.push(b'\n');
        } else if args.object {
            bytes = object::write(&image).map_err(Error::Input)?;
        } else {
            match linked::write(&image, args.strip) {
                Ok(linked) => bytes = linked,
                Err(faults) => faults.into_iter().for_each(|fault| assembler.fault(fault)),
            }
        }
    }
    say(&assembler, args.json, color)?;
    let errors = assembler.faults.iter().filter(|fault| !fault.is_warning).count() + assembler.hidden_faults;
    if errors > 0 {
        let s = if errors == 1 { "" } else { "s" };
        return Err(Error::input(format!("{name}: {errors} error{s}")));
    }
    match args.output.as_ref().filter(|path| path.as_os_str() != "-") {
        Some(path) => {
            let shown = escape::path(path);
            std::fs::write(path, &bytes).map_err(|e| Error::input(format!("cannot write {shown}: {e}")))?;
        }
        None => {
            let mut stdout = io::stdout().lock();
            stdout.write_all(&bytes)?;
            stdout.flush()?;
        }
    }
    Ok(None)
}

/// Reads the source once. `branches`: which ones are long, and which ones have an `s_nop` behind them.
fn round(
    args: &Args,
    name: &str,
    text: &str,
    branches: (BTreeSet<u32>, BTreeSet<u32>),
) -> Result<(Assembler, Option<finish::Image>)> {
    let mut assembler = Assembler::new();
    assembler.far = args.long_branches;
    (assembler.long, assembler.padded) = branches;
    assembler.source.include = args.include.clone();
    (assembler.lanes, assembler.wave) = lanes(text);
    if let Some(wave) = args.wave.as_ref().and_then(|wave| wave.parse().ok()) {
        assembler.wave = Some(wave);
    }
    if let Some(processor) = args.target {
        // The first setting cannot fail.
        let _ = assembler.set_target(processor, Place::default());
    }
    let pushed = assembler.source.push(name.into(), text, None, false, 0);
    pushed.map_err(|fault| Error::input(fault.message))?;
    assembler.run();
    Ok(assembler.finish())
}

/// The code object for a loader that a source becomes. `strip`: without the table of symbols that no loader reads.
///
/// # Errors
/// The first thing that is wrong with the source.
pub fn assemble(text: &str, strip: bool) -> Result<Vec<u8>> {
    let mut assembler = Assembler::new();
    (assembler.lanes, assembler.wave) = lanes(text);
    assembler.source.is_alone = true;
    assembler.source.push("code".into(), text, None, false, 0).map_err(|fault| Error::input(fault.message))?;
    assembler.run();
    let (assembler, image) = assembler.finish();
    let fault = assembler.faults.iter().find(|fault| !fault.is_warning).map(|fault| fault.message.clone());
    let image = image.filter(|_| fault.is_none()).ok_or_else(|| Error::input(fault.unwrap_or_default()))?;
    linked::write(&image, strip)
        .map_err(|faults| Error::input(faults.into_iter().next().map_or_else(String::new, |f| f.message)))
}

fn say(assembler: &Assembler, json: bool, color: bool) -> Result<()> {
    let (faults, files) = (&assembler.faults, &assembler.source.files);
    if json {
        let mut out = Vec::new();
        report::json(faults, files, &mut out)?;
        io::stdout().lock().write_all(&out)?;
        return Ok(());
    }
    // A closed stderr does not matter.
    let _ = io::stderr().lock().write_all(report::show(faults, files, color).as_bytes());
    if assembler.hidden_faults > 0 {
        let _ = writeln!(io::stderr(), "and {} more", assembler.hidden_faults);
    }
    Ok(())
}

fn read(path: &PathBuf) -> std::result::Result<String, String> {
    let mut bytes = Vec::new();
    let read = if path.as_os_str() == "-" {
        io::stdin().lock().take(LONGEST + 1).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(LONGEST + 1).read_to_end(&mut bytes))
    };
    read.map_err(|e| e.to_string())?;
    if bytes.len() as u64 > LONGEST {
        return Err(format!("it is longer than {LONGEST} bytes"));
    }
    String::from_utf8(bytes).map_err(|e| {
        let before = e.as_bytes().get(..e.utf8_error().valid_up_to()).unwrap_or(&[]);
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        format!("line {line} is not UTF-8")
    })
}

/// The lanes of kernels, which their descriptors say behind the code; and those of what is in no kernel.
pub fn lanes(text: &str) -> (HashMap<String, u16>, Option<u16>) {
    let mut kernels = HashMap::new();
    let mut name = None;
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match (words.next(), words.next()) {
            (Some(".amdhsa_kernel"), Some(kernel)) => name = Some(kernel.trim_matches('"').to_string()),
            (Some(".amdhsa_wavefront_size32"), Some(value)) => {
                if let (Some(name), Some(lanes)) = (name.take(), expr::number(value)) {
                    kernels.insert(name, if lanes == 0 { 64 } else { 32 });
                }
            }
            _ => {}
        }
    }
    let is_wide = !kernels.is_empty() && kernels.values().all(|lanes| *lanes == 64);
    (kernels, is_wide.then_some(64))
}
