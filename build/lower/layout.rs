//! The operands and modifiers of a form: the bits that they use, and their kinds.

use crate::build::kind::{AddressFields, ImageKind, OperandKind, RegisterKind, Signs};
use crate::build::lower::form::{Form, of_target, shifted};
use crate::build::lower::{NONE, OperandDesc, Target};
use crate::build::model::error::{Result, SourceLine};
use crate::build::model::{Access, Bits, Isa, OperandTypeRow, Row, Token};

/// The bits of the words that a form uses, and the bits that are fixed or free.
pub struct Layout<'f> {
    form: &'f Form,
    used: u128,
    /// The bits of the descriptors' own fields; `used` also has the other bits that descriptors read.
    taken: u128,
    any: u128,
    zero: u128,
    one: u128,
    fixed: u128,
    ignorable: u128,
    all: u128,
}

impl<'f> Layout<'f> {
    pub fn new(form: &'f Form, t: &Target) -> Self {
        let mut l = Layout { form, used: 0, taken: 0, any: 0, zero: 0, one: 0, fixed: 0, ignorable: 0, all: 0 };
        for (n, &(f, first)) in form.parts.iter().enumerate() {
            for (field, bits) in &t.formats[f].fields {
                let mask = shifted(bits, first).mask();
                l.all |= mask;
                // The field that selects the extension holds the extension's code, so it is not an operand in this
                // form.
                let mut extends = t.formats[f].def.extends.iter().filter(|e| e.is_of(&t.row.name));
                let selector = n == 0 && extends.any(|e| e.field == field.name);
                if ["enc", "op"].contains(&field.operand_type.as_str())
                    || form.is_of_other_half(t, field)
                    || (selector && form.parts.len() > 1 && form.trailing == 0)
                {
                    l.fixed |= mask;
                } else if let Some(mut value) = bits.fixed {
                    for piece in shifted(bits, first).pieces {
                        l.one |= u128::from(value & ((1 << piece.width) - 1)) << piece.lsb;
                        value >>= piece.width;
                    }
                } else if field.ignored_if_unused || bits.ignored {
                    l.ignorable |= mask;
                }
            }
        }
        l
    }

    fn bits(&self, t: &Target, row: &Row, name: &str, list: &Option<Vec<u8>>) -> Result<(Bits, u128)> {
        let Some((_, bits, _)) = self.form.field(t, name) else {
            return row
                .at
                .err(format!("`{name}` is not a field of {} on {}", t.formats[self.form.format].def.name, t.row.name));
        };
        let mask = match list {
            None => bits.mask(),
            Some(list) => {
                let mut m = 0u128;
                for &b in list {
                    let Some(pos) = bit_position(&bits, b) else {
                        return row.at.err(format!("`{name}` has no bit {b}"));
                    };
                    m |= 1 << pos;
                }
                m
            }
        };
        Ok((bits, mask))
    }

    /// Whether the token has no effect on this target, because its list excludes the target, or because it names a
    /// field that the target lacks or ignores. Operands may not name such a field.
    fn left_out(&self, t: &Target, token: &Token) -> bool {
        let (name, plain) = match token {
            Token::Modifier { only, .. } | Token::Operand { only, .. } if !of_target(only, t) => return true,
            Token::Modifier { name, operand_type, .. } => (name, operand_type.is_none()),
            Token::Any { name, .. } | Token::Must { name, .. } => (name, false),
            _ => return false,
        };
        match self.form.field(t, name) {
            Some((_, bits, _)) => plain && bits.ignored,
            None => self.form.parts.iter().any(|&(f, _)| t.formats[f].def.fields.iter().any(|x| &x.name == name)),
        }
    }

