//! Basic promises of the API: names parse and print, errors say what failed, where and why, and registers keep their
//! identity on every target.
#![cfg(all(has_target, feature = "text"))]

use std::collections::BTreeSet;
use std::error::Error;

use amdgpu_isa::asm::{AssembleError, AssembleErrorKind, Assembler, FixupSlot, LabelSlot};
use amdgpu_isa::check::RuleError;
use amdgpu_isa::errors::{FieldError, UnknownName};
use amdgpu_isa::facts::{Counter, Counters, Flag, RegSet};
use amdgpu_isa::operands::{InlineFloat, Special};
use amdgpu_isa::patch::{PatchError, TrampolineError};
use amdgpu_isa::{DecodeError, Decoded, Decoder, Field, Format, Opcode, Reg, Target, WordDecoder, decode_words};

#[test]
fn names_are_read_back() {
    for &opcode in Opcode::ALL {
        assert_eq!(opcode.name().parse(), Ok(opcode));
        assert_eq!(opcode.name().to_uppercase().parse(), Ok(opcode));
    }
    for &format in Format::ALL {
        assert_eq!(format.name().to_lowercase().parse(), Ok(format));
    }
    for &field in Field::ALL {
        assert_eq!(field.name().parse(), Ok(field));
    }
    for name in ["", "s_nop ", "s_nop_e32", "nop"] {
        assert_eq!(name.parse::<Opcode>(), Err(UnknownName), "{name:?}");
    }
    assert_eq!(std::mem::size_of::<Result<Opcode, UnknownName>>(), 2);
    assert!("VOP9".parse::<Format>().is_err() && "vdst9".parse::<Field>().is_err());
}

/// Each mnemonic that a target prints is parsed for that target, and names no other operation there.
#[test]
fn mnemonics_are_those_of_the_target() {
    let (mut own, mut shared) = (0, 0);
    for &target in Target::ALL {
        for &opcode in Opcode::ALL {
            for encoding in opcode.encodings(target) {
                let mnemonic = opcode.mnemonic(target, encoding.format).expect("it has the format");
                assert_eq!(Opcode::from_mnemonic(target, mnemonic), Some(opcode), "{target} {mnemonic}");
                *(if mnemonic == opcode.name() { &mut shared } else { &mut own }) += 1;
            }
            // If the target has another mnemonic for the operation, it does not accept the library's name of the
            // operation: that name may mean another operation there.
            let is_called = |found: Opcode| {
                let mut all = found.encodings(target).filter_map(|e| found.mnemonic(target, e.format));
                all.any(|mnemonic| mnemonic == opcode.name())
            };
            match Opcode::from_mnemonic(target, opcode.name()) {
                Some(found) => assert!(is_called(found), "{target} {found}"),
                None => assert!(!is_called(opcode), "{target} {opcode}"),
            }
        }
        assert_eq!(Opcode::from_mnemonic(target, "s_no_such"), None);
    }
    assert_eq!(Opcode::ALL.iter().map(|opcode| opcode.name()).collect::<BTreeSet<_>>().len(), Opcode::ALL.len());
    assert!(shared > 500 * Target::ALL.len() && (own > 1_000 || cfg!(not(feature = "all-targets"))), "{shared}, {own}");
}

/// Each special register of a target goes into an instruction by its name, and comes back under that name.
#[test]
fn special_registers_are_themselves_on_every_target() {
    let mut all = 0;
    for &target in Target::ALL {
        // s_mov_b32 s0, register
        let Some(encoding) =
            Opcode::ALL.iter().find(|op| op.name() == "s_mov_b32").and_then(|op| op.encodings(target).next())
        else {
            continue;
        };
        let word = |source: u32| 0xbe80_0000 | u32::from(encoding.number) << 8 | source;
        let mov = decode_words(target, &[word(0)]).expect("s_mov_b32 s0, s0");
        let mut seen = 0;
        for &special in Special::ALL {
            let reg = Reg::Special(special);
            let Ok(named) = mov.with_operand(Field::Ssrc0, reg.into()) else { continue };
            let operand = named.operands().find(|o| o.role == Some(Field::Ssrc0)).expect("it has a source");
            assert_eq!(operand.value, reg.into(), "{target}");
            assert_eq!(named.to_string(), format!("s_mov_b32 s0, {reg}"), "{target}");
            // A set shows the register under the same name, except flags and constants.
            let mut set = RegSet::new(target);
            set.insert(reg);
            if !special.name().starts_with("src_") && special != Special::Null {
                assert!(set.iter().eq([reg]), "{target} {reg} {set:?}");
            }
            seen += 1;
        }
        assert!(seen >= 6, "{target}: {seen}");
        all += seen;
        for reg in [Reg::VCC_LO, Reg::VCC_HI, Reg::EXEC_LO, Reg::EXEC_HI, Reg::Special(Special::M0)] {
            assert!(mov.with_operand(Field::Ssrc0, reg.into()).is_ok(), "{target} {reg}");
        }
        for &float in InlineFloat::ALL {
            match mov.with_operand(Field::Ssrc0, float.into()) {
                Ok(inst) => assert_eq!(inst.to_string(), format!("s_mov_b32 s0, {float}"), "{target}"),
                Err(error) => assert!(matches!(error, PatchError::Decode(_)), "{target} {float}: {error}"),
            }
        }
    }
    println!("{all} registers");
    assert!(all > 0);
}

