//! The findings of lint about a code object, and the search in its listing.

use amdgpu_isa::Target;
use amdgpu_lint::check;
use amdgpu_object::{Error, Part};
use serde::Serialize;
use wasm_bindgen::prelude::*;

use super::CodeObject;
use super::index::{dword_at, row_of};
use crate::json;

#[derive(Serialize)]
struct Finding {
    /// The row of the instruction.
    row: Option<usize>,
    address: String,
    function: Option<String>,
    severity: String,
    rule: &'static str,
    message: String,
    advice: Option<String>,
}

#[wasm_bindgen]
impl CodeObject {
    /// The waits and distances that the code object lacks, or does not need. `bytes`: the file from which it was
    /// opened.
    pub fn findings(&self, bytes: &[u8]) -> String {
        let (mut all, mut number) = (Vec::new(), 0);
        // Errors are ignored: the page has shown the damage of the file when it was opened.
        _ = amdgpu_object::visit(bytes, Some(super::file::MOST_UNPACKED), |part| {
            let Part::Image(image) = part else { return Ok(()) };
            if number == self.opened {
                let named = image.target.as_ref().and_then(|id| id.processor.parse::<Target>().ok());
                let found = check::image(&image, named.unwrap_or(self.target));
                all.extend(found.iter().map(|finding| self.finding(finding)));
            }
            number += 1;
            Ok::<(), Error>(())
        });
        json(&all)
    }

    /// The first of `count` rows from `from` on that has a part in its address, its name or its text; case is ignored.
    pub fn search(&self, part: &str, from: usize, count: usize) -> Option<usize> {
        let part = part.to_lowercase();
        let end = from.saturating_add(count).min(self.index.rows.len());
        (from..end).find(|row| self.row(*row).holds(&part))
    }
}

impl CodeObject {
    fn finding(&self, finding: &check::Finding<'_>) -> Finding {
        let dword = dword_at(&self.regions, finding.address);
        Finding {
            row: dword.and_then(|dword| row_of(&self.index.rows, dword)),
            address: format!("{:012X}", finding.address),
            function: finding.function.map(|function| function.to_string()),
            severity: finding.severity().to_string(),
            rule: finding.rule(),
            message: finding.what.to_string(),
            advice: finding.advice(),
        }
    }
}
