//! Sections of code.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;

use amdgpu_asm::NOP;
use amdgpu_isa::kernel::KernelDescriptor;
use amdgpu_isa::{Filler, Inst, Target, Value, decode, parse};
use amdgpu_object::relocation_kinds as kinds;

use crate::code_object::{CodeObject, Relocation, Section};
use crate::data::{value, variant_of};

/// The least number of equal dwords that become one line.
const FOLDED: usize = 8;
/// Literals of 32 and of 64 bits that are not inline constants, so that they stand out in the text of an instruction.
const MARK: u32 = 0x7ead_beef;
const MARK64: u64 = 0x7ead_beef_7ead_beef;

impl CodeObject<'_> {
    /// The targets of a section's code, by the offsets at which they begin to hold.
    pub fn targets(&self, symbols: &[(u64, usize)]) -> HashMap<u64, Target> {
        let of = |n: usize| {
            let (_, _, descriptor) = self.kernels.iter().find(|(_, code, _)| *code == n)?;
            self.target.with_wave_size(descriptor.wave_size(self.target))
        };
        symbols.iter().filter_map(|(offset, n)| Some((*offset, of(*n)?))).collect()
    }

    /// Writes a section of code. `filler` is the filler that holds before the section, and is set to the one that holds
    /// after it.
    pub fn code(&self, section: &Section<'_>, filler: &mut Filler, out: &mut String) {
        let symbols = self.symbols_at(section);
        let targets = self.targets(&symbols);
        let (starts, mut goals) = places(section, self.target, &targets, &symbols);
        let relative = self.relative(section);
        goals.extend(&relative.goals);
        let ends = self.ends(section, &symbols, &starts);
        let ended: BTreeSet<usize> = ends.values().flatten().copied().collect();
        // The offsets at which a line must begin.
        let stops: BTreeSet<u64> = goals.iter().chain(ends.keys()).copied().collect();
        let relocation = self.relocations(section);
        let mut target = self.target;
        let (mut at, mut next) = (0usize, 0usize);
        // The alignment of the section is in its directive.
        let mut is_aligned = true;
        let end = section.bytes.len();
        loop {
            let here = at as u64;
            target = targets.get(&here).copied().unwrap_or(target);
            for n in ends.get(&here).into_iter().flatten() {
                self.size_up_to_here(*n, out);
            }
            while let Some(&(offset, n)) = symbols.get(next).filter(|(offset, _)| *offset <= here || at >= end) {
                next += 1;
                let distance = offset.wrapping_sub(here) as i64;
                if distance == 0 && !is_aligned && self.begins_kernel(section, here, n) {
                    let _ = writeln!(out, "\t.p2align {}", KernelDescriptor::ENTRY_ALIGN.ilog2());
                    is_aligned = true;
                }
                self.define(n, (distance != 0).then_some(distance as u64), !ended.contains(&n), out);
            }
            is_aligned = false;
            if goals.contains(&here) && starts.contains(&here) {
                let _ = writeln!(out, "{}:", self.label(section, here));
            }
            if at >= end {
                return;
            }
            let stop = symbols.get(next).map_or(end, |(offset, _)| usize::try_from(*offset).unwrap_or(end).min(end));
            let rest = section.bytes.get(at..end).unwrap_or(&[]);
            let goal = |to: u64| (starts.contains(&to) && goals.contains(&to)).then(|| self.label(section, to));
            if let Some(fill) = self.alignment(section, here, stop as u64, &stops, &relocation) {
                let _ = writeln!(out, "\t.p2align{fill}");
                (at, is_aligned) = (stop, true);
                continue;
            }
            if let Some(count) = folded(rest, here, stop - at, &stops, &relocation) {
                let word = u32::from_le_bytes(rest.first_chunk().copied().unwrap_or([0; 4]));
                let text = decode(target, rest).map_or(String::new(), |inst| format!(" // {inst}"));
                let _ = writeln!(out, "\t.fill {count}, 4, {word:#010x}{text}");
                at += count * 4;
                continue;
            }
            let mut written = None;
            let inst = decode(target, rest).ok().filter(|inst| at + inst.len() <= stop.max(at + 4));
            let len = inst.as_ref().map_or(4.min(rest.len()), Inst::len);
            let bytes = rest.get(..len).unwrap_or(rest);
            let note = relative.notes.get(&here).copied().unwrap_or_default();
            let place = relocation(here, here + len as u64);
            let made = |inst: &Inst| {
                let (place, of) = relative.places.range(here..here + len as u64).next()?;
                relocated(inst, place - here, of)
            };
            match (inst, place) {
                (Some(inst), None) => match made(&inst).or_else(|| text(&inst, here, goal)) {
                    Some(line) => {
                        fill(&inst, filler, out);
                        let _ = writeln!(out, "\t{line}{note}");
                    }
                    None => raw(bytes, &format!(" // {inst}"), out),
                },
                (Some(inst), Some((place, of))) => match relocated(&inst, place - here, of) {
                    Some(line) => {
                        fill(&inst, filler, out);
                        let _ = writeln!(out, "\t{line}");
                    }
                    None => written = Some(linked(bytes, (place - here) as usize, of, &inst.to_string(), out)),
                },
                (None, Some((place, of))) => written = Some(linked(bytes, (place - here) as usize, of, "", out)),
                (None, None) => raw(bytes, " // no instruction", out),
            }
            at += written.unwrap_or(bytes.len());
        }
    }

    /// A name for a place in code. Each section has its own names.
    pub fn label(&self, section: &Section<'_>, offset: u64) -> String {
        match self.has_one_code {
            true => format!(".L{offset:x}"),
            false => format!(".L{}_{offset:x}", section.index),
        }
    }

    /// The operands of the directive that makes the padding from here to a symbol, if the padding is the same as that
    /// which assemblers and linkers put before a kernel.
    fn alignment<'r>(
        &self,
        section: &Section<'_>,
        here: u64,
        stop: u64,
        goals: &BTreeSet<u64>,
        relocation: &impl Fn(u64, u64) -> Option<(u64, &'r Relocation)>,
    ) -> Option<String> {
        const ALIGN: u64 = KernelDescriptor::ENTRY_ALIGN;
        let end = section.bytes.len() as u64;
        let is_room = here.next_multiple_of(ALIGN) == stop && (here + 1..end).contains(&stop);
        if !is_room || section.align < ALIGN || goals.range(here + 1..stop).next().is_some() {
            return None;
        }
        let bytes = section.bytes.get(here as usize..stop as usize)?;
        let is_all = |word: [u8; 4]| bytes.chunks(word.len()).all(|four| four == word);
        let power = ALIGN.ilog2();
        let fill = match is_all(NOP) {
            true => format!(" {power}"),
            false => format!("l {power}, 0"),
        };
        (relocation(here, stop).is_none() && (is_all(NOP) || is_all([0; 4]))).then_some(fill)
    }

    /// Whether a kernel begins here, at an address where hardware can start a kernel.
    fn begins_kernel(&self, section: &Section<'_>, here: u64, symbol: usize) -> bool {
        let is_room = here % KernelDescriptor::ENTRY_ALIGN == 0 && section.align >= KernelDescriptor::ENTRY_ALIGN;
        is_room && self.kernels.iter().any(|(_, code, _)| *code == symbol)
    }
}

