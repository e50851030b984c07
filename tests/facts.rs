//! The properties of an instruction besides its operands are those in LLVM's instruction descriptions, for every
//! operation of every target in all its forms, or tests/facts/differences.txt lists the difference with its reason.
//!
//! `tests/facts/llvm.txt` has the descriptions; `tests/facts/describe.sh` writes it.
#![cfg(all(feature = "all-targets", feature = "text"))]

mod snapshot;
mod types;
use crate::{llvm_mc, words};

use amdgpu_isa::check::RuleError;
use amdgpu_isa::facts::{Counter, RegSet, Space};
use amdgpu_isa::{Access, Field, Format, Inst, Opcode, Operand, Reg, Target, Value, decode};
use snapshot::{Description, Snapshot};
use std::collections::{BTreeMap, BTreeSet};
use words::{Filling, Rng, attempt, encodings, layout, legal, repair};

/// Operations of the GCN pages that LLVM lacks: see tests/operands.rs.
const LLVM_LACKS: [&str; 3] = ["s_getreg_regrd_b32", "s_mov_fed_b32", "s_mov_regrd_b32"];

/// The fields that change the access of an operation: to LDS, to GDS, or to an atomic operation that returns the old
/// value.
const OTHER_FORMS: [Field; 5] = [Field::Lds, Field::Gds, Field::Glc, Field::Sc0, Field::Th];

const LITERALS: [Format; 2] = [Format::Literal, Format::Literal64];

/// Whether a field is set and changes the access of the operation.
fn has_form(inst: &Inst, field: Field) -> bool {
    let returns = matches!(field, Field::Glc | Field::Sc0 | Field::Th);
    inst.get(field) == Some(1) && (!returns || inst.flags().is_atomic())
}

/// The operation's name, or both names of an instruction that has two operations.
fn name(inst: &Inst) -> String {
    let second = inst.second_opcode().map_or(String::new(), |second| format!("::{second}"));
    format!("{}{second}", inst.opcode())
}

/// The encodings of all operations of a target, and of all pairs of them where an instruction has two.
fn operations(target: Target) -> Vec<(Format, u16, Opcode, Option<Opcode>)> {
    let is_dual = |format: Format| [Format::Vopd, Format::Vopd3].contains(&format);
    let (pairs, single): (Vec<_>, Vec<_>) = encodings(target).into_iter().partition(|e| is_dual(e.0));
    let mut found: Vec<_> = single.into_iter().map(|(format, number, opcode)| (format, number, opcode, None)).collect();
    // The first operation's number is in the low bits, and the second one's above them. Some can only be second, and
    // those on 64 bits only first.
    for (format, bits) in [(Format::Vopd, 4), (Format::Vopd3, 6)] {
        let pairs = || pairs.iter().filter(move |e| e.0 == format);
        let first = |number: u16| number >> bits == 0;
        let second = |number: u16| if first(number) { number << bits } else { number };
        for (_, number, opcode) in pairs().filter(|e| first(e.1)) {
            let seconds = pairs().filter(|e| !e.2.name().ends_with("_f64"));
            found.extend(seconds.map(|e| (format, number | second(e.1), *opcode, Some(e.2))));
        }
    }
    found
}

