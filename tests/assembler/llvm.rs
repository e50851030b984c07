//! Programs from LLVM's assembler: labels, alignment, and relocations.

use std::io::Write;
use std::process::{Command, Stdio};

use amdgpu_isa::Target;
use amdgpu_isa::asm::{Assembler, FixupSlot, LabelSlot, RelocationKind};
use object::read::elf::{ElfFile64, FileHeader};
use object::{LittleEndian, Object, ObjectSection, ObjectSymbol, RelocationFlags};

use super::{branches, filler};
use crate::words::{Rng, bytes};

/// The targets with jumps that LLVM 22 knows.
fn targets() -> impl Iterator<Item = Target> {
    super::targets().filter(|target| !crate::llvm_mc::NEWER.contains(&target.processor()))
}

/// The bytes of `.text`, and its relocations as (offset, type, symbol, addend).
type Section = (Vec<u8>, Vec<(u64, u32, String, i64)>);

fn llvm(target: Target, text: &str) -> Section {
    assemble(target, text).unwrap_or_else(|| panic!("{target}: {text}"))
}

/// Assembles a text with LLVM; `None` if LLVM refuses it.
fn assemble(target: Target, text: &str) -> Option<Section> {
    let mut command = Command::new("llvm-mc-22");
    command
        .args(["-triple=amdgcn-amd-amdhsa", "-filetype=obj", "-o", "-"])
        .arg(format!("-mcpu={}", target.processor()));
    if target.processor() != target.name() {
        command.arg(format!("-mattr=+wavefrontsize{}", target.wave_size()));
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("llvm-mc-22 is installed");
    child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    if !output.status.success() {
        return None;
    }
    let file = ElfFile64::<LittleEndian>::parse(&output.stdout[..]).expect("an ELF file");
    let _ = file.elf_header().e_machine(LittleEndian);
    let section = file.section_by_name(".text").expect("code");
    let relocations = section.relocations().map(|(offset, relocation)| {
        let RelocationFlags::Elf { r_type } = relocation.flags() else { panic!("not ELF") };
        let object::RelocationTarget::Symbol(symbol) = relocation.target() else { panic!("no symbol") };
        let symbol = file.symbol_by_index(symbol).expect("it is there");
        (offset, r_type, symbol.name().expect("a name").to_string(), relocation.addend())
    });
    Some((section.data().expect("bytes").to_vec(), relocations.collect()))
}

/// The assembler pads unreachable places with LLVM's `s_code_end`, on exactly the targets for which LLVM has it.
#[test]
fn code_ends_with_llvms_padding() {
    const BYTES: u64 = 64;
    let mut with_end = 0;
    for target in targets() {
        let mut code = [0u32; 16];
        let (mut labels, mut fixups) = ([LabelSlot::EMPTY; 1], [FixupSlot::EMPTY; 1]);
        let mut asm = Assembler::new(target, &mut code, &mut labels, &mut fixups);
        asm.dword(filler(target)).expect("there is room");
        asm.align_end(BYTES).expect("there is room");
        assert_eq!(asm.finish().expect("there is room").len() as u64, BYTES);
        let ends = "s_sleep 5\n".to_string() + &"s_code_end\n".repeat(15);
        let (section, _) = match assemble(target, &ends) {
            Some(section) => {
                with_end += 1;
                section
            }
            None => llvm(target, "s_sleep 5\n.p2align 6\n"),
        };
        assert_eq!(bytes(&code), section[..], "{target}");
    }
    assert!(with_end > 0, "LLVM knows it for no target");
}

#[test]
fn symbols_are_left_to_the_linker_as_llvm_does() {
    for target in targets() {
        let mut code = [0u32; 32];
        let (mut labels, mut fixups) = ([LabelSlot::EMPTY; 1], [FixupSlot::EMPTY; 8]);
        let mut asm = Assembler::new(target, &mut code, &mut labels, &mut fixups);
        let mov = [
            super::word(target, "s_mov_b32", &[(amdgpu_isa::Field::Sdst, 4), (amdgpu_isa::Field::Ssrc0, 255)])
                .expect("all have it"),
            0,
        ];
        let run = |asm: &mut Assembler<'_, [u32; 32]>| {
            asm.align(64)?;
            asm.load_symbol(4, 0)?;
            asm.load_symbol_entry(6, 1)?;
            asm.emit_symbol(mov, RelocationKind::Abs32Lo, 0, 0)?;
            asm.emit_symbol(mov, RelocationKind::Abs32Hi, 0, 16)
        };
        run(&mut asm).expect("there is room");
        let done = asm.finish().expect("there is room");
        let names = ["foo", "bar"];
        let ours: Vec<_> = done
            .relocations()
            .map(|r| (r.offset, r.kind.number(), names[r.symbol as usize].to_string(), r.addend))
            .collect();
        let len = done.len();
        let text = "
            s_getpc_b64 s[4:5]
            s_add_u32 s4, s4, foo@rel32@lo+4
            s_addc_u32 s5, s5, foo@rel32@hi+12
            s_getpc_b64 s[6:7]
            s_add_u32 s6, s6, bar@gotpcrel32@lo+4
            s_addc_u32 s7, s7, bar@gotpcrel32@hi+12
            s_mov_b32 s4, foo@abs32@lo
            s_mov_b32 s4, foo+16@abs32@hi
        ";
        let (section, relocations) = llvm(target, &text.replace("foo+16@abs32@hi", "foo@abs32@hi+16"));
        assert_eq!(ours, relocations, "{target}");
        assert_eq!(bytes(&code)[..len], section[..], "{target}");
        for (kind, name) in [
            (RelocationKind::Abs32, "R_AMDGPU_ABS32"),
            (RelocationKind::Rel32Hi, "R_AMDGPU_REL32_HI"),
            (RelocationKind::GotPcRel32Lo, "R_AMDGPU_GOTPCREL32_LO"),
        ] {
            assert_eq!(kind.to_string(), name);
        }
    }
}

