//! Runs the generator in `build/`: reads the tables and writes generated source.

#[path = "build/mod.rs"]
mod build;

use std::path::PathBuf;

fn main() {
    println!("cargo::rerun-if-changed=isa");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/formula");
    println!("cargo::rerun-if-changed=src/kind");
    println!("cargo::rerun-if-changed=src/shared.rs");
    println!("cargo::rustc-check-cfg=cfg(has_target)");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let variable = |feature: &str| format!("CARGO_FEATURE_{}", feature.to_uppercase().replace('-', "_"));
    println!("cargo::rerun-if-env-changed={}", build::EVERY_STRUCT);
    let enabled = |feature: &str| match feature {
        build::EVERY_STRUCT => std::env::var_os(feature).is_some(),
        _ => std::env::var_os(variable(feature)).is_some(),
    };
    let generated = build::read("isa".as_ref()).and_then(|isa| build::generate(&isa, enabled));
    let target = |k: &str| k.starts_with("CARGO_FEATURE_GFX");
    if std::env::vars_os().any(|(k, _)| k.to_str().is_some_and(target)) {
        println!("cargo::rustc-cfg=has_target");
    }
    match generated {
        Ok(files) => {
            for (name, text) in files {
                std::fs::write(out.join(&name), text).unwrap_or_else(|e| panic!("cannot write {name}: {e}"));
            }
        }
        Err(e) => {
            println!("cargo::error={e}");
            std::process::exit(1);
        }
    }
}
