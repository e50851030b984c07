//! The outline of a source, for editors.

use std::ops::Range;

use amdgpu_asm::outline::{BlockKind, DefinitionKind, Outline};

const SOURCE: &str = "\
// Zwei Größen:\n\
// a comment of two lines\n\
.amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\n\
.set size, 4 /* é\n\
 it goes on */\n\
.macro twice x\n\
 s_nop \\x\n\
.endm\n\
.type k,@function\n\
k: s_nop size ; size\n\
1: s_branch 1b\n\
 s_branch 1f\n\
1: .Lend: s_endpgm\n\
.size k, .-k\n\
.amdhsa_kernel k\n\
.end_amdhsa_kernel\n\
.amdgpu_metadata\n\
k: size\n\
.end_amdgpu_metadata\n";

#[test]
fn a_source_has_parts() {
    let outline = Outline::of(SOURCE);
    assert_eq!(outline.code.len(), SOURCE.len());
    let found: Vec<(&str, DefinitionKind)> =
        outline.definitions.iter().map(|definition| (&*definition.name, definition.kind)).collect();
    use DefinitionKind::{Function, Kernel, Label, Macro, Value};
    let all = [
        ("size", Value),
        ("twice", Macro),
        ("k", Function),
        ("1", Label),
        ("1", Label),
        (".Lend", Label),
        ("k", Kernel),
    ];
    assert_eq!(found, all);
    assert_eq!(outline.mentions("size").count(), 3, "two in the code, and one in the document");
    let text =
        |range: &Range<usize>| SOURCE.get(range.clone()).unwrap_or("").lines().map(str::trim).collect::<Vec<_>>();
    let blocks: Vec<(BlockKind, Vec<&str>)> =
        outline.blocks.iter().map(|block| (block.kind, text(&block.range))).collect();
    let first =
        blocks.iter().map(|(kind, lines)| (*kind, lines[0], *lines.last().expect("a line"))).collect::<Vec<_>>();
    use BlockKind::{Comment, Directive};
    let all = [
        (Comment, "// Zwei Größen:", "// a comment of two lines"),
        (Directive, ".macro twice x", ".endm"),
        (BlockKind::Function, "k: s_nop size ; size", ".size k, .-k"),
        (Directive, ".amdhsa_kernel k", ".end_amdhsa_kernel"),
        (Directive, ".amdgpu_metadata", ".end_amdgpu_metadata"),
    ];
    assert_eq!(first, all);
}

#[test]
fn references_find_their_definitions() {
    let outline = Outline::of(SOURCE);
    let line = |text: &str| {
        let at = outline.defined_at(SOURCE.find(text).expect("it is there") + text.len())?;
        Some(SOURCE.get(..at.place.start)?.matches('\n').count() + 1)
    };
    assert_eq!((line("s_branch 1b"), line("s_branch 1f"), line("s_nop size")), (Some(11), Some(13), Some(4)));
    assert_eq!((line("s_nop"), line(".amdhsa_kernel k")), (None, Some(10)));
}

#[test]
fn nothing_is_too_broken() {
    for text in [
        "",
        "\"",
        ".macro",
        ".endm",
        "a b: \"",
        ".amdgpu_metadata",
        "/*",
        "\u{feff}é:",
        ".amdgcn_target \"x\"",
        "=",
        "a=",
        "::",
        "\"\":",
    ] {
        let outline = Outline::of(text);
        for at in 0..=text.len() + 1 {
            outline.defined_at(at);
            outline.part_before(at);
        }
    }
}
