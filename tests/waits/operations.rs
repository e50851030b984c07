//! Programs of the operations that raise counters.

use std::collections::BTreeMap;
use std::fmt;

use crate::hazards::machine_ir;

/// An instruction as assembler text, and as LLVM's machine IR.
#[derive(Clone)]
pub struct Op {
    pub name: &'static str,
    pub text: String,
    pub mir: String,
}

#[derive(Clone)]
pub enum Item {
    Inst(Op),
    /// The label of a block that begins here.
    Label(u8),
}

pub struct Program {
    pub shape: &'static str,
    pub first: &'static str,
    pub second: &'static str,
    pub items: Vec<Item>,
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "| {} | {} | {}", self.shape, self.first, self.second)
    }
}

impl Program {
    pub fn text(&self) -> String {
        let line = |item: &Item| match item {
            Item::Inst(op) => format!("{}\n", op.text),
            Item::Label(n) => format!("L{n}:\n"),
        };
        self.items.iter().map(line).collect()
    }
}

/// The operations of each target, by name.
pub struct Table {
    pub targets: Vec<&'static str>,
    ops: BTreeMap<&'static str, Vec<Op>>,
}

/// Names of instructions that only use registers.
const USES: [&str; 7] = ["read", "write", "sread", "swrite", "address", "data", "pointer"];

impl Table {
    pub fn read() -> Table {
        let header = include_str!("../hazards/distances.tsv").lines().find(|line| line.starts_with("id\t"));
        let targets: Vec<&str> = header.unwrap().split('\t').skip(1).collect();
        let lines = |text: &'static str| text.lines().filter(|line| line.contains(" | ") && !line.starts_with('#'));
        let mir = machine_ir(include_str!("mir.txt"));
        let mut ops: BTreeMap<&str, Vec<Op>> = BTreeMap::new();
        for line in lines(include_str!("operations.txt")) {
            let [name, ranges, text] = line.split(" | ").collect::<Vec<_>>()[..] else { panic!("{line}") };
            for range in ranges.split(' ') {
                let (first, last) = range.split_once("..").unwrap_or((range, range));
                let at = |name| targets.iter().position(|t| *t == name).unwrap_or_else(|| panic!("{name} in {line}"));
                for target in &targets[at(first)..=at(last)] {
                    let mir = mir.get(&(target, text)).unwrap_or_else(|| panic!("{target}: mir.txt lacks {text}"));
                    ops.entry(target).or_default().push(Op { name, text: text.into(), mir: mir.to_string() });
                }
            }
        }
        Table { targets, ops }
    }

    /// The programs of a target, by shape. `one`: an operation and a use. `two`: one operation, another one with other
    /// results, and the uses of both. `again`: two operations with the same results. `loop`, `join`: the results are
    /// used on another path. `full`: more operations than a counter can count.
    pub fn programs(&self, target: &str) -> Vec<Program> {
        let all = self.ops.get(target).map_or(&[][..], |ops| ops);
        let (uses, ops): (Vec<&Op>, Vec<&Op>) = all.iter().partition(|op| USES.contains(&op.name));
        let mut programs = Vec::new();
        let mut add = |shape, first: &Op, second: &str, items: Vec<Item>| {
            let second = ops.iter().chain(&uses).find(|op| op.name == second).map_or("-", |op| op.name);
            programs.push(Program { shape, first: first.name, second, items: [items, vec![end()]].concat() });
        };
        let inst = |op: &Op| Item::Inst(op.clone());
        for op in &ops {
            for user in uses.iter().filter(|user| touches(user, op)) {
                let used = vec![inst(op), inst(user)];
                add("one", op, user.name, used);
                if !user.name.ends_with("read") {
                    continue;
                }
                let (other, reads) = (elsewhere(op), inst(user));
                if user.name == "read" {
                    let more = (0..70).map(|n| Item::Inst(far(op, n)));
                    add("full", op, user.name, [inst(op)].into_iter().chain(more).chain([reads.clone()]).collect());
                }
                let label = Item::Label;
                add("loop", op, user.name, vec![inst(op), label(1), reads.clone(), inst(op), branch(1), label(2)]);
                add(
                    "join",
                    op,
                    user.name,
                    vec![branch(2), label(1), inst(op), inst(&other), label(2), inst(op), reads],
                );
            }
            for second in &ops {
                let other = elsewhere(second);
                let reads =
                    |op: &Op| uses.iter().find(|user| user.name.ends_with("read") && touches(user, op)).copied();
                let after = [reads(op).cloned(), reads(second).map(elsewhere)];
                let after = after.into_iter().flatten().map(Item::Inst);
                add("two", op, second.name, [inst(op), Item::Inst(other)].into_iter().chain(after).collect());
                if reads(op).is_some() && reads(op).map(|op| op.name) == reads(second).map(|op| op.name) {
                    add("again", op, second.name, vec![inst(op), inst(second)]);
                }
            }
        }
        programs
    }
}

/// The operation with registers 30 to 39 instead of 20 to 29.
fn elsewhere(op: &Op) -> Op {
    renamed(op, |n| n + 10)
}

/// The `n`th operation with results from register 100 on. Results of four registers repeat after 24 operations.
fn far(op: &Op, n: usize) -> Op {
    let first = if op.text.contains(":2") { 100 + n % 24 * 4 } else { 100 + n };
    renamed(op, |n| n - 20 + first)
}

/// The operation with registers 20 to 29 replaced by others.
fn renamed(op: &Op, to: impl Fn(usize) -> usize) -> Op {
    let starts = ["v", "s", "[", ":", "gpr"];
    let renamed = |text: &str| {
        (20..30).fold(text.to_string(), |text, n| {
            let place = |start: &str, n: usize| format!("{start}{n}");
            starts.iter().fold(text, |text, start| text.replace(&place(start, n), &place(start, to(n))))
        })
    };
    Op { name: op.name, text: renamed(&op.text), mir: renamed(&op.mir) }
}

/// Whether `user` uses a register that `op` uses, too.
fn touches(user: &Op, op: &Op) -> bool {
    let register = user.mir.split([' ', ',', '_']).find(|word| {
        let number = word.trim_start_matches("$vgpr").trim_start_matches("$sgpr");
        *word != number && number != "9"
    });
    let register = register.expect("a register");
    let writes = op.mir.split_once(" = ").map_or("", |(writes, _)| writes);
    let reads = op.mir.split_once(" = ").map_or(op.mir.as_str(), |(_, reads)| reads);
    let is_in = |text: &str| {
        text.split([' ', ',']).any(|word| word.split('_').any(|one| one == register || one == &register[1..]))
    };
    if register.contains("gpr2") { is_in(writes) } else { is_in(reads) }
}

fn end() -> Item {
    Item::Inst(Op { name: "end", text: "s_endpgm".into(), mir: "S_ENDPGM 0".into() })
}

fn branch(to: u8) -> Item {
    let mir = format!("S_CBRANCH_SCC1 %bb.{to}, implicit $scc");
    Item::Inst(Op { name: "branch", text: format!("s_cbranch_scc1 L{to}"), mir })
}
