//! An instruction re-targeted to another generation decodes there to the same operation, operands and modifiers, or the
//! error names what is missing: for every operation, every ordered pair of targets, and every form.
#![cfg(all(has_target, feature = "text"))]

#[cfg(feature = "all-targets")]
mod cases;
#[cfg(feature = "all-targets")]
mod meanings;
use crate::generations::is_from_rdna4;
use crate::words;

use std::collections::BTreeSet;
use std::sync::OnceLock;

use amdgpu_isa::convert::RetargetError;
use amdgpu_isa::facts::Counter;
use amdgpu_isa::imm::{DelayAlu, Depctr, Imm};
use amdgpu_isa::{Access, Field, Format, Inst, Opcode, Operand, Reg, Target, Value, decode_words};
use words::Rng;

/// The number of different instructions of each encoding.
const FILLINGS: usize = 24;

/// Whether the quick run leaves an instruction out. The quick run tries a twentieth of the instructions for each pair
/// of targets, and others for the next pair.
fn is_left_out(n: usize, to: Target) -> bool {
    !words::is_full() && (n + to as usize) % 20 != 0
}

/// Operations that differ between the listed targets and all others, so that no instruction is the same on both targets
/// of such a pair: the end of the operation's name, and the targets.
const NEVER_THE_SAME: &[(&str, &str)] = &[
    // One register for each component on gfx803 and gfx801, half a register on gfx810 and from gfx900 on.
    ("format_d16_x", "gfx803 gfx801"),
    ("format_d16_xy", "gfx803 gfx801"),
    ("format_d16_xyz", "gfx803 gfx801"),
    ("format_d16_xyzw", "gfx803 gfx801"),
    // Up to GCN 1.2 these operations zero the upper half of the destination; from gfx9 on, they keep it.
    ("v_mad_f16", "gfx803 gfx801 gfx810"),
    ("v_mad_i16", "gfx803 gfx801 gfx810"),
    ("v_mad_u16", "gfx803 gfx801 gfx810"),
    ("v_fma_f16", "gfx803 gfx801 gfx810"),
    ("v_div_fixup_f16", "gfx803 gfx801 gfx810"),
    ("v_madmk_f16", "gfx803 gfx801 gfx810"),
    ("v_madak_f16", "gfx803 gfx801 gfx810"),
    ("v_interp_p2_f16", "gfx803 gfx801 gfx810"),
    // The formats of 8-bit floats differ: CDNA3 has neither infinity nor -0.
    ("fp8", "gfx942"),
    ("bf8", "gfx942"),
    ("fp8_f32", "gfx942"),
    ("bf8_f32", "gfx942"),
    // On these targets the operations have a number, whose meaning no manual gives.
    ("s_wakeup", "gfx1310 gfx1310:wave64"),
    ("s_barrier_leave", "gfx1310 gfx1310:wave64"),
];

/// Whether `s_waitcnt` waits for nothing on a target, because it has other counters.
fn waits_for_nothing(target: Target) -> bool {
    Counter::Vmcnt.source(target).is_none()
}

/// Whether an operation has floats of 8 bits, which are other numbers on CDNA3.
fn has_other_floats(op: Opcode, from: Target, to: Target) -> bool {
    let is_fnuz = |target: Target| target.name() == "gfx942";
    is_fnuz(from) != is_fnuz(to) && ["fp8", "bf8"].iter().any(|part| op.name().contains(part))
}

/// Whether the target's memory can have ECC.
fn has_ecc(target: Target) -> bool {
    let is_vega = |name: &str| name.starts_with("gfx90") && !["gfx900", "gfx904"].contains(&name);
    let name = target.processor();
    is_vega(name) || name.starts_with("gfx94") || ["gfx9-4-generic", "gfx950"].contains(&name) || is_cdna5(name)
}

fn is_cdna5(name: &str) -> bool {
    name.starts_with("gfx125") || name == "gfx12-5-generic"
}

