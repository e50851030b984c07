//! The fields of an instruction, as the pictures of `explain` show them.

use amdgpu_isa::Inst;

/// A field of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldView {
    /// The name as in the manual, such as `ssrc0`.
    pub name: String,
    /// The pieces of the field: the lowest bit of each in the whole instruction, and its width. The first piece has the
    /// lowest bits of the value. A split field has more than one piece.
    pub pieces: Vec<(u32, u32)>,
    /// The value: the bits of all pieces, with those of the first piece lowest.
    pub value: u64,
    /// The meaning of the value, such as `s[4:5]`; empty if there is nothing to add.
    pub meaning: String,
}

/// Every field of the instruction except overlays, including the fields of a literal, SDWA or DPP dword.
pub fn fields(inst: &Inst) -> Vec<FieldView> {
    let views = inst.fields().filter(|held| !held.info.overlay);
    views
        .map(|amdgpu_isa::layout::HeldField { format, first_bit, info: f, value, .. }| {
            let first = u32::from(first_bit);
            let mut pieces = vec![(first + u32::from(f.lsb), u32::from(f.width))];
            if f.hi_width > 0 {
                pieces.push((first + u32::from(f.hi), u32::from(f.hi_width)));
            }
            let name = f.field.name();
            let text = inst.field_text(f.field).to_string();
            let meaning = match name {
                "encoding" => format.name().into(),
                "op" => match inst.second_opcode() {
                    Some(second) => format!("{} :: {}", inst.opcode().name(), second.name()),
                    None => inst.opcode().name().into(),
                },
                "reserved" if value != 0 => "ignored".into(),
                _ if text.is_empty() => f.about().to_string(),
                _ => text,
            };
            FieldView { name: name.into(), pieces, value: value.into(), meaning }
        })
        .collect()
}
