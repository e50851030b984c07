//! Products of matrices, against a plain product of three loops. The places of elements are written here once more, as
//! the tables of AMD's manuals have them.

use amdgpu_eval::{EvalError, Evaluator, Wave};
use amdgpu_isa::{Field, Reg, Target, parse};

/// The lane and the number of an element among the lane's.
type Place = (usize, usize);

/// How small integers are elements of registers.
#[derive(Clone, Copy)]
struct Kind {
    bits: usize,
    encode: fn(i32) -> u64,
}

const F16: Kind = Kind { bits: 16, encode: |n| (n as f32).to_bits() as u64 >> 13 & 0x3fff | half_exponent(n) };
const BF16: Kind = Kind { bits: 16, encode: |n| u64::from((n as f32).to_bits() >> 16) };
const F32: Kind = Kind { bits: 32, encode: |n| (n as f32).to_bits().into() };
const F64: Kind = Kind { bits: 64, encode: |n| f64::from(n).to_bits() };
const I32: Kind = Kind { bits: 32, encode: |n| u64::from(n as u32) };
const I8: Kind = Kind { bits: 8, encode: |n| u64::from(n as u8) };
const I4: Kind = Kind { bits: 4, encode: |n| n as u64 & 15 };
/// E4M3: -4 to 4.
const FP8: Kind = Kind { bits: 8, encode: |n| sign(n, 7) | [0, 0x38, 0x40, 0x44, 0x48][n.unsigned_abs() as usize] };
/// E2M3: -4 to 4.
const FP6: Kind = Kind { bits: 6, encode: |n| sign(n, 5) | [0, 8, 16, 20, 24][n.unsigned_abs() as usize] };
/// E2M1: -4 to 4.
const FP4: Kind = Kind { bits: 4, encode: |n| sign(n, 3) | [0, 2, 4, 5, 6][n.unsigned_abs() as usize] };

fn sign(n: i32, bit: u32) -> u64 {
    u64::from(n < 0) << bit
}

/// The sign and the two highest bits of the exponent of an f16, whose other bits are those of an f32.
fn half_exponent(n: i32) -> u64 {
    let top = if n == 0 { 0 } else { u64::from(n.unsigned_abs() > 1) << 14 };
    sign(n, 15) | top
}

/// Numbers from -4 to 4 that look random.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, count: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % count
    }

    fn small(&mut self) -> i32 {
        self.next(9) as i32 - 4
    }
}

/// Puts an element into registers from `first` on.
fn put(wave: &mut Wave, first: u16, (lane, item): Place, kind: Kind, n: i32) {
    put_bits(wave, first, lane, item * kind.bits, kind.bits, (kind.encode)(n));
}

fn put_bits(wave: &mut Wave, first: u16, lane: usize, at: usize, bits: usize, value: u64) {
    for n in 0..bits {
        let (dword, bit) = (((at + n) / 32) as u16, (at + n) % 32);
        let old = wave.read(Reg::Vgpr(first), dword, lane).unwrap();
        wave.write(Reg::Vgpr(first), dword, lane, old & !(1 << bit) | ((value >> n & 1) as u32) << bit);
    }
}

fn get(wave: &Wave, first: u16, (lane, item): Place, kind: Kind) -> u64 {
    let dword = |n: usize| u64::from(wave.read(Reg::Vgpr(first), n as u16, lane).unwrap());
    match kind.bits {
        64 => dword(item * 2) | dword(item * 2 + 1) << 32,
        bits => dword(item * bits / 32) >> (item * bits % 32) & ((1 << bits) - 1),
    }
}

fn run(target: &str, text: &str, wave: &mut Wave) -> Result<(), EvalError> {
    let inst = parse(target.parse::<Target>().unwrap(), text).unwrap_or_else(|error| panic!("{text}: {error}"));
    Evaluator::default().run(&inst, wave)
}

/// The registers of the tests: of the result, of both factors, of the indices or what is added, and of scales.
const D: u16 = 0;
const A: u16 = 32;
const B: u16 = 64;
const C: u16 = 96;
const SCALES: [u16; 2] = [128, 130];

/// A sparse product of `rows` rows and as many columns, with `k` elements each.
struct Sparse<'a> {
    target: &'a str,
    text: &'a str,
    rows: usize,
    k: usize,
    factor: Kind,
    result: Kind,
    /// The places of an element of a column of B, and of the result.
    b: fn(usize, usize) -> Place,
    d: fn(usize, usize) -> Place,
    /// The lowest bit of the indices, in the lanes that have them.
    set: usize,
    /// The place of the two elements that are there of four, by row and number of the four; `None` if it is that of B
    /// with half of the elements.
    a: Option<fn(usize, usize) -> Place>,
}

