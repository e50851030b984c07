//! Lines of a listing, one after the other.

use std::ops::Range;

use amdgpu_isa::errors::Invalid;
use amdgpu_isa::{Decoded, Decoder};
use pyo3::prelude::*;

use crate::errors;
use crate::inst::Inst;
use crate::section::Section;

/// A line of a listing. If `inst` is None, `error` is the reason.
#[pyclass(frozen, get_all, module = "amdgpu_isa")]
pub struct Line {
    address: u64,
    text: String,
    inst: Option<Inst>,
    error: Option<Py<PyAny>>,
}

impl Line {
    /// The line at an offset of a section.
    fn of(py: Python<'_>, section: &Section, offset: usize, inst: Result<amdgpu_isa::Inst, Invalid>) -> Line {
        let address = section.address.wrapping_add(offset as u64);
        match inst {
            Ok(inst) => Line { address, text: inst.to_string(), inst: Some(Inst(inst)), error: None },
            Err(invalid) => {
                let error = errors::refused(py, invalid.error, offset).into_value(py).into_any();
                Line { address, text: format!(".long {:#010x}", invalid.word), inst: None, error: Some(error) }
            }
        }
    }
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

/// A part of a section, as a range of offsets.
pub type Part = (Py<Section>, Range<usize>);

/// An iterator over the lines of parts of sections.
#[pyclass(module = "amdgpu_isa")]
pub struct Lines {
    /// The parts in reverse order. The last one begins with the next line.
    parts: Vec<Part>,
    /// The target. Its wave size does not matter.
    target: amdgpu_isa::Target,
    /// The end of the function that has the next line, and the target with the function's wave size.
    stop: usize,
    now: amdgpu_isa::Target,
}

impl Lines {
    /// The lines of parts of sections, the last part first.
    pub fn new(target: amdgpu_isa::Target, parts: Vec<Part>) -> Lines {
        Lines { parts, target, stop: 0, now: target }
    }

    /// The rest of the function that has the next line: its section, offsets, and target.
    fn rest(&mut self) -> Option<(&Section, Range<usize>, amdgpu_isa::Target)> {
        let Lines { parts, target, stop, now } = self;
        while parts.pop_if(|(_, part)| part.start >= part.end).is_some() {
            *stop = 0;
        }
        let (section, part) = parts.last()?;
        let section = section.get();
        if part.start >= *stop {
            let (end, lanes) = section.piece_at(part.start)?;
            *stop = end.min(part.end);
            *now = lanes.and_then(|lanes| target.with_wave_size(lanes)).unwrap_or(*target);
        }
        Some((section, part.start..*stop, *now))
    }

    fn pass(&mut self, len: usize) {
        if let Some((_, part)) = self.parts.last_mut() {
            part.start += len;
        }
    }

    /// Adds all lines to a list.
    pub fn all(mut self, py: Python<'_>, lines: &mut Vec<Line>) {
        while let Some((section, rest, target)) = self.rest() {
            let code = section.code(py).get(rest.clone()).unwrap_or_default();
            let line = |step: Decoded| Line::of(py, section, rest.start + step.offset, step.inst);
            lines.extend(Decoder::new(target, code).map(line));
            self.pass(rest.len());
        }
    }
}

#[pymethods]
impl Lines {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&mut self, py: Python<'_>) -> Option<Line> {
        let (section, rest, target) = self.rest()?;
        let Decoded { inst, .. } = Decoder::new(target, section.code(py).get(rest.clone())?).next()?;
        let len = inst.as_ref().map_or_else(|invalid| invalid.len.into(), |inst| inst.len());
        let line = Line::of(py, section, rest.start, inst);
        self.pass(len);
        Some(line)
    }
}
