//! Operands of all decoded words are plausible: their fields exist, and their registers are inside the register files.

use crate::words::{Rng, encodings, legal};
use amdgpu_isa::operands::Special;
use amdgpu_isa::{Access, Field, Format, Inst, Operand, Reg, Target, Value};

/// The numbers of numbered scalar registers and of trap temporaries.
fn scalars(target: Target) -> (u16, u16) {
    match target.name() {
        n if n.len() == 6 && ["gfx6", "gfx7"].contains(&&n[..4]) => (104, 12),
        n if n.starts_with("gfx8") => (102, 12),
        n if n.len() == 6 => (102, 16),
        _ => (106, 16),
    }
}

fn check_value(inst: &Inst, operand: &Operand) {
    let dwords = operand.bits.div_ceil(32);
    let (sgprs, ttmps) = scalars(inst.target());
    let inside = |first: u16, count: u16| first + dwords <= count;
    // From RDNA1 on, tuples of scalar registers may end in VCC.
    let vcc = if sgprs == 106 && dwords > 2 { 2 } else { 0 };
    // The number in the field that names the operand.
    let field = operand.role.and_then(|role| inst.get(role));
    let ok = match operand.value {
        Value::Reg(Reg::Sgpr(n)) => u16::from(n) < sgprs && inside(n.into(), sgprs + vcc),
        Value::Reg(Reg::Ttmp(n)) => inside(n.into(), ttmps),
        // Compressed exports take two sources from one register.
        Value::Reg(Reg::Vgpr(n)) if inst.get(Field::Compr) == Some(1) => inside(n, 256),
        // The upper bit of the field, or another field, selects the half of a register.
        Value::Reg(register @ (Reg::Vgpr(_) | Reg::VgprHigh(_))) if operand.bits == 16 => {
            let n = if let Reg::Vgpr(n) = register {
                n as u8
            } else if let Reg::VgprHigh(n) = register {
                n
            } else {
                0
            };
            field.is_some_and(|v| [v as u8, v as u8 & 127].contains(&n))
        }
        Value::Reg(Reg::Vgpr(n)) if operand.role == Some(Field::Vdsty) && inst.format() == Format::Vopd => {
            field == Some(u32::from(n / 2)) && inst.get(Field::Vdstx).is_some_and(|x| x & 1 != u32::from(n & 1))
        }
        Value::Reg(Reg::Vgpr(n)) => {
            n < 256 && inside(n, inst.target().vgprs()) && field.map(|v| v as u8 as u16) == Some(n)
        }
        Value::Reg(Reg::Agpr(n)) => inside(n.into(), 256) && field.map(|v| v as u8) == Some(n),
        // Null stands for any number of registers.
        Value::Reg(Reg::Special(Special::Null)) => inst.to_string().contains("null"),
        // The text has the name of the register. The name of a pair lacks the suffix of the lower half.
        Value::Reg(Reg::Special(special)) => {
            let name = special.name();
            let name = if dwords >= 2 { name.strip_suffix("_lo").unwrap_or(name) } else { name };
            // Both parts of a packed pair of 64 bits read the same constant register.
            let is_pair = dwords == 4 && inst.format() == Format::Vop3p;
            (dwords <= 2 || is_pair) && inst.to_string().contains(name)
        }
        // VCC has a role if the text shows it. The other registers are always implicit.
        Value::Reg(Reg::Vcc) => operand.bits == inst.target().wave_size(),
        Value::Reg(_) => operand.role.is_none(),
        Value::Int(n) => (-16..=64).contains(&n),
        Value::Float(float) => field.map(|v| v & 0xff) == Some(240 + float as u32),
        Value::Literal(v) => inst.extension() == Some(Format::Literal) && inst.words().last() == Some(&v),
        Value::Literal64 => inst.literal64().is_some() && operand.bits == 64,
        Value::Imm(v) => operand.bits < 32 && (-(1i64 << operand.bits)..1 << operand.bits).contains(&v.into()),
        Value::Label(v) => field == Some(u32::from(v as u16)) && operand.bits == 16,
        Value::Off => true,
        _ => false,
    };
    assert!(ok, "{inst:?}: {operand:?}");
    let constant = matches!(operand.value, Value::Int(_) | Value::Float(_) | Value::Literal(_) | Value::Literal64);
    assert!(!constant || operand.access == Access::Read, "{inst:?}: {operand:?} is written");
}

