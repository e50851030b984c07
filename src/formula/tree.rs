//! A formula as a tree.

use super::alloc::boxed::Box;
use super::alloc::string::String;
use super::alloc::vec::Vec;
use super::call::Call;
use super::types::Type;

/// The meaning of an operation: statements in order, a remark, or both.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    pub statements: Vec<Statement>,
    /// The sentence in quotes, about what the statements leave out.
    pub remark: Option<String>,
}

/// A statement, such as `D.f32 = S0.f32 + S1.f32`.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    pub goal: Goal,
    pub value: Expr,
}

/// The place or name to which a statement assigns a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Goal {
    /// A name for later statements.
    Name(String),
    Place(Place),
}

/// An operand, a register or memory, or a part of it, read or written as a type.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    pub source: Source,
    /// The lane that is read, as in `S0@(LANE ^ 1)`; `None` for the current lane.
    pub lane: Option<Box<Expr>>,
    /// The type, as in `.f32`; `None` for the bits as an unsigned integer.
    pub ty: Option<Type>,
    /// Whether the type is written with `b`, such as `b32`: it says nothing about the meaning of the bits.
    pub plain: bool,
    /// The distance of the register from the operand's, as in `S0[+M0]`; `None` for the operand's own register.
    pub further: Option<Box<Expr>>,
    pub part: Part,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// `D`, `D1`: the operands that are written, in the order of the text.
    Destination(u8),
    /// `S0`, `S1`, ...: the operands that are only read, in the order of the text.
    Operand(u8),
    /// `K`: the literal that always follows.
    Literal,
    Scc,
    Vcc,
    Exec,
    M0,
    /// `MODE`: the mode register.
    Mode,
    /// `PC`: the address of the next instruction.
    Pc,
    /// `LANE`: the number of the lane.
    Lane,
    /// `WAVE`: the number of lanes of the wave.
    Wave,
    /// `TABLE`: the truth table of an operation on bits, from the instruction.
    Table,
    /// `OP_SEL`, `CBSZ`, ...: the value of the field of the instruction that has this name in lower case.
    Field(&'static str),
    /// `P0`, `P10`, `P20`: the attribute at the first vertex, and its differences at the second and the third vertex.
    Attribute(u8),
    /// `ADDR`: the address that the format computes from operands and offset.
    Address,
    /// `BASE`: the address register alone.
    Base,
    /// `OFFSET0`, `OFFSET1`: the two offsets of an instruction that has two.
    Offset(u8),
    /// `DATA`, `DATA1`: the data of a store or an atomic operation.
    Data(u8),
    /// `MEM`: memory that is accessed through the caches.
    Memory,
    /// `LDS`: the work-group's memory.
    Lds,
    /// `GDS`: the memory that all work-groups share.
    Gds,
}

