//! LLVM's constant folder computes the same: calls of intrinsics and instructions of LLVM's IR with constant arguments,
//! which `opt-22` of the Debian package `llvm-22` folds, and the machine instructions that they stand for.
//!
//! Of `llvm.amdgcn.` it does not fold `rsq`, `sqrt`, `log`, `exp2`, `tanh`, `div.fixup`, `fmad.ftz`, `sffbh`, `lerp`,
//! `sad.u8`, `msad.u8`, `sdot4`, `alignbyte`, `bitop3`, `mul.u24`, `cvt.f32.bf8`, `cvt.f32.fp8`, `cvt.pknorm.i16` and
//! `cvt.pk.u8.f32`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use amdgpu_eval::{Evaluator, Wave};
use amdgpu_isa::{Inst, Reg, Target, parse};

use crate::proofs::values::{Rng, float, integer};

/// A type of IR.
#[derive(Clone, Copy, PartialEq)]
enum Ty {
    I1,
    I16,
    I32,
    I64,
    Half,
    Float,
    Double,
    /// `<2 x half>`
    Halves,
}

impl Ty {
    fn name(self) -> &'static str {
        match self {
            Ty::I1 => "i1",
            Ty::I16 => "i16",
            Ty::I32 => "i32",
            Ty::I64 => "i64",
            Ty::Half => "half",
            Ty::Float => "float",
            Ty::Double => "double",
            Ty::Halves => "<2 x half>",
        }
    }

    fn named(name: &str) -> Ty {
        let all = [Ty::I1, Ty::I16, Ty::I32, Ty::I64, Ty::Half, Ty::Float, Ty::Double, Ty::Halves];
        all.into_iter().find(|ty| ty.name() == name).unwrap_or_else(|| panic!("{name} is no type"))
    }

    fn bits(self) -> u32 {
        match self {
            Ty::I1 => 1,
            Ty::I16 | Ty::Half => 16,
            Ty::I32 | Ty::Float | Ty::Halves => 32,
            Ty::I64 | Ty::Double => 64,
        }
    }

    /// Widths of exponent and fraction of a float.
    fn fields(self) -> Option<(u32, u32)> {
        match self {
            Ty::Half => Some((5, 10)),
            Ty::Float => Some((8, 23)),
            Ty::Double => Some((11, 52)),
            _ => None,
        }
    }

    fn value(self, rng: &mut Rng) -> u64 {
        match (self, self.fields()) {
            (_, Some((exponent, fraction))) => float(exponent, fraction, rng),
            (Ty::I64, _) => {
                u64::from(integer(rng)) << 32
                    | u64::from(if rng.below(2) == 0 { integer(rng) } else { rng.next() as u32 })
            }
            _ if rng.below(3) == 0 => u64::from(rng.next() as u32) & self.mask(),
            _ if rng.below(3) == 0 => rng.below(70) as u64,
            _ => u64::from(integer(rng)) & self.mask(),
        }
    }

    fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }

    /// A constant of these bits.
    fn constant(self, bits: u64) -> String {
        match self {
            Ty::I1 | Ty::I16 | Ty::I32 | Ty::I64 => format!("{} {bits}", self.name()),
            ty => format!("{} bitcast (i{} {bits} to {})", ty.name(), ty.bits(), ty.name()),
        }
    }

    fn is_nan(self, bits: u64) -> bool {
        let halves = |bits: u64| Ty::Half.is_nan(bits);
        match self.fields() {
            Some((exponent, fraction)) => {
                let top = ((1u64 << exponent) - 1) << fraction;
                bits & top == top && bits & ((1 << fraction) - 1) != 0
            }
            None => self == Ty::Halves && (halves(bits & 0xffff) || halves(bits >> 16)),
        }
    }
}

/// What an argument is restricted to.
type Fits = fn(&[u64]) -> bool;

/// A machine instruction and what stands for it in IR.
struct Case {
    /// `d` is its destination, `a`, `b` and `c` are its sources: registers as wide as the types of IR.
    text: String,
    /// The call or the instruction; `$a` is a constant argument with its type, `%a` one without.
    ir: String,
    result: Ty,
    arguments: Vec<Ty>,
    /// The greatest difference, in units of the last place.
    ulp: u64,
    fits: Fits,
    /// A setting of MODE, if it is not the usual one.
    mode: Option<(&'static str, &'static str)>,
}

fn any(_: &[u64]) -> bool {
    true
}

