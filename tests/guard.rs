//! `Guard` emits all waits and distances that instructions need: straight programs of any instructions, of all targets.

use amdgpu_isa::arbitrary::valid;
use amdgpu_isa::facts::{Counter, RegSet};
use amdgpu_isa::hazards::{Guard, GuardError, Hazards, Next, Pending};
use amdgpu_isa::imm::Waitcnt;
use amdgpu_isa::{Access, Inst, Operand, Target, VgprMsb, parse};
use arbitrary::Unstructured;

/// A random straight program, without branches, calls and instructions that end a program.
fn program(target: Target, random: &mut u64) -> Vec<Inst> {
    let mut next = || {
        *random ^= *random << 13;
        *random ^= *random >> 7;
        *random ^= *random << 17;
        random.to_le_bytes()
    };
    let bytes: Vec<u8> = (0..300).flat_map(|_| next()).collect();
    let mut u = Unstructured::new(&bytes);
    let mut insts = Vec::new();
    while insts.len() < 60 && !u.is_empty() {
        let Ok(inst) = valid(target, &mut u) else { continue };
        let flags = inst.flags();
        if !flags.is_branch() && !flags.is_terminator() && !flags.is_call() && !flags.is_indirect_branch() {
            insts.push(inst);
        }
    }
    insts
}

/// A guard refuses instructions of another target, or for waves of another size, and stays as it was.
#[test]
fn a_guard_takes_instructions_of_its_own_target() {
    for &target in Target::ALL {
        let mut guard = Guard::new(target);
        for &other in Target::ALL {
            let inst = parse(other, "s_nop 0").unwrap();
            let taken = guard.before(&inst, |extra| panic!("{target} {other}: {extra}"));
            let expected = if other == target { Ok(()) } else { Err(GuardError::Target(other)) };
            assert_eq!(taken, expected, "{target} {other}");
        }
    }
}

#[test]
fn guarded_programs_need_nothing() {
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    let (mut all, mut extra, mut helpless) = (0, 0, 0);
    for &target in Target::ALL {
        for _ in 0..12 {
            let (mut guard, mut code) = (Guard::new(target), Vec::new());
            for inst in program(target, &mut random) {
                let before = code.len();
                match guard.before(&inst, |extra| code.push(*extra)) {
                    Ok(()) => code.push(inst),
                    Err(_) => helpless += 1,
                }
                extra += code.len().saturating_sub(before + 1);
                all += 1;
            }
            let (mut pending, mut hazards) = (Pending::unbounded(target), Hazards::unbounded(target));
            for (n, inst) in code.iter().enumerate() {
                let waits = pending.needs(inst);
                assert!(waits.is_empty(), "{target} {n} {inst}: {waits:?}");
                let needs = hazards.needs(inst);
                assert!(needs.is_empty(), "{target} {n} {inst}: {needs:?}");
                pending.issue(inst, 0);
                hazards.issue(inst);
            }
        }
    }
    assert!(extra * 40 > all && helpless * 50 < all, "{extra} before {all}, {helpless} without help");
}

/// An instruction that was looked up before needs and does the same as one that was not, even if it was looked up with
/// other upper bits of registers' numbers than those of the state.
#[test]
fn looking_up_changes_no_answer() {
    let mut random = 0x2545_f491_4f6c_dd1du64;
    let (mut needed, mut all) = (0, 0);
    for &target in Target::ALL {
        for round in 0..12u8 {
            let (mut pending, mut hazards) = (Pending::unbounded(target), Hazards::unbounded(target));
            let (mut pending_next, mut hazards_next) = (pending.clone(), hazards.clone());
            for (n, inst) in (0..).zip(program(target, &mut random)) {
                let msb = if round < 8 { pending.msb() } else { VgprMsb::new(round) };
                let next = Next::new(&inst, msb);
                let (waits, needs) = (pending.needs(&inst), hazards.needs(&inst));
                all += 1;
                needed += waits.iter().count() + needs.iter().count();
                assert_eq!(pending_next.needs_next(&next), waits, "{target} {inst}");
                assert_eq!(hazards_next.needs_next(&next), needs, "{target} {inst}");
                let set = |is: fn(Access) -> bool| {
                    let mut set = RegSet::new(target);
                    next.insert_into(&mut set, is);
                    set
                };
                assert_eq!(set(Access::writes), inst.writes_in(msb), "{target} {inst}");
                let mut reads = RegSet::new(target);
                let is_read = |operand: &Operand| operand.access.reads();
                inst.operands().filter(is_read).for_each(|operand| reads.insert_operand_in(&inst, msb, &operand));
                assert_eq!(set(Access::reads), reads, "{target} {inst}");
                assert_eq!((next.flags(), next.counters()), (inst.flags(), inst.counters()), "{target} {inst}");
                pending.issue(&inst, n);
                hazards.issue_at(&inst, n);
                pending_next.issue_next(&next, n);
                hazards_next.issue_next(&next, n);
                assert!(pending == pending_next && hazards == hazards_next, "{target} {inst}");
            }
        }
    }
    assert!(needed * 30 > all, "{needed} needs of {all} instructions");
}

