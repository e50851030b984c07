//! The data for the fast path of decoding one target: the words that are valid without a further check. `FastDecode` in
//! src/table/fast_decode.rs describes the tables.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use crate::build::lower::decode::{
    CHECKED_FIELDS, Constraints, SCALARS, Tables, TrailingDword, code_set, groups, set_of,
};
use crate::build::lower::rules::Rule;
use crate::build::lower::{Check, NONE, OpcodeSpace, Target, trailing};
use crate::build::model::Piece;
use crate::build::model::error::Result;
use crate::build::shared::{RuleKind, constraint_flags};

/// The tables of one target, before they are written.
pub struct FastTables {
    /// An entry for each value of the top nine bits. Bits 5 and up are the opcode space counted from one, and bits 0 to
    /// 4 the size of the second dword in bytes. The entry is 1 if each instruction has more than two dwords, or two
    /// operations.
    pub leads: Vec<u16>,
    /// Opcode spaces; `None` if the fast path does not decode the space, because its opcode is not entirely in the
    /// first dword, or is two opcodes.
    pub opcode_spaces: Vec<Option<FastOpcodeSpace>>,
    /// The number of the constraints of each opcode index.
    pub of_index: Vec<u16>,
    /// The constraints; `None` if the words need a further check.
    pub constraints: Vec<Option<FastConstraints>>,
    /// The group of each code, as one bit, for each checked field.
    pub groups: Vec<Vec<u32>>,
}

pub struct FastOpcodeSpace {
    /// The lowest bits of the checked fields.
    pub lsb: [u8; 4],
    pub gather: Gather,
    pub base: usize,
    pub dwords: u8,
}

pub struct FastConstraints {
    pub zeros: u64,
    /// The bits of the third dword that must be zero, and the bits that must not all be set.
    pub third: [u32; 2],
    /// The groups of codes that each checked field must not have.
    pub bad: [u32; 4],
    /// The groups of codes in each checked field that announce a literal.
    pub literals: [u32; 4],
}

impl FastTables {
    pub fn new(tables: &Tables) -> Result<FastTables> {
        let t = tables.t;
        let known = &mut Known::new();
        // The first constraints belong to unused opcode indices.
        let mut all: Vec<Option<Fast>> = tables
            .constraints
            .list
            .iter()
            .enumerate()
            .map(|(n, c)| fast(tables, c, known).filter(|_| n != 0))
            .collect();
        (0..4).for_each(|field| limit_groups(&mut all, field));
        let groups: Vec<_> = (0..4).map(|n| Groups::new(&all, n)).collect();
        let each = |c: &Fast, n: usize| (groups[n].outside[&c.good[n]], !groups[n].outside[&c.literal[n]]);
        let constraints = |c: &Option<Fast>| {
            let c = c.as_ref()?;
            let fields: [(u32, u32); 4] = std::array::from_fn(|n| each(c, n));
            let (zeros, third) = (c.zeros as u64, [(c.zeros >> 64) as u32, c.last]);
            Some(FastConstraints { zeros, third, bad: fields.map(|f| f.0), literals: fields.map(|f| f.1) })
        };
        let constraints = all.iter().map(constraints).collect();
        let leads = (0..512).map(|top| {
            let opcode_space = t.lut[top];
            let space = usize::from(opcode_space).checked_sub(1).map(|n| &t.opcode_spaces[n]);
            match space.map_or((1, false), |space| (space.dwords, space.second_op_base().is_some())) {
                (1, false) => u16::from(opcode_space) << 5,
                (2, false) => u16::from(opcode_space) << 5 | 4,
                _ => 1,
            }
        });
        let mut opcode_spaces = Vec::new();
        for (f, &checked) in t.opcode_spaces.iter().zip(&tables.constraints.checked) {
            let lsb = CHECKED_FIELDS[checked].map(|field| field.0);
            opcode_spaces.push(match f.is_joined() || f.ends_in_second_dword() || f.second_op_base().is_some() {
                true => None,
                false => Some(FastOpcodeSpace { lsb, gather: Gather::new(t, f)?, base: f.base, dwords: f.dwords }),
            });
        }
        let mut of_index = tables.of_index.clone();
        while of_index.last() == Some(&0) {
            of_index.pop();
        }
        let groups = groups.iter().map(|groups| groups.of_code.clone()).collect();
        Ok(FastTables { leads: leads.collect(), opcode_spaces, of_index, constraints, groups })
    }
}

