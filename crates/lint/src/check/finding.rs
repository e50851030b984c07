//! Findings about code.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use amdgpu_isa::facts::Counter;
use amdgpu_isa::hazards::{Conflict, Doubt, Need, Unit, Wait};
use amdgpu_isa::kernel::{DescriptorError, KernelDescriptor};
use amdgpu_isa::{DecodeError, Inst, Reg, Target};
use amdgpu_object::Name;

use crate::rules;

/// A fault, a warning or a hint about an instruction. `Display` writes a line without names of the file:
/// `error[missing-wait]: 0x1008: v0 is used before it is loaded`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Finding<'a> {
    /// The fault, or possible fault. Its `Display` is a message in words.
    pub what: What,
    /// The target, with the wave size of the function.
    pub target: Target,
    /// The name of the section.
    pub section: Name<'a>,
    /// The function that the address is in, if the section has any.
    pub function: Option<Function<'a>>,
    /// The address of the instruction.
    pub address: u64,
    /// The instruction; `None` if the bytes at the address are not an instruction.
    pub inst: Option<Inst>,
    /// The earlier instruction on which this one depends.
    pub producer: Option<Place>,
    /// The addresses of the blocks on a path from the producer to the instruction; empty if both are in one block, or
    /// no path was searched or found.
    pub path: Vec<u64>,
    /// The instructions to insert before this one; empty if none is missing, or none helps.
    pub repair: Vec<Inst>,
    /// The address of the `s_clause` whose clause the instruction is in, if [`repair`](Finding::repair) is not empty:
    /// the clause has to end before inserted instructions, which cannot be in it.
    pub clause: Option<u64>,
}

/// An instruction and its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The address of the instruction.
    pub address: u64,
    /// The instruction at the address.
    pub inst: Inst,
}

/// A place in a function. `Display` writes `name` or `name+0x10`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Function<'a> {
    /// The name of the function, as the file has it.
    pub name: Name<'a>,
    /// The distance from the beginning of the function, in bytes.
    pub offset: u64,
}

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The code is wrong.
    Error,
    /// Some of the code could not be checked, or the code may be wrong.
    Warning,
    /// The code may be as intended.
    Hint,
}

/// The fault of a finding, and its details. `Display` writes a message.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum What {
    /// A wait is missing before the instruction. If the wait is not [sure](Wait::is_sure), this is a hint.
    MissingWait(Wait),
    /// A function returns to unknown callers while one of its own operations still holds a register.
    EarlyReturn(Wait),
    /// The instruction comes too soon after another one. If that is not [sure](Need::is_sure), this is a hint.
    Hazard(Need),
    /// A branch goes over 63 dwords, which RDNA1 does not execute correctly.
    BrokenBranch,
    /// A kernel does not begin at a multiple of [`KernelDescriptor::ENTRY_ALIGN`] bytes.
    KernelAlignment,
    /// The descriptor counts fewer user SGPRs than it enables.
    FewUserSgprs {
        /// The number of user SGPRs that the descriptor counts.
        given: u32,
        /// The number of user SGPRs that the descriptor enables.
        enabled: u32,
    },
    /// The code uses vector registers at and above the accumulation offset, where accumulation registers begin.
    AccumOffset {
        /// The number of the last vector register that the code uses.
        last: u16,
        /// The accumulation offset: the number of the first register that is not a vector register.
        offset: u16,
    },
    /// The code uses more registers than any descriptor can provide.
    FewRegisters(DescriptorError),
    /// The descriptor provides fewer vector registers than the code uses.
    FewVgprs {
        /// The number of vector registers that the code uses.
        used: u16,
        /// The number of vector registers that the descriptor provides.
        given: u16,
    },
    /// The descriptor provides fewer scalar registers than the code uses.
    FewSgprs {
        /// The number of scalar registers that the code uses.
        used: u16,
        /// The number of scalar registers that the descriptor provides.
        given: u16,
    },
    /// A dual instruction (VOPD) reads the last vector register that the descriptor provides in one operation, and the
    /// other operation is on 64 bits: the hardware may then read two registers in both operations.
    LastVgpr {
        /// The last vector register that the descriptor provides.
        register: Reg,
    },
    /// The code accesses scratch memory, and the descriptor provides none.
    NoScratch,
    /// The code continues with bytes that are not an instruction.
    NoInstruction(DecodeError),
    /// The code continues outside of the section.
    LeavesSection {
        /// The address where the code continues.
        to: u64,
    },
    /// Code that no known path reaches was not checked.
    Unreached {
        /// The size of the code in bytes, without padding between functions.
        bytes: u64,
        /// The parts of the code: the address of the first byte of each, and the address after its last byte.
        parts: Vec<(u64, u64)>,
    },
    /// A path leads into the middle of an instruction that another path executes.
    SplitInstruction {
        /// The address of that instruction.
        whole: u64,
        /// The address in the middle of the instruction to which the path leads.
        part: u64,
    },
    /// LDS is loaded after a barrier, and no wait before the barrier makes sure that the wave's own writes to LDS are
    /// done.
    LdsAfterBarrier {
        /// The counter of the writes.
        counter: Counter,
        /// The greatest value of the counter at which the writes are done.
        at_most: u8,
        /// The address of an instruction that loads from LDS after the barrier.
        load: u64,
    },
    /// LDS is written while an operation that copies from LDS to memory may still have to read it.
    LdsStillRead {
        /// The counter of the operation.
        counter: Counter,
        /// The greatest value of the counter at which the operation is done.
        at_most: u8,
    },
    /// Some of the paths through the code were not followed.
    NotFinal,
    /// A call whose target is not known.
    UnknownCall,
    /// A jump whose target is not known.
    UnknownJump,
    /// A wait for a counter that is low enough already.
    SuperfluousWait {
        /// The counter for which the code waits.
        counter: Counter,
        /// The greatest value that the counter can have here.
        most: u8,
    },
    /// The code waits until fewer operations are left than the first instruction that depends on the wait requires.
    StrongWait {
        /// The counter for which the code waits.
        counter: Counter,
        /// The greatest value to wait for that is sufficient.
        enough: u8,
        /// The address of the instruction that needs the wait.
        needed_at: u64,
    },
    /// An `s_nop` that is longer than any instruction needs.
    SuperfluousNop {
        /// The operand of an `s_nop` that is long enough; `None` if none is needed.
        enough: Option<u32>,
    },
    /// The instruction reads registers that nothing wrote.
    UnwrittenRegister(Vec<Reg>),
}

