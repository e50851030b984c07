//! LLVM's assembler, as a program, for the targets that LLVM does not disassemble, and its differences from the
//! library.

use std::io::Write;
use std::process::{Command, Stdio};

use amdgpu_isa::check::RuleError;
use amdgpu_isa::operands::Special;
use amdgpu_isa::{Field, Format, Inst, Opcode, Operand, Reg, Target, Value, decode};

// Targets and operations that LLVM 22 does not know: `tests/newer.rs` compares them with newer versions.
pub use amdgpu_llvm::NEWER;
use amdgpu_llvm::NEWER_OPERATIONS;

/// The program that assembles: that of LLVM 22, or the one that `AMDGPU_ISA_LLVM_MC` names, which is that of LLVM 24
/// (`.ci/run full-llvm24`).
pub fn program() -> String {
    std::env::var("AMDGPU_ISA_LLVM_MC").unwrap_or("llvm-mc-22".into())
}

/// Whether the assembler is LLVM 24's.
pub fn is_newer() -> bool {
    std::env::var_os("AMDGPU_ISA_LLVM_MC").is_some()
}

/// The targets that LLVM 22 knows; with LLVM 24, the targets that LLVM 22 does not know.
#[allow(dead_code)] // Each test uses a part of it.
pub fn targets() -> impl Iterator<Item = Target> {
    let is_asked = |target: &Target| NEWER.contains(&target.processor()) == is_newer();
    Target::ALL.iter().copied().filter(is_asked)
}

/// Whether the assembler has the operation on the library's targets that have it.
#[allow(dead_code)] // Each test uses a part of it.
pub fn has(opcode: Opcode) -> bool {
    has_mnemonic(opcode.name())
}

/// Whether the assembler has the operation with which a text begins, as [`has`].
pub fn has_mnemonic(text: &str) -> bool {
    is_newer() || !NEWER_OPERATIONS.contains(&text.split(' ').next().unwrap_or(""))
}

/// A class of texts for which the assembler does not make the same bytes.
pub struct Class {
    /// The format; empty for any.
    pub format: &'static str,
    /// The assembler's message, or `another` and the fields in which its bytes differ.
    pub says: &'static str,
    /// The reason why the library is right.
    #[allow(dead_code)] // For whoever reads the list.
    pub reason: &'static str,
    /// Whether the reason applies to the instruction.
    is_one: fn(&Inst) -> bool,
}

const fn class_of(format: &'static str, says: &'static str, reason: &'static str, is_one: fn(&Inst) -> bool) -> Class {
    Class { format, says, reason, is_one }
}

fn get(inst: &Inst, field: Field) -> u32 {
    inst.get(field).unwrap_or(0)
}

fn name_is(inst: &Inst, names: &[&str]) -> bool {
    names.contains(&inst.opcode().name())
}

fn is_off(inst: &Inst) -> bool {
    get(inst, Field::Offen) + get(inst, Field::Idxen) + get(inst, Field::Addr64) == 0
}

/// Whether the source has one of the codes of vccz, execz and scc.
fn reads_flag(inst: &Inst) -> bool {
    (251..=253).contains(&get(inst, Field::Ssrc0))
}

/// The bits of `s_waitcnt` that are counters.
const COUNTERS: u32 = 0x0f7f;
/// The bits of `s_sendmsg`: the message, its operation, its stream.
const MESSAGE: u32 = 0x037f;

