//! Counters of outstanding operations: which waits are missing.
#![cfg(all(feature = "alloc", feature = "text", has_target))]

use crate::programs;

use amdgpu_isa::facts::Counter;
use amdgpu_isa::flow::Flow;
use amdgpu_isa::hazards::Pending;
use amdgpu_isa::imm::Waitcnt;
use amdgpu_isa::{Target, parse};
use programs::{assemble, insts, missing, own_samples, sample, samples, says};

fn target(name: &str) -> Option<Target> {
    Target::ALL.iter().copied().find(|target| target.name() == name)
}

/// Checks the missing waits of a program on a target, if the target is enabled.
#[track_caller]
fn expect(name: &str, text: &str, wanted: &[&str]) {
    if let Some(target) = target(name) {
        assert_eq!(says(target, text), wanted, "{name}: {text}");
    }
}

#[test]
fn results_are_waited_for() {
    let load = "global_load_dword v0, v1, s[0:1]; ";
    expect("gfx942", &format!("{load} v_mov_b32 v2, v0; s_endpgm"), &["at 8: vmcnt(0) for 0, Vgpr(0) Read"]);
    expect("gfx942", &format!("{load} v_mov_b32 v0, v2; s_endpgm"), &["at 8: vmcnt(0) for 0, Vgpr(0) Overwrite"]);
    // The address is read when the load is issued.
    expect("gfx942", &format!("{load} v_mov_b32 v1, v2; s_endpgm"), &[]);
    expect("gfx942", &format!("{load} s_waitcnt vmcnt(0); v_mov_b32 v2, v0; s_endpgm"), &[]);
    expect(
        "gfx942",
        &format!("{load} s_waitcnt lgkmcnt(0); v_mov_b32 v2, v0; s_endpgm"),
        &["at 12: vmcnt(0) for 0, Vgpr(0) Read"],
    );
    // A wait that was reported once counts as done.
    expect(
        "gfx942",
        &format!("{load} v_mov_b32 v2, v0; v_mov_b32 v3, v0; s_endpgm"),
        &["at 8: vmcnt(0) for 0, Vgpr(0) Read"],
    );
    // The third register of this tuple is read.
    expect(
        "gfx942",
        "s_load_dwordx4 s[4:7], s[0:1], 0x0; s_mov_b32 s8, s6; s_endpgm",
        &["at 8: lgkmcnt(0) for 0, Sgpr(6) Read"],
    );
    expect(
        "gfx1100",
        "s_load_b128 s[4:7], s[0:1], 0x0; s_mov_b32 s8, s6; s_endpgm",
        &["at 8: lgkmcnt(0) for 0, Sgpr(6) Read"],
    );
    expect(
        "gfx1200",
        "s_load_b128 s[4:7], s[0:1], 0x0; s_mov_b32 s8, s6; s_endpgm",
        &["at 8: kmcnt(0) for 0, Sgpr(6) Read"],
    );
    expect("gfx1200", "ds_load_b32 v0, v1; v_mov_b32 v2, v0; s_endpgm", &["at 8: dscnt(0) for 0, Vgpr(0) Read"]);
    expect(
        "gfx1200",
        "image_sample v0, [v1, v2], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D; v_mov_b32 v2, v0; s_endpgm",
        &["at 12: samplecnt(0) for 0, Vgpr(0) Read"],
    );
}

#[test]
fn younger_operations_of_one_order_may_be_outstanding() {
    let loads =
        "global_load_dword v0, v9, s[0:1]; global_load_dword v1, v9, s[0:1]; global_load_dword v2, v9, s[0:1]; ";
    expect("gfx942", &format!("{loads} v_mov_b32 v5, v0; s_endpgm"), &["at 24: vmcnt(2) for 0, Vgpr(0) Read"]);
    expect("gfx942", &format!("{loads} s_waitcnt vmcnt(1); v_mov_b32 v5, v1; s_endpgm"), &[]);
    expect(
        "gfx942",
        &format!("{loads} s_waitcnt vmcnt(1); v_mov_b32 v5, v2; s_endpgm"),
        &["at 28: vmcnt(0) for 16, Vgpr(2) Read"],
    );
    // LDS operations are in order with each other, whatever scalar memory does.
    let reads = "ds_read_b32 v0, v9; ds_read_b32 v1, v9; s_load_dword s0, s[2:3], 0x0; ";
    expect("gfx942", &format!("{reads} v_mov_b32 v5, v0; s_endpgm"), &["at 24: lgkmcnt(1) for 0, Vgpr(0) Read"]);
}

