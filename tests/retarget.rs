//! An instruction re-targeted to another generation decodes there to the same operation and operands, or is refused by
//! the name of what is missing: for every operation, every ordered pair of targets, and every form of it.
#![cfg(has_target)]

#[path = "words/mod.rs"]
mod words;

use std::collections::{BTreeMap, BTreeSet};

use amdgpu_isa::{Format, Inst, Opcode, RetargetError, Target, Value, decode_words};
use words::Rng;

const FILLINGS: usize = 24;

/// Instructions of every encoding that a target has.
fn all(target: Target, rng: &mut Rng) -> Vec<Inst> {
    words::encodings(target).into_iter().flat_map(|e| words::legal(target, e, FILLINGS, rng)).collect()
}

#[test]
fn explore() {
    let mut rng = Rng(3);
    for &a in Target::ALL {
        let insts = all(a, &mut rng);
        for &b in Target::ALL {
            if a == b { continue; }
            let mut done = BTreeSet::new();
            let mut why: BTreeMap<String, usize> = BTreeMap::new();
            let mut n = 0;
            let mut reasons: BTreeMap<Opcode, BTreeSet<String>> = BTreeMap::new();
            let mut text = Vec::new();
            for i in &insts {
                match i.retarget(b) {
                    Ok(x) => { n += 1; done.insert(i.opcode());
                        let (s, t) = (i.to_string(), x.to_string());
                        let tail = |s: &str| s.split_once(' ').map_or(String::new(), |x| x.1.to_string());
                        if tail(&s) != tail(&t) { text.push(format!("{s} -> {t}")); }
                        let back = x.retarget(a);
                        if i.is_canonical() && back != Ok(*i) { text.push(format!("BACK {s} {:08x?} -> {t} -> {:?}", i.words(), back)); }
                    }
                    Err(e) => {
                        let k = match e { RetargetError::Opcode(_) => "opcode".to_string(), RetargetError::Form{format, extension} => format!("form {format} {extension:?}"), RetargetError::Value{field, ..} => format!("value {field}"), RetargetError::Operand{field,..} => format!("operand {field}"), RetargetError::Rule(_) => "rule".into(), _ => "?".into() };
                        reasons.entry(i.opcode()).or_default().insert(k.clone());
                        *why.entry(k).or_default() += 1;
                    }
                }
            }
            println!("{a} -> {b}: {n} of {}; {why:?}", insts.len());
            for (op, r) in &reasons {
                if op.encodings(b).next().is_some() && !done.contains(op) { println!("   {op} {r:?}"); }
            }
            for t in text.iter().take(12) { println!("      {t}"); }
            if text.len() > 12 { println!("   {} texts", text.len()); }
        }
    }
}
