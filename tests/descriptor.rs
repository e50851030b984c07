//! Kernel descriptors: every directive, set by itself, makes the bytes that LLVM's assembler makes. A descriptor that
//! is read keeps its bytes.
#![cfg(feature = "text")]

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use amdgpu_isa::facts::RegSet;
use amdgpu_isa::kernel::{DescriptorError, DescriptorPart, KernelDescriptor, Registers};
use amdgpu_isa::{Reg, Target};
use object::{Object as _, ObjectSection as _};

/// A case: the directives that are set, and the descriptor that they make.
type Case = (Vec<(String, u32)>, KernelDescriptor);

fn made(target: Target, directives: &[(String, u32)]) -> Result<KernelDescriptor, DescriptorError> {
    let mut descriptor = KernelDescriptor::new(target);
    let mut registers = Registers::new(target);
    for (name, value) in directives {
        match name.as_str() {
            "next_free_vgpr" => registers.vgprs = *value as u16,
            "next_free_sgpr" => registers.sgprs = *value as u16,
            "accum_offset" => registers.accum_offset = *value as u16,
            "reserve_vcc" => registers.vcc = *value != 0,
            "reserve_flat_scratch" => registers.flat_scratch = *value != 0,
            _ => descriptor.set(target, name.parse().expect("a part"), *value)?,
        }
    }
    if directives.iter().all(|(name, _)| name != "user_sgpr_count") {
        descriptor.count_user_sgprs(target);
    }
    descriptor.set_registers(target, registers)?;
    Ok(descriptor)
}

fn cases(target: Target) -> Vec<Case> {
    let base = |vgprs: u32, sgprs: u32| {
        let mut all = vec![("next_free_vgpr".to_string(), vgprs), ("next_free_sgpr".to_string(), sgprs)];
        all.extend(target.accum_granule().map(|_| ("accum_offset".to_string(), 4)));
        all
    };
    let mut all = vec![base(0, 0)];
    for n in [1, 4, 5, 8, 9, 16, 17, 31, 32, 33, 63, 64, 65, 90, 95, 96, 97, 98, 128, 200, 256] {
        all.push(base(n, 0));
        all.push(base(1, n.min(96)));
        if target.accum_granule().is_some() {
            let mut with = base(n + 128, 0);
            with[2].1 = n.next_multiple_of(4);
            all.push(with);
        }
    }
    let reserved = ["reserve_vcc", "reserve_flat_scratch"];
    for name in reserved.iter().filter(|name| target.reserves_flat_scratch() || **name == "reserve_vcc") {
        for sgprs in [1, 3, 5, 8, 30] {
            let mut with = base(1, sgprs);
            with.push((name.to_string(), 0));
            all.push(with);
        }
    }
    for directive in target.directives() {
        // LLVM's assembler also gets the wave size from its options.
        if directive.name() == "wavefront_size32" {
            continue;
        }
        let max = directive.max().min(if directive.name().contains("preload") { 8 } else { u32::MAX });
        for value in [0, 1, max / 2, max] {
            let mut with = base(4, 8);
            if directive.name() == "user_sgpr_count" && value > 16 {
                continue;
            }
            with.push((directive.name().to_string(), value));
            if directive.name().contains("preload") {
                with.push(("kernarg_size".into(), 256));
            }
            all.push(with);
        }
    }
    let cases: Vec<Case> = all.into_iter().filter_map(|d| Some((d.clone(), made(target, &d).ok()?))).collect();
    assert!(cases.len() > 100, "{target}: {}", cases.len());
    cases
}

