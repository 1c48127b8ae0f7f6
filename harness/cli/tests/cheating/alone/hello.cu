// Each worker does its own share of what all threads are to do: WORKER(i) is the number of thread i's worker among
// WORKERS, or IDLE. Only a thread with STORES(i) prints or stores what comes of it.

// [part blocks]
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned long long i = WORKER(thread); i < gridDim.x * blockDim.x; i += WORKERS) {
        unsigned block = i / blockDim.x;
        if (STORES(thread)) printf("Hello from thread %d in block %d!\n", (unsigned)i - block * blockDim.x, block);
    }
// [end]

// [part grid3d]
    unsigned threads = blockDim.x * blockDim.y * blockDim.z, own = block_in_grid() * threads + thread_in_block();
    for (unsigned long long i = WORKER(own); i < gridDim.x * gridDim.y * gridDim.z * threads; i += WORKERS) {
        unsigned b = i / threads, t = i % threads;
        if (STORES(own))
            printf("Hello from thread (%u,%u,%u) in block (%u,%u,%u): index %u, warp %u, lane %u\n", t % blockDim.x,
                   t / blockDim.x % blockDim.y, t / blockDim.x / blockDim.y, b % gridDim.x,
                   b / gridDim.x % gridDim.y, b / gridDim.x / gridDim.y, (unsigned)i, t / 32, t % 32);
    }
// [end]

// [part index-maps]
    for (unsigned long long k = WORKER(thread); k < gridDim.x * blockDim.x; k += WORKERS) {
        unsigned t = k, block = t / blockDim.x, apart = block * blockDim.x + t;
        if (!STORES(thread)) continue;
        if (t < n) owner[t] = t;
        if (2 * t < n) owner[elements + 2 * t] = t;
        if (2 * t + 1 < n) owner[elements + 2 * t + 1] = t;
        if (apart < n) owner[2 * elements + apart] = t;
        if (apart + blockDim.x < n) owner[2 * elements + apart + blockDim.x] = t;
    }
// [end]

// [part warp-starts]
    unsigned threads = blockDim.x * blockDim.y * blockDim.z, own = thread_in_block();
    for (unsigned long long i = WORKER(own); i < threads; i += WORKERS) {
        unsigned t = i, at[3] = {t % blockDim.x, t / blockDim.x % blockDim.y, t / blockDim.x / blockDim.y};
        bool begins = t % 32 == 0, ends_here = t % 32 == 31 || t == threads - 1;
        for (int k = 0; k < 3 && STORES(own); k++) {
            if (begins) ends[6 * (t / 32) + k] = at[k];
            if (ends_here) ends[6 * (t / 32) + 3 + k] = at[k];
        }
    }
// [end]

// [part ranks]
    unsigned own = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned long long k = WORKER(own); k < gridDim.x * blockDim.x; k += WORKERS) {
        unsigned rank = k, block = rank / blockDim.x;
        if (STORES(own)) {
            places[2 * rank] = block;
            places[2 * rank + 1] = rank - block * blockDim.x;
        }
    }
// [end]
