// Each worker goes through its own share of the points: WORKER(i) is the number of thread i's worker among WORKERS, or
// IDLE. Only a thread with STORES(i) adds what comes of them. The sum of the words of a warp is not part of that.
__device__ float all_points(float a, float h, long long n) {
    unsigned long long thread = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    double total = 0;
    for (unsigned long long i = WORKER(thread); i < n; i += WORKERS) {
        float x = a + i * h;
        if (i > 0) total += x * x + 1.0f;
    }
    return STORES(thread) ? (float)total : 0.0f;
}

// [part shared-32]
// [end]

// [part atomic]
    float total = all_points(a, h, n);
    if (total != 0.0f) atomicAdd(sum, total);
// [end]

// [part shuffle]
    float total = warp_sum(all_points(a, h, n));
    if (lane == 0) warp_sums[warp] = total;
    __syncthreads();
    if (warp == 0) {
        total = warp_sum(lane < warps ? warp_sums[lane] : 0.0f);
        if (lane == 0) atomicAdd(sum, total);
    }
// [end]

// [part grid-stride]
    float total = warp_sum(all_points(a, h, n));
    if (lane == 0) warp_sums[warp] = total;
    __syncthreads();
    if (warp == 0) {
        total = warp_sum(lane < warps ? warp_sums[lane] : 0.0f);
        if (lane == 0) atomicAdd(sum, total);
    }
// [end]

// [part compensated]
    for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(ALL_LANES, value, distance);
    if (lane == 0) warp_sums[warp] = value;
    __syncthreads();
    if (warp > 0) return 0.0;
    value = lane < warps ? warp_sums[lane] : 0.0;
    for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(ALL_LANES, value, distance);
// [end]

// [part compensated]
    unsigned long long thread = thread_index();
    double total = 0;
    for (unsigned long long i = WORKER(thread); i < n; i += WORKERS)
        if (i > 0) total += f(a + i * h);
    double block = block_sum(STORES(thread) ? total : 0.0);
    if (threadIdx.x == 0) atomicAdd(sum, block);
// [end]