impl What {
    /// The severity of the fault, as [`rules::severity`] gives it.
    pub fn severity(&self) -> Severity {
        let hazard = if let What::Hazard(Need { rule, doubt: None, .. }) = self { Some(*rule) } else { None };
        rules::severity(self.rule(), hazard)
    }

    /// The name of the rule, such as `missing-wait`, or `F01` for a hazard that is sure.
    pub fn rule(&self) -> &'static str {
        match self {
            What::MissingWait(wait) if wait.is_sure() => "missing-wait",
            What::MissingWait(_) => "perhaps-missing-wait",
            What::EarlyReturn(_) => "early-return",
            What::Hazard(need) if need.is_sure() => need.rule.id(),
            What::Hazard(_) => "perhaps-hazard",
            What::BrokenBranch => "T09",
            What::KernelAlignment => "kernel-alignment",
            What::FewUserSgprs { .. } => "few-user-sgprs",
            What::AccumOffset { .. } | What::FewVgprs { .. } => "few-vgprs",
            What::FewRegisters(_) => "few-registers",
            What::FewSgprs { .. } => "few-sgprs",
            What::LastVgpr { .. } => "last-vgpr",
            What::NoScratch => "no-scratch",
            What::NoInstruction(_) => "no-instruction",
            What::LeavesSection { .. } => "leaves-section",
            What::Unreached { .. } => "unreached-code",
            What::SplitInstruction { .. } => "split-instruction",
            What::LdsAfterBarrier { .. } => "lds-after-barrier",
            What::LdsStillRead { .. } => "lds-still-read",
            What::NotFinal => "not-final",
            What::UnknownCall => "unknown-call",
            What::UnknownJump => "unknown-jump",
            What::SuperfluousWait { .. } => "superfluous-wait",
            What::StrongWait { .. } => "strong-wait",
            What::SuperfluousNop { .. } => "superfluous-nop",
            What::UnwrittenRegister(_) => "unwritten-register",
        }
    }

    /// The source of the rule; empty if none is stated.
    pub fn source(&self) -> &'static str {
        match self {
            What::MissingWait(wait) | What::EarlyReturn(wait) => wait.source,
            What::Hazard(need) => need.rule.source(),
            What::BrokenBranch => rules::BROKEN_BRANCH_SOURCE,
            What::LastVgpr { .. } => rules::LAST_VGPR_SOURCE,
            _ => "",
        }
    }

    /// The register that the fault is about; the first one, if there are several.
    ///
    /// ```
    /// use amdgpu_isa::Reg;
    /// use amdgpu_lint::check::What;
    /// assert_eq!(What::UnwrittenRegister(vec![Reg::Sgpr(4), Reg::Sgpr(5)]).register(), Some(Reg::Sgpr(4)));
    /// assert_eq!(What::UnknownJump.register(), None);
    /// ```
    pub fn register(&self) -> Option<Reg> {
        match self {
            What::MissingWait(wait) | What::EarlyReturn(wait) => wait.register,
            What::Hazard(need) => need.register,
            What::LastVgpr { register } => Some(*register),
            What::UnwrittenRegister(registers) => registers.first().copied(),
            _ => None,
        }
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            What::MissingWait(wait) => missing_wait(wait, f),
            What::EarlyReturn(wait) => early_return(wait, f),
            What::Hazard(need) => hazard(need, f),
            What::BrokenBranch => f.write_str(
                "a branch with offset 0x3f jumps to a wrong address; an s_nop after it makes the offset 0x40",
            ),
            What::KernelAlignment => {
                write!(f, "a kernel begins at a multiple of {} bytes", KernelDescriptor::ENTRY_ALIGN)
            }
            What::FewUserSgprs { given, enabled } => {
                write!(f, "the descriptor counts {given} user SGPRs, but enables values that take {enabled}")
            }
            What::AccumOffset { last, offset } => {
                write!(f, "it uses v{last}, but accumulation registers begin at {offset}")
            }
            What::FewRegisters(why) => write!(f, "no descriptor gives what it uses: {why}"),
            What::FewVgprs { used, given } => {
                write!(f, "it uses {used} vector registers, and the descriptor gives {given}")
            }
            What::FewSgprs { used, given } => {
                write!(f, "it uses {used} scalar registers, and the descriptor gives {given}")
            }
            What::LastVgpr { register } => write!(
                f,
                "{} is the last register that the descriptor gives, but beside an operation on 64 bits the hardware may read two",
                register_name(*register)
            ),
            What::NoScratch => f.write_str("it accesses scratch memory, and the descriptor gives none"),
            What::NoInstruction(error) => {
                write!(f, "the code continues with bytes that are not an instruction: {error}")
            }
            What::Unreached { bytes, parts } => unreached(*bytes, parts, f),
            What::SplitInstruction { whole, part } => {
                write!(f, "it leads to {part:#x}, into the middle of the instruction at {whole:#x}")
            }
            What::LeavesSection { to } => write!(f, "the code continues at {to:#x}, outside of the section"),
            What::LdsAfterBarrier { load, .. } => write!(
                f,
                "writes of the wave to LDS may be done only after the barrier, and LDS is loaded there, at {load:#x}"
            ),
            What::LdsStillRead { .. } => {
                f.write_str("LDS is written while a store from there may still have to read it")
            }
            What::NotFinal => f.write_str("some paths through the code were not followed"),
            What::UnknownCall => f.write_str(
                "the function that it calls is not known: the check assumes that the function waits for everything",
            ),
            What::UnknownJump => {
                f.write_str("its target is not known: the check assumes that it returns, and follows no other path")
            }
            What::SuperfluousWait { counter, most } => {
                write!(f, "it waits for nothing: {counter} is at most {most} here")
            }
            What::StrongWait { counter, enough, needed_at } => {
                write!(f, "it waits for more than is needed: {counter}({enough}) is enough for {needed_at:#x}")
            }
            What::SuperfluousNop { enough: Some(states) } => {
                write!(f, "it is longer than anything needs: s_nop {states} is enough")
            }
            What::SuperfluousNop { enough: None } => f.write_str("nothing needs the wait states"),
            What::UnwrittenRegister(registers) => unwritten(registers, f),
        }
    }
}

