//! Images: code objects in a file.

use amdgpu_lint::Settings;
use amdgpu_lint::repair::Repair;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors;
use crate::function::{self, Arguments, Function, Kernel};
use crate::line::Lines;
use crate::lint::{self, Finding};
use crate::metadata;
use crate::section::{self, Section};
use crate::target::{Target, Wanted};

/// A code object: machine code for one target.
#[pyclass(frozen, module = "amdgpu_isa")]
pub struct Image {
    #[pyo3(get)]
    label: String,
    #[pyo3(get)]
    pub offset: Option<u64>,
    id: Option<amdgpu_object::TargetId>,
    /// The number of the processor, if the library does not know it.
    unknown: Option<u8>,
    #[pyo3(get)]
    pub bytes: Py<PyBytes>,
    /// A note, if the image is for a newer version of its generic processor than the library knows.
    #[pyo3(get)]
    note: Option<String>,
    metadata: Option<Py<PyBytes>>,
    sections: Vec<Py<Section>>,
    functions: Vec<Py<Function>>,
}

impl Image {
    /// Copies an image of the package amdgpu-object.
    pub fn of(py: Python<'_>, image: &amdgpu_object::Image<'_>) -> PyResult<Image> {
        let (mut sections, mut functions, mut arguments) = (Vec::new(), Vec::new(), Arguments::default());
        for section in &image.sections {
            let its = Bound::new(py, Section::of(py, image, section))?;
            for (symbol, range) in section.extents() {
                functions.extend(function::of(&its, symbol, range, &image.addresses, &mut arguments)?);
            }
            sections.push(its.unbind());
        }
        Ok(Image {
            label: image.label.to_string(),
            offset: image.offset,
            id: image.target.clone(),
            unknown: image.unknown_processor,
            bytes: PyBytes::new(py, image.bytes).unbind(),
            note: image.newer.map(|newer| newer.to_string()),
            metadata: image.metadata.map(|document| PyBytes::new(py, document).unbind()),
            sections,
            functions,
        })
    }

    pub fn known_target(&self) -> Option<amdgpu_isa::Target> {
        self.id.as_ref()?.processor.parse().ok()
    }

    /// The target for which the code is decoded.
    pub fn decoding(&self, py: Python<'_>, wanted: Option<Wanted>) -> PyResult<amdgpu_isa::Target> {
        let target = amdgpu_object::decoding_target(self.id.as_ref(), self.unknown, wanted.map(|wanted| wanted.0));
        target.map_err(|error| errors::undecodable(py, &error))
    }
}

#[pymethods]
impl Image {
    /// The processor and its features, such as `gfx942:sramecc+:xnack-`, or None.
    #[getter]
    fn target_id(&self) -> Option<String> {
        self.id.as_ref().map(ToString::to_string)
    }

    #[getter]
    fn processor(&self) -> Option<&str> {
        self.id.as_ref().map(|id| id.processor.as_str())
    }

    /// The target for which the code is decoded, or None.
    #[getter]
    fn target(&self) -> Option<Target> {
        self.known_target().map(Target)
    }

    /// The metadata for the runtime, as dictionaries, lists, texts and numbers; None if there is none.
    #[getter]
    fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.metadata.as_ref().map(|document| metadata::read(py, document.as_bytes(py))).transpose()
    }

    #[getter]
    fn sections<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, Section>> {
        self.sections.iter().map(|section| section.bind(py).clone()).collect()
    }

    /// The kernels and functions, in the order of sections and addresses.
    #[getter]
    fn functions<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, Function>> {
        self.functions.iter().map(|function| function.bind(py).clone()).collect()
    }

    #[getter]
    pub fn kernels<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, Kernel>> {
        self.functions.iter().filter_map(|function| function.bind(py).cast::<Kernel>().ok().cloned()).collect()
    }

    /// The lines of all sections. Each function is decoded for its own wave size.
    #[pyo3(signature = (target = None))]
    pub fn lines(&self, py: Python<'_>, target: Option<Wanted>) -> PyResult<Lines> {
        let target = self.decoding(py, target)?;
        let parts = self.sections.iter().rev().map(|section| section::whole(section.bind(py)));
        Ok(Lines::new(target, parts.collect()))
    }

    /// A source that assembles to this code object again.
    fn source(&self, py: Python<'_>) -> PyResult<String> {
        let source = amdgpu_source::Source::new(self.bytes.as_bytes(py));
        source.map(|source| source.to_string()).map_err(|error| errors::object(py, error.to_string(), &[]))
    }

    /// The findings about the code; with `hints` also those about code that may be as intended.
    #[pyo3(signature = (target = None, *, hints = false, strict = false, xnack = None, expert = false))]
    fn lint(
        &self,
        py: Python<'_>,
        target: Option<Wanted>,
        hints: bool,
        strict: bool,
        xnack: Option<bool>,
        expert: bool,
    ) -> PyResult<Vec<Finding>> {
        lint::lint(py, self, target, hints, Settings { strict, xnack, expert })
    }

    /// The code object with the missing waits and distances inserted.
    #[pyo3(signature = (target = None, *, trust_jumps = false, strict = false, xnack = None, expert = false))]
    fn fix<'py>(
        &self,
        py: Python<'py>,
        target: Option<Wanted>,
        trust_jumps: bool,
        strict: bool,
        xnack: Option<bool>,
        expert: bool,
    ) -> PyResult<Bound<'py, PyBytes>> {
        lint::change(py, self, target, Repair::Fix, trust_jumps, Settings { strict, xnack, expert })
    }

    /// The code object without needless waits and distances.
    #[pyo3(signature = (target = None, *, trust_jumps = false, xnack = None, expert = false))]
    fn trim<'py>(
        &self,
        py: Python<'py>,
        target: Option<Wanted>,
        trust_jumps: bool,
        xnack: Option<bool>,
        expert: bool,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let settings = Settings { xnack, expert, ..Settings::default() };
        lint::change(py, self, target, Repair::Trim, trust_jumps, settings)
    }

    fn __repr__(&self) -> String {
        let target = self.id.as_ref().map_or_else(|| "unknown target".into(), ToString::to_string);
        let label = if self.label.is_empty() { "code object" } else { &self.label };
        format!("<{label}: {target}, {} functions>", self.functions.len())
    }
}
