// The matrix cores of CDNA1: accumulators are AccVGPRs always.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef float f32x16 __attribute__((ext_vector_type(16)));
typedef float f32x4 __attribute__((ext_vector_type(4)));
typedef half f16x4 __attribute__((ext_vector_type(4)));
typedef short i16x2 __attribute__((ext_vector_type(2)));
typedef int i32x16 __attribute__((ext_vector_type(16)));
#define LANE __builtin_amdgcn_workitem_id_x()

kernel void tile_f16(global f32x16 *c, global const f16x4 *a, global const f16x4 *b, uint k) {
    f32x16 sum = 0;
    for (uint i = 0; i < k; i++)
        sum = __builtin_amdgcn_mfma_f32_32x32x8f16(a[i * 64 + LANE], b[i * 64 + LANE], sum, 0, 0, 0);
    c[LANE] = sum;
}

kernel void types(global f32x4 *c, global i32x16 *ci, global const float *f, global const i16x2 *bf, global const int *i) {
    f32x4 s = c[LANE];
    s = __builtin_amdgcn_mfma_f32_4x4x1f32(f[LANE], f[64 + LANE], s, 2, 1, 3);
    s = __builtin_amdgcn_mfma_f32_16x16x8bf16(bf[LANE], bf[64 + LANE], s, 0, 0, 0);
    c[LANE] = s;
    ci[LANE] = __builtin_amdgcn_mfma_i32_32x32x8i8(i[LANE], i[64 + LANE], ci[LANE], 0, 0, 0);
}
