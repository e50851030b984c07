//! Files of compilers and linkers: groups, tables for debuggers, several sections of code, stripped files. They are
//! taken apart and put together again, and compared with the results of LLVM's assembler and linker.

use std::path::Path;
use std::process::Command;

use amdgpu_object::elf::{SHT_RELA, SHT_SYMTAB, SHT_SYMTAB_SHNDX, Section};

use super::asm_file::{Contents, NEWER, compare, contents, directory, llvm, same, samples, sources};
use super::run;

const CPUS: [&str; 9] = ["gfx600", "gfx700", "gfx803", "gfx900", "gfx90a", "gfx942", "gfx1030", "gfx1103", "gfx1200"];

fn bytes_of(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap()
}

fn read(path: &Path) -> Contents {
    contents(&bytes_of(path))
}

/// Takes a file apart and puts it together again. Returns the new file.
fn again(path: &Path, options: &[&str]) -> Vec<u8> {
    let source = run(&["dis", "--asm", path.to_str().unwrap()], b"").ok();
    let output = path.with_extension("again");
    let strip = source.contains("`asm --strip`").then_some("--strip");
    let sorted = source.contains("`asm --sorted-names`").then_some("--sorted-names");
    let args = [&["asm", "-", "-o", output.to_str().unwrap()], options].concat();
    run(&args.into_iter().chain(strip).chain(sorted).collect::<Vec<_>>(), source.as_bytes()).ok();
    std::fs::read(output).unwrap()
}

/// Takes apart and puts together the objects and code objects that LLVM makes of a source: an object for a linker, a
/// code object for a loader, and the latter without symbol tables.
fn round(source: &Path, triple: &str, cpu: &str, work: &Path) {
    let [object, linked, stripped] = ["r.o", "r.co", "r.stripped"].map(|name| work.join(name));
    let text = |path: &Path| path.to_str().unwrap().to_string();
    let (cpu_flag, triple_flag) = (format!("-mcpu={cpu}"), format!("-triple={triple}"));
    llvm("llvm-mc-22", &[&triple_flag, &cpu_flag, "-filetype=obj", &text(source), "-o", &text(&object)], work);
    same(&again(&object, &["-c"]), &bytes_of(&object), format_args!("{source:?} for {cpu}"));
    llvm("ld.lld-22", &["-shared", &text(&object), "-o", &text(&linked)], work);
    let bytes = again(&linked, &[]);
    same(&bytes, &bytes_of(&linked), format_args!("{source:?} for {cpu}, linked"));
    let short = work.join("short.co");
    llvm("ld.lld-22", &["-shared", "-s", &text(&object), "-o", &text(&short)], work);
    assert!(again(&short, &[]) == std::fs::read(&short).unwrap(), "{source:?} for {cpu}, linked with -s");
    // With `--emit-relocs`, the linker leaves relocations that it has applied. The source has only comments about them.
    let kept = work.join("kept.co");
    llvm("ld.lld-22", &["-shared", "--emit-relocs", &text(&object), "-o", &text(&kept)], work);
    let apart = |path: &Path| run(&["dis", "--asm", &text(path)], b"").ok();
    let (comments, rest): (Vec<String>, Vec<String>) = apart(&kept)
        .lines()
        .map(str::to_string)
        .partition(|line| line.starts_with("// No source can have the relocations"));
    assert_eq!(rest, apart(&linked).lines().collect::<Vec<_>>(), "{source:?} for {cpu}");
    let bytes = std::fs::read(&kept).unwrap();
    let file = amdgpu_object::elf::File::parse(&bytes).unwrap();
    let is_kept = |section: &Section| section.kind == SHT_RELA && !section.is_loaded();
    assert_eq!(comments.len(), usize::from(file.sections().0.iter().any(is_kept)), "{source:?} for {cpu}");
    llvm("llvm-strip-22", &["--strip-all", &text(&linked), "-o", &text(&stripped)], work);
    let bytes = again(&stripped, &[]);
    let first = read(&stripped);
    assert_eq!(contents(&bytes), first, "{source:?} for {cpu}, stripped");
    // llvm-strip gives sections without contents another place in the file than ld.lld does.
    let has_zeros = first.sections.iter().any(|(name, ..)| name == ".bss");
    assert!(
        has_zeros || bytes == std::fs::read(&stripped).unwrap(),
        "{source:?} for {cpu}: headers or tables of strings differ"
    );
}

