//! Limits in the tables and bounds in the code: the last value that is accepted, and the first that is not.
//!
//! The numbers are those of LLVM's AMDGPU usage guide, of the manuals, of MessagePack's specification, or those that
//! LLVM 22 accepts, refuses and encodes. Each test names its source.
#![cfg(all(feature = "all-targets", feature = "text", feature = "alloc"))]

use amdgpu_isa::asm::{AssembleErrorKind, Assembler, FixupSlot, LabelSlot};
use amdgpu_isa::check::RuleError;
use amdgpu_isa::facts::{Counter, RegSet};
use amdgpu_isa::flow::{Flow, Lanes};
use amdgpu_isa::hazards::{Hazards, Pending};
use amdgpu_isa::kernel::{
    Argument, CodeObject, DescriptorError, DescriptorPart, Hidden, KernargPreload, Kernel, KernelCodeProperties,
    KernelDescriptor, PgmRsrc1, PgmRsrc2, PgmRsrc3, Registers,
};
use amdgpu_isa::processor::Processor;
use amdgpu_isa::text::ParseErrorKind;
use amdgpu_isa::{Field, Format, Inst, Reg, Target, Value, VgprMsb, decode_words, parse};
use object::{Object as _, ObjectSection as _};

/// The targets with these names that are in the build, because mutants of a limit are built with few targets.
fn targets<const N: usize>(names: [&str; N]) -> impl Iterator<Item = Target> {
    names.into_iter().filter_map(|name| name.parse().ok())
}

fn inst(target: Target, text: &str) -> Inst {
    parse(target, text).unwrap_or_else(|error| panic!("{target} {text}: {error}"))
}

/// The error with which the assembler and `check` refuse a text.
fn rule(target: Target, text: &str) -> Result<(), RuleError> {
    match parse(target, text) {
        Ok(inst) => inst.check(),
        Err(error) => match error.kind {
            ParseErrorKind::Rule(rule) => Err(rule),
            kind => panic!("{target} {text}: {kind:?}"),
        },
    }
}

/// The descriptor with the fields for these registers.
fn set(target: Target, registers: Registers) -> Result<KernelDescriptor, DescriptorError> {
    let mut descriptor = KernelDescriptor::new(target);
    descriptor.set_registers(target, registers).map(|()| descriptor)
}

/// LLVM's usage guide, `.amdhsa_accum_offset`: "Must be a multiple of 4 in the range [4..256]"; the field holds a
/// fourth of it, less one.
#[test]
fn set_registers_takes_1_to_64_granules_before_the_accumulation_registers() {
    for target in targets(["gfx90a", "gfx942", "gfx9-4-generic", "gfx950"]) {
        for offset in 0..=520 {
            let made = set(target, Registers { vgprs: 512, accum_offset: offset, ..Registers::new(target) });
            let fits = offset % 4 == 0 && (4..=256).contains(&offset);
            let wanted = if fits { Ok(offset / 4 - 1) } else { Err(DescriptorError::AccumOffset) };
            assert_eq!(made.map(|d| u16::from(d.rsrc3().accum_offset())), wanted, "{target} {offset}");
            // Accumulation registers cannot begin after the last register, except in its granule.
            for vgprs in [0, 1, 2, 4, 5, 8, 9, 255, 256, 257] {
                let made = set(target, Registers { vgprs, accum_offset: offset, ..Registers::new(target) });
                let has_place = offset <= vgprs.max(1).div_ceil(4) * 4;
                assert_eq!(made.is_ok(), fits && has_place, "{target} {offset} {vgprs}");
            }
        }
    }
}

/// LLVM's `getTotalNumVGPRs`: accumulation registers follow the vector registers from CDNA2 to CDNA4, and have a
/// register file of their own on CDNA1.
#[test]
fn set_registers_takes_accumulation_registers_where_they_are() {
    for &target in Target::ALL {
        let made = |vgprs, accum_offset, agprs| {
            let made = set(target, Registers { vgprs, accum_offset, agprs, ..Registers::new(target) });
            made.map(|descriptor| descriptor.rsrc1().granulated_workitem_vgpr_count())
        };
        match target.generation() {
            "CDNA1" => {
                assert_eq!(
                    [made(8, 4, 0), made(8, 4, 8), made(8, 4, 9), made(0, 4, 256)],
                    [Ok(1), Ok(1), Ok(2), Ok(63)]
                );
                assert_eq!(made(8, 4, 257), Err(DescriptorError::Vgprs), "{target}");
            }
            "CDNA2" | "CDNA3" | "CDNA4" => {
                assert_eq!([made(9, 8, 0), made(9, 8, 1), made(512, 256, 256)], [Ok(1), Ok(1), Ok(63)]);
                assert_eq!([made(9, 8, 2), made(7, 8, 1)], [Err(DescriptorError::AccumOffset); 2], "{target}");
            }
            _ => assert_eq!(made(8, 4, 1), Err(DescriptorError::Vgprs), "{target}"),
        }
    }
}

/// LLVM's usage guide, GRANULATED_WORKITEM_VGPR_COUNT: six bits with the number of granules less one. A granule has 8
/// registers in waves of 32 lanes and from CDNA2 to CDNA4, 16 on CDNA5, 4 elsewhere.
#[test]
fn set_registers_takes_64_granules_of_vector_registers() {
    for &target in Target::ALL {
        let granule = match target.generation() {
            "CDNA5" => 16,
            "CDNA2" | "CDNA3" | "CDNA4" => 8,
            generation if (generation.starts_with("RDNA") || generation == "GFX13") && target.wave_size() == 32 => 8,
            _ => 4,
        };
        for vgprs in 0..=64 * granule + granule {
            let made = set(target, Registers { vgprs, ..Registers::new(target) });
            let wanted = match vgprs {
                0 => Ok(0),
                n if n <= 64 * granule => Ok((n - 1) / granule),
                _ => Err(DescriptorError::Vgprs),
            };
            let counted = made.map(|d| u16::from(d.rsrc1().granulated_workitem_vgpr_count()));
            assert_eq!(counted, wanted, "{target} {vgprs}");
        }
    }
}

