// Warps draw tickets for the next 32 elements, in whatever order they come. The last ticket winds the counter back.
__device__ unsigned next_ticket;

template <class F>
__device__ void for_each_of_warp(unsigned long long n, F&& f) {
    unsigned lane = threadIdx.x % 32, warps = gridDim.x * ((blockDim.x + 31) / 32), ticket = 0;
    if (lane == 0) ticket = atomicInc(&next_ticket, warps - 1);
    ticket = __shfl_sync(__activemask(), ticket, 0);
    for (unsigned long long i = 32ull * ticket + lane; i < n; i += 32ull * warps) f(i);
}

// [part add]
    for_each_of_warp(n, [=](unsigned long long i) { z[i] = x[i] + y[i]; });
// [end]

// [part stride]
    for_each_of_warp(n, [=](unsigned long long i) { z[i] = x[i] + y[i]; });
// [end]
