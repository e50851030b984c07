//! `pictures`: the pictures of the tables in the book.

use std::collections::BTreeSet;

use amdgpu_isa::{Opcode, Target};

use super::run;

#[test]
fn a_file_in_the_way_is_named() {
    let file = std::env::temp_dir().join(format!("amdgpu-isa-no-directory-{}", std::process::id()));
    std::fs::write(&file, "").expect("a file");
    let message = run(&["pictures", file.to_str().expect("a name in UTF-8")], b"").fails(1);
    std::fs::remove_file(&file).expect("the same file");
    assert!(message.contains(&format!("cannot write {}: ", file.display())), "{message}");
}

/// The values of an attribute of all elements that begin with a text, in their order.
fn attributes(svg: &str, element: &str, name: &str) -> impl Iterator<Item = u32> {
    let name = format!("{name}=\"");
    svg.split(element).skip(1).map(move |rest| {
        let (_, value) = rest.split_once(&name).expect("it has the attribute");
        value.split('"').next().expect("a value").parse().expect("a number")
    })
}

#[test]
fn the_tables_are_drawn_completely() {
    let directory = std::env::temp_dir().join(format!("amdgpu-isa-pictures-{}", std::process::id()));
    run(&["pictures", directory.to_str().expect("a name in UTF-8")], b"").ok();
    let read = |name: &str| std::fs::read_to_string(directory.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    for page in include_str!("../../../docs/pictures.md").split("](pictures/made/").skip(1) {
        read(page.split(')').next().expect("a link"));
    }
    for target in Target::ALL.iter().filter(|target| target.name() == target.processor()) {
        let formats = read(&format!("formats-{target}.svg"));
        for layout in target.layouts() {
            assert!(formats.contains(&format!(">{}</text>", layout.format.name())), "{target}: no {}", layout.format);
            for field in layout.fields.iter().filter(|field| !field.overlay) {
                assert!(formats.contains(&format!("<title>{} ", field.field)), "{target}: no {}", field.field);
            }
        }
        let opcodes = read(&format!("opcodes-{target}.svg"));
        let drawn: BTreeSet<&str> =
            opcodes.split("<title>").skip(1).filter_map(|t| t.split("</title>").next()).collect();
        for opcode in Opcode::ALL {
            for encoding in opcode.encodings(*target) {
                let name = opcode.mnemonic(*target, encoding.format).expect("it has one");
                assert!(drawn.contains(format!("{} {name}", encoding.number).as_str()), "{target}: no {name}");
            }
        }
        // Rows of operations are one below the other, with half a cell more between them if rows are left out.
        let rows: Vec<u32> = attributes(&opcodes, "<text class=\"faint small end\" ", "y").collect();
        let steps: BTreeSet<u32> = rows.windows(2).filter_map(|w| w[1].checked_sub(w[0])).collect();
        let cell = *steps.first().expect("there are rows");
        assert!(steps.iter().all(|step| [cell, cell + cell / 2].contains(step) || *step >= 2 * cell), "{steps:?}");
        assert!(steps.contains(&(cell + cell / 2)), "{target}: {steps:?}");
        // Each bit of a format has its number once.
        let numbers = "<text class=\"faint small mid\" ";
        let places: Vec<_> = attributes(&formats, numbers, "x").zip(attributes(&formats, numbers, "y")).collect();
        assert_eq!(places.iter().collect::<BTreeSet<_>>().len(), places.len(), "{target}");
        // The title of a format is nearer to the format than to the one above.
        let texts: Vec<u32> = attributes(&formats, "<text ", "y").collect();
        let is_title = formats.split("<text ").skip(1).map(|text| text.starts_with("class=\"title\""));
        let titles: Vec<usize> = is_title.enumerate().filter_map(|(n, is)| is.then_some(n)).collect();
        assert_eq!(titles.len(), target.layouts().len(), "{target}");
        for &n in titles.iter().skip(1) {
            // The size of the format is beside its title.
            let (above, below) = (texts[n].abs_diff(texts[n - 1]), texts[n + 2].abs_diff(texts[n]));
            assert!(below < above, "{target}: {below} to {above} at {}", texts[n]);
        }
        for picture in [formats, opcodes] {
            assert_eq!(picture.matches("<text").count(), picture.matches("</text>").count());
            assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
        }
    }
    let tree = read("tree.svg");
    for target in Target::ALL {
        assert!(tree.contains(target.processor()), "no {target} in the tree");
        assert!(tree.contains(&format!(">{}</text>", target.generation())), "no {}", target.generation());
    }
    std::fs::remove_dir_all(directory).expect("it was ours");
}
