//! Lists of names for the values of a field, as in `isa/enums.isa`.

/// Lists of names for the numbers of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NumberList {
    ExportTarget,
    InterpParam,
}

/// Lists of names for the values of a modifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ModifierList {
    DstUnused,
    Dim,
    MatrixFormat,
    MatrixScale,
    MatrixScaleFormat,
    Scope,
    SdwaSel,
}

impl NumberList {
    /// The text before a number that has no name.
    pub const fn unnamed(self) -> &'static str {
        match self {
            NumberList::ExportTarget => "invalid_target_",
            NumberList::InterpParam => "invalid_param_",
        }
    }
}

impl ModifierList {
    /// Whether the text has the modifier even if its value is zero.
    pub const fn is_always_shown(self) -> bool {
        matches!(self, ModifierList::DstUnused | ModifierList::Dim | ModifierList::SdwaSel)
    }
}
