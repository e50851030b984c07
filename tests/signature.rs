//! Signatures agree with decoding: for every operation of every target in all its forms, the operands, implicit
//! registers and modifiers of decoded words are those of the signature, and every value of every operand's field is
//! accepted if and only if the signature takes it.
#![cfg(has_target)]

use crate::kept::is_kept;
use crate::words;

use amdgpu_isa::check::RuleError;
use amdgpu_isa::layout::FieldInfo;
use amdgpu_isa::operands::{InlineFloat, Special};
use amdgpu_isa::signature::{ImplicitSignature, OperandSignature, Signature};
use amdgpu_isa::{Access, Field, Format, Inst, Opcode, Reg, Target, Value, decode_words};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use words::{Filling, Rng, attempt, layout, legal, repair};

/// Instructions of a signature's form, the simplest ones first.
fn instances(signature: &Signature, count: usize, rng: &mut Rng) -> Vec<Inst> {
    let (target, opcode) = (signature.target(), signature.opcode());
    let (format, number) = (signature.format(), signature.number());
    let mut all = Vec::new();
    match signature.extension() {
        None => all = legal(target, (format, number, opcode), count, rng),
        Some(extension) => {
            let base = layout(target, format);
            let announced = base.extends.iter().find(|e| e.format == extension).expect("a form has its extension");
            for n in 0..count * 4 {
                let filling = if n < 2 { Filling::Zero } else { rng.pick(&[Filling::Typical, Filling::Random]) };
                let mut words = attempt(target, base, number, Some(announced), filling, rng);
                all.extend(repair(target, &mut words, rng).filter(|inst| !all.contains(inst)));
            }
        }
    }
    all.retain(|inst| is_of(inst, signature));
    all.truncate(count);
    assert!(!all.is_empty(), "{signature:?}: no words");
    all
}

/// The given instructions, and the first one with every dimension of images. With a16, the dimension decides how many
/// registers an address has, and so whether the form can name them.
fn with_dimensions(mut insts: Vec<Inst>, signature: &Signature) -> Vec<Inst> {
    let has = |field| insts[0].get(field).is_some();
    let a16 = if has(Field::A16) { 2 } else { 1 };
    let all = if has(Field::Dim) { 8 * a16 } else { 0 };
    let others = (0..all).map(|n| with(&insts[0], &[(Field::Dim, n & 7), (Field::A16, n >> 3)]));
    let others: Vec<Inst> = others.filter_map(|words| decode_words(signature.target(), &words).ok()).collect();
    insts.extend(others.into_iter().filter(|inst| is_of(inst, signature)));
    insts
}

fn is_of(inst: &Inst, signature: &Signature) -> bool {
    let own = inst.extension().filter(|e| !["LITERAL", "LITERAL64"].contains(&e.name()));
    let operation = inst.opcode() == signature.opcode() || inst.second_opcode() == Some(signature.opcode());
    operation && (inst.format(), own) == (signature.format(), signature.extension())
}

/// The value, with one literal for all literals.
fn plain(value: Value) -> Value {
    if matches!(value, Value::Literal(_)) { Value::Literal(0) } else { value }
}

/// Pairs each operand of the instruction with that of the signature; no required operand may remain.
fn paired(inst: &Inst, operands: &[OperandSignature]) -> Vec<(amdgpu_isa::Operand, usize)> {
    let mut left = operands.iter().enumerate();
    let named = inst.operands().filter(|o| o.role.is_some());
    let pairs = named
        .map(|operand| {
            let skipped = |o: &OperandSignature| assert!(o.optional, "{inst:?} lacks {}", o.field);
            let found = left.find(|(_, o)| {
                let same = Some(o.field) == operand.role;
                if !same {
                    skipped(o);
                }
                same
            });
            (operand, found.unwrap_or_else(|| panic!("{inst:?} has {operand:?} besides")).0)
        })
        .collect();
    left.for_each(|(_, o)| assert!(o.optional, "{inst:?} lacks {}", o.field));
    pairs
}