#[test]
fn scalar_loads_return_out_of_order() {
    let loads = "s_load_dword s4, s[0:1], 0x0; s_load_dword s5, s[0:1], 0x4; ";
    expect(
        "gfx942",
        &format!("{loads} s_waitcnt lgkmcnt(1); s_mov_b32 s6, s4; s_endpgm"),
        &["at 20: lgkmcnt(0) for 0, Sgpr(4) Read"],
    );
    expect("gfx942", &format!("{loads} s_waitcnt lgkmcnt(0); s_mov_b32 s6, s4; s_endpgm"), &[]);
    // The later load can also write first, and is then overwritten.
    expect(
        "gfx942",
        "s_load_dword s4, s[0:1], 0x0; s_load_dword s4, s[0:1], 0x4; s_endpgm",
        &["at 8: lgkmcnt(0) for 0, Sgpr(4) Overwrite"],
    );
}

#[test]
fn stores_that_nobody_waits_for_count() {
    let both = "global_load_dword v0, v9, s[0:1]; global_store_dword v9, v3, s[0:1]; ";
    // On CDNA3, loads and stores share a counter, so it also counts the store, which is younger than the load.
    expect("gfx942", &format!("{both} s_waitcnt vmcnt(1); v_mov_b32 v5, v0; s_endpgm"), &[]);
    // On RDNA3, stores have a counter of their own, so the load is the only operation of its counter.
    let both = "global_load_b32 v0, v9, s[0:1]; global_store_b32 v9, v3, s[0:1]; ";
    expect(
        "gfx1100",
        &format!("{both} s_waitcnt vmcnt(1); v_mov_b32 v5, v0; s_endpgm"),
        &["at 20: vmcnt(0) for 0, Vgpr(0) Read"],
    );
    // No wait is needed for stores: neither for the stored data, nor at the end.
    expect("gfx942", "global_store_dword v9, v3, s[0:1]; v_mov_b32 v3, 0; s_endpgm", &[]);
    expect("gfx1200", "global_store_b32 v9, v3, s[0:1]; v_mov_b32 v3, 0; s_endpgm", &[]);
    // On GCN 1.0, stores read their data only some time after they are issued.
    expect(
        "gfx600",
        "buffer_store_dword v3, off, s[0:3], 0; v_mov_b32 v3, 0; s_endpgm",
        &["at 8: expcnt(0) for 0, Vgpr(3) Source"],
    );
    expect("gfx600", "buffer_store_dword v3, off, s[0:3], 0; s_waitcnt expcnt(0); v_mov_b32 v3, 0; s_endpgm", &[]);
}

#[test]
fn a_full_counter_proves_that_older_operations_are_done() {
    // 63 and 15 are the greatest values: one more operation is issued only when the first one is done.
    let loads = |count: usize| {
        let younger = "global_load_dword v1, v9, s[0:1]; ".repeat(count);
        format!("global_load_dword v0, v9, s[0:1]; {younger} v_mov_b32 v5, v0; s_endpgm")
    };
    expect("gfx942", &loads(62), &["at 504: vmcnt(62) for 0, Vgpr(0) Read"]);
    expect("gfx942", &loads(63), &[]);
    let reads = |count: usize| {
        let younger = "ds_read_b32 v1, v9; ".repeat(count);
        format!("ds_read_b32 v0, v9; {younger} v_mov_b32 v5, v0; s_endpgm")
    };
    expect("gfx942", &reads(14), &["at 120: lgkmcnt(14) for 0, Vgpr(0) Read"]);
    expect("gfx942", &reads(15), &[]);
    expect("gfx1030", &reads(62), &["at 504: lgkmcnt(62) for 0, Vgpr(0) Read"]);
    expect("gfx1030", &reads(63), &[]);
    // A full counter of scalar loads does not show which of them are done.
    let scalar = format!("s_load_dword s4, s[0:1], 0x0; {} s_mov_b32 s6, s4; s_endpgm", "s_dcache_inv; ".repeat(40));
    expect("gfx942", &scalar, &["at 328: lgkmcnt(0) for 0, Sgpr(4) Read"]);
    if let Some(target) = target("gfx942") {
        let mut pending = Pending::new(target);
        let load = parse(target, "global_load_dword v1, v9, s[0:1]").unwrap();
        (0..100).for_each(|_| pending.issue(&load, 0));
        assert_eq!((pending.most(Counter::Vmcnt), pending.most(Counter::Expcnt)), (63, 0));
    }
}

