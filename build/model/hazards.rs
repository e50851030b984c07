//! Hazards as written in the tables.

use crate::build::model::error::{Result, SourceLine};
use crate::build::model::tree::{Cells, Entry, Tree};

#[derive(Debug, Default)]
pub struct Hazards {
    pub kinds: Vec<Kind>,
    pub rules: Vec<HazardRule>,
    pub nop: Option<Nop>,
    /// `seen valu r:s | pairs | gfx12=1`: the scalar registers to which the condition `seen` refers.
    pub seen: Vec<Watched>,
    /// `counted salu w:exec | gfx11=1`: the instructions that rules count.
    pub counted: Vec<Watched>,
    /// `expert on setreg if ...`, `expert off ...`: the instructions that turn this mode on (`true`) and off.
    pub expert: Vec<(SourceLine, bool, Side)>,
    /// `indexed r movrels`: operations that add an index to the numbers of their sources (`r`) or destinations (`w`),
    /// and operations that end the mode in which all operations add it (`off`).
    pub indexed: Vec<(SourceLine, String, String)>,
    /// `unchecked F30 | gfx9=1 | The rule counts instructions.`: the faults that no rule checks.
    pub unchecked: Vec<Unchecked>,
    /// `called valu = a vector operation`: words for the instructions that end rules.
    pub called: Vec<Called>,
}

/// `nop s_nop simm16 gfx6=3`: the instruction that waits, and the number of low bits of its constant that matter.
#[derive(Debug)]
pub struct Nop {
    pub at: SourceLine,
    pub mnemonic: String,
    pub field: String,
    pub bits: Cells<u8>,
}

/// A fault that no rule checks, and the reason why.
#[derive(Debug)]
pub struct Unchecked {
    pub at: SourceLine,
    pub id: String,
    /// 1 for the targets that have the fault.
    pub there: Cells<u8>,
    pub reason: String,
}

/// Words for instructions that end rules. `what` is the column `ends` of these rules, or a part of it.
#[derive(Debug)]
pub struct Called {
    pub at: SourceLine,
    /// If the list is empty, the words are for all rules; else only for rules whose targets are all in the list.
    pub only: Vec<String>,
    pub what: String,
    pub words: String,
}

/// Instructions that the rules of some targets watch.
#[derive(Debug)]
pub struct Watched {
    pub at: SourceLine,
    pub sides: Vec<Side>,
    /// `pairs`: both registers of an aligned pair count as seen; `until written`: a register counts as seen until it is
    /// written; `-`: neither.
    pub how: String,
    pub there: Cells<u8>,
}

/// `kind trans = is:valu +trans`: the operations for which all terms hold. Several statements with one name define the
/// union of their operations.
#[derive(Debug)]
pub struct Kind {
    pub at: SourceLine,
    pub name: String,
    pub terms: Vec<Term>,
}

#[derive(Debug)]
pub enum Term {
    Any,
    Formats(Vec<String>),
    Flag(String, bool),
    Is(String, bool),
    /// Mnemonics, with `*` for any text.
    Names(Vec<String>),
    /// The kind exists only on these targets.
    Only(Vec<String>),
}

#[derive(Debug)]
pub struct HazardRule {
    pub at: SourceLine,
    pub id: String,
    /// `when xnack`: the rule holds only in this mode.
    pub when: Option<String>,
    pub producer: Vec<Side>,
    /// `then`: an instruction of this kind has to come between producer and consumer for the hazard to exist.
    pub then: Option<String>,
    /// `then directly KIND`: no other access to memory may come after this instruction.
    pub directly: bool,
    /// `then over salu w:s`: the instruction between has to overwrite the producer's registers;
    /// `then loading if result`: the instruction has to satisfy a condition.
    pub then_side: Option<Side>,
    /// `then again within 2`: a second producer has to follow, with at most this number of vector operations between
    /// the two.
    pub again: Option<u8>,
    /// `then counted`: an instruction of the statement `counted` has to come between, before the second producer if the
    /// rule has one.
    pub counted: bool,
    pub consumer: Vec<Side>,
    pub registers: Registers,
    /// The column `ends`: instructions that end the rule, except those that the following fields count.
    pub ends: Vec<Side>,
    /// The number of transcendental operations that end the rule.
    pub trans: Option<u8>,
    /// The number of wait states that end the rule, unless a check is strict.
    pub lasts: Option<u8>,
    /// `counted*10`: the number of instructions of the statement `counted` that end the rule.
    pub times: Option<u8>,
    pub ends_text: String,
    pub from: Vec<String>,
    pub unit: String,
    pub distance: Cells<String>,
    /// The first sentence without its full stop; `note` has the sentences after it.
    pub text: String,
    pub note: String,
    /// The reason why the rule is only a caution; empty if it is not.
    pub caution: String,
    pub source: String,
}

