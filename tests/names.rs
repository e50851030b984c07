//! Every value of every field that has named values prints as LLVM prints it: names, numbers without a name, and the
//! range that each name has. The comparison in `tests/llvm` takes a sample of all words, in which a given value hardly
//! ever occurs.
//!
//! LLVM's disassembler is that of `llvm-mc-22`, which has none for GCN 1.0 and 1.1.
#![cfg(all(feature = "all-targets", feature = "text"))]

use crate::generations::is_from_rdna3;
use crate::words;

use crate::llvm_mc::NEWER;
use amdgpu_isa::{Field, Inst, Opcode, Target, decode};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::process::{Command, Stdio};
use words::{Filling, Rng, attempt, encodings, is_of_other_size, layout, legal, repair};

/// Fields with named values, which are tried with all values that they can have.
const FIELDS: [Field; 13] = [
    Field::Format,
    Field::Dfmt,
    Field::Nfmt,
    Field::Tgt,
    Field::Dim,
    Field::Th,
    Field::Scope,
    Field::DppCtrl,
    Field::DstSel,
    Field::DstUnused,
    Field::Src0Sel,
    Field::Src1Sel,
    Field::Omod,
];
type Constants = fn() -> Vec<u32>;

/// Operations whose constant has named values, and the constants to try.
const CONSTANTS: [(&str, Constants); 8] = [
    ("s_getreg_b32", || (0..64).flat_map(|id| [id, 0xf800 | id]).collect()),
    ("s_setreg_b32", || (0..64).flat_map(|id| [id, 0xf800 | id]).collect()),
    ("s_sendmsg", || (0..0x400).collect()),
    ("s_sendmsg_rtn_b32", || (0..256).collect()),
    ("s_version", || (0..64).flat_map(|n| [n, 0x2000 | n, 0x4000 | n, 0x8000 | n]).collect()),
    ("s_delay_alu", || (0..0x800).collect()),
    ("s_waitcnt_depctr", || (0..16).flat_map(|bit| [1 << bit, 0xffff ^ 1 << bit]).chain([0, 0xffff]).collect()),
    ("s_waitcnt", || (0..16).flat_map(|bit| [1 << bit, 0xffff ^ 1 << bit]).chain([0, 0xffff]).collect()),
];

