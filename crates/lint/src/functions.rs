//! The functions of a section: its kernels, and code that may be called.

use alloc::vec;
use alloc::vec::Vec;

use amdgpu_isa::Target;
use amdgpu_isa::facts::Counter;
use amdgpu_isa::flow::Flow;
use amdgpu_isa::hazards::Modes;
use amdgpu_object::{Image, Section, Symbol, SymbolKind, TargetId};
use amdgpu_program::second_entry;

use crate::Settings;
use crate::edits::{Hazards, MachineState, Pending};

/// The modes that a code object states, or else those of `settings`. A code object that leaves the setting of XNACK
/// open has to work with both settings.
fn modes(image: &Image<'_>, settings: Settings) -> Modes {
    let said = image.target.as_ref().and_then(|target| target.feature(TargetId::XNACK));
    // Bare code has no header that states a mode.
    let has_header = image.sections.first().and_then(|section| image.offset_of(section)) != Some(0);
    let unsaid = settings.xnack.or(if has_header { None } else { Some(false) });
    Modes { xnack: said.or(unsaid), expert: settings.expert }
}

/// The kernels and functions of a section, in the order of their addresses.
#[derive(Clone)]
pub struct Functions<'s, 'a> {
    section: &'s Section<'a>,
    symbols: Vec<&'s Symbol<'a>>,
    /// Addresses in the code to which data points.
    pointees: Vec<u64>,
    image: Option<&'s Image<'a>>,
    /// Whether the code object has a kernel, perhaps in another section, or is for a runtime without shaders. Otherwise
    /// all code may be shaders and their parts.
    has_callers: bool,
    strict: bool,
    modes: Modes,
}

impl<'s, 'a> Functions<'s, 'a> {
    pub fn of(section: &'s Section<'a>) -> Self {
        let symbols = section.symbols.iter().filter(|symbol| symbol.kind != SymbolKind::Other).collect();
        let has_callers = section.symbols.iter().any(|symbol| symbol.kind == SymbolKind::Kernel);
        let (pointees, modes) = (Vec::new(), Modes::NEITHER);
        Functions { section, symbols, pointees, image: None, has_callers, strict: false, modes }
    }

    /// The functions of a section, with knowledge of the code object: places in the code to which data points, and
    /// modes.
    pub fn in_image(section: &'s Section<'a>, image: &'s Image<'a>) -> Self {
        let own = section.address..section.address.saturating_add(section.bytes.len() as u64);
        let pointees = image.addresses.pointees(own).to_vec();
        let has_callers = image.has_kernels || image.is_hsa;
        Functions { pointees, image: Some(image), has_callers, ..Functions::of(section) }.with(Settings::default())
    }

    /// These functions, to be checked under other settings.
    pub fn with(self, settings: Settings) -> Self {
        let Settings { strict, xnack, expert } = settings;
        let bare = || Modes { xnack: xnack.or(Modes::NEITHER.xnack), expert };
        Functions { strict, modes: self.image.map_or_else(bare, |image| modes(image, settings)), ..self }
    }

    pub fn section(&self) -> &'s Section<'a> {
        self.section
    }

    pub fn iter(&self) -> impl Iterator<Item = &'s Symbol<'a>> {
        self.symbols.iter().copied()
    }

    pub fn kernels(&self) -> impl Iterator<Item = &'s Symbol<'a>> {
        self.iter().filter(|symbol| symbol.kind == SymbolKind::Kernel)
    }

