//! Lines of a listing, one after the other.

use std::ops::Range;

use amdgpu_isa::{Decoded, Decoder};
use pyo3::prelude::*;

use crate::errors;
use crate::inst::Inst;
use crate::section::Section;

/// A line of a listing. `inst` is None where there is no instruction, and `error` says why.
#[pyclass(frozen, get_all, module = "amdgpu_isa")]
pub struct Line {
    address: u64,
    text: String,
    inst: Option<Inst>,
    error: Option<Py<PyAny>>,
}

#[pymethods]
impl Line {
    fn __str__(&self) -> String {
        format!("{:#010x}  {}", self.address, self.text)
    }

    fn __repr__(&self) -> String {
        format!("<{}>", self.__str__())
    }
}

/// A part of a section: offsets.
pub type Part = (Py<Section>, Range<usize>);

/// The iterator over the lines of parts of sections.
#[pyclass(module = "amdgpu_isa")]
pub struct Lines {
    /// The last one is the next, and begins with the next line.
    parts: Vec<Part>,
    /// The target, whatever the size of its waves.
    target: amdgpu_isa::Target,
    /// Where the function ends that the next line is in, and the target with its waves.
    stop: usize,
    now: amdgpu_isa::Target,
}

impl Lines {
    /// The lines of parts of sections, the last part first.
    pub fn new(target: amdgpu_isa::Target, parts: Vec<Part>) -> Lines {
        Lines { parts, target, stop: 0, now: target }
    }

    pub fn step(&mut self, py: Python<'_>) -> Option<Line> {
        let Lines { parts, target, stop, now } = self;
        while parts.pop_if(|(_, part)| part.start >= part.end).is_some() {
            *stop = 0;
        }
        let (section, part) = parts.last_mut()?;
        let (section, at) = (section.get(), part.start);
        if at >= *stop {
            let (end, lanes) = section.piece_at(at)?;
            *stop = end.min(part.end);
            *now = lanes.and_then(|lanes| target.with_wave_size(lanes)).unwrap_or(*target);
        }
        let Decoded { inst, .. } = Decoder::new(*now, section.code(py).get(at..*stop)?).next()?;
        let address = section.address.wrapping_add(at as u64);
        let (len, line) = match inst {
            Ok(inst) => (inst.len(), Line { address, text: inst.to_string(), inst: Some(Inst(inst)), error: None }),
            Err(invalid) => {
                let error = errors::refused(py, invalid.error, at).into_value(py).into_any();
                let text = format!(".long {:#010x}", invalid.word);
                (invalid.len.into(), Line { address, text, inst: None, error: Some(error) })
            }
        };
        part.start += len;
        Some(line)
    }
}

#[pymethods]
impl Lines {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&mut self, py: Python<'_>) -> Option<Line> {
        self.step(py)
    }
}
