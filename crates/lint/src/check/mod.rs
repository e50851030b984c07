//! Checks of code: waits and distances that are missing, descriptors that provide too little, and code that may be as
//! intended.
//!
//! [`image`] and [`section`] check whole code objects and sections. A [`Checker`] checks parts of a section, which do
//! not depend on each other, so that they can be checked at the same time.

mod before;
mod descriptor;
mod finding;
mod hints;
mod lds;
mod path;
mod reach;
mod remedy;

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use core::convert::Infallible;

use amdgpu_isa::facts::{Counter, RegSet};
use amdgpu_isa::flow::{Exit, Flow, Following};
use amdgpu_isa::hazards::Next;
use amdgpu_isa::{Access, Inst, Target, VgprMsb, decode};
use amdgpu_object::{Image, Section};

use crate::Settings;
use crate::functions::Functions;
use before::Before;
pub use finding::{Finding, Function, Place, Severity, What, register_name};

/// A search for the path from a producer to the instruction at an address in a block.
type PathSearch = fn(&Flow<'_>, u64, (usize, u64), &mut usize) -> Vec<u64>;

/// The greatest number of findings in one group of functions for which a path through the code is searched.
const MAX_PATHS: usize = 500;
/// The greatest number of instructions and blocks that all searches for paths in one group of functions look at
/// together.
const MAX_STEPS: usize = 500_000;
/// The number of groups of functions that [`section`] checks before it gives their findings to the caller.
const TOGETHER: usize = 64;

/// All findings in the sections of a code object. For each wave size in a section, the findings about functions are in
/// the order of the functions' addresses. The findings about the whole section follow them. `target`: the target for
/// which the code is read; the wave size that a descriptor states replaces the target's own.
///
/// ```
/// use amdgpu_isa::Target;
/// use amdgpu_lint::check::{self, Severity};
/// use amdgpu_object::{Error, Part};
///
/// let file = include_bytes!("../../../../tests/samples/gfx942/saxpy.co");
/// amdgpu_object::visit(file, None, |part| {
///     let Part::Image(image) = part else { return Ok(()) };
///     let found = check::image(&image, Target::Gfx942);
///     assert!(found.iter().all(|finding| finding.severity() == Severity::Hint));
///     Ok::<(), Error>(())
/// })?;
/// # Ok::<(), Error>(())
/// ```
pub fn image<'a>(image: &Image<'a>, target: Target) -> Vec<Finding<'a>> {
    image_with(image, target, Settings::default())
}

/// All findings, as [`image()`] returns them, under these settings.
pub fn image_with<'a>(image: &Image<'a>, target: Target, settings: Settings) -> Vec<Finding<'a>> {
    let mut found = Vec::new();
    for section in &image.sections {
        let all = Checker::in_image(section, image, target).map(|checker| checker.with(settings));
        let Ok(_) = checkers(all, |finding| {
            found.push(finding);
            Ok::<(), Infallible>(())
        });
    }
    found
}

/// Checks the functions of a section, and calls `each` with the findings. Returns the number of functions. A section
/// without functions counts as one function.
///
/// # Errors
/// The error of `each`, which ends the check.
pub fn section<'a, E>(
    section: &Section<'a>,
    target: Target,
    each: impl FnMut(Finding<'a>) -> Result<(), E>,
) -> Result<usize, E> {
    checkers(Checker::of(section, target), each)
}

fn checkers<'s, 'a: 's, E>(
    checkers: impl Iterator<Item = Checker<'s, 'a>>,
    mut each: impl FnMut(Finding<'a>) -> Result<(), E>,
) -> Result<usize, E> {
    let (mut count, checkers): (usize, Vec<_>) = (0, checkers.collect());
    for checker in &checkers {
        count += checker.count();
        for groups in checker.groups().chunks(TOGETHER) {
            checker.check(groups).into_iter().try_for_each(&mut each)?;
        }
    }
    Checker::of_all(&checkers).into_iter().try_for_each(&mut each)?;
    Ok(count)
}

