//! The length of an instruction, from its first bits: the tables of `src/length.rs`.

use std::collections::{BTreeMap, BTreeSet};

use crate::build::check::layout_assumptions::room;
use crate::build::lower::pages::position;
use crate::build::lower::{self, OpcodeSpace, Target, trailing};
use crate::build::model::error::Result;
use crate::build::model::{Bits, Piece};
use crate::build::shared::length::{ASK, LISTED, ONE, TWO};

/// The data of `LengthTables` in src/table/decode.rs.
pub struct Lengths {
    /// An entry for each value of the top nine bits, as described by `length` in src/shared.rs.
    pub entries: Vec<u8>,
    pub lists: Vec<LengthList>,
}

/// The data for lengths that the first dword does not determine: `LengthList` in src/table/decode.rs.
#[derive(PartialEq)]
pub struct LengthList {
    pub dwords: u8,
    pub op: Piece,
    pub joined: bool,
    pub announcers: Vec<Announcer>,
    /// Runs of opcodes: the first opcode, and a bit for each announcer that applies; empty if all announcers apply to
    /// all operations.
    pub runs: Vec<(usize, u8)>,
}

/// A field, and a run of codes that announce more dwords if the field holds one of them.
#[derive(Clone, PartialEq)]
pub struct Announcer {
    pub lsb: u8,
    pub width: u8,
    pub codes: (u16, u16),
    pub dwords: u8,
}

impl Lengths {
    /// The lengths for one target; `waves` has it once for each size of its waves. Operations that several of these
    /// targets have are equally long on all of them.
    pub fn of(waves: &[&Target]) -> Result<Lengths> {
        let mut lengths = Lengths { entries: vec![0; 512], lists: Vec::new() };
        let mut listed: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for top in 0..512 {
            let spaces = spaces(waves, top);
            let Some(&(_, space)) = spaces.first() else { continue };
            let operations = spaces.iter().flat_map(|(t, space)| operations(t, space, top));
            let trailings: BTreeSet<u8> = operations.map(|o| o.constraints.trailing).collect();
            let all = trailings.iter().fold(0, |all, t| all | t);
            lengths.entries[top] = match (space.dwords, trailings.len()) {
                _ if all & trailing::LIST != 0 => LISTED,
                (1, 0 | 1) => ONE | all,
                (1, _) => ASK | all,
                (2, _) if all == 0 => TWO,
                _ => LISTED,
            };
            if lengths.entries[top] == LISTED {
                listed.entry(&space.name).or_default().push(top);
            }
        }
        // All operations of an opcode space share one list.
        for tops in listed.values() {
            let of = tops.iter().flat_map(|&top| spaces(waves, top).into_iter().map(move |(t, space)| (t, space, top)));
            let mut of: Vec<_> = of.flat_map(|(t, space, top)| operations(t, space, top)).collect();
            of.sort_by_key(|operation| operation.number);
            let (t, space) = spaces(waves, tops[0])[0];
            let list = position(&mut lengths.lists, list(t, space, &of)?) as u8;
            tops.iter().for_each(|&top| lengths.entries[top] |= list);
        }
        room(waves[0], "lists of lengths", lengths.lists.len(), 5)?;
        Ok(lengths)
    }
}

/// The opcode space that the top nine bits select, for each size of waves that has one.
fn spaces<'t>(waves: &[&'t Target<'t>], top: usize) -> Vec<(&'t Target<'t>, &'t OpcodeSpace)> {
    let space = |t: &&'t Target<'t>| Some((*t, &t.opcode_spaces[usize::from(t.lut[top]).checked_sub(1)?]));
    waves.iter().filter_map(space).collect()
}

/// An operation, and the dwords that can follow its base words.
struct Announced<'t> {
    t: &'t Target<'t>,
    /// The number in the operation's opcode field.
    number: usize,
    op: Piece,
    signature: &'t lower::FormSignature,
    constraints: &'t lower::Constraints,
}

