//! A program with every idiom by which clang makes addresses and calls has the same effect after random edits, on every
//! target.
//!
//! The effect is found by running the program: each place has a number of its own, which the code there puts into a
//! register.

#[path = "idioms/machine.rs"]
mod machine;
#[path = "idioms/source.rs"]
mod source;

use amdgpu_isa::patch::PatchError;
use amdgpu_isa::{Inst, Target, decode, parse};
use amdgpu_object::{Error, Image, Part, Section, SymbolKind};
use amdgpu_program::addresses::{MadeAddress, takes_upper_half};
use amdgpu_program::{Difference, Edits, Placed, Slot, rewrite, validate};

use machine::Machine;

/// Xorshift (Marsaglia 2003): random enough, and the same on every run.
struct Rng(u64);

impl Rng {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }
}

fn with_image<T>(bytes: &[u8], each: impl FnOnce(&Image<'_>) -> T) -> T {
    let (mut each, mut out) = (Some(each), None);
    let visited = amdgpu_object::visit(bytes, Some(0), |part| {
        if let (Part::Image(image), Some(each)) = (part, each.take()) {
            out = Some(each(&image));
        }
        Ok::<(), Error>(())
    });
    visited.unwrap();
    out.unwrap()
}

/// The size of the padding before a kernel: the number of bytes, back to a symbol, that repeat one dword.
fn padding(section: &Section<'_>, address: u64) -> u64 {
    let at = (address - section.address) as usize;
    let room = section.symbols.iter().rev().find(|symbol| symbol.address < address);
    let words = section.bytes[..at].rchunks_exact(4);
    let same = words.clone().take_while(|word| Some(*word) == words.clone().next()).count();
    (same.saturating_sub(1) as u64 * 4).min(room.map_or(0, |symbol| address - symbol.address))
}

fn keep(image: &Image<'_>, target: Target, edits: &mut Edits) {
    for section in &image.sections {
        for kernel in section.symbols.iter().filter(|symbol| symbol.kind == SymbolKind::Kernel) {
            let room = |address| padding(section, address);
            edits.keep(section.address, kernel.address, room(kernel.address));
            edits.keep_second_entry(target, section.address, kernel, room);
        }
    }
}

/// The instructions of an image, without the padding before kernels.
fn instructions(image: &Image<'_>, target: Target) -> Vec<(u64, Inst)> {
    let mut all = Vec::new();
    for section in &image.sections {
        let kernels = section.symbols.iter().filter(|symbol| symbol.kind == SymbolKind::Kernel);
        let starts = kernels.flat_map(|kernel| [kernel.address, kernel.address + 256]);
        let is_inside = |place: &u64| *place < section.address + section.bytes.len() as u64;
        let pads: Vec<_> = starts.filter(is_inside).map(|start| start - padding(section, start)..start).collect();
        for function in section.functions(0) {
            let (target, mut at) = (section.target_at(target, function.start), function.start);
            while at < function.end {
                let address = section.address + at as u64;
                let Ok(inst) = decode(target, &section.bytes[at..function.end]) else {
                    at += 4;
                    continue;
                };
                if !pads.iter().any(|pad| pad.contains(&address)) {
                    all.push((address, inst));
                }
                at += inst.len();
            }
        }
    }
    all
}

fn random(image: &Image<'_>, target: Target, rng: &mut Rng) -> Edits {
    let (mut edits, nop) = (Edits::default(), parse(target, "s_nop 0").unwrap());
    let rarity = 1 << rng.below(7);
    for (address, inst) in instructions(image, target) {
        if rng.below(rarity) == 0 {
            edits.insert(address, &vec![nop; 1 + rng.below(5) as usize]);
        }
        if inst.mnemonic() == "s_nop" && rng.below(4) == 0 {
            edits.replace(Slot::At(address), &inst, None);
        }
    }
    keep(image, target, &mut edits);
    edits
}

fn is_nop(inst: &Inst) -> bool {
    inst.mnemonic() == "s_nop"
}

/// The results of runs from the kernels, from their second entries (for arguments that are in registers), and from each
/// name in the code.
fn runs(file: &[u8], target: Target) -> Vec<(String, Vec<u32>)> {
    let machine = Machine::new(file, target);
    let mut all = Vec::new();
    for (name, entry) in machine.kernels() {
        assert_eq!(entry % 256, 0, "{target}: {name}");
        all.push((format!("kernel {name}"), machine.run(entry)));
        if name == "preloaded" && target.second_entry().is_some() {
            all.push((format!("second entry of {name}"), machine.run(entry + 256)));
        }
    }
    all.extend(machine.names().into_iter().map(|(name, address)| (name, machine.run(address))));
    all
}

fn targets() -> impl Iterator<Item = Target> {
    Target::ALL.iter().copied().filter(|target| !target.name().contains("wave"))
}

#[test]
fn every_idiom_leads_to_the_same() {
    let mut idioms = 0;
    for target in targets() {
        let (file, count) = source::program(target);
        idioms += count;
        let before = runs(&file, target);
        let kernel = before.iter().find(|(name, _)| name == "kernel all").unwrap();
        assert_eq!(kernel.1.last(), Some(&source::LAST), "{target}: {kernel:?}");
        assert!(!kernel.1.contains(&source::NEVER), "{target}: {kernel:?}");
        with_image(&file, |image| {
            assert_eq!(rewrite(image, target, &Edits::default()).unwrap(), file);
            for seed in 1..=32 {
                let edits = random(image, target, &mut Rng(seed * 0x9e37_79b9_7f4a_7c15));
                let new = rewrite(image, target, &edits).unwrap_or_else(|e| panic!("{target}, {seed}: {e}"));
                assert_eq!(runs(&new, target), before, "{target}, {seed}");
                validate(&file, &new, target, is_nop).unwrap_or_else(|e| panic!("{target}, {seed}: {e}"));
            }
        });
    }
    assert!(idioms > 15 * targets().count(), "{idioms}");
}

/// Code objects with several sections of code have the same effect after random edits to all of these sections.
#[test]
fn several_sections_of_code_lead_to_the_same() {
    for target in targets() {
        let file = source::of_sections(target);
        let before = runs(&file, target);
        let kernel = before.iter().find(|(name, _)| name == "kernel all").unwrap();
        assert_eq!(kernel.1.last(), Some(&source::LAST), "{target}: {kernel:?}");
        with_image(&file, |image| {
            assert_eq!(image.sections.len(), 3);
            for seed in 1..=32 {
                let edits = random(image, target, &mut Rng(seed * 0x9e37_79b9_7f4a_7c15));
                let new = rewrite(image, target, &edits).unwrap_or_else(|e| panic!("{target}, {seed}: {e}"));
                assert_eq!(runs(&new, target), before, "{target}, {seed}");
                validate(&file, &new, target, is_nop).unwrap_or_else(|e| panic!("{target}, {seed}: {e}"));
            }
        });
    }
}

/// Objects for a linker, with code in several sections, have the same effect after random edits and linking.
#[test]
fn objects_for_a_linker_lead_to_the_same() {
    for target in targets() {
        let object = source::relocatable(target);
        let before = runs(&object, target);
        let kernel = before.iter().find(|(name, _)| name == "kernel all").unwrap();
        assert_eq!(kernel.1.last(), Some(&source::LAST), "{target}: {kernel:?}");
        let placed = Placed::new(&object).unwrap().unwrap();
        assert_eq!(placed.rewrite(target, &Edits::default()).unwrap(), object, "{target}");
        for seed in 1..=32 {
            let edits = with_image(placed.bytes(), |image| {
                assert_eq!(image.sections.len(), 3);
                random(image, target, &mut Rng(seed * 0x9e37_79b9_7f4a_7c15))
            });
            let new = placed.rewrite(target, &edits).unwrap_or_else(|e| panic!("{target}, {seed}: {e}"));
            assert_eq!(runs(&new, target), before, "{target}, {seed}");
            validate(&object, &new, target, is_nop).unwrap_or_else(|e| panic!("{target}, {seed}: {e}"));
        }
    }
}

/// The linker fills in a branch to a global symbol. The relocation stays at the branch, even if instructions are
/// inserted before the branch.
#[test]
fn branches_that_a_linker_fills_in_follow() {
    for target in targets() {
        let processor = target.processor();
        let object = source::unlinked(&format!(
            ".amdgcn_target \"amdgcn-amd-amdhsa--{processor}\"; .text; .globl f; .type f,@function; f:; s_nop 0; s_branch h
            .size f, .-f; .globl h; .type h,@function; h:; s_nop 1; s_endpgm; .size h, .-h"
        ));
        let kinds = |file: &[u8]| {
            let file = amdgpu_object::elf::File::parse(file).unwrap();
            let sections = file.sections().0;
            let table = sections.iter().find(|table| table.kind == amdgpu_object::elf::SHT_RELA).unwrap();
            let all = file.relocations(file.contents(table).bytes).map(|r| (r.kind, r.address, r.addend));
            all.collect::<Vec<_>>()
        };
        assert_eq!(kinds(&object), [(14, 4, 0)], "{target}");
        let placed = Placed::new(&object).unwrap().unwrap();
        let nop = parse(target, "s_nop 5").unwrap();
        for n in 0..4 {
            let mut edits = Edits::default();
            with_image(placed.bytes(), |image| edits.insert(image.sections[0].address + 4 * n, &[nop; 3]));
            let new = placed.rewrite(target, &edits).unwrap();
            assert_eq!(kinds(&new), [(14, if n < 2 { 16 } else { 4 }, 0)], "{target}, {n}");
            validate(&object, &new, target, is_nop).unwrap_or_else(|e| panic!("{target}, {n}: {e}"));
        }
    }
}

/// Inserting instructions and removing them again gives the same file.
#[test]
fn edits_can_be_undone() {
    for target in targets() {
        let (file, _) = source::program(target);
        let nop = parse(target, "s_nop 0").unwrap();
        let places = with_image(&file, |image| instructions(image, target));
        let mut undone = 0;
        for (address, _) in places.iter().step_by(7) {
            let mut edits = Edits::default();
            edits.insert(*address, &[nop; 64]);
            let new = with_image(&file, |image| {
                keep(image, target, &mut edits);
                rewrite(image, target, &edits)
            });
            let new = match new {
                Err(amdgpu_program::Error::SecondEntry { .. }) => continue,
                // A distance that is an inline constant has no room for 64 instructions.
                Err(amdgpu_program::Error::Branch { reason: PatchError::Distance(_), .. }) => continue,
                new => new.unwrap_or_else(|e| panic!("{target}: {address:#x}: {e}")),
            };
            let back = with_image(&new, |image| {
                let mut back = Edits::default();
                (1..=64).for_each(|n| back.replace(Slot::At(edits.moved_inst(*address) - 4 * n), &nop, None));
                keep(image, target, &mut back);
                rewrite(image, target, &back)
            });
            match back {
                Ok(back) => {
                    assert!(back == file, "{target}: {address:#x}");
                    undone += 1;
                }
                // The only accepted error: the instructions that make an address are too far apart.
                Err(e) => {
                    assert!(matches!(e, amdgpu_program::Error::UnknownAddress { .. }), "{target}: {address:#x}: {e}")
                }
            }
        }
        assert!(undone > places.len() / 14, "{target}: {undone} of {}", places.len());
    }
}

/// The second entry of a kernel, for arguments that are already in registers, must not move. It has no label.
#[test]
fn second_entries_stay() {
    for target in targets().filter(|target| target.second_entry().is_some()) {
        let (file, _) = source::program(target);
        let nop = parse(target, "s_nop 0").unwrap();
        let plan = |image: &Image<'_>| {
            let kernel = image.kernels().find(|kernel| kernel.name == "preloaded").unwrap();
            let mut edits = Edits::default();
            edits.replace(Slot::At(kernel.address + 4), &nop, None);
            (edits, kernel.address, kernel.descriptor.unwrap())
        };
        let (edits, address, descriptor) = with_image(&file, plan);
        let rewritten = |file: &[u8]| with_image(file, |image| rewrite(image, target, &edits));
        assert_eq!(rewritten(&file), Err(amdgpu_program::Error::SecondEntry { address }), "{target}");
        // Files that show the second entry only after the change are refused, too.
        let says = |file: &[u8], from: u16, to: u16| {
            let mut bytes = descriptor.to_bytes();
            bytes[58..60].copy_from_slice(&from.to_le_bytes());
            let at = file.windows(64).position(|window| window[24..] == bytes[24..]).unwrap();
            let mut file = file.to_vec();
            file[at + 58..at + 60].copy_from_slice(&to.to_le_bytes());
            file
        };
        let silent = says(&file, 2, 0);
        let moved = rewritten(&silent).unwrap();
        validate(&silent, &moved, target, is_nop).unwrap();
        let difference = validate(&file, &says(&moved, 0, 2), target, is_nop);
        assert!(matches!(difference, Err(Difference::Descriptor { .. })), "{target}: {difference:?}");
    }
}