fn agrees(inst: &Inst, signature: &Signature, operands: &[OperandSignature]) {
    for (operand, n) in paired(inst, operands) {
        let said = &operands[n];
        let bits = match operand.value {
            Value::Imm(_) | Value::Label(_) => {
                let field = said.takes.immediate.unwrap_or_else(|| panic!("{inst:?}: {operand:?}")).bits;
                operand.bits == u16::from(field)
            }
            Value::Off => true,
            _ => (said.bits..=said.most_bits).contains(&operand.bits),
        };
        assert!(bits, "{inst:?}: {operand:?} has not {} to {} bits", said.bits, said.most_bits);
        let access = match said.returned {
            // From RDNA4 on the lowest bit of the temporal hint says whether a value is returned.
            Some(field) if inst.get(field).is_some_and(|value| value & 1 == 0) => Access::Read,
            _ if said.access == Access::Write && is_kept(inst, &operand) => Access::ReadWrite,
            _ => said.access,
        };
        assert_eq!(operand.access, access, "{inst:?}: {operand:?}");
        assert!(said.takes.value(operand.value), "{inst:?}: {operand:?} is not one of {:?}", said.takes);
    }
    aligned(inst, operands);
    let implicit = inst.operands().filter(|o| o.role.is_none()).map(|o| (o.value, o.bits, o.access));
    // The hardware registers that hold the implicit registers, by the manuals' numbers.
    let cdna5 = ["CDNA5", "GFX13"].contains(&inst.target().generation());
    let from_rdna4 = cdna5 || ["gfx1200", "gfx1310"].contains(&inst.target().processor());
    let numbers = |reg: Reg| match reg {
        Reg::Scc if from_rdna4 => 4..=4,
        Reg::TrapStatus if from_rdna4 => 17..=18,
        Reg::XnackMask if cdna5 => 34..=34,
        Reg::Mode => 1..=1,
        Reg::TrapStatus => 3..=3,
        Reg::FlatScratch => 20..=21,
        Reg::XnackMask => 22..=22,
        _ => 2..=2,
    };
    let names_one = inst.opcode().name().starts_with("s_getreg") || inst.opcode().name().starts_with("s_setreg");
    let holds = |i: &ImplicitSignature| {
        let Some(field) = i.when else { return true };
        let value = inst.get(field).expect("it has the field");
        if names_one { numbers(i.reg).contains(&(value & 63)) } else { value != 0 }
    };
    let said = signature.implicit().filter(holds).map(|i| (Value::Reg(i.reg), i.bits, i.access));
    assert_eq!(implicit.collect::<Vec<_>>(), said.collect::<Vec<_>>(), "{inst:?}");
    for modifier in signature.modifiers() {
        let value = inst.get(modifier.field).expect("it has the field");
        assert!(modifier.takes(value), "{inst:?}: {modifier:?} does not take {value}");
    }
    let set = |field| inst.get(field).is_some_and(|v| v != 0);
    if !set(Field::Lds) && !set(Field::Gds) {
        assert_eq!(inst.flags(), signature.flags(), "{inst:?}");
    }
}

/// Checks that `Inst::check` demands the signature's alignment, and reports the first tuple that violates it.
fn aligned(inst: &Inst, operands: &[OperandSignature]) {
    // LLVM's validateGWS demands that the single register of these operations is even.
    let gws = ["ds_gws_init", "ds_gws_barrier", "ds_gws_sema_br"].contains(&inst.opcode().name());
    let is_tuple = |o: &amdgpu_isa::Operand| o.bits > 32 || gws;
    let wrong = paired(inst, operands).into_iter().filter(|(o, _)| is_tuple(o)).find_map(|(o, n)| {
        let (said, field) = (&operands[n], o.role.expect("it is named"));
        let code = || inst.get(field).expect("it has the field") as u16 * u16::from(said.scale) + said.first;
        match o.value {
            Value::Reg(register @ Reg::Vgpr(n)) if n % u16::from(said.vector_alignment()) != 0 => {
                Some(RuleError::MisalignedVector { field, register })
            }
            Value::Reg(register @ Reg::Agpr(n)) if n % said.vector_alignment() != 0 => {
                Some(RuleError::MisalignedVector { field, register })
            }
            // The operand shows the next lower aligned register, and the error names the register in the field.
            Value::Reg(Reg::Sgpr(n)) if code() % u16::from(said.scalar_alignment()) != 0 => {
                let register = Reg::Sgpr(n + code() as u8 % said.scalar_alignment());
                Some(RuleError::MisalignedScalar { field, register })
            }
            Value::Reg(Reg::Ttmp(n)) if code() % u16::from(said.scalar_alignment()) != 0 => {
                let register = Reg::Ttmp(n + code() as u8 % said.scalar_alignment());
                Some(RuleError::MisalignedScalar { field, register })
            }
            _ => None,
        }
    });
    let aligned = |e: &RuleError| matches!(e, RuleError::MisalignedVector { .. } | RuleError::MisalignedScalar { .. });
    let found = inst.check().err().filter(aligned);
    assert_eq!(found, wrong, "{inst:?}");
}

