// Warps whose lanes exchange registers and votes.
#include "../common.cuh"

const unsigned ALL = 0xffffffffu;

// Prefix sums of each block: by shuffles in a warp, then over the warps' sums.
__global__ void block_scan(const int *in, int *out, int n) {
    __shared__ int sums[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int value = i < n ? in[i] : 0;
    for (int distance = 1; distance < 32; distance *= 2) {
        int other = __shfl_up_sync(ALL, value, distance);
        if (lane >= distance) value += other;
    }
    if (lane == 31) sums[warp] = value;
    __syncthreads();
    if (warp == 0) {
        int sum = lane < int(blockDim.x) / 32 ? sums[lane] : 0;
        for (int distance = 1; distance < 32; distance *= 2) {
            int other = __shfl_up_sync(ALL, sum, distance);
            if (lane >= distance) sum += other;
        }
        sums[lane] = sum;
    }
    __syncthreads();
    if (i < n) out[i] = value + (warp > 0 ? sums[warp - 1] : 0);
}

// The elements below a limit, in order within each block, whose count is in `counts`.
__global__ void filter(const int *in, int *out, int *counts, int n, int limit) {
    __shared__ int starts[8];
    __shared__ int total;
    int i = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int value = i < n ? in[i] : limit;
    unsigned votes = __ballot_sync(ALL, value < limit);
    if (lane == 0) starts[warp] = __popc(votes);
    __syncthreads();
    if (threadIdx.x == 0) {
        total = 0;
        for (int &start : starts) {
            int count = start;
            start = total;
            total += count;
        }
        counts[blockIdx.x] = total;
    }
    __syncthreads();
    int place = starts[warp] + __popc(votes & ((1u << lane) - 1));
    if (value < limit) out[blockIdx.x * 256 + place] = value;
}

// Counts of letters: lanes with equal letters elect one, which adds for all.
__global__ void letters(const char *text, int n, int *counts) {
    int start = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = start; i - start % 32 < n; i += gridDim.x * blockDim.x) {
        unsigned inside = __ballot_sync(ALL, i < n);
        if (i < n) {
            int letter = text[i] - 'a';
            unsigned same = __match_any_sync(inside, letter);
            if (__ffs(same) - 1 == int(threadIdx.x) % 32) atomicAdd(&counts[letter], __popc(same));
        }
        __syncwarp();
    }
}

int main(int argc, char **argv) {
    return run(argc, argv, {
        {"block_scan", [](int n) {
            std::vector<int> values = numbers(n), expected = values;
            for (int i = 1; i < n; i++)
                if (i % 320) expected[i] += expected[i - 1];
            Array<int> in(values), out(n);
            block_scan<<<(n + 319) / 320, 320>>>(in.get(), out.get(), n);
            return out.is(expected);
        }},
        {"filter", [](int n) {
            std::vector<int> values = numbers(n);
            int blocks = (n + 255) / 256;
            Array<int> in(values), out(256 * blocks), counts(blocks);
            filter<<<blocks, 256>>>(in.get(), out.get(), counts.get(), n, 300);
            std::vector<int> sizes = counts.first(blocks), found;
            for (int b = 0; b < blocks; b++) {
                std::vector<int> part(sizes[b]);
                OK(cudaMemcpy(part.data(), out.get() + 256 * b, 4 * sizes[b], cudaMemcpyDeviceToHost));
                found.insert(found.end(), part.begin(), part.end());
            }
            values.erase(std::remove_if(values.begin(), values.end(), [](int v) { return v >= 300; }), values.end());
            return found == values;
        }},
        {"letters", [](int n) {
            std::vector<char> text = numbers<char>(n, 26);
            std::vector<int> expected(26);
            for (char &letter : text) expected[letter]++, letter += 'a';
            Array<char> in(text);
            Array<int> counts(std::vector<int>(26, 0));
            letters<<<5, 96>>>(in.get(), n, counts.get());
            return counts.is(expected);
        }},
    });
}
