//! The proof finds faults: each test uses a subject with one fault.

use std::sync::atomic::{AtomicUsize, Ordering};

use amdgpu_isa::errors::EncodeError;
use amdgpu_isa::text::{ParseError, TextBuffer};
use amdgpu_isa::{DecodeError, Inst};

use super::*;

/// A subject with a fault. All faults have this one type, so that the proof is compiled only once.
struct Planted<'a>(&'a dyn Subject);

impl Subject for Planted<'_> {
    fn decode(&self, target: Target, bytes: &[u8]) -> std::result::Result<Inst, DecodeError> {
        self.0.decode(target, bytes)
    }

    fn decode_words(&self, target: Target, words: &[u32]) -> std::result::Result<Inst, DecodeError> {
        self.0.decode_words(target, words)
    }

    fn decode_small(&self, target: Target, bytes: &[u8]) -> std::result::Result<Inst, DecodeError> {
        self.0.decode_small(target, bytes)
    }

    fn encode(&self, inst: &Inst, out: &mut [u8]) -> std::result::Result<usize, EncodeError> {
        self.0.encode(inst, out)
    }

    fn length(&self, target: Target, bytes: &[u8]) -> Option<usize> {
        self.0.length(target, bytes)
    }

    fn write(&self, inst: &Inst, out: &mut String) -> std::fmt::Result {
        self.0.write(inst, out)
    }

    fn print<'a>(&self, inst: &Inst, buffer: &'a mut TextBuffer) -> &'a [u8] {
        self.0.print(inst, buffer)
    }

    fn parse(&self, target: Target, text: &str) -> std::result::Result<Inst, ParseError> {
        self.0.parse(target, text)
    }

    fn print_small<'a>(&self, inst: &Inst, buffer: &'a mut TextBuffer) -> &'a [u8] {
        self.0.print_small(inst, buffer)
    }
}

fn faults(subject: &dyn Subject, pass: Pass) -> Tally {
    let part = Part { k: 5, n: if pass == Pass::Words { 20_011 } else { 797 } };
    let options = Options { part, text: 7, threads: Some(1) };
    prove_subject(&options, &Planted(subject), Target::Gfx900, pass, |_| ()).expect("a thread starts").tally
}

/// Checks that both passes find the fault of the subject, with the given reason. Returns the lines that they print.
fn is_said(subject: &dyn Subject, reason: &str) -> [String; 2] {
    [Pass::Words, Pass::Fields].map(|pass| {
        let tally = faults(subject, pass);
        let lines = tally.lines(Target::Gfx900, 1);
        assert!(tally.faults > 0 && lines.contains(reason), "{} faults: {lines}", tally.faults);
        lines
    })
}

/// Does the same as `is_said`, for a fault in words that are an instruction.
fn is_found(subject: &dyn Subject, reason: &str) {
    for lines in is_said(subject, reason) {
        // The line reproduces the fault: it has the words of an instruction.
        let (_, hex) = lines.split_once("\ngfx900\t").expect("a line for batch");
        let byte = |n: usize| u8::from_str_radix(&hex[n..n + 2], 16).expect("two digits");
        let bytes: Vec<u8> = (0..hex.trim().len()).step_by(2).map(byte).collect();
        assert!(amdgpu_isa::decode(Target::Gfx900, &bytes).is_ok(), "{lines}");
    }
}

/// The tally of all sweeps of some operations.
fn swept(subject: &dyn Subject, operations: &[&str]) -> Tally {
    let target = Target::Gfx900;
    let decoded =
        |form: &forms::Form| amdgpu_isa::decode(target, &check::bytes(&form.fillings[0])).expect("it decodes");
    let is_one = |form: &forms::Form| operations.contains(&decoded(form).opcode().name());
    let forms: Vec<_> = forms::forms(target).into_iter().filter(is_one).collect();
    assert_eq!(forms.len(), operations.len(), "these have one form each");
    let rows = Rows::new(target);
    let sweeps = Sweeps { subject: &Planted(subject), target, rows: &rows, forms: &forms, print: 1000 };
    let mut tally = Tally::new(target);
    for sweep in plan::plan(&forms) {
        sweeps.sweep(sweep, 0, Part { k: 0, n: 1 }, &mut Hand::default(), &mut tally);
    }
    tally
}

/// A subject that refuses some words when it decodes without the feature `fast`.
struct Stricter<F>(F);

impl<F: Fn(&Inst) -> bool + Sync> Subject for Stricter<F> {
    fn decode_small(&self, target: Target, bytes: &[u8]) -> std::result::Result<Inst, DecodeError> {
        let inst = amdgpu_isa::decode_small(target, bytes)?;
        if (self.0)(&inst) { Err(DecodeError::UnknownEncoding) } else { Ok(inst) }
    }
}

