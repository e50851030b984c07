//! What an instruction reads and writes is what LLVM says of it: role, kind, width and access of every operand, and the
//! implicit registers, for every operation of gfx942 in all its forms. `tests/operands/gfx942.tsv` has the facts.
#![cfg(feature = "gfx942")]

#[path = "words/mod.rs"]
mod words;

use amdgpu_isa::{Access, Field, Format, Inst, Operand, Reg, Target, Value, decode};
use std::collections::{BTreeMap, BTreeSet};
use words::Rng;

const TARGET: Target = Target::Gfx942;

/// Where the library differs from the facts on purpose. Each must be met, or it is no difference any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Difference {
    /// The facts list the destination of a FLAT or GLOBAL atomic for all its forms; it is there only with sc0.
    NoReturn,
    /// The facts list the data of a buffer load for all its forms; with lds there is none.
    DataToLds,
    /// The facts list the offset of a scalar load as a constant and as a register, of which a form has one or both.
    OneOffset,
    /// The facts know a compare in SDWA form as writing vcc; the field sdst can name another register.
    CompareToSdst,
}
use Difference::*;

struct Fact {
    name: &'static str,
    role: &'static str,
    kinds: &'static str,
    bits: &'static str,
    access: &'static str,
}

struct Row {
    format: &'static str,
    number: u16,
    mnemonic: &'static str,
    operands: Vec<Fact>,
    reads: BTreeSet<&'static str>,
    writes: BTreeSet<&'static str>,
    sample: Vec<u8>,
}

fn rows() -> Vec<Row> {
    let lines = include_str!("operands/gfx942.tsv").lines().filter(|l| !l.starts_with('#'));
    let list = |s: &'static str, by: char| s.split(by).filter(|x| *x != "-").collect::<Vec<_>>();
    lines
        .map(|line| {
            let cells: Vec<&'static str> = line.split('\t').collect();
            let [format, number, mnemonic, operands, reads, writes, sample] = cells[..] else {
                panic!("bad row: {line}")
            };
            let fact = |name: &'static str| {
                let parts: Vec<&'static str> = name.split(':').collect();
                let [role, kinds, bits, access] = parts[..] else { panic!("bad operand: {line}") };
                Fact { name, role, kinds, bits, access }
            };
            let byte = |i: usize| u8::from_str_radix(&sample[i..i + 2], 16).expect("hex");
            Row {
                format,
                number: number.parse().unwrap(),
                mnemonic,
                operands: list(operands, ' ').into_iter().map(fact).collect(),
                reads: list(reads, ',').into_iter().collect(),
                writes: list(writes, ',').into_iter().collect(),
                sample: (0..sample.len()).step_by(2).map(byte).collect(),
            }
        })
        .collect()
}

/// Whether an operand's value is of one of the kinds.
fn is_kind(kinds: &str, inst: &Inst, operand: &Operand) -> bool {
    let constant = matches!(operand.value, Value::Int(_) | Value::Float(_));
    let scalar = matches!(operand.value, Value::Reg(Reg::Sgpr(_) | Reg::Ttmp(_) | Reg::Special(_)));
    let source = scalar || constant || matches!(operand.value, Value::Literal(_));
    let (vgpr, agpr) =
        (matches!(operand.value, Value::Reg(Reg::Vgpr(_))), matches!(operand.value, Value::Reg(Reg::Agpr(_))));
    // No register at all is a form of an address.
    let off = operand.value == Value::Off;
    kinds.split('|').any(|kind| match kind {
        "sgpr" => scalar || off && operand.role == Some(Field::Saddr),
        "vgpr" => {
            vgpr || off && matches!(operand.role, Some(Field::Vaddr | Field::Addr))
                // The second source of an SDWA instruction can be a scalar.
                || inst.extension().is_some_and(|f| f.name().starts_with("SDWA"))
                    && operand.role == Some(Field::Vsrc1)
                    && source
        }
        "agpr" => agpr,
        "av" => {
            if is_accumulator(inst, operand.role.map_or("", Field::name)) {
                agpr
            } else {
                vgpr
            }
        }
        "ssrc" => source,
        "vsrc" => source || vgpr,
        "agpr_or_inline" => agpr || constant,
        "vgpr_or_inline" => vgpr || constant,
        "implied" => operand.value == Value::Reg(Reg::Vcc),
        "label" => matches!(operand.value, Value::Label(_)),
        "literal" => matches!(operand.value, Value::Literal(_)),
        // A constant of 32 bits is a literal dword.
        "simm" if operand.bits == 32 => matches!(operand.value, Value::Literal(_)),
        "simm" | "uimm" | "hwreg" | "sendmsg" | "waitcnt" | "gpridxmode" => matches!(operand.value, Value::Imm(_)),
        "lds_direct" => false,
        other => panic!("unknown kind {other}"),
    })
}

fn access(operand: &Operand) -> &'static str {
    match operand.access {
        Access::Read => "r",
        Access::Write => "w",
        Access::ReadWrite => "rw",
    }
}

fn get(inst: &Inst, role: &str) -> u32 {
    inst.fields().find(|(_, _, f, _)| f.field.name() == role).map_or(0, |(.., v)| v)
}

/// Whether an operand that can be a VGPR or an AGPR must be an AGPR: the bits that say so.
fn is_accumulator(inst: &Inst, role: &str) -> bool {
    let flag = |name: &str, bit: u32| get(inst, name) >> bit & 1 == 1;
    match (inst.format(), role) {
        (Format::Vop3pMai, "src0") => flag("acc", 0),
        (Format::Vop3pMai, "src1") => flag("acc", 1),
        (Format::Vop3pMai, _) => flag("acc_cd", 0),
        _ => flag("acc", 0),
    }
}

