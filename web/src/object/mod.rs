//! A code object: its kernels, and a listing that decodes only its visible lines.

mod arrows;
mod file;
mod findings;
mod index;
mod origin;
mod paths;
mod rows;

use std::cell::RefCell;

use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::{json, targets};
use file::{Descriptor, Image, Region};
use index::Index;
use paths::Paths;

/// An open code object, and the names of the others in its file.
#[wasm_bindgen]
pub struct CodeObject {
    code: Vec<u8>,
    regions: Vec<Region>,
    kernels: Vec<Descriptor>,
    target: amdgpu_isa::Target,
    index: Index,
    images: Vec<Image>,
    opened: usize,
    notes: Vec<String>,
    /// The paths through the region of the last query.
    paths: RefCell<Option<Paths>>,
}

/// The data that the page shows beside the listing.
#[derive(Serialize)]
struct About<'a> {
    target: &'static str,
    bytes: usize,
    rows: usize,
    instructions: usize,
    branches: usize,
    kernels: Vec<Kernel<'a>>,
    /// All code objects of the file, and the number of this one.
    images: &'a [Image],
    opened: usize,
    /// Notes about the parts of the file that were skipped, and about damage.
    notes: &'a [String],
}

#[derive(Serialize)]
struct Kernel<'a> {
    #[serde(flatten)]
    descriptor: &'a Descriptor,
    /// The row of the name in the listing.
    row: Option<usize>,
}

#[wasm_bindgen]
impl CodeObject {
    /// Opens the code object with this number in a file, or else the first that can be shown, and finds the beginnings
    /// of its instructions. `usual` is the target of code objects that do not name theirs.
    #[wasm_bindgen(constructor)]
    pub fn new(bytes: &[u8], number: Option<usize>, usual: &str) -> Result<CodeObject, String> {
        let file::File { images, opened, notes, read } = file::open(bytes, number, targets::named(usual)?)?;
        let file::Read { target, code, regions, kernels } = read;
        let index = Index::new(&code, &regions);
        let paths = RefCell::new(None);
        Ok(CodeObject { code, regions, kernels, target, index, images, opened, notes, paths })
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
            images: &self.images,
            opened: self.opened,
            notes: &self.notes,
        })
    }

    /// Some rows of the listing.
    pub fn rows(&self, first: usize, count: usize) -> String {
        let last = first.saturating_add(count).min(self.index.rows.len());
        json(&(first..last).map(|row| self.row(row)).collect::<Vec<_>>())
    }

    /// The details of the instruction in a row; null for a label.
    pub fn detail(&self, row: usize) -> String {
        json(&self.about_row(row))
    }

    /// The arrows that some rows show, with three numbers for each: the rows at its beginning and its end, and the
    /// lane.
    pub fn arrows(&self, first: usize, count: usize) -> Vec<u32> {
        arrows::visible(&self.index.arrows, first as u32, first.saturating_add(count) as u32)
    }

    /// The row that begins at this address: the label if there is one, else the instruction.
    pub fn find(&self, address: f64) -> Option<usize> {
        self.row_at(address as u64)
    }
}
