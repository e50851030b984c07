//! Random modifiers, by every method of a set.

use amdgpu_isa::make::{BuildError, Code, sets};

use crate::case::{Case, Fault, signed_hex};

/// Calls some of the methods for modifiers.
pub trait Modify {
    fn modify(self, case: &mut Case) -> Self;
}

const SELECTS: [&str; 7] = ["BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"];
const UNUSED: [&str; 3] = ["UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"];

fn list(bits: u8, used: u8) -> String {
    let n = 8 - used.leading_zeros();
    let there = |i: &u32| used >> i & 1 == 1;
    let all: Vec<String> = (0..n).filter(there).map(|i| (bits >> i & 1).to_string()).collect();
    format!("[{}]", all.join(","))
}

fn sign(case: &mut Case, what: &str, mask: u8) -> Option<u8> {
    if case.wants(Fault::Source) {
        let source = (0..=3).find(|n| mask >> n & 1 == 0)?;
        return Some(source);
    }
    let source = (case.rng.number() % 3) as u8;
    if case.coin() || mask >> source & 1 == 0 {
        return None;
    }
    case.modifiers.push(format!("{what}{source}"));
    Some(source)
}

fn number(case: &mut Case, name: &str, width: u32) -> Option<u16> {
    let value = if width < 16 && case.wants(Fault::Range) {
        case.out_of_range(width, false).max(1 << width)
    } else if case.coin() {
        return None;
    } else if name.ends_with("_scale_fmt") {
        // Only 0 is a valid format of both scales whatever the formats of the factors are.
        0
    } else {
        case.in_range(width, false)
    };
    case.modifier(name, value);
    if name.ends_with("_scale_fmt") && value == 0 {
        return Some(0);
    }
    if name == "simm16" {
        case.operands.push(("simm16", value.to_string()));
    }
    if !["dfmt", "nfmt", "format", "simm16"].contains(&name) {
        let mask = name.ends_with("_mask");
        case.modifiers.push(match names(name) {
            [] if mask => format!("{name}:{value:#x}"),
            [] => format!("{name}:{value}"),
            names => format!("{name}:{}", names.get(value as usize).map_or(value.to_string(), |n| n.to_string())),
        });
    }
    Some(value as u16)
}

/// The names of a modifier's values, if they have names.
pub fn names(modifier: &str) -> &'static [&'static str] {
    match modifier {
        "matrix_a_fmt" | "matrix_b_fmt" => {
            &["MATRIX_FMT_FP8", "MATRIX_FMT_BF8", "MATRIX_FMT_FP6", "MATRIX_FMT_BF6", "MATRIX_FMT_FP4"]
        }
        "matrix_a_scale" | "matrix_b_scale" => &["MATRIX_SCALE_ROW0", "MATRIX_SCALE_ROW1"],
        "matrix_a_scale_fmt" | "matrix_b_scale_fmt" => {
            &["MATRIX_SCALE_FMT_E8", "MATRIX_SCALE_FMT_E5M3", "MATRIX_SCALE_FMT_E4M3"]
        }
        _ => &[],
    }
}

fn table_text(table: u8) -> String {
    if table <= 10 { table.to_string() } else { format!("{table:#x}") }
}

