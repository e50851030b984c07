//! What LLVM's assembler accepts, the parser accepts, with the same bytes: texts that are changed in ways in which people
//! write them, and in ways that make them wrong.

use amdgpu_isa::{Problem, Target, parse};

use crate::Failures;
use crate::assembler::assemble;
use crate::words::{Rng, encodings_to_try, legal};

/// Operands that replace others. Left out are those that LLVM takes where no field can hold them, such as `src_scc` as a
/// destination, which becomes m0.
const OPERANDS: &[&str] = &[
    "0",
    "1",
    "64",
    "65",
    "-16",
    "-17",
    "0.5",
    "1.0",
    "-4.0",
    "0.15915494",
    "3.0",
    "1e3",
    ".5",
    "5.",
    "0.1",
    "0x3800",
    "0x3f000000",
    "0xffff",
    "0x10000",
    "0xffffffff",
    "0x100000000",
    "0b101",
    "017",
    "~1",
    "(1)",
    "1<<4",
    "4+5*2",
    "-(1)",
    "!0",
    "7 - 2 - 1",
    "1 == 1",
    "lit(0x1234)",
    "vcc",
    "vcc_lo",
    "exec",
    "exec_lo",
    "m0",
    "null",
    "s5",
    "s[4:5]",
    "s[5:6]",
    "s[4:7]",
    "[s4,s5]",
    "s[4]",
    "v5",
    "v[4:5]",
    "v[5:6]",
    "v[2:5]",
    "[v4]",
    "v[1+1]",
    "v01",
    "v256",
    "a5",
    "a[0:1]",
    "acc1",
    "ttmp4",
    "ttmp[4:5]",
    "flat_scratch",
    "xnack_mask",
    "-v1",
    "|v1|",
    "-|v1|",
    "abs(v1)",
    "neg(v1)",
    "neg(1)",
    "|0.5|",
    "sext(v1)",
    "v1.l",
    "v1.h",
    "-s1",
];

const MODIFIERS: &[&str] = &[
    "clamp",
    "mul:2",
    "mul:4",
    "div:2",
    "mul:1",
    "op_sel:[1,0,0]",
    "op_sel:[0,1]",
    "op_sel_hi:[1,0]",
    "neg_lo:[1,0]",
    "row_shr:1",
    "row_shl:0",
    "quad_perm:[0,1,2,3]",
    "quad_perm:[3,2,1]",
    "row_mirror",
    "row_bcast:15",
    "row_share:3",
    "row_newbcast:5",
    "row_mask:0x5",
    "bank_mask:0x3",
    "bound_ctrl:0",
    "bound_ctrl:1",
    "fi:1",
    "dst_sel:BYTE_1",
    "dst_unused:UNUSED_PAD",
    "src0_sel:WORD_1",
    "src1_sel:1",
    "dpp8:[7,6,5,4,3,2,1,0]",
    "glc",
    "slc",
    "sc0",
    "sc1",
    "nt",
    "noglc",
    "offset:0",
    "offset:16",
    "offset0:1",
    "offset1:255",
    "gds",
    "lds",
    "tfe",
    "lwe",
    "unorm",
    "da",
    "a16",
    "d16",
    "offen",
    "idxen",
    "dmask:0xf",
    "dmask:3",
    "dim:2D",
    "dim:SQ_RSRC_IMG_3D",
    "format:22",
    "format:[BUF_FMT_32_FLOAT]",
    "format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT]",
    "th:TH_LOAD_NT",
    "th:TH_STORE_NT",
    "scope:SCOPE_SYS",
    "cbsz:1",
    "abid:2",
    "blgp:3",
    "clamp clamp",
    "done",
    "vm",
    "wait_exp:3",
    "byte_sel:1",
    "bitop3:0x40",
];

/// The parts of a text: mnemonic, operands, modifiers behind the last operand.
struct Parts {
    mnemonic: String,
    operands: Vec<String>,
    modifiers: Vec<String>,
}

impl Parts {
    fn of(text: &str) -> Parts {
        let (mnemonic, rest) = text.split_once(' ').unwrap_or((text, ""));
        let (mut operands, mut depth) = (vec![String::new()], 0);
        for c in rest.chars() {
            depth += i32::from(matches!(c, '[' | '(')) - i32::from(matches!(c, ']' | ')'));
            match c {
                ',' if depth == 0 => operands.push(String::new()),
                _ => operands.last_mut().unwrap().push(c),
            }
        }
        let mut operands: Vec<String> =
            operands.iter().map(|o| o.trim().to_string()).filter(|o| !o.is_empty()).collect();
        let mut modifiers = Vec::new();
        if let Some(last) = operands.last_mut().filter(|last| !last.contains("::") && !last.contains(['|', '&', '('])) {
            let mut words = last.split(' ').map(str::to_string);
            let first = words.next().unwrap();
            modifiers = words.collect();
            *last = first;
        }
        Parts { mnemonic: mnemonic.to_string(), operands, modifiers }
    }

