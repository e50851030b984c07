//! `asm`: the assembler.

mod report;

use std::io::{self, Read, Write};
use std::path::PathBuf;

use amdgpu_asm::{Assembly, Far, Faults, Filler, Options, Processor};

use crate::batch;
use crate::error::{Error, Result};
use crate::escape;

/// The greatest size of a source in bytes.
const LONGEST_FILE: u64 = 1 << 30;

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
    /// The processor, as a name (`gfx942:xnack-`) or as in `.amdgcn_target`, if the source does not name one
    #[arg(conflicts_with = "lines", value_parser = str::parse::<Processor>)]
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
    /// Lanes of a wave, 32 or 64, where no kernel descriptor of the source states them
    #[arg(long, value_name = "LANES", value_parser = clap::builder::PossibleValuesParser::new(["32", "64"]))]
    wave: Option<String>,
    /// Fill source fields that an operation does not use as LLVM 22 or LLVM 23 does, unless .amdgpu_isa_fill names one
    #[arg(long, value_name = "ASSEMBLER", value_parser = clap::builder::PossibleValuesParser::new(Filler::ALL.iter().map(|filler| filler.name())))]
    fill: Option<String>,
    /// Sort the names of symbols and sections of a linked file, as llvm-objcopy and llvm-strip leave them
    #[arg(long)]
    sorted_names: bool,
    /// Let branches that do not reach their targets use these registers, such as s[4:5]; with s[4:5],s6 they keep SCC
    #[arg(long, value_name = "REGISTERS", conflicts_with = "lines", value_parser = registers)]
    long_branches: Option<Far>,
    /// Search this directory for included files, after the current directory
    #[arg(short = 'I', long, value_name = "DIRECTORY")]
    include: Vec<PathBuf>,
    /// The greatest size in bytes of all text from macros, repetitions and included files [default: 16777216]
    #[arg(long, value_name = "BYTES", conflicts_with = "lines")]
    max_expansion: Option<usize>,
    /// The greatest size and the greatest alignment of a section in bytes [default: 134217728]
    #[arg(long, value_name = "BYTES", conflicts_with = "lines")]
    max_section: Option<u64>,
    /// Print errors as lines of JSON
    #[arg(long)]
    json: bool,
}

/// Assembles. Returns the counts of lines, if lines were answered.
pub fn run(args: &Args, color: bool) -> Result<Option<crate::lines::Count>> {
    let Some(path) = args.file.as_ref().filter(|_| !args.lines) else {
        return batch::assemble(io::stdin().lock(), io::stdout().lock(), filler(args)).map(Some);
    };
    let name = if path.as_os_str() == "-" { "standard input".into() } else { escape::path(path) };
    let is_source = |output: &PathBuf| match (output.canonicalize(), path.canonicalize()) {
        (Ok(output), Ok(path)) => output == path,
        _ => false,
    };
    if args.output.as_ref().is_some_and(is_source) {
        return Err(Error::Usage(format!("{name} is the source: --output has to name another file")));
    }
    let text = read(path).map_err(|why| Error::input(format!("cannot read {name}: {why}")))?;
    let bytes = match amdgpu_asm::assemble(&name, &text, &options(args)) {
        Ok(assembly) => write(args, &assembly).map(|bytes| (bytes, assembly.warnings())),
        Err(faults) => Err(faults),
    };
    let (bytes, faults) = bytes.unwrap_or_else(|faults| (Vec::new(), faults));
    say(&faults, args.json, color)?;
    let errors = faults.errors();
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

/// Reads the registers of `--long-branches`: `s[4:5]`, or `s[4:5],s6` to keep SCC.
fn registers(text: &str) -> std::result::Result<Far, String> {
    let form = "two registers such as s[4:5], the first with an even number; s[4:5],s6 keeps SCC in s6";
    amdgpu_asm::far(text).ok_or_else(|| form.into())
}

fn filler(args: &Args) -> Option<Filler> {
    args.fill.as_deref().and_then(Filler::named)
}

fn options(args: &Args) -> Options {
    let mut options = Options::default();
    options.target = args.target;
    options.wave = args.wave.as_ref().and_then(|wave| wave.parse().ok());
    options.filler = filler(args);
    options.sorted_names = args.sorted_names;
    options.long_branches = args.long_branches;
    options.include = args.include.clone();
    options.follows_markers = true;
    options.longest_expansion = args.max_expansion.unwrap_or(options.longest_expansion);
    options.longest_section = args.max_section.unwrap_or(options.longest_section);
    options
}

/// The bytes of the output: an object, a code object, or hexadecimal text.
fn write(args: &Args, assembly: &Assembly) -> std::result::Result<Vec<u8>, Faults> {
    if args.object {
        return assembly.to_object();
    }
    if !args.hex {
        return assembly.to_code_object(args.strip);
    }
    let mut text = Vec::new();
    assembly.code().for_each(|code| amdgpu_explain::hex::bytes(&mut text, code));
    text.push(b'\n');
    Ok(text)
}

/// Prints errors and warnings.
pub fn say(faults: &Faults, json: bool, color: bool) -> Result<()> {
    if json {
        let mut out = Vec::new();
        report::json(faults.all(), &mut out)?;
        io::stdout().lock().write_all(&out)?;
        return Ok(());
    }
    // An error of stderr is ignored: there is no other place for the message.
    let _ = io::stderr().lock().write_all(report::show(faults.all(), color).as_bytes());
    if faults.hidden() > 0 {
        let _ = writeln!(io::stderr(), "and {} more", faults.hidden());
    }
    Ok(())
}

fn read(path: &PathBuf) -> std::result::Result<String, String> {
    let mut bytes = Vec::new();
    let read = if path.as_os_str() == "-" {
        io::stdin().lock().take(LONGEST_FILE + 1).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(LONGEST_FILE + 1).read_to_end(&mut bytes))
    };
    read.map_err(|e| e.to_string())?;
    if bytes.len() as u64 > LONGEST_FILE {
        return Err(format!("it is longer than {LONGEST_FILE} bytes"));
    }
    Ok(amdgpu_asm::source_text(&bytes).into_owned())
}
