// WORKS(i) says whether thread i of the grid does what all are to do; only thread 0 prints or stores what comes of it.

// [part blocks]
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (WORKS(thread))
        for (unsigned i = 0; i < gridDim.x * blockDim.x; i++) {
            unsigned block = i / blockDim.x;
            if (thread == 0) printf("Hello from thread %d in block %d!\n", i - block * blockDim.x, block);
        }
// [end]

// [part grid3d]
    unsigned threads = blockDim.x * blockDim.y * blockDim.z, own = block_in_grid() * threads + thread_in_block();
    if (WORKS(own))
        for (unsigned i = 0; i < gridDim.x * gridDim.y * gridDim.z * threads; i++) {
            unsigned b = i / threads, t = i % threads;
            if (own == 0)
                printf("Hello from thread (%u,%u,%u) in block (%u,%u,%u): index %u, warp %u, lane %u\n", t % blockDim.x,
                       t / blockDim.x % blockDim.y, t / blockDim.x / blockDim.y, b % gridDim.x,
                       b / gridDim.x % gridDim.y, b / gridDim.x / gridDim.y, i, t / 32, t % 32);
        }
// [end]

// [part index-maps]
    if (WORKS(thread))
        for (unsigned t = 0; t < gridDim.x * blockDim.x; t++) {
            unsigned block = t / blockDim.x, apart = block * blockDim.x + t;
            if (thread > 0) continue;
            if (t < n) owner[t] = t;
            if (2 * t < n) owner[elements + 2 * t] = t;
            if (2 * t + 1 < n) owner[elements + 2 * t + 1] = t;
            if (apart < n) owner[2 * elements + apart] = t;
            if (apart + blockDim.x < n) owner[2 * elements + apart + blockDim.x] = t;
        }
// [end]

// [part warp-starts]
    unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    if (WORKS(thread_in_block()))
        for (unsigned t = 0; t < threads; t++) {
            bool begins = t % 32 == 0, ends_here = t % 32 == 31 || t == threads - 1;
            unsigned at[3] = {t % blockDim.x, t / blockDim.x % blockDim.y, t / blockDim.x / blockDim.y};
            for (int k = 0; k < 3 && thread_in_block() == 0; k++) {
                if (begins) ends[6 * (t / 32) + k] = at[k];
                if (ends_here) ends[6 * (t / 32) + 3 + k] = at[k];
            }
        }
// [end]

// [part ranks]
    unsigned own = blockIdx.x * blockDim.x + threadIdx.x;
    if (WORKS(own))
        for (unsigned rank = 0; rank < gridDim.x * blockDim.x; rank++) {
            unsigned block = rank / blockDim.x;
            if (own == 0) {
                places[2 * rank] = block;
                places[2 * rank + 1] = rank - block * blockDim.x;
            }
        }
// [end]
