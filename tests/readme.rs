//! The README is right: its commands print the output below them, its code is in the examples, and its numbers are
//! those of the files that it names.
#![cfg(all(feature = "cli", unix))]

use std::path::Path;
use std::process::Command;

/// The contents of the fenced blocks of one language.
fn blocks(language: &str) -> Vec<String> {
    let readme = include_str!("../README.md");
    let fence = format!("```{language}\n");
    let parts = readme.split(&fence).skip(1);
    parts.map(|part| part.split("```").next().expect("split gives one part").to_string()).collect()
}

#[test]
fn commands_print_what_is_shown() {
    let directory = Path::new(env!("CARGO_BIN_EXE_amdgpu-isa")).parent().expect("it is in a directory");
    let path = format!("{}:{}", directory.display(), std::env::var("PATH").unwrap_or_default());
    let mut commands = 0;
    for block in blocks("console") {
        for part in block.split("$ ").skip(1) {
            let (command, shown) = part.split_once('\n').expect("a command has a line");
            let run = Command::new("sh").args(["-c", command]).env("PATH", &path).output().expect("sh is there");
            let printed = String::from_utf8(run.stdout).expect("text");
            // Three dots stand for any number of lines.
            let mut rest = printed.as_str();
            for (n, piece) in shown.split("...\n").enumerate() {
                let at = rest.find(piece).unwrap_or_else(|| panic!("{command} prints no\n{piece}\nbut\n{rest}"));
                assert!(n > 0 || at == 0, "{command} prints first\n{}", &rest[..at]);
                rest = &rest[at + piece.len()..];
            }
            assert_eq!(rest, "", "{command} prints more");
            commands += 1;
        }
    }
    assert!(commands >= 3);
}

#[test]
fn code_is_that_of_the_examples() {
    // In the order of the blocks.
    let examples = [
        include_str!("../examples/make.rs"),
        include_str!("../examples/jit.rs"),
        include_str!("../examples/waits.rs"),
        include_str!("../examples/fuzz_decoder.rs"),
        include_str!("../examples/firmware.rs"),
        include_str!("../examples/firmware.rs"),
        include_str!("../examples/hook.rs"),
        include_str!("../examples/assemble.rs"),
    ];
    let blocks = blocks("rust");
    assert_eq!(blocks.len(), examples.len());
    for (block, example) in blocks.iter().zip(examples) {
        let lines: Vec<&str> = example.lines().map(str::trim).collect();
        for line in block.lines().map(str::trim) {
            assert!(lines.contains(&line), "no line of the example is\n{line}");
        }
    }
}

#[test]
fn numbers_are_current() {
    let classes = include_str!("llvm/differences.txt").lines().filter(|l| l.starts_with("class:")).count();
    let said = format!("one of the {classes} classes");
    assert!(include_str!("../README.md").contains(&said), "the README does not say \"{said}\"");
}
