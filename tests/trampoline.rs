//! A trampoline only moves code: the displaced instructions behave at their new place as before, branches go to the
//! same addresses, and nothing else changes. The test tries random code for every target, and decides without the
//! library's trampolines whether a hook must be refused.
#![cfg(all(has_target, feature = "text"))]

use crate::jumps;
use crate::words;

use std::collections::BTreeMap;

use amdgpu_isa::asm::{AssembleError, AssembleErrorKind, Far};
use amdgpu_isa::facts::AddressStep;
use amdgpu_isa::patch::{Trampoline, TrampolineError};
use amdgpu_isa::{Field, Inst, Target, decode_words};
use jumps::{targets, word};
use words::{Rng, bytes, encodings};

/// Code at an address.
struct Random {
    base: u64,
    code: Vec<u32>,
}

/// Random instructions, including branches to other instructions among them or far away.
fn random(target: Target, rng: &mut Rng, pool: &[Inst]) -> Random {
    let base = rng.pick(&[0x1000, 0x2_0000, 0x7f00_0000_1600]);
    let branches: Vec<&Inst> = pool.iter().filter(|inst| inst.branch_target(0).is_some()).collect();
    let insts: Vec<Inst> =
        (0..24).map(|_| if rng.below(4) == 0 { *rng.pick(&branches) } else { rng.pick(pool) }).collect();
    let mut starts = vec![0];
    for inst in &insts {
        starts.push(starts.last().expect("the first") + inst.words().len());
    }
    let mut code = Vec::new();
    for (inst, &start) in insts.iter().zip(&starts) {
        let pc = base + start as u64 * 4;
        let to = match rng.below(8) {
            0 => pc + 0x1_fffc,
            1 => pc.wrapping_sub(0x1_0000),
            _ => base + rng.pick(&starts) as u64 * 4,
        };
        let inst = inst.with_branch_target(pc, to).unwrap_or(*inst);
        code.extend(inst.words());
    }
    let _ = target;
    Random { base, code }
}

/// Some instructions of the target, including branches and calls.
fn pool(target: Target, rng: &mut Rng) -> Vec<Inst> {
    let encodings = encodings(target);
    let mut all: Vec<Inst> = (0..200).flat_map(|_| words::legal(target, rng.pick(&encodings), 1, rng)).collect();
    for encoding in encodings {
        let legal = words::legal(target, encoding, 1, rng);
        let wanted = |inst: &Inst| inst.branch_target(0).is_some() || inst.opcode().name() == "s_getpc_b64";
        all.extend(legal.into_iter().filter(wanted));
    }
    all
}

fn walk(target: Target, random: &Random) -> BTreeMap<u64, Inst> {
    let mut all = BTreeMap::new();
    let mut at = 0;
    while at < random.code.len() {
        let inst = decode_words(target, &random.code[at..]).expect("all are instructions");
        all.insert(random.base + at as u64 * 4, inst);
        at += inst.words().len();
    }
    all
}

fn reaches(from: u64, to: u64) -> bool {
    i16::try_from((to as i64 - from as i64 - 4) / 4).is_ok()
}

/// The number of dwords from the hook on that a jump of `needed` dwords displaces, or the reason why no jump can be put
/// at the hook.
fn displaced(code: &BTreeMap<u64, Inst>, end: u64, hook: u64, needed: u64) -> Result<u64, &'static str> {
    let mut at = hook;
    while at < hook + needed * 4 {
        if at >= end {
            return Err("end");
        }
        let Some(inst) = code.get(&at) else { return Err("boundary") };
        at += inst.len() as u64;
        if inst.flags().no_fallthrough() && at < hook + needed * 4 {
            return Err("end");
        }
    }
    Ok(at - hook)
}

