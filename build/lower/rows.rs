//! Turns rows into operations.

use std::collections::HashMap;

use crate::build::lower::facts;
use crate::build::lower::form::{Form, Half, expand};
use crate::build::lower::sets::Taken;
use crate::build::lower::*;
use crate::build::model::error::Result;
use crate::build::model::{Format, Isa, Piece, Row, Token};
use crate::build::shared::{ADDRESS_JUMP, IMPLICIT};

/// The inputs of a row's signature besides its tokens: the format, the half, and whether the words can begin another
/// operation.
type Place = (usize, Option<Half>, bool);

/// The pools in which equal values get the same number.
#[derive(Default)]
pub struct Pool {
    pub signatures: HashMap<FormSignature, usize>,
    pub constraints: HashMap<Constraints, usize>,
    pub check_lists: HashMap<Vec<Check>, (usize, usize)>,
    pub sets: HashMap<[u32; 16], usize>,
    pub descs: HashMap<OperandDesc, u16>,
    pub lists: HashMap<Vec<u16>, (usize, usize)>,
    pub infos: HashMap<Info, usize>,
    pub taken: Taken,
    pub of_tokens: HashMap<Place, HashMap<Vec<Token>, usize>>,
}

pub fn intern<T: Clone + std::hash::Hash + Eq>(map: &mut HashMap<T, usize>, list: &mut Vec<T>, value: T) -> usize {
    *map.entry(value).or_insert_with_key(|v| {
        list.push(v.clone());
        list.len() - 1
    })
}

pub fn rows(isa: &Isa, t: &mut Target, pool: &mut Pool, format: usize) -> Result<()> {
    let def = t.formats[format].def;
    if let Some(halves) = &def.dual {
        return dual_rows(isa, t, pool, format, halves);
    }
    for (row, opcode, spelling) in def.rows_of(&t.row.name) {
        let space = &t.opcode_spaces[t.formats[format].opcode_space];
        let high = space.high_op.filter(|_| space.high_op_is == HighOp::Opcode).map_or(0, |s| s.width);
        if u32::from(opcode) >= 1 << (space.op.width + high) {
            return row.at.err(format!("opcode {opcode} does not fit in {} bits", space.op.width + high));
        }
        let mut operation = space.base + usize::from(opcode);
        if let Some(seg) = space.high_op.filter(|_| space.high_op_is == HighOp::Encoding) {
            let fields = &t.formats[format].fields;
            let value = fields.iter().filter_map(|(_, b)| b.fixed.filter(|_| b.pieces[0] == seg)).next();
            operation += (value.expect("checked with the opcode space") as usize) << space.op.width;
        }
        if let Some(other) = &t.operations[operation] {
            return row
                .at
                .err(format!("opcode {opcode} of {} is {} already on {}", def.name, other.mnemonic, t.row.name));
        }
        let begins = begins(t, space, opcode);
        let made = self::operation(isa, t, pool, format, row, None, begins)?;
        t.operations[operation] = Some(Operation { spelling: spelling.cloned(), ..made });
    }
    Ok(())
}

/// Whether the dwords after the operation can turn it into an operation of a joined opcode space.
fn begins(t: &Target, space: &OpcodeSpace, opcode: u16) -> bool {
    let bits = |piece: Piece| ((1u64 << piece.width) - 1) << piece.lsb;
    let (enc, value) = &space.fixed[0];
    let word = (value << enc.pieces[0].lsb | u64::from(opcode) << (space.op.lsb & 31)) as u32;
    let known = (bits(enc.pieces[0]) | bits(Piece { lsb: space.op.lsb & 31, ..space.op })) as u32;
    let mut joined = t.opcode_spaces.iter().filter(|f| f.is_joined()).map(OpcodeSpace::joint);
    !space.is_joined() && joined.any(|[(mask, _), (value, _)]| (word ^ value as u32) & mask as u32 & known == 0)
}

