//! A code object: its kernels, and a listing of which only the lines that are asked for are decoded.

mod arrows;
mod file;
mod index;
mod msb;
mod origin;
mod rows;

use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::json;
use file::{Descriptor, Region};
use index::Index;

/// An open code object.
#[wasm_bindgen]
pub struct CodeObject {
    code: Vec<u8>,
    regions: Vec<Region>,
    kernels: Vec<Descriptor>,
    target: amdgpu_isa::Target,
    index: Index,
}

/// What the page shows beside the listing.
#[derive(Serialize)]
struct About<'a> {
    target: &'static str,
    bytes: usize,
    rows: usize,
    instructions: usize,
    branches: usize,
    kernels: Vec<Kernel<'a>>,
}

#[derive(Serialize)]
struct Kernel<'a> {
    #[serde(flatten)]
    descriptor: &'a Descriptor,
    /// The row of its name in the listing.
    row: Option<usize>,
}

#[wasm_bindgen]
impl CodeObject {
    /// Reads an ELF file and finds where each instruction begins.
    #[wasm_bindgen(constructor)]
    pub fn new(bytes: &[u8]) -> Result<CodeObject, String> {
        let file::Read { target, code, regions, kernels } = file::read(bytes)?;
        let index = Index::new(&code, &regions);
        Ok(CodeObject { code, regions, kernels, target, index })
    }

    pub fn about(&self) -> String {
        let kernel = |descriptor| Kernel { descriptor, row: self.row_at(descriptor.address) };
        json(&About {
            target: self.target.name(),
            bytes: self.code.len(),
            rows: self.index.rows.len(),
            instructions: self.index.instructions,
            branches: self.index.branches.len(),
            kernels: self.kernels.iter().map(kernel).collect(),
        })
    }

    /// Some rows of the listing.
    pub fn rows(&self, first: usize, count: usize) -> String {
        let last = first.saturating_add(count).min(self.index.rows.len());
        json(&(first..last).map(|row| self.row(row)).collect::<Vec<_>>())
    }

    /// Everything about the instruction in a row; null for a label.
    pub fn detail(&self, row: usize) -> String {
        json(&self.about_row(row))
    }

    /// The arrows that some rows show: from row, to row, lane.
    pub fn arrows(&self, first: usize, count: usize) -> Vec<u32> {
        arrows::visible(&self.index.arrows, first as u32, first.saturating_add(count) as u32)
    }

    /// The row with this address, or with the instruction that it lies in.
    pub fn find(&self, address: f64) -> Option<usize> {
        self.row_at(address as u64)
    }
}
