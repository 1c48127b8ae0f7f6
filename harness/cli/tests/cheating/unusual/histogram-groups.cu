// Cooperative groups, PTX, and other ways through the text.
#include <cooperative_groups.h>
// [part atomic]
    unsigned long long last = n;
    for (size_t i = grid_index(); i < n; i += grid_threads()) last = i;
    for (size_t i = last; i < n; i -= grid_threads()) {
        unsigned bin = Kind::bin(__ldg(text + i));
        if (bin < Kind::bins) asm volatile("red.global.add.u64 [%0], 1;" ::"l"(counts + bin) : "memory");
    }
// [end]
// [part matched]
    for (size_t first = grid_index() - lane; first < n; first += grid_threads()) {
        unsigned bin = first + lane < n ? Kind::bin(text[first + lane]) : Kind::bins;
        for (unsigned left = mask; left != 0;) {
            unsigned wanted = __shfl_sync(mask, bin, __ffs(left) - 1);
            unsigned same = __ballot_sync(mask, bin == wanted);
            if (lane == 31 - __clz(same) && bin < Kind::bins) atomicAdd(&counts[bin], (count)__popc(same));
            left &= ~same;
        }
    }
// [end]
// [part privatized]
    cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
    for (unsigned bin = block.thread_rank(); bin < Kind::bins; bin += block.size()) s[bin] = 0;
    block.sync();
    size_t share = (n + gridDim.x - 1) / gridDim.x, end = min((unsigned long long)n, (blockIdx.x + 1ull) * share);
    for (size_t i = blockIdx.x * share + threadIdx.x; i < end; i += blockDim.x) {
        unsigned bin = Kind::bin(text[i]);
        if (bin < Kind::bins) atomicInc(&s[bin], 0xffffffffu);
    }
    block.sync();
    for (unsigned bin = block.thread_rank(); bin < Kind::bins; bin += block.size()) {
        if (s[bin] > 0) atomicAdd(&counts[bin], (count)s[bin]);
    }
// [end]
