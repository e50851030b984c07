//! Runs the rules over all code of an object, along every edge that the words show.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use amdgpu_isa::hazards::{Hazards, Need};
use amdgpu_isa::{Decoded, Decoder, Inst, Target};
use object::{Object, ObjectSection, ObjectSymbol, SectionKind, SymbolKind};

/// The code objects below a directory.
pub fn objects(root: &Path) -> Vec<PathBuf> {
    let entries = |path: &Path| std::fs::read_dir(path).expect("a directory").map(|e| e.expect("an entry").path());
    let directories = entries(root).filter(|path| path.is_dir());
    let mut all: Vec<PathBuf> = directories.flat_map(|path| entries(&path).collect::<Vec<_>>()).collect();
    all.retain(|path| path.extension().is_some_and(|extension| extension == "co"));
    all.sort();
    all
}

/// The missing distances in an object: offset, instruction, need.
pub fn errors(path: &Path, start: fn(Target) -> Hazards) -> Vec<(u64, Inst, Need)> {
    let data = std::fs::read(path).unwrap();
    let file = object::File::parse(&*data).unwrap();
    let object::FileFlags::Elf { e_flags, .. } = file.flags() else { panic!("no ELF file") };
    let Some(mut target) = Target::from_e_flags(e_flags) else { return Vec::new() };
    if path.to_string_lossy().contains("w64") || path.to_string_lossy().contains("wave64") {
        target = format!("{target}:wave64").parse().unwrap_or(target);
    }
    let mut all = Vec::new();
    for section in file.sections().filter(|section| section.kind() == SectionKind::Text) {
        let code = section.uncompressed_data().unwrap();
        let insts: Vec<(u64, Inst)> = Decoder::new(target, &code)
            .filter_map(|Decoded { offset, inst }| Some((offset as u64, inst.ok()?)))
            .collect();
        let symbols = || file.symbols().filter(|symbol| symbol.section_index() == Some(section.index()));
        let functions = symbols().filter(|symbol| symbol.kind() == SymbolKind::Text);
        // A file without descriptors has only shaders.
        let shaders = !file.symbols().any(|symbol| symbol.name().is_ok_and(|name| name.ends_with(".kd")));
        let is_kernel = |name: &str| {
            let descriptor = format!("{name}.kd");
            shaders || file.symbols().any(|symbol| symbol.name() == Ok(&descriptor))
        };
        let functions: BTreeMap<u64, bool> =
            functions.map(|symbol| (symbol.address() - section.address(), is_kernel(symbol.name().unwrap()))).collect();
        all.extend(of_code(target, &insts, &functions, start));
    }
    all
}

/// The errors in code. `functions`: the beginnings of functions, and whether they are kernels.
fn of_code(
    target: Target,
    insts: &[(u64, Inst)],
    functions: &BTreeMap<u64, bool>,
    start: fn(Target) -> Hazards,
) -> Vec<(u64, Inst, Need)> {
    let at: BTreeMap<u64, usize> = insts.iter().enumerate().map(|(n, (offset, _))| (*offset, n)).collect();
    let branch = |n: usize| insts[n].1.branch_target(insts[n].0).and_then(|to| at.get(&to).copied());
    // The state before each instruction to which a branch leads.
    let mut states: BTreeMap<usize, Hazards> =
        (0..insts.len()).filter_map(|n| Some((branch(n)?, start(target)))).collect();
    let mut errors = Vec::new();
    loop {
        let mut changed = false;
        errors.clear();
        let mut state = start(target);
        for (n, (offset, inst)) in insts.iter().enumerate() {
            match functions.get(offset) {
                Some(true) => state = start(target),
                Some(false) => state = start(target).called(),
                None => {}
            }
            if let Some(joined) = states.get_mut(&n) {
                joined.join(&state);
                state = *joined;
            }
            state.each(inst, |need| errors.push((*offset, *inst, need)));
            state.issue(inst);
            if let Some(to) = branch(n) {
                changed |= states.get_mut(&to).unwrap().join(&state);
            }
            if inst.flags().no_fallthrough() {
                state = start(target);
            }
        }
        if !changed {
            return errors;
        }
    }
}
