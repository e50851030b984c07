//! The four pages of the GCN manual (SOPC, SOPP, SOP1, SOPK): every row is an operation of exactly the generations that
//! the page lists, with the page's number, and comes back bit for bit.
//!
//! The table next to this file omits mistakes of the pages, which are all in the text entries and not in the opcode
//! tables: syntax lines with another mnemonic (`S_ABS_B32`, `S_MOVK_I32` under `S_CMOVK_I32`, ...), numbers whose
//! hexadecimal form disagrees (`14 (0xd)`), and the second name `S_CMP_NE_U64` of `S_CMP_LG_U64`. The SOPP table has
//! lost its empty cells; its check marks count from the newest generation.
#![cfg(all(feature = "all-targets", feature = "text"))]

use amdgpu_isa::{Format, Opcode, Target, decode_words};

/// The column of the table for a target.
fn column(target: Target) -> Option<usize> {
    match target.name() {
        "gfx600" => Some(2),
        "gfx700" => Some(3),
        "gfx803" => Some(4),
        "gfx900" | "gfx906" => Some(5),
        _ => None,
    }
}

/// A word of the format with this opcode and zeros elsewhere.
fn word(format: &str, opcode: u32) -> u32 {
    match format {
        "SOPC" => 0xbf00_0000 | opcode << 16,
        "SOPP" => 0xbf80_0000 | opcode << 16,
        "SOP1" => 0xbe80_0000 | opcode << 8,
        "SOPK" => 0xb000_0000 | opcode << 23,
        _ => panic!("no page for {format}"),
    }
}

/// On GCN 1.0 and 1.1, for which LLVM has no disassembler, every operation has the bits that the manuals give to its
/// whole format. Southern Islands ISA 8.1 and table 8.6 (ADDR64, TFE), Sea Islands ISA 9.2 (FLAT: TFE).
#[test]
fn bits_of_a_format_are_bits_of_its_operations() {
    let whole = [("gfx600", Format::Mubuf, 15), ("gfx700", Format::Mubuf, 15), ("gfx700", Format::Flat, 55)];
    for (target, format, bit) in whole {
        let target: Target = target.parse().unwrap();
        let mut count = 0;
        // Operations that only invalidate a cache have no address.
        for opcode in Opcode::ALL.iter().filter(|opcode| !opcode.name().starts_with("buffer_wbinvl1")) {
            for encoding in opcode.encodings(target).filter(|encoding| encoding.format == format) {
                let fixed = if format == Format::Flat { 0xdc00_0000_u64 } else { 0xe000_0000 };
                let plain = fixed | u64::from(encoding.number) << 18;
                let accepts = |bits: u64| decode_words(target, &[bits as u32, (bits >> 32) as u32]).is_ok();
                assert!(!accepts(plain) || accepts(plain | 1 << bit), "{target}: {opcode} without bit {bit}");
                count += u32::from(accepts(plain));
            }
        }
        assert!(count > 30, "{target} {format}: {count}");
    }
}

#[test]
fn every_row_of_the_pages_holds() {
    let mut checked = 0;
    for &target in Target::ALL {
        let Some(column) = column(target) else { continue };
        let mut listed = Vec::new();
        for line in include_str!("gcn_pages.tsv").lines().filter(|l| !l.starts_with('#')) {
            let cells: Vec<&str> = line.split('\t').collect();
            let (format, mnemonic) = (cells[0], cells[1]);
            let here = cells[column].parse::<u32>().ok();
            if let Some(opcode) = here {
                let inst = decode_words(target, &[word(format, opcode), 0])
                    .unwrap_or_else(|e| panic!("{target} {format} {opcode} is {mnemonic}: {e}"));
                assert_eq!((inst.format().name(), inst.mnemonic()), (format, mnemonic), "{target} {opcode}");
                let mut again = [0; 2];
                let n = inst.encode_words(&mut again).expect("two dwords are enough");
                assert_eq!(again[..n], [word(format, opcode), 0][..n]);
                listed.push((format, opcode));
                checked += 1;
            }
        }
        // These formats have no other opcodes.
        for (format, bits) in [("SOPC", 7), ("SOPP", 7), ("SOP1", 8), ("SOPK", 5)] {
            for opcode in (0..1u32 << bits).filter(|&n| !listed.contains(&(format, n))) {
                // The last SOPK numbers are the encodings of SOP1, SOPC and SOPP.
                let other = decode_words(target, &[word(format, opcode), 0]).is_ok_and(|i| i.format().name() == format);
                assert!(!other, "{target} {format} {opcode} is not on the page");
            }
        }
    }
    let targets = Target::ALL.iter().filter(|&&t| column(t).is_some()).count();
    assert!(checked >= 100 * targets, "{checked} rows of {targets} targets");
}