/// A case: the instruction, its IR, and the types `RESULT <- ARGUMENT, ...`.
fn case(text: &str, ir: &str, types: &str) -> Case {
    let (result, arguments) = types.split_once(" <- ").unwrap_or((types, ""));
    let arguments = arguments.split(", ").map(Ty::named).collect();
    Case { text: text.into(), ir: ir.into(), result: Ty::named(result), arguments, ulp: 0, fits: any, mode: None }
}

const FLOATS: [(&str, &str, &str); 3] = [("f16", "half", "f16"), ("f32", "float", "f32"), ("f64", "double", "f64")];

/// A call of an intrinsic.
fn call(name: &str, result: &str, arguments: usize) -> String {
    let list: Vec<&str> = ["$a", "$b", "$c"].into_iter().take(arguments).collect();
    format!("call {result} @llvm.{name}({})", list.join(", "))
}

/// Operations on floats of each width: the machine's name, that of the intrinsic, and the number of arguments.
const OF_FLOATS: &[(&str, &str, usize)] = &[
    ("v_rcp", "amdgcn.rcp", 1),
    ("v_fract", "amdgcn.fract", 1),
    ("v_frexp_mant", "amdgcn.frexp.mant", 1),
    ("v_floor", "floor", 1),
    ("v_ceil", "ceil", 1),
    ("v_trunc", "trunc", 1),
    ("v_rndne", "rint", 1),
    ("v_rndne", "roundeven", 1),
    ("v_rndne", "nearbyint", 1),
    ("v_fma", "fma", 3),
    ("v_min", "minnum", 2),
    ("v_max", "maxnum", 2),
    ("v_min", "minimumnum", 2),
    ("v_max", "maximumnum", 2),
    ("v_min_num", "minimumnum", 2),
    ("v_max_num", "maximumnum", 2),
    ("v_minimum", "minimum", 2),
    ("v_maximum", "maximum", 2),
    ("v_med3", "amdgcn.fmed3", 3),
    ("v_max", "canonicalize", 1),
    ("v_sqrt", "sqrt", 1),
];

/// Comparisons of floats: the machine's, LLVM's.
const COMPARES: &[(&str, &str)] = &[
    ("lt", "olt"),
    ("eq", "oeq"),
    ("le", "ole"),
    ("gt", "ogt"),
    ("lg", "one"),
    ("ge", "oge"),
    ("o", "ord"),
    ("u", "uno"),
    ("nge", "ult"),
    ("nlg", "ueq"),
    ("ngt", "ule"),
    ("nle", "ugt"),
    ("neq", "une"),
    ("nlt", "uge"),
];

/// Comparisons of integers.
const INTEGER_COMPARES: &[(&str, &str)] =
    &[("lt", "lt"), ("eq", "eq"), ("le", "le"), ("gt", "gt"), ("ne", "ne"), ("ge", "ge")];