/// The offsets of instructions, and the targets of branches.
fn places(
    section: &Section<'_>,
    target: Target,
    targets: &HashMap<u64, Target>,
    symbols: &[(u64, usize)],
) -> (BTreeSet<u64>, BTreeSet<u64>) {
    let (mut starts, mut goals) = (BTreeSet::new(), BTreeSet::new());
    walk(section, target, targets, symbols, |here, inst| {
        starts.insert(here);
        goals.extend(inst.filter(|inst| has_label(inst)).and_then(|inst| inst.branch_target(here)));
    });
    (starts, goals)
}

/// Calls `visit` with the offset of each instruction or dword of a section, in order.
pub fn walk(
    section: &Section<'_>,
    mut target: Target,
    targets: &HashMap<u64, Target>,
    symbols: &[(u64, usize)],
    mut visit: impl FnMut(u64, Option<&Inst>),
) {
    let mut at = 0usize;
    let mut next = symbols.iter().map(|(offset, _)| *offset).peekable();
    while let Some(rest) = section.bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let here = at as u64;
        target = targets.get(&here).copied().unwrap_or(target);
        while next.next_if(|offset| *offset <= here).is_some() {}
        let stop = next.peek().map_or(usize::MAX, |offset| usize::try_from(*offset).unwrap_or(usize::MAX));
        let inst = decode(target, rest).ok().filter(|inst| at + inst.len() <= stop.max(at + 4));
        visit(here, inst.as_ref());
        at += inst.map_or(4, |inst| inst.len());
    }
}

/// Writes the directive for the filler of an instruction, if another filler holds.
fn fill(inst: &Inst, held: &mut Filler, out: &mut String) {
    if let Some(filler) = inst.filler().filter(|filler| filler != held) {
        let _ = writeln!(out, "\t.amdgpu_isa_fill {}", filler.name());
        *held = filler;
    }
}

/// The instruction that the assembler makes of a text, with the filler of `inst`.
fn assembled(inst: &Inst, text: &str) -> Option<Inst> {
    let again = parse(inst.target(), text).ok()?;
    Some(inst.filler().map_or(again, |filler| again.with_filler(filler)))
}

/// Whether an instruction has an operand that can be a label.
pub fn has_label(inst: &Inst) -> bool {
    inst.operands().any(|operand| matches!(operand.value, Value::Label(_)))
}