/// The reason why some or all instructions of an operation differ between both targets. `None`: at least one must be
/// the same on both.
fn may_differ(op: Opcode, from: Target, to: Target) -> Option<&'static str> {
    /// Operations that read or write a bit for each lane, share out a matrix among the lanes, or swap halves of the
    /// wave.
    const LANES: [&str; 15] = [
        // In waves of 32 lanes this operation does nothing.
        "v_permlane64_b32",
        "global_load_tr",
        "v_cmp",
        "v_cndmask_b",
        "v_add_co",
        "v_addc_co",
        "v_sub_co",
        "v_subrev_co",
        "v_subb_co",
        "v_subbrev_co",
        "v_div_scale",
        "v_mad_u64_u32",
        "v_mad_i64_i32",
        "v_wmma",
        "v_swmmac",
    ];
    let name = op.name();
    let begins = |all: &[&str]| all.iter().any(|start| name.starts_with(start));
    let rdna = |target: Target| words::is_rdna(target);
    let of_both = |is: &dyn Fn(Target) -> bool| is(from) != is(to);
    let from_rdna3 = |target: Target| rdna(target) && !target.processor().starts_with("gfx10");
    let from_rdna4m = |target: Target| target.processor() == "gfx1170" || is_from_rdna4(target);
    let listed =
        NEVER_THE_SAME.iter().find(|(end, all)| name.ends_with(end) && of_both(&|target| all.contains(target.name())));
    match () {
        _ if listed.is_some() => listed.map(|(end, _)| *end),
        _ if from.wave_size() != to.wave_size() && begins(&LANES) => Some("lanes"),
        // With ECC, loads of half a register clear the other half.
        _ if of_both(&has_ecc) && name.contains("d16") && !name.contains("store") => Some("memory with ECC"),
        // GCN and CDNA zero the other half of the destination, RDNA keeps it.
        _ if of_both(&rdna) && name.starts_with("v_") && name.contains("16") => Some("16-bit results"),
        // On RDNA an instruction names the dimension of an image, on GCN only whether it is an array; the number of
        // address registers depends on that.
        _ if of_both(&rdna) && name.starts_with("image_") => Some("image addresses"),
        // Stores have a counter of their own on RDNA; on RDNA4 `s_waitcnt` waits for nothing.
        _ if name == "s_waitcnt" && (of_both(&rdna) || of_both(&waits_for_nothing)) => Some("counters"),
        // On RDNA3 these waits do not add a register to their number.
        _ if of_both(&from_rdna3) && name.starts_with("s_waitcnt_") => Some("counters"),
        // From RDNA3 on this operation loads four samples, whatever the dmask is.
        _ if of_both(&from_rdna3) && name == "image_msaa_load" => Some("samples"),
        // No source says for targets up to RDNA2 that the other half of the destination stays.
        _ if of_both(&from_rdna3) && name == "v_sat_pk_u8_i16" => Some("16-bit results"),
        // On GCN and CDNA these compares also write vcc.
        _ if of_both(&rdna) && name.starts_with("v_cmpx_") => Some("exec alone"),
        // The elements of matrices are distributed among the lanes differently.
        _ if of_both(&from_rdna4m) && name.starts_with("v_wmma") => Some("matrices"),
        // From RDNA3 on these operations read parameters from registers.
        _ if of_both(&from_rdna3) && name.starts_with("v_interp_") => Some("interpolation"),
        _ => None,
    }
}

/// Instructions of every encoding of a target, found once for all tests and all pairs.
fn instructions(target: Target) -> &'static [Inst] {
    static FOUND: [OnceLock<Vec<Inst>>; Target::ALL.len()] = [const { OnceLock::new() }; Target::ALL.len()];
    FOUND[target as usize].get_or_init(|| {
        let (mut rng, mut found) = (Rng(target as u64), Vec::new());
        for encoding in words::encodings(target) {
            for inst in words::legal(target, encoding, FILLINGS, &mut rng) {
                found.push(inst);
                // On CDNA5, flat memory can have a scalar address, which must be null for other targets, but is null in
                // few random words.
                found.extend(inst.with(Field::Saddr, 124).ok().filter(|_| inst.format() == Format::Vflat));
                // Few random constants wait only for units that another target has; this one waits for nothing.
                found.extend(
                    inst.with(Field::Simm16, 0xff9f).ok().filter(|_| inst.opcode().name() == "s_waitcnt_depctr"),
                );
            }
        }
        found
    })
}

