//! Formats: their fields, bits and macros, and the rules that add rows of other formats to them.

use super::error::SourceLine;
use super::*;

/// A run of bits: the lowest bit, and the number of bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Piece {
    pub lsb: u8,
    pub width: u8,
}

/// The position of a field: its pieces, with the low part of the value first, and the value of its bits if it is fixed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Bits {
    pub pieces: Vec<Piece>,
    pub fixed: Option<u64>,
    /// `~`: the target ignores the bits, even in rows that name them.
    pub ignored: bool,
}

impl Bits {
    pub fn width(&self) -> u8 {
        self.pieces.iter().map(|p| p.width).sum()
    }

    /// The mask of the bits, except those from bit 128 on, which no rule uses.
    pub fn mask(&self) -> u128 {
        let mask = |p: &Piece| ((1u128 << p.width) - 1).checked_shl(p.lsb.into()).unwrap_or(0);
        self.pieces.iter().fold(0, |m, p| m | mask(p))
    }
}

/// `source gfx6=SOP2 gfx9=13.1.1:53,54 ; NOTE`: the place of a format in the manual of each target.
#[derive(Debug, Default)]
pub struct Source {
    /// The place in each target's manual. After everything is read, it begins with the manual's name: `Vega ISA 13.1.1,
    /// tables 53 and 54`.
    pub places: Cells<String>,
    /// Other remarks: further sources, misprints.
    pub note: String,
}

impl Source {
    pub fn is_empty(&self) -> bool {
        self.places.is_empty() && self.note.is_empty()
    }

    /// The place in a target's manual; the note if there is none.
    pub fn place(&self, target: &str) -> &str {
        self.places.of(target).unwrap_or(&self.note)
    }

    /// The place in a target's manual, followed by the note in brackets; the note alone if the target has no place.
    pub fn text(&self, target: &str) -> String {
        match self.places.of(target) {
            Some(place) if !self.note.is_empty() => format!("{place} ({})", self.note),
            _ => self.place(target).to_string(),
        }
    }
}

/// What LLVM's assembler does with a format.
#[derive(Debug, Default)]
pub struct AssemblerFacts {
    pub is_long: bool,
    pub folds_signs: bool,
    /// The sources that can be a value which a linker fills in: one of `OPEN`; if empty, all sources of 32 bits.
    pub open: String,
}

/// The words that can follow `open=`.
pub const OPEN: [&str; 3] = ["none", "integers", "wide"];

#[derive(Debug)]
pub struct Format {
    pub at: SourceLine,
    pub name: String,
    pub bits: u8,
    /// Whether the format is a trailing dword, not an instruction of its own.
    pub extension: bool,
    /// The format whose encoding bits and opcode numbers this format shares.
    pub shares: Option<String>,
    pub about: String,
    pub source: Source,
    /// The generations at which the format begins (entries with a value) and ends (entries without a value); empty if
    /// all targets have it.
    pub generations: Vec<Entry<()>>,
    /// The number of the format's operations on each target; `?` if not all of them are transcribed.
    pub counted: Option<(SourceLine, Cells<String>)>,
    pub takes: Vec<Takes>,
    /// The text that is printed after the mnemonic and a `_`; empty if there is none.
    pub suffix: String,
    /// What LLVM's assembler does with the format, as the statement `assembler FACT...` says.
    pub assembler: AssemblerFacts,
    /// The targets on which the text omits the suffix, and the extensions with which it does.
    pub bare: Vec<String>,
    /// Fields that announce a literal dword when they hold 255; `offset@gfx700,gfx803`: only on these targets.
    pub literal: Vec<String>,
    /// Fields in which 254 announces a literal of 64 bits, for operands of that width.
    pub literal64: Vec<String>,
    /// The letters of the two halves, if each instruction is two operations. Fields that both halves have end in the
    /// letter of their half. A row can be in both halves, unless it names one (`only:x`), or its number is too large
    /// for the opcode field of the first half.
    pub dual: Option<[String; 2]>,
    /// Registers that every row reads. Each has a list of the targets on which rows read it; an empty list means all
    /// targets.
    pub reads: Vec<(String, Vec<String>)>,
    pub extends: Vec<Extend>,
    pub replaces: Vec<Replace>,
    pub halves: Vec<HalfField>,
    pub succeeds: Vec<Succeeds>,
    /// The memory space that the format's operations access.
    pub space: Option<(SourceLine, String)>,
    pub counts: Vec<Counts>,
    /// `counter lgkmcnt gfx12=kmcnt`: a counter that has another name on some targets.
    pub counters: Vec<Counts>,
    pub whens: Vec<When>,
    pub swaps: Vec<Swap>,
    /// `renames OLD NEW`: an operation, and the operation with the same meaning that newer targets have instead.
    pub renames: Vec<Swap>,
    pub fixed: Vec<Fixed>,
    pub only: Vec<Only>,
    pub unused: Vec<Unused>,
    pub does: Vec<Does>,
    pub lanes: Vec<LaneOf>,
    pub means: Vec<Means>,
    /// `bus`: the format's operations read scalars over the constant bus.
    pub bus: bool,
    /// `apart`: the destination and the third source of a matrix operation are the same registers, or share none.
    pub apart: bool,
    /// `default FIELD VALUE`, `neutral FIELD VALUE`: a field's default value, or its value without effect.
    pub defaults: Vec<FieldDefault>,
    pub fields: Vec<Field>,
    pub macros: Vec<(String, Vec<Token>)>,
    pub rows: Vec<Row>,
}

