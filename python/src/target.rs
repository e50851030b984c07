//! Targets. Every function accepts a target, or any of its names.

use amdgpu_isa::Filler;
use amdgpu_isa::processor::Processor;
use amdgpu_object::{TargetId, TargetIdError};
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::errors::UnknownTargetError;

/// A GPU target: `Target("mi300x")`.
#[pyclass(frozen, eq, hash, module = "amdgpu_isa")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Target(pub amdgpu_isa::Target);

impl Target {
    fn named(name: &str) -> PyResult<Target> {
        let read = TargetId::read(name).map_err(|error| match error {
            TargetIdError::Unknown(name) => {
                format!("unknown target '{}'; amdgpu_isa.TARGETS lists the known ones", name.escape_debug())
            }
            error => error.to_string(),
        });
        read.map(|(_, target)| Target(target)).map_err(UnknownTargetError::new_err)
    }
}

/// A target, or its name.
pub struct Wanted(pub amdgpu_isa::Target);

impl<'a, 'py> FromPyObject<'a, 'py> for Wanted {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Wanted> {
        if let Ok(target) = object.cast::<Target>() {
            return Ok(Wanted(target.get().0));
        }
        Ok(Wanted(Target::named(object.extract()?)?.0))
    }
}

/// A target for which instructions are made, and the usual filler of the processor that was named.
pub struct Made {
    pub target: amdgpu_isa::Target,
    pub filler: Filler,
}

impl<'a, 'py> FromPyObject<'a, 'py> for Made {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Made> {
        let Wanted(target) = Wanted::extract(object)?;
        let id: String = object.extract().unwrap_or_default();
        let name = id.split_once(':').map_or(&*id, |(name, _)| name);
        let filler = name.parse::<Processor>().map_or(target.filler(), Processor::filler);
        Ok(Made { target, filler })
    }
}

#[pymethods]
impl Target {
    #[new]
    fn new(name: Wanted) -> Target {
        Target(name.0)
    }

    /// The target of an ELF file with these `e_flags`, or None.
    #[staticmethod]
    fn from_e_flags(e_flags: u32) -> Option<Target> {
        amdgpu_isa::Target::from_e_flags(e_flags).map(Target)
    }

    #[getter]
    fn name(&self) -> &'static str {
        self.0.name()
    }

    #[getter]
    fn processor(&self) -> &'static str {
        self.0.processor()
    }

    #[getter]
    fn generation(&self) -> &'static str {
        self.0.generation()
    }

    #[getter]
    fn wave_size(&self) -> u16 {
        self.0.wave_size()
    }

    #[getter]
    fn aliases(&self) -> Vec<&'static str> {
        self.0.aliases().to_vec()
    }

    /// The target of the same processor with waves of 32 or 64 lanes, or None.
    fn with_wave_size(&self, lanes: u16) -> Option<Target> {
        self.0.with_wave_size(lanes).map(Target)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (&'static str,)) {
        (py.get_type::<Target>(), (self.0.name(),))
    }

    fn __str__(&self) -> &'static str {
        self.0.name()
    }

    fn __repr__(&self) -> String {
        format!("Target('{}')", self.0.name())
    }
}
