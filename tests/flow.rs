//! Control flow: blocks, edges, calls, loops, live registers.
#![cfg(all(feature = "alloc", feature = "text", has_target))]

use crate::programs;

use core::cell::Cell;

use amdgpu_isa::flow::{Exit, Flow, Following, Lanes, State};
use amdgpu_isa::hazards::{Hazards, Pending, Unbounded};
use amdgpu_isa::{Inst, Reg, Target};
use programs::{Nothing, assemble, insts, sample, samples};

const BASE: u64 = 0x1000;

fn target() -> Option<Target> {
    Target::ALL.iter().copied().find(|target| target.name() == "gfx942")
}

/// The data of a program's blocks, in their order: offset, exit, successors.
fn blocks(flow: &Flow<'_>) -> Vec<(u64, Exit, Vec<usize>)> {
    let all = flow.blocks().iter().enumerate();
    all.map(|(n, block)| (block.start - BASE, block.exit, flow.successors(n).to_vec())).collect()
}

/// On gfx1250, compilers make an address with one addition of 64 bits, and code can jump by a number of bytes. Both are
/// followed.
#[test]
fn addresses_of_64_bits_are_followed() {
    let Some(target) = Target::ALL.iter().copied().find(|target| target.name() == "gfx1250") else { return };
    for (literal, len) in [("0x10", 4), ("0x110", 8), ("lit64(0x10)", 12), ("lit64(-28)", 12)] {
        let code = assemble(
            target,
            &format!(
                "s_get_pc_i64 s[4:5]; s_add_nc_u64 s[4:5], s[4:5], {literal}; s_swap_pc_i64 s[30:31], s[4:5]; s_endpgm"
            ),
        );
        let distance = if literal.contains('-') {
            -28
        } else if len == 8 {
            0x110
        } else {
            0x10
        };
        let function = Some((BASE + 4).wrapping_add_signed(distance));
        assert_eq!(Flow::new(target, &code, BASE, &[BASE]).blocks()[0].exit, Exit::Call { function }, "{literal}");
        let code = assemble(target, &format!("s_add_pc_i64 {literal}; s_endpgm; s_nop 0; s_nop 0; s_nop 0; s_endpgm"));
        let exit = Flow::new(target, &code, BASE, &[BASE]).blocks()[0].exit;
        let to = (BASE + len).wrapping_add_signed(distance);
        assert_eq!(exit, if distance == 0x10 { Exit::Jump } else { Exit::Outside { address: to } }, "{literal}");
    }
    let code = assemble(target, "s_mov_b64 s[4:5], 8; s_add_pc_i64 s[4:5]; s_nop 0; s_nop 0; s_endpgm");
    let flow = Flow::new(target, &code, BASE, &[BASE]);
    assert_eq!(blocks(&flow), [(0, Exit::Jump, vec![1]), (16, Exit::End, vec![])]);
}

#[test]
fn branches_make_blocks_and_edges() {
    let Some(target) = target() else { return };
    let code = assemble(target, "s_nop 0; L:; s_nop 0; s_cbranch_scc0 M; s_branch L; s_nop 7; M:; s_endpgm");
    let flow = Flow::new(target, &code, BASE, &[BASE]);
    let wanted = [
        (0, Exit::Next, vec![1]),
        (4, Exit::Branch, vec![3, 2]),
        (12, Exit::Jump, vec![1]),
        // No path leads to s_nop 7.
        (20, Exit::End, vec![]),
    ];
    assert_eq!(blocks(&flow), wanted);
    assert_eq!(flow.predecessors(1), [0, 2]);
    assert_eq!((flow.loops(), flow.function(0), flow.entries()), (vec![1], vec![0, 1, 2, 3], &[0][..]));
    assert!(flow.insts(1).map(|(address, _)| address - BASE).eq([4, 8]));
}

#[test]
fn calls_return_after_the_call() {
    let Some(target) = target() else { return };
    let code = assemble(target, "s_call_b64 s[4:5], F; s_endpgm; F:; s_nop 0; s_setpc_b64 s[4:5]");
    let flow = Flow::new(target, &code, BASE, &[BASE]);
    let function = BASE + 8;
    let wanted = [
        (0, Exit::Call { function: Some(function) }, vec![1]),
        (4, Exit::End, vec![]),
        (8, Exit::Indirect { pair: Some(4) }, vec![]),
    ];
    assert_eq!(blocks(&flow), wanted);
    assert_eq!((flow.callee(0), flow.callee(1), flow.entries()), (Some(2), None, &[0, 2][..]));
    // The blocks of the caller and of the function are in one group.
    assert_eq!(flow.groups(), [vec![0, 1, 2]]);
}