/// Why this instruction may lack an operand that the facts list.
fn excuse(row: &Row, inst: &Inst, fact: &Fact) -> Option<Difference> {
    let atomic = inst.flags().is_atomic();
    match (row.format, fact.role) {
        ("FLAT" | "GLOBAL", "vdst") if atomic && get(inst, "sc0") == 0 => Some(NoReturn),
        ("MUBUF", "vdata") if get(inst, "lds") == 1 => Some(DataToLds),
        ("SMEM", "soffset") if get(inst, "soffset_en") == 0 => Some(OneOffset),
        ("SMEM", "offset") if get(inst, "imm") == 0 && get(inst, "soffset_en") == 1 => Some(OneOffset),
        _ => None,
    }
}

/// Compares one instruction; returns what is wrong.
fn compare(row: &Row, inst: &Inst, met: &mut BTreeSet<Difference>) -> Vec<String> {
    let mut faults = Vec::new();
    let explicit: Vec<Operand> = inst.operands().take_while(|o| o.role.is_some()).collect();
    let mut left = explicit.iter().peekable();
    for fact in &row.operands {
        let compare_to_sdst = inst.extension() == Some(Format::Sdwab) && fact.role == "vcc";
        let role = if compare_to_sdst { "sdst" } else { fact.role };
        let Some(operand) = left.next_if(|o| o.role.is_some_and(|r| r.name() == role)) else {
            match excuse(row, inst, fact) {
                Some(difference) => _ = met.insert(difference),
                None => faults.push(format!("lacks {}", fact.name)),
            }
            continue;
        };
        let other_sdst = compare_to_sdst && operand.value != Value::Reg(Reg::Vcc);
        if other_sdst {
            met.insert(CompareToSdst);
        }
        let one_of = |list: &str, what: &str| list.split('|').any(|x| x == what);
        let kinds = if other_sdst { "sgpr" } else { fact.kinds };
        if !is_kind(kinds, inst, operand)
            || !one_of(fact.bits, &operand.bits.to_string())
            || !one_of(fact.access, access(operand))
        {
            let Operand { value, bits, .. } = operand;
            faults.push(format!("{} is {value:?}, {bits} bits, {}", fact.name, access(operand)));
        }
    }
    faults.extend(left.map(|o| format!("has an operand {o:?} besides")));

    let (mut reads, mut writes) = (BTreeSet::new(), BTreeSet::new());
    for operand in inst.operands() {
        let Value::Reg(reg) = operand.value else { continue };
        let name = match reg {
            Reg::Scc => "scc",
            Reg::Vcc => "vcc",
            Reg::Exec => "exec",
            Reg::M0 => "m0",
            Reg::Mode => "mode",
            Reg::FlatScratch => "flat_scr",
            _ if operand.role.is_none() => panic!("{inst:?}: implicit {reg:?}"),
            _ => continue,
        };
        if operand.access.reads() {
            reads.insert(name);
        }
        if operand.access.writes() {
            writes.insert(name);
        }
    }
    let mut expected = row.writes.clone();
    if explicit.iter().any(|o| o.role == Some(Field::Sdst) && o.value != Value::Reg(Reg::Vcc)) {
        expected.remove("vcc");
    }
    for (what, ours, theirs) in [("reads", reads, &row.reads), ("writes", writes, &expected)] {
        if ours != *theirs {
            faults.push(format!("{what} {ours:?}, not {theirs:?}"));
        }
    }
    faults
}

#[test]
fn every_operation_reads_and_writes_what_llvm_says() {
    let all = words::encodings(TARGET);
    let mut rng = Rng(942);
    let mut met = BTreeSet::new();
    let mut faults: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    let mut compared = 0;
    for row in rows() {
        let place = format!("{} {} {}", row.format, row.number, row.mnemonic);
        let found = all.iter().find(|(f, n, _)| f.name() == row.format && *n == row.number);
        let &encoding = found.unwrap_or_else(|| panic!("{place}: no such operation"));
        let sample = decode(TARGET, &row.sample).unwrap_or_else(|e| panic!("{place}: {:02x?}: {e}", row.sample));
        assert_eq!(sample.opcode(), encoding.2, "{place}");
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for inst in words::legal(TARGET, encoding, 40, &mut rng).into_iter().chain([sample]) {
            compared += 1;
            for o in inst.operands() {
                *seen.entry(o.role.map_or("", Field::name)).or_default() += 1;
            }
            for fault in compare(&row, &inst, &mut met) {
                faults.entry((place.clone(), fault)).or_default().push(format!("{:08x?}", inst.words()));
            }
        }
        for fact in &row.operands {
            let met = seen.contains_key(fact.role) || fact.role == "vcc" && seen.contains_key("sdst");
            assert!(met, "{place}: {} was never met", fact.name);
        }
    }
    let list: Vec<String> = faults
        .iter()
        .map(|((place, fault), words)| format!("{place}: {fault}, {} times: {}", words.len(), words[0]))
        .collect();
    assert!(list.is_empty(), "\n{}", list.join("\n"));
    assert_eq!(met, BTreeSet::from([NoReturn, DataToLds, OneOffset, CompareToSdst]), "{compared} instructions");
}

#[test]
fn every_operation_of_the_library_has_a_fact() {
    let facts: BTreeSet<(&str, u16)> = rows().iter().map(|r| (r.format, r.number)).collect();
    let ours: BTreeSet<(&str, u16)> = words::encodings(TARGET).iter().map(|(f, n, _)| (f.name(), *n)).collect();
    assert_eq!(ours, facts);
}
