//! Every functional example of AMD's manuals gives the result that the manual prints.

use amdgpu_eval::{Evaluator, Wave};
use amdgpu_isa::{Inst, Reg, Target, parse};

/// The mnemonic of an operation, and its examples: the sources, and the result. A quiet NaN stands for every NaN.
type Examples = (&'static str, &'static [(&'static [u32], u32)]);

#[rustfmt::skip] // One line for each operation.
const EXAMPLES: &[Examples] = &[
    ("s_absdiff_i32", &[(&[0x00000002, 0x00000005], 0x00000003), (&[0xffffffff, 0x00000000], 0x00000001), (&[0x80000000, 0x00000000], 0x80000000), (&[0x80000000, 0x00000001], 0x7fffffff), (&[0x80000000, 0xffffffff], 0x7fffffff), (&[0x80000000, 0xfffffffe], 0x7ffffffe)]),
    ("s_ff0_i32_b32", &[(&[0xaaaaaaaa], 0), (&[0x55555555], 1), (&[0x00000000], 0), (&[0xffffffff], 0xffffffff), (&[0xfffeffff], 16)]),
    ("s_flbit_i32_b32", &[(&[0x00000000], 0xffffffff), (&[0x0000cccc], 16), (&[0xffff3333], 0), (&[0x7fffffff], 1), (&[0x80000000], 0), (&[0xffffffff], 0)]),
    ("s_flbit_i32", &[(&[0x00000000], 0xffffffff), (&[0x0000cccc], 16), (&[0xffff3333], 16), (&[0x7fffffff], 1), (&[0x80000000], 1), (&[0xffffffff], 0xffffffff)]),
    ("s_abs_i32", &[(&[0x00000001], 0x00000001), (&[0x7fffffff], 0x7fffffff), (&[0x80000000], 0x80000000), (&[0x80000001], 0x7fffffff), (&[0x80000002], 0x7ffffffe), (&[0xffffffff], 0x00000001)]),
    ("v_exp_f32", &[(&[0xff800000], 0x00000000), (&[0x80000000], 0x3f800000), (&[0x7f800000], 0x7f800000)]),
    ("v_log_f32", &[(&[0xff800000], 0xffc00000), (&[0xbf800000], 0xffc00000), (&[0x80000000], 0xff800000), (&[0x00000000], 0xff800000), (&[0x3f800000], 0x00000000), (&[0x7f800000], 0x7f800000)]),
    ("v_sqrt_f32", &[(&[0xff800000], 0xffc00000), (&[0x80000000], 0x80000000), (&[0x00000000], 0x00000000), (&[0x40800000], 0x40000000), (&[0x7f800000], 0x7f800000)]),
    ("v_sin_f32", &[(&[0xff800000], 0xffc00000), (&[0xff7fffff], 0x00000000), (&[0x80000000], 0x80000000), (&[0x3e800000], 0x3f800000), (&[0x7f800000], 0xffc00000)]),
    ("v_cos_f32", &[(&[0xff800000], 0xffc00000), (&[0xff7fffff], 0x3f800000), (&[0x80000000], 0x3f800000), (&[0x3e800000], 0x00000000), (&[0x7f800000], 0xffc00000)]),
    ("v_ffbl_b32", &[(&[0x00000000], 0xffffffff), (&[0xff000001], 0), (&[0xff000008], 3), (&[0xffff0000], 16), (&[0x80000000], 31)]),
    ("v_ffbh_i32", &[(&[0x00000000], 0xffffffff), (&[0x40000000], 1), (&[0x80000000], 1), (&[0x0fffffff], 4), (&[0xffff0000], 16), (&[0xfffffffe], 31), (&[0xffffffff], 0xffffffff)]),
    ("v_rcp_f16", &[(&[0xfc00], 0x8000), (&[0xc000], 0xb800), (&[0x8000], 0xfc00), (&[0x0000], 0x7c00), (&[0x7c00], 0x0000)]),
    ("v_sqrt_f16", &[(&[0xfc00], 0xfe00), (&[0x8000], 0x8000), (&[0x0000], 0x0000), (&[0x4400], 0x4000), (&[0x7c00], 0x7c00)]),
    ("v_rsq_f16", &[(&[0xfc00], 0xfe00), (&[0x8000], 0xfc00), (&[0x0000], 0x7c00), (&[0x4400], 0x3800), (&[0x7c00], 0x0000)]),
    ("v_log_f16", &[(&[0xfc00], 0xfe00), (&[0xbc00], 0xfe00), (&[0x8000], 0xfc00), (&[0x0000], 0xfc00), (&[0x3c00], 0x0000), (&[0x7c00], 0x7c00)]),
    ("v_exp_f16", &[(&[0xfc00], 0x0000), (&[0x8000], 0x3c00), (&[0x7c00], 0x7c00)]),
    ("v_sin_f16", &[(&[0xfc00], 0xfe00), (&[0xfbff], 0x0000), (&[0x8000], 0x8000), (&[0x3400], 0x3c00), (&[0x7bff], 0x0000), (&[0x7c00], 0xfe00)]),
    ("v_cos_f16", &[(&[0xfc00], 0xfe00), (&[0xfbff], 0x3c00), (&[0x8000], 0x3c00), (&[0x3400], 0x0000), (&[0x7bff], 0x3c00), (&[0x7c00], 0xfe00)]),
    ("s_clz_i32_u32", &[(&[0x00000000], 0xffffffff), (&[0x0000cccc], 16), (&[0xffff3333], 0), (&[0x7fffffff], 1), (&[0x80000000], 0), (&[0xffffffff], 0)]),
    ("s_cls_i32", &[(&[0x00000000], 0xffffffff), (&[0x0000cccc], 16), (&[0xffff3333], 16), (&[0x7fffffff], 1), (&[0x80000000], 1), (&[0xffffffff], 0xffffffff)]),
    ("v_ctz_i32_b32", &[(&[0x00000000], 0xffffffff), (&[0xff000001], 0), (&[0xff000008], 3), (&[0xffff0000], 16), (&[0x80000000], 31)]),
    ("v_cls_i32", &[(&[0x00000000], 0xffffffff), (&[0x40000000], 1), (&[0x80000000], 1), (&[0x0fffffff], 4), (&[0xffff0000], 16), (&[0xfffffffe], 31), (&[0xffffffff], 0xffffffff)]),
];

/// The instruction that reads the registers from 16 on and writes register 8, on the first target that has the
/// operation.
fn instruction(mnemonic: &str, sources: usize) -> Option<Inst> {
    let kind = if mnemonic.starts_with('s') { 's' } else { 'v' };
    // Each source has a register of its own. Sources of 16 bits are lower halves.
    let names: Vec<String> = (0..sources).map(|n| format!("{kind}{}", 16 + n)).collect();
    let text = format!("{mnemonic} {kind}8, {}", names.join(", "));
    let halves = text.replace("v8", "v8.l").replace("v16", "v16.l");
    Target::ALL.iter().find_map(|&target| parse(target, &text).or_else(|_| parse(target, &halves)).ok())
}

fn is_nan(bits: u32, half: bool) -> bool {
    if half { bits & 0x7fff > 0x7c00 } else { bits & 0x7fff_ffff > 0x7f80_0000 }
}

#[test]
fn examples_of_the_manuals_give_what_they_print() {
    let mut evaluator = Evaluator::default();
    let mut count = 0;
    for (mnemonic, examples) in EXAMPLES {
        for (sources, expected) in *examples {
            let inst = instruction(mnemonic, sources.len()).unwrap_or_else(|| panic!("{mnemonic}"));
            let register = |n: usize| if mnemonic.starts_with('s') { Reg::Sgpr(n as u8) } else { Reg::Vgpr(n as u16) };
            let mut wave = Wave::default();
            for (n, source) in sources.iter().enumerate() {
                wave.write(register(16 + n), 0, 0, *source);
            }
            evaluator.run(&inst, &mut wave).unwrap_or_else(|error| panic!("{inst}: {error}"));
            let half = mnemonic.ends_with("f16");
            let result = wave.read(register(8), 0, 0).unwrap() & if half { 0xffff } else { u32::MAX };
            let same = result == *expected || is_nan(result, half) && is_nan(*expected, half);
            assert!(same, "{inst}: {sources:x?} gives {result:#x}, not {expected:#x}");
            count += 1;
        }
    }
    assert_eq!(count, 125);
}

/// The manuals give 1,201 bits of 2/pi. The result has zeros for the bits after these, although the next bit of 2/pi is
/// not zero.
#[test]
fn two_over_pi_ends_after_1201_bits() {
    let inst = parse(Target::Gfx942, "v_trig_preop_f64 v[8:9], v[16:17], 4").unwrap();
    let mut wave = Wave::default();
    for (n, dword) in [0, 0x7fe0_0000].into_iter().enumerate() {
        wave.write(Reg::Vgpr(16 + n as u16), 0, 0, dword);
    }
    Evaluator::default().run(&inst, &mut wave).unwrap();
    // The last 20 bits of 2/pi. The lowest of them is worth twice the smallest number.
    assert_eq!(wave.read(Reg::Vgpr(8), 0, 0), Some(0b1101_1111_1000_1111_0110 << 1));
    assert_eq!(wave.read(Reg::Vgpr(9), 0, 0), Some(0));
}
