//! The rules, and instructions that break one of them. LLVM decides which operands are valid.

use amdgpu_isa::layout::HeldField;
use amdgpu_isa::make::{Argument, BuildError, float, int, literal, off};
use amdgpu_isa::operands::Special;
use amdgpu_isa::{Field, Format, Inst, Opcode, Reg, Target, Value, decode_words};

use super::base::{Base, typed};
use super::facts::{Fact, Row};
use crate::words::{self, has_unified_registers};

/// The rule that an invalid instruction breaks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Rule {
    /// A register of another file, a constant for a register, or a register for a number.
    Kind,
    /// An AccVGPR where none is allowed.
    Accumulator,
    /// A literal where none is allowed.
    Literal,
    Misaligned,
    PastTheEnd,
    Width,
    ConstantBus,
    /// An accumulator of a matrix operation that overlaps the destination in part.
    Overlap,
    TwoLiterals,
    /// A constant without a code or literal.
    Constant,
    /// An offset or another number of an operand out of its range.
    Range,
    /// A value of a modifier out of its range.
    ModifierRange,
    /// A modifier, or an operand, that the row lacks.
    Unknown,
    /// A sign for a source that does not have it.
    Sign,
    Missing,
    /// An operation or encoding that the target lacks.
    Encoding,
}
use Rule::*;
pub const RULES: [Rule; 16] = [
    Kind,
    Accumulator,
    Literal,
    Misaligned,
    PastTheEnd,
    Width,
    ConstantBus,
    Overlap,
    TwoLiterals,
    Constant,
    Range,
    ModifierRange,
    Unknown,
    Sign,
    Missing,
    Encoding,
];

/// An invalid instruction: the rule, the change, the result, and whether the error is the right one.
pub struct Case {
    pub rule: Rule,
    pub what: String,
    pub result: Result<Inst, BuildError>,
    pub told: bool,
}

/// The values that an operand accepts.
#[derive(Clone, Copy, Default)]
struct Legal {
    sgpr: bool,
    vgpr: bool,
    agpr: bool,
    inline: bool,
    literal: bool,
    number: bool,
    lds: bool,
}

fn is_gfx9(target: Target) -> bool {
    target.name().starts_with("gfx9")
}

fn legal(base: &Base, fact: &Fact) -> Legal {
    let target = base.inst.target();
    let extension = base.inst.extension().filter(|&e| e != Format::Literal);
    let short = extension.is_none() && words::layout(target, base.inst.format()).bits == 32;
    let mut all = Legal::default();
    for kind in fact.kinds.split('|') {
        match kind {
            "sgpr" => all.sgpr = true,
            "vgpr" => all.vgpr = true,
            "agpr" => all.agpr = true,
            "av" => (all.vgpr, all.agpr) = (true, true),
            "vgpr_or_inline" => (all.vgpr, all.inline) = (true, true),
            "agpr_or_inline" => (all.agpr, all.inline) = (true, true),
            "ssrc" => (all.sgpr, all.inline, all.literal, all.lds) = (true, true, short, true),
            "vsrc" => {
                (all.sgpr, all.vgpr, all.inline, all.literal, all.lds) = (true, true, true, short, true);
            }
            "literal" => all.literal = true,
            "simm" if fact.role == "literal" => (all.literal, all.number) = (true, true),
            "lds_direct" => all.lds = true,
            _ => all.number = true,
        }
    }
    // From gfx9 on, the sources of SDWA can be scalars; those of DPP are vector registers.
    let source = ["src0", "src1", "vsrc1"].contains(&fact.role);
    match extension.map(Format::name) {
        Some(name) if source && name.starts_with("SDWA") => {
            all = Legal { vgpr: true, sgpr: is_gfx9(target), inline: is_gfx9(target), ..Legal::default() };
        }
        Some(_) if source => all = Legal { vgpr: true, ..Legal::default() },
        _ => {}
    }
    all
}

fn role(field: Field) -> Field {
    match field {
        Field::Vsrc1 => Field::Src1,
        Field::Addr | Field::Vaddr0 => Field::Vaddr,
        Field::Data => Field::Vdata,
        Field::Sdata => Field::Sdst,
        field => field,
    }
}