/// The return leads to the interrupted code, which is not known.
#[test]
fn a_return_from_an_interrupt_is_an_end() {
    let Some(target) = target() else { return };
    let code = assemble(target, "s_rfe_b64 s[4:5]; s_endpgm");
    assert_eq!(blocks(&Flow::new(target, &code, BASE, &[BASE])), [(0, Exit::End, vec![])]);
}

#[test]
fn addresses_relative_to_the_program_counter_are_known() {
    let Some(target) = target() else { return };
    // A call of 0x1028. The code makes the address as compilers do, and a branch interrupts the sequence.
    let text = "s_getpc_b64 s[4:5]; s_cbranch_scc1 L; s_add_u32 s4, s4, DISTANCE; s_addc_u32 s5, s5, 0; s_nop 0
                s_swappc_b64 s[30:31], s[4:5]; L:; s_endpgm; s_nop 0; s_nop 0; s_nop 0; F:; s_setpc_b64 s[30:31]";
    let code = assemble(target, &text.replace("DISTANCE", "0x24"));
    let flow = Flow::new(target, &code, BASE, &[BASE]);
    assert_eq!(flow.blocks()[1].exit, Exit::Call { function: Some(BASE + 0x28) });
    assert_eq!((flow.callee(1), flow.blocks().len()), (flow.block_at(BASE + 0x28), 4));
    assert!(flow.callee(1).is_some());
    assert_eq!(flow.blocks().last().unwrap().exit, Exit::Indirect { pair: Some(30) });
    // If another instruction writes a half of the address, the called function is not known.
    let code = assemble(target, &text.replace("DISTANCE", "0x24").replace("s_nop 0\n", "s_mov_b32 s5, s6\n"));
    let flow = Flow::new(target, &code, BASE, &[BASE]);
    assert_eq!(flow.blocks()[1].exit, Exit::Call { function: None });
    // A jump to a lower address, with a borrow.
    let jump = "s_nop 0; s_getpc_b64 s[4:5]; s_add_u32 s4, s4, 0xfffffff8; s_addc_u32 s5, s5, -1; s_setpc_b64 s[4:5]";
    let in_vcc = jump.replace("s[4:5]", "vcc").replace("s4", "vcc_lo").replace("s5", "vcc_hi");
    for jump in [jump, &in_vcc] {
        let code = assemble(target, jump);
        let flow = Flow::new(target, &code, BASE, &[BASE]);
        assert_eq!(blocks(&flow), [(0, Exit::Jump, vec![0])], "{jump}");
    }
    // Tensile's jumps, forwards and backwards: a distance in a register is added to the address, or subtracted.
    let far =
        "s_getpc_b64 s[4:5]; s_add_i32 s6, lit(0x18), 4; s_add_u32 s4, s4, s6; s_addc_u32 s5, s5, 0; s_setpc_b64 s[4:5]
               s_nop 0; s_nop 0; s_endpgm";
    let code = assemble(target, far);
    let flow = Flow::new(target, &code, BASE, &[BASE]);
    assert_eq!(blocks(&flow)[0], (0, Exit::Jump, vec![flow.block_at(BASE + 0x20).unwrap()]));
    let back = "s_nop 0; s_getpc_b64 s[4:5]; s_add_i32 s6, 0xfffffff4, 4; s_abs_i32 s6, s6; s_sub_u32 s4, s4, s6
                s_subb_u32 s5, s5, 0; s_setpc_b64 s[4:5]";
    let code = assemble(target, back);
    let flow = Flow::new(target, &code, BASE, &[BASE]);
    assert_eq!(blocks(&flow), [(0, Exit::Jump, vec![0])]);
    // Two paths lead to the jump, with different addresses.
    let two = "s_cbranch_scc1 L; s_getpc_b64 s[4:5]; s_branch M; L:; s_getpc_b64 s[4:5]; M:; s_setpc_b64 s[4:5]";
    let code = assemble(target, two);
    let flow = Flow::new(target, &code, BASE, &[BASE]);
    assert_eq!(flow.blocks().last().unwrap().exit, Exit::Indirect { pair: Some(4) });
}

