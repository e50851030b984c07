//! Writes the tables of one target, which `src/table.rs` describes.

use std::collections::BTreeSet;

use crate::build::check::layout_assumptions::room;
use crate::build::emit::operands::{Operands, Sizes};
use crate::build::emit::{FormKey, Numbers, camel, fields, sorted_formats};
use crate::build::emit::{
    builtin, counters, decode, facts, fast_decode, fast_text, hazards, mnemonics, names, operands,
};
use crate::build::kind::{ImageKind, ModifierKind, NumberKind, OperandKind, Signs};
use crate::build::lower::decode::Tables;
use crate::build::lower::fast_decode::FastTables;
use crate::build::lower::lengths::{self, Announcer, LengthList, Lengths};
use crate::build::lower::pages::number;
use crate::build::lower::pages::{PAGE, pages};
use crate::build::lower::{self, NONE, OperandDesc, Target};
use crate::build::model::error::Result;
use crate::build::model::*;
use crate::build::shared;
use crate::build::writer::{put, putln};

/// The tables of a target, each as (name, text).
pub fn target_tables(
    isa: &Isa,
    targets: &[Target],
    of_target: &Tables,
    lengths: &Lengths,
    numbers: &Numbers,
    abouts: &mut Vec<String>,
    operands: (&Operands, &Sizes),
) -> Result<Vec<(&'static str, String)>> {
    let t = of_target.t;
    let fast = FastTables::new(of_target)?;
    let mut all = Vec::new();
    let mut table = |name, write: &mut dyn FnMut(&mut String) -> Result<()>| {
        let mut text = String::new();
        write(&mut text)?;
        all.push((name, text));
        Ok(())
    };
    table("DECODE", &mut |w| {
        decode::tables(w, of_target)?;
        Ok(())
    })?;
    table("FAST_DECODE", &mut |w| {
        let number = targets.iter().position(|other| other.row.name == t.row.name).unwrap_or(0);
        fast_decode::tables(w, number as u32, &fast);
        Ok(())
    })?;
    table("LENGTHS", &mut |w| {
        length(w, t, lengths);
        Ok(())
    })?;
    table("DESCS", &mut |w| descs(w, isa, t, numbers))?;
    table("OPERANDS", &mut |w| operands::tables(w, isa, t, operands.0, operands.1))?;
    table("OPS", &mut |w| ops(w, numbers, t))?;
    table("INFO_OF", &mut |w| {
        info_of(w, numbers, t);
        Ok(())
    })?;
    table("BRANCHES", &mut |w| {
        branches(w, t);
        Ok(())
    })?;
    table("PLAIN", &mut |w| {
        plain(w, t);
        Ok(())
    })?;
    table("MOVES", &mut |w| {
        moves(w, t);
        Ok(())
    })?;
    table("ENTRIES", &mut |w| {
        entries(w, numbers, t);
        Ok(())
    })?;
    table("FACTS", &mut |w| {
        facts::tables(w, isa, t);
        Ok(())
    })?;
    table("COUNTS", &mut |w| {
        counters::tables(w, isa, t, numbers.opcodes);
        Ok(())
    })?;
    table("HAZARDS", &mut |w| hazards::tables(w, isa, targets, t))?;
    table("LAYOUT", &mut |w| {
        layout(w, isa, t, abouts);
        Ok(())
    })?;
    table("IMMS", &mut |w| names::imms(w, isa, t))?;
    table("NAMES", &mut |w| names::names(w, isa, t))?;
    table("HWREGS", &mut |w| names::hwregs(w, isa, t))?;
    table("FAST_TEXT", &mut |w| fast_text::tables(w, isa, t, &numbers.mnemonics))?;
    table("TEXT", &mut |w| text(w, isa, t))?;
    table("MNEMONICS_OF", &mut |w| mnemonics::table(w, isa, t))?;
    Ok(all)
}

