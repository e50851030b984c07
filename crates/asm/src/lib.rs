//! The assembler for whole sources: assembly text from clang (`-S`) or from people, with macros, sections and kernels,
//! becomes an object for a linker, a code object for a loader, or bare code. The bytes are those of `llvm-mc-22` and
//! `ld.lld-22`.
//!
//! ```
//! let source = r#"
//!     .amdgcn_target "amdgcn-amd-amdhsa--gfx942"
//!     .p2align 8
//! half:                                    // *data = 0.5
//!     s_load_dwordx2 s[0:1], s[0:1], 0x0
//!     v_mov_b32 v0, 0
//!     v_mov_b32 v1, 0.5
//!     s_waitcnt lgkmcnt(0)
//!     global_store_dword v0, v1, s[0:1]
//!     s_endpgm
//!     .size half, .-half
//!     .globl half
//!
//!     .rodata
//!     .p2align 6
//!     .amdhsa_kernel half
//!         .amdhsa_user_sgpr_kernarg_segment_ptr 1
//!         .amdhsa_kernarg_size 8
//!         .amdhsa_next_free_vgpr 2
//!         .amdhsa_next_free_sgpr 2
//!         .amdhsa_accum_offset 4
//!     .end_amdhsa_kernel
//! "#;
//! let assembly = amdgpu_asm::assemble("half.s", source, &amdgpu_asm::Options::default())?;
//! assert!(assembly.warnings().all().is_empty());
//! let code: Vec<&[u8]> = assembly.code().collect();
//! assert_eq!(code[0][code[0].len() - 4..], 0xbf81_0000_u32.to_le_bytes()); // s_endpgm
//! let code_object = assembly.to_code_object(false)?; // for hipModuleLoadData
//! assert_eq!(code_object[..4], *b"\x7fELF");
//! # Ok::<(), amdgpu_asm::Faults>(())
//! ```
//!
//! A fault has a line and a column, in the source, in an included file, or in the expansion of a macro:
//!
//! ```
//! use amdgpu_asm::{Options, assemble};
//! let mut options = Options::default();
//! options.target = Some("gfx942".parse()?);
//! options.is_alone = true; // it includes no files
//! let faults = assemble("input", ".macro two\n v_ad_f32 v0, v1, v2\n.endm\ns_nop 0\ntwo", &options).unwrap_err();
//! let fault = &faults.all()[0];
//! let place = fault.place.as_ref().unwrap();
//! assert_eq!((&*place.file, place.line, place.column, place.end_column), ("the macro two", 1, 2, 10));
//! assert_eq!(fault.from[0].place.line, 5);
//! assert_eq!(faults.to_string(), "the macro two:1:2: error: unknown mnemonic on gfx942 (v_add_f32 is similar)");
//! # Ok::<(), amdgpu_asm::Faults>(())
//! ```
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod arguments;
mod assembler;
mod cycles;
mod data;
mod debug;
mod directive;
mod elf;
mod encoding;
mod expr;
mod fault;
mod flaw;
mod instruction;
mod kernel;
mod kernel_code;
pub mod known;
mod leb;
mod linked;
mod long_branch;
mod macros;
pub mod metadata;
mod needed;
mod object;
pub mod outline;
mod parts;
mod places;
mod real;
mod resolve;
mod scan;
mod section;
mod source;
mod symbol;
mod table;
mod target;
mod yaml;

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

pub use amdgpu_isa::Filler;
pub use amdgpu_isa::asm::Far;
pub use data::NOP;
pub use encoding::source_text;
pub use fault::{Fault, Faults, Kind, Origin, Place};
pub use long_branch::far;
pub use places::{Places, Statement};
pub use target::Processor;

use amdgpu_object::elf::SHF_EXECINSTR;
use assembler::{Assembler, Guess};
use flaw::{Flaw, Flaws, Span};
use resolve::Image;
use source::File;

/// The settings for assembling a source.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The processor, if the source does not name one. A source that names another processor is an error.
    pub target: Option<Processor>,
    /// The lanes of a wave, 32 or 64, in code outside of kernels whose descriptors state the lanes. A size that the
    /// processor's waves cannot have is an error.
    pub wave: Option<u16>,
    /// The filler of the source fields that an operation does not use, unless `.amdgpu_isa_fill` names one; `None` for
    /// the usual filler of the processor.
    pub filler: Option<Filler>,
    /// Whether the tables of names of a linked file are sorted, as `llvm-objcopy` and `llvm-strip` leave them.
    /// Otherwise the names are in the order of sections and symbols, as `ld.lld` leaves them.
    pub sorted_names: bool,
    /// The scalar registers for long branches, which replace branches that do not reach their targets. `None` makes
    /// such a branch an error.
    pub long_branches: Option<Far>,
    /// The directories in which `.include` and `.incbin` search for files, after the current directory.
    pub include: Vec<PathBuf>,
    /// Whether places follow the markers of a preprocessor (`# 12 "file.s"`). `false` by default, as programs that edit
    /// the source need.
    pub follows_markers: bool,
    /// Whether `.include` and `.incbin` are errors, as they should be in an untrusted source: these directives read any
    /// file.
    pub is_alone: bool,
    /// The greatest size and the greatest alignment of a section in bytes: 2^27 by default. A section of this size
    /// takes seconds.
    pub longest_section: u64,
    /// The greatest size, in bytes, of the text that macros, repetitions and included files become: 2^24 by default. A
    /// text of this size takes about a second.
    pub longest_expansion: usize,
    /// The number of faults of any kind after which errors about unknown names suggest no similar ones: 100 by default.
    /// The search for a similar name takes longer than assembling a line.
    pub suggestions: usize,
    /// Whether [`Assembly::places`] knows the statement that each byte is from, which takes memory for each statement.
    pub keeps_places: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            target: None,
            wave: None,
            filler: None,
            sorted_names: false,
            long_branches: None,
            include: Vec::new(),
            follows_markers: false,
            is_alone: false,
            longest_section: 1 << 27,
            longest_expansion: 1 << 24,
            suggestions: 100,
            keeps_places: false,
        }
    }
}