/// The cases of one valid instruction.
pub struct Cases<'a> {
    pub base: &'a Base,
    pub row: &'a Row,
    pub out: Vec<Case>,
}

impl Cases<'_> {
    fn add(&mut self, rule: Rule, what: String, result: Result<Inst, BuildError>, told: fn(&BuildError) -> bool) {
        let told = result.as_ref().err().is_some_and(told);
        self.out.push(Case { rule, what, result, told });
    }

    fn give(&mut self, rule: Rule, field: Field, value: Argument, told: fn(&BuildError) -> bool) {
        let result = self.base.with(field, value);
        self.add(rule, format!("{field}={value:x?}"), result, told);
    }

    pub fn all(&mut self) {
        let base = self.base;
        let operands: Vec<_> = base.inst.operands().filter(|o| o.role.is_some_and(|r| r != Field::Vcc)).collect();
        let mut known = Vec::new();
        for operand in &operands {
            let field = operand.role.expect("it has one");
            let of = |f: &&Fact| f.role == field.name();
            // A compare in SDWA form writes the scalars of the field sdst, or vcc.
            let vcc = Fact { name: "", role: "sdst", kinds: "sgpr", bits: "64", access: "w" };
            let fact = self.row.operands.iter().find(of).unwrap_or(&vcc);
            assert!(!fact.name.is_empty() || field == Field::Sdst, "{:?} has no fact of {field}", base.inst);
            let legal = legal(base, fact);
            // With tfe, the instruction writes one register more than the argument has, except for images.
            let tfe = base.inst.format() != Format::Mimg
                && base.inst.get(Field::Tfe) == Some(1)
                && [Field::Vdata, Field::Vdst].contains(&field);
            known.push((field, legal, operand.access.reads(), operand.bits));
            let n = (operand.bits / 32).max(1) - u16::from(tfe);
            self.kinds(field, legal, n);
            self.registers(field, legal, n, tfe, operand.value == Value::Off);
            self.constants(field, legal, operand.bits);
            if legal.number {
                self.numbers(field, fact);
            }
            self.missing(field);
        }
        self.scalars(&known);
        self.overlap(&known);
        self.modifiers(&known.iter().map(|k| k.0).collect::<Vec<_>>());
        self.signs();
    }

    fn kinds(&mut self, field: Field, legal: Legal, n: u16) {
        fn told(e: &BuildError) -> bool {
            use BuildError::*;
            // `Unknown` is the error for a second register, if the offset already is one.
            matches!(
                e,
                Operand { .. }
                    | NoLiteral { .. }
                    | Registers { .. }
                    | Constant(_)
                    | TwoLiterals(_)
                    | ConstantBus(_)
                    | Range { .. }
                    | Unknown(Field::Soffset)
            )
        }
        let scalar = if legal.number { 1 } else { n };
        // On GCN 1.1, an offset can be in a literal.
        let smrd = self.base.inst.format() == Format::Smrd && self.base.inst.target().name() == "gfx700";
        // LLVM disassembles src_scc as a whole pair, but does not assemble it.
        let whole = legal.sgpr && matches!(field, Field::Ssrc0 | Field::Src2);
        // Registers aligned for all widths.
        let tries = [
            (Kind, legal.sgpr, typed('s', 8, scalar)),
            (Kind, legal.sgpr, Reg::Ttmp(4).into()),
            (Kind, legal.sgpr, Reg::Exec.into()),
            (Kind, legal.vgpr, typed('v', 8, n)),
            (Accumulator, legal.agpr && self.takes_accumulators(), typed('a', 8, n)),
            (Kind, legal.inline || legal.number || legal.literal, 7.into()),
            (Kind, legal.inline || legal.literal, 0.5.into()),
            (Literal, legal.literal || smrd && field == Field::Offset, literal::<1>(0x1234_5678).into()),
            (Literal, legal.literal || legal.number, 0x1234_5678.into()),
            (Kind, legal.lds, Reg::Special(Special::SrcLdsDirect).into()),
            // A read-only scalar, and codes without a meaning.
            (Kind, legal.inline || whole, Reg::Special(Special::SrcScc).into()),
            (Kind, false, Reg::Special(Special::Null).into()),
            (Kind, false, Reg::Scc.into()),
        ];
        for (rule, fine, value) in tries {
            if !fine {
                self.give(rule, field, value, told);
            }
        }
        let optional = matches!(field, Field::Saddr | Field::Vaddr | Field::Addr | Field::Soffset | Field::Offset)
            || self.base.inst.format() == Format::Exp;
        if !optional {
            self.give(Kind, field, off::<1>().into(), told);
        }
    }

    /// Whether the operation takes AccVGPRs: on CDNA1, only matrix operations do.
    fn takes_accumulators(&self) -> bool {
        let target = self.base.inst.target();
        has_unified_registers(target) || target.name() == "gfx908" && self.base.inst.format() == Format::Vop3pMai
    }

    fn registers(&mut self, field: Field, legal: Legal, n: u16, tfe: bool, is_off: bool) {
        fn told(e: &BuildError) -> bool {
            matches!(e, BuildError::Registers { .. })
        }
        fn past(e: &BuildError) -> bool {
            use BuildError::*;
            matches!(e, Registers { .. } | Operand { .. } | Refused(_) | Unknown(Field::Soffset))
        }
        let target = self.base.inst.target();
        let old = ["gfx600", "gfx700"].contains(&target.name());
        let files = [('s', if old { 104 } else { 102 }), ('t', if is_gfx9(target) { 16 } else { 12 })];
        let align: u16 = if n == 2 { 2 } else { 4 };
        if legal.sgpr {
            let n = if legal.number { 1 } else { n };
            for (file, registers) in files {
                for first in (1..8).filter(|first| n > 1 && first % align != 0) {
                    self.give(Misaligned, field, typed(file, first as u8, n), told);
                }
                // The first aligned tuple that does not fit, and later ones.
                let step = if n == 1 { 1 } else { align };
                let past_the_end = (0..256u16).step_by(usize::from(step)).filter(|first| first + n > registers);
                for first in past_the_end.filter(|first| *first < registers + 8 || *first >= 252) {
                    self.give(PastTheEnd, field, typed(file, first as u8, n), past);
                }
            }
        }
        let vectors = [('v', legal.vgpr), ('a', legal.agpr && self.takes_accumulators())];
        for (file, _) in vectors.into_iter().filter(|(_, fine)| *fine && n + u16::from(tfe) > 1) {
            // LLVM's validateVGPRAlign: this operation takes any three registers.
            let any = self.base.inst.opcode().name() == "ds_read_b96_tr_b6" && field == Field::Vdst;
            let even = has_unified_registers(target) && !any;
            if even {
                self.give(Misaligned, field, typed(file, 9, n), told);
            }
            for first in (257 - n - u16::from(tfe)..256).filter(|first| !even || first % 2 == 0) {
                self.give(PastTheEnd, field, typed(file, first as u8, n), past);
            }
        }
        // One register that must be even (LLVM's validateGWS).
        let gws = ["ds_gws_init", "ds_gws_barrier", "ds_gws_sema_br"].contains(&self.base.inst.opcode().name());
        if gws && has_unified_registers(target) {
            for (file, first) in [('v', 1), ('v', 255), ('a', 9)] {
                self.give(Misaligned, field, typed(file, first, n), told);
            }
        }
        // One register more or less.
        for (file, fine) in [('s', legal.sgpr && !legal.number), vectors[0], vectors[1]] {
            for other in [n + 1, n - 1].into_iter().filter(|w| fine && !is_off && (1..=16).contains(w)) {
                self.give(Width, field, typed(file, 8, other), |e| matches!(e, BuildError::Width { .. }));
            }
        }
    }

    /// Adds cases with values that no constant of the operand can have.
    fn constants(&mut self, field: Field, legal: Legal, bits: u16) {
        if !(legal.inline || legal.literal) {
            return;
        }
        let mut values: Vec<Argument> =
            [i64::MIN, i64::MAX, 1 << 32, -(1 << 40), i64::from(i32::MIN) - 1].map(Argument::from).into();
        values.extend([1e300, -1e300].map(Argument::from).into_iter().filter(|_| bits <= 32));
        // 0.3 has more bits than the upper half of a double.
        if bits == 64 {
            values.push(float::<2>(0.3).into());
        }
        if bits == 16 {
            values.push(int::<1>(0x1_0000).into());
        }
        for value in values {
            self.give(Constant, field, value, |e| {
                use BuildError::*;
                matches!(e, BuildError::Constant(_) | Operand { .. } | NoLiteral { .. })
            });
        }
    }

    /// Adds cases with numbers out of their ranges, which are from the manuals and in units of the field.
    fn numbers(&mut self, field: Field, fact: &Fact) {
        let (format, target) = (self.base.inst.format(), self.base.inst.target());
        let (min, max) = match fact.kinds.split('|').next().expect("one") {
            "label" => (-0x8000, 0x7fff),
            "attr" => (0, 63),
            "interpslot" => (0, 2),
            "exptgt" => (0, 63),
            _ if format == Format::Smem && is_gfx9(target) => (-(1 << 20), (1 << 20) - 1),
            _ if format == Format::Smem => (0, (1 << 20) - 1),
            _ if format == Format::Smrd && target.name() == "gfx700" => (0, 0xffff_ffff),
            _ if format == Format::Smrd => (0, 255),
            _ if field == Field::Literal => (i32::MIN.into(), 0xffff_ffff),
            "simm" | "uimm" | "gpridxmode" => (-0x8000, 0xffff),
            "hwreg" | "sendmsg" | "waitcnt" => (0, 0xffff),
            other => panic!("{field} of {:?}: no range of {other}", self.base.inst),
        };
        for value in [min - 1, max + 1, max * 2 + 2, i64::MIN, i64::MAX] {
            self.give(Range, field, value.into(), |e| {
                matches!(e, BuildError::Range { .. } | BuildError::Constant(_) | BuildError::Operand { .. })
            });
        }
    }

    fn missing(&mut self, field: Field) {
        let result = self.base.without(field);
        let there = |inst: &Inst| inst.operands().any(|o| o.role == Some(field) && o.value != Value::Off);
        // An optional operand that is omitted is absent from the instruction, or zero.
        let zero = |inst: &Inst| inst.get(field) == Some(0) || field == Field::Offset;
        if result.as_ref().is_ok_and(|inst| !there(inst) || zero(inst)) {
            return;
        }
        self.add(Missing, format!("no {field}"), result, |e| {
            use BuildError::*;
            // `Registers` is an error here because the address is a pair if there is no scalar base.
            matches!(e, Missing(_) | Operand { .. } | Registers { field: Field::Addr, .. })
        });
    }

    /// Adds cases that exceed the limits of the constant bus and of one literal, with pairs of operands.
    fn scalars(&mut self, known: &[(Field, Legal, bool, u16)]) {
        fn bus(e: &BuildError) -> bool {
            matches!(e, BuildError::ConstantBus(_) | BuildError::Operand { .. } | BuildError::NoLiteral { .. })
        }
        fn one_literal(e: &BuildError) -> bool {
            matches!(e, BuildError::TwoLiterals(_) | BuildError::ConstantBus(_))
        }
        let base = self.base;
        let vector = base.inst.format().name().starts_with("VOP");
        let vcc = base.inst.operands().any(|o| {
            let implied = o.role.is_none_or(|r| r == Field::Vcc);
            implied && o.access.reads() && matches!(o.value, Value::Reg(Reg::Vcc | Reg::M0 | Reg::VCC_LO))
        });
        let sources: Vec<_> = known.iter().filter(|k| k.2).collect();
        for (n, &&(field, legal, _, _)) in sources.iter().enumerate() {
            let one = |value: Argument| base.with(field, value);
            if vector && vcc && legal.sgpr {
                self.add(ConstantBus, format!("{field}, vcc"), one(Reg::Sgpr(8).into()), bus);
            }
            if vector && vcc && legal.literal {
                self.add(ConstantBus, format!("{field} literal, vcc"), one(literal::<1>(0x1234_5678).into()), bus);
            }
            for &&(other, theirs, _, _) in &sources[..n] {
                let two =
                    |x: Argument, y: Argument| base.builder(|given| given.extend([(other, x), (field, y)])).build();
                let number: Argument = literal::<1>(0x1234_5678).into();
                if vector && legal.sgpr && theirs.sgpr {
                    for y in [Reg::Sgpr(12), Reg::Vcc, Reg::Ttmp(4), Reg::Exec] {
                        let result = two(Reg::Sgpr(8).into(), y.into());
                        self.add(ConstantBus, format!("{other}, {field}"), result, bus);
                    }
                }
                if vector && legal.sgpr && theirs.literal {
                    self.add(ConstantBus, format!("{other}, {field}"), two(number, Reg::Sgpr(8).into()), bus);
                }
                if vector && legal.literal && theirs.sgpr {
                    self.add(ConstantBus, format!("{other}, {field}"), two(Reg::Sgpr(8).into(), number), bus);
                }
                if legal.literal && theirs.literal {
                    let result = two(number, literal::<1>(0x1234_5679).into());
                    self.add(TwoLiterals, format!("{other}, {field}"), result, one_literal);
                    let result = two(0x1234.into(), 0x1235.into());
                    self.add(TwoLiterals, format!("{other}, {field}"), result, one_literal);
                }
            }
        }
    }

    /// Adds cases in which the third source of a matrix operation with more than four registers overlaps a part of the
    /// destination. The same registers, or none of them, are allowed.
    fn overlap(&mut self, known: &[(Field, Legal, bool, u16)]) {
        let inst = self.base.inst;
        let dwords = |of: Field| known.iter().find(|k| k.0 == of).map(|k| (k.3 / 32, k.1));
        let (Some((n, legal)), Some(_)) = (dwords(Field::Vdst), dwords(Field::Src2)) else { return };
        if !inst.opcode().name().starts_with("v_mfma_") || n <= 4 {
            return;
        }
        let files = [('v', legal.vgpr), ('a', legal.agpr)];
        for (file, _) in files.into_iter().filter(|f| f.1) {
            let given = [(Field::Vdst, 64), (Field::Src2, 64)].map(|(field, first)| (field, typed(file, first, n)));
            let with = |first: u16| {
                let source = (Field::Src2, typed(file, first as u8, n));
                self.base.builder(|all| all.extend([given[0], source])).build()
            };
            for first in [64, 64 - n, 64 + n] {
                assert!(with(first).is_ok(), "{inst:?} {file}{first}: {:?}", with(first));
            }
            let partly = [66 - n, 62, 66, 62 + n].map(|first| (first, with(first)));
            for (first, result) in partly {
                let told = |e: &BuildError| *e == BuildError::Overlap(Field::Src2);
                self.add(Overlap, format!("src2 {file}{first}"), result, told);
            }
        }
    }

    /// Adds cases for every field of any format: if the row has the field, values out of its range are refused; if not,
    /// the field is refused.
    fn modifiers(&mut self, operands: &[Field]) {
        let base = self.base;
        let target = base.inst.target();
        let mut fields: Vec<Field> = target.layouts().iter().flat_map(|l| l.fields).map(|f| f.field).collect();
        fields.sort_unstable_by_key(|f| *f as u16);
        fields.dedup();
        let mut operands: Vec<Field> = operands.iter().map(|f| role(*f)).collect();
        // These belong to operands: the second part of an attribute, and a register in addition to an offset.
        operands.extend([Field::Attrchan, Field::Soffset]);
        for field in fields.into_iter().filter(|f| !operands.contains(&role(*f))) {
            let there = base.inst.fields().filter(|held| held.info.field == field).last();
            let Some(HeldField { first_bit: first, info, value, .. }) = there else {
                self.give(Unknown, field, 1.into(), |e| matches!(e, BuildError::Unknown(_)));
                continue;
            };
            // The builder takes the whole truth table. This field has its highest bits.
            if field == Field::Omod && base.inst.opcode().name().starts_with("v_bitop3") {
                continue;
            }
            let width = info.width + info.hi_width;
            let given = base.given.iter().any(|(f, _)| *f == field);
            let signed = field == Field::Offset && matches!(base.inst.format(), Format::Global | Format::Scratch);
            let (min, max) = if signed { (-(1i64 << (width - 1)), 1i64 << (width - 1)) } else { (0, 1i64 << width) };
            for n in [max, min - 1, i64::MAX, i64::MIN] {
                let rule = if given { ModifierRange } else { Unknown };
                self.give(rule, field, n.into(), |e| {
                    use BuildError::*;
                    matches!(e, Range { .. } | Unknown(_) | Operand { .. } | Missing(_) | Constant(_))
                });
            }
            // Sets each bit of the field, to see whether the decoder accepts it.
            for bit in (0..width).filter(|bit| !given && value >> bit & 1 == 0 && info.fixed.is_none()) {
                let mut words = [0; 5];
                words[..base.inst.words().len()].copy_from_slice(base.inst.words());
                let at = first + if bit < info.width { info.lsb + bit } else { info.hi + bit - info.width };
                words[usize::from(at / 32)] |= 1 << (at % 32);
                let same = |i: &Inst| i.opcode() == base.inst.opcode() && i.len() == base.inst.len();
                let fine = |i: &Inst| same(i) && i.is_canonical() && i.check().is_ok();
                if !decode_words(target, &words).is_ok_and(|i| fine(&i)) {
                    self.give(Unknown, field, (1i64 << bit).into(), |e| !matches!(e, BuildError::Missing(_)));
                }
            }
        }
    }

    fn signs(&mut self) {
        let base = self.base;
        let inst = &base.inst;
        // The row has a field if the decoder allows it to be set.
        let legal = |fields: &[(Field, u8)]| {
            fields.iter().any(|&(field, bit)| {
                let there =
                    inst.fields().find(|held| held.info.field == field && u32::from(held.info.width) > bit.into());
                let Some(HeldField { first_bit: first, info, .. }) = there else { return false };
                let mut words = [0; 5];
                words[..inst.words().len()].copy_from_slice(inst.words());
                let at = first + info.lsb + bit;
                words[usize::from(at / 32)] |= 1 << (at % 32);
                decode_words(inst.target(), &words).is_ok_and(|i| i.opcode() == inst.opcode() && i.is_canonical())
            })
        };
        for n in 0..4u8 {
            let second = |x, y| if n == 1 { (y, 0) } else { (x, n) };
            let neg = [(Field::Neg, n), second(Field::Src0Neg, Field::Src1Neg), (Field::Blgp, n)];
            let abs = [(Field::Abs, n), second(Field::Src0Abs, Field::Src1Abs), (Field::NegHi, n)];
            let sext = [second(Field::Src0Sext, Field::Src1Sext)];
            let plain = base.builder(|_| {});
            let tries = [
                ("neg", legal(&neg), plain.neg(n)),
                ("abs", legal(&abs), plain.abs(n)),
                ("sext", legal(&sext), plain.sext(n)),
            ];
            for (what, fine, builder) in tries {
                if !fine || n == 3 {
                    let told = |e: &BuildError| matches!(e, BuildError::NoModifier { .. });
                    self.add(Sign, format!("{what}({n})"), builder.build(), told);
                }
            }
        }
    }
}

