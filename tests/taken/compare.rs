use amdgpu_isa::make::{Argument, BuildError, literal};
use amdgpu_isa::operands::Special;
use amdgpu_isa::text::ParseErrorKind;
use amdgpu_isa::{Field, Format, Inst, Operand, Reg, Value, parse};

use crate::refused::base::{Base, typed};

/// The result of a replaced argument, from the builder and the parser.
pub struct Both {
    pub what: String,
    /// Whether the builder and the parser refused the argument.
    pub refused: (bool, bool),
    /// Whether both accepted the argument and made the same words.
    pub same: bool,
}

/// The text of a tuple of registers.
fn run(letter: &str, first: u16, dwords: u16) -> String {
    match dwords {
        1 => format!("{letter}{first}"),
        _ => format!("{letter}[{first}:{}]", first + dwords - 1),
    }
}

/// The arguments to try for an operand of so many dwords, as text and for the builder.
fn arguments(dwords: u16) -> Vec<(String, Argument)> {
    let mut all = Vec::new();
    for (letter, name) in [('s', "s"), ('v', "v"), ('t', "ttmp"), ('a', "a")] {
        // Registers that are aligned for all widths, for pairs, and for single registers only, and the last SGPRs.
        for first in [8, 10, 9, 4, 96, 101, 105, 106] {
            all.push((run(name, first, dwords), typed(letter, first as u8, dwords)));
        }
        for other in [dwords + 1, dwords - 1].into_iter().filter(|n| (1..=16).contains(n)) {
            all.push((run(name, 8, other), typed(letter, 8, other)));
        }
    }
    // Registers with the same name in operands of all widths.
    let specials = [("null", Special::Null), ("src_scc", Special::SrcScc), ("src_shared_base", Special::SrcSharedBase)];
    all.extend(specials.map(|(name, special)| (name.into(), Reg::Special(special).into())));
    all.push(("m0".into(), Reg::M0.into()));
    all.push((
        if dwords == 2 { "exec" } else { "exec_lo" }.into(),
        if dwords == 2 { Reg::Exec } else { Reg::EXEC_LO }.into(),
    ));
    all.push((
        if dwords == 2 { "vcc" } else { "vcc_lo" }.into(),
        if dwords == 2 { Reg::Vcc } else { Reg::VCC_LO }.into(),
    ));
    all.extend([7, 64, -16].map(|n: i32| (n.to_string(), n.into())));
    all.extend([0.5, -4.0].map(|n: f64| (format!("{n:?}"), n.into())));
    all.push(("0x1234".into(), if dwords == 2 { literal::<1>(0x1234).into() } else { 0x1234.into() }));
    all
}

/// Replaces the text of a field in a text, if it occurs there just once.
fn replaced(base: &Base, field: Field, by: &str) -> Option<String> {
    let text = base.inst.to_string();
    let old = base.inst.field_text(field).to_string();
    let (mnemonic, rest) = text.split_once(' ')?;
    let mut depth = 0;
    let (mut starts, mut at_start) = (Vec::new(), true);
    for (at, c) in rest.char_indices() {
        match c {
            '[' | '(' | '{' => depth += 1,
            ']' | ')' | '}' => depth -= 1,
            _ => {}
        }
        if at_start && c != ' ' {
            starts.push(at);
        }
        at_start = depth == 0 && matches!(c, ',' | ' ');
    }
    let is_whole = |at: &&usize| {
        rest[**at..].strip_prefix(old.as_str()).is_some_and(|after| after.is_empty() || after.starts_with([',', ' ']))
    };
    let mut found = starts.iter().filter(is_whole);
    let (at, None) = (*found.next()?, found.next()) else { return None };
    Some(format!("{mnemonic} {}{by}{}", &rest[..at], &rest[at + old.len()..]))
}

