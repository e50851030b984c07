//! Turns one form of a row (base, SDWA, DPP, ...) into a signature with the data for decoding and printing.

use crate::build::check::layout_assumptions;
use crate::build::kind::{OperandKind, RegisterKind};
use crate::build::lower::layout::Layout;
use crate::build::lower::rows::{Pool, intern};
use crate::build::lower::sets::check;
use crate::build::lower::{
    Check, Constraints, FormSignature, NONE, OperandDesc, Target, TrailingDword, rules, trailing,
};
use crate::build::model::error::{Result, SourceLine};
use crate::build::model::{Bits, Field, Format, HalfField, Isa, Piece, Replace, Row, Token};
use crate::build::shared::constraint_flags;

/// The names of the formats of literals.
const LITERAL: &str = "LITERAL";
const LITERAL64: &str = "LITERAL64";

/// One form of a row (base, SDWA, DPP, ...) that becomes a signature.
pub struct Form {
    pub format: usize,
    /// The formats of the words, each with its first bit.
    pub parts: Vec<(usize, u8)>,
    pub tokens: Vec<Token>,
    pub replace: Vec<Replace>,
    pub forms: Vec<(String, String)>,
    pub trailing: u8,
    /// The literals for which `trailing` has no flag.
    pub trailing_dwords: Vec<TrailingDword>,
    /// Whether a literal of 64 bits always follows.
    pub long: bool,
    /// Whether the dwords after the form can turn it into another operation.
    pub begins: bool,
    /// The half of a dual instruction that the form is, if it is one.
    pub half: Option<Half>,
}

/// The extensions that a form can have.
struct Extensions {
    /// The flags of the dwords after the form, as in `shared::trailing`.
    form: u8,
    /// The signatures of the forms with SDWA and DPP, or 0.
    sdwa: usize,
    dpp: usize,
    /// The dwords for which `form` has no flag.
    trailing_dwords: Vec<TrailingDword>,
}

/// One of the two operations of a dual instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Half {
    First,
    Second,
}

/// The checks and rules that the words of a form must satisfy.
struct Checks {
    /// The checks of fields in the first 64 bits.
    low: Vec<Check>,
    /// The checks of the other fields.
    high: Vec<Check>,
    flags: u8,
    rules: Vec<rules::Rule>,
}

impl Form {
    pub fn base(isa: &Isa, t: &Target, format: usize, row: &Row, half: Option<Half>) -> Result<Form> {
        let def = t.formats[format].def;
        let mut form = Form {
            format,
            parts: vec![(format, 0)],
            tokens: Vec::new(),
            replace: Vec::new(),
            forms: Vec::new(),
            trailing: 0,
            trailing_dwords: Vec::new(),
            long: false,
            begins: false,
            half,
        };
        let tokens = halves(def, t, expand(def, &row.tokens)?, false);
        for token in tokens {
            match token {
                Token::Form { format, macro_name } => form.forms.push((format, macro_name)),
                Token::Operand { ref name, ref ty, .. } if name == "literal" => {
                    form.long = ty.ends_with("64");
                    form.trailing |= if form.long { trailing::LIST } else { trailing::ALWAYS };
                    form.tokens.push(token);
                }
                _ => form.tokens.push(token),
            }
        }
        if form.long || form.trailing & trailing::ALWAYS != 0 {
            // If there is no such format, `signature` refuses the row.
            let literal = if form.long { LITERAL64 } else { LITERAL };
            form.parts.extend(t.formats.iter().position(|f| f.def.name == literal).map(|lit| (lit, def.bits)));
        }
        for name in def.literal64.iter().filter(|_| t.code.literal64 != u16::MAX) {
            let long = |token: &&Token| {
                matches!(token, Token::Operand { name: n, operand_type, ty, .. }
                if n == name && ty.ends_with("64") && takes_literal(isa, def, n, operand_type.as_deref()))
            };
            if form.tokens.iter().any(|token| long(&token)) {
                let field = def.fields.iter().find(|f| f.name == *name).and_then(|f| f.bits.of(&t.row.name));
                form.list(single(&def.at, name, field.expect("an operand names it"))?, t.code.literal64, 2);
            }
        }
        // A field without bits marks a literal that always follows.
        if form.long {
            form.list(Piece { lsb: 0, width: 0 }, 0, 2);
            return Ok(form);
        }
        for name in def.literals(&t.row.name) {
            let used = form.tokens.iter().any(|tk| {
                matches!(tk, Token::Operand { name: n, operand_type, .. }
                if n == name && takes_literal(isa, def, n, operand_type.as_deref()))
            });
            if used {
                let field = def.fields.iter().find(|f| f.name == name && f.bits.of(&t.row.name).is_some());
                let bits = field.and_then(|f| f.bits.of(&t.row.name)).expect("an operand names it");
                let place = single(&def.at, name, bits)?;
                match layout_assumptions::literal(name, place) {
                    Some(flag) => form.trailing |= flag,
                    None => form.list(place, t.code.literal, 1),
                }
            }
        }
        Ok(form)
    }