/// The groups of codes in one checked field: codes are in one group if no set distinguishes them.
struct Groups<'a> {
    /// The group of each code, as one bit.
    of_code: Vec<u32>,
    /// The groups that are not in a set, for each set.
    outside: BTreeMap<&'a Vec<bool>, u32>,
}

impl<'a> Groups<'a> {
    fn new(all: &'a [Option<Fast>], field: usize) -> Self {
        let sets: BTreeSet<_> = all.iter().flatten().flat_map(|c| [&c.good[field], &c.literal[field]]).collect();
        let (of_code, firsts) = groups(sets.iter().copied());
        let outside = |set: &Vec<bool>| {
            firsts.iter().zip(0..).fold(0, |all, (code, group)| all | u32::from(!set[*code]) << group)
        };
        let outside = sets.into_iter().map(|set| (set, outside(set))).collect();
        Groups { of_code: of_code.into_iter().map(|group| 1 << group).collect(), outside }
    }
}

/// The greatest number of groups of codes in a field: each group is a bit of a `u32`.
const GROUPS: usize = 32;

/// Removes the constraints whose sets are rarest, until the codes of a field are in few enough groups. Words with these
/// constraints take the longer path.
fn limit_groups(all: &mut [Option<Fast>], field: usize) {
    loop {
        let mut users: BTreeMap<&Vec<bool>, usize> = BTreeMap::new();
        for c in all.iter().flatten() {
            *users.entry(&c.good[field]).or_insert(0) += 1;
            *users.entry(&c.literal[field]).or_insert(0) += 1;
        }
        let (_, firsts) = groups(users.keys().copied());
        if firsts.len() <= GROUPS {
            return;
        }
        let rarest = users.into_iter().min_by_key(|(_, users)| *users).map(|(set, _)| set.clone()).unwrap_or_default();
        for c in all.iter_mut() {
            let is_rare = c.as_ref().is_some_and(|c| c.good[field] == rarest || c.literal[field] == rarest);
            *c = c.take().filter(|_| !is_rare);
        }
    }
}

/// Whether instructions of some target have a third dword that the fast path reads.
pub fn any_third(all: &[Tables]) -> bool {
    let after = |c: &Constraints| if c.trailing_dwords.iter().any(|dword| dword.form == 0) { 1 } else { 0 };
    all.iter().flat_map(|t| &t.constraints.list).any(|c| c.dwords + after(c) > 2)
}

/// Bits of `trailing`. If a bit is set, 255 in the checked field next to it announces a literal.
const LITERALS: [(u8, (u8, u8)); 3] = [(trailing::SSRC0, (0, 8)), (trailing::SSRC1, (8, 8)), (trailing::SRC0, (0, 9))];

/// The masks that are already known, by sets of allowed values: every value without the mask's bits is allowed. `None`
/// for a set without such a mask.
type Known = BTreeMap<Vec<bool>, Option<usize>>;

/// The conditions under which words need no further check.
struct Fast {
    /// The bits that must be zero.
    zeros: u128,
    /// Bits of the third dword that must not all be set: those of a register that must not be the last one. If there is
    /// no such register, `last` has all bits: then a literal of 0xffffffff also takes the longer path, which is rare.
    last: u32,
    /// The allowed codes of each checked field.
    good: [Vec<bool>; 4],
    /// The codes of each checked field that announce a literal and have no other meaning; none if no literal can
    /// follow.
    literal: [Vec<bool>; 4],
}

