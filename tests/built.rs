//! Errors of the builder name the operand and the operation, and structured constants are arguments.

use crate::generations::is_from_rdna4;

use std::error::Error;

use amdgpu_isa::asm::{AssembleErrorKind, Assembler};
use amdgpu_isa::facts::Counter;
use amdgpu_isa::imm::{Hwreg, Imm, Sendmsg, Waitcnt};
use amdgpu_isa::make::{BuildError, Builder, Given, args, literal, s, v};
use amdgpu_isa::operands::Special;
use amdgpu_isa::{Field, Format, Opcode, Reg, Target};

fn opcode(name: &str) -> Opcode {
    name.parse().expect("some target has it")
}

fn whole() -> impl Iterator<Item = Target> {
    Target::ALL.iter().copied()
}

#[test]
fn constants_with_parts_are_arguments() {
    for target in whole() {
        let build = |name: &str, imm: Imm| Builder::new(target, opcode(name)).sdst(s::<1>(0)).simm16(imm).build();
        // Later targets have an operation for each counter instead of `s_waitcnt`.
        let waits = opcode("s_waitcnt").encodings(target).next().is_some();
        if waits {
            let wait = Builder::new(target, opcode("s_waitcnt")).simm16(Waitcnt::new().with_lgkmcnt(0)).build();
            assert_eq!(wait.expect("it waits").to_string(), "s_waitcnt lgkmcnt(0)", "{target}");
        }
        let round = build("s_getreg_b32", Imm::Hwreg(Hwreg { id: 1, offset: 0, size: 2 }));
        let mode = if is_from_rdna4(target) { "HW_REG_WAVE_MODE" } else { "HW_REG_MODE" };
        assert_eq!(round.expect("it reads").to_string(), format!("s_getreg_b32 s0, hwreg({mode}, 0, 2)"));
        let send = Sendmsg { message: 1, op: 0, stream: 0, rest: 0 };
        let send = Builder::new(target, opcode("s_sendmsg")).simm16(send).build();
        assert_eq!(send.expect("it sends").to_string(), "s_sendmsg sendmsg(MSG_INTERRUPT)");
        // The error names the part of a constant that does not fit, or that the target lacks, and its value.
        let max = Waitcnt::max(target, Counter::Vmcnt).unwrap_or(0);
        for (wait, name, value) in [
            (Waitcnt::new().with_vmcnt(max + 1), "vmcnt", max + 1),
            (Waitcnt::new().with(Counter::Loadcnt, 3), "loadcnt", 3),
        ]
        .into_iter()
        .filter(|_| waits)
        {
            let error = Builder::new(target, opcode("s_waitcnt")).simm16(wait).build().expect_err("it does not fit");
            let BuildError::Value(field) = error else { panic!("{error}") };
            assert_eq!((field.field.name(), field.value), (name, value.into()));
            assert_eq!(error.source().map(|source| source.to_string()), Some(field.to_string()));
        }
        let error =
            build("s_getreg_b32", Imm::Hwreg(Hwreg { id: 64, offset: 0, size: 1 })).expect_err("64 is too much");
        assert!(error.to_string().contains("64") && error.to_string().contains("id"), "{error}");
        for n in [Builder::new(target, opcode("s_nop")).simm16(7u16), Builder::new(target, opcode("s_nop")).simm16(7u8)]
        {
            assert_eq!(n.build().expect("a number").to_string(), "s_nop 7");
        }
    }
}

