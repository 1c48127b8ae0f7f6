// Mutants of index_maps and lane_zeros: the second of two elements is never taken, and no warp begins anywhere.
extern "C" __global__ void index_maps(unsigned *owner, unsigned n, unsigned elements) {
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread < n) owner[thread] = thread;
    if (2 * thread < n) owner[elements + 2 * thread] = thread;
    unsigned apart = 2 * blockIdx.x * blockDim.x + threadIdx.x;
    if (apart < n) owner[2 * elements + apart] = thread;
}

extern "C" __global__ void lane_zeros(unsigned *starts) {}
