//! The proof finds faults: each test uses a subject with one fault.

use amdgpu_isa::{DecodeError, EncodeError, Inst, TextBuffer};

use super::*;

fn faults(subject: &impl Subject, pass: Pass) -> Tally {
    let part = Part { k: 5, n: 20_011 };
    let args = Args { target: Vec::new(), part, pass: Some(pass), text: 7, threads: Some(1), faults: 20 };
    prove(&args, subject, Target::Gfx900, pass).expect("a thread starts").tally
}

/// Both passes find the fault of the subject, with the given reason.
fn is_found(subject: &impl Subject, reason: &str) {
    for pass in [Pass::Words, Pass::Fields] {
        let tally = faults(subject, pass);
        let lines = tally.lines(Target::Gfx900, 1);
        assert!(tally.faults > 0 && lines.contains(reason), "{} faults: {lines}", tally.faults);
        // The line reproduces the fault: it has the words of an instruction.
        let (_, hex) = lines.split_once("\ngfx900\t").expect("a line for batch");
        let mut bytes = Vec::new();
        crate::hex::parse(hex.trim().as_bytes(), &mut bytes).expect("bytes");
        assert!(isa::decode(Target::Gfx900, &bytes).is_ok(), "{lines}");
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
            isa::decode(target, &bytes)
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
                4 | 8 => isa::decode(target, &[0, 0, 0x80, 0xbf]),
                _ => isa::decode(target, bytes),
            }
        }
    }
    is_found(&Wavers, "its bytes alone decode to another");
}

#[test]
fn a_look_behind_the_end_is_found() {
    struct Peeps;
    impl Subject for Peeps {
        fn decode_words(&self, target: Target, words: &[u32]) -> std::result::Result<Inst, DecodeError> {
            if words.get(4).is_some_and(|word| word >> 31 == 1) {
                return Err(DecodeError::UnknownEncoding);
            }
            amdgpu_isa::decode_words(target, words)
        }
    }
    is_found(&Peeps, "it depends on what stands behind it");
}

#[test]
fn a_wrong_length_is_found() {
    struct Measures;
    impl Subject for Measures {
        fn length(&self, target: Target, bytes: &[u8]) -> Option<usize> {
            amdgpu_isa::length(target, bytes).filter(|_| bytes[0] != 7)
        }
    }
    is_found(&Measures, "`length` says another length");
}

#[test]
fn a_wrong_encoding_is_found() {
    struct Overruns;
    impl Subject for Overruns {
        fn encode(&self, inst: &Inst, out: &mut [u8]) -> std::result::Result<usize, EncodeError> {
            let len = inst.encode(out)?;
            out[len..].iter_mut().take(1).for_each(|byte| *byte = 0);
            Ok(len)
        }
    }
    is_found(&Overruns, "encoding writes behind its end");
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
    is_found(&Stutters, "the text is another in the buffer");
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
    is_found(&Forgets, "the text is another without `fast`");
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