#[test]
fn errors_of_the_builder_name_the_targets_fields() {
    for target in whole() {
        let new = |name: &str| Builder::new(target, opcode(name));
        // The destination of scalar loads has another name on the oldest targets; both names are accepted.
        let load = new("s_load_dword").sbase(s::<2>(2)).offset(0);
        let smrd = ["gfx600", "gfx700"].contains(&target.name());
        let field = if smrd { Field::Sdst } else { Field::Sdata };
        assert_eq!(load.build(), Err(BuildError::Missing(field)), "{target}");
        assert_eq!(load.sdst(s::<1>(4)).build(), load.sdata(s::<1>(4)).build());
        let given = Given::Reg(Reg::Vgpr(1));
        assert_eq!(load.sdst(v::<1>(1)).build(), Err(BuildError::Operand { field, given }));
        // If a caller confuses two fields, the error names the one that does not exist.
        let add = new("v_add_f32").src0(v::<1>(1)).src1(v::<1>(2));
        assert_eq!(add.sdst(s::<1>(0)).build(), Err(BuildError::Unknown(Field::Sdst)), "{target}");
        assert_eq!(add.build(), Err(BuildError::Missing(Field::Vdst)));
        // The error names an operand that no encoding has, although the shortest encoding also has no room for another
        // operand.
        let extra = add.vdst(v::<1>(0)).src1(s::<1>(2)).src2(v::<1>(3));
        assert_eq!(extra.build(), Err(BuildError::Unknown(Field::Src2)), "{target}");
        // The error names the source that cannot have a modifier, or the encoding that cannot have a literal.
        let mov = new("v_mov_b32").vdst(v::<1>(0)).src0(v::<1>(1));
        assert_eq!(mov.neg(1).build(), Err(BuildError::NoModifier { field: Field::Neg, source: 1 }));
        assert_eq!(mov.neg(1).build().unwrap_err().to_string(), "source 1 has no neg");
        let rdna = target.generation().starts_with("RDNA") || ["CDNA5", "GFX13"].contains(&target.generation());
        let long = add.vdst(v::<1>(0)).src0(literal::<1>(0x1234_5678)).e64().build();
        match long {
            Ok(long) => assert!(rdna && long.len() == 12, "{long:?}"),
            Err(long) => {
                assert!(!rdna, "{target}");
                assert_eq!(long, BuildError::NoLiteral { field: Field::Src0, format: Some(Format::Vop3a) });
                assert_eq!(long.to_string(), "src0: no literal in VOP3A on this target");
            }
        }
        // Registers that the target lacks, and registers that no field can name, are errors.
        let null = new("s_mov_b32").sdst(s::<1>(0)).ssrc0(Reg::Special(Special::Null)).build();
        assert_eq!(null.map_err(|e| e.to_string()).err(), (!rdna).then(|| "ssrc0: null is not allowed here".into()));
        for (reg, name) in [(Reg::Scc, "scc"), (Reg::Mode, "mode")] {
            let error = new("s_mov_b32").sdst(s::<1>(0)).ssrc0(reg).build().expect_err("it is not allowed there");
            assert_eq!(error.to_string(), format!("ssrc0: {name} is not allowed here"), "{target}");
        }
        let m0 = new("s_mov_b32").sdst(Reg::M0).ssrc0(Reg::Special(Special::VccHi)).build().expect("both are there");
        assert_eq!(m0.to_string(), "s_mov_b32 m0, vcc_hi");
    }
}

#[test]
fn the_assembler_says_which_builder_failed() {
    for target in whole() {
        let mut code = [0u32; 4];
        let mut asm = Assembler::new(target, &mut code, &mut [], &mut []);
        asm.dword(0).expect("there is room");
        let error = asm.emit(Builder::new(target, opcode("s_mov_b32")).sdst(s::<1>(0))).expect_err("no source");
        assert_eq!(error.kind, AssembleErrorKind::Build(BuildError::Missing(Field::Ssrc0)));
        assert_eq!(error.to_string(), "s_mov_b32 at offset 0x4: ssrc0 is missing");
    }
}

