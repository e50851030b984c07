// The matrix operations of RDNA3.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef float f32x8 __attribute__((ext_vector_type(8)));
typedef half f16x16 __attribute__((ext_vector_type(16)));
typedef short i16x16 __attribute__((ext_vector_type(16)));
typedef int i32x8 __attribute__((ext_vector_type(8)));
typedef int i32x4 __attribute__((ext_vector_type(4)));
typedef int i32x2 __attribute__((ext_vector_type(2)));
#define LANE __builtin_amdgcn_workitem_id_x()

kernel void tile_f16(global f32x8 *c, global const f16x16 *a, global const f16x16 *b, uint k) {
    f32x8 sum = 0;
    for (uint i = 0; i < k; i++)
        sum = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a[i * 32 + LANE], b[i * 32 + LANE], sum);
    c[LANE] = sum;
}

kernel void types(global f32x8 *c, global f16x16 *h, global const i16x16 *bf, global i32x8 *i, global const i32x4 *i8,
                  global const i32x2 *i4) {
    c[LANE] = __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(bf[LANE], bf[32 + LANE], c[LANE]);
    h[LANE] = __builtin_amdgcn_wmma_f16_16x16x16_f16_w32(h[LANE], h[32 + LANE], h[64 + LANE], true);
    i32x8 s = __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(true, i8[LANE], false, i8[32 + LANE], i[LANE], true);
    i[LANE] = __builtin_amdgcn_wmma_i32_16x16x16_iu4_w32(false, i4[LANE], true, i4[32 + LANE], s, false);
}
