//! Assembled branches go to their labels: random programs with branches of every kind, some of them out of range, are
//! decoded and followed. The test does not use the assembler's own arithmetic.
#![cfg(all(has_target, feature = "text"))]

use crate::jumps;
#[cfg(feature = "all-targets")]
mod llvm;
use crate::words;

use amdgpu_isa::asm::{AssembleError, AssembleErrorKind, Assembler, Far, FixupSlot, Label, LabelSlot, Room};
use amdgpu_isa::facts::AddressStep;
use amdgpu_isa::patch::Buffer;
use amdgpu_isa::{Field, Inst, Target, decode_words};
use jumps::{opcode, targets, word};
use words::{Rng, is_rdna};

/// Part of a random program.
#[derive(Clone, Copy, Debug)]
enum Part {
    /// A number of instructions without effect.
    Fill(usize),
    /// The place of a label.
    Bind(usize),
    /// A branch, by its number among the branches, to a label.
    Branch(usize, usize),
    /// Padding to an alignment.
    Align(u64, bool),
    /// A load of the address of a label.
    Load(usize),
}

const PAIR: u8 = 6;

/// Targets that execute branches of any distance. On RDNA1, a branch with the distance 63 dwords gets an `s_nop` beside
/// it, which a test that follows random programs cannot distinguish from the `s_nop`s of the programs:
/// `branches_over_63_dwords_are_padded_on_rdna1` tests RDNA1.
fn unpadded_targets() -> impl Iterator<Item = Target> {
    let is_broken = |target| decode_words(target, &[0xbf82_003f]).is_ok_and(|branch| branch.is_broken_branch());
    targets().filter(move |target| !is_broken(*target))
}

/// Every branch and call of the target, with any destination.
fn branches(target: Target) -> Vec<Inst> {
    let mut all: Vec<Inst> = Vec::new();
    for encoding in words::encodings(target) {
        let (_, _, opcode) = encoding;
        // A fork, which has no long form, is left out.
        let flags = |inst: &Inst| (inst.flags().is_branch() || inst.flags().is_call()) && !is_fork(inst);
        if !opcode.name().starts_with("s_") || all.iter().any(|inst| inst.opcode() == opcode) {
            continue;
        }
        let legal = words::legal(target, encoding, 1, &mut Rng(1));
        all.extend(legal.into_iter().filter(|inst| flags(inst) && inst.branch_target(0).is_some()));
    }
    all
}

/// Branches that use a register in addition to their constant.
const FORKS: [&str; 3] = ["s_cbranch_i_fork", "s_subvector_loop_begin", "s_subvector_loop_end"];

fn is_fork(inst: &Inst) -> bool {
    FORKS.contains(&inst.opcode().name())
}

/// A fork goes to a label that its constant reaches, and is refused if the label is too far.
#[test]
fn forks_are_not_made_longer() {
    for target in targets() {
        let encodings = words::encodings(target).into_iter().filter(|(_, _, opcode)| FORKS.contains(&opcode.name()));
        let forks = encodings.map(|encoding| words::legal(target, encoding, 1, &mut Rng(1))[0]);
        let ends = [(4 + 4 * 0x7fff, true), (4 + 4 * 0x8000, false)];
        for (fork, (to, reaches)) in forks.flat_map(|fork| ends.map(|end| (fork, end))) {
            let mut code = [0u32; 16];
            let (mut labels, mut fixups) = ([LabelSlot::EMPTY; 1], [FixupSlot::EMPTY; 1]);
            let mut asm = Assembler::new(target, &mut code, &mut labels, &mut fixups);
            asm.far(Far { pair: 2, scc: Some(7) }).expect("a pair");
            let label = asm.label_at(to).expect("there is room");
            asm.branch(fork, label).expect("there is room");
            let done = asm.finish().map(|done| done.len()).map_err(|e| e.kind);
            let expected = if reaches { Ok(4) } else { Err(AssembleErrorKind::Distance { from: 0, to }) };
            assert_eq!(done, expected, "{target}");
        }
    }
}

