//! Operand kinds: how the bits of an operand or of a modifier read, and which other bits decide it. The library and the generator
//! in `build/` share this file; `isa/operands.isa` names the kind of each operand type in its column `as`.
//!
//! A kind belongs to a group, and each group has a file that reads, encodes and describes its operands:
//!
//! | group | file | kinds |
//! |---|---|---|
//! | [`RegisterKind`] | `codec/register.rs` | register files, sources, destinations |
//! | [`AddressKind`] | `codec/address.rs` | addresses of memory, sources of exports |
//! | [`ImageKind`] | `codec/image.rs` | image data and image addresses |
//! | [`OffsetKind`] | `codec/offset.rs` | offsets of scalar memory |
//! | [`NumberKind`] | `codec/number.rs` | constants in a field, literals |
//! | [`ModifierKind`] | `codec/modifier.rs` | modifiers |

/// The position of a bit, or of the lowest bit of a field, counted from the first bit of the words; [`NONE`] if the form lacks it.
pub type Position = u8;

/// Marks a missing position.
pub const NONE: Position = 0xff;

/// How an operand or a modifier reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperandKind {
    Register(RegisterKind),
    Address(AddressKind),
    Image(ImageKind),
    Offset(OffsetKind),
    Number(NumberKind),
    Modifier(ModifierKind),
    /// The mark between the two operations of a dual instruction.
    Second,
}

/// The bits that change the sign of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Signs {
    /// Negation.
    pub neg: Position,
    /// Absolute value.
    pub abs: Position,
    /// Sign extension.
    pub sext: Position,
}

impl Signs {
    pub const ABSENT: Signs = Signs { neg: NONE, abs: NONE, sext: NONE };

    pub const fn positions(self) -> [Position; 3] {
        [self.neg, self.abs, self.sext]
    }

    const fn and(self, other: Position) -> [Position; 4] {
        [self.neg, self.abs, self.sext, other]
    }
}

/// Register files, sources and destinations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegisterKind {
    /// An operand code.
    Code { signs: Signs },
    /// An operand code; of a vector register, bit 7 of the field selects the half.
    Half { signs: Signs },
    /// An operand code; of a vector register, the bit `half` selects the half.
    HalfSelected { signs: Signs, half: Position },
    /// The low eight bits of an operand code, of a scalar if the bit `scalar` is set, else of a VGPR.
    Sdwa { signs: Signs, scalar: Position },
    /// An AGPR.
    Agpr,
    /// An AGPR; a constant below the codes of vector registers.
    AgprOrConstant,
    /// A VGPR, or an AGPR if the bit `acc` is set; a constant below the codes of vector registers.
    Vector { acc: Position },
    /// A VGPR or AGPR; the format of a matrix, in the field `format` and the bit `format_high`, decides the length.
    Matrix { acc: Position, format: Position, format_high: Position },
    /// Data of a buffer or of memory: absent if the data go to LDS, one register longer with a fail status.
    Data { acc: Position, lds: Position, tfe: Position },
    /// A scalar destination if the bit `named` is set, else VCC.
    NamedOrVcc { named: Position },
    /// VCC, which no field names.
    Vcc,
    /// A destination whose lowest bit is the inverse of the bit `other`, the lowest one of the other destination.
    OppositeParity { other: Position },
}

/// Addresses of memory, and sources of exports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressKind {
    /// The address of a buffer: an index, an offset, both, a 64-bit address, or nothing.
    Buffer { offen: Position, idxen: Position, addr64: Position },
    /// A VGPR pair, or a single VGPR if the field `saddr` names a scalar base.
    Global { saddr: Position },
    /// A VGPR if the bit `sve` is set; without that bit, if the field `saddr` names no scalar address.
    Scratch { sve: Position, saddr: Position },
    /// A scalar address. The text of an absent one is `off`, or nothing if `is_silent`. The operand at `other` is present with this
    /// one, and absent with it.
    Scalar { is_silent: bool, other: Position },
    /// A source of an export, if the bit `enable` is set; with `compr`, two sources share a register.
    ExportSource { enable: Position, compr: Position },
}

/// Image data and image addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImageKind {
    /// Data, in as many registers as these fields and the operation say.
    Data { data: ImageData, dmask: Position, tfe: Position, d16: Position, acc: Position },
    /// An address. The dimension at `dim` decides the number of registers, with `OperandDesc::dwords - 1` more from the row. They
    /// are one run, or fields of their own name them: those from `second` on, and the one at `fifth`.
    Address {
        shape: AddressShape,
        dim: Position,
        a16: Position,
        second: Position,
        fifth: Position,
        fields: AddressFields,
    },
}

