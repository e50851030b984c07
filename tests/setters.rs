//! Random structs of microcode formats: nearly every operation occurs, and setters make the same structs as
//! `Arbitrary`.

use crate::words;

use amdgpu_isa::errors::FieldError;
use amdgpu_isa::{Microcode, Target};
use arbitrary::{Arbitrary, Unstructured};
use std::collections::BTreeSet;
use words::Rng;

include!(concat!(env!("OUT_DIR"), "/roster.rs"));

fn random(rng: &mut Rng, len: usize) -> Vec<u8> {
    (0..len).map(|_| rng.number() as u8).collect()
}

/// One struct of each layout: nearly every operation occurs, and setters make the same struct from the operation and
/// the fields of a random struct.
#[test]
fn structs_are_what_their_setters_can_make() {
    let mut rng = Rng(5);
    let mut structs = 0;
    macro_rules! result {
        (exact, $set:expr) => {
            Ok::<_, FieldError>($set)
        };
        (checked, $set:expr) => {
            $set
        };
    }
    macro_rules! each {
        ($module:ident $target:ident $ty:ident ($($op:ident)?) [$(($how:ident $field:ident $with:ident $int:ident))*]) => {{
            use amdgpu_isa::$module::$ty;
            structs += 1;
            #[allow(unused_mut)] // An extension has no operations.
            let mut operations = BTreeSet::<u16>::new();
            let mut values = BTreeSet::new();
            for _ in 0..4000 {
                let bytes = random(&mut rng, 10);
                let s = $ty::arbitrary(&mut Unstructured::new(&bytes)).unwrap();
                let again = $ty::new();
                $(
                    let op: amdgpu_isa::$module::$op = s.op().unwrap();
                    operations.insert(op.opcode() as u16);
                    let again = again.with_op(op);
                )?
                $( let again = result!($how, again.$with(s.$field())).unwrap(); )*
                assert_eq!(again, s, "{}", $ty::FORMAT);
                values.insert(s.to_words());
            }
            // An extension has no operations, and a struct of two operations has no single one.
            let typed = <[&str]>::len(&[$(stringify!($op))?]);
            let listed = words::encodings(Target::$target).iter().filter(|e| e.0 == $ty::FORMAT).count() * typed;
            assert!(operations.len() * 100 >= listed * 95, "{} {}: {}", Target::$target, $ty::FORMAT, operations.len());
            assert!(values.len() > 2000, "{} {}: {}", Target::$target, $ty::FORMAT, values.len());
            assert_eq!($ty::arbitrary(&mut Unstructured::new(&[])).unwrap().to_words().as_ref().len(), $ty::new().to_words().as_ref().len());
        }};
    }
    every_struct!(each);
    // There is one struct of each layout: every target has at least 20 formats, and each target changes some.
    assert!(structs >= 20 + Target::ALL.len(), "{structs}");
}
