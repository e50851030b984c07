//! An edited source of `dis --asm` still calls, jumps and loads what the file did.

use std::fs;

use super::asm_file::directory;
use super::run;

/// A program that makes addresses of a function, of data, and of code without a symbol, and has pointers to code.
fn source(target: &str, [call, load, hop]: [&str; 3]) -> String {
    format!(
        ".amdgcn_target \"amdgcn-amd-amdhsa--{target}\"\n\
         .text\n.p2align 8\n.hidden f\n.globl f\n.type f,@function\nf:\n v_mov_b32 v0, 1\n s_setpc_b64 s[30:31]\n.size f, .-f\n\
         .globl g\n.protected g\n.type g,@function\ng:\n v_mov_b32 v1, 2\n{call} s_swappc_b64 s[30:31], s[0:1]\n{load}\
         {hop}.Lpost:\n s_nop 3\n.Lfar:\n s_endpgm\n.Lend:\n.size g, .Lend-g\n\
         .section .rodata,\"a\",@progbits\n.p2align 4\n.hidden table\n.globl table\n.type table,@object\n\
         table: .long 1, 2, 3, 4\n.size table, 16\n\
         .data\n.p2align 3\n.hidden pointers\n.globl pointers\n.type pointers,@object\n\
         pointers: .quad f, .Lfar, table+8\n.size pointers, 24\n"
    )
}

const PAIR: [&str; 3] = [
    " s_getpc_b64 s[0:1]\n s_add_u32 s0, s0, f@rel32@lo+4\n s_addc_u32 s1, s1, f@rel32@hi+12\n",
    " s_getpc_b64 s[2:3]\n s_add_u32 s2, s2, table@rel32@lo+12\n s_addc_u32 s3, s3, table@rel32@hi+20\n s_load_dword s4, s[2:3], 0x0\n",
    " s_getpc_b64 s[6:7]\n s_add_u32 s6, s6, .Lfar@rel32@lo+4\n s_addc_u32 s7, s7, .Lfar@rel32@hi+12\n s_setpc_b64 s[6:7]\n",
];
const WHOLE: [&str; 3] = [
    " s_get_pc_i64 s[0:1]\n s_add_nc_u64 s[0:1], s[0:1], f@rel64+4\n",
    " s_get_pc_i64 s[2:3]\n s_add_nc_u64 s[2:3], s[2:3], table@rel64+12\n s_load_b32 s4, s[2:3], 0x0\n",
    " s_add_pc_i64 .Lfar-.Lpost\n",
];

/// Each address that the listing of a file shows, and the pointers in its data as distances from their goals.
fn addresses(file: &str) -> Vec<String> {
    let listing = run(&["dis", file], b"").ok();
    let noted = listing.lines().filter(|line| line.starts_with("\ts_") && line.ends_with('>'));
    noted.filter_map(|line| Some(line.get(line.rfind(" <")?..)?.to_string())).collect()
}