/// Code that accesses memory through an address of code, or computes with it, is refused, because data there is not
/// known to follow.
#[test]
fn what_only_looks_like_code_is_refused() {
    let mut refused = 0;
    for target in targets() {
        let address = "{getpc} s[6:7]; {low} s6, s6, f@rel32@lo+4; {high} s7, s7, f@rel32@hi+12; ";
        for (use_of_it, is_known) in [
            ("v_mov_b32 v0, s6; v_mov_b32 v1, s7", true),
            ("v_cmp_eq_u32 vcc, s6, v0; {swappc} s[30:31], s[6:7]", true),
            ("{load32} s41, s[6:7], 0x0", false),
            ("s_mov_b64 s[4:5], s[6:7]; s_nop 0; {load32} s41, s[4:5], 0x0", false),
            ("s_mov_b32 s9, s6; s_mov_b32 s6, 0; {low} s9, s9, s12", false),
            ("global_load_dword v1, v0, s[6:7]", false),
            ("v_add_co_u32 v0, vcc, s6, v0", false),
            ("s_mov_b32 s5, s6; v_add_co_u32 v0, s[4:5], s5, v0", false),
        ] {
            let Some(file) = source::of_block(target, &format!("{address}{use_of_it}")) else { continue };
            with_image(&file, |image| {
                let edits = random(image, target, &mut Rng(77));
                let result = rewrite(image, target, &edits);
                let is_right = match &result {
                    Err(amdgpu_program::Error::UnknownAddress { .. }) => !is_known,
                    result => is_known && result.is_ok(),
                };
                assert!(is_right, "{target}: {use_of_it}: {result:x?}");
                refused += usize::from(!is_known);
            });
        }
    }
    assert!(refused > 3 * targets().count(), "{refused}");
}

