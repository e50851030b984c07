//! Reads `facts.tsv`: LLVM's facts about every operation's operands.

use std::collections::BTreeSet;

/// The targets with a column in the facts. Each other target is like one of these, except for a few operations.
pub const TARGETS: [&str; 9] =
    ["gfx600", "gfx700", "gfx803", "gfx900", "gfx906", "gfx908", "gfx90a", "gfx942", "gfx950"];

/// Whether only LLVM has an operation on a target: the GCN pages have these operations from GCN 1.1 on, LLVM already on
/// GCN 1.0.
fn is_llvms_alone(target: &str, mnemonic: &str) -> bool {
    target == "gfx600" && (mnemonic == "s_setkill" || mnemonic.starts_with("s_cbranch_cdbg"))
}

/// Operations that the GCN pages have and LLVM lacks.
pub const OURS_ALONE: [&str; 3] = ["s_mov_regrd_b32", "s_mov_fed_b32", "s_getreg_regrd_b32"];

pub struct Fact {
    pub name: &'static str,
    pub role: &'static str,
    pub kinds: &'static str,
    pub bits: &'static str,
    pub access: &'static str,
}

pub struct Row {
    pub format: &'static str,
    pub number: u16,
    pub mnemonic: &'static str,
    pub operands: Vec<Fact>,
    pub reads: BTreeSet<&'static str>,
    pub writes: BTreeSet<&'static str>,
}

pub fn rows(target: &str) -> Vec<Row> {
    let column = TARGETS.iter().position(|t| *t == target).expect("the facts have the target");
    let lines = include_str!("facts.tsv").lines().filter(|l| !l.starts_with('#'));
    let list = |s: &'static str, by: char| s.split(by).filter(|x| *x != "-").collect::<Vec<_>>();
    lines
        .filter_map(|line| {
            let cells: Vec<&'static str> = line.split('\t').collect();
            let [format, mnemonic, operands, reads, writes, opcodes] = cells[..] else { panic!("bad row: {line}") };
            let opcodes: Vec<&str> = opcodes.split(' ').collect();
            assert_eq!(opcodes.len(), TARGETS.len(), "{line}");
            let number = opcodes[..=column].iter().rfind(|n| **n != ".").expect("a number").parse().ok()?;
            let fact = |name: &'static str| {
                let parts: Vec<&'static str> = name.split(':').collect();
                let [role, kinds, bits, access] = parts[..] else { panic!("bad operand: {line}") };
                Fact { name, role, kinds, bits, access }
            };
            let row = Row {
                format,
                number,
                mnemonic,
                operands: list(operands, ' ').into_iter().map(fact).collect(),
                reads: list(reads, ',').into_iter().collect(),
                writes: list(writes, ',').into_iter().collect(),
            };
            (!is_llvms_alone(target, mnemonic)).then_some(row)
        })
        .collect()
}
