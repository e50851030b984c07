//! Tests of the package's own interface. Tests that compare sources with their files are among the command's tests.

mod arguments;
mod known;
mod outline;
mod real;

use amdgpu_asm::{Assembly, Far, Fault, Faults, Kind, Options, Processor, assemble, metadata, source_text};

fn options() -> Options {
    let mut options = Options::default();
    options.target = Some("gfx942".parse().expect("a target of this build"));
    options.is_alone = true;
    options
}

fn good(source: &str) -> Assembly {
    assemble("input", source, &options()).expect("it is a source")
}

fn fault(source: &str, options: &Options) -> Fault {
    assemble("input", source, options).expect_err("it is wrong").all()[0].clone()
}

#[test]
fn faults_and_assemblies_can_go_to_other_threads() {
    fn moves<T: Send + Sync + 'static>() {}
    moves::<Assembly>();
    moves::<Faults>();
    moves::<Options>();
}

#[test]
fn a_fault_says_where_it_comes_from() {
    let source = ".macro inner x\n .byte \\x\n.endm\n.macro outer\n inner 1\n inner é\n.endm\n nop:\n  outer ; twice";
    let fault = fault(source, &options());
    let place = fault.place.expect("it is in the source");
    assert_eq!((&*place.file, place.line, place.text.as_deref()), ("the macro inner", 1, Some(" .byte é")));
    assert_eq!((place.column, place.end_line, place.end_column), (8, 1, 10));
    let from: Vec<_> = fault.from.iter().map(|from| (&*from.name, &*from.place.file, from.place.line)).collect();
    assert_eq!(from, [("the macro inner", "the macro outer", 2), ("the macro outer", "input", 9)]);
    assert_eq!((fault.from[1].place.column, fault.from[1].place.end_column), (3, 8));
}

#[test]
fn a_line_that_is_too_long_is_not_kept() {
    let long = format!(".byte 300 {}", " ".repeat(391));
    assert_eq!(fault(&long, &options()).place.unwrap().text, None);
    assert_eq!(fault(&long[..400], &options()).place.unwrap().text.as_deref(), Some(&long[..400]));
    let place = fault("", &Options::default()).place.unwrap();
    assert_eq!((place.line, place.column, place.end_line, place.end_column), (1, 1, 1, 1));
}

#[test]
fn faults_are_shown_as_lines() {
    let faults = assemble("a.s", ".warning \"hot\"\n.byte 256\n.err", &options()).unwrap_err();
    let lines = "a.s:1:1: warning: hot\na.s:2:7: error: 256 does not fit in 1 bytes\na.s:3:1: error: .err was reached";
    assert_eq!((faults.to_string().as_str(), faults.errors(), faults.hidden()), (lines, 2, 0));
    let many = assemble("a.s", &".err\n".repeat(103), &options()).unwrap_err();
    assert_eq!((many.all().len(), many.hidden(), many.errors()), (100, 3, 103));
    assert!(many.to_string().ends_with("a.s:100:1: error: .err was reached\nand 3 more"));
    // Warnings that are not shown are not errors.
    let warned = assemble("a.s", &".warning \"hot\"\n".repeat(103), &options()).unwrap();
    assert_eq!((warned.warnings().all().len(), warned.warnings().hidden(), warned.warnings().errors()), (100, 3, 0));
}

#[test]
fn a_processor_that_is_none_is_a_fault_without_a_place() {
    let faults = "gfx1".parse::<Processor>().unwrap_err();
    assert_eq!((faults.to_string().as_str(), &faults.all()[0].place), ("unknown processor \"gfx1\"", &None));
    assert!("amdgcn-amd-amdhsa".parse::<Processor>().is_err());
}

