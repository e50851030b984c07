//! Matching of a producer and a consumer with a rule.

use crate::hazards::need::Doubt;
use crate::hazards::owed::Owed;
use crate::hazards::uses::{Run, Use, Uses, share};
use crate::hazards::{Need, Rule};
use crate::imm::Hwreg;
use crate::inst::Inst;
use crate::opcode::Field;
use crate::registers::RegSet;
use crate::table::NONE;
use crate::table::hazards::{Accessed, ByFile, Condition, Differs, HazardRow, HazardTables, Overlap, Side, file};
use crate::value::Reg;

/// A match of two instructions with a rule.
#[derive(Clone, Copy)]
pub(crate) struct Match {
    /// A register that both instructions access, if the rule is about registers.
    pub register: Option<Reg>,
    /// The reason why the match is not certain.
    pub doubt: Option<Doubt>,
}

impl Match {
    /// A match that is certain.
    pub const fn sure(register: Option<Reg>) -> Match {
        Match { register, doubt: None }
    }

    /// A match by a register that is perhaps a part of an image's address. `register` is a bit of `RegSet`.
    fn of_dimensions(consumer: &Uses<'_>, register: usize) -> Match {
        let register = RegSet::register(consumer.inst.target(), register);
        Match { register, doubt: Some(Doubt::Dimensions) }
    }
}

impl Need {
    /// The need that a row and an earlier instruction, with its place, cause.
    pub(super) fn of(row: &HazardRow, missing: u8, (producer, place): (Inst, u32), found: Match) -> Need {
        let Match { register, doubt } = found;
        Need { rule: Rule(row.rule), missing, producer, place, register, doubt }
    }
}

/// The match of a producer and a consumer by a row, if the row's conditions on both together hold. The caller has
/// checked the conditions on each instruction.
pub(crate) fn matches(row: &HazardRow, producer: &Uses<'_>, consumer: &Uses<'_>) -> Option<Match> {
    if !differ(row, producer.inst, consumer.inst) {
        return None;
    }
    let sure = matches_known(row, producer, consumer).map(Match::sure);
    sure.or_else(|| {
        (producer.is_bank_unknown() || consumer.is_bank_unknown()).then(|| perhaps(row, producer, consumer))?
    })
    .or_else(|| by_dimensions(row, producer, consumer))
}

/// The uncertain match of registers that belong to an image's address only if the image has enough dimensions.
fn by_dimensions(row: &HazardRow, producer: &Uses<'_>, consumer: &Uses<'_>) -> Option<Match> {
    let shared = |more: Run, side, other| {
        let run = runs(side, other).find(|run| share(*run, more))?;
        Some(run.0.max(more.0))
    };
    let consumed = || shared(perhaps_read(&row.consumer, consumer)?, &row.producer, producer);
    let produced = || shared(perhaps_read(&row.producer, producer)?, &row.consumer, consumer);
    let is_meant = matches!(row.overlap, Overlap::Share);
    let first = if is_meant { consumed().or_else(produced) } else { None };
    first.map(|first| Match::of_dimensions(consumer, first))
}

/// The registers that the instruction reads if an image has enough dimensions. `None` if there are none, or if the side
/// is not about the image's address.
pub(crate) fn perhaps_read(side: &Side, uses: &Uses<'_>) -> Option<Run> {
    let more = Some(uses.inst.perhaps_read()).filter(|(_, count)| *count != 0)?;
    let accessed = side.operands.as_ref()?;
    let is_address = |one: &Use| one.role == Some(Field::Vaddr) && is_accessed(accessed, uses, one);
    uses.iter().any(|one| is_address(&one)).then_some(more)
}