/// The builder refuses a value that an operation cannot have.
#[test]
fn values_that_are_of_no_use_are_refused() {
    let gathers = Target::ALL.iter().filter_map(|&target| {
        let encoding = opcode("image_gather4").encodings(target).next()?;
        Some((target, encoding.format))
    });
    let mut tried = 0;
    for (target, format) in gathers {
        let build = |dmask: u16| {
            let builder = Builder::new(target, opcode("image_gather4")).format(format);
            let dim =
                target.layouts().iter().any(|l| l.format == format && l.fields.iter().any(|f| f.field == Field::Dim));
            let builder = if dim { builder.set(Field::Dim, 1) } else { builder };
            builder.vdata(v::<4>(0)).vaddr(v::<2>(4)).srsrc(s::<8>(8)).ssamp(s::<4>(16)).dmask(dmask).build()
        };
        match build(4) {
            Ok(inst) => assert_eq!(inst.check(), Ok(()), "{target}"),
            // The target names the registers of an address one by one.
            Err(BuildError::Width { .. } | BuildError::Operand { .. }) => continue,
            Err(error) => panic!("{target}: {error}"),
        }
        assert_eq!(build(6), Err(BuildError::Excluded { field: Field::Dmask, value: 6 }), "{target}");
        tried += 1;
    }
    assert!(tried > 0 || !cfg!(feature = "gfx600"), "none was tried");
}

/// A builder stores values in 32 bits if they fit.
#[test]
fn values_of_64_bits_keep_all_bits() {
    let Some(target) = whole().next() else { return };
    let nop = Builder::new(target, opcode("s_nop"));
    for value in [1 << 40, -(1 << 40), i64::MIN, i64::MAX, 1 << 31, -(1 << 31) - 1, u32::MAX.into(), 1 << 32 | 1] {
        let error = nop.simm16(value).build().expect_err("it does not fit");
        assert!(matches!(error, BuildError::Range { value: given, .. } if given == value), "{value:#x}: {error:?}");
    }
    // Replacing a value takes no more room.
    let many = (0..100).fold(Builder::new(target, opcode("v_mov_b32")).vdst(v::<1>(0)), |b, n| {
        b.src0(1i64 << 40 | n).src0(0).src0(f64::from(n as i32) / 10.0)
    });
    let one = Builder::new(target, opcode("v_mov_b32")).vdst(v::<1>(0)).src0(9.9);
    assert_eq!(many.build(), one.build());
    assert!(one.build().is_ok());
}

/// The functions of `args` make the same operands as those of `make`, without a width.
#[test]
fn arguments_need_no_width() {
    let mut tried = 0;
    for target in whole() {
        let op = |name: &str| Builder::new(target, opcode(name));
        let same = |with: Builder, without: Builder| {
            assert_eq!(with.build(), without.build(), "{target}");
            usize::from(with.build().is_ok())
        };
        tried +=
            same(op("s_mov_b64").sdst(s::<2>(4)).ssrc0(s::<2>(8)), op("s_mov_b64").sdst(args::s(4)).ssrc0(args::s(8)));
        let ttmp = |n| (amdgpu_isa::make::ttmp::<2>(n), args::ttmp(n));
        tried +=
            same(op("s_mov_b64").sdst(s::<2>(4)).ssrc0(ttmp(2).0), op("s_mov_b64").sdst(args::s(4)).ssrc0(ttmp(2).1));
        let add = op("v_add_f32").vdst(v::<1>(255)).src1(v::<1>(7));
        let add_args = op("v_add_f32").vdst(args::v(255)).src1(args::v(7));
        tried += same(add.src0(literal::<1>(1)), add_args.src0(args::literal(1)));
        tried += same(add.src0(amdgpu_isa::make::inline::<1>(-16)), add_args.src0(args::inline(-16)));
        tried += same(add.src0(1.0), add_args.src0(args::float(1.0)));
        tried += same(add.src0(-100), add_args.src0(args::int(-100)));
        assert!(add_args.src0(args::inline(65)).build().is_err(), "{target}");
        let load = op("global_load_dwordx2").vdst(v::<2>(2)).addr(v::<2>(4));
        let load_args = op("global_load_dwordx2").vdst(args::v(2)).addr(args::v(4));
        tried += same(load.saddr(amdgpu_isa::make::off::<2>()), load_args.saddr(args::off()));
        let agpr = op("v_accvgpr_read_b32").vdst(v::<1>(1));
        let agpr_args = op("v_accvgpr_read_b32").vdst(args::v(1));
        tried += same(agpr.src0(amdgpu_isa::make::a::<1>(9)), agpr_args.src0(args::a(9)));
        let wide = op("v_mov_b64").vdst(args::v(2)).src0(args::literal64(1 << 40));
        tried += same(op("v_mov_b64").vdst(v::<2>(2)).src0(amdgpu_isa::make::literal64::<2>(1 << 40)), wide);
    }
    assert!(tried > 0 || Target::ALL.is_empty(), "none was made");
}