    /// Whether the row names the field as a modifier, and the target has it.
    pub fn names(&self, t: &Target, field: &str) -> bool {
        self.field(t, field).is_some()
            && self
                .tokens
                .iter()
                .any(|token| matches!(token, Token::Modifier { name, only, .. } if name == field && of_target(only, t)))
    }

    /// Whether tfe adds a register to this operand: it is buffer data, and the row has the modifier.
    pub fn has_tfe(&self, t: &Target, desc: &OperandDesc) -> bool {
        matches!(desc.kind, OperandKind::Register(RegisterKind::Data { tfe, .. }) if tfe != NONE)
            && self.names(t, "tfe")
    }

    /// The form of `base` with the extension `ext`.
    fn extended(t: &Target, base: &Form, ext: usize, macro_name: &str, row: &Row) -> Result<Form> {
        let def = t.formats[ext].def;
        let Some((_, tokens)) = def.macros.iter().find(|(n, _)| n == macro_name) else {
            return row.at.err(format!("{} has no macro {macro_name}", def.name));
        };
        let of_base = t.formats[base.format].def;
        let mut all = halves(of_base, t, expand(of_base, &row.tokens)?, true);
        all.retain(|token| !matches!(token, Token::Form { .. }));
        if has_half(of_base, &all) {
            let there = |field: &str| all.iter().any(|t| matches!(t, Token::Operand { name, .. } if name == field));
            let more: Vec<&HalfField> = def.halves.iter().filter(|h| there(&h.field)).collect();
            all.extend(more.into_iter().flat_map(|h| h.tokens.clone()));
        }
        all.extend(expand(def, tokens)?);
        Ok(Form {
            format: base.format,
            parts: vec![base.parts[0], (ext, t.formats[base.format].def.bits)],
            tokens: all,
            replace: def.replaces.iter().filter(|r| of_target(&r.targets, t)).cloned().collect(),
            forms: Vec::new(),
            trailing: 0,
            trailing_dwords: Vec::new(),
            long: false,
            begins: false,
            half: base.half,
        })
    }

    /// The replacement of an operand, if there is one. A replacement does not apply on a target that lacks the
    /// replacing field.
    pub fn replacement(&self, t: &Target, operand: &str, operand_type: Option<&str>) -> Option<&Replace> {
        let fits = |r: &&Replace| {
            let same = r.read_as.is_none() || r.read_as.as_deref() == operand_type;
            let there = r.field.as_ref().is_none_or(|f| self.field(t, f).is_some());
            r.operand == operand && same && there
        };
        // The most specific replacement applies.
        self.replace.iter().filter(fits).max_by_key(|r| r.read_as.is_some())
    }

    /// Whether the field belongs to the other half of a dual instruction.
    pub fn is_of_other_half(&self, t: &Target, field: &Field) -> bool {
        let halves = t.formats[self.format].def.dual.as_ref();
        self.half.zip(halves).is_some_and(|(half, letters)| field.name.ends_with(&letters[1 - half as usize]))
    }

    /// Adds a literal for which `trailing` has no flag.
    fn list(&mut self, Piece { lsb, width }: Piece, code: u16, dwords: u8) {
        self.trailing |= trailing::LIST;
        self.trailing_dwords.push(TrailingDword { lsb, width, first: code, last: code, dwords, form: 0 });
    }