/// The uncertain match of vector registers in any banks (groups of 256), if the upper bits of the numbers are unknown
/// in one of the instructions.
#[cold]
fn perhaps(row: &HazardRow, producer: &Uses<'_>, consumer: &Uses<'_>) -> Option<Match> {
    if !row.is_about_registers() {
        return None;
    }
    let lowered = |(first, count): Run| (usize::from(RegSet::in_bank(first as u16, 0)), count);
    let vectors = |(first, count): &Run| *count != 0 && RegSet::is_vector(*first);
    let mut own = all_runs(&row.producer, producer).filter(vectors).map(lowered);
    let met = own.find_map(|a| {
        let mut others = all_runs(&row.consumer, consumer).filter(vectors).map(lowered);
        others.find(|b| share(a, *b)).map(|b| a.0.max(b.0))
    })?;
    Some(Match { register: RegSet::register(consumer.inst.target(), met), doubt: Some(Doubt::Bank) })
}

/// The register that both instructions access in a match by known registers; `Some(None)` if they match by a rule that
/// is not about registers, and `None` if they do not match.
fn matches_known(row: &HazardRow, producer: &Uses<'_>, consumer: &Uses<'_>) -> Option<Option<Reg>> {
    match row.overlap {
        Overlap::None | Overlap::Hwreg => {
            let is_one = || !matches!(row.overlap, Overlap::Hwreg) || hwreg(producer.inst).0 == hwreg(consumer.inst).0;
            let has_both = has_operand(&row.producer, producer) && has_operand(&row.consumer, consumer);
            (has_both && is_one()).then_some(None)
        }
        Overlap::Share | Overlap::Same | Overlap::Other | Overlap::Parity => {
            let consumed = Runs::of(&row.consumer, consumer);
            let run = runs(&row.producer, producer).find(|a| {
                consumed.any(|b| match row.overlap {
                    Overlap::Same => *a == b,
                    Overlap::Other => *a != b && share(*a, b),
                    _ => share(*a, b),
                })
            })?;
            Some(first_shared(row, run, consumer))
        }
    }
}

/// The registers of the operands that a rule is about, as runs that are found once.
struct Runs<'a> {
    all: [(u16, u16); 8],
    count: usize,
    /// The side and the instruction from which the runs are found again if `all` has no room for them.
    from: (&'a Side, &'a Uses<'a>),
}

