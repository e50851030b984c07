//! Writes what `src/decode/fast.rs` needs of one target: `FastDecode`.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;
use std::ops::RangeInclusive;

use crate::build::check::assume::room;
use crate::build::emit::camel;
use crate::build::emit::decode::{CHECKED_FIELDS, Constraints, Tables, set_of};
use crate::build::lower::pages::number;
use crate::build::lower::rules::Rule;
use crate::build::lower::{Check, NONE, OpcodeSpace, Operation, Target, trailing};
use crate::build::model::Piece;
use crate::build::model::error::Result;
use crate::build::shared::{RuleKind, marks};

/// The checked fields in which 255 announces a literal, if the tail has the bit.
const LITERALS: [(u8, (u8, u8)); 3] = [(trailing::SSRC0, (0, 8)), (trailing::SSRC1, (8, 8)), (trailing::SRC0, (0, 9))];

/// What words of constraints must be to be looked at no further.
struct Fast {
    /// Bits that are zero.
    zeros: u64,
    /// Which codes of each checked field are good.
    good: [Vec<bool>; 4],
    /// Which announce a literal, and nothing else: none where all have two dwords.
    literal: [Vec<bool>; 4],
}

/// What need not be looked at any further in words of constraints; `None`: nothing.
fn fast(tables: &Tables, c: &Constraints) -> Option<Fast> {
    let checked = CHECKED_FIELDS[c.checked];
    if c.marks & (marks::SIZED | marks::WIDE | marks::DUAL) != 0
        || c.ones != 0
        || c.trailing & (trailing::ALWAYS | trailing::LIST) != 0
    {
        return None;
    }
    let mut good = c.sets.map(|set| tables.constraints.sets[usize::from(set)].clone());
    let mut forbid = |field: (u8, u8), codes: RangeInclusive<usize>| {
        let n = checked.iter().position(|&l| l == field)?;
        good[n][codes].fill(false);
        Some(())
    };
    let codes = &tables.t.code;
    let literals = LITERALS.map(|(bit, field)| (bit, field, codes.literal));
    let others = [(trailing::SDWA, (0, 9), codes.sdwa), (trailing::DPP, (0, 9), codes.dpp)];
    for (bit, field, code) in literals.into_iter().chain(others) {
        if c.trailing & bit != 0 {
            let code = usize::from(code);
            forbid(field, code..=code)?;
        }
    }
    let mut zeros = c.zeros as u64;
    for check in &c.more {
        zeros |= harmless(tables, check)?;
    }
    for rule in &c.rules {
        match excluded(rule, zeros)? {
            Excluded::Already => {}
            Excluded::Bit(bit) => zeros |= 1 << bit,
            Excluded::Codes(field, codes) => forbid(field, codes)?,
        }
    }
    for (good, field) in good.iter_mut().zip(checked) {
        *good = (0..512).map(|code| field.1 == 0 || good[code % (1 << field.1)]).collect();
    }
    let announced = |field: (u8, u8)| {
        let trailing = LITERALS.iter().find(|l| l.1 == field).map_or(0, |l| l.0);
        let is = c.trailing & trailing != 0 && c.trailing & trailing::TWO == 0;
        (0..512).map(|code| is && code % (1 << field.1) == usize::from(codes.literal)).collect()
    };
    Some(Fast { zeros, good, literal: checked.map(announced) })
}

/// Words without which a rule always holds.
enum Excluded {
    /// Those that other rules leave out too.
    Already,
    /// With this bit.
    Bit(u8),
    /// With these codes in a checked field.
    Codes((u8, u8), RangeInclusive<usize>),
}

