//! The C interface as a C program uses it: `says.c` is compiled with the header and linked with the library, and its
//! answers are those of the Rust functions. Needs a C compiler: `cc`, or the one that the variable CC names.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write as _};
use std::mem::{offset_of, size_of};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use super::number_of;
use amdgpu_isa::capi::*;
use amdgpu_isa::errors::UnknownTarget;
use amdgpu_isa::operands::Special;
use amdgpu_isa::patch::PatchError;
use amdgpu_isa::{Access, DecodeError, Field, Inst, Opcode, Reg, Target, Value, decode, length};

use crate::words::{Rng, bytes, encodings, is_tried, legal};

/// The crate's features with which this test was built. The library for C is built with the same features, so that
/// Cargo need not build it again.
fn features() -> Vec<&'static str> {
    macro_rules! enabled {
        ($($name:literal)*) => { [$(($name, cfg!(feature = $name))),*] };
    }
    let all = enabled! {
        "default" "gfx600" "gfx700" "gfx803" "gfx801" "gfx810" "gfx900" "gfx904" "gfx906" "gfx9-generic" "gfx908" "gfx90a" "gfx942"
        "gfx9-4-generic" "gfx950" "gfx1010" "gfx1011" "gfx1013" "gfx1030" "gfx1100" "gfx1150" "gfx1200" "gfx1010-wave32"
        "gfx1011-wave32" "gfx1013-wave32" "gfx1030-wave32" "gfx1100-wave32" "gfx1150-wave32" "gfx1200-wave32" "gfx1250" "gfx1251"
        "gfx1170" "gfx1170-wave32" "gfx12-5-generic" "gfx1310" "gfx1310-wave32"
        "all-targets" "text" "fast" "make" "alloc" "meaning" "arbitrary" "capi"
    };
    let manifest = include_str!("../../Cargo.toml");
    let (_, section) = manifest.split_once("\n[features]\n").expect("a list of features");
    let (section, _) = section.split_once("\n[").expect("another section");
    let known = section.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name.trim());
    let known: Vec<&str> = known.filter(|name| !name.starts_with('#')).collect();
    assert!(known.iter().all(|name| all.iter().any(|(ours, _)| ours == name)), "a feature is missing here: {known:?}");
    all.into_iter().filter(|(_, on)| *on).map(|(name, _)| name).collect()
}

