//! Matches a producer and a consumer against a rule.

use crate::hazards::owed::Owed;
use crate::imm::Hwreg;
use crate::inst::Inst;
use crate::opcode::{Field, Special};
use crate::registers::RegSet;
use crate::table::NONE;
use crate::table::hazards::{Accessed, ByFile, Condition, Differs, HazardRow, HazardTables, Overlap, Side, file};
use crate::target::FACTS;
use crate::value::{Operand, Reg, Value};
use crate::vgpr_msb::VgprMsb;

/// An instruction, and the upper bits of the numbers of its vector registers.
pub(crate) type Banked<'i> = (&'i Inst, VgprMsb);

/// Both instructions fulfil the rule's conditions: with a register that both access, if the rule is about registers.
pub(crate) fn matches(row: &HazardRow, producer: Banked<'_>, consumer: Banked<'_>) -> Option<Option<Reg>> {
    match row.overlap {
        Overlap::None => agree(row, producer.0, consumer.0).then_some(None),
        Overlap::Hwreg => {
            let is_one = || hwreg(producer.0).0 == hwreg(consumer.0).0;
            (agree(row, producer.0, consumer.0) && is_one()).then_some(None)
        }
        Overlap::Share | Overlap::Same | Overlap::Other => {
            // If both have operands with a register in common, both have such operands.
            let holds = conditions_hold(&row.producer, producer.0) && conditions_hold(&row.consumer, consumer.0);
            if !holds || !differ(row, producer.0, consumer.0) {
                return None;
            }
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

/// The registers of the operands that a rule is about, each found once.
struct Runs<'a> {
    all: [(u16, u16); 8],
    count: usize,
    /// The side and the instruction in which they are found again, if there are more.
    from: (&'a Side, Banked<'a>),
}

impl<'a> Runs<'a> {
    fn of(side: &'a Side, inst: Banked<'a>) -> Runs<'a> {
        let mut found = Runs { all: [(0, 0); 8], count: 0, from: (side, inst) };
        for (first, count) in runs(side, inst) {
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

/// Matches a consumer against the registers of a producer that are left.
pub(crate) fn matches_run(row: &HazardRow, owed: &Owed, consumer: Banked<'_>) -> Option<Option<Reg>> {
    let run = (usize::from(owed.first), usize::from(owed.count));
    let is_met = || runs(&row.consumer, consumer).any(|other| share(other, run));
    (agree(row, &owed.inst, consumer.0) && is_met()).then(|| first_shared(row, run, consumer))
}

/// Both instructions fulfil the rule's conditions, whatever registers they have in common.
fn agree(row: &HazardRow, producer: &Inst, consumer: &Inst) -> bool {
    differ(row, producer, consumer) && holds(&row.producer, producer) && holds(&row.consumer, consumer)
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
fn first_shared(row: &HazardRow, run: Run, consumer: Banked<'_>) -> Option<Reg> {
    let first = runs(&row.consumer, consumer).filter(|other| share(*other, run)).map(|other| other.0).min();
    RegSet::register(consumer.0.target(), run.0.max(first.unwrap_or(0)))
}

impl HazardRow {
    /// Both instructions have to access a register.
    pub(crate) fn is_about_registers(&self) -> bool {
        matches!(self.overlap, Overlap::Share | Overlap::Same | Overlap::Other)
    }
}

/// The consumer reads registers of the first producer, which the second one did not write, and others of the second:
/// one of the first.
pub(crate) fn matches_two(row: &HazardRow, [first, second]: [Banked<'_>; 2], consumer: Banked<'_>) -> Option<Reg> {
    if !holds(&row.producer, first.0) || !holds(&row.producer, second.0) || !holds(&row.consumer, consumer.0) {
        return None;
    }
    let of = |run: Run, inst: Banked<'_>| runs(&row.producer, inst).any(|other| share(run, other));
    let own = runs(&row.consumer, consumer).find(|run| of(*run, first) && !of(*run, second))?;
    runs(&row.consumer, consumer).find(|run| of(*run, second))?;
    let from = runs(&row.producer, first).find(|other| share(own, *other))?;
    RegSet::register(consumer.0.target(), own.0.max(from.0))
}

/// The first register of a run, and how many it has.
pub(crate) type Run = (usize, usize);

fn share(a: Run, b: Run) -> bool {
    a.0 < b.0 + b.1 && b.0 < a.0 + a.1
}

/// Tells of an earlier instruction whether all registers that a side of it is about are among those of this one.
pub(crate) fn covering<'a>(side: &'a Side, new: Banked<'a>) -> impl Fn(&Side, Banked<'_>) -> bool {
    let all = Runs::of(side, new);
    move |old_side, old| {
        runs(old_side, old).all(|(first, count)| all.any(|(a, n)| a <= first && first + count <= a + n))
    }
}

/// The passes of the matrix core that the instruction takes; 0 if it does not use the core.
pub(crate) fn passes(inst: &Inst) -> u8 {
    let Some([less, more]) = HazardTables::of(inst).classes(inst).next().map(|class| class.passes) else { return 0 };
    // The formats of A and B: 0 and 1 have 8 bits, the others fewer.
    let bytes = |field| inst.get(field).is_some_and(|format| format < 2);
    if less != more && (bytes(Field::Cbsz) || bytes(Field::Blgp)) { more } else { less }
}

/// The files of the registers that an instruction reads, and of those that it writes: as in `table::file`.
pub(crate) type Files = (u8, u8);

/// The files of all registers of an instruction.
pub(crate) fn all_files(inst: &Inst) -> Files {
    inst.operands().fold((0, 0), |(reads, writes), operand| {
        let files = files(inst, &operand);
        let of = |accesses| if accesses { files } else { 0 };
        (reads | of(operand.access.reads()), writes | of(operand.access.writes()))
    })
}

impl ByFile {
    /// The rows among `rows` of which an instruction with registers in these files may be what one side is about.
    pub(crate) fn among(&self, rows: u128, (reads, writes): Files) -> u128 {
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

/// The conditions hold.
pub(crate) fn conditions_hold(side: &Side, inst: &Inst) -> bool {
    side.conditions.iter().all(|condition| condition_holds(condition, inst))
}

/// The conditions hold, and if the rule is about operands, it has one.
pub(crate) fn holds(side: &Side, inst: &Inst) -> bool {
    conditions_hold(side, inst)
        && side.operands.as_ref().is_none_or(|accessed| inst.operands().any(|operand| is_of(accessed, inst, &operand)))
}

fn condition_holds(condition: &Condition, inst: &Inst) -> bool {
    match *condition {
        Condition::Form(format) => inst.form() != 0 && inst.extension() == Some(format),
        Condition::Flag(flag) => inst.facts() & flag != 0,
        Condition::AnyBit(field, mask) => inst.get(field).is_some_and(|value| value & mask != 0),
        Condition::NoBit(field, mask) => inst.get(field).is_some_and(|value| value & mask == 0),
        Condition::Is(field, wanted) => inst.get(field) == Some(wanted),
        Condition::IsNot(field, other) => inst.get(field).is_some_and(|value| value != other),
        Condition::NoRegister(field) => {
            let is_register = |operand: &Operand| matches!(operand.value, Value::Reg(_));
            !inst.operands().any(|operand| operand.role == Some(field) && is_register(&operand))
        }
        Condition::Hwreg(wanted, bit) => {
            let (register, first, last) = hwreg(inst);
            register == wanted && (bit == NONE || (first..=last).contains(&bit))
        }
        Condition::Seen => true,
        Condition::Own => inst.reads().intersects(&inst.writes()),
        Condition::Dwords(n) => inst.words().len() > usize::from(n),
    }
}

/// The hardware register that a constant names, and its first and last bit there.
fn hwreg(inst: &Inst) -> (u8, u8, u8) {
    let parts = Hwreg::decode(inst.target(), inst.get(Field::Simm16).unwrap_or(0) as u16);
    (parts.id, parts.offset, parts.offset.saturating_add(parts.size).saturating_sub(1))
}

/// The scalar registers that the rule is about, by their codes.
pub(crate) fn scalars(side: &Side, inst: &Inst) -> u128 {
    let scalar = |n: &usize| RegSet::is_scalar(*n);
    let of_run = |(first, count): Run| (first..first + count).filter(scalar).fold(0, |set, n| set | 1u128 << n);
    runs(side, (inst, VgprMsb::ENTRY)).fold(0, |set, run| set | of_run(run))
}

/// The scalar registers that it writes, by their codes.
pub(crate) fn written(inst: &Inst) -> u128 {
    const ALL: Accessed = Accessed {
        reads: false,
        writes: true,
        files: file::SCALAR,
        only: None,
        named: true,
        implicit: true,
        fields: &[],
        wider_than: 0,
        narrower_than: u16::MAX,
    };
    scalars(&Side { conditions: &[], operands: Some(ALL) }, inst)
}

/// The registers of the operands that the rule is about. Of vector registers whose upper bits are unknown there are
/// none.
pub(crate) fn runs<'a>(side: &'a Side, (inst, msb): Banked<'a>) -> impl Iterator<Item = Run> + 'a {
    let wanted = |operand: &Operand| side.operands.as_ref().is_some_and(|accessed| is_of(accessed, inst, operand));
    let run = move |operand: Operand| RegSet::run_in(inst, msb, &operand);
    let is_known = move |run: &Run| run.1 != 0 && (msb != VgprMsb::UNKNOWN || !RegSet::is_vector(run.0));
    inst.operands().filter(wanted).map(run).filter(is_known)
}

fn is_of(accessed: &Accessed, inst: &Inst, operand: &Operand) -> bool {
    let (reads, writes) = (operand.access.reads(), operand.access.writes());
    let named = match operand.role {
        None => accessed.implicit,
        Some(field) => accessed.named || accessed.fields.contains(&field),
    };
    (accessed.reads && reads || accessed.writes && writes)
        && named
        && operand.bits > accessed.wider_than
        && operand.bits < accessed.narrower_than
        && match accessed.only {
            None => files(inst, operand) & accessed.files != 0,
            Some(only) => is_among(only, inst, operand),
        }
}

/// The operand names the register, perhaps among others.
fn is_among(reg: Reg, inst: &Inst, operand: &Operand) -> bool {
    let mut set = RegSet::new(inst.target());
    set.insert_operand(operand);
    operand.value == Value::Reg(reg) || set.contains(reg)
}

/// The files that an operand is in.
fn files(inst: &Inst, operand: &Operand) -> u8 {
    match operand.value {
        Value::Reg(Reg::Special(Special::SrcVccz | Special::SrcExecz)) => return file::ZERO_BITS,
        Value::Reg(Reg::Special(Special::SrcLdsDirect)) => return file::LDS_DIRECT,
        _ => {}
    }
    let run = RegSet::run(inst.target(), operand);
    if run.1 == 0 {
        return 0;
    }
    if RegSet::is_vector(run.0) {
        return file::VECTOR;
    }
    if !RegSet::is_scalar(run.0) {
        return 0;
    }
    let codes = &FACTS[inst.target() as usize].codes;
    let is = |first: u8, count: usize| share(run, (first.into(), count));
    match () {
        () if is(codes.exec, 2) => file::EXEC,
        () if is(codes.m0, 1) => file::M0 | file::SCALAR,
        () if is(codes.vcc, 2) => file::VCC | file::SCALAR,
        () => file::SCALAR | file::NUMBERED,
    }
}
