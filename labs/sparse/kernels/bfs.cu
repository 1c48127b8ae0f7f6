// Breadth-first search in a graph whose edges are the entries of a CSR matrix: row v lists the vertices that v points to.
// A launch does one level: from the frontier, which are the vertices found by the launch before, to those next to them.
//
//   1  bfs_push      a thread a vertex of the frontier: it claims each neighbour by an atomic, and queues it by another
//   2  bfs_pull      a thread a vertex that is not reached: it looks for one in the frontier among those that point to it
//   3  bfs_compact   like 1, but a block shares out the edges of its vertices by a scan, and a second scan makes one
//                    atomic of all that it queues at a time
//
// `level` of a vertex is its distance from the first one, or `unreached`; that of the vertices found now is `depth`.
constexpr unsigned unreached = 0x7fffffffu;
constexpr unsigned bfs_threads = 256;

// Reads a level that other threads may change at the same time.
__device__ unsigned look(const unsigned* level) {
    unsigned now;
    asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(now) : "l"(level) : "memory");
    return now;
}

// Whether this thread is the one that finds the vertex. The look spares most of the atomics.
__device__ bool claim(unsigned* level, unsigned depth) {
    return look(level) == unreached && atomicCAS(level, unreached, depth) == unreached;
}

// ---- 1: `next` receives the vertices found, *found of them, in any order.
extern "C" __global__ void bfs_push(const unsigned* start, const unsigned* column, const unsigned* frontier, unsigned size, unsigned* level, unsigned depth, unsigned* next, unsigned* found) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size) return;
    unsigned v = frontier[i];
    for (unsigned k = start[v]; k < start[v + 1]; k++) {
        unsigned to = column[k];
        if (claim(&level[to], depth)) next[atomicAdd(found, 1u)] = to;
    }
}

// ---- 2: start and column are those of the transpose: who points to v. `here` marks the frontier, `there` the next.
extern "C" __global__ void bfs_pull(const unsigned* start, const unsigned* column, const unsigned char* here, unsigned vertices, unsigned* level, unsigned depth, unsigned char* there, unsigned* found) {
    unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
    bool is_found = false;
    if (v < vertices) {
        if (level[v] == unreached)
            for (unsigned k = start[v]; k < start[v + 1] && !is_found; k++) is_found = here[column[k]] != 0;
        if (is_found) level[v] = depth;
        there[v] = is_found;
    }
    unsigned count = __syncthreads_count(is_found);
    if (threadIdx.x == 0 && count > 0) atomicAdd(found, count);
}

// The sum of `number` over the threads before this one; `all` becomes that over the block.
__device__ unsigned sum_before(unsigned number, unsigned* all) {
    __shared__ unsigned of_warp[bfs_threads / 32];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, sum = number;
    for (unsigned d = 1; d < 32; d *= 2) {
        unsigned left = __shfl_up_sync(0xffffffffu, sum, d);
        if (lane >= d) sum += left;
    }
    if (lane == 31) of_warp[warp] = sum;
    __syncthreads();
    unsigned before = sum - number, total = 0;
    for (unsigned w = 0; w < bfs_threads / 32; w++) {
        if (w < warp) before += of_warp[w];
        total += of_warp[w];
    }
    *all = total;
    return before;
}

// ---- 3
extern "C" __global__ void __launch_bounds__(bfs_threads) bfs_compact(const unsigned* start, const unsigned* column, const unsigned* frontier, unsigned size, unsigned* level, unsigned depth, unsigned* next, unsigned* found) {
    __shared__ unsigned first_edge[bfs_threads], first_entry[bfs_threads], place;
    unsigned t = threadIdx.x, i = blockIdx.x * bfs_threads + t;
    unsigned v = i < size ? frontier[i] : 0;
    unsigned begin = i < size ? start[v] : 0, degree = i < size ? start[v + 1] - begin : 0, edges;
    first_edge[t] = sum_before(degree, &edges);
    first_entry[t] = begin;
    for (unsigned round = 0; round < edges; round += bfs_threads) {
        __syncthreads();
        unsigned edge = round + t, to = 0;
        bool is_found = false;
        if (edge < edges) {
            // The last vertex whose edges begin at this one or before.
            unsigned low = 0, high = bfs_threads;
            while (high - low > 1) {
                unsigned middle = (low + high) / 2;
                if (first_edge[middle] <= edge) low = middle;
                else high = middle;
            }
            to = column[first_entry[low] + edge - first_edge[low]];
            is_found = claim(&level[to], depth);
        }
        unsigned all, before = sum_before(is_found, &all);
        if (t == 0) place = all > 0 ? atomicAdd(found, all) : 0;
        __syncthreads();
        if (is_found) next[place + before] = to;
    }
}
