//! The allowed values of a field: the operand codes that its operand type accepts and that name an operand of its
//! width.

use std::collections::HashMap;

use crate::build::check as tables;
use crate::build::kind::{AddressKind, OffsetKind, OperandKind, RegisterKind};
use crate::build::lower::form::Form;
use crate::build::lower::{Check, NONE, OperandDesc, Target, trailing};
use crate::build::model::error::{Result, SourceLine};
use crate::build::model::{CodeRow, Field, Isa, Token};

/// The codes that operand types accept. The key is the number of the type, the dwords of the operand, whether it can be
/// a literal of 32 bits, and whether it can be one of 64 bits.
pub type Taken = HashMap<Key, [u32; 16]>;
type Key = (usize, u16, bool, bool);

/// The check that a descriptor needs, if its operand type does not accept all field values.
pub fn check(
    isa: &Isa,
    t: &Target,
    form: &Form,
    at: &SourceLine,
    desc: &OperandDesc,
    known: &mut Taken,
) -> Result<Option<(Check, [u32; 16])>> {
    let Some((field, ..)) = form.field(t, &desc.field) else { return Ok(None) };
    let type_name = type_of(t, form, desc, field);
    let number = isa.operand_types.iter().position(|k| k.name == type_name).expect("the descriptor was made with it");
    let k = &isa.operand_types[number];
    if k.takes.is_empty() {
        return Ok(None);
    }
    let base_def = t.formats[form.format].def;
    let literal = (form.parts.len() == 1 || form.trailing & trailing::ALWAYS != 0)
        && !form.long
        && base_def.literals(&t.row.name).any(|l| l == desc.field);
    let long = base_def.literal64.contains(&desc.field) && form.parts.len() == 1 || form.long;
    // For some operands, other fields determine the number of registers, and separate rules check it: a global address
    // is a pair only without a scalar base, an image address depends on its dimensions, and data that goes to LDS has
    // no registers.
    let to_lds = matches!(desc.kind, OperandKind::Register(RegisterKind::Data { .. })) && form.names(t, "lds");
    let is_global = matches!(desc.kind, OperandKind::Address(AddressKind::Global { .. }));
    let sized = to_lds || is_global || desc.kind.is_sized();
    let dwords = if sized { 1 } else { u16::from(desc.dwords) };
    let key = (number, dwords, literal, long && desc.dwords == 2);
    let mut set = match known.get(&key) {
        Some(set) => *set,
        None => *known.entry(key).or_insert(taken(isa, t, at, key)?),
    };
    // If the field has a flag, the flag becomes an additional bit above the field, and the set applies only if this bit
    // is set. The same is done for a destination that exists only if the operation returns a value.
    let flag = match desc.kind {
        // Before gfx9 an SDWA source is a VGPR.
        OperandKind::Register(RegisterKind::Sdwa { scalar: NONE, .. }) => return Ok(None),
        OperandKind::Register(kind) => kind.flag(),
        _ => NONE,
    };
    let flagged = flag != NONE;
    let returned = desc.is_returned();
    // The size of returned data depends on two flags, but a check only has room for one. The other flag has a rule of
    // its own.
    let tfe = match desc.kind {
        OperandKind::Register(RegisterKind::Data { tfe, .. }) if form.has_tfe(t, desc) && !returned => tfe,
        _ => NONE,
    };
    let bits = desc.width + u8::from(flagged || returned);
    let most = (((1u64 << bits) - 1) << desc.shift) + if flagged || returned { 0 } else { u64::from(k.add) };
    if most > 511 {
        return at.err(format!(
            "`{}` can be {most}, and operand type `{type_name}` takes values up to 511 only",
            desc.field
        ));
    }
    let (mut hi, mut width, mut add) = (NONE, desc.width, k.add);
    if tfe != NONE {
        (hi, set, width, add) = (tfe, with_status(t, dwords), width + 1, 0);
    }
    if let OperandKind::Offset(OffsetKind::Dwords { imm }) = desc.kind {
        // With the flag set, any value is allowed.
        hi = imm;
        (256..512).for_each(|v| put(v, &mut set));
        width += 1;
    }
    if flagged || returned {
        hi = if returned { desc.write_if_bit } else { flag };
        (set, width, add) = (if_flagged(desc, k.add, &set), width + 1, 0);
    }
    if holds_all(&set, width, desc.shift, add) {
        return Ok(None);
    }
    let check =
        Check { field: desc.field.clone(), lsb: desc.lsb, width: desc.width, hi, shift: desc.shift, add, set: 0 };
    Ok(Some((check, set)))
}