#[test]
fn a_chain_of_calls_through_registers_is_followed_to_its_end() {
    let Some(target) = target() else { return };
    let function = "s_getpc_b64 s[4:5]; s_add_u32 s4, s4, 16; s_addc_u32 s5, s5, 0; s_swappc_b64 s[30:31], s[4:5]
                    s_setpc_b64 s[30:31]\n";
    let code = assemble(target, &(function.repeat(100) + "s_endpgm"));
    let flow = Flow::new(target, &code, BASE, &[BASE]);
    assert_eq!(flow.blocks().iter().filter(|block| block.is_entry).count(), 101);
    assert_eq!(flow.blocks().last().map(|block| block.start), Some(BASE + 100 * 20));
}

#[test]
fn what_is_no_instruction_ends_a_path() {
    let Some(target) = target() else { return };
    let mut code = assemble(target, "s_cbranch_scc0 L; s_nop 0; s_nop 1; L:; s_endpgm");
    code[8..12].copy_from_slice(&0xbfff_0000u32.to_le_bytes());
    let flow = Flow::new(target, &code, BASE, &[BASE]);
    let exits: Vec<Exit> = flow.blocks().iter().map(|block| block.exit).collect();
    assert!(matches!(exits[..], [Exit::Branch, Exit::Invalid(_), Exit::End]), "{exits:?}");
    assert_eq!(flow.blocks()[1].end, BASE + 8);
    // The code ends, a branch leads out of it, or an instruction is cut off.
    for (text, cut, address) in [("s_nop 0", 0, BASE + 4), ("s_branch -8", 0, BASE - 28)] {
        let text = if text.ends_with('8') { "s_nop 0" } else { text };
        let mut code = assemble(target, text);
        if address < BASE {
            code.copy_from_slice(&0xbf82_fff8u32.to_le_bytes());
        }
        let flow = Flow::new(target, &code[..code.len() - cut], BASE, &[BASE]);
        assert_eq!(flow.blocks()[0].exit, Exit::Outside { address });
    }
    let code = assemble(target, "s_mov_b32 s0, 0x12345678");
    let flow = Flow::new(target, &code[..4], BASE, &[BASE]);
    assert!(matches!(flow.blocks()[0].exit, Exit::Invalid(_)));
    assert!(Flow::new(target, &code, BASE, &[BASE - 4, BASE + 2, BASE + 8]).blocks().is_empty());
    assert!(Flow::new(target, &[], BASE, &[BASE]).blocks().is_empty());
}

#[test]
fn code_that_jumps_into_itself_has_blocks_that_overlap() {
    let Some(target) = target() else { return };
    // The literal of s_mov_b32 is s_endpgm.
    let code = assemble(target, "s_cbranch_scc0 L; s_mov_b32 s0, 0xbf810000; L:; s_branch M; M:; s_nop 0");
    let mut code = code;
    code[..4].copy_from_slice(&0xbf84_0001u32.to_le_bytes());
    let flow = Flow::new(target, &code, BASE, &[BASE]);
    let starts: Vec<u64> = flow.blocks().iter().map(|block| block.start - BASE).collect();
    assert_eq!(starts, [0, 4, 8, 16]);
    assert_eq!(flow.blocks()[2].exit, Exit::End);
}

#[test]
fn registers_live_until_they_are_read() {
    let Some(target) = target() else { return };
    let text =
        "v_mov_b32 v1, v0; L:; v_add_u32 v2, v1, v3; s_cbranch_scc1 L; v_mov_b32 v1, v2; s_mov_b32 s7, s4; s_endpgm";
    let code = assemble(target, text);
    let flow = Flow::new(target, &code, BASE, &[BASE]);
    let live = flow.liveness(Lanes::Replaced);
    let has = |block: usize, regs: &[Reg]| regs.iter().map(|reg| live.before(block).contains(*reg)).collect::<Vec<_>>();
    let all = [Reg::Vgpr(0), Reg::Vgpr(1), Reg::Vgpr(2), Reg::Vgpr(3), Reg::Sgpr(4), Reg::Sgpr(7), Reg::Scc];
    assert_eq!(has(0, &all), [true, false, false, true, true, false, true]);
    assert_eq!(has(1, &all), [false, true, false, true, true, false, true]);
    assert_eq!(has(2, &all), [false, false, true, false, true, false, false]);
    let used = flow.uses(0);
    assert_eq!(used.iter().filter(|reg| matches!(reg, Reg::Vgpr(_))).count(), 4);
    assert_eq!(used.iter().filter(|reg| matches!(reg, Reg::Sgpr(_))).count(), 2);
}