/// Runs a command that must succeed.
fn must(command: &mut Command) {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().unwrap_or_else(|e| panic!("the C interface cannot be tested without {program}: {e}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// The library for C, and the program, which are made once.
fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(make)
}

fn make() -> PathBuf {
    let temporary = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let target = temporary.parent().expect("it is in the target directory");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(root).args(["build", "--offline", "--quiet", "--example", "capi", "--target-dir"]).arg(target);
    // If this test has the features of the whole workspace, the example is built with them, too.
    let is_of_workspace =
        cfg!(all(feature = "all-targets", feature = "arbitrary", feature = "meaning", not(feature = "make")));
    if is_of_workspace {
        cargo.arg("--workspace");
    } else {
        cargo.arg("--no-default-features").arg("--features").arg(features().join(","));
    }
    let profile = if cfg!(debug_assertions) { "debug" } else { "release" };
    must(if profile == "release" { cargo.arg("--release") } else { &mut cargo });

    let program = temporary.join("capi-says");
    let mut cc = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
    cc.args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1"]);
    if cfg!(feature = "meaning") {
        cc.arg("-DAMDGPU_ISA_MEANING");
    }
    cc.arg("-I").arg(root.join("include")).arg(root.join("tests/capi/says.c"));
    cc.arg(target.join(profile).join("examples/libcapi.a")).args(["-lpthread", "-ldl", "-lm", "-o"]).arg(&program);
    must(&mut cc);
    program
}

/// Asks all questions, and compares each answer.
fn ask(questions: Vec<(String, String)>) {
    let mut child = Command::new(program())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("what was compiled can be started");
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    let asked: Vec<String> = questions.iter().map(|(question, _)| format!("{question}\n")).collect();
    let writer = std::thread::spawn(move || asked.iter().try_for_each(|line| stdin.write_all(line.as_bytes())));
    let mut lines = BufReader::new(child.stdout.take().expect("stdout is a pipe")).lines();
    for (question, wanted) in questions {
        let mut answer = String::new();
        loop {
            match lines.next() {
                Some(Ok(line)) if line == "end" => break,
                Some(Ok(line)) => answer += &(line + "\n"),
                _ => panic!("no answer to {question}, but {answer}"),
            }
        }
        assert!(answer == wanted, "{question}:\n{answer}\nbut the library says\n{wanted}");
    }
    assert!(writer.join().expect("it writes").is_ok());
    assert!(child.wait().expect("it ends").success());
}

/// The name of a value in `says.c`. A new value is a compile error here until it has a name.
fn status_name(status: amdgpu_isa_status) -> &'static str {
    match status {
        amdgpu_isa_status::Ok => "ok",
        amdgpu_isa_status::UnknownTarget => "unknown target",
        amdgpu_isa_status::Truncated => "truncated",
        amdgpu_isa_status::NoInstruction => "no instruction",
        amdgpu_isa_status::Missing => "missing",
        amdgpu_isa_status::Refused => "refused",
    }
}

fn kind_name(kind: amdgpu_isa_kind) -> &'static str {
    match kind {
        amdgpu_isa_kind::Sgpr => "sgpr",
        amdgpu_isa_kind::Vgpr => "vgpr",
        amdgpu_isa_kind::VgprHigh => "vgpr high",
        amdgpu_isa_kind::Agpr => "agpr",
        amdgpu_isa_kind::Ttmp => "ttmp",
        amdgpu_isa_kind::Special => "special",
        amdgpu_isa_kind::Implicit => "implicit",
        amdgpu_isa_kind::Int => "int",
        amdgpu_isa_kind::Float => "float",
        amdgpu_isa_kind::Literal => "literal",
        amdgpu_isa_kind::Imm => "imm",
        amdgpu_isa_kind::Label => "label",
        amdgpu_isa_kind::Off => "off",
    }
}

const STATUSES: [amdgpu_isa_status; 6] = {
    use amdgpu_isa_status::*;
    [Ok, UnknownTarget, Truncated, NoInstruction, Missing, Refused]
};
const KINDS: [amdgpu_isa_kind; 13] = {
    use amdgpu_isa_kind::*;
    [Sgpr, Vgpr, VgprHigh, Agpr, Ttmp, Special, Implicit, Int, Float, Literal, Imm, Label, Off]
};

/// The fields of an operand by the rules in the header, which are written here a second time.
fn operand(inst: &Inst, value: Value) -> (&'static str, i64) {
    let special = |special| Special::ALL.iter().position(|&known| known == special).expect("all are listed") as i64;
    match value {
        Value::Reg(Reg::Sgpr(n)) => ("sgpr", n.into()),
        Value::Reg(Reg::Vgpr(n)) => ("vgpr", n.into()),
        Value::Reg(Reg::VgprHigh(n)) => ("vgpr high", n.into()),
        Value::Reg(Reg::Agpr(n)) => ("agpr", n.into()),
        Value::Reg(Reg::Ttmp(n)) => ("ttmp", n.into()),
        Value::Reg(Reg::Special(register)) => ("special", special(register)),
        Value::Reg(Reg::Scc) => ("implicit", 0),
        Value::Reg(Reg::Vcc) => ("implicit", 1),
        Value::Reg(Reg::Exec) => ("implicit", 2),
        Value::Reg(Reg::M0) => ("implicit", 3),
        Value::Reg(Reg::Mode) => ("implicit", 4),
        Value::Reg(Reg::FlatScratch) => ("implicit", 5),
        Value::Reg(Reg::XnackMask) => ("implicit", 6),
        Value::Reg(Reg::TrapStatus) => ("implicit", 7),
        Value::Int(n) => ("int", n.into()),
        Value::Float(float) => ("float", float.to_f64().to_bits() as i64),
        Value::Literal(n) => ("literal", n.into()),
        Value::Literal64 => ("literal", inst.literal64().expect("it has one") as i64),
        Value::Imm(n) => ("imm", n.into()),
        Value::Label(n) => ("label", n.into()),
        Value::Off => ("off", 0),
        other => panic!("the interface says nothing of {other:?}"),
    }
}

