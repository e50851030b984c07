//! Files: containers of code objects.

use amdgpu_object::{Error, Part};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyString, PyTuple};

use crate::bulk::Code;
use crate::errors;
use crate::function::Kernel;
use crate::image::Image;
use crate::line::{Line, Lines};
use crate::section::{self, Section};
use crate::target::Wanted;

/// The contents of a file: a sequence of images.
#[pyclass(frozen, module = "amdgpu_isa")]
pub struct File {
    images: Vec<Py<Image>>,
    damage: Vec<Error>,
    /// The skipped parts: labels and reasons.
    #[pyo3(get)]
    skipped: Vec<(String, String)>,
}

/// The reason why a visit ends.
enum Stop {
    Damage(Error),
    Python(PyErr),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Damage(error)
    }
}

impl From<PyErr> for Stop {
    fn from(error: PyErr) -> Stop {
        Stop::Python(error)
    }
}

impl File {
    /// The greatest number of skipped parts that a message names: there can be millions.
    const TOLD: usize = 10;

    fn read(py: Python<'_>, code: &Code, max_decompressed: Option<u64>, scan: bool) -> PyResult<File> {
        let mut file = File { images: Vec::new(), damage: Vec::new(), skipped: Vec::new() };
        let mut each = |part: Part<'_>| {
            match part {
                Part::Image(image) => file.images.push(Py::new(py, Image::of(py, &image)?)?),
                Part::Damaged(error) => file.damage.push(error),
                Part::Skipped { label, reason } => file.skipped.push((label.to_string(), reason.to_string())),
                _ => {}
            }
            Ok(())
        };
        let result = match scan {
            true => amdgpu_object::scan(&code.kept(py), max_decompressed, &mut each),
            false => amdgpu_object::visit(&code.kept(py), max_decompressed, &mut each),
        };
        match result {
            Err(Stop::Python(error)) => return Err(error),
            Err(Stop::Damage(error)) => file.damage.push(error),
            Ok(()) => {}
        }
        if file.images.is_empty() { Err(file.empty(py)) } else { Ok(file) }
    }

    /// The reason why there are no images.
    fn empty(&self, py: Python<'_>) -> PyErr {
        if let Some(error) = self.damage.first() {
            return errors::no_code(py, error, &error.path);
        }
        let reason = |(label, reason): &(String, String)| match label.is_empty() {
            true => reason.clone(),
            false => format!("{label}: {reason}"),
        };
        let mut reasons: Vec<String> = self.skipped.iter().take(Self::TOLD).map(reason).collect();
        match self.skipped.len() {
            0 => reasons.push("the container holds no code for a GPU".into()),
            all if all > Self::TOLD => reasons.push(format!("and {} more", all - Self::TOLD)),
            _ => {}
        }
        errors::no_code(py, reasons.join("; "), &[])
    }

    /// The images that this build can decode. Fails if there is none, or if a part of the file is damaged.
    fn decodable(&self, py: Python<'_>) -> PyResult<Vec<&Image>> {
        if let Some(error) = self.damage.first() {
            return Err(errors::object(py, format!("{error}; amdgpu_isa.open gives the rest"), &error.path));
        }
        let images = || self.images.iter().map(|image| image.get());
        let known: Vec<_> = images().filter(|image| image.known_target().is_some()).collect();
        match (&known[..], images().next()) {
            ([], Some(image)) => image.decoding(py, None).map(|_| known),
            _ => Ok(known),
        }
    }

    fn tuple<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.images.iter().map(|image| image.bind(py)))
    }
}

#[pymethods]
impl File {
    /// The damage to the file.
    #[getter]
    fn damage<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyAny>> {
        let error = |error: &Error| errors::object(py, error.to_string(), &error.path).into_value(py).into_bound(py);
        self.damage.iter().map(|damage| error(damage).into_any()).collect()
    }

    fn __len__(&self) -> usize {
        self.images.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.tuple(py)?.as_any().get_item(index)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.tuple(py)?.try_iter()
    }

    fn __repr__(&self) -> String {
        let File { images, damage, skipped } = self;
        format!("<{} images, {} skipped, {} damaged>", images.len(), skipped.len(), damage.len())
    }
}

/// Opens a file, which is given as its bytes or as a path.
#[pyfunction]
#[pyo3(signature = (file, *, max_decompressed = None, scan = false))]
pub fn open(py: Python<'_>, file: &Bound<'_, PyAny>, max_decompressed: Option<u64>, scan: bool) -> PyResult<File> {
    let code = if file.is_instance_of::<PyString>() || file.hasattr("__fspath__")? {
        // Python reads the file, so that its errors name it.
        let path = py.import("pathlib")?.call_method1("Path", (file,))?;
        Code::of(&path.call_method0("read_bytes")?)?
    } else {
        Code::of(file)?
    };
    File::read(py, &code, max_decompressed, scan)
}

/// The kernels of all images, in the order of the images and of their addresses.
#[pyfunction]
pub fn kernels<'py>(py: Python<'py>, code: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, Kernel>>> {
    let file = File::read(py, &Code::of(code)?, None, false)?;
    let mut all = Vec::new();
    for image in file.decodable(py)? {
        let mut its = image.kernels(py);
        its.sort_by_key(|kernel| kernel.as_super().get().address);
        all.append(&mut its);
    }
    Ok(all)
}

/// The lines of all images. With a target, the file is bare code, which begins at `address`.
#[pyfunction]
#[pyo3(signature = (code, target = None, address = 0))]
pub fn disassemble(
    py: Python<'_>,
    code: &Bound<'_, PyAny>,
    target: Option<Wanted>,
    address: u64,
) -> PyResult<Vec<Line>> {
    let code = Code::of(code)?;
    let mut all = Vec::new();
    if let Some(Wanted(target)) = target {
        let section = Bound::new(py, Section::bare(py, target, address, code.bytes(py)))?;
        Lines::new(target, vec![section::whole(&section)]).all(py, &mut all);
    } else {
        let file = File::read(py, &code, None, false)?;
        for image in file.decodable(py)? {
            image.lines(py, None)?.all(py, &mut all);
        }
    }
    Ok(all)
}
