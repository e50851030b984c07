//! Repairs of sections and code objects: all changes that make them clean, or shorter.

use alloc::string::String;
use alloc::vec::Vec;

use amdgpu_isa::Target;
use amdgpu_object::{Image, Part, Section, elf};
use amdgpu_program::Placed;

use crate::edits::Edits;
use crate::functions::Functions;
use crate::jumps::Jumps;
use crate::{Error, Settings, branches, change, plan, trim};

/// The kind of a repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Repair {
    /// Inserts the waits and distances that are missing.
    Fix,
    /// Takes away `s_nop`s and waits, or makes them weaker, where no later instruction needs them.
    Trim,
}

/// The changes of a repair.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Plan {
    /// The changes to the code.
    pub edits: Edits,
    /// The address of a jump or call whose target is not known, and which may lead to code that the changes move;
    /// `None` if there is no such jump.
    pub unknown_jump: Option<u64>,
    /// The name of the section of that jump in an object for a linker, where addresses are offsets in sections.
    pub unknown_section: Option<String>,
}

impl Plan {
    /// The changes, if the target of every jump into code that moves is known.
    ///
    /// # Errors
    /// [`Error::UnknownJump`]: the target of a jump is not known. The changes are nevertheless right if nothing but
    /// branches, relocations, and addresses that code makes relative to itself points into the code. In that case, take
    /// [`Plan::edits`].
    pub fn followed(self) -> Result<Edits, Error> {
        match self.unknown() {
            Some(error) => Err(error),
            None => Ok(self.edits),
        }
    }

    /// The error about the jump whose target is not known, if there is one.
    pub fn unknown(&self) -> Option<Error> {
        let address = self.unknown_jump?;
        Some(Error::UnknownJump { address, section: self.unknown_section.clone() })
    }
}

/// Plans the repair of a code object, or of bare code. `target`: the target for which the code is read; the wave size
/// that a descriptor states replaces its own.
///
/// An object for a linker has no addresses yet: the changes have the addresses that [`Placed`] gives.
///
/// # Errors
/// An object for a linker cannot be laid out.
pub fn image(image: &Image<'_>, target: Target, repair: Repair) -> Result<Plan, Error> {
    image_with(image, target, repair, Settings::default())
}

/// Plans the repair as [`image()`] does, under these settings.
///
/// # Errors
/// An object for a linker cannot be laid out.
pub fn image_with(image: &Image<'_>, target: Target, repair: Repair, settings: Settings) -> Result<Plan, Error> {
    let placed = if elf::is_elf(image.bytes) { Placed::new(image.bytes)? } else { None };
    let Some(placed) = placed else { return Ok(linked(image, target, repair, settings)) };
    let mut plan = Plan::default();
    let visited = amdgpu_object::visit(placed.bytes(), Some(0), |part| {
        if let Part::Image(image) = part {
            plan = linked(&image, target, repair, settings);
        }
        Ok::<(), amdgpu_object::Error>(())
    });
    visited.map_err(|error| amdgpu_program::Error::from(error.kind))?;
    if let Some((section, offset)) = plan.unknown_jump.and_then(|jump| placed.place(jump)) {
        (plan.unknown_jump, plan.unknown_section) = (Some(offset), Some(section));
    }
    Ok(plan)
}

/// Plans the repair of a linked code object, or of bare code.
fn linked(image: &Image<'_>, target: Target, repair: Repair, settings: Settings) -> Plan {
    let functions = image.sections.iter().map(|section| Functions::in_image(section, image).with(settings));
    all(functions, target, repair)
}

