//! The listing for machines: one JSON object for each instruction or piece of data.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::ControlFlow;

use amdgpu_explain::hex;
use amdgpu_object::{Name, Symbol};
use serde::Serialize;

use super::Place;
use super::labels::{Labels, Piece, write_local};
use super::listing::{write_data, write_reason};
use super::pieces::{self, Page};
use super::walk::walk;
use crate::escape;
use crate::isa::{Inst, KernelDescriptor, Target, TextBuffer};
use crate::out::Out;

#[derive(Serialize)]
struct Line<'a> {
    /// The name of the file, if there are several.
    #[serde(skip_serializing_if = "str::is_empty")]
    file: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    image: &'a str,
    target: &'a str,
    section: &'a str,
    address: u64,
    /// The symbol or label at this address; the first by name, if there are several symbols.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'a str>,
    /// The other symbols at this address.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    other_labels: &'a [String],
    /// The contents of the kernel's descriptor, by the names of directives without `.amdhsa_`.
    #[serde(skip_serializing_if = "Option::is_none")]
    descriptor: Option<BTreeMap<String, u64>>,
    /// The bytes in memory order.
    bytes: &'a str,
    /// LLVM's text, with offsets of branches as numbers; `.long` or `.byte` for bytes that are not an instruction.
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<Branch<'a>>,
    /// The reason why this is not an instruction.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

#[derive(Serialize)]
struct Branch<'a> {
    address: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'a str>,
}

pub fn section(out: &mut Out<impl Write + Send>, place: &Place<'_>, descriptors: bool) -> io::Result<()> {
    let labels = Labels::new(place, false);
    // Each line names the section.
    let name = bounded(place.section.name);
    pieces::in_order(out, labels.pieces(), |number, page| {
        piece(page, place, &name, &labels, &labels.piece(number), descriptors)
    })
}

fn piece(
    page: &mut Page<'_>,
    place: &Place<'_>,
    name: &str,
    labels: &Labels<'_>,
    piece: &Piece,
    descriptors: bool,
) -> io::Result<()> {
    let section = place.section;
    let (mut label, mut others, mut branch_label) = (Vec::new(), Vec::new(), Vec::new());
    let (mut hex_bytes, mut data, mut reason) = (Vec::new(), Vec::new(), String::new());
    let (mut buffer, mut near) = (TextBuffer::new(), 0);
    let mut symbols = piece.symbols(section).peekable();
    let mut result = Ok(());
    _ = walk(place, piece.first, |offset, item| {
        if offset >= piece.end {
            return ControlFlow::Break(());
        }
        let address = section.address.wrapping_add(offset as u64);
        let length = item.map_or_else(|invalid| invalid.len.into(), Inst::len);
        hex_bytes.clear();
        hex::bytes(&mut hex_bytes, section.bytes.get(offset..offset + length).unwrap_or_default());
        let (mut labelled, mut descriptor) = (false, None);
        others.clear();
        while let Some(symbol) = symbols.next_if(|s| s.address <= address) {
            if symbol.address == address && labelled {
                others.push(symbol.name.to_text().into_owned());
            } else if symbol.address == address {
                label.clear();
                label.extend_from_slice(symbol.name.to_text().as_bytes());
                labelled = true;
            }
            descriptor = symbol.descriptor.filter(|_| descriptors && symbol.address == address).or(descriptor);
        }
        if !labelled && labels.is_wanted(address) {
            label.clear();
            write_local(&mut label, address);
            labelled = true;
        }
        reason.clear();
        let (text, target) = match item {
            Ok(inst) => (buffer.print(inst), inst.branch_target(address)),
            Err(invalid) => {
                data.clear();
                write_data(&mut data, invalid);
                // Writing to a String cannot fail.
                _ = write_reason(&mut reason, invalid);
                (data.as_slice(), None)
            }
        };
        let branch = target.map(|address| Branch {
            address,
            label: labels.name(address, &mut near, &mut branch_label, write_name).then_some(utf8(&branch_label)),
        });
        let line = Line {
            file: place.file,
            image: place.image,
            target: place.name,
            section: name,
            address,
            label: labelled.then_some(utf8(&label)),
            other_labels: &others,
            descriptor: descriptor.map(|descriptor| said(&descriptor, place.target_at(offset))),
            bytes: utf8(&hex_bytes),
            text: utf8(text),
            branch,
            reason: (!reason.is_empty()).then_some(reason.as_str()),
        };
        let written = crate::json::write(&mut page.text.buf, &line);
        page.text.newline();
        result = written.and_then(|()| page.line());
        if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    result
}

/// The contents of a descriptor that are not the default.
fn said(descriptor: &KernelDescriptor, target: Target) -> BTreeMap<String, u64> {
    let text = descriptor.directives(target, false).to_string();
    let directive = |line: &str| {
        let (name, value) = line.trim().strip_prefix(".amdhsa_")?.split_once(' ')?;
        Some((name.to_string(), value.parse().ok()?))
    };
    text.lines().filter_map(directive).collect()
}

/// Writes the name of a branch's target, as the file has it.
fn write_name(out: &mut Vec<u8>, symbol: &Symbol<'_>) {
    out.extend_from_slice(bounded(symbol.name).as_bytes());
}

/// A name that can be in every line. Long names are cut.
fn bounded(name: Name<'_>) -> String {
    let text = name.to_text();
    match text.char_indices().nth(escape::REFERENCE) {
        Some((end, _)) => text.get(..end).unwrap_or_default().to_string() + escape::MORE,
        None => text.into_owned(),
    }
}

/// Converts bytes that were made from strings back to a string.
fn utf8(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}
