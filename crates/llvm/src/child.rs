//! The child of an oracle: LLVM's C API, and the processes in which it may crash.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use crate::versions::version as wanted_version;
use crate::word::MAX_BYTES;

/// The first argument with which an [`Oracle`](crate::Oracle) starts its program again.
pub(crate) const CHILD_FLAG: &str = "--llvm-child";
/// The greatest number of words in a batch.
pub(crate) const MAX_BATCH: usize = 2048;
/// The size of the buffer for LLVM's text of a word, in bytes, with the NUL at its end.
pub const MAX_TEXT: usize = 1024;
/// The status of a word that LLVM refuses. The status of an instruction is its length.
pub(crate) const REJECT: u8 = 0;
/// The status of a word on which LLVM crashes.
pub(crate) const CRASH: u8 = 255;
/// The number of seconds after which SIGALRM ends a worker that hangs, which counts as a crash.
const PATIENCE_SECONDS: u32 = 30;
/// The number of words after which LLVM's context is replaced, because a context never frees its allocations.
const WORDS_PER_CONTEXT: u32 = 1 << 17;

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

/// LLVM in this process, for words on which it does not crash.
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
    /// Loads a `libLLVM` for LLVM's `-mcpu` and `-mattr`.
    ///
    /// # Errors
    /// A text that says why: there is no such library, it is of another version, or it does not know the processor.
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
            if version[0] != wanted_version() {
                return Err(format!("{library} is LLVM {}, and not {}", version[0], wanted_version()));
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

    /// Disassembles a word. Returns its length in bytes, or 0 if LLVM refuses it. Writes the text to `text`, with a NUL
    /// after it.
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

/// The state that outlives a worker. The supervisor uses it only after the worker has died.
#[repr(C)]
struct Shared {
    /// The number of words in the current batch; 0 if there is none.
    count: AtomicU32,
    done: AtomicU32,
    input_at: AtomicU32,
    output_len: AtomicU32,
    input: [u8; MAX_BATCH * (1 + MAX_BYTES)],
    output: [u8; MAX_BATCH * (3 + MAX_TEXT)],
}

impl Shared {
    /// Makes a `Shared` of zeros that every process forked later shares, and that is never freed.
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

/// Answers the questions of an [`Oracle`](crate::Oracle), if it started this program, and then ends the program.
/// Otherwise does nothing. Call this function at the beginning of `main`.
///
/// # Panics
/// If the arguments of the child are not those that an oracle passes.
pub fn run_as_child() {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().is_some_and(|first| first == CHILD_FLAG) {
        run(&arguments.collect::<Vec<String>>());
    }
}

/// The `main` of the child. `arguments`: processor, features, library.
fn run(arguments: &[String]) -> ! {
    let [cpu, features, library] = arguments else { panic!("{CHILD_FLAG} cpu features library") };
    // The files have no buffers, because data in a buffer would be lost with the worker.
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

/// Answers batches until there are no more. Begins with the rest of the batch in which the last worker died.
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

/// Reads the next batch. Returns `false` at the end of the input.
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
