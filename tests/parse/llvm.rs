//! The parser accepts the texts that LLVM's assembler accepts, with the same bytes. The texts are changed to others
//! that people write, and to wrong ones.

use std::collections::BTreeMap;

use amdgpu_isa::check::RuleError;
use amdgpu_isa::text::{ParseError, ParseErrorKind};
use amdgpu_isa::{Field, parse};

use super::Failures;
use crate::llvm_mc::{assemble, has, targets};
use crate::words::{Rng, encodings_to_try, legal};

/// Operands that replace other operands. The list lacks those that LLVM accepts where no field can hold them, such as
/// `src_scc` as a destination, which becomes m0.
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
    "1<>2",
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

/// The parts of a text: mnemonic, operands, modifiers after the last operand.
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

    /// Removes the suffix of the encoding from the mnemonic.
    fn bare(&mut self) {
        let suffixes = ["_e64_dpp", "_e32", "_e64", "_sdwa", "_dpp"];
        if let Some(bare) = suffixes.iter().find_map(|suffix| self.mnemonic.strip_suffix(suffix)) {
            self.mnemonic = bare.to_string();
        }
    }
}

fn pick<'a>(rng: &mut Rng, all: &[&'a str]) -> &'a str {
    all[rng.number() as usize % all.len()]
}