/// What a rule forbids is forbidden here without looking at all that it looks at, as long as few words are left out: the
/// last registers of a file, or words with the first flag that it looks at.
fn excluded(rule: &Rule, zeros: u64) -> Option<Excluded> {
    let looks = || rule.looks.iter().filter(|(piece, _)| piece.width == 1);
    let is_low = |piece: &Piece| piece.lsb + piece.width <= 64;
    let (field, n) = ((rule.field.lsb, rule.field.width), usize::from(rule.n));
    let last = |n: usize| Some(Excluded::Codes(field, (1usize << field.1) + 1 - n..=(1usize << field.1) - 1));
    if rule.kind == RuleKind::Image {
        // Four components, and the fail status.
        return last(5);
    }
    if looks().any(|(piece, value)| *value == 1 && is_low(piece) && zeros >> piece.lsb & 1 == 1) {
        return Some(Excluded::Already);
    }
    if rule.kind == RuleKind::Room && (n == 2 || looks().all(|(_, value)| *value == 0)) {
        return last(n);
    }
    let (piece, value) = looks().find(|(piece, _)| is_low(piece))?;
    Some(match value {
        1 => Excluded::Bit(piece.lsb),
        _ => Excluded::Codes((piece.lsb, 1), 0..=0),
    })
}

/// Bits of a field such that every value without them is good: those that leave the most values; or the flag on top of
/// it, if every value is good without.
fn harmless(tables: &Tables, check: &Check) -> Option<u64> {
    let good = set_of(tables.t, check);
    if check.hi != NONE {
        return good[..1 << check.width].iter().all(|&good| good).then_some(1 << check.hi);
    }
    let holds = |&bits: &usize| (0..good.len()).all(|value| value & bits != 0 || good[value]);
    (0..good.len()).filter(holds).min_by_key(|bits| bits.count_ones()).map(|bits| (bits as u64) << check.lsb)
}

/// How the opcode is gathered: see `FastOpcodeSpace` in src/decode/fast.rs.
struct Gather {
    op: u32,
    op_mask: u32,
    gather: u64,
}

impl Gather {
    fn new(t: &Target, f: &OpcodeSpace) -> Result<Gather> {
        let bits = |piece: Piece| ((1u32 << piece.width) - 1) << piece.lsb;
        // The second field is above the opcode; that of a second operation tells nothing of the first.
        let high = f.seg.filter(|_| f.second().is_none());
        let seg = high.unwrap_or(Piece { lsb: 0, width: 0 });
        let all = Gather {
            op: bits(f.op) | bits(seg),
            op_mask: (1 << (f.op.width + seg.width)) - 1,
            gather: 1 << (32 - f.op.lsb) | high.map_or(0, |seg| 1 << (32 + f.op.width - seg.lsb)),
        };
        // Each piece is multiplied by the bit of the other one too.
        let is_right = |number: u32| {
            let (op, apart) = (number & ((1 << f.op.width) - 1), number >> f.op.width);
            let product = u64::from(op << f.op.lsb | apart << seg.lsb).wrapping_mul(all.gather);
            (product >> 32) as u32 & all.op_mask == number
        };
        match (0..=all.op_mask).all(is_right) {
            true => Ok(all),
            false => {
                t.row.at.err(format!("the pieces of {}'s opcode lie so that src/decode/fast.rs mixes them up", f.name))
            }
        }
    }
}