fn length(w: &mut String, t: &Target, lengths: &Lengths) {
    putln!(w, "pub(crate) static LENGTHS: LengthTables = LengthTables {{ entries: {:?}, lists: &[", lengths.entries);
    for LengthList { dwords, op, joined, announcers, runs } in &lengths.lists {
        let (op_shift, op_width) = (op.lsb, op.width);
        put!(w, "LengthList {{ dwords: {dwords}, op_shift: {op_shift}, op_width: {op_width}, joined: {joined}, ");
        put!(w, "runs: &{runs:?}, announcers: &[");
        put!(w, "{}", announcers_text(announcers));
        putln!(w, "] }},");
    }
    put!(w, "], others: &[");
    for (mask, value, trailing) in t.opcode_spaces.iter().flat_map(|f| lengths::others(t, f)) {
        put!(w, "Other {{ mask: {mask:#x}, value: {value:#x}, trailing: {trailing} }},");
    }
    put!(w, "], joined: &[");
    for f in t.opcode_spaces.iter().filter(|f| f.is_joined()) {
        put!(w, "({}, &{:?}),", joined_text(f), lengths::valid(t, f));
    }
    putln!(w, "] }};");
}

pub fn announcers_text(announcers: &[Announcer]) -> String {
    let text = |a: &Announcer| {
        let Announcer { lsb, width, codes: (first, last), dwords } = a;
        let more = last - first;
        format!("Announcer {{ first: {first}, more: {more}, lsb: {lsb}, width: {width}, dwords: {dwords} }},")
    };
    announcers.iter().map(text).collect()
}

fn descs(w: &mut String, isa: &Isa, t: &Target, numbers: &Numbers) -> Result<()> {
    signatures(w, isa, t, numbers)?;
    putln!(w, "lists: &{:?},\ndescs: &[", t.desc_lists);
    t.descs.iter().for_each(|desc| putln!(w, "{},", desc_text(desc)));
    putln!(w, "] }};");
    Ok(())
}

/// The source text of the masks and values that identify an operation in four dwords.
pub fn joined_text(f: &lower::OpcodeSpace) -> String {
    let ([masks, values], shift, op_mask) = (f.joint(), f.op.lsb - 64, (1u32 << f.op.width) - 1);
    let (base, masks, values) = (f.base, format!("{masks:#x?}"), format!("{values:#x?}"));
    format!("Joined {{ masks: {masks}, values: {values}, base: {base}, shift: {shift}, op_mask: {op_mask} }}")
}

pub fn desc_text(i: &lower::OperandDesc) -> String {
    let (ty, access) = match i.access {
        None => ("Bits".to_string(), "None"),
        Some(Access::Read) => (camel(&i.ty), "Some(Access::Read)"),
        Some(Access::Write) => (camel(&i.ty), "Some(Access::Write)"),
        Some(Access::ReadWrite) => (camel(&i.ty), "Some(Access::ReadWrite)"),
    };
    format!(
        "OperandDesc {{ kind: {}, field: Field::{}, lsb: {}, width: {}, hi: {}, lo_width: {}, used_bits: {:#x}, shift: {}, add: {}, ty: DataType::{ty}, dwords: {}, access: {access}, write_if_bit: {} }}",
        kind_text(i.kind),
        camel(&i.field),
        i.lsb,
        i.width,
        i.split.0,
        i.split.1,
        i.used_bits,
        i.shift,
        i.add,
        i.dwords,
        i.write_if_bit,
    )
}