/// RDNA, CDNA5 and GFX13 have the null register, for operands of 32 and of 64 bits.
#[test]
fn null_is_a_register_where_there_is_one() {
    for target in whole() {
        let has_null = target.processor().starts_with("gfx1");
        for (name, text) in [("s_mov_b32", "s_mov_b32 null, s2"), ("s_mov_b64", "s_mov_b64 null, s[2:3]")] {
            let built = Builder::new(target, opcode(name)).sdst(Reg::NULL).ssrc0(args::s(2)).build();
            assert_eq!(built.map(|inst| inst.to_string()).ok(), has_null.then(|| text.to_string()), "{target}");
        }
    }
}

/// Manuals and assemblers call the registers of an address `addr` or `vaddr`, and the data `data` or `vdata`.
#[test]
fn addresses_and_data_have_two_names() {
    for target in whole() {
        for name in ["global_store_dword", "flat_store_dword", "scratch_store_dword", "global_atomic_add"] {
            let Ok(opcode) = name.parse::<Opcode>() else { continue };
            // GFX9 has no scratch address without a register.
            let is_scratch = name.starts_with("scratch");
            let (address, base) = if is_scratch { (args::off(), args::s(6)) } else { (args::v(2), args::off()) };
            let store = Builder::new(target, opcode).offset(4).set(Field::Saddr, base);
            let store = if name.starts_with("flat") { Builder::new(target, opcode) } else { store };
            let manual = store.addr(address).data(args::v(5)).build();
            assert_eq!(store.vaddr(address).vdata(args::v(5)).build(), manual, "{target} {name}");
            let has_it = opcode.encodings(target).next().is_some();
            assert_eq!(manual.is_ok(), has_it, "{target} {name}: {manual:?}");
        }
        let load = Builder::new(target, opcode("buffer_load_dword")).srsrc(args::s(8)).soffset(0).offset(8).offen();
        let manual = load.vaddr(args::v(1)).vdata(args::v(2)).build();
        assert_eq!(load.addr(args::v(1)).data(args::v(2)).build(), manual, "{target}");
        let lds = Builder::new(target, opcode("ds_read_b32")).vdst(args::v(0));
        assert_eq!(lds.vaddr(args::v(3)).build(), lds.addr(args::v(3)).build(), "{target}");
        // The error has the format's name of the field, whichever name the caller used.
        let short = lds.vaddr(args::s(3)).build();
        assert!(matches!(short, Err(BuildError::Operand { field: Field::Addr, .. })), "{target}: {short:?}");
        // Two names mean the same operand, so the last value counts.
        assert_eq!(lds.addr(args::v(9)).vaddr(args::v(3)).build(), lds.addr(args::v(3)).build(), "{target}");
    }
}

/// An error names the extension that the arguments ask for, and the field that is missing in it.
#[test]
fn errors_name_the_extension() {
    type Change = fn(Builder) -> Builder;
    let cases: [(&str, Change, Option<&str>); 6] = [
        ("gfx942", |add| add.dpp8([0; 8]), Some("the target lacks the operation with DPP8")),
        ("gfx1100", |add| add.sext(0), Some("the target lacks the operation with SDWA")),
        ("gfx1100", |add| add.dpp(), Some("dpp_ctrl is missing")),
        ("gfx1100", |add| add.e64_dpp(), Some("dpp_ctrl is missing")),
        ("gfx600", |add| add.dpp(), Some("the target lacks the operation with DPP")),
        ("gfx1100", |add| add.dpp().dpp8([0; 8]), None),
    ];
    for (target, change, message) in cases {
        let Ok(target) = target.parse() else { continue };
        let add = Builder::new(target, opcode("v_add_f32")).vdst(v::<1>(0)).src0(v::<1>(1)).src1(v::<1>(2));
        assert_eq!(change(add).build().err().map(|error| error.to_string()).as_deref(), message, "{target}");
    }
}

