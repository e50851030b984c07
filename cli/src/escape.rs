//! Escapes names from files and command lines before they are shown: a terminal obeys control characters, and text that
//! changes its own direction is misleading.

use std::borrow::Cow;
use std::fmt::Write;

/// The number of characters of a name that are shown in lines that refer to it, such as a branch. The line that defines
/// the name shows all of them.
pub const REFERENCE: usize = 256;
/// The replacement for the rest of a name that is cut.
pub const MORE: &str = "...";

/// A name with all invisible characters escaped: `\x1b`, `\u{202e}`, and `\xff` for bytes that are not UTF-8.
pub fn name(bytes: &[u8]) -> Cow<'_, str> {
    let is_visible = |byte: &u8| matches!(byte, b' '..=b'~');
    match std::str::from_utf8(bytes) {
        Ok(text) if bytes.iter().all(is_visible) || text.chars().all(is_plain) => Cow::Borrowed(text),
        _ => Cow::Owned(escaped(bytes, is_plain)),
    }
}

/// The name of a file.
pub fn path(path: &std::path::Path) -> String {
    name(path.as_os_str().as_encoded_bytes()).into_owned()
}

/// Escapes a message of the tool that may contain names, but keeps its line ends.
pub fn message(text: &str) -> String {
    escaped(text.as_bytes(), |c| c == '\n' || is_plain(c))
}

/// The beginning of a name, escaped, and `MORE` if it is cut. A file can refer to a name in every dword, so long names
/// would make the listing much longer than the file.
pub fn reference(name: &[u8]) -> (Cow<'_, str>, &'static str) {
    // A character has at most four bytes, and escaping only adds characters.
    let shown = self::name(name.get(..4 * REFERENCE + 4).unwrap_or(name));
    // Nearly all names are short. The number of characters is at most the number of bytes.
    if shown.len() <= REFERENCE {
        return (shown, "");
    }
    match shown.char_indices().nth(REFERENCE) {
        Some((end, _)) => {
            let cut = |text: &str| text.get(..end).unwrap_or_default().to_string();
            (Cow::Owned(cut(&shown)), MORE)
        }
        None => (shown, ""),
    }
}

/// A name of bounded length.
pub fn short(name: &[u8]) -> String {
    let (name, more) = reference(name);
    format!("{name}{more}")
}

fn escaped(bytes: &[u8], is_plain: impl Fn(char) -> bool) -> String {
    let mut text = String::with_capacity(bytes.len() + 16);
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            // Writing to a String cannot fail.
            _ = match c {
                c if is_plain(c) => text.write_char(c),
                '\0'..='\x7f' => write!(text, "\\x{:02x}", u32::from(c)),
                c => write!(text, "\\u{{{:x}}}", u32::from(c)),
            };
        }
        chunk.invalid().iter().for_each(|byte| _ = write!(text, "\\x{byte:02x}"));
    }
    text
}

/// Whether a terminal shows the character as it is: false for control characters, line ends, and invisible characters,
/// such as those that change the direction of text.
pub fn is_plain(c: char) -> bool {
    !c.is_control()
        && !matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_is_left() {
        let all: String = ('\0'..=char::MAX).collect();
        for text in [name(all.as_bytes()).into_owned(), message(&all)] {
            assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "a control character");
            assert!(!text.contains(['\u{202e}', '\u{2066}', '\u{200f}', '\u{2028}']));
        }
        assert!(!name(all.as_bytes()).contains('\n'));
        assert_eq!(message("two\nlines\r\u{9b}31m"), "two\nlines\\x0d\\u{9b}31m");
        assert_eq!(name(b"a\x1b[31mb\x7f"), "a\\x1b[31mb\\x7f");
        assert_eq!(name("left\u{202e}thgir".as_bytes()), "left\\u{202e}thgir");
        assert_eq!(name(b"\xff\xc3\xa9\xc3"), "\\xff\u{e9}\\xc3");
        assert_eq!(path(std::path::Path::new("a\nb")), "a\\x0ab");
    }

    #[test]
    fn what_can_be_shown_is_not_touched() {
        for plain in ["", "_ZN5saxpyEPfS_", "f<int, \"s\">::operator()\\", "\u{e9}\u{4e16}\u{1f600}"] {
            assert!(matches!(name(plain.as_bytes()), Cow::Borrowed(text) if text == plain), "{plain}");
        }
    }

    #[test]
    fn long_names_are_cut_where_a_character_ends() {
        for letter in ["x", "\u{4e16}", "\u{1f600}"] {
            let name = letter.repeat(REFERENCE);
            assert_eq!(reference(name.as_bytes()), (Cow::Borrowed(&*name), ""));
            for more in [1, 1000] {
                let long = letter.repeat(REFERENCE + more);
                assert_eq!(reference(long.as_bytes()), (Cow::Borrowed(&*name), "..."));
            }
        }
    }
}
