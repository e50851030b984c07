//! The sets of registers that an instruction reads and writes are exactly its operands, dword by dword. A destination
//! that is written only in part is also read, and so are all registers that an image address can have.
#![cfg(feature = "text")]

use crate::kept::{is_kept, is_vector, kept};
use crate::words;

use amdgpu_isa::facts::RegSet;
use amdgpu_isa::operands::Special;
use amdgpu_isa::signature::Signature;
use amdgpu_isa::{Access, Field, Format, Inst, Operand, Reg, Target, Value};
use std::collections::{BTreeMap, BTreeSet};
use words::{Rng, encodings, is_rdna, legal};

/// The registers of an operand, each under its name in a set.
fn names(target: Target, reg: Reg, bits: u16) -> Vec<Reg> {
    let dwords = bits.div_ceil(32) as u8;
    let run = |of: fn(u8) -> Reg, first: u8| (0..dwords).map(|n| of(first + n)).collect::<Vec<_>>();
    match reg {
        Reg::Sgpr(n) => {
            let last = target.operand_codes().next().expect("scalar registers").last as u8;
            // A tuple of scalar registers may end in vcc on some targets.
            let of =
                |n: u8| if n <= last { Reg::Sgpr(n) } else { [Reg::VCC_LO, Reg::VCC_HI][usize::from(n - last - 1)] };
            (n..n + dwords).map(of).collect()
        }
        Reg::Ttmp(n) => run(Reg::Ttmp, n),
        Reg::Vgpr(n) => (0..dwords).map(|dword| Reg::Vgpr(n + u16::from(dword))).collect(),
        Reg::VgprHigh(n) => vec![Reg::Vgpr(n.into())],
        Reg::Agpr(n) => run(Reg::Agpr, n),
        // The operand is as wide as the wave.
        Reg::Vcc if dwords == 1 => vec![Reg::VCC_LO],
        Reg::Exec if dwords == 1 => vec![Reg::EXEC_LO],
        Reg::Special(Special::SrcVccz) | Reg::Vcc => vec![Reg::VCC_LO, Reg::VCC_HI],
        Reg::Special(Special::SrcExecz) | Reg::Exec => vec![Reg::EXEC_LO, Reg::EXEC_HI],
        Reg::Special(Special::SrcScc) => vec![Reg::Scc],
        Reg::Special(Special::SrcLdsDirect) | Reg::M0 => vec![Reg::Special(Special::M0)],
        Reg::Special(special) if special.name().starts_with("src_") || special == Special::Null => Vec::new(),
        Reg::Special(special) if dwords == 1 => vec![Reg::Special(special)],
        Reg::Special(special) => {
            let upper = special.name().replace("_lo", "_hi");
            let upper = Special::ALL.iter().find(|s| s.name() == upper).expect("the lower half of a pair");
            assert!(dwords == 2 && *upper != special, "{reg}");
            vec![reg, Reg::Special(*upper)]
        }
        // On these targets flat_scratch has no operand code.
        Reg::FlatScratch if target.name() == "gfx600" || target.name().starts_with("gfx1") => vec![Reg::FlatScratch],
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

/// The most address registers that an image operation has, by the parts in its name, according to the manuals' tables
/// of image operations without and with a sampler.
fn most_address_registers(name: &str) -> usize {
    let mut words = name.trim_start_matches("image_").split('_');
    match words.next().expect("a word") {
        // Up to x, y, slice and sample; or x, y, z and a level.
        "load" | "store" | "atomic" => 4,
        // The level (resinfo); or x, y, z.
        "get" if name.ends_with("resinfo") => 1,
        "get" => 3,
        _ => words.fold(3, |sum, word| match word {
            "lz" => sum,
            // Three dimensions have six derivatives.
            "d" | "cd" => sum + 6,
            // A value to compare with, an offset, a bias, a level, the least level.
            "c" | "o" | "b" | "l" | "cl" => sum + 1,
            other => panic!("{name}: {other}"),
        }),
    }
}

/// Whether the operation only writes an operand according to its signature, whatever the words are.
fn is_only_written(inst: &Inst, role: Field) -> bool {
    let of_form = |s: &Signature| (s.format(), s.extension()) == (inst.format(), inst.extension());
    let mut signatures = inst.opcode().signatures(inst.target());
    let signature = signatures.find(of_form).or_else(|| inst.opcode().signatures(inst.target()).next());
    signature.and_then(|s| s.operands().find(|o| o.field == role)).is_some_and(|o| o.access == Access::Write)
}

#[test]
fn sets_are_the_operands_dword_by_dword() {
    let mut rng = Rng(12);
    for &target in Target::ALL {
        let (mut seen, mut partly, mut count) = (RegSet::new(target), BTreeMap::new(), 0);
        let mut access = BTreeMap::new();
        for encoding in encodings(target) {
            for inst in legal(target, encoding, 20, &mut rng) {
                let (reads, writes) = (inst.reads(), inst.writes());
                assert_eq!(writes.iter().collect::<BTreeSet<_>>(), expected(&inst, |a| a.writes()), "{inst:?}");
                let read: BTreeSet<Reg> = reads.iter().collect();
                let mut operands = expected(&inst, |a| a.reads());
                let why = kept(&inst);
                let data = |o: &Operand| matches!(o.role, Some(Field::Vdst | Field::Vdata)) && o.access.writes();
                // Masks of lanes are written whole.
                for operand in inst.operands().filter(data).filter(is_vector) {
                    let Value::Reg(reg) = operand.value else { continue };
                    if let Some(why) = why {
                        operands.extend(names(target, reg, operand.bits));
                        *partly.entry(why).or_insert(0) += 1;
                    }
                    // The access of the operand must also say whether it is kept.
                    if operand.role.is_some_and(|role| is_only_written(&inst, role)) {
                        let is_kept = is_kept(&inst, &operand);
                        assert_eq!(operand.access.reads(), is_kept, "{inst:?} {operand:?}: {why:?}");
                        *access.entry(is_kept).or_insert(0) += 1;
                    }
                }
                // Before RDNA, the words do not tell the number of dimensions.
                if inst.format() == Format::Mimg && inst.get(Field::Dim).is_none() {
                    let first = inst.get(Field::Vaddr).expect("an address") as usize;
                    let last = (first + most_address_registers(inst.opcode().name()) - 1).min(255);
                    operands.extend((first..=last).map(|n| Reg::Vgpr(n as u16)));
                }
                assert_eq!(read, operands, "{inst:?}");
                assert_eq!((reads.len(), writes.len()), (read.len(), writes.iter().count()));
                seen |= reads | writes;
                count += 1;
            }
        }
        println!("{target}: {count} instructions, {} registers, {partly:?} keep a part, {access:?}", seen.len());
        assert!(count > 10_000 && seen.len() > 350, "{target}: {count} {}", seen.len());
        if is_rdna(target) {
            continue;
        }
        let sum = |of: &str| partly.get(of).copied().unwrap_or(0);
        let has = |format| target.layouts().iter().any(|l| l.format == format);
        assert_eq!(sum("sdwa") > 5 && sum("dpp") > 20, has(Format::Sdwa), "{target}: {partly:?}");
        assert_eq!(sum("half") > 20, has(Format::Scratch), "{target}: {partly:?}");
        assert_eq!(sum("upper half") > 10, has(Format::Scratch), "{target}: {partly:?}");
        assert_eq!(sum("fail") > 20, has(Format::Mimg), "{target}: {partly:?}");
        let packs = has(Format::Mimg) && !["gfx600", "gfx700", "gfx801", "gfx803"].contains(&target.name());
        assert_eq!(sum("odd") > 3, packs, "{target}: {partly:?}");
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
        // Every register has its own name, and is found by that name.
        let others = (0..=255).map(Reg::Agpr).filter(|_| target.vgprs() == 256);
        let all = (0..target.vgprs()).map(Reg::Vgpr).chain(others);
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
