//! Exceptions. Each has attributes for the field, the value and the place of the error, as far as the error has them.

use amdgpu_isa::errors::FieldError;
use amdgpu_isa::patch::PatchError;
use amdgpu_isa::text::Suggestion;
use amdgpu_isa::{DecodeError as Refused, convert};
use amdgpu_object::TargetError;
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

create_exception!(amdgpu_isa, IsaError, PyValueError, "The base of all errors of this package.");
create_exception!(amdgpu_isa, UnknownTargetError, IsaError, "No target has this name.");
create_exception!(amdgpu_isa, DecodeError, IsaError, "These bytes are not an instruction.");
create_exception!(amdgpu_isa, ParseError, IsaError, "This text is not an instruction.");
create_exception!(amdgpu_isa, ChangeError, IsaError, "The instruction cannot be changed like this.");
create_exception!(amdgpu_isa, RetargetError, IsaError, "The other target lacks something.");
create_exception!(amdgpu_isa, RuleError, IsaError, "The instruction breaks a rule beyond decoding.");
create_exception!(amdgpu_isa, RepairError, IsaError, "The code object cannot be changed.");
create_exception!(amdgpu_isa, EvalError, IsaError, "The result of this instruction is not known.");
create_exception!(amdgpu_isa, AssemblyError, IsaError, "The source has faults.");
create_exception!(amdgpu_isa, ObjectError, IsaError, "This file, or a part of it, cannot be read.");

pub fn add(m: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = m.py();
    m.add("IsaError", py.get_type::<IsaError>())?;
    m.add("UnknownTargetError", py.get_type::<UnknownTargetError>())?;
    m.add("DecodeError", py.get_type::<DecodeError>())?;
    m.add("ParseError", py.get_type::<ParseError>())?;
    m.add("ChangeError", py.get_type::<ChangeError>())?;
    m.add("RetargetError", py.get_type::<RetargetError>())?;
    m.add("RuleError", py.get_type::<RuleError>())?;
    m.add("RepairError", py.get_type::<RepairError>())?;
    m.add("EvalError", py.get_type::<EvalError>())?;
    m.add("AssemblyError", py.get_type::<AssemblyError>())?;
    m.add("ObjectError", py.get_type::<ObjectError>())
}

/// An exception that gets attributes.
struct With<'py>(Python<'py>, PyErr);

impl<'py> With<'py> {
    fn set(self, name: &str, value: impl IntoPyObject<'py>) -> Self {
        // The exceptions of this module accept any attribute.
        let _ = self.1.value(self.0).setattr(name, value);
        self
    }
}

/// The reason why bytes are not an instruction. `offset`: the place where they begin.
pub fn refused(py: Python<'_>, error: Refused, offset: usize) -> PyErr {
    let (kind, field, value, bits, needed) = match error {
        Refused::Truncated { needed } => ("truncated", None, None, None, Some(needed)),
        Refused::UnknownEncoding => ("unknown encoding", None, None, None, None),
        Refused::UnknownOpcode { opcode, .. } => ("unknown opcode", Some("op"), Some(opcode), None, None),
        Refused::ReservedBits { field, bit, .. } => {
            ("reserved bits", field.map(|field| field.name()), None, Some((bit, bit)), None)
        }
        Refused::ReservedValue { field, value, lsb, width } => {
            ("reserved value", Some(field.name()), Some(value), Some((lsb + width - 1, lsb)), None)
        }
        _ => ("other", None, None, None, None),
    };
    With(py, DecodeError::new_err(error.to_string()))
        .set("kind", kind)
        .set("field", field)
        .set("value", value)
        .set("bits", bits)
        .set("needed", needed)
        .set("offset", offset)
        .1
}

/// The damage to a file, or to the innermost part on a path.
pub fn object(py: Python<'_>, message: String, path: &[amdgpu_object::Step]) -> PyErr {
    let names: Vec<String> = path.iter().map(|step| step.container.to_string()).collect();
    let place = path.last();
    With(py, ObjectError::new_err(message))
        .set("path", names)
        .set("offset", place.map(|step| step.offset))
        .set("is_decompressed", place.is_some_and(|step| step.is_decompressed))
        .1
}