/// Operations that one line says: text, IR, types.
const OTHERS: &[(&str, &str, &str)] = &[
    ("v_frexp_exp_i32_f32 d, a", "call i32 @llvm.amdgcn.frexp.exp.i32.f32($a)", "i32 <- float"),
    ("v_frexp_exp_i32_f64 d, a", "call i32 @llvm.amdgcn.frexp.exp.i32.f64($a)", "i32 <- double"),
    ("v_frexp_exp_i16_f16 d, a", "call i16 @llvm.amdgcn.frexp.exp.i16.f16($a)", "i16 <- half"),
    ("v_ldexp_f32 d, a, b", "call float @llvm.ldexp.f32.i32($a, $b)", "float <- float, i32"),
    ("v_ldexp_f64 d, a, b", "call double @llvm.ldexp.f64.i32($a, $b)", "double <- double, i32"),
    ("v_ldexp_f16 d, a, b", "call half @llvm.ldexp.f16.i16($a, $b)", "half <- half, i16"),
    ("v_cmp_class_f32 vcc, a, b", "call i1 @llvm.amdgcn.class.f32($a, $b)", "i1 <- float, i32"),
    ("v_cmp_class_f64 vcc, a, b", "call i1 @llvm.amdgcn.class.f64($a, $b)", "i1 <- double, i32"),
    ("v_cubeid_f32 d, a, b, c", "call float @llvm.amdgcn.cubeid($a, $b, $c)", "float <- float, float, float"),
    ("v_cubema_f32 d, a, b, c", "call float @llvm.amdgcn.cubema($a, $b, $c)", "float <- float, float, float"),
    ("v_cubesc_f32 d, a, b, c", "call float @llvm.amdgcn.cubesc($a, $b, $c)", "float <- float, float, float"),
    ("v_cubetc_f32 d, a, b, c", "call float @llvm.amdgcn.cubetc($a, $b, $c)", "float <- float, float, float"),
    ("v_mul_legacy_f32 d, a, b", "call float @llvm.amdgcn.fmul.legacy($a, $b)", "float <- float, float"),
    ("v_mul_dx9_zero_f32 d, a, b", "call float @llvm.amdgcn.fmul.legacy($a, $b)", "float <- float, float"),
    ("v_fma_legacy_f32 d, a, b, c", "call float @llvm.amdgcn.fma.legacy($a, $b, $c)", "float <- float, float, float"),
    ("v_fma_dx9_zero_f32 d, a, b, c", "call float @llvm.amdgcn.fma.legacy($a, $b, $c)", "float <- float, float, float"),
    ("v_perm_b32 d, a, b, c", "call i32 @llvm.amdgcn.perm($a, $b, $c)", "i32 <- i32, i32, i32"),
    ("v_bfe_u32 d, a, b, c", "call i32 @llvm.amdgcn.ubfe.i32($a, $b, $c)", "i32 <- i32, i32, i32"),
    ("v_bfe_i32 d, a, b, c", "call i32 @llvm.amdgcn.sbfe.i32($a, $b, $c)", "i32 <- i32, i32, i32"),
    ("v_cvt_pkrtz_f16_f32 d, a, b", "call <2 x half> @llvm.amdgcn.cvt.pkrtz($a, $b)", "<2 x half> <- float, float"),
    ("v_cvt_pk_rtz_f16_f32 d, a, b", "call <2 x half> @llvm.amdgcn.cvt.pkrtz($a, $b)", "<2 x half> <- float, float"),
    ("v_trig_preop_f64 d, a, b", "call double @llvm.amdgcn.trig.preop.f64($a, $b)", "double <- double, i32"),
    ("s_wqm_b32 d, a", "call i32 @llvm.amdgcn.s.wqm.i32($a)", "i32 <- i32"),
    ("s_wqm_b64 d, a", "call i64 @llvm.amdgcn.s.wqm.i64($a)", "i64 <- i64"),
    ("s_quadmask_b32 d, a", "call i32 @llvm.amdgcn.s.quadmask.i32($a)", "i32 <- i32"),
    ("s_quadmask_b64 d, a", "call i64 @llvm.amdgcn.s.quadmask.i64($a)", "i64 <- i64"),
    ("s_bitreplicate_b64_b32 d, a", "call i64 @llvm.amdgcn.s.bitreplicate($a)", "i64 <- i32"),
    ("v_alignbit_b32 d, a, b, c", "call i32 @llvm.fshr.i32($a, $b, $c)", "i32 <- i32, i32, i32"),
    ("v_bfrev_b32 d, a", "call i32 @llvm.bitreverse.i32($a)", "i32 <- i32"),
    ("s_brev_b32 d, a", "call i32 @llvm.bitreverse.i32($a)", "i32 <- i32"),
    ("s_brev_b64 d, a", "call i64 @llvm.bitreverse.i64($a)", "i64 <- i64"),
    ("v_bcnt_u32_b32 d, a, 0", "call i32 @llvm.ctpop.i32($a)", "i32 <- i32"),
    ("s_bcnt1_i32_b32 d, a", "call i32 @llvm.ctpop.i32($a)", "i32 <- i32"),
    ("s_abs_i32 d, a", "call i32 @llvm.abs.i32($a, i1 false)", "i32 <- i32"),
    ("v_add_u32 d, a, b", "add $a, %b", "i32 <- i32, i32"),
    ("v_add_nc_u32 d, a, b", "add $a, %b", "i32 <- i32, i32"),
    ("v_sub_nc_u32 d, a, b", "sub $a, %b", "i32 <- i32, i32"),
    ("v_add_u32_e64 d, a, b clamp", "call i32 @llvm.uadd.sat.i32($a, $b)", "i32 <- i32, i32"),
    ("v_sub_u32_e64 d, a, b clamp", "call i32 @llvm.usub.sat.i32($a, $b)", "i32 <- i32, i32"),
    ("v_add_nc_i32 d, a, b clamp", "call i32 @llvm.sadd.sat.i32($a, $b)", "i32 <- i32, i32"),
    ("v_sub_nc_i32 d, a, b clamp", "call i32 @llvm.ssub.sat.i32($a, $b)", "i32 <- i32, i32"),
    ("v_add_i16 d, a, b clamp", "call i16 @llvm.sadd.sat.i16($a, $b)", "i16 <- i16, i16"),
    ("v_sub_i16 d, a, b clamp", "call i16 @llvm.ssub.sat.i16($a, $b)", "i16 <- i16, i16"),
    ("v_add_u16_e64 d, a, b clamp", "call i16 @llvm.uadd.sat.i16($a, $b)", "i16 <- i16, i16"),
    ("v_mul_lo_u32 d, a, b", "mul $a, %b", "i32 <- i32, i32"),
    ("s_mul_i32 d, a, b", "mul $a, %b", "i32 <- i32, i32"),
    ("s_mul_u64 d, a, b", "mul $a, %b", "i64 <- i64, i64"),
    ("v_mul_lo_u16 d, a, b", "mul $a, %b", "i16 <- i16, i16"),
    ("v_and_b32 d, a, b", "and $a, %b", "i32 <- i32, i32"),
    ("v_or_b32 d, a, b", "or $a, %b", "i32 <- i32, i32"),
    ("v_xor_b32 d, a, b", "xor $a, %b", "i32 <- i32, i32"),
    ("v_min_u32 d, a, b", "call i32 @llvm.umin.i32($a, $b)", "i32 <- i32, i32"),
    ("v_max_u32 d, a, b", "call i32 @llvm.umax.i32($a, $b)", "i32 <- i32, i32"),
    ("v_min_i32 d, a, b", "call i32 @llvm.smin.i32($a, $b)", "i32 <- i32, i32"),
    ("v_max_i32 d, a, b", "call i32 @llvm.smax.i32($a, $b)", "i32 <- i32, i32"),
    ("v_min_u16 d, a, b", "call i16 @llvm.umin.i16($a, $b)", "i16 <- i16, i16"),
    ("v_max_i16 d, a, b", "call i16 @llvm.smax.i16($a, $b)", "i16 <- i16, i16"),
    ("s_min_u32 d, a, b", "call i32 @llvm.umin.i32($a, $b)", "i32 <- i32, i32"),
    ("s_max_i32 d, a, b", "call i32 @llvm.smax.i32($a, $b)", "i32 <- i32, i32"),
    ("v_cvt_f32_f16 d, a", "fpext $a to float", "float <- half"),
    ("v_cvt_f64_f32 d, a", "fpext $a to double", "double <- float"),
    ("v_cvt_f16_f32 d, a", "fptrunc $a to half", "half <- float"),
    ("v_cvt_f32_f64 d, a", "fptrunc $a to float", "float <- double"),
    ("v_cvt_i32_f32 d, a", "call i32 @llvm.fptosi.sat.i32.f32($a)", "i32 <- float"),
    ("v_cvt_u32_f32 d, a", "call i32 @llvm.fptoui.sat.i32.f32($a)", "i32 <- float"),
    ("v_cvt_i32_f64 d, a", "call i32 @llvm.fptosi.sat.i32.f64($a)", "i32 <- double"),
    ("v_cvt_u32_f64 d, a", "call i32 @llvm.fptoui.sat.i32.f64($a)", "i32 <- double"),
    ("v_cvt_i16_f16 d, a", "call i16 @llvm.fptosi.sat.i16.f16($a)", "i16 <- half"),
    ("v_cvt_u16_f16 d, a", "call i16 @llvm.fptoui.sat.i16.f16($a)", "i16 <- half"),
    ("v_cvt_f32_i32 d, a", "sitofp $a to float", "float <- i32"),
    ("v_cvt_f32_u32 d, a", "uitofp $a to float", "float <- i32"),
    ("v_cvt_f64_i32 d, a", "sitofp $a to double", "double <- i32"),
    ("v_cvt_f64_u32 d, a", "uitofp $a to double", "double <- i32"),
    ("v_cvt_f16_i16 d, a", "sitofp $a to half", "half <- i16"),
    ("v_cvt_f16_u16 d, a", "uitofp $a to half", "half <- i16"),
];

