//! The command-line tool from the outside: its output, and its failures. No input makes it panic. Run with `cargo test
//! -p amdgpu-isa-cli`.

mod asm;
mod asm_edges;
mod asm_far;
mod asm_file;
mod asm_forms;
mod asm_linked;
mod batch;
mod containers;
mod dis;
mod dis_asm;
mod dis_part;
mod dis_sources;
mod errors;
mod explain;
mod hostile;
mod isa;
mod lint;
mod lint_addresses;
mod lint_command;
mod lint_fix;
mod lsp;
mod pictures;
mod samples;
mod shell;

use std::io::Write;
use std::process::{Command, Stdio};

pub struct Run {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

/// Whether slow tests try everything, as `AMDGPU_ISA_FULL=1` asks and `.ci/run full` does. Otherwise they take a
/// sample, the same each time.
pub fn is_full() -> bool {
    std::env::var_os("AMDGPU_ISA_FULL").is_some_and(|value| value != "0")
}

/// Runs the tool with `input` on stdin, and checks the invariants of every run.
pub fn run(args: &[&str], input: &[u8]) -> Run {
    let mut child = tool(args).spawn().expect("the tool starts");
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    let input = input.to_vec();
    // The tool may answer, or give up, before it has read everything.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().expect("the tool ends");
    writer.join().expect("the writer ends");
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    let run = Run { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) };
    assert!(!run.err.contains("panicked"), "{args:?}: {}", run.err);
    assert!(matches!(run.code, Some(0..=2)), "{args:?}: {:?} {}", run.code, run.err);
    assert!(run.code == Some(0) || !run.err.is_empty(), "{args:?}: failed without a message");
    run
}

/// The resources that a run has taken.
#[cfg(target_os = "linux")]
pub struct Taken {
    pub code: i32,
    pub bytes: usize,
    pub longest_line: usize,
    /// The greatest amount of memory that the process has held, in KiB.
    pub kib: i64,
    /// The user time of the process in whole seconds, which does not depend on the load of the machine.
    pub seconds: i64,
}

/// Runs the tool, whose output need not fit in memory.
#[cfg(target_os = "linux")]
#[allow(clippy::zombie_processes)] // `wait4` waits for it, and tells more than `wait`.
pub fn measure(args: &[&str], input: &[u8]) -> Taken {
    let mut child = tool(args).stderr(Stdio::null()).spawn().expect("the tool starts");
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let mut stdout = child.stdout.take().expect("stdout is a pipe");
    let (mut buffer, mut bytes, mut line, mut longest_line) = (vec![0; 1 << 16], 0, 0, 0);
    loop {
        let count = std::io::Read::read(&mut stdout, &mut buffer).expect("the tool writes");
        if count == 0 {
            break;
        }
        bytes += count;
        for &byte in &buffer[..count] {
            line = if byte == b'\n' { 0 } else { line + 1 };
            longest_line = longest_line.max(line);
        }
    }
    writer.join().expect("the writer ends");
    // SAFETY: integers only, for which zeros are values; `wait4` writes to both.
    let (status, usage) = unsafe {
        let (mut status, mut usage) = (0, std::mem::zeroed::<libc::rusage>());
        assert_eq!(libc::wait4(child.id() as i32, &mut status, 0, &mut usage), child.id() as i32);
        (status, usage)
    };
    assert!(libc::WIFEXITED(status), "{args:?}: it was ended");
    Taken { code: libc::WEXITSTATUS(status), bytes, longest_line, kib: usage.ru_maxrss, seconds: usage.ru_utime.tv_sec }
}

pub fn tool(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_amdgpu-isa"));
    command.args(args).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").env("RUST_BACKTRACE", "1");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

impl Run {
    /// The output of a run that must succeed.
    pub fn ok(self) -> String {
        assert_eq!(self.code, Some(0), "{}", self.err);
        self.out
    }

    /// The message of a run that must fail with this exit code.
    pub fn fails(self, code: i32) -> String {
        assert_eq!(self.code, Some(code), "{}{}", self.out, self.err);
        // Notes about other parts of a file come before the error.
        let mut lines = self.err.lines().skip_while(|line| line.starts_with("note:"));
        assert!(lines.next().is_some_and(|line| line.starts_with("error:")), "{}", self.err);
        self.err
    }
}