/// Operations that differ in the number of registers of image data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImageData {
    /// One for each component.
    Components,
    /// Four components.
    Gather,
    Atomic,
    CompareAndSwap,
}

/// The parts of an image address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressShape {
    Coordinates,
    /// A level of detail, or a limit of it, after the coordinates.
    CoordinatesLod,
    /// Gradients of 32 bits each before the coordinates.
    Gradients,
    GradientsLod,
    /// Gradients of 16 bits each.
    Gradients16,
    Gradients16Lod,
    /// A level of detail alone.
    Lod,
    /// A ray, whose two directions are six components that a16 packs.
    Ray,
    RayDual,
    Ray8,
}

/// The number of fields that can name registers of an image address, and whether the last one starts a run of all that remain.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct AddressFields(u8);

impl AddressFields {
    const RUN: u8 = 1 << 7;

    pub const fn new(count: u8, is_run: bool) -> AddressFields {
        AddressFields(count | if is_run { AddressFields::RUN } else { 0 })
    }

    pub const fn count(self) -> u8 {
        self.0 & !AddressFields::RUN
    }

    /// Whether the last field starts a run.
    pub const fn is_run(self) -> bool {
        self.0 & AddressFields::RUN != 0
    }
}

/// The call that makes it, for generated tables.
impl core::fmt::Debug for AddressFields {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "AddressFields::new({}, {})", self.count(), self.is_run())
    }
}

/// Offsets of scalar memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OffsetKind {
    /// A constant in dwords if the bit `imm` is set, else a register or a literal.
    Dwords { imm: Position },
    /// A constant if the bit `imm` is set, else a register in the same field; with `soffset_en`, the register at `soffset`, alone or
    /// added to a constant.
    Bytes { imm: Position, soffset_en: Position, soffset: Position },
    /// A constant and the register at `soffset`, which can be null. `is_shown`: the text has the constant even if it is zero.
    Sum { soffset: Position, is_shown: bool },
}

/// Constants in a field, and literals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NumberKind {
    /// The dword after the base words, or the two dwords, of which the field at `high` is the upper one.
    Literal {
        high: Position,
    },
    /// A signed number that prints in hexadecimal.
    SignedHex,
    /// The distance of a branch.
    Label,
    /// A number that prints in hexadecimal.
    Hex,
    /// A number of 16 bits that prints signed.
    Int16,
    /// A number that prints unless it is zero.
    Endpgm,
    Hwreg,
    Sendmsg,
    Waitcnt,
    GprIdx,
    Depctr,
    DelayAlu,
    Version,
    /// An attribute of an interpolation, and its channel in the field `channel`, if there is one.
    Attribute {
        channel: Position,
    },
    InterpParam,
    ExportTarget,
}

/// Modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ModifierKind {
    /// Not in the text, or in that of another operand or modifier.
    Hidden,
    /// `name:[a,b,...]`.
    List(ListStyle),
    /// `byte_sel:2`, whichever field holds it; 0 does not print.
    ByteSel,
    /// A name, if the bit is set.
    Flag,
    Omod,
    /// A truth table in three fields: this one has the high bits, those at `middle` and `low` the bits below. If these are missing,
    /// it is in one field.
    Bitop3 {
        middle: Position,
        low: Position,
    },
    /// `name:value`, unless zero.
    Named,
    /// `name:value`, even if zero.
    Wait,
    /// `name:value`, signed, unless zero.
    Signed,
    SdwaSel,
    DstUnused,
    DppCtrl,
    DppBound,
    DppMask,
    Swizzle,
    /// A data format, with the number format at `nfmt`.
    MtbufFormat {
        nfmt: Position,
    },
    /// Data format and number format as one number.
    BufferFormat,
    Dmask,
    Dim,
    Scope,
    MatrixFormat,
    MatrixScale,
    MatrixScaleFormat,
    /// A temporal hint, whose names depend on the scope at `scope`.
    TemporalHint {
        scope: Position,
    },
    /// Eight lanes; the lowest bit of the code at `code`, which announces the dword, is `fi`.
    Dpp8 {
        code: Position,
    },
}

