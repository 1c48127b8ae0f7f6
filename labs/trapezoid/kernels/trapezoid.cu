// The trapezoidal rule: h * (f(a)/2 + f(a+h) + ... + f(b-h) + f(b)/2) with f(x) = x*x + 1.
// The host puts f(a)/2 + f(b)/2 in *sum, a kernel adds f at the n-1 inner points, and the host multiplies by h.
// Unless said otherwise: one thread per point, a block size that is a multiple of 32, and blocks * threads >= n.
// What lies between [part ...] and [end] is what `warplab start` leaves to the student.
//
//  1 trap_atomic                   every thread adds its value to *sum
//  2 trap_shuffle_32               like 1, but one warp per block: the warp adds up by shuffles, lane 0 adds to *sum
//  3 trap_shared_32                like 2, but the warp adds up in shared memory
//  4 trap_shuffle                  like 2, but up to 32 warps per block: warp 0 adds up the warps' sums
//  5 trap_shared                   like 4, but in shared memory, with a second array for the warps' sums
//  6 trap_race                     like 5, but warp 0 does not wait for the others: WRONG
//  7 trap_two_barriers             like 5, but one array serves both purposes, which takes a second barrier
//  8 trap_own_first                like 5, but each sum stays in the first word of its warp: all words are in one bank
//  9 trap_lockstep                 like 3, but without __syncwarp, as before Volta: WRONG
// 10 trap_grid_stride              like 4, but each thread takes many points, so that few atomics are left
// 11 trap_grid_stride_compensated  like 10, but each thread carries over what was lost by rounding
// 12 trap_grid_stride_f64          like 10, but in double precision

#define ALL_LANES 0xffffffffu

__device__ float f(float x) { return x * x + 1.0f; }

// The thread's own number in the grid.
__device__ long long thread_index() { return (long long)blockIdx.x * blockDim.x + threadIdx.x; }

// f at point i of the rule; 0 at the ends, which the host adds, and beyond them.
__device__ float inner(float a, float h, long long n, long long i) {
    return 0 < i && i < n ? f(a + i * h) : 0.0f;
}

// The sum of `value` over the lanes of the warp, as a tree; only lane 0 gets the right result.
__device__ float warp_sum(float value) {
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_down_sync(ALL_LANES, value, distance);
    return value;
}

// The sum of the warp's 32 words of shared memory, `spread` words apart, by dissemination; every lane gets it.
__device__ float shared_sum(float *words, int spread = 1) {
    int lane = threadIdx.x % 32;
    // [part shared-32] In each of five steps, a lane adds to its own word that of its partner 16, 8, 4, 2 and 1 lanes
    // on; partners wrap around at the end of the warp. The lanes of a warp need not run in lockstep.
    for (int distance = 16; distance > 0; distance /= 2) {
        int partner = (lane + distance) % 32;
        float sum = words[lane * spread] + words[partner * spread];
        __syncwarp(); // a lane must read its partner's word before the partner writes it
        words[lane * spread] = sum;
        __syncwarp();
    }
    // [end]
    return words[lane * spread];
}

// 1
extern "C" __global__ void trap_atomic(float a, float h, long long n, float *sum) {
    // [part atomic] Add f at the thread's own point, a + i * h, to *sum, for each inner point i.
    long long i = thread_index();
    if (0 < i && i < n) atomicAdd(sum, f(a + i * h));
    // [end]
}

// 2
extern "C" __global__ void trap_shuffle_32(float a, float h, long long n, float *sum) {
    float total = warp_sum(inner(a, h, n, thread_index()));
    if (threadIdx.x == 0) atomicAdd(sum, total);
}

// 3
extern "C" __global__ void trap_shared_32(float a, float h, long long n, float *sum) {
    __shared__ float words[32];
    words[threadIdx.x] = inner(a, h, n, thread_index());
    __syncwarp();
    float total = shared_sum(words);
    if (threadIdx.x == 0) atomicAdd(sum, total);
}

