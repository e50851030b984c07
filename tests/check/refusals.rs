//! The instructions that LLVM's assembler refuses and `Inst::check` does not: the hardware has no such rule, or the
//! rule is not about words.

use amdgpu_isa::check::RuleError;
use amdgpu_isa::operands::Special;
use amdgpu_isa::{Field, Format, Inst, Operand, Reg, Target, Value, decode};

use crate::words::{self, has_unified_registers};

pub struct Refusal {
    pub formats: &'static [Format],
    /// A part of the assembler's message.
    pub says: &'static str,
    /// The reason why `check` has no such rule.
    pub reason: &'static str,
    /// A target and bytes that show the refusal.
    pub example: (&'static str, &'static str),
    /// Whether the reason applies to the instruction. All such instructions are refused.
    pub is_one: fn(&Inst) -> bool,
}

const fn refusal(
    formats: &'static [Format],
    says: &'static str,
    reason: &'static str,
    example: (&'static str, &'static str),
    is_one: fn(&Inst) -> bool,
) -> Refusal {
    Refusal { formats, says, reason, example, is_one }
}

fn get(inst: &Inst, field: Field) -> u32 {
    inst.get(field).unwrap_or(0)
}

fn name(inst: &Inst) -> &'static str {
    inst.opcode().name()
}

fn is_of(inst: &Inst, generations: &[&str]) -> bool {
    generations.iter().any(|start| inst.target().processor().starts_with(start))
}

/// Whether an operation with `rev` in its name, whose sources are swapped, reads a parameter from LDS.
fn is_reversed_lds(inst: &Inst) -> bool {
    let lds = |o: Operand| o.value == Value::Reg(Reg::Special(Special::SrcLdsDirect));
    name(inst).contains("rev") && !name(inst).contains("bfrev") && inst.operands().any(lds)
}

fn gathers(inst: &Inst) -> bool {
    name(inst).starts_with("image_gather4")
}

/// Whether the result has three registers: two of packed halves, and the one that `tfe` returns.
fn gathers_three(inst: &Inst) -> bool {
    gathers(inst) && get(inst, Field::Tfe) == 1 && get(inst, Field::D16) == 1
}

/// Whether the instruction samples an image of the last dimension (`dim` 7, which cannot be sampled) with an address of
/// a length that no other dimension has. LLVM has instructions for all lengths from nine registers on and, from RDNA3
/// on, for all addresses with a register in each field.
fn has_own_address_size(inst: &Inst) -> bool {
    let size = |inst: &Inst| {
        let address = |o: &Operand| !matches!(o.role, None | Some(Field::Vdata | Field::Srsrc | Field::Ssamp));
        inst.operands().filter(address).map(|o| o.bits).sum::<u16>()
    };
    let others = (0..7).flat_map(|dim| [0, 1].map(|a16| inst.with(Field::Dim, dim).ok()?.with(Field::A16, a16).ok()));
    let samples = name(inst).starts_with("image_sample") || gathers(inst);
    let is_list = inst.to_string().contains(", [") && !is_of(inst, &["gfx10"]);
    samples
        && !is_list
        && size(inst) <= 8 * 32
        && get(inst, Field::Dim) == 7
        && others.flatten().all(|other| size(&other) != size(inst))
}

fn has_invalid_th(inst: &Inst) -> bool {
    inst.flags().is_atomic() && inst.to_string().contains(" th:TH_ATOMIC_0x")
}

/// Whether the text shows a format as a number, because no format has this number.
fn has_unnamed_format(inst: &Inst) -> bool {
    let text = inst.to_string();
    let is_number = |format: &str| format.starts_with(|c: char| c.is_ascii_digit());
    text.split(' ').filter_map(|word| word.split_once("_fmt:")).any(|(_, format)| is_number(format))
}

/// Whether a modifier `abs` or `neg` is on the literal of a 64-bit operation.
fn changes_literal(inst: &Inst) -> bool {
    let text = inst.to_string();
    name(inst).ends_with("_f64") && literal(inst).is_some() && (text.contains("|0x") || text.contains("neg(0x"))
}

