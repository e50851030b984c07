// y = a * x + y: the smallest kernel that does something, and the one that the README shows.
kernel void saxpy(global float *y, global const float *x, float a, uint n) {
    uint i = __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();
    if (i < n)
        y[i] += a * x[i];
}
