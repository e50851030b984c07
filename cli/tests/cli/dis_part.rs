//! `dis --kernel`, `--descriptors`, and padding as one line.

use super::run;
use super::samples::*;

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/samples/gfx1100/mixed.co");

/// The lines of a listing from a symbol on, up to an empty line.
fn from<'a>(listing: &'a str, symbol: &str) -> Vec<&'a str> {
    let is_head = |line: &&str| line.contains(&format!(" <{symbol}>:"));
    listing.lines().skip_while(|line| !is_head(line)).take_while(|line| !line.is_empty()).collect()
}

#[test]
fn a_kernel_is_shown_alone_as_it_is_in_the_whole_listing() {
    let whole = run(&["dis", "--no-fold", SAMPLE], b"").ok();
    let names: Vec<&str> =
        whole.lines().filter_map(|line| Some(line.split_once(" <")?.1.split_once(">:")?.0)).collect();
    assert!(names.len() > 3, "{names:?}");
    for name in names {
        let out = run(&["dis", "--no-fold", "--kernel", name, SAMPLE], b"").ok();
        let (part, all) = (from(&out, name), from(&whole, name));
        assert_eq!(out.matches(">:").count(), 1, "{out}");
        assert!(out.lines().next().is_some_and(|line| line.contains("target gfx1100, section .text, ")), "{out}");
        assert_eq!(part, all[..part.len()]);
        // Padding follows the part.
        let is_padding = |line: &&str| line.starts_with("\ts_code_end ") || line.starts_with("\t.long 0x00000000 ");
        assert!(all[part.len()..].iter().all(is_padding), "{name}: {all:?}");
        assert!(part.iter().any(|line| line.starts_with("\ts_endpgm ")), "{part:?}");
        assert!(!part.iter().any(is_padding), "{part:?}");
    }
}

#[test]
fn a_symbol_without_a_size_ends_at_the_next_function() {
    let mut object = code_object(GFX942);
    let size = |object: &[u8], value: u64| {
        let symbol = [BASE.to_le_bytes(), value.to_le_bytes()].concat();
        object.windows(16).position(|bytes| bytes == symbol).map(|at| at + 8)
    };
    let at = size(&object, 28).expect("the size of the first function");
    object[at..at + 8].copy_from_slice(&[0; 8]);
    let out = run(&["dis", "--kernel", "first", "-"], &object).ok();
    assert!(out.starts_with("standard input: target gfx942, section .text, 28 bytes\n"), "{out}");
    // A symbol whose size is too large ends with the section.
    object[at..at + 8].copy_from_slice(&[0xff; 8]);
    let out = run(&["dis", "--kernel", "first", "-"], &object).ok();
    assert!(out.starts_with("standard input: target gfx942, section .text, 36 bytes\n"), "{out}");
    let out = run(&["dis", "--kernel", "second", "-"], &object).ok();
    assert!(out.starts_with("standard input: target gfx942, section .text, 8 bytes\n"), "{out}");
    assert!(!out.contains("<first>:"), "{out}");
}

#[test]
fn a_kernel_is_shown_as_json() {
    let out = run(&["dis", "--json", "--kernel", "second", "-"], &usual_bundle()).ok();
    let lines: Vec<serde_json::Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2, "{out}");
    assert_eq!((&lines[0]["label"], &lines[0]["address"]), (&"second".into(), &0x191c.into()));
    assert_eq!(lines[1]["text"], "s_endpgm");
}

#[test]
fn an_unknown_name_is_told_with_those_that_are_near() {
    let error = run(&["dis", "--kernel", "fist", "-"], &code_object(GFX942)).fails(1);
    assert!(error.contains("no kernel or function is named fist; similar: first\n"), "{error}");
    let error = run(&["dis", "--kernel", "irs", "-"], &code_object(GFX942)).fails(1);
    assert!(error.contains("similar: first\n"), "{error}");
    let error = run(&["dis", "--kernel", "x\u{1b}yz", "-"], &code_object(GFX942)).fails(1);
    assert!(error.contains("named x\\x1byz; there are first, second\n"), "{error}");
    // A bundle has the name in one of its images, or in none.
    assert!(run(&["dis", "--kernel", "first", "-"], &usual_bundle()).ok().contains("<first>:"));
    assert!(run(&["dis", "--kernel", "third", "-"], &usual_bundle()).fails(1).contains("is named third"));
    for other in [&["--asm"][..], &["--raw", "--target", "gfx942"]] {
        let error = run(&[&["dis", "--kernel", "first", "-"], other].concat(), b"").fails(2);
        assert!(error.contains("cannot be used with"), "{error}");
    }
}

/// Code under many symbols of one name is shown once.
#[test]
fn symbols_that_overlap_do_not_multiply_the_code() {
    let object = code_object(GFX942);
    // Both symbols get the name `first`.
    let text = |object: &[u8], what: &[u8]| object.windows(what.len()).position(|bytes| bytes == what);
    let (first, second) = (text(&object, b"first\0").unwrap(), text(&object, b"second\0").unwrap());
    let mut twice = object.clone();
    let name = (second - first + 1) as u32;
    let symbol = [&name.to_le_bytes()[..], &[0x12, 0]].concat();
    let at = text(&twice, &symbol).expect("the symbol of the second function");
    twice[at..at + 4].copy_from_slice(&1u32.to_le_bytes());
    assert_eq!(run(&["dis", "--kernel", "first", "-"], &twice).ok().matches("section .text").count(), 2);
    let size = text(&twice, &[BASE.to_le_bytes(), 28u64.to_le_bytes()].concat()).unwrap() + 8;
    twice[size] = 36;
    let out = run(&["dis", "--kernel", "first", "-"], &twice).ok();
    assert_eq!((out.matches("section .text").count(), out.matches("\ts_endpgm").count()), (1, 2), "{out}");
}

