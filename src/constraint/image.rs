//! The number of registers of image data.

use crate::shared::image;

/// Number of registers of image data, for the kind of operation (`image::*`), its components and its flags.
pub(crate) const fn image_data_dwords(what: u8, dmask: u16, tfe: bool, d16: bool) -> u16 {
    let components = match (dmask & 15).count_ones() as u16 {
        _ if what & image::GATHER != 0 => 4,
        0 => 1,
        n => n,
    };
    let packed = if what & image::D16 != 0 && d16 { components.div_ceil(2) } else { components };
    let dwords = packed + tfe as u16;
    // In atomic operations without a comparison value, a number from four on counts as one. In those with a comparison
    // value, one counts as two.
    match dwords {
        4.. if what & image::ATOMIC != 0 => 1,
        1 if what & image::CMPSWAP != 0 => 2,
        n => n,
    }
}
