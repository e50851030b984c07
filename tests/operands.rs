//! An instruction reads and writes the same registers as in LLVM: role, kind, width and access of every operand, and
//! the implicit registers, for every operation of every target in all its forms. `tests/operands/facts.tsv` has the
//! facts.
#![cfg(feature = "all-targets")]

mod facts;
use crate::generations::is_from_rdna4;
use crate::{kept, words};

use amdgpu_isa::{Access, Field, Format, Inst, Operand, Reg, Target, Value, decode_words};
use facts::{Fact, OURS_ALONE, Row, TARGETS, rows};
use std::collections::{BTreeMap, BTreeSet};
use words::{Rng, is_rdna};

/// Intentional differences between the library and the facts. Each must occur, or it is obsolete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Difference {
    /// The facts list the destination of a FLAT or GLOBAL atomic for all its forms; the destination only exists with
    /// sc0 or glc.
    NoReturn,
    /// The facts list the data of a buffer load for all its forms; with lds there is no data operand.
    DataToLds,
    /// The facts list the offset of a scalar load as a constant and as a register; a form has one or both of them.
    OneOffset,
    /// The facts lack the register for the fail status of FLAT operations, and of gathers of packed halves.
    FailStatus,
    /// The facts have the 21-bit offset of gfx9 also for gfx803, whose offset has 20 bits.
    OffsetOf20Bits,
    /// The facts list the channel of an attribute as a separate operand.
    ChannelOfAttribute,
    /// The facts only know that a compare in SDWA form writes vcc; the field sdst can name another register.
    CompareToSdst,
    /// According to the facts, every load that can go to LDS reads m0; it only reads m0 with lds.
    M0WithLds,
    /// In the facts the VOP3 form of v_interp_p2_f32 only writes its accumulator; the VINTRP form reads it too.
    InterpolationAdds,
    /// The facts say of a destination that is kept under some condition, or in part, that it is only written.
    Kept,
    /// According to the facts, the data of an image atomic is written in all its forms; the data is only written with
    /// glc.
    ImageNoReturn,
    /// According to the facts, every hardware register is the mode.
    NamedRegister,
    /// The facts lack registers that the manual names, or have other registers: for operations that LLVM's compiler
    /// never makes.
    Registers,
}
use Difference::*;
const ALL_DIFFERENCES: [Difference; 13] = [
    NoReturn,
    DataToLds,
    OneOffset,
    FailStatus,
    OffsetOf20Bits,
    ChannelOfAttribute,
    CompareToSdst,
    M0WithLds,
    InterpolationAdds,
    Kept,
    ImageNoReturn,
    NamedRegister,
    Registers,
];

/// Operations whose destination is read although the facts do not say so, each with its format and the first column of
/// the facts to which this applies. These operations keep the destination when scc is 0, or write half of it or less.
/// The list is independent of the tables: it comes from the manuals' descriptions of the operations and LLVM's
/// `zeroesHigh16BitsOfDest`.
const KEPT: [(&str, Target, &[&str]); 6] = [
    ("SOP1", Target::Gfx600, &["s_cmov_b32", "s_cmov_b64"]),
    ("SOPK", Target::Gfx600, &["s_cmovk_i32"]),
    ("VOP2", Target::Gfx900, &["v_madak_f16", "v_madmk_f16"]),
    (
        "VOP3A",
        Target::Gfx900,
        &[
            "v_mad_f16",
            "v_mad_i16",
            "v_mad_u16",
            "v_fma_f16",
            "v_div_fixup_f16",
            "v_min3_f16",
            "v_min3_i16",
            "v_min3_u16",
            "v_max3_f16",
            "v_max3_i16",
            "v_max3_u16",
            "v_med3_f16",
            "v_med3_i16",
            "v_med3_u16",
            "v_add_i16",
            "v_sub_i16",
            "v_bitop3_b16",
            "v_ashr_pk_i8_i32",
            "v_ashr_pk_u8_i32",
            "v_cvt_scalef32_sr_pk_fp4_f32",
            "v_cvt_scalef32_sr_pk_fp4_f16",
            "v_cvt_scalef32_sr_pk_fp4_bf16",
        ],
    ),
    ("VOP3-INTERP", Target::Gfx900, &["v_interp_p2_f16"]),
    ("MUBUF", Target::Gfx900, &["buffer_load_format_d16_hi_x"]),
];

