//! Host programs with GPU code inside: HIP puts its offload bundles into the section `.hip_fatbin`, clang's newer
//! driver leaves offload binaries in `.llvm.offloading` of object files that are still to be linked.
//! (The section `.hipFatBinSegment` has only pointers into that one, for the runtime.)

use object::{File, Object as _, ObjectSection as _};

use super::{Found, NameBudget, Nesting, Visitor, bundle, visit_bundles, visit_part};
use crate::error::{Error, Result};
use crate::escape;

const SECTIONS: [&[u8]; 2] = [b".hip_fatbin", b".llvm.offloading"];
/// `clang-offload-bundler --type=o` begins the names of its sections with this; the entry's id follows.
const BUNDLED_OBJECT: &[u8] = b"__CLANG_OFFLOAD_BUNDLE__";

pub fn visit(bytes: &[u8], label: &str, nesting: Nesting<'_>, each: &mut Visitor<'_>) -> Result<()> {
    let damaged = |what: &str, e| Error::input(format!("the ELF file is damaged or cut off: {what}: {e}"));
    let file = File::parse(bytes).map_err(|e| damaged("headers", e))?;
    let mut found = false;
    let (mut budget, mut names) = (bytes.len(), NameBudget::of(bytes));
    let mut has_pointers = false;
    for section in file.sections() {
        let Ok(name) = section.name_bytes() else { continue };
        let name = names.spend(name)?;
        has_pointers |= name == b".hipFatBinSegment";
        let bundled = match name.strip_prefix(BUNDLED_OBJECT) {
            None if !SECTIONS.contains(&name) => continue,
            None => None,
            Some(id) => match bundle::entry_id(id) {
                Some(id) if bundle::is_device(id) => Some(id),
                Some(_) => continue,
                None => {
                    return Err(Error::input("the ELF file is damaged: a section of a bundle has no readable name"));
                }
            },
        };
        let name = escape::name(name);
        let data = section.data().map_err(|e| damaged(&format!("section {name}"), e))?;
        budget = budget
            .checked_sub(data.len())
            .ok_or_else(|| Error::input(format!("the ELF file is damaged: section {name} overlaps others")))?;
        if data.iter().all(|&b| b == 0) {
            continue;
        }
        found = true;
        match bundled {
            Some(id) => visit_part(data, id, nesting.deeper(), each),
            None => visit_bundles(data, label, nesting.deeper(), each),
        }
        .map_err(|e| e.within(&format!("section {name}")))?;
    }
    if found {
        return Ok(());
    }
    let reason = if has_pointers {
        "a host program that refers to HIP code objects but does not hold them: `.hip_fatbin` is missing or empty"
    } else {
        "a host program without GPU code: it has neither a section `.hip_fatbin` nor `.llvm.offloading`"
    };
    each(Found::Skipped { label, reason: reason.into() })
}