    fn join(&self, comma: &str) -> String {
        let tail: String = self.modifiers.iter().map(|m| format!(" {m}")).collect();
        format!("{} {}{tail}", self.mnemonic, self.operands.join(comma)).trim().to_string()
    }

    /// Removes the suffix of the encoding.
    fn bare(&mut self) {
        let suffixes = ["_e64_dpp", "_e32", "_e64", "_sdwa", "_dpp"];
        if let Some(bare) = suffixes.iter().find_map(|suffix| self.mnemonic.strip_suffix(suffix)) {
            self.mnemonic = bare.to_string();
        }
    }
}

fn pick<'a>(rng: &mut Rng, all: &[&'a str]) -> &'a str {
    all[rng.next() as usize % all.len()]
}

/// Changes a text in one way.
fn change(text: &str, rng: &mut Rng) -> String {
    let mut parts = Parts::of(text);
    let (kind, place) = (rng.next() % 10, rng.next() as usize);
    if rng.next() % 2 == 0 {
        parts.bare();
    }
    let (operands, modifiers) = (parts.operands.len(), parts.modifiers.len());
    match kind {
        0 => {}
        1 => return parts.join(" "),
        2 => return parts.join(" ,  "),
        3 if operands > 0 => drop(parts.operands.remove(place % operands)),
        4 if modifiers > 0 => drop(parts.modifiers.remove(place % modifiers)),
        5 if operands > 1 => parts.operands.swap(0, place % operands),
        6 | 7 => parts.modifiers.insert(place % (modifiers + 1), pick(rng, MODIFIERS).to_string()),
        _ if operands > 0 => parts.operands[place % operands] = pick(rng, OPERANDS).to_string(),
        _ => {}
    }
    parts.join(", ")
}

/// What LLVM's assembler gets wrong, or writes into bits that nothing reads.
const FAULTS: &[(&str, fn(&str) -> bool)] = &[
    // It sets bits of op_sel_hi, which this format does not have.
    ("v_accvgpr", |text| text.starts_with("v_accvgpr_")),
    // It takes the hint to return a value in an operation without a destination, which then writes v0.
    ("atomic hint", |text| text.contains("th:TH_ATOMIC_") || text.contains("_atomic_")),
    // The words refuse a literal behind the source that announces it.
    ("lit", |text| text.contains("lit(")),
    // It enables a compressed source that is off, if its partner is on.
    ("export", |text| text.starts_with("exp ")),
    // It drops the offset's upper bits, or all of `|v1|` and of a third bit of neg.
    ("masked", |text| text.contains("offset") || text.starts_with("v_interp_") || text.contains("neg_")),
    // It takes a vector register with a sign where only a scalar can be.
    ("v_s_", |text| text.starts_with("v_s_")),
    // It takes the implied vcc and vcc as one scalar, also where a wave's vcc is half as wide.
    ("v_div_fmas", |text| text.starts_with("v_div_fmas_")),
    // It takes a scalar that only reads as a destination, or another scalar than the text names.
    ("scalar", |text| text.starts_with("s_") || text.contains("null")),
];

#[test]
fn what_llvm_accepts_has_the_same_bytes() {
    let count = std::env::var("AMDGPU_ISA_WORDS").map_or(2, |count| count.parse::<usize>().unwrap() / 4000 + 1);
    let (mut failures, mut rng, mut accepted, mut faults) = (Failures::default(), Rng(2), 0, 0);
    for &target in Target::ALL.iter().filter(|target| !target.is_partial()) {
        let mut lines: Vec<String> = Vec::new();
        for encoding in encodings_to_try(target) {
            for inst in legal(target, encoding, count, &mut rng) {
                lines.push(change(&inst.to_string(), &mut rng));
            }
        }
        for (line, llvm) in lines.iter().zip(assemble(target, &lines)) {
            let Ok(llvm) = llvm else { continue };
            accepted += 1;
            let words = |inst: amdgpu_isa::Inst| inst.words().iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>();
            let ours = parse(target, line).map(words);
            if ours.as_ref() == Ok(&llvm) {
                continue;
            }
            // What is no operand is a symbol for LLVM, for the linker to resolve.
            let is_symbol = matches!(ours, Err(error) if error.problem == Problem::Symbol);
            match FAULTS.iter().find(|(_, is_it)| is_it(line)) {
                _ if is_symbol => {}
                Some(_) => faults += 1,
                None => failures.add(format!("{target}"), format!("{line}: LLVM {llvm:02x?}, ours {ours:02x?}")),
            }
        }
    }
    eprintln!("{accepted} of LLVM's texts, {faults} in classes of faults");
    failures.report();
    assert!(faults * 100 < accepted, "{faults} of {accepted} texts are said to be faults of LLVM's");
}