#[test]
fn sections_of_every_kind_are_linked_taken_apart_and_put_together() {
    let work = directory("asm-sections");
    for cpu in CPUS {
        let path = work.join("sections.s");
        let target = format!("\t.amdgcn_target \"amdgcn-amd-amdhsa--{cpu}\"\n");
        std::fs::write(&path, target + &std::fs::read_to_string(sources().join("sections.s")).unwrap()).unwrap();
        compare(&path, cpu, None, true, &work);
        round(&path, "amdgcn-amd-amdhsa", cpu, &work);
    }
}

/// Sections that follow the order of others, and sections that have their places among the symbols because a value names
/// them first.
#[test]
fn orders_of_sections_and_symbols_are_kept() {
    let work = directory("asm-order");
    let (path, object) = (work.join("order.s"), work.join("order.o"));
    let source = ".section .stack_sizes,\"o\",@progbits,.text\n.quad f\n.uleb128 16\n\
        .section .a,\"aw\"\nx: .quad .c+4, .b\n.section .b,\"aw\"\ny: .quad .a, x\n\
        .section .c,\"aMS\",@progbits,1\nz: .asciz \"a text\"\n.text\nf: s_endpgm\n.addrsig\n.addrsig_sym f\n";
    std::fs::write(&path, source).unwrap();
    for cpu in ["gfx906", "gfx1200"] {
        compare(&path, cpu, None, false, &work);
        run(&["asm", "-c", path.to_str().unwrap(), cpu, "-o", object.to_str().unwrap()], b"").ok();
        same(&again(&object, &["-c"]), &bytes_of(&object), cpu);
    }
}

/// Numbers in code, addresses of 8 bytes in code, groups that other values name, and groups of sections that follow the
/// order of others.
#[test]
fn objects_of_few_lines_come_back() {
    let work = directory("asm-few");
    let object = work.join("few.o");
    let sources = [
        "s_branch f\nf: .byte 1\ng: .byte 2,3,4\n",
        "s_nop 0\n.quad ext\ns_nop 0\n",
        "f: s_nop 0\n.section .meta,\"aoG\",@progbits,.text,f\n.long 1\n",
        "f: s_nop 0\n.section .meta,\"aoG\",@progbits,.text,f,comdat\n.long 1\n.section .meta,\"ao\",@progbits,.text\n.long 2\n",
        ".section .a,\"aG\",@progbits,.data,comdat\n.long 1\n",
        ".section .debug_info,\"G\",@progbits,5657452045627120676,comdat\n.long .debug_abbrev\n\
            .section .debug_abbrev,\"\",@progbits\n.byte 0\n",
    ];
    for source in sources {
        run(&["asm", "-c", "-", "gfx942", "-o", object.to_str().unwrap()], source.as_bytes()).ok();
        same(&again(&object, &["-c"]), &bytes_of(&object), source);
    }
    // A linker can make an object that no source describes.
    let other = ".quad foo\n";
    run(&["asm", "-c", "-", "gfx942", "-o", object.to_str().unwrap()], other.as_bytes()).ok();
    let first = work.join("first.o");
    run(&["asm", "-c", "-", "gfx942", "-o", first.to_str().unwrap()], b".section foo,\"a\"\n.long 1\n").ok();
    llvm("ld.lld-22", &["-r", "first.o", "few.o", "-o", "both.o"], &work);
    let source = run(&["dis", "--asm", work.join("both.o").to_str().unwrap()], b"").ok();
    assert!(
        source.contains("\t.error \"no source can have both the undefined symbol and the section foo\"\n"),
        "{source}"
    );
}

