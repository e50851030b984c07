// Dot products of halves, bytes and nibbles, which gfx1011 adds to RDNA1.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define LANE __builtin_amdgcn_workitem_id_x()

kernel void dots(global float *f, global int *i, global uint *u, global const half2 *h) {
    half2 a = h[LANE], b = h[64 + LANE];
    f[LANE] = __builtin_amdgcn_fdot2(a, b, f[LANE], false) + __builtin_amdgcn_fdot2(b, b, 1.0f, true);
    int x = i[LANE], y = i[64 + LANE];
    i[LANE] = __builtin_amdgcn_sdot4(x, y, x, false) - __builtin_amdgcn_sdot8(x, y, 7, true);
    uint v = u[LANE], w = u[64 + LANE];
    u[LANE] = __builtin_amdgcn_udot4(v, w, v, false) ^ __builtin_amdgcn_udot8(v, w, 7, true);
}
