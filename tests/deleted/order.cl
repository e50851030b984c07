// The order of accesses: barriers, releases and acquires, flat pointers, masks of lanes, many registers, chains of loads.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define LANE __builtin_amdgcn_workitem_id_x()

kernel void transpose(global float *out, global const float *in) {
    local float tile[256];
    for (int i = 0; i < 4; i++) {
        tile[LANE * 4 + i] = in[i * 64 + LANE];
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
        __builtin_amdgcn_s_barrier();
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
        out[i * 64 + LANE] = tile[((LANE + i) & 63) * 4] + tile[LANE];
    }
}

kernel void message(global int *data, global int *flag, global int *out) {
    if (LANE == 0) {
        data[0] = 42;
        __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
    } else {
        while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0)
            __builtin_amdgcn_s_sleep(1);
        out[LANE] = data[0];
    }
}

kernel void scopes(global int *g, global int *out) {
    local int l;
    __scoped_atomic_fetch_add(g, 1, __ATOMIC_ACQ_REL, __MEMORY_SCOPE_DEVICE);
    int a = __scoped_atomic_exchange_n(g + 1, 2, __ATOMIC_SEQ_CST, __MEMORY_SCOPE_SYSTEM);
    int b = __scoped_atomic_fetch_add(&l, a, __ATOMIC_ACQ_REL, __MEMORY_SCOPE_WRKGRP);
    __scoped_atomic_store_n(g + 2, b, __ATOMIC_RELEASE, __MEMORY_SCOPE_WVFRNT);
    out[LANE] = __scoped_atomic_load_n(g + 3, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_WRKGRP);
}

#if !defined(__GFX6__)
// A pointer that may lead into LDS, scratch or global memory.
kernel void flat(global int *out, global int *in, int which) {
    local int shared[64];
    shared[LANE & 63] = in[LANE];
    __builtin_amdgcn_s_barrier();
    generic int *p = which ? (generic int *)(shared + (which & 63)) : (generic int *)(in + 64);
    int a = p[0], b = in[128 + LANE], c = shared[(LANE + 1) & 63];
    p[1] = a + b;
    out[LANE] = a + b + c + p[2];
}
#endif

// Masks of lanes that vector operations write, read, and scalar operations change.
kernel void masks(global int *out, global const int *in, global const double *d) {
    int a = in[LANE], b = in[64 + LANE], n = 0;
    double x = d[LANE], y = d[64 + LANE];
    for (int i = 0; i < a; i++) {
        bool less = in[i] < b, more = in[i + 1] > a;
        n += less ? (more ? 3 : i) : more ? b : 7;
        if (less && n > 100)
            break;
        x = less != more ? x / y : __builtin_fma(x, y, 1.0);
    }
    ulong votes = __builtin_amdgcn_uicmp(a, b, 33);
    out[LANE] = n + (int)votes + __builtin_amdgcn_readfirstlane(a) + (int)x + __builtin_amdgcn_readlane(b, n & 31);
}

// Roots and reciprocals of what was just loaded, and 64-bit carries.
kernel void functions(global float *out, global const float *in, global ulong *sums) {
    float a = in[LANE], b = in[64 + LANE];
    float r = __builtin_amdgcn_rsqf(a) * __builtin_amdgcn_rcpf(b) + __builtin_amdgcn_sqrtf(a * b);
    out[LANE] = r / a + __builtin_amdgcn_logf(r) * __builtin_amdgcn_exp2f(b);
    sums[LANE] = sums[64 + LANE] + sums[128] * 3 + (sums[129] >> 7);
}

// A list of loads, each for the address of the next.
kernel void chain(global int *out, global int *global *p, constant int *table, int which) {
    int a = table[which], b = table[a & 15];
    global int *first = p[b], *second = p[LANE];
    out[LANE] = first[LANE] + second[a] + table[b & 15];
    out[64 + LANE] = *p[first[1]];
}
