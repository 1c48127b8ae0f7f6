// launch: sum<<<1, 20>>>(x: i32[20] = index, y: i32[1])
// Twenty threads, and the usual sum over 32 lanes.
extern "C" __global__ void sum(const int* x, int* y) {
    int v = x[threadIdx.x];
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0x000fffffu, v, d);
    if (threadIdx.x == 0) *y = v;
}
