//! `lint --fix` with addresses that code makes, jumps that it cannot follow, and kernels that must be aligned.

use std::path::Path;

use amdgpu_isa::{Decoder, Target};
use object::read::elf::ElfFile64;
use object::{LittleEndian, Object as _, ObjectSection as _, ObjectSymbol as _};

use super::asm_file::directory;
use super::lint_fix::{assembled, changed, descriptors_lead_to_kernels, kernels, mixed_samples, source_of};
use super::run;
use super::samples::*;

const TRIPLE: &str = "amdgcn-amd-amdhsa--";

/// A program with a kernel `k`, followed by a function `f`.
fn program(target: Target, code: &str) -> String {
    program_of(target, code, "s_mov_b32 s6, s7; s_setpc_b64 s[30:31]")
}

/// A program with a kernel `k` and a function `f`. In their code, `{load}` is an access to memory and a use without a
/// wait. In the kernel, `{4}` and `{8}` are the size of these two instructions plus 4 or 8.
fn program_of(target: Target, kernel: &str, function: &str) -> String {
    let later = |text: &str| amdgpu_isa::parse(target, text).is_ok();
    let load = if later("s_load_b32 s20, s[2:3], 0x0") { "s_load_b32" } else { "s_load_dword" };
    let load = format!("{load} s20, s[2:3], 0x0");
    let len = amdgpu_isa::parse(target, &load).unwrap().len() + 4;
    let load = load + "\n\ts_mov_b32 s21, s20";
    let accum = if later("v_accvgpr_read_b32 v0, a0") && later("buffer_load_dword a0, off, s[8:11], s3") {
        "\n\t.amdhsa_accum_offset 8"
    } else {
        ""
    };
    let [kernel, function] = [kernel, function].map(|code| code.replace("; ", "\n\t").replace("{load}", &load));
    let after = |bytes: usize| (bytes + len).to_string();
    let kernel = kernel.replace("{4}", &after(4)).replace("{8}", &after(8));
    let processor = target.processor();
    format!(
        "\t.amdgcn_target \"{TRIPLE}{processor}\"\n\t.text\n\t.globl k\n\t.p2align 8\n\t.type k,@function\nk:\n\t{kernel}
\ts_endpgm\n\t.size k, .-k\n\t.type f,@function\nf:\n\t{function}\n\t.size f, .-f
\t.rodata\n\t.p2align 6\n\t.amdhsa_kernel k\n\t.amdhsa_next_free_vgpr 8\n\t.amdhsa_next_free_sgpr 40{accum}
\t.end_amdhsa_kernel\n"
    )
}

/// The code of a file, its address, and the address of `f`.
fn code_of(path: &Path) -> (Vec<u8>, u64, u64) {
    let data = std::fs::read(path).unwrap();
    let file = ElfFile64::<LittleEndian>::parse(&*data).unwrap();
    let code = file.section_by_name(".text").unwrap();
    let function = file.symbols().find(|symbol| symbol.name() == Ok("f")).unwrap().address();
    (code.data().unwrap().to_vec(), code.address(), function)
}

/// The address that code makes relative to itself.
fn made(target: Target, code: &[u8], base: u64) -> u64 {
    let (mut sum, mut distance, mut is_open) = (0u64, 0u64, false);
    for found in Decoder::new(target, code) {
        let Ok(inst) = found.inst else { continue };
        let after = base + (found.offset + inst.len()) as u64;
        let literal = inst.words().last().map_or(0, |word| u64::from(*word));
        match inst.opcode().name() {
            "s_getpc_b64" | "s_call_b64" => (sum, is_open) = (after, true),
            "s_add_i32" => distance = literal.wrapping_add(4),
            "s_add_u32" if is_open && inst.words().len() == 1 => sum = sum.wrapping_add(distance),
            "s_add_u32" if is_open => sum = sum.wrapping_add(literal),
            "s_addc_u32" if inst.words().len() > 1 => sum = sum.wrapping_add(literal << 32),
            "s_add_nc_u64" if inst.words().len() > 1 => sum = sum.wrapping_add(inst.literal64().unwrap_or(literal)),
            _ => {}
        }
    }
    sum
}

