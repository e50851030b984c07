//! LLVM's assembler, as a program, for the targets that LLVM does not disassemble; and its differences from the
//! library.

use std::io::Write;
use std::process::{Command, Stdio};

use amdgpu_isa::{Inst, decode};

/// Why a text may fail to come back: the format (empty: any), the assembler's message or the fields in which its bytes
/// differ, and the reason why that is right.
pub const CLASSES: &[(&str, &str, &str)] = &[
    // Rules beyond decoding, which `llvm-mc` enforces and a disassembler must not.
    ("", "violates constant bus", "two different scalars in one vector operation"),
    ("", "lds_direct", "lds_direct where the operation cannot take it"),
    ("", "alignment", "a misaligned tuple is printed as the aligned one that hardware reads"),
    ("EXP", "invalid exp target", "a target that does not exist is shown by its number"),
    ("MIMG", "image data size does not match", "a dmask that an atomic does not have"),
    ("MIMG", "invalid atomic image dmask", "a dmask that an atomic does not have"),
    ("MIMG", "invalid image_gather dmask", "a gather with other than one component"),
    ("MUBUF", "TFE modifier has no meaning", "a store with tfe"),
    ("VINTRP", "invalid interpolation slot", "a parameter that does not exist is shown by its number"),
    ("VINTRP", "out of bounds interpolation attribute", "attributes 33 to 63 can be encoded"),
    // Operations that the assembler lacks.
    ("FLAT", "invalid operand for instruction", "LLVM has no tfe for FLAT"),
    ("SOP1", "invalid operand for instruction", "vccz, execz and scc as a 64-bit source"),
    ("SOP2", "invalid operand for instruction", "s_cbranch_g_fork with a literal"),
    ("VOP3A", "integer clamping is not supported", "the clamp bit of a compare: signalling"),
    ("VOP3A", "literal operands are not supported", "a constant as a 16-bit source before GCN 1.2"),
    ("SOP1", "invalid instruction", "s_mov_regrd_b32 and s_mov_fed_b32 of the GCN page"),
    ("SOPK", "invalid instruction", "s_getreg_regrd_b32 of the GCN page"),
    // Words with the same meaning: the text does not show unused bits.
    ("DS", "another offset0 offset1", "a bit mask of ds_swizzle_b32 has several encodings"),
    ("EXP", "another vsrc", "a source that is off"),
    ("EXP", "another en vsrc", "with compr two enable bits show one source"),
    ("FLAT", "another vdst", "the destination of an atomic that returns nothing"),
    ("MTBUF", "another vaddr", "an address that is off"),
    ("MUBUF", "another vaddr", "an address that is off"),
    ("MUBUF", "another vdata", "data that goes to LDS"),
    ("SOPP", "another simm16", "bits of s_waitcnt that no counter has"),
    ("VOP1", "another literal", "the upper half of a 16-bit literal"),
    ("VOP3A", "another encoding (VOP1 4 bytes)", "v_nop and v_clrexcp look alike in both encodings"),
];

/// The assembler's result for each line: its bytes, or its message.
pub fn assemble(target: &str, lines: &[String]) -> Vec<Result<Vec<u8>, String>> {
    let mut child = Command::new("llvm-mc-22")
        .args(["--triple=amdgcn-amd-amdhsa", &format!("--mcpu={target}"), "--show-encoding"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("llvm-mc-22 is needed: install the Debian package llvm-22");
    let mut stdin = child.stdin.take().expect("piped");
    let text = lines.join("\n") + "\n";
    let feeder = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let output = child.wait_with_output().expect("llvm-mc-22 runs");
    feeder.join().expect("no panic").expect("llvm-mc-22 reads its input");
    let mut results: Vec<Option<Result<Vec<u8>, String>>> = vec![None; lines.len()];
    for line in String::from_utf8_lossy(&output.stderr).lines() {
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
    let mut encodings = stdout.lines().filter_map(|l| l.split_once("encoding: [")).map(|(_, e)| {
        let bytes = e.trim_end_matches(']').split(',').map(|b| u8::from_str_radix(b.trim_start_matches("0x"), 16));
        bytes.collect::<Result<Vec<u8>, _>>().unwrap_or_default()
    });
    for r in results.iter_mut().filter(|r| r.is_none()) {
        *r = Some(Ok(encodings.next().unwrap_or_default()));
    }
    assert!(encodings.next().is_none(), "more encodings than lines");
    results.into_iter().map(|r| r.expect("filled")).collect()
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
        Ok(got) if got.len() == len && misaligned(&got, &bytes[..len]) => "alignment".to_string(),
        Ok(got) => differing_fields(inst, &got),
        Err(message) => message,
    };
    let format = inst.format().name();
    let class = CLASSES.iter().find(|(f, c, _)| (f.is_empty() || *f == format) && why.contains(c));
    class.map(|(_, c, _)| Some(*c)).ok_or(why)
}

/// The fields in which the assembled bytes differ from the instruction's.
fn differing_fields(inst: &Inst, got: &[u8]) -> String {
    let Ok(other) = decode(inst.target(), got) else { return "bytes that are no instruction".into() };
    if other.format() != inst.format() || other.len() != inst.len() || other.opcode() != inst.opcode() {
        return format!("another encoding ({} {} bytes)", other.format(), other.len());
    }
    let differ = inst.fields().zip(other.fields()).filter(|(a, b)| !a.info.overlay && a.value != b.value);
    let names: Vec<&str> = differ.map(|(a, _)| a.info.field.name()).collect();
    format!("another {}", names.join(" "))
}

/// The bytes differ only in low bits of scalar register fields.
fn misaligned(got: &[u8], want: &[u8]) -> bool {
    let bits = |b: &[u8]| b.iter().rev().fold(0u128, |n, &b| n << 8 | u128::from(b));
    let difference = bits(got) ^ bits(want);
    // One to three low bits of a scalar code: never more than the code's lowest two.
    difference.count_ones() <= 4
}