pub fn tables(w: &mut String, tables: &Tables) -> Result<()> {
    let t = tables.t;
    // The first constraints is that of no operation.
    let constraints: Vec<Option<Fast>> =
        tables.constraints.list.iter().enumerate().map(|(n, c)| fast(tables, c).filter(|_| n != 0)).collect();
    // Codes are of a kind if they are in the same sets.
    let field = |n: usize| {
        let sets = constraints.iter().flatten().flat_map(|c| [&c.good[n], &c.literal[n]]).collect::<BTreeSet<_>>();
        let mut columns = Vec::new();
        let column = |code: usize| sets.iter().map(|s| s[code]).collect::<Vec<bool>>();
        let kinds: Vec<u8> = (0..512).map(|code| number(&mut columns, column(code))).collect();
        room(t, "groups of codes in a field", columns.len(), 5)?;
        let bad = |set: usize| columns.iter().zip(0..).fold(0u32, |bad, (c, kind)| bad | u32::from(!c[set]) << kind);
        let bad = sets.into_iter().zip(0..).map(|(set, n)| (set, bad(n))).collect();
        Ok((kinds.into_iter().map(|kind| 1 << kind).collect(), bad))
    };
    let checked = (0..4).map(field).collect::<Result<Vec<(Vec<u32>, HashMap<&Vec<bool>, u32>)>>>()?;

    let leads = (0..512).map(|top| {
        let opcode_space = t.lut[top];
        let two = opcode_space != 0 && t.opcode_spaces[usize::from(opcode_space) - 1].dwords == 2;
        let more = if two { 4 } else { 0 };
        u16::from(opcode_space) << 5 | more
    });
    writeln!(w, "#[cfg(feature = \"fast\")]\npub(crate) static FAST_DECODE: FastDecode = FastDecode {{").unwrap();
    writeln!(w, "leads: {:?},\nopcode_spaces: padded(&[NO_FAST_OPCODE_SPACE,", leads.collect::<Vec<_>>()).unwrap();
    for (f, checked) in t.opcode_spaces.iter().zip(&tables.constraints.checked) {
        if f.is_joined() {
            writeln!(w, "NO_FAST_OPCODE_SPACE,").unwrap();
            continue;
        }
        let lsb = CHECKED_FIELDS[*checked].map(|field| field.0);
        let Gather { op, op_mask, gather } = Gather::new(t, f)?;
        let (base, target) = (f.base, camel(&t.row.name));
        let (all, dwords) = if f.dwords == 2 { (u64::MAX, 2) } else { (u32::MAX.into(), 1) };
        writeln!(
            w,
            "FastOpcodeSpace {{ lsb: {lsb:?}, op: {op:#x}, op_mask: {op_mask:#x}, gather: {gather:#x}, all: {all:#x}, \
             meta: Inst::meta_of(Target::{target}, {dwords}) | {base} }},",
        )
        .unwrap();
    }
    let mut of_index = tables.of_index.clone();
    while of_index.last() == Some(&0) {
        of_index.pop();
    }
    writeln!(w, "], NO_FAST_OPCODE_SPACE),\nconstraints_of: padded(&{of_index:?}, 0),\nconstraints: padded(&[")
        .unwrap();
    for c in &constraints {
        match c {
            None => writeln!(w, "NO_FAST_CONSTRAINTS,").unwrap(),
            Some(c) => {
                let zeros = c.zeros;
                let bad: Vec<u32> = checked.iter().zip(&c.good).map(|((_, bad), good)| bad[good]).collect();
                writeln!(w, "FastConstraints {{ zeros: {zeros:#x}, bad: {bad:?} }},").unwrap();
            }
        }
    }
    writeln!(w, "], NO_FAST_CONSTRAINTS),\nliterals: padded(&[").unwrap();
    for c in &constraints {
        let literal = |c: &Fast| checked.iter().zip(&c.literal).map(|((_, bad), literal)| !bad[literal]).collect();
        writeln!(w, "{:?},", c.as_ref().map_or(vec![0; 4], literal)).unwrap();
    }
    let kinds: Vec<&Vec<u32>> = checked.iter().map(|field| &field.0).collect();
    let is_branch =
        |operation: &Option<Operation>| operation.as_ref().is_some_and(|operation| t.infos[operation.info].label);
    let bits = |operations: &[Option<Operation>]| {
        operations.iter().zip(0..).fold(0, |all, (s, n)| all | u64::from(is_branch(s)) << n)
    };
    let branches: Vec<u64> = t.operations.chunks(64).map(bits).collect();
    writeln!(w, "], [0; 4]),\nkinds: {kinds:?},\nbranches: padded(&{branches:?}, 0),\n}};").unwrap();
    Ok(())
}
