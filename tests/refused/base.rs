//! Legal instructions to start from, in the form of a builder's arguments: field by field.

use amdgpu_isa::layout::HeldField;
use amdgpu_isa::make::{Argument, BuildError, Builder};
use amdgpu_isa::{Field, Format, Inst, Opcode, Target, Value};

use crate::words::{self, Rng};

/// The arguments of a builder. Building them makes `inst`, word for word.
pub struct Base {
    pub inst: Inst,
    /// The form: the extension's format, or else the base's.
    pub form: Format,
    pub given: Vec<(Field, Argument)>,
    neg: u32,
    abs: u32,
    sext: u32,
}

/// Fields that must be given, or whose default is not zero.
const WITH_DEFAULTS: [Field; 10] = [
    Field::Attrchan,
    Field::OpSelHi,
    Field::DstSel,
    Field::DstUnused,
    Field::Src0Sel,
    Field::Src1Sel,
    Field::RowMask,
    Field::BankMask,
    Field::DppCtrl,
    Field::Dmask,
];

impl Base {
    /// The builder's arguments with one change.
    pub fn builder(&self, change: impl FnOnce(&mut Vec<(Field, Argument)>)) -> Builder {
        let mut given = self.given.clone();
        change(&mut given);
        let mut builder = Builder::new(self.inst.target(), self.inst.opcode()).format(self.form);
        for (field, argument) in given {
            builder = builder.set(field, argument);
        }
        let bits = |mask: u32| (0..8).filter(move |n| mask >> n & 1 == 1);
        builder = bits(self.neg).fold(builder, |b, n| b.neg(n));
        builder = bits(self.abs).fold(builder, |b, n| b.abs(n));
        bits(self.sext).fold(builder, |b, n| b.sext(n))
    }

    pub fn with(&self, field: Field, value: impl Into<Argument>) -> Result<Inst, BuildError> {
        let value = value.into();
        self.builder(|given| given.push((field, value))).build()
    }

    pub fn without(&self, field: Field) -> Result<Inst, BuildError> {
        self.builder(|given| given.retain(|(f, _)| *f != field)).build()
    }

    /// The arguments that make this instruction again; `None` if a builder cannot make it (it has ignored bits, or
    /// breaks rules beyond decoding).
    pub fn of(inst: Inst) -> Option<Base> {
        let form = inst.extension().filter(|&e| e != Format::Literal).unwrap_or(inst.format());
        let mut base = Base { inst, form, given: Vec::new(), neg: 0, abs: 0, sext: 0 };
        let mut named: Vec<Field> = Vec::new();
        for operand in inst.operands() {
            let Some(role) = operand.role.filter(|r| *r != Field::Vcc) else { continue };
            named.push(role);
            // The channel is a separate field.
            let value = match operand.value {
                Value::Imm(_) if role == Field::Attr => Value::Imm(inst.get(role)? as i32),
                value => value,
            };
            base.given.push((role, value.into()));
        }
        for HeldField { info, value, .. } in inst.fields() {
            let field = info.field;
            let said = value != 0 || WITH_DEFAULTS.contains(&field);
            if info.fixed.is_some() || field == Field::Op || named.contains(&field) || !said {
                continue;
            }
            named.push(field);
            base.given.push((field, value.into()));
        }
        // A field that is not a modifier of this row by its own name is a sign, or an operand has decided it.
        for _ in 0..named.len() + 1 {
            match base.builder(|_| {}).build() {
                Ok(made) if made == inst => return Some(base),
                Err(BuildError::Unknown(field)) => {
                    let at = base.given.iter().position(|(f, _)| *f == field)?;
                    base.given.remove(at);
                    let value = inst.get(field)?;
                    match field {
                        Field::Neg | Field::Blgp | Field::Src0Neg => base.neg |= value,
                        Field::Src1Neg => base.neg |= value << 1,
                        Field::Abs | Field::NegHi | Field::Src0Abs => base.abs |= value,
                        Field::Src1Abs => base.abs |= value << 1,
                        Field::Src0Sext => base.sext |= value,
                        Field::Src1Sext => base.sext |= value << 1,
                        _ => {}
                    }
                }
                _ => return None,
            }
        }
        None
    }
}

/// Some for each form of the operation: the plainest ones, and others.
pub fn bases(target: Target, encoding: (Format, u16, Opcode), count: usize, rng: &mut Rng) -> Vec<Base> {
    let layout = words::layout(target, encoding.0);
    let mut found: Vec<Base> = Vec::new();
    let mut insts = words::legal(target, encoding, 24, rng);
    for behind in layout.extends.iter().filter(|e| e.format != Format::Literal) {
        for round in 0..40 {
            let filling = match round % 4 {
                0 => words::Filling::Zero,
                1 => words::Filling::Vgprs,
                _ => words::Filling::Typical,
            };
            let mut words = words::attempt(target, layout, encoding.1, Some(behind), filling, rng);
            insts.extend(words::repair(target, &mut words, rng).filter(|i| i.opcode() == encoding.2));
        }
    }
    // The plainest one may read one scalar already.
    let vectors: Vec<Inst> = insts.iter().filter_map(|inst| inst.with(Field::Src0, 256).ok()).collect();
    insts.extend(vectors);
    let form = |inst: &Inst| inst.extension().filter(|&e| e != Format::Literal).unwrap_or(inst.format());
    let forms: Vec<Format> = insts.iter().filter(|i| i.format() == encoding.0).map(form).collect();
    for inst in insts {
        if inst.format() != encoding.0 || inst.check().is_err() || !inst.is_canonical() {
            continue;
        }
        let Some(base) = Base::of(inst) else { continue };
        if found.iter().filter(|b| b.form == base.form).count() < count {
            found.push(base);
        }
    }
    // No form is left out.
    for form in forms {
        assert!(found.iter().any(|b| b.form == form), "{target}: no builder makes {encoding:?} as {form}");
    }
    found
}