/// From 65,280 on, the number of a section does not fit in a symbol, nor the number of sections in the header.
#[test]
fn sections_whose_numbers_have_32_bits_are_those_of_llvm() {
    let work = directory("asm-many-sections");
    let section = |n| format!(".section s{n},\"aw\"\nl{n}:\n");
    let sections: String = (0..65_300).map(section).collect();
    std::fs::write(
        work.join("many.s"),
        sections + ".globl l65299\n.protected l65299\n.text\ns_endpgm\n.quad l65299-.\n",
    )
    .unwrap();
    let [source, object, linked] = ["many.s", "o.o", "o.co"].map(|name| work.join(name).to_str().unwrap().to_string());
    let args = ["-triple=amdgcn-amd-amdhsa", "-mcpu=gfx942", "-filetype=obj", "many.s", "-o", "l.o"];
    llvm("llvm-mc-22", &args, &work);
    run(&["asm", "-c", &source, "gfx942", "-o", &object], b"").ok();
    assert!(bytes_of(object.as_ref()) == bytes_of(&work.join("l.o")), "the objects differ");
    llvm("ld.lld-22", &["-shared", "l.o", "-o", "l.co"], &work);
    run(&["asm", &source, "gfx942", "-o", &linked], b"").ok();
    // The linker adds its name, so the files as a whole differ.
    let tables = |path: &Path| {
        let bytes = bytes_of(path);
        let file = amdgpu_object::elf::File::parse(&bytes).unwrap();
        let sections = file.sections().0;
        let tables = sections.iter().filter(|section| [SHT_SYMTAB, SHT_SYMTAB_SHNDX].contains(&section.kind));
        tables.map(|table| file.contents(table).bytes.to_vec()).collect::<Vec<_>>()
    };
    let ours = tables(linked.as_ref());
    assert_eq!(ours.len(), 2);
    assert!(ours == tables(&work.join("l.co")), "the symbols of the linked files differ");
}

/// A linker joins constants and texts of several lengths in one section, which has the flags of all of them.
#[test]
fn joined_constants_keep_their_flags() {
    let work = directory("asm-joined");
    let path = work.join("joined.s");
    let parts = [".section .rodata.a,\"a\"\n.long 1", ".section .rodata.cst8,\"aM\",@progbits,8\n.quad 2"];
    let text = ".section .rodata.str1.1,\"aMS\",@progbits,1\n.asciz \"text\"";
    for source in [parts.join("\n"), format!("{}\n{text}", parts[1]), format!("{text}\n{}", parts.join("\n"))] {
        let source = format!("\t.amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\n.text\ns_endpgm\n{source}\n");
        std::fs::write(&path, source).unwrap();
        round(&path, "amdgcn-amd-amdhsa", "gfx942", &work);
        compare(&path, "gfx942", None, true, &work);
    }
}

/// Labels at the same offset of two sections.
#[test]
fn labels_of_two_sections_of_code_are_different() {
    let work = directory("asm-labels");
    let object = work.join("labels.o");
    let source = "s_branch 1f\ns_nop 0\n1: s_endpgm\n.section .text.b,\"ax\"\ns_branch 1f\ns_nop 1\n1: s_endpgm\n";
    run(&["asm", "-c", "-", "gfx942", "-o", object.to_str().unwrap()], source.as_bytes()).ok();
    let apart = run(&["dis", "--asm", object.to_str().unwrap()], b"").ok();
    assert_eq!(apart.lines().filter(|line| line.starts_with(".L") && line.ends_with("_8:")).count(), 2, "{apart}");
    same(&again(&object, &["-c"]), &bytes_of(&object), "again");
}