    /// Whether at least two fields can announce a literal, and at least one of them a literal of 64 bits.
    pub fn has_long_literals(&self) -> bool {
        self.trailing & trailing::SSRC1 != 0 && !self.trailing_dwords.is_empty()
    }

    /// The letter in which the names of this half's fields end; empty if the form is not a half.
    pub fn letter<'a>(&self, t: &Target<'a>) -> &'a str {
        let halves = t.formats[self.format].def.dual.as_ref();
        self.half.zip(halves).map_or("", |(half, letters)| &letters[half as usize])
    }

    /// Whether some field has exactly these bits.
    pub fn has_piece(&self, t: &Target, piece: Piece) -> bool {
        let of_part = |&(f, first): &(usize, u8)| {
            t.formats[f].fields.iter().any(|(_, bits)| shifted(bits, first).pieces[..] == [piece])
        };
        self.parts.iter().any(of_part)
    }

    /// The bits of a field of the base words.
    pub fn base_field(&self, t: &Target, name: &str) -> Option<Bits> {
        t.formats[self.format].fields.iter().find(|(f, _)| f.name == name).map(|(_, b)| b.clone())
    }

    /// A field's definition, its bits in the whole instruction and the number of its part. If several parts have the
    /// field, the last one counts.
    pub fn field<'a>(&self, t: &Target<'a>, name: &str) -> Option<(&'a Field, Bits, usize)> {
        self.parts.iter().enumerate().rev().find_map(|(n, &(f, first))| {
            let (field, bits) = t.formats[f].fields.iter().find(|(x, _)| x.name == name)?;
            Some((*field, shifted(bits, first), n))
        })
    }

    pub fn signature(&self, isa: &Isa, t: &mut Target, pool: &mut Pool, row: &Row) -> Result<usize> {
        let Extensions { form, sdwa, dpp, trailing_dwords } = self.extensions(isa, t, pool, row)?;
        if self.trailing != 0 && !t.formats.iter().any(|f| f.def.name == LITERAL) {
            return row.at.err("the row has a literal, but the target has no LITERAL format");
        }
        let mut layout = Layout::new(self, t);
        let mut descs = Vec::new();
        for token in &self.tokens {
            layout.apply(isa, t, row, token, &mut descs)?;
        }
        let (mask, value, ignored) = layout.finish();
        let Checks { low: checks, high, flags, rules } = self.checks(isa, t, pool, row, &descs)?;
        let is_wide = !high.is_empty() || (mask | ignored) >> 64 != 0;
        let flags = if is_wide { flags | constraint_flags::WIDE } else { flags };
        let mut run = |checks: Vec<Check>| {
            *pool.check_lists.entry(checks).or_insert_with_key(|c| {
                t.checks.extend(c.iter().cloned());
                (t.checks.len() - c.len(), c.len())
            })
        };
        let (checks, high_checks) = (run(checks), run(high));
        let constraints = Constraints { mask, value, checks, high_checks, trailing: form, flags, rules };
        let constraints = intern(&mut pool.constraints, &mut t.constraints, constraints);
        let descs = intern_descs(t, pool, descs);
        let (unused, fillers) = self.fillers(t, row, ignored)?;
        let signature = FormSignature {
            format: self.format,
            suffix: self.suffix(t)?,
            constraints,
            descs,
            extension: self.extension(t),
            ignored,
            unused,
            fillers,
            sdwa,
            dpp,
            trailing_dwords,
        };
        Ok(intern(&mut pool.signatures, &mut t.signatures, signature) + 1)
    }

    /// The extensions of the form. Adds their signatures to the target.
    fn extensions(&self, isa: &Isa, t: &mut Target, pool: &mut Pool, row: &Row) -> Result<Extensions> {
        // If dwords after the form can turn it into another operation, its first two dwords determine neither the
        // operation nor the length.
        let form = self.trailing | if self.begins { trailing::LIST } else { 0 };
        let mut all = Extensions { form, sdwa: 0, dpp: 0, trailing_dwords: Vec::new() };
        for (name, macro_name) in &self.forms {
            let def = t.formats[self.format].def;
            let upper = name.to_uppercase();
            // SDWA of VOPC is a separate format, SDWAB.
            let mut of_name = def.extends.iter().filter(|e| e.format.trim_end_matches('B') == upper).peekable();
            if of_name.peek().is_none() {
                return row.at.err(format!("{} has no extension {upper}", def.name));
            }
            let Some(e) = of_name.find(|e| e.is_of(&t.row.name)) else { continue };
            let Some(x) = t.formats.iter().position(|f| f.def.name == e.format) else {
                if isa.formats.iter().any(|f| f.name == e.format) {
                    continue;
                }
                return e.at.err(format!("there is no format {}", e.format));
            };
            if lacks_values(isa, t, x, macro_name)? {
                continue;
            }
            let signature = Form::extended(t, self, x, macro_name, row)?.signature(isa, t, pool, row)?;
            let Some(bits) = self.base_field(t, &e.field) else {
                return e.at.err(format!("`{}` is not a field of {} on {}", e.field, def.name, t.row.name));
            };
            let place = single(&e.at, &e.field, &bits)?;
            match layout_assumptions::extension(t, e, place) {
                Some(trailing::SDWA) => (all.sdwa, all.form) = (signature, all.form | trailing::SDWA),
                Some(flag) => (all.dpp, all.form) = (signature, all.form | flag),
                None => {
                    all.form |= trailing::LIST;
                    let Piece { lsb, width } = place;
                    all.trailing_dwords.push(TrailingDword {
                        lsb,
                        width,
                        first: e.code,
                        last: e.last_code,
                        dwords: t.formats[x].def.bits / 32,
                        form: signature,
                    });
                }
            }
        }
        all.trailing_dwords.extend(self.trailing_dwords.iter().cloned());
        Ok(all)
    }

    /// The checks and rules that the words of the form must satisfy.
    fn checks(&self, isa: &Isa, t: &mut Target, pool: &mut Pool, row: &Row, descs: &[OperandDesc]) -> Result<Checks> {
        let mut checks = Vec::new();
        let mut rules = Vec::new();
        let mut flags = if self.begins { constraint_flags::SIZED } else { 0 };
        if self.half == Some(Half::First) {
            flags |= constraint_flags::DUAL;
        }
        for desc in descs {
            flags |= rules::of(&row.at, t, self, desc, &mut rules)?;
            if let Some((check, set)) = check(isa, t, self, &row.at, desc, &mut pool.taken)? {
                let set = intern(&mut pool.sets, &mut t.sets, set);
                checks.push(Check { set, ..check });
            }
        }
        let (checks, high): (Vec<Check>, Vec<Check>) = checks.into_iter().partition(|c| c.lsb < 64);
        if let Some(c) = checks.iter().chain(&high).find(|c| c.hi != NONE && (c.hi >= 64 || c.lsb >= 64)) {
            return row.at.err(format!("`{}` has a flag, which must lie with it in the first 64 bits", c.field));
        }
        Ok(Checks { low: checks, high, flags, rules })
    }

    /// The format after the base words: that of an extension or of a literal.
    fn extension(&self, t: &Target) -> Option<usize> {
        match self.parts.get(1) {
            Some(&(f, _)) => Some(f),
            None if self.trailing != 0 && self.trailing != trailing::LIST || !self.trailing_dwords.is_empty() => {
                t.formats.iter().position(|f| f.def.name == LITERAL)
            }
            None => None,
        }
    }

    /// The number of the suffix that the text adds to the mnemonic.
    fn suffix(&self, t: &Target) -> Result<u8> {
        let named = |name: &str| ["", "e32", "e64", "sdwa", "dpp"].iter().position(|s| *s == name);
        let suffix_of = |f: usize| named(&t.formats[f].def.suffix);
        let last = self.parts.last().expect("a form has parts").0;
        let def = t.formats[self.format].def;
        // The DPP form of a format of 64 bits has the suffix `_e64_dpp` even if the form without DPP has no suffix.
        let wide = def.bits == 64;
        let both = |base: usize, ext: usize| if ext == 4 && (base == 2 || wide) { 5 } else { ext };
        let of_last =
            suffix_of(last).filter(|&n| n > 0).map(|n| suffix_of(self.format).map_or(n, |base| both(base, n)));
        let Some(suffix) = of_last.or(suffix_of(self.format)) else { return def.at.err("unknown suffix") };
        let bare = t.formats[last].def.bare.contains(&t.row.name) || def.bare.contains(&t.formats[last].def.name);
        Ok(if bare { 0 } else { suffix as u8 })
    }

    /// The bits of sources that the operation does not have, and the values that assemblers write to them.
    fn fillers(&self, t: &Target, row: &Row, ignored: u128) -> Result<(u64, [u64; 2])> {
        let (mut unused, mut fillers) = (0, [0; 2]);
        let def = t.formats[self.format].def;
        for (statement, values) in def.fillers_of(&row.mnemonic, self.parts.len() > 1, &t.row.name) {
            let name = &statement.field;
            let Some(bits) = self.base_field(t, name) else { continue };
            let fits = |place: &Piece| {
                place.lsb + place.width <= 64 && values.iter().all(|value| value >> place.width.min(31) == 0)
            };
            let place = match bits.pieces[..] {
                [place] if fits(&place) => place,
                _ => {
                    return statement
                        .at
                        .err(format!("{values:?} are not values of `{name}` in one piece of the first 64 bits"));
                }
            };
            if bits.mask() & !ignored == 0 {
                unused |= bits.mask() as u64;
                fillers.iter_mut().zip(values).for_each(|(all, value)| *all |= u64::from(value) << place.lsb);
            }
        }
        Ok((unused, fillers))
    }
}