/// The kind of an operand, as an expression.
pub fn kind_text(kind: OperandKind) -> String {
    if kind == OperandKind::CODE {
        return "OperandKind::CODE".into();
    }
    match kind {
        OperandKind::Register(kind) => {
            let text = format!("OperandKind::Register(RegisterKind::{kind:?})");
            text.replace(&format!("{:?}", Signs::ABSENT), "Signs::ABSENT")
        }
        OperandKind::Address(kind) => format!("OperandKind::Address(AddressKind::{kind:?})"),
        OperandKind::Image(ImageKind::Data { data, dmask, tfe, d16, acc }) => format!(
            "OperandKind::Image(ImageKind::Data {{ data: ImageData::{data:?}, dmask: {dmask}, tfe: {tfe}, d16: {d16}, acc: {acc} }})"
        ),
        OperandKind::Image(ImageKind::Address { shape, dim, a16, second, fifth, fields }) => format!(
            "OperandKind::Image(ImageKind::Address {{ shape: AddressShape::{shape:?}, dim: {dim}, a16: {a16}, second: {second}, fifth: {fifth}, fields: {fields:?} }})"
        ),
        OperandKind::Offset(kind) => format!("OperandKind::Offset(OffsetKind::{kind:?})"),
        OperandKind::Number(NumberKind::Plain(notation)) => {
            format!("OperandKind::Number(NumberKind::Plain(Notation::{notation:?}))")
        }
        OperandKind::Number(NumberKind::Choice(list)) => {
            format!("OperandKind::Number(NumberKind::Choice(NumberList::{list:?}))")
        }
        OperandKind::Number(NumberKind::Parts(kind)) => {
            format!("OperandKind::Number(NumberKind::Parts(PartsKind::{kind:?}))")
        }
        OperandKind::Number(kind) => format!("OperandKind::Number(NumberKind::{kind:?})"),
        OperandKind::Modifier(ModifierKind::Choice(list)) => {
            format!("OperandKind::Modifier(ModifierKind::Choice(ModifierList::{list:?}))")
        }
        OperandKind::Modifier(ModifierKind::List(style)) => {
            format!("OperandKind::Modifier(ModifierKind::List(ListStyle::{style:?}))")
        }
        OperandKind::Modifier(kind) => format!("OperandKind::Modifier(ModifierKind::{kind:?})"),
        OperandKind::Second => "OperandKind::Second".into(),
    }
}

/// A number for each opcode index. The number of an index without an operation is never read: it is copied from a
/// neighbour in the page, which makes more pages equal.
fn filled(t: &Target, of: impl Fn(&lower::Operation) -> usize) -> Vec<usize> {
    let page = |page: &[Option<lower::Operation>]| {
        let mut last = page.iter().flatten().next().map_or(0, &of);
        let mut fill = |operation: &Option<lower::Operation>| {
            last = operation.as_ref().map_or(last, &of);
            last
        };
        (0..PAGE).map(|n| fill(page.get(n).unwrap_or(&None))).collect::<Vec<_>>()
    };
    t.operations.chunks(PAGE).flat_map(page).collect()
}

/// Registers that operations read over the constant bus without naming them, as in `key` of src/check/bus.rs.
const ON_BUS: [&str; 2] = ["vcc", "m0"];

/// The key of a form. Forms of other operations and targets have the same key if they have the same formats, operands
/// and modifiers.
pub fn form_key<'a>(t: &'a Target, s: &lower::FormSignature) -> FormKey<'a> {
    let format = |n: usize| t.formats[n].def.name.as_str();
    let descs = t.desc_lists[s.descs.0..s.descs.0 + s.descs.1].iter().map(|&n| &t.descs[usize::from(n)]);
    (format(s.format), s.extension.map(format), descs.collect())
}