#[test]
fn edited_sources_keep_the_addresses_that_code_makes() {
    let work = directory("dis-asm-edited");
    let [first, input, second] = ["a.co", "a.s", "b.co"].map(|name| work.join(name).to_str().unwrap().to_string());
    let old = ["gfx600", "gfx803", "gfx906", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1200"];
    for (target, idioms) in old.map(|target| (target, PAIR)).into_iter().chain([("gfx1250", WHOLE)]) {
        run(&["asm", "-", "-o", &first], source(target, idioms).as_bytes()).ok();
        let apart = run(&["dis", "--asm", &first], b"").ok();
        let modifier = if idioms == PAIR { "@rel32@lo+4" } else { "@rel64+4" };
        assert!(apart.contains(&format!("f{modifier}")), "{target}: {apart}");
        assert!(apart.contains("\t.quad f\n"), "{target}: {apart}");
        run(&["asm", "-", "-o", &second], apart.as_bytes()).ok();
        assert_eq!(fs::read(&second).unwrap(), fs::read(&first).unwrap(), "{target}: unedited");

        // Code grows before everything that an address leads to, and data before the table.
        let edited = apart.replace("\tv_mov_b32", "\ts_nop 0\n\tv_mov_b32").replace("table:\n", ".long 0\ntable:\n");
        let edited = edited.replace("\ts_nop 3\n", "\ts_nop 3\n\ts_nop 4\n");
        assert_ne!(edited, apart);
        fs::write(&input, &edited).unwrap();
        run(&["asm", &input, "-o", &second], b"").ok();
        let moved =
            |addresses: Vec<String>| addresses.iter().map(|one| one.replace("<g+0x", "<g+")).collect::<Vec<_>>();
        let [before, after] = [&first, &second].map(|file| moved(addresses(file)));
        let named = |all: &[String]| all.iter().filter(|one| !one.contains("<g+")).cloned().collect::<Vec<_>>();
        assert_eq!(named(&after), named(&before), "{target}: {edited}");
        assert!(before.len() >= named(&before).len() && !named(&before).is_empty());

        // The sizes of functions follow, and so do the jump and the pointer to code without a symbol.
        let again = run(&["dis", "--asm", &second], b"").ok();
        let lines: Vec<&str> = again.lines().collect();
        let label =
            |of: &str| lines[lines.iter().position(|line| *line == of).unwrap() - 1].trim_end_matches(':').to_string();
        let far = label("\ts_endpgm");
        assert!(far.starts_with(".L") && again.contains(&format!("\t.quad {far}\n")), "{target}: {again}");
        let jump = if idioms == PAIR { format!("{far}@rel32@lo+4") } else { format!("s_add_pc_i64 {far}-.L") };
        assert!(again.contains(&jump), "{target}: {jump}: {again}");
        assert!(again.contains("\t.size g, .-g\n") && again.contains("\t.size f, .-f\n"), "{target}: {again}");
    }
}

#[test]
fn merged_texts_are_named_by_their_section() {
    let work = directory("dis-asm-merged");
    let [first, second] = ["a.o", "b.o"].map(|name| work.join(name).to_str().unwrap().to_string());
    let text = ".amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\n.text\n s_endpgm\n\
                .section .debug_str_offsets,\"\",@progbits\n.long .Lone, .Ltwo\n\
                .section .debug_str,\"MS\",@progbits,1\n.Lone: .asciz \"one\"\n.Ltwo: .asciz \"two\"\n";
    run(&["asm", "-c", "-", "-o", &first], text.as_bytes()).ok();
    let apart = run(&["dis", "--asm", &first], b"").ok();
    assert!(apart.contains("\t.long .debug_str\n\t.long .debug_str+4\n"), "{apart}");
    run(&["asm", "-c", "-", "-o", &second], apart.as_bytes()).ok();
    let again = run(&["dis", "--asm", &second], b"").ok();
    assert_eq!(again, apart);
}

/// A modifier is after the quotes of a name, and not within them, where it would be a part of the name.
#[test]
fn names_in_quotes_have_modifiers() {
    let work = directory("dis-asm-quotes");
    let [first, second] = ["a", "b"].map(|name| work.join(name).to_str().unwrap().to_string());
    let [call, ..] = PAIR.map(|text| text.replace("f@", "\"a b\"@"));
    let text = format!(
        ".amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\n.text\n.hidden \"a b\"\n.globl \"a b\"\n\"a b\":\n s_endpgm\n{call}"
    );
    for option in [&[][..], &["-c"]] {
        run(&[&["asm", "-", "-o", &first], option].concat(), text.as_bytes()).ok();
        let apart = run(&["dis", "--asm", &first], b"").ok();
        assert!(apart.contains("s_add_u32 s0, s0, \"a b\"@rel32@lo+4\n"), "{apart}");
        run(&[&["asm", "-", "-o", &second], option].concat(), apart.as_bytes()).ok();
        assert_eq!(fs::read(&second).unwrap(), fs::read(&first).unwrap());
    }
}

#[test]
fn a_name_that_no_source_can_have_is_said() {
    let work = directory("dis-asm-names");
    let file = work.join("a.co").to_str().unwrap().to_string();
    let text = ".amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\n.text\n.globl name1\nname1:\n s_endpgm\n";
    run(&["asm", "-", "-o", &file], text.as_bytes()).ok();
    let mut bytes = fs::read(&file).unwrap();
    let places: Vec<usize> = (0..bytes.len() - 5).filter(|at| &bytes[*at..at + 5] == b"name1").collect();
    places.iter().for_each(|at| bytes[at + 4] = 0xc3);
    let apart = run(&["dis", "--asm", "-"], &bytes).ok();
    assert!(apart.contains("// No source can have the symbol \"name\\303\": its name is not UTF-8.\n"), "{apart}");
}

/// The descriptor of a kernel leads to its code after an edit of other code, whatever the visibilities of both are.
#[test]
fn descriptors_lead_to_their_kernels_after_an_edit() {
    let work = directory("dis-asm-descriptors");
    let [first, second] = ["a.co", "b.co"].map(|name| work.join(name).to_str().unwrap().to_string());
    let code =
        |name: &str| format!(".globl {name}\n.p2align 8\n.type {name},@function\n{name}:\n s_nop 1\n s_endpgm\n");
    let described = |name: &str, line: &str| {
        format!(
            "{line}\n.amdhsa_kernel {name}\n.amdhsa_next_free_vgpr 8\n.amdhsa_next_free_sgpr 8\n.amdhsa_accum_offset 8\n\
             .end_amdhsa_kernel\n"
        )
    };
    // The last line states another type, so that no directive describes the second kernel.
    for (line, end) in [("", ""), (".protected b", ""), (".hidden b", ""), ("", ".size b.kd, 32\n")] {
        let source = format!(
            ".amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\n.text\n{}{}.rodata\n.p2align 6\n{}{}{end}",
            code("a"),
            code("b"),
            described("a", ""),
            described("b", line)
        );
        for option in [&[][..], &["-c"]] {
            run(&[&["asm", "-", "-o", &first], option].concat(), source.as_bytes()).ok();
            let apart = run(&["dis", "--asm", &first], b"").ok();
            assert_eq!(apart.contains("\t.amdhsa_kernel b\n"), end.is_empty(), "{apart}");
            assert_eq!(apart.contains("\t.quad b@rel64+16\n"), !end.is_empty(), "{apart}");
            run(&[&["asm", "-", "-o", &second], option].concat(), apart.as_bytes()).ok();
            assert_eq!(fs::read(&second).unwrap(), fs::read(&first).unwrap(), "{line} {end}");
        }
        run(&["asm", "-", "-o", &first], source.as_bytes()).ok();
        let edited =
            run(&["dis", "--asm", &first], b"").ok().replacen("\ts_nop 1\n", "\t.fill 100, 4, 0xbf800000\n", 1);
        run(&["asm", "-", "-o", &second], edited.as_bytes()).ok();
        let listing = run(&["dis", &second], b"").ok();
        assert_eq!(listing.matches("// kernel").count(), 2, "{line} {end}: {listing}");
    }
}

/// If a source cannot express a part of the file, the source has a replacement with a comment, or an error with advice.
#[test]
fn nothing_is_dropped_without_a_word() {
    let work = directory("dis-asm-dropped");
    let [first, second] = ["a", "b"].map(|name| work.join(name).to_str().unwrap().to_string());
    let head = ".amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\n.text\n.hidden f\n.globl f\nf: s_endpgm\n";
    // Tables of functions, and common variables.
    let source = format!(
        "{head}.comm shared, 16, 4\n.section .init_array,\"aw\",@init_array\n.quad f\n.section .x,\"a\",@0x6fff4c0a\n.byte 1\n"
    );
    run(&["asm", "-c", "-", "-o", &first], source.as_bytes()).ok();
    let apart = run(&["dis", "--asm", &first], b"").ok();
    let lines = ["\t.comm shared, 16, 4\n", "@init_array\n", "\t.quad f\n", "\t.section .x,\"a\",@0x6fff4c0a\n"];
    lines.iter().for_each(|line| assert!(apart.contains(line), "{line}: {apart}"));
    run(&["asm", "-c", "-", "-o", &second], apart.as_bytes()).ok();
    assert_eq!(fs::read(&second).unwrap(), fs::read(&first).unwrap());
    run(&["asm", "-c", "-", "-o", &first], format!("{head}.cg_profile f, f, 3\n").as_bytes()).ok();
    let apart = run(&["dis", "--asm", &first], b"").ok();
    assert!(
        apart.contains("// No source can have the section \".llvm.call-graph-profile\" of type 0x6fff4c09.\n"),
        "{apart}"
    );

    // The table of the only relocation becomes a packed table, and the pointer holds the relocation's addend.
    run(&["asm", "-", "-o", &first], format!("{head}.data\n.quad f\n").as_bytes()).ok();
    let mut bytes = fs::read(&first).unwrap();
    let plain = run(&["dis", "--asm", &first], b"").ok();
    let number = |bytes: &[u8], at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
    let (headers, count) = (number(&bytes, 0x28), bytes[0x3c] as usize);
    let header = |kind: u8| (0..count).map(|n| headers + n * 64).find(|at| bytes[at + 4] == kind).unwrap();
    let (table, compressed, dynamic) = (header(4), header(11), header(6));
    let entry = number(&bytes, table + 0x18);
    let (place, goal) = (number(&bytes, entry), number(&bytes, entry + 16));
    let holder = (0..count).map(|n| headers + n * 64).find(|at| number(&bytes, at + 0x10) == place).unwrap();
    let at = number(&bytes, holder + 0x18);
    bytes[at..at + 8].copy_from_slice(&goal.to_le_bytes());
    bytes[table + 4] = 19;
    bytes[table + 0x20] = 8;
    let packed = run(&["dis", "--asm", "-"], &bytes).ok();
    let comment = "// The packed relocations (`-z pack-relative-relocs`) become plain ones.\n";
    assert!(packed.contains(comment) && packed.contains("\t.quad f\n"), "{packed}");
    assert_eq!(packed.replace(comment, ""), plain);

    // In a file at fixed addresses, pointers are numbers. The source has an error if a number may be a pointer.
    bytes[16] = 2;
    let fixed = run(&["dis", "--asm", "-"], &bytes).ok();
    assert!(fixed.contains("// The file was linked to fixed addresses."), "{fixed}");
    let fails = run(&["asm", "-", "-o", &second], fixed.as_bytes()).fails(1);
    assert!(fails.contains("numbers of this file may be pointers: delete this line if none is"), "{fails}");
    bytes[at..at + 8].fill(0);
    let fixed = run(&["dis", "--asm", "-"], &bytes).ok();
    assert!(
        fixed.contains("// The file was linked to fixed addresses.") && !fixed.contains("numbers of this file"),
        "{fixed}"
    );

    // Settings of the linker: a name of the file in place of a hash table, and an entry point.
    let mut named = fs::read(&first).unwrap();
    let tags = number(&named, dynamic + 0x18);
    named[tags..].chunks_mut(16).find(|entry| number(entry, 0) == 0x6fff_fef5).unwrap()[..8]
        .copy_from_slice(&14u64.to_le_bytes());
    named[0x18] = 4;
    let apart = run(&["dis", "--asm", "-"], &named).ok();
    assert!(
        apart.contains("// No source can have these settings of the linker: SONAME, the entry point.\n"),
        "{apart}"
    );

    // A linked table of frames.
    let frames = format!("{head}.cfi_startproc\n.cfi_def_cfa_offset 8\n s_endpgm\n.cfi_endproc\n");
    run(&["asm", "-", "-o", &second], frames.as_bytes()).ok();
    let apart = run(&["dis", "--asm", &second], b"").ok();
    assert!(
        apart.contains("// These tables have addresses as numbers, which an edit does not change: .eh_frame.\n"),
        "{apart}"
    );

    // Compressed sections, and files without sections.
    let mut wrong = fs::read(&first).unwrap();
    wrong[compressed + 4] = 1;
    wrong[compressed + 9] |= 8;
    let refused = run(&["dis", "--asm", "-"], &wrong).fails(1);
    assert!(refused.contains("`llvm-objcopy --decompress-debug-sections`"), "{refused}");
    let mut wrong = fs::read(&first).unwrap();
    wrong[0x28..0x30].fill(0);
    wrong[0x3c..0x40].fill(0);
    assert!(run(&["dis", "--asm", "-"], &wrong).fails(1).contains("the file has no table of sections"));
}

/// Distances that code of an object for a linker adds to its own address, such as those of long branches.
#[test]
fn distances_in_objects_follow_an_edit() {
    let work = directory("dis-asm-distances");
    let [first, second] = ["a.o", "b.o"].map(|name| work.join(name).to_str().unwrap().to_string());
    let pair = "k: s_getpc_b64 s[4:5]\n.Lp: s_add_u32 s4, s4, .Lx-.Lp\n s_addc_u32 s5, s5, 0\n s_setpc_b64 s[4:5]\n s_nop 0\n\
                .Lx: s_endpgm\n s_getpc_b64 s[4:5]\n.Lq: s_add_u32 s4, s4, (.Lx-.Lq)&4294967295\n\
                s_addc_u32 s5, s5, (.Lx-.Lq)>>32\n s_setpc_b64 s[4:5]\n s_getpc_b64 s[4:5]\n\
                s_add_u32 s4, s4, e@rel32@lo+4\n s_addc_u32 s5, s5, e@rel32@hi+12\n s_setpc_b64 s[4:5]\n";
    let whole = "k: s_add_pc_i64 .Lx-.Lp\n.Lp: s_nop 0\n.Lx: s_endpgm\n";
    let shown = [
        "\ts_add_u32 s4, s4, (.L18-.L20)&0xffffffff\n\ts_addc_u32 s5, s5, (.L18-.L20)>>32\n",
        "s_add_pc_i64 .L10-.Lc\n",
    ];
    for ((target, text), shown) in [("gfx942", pair), ("gfx1250", whole)].into_iter().zip(shown) {
        let source = format!(".amdgcn_target \"amdgcn-amd-amdhsa--{target}\"\n.text\n{text}");
        run(&["asm", "-c", "-", "-o", &first], source.as_bytes()).ok();
        let apart = run(&["dis", "--asm", &first], b"").ok();
        assert!(apart.contains(shown) && !apart.contains("Unknown use"), "{apart}");
        run(&["asm", "-c", "-", "-o", &second], apart.as_bytes()).ok();
        assert_eq!(fs::read(&second).unwrap(), fs::read(&first).unwrap());
        // The code is the same as if the first source were edited.
        let edit = |text: &str| text.replacen("s_nop 0\n", "s_nop 0\n s_nop 0\n", 1);
        run(&["asm", "-c", "-", "-o", &first], edit(&source).as_bytes()).ok();
        run(&["asm", "-c", "-", "-o", &second], edit(&apart).as_bytes()).ok();
        assert_eq!(fs::read(&second).unwrap(), fs::read(&first).unwrap());
    }
}

#[test]
fn kernels_of_mesa_have_their_directive() {
    let work = directory("dis-asm-mesa");
    let [first, second] = ["a", "b"].map(|name| work.join(name).to_str().unwrap().to_string());
    let source = ".amdgcn_target \"amdgcn-mesa-mesa3d--gfx1200\"\n.text\n.amdgpu_hsa_kernel kk\nkk: s_endpgm\n";
    for option in [&[][..], &["-c"]] {
        run(&[&["asm", "-", "-o", &first], option].concat(), source.as_bytes()).ok();
        let apart = run(&["dis", "--asm", &first], b"").ok();
        assert!(apart.contains("\t.amdgpu_hsa_kernel kk\n"), "{apart}");
        run(&[&["asm", "-", "-o", &second], option].concat(), apart.as_bytes()).ok();
        assert_eq!(fs::read(&second).unwrap(), fs::read(&first).unwrap());
    }
}
