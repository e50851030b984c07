//! Turns the tables into what one target's library tables hold: families, slots, shapes, classes, checks and items.
//! `src/table.rs` says what each of these is.

use std::collections::{BTreeMap, HashMap};

use crate::build::assume;
use crate::build::check;
use crate::build::error::{Place, Result};
use crate::build::model::*;

pub const NONE: u8 = 0xff;

/// Everything of one target.
pub struct Target<'a> {
    pub row: &'a TargetRow,
    pub formats: Vec<LFormat<'a>>,
    pub families: Vec<Family>,
    /// Family of each value of the top nine bits of the first dword, plus one; 0: none.
    pub lut: Vec<u8>,
    pub slots: Vec<Option<Slot>>,
    pub shapes: Vec<Shape>,
    pub classes: Vec<Class>,
    pub checks: Vec<Check>,
    pub sets: Vec<[u32; 16]>,
    pub items: Vec<Item>,
    pub item_lists: Vec<u16>,
    pub infos: Vec<Info>,
    pub codes: Vec<&'a CodeRow>,
}

pub struct LFormat<'a> {
    pub def: &'a Format,
    pub fields: Vec<(&'a Field, Bits)>,
    pub family: usize,
}

/// Formats that share encoding bits and opcode numbers.
pub struct Family {
    pub name: String,
    pub base: usize,
    pub slots: usize,
    pub shape_base: usize,
    pub dwords: u8,
    pub fixed: Vec<(Bits, u64)>,
    pub op: Piece,
    /// A second piece of the slot number: FLAT's segment, the high part of a split opcode, or the second operation.
    pub seg: Option<Piece>,
    pub seg_is: Seg,
    formats: Vec<usize>,
}

/// What the second piece of a slot number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seg {
    /// More encoding bits: formats that share opcode numbers.
    Encoding,
    /// The high part of the opcode.
    Opcode,
    /// The opcode of the second of two operations.
    Second,
}

#[derive(Clone, Debug)]
pub struct Slot {
    pub mnemonic: String,
    /// The second of two operations in a word.
    pub second: Option<String>,
    /// How the target's text spells it, if not so.
    pub spelling: Option<String>,
    pub format: usize,
    /// Index of the shape in the target's list.
    pub shape: usize,
    pub info: usize,
}

/// What a row says of its operation, whatever its operands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Info {
    pub reads: Vec<String>,
    pub writes: Vec<String>,
    pub flags: Vec<String>,
    /// The mnemonic is printed with the encoding's suffix, because the target has the operation in two encodings.
    pub suffix: bool,
    pub respelled: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    pub format: usize,
    pub class: usize,
    pub items: (usize, usize),
    /// The format of the dword that may stand behind the base words.
    pub extension: Option<usize>,
    pub suffix: u8,
    pub ignored: u128,
    pub sdwa: usize,
    pub dpp: usize,
    /// What may stand behind the base words where `tail` has no flag for it.
    pub follow: Vec<Follow>,
}

