//! Files that have no source, and the reasons.

use amdgpu_object::elf;
use amdgpu_source::{Error, Source};

const FILE: &[u8] = include_bytes!("../../../tests/samples/gfx942/saxpy.co");

/// The reason why the file with another byte at a place has no source.
fn changed(at: usize, byte: u8) -> Option<Error> {
    let mut file = FILE.to_vec();
    file[at] = byte;
    Source::new(&file).err()
}

#[test]
fn each_reason_has_its_error() {
    assert_eq!(changed(0, 0), Some(Error::NoElf));
    assert!(matches!(Source::new(&FILE[..20]), Err(Error::Elf(_))));
    assert_eq!(changed(4, 1), Some(Error::Format));
    assert_eq!(changed(18, 62), Some(Error::OtherMachine));
    assert_eq!(changed(48, 0xfe), Some(Error::UnknownProcessor { number: 0xfe, name: None }));
    // The number of a processor that some builds do not know.
    let unknown = Some(Error::UnknownProcessor { number: 0x20, name: Some("gfx600") });
    let is_known = amdgpu_isa::Target::from_e_flags(0x20).is_some();
    assert_eq!(changed(48, 0x20), if is_known { None } else { unknown });
    assert_eq!(changed(8, 0), Some(Error::Version(0)));
    assert_eq!(Source::new(FILE).unwrap().parts().collect::<String>(), Source::new(FILE).unwrap().to_string());
}

/// The object of a few lines, with another number in the header of a section or in a symbol.
#[test]
fn damaged_tables_of_objects_are_errors() {
    let source = ".amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\nf: s_nop 0\n.quad ext\n";
    let object = amdgpu_asm::assemble("few.s", source, &amdgpu_asm::Options::default()).unwrap().to_object().unwrap();
    let file = elf::File::parse(&object).unwrap();
    let sections = file.sections().0;
    let number = |kind| sections.iter().position(|section| section.kind == kind).unwrap();
    let (kind, size, link, info) = (4, 32, 40, 44);
    let (symbols, relocations) = (number(elf::SHT_SYMTAB), number(elf::SHT_RELA));
    let header = |number, field| file.section_header(number) as usize + field;
    // The number of the section of `f`, the first symbol.
    let of_symbol = sections[symbols].offset as usize + elf::wide::SYMBOL + 6;
    let lacking = |what| Some(Error::Lacking(what));
    let cases = [
        (header(relocations, kind), elf::SHT_CREL, Some(Error::CompactRelocations)),
        (header(relocations, link), 0, lacking("relocations name symbols of no table")),
        (header(relocations, info), 99, lacking("relocations belong to no section")),
        (header(relocations, size), 23, lacking("a table of relocations ends in the middle of one")),
        (header(symbols, size), 71, lacking("the table of symbols ends in the middle of a symbol")),
        (header(symbols, link), 2, lacking("the table of symbols has no table of names")),
        (of_symbol, 200, lacking("a symbol is in a section that does not exist")),
        (of_symbol, 0xffff, lacking("a symbol is in a section that does not exist")),
    ];
    assert_eq!(Source::new(&object).err(), None);
    for (at, value, error) in cases {
        let mut damaged = object.clone();
        let bytes = value.to_le_bytes();
        let width = if at == of_symbol { 2 } else { 4 };
        damaged[at..at + width].copy_from_slice(&bytes[..width]);
        assert_eq!(Source::new(&damaged).err(), error, "{value:#x} at {at}");
    }
}

/// Each byte of the file in turn is wrong: there is a source or an error, and no panic.
#[test]
fn damage_is_an_error_or_a_source() {
    for at in 0..FILE.len() {
        let mut file = FILE.to_vec();
        file[at] ^= 0xff;
        if let Ok(source) = Source::new(&file) {
            assert!(source.to_string().starts_with("\t.amdgcn_target"), "{at}");
        }
    }
}
