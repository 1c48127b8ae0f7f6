// Solutions of the assignment as students write them, right and wrong. harness/cli/tests/solving/mod.rs says how to read
// this file, and harness/cli/tests/solutions.rs marks each of them.

// == right kogge-stone: while loop and shifts
    unsigned stride = 1;
    while (stride < blockDim.x) {
        __syncthreads();
        T sum = s[t];
        if (t >= stride) sum += s[t - stride];
        __syncthreads();
        s[t] = sum;
        stride <<= 1;
    }
    __syncthreads();
    if (t < n) {
        if (inclusive) out[t] = s[t];
        else out[t] = t == 0 ? T(0) : s[t - 1];
    }

// == right kogge-stone: element of its own is kept in a register
    T mine = s[t];
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        __syncthreads();
        if (t >= stride) mine += s[t - stride];
        __syncthreads();
        s[t] = mine;
    }
    __syncthreads();
    if (t < n) out[t] = inclusive ? mine : (t > 0 ? s[t - 1] : T(0));

// == right kogge-stone: cooperative groups
#include <cooperative_groups.h>
// [part kogge-stone]
    auto block = cooperative_groups::this_thread_block();
    block.sync();
    for (unsigned d = 1; d < block.size(); d += d) {
        T left = t < d ? T(0) : s[t - d];
        block.sync();
        s[t] = left + s[t];
        block.sync();
    }
    if (t >= n) return;
    out[t] = inclusive ? s[t] : t ? s[t - 1] : T(0);
// [end]

// == right kogge-stone: warps by shuffles, and then the warps' sums
    __syncthreads();
    unsigned lane = t % 32, lanes = min(32u, blockDim.x - t / 32 * 32);
    unsigned mask = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
    T own = s[t], sum = own;
    for (unsigned d = 1; d < 32; d *= 2) {
        T left = __shfl_up_sync(mask, sum, d);
        if (lane >= d) sum += left;
    }
    __syncthreads();
    if (lane == lanes - 1) s[t / 32] = sum;
    __syncthreads();
    T before = T(0);
    for (unsigned warp = 0; warp < t / 32; warp++) before += s[warp];
    T mine = before + sum, left = __shfl_up_sync(mask, mine, 1);
    if (t < n) out[t] = inclusive ? mine : lane > 0 ? left : before;

// == right brent-kung: strides as powers of two
    for (unsigned d = 1; d < section; d <<= 1) {
        __syncthreads();
        unsigned right = 2 * d * t + 2 * d - 1;
        if (right < section) s[right] = s[right - d] + s[right];
    }
    unsigned top = 1;
    while (2 * top < section) top *= 2;
    for (unsigned d = top; d >= 1; d >>= 1) {
        __syncthreads();
        unsigned left = 2 * d * t + 2 * d - 1;
        if (left + d < section) s[left + d] += s[left];
    }
    __syncthreads();
    if (t < n) out[t] = inclusive ? s[t] : t > 0 ? s[t - 1] : T(0);
    unsigned u = t + blockDim.x;
    if (u < n) out[u] = inclusive ? s[u] : s[u - 1];

// == right brent-kung: cooperative groups
#include <cooperative_groups.h>
// [part brent-kung]
    auto block = cooperative_groups::this_thread_block();
    unsigned stride = 1;
    do {
        block.sync();
        unsigned i = (t + 1) * stride * 2 - 1;
        if (i < section) s[i] += s[i - stride];
        stride *= 2;
    } while (stride < section);
    for (stride /= 2; stride > 0; stride /= 2) {
        block.sync();
        unsigned i = (t + 1) * stride * 2 - 1;
        if (i + stride < section) s[i + stride] += s[i];
    }
    block.sync();
    for (unsigned i = t; i < n && i < section; i += blockDim.x) out[i] = inclusive ? s[i] : i ? s[i - 1] : T(0);
// [end]

// == right three-kernel: sums by shared atomics, and tiles one element after the other
// [part three-kernel]
    __shared__ T sum;
    if (threadIdx.x == 0) sum = T(0);
    __syncthreads();
    T mine = T(0);
    for (int k = 0; k < three_kernel_vectors; k++)
        for (int j = 0; j < 4; j++) mine += v[k].v[j];
    atomicAdd(&sum, mine);
    __syncthreads();
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
// [end]

// == right three-kernel: sums of tiles by a tree in shared memory
// [part three-kernel]
    __shared__ T words[1024];
    unsigned t = threadIdx.x;
    T mine = T(0);