macro_rules! method {
    ($code:ident $case:ident flag $name:ident) => {
        match $code.$name() {
            // Another field may exclude the modifier, as the parser refuses the text.
            with if $case.coin() && !matches!(with.words(), Err(BuildError::Excluded { .. })) => {
                $case.modifier(stringify!($name), 1);
                let shown = if stringify!($name) == "fi" { "fi:1" } else { stringify!($name) };
                $case.modifiers.push(shown.into());
                with
            }
            _ => $code,
        }
    };
    ($code:ident $case:ident tfe) => {
        if $case.rng.below(4) == 0 {
            $case.modifier("tfe", 1);
            $case.modifiers.push("tfe".into());
            $case.widen();
            $code.tfe()
        } else {
            $code
        }
    };
    ($code:ident $case:ident compr) => {
        if $case.coin() {
            $case.modifier("compr", 1);
            $case.modifiers.push("compr".into());
            $code.compr()
        } else {
            $code
        }
    };
    ($code:ident $case:ident bitop3) => {{
        let table = $case.rng.number() as u8;
        $case.modifier("omod", table.into());
        if table != 0 {
            $case.modifiers.push(format!("bitop3:{}", table_text(table)));
        }
        $code.bitop3(table)
    }};
    ($code:ident $case:ident omod) => {
        match $case.rng.below(6) {
            n @ 0..=2 => {
                $case.modifier("omod", n as i64 + 1);
                $case.modifiers.push(["mul:2", "mul:4", "div:2"][n].into());
                match n {
                    0 => $code.mul2(),
                    1 => $code.mul4(),
                    _ => $code.div2(),
                }
            }
            _ => $code,
        }
    };
    ($code:ident $case:ident value $name:ident $width:literal) => {
        match number($case, stringify!($name), $width) {
            Some(value) => $code.$name(value),
            None => $code,
        }
    };
    ($code:ident $case:ident offset $width:literal $signed:literal) => {{
        let value = if $case.wants(Fault::Range) {
            $case.out_of_range($width, $signed == 1)
        } else if $case.coin() {
            0
        } else {
            $case.in_range($width, $signed == 1)
        };
        $case.modifier("offset", value);
        if value != 0 {
            $case.modifiers.push(format!("offset:{value}"));
        }
        $code.offset(value as i32)
    }};
    ($code:ident $case:ident plus $width:literal $signed:literal) => {
        match ($case.coin(), $case.given_offset) {
            (true, Some(register)) => {
                let range = $case.wants(Fault::Range);
                let value =
                    if range { $case.out_of_range($width, $signed == 1) } else { $case.in_range($width, $signed == 1) };
                $case.modifier("offset", value);
                $case.builder = $case.builder.soffset(register);
                if value != 0 {
                    $case.modifiers.push(format!("offset:{}", signed_hex(value)));
                } else {
                    $case.modifiers.push("offset:0x0".into());
                }
                $code.plus(value as i32)
            }
            _ => $code,
        }
    };
    ($code:ident $case:ident choice $name:ident $max:literal) => {{
        let value = if $case.wants(Fault::Range) { $max + 1 } else { $case.rng.below($max + 1) as u16 };
        let names: &[&str] = if $max == 6 { &SELECTS } else { &UNUSED };
        $case.modifier(stringify!($name), value.into());
        $case.modifiers.push(format!("{}:{}", stringify!($name), names.get(usize::from(value)).unwrap_or(&"")));
        $code.$name(value)
    }};
    ($code:ident $case:ident source $name:ident $mask:literal) => {
        match sign($case, stringify!($name), $mask) {
            Some(source) => {
                $case.builder = $case.builder.$name(source);
                $code.$name(source)
            }
            None => $code,
        }
    };
    ($code:ident $case:ident byte_sel $field:ident) => {{
        let value = if $case.wants(Fault::Range) { 4 + $case.rng.below(252) } else { $case.rng.below(4) };
        $case.modifier(stringify!($field), value as i64);
        if value != 0 {
            $case.modifiers.push(format!("byte_sel:{value}"));
        }
        $code.byte_sel(value as u8)
    }};
    ($code:ident $case:ident scope) => {{
        let value = if $case.wants(Fault::Range) { 4 + $case.rng.below(9) } else { $case.rng.below(4) };
        $case.modifier("scope", value as i64);
        if let name @ 1.. = value {
            $case
                .modifiers
                .push(format!("scope:{}", ["", "SCOPE_SE", "SCOPE_DEV", "SCOPE_SYS"].get(name).unwrap_or(&"")));
        }
        $code.scope(value as u16)
    }};
    // `$returns`: 0 or 1 if two functions differ in the lowest bit, else 2. `$values`: a bit for each value that the
    // operation can have.
    ($code:ident $case:ident th $width:literal $returns:literal $values:literal) => {{
        let wrong = $case.wants(Fault::Range);
        let can_be = |value: u16| $values >> (if $returns == 1 { value | 1 } else { value }) & 1 == 1;
        let value = match ($case.rng.below(1 << $width) as u16, $returns) {
            (value, _) if wrong => {
                if can_be(value) {
                    1 << $width
                } else {
                    value
                }
            }
            (value, _) if !can_be(value) => 0,
            (value, 0) => value & !1,
            (value, _) => value,
        };
        let all = if $returns == 1 { value | 1 } else { value };
        $case.modifier("th", value.into());
        if all != 0 {
            $case.modifiers.push(format!("th:{all}"));
        }
        $code.th(value)
    }};
    ($code:ident $case:ident list $name:ident $used:literal $shown:literal $all:literal) => {{
        let value =
            if $used != 15 && $case.wants(Fault::Source) { !$used & 15 } else { $case.rng.number() as u8 & $used };
        let field = if stringify!($name) == "neg_lo" { "neg" } else { stringify!($name) };
        let (decided, bits) = if $shown >= 10 { $case.halves } else { (0, 0) };
        let mut value: u8 = value & !decided | bits;
        // The bits that select halves of registers are inverted.
        if decided != 0 && $case.wants(Fault::Source) {
            value ^= decided;
        }
        let called = $shown < 10 || value != bits || $case.coin();
        if called {
            $case.modifier(field, value.into());
        }
        let (default, shown) = (if $shown == 1 { $all } else { 0 }, $shown % 10);
        if value != default || shown == 3 {
            let used = match shown {
                4 => 15,
                2.. => 7,
                // The list has the bit of a source before that of the destination.
                _ if $all == 8 => 9,
                _ => $all,
            };
            $case.modifiers.push(format!("{}:{}", stringify!($name), list(value, used)));
        }
        if called { $code.$name(value) } else { $code }
    }};
}

macro_rules! set {
    ($name:ident [$(($($method:tt)*))*]) => {
        impl Modify for Code<sets::$name> {
            #[allow(unused_variables)]
            fn modify(self, case: &mut Case) -> Self {
                let code = self;
                $(let code = method!(code case $($method)*);)*
                code
            }
        }
    };
}
every_set!(set);
