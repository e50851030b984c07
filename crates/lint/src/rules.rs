//! The rules that code is checked against: the rules of [`hazards`] and the rules of this package,
//! and a list of faults that are not checked.
//!
//! ```
//! use amdgpu_isa::Target;
//! use amdgpu_lint::check::Severity;
//! use amdgpu_lint::rules;
//!
//! let all = rules::all(Target::Gfx942);
//! let rule = all.iter().find(|rule| rule.id == "F01").unwrap();
//! assert_eq!(rule.needs().unwrap(), "5 wait states");
//! assert_eq!(rule.severity, Severity::Error);
//! assert_eq!(rules::find("missing-wait").unwrap().title, "a wait for a counter is missing");
//! assert!(rules::unchecked(Target::Gfx942).any(|unchecked| unchecked.what.contains("memory or LDS")));
//! ```

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::iter;

use amdgpu_isa::facts::{Counter, Purpose};
use amdgpu_isa::hazards::{self, Certainty, Distance, Rule, Unit};
use amdgpu_isa::{Opcode, Target};

use crate::check::Severity;

/// A rule, for people and for programs that show findings.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RuleInfo {
    /// The name that findings have, such as `missing-wait` or `F01`.
    pub id: &'static str,
    /// The fault, in a few words.
    pub title: &'static str,
    /// The rule, in sentences.
    pub text: String,
    /// Advice about a finding.
    pub help: &'static str,
    /// The severity of a finding.
    pub severity: Severity,
    /// The rule as [`hazards`] knows it, if it is about hazards.
    pub hazard: Option<Rule>,
    /// The distance between two instructions, if the rule is about hazards, and the target is known.
    pub distance: Option<Distance>,
    /// Whether only a strict check applies the rule on the target, because one source states the rule and another
    /// source denies it.
    pub is_strict: bool,
    /// The sources of the rule; empty if none is stated.
    pub sources: Vec<&'static str>,
}

impl RuleInfo {
    /// The distance between two instructions, such as `5 wait states`; `None` if the rule has no number, or the target
    /// is not known.
    pub fn needs(&self) -> Option<String> {
        let unit = match self.hazard?.unit() {
            Unit::States => "wait state",
            Unit::Valu => "vector instruction",
            _ => return None,
        };
        let distance = self.distance?.to_string();
        Some(match distance.parse::<u8>() {
            Ok(1) => format!("1 {unit}"),
            Ok(number) => format!("{number} {unit}s"),
            Err(_) => format!("{unit}s: {distance}"),
        })
    }

    /// The instructions that end the hazard, in words; empty if only distance does, or the rule is about one
    /// instruction.
    pub fn ends(&self) -> &'static str {
        self.hazard.map_or("", Rule::ends)
    }
}

/// A fault that is not checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unchecked {
    /// The name of the rule, if it has one.
    pub id: Option<&'static str>,
    /// The fault that is not checked; for a rule with a name, the reason why it is not checked.
    pub what: &'static str,
}

/// The severity of a rule's findings. `hazard`: the rule, if it is about hazards. A rule of hazards that has a caution,
/// or is only proposed, gives hints.
///
/// ```
/// use amdgpu_lint::check::Severity;
/// use amdgpu_lint::rules::severity;
/// assert_eq!(severity("missing-wait", None), Severity::Error);
/// assert_eq!(severity("superfluous-nop", None), Severity::Hint);
/// ```
pub fn severity(id: &str, hazard: Option<Rule>) -> Severity {
    let Some(hazard) = hazard else {
        return OWN.iter().find(|own| own.id == id).map_or(Severity::Error, |own| own.severity);
    };
    match hazard.certainty() {
        _ if hazard.caution().is_some() => Severity::Hint,
        Certainty::Proposed => Severity::Hint,
        // Rules of every other certainty give errors.
        _ => Severity::Error,
    }
}

/// The rules for a target: first the rules of this package, then the rules of hazards.
pub fn all(target: Target) -> Vec<RuleInfo> {
    let own = OWN.iter().map(|own| own.info(Some(target)));
    own.chain(Rule::of(target).map(|rule| hazard(rule, Some(target)))).collect()
}

/// The rules for all targets in this build, without distances.
pub fn every() -> Vec<RuleInfo> {
    OWN.iter().map(|own| own.info(None)).chain(Rule::all().map(|rule| hazard(rule, None))).collect()
}

