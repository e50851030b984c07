// Sums and maxima through the lanes of a wave and through LDS: DPP, lane permutes, DS, barriers, lane masks.
#define LANE __builtin_amdgcn_workitem_id_x()

static void barrier_lds(void) {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

// A sum over each row of 16 lanes. DPP and DS are the two ways by which lanes exchange values.
static int row_sum(int v) {
#if !defined(__GFX6__) && !defined(__GFX7__)
    v += __builtin_amdgcn_update_dpp(0, v, 0xb1, 0xf, 0xf, true);  // quad_perm:[1,0,3,2]
    v += __builtin_amdgcn_update_dpp(0, v, 0x4e, 0xf, 0xf, true);  // quad_perm:[2,3,0,1]
    v += __builtin_amdgcn_update_dpp(0, v, 0x141, 0xf, 0xf, true); // row_half_mirror
    v += __builtin_amdgcn_update_dpp(0, v, 0x140, 0xf, 0xf, true); // row_mirror
#else
    v += __builtin_amdgcn_ds_swizzle(v, 0x041f); // exchange with lane ^ 1
    v += __builtin_amdgcn_ds_swizzle(v, 0x081f);
    v += __builtin_amdgcn_ds_swizzle(v, 0x101f);
    v += __builtin_amdgcn_ds_swizzle(v, 0x201f);
#endif
    return v;
}

kernel void sum(global int *out, global const int *in, uint n) {
    local int part[256];
    uint lane = LANE, step = 256 * 64;
    int v = 0;
    for (uint i = __builtin_amdgcn_workgroup_id_x() * 256 + lane; i < n; i += step)
        v += in[i];
    part[lane] = row_sum(v);
    barrier_lds();
    for (uint n = 128; n >= 16; n >>= 1) {
        if (lane < n)
            part[lane] += part[lane + n];
        barrier_lds();
    }
    if (lane == 0)
        out[__builtin_amdgcn_workgroup_id_x()] = part[0];
}

// Each lane's rank among the lanes of its wave that hold a value above the limit, and their number.
kernel void rank(global uint2 *out, global const double *in, double limit) {
    ulong mask = __builtin_amdgcn_uicmp((uint)(in[LANE] > limit), 0u, 33);
    uint below = __builtin_amdgcn_mbcnt_hi((uint)(mask >> 32), __builtin_amdgcn_mbcnt_lo((uint)mask, 0));
    uint first = __builtin_amdgcn_readfirstlane(below);
    out[LANE] = (uint2)(below - first, (uint)__builtin_popcountl(mask));
}

// Each value goes to the lane that is named beside it, through LDS.
kernel void scatter(global float *out, global const float *in, global const uchar *to) {
    local float2 row[64];
    float x = in[LANE];
    row[to[LANE] & 63] = (float2)(x, x * x);
    barrier_lds();
    float2 got = row[LANE];
    out[LANE] = __builtin_fmaf(got.x, 0.5f, __builtin_sqrtf(got.y));
}