/// An instruction of every operation in every form on which properties can depend, and the name of the form: the
/// format, with the field that changes the access, or with the trailing dword.
fn all(target: Target) -> Vec<(String, Inst)> {
    let mut rng = Rng(1);
    let mut found = Vec::new();
    for (format, number, opcode, second) in operations(target) {
        // LLVM's assembler must accept the instruction: few scalars, and as many components as an atomic has data.
        let vector = format.name().starts_with("VOP");
        let scalar =
            |o: &Operand| vector && matches!(o.value, Value::Reg(Reg::Sgpr(_) | Reg::Ttmp(_) | Reg::Special(_)));
        let ones = |i: &Inst| i.words().iter().map(|w| w.count_ones()).sum::<u32>();
        // An instruction with a value that its operation cannot have may be taken: the value is changed below, or does
        // not matter.
        let breaks_rule = |i: &Inst| i.check().is_err_and(|rule| !matches!(rule, RuleError::Value { .. }));
        let plain = |i: &&Inst| (breaks_rule(i), i.operands().filter(scalar).count(), ones(i));
        let made = legal(target, (format, number, opcode), 12, &mut rng);
        let same = |i: &&Inst| i.opcode() == opcode && i.second_opcode() == second;
        let inst = *made.iter().filter(same).min_by_key(plain).unwrap();
        let inst = inst.with(Field::Lds, 0).unwrap_or(inst);
        let double = inst.operands().next().is_some_and(|data| data.bits == 64);
        let inst = inst.with(Field::Dmask, if double { 3 } else { 1 }).unwrap_or(inst);
        // The destination becomes a register that is not a source, if it is a vector register.
        let places = [250, 200, 150].into_iter().flat_map(|n| [(Field::Vdst, n), (Field::Vdata, n)]);
        let is_free = |i: &Inst, field| !registers(i, |o| o.role == Some(field)).intersects(&named(i, Access::Read));
        let moved = |i: Inst, (field, n)| i.with(field, n).ok().filter(|i| is_free(i, field));
        let elsewhere = |i: Inst| places.clone().find_map(|place| moved(i, place)).unwrap_or(i);
        let inst = elsewhere(inst);
        // LLVM takes every hardware register for the mode.
        let names_hwreg = opcode.name().starts_with("s_getreg") || opcode.name().starts_with("s_setreg");
        let inst = inst.with(Field::Simm16, 1).ok().filter(|_| names_hwreg).unwrap_or(inst);
        let mut add = |form: &str, inst: Inst| found.push((format!("{format}{form}"), inst));
        // Some operations are always in one of these forms, and have no plain form.
        if !OTHER_FORMS.iter().any(|field| has_form(&inst, *field)) {
            add("", inst);
        }
        for field in OTHER_FORMS {
            let other = inst.with(field, 1).ok().filter(|i| i.is_canonical() && has_form(i, field));
            other.into_iter().for_each(|other| add(&format!(".{field}"), other));
        }
        let base = layout(target, format);
        for extension in base.extends.iter().filter(|e| !LITERALS.contains(&e.format)) {
            let tries = (0..40).map(|n| if n == 0 { Filling::Zero } else { Filling::Typical });
            let made = tries.filter_map(|filling| {
                let mut words = attempt(target, base, number, Some(extension), filling, &mut rng);
                repair(target, &mut words, &mut rng)
            });
            let of_form = |i: &Inst| i.opcode() == opcode && i.extension() == Some(extension.format);
            // The instruction writes all of its destination, except that DPP does not write all lanes.
            let zero = |i: Inst, field: &Field| i.with(*field, 0).unwrap_or(i);
            let zeros = [Field::Tfe, Field::Lwe, Field::D16, Field::RowMask];
            let made = made.filter(of_form).map(|i| zeros.iter().fold(elsewhere(i), zero));
            made.take(1).for_each(|inst| add(&format!("+{}", extension.format), inst));
        }
    }
    found
}