/// The code object with the changes of a plan, proved to be the same program except for waits and instructions that do
/// nothing.
///
/// ```
/// use amdgpu_isa::Target;
/// use amdgpu_lint::repair::{self, Repair};
/// use amdgpu_object::Part;
///
/// let file = include_bytes!("../../../tests/samples/gfx942/saxpy.co");
/// amdgpu_object::visit(file, None, |part| {
///     if let Part::Image(image) = part {
///         let edits = repair::image(&image, Target::Gfx942, Repair::Trim).unwrap().followed().unwrap();
///         let shorter = repair::apply(&image, Target::Gfx942, &edits).unwrap();
///         assert!(shorter.len() <= file.len());
///     }
///     Ok::<(), amdgpu_object::Error>(())
/// })?;
/// # Ok::<(), amdgpu_object::Error>(())
/// ```
///
/// # Errors
/// The code cannot be changed, or the result is not proved.
pub fn apply(image: &Image<'_>, target: Target, edits: &Edits) -> Result<Vec<u8>, Error> {
    let placed = if edits.is_empty() { None } else { Placed::new(image.bytes)? };
    let new = match placed {
        Some(placed) => placed.rewrite(target, edits)?,
        None => amdgpu_program::rewrite(image, target, edits)?,
    };
    amdgpu_program::validate(image.bytes, &new, target, change::is_neutral).map_err(Error::NotProved)?;
    Ok(new)
}

/// Plans the repair of a section, whatever its address. A section without functions is taken for one function.
///
/// ```
/// use amdgpu_isa::Target;
/// use amdgpu_lint::repair::{self, Repair};
/// use amdgpu_object::{Name, Section};
///
/// let code = [0xbf8c_0f70u32, 0xbf81_0000].map(u32::to_le_bytes); // s_waitcnt vmcnt(0); s_endpgm
/// let section = Section::new(Name::from(".text"), 0x1000, code.as_flattened());
/// let edits = repair::section(&section, Target::Gfx942, Repair::Trim).followed()?;
/// assert_eq!(edits.counts(), (0, 0, 1));
/// let shorter = edits.apply(Target::Gfx942, section.bytes, section.address)?;
/// assert_eq!(shorter, section.bytes[4..]);
/// # Ok::<(), amdgpu_lint::Error>(())
/// ```
pub fn section(section: &Section<'_>, target: Target, repair: Repair) -> Plan {
    all(core::iter::once(Functions::of(section)), target, repair)
}

fn all<'s, 'a: 's>(sections: impl Iterator<Item = Functions<'s, 'a>>, target: Target, repair: Repair) -> Plan {
    let mut edits = Edits::default();
    let all: Vec<_> = sections.map(|functions| one(functions, target, repair, &mut edits)).collect();
    let first = |(functions, jumps): &(Functions<'_, '_>, Jumps)| jumps.first_unknown(functions, target, &edits);
    let unknown_jump = all.iter().find_map(first).filter(|_| !edits.is_empty());
    Plan { edits, unknown_jump, unknown_section: None }
}

/// Plans the changes of one section.
fn one<'s, 'a>(
    functions: Functions<'s, 'a>,
    target: Target,
    repair: Repair,
    edits: &mut Edits,
) -> (Functions<'s, 'a>, Jumps) {
    let (section, mut jumps) = (functions.section(), Jumps::default());
    for flow in functions.flows(target) {
        // A trim keeps distances about which sources disagree.
        let first = |block| functions.entry(&flow, block, repair == Repair::Trim);
        match repair {
            Repair::Fix => {
                plan::fix(&flow, section.address, &first, &|block| functions.returns_outside(&flow, block), edits)
            }
            Repair::Trim => trim::trim(&flow, section.address, &first, edits),
        }
        branches::repair(&flow, edits);
        jumps.add(&flow, &functions);
    }
    for kernel in functions.kernels() {
        edits.keep(section.address, kernel.address, padding(section, kernel.address));
        edits.keep_second_entry(target, section.address, kernel, |address| padding(section, address));
    }
    (functions, jumps)
}

/// The number of bytes before a kernel that repeat one dword, not counting bytes before the previous symbol.
fn padding(section: &Section<'_>, address: u64) -> u64 {
    let at = usize::try_from(address.wrapping_sub(section.address)).unwrap_or(0);
    let before = section.symbols.iter().rev().find(|symbol| symbol.address < address);
    let room = before.map_or(0, |symbol| address - symbol.address);
    let words = section.bytes.get(..at).unwrap_or(&[]).rchunks_exact(4);
    let same = words.clone().take_while(|word| Some(*word) == words.clone().next()).count();
    // The first of the equal dwords may be the end of the kernel before.
    (same.saturating_sub(1) as u64 * 4).min(room)
}
