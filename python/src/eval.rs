//! Results of instructions, as the package amdgpu-eval computes them.

use std::cell::RefCell;

use amdgpu_eval::{Evaluator, LANES, Mode};
use amdgpu_isa::Reg;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;

use crate::errors::EvalError;
use crate::inst::Inst;

thread_local! {
    /// The evaluator of this thread, which keeps the formulas that it has read.
    static EVALUATOR: RefCell<Evaluator> = RefCell::default();
}

/// The registers of one wave.
#[pyclass(eq, module = "amdgpu_isa")]
#[derive(PartialEq)]
pub struct Wave(amdgpu_eval::Wave);

/// Reads the name of a register. Refuses a lane that no wave has, and a number of dwords other than 1 and 2.
fn place(name: &str, lane: usize, dwords: u16) -> PyResult<Reg> {
    if lane >= LANES {
        return Err(PyIndexError::new_err(format!("a wave has at most {LANES} lanes")));
    }
    if !(1..=2).contains(&dwords) {
        return Err(PyValueError::new_err("dwords is 1 or 2"));
    }
    amdgpu_eval::Wave::register(name).ok_or_else(|| PyValueError::new_err(format!("a wave has no register {name:?}")))
}

#[pymethods]
impl Wave {
    /// A wave whose registers are 0. `mode` has settings such as "round=zero,denorm=flush".
    #[new]
    #[pyo3(signature = (mode = "", *, exec = u64::MAX, vcc = 0, scc = false, m0 = 0))]
    fn new(mode: &str, exec: u64, vcc: u64, scc: bool, m0: u32) -> PyResult<Wave> {
        let mut settings = Mode::default();
        for setting in mode.split(',').map(str::trim).filter(|setting| !setting.is_empty()) {
            let (key, value) = setting.split_once('=').unwrap_or((setting, ""));
            let unknown = |_| PyValueError::new_err(format!("no mode is called {setting:?}"));
            settings.set(key.trim(), value.trim()).map_err(unknown)?;
        }
        let mut wave = amdgpu_eval::Wave::default();
        (wave.exec, wave.vcc, wave.scc, wave.m0, wave.mode) = (exec, vcc, scc, m0, settings);
        Ok(Wave(wave))
    }

    #[getter]
    fn exec(&self) -> u64 {
        self.0.exec
    }

    #[setter]
    fn set_exec(&mut self, value: u64) {
        self.0.exec = value;
    }

    #[getter]
    fn vcc(&self) -> u64 {
        self.0.vcc
    }

    #[setter]
    fn set_vcc(&mut self, value: u64) {
        self.0.vcc = value;
    }

    #[getter]
    fn scc(&self) -> bool {
        self.0.scc
    }

    #[setter]
    fn set_scc(&mut self, value: bool) {
        self.0.scc = value;
    }

    #[getter]
    fn m0(&self) -> u32 {
        self.0.m0
    }

    #[setter]
    fn set_m0(&mut self, value: u32) {
        self.0.m0 = value;
    }

    /// The value of a register, or of two with consecutive numbers.
    #[pyo3(signature = (name, lane = 0, dwords = 1))]
    fn read(&self, name: &str, lane: usize, dwords: u16) -> PyResult<u64> {
        let register = place(name, lane, dwords)?;
        let dword = |index| u64::from(self.0.read(register, index, lane).unwrap_or(0)) << (32 * index);
        Ok((0..dwords).map(dword).sum())
    }

    /// Changes a register, or two with consecutive numbers.
    #[pyo3(signature = (name, value, lane = 0, dwords = 1))]
    fn write(&mut self, name: &str, value: u64, lane: usize, dwords: u16) -> PyResult<()> {
        let register = place(name, lane, dwords)?;
        if dwords == 1 && value > u32::MAX.into() {
            return Err(PyValueError::new_err("the value does not fit in 32 bits"));
        }
        (0..dwords).for_each(|index| self.0.write(register, index, lane, (value >> (32 * index)) as u32));
        Ok(())
    }

    /// Changes the registers as an instruction does.
    fn run(&mut self, inst: &Inst) -> PyResult<()> {
        let done = EVALUATOR.with_borrow_mut(|evaluator| evaluator.run(&inst.0, &mut self.0));
        done.map_err(|error| EvalError::new_err(error.to_string()))
    }

    fn __copy__(&self) -> Wave {
        Wave(self.0.clone())
    }

    fn __repr__(&self) -> String {
        let amdgpu_eval::Wave { exec, vcc, scc, m0, .. } = self.0;
        format!("<exec {exec:#x}, vcc {vcc:#x}, scc {}, m0 {m0:#x}>", u8::from(scc))
    }
}
