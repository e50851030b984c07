//! `completions`, `man` and `--version`.

use super::run;

/// The subcommands that the help lists.
fn subcommands() -> Vec<String> {
    let help = run(&["--help"], b"").ok();
    let listed = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("a list");
    let names = listed.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let names: Vec<String> = names.filter(|name| !name.is_empty() && *name != "help").map(String::from).collect();
    assert!(names.len() >= 9, "{names:?}");
    names
}

#[test]
fn completions_know_each_subcommand() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = run(&["completions", shell], b"").ok();
        for name in subcommands() {
            assert!(script.contains(&name), "{shell} does not know {name}");
        }
        assert!(script.contains("no-encoding"), "{shell} does not know the options of dis");
    }
    run(&["completions", "cmd.exe"], b"").fails(2);
}

#[test]
fn each_subcommand_has_a_man_page() {
    let directory = std::env::temp_dir().join(format!("amdgpu-isa-man-{}", std::process::id()));
    let path = directory.to_str().expect("a name in UTF-8");
    run(&["man", path], b"").ok();
    let page = |name: &str| std::fs::read_to_string(directory.join(format!("{name}.1")));
    assert!(page("amdgpu-isa").expect("a page").contains("amdgpu\\-isa\\-explain(1)"));
    for name in subcommands() {
        let page = page(&format!("amdgpu-isa-{name}")).expect("a page");
        assert!(page.contains(&format!("amdgpu\\-isa {name}")), "{page}");
    }
    let count = std::fs::read_dir(&directory).expect("a directory").count();
    assert_eq!(count, subcommands().len() + 1);
    let file = directory.join("amdgpu-isa.1");
    let error = run(&["man", file.to_str().expect("a name in UTF-8")], b"").fails(1);
    assert!(error.contains("cannot write"), "{error}");
    std::fs::remove_dir_all(directory).expect("it was ours");
}

#[test]
fn the_version_tells_the_targets() {
    let version = run(&["--version"], b"").ok();
    let (first, targets) = version.split_once('\n').expect("two lines");
    assert_eq!(first, concat!("amdgpu-isa ", env!("CARGO_PKG_VERSION")));
    assert!(targets.starts_with("targets: ") && targets.contains("gfx942"), "{targets}");
    assert_eq!(run(&["-V"], b"").ok().trim_end(), first);
}
