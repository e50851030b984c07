// Calls: functions that stay functions, recursion, calls through pointers, arguments on the stack, loads and stores around them.
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable
#define LANE __builtin_amdgcn_workitem_id_x()
#define ALONE __attribute__((noinline))

typedef struct node {
    global struct node *next;
    int value;
} node;

typedef int (*combine)(int, int);

// The result is loaded when the function returns.
ALONE int first(global const int *in) { return in[LANE]; }

// The store is under way when the function returns.
ALONE void put(global int *out, int value) { out[LANE] = value; }

ALONE void put_local(local int *out, int value) { out[LANE & 63] = value; }

ALONE int sum(int a, int b) { return a + b; }

ALONE int larger(int a, int b) { return a > b ? a : b; }

// More arguments than there are registers for, and an array on the stack.
ALONE int many(int16 a, int16 b, int16 c, global const int *in) {
    int kept[8];
    for (int i = 0; i < 8; i++)
        kept[i] = in[i * 64 + LANE];
    return a.s0 + b.s7 + c.sf + kept[LANE & 7] + kept[a.s1 & 7];
}

ALONE int length(global const node *list) { return list ? 1 + length(list->next) : 0; }

ALONE int tree(int depth, global const int *in) {
    if (depth == 0)
        return in[LANE];
    int left = tree(depth - 1, in), right = tree(depth - 1, in + 64);
    return left + right + in[depth];
}

kernel void loads_around_calls(global int *out, global const int *in) {
    int a = in[64 + LANE];
    int b = first(in);
    put(out, a + b);
    int c = sum(in[128 + LANE], b);
    out[64 + LANE] = c;
    put(out + 128, c);
}

kernel void through_pointers(global int *out, global const int *in, int which) {
    combine f = which ? sum : larger;
    out[LANE] = f(in[LANE], in[64 + LANE]) + f(in[128 + LANE], 5);
}

kernel void recursion(global int *out, global const int *in, global const node *list) {
    out[LANE] = tree(3, in) + length(list);
}

kernel void on_the_stack(global int *out, global const int *in, global const int16 *wide) {
    out[LANE] = many(wide[0], wide[LANE], wide[64 + LANE], in);
}

kernel void through_lds(global int *out, global const int *in) {
    local int shared[64];
    put_local(shared, in[LANE]);
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    put(out, shared[63 - (LANE & 63)]);
}
