//! Products of matrices with scales.

use amdgpu_eval::Wave;
use amdgpu_isa::Reg;

use super::elements::*;

/// A scaled product of 16 or 32 rows and columns.
struct Scaled<'a> {
    target: &'a str,
    text: &'a str,
    /// The numbers of rows, of columns, of elements of each row or column, and of elements that share a scale.
    sizes: [usize; 4],
    factors: [Kind; 2],
    a: fn(usize, usize) -> Place,
    b: fn(usize, usize) -> Place,
    d: fn(usize, usize) -> Place,
    /// The places of the scales of A and B, as bytes, by row or column and block.
    scales: [fn(usize, usize) -> Place; 2],
    /// Three codes of the scales of A and B, with their values.
    codes: [[(u64, f64); 3]; 2],
}

const E8: [(u64, f64); 3] = [(127, 1.0), (129, 4.0), (126, 0.5)];
const E5M3: [(u64, f64); 3] = [(0x78, 1.0), (0x7c, 1.5), (0x82, 2.5)];
const E4M3: [(u64, f64); 3] = [(0x38, 1.0), (0x3c, 1.5), (0x42, 2.5)];

impl Scaled<'_> {
    fn check(&self) {
        let [rows, columns, count, block] = self.sizes;
        let (mut numbers, mut wave) = (Numbers(3), Wave::default());
        let mut matrix = |n: usize, rows: usize, place: fn(usize, usize) -> Place, wave: &mut Wave| {
            let mut all = vec![vec![0.0; count]; rows];
            let mut scales = vec![vec![0.0; count / block]; rows];
            for (row, k) in (0..rows * count).map(|n| (n / count, n % count)) {
                let value = numbers.small();
                put(wave, [A, B][n], place(row, k), self.factors[n], value);
                all[row][k] = f64::from(value);
            }
            for (row, at) in (0..rows * (count / block)).map(|n| (n / (count / block), n % (count / block))) {
                let (code, value) = self.codes[n][numbers.next(3) as usize];
                let (lane, byte) = self.scales[n](row, at);
                put_bits(wave, SCALES[n], lane, byte * 8, 8, code);
                scales[row][at] = value;
            }
            (all, scales)
        };
        let (a, a_scales) = matrix(0, rows, self.a, &mut wave);
        let (b, b_scales) = matrix(1, columns, self.b, &mut wave);
        for (row, column) in (0..rows * columns).map(|n| (n / columns, n % columns)) {
            put(&mut wave, C, (self.d)(row, column), F32, row as i32);
        }
        run(self.target, self.text, &mut wave).unwrap_or_else(|error| panic!("{}: {error}", self.text));
        for (row, column) in (0..rows * columns).map(|n| (n / columns, n % columns)) {
            let term = |k: usize| a[row][k] * a_scales[row][k / block] * b[column][k] * b_scales[column][k / block];
            let wanted = (0..count).map(term).sum::<f64>() + row as f64;
            let found = f32::from_bits(get(&wave, D, (self.d)(row, column), F32) as u32);
            assert_eq!(f64::from(found), wanted, "{} {}: row {row}, column {column}", self.target, self.text);
        }
    }
}

#[test]
fn scaled_matrices_of_cdna4_have_a_scale_for_each_32_elements() {
    let place = |row: usize, k: usize| (k / 32 * 16 + row, k % 32);
    let text = "v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[32:39], v[64:71], v[96:99], v128, v130 op_sel:[1,0,0] \
        op_sel_hi:[0,1,0]";
    let mut scaled = Scaled {
        target: "gfx950",
        text,
        sizes: [16, 16, 128, 32],
        factors: [FP8, FP8],
        a: place,
        b: place,
        d: d16,
        scales: [|row, at| (at * 16 + row, 1), |row, at| (at * 16 + row, 2)],
        codes: [E8, E8],
    };
    scaled.check();
    let text = "v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[32:37], v[64:67], v[96:99], v128, v130 op_sel:[1,0,0] \
        op_sel_hi:[0,1,0] cbsz:2 blgp:4";
    (scaled.text, scaled.factors) = (text, [FP6, FP4]);
    scaled.check();
    let place = |row: usize, k: usize| (k / 32 * 32 + row, k % 32);
    Scaled {
        target: "gfx950",
        text: "v_mfma_scale_f32_32x32x64_f8f6f4 v[0:15], v[32:35], v[64:69], v[96:111], v128, v130 \
            op_sel_hi:[0,0,0] cbsz:4 blgp:2",
        sizes: [32, 32, 64, 32],
        factors: [FP4, FP6],
        a: place,
        b: place,
        d: d32,
        scales: [|row, at| (at * 32 + row, 0), |row, at| (at * 32 + row, 0)],
        codes: [E8, E8],
    }
    .check();
}

