//! `dis` shows the origins of constants: addresses that code makes, loads of arguments, relocations.

use std::fs;
use std::path::{Path, PathBuf};

use super::asm_file::directory;
use super::run;

/// The metadata that each kernel must have in addition to its name.
const SIZES: &str = "    .kernarg_segment_size: 64\n    .group_segment_fixed_size: 0\n    .private_segment_fixed_size: 0\n    \
    .kernarg_segment_align: 8\n    .wavefront_size: 64\n    .sgpr_count: 40\n    .vgpr_count: 8\n    \
    .max_flat_workgroup_size: 256\n";

/// A kernel in a source: its code, and its arguments as `name:offset:size`. An argument without a name has only a kind.
fn source(target: &str, code: &str, arguments: &str) -> String {
    let argument = |one: &str| {
        let mut parts = one.split(':');
        let [name, offset, size] = [0; 3].map(|_| parts.next().unwrap());
        let name = match name {
            "" => "        .value_kind: by_value\n".into(),
            hidden if hidden.starts_with("hidden_") => format!("        .value_kind: {hidden}\n"),
            name => format!("        .name: {name}\n        .value_kind: by_value\n"),
        };
        format!("      - .offset: {offset}\n        .size: {size}\n{name}")
    };
    let arguments: String = arguments.split_whitespace().map(argument).collect();
    let arguments = if arguments.is_empty() { " []\n".into() } else { format!("\n{arguments}") };
    format!(
        ".amdgcn_target \"amdgcn-amd-amdhsa--{target}\"\n\
         .text\n.type callee,@function\ncallee:\n s_setpc_b64 s[30:31]\n.size callee, .-callee\n\
         .globl k\n.p2align 8\n.type k,@function\nk:\n{code}\n.Lend:\n.size k, .Lend-k\n\
         .section .rodata,\"a\",@progbits\n.p2align 6\n\
         .amdhsa_kernel k\n .amdhsa_next_free_vgpr 8\n .amdhsa_next_free_sgpr 40\n .amdhsa_user_sgpr_dispatch_ptr 1\n \
         .amdhsa_user_sgpr_kernarg_segment_ptr 1\n ACCUM\n.end_amdhsa_kernel\n\
         .globl table\n.protected table\n.type table,@object\ntable: .long 1, 2, 3, 4\n.size table, 16\n\
         .data\n.globl there\n.type there,@object\nthere: .quad 1\n.size there, 8\n\
         .amdgpu_metadata\n---\namdhsa.kernels:\n  - .args:{arguments}    .name: k\n    .symbol: k.kd\n\
         {SIZES}amdhsa.target: amdgcn-amd-amdhsa--{target}\namdhsa.version: [1, 2]\n...\n.end_amdgpu_metadata\n"
    )
    .replace("ACCUM", if ["gfx90a", "gfx942"].contains(&target) { ".amdhsa_accum_offset 8" } else { "" })
}

/// The lines of the kernel: the texts of instructions, and the notes.
fn listed(name: &str, text: &str, asm: &[&str], dis: &[&str]) -> Vec<(String, String)> {
    let path = directory(name);
    let (input, output) = (path.join("a.s"), path.join("a.co"));
    fs::write(&input, text).unwrap();
    let (input, output) = (input.to_str().unwrap(), output.to_str().unwrap());
    run(&[&["asm", input, "-o", output], asm].concat(), b"").ok();
    let listing = run(&[&["dis", "--kernel", "k", output], dis].concat(), b"").ok();
    let whole = run(&[&["dis", output], dis].concat(), b"").ok();
    let lines = |listing: &str| {
        let line = |line: &str| {
            let (text, comment) = line.strip_prefix('\t')?.split_once("//")?;
            let note = comment.split_once(" <").map_or("", |(_, note)| note.strip_suffix('>').unwrap());
            Some((text.trim().to_string(), note.to_string()))
        };
        let of_kernel = listing.lines().skip_while(|line| !line.contains(" <k>:"));
        of_kernel.take_while(|line| !line.is_empty()).filter_map(line).collect::<Vec<_>>()
    };
    let mut all = lines(&whole);
    let part = lines(&listing);
    all.truncate(part.len());
    assert_eq!(part, all, "{name}: the same with --kernel");
    part
}

