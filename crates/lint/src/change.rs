//! Instructions that another instruction needs before it.

use alloc::vec;
use alloc::vec::Vec;

use amdgpu_isa::facts::{AddressStep, Purpose};
use amdgpu_isa::hazards::{Needs, Unit, Waits};
use amdgpu_isa::imm::{Imm, Waitcnt};
use amdgpu_isa::{Field, Inst, Opcode, Target};

use crate::Error;
use crate::edits::MachineState;

/// A change that gives an instruction what it needs.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// The instructions to insert before the instruction.
    Insert(Vec<Inst>),
    /// The instruction that replaces the preceding one.
    Last(Inst),
}

/// The waits that are certainly missing before the instruction. `returns`: whether the instruction returns to callers
/// that rely on all operations of the function being done.
pub fn missing(now: &MachineState, inst: &Inst, returns: bool) -> Waitcnt {
    let own = if returns { now.pending.own_waits() } else { Waits::default() };
    let needs = now.pending.needs(inst);
    let sure = needs.iter().chain(own.iter()).filter(|wait| wait.is_sure());
    sure.fold(Waitcnt::new(), |all, wait| {
        let least = all.get(wait.counter).map_or(wait.at_most, |other| other.min(wait.at_most));
        all.with(wait.counter, least)
    })
}

/// Returns the next change that the instruction needs; `None` if the instruction needs no more changes. `last`: the
/// instruction that runs just before it on every path, and the state before `last`; `missing`: the waits that
/// [`missing()`] returns.
///
/// # Errors
/// [`Error::Helpless`]: no change helps.
pub fn next_repair(
    now: &MachineState,
    last: Option<(&Inst, &MachineState)>,
    inst: &Inst,
    missing: &Waitcnt,
) -> Result<Option<Change>, Error> {
    if !missing.counters().is_empty() {
        if let Some(stronger) = last.and_then(|(last, _)| stronger(last, missing)) {
            return Ok(Some(Change::Last(stronger)));
        }
        return waits(inst.target(), missing).map(|insts| Some(Change::Insert(insts))).ok_or(Error::Helpless);
    }
    let needs = now.hazards.needs(inst);
    if needs.event.is_some_and(|need| need.is_sure()) {
        return ender(now, last, inst).map(Some).ok_or(Error::Helpless);
    }
    distance(now, last, inst, &needs)
}

fn distance(
    now: &MachineState,
    last: Option<(&Inst, &MachineState)>,
    inst: &Inst,
    needs: &Needs,
) -> Result<Option<Change>, Error> {
    let is_met = |needs: &Needs| needs.iter().all(|need| !need.is_sure());
    if is_met(needs) {
        return Ok(None);
    }
    let (mut hazards, mut fillers) = (now.hazards.clone(), Vec::new());
    hazards.protect(inst, |inst| fillers.push(*inst)).map_err(|_| Error::Helpless)?;
    fillers.pop();
    // An `s_nop` just before the instruction becomes longer, and no second one is inserted.
    if let (Some((last, before)), true) = (last, fillers.iter().all(is_nop)) {
        let states = |inst: &Inst| inst.get(Field::Simm16).unwrap_or(0) + 1;
        let all = states(last) + fillers.iter().map(states).sum::<u32>();
        if let Some(longer) = is_nop(last).then(|| last.with(Field::Simm16, all - 1).ok()).flatten() {
            let mut after = before.clone();
            after.issue(&longer, 0);
            if is_met(&after.hazards.needs(inst)) {
                return Ok(Some(Change::Last(longer)));
            }
        }
    }
    match fillers.is_empty() {
        true => Err(Error::Helpless),
        false => Ok(Some(Change::Insert(fillers))),
    }
}

/// Whether an instruction is an `s_nop`.
pub fn is_nop(inst: &Inst) -> bool {
    inst.opcode().purpose() == Some(Purpose::Nop)
}

