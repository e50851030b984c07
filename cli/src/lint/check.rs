//! Checks the functions of a section.

use serde::Serialize;

use amdgpu_lint::mend;

use super::path;
use crate::error::Result;
use crate::isa::flow::{Exit, Flow, State};
use crate::isa::hazards::{Conflict, Hazards, Need, Pending, Unit, Wait};
use crate::isa::{Inst, KernelDescriptor, Reg, RegSet, Target};
use amdgpu_object::{Section, Symbol, SymbolKind};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The code is wrong.
    Error,
    /// It could not be checked whole.
    Warning,
    /// It may be meant so.
    Hint,
}

/// Something that is to be said about an instruction.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    pub severity: Severity,
    /// A name for what is wrong: `missing-wait`, or that of the rule of a hazard.
    pub rule: &'static str,
    pub message: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub image: String,
    pub target: &'static str,
    pub section: String,
    pub function: String,
    pub address: u64,
    pub instruction: String,
    /// The instruction that it depends on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub producer: Option<Place>,
    /// Where blocks begin on a way from the producer to the instruction.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<u64>,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub source: &'static str,
}

#[derive(Clone, Debug, Serialize)]
pub struct Place {
    pub address: u64,
    pub instruction: String,
}

/// What instructions leave behind, of all kinds.
#[derive(Clone)]
struct Before {
    pending: Pending,
    hazards: Hazards,
    /// The registers that something wrote on one of the ways.
    written: RegSet,
}

impl State for Before {
    fn step(&mut self, inst: &Inst, offset: u32) {
        State::step(&mut self.pending, inst, offset);
        State::step(&mut self.hazards, inst, offset);
        self.written |= inst.writes();
    }

    fn join(&mut self, other: &Before) -> bool {
        let known = self.written;
        self.written |= other.written;
        let pending = self.pending.join(&other.pending);
        self.hazards.join(&other.hazards) | pending | (self.written != known)
    }

    fn returned(&mut self) {
        self.pending.returned();
        self.hazards.returned();
        self.written = everything(self.pending.target());
    }
}

/// Every general register, and vcc: those in which a kernel begins with nothing, unless its descriptor says so.
fn everything(target: Target) -> RegSet {
    let (mut codes, mut all) = (RegSet::new(target), RegSet::new(target));
    (0..=u8::MAX).flat_map(|n| [Reg::Sgpr(n), Reg::Vgpr(n), Reg::Agpr(n)]).for_each(|reg| codes.insert(reg));
    // Behind the last scalar register are the codes of others, such as exec.
    let general = codes.iter().filter(|reg| matches!(reg, Reg::Sgpr(_) | Reg::Vgpr(_) | Reg::Agpr(_)));
    general.chain([Reg::Vcc]).for_each(|reg| all.insert(reg));
    all
}

/// Checks every function of a section, and calls `each` with what is to be said. Returns how many there are.
pub fn section(
    image: &str,
    section: &Section<'_>,
    target: Target,
    each: &mut dyn FnMut(Finding) -> std::io::Result<()>,
) -> Result<usize> {
    let mut checked = 0;
    let functions = functions(section);
    flows(section, target, &functions, &mut |flow| {
        checked += flow.entries().len();
        let general = everything(flow.target());
        let check = |groups: &[Vec<usize>]| {
            let mut check = Check { image, section, functions: &functions, general, flow, found: Vec::new() };
            let first = |block| first(flow, &functions, block);
            if !flow.follow_groups(groups, first, |block, before| check.block(block, before)) {
                let message = "some of the ways through the code were not followed".into();
                check.say_at(section.address, Severity::Warning, "not-final", message);
            }
            check.found
        };
        Ok(in_order(&flow.groups(), check, &mut |found| found.into_iter().try_for_each(&mut *each))?)
    })?;
    Ok(checked)
}

/// The kernels and functions of a section.
pub fn functions<'s>(section: &'s Section<'s>) -> Vec<&'s Symbol<'s>> {
    section.symbols.iter().filter(|symbol| symbol.kind != SymbolKind::Other).collect()
}

