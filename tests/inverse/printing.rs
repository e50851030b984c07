//! Printing never panics, gives the same text to every writer, and returns an error of the writer.

use crate::words::{Rng, encodings, legal};
use amdgpu_isa::{Inst, Target};
use amdgpu_prove::check::{Library, Texts};
use amdgpu_prove::parsed;
use std::fmt::{self, Write};

/// A writer that accepts a limited number of bytes, and then fails.
struct Limited {
    room: usize,
    text: String,
}

impl Write for Limited {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        self.room = self.room.checked_sub(s.len()).ok_or(fmt::Error)?;
        self.text.push_str(s);
        Ok(())
    }
}

fn check(inst: &Inst) {
    let text = inst.to_string();
    assert!(text.is_ascii() && !text.contains('?'), "{inst:?}: {text}");
    assert!(text.starts_with(inst.mnemonic()), "{inst:?}: {text}");
    assert_eq!(text.trim(), text, "{inst:?}");
    assert!(!text.contains("  "), "{inst:?}: {text}");
    for room in [0, 1, text.len() / 2, text.len() - 1] {
        let mut to = Limited { room, text: String::new() };
        assert!(write!(to, "{inst}").is_err(), "{inst:?}: {room} bytes were enough for {text}");
        assert!(text.starts_with(&to.text));
    }
    let mut to = Limited { room: text.len(), text: String::new() };
    write!(to, "{inst}").unwrap_or_else(|_| panic!("{inst:?}: more text than {text}"));
    assert_eq!(to.text, text);
    // Any field can be printed, whether the text shows it or not.
    for info in inst.fields().map(|held| held.info) {
        let shown = inst.field_text(info.field).to_string();
        assert!(shown.is_ascii() && !shown.contains('?'), "{inst:?} {}: {shown}", info.field);
        let mut to = Limited { room: shown.len().saturating_sub(1), text: String::new() };
        assert_eq!(write!(to, "{}", inst.field_text(info.field)).is_err(), !shown.is_empty(), "{inst:?}: {shown}");
    }
    assert!(write!(Limited { room: 3, text: String::new() }, "{inst:?}").is_err());
}

#[test]
fn a_failing_writer_is_reported_and_nothing_panics() {
    let mut rng = Rng(6);
    for &target in Target::ALL {
        for encoding in encodings(target) {
            legal(target, encoding, 10, &mut rng).iter().for_each(check);
        }
    }
}

#[test]
fn words_like_any_other_print_and_parse() {
    let mut texts = Texts::default();
    for &target in Target::ALL {
        super::slice_of_all_words(target, 7, |words| {
            if let Ok(inst) = amdgpu_isa::decode_words(target, &words) {
                check(&inst);
                let checked = texts.check(&Library, target, &words, &inst);
                let checked = checked.and_then(|()| parsed::check(&inst, &texts.parsed(&Library, target)));
                checked.unwrap_or_else(|fault| panic!("{words:08x?}: {inst}: {fault}"));
            }
        });
    }
}

#[test]
fn errors_print() {
    let mut rng = Rng(7);
    for &target in Target::ALL {
        for _ in 0..20_000 {
            let words = [rng.word(), rng.word()];
            let code = super::bytes(&words);
            for n in [8, 4, 3] {
                let Err(error) = amdgpu_isa::decode(target, &code[..n]) else { continue };
                let text = error.to_string();
                assert!(text.is_ascii() && text.len() > 8, "{words:08x?}: {text}");
                assert!(write!(Limited { room: text.len() - 1, text: String::new() }, "{error}").is_err());
            }
        }
    }
}

/// 1/(2*pi) is an inline constant from GCN 1.2 on; before, a literal with that value is printed as a number. Found by
/// fuzzing.
#[cfg(all(feature = "gfx600", feature = "gfx803"))]
#[test]
fn a_literal_has_no_name_that_the_target_lacks() {
    let mov = [0x7e00_02ff, 0x3e22_f983];
    for (target, setreg, texts) in [
        (Target::Gfx600, 0xba80_f801u32, ["v_mov_b32_e32 v0, 0x3e22f983", "0x3e22f983"]),
        (Target::Gfx803, 0xba00_f801, ["v_mov_b32_e32 v0, lit(0x3e22f983)", "0.15915494"]),
    ] {
        let setreg = amdgpu_isa::decode_words(target, &[setreg, 0x3e22_f983]).expect("an instruction");
        assert_eq!(setreg.to_string(), format!("s_setreg_imm32_b32 hwreg(HW_REG_MODE), {}", texts[1]));
        assert_eq!(amdgpu_isa::decode_words(target, &mov).expect("an instruction").to_string(), texts[0]);
    }
}