fn is_kept(row: &Row, inst: &Inst) -> bool {
    let column = |target: Target| TARGETS.iter().position(|name| *name == target.name());
    let listed = KEPT.iter().find(|(format, ..)| *format == row.format);
    listed.is_some_and(|(_, from, names)| column(inst.target()) >= column(*from) && names.contains(&row.mnemonic))
}

/// Operations with implicit registers that the facts lack or have differently: the read registers, and the written
/// ones.
const REGISTERS: [(&str, &[&str], &[&str]); 6] = [
    // VSKIP is a bit of the mode.
    ("s_setvskip", &["mode"], &["mode"]),
    // Four bits of m0 are written, and the others stay.
    ("s_set_gpr_idx_mode", &["m0", "mode"], &["m0", "mode"]),
    // The stack pointer of forks is in the mode.
    ("s_cbranch_g_fork", &["exec", "mode"], &["exec", "mode"]),
    ("s_cbranch_i_fork", &["exec", "mode"], &["exec", "mode"]),
    ("s_cbranch_join", &["mode"], &["exec", "mode"]),
    // m0 has the address of the parameter.
    ("v_interp_p2_f16", &["exec", "m0", "mode"], &[]),
];

/// The registers that a hardware register holds, by its number (`hwreg` in the manuals: 1 mode, 2 status, 3 trap
/// status). The status holds SCC, EXECZ and VCCZ, of which only SCC can be set. On RDNA4, hardware register 4 holds
/// SCC, and 17 and 18 hold the exceptions.
fn held(target: Target, number: u32, is_set: bool) -> &'static [&'static str] {
    let from_rdna4 = is_from_rdna4(target);
    match number {
        2 | 3 if from_rdna4 && (is_set || number == 3) => &[],
        2 if from_rdna4 => &["exec", "vcc"],
        4 if from_rdna4 => &["scc"],
        17 | 18 if from_rdna4 => &["trapsts"],
        34 if ["CDNA5", "GFX13"].contains(&target.generation()) => &["xnack_mask"],
        20 | 21 if is_rdna(target) => &["flat_scratch"],
        22 if ["gfx1010", "gfx1011", "gfx1013"].contains(&target.processor()) => &["xnack_mask"],
        1 => &["mode"],
        2 if is_set => &["scc"],
        2 => &["exec", "scc", "vcc"],
        3 => &["trapsts"],
        _ => &[],
    }
}

/// Whether the value of an operand is of one of the kinds.
fn is_kind(kinds: &str, inst: &Inst, operand: &Operand) -> bool {
    let constant = matches!(operand.value, Value::Int(_) | Value::Float(_));
    let scalar = matches!(operand.value, Value::Reg(Reg::Sgpr(_) | Reg::Ttmp(_) | Reg::Special(_)));
    let source = scalar || constant || matches!(operand.value, Value::Literal(_));
    let (vgpr, agpr) =
        (matches!(operand.value, Value::Reg(Reg::Vgpr(_))), matches!(operand.value, Value::Reg(Reg::Agpr(_))));
    // An address may have no register.
    let off = operand.value == Value::Off;
    kinds.split('|').any(|kind| match kind {
        "sgpr" => scalar || off && operand.role == Some(Field::Saddr),
        "vgpr" => {
            vgpr || off && (inst.format() == Format::Exp || matches!(operand.role, Some(Field::Vaddr | Field::Addr)))
                // The second source of an SDWA instruction can be a scalar.
                || inst.extension().is_some_and(|f| f.name().starts_with("SDWA"))
                    && operand.role == Some(Field::Vsrc1)
                    && source
        }
        "agpr" => agpr,
        "av" => {
            if is_accumulator(inst, operand.role.map_or("", Field::name)) {
                agpr
            } else {
                vgpr
            }
        }
        "ssrc" => source,
        "vsrc" => source || vgpr,
        "agpr_or_inline" => agpr || constant,
        "vgpr_or_inline" => vgpr || constant,
        "implied" => operand.value == Value::Reg(Reg::Vcc),
        "label" => matches!(operand.value, Value::Label(_)),
        "literal" => matches!(operand.value, Value::Literal(_)),
        // A constant of 32 bits is a literal dword.
        "simm" if operand.bits == 32 => matches!(operand.value, Value::Literal(_)),
        "simm" | "uimm" | "hwreg" | "sendmsg" | "waitcnt" | "gpridxmode" | "attr" | "interpslot" | "exptgt" => {
            matches!(operand.value, Value::Imm(_))
        }
        "lds_direct" => false,
        other => panic!("unknown kind {other}"),
    })
}

