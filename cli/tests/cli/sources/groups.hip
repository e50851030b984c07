// Templates and inline functions, whose code is in groups of sections that a linker keeps once.
#define global __attribute__((global))
#define device __attribute__((device))
template <class T> device __attribute__((noinline)) T twice(T x) { return x * x + x; }
template <class T> global void kernel(T *a, int n) {
    __attribute__((shared)) static T t[64];
    int i = __builtin_amdgcn_workitem_id_x();
    t[i & 63] = a[i];
    __builtin_amdgcn_s_barrier();
    if (i < n) a[i] = twice(t[(i + 1) & 63]);
}
template global void kernel<float>(float *, int);
template global void kernel<int>(int *, int);
device int table[4] = {1, 2, 3, 4};
__attribute__((constant)) float numbers[3] = {1.f, 2.f, 3.f};
device int (*pointer)(int);
device __attribute__((noinline)) int again(int n) { return n < 2 ? n : again(n - 1) + again(n - 2); }
global void calls(int *a, int n) {
    a[0] = again(n) + table[n & 3] + (int)numbers[n % 3] + (pointer ? pointer(n) : 0);
    switch (n) {
    case 0: a[1] = 3; break;
    case 1: a[2] = 4; break;
    case 2: a[3] = 7; break;
    case 3: a[4] = 9; break;
    case 5: a[5] = 2; break;
    }
}
