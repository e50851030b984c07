//! The library parses the text that it prints for an instruction to the same words.
#![cfg(feature = "text")]

mod llvm;
mod messages;
mod parts;
mod written;

use std::collections::BTreeMap;

use crate::words;
use amdgpu_isa::{Inst, Target, parse};
use amdgpu_prove::parsed;
use words::{Rng, encodings_to_try, is_tried, legal};

/// The number of failures of each kind, and an example.
#[derive(Default)]
struct Failures(BTreeMap<String, (usize, String)>);

impl Failures {
    fn add(&mut self, what: String, example: String) {
        self.0.entry(what).or_insert((0, example)).0 += 1;
    }

    fn report(&self) {
        for (what, (count, example)) in &self.0 {
            eprintln!("{count:7} {what}: {example}");
        }
        assert!(self.0.is_empty(), "{} texts in {} classes", self.0.values().map(|f| f.0).sum::<usize>(), self.0.len());
    }
}

fn check(inst: &Inst, failures: &mut Failures) {
    let text = inst.to_string();
    let parsed = parse(inst.target(), &text);
    if let Err(fault) = parsed::check(inst, &parsed) {
        let what = format!("{} {:?}: {fault}", inst.target(), inst.format());
        match parsed {
            Ok(parsed) => {
                failures.add(what, format!("{text}: {:08x?} became {:08x?} {parsed}", inst.words(), parsed.words()));
            }
            Err(error) => {
                let span = error.span.start as usize..error.span.end as usize;
                failures.add(format!("{what}: {error}"), format!("{text} at {:?}", text.get(span)));
            }
        }
    }
}

#[test]
fn what_is_printed_parses_to_the_same_words() {
    let count = std::env::var("AMDGPU_ISA_WORDS").map_or(8, |words| words.parse::<usize>().unwrap() / 1000 + 1);
    let mut rng = Rng(19);
    let mut failures = Failures::default();
    for &target in Target::ALL {
        for encoding in encodings_to_try(target) {
            legal(target, encoding, count, &mut rng).iter().for_each(|inst| check(inst, &mut failures));
        }
    }
    failures.report();
}

