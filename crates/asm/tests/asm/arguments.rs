//! Arguments of macros, and the text that a macro becomes.

use super::{fault, good, options};

/// The texts of five arguments, between brackets.
fn shown(arguments: &str) -> String {
    let source =
        format!(".text\n.macro show a, b, c, d, e\n.ascii \"<\\a><\\b><\\c><\\d><\\e>\"\n.endm\nshow {arguments}");
    let built = good(&source);
    let code = built.code().next().expect("a section of code");
    String::from_utf8(code.to_vec()).expect("text")
}

#[test]
fn arguments_end_at_commas_and_blanks_but_not_beside_operators() {
    assert_eq!(shown("s0 1,v[0:1]"), "<s0><1><v[0:1]><><>");
    assert_eq!(shown("1 + 2 , -3, |v1|"), "<1+2><-3><|v1|><><>");
    assert_eq!(shown("(a, b) \"c, d\",,1e-5"), "<(a, b)><c, d><><1e-5><>");
    let unclosed = fault(".macro m a\n.endm\nm (a", &options());
    assert_eq!((unclosed.place.map(|place| place.column), &*unclosed.message), (Some(5), "`)` expected"));
}

#[test]
fn a_body_has_names_numbers_and_ends_of_names() {
    let body = |before: &str, body: &str| {
        let source = format!(".text\n{before}\n.macro m a\n.endm\n.macro n b\n.ascii \"{body}\"\n.endm\nm\nm\nn x\n");
        String::from_utf8(good(&source).code().next().expect("a section of code").to_vec()).expect("text")
    };
    // `b.x` is not an argument, so the string keeps `\b`, which is a backspace.
    assert_eq!(body("", "\\b\\()c \\b.x \\@ \\+ b&"), "xc \u{8}.x 2 0 b&");
    assert_eq!(body(".altmacro", "\\b\\()c \\b.x \\@ \\+ b&"), "xc \u{8}.x 2 0 x");
}