/// RDNA1 does not execute a branch with the distance 63 dwords correctly: an `s_nop` after it makes the distance 64.
/// If the branch goes to a fixed address, an `s_nop` before it makes the distance 62.
#[test]
#[cfg(feature = "gfx1010")]
fn branches_over_63_dwords_are_padded_on_rdna1() {
    let branch = decode_words(Target::Gfx1010, &[0xbf82_0000]).unwrap();
    let nop = decode_words(Target::Gfx1010, &[0xbf80_0000]).unwrap();
    let words = |between: usize, address: Option<u64>| {
        let mut code = [0u32; 80];
        let (mut labels, mut fixups) = ([LabelSlot::EMPTY; 1], [FixupSlot::EMPTY; 1]);
        let mut asm = Assembler::new(Target::Gfx1010, &mut code, &mut labels, &mut fixups);
        let label = match address {
            Some(address) => asm.label_at(address).unwrap(),
            None => asm.label().unwrap(),
        };
        asm.branch(branch, label).unwrap();
        (0..between).for_each(|_| asm.emit(nop).unwrap());
        if address.is_none() {
            asm.bind(label).unwrap();
        }
        let len = asm.finish().unwrap().len();
        (code[0], code[1], len)
    };
    assert_eq!(words(62, None), (0xbf82_003e, 0xbf80_0000, 63 * 4));
    assert_eq!(words(63, None), (0xbf82_0040, 0xbf80_0000, 65 * 4));
    assert_eq!(words(64, None), (0xbf82_0040, 0xbf80_0000, 65 * 4));
    assert_eq!(words(0, Some(64 * 4)), (0xbf80_0000, 0xbf82_003e, 8));
}

fn program(rng: &mut Rng, branches: usize, labels: usize, aligned: bool) -> Vec<Part> {
    let mut parts: Vec<Part> = (0..labels).map(Part::Bind).collect();
    for _ in 0..rng.below(40) {
        parts.push(Part::Branch(rng.below(branches), rng.below(labels)));
    }
    for _ in 0..rng.below(12) {
        // Many distances are just at the limit of 32768 dwords.
        let far = [1000, 16_384, 32_000, 32_767, 32_768, 40_000];
        parts.push(Part::Fill(rng.pick(&[1, 2, 3, 10, rng.pick_one(&far), rng.pick_one(&far)])));
    }
    for _ in 0..rng.below(4) {
        parts.push(Part::Load(rng.below(labels)));
        if aligned {
            parts.push(Part::Align(4 << rng.below(9), rng.below(2) == 1));
        }
    }
    // The parts are shuffled (Fisher-Yates).
    for last in (1..parts.len()).rev() {
        parts.swap(last, rng.below(last + 1));
    }
    parts
}

trait PickOne {
    fn pick_one(&self, from: &[usize]) -> usize;
}

impl PickOne for Rng {
    fn pick_one(&self, from: &[usize]) -> usize {
        from[(self.0 >> 7) as usize % from.len()]
    }
}

/// The result of assembling a program.
struct Done {
    code: Vec<u32>,
    addresses: Vec<u64>,
}

fn assemble(
    target: Target,
    base: u64,
    far: Option<Far>,
    parts: &[Part],
    branches: &[Inst],
    labels: usize,
) -> Result<Done, AssembleError> {
    let mut code = vec![0xdead_beef; 600_000];
    let (mut slots, mut fixups) = (vec![LabelSlot::EMPTY; labels], vec![FixupSlot::EMPTY; parts.len()]);
    let mut asm = Assembler::new(target, &mut code[..], &mut slots, &mut fixups);
    asm.base(base)?;
    if let Some(far) = far {
        asm.far(far)?;
    }
    let names: Vec<Label> = (0..labels).map(|_| asm.label()).collect::<Result<_, _>>()?;
    let fill = filler(target);
    for &part in parts {
        let before = asm.offset();
        match part {
            Part::Fill(n) => (0..n).try_for_each(|_| asm.dword(fill))?,
            Part::Bind(label) => asm.bind(names[label])?,
            Part::Branch(branch, label) => asm.branch(branches[branch], names[label])?,
            Part::Align(bytes, false) => asm.align(bytes)?,
            Part::Align(bytes, true) => asm.align_end(bytes)?,
            Part::Load(label) => asm.load_address(PAIR, names[label])?,
        }
        assert!(asm.offset() >= before);
        assert!(!matches!(part, Part::Align(bytes, _) if (base + asm.offset()) % bytes != 0));
    }
    let done = asm.finish()?;
    let addresses = names.iter().map(|&name| done.address(name).expect("it is bound")).collect();
    let len = done.len() / 4;
    assert!(code[len..].iter().all(|&word| word == 0xdead_beef), "more was written than there is code");
    code.truncate(len);
    Ok(Done { code, addresses })
}