/// The control flow of a section: of its functions with waves of one size together.
pub fn flows(
    section: &Section<'_>,
    target: Target,
    functions: &[&Symbol<'_>],
    each: &mut dyn FnMut(&Flow<'_>) -> Result<()>,
) -> Result<()> {
    let of = |symbol: &&Symbol<'_>| symbol.lanes.and_then(|lanes| target.with_wave_size(lanes)).unwrap_or(target);
    let mut targets: Vec<Target> = functions.iter().map(of).collect();
    targets.sort_unstable();
    targets.dedup();
    if functions.is_empty() {
        targets.push(target);
    }
    for target in targets {
        let mut entries: Vec<u64> = functions.iter().filter(|f| of(f) == target).map(|f| f.address).collect();
        if functions.is_empty() {
            entries.push(section.address);
        }
        each(&Flow::new(target, section.bytes, section.address, &entries))?;
    }
    Ok(())
}

/// Does work on pieces of a list on all cores, a few pieces at a time so that little is held, and takes the results in the
/// order of the list.
fn in_order<T: Sync, R: Send>(
    list: &[T],
    work: impl Fn(&[T]) -> R + Sync,
    take: &mut dyn FnMut(R) -> std::io::Result<()>,
) -> std::io::Result<()> {
    const PIECES: usize = 8;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let piece = list.len().div_ceil(cores * PIECES).max(64);
    let work = &work;
    let pieces: Vec<&[T]> = list.chunks(piece).collect();
    for together in pieces.chunks(cores) {
        let results: Vec<R> = std::thread::scope(|scope| {
            let (last, others) = together.split_last().expect("a chunk is never empty");
            let started: Vec<_> = others.iter().map(|piece| scope.spawn(move || work(piece))).collect();
            let own = work(last);
            let others = started.into_iter().map(|thread| thread.join().expect("a thread that checks does not panic"));
            let mut all: Vec<R> = others.collect();
            all.push(own);
            all
        });
        results.into_iter().try_for_each(&mut *take)?;
    }
    Ok(())
}

pub struct Check<'a, 'c> {
    image: &'a str,
    pub section: &'a Section<'a>,
    functions: &'a [&'a Symbol<'a>],
    /// Every general register, and vcc.
    pub general: RegSet,
    pub flow: &'a Flow<'c>,
    found: Vec<Finding>,
}

/// The kernel whose first block this is; whether the block may be called.
fn kernel<'s>(flow: &Flow<'_>, functions: &[&'s Symbol<'s>], block: usize) -> (Option<&'s Symbol<'s>>, bool) {
    let address = flow.blocks().get(block).map_or(0, |block| block.start);
    // In the order of their addresses.
    let here = functions.get(functions.partition_point(|symbol| symbol.address < address)..).unwrap_or_default();
    let mut here = here.iter().take_while(|symbol| symbol.address == address);
    let symbol = here.find(|symbol| symbol.kind == SymbolKind::Kernel);
    (symbol.copied(), symbol.is_none() && !functions.is_empty())
}

/// What holds in front of a function.
fn first(flow: &Flow<'_>, functions: &[&Symbol<'_>], block: usize) -> Before {
    let target = flow.target();
    let descriptor = kernel(flow, functions, block).0.and_then(|symbol| symbol.descriptor);
    let written = descriptor.map_or_else(|| everything(target), |descriptor| given(target, &descriptor));
    let (pending, hazards, _) = entry(flow, functions, block, Hazards::new(target));
    Before { pending, hazards, written }
}

/// What instructions may have left behind in front of a function, and whether there are any: it may be called.
pub fn entry(flow: &Flow<'_>, functions: &[&Symbol<'_>], block: usize, hazards: Hazards) -> (Pending, Hazards, bool) {
    let mut pending = Pending::new(flow.target());
    let (_, is_called) = kernel(flow, functions, block);
    if !is_called {
        return (pending, hazards, false);
    }
    // The caller may have left something outstanding. Where nothing has a descriptor, everything is a shader, which nothing
    // calls.
    pending.clear();
    let has_kernels = functions.iter().any(|symbol| symbol.kind == SymbolKind::Kernel);
    (pending, if has_kernels { hazards.called() } else { hazards }, true)
}