impl Source {
    /// The fixed names, with their sources.
    pub const NAMED: [(&'static str, Source); 35] = [
        ("D", Source::Destination(0)),
        ("K", Source::Literal),
        ("SCC", Source::Scc),
        ("VCC", Source::Vcc),
        ("EXEC", Source::Exec),
        ("M0", Source::M0),
        ("MODE", Source::Mode),
        ("PC", Source::Pc),
        ("LANE", Source::Lane),
        ("WAVE", Source::Wave),
        ("P0", Source::Attribute(0)),
        ("P10", Source::Attribute(1)),
        ("P20", Source::Attribute(2)),
        ("ADDR", Source::Address),
        ("BASE", Source::Base),
        ("DATA", Source::Data(0)),
        ("DATA1", Source::Data(1)),
        ("OFFSET0", Source::Offset(0)),
        ("OFFSET1", Source::Offset(1)),
        ("MEM", Source::Memory),
        ("LDS", Source::Lds),
        ("GDS", Source::Gds),
        ("TABLE", Source::Table),
        ("ABID", Source::Field("abid")),
        ("BLGP", Source::Field("blgp")),
        ("CBSZ", Source::Field("cbsz")),
        ("HIGH", Source::Field("high")),
        ("INDEX_KEY", Source::Field("index_key")),
        ("MATRIX_A_FMT", Source::Field("matrix_a_fmt")),
        ("MATRIX_B_FMT", Source::Field("matrix_b_fmt")),
        ("MATRIX_A_SCALE", Source::Field("matrix_a_scale")),
        ("MATRIX_B_SCALE", Source::Field("matrix_b_scale")),
        ("OP_SEL", Source::Field("op_sel")),
        ("OP_SEL_HI", Source::Field("op_sel_hi")),
        ("SCALE_SEL", Source::Field("scale_sel")),
    ];

    pub fn named(name: &str) -> Option<Source> {
        if let Some((_, source)) = Source::NAMED.into_iter().find(|(known, _)| *known == name) {
            return Some(source);
        }
        match name.split_at_checked(1)? {
            ("D", "1") => Some(Source::Destination(1)),
            ("S", digit) if digit.len() == 1 => digit.parse().ok().map(Source::Operand),
            _ => None,
        }
    }

    /// Whether the source is memory, whose parts are selected by addresses.
    pub const fn is_memory(self) -> bool {
        matches!(self, Source::Memory | Source::Lds | Source::Gds)
    }
}

/// The bits of a place that are read or written.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// The lowest bits, as many as the type has; without a type, all of them.
    Whole,
    /// An element, by its number (`S0.u8[2]`) or its address (`MEM.u32[ADDR]`). Without a type, the element is one bit.
    Element(Box<Expr>),
    /// The bits from the highest to the lowest one: `S0[15:8]`.
    Bits(Box<Expr>, Box<Expr>),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// An integer, which is exact.
    Int(i128),
    /// A number such as `0.5`, with the type of the other operand.
    Float(f64),
    /// A value that an earlier statement named, the number `i` of the element, or the index of a `sum`.
    Name(String),
    Place(Place),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// A choice: `a ? b : c`.
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    Call(Call, Vec<Expr>),
    /// A conversion of a value to another type: `f32(x)`.
    Convert(Type, Box<Expr>),
    /// A sum: `sum(k, 4, ...)` adds the values for k from 0 to 3.
    Sum(String, Box<Expr>, Box<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    Minus,
    /// `~`: inverts every bit.
    Complement,
    /// `!`: 1 for 0, and 0 for all else.
    Not,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    OrElse,
    AndAlso,
    Or,
    Xor,
    And,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    ShiftLeft,
    ShiftRight,
    Plus,
    Minus,
    Times,
    Divide,
    Remainder,
}

impl Binary {
    /// The operators of each precedence, from the one that binds least to the one that binds most.
    pub const LEVELS: [&'static [(&'static str, Binary)]; 10] = [
        &[("||", Binary::OrElse)],
        &[("&&", Binary::AndAlso)],
        &[("|", Binary::Or)],
        &[("^", Binary::Xor)],
        &[("&", Binary::And)],
        &[("==", Binary::Equal), ("!=", Binary::NotEqual)],
        &[("<=", Binary::LessEqual), (">=", Binary::GreaterEqual), ("<", Binary::Less), (">", Binary::Greater)],
        &[("<<", Binary::ShiftLeft), (">>", Binary::ShiftRight)],
        &[("+", Binary::Plus), ("-", Binary::Minus)],
        &[("*", Binary::Times), ("/", Binary::Divide), ("%", Binary::Remainder)],
    ];

    pub fn symbol(self) -> &'static str {
        let mut all = Binary::LEVELS.iter().flat_map(|level| level.iter());
        all.find(|(_, operator)| *operator == self).map_or("", |(symbol, _)| symbol)
    }

    /// Whether the result is 0 or 1.
    pub const fn compares(self) -> bool {
        matches!(
            self,
            Binary::Equal
                | Binary::NotEqual
                | Binary::Less
                | Binary::LessEqual
                | Binary::Greater
                | Binary::GreaterEqual
                | Binary::OrElse
                | Binary::AndAlso
        )
    }
}
