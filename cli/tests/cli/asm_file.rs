//! `asm FILE` makes the same objects of a source as LLVM's assembler, and the same code objects as its linker.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use object::read::elf::{ElfFile64, FileHeader as _};
use object::{LittleEndian, Object as _, ObjectComdat as _, ObjectSection as _, ObjectSymbol as _};

use super::run;

/// A directory for a test, which is empty.
pub fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

pub fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/sources")
}

/// The contents of an object: sections, symbols, relocations, header. Two objects of the same source are equal.
#[derive(Debug, PartialEq, Eq)]
pub struct Contents {
    header: (u16, u32, u8, u8),
    /// The sections: name, address, size, flags, size of an entry, contents.
    pub sections: Vec<(String, u64, u64, u64, u64, Vec<u8>)>,
    symbols: BTreeSet<(String, Option<String>, u64, u64, u8, u8)>,
    dynamic: BTreeSet<(String, u64, u64, u8, u8)>,
    relocations: Vec<(String, u64, u32, String, i64)>,
    /// The groups: the name of each, whether other objects may have it, and its sections.
    groups: BTreeSet<(String, bool, Vec<String>)>,
}

pub fn contents(bytes: &[u8]) -> Contents {
    let file = ElfFile64::<LittleEndian>::parse(bytes).unwrap();
    let header = file.elf_header();
    let e = LittleEndian;
    let flags = |symbol: &object::read::elf::ElfSymbol64<'_, '_, LittleEndian>| {
        let raw = symbol.elf_symbol();
        (raw.st_info, raw.st_other)
    };
    // Sections that the linker adds, and sections that only guide it, are left out.
    let is_ours = |name: &str| {
        ![".comment", ".strtab", ".shstrtab", ".symtab", ".llvm_addrsig", ".note.GNU-stack", ".group", ""]
            .contains(&name)
            && !name.starts_with(".AMDGPU.")
            && (!name.starts_with(".rela") || name == ".rela.dyn")
    };
    let (mut sections, mut relocations) = (Vec::new(), Vec::new());
    for section in file.sections() {
        let name = section.name().unwrap().to_string();
        for (offset, relocation) in section.relocations() {
            let object::RelocationFlags::Elf { r_type } = relocation.flags() else { panic!() };
            let object::RelocationTarget::Symbol(index) = relocation.target() else {
                relocations.push((name.clone(), offset, r_type, String::new(), relocation.addend()));
                continue;
            };
            let symbol = file.symbol_by_index(index).unwrap();
            let of = match symbol.section_index() {
                Some(index) if symbol.kind() == object::SymbolKind::Section => {
                    file.section_by_index(index).unwrap().name().unwrap().to_string()
                }
                _ => symbol.name().unwrap().to_string(),
            };
            relocations.push((name.clone(), offset, r_type, of, relocation.addend()));
        }
        // An empty section has no effect, and only one of the assemblers makes it.
        if is_ours(&name) && section.size() > 0 {
            let object::SectionFlags::Elf { sh_flags } = section.flags() else { panic!() };
            let data = section.data().unwrap().to_vec();
            let entry = section.elf_section_header().sh_entsize.get(e);
            sections.push((name, section.address(), section.size(), sh_flags, entry, data));
        }
    }
    sections.sort();
    relocations.sort();
    let named = |symbol: &object::read::elf::ElfSymbol64<'_, '_, LittleEndian>| {
        symbol.kind() != object::SymbolKind::Section && symbol.name() != Ok("_DYNAMIC")
    };
    let symbols = file.symbols().filter(named).map(|symbol| {
        let section = symbol.section_index().map(|i| file.section_by_index(i).unwrap().name().unwrap().to_string());
        let (info, other) = flags(&symbol);
        (symbol.name().unwrap().to_string(), section, symbol.address(), symbol.size(), info, other)
    });
    let dynamic = file.dynamic_symbols().map(|symbol| {
        let (info, other) = flags(&symbol);
        (symbol.name().unwrap().to_string(), symbol.address(), symbol.size(), info, other)
    });
    let groups = file.comdats().map(|group| {
        let name = |index| file.section_by_index(index).unwrap().name().unwrap().to_string();
        let is_comdat = group.kind() == object::ComdatKind::Any;
        (group.name().unwrap().to_string(), is_comdat, group.sections().map(name).collect())
    });
    Contents {
        header: (header.e_type(e), header.e_flags(e), header.e_ident.os_abi, header.e_ident.abi_version),
        sections,
        symbols: symbols.collect(),
        dynamic: dynamic.collect(),
        relocations,
        groups: groups.collect(),
    }
}