impl Format {
    /// The values to which a statement without conditions limits a field of an operation on a target; `None` if there
    /// is no such statement.
    #[cfg_attr(not(any(feature = "make", test)), allow(dead_code))] // Only the generator of constructors calls it.
    pub fn values_of(&self, field: &str, mnemonic: &str, target: &str) -> Option<Values> {
        let only = self.limits(mnemonic, target).find(|only| only.field == field && only.conditions.is_empty());
        only.and_then(|only| only.values.of(target).copied())
    }

    /// The `only` statements that hold for an operation on a target: all statements with conditions and, for each
    /// field, the first statement without conditions.
    pub fn limits<'a>(&'a self, mnemonic: &'a str, target: &'a str) -> impl Iterator<Item = &'a Only> + 'a {
        let is_about = move |only: &&Only| fits(&only.pattern, mnemonic) && only.values.of(target).is_some();
        let is_first = move |n: usize, only: &Only| {
            let mut earlier = self.only.iter().take(n).filter(is_about);
            !earlier.any(|earlier| earlier.field == only.field && earlier.conditions.is_empty())
        };
        let holds = move |n: usize, only: &Only| !only.conditions.is_empty() || is_first(n, only);
        let about = self.only.iter().enumerate().filter(move |(n, only)| is_about(only) && holds(*n, only));
        about.map(|(_, only)| only)
    }

    /// The values that assemblers write to the fields of sources that the operation does not have. If several
    /// statements about a field name the operation, the first one holds. `dpp` selects the statements about forms with
    /// DPP.
    pub fn fillers_of<'a>(
        &'a self,
        mnemonic: &'a str,
        dpp: bool,
        target: &'a str,
    ) -> impl Iterator<Item = (&'a Unused, [u32; 2])> + 'a {
        let of = move |unused: &&Unused| unused.dpp == dpp && fits(&unused.pattern, mnemonic);
        let is_first = move |n: usize, unused: &Unused| {
            !self.unused.iter().take(n).filter(of).any(|earlier| earlier.field == unused.field)
        };
        let own = self.unused.iter().enumerate().filter(move |(n, unused)| of(unused) && is_first(*n, unused));
        own.filter_map(move |(_, unused)| Some((unused, *unused.values.of(target)?)))
    }

    /// The rows of a target with their opcode numbers and own spellings, in the order of the numbers.
    pub fn rows_of(&self, target: &str) -> Vec<(&Row, u16, Option<&String>)> {
        let mut rows = Vec::new();
        for row in &self.rows {
            if let Some((number, spelling)) = row.opcode.of(target) {
                rows.push((row, *number, spelling.as_ref()));
            }
        }
        rows.sort_by_key(|row| row.1);
        rows
    }

    /// The fields that can announce a literal on a target.
    pub fn literals<'a>(&'a self, target: &'a str) -> impl Iterator<Item = &'a str> {
        self.literal.iter().filter_map(move |l| match l.split_once('@') {
            Some((name, only)) => only.split(',').any(|t| t == target).then_some(name),
            None => Some(l.as_str()),
        })
    }
}