#[test]
fn lanes_that_are_off_keep_their_values() {
    let Some(target) = target() else { return };
    // Lanes that are off for the write read the old value of v1.
    let text = "s_mov_b64 exec, s[0:1]; v_mov_b32 v1, 0; s_mov_b64 exec, s[2:3]; v_mov_b32 v2, v1; s_endpgm";
    let code = assemble(target, text);
    let flow = Flow::new(target, &code, BASE, &[BASE]);
    assert!(!flow.liveness(Lanes::Replaced).before(0).contains(Reg::Vgpr(1)));
    assert!(flow.liveness(Lanes::Kept).before(0).contains(Reg::Vgpr(1)));
    assert!(!flow.liveness(Lanes::Kept).before(0).contains(Reg::Vgpr(2)));
    // Without the second change of EXEC, the old value is not live before the write.
    let code = assemble(target, &text.replace("s_mov_b64 exec, s[2:3];", ""));
    let flow = Flow::new(target, &code, BASE, &[BASE]);
    assert!(!flow.liveness(Lanes::Kept).before(0).contains(Reg::Vgpr(1)));
}

#[test]
fn calls_and_unknown_jumps_keep_registers_alive() {
    let Some(target) = target() else { return };
    let text = "s_call_b64 s[4:5], F; s_endpgm; F:; s_mov_b32 s9, s8; s_endpgm";
    let code = assemble(target, text);
    let flow = Flow::new(target, &code, BASE, &[BASE]);
    let live = flow.liveness(Lanes::Replaced);
    assert!(live.before(0).contains(Reg::Sgpr(8)) && !live.before(0).contains(Reg::Sgpr(20)));
    for text in ["s_setpc_b64 s[4:5]", "s_swappc_b64 s[6:7], s[4:5]; s_endpgm"] {
        let code = assemble(target, text);
        let flow = Flow::new(target, &code, BASE, &[BASE]);
        let live = flow.liveness(Lanes::Replaced);
        assert!(live.before(0).contains(Reg::Sgpr(20)) && live.before(0).contains(Reg::Vgpr(255)), "{text}");
        assert_eq!(live.before(0), live.at(0, BASE));
    }
}

#[derive(Clone)]
struct Count(u32);

impl State for Count {
    fn step(&mut self, _: &Inst, _: u32) {
        self.0 = self.0.wrapping_add(1);
    }

    fn join(&mut self, other: &Count) -> bool {
        // The state is the length of the longest path, which a loop makes ever longer.
        let before = self.0;
        self.0 = before.max(other.0);
        self.0 != before
    }
}

#[test]
fn a_state_that_never_settles_ends() {
    let Some(target) = target() else { return };
    let code = assemble(target, "s_nop 0; L:; s_nop 0; s_cbranch_scc0 L; s_endpgm");
    let flow = Flow::new(target, &code, BASE, &[BASE]);
    let mut seen = 0;
    assert!(!flow.follow(|_| Count(0), |_, _| seen += 1));
    assert_eq!(seen, 3);
    assert!(flow.follow(|_| Nothing, |_, _| ()));
}

/// The parts of the code that have run on one of the paths, with a bit for each, and the number of all steps.
#[derive(Clone)]
struct Parts<'s>(u64, &'s Cell<usize>);

impl State for Parts<'_> {
    fn step(&mut self, _: &Inst, offset: u32) {
        self.0 |= 1 << (offset / 64 % 64);
        self.1.set(self.1.get() + 1);
    }

    fn join(&mut self, other: &Self) -> bool {
        let before = self.0;
        self.0 |= other.0;
        self.0 != before
    }
}

