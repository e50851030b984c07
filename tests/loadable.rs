//! Code objects that the library makes: LLVM reads them without a warning, and finds the requested contents in them.
#![cfg(all(feature = "alloc", feature = "text", feature = "gfx942"))]

use std::process::Command;

use amdgpu_isa::kernel::{Argument, CodeObject, DescriptorPart, Kernel, KernelDescriptor, Registers};
use amdgpu_isa::{Target, parse};

const TARGET: Target = Target::Gfx942;
/// Sizes of groups at which MessagePack changes the number of bytes of a number.
const SIZES: [u32; 6] = [1, 127, 128, 255, 256, 1024];

fn descriptor() -> KernelDescriptor {
    let mut descriptor = KernelDescriptor::new(TARGET);
    descriptor.set(TARGET, DescriptorPart::UserSgprKernargSegmentPtr, 1).unwrap();
    descriptor.count_user_sgprs(TARGET);
    descriptor
}

/// A kernel for each size of groups, with code of different lengths.
fn object() -> Vec<u8> {
    let [nop, end] = ["s_nop 0", "s_endpgm"].map(|text| parse(TARGET, text).unwrap().words()[0]);
    let names = SIZES.map(|size| format!("kernel_{size}"));
    let codes = SIZES.map(|size| [vec![nop; size as usize % 100], vec![end]].concat());
    let arguments = [Argument::buffer(), Argument::of::<u32>()];
    let kernels: Vec<Kernel<'_>> = (0..SIZES.len())
        .map(|n| {
            Kernel::new(TARGET, &names[n], &codes[n], Registers::new(TARGET))
                .descriptor(descriptor())
                .arguments(&arguments)
                .max_workgroup_size(SIZES[n])
        })
        .collect();
    CodeObject::new("gfx942".parse().unwrap(), &kernels).to_elf().unwrap()
}

fn llvm(tool: &str, arguments: &[&str]) -> String {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("loadable-{}{}.co", tool, arguments[0]));
    std::fs::write(&path, object()).unwrap();
    let run = Command::new(tool).args(arguments).arg(&path).output();
    let run = run.unwrap_or_else(|error| panic!("{tool}, of Debian's llvm-22: {error}"));
    assert!(run.status.success() && run.stderr.is_empty(), "{}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).expect("text")
}

/// The sections, with the demands of ELF's specification on their kinds: type, flags, link, info, alignment, size of
/// entries.
#[test]
fn sections_are_those_of_the_specification() {
    let text = llvm("llvm-readelf-22", &["-SW"]);
    let wanted = [
        (".note", "NOTE A 0 0 4 00"),
        (".dynsym", "DYNSYM A 4 1 8 18"),
        (".hash", "HASH A 2 0 4 04"),
        (".dynstr", "STRTAB A 0 0 1 00"),
        (".rodata", "PROGBITS A 0 0 64 00"),
        (".text", "PROGBITS AX 0 0 256 00"),
        (".dynamic", "DYNAMIC WA 4 0 8 10"),
        (".shstrtab", "STRTAB  0 0 1 00"),
    ];
    let mut ends = (0, 0);
    for (name, rest) in wanted {
        let line =
            text.lines().find(|line| line.contains(&format!(" {name} "))).unwrap_or_else(|| panic!("{name}: {text}"));
        let cells: Vec<&str> = line.split(name).nth(1).unwrap().split_whitespace().collect();
        let [kind, address, offset, size, entry, ..] = cells[..] else { panic!("{line}") };
        let flags = if cells.len() == 9 { cells[5] } else { "" };
        let [link, info, align] = cells[cells.len() - 3..] else { panic!("{line}") };
        assert_eq!(format!("{kind} {flags} {link} {info} {align} {entry}"), rest, "{text}");
        let [address, offset, size] = [address, offset, size].map(|hex| u64::from_str_radix(hex, 16).unwrap());
        assert_eq!(address % align.parse::<u64>().unwrap(), 0, "{text}");
        // A page of the file is a page of memory, and nothing overlaps.
        assert!(address == 0 || address % 0x1000 == offset % 0x1000 && address >= ends.0, "{text}");
        assert!(offset >= ends.1 && size > 0, "{text}");
        ends = (address + size, offset + size);
    }
    // The headers of the sections are at the end, aligned to 8 bytes.
    let headers = u64::from_le_bytes(object()[0x28..0x30].try_into().unwrap());
    assert!(headers >= ends.1 && headers % 8 == 0, "{headers:#x}");
}

#[test]
fn kernels_are_found_with_their_numbers() {
    let notes = llvm("llvm-readelf-22", &["--notes"]);
    let symbols = llvm("llvm-readelf-22", &["--dyn-syms"]);
    let bytes = object();
    for size in SIZES {
        assert!(notes.contains(&format!(".max_flat_workgroup_size: {size}\n")), "{size}: {notes}");
        assert!(notes.contains(&format!(".symbol:         kernel_{size}.kd\n")), "{size}: {notes}");
        assert!(symbols.contains(&format!(" kernel_{size}.kd\n")) && symbols.contains(&format!(" kernel_{size}\n")));
        // Numbers take as few bytes as possible, as in LLVM's files.
        let number = match size {
            0..128 => vec![size as u8],
            128..256 => vec![0xcc, size as u8],
            _ => vec![0xcd, (size >> 8) as u8, size as u8],
        };
        let wanted = [b".max_flat_workgroup_size".to_vec(), number].concat();
        assert!(bytes.windows(wanted.len()).any(|window| window == wanted), "{size}");
    }
    assert_eq!(notes.matches(".kernarg_segment_size: 12\n").count(), SIZES.len(), "{notes}");
    let code = llvm("llvm-objdump-22", &["-d"]);
    assert_eq!(code.matches("s_endpgm").count(), SIZES.len());
    assert_eq!(code.matches("s_nop 0").count(), SIZES.iter().map(|size| *size as usize % 100).sum::<usize>());
}