/// The setters of a descriptor's words accept values that fit, keep all other bits, and refuse other values.
#[test]
fn setters_of_descriptor_words_take_what_fits() {
    let refused = |max| Some(DescriptorError::Range { max });
    for word in [PgmRsrc1::new(), PgmRsrc1::from_bits(u32::MAX)] {
        let full = word.with_granulated_workitem_vgpr_count(63);
        assert_eq!(full.map(PgmRsrc1::into_bits), Ok(word.into_bits() | 63));
        assert_eq!(word.with_granulated_workitem_vgpr_count(64).err(), refused(63));
        let none = word.with_granulated_wavefront_sgpr_count(0);
        assert_eq!(none.map(PgmRsrc1::into_bits), Ok(word.into_bits() & !0x3c0));
        assert_eq!(word.with_granulated_wavefront_sgpr_count(16).err(), refused(15));
        assert_eq!(word.with_priority(4).err(), refused(3));
    }
    assert_eq!(PgmRsrc2::new().with_granulated_lds_size(511).map(|word| word.granulated_lds_size()), Ok(511));
    assert_eq!(PgmRsrc2::new().with_granulated_lds_size(512).err(), refused(511));
    assert_eq!(PgmRsrc3::new().with_accum_offset(63).map(PgmRsrc3::into_bits), Ok(63));
    assert_eq!(PgmRsrc3::new().with_high(1 << 15).err(), refused(0x7fff));
    assert_eq!(KernargPreload::new().with_offset(511).map(KernargPreload::into_bits), Ok(511 << 7));
    assert_eq!(KernargPreload::new().with_offset(512).err(), refused(511));
    assert_eq!(KernelCodeProperties::new().with_reserved1(16).err(), refused(15));
}

/// LLVM's usage guide, GRANULATED_WAVEFRONT_SGPR_COUNT, and the numbers that its assembler accepts: 104 with vcc and
/// flat_scratch on GCN 1.0 and 1.1, later 102 without the special ones, and from RDNA on all waves have all registers.
/// A granule has 8 registers.
#[test]
fn set_registers_takes_as_many_scalar_registers_as_there_are() {
    for &target in Target::ALL {
        let most = match target.generation() {
            "GCN1.0" | "GCN1.1" => 104,
            generation if generation.starts_with("RDNA") || ["CDNA5", "GFX13"].contains(&generation) => u16::MAX,
            _ => 102,
        };
        for (vcc, flat_scratch) in [(false, false), (true, false), (true, true)] {
            let registers = Registers { vcc, flat_scratch, xnack_mask: false, ..Registers::new(target) };
            let special = registers.special(target);
            // On targets where scratch memory takes no registers of a kernel, the registers of flat_scratch always
            // count.
            let always = ["CDNA3", "CDNA4"].contains(&target.generation());
            let wanted = match (target.generation(), vcc, flat_scratch || always) {
                // Metadata count vcc, although every wave has it.
                (_, true, _) if most == u16::MAX => 2,
                _ if most == u16::MAX => 0,
                ("GCN1.0" | "GCN1.1", _, true) => 4,
                (_, _, true) => 6,
                (_, true, false) => 2,
                (_, false, false) => 0,
            };
            assert_eq!(special, wanted, "{target} {vcc} {flat_scratch}");
            for sgprs in 90..=106 {
                let made = set(target, Registers { sgprs, ..registers });
                let counted = if most == 104 { sgprs + special } else { sgprs };
                let granules = if most == u16::MAX { 0 } else { (sgprs + special).div_ceil(8) - 1 };
                let wanted = if counted <= most { Ok(granules) } else { Err(DescriptorError::Sgprs) };
                let made = made.map(|d| u16::from(d.rsrc1().granulated_wavefront_sgpr_count()));
                assert_eq!(made, wanted, "{target} {sgprs} {special}");
            }
        }
    }
}

/// LLVM's `.amdhsa_user_sgpr_kernarg_preload_length`: the arguments that are loaded into registers begin with the first
/// one.
#[test]
fn set_registers_counts_one_register_that_is_loaded() {
    let Some(target) = targets(["gfx942"]).next() else { return };
    let mut descriptor = KernelDescriptor::new(target);
    descriptor.set(target, DescriptorPart::UserSgprCount, 16).unwrap();
    let count = |mut descriptor: KernelDescriptor| {
        descriptor.set_registers(target, Registers::new(target)).unwrap();
        descriptor.rsrc1().granulated_wavefront_sgpr_count()
    };
    // The kernel uses 6 special registers, in a granule of 8. With a loaded argument, it uses 16 user registers, too:
    // 24.
    assert_eq!(count(descriptor), 0);
    descriptor.set(target, DescriptorPart::UserSgprKernargPreloadLength, 1).unwrap();
    assert_eq!(count(descriptor), 2);
}