#[test]
fn a_fault_says_what_the_caller_can_do_and_names_no_option_of_a_command() {
    let far = ".p2align 2\ns_branch there\n.zero 0x40000\nthere:";
    let linked = |source: &str| good(source).to_code_object(true).unwrap_err().all()[0].clone();
    let faults = [
        (Kind::NoProcessor, fault("s_nop 0", &Options::default())),
        (Kind::NoProcessor, fault(".byte 1", &Options::default())),
        (Kind::TooFar, fault(far, &options())),
        (Kind::Undefined, linked(".text\n.long x")),
        (Kind::Shared, linked(".amdgpu_lds x, 8\n.long x")),
        (Kind::Other, fault(".byte 256", &options())),
    ];
    for (kind, fault) in faults {
        assert_eq!(fault.kind, kind, "{fault}");
        assert!(!fault.to_string().contains("--") && !fault.to_string().contains("`-"), "{fault}");
    }
    let mut long = options();
    long.long_branches = Some(Far { pair: 4, scc: None });
    let assembly = assemble("input", far, &long).expect("it reaches");
    assert!(assembly.code().next().is_some_and(|code| code.len() > 0x40004));
    assert!(good(".text\n.long x").to_object().is_ok());
}

#[test]
fn what_cannot_be_linked_has_the_warnings_too() {
    let assembly = good(".warning \"hot\"\n.long x");
    assert_eq!(assembly.warnings().to_string(), "input:1:1: warning: hot");
    let faults = assembly.to_code_object(false).unwrap_err();
    assert_eq!(faults.to_string(), "input:1:1: warning: hot\ninput:2:7: error: `x` is not defined");
    assert_eq!(faults.errors(), 1);
}

#[test]
fn a_linked_file_has_no_address_in_32_bits() {
    let faults = good("s_endpgm\n.data\nk: .long k").to_code_object(false).unwrap_err();
    let expected = "input:3:10: error: the loader decides this address, which takes 64 bits (`.quad` has room for it)";
    assert_eq!(faults.to_string(), expected);
    assert!(good("s_endpgm\n.data\nk: .quad k\n.long k-4-k").to_code_object(false).is_ok());
}

/// A linker defines the beginnings and the ends of tables of functions, and of sections whose names are C identifiers.
#[test]
fn names_that_no_linker_defines_are_refused() {
    let linked = |name: &str| good(&format!("s_endpgm\n.data\n.quad {name}")).to_code_object(false);
    assert!(linked("__init_array_start").is_ok() && linked("__preinit_array_end").is_ok());
    for name in ["__start_init_array", "__stop_fini_array", "__other_array_end", "__start_foo"] {
        let message = linked(name).unwrap_err().to_string();
        assert!(message.contains(&format!("`{name}` is not defined")), "{message}");
    }
}

#[test]
fn a_source_that_stands_alone_reads_no_file() {
    for directive in [".include \"Cargo.toml\"", ".incbin \"Cargo.toml\""] {
        let message = fault(directive, &options()).message;
        assert_eq!(message, "cannot read \"Cargo.toml\": this source may not include files");
    }
    let mut options = options();
    options.is_alone = false;
    options.include.push("src".into());
    let found = assemble("input", ".text\n.incbin \"leb.rs\"", &options).expect("the file is there");
    assert_eq!(found.code().next(), Some(&include_bytes!("../../src/leb.rs")[..]));
    assert!(fault(".incbin \"none.rs\"", &options).message.starts_with("cannot read \"none.rs\": "));
}

#[test]
fn limits_are_exact() {
    let mut options = options();
    (options.longest_section, options.longest_expansion) = (8, 256);
    assert!(assemble("input", ".zero 8", &options).is_ok());
    assert_eq!(fault(".zero 9", &options).message, "the section would have more than 8 bytes");
    assert!(assemble("input", ".p2align 3", &options).is_ok());
    let alignment = fault(".balign 16", &options);
    assert_eq!((alignment.kind, &*alignment.message), (Kind::Section, "a section can be aligned to 8 bytes at most"));
    // An expansion counts as at least 64 bytes.
    let calls = |count: usize| format!(".macro m\n.endm\n{}", "m\n".repeat(count));
    assert!(assemble("input", &calls(4), &options).is_ok());
    assert_eq!(fault(&calls(5), &options).message, "macros and repetitions become more than 256 bytes");
    options.suggestions = 1;
    let faults = assemble("input", "v_ad_f32 v0, v1, v2\nv_ad_f32 v0, v1, v2", &options).unwrap_err();
    let notes: Vec<_> = faults.all().iter().map(|fault| fault.note.as_deref()).collect();
    assert_eq!(notes, [Some("v_add_f32 is similar"), None]);
}

