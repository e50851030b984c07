//! The tables as plain data.

use amdgpu_isa::{Format, Opcode};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::target::Wanted;

pub fn targets(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
    PyTuple::new(py, amdgpu_isa::Target::ALL.iter().map(|target| target.name()))
}

/// Names by number. Numbers that this build lacks have no name.
fn names<'py>(py: Python<'py>, of: impl Iterator<Item = (usize, &'static str)>) -> PyResult<Bound<'py, PyTuple>> {
    let mut names = Vec::new();
    for (number, name) in of {
        names.resize(names.len().max(number + 1), "");
        names[number] = name;
    }
    PyTuple::new(py, names)
}

/// Names of operations by their numbers, which are the same in every version.
pub fn opcodes(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
    names(py, Opcode::ALL.iter().map(|opcode| (opcode.number().into(), opcode.name())))
}

pub fn formats(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
    names(py, Format::ALL.iter().map(|format| (*format as usize, format.name())))
}

/// Each operation of a target in each of its formats.
#[pyfunction]
pub fn operations<'py>(py: Python<'py>, target: Wanted) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let mut all = Vec::new();
    for opcode in Opcode::ALL {
        for encoding in opcode.encodings(target.0) {
            let entry = PyDict::new(py);
            entry.set_item("opcode", opcode.name())?;
            entry.set_item("mnemonic", opcode.mnemonic(target.0, encoding.format))?;
            entry.set_item("format", encoding.format.name())?;
            entry.set_item("number", encoding.number)?;
            all.push(entry);
        }
    }
    Ok(all)
}

/// The fields of each format of a target.
#[pyfunction]
pub fn layouts<'py>(py: Python<'py>, target: Wanted) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    for layout in target.0.layouts() {
        let mut fields = Vec::new();
        for info in layout.fields {
            let mut pieces = vec![(info.lsb, info.width)];
            if info.hi_width > 0 {
                pieces.push((info.hi, info.hi_width));
            }
            let field = PyDict::new(py);
            field.set_item("name", info.field.name())?;
            field.set_item("pieces", pieces)?;
            field.set_item("fixed", info.fixed)?;
            field.set_item("about", info.about())?;
            fields.push(field);
        }
        let entry = PyDict::new(py);
        entry.set_item("bits", layout.bits)?;
        entry.set_item("extension", layout.extension)?;
        entry.set_item("source", layout.source())?;
        entry.set_item("fields", fields)?;
        all.set_item(layout.format.name(), entry)?;
    }
    Ok(all)
}
