//! Flat operations access LDS or memory, depending on their addresses, which the code does not show.
#![cfg(all(feature = "alloc", feature = "text", has_target))]

use crate::programs;

use amdgpu_isa::Target;
use programs::says;

/// Checks the missing waits of a program, if the target is in the build.
#[track_caller]
fn expect(name: &str, text: &str, wanted: &[&str]) {
    if let Ok(target) = name.parse::<Target>() {
        assert_eq!(says(target, text), wanted, "{name}: {text}");
    }
}

#[test]
fn flat_operations_raise_two_counters() {
    let load = "flat_load_dword v0, v[2:3]; ";
    let [vm, lgkm] = ["at 8: vmcnt(0) for 0, Vgpr(0) Read", "at 8: lgkmcnt(0) for 0, Vgpr(0) Read"];
    expect("gfx942", &format!("{load} v_mov_b32 v5, v0; s_endpgm"), &[vm, lgkm]);
    expect("gfx942", &format!("{load} s_waitcnt vmcnt(0) lgkmcnt(0); v_mov_b32 v5, v0; s_endpgm"), &[]);
    // The compiler may know which memory the address is in; the code does not show it.
    expect(
        "gfx942",
        &format!("{load} s_waitcnt vmcnt(0); v_mov_b32 v5, v0; s_endpgm"),
        &["at 12: lgkmcnt(0) for 0, Vgpr(0) Read, perhaps"],
    );
    expect(
        "gfx942",
        &format!("{load} s_waitcnt lgkmcnt(0); v_mov_b32 v5, v0; s_endpgm"),
        &["at 12: vmcnt(0) for 0, Vgpr(0) Read, perhaps"],
    );
    let load = "flat_load_b32 v0, v[2:3]; ";
    expect("gfx1200", &format!("{load} s_wait_loadcnt_dscnt 0x0; v_mov_b32 v5, v0; s_endpgm"), &[]);
    expect(
        "gfx1200",
        &format!("{load} s_wait_dscnt 0x0; v_mov_b32 v5, v0; s_endpgm"),
        &["at 16: loadcnt(0) for 0, Vgpr(0) Read, perhaps"],
    );
}

/// Before RDNA1 a flat operation may lower the counter before an older load, so the value of the counter gives no
/// information about the load.
#[test]
fn flat_operations_may_be_done_first() {
    let loads = "global_load_dword v0, v9, s[0:1]; flat_load_dword v1, v[2:3]; ";
    let read = "v_mov_b32 v5, v0; s_endpgm";
    expect("gfx942", &format!("{loads} {read}"), &["at 16: vmcnt(0) for 0, Vgpr(0) Read"]);
    expect("gfx942", &format!("{loads} s_waitcnt vmcnt(0); {read}"), &[]);
    // The wait is enough if the operation is known to access memory.
    let perhaps = "at 20: vmcnt(0) for 0, Vgpr(0) Read, perhaps";
    expect("gfx942", &format!("{loads} s_waitcnt vmcnt(1); {read}"), &[perhaps]);
    expect("gfx1030", &format!("{loads} {read}"), &["at 16: vmcnt(1) for 0, Vgpr(0) Read"]);
    expect("gfx1030", &format!("{loads} s_waitcnt vmcnt(1); {read}"), &[]);
    // Two of three operations are done, so at least one that is not flat is done.
    let loads = "global_load_dword v0, v9, s[0:1]; global_load_dword v4, v9, s[0:1]; flat_load_dword v1, v[2:3]; ";
    expect("gfx942", &format!("{loads} s_waitcnt vmcnt(1); {read}"), &[]);
    let reads = "ds_read_b32 v0, v9; flat_store_dword v[2:3], v4; ";
    expect("gfx942", &format!("{reads} {read}"), &["at 16: lgkmcnt(0) for 0, Vgpr(0) Read"]);
    expect("gfx1030", &format!("{reads} {read}"), &["at 16: lgkmcnt(1) for 0, Vgpr(0) Read"]);
}

/// LDS and memory do not write in a common order.
#[test]
fn flat_operations_write_in_any_order() {
    let written = "at 8: vmcnt(0) for 0, Vgpr(0) Overwrite";
    for target in ["gfx942", "gfx1030"] {
        let loads = "global_load_dword v0, v9, s[0:1]; flat_load_dword v0, v[2:3]; s_endpgm";
        expect(target, loads, &[written]);
        let both = ["at 8: vmcnt(0) for 0, Vgpr(0) Overwrite", "at 8: lgkmcnt(0) for 0, Vgpr(0) Overwrite"];
        expect(target, "flat_load_dword v0, v[2:3]; flat_load_dword v0, v[2:3]; s_endpgm", &both);
    }
    let reads = "ds_load_b32 v0, v9; flat_load_b32 v0, v[2:3]; s_endpgm";
    expect("gfx1200", reads, &["at 8: dscnt(0) for 0, Vgpr(0) Overwrite"]);
}

/// A wait that is missing for another operation does not show that the address is known.
#[test]
fn a_missing_wait_tells_nothing_of_an_address() {
    let loads = "flat_load_dword v0, v[2:3]; s_load_dword s4, s[0:1], 0x0; ";
    let uses = "s_mov_b32 s5, s4; v_mov_b32 v5, v0; s_endpgm";
    let scalar = "at 16: lgkmcnt(0) for 8, Sgpr(4) Read";
    expect("gfx942", &format!("{loads} {uses}"), &[scalar, "at 20: vmcnt(0) for 0, Vgpr(0) Read"]);
    let perhaps = "at 24: vmcnt(0) for 0, Vgpr(0) Read, perhaps";
    expect("gfx942", &format!("{loads} s_waitcnt lgkmcnt(0); {uses}"), &[perhaps]);
}