/// Writes the signatures, and the number of the signature of each operation and form.
fn signatures(w: &mut String, isa: &Isa, t: &Target, of_build: &Numbers) -> Result<()> {
    // The signatures of a page have similar indices: the number from which a page counts them is stored with the page's
    // index.
    let all = filled(t, |s| s.signature - 1);
    let base = |page: &[usize]| page.iter().copied().min().unwrap_or(0);
    let (numbers, entries) = pages(&all, |page| page.iter().map(|n| n - base(page)).collect());
    room(t, "signatures between those of 16 operations", entries.iter().max().map_or(0, |n| n + 1), 8)?;
    let numbers: Vec<_> = numbers.iter().zip(all.chunks(PAGE)).map(|(n, page)| (n, base(page))).collect();
    putln!(
        w,
        "pub(crate) static DESCS: DescTables = DescTables {{ pages: &{numbers:?}, signature_of: &{entries:?}, signatures: &["
    );
    let (mut forms, mut ignored) = (vec![[0, 0]], vec![(0, 0, [0; 2])]);
    let reads = |o: &&lower::Operation| t.infos[o.info].reads.iter().any(|r| ON_BUS.contains(&r.as_str()));
    let implied: BTreeSet<usize> = t.operations.iter().flatten().filter(reads).map(|o| o.signature).collect();
    for (n, s) in t.signatures.iter().enumerate() {
        let f = camel(&t.formats[s.format].def.name);
        let suffix = if fast_text::has_operand(t, s) { s.suffix } else { 0 };
        let extension = match s.extension {
            Some(x) => format!("Some(Format::{})", camel(&t.formats[x].def.name)),
            None => "None".into(),
        };
        let forms = number(&mut forms, [s.sdwa, s.dpp]);
        let ignored = number(&mut ignored, (s.ignored as u64, s.unused, s.fillers));
        let key = form_key(t, s);
        let needed = key.2.iter().rposition(|desc| !is_optional(isa, desc)).map_or(0, |n| n + 1);
        let alike = of_build.forms[&key];
        room(t, "lists of operands", alike, 16)?;
        let implied = implied.contains(&(n + 1));
        putln!(
            w,
            "FormSignature {{ format: Format::{f}, suffix: {suffix}, extension: {extension}, first: {}, descs: {}, #[cfg(feature = \"make\")] needed: {needed}, #[cfg(feature = \"make\")] implied: {implied}, #[cfg(feature = \"fast\")] alike: {alike}, forms: {forms}, ignored: {ignored} }},",
            s.descs.0,
            s.descs.1
        );
    }
    room(t, "pairs of forms", forms.len(), 8)?;
    room(t, "sets of ignored bits", ignored.len(), 8)?;
    let others = t
        .signatures
        .iter()
        .enumerate()
        .flat_map(|(n, s)| s.numbered_trailing().map(move |(f, form)| (n, form, f.form)));
    let others: Vec<_> = others.filter(|o| o.1 != 0).map(|(n, form, signature)| (n, form, signature - 1)).collect();
    let ignored: Vec<String> = ignored
        .iter()
        .map(|(bits, sources, fillers)| format!("Ignored {{ bits: {bits}, sources: {sources}, fillers: {fillers:?} }}"))
        .collect();
    putln!(w, "],\nforms: &{forms:?},\nothers: &{others:?},\nignored: &[{}],", ignored.join(", "));
    Ok(())
}

/// Whether a modifier may be left out, and is then zero.
fn is_optional(isa: &Isa, desc: &OperandDesc) -> bool {
    let mut defaults = isa.formats.iter().flat_map(|f| &f.defaults).filter(|d| !d.neutral);
    let OperandKind::Modifier(kind) = desc.kind else { return false };
    desc.access.is_none() && kind.is_optional() && !defaults.any(|d| d.field == desc.field)
}