impl Check<'_, '_> {
    fn block(&mut self, block: usize, before: &Before) {
        let mut state = before.clone();
        let flow = self.flow;
        if let Some(descriptor) = kernel(flow, self.functions, block).0.and_then(|kernel| kernel.descriptor) {
            self.descriptor(block, &descriptor);
        }
        let insts: Vec<(u64, Inst)> = flow.insts(block).collect();
        for (n, &(address, inst)) in insts.iter().enumerate() {
            for wait in state.pending.needs(&inst).iter() {
                self.missing_wait(address, &inst, &wait);
            }
            for need in state.hazards.needs(&inst).iter() {
                self.hazard(block, address, &inst, &need);
            }
            if inst.is_broken_branch() {
                self.broken_branch(address, &inst);
            }
            if inst.flags().is_wait() {
                self.waits_for_nothing(address, &inst, &state.pending);
                self.waits_for_more(address, &inst, &state.pending, insts.get(n + 1..).unwrap_or_default());
            }
            // Some assemblers put one behind a branch whose offset a generation cannot take.
            if mend::is_nop(&inst) && (n > 0 || flow.predecessors(block).is_empty()) {
                self.superfluous_nop(block, address, &inst, (state.pending, state.hazards));
            }
            self.unwritten(address, &inst, &state.written);
            // What was said once holds from here on.
            inst.operands()
                .filter(|operand| operand.access.reads())
                .for_each(|read| state.written.insert_operand(&read));
            state.step(&inst, flow.offset_of(address));
        }
        if state.pending.is_incomplete() && !before.pending.is_incomplete() {
            let address = flow.blocks().get(block).map_or(0, |block| block.start);
            let message = "more registers wait for results than are followed: waits that are missing may not be found";
            self.say_at(address, Severity::Warning, "not-followed", message.into());
        }
        self.exit(block);
    }

    fn missing_wait(&mut self, address: u64, inst: &Inst, wait: &Wait) {
        let producer = self.section.address.wrapping_add(wait.producer.into());
        let (what, because) = match wait.conflict {
            Conflict::Read => ("reads", "loads"),
            Conflict::Overwrite => ("overwrites", "loads"),
            Conflict::Source => ("overwrites", "still reads"),
            _ => ("needs", "holds"),
        };
        let register = wait.register.map_or("a register".into(), name);
        let Wait { counter, at_most, kind, .. } = wait;
        let mut message = format!(
            "{counter}({at_most}) is not waited for: it {what} {register}, which this {kind} operation {because}"
        );
        if !wait.sure {
            message += "; what is waited for is enough if the addresses of flat operations are known";
        }
        let severity = if wait.sure { Severity::Error } else { Severity::Hint };
        let rule = if wait.sure { "missing-wait" } else { "perhaps-missing-wait" };
        let mut finding = self.finding(address, inst, severity, rule, message);
        finding.producer = self.place(producer);
        finding.path = path::outstanding(self.flow, producer, address);
        finding.source = wait.source;
        self.say(finding);
    }

    fn hazard(&mut self, block: usize, address: u64, inst: &Inst, need: &Need) {
        let missing = match need.rule.unit() {
            Unit::States => format!("{} wait states are missing", need.missing),
            Unit::Valu => format!("{} vector instructions are missing", need.missing),
            _ => "something is missing in between".into(),
        };
        let register = need.register.map_or(String::new(), |register| format!(" ({})", name(register)));
        let ends =
            if need.rule.ends().is_empty() { String::new() } else { format!("; {} ends it, too", need.rule.ends()) };
        let message = format!("{missing}{register}: {}{ends}", need.rule.text());
        let mut finding = self.finding(address, inst, Severity::Error, need.rule.id(), message);
        if let Some((producer, path)) = path::back(self.flow, block, address, &need.producer) {
            finding.producer = self.place(producer);
            finding.path = path;
        }
        finding.source = need.rule.source();
        self.say(finding);
    }

    fn broken_branch(&mut self, address: u64, inst: &Inst) {
        let message = "the hardware goes elsewhere than 63 dwords ahead; an s_nop behind it makes them 64".into();
        let mut finding = self.finding(address, inst, Severity::Error, "T09", message);
        finding.source = "LLVM, FeatureOffset3fBug; Mesa ACO, Offset3fBug";
        self.say(finding);
    }