#[test]
fn sets_are_listed_by_name() {
    for (n, flag) in Flag::ALL.iter().enumerate() {
        assert_eq!((*flag as usize, flag.name().is_empty()), (n, false));
    }
    let all = Counter::ALL.iter().fold(Counters::new(), |all, counter| all.with(*counter));
    assert!(all.iter().eq(Counter::ALL.iter().copied()));
    assert!(Counters::new().is_empty() && Counters::new().iter().next().is_none());
    let names: BTreeSet<&str> = Counter::ALL.iter().map(|counter| counter.name()).collect();
    assert_eq!(names.len(), Counter::ALL.len());
    assert_eq!(all.to_string().split(", ").count(), Counter::ALL.len());
}

#[test]
fn dwords_are_walked_as_bytes_are() {
    for &target in Target::ALL {
        let dwords: Vec<u32> = (0..500u32).map(|n| n.wrapping_mul(0x9e37_79b9) ^ 0x8000_0000 >> (n % 3)).collect();
        let bytes: Vec<u8> = dwords.iter().flat_map(|dword| dword.to_le_bytes()).collect();
        let walk: Vec<Decoded> = Decoder::new(target, &bytes).collect();
        assert!(WordDecoder::new(target, &dwords).eq(walk.iter().copied()), "{target}");
        assert!(walk.iter().any(|d| d.inst.is_ok()) && walk.iter().any(|d| d.inst.is_err()));
    }
}

/// An error that wraps another one returns it as its source, and the `?` operator accepts every error.
#[test]
fn errors_have_sources() {
    let decode = DecodeError::UnknownEncoding;
    let field = FieldError { field: Field::Simm16, value: 70_000, width: 16 };
    let rule = RuleError::ConstantBus { reads: 2, limit: 1 };
    let assemble = AssembleError::from(decode);
    assert_eq!((assemble.kind, assemble.offset, assemble.opcode), (AssembleErrorKind::Decode(decode), None, None));
    let wrapped: [(Box<dyn Error>, String); 8] = [
        (Box::new(AssembleError::from(decode)), decode.to_string()),
        (Box::new(AssembleError::from(field)), field.to_string()),
        (Box::new(AssembleErrorKind::Decode(decode)), decode.to_string()),
        (Box::new(PatchError::from(field)), field.to_string()),
        (Box::new(PatchError::from(decode)), decode.to_string()),
        (Box::new(PatchError::from(rule)), rule.to_string()),
        (Box::new(TrampolineError::from(decode)), assemble.to_string()),
        (
            Box::new(TrampolineError::from(AssembleErrorKind::Lacks)),
            AssembleError::from(AssembleErrorKind::Lacks).to_string(),
        ),
    ];
    for (error, source) in wrapped {
        assert_eq!(error.source().map(|source| source.to_string()), Some(source), "{error}");
    }
    let alone: [Box<dyn Error>; 5] = [
        Box::new(decode),
        Box::new(field),
        Box::new(rule),
        Box::new(UnknownName),
        Box::new(amdgpu_isa::errors::UnknownTarget),
    ];
    for error in alone {
        assert!(error.source().is_none() && !error.to_string().is_empty());
    }
}

#[test]
fn assembler_errors_say_where() {
    for &target in Target::ALL {
        let mut code = [0u32; 4];
        let (mut labels, mut fixups) = ([LabelSlot::EMPTY; 1], [FixupSlot::EMPTY; 2]);
        let mut asm = Assembler::new(target, &mut code, &mut labels, &mut fixups);
        let nop = [0xbf80_0000u32];
        let named = |name: &str| Opcode::ALL.iter().copied().find(|op| op.name() == name);
        asm.emit(nop).expect("there is room");
        let error = asm.emit([u32::MAX]).expect_err("it is no instruction");
        assert_eq!((error.offset, error.opcode), (Some(4), None), "{target}: {error}");
        let nowhere = asm.label().expect("there is room");
        assert_eq!(asm.label().map_err(|error| error.offset), Err(Some(4)));
        let branch = named("s_branch").expect("every target branches");
        let error = asm.branch(nop, nowhere).expect_err("it does not branch");
        assert_eq!((error.offset, error.opcode), (Some(4), named("s_nop")));
        asm.jump(branch, nowhere).expect("there is room");
        let error = asm.finish().map(|done| done.len()).expect_err("the label is nowhere");
        assert_eq!(
            (error.kind, error.offset, error.opcode),
            (AssembleErrorKind::Unbound(nowhere), Some(4), Some(branch))
        );
        assert_eq!(error.to_string(), "s_branch at offset 0x4: label 0 is not bound");
    }
}
