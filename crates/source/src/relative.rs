//! Labels for places to which relocations without a symbol lead, or whose addresses code makes relative to itself.
//! References to these labels stay right if the source is edited, or if sections get other addresses.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use amdgpu_isa::facts::AddressStep;
use amdgpu_object::relocation_kinds as kinds;
use amdgpu_program::addresses::{MadeAddress, Part, PartKind};
use object::elf::{SHF_EXECINSTR, SHF_MERGE, STB_LOCAL};

use crate::code::{has_label, walk};
use crate::code_object::{CodeObject, Relocation, Section, added};
use crate::symbols::{Symbol, name};

/// The distance in bytes from an instruction that reads the program counter within which a relocation is taken to
/// belong to this instruction.
const NEAR: u64 = 32;
/// The comment after an instruction that reads the program counter for an unknown purpose.
const UNKNOWN: &str = " // Unknown use of the address of this code: check it after an edit.";
/// The comment after an instruction that reads the program counter to make an address of code, if the code computes
/// with this address.
const COMPUTED: &str = " // The code computes with this address of code: check the results after an edit.";

/// The addresses that the code of a section makes. All keys are offsets in the section.
#[derive(Default)]
pub struct Relative {
    /// The numbers that are added to the program counter, by the offsets of their literals.
    pub places: BTreeMap<u64, Relocation>,
    /// The instructions of this section that need a label, because relocations or addresses lead to them.
    pub goals: BTreeSet<u64>,
    /// Comments on instructions that use the program counter.
    pub notes: BTreeMap<u64, &'static str>,
}

/// The sections, with the instructions and symbols in them, which are found before the source is written.
struct Known<'s, 'a> {
    sections: &'s [Section<'a>],
    /// The index of each section in `sections`, by the number of the section in the file.
    places: HashMap<usize, usize>,
    /// The offsets of the instructions of each section of code.
    starts: HashMap<usize, BTreeSet<u64>>,
    /// The symbols of each section that no other file can replace, in the order of their offsets.
    symbols: HashMap<usize, Vec<(u64, usize)>>,
}

impl<'s, 'a> Known<'s, 'a> {
    fn section(&self, number: usize) -> Option<&'s Section<'a>> {
        self.sections.get(*self.places.get(&number)?)
    }

    /// The last symbol that begins at an offset of a section, or before it.
    fn symbol_before(&self, section: &Section<'_>, offset: u64) -> Option<usize> {
        let symbols = self.symbols.get(&section.index)?;
        let before = symbols.partition_point(|(begin, _)| *begin <= offset).checked_sub(1)?;
        symbols.get(before).map(|(_, n)| *n)
    }

    /// Whether an instruction begins at an offset of a section.
    fn begins(&self, section: &Section<'_>, offset: u64) -> bool {
        self.starts.get(&section.index).is_some_and(|starts| starts.contains(&offset))
    }
}

