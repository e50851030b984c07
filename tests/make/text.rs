//! Compares a disassembled instruction with the requested one.

use amdgpu_isa::{Opcode, Target, decode_words};

/// The operands and the modifiers of a text, which commas and spaces outside of brackets separate.
fn split(text: &str) -> (Vec<String>, Vec<String>) {
    let (mut pieces, mut depth) = (vec![String::new()], 0);
    for c in text.chars() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        if c == ',' && depth == 0 {
            pieces.push(String::new());
        } else {
            pieces.last_mut().expect("there is one").push(c);
        }
    }
    let mut modifiers = Vec::new();
    if let Some(last) = pieces.last_mut() {
        let mut words: Vec<String> = Vec::new();
        let mut depth = 0;
        for word in last.split(' ').filter(|w| !w.is_empty()) {
            let inside = depth > 0;
            depth += word.matches(['(', '[']).count() as i32 - word.matches([')', ']']).count() as i32;
            match words.last_mut() {
                Some(before) if inside => *before += &format!(" {word}"),
                _ => words.push(word.into()),
            }
        }
        let operand = words.first().filter(|w| !is_modifier(w)).cloned();
        modifiers = words.into_iter().skip(usize::from(operand.is_some())).collect();
        *last = operand.unwrap_or_default();
    }
    let operands = pieces.into_iter().map(|p| p.trim().to_string()).filter(|p| !p.is_empty()).collect();
    (operands, modifiers)
}

fn is_modifier(word: &str) -> bool {
    const FLAGS: [&str; 13] = [
        "row_mirror",
        "row_half_mirror",
        "gds",
        "glc",
        "slc",
        "lds",
        "idxen",
        "offen",
        "sc0",
        "sc1",
        "nt",
        "nv",
        "scale_offset",
    ];
    FLAGS.contains(&word) || word.split('[').next().is_some_and(|head| head.contains(':'))
}

/// Whether a modifier is printed even by default.
fn is_default(modifier: &str) -> bool {
    const ALWAYS: [&str; 11] = [
        "wait_exp:0",
        "wait_vdst:0",
        "wait_va_vdst:0",
        "wait_vm_vsrc:0",
        // On RDNA4 this modifier follows a register.
        "offset:0x0",
        "dst_sel:DWORD",
        "dst_unused:UNUSED_PRESERVE",
        "src0_sel:DWORD",
        "src1_sel:DWORD",
        "row_mask:0xf",
        "bank_mask:0xf",
    ];
    ALWAYS.contains(&modifier)
}

const DPP: [&str; 11] = [
    "row_share",
    "row_xmask",
    "quad_perm",
    "row_shl",
    "row_shr",
    "row_ror",
    "wave_",
    "row_mirror",
    "row_half_mirror",
    "row_bcast",
    "row_newbcast",
];

/// The text of a source with the signs of its modifiers, such as `neg0`.
fn signs(name: &'static str, text: &str, modifiers: &[String]) -> String {
    let number = match name {
        "src0" => '0',
        "src1" | "vsrc1" => '1',
        "src2" => '2',
        _ => return text.into(),
    };
    let has = |what: &str| modifiers.iter().any(|m| *m == format!("{what}{number}"));
    let (neg, abs, sext) = (has("neg"), has("abs"), has("sext"));
    let constant = text.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let mut out = if sext { format!("sext({text})") } else { text.to_string() };
    if abs {
        out = format!("|{out}|");
    }
    match (neg, abs, constant) {
        (true, false, true) => format!("neg({out})"),
        (true, ..) => format!("-{out}"),
        _ => out,
    }
}