#[test]
fn descriptors_are_directives_in_front_of_their_kernels() {
    let out = run(&["dis", "--descriptors", "--kernel", "first", "-"], &code_object_properties(0x41, 0, &[S_NOP], &[]));
    let out = out.ok();
    let head = "\n\n\t.amdhsa_kernel first\n\t\t.amdhsa_next_free_vgpr ";
    assert!(out.contains(head) && out.contains("\t\t.amdhsa_wavefront_size32 0\n"), "{out}");
    assert!(out.contains("\t.end_amdhsa_kernel\n0000000000001900 <first>:"), "{out}");
    // The directives are the same as in the source of `dis --asm`.
    let (listing, source) =
        (run(&["dis", "--descriptors", SAMPLE], b"").ok(), run(&["dis", "--asm", SAMPLE], b"").ok());
    let said = |text: &str| {
        let mut all: Vec<String> =
            text.split("\t.amdhsa_kernel ").skip(1).map(|part| part.split("\t.end_").next().unwrap().into()).collect();
        all.sort();
        all
    };
    assert!(said(&listing).len() > 3);
    assert_eq!(said(&listing), said(&source));
    let json = run(&["dis", "--descriptors", "--json", SAMPLE], b"").ok();
    let lines: Vec<serde_json::Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let with: Vec<_> = lines.iter().filter(|line| line["descriptor"].is_object()).collect();
    assert_eq!(with.len(), said(&listing).len());
    assert!(with.iter().all(|line| line["descriptor"]["next_free_vgpr"].is_u64() && line["label"].is_string()));
}

#[test]
fn padding_is_one_line() {
    let list = |options: &[&str], target: &str, words: &[u32]| {
        run(&[&["dis", "--raw", "--target", target], options, &["-"]].concat(), &bytes(words)).ok()
    };
    let nops = [&[S_ENDPGM][..], &[S_NOP; 20], &[S_MOV[0], S_MOV[1]]].concat();
    let out = list(&[], "gfx942", &nops);
    let line = format!("\t{:59}// 000000000004: BF800000, 20 times, to 000000000054\n", "s_nop 0");
    assert!(out.contains(&line) && out.contains("// 000000000054: BE8000FF 12345678\n"), "{out}");
    assert_eq!(list(&["--no-fold"], "gfx942", &nops).matches("\ts_nop 0 ").count(), 20);
    assert!(list(&["--no-encoding"], "gfx942", &nops).contains("// 000000000004, 20 times, to 000000000054\n"));
    // A run of few dwords stays as it is, and a label ends a run.
    assert_eq!(list(&[], "gfx942", &[S_NOP; 7]).matches("\ts_nop 0 ").count(), 7);
    let branch = [&[s_branch(9)][..], &[S_NOP; 20]].concat();
    let out = list(&[], "gfx942", &branch);
    assert!(out.contains("BF800000, 9 times, to 000000000028\nL28:\n") && out.contains(", 11 times, to "), "{out}");
    // Operations other than `s_nop`, repeated many times, are not padding.
    assert_eq!(list(&[], "gfx942", &[0x7e00_0301; 20]).matches("\tv_mov_b32_e32 v0, v1 ").count(), 20);
    // Zeros are padding, whatever they decode to.
    assert!(list(&[], "gfx942", &[0; 20]).contains("\tv_cndmask_b32_e32 v0, s0, v0, vcc "));
    assert!(list(&[], "gfx942", &[0; 20]).contains(", 20 times, to 000000000050\n"));
    // The last dword of the run is the first dword of a long instruction.
    let first = [&[0xd28f_0000; 20][..], &[S_ENDPGM]].concat();
    let (folded, whole) = (list(&[], "gfx942", &first), list(&["--no-fold"], "gfx942", &first));
    assert_eq!(folded.lines().last(), whole.lines().last());
    assert!(folded.contains("s_endpgm") == whole.contains("s_endpgm"), "{folded}{whole}");
}

/// A listing with folded padding has the same contents as one without.
#[test]
fn folded_samples_are_the_same_code() {
    for name in ["gfx1100/mixed.co", "gfx942/matmul.co", "gfx1250/mixed.co", "gfx700/mixed.co"] {
        let path = format!("{}/../tests/samples/{name}", env!("CARGO_MANIFEST_DIR"));
        let unfolded = |line: &str| {
            let (line, times) = match line.split_once(" times, to ") {
                Some((line, _)) => line.rsplit_once(", ").map(|(line, n)| (line, n.parse().unwrap())).unwrap(),
                None => (line, 1),
            };
            // The address, which differs for each dword, is left out.
            let line = line.split("// 0").next().unwrap_or("").trim_end().to_string();
            std::iter::repeat_n(line, times)
        };
        let lines = |options: &[&str]| -> Vec<String> {
            run(&[&["dis", &path], options].concat(), b"").ok().lines().flat_map(unfolded).collect()
        };
        assert_eq!(lines(&[]), lines(&["--no-fold"]), "{name}");
    }
}