/// An instruction other than those that alignment inserts.
fn filler(target: Target) -> u32 {
    word(target, "s_sleep", &[(Field::Simm16, 5)]).expect("all have it")
}

/// Follows the code in parallel to the program. Returns the number of long branches.
fn follow(target: Target, base: u64, far: Option<Far>, parts: &[Part], branches: &[Inst], done: &Done) -> usize {
    let (mut at, mut goes, mut bound) = (0, Vec::new(), vec![u64::MAX; done.addresses.len()]);
    let aligned = parts.iter().any(|part| matches!(part, Part::Align(..)));
    let (nop, fill) = (word(target, "s_nop", &[]).expect("all have it"), filler(target));
    for &part in parts {
        let pc = base + at as u64 * 4;
        match part {
            Part::Fill(n) => {
                assert!(done.code[at..at + n].iter().all(|&word| word == fill), "{part:?} at {at}");
                at += n;
            }
            Part::Bind(label) => bound[label] = pc,
            Part::Branch(branch, label) => {
                let jump = jumps::follow(target, &done.code[at..], pc, &branches[branch], far);
                goes.push((pc, jump.to, label, jump.long));
                at += jump.dwords;
            }
            Part::Align(bytes, ends) => {
                let pad = if ends { word(target, "s_code_end", &[]).unwrap_or(nop) } else { nop };
                let end = pc.next_multiple_of(bytes);
                let dwords = ((end - pc) / 4) as usize;
                assert!(done.code[at..at + dwords].iter().all(|&word| word == pad), "{part:?} at {at}");
                at += dwords;
            }
            Part::Load(label) => {
                let (to, dwords) = jumps::address(target, &done.code[at..], pc, PAIR);
                goes.push((pc, to, label, false));
                at += dwords;
            }
        }
    }
    assert_eq!(at, done.code.len());
    assert_eq!(bound, done.addresses, "labels are not where the assembler says");
    let mut long_ones = 0;
    for (from, to, label, long) in goes {
        assert_eq!(to, bound[label], "what stands at {from:#x} goes elsewhere");
        let dwords = (to as i64 - from as i64 - 4) / 4;
        // No branch is long without need, unless there is padding, which can shrink when other branches grow.
        assert!(!long || aligned || i16::try_from(dwords).is_err(), "a branch over {dwords} dwords is long");
        long_ones += usize::from(long);
    }
    long_ones
}

#[test]
fn random_programs_go_where_they_were_told() {
    let (mut programs, mut long, mut refused) = (0, 0, 0);
    for target in unpadded_targets() {
        let branches = branches(target);
        assert!(branches.len() >= 7, "{target}: {branches:?}");
        let longer = |b: &Inst| !is_fork(b);
        let with_long: Vec<Inst> = branches.iter().copied().filter(longer).collect();
        let mut rng = Rng(target as u64 + 1);
        for n in 0..60 {
            let labels = 1 + rng.below(8);
            let base = rng.pick(&[0, 0x1000, 0x1604, 0x7fff_ffff_0000]);
            let far = match n % 3 {
                0 => None,
                1 => Some(Far { pair: 4, scc: None }),
                _ => Some(Far { pair: 8, scc: Some(10) }),
            };
            let branches = if far.is_some() { &with_long } else { &branches };
            let parts = program(&mut rng, branches.len(), labels, n % 2 == 0);
            match assemble(target, base, far, &parts, branches, labels) {
                Ok(done) => {
                    programs += 1;
                    long += follow(target, base, far, &parts, branches, &done);
                }
                Err(AssembleError { kind: AssembleErrorKind::Distance { from, to }, offset, opcode, .. })
                    if far.is_none() =>
                {
                    // The error names the branch and its offset.
                    assert_eq!(offset.map(|offset| base + offset), Some(from));
                    assert!(branches.iter().any(|branch| Some(branch.opcode()) == opcode));
                    refused += 1;
                    let dwords = (to as i64 - from as i64 - 4) / 4;
                    assert!(i16::try_from(dwords).is_err(), "{dwords} dwords are refused");
                }
                Err(error) => panic!("{target}: {error}: {parts:?}"),
            }
        }
    }
    println!("{programs} programs with {long} long branches, {refused} refused for their distance");
    let targets = unpadded_targets().count();
    assert!(programs >= 40 * targets && long >= 50 * targets && refused >= targets);
}

