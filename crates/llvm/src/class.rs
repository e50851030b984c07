//! The reviewed list of classes of words on which the library and LLVM differ.

use std::sync::LazyLock;

use amdgpu_isa::Target;

use crate::answer::Answer;
use crate::case::{Case, Kind};
use crate::rules::{self, Rule};
use crate::versions::{USUAL, knows};
use crate::word::Word;

/// The text of the list. Its head explains the format.
const DIFFERENCES: &str = include_str!("differences.txt");

/// The verdict of the list on a word.
pub enum Verdict {
    /// The library and LLVM agree.
    Agree,
    /// The answers differ, and the class with this index in [`Classes::list`] describes the difference.
    Class(usize),
    /// The answers differ, and no class describes the difference.
    Disagree(Kind),
}

/// A word that shows the difference of a class.
pub struct Sample {
    /// The name of the target.
    pub target: String,
    /// The word about which the answers differ.
    pub word: Word,
    /// The versions of LLVM that show the difference; `None`: all versions of the class.
    versions: Option<Vec<u32>>,
    /// The library's answer, as [`Ours::line`](crate::Ours::line) writes it. `ERR` alone stands for any reason.
    pub ours: String,
    /// LLVM's answer, as [`Answer::line`](crate::Answer::line) writes it.
    pub llvm: String,
}

/// The result of LLVM's assembler for LLVM's text of a word that the library refuses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Assembler {
    /// The assembler refuses the text, too.
    Refuses,
    /// The assembler accepts the text, and makes other bytes of it: an instruction that the library accepts.
    Changes,
    /// The assembler accepts the text, and makes a word of it that the library refuses, too.
    Agrees,
}

/// A reviewed class of differences.
pub struct Class {
    /// A name of a few words.
    pub name: String,
    /// The versions of LLVM that have the difference.
    pub versions: Vec<u32>,
    /// The processors for which LLVM has the difference, as in LLVM's `-mcpu`.
    pub targets: Vec<String>,
    rule: Rule,
    /// The reason why the library is right, in sentences.
    pub reason: String,
    /// The result of LLVM's assembler for LLVM's text, if the library refuses the word.
    pub assembler: Assembler,
    /// Words that show the difference.
    pub samples: Vec<Sample>,
}

impl Class {
    /// Whether the difference about a word belongs to this class.
    pub fn matches(&self, case: &Case) -> bool {
        self.versions.contains(&case.version)
            && self.targets.iter().any(|target| target == case.target.processor())
            && self.fits(case)
    }

    /// Whether the rule of the class holds, whatever the version and the target are.
    pub fn fits(&self, case: &Case) -> bool {
        (self.rule)(case)
    }

    /// Whether a version of LLVM shows a sample of the class.
    pub fn is_shown(&self, sample: &Sample, version: u32) -> bool {
        sample.versions.as_ref().unwrap_or(&self.versions).contains(&version)
    }

    /// The part that the class lacks, if it is not complete.
    fn fault(&self) -> Option<String> {
        let of = |version: u32| {
            let shows = |s: &Sample| self.is_shown(s, version) && knows(version, &s.target);
            (!self.samples.iter().any(shows)).then(|| format!("a sample that LLVM {version} shows"))
        };
        let newer = |name: &String| !knows(USUAL, name) && !self.versions.contains(&23);
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

/// The list of classes.
pub struct Classes {
    /// The classes, in the order in which they are tried.
    pub list: Vec<Class>,
}

impl Classes {
    /// Reads the list that is a part of this package.
    ///
    /// # Errors
    /// The line that is wrong, or the part that a class lacks.
    pub fn load() -> Result<Classes, String> {
        let mut list: Vec<Class> = Vec::new();
        for (number, line) in DIFFERENCES.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            add_line(&mut list, line).map_err(|e| format!("differences.txt:{}: {e}", number + 1))?;
        }
        for class in &list {
            if let Some(fault) = class.fault() {
                return Err(format!("differences.txt: {} needs {fault}", class.name));
            }
        }
        Ok(Classes { list })
    }

    /// Compares both answers about a word, and finds the first class to which their difference belongs.
    pub fn judge(&self, case: &Case) -> Verdict {
        let Some(kind) = case.difference() else { return Verdict::Agree };
        self.list.iter().position(|class| class.matches(case)).map_or(Verdict::Disagree(kind), Verdict::Class)
    }
}

/// The class of the difference between LLVM's answer about a word and the library's; `None` if there is no difference,
/// or no class describes it, which means a fault of the library or of LLVM. `version`: the version of LLVM.
pub fn known_difference(target: Target, word: Word, llvm: Answer, version: u32) -> Option<&'static Class> {
    static CLASSES: LazyLock<Classes> = LazyLock::new(|| Classes::load().expect("the tests read it"));
    match CLASSES.judge(&Case::new(target, word, llvm, version)) {
        Verdict::Class(index) => CLASSES.list.get(index),
        Verdict::Agree | Verdict::Disagree(_) => None,
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
        "rule" => class.rule = rules::rule(value).ok_or(format!("no rule {value} in rules.rs"))?,
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