#[test]
fn writes_of_one_kind_are_in_order() {
    expect("gfx942", "global_load_dword v0, v9, s[0:1]; global_load_dword v0, v9, s[0:1] offset:4; s_endpgm", &[]);
    // Loads with a sampler and loads without one are not in order.
    let other = "image_sample v0, v[1:2], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D; global_load_b32 v0, v9, s[0:1]; s_endpgm";
    expect("gfx1100", other, &["at 8: vmcnt(0) for 0, Vgpr(0) Overwrite"]);
    // RDNA4 does not promise that loads write in order.
    let loads = "global_load_b32 v0, v9, s[0:1]; global_load_b32 v0, v9, s[0:1] offset:4; s_endpgm";
    expect("gfx1200", loads, &["at 12: loadcnt(0) for 0, Vgpr(0) Overwrite"]);
    expect("gfx1100", loads, &[]);
    // A load of one half of a register keeps the other half, which an older load writes first.
    expect(
        "gfx942",
        "global_load_short_d16 v0, v9, s[0:1]; global_load_short_d16_hi v0, v9, s[0:1] offset:2; s_endpgm",
        &[],
    );
    // Any other operation that keeps a half of a register reads it.
    expect(
        "gfx942",
        "global_load_short_d16 v0, v9, s[0:1]; v_cvt_f16_f32_sdwa v0, v1 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD; s_endpgm",
        &["at 8: vmcnt(0) for 0, Vgpr(0) Read"],
    );
}

/// RDNA3.5 may do a sample of one point as a load, without the order of samples.
#[test]
fn samples_of_one_point_write_in_any_order() {
    let sample = "image_sample v0, v[8:9], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D; ";
    let gather = "image_gather4 v[0:3], v[8:9], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D; ";
    expect("gfx1100", &format!("{sample} {sample} {gather} {gather} s_endpgm"), &[]);
    expect("gfx1150", &format!("{gather} {gather} s_endpgm"), &[]);
    for [one, other] in [[sample, sample], [sample, gather], [gather, sample]] {
        expect("gfx1150", &format!("{one} {other} s_endpgm"), &["at 8: vmcnt(0) for 0, Vgpr(0) Overwrite"]);
    }
}

#[test]
fn exports_read_their_registers_late() {
    expect(
        "gfx1100",
        "exp mrt0 v0, v1, v2, v3 done; v_mov_b32 v2, 0; s_endpgm",
        &["at 8: expcnt(0) for 0, Vgpr(2) Source"],
    );
    expect("gfx1100", "exp mrt0 v0, v1, v2, v3 done; v_mov_b32 v4, v2; s_endpgm", &[]);
    // Exports to positions and parameters do not wait for each other.
    let both = "exp pos0 v0, v0, v0, v0; exp param0 v1, v1, v1, v1; ";
    expect("gfx1030", &format!("{both} v_mov_b32 v0, 0; s_endpgm"), &["at 16: expcnt(0) for 0, Vgpr(0) Source"]);
}

#[test]
fn interpolation_waits_itself() {
    let text = "lds_param_load v4, attr0.x wait_vdst:15; v_interp_p10_f32 v2, v4, v0, v4 wait_exp:N; s_endpgm";
    expect("gfx1100", &text.replace('N', "0"), &[]);
    expect("gfx1100", &text.replace('N', "1"), &["at 4: expcnt(0) for 0, Vgpr(4) Read"]);
}