/// `extend SDWA src0 249`: the extension that follows if the field holds this code, or a code of a run of codes.
#[derive(Debug)]
pub struct Extend {
    pub at: SourceLine,
    pub format: String,
    pub field: String,
    pub code: u16,
    pub last_code: u16,
    /// The targets with this announcement; empty for all targets that have the extension.
    pub targets: Vec<String>,
}

impl Extend {
    pub fn is_of(&self, target: &str) -> bool {
        self.targets.is_empty() || self.targets.iter().any(|t| t == target)
    }
}

/// `replace src0[.type] sdwa_src [field] [@target,...]`: in the extended form, the operand is read as another operand
/// type, and from the extension's field if one is given. With `.type`, the statement applies only to rows that read the
/// operand as that type.
#[derive(Debug, Clone)]
pub struct Replace {
    pub at: SourceLine,
    pub operand: String,
    /// The operand type with which the row must read the operand for the replacement to apply; `None` if the
    /// replacement applies to every row.
    pub read_as: Option<String>,
    pub operand_type: String,
    pub field: Option<String>,
    /// The targets on which the replacement applies; empty for all targets.
    pub targets: Vec<String>,
}

/// `half src0 half_0 op_sel[0] any:abs[0]`: on targets where vector operands of 16 bits are halves of registers (the
/// trait `true16`), such an operand in the field `src0` is read as the operand type `half_0`. If an operation has at
/// least one half, it gets the modifiers that the statements for its operands name, whatever the widths of the
/// operands.
#[derive(Debug)]
pub struct HalfField {
    pub field: String,
    /// The operand type that the row must give the operand for the statement to apply; `None` if the row must give
    /// none.
    pub read_as: Option<String>,
    /// The operand type of the halves; `None` for `-`: the type is unchanged, and forms with an extension do not get
    /// the modifiers.
    pub operand_type: Option<String>,
    pub tokens: Vec<Token>,
}

/// `takes VOPC 0 vsrc1->src1 vcc=->vdst.sdst -convergent`: takes rows of another format, namely those that have a form
/// in this format.
#[derive(Debug)]
pub struct Takes {
    pub at: SourceLine,
    pub format: String,
    /// The number that is added to the opcode number.
    pub add: Cells<u16>,
    pub renames: Vec<Rename>,
    /// Flags that the form lacks.
    pub without: Vec<String>,
    /// `dpp:XX dpp8:N`: extended forms, each with a macro. A row gets these forms in this format if it has forms with
    /// the same extensions in its own format.
    pub forms: Vec<(String, String)>,
}

/// `vsrc1->src1`, `vcc=->sdst`: renames an operand; if `=` follows the name, only a written one, and if `:` follows,
/// only one that is read.
#[derive(Debug)]
pub struct Rename {
    pub old: String,
    pub access: Option<Access>,
    pub new: String,
    pub operand_type: Option<String>,
}

/// `succeeds SMRD sdst=sdata`: the format replaced another format, in which some fields had other names.
#[derive(Debug)]
pub struct Succeeds {
    pub at: SourceLine,
    pub format: String,
    /// The old name and the new one.
    pub renames: Vec<(String, String)>,
}

/// `counts vmcnt all gfx10=load`: the operations of the format that raise the counter: all, or those with one of the
/// named flags.
#[derive(Debug)]
pub struct Counts {
    pub at: SourceLine,
    pub counter: String,
    pub cells: Cells<String>,
}

