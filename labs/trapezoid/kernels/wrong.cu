// The rule as trapezoid.cu has it, each kernel with one mistake that textbooks show or students make.
//
//  1 trap_plain_add          like trap_atomic, but with +=: two threads may read the same sum, and one addition is lost
//  2 trap_thread_0_starts    like trap_atomic, but thread 0 puts the ends into *sum, and no thread waits for it
//  3 trap_early_return       like trap_shuffle_32, but a thread without a point returns before the shuffles
//  4 trap_barrier_in_if      like trap_shuffle, but only the lanes that write a sum go to the barrier
//  5 trap_no_first_barrier   like trap_two_barriers, without the first: a sum is written over values in use
//  6 trap_no_second_barrier  like trap_two_barriers, without the second: warp 0 does not wait for the sums
//  7 trap_unset_word         like trap_shared, but > where >= belongs: one word of the second array is never written

#define ALL_LANES 0xffffffffu

__device__ float f(float x) { return x * x + 1.0f; }

__device__ long long thread_index() { return (long long)blockIdx.x * blockDim.x + threadIdx.x; }

__device__ float inner(float a, float h, long long n, long long i) {
    return 0 < i && i < n ? f(a + i * h) : 0.0f;
}

__device__ float warp_sum(float value) {
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_down_sync(ALL_LANES, value, distance);
    return value;
}

__device__ float shared_sum(float *words) {
    int lane = threadIdx.x % 32;
    for (int distance = 16; distance > 0; distance /= 2) {
        float sum = words[lane] + words[(lane + distance) % 32];
        __syncwarp();
        words[lane] = sum;
        __syncwarp();
    }
    return words[lane];
}

// 1
extern "C" __global__ void trap_plain_add(float a, float h, long long n, float *sum) {
    long long i = thread_index();
    if (0 < i && i < n) *sum += f(a + i * h);
}

// 2: what the others have added before thread 0 writes is lost.
extern "C" __global__ void trap_thread_0_starts(float a, float h, long long n, float *sum) {
    long long i = thread_index();
    if (i == 0) *sum = (f(a) + f(a + n * h)) / 2.0f;
    if (0 < i && i < n) atomicAdd(sum, f(a + i * h));
}

// 3: the mask names lanes that have returned. In the first warp lane 0 is one of them, so that its sum is never added.
extern "C" __global__ void trap_early_return(float a, float h, long long n, float *sum) {
    long long i = thread_index();
    if (i <= 0 || i >= n) return;
    float total = warp_sum(f(a + i * h));
    if (threadIdx.x == 0) atomicAdd(sum, total);
}

// 4: the other lanes go on, and the threads at the barrier wait for them.
extern "C" __global__ void trap_barrier_in_if(float a, float h, long long n, float *sum) {
    __shared__ float warp_sums[32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;

    float total = warp_sum(inner(a, h, n, thread_index()));
    if (lane == 0) {
        warp_sums[warp] = total;
        __syncthreads();
    }

    if (warp == 0) {
        total = warp_sum(lane < warps ? warp_sums[lane] : 0.0f);
        if (lane == 0) atomicAdd(sum, total);
    }
}

// 5: the words that the sums of the other warps go to are values that warp 0 may still be adding up.
extern "C" __global__ void trap_no_first_barrier(float a, float h, long long n, float *sum) {
    __shared__ float words[1024];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;

    words[threadIdx.x] = inner(a, h, n, thread_index());
    __syncwarp();
    float total = shared_sum(words + warp * 32);
    if (lane == 0) words[warp] = total;
    __syncthreads();

    if (warp == 0) {
        if (lane >= warps) words[lane] = 0.0f;
        __syncwarp();
        total = shared_sum(words);
        if (lane == 0) atomicAdd(sum, total);
    }
}

// 6
extern "C" __global__ void trap_no_second_barrier(float a, float h, long long n, float *sum) {
    __shared__ float words[1024];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;

    words[threadIdx.x] = inner(a, h, n, thread_index());
    __syncwarp();
    float total = shared_sum(words + warp * 32);
    __syncthreads();
    if (lane == 0) words[warp] = total;

    if (warp == 0) {
        if (lane >= warps) words[lane] = 0.0f;
        __syncwarp();
        total = shared_sum(words);
        if (lane == 0) atomicAdd(sum, total);
    }
}

// 7: with 32 warps every word is written; with 8, word 8 is not.
extern "C" __global__ void trap_unset_word(float a, float h, long long n, float *sum) {
    __shared__ float words[1024];
    __shared__ float warp_sums[32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;

    words[threadIdx.x] = inner(a, h, n, thread_index());
    __syncwarp();
    float total = shared_sum(words + warp * 32);
    if (lane == 0) warp_sums[warp] = total;
    __syncthreads();

    if (warp == 0) {
        if (lane > warps) warp_sums[lane] = 0.0f;
        __syncwarp();
        total = shared_sum(warp_sums);
        if (lane == 0) atomicAdd(sum, total);
    }
}