/// Tests the last distance that a branch reaches, and the first that it does not, in both directions.
#[test]
fn the_limit_is_exact() {
    for target in targets() {
        let branches = branches(target);
        let jump = branches.iter().position(|b| b.opcode().name() == "s_branch").expect("all have it");
        for (fill, reaches) in [(32_767, true), (32_768, false)] {
            let parts = [Part::Branch(jump, 0), Part::Fill(fill), Part::Bind(0)];
            let refused = AssembleErrorKind::Distance { from: 0, to: 4 + fill as u64 * 4 };
            let got =
                assemble(target, 0, None, &parts, &branches, 1).map(|done| done.code.len()).map_err(|e| Some(e.kind));
            assert_eq!(got, if reaches { Ok(fill + 1) } else { Err(Some(refused)) }, "{target}");
            let far = Some(Far { pair: 0, scc: None });
            let done = assemble(target, 0, far, &parts, &branches, 1).expect("it reaches");
            assert_eq!(done.code.len(), fill + if reaches { 1 } else { 6 });
        }
        for (fill, reaches) in [(32_767, true), (32_768, false)] {
            let parts = [Part::Bind(0), Part::Fill(fill), Part::Branch(jump, 0)];
            let got = assemble(target, 0, None, &parts, &branches, 1);
            assert_eq!(got.is_ok(), reaches, "{target}: {fill} back");
        }
    }
}

/// Labels can be at addresses in other code, but not between dwords.
#[test]
fn labels_can_be_elsewhere() {
    for target in targets() {
        let branch = branches(target)[0];
        for to in [0x8000_0000_0000, 0, 0x1234_5678, 0x10_0000] {
            let mut code = [0u32; 16];
            let (mut labels, mut fixups) = ([LabelSlot::EMPTY; 1], [FixupSlot::EMPTY; 1]);
            let mut asm = Assembler::new(target, &mut code, &mut labels, &mut fixups);
            asm.base(0x10_0000).expect("a multiple of 4");
            let far = Far { pair: 2, scc: None };
            asm.far(far).expect("a pair");
            let label = asm.label_at(to).expect("there is room");
            asm.branch(branch, label).expect("there is room");
            let len = asm.finish().expect("it reaches").len();
            let jump = jumps::follow(target, &code, 0x10_0000, &branch, Some(far));
            assert_eq!((jump.to, jump.dwords * 4), (to, len), "{target}");
        }
        let mut code = [0u32; 16];
        let (mut labels, mut fixups) = ([LabelSlot::EMPTY; 1], [FixupSlot::EMPTY; 1]);
        let mut asm = Assembler::new(target, &mut code, &mut labels, &mut fixups);
        asm.far(Far { pair: 2, scc: None }).expect("a pair");
        let label = asm.label_at(0x1002).expect("there is room");
        asm.branch(branch, label).expect("there is room");
        assert_eq!(
            asm.finish().map(|x| x.len()).map_err(|e| e.kind),
            Err(AssembleErrorKind::Distance { from: 0, to: 0x1002 })
        );
    }
}

