//! Lines that ask for the result of an instruction. Values of registers are in hexadecimal, after the names of the
//! fields.
//!
//! `gfx1100<TAB>words<TAB>round=ne,denorm=keep,wave=32<TAB>lane<TAB>src0=...;vdst.old=...;exec=...`. The lane is `-`
//! for a scalar operation. Consecutive lines of the same instruction with ascending lanes are one wave.

use amdgpu_isa::{Access, Field, Inst, Operand, Reg, Target, Value, decode};

use crate::wave::is_vector;
use crate::{EvalError, Evaluator, Mode, Wave};

/// A line that asks for the result of an instruction.
#[derive(Clone, Debug)]
pub struct Line {
    /// The instruction to evaluate.
    pub inst: Inst,
    mode: Mode,
    /// The lane; `None` for a scalar operation.
    lane: Option<usize>,
    inputs: Vec<(String, Vec<u32>)>,
    /// The separator of the values, also in the answer.
    separator: char,
    /// The first three columns of the line.
    head: String,
}

/// The reason why a line has no answer, in words.
pub type Reason = String;

impl Line {
    /// Reads a line.
    ///
    /// # Errors
    /// The reason why the line is not understood.
    pub fn read(text: &str) -> Result<Line, Reason> {
        let parts: Vec<&str> = text.split('\t').collect();
        let [target, words, mode, lane, inputs] = parts[..] else {
            return Err("expected: target<TAB>words<TAB>mode<TAB>lane<TAB>inputs".into());
        };
        let mut target = target.parse::<Target>().map_err(|_| format!("unknown target {target}"))?;
        let mut wanted = Mode::default();
        for word in mode.split([',', ' ', ';']).filter(|word| !word.is_empty()) {
            match word.split_once('=') {
                Some(("wave", lanes)) => {
                    let lanes = lanes.parse().map_err(|_| format!("`{word}` is not a number of lanes"))?;
                    target = target.with_wave_size(lanes).ok_or(format!("{target} has no waves of {lanes} lanes"))?;
                }
                Some((key, value)) => wanted.set(key, value).map_err(|error| format!("unknown mode {}", error.0))?,
                // A word without a value, such as `integers`, is a remark.
                None => {}
            }
        }
        let bytes = hex_bytes(words).ok_or(format!("`{words}` is not bytes in hexadecimal"))?;
        let inst = decode(target, &bytes).map_err(|error| error.to_string())?;
        let lane = match lane {
            "-" | "" => None,
            lane => match lane.parse::<usize>() {
                Ok(lane) if lane < usize::from(target.wave_size()) => Some(lane),
                _ => return Err(format!("`{lane}` is not a lane")),
            },
        };
        let separator = if inputs.contains(';') { ';' } else { ' ' };
        let mut values = Vec::new();
        for input in inputs.split([';', ' ']).filter(|input| !input.is_empty() && *input != "-") {
            let (name, value) = input.split_once('=').ok_or(format!("`{input}` is not NAME=HEX"))?;
            values.push((
                name.to_string(),
                hex_dwords(value).ok_or(format!("`{value}` is not a number in hexadecimal"))?,
            ));
        }
        let head = format!("{target} {words} {mode}");
        Ok(Line { inst, mode: wanted, lane, inputs: values, separator, head })
    }

    /// Whether the line can belong to the same wave as the line before it.
    pub fn continues(&self, before: &Line) -> bool {
        self.head == before.head && self.lane > before.lane && before.lane.is_some()
    }

    /// Whether the line is about one lane of a wave.
    pub fn has_lane(&self) -> bool {
        self.lane.is_some()
    }

    /// Whether the lane is the wave's last one.
    pub fn is_last(&self) -> bool {
        self.lane.is_some_and(|lane| lane + 1 == usize::from(self.inst.target().wave_size()))
    }