impl CodeObject<'_> {
    /// Finds the labels that relocations without a symbol need, and the addresses that code makes. An object for a
    /// linker has relocations for these addresses, except for those in the same section, such as the targets of long
    /// branches.
    pub fn find_addresses(&mut self, sections: &[Section<'_>]) {
        let places = sections.iter().enumerate().map(|(place, section)| (section.index, place)).collect();
        let mut known = Known { sections, places, starts: HashMap::new(), symbols: HashMap::new() };
        let is_linked = !self.file.is_object();
        // Only linked files may name symbols here: in an object for a linker, a relocation with a symbol would differ
        // from the relocation without one.
        for section in sections.iter().filter(|_| is_linked) {
            let mut symbols = self.symbols_at(section);
            symbols.retain(|(_, n)| self.is_first(*n) && self.symbols.get(*n).is_some_and(is_own));
            known.symbols.insert(section.index, symbols);
        }
        let (mut made, mut jumps) = (Vec::new(), Vec::new());
        for section in sections.iter().filter(|section| is_code(section)) {
            let symbols = self.symbols_at(section);
            let starts = known.starts.entry(section.index).or_default();
            walk(section, self.target, &self.targets(&symbols), &symbols, |here, inst| {
                starts.insert(here);
                let address = section.address.wrapping_add(here);
                let Some(inst) = inst else { return };
                let next = here.wrapping_add(inst.len() as u64);
                if self.relocations(section)(here, next).is_some() {
                    return;
                }
                if inst.reads_pc(address) {
                    let after = section.bytes.get(next as usize..).unwrap_or(&[]);
                    made.push((section, here, MadeAddress::all(inst, address, after)));
                } else if inst.address_step() == Some(AddressStep::Jump) && !has_label(inst) {
                    jumps.push((section, here, next, inst.branch_target(here)));
                }
            });
        }
        for (section, here, made) in made {
            let after = self.relocations(section)(here, here.saturating_add(NEAR));
            let related = match made {
                Some(all) if is_linked || !all.iter().any(|made| self.has_relocation(section, made)) => {
                    all.iter().try_fold(false, |any, made| {
                        let goes_on = match (made.parts.is_empty(), is_linked) {
                            (true, _) => made.goes_on,
                            (false, true) => self.symbolize(&known, section, made)?,
                            (false, false) => self.measure(&known, section, made)?,
                        };
                        Some(any || goes_on)
                    })
                }
                // A linker fills in the address.
                _ if after.is_some() => continue,
                _ => None,
            };
            let note = match related {
                Some(true) => COMPUTED,
                Some(false) => continue,
                None => UNKNOWN,
            };
            self.relative.entry(section.index).or_default().notes.insert(here, note);
        }
        for (section, here, next, goal) in jumps {
            self.jump(&known, section, (here, next), goal);
        }
        let mut relocations = std::mem::take(&mut self.relocations);
        for relocation in relocations.values_mut().flat_map(BTreeMap::values_mut) {
            if let Some((section, offset)) = relocation.goal {
                relocation.of = match known.section(section) {
                    Some(section) => self.place(&known, section, offset),
                    None => self.section_label(section, offset),
                };
            }
        }
        self.relocations = relocations;
    }

    /// The addresses that the code of a section makes.
    pub fn relative(&self, section: &Section<'_>) -> &Relative {
        static NONE: Relative = Relative { places: BTreeMap::new(), goals: BTreeSet::new(), notes: BTreeMap::new() };
        self.relative.get(&section.index).unwrap_or(&NONE)
    }

    /// Makes the numbers of an address relative to a symbol. Returns whether code computes with an address of code, or
    /// `None` if the address is in no section, or no relocation can write one of the numbers.
    fn symbolize(&mut self, known: &Known<'_, '_>, section: &Section<'_>, made: &MadeAddress) -> Option<bool> {
        let loaded = || known.sections.iter().filter(|section| section.is_loaded());
        let holds = |section: &&Section<'_>| (section.address..section.end()).contains(&made.goal);
        // An address can be the end of a section.
        let there = loaded().find(holds).or_else(|| loaded().find(|section| section.end() == made.goal))?;
        // No relocation can write the negative of a distance, or an inline constant.
        if made.parts.iter().any(|part| matches!(part.kind, PartKind::Less | PartKind::Fixed)) {
            return None;
        }
        let places = made.parts.iter().filter_map(|Part { address, kind, bias }| {
            let kind = match kind {
                PartKind::Low => kinds::REL32_LO,
                PartKind::High => kinds::REL32_HI,
                PartKind::Whole => kinds::REL64,
                PartKind::Sign | PartKind::Less | PartKind::Fixed => return None,
            };
            // The literal is the second dword, and a linker counts from it.
            Some((kind, address.wrapping_add(4), *bias as i32 as u64))
        });
        let (of, distance) = self.symbol_of(known, there, made.goal.wrapping_sub(there.address) as i64);
        let relative = self.relative.entry(section.index).or_default();
        for (kind, place, bias) in places {
            let from = place.wrapping_sub(made.pc).wrapping_sub(bias);
            let of = added(of.clone(), distance.wrapping_add_unsigned(from));
            let relocation = Relocation { is_made: true, ..Relocation::new(kind, of) };
            relative.places.insert(place.wrapping_sub(section.address), relocation);
        }
        Some(made.goes_on && is_code(there))
    }

    /// Whether a linker changes a number that code adds to its own address.
    fn has_relocation(&self, section: &Section<'_>, made: &MadeAddress) -> bool {
        let relocation = self.relocations(section);
        let mut places = made.parts.iter().map(|part| part.address.wrapping_sub(section.address));
        places.any(|place| relocation(place, place.saturating_add(12)).is_some())
    }

    /// Makes the numbers of an address in an object for a linker a distance between labels of the same section. Returns
    /// whether code computes with the address, or `None` if one of the numbers is an inline constant, or no instruction
    /// begins at the address or at the value of the program counter.
    fn measure(&mut self, known: &Known<'_, '_>, section: &Section<'_>, made: &MadeAddress) -> Option<bool> {
        let [goal, pc] = [made.goal, made.pc].map(|address| address.wrapping_sub(section.address));
        let is_fixed = made.parts.iter().any(|part| part.kind == PartKind::Fixed);
        if is_fixed || !known.begins(section, goal) || !known.begins(section, pc) {
            return None;
        }
        let [goal_label, pc_label] = [goal, pc].map(|place| self.label(section, place));
        let distance = format!("{goal_label}-{pc_label}");
        // If the code itself adds `bias` to the lower half, `bias` is subtracted here.
        let lower = |bias: u32| match (made.parts.len(), bias) {
            (1, 0) => distance.clone(),
            (_, 0) => format!("({distance})&0xffffffff"),
            (_, bias) => format!("({distance}-{bias})&0xffffffff"),
        };
        let relative = self.relative.entry(section.index).or_default();
        for Part { address, kind, bias } in &made.parts {
            let (kind, of) = match kind {
                PartKind::Low => (kinds::REL32, lower(*bias)),
                PartKind::Less => (kinds::REL32, format!("({pc_label}-{goal_label}-{bias})&0xffffffff")),
                PartKind::High => (kinds::REL32, format!("({distance})>>32")),
                PartKind::Whole => (kinds::REL32, distance.clone()),
                PartKind::Sign | PartKind::Fixed => continue,
            };
            let relocation = Relocation { is_made: true, ..Relocation::new(kind, of) };
            relative.places.insert(address.wrapping_add(4).wrapping_sub(section.address), relocation);
        }
        relative.goals.extend([goal, pc]);
        Some(made.goes_on)
    }

    /// Replaces the number that a jump adds to the program counter by a distance between labels.
    fn jump(&mut self, known: &Known<'_, '_>, section: &Section<'_>, (here, next): (u64, u64), goal: Option<u64>) {
        let goal = goal.filter(|goal| known.begins(section, *goal) && known.begins(section, next));
        let of = goal.map(|goal| format!("{}-{}", self.label(section, goal), self.label(section, next)));
        let relative = self.relative.entry(section.index).or_default();
        match (goal, of) {
            (Some(goal), Some(of)) => {
                relative.goals.extend([goal, next]);
                let relocation = Relocation { is_made: true, ..Relocation::new(kinds::REL32, of) };
                relative.places.insert(here + 4, relocation);
            }
            _ => {
                relative.notes.insert(here, UNKNOWN);
            }
        }
    }

    /// A place in a section, as a symbol or label with a number that is added.
    fn place(&mut self, known: &Known<'_, '_>, section: &Section<'_>, offset: i64) -> String {
        let (of, distance) = self.symbol_of(known, section, offset);
        added(of, distance)
    }

    /// The label of a section with a number that is added.
    fn section_label(&mut self, section: usize, offset: i64) -> String {
        self.named.insert(section);
        added(format!(".Lsection{section}"), offset)
    }

    /// The symbol or label before an offset of a section, and the distance from there.
    fn symbol_of(&mut self, known: &Known<'_, '_>, section: &Section<'_>, offset: i64) -> (String, i64) {
        let address = section.address.wrapping_add_signed(offset);
        let before = known.symbol_before(section, offset as u64).and_then(|n| self.symbols.get(n));
        let distance = before.map_or(0, |symbol| address.wrapping_sub(symbol.value));
        if let Some(symbol) = before.filter(|symbol| distance == 0 || !is_code(section) && distance < symbol.size) {
            return (name(&symbol.name), distance as i64);
        }
        let offset = offset as u64;
        if known.begins(section, offset) {
            self.relative.entry(section.index).or_default().goals.insert(offset);
            return (self.label(section, offset), 0);
        }
        // In a section of texts that a linker merges, the offset must count from the section and not from a label,
        // because the linker uses it to find the text.
        if section.flags & u64::from(SHF_MERGE) != 0 && section.apart.is_empty() && known.symbols.is_empty() {
            return (name(&section.name), offset as i64);
        }
        self.named.insert(section.index);
        (format!(".Lsection{}", section.index), offset as i64)
    }
}

/// Whether no other file can replace a symbol.
fn is_own(symbol: &Symbol) -> bool {
    symbol.bind == STB_LOCAL || symbol.visibility != 0
}

fn is_code(section: &Section<'_>) -> bool {
    section.flags & u64::from(SHF_EXECINSTR) != 0
}