// 4
extern "C" __global__ void trap_shuffle(float a, float h, long long n, float *sum) {
    __shared__ float warp_sums[32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
    // [part shuffle] Let each warp add up its points with warp_sum, and warp 0 the sums of all `warps` warps of the
    // block, so that the block needs one atomic. A thread that reads what another warp has written must wait for it.

    float total = warp_sum(inner(a, h, n, thread_index()));
    if (lane == 0) warp_sums[warp] = total;
    __syncthreads();

    if (warp == 0) {
        total = warp_sum(lane < warps ? warp_sums[lane] : 0.0f);
        if (lane == 0) atomicAdd(sum, total);
    }
    // [end]
}

// [not handed out]
// 5
extern "C" __global__ void trap_shared(float a, float h, long long n, float *sum) {
    __shared__ float words[1024];
    __shared__ float warp_sums[32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;

    words[threadIdx.x] = inner(a, h, n, thread_index());
    __syncwarp();
    float total = shared_sum(words + warp * 32);
    if (lane == 0) warp_sums[warp] = total;
    __syncthreads();

    if (warp == 0) {
        if (lane >= warps) warp_sums[lane] = 0.0f;
        __syncwarp();
        total = shared_sum(warp_sums);
        if (lane == 0) atomicAdd(sum, total);
    }
}

// 6: warp 0 reads warp_sums without waiting until the other warps have written them.
extern "C" __global__ void trap_race(float a, float h, long long n, float *sum) {
    __shared__ float words[1024];
    __shared__ float warp_sums[32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;

    words[threadIdx.x] = inner(a, h, n, thread_index());
    __syncwarp();
    float total = shared_sum(words + warp * 32);
    if (lane == 0) warp_sums[warp] = total;

    if (warp == 0) {
        if (lane >= warps) warp_sums[lane] = 0.0f;
        __syncwarp();
        total = shared_sum(warp_sums);
        if (lane == 0) atomicAdd(sum, total);
    }
}

// 7: the sum of a warp is written over values of warp 0, so warp 0 must be done with these first.
extern "C" __global__ void trap_two_barriers(float a, float h, long long n, float *sum) {
    __shared__ float words[1024];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;

    words[threadIdx.x] = inner(a, h, n, thread_index());
    __syncwarp();
    float total = shared_sum(words + warp * 32);
    __syncthreads();
    if (lane == 0) words[warp] = total;
    __syncthreads();

    if (warp == 0) {
        if (lane >= warps) words[lane] = 0.0f;
        __syncwarp();
        total = shared_sum(words);
        if (lane == 0) atomicAdd(sum, total);
    }
}

// 8: words 0, 32, 64, ... lie in the same bank, so warp 0's accesses are served one after the other.
extern "C" __global__ void trap_own_first(float a, float h, long long n, float *sum) {
    __shared__ float words[1024];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;

    words[threadIdx.x] = inner(a, h, n, thread_index());
    __syncwarp();
    shared_sum(words + warp * 32);
    __syncthreads();

    if (warp == 0) {
        if (lane >= warps) words[lane * 32] = 0.0f;
        __syncwarp();
        float total = shared_sum(words, 32);
        if (lane == 0) atomicAdd(sum, total);
    }
}

// 9: right only where the lanes of a warp run in lockstep, which Volta and later do not guarantee.
extern "C" __global__ void trap_lockstep(float a, float h, long long n, float *sum) {
    __shared__ float words[32];
    int lane = threadIdx.x;
    words[lane] = inner(a, h, n, thread_index());
    for (int distance = 16; distance > 0; distance /= 2)
        words[lane] += words[(lane + distance) % 32];
    if (lane == 0) atomicAdd(sum, words[0]);
}
// [end]

// 10
extern "C" __global__ void trap_grid_stride(float a, float h, long long n, float *sum) {
    __shared__ float warp_sums[32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
    long long stride = (long long)gridDim.x * blockDim.x;
    // [part grid-stride] Let each thread first add up many points, as far apart as the grid has threads; any grid must
    // work for any n. Then go on as in 4.

    float total = 0.0f;
    for (long long i = 1 + thread_index(); i < n; i += stride) total += f(a + i * h);

    total = warp_sum(total);
    if (lane == 0) warp_sums[warp] = total;
    __syncthreads();

    if (warp == 0) {
        total = warp_sum(lane < warps ? warp_sums[lane] : 0.0f);
        if (lane == 0) atomicAdd(sum, total);
    }
    // [end]
}

// The sum of `value` over the block; only thread 0 gets the right result.
__device__ double block_sum(double value) {
    __shared__ double warp_sums[32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
    // [part compensated] As in 4, but for doubles: warp by warp, and then the sums of the warps. What `value` is in the
    // end in other threads than thread 0 does not matter.
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_down_sync(ALL_LANES, value, distance);
    if (lane == 0) warp_sums[warp] = value;
    __syncthreads();
    if (warp > 0) return 0.0;
    value = lane < warps ? warp_sums[lane] : 0.0;
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_down_sync(ALL_LANES, value, distance);
    // [end]
    return value;
}

// 11: Kahan's sum. Even a GPU that is slow in double precision does the few additions at the end quickly.
extern "C" __global__ void trap_grid_stride_compensated(float a, float h, long long n, double *sum) {
    long long stride = (long long)gridDim.x * blockDim.x;
    // [part compensated] As in 10, with floats, but keep what an addition has rounded away and add it to the thread's
    // next term. Add up the block in double, and add its sum to *sum.
    float total = 0.0f, lost = 0.0f; // `lost` is what the last addition rounded away
    for (long long i = 1 + thread_index(); i < n; i += stride) {
        float term = f(a + i * h) + lost;
        float next = total + term;
        lost = term - (next - total);
        total = next;
    }
    double block = block_sum((double)total + (double)lost);
    if (threadIdx.x == 0) atomicAdd(sum, block);
    // [end]
}

// [not handed out]
// 12
extern "C" __global__ void trap_grid_stride_f64(double a, double h, long long n, double *sum) {
    long long stride = (long long)gridDim.x * blockDim.x;
    double total = 0.0;
    for (long long i = 1 + thread_index(); i < n; i += stride) {
        double x = a + i * h;
        total += x * x + 1.0;
    }
    total = block_sum(total);
    if (threadIdx.x == 0) atomicAdd(sum, total);
}
// [end]
