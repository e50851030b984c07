//! The listing for machines: one JSON object for each instruction, or for what is none.

use std::fmt::Write as _;
use std::io::{self, Write};

use serde::Serialize;

use super::Place;
use super::labels::Labels;
use super::listing::write_data;
use super::walk::{Item, Walk};
use crate::hex;
use crate::out::Out;

#[derive(Serialize)]
struct Line<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    image: &'a str,
    target: &'a str,
    section: &'a str,
    address: u64,
    /// Symbol or label at this address.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'a str>,
    /// In memory order.
    bytes: &'a str,
    /// LLVM's text, offsets of branches as numbers; `.long` or `.byte` for what is no instruction.
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<Branch<'a>>,
    /// Why this is no instruction.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

#[derive(Serialize)]
struct Branch<'a> {
    address: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'a str>,
}

pub fn section(out: &mut Out<impl Write>, place: &Place<'_>) -> io::Result<()> {
    let section = place.section;
    let labels = Labels::new(place);
    let (mut text, mut label, mut branch_label, mut reason) =
        (String::new(), String::new(), String::new(), String::new());
    let (mut hex_bytes, mut data) = (Vec::new(), Vec::new());
    let mut symbols = section.symbols.iter().peekable();
    for (offset, length, item) in Walk::new(place) {
        let address = section.address.wrapping_add(offset as u64);
        let bytes = section.bytes.get(offset..offset + length).unwrap_or_default();
        hex_bytes.clear();
        hex::bytes(&mut hex_bytes, bytes);
        let mut labelled = labels.name(address, &mut label);
        while let Some(symbol) = symbols.next_if(|s| s.address <= address) {
            if symbol.address == address && !labelled {
                label.clear();
                label.push_str(&symbol.name);
                labelled = true;
            }
        }
        text.clear();
        reason.clear();
        let mut target = None;
        match &item {
            Item::Inst(inst) => {
                // Writing to a String cannot fail.
                let _ = write!(text, "{inst}");
                target = inst.branch_target(address);
            }
            other => {
                data.clear();
                write_data(&mut data, bytes);
                text.push_str(std::str::from_utf8(&data).unwrap_or_default());
                let _ = match other {
                    Item::Word(error) => write!(reason, "{error}"),
                    _ => write!(reason, "fewer than four bytes are left"),
                };
            }
        }
        let branch = target.map(|address| Branch {
            address,
            label: labels.name(address, &mut branch_label).then_some(branch_label.as_str()),
        });
        let line = Line {
            image: place.image,
            target: place.target.name(),
            section: &section.name,
            address,
            label: labelled.then_some(label.as_str()),
            bytes: std::str::from_utf8(&hex_bytes).unwrap_or_default(),
            text: &text,
            branch,
            reason: (!reason.is_empty()).then_some(reason.as_str()),
        };
        serde_json::to_writer(&mut out.buf, &line)?;
        out.line()?;
    }
    Ok(())
}