#[test]
fn what_is_displaced_does_what_it_did() {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for target in targets() {
        let mut rng = Rng(target as u64 + 11);
        let pool = pool(target, &mut rng);
        let plain_branch =
            decode_words(target, &[word(target, "s_branch", &[]).expect("all have it")]).expect("a branch");
        let nop = word(target, "s_nop", &[]).expect("all have it");
        let payload = [word(target, "s_sleep", &[(Field::Simm16, 3)]).expect("all have it")];
        for _ in 0..3_000 {
            let before = random(target, &mut rng, &pool);
            let insts = walk(target, &before);
            let end = before.base + before.code.len() as u64 * 4;
            let starts: Vec<u64> = insts.keys().copied().collect();
            let hook = rng.pick(&starts) + if rng.below(40) == 0 { 4 } else { 0 };
            let apart = [end + 0x100, end + 0x1_0000, hook + 0x1_f800, end + 0x100_0000, 0x4000_0000_0000];
            // The area is in the code, or so near that the code and the area may overlap.
            let near = [before.base - 4, before.base - 64, before.base, hook, end - 4, end];
            let area = if rng.below(8) == 0 { rng.pick(&near) } else { rng.pick(&apart) };
            let far = rng.pick(&[None, Some(Far { pair: 4, scc: None }), Some(Far { pair: 8, scc: Some(10) })]);
            let trampoline = Trampoline { target, hook, area, far };
            // The room is as large as the documentation says is enough.
            let mut room = [0xdead_beefu32; 88 + 1];
            let mut code = before.code.clone();
            let result = trampoline.install(&mut code[..], before.base, &payload, &mut room);

            // Code as bytes gives the same result as code as dwords.
            let (mut code_bytes, mut room_bytes) = (bytes(&before.code), [0u8; (88 + 1) * 4]);
            let in_bytes = trampoline.install(&mut code_bytes[..], before.base, &payload, &mut room_bytes);
            assert_eq!(result, in_bytes);
            assert_eq!(bytes(&code), code_bytes);

            // Without the code for long branches, the result is that of a trampoline without registers.
            let (plain, mut plain_code, mut plain_room) =
                (Trampoline { far: None, ..trampoline }, before.code.clone(), room);
            let (mut near_code, mut near_room) = (before.code.clone(), room);
            let wanted = plain.install(&mut plain_code[..], before.base, &payload, &mut plain_room);
            let near = trampoline.install_near(&mut near_code[..], before.base, &payload, &mut near_room);
            assert_eq!((near, near_code, near_room), (wanted, plain_code, plain_room));

            let long = 6 + if far.is_some_and(|far| far.scc.is_some()) { 2 } else { 0 };
            let needed = if reaches(hook, area) { 1 } else { long };
            let installed = match result {
                Ok(installed) => installed,
                Err(error) => {
                    assert_eq!(code, before.code, "{error}: the code was changed");
                    let why = displaced(&insts, end, hook, needed);
                    let moved = |pc: u64| why.is_ok_and(|len| (hook..hook + len).contains(&pc));
                    let kind = match error {
                        TrampolineError::Boundary(_) => {
                            assert!(!insts.contains_key(&hook));
                            "boundary"
                        }
                        TrampolineError::Outside(_) => {
                            assert!(hook >= end);
                            "outside"
                        }
                        // For a hook inside an instruction, the error depends on the later dwords of the instruction.
                        TrampolineError::Decode { .. } | TrampolineError::End(_) if !insts.contains_key(&hook) => {
                            "boundary"
                        }
                        TrampolineError::End(_) => {
                            assert_eq!(why, Err("end"), "{error}");
                            "end"
                        }
                        TrampolineError::Landing { from, to } => {
                            assert_eq!(insts.get(&from).and_then(|inst| inst.branch_target(from)), Some(to));
                            assert!(moved(to) && !moved(from) && to != hook || !insts.contains_key(&hook));
                            "landing"
                        }
                        TrampolineError::Overlap(at) => {
                            assert!(at == area.max(before.base) && (before.base..end).contains(&at), "{error}");
                            "overlap"
                        }
                        TrampolineError::Assemble(AssembleError { kind: AssembleErrorKind::ReadsPc(at), .. }) => {
                            let step = insts[&at].address_step();
                            assert!(moved(at) && matches!(step, Some(AddressStep::Pc | AddressStep::Jump)));
                            "reads pc"
                        }
                        TrampolineError::Assemble(AssembleError {
                            kind: AssembleErrorKind::Distance { from, to },
                            ..
                        }) => {
                            assert!(!reaches(from, to), "{from:#x} does reach {to:#x}");
                            // These branches have no long form.
                            let short = ["s_cbranch_i_fork", "s_subvector_loop_begin", "s_subvector_loop_end"];
                            let fork = |inst: &Inst| short.contains(&inst.opcode().name());
                            assert!(
                                far.is_none() || insts.iter().any(|(pc, inst)| moved(*pc) && fork(inst)),
                                "{error}"
                            );
                            "distance"
                        }
                        other => panic!("{target}: {other}: {trampoline:x?}"),
                    };
                    *counts.entry(kind).or_default() += 1;
                    continue;
                }
            };
            *counts.entry("installed").or_default() += 1;
            assert!(area >= end || area + installed.len as u64 <= before.base, "{trampoline:x?} is over the code");
            let moved = displaced(&insts, end, hook, needed).expect("it was installed");
            assert_eq!(installed.displaced as u64, moved);
            let at = ((hook - before.base) / 4) as usize;
            let after = at + installed.displaced / 4;
            // Only the displaced instructions have changed; a jump to the area replaces them.
            assert_eq!((&code[..at], &code[after..]), (&before.code[..at], &before.code[after..]));
            let jump = jumps::follow(target, &code[at..], hook, &plain_branch, far);
            assert_eq!((jump.to, jump.dwords as u64, jump.long), (area, needed, needed > 1));
            assert!(code[at + jump.dwords..after].iter().all(|&word| word == nop));
            // No remaining branch goes into the middle of the displaced code.
            for (&pc, inst) in insts.iter().filter(|(pc, _)| !(hook..hook + moved).contains(*pc)) {
                let under = inst.branch_target(pc).is_some_and(|to| to > hook && to < hook + moved);
                assert!(!under, "{target}: {inst:?} at {pc:x} goes under the jump");
            }
            // The trampoline consists of the payload, the same instructions, and the jump back.
            assert_eq!(room[..1], payload);
            let mut here = 1;
            assert_eq!(installed.copy, area + 4);
            let (mut copies, mut goes) = (BTreeMap::new(), Vec::new());
            let mut falls_through = true;
            for (&pc, inst) in insts.range(hook..hook + moved) {
                let new = area + here as u64 * 4;
                copies.insert(pc, new);
                falls_through = !inst.flags().no_fallthrough();
                assert!(!matches!(inst.address_step(), Some(AddressStep::Pc | AddressStep::Jump)));
                match inst.branch_target(pc) {
                    None => {
                        assert_eq!(room[here..here + inst.words().len()], *inst.words(), "{target}");
                        here += inst.words().len();
                    }
                    Some(to) => {
                        let jump = jumps::follow(target, &room[here..], new, inst, far);
                        goes.push((to, jump.to));
                        here += jump.dwords;
                    }
                }
            }
            for (was, is) in goes {
                let inside = was > hook && was < hook + moved;
                assert_eq!(is, if inside { copies[&was] } else { was }, "{target}: {trampoline:x?}");
            }
            if falls_through {
                let back = jumps::follow(target, &room[here..], area + here as u64 * 4, &plain_branch, far);
                assert_eq!(back.to, hook + moved);
                here += back.dwords;
            }
            assert_eq!(here * 4, installed.len);
            assert!(room[here..].iter().all(|&word| word == 0xdead_beef));
            assert_eq!(room_bytes[..installed.len], bytes(&room)[..installed.len]);
        }
    }
    println!("{counts:?}");
    let targets = targets().count() as u32;
    assert!(counts["installed"] >= 500 * targets, "{counts:?}");
    for kind in ["landing", "end", "distance", "reads pc", "boundary", "overlap"] {
        assert!(counts.get(kind).is_some_and(|&n| n >= targets), "{kind}: {counts:?}");
    }
}

