//! The parts of a function under construction.

use std::collections::BTreeMap;

/// The parts of a function under construction.
#[derive(Default)]
pub struct Parts {
    types: Vec<String>,
    pub constants: Vec<String>,
    /// The name and type of each parameter.
    parameters: Vec<(String, String)>,
    pub calls: String,
    /// The name of each parameter, and a description of valid values for the tests.
    pub tests: Vec<(String, String)>,
    /// The generic type of the operands that share an AccVGPR bit, for each such bit.
    pub shared: BTreeMap<u8, String>,
    /// Whether an operand can be a literal.
    pub literal: bool,
    /// Whether an operand can be a literal of 64 bits.
    pub long: bool,
    /// The number of dwords that can name registers of an image address.
    pub more: u8,
}

impl Parts {
    /// Adds a generic type, and returns its name.
    pub fn generic(&mut self, bound: &str) -> String {
        let name = char::from(b'A' + (self.types.len() + self.constants.len()) as u8).to_string();
        self.types.push(format!("{name}: {bound}"));
        name
    }

    pub fn parameter(&mut self, name: &str, ty: String, test: String) {
        self.parameters.push((name.into(), ty));
        self.tests.push((name.into(), test));
    }

    /// The generics of the function, in angle brackets.
    pub fn generics(&self) -> String {
        let generics: Vec<String> = self.types.iter().chain(&self.constants).cloned().collect();
        if generics.is_empty() { String::new() } else { format!("<{}>", generics.join(", ")) }
    }

    /// The list of parameters with their types.
    pub fn list(&self) -> String {
        let list: Vec<String> = self.parameters.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
        list.join(", ")
    }

    pub fn names(&self) -> Vec<&str> {
        self.parameters.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// The number of dwords of the longest literal.
    pub fn literal_dwords(&self) -> u8 {
        if self.long { 2 } else { self.literal.into() }
    }
}