fn ops(w: &mut String, all: &Numbers, t: &Target) -> Result<()> {
    // For each page, the opcode indices that have an operation, and the first operation's number. The other operations
    // have the numbers after it, or (with the highest bit set) a list has the operations at which runs of numbers
    // begin.
    let of_index =
        |operation: &Option<lower::Operation>| operation.as_ref().map(|s| all.number_of[s.mnemonic.as_str()]);
    let mut operations: Vec<Option<usize>> = t.operations.iter().map(of_index).collect();
    operations.resize(operations.len().next_multiple_of(PAGE), None);
    let mut runs: Vec<(u16, usize)> = Vec::new();
    let mut list: Vec<usize> = Vec::new();
    let run = |page: &[Option<usize>]| {
        let mask = page.iter().enumerate().fold(0u16, |mask, (n, op)| mask | u16::from(op.is_some()) << n);
        let ops: Vec<usize> = page.iter().flatten().copied().collect();
        let first = ops.first().copied().unwrap_or(0);
        let place = match ops.iter().copied().eq(first..first + ops.len()) {
            true => first,
            false => {
                let begins = |n: &usize| *n == 0 || ops[*n] != ops[*n - 1] + 1;
                let starts: Vec<usize> = (0..ops.len()).filter(begins).collect();
                let set = starts.iter().fold(0, |set, n| set | 1 << n);
                let page: Vec<usize> = std::iter::once(set).chain(starts.iter().map(|n| ops[*n])).collect();
                let at = list.windows(page.len()).position(|w| w == page).unwrap_or(list.len());
                if at == list.len() {
                    list.extend(&page);
                }
                at | 0x8000
            }
        };
        number(&mut runs, (mask, place))
    };
    let numbers: Vec<u8> = operations.chunks(PAGE).map(run).collect();
    room(t, "opcodes in a list", list.len(), 15)?;
    room(t, "runs of opcodes", runs.len(), 8)?;
    putln!(
        w,
        "pub(crate) static OPS: OpTables = OpTables {{ pages: &{numbers:?}, runs: &{runs:?}, list: &{list:?} }};"
    );
    Ok(())
}

/// Writes the facts of each operation.
fn info_of(w: &mut String, all: &Numbers, t: &Target) {
    let numbers: Vec<usize> = t.infos.iter().map(|info| all.info_of[info]).collect();
    let info_of = filled(t, |s| numbers[s.info]);
    let (numbers, entries) = pages(&info_of, <[usize]>::to_vec);
    putln!(w, "pub(crate) static INFO_OF: InfoTables = InfoTables {{ pages: &{numbers:?}, info_of: &{entries:?} }};");
}

/// Writes a list of the opcode indices of all opcodes of the enabled targets, and the position at which each opcode's
/// indices begin in it.
fn entries(w: &mut String, all: &Numbers, t: &Target) {
    let mut of_opcode: Vec<Vec<usize>> = vec![Vec::new(); all.opcodes.len()];
    for (index, operation) in t.operations.iter().enumerate() {
        if let Some(operation) = operation {
            of_opcode[all.place_of[operation.mnemonic.as_str()]].push(index);
        }
    }
    let (mut first, mut operations) = (vec![0usize], Vec::new());
    for mut mine in of_opcode {
        // If an operation can be either half in a format, its first half stands for both.
        for space in &t.opcode_spaces {
            let Some(second) = space.second_op_base() else { continue };
            if mine.iter().any(|i| (space.base..second).contains(i)) {
                mine.retain(|i| !(second..space.base + space.size).contains(i));
            }
        }
        operations.extend(mine);
        first.push(operations.len());
    }
    putln!(
        w,
        "pub(crate) static ENTRIES: EntryTables = EntryTables {{ first: &{first:?}, op_indices: &{operations:?} }};"
    );
}

/// Writes a bit for each opcode index, which tells whether an operand is a branch distance, or is added to the address
/// of the code.
fn branches(w: &mut String, t: &Target) {
    let is_branch = |operation: &Option<lower::Operation>| operation.as_ref().is_some_and(|o| t.infos[o.info].label);
    let bits = |operations: &[Option<lower::Operation>]| {
        operations.iter().zip(0..).fold(0u32, |all, (operation, n)| all | u32::from(is_branch(operation)) << n)
    };
    let words: Vec<u32> = t.operations.chunks(32).map(bits).collect();
    putln!(w, "#[cfg(feature = \"fast\")]\npub(crate) static BRANCHES: Branches = padded(&{words:?}, 0);");
}