/// A distance in a register follows if code moves, and the proof notices one that does not.
#[test]
fn distances_in_registers_are_proved() {
    for target in targets() {
        let nop = parse(target, "s_nop 5").unwrap();
        for block in source::DISTANCES {
            let Some(file) = source::of_block(target, block) else { continue };
            let new = with_image(&file, |image| {
                let mut edits = Edits::default();
                instructions(image, target).iter().for_each(|(address, _)| edits.insert(*address, &[nop]));
                keep(image, target, &mut edits);
                rewrite(image, target, &edits).unwrap_or_else(|e| panic!("{target}, {block}: {e}"))
            });
            assert_eq!(runs(&new, target), runs(&file, target), "{target}, {block}");
            validate(&file, &new, target, is_nop).unwrap_or_else(|e| panic!("{target}, {block}: {e}"));
            let literals: Vec<usize> = with_image(&new, |image| {
                let section = &image.sections[0];
                let start = section.bytes.as_ptr() as usize - image.bytes.as_ptr() as usize;
                let all = instructions(image, target).into_iter().filter(|(_, inst)| inst.len() == 8);
                all.map(|(address, _)| start + (address - section.address) as usize + 4).collect()
            });
            assert_eq!(literals.len(), 1, "{target}, {block}");
            let mut wrong = new.clone();
            wrong[literals[0]] ^= 8;
            assert!(validate(&file, &wrong, target, is_nop).is_err(), "{target}, {block}");
        }
    }
}

