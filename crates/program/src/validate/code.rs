//! Compares two sections of code, side by side.

use alloc::vec::Vec;

use amdgpu_isa::{Inst, Target};
use amdgpu_object::{Image, Section};

use super::pairs::Pairs;
use super::tables::Files;
use super::values::Values;
use super::{Difference, Item, items};

/// A pair of instructions, by their numbers in the old and the new function; `None` on one side if the instruction was
/// added or removed.
struct Step {
    old: Option<usize>,
    new: Option<usize>,
}

/// Pairs the instructions of both files, and checks the addresses that the instructions use.
pub fn walk(
    files: &Files<'_>,
    (old, new): (&Image<'_>, &Image<'_>),
    target: Target,
    is_neutral: &dyn Fn(&Inst) -> bool,
) -> Result<Pairs, Difference> {
    if old.sections.len() != new.sections.len() {
        return Err(Difference::Headers);
    }
    let mut pairs = Pairs::default();
    files.pair_sections(&mut pairs);
    pairs.set_filled(files.old.filled_in_code());
    let mut functions = Vec::new();
    for (old, new) in old.sections.iter().zip(&new.sections) {
        functions.extend(section(old, new, target, is_neutral, &mut pairs)?);
    }
    for function in &functions {
        function.check(&pairs, is_neutral)?;
    }
    Ok(pairs)
}

/// The instructions of a function in both files.
struct Function {
    old: Vec<Item>,
    new: Vec<Item>,
    steps: Vec<Step>,
    /// The old and the new address of the end of the function's section.
    ends: (u64, u64),
}

fn section(
    old: &Section<'_>,
    new: &Section<'_>,
    target: Target,
    is_neutral: &dyn Fn(&Inst) -> bool,
    pairs: &mut Pairs,
) -> Result<Vec<Function>, Difference> {
    let (first, second): (Vec<_>, Vec<_>) = (old.functions(0).collect(), new.functions(0).collect());
    let end = |section: &Section<'_>| section.address.wrapping_add(section.bytes.len() as u64);
    if first.len() != second.len() {
        return Err(Difference::Instruction { old: end(old), new: end(new) });
    }
    let mut all = Vec::new();
    for (one, other) in first.into_iter().zip(second) {
        let of = |section: &Section<'_>, function: &core::ops::Range<usize>| {
            let target = section.target_at(target, function.start);
            let code = section.bytes.get(function.clone()).unwrap_or_default();
            items(target, section.address.wrapping_add(function.start as u64), code)
        };
        let (before, after) = (of(old, &one), of(new, &other));
        let ends = |section: &Section<'_>, end: usize| section.address.wrapping_add(end as u64);
        after.iter().for_each(|item| pairs.add_start(item.address));
        let steps = steps(&before, &after, (ends(old, one.end), ends(new, other.end)), is_neutral, pairs)?;
        all.push(Function { old: before, new: after, steps, ends: (end(old), end(new)) });
    }
    // An address at the end of the code means this end, unless another section begins there.
    pairs.add_end(end(old), end(new));
    pairs.add_start(end(new));
    Ok(all)
}

/// The number of dwords at the end of a function that may be padding. They equal the dword before them, which belongs
/// to the function.
fn padding(items: &[Item]) -> usize {
    let Some(last) = items.last().filter(|last| last.len == 4) else { return 0 };
    let same = items.iter().rev().take_while(|item| (item.len, item.bytes) == (last.len, last.bytes));
    same.count().saturating_sub(1)
}

