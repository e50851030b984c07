//! Settings of checks and repairs.

/// The settings of a check or a repair: the distances that it demands, and the modes that it assumes if the file does
/// not state them.
///
/// ```
/// use amdgpu_isa::Target;
/// use amdgpu_lint::Settings;
/// use amdgpu_lint::check::Checker;
/// use amdgpu_object::{Name, Section};
///
/// // v_add_f32_e32 v5, v1, v2; global_load_b32 v0, v5, s[0:1]; s_endpgm
/// let code = [0x060a_0501u32, 0xee05_0000, 0x0000_0000, 0x0000_0005, 0xbfb0_0000].map(u32::to_le_bytes);
/// let section = Section::new(Name::from(".text"), 0x1000, code.as_flattened());
/// let rules = |settings: Settings| -> Vec<&str> {
///     let checkers = Checker::of(&section, Target::Gfx1200).map(|checker| checker.with(settings));
///     checkers.flat_map(|checker| checker.check(&checker.groups())).map(|finding| finding.rule()).collect()
/// };
/// assert!(!rules(Settings::default()).contains(&"Y14"));
/// assert!(rules(Settings { expert: true, ..Settings::default() }).contains(&"Y14"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Whether the check demands distances that one source demands and another source denies.
    pub strict: bool,
    /// Whether memory accesses are repeated after a page fault (XNACK), for files that do not state it; `None`: the
    /// code of a file has to work with and without XNACK, and bare code only without it.
    pub xnack: Option<bool>,
    /// Whether the expert mode of scheduling is on where a function begins. Code that turns the mode on itself does not
    /// need this setting.
    pub expert: bool,
}
