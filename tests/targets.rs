//! Every common name finds its target, and processors that decode differently have different targets.
#![cfg(feature = "all-targets")]

use std::collections::{HashMap, HashSet};
use std::process::{Command, Stdio};

use amdgpu_isa::processor::{Processor, UnknownProcessor};
use amdgpu_isa::{Opcode, Target, decode};

/// LLVM 22's processors, the flags in the ELF header of the files that LLVM 22 assembles for them, and the target that
/// decodes them. To find the processors that decode alike, LLVM's disassembler and assembler were given the same
/// 400,000 words and 5,700 texts for each.
const NAMES: &[(&str, u32, Option<&str>)] = &[
    ("gfx600", 0x20, Some("gfx600")),
    ("gfx601", 0x21, Some("gfx600")),
    ("gfx602", 0x3a, Some("gfx600")),
    ("gfx700", 0x22, Some("gfx700")),
    ("gfx701", 0x23, Some("gfx700")),
    ("gfx702", 0x24, Some("gfx700")),
    ("gfx703", 0x25, Some("gfx700")),
    ("gfx704", 0x26, Some("gfx700")),
    ("gfx705", 0x3b, Some("gfx700")),
    ("gfx803", 0x2a, Some("gfx803")),
    ("gfx802", 0x29, Some("gfx803")),
    ("gfx805", 0x3c, Some("gfx803")),
    ("gfx801", 0x128, Some("gfx801")),
    ("gfx810", 0x12b, Some("gfx810")),
    ("gfx900", 0x12c, Some("gfx900")),
    ("gfx902", 0x12d, Some("gfx900")),
    ("gfx909", 0x131, Some("gfx900")),
    ("gfx90c", 0x132, Some("gfx900")),
    ("gfx904", 0x12e, Some("gfx904")),
    ("gfx906", 0x52f, Some("gfx906")),
    ("gfx9-generic", 0x1000151, Some("gfx9-generic")),
    ("gfx908", 0x530, Some("gfx908")),
    ("gfx90a", 0x53f, Some("gfx90a")),
    ("gfx942", 0x54c, Some("gfx942")),
    ("gfx9-4-generic", 0x100055f, Some("gfx9-4-generic")),
    ("gfx950", 0x54f, Some("gfx950")),
    ("gfx1010", 0x133, Some("gfx1010")),
    ("gfx10-1-generic", 0x1000152, Some("gfx1010")),
    ("gfx1011", 0x134, Some("gfx1011")),
    ("gfx1012", 0x135, Some("gfx1011")),
    ("gfx1013", 0x142, Some("gfx1013")),
    ("gfx1030", 0x36, Some("gfx1030")),
    ("gfx1031", 0x37, Some("gfx1030")),
    ("gfx1032", 0x38, Some("gfx1030")),
    ("gfx1033", 0x39, Some("gfx1030")),
    ("gfx1034", 0x3e, Some("gfx1030")),
    ("gfx1035", 0x3d, Some("gfx1030")),
    ("gfx1036", 0x45, Some("gfx1030")),
    ("gfx10-3-generic", 0x1000053, Some("gfx1030")),
    ("gfx1100", 0x41, Some("gfx1100")),
    ("gfx1101", 0x46, Some("gfx1100")),
    ("gfx1102", 0x47, Some("gfx1100")),
    ("gfx1103", 0x44, Some("gfx1100")),
    ("gfx11-generic", 0x1000054, Some("gfx1100")),
    ("gfx1150", 0x43, Some("gfx1150")),
    ("gfx1151", 0x4a, Some("gfx1150")),
    ("gfx1152", 0x55, Some("gfx1150")),
    ("gfx1153", 0x58, Some("gfx1150")),
    ("gfx1200", 0x48, Some("gfx1200")),
    ("gfx1201", 0x4e, Some("gfx1200")),
    ("gfx12-generic", 0x1000059, Some("gfx1200")),
    ("gfx1250", 0x549, Some("gfx1250")),
    ("gfx1251", 0x55a, Some("gfx1251")),
];

/// Processors that LLVM 22 does not know, with the flags that LLVM 24 writes. The target that decodes each was found in
/// the same way, but with LLVM 24's assembler alone, because its package has no disassembler.
const NEWER_NAMES: &[(&str, u32, Option<&str>)] = &[
    ("gfx1154", 0x57, Some("gfx1150")),
    ("gfx1170", 0x5d, Some("gfx1170")),
    ("gfx1171", 0x5e, Some("gfx1170")),
    ("gfx1172", 0x5c, Some("gfx1170")),
    ("gfx11-7-generic", 0x1000062, Some("gfx1170")),
    ("gfx12-5-generic", 0x100045b, Some("gfx12-5-generic")),
    ("gfx1310", 0x50, Some("gfx1310")),
    ("gfx13-generic", 0x1000063, Some("gfx1310")),
    // Neither of the newer LLVMs knows this name, so its number is only a reported one.
    ("gfx1250-strict", 0xeb, Some("gfx1250")),
];