/// Calls `look` for each instruction of `from`, or a twentieth of them in the quick run, with the result for `to`.
fn each(from: Target, to: Target, mut look: impl FnMut(&Inst, Result<Inst, RetargetError>)) {
    let tried = instructions(from).iter().enumerate().filter(|(n, _)| !is_left_out(*n, to));
    tried.for_each(|(_, inst)| look(inst, inst.retarget(to)));
}

/// The pairs of targets to try: those of one generation, those of the first targets of all generations, and gfx900 with
/// each second target of a processor, whose waves also have 64 lanes.
fn pairs() -> impl Iterator<Item = (Target, Target)> {
    let first = |target: Target| Target::ALL.iter().find(|t| t.generation() == target.generation()) == Some(&target);
    let waves = |a: Target, b: Target| a.name() == "gfx900" && words::is_of_other_size(b);
    let near = move |a: Target, b: Target| a.generation() == b.generation() || waves(a, b) || waves(b, a);
    let good = move |a, b| a != b && (first(a) && first(b) || near(a, b));
    Target::ALL.iter().flat_map(move |&a| Target::ALL.iter().filter(move |&&b| good(a, b)).map(move |&b| (a, b)))
}

/// The text after the mnemonic in a form common to all targets, for example with offsets of scalar loads in bytes, and
/// with one name for the bit that makes an atomic return.
fn operands_text(inst: &Inst) -> String {
    // The text shows delays by their names, unless there are bits without a meaning.
    if let Some(Imm::DelayAlu(delay)) = inst.imm() {
        return format!("{:?}", DelayAlu { rest: 0, ..delay });
    }
    if let Some(Imm::Depctr(wait)) = inst.imm() {
        return format!("{:?}", Depctr { rest: 0, ..wait });
    }
    let text = inst.to_string();
    let mut text = text.split_once(' ').map_or("", |x| x.1).to_string();
    // A field of a hardware register can be elsewhere: see `meanings`.
    if let Some(Imm::Hwreg(range)) = inst.imm() {
        let (before, rest) = text.split_once("hwreg(").expect("a register");
        let after = rest.split_once(')').map_or("", |parts| parts.1);
        return format!("{before}{}{after}", range.size);
    }
    // `lit` says which encoding a number has where an assembler would choose another one.
    while let Some((front, rest)) = text.split_once("lit(") {
        text = format!("{front}{}", rest.replacen(')', "", 1));
    }
    if inst.format() == Format::Smrd {
        if let Some((front, offset)) = text.rsplit_once(", 0x") {
            text = format!("{front}, {:#x}", u64::from_str_radix(offset, 16).expect("an offset") * 4);
        }
    }
    if is_image(inst) {
        // The image resource follows the address.
        let (data, rest) = text.split_once(", ").expect("an address");
        let resource =
            [", s[", ", [s", ", ttmp["].iter().filter_map(|start| rest.find(start)).min().expect("a resource");
        text = format!("{data}{}", &rest[resource..]);
        // Without a sampler, `unorm` has only one valid value, which the text of RDNA4 does not show.
        let is_sampler = |operand: Operand| matches!(operand.role, Some(Field::Ssamp | Field::Samp));
        if !inst.operands().any(is_sampler) {
            text = text.replace(" unorm", "");
        }
    }
    let text = text.replace("BUF_DATA_FORMAT_INVALID", "BUF_FMT_INVALID").replace(".l", "").replace(" offset:0x0", "");
    // LLVM shows an offset of zero by the register that is not added.
    let text = if inst.format() == Format::Smem { text.replace(", null", ", 0x0") } else { text };
    // A read of null gives 0.
    let text = if reads_null(inst) { text.replace("-null", "neg(0)").replace("null", "0") } else { text };
    let text = RENAMED.iter().fold(text, |text, (old, new)| text.replace(new, old));
    // RDNA4 has another name for one wait, and a wait that other targets lack.
    let text = text.replace(" wait_va_vdst:", " wait_vdst:").replace(" wait_vm_vsrc:0", "");
    let returns = |text: String| text.replace(" glc", " sc0").replace(" th:TH_ATOMIC_RETURN", " sc0");
    if inst.flags().is_atomic() { returns(text) } else { text }
}

/// The operation, by the name that it has on RDNA3 in a dual instruction.
fn dual_name(inst: &Inst) -> String {
    inst.opcode().name().replace("_num_f32", "_f32")
}

