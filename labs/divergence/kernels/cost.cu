// What divergence costs: the same work on more and more paths through the code, and one kernel against two.
// What lies between [part ...] and [end] is what `warplab start` leaves to the student.
//
//   ways        each lane takes one of `ways` paths, all equally long
//   together    even threads take one path, odd threads the other
//   apart_even  like together, but only the even elements, which fill whole warps
//   apart_odd   like apart_even, but the odd elements
//   lone        some lanes of each warp have work, the others none
//   by_data     elements below 1 have a long path, the others none: one kernel
//   filter      first of the three kernels that do what by_data does: splits the elements' indices into two lists
//   costly      like by_data, but only the elements of the first list
//   cheap       like by_data, but only the elements of the second list

// A path: a chain of dependent multiply-adds, whose length decides its time. Each K is separate code.
template <int K>
__device__ float path(float x, int rounds) {
#pragma unroll 1
    for (int r = 0; r < rounds; r++)
        x = fmaf(x, 0.5f, K + 1.0f);
    return x;
}

// 1 <= ways <= 32
extern "C" __global__ void ways(const float *in, float *out, int n, int ways, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = in[i];
    switch (threadIdx.x % 32 % ways) {
    case 0: x = path<0>(x, rounds); break;
    case 1: x = path<1>(x, rounds); break;
    case 2: x = path<2>(x, rounds); break;
    case 3: x = path<3>(x, rounds); break;
    case 4: x = path<4>(x, rounds); break;
    case 5: x = path<5>(x, rounds); break;
    case 6: x = path<6>(x, rounds); break;
    case 7: x = path<7>(x, rounds); break;
    case 8: x = path<8>(x, rounds); break;
    case 9: x = path<9>(x, rounds); break;
    case 10: x = path<10>(x, rounds); break;
    case 11: x = path<11>(x, rounds); break;
    case 12: x = path<12>(x, rounds); break;
    case 13: x = path<13>(x, rounds); break;
    case 14: x = path<14>(x, rounds); break;
    case 15: x = path<15>(x, rounds); break;
    case 16: x = path<16>(x, rounds); break;
    case 17: x = path<17>(x, rounds); break;
    case 18: x = path<18>(x, rounds); break;
    case 19: x = path<19>(x, rounds); break;
    case 20: x = path<20>(x, rounds); break;
    case 21: x = path<21>(x, rounds); break;
    case 22: x = path<22>(x, rounds); break;
    case 23: x = path<23>(x, rounds); break;
    case 24: x = path<24>(x, rounds); break;
    case 25: x = path<25>(x, rounds); break;
    case 26: x = path<26>(x, rounds); break;
    case 27: x = path<27>(x, rounds); break;
    case 28: x = path<28>(x, rounds); break;
    case 29: x = path<29>(x, rounds); break;
    case 30: x = path<30>(x, rounds); break;
    case 31: x = path<31>(x, rounds); break;
    }
    out[i] = x;
}

extern "C" __global__ void together(const float *in, float *out, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    // [part together] Store what becomes of in[i]: on path<0> where i is even, and on path<1> where it is odd.
    if (i % 2 == 0)
        out[i] = path<0>(in[i], rounds);
    else
        out[i] = path<1>(in[i], rounds);
    // [end]
}

extern "C" __global__ void apart_even(const float *in, float *out, int n, int rounds) {
    // [part apart] Take the even elements alone, one a thread, on path<0>: no warp that has work for all lanes splits.
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) out[i] = path<0>(in[i], rounds);
    // [end]
}

extern "C" __global__ void apart_odd(const float *in, float *out, int n, int rounds) {
    // [part apart] The same for the odd elements, on path<1>.
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1;
    if (i < n) out[i] = path<1>(in[i], rounds);
    // [end]
}

// lanes <= 32: as many lanes of each warp have work.
extern "C" __global__ void lone(const float *in, float *out, int n, int lanes, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    // [part lone] Send the first `lanes` lanes of each warp along path<0>. The other elements stay as they are.
    float x = in[i];
    if (threadIdx.x % 32 < lanes) x = path<0>(x, rounds);
    out[i] = x;
    // [end]
}

extern "C" __global__ void by_data(const float *in, float *out, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    // [part by-data] Send the elements below 1 along path<0>. The others stay as they are.
    float x = in[i];
    if (x < 1.0f) x = path<0>(x, rounds);
    out[i] = x;
    // [end]
}

// Writes the indices of elements below 1 to lists[0] ... and of the others to lists[n] ..., in any order. counts, which
// must be 0 before, gets their numbers. A block counts its own in shared memory first.
extern "C" __global__ void filter(const float *in, int n, int *lists, int *counts) {
    __shared__ int here[2], first[2];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // [part filtered] Count in shared memory how many elements of the block belong in each list, so that the block
    // takes its places in both lists with one addition to each of the counts.
    if (threadIdx.x == 0) here[0] = here[1] = 0;
    __syncthreads();
    int list = i < n && in[i] < 1.0f ? 0 : 1;
    int place = 0;
    if (i < n) place = atomicAdd(&here[list], 1);
    __syncthreads();
    if (threadIdx.x == 0)
        for (int l = 0; l < 2; l++)
            first[l] = atomicAdd(&counts[l], here[l]);
    __syncthreads();
    if (i < n) lists[list * n + first[list] + place] = i;
    // [end]
}

extern "C" __global__ void costly(const float *in, float *out, int n, const int *lists, const int *counts, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // [part filtered] Send the elements of the first list along path<0>.
    if (i < counts[0]) out[lists[i]] = path<0>(in[lists[i]], rounds);
    // [end]
}

extern "C" __global__ void cheap(const float *in, float *out, int n, const int *lists, const int *counts, int) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // [part filtered] The elements of the second list stay as they are.
    if (i < counts[1]) out[lists[n + i]] = in[lists[n + i]];
    // [end]
}