/// The names of both lists.
fn names() -> impl Iterator<Item = (&'static str, u32, Option<&'static str>)> {
    NAMES.iter().chain(NEWER_NAMES).copied()
}

#[test]
fn names_and_numbers_find_their_target() {
    for (name, e_flags, target) in names() {
        assert_eq!(name.parse::<Target>().ok().map(Target::name), target, "{name}");
        assert_eq!(name.to_uppercase().parse::<Target>().ok().map(Target::name), target, "{name}");
        // The other bits are features (XNACK, SRAM-ECC) and the version of a generic processor.
        assert_eq!(Target::from_e_flags(e_flags).map(Target::name), target, "{name}");
    }
    for target in Target::ALL {
        for name in target.aliases() {
            assert_eq!(name.parse(), Ok(*target), "{name}");
        }
        assert_eq!(Target::from_e_flags(target.mach()).map(Target::processor), Some(target.processor()));
    }
    let unknown = "gfx1".parse::<Target>().unwrap_err().to_string();
    assert!(Target::ALL.iter().all(|t| unknown.contains(t.name())), "{unknown}");
}

/// The other common names find their processor, and no processor has further names.
#[test]
fn other_names_find_their_processor() {
    let lines = include_str!("targets/names.tsv").lines().filter(|line| !line.starts_with('#'));
    let known: HashMap<&str, Vec<&str>> = lines
        .map(|line| line.split_once('\t').expect("a tab"))
        .map(|(p, names)| (p, names.split(' ').collect()))
        .collect();
    for processor in Processor::all() {
        let names = known.get(processor.name()).map_or(&[][..], Vec::as_slice);
        assert_eq!(processor.aliases(), names, "{processor}");
        assert!(names.iter().all(|name| name.parse() == Ok(processor)), "{names:?}");
    }
}

#[test]
fn processors_that_decode_alike_keep_their_own_names() {
    for (name, e_flags, target) in names() {
        let processor = Processor::from_e_flags(e_flags).expect(name);
        assert_eq!((processor.name(), processor.to_string().as_str()), (name, name));
        assert_eq!(name.parse(), Ok(processor));
        assert_eq!(processor.target().map(Target::name), target, "{name}");
        // LLVM writes a version for generic processors only.
        let version = Some((e_flags >> 24) as u8).filter(|&version| version != 0);
        assert_eq!(processor.generic_version(), version, "{name}");
        assert_eq!(version.is_some(), name.ends_with("-generic"), "{name}");
    }
    for number in 0..=255 {
        let found: Vec<_> = Processor::all().filter(|processor| processor.mach() == number).collect();
        assert!(found.len() <= 1, "{found:?}");
        assert_eq!(Processor::from_e_flags(0xffff_ff00 | number), found.first().copied());
    }
    // LLVM 19 had the two reserved processors, and LLVM 22 reserves their numbers; the rest are processors before GCN.
    let others = Processor::all().filter(|p| names().all(|(name, ..)| name != p.name()));
    let (reserved, old): (Vec<_>, Vec<_>) = others.partition(|p| p.target().is_some());
    assert_eq!(reserved.iter().map(|p| p.name()).collect::<Vec<_>>(), ["gfx940", "gfx941"]);
    assert!(old.iter().all(|p| (1..=0x10).contains(&p.mach())) && old.len() == 16, "{old:?}");
}