/// The document in an object's note.
fn document(text: &str) -> Vec<u8> {
    let mut options = options();
    options.target = Some("amdgcn-amd-amdpal--gfx942".parse().expect("a target of this build"));
    let source = format!(".amdgpu_pal_metadata\n{text}\n.end_amdgpu_pal_metadata\n");
    let object = assemble("input", &source, &options).expect("it is a source").to_object().expect("it can be written");
    let name = object.windows(8).position(|bytes| bytes == b"AMDGPU\0\0").expect("a note");
    let length = object[name - 8..name - 4].try_into().map(u32::from_le_bytes).expect("four bytes");
    object[name + 8..][..length as usize].to_vec()
}

#[test]
fn metadata_is_the_same_text_again() {
    let text = "---\na: \"\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f\u{7f}é\"\n\"1\":\n  - -1\n  - x y\n...\n";
    let bytes = document(text);
    let again = metadata::decode(&bytes, false).expect("the same document");
    assert!(again.contains("\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f\u{7f}é\""), "{again}");
    assert_eq!(document(&again), bytes);
}

#[test]
fn a_key_of_registers_begins_with_a_number() {
    let registers = |key: &str| format!("amdpal.pipelines:\n  - .registers: {{ {key}: 1 }}");
    for key in ["0x2e13", "0x2e13 (COMPUTE_PGM_RSRC2)", "11795", "027023", "0x2e13NAME"] {
        assert_eq!(document(&registers(key)), document(&registers("11795")), "{key}");
    }
    let mut options = options();
    options.target = Some("amdgcn-amd-amdpal--gfx942".parse().expect("a target of this build"));
    for key in ["COMPUTE_PGM_RSRC2", "x"] {
        let source = format!(".amdgpu_pal_metadata\n{}\n.end_amdgpu_pal_metadata\n", registers(key));
        let fault = fault(&source, &options);
        assert_eq!(fault.message, format!("{key:?} does not begin with the number of a register"));
        assert_eq!(fault.place.map(|place| (place.line, place.column)), Some((3, 19)), "{key}");
    }
}

/// The bytes are those of `llvm-mc-22 -triple=amdgcn-amd-amdpal`.
#[test]
fn a_document_for_pal_has_the_registers_of_a_pipeline() {
    let all: &[(&str, &[u8])] = &[
        ("amdpal.version: [2, 6]", b"\x82\xb0amdpal.pipelines\x91\x81\xaa.registers\x80\xaeamdpal.version\x92\x02\x06"),
        ("amdpal.pipelines: 5", b"\x81\xb0amdpal.pipelines\x91\x81\xaa.registers\x80"),
        ("amdpal.pipelines: [{.a: 1}, 2]", b"\x81\xb0amdpal.pipelines\x92\x82\xa2.a\x01\xaa.registers\x80\x02"),
    ];
    for (text, bytes) in all {
        assert_eq!(document(text), *bytes, "{text}");
    }
}

#[test]
fn a_name_is_that_of_a_section_or_of_a_symbol() {
    for (source, message) in [
        (".section foo\n.text\nfoo:", "`foo` is a section already"),
        (".section foo\n.set foo, 5", "`foo` is a section already"),
        (".section foo,\"a\",@progbits,unique,1\nfoo = 5", "`foo` is a section already"),
        (".section foo\n.comm foo, 4", "`foo` is a section already"),
        (".text: s_nop 0", "`.text` is a section already"),
        ("foo:\n.section foo", "`foo` is a symbol already, so no section can have this name"),
    ] {
        assert_eq!(fault(source, &options()).message, message, "{source}");
    }
    for source in [".section foo\n.long foo", ".long foo\n.section foo", ".globl foo\n.section foo"] {
        assert!(assemble("input", source, &options()).is_ok(), "{source}");
    }
}

#[test]
fn a_quote_that_hides_the_end_of_a_document_is_the_error() {
    for (open, line) in [("a: 5\"", 3), ("a: \"b\nc: \"d\"", 3), ("a: \"b\"\nc: d\"", 4)] {
        let source = format!("s_nop 0\n.amdgpu_metadata\n{open}\n.end_amdgpu_metadata\n");
        let fault = fault(&source, &options());
        assert_eq!(
            (&*fault.message, fault.note.as_deref()),
            ("the line does not close this quote", Some("no .end_amdgpu_metadata follows"))
        );
        assert_eq!(fault.place.map(|place| place.line), Some(line), "{open}");
    }
    assert_eq!(fault(".amdgpu_metadata\na: b", &options()).message, "no .end_amdgpu_metadata follows");
}