/// The rule with an `id`, as a finding names it; `None` if there is none.
pub fn find(id: &str) -> Option<RuleInfo> {
    let own = OWN.iter().find(|own| own.id == id).map(|own| own.info(None));
    own.or_else(|| Rule::all().find(|rule| rule.id() == id).map(|rule| hazard(rule, None)))
}

fn hazard(rule: Rule, target: Option<Target>) -> RuleInfo {
    let (title, help) = match rule.unit() {
        Unit::States => (
            "wait states are missing between two instructions",
            "Insert s_nop between the two instructions, or move instructions there that do not depend on them. \
             `lint --fix` inserts as few as are enough.",
        ),
        Unit::Valu => (
            "vector instructions are missing between two instructions",
            "Insert v_nop between the two instructions, or move vector instructions there that do not depend on them. \
             `lint --fix` inserts as few as are enough, or one wait that ends the hazard.",
        ),
        _ => (
            "an instruction is missing between two others",
            "Insert the instruction that the finding names between the two others. `lint --fix` inserts it.",
        ),
    };
    RuleInfo {
        id: rule.id(),
        title,
        text: format!("{}.", rule.text().trim_end_matches('.')),
        help,
        severity: severity(rule.id(), Some(rule)),
        hazard: Some(rule),
        distance: target.and_then(|target| rule.distance(target)),
        is_strict: target.is_some_and(|target| rule.is_strict(target)),
        sources: [rule.source()].into_iter().filter(|source| !source.is_empty()).collect(),
    }
}

/// A rule of this package.
struct Own {
    id: &'static str,
    severity: Severity,
    title: &'static str,
    text: &'static str,
    help: &'static str,
}

impl Own {
    fn info(&self, target: Option<Target>) -> RuleInfo {
        let &Own { id, severity, title, text, help } = self;
        let mut sources: Vec<&'static str> = match id {
            "T09" => iter::once(BROKEN_BRANCH_SOURCE).collect(),
            "last-vgpr" => iter::once(LAST_VGPR_SOURCE).collect(),
            "missing-wait" | "perhaps-missing-wait" | "early-return" => {
                let of = |target| Counter::ALL.iter().filter_map(move |counter| counter.source(target));
                target.into_iter().flat_map(of).collect()
            }
            _ => Vec::new(),
        };
        sources.sort_unstable();
        sources.dedup();
        let (text, hazard, distance) = (text.into(), None, None);
        RuleInfo { id, title, text, help, severity, hazard, distance, is_strict: false, sources }
    }
}

pub(crate) const BROKEN_BRANCH_SOURCE: &str = "LLVM, FeatureOffset3fBug; Mesa ACO, Offset3fBug";
pub(crate) const LAST_VGPR_SOURCE: &str = "LLVM pull request 224741";

const ERROR: Severity = Severity::Error;
const WARNING: Severity = Severity::Warning;
const HINT: Severity = Severity::Hint;