    pub fn apply(
        &mut self,
        isa: &Isa,
        t: &Target,
        row: &Row,
        token: &Token,
        descs: &mut Vec<OperandDesc>,
    ) -> Result<()> {
        if self.left_out(t, token) {
            return Ok(());
        }
        match token {
            Token::Second => descs.push(joint()),
            Token::Any { name, bits } => self.any |= self.bits(t, row, name, bits)?.1,
            Token::Must { name, bits, ones } => {
                let m = self.bits(t, row, name, bits)?.1;
                if *ones { self.one |= m } else { self.zero |= m }
            }
            Token::Operand { name, operand_type, access, ty, on_return, kept, .. } => {
                let replaced = self.form.replacement(t, name, operand_type.as_deref());
                if name == "vcc" && replaced.is_none() {
                    descs.push(implied_vcc(*access, ty_of(t, &row.at, ty)?.1));
                    return Ok(());
                }
                let (field, operand_type) = match replaced {
                    Some(r) => (r.field.as_deref().unwrap_or(name), Some(&r.operand_type)),
                    None => (name.as_str(), operand_type.as_ref()),
                };
                let mut desc = self.desc(isa, t, row, field, operand_type, &None)?;
                if matches!(desc.kind, OperandKind::Modifier(_)) {
                    return row.at.err(format!("`{name}` is an operand, but its operand type is for modifiers"));
                }
                (desc.ty, desc.dwords) = ty_of(t, &row.at, ty)?;
                // SDWA has a field for the treatment of the part that it does not write.
                let kept = kept.contains(&t.row.name) && self.form.field(t, "dst_unused").is_none();
                desc.access = Some(if kept { Access::ReadWrite } else { *access });
                if *on_return {
                    let parts = &self.form.parts;
                    let rtn = t.formats[parts[0].0].fields.iter().find(|(f, _)| f.is_rtn());
                    let Some((_, b)) = rtn else {
                        return row.at.err("@rtn, but the format has no field of operand type rtn");
                    };
                    desc.write_if_bit = b.pieces[0].lsb;
                }
                descs.push(desc);
            }
            Token::Modifier { name, operand_type, bits, .. } => {
                let desc = self.desc(isa, t, row, name, operand_type.as_ref(), bits)?;
                if !matches!(desc.kind, OperandKind::Modifier(_)) {
                    return row.at.err(format!("`{name}` is a modifier, but its operand type is not for modifiers"));
                }
                decorate(row, &desc, descs, self.form.letter(t))?;
                descs.push(desc);
            }
            Token::Form { .. } | Token::Word(_) | Token::Only(_) => unreachable!("expanded before"),
        }
        Ok(())
    }

    fn desc(
        &mut self,
        isa: &Isa,
        t: &Target,
        row: &Row,
        name: &str,
        operand_type: Option<&String>,
        list: &Option<Vec<u8>>,
    ) -> Result<OperandDesc> {
        let (bits, mask) = self.bits(t, row, name, list)?;
        let (field, ..) = self.form.field(t, name).expect("found just now");
        let operand_type = operand_type.unwrap_or(&field.operand_type);
        let Some(k) = isa.operand_types.iter().find(|k| &k.name == operand_type) else {
            return row.at.err(format!("unknown operand type `{operand_type}`"));
        };
        // Only the literal may be used twice, by two operations in one instruction.
        if self.taken & mask != 0 && !field.overlay && name != "literal" {
            return row.at.err(format!("`{name}` is used twice"));
        }
        self.used |= mask;
        self.taken |= mask;
        let positions = self.positions(t, row, k)?;
        let width = bits.width();
        let used_bits = match list {
            Some(l) if l.iter().any(|b| *b > 7) => {
                return row.at.err(format!("bits of `{name}` beyond 7 cannot be listed"));
            }
            Some(l) => l.iter().fold(0, |m, b| m | 1 << b),
            None if width < 8 => ((1u16 << width) - 1) as u8,
            None => 0xff,
        };
        let split = match bits.pieces[..] {
            [_] => (NONE, width),
            [a, b] => (b.lsb, a.width),
            _ => unreachable!("the table was checked"),
        };
        let lsb = bits.pieces[0].lsb;
        let mut kind = k.kind.at(positions, lsb);
        if let OperandKind::Image(ImageKind::Address { fields, .. }) = &mut kind {
            *fields = self.address_fields(t);
        }
        Ok(OperandDesc {
            kind,
            field: name.to_string(),
            lsb,
            width,
            split,
            used_bits,
            shift: k.scale.trailing_zeros() as u8,
            add: k.add,
            // The data type of an operand; for a modifier, the name of its operand type, which distinguishes modifiers.
            ty: k.name.clone(),
            dwords: 1,
            access: None,
            write_if_bit: NONE,
        })
    }