/// The run of the descriptors in the target's lists. Adds them if they are new.
fn intern_descs(t: &mut Target, pool: &mut Pool, descs: Vec<OperandDesc>) -> (usize, usize) {
    let list: Vec<u16> = descs
        .into_iter()
        .map(|desc| {
            *pool.descs.entry(desc).or_insert_with_key(|i| {
                t.descs.push(i.clone());
                (t.descs.len() - 1) as u16
            })
        })
        .collect();
    *pool.lists.entry(list).or_insert_with_key(|l| {
        t.desc_lists.extend(l.iter().copied());
        (t.desc_lists.len() - l.len(), l.len())
    })
}

fn takes_literal(isa: &Isa, def: &Format, field: &str, operand_type: Option<&str>) -> bool {
    let default = def.fields.iter().find(|f| f.name == field).map(|f| f.operand_type.as_str());
    let Some(operand_type) = operand_type.or(default) else { return false };
    isa.operand_types.iter().any(|k| k.name == operand_type && k.takes.iter().any(|c| c == "literal"))
}

/// Whether a modifier of the extension's macro uses an enum that has no values on the target, so that the form does not
/// exist.
fn lacks_values(isa: &Isa, t: &Target, ext: usize, macro_name: &str) -> Result<bool> {
    let def = t.formats[ext].def;
    let tokens = expand(def, &[Token::Word(macro_name.to_string())])?;
    let empty = |token: &Token| {
        let Token::Modifier { operand_type: Some(read_as), .. } = token else { return false };
        let takes = isa.operand_types.iter().filter(|k| k.name == *read_as).flat_map(|k| &k.takes);
        takes.filter_map(|c| c.strip_prefix("enum:")).any(|name| {
            let values = isa.enums.iter().filter(|e| e.name == name).flat_map(|e| &e.values);
            values.filter(|v| v.value.of(&t.row.name).is_some()).count() == 0
        })
    };
    Ok(tokens.iter().any(empty))
}

