//! Sections with code.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors;
use crate::line::{Lines, Part};
use crate::target::Wanted;

/// A section with code.
#[pyclass(frozen, module = "amdgpu_isa")]
pub struct Section {
    #[pyo3(get)]
    name: String,
    #[pyo3(get)]
    pub address: u64,
    /// The offset of the section's first byte in the bytes of the image.
    #[pyo3(get)]
    pub offset: Option<usize>,
    #[pyo3(get)]
    bytes: Py<PyBytes>,
    /// The target of the image. Its wave size does not matter.
    pub target: Option<amdgpu_isa::Target>,
    /// The target that the file states, or the number of an unknown processor.
    id: Option<amdgpu_object::TargetId>,
    unknown: Option<u8>,
    /// The offset of each function, and its wave size.
    pieces: Vec<(usize, Option<u16>)>,
}

impl Section {
    pub fn of(py: Python<'_>, image: &amdgpu_object::Image<'_>, section: &amdgpu_object::Section<'_>) -> Section {
        let id = image.target.as_ref();
        Section {
            name: section.name.to_string(),
            address: section.address,
            offset: image.offset_of(section),
            bytes: PyBytes::new(py, section.bytes).unbind(),
            target: id.and_then(|id| id.processor.parse().ok()),
            id: id.cloned(),
            unknown: image.unknown_processor,
            pieces: section.functions(0).map(|piece| (piece.start, section.lanes_at(piece.start))).collect(),
        }
    }

    pub fn code<'a>(&'a self, py: Python<'a>) -> &'a [u8] {
        self.bytes.as_bytes(py)
    }

    /// The end of the function at an offset, and its wave size; None before the first function. The last function ends
    /// at `usize::MAX`.
    pub fn piece_at(&self, offset: usize) -> Option<(usize, Option<u16>)> {
        let next = self.pieces.partition_point(|(start, _)| *start <= offset);
        let (_, lanes) = self.pieces.get(next.checked_sub(1)?)?;
        Some((self.pieces.get(next).map_or(usize::MAX, |(start, _)| *start), *lanes))
    }

    /// A section with code at an address, and without symbols.
    pub fn bare(py: Python<'_>, target: amdgpu_isa::Target, address: u64, bytes: &[u8]) -> Section {
        Section {
            name: "(raw)".into(),
            address,
            offset: Some(0),
            bytes: PyBytes::new(py, bytes).unbind(),
            target: Some(target),
            id: None,
            unknown: None,
            pieces: vec![(0, None)],
        }
    }

    /// The target for which the section's code is decoded.
    pub fn decoding(&self, py: Python<'_>, wanted: Option<Wanted>) -> PyResult<amdgpu_isa::Target> {
        let wanted = wanted.map(|wanted| wanted.0);
        let decoding = || amdgpu_object::decoding_target(self.id.as_ref(), self.unknown, wanted);
        // Bare code has a target that no file states.
        let bare = self.target.filter(|_| self.id.is_none() && wanted.is_none());
        bare.map_or_else(decoding, Ok).map_err(|error| errors::undecodable(py, &error))
    }
}

/// All lines of a section.
pub fn whole(section: &Bound<'_, Section>) -> Part {
    (section.clone().unbind(), 0..section.get().code(section.py()).len())
}

#[pymethods]
impl Section {
    /// The lines of the section. Each function is decoded for its own wave size.
    #[pyo3(signature = (target = None))]
    fn lines(this: &Bound<'_, Self>, target: Option<Wanted>) -> PyResult<Lines> {
        Ok(Lines::new(this.get().decoding(this.py(), target)?, vec![whole(this)]))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("<{} at {:#x}, {} bytes>", self.name, self.address, self.code(py).len())
    }
}