#pragma unroll
    for (int k = 0; k < three_kernel_vectors; k++) mine += v[k].v[0] + v[k].v[1] + v[k].v[2] + v[k].v[3];
    words[t] = mine;
    for (unsigned live = blockDim.x; live > 1;) {
        __syncthreads();
        unsigned half = (live + 1) / 2;
        if (t + half < live) words[t] += words[t + half];
        live = half;
    }
    if (t == 0) sums[blockIdx.x] = words[0];
// [end]

// == right three-kernel: sums are scanned a block at a time
// [part three-kernel]
    T total = warp_total(v, p);
    if (p.lane == p.lanes - 1) of_warp[p.warp] = total;
    __syncthreads();
    if (threadIdx.x == 0) {
        T sum = T(0);
        for (unsigned w = 0; w < p.warps; w++) sum += of_warp[w];
        sums[blockIdx.x] = sum;
    }
// [end]
// [part three-kernel]
    if (threadIdx.x == 0) of_block = T(0);
    __syncthreads();
    for (size_t first = 0; first < tiles; first += blockDim.x) {
        size_t i = first + threadIdx.x;
        T mine = i < tiles ? sums[i] : T(0), sum = warp_inclusive(mine, p);
        if (p.lane == p.lanes - 1) of_warp[p.warp] = sum;
        __syncthreads();
        T before = of_block;
        for (unsigned w = 0; w < p.warp; w++) before += of_warp[w];
        if (i < tiles) sums[i] = before + sum - mine;
        __syncthreads();
        if (threadIdx.x == blockDim.x - 1) of_block = before + sum;
        __syncthreads();
    }
// [end]

// == right single-pass: thread 0 does what warp 0 does
- if (p.lane == 0) publish(&states[tile], tile > 0 ? own : prefix, bits(total));
+ if (threadIdx.x == 0) {
+ if (tile == 0) publish(&states[0], prefix, bits(total));
+ else publish(&states[tile], own, bits(total));
+ }

// == right single-pass: ticket by atomicInc
- atomicAdd(ticket, 1u)
+ atomicInc(ticket, 0xffffffffu)

// == wrong kogge-stone: no barrier between reading and writing
- __syncthreads(); // all threads have read before any thread writes

// == wrong kogge-stone: no barrier before reading
- __syncthreads();
- T left
+ T left

// == wrong kogge-stone: no barrier at the end
- }
- __syncthreads();
+ }

// == wrong kogge-stone: barrier inside of a branch
- T left = t >= stride ? s[t - stride] : T(0);
- __syncthreads();
+ T left = T(0);
+ if (t >= stride) { left = s[t - stride]; __syncthreads(); }
+ //

// == wrong kogge-stone: first word has no left neighbour
- t >= stride ? s[t - stride] : T(0)
+ s[t - stride]

// == wrong kogge-stone: one round too few
- stride < blockDim.x;
+ 2 * stride < blockDim.x;

// == wrong kogge-stone: word next to the first is left out
- t >= stride ?
+ t > stride ?

// == wrong kogge-stone: inclusive always
- inclusive ? s[t] : t > 0 ? s[t - 1] : T(0)
+ s[t]

// == wrong kogge-stone: exclusive is the sum without its own element, and begins with the last
- t > 0 ? s[t - 1] : T(0)
+ s[(t + blockDim.x - 1) % blockDim.x]

// == wrong kogge-stone: no question about the end
- if (t < n) out[t]
+ out[t]

// == wrong kogge-stone: thread 0 does everything
    __syncthreads();
    if (t == 0) {
        T sum = T(0);
        for (unsigned i = 0; i < n; i++) {
            out[i] = inclusive ? sum + s[i] : sum;
            sum += s[i];
        }
    }

// == wrong kogge-stone: each thread adds up all before it
    __syncthreads();
    T sum = T(0);
    for (unsigned i = 0; i < t + inclusive; i++) sum += s[i];
    if (t < n) out[t] = sum;

