//! The kernel that examples/kernel.rs makes from nothing is the one that the book shows, and LLVM reads all of it.
#![cfg(all(feature = "gfx942", feature = "text"))]

use std::process::Command;

#[path = "../examples/kernel.rs"]
#[allow(dead_code)]
mod example;

#[test]
fn is_that_of_the_book() {
    assert!(example::code_object().expect("it is made") == include_bytes!("../docs/numbers.co"));
}

#[test]
fn llvm_reads_it_without_a_warning() {
    let read = |tool: &str, arguments: &[&str]| {
        let run = Command::new(tool).args(arguments).arg("docs/numbers.co").output();
        let run = run.unwrap_or_else(|error| panic!("{tool}, of Debian's llvm-22: {error}"));
        assert!(run.status.success() && run.stderr.is_empty(), "{}", String::from_utf8_lossy(&run.stderr));
        String::from_utf8(run.stdout).expect("text")
    };
    let parts = read("llvm-readelf-22", &["-h", "-l", "-S", "--dyn-syms", "--notes", "--hash-symbols"]);
    for part in ["gfx942, xnack, sramecc", "numbers.kd", ".kernarg_segment_size: 8", ".value_kind:     global_buffer"] {
        assert!(parts.contains(part), "no {part} in\n{parts}");
    }
    let code = read("llvm-objdump-22", &["-d"]);
    assert!(code.contains("global_store_dword v1, v0, s[0:1]"), "{code}");
    let descriptor = read("llvm-objdump-22", &["-D", "-j", ".rodata"]);
    for line in [
        "kernarg_size 8",
        "user_sgpr_kernarg_segment_ptr 1",
        "system_sgpr_workgroup_id_x 1",
        "system_sgpr_workgroup_id_y 0",
    ] {
        assert!(descriptor.contains(line), "no {line} in\n{descriptor}");
    }
}