/// Hooks outside the code are refused, and so are other hooks that random code rarely or never has.
#[test]
fn a_hook_outside_is_refused() {
    for target in targets() {
        let nop = word(target, "s_nop", &[]).expect("all have it");
        let mut code = [nop; 4];
        let mut area = [0u32; 2];
        let hook = |hook: u64| Trampoline { target, hook, area: 0x2000, far: None };
        for outside in [0xffc, 0x1010, 0x1002, 0, u64::MAX] {
            let error = hook(outside).install(&mut code[..], 0x1000, &[], &mut area).unwrap_err();
            assert_eq!(error, TrampolineError::Outside(outside));
        }
        let odd = Trampoline { area: 0x2002, ..hook(0x1000) };
        assert!(matches!(odd.install(&mut code[..], 0x1000, &[], &mut area), Err(TrampolineError::Assemble(_))));
        // The copy and the jump back need two dwords, so the payload has no room.
        let full = hook(0x1000).install(&mut code[..], 0x1000, &[nop], &mut area);
        let room = AssembleErrorKind::Room(amdgpu_isa::asm::Room::Code);
        assert!(matches!(full, Err(TrampolineError::Assemble(error)) if error.kind == room));
        assert_eq!(code, [nop; 4]);
        hook(0x1000).install(&mut code[..], 0x1000, &[], &mut area).expect("it fits");
        // Words that are not an instruction cannot be displaced.
        let mut code = [nop, u32::MAX];
        let decode = hook(0x1004).install(&mut code[..], 0x1000, &[], &mut area).unwrap_err();
        assert!(matches!(decode, TrampolineError::Decode { at: 0x1004, .. }), "{decode}");
    }
}

/// Addresses wrap around: an area before the end of the address space goes on at address 0.
#[test]
fn areas_and_code_that_wrap_around_can_overlap() {
    for target in targets() {
        let nop = word(target, "s_nop", &[]).expect("all have it");
        let install = |base: u64, area: u64| {
            let trampoline = Trampoline { target, hook: base.wrapping_add(4), area, far: None };
            trampoline.install(&mut [nop; 4][..], base, &[nop], &mut [0u32; 3]).map(|installed| installed.len)
        };
        assert_eq!(install(0, u64::MAX - 7), Err(TrampolineError::Overlap(0)), "{target}");
        assert_eq!(install(0, u64::MAX - 11), Ok(12), "{target}");
        assert_eq!(install(u64::MAX - 7, 4), Err(TrampolineError::Overlap(4)), "{target}");
        assert_eq!(install(u64::MAX - 7, 8), Ok(12), "{target}");
        assert_eq!(install(u64::MAX - 7, u64::MAX - 15), Err(TrampolineError::Overlap(u64::MAX - 7)), "{target}");
        assert_eq!(install(u64::MAX - 7, u64::MAX - 19), Ok(12), "{target}");
    }
}