/// The classes. A class applies if the assembler's message contains its text, or if its fields are all that differ.
pub const CLASSES: &[Class] = &[
    // Rules beyond decoding, which `llvm-mc` enforces and a disassembler must not.
    class_of("", "violates constant bus", "two different scalars in one vector operation", |i| {
        matches!(i.check(), Err(RuleError::ConstantBus { .. } | RuleError::MisalignedScalar { .. }))
    }),
    class_of("", "lds_direct", "lds_direct where the operation cannot take it", |i| {
        i.operands().any(|o| o.value == Value::Reg(Reg::Special(Special::SrcLdsDirect)))
    }),
    class_of("", "alignment", "a misaligned tuple is printed as the aligned one that hardware reads", |i| {
        matches!(i.check(), Err(RuleError::MisalignedScalar { .. }))
    }),
    class_of("EXP", "invalid exp target", "a target that does not exist is shown by its number", |i| {
        i.to_string().contains("invalid_target_")
    }),
    class_of("MIMG", "image data size does not match", "a dmask that an atomic does not have", |i| {
        i.flags().is_atomic()
    }),
    class_of("MIMG", "invalid atomic image dmask", "a dmask that an atomic does not have", |i| {
        let double = i.opcode().name().contains("cmpswap");
        i.flags().is_atomic()
            && ![if double { 3 } else { 1 }, if double { 15 } else { 3 }].contains(&get(i, Field::Dmask))
    }),
    class_of("MIMG", "invalid image_gather dmask", "a gather with other than one component", |i| {
        i.opcode().name().starts_with("image_gather4") && get(i, Field::Dmask).count_ones() != 1
    }),
    class_of("MUBUF", "TFE modifier has no meaning", "a store with tfe", |i| {
        i.flags().is_store() && !i.flags().is_atomic() && get(i, Field::Tfe) == 1
    }),
    class_of("VINTRP", "invalid interpolation slot", "a parameter that does not exist is shown by its number", |i| {
        name_is(i, &["v_interp_mov_f32"]) && get(i, Field::Vsrc) > 2
    }),
    class_of("VINTRP", "out of bounds interpolation attribute", "attributes 33 to 63 can be encoded", |i| {
        get(i, Field::Attr) > 32
    }),
    // Operations and operands that LLVM's assembler lacks.
    class_of("FLAT", "invalid operand for instruction", "LLVM has no tfe for FLAT", |i| get(i, Field::Tfe) == 1),
    class_of("SOP1", "invalid operand for instruction", "vccz, execz and scc as a 64-bit source", |i| {
        reads_flag(i) && i.operands().any(|o| o.role == Some(Field::Ssrc0) && o.bits == 64)
    }),
    class_of("SOP2", "invalid operand for instruction", "s_cbranch_g_fork with a literal", |i| {
        name_is(i, &["s_cbranch_g_fork"]) && i.extension() == Some(Format::Literal)
    }),
    class_of(
        "VOP3A",
        "integer clamping is not supported",
        "the clamp bit of a compare (signalling), and of integers",
        |i| {
            let integer =
                |word: &str| word.starts_with(['i', 'u']) && word[1..].starts_with(|c: char| c.is_ascii_digit());
            (i.flags().is_compare() || i.opcode().name().split('_').any(integer)) && get(i, Field::Clamp) == 1
        },
    ),
    class_of("VOP3A", "literal operands are not supported", "a constant as a 16-bit source before GCN 1.2", |i| {
        name_is(i, &["v_cvt_f32_f16"]) && (128..=247).contains(&get(i, Field::Src0))
    }),
    class_of("SOP1", "invalid instruction", "s_mov_regrd_b32 and s_mov_fed_b32 of the GCN page", |i| {
        name_is(i, &["s_mov_regrd_b32", "s_mov_fed_b32"])
    }),
    class_of("SOPK", "invalid instruction", "s_getreg_regrd_b32 of the GCN page", |i| {
        name_is(i, &["s_getreg_regrd_b32"])
    }),
    // Words with the same meaning, because the text does not show bits that are not read.
    class_of("DS", "another offset0 offset1", "a bit mask of ds_swizzle_b32 has several encodings", |i| {
        name_is(i, &["ds_swizzle_b32"])
    }),
    class_of("DS", "another offset0", "the same", |i| name_is(i, &["ds_swizzle_b32"])),
    class_of("DS", "another offset1", "the same", |i| name_is(i, &["ds_swizzle_b32"])),
    class_of("EXP", "another source that is off", "its register is not shown", |_| true),
    class_of("EXP", "another en vsrc0", "the same bits; a register that is not shown", |i| get(i, Field::Compr) == 1),
    class_of("EXP", "another en vsrc1", "the same", |i| get(i, Field::Compr) == 1),
    class_of("EXP", "another en", "with compr two enable bits show one source", |i| get(i, Field::Compr) == 1),
    class_of(
        "EXP",
        "another half of a pair",
        "of a compressed pair the assembler asks the first source only",
        has_half_pair,
    ),
    class_of("FLAT", "another vdst", "the destination of an atomic that returns nothing", |i| {
        i.flags().is_atomic() && get(i, Field::Glc) == 0
    }),
    class_of("MTBUF", "another vaddr", "an address that is off", is_off),
    class_of("MUBUF", "another vaddr", "an address that is off", is_off),
    class_of("MUBUF", "another vaddr vdata", "both", |i| is_off(i) && get(i, Field::Lds) == 1),
    class_of("MUBUF", "another vdata", "data that goes to LDS", |i| get(i, Field::Lds) == 1),
    class_of("SOPP", "another simm16", "bits that no counter has, or no part of a message", |i| {
        let used = match i.opcode().name() {
            "s_waitcnt" => COUNTERS,
            "s_sendmsg" | "s_sendmsghalt" => MESSAGE,
            _ => u32::MAX,
        };
        get(i, Field::Simm16) & !used != 0
    }),
    class_of("VOP1", "another literal", "the upper half of a 16-bit literal", |i| {
        name_is(i, &["v_cvt_f32_f16"]) && get(i, Field::Literal) > 0xffff
    }),
    class_of("VOP3A", "another encoding (VOP1 4 bytes)", "v_nop and v_clrexcp look alike in both encodings", |i| {
        name_is(i, &["v_nop", "v_clrexcp"])
    }),
];

