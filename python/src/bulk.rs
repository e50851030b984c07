//! Calls over whole buffers, which return arrays, and the iterator.

use std::borrow::Cow;
use std::fmt::Write as _;

use amdgpu_isa::text::TextBuffer;
use amdgpu_isa::{Decoded, Decoder as Walk};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView};

use crate::errors;
use crate::inst::Inst;
use crate::target::Wanted;

/// An object with bytes, which is not copied: `bytes`, `bytearray`, `memoryview`, or an array of bytes or dwords, of
/// numpy or not.
pub enum Code {
    Bytes(Py<PyBytes>),
    Buffer(PyBuffer<u8>),
}

impl Code {
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Code> {
        // The usual type is `bytes`, so it is tried first.
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Code::Bytes(bytes.clone().unbind()));
        }
        let view = PyMemoryView::from(object)?;
        check(&view)?;
        if view.getattr("nbytes")?.extract::<usize>()? == 0 {
            return Ok(Code::Bytes(PyBytes::new(object.py(), b"").unbind()));
        }
        Ok(Code::Buffer(PyBuffer::get(&view.call_method1("cast", ("B",))?)?))
    }

    /// The bytes, for use while no other Python code runs.
    pub fn bytes<'a>(&'a self, py: Python<'a>) -> &'a [u8] {
        match self {
            Code::Bytes(bytes) => bytes.as_bytes(py),
            Code::Buffer(buffer) if buffer.len_bytes() == 0 => &[],
            // SAFETY: the buffer stays where it is as long as `self` holds it, and it is contiguous. Nothing writes to
            // it in the meantime: the interpreter's lock is held.
            Code::Buffer(buffer) => unsafe { std::slice::from_raw_parts(buffer.buf_ptr().cast(), buffer.len_bytes()) },
        }
    }

    /// The bytes, copied if other Python code can change them, for use while such code may run. Making Python
    /// objects can run such code.
    pub fn kept<'a>(&'a self, py: Python<'a>) -> Cow<'a, [u8]> {
        match self {
            Code::Bytes(bytes) => Cow::Borrowed(bytes.as_bytes(py)),
            Code::Buffer(_) => Cow::Owned(self.bytes(py).to_vec()),
        }
    }
}

/// Refuses arrays that are not contiguous, or whose elements are unlikely to be bytes of code.
fn check(view: &Bound<'_, PyMemoryView>) -> PyResult<()> {
    let format: String = view.getattr("format")?.extract()?;
    let size: usize = view.getattr("itemsize")?.extract()?;
    let (order, kind) = format.split_at(format.len() - format.trim_start_matches(['@', '=', '<', '>', '!']).len());
    match (kind, size) {
        ("B" | "c", 1) => {}
        ("I" | "L", 4) if matches!(order, ">" | "!") => {
            return Err(PyTypeError::new_err(
                "these dwords have the high byte first: code has the low one first, which `array.astype('<u4')` makes",
            ));
        }
        ("I" | "L", 4) => {}
        _ => {
            let message = format!(
                "code is bytes or dwords, and this buffer's elements are neither (format '{format}', {size} bytes each): \
                 `array.astype(numpy.uint32)` makes dwords of numbers, and `array.view(numpy.uint8)` gives the bytes as they are"
            );
            return Err(PyTypeError::new_err(message));
        }
    }
    match view.getattr("c_contiguous")?.extract()? {
        true => Ok(()),
        false => {
            Err(PyTypeError::new_err("the buffer is not contiguous: `numpy.ascontiguousarray` makes a copy that is"))
        }
    }
}

/// An iterator over code: `(offset, Inst)`, or `(offset, DecodeError)` where there is no instruction.
#[pyclass(module = "amdgpu_isa")]
pub struct Decoder {
    target: amdgpu_isa::Target,
    code: Code,
    at: usize,
}