/// The sizes of fields are those of the usage guide. All other fields have one bit.
#[test]
fn a_part_of_a_descriptor_takes_what_its_bits_hold() {
    for &target in Target::ALL {
        let is_cdna5 = target.generation() == "CDNA5";
        for directive in target.directives() {
            let bits = match directive.name() {
                "group_segment_fixed_size" | "private_segment_fixed_size" | "kernarg_size" => 32,
                "user_sgpr_count" => 5 + u32::from(is_cdna5),
                "user_sgpr_kernarg_preload_length" => 7,
                "user_sgpr_kernarg_preload_offset" => 9,
                "system_vgpr_workitem_id" => 2,
                name if name.starts_with("float_") => 2,
                "shared_vgpr_count" => 4,
                "inst_pref_size" if target.generation().starts_with("RDNA3") || target.processor() == "gfx1170" => 6,
                "inst_pref_size" => 8,
                "named_barrier_count" => 3,
                _ => 1,
            };
            let max = (1u64 << bits) - 1;
            assert_eq!(u64::from(directive.max()), max, "{target} {}", directive.name());
            let mut descriptor = KernelDescriptor::new(target);
            descriptor.set(target, directive.part(), directive.max()).unwrap();
            assert_eq!(
                descriptor.get(target, directive.part()),
                Some(directive.max()),
                "{target} {}",
                directive.name()
            );
            let registers = match directive.name() {
                "user_sgpr_private_segment_buffer" => 4,
                "user_sgpr_private_segment_size" => 1,
                "user_sgpr_dispatch_ptr"
                | "user_sgpr_queue_ptr"
                | "user_sgpr_kernarg_segment_ptr"
                | "user_sgpr_dispatch_id"
                | "user_sgpr_flat_scratch_init" => 2,
                _ => 0,
            };
            assert_eq!(directive.user_sgprs(), registers, "{target} {}", directive.name());
        }
    }
}

/// LLVM 22 refuses an accumulator that overlaps a part of the destination ("source 2 operand must not partially overlap
/// with dst"), if the destination has more than four registers. The accumulator of doubles has eight.
#[test]
fn a_matrix_of_more_than_four_registers_does_not_overlap_what_it_is_added_to() {
    let refused = Err(RuleError::Overlap { field: Field::Src2 });
    for target in targets(["gfx90a", "gfx942", "gfx950"]) {
        let long = target.name() == "gfx90a";
        let double = if long { "v_mfma_f64_16x16x4f64" } else { "v_mfma_f64_16x16x4_f64" };
        let single = if long { "v_mfma_f32_4x4x1f32" } else { "v_mfma_f32_4x4x1_16b_f32" };
        let wide = if long { "v_mfma_f32_32x32x2f32" } else { "v_mfma_f32_32x32x2_f32" };
        for n in [0, 2, 4, 6, 8, 10] {
            let text = format!("{double} a[0:7], v[0:1], v[2:3], a[{n}:{}]", n + 7);
            let wanted = if (1..8).contains(&n) { refused } else { Ok(()) };
            assert_eq!(rule(target, &text), wanted, "{target} {text}");
            let moved = inst(target, &format!("{double} a[0:7], v[0:1], v[2:3], a[0:7]")).with(Field::Src2, 256 + n);
            assert_eq!(moved.unwrap().check(), wanted, "{target} {text}");
            let text = format!("{single} a[0:3], v0, v1, a[{n}:{}]", n + 3);
            assert_eq!(rule(target, &text), Ok(()), "{target} {text}");
        }
        for n in [0, 2, 14, 16] {
            let text = match target.name() {
                // CDNA2 has an operation with two blocks instead, whose tuples have 32 registers.
                "gfx90a" => format!("v_mfma_f32_32x32x1f32 a[0:31], v0, v1, a[{n}:{}]", n + 31),
                _ => format!("{wide} a[0:15], v0, v1, a[{n}:{}]", n + 15),
            };
            let end = if target.name() == "gfx90a" { 32 } else { 16 };
            assert_eq!(rule(target, &text), if (1..end).contains(&n) { refused } else { Ok(()) }, "{target} {text}");
        }
    }
    // CDNA1 has no doubles, and takes odd registers.
    for (text, good) in [
        ("v_mfma_f32_4x4x1f32 a[0:3], v0, v1, a[1:4]", true),
        ("v_mfma_f32_32x32x2f32 a[0:15], v0, v1, a[1:16]", false),
    ] {
        for target in targets(["gfx908"]) {
            assert_eq!(rule(target, text), if good { Ok(()) } else { refused }, "{text}");
        }
    }
}

/// RDNA3 ISA 7.6, "Dual Issue VALU": sources are in four banks, and accumulators in two. LLVM 22 refuses the same
/// pairs.
#[test]
fn dual_operations_read_four_banks_and_add_to_two() {
    for target in targets(["gfx1100", "gfx1150", "gfx1200"]) {
        for n in 0..16 {
            let conflicts = |text: String, every: u32| {
                let banks = matches!(rule(target, &text), Err(RuleError::Banks { .. }));
                // RDNA4 ISA 7.8: both operations can read one register as the same source, which LLVM 22 refuses and
                // LLVM 24 accepts.
                let is_equal = n == 0 && target.name() == "gfx1200" && !text.contains("fmac");
                assert_eq!(banks, n % every == 0 && !is_equal, "{target} {text}");
            };
            conflicts(format!("v_dual_add_f32 v0, v4, v5 :: v_dual_mul_f32 v1, v{}, v10", 4 + n), 4);
            conflicts(format!("v_dual_add_f32 v0, v4, v5 :: v_dual_mul_f32 v1, v5, v{}", 5 + n), 4);
            let text = format!("v_dual_fmamk_f32 v0, v4, 0x42, v5 :: v_dual_fmamk_f32 v1, v5, 0x42, v{}", 5 + n);
            conflicts(text, 2);
            let text = format!("v_dual_fmac_f32 v0, v4, v5 :: v_dual_fmamk_f32 v1, v5, 0x42, v{}", 10 + n);
            conflicts(text, 2);
        }
    }
}

/// CDNA5 ISA 3.4.3, "MODE register": bits 19:12 are the upper bits of register numbers, two for each operand.
#[test]
fn writing_any_of_the_bits_19_to_12_of_mode_leaves_numbers_of_registers_unknown() {
    let Some(target) = targets(["gfx1250"]).next() else { return };
    let set = inst(target, "s_set_vgpr_msb 0x41");
    let known = VgprMsb::ENTRY.after(&set);
    assert_eq!(known.bits(), Some(0x41));
    for offset in 0..32 {
        for size in 1..=32 - offset {
            let text = format!("s_setreg_b32 hwreg(HW_REG_WAVE_MODE, {offset}, {size}), s0");
            let touches = (offset..offset + size).any(|bit| (12..=19).contains(&bit));
            let wanted = if touches { None } else { Some(0x41) };
            assert_eq!(known.after(&inst(target, &text)).bits(), wanted, "{text}");
        }
    }
}