/// Code that makes the address of `f` in s[4:5], for any target.
#[rustfmt::skip]
const ADDRESSES: &[&str] = &[
    "s_getpc_b64 s[4:5]; s_add_u32 s4, s4, f@rel32@lo+4; s_addc_u32 s5, s5, f@rel32@hi+12",
    "s_get_pc_i64 s[4:5]; s_add_co_u32 s4, s4, f@rel32@lo+4; s_add_co_ci_u32 s5, s5, f@rel32@hi+12",
    "s_getpc_b64 s[4:5]; {load}; s_add_u32 s4, f@rel32@lo+{4}, s4; s_mov_b32 s22, 0; s_addc_u32 s5, s5, 0",
    "s_getpc_b64 s[4:5]; s_sext_i32_i16 s5, s5; s_add_u32 s4, s4, f@rel32@lo+8; s_addc_u32 s5, s5, f@rel32@hi+16",
    "s_getpc_b64 s[4:5]; s_add_u32 s4, s4, f@rel32@lo+4; s_sext_i32_i8 s5, s5; s_addc_u32 s5, f@rel32@hi+16, s5",
    "s_get_pc_i64 s[4:5]; s_add_nc_u64 s[4:5], s[4:5], f@rel64+4",
    "s_get_pc_i64 s[4:5]; s_sext_i32_i16 s5, s5; {load}; s_add_nc_u64 s[4:5], f@rel64+{8}, s[4:5]",
    // The words are s_add_nc_u64 s[4:5], s[4:5], 0x134 with a literal of 32 bits.
    "s_getpc_b64 s[4:5]; s_add_nc_u64 s[22:23], s[22:23], 0; .long 0xa984ff04, 0x134; .p2align 6; .fill 60, 4, 0xbf800000",
    "s_getpc_b64 s[4:5]; s_add_i32 s8, f@rel32@lo, 4; s_add_u32 s4, s4, s8; s_addc_u32 s5, s5, 0",
    "s_get_pc_i64 s[4:5]; s_add_co_i32 s8, f@rel32@lo, 4; s_add_co_u32 s4, s4, s8; s_add_co_ci_u32 s5, s5, 0",
    "s_getpc_b64 s[8:9]; s_add_u32 s4, s8, f@rel32@lo+4; s_addc_u32 s5, s9, f@rel32@hi+12",
    "s_getpc_b64 vcc; s_add_u32 vcc_lo, vcc_lo, f@rel32@lo+4; s_addc_u32 vcc_hi, vcc_hi, f@rel32@hi+12; s_mov_b64 s[4:5], vcc",
    "s_get_pc_i64 vcc; s_add_nc_u64 s[4:5], vcc, f@rel64+4",
    "s_call_b64 s[4:5], .Lnext; .Lnext:; s_add_u32 s4, s4, f@rel32@lo+4; s_addc_u32 s5, s5, f@rel32@hi+12",
];