const OWN: [Own; 25] = [
    Own {
        id: "missing-wait",
        severity: ERROR,
        title: "a wait for a counter is missing",
        text: "A register is used or overwritten before a load has written it, or overwritten while a store still reads it, \
               because no instruction waits until the counter says that the load or store has finished.",
        help: "Insert the wait that the finding names. `lint --fix` inserts it, or makes an existing wait stronger.",
    },
    Own {
        id: "perhaps-missing-wait",
        severity: HINT,
        title: "a wait for a counter is perhaps missing",
        text: "The existing wait is enough only under a condition: that a flat operation accessed the memory whose counter the \
               wait is for, that a vector register is in another bank, that an index chooses a register that was loaded \
               before, or that an image has too few dimensions for its address to include a register that is still being \
               loaded.",
        help: "If a flat operation may access either memory, wait for both of its counters. If an index may choose a \
               register that is still being loaded, or an image's address may include such a register, wait for it.",
    },
    Own {
        id: "perhaps-hazard",
        severity: HINT,
        title: "something is perhaps missing between two instructions",
        text: "Two instructions may be too close by a rule about vector registers. They are if the registers are in one bank, \
               which is not known because paths with different upper bits of register numbers meet here; or if an image has \
               so many dimensions that its address includes the register.",
        help: "Set the upper bits again where the paths meet. If the image has that many dimensions, insert what is missing.",
    },
    Own {
        id: "early-return",
        severity: ERROR,
        title: "a function returns before its loads are done",
        text: "By the calling convention of LLVM, all loads of a function have finished when it returns, and unknown callers rely \
               on that. The check of known callers takes into account which loads the function leaves unfinished.",
        help: "Insert the wait that the finding names before the return.",
    },
    Own {
        id: "T09",
        severity: ERROR,
        title: "the hardware jumps to another address than the branch says",
        text: "On RDNA1, a branch with offset 0x3f jumps to a wrong address.",
        help: "Insert an s_nop after the branch, which makes the offset 0x40. `lint --fix` and `asm` do so.",
    },
    Own {
        id: "kernel-alignment",
        severity: ERROR,
        title: "a kernel begins where no dispatch can start it",
        text: "The address of a kernel must be a multiple of 256 bytes.",
        help: "Put `.p2align 8` before the kernel's label.",
    },
    Own {
        id: "few-user-sgprs",
        severity: ERROR,
        title: "the descriptor counts too few user SGPRs",
        text: "The descriptor of a kernel enables values that take more user SGPRs than it counts.",
        help: "Raise `.amdhsa_user_sgpr_count`, or leave it out: the assembler counts.",
    },
    Own {
        id: "few-vgprs",
        severity: ERROR,
        title: "the descriptor gives too few vector registers",
        text: "The code of a kernel uses vector registers that its descriptor does not give.",
        help: "Raise `.amdhsa_next_free_vgpr`, or `.amdhsa_accum_offset` if the registers are those before the \
               accumulation registers.",
    },
    Own {
        id: "few-sgprs",
        severity: ERROR,
        title: "the descriptor gives too few scalar registers",
        text: "The code of a kernel uses scalar registers that its descriptor does not give.",
        help: "Raise `.amdhsa_next_free_sgpr`.",
    },
    Own {
        id: "few-registers",
        severity: ERROR,
        title: "no descriptor gives the registers that the code uses",
        text: "The code of a kernel uses more registers than a descriptor of this target can give.",
        help: "Use fewer registers.",
    },
    Own {
        id: "last-vgpr",
        severity: HINT,
        title: "the last register that the descriptor gives may be read as two",
        text: "One operation of a dual instruction works on 64 bits, and the other one reads the last vector register that \
               the descriptor gives. A change of LLVM that is not accepted yet gives such a kernel one more register.",
        help: "Raise `.amdhsa_next_free_vgpr` by one, or use another register.",
    },
    Own {
        id: "no-scratch",
        severity: ERROR,
        title: "the descriptor gives no scratch memory",
        text: "The code of a kernel accesses scratch memory, and its descriptor gives none.",
        help: "Set `.amdhsa_private_segment_fixed_size` to the bytes that a lane uses, or `.amdhsa_uses_dynamic_stack`.",
    },
    Own {
        id: "no-instruction",
        severity: WARNING,
        title: "the code continues with bytes that are not an instruction",
        text: "A path through the code leads to bytes that are not an instruction of the target.",
        help: "End the path with s_endpgm or a branch, or check that the code was made for this target.",
    },
    Own {
        id: "leaves-section",
        severity: WARNING,
        title: "the code continues outside of its section",
        text: "A path through the code leads out of the section, where it is not followed.",
        help: "End the path with s_endpgm or a branch.",
    },
    Own {
        id: "not-final",
        severity: WARNING,
        title: "some paths through the code were not followed",
        text: "The code has more paths than the check follows: faults on the others are not found.",
        help: "Split the function.",
    },
    Own {
        id: "lds-after-barrier",
        severity: WARNING,
        title: "data for other waves may not be in LDS at a barrier",
        text: "A wave writes LDS and does not wait for the write before a barrier, and LDS is loaded after the barrier: other waves \
               may load the old data. The check says nothing about copies from memory to LDS if waits count them.",
        help: "Insert the wait that the finding names before the barrier, unless the load is from another part of LDS.",
    },
    Own {
        id: "lds-still-read",
        severity: WARNING,
        title: "LDS is written while a store may still have to read it",
        text: "An asynchronous store may read its data from LDS after later instructions have begun, and no instruction waits for \
               the store before LDS is written again.",
        help: "Insert the wait that the finding names, unless the write is to another part of LDS.",
    },
    Own {
        id: "unreached-code",
        severity: WARNING,
        title: "no known path reaches some code",
        text: "Neither a function, a branch, a known jump nor a pointer in data leads to the code, so it was not checked.",
        help: "Give the code a symbol of type function, or branch to it. Data in a section of code is reported, too.",
    },
    Own {
        id: "split-instruction",
        severity: ERROR,
        title: "a branch leads into the middle of an instruction",
        text: "Two paths read the same bytes as different instructions.",
        help: "Correct the distance of the branch.",
    },
    Own {
        id: "unknown-call",
        severity: HINT,
        title: "the code calls a function that is not known",
        text: "The address of the function is not known; the check assumes that the function waits for everything.",
        help: "Nothing is to be done if the function waits for everything at its end, as LLVM's functions do.",
    },
    Own {
        id: "unknown-jump",
        severity: HINT,
        title: "a jump leads to an address that is not known",
        text: "The address of a jump is not known: the check assumes that the jump is a return, and follows no other path.",
        help: "Nothing is to be done if the jump is a return.",
    },
    Own {
        id: "superfluous-wait",
        severity: HINT,
        title: "a wait waits for nothing",
        text: "On every path to the wait, the counter is already low enough.",
        help: "Remove the wait, unless it orders accesses to memory. `lint --trim` removes waits that nothing needs.",
    },
    Own {
        id: "strong-wait",
        severity: HINT,
        title: "a wait waits for more than is needed",
        text: "The first instruction after the wait that needs the counter would need a weaker wait.",
        help: "Raise the number of the wait. `lint --trim` does so if no later instruction needs the stronger wait.",
    },
    Own {
        id: "superfluous-nop",
        severity: HINT,
        title: "an s_nop is longer than anything needs",
        text: "No instruction after the s_nop needs all of its wait states.",
        help: "Make it shorter, or remove it. `lint --trim` does so.",
    },
    Own {
        id: "unwritten-register",
        severity: HINT,
        title: "an instruction reads a register that nothing wrote",
        text: "No path to the instruction writes the register, and the descriptor of the kernel does not give it.",
        help: "Write the register first, or enable in the descriptor the value that it is to hold.",
    },
];

