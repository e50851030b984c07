//! Programs of several instructions. `sequences.txt` marks the places where another instruction has to be inserted.

use std::collections::BTreeMap;

use amdgpu_isa::hazards::{Hazards, Modes};
use amdgpu_isa::{Inst, Target, parse};

use crate::hazards::programs::{Distances, machine_ir};

struct Sequence {
    rule: &'static str,
    words: Vec<&'static str>,
    target: &'static str,
    insts: Vec<&'static str>,
    /// The numbers of the instructions before which another one has to be inserted.
    stars: Vec<usize>,
    /// The rules that demand each star, in alphabetical order, if the star names them.
    rules: Vec<Option<Vec<&'static str>>>,
}

/// An instruction, whether a star is before it, and the rules that the star names.
fn starred(text: &'static str) -> (&'static str, bool, Option<Vec<&'static str>>) {
    let Some(rest) = text.strip_prefix('*') else { return (text, false, None) };
    let (rules, inst) = rest.split_once(' ').unwrap();
    (inst, true, (!rules.is_empty()).then(|| rules.split(',').collect()))
}

/// The lines of the file, each for each of its targets.
fn sequences() -> Vec<Sequence> {
    let targets = Distances::read().targets;
    let lines = include_str!("sequences.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let of_line = |line: &'static str| {
        let mut columns = line.split(" | ");
        let mut words = columns.next().unwrap().split(' ');
        let (rule, words) = (words.next().unwrap(), words.collect::<Vec<_>>());
        let ranges = columns.next().unwrap();
        let columns: Vec<_> = columns.map(starred).collect();
        let of = |target| {
            let stars = (0..columns.len()).filter(|n| columns[*n].1).collect();
            let insts = columns.iter().map(|(inst, ..)| *inst).collect();
            let rules = columns.iter().map(|(.., rules)| rules.clone()).collect();
            Sequence { rule, words: words.clone(), target, insts, stars, rules }
        };
        let of_range = |range: &'static str| {
            if range.contains(':') || !range.contains("..") && !targets.contains(&range) {
                return vec![of(range)];
            }
            let (first, last) = range.split_once("..").unwrap_or((range, range));
            let at = |name| targets.iter().position(|t| *t == name).unwrap_or_else(|| panic!("{name} in {line}"));
            targets[at(first)..=at(last)].iter().map(|target| of(target)).collect()
        };
        ranges.split(' ').flat_map(of_range).collect::<Vec<_>>()
    };
    lines.flat_map(of_line).collect()
}

impl Sequence {
    fn has(&self, word: &str) -> bool {
        self.words.contains(&word)
    }

    fn start(&self, target: Target) -> Hazards {
        let xnack = if self.has("any") { None } else { Some(self.has("on")) };
        let start = Hazards::new(target).with(Modes { xnack, expert: self.has("expert") });
        let start = if self.has("kernel") { start.kernel() } else { start };
        if self.has("strict") { start.strictly() } else { start }
    }
}

/// The rules demand another instruction exactly at the stars, by the named rules, and `protect` can insert it.
#[test]
fn each_star_is_demanded_and_nothing_else() {
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for sequence in sequences() {
        let Ok(target) = sequence.target.parse::<Target>() else { continue };
        let read = |text: &&str| parse(target, text).unwrap_or_else(|error| panic!("{target}: {text}: {error}"));
        let insts: Vec<Inst> = sequence.insts.iter().map(read).collect();
        let mut hazards = sequence.start(target);
        let mut stars = Vec::new();
        for (n, inst) in insts.iter().enumerate() {
            let mut rules = Vec::new();
            hazards.each(inst, |need| rules.push(need.rule.id()));
            rules.sort();
            rules.dedup();
            if !rules.is_empty() {
                stars.push(n);
            }
            match &sequence.rules[n] {
                Some(wanted) if *wanted == rules => {}
                Some(wanted) => {
                    let not_in = |all: &[&'static str], some: &[&'static str]| {
                        all.iter().filter(|rule| !some.contains(rule)).copied().collect::<Vec<_>>()
                    };
                    let (less, more) = (not_in(wanted, &rules), not_in(&rules, wanted));
                    wrong.push(format!("without {less:?}, with {more:?} {target}: {:?}", sequence.insts));
                }
                None if rules.is_empty() || rules.iter().any(|rule| rule.starts_with(sequence.rule)) => {}
                None => wrong.push(format!("{rules:?} {target}: {:?}", sequence.insts)),
            }
            if sequence.has("issued") {
                hazards.issue(inst);
                continue;
            }
            let mut count = 0;
            if sequence.has("kernel") && !rules.is_empty() {
                // Nothing can be inserted between a clause and its instructions.
                assert!(hazards.protect(inst, |_| ()).is_err());
                hazards.issue(inst);
                continue;
            }
            match hazards.protect(inst, |_| count += 1) {
                Ok(()) if (count > 1) == stars.contains(&n) => {}
                other => wrong.push(format!("{} {target}: {other:?}, {count}: {:?}", sequence.rule, sequence.insts)),
            }
        }
        if stars != sequence.stars {
            wrong.push(format!("{} {:?} {target}: {stars:?}: {:?}", sequence.rule, sequence.words, sequence.insts));
        }
        seen += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 0);
}

