//! Files that have no source, and the reasons.

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
