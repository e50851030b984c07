//! One word, two opinions, and the reviewed list of classes of words on which they may differ.

use crate::classes::{self, Rule};
use crate::oracle::{self, Answer, Word};
use crate::ours::{self, Ours, Target};

/// `tests/llvm/differences.txt`; its head explains the format.
const DIFFERENCES: &str = include_str!("differences.txt");

/// Everything about one word.
pub struct Case {
    pub target: Target,
    pub word: Word,
    pub ours: Ours,
    pub llvm: Answer,
}

impl Case {
    pub fn new(target: Target, word: Word, llvm: Answer) -> Case {
        Case { target, word, ours: ours::decode(target, word.bytes()), llvm }
    }

    /// The kind of difference, if there is one.
    pub fn difference(&self) -> Option<Kind> {
        match (&self.ours, &self.llvm) {
            (_, Answer::Crash) => Some(Kind::LlvmCrashes),
            (Ours::Refused(_), Answer::Reject) => None,
            (Ours::Refused(_), Answer::Text { .. }) => Some(Kind::WeRefuse),
            (Ours::Inst { .. }, Answer::Reject) => Some(Kind::LlvmRefuses),
            (Ours::Inst { len: a, .. }, Answer::Text { len: b, .. }) if a != b => Some(Kind::Length),
            (Ours::Inst { text: a, .. }, Answer::Text { text: b, .. }) => (a != b).then_some(Kind::Text),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    WeRefuse,
    LlvmRefuses,
    LlvmCrashes,
    Length,
    Text,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::WeRefuse => "we refuse",
            Kind::LlvmRefuses => "LLVM refuses",
            Kind::LlvmCrashes => "LLVM crashes",
            Kind::Length => "length",
            Kind::Text => "text",
        }
    }
}

pub enum Verdict {
    Agree,
    /// Index into [`Classes::list`].
    Class(usize),
    Disagree(Kind),
}

pub struct Sample {
    pub target: String,
    pub word: Word,
    /// The versions of LLVM that show it, if not all of the class.
    versions: Option<Vec<u32>>,
    /// [`Ours::line`]; `ERR` alone stands for any reason.
    pub ours: String,
    /// [`Answer::line`].
    pub llvm: String,
}

/// The assembler's result for LLVM's text of a word that we refuse.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Assembler {
    /// The assembler refuses the text, too.
    Refuses,
    /// The assembler makes an instruction of it, with other bytes.
    Changes,
    /// The assembler makes a word that we refuse.
    Agrees,
}

/// A reviewed class of differences.
pub struct Class {
    pub name: String,
    /// The versions of LLVM that have it.
    pub versions: Vec<u32>,
    pub targets: Vec<String>,
    pub rule: Rule,
    pub reason: String,
    pub assembler: Assembler,
    pub samples: Vec<Sample>,
}

impl Class {
    /// Whether the word is of this class, for the version of LLVM that is compared.
    pub fn matches(&self, case: &Case) -> bool {
        self.versions.contains(&oracle::version())
            && self.targets.iter().any(|target| target == case.target.processor)
            && (self.rule)(case)
    }

    /// Whether a version of LLVM shows a sample of the class.
    pub fn is_shown(&self, sample: &Sample, version: u32) -> bool {
        sample.versions.as_ref().unwrap_or(&self.versions).contains(&version)
    }

    /// What the class lacks.
    fn fault(&self) -> Option<String> {
        let of = |version: u32| {
            let shows = |s: &Sample| self.is_shown(s, version) && ours::is_known(&s.target, version);
            (!self.samples.iter().any(shows)).then(|| format!("a sample that LLVM {version} shows"))
        };
        let newer = |name: &String| !ours::is_known(name, 22) && !self.versions.contains(&23);
        if self.targets.is_empty() {
            Some("targets".into())
        } else if self.reason.is_empty() {
            Some("a reason".into())
        } else if self.targets.iter().any(newer) {
            Some("version 23, which alone knows some of its targets".into())
        } else {
            self.versions.iter().find_map(|version| of(*version))
        }
    }
}

pub struct Classes {
    pub list: Vec<Class>,
}

impl Classes {
    pub fn load() -> Result<Classes, String> {
        let mut list: Vec<Class> = Vec::new();
        for (number, line) in DIFFERENCES.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            add_line(&mut list, line).map_err(|e| format!("tests/llvm/differences.txt:{}: {e}", number + 1))?;
        }
        for class in &list {
            if let Some(fault) = class.fault() {
                return Err(format!("tests/llvm/differences.txt: {} needs {fault}", class.name));
            }
        }
        Ok(Classes { list })
    }

    pub fn judge(&self, case: &Case) -> Verdict {
        let Some(kind) = case.difference() else { return Verdict::Agree };
        self.list.iter().position(|class| class.matches(case)).map_or(Verdict::Disagree(kind), Verdict::Class)
    }
}

fn add_line(list: &mut Vec<Class>, line: &str) -> Result<(), String> {
    let (key, value) = line.split_once(':').ok_or("no `key: value`")?;
    let value = value.trim();
    if key == "class" {
        if list.iter().any(|class| class.name == value) {
            return Err(format!("{value} is here twice"));
        }
        let never: Rule = |_| false;
        let (name, reason) = (value.to_owned(), String::new());
        let assembler = Assembler::Refuses;
        let (versions, targets, samples) = (vec![22], Vec::new(), Vec::new());
        list.push(Class { name, versions, targets, rule: never, reason, assembler, samples });
        return Ok(());
    }
    let class = list.last_mut().ok_or("the first line of a record is `class: NAME`")?;
    let sample = class.samples.last_mut();
    match key {
        "versions" => {
            let numbers: Result<Vec<u32>, _> = value.split_whitespace().map(str::parse).collect();
            let numbers = numbers.ok().filter(|all| !all.is_empty() && all.iter().all(|n| [22, 23].contains(n)));
            let numbers = numbers.ok_or("versions: 22, 23, or both")?;
            match sample {
                Some(sample) => sample.versions = Some(numbers),
                None => class.versions = numbers,
            }
        }
        "targets" => class.targets.extend(value.split_whitespace().map(str::to_owned)),
        "rule" => class.rule = classes::rule(value).ok_or(format!("no rule {value} in classes.rs"))?,
        "reason" if class.reason.is_empty() => class.reason = value.to_owned(),
        "reason" => class.reason = format!("{} {value}", class.reason),
        "assembler" => {
            class.assembler = match value {
                "changes" => Assembler::Changes,
                "agrees" => Assembler::Agrees,
                _ => return Err("assembler: changes or agrees".into()),
            }
        }
        "sample" => {
            let (target, hex) = value.split_once(' ').ok_or("sample: TARGET HEX")?;
            let word = Word::from_hex(hex.trim()).ok_or("sample: no hex word")?;
            let (ours, llvm) = (String::new(), String::new());
            class.samples.push(Sample { target: target.into(), word, versions: None, ours, llvm });
        }
        "ours" => sample.ok_or("ours before sample")?.ours = value.to_owned(),
        "llvm" => sample.ok_or("llvm before sample")?.llvm = value.to_owned(),
        _ => return Err(format!("unknown key {key}")),
    }
    Ok(())
}
