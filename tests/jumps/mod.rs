//! The effect of a short or long jump, found by decoding and following it, without the assembler.
#![allow(dead_code)] // Each test uses a part of it.

use amdgpu_isa::asm::Far;
use amdgpu_isa::{Field, Inst, Opcode, Reg, Target, Value, decode_words};

/// An operation by its name, if any enabled target has it.
pub fn opcode(name: &str) -> Option<Opcode> {
    Opcode::ALL.iter().copied().find(|opcode| opcode.name() == name)
}

/// The word of an operation with these values in its fields, assembled bit by bit.
pub fn word(target: Target, name: &str, values: &[(Field, u32)]) -> Option<u32> {
    let amdgpu_isa::facts::Encoding { format, number, .. } = opcode(name)?.encodings(target).next()?;
    let layout = target.layouts().iter().find(|layout| layout.format == format)?;
    let mut word = 0;
    for info in layout.fields {
        let given = values.iter().find(|(field, _)| *field == info.field).map_or(0, |v| v.1);
        let value = info.fixed.map_or(if info.field == Field::Op { number.into() } else { given }, u32::from);
        word |= value << info.lsb;
    }
    Some(word)
}

/// Targets that have all operations of long branches.
pub fn targets() -> impl Iterator<Item = Target> {
    Target::ALL.iter().copied().filter(|&target| word(target, "s_setpc_b64", &[]).is_some())
}

/// A jump that was followed.
#[derive(Debug, PartialEq)]
pub struct Jump {
    pub dwords: usize,
    pub to: u64,
    pub long: bool,
}

fn decoded(target: Target, words: &[u32], at: usize) -> Inst {
    decode_words(target, &words[at..]).unwrap_or_else(|e| panic!("{target} {:08x?}: {e}", &words[at..]))
}

/// The 64-bit number that `s_getpc_b64` and the following additions leave in `pair`, and their length in dwords.
pub fn address(target: Target, words: &[u32], pc: u64, pair: u8) -> (u64, usize) {
    let scalar = |n: u8| Value::Reg(Reg::Sgpr(n));
    let getpc = decoded(target, words, 0);
    assert_eq!(getpc.opcode().name(), "s_getpc_b64");
    assert_eq!(getpc.operands().next().expect("it has one").value, scalar(pair));
    let add = |at: usize, name: &str, register: u8| {
        let inst = decoded(target, words, at);
        assert_eq!(inst.opcode().name(), name);
        let values: Vec<_> = inst.operands().filter(|o| o.role.is_some()).map(|o| o.value).collect();
        let [sum, first, Value::Literal(literal)] = values[..] else { panic!("{inst:?}: {values:?}") };
        assert_eq!((sum, first), (scalar(register), scalar(register)));
        u64::from(literal)
    };
    let distance = add(1, "s_add_u32", pair) | add(3, "s_addc_u32", pair + 1) << 32;
    (pc.wrapping_add(4).wrapping_add(distance), 5)
}

/// Follows a branch at `pc` that should be a short or long form of `branch`, with its opcode, and with its first
/// operand if it is a call.
pub fn follow(target: Target, words: &[u32], pc: u64, branch: &Inst, far: Option<Far>) -> Jump {
    let first = decoded(target, words, 0);
    let same = |inst: &Inst| inst.opcode() == branch.opcode() && inst.get(Field::Sdst) == branch.get(Field::Sdst);
    let name = branch.opcode().name();
    let conditional = name.starts_with("s_cbranch");
    let next = |at: usize| pc.wrapping_add(at as u64 * 4);
    // The long form of a conditional branch begins with this branch, which skips the next instruction; the skipped one
    // jumps over the rest. Only long branches look like that here.
    let rest = far.map_or(0, |far| 8 + if far.scc.is_some() { 2 } else { 0 });
    let steps_over = || {
        let second = decoded(target, words, 1);
        let jumps = second.opcode().name() == "s_branch" && second.branch_target(next(1)) == Some(next(rest));
        jumps && first.branch_target(pc) == Some(next(2))
    };
    if same(&first) && !(conditional && words.len() > 1 && far.is_some() && steps_over()) {
        return Jump { dwords: 1, to: first.branch_target(pc).expect("it goes somewhere"), long: false };
    }
    let far = far.expect("without registers no branch is long");
    let mut at = 0;
    let mut over = None;
    if conditional {
        assert!(same(&first), "{first:?} is not {branch:?}");
        over = decoded(target, words, 1).branch_target(next(1));
        at = 2;
    }
    if let Some(scc) = far.scc {
        assert_eq!(decoded(target, words, at).words(), keep(target, scc));
        at += 1;
    }
    let (to, dwords) = address(target, &words[at..], next(at), far.pair);
    at += dwords;
    if let Some(scc) = far.scc {
        let compare = [(Field::Ssrc0, scc.into()), (Field::Ssrc1, 128)];
        assert_eq!(decoded(target, words, at).words(), [word(target, "s_cmp_lg_u32", &compare).expect("all have it")]);
        at += 1;
    }
    let last = decoded(target, words, at);
    let call = branch.flags().is_call();
    assert_eq!(last.opcode().name(), if call { "s_swappc_b64" } else { "s_setpc_b64" });
    assert_eq!(last.get(Field::Ssrc0), Some(far.pair.into()));
    assert!(!call || last.get(Field::Sdst) == branch.get(Field::Sdst));
    at += 1;
    assert!(over.is_none_or(|over| over == next(at)), "what is stepped over is not the long form");
    Jump { dwords: at, to, long: true }
}

/// The word of `s_cselect_b32 scc, 1, 0`, where `scc` is a register that keeps SCC.
fn keep(target: Target, scc: u8) -> [u32; 1] {
    let values = [(Field::Sdst, scc.into()), (Field::Ssrc0, 129), (Field::Ssrc1, 128)];
    [word(target, "s_cselect_b32", &values).expect("all have it")]
}