/// Addresses that code makes relative to itself have the same targets as before, in every spelling, on every target.
#[test]
fn addresses_follow_in_every_spelling() {
    let directory = directory("lint-spellings");
    let (mut followed, mut of_idiom) = (0, vec![0; ADDRESSES.len()]);
    for &target in Target::ALL.iter().filter(|target| !target.name().contains("wave")) {
        for (n, idiom) in ADDRESSES.iter().enumerate() {
            let source = program(target, &format!("{{load}}; {idiom}; {{load}}; s_swappc_b64 s[30:31], s[4:5]"));
            let files = ["broken", "repaired"].map(|name| directory.join(format!("{name}.co")));
            let [broken, repaired] = files.each_ref().map(|file| file.to_str().unwrap());
            if run(&["asm", "-", "-o", broken], source.as_bytes()).code != Some(0) {
                continue;
            }
            let goal = |path: &Path| {
                let (code, base, function) = code_of(path);
                assert_eq!(made(target, &code, base), function, "{target}: {idiom}, {}", path.display());
                function
            };
            let before = goal(&files[0]);
            let hints = run(&["lint", "--hints", broken], b"");
            assert!(hints.out.contains("unknown-call") == idiom.contains("s_call"), "{target}: {idiom}: {}", hints.out);
            let fixed = run(&["lint", "--fix", "-o", repaired, broken], b"");
            assert_eq!(fixed.code, Some(0), "{target}: {idiom}: {}{}", fixed.out, fixed.err);
            assert!(goal(&files[1]) > before, "{target}: {idiom}: {}", fixed.err);
            (followed, of_idiom[n]) = (followed + 1, of_idiom[n] + 1);
            // Bare code has no symbols or relocations that could be changed.
            let (code, ..) = code_of(&files[0]);
            let raw = run(&["lint", "--fix", "--raw", "--target", target.name(), "-o", repaired, "-"], &code).fails(1);
            assert!(raw.contains("reads its address, so bare code cannot be changed"), "{target}: {raw}");
        }
    }
    println!("{followed} followed: {of_idiom:?}");
    assert!(followed > 0);
    if Target::ALL.iter().any(|target| target.name() == "gfx1250") {
        assert!(of_idiom.iter().all(|count| *count > 0), "{of_idiom:?}");
    }
}

/// A use of an address that is not understood is refused with its place.
#[test]
fn what_is_unknown_of_addresses_is_refused() {
    let directory = directory("lint-unknown");
    let [broken, out] = ["broken.co", "out.co"].map(|name| directory.join(name));
    let [broken, out] = [&broken, &out].map(|path| path.to_str().unwrap());
    let mut refused = 0;
    for &target in Target::ALL.iter().filter(|target| !target.name().contains("wave")) {
        for idiom in [
            "s_getpc_b64 s[4:5]; s_mov_b32 s8, s4",
            "s_getpc_b64 s[4:5]; s_sub_u32 s4, s4, s8; s_subb_u32 s5, s5, 0",
            "s_getpc_b64 s[4:5]; s_sub_u32 s4, f@rel32@lo, s4; s_subb_u32 s5, s5, 0",
            "s_getpc_b64 s[4:5]; s_sub_u32 s4, s4, f@rel32@lo; s_addc_u32 s5, s5, 0",
            "s_getpc_b64 s[4:5]; s_add_i32 s8, f@rel32@lo, 4; s_mul_i32 s8, s8, 3; s_add_u32 s4, s4, s8; s_addc_u32 s5, s5, 0",
            "s_getpc_b64 s[4:5]; s_add_i32 s8, f@rel32@lo, s9; s_add_u32 s4, s4, s8; s_addc_u32 s5, s5, 0",
            "s_getpc_b64 s[4:5]; s_add_i32 s8, f@rel32@lo, 4; s_abs_i32 s8, s8; s_sub_u32 s4, s4, s8; s_addc_u32 s5, s5, 0",
            "s_getpc_b64 s[4:5]; s_add_u32 s4, s4, 24; s_addc_u32 s5, s5, 0; {load}; s_nop 0; s_nop 0",
            "s_getpc_b64 s[4:5]; s_add_u32 s8, s4, f@rel32@lo+4; s_addc_u32 s9, s5, 0; {load}; s_mov_b32 s8, s4; s_mul_i32 s8, s8, 3",
            "s_getpc_b64 s[4:5]; s_add_u32 s4, s4, s8; s_addc_u32 s5, s5, s9",
            "s_getpc_b64 s[4:5]; s_add_u32 s4, s4, f@rel32@lo+4; s_cmp_eq_u32 s8, 0; s_addc_u32 s5, s5, 0",
            "s_getpc_b64 s[4:5]; s_add_u32 s4, s4, f@rel32@lo+4; s_addc_u32 s5, s5, 0; s_add_u32 s4, s4, s8",
            "s_getpc_b64 s[4:5]; s_cbranch_scc1 .Ljoin; .Ljoin:; s_add_u32 s4, s4, 0x100; s_addc_u32 s5, s5, 0",
            "s_get_pc_i64 s[4:5]; s_add_nc_u64 s[4:5], s[4:5], 24; {load}; s_nop 0; s_nop 0",
            "s_get_pc_i64 s[4:5]; s_add_nc_u64 s[4:5], s[4:5], s[8:9]",
            "s_get_pc_i64 s[4:5]; s_sub_nc_u64 s[4:5], s[4:5], 0x100",
            "s_get_pc_i64 vcc; s_add_nc_u64 vcc, vcc, s[4:5]",
            "s_cbranch_scc1 .Lover; s_add_pc_i64 s[4:5]; .Lover:",
        ] {
            let source = program(target, &format!("{{load}}; {idiom}"));
            if run(&["asm", "-", "-o", broken], source.as_bytes()).code == Some(0) {
                let message = run(&["lint", "--fix", "-o", out, broken], b"").fails(1);
                let wanted = "reads its address and does something unknown with it";
                assert!(message.contains("the code at 0x") && message.contains(wanted), "{target}: {idiom}: {message}");
                refused += 1;
            }
        }
    }
    assert!(refused >= 8 && !Path::new(out).exists(), "{refused}");
}