/// Names on newer targets: the old name, and the new one.
const RENAMED: [(&str, &str); 6] = [
    ("v_dual_max_f32", "v_dual_max_num_f32"),
    ("v_dual_min_f32", "v_dual_min_num_f32"),
    ("row_newbcast", "row_share"),
    ("HW_REG_MODE", "HW_REG_WAVE_MODE"),
    ("HW_REG_FLAT_SCR_LO", "HW_REG_WAVE_SCRATCH_BASE_LO"),
    ("HW_REG_FLAT_SCR_HI", "HW_REG_WAVE_SCRATCH_BASE_HI"),
];

/// Whether an operand is null as a source, which reads as 0.
fn reads_null(inst: &Inst) -> bool {
    let is_null = |o: &Operand| o.value == Value::Reg(Reg::NULL) && o.access == Access::Read;
    inst.format() != Format::Smem && inst.operands().any(|operand| is_null(&operand))
}

/// Whether an instruction accesses an image. (Tensor operations have a dimension, too, but their descriptors are
/// scalars.)
fn is_image(inst: &Inst) -> bool {
    inst.get(Field::Dim).is_some() && !inst.opcode().name().starts_with("tensor_")
}

/// Whether an operand is a part of an image address, which can be one tuple of registers, or have a field for each
/// register.
fn is_image_address(inst: &Inst, operand: &Operand) -> bool {
    is_image(inst) && operand.role.is_some_and(|role| role.name().starts_with("vaddr"))
}

/// The first 13 registers of an image address: the last ones of a tuple of 16 may be unused.
fn image_address(inst: &Inst) -> Vec<Reg> {
    let parts = inst.operands().filter(|operand| is_image_address(inst, operand));
    let registers = parts.flat_map(|operand| match operand.value {
        Value::Reg(Reg::Vgpr(first)) => (0..operand.bits / 32).map(move |n| Reg::Vgpr(first + n)),
        other => panic!("{inst:?}: {other:?}"),
    });
    registers.take(13).collect()
}

/// Role (by the newer format's name), width and access of the explicit operands. An absent scalar address of flat
/// memory counts as none, as on the targets that cannot have one.
fn explicit(inst: &Inst) -> Vec<(&'static str, u16, &'static str)> {
    let side = |o: Operand| {
        let role = match o.role? {
            Field::Sdst if inst.format() == Format::Smrd => "sdata",
            Field::Vsrc1 => "src1",
            Field::Rsrc => "srsrc",
            Field::Samp => "ssamp",
            Field::Vaddr0 => "vaddr",
            // The register of the offset can be in either field.
            Field::Soffset if inst.format() == Format::Smem => "offset",
            // From gfx9 on, a compare in SDWA form has a field for this destination.
            Field::Vcc => "sdst",
            role => role.name(),
        };
        // Widths that differ between targets count as 0: a constant is as wide as its field or a literal, and an
        // operand of 16 bits as wide as a register on targets where it cannot be half of one.
        let half = [16, 32].contains(&o.bits);
        let constant = matches!(o.value, Value::Imm(_)) || role == "offset";
        let bits = if constant || half { 0 } else { o.bits };
        let access = match o.access {
            amdgpu_isa::Access::Write if o.bits == 16 => "rw",
            amdgpu_isa::Access::Read => "r",
            amdgpu_isa::Access::Write => "w",
            amdgpu_isa::Access::ReadWrite => "rw",
        };
        Some((role, bits, access))
    };
    let absent = |o: &Operand| o.value == Value::Off && [Format::Flat, Format::Vflat].contains(&inst.format());
    let others = inst.operands().filter(|operand| !is_image_address(inst, operand) && !absent(operand));
    others.filter_map(side).collect()
}