/// On a target with more than 256 vector registers, the upper bits of their numbers are followed until paths with
/// different bits meet.
#[test]
fn upper_bits_of_registers_are_followed() {
    let text = "global_load_b32 v0, v9, s[0:1]; v_mov_b32 v2, v0; s_endpgm";
    expect("gfx1250", text, &["at 12: loadcnt(0) for 0, Vgpr(0) Read"]);
    // The load writes v0, and the move reads v256.
    expect("gfx1250", &format!("s_set_vgpr_msb 0x1; {text}"), &[]);
    let both = format!("s_set_vgpr_msb 0x41; {text}");
    expect("gfx1250", &both, &["at 16: loadcnt(0) for 4, Vgpr(256) Read"]);
    let some = "s_cbranch_scc0 L; s_set_vgpr_msb 0x41; L:; global_load_b32 v0, v9, s[0:1]; v_mov_b32 v2, v0; s_endpgm";
    expect("gfx1250", some, &["at 20: loadcnt(0) for 8, Vgpr(0) Read, perhaps"]);
    // Scalar registers have no banks.
    let text = "s_set_vgpr_msb 0x1; s_load_b32 s4, s[0:1], 0x0; s_mov_b32 s5, s4; s_endpgm";
    expect("gfx1250", text, &["at 12: kmcnt(0) for 4, Sgpr(4) Read"]);
}

/// A wait that is not sure does not count, and the value of a counter is unknown if no instruction determines it.
#[test]
fn what_is_not_sure_stays() {
    let Some(target) = target("gfx1250") else { return };
    let pending = |text: &str| {
        let code = assemble(target, text);
        let mut pending = Pending::new(target);
        insts(target, &code, 0).iter().for_each(|(at, inst)| pending.issue(inst, *at as u32));
        pending
    };
    let load = "global_load_b32 v0, v9, s[0:1]; global_load_b32 v1, v9, s[0:1]";
    let read = pending(&format!("s_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE), 0; {load}; v_mov_b32 v2, v0"));
    assert_eq!((read.most(Counter::Loadcnt), read.is_banked()), (2, true));
    let read = pending(&format!("{load}; v_mov_b32 v2, v0"));
    assert_eq!((read.most(Counter::Loadcnt), read.is_banked()), (1, false));
    assert_eq!((read.follows(Counter::Xcnt), read.most(Counter::Xcnt)), (false, 63));
    let load = [0xd071_0001, 0x7c00_0000, 0x100c_0414]; // tensor_load_to_lds s[20:23], s[4:11], s[12:15], s[16:19]
    let mut tensor = Pending::new(target);
    tensor.issue(&amdgpu_isa::decode_words(target, &load).unwrap(), 0);
    assert_eq!((tensor.follows(Counter::Tensorcnt), tensor.most(Counter::Tensorcnt)), (true, 1));
    assert_eq!(tensor.most(Counter::Loadcnt), 0);
}

#[test]
fn waits_in_loops() {
    // The load of one iteration is read in the next one.
    let wrong =
        "L: v_mov_b32 v2, v0; global_load_dword v0, v9, s[0:1]; s_cbranch_scc1 L; s_endpgm".replace("L: ", "L:;");
    expect("gfx942", &wrong, &["at 0: vmcnt(0) for 4, Vgpr(0) Read"]);
    let right = wrong.replace("L:;", "L:; s_waitcnt vmcnt(0);");
    expect("gfx942", &right, &[]);
    // Of two loads in flight, the older one is waited for.
    let two = "global_load_dword v0, v9, s[0:1]; L:; global_load_dword v1, v9, s[0:1]; s_waitcnt vmcnt(1); v_mov_b32 v2, v0; \
               global_load_dword v0, v9, s[0:1]; s_waitcnt vmcnt(1); v_mov_b32 v3, v1; s_cbranch_scc1 L; s_endpgm";
    expect("gfx942", two, &[]);
    expect("gfx942", &two.replacen("vmcnt(1)", "vmcnt(2)", 1), &["at 20: vmcnt(1) for 0, Vgpr(0) Read"]);
}