/// The assembler's result for each line: its bytes, or its message.
pub fn assemble(target: Target, lines: &[String]) -> Vec<Result<Vec<u8>, String>> {
    let processor = target.processor();
    let features = match (processor.starts_with("gfx1"), target.wave_size()) {
        (false, _) => "",
        (true, 32) => "--mattr=+real-true16,+wavefrontsize32",
        (true, _) => "--mattr=+real-true16,+wavefrontsize64",
    };
    let program = program();
    let mut child = Command::new(&program)
        .args(["--triple=amdgcn-amd-amdhsa", &format!("--mcpu={processor}"), "--show-encoding"])
        .args(Some(features).filter(|features| !features.is_empty()))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{program} is needed: install the Debian package llvm-22: {error}"));
    let mut stdin = child.stdin.take().expect("piped");
    // A label shows to which line the following bytes belong, because there may be bytes even after an error.
    let text: String = lines.iter().enumerate().map(|(n, line)| format!("line{n}: {line}\n")).collect();
    let feeder = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let output = child.wait_with_output().expect("the assembler runs");
    feeder.join().expect("no panic").expect("the assembler reads its input");
    let mut results: Vec<Option<Result<Vec<u8>, String>>> = vec![None; lines.len()];
    let stderr = String::from_utf8_lossy(&output.stderr);
    for line in stderr.lines() {
        let Some(rest) = line.strip_prefix("<stdin>:") else { continue };
        let mut parts = rest.splitn(3, ':');
        let (Some(n), Some(message)) = (parts.next().and_then(|n| n.parse::<usize>().ok()), parts.nth(1)) else {
            continue;
        };
        if message.contains("error:") {
            results[n - 1].get_or_insert(Err(message.trim().to_string()));
        }
    }
    let stdout = String::from_utf8_lossy(&output.stdout);
    let mut of = 0;
    for line in stdout.lines() {
        if let Some(label) = line.strip_prefix("line").and_then(|rest| rest.split(':').next()) {
            of = label.parse().expect("the number of a line");
        } else if let Some((_, encoding)) = line.split_once("encoding: [") {
            let bytes = encoding.trim_end_matches(']').split(',');
            let bytes = bytes.map(|b| u8::from_str_radix(b.trim_start_matches("0x"), 16));
            results[of].get_or_insert(Ok(bytes.collect::<Result<_, _>>().unwrap_or_default()));
        }
    }
    let last = stderr.lines().next_back().unwrap_or("nothing");
    let of_line = |(result, line): (Option<_>, &String)| result.unwrap_or_else(|| panic!("{line}: {program}: {last}"));
    results.into_iter().zip(lines).map(of_line).collect()
}

/// Compares the bytes assembled from an instruction's text with the instruction: they are equal, or in a class of the
/// list.
///
/// # Errors
/// A description of the difference.
pub fn class(inst: &Inst, result: Result<Vec<u8>, String>) -> Result<Option<&'static str>, String> {
    let mut bytes = [0; 20];
    let len = inst.encode(&mut bytes).expect("20 bytes are enough");
    let why = match result {
        Ok(got) if got == bytes[..len] => return Ok(None),
        Ok(got) if is_aligned(inst, &got) => "alignment".to_string(),
        Ok(got) => differing_fields(inst, &got),
        Err(message) => message,
    };
    let format = inst.format().name();
    let says = |class: &&Class| if why.starts_with("another ") { why == class.says } else { why.contains(class.says) };
    let of_format = CLASSES.iter().filter(|class| class.format.is_empty() || class.format == format);
    let class = of_format.filter(says).find(|class| (class.is_one)(inst));
    class.map(|class| Some(class.says)).ok_or(why)
}