/// A case: its name, the target, the arguments of the kernel, and each instruction with its note (`-` for none).
type Case = (&'static str, &'static str, &'static str, &'static [(&'static str, &'static str)]);

const ARGUMENTS: &str = "in:0:8 out:8:8 n:16:4 :20:4 hidden_block_count_x:24:4";

#[rustfmt::skip] // One line for each instruction.
const CASES: &[Case] = &[
    ("loads of arguments", "gfx942", ARGUMENTS, &[
        ("s_load_dwordx4 s[8:11], s[2:3], 0x0", "kernarg: in, out"),
        ("s_load_dword s12, s[2:3], 0x10", "kernarg+0x10: n"),
        ("s_load_dwordx2 s[14:15], s[2:3], 0x14", "kernarg+0x14: arg3, hidden_block_count_x"),
        ("s_load_dword s12, s[2:3], 0xc", "kernarg+0xc: out+0x4"),
        ("s_load_dword s12, s[2:3], 0x40", "kernarg+0x40"),
        ("s_load_dword s12, s[0:1], 0x4", "dispatch+0x4"),
        ("s_load_dword s12, s[4:5], 0x4", "-"),
        ("s_load_dword s12, s[2:3], s9", "-"),
        ("s_load_dword s12, s[2:3], s9 offset:0x8", "-"),
        ("s_buffer_load_dword s12, s[0:3], 0x4", "-"),
        ("s_endpgm", "-"),
    ]),
    ("offsets in dwords", "gfx700", ARGUMENTS, &[
        ("s_load_dword s12, s[2:3], 0x4", "kernarg+0x10: n"),
        ("s_load_dword s12, s[2:3], lit(0x104)", "kernarg+0x410"),
        ("s_endpgm", "-"),
    ]),
    ("offsets in bytes", "gfx900", ARGUMENTS, &[
        ("s_load_dword s12, s[2:3], 0x10", "kernarg+0x10: n"),
        ("s_endpgm", "-"),
    ]),
    ("no offset", "gfx1100", ARGUMENTS, &[
        ("s_load_b128 s[8:11], s[2:3], null", "kernarg: in, out"),
        ("s_endpgm", "-"),
    ]),
    ("an overwritten pointer", "gfx1100", ARGUMENTS, &[
        ("s_load_b32 s12, s[2:3], 0x10", "kernarg+0x10: n"),
        ("s_mov_b32 s3, 0", "-"),
        ("s_load_b32 s12, s[2:3], 0x10", "-"),
        ("s_endpgm", "-"),
    ]),
    ("a pointer that a load overwrites", "gfx942", ARGUMENTS, &[
        ("s_load_dwordx4 s[0:3], s[2:3], 0x0", "kernarg: in, out"),
        ("s_load_dword s12, s[2:3], 0x10", "-"),
        ("s_endpgm", "-"),
    ]),
    ("a pointer that a lane overwrites", "gfx942", ARGUMENTS, &[
        ("v_readfirstlane_b32 s2, v0", "-"),
        ("s_load_dword s12, s[2:3], 0x10", "-"),
        ("s_endpgm", "-"),
    ]),
    ("a loop around what overwrites it", "gfx942", ARGUMENTS, &[
        ("s_load_dword s12, s[2:3], 0x0", "kernarg: in"),
        ("s_nop 0\n.Lloop:", "-"),
        ("s_load_dword s12, s[2:3], 0x10", "-"),
        ("s_mov_b32 s2, s12", "-"),
        ("s_cbranch_scc1 .Lloop", "k+0xc"),
        ("s_endpgm", "-"),
    ]),
    ("a loop that does not", "gfx942", ARGUMENTS, &[
        ("s_nop 0\n.Lloop:", "-"),
        ("s_load_dword s12, s[2:3], 0x10", "kernarg+0x10: n"),
        ("s_cbranch_scc1 .Lloop", "k+0x4"),
        ("s_endpgm", "-"),
    ]),
    ("a loop back to the beginning", "gfx942", ARGUMENTS, &[
        (".Lloop:\ns_load_dwordx2 s[2:3], s[2:3], 0x0", "-"),
        ("s_cbranch_scc1 .Lloop", "k"),
        ("s_endpgm", "-"),
    ]),
    ("a call may change anything", "gfx942", ARGUMENTS, &[
        ("s_load_dword s12, s[2:3], 0x0", "kernarg: in"),
        ("s_swappc_b64 s[30:31], s[20:21]", "-"),
        ("s_load_dword s12, s[2:3], 0x10", "-"),
        ("s_endpgm", "-"),
    ]),
    ("an address made of a pointer", "gfx942", ARGUMENTS, &[
        ("s_add_u32 s8, s2, 16", "kernarg+0x10: n"),
        ("s_addc_u32 s9, s3, 0", "kernarg+0x10: n"),
        ("s_load_dword s12, s[8:9], 0x8", "kernarg+0x18: hidden_block_count_x"),
        ("s_mov_b64 s[10:11], s[2:3]", "-"),
        ("s_load_dword s12, s[10:11], 0x8", "kernarg+0x8: out"),
        ("s_endpgm", "-"),
    ]),
    ("addresses of code and data", "gfx942", "", &[
        ("s_getpc_b64 s[8:9]", "-"),
        ("s_add_u32 s8, s8, callee@rel32@lo+4", "callee"),
        ("s_addc_u32 s9, s9, callee@rel32@hi+12", "callee"),
        ("s_swappc_b64 s[30:31], s[8:9]", "callee"),
        ("s_getpc_b64 s[8:9]", "-"),
        ("s_add_u32 s8, s8, table@rel32@lo+12", "table+0x8"),
        ("s_mov_b32 s20, 0", "-"),
        ("s_addc_u32 s9, s9, table@rel32@hi+24", "table+0x8"),
        ("s_load_dword s12, s[8:9], -4", "table+0x4"),
        ("s_load_dword s12, s[8:9], 0x80", "-"),
        ("s_endpgm", "-"),
    ]),
    ("addresses in vcc and in other registers than the program counter's", "gfx942", "", &[
        ("s_getpc_b64 vcc", "-"),
        ("s_add_u32 vcc_lo, vcc_lo, table@rel32@lo+4", "table"),
        ("s_addc_u32 vcc_hi, vcc_hi, table@rel32@hi+12", "table"),
        ("s_load_dword s12, vcc, 0x4", "table+0x4"),
        ("s_getpc_b64 s[8:9]", "-"),
        ("s_add_u32 s10, s8, callee@rel32@lo+4", "callee"),
        ("s_addc_u32 s11, s9, callee@rel32@hi+12", "callee"),
        ("s_swappc_b64 s[30:31], s[10:11]", "callee"),
        ("s_endpgm", "-"),
    ]),
    ("a table of offsets", "gfx1100", "", &[
        ("s_getpc_b64 s[8:9]", "-"),
        ("s_add_u32 s8, s8, there@gotpcrel32@lo+4", ".got"),
        ("s_addc_u32 s9, s9, there@gotpcrel32@hi+12", ".got"),
        ("s_load_b64 s[10:11], s[8:9], null", ".got: there"),
        ("s_load_b32 s10, s[8:9], null", ".got"),
        ("s_endpgm", "-"),
    ]),
    ("one addition of 64 bits", "gfx1250", ARGUMENTS, &[
        ("s_getpc_b64 s[8:9]", "-"),
        ("s_add_nc_u64 s[8:9], s[8:9], callee@rel64+4", "callee"),
        ("s_swappc_b64 s[30:31], s[8:9]", "callee"),
        ("s_endpgm", "-"),
    ]),
    ("a sign that is extended", "gfx1200", ARGUMENTS, &[
        ("s_getpc_b64 s[8:9]", "-"),
        ("s_sext_i32_i16 s9, s9", "-"),
        ("s_add_co_u32 s8, s8, callee@rel32@lo+8", "callee"),
        ("s_add_co_ci_u32 s9, s9, callee@rel32@hi+16", "callee"),
        ("s_swappc_b64 s[30:31], s[8:9]", "callee"),
        ("s_endpgm", "-"),
    ]),
    ("a carry of something else", "gfx942", "", &[
        ("s_getpc_b64 s[8:9]", "-"),
        ("s_add_u32 s8, s8, callee@rel32@lo+4", "-"),
        ("s_cmp_eq_u32 s1, 0", "-"),
        ("s_addc_u32 s9, s9, callee@rel32@hi+16", "-"),
        ("s_swappc_b64 s[30:31], s[8:9]", "-"),
        ("s_endpgm", "-"),
    ]),
    ("a jump between the halves", "gfx942", "", &[
        ("s_getpc_b64 s[8:9]\n.Lback:", "-"),
        ("s_add_u32 s8, s8, callee@rel32@lo+4", "-"),
        ("s_addc_u32 s9, s9, callee@rel32@hi+12", "-"),
        ("s_cbranch_scc1 .Lback", "k+0x4"),
        ("s_endpgm", "-"),
    ]),
];