/// When the text has a list of bits, and which of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ListStyle {
    /// Unless all bits are zero.
    Plain,
    /// With the name `neg_lo`.
    NegLo,
    /// With the name `neg`.
    Neg,
    /// Bits that the operation does not use show as 0.
    All,
    /// Unless all bits are one.
    Ones,
    /// Always; bits that the operation does not use show as 0.
    Always,
}

impl OperandKind {
    /// A plain operand code.
    pub const CODE: OperandKind = OperandKind::Register(RegisterKind::Code { signs: Signs::ABSENT });

    /// The bits that change the sign, of a source that has such bits.
    pub const fn signs(self) -> Option<Signs> {
        match self {
            OperandKind::Register(
                RegisterKind::Code { signs }
                | RegisterKind::Half { signs }
                | RegisterKind::HalfSelected { signs, .. }
                | RegisterKind::Sdwa { signs, .. },
            ) => Some(signs),
            _ => None,
        }
    }

    /// The kind with other bits for the sign, if it is that of a source.
    pub const fn with_signs(self, signs: Signs) -> OperandKind {
        OperandKind::Register(match self {
            OperandKind::Register(RegisterKind::Code { .. }) => RegisterKind::Code { signs },
            OperandKind::Register(RegisterKind::Half { .. }) => RegisterKind::Half { signs },
            OperandKind::Register(RegisterKind::HalfSelected { half, .. }) => {
                RegisterKind::HalfSelected { signs, half }
            }
            OperandKind::Register(RegisterKind::Sdwa { scalar, .. }) => RegisterKind::Sdwa { signs, scalar },
            _ => return self,
        })
    }

    /// The kind without positions: what two targets have in common.
    pub const fn bare(self) -> OperandKind {
        match self.with_signs(Signs::ABSENT).at([NONE; 4], NONE) {
            OperandKind::Image(ImageKind::Address { shape, dim, a16, second, fifth, .. }) => {
                let fields = AddressFields::new(1, true);
                OperandKind::Image(ImageKind::Address { shape, dim, a16, second, fifth, fields })
            }
            kind => kind,
        }
    }

    /// Whether it is a plain offset of scalar memory in dwords, which a literal can hold.
    pub const fn is_in_dwords(self) -> bool {
        matches!(self, OperandKind::Offset(OffsetKind::Dwords { .. }))
    }

    /// Whether a constant and a register are always added.
    pub const fn is_sum(self) -> bool {
        matches!(self, OperandKind::Offset(OffsetKind::Sum { .. }))
    }

    /// Whether it is a scalar address.
    pub const fn is_scalar_address(self) -> bool {
        matches!(self, OperandKind::Address(AddressKind::Scalar { .. }))
    }

    /// Whether it is a scalar destination that can be VCC without a field.
    pub const fn is_named_or_vcc(self) -> bool {
        matches!(self, OperandKind::Register(RegisterKind::NamedOrVcc { .. }))
    }

    /// Whether one field can read as several operands.
    pub const fn has_parts(self) -> bool {
        match self {
            OperandKind::Offset(kind) => !matches!(kind, OffsetKind::Dwords { .. }),
            _ => self.is_image_address(),
        }
    }

    /// Whether it is one half of a vector register.
    pub const fn is_half(self) -> bool {
        matches!(self, OperandKind::Register(RegisterKind::Half { .. } | RegisterKind::HalfSelected { .. }))
    }

    /// The bit that turns a vector register into an accumulation register.
    pub const fn acc(self) -> Position {
        match self {
            OperandKind::Register(
                RegisterKind::Vector { acc } | RegisterKind::Matrix { acc, .. } | RegisterKind::Data { acc, .. },
            )
            | OperandKind::Image(ImageKind::Data { acc, .. }) => acc,
            _ => NONE,
        }
    }

    /// Whether it is VCC, or can be.
    pub const fn is_vcc(self) -> bool {
        matches!(self, OperandKind::Register(RegisterKind::Vcc | RegisterKind::NamedOrVcc { .. }))
    }

    /// Whether it is image data.
    pub const fn is_image_data(self) -> bool {
        matches!(self, OperandKind::Image(ImageKind::Data { .. }))
    }

    /// Whether it is an image address, which can be several operands.
    pub const fn is_image_address(self) -> bool {
        matches!(self, OperandKind::Image(ImageKind::Address { .. }))
    }

    /// The parts of an image address; those of coordinates alone for other kinds.
    pub const fn shape(self) -> AddressShape {
        match self {
            OperandKind::Image(ImageKind::Address { shape, .. }) => shape,
            _ => AddressShape::Coordinates,
        }
    }