#[test]
fn overlapping_loops_are_passed_together() {
    let Some(target) = target() else { return };
    // Each block ends with a branch that leads back over up to 20 blocks.
    let block = |n: i32| [0xbf80_0000, 0xbf84_0000 | (-2 * n.min(20) - 2) as u32 & 0xffff];
    let words = (0..400).flat_map(block).chain([0xbf81_0000]);
    let code: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    let (flow, steps) = (Flow::new(target, &code, BASE, &[BASE]), Cell::new(0));
    assert!(flow.follow(|_| Parts(0, &steps), |_, _| ()));
    // If each loop were followed to its end on its own, the code would be passed 27 times.
    assert!(steps.get() < 15 * code.len() / 4, "{} steps", steps.get());
}

/// The instructions that have run on one of the paths, with a bit for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Ran(u64);

impl State for Ran {
    fn step(&mut self, _: &Inst, offset: u32) {
        self.0 |= 1 << (offset / 4);
    }

    fn join(&mut self, other: &Ran) -> bool {
        let before = self.0;
        self.0 |= other.0;
        self.0 != before
    }

    fn returned_from(&mut self, exit: &Ran) {
        self.0 |= exit.0;
    }
}

/// Pieces of code of 60 random instructions, with branches, loops, calls and returns. Every third piece has neither
/// loops nor calls.
fn random_codes(target: Target, number: usize) -> impl Iterator<Item = Vec<u8>> {
    let mut random = 0x2545_f491_4f6c_dd1du64;
    let mut next = move |most: u64| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random >> 20) % most
    };
    (0..number).map(move |n| {
        let text = (0..60).map(|at| {
            let to = next(60) as i64 - at;
            match (next(12), if n % 3 == 0 { to.abs() % (60 - at) } else { to }) {
                (0 | 1, to) => format!("s_cbranch_scc0 {to}"),
                (2, to) => format!("s_branch {to}"),
                (3, to) if n % 3 != 0 => format!("s_call_b64 s[30:31], {to}"),
                (4, _) => "s_setpc_b64 s[30:31]".to_string(),
                (5, _) => "s_endpgm".to_string(),
                _ => "s_nop 0".to_string(),
            }
        });
        let words = text.map(|line| amdgpu_isa::parse(target, &line).unwrap().words()[0]);
        words.flat_map(u32::to_le_bytes).collect()
    })
}

/// The random code has two entries.
#[test]
fn following_once_finds_the_same_states_as_settling_first() {
    let Some(target) = target() else { return };
    let mut repeated = 0;
    for (n, code) in random_codes(target, 3000).enumerate() {
        let entries = [BASE, BASE + 4 * (n as u64 * 17 % 60)];
        let flow = Flow::new(target, &code, BASE, &entries);
        for group in flow.groups() {
            let first = |block: usize| Ran(1 << 63 >> (block % 3));
            let (mut settled, mut once) = (Vec::new(), Vec::new());
            let mut following = Following::new(&flow, &group, first);
            assert!(following.settle());
            following.each(&mut |block, state| settled.push((block, *state)));
            assert!(Following::new(&flow, &group, first).run_once(&mut |block, state| {
                once.push((block, *state));
                flow.insts(block).for_each(|(address, inst)| state.step(&inst, flow.offset_of(address)));
            }));
            settled.sort_unstable();
            once.sort_unstable();
            assert_eq!(once, settled);
            repeated += flow.loops().len();
        }
    }
    assert!(repeated > 1000, "{repeated}");
}

/// The instructions since the last repair, with a bit for each. Blocks in `repaired` have a repair at their start.
#[derive(Clone)]
struct Unrepaired<'m> {
    blocks: u64,
    repaired: &'m Cell<u64>,
}

impl State for Unrepaired<'_> {
    fn step(&mut self, _: &Inst, offset: u32) {
        let bit = 1 << (offset / 4);
        self.blocks = if self.repaired.get() & bit != 0 { bit } else { self.blocks | bit };
    }

    fn join(&mut self, other: &Self) -> bool {
        let before = self.blocks;
        self.blocks |= other.blocks;
        self.blocks != before
    }

    fn enter(&mut self) {}

    fn returned_from(&mut self, exit: &Self) {
        self.blocks |= exit.blocks;
    }
}