fn check(inst: &Inst) {
    let fields: Vec<Field> = inst.fields().map(|held| held.info.field).collect();
    let operands: Vec<Operand> = inst.operands().collect();
    let explicit = operands.iter().take_while(|o| o.role.is_some()).count();
    for (i, operand) in operands.iter().enumerate() {
        assert!(operand.bits > 0 && operand.bits <= 1024, "{inst:?}: {operand:?}");
        check_value(inst, operand);
        let Some(role) = operand.role else {
            assert!(i >= explicit && matches!(operand.value, Value::Reg(_)), "{inst:?}: {operand:?}");
            assert!(!operands[..i].contains(operand), "{inst:?}: {operand:?} twice");
            let shown = |o: &&Operand| o.role.is_some() && o.value == operand.value && o.value == Value::Reg(Reg::Vcc);
            let twice = operands
                .iter()
                .filter(shown)
                .any(|o| o.access.reads() && operand.access.reads() || o.access.writes() && operand.access.writes());
            assert!(!twice, "{inst:?}: {operand:?} is implicit and explicit");
            continue;
        };
        assert!(i < explicit, "{inst:?}: {operand:?} after an implicit one");
        // The text shows the vcc of VOP2 and VOPC, but no field names it.
        assert!(fields.contains(&role) || role == Field::Vcc, "{inst:?}: {operand:?}");
        // Addition with carry reads one VCC and writes another one. Two operations of an instruction share their
        // literal.
        let shared = inst.second_opcode().is_some() && role == Field::Literal;
        let same = |o: &Operand| o.role == Some(role) && (role != Field::Vcc || o.access == operand.access) && !shared;
        assert!(!operands[..i].iter().any(same), "{inst:?}: {role} twice");
    }
    let shown = operands.iter().map(|o| o.bits).max();
    assert_eq!(inst.operands().map(|o| o.bits).max(), shown, "the operands are the same when asked again");
}

#[test]
fn operands_of_every_opcode_are_sane() {
    let mut rng = Rng(8);
    for &target in Target::ALL {
        for encoding in encodings(target) {
            legal(target, encoding, 20, &mut rng).iter().for_each(check);
        }
    }
}

#[test]
fn operands_of_words_like_any_other_are_sane() {
    for &target in Target::ALL {
        super::slice_of_all_words(target, 5, |words| {
            if let Ok(inst) = amdgpu_isa::decode_words(target, &words) {
                check(&inst);
            }
        });
    }
}

/// Data that atomics return can end with v255, or one register before it if the fail status follows. Found by fuzzing.
#[cfg(all(feature = "gfx700", feature = "gfx803"))]
#[test]
fn the_last_register_can_be_returned() {
    for (target, add, add_x2) in
        [(Target::Gfx700, 0xdcc9_0000, 0xdd49_0000), (Target::Gfx803, 0xdd09_0000, 0xdd89_0000)]
    {
        for (word, dwords) in [(add, 1), (add_x2, 2u32)] {
            for tfe in [0, 1] {
                let last = 256 - dwords - tfe;
                let words = |vdst: u32| [word, vdst << 24 | tfe << 23 | 0x0101];
                let inst =
                    amdgpu_isa::decode_words(target, &words(last)).unwrap_or_else(|e| panic!("{target} {last}: {e}"));
                let returned = inst.operands().next().expect("it returns something");
                assert_eq!(returned.value, Value::Reg(Reg::Vgpr(last as u16)), "{inst:?}");
                assert_eq!(u32::from(returned.bits), 32 * (dwords + tfe), "{inst:?}");
                for beyond in last + 1..256 {
                    assert!(amdgpu_isa::decode_words(target, &words(beyond)).is_err(), "{target}: v{beyond}");
                }
            }
        }
    }
}