    fn exit(&mut self, number: usize) {
        let Some(block) = self.flow.blocks().get(number).copied() else { return };
        let last = self.flow.insts(number).last();
        match block.exit {
            Exit::Invalid(error) => {
                let message = format!("the code goes on with bytes that are no instruction: {error}");
                self.say_at(block.end, Severity::Warning, "no-instruction", message);
            }
            Exit::Outside { address } => {
                let message = format!("the code goes on at {address:#x}, outside of the section");
                self.say_at(last.map_or(block.end, |(at, _)| at), Severity::Warning, "leaves-section", message);
            }
            Exit::Call { function: None } => {
                let Some((address, inst)) = last else { return };
                let message = "the function that it calls is not known: it is taken to wait for everything".into();
                let finding = self.finding(address, &inst, Severity::Hint, "unknown-call", message);
                self.say(finding);
            }
            Exit::Indirect { .. } => {
                let Some((address, inst)) = last else { return };
                let message =
                    "where it leads is not known: that it returns is assumed, and any other way is not followed".into();
                let finding = self.finding(address, &inst, Severity::Hint, "unknown-jump", message);
                self.say(finding);
            }
            _ => {}
        }
    }

    pub fn finding(
        &self,
        address: u64,
        inst: &Inst,
        severity: Severity,
        rule: &'static str,
        message: String,
    ) -> Finding {
        Finding {
            severity,
            rule,
            message,
            image: self.image.into(),
            target: self.flow.target().name(),
            section: self.section.name.to_string(),
            function: self.function(address),
            address,
            instruction: inst.to_string(),
            producer: None,
            path: Vec::new(),
            source: "",
        }
    }

    /// Something about an address that has no instruction, or not only about that.
    pub fn say_at(&mut self, address: u64, severity: Severity, rule: &'static str, message: String) {
        let nop = self.place(address).map_or(String::new(), |place| place.instruction);
        let (image, target) = (self.image.to_string(), self.flow.target().name());
        let (section, function) = (self.section.name.to_string(), self.function(address));
        let (producer, path) = (None, Vec::new());
        self.say(Finding {
            severity,
            rule,
            message,
            image,
            target,
            section,
            function,
            address,
            instruction: nop,
            producer,
            path,
            source: "",
        });
    }

    pub fn say(&mut self, finding: Finding) {
        self.found.push(finding);
    }

    /// The name of the function that an address is in, and how far in.
    fn function(&self, address: u64) -> String {
        let behind = self.functions.partition_point(|symbol| symbol.address <= address);
        match behind.checked_sub(1).and_then(|n| self.functions.get(n)) {
            Some(symbol) if symbol.address == address => symbol.name.to_string(),
            Some(symbol) => format!("{}+{:#x}", symbol.name, address - symbol.address),
            None => String::new(),
        }
    }

    fn place(&self, address: u64) -> Option<Place> {
        let bytes = self.section.bytes.get(self.flow.offset_of(address) as usize..)?;
        let inst = crate::isa::decode(self.flow.target(), bytes).ok()?;
        Some(Place { address, instruction: inst.to_string() })
    }
}

/// The registers that a kernel is given, by its descriptor: user SGPRs, those that the system adds, and the VGPRs with the
/// number of the work-item.
fn given(target: Target, descriptor: &KernelDescriptor) -> RegSet {
    let field = |name| descriptor.get(target, name).unwrap_or(0);
    let users = field("user_sgpr_count");
    // The offset of scratch memory, and what a group is told about itself.
    let system = target.directives().iter().filter(|directive| directive.name().starts_with("system_sgpr_"));
    let system: u32 = system.map(|directive| descriptor.bits(directive)).sum();
    let items = field("system_vgpr_workitem_id") + 1;
    let mut given = RegSet::new(target);
    (0..users + system).for_each(|n| given.insert(Reg::Sgpr(n as u8)));
    (0..items).for_each(|n| given.insert(Reg::Vgpr(n as u8)));
    given
}

/// A register as the assembler calls it.
pub fn name(register: Reg) -> String {
    match register {
        Reg::Sgpr(n) => format!("s{n}"),
        Reg::Vgpr(n) => format!("v{n}"),
        Reg::Agpr(n) => format!("a{n}"),
        Reg::Ttmp(n) => format!("ttmp{n}"),
        Reg::Special(special) => special.name().into(),
        other => format!("{other:?}").to_lowercase(),
    }
}