/// The cases are words and texts of LLVM 22, with the number of registers of each part of the address.
#[test]
fn rays_have_the_registers_of_their_vectors() {
    let cases: [(&str, &[u32], &str, &[u16]); 12] = [
        ("gfx1030", &[0xf198_9f01, 0x0001_0409], "image_bvh_intersect_ray v[4:7], v[9:19], s[4:7]", &[11]),
        ("gfx1030", &[0xf19c_9f01, 0x0001_0409], "image_bvh64_intersect_ray v[4:7], v[9:20], s[4:7]", &[12]),
        ("gfx1030", &[0xf198_9f01, 0x4001_0409], "image_bvh_intersect_ray v[4:7], v[9:16], s[4:7] a16", &[8]),
        ("gfx1030", &[0xf19c_9f01, 0x4001_0409], "image_bvh64_intersect_ray v[4:7], v[9:17], s[4:7] a16", &[9]),
        (
            "gfx1100",
            &[0xf064_8f81, 0x0001_0409, 0x110e_0b0a],
            "image_bvh_intersect_ray v[4:7], [v9, v10, v[11:13], v[14:16], v[17:19]], s[4:7]",
            &[1, 1, 3, 3, 3],
        ),
        (
            "gfx1100",
            &[0xf068_8f81, 0x0001_0409, 0x120f_0c0b],
            "image_bvh64_intersect_ray v[4:7], [v[9:10], v11, v[12:14], v[15:17], v[18:20]], s[4:7]",
            &[2, 1, 3, 3, 3],
        ),
        (
            "gfx1100",
            &[0xf065_8f81, 0x0001_0409, 0x000e_0b0a],
            "image_bvh_intersect_ray v[4:7], [v9, v10, v[11:13], v[14:16]], s[4:7] a16",
            &[1, 1, 3, 3],
        ),
        (
            "gfx1200",
            &[0xd3c6_4010, 0x1100_0804, 0x0e0b_0a09],
            "image_bvh_intersect_ray v[4:7], [v9, v10, v[11:13], v[14:16], v[17:19]], s[4:7]",
            &[1, 1, 3, 3, 3],
        ),
        (
            "gfx1200",
            &[0xd3c6_8010, 0x1200_0804, 0x0f0c_0b09],
            "image_bvh64_intersect_ray v[4:7], [v[9:10], v11, v[12:14], v[15:17], v[18:20]], s[4:7]",
            &[2, 1, 3, 3, 3],
        ),
        (
            "gfx1200",
            &[0xd3c6_4050, 0x0000_0804, 0x0e0b_0a09],
            "image_bvh_intersect_ray v[4:7], [v9, v10, v[11:13], v[14:16]], s[4:7] a16",
            &[1, 1, 3, 3],
        ),
        (
            "gfx1200",
            &[0xd3e0_0010, 0x1400_0000, 0x110e_0c0a],
            "image_bvh_dual_intersect_ray v[0:9], [v[10:11], v[12:13], v[14:16], v[17:19], v[20:21]], s[0:3]",
            &[2, 2, 3, 3, 2],
        ),
        (
            "gfx1200",
            &[0xd3e0_4010, 0x1400_0000, 0x110e_0c0a],
            "image_bvh8_intersect_ray v[0:9], [v[10:11], v[12:13], v[14:16], v[17:19], v20], s[0:3]",
            &[2, 2, 3, 3, 1],
        ),
    ];
    for (name, words, text, dwords) in cases {
        let Some(target) = targets([name]).next() else { continue };
        let decoded = decode_words(target, words).unwrap_or_else(|error| panic!("{name} {text}: {error}"));
        assert_eq!(decoded.to_string(), text, "{name}");
        assert_eq!(inst(target, text).words(), words, "{name} {text}");
        let own: Vec<u16> = decoded.operands().skip(1).take(dwords.len()).map(|o| o.bits / 32).collect();
        assert_eq!(own, dwords, "{name} {text}");
        assert_eq!(decoded.operands().nth(1 + dwords.len()).map(|o| o.bits), Some(128), "{name} {text}");
    }
}

/// The values that `align` accepts: the alignments of an ELF section in a code object.
#[test]
fn code_is_aligned_to_4_to_65536_bytes() {
    let Some(target) = targets(["gfx942", "gfx1100", "gfx1250"]).next() else { return };
    for bytes in (0..=20).map(|log| 1 << log).chain([0, 3, 5, 12, 0xffff, 0x1_0001, 1 << 32, 1 << 63]) {
        let mut code = vec![0u32; 0x8000];
        let (mut labels, mut fixups) = ([LabelSlot::EMPTY; 1], [FixupSlot::EMPTY; 1]);
        let mut asm = Assembler::new(target, &mut code, &mut labels, &mut fixups);
        asm.dword(0).unwrap();
        let done = asm.align(bytes).map_err(|error| error.kind);
        if [4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536].contains(&bytes) {
            assert_eq!(done, Ok(()), "{bytes}");
            assert_eq!(asm.finish().unwrap().len() as u64, bytes);
        } else {
            assert_eq!(done, Err(AssembleErrorKind::Alignment(bytes)));
        }
    }
}

