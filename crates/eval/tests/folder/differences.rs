//! Known differences, and their reasons.

use super::cases::Case;
use super::types::Ty;

/// A constant that LLVM folds to other bits.
pub struct Difference<'a> {
    pub case: &'a Case,
    pub values: &'a [u64],
    pub folded: u64,
    pub computed: u64,
}

impl Difference<'_> {
    fn is_of(&self, intrinsic: &str) -> bool {
        self.case.ir.contains(&format!("@llvm.{intrinsic}"))
    }

    fn any(&self, is_it: impl Fn(Ty, u64) -> bool) -> bool {
        self.case.arguments.iter().zip(self.values).any(|(ty, bits)| is_it(*ty, *bits))
    }
}

/// The reason of a kind of difference, and whether a difference is of that kind. Each kind has to occur.
pub type Class = (&'static str, fn(&Difference) -> bool);

pub const CLASSES: &[Class] = &[
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
    ("LLVM's table of 2/pi ends after 1184 bits, and a part that reaches beyond it is 0", |difference| {
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