/// The conditions under which words of constraints need no further check; `None` if they always need one.
fn fast(tables: &Tables, c: &Constraints, known: &mut Known) -> Option<Fast> {
    let checked = CHECKED_FIELDS[c.checked];
    let is_dual = tables.t.formats[c.parts.0].def.dual.is_some();
    if c.flags & constraint_flags::SIZED != 0 || c.dwords > 3 || c.trailing & trailing::ALWAYS != 0 && !is_dual {
        return None;
    }
    let mut good = c.sets.map(|set| tables.constraints.sets[usize::from(set)].clone());
    let mut forbid = |field: (u8, u8), is_bad: &dyn Fn(usize) -> bool| {
        let n = checked.iter().position(|&(lsb, width)| lsb == field.0 && width >= field.1)?;
        let mask = (1 << field.1) - 1;
        (0..good[n].len()).filter(|&code| is_bad(code & mask)).for_each(|code| good[n][code] = false);
        Some(())
    };
    let codes = &tables.t.code;
    let literals = LITERALS.map(|(bit, field)| (bit, field, codes.literal));
    let others = [(trailing::SDWA, (0, 9), codes.sdwa), (trailing::DPP, (0, 9), codes.dpp)];
    for (bit, field, code) in literals.into_iter().chain(others) {
        if c.trailing & bit != 0 {
            forbid(field, &|n| n == usize::from(code))?;
        }
    }
    // An instruction with a dword that always follows is too long for the fast path.
    if c.trailing_dwords.iter().any(|dword| dword.field.1 == 0) {
        return None;
    }
    for dword in &c.trailing_dwords {
        forbid(dword.field, &|n| (dword.codes.0.into()..=dword.codes.1.into()).contains(&n))?;
    }
    // Bits that must be one must be in a checked field.
    let mut ones = c.ones;
    for &(lsb, width) in checked.iter().filter(|field| field.1 != 0) {
        let bits = (ones >> lsb) as usize & ((1 << width) - 1);
        if bits != 0 {
            forbid((lsb, width), &|n| n & bits != bits)?;
            ones &= !((bits as u128) << lsb);
        }
    }
    if ones != 0 {
        return None;
    }
    let (mut zeros, mut last) = (c.zeros, u32::MAX);
    let mut not_last = |field: (u8, u8)| {
        let bits = ((1u32 << field.1) - 1).checked_shl((field.0 - 64).into())?;
        (last == u32::MAX || last == bits).then(|| last = bits)
    };
    for check in c.more.iter().chain(&c.high_checks) {
        let good = set_of(tables.t, check);
        match check.lsb >= 64 && check.hi == NONE && good.iter().rev().skip(1).all(|&good| good) {
            true => not_last((check.lsb, check.width))?,
            false => zeros |= harmless(good, check, known)?,
        }
    }
    let scalars = code_set(tables.t, &SCALARS);
    for rule in &c.rules {
        match excluded(rule, zeros as u64)? {
            Excluded::Already => {}
            Excluded::Bit(bit) => zeros |= 1 << bit,
            Excluded::Codes(field, codes) if field.0 >= 64 && codes.start() == codes.end() => not_last(field)?,
            Excluded::Codes(field, codes) => forbid(field, &|n| codes.contains(&n))?,
            Excluded::Others(field) => forbid(field, &|n| scalars[n / 32] >> (n % 32) & 1 == 0)?,
        }
    }
    for (good, field) in good.iter_mut().zip(checked) {
        *good = if field.1 == 0 { vec![true; 512] } else { good[..1 << field.1].repeat(512 >> field.1) };
    }
    let announced = |field: (u8, u8)| {
        let flag = LITERALS.iter().find(|l| l.1 == field).map_or(0, |l| l.0);
        let is_listed =
            |d: &TrailingDword| d.form == 0 && d.field == field && d.codes == (codes.literal, codes.literal);
        let is = c.trailing & flag != 0 && c.dwords == 1 || c.trailing_dwords.iter().any(is_listed);
        let mut all = vec![false; 512];
        if is && codes.literal < 1 << field.1 {
            (codes.literal.into()..512).step_by(1 << field.1).for_each(|code: usize| all[code] = true);
        }
        all
    };
    Some(Fast { zeros, last, good, literal: checked.map(announced) })
}