/// Writes the opcode indices of branches, of operations after which execution does not continue, and of those that read
/// their own address.
fn moves(w: &mut String, t: &Target) {
    let all = |is_it: &dyn Fn(&lower::Info) -> bool| -> Vec<usize> {
        let operations = t.operations.iter().enumerate();
        operations.filter(|(_, o)| o.as_ref().is_some_and(|o| is_it(&t.infos[o.info]))).map(|(n, _)| n).collect()
    };
    let branches = all(&|info| info.label);
    let ends = all(&|info| info.flags.iter().any(|flag| flag == "no_next"));
    let reads_pc = all(&|info| matches!(info.address.as_deref(), Some("pc" | "jump")));
    let lists = format!("branches: &{branches:?}, ends: &{ends:?}, reads_pc: &{reads_pc:?}");
    putln!(w, "pub(crate) static MOVES: MoveTables = MoveTables {{ {lists} }};");
}

/// Writes the word of each plain operation, with zeros in its operand; 0 if the target lacks it.
fn plain(w: &mut String, t: &Target) {
    let word = |name: &str| {
        let is_it = |operation: &Option<lower::Operation>| operation.as_ref().is_some_and(|o| o.mnemonic == name);
        let index = t.operations.iter().position(is_it)?;
        let space = t.opcode_spaces.iter().find(|space| (space.base..space.base + space.size).contains(&index))?;
        let fixed = space.fixed.iter().flat_map(|(bits, value)| bits.pieces.first().map(|piece| value << piece.lsb));
        Some(fixed.fold(((index - space.base) as u64) << space.op.lsb, |word, bits| word | bits) as u32)
    };
    let words = builtin::PLAIN.map(|name| word(name).unwrap_or(0));
    putln!(w, "pub(crate) static PLAIN: PlainWords = {words:#x?};");
}

/// Writes the facts of the operations of all targets, in a shared table.
pub fn info_table(w: &mut String, infos: &[lower::Info]) {
    putln!(w, "pub(crate) static INFOS: &[Info] = &[");
    for i in infos {
        let (flags, suffix, respelled) = (flag_bits(&i.flags), i.suffix, i.respelled);
        let address = i.address.as_ref().map_or("None".into(), |step| format!("Some(AddressStep::{})", camel(step)));
        put!(w, "Info {{ flags: {flags:#x}, suffix: {suffix}, respelled: {respelled}, ");
        putln!(w, "address: {address} }},");
    }
    putln!(w, "];");
}

pub fn flag_bits(names: &[String]) -> u32 {
    names.iter().fold(0, |all, name| all | shared::flag(name))
}

/// The index of a text in a list, to which it is appended if it is new.
fn index_of(texts: &mut Vec<String>, text: &str) -> usize {
    texts.iter().position(|other| other == text).unwrap_or_else(|| {
        texts.push(text.to_string());
        texts.len() - 1
    })
}

