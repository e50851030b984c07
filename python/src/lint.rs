//! Checks and repairs of code objects, as the package amdgpu-lint makes them.

use amdgpu_lint::Settings;
use amdgpu_lint::baseline::Key;
use amdgpu_lint::check::{self, Severity};
use amdgpu_lint::repair::{self, Repair};
use amdgpu_object::{CannotReplace, Error, Part, Refusal};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::bulk::Code;
use crate::errors;
use crate::image::Image;
use crate::inst::Inst;
use crate::target::{Target, Wanted};

/// A finding about an instruction.
#[pyclass(frozen, module = "amdgpu_isa")]
pub struct Finding {
    #[pyo3(get)]
    severity: &'static str,
    #[pyo3(get)]
    rule: &'static str,
    #[pyo3(get)]
    message: String,
    #[pyo3(get)]
    target: Target,
    #[pyo3(get)]
    section: String,
    /// The name of the function, and the offset of the instruction in it.
    #[pyo3(get)]
    function: Option<String>,
    #[pyo3(get)]
    offset: Option<u64>,
    #[pyo3(get)]
    address: u64,
    #[pyo3(get)]
    inst: Option<Inst>,
    /// The earlier instruction on which this one depends, and its address.
    #[pyo3(get)]
    producer: Option<(u64, Inst)>,
    #[pyo3(get)]
    path: Vec<u64>,
    /// The advice on how to repair the finding, or None.
    #[pyo3(get)]
    advice: Option<String>,
    #[pyo3(get)]
    source: &'static str,
    /// The part of the finding that identifies it in a baseline.
    pub key: Key,
}

impl Finding {
    fn of(finding: &check::Finding<'_>) -> Finding {
        Finding {
            severity: finding.severity().name(),
            rule: finding.rule(),
            message: finding.what.to_string(),
            target: Target(finding.target),
            section: finding.section.to_string(),
            function: finding.function.map(|function| function.name.to_string()),
            offset: finding.function.map(|function| function.offset),
            address: finding.address,
            inst: finding.inst.map(Inst),
            producer: finding.producer.map(|place| (place.address, Inst(place.inst))),
            path: finding.path.clone(),
            advice: finding.advice(),
            source: finding.source(),
            key: Key::of(finding),
        }
    }
}

#[pymethods]
impl Finding {
    fn __str__(&self) -> String {
        let Finding { severity, rule, address, message, .. } = self;
        format!("{severity}[{rule}]: {address:#x}: {message}")
    }

    fn __repr__(&self) -> String {
        format!("<{}>", self.__str__())
    }
}

/// Calls `each` with the image in the form that the packages take.
fn with<T>(py: Python<'_>, image: &Image, each: impl FnOnce(&amdgpu_object::Image<'_>) -> T) -> PyResult<T> {
    let (mut each, mut result) = (Some(each), None);
    let visited = amdgpu_object::visit(image.bytes.as_bytes(py), None, |part| {
        if let Part::Image(image) = part {
            result = each.take().map(|each| each(&image)).or(result.take());
        }
        Ok::<(), Error>(())
    });
    visited.map_err(|error| errors::object(py, error.to_string(), &error.path))?;
    result.ok_or_else(|| errors::object(py, "the image cannot be read again".into(), &[]))
}

pub fn lint(
    py: Python<'_>,
    image: &Image,
    wanted: Option<Wanted>,
    hints: bool,
    settings: Settings,
) -> PyResult<Vec<Finding>> {
    let target = image.decoding(py, wanted)?;
    with(py, image, |image| {
        let all = check::image_with(image, target, settings);
        all.iter().filter(|finding| hints || finding.severity() != Severity::Hint).map(Finding::of).collect()
    })
}

pub fn change<'py>(
    py: Python<'py>,
    image: &Image,
    wanted: Option<Wanted>,
    kind: Repair,
    trust_jumps: bool,
    settings: Settings,
) -> PyResult<Bound<'py, PyBytes>> {
    let target = image.decoding(py, wanted)?;
    let new = with(py, image, |image| {
        let plan = repair::image_with(image, target, kind, settings)?;
        let edits = if trust_jumps { plan.edits } else { plan.followed()? };
        repair::apply(image, target, &edits)
    })?;
    let new = new.map_err(|error: amdgpu_lint::Error| errors::RepairError::new_err(error.to_string()))?;
    Ok(PyBytes::new(py, &new))
}

/// The file with a code object in place of one of its images.
#[pyfunction]
pub fn replace<'py>(
    py: Python<'py>,
    file: &Bound<'py, PyAny>,
    image: &Image,
    code: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (file, code) = (Code::of(file)?, Code::of(code)?);
    let (file, code) = (file.bytes(py), code.bytes(py));
    let old = image.bytes.as_bytes(py);
    // If a file begins with a code object, the new one would also replace everything after the old one.
    if image.offset == Some(0) && file.len() > old.len() && file.starts_with(old) {
        return Err(errors::object(py, "the file has more bytes than the one that the image is from".into(), &[]));
    }
    let placeless = CannotReplace { offset: None, reason: Refusal::Place };
    let new = image.offset.ok_or(placeless).and_then(|offset| amdgpu_object::replace(file, offset, code));
    let new = new.map_err(|error| errors::object(py, error.to_string(), &[]))?;
    Ok(PyBytes::new(py, &new))
}

/// Returns the decompressed bundle of a compressed one, and any other file unchanged.
#[pyfunction]
#[pyo3(signature = (file, *, max_decompressed=None))]
pub fn unpack<'py>(
    py: Python<'py>,
    file: &Bound<'py, PyAny>,
    max_decompressed: Option<u64>,
) -> PyResult<Bound<'py, PyBytes>> {
    let file = Code::of(file)?;
    let plain = amdgpu_object::unpack(file.bytes(py), max_decompressed);
    let plain = plain.map_err(|error| errors::object(py, error.to_string(), &[]))?;
    Ok(PyBytes::new(py, plain.as_deref().unwrap_or(file.bytes(py))))
}
