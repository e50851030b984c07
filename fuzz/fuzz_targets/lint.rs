//! Programs of any valid instructions: `lint --fix` inserts everything that is missing, and a second repair changes
//! nothing.
#![no_main]

#[path = "../../tests/repaired/check.rs"]
mod check;
mod input;

use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((target, _, rest)) = input::split(data) else { return };
    // Running out of bytes is not an error.
    let _ = check::check(target, &mut Unstructured::new(rest));
});
