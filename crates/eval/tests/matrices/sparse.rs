//! Products of sparse matrices. The registers hold half of the elements of such a matrix.

use amdgpu_eval::Wave;
use amdgpu_isa::Reg;

use super::elements::*;

/// A sparse product of `rows` rows and as many columns, with `k` elements in each.
struct Sparse<'a> {
    target: &'a str,
    text: &'a str,
    rows: usize,
    k: usize,
    factor: Kind,
    result: Kind,
    /// The places of an element of B, by its number in a column and the column, and of the result, by row and column.
    b: fn(usize, usize) -> Place,
    d: fn(usize, usize) -> Place,
    /// The first bit of the indices in their register.
    set: usize,
    /// A stores two of every four elements of a row. This function gives the place of the first of the two, from the
    /// row and the number of the four elements. `None`: A has the row in the lane in which B has the column with the
    /// same number, at half of the element's number in B.
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

#[test]
fn sparse_matrices_of_cdna_have_half_of_their_elements() {
    // The places in columns of B are those of the CDNA4 ISA, tables 34 and 36, and section 7.5.1.3.
    let case = |target, text, rows, k, factor, result, b, set| {
        let d = if rows == 16 { d16 } else { d32 };
        Sparse { target, text, rows, k, factor, result, b, d, set, a: None }.check();
    };
    let words = |k: usize, n: usize| (k / 8 * 16 + n, k % 8);
    case("gfx942", "v_smfmac_f32_16x16x32_f16 v[0:3], v[32:33], v[64:67], v96", 16, 32, F16, F32, words, 0);
    case("gfx942", "v_smfmac_f32_16x16x32_bf16 v[0:3], v[32:33], v[64:67], v96 abid:2", 16, 32, BF16, F32, words, 16);
    // With `cbsz`, the first set of indices is used.
    let first = "v_smfmac_f32_16x16x32_bf16 v[0:3], v[32:33], v[64:67], v96 cbsz:1 abid:2";
    case("gfx942", first, 16, 32, BF16, F32, words, 0);
    let words = |k: usize, n: usize| (k / 8 * 32 + n, k % 8);
    case("gfx950", "v_smfmac_f32_32x32x16_f16 v[0:15], v[32:33], v[64:67], v96 abid:3", 32, 16, F16, F32, words, 24);
    let bytes = |k: usize, n: usize| (k / 16 * 16 + n, k % 16);
    case("gfx942", "v_smfmac_i32_16x16x64_i8 v[0:3], v[32:33], v[64:67], v96 abid:1", 16, 64, I8, I32, bytes, 16);
    case("gfx950", "v_smfmac_f32_16x16x64_fp8_fp8 v[0:3], v[32:33], v[64:67], v96", 16, 64, FP8, F32, bytes, 0);
    let bytes = |k: usize, n: usize| (k / 16 * 32 + n, k % 16);
    case("gfx942", "v_smfmac_i32_32x32x32_i8 v[0:15], v[32:33], v[64:67], v96", 32, 32, I8, I32, bytes, 0);
    // CDNA4 has products with twice as many elements, in twice as many registers.
    let words = |k: usize, n: usize| (k % 32 / 8 * 16 + n, k / 32 * 8 + k % 8);
    case("gfx950", "v_smfmac_f32_16x16x64_bf16 v[0:3], v[32:35], v[64:71], v96 abid:1", 16, 64, BF16, F32, words, 16);
    let words = |k: usize, n: usize| (k % 16 / 8 * 32 + n, k / 16 * 8 + k % 8);
    case("gfx950", "v_smfmac_f32_32x32x32_f16 v[0:15], v[32:35], v[64:71], v96", 32, 32, F16, F32, words, 0);
    let bytes = |k: usize, n: usize| (k % 64 / 16 * 16 + n, k / 64 * 16 + k % 16);
    case("gfx950", "v_smfmac_i32_16x16x128_i8 v[0:3], v[32:35], v[64:71], v96 abid:3", 16, 128, I8, I32, bytes, 0);
    let bytes = |k: usize, n: usize| (k % 32 / 16 * 32 + n, k / 32 * 16 + k % 16);
    case("gfx950", "v_smfmac_f32_32x32x64_fp8_fp8 v[0:15], v[32:35], v[64:71], v96", 32, 64, FP8, F32, bytes, 0);
}

#[test]
fn sparse_matrices_of_rdna4_have_half_of_their_elements() {
    // In waves of 32 lanes, each half has 16 of 32 elements of a column.
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
    // Products in waves of 64 lanes.
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
    // The places of elements are those of the CDNA5 ISA, 7.12.4 and 7.12.5.
    let b = |k: usize, n: usize| (k / 16 % 2 * 16 + n, k / 32 * 16 + k % 16);
    case("v_swmmac_f32_16x16x64_f16 v[0:7], v[32:39], v[64:79], v96", 64, F16, F32, b);
    case("v_swmmac_bf16_16x16x64_bf16 v[0:3], v[32:39], v[64:79], v96", 64, BF16, BF16, b);
    case("v_swmmac_i32_16x16x128_iu8 v[0:7], v[32:39], v[64:79], v[96:97] neg_lo:[1,1,0]", 128, I8, I32, b);
    case("v_swmmac_f32_16x16x128_fp8_fp8 v[0:7], v[32:39], v[64:79], v[96:97]", 128, FP8, F32, b);
    case("v_swmmac_f32_16x16x32_f16 v[0:7], v[32:35], v[64:71], v96", 32, F16, F32, |k, n| (k / 16 * 16 + n, k % 16));
    // The elements of the added matrix have 32 bits, and those of the result 16.
    let mut wave = Wave::default();
    wave.write(Reg::Vgpr(D), 0, 0, 3.0f32.to_bits());
    wave.write(Reg::Vgpr(D), 1, 0, 5.0f32.to_bits());
    wave.write(Reg::Vgpr(D), 7, 0, 7.0f32.to_bits());
    let text = "v_swmmac_bf16f32_16x16x64_bf16 v[0:7], v[32:39], v[64:79], v96";
    run("gfx1250", text, &mut wave).unwrap();
    let dword = |n| wave.read(Reg::Vgpr(D), n, 0).unwrap();
    assert_eq!((dword(0), dword(3)), (0x40a0_4040, 0x40e0_0000));
}
