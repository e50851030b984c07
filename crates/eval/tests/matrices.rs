//! Matrix products, compared with a plain product of three loops. The places of elements are written here a second
//! time, as the tables of AMD's manuals have them.

mod elements;
mod scaled;
mod sparse;

use amdgpu_eval::{EvalError, Wave};
use amdgpu_isa::{Field, Reg};

use elements::*;

#[test]
fn the_factors_of_xf32_are_rounded() {
    let one = |text: &str, a: u32| {
        let mut wave = Wave::default();
        wave.write(Reg::Vgpr(A), 0, 0, a);
        wave.write(Reg::Vgpr(B), 0, 0, 1.0f32.to_bits());
        run("gfx942", text, &mut wave).unwrap();
        wave.read(Reg::Vgpr(D), 0, 0).unwrap()
    };
    let text = "v_mfma_f32_16x16x8_xf32 v[0:3], v[32:33], v[64:65], 0";
    assert_eq!(one(text, 0x3f80_0fff), 0x3f80_0000);
    // A value halfway between two numbers is rounded to the even one: down, then up.
    assert_eq!(one(text, 0x3f80_1000), 0x3f80_0000);
    assert_eq!(one(text, 0x3f80_3000), 0x3f80_4000);
    assert_eq!(one(text, 0xbf80_1001), 0xbf80_2000);
    assert_eq!(one(text, 0x7f7f_ffff), 0x7f80_0000);
    assert_eq!(one("v_mfma_f32_32x32x4_xf32 v[0:15], v[32:33], v[64:65], 0", 0x3fff_ffff), 0x4000_0000);
}

#[test]
fn other_blocks_and_lanes_can_be_the_factors_of_mfma() {
    // Two blocks of 32 x 1 and 1 x 32: lane l has A[l / 32][l % 32] and B[l / 32][l % 32].
    let product = |modifiers: &str| {
        let (mut numbers, mut wave) = (Numbers(5), Wave::default());
        let (a, b): (Vec<i32>, Vec<i32>) = (0..64).map(|_| (numbers.small(), numbers.small())).unzip();
        for lane in 0..64 {
            put(&mut wave, A, (lane, 0), F32, a[lane]);
            put(&mut wave, B, (lane, 0), F32, b[lane]);
        }
        run("gfx942", &format!("v_mfma_f32_32x32x1_2b_f32 v[0:31], v32, v64, 0{modifiers}"), &mut wave)?;
        let result = move |block: usize, row: usize, column: usize| {
            let (lane, item) = d32(row, column);
            get(&wave, D, (lane, block * 16 + item), F32)
        };
        Ok::<_, EvalError>((a, b, result))
    };
    let check = |modifiers: &str, of_a: fn(usize) -> usize, of_b: fn(usize) -> usize| {
        let (a, b, result) = product(modifiers).unwrap();
        for n in 0..2048 {
            let (block, row, column) = (n / 1024, n / 32 % 32, n % 32);
            let wanted = a[of_a(block * 32 + row)] * b[of_b(block * 32 + column)];
            let found = f32::from_bits(result(block, row, column) as u32);
            assert_eq!(found, wanted as f32, "{modifiers}: block {block}, row {row}, column {column}");
        }
    };
    check("", |l| l, |l| l);
    check(" cbsz:1", |l| l % 32, |l| l);
    check(" cbsz:1 abid:1", |l| l % 32 + 32, |l| l);
    check(" blgp:1", |l| l, |l| l % 32);
    check(" blgp:2", |l| l, |l| l % 32 + 32);
    check(" blgp:3", |l| l, |l| if l < 48 { l + 16 } else { l - 48 });
    check(" cbsz:1 abid:1 blgp:4", |l| l % 32 + 32, |l| l % 16);
    check(" blgp:6", |l| l, |l| l % 16 + 32);
    // Without `cbsz`, `abid` has no effect.
    check(" abid:3 blgp:5", |l| l, |l| l % 16 + 16);
    let refused = |modifiers| product(modifiers).map(|_| ()).unwrap_err();
    assert_eq!(refused(" cbsz:5"), EvalError::Modifier(Field::Cbsz));
    assert_eq!(refused(" cbsz:1 abid:2"), EvalError::Modifier(Field::Abid));
    assert_eq!(refused(" blgp:7"), EvalError::Modifier(Field::Blgp));
}