#[test]
fn what_cannot_be_is_refused() {
    for target in targets() {
        let branch = branches(target)[0];
        let fill = filler(target);
        let mut code = [0u32; 4];
        let (mut labels, mut fixups) = ([LabelSlot::EMPTY; 2], [FixupSlot::EMPTY; 2]);
        let mut other_labels = [LabelSlot::EMPTY; 3];
        let foreign = {
            let mut asm = Assembler::new(target, &mut code, &mut other_labels, &mut fixups);
            (0..3).map(|_| asm.label().expect("there is room")).last().expect("three")
        };
        let mut asm = Assembler::new(target, &mut code, &mut labels, &mut fixups);
        let label = asm.label().expect("there is room");
        asm.bind(label).expect("it is new");
        assert_eq!(asm.bind(label).map_err(|e| e.kind), Err(AssembleErrorKind::Bound(label)));
        assert_eq!(asm.bind(foreign).map_err(|e| e.kind), Err(AssembleErrorKind::UnknownLabel(foreign)));
        let unbound = asm.label().expect("there is room");
        assert_eq!(asm.here().map_err(|e| e.kind), Err(AssembleErrorKind::Room(Room::Labels)));
        for bytes in [0, 1, 2, 3, 12, 0x20000, u64::MAX] {
            assert_eq!(asm.align(bytes).map_err(|e| e.kind), Err(AssembleErrorKind::Alignment(bytes)));
            assert_eq!(asm.align_end(bytes).map_err(|e| e.kind), Err(AssembleErrorKind::Alignment(bytes)));
        }
        assert_eq!(asm.base(6).map_err(|e| e.kind), Err(AssembleErrorKind::Base(6)));
        let refused = [(1, None, 1), (254, None, 254), (102, None, 102), (4, Some(4), 4), (4, Some(5), 5)];
        for (pair, scc, named) in refused {
            let known = pair == 102 && decode_words(target, &[word(target, "s_getpc_b64", &[(Field::Sdst, 102)]).expect("all have it")])
                .is_ok_and(|inst| matches!(inst.operands().next(), Some(o) if matches!(o.value, amdgpu_isa::Value::Reg(amdgpu_isa::Reg::Sgpr(_)))));
            if !known {
                assert_eq!(
                    asm.far(Far { pair, scc }).map_err(|e| e.kind),
                    Err(AssembleErrorKind::Register(named)),
                    "{target}"
                );
            }
        }
        assert_eq!(asm.load_address(3, label).map_err(|e| e.kind), Err(AssembleErrorKind::Register(3)));
        let nop = decode_words(target, &[fill]).expect("it sleeps");
        assert_eq!(asm.branch(nop, label).map_err(|e| e.kind), Err(AssembleErrorKind::NotABranch(nop.opcode())));
        assert_eq!(asm.jump(nop.opcode(), label).map_err(|e| e.kind), Err(AssembleErrorKind::NotABranch(nop.opcode())));
        if let Some(call) = opcode("s_call_b64").filter(|call| call.encodings(target).next().is_some()) {
            assert_eq!(asm.jump(call, label).map_err(|e| e.kind), Err(AssembleErrorKind::NotABranch(call)));
        }
        assert_eq!(asm.emit([fill, fill]).map_err(|e| e.kind), Err(AssembleErrorKind::Size { dwords: 1, given: 2 }));
        assert!(matches!(asm.emit([u32::MAX]).map_err(|e| e.kind), Err(AssembleErrorKind::Decode(_))));
        let elsewhere = targets().find(|&t| t != target);
        if let Some(other) = elsewhere {
            let inst = decode_words(other, &[filler(other)]).expect("it sleeps");
            assert_eq!(asm.emit(inst).map_err(|e| e.kind), Err(AssembleErrorKind::Target(other)));
        }
        assert_eq!(
            asm.emit_symbol(nop, amdgpu_isa::asm::RelocationKind::Abs32, 0, 0).map_err(|e| e.kind),
            Err(AssembleErrorKind::NoLiteral(nop.opcode()))
        );
        asm.branch(branch, unbound).expect("there is room");
        asm.branch(branch, label).expect("there is room");
        assert_eq!(asm.branch(branch, label).map_err(|e| e.kind), Err(AssembleErrorKind::Room(Room::Fixups)));
        asm.words(&[fill; 2]).expect("there is room");
        assert_eq!(asm.dword(fill).map_err(|e| e.kind), Err(AssembleErrorKind::Room(Room::Code)));
        assert_eq!(asm.finish().map(|x| x.len()).map_err(|e| e.kind), Err(AssembleErrorKind::Unbound(unbound)));

        // The buffer has no room for the growth.
        let mut asm = Assembler::new(target, &mut code, &mut labels, &mut fixups);
        asm.far(Far { pair: 0, scc: None }).expect("a pair");
        let label = asm.label_at(1 << 40).expect("there is room");
        asm.branch(branch, label).expect("there is room");
        assert_eq!(asm.finish().map(|x| x.len()).map_err(|e| e.kind), Err(AssembleErrorKind::Room(Room::Code)));
    }
}