/// Operations for whose arguments the machine and LLVM have the same rule: shifts by less than the width, positions of
/// bits that there are.
const SOME: &[(&str, &str, &str, Fits)] = &[
    ("v_lshlrev_b32 d, b, a", "shl $a, %b", "i32 <- i32, i32", |at| at[1] < 32),
    ("v_lshrrev_b32 d, b, a", "lshr $a, %b", "i32 <- i32, i32", |at| at[1] < 32),
    ("v_ashrrev_i32 d, b, a", "ashr $a, %b", "i32 <- i32, i32", |at| at[1] < 32),
    ("s_ashr_i32 d, a, b", "ashr $a, %b", "i32 <- i32, i32", |at| at[1] < 32),
    ("v_ffbh_u32 d, a", "call i32 @llvm.ctlz.i32($a, i1 false)", "i32 <- i32", |at| at[0] != 0),
    ("v_ffbl_b32 d, a", "call i32 @llvm.cttz.i32($a, i1 false)", "i32 <- i32", |at| at[0] != 0),
    ("v_clz_i32_u32 d, a", "call i32 @llvm.ctlz.i32($a, i1 false)", "i32 <- i32", |at| at[0] != 0),
    ("v_ctz_i32_b32 d, a", "call i32 @llvm.cttz.i32($a, i1 false)", "i32 <- i32", |at| at[0] != 0),
];

fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    for (width, name, suffix) in FLOATS {
        for (op, intrinsic, count) in OF_FLOATS {
            if (*op, width) == ("v_med3", "f64") {
                continue;
            }
            let sources =
                if *intrinsic == "canonicalize" { "a, a".into() } else { ["a", "b", "c"][..*count].join(", ") };
            let types = format!("{name} <- {}", vec![name; *count].join(", "));
            let case = case(
                &format!("{op}_{width} d, {sources}"),
                &call(&format!("{intrinsic}.{suffix}"), name, *count),
                &types,
            );
            // Reciprocals and roots are approximations.
            all.push(Case { ulp: if ["v_rcp", "v_sqrt"].contains(op) { 1 } else { 0 }, ..case });
        }
        for (op, instruction) in [("v_add", "fadd"), ("v_mul", "fmul"), ("v_sub", "fsub")] {
            if (op, width) == ("v_sub", "f64") {
                continue;
            }
            all.push(case(
                &format!("{op}_{width} d, a, b"),
                &format!("{instruction} $a, %b"),
                &format!("{name} <- {name}, {name}"),
            ));
        }
        for (op, predicate) in COMPARES {
            let text = format!("v_cmp_{op}_{width} vcc, a, b");
            all.push(case(&text, &format!("fcmp {predicate} $a, %b"), &format!("i1 <- {name}, {name}")));
        }
    }
    for (name, intrinsic) in [("v_sin", "amdgcn.sin"), ("v_cos", "amdgcn.cos")] {
        for (width, ty, suffix) in &FLOATS[..2] {
            let case = case(
                &format!("{name}_{width} d, a"),
                &call(&format!("{intrinsic}.{suffix}"), ty, 1),
                &format!("{ty} <- {ty}"),
            );
            all.push(Case { ulp: 1, ..case });
        }
    }
    for (bits, (op, predicate)) in
        [16, 32, 64].into_iter().flat_map(|bits| INTEGER_COMPARES.iter().map(move |of| (bits, of)))
    {
        for sign in ["i", "u"] {
            let signed = if ["eq", "ne"].contains(op) {
                ""
            } else if sign == "i" {
                "s"
            } else {
                "u"
            };
            let ir = format!("icmp {signed}{predicate} $a, %b");
            all.push(case(&format!("v_cmp_{op}_{sign}{bits} vcc, a, b"), &ir, &format!("i1 <- i{bits}, i{bits}")));
        }
    }
    all.extend(FLOATS.iter().flat_map(|&of| modes(of)));
    all.extend(OTHERS.iter().map(|(text, ir, types)| case(text, ir, types)));
    all.extend(SOME.iter().map(|&(text, ir, types, fits)| Case { fits, ..case(text, ir, types) }));
    all
}