#[pymethods]
impl Decoder {
    #[new]
    fn new(target: Wanted, code: &Bound<'_, PyAny>) -> PyResult<Decoder> {
        Ok(Decoder { target: target.0, code: Code::of(code)?, at: 0 })
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<(usize, Py<PyAny>)>> {
        let Decoder { target, ref code, at } = *self;
        let rest = code.bytes(py).get(at..).unwrap_or_default();
        let Some(Decoded { inst, .. }) = Walk::new(target, rest).next() else { return Ok(None) };
        let (len, item) = match inst {
            Ok(inst) => (inst.len(), Py::new(py, Inst(inst))?.into_any()),
            Err(invalid) => (invalid.len.into(), errors::refused(py, invalid.error, at).into_value(py).into_any()),
        };
        self.at += len;
        Ok(Some((at, item)))
    }
}

/// The result of `scan`: arrays with an entry for each instruction, and for each dword that is not an instruction.
#[pyclass(frozen, get_all, module = "amdgpu_isa")]
pub struct Scan {
    /// The offsets of the first bytes (unsigned 32 bits).
    offsets: Py<PyAny>,
    /// The lengths in bytes (unsigned 8 bits).
    lengths: Py<PyAny>,
    /// Indices in OPCODES, the same in every version, or 65535 (unsigned 16 bits).
    opcodes: Py<PyAny>,
    /// Indices in FORMATS, or 255 (unsigned 8 bits).
    formats: Py<PyAny>,
}

#[pymethods]
impl Scan {
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.offsets.bind(py).len()
    }
}

fn array(py: Python<'_>, bytes: &[u8], kind: &str) -> PyResult<Py<PyAny>> {
    let view = PyMemoryView::from(PyBytes::new(py, bytes).as_any())?;
    Ok(view.call_method1("cast", (kind,))?.unbind())
}

/// Offsets, lengths, opcodes and formats of all instructions in a buffer, as arrays.
#[pyfunction]
pub fn scan(py: Python<'_>, target: Wanted, code: &Bound<'_, PyAny>) -> PyResult<Scan> {
    let code = Code::of(code)?;
    let bytes = code.bytes(py);
    let room = bytes.len() / 4 + 1;
    let (mut offsets, mut lengths) = (Vec::with_capacity(room * 4), Vec::with_capacity(room));
    let (mut opcodes, mut formats) = (Vec::with_capacity(room * 2), Vec::with_capacity(room));
    for Decoded { offset, inst } in Walk::new(target.0, bytes) {
        let (len, opcode, format) = match &inst {
            Ok(inst) => (inst.len() as u8, inst.opcode().number(), inst.format() as u8),
            Err(invalid) => (invalid.len, u16::MAX, u8::MAX),
        };
        offsets.extend((offset as u32).to_ne_bytes());
        lengths.push(len);
        opcodes.extend(opcode.to_ne_bytes());
        formats.push(format);
    }
    Ok(Scan {
        offsets: array(py, &offsets, "I")?,
        lengths: array(py, &lengths, "B")?,
        opcodes: array(py, &opcodes, "H")?,
        formats: array(py, &formats, "B")?,
    })
}

/// The text of all instructions in a buffer, a line for each. For a dword that is not an instruction, the line is
/// `.long` and the dword.
#[pyfunction]
pub fn text(py: Python<'_>, target: Wanted, code: &Bound<'_, PyAny>) -> PyResult<String> {
    let code = Code::of(code)?;
    let bytes = code.bytes(py);
    let mut out = String::with_capacity(bytes.len() * 6);
    let mut buffer = TextBuffer::new();
    for Decoded { inst, .. } in Walk::new(target.0, bytes) {
        match inst {
            Ok(inst) => {
                buffer.print(&inst);
                out.push_str(buffer.as_str());
            }
            // Writing to a String cannot fail.
            Err(invalid) => drop(write!(out, ".long {:#010x}", invalid.word)),
        }
        out.push('\n');
    }
    Ok(out)
}