/// The relation between the registers of producer and consumer.
#[derive(Debug)]
pub struct Registers {
    /// The overlap of the registers: `-`, `share`, `same`, `other`, `hwreg`, `parity`.
    pub overlap: String,
    /// A further condition: `op=`, `op!`, `passes`.
    pub differs: Option<String>,
    /// `field=NAME`: the consumer states the distance itself, in this field.
    pub field: Option<String>,
}

/// `valu if form=DPP w:s,exec@src0>64`: instructions of a kind that satisfy conditions, and the operands that matter.
#[derive(Debug)]
pub struct Side {
    pub kind: String,
    pub conditions: Vec<Condition>,
    pub operands: Option<Operands>,
    /// `over`: the instruction ends a rule only if its operands cover those of the producer.
    pub over: bool,
    /// Whether the side is that of `then`: such an instruction does not end the rule; the rule only begins after it.
    pub begins: bool,
    /// `upto simm16[15:12] valu`: the instruction ends the rule for a producer only if at least as many `valu`
    /// instructions as this field states came after the producer.
    pub upto: Option<Upto>,
}

#[derive(Debug, PartialEq)]
pub struct Upto {
    pub high: u8,
    pub low: u8,
    /// The instructions that are counted: `valu` or another kind.
    pub what: String,
}

#[derive(Debug, PartialEq)]
pub enum Condition {
    Form(String),
    Flag(String),
    /// Whether the field has one of these bits set (`true`), or none of them (`false`).
    Bits(String, u32, bool),
    /// Whether the field has this value (`true`), or another value (`false`).
    Value(String, u32, bool),
    /// The field names no register.
    NoRegister(String),
    /// The instruction's constant names this hardware register, and covers this bit.
    Hwreg(String, Option<u8>),
    /// The instruction is longer than this number of dwords.
    Dwords(u8),
    /// Registers of the operands were seen before, as the statement `seen` defines.
    Seen,
    /// The instruction writes a register that it reads.
    Own,
    /// The instruction writes a register.
    Result,
}

#[derive(Debug, PartialEq)]
pub struct Operands {
    pub reads: bool,
    pub writes: bool,
    pub files: Vec<String>,
    /// `=s102`: only this register matters.
    pub only: Option<String>,
    /// The fields with the operands: empty for all operands, `*` for any field, `-` for operands without a field.
    pub fields: Vec<String>,
    pub wider_than: u16,
    pub narrower_than: u16,
}

impl Hazards {
    /// The instructions that end a rule, in words. `targets` are the targets that have the rule.
    pub fn words(&self, rule: &HazardRule, targets: &[&str]) -> Result<String> {
        let only = |called: &&Called| targets.iter().all(|t| called.only.iter().any(|only| only == t));
        let parts = rule.ends_text.split(" or ").filter(|part| !part.is_empty());
        let words = parts.map(|part| {
            let mut all = self.called.iter().filter(|called| called.what == part);
            let own = all.clone().find(|called| !called.only.is_empty() && only(called));
            match own.or_else(|| all.find(|called| called.only.is_empty())) {
                Some(called) => Ok(called.words.as_str()),
                None => rule.at.err(format!("nothing says what `{part}` is called")),
            }
        });
        let mut words = words.collect::<Result<Vec<&str>>>()?;
        words.dedup();
        Ok(match words.split_last() {
            Some((last, before)) if !before.is_empty() => format!("{} or {last}", before.join(", ")),
            _ => words.concat(),
        })
    }
}

impl Side {
    /// Whether the texts of both sides are equal.
    pub fn has_same_text(&self, other: &Side) -> bool {
        let of = |side: &'_ Side| (side.kind.clone(), side.over, side.begins);
        of(self) == of(other)
            && (&self.conditions, &self.operands, &self.upto) == (&other.conditions, &other.operands, &other.upto)
    }
}

impl Hazards {
    pub fn resolve(&mut self, tree: &Tree, everywhere: &[Entry<()>]) -> Result<()> {
        for called in self.called.iter_mut().filter(|called| !called.only.is_empty()) {
            called.only = tree.targets_of(&called.at, &called.only)?;
        }
        for rule in &mut self.rules {
            rule.distance.resolve(&rule.at, tree, everywhere)?;
        }
        for watched in self.seen.iter_mut().chain(&mut self.counted) {
            watched.there.resolve(&watched.at, tree, everywhere)?;
        }
        for fault in &mut self.unchecked {
            fault.there.resolve(&fault.at, tree, everywhere)?;
        }
        if let Some(nop) = &mut self.nop {
            nop.bits.resolve(&nop.at, tree, everywhere)?;
        }
        for kind in &mut self.kinds {
            for term in &mut kind.terms {
                if let Term::Only(list) = term {
                    *list = tree.targets_of(&kind.at, list)?;
                }
            }
        }
        Ok(())
    }
}
