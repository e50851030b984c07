// Atomics, halves, bytes, buffers, scalar loads and control flow: many formats in little code.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define LANE __builtin_amdgcn_workitem_id_x()
#if !defined(__GFX6__) && !defined(__GFX7__)
#define HALF 1
#endif

// Scoped atomics on global memory and LDS, with and without the old value.
kernel void atomics(global uint *g, global ulong *g64, global uint *out) {
    local uint bins[64];
    bins[LANE & 63] = 0;
    __builtin_amdgcn_s_barrier();
    __atomic_fetch_add(&bins[g[LANE] & 63], 1u, __ATOMIC_RELAXED);
    uint old = __atomic_fetch_max(&g[64], LANE, __ATOMIC_RELAXED);
    __atomic_fetch_xor(&g[65], old, __ATOMIC_RELAXED);
    __atomic_fetch_add(&g64[1], (ulong)old, __ATOMIC_ACQ_REL);
    uint expected = old;
    __atomic_compare_exchange_n(&g[66], &expected, LANE, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    __builtin_amdgcn_s_barrier();
    out[LANE] = bins[LANE & 63] + expected;
}

// Bytes: sub-dword operands where the target has them, else shifts and masks.
kernel void blend(global uchar4 *dst, global const uchar4 *src, uint n) {
    uint i = __builtin_amdgcn_workgroup_id_x() * 64 + LANE;
    if (i >= n)
        return;
    ushort4 s = __builtin_convertvector(src[i], ushort4), d = __builtin_convertvector(dst[i], ushort4);
    ushort alpha = s.w;
    ushort4 mix = (s * alpha + d * (ushort)(255 - alpha)) >> (ushort)8;
    dst[i] = __builtin_convertvector(mix, uchar4);
}

kernel void bytes_to_floats(global float4 *out, global const uchar4 *in, global const short2 *w) {
    uchar4 b = in[LANE];
    short2 k = w[LANE];
    out[LANE] = (float4)(b.x, b.y, b.z, b.w) * (float)k.x + (float)(k.y * (short)b.x);
}

#ifdef HALF
// Halves, alone and two at a time; the constants do not all fit inline.
kernel void halves(global half2 *out, global const half2 *in, half2 a) {
    half2 v = in[LANE], w = in[64 + LANE];
    half2 r = v * a + w;
    r = __builtin_elementwise_min(__builtin_elementwise_max(r, (half2)(-4.0h, 0.15915494h)), (half2)(2.0h, 1000.0h));
    out[LANE] = (half2)(r.x + (half)(float)v.y, -r.y * __builtin_elementwise_abs(w.x));
}
#endif

// Doubles, transcendental functions, and a loop that lanes leave one after the other.
kernel void newton(global double *out, global const double *in, float start) {
    double x = start, c = in[LANE];
    for (int i = 0; i < 50; i++) {
        double next = x - (x * x - c) / (x + x);
        if (__builtin_fabs(next - x) < 1e-12)
            break;
        x = next;
    }
    float t = __builtin_amdgcn_sinf((float)x) * __builtin_amdgcn_exp2f(start) + __builtin_amdgcn_rcpf((float)c);
    out[LANE] = x + (double)__builtin_amdgcn_fractf(t);
}

// A table in constant memory, indexed by a scalar; buffer accesses; a jump with several targets.
kernel void dispatch(global uint *out, constant uint *table, uint which, __amdgpu_buffer_rsrc_t buffer) {
    uint v = table[which];
    uint b = __builtin_amdgcn_raw_buffer_load_b32(buffer, (int)(LANE * 4), (int)which, 0);
    switch (v & 3) {
    case 0: v = __builtin_bitreverse32(b); break;
    case 1: v = (b << (v & 31)) | (b >> (32 - (v & 31))); break;
    case 2: v = (uint)__builtin_clz(b | 1) * 24u + (b & 0xffffffu) * 17u; break;
    default: v = b % 10u; break;
    }
    __builtin_amdgcn_raw_buffer_store_b32(v + 0x12345678u, buffer, (int)(LANE * 4), 16, 1);
    out[LANE] = v;
}