    /// Puts the values of the line into registers.
    fn fill(&self, wave: &mut Wave) -> Result<(), Reason> {
        wave.mode = self.mode;
        for (name, dwords) in &self.inputs {
            let whole = || u64::from(dwords[0]) | u64::from(dwords.get(1).copied().unwrap_or(0)) << 32;
            match name.as_str() {
                "exec" => wave.exec = fits(name, dwords, 64).map(|()| whole())?,
                "vcc" => wave.vcc = fits(name, dwords, 64).map(|()| whole())?,
                "scc" => wave.scc = fits(name, dwords, 1).map(|()| dwords[0] == 1)?,
                "m0" => wave.m0 = fits(name, dwords, 32).map(|()| dwords[0])?,
                name => {
                    let (field, old) = match name.strip_suffix(".old") {
                        Some(field) => (field, true),
                        None => (name, false),
                    };
                    let is_it = |operand: &Operand| {
                        operand.role.is_some_and(|role| role.name() == field)
                            && (!old || operand.access != Access::Read)
                    };
                    let operand = self.inst.operands().find(is_it).ok_or(format!("the instruction has no {field}"))?;
                    // An operand of 16 bits can be in either half of its register.
                    fits(name, dwords, operand.bits.next_multiple_of(32))?;
                    // The words of the instruction already have the values of constants.
                    let Value::Reg(reg) = operand.value else { continue };
                    for (index, value) in (0..).zip(dwords) {
                        wave.write(reg, index, self.lane.unwrap_or(0), *value);
                    }
                }
            }
        }
        Ok(())
    }

    /// The values that the instruction has written, in the lane of the line.
    fn answer(&self, wave: &Wave) -> String {
        let mut out = String::new();
        let lanes = self.inst.target().wave_size();
        let mut add = |name: &str, value: String| {
            if !out.is_empty() {
                out.push(self.separator);
            }
            out.push_str(&format!("{name}={value}"));
        };
        for operand in self.inst.operands().filter(|operand| operand.access != Access::Read) {
            let Value::Reg(reg) = operand.value else { continue };
            let lane = if is_vector(&operand) { self.lane.unwrap_or(0) } else { 0 };
            let value = || {
                let dwords = (0..operand.bits.div_ceil(32)).rev();
                dwords.map(|n| format!("{:08x}", wave.read(reg, n, lane).unwrap_or(0))).collect::<String>()
            };
            match (operand.role, reg) {
                (_, Reg::Scc) => add("scc", u8::from(wave.scc).to_string()),
                (Some(Field::Vcc) | None, Reg::Vcc) => add("vcc", mask(wave.vcc, lanes)),
                (None, Reg::Exec) => add("exec", mask(wave.exec, lanes)),
                (None, Reg::M0) => add("m0", format!("{:08x}", wave.m0)),
                (Some(field), _) => add(field.name(), value()),
                _ => {}
            }
        }
        out
    }
}

/// Checks that a number has no more bits than its place.
fn fits(name: &str, dwords: &[u32], bits: u16) -> Result<(), Reason> {
    let used =
        dwords.iter().rposition(|dword| *dword != 0).map_or(0, |n| (n as u32 + 1) * 32 - dwords[n].leading_zeros());
    match used <= u32::from(bits) {
        true => Ok(()),
        false => Err(format!("the value of {name} has {used} bits, and there are {bits}")),
    }
}

fn mask(mask: u64, lanes: u16) -> String {
    if lanes == 32 { format!("{:08x}", mask as u32) } else { format!("{mask:016x}") }
}

/// The answers to the lines of one wave.
pub fn answers(evaluator: &mut Evaluator, lines: &[Line]) -> Vec<Result<String, Reason>> {
    let mut wave = Wave::default();
    for line in lines {
        if let Err(reason) = line.fill(&mut wave) {
            return lines.iter().map(|_| Err(reason.clone())).collect();
        }
    }
    let Some(first) = lines.first() else { return Vec::new() };
    match evaluator.run(&first.inst, &mut wave) {
        Ok(()) => lines.iter().map(|line| Ok(line.answer(&wave))).collect(),
        Err(error) => lines.iter().map(|_| Err(EvalError::to_string(&error))).collect(),
    }
}

fn hex_bytes(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
    if digits.is_empty() || digits.len() % 2 != 0 {
        return None;
    }
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    digits.chunks(2).map(byte).collect()
}

/// A hexadecimal number of up to 512 digits as dwords, the lowest dword first.
fn hex_dwords(text: &str) -> Option<Vec<u32>> {
    let text = text.strip_prefix("0x").unwrap_or(text);
    if text.is_empty() || text.len() > 512 || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let dword = |digits: &[u8]| u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
    text.as_bytes().rchunks(8).map(dword).collect()
}
