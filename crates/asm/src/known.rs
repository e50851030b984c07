//! Directives with their meanings, for editors.

use amdgpu_isa::Target;

use crate::kernel;

/// Directives that the assembler knows, each with its meaning in a few words, in groups that belong together. The
/// directives of kernel descriptors are in [`of_kernels`]. Rare directives for debuggers and linkers are left out.
pub static DIRECTIVES: &[(&str, &str)] = &[
    (
        ".amdgcn_target",
        "names the processor, its settings and the system, as in `\"amdgcn-amd-amdhsa--gfx942:xnack-\"`",
    ),
    (".amdgpu_isa_fill", "fills source fields that operations do not use as `llvm22` or `llvm23` does"),
    (".amdgpu_isa_flags", "states the field `e_flags` of the file, where it is not the usual one of the processor"),
    (".amdhsa_code_object_version", "sets the version of the code object: 4, 5 or 6"),
    (".amdhsa_kernel", "begins the descriptor of the kernel with this name"),
    (".end_amdhsa_kernel", "ends the descriptor of a kernel"),
    (".amdgpu_hsa_kernel", "marks a symbol as a kernel"),
    (".amd_kernel_code_t", "begins the descriptor of a kernel for runtimes other than that of HSA"),
    (".end_amd_kernel_code_t", "ends the descriptor"),
    (".amdgpu_metadata", "begins metadata for the runtime, as YAML"),
    (".end_amdgpu_metadata", "ends the metadata"),
    (".amdgpu_pal_metadata", "begins metadata for the runtime of PAL"),
    (".end_amdgpu_pal_metadata", "ends the metadata"),
    (".amdgpu_lds", "declares a variable in the memory of a workgroup: name, size, alignment"),
    (".text", "switches to the section of code"),
    (".data", "switches to the section of data"),
    (".rodata", "switches to the section of data that is only read"),
    (".bss", "switches to the section of zeros"),
    (".section", "switches to the section of this name, which it makes if there is none"),
    (".pushsection", "switches to a section until `.popsection`"),
    (".popsection", "returns to the section before the last `.pushsection`"),
    (".previous", "returns to the section before this one"),
    (".globl", "makes symbols visible outside"),
    (".global", "makes symbols visible outside"),
    (".local", "keeps symbols inside"),
    (".weak", "lets other definitions of symbols win"),
    (".protected", "makes symbols visible outside, and keeps others from replacing them"),
    (".hidden", "makes symbols visible to the linker only"),
    (".internal", "makes symbols visible to the linker only"),
    (".type", "gives a symbol a type, such as `@function` or `@object`"),
    (".size", "gives a symbol a size in bytes, such as `.-name`"),
    (".set", "gives a name a value, which can change"),
    (".equ", "gives a name a value, which can change"),
    (".equiv", "gives a name a value, which cannot change"),
    (".comm", "declares a variable of zeros: name, size, exponent of the alignment"),
    (".lcomm", "declares a variable of zeros that stays inside: name, size"),
    (".cg_profile", "tells a linker how often one symbol calls another: caller, callee, number"),
    (".reloc", "asks for a relocation: offset, kind, expression"),
    (".byte", "puts numbers of 1 byte here"),
    (".short", "puts numbers of 2 bytes here"),
    (".2byte", "puts numbers of 2 bytes here"),
    (".long", "puts numbers of 4 bytes here"),
    (".4byte", "puts numbers of 4 bytes here"),
    (".int", "puts numbers of 4 bytes here"),
    (".quad", "puts numbers of 8 bytes here"),
    (".8byte", "puts numbers of 8 bytes here"),
    (".octa", "puts numbers of 16 bytes here"),
    (".uleb128", "puts unsigned numbers here in as few bytes as they need"),
    (".sleb128", "puts signed numbers here in as few bytes as they need"),
    (".float", "puts floating-point numbers of 4 bytes here"),
    (".double", "puts floating-point numbers of 8 bytes here"),
    (".ascii", "puts texts here"),
    (".asciz", "puts texts here, each with a zero after it"),
    (".string", "puts texts here, each with a zero after it"),
    (".zero", "puts this many zeros here"),
    (".skip", "puts this many bytes here, which are zero or the second number"),
    (".space", "puts this many bytes here, which are zero or the second number"),
    (".fill", "puts a number here several times: how often, its size, the number"),
    (".org", "continues at this offset of the section"),
    (".p2align", "continues at the next multiple of 2 to this power"),
    (".balign", "continues at the next multiple of this number"),
    (".align", "continues at the next multiple of this number"),
    (".macro", "begins a macro: its name, and its parameters"),
    (".endm", "ends a macro"),
    (".purgem", "takes a macro away"),
    (".exitm", "leaves the macro that is being read"),
    (".altmacro", "lets macros have local names, and arguments in angle brackets"),
    (".noaltmacro", "ends `.altmacro`"),
    (".rept", "repeats the lines up to `.endr` this many times"),
    (".irp", "repeats the lines up to `.endr` for each value: a name, and the values"),
    (".irpc", "repeats the lines up to `.endr` for each character: a name, and a word"),
    (".endr", "ends a repetition"),
    (".if", "reads the lines up to `.else` or `.endif` only if the value is not zero"),
    (".ifdef", "reads the lines up to `.else` or `.endif` only if there is a symbol of this name"),
    (".ifndef", "reads the lines up to `.else` or `.endif` only if there is no symbol of this name"),
    (".ifeq", "reads the lines up to `.else` or `.endif` only if the value is zero"),
    (".ifne", "reads the lines up to `.else` or `.endif` only if the value is not zero"),
    (".ifb", "reads the lines up to `.else` or `.endif` only if nothing follows"),
    (".ifnb", "reads the lines up to `.else` or `.endif` only if something follows"),
    (".ifc", "reads the lines up to `.else` or `.endif` only if two texts are the same"),
    (".else", "reads the lines up to `.endif` only if those before it are not read"),
    (".elseif", "reads the lines that follow only if those before it are not read, and the value is not zero"),
    (".endif", "ends a condition"),
    (".include", "reads another source here"),
    (".incbin", "puts the bytes of a file here"),
    (".error", "is an error with this text"),
    (".warning", "is a warning with this text"),
    (".ident", "puts a text into the section `.comment`"),
    (".file", "names a source file for debuggers"),
    (".loc_label", "gives a name to a place in the table of lines"),
    (".loc", "says from which line of a source file the code is"),
    (".end", "ends the source"),
];