/// MessagePack's specification: the bytes of the values in a document. Texts have up to 31 bytes, and lists up to 15
/// elements, after a head of one byte; a number has as few bytes as possible.
#[test]
fn a_note_has_numbers_texts_and_lists_in_the_bytes_of_their_sizes() {
    let Some(target) = targets(["gfx942"]).next() else { return };
    let note = |name: &str, arguments: &[Argument<'_>], spills| {
        let kernel = Kernel::new(target, name, &[0xbf81_0000], Registers::new(target));
        let kernel = kernel.arguments(arguments).spills(spills, 0);
        CodeObject::new("gfx942".parse().unwrap(), &[kernel]).to_elf().unwrap()
    };
    let has = |file: &[u8], wanted: &[&[u8]]| {
        let wanted = wanted.concat();
        file.windows(wanted.len()).any(|window| window == wanted)
    };
    for (number, bytes) in [
        (0, &[0][..]),
        (1, &[1]),
        (127, &[0x7f]),
        (128, &[0xcc, 0x80]),
        (255, &[0xcc, 0xff]),
        (256, &[0xcd, 1, 0]),
        (65535, &[0xcd, 0xff, 0xff]),
        (65536, &[0xce, 0, 1, 0, 0]),
        (u32::MAX, &[0xce, 0xff, 0xff, 0xff, 0xff]),
    ] {
        let file = note("k", &[], number);
        assert!(has(&file, &[b".sgpr_spill_count", bytes, b"\xa7.symbol"]), "{number}");
    }
    for len in [1usize, 30, 31, 32, 33] {
        let name = "k".repeat(len);
        let head = if len < 32 { vec![0xa0 | len as u8] } else { vec![0xdb, 0, 0, 0, len as u8] };
        assert!(has(&note(&name, &[], 64), &[b"\xa5.name", &head, name.as_bytes(), b"\xbb.private"]), "{len}");
    }
    for len in [0usize, 1, 14, 15, 16, 17] {
        let head = if len < 16 { vec![0x90 | len as u8] } else { vec![0xdd, 0, 0, 0, len as u8] };
        let next: &[u8] = if len == 0 { b"\xb9.group" } else { b"\x83\xa7.offset" };
        assert!(has(&note("k", &vec![Argument::of::<u32>(); len], 64), &[b"\xa5.args", &head, next]), "{len}");
    }
    // An argument begins at a multiple of its alignment, whatever its size.
    let arguments = [(1, 1), (1, 1), (2, 2), (12, 4), (24, 8), (0, 1), (0, 16), (3, 1)];
    let arguments = arguments.map(|(size, align)| Argument::value(size, align));
    let kernel = Kernel::new(target, "k", &[], Registers::new(target)).arguments(&arguments);
    let offsets: Vec<u32> = kernel.offsets().collect();
    assert_eq!(offsets, [0, 1, 2, 4, 16, 40, 48, 48]);
    assert_eq!((kernel.arguments_size(), kernel.hidden_offset()), (Some(52), Some(56)));
    assert_eq!(kernel.hidden(&[Hidden::QueuePtr]).arguments_size(), Some(56 + 256));
}

/// LLVM's `getTotalNumVGPRs`: from CDNA2 to CDNA4, accumulation registers begin at the next multiple of four. On CDNA1,
/// the greater of the two numbers counts for both kinds of registers.
#[test]
fn registers_of_a_set_are_counted_from_the_first() {
    for &target in Target::ALL {
        let count = |registers: &[Reg]| {
            let mut set = RegSet::new(target);
            registers.iter().for_each(|register| set.insert(*register));
            let found = Registers::of(target, &set);
            (found.vgprs, found.accum_offset, found.sgprs)
        };
        let has_offset = ["CDNA2", "CDNA3", "CDNA4"].contains(&target.generation());
        assert_eq!(count(&[]), (0, 4, 0), "{target}");
        assert_eq!(count(&[Reg::Sgpr(0)]), (0, 4, 1), "{target}");
        for vgpr in [0u16, 1, 2, 3, 4, 7, 8, 254, 255] {
            let vgprs = vgpr + 1;
            let offset = if has_offset { vgprs.div_ceil(4) * 4 } else { 4 };
            assert_eq!(count(&[Reg::Vgpr(vgpr)]), (vgprs, offset, 0), "{target} {vgpr}");
            for agpr in [0u8, 1, 2, 9, 255].into_iter().filter(|_| has_offset || target.name() == "gfx908") {
                let agprs = u16::from(agpr) + 1;
                let all = if has_offset { offset + agprs } else { vgprs.max(agprs) };
                assert_eq!(count(&[Reg::Vgpr(vgpr), Reg::Agpr(agpr)]), (all, offset, 0), "{target} {vgpr} {agpr}");
                let all = if has_offset { 4 + agprs } else { agprs };
                assert_eq!(count(&[Reg::Agpr(agpr)]), (all, 4, 0), "{target} {agpr}");
            }
        }
    }
}

/// The error shows the number of given dwords, up to 255.
#[test]
fn an_instruction_of_255_dwords_and_more_is_too_long() {
    fn given<const N: usize>(target: Target) -> Option<u8> {
        let mut code = [0u32; 4];
        let (mut labels, mut fixups) = ([LabelSlot::EMPTY; 1], [FixupSlot::EMPTY; 1]);
        // The words are s_endpgm and zeros.
        let mut words = [0; N];
        words[0] = 0xbf81_0000;
        match Assembler::new(target, &mut code, &mut labels, &mut fixups).emit(words).map_err(|error| error.kind) {
            Err(AssembleErrorKind::Size { dwords: 1, given }) => Some(given),
            _ => None,
        }
    }
    for target in targets(["gfx942"]) {
        let all =
            [given::<1>(target), given::<2>(target), given::<254>(target), given::<255>(target), given::<256>(target)];
        assert_eq!(all, [None, Some(2), Some(254), Some(255), Some(255)]);
    }
}

/// A step of a scalar program, with the registers that it reads and writes, which the test knows without the library.
#[derive(Clone, Copy)]
enum Step {
    Move { to: u8, from: u8 },
    Add { to: u8, a: u8, b: u8 },
    Branch { to: usize },
}

/// The registers that are live before each instruction: read on some path before they are written. Bit 31 is scc.
fn live_before(program: &[Step]) -> Vec<u32> {
    let mut live = vec![0u32; program.len() + 1];
    loop {
        let before = live.clone();
        for (n, step) in program.iter().enumerate() {
            live[n] = match *step {
                Step::Move { to, from } => live[n + 1] & !(1 << to) | 1 << from,
                Step::Add { to, a, b } => live[n + 1] & !(1 << to | 1 << 31) | 1 << a | 1 << b,
                Step::Branch { to } => live[n + 1] | live[to] | 1 << 31,
            };
        }
        if live == before {
            return live;
        }
    }
}

