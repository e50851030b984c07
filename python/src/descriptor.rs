//! The kernel data of a code object: its descriptor and its arguments.

use amdgpu_isa::kernel::{KernelDescriptor, Registers};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

/// The 64 bytes from which the hardware starts a kernel.
#[pyclass(frozen, eq, hash, module = "amdgpu_isa")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Descriptor {
    pub words: KernelDescriptor,
    /// The target, with the wave size of the kernel.
    pub target: amdgpu_isa::Target,
}

impl Descriptor {
    fn registers(&self) -> Registers {
        self.words.registers(self.target)
    }
}

#[pymethods]
impl Descriptor {
    /// The greatest number of vector registers that gives the same descriptor, including accumulation registers after
    /// them.
    #[getter]
    fn vgprs(&self) -> u16 {
        self.registers().vgprs
    }

    /// The greatest number of scalar registers that gives the same descriptor; 0 on targets where every wave has all of
    /// them.
    #[getter]
    fn sgprs(&self) -> u16 {
        self.registers().sgprs
    }

    /// The number of vector registers before the accumulation registers, if both share a register file.
    #[getter]
    fn accum_offset(&self) -> Option<u16> {
        self.target.accum_granule().map(|_| self.registers().accum_offset)
    }

    #[getter]
    fn wave_size(&self) -> u16 {
        self.words.wave_size(self.target)
    }

    /// The distance from the descriptor to the kernel's first instruction, in bytes.
    #[getter]
    fn entry(&self) -> i64 {
        self.words.entry()
    }

    /// The values of all directives, by their names without `.amdhsa_`.
    #[getter]
    fn directives<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        all.set_item("next_free_vgpr", self.vgprs())?;
        all.set_item("next_free_sgpr", self.sgprs())?;
        if let Some(offset) = self.accum_offset() {
            all.set_item("accum_offset", offset)?;
        }
        for directive in self.target.directives() {
            all.set_item(directive.name(), self.words.bits(directive))?;
        }
        Ok(all)
    }

    #[getter]
    fn bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.words.to_bytes())
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        self.bytes(py)
    }

    fn __repr__(&self) -> String {
        let Registers { vgprs, sgprs, .. } = self.registers();
        format!("<{vgprs} vector registers, {sgprs} scalar registers, waves of {} lanes>", self.wave_size())
    }
}

/// An argument of a kernel.
#[pyclass(frozen, eq, get_all, module = "amdgpu_isa")]
#[derive(Clone, PartialEq)]
pub struct Argument {
    /// The name of the argument, or its kind (`hidden_…`) if the runtime adds it.
    name: Option<String>,
    /// The offset from the beginning of the kernel's arguments, in bytes.
    offset: u64,
    /// The size in bytes.
    size: u64,
}

impl Argument {
    pub fn of(argument: &amdgpu_object::Argument<'_>) -> Argument {
        let name = argument.name.map(|name| name.to_string());
        Argument { name, offset: argument.offset, size: argument.size }
    }
}

#[pymethods]
impl Argument {
    fn __repr__(&self) -> String {
        let name = self.name.as_deref().unwrap_or("(no name)");
        format!("<{name}: {} bytes at {}>", self.size, self.offset)
    }
}