/// Cases of operations and encodings that the target lacks.
pub fn encodings(target: Target, base: Option<&Base>, opcode: Opcode, formats: &[Format]) -> Vec<Case> {
    let mut out = Vec::new();
    let has: Vec<Format> = opcode.encodings(target).map(|e| e.format).collect();
    let plain = amdgpu_isa::make::Builder::new(target, opcode);
    let mut add = |what: String, result: Result<Inst, BuildError>| {
        let told = match &result {
            Err(BuildError::Opcode(op)) => has.is_empty() && *op == opcode,
            Err(BuildError::Encoding { .. }) => !has.is_empty(),
            _ => false,
        };
        out.push(Case { rule: Encoding, what, result, told });
    };
    if has.is_empty() {
        add("".into(), plain.build());
        return out;
    }
    let given = base.map_or(plain, |base| base.builder(|_| {}));
    for &format in formats.iter().filter(|f| !has.contains(f)) {
        let extends = has.iter().any(|h| words::layout(target, *h).extends.iter().any(|e| e.format == format));
        if !extends {
            add(format.name().into(), given.format(format).build());
        }
    }
    let bits = |n: u8| has.iter().any(|f| words::layout(target, *f).bits == n);
    if !bits(32) {
        add("e32".into(), given.e32().build());
    }
    if !bits(64) {
        add("e64".into(), given.e64().build());
    }
    out
}
