//! The tables of a manual, `tests/manuals/*.txt`: facts alone, as printed except for these rules.
//!
//! Names are in lower case, with `_` for spaces. A line `FORMAT, PLACE` begins the rows that the manual prints there:
//! the section of its instruction chapter and the table of its chapter of microcode formats (`t54`), or only one of
//! them if the other lacks the rows. A line `VOP3 = VOP2 + 256, PLACE` stands for rows that the manual does not print
//! but defines by this rule.

use std::collections::BTreeMap;

/// A row: its format, its number and its mnemonic.
pub type Op = (&'static str, u16, &'static str);

pub struct Table {
    /// Each row, and the places that contain it.
    pub rows: BTreeMap<Op, Vec<&'static str>>,
    /// The number of rows that only a rule defines.
    pub ruled: usize,
}

/// The name here for formats with the same opcode numbers. A manual prints them in one table or in several.
pub fn space(format: &'static str) -> &'static str {
    match format {
        "VOP3A" | "VOP3B" | "VOP3-INTERP" => "VOP3",
        "VOP3P-MAI" => "VOP3P",
        "VOP3PX2" | "VOP3PX2S16" => "VOP3PX",
        other => other,
    }
}

impl Table {
    pub fn read(text: &'static str) -> Table {
        let mut table = Table { rows: BTreeMap::new(), ruled: 0 };
        let (mut format, mut places) = ("", Vec::new());
        let mut rules = Vec::new();
        for line in text.lines().filter(|l| !l.starts_with('#')) {
            if let Some((head, place)) = line.split_once(", ") {
                match head.split_once(" = ") {
                    Some((to, rule)) => {
                        let (from, add) = rule.split_once(" + ").unwrap_or_else(|| panic!("no rule: {line}"));
                        rules.push((to, from, number(add), place));
                    }
                    // Each word of `12.5; 13.1.5 t67` is a place.
                    None => {
                        (format, places) = (space(head), place.split([';', ' ']).filter(|p| !p.is_empty()).collect())
                    }
                }
                continue;
            }
            let (n, name) = line.split_once(' ').unwrap_or_else(|| panic!("no row: {line}"));
            assert!(!format.is_empty(), "a row before the first table: {line}");
            table.rows.entry((format, number(n), name)).or_default().extend(&places);
        }
        for (to, from, add, place) in rules {
            let ruled: Vec<Op> = table.of(from).map(|(n, name)| (to, n + add, name)).collect();
            assert!(!ruled.is_empty(), "the rule for {from} is about no row");
            for op in ruled {
                table.ruled += usize::from(!table.rows.contains_key(&op));
                table.rows.entry(op).or_default().push(place);
            }
        }
        table
    }

    /// The opcode numbers and names of a format.
    pub fn of(&self, format: &str) -> impl Iterator<Item = (u16, &'static str)> {
        self.rows.keys().filter(move |op| op.0 == format).map(|op| (op.1, op.2))
    }

    /// Whether the manual has the row at this place. For a row that the manual omits: whether its rows of the same
    /// format are there.
    pub fn is_at(&self, op: &Op, place: &str) -> bool {
        let place = place.strip_prefix("table ").map_or(place.to_string(), |n| format!("t{n}"));
        match self.rows.get(op) {
            Some(places) => places.contains(&place.as_str()),
            None => self.rows.iter().any(|(other, places)| other.0 == op.0 && places.contains(&place.as_str())),
        }
    }
}

fn number(text: &str) -> u16 {
    text.parse().unwrap_or_else(|_| panic!("no number: {text}"))
}
