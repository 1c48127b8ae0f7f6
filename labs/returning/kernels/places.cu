// Where a thread's data may lie, and how far that is.
//
//  1 chase_registers      a chain of multiplications, each of which needs the one before: no memory at all
//  2 chase_shared         a chain of loads from shared memory: each word is the place of the next
//  3 chase_global         like 2, but from global memory, after `warm` loads that are not timed
//  4 array_in_registers   an array of a thread whose places are known when the kernel is compiled
//  5 array_in_local       like 4, but the places are known only when it runs, and registers cannot be counted off
//  6 array_spilled        like 4, but a thread may have 32 registers only, too few for the array and the rest
//
// 1 to 3 are one warp, of which one thread works. place[0] is where the chain begins; then comes where it ends, and the
// ticks of the clock that it took.

#define ROUNDS 4
#define WORDS 32

// 1
extern "C" __global__ void chase_registers(const unsigned *words, unsigned long long *place, int warm, int steps) {
    if (threadIdx.x > 0) return;
    unsigned at = place[0];
    long long start = clock64();
#pragma unroll 64
    for (int step = 0; step < steps; step++) at = at * at + 1;
    long long end = clock64();
    place[1] = at;
    place[2] = end - start;
}

// 2
extern "C" __global__ void chase_shared(const unsigned *words, unsigned long long *place, int warm, int steps) {
    __shared__ unsigned ring[4096];
    for (int word = threadIdx.x; word < 4096; word += blockDim.x) ring[word] = words[word];
    __syncthreads();
    if (threadIdx.x > 0) return;
    unsigned at = place[0];
    long long start = clock64();
#pragma unroll 16
    for (int step = 0; step < steps; step++) at = ring[at];
    long long end = clock64();
    place[1] = at;
    place[2] = end - start;
}

// 3
extern "C" __global__ void chase_global(const unsigned *words, unsigned long long *place, int warm, int steps) {
    if (threadIdx.x > 0) return;
    unsigned at = place[0];
    for (int step = 0; step < warm; step++) at = words[at];
    long long start = clock64();
#pragma unroll 16
    for (int step = 0; step < steps; step++) at = words[at];
    long long end = clock64();
    place[1] = at;
    place[2] = end - start;
}

// Adds up the array, four times over, each time from the next word on. `stride` is 1.
__device__ int add_up(const int *array, unsigned stride) {
    int sum = 0;
#pragma unroll
    for (unsigned round = 0; round < ROUNDS; round++) {
#pragma unroll
        for (unsigned j = 0; j < WORDS; j++) sum = sum * 3 + array[(j * stride + round) % WORDS];
    }
    return sum;
}

// 4
extern "C" __global__ void array_in_registers(const int *x, int *y, int stride) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int array[WORDS];
#pragma unroll
    for (int j = 0; j < WORDS; j++) array[j] = x[i + j];
    y[i] = add_up(array, 1);
}

// 5
extern "C" __global__ void array_in_local(const int *x, int *y, int stride) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int array[WORDS];
#pragma unroll
    for (int j = 0; j < WORDS; j++) array[j] = x[i + j];
    y[i] = add_up(array, stride);
}

// 6: two blocks of 1024 threads are to fit on a multiprocessor of 65536 registers.
extern "C" __global__ void __launch_bounds__(1024, 2) array_spilled(const int *x, int *y, int stride) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int array[WORDS];
#pragma unroll
    for (int j = 0; j < WORDS; j++) array[j] = x[i + j];
    y[i] = add_up(array, 1);
}