/// The number of parts of unreached code that a message names.
const PARTS: usize = 8;

fn unreached(bytes: u64, parts: &[(u64, u64)], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "no known path reaches {bytes} bytes of code, which were not checked: ")?;
    for (n, (start, end)) in parts.iter().take(PARTS).enumerate() {
        write!(f, "{}{start:#x} to {end:#x}", if n > 0 { ", " } else { "" })?;
    }
    match parts.len().saturating_sub(PARTS) {
        0 => Ok(()),
        more => write!(f, ", and {more} more"),
    }
}

/// Writes the name of the register that the wait is for.
fn held(wait: &Wait, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match wait.register {
        Some(register) => write!(f, "{}", register_name(register)),
        None => f.write_str("a register"),
    }
}

fn missing_wait(wait: &Wait, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    held(wait, f)?;
    f.write_str(if wait.is_sure() { " is " } else { " is perhaps " })?;
    match (wait.conflict, wait.kind) {
        (Conflict::Read, _) => f.write_str("used before it is loaded")?,
        (Conflict::Overwrite, _) => f.write_str("overwritten before its load is done")?,
        (Conflict::Source, "vmem") => f.write_str("overwritten while a store still reads it")?,
        (Conflict::Source, "export" | "parameter" | "position" | "primitive" | "blend") => {
            f.write_str("overwritten while an export still reads it")?;
        }
        (Conflict::Source, kind) => write!(f, "overwritten while a {kind} operation still reads it")?,
        (_, kind) => write!(f, "used before a {kind} operation is done")?,
    }
    wait.doubt.map_or(Ok(()), |doubt| write!(f, ": {}", reason(doubt)))
}

