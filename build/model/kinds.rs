//! The names of operand kinds in `isa/operands.isa`.

use crate::build::kind::{
    AddressFields, AddressKind, AddressShape, ImageData, ImageKind, ListStyle, ModifierKind, NONE, NumberKind,
    OffsetKind, OperandKind, RegisterKind, Signs,
};

/// The kind of this name, without the positions of other bits.
pub fn named(name: &str) -> Option<OperandKind> {
    KINDS.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
}

/// The name of a kind, whatever its positions are.
#[cfg(any(feature = "make", test))]
pub fn name(kind: OperandKind) -> &'static str {
    KINDS.iter().find(|(_, known)| known.bare() == kind.bare()).map_or("?", |(name, _)| name)
}

const KINDS: [(&str, OperandKind); 78] = [
    ("code", OperandKind::CODE),
    ("half", OperandKind::Register(RegisterKind::Half { signs: Signs::ABSENT })),
    ("half_sel", OperandKind::Register(RegisterKind::HalfSelected { signs: Signs::ABSENT, half: NONE })),
    ("sdwa_src", OperandKind::Register(RegisterKind::Sdwa { signs: Signs::ABSENT, scalar: NONE })),
    ("agpr", OperandKind::Register(RegisterKind::Agpr)),
    ("agpr_or_const", OperandKind::Register(RegisterKind::AgprOrConstant)),
    ("acc", OperandKind::Register(RegisterKind::Vector { acc: NONE })),
    ("acc_sized", OperandKind::Register(RegisterKind::Matrix { acc: NONE, format: NONE, format_high: NONE })),
    ("buf_data", OperandKind::Register(RegisterKind::Data { acc: NONE, lds: NONE, tfe: NONE })),
    ("sdst_or_vcc", OperandKind::Register(RegisterKind::NamedOrVcc { named: NONE })),
    ("vdsty", OperandKind::Register(RegisterKind::OppositeParity { other: NONE })),
    ("buf_vaddr", OperandKind::Address(AddressKind::Buffer { offen: NONE, idxen: NONE, addr64: NONE })),
    ("global_addr", OperandKind::Address(AddressKind::Global { saddr: NONE })),
    ("scratch_addr", OperandKind::Address(AddressKind::Scratch { sve: NONE, saddr: NONE })),
    ("saddr", OperandKind::Address(AddressKind::Scalar { is_silent: false, other: NONE })),
    ("exp_src", OperandKind::Address(AddressKind::ExportSource { enable: NONE, compr: NONE })),
    ("mimg_data", image_data(ImageData::Components)),
    ("mimg_gather", image_data(ImageData::Gather)),
    ("mimg_atomic", image_data(ImageData::Atomic)),
    ("mimg_cmpswap", image_data(ImageData::CompareAndSwap)),
    ("img_addr", image_address(AddressShape::Coordinates)),
    ("img_addr_lod", image_address(AddressShape::CoordinatesLod)),
    ("img_grad", image_address(AddressShape::Gradients)),
    ("img_grad_lod", image_address(AddressShape::GradientsLod)),
    ("img_grad16", image_address(AddressShape::Gradients16)),
    ("img_grad16_lod", image_address(AddressShape::Gradients16Lod)),
    ("img_lod", image_address(AddressShape::Lod)),
    ("img_ray", image_address(AddressShape::Ray)),
    ("img_ray_dual", image_address(AddressShape::RayDual)),
    ("img_ray8", image_address(AddressShape::Ray8)),
    ("smrd_offset", OperandKind::Offset(OffsetKind::Dwords { imm: NONE })),
    ("smem_offset", OperandKind::Offset(OffsetKind::Bytes { imm: NONE, soffset_en: NONE, soffset: NONE })),
    ("literal", OperandKind::Number(NumberKind::Literal { high: NONE })),
    ("signed_hex", OperandKind::Number(NumberKind::SignedHex)),
    ("label", OperandKind::Number(NumberKind::Label)),
    ("hex", OperandKind::Number(NumberKind::Hex)),
    ("int16", OperandKind::Number(NumberKind::Int16)),
    ("endpgm", OperandKind::Number(NumberKind::Endpgm)),
    ("hwreg", OperandKind::Number(NumberKind::Hwreg)),
    ("sendmsg", OperandKind::Number(NumberKind::Sendmsg)),
    ("waitcnt", OperandKind::Number(NumberKind::Waitcnt)),
    ("gpr_idx", OperandKind::Number(NumberKind::GprIdx)),
    ("depctr", OperandKind::Number(NumberKind::Depctr)),
    ("delay_alu", OperandKind::Number(NumberKind::DelayAlu)),
    ("version", OperandKind::Number(NumberKind::Version)),
    ("attr", OperandKind::Number(NumberKind::Attribute { channel: NONE })),
    ("interp_param", OperandKind::Number(NumberKind::InterpParam)),
    ("exp_tgt", OperandKind::Number(NumberKind::ExportTarget)),
    ("none", OperandKind::Modifier(ModifierKind::Hidden)),
    ("list", OperandKind::Modifier(ModifierKind::List(ListStyle::Plain))),
    ("list_neg_lo", OperandKind::Modifier(ModifierKind::List(ListStyle::NegLo))),
    ("list_neg", OperandKind::Modifier(ModifierKind::List(ListStyle::Neg))),
    ("list_all", OperandKind::Modifier(ModifierKind::List(ListStyle::All))),
    ("list_ones", OperandKind::Modifier(ModifierKind::List(ListStyle::Ones))),
    ("list_always", OperandKind::Modifier(ModifierKind::List(ListStyle::Always))),
    ("byte_sel", OperandKind::Modifier(ModifierKind::ByteSel)),
    ("flag", OperandKind::Modifier(ModifierKind::Flag)),
    ("omod", OperandKind::Modifier(ModifierKind::Omod)),
    ("bitop3", OperandKind::Modifier(ModifierKind::Bitop3 { middle: NONE, low: NONE })),
    ("named", OperandKind::Modifier(ModifierKind::Named)),
    ("wait", OperandKind::Modifier(ModifierKind::Wait)),
    ("signed", OperandKind::Modifier(ModifierKind::Signed)),
    ("sdwa_sel", OperandKind::Modifier(ModifierKind::SdwaSel)),
    ("dst_unused", OperandKind::Modifier(ModifierKind::DstUnused)),
    ("dpp_ctrl", OperandKind::Modifier(ModifierKind::DppCtrl)),
    ("dpp_bound", OperandKind::Modifier(ModifierKind::DppBound)),
    ("dpp_mask", OperandKind::Modifier(ModifierKind::DppMask)),
    ("swizzle", OperandKind::Modifier(ModifierKind::Swizzle)),
    ("mtbuf_format", OperandKind::Modifier(ModifierKind::MtbufFormat { nfmt: NONE })),
    ("buf_fmt", OperandKind::Modifier(ModifierKind::BufferFormat)),
    ("dmask", OperandKind::Modifier(ModifierKind::Dmask)),
    ("dim", OperandKind::Modifier(ModifierKind::Dim)),
    ("scope", OperandKind::Modifier(ModifierKind::Scope)),
    ("matrix_fmt", OperandKind::Modifier(ModifierKind::MatrixFormat)),
    ("matrix_scale", OperandKind::Modifier(ModifierKind::MatrixScale)),
    ("matrix_scale_fmt", OperandKind::Modifier(ModifierKind::MatrixScaleFormat)),
    ("th", OperandKind::Modifier(ModifierKind::TemporalHint { scope: NONE })),
    ("dpp8", OperandKind::Modifier(ModifierKind::Dpp8 { code: NONE })),
];

const fn image_data(data: ImageData) -> OperandKind {
    OperandKind::Image(ImageKind::Data { data, dmask: NONE, tfe: NONE, d16: NONE, acc: NONE })
}

const fn image_address(shape: AddressShape) -> OperandKind {
    let fields = AddressFields::new(1, true);
    OperandKind::Image(ImageKind::Address { shape, dim: NONE, a16: NONE, second: NONE, fifth: NONE, fields })
}
