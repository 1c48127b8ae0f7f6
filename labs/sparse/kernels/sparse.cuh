// What the products with a sparse matrix share: sums within a warp, and the search of the merge path.
#pragma once

constexpr unsigned all_lanes = 0xffffffffu;
constexpr unsigned none = 0xffffffffu; // the column of padding in ELL, and a row that is not there

// The tile of the merge path: each thread takes this many steps. The number is odd, so that the places at which the
// threads of a warp begin lie in different banks.
constexpr unsigned merge_threads = 256;
constexpr unsigned merge_items = 7;
constexpr unsigned merge_tile = merge_threads * merge_items;

// The sum over `lanes` neighbouring lanes (a power of two), in the first of them. Called by whole warps.
__device__ float sum_of_lanes(float sum, unsigned lanes) {
    for (unsigned d = lanes / 2; d > 0; d /= 2) sum += __shfl_down_sync(all_lanes, sum, d, lanes);
    return sum;
}

// Adds up the lanes to the left that have the same row, inclusive: the last lane of each run of equal rows gets the
// run's sum. The rows of a warp are sorted. Called by whole warps.
__device__ float sum_of_equal_rows(unsigned row, float sum) {
    unsigned lane = threadIdx.x % 32;
    for (unsigned d = 1; d < 32; d *= 2) {
        float left = __shfl_up_sync(all_lanes, sum, d);
        unsigned row_there = __shfl_up_sync(all_lanes, row, d);
        if (lane >= d && row_there == row) sum += left;
    }
    return sum;
}

// The merge path goes through two lists side by side: the ends of the rows, and the numbers of the entries. A step
// takes the next entry if its row has not ended, else the end of that row. Returns how many rows have ended after
// `steps` steps; the other steps have taken entries. The first entry has the number `first`.
__device__ unsigned rows_ended(const unsigned* row_end, unsigned rows, unsigned entries, unsigned steps, unsigned first) {
    unsigned low = steps > entries ? steps - entries : 0, high = min(steps, rows);
    while (low < high) {
        unsigned middle = (low + high) / 2;
        // Is the end of row `middle` among the first `steps` steps? Then `middle` rows and at least as many entries as
        // lie before that end have been taken before it.
        if (row_end[middle] <= first + steps - 1 - middle) low = middle + 1;
        else high = middle;
    }
    return low;
}

// Reads 16 bytes that are used once, so that they do not displace x in the caches.
__device__ uint4 once(const unsigned* from) { return __ldcs((const uint4*)from); }
__device__ float4 once(const float* from) { return __ldcs((const float4*)from); }

// What lies before this thread in the block: the sum of the parts of the threads to its left, back to the nearest one
// that `ends` (included), or to the first. `whole` becomes the same for the thread after the last. All threads of
// the block call it, merge_threads in number.
__device__ float sum_before(float part, bool ends, float* whole) {
    __shared__ float of_warp[merge_threads / 32];
    __shared__ bool warp_ends[merge_threads / 32];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float sum = part;
    bool ended = ends;
    for (unsigned d = 1; d < 32; d *= 2) {
        float left = __shfl_up_sync(all_lanes, sum, d);
        bool left_ended = __shfl_up_sync(all_lanes, (int)ended, d) != 0;
        if (lane >= d && !ended) {
            sum += left;
            ended = left_ended;
        }
    }
    if (lane == 31) {
        of_warp[warp] = sum;
        warp_ends[warp] = ended;
    }
    float before = __shfl_up_sync(all_lanes, sum, 1);
    bool before_ended = __shfl_up_sync(all_lanes, (int)ended, 1) != 0;
    if (lane == 0) {
        before = 0.0f;
        before_ended = false;
    }
    __syncthreads();
    float warps = 0.0f;
    for (unsigned w = 0; w < warp; w++) warps = warp_ends[w] ? of_warp[w] : warps + of_warp[w];
    *whole = ended ? sum : warps + sum;
    return before_ended ? before : warps + before;
}
