// Blurs on a line that are wrong on purpose: three as a course prints them, and one without its barrier.
// past_the_end leaves the first and the last element of y alone, fused_printed two at each end.
//
//  no_barrier     like blur_shared in line.cu, but no thread waits for what its neighbours load.
//  past_the_end   one block of n - 2 threads for n elements, n floats of shared memory: the thread that loads
//                 both ends takes n for the index of the last element.
//  barrier_in_if  like past_the_end, with the right index and a thread that sees to the ends, but the barrier is
//                 inside the `if`: right only where no thread is left over.
//  fused_printed  like blur_twice in line.cu, but the first blur comes straight from global memory, and the halo
//                 on the right is taken to lie one block further, even where the block is not full.

__device__ float blur(const float* x, size_t i) { return 0.25f * x[i - 1] + 0.5f * x[i] + 0.25f * x[i + 1]; }

// Takes blockDim.x + 2 floats of dynamic shared memory.
extern "C" __global__ void no_barrier(const float* x, float* y, unsigned long long n) {
    extern __shared__ float s[];
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned t = threadIdx.x;
    s[t + 1] = i < n ? x[i] : 0.0f;
    if (t == 0) s[0] = i > 0 ? x[i - 1] : 0.0f;
    if (t == blockDim.x - 1) s[t + 2] = i + 1 < n ? x[i + 1] : 0.0f;
    if (i < n) y[i] = 0.25f * s[t] + 0.5f * s[t + 1] + 0.25f * s[t + 2];
}

extern "C" __global__ void past_the_end(const float* x, float* y, unsigned long long n) {
    extern __shared__ float buffer[];
    unsigned i = threadIdx.x + 1;
    if (i < n - 1) {
        buffer[i] = x[i];
        if (i == 1) {
            buffer[0] = x[0];
            buffer[n] = x[n];  // the last element is n - 1
        }
        __syncthreads();
        y[i] = blur(buffer, i);
    }
}

extern "C" __global__ void barrier_in_if(const float* x, float* y, unsigned long long n) {
    extern __shared__ float buffer[];
    unsigned i = threadIdx.x + 1;
    if (i < n - 1) {
        buffer[i] = x[i];
        if (i == 1) {
            buffer[0] = x[0];
            buffer[n - 1] = x[n - 1];
        }
        __syncthreads();  // the threads past the end never reach this
        y[i] = blur(buffer, i);
    }
    if (i == n - 1) {
        y[0] = 0.5f * x[0] + 0.25f * x[1];
        y[i] = 0.25f * x[i - 1] + 0.5f * x[i];
    }
}

// Takes blockDim.x + 4 floats of dynamic shared memory. The thread's own cell is threadIdx.x + 2.
extern "C" __global__ void fused_printed(const float* x, float* y, unsigned long long n) {
    extern __shared__ float once[];
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x + 2;
    unsigned t = threadIdx.x + 2;
    if (i < n - 2) {
        once[t] = blur(x, i);
        if (threadIdx.x == 0) {
            once[1] = blur(x, i - 1);
            once[blockDim.x + 2] = blur(x, i + blockDim.x);  // in the last block that is past the end
        }
        __syncthreads();  // and this is not reached by all
        y[i] = blur(once, t);
    }
}