/// The reason why a file has no code.
pub fn no_code(py: Python<'_>, reason: impl std::fmt::Display, path: &[amdgpu_object::Step]) -> PyErr {
    object(py, format!("not a code object: {reason}"), path)
}

/// The exception for a source with errors, with the line and column of the first error, and all faults.
pub fn assembly<'py>(
    py: Python<'py>,
    message: String,
    place: Option<(usize, usize)>,
    faults: impl IntoPyObject<'py>,
) -> PyErr {
    With(py, AssemblyError::new_err(message))
        .set("line", place.map(|(line, _)| line))
        .set("column", place.map(|(_, column)| column))
        .set("faults", faults)
        .1
}

/// The error for code that is not decoded, because its target is unknown or is not the wanted one.
pub fn undecodable(py: Python<'_>, error: &TargetError) -> PyErr {
    let message = match error {
        TargetError::Unsupported(id) => format!("the code is for {id}, which this build cannot decode"),
        TargetError::UnknownProcessor(number) => {
            format!("the code is for processor {number:#x}, which this build cannot decode")
        }
        error => format!("the code object {error}"),
    };
    object(py, message, &[])
}

/// The reason why text is not an instruction. `line`: the line in a program, from 0 on.
pub fn unparsed(
    py: Python<'_>,
    target: amdgpu_isa::Target,
    text: &str,
    line: Option<usize>,
    error: amdgpu_isa::text::ParseError,
) -> PyErr {
    let suggestion = Suggestion::of(target, text);
    let unknown = matches!(error.kind, amdgpu_isa::text::ParseErrorKind::Mnemonic);
    let mut message = error.to_string();
    if unknown {
        message += &format!(" on {target}");
        match suggestion {
            Suggestion { elsewhere: Some(other), .. } => message += &format!("; {other} has it"),
            Suggestion { nearest: Some(nearest), .. } => message += &format!("; {nearest} is similar"),
            _ => {}
        }
    }
    // Positions are in characters, as in Python.
    let characters = |bytes: u32| text.get(..bytes as usize).unwrap_or(text).chars().count();
    let (start, end) = (characters(error.span.start), characters(error.span.end));
    if let Some(line) = line {
        message = format!("line {}, column {}: {message}", line + 1, start + 1);
    }
    With(py, ParseError::new_err(message))
        .set("text", text)
        .set("line", line.unwrap_or(0))
        .set("column", start)
        .set("start", start)
        .set("end", end)
        .set("nearest", suggestion.nearest.filter(|_| unknown))
        .set("elsewhere", suggestion.elsewhere.filter(|_| unknown).map(|target| target.name()))
        .1
}

pub fn no_field(name: &str) -> PyErr {
    ChangeError::new_err(format!("no field is called {name:?}"))
}

pub fn unchanged(py: Python<'_>, error: PatchError) -> PyErr {
    let (field, value, width) = match error {
        PatchError::NoField(field) => (Some(field), None, None),
        PatchError::Value(FieldError { field, value, width }) => (Some(field), Some(value), Some(width)),
        PatchError::Operand { field, .. } | PatchError::Shared { field, .. } => (Some(field), None, None),
        _ => (None, None, None),
    };
    With(py, ChangeError::new_err(error.to_string()))
        .set("field", field.map(|field| field.name()))
        .set("value", value)
        .set("width", width)
        .1
}

pub fn unconverted(error: convert::ConvertError) -> PyErr {
    ChangeError::new_err(error.to_string())
}

pub fn not_retargeted(py: Python<'_>, error: convert::RetargetError) -> PyErr {
    let (field, value) = match error {
        convert::RetargetError::Modifier { field, value } | convert::RetargetError::Value { field, value } => {
            (Some(field), Some(value))
        }
        convert::RetargetError::Register { field, .. } | convert::RetargetError::Operand { field, .. } => {
            (Some(field), None)
        }
        convert::RetargetError::Address(field) => (Some(field), None),
        _ => (None, None),
    };
    With(py, RetargetError::new_err(error.to_string()))
        .set("field", field.map(|field| field.name()))
        .set("value", value)
        .1
}
