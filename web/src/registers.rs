//! Sets of registers as text: `s[0:3], v7, vcc_lo`.

use amdgpu_isa::facts::RegSet;

pub fn text(set: RegSet) -> String {
    // The runs of registers: the name, and the first and the last number.
    let mut runs: Vec<(String, Option<(u32, u32)>)> = Vec::new();
    for register in set.iter() {
        let name = register.to_string();
        let digits = name.find(|c: char| c.is_ascii_digit()).unwrap_or(name.len());
        let (letters, digits) = name.split_at(digits);
        let number = digits.parse().ok();
        match (runs.last_mut(), number) {
            (Some((before, Some((_, last)))), Some(number)) if before == letters && *last + 1 == number => {
                *last = number
            }
            (_, Some(number)) => runs.push((letters.into(), Some((number, number)))),
            (_, None) => runs.push((name, None)),
        }
    }
    let run = |(name, numbers): (String, Option<(u32, u32)>)| match numbers {
        None => name,
        Some((first, last)) if first == last => format!("{name}{first}"),
        Some((first, last)) => format!("{name}[{first}:{last}]"),
    };
    runs.into_iter().map(run).collect::<Vec<_>>().join(", ")
}