/// An assembled source: sections with their bytes, symbols and relocations, which can be written as files.
#[derive(Clone, Debug)]
pub struct Assembly {
    image: Image,
    warnings: Flaws,
    files: Vec<File>,
    /// The offsets at which the bytes of statements begin, for each section of the source.
    spans: Vec<Vec<(u64, Span)>>,
}

/// Assembles a source. `name` is the name of the source in places.
///
/// The source is read again until all branches reach their targets, if [`Options::long_branches`] is set. On RDNA1,
/// whose hardware cannot branch over 63 dwords, a branch over 63 dwords gets an `s_nop` after it.
///
/// # Errors
/// The errors and warnings of a source that has an error.
pub fn assemble(name: &str, text: &str, options: &Options) -> Result<Assembly, Faults> {
    if let (Some(processor), Some(lanes)) = (options.target, options.wave) {
        processor.with_waves(lanes).map_err(Faults::without_place)?;
    }
    let (mut long, mut padded, mut guess) = (BTreeSet::new(), BTreeSet::new(), Guess::default());
    guess.lanes = lanes(text);
    let mut rounds = 0;
    let (assembler, image) = loop {
        let (assembler, image) =
            read_once(name, text, options, (long.clone(), padded.clone(), guess.clone()), rounds + 1 >= ROUNDS);
        rounds += 1;
        let is_final = assembler.found == guess || rounds >= ROUNDS;
        if is_final && assembler.too_far.is_empty() && assembler.broken.is_empty() {
            break (assembler, image);
        }
        long.extend(assembler.too_far);
        padded.extend(assembler.broken);
        guess = assembler.found;
    };
    let (flaws, files, spans) = (assembler.flaws, assembler.source.files, assembler.spans.unwrap_or_default());
    match image.filter(|_| flaws.errors() == 0) {
        Some(image) => Ok(Assembly { image, warnings: flaws, files, spans }),
        None => Err(Faults::new(&flaws, &files)),
    }
}

/// The greatest number of times that a source is read because numbers depend on later lines.
const ROUNDS: u32 = 32;

/// Reads the source once. `known` are the numbers of the long branches, the numbers of the branches with an `s_nop`
/// after them, and the values that depend on later lines.
fn read_once(
    name: &str,
    text: &str,
    options: &Options,
    known: (BTreeSet<u32>, BTreeSet<u32>, Guess),
    is_last: bool,
) -> (Assembler, Option<Image>) {
    let mut assembler = Assembler::new(options);
    (assembler.long, assembler.padded, assembler.guess) = known;
    assembler.is_last_round = is_last;
    let kernels = &assembler.guess.lanes;
    let is_wide = !kernels.is_empty() && kernels.values().all(|lanes| *lanes == 64);
    assembler.wave = assembler.wave.or(is_wide.then_some(64));
    if let Some(processor) = options.target {
        // Setting the first target cannot fail: `assemble` has checked the wave size.
        let _ = assembler.set_target(processor, Span::default());
    }
    match assembler.source.push(name.into(), text, None, false, 0) {
        Ok(()) => assembler.run(),
        Err(flaw) => assembler.fault(flaw),
    }
    assembler.finish()
}

/// The lanes of kernels by name, for kernels whose descriptor comes after the code. A quick search of the text finds
/// most of them.
fn lanes(text: &str) -> HashMap<String, u16> {
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
    kernels
}

impl Assembly {
    /// The warnings: those of `.warning`, and those about doubtful statements, such as a directive without an effect,
    /// or a kernel that is not aligned.
    pub fn warnings(&self) -> Faults {
        Faults::new(&self.warnings, &self.files)
    }

    /// The bytes of each section that has code, in the order of the source. The distance of a branch that only a linker
    /// knows is -1. Any other value that only a linker knows is zero, or its addend if the runtime is not HSA.
    pub fn code(&self) -> impl Iterator<Item = &[u8]> {
        let code = self.image.sections.iter().filter(|output| output.section.flags & SHF_EXECINSTR != 0);
        code.map(|output| &*output.section.data)
    }

    /// An object for a linker, byte for byte as `llvm-mc -filetype=obj` of LLVM 22 writes it.
    ///
    /// # Errors
    /// The names of sections and symbols have more than 4 GiB.
    pub fn to_object(&self) -> Result<Vec<u8>, Faults> {
        object::write(&self.image).map_err(Faults::without_place)
    }

    /// A code object for a loader, as `ld.lld -shared` makes it from the object. `strip` leaves out the symbol table
    /// that no loader reads, as `-s` does.
    ///
    /// # Errors
    /// A symbol is not defined or too far away, another module could replace it, or a kernel is not aligned. The faults
    /// include the warnings, and have places in the source.
    pub fn to_code_object(&self, strip: bool) -> Result<Vec<u8>, Faults> {
        let mut all = self.warnings.clone();
        all.refuse(Kind::Misaligned);
        if all.errors() > 0 {
            return Err(Faults::new(&all, &self.files));
        }
        linked::write(&self.image, strip).map_err(|flaws: Vec<Flaw>| {
            flaws.into_iter().for_each(|flaw| all.add(flaw));
            Faults::new(&all, &self.files)
        })
    }
}