/// The operations of an opcode space with these top nine bits.
fn operations<'t>(t: &'t Target<'t>, opcode_space: &'t OpcodeSpace, top: usize) -> impl Iterator<Item = Announced<'t>> {
    let op = opcode_space.op;
    let (word, mask) = (top << 23, ((1usize << op.width) - 1) << op.lsb & 0xff80_0000);
    let of_index = move |n: usize| {
        let (number, op) = match opcode_space.second_op_base() {
            Some(second) if n >= second - opcode_space.base => {
                (n + opcode_space.base - second, opcode_space.high_op.expect("the second opcode"))
            }
            _ => (n, op),
        };
        let has_top = op != opcode_space.op || (number << op.lsb ^ word) & mask == 0;
        let operation = t.operations[opcode_space.base + n].as_ref().filter(|_| has_top)?;
        let signature = &t.signatures[operation.signature - 1];
        Some(Announced { t, number, op, signature, constraints: &t.constraints[signature.constraints] })
    };
    (0..opcode_space.size).filter_map(of_index)
}

impl Announced<'_> {
    /// The codes that announce dwords after the operation.
    fn announcers(&self) -> Vec<Announcer> {
        let t = self.t;
        let code = |lsb, width, code| Announcer { lsb, width, codes: (code, code), dwords: 1 };
        let flags = [
            (trailing::ALWAYS, code(self.op.lsb, self.op.width, self.number as u16)),
            (trailing::SSRC0, code(0, 8, t.code.literal)),
            (trailing::SSRC1, code(8, 8, t.code.literal)),
            (trailing::SRC0, code(0, 9, t.code.literal)),
            (trailing::SDWA, code(0, 9, t.code.sdwa)),
            (trailing::DPP, code(0, 9, t.code.dpp)),
        ];
        let flags = flags.into_iter().filter(|(flag, _)| self.constraints.trailing & flag != 0).map(|(_, a)| a);
        let listed = self.signature.trailing_dwords.iter();
        let listed = listed.map(|d| match d.width {
            0 => Announcer { dwords: d.dwords, ..code(self.op.lsb, self.op.width, self.number as u16) },
            width => Announcer { lsb: d.lsb, width, codes: (d.first, d.last), dwords: d.dwords },
        });
        flags.chain(listed).collect()
    }

    /// Whether the operation decodes with one of the announcer's codes in the field.
    fn decodes(&self, announcer: &Announcer) -> bool {
        let Announcer { lsb, width, codes: (first, last), .. } = *announcer;
        let (t, c) = (self.t, self.constraints);
        let field = ((1u128 << width) - 1) << lsb;
        let checks = &t.checks[c.checks.0..c.checks.0 + c.checks.1];
        let is_good = |code: &u16| {
            let refuses = |check: &&lower::Check| {
                let value = usize::from(code + check.add);
                (check.lsb, check.width) == (lsb, width) && t.sets[check.set][value / 32 % 16] >> (value % 32) & 1 == 0
            };
            (u128::from(*code) << lsb ^ c.value) & c.mask & field == 0 && !checks.iter().any(|check| refuses(&check))
        };
        (first..=last).any(|code| is_good(&code))
    }
}

/// The list for the operations of an opcode space.
fn list(t: &Target, opcode_space: &OpcodeSpace, operations: &[Announced]) -> Result<LengthList> {
    let mut announcers: Vec<Announcer> = Vec::new();
    for announcer in operations.iter().flat_map(Announced::announcers) {
        // Announcers with neighbouring codes become one announcer.
        let before = |a: &&mut Announcer| {
            (a.lsb, a.width, a.dwords) == (announcer.lsb, announcer.width, announcer.dwords)
                && (announcer.codes.0..=announcer.codes.1 + 1).contains(&(a.codes.1 + 1))
        };
        match announcers.iter_mut().find(before) {
            Some(before) => before.codes.1 = announcer.codes.1,
            None => announcers.push(announcer),
        }
    }
    room(t, "announcers of a list", announcers.len(), 3)?;
    announcers.sort_by_key(|a| (a.lsb, a.codes));
    let mut runs: Vec<(usize, u8)> = Vec::new();
    // The announcers that operations of the current run have, and the announcers that they must not have, as bits.
    let (mut has, mut lacks) = (0, 0);
    // The second operations of dual instructions are not in this opcode field, and have fields of their own.
    for operation in operations.iter().filter(|_| opcode_space.second_op_base().is_none()) {
        let mine = operation.announcers();
        let is_mine =
            |a: &Announcer| mine.iter().any(|m| m.lsb == a.lsb && (a.codes.0..=a.codes.1).contains(&m.codes.0));
        let bits = |of: &dyn Fn(&Announcer) -> bool| {
            announcers.iter().zip(0..).fold(0u8, |bits, (a, n)| bits | u8::from(of(a)) << n)
        };
        let (yes, no) = (bits(&is_mine), bits(&|a| !is_mine(a) && operation.decodes(a)));
        if runs.is_empty() || yes & lacks != 0 || no & has != 0 {
            runs.push((operation.number, 0));
            (has, lacks) = (0, 0);
        }
        (has, lacks) = (has | yes, lacks | no);
        runs.last_mut().expect("there is one").1 = !lacks;
    }
    if runs.iter().all(|run| run.1 == u8::MAX) {
        runs.clear();
    }
    let joined = t.opcode_spaces.iter().any(|f| f.is_joined() && begins(opcode_space, f));
    // Without runs, the opcode is not read.
    let op = if runs.is_empty() { Piece { lsb: 0, width: 0 } } else { opcode_space.op };
    Ok(LengthList { dwords: opcode_space.dwords, op, joined, announcers, runs })
}

