// The matrix cores of CDNA2, with doubles; packed floats, and atomics on doubles.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef float f32x16 __attribute__((ext_vector_type(16)));
typedef float f32x4 __attribute__((ext_vector_type(4)));
typedef float f32x2 __attribute__((ext_vector_type(2)));
typedef half f16x4 __attribute__((ext_vector_type(4)));
typedef short i16x4 __attribute__((ext_vector_type(4)));
typedef double f64x4 __attribute__((ext_vector_type(4)));
#define LANE __builtin_amdgcn_workitem_id_x()

kernel void tile_f16(global f32x16 *c, global const f16x4 *a, global const f16x4 *b, uint k) {
    f32x16 sum = 0;
    for (uint i = 0; i < k; i++)
        sum = __builtin_amdgcn_mfma_f32_32x32x8f16(a[i * 64 + LANE], b[i * 64 + LANE], sum, 0, 0, 0);
    c[LANE] = sum;
}

kernel void types(global f32x4 *c, global f64x4 *cd, global const i16x4 *bf, global const double *d) {
    c[LANE] = __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(bf[LANE], bf[64 + LANE], c[LANE], 0, 0, 0);
    cd[LANE] = __builtin_amdgcn_mfma_f64_16x16x4f64(d[LANE], d[64 + LANE], cd[LANE], 0, 0, 2);
}

kernel void packed_f32(global f32x2 *y, global const f32x2 *x, f32x2 a) {
    f32x2 v = x[LANE], w = y[LANE];
    y[LANE] = __builtin_elementwise_fma(v, a, w) * (v + w);
}

kernel void atomics(global double *d, double x) {
    __builtin_amdgcn_global_atomic_fadd_f64(d + LANE, x);
}
