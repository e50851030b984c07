// Kernels of which clang's metadata are compared with those that the library makes: tests/metadata.rs has the same
// arguments. Nothing here needs OpenCL's library.

#define ID __builtin_amdgcn_workitem_id_x()
#define HIDDEN ((const constant int *)__builtin_amdgcn_implicitarg_ptr())

typedef struct { int a, b, c; } Twelve;
typedef struct { double a; float b[4]; } TwentyFour;
typedef struct { char a[3]; } Three;

kernel void empty(void) {}

kernel void tail(global int *out, char n) { out[ID] = n; }

kernel void vectors(global float *out, float3 v, char c, short s, double2 d) { out[ID] = v.x + v.z + c + s + d.y; }

kernel void structs(global float *out, Twelve s, TwentyFour t, Three u, int n) {
    out[ID] = s.a + s.c + t.a + t.b[3] + u.a[2] + n;
}

kernel void locals(global float *out, local float *l, local double2 *m, int n) {
    l[ID] = out[ID];
    __builtin_amdgcn_s_barrier();
    out[ID] = l[ID ^ 1] + m[n].y;
}

kernel void fixed_local(global float *restrict out, const global float *in) {
    local float l[64];
    l[ID] = in[ID];
    __builtin_amdgcn_s_barrier();
    out[ID] = l[ID ^ 1];
}

__attribute__((reqd_work_group_size(64, 2, 1)))
kernel void flags(global float *out, constant float *restrict c, const global volatile float *g, read_only image2d_t i,
                  write_only image3d_t j, sampler_t s, read_only pipe int p, queue_t q) {
    out[ID] = c[ID] + g[1];
}

kernel void scratch(global int *out, int n) {
    volatile int a[16];
    for (int i = 0; i < 16; i++) a[i] = out[i];
    out[ID] = a[n];
}

kernel void groups(global int *out) { out[ID] = __builtin_amdgcn_workgroup_size_x(); }

kernel void hidden(global int *out, char n) { out[ID] = HIDDEN[__builtin_amdgcn_workgroup_id_x()] + n; }

kernel void dynamic(global int *out, local int *l) {
    l[ID] = out[ID];
    out[ID ^ 1] = l[ID ^ 1] + HIDDEN[0];
}

kernel void flat(global int *out, local int *l, int n) {
    int a[4];
    a[n & 3] = n;
    generic int *p = n > 3 ? (generic int *)l : n == 2 ? (generic int *)&a[1] : (generic int *)out;
    *p = n;
}

kernel void accumulate(global int *out, int n) {
#if defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx942__)
    __asm volatile("v_accvgpr_write_b32 a9, %0" ::"v"(n) : "a9");
#endif
    out[ID] = n;
}