    /// The positions of the other bits that an operand type uses. Marks the bits as used.
    fn positions(&mut self, t: &Target, row: &Row, k: &OperandTypeRow) -> Result<[u8; 4]> {
        let mut positions = [NONE; 4];
        for (i, used) in k.uses.iter().enumerate() {
            let found = match used.of_base {
                true => self.form.base_field(t, &used.field),
                false => self.form.field(t, &used.field).map(|(_, bits, _)| bits),
            };
            let Some(b) = found else {
                if used.optional {
                    continue;
                }
                return row.at.err(format!("operand type `{}` needs a field `{}`", k.name, used.field));
            };
            let Some(first) = bit_position(&b, used.bit.unwrap_or(0)) else {
                return row.at.err(format!(
                    "operand type `{}` needs bit {} of `{}`",
                    k.name,
                    used.bit.unwrap_or(0),
                    used.field
                ));
            };
            positions[i] = first;
            for more in &used.more {
                self.used |= self.form.field(t, more).map_or(0, |(_, bits, _)| bits.mask());
            }
            match used.bit {
                _ if used.looked_at => {}
                Some(_) => self.used |= 1u128 << first,
                None => self.used |= b.mask(),
            }
        }
        Ok(positions)
    }

    /// The fields that can name registers of an image address. Marks the bits of all of them as used.
    fn address_fields(&mut self, t: &Target) -> AddressFields {
        let (mut fields, mut run) = (1, false);
        for &(f, first) in &self.form.parts {
            for (field, bits) in &t.formats[f].fields {
                if ["img_part", "img_rest"].contains(&field.operand_type.as_str()) {
                    fields += 1;
                    run |= field.operand_type == "img_rest";
                    self.used |= shifted(bits, first).mask();
                }
            }
        }
        AddressFields::new(fields, run || fields == 1)
    }

    /// The mask of the bits that must have fixed values, these values, and the mask of the ignored bits.
    pub fn finish(&self) -> (u128, u128, u128) {
        let free = self.all & !self.fixed;
        let must = (free & !self.used & !self.any & !self.ignorable) | self.zero | self.one;
        (must, self.one, free & !self.used & !must)
    }
}

fn bit_position(bits: &Bits, mut bit: u8) -> Option<u8> {
    for p in &bits.pieces {
        if bit < p.width {
            return Some(p.lsb + bit);
        }
        bit -= p.width;
    }
    None
}

/// The vcc of VOP2 and VOPC, which no field names.
fn implied_vcc(access: Access, dwords: u8) -> OperandDesc {
    OperandDesc { dwords, access: Some(access), ..nothing(OperandKind::Register(RegisterKind::Vcc)) }
}

/// The descriptor of the start of the second of two operations.
fn joint() -> OperandDesc {
    OperandDesc { access: Some(Access::Read), ..nothing(OperandKind::Second) }
}

/// A descriptor without a field.
fn nothing(kind: OperandKind) -> OperandDesc {
    OperandDesc {
        kind,
        field: "vcc".into(),
        lsb: 0,
        width: 0,
        split: (NONE, 0),
        used_bits: 0,
        shift: 0,
        add: 0,
        ty: "bits".into(),
        dwords: 0,
        access: None,
        write_if_bit: NONE,
    }
}