/// Properties by LLVM's names: flags, counters, implicit registers (`r:exec`, `w:vcc`), `tied` for a destination that
/// is read, `out2` if two operands in the text are written, and `address4` if an image operation reads up to four
/// address registers. Swaps with another operation are not included.
fn ours(inst: &Inst) -> BTreeSet<String> {
    let (flags, counters) = (inst.flags(), inst.counters());
    let named = [
        ("load", flags.is_load()),
        ("store", flags.is_store()),
        ("branch", flags.is_branch()),
        ("indirect", flags.is_indirect_branch()),
        ("terminator", flags.is_terminator()),
        ("barrier", flags.no_fallthrough()),
        ("call", flags.is_call()),
        ("return", flags.is_return()),
        ("convergent", flags.is_convergent()),
        ("effects", flags.has_side_effects()),
        ("commute", flags.is_commutable()),
        ("fpexcept", flags.may_raise_fp()),
        ("compare", flags.is_compare()),
        ("vmcnt", counters.contains(Counter::Vmcnt)),
        ("expcnt", counters.contains(Counter::Expcnt)),
        ("lgkmcnt", counters.contains(Counter::Lgkmcnt)),
        ("vscnt", counters.contains(Counter::Vscnt)),
        ("loadcnt", counters.contains(Counter::Loadcnt)),
        ("storecnt", counters.contains(Counter::Storecnt)),
        ("samplecnt", counters.contains(Counter::Samplecnt)),
        ("bvhcnt", counters.contains(Counter::Bvhcnt)),
        ("dscnt", counters.contains(Counter::Dscnt)),
        ("kmcnt", counters.contains(Counter::Kmcnt)),
        ("tied", reads_destination(inst)),
        ("atomic", flags.is_atomic()),
        ("trans", flags.is_trans()),
        ("packed", flags.is_packed()),
        ("matrix", flags.is_mfma() || flags.is_smfmac()),
        ("dot", flags.is_dot()),
    ];
    let mut found: BTreeSet<String> = named.iter().filter(|n| n.1).map(|n| n.0.to_string()).collect();
    let shown = |o: &Operand| o.role.is_some_and(|field| field != Field::Vcc) && o.access.writes();
    match inst.operands().filter(shown).count() {
        0 => {}
        outs => _ = found.insert(format!("out{outs}")),
    }
    // LLVM describes these counters as registers, and no flag shows them.
    for (name, counter) in [("asynccnt", Counter::Asynccnt), ("tensorcnt", Counter::Tensorcnt)] {
        let raised = counters.contains(counter).then(|| ["r", "w"].map(|access| format!("{access}:{name}")));
        found.extend(raised.into_iter().flatten());
    }
    // LLVM's descriptions have up to four address registers, up to eight, or each number from nine on.
    let rounded = |n: usize| if n > 8 { n } else { n.next_power_of_two().max(4) };
    found.extend(address_registers(inst).map(|n| format!("address{}", rounded(n))));
    for operand in inst.operands().filter(|o| o.role.is_none() || o.role == Some(Field::Vcc)) {
        let name = match operand.value {
            Value::Reg(Reg::FlatScratch) => "flat_scr".into(),
            // LLVM describes the masks as pairs, whatever the size of the waves.
            Value::Reg(Reg::VCC_LO) => "vcc".into(),
            Value::Reg(Reg::EXEC_LO) => "exec".into(),
            Value::Reg(reg) => format!("{reg:?}").to_lowercase(),
            other => panic!("{inst:?}: {other:?}"),
        };
        found.extend(operand.access.reads().then(|| format!("r:{name}")));
        found.extend(operand.access.writes().then(|| format!("w:{name}")));
    }
    found
}

/// The number of registers that `reads()` has for an image address: the greatest one for any dimensions, if the words
/// have dimensions. `None` if the operation has no such address, or names each register.
fn address_registers(inst: &Inst) -> Option<usize> {
    const ADDRESS: u16 = 100;
    /// The dimensions of images without samples, on which every operation works.
    const DIMENSIONS: [u32; 6] = [0, 1, 2, 3, 4, 5];
    let inst = inst.with(Field::Vdata, 0).and_then(|inst| inst.with(Field::Vaddr, ADDRESS.into()));
    let inst = inst.ok().filter(|inst| inst.format() == Format::Mimg && inst.extension().is_none())?;
    let sized = DIMENSIONS.iter().filter_map(|dim| inst.with(Field::Dim, *dim).ok());
    let count = |inst: &Inst| inst.reads().iter().filter(|reg| matches!(reg, Reg::Vgpr(ADDRESS..))).count();
    sized.chain([inst]).map(|inst| count(&inst)).max()
}

/// The registers of the operands that the text shows, without vcc.
fn named(inst: &Inst, access: Access) -> RegSet {
    let is_named = |o: &Operand| o.role.is_some_and(|f| f != Field::Vcc) && o.access == access;
    registers(inst, is_named)
}

fn registers(inst: &Inst, which: impl Fn(&Operand) -> bool) -> RegSet {
    inst.operands().filter(which).fold(RegSet::new(inst.target()), |mut set, operand| {
        set.insert_operand(&operand);
        set
    })
}

fn reads_destination(inst: &Inst) -> bool {
    let other = named(inst, Access::Read) | registers(inst, |o| o.role.is_none());
    let only_written = named(inst, Access::Write) - other;
    !named(inst, Access::ReadWrite).is_empty() || inst.reads().intersects(&only_written)
}

/// The name of the operation with swapped sources; `None` if it is the same operation.
fn partner(inst: &Inst) -> Option<&'static str> {
    // A single instruction may have sources that cannot be swapped, so many are tried.
    let mut rng = Rng(3);
    let encoding = encodings(inst.target()).into_iter().find(|e| e.0 == inst.format() && e.2 == inst.opcode());
    let tries = legal(inst.target(), encoding.expect("it has one"), 300, &mut rng);
    let swapped = tries.iter().find_map(|i| i.commuted().ok())?;
    (swapped.opcode() != inst.opcode()).then(|| swapped.opcode().name())
}

