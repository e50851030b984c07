//! The README and the pages of the book are right: commands print the lines below them, code is that of examples or
//! doctests, links have targets, options, numbers and names are current, and each statement about tests names an
//! existing one.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use amdgpu_isa::Target;

/// The directory of the README, to which paths are relative.
fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The README and each page that the book lists.
fn pages() -> Vec<PathBuf> {
    let summary = read("docs/SUMMARY.md");
    let listed = summary.lines().filter_map(|line| Some(line.split_once("](")?.1.trim_end_matches(')')));
    let pages: Vec<PathBuf> = listed.map(|page| Path::new("docs").join(page)).collect();
    for directory in [Path::new("docs"), Path::new("docs/commands")] {
        for file in fs::read_dir(root().join(directory)).expect("the pages are there") {
            let path = directory.join(file.expect("a file").file_name());
            let is_page = path.extension().is_some_and(|e| e == "md") && !path.ends_with("SUMMARY.md");
            assert!(!is_page || pages.contains(&path), "docs/SUMMARY.md does not list {}", path.display());
        }
    }
    [vec!["README.md".into()], pages].concat()
}

/// The contents of the fenced blocks of one language.
fn blocks(page: &Path, language: &str) -> Vec<String> {
    let text = read(page);
    let fence = format!("```{language}\n");
    let parts = text.split(&fence).skip(1);
    parts.map(|part| part.split("```").next().expect("split gives one part").to_string()).collect()
}

fn shell(command: &str) -> String {
    let directory = Path::new(env!("CARGO_BIN_EXE_amdgpu-isa")).parent().expect("it is in a directory");
    let path = format!("{}:{}", directory.display(), std::env::var("PATH").unwrap_or_default());
    let run =
        Command::new("sh").args(["-c", command]).current_dir(root()).env("PATH", &path).output().expect("sh is there");
    String::from_utf8(run.stdout).expect("text")
}

