//! Packages use each other as libraries: no file of one is compiled into another.
#![cfg(feature = "text")]

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// Files that a package still includes from another one, each with the reason.
const KNOWN: [(&str, &str); 3] = [
    // The generator is not a package, because `cargo package` leaves out directories that are packages.
    ("examples/cortex-m/generator/lib.rs", "build/mod.rs"),
    ("fuzz/build.rs", "build/mod.rs"),
    ("fuzz/fuzz_targets/lint.rs", "tests/repaired/check.rs"),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Adds the Rust files below a directory to `found`, except for generated ones.
fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default();
        if path.is_dir() && name != "target" && name != ".git" {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The directory of the package that a file belongs to.
fn package(file: &Path) -> PathBuf {
    let mut directories = file.ancestors().skip(1);
    directories.find(|directory| directory.join("Cargo.toml").exists()).expect("a package").to_path_buf()
}

/// A path without `..`.
fn plain(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut plain, part| {
        match part {
            Component::ParentDir => drop(plain.pop()),
            _ => plain.push(part),
        }
        plain
    })
}

#[test]
fn no_file_of_one_package_is_compiled_into_another() {
    let mut files = Vec::new();
    sources(root(), &mut files);
    let mut found = BTreeSet::new();
    for file in &files {
        let text = std::fs::read_to_string(file).expect("text");
        let attributes = text.lines().filter_map(|line| line.trim().strip_prefix("#[path = \""));
        for path in attributes.filter_map(|rest| rest.split_once('"')) {
            let included = plain(&file.with_file_name(path.0));
            // The path of a module without a file of its own is a directory.
            let inside = if included.is_dir() { included.join("mod.rs") } else { included.clone() };
            if package(&inside) != package(file) {
                let relative = |path: &Path| path.strip_prefix(root()).expect("it is inside").display().to_string();
                found.insert((relative(file), relative(&included)));
            }
        }
    }
    let known = KNOWN.into_iter().map(|(file, included)| (file.to_string(), included.to_string()));
    assert_eq!(found, known.collect());
}
