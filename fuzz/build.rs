//! The list of all structs of the enabled targets, made from the tables as the library's own build makes it:
//! `every_struct!`.

#[path = "../build/mod.rs"]
mod build;

use std::path::PathBuf;

fn main() {
    println!("cargo::rerun-if-changed=../isa");
    println!("cargo::rerun-if-changed=../build");
    let isa = build::read("../isa".as_ref()).unwrap_or_else(|e| panic!("{e}"));
    let has = |feature: &str| {
        let name = feature.to_uppercase().replace('-', "_");
        std::env::var_os(format!("CARGO_FEATURE_{name}")).is_some()
    };
    let is_on = |feature: &str| feature.starts_with("gfx") && (has("all-targets") || has(feature));
    let files = build::generate(&isa, is_on).unwrap_or_else(|e| panic!("{e}"));
    let (_, text) = files.iter().find(|(name, _)| name == "roster.rs").expect("the generator lists the structs");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    std::fs::write(out.join("roster.rs"), text).unwrap_or_else(|e| panic!("roster.rs: {e}"));
}
