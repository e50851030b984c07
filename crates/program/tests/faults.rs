//! The proof of a changed program notices faults of the code that changed the program: bits that are changed at random,
//! and typical faults of such code.

use std::path::{Path, PathBuf};

use amdgpu_isa::{Decoded, Decoder, Inst, Target, parse};
use amdgpu_object::elf::{self, File};
use amdgpu_object::{Error, Image, Part, Section};
use amdgpu_program::{Difference, Edits, Placed, rewrite, validate};

/// The number of bits that are changed in each file; fifty times as many in the full run.
const FLIPS: u64 = 60;

/// The samples for the targets of this build.
fn samples() -> Vec<(Target, PathBuf)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/samples");
    let mut all = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().replace("-wave64", ":wave64");
        let Ok(target) = name.parse::<Target>() else { continue };
        let files = std::fs::read_dir(&path).unwrap().map(|file| file.unwrap().path());
        all.extend(files.filter(|file| file.extension().is_some_and(|e| e == "co")).map(|file| (target, file)));
    }
    all.sort();
    assert!(!all.is_empty());
    all
}

fn image(file: &[u8], mut each: impl FnMut(&Image<'_>)) {
    let visited = amdgpu_object::visit(file, None, |part| {
        if let Part::Image(image) = part {
            each(&image);
        }
        Ok::<(), Error>(())
    });
    visited.unwrap();
}

fn is_neutral(inst: &Inst) -> bool {
    inst.mnemonic() == "s_nop"
}

fn insts<'a>(section: &'a Section<'_>, target: Target) -> impl Iterator<Item = (u64, Inst)> + 'a {
    section.functions(0).flat_map(move |function| {
        let address = section.address + function.start as u64;
        let code = Decoder::new(section.target_at(target, function.start), &section.bytes[function]);
        code.filter_map(move |Decoded { offset, inst }| Some((address + offset as u64, inst.ok()?)))
    })
}

/// The file with an `s_nop` inserted before every seventh instruction that is not padding.
fn grown(file: &[u8], target: Target) -> Vec<u8> {
    let nop = parse(target, "s_nop 5").unwrap();
    let mut new = Vec::new();
    image(file, |image| {
        let mut edits = Edits::default();
        let section = &image.sections[0];
        let all: Vec<_> = insts(section, target).collect();
        let is_padding =
            |n: usize| [n.wrapping_sub(1), n + 1].iter().any(|m| all.get(*m).is_some_and(|(_, i)| *i == all[n].1));
        let places = (0..all.len()).step_by(7).filter(|n| !is_padding(*n));
        places.for_each(|n| edits.insert(all[n].0, &[nop]));
        image.kernels().for_each(|kernel| edits.keep(section.address, kernel.address, 0));
        new = rewrite(image, target, &edits).unwrap();
    });
    new
}

/// The code of a file, and its instructions.
fn code(file: &[u8], target: Target) -> (usize, u64, Vec<(u64, Inst)>) {
    let mut found = (0, 0, Vec::new());
    image(file, |image| {
        let section = &image.sections[0];
        let offset = section.bytes.as_ptr() as usize - image.bytes.as_ptr() as usize;
        found = (offset, section.address, insts(section, target).collect());
    });
    found
}

/// Whether a byte of a file is in a table or section, so that it has a meaning.
fn has_meaning(file: &[u8], at: usize) -> bool {
    let parsed = File::parse(file).unwrap();
    let (sections, segments) = (parsed.sections().0, parsed.segments().0);
    let within = |from: u64, len: u64| (from..from + len).contains(&(at as u64));
    within(0, 64)
        || within(parsed.section_header(0), 64 * sections.len() as u64)
        || within(parsed.segment_header(0), 56 * segments.len() as u64)
        || sections.iter().any(|s| s.kind != elf::SHT_NOBITS && within(s.offset, s.size))
}

/// A changed bit of the new file is noticed, unless it has no meaning, is in a neutral instruction, or makes a branch
/// lead to another neutral instruction of the same run.
#[test]
fn changed_bits_are_noticed() {
    let (mut random, mut noticed, mut all) = (0x9e37_79b9_7f4a_7c15u64, 0u32, 0u32);
    for (target, path) in samples() {
        let file = std::fs::read(&path).unwrap();
        let new = grown(&file, target);
        assert_eq!(validate(&file, &new, target, is_neutral), Ok(()), "{}", path.display());
        let (offset, address, insts) = code(&new, target);
        for _ in 0..FLIPS * if std::env::var_os("AMDGPU_ISA_FULL").is_some() { 50 } else { 1 } {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let (at, bit) = ((random >> 8) as usize % new.len(), random as u8 % 8);
            let mut wrong = new.clone();
            wrong[at] ^= 1 << bit;
            all += 1;
            if validate(&file, &wrong, target, is_neutral).is_err() {
                noticed += 1;
                continue;
            }
            let here = address.wrapping_add((at as u64).wrapping_sub(offset as u64));
            let inst = insts.iter().rev().find(|(start, inst)| (*start..*start + inst.len() as u64).contains(&here));
            let excuse = match inst {
                Some((_, inst)) if is_neutral(inst) => true,
                // A branch to the first of several neutral instructions can also lead to the next one.
                Some((start, inst)) if inst.branch_target(*start).is_some() => {
                    let goals = [&new, &wrong].map(|file| {
                        let (_, _, insts) = code(file, target);
                        let (_, inst) = insts.into_iter().find(|(at, _)| at == start).unwrap();
                        inst.branch_target(*start).unwrap()
                    });
                    let between = |at: &u64| goals.iter().min() <= Some(at) && Some(at) < goals.iter().max();
                    insts.iter().filter(|(at, _)| between(at)).all(|(_, inst)| is_neutral(inst))
                }
                _ => !has_meaning(&new, at),
            };
            assert!(excuse, "{}: bit {bit} of byte {at:#x} is not noticed ({inst:?})", path.display());
        }
    }
    assert!(noticed > all / 2, "{noticed} of {all}");
}

/// A fault, and the difference that the proof has to report.
type Fault = (&'static str, fn(&mut [u8], Target) -> bool, fn(&Difference) -> bool);

/// The faults. Each is made in the new file, if the file has a place for it.
const FAULTS: [Fault; 6] = [
    ("a branch off by one", branch_off_by_one, |difference| matches!(difference, Difference::Branch { .. })),
    ("an instruction dropped", instruction_dropped, |difference| {
        matches!(difference, Difference::Instruction { .. } | Difference::Branch { .. } | Difference::Address { .. })
    }),
    ("two instructions in the wrong order", instructions_swapped, |difference| {
        matches!(difference, Difference::Instruction { .. })
    }),
    (
        // In a file without a symbol table, only the descriptors name the kernels.
        "a descriptor's entry",
        |file, _| descriptor(file, 16),
        |difference| matches!(difference, Difference::Descriptor { .. } | Difference::Instruction { .. }),
    ),
    (
        "a descriptor's registers",
        |file, _| descriptor(file, 48),
        |difference| matches!(difference, Difference::Descriptor { .. }),
    ),
    ("a symbol left behind", symbol_left_behind, |difference| {
        matches!(difference, Difference::Symbol { .. } | Difference::Instruction { .. })
    }),
];

fn words(file: &mut [u8], at: usize, words: &[u32]) {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    file[at..].iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
}

fn branch_off_by_one(file: &mut [u8], target: Target) -> bool {
    let (offset, address, insts) = code(file, target);
    let is_real = |goal: u64| insts.iter().any(|(at, inst)| *at == goal && !is_neutral(inst) && inst.len() == 4);
    let found = insts.iter().find_map(|(at, inst)| {
        let goal = inst.branch_target(*at).filter(|goal| is_real(*goal))?;
        Some((*at, inst.with_branch_target(*at, goal + 4).ok()?))
    });
    let Some((at, moved)) = found else { return false };
    words(file, offset + (at - address) as usize, moved.words());
    true
}

fn instruction_dropped(file: &mut [u8], target: Target) -> bool {
    let (offset, address, insts) = code(file, target);
    let nop = parse(target, "s_nop 0").unwrap();
    let (at, inst) = insts.iter().rev().find(|(_, inst)| !is_neutral(inst)).unwrap();
    (0..inst.words().len()).for_each(|n| words(file, offset + (at - address) as usize + 4 * n, nop.words()));
    true
}

fn instructions_swapped(file: &mut [u8], target: Target) -> bool {
    let (offset, address, insts) = code(file, target);
    let is_plain = |inst: &Inst| !is_neutral(inst) && inst.len() == 4 && inst.branch_target(0).is_none();
    let pairs = insts.windows(2).find(|two| two.iter().all(|(_, i)| is_plain(i)) && two[0].1 != two[1].1);
    let Some([(at, one), (_, other)]) = pairs else { return false };
    words(file, offset + (at - address) as usize, &[other.words()[0], one.words()[0]]);
    true
}

/// Changes a dword of the first kernel descriptor.
fn descriptor(file: &mut [u8], at: usize) -> bool {
    let parsed = File::parse(file).unwrap();
    let (sections, _) = parsed.sections();
    let names = parsed.section_names(&sections);
    let data = sections.iter().find(|section| elf::text(names, section.name) == Some(b".rodata"));
    let Some(section) = data else { return false };
    let at = section.offset as usize + at;
    file[at + 1] ^= 1;
    true
}

/// Gives the last function symbol the address that it would have without the last inserted instruction.
fn symbol_left_behind(file: &mut [u8], _: Target) -> bool {
    let parsed = File::parse(file).unwrap();
    let (sections, _) = parsed.sections();
    let table = sections.iter().find(|section| section.kind == elf::SHT_DYNSYM).unwrap();
    let code = sections.iter().position(|section| section.is_code()).unwrap();
    let symbols: Vec<_> = parsed.symbols(parsed.contents(table).bytes).collect();
    let Some(n) = symbols.iter().rposition(|symbol| usize::from(symbol.section) == code) else { return false };
    let at = table.offset as usize + 24 * n + 8;
    let moved = symbols[n].address.wrapping_sub(4);
    file[at..at + 8].copy_from_slice(&moved.to_le_bytes());
    true
}

#[test]
fn planted_faults_are_named_on_every_target() {
    let mut made = [0; FAULTS.len()];
    for (target, path) in samples() {
        let file = std::fs::read(&path).unwrap();
        let new = grown(&file, target);
        for (n, (what, fault, is_said)) in FAULTS.iter().enumerate() {
            let mut wrong = new.clone();
            if !fault(&mut wrong, target) {
                continue;
            }
            made[n] += 1;
            let difference = validate(&file, &wrong, target, is_neutral).expect_err(what);
            assert!(is_said(&difference), "{}: {what}: {difference}", path.display());
        }
    }
    let targets = samples().into_iter().map(|(target, _)| target).collect::<std::collections::BTreeSet<_>>().len();
    assert!(made.iter().all(|made| *made >= targets), "{made:?} of {targets}");
}

/// A file stays the same, byte for byte, without a change and with changes that are undone.
#[test]
fn what_is_not_changed_stays() {
    for (target, path) in samples() {
        let file = std::fs::read(&path).unwrap();
        image(&file, |image| assert!(rewrite(image, target, &Edits::default()).unwrap() == file, "{}", path.display()));
        // 64 instructions fill 256 bytes, so that no alignment adds padding.
        let nop = parse(target, "s_nop 5").unwrap();
        let (mut longer, mut again) = (Vec::new(), Vec::new());
        image(&file, |image| {
            let (mut edits, last) = (Edits::default(), insts(&image.sections[0], target).last().unwrap().0);
            edits.insert(last, &[nop; 64]);
            longer = rewrite(image, target, &edits).unwrap();
        });
        image(&longer, |image| {
            let mut edits = Edits::default();
            let added = insts(&image.sections[0], target).filter(|(_, inst)| *inst == nop);
            added.for_each(|(at, inst)| edits.replace(amdgpu_program::Slot::At(at), &inst, None));
            again = rewrite(image, target, &edits).unwrap();
        });
        assert!(again == file, "{}", path.display());
    }
}

/// An object for a linker with an instruction inserted before every second one.
fn grown_object(old: &[u8]) -> Vec<u8> {
    let (nop, mut edits) = (parse(Target::Gfx942, "s_nop 5").unwrap(), Edits::default());
    let placed = Placed::new(old).unwrap().unwrap();
    image(placed.bytes(), |image| {
        for section in &image.sections {
            let places = insts(section, Target::Gfx942).skip(1).step_by(2);
            places.for_each(|(address, _)| edits.insert(address, &[nop]));
        }
    });
    placed.rewrite(Target::Gfx942, &edits).unwrap()
}

/// Checks that a changed bit in the relocations or symbols of an object for a linker with inserted instructions is
/// noticed. Returns the number of bits.
fn check_each_bit(old: &[u8]) -> usize {
    let new = grown_object(old);
    assert_eq!(validate(old, &new, Target::Gfx942, is_neutral), Ok(()));
    let parsed = File::parse(&new).unwrap();
    let (sections, names) = (parsed.sections().0, parsed.section_names(&parsed.sections().0));
    let name = |section: &elf::Section| elf::text(names, section.name).unwrap();
    let (mut bits, mut unnoticed) = (0, Vec::new());
    for section in
        sections.iter().filter(|section| [elf::SHT_RELA, elf::SHT_REL, elf::SHT_SYMTAB].contains(&section.kind))
    {
        for bit in 0..section.size * 8 {
            let mut wrong = new.clone();
            wrong[(section.offset + bit / 8) as usize] ^= 1 << (bit % 8);
            bits += 1;
            if validate(old, &wrong, Target::Gfx942, is_neutral).is_ok() {
                unnoticed.push((String::from_utf8_lossy(name(section)), bit / 8));
            }
        }
    }
    assert_eq!(unnoticed, [], "of {bits}");
    bits
}

#[test]
fn changed_bits_of_objects_for_a_linker_are_noticed() {
    let bits = check_each_bit(include_bytes!("call.o"));
    assert!(bits > 3000, "{bits}");
}

/// Addresses in literals. A linker writes each half of such an address.
#[test]
fn absolute_addresses_in_code_follow() {
    let pair = |low: u8, of: &str, is_first: bool| {
        let half = |n: u8, part: &str| format!("s_mov_b32 s{}, {of}@abs32@{part}\n", low + n);
        let [a, b] = if is_first { [half(0, "lo"), half(1, "hi")] } else { [half(1, "hi"), half(0, "lo")] };
        a + &b
    };
    let source = format!(
        "\t.amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\n\t.text\nk:\n{}{}s_swappc_b64 s[30:31], s[8:9]\nv_mov_b32_e32 v1, f@abs32@lo\n{}\
         s_swappc_b64 s[30:31], s[4:5]\ns_endpgm\n.type f,@function\nf:\ns_setpc_b64 s[30:31]\n\
         .section .text.g,\"ax\"\ns_mov_b32 s0, 0\ns_mov_b32 s1, 0\n.hidden g\n.globl g\n.type g,@function\ng:\ns_setpc_b64 s[30:31]\n\
         .data\ntable: .long 1, 2\n",
        pair(8, "f", true),
        pair(10, "table", false),
        pair(4, "g", false)
    );
    let object = assembled(&source);
    assert!(check_each_bit(&object) > 1000);
    // Objects for PAL and Mesa have the addends of relocations in their places.
    for os in ["amd-amdpal", "mesa-mesa3d"] {
        let short = assembled(&source.replace("amd-amdhsa", os));
        let has = |kind: u32| File::parse(&short).unwrap().sections().0.iter().any(|section| section.kind == kind);
        assert!(has(elf::SHT_REL) && !has(elf::SHT_RELA), "{os}");
        assert!(check_each_bit(&short) > 1000);
        // An addend that differs in a place is noticed, too.
        let new = grown_object(&short);
        let parsed = File::parse(&new).unwrap();
        let sections = parsed.sections().0;
        for table in sections.iter().filter(|table| table.kind == elf::SHT_REL) {
            for relocation in parsed.short_relocations(parsed.contents(table).bytes) {
                let mut wrong = new.clone();
                wrong[(sections[table.info].offset + relocation.address) as usize] ^= 4;
                assert!(validate(&short, &wrong, Target::Gfx942, is_neutral).is_err(), "{os}: {relocation:?}");
            }
        }
    }
}

fn assembled(source: &str) -> Vec<u8> {
    amdgpu_asm::assemble("abs.s", source, &amdgpu_asm::Options::default()).unwrap().to_object().unwrap()
}

/// A change after which a linker could not find something, or could find the wrong place, is refused.
#[test]
fn objects_that_cannot_follow_are_refused() {
    let old = include_bytes!("call.o");
    let nop = parse(Target::Gfx942, "s_nop 5").unwrap();
    let rewritten = |bytes: &[u8]| {
        let placed = Placed::new(bytes)?.unwrap();
        let mut edits = Edits::default();
        image(placed.bytes(), |image| edits.insert(image.sections[1].address + 4, &[nop]));
        placed.rewrite(Target::Gfx942, &edits).map(drop)
    };
    assert!(rewritten(old).is_ok());
    let parsed = File::parse(old).unwrap();
    let (sections, names) = (parsed.sections().0, parsed.section_names(&parsed.sections().0));
    let table = |name: &[u8]| {
        let of = |section: &&elf::Section| elf::text(names, section.name) == Some(name);
        sections.iter().find(of).unwrap().offset as usize
    };
    // A distance with an addend, which may count from another place.
    let mut far = old.to_vec();
    far[table(b".rela.data") + 3 * 24 + 16] = 8;
    let refused = |address| {
        let reason = Box::new(amdgpu_program::Error::Relocation { address });
        Err(amdgpu_program::Error::InSection { section: ".data".into(), reason })
    };
    assert_eq!(rewritten(&far), refused(24));
    assert_eq!(
        refused(24).unwrap_err().to_string(),
        "in section .data, the relocation of the place at 0x18 cannot follow the code that moves"
    );
    // A relocation of an unknown kind.
    let mut odd = old.to_vec();
    odd[table(b".rela.data") + 8] = 77;
    assert_eq!(rewritten(&odd), refused(0));
    // A linked file is not an object for a linker, and an object for a linker is not a linked file.
    let linked = std::fs::read(&samples()[0].1).unwrap();
    assert!(Placed::new(&linked).unwrap().is_none());
    image(old, |object| {
        let mut edits = Edits::default();
        edits.insert(4, &[nop]);
        assert_eq!(rewrite(object, Target::Gfx942, &edits), Err(amdgpu_program::Error::Relocatable));
    });
    assert!(validate(old, &linked, Target::Gfx942, is_neutral).is_err());
    assert!(validate(&linked, old, Target::Gfx942, is_neutral).is_err());
}

/// A file at fixed addresses has no relocations: numbers that may be pointers to something that moves are refused.
#[test]
fn pointers_without_relocations_are_refused() {
    let source = "\t.amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\nk:\n\ts_nop 0\n\ts_mov_b32 s0, 0x12345678\n\ts_endpgm\n\
        \t.type f,@function\nf:\n\ts_endpgm\n\t.data\nd:\n\t.quad f\n";
    let made = amdgpu_asm::assemble("a.s", source, &amdgpu_asm::Options::default()).unwrap();
    let made = made.to_code_object(false).unwrap();
    let nop = parse(Target::Gfx942, "s_nop 5").unwrap();
    let (mut start, mut data) = (0, 0);
    let parsed = File::parse(&made).unwrap();
    let sections = parsed.sections().0;
    let names = parsed.section_names(&sections);
    for section in &sections {
        match elf::text(names, section.name) {
            Some(b".text") => start = section.address,
            Some(b".data") => data = section.offset as usize,
            _ => {}
        }
    }
    let rewritten = |file: &[u8]| {
        let mut result = None;
        image(file, |image| {
            let mut edits = Edits::default();
            edits.insert(start + 4, &[nop]);
            let new = rewrite(image, Target::Gfx942, &edits);
            result = Some(new.map(|new| assert_eq!(validate(file, &new, Target::Gfx942, is_neutral), Ok(()))));
        });
        result.unwrap()
    };
    let function = start + 16;
    let pointer = |error: Result<(), amdgpu_program::Error>| match error {
        Err(amdgpu_program::Error::Pointer { address }) => Some(address),
        _ => None,
    };
    let mut file = made.clone();
    file[data..data + 8].copy_from_slice(&function.to_le_bytes());
    assert_eq!(rewritten(&file), Ok(()));
    file[16] = elf::ET_EXEC as u8;
    assert!(pointer(rewritten(&file)).is_some(), "{:?}", rewritten(&file));
    file[data..data + 8].fill(0);
    assert_eq!(rewritten(&file), Ok(()));
    // A literal of an instruction can be a pointer, too.
    let text = file.windows(4).position(|word| word == 0x1234_5678u32.to_le_bytes()).unwrap();
    file[text..text + 4].copy_from_slice(&(function as u32).to_le_bytes());
    assert_eq!(pointer(rewritten(&file)), Some(start + 4));
}

/// The code object of a source whose data has a pointer to code.
fn with_pointer() -> Vec<u8> {
    let source = "\t.amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\nk:\n\ts_nop 0\n\ts_endpgm\n\
        \t.type f,@function\nf:\n\ts_endpgm\n\t.data\n\t.p2align 3\nd:\n\t.quad f\n";
    let made = amdgpu_asm::assemble("a.s", source, &amdgpu_asm::Options::default()).unwrap();
    made.to_code_object(false).unwrap()
}

/// The file with an `s_nop` before its second instruction.
fn longer(file: &[u8]) -> Result<Vec<u8>, amdgpu_program::Error> {
    let mut result = None;
    image(file, |image| {
        let mut edits = Edits::default();
        edits.insert(image.sections[0].address + 4, &[parse(Target::Gfx942, "s_nop 5").unwrap()]);
        result = Some(rewrite(image, Target::Gfx942, &edits));
    });
    result.unwrap()
}

/// The number of the section with a name.
fn section(file: &[u8], name: &[u8]) -> usize {
    let parsed = File::parse(file).unwrap();
    let (sections, names) = (parsed.sections().0, parsed.section_names(&parsed.sections().0));
    sections.iter().position(|section| elf::text(names, section.name) == Some(name)).unwrap()
}

/// Addresses in a table that is not read could not follow: with Android's packed relocations, pointers would stay.
#[test]
fn tables_of_unknown_types_are_refused() {
    let file = with_pointer();
    let new = longer(&file).unwrap();
    let android = |file: &[u8]| {
        let at = File::parse(file).unwrap().section_header(section(file, b".rela.dyn")) as usize;
        let mut file = file.to_vec();
        file[at + 4..at + 8].copy_from_slice(&0x6000_0002u32.to_le_bytes());
        file
    };
    let name = String::from(".rela.dyn");
    let error = amdgpu_program::Error::UnknownSection { name: name.clone(), kind: 0x6000_0002 };
    assert_eq!(longer(&android(&file)), Err(error));
    let proof = validate(&android(&file), &android(&new), Target::Gfx942, is_neutral);
    assert_eq!(proof, Err(Difference::Section { name }));
}

/// A tool can set the alignment of a section without moving the section.
#[test]
fn sections_may_lie_beside_their_alignment() {
    let mut file = with_pointer();
    let parsed = File::parse(&file).unwrap();
    let data = section(&file, b".data");
    assert_ne!(parsed.sections().0[data].address % 4096, 0);
    let at = parsed.section_header(data) as usize;
    file[at + 48..at + 56].copy_from_slice(&4096u64.to_le_bytes());
    let new = longer(&file).unwrap();
    assert_eq!(validate(&file, &new, Target::Gfx942, is_neutral), Ok(()));
    let address = |file: &[u8]| File::parse(file).unwrap().sections().0[data].address;
    assert_eq!(address(&new) % 4096, address(&file) % 4096);
}

/// Without a table of sections, nobody knows what moves.
#[test]
fn files_without_sections_are_refused() {
    let mut file = with_pointer();
    file[40..48].fill(0);
    file[60..64].fill(0);
    assert_eq!(longer(&file), Err(amdgpu_program::Error::NoSections));
}
