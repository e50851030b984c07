//! Constants for the operations that hand-written code makes or looks for. A constant is `None` if no enabled target
//! has the operation, so that the compiler leaves out code that only such a target needs.

use crate::build::emit::camel;
use crate::build::writer::putln;

/// The operation that extends the numbers of vector registers with upper bits.
pub const BANKS: &str = "s_set_vgpr_msb";

const MADE: &[&str] = &[
    "s_add_u32",
    "s_addc_u32",
    "s_branch",
    "s_cmp_lg_u32",
    "s_code_end",
    "s_cselect_b32",
    "s_getpc_b64",
    "s_mov_b32",
    "s_mov_b64",
    "s_nop",
    BANKS,
    "s_setpc_b64",
    "s_swappc_b64",
    "s_wait_idle",
    "s_wait_xcnt",
    "s_waitcnt",
    "s_waitcnt_depctr",
    "s_waitcnt_vscnt",
    "v_dual_fmamk_f32",
    "v_fmamk_f16",
    "v_fmamk_f32",
    "v_fmamk_f64",
    "v_mov_b32",
    "v_nop",
    "v_wmma_ld_scale16_paired_b64",
    "v_wmma_ld_scale_paired_b32",
];

/// Operations whose words `src/compose.rs` finds in a table of its own, so that it does not need the tables for all
/// operations. Their order is that of `compose::Plain`.
pub const PLAIN: [&str; 3] = ["s_branch", "s_nop", "s_code_end"];

/// The source text with a constant for each operation.
pub fn all(opcodes: &[String]) -> String {
    let mut out = String::from(
        "/// Operations that the assembler makes, that hazards need, and that read register numbers in their own way; `None` if no enabled target has the operation.\n#[allow(dead_code)]\npub(crate) mod well_known {\nuse super::Opcode;\n",
    );
    for name in MADE {
        let value = match opcodes.iter().any(|opcode| opcode == name) {
            true => format!("Some(Opcode::{})", camel(name)),
            false => "None".into(),
        };
        putln!(out, "pub const {}: Option<Opcode> = {value};", name.to_uppercase());
    }
    out + "}\n"
}