#[test]
fn commands_print_what_is_shown() {
    let mut commands = 0;
    for block in pages().iter().flat_map(|page| blocks(page, "console")) {
        for part in block.split("$ ").skip(1) {
            let (mut line, mut shown) = part.split_once('\n').expect("a command has a line");
            let mut command = String::new();
            while let Some(start) = line.strip_suffix('\\') {
                command += start;
                (line, shown) = shown.strip_prefix("> ").and_then(|rest| rest.split_once('\n')).expect("it goes on");
            }
            command += line;
            let printed = shell(&command);
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
    assert!(commands >= 9, "{commands}");
}

/// A block either is a doctest, because `src/book.rs` includes its page, or begins with the name of the example that
/// has its lines, or includes an example.
#[test]
fn code_is_tested() {
    let book = read("src/book.rs");
    let (mut doctests, mut excerpts) = (0, 0);
    for page in pages() {
        let name = page.display();
        let tested = book.contains(&format!("include_str!(\"../{name}\")"));
        let plain = blocks(&page, "rust").len();
        assert!(plain == 0 || tested, "src/book.rs does not include {name}");
        doctests += plain;
        for block in blocks(&page, "rust,ignore") {
            if let Some(path) = block.strip_prefix("{{#include ../").and_then(|rest| rest.strip_suffix("}}\n")) {
                assert!(path.starts_with("examples/") && root().join(path).exists(), "{name} includes {path}");
                continue;
            }
            let (first, code) = block.split_once('\n').expect("a block has lines");
            let example =
                read(first.strip_prefix("// ").unwrap_or_else(|| panic!("{name}: of which example is\n{block}")));
            let lines: Vec<&str> = example.lines().map(str::trim).collect();
            for line in code.lines().map(str::trim) {
                assert!(lines.contains(&line), "{name}: {first} has no line\n{line}");
            }
            excerpts += 1;
        }
        let text = read(&page);
        let fences: Vec<&str> = text.lines().filter_map(|line| line.trim_start().strip_prefix("```")).collect();
        for open in fences.iter().step_by(2) {
            let known = ["rust", "rust,ignore", "console", "text", "sh", "toml", "python", "json", "js", "lua"];
            assert!(known.contains(open), "{name}: a block of {open:?}");
        }
    }
    assert!(doctests >= 10 && excerpts >= 6, "{doctests} {excerpts}");
}

/// Links of the README lead to files, and links of the book only to pages and pictures of the book.
#[test]
fn links_lead_somewhere() {
    let mut links = 0;
    for page in pages().into_iter().chain(["CONTRIBUTING.md".into(), "CHANGELOG.md".into(), "isa/README.md".into()]) {
        let text = read(&page);
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let path = link.split('#').next().unwrap_or_default();
            // The tool makes these pictures: cli/tests/cli/pictures.rs.
            let is_made = path.starts_with("pictures/made/");
            if is_made || path.starts_with("https://") || path.is_empty() || path.contains(' ') {
                continue;
            }
            let target = page.parent().expect("a file").join(path);
            assert!(root().join(&target).exists(), "{}: {link}", page.display());
            let above = path.matches("../").count();
            let leaves = page.starts_with("docs") && above + 1 >= page.components().count();
            assert!(!leaves, "{}: {link} is not in the book", page.display());
            links += 1;
        }
    }
    assert!(links >= 30, "{links}");
}

#[test]
fn numbers_are_current() {
    let words = |path: &str| read(path).split_whitespace().collect::<Vec<_>>().join(" ");
    // The line after the name of a class can have its versions of LLVM. Without such a line, the version is 22.
    let list = read("crates/llvm/src/differences.txt");
    let pairs = || list.lines().zip(list.lines().skip(1)).filter(|(line, _)| line.starts_with("class:"));
    let versions = || pairs().map(|(_, next)| next.strip_prefix("versions:").unwrap_or("22"));
    let of = |version: &str| versions().filter(|all| all.split_whitespace().any(|v| v == version)).count();
    for said in [format!("one of the {} classes", of("22")), format!("with {} classes", of("23"))] {
        assert!(words("docs/proof.md").contains(&said), "docs/proof.md does not say \"{said}\"");
    }

    // The row of gfx942, without its name, is the second column of the table.
    let sizes = read("examples/cortex-m/size.txt");
    let row = sizes.lines().find_map(|line| line.strip_prefix("gfx942 ")).expect("it has a row");
    let said = read("docs/firmware.md");
    let cells = said.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |")?.rsplit_once(" | "));
    let numbers: Vec<String> =
        cells.map(|(_, size)| size.replace(',', "")).filter(|size| size.parse::<u32>().is_ok()).collect();
    assert_eq!(numbers, row.split_whitespace().collect::<Vec<_>>(), "docs/firmware.md, and size.txt");

    assert!(read("README.md").lines().count() <= 150);
    let readme = words("README.md");
    let measured = read("docs/performance.md");
    for (said, row) in [
        ("4.4 ns", "| decode | floor's time | 2 or less | 4.38 |"),
        ("12.5 ns, 69 times", "| LLVM, instructions/s | 60 or more | 12.5 | 69 |"),
        ("3.1 times", "| decode + operands | iced-x86 decode + info, instructions/s | 3 or more | 9.35 | 3.11 |"),
    ] {
        assert!(readme.contains(said), "the README does not say {said:?}");
        assert!(measured.contains(row), "docs/performance.md has no row {row}");
    }
}

/// The words of a text that begin with two dashes.
fn long_options(text: &str) -> BTreeSet<String> {
    let words = text.split([' ', '`', ',']).filter(|word| word.starts_with("--"));
    words.map(str::to_string).collect()
}

#[test]
fn the_page_of_a_command_lists_its_options() {
    for command in ["dis", "explain", "batch", "eval", "asm", "lint", "lsp", "isa", "matrix", "prove"] {
        let help = shell(&format!("amdgpu-isa {command} -h"));
        let names = help.lines().filter(|line| line.trim_start().starts_with('-'));
        let mut options: BTreeSet<String> =
            names.filter_map(|line| long_options(line.trim_start().split("  ").next()?).pop_first()).collect();
        // The page about all commands has these options.
        options.retain(|option| !["--color", "--help"].contains(&option.as_str()));
        let page = read(format!("docs/commands/{command}.md"));
        let rows = page.lines().filter(|line| line.starts_with("| `-"));
        let listed: BTreeSet<String> =
            rows.flat_map(|row| long_options(row.split(" | ").next().unwrap_or(""))).collect();
        assert_eq!(options, listed, "docs/commands/{command}.md");
    }
}

#[test]
fn every_fuzz_target_is_described() {
    let page = read("fuzz/README.md");
    for file in fs::read_dir(root().join("fuzz/fuzz_targets")).expect("the targets are there") {
        let file = file.expect("a file").path();
        let name = file.file_stem().and_then(|name| name.to_str()).expect("a name");
        // The other files are modules that targets share.
        let is_target = fs::read_to_string(&file).expect("text").contains("fuzz_target!(");
        assert!(!is_target || page.contains(&format!("| `{name}` |")), "fuzz/README.md does not describe {name}");
    }
}

/// Lines of Markdown have at most 120 characters, apart from rows of tables.
#[test]
fn lines_are_short() {
    let others = [
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "benches/NOTES.md",
        "fuzz/README.md",
        "isa/README.md",
        "python/README.md",
        "tests/README.md",
        "tests/mutants/README.md",
        "tests/samples/README.md",
    ];
    for page in pages().into_iter().chain(others.map(PathBuf::from)) {
        for (n, line) in read(&page).lines().enumerate() {
            let is_short = line.starts_with('|') || line.chars().count() <= 120;
            assert!(is_short, "{}:{}: more than 120 characters", page.display(), n + 1);
        }
    }
}

/// Each product in the README's table is one of its row's targets, and each target, except generic ones, is in a row.
#[test]
fn products_have_the_targets_of_their_row() {
    let readme = read("README.md");
    let rows: Vec<Vec<&str>> = readme
        .split("## Which GPUs\n")
        .nth(1)
        .expect("the section")
        .lines()
        .take_while(|line| !line.starts_with("##"))
        .filter(|line| line.ends_with("` |"))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    let mut products = 0;
    for row in &rows {
        for product in row[1].split([',', ';']).map(str::trim) {
            let target: Target = product.parse().unwrap_or_else(|_| panic!("nobody knows {product}"));
            assert!(row[2].contains(&format!("`{}`", target.processor())), "{product} is {target}");
            products += 1;
        }
    }
    assert!(products > 25, "{products}");
    let all: String = rows.iter().map(|row| row[2]).collect();
    for target in Target::ALL {
        let name = target.processor();
        assert!(name.ends_with("-generic") || all.contains(&format!("`{name}`")), "no row has {name}");
    }
}

/// Each statement of docs/proof.md names a file that exists, or the command `prove`.
#[test]
fn each_statement_names_its_test() {
    let text = read("docs/proof.md");
    let statements: Vec<&str> = text.split("\n* ").skip(1).collect();
    assert!(statements.len() >= 15, "{}", statements.len());
    for statement in statements {
        let words = statement.split(['`', '(', ')', ' ', '\n']);
        let mut files = 0;
        for word in words.filter(|word| {
            ["tests/", "cli/", "crates/", "examples/", "fuzz/"].iter().any(|root| word.starts_with(root))
        }) {
            assert!(root().join(word).exists(), "docs/proof.md names {word}");
            files += 1;
        }
        assert!(files > 0 || statement.contains("amdgpu-isa\n  prove`"), "which test shows this?\n{statement}");
    }
}

#[test]
fn pictures_are_those_of_the_tool() {
    let drawn = shell("amdgpu-isa explain --target mi300x --svg - 0080ccd308150204");
    assert_eq!(drawn, read("docs/pictures/explain.svg"));
}
