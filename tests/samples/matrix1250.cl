// The matrix operations of CDNA5: dense, sparse, with scales and formats of 4, 6 and 8 bits; transposing loads; copies of
// tensors and of single values to LDS; more than 256 registers.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef float f32x8 __attribute__((ext_vector_type(8)));
typedef half f16x16 __attribute__((ext_vector_type(16)));
typedef half f16x32 __attribute__((ext_vector_type(32)));
typedef short i16x8 __attribute__((ext_vector_type(8)));
typedef int i32x2 __attribute__((ext_vector_type(2)));
typedef int i32x3 __attribute__((ext_vector_type(3)));
typedef int i32x4 __attribute__((ext_vector_type(4)));
typedef int i32x8 __attribute__((ext_vector_type(8)));
typedef int i32x16 __attribute__((ext_vector_type(16)));
#define LANE __builtin_amdgcn_workitem_id_x()

kernel void tile_f16(global f32x8 *c, global const f16x16 *a, global const f16x16 *b, uint k) {
    f32x8 sum = 0;
    for (uint i = 0; i < k; i++)
        sum = __builtin_amdgcn_wmma_f32_16x16x32_f16(0, a[i * 32 + LANE], 0, b[i * 32 + LANE], (short)0, sum, false, true);
    c[LANE] = sum;
}

kernel void formats(global f32x8 *c, global const i32x8 *bytes, global const i32x16 *more, global const f16x16 *a,
                    global const f16x32 *b, global const int *scale) {
    f32x8 s = __builtin_amdgcn_wmma_f32_16x16x64_fp8_bf8(bytes[LANE], bytes[32 + LANE], (short)0, c[LANE], false, false);
    s = __builtin_amdgcn_wmma_f32_16x16x128_f8f6f4(1, more[LANE], 4, more[32 + LANE], (short)0, s);
    s = __builtin_amdgcn_wmma_scale_f32_16x16x128_f8f6f4(0, more[64 + LANE], 2, more[96 + LANE], (short)0, s, 1, 0,
                                                         scale[LANE], 0, 2, scale[32 + LANE], true, false);
    s = __builtin_amdgcn_swmmac_f32_16x16x64_f16(0, a[LANE], 0, b[LANE], s, scale[64 + LANE], false, false);
    c[LANE] = s;
}

kernel void transposed(global i16x8 *c, global i16x8 *a, global i32x3 *b) {
    c[LANE] = __builtin_amdgcn_global_load_tr16_b128_v8i16(&a[LANE]);
    b[LANE] = __builtin_amdgcn_global_load_tr6_b96_v3i32(&b[32 + LANE]);
}

kernel void copies(i32x4 d0, i32x8 d1, i32x4 d2, i32x4 d3, global int *from, global int *to) {
    local int room[64];
    __builtin_amdgcn_tensor_load_to_lds(d0, d1, d2, d3, 0);
    __builtin_amdgcn_global_load_async_to_lds_b32(&from[LANE], &room[LANE], 16, 0);
    __builtin_amdgcn_s_wait_asynccnt(0);
    __builtin_amdgcn_s_wait_tensorcnt(0);
    to[LANE] = room[63 - LANE];
}

// Constants of 64 bits, and doubles two at a time.
kernel void doubles(global double *x, global ulong *n, ulong m) {
    x[LANE] = __builtin_fma(x[LANE], 0.1, x[LANE + 32]) * 3.3 + 0.7;
    n[LANE] = (n[LANE] ^ 0x123456789abcdefUL) + (m | 0xfedcba9876543210UL);
}

// Every value is needed until the last has been read: more than 256 registers.
__attribute__((reqd_work_group_size(32, 1, 1))) __attribute__((amdgpu_waves_per_eu(1, 1)))
kernel void wide(global f32x8 *x, global const f32x8 *a) {
    f32x8 v[40];
#pragma unroll
    for (int i = 0; i < 40; i++)
        v[i] = a[i * 32 + LANE];
    __builtin_amdgcn_s_barrier();
#pragma unroll
    for (int i = 0; i < 40; i++)
        v[i] = v[i] * v[(i * 7 + 3) % 40] + v[(i + 11) % 40];
#pragma unroll
    for (int i = 0; i < 40; i++)
        x[i * 32 + LANE] = v[i];
}