/// Addresses in literals of 64 bits, as compilers for CDNA5 make them.
#[test]
fn wide_literals_that_a_linker_fills_in_are_taken_apart_and_put_together() {
    let work = directory("asm-wide");
    let (object, theirs) = (work.join("wide.o"), work.join("theirs.o"));
    let lines = "s_add_nc_u64 s[0:1], s[0:1], a@gotpcrel+4\ns_add_nc_u64 s[2:3], b@rel64+12, s[2:3]\ns_mov_b32 s2, c@abs32@lo\n";
    let source = format!("\t.amdgcn_target \"amdgcn-amd-amdhsa--gfx1250\"\n{lines}");
    run(&["asm", "-c", "-", "-o", object.to_str().unwrap()], source.as_bytes()).ok();
    std::fs::write(work.join("wide.s"), &source).unwrap();
    let args = ["-triple=amdgcn-amd-amdhsa", "-mcpu=gfx1250", "-filetype=obj", "wide.s", "-o", "theirs.o"];
    llvm("llvm-mc-22", &args, &work);
    same(&bytes_of(&object), &bytes_of(&theirs), &source);
    let apart = run(&["dis", "--asm", object.to_str().unwrap()], b"").ok();
    assert!(apart.contains("a@gotpcrel+4") && apart.contains("b@rel64+12") && !apart.contains(".long"), "{apart}");
    same(&again(&object, &["-c"]), &bytes_of(&object), "again");
    let listing = run(&["dis", object.to_str().unwrap()], b"").ok();
    assert!(listing.contains("<a@gotpcrel+0x4>") && listing.contains("<b@rel64+0xc>"), "{listing}");
}

#[test]
fn pipelines_of_pal_are_taken_apart_and_put_together() {
    let work = directory("asm-pal");
    for cpu in ["gfx803", "gfx900", "gfx1030", "gfx1103", "gfx1200"] {
        round(&sources().join("pipeline.s"), "amdgcn-amd-amdpal", cpu, &work);
    }
}

