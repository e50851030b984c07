//! The needs in joined states are those on the paths that lead there. The tests try programs of random instructions
//! without loops, and follow every path separately from the beginning.
//!
//! A quick run tries a few thousand programs. `AMDGPU_ISA_PROGRAMS` sets the number: `.ci/run full-tests` tries a
//! million.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use amdgpu_isa::flow::{Exit, Flow};
use amdgpu_isa::hazards::{Capacity, Hazards, Pending, Rule, Unit, Wait};
use amdgpu_isa::{Inst, Reg, Target, VgprMsb, decode_words, parse};

use crate::words::Rng;

/// The number of instructions of short programs, which have fewer producers than a state has room for.
const SHORT: usize = 24;
const LONG: usize = 400;
/// The most paths through one program. Programs that have more are left out.
const WAYS: usize = 64;
/// Instructions that have or cause needs, in addition to the instructions in the tests' tables.
const OTHERS: [&str; 24] = [
    "s_nop 0",
    "s_nop 2",
    "v_nop",
    "s_waitcnt vmcnt(1)",
    "s_waitcnt lgkmcnt(0)",
    "s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)",
    "s_waitcnt_vscnt null, 0x0",
    "s_waitcnt_depctr 0xfffe",
    "s_waitcnt_depctr 0xffe3",
    "s_wait_loadcnt 0x1",
    "s_wait_dscnt 0x0",
    "s_wait_kmcnt 0x0",
    "s_wait_alu 0xfffd",
    "s_wait_alu 0xfffe",
    "v_mov_b32_e32 v30, v20",
    "v_mov_b32_e32 v20, v30",
    "v_mov_b32_e32 v12, 0",
    "v_add_f32_e32 v21, v20, v22",
    "s_mov_b32 s20, s21",
    "s_mov_b32 s40, 0",
    "s_and_b32 s1, s20, s4",
    "v_mov_b32_e32 v1, s4",
    "v_cmp_eq_u32_e32 vcc, v0, v1",
    "s_mov_b32 vcc_lo, s0",
];

/// The numbers of programs of one length: all of them, and those in which a joined state needed something that no path
/// needed, or the reverse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    programs: u64,
    /// The number of programs with any needs.
    needy: u64,
    too_much: u64,
    too_little: u64,
    /// The programs in which a bounded state needed something that a growing state did not; then those in which the
    /// bounded state missed a need although it had room.
    unfounded: u64,
    forgotten: u64,
    /// The programs in which a bounded state had no room.
    full: u64,
    /// The programs with needs that depend on upper bits which are unknown.
    doubtful: u64,
}

/// A need with its cause: address, rule, producer, register.
type Key = (u64, &'static str, Inst, Option<Reg>);
/// A need without its producer: address, rule, register.
type OfAny = (u64, &'static str, Option<Reg>);

static TEXTS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let tables = [include_str!("hazards/programs.txt"), include_str!("waits/operations.txt")];
    let lines = tables.iter().flat_map(|table| table.lines()).filter(|line| !line.starts_with('#'));
    lines.flat_map(|line| line.split(" | ").skip(2)).chain(OTHERS).collect()
});

/// The instructions that programs are made of.
fn pool(target: Target) -> Vec<Inst> {
    TEXTS.iter().filter_map(|text| parse(target, text).ok()).filter(goes_on).collect()
}

/// Many different instructions whose effects last long.
fn crowd(target: Target, rng: &mut Rng) -> Vec<Inst> {
    let mut number = |most| rng.below(most);
    let texts = (0..600).map(|n| match n % 4 {
        0 => format!("s_mov_b32 s{}, s{}", number(100), number(100)),
        1 => format!("v_add_f32_e32 v{}, s{}, v{}", number(200), number(100), number(200)),
        2 => format!("v_readfirstlane_b32 s{}, v{}", number(100), number(200)),
        _ => format!("s_add_u32 s{}, s{}, s{}", number(100), number(100), number(100)),
    });
    texts.filter_map(|text| parse(target, &text).ok()).collect()
}

