//! Checks assumptions of the library: the bits that `src/decode.rs` reads without looking in a table, and the widths of
//! numbers in `src/table.rs` and `src/inst.rs`. If a table violated an assumption, the library would silently decode
//! wrongly.

use crate::build::lower::{Target, trailing};
use crate::build::model::error::Result;
use crate::build::model::*;
use crate::build::shared::meta;

/// The bit of `trailing` for a field that can announce a literal: see `may_follow` in src/decode.rs. Fields at other
/// positions have no bit; the decoder finds them in a list.
pub fn literal(name: &str, place: Piece) -> Option<u8> {
    match (place.lsb, place.width) {
        // With the bit above it, which marks a constant, the offset has nine bits, like SRC0.
        (0, 8) if name == "offset" => Some(trailing::SRC0),
        (0, 8) => Some(trailing::SSRC0),
        (8, 8) => Some(trailing::SSRC1),
        (0, 9) => Some(trailing::SRC0),
        _ => None,
    }
}

/// The bit of `trailing` for a field that can announce a trailing dword other than a literal.
pub fn extension(t: &Target, e: &Extend, place: Piece) -> Option<u8> {
    let source = (e.code, place.lsb, place.width);
    match e.last_code == e.code {
        true if source == (t.code.sdwa, 0, 9) => Some(trailing::SDWA),
        true if source == (t.code.dpp, 0, 9) => Some(trailing::DPP),
        _ => None,
    }
}

/// The constants that `src/imm.rs` decodes, each with its parts in the order that `src/imm.rs` expects.
const CONSTANTS: [(&str, &[&str]); 6] = [
    ("waitcnt", &["vmcnt", "expcnt", "lgkmcnt"]),
    ("hwreg", &["id", "offset", "size"]),
    ("sendmsg", &["message", "op", "stream"]),
    ("gpr_idx", &["src0", "src1", "src2", "dst"]),
    ("depctr", &["hold_cnt", "sa_sdst", "va_vdst", "va_sdst", "va_ssrc", "va_vcc", "vm_vsrc"]),
    ("delay_alu", &["instid0", "instskip", "instid1"]),
];

pub fn constants(isa: &Isa) -> Result<()> {
    for e in isa.enums.iter().filter(|e| e.bits) {
        let Some((_, parts)) = CONSTANTS.iter().find(|(name, _)| *name == e.name) else {
            return e.at.err(format!("src/imm.rs knows no constant {}", e.name));
        };
        if !e.values.iter().map(|v| v.name.as_str()).eq(parts.iter().copied()) {
            return e.at.err(format!("the parts of {} are {}, as src/imm.rs has them", e.name, parts.join(", ")));
        }
    }
    Ok(())
}

/// Checks that opcode indices and forms fit in `Inst`, and opcode spaces in the five bits of `FastDecode::leads`.
pub fn counts(t: &Target) -> Result<()> {
    let forms = t.signatures.iter().flat_map(|s| s.numbered_trailing().map(|(_, form)| usize::from(form) + 1)).max();
    let counts = [
        ("opcode indices", t.operations.len(), meta::OP_INDEX),
        ("forms", forms.unwrap_or(0), meta::FORM),
        ("opcode spaces", t.opcode_spaces.len() + 1, 5),
    ];
    counts.into_iter().try_for_each(|(what, n, bits)| room(t, what, n, bits))
}

/// Checks that a number of this many bits can distinguish `n` items.
pub fn room(t: &Target, what: &str, n: usize, bits: u32) -> Result<()> {
    if n > 1 << bits {
        return t.row.at.err(format!("{} has {n} {what}, and src/ has {bits} bits for their number", t.row.name));
    }
    Ok(())
}