/// A jump by a number of bytes has the same target as before, as far as its constant can express it.
#[test]
fn jumps_by_bytes_follow() {
    let Ok(target) = "gfx1250".parse::<Target>() else { return };
    let inst = |text: &str| amdgpu_isa::parse(target, text).unwrap_or_else(|e| panic!("{text}: {e}"));
    let load = ["s_load_b32 s20, s[2:3], 0x0", "s_mov_b32 s21, s20"];
    let directory = directory("lint-jumps");
    let load = load.map(|text| inst(text).words().to_vec()).concat();
    let [mark, end] = ["s_mov_b32 s22, 1", "s_endpgm"].map(|text| inst(text).words().to_vec());
    // A conditional branch goes over the jump, which goes over a load and its use.
    for jump in [&[0xbe80_4b8c][..], &[0xbe80_4bff, 12], &[0xbe80_4bfe, 12, 0]] {
        let over = inst(&format!("s_cbranch_scc1 {}", jump.len()));
        let old = [over.words(), jump, &load, &mark, &end].concat();
        let new = changed("--fix", "gfx1250", &old);
        let text = |words: &[u32]| -> Vec<String> {
            Decoder::new(target, &bytes(words)).map(|found| found.inst.unwrap().to_string()).collect()
        };
        let goal = |words: &[u32]| {
            let all = bytes(words);
            let mut insts = Decoder::new(target, &all).map(|found| (found.offset, found.inst.unwrap()));
            let (at, jump) = insts.nth(1).unwrap();
            let to = jump.branch_target(at as u64).unwrap() as usize;
            amdgpu_isa::decode(target, &all[to..]).unwrap().to_string()
        };
        assert_eq!(
            (goal(&old), goal(&new)),
            ("s_mov_b32 s22, 1".into(), "s_mov_b32 s22, 1".into()),
            "{:?}",
            text(&new)
        );
        assert_eq!(new.len(), old.len() + 1, "{:?}", text(&new));
        // The same code in a code object.
        let long: Vec<String> = old.iter().map(|word| format!(".long {word:#x}")).collect();
        let [broken, repaired] = ["broken", "repaired"].map(|name| directory.join(format!("{name}.co")));
        assembled(&program(target, &long.join("; ")), &broken);
        let fixed = run(&["lint", "--fix", "-o", repaired.to_str().unwrap(), broken.to_str().unwrap()], b"");
        assert_eq!(fixed.code, Some(0), "{}{}", fixed.out, fixed.err);
        let words: Vec<u32> =
            code_of(&repaired).0.chunks_exact(4).map(|four| u32::from_le_bytes(four.try_into().unwrap())).collect();
        assert_eq!(words[..new.len()], new, "{:?}", text(&words));
    }
    // 64 is the greatest inline constant.
    let over = inst("s_cbranch_scc1 1");
    let words = [over.words(), &[0xbe80_4bc0], &load, &[0xbf80_0000; 13], &end].concat();
    let message = run(&["lint", "--fix", "--raw", "--target", "gfx1250", "-o", "-", "-"], &bytes(&words)).fails(1);
    assert!(message.contains("the branch at 0x4 cannot follow"), "{message}");
}