/// The position of an instruction's field: the first dword of its part, and the field.
fn place(inst: &Inst, field: Field) -> Option<(usize, &'static FieldInfo)> {
    let last = inst.fields().filter(|held| held.info.field == field).last()?;
    Some((usize::from(last.first_bit / 32), last.info))
}

fn with(inst: &Inst, changes: &[(Field, u32)]) -> [u32; 5] {
    let mut words = [0; 5];
    words[..inst.words().len()].copy_from_slice(inst.words());
    for &(field, value) in changes {
        if let Some((first, info)) = place(inst, field) {
            words::set(&mut words[first..], info, value);
        }
    }
    words
}

fn width(info: &FieldInfo) -> u8 {
    info.width + info.hi_width
}

/// Combinations of values of the fields that affect an operand: both values of flags, and both presence and absence of
/// addresses.
fn surroundings(inst: &Inst, operand: &OperandSignature) -> Vec<Vec<(Field, u32)>> {
    let mut all = vec![Vec::new()];
    let fields: BTreeSet<Field> = operand.others().collect();
    for field in fields {
        let Some((_, info)) = place(inst, field) else { continue };
        let values: &[u32] = match (field, width(info)) {
            // These fields change the sign, and not the register.
            (Field::Neg | Field::Abs | Field::Src0Neg | Field::Src1Neg | Field::Src0Abs | Field::Src1Abs, _) => {
                continue;
            }
            (Field::Src0Sext | Field::Src1Sext, _) => continue,
            // The third and the fourth part of a tensor's descriptor are both present or both absent.
            (Field::Vaddr2 | Field::Vaddr3, _) if inst.opcode().name().starts_with("tensor_") => &[0, 124],
            // Other registers of the address.
            (field, _) if field.name().starts_with("vaddr") => continue,
            // 127 (on RDNA1 and RDNA2 125, later 124) means no scalar address.
            (Field::Saddr, _) => &[0, 125, 127],
            (_, 1) => &[0, 1],
            // Null, which is 124 or 125 on RDNA, means that no register is added.
            (Field::Soffset, _) => &[0, 124, 125, u32::MAX],
            (Field::Dmask, _) => &[0, 1],
            // Each bit selects the half of another operand.
            (Field::OpSel, _) => &[0, 1, 2, 4, 8, u32::MAX],
            (Field::Dim, _) => &[0, 1, 2, 3, 4, 5, 6, 7],
            // Elements of 8 bits and of 4 bits: the longest matrix and the shortest.
            (Field::Cbsz | Field::Blgp, _) => &[0, 4],
            // The same sizes of elements on CDNA5.
            (field, _) if field.name().starts_with("matrix_") && field.name().ends_with("_fmt") => &[0, 4],
            _ => &[0, u32::MAX],
        };
        all = all.iter().flat_map(|set| values.iter().map(|v| [&set[..], &[(field, *v)]].concat())).collect();
    }
    all
}

/// The observed values of an operand, and the accepted values of its field.
#[derive(Default)]
struct Seen {
    values: HashSet<Value>,
    fields: BTreeSet<u32>,
}

/// Tries every value of an operand's field; for long fields, the first 512 values, the last one, and those in the
/// middle.
fn try_all(insts: &[Inst], signature: &Signature, operands: &[OperandSignature], n: usize) -> Seen {
    let mut seen = Seen::default();
    let operand = &operands[n];
    for inst in insts {
        for (operand, m) in paired(inst, operands) {
            if m == n {
                seen.values.insert(plain(operand.value));
            }
        }
        let Some((_, info)) = place(inst, operand.field) else { continue };
        let all = ((1u64 << width(info)) - 1) as u32;
        let values = (0..=all.min(511)).chain([all >> 1, (all >> 1) + 1, all]);
        let surroundings = surroundings(inst, operand);
        for value in values {
            let mut last = None;
            for others in &surroundings {
                let words = with(inst, &[&others[..], &[(operand.field, value)]].concat());
                let Ok(changed) = decode_words(signature.target(), &words) else { continue };
                if !is_of(&changed, signature) {
                    continue;
                }
                let named = changed.operands().find(|o| o.role == Some(operand.field));
                let Some(found) = named else { continue };
                // The values of the other fields usually do not change the operand.
                if last != Some(found.value) {
                    assert!(operand.takes.value(found.value), "{changed:?}: {found:?} is not in {:?}", operand.takes);
                    seen.fields.insert(value);
                    seen.values.insert(plain(found.value));
                    last = Some(found.value);
                }
            }
        }
    }
    seen
}

