//! The settings that the command line and the editor choose.

use std::path::PathBuf;

use amdgpu_asm::{Options, Processor};
use serde_json::Value;

/// The settings of the server.
#[derive(Clone, Default)]
pub struct Settings {
    /// The processor of sources that name none.
    pub target: Option<Processor>,
    /// Whether hints are reported.
    pub hints: bool,
    /// The directories in which included files are searched, after the directory of the source.
    pub include: Vec<PathBuf>,
}

impl Settings {
    /// Adds the `initializationOptions` of the editor. Returns messages about wrong ones.
    pub fn add(&mut self, options: &Value) -> Vec<String> {
        let mut wrong = Vec::new();
        for (name, value) in options.as_object().into_iter().flatten() {
            match (name.as_str(), value) {
                ("target", Value::String(text)) => match text.parse() {
                    Ok(processor) => self.target = Some(processor),
                    Err(faults) => wrong.push(format!("target: {faults}")),
                },
                ("hints", Value::Bool(on)) => self.hints = *on,
                ("include", Value::Array(all)) => {
                    self.include.extend(all.iter().filter_map(Value::as_str).map(PathBuf::from));
                }
                (_, Value::Null) => {}
                _ => wrong.push(format!("there is no option {name:?} with such a value")),
            }
        }
        wrong
    }

    /// The options with which a source is assembled. `named`: the processor that it names; `directory`: the directory
    /// that it is in.
    pub fn options(&self, named: Option<Processor>, directory: Option<PathBuf>) -> Options {
        let mut options = Options::default();
        options.target = self.target.filter(|_| named.is_none());
        options.include = directory.into_iter().chain(self.include.iter().cloned()).collect();
        options.keeps_places = true;
        options
    }
}