/// Two files have to be the same bytes. Their contents are compared first, because they show where a difference is.
pub fn same(ours: &[u8], theirs: &[u8], what: impl std::fmt::Display) {
    assert_eq!(contents(ours), contents(theirs), "{what}");
    assert!(ours == theirs, "{what}: headers, order or tables of names differ");
}

/// Runs a program of LLVM, which has to succeed.
pub fn llvm(program: &str, args: &[&str], directory: &Path) {
    // LLVM hangs on some sources.
    let output = Command::new("timeout").arg("60").arg(program).args(args).current_dir(directory).output();
    let output = output.expect("the program starts");
    assert!(output.status.success(), "{program} {args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Compares the results of LLVM and of `asm` for a source. `lanes`: the wave size, if it is not the default.
pub fn compare(source: &Path, cpu: &str, lanes: Option<u16>, link: bool, work: &Path) {
    let text = |path: &Path| path.to_str().unwrap().to_string();
    let [theirs, ours, their_code, our_code] = ["l.o", "o.o", "l.co", "o.co"].map(|name| text(&work.join(name)));
    let source = text(source);
    // With these features LLVM accepts names of halves of registers.
    let mut features: Vec<String> = lanes.map(|lanes| format!("+wavefrontsize{lanes}")).into_iter().collect();
    features.extend((cpu.starts_with("gfx11") || cpu.starts_with("gfx12")).then(|| "+real-true16".to_string()));
    let (cpu_flag, features) = (format!("-mcpu={cpu}"), format!("-mattr={}", features.join(",")));
    let args = ["-triple=amdgcn-amd-amdhsa", &cpu_flag, &features, "-filetype=obj", &source, "-o", &theirs];
    llvm("llvm-mc-22", &args, &sources());
    let include = text(&sources());
    run(&["asm", "-c", &source, cpu, "-I", &include, "-o", &ours], b"").ok();
    let read = |path: &str| std::fs::read(path).unwrap();
    same(&read(&ours), &read(&theirs), format_args!("{source} for {cpu}"));
    if link {
        llvm("ld.lld-22", &["-shared", &theirs, "-o", &their_code], work);
        run(&["asm", &source, cpu, "-I", &include, "-o", &our_code], b"").ok();
        let first = read(&our_code);
        // The linker adds its name.
        assert_eq!(contents(&first), contents(&read(&their_code)), "{source} for {cpu}, linked");
        run(&["asm", &source, cpu, "-I", &include, "-o", &our_code], b"").ok();
        assert_eq!(first, read(&our_code), "the same bytes each time");
    }
}

/// Processors that LLVM 22 does not know: `tests/newer.rs` compares them with newer versions.
pub const NEWER: [&str; 3] = ["gfx1170", "gfx12-5-generic", "gfx1310"];

const CPUS: [&str; 8] = ["gfx600", "gfx700", "gfx803", "gfx900", "gfx90a", "gfx942", "gfx1030", "gfx1103"];

#[test]
fn what_people_write_becomes_what_llvm_makes() {
    let work = directory("asm-people");
    for cpu in CPUS.into_iter().chain(["gfx1200"]) {
        compare(&sources().join("directives.s"), cpu, None, false, &work);
        let kernel = std::fs::read_to_string(sources().join("kernel.s")).unwrap();
        let has_accumulators = ["gfx90a", "gfx942"].contains(&cpu);
        let directive = if has_accumulators { ".amdhsa_accum_offset 8" } else { "" };
        // The mnemonic of a load depends on the processor.
        let load = if ["gfx1103", "gfx1200"].contains(&cpu) { "s_load_b32" } else { "s_load_dword" };
        let kernel = kernel.replace("// accum_offset", directive).replace("s_load_dword", load);
        let path = work.join("kernel.s");
        std::fs::write(&path, kernel).unwrap();
        compare(&path, cpu, None, true, &work);
    }
}

#[test]
fn the_sources_of_samples_become_what_llvm_makes() {
    let work = directory("asm-samples");
    let mut count = 0;
    for (path, cpu, lanes) in samples().into_iter().filter(|(_, cpu, _)| !NEWER.contains(&cpu.as_str())) {
        let source = work.join("sample.s");
        std::fs::write(&source, run(&["dis", "--asm", path.to_str().unwrap()], b"").ok()).unwrap();
        compare(&source, &cpu, lanes, true, &work);
        count += 1;
    }
    assert!(count > 30, "{count}");
}

/// Compares parts that `contents` leaves out: the linker's own symbol, and the number of local symbols.
#[test]
fn the_table_of_symbols_is_that_of_llvm() {
    let work = directory("asm-symbols");
    let source = work.join("sample.s");
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/samples/gfx942/saxpy.co");
    std::fs::write(&source, run(&["dis", "--asm", sample.to_str().unwrap()], b"").ok()).unwrap();
    let [source, object, theirs, ours] =
        ["sample.s", "their.o", "their.co", "our.co"].map(|name| work.join(name).to_str().unwrap().to_string());
    llvm("llvm-mc-22", &["-triple=amdgcn-amd-amdhsa", "-mcpu=gfx942", "-filetype=obj", &source, "-o", &object], &work);
    llvm("ld.lld-22", &["-shared", &object, "-o", &theirs], &work);
    run(&["asm", &source, "gfx942", "-o", &ours], b"").ok();
    let symbols = |path: &str| {
        let bytes = std::fs::read(path).unwrap();
        let file = ElfFile64::<LittleEndian>::parse(&*bytes).unwrap();
        let symbol = file.symbols().find(|symbol| symbol.name() == Ok("_DYNAMIC")).unwrap();
        let raw = symbol.elf_symbol();
        let table = file.section_by_name(".symtab").unwrap();
        let locals = table.elf_section_header().sh_info.get(LittleEndian);
        (symbol.address(), symbol.size(), raw.st_info, raw.st_other, locals)
    };
    assert_eq!(symbols(&ours), symbols(&theirs));
}

/// The sample code objects, their processors, and the lanes of waves if they are not the default.
pub fn samples() -> Vec<(PathBuf, String, Option<u16>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/samples");
    let mut all = Vec::new();
    for directory in std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        let name = directory.file_name().unwrap().to_str().unwrap().to_string();
        let (cpu, lanes) = match name.strip_suffix("-wave64") {
            Some(cpu) => (cpu.to_string(), Some(64)),
            None => (name, None),
        };
        for file in std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()) {
            if file.extension().is_some_and(|extension| extension == "co") {
                all.push((file, cpu.clone(), lanes));
            }
        }
    }
    all.sort();
    all
}

