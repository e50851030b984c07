// More values at once than the number of a vector register has room for.
#define LANE __builtin_amdgcn_workitem_id_x()

__attribute__((amdgpu_waves_per_eu(1, 1), amdgpu_flat_work_group_size(64, 64)))
kernel void wide(global float *out, global const float *in) {
    float all[300];
#pragma unroll
    for (int i = 0; i < 300; i++)
        all[i] = in[i * 64 + LANE];
#pragma unroll
    for (int i = 0; i < 150; i++)
        out[i * 64 + LANE] = all[i] * all[299 - i] + all[(i * 7 + 3) % 300];
}
