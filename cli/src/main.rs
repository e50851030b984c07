//! `amdgpu-isa`: disassembles AMD GPU code objects, explains single words, decodes and assembles lines of text, checks
//! kernels, prints the tables, and proves that decoding and encoding are inverses.
#![forbid(unsafe_code)]

mod asm;
mod batch;
mod dis;
mod error;
mod escape;
mod eval;
mod explain;
#[cfg(test)]
mod hostile;
mod isa;
mod json;
mod lines;
mod lint;
mod lsp;
mod matrix;
mod out;
mod pictures;
mod prove;
mod shell;
mod tables;

use std::borrow::Cow;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand, ValueEnum};

use error::Error;

#[derive(Parser)]
#[command(name = "amdgpu-isa", version, long_version = long_version(), about, arg_required_else_help = true, after_help = help_footer())]
struct Cli {
    /// Colour the output; `auto` means only on a terminal, and not when NO_COLOR is set
    #[arg(long, value_enum, default_value_t = Color::Auto, global = true, value_name = "WHEN")]
    color: Color,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Disassemble the code in an ELF code object, an offload bundle, a host program, an archive, or bare words
    Dis(dis::Args),
    /// Show words as a bit diagram, with every field named and decoded
    Explain(explain::Args),
    /// Answer lines of `target<TAB>hexbytes` on stdin with `len<TAB>text<TAB>reencoded-hex` or `ERR<TAB>reason`,
    /// and print on stderr how many were ERR
    Batch,
    Eval(eval::Args),
    Asm(asm::Args),
    Lint(lint::Args),
    Lsp(lsp::Args),
    Isa(tables::Args),
    Matrix(matrix::Args),
    Prove(prove::Args),
    Completions(shell::Completions),
    Man(shell::Pages),
    Pictures(pictures::Args),
}

#[derive(Clone, Copy, ValueEnum)]
enum Color {
    Auto,
    Always,
    Never,
}

impl Color {
    /// Whether to write escape codes to stdout. This is decided once instead of filtering the stream, because
    /// a filter would parse every byte of a disassembly again.
    fn on(self) -> bool {
        match self {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never,
        }
    }

    /// Whether to write escape codes to stderr.
    fn on_for_errors(self) -> bool {
        match self {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never,
        }
    }
}

fn help_footer() -> String {
    format!("Targets in this build: {}", isa::known_targets())
}

/// The text of `--version`; `-V` leaves the targets out.
fn long_version() -> String {
    format!("{}\ntargets: {}", env!("CARGO_PKG_VERSION"), isa::known_targets())
}

/// Prints the help, or an error in the command line, which may quote parts of the command line.
fn print_usage(error: &clap::Error) -> io::Result<()> {
    let quoted = |arg: std::ffi::OsString| matches!(escape::name(arg.as_encoded_bytes()), Cow::Owned(_));
    if error.use_stderr() && std::env::args_os().any(quoted) {
        // The message is printed without colour, whose escape codes could not be distinguished from those in an
        // argument.
        return anstream::stderr().write_all(escape::message(&error.render().to_string()).as_bytes());
    }
    error.print()
}

/// Prints the number of lines whose answer is an error. A program reads the answers; this is for the user who started
/// it.
fn count_errors(lines::Count { all, errors }: lines::Count) {
    if errors > 0 {
        let (on, off) = (out::BOLD.render(), out::BOLD.render_reset());
        let _ = writeln!(anstream::stderr(), "{on}note:{off} {errors} of {all} lines were answered with ERR");
    }
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => {
            // A pipe that is closed during `--help` is not an error.
            let _ = print_usage(&e);
            return ExitCode::from(u8::try_from(e.exit_code()).unwrap_or(2));
        }
    };
    let color = cli.color.on();
    let color_of_errors = cli.color.on_for_errors();
    let result = match cli.command {
        Command::Dis(args) => dis::run(&args, color),
        Command::Explain(args) => explain::run(&args, color),
        Command::Lint(args) => lint::run(&args, color, color_of_errors),
        Command::Lsp(args) => lsp::run(&args),
        Command::Isa(args) => tables::run(&args, color),
        Command::Matrix(args) => matrix::run(&args, color),
        Command::Prove(args) => prove::run(&args, color),
        Command::Completions(args) => shell::completions(&args, Cli::command()),
        Command::Pictures(args) => pictures::run(&args),
        Command::Man(args) => shell::pages(&args, Cli::command()),
        Command::Eval(args) => eval::run(&args).map(count_errors),
        Command::Batch => batch::run(io::stdin().lock(), io::stdout().lock()).map(count_errors),
        Command::Asm(args) => asm::run(&args, color_of_errors).map(|count| count.into_iter().for_each(count_errors)),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(Error::Output(e)) if e.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(e) => {
            let message = escape::message(&e.to_string());
            // `eprintln!` would panic if stderr is closed.
            let _ = writeln!(anstream::stderr(), "{}error:{} {message}", out::RED.render(), out::RED.render_reset());
            ExitCode::from(e.exit_code())
        }
    }
}