impl<'a> Runs<'a> {
    fn of(side: &'a Side, uses: &'a Uses<'a>) -> Runs<'a> {
        let mut found = Runs { all: [(0, 0); 8], count: 0, from: (side, uses) };
        for (first, count) in runs(side, uses) {
            if let Some(place) = found.all.get_mut(found.count) {
                *place = (first as u16, count as u16);
            }
            found.count += 1;
        }
        found
    }

    fn any(&self, mut is: impl FnMut(Run) -> bool) -> bool {
        match self.all.get(..self.count) {
            Some(all) => all.iter().any(|(first, count)| is((usize::from(*first), usize::from(*count)))),
            None => runs(self.from.0, self.from.1).any(is),
        }
    }
}

/// The match of a consumer with the registers that the entry `owed` still has. The caller has checked the conditions on
/// each instruction.
pub(crate) fn matches_run(row: &HazardRow, owed: &Owed, consumer: &Uses<'_>) -> Option<Match> {
    let run = (usize::from(owed.first), usize::from(owed.count));
    if !differ(row, &owed.inst, consumer.inst) {
        return None;
    }
    let doubt = owed.perhaps.then_some(Doubt::Dimensions);
    if runs(&row.consumer, consumer).any(|other| share(other, run)) {
        return Some(Match { register: first_shared(row, run, consumer), doubt });
    }
    let more = perhaps_read(&row.consumer, consumer).filter(|more| share(*more, run))?;
    Some(Match::of_dimensions(consumer, run.0.max(more.0)))
}

/// Whether the row's condition on both instructions holds.
fn differ(row: &HazardRow, producer: &Inst, consumer: &Inst) -> bool {
    match row.differs {
        Differs::Nothing => true,
        Differs::SameOp => producer.opcode() == consumer.opcode(),
        Differs::OtherOp => producer.opcode() != consumer.opcode(),
        Differs::Passes => passes(producer) != passes(consumer),
    }
}

/// The first register of a run that the consumer accesses.
fn first_shared(row: &HazardRow, run: Run, consumer: &Uses<'_>) -> Option<Reg> {
    let first = runs(&row.consumer, consumer).filter(|other| share(*other, run)).map(|other| other.0).min();
    RegSet::register(consumer.inst.target(), run.0.max(first.unwrap_or(0)))
}

impl HazardRow {
    /// Whether the row is about registers, which both instructions have to access.
    pub(crate) fn is_about_registers(&self) -> bool {
        matches!(self.overlap, Overlap::Share | Overlap::Same | Overlap::Other | Overlap::Parity)
    }
}

/// A register of the first producer, and not of the second, that the consumer accesses together with one of the second.
pub(crate) fn matches_two(row: &HazardRow, [first, second]: [&Uses<'_>; 2], consumer: &Uses<'_>) -> Option<Reg> {
    let of = |run: Run, inst: &Uses<'_>| runs(&row.producer, inst).any(|other| share(run, other));
    let is_pair = |own: Run, other: Run| !matches!(row.overlap, Overlap::Parity) || own.0 % 2 == other.0 % 2;
    let of_second = |own: Run| runs(&row.consumer, consumer).any(|run| of(run, second) && is_pair(own, run));
    let is_one = |run: &Run| of(*run, first) && !of(*run, second) && of_second(*run);
    let own = runs(&row.consumer, consumer).find(is_one)?;
    let from = runs(&row.producer, first).find(|other| share(own, *other))?;
    RegSet::register(consumer.inst.target(), own.0.max(from.0))
}

/// Returns a test of an earlier instruction and its side of a rule: whether all registers of that side are among those
/// of `side` in `new`.
pub(crate) fn covering<'a>(side: &'a Side, new: &'a Uses<'a>) -> impl Fn(&Side, &Uses<'_>) -> bool {
    let all = Runs::of(side, new);
    // Registers in an unknown bank are never covered.
    let is_known = |old_side: &Side, old: &Uses<'_>| {
        !old.is_bank_unknown() || all_runs(old_side, old).all(|(first, _)| !RegSet::is_vector(first))
    };
    move |old_side, old| {
        is_known(old_side, old)
            && runs(old_side, old).all(|(first, count)| all.any(|(a, n)| a <= first && first + count <= a + n))
    }
}

/// The registers of an earlier instruction's vector result that are among those of `side` in `new`: bit N stands for
/// the N-th register, counted from 0.
pub(crate) fn overwritten(old: &Uses<'_>, side: &Side, new: &Uses<'_>) -> u32 {
    let Some((first, count)) = result(old) else { return 0 };
    runs(side, new).fold(0, |gone, (other, n)| {
        let (from, to) = (other.max(first), (other + n).min(first + count));
        (from..to).fold(gone, |gone, register| gone | bit(register - first))
    })
}

/// Whether no register of the instruction's vector result is left.
pub(crate) fn is_gone(uses: &Uses<'_>, gone: u32) -> bool {
    result(uses).is_some_and(|(_, count)| (0..count).all(|n| gone & bit(n) != 0))
}