/// A dword follows when the field holds one of these codes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Follow {
    pub lsb: u8,
    pub width: u8,
    pub first: u16,
    pub last: u16,
    /// The shape that it makes, counted from one; 0: a literal, which makes none.
    pub form: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Class {
    pub mask: u128,
    pub value: u128,
    pub checks: (usize, usize),
    /// The checks of fields behind the first 64 bits.
    pub high_checks: (usize, usize),
    /// Bits of `Tail` in src/table.rs.
    pub tail: u8,
    pub special: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Check {
    pub field: String,
    pub lsb: u8,
    pub width: u8,
    pub hi: u8,
    pub shift: u8,
    pub add: u16,
    pub set: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Item {
    pub kind: String,
    pub field: String,
    pub lsb: u8,
    pub width: u8,
    pub split: (u8, u8),
    pub used: u8,
    pub shift: u8,
    pub add: u16,
    pub ty: String,
    pub dwords: u8,
    pub access: Option<Access>,
    /// Bit that says "returns": the operand is written (or is there at all) only when it is set.
    pub cond: u8,
    pub aux: [u8; 4],
}

pub mod tail {
    pub const SSRC0: u8 = 1;
    pub const SSRC1: u8 = 2;
    pub const SRC0: u8 = 4;
    pub const SDWA: u8 = 8;
    pub const DPP: u8 = 16;
    pub const ALWAYS: u8 = 32;
    pub const LIST: u8 = 64;
}

/// Rules of `special` in src/table.rs that are not one kind's alone.
pub mod special {
    pub const SIZED: u16 = 1 << 12;
    pub const WIDE: u16 = 1 << 13;
    pub const RETURN_TFE: u16 = 1 << 14;
}

pub fn target<'a>(isa: &'a Isa, row: &'a TargetRow) -> Result<Target<'a>> {
    let mut t = Target {
        row,
        formats: Vec::new(),
        families: Vec::new(),
        lut: vec![0; 512],
        slots: Vec::new(),
        shapes: Vec::new(),
        classes: Vec::new(),
        checks: Vec::new(),
        sets: Vec::new(),
        items: Vec::new(),
        item_lists: Vec::new(),
        infos: Vec::new(),
        codes: isa.codes.iter().filter(|c| c.range.of(&row.name).is_some()).collect(),
    };
    formats(isa, &mut t)?;
    families(&mut t)?;
    lut(&mut t)?;
    let mut pool = Pool::default();
    for f in 0..t.families.len() {
        t.families[f].shape_base = t.shapes.len();
        for i in t.families[f].formats.clone() {
            rows(isa, &mut t, &mut pool, i)?;
        }
        if t.shapes.len() - t.families[f].shape_base > 255 {
            return t.row.at.err(format!("{} has more than 255 shapes", t.families[f].name));
        }
    }
    assume::counts(&t)?;
    suffixes(&mut t);
    Ok(t)
}

fn formats<'a>(isa: &'a Isa, t: &mut Target<'a>) -> Result<()> {
    for def in &isa.formats {
        let fields: Vec<_> = def.fields.iter().filter_map(|f| f.bits.of(&t.row.name).map(|b| (f, b.clone()))).collect();
        if fields.is_empty() {
            continue;
        }
        let mut seen = 0u128;
        for (f, b) in &fields {
            if !isa.kinds.iter().any(|k| k.name == f.kind) && !["enc", "op"].contains(&&*f.kind) {
                return f.at.err(format!("unknown kind `{}`", f.kind));
            }
            if b.mask().checked_shr(def.bits.into()).is_some_and(|m| m != 0) {
                return f.at.err(format!("field {} reaches past bit {}", f.name, def.bits - 1));
            }
            if (f.kind == "enc") != b.fixed.is_some() {
                return f.at.err("fixed bits are of kind `enc`, and only they");
            }
            if b.pieces.iter().any(|p| p.lsb < 64 && p.lsb + p.width > 64) {
                return f.at.err(format!("field {} lies across bit 64, where src/operand.rs cannot read it", f.name));
            }
            if f.overlay {
                if b.mask() & !seen != 0 {
                    return f.at.err(format!("overlay {} lies over no other field", f.name));
                }
                continue;
            }
            if b.mask() & seen != 0 {
                return f.at.err(format!("field {} overlaps another", f.name));
            }
            seen |= b.mask();
        }
        let all = if def.bits == 128 { u128::MAX } else { (1u128 << def.bits) - 1 };
        if seen != all {
            let gap = (!seen & all).trailing_zeros();
            return def.at.err(format!("bit {gap} of {} is in no field", def.name));
        }
        t.formats.push(LFormat { def, fields, family: usize::MAX });
    }
    Ok(())
}

fn families(t: &mut Target) -> Result<()> {
    for i in 0..t.formats.len() {
        let def = t.formats[i].def;
        if def.extension {
            continue;
        }
        let fixed: Vec<(Bits, u64)> =
            t.formats[i].fields.iter().filter_map(|(_, b)| b.fixed.map(|v| (b.clone(), v))).collect();
        // A format of one operation has no opcode field.
        let none = [Piece { lsb: 0, width: 0 }];
        let op_field = t.formats[i].fields.iter().find(|(f, _)| f.kind == "op");
        let (op, op_high) = match op_field.map_or(&none[..], |(_, b)| &b.pieces) {
            // That it has no more pieces is checked with the other fields.
            [op, high, ..] => (*op, Some(*high)),
            [op] => (*op, None),
            [] => (none[0], None),
        };
        let Some((enc, segs)) = fixed.split_first() else {
            return def.at.err(format!("format {} has no encoding bits", def.name));
        };
        let within = |p: &Piece, low: u8| p.lsb >= low && p.lsb + p.width <= 32;
        if enc.0.pieces.len() > 1 || !within(&enc.0.pieces[0], 23) {
            return def.at.err("the first encoding field must lie in bits 31:23");
        }
        let seg = segs.first().map(|(b, _)| b.pieces[0]).or(op_high);
        let seg_is = match (segs.first(), &def.dual) {
            (Some(_), _) => Seg::Encoding,
            (None, None) => Seg::Opcode,
            (None, Some(_)) => Seg::Second,
        };
        if def.dual.is_some() && op_high.is_none() {
            return def.at.err("a format with `dual` has an opcode in two pieces, that of the second operation first");
        }
        if segs.len() + usize::from(op_high.is_some()) > 1 || segs.iter().any(|(b, _)| b.pieces.len() > 1) {
            return def.at.err("more than one further encoding field, or a split one, is not supported yet");
        }
        if ![Some(op), seg].iter().flatten().all(|p| within(p, 0)) {
            return def.at.err("the opcode must lie in the first dword");
        }
        let family = match &def.shares {
            Some(name) => {
                let Some(f) = t.families.iter().position(|f| &f.name == name) else {
                    return def.at.err(format!("shares {name}, which no earlier format is"));
                };
                let fam = &t.families[f];
                if fam.op != op || fam.seg != seg || fam.fixed[0] != *enc || fam.dwords != def.bits / 32 {
                    return def.at.err(format!("encoding or opcode bits differ from those of {name}"));
                }
                f
            }
            None => {
                let base = t.families.last().map_or(0, |f| f.base + f.slots);
                let slots = 1usize << (op.width + seg.map_or(0, |s| s.width));
                t.families.push(Family {
                    name: def.name.clone(),
                    base,
                    slots,
                    shape_base: 0,
                    dwords: def.bits / 32,
                    fixed: vec![enc.clone()],
                    op,
                    seg,
                    seg_is,
                    formats: Vec::new(),
                });
                t.slots.resize(base + slots, None);
                t.families.len() - 1
            }
        };
        t.families[family].formats.push(i);
        t.formats[i].family = family;
    }
    Ok(())
}

/// The most specific encoding wins: SOP1 lies inside what SOP2 would be.
fn lut(t: &mut Target) -> Result<()> {
    for top in 0..512u32 {
        let word = u128::from(top) << 23;
        let mut best: Option<(u32, usize)> = None;
        for (i, f) in t.families.iter().enumerate() {
            let (bits, value) = &f.fixed[0];
            let piece = bits.pieces[0];
            if (word & bits.mask()) >> piece.lsb != u128::from(*value) {
                continue;
            }
            let n = bits.mask().count_ones();
            if best.is_none_or(|(m, _)| n > m) {
                best = Some((n, i));
            }
        }
        t.lut[top as usize] = best.map_or(0, |(_, i)| i as u8 + 1);
    }
    for (i, f) in t.families.iter().enumerate() {
        if !t.lut.contains(&(i as u8 + 1)) {
            return t.row.at.err(format!("the encoding bits of {} are hidden by another format", f.name));
        }
    }
    Ok(())
}

/// Numbers equal things once.
#[derive(Default)]
struct Pool {
    shapes: HashMap<Shape, usize>,
    classes: HashMap<Class, usize>,
    check_lists: HashMap<Vec<Check>, (usize, usize)>,
    sets: HashMap<[u32; 16], usize>,
    items: HashMap<Item, u16>,
    lists: HashMap<Vec<u16>, (usize, usize)>,
    infos: HashMap<Info, usize>,
}

fn intern<T: Clone + std::hash::Hash + Eq>(map: &mut HashMap<T, usize>, list: &mut Vec<T>, value: T) -> usize {
    *map.entry(value).or_insert_with_key(|v| {
        list.push(v.clone());
        list.len() - 1
    })
}

fn rows(isa: &Isa, t: &mut Target, pool: &mut Pool, format: usize) -> Result<()> {
    let def = t.formats[format].def;
    if let Some(halves) = &def.dual {
        return dual_rows(isa, t, pool, format, halves);
    }
    for row in &def.rows {
        let Some((opcode, spelling)) = row.opcode.of(&t.row.name) else { continue };
        let fam = &t.families[t.formats[format].family];
        let high = fam.seg.filter(|_| fam.seg_is == Seg::Opcode).map_or(0, |s| s.width);
        if u32::from(*opcode) >= 1 << (fam.op.width + high) {
            return row.at.err(format!("opcode {opcode} does not fit in {} bits", fam.op.width + high));
        }
        let mut slot = fam.base + usize::from(*opcode);
        if let Some(seg) = fam.seg.filter(|_| fam.seg_is == Seg::Encoding) {
            let fields = &t.formats[format].fields;
            let value = fields.iter().filter_map(|(_, b)| b.fixed.filter(|_| b.pieces[0] == seg)).next();
            slot += (value.expect("checked with the family") as usize) << fam.op.width;
        }
        if let Some(other) = &t.slots[slot] {
            return row
                .at
                .err(format!("opcode {opcode} of {} is {} already on {}", def.name, other.mnemonic, t.row.name));
        }
        let made = self::slot(isa, t, pool, format, row)?;
        t.slots[slot] = Some(Slot { spelling: spelling.clone(), ..made });
    }
    Ok(())
}

/// The slot of a row. Its number and its spelling are the caller's business.
fn slot(isa: &Isa, t: &mut Target, pool: &mut Pool, format: usize, row: &Row) -> Result<Slot> {
    let def = t.formats[format].def;
    let shape = Form::base(isa, t, format, row)?.shape(isa, t, pool, row)?;
    let mut info = Info {
        reads: row.reads.clone(),
        writes: row.writes.clone(),
        flags: row.flags.clone(),
        suffix: false,
        respelled: row.opcode.of(&t.row.name).is_some_and(|(_, spelling)| spelling.is_some()),
    };
    for (register, targets) in &def.reads {
        if targets.contains(&t.row.name) && !info.reads.contains(register) {
            info.reads.push(register.clone());
        }
    }
    let info = intern(&mut pool.infos, &mut t.infos, info);
    Ok(Slot { mnemonic: row.mnemonic.clone(), second: None, spelling: None, format, shape, info })
}

/// Each pair of rows is a slot. A row whose number does not fit in the first opcode field is a second operation only.
fn dual_rows(isa: &Isa, t: &mut Target, pool: &mut Pool, format: usize, halves: &[String; 2]) -> Result<()> {
    let def = t.formats[format].def;
    let fam = &t.families[t.formats[format].family];
    let (base, first, second) = (fam.base, fam.op.width, fam.seg.expect("a dual format has it").width);
    let rows: Vec<(&Row, usize)> =
        def.rows.iter().filter_map(|r| r.opcode.of(&t.row.name).map(|(n, _)| (r, usize::from(*n)))).collect();
    for &(x, opx) in rows.iter().filter(|(_, n)| *n < 1 << first) {
        for &(y, opy) in &rows {
            if opy >= 1 << second {
                return y.at.err(format!("opcode {opy} does not fit in {second} bits"));
            }
            let number = base + opx + (opy << first);
            if t.slots[number].is_some() {
                return y.at.err(format!("opcode {opy} of {} stands twice on {}", def.name, t.row.name));
            }
            let made = slot(isa, t, pool, format, &pair(def, x, y, halves)?)?;
            t.slots[number] = Some(Slot { second: Some(y.mnemonic.clone()), ..made });
        }
    }
    Ok(())
}

/// Two rows as one, each with the fields of its half.
fn pair(def: &Format, x: &Row, y: &Row, halves: &[String; 2]) -> Result<Row> {
    let half = |row: &Row, letter: &str| -> Result<Vec<Token>> {
        let mut tokens = expand(def, &row.tokens)?;
        for token in &mut tokens {
            if let Token::Operand { name, .. } = token {
                if name != "literal" {
                    name.push_str(letter);
                }
            }
        }
        Ok(tokens)
    };
    let mut tokens = half(x, &halves[0])?;
    tokens.push(Token::Second);
    tokens.extend(half(y, &halves[1])?);
    let both = |a: &[String], b: &[String]| {
        let mut all = a.to_vec();
        all.extend(b.iter().filter(|n| !a.contains(n)).cloned());
        all
    };
    Ok(Row {
        at: x.at.clone(),
        mnemonic: x.mnemonic.clone(),
        tokens,
        reads: both(&x.reads, &y.reads),
        writes: both(&x.writes, &y.writes),
        flags: both(&x.flags, &y.flags),
        opcode: x.opcode.clone(),
    })
}

/// One form of a row (base, SDWA, DPP) on its way to a shape.
struct Form {
    format: usize,
    /// Formats that make up the words, each with its first bit.
    parts: Vec<(usize, u8)>,
    tokens: Vec<Token>,
    replace: Vec<Replace>,
    forms: Vec<(String, String)>,
    tail: u8,
    /// Literals that `tail` has no flag for.
    follow: Vec<Follow>,
}

impl Form {
    fn base(isa: &Isa, t: &Target, format: usize, row: &Row) -> Result<Form> {
        let def = t.formats[format].def;
        let mut form = Form {
            format,
            parts: vec![(format, 0)],
            tokens: Vec::new(),
            replace: Vec::new(),
            forms: Vec::new(),
            tail: 0,
            follow: Vec::new(),
        };
        let tokens = expand(def, &row.tokens)?;
        for token in tokens {
            match token {
                Token::Form { format, macro_name } => form.forms.push((format, macro_name)),
                Token::Operand { ref name, .. } if name == "literal" => {
                    form.tail |= tail::ALWAYS;
                    form.tokens.push(token);
                }
                _ => form.tokens.push(token),
            }
        }
        if form.tail & tail::ALWAYS != 0 {
            // `shape` refuses the row if there is none.
            form.parts.extend(t.formats.iter().position(|f| f.def.name == "LITERAL").map(|lit| (lit, def.bits)));
        }
        for name in def.literals(&t.row.name) {
            let used = form.tokens.iter().any(|tk| {
                matches!(tk, Token::Operand { name: n, kind, .. }
                if n == name && takes_literal(isa, def, n, kind.as_deref()))
            });
            if used {
                let (_, bits, _) = form.field(t, name).expect("an operand names it");
                let place = single(&def.at, name, &bits)?;
                match assume::literal(name, place) {
                    Some(flag) => form.tail |= flag,
                    None => {
                        form.tail |= tail::LIST;
                        let Piece { lsb, width } = place;
                        form.follow.push(Follow { lsb, width, first: 255, last: 255, form: 0 });
                    }
                }
            }
        }
        Ok(form)
    }

    /// The row names the field as a modifier, and the target has it.
    fn names(&self, t: &Target, field: &str) -> bool {
        self.field(t, field).is_some()
            && self.tokens.iter().any(|t| matches!(t, Token::Modifier { name, .. } if name == field))
    }

    /// Buffer data has one register more with tfe, in the rows that know it.
    fn has_tfe(&self, t: &Target, item: &Item) -> bool {
        item.aux[2] != NONE && self.names(t, "tfe")
    }

    /// The form of `base` with the extension `ext`.
    fn extended(t: &Target, base: &Form, ext: usize, macro_name: &str, row: &Row) -> Result<Form> {
        let def = t.formats[ext].def;
        let Some((_, tokens)) = def.macros.iter().find(|(n, _)| n == macro_name) else {
            return row.at.err(format!("{} has no macro {macro_name}", def.name));
        };
        let mut all = base.tokens.clone();
        all.extend(expand(def, tokens)?);
        Ok(Form {
            format: base.format,
            parts: vec![base.parts[0], (ext, t.formats[base.format].def.bits)],
            tokens: all,
            replace: def.replaces.iter().filter(|r| of_target(&r.targets, t)).cloned().collect(),
            forms: Vec::new(),
            tail: 0,
            follow: Vec::new(),
        })
    }

    /// What an operand is replaced by. An older layout may have no field to replace it with.
    fn replacement(&self, t: &Target, operand: &str, kind: Option<&str>) -> Option<&Replace> {
        let fits = |r: &&Replace| {
            let same = r.read_as.is_none() || r.read_as.as_deref() == kind;
            let there = r.field.as_ref().is_none_or(|f| self.field(t, f).is_some());
            r.operand == operand && same && there
        };
        // The most special of them.
        self.replace.iter().filter(fits).max_by_key(|r| r.read_as.is_some())
    }

    /// A field of the base words.
    fn base_field(&self, t: &Target, name: &str) -> Option<Bits> {
        t.formats[self.format].fields.iter().find(|(f, _)| f.name == name).map(|(_, b)| b.clone())
    }

    /// The field's definition and its bits in the whole instruction; the last part that has it wins.
    fn field<'a>(&self, t: &Target<'a>, name: &str) -> Option<(&'a Field, Bits, usize)> {
        self.parts.iter().enumerate().rev().find_map(|(n, &(f, first))| {
            let (field, bits) = t.formats[f].fields.iter().find(|(x, _)| x.name == name)?;
            Some((*field, shifted(bits, first), n))
        })
    }

    fn shape(&self, isa: &Isa, t: &mut Target, pool: &mut Pool, row: &Row) -> Result<usize> {
        let mut form = self.tail;
        let mut ext = [0usize; 2];
        let mut follow = Vec::new();
        for (name, macro_name) in &self.forms {
            let def = t.formats[self.format].def;
            let upper = name.to_uppercase();
            // VOPC's SDWA is a format of its own.
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
            let shape = Form::extended(t, self, x, macro_name, row)?.shape(isa, t, pool, row)?;
            let Some(bits) = self.base_field(t, &e.field) else {
                return e.at.err(format!("`{}` is no field of {} on {}", e.field, def.name, t.row.name));
            };
            let place = single(&e.at, &e.field, &bits)?;
            match assume::extension(e, place) {
                Some(tail::SDWA) => (ext[0], form) = (shape, form | tail::SDWA),
                Some(flag) => (ext[1], form) = (shape, form | flag),
                None => {
                    form |= tail::LIST;
                    let Piece { lsb, width } = place;
                    follow.push(Follow { lsb, width, first: e.code, last: e.last_code, form: shape });
                }
            }
        }
        follow.extend(self.follow.iter().cloned());
        if self.tail != 0 && !t.formats.iter().any(|f| f.def.name == "LITERAL") {
            return row.at.err("the row has a literal, but the target has no LITERAL format");
        }
        let mut layout = Layout::new(self, t);
        let mut items = Vec::new();
        for token in &self.tokens {
            layout.apply(isa, t, row, token, &mut items)?;
        }
        let (mask, value, ignored) = layout.finish();
        let mut checks = Vec::new();
        let mut special = 0;
        let packed = !t.row.has("unpacked-d16");
        for item in &items {
            let placed = assume::ties(&row.at, item, |name| self.field(t, name).map(|(_, bits, _)| bits))?;
            if !placed || ["img_addr", "img_addr_grad"].contains(&item.kind.as_str()) {
                special |= self::special::SIZED;
            }
            if let Some((check, set)) = check(isa, t, self, &row.at, item)? {
                let set = intern(&mut pool.sets, &mut t.sets, set);
                checks.push(Check { set, ..check });
            }
            special |= match item.kind.as_str() {
                "mimg_data" if !placed => 512 * u16::from(self.names(t, "d16")),
                "buf_vaddr" if item.aux[2] != NONE => 1 | 1024,
                "buf_vaddr" => 1,
                "global_addr" => 2,
                "smem_offset" if item.aux[1] == NONE => 16,
                "smem_offset" => 4,
                "buf_data" if is_returned(item) && self.has_tfe(t, item) => self::special::RETURN_TFE,
                "buf_data" if self.names(t, "lds") && item.aux[1] == 16 => 8 | 2048,
                "buf_data" if self.names(t, "lds") => 8,
                // Of image data, whether d16 packs it.
                "mimg_data" if self.names(t, "d16") && packed => 32 | 512,
                "mimg_gather" if self.names(t, "d16") && packed => 64 | 512,
                "mimg_data" => 32,
                "mimg_gather" => 64,
                "mimg_atomic" => 128,
                "mimg_cmpswap" => 256,
                _ => 0,
            };
        }
        let (checks, high): (Vec<Check>, Vec<Check>) = checks.into_iter().partition(|c| c.lsb < 64);
        if let Some(c) = checks.iter().chain(&high).find(|c| c.hi != NONE && (c.hi >= 64 || c.lsb >= 64)) {
            return row.at.err(format!("`{}` has a flag, which must lie with it in the first 64 bits", c.field));
        }
        if !high.is_empty() || (mask | ignored) >> 64 != 0 {
            special |= self::special::WIDE;
        }
        let mut run = |checks: Vec<Check>| {
            *pool.check_lists.entry(checks).or_insert_with_key(|c| {
                t.checks.extend(c.iter().cloned());
                (t.checks.len() - c.len(), c.len())
            })
        };
        let (checks, high_checks) = (run(checks), run(high));
        let class = Class { mask, value, checks, high_checks, tail: form, special };
        let class = intern(&mut pool.classes, &mut t.classes, class);
        let list: Vec<u16> = items
            .into_iter()
            .map(|item| {
                *pool.items.entry(item).or_insert_with_key(|i| {
                    t.items.push(i.clone());
                    (t.items.len() - 1) as u16
                })
            })
            .collect();
        let items = *pool.lists.entry(list).or_insert_with_key(|l| {
            t.item_lists.extend(l.iter().copied());
            (t.item_lists.len() - l.len(), l.len())
        });
        let format = self.format;
        let extension = match self.parts.get(1) {
            Some(&(f, _)) => Some(f),
            None if self.tail != 0 && self.tail != tail::LIST || !self.follow.is_empty() => {
                t.formats.iter().position(|f| f.def.name == "LITERAL")
            }
            None => None,
        };
        let named = |name: &str| ["", "e32", "e64", "sdwa", "dpp"].iter().position(|s| *s == name);
        let suffix_of = |f: usize| named(&t.formats[f].def.suffix);
        let last = self.parts.last().expect("a form has parts").0;
        let both = |base: usize, ext: usize| if (base, ext) == (2, 4) { 5 } else { ext };
        let of_last = suffix_of(last).filter(|&n| n > 0).map(|n| suffix_of(format).map_or(n, |base| both(base, n)));
        let Some(suffix) = of_last.or(suffix_of(format)) else {
            return t.formats[format].def.at.err("unknown suffix");
        };
        let bare = t.formats[last].def.bare.contains(&t.row.name)
            || t.formats[format].def.bare.contains(&t.formats[last].def.name);
        let suffix = if bare { 0 } else { suffix as u8 };
        let shape = Shape { format, suffix, class, items, extension, ignored, sdwa: ext[0], dpp: ext[1], follow };
        Ok(intern(&mut pool.shapes, &mut t.shapes, shape) + 1)
    }
}

