// The matrix operations of RDNA4: dense, sparse, with 8-bit floats; transposing loads; scalar floats.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef float f32x8 __attribute__((ext_vector_type(8)));
typedef half f16x8 __attribute__((ext_vector_type(8)));
typedef half f16x16 __attribute__((ext_vector_type(16)));
typedef short i16x8 __attribute__((ext_vector_type(8)));
typedef int i32x2 __attribute__((ext_vector_type(2)));
typedef int i32x4 __attribute__((ext_vector_type(4)));
#define LANE __builtin_amdgcn_workitem_id_x()

kernel void tile_f16(global f32x8 *c, global const f16x8 *a, global const f16x8 *b, uint k, float scale) {
    f32x8 sum = 0;
    for (uint i = 0; i < k; i++)
        sum = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a[i * 32 + LANE], b[i * 32 + LANE], sum);
    c[LANE] = sum * (scale * scale + 0.5f);
}

kernel void types(global f32x8 *c, global const i32x2 *bytes, global const i32x4 *more, global const f16x8 *a,
                  global const f16x16 *b, global const int *index) {
    f32x8 s = __builtin_amdgcn_wmma_f32_16x16x16_fp8_bf8_w32_gfx12(bytes[LANE], bytes[32 + LANE], c[LANE]);
    s = __builtin_amdgcn_swmmac_f32_16x16x32_f16_w32(a[LANE], b[LANE], s, index[LANE]);
    s = __builtin_amdgcn_swmmac_f32_16x16x32_bf8_fp8_w32(bytes[64 + LANE], more[LANE], s, index[32 + LANE]);
    c[LANE] = s;
}

kernel void transposed(global i16x8 *c, global i16x8 *a, global i32x2 *b) {
    c[LANE] = __builtin_amdgcn_global_load_tr_b128_v8i16(&a[LANE]);
    b[LANE] = __builtin_amdgcn_global_load_tr_b64_v2i32(&b[32 + LANE]);
}