/// The programs have loops inside loops, and jumps between them: every register is live where some path reads it,
/// however often the search has to visit a block.
#[test]
fn registers_live_through_all_rounds_of_loops() {
    let Some(target) = targets(["gfx942"]).next() else { return };
    let mut state = 1u32;
    let mut below = |n: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) % n
    };
    let mut seen = 0;
    for _ in 0..300 {
        let len = 12 + below(24) as usize;
        let program: Vec<Step> = (0..len)
            .map(|_| {
                let [to, from, b] = [0; 3].map(|_| below(12) as u8);
                match below(3) {
                    0 => Step::Move { to, from },
                    1 => Step::Add { to, a: from, b },
                    _ => Step::Branch { to: below(len as u32 + 1) as usize },
                }
            })
            .collect();
        let words = program.iter().enumerate().map(|(n, step)| match *step {
            Step::Move { to, from } => inst(target, &format!("s_mov_b32 s{to}, s{from}")).words()[0],
            Step::Add { to, a, b } => inst(target, &format!("s_add_u32 s{to}, s{a}, s{b}")).words()[0],
            // s_cbranch_scc1
            Step::Branch { to } => 0xbf85_0000 | u32::from((to as i16 - n as i16 - 1) as u16),
        });
        let code: Vec<u8> = words.chain([0xbf81_0000]).flat_map(u32::to_le_bytes).collect();
        let flow = Flow::new(target, &code, 0, &[0]);
        let (live, wanted) = (flow.liveness(Lanes::Replaced), live_before(&program));
        for (n, block) in flow.blocks().iter().enumerate() {
            let before = live.before(n);
            let own = (0..12).filter(|n| before.contains(Reg::Sgpr(*n))).fold(0, |all, n| all | 1 << n);
            let own = own | u32::from(before.contains(Reg::Scc)) << 31;
            assert_eq!(own, wanted[block.start as usize / 4], "{n} {:x?}", flow.blocks());
            seen += 1;
        }
    }
    assert!(seen > 1_000, "{seen}");
}

/// Functions that share a block are in one group without any other function, whatever their order in the code is.
#[test]
fn functions_that_share_blocks_are_a_group() {
    let Some(target) = targets(["gfx942"]).next() else { return };
    // s_branch by a number of dwords, and s_endpgm.
    let (jump, end) = (|dwords: i16| 0xbf82_0000 | u32::from(dwords as u16), 0xbf81_0000);
    let groups = |words: &[u32], entries: &[u64]| {
        let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let flow = Flow::new(target, &code, 0, entries);
        let mut all: Vec<Vec<u64>> =
            (flow.groups().iter()).map(|group| group.iter().map(|n| flow.blocks()[*n].start / 4).collect()).collect();
        all.iter_mut().for_each(|group| group.sort_unstable());
        all.sort();
        all
    };
    assert_eq!(groups(&[jump(2), jump(1), end, end], &[0, 4, 8]), [vec![0, 1, 3], vec![2]]);
    assert_eq!(groups(&[end, jump(2), jump(1), end, end], &[0, 4, 8, 12]), [vec![0], vec![1, 2, 4], vec![3]]);
    assert_eq!(
        groups(&[jump(4), end, jump(2), end, jump(0), end], &[0, 4, 8, 12, 16]),
        [vec![0, 2, 4, 5], vec![1], vec![3]]
    );
    assert_eq!(groups(&[end, end, end], &[0, 4, 8]), [[0], [1], [2]]);
}

/// CDNA3 ISA 10.2: vmcnt and lgkmcnt both count a flat load, because nothing shows which memory it reads. A wait for
/// one counter gives no information about the other one.
#[test]
fn a_wait_for_one_counter_of_a_flat_load_leaves_the_other_in_doubt() {
    let Some(target) = targets(["gfx942"]).next() else { return };
    let (load, add) = (inst(target, "flat_load_dword v0, v[2:3]"), inst(target, "v_add_f32 v2, v0, v2"));
    for (wait, left) in [("vmcnt(0)", Counter::Lgkmcnt), ("lgkmcnt(0)", Counter::Vmcnt)] {
        let mut pending = Pending::new(target);
        pending.issue(&load, 0);
        assert!(pending.needs(&add).iter().all(|wait| wait.is_sure()));
        pending.issue(&inst(target, &format!("s_waitcnt {wait}")), 1);
        let needs: Vec<_> = pending.needs(&add).iter().map(|wait| (wait.counter, wait.is_sure())).collect();
        assert_eq!(needs, [(left, false)], "{wait}");
    }
}

/// The System V ABI, "Hash Table": a symbol's hash names a bucket, and from there a chain leads to it.
#[test]
fn every_symbol_of_a_code_object_is_in_the_chain_of_its_bucket() {
    let Some(target) = targets(["gfx942"]).next() else { return };
    let names: Vec<String> = (0..40).map(|n| format!("kernel_{n}")).collect();
    for count in [1, 2, 3, 40] {
        let kernels: Vec<Kernel<'_>> = names
            .iter()
            .take(count)
            .map(|name| Kernel::new(target, name, &[0xbf81_0000], Registers::new(target)))
            .collect();
        let elf = CodeObject::new("gfx942".parse().unwrap(), &kernels).to_elf().unwrap();
        let file = object::File::parse(&*elf).unwrap();
        let section = |name| file.section_by_name(name).unwrap().data().unwrap();
        let words = |name| -> Vec<usize> {
            section(name).chunks(4).map(|bytes| u32::from_le_bytes(bytes.try_into().unwrap()) as usize).collect()
        };
        let (table, symbols, texts) = (words(".hash"), words(".dynsym"), section(".dynstr"));
        let [buckets, chain] = [table[0], table[1]];
        assert_eq!((chain, table.len()), (symbols.len() / 6, 2 + buckets + chain));
        for name in names.iter().take(count).flat_map(|name| [name.clone(), format!("{name}.kd")]) {
            let hash = name.bytes().fold(0u32, |hash, byte| {
                let hash = (hash << 4).wrapping_add(byte.into());
                let high = hash & 0xf000_0000;
                (hash ^ high >> 24) & !high
            });
            let mut symbol = table[2 + hash as usize % buckets];
            while symbol != 0 && !texts[symbols[6 * symbol]..].starts_with(format!("{name}\0").as_bytes()) {
                symbol = table[2 + buckets + symbol];
            }
            assert_ne!(symbol, 0, "{name} of {count}");
        }
    }
}

