//! Disagreements in groups, for work on the list of differences.
//!
//! A group is (format, kind, shape). The shape is the difference, with numbers and registers made equal, so that one
//! missing modifier is one group whatever the opcode and the operands are. A group shows its size, its mnemonics and
//! examples with bytes.

use crate::reread::Texts;
use crate::words::{FormatLayout, format_name};
use amdgpu_isa::Target;
use amdgpu_llvm::{Answer, Case, Classes, Kind, Ours, USUAL, Verdict, version};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The number of examples of each group that are kept for the file.
const KEPT: usize = 1000;

#[derive(PartialEq, Eq, PartialOrd, Ord, Clone)]
struct Key {
    format: String,
    kind: Kind,
    shape: String,
}

#[derive(Default)]
struct Group {
    count: u64,
    mnemonics: BTreeSet<String>,
    /// Examples: the word in hex, the library's answer, and LLVM's.
    examples: Vec<[String; 3]>,
}

pub struct Report {
    target: Target,
    pub words: u64,
    agreed: u64,
    accepted: u64,
    classes: Vec<u64>,
    /// The first word of each class.
    firsts: Vec<Option<[String; 3]>>,
    groups: BTreeMap<Key, Group>,
    pub texts: Texts,
}

impl Report {
    pub fn new(target: Target, classes: &Classes) -> Report {
        let (classes, firsts) = (vec![0; classes.list.len()], vec![None; classes.list.len()]);
        let groups = BTreeMap::new();
        Report { target, words: 0, agreed: 0, accepted: 0, classes, firsts, groups, texts: Texts::default() }
    }

    pub fn add(&mut self, case: &Case, classes: &Classes, layouts: &[FormatLayout]) {
        self.words += 1;
        self.accepted += u64::from(matches!(case.llvm, Answer::Text { .. }));
        match classes.judge(case) {
            Verdict::Agree => self.agreed += 1,
            Verdict::Class(index) => {
                self.classes[index] += 1;
                self.firsts[index].get_or_insert_with(|| example(case));
                self.texts.add(index, case);
            }
            Verdict::Disagree(kind) => {
                let format = format_name(layouts, &case.word).map(str::to_owned);
                let format = match &case.ours {
                    Ours::Inst { format: ours, .. } => format.filter(|f| f.starts_with(ours)).unwrap_or((*ours).into()),
                    Ours::Refused(_) => format.unwrap_or("?".into()),
                };
                let group = self.groups.entry(Key { format, kind, shape: shape(case) }).or_default();
                group.count += 1;
                if group.mnemonics.len() < KEPT {
                    group.mnemonics.insert(mnemonic(case).into());
                }
                if group.examples.len() < KEPT {
                    group.examples.push(example(case));
                }
            }
        }
    }

    pub fn merge(&mut self, other: Report) {
        self.words += other.words;
        self.agreed += other.agreed;
        self.accepted += other.accepted;
        for (mine, theirs) in self.classes.iter_mut().zip(other.classes) {
            *mine += theirs;
        }
        for (mine, theirs) in self.firsts.iter_mut().zip(other.firsts) {
            *mine = mine.take().or(theirs);
        }
        self.texts.merge(other.texts);
        for (key, theirs) in other.groups {
            let mine = self.groups.entry(key).or_default();
            mine.count += theirs.count;
            mine.mnemonics.extend(theirs.mnemonics);
            mine.examples.extend(theirs.examples);
            mine.examples.truncate(KEPT);
        }
    }

    pub fn disagreements(&self) -> u64 {
        self.groups.values().map(|group| group.count).sum()
    }

    /// The totals as one line.
    pub fn totals(&self, classes: &Classes) -> String {
        let mut out = format!(
            "{}: {} words, LLVM accepts {}: {} agree, {} differ in {} groups",
            self.target.name(),
            self.words,
            self.accepted,
            self.agreed,
            self.disagreements(),
            self.groups.len()
        );
        for (class, count) in classes.list.iter().zip(&self.classes).filter(|(_, count)| **count > 0) {
            let _ = write!(out, "; {count} {}", class.name);
        }
        out
    }

    /// The totals per format and kind, then the largest `groups` groups with `examples` examples each.
    pub fn text(&self, groups: usize, examples: usize) -> String {
        let mut out = self.table();
        let mut sorted: Vec<_> = self.groups.iter().collect();
        sorted.sort_by_key(|(key, group)| (std::cmp::Reverse(group.count), (*key).clone()));
        for (number, (key, group)) in sorted.iter().take(groups).enumerate() {
            let mnemonics: Vec<&str> = group.mnemonics.iter().take(6).map(String::as_str).collect();
            let more = if group.mnemonics.len() > 6 { " ..." } else { "" };
            let _ = writeln!(out, "\n#{} {} × {} · {}", number + 1, group.count, key.format, key.kind.name());
            let _ = writeln!(out, "   {}", key.shape);
            let _ = writeln!(out, "   {} mnemonics: {}{more}", group.mnemonics.len(), mnemonics.join(" "));
            for [hex, ours, llvm] in group.examples.iter().take(examples) {
                let _ = writeln!(out, "   {hex}\n      ours  {ours}\n      llvm  {llvm}");
            }
        }
        if sorted.len() > groups {
            let rest: u64 = sorted[groups..].iter().map(|(_, group)| group.count).sum();
            let _ = writeln!(out, "\nand {rest} words in {} more groups", sorted.len() - groups);
        }
        out
    }