/// An instruction as the program prints it: five dwords, bytes, target.
fn printed(inst: &Inst) -> String {
    let words = inst.words().iter().copied().chain([0; 5]).take(5);
    let words: String = words.map(|word| format!(" {word:08x}")).collect();
    format!("{words} {} {:x}", inst.len(), number_of(inst.target()))
}

/// The line with the meaning of an instruction, if the library was built with formulas.
fn meaning(inst: Option<&Inst>) -> Option<String> {
    #[cfg(feature = "meaning")]
    return Some(format!("meaning {}", inst.and_then(|inst| inst.opcode().meaning(inst.target())).unwrap_or("")));
    #[cfg(not(feature = "meaning"))]
    inst.and(None)
}

fn decode_status(error: DecodeError) -> &'static str {
    if matches!(error, DecodeError::Truncated { .. }) { "truncated" } else { "no instruction" }
}

fn changed(result: Result<Inst, PatchError>) -> String {
    match result {
        Ok(inst) => format!("ok{}", printed(&inst)),
        Err(PatchError::NoField(_) | PatchError::NotABranch(_) | PatchError::Opcode(_)) => "missing".into(),
        Err(_) => "refused".into(),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The kinds of values that have occurred.
#[derive(Default)]
struct Seen {
    kinds: BTreeSet<&'static str>,
    implicit: BTreeSet<i64>,
    specials: BTreeSet<i64>,
}

/// A question about code, and the expected answer.
fn code(target: Target, code: &[u8], rng: &mut Rng, seen: &mut Seen) -> (String, String) {
    let mach = number_of(target);
    let inst = decode(target, code);
    let (pc, to) = (rng.number() & 0xffff_ffff_fffc, rng.number() & 0xffff);
    let to = if rng.below(4) == 0 { to } else { pc.wrapping_add(to << 2) };
    let opcode = Some(rng.pick(Opcode::ALL)).filter(|_| rng.below(8) > 0);
    let name = opcode.map_or("no_such", Opcode::name);
    // The least and the greatest value of each field, the value after the greatest, and one between; and fields that do
    // not exist.
    let mut sets: Vec<(i32, u32)> =
        vec![(-1, 0), (Field::ALL.len() as i32, 0), (rng.below(Field::ALL.len()) as i32, 1)];
    for field in inst.iter().flat_map(|inst| inst.fields()).map(|held| held.info.field) {
        let width = inst.ok().and_then(|inst| inst.locate(field)).map_or(32, |at| at.width());
        let most = u32::MAX >> (32 - width);
        let number = Field::ALL.iter().position(|&known| known == field).expect("all are listed") as i32;
        sets.extend([0, most, most.wrapping_add(1), rng.word() & most].map(|value| (number, value)));
    }
    let mut question = format!("code {mach:x} {} {} {pc:x} {to:x} {name}", Field::ALL.len(), hex(code));
    sets.iter().for_each(|(field, value)| write!(question, " {field}:{value:x}").expect("memory does not fail"));

    let mut lines = vec![format!("length {}", length(target, code).unwrap_or(0))];
    match &inst {
        Ok(inst) => {
            lines.extend([format!("decode ok{}", printed(inst)), "why ".into()]);
            lines.extend([format!("text {inst}"), format!("opcode {}", inst.opcode().name())]);
            lines.extend(meaning(Some(inst)));
            for o in inst.operands() {
                let (kind, value) = operand(inst, o.value);
                let field =
                    o.role.map(|role| Field::ALL.iter().position(|&f| f == role).expect("all are listed") as i32);
                let (reads, writes) = match o.access {
                    Access::Read => (1, 0),
                    Access::Write => (0, 1),
                    Access::ReadWrite => (1, 1),
                };
                lines.push(format!("operand {kind} {value} {} {} {reads} {writes}", field.unwrap_or(-1), o.bits));
                seen.kinds.insert(kind);
                match kind {
                    "implicit" => _ = seen.implicit.insert(value),
                    "special" => _ = seen.specials.insert(value),
                    _ => {}
                }
            }
            lines.push(format!("encode {}", hex(&code[..inst.len()])));
            for (n, &field) in Field::ALL.iter().enumerate() {
                lines.extend(inst.get(field).map(|value| format!("get {n} {value:x}")));
                let pieces = inst.locate(field).into_iter().flat_map(|at| [Some(at.low), at.high]).flatten();
                lines.extend(pieces.map(|piece| format!("locate {n} {} {} {}", piece.dword, piece.bit, piece.width)));
            }
        }
        Err(error) => {
            lines.extend([format!("decode {}", decode_status(*error)), format!("why {error}")]);
            lines.extend(["text ".into(), "opcode ".into()]);
            lines.extend(meaning(None));
        }
    }
    let none = || "no instruction".to_string();
    let branch = match &inst {
        Ok(inst) => inst.branch_target(pc).map_or("missing 55".into(), |to| format!("ok {to:x}")),
        Err(_) => "no instruction 55".into(),
    };
    let set_branch = inst.as_ref().map_or_else(|_| none(), |inst| changed(inst.with_branch_target(pc, to)));
    let set_opcode = match (opcode, &inst) {
        (None, _) => "missing".into(),
        (Some(_), Err(_)) => none(),
        (Some(opcode), Ok(inst)) => changed(inst.with_opcode(opcode)),
    };
    lines.extend([format!("branch {branch}"), format!("set_branch {set_branch}"), format!("set_opcode {set_opcode}")]);
    for (number, value) in sets {
        let field = usize::try_from(number).ok().and_then(|n| Field::ALL.get(n).copied());
        let (set, patch, memory) = match (field, &inst) {
            (None, _) => ("missing".into(), "missing".to_string(), code.to_vec()),
            (Some(_), Err(error)) => (none(), decode_status(*error).into(), code.to_vec()),
            (Some(field), Ok(inst)) => {
                let result = inst.with(field, value);
                let set = changed(result);
                let status = set.split(' ').next().expect("a word").to_string();
                let words = result.map_or(code[..inst.len()].to_vec(), |inst| bytes(inst.words()));
                (set, status, [&words, &code[inst.len()..]].concat())
            }
        };
        lines.extend([format!("set {set}"), format!("patch {patch} {}", hex(&memory))]);
    }
    (question, lines.join("\n") + "\n")
}

#[test]
fn a_c_program_sees_types_and_names_as_they_are() {
    let mut questions = Vec::new();
    let mut layout = String::new();
    macro_rules! layout {
        ($($ty:ident: $($member:ident)*;)*) => { $(
            writeln!(layout, "{} {}", stringify!($ty), size_of::<$ty>()).expect("memory does not fail");
            $(writeln!(layout, "{} {} {}", stringify!($ty), stringify!($member), offset_of!($ty, $member))
                .expect("memory does not fail");)*
        )* };
    }
    layout! {
        amdgpu_isa_inst: words len target;
        amdgpu_isa_operand: kind value field bits is_read is_written;
        amdgpu_isa_piece: dword bit width;
        amdgpu_isa_status: ;
        amdgpu_isa_kind: ;
    }
    questions.push(("layout".to_string(), layout));
    let mut enums = String::new();
    for n in 0..100 {
        let status = STATUSES.into_iter().find(|&status| status as usize == n);
        let kind = KINDS.into_iter().find(|&kind| kind as usize == n);
        enums += &status.map_or(String::new(), |status| format!("status {n} {}\n", status_name(status)));
        enums += &kind.map_or(String::new(), |kind| format!("kind {n} {}\n", kind_name(kind)));
    }
    questions.push(("enums".to_string(), enums));

    for name in
        Target::ALL.iter().map(|target| target.name()).chain(["MI300X", "mi100", "gfx1", "", "gfx942 ", "\u{e9}"])
    {
        let mach = name.parse().map_or(0, number_of);
        questions.push((format!("target {name}"), format!("{mach:x}\n")));
    }
    let fields = Field::ALL.iter().enumerate().map(|(n, field)| ("field", field.name(), n as i32));
    let specials = Special::ALL.iter().enumerate().map(|(n, special)| ("special", special.name(), n as i32));
    let unknown =
        ["none such", "", "SIMM16", "M0"].into_iter().flat_map(|name| [("field", name, -1), ("special", name, -1)]);
    for (what, name, number) in fields.chain(specials).chain(unknown) {
        questions.push((format!("{what} {name}"), format!("{number}\n")));
    }

    let known = number_of(Target::ALL[0]);
    for mach in [known, 0, 1, 0x100 + known, u32::MAX] {
        let (status, why) = match Target::ALL.iter().find(|target| number_of(**target) == mach) {
            Some(&target) => ("truncated", decode(target, &[]).expect_err("nothing is no instruction").to_string()),
            None => ("unknown target", UnknownTarget.to_string()),
        };
        let mut answer = format!("names 0 -1 -1\nlength 0\ndecode {status}\npatch {status}\nwhy {why}\n");
        for _ in 0..2 {
            let none = "no instruction";
            answer += "text \nopcode \n";
            answer.extend(meaning(None).map(|line| line + "\n"));
            answer += &format!("counts 0 0 0\nget {none}\nbranch {none}\nset {none}\nset missing\n");
            answer += &format!("set_branch {none}\nset_opcode {none}\nset_opcode missing\n");
        }
        questions.push((format!("null {mach:x}"), answer));
    }
    ask(questions);
}

#[test]
fn a_c_program_gets_what_the_library_says() {
    let (mut questions, mut seen, mut rng) = (Vec::new(), Seen::default(), Rng(16));
    for &target in Target::ALL {
        for encoding in encodings(target).into_iter().filter(|e| is_tried(target, e.2, 16)) {
            for inst in legal(target, encoding, 1, &mut rng) {
                let mut whole = bytes(inst.words());
                questions.push(code(target, &whole[..whole.len() - 1 - rng.below(whole.len())], &mut rng, &mut seen));
                // The code also has bytes after the instruction.
                whole.extend(bytes(&[rng.word()]).iter().take(rng.below(5)));
                questions.push(code(target, &whole, &mut rng, &mut seen));
                // Some operations also access the hardware register that their constant names.
                if encoding.2.name().contains("etreg") {
                    let others = (0..64).filter_map(|id| inst.with(Field::Simm16, id).ok());
                    questions.extend(others.map(|inst| code(target, &bytes(inst.words()), &mut rng, &mut seen)));
                }
            }
        }
        for _ in 0..1000 {
            let words = bytes(&[rng.word(), rng.word(), rng.word()]);
            questions.push(code(target, &words, &mut rng, &mut seen));
        }
    }
    if cfg!(feature = "all-targets") {
        let all: BTreeSet<&str> = KINDS.into_iter().map(kind_name).collect();
        assert_eq!(seen.kinds, all);
        // Other values belong to registers that few operations name, or none: the tests in `src/capi.rs` try all of
        // them.
        assert!(seen.implicit.is_superset(&(0..6).collect()), "{:?}", seen.implicit);
        assert!(seen.specials.len() > 10, "{:?}", seen.specials);
    }
    println!("{} questions", questions.len());
    ask(questions);
}