/// All values that any operand may have.
fn universe() -> Vec<Value> {
    let bytes = || 0..=255u8;
    let registers = bytes().flat_map(|n| {
        [Reg::Sgpr(n), Reg::Vgpr(n.into()), Reg::VgprHigh(n), Reg::Agpr(n), Reg::Ttmp(n)].map(Value::Reg)
    });
    let specials = Special::ALL.iter().map(|&special| Value::Reg(Reg::Special(special)));
    let floats = InlineFloat::ALL.iter().map(|&float| Value::Float(float));
    let constants = (-16..=64).map(Value::Int).chain(floats);
    registers
        .chain(specials)
        .chain(constants)
        .chain([Value::Literal(0), Value::Literal64, Value::Off, Value::Reg(Reg::Vcc)])
        .collect()
}

/// The properties that determine which values the operands of a signature take. Signatures with the same properties are
/// tried only once on each target.
fn sort(signature: &Signature, operands: &[OperandSignature]) -> String {
    let one = |o: &OperandSignature| {
        format!("{:?} {} {} {} {:?}", o, o.optional, o.most_bits, o.returned.is_some(), o.others().collect::<Vec<_>>())
    };
    let all: Vec<String> = operands.iter().map(one).collect();
    format!("{} {:?} {all:?}", signature.format(), signature.extension())
}

fn all_signatures() -> impl Iterator<Item = Signature> {
    Target::ALL.iter().flat_map(|&t| Opcode::ALL.iter().flat_map(move |op| op.signatures(t)))
}

#[test]
fn instructions_are_as_their_signatures_say() {
    let mut rng = Rng(7);
    let mut count = 0;
    for signature in all_signatures().filter(|s| words::is_tried(s.target(), s.opcode(), 32)) {
        let operands: Vec<_> = signature.operands().collect();
        for inst in instances(&signature, 12, &mut rng) {
            // The signature of a dual instruction covers one pair, and not every pair with the operation.
            if inst.second_opcode().is_none() {
                agrees(&inst, &signature, &operands);
                count += 1;
            }
        }
    }
    assert!(count > 1000, "{count}");
}

#[test]
fn a_field_takes_what_the_signature_says_and_nothing_else() {
    let mut rng = Rng(8);
    let universe = universe();
    let (mut tried, mut codes) = (0, 0);
    let mut met: HashMap<String, usize> = HashMap::new();
    for &target in Target::ALL.iter().filter(|&&target| !words::is_of_other_size(target)) {
        let mut known = HashSet::new();
        let operations = Opcode::ALL.iter().filter(|op| words::is_tried(target, **op, 64));
        for signature in operations.flat_map(|op| op.signatures(target)) {
            let operands: Vec<_> = signature.operands().collect();
            let sort = sort(&signature, &operands);
            if !known.insert(sort.clone()) {
                continue;
            }
            // The full run tries each sort on every target that has it.
            let on_targets = met.entry(sort).or_insert(0);
            *on_targets += 1;
            if *on_targets % 32 != 1 && !words::is_full() {
                continue;
            }
            let mut insts = instances(&signature, if words::is_full() { 6 } else { 2 }, &mut rng);
            // The signature of a dual instruction covers one pair, and not every pair with the operation.
            insts.retain(|inst| inst.second_opcode().is_none());
            if insts.is_empty() {
                continue;
            }
            for (n, operand) in operands.iter().enumerate() {
                let place_of = format!("{signature:?} {}", operand.field);
                let seen = try_all(&insts, &signature, &operands, n);
                let takes = &operand.takes;
                for value in &universe {
                    let was_seen = seen.values.contains(value);
                    assert_eq!(takes.value(*value), was_seen, "{place_of}: {value:?} of {takes:?}");
                    tried += 1;
                }
                if let Some(imm) = takes.immediate {
                    for end in [imm.min, imm.max] {
                        let as_label = i16::try_from(end).map(Value::Label);
                        let was_seen = seen.values.contains(&Value::Imm(end))
                            || as_label.is_ok_and(|label| seen.values.contains(&label));
                        assert!(was_seen, "{place_of}: {end}");
                    }
                    continue;
                }
                // If no other field affects the operand, each value of its field is one code, which the signature takes
                // or does not take.
                let is_sdwa = operand.first == 0 && takes.vgprs() && signature.extension().is_some();
                let Some((_, info)) = place(&insts[0], operand.field) else { continue };
                if operand.optional || takes.off || takes.vcc || takes.halves || is_sdwa || width(info) > 9 {
                    continue;
                }
                for value in 0..1u32 << width(info) {
                    let code = value as u16 * u16::from(operand.scale) + operand.first;
                    let said = takes.codes.contains(code) || code >= 256 && takes.codes.contains(code + 256);
                    assert_eq!(said, seen.fields.contains(&value), "{place_of}: {value}");
                    codes += 1;
                }
            }
        }
    }
    assert!(tried > 100_000 && codes > 10_000, "{tried} {codes}");
}

