//! Host programs with GPU code inside: HIP puts its offload bundles into the section `.hip_fatbin`, and clang's newer
//! driver leaves offload binaries in `.llvm.offloading` of object files that are still to be linked. (The section
//! `.hipFatBinSegment` has only pointers into `.hip_fatbin`, for the runtime.)

use crate::bundle::{self, Id};
use crate::error::{Container, ElfFault, ElfPart, ErrorKind};
use crate::name::shortened;
use crate::nesting::{NameBudget, Nesting};
use crate::{Part, Result, SkipReason, Visitor, bundles, elf, visit_part};

const SECTIONS: [&[u8]; 2] = [b".hip_fatbin", b".llvm.offloading"];

/// Visits the GPU code of a host program. `is_member`: whether the program is a member of an archive. A member without
/// GPU code is not reported, because other members may have some.
pub fn visit(
    file: &elf::File<'_>,
    label: &str,
    is_member: bool,
    nesting: Nesting<'_>,
    each: &mut Visitor<'_>,
) -> Result<()> {
    let (headers, missing) = file.sections();
    let all_names = file.section_names(&headers);
    let mut found = false;
    let (mut budget, mut names) = (file.bytes.len(), NameBudget::of(file.bytes));
    let mut has_pointers = false;
    for section in &headers {
        let Some(name) = elf::text(all_names, section.name) else { continue };
        let name = names.spend(name)?;
        has_pointers |= name == b".hipFatBinSegment";
        // The sections of `clang-offload-bundler --type=o` are named with the magic text and the entry's id.
        let bundled = match name.strip_prefix(bundle::MAGIC) {
            None if !SECTIONS.contains(&name) => continue,
            None => None,
            Some(id) => match bundle::read_id(id) {
                Id::Device(id) => Some(id),
                Id::Host => continue,
                Id::Unknown(shown, reason) => {
                    found = true;
                    each(Part::Skipped { label: &nesting.label(&shown), reason })?;
                    continue;
                }
            },
        };
        let from = usize::try_from(section.offset).unwrap_or(usize::MAX);
        let path = nesting.path(Container::Section(shortened(name)), from);
        let inside = nesting.inside(from, &path);
        let data = file.contents(section);
        if let Some(missing) = data.missing {
            found = true;
            inside.report(ErrorKind::elf(ElfPart::File, missing), each)?;
        }
        let Some(after) = budget.checked_sub(data.bytes.len()) else {
            found = true;
            inside.report(ErrorKind::elf(ElfPart::File, ElfFault::Overlap), each)?;
            continue;
        };
        budget = after;
        if data.bytes.iter().all(|&b| b == 0) {
            continue;
        }
        found = true;
        let result = match bundled {
            Some(id) => visit_part(data.bytes, &nesting.label(id), inside, each),
            None => bundles::visit(data.bytes, label, inside, each),
        };
        inside.contain(result, each)?;
    }
    if let Some(missing) = missing {
        return nesting.report(missing, each);
    }
    if found || is_member {
        return Ok(());
    }
    let reason = if has_pointers { SkipReason::HostWithPointers } else { SkipReason::Host };
    each(Part::Skipped { label, reason })
}
