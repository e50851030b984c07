//! Valid instructions to start from, in the form of a builder's arguments: field by field.

use amdgpu_isa::check::RuleError;
use amdgpu_isa::layout::HeldField;
use amdgpu_isa::make::{Argument, BuildError, Builder, a, s, ttmp, v};
use amdgpu_isa::{Field, Format, Inst, Opcode, Target, Value};

use crate::words::{self, Rng};

/// The arguments from which a builder makes exactly the words of `inst`.
pub struct Base {
    pub inst: Inst,
    /// The form of the instruction: the extension's format, or else the base's.
    pub form: Format,
    pub given: Vec<(Field, Argument)>,
    neg: u32,
    abs: u32,
    sext: u32,
}

/// Fields that must be given, or whose default is not zero.
const WITH_DEFAULTS: [Field; 11] = [
    Field::Sel,
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

/// The code in src0 that announces DPP8 with `fi`.
const DPP8_FI: u32 = 234;

impl Base {
    /// The builder's arguments with one change.
    pub fn builder(&self, change: impl FnOnce(&mut Vec<(Field, Argument)>)) -> Builder {
        let mut given = self.given.clone();
        change(&mut given);
        let mut builder = Builder::new(self.inst.target(), self.inst.opcode());
        let long = words::layout(self.inst.target(), self.inst.format()).bits == 64;
        builder = match self.form {
            Format::Dpp | Format::Dpp8 if long => builder.e64_dpp(),
            Format::Dpp | Format::Dpp8 => builder.e32_dpp(),
            form => builder.format(form),
        };
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

    #[allow(dead_code)] // Another test leaves nothing out.
    pub fn without(&self, field: Field) -> Result<Inst, BuildError> {
        self.builder(|given| given.retain(|(f, _)| *f != field)).build()
    }

    /// The arguments that make this instruction again; `None` if a builder cannot make it (it has ignored bits, or
    /// breaks rules beyond decoding).
    pub fn of(inst: Inst) -> Option<Base> {
        let form = form(&inst);
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
            // A comparison that writes exec has the code of exec in the destination's field.
            let implied = matches!(field, Field::Op | Field::Vdst);
            if info.fixed.is_some() || implied || named.contains(&field) || !said {
                continue;
            }
            named.push(field);
            base.given.push((field, value.into()));
        }
        // The value of `fi` is in the code that announces DPP8.
        if form == Format::Dpp8 && inst.fields().any(|held| held.info.field == Field::Src0 && held.value == DPP8_FI) {
            base.given.push((Field::Fi, 1.into()));
        }
        // A field that the builder does not know by its own name is a sign, or follows from an operand.
        for _ in 0..named.len() + 1 {
            match base.builder(|_| {}).build() {
                Ok(made) if made == inst => return Some(base),
                Err(BuildError::Unknown(field)) => {
                    // The builder tries DPP8, too, and reports that DPP8 lacks dpp_ctrl. The field that DPP lacks is
                    // op_sel_hi.
                    let field = if (form, field) == (Format::Dpp, Field::DppCtrl) { Field::OpSelHi } else { field };
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

/// The extension's format, or else the base's.
fn form(inst: &Inst) -> Format {
    inst.extension().filter(|&e| ![Format::Literal, Format::Literal64].contains(&e)).unwrap_or(inst.format())
}

/// The instruction, with another value in each field whose value the operation cannot have.
fn with_values(inst: Inst) -> Inst {
    match inst.check() {
        Err(RuleError::Value { field, .. }) => {
            let others = (0..128).filter_map(|value| inst.with(field, value).ok());
            let allowed =
                |made: &Inst| !matches!(made.check(), Err(RuleError::Value { field: still, .. }) if still == field);
            others.filter(|made| made.opcode() == inst.opcode()).find(allowed).map_or(inst, with_values)
        }
        _ => inst,
    }
}

/// Some instructions for each form of the operation, the simplest ones and others; and the forms for which no builder
/// makes an instruction.
pub fn bases(target: Target, encoding: (Format, u16, Opcode), count: usize, rng: &mut Rng) -> (Vec<Base>, Vec<Format>) {
    let layout = words::layout(target, encoding.0);
    let mut found: Vec<Base> = Vec::new();
    let mut insts = words::legal(target, encoding, 24, rng);
    for extension in layout.extends.iter().filter(|e| e.format != Format::Literal) {
        for round in 0..40 {
            let filling = match round % 4 {
                0 => words::Filling::Zero,
                1 => words::Filling::Vgprs,
                _ => words::Filling::Typical,
            };
            let mut words = words::attempt(target, layout, encoding.1, Some(extension), filling, rng);
            insts.extend(words::repair(target, &mut words, rng).filter(|i| i.opcode() == encoding.2));
        }
    }
    // The simplest instruction may already read one scalar.
    let vectors: Vec<Inst> = insts.iter().filter_map(|inst| inst.with(Field::Src0, 256).ok()).collect();
    insts.extend(vectors);
    let forms: Vec<Format> = insts.iter().filter(|i| i.format() == encoding.0).map(form).collect();
    for inst in insts.into_iter().map(|inst| with_values(inst.canonical())) {
        if inst.format() != encoding.0 || inst.check().is_err() || !inst.is_canonical() {
            continue;
        }
        let Some(base) = Base::of(inst) else { continue };
        if found.iter().filter(|b| b.form == base.form).count() < count {
            found.push(base);
        }
    }
    let missing = forms.into_iter().filter(|form| !found.iter().any(|b| b.form == *form)).collect();
    (found, missing)
}

/// A typed argument: a tuple of so many dwords of registers.
pub fn typed(letter: char, first: u8, dwords: u16) -> Argument {
    macro_rules! runs {
        ($($n:literal)*) => {
            match (letter, dwords) {
                $(
                    ('s', $n) => s::<$n>(first).into(),
                    ('v', $n) => v::<$n>(first).into(),
                    ('a', $n) => a::<$n>(first).into(),
                    ('t', $n) => ttmp::<$n>(first).into(),
                )*
                _ => panic!("no operand has {dwords} dwords"),
            }
        };
    }
    runs!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 31 32 33)
}
