// The matrix cores of CDNA4: elements of 8, 6 and 4 bits with a scale for each block, wider halves, and what prepares them.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef float f32x16 __attribute__((ext_vector_type(16)));
typedef float f32x4 __attribute__((ext_vector_type(4)));
typedef half f16x8 __attribute__((ext_vector_type(8)));
typedef half f16x2 __attribute__((ext_vector_type(2)));
typedef int i32x8 __attribute__((ext_vector_type(8)));
typedef int i32x6 __attribute__((ext_vector_type(6)));
typedef int i32x2 __attribute__((ext_vector_type(2)));
typedef uint u32x2 __attribute__((ext_vector_type(2)));
#define LANE __builtin_amdgcn_workitem_id_x()

kernel void tile_f16(global f32x16 *c, global const f16x8 *a, global const f16x8 *b, uint k) {
    f32x16 sum = 0;
    for (uint i = 0; i < k; i++)
        sum = __builtin_amdgcn_mfma_f32_32x32x16_f16(a[i * 64 + LANE], b[i * 64 + LANE], sum, 0, 0, 0);
    c[LANE] = sum;
}

kernel void scaled(global f32x4 *c, global const i32x8 *a, global const i32x8 *b, global const int *scale) {
    f32x4 s = c[LANE];
    s = __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(a[LANE], b[LANE], s, 0, 1, 0, scale[LANE], 2, scale[64 + LANE]);
    s = __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(a[LANE], b[LANE], s, 2, 4, 1, scale[LANE], 3, scale[64 + LANE]);
    s = __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(a[LANE], b[LANE], s, 4, 3, 0, 0, 0, 0);
    c[LANE] = s;
}

kernel void others(global uint *y, local i32x2 *lds, uint x) {
    u32x2 swapped = __builtin_amdgcn_permlane32_swap(y[LANE], x, false, true);
    y[LANE] = __builtin_amdgcn_bitop3_b32(swapped.x, swapped.y, x, 0x27) + __builtin_amdgcn_prng_b32(x);
    i32x2 t = __builtin_amdgcn_ds_read_tr8_b64_v2i32(lds + LANE);
    y[64 + LANE] = t.x ^ t.y;
}