/// Whether the text shows more of the literal than the 16 bits that the operation reads.
fn shows_upper_half(inst: &Inst) -> bool {
    let mandatory = ["v_madmk_f16", "v_madak_f16", "v_fmamk_f16", "v_fmaak_f16"].contains(&name(inst));
    // These operations read half of a register, even if the operand has the width of a whole one.
    let in_half = name(inst).starts_with("v_fma_mix") || name(inst).starts_with("s_") && name(inst).ends_with("_f16");
    let half = |o: Operand| (o.bits == 16 || mandatory || in_half) && matches!(o.value, Value::Literal(_));
    let shown = |l: u32| l > 0xffff && inst.to_string().contains(&format!("{l:#x}"));
    inst.operands().any(half) && literal(inst).is_some_and(shown)
}

fn literal(inst: &Inst) -> Option<u32> {
    inst.get(Field::Literal)
}

/// Whether a tuple has scalar registers and VCC.
fn runs_into_vcc(inst: &Inst) -> bool {
    inst.to_string().contains(",vcc_")
}

/// Whether both operations of a pair of RDNA4 read the same register as the same source, which RDNA3.5 does not allow.
fn shares_a_source(inst: &Inst) -> bool {
    let older = || decode(Target::Gfx1170, &words::bytes(inst.words()));
    let breaks = |older: Inst| matches!(older.check(), Err(RuleError::Banks { .. }));
    inst.target().generation() == "RDNA4" && older().is_ok_and(breaks)
}