    /// The kind with other parts, if it is an image address.
    pub const fn with_shape(self, shape: AddressShape) -> OperandKind {
        match self {
            OperandKind::Image(ImageKind::Address { dim, a16, second, fifth, fields, .. }) => {
                OperandKind::Image(ImageKind::Address { shape, dim, a16, second, fifth, fields })
            }
            _ => self,
        }
    }

    /// Whether the value is the number in the field.
    pub const fn is_number(self) -> bool {
        match self {
            OperandKind::Number(kind) => {
                !matches!(kind, NumberKind::Literal { .. } | NumberKind::SignedHex | NumberKind::Label)
            }
            _ => false,
        }
    }

    /// Whether a bit decides if the code in the field counts: that of a scalar source, or of a scalar destination.
    pub const fn is_flagged(self) -> bool {
        matches!(self, OperandKind::Register(RegisterKind::Sdwa { .. } | RegisterKind::NamedOrVcc { .. }))
    }

    /// Whether it is an address in vector registers, which other fields can make longer or shorter.
    pub const fn is_vector_address(self) -> bool {
        matches!(
            self,
            OperandKind::Address(AddressKind::Buffer { .. } | AddressKind::Global { .. } | AddressKind::Scratch { .. })
        )
    }

    /// Whether other fields decide the number of registers, so that every operand has to be checked.
    pub const fn is_sized(self) -> bool {
        self.is_image_address() || matches!(self, OperandKind::Register(RegisterKind::Matrix { .. }))
    }

    /// The kind with these positions, in the order of the column `uses` of `isa/operands.isa`. `own`: the lowest bit of its own field.
    pub const fn at(self, positions: [Position; 4], own: Position) -> OperandKind {
        let [a, b, c, d] = positions;
        match self {
            OperandKind::Register(kind) => OperandKind::Register(kind.at(positions)),
            OperandKind::Address(kind) => OperandKind::Address(kind.at(positions, own)),
            OperandKind::Image(ImageKind::Data { data, .. }) => {
                OperandKind::Image(ImageKind::Data { data, dmask: a, tfe: b, d16: c, acc: d })
            }
            OperandKind::Image(ImageKind::Address { shape, fields, .. }) => {
                OperandKind::Image(ImageKind::Address { shape, dim: a, a16: b, second: c, fifth: d, fields })
            }
            OperandKind::Offset(kind) => OperandKind::Offset(kind.at(positions)),
            OperandKind::Number(kind) => OperandKind::Number(match kind {
                NumberKind::Literal { .. } => NumberKind::Literal { high: a },
                NumberKind::Attribute { .. } => NumberKind::Attribute { channel: a },
                _ => kind,
            }),
            OperandKind::Modifier(kind) => OperandKind::Modifier(match kind {
                ModifierKind::Bitop3 { .. } => ModifierKind::Bitop3 { middle: a, low: b },
                ModifierKind::MtbufFormat { .. } => ModifierKind::MtbufFormat { nfmt: a },
                ModifierKind::TemporalHint { .. } => ModifierKind::TemporalHint { scope: a },
                ModifierKind::Dpp8 { .. } => ModifierKind::Dpp8 { code: a },
                _ => kind,
            }),
            OperandKind::Second => self,
        }
    }

    /// The positions of the other bits that decide how it reads.
    pub const fn positions(self) -> [Position; 4] {
        match self {
            OperandKind::Register(kind) => kind.positions(),
            OperandKind::Address(kind) => kind.positions(),
            OperandKind::Image(ImageKind::Data { dmask, tfe, d16, acc, .. }) => [dmask, tfe, d16, acc],
            OperandKind::Image(ImageKind::Address { dim, a16, second, fifth, .. }) => [dim, a16, second, fifth],
            OperandKind::Offset(kind) => kind.positions(),
            OperandKind::Number(NumberKind::Literal { high: at } | NumberKind::Attribute { channel: at }) => one(at),
            OperandKind::Modifier(
                ModifierKind::MtbufFormat { nfmt: at }
                | ModifierKind::TemporalHint { scope: at }
                | ModifierKind::Dpp8 { code: at },
            ) => one(at),
            OperandKind::Modifier(ModifierKind::Bitop3 { middle, low }) => [middle, low, NONE, NONE],
            OperandKind::Number(_) | OperandKind::Modifier(_) | OperandKind::Second => [NONE; 4],
        }
    }
}

const fn one(at: Position) -> [Position; 4] {
    [at, NONE, NONE, NONE]
}