pub fn compare(
    name: &str,
    opcode: Opcode,
    target: Target,
    operands: &[(&'static str, String)],
    modifiers: &[String],
    text: &str,
) -> Result<(), String> {
    let _ = decode_words;
    let (mnemonic, rest) = text.split_once(' ').unwrap_or((text, ""));
    let spelled =
        ["_e64_dpp", "_e32", "_e64", "_sdwa", "_dpp"].iter().fold(mnemonic, |m, s| m.strip_suffix(s).unwrap_or(m));
    let known = |m: &str| m == opcode.name() || spellings(opcode, target).contains(&m.to_string());
    if !known(spelled) && !known(mnemonic) {
        return Err(format!("mnemonic: {mnemonic}"));
    }
    // LLVM gives both kinds of DPP one suffix.
    let name = name.strip_suffix('8').filter(|n| n.ends_with("_dpp")).unwrap_or(name);
    let suffix = |s: &str| name.ends_with(s) == mnemonic.ends_with(s) || !mnemonic.contains(s) && bare(name, target);
    if !["_e32", "_e64", "_sdwa", "_dpp"].iter().all(|s| suffix(s)) {
        return Err(format!("encoding: {mnemonic}"));
    }
    // The target of an export precedes the first operand, without a comma.
    let rest = if opcode.name() == "exp" { rest.replacen(' ', ", ", 1) } else { rest.to_string() };
    if operands.len() == 1 && operands[0].1 == "?" {
        return Ok(());
    }
    let (said, flags) = split(&rest);
    let double = !flags.iter().chain(&said).any(|f| f.starts_with("neg:"));
    let mut said = said.iter().peekable();
    // The text of FLAT does not show the absence of a scalar address.
    let absent = |meant: &(&str, String)| name.starts_with("flat_") && meant.0 == "saddr" && meant.1 == "off";
    for (field, meant) in operands.iter().filter(|meant| !absent(meant)) {
        let meant = if double { signs(field, meant, modifiers) } else { meant.clone() };
        let meant = if name.starts_with("s_cmp_") && name.ends_with("_f16") { half_bits(meant) } else { meant };
        // LLVM 22 prints the whole register: "half as the destination of a packed shift".
        let half = meant.strip_suffix(".l").or(meant.strip_suffix(".h"));
        let is_whole = *field == "vdst" && name.starts_with("v_ashr_pk_");
        let meant = half.filter(|_| is_whole).map(str::to_string).unwrap_or(meant);
        loop {
            match said.next() {
                // The text shows VCC, but no field names it.
                Some(s) if ["vcc", "vcc_lo"].contains(&s.as_str()) && meant != *s => continue,
                Some(s) if *s == meant || meant == "?" => break,
                // vcc may be shown before an operand that is vcc.
                other => {
                    if meant == "0" && *field == "simm16" && other.is_none() {
                        break;
                    }
                    return Err(format!("{field}: {other:?} is not {meant}"));
                }
            }
        }
    }
    if let Some(s) = said.find(|s| !["vcc", "vcc_lo"].contains(&s.as_str())) {
        return Err(format!("more: {s}"));
    }
    let modifiers: &[String] = &modifiers.iter().map(|m| temporal(name, m, modifiers)).collect::<Vec<_>>();
    let plain = |m: &&String| !["neg", "abs", "sext"].iter().any(|p| m.starts_with(p) && m.len() <= 5 && double);
    // LLVM does not print the cache policy of scalar prefetches: "cache policy of a scalar prefetch".
    let is_shown = |m: &&String| {
        !name.contains("_prefetch_") || !["th:", "scope:", "nv"].iter().any(|policy| m.starts_with(policy))
    };
    for meant in modifiers.iter().filter(plain).filter(is_shown) {
        let there = |f: &String| {
            f == meant
                || meant == "dpp_ctrl" && DPP.iter().any(|d| f.starts_with(d))
                || meant == "bound_ctrl" && f.starts_with("bound_ctrl:")
                || meant.starts_with("offset:") && f.starts_with("offset:swizzle")
                || meant.starts_with("neg") && f.starts_with("neg:")
        };
        if !flags.iter().any(there) {
            return Err(format!("{meant} is missing"));
        }
    }
    for flag in &flags {
        let there = |m: &String| {
            m == flag
                || m == "dpp_ctrl" && DPP.iter().any(|d| flag.starts_with(d))
                || m == "bound_ctrl" && flag.starts_with("bound_ctrl:")
                || m.starts_with("offset:") && flag.starts_with("offset:swizzle")
                || m.starts_with("neg") && flag.starts_with("neg:")
        };
        let format = ["format:", "dfmt:", "nfmt:"].iter().any(|p| flag.starts_with(p));
        // In these operations the bit is always one.
        let always = flag == "gds"
            && ["ds_gws_", "ds_ordered", "ds_add_gs", "ds_sub_gs"].iter().any(|p| name.starts_with(p))
            || flag == "lds" && name == "buffer_store_lds_dword";
        if !modifiers.iter().any(there) && !is_default(flag) && !format && !always {
            return Err(format!("{flag} was not meant"));
        }
    }
    Ok(())
}

/// LLVM prints inline floats of scalar compares of 16 bits as their bits: "constant in a scalar compare of 16 bits".
fn half_bits(text: String) -> String {
    let bits = match text.trim_start_matches('-') {
        "0.5" => 0x3800,
        "1.0" => 0x3c00,
        "2.0" => 0x4000,
        "4.0" => 0x4400,
        _ => return text,
    };
    format!("{:#x}", if text.starts_with('-') { bits | 0x8000 } else { bits })
}

/// The name of a temporal hint, which the text has instead of the number; other modifiers as they are.
fn temporal(name: &str, modifier: &str, all: &[String]) -> String {
    let Some(value) = modifier.strip_prefix("th:").and_then(|n| n.parse::<usize>().ok()) else {
        return modifier.into();
    };
    let has = |scope: &str| all.iter().any(|m| *m == format!("scope:{scope}"));
    let (system, device) = (has("SCOPE_SYS"), has("SCOPE_DEV"));
    let (kind, names) = match () {
        _ if name.contains("_atomic_") => {
            ("ATOMIC", ["RT", "RETURN", "NT", "NT_RETURN", "CASCADE_RT", "CASCADE_RT", "CASCADE_NT", "CASCADE_NT"])
        }
        _ if name.contains("store") || name.starts_with("tensor_s") => {
            ("STORE", ["RT", "NT", "HT", if system { "BYPASS" } else { "WB" }, "NT_RT", "RT_NT", "NT_HT", "NT_WB"])
        }
        _ => ("LOAD", ["RT", "NT", "HT", if system { "BYPASS" } else { "LU" }, "NT_RT", "RT_NT", "NT_HT", ""]),
    };
    match names[value & 7] {
        "" => format!("th:{value:#x}"),
        cascade if cascade.starts_with("CASCADE") && !system && !device => format!("th:TH_ATOMIC_{value:#x}"),
        name => format!("th:TH_{kind}_{name}"),
    }
}

/// The spellings of an operation on a target.
fn spellings(opcode: Opcode, target: Target) -> Vec<String> {
    let mut rng = crate::words::Rng(3);
    let encodings: Vec<_> = opcode.encodings(target).collect();
    let all = encodings.iter().flat_map(|e| crate::words::legal(target, (e.format, e.number, opcode), 1, &mut rng));
    all.map(|inst| inst.mnemonic().to_string()).collect()
}

/// Whether the text omits the suffix.
fn bare(name: &str, target: Target) -> bool {
    let compare = name.starts_with("v_cmp") && target.name().starts_with("gfx8");
    let dpp = name.starts_with("v_cmp") && name.ends_with("_dpp") && target.processor().starts_with("gfx1");
    compare && name.ends_with("_sdwa")
        || dpp
        || ["v_nop", "v_clrexcp", "v_pipeflush", "v_cvt_pk_f16_bf8", "v_cvt_pk_f16_fp8"]
            .iter()
            .any(|bare| name.starts_with(bare))
}