/// Whether the instruction after this one always runs next, unlike after a branch.
fn goes_on(inst: &Inst) -> bool {
    let end = parse(inst.target(), "s_endpgm").expect("every target has it");
    let code = bytes(&[*inst, end]);
    let flow = Flow::new(inst.target(), &code, 0, &[0]);
    flow.blocks().len() == 1 && flow.blocks()[0].exit == Exit::End && inst.branch_target(0).is_none()
}

fn bytes(insts: &[Inst]) -> Vec<u8> {
    insts.iter().flat_map(|inst| inst.words().to_vec()).flat_map(u32::to_le_bytes).collect()
}

/// An instruction of the pool, unchanged or with a few other bits.
fn choose(pool: &[Inst], rng: &mut Rng) -> Inst {
    let inst = pool[rng.below(pool.len())];
    let mut words = inst.words().to_vec();
    for _ in 0..rng.below(3) {
        let bit = rng.below(words.len() * 32);
        words[bit / 32] ^= 1 << (bit % 32);
    }
    let changed = decode_words(inst.target(), &words).ok();
    changed.filter(|changed| changed.words() == words && goes_on(changed)).unwrap_or(inst)
}

/// A program with some branches, all of which lead forward.
fn program(target: Target, pool: &[Inst], len: usize, rng: &mut Rng) -> Vec<u8> {
    let mut insts: Vec<Inst> = (0..len).map(|_| choose(pool, rng)).collect();
    for _ in 0..rng.below(6) {
        let names = ["s_cbranch_scc0 0", "s_cbranch_scc1 0", "s_branch 0"];
        insts[rng.below(len - 1)] = parse(target, names[rng.below(3)]).expect("every target has it");
    }
    insts.push(parse(target, "s_endpgm").expect("every target has it"));
    let mut starts = vec![0];
    insts.iter().for_each(|inst| starts.push(starts[starts.len() - 1] + inst.len() as u64));
    for n in 0..len {
        if insts[n].branch_target(starts[n]).is_some() {
            let to = (n + 1 + rng.below(8)).min(len);
            insts[n] = insts[n].with_branch_target(starts[n], starts[to]).expect("it is near");
        }
    }
    bytes(&insts)
}

/// Every path from the beginning to the end, as blocks; `None` if there are too many.
fn paths(flow: &Flow<'_>) -> Option<Vec<Vec<usize>>> {
    let (mut open, mut done) = (vec![vec![0]], Vec::new());
    while let Some(path) = open.pop() {
        let next = flow.successors(path[path.len() - 1]);
        if next.is_empty() {
            done.push(path);
        } else {
            let longer = next.iter().map(|next| [&path[..], &[*next]].concat());
            open.extend(longer);
        }
        if open.len() + done.len() > WAYS {
            return None;
        }
    }
    Some(done)
}

