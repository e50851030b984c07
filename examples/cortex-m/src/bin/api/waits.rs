//! Waits and distances.

use crate::{Sink, used};
use amdgpu_isa::facts::{Counter, Counters, RegSet};
use amdgpu_isa::hazards::{
    Distance, Guard, GuardError, Hazards, Modes, Need, Needs, Next, Pending, Rule, Unchecked, Wait, Waits,
};
use amdgpu_isa::imm::Waitcnt;
use amdgpu_isa::{Access, Inst, Target, VgprMsb};
use core::fmt::Write;

/// Calls all functions of waits and distances, with any instructions.
pub fn all(target: Target, insts: impl Iterator<Item = Inst> + Clone) {
    rules(target);
    counters(target);
    let modes = Modes { xnack: None, expert: true };
    let mut guards = [Guard::new(target), Guard::strict(target), Guard::new(target).with(modes)];
    let mut guard = Guard::with(Guard::new(target), modes);
    let strict = Hazards::with(Hazards::strictly(Hazards::strict(target)), Hazards::modes(&Hazards::new(target)));
    let mut hazards = [Hazards::new(target), strict, Hazards::called(Hazards::new(target))];
    let mut kernel = Hazards::kernel(Hazards::in_function(Hazards::new(target)));
    let mut pending = [Pending::new(target), Pending::in_function(Pending::new(target))];
    for (inst, n) in insts.zip(0u32..) {
        for guard in &mut guards {
            let taken = Guard::before(guard, &inst, |inst| used(*inst));
            if let Err(GuardError::Target(target)) = taken {
                used(target as u32);
            }
            if let Err(GuardError::Need(need)) = taken {
                told(Err(need));
            }
        }
        Guard::settle(&mut guard, |inst| used(*inst));
        used((Pending::is_incomplete(Guard::pending(&guard)), Hazards::is_incomplete(Guard::hazards(&guard))));
        for hazards in &mut hazards {
            needs(Hazards::needs(hazards, &inst));
            Hazards::each(hazards, &inst, |need| told(Err(need)));
            Hazards::enders(hazards, &inst).for_each(used);
            match n % 8 {
                0 => Hazards::issue(hazards, &inst),
                1 => Hazards::issue_at(hazards, &inst, n),
                2 => Hazards::pass(hazards, &inst),
                3 => Hazards::returned(hazards),
                4 => Hazards::enter(hazards),
                5 => Hazards::leave(hazards),
                6 => Hazards::returned_from(hazards, &kernel),
                _ => told(Hazards::protect(hazards, &inst, |inst| used(*inst))),
            }
            used((Hazards::join(&mut kernel, hazards), Hazards::target(hazards) as u32, Hazards::msb(hazards)));
        }
        let other = pending.first().cloned();
        for pending in &mut pending {
            waits(target, Pending::needs(pending, &inst));
            waits(target, Pending::step(pending, &inst, n));
            waits(target, Pending::own_waits(pending));
            match n % 8 {
                0 => Pending::issue(pending, &inst, n),
                1 => Pending::clear(pending),
                2 => Pending::wait_for(pending, &Inst::waits(&inst)),
                3 => Pending::assume(pending, &Inst::waits(&inst)),
                4 => Pending::enter(pending),
                5 => Pending::leave(pending),
                6 => other.iter().for_each(|other| Pending::returned_from(pending, other)),
                _ => other.iter().for_each(|other| used(Pending::join(pending, other))),
            }
            other.iter().for_each(|other| used(Pending::join_again(pending, other)));
            for &counter in Counter::ALL {
                used((Pending::follows(pending, counter), Pending::most(pending, counter)));
                used(Pending::holds_registers(pending, counter));
            }
            used((Pending::target(pending) as u32, Pending::msb(pending), Pending::is_banked(pending)));
        }
        let msb = VgprMsb::joined(VgprMsb::after(VgprMsb::new(n as u8), &inst), VgprMsb::ENTRY);
        let next = Next::new(&inst, msb);
        let mut read = RegSet::new(target);
        Next::insert_into(&next, &mut read, Access::reads);
        used((read, Next::flags(&next), Next::counters(&next), *Next::inst(&next)));
        for hazards in &mut hazards {
            needs(Hazards::needs_next(hazards, &next));
            Hazards::issue_next(hazards, &next, n);
        }
        for pending in &mut pending {
            waits(target, Pending::needs_next(pending, &next));
            Pending::issue_next(pending, &next, n);
        }
        used((VgprMsb::bits(msb), Inst::reads_in(&inst, msb), Inst::writes_in(&inst, msb)));
        inst.operands().for_each(|operand| used(VgprMsb::register(msb, &inst, &operand)));
    }
    let [first, rest @ ..] = &mut guards;
    Guard::called(first);
    rest.iter().for_each(|other| used(Guard::join(first, other)));
}

fn told(result: Result<(), Need>) {
    if let Err(need) = result {
        used((need, Need::is_sure(&need), Rule::id(need.rule)));
    }
}

fn needs(needs: Needs) {
    used(Needs::is_empty(&needs));
    Needs::iter(&needs).for_each(|need| told(Err(need)));
}

fn waits(target: Target, waits: Waits) {
    used(Waits::is_empty(&waits));
    for wait in Waits::iter(&waits) {
        used((wait, Wait::is_sure(&wait)));
    }
    let waitcnt = Waits::waitcnt(&waits);
    Waitcnt::each_inst(&waitcnt, target, |inst| used(*inst));
    used((Waitcnt::encode(waitcnt, target).is_ok(), Waitcnt::rest(&waitcnt)));
    Counters::iter(Waitcnt::counters(&waitcnt)).for_each(|counter| used(Waitcnt::get(&waitcnt, counter)));
}

fn counters(target: Target) {
    let mut waitcnt = Waitcnt::with_rest(Waitcnt::with_lgkmcnt(Waitcnt::with_expcnt(Waitcnt::new(), 1), 2), 3);
    let mut all = Counters::new();
    for &counter in Counter::ALL {
        let most = Waitcnt::max(target, counter).unwrap_or(0);
        waitcnt = Waitcnt::without(Waitcnt::with(waitcnt, counter, most), counter);
        all = Counters::with(all, counter);
        used((Counters::contains(all, counter), Counters::is_empty(all), Counter::source(counter, target)));
        let _ = write!(Sink, "{counter}{}{all:?}", Counter::name(counter));
    }
    let _ = write!(Sink, "{waitcnt:?}");
}

fn rules(target: Target) {
    for rule in Rule::all().chain(Rule::of(target)) {
        let texts = [Rule::id(rule), Rule::text(rule), Rule::note(rule), Rule::source(rule), Rule::ends(rule)];
        used((texts, Rule::caution(rule), Rule::mode(rule)));
        used((Rule::unit(rule), Rule::certainty(rule), Rule::is_strict(rule, target)));
        if let Some(distance) = Rule::distance(rule, target) {
            used((Distance::agreed(&distance, 16), Distance::strict(&distance, 4)));
        }
    }
    for fault in Unchecked::all().chain(Unchecked::of(target)) {
        used((Unchecked::id(fault), Unchecked::reason(fault)));
        let _ = write!(Sink, "{fault:?}");
    }
}