/// Arithmetic in other modes: LLVM rounds as constrained intrinsics say, and flushes denormal numbers as an attribute
/// of the function says, but not those of `fma`.
fn modes((width, name, suffix): (&'static str, &'static str, &'static str)) -> Vec<Case> {
    let mut all = Vec::new();
    for (word, rounding) in [("ne", "tonearest"), ("up", "upward"), ("down", "downward"), ("zero", "towardzero")] {
        for (op, intrinsic, count) in
            [("v_add", "fadd", 2), ("v_mul", "fmul", 2), ("v_fma", "fma", 3), ("v_rndne", "", 1)]
        {
            let sources = ["a", "b", "c"][..count].join(", ");
            let constants = ["$a", "$b", "$c"][..count].join(", ");
            let list = format!("{constants}, metadata !\"round.{rounding}\", metadata !\"fpexcept.ignore\"");
            let ir = match intrinsic {
                // It has its own rule.
                "" => call(&format!("roundeven.{suffix}"), name, count),
                intrinsic => format!("call {name} @llvm.experimental.constrained.{intrinsic}.{suffix}({list})"),
            };
            let types = format!("{name} <- {}", vec![name; count].join(", "));
            all.push(Case { mode: Some(("round", word)), ..case(&format!("{op}_{width} d, {sources}"), &ir, &types) });
        }
    }
    let two = format!("{name} <- {name}, {name}");
    let flushed = [
        case(&format!("v_add_{width} d, a, b"), "fadd $a, %b", &two),
        case(&format!("v_mul_{width} d, a, b"), "fmul $a, %b", &two),
        case(&format!("v_cmp_lt_{width} vcc, a, b"), "fcmp olt $a, %b", &format!("i1 <- {name}, {name}")),
        case(&format!("v_cmp_eq_{width} vcc, a, b"), "fcmp oeq $a, %b", &format!("i1 <- {name}, {name}")),
        case(
            &format!("v_max_{width} d, a, a"),
            &call(&format!("canonicalize.{suffix}"), name, 1),
            &format!("{name} <- {name}"),
        ),
    ];
    all.extend(flushed.map(|case| Case { mode: Some(("denorm", "flush")), ..case }));
    all
}

const NAMES: [&str; 3] = ["a", "b", "c"];

impl Case {
    /// The body of a function that returns the bits of the result.
    fn body(&self, values: &[u64]) -> String {
        let mut ir = self.ir.clone();
        for ((name, ty), value) in NAMES.iter().zip(&self.arguments).zip(values) {
            let constant = ty.constant(*value);
            let (_, bare) = constant.split_once(' ').unwrap();
            ir = ir.replace(&format!("${name}"), &constant).replace(&format!("%{name}"), bare);
        }
        let (ty, bits) = (self.result.name(), self.result.bits());
        match self.result {
            Ty::I1 | Ty::I16 | Ty::I32 | Ty::I64 => format!("%r = {ir}\n ret {ty} %r"),
            _ => format!("%r = {ir}\n %b = bitcast {ty} %r to i{bits}\n ret i{bits} %b"),
        }
    }

    /// The instruction on a target, if it has that.
    fn inst(&self, target: Target) -> Option<Inst> {
        let (mnemonic, rest) = self.text.split_once(' ')?;
        let kind = if self.text.starts_with('s') { 's' } else { 'v' };
        let with = |half: &str| {
            let register = |n: u32, ty: Ty| match ty.bits() {
                64 => format!("{kind}[{n}:{}]", n + 1),
                16 => format!("{kind}{n}{half}"),
                _ => format!("{kind}{n}"),
            };
            let operand = |word: &str| match (word, NAMES.iter().position(|name| *name == word)) {
                ("d", _) => register(8, self.result),
                ("vcc", _) if target.wave_size() == 32 => "vcc_lo".into(),
                (_, Some(n)) => register(16 + 2 * n as u32, self.arguments[n]),
                _ => word.to_string(),
            };
            let (operands, modifiers) =
                rest.split_once(" clamp").map_or((rest, ""), |(operands, _)| (operands, " clamp"));
            let operands: Vec<String> = operands.split(", ").map(operand).collect();
            parse(target, &format!("{mnemonic} {}{modifiers}", operands.join(", "))).ok()
        };
        with("").or_else(|| with(".l"))
    }

    /// The bits that the evaluator computes.
    fn computed(&self, inst: &Inst, values: &[u64], evaluator: &mut Evaluator) -> u64 {
        let register = |n: usize| if self.text.starts_with('s') { Reg::Sgpr(n as u8) } else { Reg::Vgpr(n as u16) };
        let mut wave = Wave::default();
        wave.exec = 1;
        if let Some((key, value)) = self.mode {
            wave.mode.set(key, value).unwrap();
        }
        for (n, value) in values.iter().enumerate() {
            wave.write(register(16 + 2 * n), 0, 0, *value as u32);
            wave.write(register(16 + 2 * n), 1, 0, (value >> 32) as u32);
        }
        evaluator.run(inst, &mut wave).unwrap_or_else(|error| panic!("{inst}: {error}"));
        let dword = |n| u64::from(wave.read(register(8), n, 0).unwrap_or(0));
        let bits = if self.result == Ty::I1 { wave.vcc } else { dword(0) | dword(1) << 32 };
        bits & self.result.mask()
    }

    fn agrees(&self, folded: u64, computed: u64) -> bool {
        let near = || self.ulp > 0 && folded.abs_diff(computed) <= self.ulp;
        folded == computed || self.result.is_nan(folded) && self.result.is_nan(computed) || near()
    }
}

/// A function of IR without arguments that returns bits.
struct Function {
    ty: Ty,
    body: String,
    flushes: bool,
}

/// What `opt-22` makes of functions with these bodies: the constant that each returns, or none.
fn folded(functions: &[Function]) -> Vec<Option<u64>> {
    let mut module = String::from("target triple = \"amdgcn-amd-amdhsa\"\n");
    for (n, Function { ty, body, flushes }) in functions.iter().enumerate() {
        let attributes = if *flushes { "#0 #1" } else { "#0" };
        writeln!(module, "define i{} @f{n}() {attributes} {{\n {body}\n}}", ty.bits()).unwrap();
    }
    // As in shaders: the evaluator has no IEEE bit of MODE.
    module.push_str("attributes #1 = { \"denormal-fp-math\"=\"preserve-sign,preserve-sign\" }\n");
    module.push_str("attributes #0 = { \"amdgpu-ieee\"=\"false\" }\n");
    let mut child = Command::new("opt-22")
        .args(["-passes=instcombine,instsimplify", "-S"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("opt-22, of the Debian package llvm-22, starts");
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(module.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success(), "opt-22 refuses the module");
    let text = String::from_utf8(output.stdout).unwrap();
    let mut all = vec![None; functions.len()];
    let mut number = None;
    for line in text.lines() {
        if let Some((_, name)) = line.strip_prefix("define ").and_then(|line| line.split_once("@f")) {
            number = name.split('(').next().and_then(|digits| digits.parse::<usize>().ok());
        } else if let (Some(n), Some(constant)) = (number, line.trim().strip_prefix("ret ")) {
            all[n] = constant.split(' ').nth(1).and_then(|word| number_of(word, functions[n].ty));
        }
    }
    all
}

fn number_of(word: &str, ty: Ty) -> Option<u64> {
    match word {
        "true" => Some(1),
        "false" => Some(0),
        digits => digits.parse::<i128>().ok().map(|n| n as u64 & ty.mask()),
    }
}

/// How often each operation is tried.
const TRIES: usize = 150;

/// Values that random ones seldom are, by the beginning of the text: each shows a difference.
const RARE: &[(&str, &[u64])] = &[
    ("v_trig_preop_f64", &[0x7fe0_0000_0000_0000, 3]),
    ("v_fma_legacy_f32", &[0, 0x3f80_0000, 0x8000_0000]),
    ("v_med3_f16", &[0xfc00, 0xfc01, 0x03ff]),
];

/// A constant that LLVM folds to other bits.
struct Difference<'a> {
    case: &'a Case,
    values: &'a [u64],
    folded: u64,
    computed: u64,
}

impl Difference<'_> {
    fn is_of(&self, intrinsic: &str) -> bool {
        self.case.ir.contains(&format!("@llvm.{intrinsic}"))
    }

    fn any(&self, is_it: impl Fn(Ty, u64) -> bool) -> bool {
        self.case.arguments.iter().zip(self.values).any(|(ty, bits)| is_it(*ty, *bits))
    }
}

/// Why bits differ, and whether a difference is of that kind. Each has to occur.
type Class = (&'static str, fn(&Difference) -> bool);

const CLASSES: &[Class] = &[
    ("the manuals' x - floor(x) is 1.0 for a small negative number; LLVM gives the number below 1.0", |difference| {
        let one = |ty| match ty {
            Ty::Half => 0x3c00,
            Ty::Float => 0x3f80_0000,
            _ => 0x3ff0_0000_0000_0000,
        };
        let one = one(difference.case.result);
        difference.is_of("amdgcn.fract") && difference.computed == one && difference.folded == one - 1
    }),
    ("the instruction takes denormal numbers for zero, and gives zero for them; LLVM does neither", |difference| {
        let unit = ["v_rcp_f32", "v_sqrt_f32"].iter().any(|name| difference.case.text.starts_with(name));
        unit && (difference.any(is_denormal) || is_denormal(difference.case.result, difference.folded))
    }),
    (
        "if the third source is NaN, LLVM gives the greater one of the others, but with MODE.IEEE on the smaller one",
        |difference| {
            let third = difference.values.get(2).is_some_and(|bits| difference.case.result.is_nan(*bits));
            difference.is_of("amdgcn.fmed3") && third
        },
    ),
    (
        "LLVM takes the median with -infinity for the smaller one of the others, and so loses it beside a NaN",
        |difference| difference.is_of("amdgcn.fmed3") && difference.any(Ty::is_nan) && difference.any(is_infinite),
    ),
    ("the manuals keep the sign of a zero angle; LLVM gives +0", |difference| {
        difference.is_of("amdgcn.sin") && difference.folded == 0 && difference.computed == sign(difference.case.result)
    }),
    ("a zero times anything leaves the addend as it is in the manuals; LLVM adds +0 to it", |difference| {
        let addend = difference.values.get(2).copied();
        difference.is_of("amdgcn.fma.legacy") && addend == Some(sign(Ty::Float)) && difference.folded == 0
    }),
    ("LLVM's table of 2/pi ends after 1184 bits, and a part that reaches behind it is 0", |difference| {
        difference.is_of("amdgcn.trig.preop") && difference.folded == 0
    }),
    ("the manuals use the exponent of infinities and NaN; LLVM gives NaN", |difference| {
        let infinite = |ty: Ty, bits| ty.is_nan(bits) || is_infinite(ty, bits);
        difference.is_of("amdgcn.trig.preop") && difference.any(infinite)
    }),
];

fn sign(ty: Ty) -> u64 {
    1 << (ty.bits() - 1)
}

fn is_denormal(ty: Ty, bits: u64) -> bool {
    let Some((exponent, fraction)) = ty.fields() else { return false };
    bits >> fraction & ((1 << exponent) - 1) == 0 && bits & ((1 << fraction) - 1) != 0
}

fn is_infinite(ty: Ty, bits: u64) -> bool {
    let Some((exponent, fraction)) = ty.fields() else { return false };
    bits & !sign(ty) == ((1 << exponent) - 1) << fraction
}

/// The instruction on the targets that have it, one of those on which the operation has one formula.
fn instructions(case: &Case) -> Vec<Inst> {
    let mut all: Vec<(Option<&str>, Inst)> = Vec::new();
    for &target in Target::ALL {
        let Some(inst) = case.inst(target) else { continue };
        let meaning = inst.opcode().meaning(target);
        if !all.iter().any(|(known, other)| *known == meaning && other.format() == inst.format()) {
            all.push((meaning, inst));
        }
    }
    all.into_iter().map(|(_, inst)| inst).collect()
}

/// Constants of every operation; the test prints how many LLVM folds, and the first difference of each kind.
#[test]
fn constants_that_llvm_folds_are_the_same() {
    let cases = cases();
    let mut tried: Vec<(usize, Vec<u64>)> = Vec::new();
    for (n, case) in cases.iter().enumerate() {
        // A case has the same values whatever other cases there are.
        let mut rng = Rng(case.text.bytes().fold(0, |seed, byte| seed * 31 % (1 << 50) + u64::from(byte)));
        let values = (0..).map(|_| case.arguments.iter().map(|ty| ty.value(&mut rng)).collect::<Vec<u64>>());
        let rare = RARE.iter().filter(|(text, _)| case.text.starts_with(text));
        tried.extend(rare.map(|(_, values)| (n, values.to_vec())));
        tried.extend(values.filter(|values| (case.fits)(values)).take(TRIES).map(|values| (n, values)));
    }
    let function = |(n, values): &(usize, Vec<u64>)| {
        let case = &cases[*n];
        let flushes = case.mode.is_some_and(|(key, _)| key == "denorm");
        Function { ty: case.result, body: case.body(values), flushes }
    };
    let functions: Vec<Function> = tried.iter().map(function).collect();
    let insts: Vec<Vec<Inst>> = cases.iter().map(instructions).collect();
    let mut evaluator = Evaluator::default();
    let (mut counts, mut compared) = (vec![0; cases.len()], 0);
    let mut found: BTreeMap<&str, (usize, String)> = BTreeMap::new();
    let mut others = Vec::new();
    for ((n, values), folded) in tried.iter().zip(folded(&functions)) {
        let Some(folded) = folded else { continue };
        let case = &cases[*n];
        counts[*n] += 1;
        for inst in &insts[*n] {
            compared += 1;
            let computed = case.computed(inst, values, &mut evaluator);
            if case.agrees(folded, computed) {
                continue;
            }
            let words: Vec<String> = inst.words().iter().map(|word| format!("{word:08x}")).collect();
            let (key, value) = case.mode.unwrap_or(("round", "ne"));
            let text = format!(
                "{inst} ({}, {}, {key}={value}) of {values:x?}: LLVM {folded:x}, computed {computed:x}",
                words.join(" "),
                inst.target()
            );
            let difference = Difference { case, values, folded, computed };
            match CLASSES.iter().find(|(_, is_one)| is_one(&difference)) {
                Some((reason, _)) => found.entry(reason).or_insert((0, text)).0 += 1,
                None => others.push(text),
            }
        }
    }
    for (n, case) in cases.iter().enumerate() {
        println!("{} / {}: {} constants, {} instructions", case.text, case.ir, counts[n], insts[n].len());
        assert!(counts[n] > 0 && !insts[n].is_empty(), "{} and {} are not compared", case.text, case.ir);
    }
    println!("{compared} constants of {} pairs compared", cases.len());
    for (reason, (count, first)) in &found {
        println!("{count} differ: {reason}: {first}");
    }
    assert!(others.is_empty(), "{} differ:\n{}", others.len(), others[..others.len().min(300)].join("\n"));
    for (reason, _) in CLASSES {
        assert!(found.contains_key(reason), "nothing differs any more: {reason}");
    }
}