#[test]
fn a_branch_goes_to_a_label_or_a_number() {
    let good =
        |branch: &str| good(&format!("to = there+4\nfour = 4\n{branch}\nthere:\ns_nop 0")).code().next().unwrap()[0];
    let places = ["there", "(there)", "to", ".", "four+1", "-1"].map(|to| good(&format!("s_branch {to}")));
    assert_eq!(places, [0, 0, 1, 0xff, 5, 0xff]);
    for sum in ["there+4", "there-4", "0+there", ".+4", "there-here"] {
        let fault = fault(&format!("here:\ns_branch {sum}\nthere:"), &options());
        assert_eq!(fault.message, "a branch goes to a label or a number, not to a sum", "{sum}");
        assert_eq!(fault.note.as_deref(), Some("`.set name, label+4` gives a name to a place that has no label"));
    }
}

#[test]
fn a_literal_in_parentheses_has_a_known_value() {
    assert!(assemble("input", ".set x, 4\ns_mov_b32 s0, lit(x+1)\ns_movk_i32 s0, lit(x)", &options()).is_ok());
    for text in ["s_mov_b32 s0, lit(there)", "s_mov_b32 s0, lit(there+4)"] {
        assert_eq!(fault(text, &options()).message, "the value has to be known here", "{text}");
    }
    assert_eq!(fault("v_mov_b32 v0, lit(s1)", &options()).message, "a number expected, not a register");
}

#[test]
fn repetitions_of_nothing_stop_at_the_limit() {
    let nested = format!("{}{}", ".rept 300\n".repeat(8), ".endr\n".repeat(8));
    assert_eq!(fault(&nested, &options()).message, "macros and repetitions become more than 16777216 bytes");
    assert!(assemble("input", ".rept 300\n.rept 300\n.rept 300\n.endr\n.endr\n.endr", &options()).is_ok());
}

#[test]
fn the_alignment_of_a_section_has_the_limit_of_its_length() {
    assert!(assemble("input", ".text\n.p2align 20\ns_nop 0", &options()).is_ok());
    for source in [".p2align 28", ".balign 0x20000000"] {
        let fault = fault(source, &options());
        let message = "a section can be aligned to 134217728 bytes at most";
        assert_eq!((fault.kind, &*fault.message), (Kind::Section, message), "{source}");
    }
}

/// The bytes are those of `llvm-mc-22 -triple=amdgcn-amd-amdpal`.
#[test]
fn registers_of_pal_become_a_note() {
    let mut options = options();
    options.target = Some("amdgcn-amd-amdpal--gfx942".parse().expect("a target of this build"));
    let source = ".amd_amdgpu_pal_metadata 0x2c0b,0x42000000,0x2c0a,0x2,0x2c0a,0x4\n";
    let assembly = assemble("input", source, &options).expect("it is a source");
    let object = assembly.to_object().expect("it can be written");
    let note = [4u32, 16, 12, u32::from_le_bytes(*b"AMD\0"), 0x2c0a, 6, 0x2c0b, 0x4200_0000];
    let note: Vec<u8> = note.into_iter().flat_map(u32::to_le_bytes).collect();
    assert!(object.windows(note.len()).any(|bytes| bytes == note));
}

#[test]
fn a_name_of_other_targets_is_no_symbol() {
    let mut gfx1100 = options();
    gfx1100.target = Some("gfx1100".parse().expect("a target of this build"));
    let said = |text: &str, options: &Options| {
        let fault = fault(text, options);
        (fault.message, fault.note)
    };
    let unknown = |note: &str| ("unknown name".to_string(), Some(note.to_string()));
    let (message, note) = said("s_sendmsg sendmsg(MSG_GET_DOORBELL)", &gfx1100);
    let first = note.as_deref().and_then(|note| note.strip_suffix(" has it"));
    assert_eq!((&*message, first.is_some_and(|first| first.starts_with("gfx9"))), ("unknown name", true), "{note:?}");
    assert_eq!(said("s_sendmsg sendmsg(MSG_INTERUPT)", &options()), unknown("MSG_INTERRUPT is similar"));
    assert_eq!(said("s_cbranch_scc0 there again", &options()), ("unexpected".into(), None));
    let second = "v_dual_add_nc_u32 v0, v1, v2 :: v_dual_add_f32 v4, v5, v6";
    assert_eq!(said(second, &gfx1100).0, "not an operation that can be the first half of a dual instruction");
}

