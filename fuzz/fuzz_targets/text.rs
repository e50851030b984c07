//! Any words, for any target: instructions that decode print the same ASCII text twice, and an error of the writer is
//! returned.
#![no_main]

mod input;

use amdgpu_isa::{Decoded, Decoder, Inst};
use libfuzzer_sys::fuzz_target;
use std::fmt::{self, Write};

/// A writer that accepts a limited number of bytes, and then fails.
struct Limited(usize);

impl Write for Limited {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        self.0 = self.0.checked_sub(s.len()).ok_or(fmt::Error)?;
        Ok(())
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((target, _, code)) = input::split(data) else { return };
    for Decoded { inst: item, .. } in Decoder::new(target, code) {
        match item {
            Ok(inst) => prints(&inst),
            Err(invalid) => assert!(invalid.error.to_string().is_ascii()),
        }
    }
});

fn prints(inst: &Inst) {
    let text = inst.to_string();
    assert_eq!(inst.to_string(), text);
    // A question mark would mean a code without a name.
    assert!(text.is_ascii() && !text.contains(['?', '\n', '\0']) && text.trim() == text, "{inst:?}: {text}");
    assert!(text.starts_with(inst.mnemonic()), "{inst:?}: {text}");
    assert!(write!(Limited(text.len()), "{inst}").is_ok());
    assert!(write!(Limited(text.len() - 1), "{inst}").is_err());
    for info in inst.fields().map(|held| held.info) {
        let field = inst.field_text(info.field).to_string();
        assert!(field.is_ascii() && !field.contains('?'), "{inst:?} {}: {field}", info.field);
    }
}
