//! Metadata of code objects: MessagePack becomes values of Python.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use rmpv::Value;

use crate::errors;

/// The greatest depth of lists and dictionaries. Compilers write five levels.
const DEPTH: usize = 64;

/// The values of a document.
pub fn read<'py>(py: Python<'py>, document: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let value = rmpv::decode::read_value_with_max_depth(&mut &*document, DEPTH);
    let value = value.map_err(|error| errors::object(py, format!("the metadata is damaged: {error}"), &[]))?;
    object(py, &value)
}

fn object<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Nil => Ok(py.None().into_bound(py)),
        Value::Boolean(value) => value.into_bound_py_any(py),
        Value::Integer(value) => match (value.as_u64(), value.as_i64()) {
            (Some(value), _) => value.into_bound_py_any(py),
            (_, value) => value.into_bound_py_any(py),
        },
        Value::F32(value) => value.into_bound_py_any(py),
        Value::F64(value) => value.into_bound_py_any(py),
        // Names that are not UTF-8 have U+FFFD in place of the wrong bytes.
        Value::String(text) => String::from_utf8_lossy(text.as_bytes()).into_bound_py_any(py),
        Value::Binary(bytes) | Value::Ext(_, bytes) => Ok(PyBytes::new(py, bytes).into_any()),
        Value::Array(values) => {
            let list = PyList::empty(py);
            values.iter().try_for_each(|value| list.append(object(py, value)?))?;
            Ok(list.into_any())
        }
        Value::Map(entries) => {
            let dict = PyDict::new(py);
            for (key, value) in entries {
                // A key that a Python dictionary cannot have, such as a list, becomes text.
                let key = match key {
                    Value::Array(_) | Value::Map(_) => key.to_string().into_bound_py_any(py)?,
                    key => object(py, key)?,
                };
                dict.set_item(key, object(py, value)?)?;
            }
            Ok(dict.into_any())
        }
    }
}
