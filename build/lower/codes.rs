//! The operand codes that hand-written code uses. Those in `Codes::shared` become constants (`code` in src/code.rs).
//! Tables in which one of these codes differs between targets are refused.

use crate::build::model::error::Result;
use crate::build::model::*;
use crate::build::writer::putln;

/// A run of codes: the first and the last one.
pub type Run = (u16, u16);

/// The operand codes of one target. Codes that the target lacks are `NONE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Codes {
    pub int: Run,
    pub negative: Run,
    pub float: Run,
    pub literal: u16,
    /// The code of a literal of 64 bits.
    pub literal64: u16,
    pub vgpr: Run,
    /// The codes that announce an SDWA and a DPP dword.
    pub sdwa: u16,
    pub dpp: u16,
    /// The code that means "no scalar address".
    pub off: u16,
    /// The code that means "neither a scalar nor a vector address".
    pub neither: u16,
    pub vcc: u16,
    pub null: u16,
}

const NONE: u16 = u16::MAX;

impl Codes {
    /// The codes of a target that lacks all of them.
    pub const NONE: Codes = {
        let none = (NONE, NONE);
        let (int, negative, float, vgpr) = (none, none, none, none);
        Codes {
            int,
            negative,
            float,
            vgpr,
            literal: NONE,
            literal64: NONE,
            sdwa: NONE,
            dpp: NONE,
            off: NONE,
            neither: NONE,
            vcc: NONE,
            null: NONE,
        }
    };

    pub fn of(isa: &Isa, target: &str) -> Codes {
        let rows = || isa.codes.iter().filter_map(|c| Some((c, *c.range.of(target)?)));
        let run = |is: &dyn Fn(&CodeRow) -> bool| {
            let mut all = rows().filter(|(c, _)| is(c)).map(|(_, run)| run);
            let first = all.next().unwrap_or((NONE, NONE));
            (first.0, all.last().unwrap_or(first).1)
        };
        let class = |class: &str| run(&|c| c.class == class);
        let announces = |format: &str| {
            let extends = isa.formats.iter().flat_map(|f| &f.extends);
            // VOPC's SDWA is a separate format with the letter B.
            extends.filter(|e| e.format.trim_end_matches('B') == format).map(|e| e.code).next().unwrap_or(NONE)
        };
        Codes {
            int: run(&|c| c.class == "int" && !c.name.starts_with('-')),
            negative: run(&|c| c.class == "int" && c.name.starts_with('-')),
            float: class("float"),
            literal: class("literal").0,
            literal64: class("literal64").0,
            vgpr: class("vgpr"),
            sdwa: announces("SDWA"),
            dpp: announces("DPP"),
            off: class("off").0,
            neither: class("neither").0,
            vcc: run(&|c| c.name == "vcc_lo").0,
            null: run(&|c| c.name == "null").0,
        }
    }
}

impl Codes {
    /// The codes that are constants in src/, with their names there.
    fn shared(&self) -> [(&'static str, u16); 11] {
        [
            ("INT", self.int.0),
            ("INT_LAST", self.int.1),
            ("NEGATIVE", self.negative.0),
            ("NEGATIVE_LAST", self.negative.1),
            ("FLOAT", self.float.0),
            ("LITERAL", self.literal),
            ("LITERAL64", self.literal64),
            ("VGPR", self.vgpr.0),
            ("VGPR_LAST", self.vgpr.1),
            ("SDWA", self.sdwa),
            ("DPP", self.dpp),
        ]
    }
}

/// Writes what all targets share: constants for operand codes, the values of the inline floating-point numbers, and
/// other numbers of the hardware.
pub fn common(w: &mut String, isa: &Isa) -> Result<()> {
    putln!(w, "/// Operand codes that are the same on every target.\n#[allow(dead_code)]\npub(crate) mod code {{");
    let all: Vec<_> = isa.targets.iter().map(|t| Codes::of(isa, &t.name).shared()).collect();
    for (n, (name, _)) in Codes::NONE.shared().iter().enumerate() {
        let mut known = all.iter().map(|shared| shared[n].1).filter(|&code| code != NONE);
        let code = known.next().unwrap_or(NONE);
        if let Some(other) = known.find(|&other| other != code) {
            let at = &isa.codes.first().expect("a code is known").at;
            return at.err(format!("code::{name} in src/ is {code}, and {other} on another target"));
        }
        putln!(w, "pub(crate) const {name}: u16 = {code};");
    }
    let floats = isa.codes.iter().filter(|c| c.class == "float");
    let mut values = Vec::new();
    for row in floats {
        let number = row.pair.as_ref().unwrap_or(&row.name);
        match number.parse::<f64>() {
            Ok(value) => values.push(value),
            Err(_) => return row.at.err(format!("`{number}` is not a floating-point number")),
        }
    }
    let count = values.len();
    putln!(
        w,
        "/// Values of the inline floating-point constants, whose codes start at `FLOAT`. Not every target has the last one.\npub(crate) const FLOATS: [f64; {count}] = {values:?};"
    );
    putln!(w, "pub(crate) const FLOAT_LAST: u16 = FLOAT + {count} - 1;");
    putln!(w, "/// Largest alignment of scalar tuples in registers; shorter tuples are aligned to their length.");
    putln!(w, "pub(crate) const SCALAR_ALIGN: u16 = {};\n}}", isa.scalar_align);
    for (name, counts) in isa.enums.iter().flat_map(|e| &e.registers) {
        let (name, count) = (name.to_uppercase(), counts.len());
        putln!(w, "pub(crate) static {name}: [u8; {count}] = {counts:?};");
    }
    let count = isa.msb.len();
    putln!(w, "/// Fields of register numbers, each with the group of MODE's bits that extends the numbers.");
    putln!(w, "pub(crate) static VGPR_MSB_FIELDS: [(Field, u8); {count}] = [");
    for (_, field, group) in &isa.msb {
        putln!(w, "(Field::{}, {group}),", crate::build::emit::camel(field));
    }
    putln!(w, "];");
    let count = isa.dwarf.len();
    putln!(w, "/// The registers that have numbers for debuggers.");
    putln!(w, "pub(crate) static DWARF: [DwarfNumber; {count}] = [");
    for row in &isa.dwarf {
        let is_scalar = isa.codes.iter().any(|code| code.class == "sgpr" && code.name == row.name);
        let registers = row.registers.map(|(first, last)| (first, last, is_scalar));
        putln!(w, "DwarfNumber {{ name: {:?}, registers: {registers:?}, number: {} }},", row.name, row.number);
    }
    putln!(w, "];");
    putln!(w, "/// Numbers of the hardware that are the same on every target.\n#[allow(dead_code)]");
    putln!(w, "pub(crate) mod limits {{");
    for Limit { name, numbers, about, .. } in &isa.limits {
        let (name, count) = (name.replace('-', "_").to_uppercase(), numbers.len());
        putln!(w, "/// {about}.\npub(crate) const {name}: [u16; {count}] = {numbers:?};");
    }
    putln!(w, "}}");
    Ok(())
}