// == wrong brent-kung: no barrier on the way up
- for (; stride < section; stride *= 2) {
- __syncthreads();
+ for (; stride < section; stride *= 2) {

// == wrong brent-kung: no barrier on the way down
- for (; stride > 0; stride /= 2) {
- __syncthreads();
+ for (; stride > 0; stride /= 2) {

// == wrong brent-kung: no barrier at the end
- }
- __syncthreads();
- for
+ }
+ for

// == wrong brent-kung: way up alone
- if (i + stride < section) s[i + stride] += s[i];

// == wrong brent-kung: way up ends one round early
- stride < section; stride *= 2
+ stride < blockDim.x; stride *= 2

// == wrong brent-kung: way down is not asked about the end
- if (i + stride < section)
+ if (i < section)

// == wrong brent-kung: threads that work are one apart too far
- unsigned i = (t + 1) * 2 * stride - 1;
+ unsigned i = (t + 1) * 2 * stride;

// == wrong brent-kung: first half of the section alone is stored
- for (unsigned i = t; i < section && i < n; i += blockDim.x)
+ for (unsigned i = t; i < blockDim.x && i < n; i += blockDim.x)

// == wrong brent-kung: threads that work are far apart
- unsigned i = (t + 1) * 2 * stride - 1;
- if (i < section) s[i] += s[i - stride];
+ for (unsigned i = t; i < section; i += blockDim.x) if ((i + 1) % (2 * stride) == 0) s[i] += s[i - stride];
- unsigned i = (t + 1) * 2 * stride - 1;
- if (i + stride < section) s[i + stride] += s[i];
+ for (unsigned i = t; i + stride < section; i += blockDim.x) if ((i + 1) % (2 * stride) == 0) s[i + stride] += s[i];

// == wrong brent-kung: each word in each round, as in 1
    for (unsigned stride = 1; stride < section; stride *= 2) {
        __syncthreads();
        T low = t >= stride ? s[t - stride] : T(0), high = t + blockDim.x >= stride ? s[t + blockDim.x - stride] : T(0);
        __syncthreads();
        s[t] += low;
        s[t + blockDim.x] += high;
    }
    __syncthreads();
    for (unsigned i = t; i < section && i < n; i += blockDim.x) out[i] = inclusive ? s[i] : i > 0 ? s[i - 1] : T(0);

// == wrong three-kernel: sums of tiles are those of their first warps
- if (p.lane == 0) sums[blockIdx.x] = total;
+ if (p.lane == 0) sums[blockIdx.x] = of_warp[p.warps - 1];

// == wrong three-kernel: sums are scanned inclusively
- carry + of_warp[p.warp], false)
+ carry + of_warp[p.warp], true)

// == wrong three-kernel: sums before are forgotten
- sums[blockIdx.x] + of_warp[p.warp], inclusive)
+ of_warp[p.warp], inclusive)

// == wrong three-kernel: warps before are forgotten
- sums[blockIdx.x] + of_warp[p.warp], inclusive)
+ sums[blockIdx.x], inclusive)

// == wrong three-kernel: no barrier before the warps' sums are read
- if (p.lane == p.lanes - 1) of_warp[p.warp] = total;
- __syncthreads();
+ if (p.lane == p.lanes - 1) of_warp[p.warp] = total;

// == wrong three-kernel: no barrier after the warps' sums are scanned
- if (p.warp == 0) scan_totals(of_warp, p);
- __syncthreads();
+ if (p.warp == 0) scan_totals(of_warp, p);

// == wrong three-kernel: tiles are scanned inclusively always
- inclusive);
+ true);

// == wrong three-kernel: lane 31 has the sum of a warp
- if (p.lane == p.lanes - 1) of_warp[p.warp] = total;
+ if (p.lane == 30) of_warp[p.warp] = total;

// == missed single-pass: block's number in place of a ticket
- drawn = atomicAdd(ticket, 1u)
+ drawn = blockIdx.x

// == wrong single-pass: no barrier before the ticket is read
- if (threadIdx.x == 0) drawn = atomicAdd(ticket, 1u);
- __syncthreads();
+ if (threadIdx.x == 0) drawn = atomicAdd(ticket, 1u);

// == wrong single-pass: every thread draws a ticket
- if (threadIdx.x == 0) drawn
+ drawn

// == wrong single-pass: prefix of a tile is its own sum
- tile > 0 ? own : prefix
+ prefix
- if (tile > 0) publish(&states[tile], prefix, bits(earlier + total));

// == wrong single-pass: prefix is the one before the tile
- bits(earlier + total)
+ bits(earlier)

// == wrong single-pass: looks back from one tile too far
- look_back<T>(states, tile, p)
+ look_back<T>(states, tile - 1, p)

// == wrong single-pass: nothing comes before a tile
- T earlier = tile > 0 ? look_back<T>(states, tile, p) : T(0);
+ T earlier = T(0);

// == wrong single-pass: no barrier before what lies before the tile is read
- }
- __syncthreads();
- finish
+ }
+ finish

// == wrong single-pass: tiles are stored by the block's number
- store(out, first, n, p, v);
+ store(out, (size_t)blockIdx.x * blockDim.x * 4 * V + blockDim.x, n, p, v);