fn access(operand: &Operand) -> &'static str {
    match operand.access {
        Access::Read => "r",
        Access::Write => "w",
        Access::ReadWrite => "rw",
    }
}

fn get(inst: &Inst, role: &str) -> u32 {
    inst.fields().find(|held| held.info.field.name() == role).map_or(0, |held| held.value)
}

/// Whether an operand that can be a VGPR or an AGPR is an AGPR, according to the instruction's bits.
fn is_accumulator(inst: &Inst, role: &str) -> bool {
    let flag = |name: &str, bit: u32| get(inst, name) >> bit & 1 == 1;
    match (inst.format(), role) {
        (Format::Vop3pMai | Format::Vop3px, "src0") => flag("acc", 0),
        (Format::Vop3pMai | Format::Vop3px, "src1") => flag("acc", 1),
        (Format::Vop3pMai | Format::Vop3px, _) => flag("acc_cd", 0),
        _ => flag("acc", 0),
    }
}

/// The reason why this instruction may lack an operand that the facts have.
fn excuse(row: &Row, inst: &Inst, fact: &Fact) -> Option<Difference> {
    let atomic = inst.flags().is_atomic();
    match (row.format, fact.role) {
        ("FLAT" | "GLOBAL", "vdst") if atomic && get(inst, "sc0") + get(inst, "glc") == 0 => Some(NoReturn),
        ("MUBUF", "vdata") | ("GLOBAL" | "SCRATCH", "vdst") if get(inst, "lds") == 1 => Some(DataToLds),
        ("SMEM", "soffset") if get(inst, "soffset_en") == 0 => Some(OneOffset),
        ("SMEM", "offset") if get(inst, "imm") == 0 && get(inst, "soffset_en") == 1 => Some(OneOffset),
        ("VINTRP" | "VOP3-INTERP", "attrchan") => Some(ChannelOfAttribute),
        ("SMRD", "literal") => Some(OneOffset),
        _ => None,
    }
}

/// The reason why an operand may differ from the facts.
fn other_reading(row: &Row, inst: &Inst, fact: &Fact, operand: &Operand) -> Option<Difference> {
    let wider = |by: u16| fact.bits.parse() == Ok(operand.bits - by);
    match (row.format, fact.role, operand.value) {
        ("FLAT", "vdst", _) if get(inst, "tfe") == 1 && wider(32) => Some(FailStatus),
        ("MIMG", "vdata", _) if get(inst, "tfe") == 1 && get(inst, "d16") == 1 && operand.bits == 96 => {
            Some(FailStatus)
        }
        ("SMEM", "offset", Value::Imm(_)) if operand.bits == 20 && fact.bits.contains("21") => Some(OffsetOf20Bits),
        ("SMRD", "offset", Value::Literal(_)) => Some(OneOffset),
        _ => None,
    }
}