/// Returns a text with at most one random change, and in half of the cases without the suffix of the encoding.
fn change(text: &str, rng: &mut Rng) -> String {
    let mut parts = Parts::of(text);
    let (kind, place) = (rng.number() % 10, rng.number() as usize);
    if rng.number() % 2 == 0 {
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

/// A reason why LLVM's bytes differ from the library's, and whether it explains a text, with LLVM's bytes and the
/// library's bytes or error.
type Fault = (&'static str, fn(&str, &[u8], &Result<Vec<u8>, ParseError>) -> bool);

fn has_kind(ours: &Result<Vec<u8>, ParseError>, is_it: impl Fn(&ParseErrorKind) -> bool) -> bool {
    ours.as_ref().is_err_and(|error| is_it(&error.kind))
}

/// Mistakes of LLVM's assembler, and bits that nothing reads.
const FAULTS: &[Fault] = &[
    // LLVM takes a word that is not an operand for a symbol, which the linker is to resolve.
    ("symbol", |_, _, ours| has_kind(ours, |kind| *kind == ParseErrorKind::Symbol)),
    // LLVM accepts the hint to return a value in an operation without a destination, which then writes v0.
    ("atomic hint", |text, _, ours| text.contains("_atomic_") && text.contains("th:TH_ATOMIC_") && ours.is_err()),
    // LLVM's words announce a literal where none can be.
    ("literal", |text, _, ours| {
        let is_dpp = ["dpp8:", "row_mask:", "src0_sel:"].iter().any(|part| text.contains(part));
        let halves = ["0x3800", "0x3c00", "0x4000", "0x4400", "0xb800", "0xbc00", "0xc000", "0xc400", "0x3118"];
        let is_half = || halves.iter().any(|half| text.contains(half));
        let is_here = is_dpp && (text.contains("0xffff") && ours.is_err() || is_half());
        has_kind(ours, |kind| *kind == ParseErrorKind::NoLiteral) || is_here
    }),
    // LLVM writes a float of 32 bits instead of 16 bits in scalar operations, except for those of SOP2.
    ("scalar f16", |text, llvm, ours| {
        let is_float = text.starts_with("s_") && text.contains("_f16 ") && text.contains(['.', 'e']);
        is_float && matches!((llvm, ours), ([a @ .., _, _, _, _], Ok(b)) if b.starts_with(a))
    }),
    // In scalar operations on halves, LLVM makes no inline constant of the bits of a float, and cuts a literal off to
    // the half that is read; the library makes no inline constant of 0xffff.
    ("scalar f16 bits", |text, llvm, ours| {
        let is_half = text.starts_with("s_") && text.contains("_f16 ");
        let cut = |ours: &Vec<u8>| (ours.len(), llvm.len()) == (8, 8) && ours[..6] == llvm[..6];
        let same = |ours: &Vec<u8>| ours.len().abs_diff(llvm.len()) == 4 || cut(ours);
        is_half && ours.as_ref().is_ok_and(same)
    }),
    // On CDNA5 LLVM accepts signs of the first two matrices. The manual demands zeros, and LLVM 24 refuses the signs.
    ("signs of matrices", |text, _, ours| {
        let names = [
            "v_wmma_f32_16x16x4_f32 ",
            "v_wmma_f32_16x16x32_f16 ",
            "v_wmma_f16_16x16x32_f16 ",
            "v_wmma_f32_16x16x32_bf16 ",
            "v_wmma_bf16_16x16x32_bf16 ",
            "v_wmma_bf16f32_16x16x32_bf16 ",
        ];
        ours.is_err() && text.contains(" neg_") && names.iter().any(|name| text.starts_with(name))
    }),
    // On CDNA5 LLVM takes the number in lit() as all of a 64-bit literal. For a double, the number is the upper half.
    ("lit", |text, llvm, ours| text.contains("lit(") && ours.as_ref().is_ok_and(|ours| ours.len() + 4 == llvm.len())),
    // LLVM makes a literal of each constant in these operations, with the bits of a half.
    ("v_cvt_pk", |text, llvm, ours| {
        let is_one = text.starts_with("v_cvt_pk_fp8_f16") || text.starts_with("v_cvt_pk_bf8_f16");
        is_one && ours.as_ref().is_ok_and(|ours| ours.len() + 4 == llvm.len())
    }),
    // On CDNA5 LLVM ignores that two of the three shifts of 64 bits can read only one scalar.
    ("shift", |text, _, ours| {
        let is_shift = text.starts_with("v_lshrrev_b64") || text.starts_with("v_ashrrev_i64");
        is_shift && has_kind(ours, |p| matches!(p, ParseErrorKind::Rule(_)))
    }),
    // LLVM drops op_sel of a conversion of bytes, whose source has no halves.
    ("op_sel", |text, llvm, ours| {
        let is_one = text.starts_with("v_cvt_f16_fp8") || text.starts_with("v_cvt_f16_bf8");
        // The first bit of op_sel is bit 11.
        let is_dropped = llvm.get(1).is_some_and(|byte| byte & 8 == 0);
        let is_place = |kind: &ParseErrorKind| {
            matches!(kind, ParseErrorKind::Unexpected | ParseErrorKind::Lacks(_) | ParseErrorKind::Name(Field::OpSel))
        };
        is_one && text.contains("op_sel:[1") && is_dropped && has_kind(ours, is_place)
    }),
    // LLVM announces a literal of 64 bits and one of 32 bits, and writes only one.
    ("two literals", |text, _, ours| {
        text.starts_with("s_") && has_kind(ours, |kind| *kind == ParseErrorKind::TwoLiterals)
    }),
    // LLVM drops the absolute value of sources, and before gfx8 the clamp, which have no bit.
    ("v_div_scale", |text, _, ours| {
        text.starts_with("v_div_scale_") && (text.contains(['|', '(']) || text.contains("clamp")) && ours.is_err()
    }),
    // LLVM accepts lengths that are too great for the field, and its decoder refuses the words.
    ("length", |text, _, ours| (text.starts_with("s_prefetch_") || text.starts_with("s_atc_probe")) && ours.is_err()),
    // LLVM makes a constant that includes the sign, so that VOPD can hold it, where the library takes VOPD3 or refuses
    // the text.
    ("dual sign", |text, llvm, _| text.contains("v_dual_") && text.contains(['|', '(']) && llvm.len() < 16),
    // LLVM has no VOPD that begins with this operation, and compares the banks of the wrong operands.
    ("dot2acc", |text, llvm, ours| {
        let is_long = |bytes: &[u8]| bytes[3] == 0b1100_1111;
        // If the text breaks a rule in both formats, the library's error is that of VOPD.
        let is_rule = |kind: &ParseErrorKind| {
            matches!(kind, ParseErrorKind::Rule(RuleError::Banks { .. }) | ParseErrorKind::Operand(Field::Vdsty))
        };
        let differs = has_kind(ours, is_rule) || ours.as_ref().is_ok_and(|ours| !is_long(ours));
        text.contains("v_dual_dot2acc_f32_bf16") && is_long(llvm) && differs
    }),
    // LLVM drops sc1 of atomic operations on doubles in accumulation registers.
    ("sc1", |text, _, ours| text.contains("_f64 a[") && text.contains(" sc1") && ours.is_ok()),
    // LLVM drops the upper bits of a number, the third bit of neg_lo or neg_hi, and bits of op_sel that the operation
    // lacks.
    ("masked", |text, _, ours| {
        let is_range = |kind: &ParseErrorKind| matches!(kind, ParseErrorKind::Range { .. } | ParseErrorKind::Name(_));
        let has_field = ["offset:", " neg_"].iter().any(|part| text.contains(part))
            || text.starts_with("s_")
            || text.starts_with("v_interp_p2_f16") && text.contains("op_sel:");
        has_kind(ours, is_range) && has_field
    }),
    // LLVM cuts a constant off to 16 or 32 bits, and takes the inline constant of these bits.
    ("cut", |text, _, ours| {
        let is_constant = |kind: &ParseErrorKind| *kind == ParseErrorKind::Constant(amdgpu_isa::Field::Src0);
        let is_one = text.starts_with("v_cvt_scalef32_sr_") || text.starts_with("v_pk_mul_f32");
        is_one && has_kind(ours, is_constant) || text.contains("_class_f16_sdwa") && text.contains("0x3f000000")
    }),
    // LLVM accepts nt in operations on caches, which have no bit for it.
    ("cache", |text, _, ours| {
        let is_cache = text.starts_with("buffer_wbl2 ") || text.starts_with("buffer_inv ");
        is_cache
            && text.contains(" nt")
            && has_kind(ours, |kind| matches!(kind, ParseErrorKind::Unexpected | ParseErrorKind::Lacks(_)))
    }),
    // LLVM accepts a number where two registers are read, and its disassembler refuses the words.
    ("pair", |text, _, ours| {
        let is_operand = |kind: &ParseErrorKind| *kind == ParseErrorKind::Operand(amdgpu_isa::Field::Src0);
        text.starts_with("v_cvt_scalef32_sr_pk_fp4_f32 ") && has_kind(ours, is_operand)
    }),
    // LLVM accepts a float where a number of 16 bits is expected, and takes bits of the double.
    ("float", |text, _, ours| {
        let is_number = has_kind(ours, |kind| matches!(kind, ParseErrorKind::Number | ParseErrorKind::Expression));
        text.starts_with("s_") && is_number || text.starts_with("s_setreg_imm32_b32")
    }),
    // LLVM accepts `noglc` and `offset:0` in operations that cannot have the field, and after modifiers that must
    // follow them.
    ("nothing", |text, _, ours| {
        let is_place = |kind: &ParseErrorKind| {
            matches!(kind, ParseErrorKind::Unexpected | ParseErrorKind::Lacks(_) | ParseErrorKind::Order(_))
        };
        (text.contains(" noglc") || text.contains(" offset:0")) && has_kind(ours, is_place)
    }),
    // LLVM drops signs of sources that cannot have signs.
    ("sign", |text, _, ours| text.starts_with("v_interp_") && text.contains(['|', '-', '(']) && ours.is_err()),
    ("sext", |text, _, _| text.contains("sext(") && !text.contains("sext(v")),
    // As a scalar destination or address, LLVM accepts a scalar that can only be read, or null, and encodes another
    // one.
    ("scalar", |text, _, ours| ours.is_err() && (text.contains(" src_") || text.contains("null"))),
    // LLVM accepts a float, or the bits of one, as the number of a barrier, and a number as the register to which a
    // barrier's state is written.
    ("barrier", |text, _, ours| {
        let is_state = text.starts_with("s_get_barrier_state ");
        let is_other = text.starts_with("s_barrier_") || text.starts_with("s_wakeup_barrier ");
        (is_state || is_other && text.contains(['.', 'x'])) && ours.is_err()
    }),
    // LLVM accepts exec as the address of a load to LDS, and of some flat operations; its decoder refuses the words.
    ("exec", |text, _, ours| {
        let flat = text.starts_with("flat_atomic_") || text.starts_with("flat_prefetch_b8 ");
        let is_base = has_kind(ours, |kind| *kind == ParseErrorKind::Operand(Field::Saddr));
        text.contains(" exec") && (text.ends_with(" lds") || flat) && is_base
    }),
    // With DPP, LLVM accepts one register where a double needs two, and two where one is needed.
    ("width with DPP", |text, _, ours| {
        let is_width =
            |kind: &ParseErrorKind| matches!(kind, ParseErrorKind::Width { .. } | ParseErrorKind::Operand(_));
        (text.contains("row_mask") || text.contains("dpp8")) && has_kind(ours, is_width)
    }),
    // LLVM accepts a vector register with a sign where only a scalar can be.
    ("v_s_", |text, _, ours| text.starts_with("v_s_") && ours.is_err()),
    // LLVM counts the implied vcc and a vcc that is an operand as one scalar, even if their widths differ.
    ("v_div_fmas", |text, _, ours| {
        text.starts_with("v_div_fmas_") && has_kind(ours, |p| matches!(p, ParseErrorKind::Rule(_)))
    }),
    // LLVM makes a literal of a constant that its disassembler shows for the inline constant.
    ("v_pk_fmac", |text, _, ours| text.starts_with("v_pk_fmac_f16") && ours.is_ok()),
    // LLVM drops op_sel of this operation and, in the SDWA form, signs and literals.
    ("v_pk_fmac dropped", |text, _, ours| {
        let is_rest = has_kind(ours, |kind| matches!(kind, ParseErrorKind::Unexpected | ParseErrorKind::Lacks(_)));
        text.starts_with("v_pk_fmac_f16") && (text.contains("_sel:") || text.contains("dst_unused:")) && is_rest
    }),
    // In a list with a part for each register, LLVM accepts any number of registers for the last part.
    ("address", |text, _, ours| {
        let is_wide = |kind: &ParseErrorKind| matches!(kind, ParseErrorKind::Width { field: amdgpu_isa::Field::Vaddr0, dwords: 4, given } if *given > 4);
        text.starts_with("image_") && has_kind(ours, is_wide)
    }),
    // LLVM enables a compressed source that is off if its partner is on, and drops the partner.
    ("export", |text, _, ours| {
        use amdgpu_isa::Field::{Vsrc1, Vsrc3};
        let is_partner = |kind: &ParseErrorKind| matches!(kind, ParseErrorKind::Operand(Vsrc1 | Vsrc3));
        let is_off = text.contains("off") && ours.is_ok();
        text.starts_with("exp ") && text.contains("compr") && (is_off || has_kind(ours, is_partner))
    }),
];

#[test]
fn what_llvm_accepts_has_the_same_bytes() {
    let count = std::env::var("AMDGPU_ISA_WORDS").map_or(2, |count| count.parse::<usize>().unwrap() / 4000 + 1);
    let (mut failures, mut rng, mut accepted) = (Failures::default(), Rng(2), 0);
    let mut faults: BTreeMap<&str, usize> = BTreeMap::new();
    for target in targets() {
        let mut lines: Vec<String> = Vec::new();
        for encoding in encodings_to_try(target).into_iter().filter(|encoding| has(encoding.2)) {
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
            match FAULTS.iter().find(|(_, is_it)| is_it(line, &llvm, &ours)) {
                Some((name, _)) => *faults.entry(*name).or_insert(0) += 1,
                None => failures.add(format!("{target}"), format!("{line}: LLVM {llvm:02x?}, ours {ours:02x?}")),
            }
        }
    }
    eprintln!("{accepted} of LLVM's texts; faults: {faults:?}");
    let faults: usize = faults.values().sum();
    failures.report();
    assert!(faults * 100 < accepted, "{faults} of {accepted} texts are said to be faults of LLVM's");
}