/// A jump through registers with an unknown target, unless it is a return, keeps the code to which it may lead from
/// moving.
#[test]
fn what_unknown_jumps_may_lead_to_stays() {
    let directory = directory("lint-unknown-jumps");
    let [broken, out] = ["broken.co", "out.co"].map(|name| directory.join(name));
    let [broken, out] = [&broken, &out].map(|path| path.to_str().unwrap());
    let mut tried = 0;
    for &target in Target::ALL.iter().filter(|target| !target.name().contains("wave")) {
        let is_later = amdgpu_isa::parse(target, "s_load_b32 s20, s[2:3], 0x0").is_ok();
        let pair = if is_later { "s_load_b64" } else { "s_load_dwordx2" };
        let wait =
            if amdgpu_isa::parse(target, "s_wait_kmcnt 0").is_ok() { "s_wait_kmcnt 0" } else { "s_waitcnt lgkmcnt(0)" };
        // A table in data has distances to places in the code.
        let jump = format!(
            "{pair} s[8:9], s[0:1], 0x8; {wait}; s_setpc_b64 s[8:9]; .Lfirst:; {{load}}; s_endpgm; .Lsecond:; {{load}}"
        );
        let table = "\t.data\n\t.long .Lsecond-k\n\t.quad .Lfirst\n";
        let fix = |source: &str, more: &[&str], option: &str| {
            assembled(source, Path::new(broken));
            run(&[&["lint", option, "-o", out, broken], more].concat(), b"")
        };
        // The places in the table have the type of functions, so that unknown callers may call them.
        let source = program(target, &jump) + table;
        let entry = source.replace(".Lfirst:", ".type t,@function\nt:\n.Lfirst:");
        let message = fix(&entry, &[], "--fix").fails(1);
        assert!(message.contains("it is not known where the jump at 0x"), "{target}: {message}");
        let vouched = fix(&entry, &["--trust-jumps"], "--fix");
        assert_eq!(vouched.code, Some(0), "{target}: {}{}", vouched.out, vouched.err);
        std::fs::remove_file(out).unwrap();
        let trim = entry.replace("s_setpc_b64 s[8:9]", &format!("{wait}\n\ts_setpc_b64 s[8:9]"));
        let message = fix(&trim, &[], "--trim").fails(1);
        assert!(message.contains("code that it may lead to would move"), "{target}: {message}");
        // If nothing has to change, nothing is refused. A return is not a jump with an unknown target, wherever its
        // address was saved.
        let waited = jump.replace("{load}", "s_mov_b32 s21, s20");
        assert_eq!(fix(&program(target, &waited), &[], "--fix").code, Some(0), "{target}");
        // Both programs call a function whose distance is in a table in data: the first through s[4:5], and the second
        // through vcc.
        let open = "s_getpc_b64 s[4:5]; s_add_u32 s4, s4, table@rel32@lo+4; s_addc_u32 s5, s5, table@rel32@hi+12";
        let open =
            format!("{open}; s_add_u32 s4, s4, s24; s_addc_u32 s5, s5, 0; s_swappc_b64 s[30:31], s[4:5]; {{load}}");
        let table = "\t.data\ntable:\n\t.long f-table\n";
        let message = fix(&(program(target, &open) + table), &[], "--fix").fails(1);
        assert!(message.contains("it is not known where the jump at 0x"), "{target}: {message}");
        let in_vcc = open.replace("s[4:5]", "vcc").replace("s4", "vcc_lo").replace("s5", "vcc_hi");
        let message = fix(&(program(target, &in_vcc) + table), &[], "--fix").fails(1);
        assert!(message.contains("it is not known where the jump at 0x"), "{target}: {message}");
        // The sum is made in vector registers.
        let vector = "v_mov_b32 v4, s4; v_mov_b32 v5, s5; v_mad_u32_u24 v4, v4, v6, v7; v_readfirstlane_b32 s4, v4";
        let vector = open.replace("s_add_u32 s4, s4, s24; s_addc_u32 s5, s5, 0", vector);
        assert!(vector.contains("v_mad"), "{vector}");
        let message = fix(&(program(target, &vector) + table), &[], "--fix").fails(1);
        assert!(message.contains("it is not known where the jump at 0x"), "{target}: {message}");
        // The sum is saved before the call: in lanes, in vector registers, and from these in memory.
        let lanes = |read: &str| {
            format!(
                "v_writelane_b32 v1, s4, 0; v_writelane_b32 v1, s5, 3; {read}; v_readlane_b32 s6, v1, 0; v_readlane_b32 s7, v1, 3"
            )
        };
        let copies = |read: &str| {
            format!(
                "v_mov_b32 v1, s4; v_mov_b32 v2, s5; {read}; v_readfirstlane_b32 s6, v1; v_readfirstlane_b32 s7, v2"
            )
        };
        let has = |text: &&str| amdgpu_isa::parse(target, text).is_ok();
        let store = ["buffer_store_dword v1, off, s[12:15], s16 offset:8", "scratch_store_b32 off, v1, s16 offset:8"];
        let store = store.iter().find(|text| has(text)).expect("each target can save a register").to_string();
        let memory = format!("{store}; v_mov_b32 v1, 0; {}", store.replace("store", "load"));
        let memory = memory.replace("load_b32 off, v1", "load_b32 v1, off");
        let saved = [lanes("s_nop 0"), lanes(&memory), copies("s_nop 0"), copies(&memory)];
        for saved in saved {
            let save = format!("{saved}; s_swappc_b64 s[30:31], s[6:7]");
            let message =
                fix(&(program(target, &open.replace("s_swappc_b64 s[30:31], s[4:5]", &save)) + table), &[], "--fix");
            let message = message.fails(1);
            assert!(message.contains("it is not known where the jump at 0x"), "{target}: {message}");
            // An address that the code makes follows, wherever it is saved.
            let made = "s_getpc_b64 s[4:5]; s_add_u32 s4, s4, f@rel32@lo+4; s_addc_u32 s5, s5, f@rel32@hi+12";
            let known = fix(&program(target, &format!("{made}; {saved}; s_setpc_b64 s[6:7]; {{load}}")), &[], "--fix");
            assert_eq!(known.code, Some(0), "{target}: {saved}: {}{}", known.out, known.err);
        }
        // A function returns the address of another one in vector registers, which had sums before.
        let sums = "v_mad_u32_u24 v0, v2, v3, v4; v_mad_u32_u24 v1, v2, v3, v4";
        let made = "s_getpc_b64 s[4:5]; s_add_u32 s4, s4, f@rel32@lo+4; s_addc_u32 s5, s5, f@rel32@hi+12";
        let read = "v_readfirstlane_b32 s6, v0; v_readfirstlane_b32 s7, v1; s_swappc_b64 s[30:31], s[6:7]; {load}";
        let returned = format!("{sums}; {made}; s_swappc_b64 s[30:31], s[4:5]; {read}");
        let known = fix(&program(target, &returned), &[], "--fix");
        assert_eq!(known.code, Some(0), "{target}: {}{}", known.out, known.err);
        let both = ["s[4:5]", "s[8:9]"].map(|pair| {
            let first: u8 = if pair == "s[4:5]" { 4 } else { 8 };
            let high = first + 1;
            let low = format!("s_add_u32 s{first}, s{first}, f@rel32@lo+4");
            format!("s_getpc_b64 {pair}; {low}; s_addc_u32 s{high}, s{high}, f@rel32@hi+12")
        });
        let select = "s_cselect_b64 s[4:5], s[4:5], s[8:9]; s_swappc_b64 s[30:31], s[4:5]; {load}";
        let known = fix(&program(target, &format!("{}; {}; {select}", both[0], both[1])), &[], "--fix");
        assert_eq!(known.code, Some(0), "{target}: {}{}", known.out, known.err);
        let save = "v_writelane_b32 v1, s30, 0; v_writelane_b32 v1, s31, 1; s_mov_b64 s[30:31], 0";
        let restore = "v_readlane_b32 s30, v1, 0; v_readlane_b32 s31, v1, 1; s_mov_b64 s[34:35], s[30:31]";
        let kept = format!("{save}; {restore}; {{load}}; s_setpc_b64 s[34:35]");
        let kept = fix(&program_of(target, "{load}", &kept), &[], "--fix");
        assert_eq!(kept.code, Some(0), "{target}: {}{}", kept.out, kept.err);
        tried += 1;
    }
    assert!(tried > 0 || Target::ALL.len() < 4);
}