/// Runs clang, which writes the source `c.s`.
fn clang(args: &[&str], work: &Path) {
    let output = Command::new("clang-22").args(args).args(["-S", "-w", "-o", "c.s"]).current_dir(work).output();
    let output = output.expect("clang-22 starts");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Compares the results of LLVM and of `asm` for `c.s`: the object, and the code object.
fn compare_debug(cpu: &str, work: &Path) {
    let text = |name: &str| work.join(name).to_str().unwrap().to_string();
    let (their_object, our_object) = (text("l.o"), text("o.o"));
    let features = if cpu.starts_with("gfx11") || cpu.starts_with("gfx12") { "-mattr=+real-true16" } else { "-mattr=" };
    let cpu_flag = format!("-mcpu={cpu}");
    let args = ["-triple=amdgcn-amd-amdhsa", &cpu_flag, features, "-filetype=obj", "c.s", "-o", &their_object];
    llvm("llvm-mc-22", &args, work);
    run(&["asm", "-c", &text("c.s"), "-o", &our_object], b"").ok();
    let object = bytes_of(their_object.as_ref());
    same(&bytes_of(our_object.as_ref()), &object, cpu);
    same(&again(their_object.as_ref(), &["-c"]), &object, format_args!("{cpu}, taken apart"));
    llvm("ld.lld-22", &["-shared", &their_object, "-o", "l.co"], work);
    run(&["asm", &text("c.s"), "-o", &text("o.co")], b"").ok();
    let [ours, theirs] = ["o.co", "l.co"].map(|name| read(&work.join(name)));
    let has = |name: &str| ours.sections.iter().any(|(section, ..)| section == name);
    assert!(has(".debug_str") && has(".debug_line"), "{cpu}");
    assert_eq!(ours, theirs, "{cpu}, linked");
    let verified = Command::new("llvm-dwarfdump-22").args(["--verify", "o.co"]).current_dir(work).output().unwrap();
    assert!(verified.status.success(), "{cpu}: {}", String::from_utf8_lossy(&verified.stdout));
}

#[test]
fn tables_for_debuggers_are_those_of_llvm() {
    let work = directory("asm-debug");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/samples");
    let mut cpus: Vec<String> = samples().into_iter().map(|(_, cpu, _)| cpu).collect();
    cpus.dedup();
    cpus.retain(|cpu| !NEWER.contains(&cpu.as_str()));
    assert!(cpus.len() > 20);
    for (n, cpu) in cpus.iter().enumerate() {
        // LLVM 22 ends with an error on GCN 1.0, which has no FLAT operations, unless it optimises.
        let levels: &[&str] = if cpu == "gfx600" { &["-O2"] } else { &["-O0", "-O2"] };
        for &level in levels {
            // Some targets get the larger source.
            let name = if n % 5 == 0 && level == "-O2" { "mixed.cl" } else { "saxpy.cl" };
            let (source, cpu_flag) = (root.join(name), format!("-mcpu={cpu}"));
            let dwarf = if n % 4 == 1 { "-gdwarf-4" } else { "-g" };
            let args =
                ["-target", "amdgcn-amd-amdhsa", "-nogpulib", &cpu_flag, "-x", "cl", "-cl-std=CL2.0", level, dwarf];
            clang(&[&args[..], &[source.to_str().unwrap()]].concat(), &work);
            compare_debug(cpu, &work);
        }
    }
}

/// The table of frames that is loaded with the code ends with an empty entry.
#[test]
fn loaded_frames_are_those_of_llvm() {
    let work = directory("asm-frames");
    let source = work.join("frames.s");
    let frame = ".cfi_startproc\ns_nop 0\n.cfi_def_cfa_offset 16\ns_endpgm\n.cfi_endproc\n";
    std::fs::write(&source, format!(".globl f\n.protected f\nf:\n{frame}{frame}.data\n.quad f\n")).unwrap();
    for cpu in ["gfx900", "gfx1100"] {
        compare(&source, cpu, None, true, &work);
    }
}

#[test]
fn groups_of_templates_are_those_of_llvm() {
    let work = directory("asm-groups");
    let source = sources().join("groups.hip");
    for cpu in ["gfx803", "gfx906", "gfx942", "gfx1030", "gfx1100", "gfx1200"] {
        for level in ["-O0", "-O2"] {
            let arch = format!("--offload-arch={cpu}");
            let flags = ["-x", "hip", "--cuda-device-only", "-nogpuinc", "-nogpulib", "-ffunction-sections"];
            clang(&[&flags[..], &[&arch, level, "-g", source.to_str().unwrap()]].concat(), &work);
            compare_debug(cpu, &work);
            clang(&[&flags[..5], &[&arch, level, source.to_str().unwrap()]].concat(), &work);
            compare(&work.join("c.s"), cpu, None, true, &work);
            round(&work.join("c.s"), "amdgcn-amd-amdhsa", cpu, &work);
        }
    }
}

#[test]
fn faults_of_tables_for_debuggers_have_a_place() {
    let cases = [
        (".loc 1 2", "no `.file 1` is above"),
        (".file 1 \"a\"\n.file 1 \"b\"", "a file 1 already"),
        (".file 100000000 \"a\"", "files have numbers below"),
        (".file 1 \"a\" md5 x", "a number of 128 bits"),
        (".file 1 \"a\"\n.loc 1 1 1 nothing", "no such property"),
        (".cfi_endproc", "no .cfi_startproc is above"),
        (".cfi_startproc\n.cfi_startproc", "no .cfi_endproc follows"),
        (".cfi_startproc", "no .cfi_endproc follows"),
        (".cfi_startproc\n.data\n.cfi_endproc", "in another section"),
        (".uleb128 never-.", "has no value here"),
        (".section .text.a,\"axG\",@progbits", "`,` expected"),
        (".section .text.a,\"axG\"", "the type of the section"),
        (".section .text.a,\"ax\",@progbits,comdat", "of a group, or"),
        (".section .text.a,\"axG\",@progbits,12ab,comdat", "a name or a number expected"),
    ];
    for (source, expected) in cases {
        let run = run(&["asm", "-c", "-", "gfx942", "-o", "-"], source.as_bytes());
        assert_eq!(run.code, Some(1), "{source}");
        assert!(run.err.contains(expected), "{source}: {}", run.err);
    }
}

#[test]
fn the_name_of_a_target_has_the_size_of_waves() {
    let source = b"v_cmp_eq_f32 vcc, v0, v1";
    for (target, code) in [
        ("gfx1200:wave64", 0),
        ("gfx1200:wave32", 1),
        ("gfx1200", 1),
        ("gfx942", 0),
        ("gfx942:wave32", 2),
        ("gfx942:xnack", 2),
    ] {
        let run = run(&["asm", "--hex", "-", target], source);
        assert_eq!(run.code, Some(code), "{target}: {}", run.err);
    }
}

/// Tables of functions that a loader calls, sorted by their priorities; a table of frames, which has one end; and
/// dynamic relocations that all have symbols.
#[test]
fn tables_for_loaders_are_those_of_a_linker() {
    let work = directory("asm-tables");
    let head = "\t.amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\n\t.text\n";
    let array = |name: &str, of: &str| {
        let kind = &name[1..name[1..].find('.').map_or(name.len(), |at| at + 1)];
        format!("\t.section {name},\"aw\",@{kind}\n\t.p2align 3\n\t.quad {of}\n")
    };
    let arrays = ["f", "g"].map(|name| format!("\t.globl {name}\n\t.hidden {name}\n{name}:\n\ts_endpgm\n")).concat()
        + &array(".init_array.7", "g")
        + &array(".init_array", "f")
        + &array(".init_array.3", "f")
        + &array(".fini_array", "g");
    let frames = "k:\n\t.cfi_startproc\n\t.cfi_def_cfa_offset 8\n\ts_endpgm\n\t.cfi_endproc\n";
    let named = "k:\n\ts_getpc_b64 s[0:1]\n\ts_add_u32 s0, s0, gv@gotpcrel32@lo+4\n\
                 \ts_addc_u32 s1, s1, gv@gotpcrel32@hi+12\n\ts_endpgm\n\t.data\n\t.globl gv\ngv:\n\t.long 1\n";
    let [source, object, theirs, ours] = ["t.s", "t.o", "t.co", "ours.co"].map(|name| work.join(name));
    let text = |path: &Path| path.to_str().unwrap().to_string();
    // Names that a linker defines, and a symbol of a section without contents.
    let ends = "f:\n\ts_endpgm\n\t.data\n\t.p2align 3\n\t.quad __init_array_start, __init_array_end\n\
                \t.quad __start_foo, __stop_foo, __fini_array_end\n\t.section foo,\"a\",@progbits\n\t.long 1\n"
        .to_string()
        + &array(".init_array.9", "f")
        + &array(".init_array", "f");
    let empty = "\t.globl e\ne:\n\t.data\n\t.p2align 3\n\t.quad e\n";
    // The entries of the table of addresses are in the order of the symbols, those of local symbols last.
    let load = |name: &str| format!("\ts_add_u32 s0, s0, {name}@gotpcrel32@lo+4\n");
    let entries = "\t.weak w\n\t.globl a\n".to_string()
        + &["l", "b", "a", "w"].map(load).concat()
        + "\t.data\n\t.globl b\na:\n\t.long 1\nb:\n\t.long 2\nl:\n\t.long 3\n";
    let bodies = [(arrays.as_str(), true), (frames, true), (named, true), (entries.as_str(), true)];
    let bodies = bodies.into_iter().chain([(ends.as_str(), false), (empty, false)]);
    for (body, is_round) in bodies {
        std::fs::write(&source, format!("{head}{body}")).unwrap();
        if is_round {
            round(&source, "amdgcn-amd-amdhsa", "gfx942", &work);
        }
        let args = ["-triple=amdgcn-amd-amdhsa", "-mcpu=gfx942", "-filetype=obj", "t.s", "-o", "t.o"];
        llvm("llvm-mc-22", &args, &work);
        llvm("ld.lld-22", &["-shared", &text(&object), "-o", &text(&theirs)], &work);
        run(&["asm", &text(&source), "-o", &text(&ours)], b"").ok();
        let data = |path: &Path| {
            let bytes = std::fs::read(path).unwrap();
            let file = amdgpu_object::elf::File::parse(&bytes).unwrap();
            let (sections, _) = file.sections();
            let loaded = sections.iter().filter(|section| section.is_loaded());
            loaded.map(|section| (section.address, file.contents(section).bytes.to_vec())).collect::<Vec<_>>()
        };
        assert!(data(&ours) == data(&theirs), "{body}");
    }
}

/// Pointers to the end of a section, even if a section that the assembler makes begins there, and pointers to no
/// section.
#[test]
fn pointers_to_the_ends_of_sections_are_kept() {
    let work = directory("asm-ends");
    let head = "\t.amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\n\t.text\n";
    let name = |end: &str| format!("__init_array_{end}");
    let code = |name: &str| {
        format!(
            "\t.globl {name}\n\t.hidden {name}\n\ts_getpc_b64 s[0:1]\n\ts_add_u32 s0, s0, {name}@gotpcrel32@lo+4\n\
             \ts_addc_u32 s1, s1, {name}@gotpcrel32@hi+12\n"
        )
    };
    let array = "\t.section .init_array,\"aw\",@init_array\n\t.p2align 3\n\t.quad k\n";
    let source = work.join("ends.s");
    std::fs::write(&source, [head, "k:\n", &code(&name("start")), &code(&name("end")), "\ts_endpgm\n", array].concat())
        .unwrap();
    round(&source, "amdgcn-amd-amdhsa", "gfx942", &work);

    std::fs::write(&source, format!("{head}k:\n\ts_endpgm\n\t.data\n\t.quad k-0x100\n")).unwrap();
    let args = ["-triple=amdgcn-amd-amdhsa", "-mcpu=gfx942", "-filetype=obj", "ends.s", "-o", "ends.o"];
    llvm("llvm-mc-22", &args, &work);
    llvm("ld.lld-22", &["-shared", "ends.o", "-o", "ends.co"], &work);
    let apart = run(&["dis", "--asm", work.join("ends.co").to_str().unwrap()], b"").ok();
    let fails = run(&["asm", "-", "-o", work.join("again.co").to_str().unwrap()], apart.as_bytes()).fails(1);
    assert!(fails.contains("this pointer leads to no section that a source can have"), "{fails}");
}

/// Objects for PAL have relocations without addends: the numbers that a linker adds are at their places.
#[test]
fn addends_at_the_places_of_relocations_are_kept() {
    let work = directory("asm-addends");
    let (source, object, fixed) = (work.join("pal.s"), work.join("pal.o"), work.join("fixed.o"));
    let body = "s_mov_b32 s4, loc@abs32@lo\ns_mov_b32 s5, loc@abs32@hi\ns_mov_b32 s6, tab@abs32@lo-8\n\
        s_getpc_b64 s[8:9]\ns_add_u32 s8, s8, ext@rel32@lo+4\ns_addc_u32 s9, s9, ext@rel32@hi+12\n\
        s_load_dword s2, s[0:1], 0x0\ns_mov_b32 s3, s2\ns_endpgm\n.type loc,@function\nloc:\ns_setpc_b64 s[30:31]\n\
        .section .rodata,\"a\"\n.long 7\ntab: .long 1, 2\n\
        .data\n.p2align 3\n.quad tab, loc+4, ext+16\n.long tab-., 0\n";
    for os in ["amd-amdpal", "mesa-mesa3d"] {
        let head = format!(".amdgcn_target \"amdgcn-{os}--gfx1030\"\n.text\n.globl cs\n.type cs,@function\ncs:\n");
        std::fs::write(&source, head + body).unwrap();
        let triple = format!("-triple=amdgcn-{os}");
        llvm("llvm-mc-22", &[&triple, "-mcpu=gfx1030", "-filetype=obj", "pal.s", "-o", "pal.o"], &work);
        same(&again(&object, &["-c"]), &bytes_of(&object), os);
        let listing = run(&["dis", object.to_str().unwrap()], b"").ok();
        let shown = ["<.text@abs32@lo+0x3c>", "<.rodata@abs32@lo-0x4>", "<ext@rel32@hi+0xc>"];
        shown.iter().for_each(|text| assert!(listing.contains(text), "{os}: {text}: {listing}"));
        // The function `loc` moves by the wait that a repair inserts.
        run(&["lint", "--fix", object.to_str().unwrap(), "-o", fixed.to_str().unwrap()], b"").ok();
        let listing = run(&["dis", fixed.to_str().unwrap()], b"").ok();
        let shown = ["s_waitcnt lgkmcnt(0)", "<.text@abs32@lo+0x40>", "<.rodata@abs32@lo-0x4>", "<ext@rel32@hi+0xc>"];
        shown.iter().for_each(|text| assert!(listing.contains(text), "{os}: {text}: {listing}"));
    }
}