#[test]
fn waits_after_joins() {
    // One path has a younger load, the other one has none.
    let text = "global_load_dword v0, v9, s[0:1]; s_cbranch_scc1 L; global_load_dword v1, v9, s[0:1]; L:; s_waitcnt vmcnt(N); v_mov_b32 v2, v0; s_endpgm";
    expect("gfx942", &text.replace('N', "1"), &["at 24: vmcnt(0) for 0, Vgpr(0) Read"]);
    expect("gfx942", &text.replace('N', "0"), &[]);
    // Both paths write the same register, one of them with a load.
    let text = "s_cbranch_scc1 L; s_load_dword s4, s[0:1], 0x0; s_branch M; L:; s_mov_b32 s4, 0; M:; s_mov_b32 s5, s4; s_endpgm";
    expect("gfx942", text, &["at 20: lgkmcnt(0) for 4, Sgpr(4) Read"]);
    // Only one path waits.
    let text = "ds_read_b32 v0, v9; s_cbranch_scc1 L; s_waitcnt lgkmcnt(0); L:; v_mov_b32 v1, v0; s_endpgm";
    expect("gfx942", text, &["at 16: lgkmcnt(0) for 0, Vgpr(0) Read"]);
}

#[test]
fn everything_that_waits_is_known() {
    let waits = |name: &str, text: &str| target(name).map(|target| parse(target, text).unwrap().waits());
    let is = |name: &str, text: &str, wanted: Waitcnt| {
        assert!(waits(name, text).is_none_or(|waits| waits == wanted), "{text}")
    };
    let none = Waitcnt::new();
    is("gfx1030", "s_waitcnt_vscnt null, 0x3", none.with(Counter::Vscnt, 3));
    // The count is in a register, so it is not known.
    is("gfx1030", "s_waitcnt_vscnt s4, 0x3", none);
    is(
        "gfx1100",
        "s_wait_idle",
        [Counter::Vmcnt, Counter::Expcnt, Counter::Lgkmcnt, Counter::Vscnt]
            .into_iter()
            .fold(none, |all, c| all.with(c, 0)),
    );
    is("gfx1200", "s_wait_loadcnt_dscnt 0x203", none.with(Counter::Loadcnt, 2).with(Counter::Dscnt, 3));
    is("gfx1200", "s_wait_storecnt_dscnt 0x203", none.with(Counter::Storecnt, 2).with(Counter::Dscnt, 3));
    is("gfx1200", "s_wait_bvhcnt 0x7", none.with(Counter::Bvhcnt, 7));
    is("gfx1200", "s_wait_kmcnt 0x1f", none.with(Counter::Kmcnt, 31));
    is("gfx1200", "s_nop 0", none);
    // Every operation whose name begins with `s_wait` waits for counters, except for those that are named here.
    let others = ["s_waitcnt_depctr", "s_wait_event"];
    for &target in Target::ALL {
        for &opcode in amdgpu_isa::Opcode::ALL.iter().filter(|opcode| opcode.encodings(target).next().is_some()) {
            let word = amdgpu_isa::Opcode::encodings(opcode, target).next().unwrap();
            if !opcode.name().starts_with("s_wait") || others.contains(&opcode.name()) {
                continue;
            }
            let text = match opcode.name() {
                "s_wait_idle" => "s_wait_idle".to_string(),
                name if format!("{:?}", word.format) == "Sopk" => format!("{name} null, 0x0"),
                name => format!("{name} 0x0"),
            };
            let inst = parse(target, &text).unwrap_or_else(|error| panic!("{target}: {text}: {error}"));
            assert!(inst.flags().is_wait() && !inst.waits().counters().is_empty(), "{target}: {text}");
        }
    }
}

#[test]
fn states_are_small_and_comparable() {
    assert!(size_of::<Pending>() <= 2048, "{}", size_of::<Pending>());
    let Some(target) = target("gfx942") else { return };
    let inst = |text: &str| parse(target, text).unwrap();
    let (a, b) = (inst("global_load_dword v0, v9, s[0:1]"), inst("ds_read_b32 v1, v9"));
    let mut one = Pending::new(target);
    one.issue(&a, 0);
    let mut other = Pending::new(target);
    other.issue(&b, 8);
    let mut both = one;
    assert!(both.join(&other) && !both.join(&one) && !both.join(&other) && !both.join(&{ both }));
    let mut other_way = other;
    assert!(other_way.join(&one));
    assert_eq!(both, other_way);
    // After the wait, the state is the initial one.
    both.issue(&inst("s_waitcnt vmcnt(0) lgkmcnt(0)"), 12);
    assert_eq!(both, Pending::new(target));
}

