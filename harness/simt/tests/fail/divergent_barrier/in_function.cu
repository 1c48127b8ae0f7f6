// launch: sum<<<1, 32>>>(x: i32[32] = index, y: i32[1])
// A helper with a barrier inside, called by some of the threads.
__device__ __forceinline__ int total(int* s, int t, int n) {
    for (int d = n / 2; d > 0; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    return s[0];
}
extern "C" __global__ void sum(const int* x, int* y) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    if (t < 16) {
        int v = total(s, t, 16);
        if (t == 0) *y = v;
    }
    if (t == 31) *y = -1;
}