/// A line of tests/facts/differences.txt.
struct Class {
    name: &'static str,
    reason: &'static str,
    /// The properties that differ: `+load` if only the library has `load`, `-load` if only LLVM has it.
    properties: Vec<&'static str>,
    /// Forms, targets and operations; `*` matches anything, and a leading `!` excludes.
    forms: Vec<&'static str>,
    targets: Vec<&'static str>,
    operations: Vec<&'static str>,
    example: (&'static str, &'static str),
}

/// Whether a text matches a pattern, in which `*` stands for anything.
fn is_like(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((start, rest)) => {
            let Some(left) = text.strip_prefix(start) else { return false };
            (0..=left.len()).any(|skipped| is_like(rest, &left[skipped..]))
        }
    }
}

fn one_of(list: &[&str], text: &str) -> bool {
    let (except, of): (Vec<&str>, Vec<&str>) = list.iter().partition(|p| p.starts_with('!'));
    of.iter().any(|p| is_like(p, text)) && !except.iter().any(|p| is_like(&p[1..], text))
}

impl Class {
    fn holds(&self, property: &str, form: &str, inst: &Inst) -> bool {
        one_of(&self.properties, property)
            && one_of(&self.forms, form)
            && one_of(&self.targets, inst.target().name())
            && one_of(&self.operations, &name(inst))
    }
}

fn classes() -> Vec<Class> {
    let list = |s: &'static str| s.split_whitespace().collect::<Vec<_>>();
    let mut found: Vec<Class> = Vec::new();
    for line in include_str!("facts/differences.txt").lines().filter(|l| !l.starts_with('#') && !l.is_empty()) {
        let cells: Vec<&'static str> = line.split('|').map(str::trim).collect();
        let [name, properties, forms, targets, operations, example, reason] = cells[..] else {
            panic!("differences.txt: seven cells expected: {line}")
        };
        let example = example.split_once(' ').unwrap_or_else(|| panic!("{name}: an example is a target and bytes"));
        assert!(!reason.is_empty(), "{name}: why?");
        let (properties, forms) = (list(properties), list(forms));
        let (targets, operations) = (list(targets), list(operations));
        found.push(Class { name, reason, properties, forms, targets, operations, example });
    }
    found
}

/// The properties that only one of the two has.
fn difference(ours: &BTreeSet<String>, llvm: &BTreeSet<String>) -> Vec<String> {
    let only = |sign, a: &BTreeSet<String>, b: &BTreeSet<String>| -> Vec<String> {
        a.difference(b).map(|property| format!("{sign}{property}")).collect()
    };
    [only('+', ours, llvm), only('-', llvm, ours)].concat()
}

#[test]
fn facts_are_those_of_llvm_or_the_difference_is_listed() {
    let snapshot = Snapshot::read();
    let classes = classes();
    let mut met = vec![0usize; classes.len()];
    let mut shown = vec![false; classes.len()];
    let mut unlisted: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    // Instructions that a class names although LLVM agrees about the property: the class would hide a later error
    // there.
    let mut without: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let (mut asked, mut unknown) = (0, BTreeSet::new());
    for target in llvm_mc::targets() {
        for (form, inst) in all(target).into_iter().filter(|(_, inst)| llvm_mc::has(inst.opcode())) {
            let name = name(&inst);
            let Some(llvm) = snapshot.find(target.name(), &form, &name) else {
                unknown.insert(name);
                continue;
            };
            asked += 1;
            let found = difference(&ours(&inst), llvm.properties());
            for class in &classes {
                let all_that_it_names = class.properties.iter().filter(|p| class.holds(p, &form, &inst));
                for property in all_that_it_names.filter(|p| !found.iter().any(|f| f == *p)) {
                    let key = format!("{} {property}", class.name);
                    without.entry(key).or_default().insert(format!("{form} {name}"));
                }
            }
            for property in found {
                match classes.iter().position(|c| c.holds(&property, &form, &inst)) {
                    Some(n) => met[n] += 1,
                    None => {
                        let bytes: String = words::bytes(inst.words()).iter().map(|b| format!("{b:02x}")).collect();
                        let key = format!("{property} {form}");
                        unlisted.entry(key).or_default().insert(format!("{name}@{target}:{bytes}"));
                    }
                }
            }
        }
    }
    for (key, found) in &unlisted {
        println!("{key}: {} {:?}", found.len(), found.iter().take(40).collect::<Vec<_>>());
    }
    for (key, found) in &without {
        println!("{key}, but not here: {} {:?}", found.len(), found.iter().take(40).collect::<Vec<_>>());
    }
    for (n, class) in classes.iter().enumerate() {
        let (target, hex) = class.example;
        let target: Target = target.parse().unwrap_or_else(|_| panic!("{}: {target} is no target", class.name));
        let bytes: Vec<u8> = (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..][..2], 16).unwrap()).collect();
        let inst = decode(target, &bytes).unwrap_or_else(|e| panic!("{}: {e}", class.name));
        assert_eq!(inst.len(), bytes.len(), "{}", class.name);
        let form = form(&inst);
        let llvm = snapshot.find(target.name(), &form, &name(&inst)).expect(class.name);
        let found = difference(&ours(&inst), llvm.properties());
        shown[n] = found.iter().any(|property| class.holds(property, &form, &inst));
    }
    for (class, (met, shown)) in classes.iter().zip(met.iter().zip(&shown)) {
        println!("{met:6} {}: {}", class.name, class.reason);
        assert!(*met > 0, "{} is no difference any more", class.name);
        assert!(shown, "{}: its example does not show it", class.name);
    }
    assert!(unlisted.is_empty(), "{} kinds of differences are not listed", unlisted.len());
    assert!(without.is_empty(), "{} classes name operations that do not differ", without.len());
    assert_eq!(unknown, BTreeSet::from(LLVM_LACKS.map(str::to_string)));
    println!("{asked} operations and forms of {} targets", Target::ALL.len());
    assert!(asked > 60_000, "only {asked}");
}

