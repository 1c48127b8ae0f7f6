// launch: copy<<<1, 32>>>(x: f32[32] = index, null)
extern "C" __global__ void copy(float* x, float* y) {
    if (y) y[threadIdx.x] = x[threadIdx.x];
    else x[threadIdx.x] += 1;
}