/// Buffers of bytes, and buffers that grow, get the same code as dwords.
#[test]
fn every_buffer_gets_the_same_code() {
    fn write<B: Buffer + ?Sized>(target: Target, branch: &Inst, out: &mut B) -> usize {
        let (mut labels, mut fixups) = ([LabelSlot::EMPTY; 2], [FixupSlot::EMPTY; 3]);
        let mut asm = Assembler::new(target, out, &mut labels, &mut fixups);
        let run = |asm: &mut Assembler<'_, B>| {
            asm.far(Far { pair: 2, scc: Some(7) })?;
            let (end, elsewhere) = (asm.label()?, asm.label_at(1 << 30)?);
            asm.branch(branch, end)?;
            asm.branch(branch, elsewhere)?;
            asm.align(64)?;
            asm.bind(end)?;
            asm.dword(filler(target))
        };
        run(&mut asm).expect("there is room");
        asm.finish().expect("there is room").len()
    }
    for target in targets() {
        let branch = branches(target)[0];
        let mut dwords = [0u32; 32];
        let len = write(target, &branch, &mut dwords);
        assert!(len > 64 && len % 64 == 4, "{len}");
        let mut bytes = [0u8; 128];
        assert_eq!(write(target, &branch, &mut bytes), len);
        assert_eq!(bytes[..len], words::bytes(&dwords)[..len]);
        #[cfg(feature = "alloc")]
        {
            let mut grown: Vec<u32> = Vec::new();
            assert_eq!(write(target, &branch, &mut grown), len);
            assert_eq!(grown, dwords[..len / 4]);
            let mut grown: Vec<u8> = Vec::new();
            assert_eq!(write(target, &branch, &mut grown), len);
            assert_eq!(grown, bytes[..len]);
        }
    }
}

/// Code is padded with `s_code_end` where no instruction leads, if the target has this instruction.
#[test]
fn what_nothing_runs_through_ends() {
    for &target in Target::ALL {
        let mut code = [0u32; 8];
        let (mut labels, mut fixups) = ([LabelSlot::EMPTY; 1], [FixupSlot::EMPTY; 2]);
        let mut asm = Assembler::new(target, &mut code, &mut labels, &mut fixups);
        asm.dword(0).expect("there is room");
        asm.align(16).expect("there is room");
        asm.dword(0).expect("there is room");
        asm.align_end(16).expect("there is room");
        assert_eq!(asm.finish().expect("there is room").len(), 32);
        let (nop, end) = (0xbf80_0000, if is_rdna(target) { 0xbf9f_0000 } else { 0xbf80_0000 });
        assert_eq!(code, [0, nop, nop, nop, 0, end, end, end], "{target}");
    }
}