/// Pairs the instructions of a function.
fn steps(
    old: &[Item],
    new: &[Item],
    (old_end, new_end): (u64, u64),
    is_neutral: &dyn Fn(&Inst) -> bool,
    pairs: &mut Pairs,
) -> Result<Vec<Step>, Difference> {
    let neutral = |item: Option<&Item>| item.and_then(|item| item.inst.as_ref()).is_some_and(is_neutral);
    let is_padded = old.last().zip(new.last()).is_some_and(|(old, new)| old.len == 4 && old.bytes == new.bytes);
    let (old_len, new_len) = match is_padded {
        true => (old.len() - padding(old), new.len() - padding(new)),
        false => (old.len(), new.len()),
    };
    let (mut steps, mut i, mut j, mut run) = (Vec::new(), 0, 0, new.first().map_or(new_end, |item| item.address));
    // The old neutral instructions since the last instruction that is not neutral, with their counterparts. A branch to
    // one of these instructions may lead to any new neutral instruction of the run, or to the instruction after the
    // run.
    let mut idle = Vec::new();
    while i < old_len || j < new_len {
        let (one, other) = (old.get(i).filter(|_| i < old_len), new.get(j).filter(|_| j < new_len));
        let here = other.map_or(new_end, |item| item.address);
        let is_pair = one.zip(other).is_some_and(|(one, other)| is_counterpart(one, other, pairs));
        let both = neutral(one) && neutral(other) && (is_pair || same_operation(one, other));
        if is_pair || both {
            let at = one.map_or(old_end, |item| item.address);
            steps.push(Step { old: Some(i), new: Some(j) });
            (i, j) = (i + 1, j + 1);
            idle.push((at, Some(here)));
            if !both {
                idle.drain(..).for_each(|(old, new)| pairs.add(old, new.unwrap_or(here), run..=here));
                run = new.get(j).map_or(new_end, |item| item.address);
            }
        } else if neutral(other) {
            steps.push(Step { old: None, new: Some(j) });
            j += 1;
        } else if neutral(one) {
            idle.extend(one.map(|item| (item.address, None)));
            steps.push(Step { old: Some(i), new: None });
            i += 1;
        } else {
            return Err(Difference::Instruction { old: one.map_or(old_end, |item| item.address), new: here });
        }
    }
    // After the run, there is only padding, or the end of the function.
    let after = new.get(new_len).map_or(new_end, |item| item.address);
    idle.into_iter().for_each(|(old, new)| pairs.add(old, new.unwrap_or(after), run..=after));
    // Padding grows and shrinks at its end.
    for (one, other) in old.iter().skip(old_len).zip(new.iter().skip(new_len)) {
        pairs.add(one.address, other.address, other.address..=other.address);
    }
    Ok(steps)
}

fn same_operation(one: Option<&Item>, other: Option<&Item>) -> bool {
    let of = |item: Option<&Item>| item.and_then(|item| item.inst.as_ref()).map(Inst::opcode);
    of(one) == of(other)
}

/// Whether two instructions are equal, apart from the parts that depend on their addresses.
fn is_counterpart(one: &Item, other: &Item, pairs: &Pairs) -> bool {
    let (Some(a), Some(b)) = (&one.inst, &other.inst) else {
        return one.inst.is_none() && other.inst.is_none() && (one.len, one.bytes) == (other.len, other.bytes);
    };
    if a.words() == b.words() {
        return true;
    }
    if a.opcode() != b.opcode() || a.len() != b.len() || a.target() != b.target() {
        return false;
    }
    // Only the distance of a branch, a literal that is added to an address, or a number that a linker fills in may
    // differ.
    let goal = a.branch_target(0).zip(b.branch_target(0)).map(|(_, goal)| goal);
    let is_branch = goal.and_then(|goal| a.with_branch_target(0, goal).ok()).is_some_and(|a| a.words() == b.words());
    let has_literal = a.address_step().is_some() && a.words().len() > 1 && a.words().first() == b.words().first();
    is_branch || has_literal || pairs.differ_as_filled(one.address, a, b)
}

impl Function {
    /// Whether a branch to `goal` in the old file and one to `there` in the new file have the same effect.
    fn leads(&self, pairs: &Pairs, goal: u64, there: u64) -> bool {
        pairs.is_in(true, goal, there) || pairs.is(goal, there) || (goal, there) == self.ends
    }

    /// Checks the targets of branches and the addresses that the code makes.
    fn check(&self, pairs: &Pairs, is_neutral: &dyn Fn(&Inst) -> bool) -> Result<(), Difference> {
        let mut values = Values::default();
        for step in &self.steps {
            let of = |items: &'_ [Item], n: Option<usize>| {
                let item = items.get(n?)?;
                Some((item.address, item.inst?))
            };
            let (old, new) = (of(&self.old, step.old), of(&self.new, step.new));
            match (old, new) {
                (Some((old, one)), Some((new, other))) => {
                    let unlike = Difference::Branch { old };
                    match (one.branch_target(old), other.branch_target(new)) {
                        (Some(goal), Some(there)) if self.leads(pairs, goal, there) => {}
                        (None, None) => {}
                        _ => return Err(unlike),
                    }
                    if pairs.inst(old) != Some(new) {
                        return Err(Difference::Instruction { old, new });
                    }
                    values.step(pairs, (old, &one), (new, &other))?;
                }
                // The remaining steps are neutral instructions that only one file has, and bytes that are not an
                // instruction.
                (None, Some((_, inst))) | (Some((_, inst)), None) if is_neutral(&inst) => values.neutral(&inst),
                _ => values = Values::default(),
            }
        }
        Ok(())
    }
}