/// Whether both swizzles read the same lane in each of 32 lanes: `lane & and | or ^ xor`, as in GCN's manuals.
fn swizzles_alike(a: &Inst, b: &Inst) -> bool {
    let from = |inst: &Inst, lane: u32| {
        let mask = get(inst, Field::Offset1) << 8 | get(inst, Field::Offset0);
        (mask >> 15 == 0).then_some((lane & mask | mask >> 5) & 31 ^ mask >> 10 & 31)
    };
    name_is(a, &["ds_swizzle_b32"]) && (0..32).all(|lane| from(a, lane).is_some() && from(a, lane) == from(b, lane))
}

/// The difference between the assembled bytes and the instruction: another encoding, another text, or the names of the
/// fields that differ and that the text does not show.
fn differing_fields(inst: &Inst, got: &[u8]) -> String {
    let Ok(other) = decode(inst.target(), got) else { return "bytes that are no instruction".into() };
    if other.format() != inst.format() || other.len() != inst.len() || other.opcode() != inst.opcode() {
        return format!("another encoding ({} {} bytes)", other.format(), other.len());
    }
    let differ = inst.fields().zip(other.fields()).filter(|(a, b)| !a.info.overlay && a.value != b.value);
    if other.to_string() != inst.to_string() && !swizzles_alike(inst, &other) {
        let is_half = has_half_pair(inst) && get(inst, Field::En) != get(&other, Field::En);
        return if is_half { "another half of a pair".into() } else { format!("another text: {other}") };
    }
    let names: Vec<&str> = differ.map(|(a, _)| a.info.field.name()).collect();
    let shown: Vec<&str> = names.iter().copied().filter(|name| !is_hidden(inst, name)).collect();
    match shown.is_empty() {
        true => "another source that is off".into(),
        false => format!("another {}", shown.join(" ")),
    }
}

/// Whether a compressed export has two sources in one register, and one of the sources is off.
fn has_half_pair(inst: &Inst) -> bool {
    let enabled = get(inst, Field::En);
    inst.format() == Format::Exp && get(inst, Field::Compr) == 1 && (enabled ^ enabled >> 1) & 0b101 != 0
}

/// Whether a field is a source of an export that is off, or that compressed exports lack.
fn is_hidden(inst: &Inst, field: &str) -> bool {
    let Some(n) = field.strip_prefix("vsrc").and_then(|n| n.parse::<u32>().ok()) else { return false };
    let enabled = get(inst, Field::En);
    let off = match get(inst, Field::Compr) {
        0 => enabled >> n & 1 == 0,
        _ => n > 1 || enabled >> (2 * n) & 3 == 0,
    };
    inst.format() == Format::Exp && off
}

/// Whether the bytes are the same operation, and differ only in the low bits of scalar register fields, which name the
/// aligned tuple.
fn is_aligned(inst: &Inst, got: &[u8]) -> bool {
    let Ok(other) = decode(inst.target(), got) else { return false };
    let same = |a: &Inst, b: &Inst| (a.format(), a.opcode(), a.len()) == (b.format(), b.opcode(), b.len());
    if !same(&other, inst) {
        return false;
    }
    let tuple_of = |field: Field, code: u32| {
        // A tuple begins at a multiple of its length, or of four.
        let operand = inst.operands().find(|o| o.role == Some(field));
        let scalar = |o: &Operand| matches!(o.value, Value::Reg(Reg::Sgpr(_) | Reg::Ttmp(_)));
        let align = operand.filter(scalar).map_or(1, |o| u32::from(o.bits / 32).next_power_of_two().clamp(1, 4));
        // These fields count pairs of registers, or groups of four.
        let unit = match field {
            Field::Sbase => 2,
            Field::Srsrc | Field::Ssamp => 4,
            _ => 1,
        };
        code - code % (align / unit).max(1)
    };
    let mut fields = inst.fields().zip(other.fields()).filter(|(a, _)| !a.info.overlay);
    fields.all(|(a, b)| a.value == b.value || tuple_of(a.info.field, a.value) == b.value)
}