/// The file, changed so that its last section in memory begins where the previous section ends, as in files that are
/// linked with `-z separate-loadable-segments`.
fn beside(bytes: &[u8]) -> Vec<u8> {
    let file = amdgpu_object::elf::File::parse(bytes).unwrap();
    let (sections, segments) = (file.sections().0, file.segments().0);
    let loaded = |n: &usize| sections[*n].is_loaded() && sections[*n].size > 0;
    let last = (0..sections.len()).rev().find(loaded).unwrap();
    let (end, old) = (sections[last - 1].address + sections[last - 1].size, sections[last].address);
    let segment = segments.iter().position(|segment| segment.address == old).unwrap();
    let mut new = bytes.to_vec();
    for at in [file.section_header(last) + 16, file.segment_header(segment) + 16, file.segment_header(segment) + 24] {
        new[at as usize..][..8].copy_from_slice(&end.to_le_bytes());
    }
    new
}

/// Code may end at the end of its page, where the next section begins, and a section that is read-only after loading
/// may fill its last page, or be empty if the page is full.
#[test]
fn sections_may_begin_where_others_end() {
    let (Ok(target), Ok(nop)) = ("gfx942".parse::<Target>(), parse(Target::Gfx942, "s_nop 0")) else { return };
    let grown = |file: &[u8], words: usize| {
        with_image(file, |image| {
            let mut edits = Edits::default();
            edits.insert(instructions(image, target)[0].0, &vec![nop; words]);
            let new = rewrite(image, target, &edits).unwrap();
            validate(file, &new, target, is_nop).unwrap_or_else(|e| panic!("{words}: {e}"));
            new
        })
    };
    let text = ".amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"; .text; .globl f; .protected f; .type f,@function
        f:; s_movk_i32 s40, 1; s_endpgm; .size f, .-f";
    let source = |more: &str| source::object(target, &format!("{text}; {more}; .data; .quad f")).unwrap();
    let next_begins = |file: &[u8]| {
        let sections = amdgpu_object::elf::File::parse(file).unwrap().sections().0;
        let code = sections.iter().find(|section| section.is_code()).unwrap();
        let end = code.address + code.size;
        sections.iter().any(|section| section.size > 0 && section.address == end)
    };
    let full = source(".p2align 12, 0");
    assert!(next_begins(&full));
    for words in 1..8 {
        assert_eq!(runs(&grown(&full, words), target), runs(&full, target));
    }
    // A pointer to the section that begins where the code ends.
    let section = |file: &[u8], kind: u32| {
        let sections = amdgpu_object::elf::File::parse(file).unwrap().sections().0;
        sections.into_iter().find(|section| section.kind == kind).unwrap()
    };
    let addend = section(&full, amdgpu_object::elf::SHT_RELA).offset as usize + 16;
    let [old, new] = [&full, &grown(&full, 3)].map(|file| section(file, amdgpu_object::elf::SHT_DYNAMIC).address);
    let mut pointed = full.clone();
    pointed[addend..addend + 8].copy_from_slice(&old.to_le_bytes());
    assert_eq!(grown(&pointed, 3)[addend..addend + 8], new.to_le_bytes());
    // The section that fills the page, and the number of its bytes in memory.
    let filler = |file: &[u8]| {
        let parsed = amdgpu_object::elf::File::parse(file).unwrap();
        let all = parsed.sections().0;
        let filler = *all.iter().find(|one| one.kind == amdgpu_object::elf::SHT_NOBITS && one.align == 1).unwrap();
        let segment = parsed.segments().0.into_iter().find(|segment| segment.kind == 0x6474_e552).unwrap();
        assert_eq!(segment.address + segment.memory_size, filler.address + filler.size);
        assert_eq!((filler.address + filler.size) % 0x1000, 0);
        filler.size
    };
    let file = source("");
    let room = filler(&file);
    let none = grown(&file, room as usize / 4);
    assert_eq!((filler(&none), filler(&grown(&none, 2))), (0, 0xff8));
    // A section that fills the page up to the next segment does not reach into this segment.
    let close = beside(&source::object(target, &format!("{text}; .data; .long 7")).unwrap());
    let room = filler(&close);
    for words in [2, room as usize / 4, room as usize / 4 + 2, 1030] {
        let new = grown(&close, words);
        let sections = amdgpu_object::elf::File::parse(&new).unwrap().sections().0;
        let ends = sections.iter().filter(|one| one.is_loaded() && one.size > 0);
        assert!(ends.clone().zip(ends.skip(1)).all(|(one, next)| one.address + one.size <= next.address), "{words}");
    }
}

