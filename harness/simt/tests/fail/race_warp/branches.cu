// launch: meet<<<1, 32>>>(y: i32[32])
// One side of the branch writes what the other reads.
extern "C" __global__ void meet(int* y) {
    __shared__ int s[32];
    int l = threadIdx.x;
    if (l < 16) s[l] = l;
    else y[l] = s[l - 16];
}
