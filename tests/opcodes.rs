//! The numbers of operations never change, whatever the features of the build: they are those of `isa/opcodes.isa`, a
//! list that only grows.

use amdgpu_isa::{Opcode, Target};

/// The number and the name in each line of the list.
fn list() -> Vec<(u16, &'static str)> {
    let (_, lines) = include_str!("../isa/opcodes.isa").split_once("\nopcodes\n").expect("the list");
    let parts = lines.lines().map(|line| line.split(' '));
    parts.map(|mut words| (words.next().unwrap().parse().unwrap(), words.next().unwrap())).collect()
}

/// The length of the list at some time, and the hash of its lines at that time. A row for new operations is appended
/// when a version is published; a row changes only if an operation gets another name.
const KEPT: [(usize, u64); 1] = [(2039, 0x5464_994a_9df5_434e)];

/// FNV-1a of 64 bits.
fn hash(lines: &[(u16, &str)]) -> u64 {
    let text: String = lines.iter().map(|(number, name)| format!("{number} {name}\n")).collect();
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

#[test]
fn the_list_only_grows() {
    let list = list();
    for (count, expected) in KEPT {
        let start = list.get(..count).expect("no line of the list goes");
        assert_eq!(
            hash(start),
            expected,
            "one of the first {count} lines is another: only an operation's name may change"
        );
    }
}

#[test]
fn the_list_has_the_numbers_of_all_operations() {
    let list = list();
    for (&(number, name), place) in list.iter().zip(0..) {
        assert_eq!(number, place, "{name}");
        let opcode = Opcode::from_number(number).expect(name);
        assert_eq!((opcode.number(), opcode as u16), (number, number), "{name}");
        // A build has the names of its targets' operations only.
        #[cfg(feature = "text")]
        assert_eq!(opcode.name(), if Opcode::ALL.contains(&opcode) { name } else { "" });
    }
    assert_eq!(Opcode::from_number(list.len() as u16), None);
    assert_eq!(Opcode::from_number(u16::MAX), None);
}

/// The numbers of some variants, written here: a change of the list and the hash must also change these.
#[test]
fn first_and_last_operations_have_their_numbers() {
    let some = [
        (Opcode::DsAddU32, 0),
        (Opcode::DsSubU32, 1),
        (Opcode::SNop, 589),
        (Opcode::SEndpgm, 590),
        (Opcode::VAddF32, 705),
        (Opcode::GlobalLoadDword, 213),
        (Opcode::VCvtScalef32Pk32Fp6F32, 2038),
    ];
    for (opcode, number) in some {
        assert_eq!(opcode.number(), number, "{opcode:?}");
    }
}

#[test]
fn the_operations_of_the_build_are_those_that_a_target_has() {
    assert!(Opcode::ALL.is_sorted());
    for opcode in (0..).map_while(Opcode::from_number) {
        let is_there = Target::ALL.iter().any(|target| opcode.encodings(*target).next().is_some());
        assert_eq!(Opcode::ALL.contains(&opcode), is_there, "{opcode:?}");
        assert!(opcode.signatures(Target::ALL[0]).all(|signature| signature.opcode() == opcode));
    }
}

/// The number is printed where the build lacks the name.
#[test]
fn an_operation_without_a_name_is_debugged_as_its_number() {
    for opcode in (0..).map_while(Opcode::from_number).filter(|opcode| !Opcode::ALL.contains(opcode)) {
        assert_eq!(format!("{opcode:?}"), format!("Opcode({})", opcode.number()));
        #[cfg(feature = "text")]
        assert_eq!((opcode.to_string(), opcode.name()), (String::new(), ""));
    }
}