    /// The control flows of the section: one for each wave size of its functions.
    pub fn flows(&self, target: Target) -> impl Iterator<Item = Flow<'s>> + use<'s, 'a> {
        let of = move |symbol: &Symbol<'_>| symbol.lanes.and_then(|lanes| target.with_wave_size(lanes));
        let functions: Vec<(Target, u64)> = self
            .iter()
            .flat_map(|symbol| {
                let target = of(symbol).unwrap_or(target);
                let second = self.second_entry(target, symbol);
                [Some(symbol.address), second].into_iter().flatten().map(move |address| (target, address))
            })
            .collect();
        let mut targets: Vec<Target> = functions.iter().map(|(target, _)| *target).collect();
        targets.sort_unstable();
        targets.dedup();
        if functions.is_empty() {
            targets.push(target);
        }
        let (bytes, address) = (self.section.code(), self.section.address);
        let pointees = self.pointees.clone();
        targets.into_iter().map(move |target| {
            let own = functions.iter().filter(|(of, _)| *of == target).map(|(_, address)| *address);
            let mut entries: Vec<u64> = if functions.is_empty() { vec![address] } else { own.collect() };
            entries.extend_from_slice(&pointees);
            Flow::new(target, bytes, address, &entries)
        })
    }

    /// The address of a kernel's second entry, if the kernel has one in the section. Hardware that has read the
    /// arguments into registers begins there.
    fn second_entry(&self, target: Target, symbol: &Symbol<'_>) -> Option<u64> {
        let distance = symbol.descriptor.and_then(|descriptor| second_entry(target, &descriptor))?;
        let end = self.section.address.saturating_add(self.section.bytes.len() as u64);
        symbol.address.checked_add(distance).filter(|address| *address < end)
    }

    /// The kernel that begins with a block, at its label or at its second entry, if one does, and whether the block may
    /// be called.
    pub fn kernel(&self, flow: &Flow<'_>, block: usize) -> (Option<&'s Symbol<'a>>, bool) {
        let address = flow.blocks().get(block).map_or(0, |block| block.start);
        let first = self.symbols.partition_point(|symbol| symbol.address < address);
        let mut here = self.iter().skip(first).take_while(|symbol| symbol.address == address);
        let is_second = |symbol: &&Symbol<'_>| self.second_entry(flow.target(), symbol) == Some(address);
        let second = || {
            let distance = flow.target().second_entry()?;
            let from = address.checked_sub(distance)?;
            let first = self.symbols.partition_point(|symbol| symbol.address < from);
            self.iter().skip(first).take_while(|symbol| symbol.address == from).find(is_second)
        };
        let symbol = here.find(|symbol| symbol.kind == SymbolKind::Kernel).or_else(second);
        (symbol, symbol.is_none() && !self.symbols.is_empty())
    }

    /// The state before the first instruction of a kernel, or of a function that unknown callers may call. `strict`:
    /// whether distances that one source demands and another denies count even if the settings are not strict.
    pub fn entry(&self, flow: &Flow<'_>, block: usize, strict: bool) -> MachineState {
        let (mut pending, mut hazards) = (Pending::unbounded(flow.target()), Hazards::unbounded(flow.target()));
        let (_, is_called) = self.kernel(flow, block);
        if is_called {
            // The caller may have left operations outstanding. Shaders have no callers.
            pending.clear();
            if self.has_callers {
                hazards = hazards.called();
            }
        }
        hazards = hazards.with(self.modes);
        if self.kernel(flow, block).0.is_some() {
            hazards = hazards.kernel();
        }
        if strict || self.strict {
            hazards = hazards.strictly();
        }
        MachineState { pending, hazards, memory: [is_called; Counter::ALL.len()] }
    }

    /// The address of the return at the end of a block, if no code in this section calls the function of the block: the
    /// return leads to unknown callers. `None` if all code may be parts of shaders.
    pub fn returns_outside(&self, flow: &Flow<'_>, block: usize) -> Option<u64> {
        if !flow.returns(block) || !flow.return_sites(block).is_empty() || !self.has_callers {
            return None;
        }
        let (address, _) = flow.insts(block).last()?;
        self.at(address).filter(|symbol| symbol.kind == SymbolKind::Function).map(|_| address)
    }

    /// The function that an address is in: the last one that begins there or before.
    pub fn at(&self, address: u64) -> Option<&'s Symbol<'a>> {
        let after = self.symbols.partition_point(|symbol| symbol.address <= address);
        after.checked_sub(1).and_then(|last| self.symbols.get(last)).copied()
    }
}