/// Faults that code for a target can have, and that are not checked.
///
/// ```
/// use amdgpu_isa::Target;
/// use amdgpu_lint::rules::unchecked;
/// assert!(unchecked(Target::Gfx942).any(|fault| fault.id == Some("F20")));
/// assert!(unchecked(Target::Gfx942).all(|fault| fault.id != Some("T11"))); // of gfx1010
/// ```
pub fn unchecked(target: Target) -> impl Iterator<Item = Unchecked> {
    let banks = BANKS.iter().filter(move |_| has_banks(target));
    OF_ALL.iter().chain(banks).map(about).chain(hazards::Unchecked::of(target).map(rule))
}

/// Faults that are not checked, of all targets in this build.
pub fn every_unchecked() -> impl Iterator<Item = Unchecked> {
    let banks = BANKS.iter().filter(|_| Target::ALL.iter().any(|target| has_banks(*target)));
    OF_ALL.iter().chain(banks).map(about).chain(hazards::Unchecked::all().map(rule))
}

const OF_ALL: [&str; 4] = [
    "Whether memory or LDS is stored before it is loaded, except LDS after a barrier: only registers are followed.",
    "The target of a jump or call whose address is not known: the jump is taken to return, the call to wait for everything.",
    "Operations that callers outside of the code left outstanding: functions are taken to begin after a wait for everything.",
    "Whether values are right: the check knows which registers are written, but not with which values.",
];

/// The fault of targets whose numbers of vector registers have upper bits.
const BANKS: [&str; 1] = [
    "Rules that no distance ends, for vector registers whose upper bits are unknown because paths with different ones meet.",
];

fn has_banks(target: Target) -> bool {
    Opcode::has_purpose(target, Purpose::VgprMsb)
}

fn about(what: &&'static str) -> Unchecked {
    Unchecked { id: None, what }
}

fn rule(fault: hazards::Unchecked) -> Unchecked {
    Unchecked { id: Some(fault.id()), what: fault.reason() }
}