/// The numbers of the instructions before which a pass of LLVM inserts others.
fn inserted(target: &str, attributes: &str, pass: &str, programs: &[Vec<&str>]) -> Vec<Vec<usize>> {
    let functions = programs.iter().enumerate().map(|(n, program)| {
        let body: String = program.iter().map(|inst| format!("    {inst}\n")).collect();
        format!("---\nname: f{n}\nbody: |\n  bb.0:\n{body}    S_ENDPGM 0\n...\n")
    });
    let file = format!("sequences-{}-{attributes}-{pass}-{}.mir", target.replace(':', "-"), std::process::id());
    let file = std::env::temp_dir().join(file);
    std::fs::write(&file, functions.collect::<String>()).unwrap();
    let (cpu, wave) = target.split_once(':').map_or((target, ""), |(cpu, _)| (cpu, "+wavefrontsize64,"));
    let mut llc = std::process::Command::new("llc-22");
    let llc = llc.args(["-mtriple=amdgcn", "-simplify-mir", "-o", "-"]).arg(format!("-run-pass={pass}"));
    let llc = llc.arg(format!("-mcpu={cpu}")).arg(format!("-mattr={wave}{attributes}")).arg(&file);
    let output = llc.output().expect("llc-22 of LLVM 22 is needed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::remove_file(&file).unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let bodies = text.split("\nname: ").skip(1).map(|function| function.split_once("bb.0:\n").unwrap().1);
    let operation = |line: &str| {
        let text = line.split_once(" = ").map_or(line, |(_, text)| text);
        text.split(' ').find(|word| word.starts_with(|c: char| c.is_ascii_uppercase())).unwrap_or("").to_string()
    };
    let of_body = |(body, program): (&str, &Vec<&str>)| {
        let (mut stars, mut next) = (Vec::new(), 0);
        for line in body.lines().map(str::trim).take_while(|line| !line.starts_with("S_ENDPGM")) {
            if program.get(next).is_some_and(|inst| operation(inst) == operation(line)) {
                next += 1;
            } else if stars.last() != Some(&next) {
                stars.push(next);
            }
        }
        assert_eq!(next, program.len(), "{body}");
        stars
    };
    bodies.zip(programs).map(of_body).collect()
}

/// The programs of a target whose instructions all have machine IR: the texts, each with its machine IR.
#[cfg(feature = "all-targets")]
pub fn with_machine_ir(target: &str) -> Vec<Vec<(String, String)>> {
    let mir = machine_ir(include_str!("sequences.mir.txt"));
    let of = |text: &&'static str| Some((text.to_string(), mir.get(&(target, *text))?.to_string()));
    let own = sequences().into_iter().filter(|sequence| sequence.target == target);
    own.filter_map(|sequence| sequence.insts.iter().map(of).collect()).collect()
}

/// LLVM inserts instructions at the same places, except for sequences with a word that excludes them.
#[test]
fn llvm_inserts_where_the_stars_are() {
    let mir = machine_ir(include_str!("sequences.mir.txt"));
    let mut groups: BTreeMap<_, Vec<Sequence>> = BTreeMap::new();
    for sequence in
        sequences().into_iter().filter(|s| !["24", "ends", "manual", "issued"].iter().any(|word| s.has(word)))
    {
        let xnack = match () {
            () if sequence.has("on") => "+xnack",
            () if sequence.has("any") => "",
            () => "-xnack",
        };
        let pass = if sequence.rule.starts_with('W') { "amdgpu-wait-sgpr-hazards" } else { "post-RA-hazard-rec" };
        groups.entry((sequence.target, xnack, pass)).or_default().push(sequence);
    }
    let mut wrong = Vec::new();
    for ((target, xnack, pass), sequences) in groups {
        let ir = |text: &&str| *mir.get(&(target, text)).unwrap_or_else(|| panic!("{target}: no machine IR of {text}"));
        let programs: Vec<Vec<&str>> = sequences.iter().map(|s| s.insts.iter().map(ir).collect()).collect();
        let has_xnack = ["gfx900", "gfx906", "gfx908", "gfx90a", "gfx942", "gfx950", "gfx1010", "gfx1250"];
        let attributes = if has_xnack.contains(&target) { xnack } else { "" };
        let found = inserted(target, attributes, pass, &programs);
        assert_eq!(found.len(), sequences.len());
        for (sequence, found) in sequences.iter().zip(found) {
            if found != sequence.stars {
                wrong.push(format!("{} {:?} {target}: {found:?}: {:?}", sequence.rule, sequence.words, sequence.insts));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