/// Random code with branches that reach any place is moved: the n-th instruction of the copy is that of the original,
/// and each branch goes to the copy of its target. Some branches leave the code, become long and move the code after
/// them.
#[test]
fn moved_branches_go_to_the_copy_of_what_they_went_to() {
    let long = 6;
    for target in unpadded_targets() {
        let mut rng = Rng(target as u64 + 77);
        let branch = branches(target).into_iter().find(|b| b.opcode().name() == "s_branch").expect("all have it");
        let two = word(target, "s_mov_b32", &[(Field::Ssrc0, 255)]).expect("all have it");
        for round in 0..40 {
            // The places of the instructions. A third of them are branches, and a fifth of the branches leave the code.
            let count = [1, 2, 3, 50, 400][round % 5];
            let kinds: Vec<usize> = (0..count).map(|_| rng.below(3)).collect();
            let mut begins = vec![0];
            kinds.iter().for_each(|&kind| begins.push(begins[begins.len() - 1] + [1, 2, 1][kind]));
            let len = begins.pop().expect("the end");
            let (from, to) = (0x7_0000_0000, 0x20_0000);
            let (mut code, mut goes, mut outside) = (Vec::new(), Vec::new(), Vec::new());
            for &kind in &kinds {
                let at = code.len();
                match kind {
                    0 => code.push(filler(target)),
                    1 => code.extend([two, 7]),
                    // A branch to the first dword leaves the code, too, because callers of the code go there.
                    _ => {
                        let leaves = rng.below(5) == 0;
                        let dword = if leaves { len + 1 + rng.below(20) } else { rng.pick(&begins) };
                        let pc = from + at as u64 * 4;
                        let inst = branch.with_branch_target(pc, from + dword as u64 * 4).expect("it reaches");
                        code.extend(inst.words());
                        goes.push((at, dword));
                        if dword == 0 || dword >= len {
                            outside.push(at);
                        }
                    }
                }
            }
            let moved = |dword: usize| dword + (long - 1) * outside.iter().filter(|&&at| at < dword).count();
            let mut out = vec![0u32; 8 + moved(len)];
            let mut labels = vec![LabelSlot::EMPTY; goes.len() + 1];
            let mut fixups = vec![FixupSlot::EMPTY; goes.len() + 2];
            let mut asm = Assembler::new(target, &mut out[..], &mut labels, &mut fixups);
            asm.base(to).expect("a multiple of 4");
            asm.far(Far { pair: 4, scc: None }).expect("a pair");
            // A label and fix-ups precede the copy, whose branches grow.
            let end = asm.label().expect("there is room");
            asm.jump(branch.opcode(), end).expect("there is room");
            asm.align(16).expect("there is room");
            asm.moved(&code[..], from).expect("there is room");
            asm.bind(end).expect("it is new");
            asm.dword(filler(target)).expect("there is room");
            let all = asm.finish().expect("there is room").len() / 4;
            assert_eq!(all, 4 + moved(len) + 1);
            let copy = &out[4..];
            for (&at, &kind) in begins.iter().zip(&kinds) {
                let is_branch = kind == 2;
                assert!(is_branch || copy[moved(at)] == code[at] && (kind == 0 || copy[moved(at) + 1] == 7));
            }
            for &(at, dword) in &goes {
                let pc = to + 16 + moved(at) as u64 * 4;
                if outside.contains(&at) {
                    let far = Some(Far { pair: 4, scc: None });
                    let jump = jumps::follow(target, &copy[moved(at)..], pc, &branch, far);
                    assert_eq!((jump.to, jump.dwords), (from + dword as u64 * 4, long), "{target}");
                } else {
                    let inst = decode_words(target, &copy[moved(at)..]).expect("a branch");
                    assert_eq!(inst.branch_target(pc), Some(to + 16 + moved(dword) as u64 * 4), "{target}");
                }
            }
        }
    }
}

/// An instruction that reads its own address, or adds to it, is refused in every spelling and with every kind of
/// constant.
#[test]
fn code_that_reads_its_address_is_not_moved() {
    let mut jumps = 0;
    for target in targets() {
        let read = word(target, "s_getpc_b64", &[(Field::Sdst, 4)]).expect("all have it");
        // s_add_pc_i64 with an inline constant, a literal, one of 64 bits, and registers.
        let jump = [0xbe80_4b94u32, 0xbe80_4bff, 0xbe80_4bfe, 0xbe80_4b04];
        let jump = jump.map(|word| decode_words(target, &[word, 40, 0]).ok());
        let jump = jump.into_iter().flatten().filter(|inst| inst.address_step() == Some(AddressStep::Jump));
        let read = decode_words(target, &[read]).expect("it was made");
        for inst in jump.inspect(|_| jumps += 1).chain([read]) {
            let code = [&[filler(target)], inst.words(), &[filler(target); 12]].concat();
            let mut out = [0u32; 24];
            let (mut labels, mut fixups) = ([LabelSlot::EMPTY; 2], [FixupSlot::EMPTY; 3]);
            let mut asm = Assembler::new(target, &mut out[..], &mut labels, &mut fixups);
            let refused = asm.moved(&code[..], 0x1000).expect_err("it reads its address");
            assert_eq!((refused.kind, refused.opcode), (AssembleErrorKind::ReadsPc(0x1004), Some(inst.opcode())));
        }
    }
    assert!(jumps > 0 || targets().all(|target| !target.name().starts_with("gfx125")));
}

