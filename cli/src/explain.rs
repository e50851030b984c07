//! `explain`: words as bit diagrams, in the terminal or as a picture.

mod terminal;

use std::io;
use std::path::PathBuf;

use amdgpu_explain::{Diagram, svg, words};

use crate::dis::{self, Selection};
use crate::error::{Error, Result};
use crate::escape;
use crate::isa::{self, Target};
use crate::out::Out;

#[derive(clap::Args)]
pub struct Args {
    /// Target of the words, such as gfx942, mi300x or gfx942:xnack+; features have no effect here
    #[arg(long, value_parser = dis::selection)]
    target: Selection,
    /// Dwords (0xBE804180 or BE804180), or bytes in memory order (80:41:80:be, 804180be81000000, 0x80,0x41,0x80,0xbe)
    #[arg(value_name = "WORD", required = true)]
    words: Vec<String>,
    /// Read every WORD as bytes in memory order, even one of eight digits
    #[arg(long)]
    bytes: bool,
    /// Write a picture to FILE instead (`-` is standard output)
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

pub fn run(args: &Args, color: bool) -> Result<()> {
    let bytes = words::parse(&args.words, args.bytes).map_err(Error::Usage)?;
    let (diagrams, refused) = diagrams(args.target.target, &bytes);
    match &args.svg {
        Some(path) if path.as_os_str() == "-" => {
            let mut out = Out::new(io::stdout().lock(), false);
            out.str(&svg::render(&diagrams));
            out.flush()?;
        }
        Some(path) => std::fs::write(path, svg::render(&diagrams))
            .map_err(|e| Error::input(format!("cannot write {}: {e}", escape::path(path))))?,
        None => {
            let mut out = Out::new(io::stdout().lock(), color);
            for (i, diagram) in diagrams.iter().enumerate() {
                if i > 0 {
                    out.line()?;
                }
                terminal::render(&mut out, diagram)?;
            }
            out.flush()?;
        }
    }
    match refused {
        None => Ok(()),
        Some(reason) => Err(Error::input(reason)),
    }
}

/// A diagram for each instruction and each dword that is not one, and the reason why the first of these dwords is
/// refused.
fn diagrams(target: Target, bytes: &[u8]) -> (Vec<Diagram>, Option<String>) {
    let mut refused = None;
    let mut diagrams = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let length = match isa::decode(target, rest) {
            Ok(inst) => {
                diagrams.push(Diagram::of(&inst));
                inst.len()
            }
            Err(error) => {
                let mut dword = [0; 4];
                let length = rest.len().min(4);
                dword.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
                let word = u32::from_le_bytes(dword);
                let reason = format!("{word:#010x} is not an instruction of {}: {error}", target.name());
                diagrams.push(Diagram {
                    title: format!(".long {word:#010x}"),
                    subtitle: format!("no instruction of {}: {error}", target.name()),
                    words: vec![word],
                    fields: Vec::new(),
                    facts: Vec::new(),
                });
                refused = refused.or(Some(reason));
                length
            }
        };
        rest = rest.get(length.max(1)..).unwrap_or_default();
    }
    (diagrams, refused)
}