impl Sparse<'_> {
    fn check(&self) {
        let Sparse { rows, k: count, factor, result, b: b_of, d: d_of, .. } = *self;
        let (mut numbers, mut wave) = (Numbers(7), Wave::default());
        let mut a = vec![vec![0; count]; rows];
        for (row, elements) in a.iter_mut().enumerate() {
            for four in 0..count / 4 {
                let low = numbers.next(3) as usize;
                let high = low + 1 + numbers.next(3 - low as u64) as usize;
                let (lane, item) = match self.a {
                    Some(place) => place(row, four),
                    None => {
                        let (lane, item) = b_of(four * 4, row);
                        (lane, item / 2)
                    }
                };
                for (n, index) in [low, high].into_iter().enumerate() {
                    let value = numbers.small();
                    elements[four * 4 + index] = value;
                    put(&mut wave, A, (lane, item + n), factor, value);
                    put_bits(&mut wave, C, lane, self.set + 2 * (item + n), 2, index as u64);
                }
            }
        }
        let b: Vec<Vec<i32>> = (0..count).map(|_| (0..rows).map(|_| numbers.small()).collect()).collect();
        for (k, row) in b.iter().enumerate() {
            for (column, value) in row.iter().enumerate() {
                put(&mut wave, B, b_of(k, column), factor, *value);
            }
        }
        for (row, column) in pairs(rows) {
            put(&mut wave, D, d_of(row, column), result, row as i32 - column as i32);
        }
        run(self.target, self.text, &mut wave).unwrap_or_else(|error| panic!("{}: {error}", self.text));
        for (row, column) in pairs(rows) {
            let product: i32 = (0..count).map(|k| a[row][k] * b[k][column]).sum();
            let wanted = (result.encode)(product + row as i32 - column as i32);
            let found = get(&wave, D, d_of(row, column), result);
            assert_eq!(found, wanted, "{} {}: row {row}, column {column}", self.target, self.text);
        }
    }
}

fn pairs(rows: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..rows * rows).map(move |n| (n / rows, n % rows))
}

/// CDNA: results of 16 and of 32 rows.
fn d16(row: usize, column: usize) -> Place {
    (row / 4 * 16 + column, row % 4)
}

fn d32(row: usize, column: usize) -> Place {
    (row / 4 % 2 * 32 + column, row / 8 * 4 + row % 4)
}

#[test]
fn sparse_matrices_of_cdna_have_half_of_their_elements() {
    // CDNA4 ISA, tables 34 and 36, and section 7.5.1.3: the columns of B.
    let case = |target, text, rows, k, factor, result, b, set| {
        let d = if rows == 16 { d16 } else { d32 };
        Sparse { target, text, rows, k, factor, result, b, d, set, a: None }.check();
    };
    let words = |k: usize, n: usize| (k / 8 * 16 + n, k % 8);
    case("gfx942", "v_smfmac_f32_16x16x32_f16 v[0:3], v[32:33], v[64:67], v96", 16, 32, F16, F32, words, 0);
    case("gfx942", "v_smfmac_f32_16x16x32_bf16 v[0:3], v[32:33], v[64:67], v96 abid:2", 16, 32, BF16, F32, words, 16);
    // With cbsz, the first set is used.
    let first = "v_smfmac_f32_16x16x32_bf16 v[0:3], v[32:33], v[64:67], v96 cbsz:1 abid:2";
    case("gfx942", first, 16, 32, BF16, F32, words, 0);
    let words = |k: usize, n: usize| (k / 8 * 32 + n, k % 8);
    case("gfx950", "v_smfmac_f32_32x32x16_f16 v[0:15], v[32:33], v[64:67], v96 abid:3", 32, 16, F16, F32, words, 24);
    let bytes = |k: usize, n: usize| (k / 16 * 16 + n, k % 16);
    case("gfx942", "v_smfmac_i32_16x16x64_i8 v[0:3], v[32:33], v[64:67], v96 abid:1", 16, 64, I8, I32, bytes, 16);
    case("gfx950", "v_smfmac_f32_16x16x64_fp8_fp8 v[0:3], v[32:33], v[64:67], v96", 16, 64, FP8, F32, bytes, 0);
    let bytes = |k: usize, n: usize| (k / 16 * 32 + n, k % 16);
    case("gfx942", "v_smfmac_i32_32x32x32_i8 v[0:15], v[32:33], v[64:67], v96", 32, 32, I8, I32, bytes, 0);
    // CDNA4 has twice as many, in twice as many registers.
    let words = |k: usize, n: usize| (k % 32 / 8 * 16 + n, k / 32 * 8 + k % 8);
    case("gfx950", "v_smfmac_f32_16x16x64_bf16 v[0:3], v[32:35], v[64:71], v96 abid:1", 16, 64, BF16, F32, words, 16);
    let words = |k: usize, n: usize| (k % 16 / 8 * 32 + n, k / 16 * 8 + k % 8);
    case("gfx950", "v_smfmac_f32_32x32x32_f16 v[0:15], v[32:35], v[64:71], v96", 32, 32, F16, F32, words, 0);
    let bytes = |k: usize, n: usize| (k % 64 / 16 * 16 + n, k / 64 * 16 + k % 16);
    case("gfx950", "v_smfmac_i32_16x16x128_i8 v[0:3], v[32:35], v[64:71], v96 abid:3", 16, 128, I8, I32, bytes, 0);
    let bytes = |k: usize, n: usize| (k % 32 / 16 * 32 + n, k / 32 * 16 + k % 16);
    case("gfx950", "v_smfmac_f32_32x32x64_fp8_fp8 v[0:15], v[32:35], v[64:71], v96", 32, 64, FP8, F32, bytes, 0);
}