#[test]
fn constants_have_a_source_where_it_is_sure() {
    for (name, target, arguments, lines) in CASES {
        let code: Vec<&str> = lines.iter().map(|(text, _)| *text).collect();
        let text = source(target, &code.join("\n"), arguments);
        let found = listed("sources", &text, &[], &[]);
        assert_eq!(found.len(), lines.len(), "{name}: {found:?}");
        for ((text, wanted), (shown, note)) in lines.iter().zip(found) {
            assert_eq!(note, wanted.trim_matches('-'), "{name}: {text}\n{shown}");
        }
        let silent = listed("sources", &text, &[], &["--no-sources"]);
        assert!(silent.iter().all(|(text, note)| note.is_empty() || text.contains("branch")), "{name}: {silent:?}");
    }
}

#[test]
fn relocations_stand_beside_their_literals() {
    let code = "s_getpc_b64 s[8:9]\n s_add_u32 s8, s8, away@rel32@lo+4\n s_addc_u32 s9, s9, away@gotpcrel32@hi+12\n \
                s_mov_b32 s0, away@abs32@lo\n s_branch outside\n s_load_dword s0, s[2:3], 0x8\n .quad away\n s_endpgm\n \
                .pushsection .text.outside,\"ax\"\n .globl outside\n outside: s_endpgm\n .popsection";
    let found = listed("sources_object", &source("gfx942", code, ARGUMENTS), &["-c"], &[]);
    let notes: Vec<&str> = found.iter().map(|(_, note)| note.as_str()).collect();
    let wanted = ["", "away@rel32@lo+0x4", "away@gotpcrel32@hi+0xc", "away@abs32@lo"];
    assert_eq!(notes[..4], wanted, "{found:?}");
    assert!(notes[4].ends_with("<outside"), "{found:?}");
    assert_eq!(notes[5], "kernarg+0x8: out");
    assert!(notes.contains(&"away@abs64"), "{found:?}");
}

