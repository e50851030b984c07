//! What the tool shows of an instruction, by its own code.

pub use facts::facts;
pub use fields::{FieldView, fields};

pub use amdgpu_isa::Inst;

#[path = "../../src/bin/amdgpu-isa/isa/facts.rs"]
mod facts;
#[path = "../../src/bin/amdgpu-isa/isa/fields.rs"]
mod fields;

/// The words of a text, or what is wrong with it.
pub fn read_words(text: &str) -> Result<Vec<u32>, String> {
    let words: Vec<String> = text.split_whitespace().map(String::from).collect();
    let bytes = words::parse(&words, false)?;
    let dwords = bytes.chunks_exact(4).map(|dword| dword.try_into().map(u32::from_le_bytes));
    Ok(dwords.filter_map(Result::ok).collect())
}

#[path = "../../src/bin/amdgpu-isa/explain/words.rs"]
mod words;