/// Compares one instruction, and returns the faults.
fn compare(row: &Row, inst: &Inst, met: &mut BTreeSet<Difference>) -> Vec<String> {
    let mut faults = Vec::new();
    let explicit: Vec<Operand> = inst.operands().take_while(|o| o.role.is_some()).collect();
    let mut left = explicit.iter().peekable();
    for fact in &row.operands {
        let sdwab = inst.extension() == Some(Format::Sdwab) && inst.get(Field::Sdst).is_some();
        let compare_to_sdst = sdwab && fact.role == "vcc";
        let role = if compare_to_sdst { "sdst" } else { fact.role };
        let Some(operand) = left.next_if(|o| o.role.is_some_and(|r| r.name() == role)) else {
            match excuse(row, inst, fact) {
                Some(difference) => _ = met.insert(difference),
                None => faults.push(format!("lacks {}", fact.name)),
            }
            continue;
        };
        let other_sdst = compare_to_sdst && operand.value != Value::Reg(Reg::Vcc);
        if other_sdst {
            met.insert(CompareToSdst);
        }
        let one_of = |list: &str, what: &str| list.split('|').any(|x| x == what);
        let kinds = if other_sdst { "sgpr" } else { fact.kinds };
        let good_bits = one_of(fact.bits, &operand.bits.to_string());
        let keeps = fact.access == "w" && (is_kept(row, inst) || kept::is_kept(inst, operand));
        let good_access = if keeps { access(operand) == "rw" } else { one_of(fact.access, access(operand)) };
        if let Some(difference) = other_reading(row, inst, fact, operand).filter(|_| good_access) {
            met.insert(difference);
        } else if row.format == "VOP3-INTERP" && row.mnemonic == "v_interp_p2_f32" && access(operand) == "rw" {
            met.insert(InterpolationAdds);
        } else if keeps {
            match is_kind(kinds, inst, operand) && good_bits && good_access {
                true => _ = met.insert(Kept),
                false => faults.push(format!("{} is {}, and it is kept", fact.name, access(operand))),
            }
        } else if row.mnemonic.starts_with("image_atomic") && fact.role == "vdata" && get(inst, "glc") == 0 {
            match is_kind(kinds, inst, operand) && good_bits && access(operand) == "r" {
                true => _ = met.insert(ImageNoReturn),
                false => faults.push(format!("{} is {}, and nothing returns", fact.name, access(operand))),
            }
        } else if !is_kind(kinds, inst, operand) || !good_bits || !good_access {
            let Operand { value, bits, .. } = operand;
            faults.push(format!("{} is {value:?}, {bits} bits, {}", fact.name, access(operand)));
        }
    }
    faults.extend(left.map(|o| format!("has an operand {o:?} besides")));

    let (mut reads, mut writes) = (BTreeSet::new(), BTreeSet::new());
    for operand in inst.operands() {
        let Value::Reg(reg) = operand.value else { continue };
        let name = match reg {
            Reg::Scc => "scc",
            Reg::Vcc => "vcc",
            Reg::Exec => "exec",
            Reg::M0 => "m0",
            Reg::Mode => "mode",
            Reg::FlatScratch => "flat_scr",
            Reg::TrapStatus => "trapsts",
            _ if operand.role.is_none() => panic!("{inst:?}: implicit {reg:?}"),
            _ => continue,
        };
        if operand.access.reads() {
            reads.insert(name);
        }
        if operand.access.writes() {
            writes.insert(name);
        }
    }
    let mut expected = row.writes.clone();
    if explicit.iter().any(|o| o.role == Some(Field::Sdst) && o.value != Value::Reg(Reg::Vcc)) {
        expected.remove("vcc");
    }
    let mut expected_reads = row.reads.clone();
    if inst.get(Field::Lds) == Some(0) && expected_reads.remove("m0") {
        met.insert(M0WithLds);
    }
    if ["s_getreg_b32", "s_setreg_b32", "s_setreg_imm32_b32"].contains(&row.mnemonic) {
        let is_set = row.mnemonic != "s_getreg_b32";
        let named: BTreeSet<&str> = held(inst.target(), get(inst, "simm16") & 63, is_set).iter().copied().collect();
        expected = if is_set { named.clone() } else { BTreeSet::new() };
        expected_reads = named;
        met.insert(NamedRegister);
    }
    if let Some((_, reads, writes)) = REGISTERS.iter().find(|r| r.0 == row.mnemonic) {
        (expected_reads, expected) = (reads.iter().copied().collect(), writes.iter().copied().collect());
        met.insert(Registers);
    }
    for (what, ours, theirs) in [("reads", reads, &expected_reads), ("writes", writes, &expected)] {
        if ours != *theirs {
            faults.push(format!("{what} {ours:?}, not {theirs:?}"));
        }
    }
    faults
}

#[test]
fn every_operation_reads_and_writes_what_llvm_says() {
    let mut met = BTreeSet::new();
    let mut list = Vec::new();
    for target in TARGETS.map(|name| name.parse::<Target>().expect("it is enabled")) {
        list.extend(compare_all(target, &mut met));
    }
    assert!(list.is_empty(), "\n{}", list.join("\n"));
    assert_eq!(met, ALL_DIFFERENCES.into());
}