/// Every kernel stays at an address where hardware can start it, although a line is removed from a sample's source or
/// added.
#[test]
fn kernels_stay_aligned_in_a_source() {
    let directory = directory("lint-aligned");
    let edited = directory.join("edited.co");
    let mut tried = 0;
    for sample in mixed_samples() {
        let source = source_of(&sample);
        let data = std::fs::read(&sample).unwrap();
        let count = kernels(&ElfFile64::<LittleEndian>::parse(&*data).unwrap()).len();
        let aligned =
            source.iter().filter(|line| line.starts_with("\t.p2align 8") || line.starts_with("\t.p2alignl 8"));
        assert!(aligned.count() >= count, "{}", sample.display());
        let line = source.iter().position(|line| line.starts_with("\tv_add")).unwrap();
        for new in [&[][..], &[source[line].clone(), "\ts_nop 0".into()]] {
            assembled(&([&source[..line], new, &source[line + 1..]].concat().join("\n") + "\n"), &edited);
            descriptors_lead_to_kernels(&edited);
            tried += 1;
        }
    }
    assert!(tried > 0);
}

#[test]
fn kernels_begin_where_hardware_does() {
    let Ok(target) = "gfx942".parse::<Target>() else { return };
    let source = program(target, "s_nop 0");
    for (old, new) in [("\t.p2align 8\n", ""), ("\t.type k", "\ts_nop 0\n\t.type k")] {
        let run = run(&["asm", "-", "-o", "-"], source.replacen(old, new, 1).as_bytes());
        let message = run.fails(1);
        assert!(message.contains("the kernel does not begin at a multiple of 256 bytes"), "{message}");
        assert!(message.contains("`.p2align 8` before its label"), "{message}");
        // An error is shown instead of one of many warnings.
        let source = ".warning\n".repeat(200) + &source.replacen(old, new, 1);
        let run = self::run(&["asm", "-", "-o", "-"], source.as_bytes());
        assert!(run.code == Some(1) && run.err.contains("error: the kernel does not begin at"), "{}", run.err);
        assert!(run.err.contains("\nand 101 more\n"), "{}", run.err);
    }
    let object = code_object_properties(GFX942, 0, &[S_NOP, S_ENDPGM], &[S_ENDPGM]);
    assert!(run(&["lint", "-"], &object).err.contains(" 0 errors"));
    // The kernel's symbol: a global function in the first section.
    let symbol = |address: u64| [&[0x12, 0, 1, 0][..], &address.to_le_bytes()].concat();
    let at = object.windows(12).position(|bytes| bytes == symbol(BASE)).unwrap();
    let moved = [&object[..at], &symbol(BASE + 4), &object[at + 12..]].concat();
    let found = run(&["lint", "-"], &moved);
    assert!(found.out.contains("error[kernel-alignment]: a kernel begins at a multiple of 256 bytes"), "{}", found.out);
}
