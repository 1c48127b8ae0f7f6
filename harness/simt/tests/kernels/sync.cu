// What threads do together.

extern "C" __global__ void shuffles(int* out, int width_log) {
    int i = threadIdx.x;
    const unsigned all = 0xffffffff;
    int v = i * 10;
    out[i] = __shfl_up_sync(all, v, 3);
    out[32 + i] = __shfl_down_sync(all, v, 3);
    out[64 + i] = __shfl_xor_sync(all, v, 5);
    out[96 + i] = __shfl_sync(all, v, i * 7);
    out[128 + i] = __shfl_up_sync(all, v, 1, 8);
    out[160 + i] = __shfl_down_sync(all, v, 2, 8);
    out[192 + i] = __shfl_xor_sync(all, v, 1, 4);
    out[224 + i] = __shfl_sync(all, v, 2, 16);
    int partial = -1;
    if (i < 20) partial = __shfl_sync(0xfffff, v, (i + 1) % 20);
    out[256 + i] = partial;
    unsigned mine = i < 16 ? 0xffffu : 0xffff0000u;
    out[288 + i] = __shfl_xor_sync(mine, v, 1, 1 << width_log);
    long long wide = __shfl_down_sync(all, (long long)v << 33, 1);
    out[320 + i] = (int)(wide >> 33);
}

extern "C" __global__ void votes(unsigned* out) {
    int i = threadIdx.x;
    const unsigned all = 0xffffffff;
    out[i] = __any_sync(all, i == 7) + 2 * __all_sync(all, i < 32) + 4 * __any_sync(all, i > 99) + 8 * __all_sync(all, i < 31);
    out[32 + i] = __ballot_sync(all, i % 3 == 0);
    unsigned r = 0;
    if (i % 2) r = __ballot_sync(0xaaaaaaaa, i > 9); else r = __activemask();
    out[64 + i] = r;
    out[96 + i] = __match_any_sync(all, i / 5);
    int same;
    out[128 + i] = __match_all_sync(all, 4, &same) + same;
    out[160 + i] = __match_all_sync(all, i / 31, &same) + same;
    out[192 + i] = __reduce_add_sync(all, i);
    out[224 + i] = __reduce_min_sync(all, i - 5);
    out[256 + i] = __reduce_max_sync(all, (unsigned)(i * 3));
    out[288 + i] = __reduce_xor_sync(all, i);
    out[320 + i] = __match_any_sync(all, (unsigned long long)(i & 1) << 40);
}

extern "C" __global__ void reverse(int* data) {
    extern __shared__ int tile[];
    int i = threadIdx.x;
    tile[i] = data[blockIdx.x * blockDim.x + i];
    __syncthreads();
    data[blockIdx.x * blockDim.x + i] = tile[blockDim.x - 1 - i];
}

extern "C" __global__ void counts(int* out) {
    int i = threadIdx.x;
    out[i] = __syncthreads_count(i % 3 == 0) * 100 + (__syncthreads_and(i < 1000) != 0) * 10 + (__syncthreads_or(i == 77) != 0);
}

// Warps hand a value round through named barriers: producers arrive, consumers wait.
extern "C" __global__ void named(int* out) {
    __shared__ int box;
    int warp = threadIdx.x / 32;
    if (warp == 0) {
        if (threadIdx.x == 0) box = 42;
        __threadfence_block();
        asm volatile("bar.arrive 1, 64;" ::: "memory");
        out[threadIdx.x] = 1;
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[threadIdx.x] = box;
    }
}

// A lock that lanes of one warp take in turn, with the release behind the loop.
extern "C" __global__ void lock_after(int* lock, int* sum) {
    while (atomicCAS(lock, 0, 1) != 0) { }
    __threadfence();
    int v = *(volatile int*)sum;
    *(volatile int*)sum = v + 1;
    __threadfence();
    atomicExch(lock, 0);
}

// The same with the release inside the loop.
extern "C" __global__ void lock_inside(int* lock, int* sum) {
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            *(volatile int*)sum = *(volatile int*)sum + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

// Lane 31 waits for lane 0 and the block behind waits for the one before.
extern "C" __global__ void chain(volatile int* flag, int* out) {
    int i = threadIdx.x;
    if (i == 31) { while (flag[blockIdx.x * 2] == 0) { } out[blockIdx.x] = flag[blockIdx.x * 2]; }
    if (i == 0) {
        if (blockIdx.x > 0) while (flag[blockIdx.x * 2 - 1] == 0) { }
        flag[blockIdx.x * 2] = blockIdx.x + 1;
        __threadfence();
        flag[blockIdx.x * 2 + 1] = 1;
    }
}

// __syncwarp in two branches: the lanes meet although they are at different instructions.
extern "C" __global__ void syncwarp(int* out) {
    __shared__ volatile int s[32];
    int i = threadIdx.x;
    s[i] = i;
    if (i < 16) { s[i] = i + 1; __syncwarp(); out[i] = s[i + 16]; }
    else { s[i] = i + 2; __syncwarp(); out[i] = s[i - 16]; }
}

extern "C" __global__ void last_block(const int* in, int* partial, unsigned* ticket, int* out, int n) {
    __shared__ int s[128];
    __shared__ bool last;
    int i = threadIdx.x;
    int v = 0;
    for (int k = blockIdx.x * blockDim.x + i; k < n; k += gridDim.x * blockDim.x) v += in[k];
    s[i] = v;
    for (int step = blockDim.x / 2; step > 0; step /= 2) { __syncthreads(); if (i < step) s[i] += s[i + step]; }
    if (i == 0) {
        partial[blockIdx.x] = s[0];
        __threadfence();
        last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && i == 0) { int t = 0; for (int b = 0; b < gridDim.x; b++) t += ((volatile int*)partial)[b]; *out = t; }
}

extern "C" __global__ void deadlock_shuffle(int* out) {
    int i = threadIdx.x;
    if (i < 16) out[i] = __shfl_sync(0xffffffff, i, 0);
    else { __syncthreads(); out[i] = i; }
}

extern "C" __global__ void deadlock_barrier(int* out) {
    if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;"); else asm volatile("bar.sync 2, 64;");
    out[threadIdx.x] = 1;
}

extern "C" __global__ void forever(volatile int* flag) { while (*flag == 0) { } }
