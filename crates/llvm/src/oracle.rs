//! LLVM's disassembler as an oracle: the `libLLVM` that ships inside the Rust toolchain, called through its C API.
//!
//! LLVM crashes on some words, so it never runs in the caller's process:
//!
//! ```text
//! program ── pipes ── supervisor ── fork ── worker
//!                     loads libLLVM,        answers one batch after the other; the batch, the
//!                     waits for the worker  answers so far and the position are in memory it
//!                                           shares with the supervisor
//! ```
//! When the worker dies, the position identifies the word that killed it. The supervisor answers `Crash` for that word
//! and forks the next worker, which continues after it. That takes about a millisecond, because LLVM is already loaded.
//!
//! The supervisor is the program itself, started again with [`CHILD_FLAG`].
//!
//! The protocol is little-endian. Only one batch is in flight, so the two sides never write at the same time.
//! `count:u32 size:u32 {len:u8 bytes[len]}*count` goes to the supervisor, and `size:u32 {status:u8 text_len:u16
//! text}*count` comes back.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use amdgpu_isa::Target;

use crate::answer::Answer;
use crate::child::{CHILD_FLAG, CRASH, MAX_BATCH, REJECT};
use crate::versions::{USUAL, features};
use crate::word::Word;

/// The environment variable that names a `libLLVM` other than the toolchain's.
const LIBRARY_VARIABLE: &str = "AMDGPU_ISA_LIBLLVM";

/// The answer that a status and a text of the child mean.
fn answer(status: u8, raw: &str) -> Answer {
    match status {
        REJECT => Answer::Reject,
        CRASH => Answer::Crash,
        len => {
            let (text, comment) = split_comment(raw);
            let text = text.trim().replace('\t', " ");
            Answer::Text { len: len.into(), text, comment: comment.trim().to_owned() }
        }
    }
}

fn split_comment(raw: &str) -> (&str, &str) {
    let at = [" ;", "\t;", " //", "\t//", "\n"].iter().filter_map(|mark| raw.find(mark)).min();
    at.map_or((raw, ""), |at| raw.split_at(at))
}

/// LLVM's disassembler for one processor, in a separate process.
pub struct Oracle {
    child: Child,
    to: ChildStdin,
    from: ChildStdout,
    buffer: Vec<u8>,
}

impl Oracle {
    /// Starts LLVM for a target. The program must call [`run_as_child`](crate::run_as_child) at its
    /// beginning.
    ///
    /// # Errors
    /// A text that says why: there is no `libLLVM`, or it does not know the target.
    pub fn start(target: Target) -> Result<Oracle, String> {
        let library = find_library()?;
        let exe = std::env::current_exe().map_err(|e| format!("this executable: {e}"))?;
        let mut child = Command::new(exe)
            .args([CHILD_FLAG, target.processor(), features(target)])
            .arg(library)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| format!("starting the LLVM child: {e}"))?;
        let (to, from) = (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
        let mut oracle = Oracle { child, to, from, buffer: Vec::new() };
        // The child's first message is its error, empty if there is none.
        let greeting = oracle.receive().map_err(|e| format!("the LLVM child did not start: {e}"))?;
        if greeting.is_empty() { Ok(oracle) } else { Err(String::from_utf8_lossy(&greeting).into_owned()) }
    }

    /// Asks LLVM about each word. Returns the answers in the order of the words.
    ///
    /// # Panics
    /// If the child is gone, which a crash of LLVM does not cause.
    pub fn ask(&mut self, words: &[Word]) -> Vec<Answer> {
        let mut answers = Vec::with_capacity(words.len());
        for batch in words.chunks(MAX_BATCH) {
            self.ask_batch(batch, &mut answers).expect("the LLVM child has gone");
        }
        answers
    }

    fn ask_batch(&mut self, batch: &[Word], answers: &mut Vec<Answer>) -> io::Result<()> {
        self.buffer.clear();
        for word in batch {
            self.buffer.push(word.bytes().len() as u8);
            self.buffer.extend_from_slice(word.bytes());
        }
        self.to.write_all(&(batch.len() as u32).to_le_bytes())?;
        self.to.write_all(&(self.buffer.len() as u32).to_le_bytes())?;
        self.to.write_all(&self.buffer)?;
        let reply = self.receive()?;
        let mut rest = &reply[..];
        for _ in batch {
            let text_len = usize::from(u16::from_le_bytes([rest[1], rest[2]]));
            answers.push(answer(rest[0], &String::from_utf8_lossy(&rest[3..3 + text_len])));
            rest = &rest[3 + text_len..];
        }
        Ok(())
    }

    fn receive(&mut self) -> io::Result<Vec<u8>> {
        let mut size = [0; 4];
        self.from.read_exact(&mut size)?;
        let mut message = vec![0; u32::from_le_bytes(size) as usize];
        self.from.read_exact(&mut message)?;
        Ok(message)
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        // The worker is waiting for its next batch, and ends when `to` is closed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The path of the `libLLVM` of the Rust toolchain, or the path in the environment variable `AMDGPU_ISA_LIBLLVM`.
///
/// # Errors
/// A text that says how to install it.
pub fn find_library() -> Result<PathBuf, String> {
    if let Some(path) = std::env::var_os(LIBRARY_VARIABLE) {
        return Ok(path.into());
    }
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let install = format!(
        "The words are compared with LLVM {USUAL}. Install a Rust toolchain that contains it (rustup toolchain install \
         stable; Rust 1.95 has LLVM 22), or install the package libllvm{USUAL} and set {LIBRARY_VARIABLE} to its \
         libLLVM.so.{USUAL}.1"
    );
    let output = Command::new(&rustc)
        .args(["--print", "sysroot"])
        .output()
        .map_err(|e| format!("`{} --print sysroot`: {e}.\n{install}", rustc.to_string_lossy()))?;
    let directory = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()).join("lib");
    let entries = std::fs::read_dir(&directory).map_err(|e| format!("{}: {e}.\n{install}", directory.display()))?;
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libLLVM")))
        .filter(is_shared_object)
        .collect();
    found.sort();
    found.pop().ok_or_else(|| format!("no libLLVM in {}.\n{install}", directory.display()))
}

/// Whether a file is a library: one of the toolchain's `libLLVM*.so` files is a linker script.
fn is_shared_object(path: &PathBuf) -> bool {
    const ELF: [u8; 4] = *b"\x7fELF";
    const MACH_O: [u8; 4] = [0xcf, 0xfa, 0xed, 0xfe];
    let mut magic = [0; 4];
    File::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok() && [ELF, MACH_O].contains(&magic)
}