/// Notes the needs of an instruction: the certain ones for each rule and producer, and those that are not sure for each
/// rule.
fn note<C: Capacity>(
    hazards: &Hazards<C>,
    (address, inst): (u64, Inst),
    needs: &mut HashMap<Key, u8>,
    perhaps: &mut HashSet<(u64, &'static str)>,
) {
    hazards.each(&inst, |need| {
        if !need.is_sure() {
            perhaps.insert((address, need.rule.id()));
            return;
        }
        let most = needs.entry((address, need.rule.id(), need.producer, need.register)).or_default();
        *most = need.missing.max(*most);
    });
}

fn try_hazards(flow: &Flow<'_>, paths: &[Vec<usize>], counts: &mut Counts) {
    let (mut joined, mut single, mut perhaps, mut is_known) = (HashMap::new(), HashMap::new(), HashSet::new(), true);
    flow.follow(
        |_| Hazards::unbounded(flow.target()),
        |block, before| {
            let mut hazards = before.clone();
            for (address, inst) in flow.insts(block) {
                note(&hazards, (address, inst), &mut joined, &mut perhaps);
                hazards.issue(&inst);
                is_known &= hazards.msb() != VgprMsb::UNKNOWN;
            }
        },
    );
    let (mut bounded, mut is_incomplete) = (HashMap::new(), false);
    flow.follow(
        |_| Hazards::new(flow.target()),
        |block, before| {
            let mut hazards = *before;
            for (address, inst) in flow.insts(block) {
                note(&hazards, (address, inst), &mut bounded, &mut HashSet::new());
                hazards.issue(&inst);
                is_incomplete |= hazards.is_incomplete();
            }
        },
    );
    for path in paths {
        let mut hazards = Hazards::unbounded(flow.target());
        for (address, inst) in path.iter().flat_map(|block| flow.insts(*block)) {
            note(&hazards, (address, inst), &mut single, &mut HashSet::new());
            hazards.issue(&inst);
        }
    }
    counts.programs += 1;
    counts.needy += u64::from(!single.is_empty());
    // In a state, a producer can stand for other producers that it covers.
    let of_any = |needs: &HashMap<Key, u8>| {
        let mut all = HashMap::<_, u8>::new();
        for ((address, rule, _, register), missing) in needs {
            let most = all.entry((*address, *rule, *register)).or_default();
            *most = (*most).max(*missing);
        }
        all
    };
    let above = |a: &HashMap<OfAny, u8>, b: &HashMap<OfAny, u8>| {
        let above = a.iter().filter(|(key, n)| b.get(*key).is_none_or(|m| m < *n));
        above.map(|(key, n)| (*key, *n)).collect::<Vec<_>>()
    };
    let (joined, single, bounded) = (of_any(&joined), of_any(&single), of_any(&bounded));
    // A need names the first of its registers. The first one is different if a later producer stands for some of the
    // registers.
    let has = |all: &HashMap<OfAny, u8>, ((address, rule, _), missing): &(OfAny, u8)| {
        all.iter().any(|((a, r, _), n)| (a, r) == (address, rule) && n >= missing)
    };
    let missing = |from: &HashMap<OfAny, u8>, of: &HashMap<OfAny, u8>| {
        above(of, from).into_iter().filter(|need| !has(from, need)).collect::<Vec<_>>()
    };
    let is_unfounded = !missing(&joined, &bounded).is_empty();
    counts.unfounded += u64::from(is_unfounded);
    counts.forgotten += u64::from(!is_incomplete && (is_unfounded || !missing(&bounded, &joined).is_empty()));
    counts.full += u64::from(is_incomplete);
    let (too_much, mut too_little) = (missing(&single, &joined), missing(&joined, &single));
    // For registers whose upper bits differ on two paths, needs are not sure, and waits and events are not followed.
    if !is_known {
        let has_distance = |rule: &str| Rule::all().any(|other| other.id() == rule && other.unit() != Unit::Event);
        too_little.retain(|((address, rule, _), _)| has_distance(rule) && !perhaps.contains(&(*address, *rule)));
        counts.doubtful += u64::from(!perhaps.is_empty());
    }
    counts.too_much += u64::from(!too_much.is_empty());
    counts.too_little += u64::from(!too_little.is_empty());
    if !(too_much.is_empty() && too_little.is_empty()) && std::env::var_os("AMDGPU_ISA_SHOW").is_some() {
        show(flow);
        println!("  too much: {too_much:?}, too little: {too_little:?}");
    }
}

fn show(flow: &Flow<'_>) {
    println!("{}", flow.target());
    for block in 0..flow.blocks().len() {
        flow.insts(block).for_each(|(address, inst)| println!("  {address:4}  {inst}"));
    }
}

/// Compares the waits that are missing before each instruction. A missing wait is assumed to be done from there on:
/// `assumed` has the waits that a joined state asked for.
fn try_waits(flow: &Flow<'_>, paths: &[Vec<usize>], counts: &mut Counts) {
    let mut joined = HashMap::new();
    let mut is_sure = true;
    flow.follow(
        |_| Pending::new(flow.target()),
        |block, before| {
            let mut pending = *before;
            for (address, inst) in flow.insts(block) {
                let waits = pending.step(&inst, flow.offset_of(address));
                // If one need is certain and another is not, only the strictest number shows the doubt.
                let is_certain = |wait: Wait| wait.is_sure() && waits.waitcnt().get(wait.counter) == Some(wait.at_most);
                is_sure &= waits.iter().all(is_certain) && !pending.is_incomplete();
                joined.insert(address, waits);
            }
        },
    );
    // A wait cannot be assumed if it is not sure that it is missing.
    if !is_sure {
        return;
    }
    let mut single = HashMap::<_, Vec<Wait>>::new();
    for path in paths {
        let mut pending = Pending::new(flow.target());
        for (address, inst) in path.iter().flat_map(|block| flow.insts(*block)) {
            single.entry(address).or_default().extend(pending.needs(&inst).iter());
            pending.assume(&joined[&address].waitcnt());
            pending.issue(&inst, flow.offset_of(address));
        }
    }
    counts.programs += 1;
    counts.needy += u64::from(joined.values().any(|waits| !waits.is_empty()));
    let (mut too_much, mut too_little) = (false, false);
    for (address, alone) in &single {
        let strictest = |counter| alone.iter().filter(|wait| wait.counter == counter).map(|wait| wait.at_most).min();
        for &counter in amdgpu_isa::facts::Counter::ALL {
            let all = joined[address].iter().find(|wait| wait.counter == counter).map(|wait| wait.at_most);
            let (all, one) = (all.unwrap_or(u8::MAX), strictest(counter).unwrap_or(u8::MAX));
            if all != one && std::env::var_os("AMDGPU_ISA_SHOW").is_some() {
                show(flow);
                println!("  {address}: {counter} joined {all}, alone {one}");
            }
            (too_much, too_little) = (too_much || all < one, too_little || all > one);
        }
    }
    counts.too_much += u64::from(too_much);
    counts.too_little += u64::from(too_little);
}

/// Tries programs of a length. Returns the counts for hazards and for waits.
fn try_programs(len: usize, each: u64, seed: u64) -> [Counts; 2] {
    let mut counts = [Counts::default(); 2];
    let mut rng = Rng(seed);
    for &target in Target::ALL {
        let pool = if len > SHORT { crowd(target, &mut rng) } else { pool(target) };
        for _ in 0..each {
            let code = program(target, &pool, len, &mut rng);
            let flow = Flow::new(target, &code, 0, &[0]);
            let Some(paths) = paths(&flow) else { continue };
            try_hazards(&flow, &paths, &mut counts[0]);
            try_waits(&flow, &paths, &mut counts[1]);
        }
    }
    counts
}

fn programs() -> u64 {
    let asked =
        std::env::var("AMDGPU_ISA_PROGRAMS").ok().map(|text| text.parse().expect("AMDGPU_ISA_PROGRAMS is a number"));
    asked.unwrap_or(if crate::words::is_full() { 1_000_000 } else { 5_000 })
}

#[test]
fn joined_states_need_what_the_ways_need() {
    let each = programs().div_ceil(Target::ALL.len() as u64);
    let [hazards, waits] = try_programs(SHORT, each, 1);
    println!("hazards {hazards:?}, waits {waits:?}");
    let has_banks = |target: &Target| parse(*target, "s_set_vgpr_msb 0x1").is_ok();
    assert_eq!(hazards.doubtful > 0, Target::ALL.iter().any(has_banks), "{hazards:?}");
    assert!(hazards.needy > hazards.programs / 4 && waits.needy > waits.programs / 2, "{hazards:?}, {waits:?}");
    assert_eq!((waits.too_much, waits.too_little), (0, 0), "{waits:?}");
    assert_eq!((hazards.too_much, hazards.too_little), (0, 0), "{hazards:?}");
    assert_eq!((hazards.unfounded, hazards.forgotten), (0, 0), "{hazards:?}");
}

/// A bounded state that had no room for a producer reports that, and demands nothing for the producer. A growing state
/// has room for all producers.
#[test]
fn full_states_say_so_and_report_nothing_that_is_not_needed() {
    let each = (programs() / 5).div_ceil(Target::ALL.len() as u64);
    let [hazards, _] = try_programs(LONG, each, 2);
    println!("hazards {hazards:?}");
    assert!(hazards.full > 0, "{hazards:?}");
    assert_eq!((hazards.too_much, hazards.too_little), (0, 0), "{hazards:?}");
    assert_eq!((hazards.unfounded, hazards.forgotten), (0, 0), "{hazards:?}");
}
