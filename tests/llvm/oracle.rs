//! LLVM's disassembler as an oracle: the `libLLVM` that ships inside the Rust toolchain, called through its C API.
//!
//! LLVM crashes on some words, so it never runs in the test's own process:
//!
//! ```text
//! test ── pipes ── supervisor ── fork ── worker
//!                  loads libLLVM,        answers one batch after the other; the batch, the
//!                  waits for the worker  answers so far and the position are in memory it
//!                                        shares with the supervisor
//! ```
//! When the worker dies, the position identifies the word that killed it. The supervisor answers `Crash` for that word
//! and forks the next worker, which continues after it. That takes about a millisecond, because LLVM is already loaded.
//!
//! The supervisor is the test executable itself, started again with [`CHILD_FLAG`].
//!
//! Protocol (little-endian), one batch in flight, so that neither side ever writes while the other one does:
//! `count:u32 size:u32 {len:u8 bytes[len]}*count` there, `size:u32 {status:u8 text_len:u16 text}*count` back.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

pub const CHILD_FLAG: &str = "--llvm-child";
/// Names another `libLLVM` than the toolchain's.
const LIBRARY_VARIABLE: &str = "AMDGPU_ISA_LIBLLVM";
/// Says that it is another version than [`USUAL`].
const VERSION_VARIABLE: &str = "AMDGPU_ISA_LLVM";
pub const USUAL: u32 = 22;

/// The version of LLVM with which to compare: 22 knows most targets, and 23 those that came later.
pub fn version() -> u32 {
    let parse =
        |version: String| version.parse().unwrap_or_else(|_| panic!("{VERSION_VARIABLE}={version} is no version"));
    std::env::var(VERSION_VARIABLE).map_or(USUAL, parse)
}

/// Whether it is the version that the toolchain has, with which the lists are complete.
pub fn is_usual() -> bool {
    version() == USUAL
}

/// The longest encoding is 5 dwords.
pub const MAX_BYTES: usize = 20;
const MAX_BATCH: usize = 2048;
pub const MAX_TEXT: usize = 1024;
const REJECT: u8 = 0;
const CRASH: u8 = 255;
/// A worker that takes longer for one batch hangs; SIGALRM turns that into a crash.
const PATIENCE_SECONDS: u32 = 30;
/// LLVM's context never frees its allocations, so it is replaced from time to time.
const WORDS_PER_CONTEXT: u32 = 1 << 17;

/// Bytes to decode: memory order, at most [`MAX_BYTES`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Word {
    bytes: [u8; MAX_BYTES],
    len: u8,
}

impl Word {
    pub fn new(from: &[u8]) -> Word {
        let mut bytes = [0; MAX_BYTES];
        let len = from.len().min(MAX_BYTES);
        bytes[..len].copy_from_slice(&from[..len]);
        Word { bytes, len: len as u8 }
    }

    /// `None` unless every character is a hex digit and there is an even number of them.
    pub fn from_hex(hex: &str) -> Option<Word> {
        let digits: Option<Vec<u8>> = hex.chars().map(|c| c.to_digit(16).map(|d| d as u8)).collect();
        let digits = digits?;
        let bytes: Vec<u8> = digits.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).unwrap_or(&0)).collect();
        (digits.len() % 2 == 0 && bytes.len() <= MAX_BYTES).then(|| Word::new(&bytes))
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len.into()]
    }

    /// Little-endian; absent bytes are zero.
    pub fn bits(&self) -> u128 {
        let mut low = [0; 16];
        low.copy_from_slice(&self.bytes[..16]);
        u128::from_le_bytes(low)
    }

    pub fn hex(&self) -> String {
        hex(self.bytes())
    }
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// LLVM's answer about one word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// `text` has one space between mnemonic and operands and keeps LLVM's `/*...*/`; `comment` is what LLVM appends
    /// after `;` or `//`.
    Text {
        len: usize,
        text: String,
        comment: String,
    },
    Reject,
    Crash,
}

