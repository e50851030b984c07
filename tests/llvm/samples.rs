//! The code in ELF code objects, as far as this test needs it.

use object::{Object, ObjectSection, SectionKind};
use std::path::{Path, PathBuf};

/// Low byte of the ELF header's flags.
const EF_AMDGPU_MACH: u32 = 0xff;

/// One object: its processor and its executable sections.
pub struct Code {
    pub path: PathBuf,
    pub mach: u32,
    pub sections: Vec<Vec<u8>>,
}

/// All `.co` files under `tests/samples`.
pub fn load() -> Result<Vec<Code>, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples");
    let mut paths = Vec::new();
    find(&root, &mut paths).map_err(|e| format!("{}: {e}", root.display()))?;
    paths.sort();
    paths.into_iter().map(read).collect()
}

fn find(directory: &Path, paths: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            find(&path, paths)?;
        } else if path.extension().is_some_and(|extension| extension == "co") {
            paths.push(path);
        }
    }
    Ok(())
}

fn read(path: PathBuf) -> Result<Code, String> {
    let error = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
    let bytes = std::fs::read(&path).map_err(|e| error(&e))?;
    let file = object::File::parse(&*bytes).map_err(|e| error(&e))?;
    let object::FileFlags::Elf { e_flags, .. } = file.flags() else { return Err(error(&"no ELF file")) };
    let mut sections = Vec::new();
    for section in file.sections().filter(|section| section.kind() == SectionKind::Text) {
        sections.push(section.data().map_err(|e| error(&e))?.to_vec());
    }
    Ok(Code { mach: e_flags & EF_AMDGPU_MACH, sections, path })
}