fn takes_literal(isa: &Isa, def: &Format, field: &str, kind: Option<&str>) -> bool {
    let default = def.fields.iter().find(|f| f.name == field).map(|f| f.kind.as_str());
    let Some(kind) = kind.or(default) else { return false };
    isa.kinds.iter().any(|k| k.name == kind && k.takes.iter().any(|c| c == "literal"))
}

/// A list of targets that names none means all.
fn of_target(targets: &[String], t: &Target) -> bool {
    targets.is_empty() || targets.contains(&t.row.name)
}

/// The one run of bits that a field is.
fn single(at: &Place, name: &str, bits: &Bits) -> Result<Piece> {
    match bits.pieces[..] {
        [piece] => Ok(piece),
        _ => at.err(format!("`{name}` is in pieces, and says what follows")),
    }
}

fn shifted(bits: &Bits, first: u8) -> Bits {
    Bits { pieces: bits.pieces.iter().map(|p| Piece { lsb: p.lsb + first, ..*p }).collect(), ..bits.clone() }
}

/// Puts the words of macros in their place.
fn expand(def: &Format, tokens: &[Token]) -> Result<Vec<Token>> {
    let mut out = Vec::new();
    for token in tokens {
        match token {
            Token::Word(w) => match def.macros.iter().find(|(n, _)| n == w) {
                Some((_, inner)) => out.extend(expand(def, inner)?),
                None => out.push(Token::Modifier { name: w.clone(), kind: None, bits: None }),
            },
            _ => out.push(token.clone()),
        }
    }
    Ok(out)
}

