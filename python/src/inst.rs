//! One instruction: decoding, parsing, queries, changes.

use amdgpu_isa::errors::FieldError;
use amdgpu_isa::facts::RegSet;
use amdgpu_isa::patch::PatchError;
use amdgpu_isa::{Access, Filler, Reg, Value};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};

use crate::bulk::Code;
use crate::errors::{self, RuleError};
use crate::explain;
use crate::target::{Made, Target, Wanted};

/// An instruction of a target: its words, bit for bit, and their meaning.
#[pyclass(frozen, eq, hash, module = "amdgpu_isa")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Inst(pub amdgpu_isa::Inst);

/// An operand that an instruction reads or writes.
#[pyclass(frozen, eq, hash, get_all, module = "amdgpu_isa")]
#[derive(PartialEq, Eq, Hash)]
pub struct Operand {
    /// The field of the operand, or None if it is implicit.
    role: Option<&'static str>,
    text: String,
    bits: u16,
    reads: bool,
    writes: bool,
    /// The register file, the first number and the count; None if it is not a register with a number.
    register: Option<Run>,
}

/// Registers of a file: the name of the file as in text, the first number, and the count.
type Run = (&'static str, u16, u16);

/// The register files whose registers have numbers.
const FILES: [&str; 4] = ["s", "v", "a", "ttmp"];

/// A field of an instruction, with its bits.
#[pyclass(frozen, get_all, module = "amdgpu_isa")]
pub struct Field {
    name: String,
    value: u64,
    /// `(lowest bit, width)` of each piece, the low one first; bits count from the start of the instruction.
    pieces: Vec<(u32, u32)>,
    meaning: String,
}

impl Operand {
    fn of(inst: &amdgpu_isa::Inst, operand: &amdgpu_isa::Operand) -> Operand {
        let shown = operand.role.map(|field| inst.field_text(field).to_string());
        Operand {
            role: operand.role.map(|field| field.name()),
            text: shown.filter(|text| !text.is_empty()).unwrap_or_else(|| operand.value.to_string()),
            bits: operand.bits,
            reads: operand.access.reads(),
            writes: operand.access.writes(),
            register: run(operand),
        }
    }
}

fn run(operand: &amdgpu_isa::Operand) -> Option<Run> {
    let [s, v, a, ttmp] = FILES;
    let (file, number) = match operand.value {
        Value::Reg(Reg::Sgpr(number)) => (s, u16::from(number)),
        Value::Reg(Reg::Vgpr(number)) => (v, number),
        Value::Reg(Reg::VgprHigh(number)) => (v, number.into()),
        Value::Reg(Reg::Agpr(number)) => (a, number.into()),
        Value::Reg(Reg::Ttmp(number)) => (ttmp, number.into()),
        _ => return None,
    };
    Some((file, number, operand.bits.div_ceil(32).max(1)))
}

/// Makes an operand from the parts that pickle stores.
#[pyfunction]
pub fn _operand(
    role: Option<&str>,
    text: String,
    bits: u16,
    reads: bool,
    writes: bool,
    register: Option<(String, u16, u16)>,
) -> PyResult<Operand> {
    let role = role.map(field).transpose()?.map(|field| field.name());
    let file = |name: &str| FILES.iter().find(|file| **file == name).copied();
    let register = register.and_then(|(name, first, count)| Some((file(&name)?, first, count)));
    Ok(Operand { role, text, bits, reads, writes, register })
}

#[pymethods]
impl Operand {
    fn __str__(&self) -> &str {
        &self.text
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        let Operand { role, text, bits, reads, writes, register } = self;
        Ok((native(py, "_operand")?, (*role, text, *bits, *reads, *writes, *register).into_pyobject(py)?))
    }

    fn __repr__(&self) -> String {
        let access = match (self.reads, self.writes) {
            (true, true) => "reads and writes",
            (false, true) => "writes",
            _ => "reads",
        };
        format!("<{} {}: {access} {} bits>", self.role.unwrap_or("implicit"), self.text, self.bits)
    }
}

#[pymethods]
impl Field {
    fn __repr__(&self) -> String {
        format!(
            "<{} = {:#x}{}{}>",
            self.name,
            self.value,
            if self.meaning.is_empty() { "" } else { ": " },
            self.meaning
        )
    }
}

/// Decodes the instruction at the start of `code`, or at byte `offset`.
#[pyfunction]
#[pyo3(signature = (target, code, offset = 0))]
pub fn decode(py: Python<'_>, target: Wanted, code: &Bound<'_, PyAny>, offset: usize) -> PyResult<Inst> {
    let code = Code::of(code)?;
    let rest = code.bytes(py).get(offset..).unwrap_or_default();
    amdgpu_isa::decode(target.0, rest).map(Inst).map_err(|error| errors::refused(py, error, offset))
}

/// The instruction that LLVM's assembler makes of this text.
#[pyfunction]
pub fn parse(py: Python<'_>, target: Made, text: &str) -> PyResult<Inst> {
    let Made { target, filler } = target;
    let parsed = amdgpu_isa::parse(target, text).map_err(|error| errors::unparsed(py, target, text, None, error));
    parsed.map(|inst| Inst(inst.with_filler(filler)))
}

/// The bytes of a program: an instruction in each line. Comments begin with `//` or `;`. Errors have the line and the
/// column.
#[pyfunction]
pub fn assemble<'py>(py: Python<'py>, target: Made, text: &str) -> PyResult<Bound<'py, PyBytes>> {
    let Made { target, filler } = target;
    let mut code = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let end = line.find("//").into_iter().chain(line.find(';')).min().unwrap_or(line.len());
        let line = &line[..end];
        if !line.trim().is_empty() {
            let inst = amdgpu_isa::parse(target, line)
                .map_err(|error| errors::unparsed(py, target, line, Some(number), error))?;
            code.extend(inst.with_filler(filler).words().iter().flat_map(|word| word.to_le_bytes()));
        }
    }
    Ok(PyBytes::new(py, &code))
}