/// A text that is refused, the part that the error is about, and the message.
const REFUSED: &[(&str, &str, &str)] = &[
    ("s_mov_b33 s0, s1", "s_mov_b33", "unknown mnemonic"),
    ("s_mov_b32_sdwa s0, s1", "s_mov_b32_sdwa", "the operation has no such encoding, but _e32"),
    ("s_mov_b32 s0, v1", "v1", "ssrc0 cannot be this"),
    ("s_mov_b32 s0", "s_mov_b32", "ssrc0 is missing"),
    ("v_cmp_lt_f32 64, s0, v0", "64", "vdst cannot be this"),
    ("v_cmp_lt_f32_e64 v1, s0, v0", "v1", "vdst: 2 registers expected, not 1"),
    ("v_cmp_lt_f32 v1.l, s0, v0", "v1.l", "vdst cannot be this"),
    ("ds_read_b32 v0, 100", "100", "addr cannot be this"),
    ("s_mov_b32 s0, s200", "s200", "the last such register is s101"),
    ("s_mov_b64 s[1:2], s[4:5]", "s[1:2]", "the first register has to be a multiple of 2"),
    ("s_mov_b32 s0, s[2:3]", "s[2:3]", "ssrc0: 1 register expected, not 2"),
    ("s_mov_b64 s[0:1], [s4,s6]", "s6", "the registers do not follow one another"),
    ("s_mov_b32 s0, 0x100000000", "0x100000000", "ssrc0: the constant does not fit in a literal"),
    ("s_mov_b32 s0, 4 + 0x", "0x", "not a number"),
    ("s_mov_b32 s0, 4 + ", "", "expression expected"),
    ("s_mov_b32 s0, 7 / (2 - 2)", "/ (2 - 2)", "expression expected"),
    ("s_mov_b32 s0, where", "where", "unknown name"),
    ("s_mov_b32 s0, 1+s1", "s1", "a number expected, not a register"),
    ("s_nop s0", "s0", "a number expected, not a register"),
    ("s_waitcnt vcc_lo", "vcc_lo", "a number expected, not a register"),
    ("v_madmk_f16 v0, v1, v2, v3", "v2", "a number expected, not a register"),
    ("ds_read_b32 v0, v1 offset:v2", "v2", "a number expected, not a register"),
    ("buffer_load_dword off, s[0:3], 0", "off", "only an address or the source of an export can be off"),
    ("flat_load_dword v0, v[2:3] offset:-1", "-1", "offset: a number from 0 to 4095 expected"),
    ("flat_load_dword v0, v[2:3] offset:4096", "offset", "offset of the operation cannot be 0x1000, only 0 to 4095"),
    ("s_add_u32 s0, 0x12345, 0x54321", "0x54321", "a second literal"),
    ("s_mov_b32 s0, s1 glc", "glc", "the operation has no glc"),
    ("v_fma_f32 v0, v1, v2, 3.0", "3.0", "not an inline constant, and there is no room for a literal"),
    ("v_add_f32_e64 v0, s1, s2", "s2", "2 different scalars are read, and the constant bus carries 1"),
    ("v_mov_b64_e32 v[1:2], v[4:5]", "v[1:2]", "vdst: v1 is misaligned"),
    ("ds_read_b32 v0, v1 offset:65536", "65536", "offset: a number from 0 to 65535 expected"),
    ("buffer_load_dword v0, off, s[0:3], 0 sc0 offset:4", "offset", "offset has to come before the other modifiers"),
    ("buffer_load_dword v0, off, s[0:3], 0 sc0 sc0", "sc0", "sc0 is here twice"),
    ("v_add_f32_dpp v0, v1, v2 row_shl:0", "0", "dpp_ctrl: a number from 1 to 15 expected"),
    ("v_add_f32_dpp v0, v1, v2", "v_add_f32_dpp", "dpp_ctrl is missing"),
    ("v_pk_add_f16 v0, v1, v2 op_sel:0,1]", "0", "`[` expected"),
    ("v_pk_add_f16 v0, v1, v2 op_sel:[0,1", "", "`]` expected"),
    ("s_waitcnt vmcnt(0) &", "", "simm16 has no such value"),
    ("s_sendmsg sendmsg(MSG_GS)", "MSG_GS", "op is missing"),
    ("s_sendmsg sendmsg(255)", "255", "255 does not fit in the 4 bits of message"),
    ("s_waitcnt vmcnt(64)", "64", "simm16: a number from 0 to 63 expected"),
    ("s_waitcnt vmcnt(0", "", "`)` expected"),
];

#[test]
#[cfg(feature = "gfx942")]
fn errors_say_where_and_what() {
    for (text, part, message) in REFUSED {
        let error = parse(Target::Gfx942, text).unwrap_err();
        let span = error.span.start as usize..error.span.end as usize;
        assert_eq!((text.get(span.clone()), error.to_string().as_str()), (Some(*part), *message), "{text}: {span:?}");
    }
}

/// A comment is not part of the instruction, and one line holds one instruction.
#[test]
#[cfg(feature = "gfx942")]
fn comments_and_lines() {
    let words = |text: &str| parse(Target::Gfx942, text).map(|inst| inst.words().to_vec()).ok();
    let plain = words("buffer_load_dword v0, v1, s[0:3], 0 offen");
    assert!(plain.is_some());
    for text in [
        "buffer_load_dword v0, v1, s[0:3], 0 offen // not lds",
        "buffer_load_dword v0, v1, s[0:3], 0 offen ; lds",
        "buffer_load_dword v0, v1, /* lds */ s[0:3], 0 offen",
        "\n// lds\r\n  buffer_load_dword v0, v1, s[0:3], 0 offen\n; lds\n\n",
    ] {
        assert_eq!(words(text), plain, "{text:?}");
    }
    assert_ne!(words("buffer_load_dword v0, s[0:3], 0 offen lds"), plain);
    for text in ["s_nop 0\ns_nop 0", "s_mov_b32 s0,\ns1", "// s_nop 0", ""] {
        assert_eq!(words(text), None, "{text:?}");
    }
}

