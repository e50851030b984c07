//! The library for a page in a browser: functions that take text and numbers, and return JSON.
//!
//! The package amdgpu-explain provides the parts of an instruction, and reads words.

use serde::Serialize;
use wasm_bindgen::prelude::*;

mod assemble;
mod everywhere;
mod example;
mod explain;
mod object;
mod opcodes;
mod refused;
mod registers;
mod targets;
mod values;

fn json(value: &impl Serialize) -> String {
    // This cannot fail, because the structs here have neither maps nor floats.
    serde_json::to_string(value).unwrap_or_default()
}

/// All targets of this build.
#[wasm_bindgen]
pub fn targets() -> String {
    json(&targets::all())
}

/// The successive instructions in words on a target, and for other dwords the reasons why they are not instructions.
#[wasm_bindgen]
pub fn explain(target: &str, words: &[u32]) -> String {
    json(&targets::named(target).map(|target| explain::all(target, words)))
}

/// The words in a text of hexadecimal numbers, in any form that the tool's `explain` takes.
#[wasm_bindgen]
pub fn words(text: &str) -> String {
    json(&read_words(text))
}

fn read_words(text: &str) -> Result<Vec<u32>, String> {
    let words: Vec<String> = text.split_whitespace().map(String::from).collect();
    let bytes = amdgpu_explain::words::parse(&words, false)?;
    let dwords = bytes.chunks_exact(4).map(|dword| dword.try_into().map(u32::from_le_bytes));
    Ok(dwords.filter_map(Result::ok).collect())
}

/// The words of a program: an instruction in each line.
#[wasm_bindgen]
pub fn assemble(target: &str, text: &str) -> String {
    json(&targets::named(target).map(|target| assemble::all(target, text)))
}

/// The values that a field of an instruction could have, with the meaning of each.
#[wasm_bindgen]
pub fn values(target: &str, words: &[u32], field: &str) -> String {
    json(&targets::named(target).map(|target| values::of(target, words, field)))
}

/// The operation of the first instruction of these words, on every target, with the equivalent instructions.
#[wasm_bindgen]
pub fn everywhere(target: &str, words: &[u32]) -> String {
    json(&targets::named(target).map(|target| everywhere::all(target, words)))
}

/// All operations of a target, by format and number.
#[wasm_bindgen]
pub fn opcodes(target: &str) -> String {
    json(&targets::named(target).map(opcodes::all))
}

/// The words of an instruction with this number in this format.
#[wasm_bindgen]
pub fn example(target: &str, format: &str, number: u16) -> String {
    json(&targets::named(target).and_then(|target| example::of(target, format, number)))
}
