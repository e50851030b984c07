//! Provides the linker script, and generates the lists of all structs (`every_struct!`) and all constructors from the
//! tables, as the library's build does.

use std::path::PathBuf;

fn main() {
    for path in ["link.ld", "../../isa"] {
        println!("cargo::rerun-if-changed={path}");
    }
    let here = std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    println!("cargo::rustc-link-arg-bins=-T{here}/link.ld");
    let has = |feature: &str| std::env::var_os(format!("CARGO_FEATURE_{feature}")).is_some();
    let (all, make) = (has("ALL_TARGETS"), has("MAKE"));
    let enabled = |feature: &str| {
        feature == "gfx942"
            || feature == "gfx700" && has("GFX700")
            || all && feature.starts_with("gfx")
            || make && feature == "make"
    };
    let isa = generator::read("../../isa".as_ref()).unwrap_or_else(|e| panic!("{e}"));
    let files = generator::generate(&isa, enabled).unwrap_or_else(|e| panic!("{e}"));
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    for (name, text) in files.iter().filter(|(name, _)| name.ends_with("roster.rs")) {
        std::fs::write(out.join(name), text).unwrap_or_else(|e| panic!("{name}: {e}"));
    }
}