/// If some of several neutral instructions are removed, it is not known at which of them a label was.
#[test]
fn labels_among_neutral_instructions_are_as_good_as_the_next() {
    let target = Target::Gfx942;
    let block = "s_branch .L; .L:; s_nop 0; .Lnext:; s_nop 0; .Llast:; s_nop 0; s_cmp_lg_u32 s20, s20; s_cbranch_scc1 .Lnext; s_cbranch_scc1 .Llast";
    let file = source::of_block(target, block).unwrap();
    with_image(&file, |image| {
        let nops: Vec<_> = instructions(image, target).into_iter().filter(|(_, inst)| is_nop(inst)).collect();
        for mask in 1..1 << 6u32 {
            let mut edits = Edits::default();
            for (n, (address, inst)) in nops.iter().enumerate().filter(|(n, _)| *n < 6) {
                if mask >> n & 1 != 0 {
                    edits.replace(Slot::At(*address), inst, None);
                    edits.insert(*address, &vec![*inst; mask as usize >> 4]);
                }
            }
            keep(image, target, &mut edits);
            let new = rewrite(image, target, &edits).unwrap();
            assert_eq!(runs(&new, target), runs(&file, target), "{mask:#b}");
            validate(&file, &new, target, is_nop).unwrap_or_else(|e| panic!("{mask:#b}: {e}"));
        }
    });
}

