//! Every common name finds its target, and processors that decode differently have different targets.
#![cfg(feature = "all-targets")]

use amdgpu_isa::{Target, decode};

/// LLVM 22's names of each generation, with the number in the ELF header and the target that decodes it. To find out
/// which ones decode alike, LLVM's disassembler and assembler were given the same 400,000 words and 5,700 texts for
/// each.
const NAMES: &[(&str, u32, &str)] = &[
    ("gfx600", 0x20, "gfx600"),
    ("gfx601", 0x21, "gfx600"),
    ("gfx602", 0x3a, "gfx600"),
    ("gfx700", 0x22, "gfx700"),
    ("gfx701", 0x23, "gfx700"),
    ("gfx702", 0x24, "gfx700"),
    ("gfx703", 0x25, "gfx700"),
    ("gfx704", 0x26, "gfx700"),
    ("gfx705", 0x3b, "gfx700"),
    ("gfx801", 0x28, "gfx801"),
    ("gfx802", 0x29, "gfx803"),
    ("gfx803", 0x2a, "gfx803"),
    ("gfx805", 0x3c, "gfx803"),
    ("gfx810", 0x2b, "gfx810"),
    ("gfx900", 0x2c, "gfx900"),
    ("gfx902", 0x2d, "gfx900"),
    ("gfx904", 0x2e, "gfx904"),
    ("gfx906", 0x2f, "gfx906"),
    ("gfx908", 0x30, "gfx908"),
    ("gfx909", 0x31, "gfx900"),
    ("gfx90c", 0x32, "gfx900"),
    ("gfx90a", 0x3f, "gfx90a"),
    ("gfx942", 0x4c, "gfx942"),
    ("gfx950", 0x4f, "gfx950"),
    ("gfx1010", 0x33, "gfx1010"),
    ("gfx1011", 0x34, "gfx1011"),
    ("gfx1012", 0x35, "gfx1011"),
    ("gfx1013", 0x42, "gfx1013"),
    ("gfx1030", 0x36, "gfx1030"),
    ("gfx1031", 0x37, "gfx1030"),
    ("gfx1032", 0x38, "gfx1030"),
    ("gfx1033", 0x39, "gfx1030"),
    ("gfx1034", 0x3e, "gfx1030"),
    ("gfx1035", 0x3d, "gfx1030"),
    ("gfx1036", 0x45, "gfx1030"),
    ("gfx1100", 0x41, "gfx1100"),
    ("gfx1101", 0x46, "gfx1100"),
    ("gfx1102", 0x47, "gfx1100"),
    ("gfx1103", 0x44, "gfx1100"),
    ("gfx1150", 0x43, "gfx1150"),
    ("gfx1151", 0x4a, "gfx1150"),
    ("gfx1152", 0x55, "gfx1150"),
    ("gfx1153", 0x58, "gfx1150"),
    ("gfx1200", 0x48, "gfx1200"),
    ("gfx1201", 0x4e, "gfx1200"),
];

/// Other names that people use, of chips, products and generations, by target. They are AMD's; LLVM and its headers lack most.
/// `gfx940` and `gfx941` were MI300's first versions, with ELF numbers of their own (0x40 and 0x4b) until LLVM 20.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("gfx600", "si southern_islands tahiti pitcairn verde oland hainan gcn1.0"),
    ("gfx700", "ci sea_islands kaveri hawaii bonaire kabini mullins gcn1.1"),
    ("gfx803", "vi volcanic_islands tonga iceland fiji polaris polaris10 polaris11 gcn1.2"),
    ("gfx801", "carrizo"),
    ("gfx810", "stoney"),
    ("gfx900", "vega vega10 raven renoir gcn1.4"),
    ("gfx904", "vega12"),
    ("gfx906", "vega20 mi50 mi60 radeonvii"),
    ("gfx908", "mi100 arcturus cdna1"),
    ("gfx90a", "mi200 mi210 mi250 mi250x aldebaran cdna2"),
    ("gfx942", "gfx940 gfx941 mi300 mi300a mi300x mi325x aqua_vanjaram cdna3"),
    ("gfx950", "mi350 mi350x mi355x cdna4"),
    ("gfx1010", "navi10 rdna1"),
    ("gfx1011", "navi12 navi14"),
    ("gfx1030", "navi21 navi22 navi23 navi24 vangogh rembrandt raphael rdna2"),
    ("gfx1100", "navi31 navi32 navi33 phoenix rdna3"),
    ("gfx1150", "strix strix_halo krackan rdna3.5"),
    ("gfx1200", "navi44 navi48 rdna4"),
];