/// Which bits of the words a form uses, which are fixed, which are free.
struct Layout<'f> {
    form: &'f Form,
    used: u128,
    /// Bits that an item is made of; `used` has besides them what items look at.
    taken: u128,
    any: u128,
    zero: u128,
    one: u128,
    fixed: u128,
    ignorable: u128,
    all: u128,
}

impl<'f> Layout<'f> {
    fn new(form: &'f Form, t: &Target) -> Self {
        let mut l = Layout { form, used: 0, taken: 0, any: 0, zero: 0, one: 0, fixed: 0, ignorable: 0, all: 0 };
        for (n, &(f, first)) in form.parts.iter().enumerate() {
            for (field, bits) in &t.formats[f].fields {
                let mask = shifted(bits, first).mask();
                l.all |= mask;
                // The field that selects the extension holds its code; it is no operand here.
                let mut extends = t.formats[f].def.extends.iter().filter(|e| e.is_of(&t.row.name));
                let selector = n == 0 && extends.any(|e| e.field == field.name);
                if ["enc", "op"].contains(&field.kind.as_str()) || (selector && form.parts.len() > 1 && form.tail == 0)
                {
                    l.fixed |= mask;
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
                .err(format!("`{name}` is no field of {} on {}", t.formats[self.form.format].def.name, t.row.name));
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

    /// The field is in the tables, but this target lacks it, or ignores it. Only modifiers may name such a field.
    fn left_out(&self, t: &Target, token: &Token) -> bool {
        let (name, plain) = match token {
            Token::Modifier { name, kind, .. } => (name, kind.is_none()),
            Token::Any { name, .. } | Token::Must { name, .. } => (name, false),
            _ => return false,
        };
        match self.form.field(t, name) {
            Some((_, bits, _)) => plain && bits.ignored,
            None => self.form.parts.iter().any(|&(f, _)| t.formats[f].def.fields.iter().any(|x| &x.name == name)),
        }
    }

    fn apply(&mut self, isa: &Isa, t: &Target, row: &Row, token: &Token, items: &mut Vec<Item>) -> Result<()> {
        if self.left_out(t, token) {
            return Ok(());
        }
        match token {
            Token::Second => items.push(joint()),
            Token::Any { name, bits } => self.any |= self.bits(t, row, name, bits)?.1,
            Token::Must { name, bits, ones } => {
                let m = self.bits(t, row, name, bits)?.1;
                if *ones { self.one |= m } else { self.zero |= m }
            }
            Token::Operand { name, kind, access, ty, on_return } => {
                let replaced = self.form.replacement(t, name, kind.as_deref());
                if name == "vcc" && replaced.is_none() {
                    items.push(implied_vcc(*access, ty_of(t, &row.at, ty)?.1));
                    return Ok(());
                }
                let (field, kind) = match replaced {
                    Some(r) => (r.field.as_deref().unwrap_or(name), Some(&r.kind)),
                    None => (name.as_str(), kind.as_ref()),
                };
                let mut item = self.item(isa, t, row, field, kind, &None)?;
                (item.ty, item.dwords) = ty_of(t, &row.at, ty)?;
                item.access = Some(*access);
                if *on_return {
                    let parts = &self.form.parts;
                    let rtn = t.formats[parts[0].0].fields.iter().find(|(f, _)| f.kind == "rtn");
                    let Some((_, b)) = rtn else { return row.at.err("@rtn, but the format has no field of kind rtn") };
                    item.cond = b.pieces[0].lsb;
                }
                items.push(item);
            }
            Token::Modifier { name, kind, bits } => {
                let item = self.item(isa, t, row, name, kind.as_ref(), bits)?;
                decorate(&item, items);
                items.push(item);
            }
            Token::Form { .. } | Token::Word(_) => unreachable!("expanded before"),
        }
        Ok(())
    }

    fn item(
        &mut self,
        isa: &Isa,
        t: &Target,
        row: &Row,
        name: &str,
        kind: Option<&String>,
        list: &Option<Vec<u8>>,
    ) -> Result<Item> {
        let (bits, mask) = self.bits(t, row, name, list)?;
        let (field, ..) = self.form.field(t, name).expect("found just now");
        let kind = kind.unwrap_or(&field.kind);
        let Some(k) = isa.kinds.iter().find(|k| &k.name == kind) else {
            return row.at.err(format!("unknown kind `{kind}`"));
        };
        // Two operations in a word share one literal.
        if self.taken & mask != 0 && !field.overlay && name != "literal" {
            return row.at.err(format!("`{name}` is used twice"));
        }
        self.used |= mask;
        self.taken |= mask;
        let (mut aux, mut cond) = ([NONE; 4], NONE);
        for (i, used) in k.uses.iter().enumerate() {
            let found = match used.of_base {
                true => self.form.base_field(t, &used.field),
                false => self.form.field(t, &used.field).map(|(_, bits, _)| bits),
            };
            let Some(b) = found else {
                if used.optional {
                    continue;
                }
                return row.at.err(format!("kind `{kind}` needs a field `{}`", used.field));
            };
            let Some(first) = bit_position(&b, used.bit.unwrap_or(0)) else {
                return row.at.err(format!("kind `{kind}` needs bit {} of `{}`", used.bit.unwrap_or(0), used.field));
            };
            match k.reads_as.as_str() {
                // Sources keep aux for neg, abs and sext.
                "sdwa_src" => cond = first,
                "half_sel" => aux[3] = first,
                _ => aux[i] = first,
            }
            for more in &used.more {
                self.used |= self.form.field(t, more).map_or(0, |(_, bits, _)| bits.mask());
            }
            match used.bit {
                _ if used.looked_at => {}
                Some(_) => self.used |= 1u128 << first,
                None => self.used |= b.mask(),
            }
        }
        let width = bits.width();
        let used = match list {
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
        Ok(Item {
            kind: k.reads_as.clone(),
            field: name.to_string(),
            lsb: bits.pieces[0].lsb,
            width,
            split,
            used,
            shift: k.scale.trailing_zeros() as u8,
            add: k.add,
            // Operands put their type here; modifiers are told apart by the name of their kind.
            ty: k.name.clone(),
            dwords: 1,
            access: None,
            cond,
            aux,
        })
    }

    /// Bits that must have a value, that value, and bits that are ignored.
    fn finish(&self) -> (u128, u128, u128) {
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
fn implied_vcc(access: Access, dwords: u8) -> Item {
    Item { dwords, access: Some(access), ..nothing("vcc") }
}

/// Where the second of two operations begins.
fn joint() -> Item {
    nothing("second")
}

/// An item without a field.
fn nothing(kind: &str) -> Item {
    Item {
        kind: kind.into(),
        field: "vcc".into(),
        lsb: 0,
        width: 0,
        split: (NONE, 0),
        used: 0,
        shift: 0,
        add: 0,
        ty: "b".into(),
        dwords: 0,
        access: None,
        cond: NONE,
        aux: [NONE; 4],
    }
}

/// neg, abs and sext are shown at their source: each source operand learns where its bits are.
fn decorate(modifier: &Item, items: &mut [Item]) {
    let which = match (modifier.ty.as_str(), modifier.field.as_str()) {
        ("neg", _) => 0,
        ("abs", _) => 1,
        ("sext", _) => 2,
        _ => return,
    };
    let sources = items.iter_mut().filter(|i| i.access == Some(Access::Read) && source_number(&i.field).is_some());
    for item in sources {
        let n = source_number(&item.field).expect("filtered");
        let bit = match source_number(&modifier.field[..modifier.field.find('_').unwrap_or(0)]) {
            // src0_neg
            Some(m) if m == n => modifier.lsb,
            Some(_) => continue,
            // neg[0,1]
            None if modifier.used >> n & 1 == 1 => modifier.lsb + n,
            None => continue,
        };
        item.aux[which] = bit;
    }
}

fn source_number(name: &str) -> Option<u8> {
    match name {
        "src0" => Some(0),
        "src1" | "vsrc1" => Some(1),
        "src2" => Some(2),
        _ => None,
    }
}

/// `f32x4` -> ("f32", 4 dwords)
fn ty_of(t: &Target, at: &Place, ty: &str) -> Result<(String, u8)> {
    // A bit for each lane.
    if ty == "lanes" {
        return Ok(("b".to_string(), if t.row.has("wave32") { 1 } else { 2 }));
    }
    let (one, n) = ty.split_once('x').unwrap_or((ty, "1"));
    let digits = one.trim_start_matches(|c: char| !c.is_ascii_digit());
    let (Ok(bits), Ok(n)) = (digits.parse::<u16>(), n.parse::<u16>()) else {
        return at.err(format!("bad operand type `{ty}`"));
    };
    let name = &one[..one.len() - digits.len()];
    let lanes = if name.starts_with("pk_") { 2 } else { 1 };
    let known = ["b", "i", "f", "pk_i", "pk_f", "pk_bf"];
    let bits = u64::from(bits) * u64::from(n) * lanes;
    if !known.contains(&name) || !(1..=1024).contains(&bits) {
        return at.err(format!("bad operand type `{ty}`"));
    }
    let name = if name == "b" { "b".to_string() } else { one.to_string() };
    Ok((name, bits.div_ceil(32) as u8))
}

/// A destination that is there only when the operation returns.
fn is_returned(item: &Item) -> bool {
    item.access == Some(Access::Write) && item.cond != NONE
}

/// The check that an item needs, if there are field values that its kind does not take.
fn check(isa: &Isa, t: &Target, form: &Form, at: &Place, item: &Item) -> Result<Option<(Check, [u32; 16])>> {
    let Some((field, ..)) = form.field(t, &item.field) else { return Ok(None) };
    let kind_name = kind_of(t, form, item, field);
    let k = isa.kinds.iter().find(|k| k.name == kind_name).expect("the item was made with it");
    if k.takes.is_empty() {
        return Ok(None);
    }
    let base_def = t.formats[form.format].def;
    let literal = (form.parts.len() == 1 || form.tail & tail::ALWAYS != 0)
        && base_def.literals(&t.row.name).any(|l| l == item.field);
    // A global address is a pair only when there is no scalar base, an image address what its dimensions ask for:
    // rules of their own.
    let sized = ["global_addr", "img_addr", "img_addr_grad"].contains(&k.reads_as.as_str());
    let dwords = if sized { 1 } else { u16::from(item.dwords) };
    let mut set = [0u32; 16];
    let put = |c: u16, set: &mut [u32; 16]| set[usize::from(c) / 32] |= 1 << (c % 32);
    for class in &k.takes {
        if class.bytes().next().is_some_and(|b| b.is_ascii_digit()) {
            check::values(at, class)?.for_each(|v| put(v as u16, &mut set));
            continue;
        }
        if let Some(name) = class.strip_prefix("enum:") {
            let values = isa.enums.iter().filter(|e| e.name == name).flat_map(|e| &e.values);
            for v in values.filter_map(|v| v.value.of(&t.row.name).map(|c| (&v.at, c))) {
                check::values(v.0, v.1)?.for_each(|v| put(v as u16, &mut set));
            }
            continue;
        }
        for code in t.codes.iter().filter(|c| &c.class == class) {
            let &(a, b) = code.range.of(&t.row.name).expect("filtered");
            for c in a..=b {
                if valid(code, a, b, c, dwords) && (class != "literal" || literal) {
                    put(c, &mut set);
                }
            }
        }
    }
    // Fields with a flag beside them: the flag is one more bit on top of the field, and says whether the set applies.
    // So it is with a destination that is there only when the operation returns.
    let flagged =
        matches!(k.reads_as.as_str(), "sdwa_src" | "sdst_or_vcc") && form.field(t, &k.uses[0].field).is_some();
    if k.reads_as == "sdwa_src" && !flagged {
        // Before gfx9 an SDWA source is a VGPR.
        return Ok(None);
    }
    let returned = is_returned(item);
    // What is returned depends on two flags, and a check has room for one: the other is the rule RETURN_TFE.
    let tfe = k.reads_as == "buf_data" && form.has_tfe(t, item) && !returned;
    let bits = item.width + u8::from(flagged || returned);
    let most = (((1u64 << bits) - 1) << item.shift) + if flagged || returned { 0 } else { u64::from(k.add) };
    if most > 511 {
        return at.err(format!("`{}` can be {most}, and kind `{kind_name}` takes values up to 511 only", item.field));
    }
    let (mut hi, mut width, mut add) = (NONE, item.width, k.add);
    if tfe {
        hi = item.aux[2];
        set = [0; 16];
        for v in 0..256u16 {
            for more in [0, 1] {
                if v + dwords - 1 + more <= 255 {
                    put(v | more << 8, &mut set);
                }
            }
        }
        (width, add) = (width + 1, 0);
    }
    if k.reads_as == "smrd_offset" {
        // With the flag on top any value goes.
        hi = item.aux[0];
        (256..512).for_each(|v| put(v, &mut set));
        width += 1;
    }
    if flagged || returned {
        hi = match returned {
            true => item.cond,
            false => form.field(t, &k.uses[0].field).expect("checked when the item was made").1.pieces[0].lsb,
        };
        let plain = 1u32 << item.width;
        let mut moved = [0u32; 16];
        for v in 0..plain.min(256) {
            put(v as u16, &mut moved);
            let code = (v << item.shift) + u32::from(k.add);
            if set[(code / 32) as usize % 16] >> (code % 32) & 1 == 1 {
                put((v + plain) as u16, &mut moved);
            }
        }
        (set, width, add) = (moved, width + 1, 0);
    }
    let all_valid = (0..1u32 << width).all(|v| {
        let c = (v << item.shift) + u32::from(add);
        c < 512 && set[(c / 32) as usize] >> (c % 32) & 1 == 1
    });
    if all_valid {
        return Ok(None);
    }
    let check =
        Check { field: item.field.clone(), lsb: item.lsb, width: item.width, hi, shift: item.shift, add, set: 0 };
    Ok(Some((check, set)))
}

/// The kind by which the form reads the item: the token's, the replacement's, or the field's own.
fn kind_of(t: &Target, form: &Form, item: &Item, field: &Field) -> String {
    for token in &form.tokens {
        let (name, kind) = match token {
            Token::Operand { name, kind, .. } | Token::Modifier { name, kind, .. } => (name, kind),
            _ => continue,
        };
        if let Some(r) = form.replacement(t, name, kind.as_deref()) {
            if r.field.as_deref().unwrap_or(name) == item.field {
                return r.kind.clone();
            }
        } else if name == &item.field {
            return kind.clone().unwrap_or_else(|| field.kind.clone());
        }
    }
    field.kind.clone()
}

/// Whether `code` names an operand of `n` dwords. Scalar tuples are read from the aligned register below.
fn valid(row: &CodeRow, first: u16, last: u16, code: u16, n: u16) -> bool {
    match row.class.as_str() {
        "sgpr" | "ttmp" => {
            let align = n.next_power_of_two().min(4);
            let base = (code - first) & !(align - 1);
            first + base + n - 1 <= last
        }
        "vgpr" => code + n - 1 <= last,
        "int" | "float" | "off" => true,
        "literal" => n <= 2,
        _ => n == 1 || n == 2 && row.pair.is_some(),
    }
}

/// The mnemonic is printed with `_e32` or `_e64` when the target has the operation in both encodings.
fn suffixes(t: &mut Target) {
    let mut widths: BTreeMap<String, u8> = BTreeMap::new();
    let vector = |t: &Target, s: &Slot| match t.formats[s.format].def.name.as_str() {
        "VOP1" | "VOP2" | "VOPC" | "VINTRP" => 1,
        "VOP3A" | "VOP3B" | "VOP3-INTERP" => 2,
        _ => 0,
    };
    for s in t.slots.iter().flatten() {
        *widths.entry(s.mnemonic.clone()).or_default() |= vector(t, s);
    }
    for i in 0..t.slots.len() {
        let Some(s) = &t.slots[i] else { continue };
        if vector(t, s) != 0 && widths[&s.mnemonic] == 3 {
            let info = Info { suffix: true, ..t.infos[s.info].clone() };
            let n = t.infos.iter().position(|x| *x == info).unwrap_or_else(|| {
                t.infos.push(info);
                t.infos.len() - 1
            });
            t.slots[i].as_mut().expect("is some").info = n;
        }
    }
}
