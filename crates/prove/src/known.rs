//! Lists of known hazards in the code of another program.

/// Whether a list has this hazard: the rule, the register that both instructions access, and the text of the later
/// instruction. A line of the list has the rule, the beginning of the register's name, and the mnemonic, in which `*`
/// stands for any text. A line that begins with `#` is a comment.
pub fn is_fault(list: &str, rule: &str, register: &str, text: &str) -> bool {
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    let mnemonic = text.split(' ').next().unwrap_or_default();
    let is = |line: &str| {
        let [id, name, pattern] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let (start, end) = pattern.split_once('*').expect("any text");
        id == rule && register.starts_with(name) && mnemonic.starts_with(start) && mnemonic.ends_with(end)
    };
    lines.into_iter().any(is)
}

/// The register that a message of `lint` has in parentheses.
pub fn register_of(message: &str) -> &str {
    message.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map_or("", |(register, _)| register)
}
