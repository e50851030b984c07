//! `amdgpu_isa._native`: the library as Python objects. `amdgpu_isa/_native.pyi` describes them.

use pyo3::prelude::*;

mod bulk;
mod descriptor;
mod errors;
mod eval;
mod explain;
mod file;
mod function;
mod image;
mod inst;
mod line;
mod lint;
mod metadata;
mod rules;
mod section;
mod source;
mod tables;
mod target;

#[pymodule]
fn _native(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("__version__", env!("CARGO_PKG_VERSION"))?;
    m.add("TARGETS", tables::targets(m.py())?)?;
    m.add("OPCODES", tables::opcodes(m.py())?)?;
    m.add("FORMATS", tables::formats(m.py())?)?;
    m.add_class::<target::Target>()?;
    m.add_class::<inst::Inst>()?;
    m.add_class::<inst::Operand>()?;
    m.add_class::<inst::Field>()?;
    m.add_class::<bulk::Decoder>()?;
    m.add_class::<bulk::Scan>()?;
    m.add_class::<file::File>()?;
    m.add_class::<image::Image>()?;
    m.add_class::<section::Section>()?;
    m.add_class::<function::Function>()?;
    m.add_class::<function::Kernel>()?;
    m.add_class::<descriptor::Descriptor>()?;
    m.add_class::<descriptor::Argument>()?;
    m.add_class::<line::Lines>()?;
    m.add_class::<line::Line>()?;
    m.add_class::<lint::Finding>()?;
    m.add_class::<rules::Rule>()?;
    m.add_class::<rules::Baseline>()?;
    m.add_class::<eval::Wave>()?;
    m.add_class::<source::Fault>()?;
    m.add_class::<source::Call>()?;
    m.add_function(wrap_pyfunction!(inst::decode, m)?)?;
    m.add_function(wrap_pyfunction!(inst::_operand, m)?)?;
    m.add_function(wrap_pyfunction!(inst::parse, m)?)?;
    m.add_function(wrap_pyfunction!(inst::assemble, m)?)?;
    m.add_function(wrap_pyfunction!(bulk::scan, m)?)?;
    m.add_function(wrap_pyfunction!(bulk::text, m)?)?;
    m.add_function(wrap_pyfunction!(file::open, m)?)?;
    m.add_function(wrap_pyfunction!(file::disassemble, m)?)?;
    m.add_function(wrap_pyfunction!(file::kernels, m)?)?;
    m.add_function(wrap_pyfunction!(lint::replace, m)?)?;
    m.add_function(wrap_pyfunction!(lint::unpack, m)?)?;
    m.add_function(wrap_pyfunction!(rules::rules, m)?)?;
    m.add_function(wrap_pyfunction!(rules::unchecked, m)?)?;
    m.add_function(wrap_pyfunction!(source::build, m)?)?;
    m.add_function(wrap_pyfunction!(tables::operations, m)?)?;
    m.add_function(wrap_pyfunction!(tables::layouts, m)?)?;
    errors::add(m)
}