#[test]
fn names_and_numbers_find_their_target() {
    let mut faults = Vec::new();
    for &(name, mach, target) in NAMES {
        let of_name = |name: &str| name.parse::<Target>().map_or("no target", Target::name);
        // The other bits are features: XNACK, SRAM-ECC.
        let of_mach = Target::from_e_flags(mach | 0x500).map_or("no target", Target::name);
        for found in [of_name(name), of_name(&name.to_uppercase()), of_mach] {
            if found != target {
                faults.push(format!("{name}, {mach:#x}: {found}"));
            }
        }
    }
    for target in Target::ALL {
        for name in target.aliases() {
            assert_eq!(name.parse(), Ok(*target), "{name}");
        }
        // No name and no number besides those of the lists.
        let of_it = |name: &str| target.processor() == name;
        let mut names: Vec<&str> = NAMES.iter().filter(|n| of_it(n.2) && n.0 != n.2).map(|n| n.0).collect();
        names.extend(OTHER_NAMES.iter().filter(|n| of_it(n.0)).flat_map(|n| n.1.split(' ')));
        let mut known = target.aliases().to_vec();
        names.sort();
        known.sort();
        let same = known == names || target.name() != target.processor() && known.is_empty();
        faults.extend((!same).then(|| format!("{target}: {known:?}, and not {names:?}")));
        let mut machs: Vec<u32> = NAMES.iter().filter(|n| of_it(n.2)).map(|n| n.1).collect();
        machs.extend([0x40, 0x4b].into_iter().filter(|_| of_it("gfx942")));
        let mut found = target.machs().to_vec();
        // Its own number is the first.
        let first = NAMES.iter().find(|n| of_it(n.0)).map(|n| n.1) == Some(found[0]);
        machs.sort();
        found.sort();
        faults.extend((!first || found != machs).then(|| format!("{target}: {found:x?}, and not {machs:x?}")));
        assert_eq!(Target::from_e_flags(target.mach()).map(Target::processor), Some(target.processor()));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let unknown = "gfx1".parse::<Target>().unwrap_err().to_string();
    assert!(Target::ALL.iter().all(|t| unknown.contains(t.name())), "{unknown}");
}

/// A processor whose waves can have two sizes is two targets, of which names and ELF numbers mean the first.
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
    // Every mask is as wide as the wave, named or not; a shift's pair of registers is a pair on both.
    let text = |target, words: &[u32]| amdgpu_isa::decode_words(target, words).map(|inst| inst.to_string());
    for (words, in_narrow, in_wide) in [
        (&[0x7c22_0301][..], "v_cmp_lt_f32_e32 vcc_lo, v1, v1", "v_cmp_lt_f32_e32 vcc, v1, v1"),
        (&[0xd411_0004, 0x0002_0301], "v_cmp_lt_f32_e64 s4, v1, v1", "v_cmp_lt_f32_e64 s[4:5], v1, v1"),
    ] {
        assert_eq!(text(narrow, words), Ok(in_narrow.to_string()));
        assert_eq!(text(wide, words), Ok(in_wide.to_string()));
    }
    // v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v3, v2: two operations at once are for waves of 32 lanes.
    let dual = [0xca10_0101, 0x0002_0102];
    assert!(text(narrow, &dual).is_ok(), "{:?}", text(narrow, &dual));
    assert!(matches!(text(wide, &dual), Err(amdgpu_isa::DecodeError::UnknownEncoding)));
}

/// Names, and the text that they give for the bytes.
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