/// RDNA4: the results in waves of 32 and of 64 lanes.
fn d_of_32(row: usize, column: usize) -> Place {
    (row / 8 * 16 + column, row % 8)
}

fn d_of_64(row: usize, column: usize) -> Place {
    (row / 4 % 2 * 32 + row / 8 * 16 + column, row % 4)
}

#[test]
fn sparse_matrices_of_rdna4_have_half_of_their_elements() {
    // Waves of 32 lanes: each half has 16 of 32 elements of a column.
    let case = |text, k, factor, result, b, set| {
        let target = "gfx1200";
        Sparse { target, text, rows: 16, k, factor, result, b, d: d_of_32, set, a: None }.check();
    };
    let b = |k: usize, n: usize| (k / 16 * 16 + n, k % 16);
    case("v_swmmac_f32_16x16x32_f16 v[0:7], v[32:35], v[64:71], v96", 32, F16, F32, b, 0);
    case("v_swmmac_f32_16x16x32_bf16 v[0:7], v[32:35], v[64:71], v96 index_key:1", 32, BF16, F32, b, 16);
    case("v_swmmac_f16_16x16x32_f16 v[0:3], v[32:35], v[64:71], v96", 32, F16, F16, b, 0);
    case("v_swmmac_i32_16x16x32_iu8 v[0:7], v[32:33], v[64:67], v96 neg_lo:[1,1,0]", 32, I8, I32, b, 0);
    case("v_swmmac_f32_16x16x32_fp8_fp8 v[0:7], v[32:33], v[64:67], v96 index_key:1", 32, FP8, F32, b, 16);
    case("v_swmmac_i32_16x16x32_iu4 v[0:7], v32, v[64:65], v96 index_key:1 neg_lo:[1,1,0]", 32, I4, I32, b, 16);
    let b = |k: usize, n: usize| (k / 32 * 16 + n, k % 32);
    case("v_swmmac_i32_16x16x64_iu4 v[0:7], v[32:33], v[64:67], v96 neg_lo:[1,1,0]", 64, I4, I32, b, 0);
    // Waves of 64 lanes.
    let case = |text, k, factor, result, b, set, a| {
        let target = "gfx1200:wave64";
        Sparse { target, text, rows: 16, k, factor, result, b, d: d_of_64, set, a }.check();
    };
    let b = |k: usize, n: usize| (k / 8 % 2 * 32 + k / 16 * 16 + n, k % 8);
    case("v_swmmac_f32_16x16x32_f16 v[0:3], v[32:33], v[64:67], v96 index_key:3", 32, F16, F32, b, 24, None);
    case("v_swmmac_i32_16x16x32_iu8 v[0:3], v32, v[64:65], v96 index_key:1 neg_lo:[1,1,0]", 32, I8, I32, b, 8, None);
    // The first 32 lanes have A, and all lanes have B.
    let a: Option<fn(usize, usize) -> Place> = Some(|row, four| (four / 4 * 16 + row, four % 4 * 2));
    case("v_swmmac_i32_16x16x32_iu4 v[0:3], v32, v64, v96 index_key:1 neg_lo:[1,1,0]", 32, I4, I32, b, 16, a);
    let b = |k: usize, n: usize| (k / 16 % 2 * 32 + k / 32 * 16 + n, k % 16);
    case("v_swmmac_i32_16x16x64_iu4 v[0:3], v32, v[64:65], v96 index_key:1 neg_lo:[1,1,0]", 64, I4, I32, b, 16, None);
}