/// Three operations of one class. The first stands for all of them in the products.
const ALIKE: [&str; 3] = ["v_min3_f32", "v_max3_f32", "v_med3_f32"];

/// The number of faults that all sweeps of `ALIKE` find if words with these values of fields are refused without
/// `fast`.
fn refused(operation: &str, fields: &[(amdgpu_isa::Field, u32)]) -> u64 {
    let is_it = |inst: &Inst| {
        let is_of = operation.is_empty() || inst.opcode().name() == operation;
        is_of && fields.iter().all(|(field, value)| inst.get(*field) == Some(*value))
    };
    let tally = swept(&Stricter(is_it), &ALIKE);
    assert!(tally.faults == 0 || tally.lines(Target::Gfx900, 1).contains("without `fast` it decodes otherwise"));
    tally.faults
}

#[test]
fn a_fault_in_one_value_of_one_operation_is_found() {
    use amdgpu_isa::Field;
    assert!(refused("v_med3_f32", &[]) > 1000);
    for fields in [(Field::Src1, 300), (Field::Vdst, 77), (Field::Omod, 2), (Field::Neg, 5)] {
        assert!(refused("v_med3_f32", &[fields]) > 0, "{fields:?}");
    }
}

/// The sweeps find any pair of values of operands and modifiers that is a fault of all operations of the class, or of
/// the first one. For the other operations, they find pairs of values at which the meaning changes, and pairs of
/// modifiers.
#[test]
#[ignore = "takes seconds: in the full run"]
fn a_fault_in_two_fields_is_found() {
    use amdgpu_isa::Field;
    for operation in ["", ALIKE[0]] {
        assert!(refused(operation, &[(Field::Src0, 300), (Field::Src2, 17)]) > 0);
        assert!(refused(operation, &[(Field::Vdst, 133), (Field::Abs, 5)]) > 0);
        assert!(refused(operation, &[(Field::Abs, 3), (Field::Neg, 6), (Field::Omod, 1)]) > 0);
    }
    assert!(refused(ALIKE[2], &[(Field::Src0, 511), (Field::Src2, 128)]) > 0);
    assert!(refused(ALIKE[2], &[(Field::Neg, 5), (Field::Omod, 3)]) > 0);
    assert_eq!(refused(ALIKE[2], &[(Field::Src0, 300), (Field::Src2, 17)]), 0, "what the page on proofs says");
}

/// The registers of image data must exist. The rule about them ties the first register to dmask and tfe.
#[test]
fn a_fault_in_a_rule_is_found() {
    use amdgpu_isa::Field;
    let is_it = |inst: &Inst| {
        let fields = [(Field::Vdata, 250), (Field::Dmask, 7), (Field::Tfe, 1)];
        fields.iter().all(|(field, value)| inst.get(*field) == Some(*value))
    };
    assert!(swept(&Stricter(is_it), &["image_load"]).faults > 0);
}

/// Two forms are in one class if and only if the same table entries decode them.
#[test]
fn classes_are_what_is_decoded_alike() {
    let forms = forms::forms(Target::Gfx900);
    let class = |name: &str| {
        let is_it = |form: &&forms::Form| {
            let inst = amdgpu_isa::decode(Target::Gfx900, &check::bytes(&form.fillings[0])).expect("it decodes");
            inst.opcode().name() == name
        };
        forms.iter().find(is_it).expect("it is an operation").class()
    };
    assert!(ALIKE.iter().all(|name| class(name) == class(ALIKE[0])));
    for other in ["v_fma_f64", "v_mad_u32_u24", "v_min_f32", "image_load"] {
        assert!(class(other) != class(ALIKE[0]), "{other}");
    }
}

#[test]
fn the_library_has_no_fault() {
    for pass in [Pass::Words, Pass::Fields] {
        let tally = faults(&Library, pass);
        assert_eq!(tally.faults, 0, "{}", tally.lines(Target::Gfx900, 20));
        assert!(tally.decoded > 20_000 && tally.texts > 2_000, "{} {}", tally.decoded, tally.texts);
    }
}

#[test]
fn a_lost_bit_is_found() {
    struct Loses;
    impl Subject for Loses {
        fn decode(&self, target: Target, bytes: &[u8]) -> std::result::Result<Inst, DecodeError> {
            let mut bytes = bytes.to_vec();
            if bytes.len() == 20 {
                bytes[1] &= 0xfd;
            }
            amdgpu_isa::decode(target, &bytes)
        }
    }
    is_found(&Loses, "it encodes to other bytes");
}

