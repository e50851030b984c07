//! The rules of images: data and addresses whose size depends on other fields. The comment of a rule describes the
//! words to which it applies.

use super::*;

/// A ray of RDNA4 with a16 (6) and a fifth address field (63:56) that is not zero.
pub fn llvm_lacks_idle_ray_address(case: &Case) -> bool {
    let idle = field(case, 26, 6) == 0b110100 && field(case, 6, 1) == 1 && field(case, 56, 8) != 0;
    let ray = matches!(&case.ours, Ours::Inst { text, .. } if text.starts_with("image_bvh"));
    idle && ray && case.llvm == Answer::Reject
}

/// Whether a word is MIMG with an NSA dword.
pub fn nsa(case: &Case) -> bool {
    field(case, 26, 6) == 0b111100 && if is_gfx10(case) { field(case, 1, 2) != 0 } else { field(case, 0, 1) == 1 }
}

/// NSA dwords that name fewer registers than the address has.
pub fn we_refuse_short_nsa(case: &Case) -> bool {
    let named = 1 + 4 * field(case, 1, 2) as usize;
    let ours = matches!(&case.ours, Ours::Refused(reason) if reason.starts_with("nsa "));
    let all = |text: &str| {
        text.split(['[', ']']).nth(if text.contains(" v[") { 3 } else { 1 }).map(|list| list.split(", ").count())
    };
    ours && nsa(case) && refused_text(case).and_then(all) == Some(named)
}

/// The parts of a text: the mnemonic, the first register and the number of registers of the data, the same two of the
/// address, and the rest.
pub fn image_parts(text: &str) -> Option<(&str, &str, usize, &str, usize, &str)> {
    let (mnemonic, operands) = text.split_once(' ')?;
    let (data, operands) = operands.trim_start().split_once(", ")?;
    let at = [", s[", ", [s", ", ttmp["].iter().filter_map(|resource| operands.find(resource)).min()?;
    let (address, rest) = operands.split_at(at);
    let run = |text: &str| match text.split_once(':') {
        Some((first, last)) => {
            let last: usize = last.trim_end_matches(']').parse().ok()?;
            last.checked_sub(first.trim_start_matches("v[").parse().ok()?).map(|n| n + 1)
        }
        None => Some(1),
    };
    let size = |text: &str| text.trim_start_matches('[').split(", ").map(run).sum::<Option<usize>>();
    fn first(text: &str) -> &str {
        let register = text.trim_start_matches(['[', 'v']);
        register.split([':', ',', ']']).next().unwrap_or("")
    }
    Some((mnemonic, first(data), size(data)?, first(address), size(address)?, rest))
}

/// Three registers of gathered data, an address of one register in an NSA dword, an address of the dimension 7, an
/// atomic operation whose dmask does not fit it, or a tuple that continues after v255.
pub fn image_size_that_llvm_lacks(case: &Case) -> bool {
    let parts = texts(case).and_then(|(ours, llvm)| Some((image_parts(ours)?, image_parts(llvm)?)));
    let Some(((op, data, data_size, address, size, rest), theirs)) = parts else { return false };
    let same = (op, data, address, rest) == (theirs.0, theirs.1, theirs.3, theirs.5);
    let gather = op.starts_with("image_gather4") && data_size == 3;
    let (dim, dmask, tfe) = match field(case, 26, 6) {
        0b111100 if is_gfx10(case) => (3, 8, 16),
        0b111100 => (2, 8, 53),
        0b110100 => (0, 22, 55),
        0b111001 => (0, 22, 3),
        _ => return false,
    };
    let array = field(case, dim, 3) == 7
        && (op.starts_with("image_sample")
            || op.starts_with("image_gather4")
            || op.contains("_mip")
            || op.contains("_lod"));
    let registers = field(case, dmask, 4).count_ones().max(1) + field(case, tfe, 1) as u32;
    let atomic = op.starts_with("image_atomic") && (registers >= 4 || registers == 1 && op.ends_with("cmpswap"));
    // LLVM lacks tuples of these sizes that continue after v255.
    let past = texts(case).is_some_and(|(ours, _)| last_registers(ours, 'v').any(|register| register > 255));
    same && (gather || array || atomic || past || nsa(case) && size == 1)
}

/// MIMG gather4 (64 to 95) with tfe (16) and d16 (63): the texts differ only in the last register of the data, which is
/// one less in LLVM's.
pub fn gather_with_tfe_and_d16(case: &Case) -> bool {
    let gather = field(case, 26, 6) == 0b111100 && (64..96).contains(&field(case, 18, 7));
    let one_less = texts(case).is_some_and(|(ours, llvm)| {
        let Some((before, rest)) = ours.split_once(':') else { return false };
        let Some((last, after)) = rest.split_once(']') else { return false };
        last.parse::<u32>().is_ok_and(|last| llvm == format!("{before}:{}]{after}", last - 1))
    });
    gather && one_less && field(case, 16, 1) == 1 && field(case, 63, 1) == 1
}

/// MIMG with data at an odd register: LLVM names only the first register.
pub fn misaligned_image_data(case: &Case) -> bool {
    let (Ours::Inst { len: 8, text, .. }, Answer::Text { len: 8, text: llvm, .. }) = (&case.ours, &case.llvm) else {
        return false;
    };
    let Some((before, after)) = text.split_once('[') else { return false };
    let Some((first, after)) = after.split_once(':') else { return false };
    let Some((_, after)) = after.split_once(']') else { return false };
    let odd = field(case, 40, 1) == 1 && first.parse() == Ok(field(case, 40, 8));
    let theirs = llvm.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
    // LLVM may also print a tuple, with a comment that it must not begin at this register.
    let named = |theirs: &str| {
        theirs == first || theirs.starts_with(&format!("[{first}:")) && theirs.ends_with("_Align2' register class*/")
    };
    field(case, 26, 6) == 0b111100 && odd && theirs.is_some_and(named)
}

/// Image data or addresses that continue after v255: LLVM prints another number of registers.
pub fn we_refuse_image_data_past_the_end(case: &Case) -> bool {
    // The bits of data and addresses in MIMG, and in VIMAGE and VSAMPLE.
    let ends = match field(case, 26, 6) {
        0b111100 if is_rdna(case) => [field(case, 40, 8), field(case, 32, 8), field(case, 88, 8)],
        0b111100 => [field(case, 40, 8), 0, 0],
        0b110100 | 0b111001 if is_rdna(case) => [field(case, 32, 8), field(case, 88, 8), 0],
        _ => return false,
    };
    let ours =
        matches!(&case.ours, Ours::Refused(reason) if reason.starts_with("vdata") || reason.starts_with("vaddr"));
    ours && ends.iter().any(|&end| end > 240) && refused_text(case).is_some()
}