/// Whether an instruction only takes time, or only groups others (`s_clause`): repairs may insert it, change its
/// constants or take it away.
///
/// ```
/// use amdgpu_isa::{Target, parse};
/// use amdgpu_lint::change::is_neutral;
/// let is = |text| is_neutral(&parse(Target::Gfx942, text).unwrap());
/// assert!(is("s_waitcnt vmcnt(0)") && is("s_nop 3") && is("v_nop") && is("s_mov_b64 vcc, vcc"));
/// assert!(!is("s_mov_b32 s0, s1") && !is("s_barrier") && !is("s_sethalt 1") && !is("s_endpgm"));
/// let is = |target, text| is_neutral(&parse(target, text).unwrap());
/// assert!(is(Target::Gfx1010, "v_mov_b32 v1, v1") && !is(Target::Gfx1010, "v_mov_b32 v1, v2"));
/// // They are different registers where an index or upper bits are added to the numbers.
/// assert!(!is(Target::Gfx942, "v_mov_b32 v1, v1") && !is(Target::Gfx1250, "v_mov_b32 v1, v1"));
/// ```
pub fn is_neutral(inst: &Inst) -> bool {
    let flags = inst.flags();
    if flags.is_wait() || is_nop(inst) || is_clause(inst) {
        return true;
    }
    let goes_on = !(flags.is_branch() || flags.is_terminator() || flags.is_call() || flags.is_convergent());
    let is_pure = goes_on && !flags.has_side_effects() && inst.memory().next().is_none();
    // EXEC, which a vector operation also reads, has no role and does not count.
    let mut operands = inst.operands().filter(|operand| operand.role.is_some() || operand.access.writes());
    let copies_itself = match (operands.next(), operands.next(), operands.next()) {
        (Some(to), Some(from), None) => (to.value, to.bits) == (from.value, from.bits) && is_move(inst),
        _ => false,
    };
    is_pure && (inst.writes().is_empty() || copies_itself)
}

fn is_move(inst: &Inst) -> bool {
    let is_vector = inst.words().len() == 1 && inst.opcode().purpose() == Some(Purpose::Copy);
    inst.address_step() == Some(AddressStep::Copy) || is_vector && has_fixed_registers(inst.target())
}

/// Whether the fields of an instruction alone determine its vector registers. Otherwise the same number in two fields
/// can be two registers.
fn has_fixed_registers(target: Target) -> bool {
    ![Purpose::VgprMsb, Purpose::VgprIndex].iter().any(|purpose| Opcode::has_purpose(target, *purpose))
}

/// Whether an instruction is an `s_clause`, which says how many of the next instructions belong together.
pub fn is_clause(inst: &Inst) -> bool {
    inst.opcode().purpose() == Some(Purpose::Clause)
}

/// The number of needs that end only with a certain instruction, not with distance.
fn events(now: &MachineState, inst: &Inst) -> usize {
    let mut count = 0;
    now.hazards.each(inst, |need| count += usize::from(need.rule.unit() == Unit::Event));
    count
}

fn ender(now: &MachineState, last: Option<(&Inst, &MachineState)>, inst: &Inst) -> Option<Change> {
    let open = events(now, inst);
    let helps = |now: &MachineState, ender: &Inst| {
        let is_free = now.hazards.needs(ender).is_empty() && now.pending.needs(ender).is_empty();
        let mut after = now.clone();
        after.issue(ender, 0);
        is_free && events(&after, inst) < open
    };
    let enders: Vec<Inst> = now.hazards.enders(inst).collect();
    for ender in &enders {
        // Clear bits make a wait stricter, so `&` combines both waits.
        if let Some((last, before)) = last.filter(|(last, _)| last.opcode() == ender.opcode()) {
            let both = last.get(Field::Simm16).zip(ender.get(Field::Simm16)).map(|(a, b)| a & b);
            let both = both.and_then(|both| last.with(Field::Simm16, both).ok());
            if let Some(both) = both.filter(|both| both != last && is_depctr(both) && helps(before, both)) {
                return Some(Change::Last(both));
            }
        }
    }
    enders.into_iter().find(|ender| helps(now, ender)).map(|ender| Change::Insert(vec![ender]))
}

fn is_depctr(inst: &Inst) -> bool {
    matches!(inst.imm(), Some(Imm::Depctr(_)))
}

/// The wait `last`, made to wait for the counters of `missing` as well; `None` if `last` is not a wait, or no single
/// instruction waits for all these counters.
fn stronger(last: &Inst, missing: &Waitcnt) -> Option<Inst> {
    let old = last.waits();
    if old.counters().is_empty() {
        return None;
    }
    let both = missing.counters().iter().fold(old, |all, counter| {
        let count = missing.get(counter).unwrap_or(0);
        all.with(counter, old.get(counter).map_or(count, |old| old.min(count)))
    });
    wait(last.target(), &both)
}

/// The fewest instructions that wait for all wanted counters; `None` if the target lacks one of the counters.
pub fn waits(target: Target, wanted: &Waitcnt) -> Option<Vec<Inst>> {
    let (mut all, mut left) = (Vec::new(), *wanted);
    wanted.each_inst(target, |inst| {
        let done = inst.waits();
        left = done.counters().iter().fold(left, |left, counter| match done.get(counter) == wanted.get(counter) {
            true => left.without(counter),
            false => left,
        });
        all.push(*inst);
    });
    left.counters().is_empty().then_some(all)
}

/// One instruction that waits for exactly these counters, with these values; `None` if the target has no such
/// instruction.
pub fn wait(target: Target, wanted: &Waitcnt) -> Option<Inst> {
    match waits(target, wanted)?[..] {
        [one] => Some(one).filter(|one| one.waits() == *wanted),
        _ => None,
    }
}