/// Every value of every modifier of up to 9 bits, with the rest of the instruction unchanged.
#[test]
fn a_modifier_takes_what_the_signature_says_and_nothing_else() {
    let mut rng = Rng(9);
    let (mut taken, mut refused) = (0, 0);
    for &target in Target::ALL.iter().filter(|&&target| !words::is_of_other_size(target)) {
        let tried = Opcode::ALL.iter().filter(|op| words::is_tried(target, **op, 16));
        for signature in tried.flat_map(|op| op.signatures(target)) {
            let insts = with_dimensions(instances(&signature, 4, &mut rng), &signature);
            for modifier in signature.modifiers().filter(|m| m.bits <= 9) {
                for value in 0..1u32 << modifier.bits {
                    let decodes = insts.iter().any(|inst| {
                        let decoded = decode_words(target, &with(inst, &[(modifier.field, value)]));
                        decoded.is_ok_and(|inst| is_of(&inst, &signature))
                    });
                    if decodes {
                        taken += 1
                    } else {
                        refused += 1
                    }
                    assert_eq!(modifier.takes(value), decodes, "{signature:?} {} {value}", modifier.field);
                }
                let Some(ranges) = modifier.ranges() else { continue };
                let listed: Vec<u32> = ranges.flat_map(|(first, last)| first..=last).collect();
                assert!(
                    (0..1 << modifier.bits).filter(|v| modifier.takes(*v)).eq(listed),
                    "{signature:?} {modifier:?}"
                );
            }
        }
    }
    assert!(taken > 1000, "{taken}");
    // Controls of SDWA and DPP have values that are refused.
    assert!(refused > 0 || Target::ALL.iter().all(|t| t.layouts().iter().all(|l| l.format != Format::Sdwa)));
}

#[test]
fn every_form_has_its_signature() {
    for &target in Target::ALL {
        for op in Opcode::ALL {
            let forms: Vec<_> = op.forms(target).collect();
            let said = op.signatures(target).map(|s| (s.format(), s.extension()));
            assert!(said.eq(forms.iter().map(|form| (form.format, form.extension))), "{target} {op:?}");
            for form in forms {
                let signature = op.signature(target, form).expect("it has the form");
                assert_eq!((signature.target(), signature.opcode()), (target, *op));
                assert_eq!((signature.format(), signature.extension()), (form.format, form.extension));
            }
        }
    }
}

#[test]
fn every_number_gives_its_operation() {
    for &target in Target::ALL {
        let mut all: BTreeMap<(Format, u16), Opcode> = BTreeMap::new();
        for (format, number, opcode) in words::encodings(target) {
            all.insert((format, number), opcode);
        }
        for layout in target.layouts() {
            for number in (0..2048).chain([0x8000, u16::MAX]) {
                let found = layout.format.opcode(target, number);
                let listed = all.get(&(layout.format, number)).copied();
                // The opcode number of a dual instruction contains that of the second operation, too. The first
                // operation stands for both.
                if ["VOPD", "VOPD3"].contains(&layout.format.name()) {
                    assert!(found.is_some() || listed.is_none(), "{target} {number}");
                    let first =
                        |((format, _), op): (&(Format, u16), &Opcode)| *format == layout.format && Some(*op) == found;
                    assert!(found.is_none() || all.iter().any(first), "{target} {number}: {found:?}");
                    continue;
                }
                assert_eq!(found, listed, "{target} {} {number}", layout.format);
            }
        }
    }
}

/// The size of a matrix depends on the field of its format, whatever other name these bits have in the format of the
/// words.
#[test]
#[cfg(feature = "gfx1250")]
fn the_format_of_a_matrix_has_its_own_name() {
    let target = Target::Gfx1250;
    let names =
        ["v_wmma_f32_16x16x128_f8f6f4", "v_wmma_scale_f32_16x16x128_f8f6f4", "v_wmma_scale16_f32_16x16x128_f8f6f4"];
    for name in names {
        let opcode = Opcode::from_mnemonic(target, name).expect("it is there");
        let signature = opcode.signatures(target).next().expect("it has a form");
        let others = |field: Field| {
            let operand = signature.operands().find(|o| o.field == field).expect("it has the source");
            operand.others().collect::<BTreeSet<_>>()
        };
        assert_eq!(others(Field::Src0), BTreeSet::from([Field::MatrixAFmt]), "{name}");
        assert_eq!(others(Field::Src1), BTreeSet::from([Field::MatrixBFmt]), "{name}");
    }
}