/// Gives each source operand the positions of its neg, abs and sext bits, which are printed with the source.
fn decorate(row: &Row, modifier: &OperandDesc, descs: &mut [OperandDesc], letter: &str) -> Result<()> {
    let with = |signs: Signs, bit| match modifier.ty.as_str() {
        "neg" => Some(Signs { neg: bit, ..signs }),
        "abs" => Some(Signs { abs: bit, ..signs }),
        "sext" => Some(Signs { sext: bit, ..signs }),
        _ => None,
    };
    let sources =
        descs.iter_mut().filter(|i| i.access == Some(Access::Read) && source_number(&i.field, letter).is_some());
    for desc in sources {
        let n = source_number(&desc.field, letter).expect("filtered");
        let bit = match source_number(&modifier.field[..modifier.field.find('_').unwrap_or(0)], "") {
            // A field for this source: src0_neg.
            Some(m) if m == n => modifier.lsb,
            Some(_) => continue,
            // A field with a bit for each source: neg[0,1].
            None if modifier.used_bits >> n & 1 == 1 => modifier.lsb + n,
            None => continue,
        };
        let Some(signs) = with(desc.kind.signs().unwrap_or(Signs::ABSENT), bit) else { break };
        if desc.kind.signs().is_none() {
            return row.at.err(format!("`{}` has no sign that `{}` could change", desc.field, modifier.field));
        }
        desc.kind = desc.kind.with_signs(signs);
    }
    Ok(())
}

/// The number of a source. `letter` is the letter at the end of the field names of this half of a dual instruction.
fn source_number(name: &str, letter: &str) -> Option<u8> {
    match name.strip_suffix(letter)? {
        "src0" => Some(0),
        "src1" | "vsrc1" => Some(1),
        "src2" | "vsrc2" => Some(2),
        _ => None,
    }
}

/// The data type and the number of dwords of a type such as `f32x4` ("f32", 4); for `b64..384`, those of `b64`.
fn ty_of(t: &Target, at: &SourceLine, ty: &str) -> Result<(String, u8)> {
    let ty = match ty.split_once("..") {
        Some((least, most)) if most.parse::<u16>().is_ok_and(|bits| bits % 32 == 0 && bits <= 1024) => least,
        Some(_) => return at.err(format!("bad data type `{ty}`")),
        None => ty,
    };
    // The elements of `f32x256/lanes` are distributed over all lanes.
    if let Some((one, all)) = ty.strip_suffix("/lanes").and_then(|ty| ty.split_once('x')) {
        return match all.parse::<u16>() {
            Ok(all) => ty_of(t, at, &format!("{one}x{}", all / u16::from(t.row.lanes()))),
            Err(_) => at.err(format!("bad data type `{ty}`")),
        };
    }
    // The type `lanes` has one bit for each lane.
    if ty == "lanes" {
        return Ok(("bits".to_string(), t.row.lanes() / 32));
    }
    let (one, n) = ty.split_once('x').unwrap_or((ty, "1"));
    let digits = one.trim_start_matches(|c: char| !c.is_ascii_digit());
    let (Ok(bits), Ok(n)) = (digits.parse::<u16>(), n.parse::<u16>()) else {
        return at.err(format!("bad data type `{ty}`"));
    };
    let name = &one[..one.len() - digits.len()];
    let lanes = if name.starts_with("pk_") { 2 } else { 1 };
    let known = ["b", "i", "f", "bf", "pk_i", "pk_f", "pk_bf"];
    let bits = u64::from(bits) * u64::from(n) * lanes;
    if !known.contains(&name) || !(1..=1024).contains(&bits) {
        return at.err(format!("bad data type `{ty}`"));
    }
    let name = if name == "b" { "bits".to_string() } else { one.to_string() };
    Ok((name, bits.div_ceil(32) as u8))
}
