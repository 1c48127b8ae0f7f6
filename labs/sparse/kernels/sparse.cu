// y = A x, where most elements of A are zero and are not stored.
//
//    1  coo             row, column and value of each entry: a thread an entry, which adds to y by an atomic
//    2  coo-segmented   like 1, but a warp first adds up its entries of the same row
//    3  csr-scalar      the entries row by row, and where each row starts: a thread a row
//    4  csr-vector      like 3, but several lanes a row, up to a warp
//    5  ell             as many entries in each row, the shorter ones padded, stored column by column: a thread a row
//    6  jds             rows sorted by length, so that no padding is needed; also column by column
//    7  hybrid          a narrow ELL (5), and what does not fit in it as COO (2)
//    8  csr-merge       like 3, but tiles with equal numbers of steps along the merge path of rows and entries
//    9  coo-plain       wrong: 1 with += in place of the atomic
//   10  ell-no-guard    wrong: 5, with padding taken for entries
//
// Rows and columns are below 2^31, and so are the entries. `column` and `value` of the CSR form are padded with zeros to
// a multiple of four entries. Blocks have whole warps; those of 8 have 256 threads.
//
// What lies between [part ...] and [end] is what `warplab start` leaves to the student.
#include "sparse.cuh"

// ---- 1: y is zero before the launch.
extern "C" __global__ void coo(const unsigned* row, const unsigned* column, const float* value, const float* x, float* y, unsigned entries) {
    // [part coo] Let each thread multiply one entry, and add the product to its row's element of y. Other threads may
    // add to the same element.
    unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < entries) atomicAdd(&y[row[k]], value[k] * x[column[k]]);
    // [end]
}

// ---- 2: the entries are sorted by row.
extern "C" __global__ void coo_segmented(const unsigned* row, const unsigned* column, const float* value, const float* x, float* y, unsigned entries) {
    unsigned k = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    unsigned mine = k < entries ? row[k] : none;
    float product = k < entries ? value[k] * x[column[k]] : 0.0f;
    float sum = sum_of_equal_rows(mine, product);
    unsigned next = __shfl_down_sync(all_lanes, mine, 1);
    if (k < entries && (lane == 31 || next != mine)) atomicAdd(&y[mine], sum);
}

// ---- 3: start has rows + 1 elements.
extern "C" __global__ void csr_scalar(const unsigned* start, const unsigned* column, const float* value, const float* x, float* y, unsigned rows) {
    // [part csr-scalar] Let each thread compute one element of y. Row i has the entries start[i] to start[i + 1] - 1.
    unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (unsigned k = start[row]; k < start[row + 1]; k++) sum += value[k] * x[column[k]];
    y[row] = sum;
    // [end]
}

// ---- 4: `lanes` is a power of two, 32 at most.
extern "C" __global__ void csr_vector(const unsigned* start, const unsigned* column, const float* value, const float* x, float* y, unsigned rows, unsigned lanes) {
    // [part csr-vector] Let `lanes` neighbouring lanes share a row: neighbours read neighbouring entries, and
    // sum_of_lanes adds up their sums. All lanes of a row must call it.
    unsigned shift = __popc(lanes - 1), lane = threadIdx.x & (lanes - 1);
    unsigned row = blockIdx.x * (blockDim.x >> shift) + (threadIdx.x >> shift);
    unsigned k = row < rows ? start[row] + lane : 0, end = row < rows ? start[row + 1] : 0;
    // Two sums, so that the loads of the next entry do not wait for those of this one.
    float even = 0.0f, odd = 0.0f;
    for (; k + lanes < end; k += 2 * lanes) {
        unsigned here = __ldcs(&column[k]), there = __ldcs(&column[k + lanes]);
        float a = __ldcs(&value[k]), b = __ldcs(&value[k + lanes]);
        even += a * x[here];
        odd += b * x[there];
    }
    if (k < end) even += __ldcs(&value[k]) * x[__ldcs(&column[k])];
    float sum = sum_of_lanes(even + odd, lanes);
    if (row < rows && lane == 0) y[row] = sum;
    // [end]
}

// ---- 5: entry d of row i is at d * rows + i; the column of padding is `none`.
extern "C" __global__ void ell(const unsigned* column, const float* value, const float* x, float* y, unsigned rows, unsigned width) {
    // [part ell] Let each thread compute one element of y. Padding follows a row's last entry.
    unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (unsigned d = 0; d < width; d++) {
        size_t at = (size_t)d * rows + row;
        unsigned from = column[at];
        if (from == none) break;
        sum += value[at] * x[from];
    }
    y[row] = sum;
    // [end]
}

// ---- 6: row `order[i]` of A is the i-th longest. Its entry d is at diagonal[d] + i, if it has as many: the diagonals
// are as long as there are rows with such an entry.
extern "C" __global__ void jds(const unsigned* order, const unsigned* diagonal, const unsigned* column, const float* value, const float* x, float* y, unsigned rows, unsigned width) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows) return;
    float sum = 0.0f;
    for (unsigned d = 0; d < width; d++) {
        unsigned at = diagonal[d] + i;
        if (at >= diagonal[d + 1]) break;
        sum += value[at] * x[column[at]];
    }
    y[order[i]] = sum;
}