/// If more operations are outstanding than the state has room for, the state is incomplete, and reports no wait that is
/// not needed.
#[test]
fn too_much_is_said() {
    let Some(target) = target("gfx942") else { return };
    let mut pending = Pending::new(target);
    for n in (0..100).step_by(2) {
        pending.issue(&parse(target, &format!("s_load_dword s{n}, s[100:101], 0x0")).unwrap(), n);
    }
    assert!(!pending.is_incomplete());
    for n in 0..63 {
        pending.issue(&parse(target, &format!("global_load_dword v{}, v255, s[100:101]", n * 2)).unwrap(), n);
    }
    assert!(pending.is_incomplete());
    assert!(pending.needs(&parse(target, "v_mov_b32 v1, v3").unwrap()).is_empty());
}

/// Compilers insert all waits: no wait is certain to be missing in the kernels of the samples.
#[test]
fn samples_have_no_missing_wait() {
    let (mut kernels, mut wrong) = (0, Vec::new());
    for sample in samples().iter().filter_map(|path| sample(path)) {
        let missing = missing(sample.target, &sample.code, sample.address, &sample.kernels);
        let sure = missing.iter().filter(|(_, wait)| wait.is_sure());
        wrong.extend(sure.map(|(address, wait)| format!("{} at {address:#x}: {wait:?}", sample.name)));
        kernels += sample.kernels.len();
    }
    assert!(wrong.is_empty(), "{} of {kernels} kernels: {wrong:#?}", wrong.len());
    assert!(kernels > 0);
    println!("{kernels} kernels");
}

/// Each wait of the samples is removed, counter by counter, or made weaker by one. Then a wait is missing, or there is
/// a reason why none is missing.
#[test]
fn waits_that_are_taken_away_are_missed() {
    let mut seen = Seen::default();
    let mut unexplained = Vec::new();
    for sample in own_samples().iter().filter_map(|path| sample(path)) {
        let target = sample.target;
        let flow = Flow::new(target, &sample.code, sample.address, &sample.kernels);
        let mut sites = Vec::new();
        flow.follow(
            |_| Pending::new(target),
            |block, before| {
                let mut pending = *before;
                for (address, inst) in flow.insts(block) {
                    let wait = inst.waits();
                    sites.extend(wait.counters().iter().map(|counter| {
                        let at_most = wait.get(counter).unwrap();
                        (address, inst, counter, at_most, pending)
                    }));
                    pending.issue(&inst, flow.offset_of(address));
                }
            },
        );
        // If only one of its two waits is there, a flat operation is not certain to be done.
        let weight = |code: &[u8]| -> usize {
            let missing = missing(target, code, sample.address, &sample.kernels);
            missing.iter().map(|(_, wait)| 1 + usize::from(wait.is_sure())).sum()
        };
        let said = weight(&sample.code);
        for (address, inst, counter, at_most, before) in sites {
            // The wait has no effect.
            if before.most(counter) <= at_most {
                seen.nothing += 1;
                continue;
            }
            let is_missed = |weaker: &[u32]| {
                let mut code = sample.code.clone();
                for (bytes, word) in code[(address - sample.address) as usize..].chunks_mut(4).zip(weaker) {
                    bytes.copy_from_slice(&word.to_le_bytes());
                }
                weight(&code) > said
            };
            let next = insts(target, &sample.code[(address - sample.address) as usize..], address);
            // The wait orders memory accesses if a barrier, an atomic operation or an operation with side effects comes
            // next.
            let orders =
                next.iter().skip(1).map(|(_, inst)| inst).find(|inst| !inst.flags().is_wait()).is_some_and(|inst| {
                    let flags = inst.flags();
                    flags.is_wave_barrier() || flags.is_atomic() || flags.has_side_effects()
                });
            let wait = |change: &dyn Fn(Waitcnt) -> Waitcnt| encode(&inst, change(inst.waits()));
            if is_missed(&wait(&|all| all.without(counter))) {
                seen.missed += 1;
            } else if !before.holds_registers(counter) {
                seen.memory += 1;
                continue;
            } else if orders {
                seen.order += 1;
                continue;
            } else if before.is_banked() {
                seen.banked += 1;
                continue;
            } else {
                unexplained.push(format!("{} at {address:#x}: {inst} without {counter}", sample.name));
            }
            if is_missed(&wait(&|all| all.with(counter, at_most + 1))) {
                seen.weaker += 1;
            } else if orders || before.most(counter) == at_most + 1 {
                seen.order += 1;
            } else {
                unexplained.push(format!("{} at {address:#x}: {inst} weaker, {}", sample.name, before.most(counter)));
            }
        }
    }
    assert!(unexplained.is_empty(), "{seen:?}: {unexplained:#?}");
    println!("{seen:?}");
    assert!(seen.missed > 0 && seen.weaker > 0 && seen.memory > 0 && seen.order > 0, "{seen:?}");
}

