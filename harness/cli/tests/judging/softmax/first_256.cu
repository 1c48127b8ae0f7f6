// wrong: should be
// A thread has one element, so that those behind the first 256 of a row are left out.
// launch: softmax<<<rows, 256>>>(x, y, cols)
extern "C" __global__ void softmax(const float* x, float* y, int cols) {
    __shared__ float sum;
    if (threadIdx.x == 0) {
        sum = 0.0f;
    }
    __syncthreads();
    float mine = threadIdx.x < cols ? expf(x[(size_t)blockIdx.x * cols + threadIdx.x]) : 0.0f;
    atomicAdd(&sum, mine);
    __syncthreads();
    if (threadIdx.x < cols) {
        y[(size_t)blockIdx.x * cols + threadIdx.x] = mine / sum;
    }
}