/// The operation of a row. The caller sets its number and its spelling.
fn operation(
    isa: &Isa,
    t: &mut Target,
    pool: &mut Pool,
    format: usize,
    row: &Row,
    half: Option<Half>,
    begins: bool,
) -> Result<Operation> {
    let def = t.formats[format].def;
    let key = (format, half, begins);
    let known = pool.of_tokens.get(&key).and_then(|known| known.get(&row.tokens));
    let signature = match known {
        Some(&signature) => signature,
        None => {
            let mut form = Form::base(isa, t, format, row, half)?;
            form.begins = begins;
            let signature = form.signature(isa, t, pool, row)?;
            pool.of_tokens.entry(key).or_default().insert(row.tokens.clone(), signature);
            signature
        }
    };
    // A number that is added to the address of the code is a distance, too.
    let is_jump = row.address.as_deref() == Some(ADDRESS_JUMP);
    let mut info = Info {
        reads: row.reads.iter().filter(|r| !r.starts_with('-')).cloned().collect(),
        writes: row.writes.clone(),
        flags: facts::flags(isa, def, row, &t.row.name),
        suffix: false,
        respelled: row.opcode.of(&t.row.name).is_some_and(|(_, spelling)| spelling.is_some()),
        label: row.tokens.iter().any(|token| is_label(def, token)) || is_jump,
        address: row.address.clone(),
    };
    for (register, targets) in &def.reads {
        // `-m0`: this operation does not read m0, although the format's other operations do.
        let excepted = row.reads.iter().any(|r| r.strip_prefix('-') == Some(register));
        if (targets.is_empty() || targets.contains(&t.row.name)) && !info.reads.contains(register) && !excepted {
            info.reads.push(register.clone());
        }
    }
    // The order does not depend on whether the format or the row names the register.
    let order = |register: &String| IMPLICIT.iter().position(|r| r == register);
    info.reads.sort_by_key(order);
    info.writes.sort_by_key(order);
    let info = intern(&mut pool.infos, &mut t.infos, info);
    Ok(Operation { mnemonic: row.mnemonic.clone(), spelling: None, format, signature, info })
}

/// Whether the token is an operand of the type `label`.
fn is_label(def: &Format, token: &Token) -> bool {
    let Token::Operand { name, operand_type, .. } = token else { return false };
    let own = || def.fields.iter().find(|f| f.name == *name).map(|f| &f.operand_type);
    operand_type.as_ref().or_else(own).is_some_and(|operand_type| operand_type == "label")
}

/// Adds the operations of a format with two operations per instruction. Unless a row names its only half, it is a
/// second operation, and also a first operation if its number fits in the first opcode field.
fn dual_rows(isa: &Isa, t: &mut Target, pool: &mut Pool, format: usize, halves: &[String; 2]) -> Result<()> {
    let def = t.formats[format].def;
    let space = &t.opcode_spaces[t.formats[format].opcode_space];
    let width = space.high_op.expect("a dual format has it").width;
    let (base, first, second) = (space.base, space.op.width, space.second_op_base().expect("a dual format has it"));
    for (row, opcode, _) in def.rows_of(&t.row.name) {
        let number = usize::from(opcode);
        if number >= 1 << width {
            return row.at.err(format!("opcode {opcode} does not fit in {width} bits"));
        }
        if t.operations[second + number].is_some() {
            return row.at.err(format!("opcode {opcode} of {} occurs twice on {}", def.name, t.row.name));
        }
        let is_in = |half: Half| {
            let only = row.tokens.iter().find_map(|t| if let Token::Only(letter) = t { Some(letter) } else { None });
            only.is_none_or(|letter| *letter == halves[half as usize])
        };
        if number < 1 << first && is_in(Half::First) {
            let x = half(def, row, Half::First, halves)?;
            t.operations[base + number] = Some(operation(isa, t, pool, format, &x, Some(Half::First), false)?);
        }
        if is_in(Half::Second) {
            let y = half(def, row, Half::Second, halves)?;
            t.operations[second + number] = Some(operation(isa, t, pool, format, &y, Some(Half::Second), false)?);
        }
    }
    Ok(())
}

/// A copy of the row that names the fields of one half.
fn half(def: &Format, row: &Row, half: Half, halves: &[String; 2]) -> Result<Row> {
    let mut tokens = expand(def, &row.tokens)?;
    tokens.retain(|token| !matches!(token, Token::Only(_)));
    for token in &mut tokens {
        if let Token::Operand { name, .. } | Token::Modifier { name, .. } = token {
            let own = format!("{name}{}", halves[half as usize]);
            // The names of a field that only one half has, and of the literal, have no letter.
            if def.fields.iter().any(|f| f.name == own) {
                *name = own;
            }
        }
    }
    if half == Half::Second {
        tokens.insert(0, Token::Second);
    }
    Ok(Row {
        at: row.at.clone(),
        mnemonic: row.mnemonic.clone(),
        tokens,
        reads: row.reads.clone(),
        writes: row.writes.clone(),
        flags: row.flags.clone(),
        passes: row.passes.clone(),
        address: row.address.clone(),
        purpose: None,
        opcode: row.opcode.clone(),
    })
}
