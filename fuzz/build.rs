//! The list of all structs of `all-targets`, made from the tables as the library's own build makes it: `every_struct!`.

#[path = "../build/mod.rs"]
mod build;

use std::path::PathBuf;

fn main() {
    println!("cargo::rerun-if-changed=../isa");
    println!("cargo::rerun-if-changed=../build");
    let isa = build::read("../isa".as_ref()).unwrap_or_else(|e| panic!("{e}"));
    let files = build::generate(&isa, |feature| feature.starts_with("gfx")).unwrap_or_else(|e| panic!("{e}"));
    let (_, text) = files.iter().find(|(name, _)| name == "roster.rs").expect("the generator lists the structs");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    std::fs::write(out.join("roster.rs"), text).unwrap_or_else(|e| panic!("roster.rs: {e}"));
}
