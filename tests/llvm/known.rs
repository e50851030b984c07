//! Words that the library accepts, for operations that demand values of several fields together, which random words
//! rarely have.

use amdgpu_isa::Target;
use amdgpu_llvm::Word;
use amdgpu_prove::words::{Filling, Rng, attempt, encodings, layout, repair};

/// The number of words that are tried of each encoding in each of its forms.
const EACH: usize = 6;

/// A few words of each encoding of the target, without a dword after the base words, and with each kind of such dwords.
pub fn words(target: Target) -> Vec<Word> {
    let library = target;
    let mut rng = Rng(1);
    let mut words = Vec::new();
    for (format, number, _) in encodings(library) {
        let base = layout(library, format);
        for form in std::iter::once(None).chain(base.extends.iter().map(Some)) {
            for round in 0..EACH {
                let filling = [Filling::Zero, Filling::Vgprs, Filling::Typical][round % 3];
                let mut dwords = attempt(library, base, number, form, filling, &mut rng);
                if repair(library, &mut dwords, &mut rng).is_some() {
                    words.push(Word::new(&dwords.map(u32::to_le_bytes).concat()));
                }
            }
        }
    }
    words
}