impl Answer {
    fn new(status: u8, raw: &str) -> Answer {
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

    /// One line: `LEN text`, `ERR` or `CRASH`.
    pub fn line(&self) -> String {
        match self {
            Answer::Text { len, text, .. } => format!("{len} {text}"),
            Answer::Reject => "ERR".into(),
            Answer::Crash => "CRASH".into(),
        }
    }
}

fn split_comment(raw: &str) -> (&str, &str) {
    let at = [" ;", "\t;", " //", "\t//", "\n"].iter().filter_map(|mark| raw.find(mark)).min();
    at.map_or((raw, ""), |at| raw.split_at(at))
}

/// One LLVM for one processor, in a separate process.
pub struct Oracle {
    child: Child,
    to: ChildStdin,
    from: ChildStdout,
    buffer: Vec<u8>,
}

impl Oracle {
    /// `cpu` and `features` as LLVM's `-mcpu` and `-mattr` know them.
    pub fn start(cpu: &str, features: &str) -> Result<Oracle, String> {
        let library = find_library()?;
        let exe = std::env::current_exe().map_err(|e| format!("this executable: {e}"))?;
        let mut child = Command::new(exe)
            .args([CHILD_FLAG, cpu, features])
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

    /// An answer for each word, in order.
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
            self.buffer.push(word.len);
            self.buffer.extend_from_slice(word.bytes());
        }
        self.to.write_all(&(batch.len() as u32).to_le_bytes())?;
        self.to.write_all(&(self.buffer.len() as u32).to_le_bytes())?;
        self.to.write_all(&self.buffer)?;
        let reply = self.receive()?;
        let mut rest = &reply[..];
        for _ in batch {
            let text_len = usize::from(u16::from_le_bytes([rest[1], rest[2]]));
            answers.push(Answer::new(rest[0], &String::from_utf8_lossy(&rest[3..3 + text_len])));
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

pub fn find_library() -> Result<PathBuf, String> {
    if let Some(path) = std::env::var_os(LIBRARY_VARIABLE) {
        return Ok(path.into());
    }
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let install = format!(
        "These tests compare with LLVM {USUAL}. Install a Rust toolchain that contains it (rustup toolchain install \
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

/// One of the toolchain's `libLLVM*.so` files is a linker script.
fn is_shared_object(path: &PathBuf) -> bool {
    const ELF: [u8; 4] = *b"\x7fELF";
    const MACH_O: [u8; 4] = [0xcf, 0xfa, 0xed, 0xfe];
    let mut magic = [0; 4];
    File::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok() && [ELF, MACH_O].contains(&magic)
}

// ---- the other side -------------------------------------------------------------------------------------------------

type CreateDisasm = unsafe extern "C" fn(
    *const c_char,
    *const c_char,
    *const c_char,
    *mut c_void,
    c_int,
    *const c_void,
    *const c_void,
) -> *mut c_void;
type DisposeDisasm = unsafe extern "C" fn(*mut c_void);
type DisasmInstruction = unsafe extern "C" fn(*mut c_void, *mut u8, u64, u64, *mut c_char, usize) -> usize;

/// LLVM in this process: for words on which it does not crash.
pub struct Llvm {
    create: CreateDisasm,
    dispose: DisposeDisasm,
    disassemble: DisasmInstruction,
    context: *mut c_void,
    cpu: CString,
    features: CString,
    words: u32,
    _library: libloading::Library,
}

impl Llvm {
    pub fn load(library: &str, cpu: &str, features: &str) -> Result<Llvm, String> {
        let missing = |e: libloading::Error| format!("{library}: {e}");
        // SAFETY: libLLVM's initialisers have no preconditions, and the types are those of llvm-c/Disassembler.h,
        // llvm-c/Target.h and llvm-c/Core.h.
        let mut llvm = unsafe {
            let lib = libloading::Library::new(library).map_err(missing)?;
            let mut version = [0u32; 3];
            type Version = unsafe extern "C" fn(*mut u32, *mut u32, *mut u32);
            let [major, minor, patch] = &mut version;
            lib.get::<Version>(b"LLVMGetVersion\0").map_err(missing)?(major, minor, patch);
            if version[0] != self::version() {
                return Err(format!(
                    "{library} is LLVM {}, and {VERSION_VARIABLE} asks for {}",
                    version[0],
                    self::version()
                ));
            }
            for name in ["TargetInfo", "Target", "TargetMC", "Disassembler"] {
                let name = format!("LLVMInitializeAMDGPU{name}\0");
                lib.get::<unsafe extern "C" fn()>(name.as_bytes()).map_err(missing)?();
            }
            Llvm {
                create: *lib.get(b"LLVMCreateDisasmCPUFeatures\0").map_err(missing)?,
                dispose: *lib.get(b"LLVMDisasmDispose\0").map_err(missing)?,
                disassemble: *lib.get(b"LLVMDisasmInstruction\0").map_err(missing)?,
                context: std::ptr::null_mut(),
                cpu: CString::new(cpu).map_err(|e| e.to_string())?,
                features: CString::new(features).map_err(|e| e.to_string())?,
                words: 0,
                _library: lib,
            }
        };
        llvm.renew();
        if llvm.context.is_null() { Err(format!("LLVM knows no {cpu} {features}")) } else { Ok(llvm) }
    }

    fn renew(&mut self) {
        // SAFETY: the context is null or came from `create`; the strings live in `self`.
        unsafe {
            if !self.context.is_null() {
                (self.dispose)(self.context);
            }
            let null: *const c_void = std::ptr::null();
            let triple = c"amdgcn-amd-amdhsa".as_ptr();
            let (cpu, features) = (self.cpu.as_ptr(), self.features.as_ptr());
            self.context = (self.create)(triple, cpu, features, null.cast_mut(), 0, null, null);
        }
    }

    /// Length in bytes (0: rejected); the text is in `text` up to a NUL.
    pub fn disassemble(&mut self, word: &mut [u8], text: &mut [u8; MAX_TEXT]) -> usize {
        self.words += 1;
        if self.words % WORDS_PER_CONTEXT == 0 {
            self.renew();
        }
        text[0] = 0;
        // SAFETY: pointers and sizes are those of the two slices, and LLVM terminates the text within them.
        unsafe {
            let text = text.as_mut_ptr().cast();
            (self.disassemble)(self.context, word.as_mut_ptr(), word.len() as u64, 0, text, MAX_TEXT)
        }
    }
}

/// State that outlives a worker. The worker writes it; the supervisor reads it only after the worker's death.
#[repr(C)]
struct Shared {
    /// Number of words in the current batch; 0: none.
    count: AtomicU32,
    done: AtomicU32,
    input_at: AtomicU32,
    output_len: AtomicU32,
    input: [u8; MAX_BATCH * (1 + MAX_BYTES)],
    output: [u8; MAX_BATCH * (3 + MAX_TEXT)],
}

impl Shared {
    /// Zeroed, shared with every process forked from now on, never freed.
    fn map() -> &'static mut Shared {
        let (size, prot) = (size_of::<Shared>(), libc::PROT_READ | libc::PROT_WRITE);
        // SAFETY: a fresh anonymous mapping is page-aligned and zero, all zeros are a `Shared`, and nobody else in this
        // process has it.
        unsafe {
            let at = libc::mmap(std::ptr::null_mut(), size, prot, libc::MAP_SHARED | libc::MAP_ANON, -1, 0);
            assert!(at != libc::MAP_FAILED, "mmap: {}", io::Error::last_os_error());
            &mut *at.cast()
        }
    }

    fn answer(&mut self, status: u8, text: &[u8]) {
        let at = self.output_len.load(SeqCst) as usize;
        self.output[at] = status;
        self.output[at + 1..at + 3].copy_from_slice(&(text.len() as u16).to_le_bytes());
        self.output[at + 3..at + 3 + text.len()].copy_from_slice(text);
        self.output_len.store((at + 3 + text.len()) as u32, SeqCst);
        let input_at = self.input_at.load(SeqCst);
        self.input_at.store(input_at + 1 + u32::from(self.input[input_at as usize]), SeqCst);
        self.done.fetch_add(1, SeqCst);
    }
}

/// The child's `main`: `CHILD_FLAG cpu features library`.
pub fn child(arguments: &[String]) -> ! {
    let [cpu, features, library] = arguments else { panic!("{CHILD_FLAG} cpu features library") };
    // Unbuffered: data in a buffer would be lost with the worker.
    let stdin = File::from(io::stdin().as_fd().try_clone_to_owned().expect("stdin"));
    let stdout = File::from(io::stdout().as_fd().try_clone_to_owned().expect("stdout"));
    let llvm = Llvm::load(library, cpu, features);
    let greeting = llvm.as_ref().err().cloned().unwrap_or_default();
    let _ = send(&stdout, greeting.as_bytes());
    match llvm {
        Ok(llvm) => supervise(llvm, stdin, stdout),
        Err(_) => std::process::exit(1),
    }
}

fn supervise(mut llvm: Llvm, stdin: File, stdout: File) -> ! {
    let shared = Shared::map();
    // SAFETY: plain system calls; this process has one thread, so the forked copy may go on as it likes.
    unsafe {
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        libc::setrlimit(libc::RLIMIT_CORE, &none);
        loop {
            let worker = libc::fork();
            assert!(worker >= 0, "fork: {}", io::Error::last_os_error());
            if worker == 0 {
                let end = work(&mut llvm, shared, &stdin, &stdout);
                libc::_exit(if end.is_ok() { 0 } else { 2 });
            }
            let mut status = 0;
            libc::waitpid(worker, &mut status, 0);
            if !libc::WIFSIGNALED(status) || shared.done.load(SeqCst) >= shared.count.load(SeqCst) {
                libc::_exit(if libc::WIFEXITED(status) { libc::WEXITSTATUS(status) } else { 3 });
            }
            shared.answer(CRASH, b"");
        }
    }
}

/// Answers batches until there are no more; first finishes the one that killed the last worker.
fn work(llvm: &mut Llvm, shared: &mut Shared, stdin: &File, stdout: &File) -> io::Result<()> {
    let mut text = [0; MAX_TEXT];
    loop {
        if shared.count.load(SeqCst) == 0 && !read_batch(shared, stdin)? {
            return Ok(());
        }
        // SAFETY: a plain system call.
        unsafe { libc::alarm(PATIENCE_SECONDS) };
        while shared.done.load(SeqCst) < shared.count.load(SeqCst) {
            let at = shared.input_at.load(SeqCst) as usize;
            let len = usize::from(shared.input[at]);
            let size = llvm.disassemble(&mut shared.input[at + 1..at + 1 + len], &mut text);
            let line = CStr::from_bytes_until_nul(&text).map_or(&b""[..], CStr::to_bytes);
            shared.answer(size as u8, if size == 0 { b"" } else { line });
        }
        // SAFETY: a plain system call.
        unsafe { libc::alarm(0) };
        let reply = &shared.output[..shared.output_len.load(SeqCst) as usize];
        shared.count.store(0, SeqCst);
        send(stdout, reply)?;
    }
}

/// `false` at the end of the input.
fn read_batch(shared: &mut Shared, mut stdin: &File) -> io::Result<bool> {
    let mut header = [0; 8];
    match stdin.read_exact(&mut header) {
        Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
        other => other?,
    }
    let [a, b, c, d, e, f, g, h] = header;
    let (count, size) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]));
    stdin.read_exact(&mut shared.input[..size as usize])?;
    shared.done.store(0, SeqCst);
    shared.input_at.store(0, SeqCst);
    shared.output_len.store(0, SeqCst);
    shared.count.store(count, SeqCst);
    Ok(true)
}

fn send(mut to: &File, message: &[u8]) -> io::Result<()> {
    to.write_all(&(message.len() as u32).to_le_bytes())?;
    to.write_all(message)
}
