//! The origins of constants: addresses that code makes relative to itself, memory that the runtime has set up, and
//! relocations for a linker.

mod watch;

use std::fmt::Write as _;

use crate::escape;
use amdgpu_object::{AddressMap, Argument, Name, Relocation, relocation_kinds};
pub use watch::{Found, Watch};

/// A note about an instruction.
#[derive(Clone, Copy)]
pub enum Note<'a> {
    /// The instruction makes this address, or jumps to it.
    Address(u64),
    /// The instruction loads the bytes at an address: the address, and their number.
    Load(u64, u64),
    /// The instruction loads from an address at a distance from a pointer that the kernel receives: the name of the
    /// pointer, the distance, the number of bytes, and the arguments of the kernel.
    Given(&'static str, i64, u64, &'a [Argument<'a>]),
}

/// The notes of a section by address, and its relocations.
#[derive(Clone, Copy)]
pub struct Provenance<'a> {
    notes: &'a [(u64, Note<'a>)],
    relocations: &'a [Relocation<'a>],
    addresses: &'a AddressMap<'a>,
    /// The address of the next note or relocation.
    pub next: u64,
}

/// The greatest number of arguments that the note of a load names.
const MOST: usize = 8;

impl<'a> Provenance<'a> {
    /// The notes from an address on.
    pub fn from(
        notes: &'a [(u64, Note<'a>)],
        relocations: &'a [Relocation<'a>],
        addresses: &'a AddressMap<'a>,
        address: u64,
    ) -> Provenance<'a> {
        let mut provenance = Provenance { notes, relocations, addresses, next: u64::MAX };
        provenance.pass(address);
        provenance
    }

    /// Advances to an address.
    fn pass(&mut self, address: u64) {
        let notes = self.notes.iter().take_while(|(at, _)| *at < address).count();
        let relocations = self.relocations.iter().take_while(|relocation| relocation.address < address).count();
        self.notes = self.notes.get(notes..).unwrap_or_default();
        self.relocations = self.relocations.get(relocations..).unwrap_or_default();
        let next = self.relocations.first().map_or(u64::MAX, |relocation| relocation.address);
        self.next = self.notes.first().map_or(next, |(at, _)| next.min(*at));
    }

    /// Writes the relocations of the bytes at an address and the first note about them, and advances past the bytes.
    pub fn write(&mut self, address: u64, len: usize, out: &mut Vec<u8>) {
        let mut text = String::new();
        let end = address.saturating_add(len as u64);
        self.pass(address);
        let relocations = self.relocations.iter().take_while(|relocation| relocation.address < end);
        relocations.for_each(|relocation| linked(relocation, &mut text));
        if let Some((_, note)) = self.notes.first().filter(|(at, _)| *at < end) {
            self.note(note, &mut text);
        }
        out.extend_from_slice(text.as_bytes());
        self.pass(end);
    }

    fn note(&self, note: &Note<'a>, out: &mut String) {
        match *note {
            Note::Address(address) => self.place(address, None, out),
            Note::Load(address, bytes) => {
                let pointer = self.addresses.pointer(address).filter(|_| bytes == POINTER);
                self.place(address, pointer, out);
            }
            Note::Given(what, offset, bytes, arguments) => {
                _ = write!(out, " <{what}");
                distance(offset, out);
                let end = offset.saturating_add_unsigned(bytes);
                let covers = |argument: &&Argument<'_>| {
                    let start = i64::try_from(argument.offset).unwrap_or(i64::MAX);
                    start < end && offset < start.saturating_add_unsigned(argument.size)
                };
                for (n, argument) in arguments.iter().filter(covers).take(MOST).enumerate() {
                    out.push_str(if n == 0 { ": " } else { ", " });
                    let inside = offset.saturating_sub_unsigned(argument.offset);
                    match argument.name {
                        Some(name) => named((name, inside.max(0)), out),
                        None => {
                            _ = write!(out, "arg{}", argument.index);
                            distance(inside.max(0), out);
                        }
                    }
                }
                out.push('>');
            }
        }
    }

    /// Writes the name of an address, and the name of the target if a pointer is there.
    fn place(&self, address: u64, pointer: Option<(Name<'a>, i64)>, out: &mut String) {
        let Some(name) = self.addresses.name(address) else { return };
        out.push_str(" <");
        named(name, out);
        if let Some(pointer) = pointer {
            out.push_str(": ");
            named(pointer, out);
        }
        out.push('>');
    }
}

/// The size of a pointer in bytes.
const POINTER: u64 = 8;

fn linked(relocation: &Relocation<'_>, out: &mut String) {
    let (name, more) = escape::reference(relocation.symbol.as_bytes());
    _ = write!(out, " <{name}{more}");
    match relocation_kinds::written(relocation.kind) {
        Some("") => {}
        Some(variant) => _ = write!(out, "@{variant}"),
        None => _ = write!(out, "@{}", relocation.kind),
    }
    distance(relocation.addend, out);
    out.push('>');
}

fn named((name, offset): (Name<'_>, i64), out: &mut String) {
    let (name, more) = escape::reference(name.as_bytes());
    _ = write!(out, "{name}{more}");
    distance(offset, out);
}

fn distance(offset: i64, out: &mut String) {
    match offset {
        0 => {}
        1.. => _ = write!(out, "+{offset:#x}"),
        _ => _ = write!(out, "-{:#x}", offset.unsigned_abs()),
    }
}
