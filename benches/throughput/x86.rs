//! iced-x86 on the code of this program.

use crate::table::Done;
use iced_x86::{Decoder, DecoderOptions, Instruction, InstructionInfoFactory};
use iced_x86::{SpecializedFormatter, SpecializedFormatterTraitOptions};
use object::{Object, ObjectSection};
use std::hint::black_box;

/// The fastest options that the formatter has.
struct Fast;

impl SpecializedFormatterTraitOptions for Fast {
    const ENABLE_DB_DW_DD_DQ: bool = false;
    // SAFETY: the formatter then relies on 300 bytes of room in the string, which `text` ensures.
    unsafe fn verify_output_has_enough_bytes_left() -> bool {
        false
    }
}

pub fn code(bytes: usize) -> Result<Vec<u8>, String> {
    let path = std::env::current_exe().map_err(|e| e.to_string())?;
    let exe = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let file = object::File::parse(&*exe).map_err(|e| e.to_string())?;
    let text = file.section_by_name(".text").ok_or("this executable has no .text")?;
    Ok(crate::input::repeat(text.data().map_err(|e| e.to_string())?, bytes))
}

fn walk(code: &[u8], mut each: impl FnMut(&Instruction)) -> Done {
    let mut decoder = Decoder::with_ip(64, code, 0, DecoderOptions::NONE);
    let mut instruction = Instruction::default();
    let mut instructions = 0;
    while decoder.can_decode() {
        decoder.decode_out(&mut instruction);
        instructions += 1;
        each(&instruction);
    }
    Done { instructions, bytes: code.len() as u64 }
}

pub fn decode(code: &[u8]) -> Done {
    walk(code, |instruction| {
        black_box(instruction);
    })
}

pub fn info(code: &[u8]) -> Done {
    let mut factory = InstructionInfoFactory::new();
    walk(code, |instruction| {
        let info = factory.info(instruction);
        for register in info.used_registers() {
            black_box(register);
        }
        for memory in info.used_memory() {
            black_box(memory);
        }
    })
}

pub fn text(code: &[u8]) -> Done {
    let mut formatter = SpecializedFormatter::<Fast>::new();
    let mut text = String::with_capacity(512);
    walk(code, |instruction| {
        text.clear();
        formatter.format(instruction, &mut text);
        black_box(&text);
    })
}
