//! Code objects: the kernels of an ELF file.

use amdgpu_isa::{Decoded, Decoder};
use object::read::elf::ElfFile64;
use object::{LittleEndian, Object, ObjectSection, ObjectSymbol, SectionKind};
use pyo3::prelude::*;

use crate::bulk::Code;
use crate::errors::{self, ObjectError};
use crate::inst::Inst;
use crate::target::{Target, Wanted};

/// A kernel of a code object.
#[pyclass(frozen, get_all, module = "amdgpu_isa")]
pub struct Kernel {
    name: String,
    address: u64,
    target: Target,
}

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

#[pymethods]
impl Kernel {
    fn __repr__(&self) -> String {
        format!("<{} at {:#x}, {}>", self.name, self.address, self.target.0)
    }
}

type File<'a> = ElfFile64<'a, LittleEndian>;

fn broken(error: impl std::fmt::Display) -> PyErr {
    ObjectError::new_err(format!("not a code object: {error}"))
}

fn open(bytes: &[u8]) -> PyResult<(File<'_>, amdgpu_isa::Target)> {
    let file = File::parse(bytes).map_err(broken)?;
    let flags = file.elf_header().e_flags.get(LittleEndian);
    let target = amdgpu_isa::Target::from_e_flags(flags);
    let target = target.ok_or_else(|| broken(format!("e_flags {flags:#x} are those of no known GPU")))?;
    // Whether waves have 32 or 64 lanes, the descriptors of the kernels tell.
    let lanes = descriptors(&file).next().map(|(_, _, bytes)| if bytes[57] & 4 == 0 { 64 } else { 32 });
    Ok((file, lanes.and_then(|lanes| target.with_wave_size(lanes)).unwrap_or(target)))
}

/// The name and address of each kernel, and its descriptor.
fn descriptors<'a>(file: &'a File<'_>) -> impl Iterator<Item = (String, u64, [u8; 64])> + use<'a> {
    file.dynamic_symbols().filter_map(|symbol| {
        let name = symbol.name().ok()?.strip_suffix(".kd")?.to_string();
        let section = file.section_by_index(symbol.section_index()?).ok()?;
        let bytes: [u8; 64] = section.data_range(symbol.address(), 64).ok()??.try_into().ok()?;
        let distance = u64::from_le_bytes(bytes[16..24].try_into().ok()?);
        Some((name, symbol.address().wrapping_add(distance), bytes))
    })
}

/// The kernels of a code object, in the order of their addresses.
#[pyfunction]
pub fn kernels(py: Python<'_>, code: &Bound<'_, PyAny>) -> PyResult<Vec<Kernel>> {
    let code = Code::of(code)?;
    let (file, target) = open(code.bytes(py))?;
    let mut all: Vec<Kernel> =
        descriptors(&file).map(|(name, address, _)| Kernel { name, address, target: Target(target) }).collect();
    all.sort_by_key(|kernel| kernel.address);
    Ok(all)
}

/// The lines of a code object, or with a target those of bare code, which begins at `address`.
#[pyfunction]
#[pyo3(signature = (code, target = None, address = 0))]
pub fn disassemble(
    py: Python<'_>,
    code: &Bound<'_, PyAny>,
    target: Option<Wanted>,
    address: u64,
) -> PyResult<Vec<Line>> {
    let code = Code::of(code)?;
    let bytes = code.bytes(py);
    let mut all = Vec::new();
    if let Some(target) = target {
        lines(py, target.0, bytes, address, &mut all);
        return Ok(all);
    }
    let (file, target) = open(bytes)?;
    for section in file.sections().filter(|section| section.kind() == SectionKind::Text) {
        lines(py, target, section.data().map_err(broken)?, section.address(), &mut all);
    }
    Ok(all)
}

fn lines(py: Python<'_>, target: amdgpu_isa::Target, bytes: &[u8], address: u64, all: &mut Vec<Line>) {
    for Decoded { offset, inst } in Decoder::new(target, bytes) {
        let address = address.wrapping_add(offset as u64);
        all.push(match inst {
            Ok(inst) => Line { address, text: inst.to_string(), inst: Some(Inst(inst)), error: None },
            Err(invalid) => {
                let error = errors::refused(py, invalid.error, offset).into_value(py).into_any();
                Line { address, text: format!(".long {:#010x}", invalid.word), inst: None, error: Some(error) }
            }
        });
    }
}