/// Writes the position of every field of every format: for errors, `explain` and `locate`.
fn layout(w: &mut String, isa: &Isa, t: &Target, abouts: &mut Vec<String>) {
    let place = |f: &&Format| t.formats.iter().position(|format| format.def.name == f.name).map_or(0, |n| n + 1);
    let numbers: Vec<usize> = sorted_formats(isa).iter().map(place).collect();
    putln!(w, "pub(crate) static LAYOUT: LayoutTables = LayoutTables {{ numbers: {numbers:?}, formats: &[");
    for f in &t.formats {
        putln!(
            w,
            "Layout {{ format: Format::{}, bits: {}, extension: {}, source: {}, fields: &[",
            camel(&f.def.name),
            f.def.bits,
            f.def.extension,
            index_of(abouts, f.def.source.place(&t.row.name))
        );
        for (field, bits) in &f.fields {
            let a = bits.pieces[0];
            let b = bits.pieces.get(1).copied().unwrap_or(Piece { lsb: NONE, width: 0 });
            let about = index_of(abouts, &field.about);
            putln!(
                w,
                "FieldInfo {{ field: Field::{}, lsb: {}, width: {}, hi: {}, hi_width: {}, fixed: {:?}, overlay: {}, about: {about} }},",
                camel(&field.name.to_lowercase()),
                a.lsb,
                a.width,
                b.lsb,
                b.width,
                bits.fixed.map(|v| v as u16),
                field.overlay
            );
        }
        put!(w, "], extends: &[");
        for field in f.def.literals(&t.row.name) {
            let code = t.code.literal;
            put!(w, "Extension {{ field: Field::{}, code: {code}, format: Format::Literal }},", camel(field));
        }
        let there = |e: &&Extend| e.is_of(&t.row.name) && t.formats.iter().any(|f| f.def.name == e.format);
        for e in f.def.extends.iter().filter(there) {
            for code in e.code..=e.last_code {
                put!(
                    w,
                    "Extension {{ field: Field::{}, code: {code}, format: Format::{} }},",
                    camel(&e.field),
                    camel(&e.format)
                );
            }
        }
        putln!(w, "] }},");
    }
    putln!(w, "],\n#[cfg(feature = \"fast\")]\nplaces: &[");
    let names = fields(isa);
    for f in &t.formats {
        let place = |name: &String| f.fields.iter().rposition(|(field, _)| field.name.to_lowercase() == *name);
        let places: Vec<usize> = names.iter().map(|name| place(name).map_or(0, |n| n + 1)).collect();
        putln!(w, "{places:?},");
    }
    putln!(w, "] }};");
}

/// Classes of codes that the text shows by their number.
pub const UNNAMED: [&str; 8] = ["sgpr", "ttmp", "int", "vgpr", "literal", "literal64", "off", "neither"];

fn text(w: &mut String, isa: &Isa, t: &Target) -> Result<()> {
    putln!(
        w,
        "#[cfg(feature = \"text\")]\npub(crate) static TEXT: TextTables = TextTables {{ names: Names {{ codes: &["
    );
    for c in &t.codes {
        if UNNAMED.contains(&c.class.as_str()) {
            continue;
        }
        let &(a, b) = c.range.of(&t.row.name).unwrap();
        for code in a..=b {
            putln!(w, "({code}, {:?}, {:?}),", c.name, c.pair.as_deref().unwrap_or(""));
        }
    }
    putln!(w, "],");
    // dpp_ctrl64 restricts the values of dpp_ctrl and has no names of its own.
    for e in isa.enums.iter().filter(|e| !e.bits && e.name != "dpp_ctrl64") {
        put!(w, "{}: &[", e.name);
        for v in &e.values {
            let Some(cell) = v.value.of(&t.row.name) else { continue };
            put!(w, "({}, {:?}),", crate::build::parse::numbers::run(&v.at, cell)?.0, v.name);
        }
        putln!(w, "],");
    }
    putln!(w, "}},");
    let mut at = vec![0u8; t.code.vgpr.0.into()];
    let named = t.codes.iter().filter(|c| !UNNAMED.contains(&c.class.as_str()));
    for (n, code) in named
        .flat_map(|c| {
            let &(a, b) = c.range.of(&t.row.name).unwrap();
            a..=b
        })
        .enumerate()
    {
        // The first name of a code is used.
        let number = &mut at[usize::from(code)];
        if *number == 0 {
            *number = n as u8 + 1;
        }
    }
    putln!(w, "code_at: {at:?},");
    put!(w, "spellings: &[");
    for (i, operation) in t.operations.iter().enumerate() {
        if let Some(spelling) = operation.as_ref().and_then(|s| s.spelling.as_ref()) {
            put!(w, "({i}, {spelling:?}),");
        }
    }
    putln!(w, "] }};");
    Ok(())
}
