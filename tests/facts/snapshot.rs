//! `tests/facts/llvm.txt`: LLVM's descriptions, with equal ones combined.

use std::collections::{BTreeMap, BTreeSet};

const HEAD: &str = "\
# What LLVM 22's instruction descriptions say of every operation in every form. Written by tests/facts/describe.sh.
# = what the description of the encoded instruction says | that of the compiler's pseudo instruction, if there is one
#   (for DPP8, which the compiler never makes: that of DPP)
#   flags, and implicit registers, read (r:) and written (w:)
# targets form: operations; after `>` what LLVM's compiler makes of one when it swaps the sources, if that is another
#   (`!`: the target has none)
";

/// LLVM's description of an instruction.
pub struct Description {
    pub real: BTreeSet<String>,
    /// The properties of the compiler's pseudo instruction, which has more of them: encoded instructions have hardly
    /// any flag besides "side effects".
    pub pseudo: Option<BTreeSet<String>>,
    pub partner: Option<&'static str>,
}

impl Description {
    pub fn properties(&self) -> &BTreeSet<String> {
        self.pseudo.as_ref().unwrap_or(&self.real)
    }
}

pub struct Snapshot {
    all: BTreeMap<String, Description>,
    /// The partners of each operation, in any form on any target.
    partners: BTreeMap<&'static str, BTreeSet<&'static str>>,
}

impl Snapshot {
    pub fn read() -> Snapshot {
        Snapshot::of(include_str!("llvm.txt"))
    }

    pub fn of(text: &'static str) -> Snapshot {
        let (mut all, mut partners) = (BTreeMap::new(), BTreeMap::<_, BTreeSet<_>>::new());
        let (mut real, mut pseudo) = (BTreeSet::new(), None);
        for line in text.lines().filter(|l| !l.starts_with('#')) {
            if let Some(both) = line.strip_prefix("= ") {
                let (a, b) = both.split_once(" | ").expect("two descriptions");
                (real, pseudo) = (properties(a), (b != "-").then(|| properties(b)));
                continue;
            }
            let (head, names) = line.split_once(": ").expect("targets, a form and operations");
            let (targets, form) = head.split_once(' ').expect("targets and a form");
            for name in names.split(' ') {
                let (name, partner) = name.split_once('>').map_or((name, None), |(n, p)| (n, Some(p)));
                partners.entry(name).or_default().extend(partner);
                for target in targets.split(',') {
                    let description = Description { real: real.clone(), pseudo: pseudo.clone(), partner };
                    all.insert(format!("{target} {form} {name}"), description);
                }
            }
        }
        Snapshot { all, partners }
    }

    /// The partners of an operation when its sources are swapped, in any form on any target.
    pub fn partners(&self, name: &str) -> impl Iterator<Item = &'static str> + '_ {
        self.partners.get(name).into_iter().flatten().copied()
    }

    /// The description of an operation, which for `gfx1010:wave64` is the same as for `gfx1010`.
    pub fn find(&self, target: &str, form: &str, name: &str) -> Option<&Description> {
        let target = processor(target);
        self.all.get(&format!("{target} {form} {name}"))
    }
}

/// The target with the default wave size.
fn processor(target: &str) -> &str {
    target.split(':').next().expect("a name")
}

/// The properties in a text such as `load,store r:exec,m0 w:-`.
fn properties(text: &str) -> BTreeSet<String> {
    let mut parts = text.split(' ');
    let list = |s: &str| s.split(',').filter(|x| *x != "-").map(str::to_string).collect::<Vec<_>>();
    let mut found: BTreeSet<String> = list(parts.next().expect("flags")).into_iter().collect();
    for part in parts {
        let (access, registers) = part.split_once(':').expect("r: or w:");
        found.extend(list(registers).into_iter().map(|register| format!("{access}:{register}")));
    }
    found
}

/// The snapshot, from the lines that tests/facts/describe.cpp writes.
///
/// LLVM's description of an instruction does not depend on the wave size, and the snapshot has it once: an answer for
/// `gfx1010:wave64` must be equal to that for `gfx1010`.
pub fn text(answers: &str) -> String {
    // The operands, in the last column, depend on the wave size.
    let properties = |line: &'_ str| line.split('\t').take(5).map(str::to_string).collect::<Vec<_>>();
    let all: BTreeSet<String> = answers.lines().map(|line| properties(line).join("\t")).collect();
    for line in answers.lines() {
        let cells = properties(line);
        let usual = [&cells[..1], &[processor(&cells[1]).to_string()], &cells[2..]].concat().join("\t");
        assert!(all.contains(usual.as_str()), "only with waves of this size: {line}");
    }
    // The targets of each description of an operation.
    let mut targets: BTreeMap<(String, &str, String), Vec<&str>> = BTreeMap::new();
    for line in answers.lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        let [key, target, real, pseudo, partner, _] = cells[..] else { continue };
        let target = processor(target);
        let (form, name) = key.split_once(' ').expect("a form and an operation");
        let partner = if partner == "-" { String::new() } else { format!(">{partner}") };
        let of = targets.entry((format!("= {real} | {pseudo}"), form, format!("{name}{partner}"))).or_default();
        if !of.contains(&target) {
            of.push(target);
        }
    }
    let mut groups: BTreeMap<String, BTreeMap<String, Vec<String>>> = BTreeMap::new();
    for ((description, form, name), targets) in targets {
        let head = format!("{} {form}", targets.join(","));
        groups.entry(description).or_default().entry(head).or_default().push(name);
    }
    let mut out = HEAD.to_string();
    for (description, lines) in groups {
        out += &format!("{description}\n");
        lines.iter().for_each(|(head, names)| out += &format!("{head}: {}\n", names.join(" ")));
    }
    out
}

/// The operands in the same lines, without the properties.
pub fn operands(answers: &str) -> String {
    let mut targets: BTreeMap<(&str, &str, &str), Vec<&str>> = BTreeMap::new();
    for line in answers.lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        let [key, target, _, _, _, operands] = cells[..] else { continue };
        let (form, name) = key.split_once(' ').expect("a form and an operation");
        let of = targets.entry((operands, form, name)).or_default();
        if !of.contains(&target) {
            of.push(target);
        }
    }
    let mut groups: BTreeMap<&str, BTreeMap<String, Vec<&str>>> = BTreeMap::new();
    for ((operands, form, name), targets) in targets {
        groups.entry(operands).or_default().entry(format!("{} {form}", targets.join(","))).or_default().push(name);
    }
    let mut out = "\
# The operands of every operation in every form, by LLVM 22's instruction descriptions. Written by tests/facts/describe.sh.
# = registers, and constants in place of registers, in LLVM's order: written (w) or read (r), the bits, and the data type of
#   sources that can be constants
# targets form: operations
"
    .to_string();
    for (operands, lines) in groups {
        out += &format!("= {operands}\n");
        lines.iter().for_each(|(head, names)| out += &format!("{head}: {}\n", names.join(" ")));
    }
    out
}
