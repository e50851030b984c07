//! The linker's script, and the list of all structs (`every_struct!`), made from the tables as the library's build does.

#[path = "../../build/mod.rs"]
mod build;

use std::path::PathBuf;

fn main() {
    for path in ["link.ld", "../../isa", "../../build"] {
        println!("cargo::rerun-if-changed={path}");
    }
    let here = std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    println!("cargo::rustc-link-arg-bins=-T{here}/link.ld");
    let all = std::env::var_os("CARGO_FEATURE_ALL_TARGETS").is_some();
    let enabled = |feature: &str| feature == "gfx942" || all && feature.starts_with("gfx");
    let isa = build::read("../../isa".as_ref()).unwrap_or_else(|e| panic!("{e}"));
    let files = build::generate(&isa, enabled).unwrap_or_else(|e| panic!("{e}"));
    let (_, text) = files.iter().find(|(name, _)| name == "roster.rs").expect("the generator lists the structs");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    std::fs::write(out.join("roster.rs"), text).unwrap_or_else(|e| panic!("roster.rs: {e}"));
}