/// An offset that is a register takes one additional constant and refuses a second one, on targets with the bit `imm`
/// and on those without.
#[cfg(all(feature = "gfx942", feature = "gfx1100"))]
#[test]
fn an_offset_takes_one_constant() {
    use amdgpu_isa::make::s;
    use amdgpu_isa::{gfx942, gfx1100};
    let old = gfx942::s_load_dword(s(4), s(0), s(6)).plus(8);
    let new = gfx1100::s_load_b32(s(4), s(0), s(6)).plus(8);
    assert!(old.words().is_ok() && new.words().is_ok());
    assert!(old.plus(16).words().is_err() && new.plus(16).words().is_err());
}

/// Only elements of 4 bits have scales other than E8M0. If both factors have 4 bits, both scales have the same format
/// (CDNA5 ISA, 7.12.6).
#[cfg(feature = "gfx1250")]
#[test]
fn formats_of_scales_exclude_each_other() {
    use amdgpu_isa::gfx1250::{v_wmma_scale_f32_16x16x128_f8f6f4, v_wmma_scale16_f32_32x16x128_f4};
    const FP4: u16 = 4;
    let allowed = |factor: [u16; 2], scale: [u16; 2]| match factor {
        [FP4, FP4] => scale[0] == scale[1],
        _ => (0..2).all(|n| scale[n] == 0 || factor[n] == FP4),
    };
    let excluded = |error: BuildError| {
        matches!(error, BuildError::Excluded { field: Field::MatrixAScaleFmt | Field::MatrixBScaleFmt, value: 0..=2 })
    };
    // A factor of 4 bits has 8 registers, and one of 6 bits 12.
    for (b, scales) in [2, FP4].into_iter().flat_map(|b| (0..9).map(move |n| (b, [n / 3, n % 3]))) {
        let (src0, src2, first, second) = (v::<8>(20), v::<8>(60), v::<1>(2), v::<1>(4));
        let made = match b {
            FP4 => v_wmma_scale_f32_16x16x128_f8f6f4(v(6), src0, v::<8>(40), src2, first, second, FP4, b),
            _ => v_wmma_scale_f32_16x16x128_f8f6f4(v(6), src0, v::<12>(40), src2, first, second, FP4, b),
        };
        let made = made.matrix_b_scale_fmt(scales[1]).matrix_a_scale_fmt(scales[0]);
        let built = Builder::new(Target::Gfx1250, opcode("v_wmma_scale_f32_16x16x128_f8f6f4"));
        let built =
            built.vdst(v::<8>(6)).src0(src0).src2(src2).set(Field::ScaleSrc0, first).set(Field::ScaleSrc1, second);
        let built = if b == FP4 { built.src1(v::<8>(40)) } else { built.src1(v::<12>(40)) };
        let built = built.set(Field::MatrixAFmt, FP4).set(Field::MatrixBFmt, b);
        let built = built.set(Field::MatrixAScaleFmt, scales[0]).set(Field::MatrixBScaleFmt, scales[1]).build();
        let made = made.inst(Target::Gfx1250);
        assert_eq!(made, built, "{b} {scales:?}");
        match allowed([FP4, b], scales) {
            true => assert!(made.is_ok_and(|inst| inst.check().is_ok()), "{b} {scales:?}"),
            false => assert!(made.is_err_and(excluded), "{b} {scales:?}"),
        }
    }
    for scales in (0..9).map(|n| [n / 3, n % 3]) {
        let made = v_wmma_scale16_f32_32x16x128_f4(v(0), v(16), v(32), v::<16>(40), v::<2>(60), v::<2>(62));
        let made = made.matrix_a_scale_fmt(scales[0]).matrix_b_scale_fmt(scales[1]);
        assert_eq!(made.words().err().map(excluded), (scales[0] != scales[1]).then_some(true), "{scales:?}");
    }
}