/// The field of a scalar offset takes negative numbers only where the instruction reads it as a number.
#[test]
fn the_number_of_a_register_has_no_sign() {
    for (name, text, least) in [
        ("gfx908", "s_load_dword s0, s[2:3], s4", None),
        ("gfx908", "s_load_dword s0, s[2:3], 0x10", Some("s_load_dword s0, s[2:3], -0x100000")),
        ("gfx942", "s_load_dword s0, s[2:3], s4", None),
        ("gfx942", "s_load_dword s0, s[2:3], s4 offset:0x10", Some("s_load_dword s0, s[2:3], s4 offset:-0x100000")),
        ("gfx1100", "s_load_b32 s0, s[2:3], s4", Some("s_load_b32 s0, s[2:3], s4 offset:-0x100000")),
        ("gfx1100", "s_load_b32 s0, s[2:3], 0x10", Some("s_load_b32 s0, s[2:3], -0x100000")),
    ] {
        for target in targets([name]) {
            let load = inst(target, text);
            let changed = load.with_signed(Field::Offset, -0x10_0000).ok().map(|inst| inst.to_string());
            assert_eq!(changed.as_deref(), least, "{target} {text}");
        }
    }
}

/// A literal has numbers of 32 bits, and narrower fields accept the values that fit.
#[test]
fn a_literal_takes_numbers_of_32_bits() {
    for target in targets(["gfx942", "gfx1100", "gfx1250"]) {
        let mov = inst(target, "s_mov_b32 s0, 0x12345678");
        for value in [0, 1, -1, 0x3fff_ffff, 0x4000_0000, i32::MAX, i32::MIN, i32::MIN + 1, -0x4000_0000, -0x4000_0001]
        {
            let changed =
                mov.with_signed(Field::Literal, value).unwrap_or_else(|error| panic!("{target} {value}: {error}"));
            assert_eq!(changed.words()[1], value as u32, "{target} {value}");
            let located = mov.locate(Field::Literal).unwrap();
            let mut words = [mov.words()[0], 0];
            assert_eq!(located.put(&mut words, value as u32), Ok(()), "{target} {value}");
            assert_eq!(words[1], value as u32, "{target} {value}");
        }
        // A constant of 16 bits accepts signed and unsigned numbers; the distance of a branch accepts only signed ones.
        let constant = inst(target, "s_movk_i32 s0, 0");
        for value in [-0x8001, -0x8000, -1, 0x7fff, 0x8000, 0xffff, 0x1_0000] {
            let changed = constant.with_signed(Field::Simm16, value).ok().map(|inst| inst.words()[0] as u16);
            assert_eq!(changed, (-0x8000..0x1_0000).contains(&value).then_some(value as u16), "{target} {value}");
        }
        let branch = inst(target, "s_branch 0");
        for value in [-0x8001, -0x8000, -1, 0, 0x7fff, 0x8000] {
            let fits = i16::try_from(value).ok();
            let changed = branch.with_signed(Field::Simm16, value).ok().map(|inst| inst.words()[0] as i16);
            assert_eq!(changed, fits, "{target} {value}");
        }
        let nop = inst(target, "s_nop 0").words()[0].to_le_bytes();
        // Code that ends in the middle of a dword is not code, even if only a few of its bytes are missing.
        for left in 0..4 {
            let mut code = [0u32; 8];
            let (mut labels, mut fixups) = ([LabelSlot::EMPTY; 1], [FixupSlot::EMPTY; 1]);
            let mut asm = Assembler::new(target, &mut code, &mut labels, &mut fixups);
            let bytes = [nop.as_slice(), &nop[..left]].concat();
            assert_eq!(asm.moved(&bytes[..], 0).is_ok(), left == 0, "{target} {left}");
        }
    }
}

/// LLVM's names of subarchitectures in triples: `amdgpu9.42` is gfx942, with two characters after the dot.
#[test]
fn names_in_triples_have_two_characters_after_the_dot() {
    let named = |name: &str| name.parse::<Processor>().ok().map(|processor| processor.name());
    for (name, processor) in [
        ("amdgpu9.42", Some("gfx942")),
        ("amdgpu9.0a", Some("gfx90a")),
        ("AMDGPU11.00", Some("gfx1100")),
        ("amdgpu12.50", Some("gfx1250")),
        ("amdgpu9.4", None),
        ("amdgpu9.420", None),
        ("amdgpu9..42", None),
        ("amdgpu942", None),
        ("amdgp9.42", None),
        ("amdgpuu9.42", None),
    ] {
        assert_eq!(named(name), processor, "{name}");
    }
}