/// Directives of kernel descriptors with numbers from which parts of the descriptor are computed, and their meanings.
const NUMBERS: [(&str, &str); 6] = [
    (".amdhsa_next_free_vgpr", "says how many vector registers the kernel uses"),
    (".amdhsa_next_free_sgpr", "says how many scalar registers the kernel uses, without special ones"),
    (".amdhsa_accum_offset", "says how many vector registers come before the accumulation registers"),
    (".amdhsa_reserve_vcc", "says whether the kernel uses vcc"),
    (".amdhsa_reserve_flat_scratch", "says whether the kernel uses flat_scratch"),
    (".amdhsa_reserve_xnack_mask", "says whether the kernel needs xnack_mask"),
];

/// The meaning of a directive in a few words; `None` if it is not known. Case is ignored.
pub fn meaning(directive: &str) -> Option<&'static str> {
    let mut all = DIRECTIVES.iter().chain(&NUMBERS);
    all.find(|(name, _)| name.eq_ignore_ascii_case(directive)).map(|(_, meaning)| *meaning)
}

/// The directives that descriptors of a target's kernels can have, such as `.amdhsa_next_free_vgpr`.
///
/// ```
/// let gfx942 = "gfx942".parse().unwrap();
/// assert!(amdgpu_asm::known::of_kernels(gfx942).any(|name| name == ".amdhsa_accum_offset"));
/// ```
pub fn of_kernels(target: Target) -> impl Iterator<Item = String> {
    let parts = target.directives().iter().map(|directive| directive.name());
    let names = kernel::NUMBERS.into_iter().chain(parts).filter(move |name| kernel::has(target, name));
    names.map(|name| format!(".amdhsa_{name}"))
}
