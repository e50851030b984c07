// Matrix multiplication on the matrix cores: MFMA with VGPRs and AccVGPRs, every element type, and their loads.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef float f32x16 __attribute__((ext_vector_type(16)));
typedef float f32x4 __attribute__((ext_vector_type(4)));
typedef float f32x2 __attribute__((ext_vector_type(2)));
typedef half f16x4 __attribute__((ext_vector_type(4)));
typedef half f16x8 __attribute__((ext_vector_type(8)));
typedef int i32x4 __attribute__((ext_vector_type(4)));
typedef double f64x4 __attribute__((ext_vector_type(4)));
#define LANE __builtin_amdgcn_workitem_id_x()

// A 32x32 tile of C = A * B, with A and B in half precision and 8 columns at a time.
kernel void tile_f16(global f32x16 *c, global const f16x4 *a, global const f16x4 *b, uint k) {
    f32x16 sum = 0;
    for (uint i = 0; i < k; i++)
        sum = __builtin_amdgcn_mfma_f32_32x32x8f16(a[i * 64 + LANE], b[i * 64 + LANE], sum, 0, 0, 0);
    c[LANE] = sum;
}

// The compiler prefers VGPRs; here the accumulators are kept in AccVGPRs by hand.
kernel void tile_f32(global f32x16 *c, global const float *a, global const float *b, uint k) {
    f32x16 sum = c[LANE];
    for (uint i = 0; i < k; i++) {
        float x = a[i * 64 + LANE], y = b[i * 64 + LANE];
        __asm__ volatile("v_mfma_f32_32x32x2_f32 %0, %1, %2, %0" : "+a"(sum) : "v"(x), "v"(y));
    }
    __asm__ volatile("s_nop 15\n\ts_nop 2" : "+a"(sum)); // the compiler does not wait for what it does not see
    c[LANE] = sum;
}

// The other element types, a sparse matrix, and the broadcast controls cbsz, abid and blgp.
kernel void types(global f32x4 *c, global i32x4 *ci, global f64x4 *cd, global const long *ab, global const f16x4 *h, global const double *d) {
    f32x4 s = c[LANE];
    s = __builtin_amdgcn_mfma_f32_16x16x32_fp8_bf8(ab[LANE], ab[64 + LANE], s, 0, 0, 0);
    s = __builtin_amdgcn_mfma_f32_16x16x8_xf32(((global const f32x2 *)ab)[LANE], ((global const f32x2 *)ab)[64 + LANE], s, 0, 0, 0);
    s = __builtin_amdgcn_smfmac_f32_16x16x32_f16(h[LANE], ((global const f16x8 *)h)[LANE], s, (int)LANE, 1, 0);
    s = __builtin_amdgcn_mfma_f32_4x4x4f16(h[LANE], h[64 + LANE], s, 2, 1, 3);
    c[LANE] = s;
    ci[LANE] = __builtin_amdgcn_mfma_i32_16x16x32_i8(ab[LANE], ab[128 + LANE], ci[LANE], 0, 0, 0);
    cd[LANE] = __builtin_amdgcn_mfma_f64_16x16x4f64(d[LANE], d[64 + LANE], cd[LANE], 0, 0, 0);
}

// Two floats at a time outside the matrix cores.
kernel void packed_f32(global f32x2 *y, global const f32x2 *x, f32x2 a) {
    f32x2 v = x[LANE], w = y[LANE];
    y[LANE] = __builtin_elementwise_fma(v, a, w) * (v + w);
}