/// Whether a list of targets contains a target. An empty list means all targets.
pub fn of_target(targets: &[String], t: &Target) -> bool {
    targets.is_empty() || targets.contains(&t.row.name)
}

/// The bits of a field that must be a single run.
fn single(at: &SourceLine, name: &str, bits: &Bits) -> Result<Piece> {
    match bits.pieces[..] {
        [piece] => Ok(piece),
        _ => at.err(format!("`{name}` announces a dword, so it must be in one piece")),
    }
}

pub fn shifted(bits: &Bits, first: u8) -> Bits {
    Bits { pieces: bits.pieces.iter().map(|p| Piece { lsb: p.lsb + first, ..*p }).collect(), ..bits.clone() }
}

/// Whether one of the operands is a half of a register.
fn has_half(def: &Format, tokens: &[Token]) -> bool {
    let is_half = |token: &Token| {
        let Token::Operand { name, operand_type: Some(operand_type), .. } = token else { return false };
        def.halves.iter().any(|h| h.field == *name && h.operand_type.as_ref() == Some(operand_type))
    };
    tokens.iter().any(is_half)
}

/// Chooses the data type of operands that have 16 bits only on targets where vector operands can be halves of registers
/// (`b32/b16`). On these targets, all operands of 16 bits become halves, and the modifiers that the format has for
/// halves are added.
fn halves(def: &Format, t: &Target, mut tokens: Vec<Token>, extended: bool) -> Vec<Token> {
    let true16 = t.row.has("true16");
    let mut fields = Vec::new();
    for token in &mut tokens {
        let Token::Operand { name, operand_type, ty, kept, .. } = token else { continue };
        if let Some((whole, half)) = ty.clone().split_once('/').filter(|(_, half)| *half != "lanes") {
            *ty = if true16 { half } else { whole }.to_string();
            // The kept half is not a part of the operand.
            if true16 {
                kept.clear();
            }
        }
        let Some(h) = def.halves.iter().find(|h| h.field == *name && h.read_as == *operand_type) else { continue };
        if h.operand_type.is_some() || !extended {
            fields.push(h);
        }
        if true16 && ["b16", "i16", "f16", "bf16"].contains(&ty.as_str()) && h.operand_type.is_some() {
            operand_type.clone_from(&h.operand_type);
        }
    }
    if !true16 || !has_half(def, &tokens) {
        return tokens;
    }
    let names = |tokens: &[Token], field: &str| {
        tokens.iter().position(|t| matches!(t, Token::Modifier { name, .. } if name == field))
    };
    let mut added: Vec<Token> = Vec::new();
    for token in fields.into_iter().flat_map(|h| &h.tokens) {
        match token {
            // A row that names the modifier also states its bits.
            Token::Modifier { name, .. } | Token::Must { name, .. } if names(&tokens, name).is_some() => {}
            Token::Modifier { name, bits: Some(bits), .. } => match names(&added, name).map(|n| &mut added[n]) {
                Some(Token::Modifier { bits: Some(all), .. }) => {
                    all.extend(bits);
                    all.sort_unstable();
                }
                _ => added.push(token.clone()),
            },
            _ => added.push(token.clone()),
        }
    }
    // Bits of the modifier for operands that the operation lacks are zero.
    let all = def.halves.iter().flat_map(|h| &h.tokens);
    let mut unused: Vec<Token> = Vec::new();
    for token in all {
        let Token::Modifier { name, bits: Some(bits), .. } = token else { continue };
        let Some(Token::Modifier { bits: Some(used), .. }) = names(&added, name).map(|n| &added[n]) else { continue };
        let bits: Vec<u8> = bits.iter().copied().filter(|bit| !used.contains(bit)).collect();
        if !bits.is_empty() {
            unused.push(Token::Must { name: name.clone(), bits: Some(bits), ones: false });
        }
    }
    added.extend(unused);
    // In the text, modifiers come after the operands, and the added modifiers before all others.
    let last = tokens.iter().rposition(|t| matches!(t, Token::Operand { .. })).map_or(0, |n| n + 1);
    tokens.splice(last..last, added);
    tokens
}

/// Replaces words that name macros by the tokens of the macros.
pub fn expand(def: &Format, tokens: &[Token]) -> Result<Vec<Token>> {
    let mut out = Vec::new();
    for token in tokens {
        match token {
            Token::Word(w) => match def.macros.iter().find(|(n, _)| n == w) {
                Some((_, inner)) => out.extend(expand(def, inner)?),
                None => out.push(Token::Modifier { name: w.clone(), operand_type: None, bits: None, only: Vec::new() }),
            },
            _ => out.push(token.clone()),
        }
    }
    Ok(out)
}