/// The names come from the file, so they are escaped and cut, as in all other output.
#[test]
fn names_are_cut_and_escaped() {
    let long = "n".repeat(1000);
    let text = source("gfx942", "s_load_dwordx4 s[8:11], s[2:3], 0\n s_endpgm", &format!("\"a\\eb\":0:8 {long}:8:8"));
    let found = listed("sources_names", &text, &[], &[]);
    assert_eq!(found[0].1, format!("kernarg: a\\x1bb, {}...", "n".repeat(256)));
}

/// Values of every kind that are not needed are passed over.
#[test]
fn other_metadata_is_passed_over() {
    let text = source("gfx942", "s_load_dwordx2 s[8:9], s[2:3], 0\n s_endpgm", "in:0:8");
    let values = "1.5, -1, -200, -70000, 200, 70000, 5000000000, true, null, [], {}, text, \"\"";
    let text = text.replace("---\n", &format!("---\namdhsa.extra: [{values}, \"{}\"]\n", "a".repeat(300)));
    assert_eq!(listed("sources_other", &text, &[], &[])[0].1, "kernarg: in");
}

/// Code whose constants are its own has no notes, and notes in samples agree with their metadata.
#[test]
fn samples_load_their_arguments() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/samples");
    let mut count = 0;
    for directory in fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        let files = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
        // Kernels that are written by hand have no arguments.
        let is_compiled =
            |file: &PathBuf| Path::new(root).join(file.with_extension("cl").file_name().unwrap()).exists();
        for file in files.filter(is_compiled) {
            let listing = run(&["dis", "--no-fold", file.to_str().unwrap()], b"").ok();
            let kernels = listing.lines().filter(|line| line.ends_with("// kernel")).count();
            let loads = listing.lines().filter(|line| line.contains(" <kernarg") && line.contains(": arg")).count();
            assert!(loads >= kernels, "{file:?}: {kernels} kernels load their arguments {loads} times");
            count += 1;
        }
    }
    assert!(count >= 40, "{count}");
}