/// The first branch to a place where no instruction begins is reported, whatever the place is.
#[test]
fn moved_branches_into_an_instruction_are_refused() {
    for target in targets() {
        let branch = branches(target).into_iter().find(|b| b.opcode().name() == "s_branch").expect("all have it");
        let two = [word(target, "s_mov_b32", &[(Field::Ssrc0, 255)]).expect("all have it"), 7];
        let jump = |at: u64, to: u64| branch.with_branch_target(at * 4, to * 4).expect("it reaches").words()[0];
        // Dwords 1, 4 and 6 are literals.
        let code = |first, second| {
            let branches = [jump(2, first), jump(7, second)];
            [two[0], two[1], branches[0], two[0], two[1], two[0], two[1], branches[1]]
        };
        for (first, second, wrong) in
            [(6, 1, Some((2, 6))), (3, 4, Some((7, 4))), (1, 1, Some((2, 1))), (7, 6, Some((7, 6))), (3, 7, None)]
        {
            let mut out = [0u32; 10];
            let (mut labels, mut fixups) = ([LabelSlot::EMPTY; 2], [FixupSlot::EMPTY; 3]);
            let mut asm = Assembler::new(target, &mut out[..], &mut labels, &mut fixups);
            asm.dword(filler(target)).expect("there is room");
            asm.align(8).expect("there is room");
            let moved = asm.moved(&code(first, second)[..], 0);
            let wanted =
                wrong.map(|(at, to)| (AssembleErrorKind::Boundary(to * 4), Some(8 + at * 4), Some(branch.opcode())));
            let refused = moved.err().map(|error| (error.kind, error.offset, error.opcode));
            assert_eq!(refused, wanted, "{target}: {first} {second}");
            // No label or fix-up is left that would make a branch grow.
            assert_eq!(asm.finish().expect("all of it reaches").len(), 40, "{target}: {first} {second}");
        }
    }
}

/// The seconds of processor time that this thread has taken, which do not depend on the load; 0 if no file has the
/// number.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/stat").unwrap_or_default();
    // Fields 14 and 15 are in hundredths of a second; the name, in parentheses, is field 2.
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
    fields.filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// Moves 40,000 branches, each to another one. An algorithm with a step for each pair of branches would take a minute.
#[test]
fn moving_takes_time_for_each_branch_and_not_for_each_pair() {
    let Some(target) = unpadded_targets().next() else { return };
    let branch = branches(target).into_iter().find(|b| b.opcode().name() == "s_branch").expect("all have it");
    const COUNT: usize = 40_000;
    let mut rng = Rng(6);
    let code: Vec<u32> = (0..COUNT as u64)
        .map(|at| {
            let to = (1 + at).saturating_add_signed(rng.below(60_000) as i64 - 30_000).clamp(1, COUNT as u64 - 1);
            branch.with_branch_target(at * 4, to * 4).expect("it reaches").words()[0]
        })
        .collect();
    let mut out = vec![0u32; COUNT];
    let (mut labels, mut fixups) = (vec![LabelSlot::EMPTY; COUNT], vec![FixupSlot::EMPTY; COUNT]);
    let mut asm = Assembler::new(target, &mut out[..], &mut labels, &mut fixups);
    let before = processor_seconds();
    asm.moved(&code[..], 0).expect("there is room");
    let taken = processor_seconds() - before;
    println!("{COUNT} branches: {taken} s");
    asm.finish().expect("all reach");
    assert!(out == code, "moved code is other code");
    assert!(taken < 10.0, "{COUNT} branches take {taken} s");
}