/// The reason why a finding is a hint only.
fn reason(doubt: Doubt) -> &'static str {
    match doubt {
        Doubt::Index => "an index, which is not known, decides which register it is",
        Doubt::Bank => "the upper bits of the register's number are not known here",
        Doubt::Dimensions => "the image's resource, which is not known, decides how many registers the address has",
        _ => "the wait before it is enough only if the addresses of flat operations are known",
    }
}

fn early_return(wait: &Wait, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str("the function returns before ")?;
    held(wait, f)?;
    f.write_str(match wait.conflict {
        Conflict::Source => " may be overwritten",
        _ => " is loaded",
    })?;
    f.write_str(", and callers outside of this code do not wait for that")
}

fn hazard(need: &Need, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let (n, producer) = (need.missing, need.producer.mnemonic());
    let missing = match (n, need.is_sure()) {
        (1, true) => " is missing",
        (1, false) => " is perhaps missing",
        (_, true) => "s are missing",
        (_, false) => "s are perhaps missing",
    };
    match need.rule.unit() {
        Unit::States => write!(f, "{n} wait state{missing} after {producer}")?,
        Unit::Valu => write!(f, "{n} vector instruction{missing} after {producer}")?,
        _ => write!(f, "it comes too soon after {producer}")?,
    }
    if let Some(register) = need.register {
        write!(f, " ({})", register_name(register))?;
    }
    match need.doubt {
        None => {}
        Some(Doubt::Dimensions) => write!(f, ", by {} if the image has enough dimensions", need.rule.id())?,
        Some(_) => write!(f, ", by {} if the registers are in one bank", need.rule.id())?,
    }
    write!(f, ": {}", need.rule.text().trim_end_matches('.'))
}

fn unwritten(registers: &[Reg], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str("it reads ")?;
    for (n, register) in registers.iter().enumerate() {
        write!(f, "{}{}", if n > 0 { ", " } else { "" }, register_name(*register))?;
    }
    f.write_str(", which nothing wrote")
}

/// A register as the assembler calls it: `v0`, `vcc_lo`. The `Display` of the result writes it.
///
/// ```
/// use amdgpu_isa::Reg;
/// assert_eq!(amdgpu_lint::check::register_name(Reg::Agpr(3)).to_string(), "a3");
/// ```
pub fn register_name(register: Reg) -> impl fmt::Display {
    RegisterName(register)
}

struct RegisterName(Reg);

impl fmt::Display for RegisterName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Reg::Sgpr(n) => write!(f, "s{n}"),
            Reg::Vgpr(n) => write!(f, "v{n}"),
            Reg::Agpr(n) => write!(f, "a{n}"),
            Reg::Ttmp(n) => write!(f, "ttmp{n}"),
            Reg::Special(special) => f.write_str(special.name()),
            other => f.write_str(&format!("{other:?}").to_lowercase()),
        }
    }
}

impl Finding<'_> {
    /// The severity of the finding.
    pub fn severity(&self) -> Severity {
        self.what.severity()
    }

    /// The name of the rule, such as `missing-wait`, or `F01` for a hazard that is sure.
    pub fn rule(&self) -> &'static str {
        self.what.rule()
    }

    /// The source of the rule; empty if none is stated.
    pub fn source(&self) -> &'static str {
        self.what.source()
    }

    /// Advice, such as `insert s_waitcnt vmcnt(0) before 0x1008`; `None` if there are no instructions to insert.
    pub fn advice(&self) -> Option<String> {
        let mut groups = self.repair.chunk_by(|one, next| one == next).map(|same| match same {
            [one] => one.to_string(),
            several => format!("{} {}", several.len(), several.first().map_or(String::new(), Inst::to_string)),
        });
        let first = groups.next()?;
        let all = groups.fold(first, |all, one| format!("{all}; {one}"));
        let end = self.clause.map_or(String::new(), |at| format!(", and end the clause of {at:#x} there"));
        Some(format!("insert {all} before {:#x}{end}", self.address))
    }
}

impl fmt::Display for Finding<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]: {:#x}: {}", self.severity(), self.rule(), self.address, self.what)
    }
}

impl fmt::Display for Function<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.offset {
            0 => write!(f, "{}", self.name),
            offset => write!(f, "{}+{offset:#x}", self.name),
        }
    }
}

impl Severity {
    /// The name of the severity in lower case: `error`, `warning`, `hint`.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Hint => "hint",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