/// The format of the dword after the base words, if it makes another form of the operation, which a constant does not.
fn extension(inst: &Inst) -> Option<Format> {
    inst.extension().filter(|e| !LITERALS.contains(e))
}

/// The form of an instruction, in the notation of `all`.
fn form(inst: &Inst) -> String {
    let field = OTHER_FORMS.into_iter().find(|f| has_form(inst, *f)).map_or(String::new(), |f| format!(".{f}"));
    let extension = extension(inst).map_or(String::new(), |e| format!("+{e}"));
    format!("{}{field}{extension}", inst.format())
}

/// The memory accesses of an operation, by its format, its form and its name: the space, and whether it is read (r),
/// written (w) or both.
fn expected_memory(form: &str, inst: &Inst) -> Vec<(Space, String)> {
    let name = inst.opcode().name();
    let space = match form.split(['.', '+']).next().expect("a format") {
        "DS" if form.ends_with(".gds") => Space::Gds,
        "DS" | "LDSDIR" => Space::Lds,
        "MUBUF" | "MTBUF" | "VBUFFER" => Space::Buffer,
        "MIMG" | "VIMAGE" | "VSAMPLE" => Space::Image,
        "SMEM" | "SMRD" => Space::Scalar,
        "FLAT" | "VFLAT" => Space::Flat,
        "GLOBAL" | "VGLOBAL" => Space::Global,
        "SCRATCH" | "VSCRATCH" => Space::Scratch,
        "EXP" => Space::Export,
        _ => return Vec::new(),
    };
    if form.ends_with(".lds") || name.contains("_lds_") || name.ends_with("_lds") {
        let stores = name.contains("store_lds") || name.contains("_from_lds");
        let (there, lds) = if stores { ("w", "r") } else { ("r", "w") };
        return vec![(space, there.into()), (Space::Lds, lds.into())];
    }
    let flags = inst.flags();
    let access: String =
        [("r", flags.is_load()), ("w", flags.is_store())].iter().filter(|a| a.1).map(|a| a.0).collect();
    if access.is_empty() { Vec::new() } else { vec![(space, access)] }
}

/// LLVM's descriptions tell whether an operation loads, stores and is atomic. The space follows from the form of the
/// operation.
#[test]
fn memory_is_that_of_the_form() {
    let (mut seen, mut faults) = (BTreeMap::new(), Vec::new());
    for &target in Target::ALL {
        for (form, inst) in all(target) {
            let access = |access: Access| match access {
                Access::Read => "r",
                Access::Write => "w",
                Access::ReadWrite => "rw",
            };
            let found: Vec<_> = inst.memory().map(|m| (m.space, access(m.access).to_string())).collect();
            let expected = expected_memory(&form, &inst);
            if found != expected {
                faults.push(format!("{form} {inst:?}: {found:?}, and {expected:?} was expected"));
            }
            let atomic: Vec<bool> = inst.memory().map(|m| m.atomic).collect();
            if !atomic.iter().all(|a| *a == inst.flags().is_atomic()) && !form.contains("lds") {
                faults.push(format!("{form} {inst:?}: atomic, or not"));
            }
            found.into_iter().for_each(|m| *seen.entry(m.0).or_insert(0) += 1);
        }
    }
    println!("{seen:?}");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(seen.len() == 9 && seen.values().all(|n| *n >= 9), "{seen:?}");
}

