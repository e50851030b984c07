//! Rules for all operations: masks, lanes, halves, modifiers, modes, and lines.

use amdgpu_eval::lines::{Line, answers};
use amdgpu_eval::{EvalError, Evaluator, Mode, UnknownMode, Wave};
use amdgpu_isa::{Reg, Target, parse};

/// The answer for an instruction and its inputs in one lane.
fn ask(target: &str, text: &str, mode: &str, lane: &str, inputs: &str) -> Result<String, String> {
    let all = ask_all(target, text, mode, &[(lane, inputs)]);
    all.into_iter().next().unwrap()
}

/// The answers for several lanes of a wave, each with its inputs.
fn ask_all(target: &str, text: &str, mode: &str, lanes: &[(&str, &str)]) -> Vec<Result<String, String>> {
    let inst = parse(target.parse::<Target>().unwrap(), text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let mut bytes = [0; 20];
    let length = inst.encode(&mut bytes).unwrap();
    let words: String = bytes[..length].iter().map(|byte| format!("{byte:02x}")).collect();
    let line = |(lane, inputs): &(&str, &str)| Line::read(&format!("{target}\t{words}\t{mode}\t{lane}\t{inputs}"));
    match lanes.iter().map(line).collect::<Result<Vec<_>, _>>() {
        Ok(lines) => answers(&mut Evaluator::default(), &lines),
        Err(reason) => vec![Err(reason)],
    }
}

fn answer(target: &str, text: &str, lane: &str, inputs: &str) -> String {
    ask(target, text, "round=ne,denorm=keep", lane, inputs).unwrap_or_else(|reason| panic!("{text}: {reason}"))
}

#[test]
fn scalar_operations_write_their_condition() {
    let add = "s_add_u32 s8, s16, s17";
    assert_eq!(answer("gfx942", add, "-", "ssrc0=ffffffff;ssrc1=1"), "sdst=00000000;scc=1");
    assert_eq!(answer("gfx942", add, "-", "ssrc0=1 ssrc1=1"), "sdst=00000002 scc=0");
    let save = "s_and_saveexec_b64 s[8:9], s[16:17]";
    let saved = "sdst=00000000000000ff;scc=1;exec=000000000000000f";
    assert_eq!(answer("gfx942", save, "-", "ssrc0=f;exec=ff"), saved);
}

#[test]
fn lanes_that_are_off_keep_their_registers_and_have_no_bit_in_masks() {
    let compare = "v_cmp_lt_f32 vcc, v16, v24";
    let lanes = [
        ("0", "src0=0;vsrc1=3f800000;exec=5"),
        ("1", "src0=0;vsrc1=3f800000;exec=5"),
        ("2", "src0=40000000;vsrc1=0;exec=5"),
    ];
    for answer in ask_all("gfx942", compare, "wave=64", &lanes) {
        assert_eq!(answer.unwrap(), "vcc=0000000000000001");
    }
    assert_eq!(answer("gfx942", "v_mov_b32 v8, v16", "1", "src0=5;vdst.old=7;exec=1"), "vdst=00000007");
}

/// Examples of the manuals for relative moves: M0, the register that is read, and the register that is written.
#[test]
fn relative_moves_count_from_their_operands() {
    let both = 20 << 16 | 10;
    let moves = [
        ("gfx942", "s_movrels_b32 s5, s7", 10, Reg::Sgpr(17), Reg::Sgpr(5)),
        ("gfx942", "s_movreld_b32 s5, s7", 10, Reg::Sgpr(7), Reg::Sgpr(15)),
        ("gfx1030", "s_movrelsd_2_b32 s5, s7", both, Reg::Sgpr(17), Reg::Sgpr(25)),
        ("gfx1100", "v_movreld_b32 v5, v7", 10, Reg::Vgpr(7), Reg::Vgpr(15)),
        ("gfx1100", "v_movrels_b32 v5, v7", 10, Reg::Vgpr(17), Reg::Vgpr(5)),
        ("gfx1200", "v_movrelsd_b32 v5, v7", 10, Reg::Vgpr(17), Reg::Vgpr(15)),
        ("gfx1030", "v_movrelsd_2_b32 v5, v7", both, Reg::Vgpr(17), Reg::Vgpr(25)),
        ("gfx1030", "v_swaprel_b32 v5, v7", both, Reg::Vgpr(17), Reg::Vgpr(25)),
    ];
    for (target, text, m0, from, to) in moves {
        let inst = parse(target.parse().unwrap(), text).unwrap();
        let mut wave = Wave::default();
        wave.m0 = m0;
        wave.write(from, 0, 3, 0x1234);
        wave.write(to, 0, 3, 0x5678);
        let mut wanted = wave.clone();
        wanted.write(to, 0, 3, 0x1234);
        if text.starts_with("v_swaprel") {
            wanted.write(from, 0, 3, 0x5678);
        }
        Evaluator::default().run(&inst, &mut wave).unwrap();
        for reg in [from, to, Reg::Sgpr(7), Reg::Sgpr(5), Reg::Vgpr(7), Reg::Vgpr(5)] {
            assert_eq!(wave.read(reg, 0, 3), wanted.read(reg, 0, 3), "{text}: {reg}");
        }
    }
}

#[test]
fn an_index_that_leads_out_of_the_file_is_an_error() {
    for (text, m0, fits) in [
        ("s_movrels_b64 s[4:5], s[6:7]", 94, true),
        ("s_movrels_b64 s[4:5], s[6:7]", 96, false),
        ("s_movreld_b32 s5, s7", 97, false),
        ("s_movreld_b32 s5, s7", u32::MAX, false),
    ] {
        let inst = parse(Target::Gfx942, text).unwrap();
        let mut wave = Wave::default();
        wave.m0 = m0;
        let wanted = if fits { Ok(()) } else { Err(EvalError::Index) };
        assert_eq!(Evaluator::default().run(&inst, &mut wave), wanted, "{text} {m0}");
    }
}

/// The table of the manual (Vega ISA, 12.8), a digit for each value of the source.
#[test]
fn partitions_of_the_screen_are_those_of_the_table() {
    let table = concat!(
        "137f5fff7ffffffff26efafffbffffffdf4cff5fffdfffff9bf8fffafffeffff",
        "ffff4cdf6fffeffffffff89bf99ffdffffff7f13ff9fffbfffff6ef26ff6fff7",
        "bfffffff23bfaffff7fffffff19df5ffffefffffef8cffaffffdffff67f4fff5",
        "9fffdfffffff8ceff66ffefffffff467ff6fff7fffffbf239ff9fffbffff9df1",
    );
    let inst = parse(Target::Gfx900, "v_screen_partition_4se_b32 v1, v0").unwrap();
    let mut evaluator = Evaluator::default();
    for (source, digit) in (0..).zip(table.chars()) {
        let mut wave = Wave::default();
        wave.write(Reg::Vgpr(0), 0, 0, source);
        evaluator.run(&inst, &mut wave).unwrap();
        assert_eq!(wave.read(Reg::Vgpr(1), 0, 0), digit.to_digit(16), "{source:#x}");
    }
}

#[test]
fn halves_are_kept_from_rdna1_on() {
    let inputs = "src0=3c00;src1=3c00;vdst.old=12345678;exec=1";
    assert_eq!(answer("gfx942", "v_add_f16_e64 v8, v16, v24", "0", inputs), "vdst=00004000");
    assert_eq!(answer("gfx1030", "v_add_f16_e64 v8, v16, v24", "0", inputs), "vdst=12344000");
    assert_eq!(answer("gfx1100", "v_add_f16_e64 v8.h, v16.l, v24.l", "0", inputs), "vdst=40005678");
}

#[test]
fn modifiers_change_sources_and_results() {
    let inputs = "src0=c0000000;src1=40400000;exec=1";
    assert_eq!(answer("gfx942", "v_add_f32_e64 v8, -v16, |v24|", "0", inputs), "vdst=40a00000");
    assert_eq!(answer("gfx942", "v_add_f32_e64 v8, v16, v24 clamp", "0", inputs), "vdst=3f800000");
    // The output modifier does nothing in modes that keep denormal results, except on RDNA4.
    assert_eq!(answer("gfx942", "v_add_f32_e64 v8, v16, v24 mul:4", "0", inputs), "vdst=3f800000");
    assert_eq!(answer("gfx1200", "v_add_f32_e64 v8, v16, v24 mul:4", "0", inputs), "vdst=40800000");
    // A source of a mixed operation is a float, or half of a register.
    let parts = "src0=40000001;src1=40400000;src2=38003c00;exec=1";
    let mixed = answer("gfx942", "v_fma_mix_f32 v8, v16, v24, v32 op_sel_hi:[0,0,1]", "0", parts);
    assert_eq!(mixed, "vdst=40e00002");
    let flushed = ask("gfx942", "v_add_f32_e64 v8, v16, v24 mul:4", "denorm=flush", "0", inputs).unwrap();
    assert_eq!(flushed, "vdst=40800000");
}

#[test]
fn a_mode_is_set_by_known_keys_and_values() {
    let set = |key: &str, value: &str| Mode::default().set(key, value);
    for key in ["round", "round32", "round64"] {
        assert_eq!(set(key, "up"), Ok(()), "{key}");
    }
    for key in ["dx10_clamp", "fp16_ovfl"] {
        assert_eq!(set(key, "1"), Ok(()), "{key}");
        assert_eq!(set(&format!("{key}32"), "1"), Err(UnknownMode(format!("{key}32=1"))));
        assert_eq!(set(&format!("{key}64"), "0"), Err(UnknownMode(format!("{key}64=0"))));
        assert_eq!(set(key, "2"), Err(UnknownMode(format!("{key}=2"))));
    }
    assert_eq!(set("round16", "up"), Err(UnknownMode("round16=up".into())));
}

#[test]
fn modes_round_and_flush() {
    let add = |mode: &str, inputs: &str| ask("gfx942", "v_add_f32 v8, v16, v24", mode, "0", inputs).unwrap();
    // The sources: 1.0, and a quarter of a unit of its last place.
    let inputs = "src0=3f800000;vsrc1=33000000;exec=1";
    assert_eq!(add("round=ne", inputs), "vdst=3f800000");
    assert_eq!(add("round=up", inputs), "vdst=3f800001");
    assert_eq!(add("round64=up", inputs), "vdst=3f800000");
    let denormal = "src0=00000001;vsrc1=0;exec=1";
    assert_eq!(add("denorm=keep", denormal), "vdst=00000001");
    assert_eq!(add("denorm=flush", denormal), "vdst=00000000");
    assert_eq!(ask("gfx942", "v_add_f32 v8, v16, v24", "round=odd", "0", inputs), Err("unknown mode round=odd".into()));
}

#[test]
fn the_sine_of_a_small_angle_is_small() {
    let sine = |angle: &str| answer("gfx942", "v_sin_f32 v8, v16", "0", &format!("src0={angle};exec=1"));
    // 2^-100 turns, its negative, and the negative of the largest denormal number.
    assert_eq!(sine("0d800000"), "vdst=0ec90fdb");
    assert_eq!(sine("8d800000"), "vdst=8ec90fdb");
    assert_eq!(sine("807fffff"), "vdst=81c90fd9");
    // A quarter of a turn backwards from 0.
    assert_eq!(sine("be800000"), "vdst=bf800000");
}

#[test]
fn constants_have_the_width_of_the_operation() {
    // A literal of 32 bits is extended by its sign in a signed operation, by 0 in another one, and is the upper half of
    // a double.
    assert_eq!(
        answer("gfx942", "s_or_b64 s[8:9], s[16:17], 0x80000000", "-", "ssrc0=1"),
        "sdst=0000000080000001 scc=1"
    );
    assert_eq!(answer("gfx942", "s_ashr_i64 s[8:9], 0x80000000, s17", "-", "ssrc1=4"), "sdst=fffffffff8000000 scc=1");
    assert_eq!(answer("gfx942", "v_trunc_f64 v[8:9], 0x40091eb8", "0", "exec=1"), "vdst=4008000000000000");
    // An inline constant stands for both of two floats of 32 bits, but only for the lower one of two halves.
    let two = answer("gfx942", "v_pk_add_f32 v[8:9], v[16:17], 1.0", "0", "src0=3f80000000000000;exec=1");
    assert_eq!(two, "vdst=400000003f800000");
    let halves = answer("gfx942", "v_pk_add_f16 v8, v16, 1.0", "0", "src0=0;exec=1");
    assert_eq!(halves, "vdst=00003c00");
}

/// The largest number of the OCP's eight-bit float with three bits of fraction is 448, and that of MI300's is 240.
/// Neither format has an infinity.
#[test]
fn what_is_too_large_for_a_small_float_becomes_no_number_or_the_largest() {
    let inputs = "src0=43e00000;src1=44800000;vdst.old=0;exec=1"; // 448 and 1024
    assert_eq!(answer("gfx1200", "v_cvt_pk_fp8_f32 v8, v16, v24", "0", inputs), "vdst=00007f7e");
    assert_eq!(answer("gfx942", "v_cvt_pk_fp8_f32 v8, v16, v24", "0", inputs), "vdst=00008080");
    let largest = |target| ask(target, "v_cvt_pk_fp8_f32 v8, v16, v24", "fp16_ovfl=1", "0", inputs).unwrap();
    assert_eq!([largest("gfx1200"), largest("gfx942")], ["vdst=00007e7e", "vdst=00007f7f"]);
}

#[test]
fn dpp_reads_other_lanes() {
    let text = "v_mov_b32_dpp v8, v16 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf";
    let lanes =
        [("0", "src0=a;vdst.old=1;exec=7"), ("1", "src0=b;vdst.old=1;exec=7"), ("2", "src0=c;vdst.old=1;exec=7")];
    let answers: Vec<String> = ask_all("gfx942", text, "wave=64", &lanes).into_iter().map(Result::unwrap).collect();
    // Lane 3 is off, so lane 2 has no source and is not written.
    assert_eq!(answers, ["vdst=0000000b", "vdst=0000000a", "vdst=00000001"]);
}

#[test]
fn both_operations_of_a_pair_read_what_was_there_before() {
    let mut wave = Wave::default();
    wave.write(Reg::Vgpr(0), 0, 0, 1);
    wave.write(Reg::Vgpr(1), 0, 0, 2);
    let swap = parse("gfx1100".parse().unwrap(), "v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v1, v0").unwrap();
    Evaluator::default().run(&swap, &mut wave).unwrap();
    assert_eq!((wave.read(Reg::Vgpr(0), 0, 0), wave.read(Reg::Vgpr(1), 0, 0)), (Some(2), Some(1)));
}

#[test]
fn what_is_not_computed_says_so_and_changes_nothing() {
    let mut evaluator = Evaluator::default();
    let mut error = |text: &str| {
        let mut wave = Wave::default();
        let inst = parse(Target::Gfx942, text).unwrap();
        let error = evaluator.run(&inst, &mut wave).unwrap_err();
        assert_eq!(wave, Wave::default());
        error
    };
    assert_eq!(error("global_load_dword v0, v1, s[0:1]"), EvalError::Memory);
    assert!(matches!(error("s_barrier"), EvalError::Sentence(_)));
    assert_eq!(
        error("v_mov_b32 v0, src_shared_base"),
        EvalError::Unknown(Reg::Special(amdgpu_isa::operands::Special::SrcSharedBase))
    );
}

#[test]
fn lines_that_are_wrong_say_why() {
    let read = |line: &str| Line::read(line).map(|_| ()).unwrap_err();
    assert_eq!(read("gfx942"), "expected: target<TAB>words<TAB>mode<TAB>lane<TAB>inputs");
    assert_eq!(read("gfx1\t00\t-\t-\t"), "unknown target gfx1");
    assert_eq!(read("gfx942\t0\t-\t-\t"), "`0` is not bytes in hexadecimal");
    assert_eq!(read("gfx942\t000082be\twave=32\t-\t"), "gfx942 has no waves of 32 lanes");
    assert_eq!(read("gfx942\t0202027e\t\t64\t"), "`64` is not a lane");
    assert_eq!(read("gfx942\t000082be\t\t-\tssrc0"), "`ssrc0` is not NAME=HEX");
    assert_eq!(read("gfx942\t000082be\t\t-\tssrc0=x"), "`x` is not a number in hexadecimal");
    let unknown = ask("gfx942", "s_mov_b32 s0, s1", "", "-", "vdst=0");
    assert_eq!(unknown, Err("the instruction has no vdst".into()));
}

/// A number has at most as many bits as its place.
#[test]
fn no_number_is_cut() {
    let ask = |inputs: &str| {
        let line = Line::read(&format!("gfx1100\t00030406\t-\t0\t{inputs}")).expect("a line");
        answers(&mut Evaluator::default(), &[line]).remove(0)
    };
    for inputs in ["src0=ffffffff", "src0=000000000ffffffff", "exec=ffffffffffffffff", "vcc=1;scc=1;m0=ffffffff"] {
        assert!(ask(inputs).is_ok(), "{inputs}");
    }
    for inputs in ["src0=fffffffff", "vdst.old=100000000", "exec=10000000000000000", "scc=2", "m0=100000000"] {
        let reason = ask(inputs).expect_err(inputs);
        assert!(reason.contains(" bits, and there are "), "{reason}");
    }
}
