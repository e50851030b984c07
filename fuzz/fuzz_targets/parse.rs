//! Any text: the parser reads it, or reports the reason and its place. An instruction that it reads prints, and the
//! printed text parses to an instruction with the same text.
#![no_main]

use libfuzzer_sys::fuzz_target;

use amdgpu_isa::text::Suggestion;
use amdgpu_isa::{Target, parse};

fuzz_target!(|data: &[u8]| {
    let Some((&first, rest)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(rest) else { return };
    let target = Target::from_e_flags(first.into()).unwrap_or(Target::ALL[usize::from(first) % Target::ALL.len()]);
    match parse(target, text) {
        Ok(inst) => {
            let printed = inst.to_string();
            let again = parse(target, &printed).unwrap_or_else(|e| panic!("{target}: {text:?}: {printed}: {e}"));
            assert_eq!(again.to_string(), printed, "{target}: {text:?}");
        }
        Err(error) => {
            assert!(error.span.start <= error.span.end && error.span.end as usize <= text.len(), "{target}: {text:?}");
            assert!(!error.to_string().is_empty());
            let _ = Suggestion::of(target, text);
        }
    }
});