#[test]
fn every_sample_is_taken_apart_and_put_together() {
    let work = directory("asm-round");
    for (path, ..) in samples() {
        let source = run(&["dis", "--asm", path.to_str().unwrap()], b"").ok();
        let output = work.join("again.co");
        assert!(source.contains("`asm --strip`"), "{path:?}");
        assert!(source.contains("`asm --sorted-names`"), "{path:?}");
        run(&["asm", "--strip", "--sorted-names", "-", "-o", output.to_str().unwrap()], source.as_bytes()).ok();
        same(&std::fs::read(&output).unwrap(), &std::fs::read(&path).unwrap(), path.display());
        // The source has numbers instead of text only for words whose text would lose bits, and these are few.
        let numbers = source.lines().filter(|line| line.starts_with("\t.long") && line.contains("//")).count();
        assert!(numbers * 50 < source.lines().count(), "{path:?}: {numbers} words are numbers");
    }
}

/// Compilers differ in the settings that a processor has: LLVM 24 gives gfx1250 no XNACK, and 0x449 as `e_flags`.
#[test]
fn other_flags_come_back() {
    let work = directory("asm-flags");
    let input = work.join("in.co");
    let samples = samples();
    let (path, ..) = samples.iter().find(|(path, ..)| path.to_str().unwrap().contains("gfx1250")).unwrap();
    let mut file = std::fs::read(path).unwrap();
    assert_eq!(file[48..52], 0x549u32.to_le_bytes());
    file[48..52].copy_from_slice(&0x449u32.to_le_bytes());
    std::fs::write(&input, &file).unwrap();
    let source = run(&["dis", "--asm", input.to_str().unwrap()], b"").ok();
    assert!(source.contains("\t.amdgpu_isa_flags 0x449\n"), "{source}");
    let output = work.join("again.co");
    run(&["asm", "--strip", "--sorted-names", "-", "-o", output.to_str().unwrap()], source.as_bytes()).ok();
    assert!(std::fs::read(&output).unwrap() == file);
    // The flags have to be those of the processor.
    let err = run(&["asm", "-c", "-", "-o", output.to_str().unwrap()], source.replace("0x449", "0x44c").as_bytes()).err;
    assert!(err.contains("these flags are not of the processor that `.amdgcn_target` names"), "{err}");
}