#[test]
fn a_second_opinion_of_the_same_bytes_is_found() {
    struct Wavers;
    impl Subject for Wavers {
        fn decode(&self, target: Target, bytes: &[u8]) -> std::result::Result<Inst, DecodeError> {
            match bytes.len() {
                4 | 8 => amdgpu_isa::decode(target, &[0, 0, 0x80, 0xbf]),
                _ => amdgpu_isa::decode(target, bytes),
            }
        }
    }
    is_found(&Wavers, "its bytes alone decode to another");
}

#[test]
fn a_look_past_the_end_is_found() {
    struct Peeps;
    impl Subject for Peeps {
        fn decode_words(&self, target: Target, words: &[u32]) -> std::result::Result<Inst, DecodeError> {
            if words.get(4).is_some_and(|word| word >> 31 == 1) {
                return Err(DecodeError::UnknownEncoding);
            }
            amdgpu_isa::decode_words(target, words)
        }
    }
    is_found(&Peeps, "the result depends on the bytes after it");
}

#[test]
fn bytes_that_look_past_the_end_are_found() {
    struct Peeps;
    impl Subject for Peeps {
        fn decode(&self, target: Target, bytes: &[u8]) -> std::result::Result<Inst, DecodeError> {
            if bytes.get(19).is_some_and(|byte| byte >> 7 == 1) {
                return Err(DecodeError::UnknownEncoding);
            }
            amdgpu_isa::decode(target, bytes)
        }
    }
    is_found(&Peeps, "the result depends on the bytes after it");
}

#[test]
fn another_result_without_fast_is_found() {
    struct Differs;
    impl Subject for Differs {
        fn decode_small(&self, target: Target, bytes: &[u8]) -> std::result::Result<Inst, DecodeError> {
            amdgpu_isa::decode_small(target, bytes).map_err(|_| DecodeError::UnknownEncoding)?;
            amdgpu_isa::decode_small(target, &[0, 0, 0x80, 0xbf])
        }
    }
    is_found(&Differs, "without `fast` it decodes otherwise");
}

#[test]
fn another_target_is_found() {
    struct Mistakes;
    impl Subject for Mistakes {
        fn decode(&self, _: Target, bytes: &[u8]) -> std::result::Result<Inst, DecodeError> {
            // Another target with the same instructions.
            amdgpu_isa::decode(Target::Gfx904, bytes)
        }
    }
    is_found(&Mistakes, "the instruction is of another target");
}

#[test]
fn other_words_are_found_even_if_they_encode_to_the_same_bytes() {
    struct Mirrors;
    /// Changes the second source of a VOP2 to another register.
    fn mirrored(bytes: &mut [u8]) {
        if bytes[3] >> 1 < 0b011_1110 {
            bytes[1] ^= 2;
        }
    }
    impl Subject for Mirrors {
        fn decode(&self, target: Target, bytes: &[u8]) -> std::result::Result<Inst, DecodeError> {
            let mut bytes = bytes.to_vec();
            mirrored(&mut bytes);
            amdgpu_isa::decode(target, &bytes)
        }

        fn encode(&self, inst: &Inst, out: &mut [u8]) -> std::result::Result<usize, EncodeError> {
            let len = inst.encode(out)?;
            mirrored(out);
            Ok(len)
        }
    }
    is_found(&Mirrors, "the instruction has other words");
}

#[test]
fn a_refusal_for_want_of_bytes_is_found() {
    struct Wants;
    impl Subject for Wants {
        fn decode(&self, target: Target, bytes: &[u8]) -> std::result::Result<Inst, DecodeError> {
            amdgpu_isa::decode(target, bytes).map_err(|_| DecodeError::Truncated { needed: 24 })
        }
    }
    is_said(&Wants, "the longest instruction is not enough");
}

#[test]
fn another_reason_for_the_same_words_is_found() {
    struct Shrugs;
    impl Subject for Shrugs {
        fn decode_words(&self, target: Target, words: &[u32]) -> std::result::Result<Inst, DecodeError> {
            amdgpu_isa::decode_words(target, words).map_err(|_| DecodeError::Truncated { needed: 24 })
        }
    }
    is_said(&Shrugs, "the dwords decode to something else");
}

#[test]
fn an_encoding_of_another_length_is_found() {
    struct Stretches;
    impl Subject for Stretches {
        fn encode(&self, inst: &Inst, out: &mut [u8]) -> std::result::Result<usize, EncodeError> {
            inst.encode(out).map(|len| len + 4)
        }
    }
    is_found(&Stretches, "it does not encode to its length");
}

