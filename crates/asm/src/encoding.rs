//! Sources in encodings other than UTF-8.

use std::borrow::Cow;

/// The first of the 256 characters, for private use, that stand for bytes which are not UTF-8.
const FIRST: u32 = 0x10_fe00;

/// The text of a source, for [`assemble`](crate::assemble). LLVM's assembler takes sources in any encoding: bytes that
/// are not UTF-8 become characters for private use. Comments can contain these characters, and in strings they become
/// the same bytes again.
///
/// ```
/// let source = b"// Andr\xe9\n.amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\n.text\n.ascii \"\xe9\"\n";
/// let built = amdgpu_asm::assemble("a.s", &amdgpu_asm::source_text(source), &Default::default()).unwrap();
/// assert_eq!(built.code().next(), Some(&[0xe9][..]));
/// assert_eq!(amdgpu_asm::source_text(b"s_nop 0 // \xc3\xa9"), "s_nop 0 // é");
/// ```
pub fn source_text(bytes: &[u8]) -> Cow<'_, str> {
    let stands_for_byte = |text: &str| text.chars().any(|c| byte_of(c).is_some());
    if let Ok(text) = std::str::from_utf8(bytes) {
        if !stands_for_byte(text) {
            return Cow::Borrowed(text);
        }
    }
    let mut all = String::with_capacity(bytes.len());
    let character = |byte: &u8| char::from_u32(FIRST + u32::from(*byte)).unwrap_or(char::REPLACEMENT_CHARACTER);
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match byte_of(c) {
                Some(_) => all.extend(c.encode_utf8(&mut [0; 4]).as_bytes().iter().map(character)),
                None => all.push(c),
            }
        }
        all.extend(chunk.invalid().iter().map(character));
    }
    Cow::Owned(all)
}

/// The byte for which a character of [`source_text`] stands.
pub fn byte_of(c: char) -> Option<u8> {
    u8::try_from(u32::from(c).checked_sub(FIRST)?).ok()
}
