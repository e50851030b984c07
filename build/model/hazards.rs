//! Hazards as they are written.

use crate::build::model::error::{Result, SourceLine};
use crate::build::model::tree::{Cells, Entry, Tree};

#[derive(Debug, Default)]
pub struct Hazards {
    pub kinds: Vec<Kind>,
    pub rules: Vec<HazardRule>,
    pub nop: Option<Nop>,
    /// `seen valu r:s | pairs | gfx12=1`: the scalar registers that conditions call `seen`.
    pub seen: Vec<Watched>,
    /// `counted salu w:exec | gfx11=1`: the instructions that rules count.
    pub counted: Vec<Watched>,
    /// `expert on setreg if ...`, `expert off ...`: what turns this mode on and off.
    pub expert: Vec<(SourceLine, bool, Side)>,
    /// `called valu = a vector operation`: what people call that which ends rules.
    pub called: Vec<Called>,
}

/// `nop s_nop simm16 gfx6=3`: the instruction that waits, and how many bits of its constant count.
#[derive(Debug)]
pub struct Nop {
    pub at: SourceLine,
    pub mnemonic: String,
    pub field: String,
    pub bits: Cells<u8>,
}

/// Words for a part of the column of what ends rules.
#[derive(Debug)]
pub struct Called {
    pub at: SourceLine,
    /// Only for rules that no other targets have; empty: for all.
    pub only: Vec<String>,
    pub what: String,
    pub words: String,
}

/// Instructions that all rules of some targets watch.
#[derive(Debug)]
pub struct Watched {
    pub at: SourceLine,
    pub sides: Vec<Side>,
    /// `pairs`: the other registers of aligned pairs are seen, too; `until written`: what is written is no longer seen.
    pub how: String,
    pub there: Cells<u8>,
}

/// `kind trans = is:valu +trans`: operations of which all terms hold. Several kinds of one name: any of them.
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
    /// Only on these targets.
    Only(Vec<String>),
}

#[derive(Debug)]
pub struct HazardRule {
    pub at: SourceLine,
    pub id: String,
    /// `when xnack`: it holds in this mode only.
    pub when: Option<String>,
    pub producer: Vec<Side>,
    /// `then`: an instruction of this kind has to come between.
    pub then: Option<String>,
    /// `then directly KIND`: no other access to memory comes after it.
    pub directly: bool,
    /// `then over salu w:s`: an instruction has to come between that overwrites the producer's registers.
    pub then_over: Option<Side>,
    /// `then again within 2`: another such producer has to come, with no more vector operations between both.
    pub again: Option<u8>,
    /// `then counted`: an instruction of the statement `counted` has to come between, before the second producer if
    /// there is one.
    pub counted: bool,
    pub consumer: Vec<Side>,
    pub registers: Registers,
    /// `ends`: what else ends it.
    pub ends: Vec<Side>,
    /// So many transcendental operations end it.
    pub trans: Option<u8>,
    /// So many wait states end it, unless one is strict.
    pub lasts: Option<u8>,
    /// `counted*10`: so many instructions of the statement `counted` end it.
    pub times: Option<u8>,
    pub ends_text: String,
    pub from: Vec<String>,
    pub unit: String,
    pub distance: Cells<String>,
    /// One sentence without its full stop, and those that follow.
    pub text: String,
    pub note: String,
    /// Why it is only a caution; empty: it is not.
    pub caution: String,
    pub source: String,
}

/// Registers that both have in common.
#[derive(Debug)]
pub struct Registers {
    /// `-`, `share`, `same`, `other`, `hwreg`, `parity`.
    pub overlap: String,
    /// `op=`, `op!`, `passes`.
    pub differs: Option<String>,
    /// `field=NAME`: the later instruction says itself in this field how much has to be between.
    pub field: Option<String>,
}

/// `valu if form=DPP w:s,exec@src0>64`: instructions of a kind, under conditions, and which of their operands.
#[derive(Debug)]
pub struct Side {
    pub kind: String,
    pub conditions: Vec<Condition>,
    pub operands: Option<Operands>,
    /// `over`: it ends a rule only if its operands cover those of the producer.
    pub over: bool,
    /// It does not end rules: they begin after it.
    pub begins: bool,
    /// `upto simm16[15:12] valu`: only of producers after which at least as many such instructions came as this field
    /// says.
    pub upto: Option<Upto>,
}

#[derive(Debug, PartialEq)]
pub struct Upto {
    pub high: u8,
    pub low: u8,
    /// `valu`, or a kind of operations.
    pub what: String,
}

#[derive(Debug, PartialEq)]
pub enum Condition {
    Form(String),
    Flag(String),
    /// The field has one of these bits set; or none of them.
    Bits(String, u32, bool),
    /// The field has this value; or another one.
    Value(String, u32, bool),
    /// The field names no register.
    NoRegister(String),
    /// The instruction's constant names this hardware register, and covers this bit.
    Hwreg(String, Option<u8>),
    /// It is longer than this.
    Dwords(u8),
    /// Such registers, or the other ones of their aligned pairs, were seen before.
    Seen,
    /// It writes a register that it reads.
    Own,
}

#[derive(Debug, PartialEq)]
pub struct Operands {
    pub reads: bool,
    pub writes: bool,
    pub files: Vec<String>,
    /// `=s102`: this register alone.
    pub only: Option<String>,
    /// Empty: any; `*`: in any field; `-`: in no field.
    pub fields: Vec<String>,
    pub wider_than: u16,
    pub narrower_than: u16,
}

impl Hazards {
    /// Instructions that end a rule, in words; `targets`: those that have the rule.
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
    /// Both are written alike.
    pub fn says_the_same(&self, other: &Side) -> bool {
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