/// Whether words of an opcode space can be the first two dwords of an instruction of a joined opcode space.
fn begins(opcode_space: &OpcodeSpace, joined: &OpcodeSpace) -> bool {
    let ((enc, value), [(mask, _), (word, _)]) = (&opcode_space.fixed[0], joined.joint());
    (u128::from(*value) << enc.pieces[0].lsb ^ u128::from(word)) & u128::from(mask) & enc.mask() == 0
}

/// The opcodes of an opcode space that have an operation, with a set bit for each.
pub fn valid(t: &Target, opcode_space: &lower::OpcodeSpace) -> Vec<u8> {
    let operations = &t.operations[opcode_space.base..opcode_space.base + opcode_space.size];
    let byte = |eight: &[Option<lower::Operation>]| {
        eight.iter().enumerate().fold(0, |bits, (n, operation)| bits | u8::from(operation.is_some()) << n)
    };
    operations.chunks(8).map(byte).collect()
}

/// The operations for which a code is valid and announces no dword, although it announces one for other operations of
/// the opcode space. Each entry is (mask of the encoding and the opcode, their value, trailing dwords).
pub fn others(t: &Target, opcode_space: &lower::OpcodeSpace) -> Vec<(u32, u32, u8)> {
    use lower::trailing::{DPP, SDWA, SRC0, SSRC0, SSRC1};
    let (literal, sdwa, dpp) = (t.code.literal.into(), t.code.sdwa.into(), t.code.dpp.into());
    let codes =
        [(SSRC0, 0, 8, literal), (SSRC1, 8, 8, literal), (SRC0, 0, 9, literal), (SDWA, 0, 9, sdwa), (DPP, 0, 9, dpp)];
    let constraints = |s: &lower::Operation| &t.constraints[t.signatures[s.signature - 1].constraints];
    let operations = &t.operations[opcode_space.base..opcode_space.base + opcode_space.size];
    let all = operations.iter().flatten().fold(0, |all, s| all | constraints(s).trailing);
    let decodes = |c: &lower::Constraints, (lsb, width, code): (u8, u8, u128)| {
        let checks = &t.checks[c.checks.0..c.checks.0 + c.checks.1];
        let refused = |check: &lower::Check| {
            let value = code as usize + usize::from(check.add);
            (check.lsb, check.width) == (lsb, width) && t.sets[check.set][value / 32 % 16] >> (value % 32) & 1 == 0
        };
        c.mask & code << lsb == 0 && !checks.iter().any(refused)
    };
    let (enc, value) = &opcode_space.fixed[0];
    let mut found = Vec::new();
    if opcode_space.dwords != 1 || all & lower::trailing::LIST != 0 {
        return found;
    }
    for (n, operation) in operations.iter().enumerate() {
        let Some(operation) = operation else { continue };
        let c = constraints(operation);
        let fewer =
            codes.iter().any(|&(bit, lsb, width, code)| all & !c.trailing & bit != 0 && decodes(c, (lsb, width, code)));
        // An operation that ALWAYS has a literal is left out: the top nine bits determine its length.
        if fewer && c.trailing & lower::trailing::ALWAYS == 0 {
            let op = Bits { pieces: vec![opcode_space.op], fixed: None, ignored: false };
            let mask = (enc.mask() | op.mask()) as u32;
            found.push((mask, (*value as u32) << enc.pieces[0].lsb | (n as u32) << opcode_space.op.lsb, c.trailing));
        }
    }
    found
}