/// The allowed values of a vector register with a flag above it. With the flag, the data has one more register, for the
/// fail status.
fn with_status(t: &Target, dwords: u16) -> [u32; 16] {
    let mut set = [0; 16];
    let count = t.code.vgpr.1 - t.code.vgpr.0 + 1;
    for v in 0..count {
        for more in [0, 1] {
            if v + dwords + more <= t.vgprs() {
                put(v | more << 8, &mut set);
            }
        }
    }
    set
}

/// The allowed values of a field with a flag above it: without the flag all values, and with the flag those whose codes
/// are in `set`.
fn if_flagged(desc: &OperandDesc, add: u16, set: &[u32; 16]) -> [u32; 16] {
    let plain = 1u32 << desc.width;
    let mut moved = [0u32; 16];
    for v in 0..plain.min(256) {
        put(v as u16, &mut moved);
        let code = (v << desc.shift) + u32::from(add);
        if set[(code / 32) as usize % 16] >> (code % 32) & 1 == 1 {
            put((v + plain) as u16, &mut moved);
        }
    }
    moved
}

fn put(code: u16, set: &mut [u32; 16]) {
    set[usize::from(code) / 32] |= 1 << (code % 32);
}

/// The codes that an operand type accepts.
fn taken(isa: &Isa, t: &Target, at: &SourceLine, (number, dwords, literal, literal64): Key) -> Result<[u32; 16]> {
    let mut set = [0u32; 16];
    for class in &isa.operand_types[number].takes {
        if class.bytes().next().is_some_and(|b| b.is_ascii_digit()) {
            tables::values(at, class)?.for_each(|v| put(v as u16, &mut set));
            continue;
        }
        if let Some(name) = class.strip_prefix("enum:") {
            let values = isa.enums.iter().filter(|e| !e.bits && e.name == name).flat_map(|e| &e.values);
            for v in values.filter_map(|v| v.value.of(&t.row.name).map(|c| (&v.at, c))) {
                tables::values(v.0, v.1)?.for_each(|v| put(v as u16, &mut set));
            }
            continue;
        }
        if class == "literal" && literal64 && t.code.literal64 != u16::MAX {
            put(t.code.literal64, &mut set);
        }
        for code in t.codes.iter().filter(|c| &c.class == class) {
            let &(a, b) = code.range.of(&t.row.name).expect("filtered");
            for c in a..=b {
                let last = match class.as_str() {
                    "sgpr" => t.sgpr_run_last(),
                    "vgpr" => a + t.vgprs() - 1,
                    _ => b,
                };
                if valid(code, a, last, c, dwords) && (class != "literal" || literal) {
                    put(c, &mut set);
                }
            }
        }
    }
    Ok(set)
}

/// Whether every value of a field names a code of the set.
fn holds_all(set: &[u32; 16], width: u8, shift: u8, add: u16) -> bool {
    let mut value = 0u32;
    while value < 1 << width {
        let code = (value << shift) + u32::from(add);
        if code >= 512 {
            return false;
        }
        let word = set[(code / 32) as usize];
        // 32 codes are skipped at once if all of them are in the set.
        if shift == 0 && code % 32 == 0 && word == u32::MAX {
            value += 32;
            continue;
        }
        if word >> (code % 32) & 1 == 0 {
            return false;
        }
        value += 1;
    }
    true
}

/// The operand type with which the form reads the descriptor: the type of the token, of the replacement, or of the
/// field.
pub fn type_of(t: &Target, form: &Form, desc: &OperandDesc, field: &Field) -> String {
    for token in &form.tokens {
        let (name, operand_type) = match token {
            Token::Operand { name, operand_type, .. } | Token::Modifier { name, operand_type, .. } => {
                (name, operand_type)
            }
            _ => continue,
        };
        if let Some(r) = form.replacement(t, name, operand_type.as_deref()) {
            if r.field.as_deref().unwrap_or(name) == desc.field {
                return r.operand_type.clone();
            }
        } else if name == &desc.field {
            return operand_type.clone().unwrap_or_else(|| field.operand_type.clone());
        }
    }
    field.operand_type.clone()
}

/// Whether `code` names an operand of `n` dwords. Scalar tuples are read from the aligned register at or below the
/// code.
fn valid(row: &CodeRow, first: u16, last: u16, code: u16, n: u16) -> bool {
    match row.class.as_str() {
        "sgpr" | "ttmp" => {
            let align = n.next_power_of_two().min(4);
            let base = (code - first) & !(align - 1);
            first + base + n - 1 <= last
        }
        "vgpr" => code + n - 1 <= last,
        "int" | "float" | "off" | "neither" => true,
        "literal" => n <= 4,
        "ro" => n == 1 || row.pair.is_some(),
        _ => n == 1 || row.any_length || n == 2 && row.pair.is_some(),
    }
}
