//! `asm --long-branches`: branches that do not reach their target jump there through registers.

use super::run;

/// The lines of code in a listing, as addresses and texts.
fn listing(source: &str, cpu: &str, options: &[&str]) -> Vec<(u64, String)> {
    let work = super::asm_file::directory(&format!("asm-far-{cpu}-{}", options.len()));
    let output = work.join("far.o");
    let args = [&["asm", "-c", "-", cpu, "-o", output.to_str().unwrap()], options].concat();
    run(&args, source.as_bytes()).ok();
    let out = run(&["dis", "--json", output.to_str().unwrap()], b"").ok();
    let lines = out.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    lines.map(|line| (line["address"].as_u64().unwrap(), line["text"].as_str().unwrap().to_string())).collect()
}

/// The target of the sequence that begins with `s_getpc_b64`.
fn goal(lines: &[(u64, String)], at: usize) -> u64 {
    let literal = |line: &str| {
        let text = line.rsplit(' ').next().unwrap().trim_start_matches("lit(").trim_end_matches(')');
        let (text, radix) = text.strip_prefix("0x").map_or((text, 10), |text| (text, 16));
        i64::from_str_radix(text, radix).unwrap() as u64 & 0xffff_ffff
    };
    let [low, high] = [1, 2].map(|n| literal(&lines[at + n].1));
    assert!(lines[at].1.starts_with("s_get") && lines[at + 1].1.starts_with("s_add_"), "{:?}", &lines[at..at + 3]);
    lines[at + 1].0.wrapping_add(high << 32 | low)
}

const SOURCE: &str = "
back:
	s_cbranch_scc0 there
	s_branch near
	s_branch there
near:
	.fill 0x9000, 4, 0xbf800001
	.p2align 8
there:
	s_nop 5
	s_branch back
	.set after, back+4
	s_cbranch_scc1 after
	.long there-back
";

#[test]
fn branches_that_do_not_reach_become_long() {
    for (cpu, end) in
        [("gfx700", "s_setpc_b64"), ("gfx942", "s_setpc_b64"), ("gfx1100", "s_setpc_b64"), ("gfx1250", "s_set_pc_i64")]
    {
        let lines = listing(SOURCE, cpu, &["--long-branches", "s[4:5]"]);
        let pcs: Vec<usize> = (0..lines.len()).filter(|n| lines[*n].1.starts_with("s_get")).collect();
        let there = lines.iter().find(|(_, text)| text == "s_nop 5").unwrap().0;
        let goals: Vec<u64> = pcs.iter().map(|at| goal(&lines, *at)).collect();
        assert_eq!(goals, [there, there, 0, 4], "{cpu}");
        assert!(pcs.iter().all(|at| lines[at + 3].1 == format!("{end} s[4:5]")), "{cpu}");
        assert_eq!(there % 256, 0);
        // The conditional branch selects between the long branch and the code after it.
        assert_eq!((lines[0].1.as_str(), lines[1].1.as_str()), ("s_cbranch_scc0 1", "s_branch 6"), "{cpu}");
        // A branch that reaches its target stays as it is, and differences of labels have their last values.
        assert_eq!(lines[pcs[1] - 1], (lines[pcs[1]].0 - 4, "s_branch 6".to_string()), "{cpu}");
        let hex = run(&["asm", "--hex", "-", cpu, "--long-branches", "s[4:5]"], SOURCE.as_bytes()).ok();
        let last: String = (there as u32).to_le_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        assert!(hex.trim_end().ends_with(&last), "{cpu}");
    }
}

/// The waits of RDNA4 in a long branch, as LLVM's compiler puts them (`-amdgpu-s-branch-bits`). `lint` finds no fault.
#[test]
fn long_branches_have_the_waits_that_they_need() {
    let work = super::asm_file::directory("asm-far-waits");
    let file = work.join("far.co").to_str().unwrap().to_string();
    for (options, registers) in [("s[4:5]", ""), ("s[4:5],s7", "s7")] {
        let source = format!(".type k,@function\nk:\n{SOURCE}\ns_endpgm\n");
        run(&["asm", "-", "gfx1200", "--long-branches", options, "-o", &file], source.as_bytes()).ok();
        let lines = listing(&source, "gfx1200", &["--long-branches", options]);
        let texts: Vec<&str> = lines.iter().map(|(_, text)| text.as_str()).collect();
        let at = texts.iter().position(|text| text.starts_with("s_getpc")).unwrap();
        let wait = "s_wait_alu depctr_sa_sdst(0)";
        assert_eq!(texts[at + 1], wait, "{texts:?}");
        let end = at + texts[at..].iter().position(|text| text.starts_with("s_setpc")).unwrap();
        assert!(texts[at..end].contains(&wait) && texts[end - 1] == wait, "{texts:?}");
        assert_eq!(texts[at..end].iter().any(|text| text.starts_with("s_cmp_lg_u32")), !registers.is_empty());
        // The first conditional branch goes around the long branch.
        let dwords = (lines[end].0 + 4 - lines[2].0) / 4;
        assert_eq!(texts[..2], ["s_cbranch_scc0 1".to_string(), format!("s_branch {dwords}")]);
        let there = lines.iter().find(|(_, text)| text == "s_nop 5").unwrap().0;
        let literal = texts[at + 2].rsplit(' ').next().unwrap().trim_start_matches("0x");
        assert_eq!(lines[at + 1].0 + u64::from_str_radix(literal, 16).unwrap(), there, "{texts:?}");
        let checked = run(&["lint", &file], b"");
        assert!(!checked.out.contains("[W03]"), "{}", checked.out);
    }
}