const ANY: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyz[](){}|-+*/%~!:,.<>=&^\"_ \t/*;\xe9";

/// The parser panics for no text: the test cuts texts off, changes their bytes, and nests brackets deeply.
#[test]
fn every_text_is_an_instruction_or_an_error() {
    let mut rng = Rng(3);
    for &target in Target::ALL {
        for encoding in encodings_to_try(target).into_iter().filter(|e| is_tried(target, e.2, 8)) {
            for inst in legal(target, encoding, 2, &mut rng) {
                let text = inst.to_string();
                for n in 0..text.len() {
                    let _ = parse(target, &text[..n]);
                }
                let mut bytes = text.into_bytes();
                for _ in 0..4 {
                    let at = rng.number() as usize % bytes.len();
                    bytes[at] = ANY[rng.number() as usize % ANY.len()];
                    let _ = parse(target, &String::from_utf8_lossy(&bytes));
                }
            }
        }
    }
    for opening in ["(", "[", "-", "|", "neg(", "/*"] {
        let deep = "s_mov_b32 s0, ".to_string() + &opening.repeat(100_000);
        assert!(Target::ALL.iter().all(|target| parse(*target, &deep).is_err()), "{opening}");
    }
}

/// The bits of a number as the operand of an operation on doubles, on CDNA5, where a literal can have all 64 bits.
#[cfg(feature = "gfx1250")]
fn double(text: &str) -> Option<u64> {
    use amdgpu_isa::Value;
    let form = amdgpu_isa::text::signatures(Target::Gfx1250, "v_add_f64").next().expect("the operation");
    let operand = form.operands().nth(1).expect("a source").parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    match operand.value {
        Value::Literal64 => operand.literal64,
        Value::Float(float) => Some(float.to_f64().to_bits()),
        Value::Literal(high) => Some(u64::from(high) << 32),
        // The least doubles have the bits of small integers.
        Value::Int(n) => u64::try_from(n).ok(),
        other => panic!("{text}: {other:?}"),
    }
}

/// Hexadecimal numbers are rounded once, also to doubles of fewer than 53 bits.
#[cfg(feature = "gfx1250")]
#[test]
fn hexadecimal_numbers_are_the_nearest_floats() {
    for (text, bits) in [
        ("0x1.8p1", 3f64.to_bits()),
        ("-0x1.8p-1022", (-1.5 * f64::MIN_POSITIVE).to_bits()),
        ("0x1.fffffffffffff8p1023", f64::INFINITY.to_bits()),
        ("0x1.fffffffffffff7p1023", f64::MAX.to_bits()),
        ("0x1.00000000000008p0", 1f64.to_bits()),
        ("0x1.00000000000008000000001p0", 1f64.to_bits() + 1),
        ("0x1.00000000000018p0", 1f64.to_bits() + 2),
        // Rounded to 53 bits first, the number would be halfway between two numbers of 52 bits.
        ("0x1.0000000000002cp-1023", (1 << 51) + 1),
        ("0x1p-1074", 1),
        ("0x1p-1075", 0),
        ("0x1.00000001p-1075", 1),
        ("0x0.0p9", 0),
        ("0x1p99999", f64::INFINITY.to_bits()),
        ("0x1p-99999", 0),
    ] {
        assert_eq!(double(text), Some(bits), "{text}");
    }
}

