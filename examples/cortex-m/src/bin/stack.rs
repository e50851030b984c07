//! Measures how much stack decoding takes, for 65,536 random pieces of code of 0 to 20 bytes. Most pieces are refused,
//! for various reasons.
#![no_std]
#![no_main]

use amdgpu_isa::decode;
use amdgpu_isa_cortex_m::{exit, keep, print, print_number, stack_of, target};

#[unsafe(no_mangle)]
extern "C" fn app() -> ! {
    let (mut most, mut accepted, mut seed) = (0, 0u32, 0x942u32);
    for high in 0..=0xffffu32 {
        let mut bytes = [0; 20];
        for (n, chunk) in bytes.chunks_exact_mut(4).enumerate() {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            // Zeros are valid more often than other values; 249, 250 and 255 announce another dword.
            let word = match (n, seed >> 29) {
                (0, 0) => high << 16 | 0xff,
                (0, 1) => high << 16 | 0xf9,
                (0, 2) => high << 16 | 0xfa,
                (0, 3) => high << 16,
                (0, _) => high << 16 | seed >> 16,
                (_, 0..=4) => 0,
                _ => seed,
            };
            chunk.iter_mut().zip(word.to_le_bytes()).for_each(|(to, from)| *to = from);
        }
        let code = bytes.get(..(seed >> 8) as usize % 32).unwrap_or(&bytes);
        let used = stack_of(|| match decode(target(), code) {
            Ok(inst) => {
                accepted += 1;
                keep(inst.len() as u32);
            }
            Err(_) => keep(0),
        });
        if used > most {
            most = used;
        }
    }
    print(b"accepted: ");
    print_number(accepted);
    print(b"\nbytes of stack: ");
    print_number(most as u32);
    print(b"\n");
    exit(accepted > 1000 && most > 0)
}