/// Compares instructions of every operation of a target, and returns the faults.
fn compare_all(target: Target, met: &mut BTreeSet<Difference>) -> Vec<String> {
    let all = words::encodings(target);
    let mut rng = Rng(942);
    let mut faults: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for row in rows(target.name()) {
        let place = format!("{target} {} {} {}", row.format, row.number, row.mnemonic);
        let found = all.iter().find(|(f, n, _)| f.name() == row.format && *n == row.number);
        let Some(&encoding) = found else {
            faults.insert((place, "no such operation".into()), vec![String::new()]);
            continue;
        };
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for inst in words::legal(target, encoding, 40, &mut rng) {
            for o in inst.operands() {
                *seen.entry(o.role.map_or("", Field::name)).or_default() += 1;
            }
            for fault in compare(&row, &inst, met) {
                faults.entry((place.clone(), fault)).or_default().push(format!("{:08x?}", inst.words()));
            }
        }
        for fact in &row.operands {
            let elsewhere = fact.role == "vcc" && seen.contains_key("sdst")
                || matches!((row.format, fact.role), (_, "attrchan") | ("SMRD", "literal"));
            let met = seen.contains_key(fact.role) || elsewhere;
            if !met {
                faults.insert((place.clone(), format!("{} was never met", fact.name)), vec![String::new()]);
            }
        }
    }
    faults
        .iter()
        .map(|((place, fault), words)| format!("{place}: {fault}, {} times: {}", words.len(), words[0]))
        .collect()
}

#[test]
fn every_operation_of_the_library_has_a_fact() {
    for target in TARGETS.map(|name| name.parse::<Target>().expect("it is enabled")) {
        let facts: BTreeSet<(&str, u16)> = rows(target.name()).iter().map(|r| (r.format, r.number)).collect();
        let all = words::encodings(target);
        let listed = all.iter().filter(|(_, _, op)| !OURS_ALONE.contains(&op.name()));
        let ours: BTreeSet<(&str, u16)> = listed.map(|(f, n, _)| (f.name(), *n)).collect();
        let differ: Vec<_> = ours.symmetric_difference(&facts).collect();
        assert!(differ.is_empty(), "{target}: {differ:?}");
    }
}

/// An access to any hardware register reads or writes the registers that it holds, and no others.
#[test]
fn hardware_registers_are_touched_where_they_are_named() {
    for &target in Target::ALL {
        let mut seen = 0;
        let names_one = |name: &str| name.starts_with("s_getreg") || name.starts_with("s_setreg");
        for encoding in words::encodings(target).into_iter().filter(|e| names_one(e.2.name())) {
            let inst = words::legal(target, encoding, 1, &mut Rng(1))[0];
            let is_set = encoding.2.name().starts_with("s_setreg");
            for simm16 in (0..64).flat_map(|id| [id, id | 0xffc0]) {
                let inst = inst.with(Field::Simm16, simm16).expect("any constant");
                let expected: Vec<(String, Access)> = held(target, simm16 & 63, is_set)
                    .iter()
                    .map(|name| (name.to_string(), if is_set { Access::ReadWrite } else { Access::Read }))
                    .collect();
                let implicit = inst.operands().filter(|o| o.role.is_none());
                let mut implicit: Vec<_> = implicit.map(|o| (o.value.to_string(), o.access)).collect();
                implicit.sort_by(|a, b| a.0.cmp(&b.0));
                assert_eq!(implicit, expected, "{inst:?}");
                seen += 1;
            }
        }
        assert!(seen >= 3 * 128, "{target}: {seen}");
    }
}

/// A destination is also read if the words keep a part of it.
#[test]
fn the_words_say_whether_a_destination_is_kept() {
    for (target, words, access) in [
        // v_mov_b32_sdwa v8, v16 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE, and UNUSED_PAD, and dst_sel:DWORD
        ("gfx900", &[0x7e10_02f9, 0x0006_1110][..], Access::ReadWrite),
        ("gfx900", &[0x7e10_02f9, 0x0006_0110], Access::Write),
        ("gfx900", &[0x7e10_02f9, 0x0006_1610], Access::Write),
        // v_mov_b32_dpp v8, v16 row_shr:1 row_mask:0x5 bank_mask:0x3, then all lanes with bound_ctrl, then all lanes
        // without it
        ("gfx900", &[0x7e10_02fa, 0x5301_1110], Access::ReadWrite),
        ("gfx900", &[0x7e10_02fa, 0xff09_1110], Access::Write),
        ("gfx900", &[0x7e10_02fa, 0xff01_1110], Access::ReadWrite),
        // v_permlane64_b32_e32 v250, v0
        ("gfx1100", &[0x7ff4_cf00], Access::ReadWrite),
        ("gfx1100:wave64", &[0x7ff4_cf00], Access::Write),
    ] {
        let inst = decode_words(target.parse().expect("it is enabled"), words).expect("it is an instruction");
        let destination = inst.operands().next().expect("it comes first");
        assert_eq!((destination.role, destination.access), (Some(Field::Vdst), access), "{inst:?}");
    }
}