/// The number of equal dwords from the offset `here` on; `None` if there are fewer than [`FOLDED`].
fn folded<'r>(
    bytes: &[u8],
    here: u64,
    room: usize,
    goals: &BTreeSet<u64>,
    relocation: &impl Fn(u64, u64) -> Option<(u64, &'r Relocation)>,
) -> Option<usize> {
    let first = bytes.first_chunk::<4>()?;
    let count = bytes.chunks_exact(4).take(room / 4).take_while(|four| four == first).count();
    if count < FOLDED {
        return None;
    }
    let to = here + count as u64 * 4;
    let stop = goals.range(here + 1..to).next().copied().unwrap_or(to);
    let stop = relocation(here, stop).map_or(stop, |(place, _)| place & !3);
    let count = (stop.saturating_sub(here) / 4) as usize;
    (count >= FOLDED).then_some(count)
}

/// The text of an instruction, if the assembler makes the same words of it.
fn text(inst: &Inst, here: u64, goal: impl Fn(u64) -> Option<String>) -> Option<String> {
    let text = inst.to_string();
    if assembled(inst, &text)?.words() != inst.words() {
        return None;
    }
    // A broken branch gets no label, because the assembler would put an `s_nop` after a broken branch to a label.
    let is_branch = has_label(inst) && !inst.is_broken_branch();
    let label = inst.branch_target(here).filter(|_| is_branch).and_then(goal);
    let at = text.rfind([' ', ',']).map(|at| at + 1);
    match (label, at) {
        (Some(label), Some(at)) => Some(format!("{}{label}", text.get(..at)?)),
        _ => Some(text),
    }
}

/// The text of an instruction with a symbol where its literal is.
fn relocated(inst: &Inst, place: u64, of: &Relocation) -> Option<String> {
    if of.kind == kinds::REL16 && place == 0 {
        let text = inst.to_string();
        let at = text.rfind([' ', ','])? + 1;
        return Some(format!("{}{}", text.get(..at)?, of.of));
    }
    let variant = kinds::written(of.kind).filter(|_| ![kinds::REL16, kinds::ABS64].contains(&of.kind))?;
    let is_wide = inst.operands().any(|operand| operand.value == Value::Literal64);
    // With a symbol as an operand of 64 bits, the assembler would make a literal of 64 bits instead of 32.
    if inst.operands().any(|operand| operand.bits == 64 && matches!(operand.value, Value::Literal(_))) {
        return None;
    }
    let (len, mark) = if is_wide { (2, MARK64) } else { (1, MARK.into()) };
    let (first, literal) = inst.words().split_at_checked(inst.words().len().checked_sub(len)?)?;
    // A linker may add the number in the file to the value, so a literal that is not 0 cannot become only a symbol.
    let is_added = !of.is_made && literal.iter().any(|word| *word != 0);
    if place != 4 * first.len() as u64 || is_added {
        return None;
    }
    let words = first.iter().copied().chain([mark as u32, (mark >> 32) as u32]).take(inst.words().len());
    let marked = decode(inst.target(), &words.flat_map(u32::to_le_bytes).collect::<Vec<u8>>()).ok()?;
    let text = marked.to_string();
    let shown = [format!("lit64({mark:#x})"), format!("{mark:#x}")];
    let mark = shown.iter().find(|mark| text.contains(*mark))?;
    if assembled(&marked, &text)?.words() != marked.words() || text.matches(mark).count() != 1 {
        return None;
    }
    let name = if variant.is_empty() { of.of.clone() } else { variant_of(&of.of, variant) };
    Some(text.replace(mark, &name))
}

/// Writes words as numbers.
fn raw(bytes: &[u8], comment: &str, out: &mut String) {
    let words = bytes.chunks_exact(4);
    let odd: Vec<String> = words.remainder().iter().map(|byte| format!("{byte:#04x}")).collect();
    let number = |four: &[u8]| format!("{:#010x}", u32::from_le_bytes(four.try_into().unwrap_or([0; 4])));
    let words: Vec<String> = words.map(number).collect();
    if !words.is_empty() {
        let _ = writeln!(out, "\t.long {}{comment}", words.join(", "));
    }
    if !odd.is_empty() {
        let _ = writeln!(out, "\t.byte {}", odd.join(", "));
    }
}

/// Writes words as numbers, and the one that a linker fills in as a value with a symbol. Returns the number of bytes
/// written, which is greater than that of the words if the value goes beyond them.
fn linked(bytes: &[u8], place: usize, of: &Relocation, comment: &str, out: &mut String) -> usize {
    let comment = if comment.is_empty() { String::new() } else { format!(" // {comment}") };
    raw(bytes.get(..place).unwrap_or(&[]), &comment, out);
    let rest = bytes.len().saturating_sub(place) as u64;
    let len = value(of, rest, out) as usize;
    raw(bytes.get(place + len..).unwrap_or(&[]), "", out);
    bytes.len().max(place + len)
}