/// Decimal numbers are rounded once, to the nearest float, as by Rust's own parser. The library does not use Rust's
/// parser, because that has code that can panic.
#[cfg(feature = "gfx1250")]
#[test]
fn decimal_numbers_are_the_nearest_floats() {
    let check = |text: &str| {
        let theirs: f64 = text.parse().expect("a number");
        assert_eq!(double(text), Some(theirs.to_bits()), "{text}");
    };
    let mut rng = Rng(5);
    for n in 0..40_000 {
        // The shortest text of a number, texts with more and with fewer digits, and the text with all digits.
        let bits = rng.number();
        let (exponent, value) = (bits >> 52 & 0x7ff, f64::from_bits(bits & !(1 << 63)));
        if exponent == 0x7ff {
            continue;
        }
        check(&format!("{value:e}"));
        if n % 8 == 0 {
            check(&format!("{value:.1100}"));
            check(&format!("-{value:.20e}"));
            let least = f64::from_bits(rng.number() & 0xffff_ffff);
            check(&format!("{least:e}"));
        }
        let digits = rng.number();
        check(&format!("{}.{}e{}", digits % 1000, rng.number(), rng.number() as i64 % 340));
    }
    for text in [
        "0.0",
        "0.0e9",
        "0.5",
        "1e22",
        "1e23",
        "9007199254740993.0",
        "9007199254740992.9999999999999999",
        "1e308",
        "1.8e308",
        "1e310",
        "1e999999999999999999999",
        "1e-999999999999999999999",
        "4.9e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "0.000000000000000000000000000000000001e36",
    ] {
        check(text);
    }
    // The least number with all its digits, and a number with a nonzero digit after a long row of zeros.
    check(&format!("{:.1080}", f64::from_bits(1)));
    let middle = "9007199254740993.".to_string() + &"0".repeat(2000);
    check(&middle);
    check(&(middle + "1"));
    check(&("0.".to_string() + &"0".repeat(2000) + "1e2001"));
    check(&("1".to_string() + &"0".repeat(2000) + ".0e-2000"));
}

/// A message names the part that is wrong, at its place.
#[cfg(feature = "all-targets")]
#[test]
fn parts_that_are_wrong_are_named_at_their_place() {
    let cases = [
        ("gfx1100", "s_getreg_b32 s0, hwreg(99)", 23, "id: a number from 0 to 63 expected"),
        ("gfx1100", "s_getreg_b32 s0, hwreg(HW_REG_MODE, 32, 1)", 36, "offset: a number from 0 to 31 expected"),
        ("gfx1100", "s_getreg_b32 s0, hwreg(HW_REG_MODE, 0, 33)", 39, "size: a number from 1 to 32 expected"),
        ("gfx1100", "s_getreg_b32 s0, hwreg(HW_REG_MODE, 0, 0)", 39, "size: a number from 1 to 32 expected"),
        ("gfx1100", "s_delay_alu instid0(FOO)", 20, "instid0 has no such value"),
        ("gfx900", "v_add_f32_dpp v0, v1, v2 row_share:3 row_mask:0xf", 25, "dpp_ctrl has no such value"),
        ("gfx1100", "v_add_f32_dpp v0, v1, v2 row_bcast:15", 25, "dpp_ctrl has no such value"),
        ("gfx1100", "v_add_f32 v0, v1, v2 glc", 21, "the operation has no glc"),
        ("gfx1100", "v_add_f32_dpp v0, v1, v2", 0, "dpp_ctrl is missing"),
        (
            "gfx1200",
            "image_load v[0:3], v[4:5], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D",
            19,
            "vaddr0: the encoding takes a list `[v1, v2]` where the text has a run, or the reverse",
        ),
    ];
    for (target, text, column, message) in cases {
        let target: amdgpu_isa::Target = target.parse().expect("a target");
        let error = amdgpu_isa::parse(target, text).expect_err(text);
        assert_eq!((error.span.start, error.to_string().as_str()), (column, message), "{target} {text}");
    }
    let suggest = |target: &str, text: &str| {
        let target: amdgpu_isa::Target = target.parse().expect("a target");
        let error = amdgpu_isa::parse(target, text).expect_err(text);
        amdgpu_isa::text::Suggestion::for_error(target, text, &error).elsewhere.map(|other| other.name())
    };
    assert_eq!(suggest("gfx942", "s_mov_b32 s0, null"), Some("gfx1010"));
    assert_eq!(suggest("gfx1100", "exp param3 v0, v1, v2, v3"), Some("gfx600"));
    assert_eq!(suggest("gfx900", "v_add_f32_dpp v0, v1, v2 row_share:3"), Some("gfx1010"));
}
