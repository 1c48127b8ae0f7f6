// Mutants of index_maps, warp_ends and grid_ranks: the second of two elements is never taken, no warp begins anywhere,
// and the ranks run through the blocks first.
extern "C" __global__ void index_maps(unsigned *owner, unsigned n, unsigned elements) {
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread < n) owner[thread] = thread;
    if (2 * thread < n) owner[elements + 2 * thread] = thread;
    unsigned apart = 2 * blockIdx.x * blockDim.x + threadIdx.x;
    if (apart < n) owner[2 * elements + apart] = thread;
}

extern "C" __global__ void warp_ends(unsigned *ends) {}

extern "C" __global__ void grid_ranks(unsigned *places) {
    unsigned rank = threadIdx.x * gridDim.x + blockIdx.x;
    places[2 * rank] = blockIdx.x;
    places[2 * rank + 1] = threadIdx.x;
}
