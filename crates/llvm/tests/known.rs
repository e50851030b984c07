//! The list of differences, without LLVM: each sample belongs to its class, and an answer that was not reviewed belongs
//! to none.

use amdgpu_isa::Target;
use amdgpu_llvm::{Answer, Case, Classes, USUAL, Word, known_difference};

/// The answer of a line `LEN TEXT`, `ERR` or `CRASH`.
fn answer(line: &str) -> Answer {
    match (line, line.split_once(' ')) {
        ("ERR", _) => Answer::Reject,
        ("CRASH", _) => Answer::Crash,
        (_, Some((len, text))) => {
            Answer::Text { len: len.parse().expect("a length"), text: text.into(), comment: String::new() }
        }
        _ => panic!("{line}"),
    }
}

#[test]
fn each_sample_is_of_its_class() {
    let mut samples = 0;
    for class in Classes::load().expect("it is whole").list {
        for sample in &class.samples {
            let target: Target = sample.target.parse().expect("a target");
            for version in [22, 23].into_iter().filter(|version| class.is_shown(sample, *version)) {
                // Another class that also fits can come first.
                let found = known_difference(target, sample.word, answer(&sample.llvm), version);
                let case = Case::new(target, sample.word, answer(&sample.llvm), version);
                assert!(class.matches(&case) && found.is_some(), "{}: {target} {}", class.name, sample.word.hex());
                samples += 1;
            }
        }
    }
    assert!(samples > 200, "{samples}");
}

#[test]
fn what_nobody_has_reviewed_is_in_no_class() {
    // The word is `s_endpgm`, which both accept.
    let word = Word::from_hex("000081bf").expect("hex");
    for said in ["4 s_endpgm", "4 s_nop 0", "8 s_endpgm", "ERR", "CRASH"] {
        assert!(known_difference(Target::Gfx942, word, answer(said), USUAL).is_none(), "{said}");
    }
}