#[test]
fn what_comes_out_says_the_same() {
    for (from, to) in pairs() {
        let (mut same, mut refused) = (0, 0);
        each(from, to, |inst, result| {
            let Ok(there) = result else { return refused += 1 };
            same += 1;
            assert_eq!((there.target(), dual_name(&there)), (to, dual_name(inst)));
            assert_eq!(decode_words(to, there.words()), Ok(there), "{inst:?}");
            assert!(there.is_canonical(), "{inst:?} -> {there:?}");
            // The text of a literal has as many bits as the operand.
            let cut = |(a, b): (Operand, Operand)| matches!(a.value, Value::Literal(_)) && a.bits != b.bits;
            if !inst.operands().zip(there.operands()).any(cut) {
                assert_eq!(operands_text(&there), operands_text(inst), "{inst:?} -> {there:?}");
            }
            // Bits that the hardware ignores are not kept.
            assert_eq!(explicit(&there), explicit(&inst.canonical()), "{inst:?} -> {there:?}");
            assert_eq!(image_address(&there), image_address(inst), "{inst:?} -> {there:?}");
            assert!(inst.check().is_err() || there.check().is_ok(), "{inst:?} -> {there:?}: {:?}", there.check());
        });
        println!("{from} -> {to}: {same} the same, {refused} refused");
        let part = if words::is_full() { 1 } else { 20 };
        assert!(
            same > 5_000 / part && (refused >= 20 / part || same > 30_000 / part),
            "{from} -> {to}: {same} the same, {refused} refused"
        );
    }
}

#[test]
fn what_is_refused_is_missing() {
    for (from, to) in pairs() {
        let there = |op: Opcode| op.encodings(to).next().is_some();
        // Two dual operations have another name on some targets.
        let renamed = |inst: &Inst| {
            let mut others = Opcode::ALL.iter().filter(|op| op.name().starts_with("v_dual_m") && there(**op));
            inst.second_opcode().is_some() && others.any(|op| op.name().replace("_num_f32", "_f32") == dual_name(inst))
        };
        let has = |inst: &Inst| there(inst.opcode()) || renamed(inst);
        each(from, to, |inst, result| {
            let Err(error) = result else { return };
            let place = format!("{inst} {inst:?} -> {to}: {error:?}");
            assert_eq!(matches!(error, RetargetError::Opcode(op) if op == inst.opcode()), !has(inst), "{place}");
            match error {
                RetargetError::Opcode(_) => {}
                RetargetError::Form { format, extension } => {
                    assert_eq!((format, extension), (inst.format(), inst.extension()), "{place}");
                    let mut there = inst.opcode().encodings(to);
                    let two = inst.second_opcode().is_some();
                    assert!(extension.is_some() || two || !there.any(|e| e.format == format), "{place}");
                }
                RetargetError::Modifier { field, value } => {
                    // If the operation uses only some bits of a modifier, the error gives those.
                    let held = inst.get(field).map(i64::from);
                    assert!(held.is_some_and(|held| held & value == value || value < 0), "{place}");
                    assert!(value != 0 || field == Field::OpSelHi, "{place}");
                }
                RetargetError::Register { field, value } => {
                    let is_it = |o: &Operand| o.role == Some(field) && o.value == value;
                    assert!(inst.operands().any(|operand| is_it(&operand)), "{place}");
                }
                RetargetError::Address(field) => {
                    assert!(inst.opcode().name().starts_with("image_") && inst.get(field).is_some(), "{place}");
                }
                RetargetError::Value { field, value } => {
                    // Parts of constants are not fields, and errors give scalar offsets in bytes.
                    let part = inst.imm().is_some() && inst.get(field).is_none_or(|v| i64::from(v) != value);
                    let Some(held) = inst.get(field).filter(|_| !part) else {
                        assert!(inst.imm().is_some(), "{place}");
                        return;
                    };
                    let signed = value < 0 && i64::from(held) > 0;
                    let bytes = field == Field::Offset && [Format::Smem, Format::Smrd].contains(&inst.format());
                    // If the operation uses only some bits of a modifier, the error gives those.
                    let some = value != 0 && i64::from(held) & value == value;
                    assert!(i64::from(held) == value || signed || bytes || some, "{place}");
                }
                RetargetError::Operand { field, bits, bits_there } => {
                    // On gfx803 and gfx801 each component has a register; on other targets the half without a component
                    // is kept.
                    let unpacked = |target: Target| ["gfx803", "gfx801"].contains(&target.name());
                    let packs = inst.get(Field::D16) == Some(1) && unpacked(inst.target()) != unpacked(to);
                    let access = packs || may_differ(inst.opcode(), inst.target(), to).is_some();
                    assert!(bits != bits_there || access, "{place}");
                    let held = inst.operands().find(|o| o.role == Some(field)).map_or(0, |o| o.bits);
                    assert_eq!(held, bits, "{place}");
                }
                RetargetError::Name { target, field, value } => {
                    assert_eq!(target, inst.target(), "{place}");
                    let held = inst.get(field).or_else(|| inst.get(Field::Simm16));
                    assert!(inst.imm().is_some() || held == Some(value.into()), "{place}");
                }
                RetargetError::Bits { first, last, field, field_there } => {
                    let Some(Imm::Hwreg(reg)) = inst.imm() else { panic!("{place}") };
                    assert!(
                        reg.offset <= first && first <= last && last < reg.offset.saturating_add(reg.size),
                        "{place}"
                    );
                    assert!(last < 32 && field.or(field_there).is_some(), "{place}");
                }
                RetargetError::Floats(op) => {
                    assert_eq!(op, inst.opcode(), "{place}");
                    assert!(has_other_floats(inst.opcode(), inst.target(), to), "{place}");
                }
                RetargetError::Half(field) => {
                    assert_ne!(has_ecc(inst.target()), has_ecc(to), "{place}");
                    assert!(inst.flags().is_load() && inst.get(field).is_some(), "{place}");
                }
                RetargetError::Counter(counter) => {
                    assert!(inst.waits().get(counter).is_some(), "{place}");
                    assert_ne!(waits_for_nothing(inst.target()), waits_for_nothing(to), "{place}");
                }
                RetargetError::Rule(_) => assert!(inst.check().is_ok(), "{place}"),
                _ => panic!("{place}"),
            }
        });
    }
}