/// Repairs random code of branches, loops, calls and returns. In code without loops and calls, every change is
/// necessary.
#[test]
fn changes_are_made_until_none_is_missing() {
    let Some(target) = target() else { return };
    let (mut repeated, mut straight, mut made) = (0, 0, 0);
    for code in random_codes(target, 2000) {
        let flow = Flow::new(target, &code, BASE, &[BASE]);
        let repaired = Cell::new(0u64);
        let bit = |block: usize| 1u64 << (flow.offset_of(flow.blocks()[block].start) / 4);
        // A change is missing at a block without a repair if more than three of the instructions since the last repair
        // are at places that differ from the block's place by a multiple of 3.
        let is_missing = |block: usize, now: &Unrepaired<'_>| {
            let mask = 0x9249_2492_4924_9249u64 << (bit(block).trailing_zeros() % 3);
            repaired.get() & bit(block) == 0 && (now.blocks & mask).count_ones() > 3
        };
        let groups = flow.groups();
        let first = |_| Unrepaired { blocks: 0, repaired: &repaired };
        for group in &groups {
            let is_final = Following::new(&flow, group, first).change_each(&mut |block, now, _| {
                let changes = is_missing(block, now);
                repaired.set(if changes { repaired.get() | bit(block) } else { repaired.get() });
                changes
            });
            assert!(is_final);
        }
        let missing = || {
            let mut number = 0;
            assert!(flow.follow(first, |block, now| number += usize::from(is_missing(block, now))));
            number
        };
        assert_eq!(missing(), 0);
        let all = repaired.get();
        made += all.count_ones();
        if flow.loops().is_empty() && (0..flow.blocks().len()).all(|block| flow.callee(block).is_none()) {
            straight += all.count_ones();
            for n in (0..64).filter(|n| all >> n & 1 != 0) {
                repaired.set(all & !(1 << n));
                assert!(missing() > 0);
            }
        } else {
            repeated += all.count_ones();
        }
    }
    assert!(repeated > 1000 && straight > 200, "{repeated} {straight} of {made}");
}

/// In random words, and in random words of the format SOPP, every block ends after its last instruction. A block
/// without an exit of its own ends where its successor begins. Successors and predecessors agree, every block is in one
/// group, and following the code ends.
#[test]
fn any_bytes_have_a_flow() {
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = move || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    for &target in Target::ALL {
        for round in 0..40 {
            let words: Vec<u32> = (0..200)
                .map(|_| match (round % 4, next()) {
                    (0, n) => n as u32,
                    // A word of SOPP with a small constant, such as a near branch.
                    (_, n) => 0xbf80_0000 | (n as u32 & 0x3f) << 16 | ((n >> 32) as u32 & 0x3f),
                })
                .collect();
            let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            let flow = Flow::new(target, &code, BASE, &[BASE, BASE + 400]);
            let number = flow.blocks().len();
            assert!(number <= words.len());
            for (n, block) in flow.blocks().iter().enumerate() {
                assert!(block.start <= block.end);
                assert!(flow.successors(n).iter().all(|&to| to < number && flow.predecessors(to).contains(&n)));
                assert!(flow.predecessors(n).iter().all(|&from| flow.successors(from).contains(&n)));
                let last = flow.insts(n).last().map_or(block.start, |(at, inst)| at + inst.len() as u64);
                assert_eq!(last, block.end, "{target} {block:x?}");
                if block.exit == Exit::Next {
                    assert_eq!(flow.blocks()[flow.successors(n)[0]].start, block.end);
                }
            }
            assert_eq!(flow.groups().iter().map(Vec::len).sum::<usize>(), number);
            assert!(flow.follow(|_| Nothing, |_, _| ()));
            flow.liveness(Lanes::Kept);
        }
    }
}

/// The code is a long row of conditional branches, each of which doubles the number of paths.
#[test]
fn the_work_grows_with_the_code() {
    let Some(target) = target() else { return };
    let mut code: Vec<u8> = (0..20_000).flat_map(|_| 0xbf84_0001u32.to_le_bytes()).collect();
    code.extend(assemble(target, "s_nop 0; s_endpgm"));
    let flow = Flow::new(target, &code, BASE, &[BASE]);
    assert_eq!(flow.blocks().len(), 20_002);
    assert!(flow.follow(|_| amdgpu_isa::hazards::Pending::new(target), |_, _| ()));
}

/// Waits and hazards along a path, and the number of all steps.
#[derive(Clone)]
struct Machine<'s> {
    pending: Pending<Unbounded>,
    hazards: Hazards<Unbounded>,
    steps: &'s Cell<usize>,
}