/// The words to exclude so that a rule always holds.
enum Excluded {
    /// No further words: other conditions already exclude them.
    Already,
    /// Words in which this bit is set.
    Bit(u8),
    /// Words with these codes in a checked field, or with the last code in a field of the third dword.
    Codes((u8, u8), RangeInclusive<usize>),
    /// Words with codes in a checked field that are not scalar registers.
    Others((u8, u8)),
}

/// The words that the fast path excludes because of a rule. A few words that the rule allows are also excluded: words
/// with the last registers of a file, or with the first flag that the rule reads.
fn excluded(rule: &Rule, zeros: u64) -> Option<Excluded> {
    let looks = || rule.looks.iter().filter(|(piece, _)| piece.width == 1);
    let is_low = |piece: &Piece| piece.lsb + piece.width <= 64;
    let (field, n) = ((rule.field.lsb, rule.field.width), usize::from(rule.n));
    let last = |n: usize| Some(Excluded::Codes(field, (1usize << field.1) + 1 - n..=(1usize << field.1) - 1));
    if rule.kind == RuleKind::Image {
        // Image data has up to four components, and the fail status.
        return last(5);
    }
    if looks().any(|(piece, value)| *value == 1 && is_low(piece) && zeros >> piece.lsb & 1 == 1) {
        return Some(Excluded::Already);
    }
    if rule.kind == RuleKind::RegisterRun && (n == 2 || looks().all(|(_, value)| *value == 0)) {
        return last(n);
    }
    if rule.kind == RuleKind::Scalar && looks().next().is_none() {
        return Some(Excluded::Others(field));
    }
    let (piece, value) = looks().find(|(piece, _)| is_low(piece))?;
    Some(match value {
        1 => Excluded::Bit(piece.lsb),
        _ => Excluded::Codes((piece.lsb, 1), 0..=0),
    })
}

/// The smallest set of bits of a field such that every value without these bits is allowed; or the flag on top of the
/// field, if every value without the flag is allowed.
fn harmless(good: Vec<bool>, check: &Check, known: &mut Known) -> Option<u128> {
    if check.hi != NONE {
        return good[..1 << check.width].iter().all(|&good| good).then_some(1 << check.hi);
    }
    let bits = *known.entry(good).or_insert_with_key(|good| {
        let bad: Vec<usize> = (0..good.len()).filter(|&value| !good[value]).collect();
        let holds = |&bits: &usize| bad.iter().all(|value| value & bits != 0);
        (0..good.len()).filter(holds).min_by_key(|bits| bits.count_ones())
    });
    bits.map(|bits| (bits as u128) << check.lsb)
}

/// The numbers that gather the pieces of the opcode into one: see `FastOpcodeSpace` in src/table/fast_decode.rs.
pub struct Gather {
    pub op: u32,
    pub op_mask: u32,
    pub gather: u64,
}

impl Gather {
    fn new(t: &Target, f: &OpcodeSpace) -> Result<Gather> {
        let bits = |piece: Piece| ((1u32 << piece.width) - 1) << piece.lsb;
        // In the gathered opcode, the second field is above the first.
        let high = f.high_op;
        let seg = high.unwrap_or(Piece { lsb: 0, width: 0 });
        let all = Gather {
            op: bits(f.op) | bits(seg),
            op_mask: (1 << (f.op.width + seg.width)) - 1,
            gather: 1 << (32 - f.op.lsb) | high.map_or(0, |seg| 1 << (32 + f.op.width - seg.lsb)),
        };
        // Each bit of `gather` moves one piece of the opcode to its place, and the other piece to bits where it must
        // not disturb the result.
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
