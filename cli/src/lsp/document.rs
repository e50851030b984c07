//! A source that is open in the editor.

use std::cell::OnceCell;
use std::path::PathBuf;
use std::sync::Arc;

use amdgpu_asm::outline::{Outline, Part};
use amdgpu_isa::Target;
use lsp_types::{TextDocumentContentChangeEvent, Uri};

use super::settings::Settings;
use super::text::Text;

pub struct Document {
    pub uri: Uri,
    /// The number of the version in the editor.
    pub version: i32,
    /// The number of the version in the server, which no other version of any document has.
    pub revision: u64,
    pub text: Arc<Text>,
    outline: OnceCell<Outline>,
}

impl Document {
    pub fn new(uri: Uri, version: i32, revision: u64, text: Text) -> Document {
        Document { uri, version, revision, text: Arc::new(text), outline: OnceCell::new() }
    }

    pub fn change(&mut self, version: i32, revision: u64, changes: Vec<TextDocumentContentChangeEvent>) {
        let text = Arc::make_mut(&mut self.text);
        changes.into_iter().for_each(|change| text.change(change));
        (self.version, self.revision, self.outline) = (version, revision, OnceCell::new());
    }

    pub fn outline(&self) -> &Outline {
        self.outline.get_or_init(|| Outline::of(self.text.as_str()))
    }

    /// The target of the instructions.
    pub fn target(&self, settings: &Settings) -> Option<Target> {
        self.outline().processor.or(settings.target).map(|processor| processor.target())
    }

    /// The last part of a statement that begins at or before a byte, in the line of this byte.
    pub fn part(&self, at: usize) -> Option<&Part> {
        let line = self.text.line_at(at);
        self.outline().part_before(at).filter(|part| part.word.start >= line.start)
    }

    /// Whether a byte is in a comment.
    pub fn is_comment(&self, at: usize) -> bool {
        let before = self.text.get(self.text.line_at(at).start..at).trim_end();
        let last = self.text.line_at(at).start + before.len();
        let same = |at: usize| self.text.as_str().as_bytes().get(at) == self.outline().code.as_bytes().get(at);
        last.checked_sub(1).is_some_and(|last| !same(last)) && !before.is_empty() && !before.ends_with("*/")
    }
}

/// The directory of a document that is a file.
pub fn directory(uri: &Uri) -> Option<PathBuf> {
    let path = uri.as_str().strip_prefix("file://")?;
    let path = path.get(path.find('/')?..)?;
    let mut bytes = Vec::new();
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            byte => byte,
        });
    }
    let path = String::from_utf8(bytes).ok()?;
    // On Windows, a drive follows the first slash.
    let path = path.strip_prefix('/').filter(|path| path.get(1..2) == Some(":")).unwrap_or(&path);
    PathBuf::from(path).parent().map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_a_directory() {
        let of = |uri: &str| directory(&uri.parse().expect("an address"));
        assert_eq!(of("file:///a%20b/c.s"), Some("/a b".into()));
        assert_eq!(of("file:///C%3A/d/c.s"), Some("C:/d".into()));
        assert_eq!((of("untitled:x"), of("file:///%ff/x")), (None, None));
    }
}
