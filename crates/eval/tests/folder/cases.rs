//! Operations and their counterparts in LLVM's IR.

use super::types::Ty;

/// Whether arguments are in the range for which the machine and LLVM have the same rule.
pub type Fits = fn(&[u64]) -> bool;

/// A machine instruction and its counterpart in IR.
pub struct Case {
    /// The text of the instruction, with `d` as its destination, and `a`, `b` and `c` as its sources: registers as wide
    /// as the types of IR.
    pub text: String,
    /// The call or the instruction of IR. `$a` is a constant argument with its type, `%a` one without its type.
    pub ir: String,
    pub result: Ty,
    pub arguments: Vec<Ty>,
    /// The greatest allowed difference, in units of the last place.
    pub ulp: u64,
    pub fits: Fits,
    /// A setting of MODE, if it is not the default.
    pub mode: Option<(&'static str, &'static str)>,
}

fn any(_: &[u64]) -> bool {
    true
}

/// A case with an instruction, its IR, and the types `RESULT <- ARGUMENT, ...`.
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

/// Operations on floats of each width: the mnemonic, the name of the intrinsic, and the number of arguments.
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

/// Comparisons of floats: their names in mnemonics, and in IR.
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

/// Comparisons of integers: their names in mnemonics, and in IR.
const INTEGER_COMPARES: &[(&str, &str)] =
    &[("lt", "lt"), ("eq", "eq"), ("le", "le"), ("gt", "gt"), ("ne", "ne"), ("ge", "ge")];

/// Other operations: text, IR, and types.
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

/// Operations for which the machine and LLVM have the same rule only for some arguments: shifts by less than the width,
/// and positions of bits that exist.
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

pub fn cases() -> Vec<Case> {
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

/// Arithmetic in other modes. Constrained intrinsics tell LLVM how to round. An attribute of the function tells it to
/// flush denormal numbers; `fma` is not tried in that mode.
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
                // `v_rndne` rounds to the nearest in every mode.
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
