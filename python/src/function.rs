//! Kernels and functions of a section.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use amdgpu_object::{AddressMap, Name, Symbol, SymbolKind};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::descriptor::{Argument, Descriptor};
use crate::line::Lines;
use crate::section::Section;
use crate::target::{Target, Wanted};

/// A kernel or another function.
#[pyclass(frozen, subclass, module = "amdgpu_isa")]
pub struct Function {
    section: Py<Section>,
    #[pyo3(get)]
    name: String,
    #[pyo3(get)]
    pub address: u64,
    /// The target, with the wave size of the function.
    #[pyo3(get)]
    target: Option<Target>,
    /// The offsets of the function's code in the section.
    range: Range<usize>,
}

/// A kernel: a function that the processor starts.
#[pyclass(frozen, extends = Function, module = "amdgpu_isa")]
pub struct Kernel {
    #[pyo3(get)]
    descriptor: Option<Descriptor>,
    arguments: Arc<[Argument]>,
}

/// The arguments of kernels by the kernels' names. Any number of symbols can have the same name.
#[derive(Default)]
pub struct Arguments<'a>(BTreeMap<Name<'a>, Arc<[Argument]>>);

impl<'a> Arguments<'a> {
    fn of(&mut self, kernel: Name<'a>, addresses: &AddressMap<'a>) -> Arc<[Argument]> {
        let listed = || addresses.arguments(kernel).unwrap_or_default().iter().map(Argument::of).collect();
        self.0.entry(kernel).or_insert_with(listed).clone()
    }
}

/// A symbol of a section as a Kernel or a Function; None for other symbols.
pub fn of<'a>(
    section: &Bound<'_, Section>,
    symbol: &Symbol<'a>,
    range: Option<Range<usize>>,
    addresses: &AddressMap<'a>,
    arguments: &mut Arguments<'a>,
) -> PyResult<Option<Py<Function>>> {
    let py = section.py();
    let target = section.get().target;
    let target = symbol.lanes.and_then(|lanes| target?.with_wave_size(lanes)).or(target);
    let function = Function {
        section: section.clone().unbind(),
        name: symbol.name.to_string(),
        address: symbol.address,
        target: target.map(Target),
        range: range.unwrap_or_default(),
    };
    match symbol.kind {
        SymbolKind::Kernel => {
            let descriptor = symbol.descriptor.zip(target).map(|(words, target)| Descriptor { words, target });
            let arguments = arguments.of(symbol.name, addresses);
            let kernel = PyClassInitializer::from(function).add_subclass(Kernel { descriptor, arguments });
            Ok(Some(Bound::new(py, kernel)?.into_super().unbind()))
        }
        SymbolKind::Function => Ok(Some(Py::new(py, function)?)),
        SymbolKind::Other => Ok(None),
    }
}

#[pymethods]
impl Kernel {
    /// The arguments that the metadata lists, in the order of their offsets.
    #[getter]
    fn arguments(&self) -> Vec<Argument> {
        self.arguments.to_vec()
    }
}

#[pymethods]
impl Function {
    /// The size of the function in bytes: that of its symbol, or the distance to the next function.
    #[getter]
    fn size(&self) -> usize {
        self.range.len()
    }

    /// The offset of the function's code in the bytes of the image.
    #[getter]
    fn offset(&self) -> Option<usize> {
        self.section.get().offset?.checked_add(self.range.start)
    }

    #[getter]
    fn is_kernel(this: &Bound<'_, Self>) -> bool {
        this.is_instance_of::<Kernel>()
    }

    #[getter]
    fn code<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.section.get().code(py).get(self.range.clone()).unwrap_or_default())
    }

    /// The lines of the function, decoded for its own wave size.
    #[pyo3(signature = (target = None))]
    fn lines(&self, py: Python<'_>, target: Option<Wanted>) -> PyResult<Lines> {
        let target = self.section.get().decoding(py, target)?;
        Ok(Lines::new(target, vec![(self.section.clone_ref(py), self.range.clone())]))
    }

    fn __iter__(&self, py: Python<'_>) -> PyResult<Lines> {
        self.lines(py, None)
    }

    fn __repr__(&self) -> String {
        let target = self.target.map_or("unknown target", |target| target.0.name());
        format!("<{} at {:#x}, {target}>", self.name, self.address)
    }
}