/// A checker of the functions of a section that have waves of the same size.
///
/// ```
/// use amdgpu_isa::Target;
/// use amdgpu_lint::check::Checker;
/// use amdgpu_object::{Name, Section};
///
/// let code = [0xbf8c_0f70u32, 0xbf81_0000].map(u32::to_le_bytes); // s_waitcnt vmcnt(0); s_endpgm
/// let section = Section::new(Name::from(".text"), 0x1000, code.as_flattened());
/// for checker in Checker::of(&section, Target::Gfx942) {
///     let groups = checker.groups();
///     // Each of these could be the work of a thread.
///     let found: Vec<_> = groups.chunks(1).flat_map(|groups| checker.check(groups)).collect();
///     assert_eq!(found[0].to_string(), "hint[superfluous-wait]: 0x1000: it waits for nothing: vmcnt is at most 0 here");
/// }
/// ```
pub struct Checker<'s, 'a> {
    functions: Functions<'s, 'a>,
    flow: Flow<'s>,
    /// All general registers and VCC.
    general: RegSet,
}

impl<'s, 'a> Checker<'s, 'a> {
    /// A checker for each wave size in the section. Nearly all sections have only one wave size.
    pub fn of(section: &'s Section<'a>, target: Target) -> impl Iterator<Item = Checker<'s, 'a>> + use<'s, 'a> {
        Checker::new(Functions::of(section), target)
    }

    /// A checker for each wave size, as [`Checker::of`] returns them, with knowledge of the code object: places in the
    /// code to which data points, and modes.
    pub fn in_image(
        section: &'s Section<'a>,
        image: &'s Image<'a>,
        target: Target,
    ) -> impl Iterator<Item = Checker<'s, 'a>> + use<'s, 'a> {
        Checker::new(Functions::in_image(section, image), target)
    }

    fn new(functions: Functions<'s, 'a>, target: Target) -> impl Iterator<Item = Checker<'s, 'a>> + use<'s, 'a> {
        functions.flows(target).map(move |flow| {
            let general = before::general_registers(flow.target());
            Checker { functions: functions.clone(), flow, general }
        })
    }