/// `settle`, before a loop and before the branch back, waits for all operations.
#[test]
fn nothing_is_outstanding_where_a_guard_settles() {
    for (target, load, wanted) in [
        ("gfx942", "global_load_dword v0, v1, s[0:1]", "s_waitcnt vmcnt(0)"),
        ("gfx1010", "global_store_dword v1, v0, s[0:1]", "s_waitcnt_vscnt null, 0x0"),
        ("gfx1200", "global_load_b32 v0, v1, s[0:1]", "s_wait_loadcnt 0x0"),
    ] {
        let Ok(target) = target.parse::<Target>() else { continue };
        let mut guard = Guard::new(target);
        guard.before(&parse(target, load).unwrap(), |_| {}).unwrap();
        let mut said = Vec::new();
        guard.settle(|wait| said.push(wait.to_string()));
        assert_eq!(said, [wanted], "{target}");
        guard.settle(|wait| said.push(wait.to_string()));
        assert_eq!(said.len(), 1, "{target}");
    }
}

/// After a wait for LDS alone, a flat load is perhaps not done. This doubt needs a stronger wait than the operations
/// that are certainly outstanding.
#[test]
fn guards_wait_for_doubts_beside_certainties() {
    let Ok(target) = "gfx1100".parse::<Target>() else { return };
    let (mut guard, mut said) = (Guard::new(target), Vec::new());
    for text in [
        "s_load_b32 s4, s[0:1], 0x0",
        "global_load_b32 v5, v1, s[0:1]",
        "flat_load_b32 v6, v[2:3]",
        "s_mov_b32 s5, s4",
        "v_add_f32 v6, v5, v5",
    ] {
        guard.before(&parse(target, text).unwrap(), |extra| said.push(extra.to_string())).unwrap();
    }
    assert_eq!(said, ["s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(0)"]);
}

#[test]
fn joined_guards_wait_for_both() {
    let Ok(target) = "gfx942".parse::<Target>() else { return };
    let inst = |text: &str| parse(target, text).unwrap();
    let (mut one, mut other) = (Guard::new(target), Guard::new(target));
    one.before(&inst("global_load_dword v0, v1, s[0:1]"), |_| {}).unwrap();
    other.before(&inst("ds_read_b32 v2, v1"), |_| {}).unwrap();
    assert!(one.join(&other) && !one.join(&other));
    let mut said = Vec::new();
    one.before(&inst("v_add_f32 v3, v0, v2"), |extra| said.push(extra.to_string())).unwrap();
    assert_eq!(said, ["s_waitcnt vmcnt(0) lgkmcnt(0)"]);
}

/// A count that does not fit in an instruction is never exceeded by the counter, so it hides no other wait.
#[test]
fn counts_that_are_never_reached_hide_no_wait() {
    let Ok(target) = "gfx1200".parse::<Target>() else { return };
    let mut said = Vec::new();
    let wait = Waitcnt::new().with(Counter::Loadcnt, 200).with(Counter::Dscnt, 0).with(Counter::Kmcnt, 1);
    wait.each_inst(target, |inst| said.push(inst.to_string()));
    said.sort();
    assert_eq!(said, ["s_wait_dscnt 0x0", "s_wait_kmcnt 0x1"]);
}