#[test]
fn swaps_are_those_of_llvm() {
    let snapshot = Snapshot::read();
    let (mut pairs, mut faults) = (0, Vec::new());
    let bare = |name: &'static str| {
        let name = name.trim_start_matches('!').trim_end_matches("_e32").trim_end_matches("_e64");
        name.trim_end_matches("_nosdst").trim_end_matches("_t16")
    };
    for &target in Target::ALL {
        for (form, inst) in all(target).into_iter().filter(|(form, _)| !form.contains(['+', '.'])) {
            // Only some operations are tried, because each needs hundreds of instructions.
            if !words::is_tried(target, inst.opcode(), 16) {
                continue;
            }
            let name = inst.opcode().name();
            let Some(llvm) = snapshot.find(target.name(), &form, name) else { continue };
            // Base names are compared, whatever the spelling of the target is.
            let theirs = llvm.partner.filter(|p| !p.starts_with('!'));
            let ours = partner(&inst);
            pairs += usize::from(ours.is_some());
            let same = |a: &str, b: &str| a == b || a.replace("_co_", "_") == b.replace("_co_", "_");
            let good = match (ours, theirs) {
                (Some(a), Some(b)) => same(a, bare(b)),
                (None, None) => true,
                // LLVM's tables lack the pairs of some forms, but not of their operations.
                (Some(a), None) => snapshot.partners(name).any(|b| same(a, bare(b))),
                (None, Some(_)) => false,
            };
            if !good {
                faults.push(format!("{target} {form} {name}: {ours:?}, and {theirs:?} in LLVM"));
            }
        }
    }
    println!("{pairs} swaps with another operation");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(pairs > if words::is_full() { 1_000 } else { 250 }, "only {pairs}");
}

/// Writes the words that tests/facts/describe.sh passes to LLVM.
#[test]
#[ignore = "writes a file for tests/facts/describe.sh"]
fn words_for_llvm() {
    let mut text = String::new();
    for &target in Target::ALL {
        for (form, inst) in all(target) {
            let bytes: String = words::bytes(inst.words()).iter().map(|b| format!("{b:02x}")).collect();
            text += &format!("{form} {}\t{target}\t{bytes}\t{inst}\n", name(&inst));
        }
    }
    std::fs::write(std::env::var("AMDGPU_ISA_FACTS").expect("the file's name"), text).unwrap();
}

/// Writes a summary of LLVM's answers.
#[test]
#[ignore = "reads a file of tests/facts/describe.sh"]
fn snapshot_of_llvm() {
    let answers = std::fs::read_to_string(std::env::var("AMDGPU_ISA_FACTS").expect("the file's name")).unwrap();
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/facts");
    std::fs::write(format!("{directory}/llvm.txt"), snapshot::text(&answers)).unwrap();
    std::fs::write(format!("{directory}/operands.txt"), snapshot::operands(&answers)).unwrap();
}

#[test]
fn a_description_is_read_as_it_was_written() {
    let answers = "VOP2 v_x\tgfx600\teffects r:exec w:-\tcommute,load r:exec,mode w:vcc\tv_y\tw32 r32:f32\nVOP2 v_z\tgfx600\tunknown\n";
    let text = snapshot::text(answers);
    let read = Snapshot::of(Box::leak(text.into_boxed_str()));
    let found = read.find("gfx600", "VOP2", "v_x").unwrap();
    let expected: BTreeSet<String> = ["commute", "load", "r:exec", "r:mode", "w:vcc"].map(str::to_string).into();
    assert_eq!((found.properties(), found.partner), (&expected, Some("v_y")));
    assert_eq!(found.real, BTreeSet::from(["effects".to_string(), "r:exec".to_string()]));
    assert!(read.find("gfx600", "VOP2", "v_z").is_none());
    let _: &Description = found;
    assert!(snapshot::operands(answers).ends_with("= w32 r32:f32\ngfx600 VOP2: v_x\n"));
}
