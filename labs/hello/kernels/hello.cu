// Every thread says hello; then the usual maps from threads to elements.
// What lies between [part ...] and [end] is what `warplab start` leaves to the student.
//
//  1 hello_flat    one block: each thread prints its number
//  2 hello_blocks  like 1, but several blocks: each thread prints its block's number too
//  3 hello_grid3d  like 2, but grid and block have three dimensions: linear index, warp and lane
//  4 index_maps    which elements a thread takes, in three ways
//  5 half_apart    like the third way of 4, as a course printed it: WRONG
//  6 warp_ends     like 3, but writes to memory where in the block each warp begins and ends
//  7 grid_ranks    which block and thread has which rank in the whole grid

// 1
extern "C" __global__ void hello_flat() { printf("Hello from thread %d!\n", threadIdx.x); }

// 2
extern "C" __global__ void hello_blocks() {
    // [part blocks] Print "Hello from thread T in block B!" and the end of the line, with the numbers of both.
    printf("Hello from thread %d in block %d!\n", threadIdx.x, blockIdx.x);
    // [end]
}

// x varies fastest, then y, then z, both in the block and in the grid.
__device__ unsigned block_in_grid() { return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z); }
__device__ unsigned thread_in_block() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }

__device__ unsigned lane_id() {
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

// 3: the warp is computed, and the lane is read from a hardware register. The two must fit together.
extern "C" __global__ void hello_grid3d() {
    // [part grid3d] Print "Hello from thread (X,Y,Z) in block (X,Y,Z): index I, warp W, lane L" and the end of the
    // line. I is the thread's number in the whole grid, W the warp's in its block, and L the lane as lane_id() says it.
    unsigned thread = thread_in_block(), threads = blockDim.x * blockDim.y * blockDim.z;
    printf("Hello from thread (%u,%u,%u) in block (%u,%u,%u): index %u, warp %u, lane %u\n", threadIdx.x, threadIdx.y,
           threadIdx.z, blockIdx.x, blockIdx.y, blockIdx.z, block_in_grid() * threads + thread, thread / 32, lane_id());
    // [end]
}

// 4: owner[way * elements + element] = the thread that takes the element, for elements below n. Way 0: one element per
// thread; way 1: two adjacent elements; way 2: two elements a block's width apart.
extern "C" __global__ void index_maps(unsigned *owner, unsigned n, unsigned elements) {
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    // [part index-maps] Write the thread's number where its elements are: one in way 0, and two in each of the other
    // ways. No thread may write outside of the first n elements of a way.
    unsigned one = thread;
    unsigned side_by_side = 2 * thread;
    unsigned apart = 2 * blockIdx.x * blockDim.x + threadIdx.x;

    if (one < n) owner[one] = thread;
    if (side_by_side < n) owner[elements + side_by_side] = thread;
    if (side_by_side + 1 < n) owner[elements + side_by_side + 1] = thread;
    if (apart < n) owner[2 * elements + apart] = thread;
    if (apart + blockDim.x < n) owner[2 * elements + apart + blockDim.x] = thread;
    // [end]
}

// [not handed out]
// 5: the second element lies half a block's width from the first.
extern "C" __global__ void half_apart(unsigned *owner, unsigned n) {
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned first = 2 * blockIdx.x * blockDim.x + threadIdx.x;
    unsigned second = first + blockDim.x / 2;
    if (first < n) owner[first] = thread;
    if (second < n) owner[second] = thread;
}
// [end]

// 6: ends[6 * warp ..] = (x, y, z) of the warp's first thread, then of its last.
extern "C" __global__ void warp_ends(unsigned *ends) {
    // [part warp-starts] Let the first and the last thread of each warp write their threadIdx. The last warp of a block
    // may have fewer than 32 threads.
    unsigned thread = thread_in_block(), last = blockDim.x * blockDim.y * blockDim.z - 1;
    unsigned *end = ends + 6 * (thread / 32);
    if (lane_id() == 0) {
        end[0] = threadIdx.x;
        end[1] = threadIdx.y;
        end[2] = threadIdx.z;
    }
    if (lane_id() == 31 || thread == last) {
        end[3] = threadIdx.x;
        end[4] = threadIdx.y;
        end[5] = threadIdx.z;
    }
    // [end]
}

// 7: places[2 * rank ..] = the block and the thread of that rank.
extern "C" __global__ void grid_ranks(unsigned *places) {
    // [part ranks] Let each thread write its block and its own number to the place of its rank in the whole grid.
    unsigned rank = blockIdx.x * blockDim.x + threadIdx.x;
    places[2 * rank] = blockIdx.x;
    places[2 * rank + 1] = threadIdx.x;
    // [end]
}
