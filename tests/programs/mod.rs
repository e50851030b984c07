//! Programs for the tests: from text with labels, and the kernels among the samples.
#![allow(dead_code)] // Each test uses a part of it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use amdgpu_isa::flow::{Flow, State};
use amdgpu_isa::hazards::{Pending, Wait};
use amdgpu_isa::{Decoded, Decoder, Target, parse};

#[path = "../../examples/code_object/mod.rs"]
pub mod code_object;

/// The bytes of a program from its text: instructions separated by line breaks or `;`, and labels such as `L:`.
pub fn assemble(target: Target, text: &str) -> Vec<u8> {
    let lines: Vec<&str> = text.split(['\n', ';']).map(str::trim).filter(|line| !line.is_empty()).collect();
    let is_branch =
        |line: &str| line.starts_with("s_branch ") || line.starts_with("s_cbranch") || line.starts_with("s_call");
    let label = |line: &str| line.split([' ', ',']).next_back().unwrap_or_default().to_string();
    let inst = |line: &str, to: i64| {
        let line = if is_branch(line) { line.replace(&label(line), &to.to_string()) } else { line.to_string() };
        parse(target, &line).unwrap_or_else(|error| panic!("{target}: {line}: {error}"))
    };
    let (mut at, mut labels) = (0i64, HashMap::new());
    for line in &lines {
        match line.strip_suffix(':') {
            Some(name) => _ = labels.insert(name.to_string(), at),
            None => at += inst(line, 0).words().len() as i64,
        }
    }
    let (mut at, mut bytes) = (0i64, Vec::new());
    for line in lines.iter().filter(|line| !line.ends_with(':')) {
        let to = if is_branch(line) { labels[&label(line)] - at - 1 } else { 0 };
        let words = inst(line, to);
        at += words.words().len() as i64;
        bytes.extend(words.words().iter().flat_map(|word| word.to_le_bytes()));
    }
    bytes
}

/// The waits that are missing in code, each with the address of the instruction that needs it.
pub fn missing(target: Target, code: &[u8], address: u64, entries: &[u64]) -> Vec<(u64, Wait)> {
    let flow = Flow::new(target, code, address, entries);
    let mut found = Vec::new();
    let is_final = flow.follow(
        |_| Pending::new(target),
        |block, before| {
            let mut pending = *before;
            for (address, inst) in flow.insts(block) {
                found.extend(pending.needs(&inst).iter().map(|wait| (address, wait)));
                pending.step(&inst, flow.offset_of(address));
            }
            assert!(!pending.is_incomplete());
        },
    );
    assert!(is_final);
    found.sort_by_key(|(address, _)| *address);
    found
}

/// The waits that are missing in a program, as text: `at 8: vmcnt(0) for 0, Vgpr(1) Read`.
pub fn says(target: Target, text: &str) -> Vec<String> {
    let show = |(address, wait): (u64, Wait)| {
        let register = wait.register.map_or("-".into(), |register| format!("{register:?}"));
        let doubt = if wait.is_sure() { "" } else { ", perhaps" };
        format!(
            "at {address}: {}({}) for {}, {register} {:?}{doubt}",
            wait.counter, wait.at_most, wait.producer, wait.conflict
        )
    };
    missing(target, &assemble(target, text), 0, &[0]).into_iter().map(show).collect()
}

/// The code objects among the samples, and in the directory that `AMDGPU_ISA_CORPUS` names, if it is set.
pub fn samples() -> Vec<PathBuf> {
    let other = std::env::var_os("AMDGPU_ISA_CORPUS").map(PathBuf::from);
    own_samples().into_iter().chain(other.into_iter().flat_map(below)).collect()
}

/// The code objects among the samples.
pub fn own_samples() -> Vec<PathBuf> {
    below(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples"))
}

fn below(dir: PathBuf) -> Vec<PathBuf> {
    let mut open = vec![dir];
    let mut found = Vec::new();
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(&dir).expect("the samples are there") {
            let path = entry.expect("it can be read").path();
            match path.is_dir() {
                true => open.push(path),
                false if path.extension().is_some_and(|x| x == "co") => found.push(path),
                false => {}
            }
        }
    }
    found.sort();
    found
}

/// A sample whose target is enabled: target, code, its address, and the addresses of its kernels.
pub struct Sample {
    pub name: String,
    pub target: Target,
    pub code: Vec<u8>,
    pub address: u64,
    pub kernels: Vec<u64>,
}

pub fn sample(path: &Path) -> Option<Sample> {
    let bytes = std::fs::read(path).expect("it can be read");
    let object = code_object::read(&bytes).ok()?;
    let text = &object.text;
    Some(Sample {
        name: path.display().to_string(),
        target: object.target,
        code: bytes[text.offset..][..text.len].to_vec(),
        address: text.address,
        kernels: object.kernels.iter().map(|kernel| kernel.address).collect(),
    })
}

/// Every instruction of code that begins at an address, with the address of the instruction.
pub fn insts(target: Target, code: &[u8], address: u64) -> Vec<(u64, amdgpu_isa::Inst)> {
    Decoder::new(target, code)
        .filter_map(|Decoded { offset, inst }| Some((address + offset as u64, inst.ok()?)))
        .collect()
}

/// A state that keeps no facts, so that it never changes.
#[derive(Clone)]
pub struct Nothing;

impl State for Nothing {
    fn step(&mut self, _: &amdgpu_isa::Inst, _: u32) {}

    fn join(&mut self, _: &Nothing) -> bool {
        false
    }
}