impl RegisterKind {
    const fn at(self, [a, b, c, _]: [Position; 4]) -> RegisterKind {
        match self {
            RegisterKind::HalfSelected { signs, .. } => RegisterKind::HalfSelected { signs, half: a },
            RegisterKind::Sdwa { signs, .. } => RegisterKind::Sdwa { signs, scalar: a },
            RegisterKind::Vector { .. } => RegisterKind::Vector { acc: a },
            RegisterKind::Matrix { .. } => RegisterKind::Matrix { acc: a, format: b, format_high: c },
            RegisterKind::Data { .. } => RegisterKind::Data { acc: a, lds: b, tfe: c },
            RegisterKind::NamedOrVcc { .. } => RegisterKind::NamedOrVcc { named: a },
            RegisterKind::OppositeParity { .. } => RegisterKind::OppositeParity { other: a },
            RegisterKind::Code { .. }
            | RegisterKind::Half { .. }
            | RegisterKind::Agpr
            | RegisterKind::AgprOrConstant
            | RegisterKind::Vcc => self,
        }
    }

    const fn positions(self) -> [Position; 4] {
        match self {
            RegisterKind::Code { signs } | RegisterKind::Half { signs } => signs.and(NONE),
            RegisterKind::HalfSelected { signs, half: at } | RegisterKind::Sdwa { signs, scalar: at } => signs.and(at),
            RegisterKind::Vector { acc: at }
            | RegisterKind::NamedOrVcc { named: at }
            | RegisterKind::OppositeParity { other: at } => one(at),
            RegisterKind::Matrix { acc, format, format_high } => [acc, format, format_high, NONE],
            RegisterKind::Data { acc, lds, tfe } => [acc, lds, tfe, NONE],
            RegisterKind::Agpr | RegisterKind::AgprOrConstant | RegisterKind::Vcc => [NONE; 4],
        }
    }
}

impl AddressKind {
    const fn at(self, [a, b, c, _]: [Position; 4], own: Position) -> AddressKind {
        match self {
            AddressKind::Buffer { .. } => AddressKind::Buffer { offen: a, idxen: b, addr64: c },
            AddressKind::Global { .. } => AddressKind::Global { saddr: a },
            AddressKind::Scratch { .. } => AddressKind::Scratch { sve: a, saddr: b },
            AddressKind::Scalar { .. } => {
                AddressKind::Scalar { is_silent: a != NONE, other: if a == own { b } else { a } }
            }
            AddressKind::ExportSource { .. } => AddressKind::ExportSource { enable: a, compr: b },
        }
    }

    const fn positions(self) -> [Position; 4] {
        match self {
            AddressKind::Buffer { offen, idxen, addr64 } => [offen, idxen, addr64, NONE],
            AddressKind::Global { saddr: at } | AddressKind::Scalar { other: at, .. } => one(at),
            AddressKind::Scratch { sve, saddr } => [sve, saddr, NONE, NONE],
            AddressKind::ExportSource { enable, compr } => [enable, compr, NONE, NONE],
        }
    }
}

impl OffsetKind {
    const fn at(self, [a, b, c, d]: [Position; 4]) -> OffsetKind {
        match self {
            OffsetKind::Dwords { .. } => OffsetKind::Dwords { imm: a },
            // Without a bit that chooses, both are always added.
            OffsetKind::Bytes { .. } | OffsetKind::Sum { .. } if a == NONE => {
                OffsetKind::Sum { soffset: c, is_shown: d != NONE }
            }
            OffsetKind::Bytes { .. } | OffsetKind::Sum { .. } => {
                OffsetKind::Bytes { imm: a, soffset_en: b, soffset: c }
            }
        }
    }

    const fn positions(self) -> [Position; 4] {
        match self {
            OffsetKind::Dwords { imm } => one(imm),
            OffsetKind::Bytes { imm, soffset_en, soffset } => [imm, soffset_en, soffset, NONE],
            OffsetKind::Sum { soffset, .. } => one(soffset),
        }
    }

    /// The field of a register beside the constant.
    pub const fn soffset(self) -> Position {
        match self {
            OffsetKind::Dwords { .. } => NONE,
            OffsetKind::Bytes { soffset, .. } | OffsetKind::Sum { soffset, .. } => soffset,
        }
    }

    /// Whether the constant is signed: where a register can be added to it.
    pub const fn is_signed(self) -> bool {
        self.soffset() != NONE
    }
}