// ---- 8: first_row[t] rows have ended before tile t; first_row[tiles] is after the last tile.
extern "C" __global__ void merge_starts(const unsigned* start, unsigned* first_row, unsigned rows, unsigned entries, unsigned tiles) {
    unsigned tile = blockIdx.x * blockDim.x + threadIdx.x;
    if (tile > tiles) return;
    unsigned steps = min(tile * merge_tile, rows + entries);
    first_row[tile] = rows_ended(start + 1, rows, entries, steps, 0);
}

// Stores y[row] for each row that ends in the tile, as the sum of its entries in this tile; carry[tile] is the sum of
// the tile's entries whose row ends in a later one.
extern "C" __global__ void __launch_bounds__(merge_threads) csr_merge(const unsigned* start, const unsigned* column, const float* value, const float* x, float* y, const unsigned* first_row, float* carry, unsigned rows, unsigned entries) {
    // The ends of the tile's rows, one more for the row that goes on, and behind them the products: together a tile.
    __shared__ alignas(16) unsigned words[merge_tile + 16];
    unsigned t = threadIdx.x, tile = blockIdx.x;
    unsigned first = tile * merge_tile, steps = min(merge_tile, rows + entries - first);
    unsigned row0 = first_row[tile], tile_rows = first_row[tile + 1] - row0;
    unsigned entry0 = first - row0, entry1 = entry0 + steps - tile_rows;
    // Entries are counted from one whose address is a multiple of 16 bytes.
    unsigned aligned = entry0 & ~3u;
    unsigned* row_end = words;
    float* product = (float*)(words + ((tile_rows + 4) & ~3u));

    // All loads of a thread are on their way before the first is waited for.
    constexpr int vectors = (merge_tile + 6 + 4 * merge_threads - 1) / (4 * merge_threads);
    uint4 from[vectors];
    float4 v[vectors];
#pragma unroll
    for (int j = 0; j < vectors; j++) {
        unsigned k = aligned + 4 * (t + j * merge_threads);
        if (k < entry1) {
            from[j] = once(column + k);
            v[j] = once(value + k);
        }
    }
    for (unsigned i = t; i <= tile_rows; i += merge_threads)
        row_end[i] = row0 + i < rows ? start[row0 + i + 1] - aligned : none;
#pragma unroll
    for (int j = 0; j < vectors; j++) {
        unsigned k = aligned + 4 * (t + j * merge_threads);
        if (k < entry1) {
            float4 p = {v[j].x * x[from[j].x], v[j].y * x[from[j].y], v[j].z * x[from[j].z], v[j].w * x[from[j].w]};
            *(float4*)(product + (k - aligned)) = p;
        }
    }
    __syncthreads();

    unsigned head_row = none;
    float sum = 0.0f, head = 0.0f;
    // [part csr-merge] Take this thread's merge_items steps of the tile: `i` rows of the tile have ended before them, and
    // `k` is the next product. Step: if k < row_end[i], product[k] belongs to row i; else row i has ended. Keep the
    // sum of the first row that ends here in `head`, with its number in head_row (`none` if no row ends), store the
    // others in y, and leave what belongs to a row that goes on in `sum`.
    unsigned begin = min(t * merge_items, steps);
    unsigned i = rows_ended(row_end, tile_rows, steps - tile_rows, begin, entry0 - aligned);
    unsigned k = entry0 - aligned + begin - i;
    unsigned end = row_end[i];
#pragma unroll
    for (unsigned item = 0; item < merge_items; item++) {
        if (begin + item < steps) {
            if (k < end) {
                sum += product[k];
                k++;
            } else {
                if (head_row == none) {
                    head_row = row0 + i;
                    head = sum;
                } else {
                    y[row0 + i] = sum;
                }
                sum = 0.0f;
                i++;
                end = row_end[i];
            }
        }
    }
    // [end]
    float whole;
    float before = sum_before(sum, head_row != none, &whole);
    if (head_row != none) y[head_row] = before + head;
    if (t == merge_threads - 1) carry[tile] = whole;
}

// Adds to each row what earlier tiles have of it.
extern "C" __global__ void merge_carries(const unsigned* first_row, const float* carry, float* y, unsigned rows, unsigned tiles) {
    unsigned tile = blockIdx.x * blockDim.x + threadIdx.x;
    if (tile >= tiles) return;
    unsigned row = first_row[tile + 1];
    float sum = carry[tile];
    if (row < rows && sum != 0.0f) atomicAdd(&y[row], sum);
}

// [not handed out]
// ---- 9: two threads may read the same element before either has written it.
extern "C" __global__ void coo_plain(const unsigned* row, const unsigned* column, const float* value, const float* x, float* y, unsigned entries) {
    unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < entries) y[row[k]] += value[k] * x[column[k]];
}

// ---- 10: the value of padding is 0, but its column is not one of A.
extern "C" __global__ void ell_no_guard(const unsigned* column, const float* value, const float* x, float* y, unsigned rows, unsigned width) {
    unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (unsigned d = 0; d < width; d++) {
        size_t at = (size_t)d * rows + row;
        sum += value[at] * x[column[at]];
    }
    y[row] = sum;
}
// [end]