    fn table(&self) -> String {
        const KINDS: [Kind; 5] = [Kind::WeRefuse, Kind::LlvmRefuses, Kind::LlvmCrashes, Kind::Length, Kind::Text];
        let mut rows: BTreeMap<&str, [u64; 5]> = BTreeMap::new();
        for (key, group) in &self.groups {
            rows.entry(&key.format).or_default()[key.kind as usize] += group.count;
        }
        let mut out = format!("{:<14}", "format");
        for kind in KINDS {
            let _ = write!(out, "{:>14}", kind.name());
        }
        for (format, counts) in rows {
            let _ = write!(out, "\n{format:<14}");
            for count in counts {
                let _ = write!(out, "{:>14}", if count == 0 { "·".to_owned() } else { count.to_string() });
            }
        }
        out + "\n"
    }

    /// Writes all kept examples to `target/llvm-<target>-<test>.txt` (`llvm23-` with LLVM 23). Returns the path.
    pub fn save(&self, test: &str, classes: &Classes) -> String {
        let directory = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("target directory");
        let version = if version() == USUAL { String::new() } else { version().to_string() };
        let path = directory.join(format!("llvm{version}-{}-{test}.txt", self.target.name()));
        let mut text = format!(
            "{}\nAt most {KEPT} examples of each group.\n\n{}",
            self.totals(classes),
            self.text(usize::MAX, KEPT)
        );
        text += "\nThe first word of each class, as differences.txt has it.\n";
        for (class, first) in classes.list.iter().zip(&self.firsts) {
            if let Some([hex, ours, llvm]) = first {
                let _ = writeln!(text, "\nclass:    {}\nsample:   {} {hex}", class.name, self.target.name());
                let _ = writeln!(text, "ours:     {ours}\nllvm:     {llvm}");
            }
        }
        match std::fs::write(&path, text) {
            Ok(()) => path.display().to_string(),
            Err(e) => format!("{}: {e}", path.display()),
        }
    }
}

/// The word, the library's answer, and LLVM's.
fn example(case: &Case) -> [String; 3] {
    [case.word.hex(), case.ours.line(), case.llvm.line()]
}

fn mnemonic(case: &Case) -> &str {
    let text = match (&case.llvm, &case.ours) {
        (Answer::Text { text, .. }, _) | (_, Ours::Inst { text, .. }) => text,
        _ => "-",
    };
    text.split(' ').next().unwrap_or_default()
}

fn shape(case: &Case) -> String {
    match (&case.ours, &case.llvm) {
        (Ours::Inst { len: a, text, .. }, Answer::Text { len: b, text: llvm, .. }) => {
            let lengths = if a == b { String::new() } else { format!("{a} bytes, LLVM {b}: ") };
            format!("{lengths}{}", text_difference(text, llvm))
        }
        (Ours::Inst { text, .. }, _) => match text.split_once(' ') {
            Some((_, operands)) => format!("ours: {}", general(operands)),
            None => "ours: no operands".into(),
        },
        (Ours::Refused(reason), Answer::Text { text, .. }) => {
            // A comment in LLVM's text tells more about the difference than the rest of the text.
            let doubt = text.find("/*").map_or("", |at| &text[at..]);
            let doubt = doubt.find("*/").map_or("", |end| &doubt[..end + 2]);
            format!("our reason: {} {doubt}", general(reason))
        }
        (Ours::Refused(reason), _) => format!("our reason: {}", general(reason)),
    }
}

/// The tokens between the common start and the common end of two texts.
fn text_difference(ours: &str, llvm: &str) -> String {
    let (mut ours, mut llvm) = (tokens(ours), tokens(llvm));
    let start = ours.iter().zip(&llvm).take_while(|(a, b)| a == b).count();
    ours.drain(..start);
    llvm.drain(..start);
    while ours.last().is_some() && ours.last() == llvm.last() {
        ours.pop();
        llvm.pop();
    }
    if start == 0 {
        without_common_start(ours.first_mut(), llvm.first_mut());
    }
    let side = |tokens: Vec<String>| if tokens.is_empty() { "nothing".into() } else { general(&tokens.join(" ")) };
    let place = if start == 0 { "mnemonic" } else { "text" };
    format!("{place}: ours `{}`, LLVM `{}`", side(ours), side(llvm))
}

/// Removes the common start of two mnemonics: `v_add_f32_e32` and `v_add_f32` become `…_e32` and `…`. Otherwise each
/// opcode would be a separate group.
fn without_common_start(ours: Option<&mut String>, llvm: Option<&mut String>) {
    let (Some(ours), Some(llvm)) = (ours, llvm) else { return };
    let common = ours.bytes().zip(llvm.bytes()).take_while(|(a, b)| a == b).count();
    if common > 3 && ours.is_ascii() && llvm.is_ascii() {
        ours.replace_range(..common, "…");
        llvm.replace_range(..common, "…");
    }
}

fn tokens(text: &str) -> Vec<String> {
    text.replace(',', " ,").split_whitespace().map(str::to_owned).collect()
}

/// A text with `#` for each number, so that texts that differ only in numbers are equal.
fn general(text: &str) -> String {
    let mut out = String::new();
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        if c.is_ascii_digit() {
            let hex = c == '0' && characters.next_if_eq(&'x').is_some();
            while characters.next_if(|c| if hex { c.is_ascii_hexdigit() } else { c.is_ascii_digit() }).is_some() {}
            out.push('#');
        } else {
            out.push(c);
        }
    }
    out
}
