// launch: split<<<1, 32, 512>>>(y: f64[32], 33)
// Dynamic shared memory is split behind an odd number of floats.
extern "C" __global__ void split(double* y, int n) {
    extern __shared__ float a[];
    double* b = reinterpret_cast<double*>(a + n);
    b[threadIdx.x] = threadIdx.x;
    y[threadIdx.x] = b[threadIdx.x];
}