/// Whether an instruction has bits without a meaning that `is_canonical` does not know: next to the register of a
/// scalar offset, in the field of a register that is not added, in an implied vcc destination, and between the
/// counters. The register of a scalar offset can be in either of two fields.
fn has_bits_without_meaning(inst: &Inst) -> bool {
    let is = |field, value| inst.get(field) == Some(value);
    let more_than = |field, value| inst.get(field).is_some_and(|v| v > value);
    match inst.imm() {
        Some(Imm::Waitcnt(wait)) => wait.rest() != 0,
        Some(Imm::DelayAlu(delay)) => delay.rest != 0,
        Some(Imm::Depctr(wait)) => wait.rest != 0,
        _ if inst.format() == Format::Smem && is(Field::SoffsetEn, 1) => is(Field::Imm, 0),
        _ if inst.format() == Format::Smem => {
            more_than(Field::Soffset, 0) || is(Field::Imm, 0) && more_than(Field::Offset, 127)
        }
        // The destination of an atomic that returns nothing; some atomics of CDNA1 never return a value.
        _ if inst.flags().is_atomic() && (is(Field::Glc, 0) || is(Field::Sc0, 0)) => more_than(Field::Vdst, 0),
        _ => is(Field::Sd, 0) && more_than(Field::Sdst, 0),
    }
}

#[test]
fn what_goes_there_comes_back_with_the_same_words() {
    for (from, to) in pairs() {
        each(from, to, |inst, result| {
            let Ok(there) = result else { return };
            let back = there.retarget(from);
            // An operation that lost its 32-bit encoding comes back in its other encoding.
            let format = |i: &Inst| i.format();
            if format(inst) == Format::Vop2 && format(&there) == Format::Vop3a {
                // On the other target the instruction can read two scalars, which its 64-bit encoding on `from` cannot.
                match (inst.check(), inst.expand()) {
                    (Err(_), _) => return,
                    (Ok(()), Err(_)) => return assert!(back.is_err()),
                    _ => {}
                }
                let back = back.unwrap_or_else(|e| panic!("{inst:?} -> {there:?}: {e}"));
                return assert_eq!(operands_text(&back), operands_text(inst));
            }
            if format(inst) == Format::Vop3a && format(&there) == Format::Vop2 {
                // The instruction comes back in the encoding of 32 bits, the only one that it has on the other target.
                return assert_eq!(
                    back.map(|back| operands_text(&back)),
                    Ok(operands_text(inst)),
                    "{inst:?} -> {there:?}"
                );
            }
            // If the instruction breaks a rule, the conversion back may fail.
            let is_usual = inst.filler().is_none_or(|filler| filler == from.filler());
            if inst.is_canonical() && is_usual && inst.check().is_ok() {
                // Converted back, the instruction would not wait for stores, which have a counter of their own on RDNA.
                if matches!(back, Err(RetargetError::Value { field: Field::Vmcnt, .. })) {
                    return assert!(!words::is_rdna(from) || !words::is_rdna(to), "{inst:?} -> {there:?}");
                }
                let back = back.unwrap_or_else(|e| panic!("{inst} {inst:?} -> {there} {there:?}: {e}"));
                // An operation that needs this bit has it set when it comes back from a target without the bit.
                let unorm = inst.get(Field::Unorm) == Some(0) && there.get(Field::Unorm).is_none();
                let text = operands_text(&back);
                assert_eq!(if unorm { text.replace(" unorm", "") } else { text }, operands_text(inst));
                assert!(
                    back == *inst || unorm || has_bits_without_meaning(inst) || reads_null(&back) != reads_null(inst),
                    "{inst} {inst:?} -> {there} {there:?} -> {back:?}"
                );
            }
        });
    }
}

