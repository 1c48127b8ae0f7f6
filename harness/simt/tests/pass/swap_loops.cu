// launch: in_shared<<<2, 128>>>(a: f64[2])
// launch: in_global<<<2, 128>>>(b: f64[1])
// The loop of CUDA's programming guide begins with a plain read, in shared memory as in global memory.
static __device__ double add(double* address, double value) {
    unsigned long long* words = (unsigned long long*)address;
    unsigned long long old = *words, assumed;
    do {
        assumed = old;
        old = atomicCAS(words, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
    } while (assumed != old);
    return __longlong_as_double(old);
}
extern "C" __global__ void in_shared(double* out) {
    __shared__ double s;
    if (threadIdx.x == 0) s = 0;
    __syncthreads();
    add(&s, 1.0);
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = s;
}
extern "C" __global__ void in_global(double* out) {
    add(out, 1.0);
}
