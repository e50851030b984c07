//! The rules of lint, and findings that are known.

use amdgpu_lint::baseline;
use amdgpu_lint::rules::{self as known, RuleInfo};
use pyo3::prelude::*;

use crate::errors::IsaError;
use crate::lint::Finding;
use crate::target::Wanted;

/// A rule that code is checked against.
#[pyclass(frozen, get_all, module = "amdgpu_isa")]
pub struct Rule {
    id: &'static str,
    severity: &'static str,
    title: &'static str,
    text: String,
    help: &'static str,
    needs: Option<String>,
    ends: &'static str,
    is_strict: bool,
    sources: Vec<&'static str>,
}

impl Rule {
    fn of(rule: &RuleInfo) -> Rule {
        Rule {
            id: rule.id,
            severity: rule.severity.name(),
            title: rule.title,
            text: rule.text.clone(),
            help: rule.help,
            needs: rule.needs(),
            ends: rule.ends(),
            is_strict: rule.is_strict,
            sources: rule.sources.clone(),
        }
    }
}

#[pymethods]
impl Rule {
    fn __str__(&self) -> String {
        let Rule { severity, id, title, .. } = self;
        format!("{severity}[{id}]: {title}")
    }

    fn __repr__(&self) -> String {
        format!("<{}>", self.__str__())
    }
}

/// The rules for a target, or those for all targets.
#[pyfunction]
#[pyo3(signature = (target = None, *, strict = false))]
pub fn rules(target: Option<Wanted>, strict: bool) -> Vec<Rule> {
    let all = target.map_or_else(known::every, |target| known::all(target.0));
    all.iter().filter(|rule| strict || !rule.is_strict).map(Rule::of).collect()
}

/// The faults that are not checked in code for a target, or for any target: the id of the rule, if it has one, and a
/// sentence.
#[pyfunction]
#[pyo3(signature = (target = None))]
pub fn unchecked(target: Option<Wanted>) -> Vec<(Option<&'static str>, &'static str)> {
    let of = |unchecked: known::Unchecked| (unchecked.id, unchecked.what);
    match target {
        Some(target) => known::unchecked(target.0).map(of).collect(),
        None => known::every_unchecked().map(of).collect(),
    }
}

/// Findings that are known.
#[pyclass(eq, module = "amdgpu_isa")]
#[derive(Clone, PartialEq)]
pub struct Baseline(baseline::Baseline);

#[pymethods]
impl Baseline {
    /// Reads the text of a baseline.
    #[new]
    #[pyo3(signature = (text = ""))]
    fn new(text: &str) -> PyResult<Baseline> {
        text.parse().map(Baseline).map_err(|error: baseline::BaselineError| IsaError::new_err(error.to_string()))
    }

    fn add(&mut self, finding: &Finding) {
        self.0.add_key(finding.key.clone());
    }

    fn take(&mut self, finding: &Finding) -> bool {
        self.0.take_key(&finding.key)
    }

    fn __copy__(&self) -> Baseline {
        self.clone()
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<{} known findings>", self.0.len())
    }
}