    /// The findings about a whole section: code that no known path reaches, and paths into the middle of an
    /// instruction. `checkers`: all checkers of the section.
    pub fn of_all(checkers: &[Checker<'s, 'a>]) -> Vec<Finding<'a>> {
        reach::find(checkers)
    }

    /// This checker with other settings.
    ///
    /// ```
    /// use amdgpu_isa::Target;
    /// use amdgpu_lint::Settings;
    /// use amdgpu_lint::check::Checker;
    /// use amdgpu_object::{Name, Section};
    ///
    /// // v_cmpx_eq_u32_e32 vcc, v0, v1; global_load_dword v2, v0, s[0:1]; s_endpgm
    /// let code = [0x7db4_0300u32, 0xdc50_8000, 0x0200_0000, 0xbf81_0000].map(u32::to_le_bytes);
    /// let section = Section::new(Name::from(".text"), 0x1000, code.as_flattened());
    /// let rules = |strict: bool| -> Vec<&str> {
    ///     let settings = Settings { strict, ..Settings::default() };
    ///     let checkers = Checker::of(&section, Target::Gfx942).map(|checker| checker.with(settings));
    ///     checkers.flat_map(|checker| checker.check(&checker.groups())).map(|finding| finding.rule()).collect()
    /// };
    /// // LLVM has a rule for EXEC before vector memory, and the manual has none.
    /// assert!(!rules(false).contains(&"F02") && rules(true).contains(&"F02"));
    /// ```
    #[must_use]
    pub fn with(self, settings: Settings) -> Self {
        Checker { functions: self.functions.with(settings), ..self }
    }

    /// The number of functions: the entries of the section, and the functions that these call.
    pub fn count(&self) -> usize {
        self.flow.entries().len()
    }

    /// The control flow of the functions.
    pub fn flow(&self) -> &Flow<'s> {
        &self.flow
    }

    /// Groups of functions that share blocks or call each other, in the order of their addresses, each as the numbers
    /// of its blocks. Groups do not depend on each other.
    pub fn groups(&self) -> Vec<Vec<usize>> {
        self.flow.groups()
    }

    /// The findings of some of the groups, in their order.
    pub fn check(&self, groups: &[Vec<usize>]) -> Vec<Finding<'a>> {
        groups.iter().flat_map(|group| self.check_group(group)).collect()
    }

    fn check_group(&self, group: &[usize]) -> Vec<Finding<'a>> {
        let first = |block| Before::function(&self.flow, &self.functions, block, &self.general);
        let counted = lds::counted(group.iter().flat_map(|block| self.flow.insts(*block)).map(|(_, inst)| inst));
        let mut check = Check {
            of: self,
            found: Vec::new(),
            searches_left: MAX_PATHS,
            steps_left: MAX_STEPS,
            banked: BTreeMap::new(),
            barriers: BTreeSet::new(),
            lasts: BTreeSet::new(),
            counted,
        };
        let following = Following::new(&self.flow, group, first);
        let is_final = following.run_once(&mut |block, state: &mut Before<'_>| check.block(block, state));
        let of_blocks = core::mem::take(&mut check.found);
        if !is_final {
            check.say_at(self.section().address, What::NotFinal);
        }
        group.iter().for_each(|block| check.kernel(*block));
        check.found.extend(of_blocks);
        check.found
    }

    fn section(&self) -> &'s Section<'a> {
        self.functions.section()
    }

    fn finding(&self, address: u64, inst: Option<Inst>, what: What) -> Finding<'a> {
        let function = self.functions.at(address);
        Finding {
            what,
            target: self.flow.target(),
            section: self.section().name,
            function: function
                .map(|symbol| Function { name: symbol.name, offset: address.wrapping_sub(symbol.address) }),
            address,
            inst,
            producer: None,
            path: Vec::new(),
            repair: Vec::new(),
            clause: None,
        }
    }

    fn inst(&self, address: u64) -> Option<Inst> {
        let bytes = self.section().bytes.get(self.flow.offset_of(address) as usize..)?;
        decode(self.flow.target(), bytes).ok()
    }

    fn place(&self, address: u64) -> Option<Place> {
        Some(Place { address, inst: self.inst(address)? })
    }
}

/// The check of one group.
struct Check<'k, 's, 'a> {
    of: &'k Checker<'s, 'a>,
    found: Vec<Finding<'a>>,
    /// The number of paths that may still be searched.
    searches_left: usize,
    /// The number of instructions and blocks that searches may still look at.
    steps_left: usize,
    /// The upper bits of vector registers' numbers before each block of the group where they are not 0.
    banked: BTreeMap<usize, VgprMsb>,
    /// The barriers that were reported, each with the offset of a store.
    barriers: BTreeSet<(u64, u32)>,
    /// The last vector registers of kernels that were reported, each with the address of the instruction.
    lasts: BTreeSet<(u64, u16)>,
    /// The counters for which some wait in the group leaves operations outstanding.
    counted: BTreeSet<Counter>,
}

impl<'k, 's, 'a> Check<'k, 's, 'a> {
    /// Checks the descriptor of the kernel that begins with a block, if one does. To be called after all blocks have
    /// been checked.
    fn kernel(&mut self, block: usize) {
        let Some(kernel) = self.of.functions.kernel(self.flow(), block).0 else { return };
        // The second entry of a kernel mostly continues the code of the first one.
        let first = self.flow().block_at(kernel.address).filter(|first| *first != block);
        if first.is_some_and(|first| self.flow().reached(first).contains(&block)) {
            return;
        }
        if let Some(descriptor) = kernel.descriptor {
            self.descriptor(block, &descriptor);
        }
    }