#[test]
fn places_follow_the_markers_of_a_preprocessor_if_that_is_asked_for() {
    let source =
        "s_nop 0\n# 40 \"kernel.S\"\ns_nop 0\n s_bad\n# no marker\n# 7 \"a.h\" 2\n s_bad\n # 9 \"b.h\"\n s_bad";
    let places = |follows_markers: bool| {
        let mut options = options();
        options.follows_markers = follows_markers;
        let faults = assemble("input", source, &options).expect_err("it is wrong");
        let places = faults.all().iter().filter_map(|fault| fault.place.clone());
        places.map(|place| (place.file, place.line, place.end_line, place.column)).collect::<Vec<_>>()
    };
    let place = |file: &str, line: usize| (file.to_string(), line, line, 2);
    assert_eq!(places(true), [place("kernel.S", 41), place("a.h", 7), place("a.h", 9)]);
    assert_eq!(places(false), [place("input", 4), place("input", 7), place("input", 9)]);
}

#[test]
fn a_fault_is_the_cause_of_no_other_one() {
    let lines = |source: &str| -> Vec<usize> {
        let faults = assemble("input", source, &options()).expect_err("it is wrong");
        let errors = faults.all().iter().filter(|fault| !fault.is_warning);
        errors.map(|fault| fault.place.as_ref().expect("it is in the source").line).collect()
    };
    let kernel = ".amdhsa_kernel k\n.amdhsa_next_free_sgpr 8\n.amdhsa_accum_offset 4\n";
    let end = ".end_amdhsa_kernel\nk: s_endpgm\n";
    // A register count that cannot be read is not reported as missing.
    assert_eq!(lines(&format!("{kernel}.amdhsa_next_free_vgpr )\n{end}")), [4]);
    // A kernel that does not end because of an error does not make each later line an error.
    assert_eq!(lines(&format!("{kernel}.amdhsa_next_free_vgpr 8.end_amdhsa_kernel\n.long 1\nk: s_endpgm\n")), [4]);
    assert_eq!(lines(&format!("{kernel}.long 1\n.long 2\nk: s_endpgm\n")), [4]);
    // A symbol whose value a wrong statement should set is not reported as unknown.
    assert_eq!(lines(&format!("{kernel}.amdhsa_next_free_vgpr n\n{end}.set n,\n")), [7]);
    // A symbol with a wrong size is not reported as missing.
    assert_eq!(lines(&format!("{kernel}.amdhsa_next_free_vgpr 8\n{end}.size k, nowhere\n")), [7]);
}

#[test]
fn a_name_that_nothing_defines_is_one_error() {
    let faults = assemble("a.s", ".long .Lno\n.long .Lno", &options()).unwrap_err();
    assert_eq!(faults.to_string(), "a.s:1:7: error: .Lno is not defined\na.s:2:7: error: not defined");
}

/// The greatest number of terms that a sum can have is read, resolved and dropped on the small stack of a thread.
#[test]
fn sums_are_long() {
    let sum = format!(".text\na: .long 0\n.quad 0{}\nb: .long 0", "+b-a".repeat(2047));
    let built = good(&sum);
    assert_eq!(built.code().next().unwrap()[4..12], (2047u64 * 12).to_le_bytes()[..]);
}

#[test]
fn bytes_that_are_not_utf8_stay_bytes() {
    let source = b"// Andr\xe9 \xff\n.text\n.ascii \"\xe9\xc3\xa9\xf4\x8f\xbb\xa9\" /* \xe9 */\n";
    let built = good(&source_text(source));
    assert_eq!(built.code().next(), Some(&b"\xe9\xc3\xa9\xf4\x8f\xbb\xa9"[..]));
}