impl State for Machine<'_> {
    fn step(&mut self, inst: &Inst, offset: u32) {
        self.pending.issue(inst, offset);
        self.hazards.issue_at(inst, offset);
        self.steps.set(self.steps.get() + 1);
    }

    fn join(&mut self, other: &Self) -> bool {
        let pending = self.pending.join(&other.pending);
        self.hazards.join(&other.hazards) | pending
    }

    fn join_again(&mut self, other: &Self) -> bool {
        let pending = self.pending.join_again(&other.pending);
        self.hazards.join(&other.hazards) | pending
    }
}

/// The number of steps that machines take until the states of all blocks are final, divided by the number of dwords.
fn steps_per_dword(target: Target, code: &[u8]) -> f64 {
    let (flow, steps) = (Flow::new(target, code, BASE, &[BASE]), Cell::new(0));
    let first = |_| Machine { pending: Pending::unbounded(target), hazards: Hazards::unbounded(target), steps: &steps };
    assert!(flow.follow(first, |_, _| ()));
    steps.get() as f64 * 4.0 / code.len() as f64
}

/// Branches lead forth and back, with loads and waits between them. States depend on the operations that are
/// outstanding, not on the distance from the beginning of the function, so they are soon final.
#[test]
fn long_branches_are_passed_a_few_times() {
    let Some(target) = target() else { return };
    const LEN: i64 = 20_000;
    let wait = assemble(target, "s_waitcnt vmcnt(0)");
    let between =
        ["global_load_dword v1, v[2:3], off", "v_readfirstlane_b32 s4, v5"].map(|text| assemble(target, text));
    let mut random = 0x2545_f491u32;
    let mut code = Vec::new();
    for n in 0..LEN {
        random = random.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
        let to = (n + i64::from(random >> 8) % 300 - 150).clamp(0, LEN - 1);
        // Each branch comes after two dwords: a load, or two other instructions.
        match random >> 29 {
            0 => code.extend(between[0].iter()),
            1 => code.extend(between[1].iter().chain(&wait)),
            _ => code.extend(wait.iter().chain(&wait)),
        }
        code.extend((0xbf84_0000 | ((to - n) * 3 - 3) as u32 & 0xffff).to_le_bytes());
    }
    code.extend(assemble(target, "s_endpgm"));
    let steps = steps_per_dword(target, &code);
    assert!(steps < 4.0, "{steps} steps for each dword");
}

/// A kernel without conditional branches calls 1,500 functions, one after the other.
#[test]
fn the_code_after_each_call_is_passed_once_more() {
    let Some(target) = target() else { return };
    // Each call goes to the function after the following branch. The function returns to this branch, which skips the
    // function.
    let texts = ["s_nop 0", "s_call_b64 s[30:31], 1", "s_branch 2", "s_nop 0", "s_setpc_b64 s[30:31]"];
    let words = texts.map(|text| amdgpu_isa::parse(target, text).unwrap().words()[0]);
    let code = [words.map(u32::to_le_bytes).as_flattened().repeat(1500), assemble(target, "s_endpgm")].concat();
    let steps = steps_per_dword(target, &code);
    assert!(steps < 4.0, "{steps} steps for each dword");
}

/// In the samples no path leads to words that do not decode, or out of the code. The blocks do not overlap, and every
/// reached instruction is one that decoding from the start finds.
#[test]
fn samples_are_followed_whole() {
    let mut functions = 0;
    for sample in samples().iter().filter_map(|path| sample(path)) {
        let flow = Flow::new(sample.target, &sample.code, sample.address, &sample.kernels);
        functions += flow.entries().len();
        for block in flow.blocks() {
            assert!(!matches!(block.exit, Exit::Invalid(_) | Exit::Outside { .. }), "{}: {block:x?}", sample.name);
        }
        let mut reached: Vec<u64> = (0..flow.blocks().len()).flat_map(|n| flow.insts(n)).map(|(at, _)| at).collect();
        reached.sort_unstable();
        assert!(reached.windows(2).all(|pair| pair[0] < pair[1]), "{}: blocks overlap", sample.name);
        let listed = insts(sample.target, &sample.code, sample.address);
        let at = |address: u64| listed.binary_search_by_key(&address, |(at, _)| *at);
        assert!(reached.iter().all(|address| at(*address).is_ok()), "{}", sample.name);
    }
    assert!(functions > 0);
}