#[test]
#[ignore = "takes seconds: in the full run"]
fn a_text_that_is_no_plain_line_is_found() {
    struct Adds(&'static str, &'static str);
    impl Subject for Adds {
        fn write(&self, inst: &Inst, out: &mut String) -> std::fmt::Result {
            *out = format!("{}{inst}{}", self.0, self.1);
            Ok(())
        }
    }
    for after in ["\n", "?", "\u{7f}", "ä"] {
        is_found(&Adds("", after), "the text is not plain");
    }
    is_found(&Adds("", " "), "the text does not begin with the mnemonic");
    is_found(&Adds("v_", ""), "the text does not begin with the mnemonic");
}

#[test]
fn a_text_that_cannot_be_written_is_found() {
    struct Fails;
    impl Subject for Fails {
        fn write(&self, _: &Inst, _: &mut String) -> std::fmt::Result {
            Err(std::fmt::Error)
        }
    }
    is_found(&Fails, "printing fails");
}

#[test]
fn a_text_that_is_another_the_second_time_is_found() {
    struct Tires(AtomicUsize);
    impl Subject for Tires {
        fn print<'a>(&self, inst: &Inst, buffer: &'a mut TextBuffer) -> &'a [u8] {
            let text = buffer.print(inst);
            &text[self.0.fetch_add(1, Ordering::Relaxed) % 2..]
        }
    }
    is_found(&Tires(AtomicUsize::new(0)), "the second text differs");
}

#[test]
fn a_wrong_length_is_found() {
    struct Measures;
    impl Subject for Measures {
        fn length(&self, target: Target, bytes: &[u8]) -> Option<usize> {
            amdgpu_isa::length(target, bytes).filter(|_| bytes[0] != 7)
        }
    }
    is_found(&Measures, "`length` gives another length");
}

#[test]
fn a_wrong_encoding_is_found() {
    struct Overruns;
    impl Subject for Overruns {
        fn encode(&self, inst: &Inst, out: &mut [u8]) -> std::result::Result<usize, EncodeError> {
            let len = inst.encode(out)?;
            if let Some(byte) = out.get_mut(len) {
                *byte = 0;
            }
            Ok(len)
        }
    }
    is_found(&Overruns, "encoding writes beyond its end");
}

#[test]
fn a_wrong_text_is_found() {
    struct Stutters;
    impl Subject for Stutters {
        fn print<'a>(&self, inst: &Inst, buffer: &'a mut TextBuffer) -> &'a [u8] {
            let text = buffer.print(inst);
            if inst.opcode().name().starts_with("v_") { &text[1..] } else { text }
        }
    }
    is_found(&Stutters, "the text in a buffer differs");
}

#[test]
fn a_text_that_is_wrong_without_fast_is_found() {
    struct Forgets;
    impl Subject for Forgets {
        fn print_small<'a>(&self, inst: &Inst, buffer: &'a mut TextBuffer) -> &'a [u8] {
            let text = buffer.print_small(inst);
            if inst.opcode().name().starts_with("v_") { &text[..text.len() - 1] } else { text }
        }
    }
    is_found(&Forgets, "the text without `fast` differs");
}

#[test]
fn a_text_that_parses_to_something_else_is_found() {
    struct Misreads;
    impl Subject for Misreads {
        fn parse(&self, target: Target, text: &str) -> std::result::Result<Inst, ParseError> {
            amdgpu_isa::parse(target, &text.replacen("v1", "v2", 1))
        }
    }
    is_found(&Misreads, "its text parses to other words");
}

#[test]
fn a_text_that_does_not_parse_is_found() {
    struct Refuses;
    impl Subject for Refuses {
        fn parse(&self, target: Target, text: &str) -> std::result::Result<Inst, ParseError> {
            amdgpu_isa::parse(target, &text.replacen("v_", "w_", 1))
        }
    }
    is_found(&Refuses, "its text does not parse");
}

#[test]
fn a_panic_is_a_fault() {
    struct Panics;
    impl Subject for Panics {
        fn encode(&self, inst: &Inst, out: &mut [u8]) -> std::result::Result<usize, EncodeError> {
            assert!(inst.words()[0] & 0xff != 3, "as the test wants it");
            inst.encode(out)
        }
    }
    is_found(&Panics, "the library panics");
}

#[test]
fn parts_are_the_whole() {
    for (first, count) in [(0, 100), (96, 7), (1 << 20, 1 << 10)] {
        for n in [1, 3, 7, 200] {
            let mut all: Vec<u64> = (0..n).flat_map(|k| Part { k, n }.of(first, count)).collect();
            all.sort_unstable();
            assert_eq!(all, (first..first + count).collect::<Vec<_>>(), "{first} {count} {n}");
        }
    }
    assert_eq!("2/3".parse(), Ok(Part { k: 1, n: 3 }));
    for bad in ["0/3", "4/3", "1", "1/0", "a/b", "1/3/5", ""] {
        assert!(bad.parse::<Part>().is_err(), "{bad}");
    }
}
