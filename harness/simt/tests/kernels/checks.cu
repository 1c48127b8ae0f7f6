// Kernels for the race and initialisation checks: each mistake next to the program that does it right.

// Global memory: every thread adds to the same few counts.
extern "C" __global__ void plain_count(const unsigned* in, unsigned* counts, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) counts[in[i]] += 1;
}
extern "C" __global__ void atomic_count(const unsigned* in, unsigned* counts, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&counts[in[i]], 1u);
}

// Shared memory: a tree sum, whose rounds need a barrier between them.
extern "C" __global__ void tree_no_barrier(const float* in, float* out) {
    __shared__ float s[256];
    unsigned t = threadIdx.x;
    s[t] = in[t];
    for (unsigned d = blockDim.x / 2; d > 0; d /= 2) {
        if (t < d) s[t] += s[t + d];
    }
    if (t == 0) *out = s[0];
}
extern "C" __global__ void tree(const float* in, float* out) {
    __shared__ float s[256];
    unsigned t = threadIdx.x;
    s[t] = in[t];
    for (unsigned d = blockDim.x / 2; d > 0; d /= 2) {
        __syncthreads();
        if (t < d) s[t] += s[t + d];
    }
    if (t == 0) *out = s[0];
}

// One warp: a dissemination sum, with and without __syncwarp.
extern "C" __global__ void lockstep(float* out) {
    __shared__ volatile float s[32];
    unsigned l = threadIdx.x;
    s[l] = l;
    for (unsigned d = 16; d > 0; d /= 2) s[l] += s[(l + d) % 32];
    out[l] = s[l];
}
extern "C" __global__ void in_step(float* out) {
    __shared__ float s[32];
    unsigned l = threadIdx.x;
    s[l] = l;
    __syncwarp();
    for (unsigned d = 16; d > 0; d /= 2) {
        float v = s[l] + s[(l + d) % 32];
        __syncwarp();
        s[l] = v;
        __syncwarp();
    }
    out[l] = s[l];
}

// The last block to finish adds up what the others left.
__device__ void last_block(const float* in, float* parts, unsigned* done, float* out, bool fence) {
    __shared__ float s[64];
    __shared__ bool last;
    unsigned t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    for (unsigned d = 32; d > 0; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) {
        parts[blockIdx.x] = s[0];
        if (fence) __threadfence();
        last = atomicAdd(done, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        float sum = 0;
        for (unsigned b = 0; b < gridDim.x; b++) sum += parts[b];
        *out = sum;
        *done = 0;
    }
}
extern "C" __global__ void last_block_fence(const float* in, float* parts, unsigned* done, float* out) {
    last_block(in, parts, done, out, true);
}
extern "C" __global__ void last_block_no_fence(const float* in, float* parts, unsigned* done, float* out) {
    last_block(in, parts, done, out, false);
}

// A lock around a plain counter.
extern "C" __global__ void locked(unsigned* lock, unsigned* count) {
    for (bool done = false; !done;) {
        if (atomicCAS(lock, 0u, 1u) == 0u) {
            *count += 1;
            __threadfence();
            atomicExch(lock, 0u);
            done = true;
        }
    }
}
extern "C" __global__ void locked_no_fence(unsigned* lock, unsigned* count) {
    for (bool done = false; !done;) {
        if (atomicCAS(lock, 0u, 1u) == 0u) {
            *count += 1;
            atomicExch(lock, 0u);
            done = true;
        }
    }
}

// A chain of blocks: each waits for its predecessor's flag.
extern "C" __global__ void chain(volatile unsigned* flags, unsigned* values) {
    unsigned b = blockIdx.x;
    if (threadIdx.x == 0) {
        unsigned before = 0;
        if (b > 0) {
            while (flags[b - 1] == 0) {}
            __threadfence();
            before = values[b - 1];
        }
        values[b] = before + b;
        __threadfence();
        flags[b] = 1;
    }
}

// Reads of values that were never written.
extern "C" __global__ void half_written(float* out) {
    __shared__ float s[64];
    unsigned t = threadIdx.x;
    if (t < 32) s[t] = t;
    __syncthreads();
    out[t] = s[t];
}
extern "C" __global__ void copy(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x]; }
extern "C" __global__ void local_hole(const int* index, int* out) {
    int a[8];
    for (int i = 0; i < 4; i++) a[index[i]] = i;
    out[threadIdx.x] = a[index[threadIdx.x]];
}
