//! The sets of registers that an instruction reads and writes are exactly its operands, dword by dword.

#[path = "words/mod.rs"]
mod words;

use amdgpu_isa::{Field, Format, Inst, Reg, RegSet, Special, Target, Value};
use std::collections::BTreeSet;
use words::{Rng, encodings, legal};

/// The registers of an operand, each under its name in a set.
fn names(target: Target, reg: Reg, bits: u16) -> Vec<Reg> {
    let dwords = bits.div_ceil(32) as u8;
    let run = |of: fn(u8) -> Reg, first: u8| (0..dwords).map(|n| of(first + n)).collect::<Vec<_>>();
    match reg {
        Reg::Sgpr(n) => run(Reg::Sgpr, n),
        Reg::Ttmp(n) => run(Reg::Ttmp, n),
        Reg::Vgpr(n) | Reg::VgprHigh(n) => run(Reg::Vgpr, n),
        Reg::Agpr(n) => run(Reg::Agpr, n),
        Reg::Special(Special::SrcVccz) | Reg::Vcc => vec![Reg::VCC_LO, Reg::VCC_HI],
        Reg::Special(Special::SrcExecz) | Reg::Exec => vec![Reg::EXEC_LO, Reg::EXEC_HI],
        Reg::Special(Special::SrcScc) => vec![Reg::Scc],
        Reg::Special(Special::SrcLdsDirect) | Reg::M0 => vec![Reg::Special(Special::M0)],
        Reg::Special(special) if special.name().starts_with("src_") => Vec::new(),
        Reg::Special(special) if dwords == 1 => vec![Reg::Special(special)],
        Reg::Special(special) => {
            let upper = special.name().replace("_lo", "_hi");
            let upper = Special::ALL.iter().find(|s| s.name() == upper).expect("the lower half of a pair");
            assert!(dwords == 2 && *upper != special, "{reg}");
            vec![reg, Reg::Special(*upper)]
        }
        Reg::FlatScratch if target.name() == "gfx600" => vec![Reg::FlatScratch],
        Reg::FlatScratch => [Special::FlatScratchLo, Special::FlatScratchHi].map(Reg::Special).to_vec(),
        other => vec![other],
    }
}

fn expected(inst: &Inst, how: fn(amdgpu_isa::Access) -> bool) -> BTreeSet<Reg> {
    let registers = inst.operands().filter(|o| how(o.access)).filter_map(|o| match o.value {
        Value::Reg(reg) => Some(names(inst.target(), reg, o.bits)),
        _ => None,
    });
    registers.flatten().collect()
}

#[test]
fn sets_are_the_operands_dword_by_dword() {
    let mut rng = Rng(12);
    for &target in Target::ALL {
        let (mut seen, mut partly, mut count) = (RegSet::new(target), 0, 0);
        for encoding in encodings(target) {
            for inst in legal(target, encoding, 20, &mut rng) {
                let (reads, writes) = (inst.reads(), inst.writes());
                assert_eq!(writes.iter().collect::<BTreeSet<_>>(), expected(&inst, |a| a.writes()), "{inst:?}");
                let read: BTreeSet<Reg> = reads.iter().collect();
                let operands = expected(&inst, |a| a.reads());
                assert!(read.is_superset(&operands), "{inst:?}: {read:?} lacks some of {operands:?}");
                // SDWA and DPP may also read the destination.
                let besides = read.difference(&operands).copied().collect::<BTreeSet<_>>();
                if !besides.is_empty() {
                    assert!(matches!(inst.extension(), Some(Format::Sdwa | Format::Dpp)), "{inst:?}: {besides:?}");
                    let vdst = inst.operands().find(|o| o.role == Some(Field::Vdst)).expect("a destination");
                    let mut destination = RegSet::new(target);
                    destination.insert_operand(&vdst);
                    assert!(besides.iter().all(|reg| destination.contains(*reg)), "{inst:?}: {besides:?}");
                    partly += 1;
                }
                assert_eq!((reads.len(), writes.len()), (read.len(), writes.iter().count()));
                seen |= reads | writes;
                count += 1;
            }
        }
        println!("{target}: {count} instructions, {} registers, {partly} keep a part", seen.len());
        assert!(count > 10_000 && seen.len() > 350, "{target}: {count} {}", seen.len());
        assert_eq!(partly > 20, target.layouts().iter().any(|l| l.format == Format::Sdwa), "{target}: {partly}");
    }
}

#[test]
fn sets_are_joined_and_subtracted() {
    for &target in Target::ALL {
        let of = |list: &[Reg]| {
            let mut set = RegSet::new(target);
            list.iter().for_each(|reg| set.insert(*reg));
            set
        };
        let (a, b) = (of(&[Reg::Vgpr(0), Reg::Vcc, Reg::Scc]), of(&[Reg::Vgpr(0), Reg::Agpr(255), Reg::VCC_LO]));
        assert_eq!(a & b, of(&[Reg::Vgpr(0), Reg::VCC_LO]));
        assert_eq!(a - b, of(&[Reg::VCC_HI, Reg::Scc]));
        assert_eq!((a | b).len(), 5);
        assert!(a.intersects(&b) && !(a - b).intersects(&b) && (a - a).is_empty());
        assert!(a.contains(Reg::Vcc) && b.contains(Reg::Vcc) && !b.contains(Reg::VCC_HI));
        // Every register has its own name, and comes back.
        let all = (0..=255).flat_map(|n| [Reg::Vgpr(n), Reg::Agpr(n)]);
        let all = all.chain((0..96).map(Reg::Sgpr)).chain((0..12).map(Reg::Ttmp)).chain([
            Reg::Scc,
            Reg::Mode,
            Reg::TrapStatus,
        ]);
        let list: Vec<Reg> = all.collect();
        let set = of(&list);
        assert_eq!(set.len(), list.len());
        assert!(list.iter().all(|reg| set.contains(*reg)));
        assert_eq!(set.iter().collect::<BTreeSet<_>>(), list.into_iter().collect());
    }
}