pub const REFUSALS: &[Refusal] = &[
    refusal(
        &[Format::Smem, Format::Mimg, Format::Mtbuf, Format::Mubuf, Format::Vimage, Format::Vsample, Format::Vbuffer],
        "registers in a list must be of the same kind",
        "LLVM 22 does not take that vcc follows the last scalar register, which the manuals say and LLVM 24 takes",
        ("gfx1100", "1d190cf4000000f8"),
        runs_into_vcc,
    ),
    refusal(
        &[Format::Flat],
        "invalid operand for instruction",
        "LLVM has no tfe for FLAT",
        ("gfx700", "000020dc1c008000"),
        |i| get(i, Field::Tfe) == 1,
    ),
    refusal(
        &[Format::Mimg, Format::Vsample],
        "invalid operand for instruction",
        "LLVM has no three registers here",
        ("gfx810", "00b15df31c008080"),
        gathers_three,
    ),
    refusal(
        &[Format::Mimg],
        "invalid operand for instruction",
        "LLVM has only the sizes of addresses that real dimensions have",
        ("gfx1010", "b8009bf080003882"),
        has_own_address_size,
    ),
    refusal(
        &[Format::Mimg],
        "invalid operand for instruction",
        "LLVM has no five registers of a mip level in an array of multisampled images",
        ("gfx1030", "b82f11f0bb400400"),
        |i| name(i).contains("_mip") && get(i, Field::Dim) == 7,
    ),
    refusal(
        &[Format::Vsample],
        "invalid operand for instruction",
        "LLVM has no sizes of addresses that only arrays of multisampled images have, which cannot be sampled",
        ("gfx1200", "2f6007e440600022ff5440fe"),
        |i| name(i).starts_with("image_sample") && get(i, Field::Dim) == 7 && i.to_string().contains("]],"),
    ),
    refusal(
        &[Format::Vop3a],
        "op_sel operand conflicts with 16-bit operand suffix",
        "LLVM's assembler looks for the half of the result in the bit of a third source, which its disassembler does not print",
        ("gfx1200", "804836d590010200"),
        |i| name(i) == "v_fmac_f16" && i.to_string().contains(",0,1]"),
    ),
    refusal(
        &[Format::Sop1],
        "invalid operand for instruction",
        "LLVM has no apertures as addresses of code and of registers",
        ("gfx1200", "ee4880be"),
        |i| {
            let is_aperture = |o: Operand| matches!(o.value, Value::Reg(reg) if reg.to_string().starts_with("src_shared_") || reg.to_string().starts_with("src_private_"));
            ["s_movrels_b32", "s_movrels_b64", "s_setpc_b64"].contains(&name(i)) && i.operands().any(is_aperture)
        },
    ),
    refusal(
        &[Format::Global],
        "operands are not valid for this GPU or mode",
        "LLVM has no accumulation registers here if the old value is returned",
        ("gfx942", "7d9d3bdfffff8034"),
        |i| {
            let is_acc = |o: Operand| matches!(o.value, Value::Reg(Reg::Agpr(_)));
            ["global_atomic_pk_add_f16", "global_atomic_add_f32"].contains(&name(i))
                && get(i, Field::Sc0) == 1
                && i.operands().any(is_acc)
        },
    ),
    refusal(
        &[Format::Smem],
        "invalid operand for instruction",
        "LLVM's disassembler prints null as a resource, its assembler does not read it",
        ("gfx1100", "3e6020f4c9fd00fc"),
        |i| name(i).contains("buffer") && get(i, Field::Sbase) == 62,
    ),
    refusal(
        &[Format::Vimage],
        "instruction must set modifier r128=0",
        "a bit of a tensor operation, which its assembler does not read",
        ("gfx1251", "110071d00000107c28180000"),
        |i| name(i).starts_with("tensor_") && get(i, Field::R128) == 1,
    ),
    refusal(
        &[Format::Vop3p, Format::Vop3px2, Format::Vop3px2s16],
        "invalid matrix_",
        "a format that has no name",
        ("gfx1250", "000335cc80000204"),
        has_unnamed_format,
    ),
    refusal(
        &[Format::Sop1],
        "invalid operand for instruction",
        "LLVM's disassembler prints a base as the first register",
        ("gfx1200", "ed41febe"),
        |i| name(i) == "s_movrels_b64" && get(i, Field::Ssrc0) > 127,
    ),
    refusal(
        &[Format::Sop2],
        "invalid operand for instruction",
        "LLVM's s_cbranch_g_fork takes no literal",
        ("gfx900", "ff088094395c5e09"),
        |i| name(i) == "s_cbranch_g_fork" && literal(i).is_some(),
    ),
    refusal(
        &[Format::Vop1],
        "invalid operand for instruction",
        "LLVM's disassembler has DPP of 64 bits before gfx90a, as the hardware has",
        ("gfx803", "fa2afe7f98fa2002"),
        |i| {
            let source = |o: Operand| o.bits == 64 && o.role == Some(Field::Src0);
            let has_it = has_unified_registers(i.target()) || is_of(i, &["gfx1251"]);
            i.extension() == Some(Format::Dpp) && !has_it && i.operands().any(source)
        },
    ),
    refusal(
        &[Format::Sop2, Format::Sopc, Format::Vop1, Format::Vop2, Format::Vop3a, Format::Vop3p],
        "invalid operand for instruction",
        "the upper half of a literal, which 16-bit operations ignore",
        ("gfx803", "fe000048825cee58"),
        shows_upper_half,
    ),
    refusal(
        &[Format::Vop3a, Format::Vop3b],
        "invalid operand for instruction",
        "abs or neg of a literal that stands for the upper half of 64 bits",
        ("gfx1010:wave64", "80064cd54bff011aac8a82ff"),
        changes_literal,
    ),
    refusal(
        &[Format::Vop2, Format::Vop3a, Format::Vop3b, Format::Vop3p],
        "lds_direct",
        "LLVM has no lds_direct in reversed operations",
        ("gfx600", "fe00000a"),
        is_reversed_lds,
    ),
    refusal(
        &[Format::Vop3pMai],
        "inline constants are not allowed",
        "LLVM's assembler refuses on gfx908 what its disassembler prints",
        ("gfx908", "0078c0d3db01c203"),
        |i| {
            is_of(i, &["gfx908"])
                && i.operands().any(|o| o.role == Some(Field::Src2) && !matches!(o.value, Value::Reg(_)))
        },
    ),
    refusal(
        &[Format::Vop3pMai],
        "source operand must be either a VGPR or an inline constant",
        "LLVM's assembler refuses on gfx908 what its disassembler prints",
        ("gfx908", "0000d9d300000000"),
        |i| is_of(i, &["gfx908"]) && name(i) == "v_accvgpr_write_b32" && get(i, Field::Src0) < 128,
    ),
    refusal(
        &[Format::Vop3a],
        "integer clamping is not supported",
        "before GCN 1.2 the bit of integers and of compares (signalling) has no text that LLVM reads",
        ("gfx600", "00085cd054000200"),
        |i| {
            let integer =
                |word: &str| word.starts_with(['i', 'u']) && word[1..].starts_with(|c: char| c.is_ascii_digit());
            is_of(i, &["gfx6", "gfx7"])
                && (i.flags().is_compare() || name(i).split('_').any(integer))
                && get(i, Field::Clamp) == 1
        },
    ),
    refusal(
        &[Format::Sop1],
        "invalid instruction",
        "operations of the GCN pages that LLVM lacks",
        ("gfx600", "003380be"),
        |i| ["s_mov_regrd_b32", "s_mov_fed_b32"].contains(&name(i)),
    ),
    refusal(
        &[Format::Sopk],
        "invalid instruction",
        "operations of the GCN pages that LLVM lacks",
        ("gfx600", "000000ba"),
        |i| name(i) == "s_getreg_regrd_b32",
    ),
    refusal(
        &[Format::Smem],
        "invalid or unsupported register size",
        "LLVM has no three ttmp registers",
        ("gfx1200", "02bb00f4000000f8"),
        |i| {
            name(i).ends_with("load_b96")
                && matches!(i.operands().next().map(|o| o.value), Some(Value::Reg(Reg::Ttmp(_))))
        },
    ),
    refusal(
        &[Format::Vbuffer, Format::Vflat, Format::Vglobal, Format::Vscratch],
        "invalid th value",
        "a deferred scope that is no wider than a work-group, which has no name",
        ("gfx1200", "7c400dec0000400202000000"),
        has_invalid_th,
    ),
    refusal(
        &[Format::Vop3a],
        "only one unique literal",
        "one literal that 16 and 32 bits of it show as two numbers",
        ("gfx1100", "ff8016d660fffd035b7c18c9"),
        |i| {
            let shows = |number: u32| i.to_string().contains(&format!("{number:#x}"));
            literal(i).is_some_and(|l| l > 0xffff && shows(l) && shows(l & 0xffff))
        },
    ),
    refusal(
        &[Format::Global],
        "not valid for this GPU or mode",
        "LLVM has no AccVGPRs in float atomics that return",
        ("gfx942", "a49137dd0081942c"),
        |i| name(i) == "global_atomic_add_f32" && get(i, Field::Acc) == 1 && get(i, Field::Sc0) == 1,
    ),
    refusal(
        &[Format::Smem],
        "not a valid operand",
        "LLVM 22 has no scope and no temporal hint of prefetches; LLVM 24 assembles both",
        ("gfx1200", "00e644f47e221b20"),
        |i| {
            let shows = |modifier: &str| i.to_string().contains(modifier);
            name(i).contains("prefetch_data") && [" scope:", " th:"].into_iter().any(shows)
        },
    ),
    refusal(
        &[Format::Smem],
        "invalid operand for instruction",
        "LLVM 22 has no nv of prefetches; LLVM 24 assembles it",
        ("gfx1250", "c0c714f43e9f0bfc"),
        |i| name(i).contains("_prefetch_") && i.to_string().contains(" nv"),
    ),
    refusal(
        &[Format::Vop3a],
        "invalid operand for instruction",
        "LLVM 22 has no halves as destinations of packed shifts; LLVM 24 assembles them",
        ("gfx1250", "000090d600000000"),
        |i| name(i).starts_with("v_ashr_pk_") && [".l,", ".h,"].iter().any(|half| i.to_string().contains(half)),
    ),
    refusal(
        &[Format::Vopd],
        "operands must use different VGPR banks",
        "LLVM 22 does not take two equal sources, which the RDNA4 manual allows in 7.8 and LLVM 24 takes",
        ("gfx1200", "010500c801050200"),
        shares_a_source,
    ),
];
