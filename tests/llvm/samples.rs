//! The code in ELF code objects, as far as this test needs it.

use object::{Object, ObjectSection, ObjectSymbol, SectionKind};
use std::path::{Path, PathBuf};

/// The mask of the low byte of the ELF header's flags.
const EF_AMDGPU_MACH: u32 = 0xff;

/// The field `kernel_code_properties` of a kernel descriptor, and its bit `ENABLE_WAVEFRONT_SIZE32`.
const KD_PROPERTIES: u64 = 56;
const WAVE32: u16 = 1 << 10;

/// An object: its processor, the wave size of its kernels, and its executable sections.
pub struct Code {
    pub path: PathBuf,
    pub mach: u32,
    pub lanes: u16,
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
    let lanes = lanes(&file).ok_or(error(&"no kernels, or waves of different sizes"))?;
    Ok(Code { mach: e_flags & EF_AMDGPU_MACH, lanes, sections, path })
}

/// The wave size of the kernels, if there are kernels and all have the same.
fn lanes(file: &object::File) -> Option<u16> {
    let mut all = Vec::new();
    for symbol in file.dynamic_symbols().filter(|symbol| symbol.name().is_ok_and(|name| name.ends_with(".kd"))) {
        let section = file.section_by_index(symbol.section_index()?).ok()?;
        let field = section.data_range(symbol.address() + KD_PROPERTIES, 2).ok()??;
        let properties = u16::from_le_bytes(field.try_into().ok()?);
        all.push(if properties & WAVE32 == 0 { 64 } else { 32 });
    }
    let first = *all.first()?;
    all.iter().all(|lanes| *lanes == first).then_some(first)
}
