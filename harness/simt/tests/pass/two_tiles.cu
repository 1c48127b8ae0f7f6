// launch: mix<<<2, 64>>>(x: f32[128] = index, y: f32[128], 17)
// Dynamic shared memory cut in pieces, and a pointer that goes from one to the next.
// launch: cut<<<1, 64, 768>>>(x, y)
extern "C" __global__ void mix(const float* x, float* y, int turn) {
    __shared__ float tile[2][64];
    int t = threadIdx.x, b = blockIdx.x * 64;
    tile[0][t] = x[b + t];
    tile[1][t] = -x[b + t];
    __syncthreads();
    const float* flat = &tile[0][0];
    y[b + t] = flat[(t * 2 + turn) % 128];
}
extern "C" __global__ void cut(const float* x, float* y) {
    extern __shared__ float words[];
    float* a = words;
    float* b = a + 64;
    int* c = reinterpret_cast<int*>(b + 64);
    int t = threadIdx.x;
    a[t] = x[t];
    b[t] = 2 * x[t];
    c[t] = t;
    __syncthreads();
    y[t] = words[(t * 3) % 128] + c[63 - t];
}