/// Lanes that are off keep the values of the first, the last and some other registers of each vector register file.
#[test]
fn all_vector_registers_are_kept_in_lanes_that_are_off() {
    let Some(target) = targets(["gfx942"]).next() else { return };
    for n in [0u8, 1, 63, 64, 127, 128, 191, 192, 254, 255] {
        for (register, write, read) in [
            (Reg::Vgpr(n.into()), format!("v_mov_b32 v{n}, 0"), format!("v_mov_b32 v3, v{n}")),
            (Reg::Agpr(n), format!("v_accvgpr_write_b32 a{n}, 0"), format!("v_accvgpr_read_b32 v3, a{n}")),
        ] {
            let live = |mask: &str| {
                let all = [mask, &write, mask, &read, "s_endpgm"];
                let words = all.into_iter().flat_map(|text| inst(target, text).words().to_vec());
                let code: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
                let flow = Flow::new(target, &code, 0, &[0]);
                [Lanes::Kept, Lanes::Replaced].map(|lanes| flow.liveness(lanes).before(0).contains(register))
            };
            assert_eq!(live("s_mov_b64 exec, s[0:1]"), [true, false], "{register}");
            assert_eq!(live("s_nop 0"), [false, false], "{register}");
        }
    }
}

/// RDNA2 ISA 8.2.5, "D16 Instructions": two components of 16 bits share a register. With a single component, or with
/// none, which counts as one, the upper half stays.
#[test]
fn an_odd_number_of_packed_components_leaves_half_of_a_register() {
    let Some(target) = targets(["gfx1030", "gfx1100"]).next() else { return };
    for (dmask, last, kept) in
        [(0u32, 1u16, true), (1, 1, true), (2, 1, true), (3, 1, false), (7, 2, true), (15, 2, false)]
    {
        let data = if last == 1 { "v1".to_string() } else { format!("v[1:{last}]") };
        let load = format!("image_load {data}, v[4:5], s[0:7] dmask:0x{dmask:x} dim:SQ_RSRC_IMG_2D d16");
        let all = [load.clone(), format!("v_mov_b32 v6, v{last}"), "s_endpgm".to_string()];
        let words = all.iter().flat_map(|text| inst(target, text).words().to_vec());
        let code: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
        let flow = Flow::new(target, &code, 0, &[0]);
        assert_eq!(flow.liveness(Lanes::Replaced).before(0).contains(Reg::Vgpr(last)), kept, "{load}");
    }
}

/// CDNA4 ISA 7.1: "16 or 32" cycles, "larger cycle count if either matrix A or B is F8". The formats of F8 are 0 and 1.
/// A pass has four cycles.
#[test]
fn factors_of_8_bits_take_twice_as_long() {
    let Some(target) = targets(["gfx950"]).next() else { return };
    let missing = |a: u32, b: u32| {
        let sizes = [8, 8, 6, 6, 4].map(|n| n - 1);
        let (last_a, last_b) = (8 + sizes[a as usize], 16 + sizes[b as usize]);
        let text =
            format!("v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[8:{last_a}], v[16:{last_b}], v[0:3] cbsz:{a} blgp:{b}");
        let mut hazards = Hazards::new(target);
        hazards.issue(&inst(target, &text));
        let needs = hazards.needs(&inst(target, "v_mov_b32 v30, v0"));
        needs.states.map_or(0, |need| need.missing)
    };
    let short = missing(2, 2);
    for (a, b) in (0..5).flat_map(|a| (0..5).map(move |b| (a, b))) {
        assert_eq!(missing(a, b), if a < 2 || b < 2 { short + 4 } else { short }, "{a} {b}");
    }
}

/// The bit that selects the half of a source may be dropped, but not for a literal, because the short form cannot name
/// the upper half of a literal.
#[test]
fn the_upper_half_of_a_literal_is_not_forgotten() {
    let Some(target) = targets(["gfx1100"]).next() else { return };
    let long = inst(target, "v_add_f16_e64 v0.l, 0x1234, v1.l");
    let short = long.reencode(Format::Vop2, None);
    assert_eq!(
        short.map(|inst| inst.words().to_vec()),
        Ok(inst(target, "v_add_f16 v0.l, 0x1234, v1.l").words().to_vec())
    );
    let upper = long.with(Field::OpSel, 1);
    assert!(upper.is_err() || upper.unwrap().reencode(Format::Vop2, None).is_err());
}

/// IEEE 754, binary16, in the literals of LLVM 22: the least normal number, and the greatest ones.
#[test]
fn floats_of_16_bits_are_those_of_ieee_754_at_both_ends() {
    for target in targets(["gfx942", "gfx1030"]) {
        for (text, half) in [
            ("0.00006103515625", 0x0400),
            ("0.000091552734375", 0x0600),
            ("0.5009765625", 0x3802),
            ("65504.0", 0x7bff),
            ("65519.0", 0x7bff),
            ("-65504.0", 0xfbff),
        ] {
            let add = inst(target, &format!("v_add_f16_e32 v0, {text}, v1"));
            assert_eq!(add.words()[1], half, "{target} {text}");
        }
    }
}

/// The hardware's codes: 0 to 64 are 128 to 192, -1 to -16 are 193 to 208, and registers are 256 to 511. Other integers
/// are literals, or refused.
#[test]
fn inline_integers_are_minus_16_to_64() {
    for &target in Target::ALL {
        for value in -20..=70i32 {
            let add = inst(target, &format!("s_add_u32 s0, {value}, s1"));
            let code = match value {
                0..=64 => 128 + value,
                -16..=-1 => 192 - value,
                _ => 255,
            };
            assert_eq!(add.words()[0] & 0xff, code as u32, "{target} {value}");
            assert_eq!(add.words().get(1).copied(), (code == 255).then_some(value as u32), "{target} {value}");
            let shown = if code == 255 { format!("0x{:x}", value as u32) } else { value.to_string() };
            assert_eq!(add.to_string().split(' ').nth(2), Some(&*format!("{shown},")), "{target} {value}");
        }
        for n in [0, 1, 254, 255] {
            let mov = inst(target, &format!("v_mov_b32 v{n}, v{n}"));
            assert_eq!(mov.words()[0] & 0x1ff, 256 + n, "{target} {n}");
            assert_eq!(mov.operands().nth(1).map(|o| o.value), Some(Value::Reg(Reg::Vgpr(n as u16))), "{target} {n}");
        }
    }
}