/// The list `NAMES` is LLVM's: `llvm-mc-22` knows no other processor, and writes these flags.
#[test]
fn numbers_are_those_that_llvm_writes() {
    let directory = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let llvm = |options: &[&str]| {
        let mut command = Command::new("llvm-mc-22");
        command.args(["-triple=amdgcn-amd-amdhsa"]).args(options).stdin(Stdio::null());
        let output = command.output().expect("llvm-mc-22, of the Debian package llvm-22, runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    };
    let flags = |processor: &str| {
        let path = directory.join(format!("{processor}.o"));
        llvm(&[&format!("-mcpu={processor}"), "-filetype=obj", "-o", path.to_str().unwrap()]);
        let object = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        u32::from_le_bytes(object[48..52].try_into().unwrap())
    };
    let help = llvm(&["-mcpu=help"]);
    let names = help.lines().filter(|l| l.contains("processor.")).filter_map(|l| l.split_whitespace().next());
    let mut seen = 0;
    // These two are not processors: their code has no number.
    for name in names.filter(|name| !["generic", "generic-hsa"].contains(name)) {
        let processor: Processor = name.parse().unwrap_or_else(|_| panic!("{name} is LLVM's, and not here"));
        if processor.name() == name {
            let (_, e_flags, _) = NAMES.iter().find(|(known, ..)| *known == name).expect(name);
            assert_eq!(flags(name), *e_flags, "{name}");
            seen += 1;
        } else {
            // The name is a code name, such as tahiti.
            assert_eq!(Processor::from_e_flags(flags(name)), Some(processor), "{name}");
        }
    }
    assert_eq!(seen, NAMES.len());
}

/// Newer LLVM versions spell gfx942 `amdgpu9.42`.
#[test]
fn names_in_triples_are_names_everywhere() {
    let numbered = |name: &str| {
        let number = name.strip_prefix("gfx").filter(|number| !number.contains('-'))?;
        let (major, rest) = number.split_at(number.len() - 2);
        Some(format!("amdgpu{major}.{rest}"))
    };
    for processor in Processor::all() {
        let Some(name) = numbered(processor.name()) else { continue };
        assert_eq!(name.parse(), Ok(processor), "{name}");
        assert_eq!(name.to_uppercase().parse(), Ok(processor), "{name}");
        assert_eq!(name.parse().ok(), processor.target(), "{name}");
    }
    assert_eq!("amdgpu9.42".parse::<Target>().map(Target::name), Ok("gfx942"));
    assert_eq!("amdgpu9.0a".parse::<Target>().map(Target::name), Ok("gfx90a"));
    for bad in
        ["amdgpu", "amdgpu9", "amdgpu9.4", "amdgpu94.2", "amdgpu9.420", "amdgpu942", "amdgpu9.4.2", "amdgpu1.030"]
    {
        assert_eq!(bad.parse::<Processor>(), Err(UnknownProcessor), "{bad}");
        assert!(bad.parse::<Target>().is_err(), "{bad}");
    }
}

/// docs/targets.md has a row for each processor that can be decoded, with each of its names, and nothing else.
#[test]
fn the_table_of_products_is_right_and_complete() {
    let page = include_str!("../docs/targets.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| gfx")).map(|line| format!("gfx{line}"));
    let mut rows: Vec<Vec<String>> =
        rows.map(|row| row.split('|').map(|cell| cell.trim().to_string()).collect()).collect();
    let plain = |name: &str| name.to_lowercase().replace([' ', '-', '_'], "");
    for processor in Processor::all() {
        let Some(target) = processor.target() else { continue };
        let at = rows.iter().position(|row| row[0] == processor.name());
        let row = rows.swap_remove(at.unwrap_or_else(|| panic!("no row for {processor}")));
        let [_, number, decodes, generation, names, products, _] = &row[..] else { panic!("{row:?}") };
        assert_eq!(*number, format!("{:#04x}", processor.mach()), "{processor}");
        assert_eq!((decodes.as_str(), generation.as_str()), (target.name(), target.generation()), "{processor}");
        let mut listed = Vec::new();
        for name in [names, products].iter().flat_map(|cell| cell.split(", ")).filter(|name| !name.is_empty()) {
            assert_eq!(name.parse(), Ok(processor), "{name}");
            assert_eq!(name.parse(), Ok(target), "{name}");
            listed.push(plain(name));
        }
        let mut aliases: Vec<_> = processor.aliases().iter().map(|alias| plain(alias)).collect();
        listed.sort();
        aliases.sort();
        assert_eq!(listed, aliases, "{processor}");
    }
    assert!(rows.is_empty(), "{rows:?}");
    for bad in ["", " ", "-", "rx7900xtx ", " rx7900xtx", "-rx7900xtx", "rx7900", "gfx11_00", "gfx 1100", "radeon"] {
        assert_eq!(bad.parse::<Processor>(), Err(UnknownProcessor), "{bad:?}");
    }
}

/// A generic processor has the operations that each of its members has, and nothing else.
#[test]
fn generic_targets_have_what_all_their_members_have() {
    for (generic, members) in [
        ("gfx9-generic", &["gfx900", "gfx902", "gfx904", "gfx906", "gfx909", "gfx90c"][..]),
        ("gfx9-4-generic", &["gfx942", "gfx950"]),
        ("gfx10-1-generic", &["gfx1010", "gfx1011", "gfx1012", "gfx1013"]),
        ("gfx10-3-generic", &["gfx1030", "gfx1031", "gfx1032", "gfx1033", "gfx1034", "gfx1035", "gfx1036"]),
        (
            "gfx11-generic",
            &["gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1152", "gfx1153", "gfx1154"],
        ),
        ("gfx11-7-generic", &["gfx1170", "gfx1171", "gfx1172"]),
        ("gfx12-generic", &["gfx1200", "gfx1201"]),
        ("gfx13-generic", &["gfx1310"]),
    ] {
        let target = |name: &str| name.parse::<Target>().expect(name);
        for opcode in Opcode::ALL {
            let forms = |name: &str| opcode.encodings(target(name)).collect::<HashSet<_>>();
            let mut all = members.iter().map(|name| forms(name)).reduce(|a, b| &a & &b).expect("it has members");
            // gfx942 and gfx950 read different numbers from the same eight bits: gfx942 uses the FNUZ formats, gfx950
            // the OCP formats.
            if generic == "gfx9-4-generic" && opcode.name().split('_').any(|part| ["fp8", "bf8"].contains(&part)) {
                all.clear();
            }
            assert_eq!(forms(generic), all, "{generic} {}", opcode.name());
        }
    }
}

/// A processor whose waves can have two sizes has two targets. Its names and ELF numbers stand for the first target.
#[test]
fn wave_sizes_have_targets_of_their_own() {
    let (narrow, wide) = (Target::Gfx1100, Target::Gfx1100Wave64);
    assert_eq!([narrow.wave_size(), wide.wave_size()], [32, 64]);
    for (target, name) in [(narrow, "gfx1100"), (wide, "gfx1100:wave64")] {
        assert_eq!((target.name(), target.processor(), name.parse()), (name, "gfx1100", Ok(target)));
        assert_eq!([32, 64].map(|lanes| target.with_wave_size(lanes)), [Some(narrow), Some(wide)]);
        assert_eq!(target.with_wave_size(16), None);
    }
    assert_eq!((Target::from_e_flags(narrow.mach()), narrow.mach()), (Some(narrow), wide.mach()));
    // Every mask is as wide as the wave, whether the text names it or not; a shift's pair of registers is a pair on
    // both targets.
    let text = |target, words: &[u32]| amdgpu_isa::decode_words(target, words).map(|inst| inst.to_string());
    for (words, in_narrow, in_wide) in [
        (&[0x7c22_0301][..], "v_cmp_lt_f32_e32 vcc_lo, v1, v1", "v_cmp_lt_f32_e32 vcc, v1, v1"),
        (&[0xd411_0004, 0x0002_0301], "v_cmp_lt_f32_e64 s4, v1, v1", "v_cmp_lt_f32_e64 s[4:5], v1, v1"),
    ] {
        assert_eq!(text(narrow, words), Ok(in_narrow.to_string()));
        assert_eq!(text(wide, words), Ok(in_wide.to_string()));
    }
    // v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v3, v2: dual instructions are only for waves of 32 lanes.
    let dual = [0xca10_0101, 0x0002_0102];
    assert!(text(narrow, &dual).is_ok(), "{:?}", text(narrow, &dual));
    assert!(matches!(text(wide, &dual), Err(amdgpu_isa::DecodeError::UnknownEncoding)));
}

/// Names of targets, and the text of the bytes on them.
type Group = (&'static str, &'static str);

#[test]
fn targets_of_one_generation_differ_where_they_do() {
    let text = |name: &str, bytes: &[u8]| {
        let target: Target = name.parse().unwrap();
        decode(target, bytes).map(|inst| inst.to_string()).map_err(|e| e.to_string())
    };
    #[rustfmt::skip]
    let cases: &[(&[u8], &[Group])] = &[
        (&[0x68, 0x00, 0x80, 0xbe], &[
            ("gfx801 gfx810 gfx900", "s_mov_b32 s0, xnack_mask_lo"),
            ("gfx802 gfx803 gfx805", "ssrc0 [7:0] = 104 is reserved"),
        ]),
        (&[0x00, 0x10, 0x28, 0xe0, 0x01, 0x02, 0x02, 0x04], &[
            ("gfx801 gfx802 gfx803 gfx805", "buffer_load_format_d16_xyz v[2:4], v1, s[8:11], s4 offen"),
            ("gfx810 gfx900 gfx904", "buffer_load_format_d16_xyz v[2:3], v1, s[8:11], s4 offen"),
        ]),
        (&[0x01, 0x00, 0xa0, 0xd3, 0x04, 0x0b, 0x1a, 0x04], &[
            ("gfx900 gfx902 gfx909 gfx90c", "v_mad_mix_f32 v1, v4, v5, v6"),
            ("gfx9-generic", "unknown VOP3P opcode 32"),
            ("gfx904 gfx906 gfx908 gfx90a gfx942 gfx950", "v_fma_mix_f32 v1, v4, v5, v6"),
        ]),
    ];
    for (bytes, groups) in cases {
        for (names, expected) in *groups {
            for name in names.split(' ') {
                let found = text(name, bytes).unwrap_or_else(|e| e);
                assert_eq!(found, *expected, "{name}");
            }
        }
    }
}