/// Adds the comparisons of one valid instruction to `out`.
pub fn compared(base: &Base, out: &mut Vec<Both>) {
    let is_given = |o: &Operand| o.role.is_some_and(|r| r != Field::Vcc);
    for operand in base.inst.operands().filter(is_given) {
        let field = operand.role.expect("it has one");
        // For these operands the builder's argument has fewer parts than the text, or a number instead of a name.
        if base.inst.get(Field::Tfe) == Some(1)
            || matches!(operand.value, Value::Off)
            || matches!(field, Field::Tgt | Field::Attr)
            || field == Field::Offset && base.inst.field_text(field).to_string().starts_with(char::is_alphabetic)
        {
            continue;
        }
        for (mut text, argument) in arguments((operand.bits / 32).max(1)) {
            let Some(mut line) = replaced(base, field, &text) else { continue };
            let mut parsed = parse(base.inst.target(), &line);
            // If the operand is half a register, the builder takes the lower half.
            if parsed.as_ref().is_err_and(|e| matches!(e.kind, ParseErrorKind::Half(_))) {
                text += ".l";
                line = replaced(base, field, &text).expect("it was there");
                parsed = parse(base.inst.target(), &line);
            }
            let built = base.with(field, argument);
            // The parser may choose a longer form if the text has no suffix.
            let other = |inst: &Inst| built.is_err() && inst.format() != base.inst.format();
            let excused = |inst: &Inst| is_literal(&built, inst, field) || is_looser(&built, &text) || other(inst);
            if parsed.as_ref().is_ok_and(excused) {
                continue;
            }
            let same = matches!((&built, &parsed), (Ok(a), Ok(b)) if a == b);
            let what = format!("{field} {}; {line}: {:?}, {:?}", kind(&text), short(&built), short(&parsed));
            out.push(Both { what, refused: (built.is_err(), parsed.is_err()), same });
        }
    }
}

/// Whether the results differ only in a constant. LLVM accepts the inline constant of a float for a 16-bit integer with
/// the same bits; the builder makes a literal of this value, if there can be one.
fn is_literal(built: &Result<Inst, BuildError>, parsed: &Inst, field: Field) -> bool {
    let value = |inst: &Inst| inst.operands().find(|o| o.role == Some(field)).map(|o| o.value);
    match (built, value(parsed)) {
        (Ok(built), Some(Value::Float(f))) => value(built) == Some(Value::Literal(f.to_f16_bits().into())),
        (Err(error), Some(Value::Float(_))) => {
            use BuildError::{ConstantBus, NoLiteral, TwoLiterals};
            matches!(error, NoLiteral { .. } | TwoLiterals(_) | ConstantBus(_))
        }
        _ => false,
    }
}

/// Whether only text can express an argument: a negative number for bits without a sign, or more registers of an
/// image's address than it needs.
fn is_looser(built: &Result<Inst, BuildError>, text: &str) -> bool {
    match built {
        Err(BuildError::Range { field: Field::Simm16, .. }) => text.starts_with('-'),
        Err(BuildError::Width { field: Field::Vaddr | Field::Vaddr0, dwords, given }) => given > dwords,
        _ => false,
    }
}

/// The name for all arguments of a kind in a list of faults.
fn kind(text: &str) -> String {
    text.trim_end_matches(|c: char| c.is_ascii_digit()).split('[').next().unwrap_or(text).into()
}

fn short<E: std::fmt::Debug>(result: &Result<Inst, E>) -> Result<String, String> {
    match result {
        Ok(inst) => Ok(format!("{:08x?}", inst.words())),
        Err(error) => Err(format!("{error:?}").chars().take(90).collect()),
    }
}

/// Whether a format has a builder: `pair` makes dual instructions of two instructions.
pub fn has_builder(format: Format) -> bool {
    !matches!(format, Format::Vopd | Format::Vopd3)
}

/// Whether a change of one operand leaves the other operands unchanged. Signs and halves of registers belong to the
/// replaced operand, a list of registers has several fields, and the text must show all bits of the words.
pub fn is_plain(base: &Base) -> bool {
    let text = base.inst.to_string();
    let changed = ["|", "-", "neg", "abs", "sext", ".h", "[v", "op_sel:"].iter().any(|part| text.contains(part));
    !changed && parse(base.inst.target(), &text).is_ok_and(|inst| inst == base.inst)
}