/// The results of removing waits.
#[derive(Debug, Default)]
struct Seen {
    /// The number of waits without effect.
    nothing: usize,
    /// The number of removed waits after which a wait is missing.
    missed: usize,
    /// The number of waits that were made weaker by one operation, after which a wait is missing.
    weaker: usize,
    /// The number of waits for operations that hold no registers.
    memory: usize,
    /// The number of waits before a barrier, an atomic operation or an operation with side effects, and of weaker waits
    /// for a number that the counter never exceeds.
    order: usize,
    /// The number of waits where the upper bits of some registers' numbers are unknown.
    banked: usize,
}

/// The words of an instruction that waits, with the counts of `wait`.
fn encode(inst: &amdgpu_isa::Inst, wait: Waitcnt) -> Vec<u32> {
    let high = inst.words()[0] & 0xffff_0000;
    if let Some(amdgpu_isa::imm::Imm::Waitcnt(_)) = inst.imm() {
        return vec![high | u32::from(wait.encode(inst.target()).unwrap())];
    }
    // The instruction has one counter in the lowest bits, and perhaps another one above.
    let counters = inst.waits().counters();
    let at = |counter: Counter| if counter == Counter::Dscnt || counters.iter().count() == 1 { 0 } else { 8 };
    let count = |counter: Counter| u32::from(wait.get(counter).unwrap_or(0x3f));
    vec![counters.iter().fold(high, |word, counter| word | count(counter) << at(counter))]
}

/// If paths with different upper bits of register numbers meet, a register can be in any bank: a missing wait for it is
/// reported, but not as sure.
#[test]
fn registers_of_unknown_banks_are_any_of_them() {
    let Ok(target) = "gfx1250".parse::<Target>() else { return };
    let inst = |text: &str| parse(target, text).unwrap();
    let after = |texts: &[&str]| {
        let mut pending = Pending::unbounded(target);
        texts.iter().for_each(|text| pending.issue(&inst(text), 0));
        pending
    };
    let load = "global_load_b32 v4, v6, s[0:1]";
    let needed = |pending: &Pending<_>| {
        let waits = pending.needs(&inst("v_mov_b32 v9, v4"));
        waits.iter().map(|wait| (wait.at_most, wait.is_sure())).collect::<Vec<_>>()
    };
    // v260 is loaded on one path, and v4 or v260 is read after it.
    let mut loaded_before = after(&["s_set_vgpr_msb 0x41", load]);
    assert!(loaded_before.join(&after(&[])));
    assert_eq!(needed(&loaded_before), [(0, false)]);
    // v4 or v260 is loaded, and v516 is read.
    let mut loaded_behind = after(&["s_set_vgpr_msb 0x41"]);
    assert!(loaded_behind.join(&after(&[])));
    [load, "s_set_vgpr_msb 2"].iter().for_each(|text| loaded_behind.issue(&inst(text), 0));
    assert_eq!(needed(&loaded_behind), [(0, false)]);
    // v4 is loaded on a path where its bank is known, and v4, v260, v516 or v772 on the other: v516 is read.
    let mut loaded_on_both = after(&[load, "s_set_vgpr_msb 2"]);
    assert!(loaded_on_both.join(&loaded_behind));
    assert_eq!(needed(&loaded_on_both), [(0, false)]);
    // If the banks are known, v4 and v260 are different registers.
    assert_eq!(needed(&after(&["s_set_vgpr_msb 0x41", load, "s_set_vgpr_msb 0"])), []);
    assert_eq!(needed(&after(&["s_set_vgpr_msb 0x41", load])), [(0, true)]);
}
