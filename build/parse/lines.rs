//! Statements outside formats: generations, targets, operand types.

use crate::build::kind::OperandKind;
use crate::build::model::error::{Result, SourceLine};
use crate::build::model::{
    DwarfRow, EnumTable, Generation, Limit, OpcodeNumber, OperandTypeRow, ProcessorRow, TargetRow, Use, module_name,
};
use crate::build::parse::up_to;

/// Reads `dwarf NAME NUMBER` or `dwarf LETTER FIRST-LAST NUMBER`.
pub fn dwarf(at: &SourceLine, args: &[&str]) -> Result<DwarfRow> {
    let number = |s: &str| up_to(at, s, u16::MAX.into()).map(|n| n as u16);
    let (name, registers, first) = match args {
        [name, first] => (name, None, first),
        [letter, range, first] => match range.split_once('-') {
            Some((a, b)) if number(a)? <= number(b)? => (letter, Some((number(a)?, number(b)?)), first),
            _ => return at.err("expected: dwarf LETTER FIRST-LAST NUMBER"),
        },
        _ => return at.err("expected: dwarf NAME NUMBER"),
    };
    Ok(DwarfRow { at: at.clone(), name: name.to_string(), registers, number: number(first)? })
}

/// Reads `msb GROUP FIELD...`: the fields, and the number of the group.
pub fn msb<'a>(at: &SourceLine, args: &'a [&str]) -> Result<(&'a [&'a str], u8)> {
    let Some((group, fields)) = args.split_first().filter(|l| !l.1.is_empty()) else {
        return at.err("expected: msb GROUP FIELD...");
    };
    Ok((fields, up_to(at, group, 3)? as u8))
}

/// Reads `gen NAME LABEL [from GENERATION] [+TRAIT...] [bus=NUMBER] [waves=SIZE,...]`.
pub fn generation(at: &SourceLine, args: &[&str]) -> Result<Generation> {
    let (name, label, parent, rest) = match args {
        [name, label, "from", parent, rest @ ..] => (name, label, Some(parent.to_string()), rest),
        [name, label, rest @ ..] if rest.first() != Some(&"from") => (name, label, None, rest),
        _ => return at.err("expected: gen NAME LABEL from GENERATION +TRAIT..."),
    };
    let mut generation = Generation {
        at: at.clone(),
        name: name.to_string(),
        label: label.to_string(),
        parent,
        traits: Vec::new(),
        bus: None,
        waves: Vec::new(),
    };
    for word in rest {
        match (word.strip_prefix('+'), word.strip_prefix("bus=")) {
            (Some(name), _) => generation.traits.push(name.to_string()),
            (_, Some(bus)) => generation.bus = Some(up_to(at, bus, 8)? as u8),
            _ => match word.strip_prefix("waves=") {
                Some(sizes) => generation.waves = waves(at, sizes)?,
                None => {
                    return at.err(format!("`{word}` is neither `bus=NUMBER` nor `waves=SIZE,...` nor a trait"));
                }
            },
        }
    }
    Ok(generation)
}

/// Reads the number of an operation: `17 s_add_u32` or `17 s_add_u32 retired`.
pub fn opcode(at: &SourceLine, line: &str) -> Result<OpcodeNumber> {
    let (number, name, retired) = match line.split_whitespace().collect::<Vec<_>>()[..] {
        [number, name] => (number, name, false),
        [number, name, "retired"] => (number, name, true),
        _ => return at.err("expected: NUMBER NAME, or NUMBER NAME retired"),
    };
    let number = up_to(at, number, i16::MAX as u32)? as usize;
    Ok(OpcodeNumber { at: at.clone(), number, name: name.to_string(), retired })
}

/// Reads the sizes of waves, such as `32,64`.
fn waves(at: &SourceLine, sizes: &str) -> Result<Vec<u8>> {
    let sizes = sizes.split(',').map(|size| Ok(up_to(at, size, 64)? as u8)).collect::<Result<Vec<u8>>>()?;
    match sizes[..] {
        [32] | [64] | [32, 64] | [64, 32] => Ok(sizes),
        _ => at.err("a wave has 32 lanes or 64"),
    }
}

/// Reads `target NAME GENERATION MACH [+TRAIT...] [-TRAIT...] [generic=VERSION] OTHER-NAME...`.
pub fn target(at: &SourceLine, args: &[&str]) -> Result<(TargetRow, ProcessorRow)> {
    let [name, from, mach, rest @ ..] = args else {
        return at.err("expected: target NAME GENERATION MACH ALIAS...");
    };
    let with = |mark: char| rest.iter().filter_map(move |s| s.strip_prefix(mark)).map(str::to_string).collect();
    let others: Vec<&str> = rest.iter().copied().filter(|s| !s.starts_with(['+', '-'])).collect();
    let target = TargetRow {
        at: at.clone(),
        name: module_name(name),
        processor: name.to_string(),
        waves: Vec::new(),
        several_waves: false,
        mach: Vec::new(),
        from: from.to_string(),
        generation: String::new(),
        traits: with('+'),
        lacks: with('-'),
        bus: 0,
        aliases: Vec::new(),
    };
    let has_new_fillers = target.has(NEW_FILLERS);
    let processor = processor_row(at, name, Some(name), mach, &others)?;
    Ok((target, ProcessorRow { has_new_fillers, ..processor }))
}