#[test]
fn scc_is_kept_on_request() {
    let lines = listing(SOURCE, "gfx900", &["--long-branches", "s[4:5], s7"]);
    let at = lines.iter().position(|(_, text)| text.starts_with("s_getpc")).unwrap();
    assert_eq!((lines[at - 1].1.as_str(), lines[at + 3].1.as_str()), ("s_cselect_b32 s7, 1, 0", "s_cmp_lg_u32 s7, 0"));
    assert_eq!(goal(&lines, at), lines.iter().find(|(_, text)| text == "s_nop 5").unwrap().0);
}

#[test]
fn what_becomes_no_long_branch_has_a_message() {
    let fails = |source: &str, options: &[&str]| {
        let args = [&["asm", "--hex", "-", "gfx942"], options].concat();
        run(&args, source.as_bytes()).err
    };
    let error = fails(SOURCE, &[]);
    assert!(error.contains("`asm --long-branches s[N:N+1]`") && error.contains("4 errors"), "{error}");
    for registers in ["s[5:6]", "s4", "s[4:6]", "s[4:5],v1", "s[4:5],", ""] {
        assert!(fails(SOURCE, &["--long-branches", registers]).contains("two registers such as s[4:5]"), "{registers}");
    }
    for registers in ["s[200:201]", "s[4:5],s5"] {
        assert!(fails(SOURCE, &["--long-branches", registers]).contains("4 errors"), "{registers}");
    }
    // Registers of long branches count among those that a kernel uses.
    let source = format!(".set .amdgcn.next_free_sgpr, 0\n{SOURCE}\n.long .amdgcn.next_free_sgpr\n");
    let hex = run(&["asm", "--hex", "-", "gfx942", "--long-branches", "s[40:41]"], source.as_bytes()).ok();
    assert!(hex.trim_end().ends_with("2a000000"), "{}", &hex[hex.len() - 20..]);
}

/// RDNA1 does not execute branches over 63 dwords correctly. LLVM's assembler adds an `s_nop` to make them 64,
/// as do this assembler and `lint --fix`.
#[test]
fn branches_over_63_dwords_are_padded_on_rdna1() {
    // The padding of the second branch is inside the range of the first one, which therefore becomes a branch over 63
    // dwords.
    let source =
        "s_cbranch_scc0 end\n.fill 61, 4, 0xbf810000\nend:\ns_branch far\n.fill 63, 4, 0xbf810000\nfar: s_endpgm\n";
    let both = "s_cbranch_scc0 far\ns_branch end\n.fill 61, 4, 0xbf810000\nend: s_endpgm\nfar: s_endpgm\n";
    let first =
        "s_cbranch_scc1 end\n.fill 61, 4, 0xbf810000\ns_branch far\nend:\n.fill 63, 4, 0xbf810000\nfar: s_endpgm\n";
    for (source, padded) in [(source, 1), (both, 1), (first, 2)] {
        for (cpu, expected) in [("gfx1010", padded), ("gfx1012", padded), ("gfx1013", padded), ("gfx1030", 0)] {
            let work = super::asm_file::directory(&format!("asm-broken-{cpu}"));
            let (path, object) = (work.join("code.s"), work.join("code.o"));
            std::fs::write(&path, source).unwrap();
            let hex = run(&["asm", "--hex", "-", cpu], source.as_bytes()).ok();
            let llvm = std::process::Command::new("llvm-mc-22")
                .args(["-triple=amdgcn-amd-amdhsa", &format!("-mcpu={cpu}"), "-filetype=obj", "-o"])
                .args([&object, &path])
                .status();
            assert!(llvm.expect("llvm-mc-22").success());
            let bytes = std::fs::read(&object).unwrap();
            let hex: Vec<u8> =
                (0..hex.trim().len() / 2).map(|n| u8::from_str_radix(&hex[2 * n..2 * n + 2], 16).unwrap()).collect();
            assert_eq!(hex.chunks(4).filter(|word| *word == [0, 0, 0x80, 0xbf]).count(), expected, "{cpu}: {source}");
            assert!(bytes.windows(hex.len()).any(|all| all == hex), "{cpu}: {source}");
        }
    }
    // If no `s_nop` can repair a branch, there is an error, and not an endless number of rounds.
    for place in [".+256", "0b+256"] {
        let source = format!("0:\n.set to, {place}\ns_branch to\n.fill 80, 4, 0xbf810000\n");
        let message = run(&["asm", "--hex", "-", "gfx1010"], source.as_bytes()).fails(1);
        assert!(message.contains("cannot branch over 63 dwords"), "{message}");
        run(&["asm", "--hex", "-", "gfx1030"], source.as_bytes()).ok();
    }
    // Branches given as numbers stay as they are; `lint` finds and repairs them.
    let mut code: Vec<u8> = 0xbf82_003f_u32.to_le_bytes().to_vec();
    code.extend([0xbf81_0000_u32; 64].iter().flat_map(|word| word.to_le_bytes()));
    let file = super::asm_file::directory("lint-broken").join("code.bin");
    std::fs::write(&file, &code).unwrap();
    let name = file.to_str().unwrap();
    let found = run(&["lint", "--raw", "--target", "gfx1010", name], b"");
    assert!(found.out.contains("T09") && found.code == Some(1), "{}", found.out);
    assert!(!run(&["lint", "--raw", "--target", "gfx1030", name], b"").out.contains("T09"));
    let fixed = file.with_extension("fixed");
    run(&["lint", "--raw", "--target", "gfx1010", name, "--fix", "-o", fixed.to_str().unwrap()], b"").ok();
    let new = std::fs::read(&fixed).unwrap();
    assert_eq!((&new[..8], new.len()), (&[0x40, 0, 0x82, 0xbf, 0, 0, 0x80, 0xbf][..], code.len() + 4));
}