#[test]
fn sparse_matrices_of_cdna5_have_half_of_their_elements() {
    let case = |text, k, factor, result, b| {
        Sparse { target: "gfx1250", text, rows: 16, k, factor, result, b, d: d_of_32, set: 0, a: None }.check();
    };
    // CDNA5 ISA, 7.12.4 and 7.12.5.
    let b = |k: usize, n: usize| (k / 16 % 2 * 16 + n, k / 32 * 16 + k % 16);
    case("v_swmmac_f32_16x16x64_f16 v[0:7], v[32:39], v[64:79], v96", 64, F16, F32, b);
    case("v_swmmac_bf16_16x16x64_bf16 v[0:3], v[32:39], v[64:79], v96", 64, BF16, BF16, b);
    case("v_swmmac_i32_16x16x128_iu8 v[0:7], v[32:39], v[64:79], v[96:97] neg_lo:[1,1,0]", 128, I8, I32, b);
    case("v_swmmac_f32_16x16x128_fp8_fp8 v[0:7], v[32:39], v[64:79], v[96:97]", 128, FP8, F32, b);
    case("v_swmmac_f32_16x16x32_f16 v[0:7], v[32:35], v[64:71], v96", 32, F16, F32, |k, n| (k / 16 * 16 + n, k % 16));
    // What is added has 32 bits, the result 16.
    let mut wave = Wave::default();
    wave.write(Reg::Vgpr(D), 0, 0, 3.0f32.to_bits());
    wave.write(Reg::Vgpr(D), 1, 0, 5.0f32.to_bits());
    wave.write(Reg::Vgpr(D), 7, 0, 7.0f32.to_bits());
    let text = "v_swmmac_bf16f32_16x16x64_bf16 v[0:7], v[32:39], v[64:79], v96";
    run("gfx1250", text, &mut wave).unwrap();
    let dword = |n| wave.read(Reg::Vgpr(D), n, 0).unwrap();
    assert_eq!((dword(0), dword(3)), (0x40a0_4040, 0x40e0_0000));
}

/// A scaled product of 16 or 32 rows and columns.
struct Scaled<'a> {
    target: &'a str,
    text: &'a str,
    /// Rows, columns, elements of each, and elements that share a scale.
    sizes: [usize; 4],
    factors: [Kind; 2],
    a: fn(usize, usize) -> Place,
    b: fn(usize, usize) -> Place,
    d: fn(usize, usize) -> Place,
    /// The places of the scales, as bytes, by row or column and block.
    scales: [fn(usize, usize) -> Place; 2],
    /// The values of three codes of the scales.
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

/// CDNA5 ISA, 7.12.6.1: elements of 8 bits, and of 4 and 6.
fn bytes(row: usize, k: usize) -> Place {
    (k / 16 % 2 * 16 + row, k / 32 * 16 + k % 16)
}

fn smaller(row: usize, k: usize) -> Place {
    (k / 32 % 2 * 16 + row, k / 64 * 32 + k % 32)
}

/// A second matrix of 16 rows follows the first one.
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
    // Without scales.
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
    // Each of the two halves has one product. A scale 0 is 1.
    assert_eq!(ask("s0, 0"), 8.0);
    assert_eq!(ask("0, 0"), 2.0);
    let mut wave = Wave::default();
    wave.write(Reg::Vgpr(SCALES[0]), 0, 3, 0xff);
    let text = "v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[32:39], v[64:71], 0, v128, v130 op_sel_hi:[0,0,0]";
    run("gfx950", text, &mut wave).unwrap();
    let value = |row| f32::from_bits(get(&wave, D, d16(row, 5), F32) as u32);
    assert!(value(3).is_nan() && value(2) == 0.0);
}

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
    // Halfway, to the even one, and above it.
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
    // Without cbsz, abid is of no use.
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
    // 1.0, to which less than half of its last place is added.
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

/// RDNA4: a product of 16 rows, whose places in A and B cancel out.
#[test]
fn results_of_rdna4_are_in_other_lanes_in_a_wave_of_64() {
    let (mut numbers, mut wave) = (Numbers(11), Wave::default());
    let (mut a, mut b) = ([[0; 16]; 16], [[0; 16]; 16]);
    for (row, k) in pairs(16) {
        (a[row][k], b[row][k]) = (numbers.small(), numbers.small());
        // Lanes 0 to 31 only.
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
    // Both bits are of all of C: its absolute value, negated.
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
