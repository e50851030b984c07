//! Whole sources, as the package amdgpu-asm assembles them.

use std::path::PathBuf;

use amdgpu_asm::{Far, Faults, Options, Origin};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors;
use crate::target::Target;

/// Assembles a source to a code object, or to an object for a linker.
#[pyfunction]
#[pyo3(signature = (source, target = None, *, name = "source", object = false, strip = false, wave = None, fill = None, include = None, sorted_names = false, long_branches = None))]
#[allow(clippy::too_many_arguments)] // Python callers pass them by name.
pub fn build<'py>(
    py: Python<'py>,
    source: &str,
    target: Option<Processor>,
    name: &str,
    object: bool,
    strip: bool,
    wave: Option<u16>,
    fill: Option<&str>,
    include: Option<Vec<PathBuf>>,
    sorted_names: bool,
    long_branches: Option<&str>,
) -> PyResult<Bound<'py, PyBytes>> {
    let refused = |faults: Faults| refused(py, &faults);
    let mut options = Options::default();
    let (name_of_target, lanes) = target.map_or((None, None), |target| (Some(target.name), target.lanes));
    options.target = name_of_target.map(|name| name.parse()).transpose().map_err(refused)?;
    options.wave = wave.or(lanes);
    options.sorted_names = sorted_names;
    options.long_branches = long_branches.map(far).transpose()?;
    options.filler = fill.map(crate::inst::filler).transpose()?;
    // Without a list of directories, the assembler reads no other files.
    options.is_alone = include.is_none();
    options.include = include.unwrap_or_default();
    let built = amdgpu_asm::assemble(name, source, &options);
    let built = built.and_then(|built| if object { built.to_object() } else { built.to_code_object(strip) });
    Ok(PyBytes::new(py, &built.map_err(refused)?))
}

/// The processor of a source, and the lanes of its waves if a `Target` states them.
pub struct Processor {
    name: String,
    lanes: Option<u16>,
}

impl<'a, 'py> FromPyObject<'a, 'py> for Processor {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Processor> {
        if let Ok(target) = object.cast::<Target>() {
            let target = target.get().0;
            return Ok(Processor { name: target.processor().into(), lanes: Some(target.wave_size()) });
        }
        Ok(Processor { name: object.extract()?, lanes: None })
    }
}

/// The registers for long branches.
fn far(text: &str) -> PyResult<Far> {
    let form =
        "long_branches is two registers such as s[4:5], the first with an even number; s[4:5],s6 keeps SCC in s6";
    amdgpu_asm::far(text).ok_or_else(|| PyValueError::new_err(form))
}

/// The exception for faults of a source.
fn refused(py: Python<'_>, faults: &Faults) -> PyErr {
    let first = faults.all().iter().find(|fault| !fault.is_warning);
    let place = first.and_then(|fault| fault.place.as_ref());
    let all: Vec<_> = faults.all().iter().map(Fault::of).collect();
    errors::assembly(py, faults.to_string(), place.map(|place| (place.line, place.column)), all)
}

/// An error or a warning of a source.
#[pyclass(frozen, get_all, module = "amdgpu_isa")]
pub struct Fault {
    file: Option<String>,
    line: Option<usize>,
    column: Option<usize>,
    message: String,
    is_warning: bool,
    advice: Option<String>,
    calls: Vec<Call>,
    /// The line that the command prints.
    text: String,
}

impl Fault {
    fn of(fault: &amdgpu_asm::Fault) -> Self {
        let place = fault.place.as_ref();
        Fault {
            file: place.map(|place| place.file.clone()),
            line: place.map(|place| place.line),
            column: place.map(|place| place.column),
            message: fault.message.clone(),
            is_warning: fault.is_warning,
            advice: fault.note.clone(),
            calls: fault.from.iter().map(Call::of).collect(),
            text: fault.to_string(),
        }
    }
}

#[pymethods]
impl Fault {
    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        format!("<{}>", self.text)
    }
}

/// A call of a macro or a directive whose text has a fault.
#[pyclass(frozen, get_all, module = "amdgpu_isa")]
#[derive(Clone)]
pub struct Call {
    name: String,
    file: String,
    line: usize,
    column: usize,
}

impl Call {
    fn of(origin: &Origin) -> Self {
        let place = &origin.place;
        Call { name: origin.name.clone(), file: place.file.clone(), line: place.line, column: place.column }
    }
}

#[pymethods]
impl Call {
    fn __repr__(&self) -> String {
        format!("<{}:{}:{}: {}>", self.file, self.line, self.column, self.name)
    }
}