#[test]
fn every_operation_that_both_have_can_go() {
    let (mut met, mut wrong) = (BTreeSet::new(), Vec::new());
    for (from, to) in pairs() {
        let mut gone: BTreeSet<Opcode> = BTreeSet::new();
        for inst in instructions(from) {
            let all_gone = gone.contains(&inst.opcode()) && inst.second_opcode().is_none_or(|op| gone.contains(&op));
            if !all_gone && inst.retarget(to).is_ok() {
                gone.insert(inst.opcode());
                gone.extend(inst.second_opcode());
            }
        }
        let both = |op: &&Opcode| op.encodings(from).next().is_some() && op.encodings(to).next().is_some();
        for op in Opcode::ALL.iter().filter(both).filter(|op| !gone.contains(op)) {
            match may_differ(*op, from, to) {
                Some(reason) => drop(met.insert(reason)),
                None => wrong.push(format!("{op} from {from} to {to}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{} {wrong:#?}", wrong.len());
    if cfg!(feature = "all-targets") {
        assert_eq!(met.len(), NEVER_THE_SAME.len() + 9, "an excuse that nobody needs: {met:?}");
    }
}

/// Every instruction that waits, with many constants, between all pairs of targets: the result waits for the same
/// counters, down to the same numbers, and both targets have these counters.
#[test]
fn waits_wait_for_the_same_there() {
    let mut refused = 0;
    for &from in Target::ALL {
        let bytes = |word: u32| decode_words(from, &[word]).ok().filter(|inst| inst.flags().is_wait());
        // One word for an operation without operands, and words with some constants for the other operations.
        let opcodes = (0..=0x7f).map(|op| 0xbf80_0000 | op << 16);
        // The register that is added is null, whose code is one of two.
        let added =
            [0x7c, 0x7d].into_iter().flat_map(|null| (0..=0x1f).map(move |op| 0xb000_0000 | op << 23 | null << 16));
        let opcodes = opcodes.chain(added);
        for word in opcodes {
            let constants =
                (0..16).map(|bit| 0xffff ^ 1 << bit).chain([0, 0xffff, 0x3f7, 0xfc07, 0x0f70, 0xc07f, 0x3f70, 1, 5]);
            for inst in constants.filter_map(|constant| bytes(word | constant)) {
                for &to in Target::ALL {
                    let Ok(there) = inst.retarget(to) else {
                        refused += 1;
                        continue;
                    };
                    let counts = |inst: &Inst| -> Vec<(Counter, Option<u8>)> {
                        let waits = inst.waits();
                        let counters = waits.counters();
                        counters.iter().map(|counter| (counter, waits.get(counter))).collect()
                    };
                    let is_there = |counter: Counter| counter.source(from).is_some() == counter.source(to).is_some();
                    // A wait for everything waits for all counters of its target, and targets have different counters.
                    if inst.operands().next().is_some() {
                        assert_eq!(counts(&there), counts(&inst), "{inst} {from} -> {there} {to}");
                        assert!(
                            counts(&inst).iter().all(|(counter, _)| is_there(*counter)),
                            "{inst} {from} -> {there} {to}"
                        );
                    }
                }
            }
        }
    }
    assert!(!cfg!(feature = "all-targets") || refused > 1_000, "{refused}");
}