/// Two addresses that are made at the same time, each from its own program counter.
#[test]
fn addresses_that_are_made_at_once_stay_apart() {
    let text = "s_getpc_b64 s[0:1]; s_getpc_b64 s[2:3]; s_add_u32 s2, s2, 0x40; s_addc_u32 s3, s3, 0; \
                s_add_u32 s0, s0, 0x80; s_addc_u32 s1, s1, 0";
    let insts: Vec<_> = text.split("; ").map(|text| parse(Target::Gfx942, text).unwrap()).collect();
    let code: Vec<u8> = insts.iter().flat_map(|inst| inst.words().to_vec()).flat_map(u32::to_le_bytes).collect();
    let goals = |at: usize| {
        let inst = decode(Target::Gfx942, &code[at..]).unwrap();
        let all = MadeAddress::all(&inst, 0x100 + at as u64, &code[at + 4..]);
        all.map(|all| all.iter().map(|made| (made.pc, made.goal)).collect::<Vec<_>>())
    };
    assert_eq!(goals(0), Some(vec![(0x104, 0x184)]));
    assert_eq!(goals(4), Some(vec![(0x108, 0x148)]));
}

/// The lower half of a program counter is overwritten within 40 instructions, or it is taken as read.
#[test]
fn an_upper_half_is_taken_alone_if_the_lower_one_goes_soon() {
    let code = |nops: usize, last: &str| {
        let insts = std::iter::repeat_n("s_nop 0", nops).chain([last]);
        let insts = insts.map(|text| parse(Target::Gfx942, text).unwrap());
        insts.flat_map(|inst| inst.words().to_vec()).flat_map(u32::to_le_bytes).collect::<Vec<u8>>()
    };
    let inst = parse(Target::Gfx942, "s_getpc_b64 s[0:1]").unwrap();
    for (nops, last, expected) in [
        (0, "s_mov_b32 s0, 0", true),
        (39, "s_mov_b32 s0, 0", true),
        (40, "s_mov_b32 s0, 0", false),
        (0, "s_mov_b32 s1, 0", false),
        (0, "s_add_u32 s0, s0, 4", false),
    ] {
        assert_eq!(takes_upper_half(&inst, &code(nops, last)), expected, "{nops} x s_nop, {last}");
    }
}