/// `when gds expcnt gds`: additional flags if the field is not zero (`-flag`: removed flags). `always FLAG...`: flags
/// of every form with the extension.
#[derive(Debug)]
pub struct When {
    pub at: SourceLine,
    pub field: Option<String>,
    pub flags: Vec<String>,
}

/// `default dst_sel 6`, `neutral dpp_ctrl 228`: a field's default value, or its value without effect.
#[derive(Debug)]
pub struct FieldDefault {
    pub at: SourceLine,
    pub neutral: bool,
    pub field: String,
    pub value: u32,
}

/// `swaps v_sub_f32 v_subrev_f32`: operations with the same result when their sources are swapped.
#[derive(Debug)]
pub struct Swap {
    pub at: SourceLine,
    pub names: [String; 2],
}

/// `fixed image_store* unorm 1`: a field that other targets lack, and its only value with a meaning.
#[derive(Debug)]
pub struct Fixed {
    pub at: SourceLine,
    /// The operations, as in `Only`.
    pub pattern: String,
    pub field: String,
    pub value: u32,
}

/// `only image_gather4* dmask 1,2,4,8`: the only values that operations can have in a field, although every value
/// decodes. `... 0 if sve=0`: the limit holds only for instructions with this value in another field.
#[derive(Debug)]
pub struct Only {
    pub at: SourceLine,
    /// The operations: a mnemonic, or all mnemonics that begin with the part before a `*`.
    pub pattern: String,
    pub field: String,
    pub values: Cells<Values>,
    /// The conditions: other fields with their values. The limit holds only if each of these fields has such a value.
    pub conditions: Vec<(String, Values)>,
}

/// `unused v_wmma_ld_scale* src2 gfx1250=256,128`: the two codes that assemblers write to a source that operations do
/// not have: the first up to LLVM 22, the second from LLVM 23 on. `dpp:v_cmpx_*` is about the forms with DPP.
#[derive(Debug)]
pub struct Unused {
    pub at: SourceLine,
    /// The operations, as in `Only`.
    pub pattern: String,
    pub dpp: bool,
    pub field: String,
    pub values: Cells<[u32; 2]>,
}

/// A set of values. Each bit of `set` stands for a run of `1 << shift` values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Values {
    pub shift: u8,
    pub set: u128,
}

/// `does v_add_{f16,f32}: D.$1 = S0.$1 + S1.$1`: the formula of operations, in all formats that have them.
#[derive(Debug)]
#[cfg_attr(not(any(feature = "meaning", test)), allow(dead_code))] // Without formulas, nothing reads these fields.
pub struct Does {
    pub at: SourceLine,
    /// Names with alternatives in braces; `v_min_f32@gfx12` holds from that generation on.
    pub names: Vec<String>,
    /// The formula, in which `$1` stands for the alternative in the name's first braces.
    pub text: String,
}

/// `lane S1 v_mfma_f32_*: BLGP == 0 ? LANE : ...`: the lane in which operations read a source, in place of the lane of
/// the formula.
#[derive(Debug)]
#[cfg_attr(not(any(feature = "meaning", test)), allow(dead_code))] // Without formulas, nothing reads these fields.
pub struct LaneOf {
    pub at: SourceLine,
    /// The number of the source.
    pub source: u8,
    /// Names, or beginnings of names with `*`.
    pub patterns: Vec<String>,
    pub text: String,
}

#[derive(Debug)]
pub struct Field {
    pub at: SourceLine,
    pub name: String,
    pub operand_type: String,
    /// `~`: the bits are ignored in rows that do not use them, instead of required to be zero.
    pub ignored_if_unused: bool,
    /// `+`: the field lies over bits of other fields, which it combines or is a part of.
    pub overlay: bool,
    pub bits: Cells<Bits>,
    pub about: String,
}

impl Field {
    /// Whether the field's lowest bit makes an atomic operation return the old value.
    pub fn is_rtn(&self) -> bool {
        ["rtn", "th"].contains(&self.operand_type.as_str())
    }
}