/// The parts that pickle stores: a function, and its arguments.
type Reduced<'py> = (Bound<'py, PyAny>, Bound<'py, PyTuple>);

/// A function of this module, under whose name pickle finds it again.
fn native<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("amdgpu_isa._native")?.getattr(name)
}

fn names(set: RegSet) -> Vec<String> {
    set.iter().map(|reg| reg.to_string()).collect()
}

/// The filler with this name.
pub fn filler(name: &str) -> PyResult<Filler> {
    Filler::named(name).ok_or_else(|| PyValueError::new_err(format!("{name:?} is neither \"llvm22\" nor \"llvm23\"")))
}

fn field(name: &str) -> PyResult<amdgpu_isa::Field> {
    let found = amdgpu_isa::Field::ALL.iter().find(|field| field.name() == name);
    found.copied().ok_or_else(|| errors::no_field(name))
}

#[pymethods]
impl Inst {
    #[getter]
    fn target(&self) -> Target {
        Target(self.0.target())
    }

    #[getter]
    fn text(&self) -> String {
        self.0.to_string()
    }

    #[getter]
    fn mnemonic(&self) -> &'static str {
        self.0.mnemonic()
    }

    /// The operation, under the name that all targets share.
    #[getter]
    fn opcode(&self) -> &'static str {
        self.0.opcode().name()
    }

    #[getter]
    fn format(&self) -> &'static str {
        self.0.format().name()
    }

    #[getter]
    fn words(&self) -> Vec<u32> {
        self.0.words().to_vec()
    }

    #[getter]
    fn operands(&self) -> Vec<Operand> {
        self.0.operands().map(|operand| Operand::of(&self.0, &operand)).collect()
    }

    #[getter]
    fn fields(&self) -> Vec<Field> {
        let field = |view: amdgpu_explain::FieldView| Field {
            name: view.name,
            value: view.value,
            pieces: view.pieces,
            meaning: view.meaning,
        };
        amdgpu_explain::fields(&self.0).into_iter().map(field).collect()
    }

    /// The registers that the instruction reads, including implicit ones, with a name for each dword.
    #[getter]
    fn reads(&self) -> Vec<String> {
        names(self.0.reads())
    }

    #[getter]
    fn writes(&self) -> Vec<String> {
        names(self.0.writes())
    }

    /// The counters that the instruction raises, and that `s_waitcnt` waits for.
    #[getter]
    fn counters(&self) -> Vec<String> {
        self.0.counters().iter().map(|counter| counter.to_string()).collect()
    }

    #[getter]
    fn flags(&self) -> Vec<&'static str> {
        self.0.flags().iter().map(|flag| flag.name()).collect()
    }

    /// Memory accesses: `(space, "read" | "write" | "read and write")`.
    #[getter]
    fn memory(&self) -> Vec<(String, &'static str)> {
        let access = |access| match access {
            Access::Read => "read",
            Access::Write => "write",
            Access::ReadWrite => "read and write",
        };
        self.0.memory().map(|m| (format!("{:?}", m.space).to_lowercase(), access(m.access))).collect()
    }

    /// The meaning of the operation: a formula, or a sentence in quotes.
    #[getter]
    fn meaning(&self) -> Option<&'static str> {
        self.0.opcode().meaning(self.0.target())
    }

    /// The filler, the value of sources that the operation lacks: "llvm22", "llvm23" or None.
    #[getter]
    fn filler(&self) -> Option<&'static str> {
        self.0.filler().map(Filler::name)
    }

    /// The instruction with this filler, "llvm22" or "llvm23", in the sources that the operation lacks.
    fn with_filler(&self, name: &str) -> PyResult<Self> {
        Ok(Inst(self.0.with_filler(filler(name)?)))
    }

    /// Whether no ignored bit is set, except in sources that have a filler.
    #[getter]
    fn is_canonical(&self) -> bool {
        self.0.is_canonical()
    }

    /// The value of a field, which is negative if the operation reads a negative number. None without the field.
    fn get(&self, name: &str) -> PyResult<Option<i64>> {
        let field = field(name)?;
        let Some(bits) = self.0.get(field) else { return Ok(None) };
        // A field with a sign refuses a positive number whose bits stand for a negative one.
        Ok(Some(match i32::try_from(bits).map(|number| self.0.with_signed(field, number)) {
            Ok(Err(PatchError::Value(FieldError { width, .. }))) => i64::from(bits) - (1 << width),
            _ => bits.into(),
        }))
    }

    /// The instruction with other values of fields: `inst.replace(vdst=7)`. Values are as `get` returns them.
    #[pyo3(signature = (**values))]
    fn replace(&self, py: Python<'_>, values: Option<&Bound<'_, PyDict>>) -> PyResult<Inst> {
        let mut inst = self.0;
        for (name, value) in values.into_iter().flatten() {
            let (field, value) = (field(name.extract()?)?, value.extract::<i64>()?);
            // Only literals have unsigned numbers of 32 bits.
            let changed = match (i32::try_from(value), u32::try_from(value)) {
                (Ok(value), _) => inst.with_signed(field, value),
                (_, Ok(value)) => inst.with(field, value),
                _ => match inst.locate(field) {
                    Some(place) => Err(FieldError { field, value, width: place.width() }.into()),
                    None => Err(PatchError::NoField(field)),
                },
            };
            inst = changed.map_err(|error| errors::unchanged(py, error))?;
        }
        Ok(Inst(inst))
    }

    /// An instruction with the same operation, operands and modifiers on another target.
    fn retarget(&self, py: Python<'_>, target: Wanted) -> PyResult<Inst> {
        self.0.retarget(target.0).map(Inst).map_err(|error| errors::not_retargeted(py, error))
    }

    /// The instruction in its shortest encoding.
    fn shrink(&self) -> PyResult<Inst> {
        self.0.shrink().map(Inst).map_err(errors::unconverted)
    }

    /// The instruction in its encoding of 64 bits.
    fn expand(&self) -> PyResult<Inst> {
        self.0.expand().map(Inst).map_err(errors::unconverted)
    }

    /// The instruction with its first two sources swapped.
    fn commuted(&self) -> PyResult<Inst> {
        self.0.commuted().map(Inst).map_err(errors::unconverted)
    }

    /// Raises RuleError if the instruction breaks a rule that decoding does not check.
    fn check(&self) -> PyResult<()> {
        self.0.check().map_err(|error| RuleError::new_err(error.to_string()))
    }

    /// The target of a branch at address `pc`, or None.
    fn branch_target(&self, pc: u64) -> Option<u64> {
        self.0.branch_target(pc)
    }

    /// A picture of the instruction's bits, as SVG.
    fn svg(&self) -> String {
        explain::svg(&self.0)
    }

    fn _repr_svg_(&self) -> String {
        explain::svg(&self.0)
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let bytes: Vec<u8> = self.0.words().iter().flat_map(|word| word.to_le_bytes()).collect();
        PyBytes::new(py, &bytes)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        Ok((native(py, "decode")?, (self.target(), self.__bytes__(py)).into_pyobject(py)?))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<{} {}>", self.0.target().name(), self.0)
    }
}