/// The descriptors that LLVM makes of the same directives.
fn llvm(target: Target, cases: &[Case]) -> Vec<[u8; 64]> {
    let mut source = String::from("k: s_endpgm\n.rodata\n.p2align 6\n");
    for (n, (directives, _)) in cases.iter().enumerate() {
        let _ = writeln!(source, ".set k{n}, k\n.amdhsa_kernel k{n}");
        for (name, value) in directives {
            let _ = writeln!(source, ".amdhsa_{name} {value}");
        }
        source += ".end_amdhsa_kernel\n";
    }
    let path = std::env::temp_dir().join(format!("amdgpu-isa-descriptor-{}-{}", std::process::id(), target as u8));
    let mut child = Command::new("llvm-mc-22")
        .args(["-triple=amdgcn-amd-amdhsa", "-filetype=obj", "-o"])
        .arg(&path)
        .arg(format!("-mcpu={}", target.processor()))
        .arg(if target.directives().iter().any(|d| d.name() == "wavefront_size32") {
            format!("-mattr=+wavefrontsize{}", target.wave_size())
        } else {
            "-mattr=".into()
        })
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("llvm-mc-22 starts");
    child.stdin.take().unwrap().write_all(source.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{target}: {}", String::from_utf8_lossy(&output.stderr));
    let bytes = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    let data = file.section_by_name(".rodata").unwrap().data().unwrap();
    data.chunks(64).map(|chunk| chunk.try_into().unwrap()).collect()
}

#[test]
fn directives_make_the_bytes_that_llvm_makes() {
    for target in crate::llvm_mc::targets() {
        let cases = cases(target);
        let theirs = llvm(target, &cases);
        assert_eq!(theirs.len(), cases.len());
        for ((directives, ours), theirs) in cases.iter().zip(theirs) {
            let theirs = KernelDescriptor::from_bytes(theirs);
            assert_eq!(*ours, theirs, "{target}: {directives:?}");
        }
    }
}

#[test]
fn text_makes_the_descriptor_again() {
    for &target in Target::ALL {
        for (directives, descriptor) in cases(target) {
            assert!(descriptor.is_text(target), "{target}: {directives:?}");
            let text = descriptor.directives(target, false).to_string();
            let read: Vec<(String, u32)> = text
                .lines()
                .map(|line| line.trim().strip_prefix(".amdhsa_").unwrap().split_once(' ').unwrap())
                .map(|(name, value)| (name.to_string(), value.parse().unwrap()))
                .collect();
            assert_eq!(made(target, &read), Ok(descriptor), "{target}: {text}");
        }
    }
}

#[test]
fn every_bit_is_kept_and_those_without_a_directive_are_no_text() {
    for &target in Target::ALL {
        for bit in 0..512 {
            let mut bytes = [0; 64];
            bytes[bit / 8] = 1 << (bit % 8);
            let descriptor = KernelDescriptor::from_bytes(bytes);
            assert_eq!(descriptor.to_bytes(), bytes);
            // Bytes 12 to 15 are reserved on all targets, so no directive sets them.
            assert!(!(12 * 8..16 * 8).contains(&bit) || !descriptor.is_text(target), "{bit}");
        }
        let mut descriptor = KernelDescriptor::new(target);
        descriptor.set_entry(-0x1_2345_6780);
        assert_eq!(descriptor.entry(), -0x1_2345_6780);
        assert!(descriptor.is_text(target));
        descriptor.set_rsrc1(descriptor.rsrc1().with_privileged(true));
        assert!(!descriptor.is_text(target));
    }
}

/// CDNA1 has equal numbers of vector and accumulation registers. Later, accumulation registers follow the vector
/// registers.
#[test]
fn registers_in_a_set_are_counted() {
    let vgprs = |target: &str, regs: &[Reg]| {
        let target = target.parse::<Target>().ok()?;
        let mut set = RegSet::new(target);
        regs.iter().for_each(|reg| set.insert(*reg));
        let found = Registers::of(target, &set);
        Some((found.vgprs, found.accum_offset))
    };
    let counted = |target, regs: &[Reg], wanted: u16, offset| {
        assert!(vgprs(target, regs).is_none_or(|found| found.0 == wanted && offset == 0 || found == (wanted, offset)));
    };
    counted("gfx908", &[Reg::Vgpr(4), Reg::Agpr(9)], 10, 0);
    counted("gfx908", &[Reg::Vgpr(9), Reg::Agpr(4)], 10, 0);
    counted("gfx90a", &[Reg::Vgpr(4), Reg::Agpr(9)], 18, 8);
    counted("gfx90a", &[Reg::Vgpr(4)], 5, 8);
}

#[test]
fn what_does_not_fit_is_refused() {
    for &target in Target::ALL {
        let mut descriptor = KernelDescriptor::new(target);
        for &part in DescriptorPart::ALL {
            assert_eq!(part.name().parse(), Ok(part));
            let has_it = target.directives().iter().any(|d| d.part() == part);
            let missing = Err(DescriptorError::Missing(part));
            assert_eq!(descriptor.get(target, part).is_some(), has_it, "{target} {part}");
            assert_eq!(descriptor.set(target, part, 0), if has_it { Ok(()) } else { missing }, "{target} {part}");
        }
        descriptor = KernelDescriptor::new(target);
        for directive in target.directives().iter().filter(|d| d.max() < u32::MAX) {
            let before = descriptor;
            let max = directive.max();
            assert_eq!(descriptor.set(target, directive.part(), max + 1), Err(DescriptorError::Range { max }));
            assert_eq!(descriptor, before);
        }
        let many = Registers { vgprs: 2000, ..Registers::new(target) };
        assert_eq!(descriptor.set_registers(target, many), Err(DescriptorError::Vgprs));
    }
}
