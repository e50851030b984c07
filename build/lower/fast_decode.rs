//! What the fast path of decoding needs of one target: which words are in order without a further look. `FastDecode` in
//! src/decode/fast.rs describes the tables.

use std::collections::{BTreeSet, HashMap};
use std::ops::RangeInclusive;

use crate::build::check::assume::room;
use crate::build::lower::decode::{CHECKED_FIELDS, Constraints, Tables, set_of};
use crate::build::lower::pages::number;
use crate::build::lower::rules::Rule;
use crate::build::lower::{Check, NONE, OpcodeSpace, Operation, Target, trailing};
use crate::build::model::Piece;
use crate::build::model::error::Result;
use crate::build::shared::{RuleKind, marks};

/// The tables of one target, before they are written.
pub struct FastTables {
    /// For each value of the top nine bits: the opcode space counted from one, above five bits with the bytes of the
    /// second dword.
    pub leads: Vec<u16>,
    /// `None`: one whose opcode does not lie in the first dword, which the fast path does not know.
    pub opcode_spaces: Vec<Option<FastOpcodeSpace>>,
    /// Constraints of each opcode index.
    pub of_index: Vec<u16>,
    /// `None`: the words need a further look.
    pub constraints: Vec<Option<FastConstraints>>,
    /// For each checked field the group of each code, as one bit.
    pub groups: Vec<Vec<u32>>,
    /// A bit for each opcode index with a branch distance.
    pub branches: Vec<u64>,
}

pub struct FastOpcodeSpace {
    /// Lowest bits of the checked fields.
    pub lsb: [u8; 4],
    pub gather: Gather,
    pub base: usize,
    pub dwords: u8,
}

pub struct FastConstraints {
    pub zeros: u64,
    /// Groups that each checked field must not be in.
    pub bad: [u32; 4],
    /// Groups in each checked field that announce a literal.
    pub literals: [u32; 4],
}

impl FastTables {
    pub fn new(tables: &Tables) -> Result<FastTables> {
        let t = tables.t;
        // The first constraints are those of no operation.
        let all: Vec<Option<Fast>> =
            tables.constraints.list.iter().enumerate().map(|(n, c)| fast(tables, c).filter(|_| n != 0)).collect();
        let groups = (0..4).map(|n| Groups::new(t, &all, n)).collect::<Result<Vec<_>>>()?;
        let each = |c: &Fast, n: usize| (groups[n].outside[&c.good[n]], !groups[n].outside[&c.literal[n]]);
        let constraints = |c: &Option<Fast>| {
            let c = c.as_ref()?;
            let fields: [(u32, u32); 4] = std::array::from_fn(|n| each(c, n));
            Some(FastConstraints { zeros: c.zeros, bad: fields.map(|f| f.0), literals: fields.map(|f| f.1) })
        };
        let constraints = all.iter().map(constraints).collect();
        let leads = (0..512).map(|top| {
            let opcode_space = t.lut[top];
            let two = opcode_space != 0 && t.opcode_spaces[usize::from(opcode_space) - 1].dwords == 2;
            u16::from(opcode_space) << 5 | if two { 4 } else { 0 }
        });
        let mut opcode_spaces = Vec::new();
        for (f, &checked) in t.opcode_spaces.iter().zip(&tables.constraints.checked) {
            let lsb = CHECKED_FIELDS[checked].map(|field| field.0);
            opcode_spaces.push(match f.is_joined() || f.ends_in_second_dword() {
                true => None,
                false => Some(FastOpcodeSpace { lsb, gather: Gather::new(t, f)?, base: f.base, dwords: f.dwords }),
            });
        }
        let mut of_index = tables.of_index.clone();
        while of_index.last() == Some(&0) {
            of_index.pop();
        }
        let is_branch = |operation: &Option<Operation>| operation.as_ref().is_some_and(|o| t.infos[o.info].label);
        let bits = |operations: &[Option<Operation>]| {
            operations.iter().zip(0..).fold(0, |all, (o, n)| all | u64::from(is_branch(o)) << n)
        };
        let branches = t.operations.chunks(64).map(bits).collect();
        let groups = groups.iter().map(|groups| groups.of_code.clone()).collect();
        Ok(FastTables { leads: leads.collect(), opcode_spaces, of_index, constraints, groups, branches })
    }
}

/// The groups of codes in one checked field: codes are in one group if no set tells them apart.
struct Groups<'a> {
    /// The group of each code, as one bit.
    of_code: Vec<u32>,
    /// The groups that are not in each set.
    outside: HashMap<&'a Vec<bool>, u32>,
}

impl<'a> Groups<'a> {
    fn new(t: &Target, all: &'a [Option<Fast>], field: usize) -> Result<Self> {
        let sets: BTreeSet<_> = all.iter().flatten().flat_map(|c| [&c.good[field], &c.literal[field]]).collect();
        let mut columns = Vec::new();
        let column = |code: usize| sets.iter().map(|s| s[code]).collect::<Vec<bool>>();
        let groups: Vec<u8> = (0..512).map(|code| number(&mut columns, column(code))).collect();
        room(t, "groups of codes in a field", columns.len(), 5)?;
        let outside = |set: usize| columns.iter().zip(0..).fold(0, |all, (c, group)| all | u32::from(!c[set]) << group);
        let outside = sets.into_iter().zip(0..).map(|(set, n)| (set, outside(n))).collect();
        Ok(Groups { of_code: groups.into_iter().map(|group| 1 << group).collect(), outside })
    }
}

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
    if c.marks & (marks::SIZED | marks::WIDE | marks::DUAL) != 0 || c.ones != 0 || c.trailing & trailing::ALWAYS != 0 {
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
    // What always follows is longer than what is decoded here.
    if c.trailing_dwords.iter().any(|dword| dword.field.1 == 0) {
        return None;
    }
    for dword in &c.trailing_dwords {
        forbid(dword.field, dword.codes.0.into()..=dword.codes.1.into())?;
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
pub struct Gather {
    pub op: u32,
    pub op_mask: u32,
    pub gather: u64,
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
