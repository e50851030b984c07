//! What the library takes for granted: bits that `src/decode.rs` looks at without asking a table, and the widths of
//! the numbers in `src/table.rs` and `src/inst.rs`. A table that says otherwise would be decoded wrongly, silently.

use crate::build::error::{Place, Result};
use crate::build::lower::{Item, Target, tail};
use crate::build::model::*;

/// Fails unless a field is one run of bits from `lsb`, of `width` bits; a width of 0 leaves it open.
fn lies(at: &Place, who: &str, name: &str, bits: Option<Bits>, lsb: u8, width: u8) -> Result<()> {
    let there = bits.is_some_and(|b| b.pieces.len() == 1 && b.pieces[0].lsb == lsb && [0, b.width()].contains(&width));
    if there {
        return Ok(());
    }
    let place = match width {
        0 => format!("from bit {lsb}"),
        1 => format!("at bit {lsb}"),
        _ => format!("at bits {}:{lsb}", lsb + width - 1),
    };
    at.err(format!("{who} expects `{name}` {place}, where src/decode.rs looks for it"))
}

/// Rules that tie several fields: `ties` in src/decode.rs.
///
/// `Ok(false)`: the fields lie elsewhere, and a slower rule, which asks the item for its size, must do.
pub fn ties(at: &Place, item: &Item, field: impl Fn(&str) -> Option<Bits>) -> Result<bool> {
    let places: &[(&str, u8, u8)] = match item.kind.as_str() {
        "buf_vaddr" => &[("", 32, 8), ("offen", 12, 1), ("idxen", 13, 1)],
        "buf_data" if item.field == "vdst" => &[("", 56, 8), ("glc", 16, 1), ("tfe", 55, 1), ("acc", 55, 1)],
        "buf_data" => &[("acc", 55, 1)],
        "mimg_data" | "mimg_gather" | "mimg_atomic" | "mimg_cmpswap" => {
            &[("", 40, 8), ("dmask", 8, 4), ("tfe", 16, 1), ("d16", 63, 1)]
        }
        "global_addr" => &[("", 32, 8), ("saddr", 48, 7)],
        "smem_offset" => &[("", 32, 0), ("soffset_en", 14, 1), ("imm", 17, 1), ("soffset", 57, 7)],
        _ => &[],
    };
    for &(name, lsb, width) in places {
        let name = if name.is_empty() { &item.field } else { name };
        // Not every generation has these.
        if ["soffset_en", "soffset", "d16", "acc", "tfe", "glc"].contains(&name) && field(name).is_none() {
            continue;
        }
        match lies(at, &item.kind, name, field(name), lsb, width) {
            Err(_) if item.kind == "mimg_data" => return Ok(false),
            placed => placed?,
        }
    }
    Ok(true)
}

/// The bit of the tail that says of a field that a code in it announces a literal: `may_follow` in src/decode.rs. Fields
/// elsewhere have none; the decoder finds them in a list.
pub fn literal(name: &str, place: Piece) -> Option<u8> {
    match (place.lsb, place.width) {
        // A scalar offset, and above it the flag that says "constant": nine bits too.
        (0, 8) if name == "offset" => Some(tail::SRC0),
        (0, 8) => Some(tail::SSRC0),
        (8, 8) => Some(tail::SSRC1),
        (0, 9) => Some(tail::SRC0),
        _ => None,
    }
}

/// The same for an extension.
pub fn extension(t: &Target, e: &Extend, place: Piece) -> Option<u8> {
    let source = (e.code, place.lsb, place.width);
    match e.last_code == e.code {
        true if source == (t.code.sdwa, 0, 9) => Some(tail::SDWA),
        true if source == (t.code.dpp, 0, 9) => Some(tail::DPP),
        _ => None,
    }
}

/// The constants that `src/imm.rs` takes apart, and their parts, in its order.
const CONSTANTS: [(&str, &[&str]); 4] = [
    ("waitcnt", &["vmcnt", "expcnt", "lgkmcnt"]),
    ("hwreg", &["id", "offset", "size"]),
    ("sendmsg", &["message", "op", "stream"]),
    ("gpr_idx", &["src0", "src1", "src2", "dst"]),
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

/// Slots, forms and targets are numbers of 13, 3 and 5 bits in `Inst`; families have five bits in `HotTables::leads`.
pub fn counts(t: &Target) -> Result<()> {
    let forms = t.shapes.iter().flat_map(|s| s.numbered_follows().map(|(_, form)| usize::from(form) + 1)).max();
    let counts =
        [("slots", t.slots.len(), 13), ("forms", forms.unwrap_or(0), 3), ("families", t.families.len() + 1, 5)];
    counts.into_iter().try_for_each(|(what, n, bits)| room(t, what, n, bits))
}

/// Fails unless a number of so many bits tells `n` things apart.
pub fn room(t: &Target, what: &str, n: usize, bits: u32) -> Result<()> {
    if n > 1 << bits {
        return t.row.at.err(format!("{} has {n} {what}, and src/ has {bits} bits for their number", t.row.name));
    }
    Ok(())
}