    /// Checks a block, and turns the state before it into the one at its end.
    fn block(&mut self, block: usize, state: &mut Before<'_>) {
        let flow = self.flow();
        let msb = state.now.pending.msb();
        if msb != VgprMsb::ENTRY {
            self.banked.insert(block, msb);
        }
        let returns = self.of.functions.returns_outside(flow, block);
        let insts: Vec<(u64, Inst)> = flow.insts(block).collect();
        for (n, &(address, inst)) in insts.iter().enumerate() {
            let (first, place) = (self.found.len(), (block, address));
            let next = Next::new(&inst, state.now.pending.msb());
            for wait in state.now.pending.needs_next(&next).iter() {
                self.depends(place, inst, What::MissingWait(wait), wait.producer, path::outstanding);
            }
            for need in state.now.hazards.needs_next(&next).iter() {
                self.depends(place, inst, What::Hazard(need), need.place, path::shortest);
            }
            if returns == Some(address) {
                for wait in state.now.pending.own_waits().iter() {
                    self.depends(place, inst, What::EarlyReturn(wait), wait.producer, path::shortest);
                }
            }
            let found = self.found.get_mut(first..).unwrap_or_default();
            remedy::repair(found, &inst, insts.get(..n).unwrap_or_default(), &state.now);
            if inst.is_broken_branch() {
                self.say(address, &inst, What::BrokenBranch);
            }
            self.lds(block, address, &inst, &state.lds);
            self.superfluous(block, address, &next, &state.now);
            self.unwritten(address, &next, &state.now.pending, &state.written);
            // An unwritten register is reported only where it is first read.
            next.insert_into(&mut state.written, Access::reads);
            state.step_next(&next, flow.offset_of(address));
        }
        self.exit(block);
    }

    /// Reports a fault of the instruction at `place` (block and address), which depends on an earlier instruction at
    /// the offset `producer` in the section. `search` is the function that finds the path between the two.
    fn depends(&mut self, place: (usize, u64), inst: Inst, what: What, producer: u32, search: PathSearch) {
        let producer = self.of.section().address.wrapping_add(producer.into());
        let mut finding = self.of.finding(place.1, Some(inst), what);
        finding.producer = self.of.place(producer);
        if self.may_search() {
            finding.path = search(self.flow(), producer, place, &mut self.steps_left);
        }
        self.found.push(finding);
    }

    /// Whether one more path may be searched. If so, counts that path.
    fn may_search(&mut self) -> bool {
        self.searches_left.checked_sub(1).map(|fewer| self.searches_left = fewer).is_some()
    }

    fn exit(&mut self, number: usize) {
        let Some(block) = self.flow().blocks().get(number).copied() else { return };
        let last = self.flow().insts(number).last();
        match (block.exit, last) {
            (Exit::Invalid(error), _) => self.say_at(block.end, What::NoInstruction(error)),
            // The target is known only to the linker, so this is a jump with an unknown target, and not one out of the
            // section.
            (Exit::Outside { address: to }, Some((address, inst))) if self.of.section().is_elsewhere(to) => {
                self.say(address, &inst, What::UnknownJump);
            }
            (Exit::Outside { address: to }, last) => {
                self.say_at(last.map_or(block.end, |(at, _)| at), What::LeavesSection { to });
            }
            (Exit::Call { function: None }, Some((address, inst))) => self.say(address, &inst, What::UnknownCall),
            (Exit::Indirect { .. }, Some((address, inst))) => self.say(address, &inst, What::UnknownJump),
            _ => {}
        }
    }

    fn flow(&self) -> &'k Flow<'s> {
        &self.of.flow
    }

    /// The address where a block begins.
    fn start(&self, block: usize) -> u64 {
        self.flow().blocks().get(block).map_or(0, |block| block.start)
    }

    fn say(&mut self, address: u64, inst: &Inst, what: What) {
        self.found.push(self.of.finding(address, Some(*inst), what));
    }

    /// Adds a finding about an address, at which there may be no instruction.
    fn say_at(&mut self, address: u64, what: What) {
        self.found.push(self.of.finding(address, self.of.inst(address), what));
    }
}