#[test]
fn one_block_of_four_lanes_can_be_all() {
    let mut wave = Wave::default();
    for lane in 0..64 {
        put(&mut wave, A, (lane, 0), F32, lane as i32);
        put(&mut wave, B, (lane, 0), F32, 1);
    }
    run("gfx942", "v_mfma_f32_4x4x1_16b_f32 v[0:3], v32, v64, 0 cbsz:4 abid:7", &mut wave).unwrap();
    for lane in 0..64 {
        let values = [0, 1, 2, 3].map(|row| f32::from_bits(get(&wave, D, (lane, row), F32) as u32));
        assert_eq!(values, [28.0, 29.0, 30.0, 31.0], "lane {lane}");
    }
}

#[test]
fn signs_of_doubles_change_in_all_lanes() {
    let text = "v_mfma_f64_4x4x4_4b_f64 v[0:1], v[32:33], v[64:65], v[96:97]";
    let of = |target: &str, modifiers: &str| {
        let mut wave = Wave::default();
        for (lane, (first, n)) in (0..64).flat_map(|lane| [(A, 2), (B, 3), (C, 5)].map(|one| (lane, one))) {
            put(&mut wave, first, (lane, 0), F64, n);
        }
        run(target, &format!("{text}{modifiers}"), &mut wave).map(|()| f64::from_bits(get(&wave, D, (9, 0), F64)))
    };
    assert_eq!(of("gfx942", ""), Ok(29.0));
    assert_eq!(of("gfx942", " neg:[1,0,0]"), Ok(-19.0));
    assert_eq!(of("gfx950", " neg:[0,1,1]"), Ok(-29.0));
}

#[test]
fn the_mode_rounds_no_product_of_matrices() {
    let mut wave = Wave::default();
    wave.mode.set("round", "up").unwrap();
    // The exact result is 1.0 plus less than half a unit of its last place.
    put(&mut wave, A, (0, 0), F16, 1);
    put(&mut wave, B, (0, 0), F16, 1);
    put_bits(&mut wave, C, 0, 0, 32, 1);
    run("gfx942", "v_mfma_f32_16x16x16_f16 v[0:3], v[32:33], v[64:65], v[96:99]", &mut wave).unwrap();
    assert_eq!(f32::from_bits(wave.read(Reg::Vgpr(D), 0, 0).unwrap()), 1.0);
    let mut wave = Wave::default();
    wave.mode.set("denorm", "flush").unwrap();
    put_bits(&mut wave, A, 0, 0, 16, 1);
    put(&mut wave, B, (0, 0), F16, 1);
    run("gfx942", "v_mfma_f32_16x16x16_f16 v[0:3], v[32:33], v[64:65], 0", &mut wave).unwrap();
    assert_eq!(f32::from_bits(wave.read(Reg::Vgpr(D), 0, 0).unwrap()), 2.0f32.powi(-24));
}

/// RDNA4: a product of 16 rows. A and B have the same places of elements, so their order does not matter.
#[test]
fn results_of_rdna4_are_in_other_lanes_in_a_wave_of_64() {
    let (mut numbers, mut wave) = (Numbers(11), Wave::default());
    let (mut a, mut b) = ([[0; 16]; 16], [[0; 16]; 16]);
    for (row, k) in pairs(16) {
        (a[row][k], b[row][k]) = (numbers.small(), numbers.small());
        // Elements are in lanes 0 to 31 only.
        put(&mut wave, A, (k / 8 * 16 + row, k % 8), I4, a[row][k]);
        put(&mut wave, B, (k / 8 * 16 + row, k % 8), I4, b[row][k]);
    }
    let text = "v_wmma_i32_16x16x16_iu4 v[0:3], v32, v64, 0 neg_lo:[1,1,0]";
    run("gfx1200:wave64", text, &mut wave).unwrap();
    for (row, column) in pairs(16) {
        let wanted: i32 = (0..16).map(|k| a[row][k] * b[column][k]).sum();
        assert_eq!(get(&wave, D, d_of_64(row, column), I32), u64::from(wanted as u32), "row {row}, column {column}");
    }
}

#[test]
fn what_is_added_to_a_product_is_a_whole() {
    // `neg_lo` and `neg_hi` apply to all elements of C: together, they give the negated absolute value.
    let mut wave = Wave::default();
    for item in 0..8 {
        put(&mut wave, C, (0, item), F32, if item < 4 { 2 } else { -2 });
    }
    let text = "v_wmma_f32_16x16x16_f16 v[0:7], v[32:35], v[64:67], v[96:103] neg_lo:[0,0,1] neg_hi:[0,0,1]";
    run("gfx1200", text, &mut wave).unwrap();
    for item in 0..8 {
        assert_eq!(f32::from_bits(get(&wave, D, (0, item), F32) as u32), -2.0);
    }
}