/// Matches a producer as [`matches`] does, but without the registers of its vector result that were overwritten (the
/// set bits of `gone`), and without registers in unknown banks.
pub(crate) fn matches_rest(row: &HazardRow, (producer, gone): (&Uses<'_>, u32), consumer: &Uses<'_>) -> Option<Match> {
    let own @ (first, count) = result(producer)?;
    let is_meant = |other: &Run| match row.overlap {
        Overlap::Same => *other == own,
        Overlap::Other => *other != own,
        _ => true,
    };
    let left = |(other, n): Run| {
        let mut both = other.max(first)..(other + n).min(first + count);
        both.find(|register| gone & bit(register - first) == 0)
    };
    if !differ(row, producer.inst, consumer.inst) {
        return None;
    }
    match runs(&row.consumer, consumer).filter(is_meant).filter_map(left).min() {
        Some(register) => Some(Match::sure(RegSet::register(consumer.inst.target(), register))),
        None => {
            let more = perhaps_read(&row.consumer, consumer).filter(|_| matches!(row.overlap, Overlap::Share))?;
            left(more).map(|register| Match::of_dimensions(consumer, register))
        }
    }
}

/// The parts of a producer that decide, with its opcode, which consumers match: its result, its passes, and its
/// registers for each of the rows.
pub(crate) fn parts<'a>(tables: &HazardTables, rows: u128, uses: &'a Uses<'a>) -> impl Iterator<Item = Run> + use<'a> {
    let own = [result(uses).unwrap_or_default(), (passes(uses.inst).into(), 0)];
    // The number of each row separates its registers from those of the row before it.
    let of_row =
        |(n, row): (usize, &'static HazardRow)| [(n, usize::MAX)].into_iter().chain(all_runs(&row.producer, uses));
    own.into_iter().chain(tables.numbered(rows).flat_map(of_row))
}

/// The first operand that the instruction writes in vector registers.
fn result(uses: &Uses<'_>) -> Option<Run> {
    uses.iter().find(|one| one.access.writes() && one.files & file::VECTOR != 0).map(|one| one.run())
}

/// The bit of the N-th register of a result, counted from 0; 0 if N is above 31.
fn bit(n: usize) -> u32 {
    1u32.checked_shl(n as u32).unwrap_or(0)
}

/// The passes of the matrix core that the instruction takes; 0 if it does not use the core.
pub(crate) fn passes(inst: &Inst) -> u8 {
    let [less, more] = HazardTables::of(inst).classes(inst).first.passes;
    // The formats 0 and 1 of A and B have 8 bits, and the other formats fewer.
    let bytes = |field| inst.get(field).is_some_and(|format| format < 2);
    if less != more && (bytes(Field::Cbsz) || bytes(Field::Blgp)) { more } else { less }
}

impl ByFile {
    /// The rows among `rows` whose side may match an instruction, before its operands and fields are examined.
    pub(crate) fn among(&self, rows: u128, uses: &Uses<'_>) -> u128 {
        let rows = if uses.inst.form() == 0 { rows & !self.trailing } else { rows };
        if rows == 0 {
            return 0;
        }
        let (reads, writes) = uses.files;
        let of = |rows: &[u128; 8], mut files: u8| {
            let mut set = 0;
            while let Some(of_file) = rows.get(files.trailing_zeros() as usize) {
                set |= of_file;
                files &= files.wrapping_sub(1);
            }
            set
        };
        rows & (self.any | of(&self.reads, reads) | of(&self.writes, writes))
    }
}

/// Whether the conditions of the side hold.
pub(crate) fn conditions_hold(side: &Side, uses: &Uses<'_>) -> bool {
    side.conditions.iter().all(|condition| condition_holds(condition, uses))
}

/// Whether the conditions of the side hold, and the instruction has one of the operands that the side is about, if any.
pub(crate) fn holds(side: &Side, uses: &Uses<'_>) -> bool {
    conditions_hold(side, uses) && has_operand(side, uses)
}

/// Whether the instruction has an operand that the side is about, or the side is not about operands.
pub(crate) fn has_operand(side: &Side, uses: &Uses<'_>) -> bool {
    side.operands.as_ref().is_none_or(|accessed| uses.iter().any(|one| is_accessed(accessed, uses, &one)))
}

fn condition_holds(condition: &Condition, uses: &Uses<'_>) -> bool {
    let inst = uses.inst;
    match *condition {
        Condition::Form(format) => inst.form() != 0 && inst.extension() == Some(format),
        Condition::Flag(flag) => uses.facts() & flag != 0,
        Condition::AnyBit(field, mask) => inst.get(field).is_some_and(|value| value & mask != 0),
        Condition::NoBit(field, mask) => inst.get(field).is_some_and(|value| value & mask == 0),
        Condition::Is(field, wanted) => inst.get(field) == Some(wanted),
        Condition::IsNot(field, other) => inst.get(field).is_some_and(|value| value != other),
        Condition::NoRegister(field) => !uses.iter().any(|one| one.role == Some(field)),
        Condition::Hwreg(wanted, bit) => {
            let (register, first, last) = hwreg(inst);
            register == wanted && (bit == NONE || (first..=last).contains(&bit))
        }
        Condition::Seen => true,
        Condition::Own => {
            let is_read =
                |run: Run| uses.iter().any(|one| uses.reads(&one) && one.run().1 != 0 && share(one.run(), run));
            uses.iter().any(|one| one.access.writes() && one.run().1 != 0 && is_read(one.run()))
        }
        Condition::Result => uses.files.1 != 0,
        Condition::Dwords(n) => inst.words().len() > usize::from(n),
    }
}

/// The hardware register that the constant names, and the first and last bit that it covers.
fn hwreg(inst: &Inst) -> (u8, u8, u8) {
    let parts = Hwreg::decode(inst.target(), inst.get(Field::Simm16).unwrap_or(0) as u16);
    (parts.id, parts.offset, parts.offset.saturating_add(parts.size).saturating_sub(1))
}

/// The scalar registers that the side is about, as bits by their codes.
pub(crate) fn scalars(side: &Side, uses: &Uses<'_>) -> u128 {
    runs(side, uses).fold(0, |set, run| set | scalar_bits(run))
}

/// The scalar registers that the instruction writes, as bits by their codes.
pub(crate) fn written(uses: &Uses<'_>) -> u128 {
    let written = uses.iter().filter(|one| one.access.writes() && one.files & file::SCALAR != 0);
    written.fold(0, |set, one| set | scalar_bits(one.run()))
}

/// A bit for each scalar register of a run.
fn scalar_bits((first, count): Run) -> u128 {
    let some = u32::try_from(count).ok().and_then(|count| 1u128.checked_shl(count)).map_or(u128::MAX, |bit| bit - 1);
    if RegSet::is_scalar(first) { some << first } else { 0 }
}

/// The registers of the operands that the side is about, without vector registers whose upper bits are unknown.
pub(crate) fn runs<'a>(side: &'a Side, uses: &'a Uses<'a>) -> impl Iterator<Item = Run> + 'a {
    let is_known = |run: &Run| run.1 != 0 && !(uses.is_bank_unknown() && RegSet::is_vector(run.0));
    all_runs(side, uses).filter(is_known)
}

/// The registers of the operands that the side is about, in the first bank if their upper bits are unknown.
fn all_runs<'a>(side: &'a Side, uses: &'a Uses<'a>) -> impl Iterator<Item = Run> + 'a {
    let wanted = |one: &Use| side.operands.as_ref().is_some_and(|accessed| is_accessed(accessed, uses, one));
    uses.iter().filter(wanted).map(|one| one.run())
}

#[inline]
fn is_accessed(accessed: &Accessed, uses: &Uses<'_>, one: &Use) -> bool {
    let named = match one.role {
        None => accessed.implicit,
        Some(field) => accessed.named || accessed.fields.contains(&field),
    };
    (accessed.reads && uses.reads(one) || accessed.writes && one.access.writes())
        && match accessed.only {
            None => one.files & accessed.files != 0,
            Some(only) => is_among(only, uses.inst, one),
        }
        && named
        && one.bits > accessed.wider_than
        && one.bits < accessed.narrower_than
}

/// Whether the operand names the register, perhaps among others.
fn is_among(reg: Reg, inst: &Inst, one: &Use) -> bool {
    let run = one.run();
    one.reg == reg || run.1 != 0 && share(run, RegSet::bits_of(inst.target(), reg))
}