#[test]
fn short_programs_are_llvms_byte_for_byte() {
    for target in targets() {
        let all = branches(target);
        let plain: Vec<_> = all.iter().filter(|b| b.operands().filter(|o| o.role.is_some()).count() == 1).collect();
        let mut rng = Rng(5);
        for _ in 0..4 {
            let mut code = [0u32; 4096];
            let (mut labels, mut fixups) = ([LabelSlot::EMPTY; 8], [FixupSlot::EMPTY; 256]);
            let mut asm = Assembler::new(target, &mut code, &mut labels, &mut fixups);
            let names: Vec<_> = (0..8).map(|_| asm.label().expect("there is room")).collect();
            let (mut text, mut bound) = (String::new(), 0);
            for step in 0..200 {
                match rng.below(5) {
                    0 if bound < 8 && step % 3 == 0 => {
                        asm.bind(names[bound]).expect("it is new");
                        text += &format!("label{bound}:\n");
                        bound += 1;
                    }
                    1 => {
                        let log = 2 + rng.below(6);
                        asm.align(1 << log).expect("there is room");
                        text += &format!(".p2align {log}\n");
                    }
                    2 => {
                        let (branch, to) = (rng.pick(&plain), rng.below(8));
                        asm.jump(branch.opcode(), names[to]).expect("there is room");
                        text += &format!("{} label{to}\n", branch.mnemonic());
                    }
                    _ => {
                        asm.dword(filler(target)).expect("there is room");
                        text += "s_sleep 5\n";
                    }
                }
            }
            for (n, &name) in names.iter().enumerate().skip(bound) {
                asm.bind(name).expect("it is new");
                text += &format!("label{n}:\n");
            }
            let len = asm.finish().expect("there is room").len();
            let (section, _) = llvm(target, &text);
            assert_eq!(bytes(&code)[..len], section[..len.max(section.len())], "{target}:\n{text}");
        }
    }
}
