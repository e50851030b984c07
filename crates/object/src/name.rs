//! Names in files.

use alloc::borrow::Cow;
use alloc::string::String;
use core::borrow::Borrow;
use core::{fmt, str};

/// A name as the file has it: arbitrary bytes, which are nearly always UTF-8.
///
/// `Display` writes the text unchanged, with control characters, and U+FFFD in place of bytes that are not UTF-8, so
/// programs that write to a terminal have to escape the text. `Debug` escapes it.
///
/// ```
/// use amdgpu_object::Name;
/// let name = Name::from("saxpy");
/// assert!(name == "saxpy" && name.to_str() == Some("saxpy"));
/// assert_eq!(Name::from(&b"a\xff"[..]).to_string(), "a\u{fffd}");
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name<'a>(&'a [u8]);

impl<'a> Name<'a> {
    /// The bytes of the name.
    pub const fn as_bytes(self) -> &'a [u8] {
        self.0
    }

    /// The name as text; `None` if it is not UTF-8.
    pub fn to_str(self) -> Option<&'a str> {
        str::from_utf8(self.0).ok()
    }

    /// The name as text, with U+FFFD in place of bytes that are not UTF-8.
    pub fn to_text(self) -> Cow<'a, str> {
        String::from_utf8_lossy(self.0)
    }
}

impl<'a> From<&'a [u8]> for Name<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Name(bytes)
    }
}

impl<'a> From<&'a str> for Name<'a> {
    fn from(text: &'a str) -> Self {
        Name(text.as_bytes())
    }
}

impl Borrow<[u8]> for Name<'_> {
    fn borrow(&self) -> &[u8] {
        self.0
    }
}

impl PartialEq<str> for Name<'_> {
    fn eq(&self, text: &str) -> bool {
        self.0 == text.as_bytes()
    }
}

impl PartialEq<&str> for Name<'_> {
    fn eq(&self, text: &&str) -> bool {
        *self == **text
    }
}

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.to_text())
    }
}

impl fmt::Debug for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.escape_ascii())
    }
}

/// The length of the longest name in labels and errors, in characters. A limit is needed because a name is copied for
/// each part.
const LONGEST_NAME: usize = 256;

/// The name of a part, for labels and errors: its beginning and three dots if it is long.
pub(crate) fn shortened(name: &[u8]) -> String {
    // A character has four bytes at most.
    let is_cut = name.len() > 4 * LONGEST_NAME;
    let mut text = String::from_utf8_lossy(name.get(..4 * LONGEST_NAME).unwrap_or(name)).into_owned();
    if let Some((end, _)) = text.char_indices().nth(LONGEST_NAME) {
        text.truncate(end);
        text += "...";
    } else if is_cut {
        text += "...";
    }
    text
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    #[test]
    fn names_of_parts_are_cut_where_a_character_ends() {
        for letter in ["x", "\u{4e16}", "\u{1f600}"] {
            let name = letter.repeat(LONGEST_NAME);
            assert_eq!(shortened(name.as_bytes()), name);
            for more in [1, 1000] {
                assert_eq!(shortened(letter.repeat(LONGEST_NAME + more).as_bytes()), format!("{name}..."));
            }
        }
        assert_eq!(shortened(b"a\x1b\xffb"), "a\x1b\u{fffd}b");
    }
}