#[test]
fn relocatable_objects_are_taken_apart_and_put_together() {
    let work = directory("asm-round-object");
    let [first, again] = ["first.o", "again.o"].map(|name| work.join(name).to_str().unwrap().to_string());
    let (path, include) = (sources().join("directives.s"), sources());
    for cpu in CPUS {
        run(&["asm", "-c", path.to_str().unwrap(), cpu, "-I", include.to_str().unwrap(), "-o", &first], b"").ok();
        let source = run(&["dis", "--asm", &first], b"").ok();
        // The text of the instruction has the relocation.
        assert!(source.contains("\ts_add_u32 s4, s4, outside@rel32@lo+4\n"), "{source}");
        run(&["asm", "-c", "-", "-o", &again], source.as_bytes()).ok();
        same(&std::fs::read(&again).unwrap(), &std::fs::read(&first).unwrap(), cpu);
    }
}

/// Registers are counted as LLVM's assembler counts them.
#[test]
fn registers_that_are_used_are_counted() {
    let source = "v_mov_b32 v5, s9\n.long .amdgcn.next_free_vgpr\n.set .amdgcn.next_free_vgpr, 0\n\
        s_mov_b64 s[20:21], 0\nv_mov_b32 v2, 0\n.long .amdgcn.next_free_vgpr, .amdgcn.next_free_sgpr\n";
    let hex = run(&["asm", "--hex", "-", "gfx942"], source.as_bytes()).ok();
    assert_eq!(hex, "09020a7e06000000800194be8002047e0300000016000000\n");
}

/// LLVM's assembler puts its own symbols (`.amdgcn.next_free_vgpr` and others) into the table if the source sets them,
/// with their final counts.
#[test]
fn own_symbols_are_in_the_table_if_they_are_set() {
    let work = directory("asm-own-symbols");
    let (source, ours, llvm) = (work.join("a.s"), work.join("ours.o"), work.join("llvm.o"));
    for text in [
        ".set .amdgcn.next_free_vgpr, 0\nv_mov_b32 v9, s9\ns_endpgm\n",
        ".set .amdgcn.next_free_sgpr, 3\n.set .amdgcn.next_free_vgpr, 0\nv_mov_b32 v9, s9\n.long .amdgcn.next_free_sgpr\n",
        "v_mov_b32 v9, s9\n.long .amdgcn.next_free_vgpr, .amdgcn.gfx_generation_number\n",
        ".set x, .amdgcn.next_free_vgpr\nv_mov_b32 v9, s9\n",
    ] {
        std::fs::write(&source, format!(".amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\n{text}")).unwrap();
        run(&["asm", "-c", source.to_str().unwrap(), "-o", ours.to_str().unwrap()], b"").ok();
        let status = Command::new("llvm-mc-22")
            .args(["-triple=amdgcn-amd-amdhsa", "-mcpu=gfx942", "-filetype=obj", "-o"])
            .args([&llvm, &source])
            .status();
        assert!(status.expect("llvm-mc-22 starts").success());
        same(&std::fs::read(&ours).unwrap(), &std::fs::read(&llvm).unwrap(), text);
    }
}

#[test]
fn code_is_printed_as_hex() {
    assert_eq!(
        run(&["asm", "--hex", "-", "gfx942"], b"start: s_branch start\n s_mov_b32 s0, 100").ok(),
        "ffff82bfff0080be64000000\n"
    );
}

#[test]
fn a_symbol_that_is_set_later_is_a_number() {
    // LLVM's assembler makes a relocation for this symbol, which subtracts the place of the instruction.
    assert_eq!(run(&["asm", "--hex", "-", "gfx942"], b"s_mov_b32 s0, later\n.set later, 5").ok(), "ff0080be05000000\n");
}