/// LLVM's text of each of the words that LLVM accepts.
fn llvm(target: Target, all: &BTreeSet<Vec<u8>>) -> BTreeMap<Vec<u8>, String> {
    let processor = target.processor();
    let halves = if is_from_rdna3(target) { "+real-true16" } else { "" };
    let mut child = Command::new("llvm-mc-22")
        .args(["--disassemble", "--triple=amdgcn-amd-amdhsa", "--show-encoding", "--mcpu", processor])
        .arg(format!("--mattr={halves}"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("llvm-mc-22 is installed");
    let mut stdin = child.stdin.take().expect("a pipe");
    let line = |bytes: &Vec<u8>| bytes.iter().map(|b| format!("{b:#04x}")).collect::<Vec<_>>().join(",") + "\n";
    let lines: String = all.iter().map(line).collect();
    let writer = std::thread::spawn(move || stdin.write_all(lines.as_bytes()));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("it writes").expect("it reads all");
    let mut texts = BTreeMap::new();
    for line in String::from_utf8(output.stdout).expect("text").lines() {
        let Some((text, encoding)) = line.split_once("encoding: [") else { continue };
        let text = text.trim_end_matches(['/', ';', ' ', '\t']).trim();
        let list = encoding.split(']').next().expect("a list");
        let byte = |b: &str| u8::from_str_radix(b.trim().trim_start_matches("0x"), 16).expect("a byte");
        texts.insert(list.split(',').map(byte).collect(), text.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    texts
}

/// Instructions of the formats that have a field of `FIELDS`, each with every value of the field, and operations with
/// each of the `CONSTANTS`.
fn all(target: Target) -> BTreeSet<Vec<u8>> {
    let mut rng = Rng(5);
    let mut found = BTreeSet::new();
    let mut add = |inst: Inst| _ = found.insert(words::bytes(inst.words()));
    let mut tried: BTreeMap<String, usize> = BTreeMap::new();
    for encoding in encodings(target) {
        let (format, number, opcode) = encoding;
        if let Some((_, constants)) = CONSTANTS.iter().find(|(name, _)| *name == opcode.name()) {
            let field = if opcode.name() == "s_sendmsg_rtn_b32" { Field::Ssrc0 } else { Field::Simm16 };
            let inst = legal(target, encoding, 1, &mut rng)[0];
            constants().iter().filter_map(|value| inst.with(field, *value).ok()).for_each(&mut add);
        }
        // Each field is tried in three operations of each form. Loads, stores and atomics count as different forms,
        // because their hints have different names.
        let flags = legal(target, encoding, 1, &mut rng)[0].flags();
        let kind = format!("{format} {} {} {}", flags.is_load(), flags.is_store(), flags.is_atomic());
        let base = layout(target, format);
        for extension in base.extends.iter().map(Some).chain([None]) {
            let made = (0..20).find_map(|n| {
                let filling = if n == 0 { Filling::Zero } else { Filling::Typical };
                let mut words = attempt(target, base, number, extension, filling, &mut rng);
                repair(target, &mut words, &mut rng).filter(|inst| inst.extension() == extension.map(|b| b.format))
            });
            let Some(inst) = made else { continue };
            for held in inst.fields().filter(|held| FIELDS.contains(&held.info.field)) {
                let field = held.info.field;
                let times = tried.entry(format!("{kind} {:?} {field}", extension.map(|b| b.format))).or_default();
                *times += 1;
                if *times <= 3 {
                    (0..512).filter_map(|value| inst.with(field, value).ok()).for_each(&mut add);
                }
            }
        }
    }
    found
}

#[test]
fn named_values_print_as_llvm_prints_them() {
    let (mut asked, mut faults) = (0, Vec::new());
    for &target in Target::ALL {
        if ["gfx600", "gfx700"].contains(&target.name()) || is_of_other_size(target) || is_newer(target) {
            continue;
        }
        let all = all(target);
        let llvm = llvm(target, &all);
        let both = all.iter().filter_map(|bytes| Some((bytes, llvm.get(bytes)?)));
        let mut compared = 0;
        for (bytes, theirs) in both {
            let ours = decode(target, bytes).map_or_else(|e| e.to_string(), |inst| inst.to_string());
            let ours = ours.split_whitespace().collect::<Vec<_>>().join(" ");
            compared += 1;
            // LLVM takes other numbers of address registers; crates/llvm/src/differences.txt has the classes of these
            // differences.
            let shown = |text: &str| match text.split_once(" dim:") {
                Some((_, dim)) => dim.to_string(),
                None => text.to_string(),
            };
            // LLVM's text of a value without a name is not taken as right; the library prints the number.
            let number = theirs.contains("/* invalid") && ours.contains(" 0x");
            // LLVM takes the DPP control for another operand in v_fma_mix, which is a class of
            // crates/llvm/src/differences.txt too.
            let shifted = theirs.contains("/* Invalid dpp_ctrl") && theirs.starts_with("v_fma_mix");
            // The manual of CDNA5 gives this message another number, which is a class of
            // crates/llvm/src/differences.txt, too.
            let message = theirs.contains("MSG_SAVEWAVE_HAS_TDM") || ours.contains("MSG_RTN_SAVE_WAVE_HAS_TDM");
            if !number && !shifted && !message && shown(&ours) != shown(theirs) {
                faults.push(format!("{target} {bytes:02x?}: `{ours}`, LLVM `{theirs}`"));
            }
        }
        // LLVM's text of vector tuples at odd registers on CDNA5 is not taken as right.
        let most = if target.processor().starts_with("gfx125") { 8 } else { 9 };
        assert!(compared > 1_000 && compared * 10 > all.len() * most, "{target}: {compared} of {}", all.len());
        asked += compared;
    }
    assert!(faults.is_empty(), "{} differences:\n{}", faults.len(), faults[..faults.len().min(100)].join("\n"));
    println!("{asked} instructions");
}

/// Whether LLVM 22 does not know the target.
fn is_newer(target: Target) -> bool {
    NEWER.contains(&target.processor())
}

/// LLVM's mnemonic of a text, without the suffix of an encoding.
fn mnemonic(text: &str) -> &str {
    let mnemonic = text.split(' ').next().expect("a word");
    let bare = mnemonic.trim_end_matches("_sdwa").trim_end_matches("_dpp");
    bare.trim_end_matches("_e32").trim_end_matches("_e64")
}

/// Every operation of a target has, in all of the API, only the spelling of LLVM's disassembler for that target.
#[test]
fn mnemonics_are_those_of_llvm() {
    let (mut asked, mut respelled) = (0, 0);
    for &target in Target::ALL {
        let mut rng = Rng(9);
        let mut all = BTreeMap::new();
        for encoding in encodings(target) {
            let inst = legal(target, encoding, 1, &mut rng)[0];
            let text = inst.to_string();
            let (first, second) = text.split_once(" :: ").map_or((&*text, None), |(a, b)| (a, Some(b)));
            let ops = [(Some(inst.opcode()), Some(first)), (inst.second_opcode(), second)];
            for (opcode, text) in ops.into_iter().filter_map(|(opcode, text)| Some((opcode?, text?))) {
                let spelling = mnemonic(text);
                assert_eq!(opcode.mnemonic(target, inst.format()), Some(spelling), "{target} {inst}");
                assert_eq!(Opcode::from_mnemonic(target, spelling), Some(opcode), "{target} {inst}");
                assert_eq!(Opcode::from_mnemonic(target, &spelling.to_uppercase()), Some(opcode), "{target} {inst}");
                respelled += usize::from(spelling != opcode.name());
            }
            assert_eq!(inst.mnemonic(), mnemonic(first), "{target} {inst}");
            all.insert(words::bytes(inst.words()), text);
        }
        let spellings: BTreeSet<&str> = all.values().flat_map(|text| text.split(" :: ").map(mnemonic)).collect();
        for opcode in Opcode::ALL.iter().filter(|opcode| !spellings.contains(opcode.name())) {
            assert_eq!(Opcode::from_mnemonic(target, opcode.name()), None, "{target} {opcode}");
        }
        if ["gfx600", "gfx700"].contains(&target.name()) || is_of_other_size(target) || is_newer(target) {
            // tests/assemble.rs gives the texts for gfx600 and gfx700 to LLVM's assembler, which checks the spelling,
            // too. tests/newer.rs has the texts of newer targets. Targets with the other wave size share their
            // spellings.
            continue;
        }
        for (bytes, theirs) in llvm(target, &all.keys().cloned().collect()) {
            // Where LLVM ignores some bits, it shows other bytes: those that its assembler would write.
            let Some(ours) = all.get(&bytes) else { continue };
            let spelled = |text: &str| text.split(" :: ").map(|t| mnemonic(t).to_string()).collect::<Vec<_>>();
            assert_eq!(spelled(ours), spelled(&theirs), "{target} {bytes:02x?}");
            asked += 1;
        }
    }
    println!("{asked} asked, {respelled} with a spelling of their own");
    assert!(asked > 25_000 && respelled > 2_000, "{asked} {respelled}");
}