/// The trait that a processor can have without its target.
const NEW_FILLERS: &str = "new-fillers";

/// Reads `processor NAME TARGET MACH [+new-fillers] [generic=VERSION] OTHER-NAME...`.
pub fn processor(at: &SourceLine, args: &[&str]) -> Result<ProcessorRow> {
    let [name, like, mach, rest @ ..] = args else {
        return at.err("expected: processor NAME TARGET MACH ALIAS...");
    };
    let (traits, others): (Vec<&str>, Vec<&str>) = rest.iter().partition(|word| word.starts_with('+'));
    if let Some(other) = traits.iter().find(|word| word[1..] != *NEW_FILLERS) {
        return at.err(format!("{other} is a trait of targets; a processor can have +new-fillers only"));
    }
    let processor = processor_row(at, name, Some(*like).filter(|like| *like != "-"), mach, &others)?;
    Ok(ProcessorRow { has_new_fillers: !traits.is_empty(), ..processor })
}

fn processor_row(at: &SourceLine, name: &str, like: Option<&str>, mach: &str, rest: &[&str]) -> Result<ProcessorRow> {
    let (generic, aliases): (Vec<&str>, Vec<&str>) = rest.iter().partition(|s| s.starts_with("generic="));
    let version = |s: &str| Ok(up_to(at, s.trim_start_matches("generic="), 255)? as u8);
    Ok(ProcessorRow {
        at: at.clone(),
        name: name.to_string(),
        target: like.map(str::to_string),
        mach: up_to(at, mach, 255)?,
        generic: generic.first().map(|s| version(s)).transpose()?,
        has_new_fillers: false,
        aliases: aliases.into_iter().map(str::to_string).collect(),
    })
}

/// Reads `type NAME AS ADD SCALE TAKES USES`.
pub fn operand_type(at: &SourceLine, args: &[&str]) -> Result<OperandTypeRow> {
    let [name, reads_as, add, scale, takes, uses] = args else {
        return at.err("expected: type NAME AS ADD SCALE TAKES USES");
    };
    let scale = up_to(at, scale, 256)? as u16;
    if !scale.is_power_of_two() {
        return at.err(format!("scale {scale} is not a power of two"));
    }
    let add = up_to(at, add, 511)? as u16;
    // A number may only be added to the codes of vector registers.
    if add != 0 && !takes.split(',').any(|class| class == "vgpr") {
        return at.err(format!("adds {add}, but only the codes of vector registers do not begin at 0"));
    }
    let Some(kind) = OperandKind::named(reads_as) else {
        return at.err(format!("operand type {name} is read as `{reads_as}`, which the library does not know"));
    };
    let list = |s: &str, none: &str| -> Vec<String> {
        if s == none { Vec::new() } else { s.split(',').map(str::to_string).collect() }
    };
    let mut used = Vec::new();
    for u in list(uses, "-") {
        let mut names = u.trim_start_matches(['?', '!', '^']).split('/');
        let name = names.next().unwrap_or("");
        let (field, bit) = match name.split_once('[') {
            Some((f, b)) => (f, Some(up_to(at, b.trim_end_matches(']'), 127)? as u8)),
            None => (name, None),
        };
        let of_base = u.starts_with('^');
        let looked_at = u.starts_with('!') || of_base;
        used.push(Use {
            field: field.to_string(),
            more: names.map(str::to_string).collect(),
            of_base,
            bit,
            optional: looked_at || u.starts_with('?'),
            looked_at,
        });
    }
    Ok(OperandTypeRow {
        at: at.clone(),
        name: name.to_string(),
        kind,
        add,
        scale,
        takes: list(takes, "any"),
        uses: used,
    })
}

/// Reads `limit NAME NUMBER... ; what it is`.
pub fn limit(at: &SourceLine, args: &[&str], about: &str) -> Result<Limit> {
    let (Some((name, numbers)), false) = (args.split_first().filter(|l| !l.1.is_empty()), about.is_empty()) else {
        return at.err("expected: limit NAME NUMBER... ; what it is");
    };
    let numbers = numbers.iter().map(|n| Ok(up_to(at, n, 32)? as u16)).collect::<Result<Vec<_>>>()?;
    Ok(Limit { at: at.clone(), name: name.to_string(), numbers, about: about.to_string() })
}

/// Reads `enum NAME` or `bits NAME`.
pub fn enum_table(at: &SourceLine, key: &str, args: &[&str]) -> Result<EnumTable> {
    let [name] = args else { return at.err(format!("expected: {key} NAME")) };
    Ok(EnumTable {
        at: at.clone(),
        name: name.to_string(),
        bits: key == "bits",
        values: Vec::new(),
        registers: Vec::new(),
        lanes: Vec::new(),
        means: Vec::new(),
    })
}
