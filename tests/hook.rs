//! The hooking tool of the examples, on every sample object: LLVM's tools find the new code. The proof accepts the
//! result and refuses other changes.
#![cfg(all(feature = "all-targets", feature = "text"))]

#[path = "../examples/hook.rs"]
mod tool;

use std::path::{Path, PathBuf};
use std::process::Command;

/// All code objects below `tests/samples`.
fn samples() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples");
    let entries = |path: &Path| std::fs::read_dir(path).expect("a directory").map(|e| e.expect("an entry").path());
    let mut all: Vec<PathBuf> =
        entries(&root).filter(|p| p.is_dir()).flat_map(|p| entries(&p).collect::<Vec<_>>()).collect();
    all.retain(|path| path.extension().is_some_and(|extension| extension == "co"));
    all.sort();
    assert!(all.len() >= 35);
    all
}

#[test]
fn every_kernel_of_every_sample_is_hooked() {
    let mut kernels = 0;
    for path in samples() {
        let before = std::fs::read(&path).expect("it is there");
        let mut after = before.clone();
        let hooked = tool::hook(&mut after).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        tool::prove(&before, &after, &hooked).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        kernels += hooked.len();

        // LLVM must see the segment with the payload in it.
        let name = format!(
            "hooked-{}-{}",
            path.parent().unwrap().file_name().unwrap().display(),
            path.file_name().unwrap().display()
        );
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::write(&file, &after).expect("a directory for it");
        let run =
            Command::new("llvm-readelf-22").args(["-lW"]).arg(&file).output().expect("llvm-readelf-22 is installed");
        let text = String::from_utf8(run.stdout).expect("text");
        let area = format!("{:#018x}", hooked[0].area);
        let segment = text.lines().find(|line| line.contains("LOAD") && line.contains(&area) && line.contains("R E"));
        assert!(run.status.success() && segment.is_some(), "{text}");
        std::fs::remove_file(&file).expect("it is there");

        // The proof finds changes of the code, of the displaced instructions and of the trampoline. It does not look at
        // program headers and at the payload.
        let h = &hooked[0];
        let at = after.len() - 1;
        for byte in (0..before.len()).step_by(97) {
            let mut other = after.clone();
            other[byte] ^= 1;
            let header = (64..64 + 56 * 16).contains(&byte);
            assert!(tool::prove(&before, &other, &hooked).is_err() || header, "{}: byte {byte:#x}", path.display());
        }
        assert!(at > before.len());
        for n in 0..h.code.len() {
            let mut damaged: Vec<tool::Hooked> =
                hooked.iter().map(|h| tool::Hooked { code: h.code.clone(), ..*h }).collect();
            damaged[0].code[n] ^= 1;
            let payload = n == 0;
            assert!(tool::prove(&before, &after, &damaged).is_err() || payload, "{}: dword {n}", path.display());
        }
    }
    println!("{kernels} kernels");
    assert!(kernels >= 130);
}