/// The places of elements of 8 bits, and of 4 and 6 bits (CDNA5 ISA, 7.12.6.1).
fn bytes(row: usize, k: usize) -> Place {
    (k / 16 % 2 * 16 + row, k / 32 * 16 + k % 16)
}

fn smaller(row: usize, k: usize) -> Place {
    (k / 32 % 2 * 16 + row, k / 64 * 32 + k % 32)
}

/// The places in a factor of 32 rows: a second matrix of 16 rows follows the first one.
fn of_32_rows(row: usize, k: usize) -> Place {
    let (lane, item) = smaller(row % 16, k);
    (lane, row / 16 * 64 + item)
}

fn d_of_32_rows(row: usize, column: usize) -> Place {
    let (lane, item) = d_of_32(row % 16, column);
    (lane, row / 16 * 8 + item)
}

#[test]
fn scaled_matrices_of_cdna5_have_scales_of_several_formats() {
    let mut scaled = Scaled {
        target: "gfx1250",
        text: "v_wmma_scale_f32_16x16x128_f8f6f4 v[0:7], v[32:47], v[64:71], v[96:103], v128, v130 \
            matrix_b_fmt:MATRIX_FMT_FP4 matrix_b_scale:MATRIX_SCALE_ROW1 matrix_b_scale_fmt:MATRIX_SCALE_FMT_E5M3",
        sizes: [16, 16, 128, 32],
        factors: [FP8, FP4],
        a: bytes,
        b: smaller,
        d: d_of_32,
        scales: [|row, at| (row, at), |row, at| (16 + row, at)],
        codes: [E8, E5M3],
    };
    scaled.check();
    scaled.text = "v_wmma_scale16_f32_16x16x128_f8f6f4 v[0:7], v[32:43], v[64:79], v[96:103], v[128:129], v[130:131] \
        matrix_a_fmt:MATRIX_FMT_FP6 matrix_b_scale:MATRIX_SCALE_ROW1";
    scaled.sizes[3] = 16;
    (scaled.factors, scaled.codes) = ([FP6, FP8], [E8, E8]);
    (scaled.a, scaled.b) = (smaller, bytes);
    scaled.check();
    let mut scaled = Scaled {
        target: "gfx1250",
        text: "v_wmma_scale_f32_32x16x128_f4 v[0:15], v[32:47], v[64:71], v[96:111], v128, v130 \
            matrix_a_scale_fmt:MATRIX_SCALE_FMT_E4M3 matrix_b_scale_fmt:MATRIX_SCALE_FMT_E4M3",
        sizes: [32, 16, 128, 32],
        factors: [FP4, FP4],
        a: of_32_rows,
        b: smaller,
        d: d_of_32_rows,
        scales: [|row, at| (row, at), |row, at| (row, at)],
        codes: [E4M3, E4M3],
    };
    scaled.check();
    scaled.text = "v_wmma_scale16_f32_32x16x128_f4 v[0:15], v[32:47], v[64:71], v[96:111], v[128:129], v[130:131]";
    scaled.sizes[3] = 16;
    scaled.codes = [E8, E8];
    scaled.check();
    // The same product without scales.
    scaled.text = "v_wmma_f32_32x16x128_f4 v[0:15], v[32:47], v[64:71], v[96:111]";
    scaled.codes = [[(0, 1.0); 3]; 2];
    scaled.check();
}

#[test]
fn a_scale_can_be_nan_or_a_scalar() {
    let mut wave = Wave::default();
    for lane in 0..32 {
        wave.write(Reg::Vgpr(A), 0, lane, 0x38);
        wave.write(Reg::Vgpr(B), 0, lane, 0x38);
    }
    wave.write(Reg::Sgpr(0), 0, 0, 0x81);
    let mut ask = |scales: &str| {
        let text = format!("v_wmma_scale_f32_16x16x128_f8f6f4 v[0:7], v[32:47], v[64:79], 0, {scales}");
        run("gfx1250", &text, &mut wave).unwrap();
        f32::from_bits(wave.read(Reg::Vgpr(D), 0, 0).unwrap())
    };
    // Each half of the wave has one product of elements other than 0. A constant 0 is the scale 1.
    assert_eq!(ask("s0, 0"), 8.0);
    assert_eq!(ask("0, 0"), 2.0);
    let mut wave = Wave::default();
    wave.write(Reg::Vgpr(SCALES[0]), 0, 3, 0xff);
    let text = "v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[32:39], v[64:71], 0, v128, v130 op_sel_hi:[0,0,0]";
    run("gfx950", text, &mut wave).unwrap();
    let value = |row| f32::from_bits(get(&wave, D, d16(row, 5), F32) as u32);
    assert!(value(3).is_nan() && value(2) == 0.0);
}
