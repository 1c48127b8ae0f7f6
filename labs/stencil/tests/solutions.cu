// Solutions of the assignment as students write them, right and wrong. harness/cli/tests/solving/mod.rs says how to read
// this file, and harness/cli/tests/solutions.rs marks each of them.

// == right naive: three sums
    if (i < n) {
        T sum = x[i] / 2;
        if (i > 0) sum += x[i - 1] / 4;
        if (i < n - 1) sum += x[i + 1] / 4;
        y[i] = sum;
    }

// == right naive: restrict pointers, __ldg and a grid-stride loop
    const T* __restrict__ in = x;
    for (long long j = i; j < (long long)n; j += (long long)gridDim.x * blockDim.x) {
        T left = j == 0 ? T(0) : __ldg(in + j - 1), right = j + 1 == n ? T(0) : __ldg(in + j + 1);
        y[j] = (left + right) * T(0.25) + __ldg(in + j) * T(0.5);
    }

// == right naive: lambda that gives 0 beyond the ends
    auto at = [=](long long j) { return j >= 0 && j < (long long)n ? x[j] : T(0); };
    long long j = i;
    if (i < n) y[i] = T(0.25) * at(j - 1) + T(0.5) * at(j) + T(0.25) * at(j + 1);

// == right shared: loop over the block's elements and its halo
    long long first = (long long)blockIdx.x * blockDim.x - 1;
    for (unsigned c = t; c < blockDim.x + 2; c += blockDim.x) {
        long long j = first + c;
        s[c] = j >= 0 && j < (long long)n ? x[j] : T(0);
    }
    __syncthreads();
    if (i < n) y[i] = T(0.25) * s[t] + T(0.5) * s[t + 1] + T(0.25) * s[t + 2];

// == right shared: halo by the first two threads
    unsigned own = t + 1;
    s[own] = i < n ? x[i] : T(0);
    for (unsigned side = t; side < 2; side += blockDim.x) {
        size_t j = side == 0 ? i - t - 1 : i - t + blockDim.x;
        s[side == 0 ? 0 : blockDim.x + 1] = j < n ? x[j] : T(0);
    }
    __syncthreads();
    if (i >= n) return;
    y[i] = s[own] / 2 + (s[own - 1] + s[own + 1]) / 4;

// == right shared: cooperative groups
#include <cooperative_groups.h>
// [part shared]
    auto block = cooperative_groups::this_thread_block();
    s[t + 1] = i < n ? x[i] : T(0);
    if (block.thread_rank() == 0) {
        s[0] = blockIdx.x > 0 ? x[i - 1] : T(0);
        size_t after = i + block.size();
        s[block.size() + 1] = after < n ? x[after] : T(0);
    }
    block.sync();
    if (i < n) y[i] = T(0.25) * (s[t] + s[t + 2]) + T(0.5) * s[t + 1];
// [end]

// == right wide: array of four
    float v[4] = {0, 0, 0, 0};
    if (whole) *(float4*)v = *(const float4*)(x + i);
    else
        for (int j = 0; j < 4; j++)
            if (i + j < n) v[j] = x[i + j];
    float left = __shfl_up_sync(~0u, v[3], 1), right = __shfl_down_sync(~0u, v[0], 1);
    if (lane == 0) left = i > 0 && i <= n ? x[i - 1] : 0.0f;
    if (lane == 31) right = i + 4 < n ? x[i + 4] : 0.0f;
    float r[4];
#pragma unroll
    for (int j = 0; j < 4; j++) r[j] = 0.25f * (j ? v[j - 1] : left) + 0.5f * v[j] + 0.25f * (j < 3 ? v[j + 1] : right);
    if (whole) *(float4*)(y + i) = *(float4*)r;
    else
        for (int j = 0; j < 4; j++)
            if (i + j < n) y[i + j] = r[j];

// == right wide: neighbours by exclusive numbers of lanes
    float4 v;
    v.x = v.y = v.z = v.w = 0.0f;
    if (whole) v = __ldg((const float4*)(x + i));
    else if (i < n) {
        v.x = x[i];
        v.y = i + 1 < n ? x[i + 1] : 0.0f;
        v.z = i + 2 < n ? x[i + 2] : 0.0f;
    }
    float left = __shfl_sync(0xffffffff, v.w, (lane + 31) % 32), right = __shfl_sync(0xffffffff, v.x, (lane + 1) % 32);
    if (lane == 0) left = i == 0 || i - 1 >= n ? 0.0f : x[i - 1];
    if (lane == 31) right = i + 4 < n ? x[i + 4] : 0.0f;
    float4 r;
    r.x = (left + v.y) / 4 + v.x / 2;
    r.y = (v.x + v.z) / 4 + v.y / 2;
    r.z = (v.y + v.w) / 4 + v.z / 2;
    r.w = (v.z + right) / 4 + v.w / 2;
    if (whole) *(float4*)(y + i) = r;
    else if (i < n) {
        y[i] = r.x;
        if (i + 1 < n) y[i + 1] = r.y;
        if (i + 2 < n) y[i + 2] = r.z;
    }

// == right fused: blur of a place as a lambda
    unsigned width = blockDim.x;
    for (unsigned c = threadIdx.x; c < width + 4; c += width) {
        long long j = first + (long long)c - 2;
        s[c] = 0.0f;
        if (0 <= j && j < (long long)n) s[c] = x[j];
    }
    __syncthreads();
    auto blur = [](const float* p) { return 0.25f * p[0] + 0.5f * p[1] + 0.25f * p[2]; };
    for (unsigned c = threadIdx.x; c < width + 2; c += width) {
        long long j = first + (long long)c - 1;
        once[c] = j < 0 || j >= (long long)n ? 0.0f : blur(s + c);
    }
    __syncthreads();
    if (first + threadIdx.x < n) y[first + threadIdx.x] = blur(once + threadIdx.x);

// == right average: loop over the block's elements and its halo
    for (unsigned c = t; c < blockDim.x + 4; c += blockDim.x) {
        long long j = (long long)first + c - 2;
        s[c] = j >= 0 && j < (long long)n ? x[j] : 0.0f;
    }
    __syncthreads();
    if (i >= n) return;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 5; k++) sum += s[t + k];
    y[i] = sum * 0.2f;

// == right average: four threads load the halo
    s[t + 2] = i < n ? x[i] : 0.0f;
    for (unsigned c = t; c < 4; c += blockDim.x) {
        long long j = c < 2 ? (long long)first - 2 + c : (long long)(first + blockDim.x) + c - 2;
        s[c < 2 ? c : blockDim.x + c] = j >= 0 && j < (long long)n ? x[j] : 0.0f;
    }
    __syncthreads();
    if (i < n) y[i] = (s[t] + s[t + 1] + s[t + 2] + s[t + 3] + s[t + 4]) / 5;

// == right reverse: letters in registers
    unsigned char a = 0, b = 0;
    size_t i = first + t, j = n - 1 - i;
    if (t < size) a = text[i], b = text[j];
    if (t < size) text[i] = b, text[j] = a;

// == right reverse: image is read from its end
    if (t < size) {
        front[t] = text[first + t];
        back[t] = text[n - 1 - first - t];
    }
    __syncthreads();
    if (t < size) {
        text[first + t] = back[t];
        text[n - 1 - first - t] = front[t];
    }

// == wrong naive: first element has a left neighbour
- i > 0 ? x[i - 1] : T(0)
+ x[i - 1]

// == wrong naive: last element has a right neighbour
- i + 1 < n ? x[i + 1] : T(0)
+ x[i + 1]

// == wrong naive: ends are left out
- if (i >= n) return;
+ if (i == 0 || i + 1 >= n) return;

// == wrong naive: no question about the end
- if (i >= n) return;

// == wrong naive: one element too many
- i >= n
+ i > n

// == wrong naive: ends are repeated
- x[i - 1] : T(0)
+ x[i - 1] : x[i]

// == wrong naive: ends wrap around
- x[i + 1] : T(0)
+ x[i + 1] : x[0]

// == wrong naive: mean of three
- T(0.25) * left + T(0.5) * x[i] + T(0.25) * right
+ (left + x[i] + right) / 3

// == wrong naive: whole numbers are divided
- T(0.25) * left + T(0.5) * x[i] + T(0.25) * right
+ 1 / 4 * left + 1 / 2 * x[i] + 1 / 4 * right

// == wrong naive: blurs in float always
- T left = i > 0
+ float left = i > 0

// == wrong shared: no barrier
- __syncthreads();  // for all threads, also those past the end: a barrier is for the whole block

// == wrong shared: threads past the end leave before the barrier
- s[t + 1] = i < n ? x[i] : T(0);
+ if (i >= n) return;
+ s[t + 1] = x[i];

// == wrong shared: barrier inside of a branch
- if (t == blockDim.x - 1) s[t + 2] = i + 1 < n ? x[i + 1] : T(0);
- __syncthreads();
+ if (t == blockDim.x - 1) { s[t + 2] = i + 1 < n ? x[i + 1] : T(0); __syncthreads(); }

// == wrong shared: no halo on the left
- if (t == 0) s[0] = i > 0 ? x[i - 1] : T(0);

// == wrong shared: no halo on the right
- if (t == blockDim.x - 1) s[t + 2] = i + 1 < n ? x[i + 1] : T(0);

// == wrong shared: halo of zeros
- i > 0 ? x[i - 1] : T(0)
+ T(0)

// == wrong shared: halo lies one place off
- s[t + 2] = i + 1 < n ? x[i + 1] : T(0)
+ s[t + 2] = i + 2 < n ? x[i + 2] : T(0)

// == wrong shared: elements lie one place off
- s[t + 1] = i < n
+ s[t] = i < n

// == wrong shared: three loads from global memory, as in part naive
    if (i >= n) return;
    T left = i > 0 ? x[i - 1] : T(0);
    T right = i + 1 < n ? x[i + 1] : T(0);
    y[i] = T(0.25) * left + T(0.5) * x[i] + T(0.25) * right;

// == wrong wide: neighbours of a warp are forgotten
- if (lane == 0) left = i > 0 && i - 1 < n ? x[i - 1] : 0.0f;

// == wrong wide: neighbour below is the first of the four
- __shfl_up_sync(0xffffffff, v.w, 1)
+ __shfl_up_sync(0xffffffff, v.x, 1)

// == wrong wide: up and down are exchanged
- __shfl_up_sync(
+ __shfl_DOWN_sync(
- __shfl_down_sync(
+ __shfl_up_sync(
- __shfl_DOWN_sync(
+ __shfl_down_sync(

// == wrong wide: last elements are forgotten
- if (i < n) y[i] = r.x;
- if (i + 1 < n) y[i + 1] = r.y;
- if (i + 2 < n) y[i + 2] = r.z;

// == wrong wide: four floats over the end
- if (whole) {
+ if (i < n) {

// == wrong wide: one float at a time
    for (int j = 0; j < 4; j++)
        if (i + j < n) {
            size_t k = i + j;
            y[k] = 0.25f * (k > 0 ? x[k - 1] : 0.0f) + 0.5f * x[k] + 0.25f * (k + 1 < n ? x[k + 1] : 0.0f);
        }

// == wrong wide: lanes past the end do not come to the shuffles
- float4 v =
+ if (i >= n) return;
+ float4 v =

// == wrong fused: no barrier before the first blur
- }
- __syncthreads();
- for (unsigned t = threadIdx.x; t < blockDim.x + 2;
+ }
+ for (unsigned t = threadIdx.x; t < blockDim.x + 2;

// == wrong fused: no barrier before the second blur
- }
- __syncthreads();
- unsigned t
+ }
+ unsigned t

// == wrong fused: halo of one
- t < blockDim.x + 4; t
+ t < blockDim.x + 2; t

// == wrong fused: first blur has no halo
- t < blockDim.x + 2; t
+ t < blockDim.x; t

// == wrong fused: first blur goes on beyond the ends
- once[t] = i >= 0 && i < (long long)n ? 0.25f * s[t] + 0.5f * s[t + 1] + 0.25f * s[t + 2] : 0.0f
+ once[t] = 0.25f * s[t] + 0.5f * s[t + 1] + 0.25f * s[t + 2]

// == wrong fused: one blur
- 0.25f * once[t] + 0.5f * once[t + 1] + 0.25f * once[t + 2]
+ once[t + 1]

// == wrong fused: index without a sign
- long long i = first + t - 2;
- s[t] = i >= 0 && i < (long long)n
+ unsigned i = first + t - 2;
+ s[t] = i >= 0 && i < (long long)n + 2

// == wrong fused: five loads from global memory
    auto blur = [=](long long j) {
        auto at = [=](long long k) { return k >= 0 && k < (long long)n ? x[k] : 0.0f; };
        return j >= 0 && j < (long long)n ? 0.25f * at(j - 1) + 0.5f * at(j) + 0.25f * at(j + 1) : 0.0f;
    };
    long long i = first + threadIdx.x;
    if (i < (long long)n) y[i] = 0.25f * blur(i - 1) + 0.5f * blur(i) + 0.25f * blur(i + 1);

// == wrong average: halo as a course printed it
    s[t + 2] = i < n ? x[i] : 0.0f;
    if (t == 0) s[0] = i >= 2 && i - 2 < n ? x[i - 2] : 0.0f;
    if (t == 1) s[1] = i >= 1 && i - 1 < n ? x[i - 1] : 0.0f;
    if (t == blockDim.x - 2) s[t + 4] = i + 1 < n ? x[i + 1] : 0.0f;
    if (t == blockDim.x - 1) s[t + 4] = i + 2 < n ? x[i + 2] : 0.0f;
    __syncthreads();
    if (i < n) y[i] = (s[t] + s[t + 1] + s[t + 2] + s[t + 3] + s[t + 4]) / 5.0f;

// == wrong average: halo of one
- h < 2;
+ h < 1;

// == wrong average: no barrier
- __syncthreads();

// == wrong average: mean of four
- s[t] + s[t + 1]
+ s[t + 1]

// == wrong average: divided by what is inside
- / 5.0f
+ / (5.0f - (i < 1) - (i < 2) - (i + 1 >= n) - (i + 2 >= n))

// == wrong average: five loads from global memory
    float sum = 0.0f;
    for (long long j = (long long)i - 2; j <= (long long)i + 2; j++)
        if (j >= 0 && j < (long long)n) sum += x[j];
    if (i < n) y[i] = sum / 5.0f;

// == wrong reverse: no barrier
- __syncthreads();  // no thread overwrites a letter that another has not read yet

// == wrong reverse: barrier inside of the branch
- __syncthreads();
+ if (t < size / 2) __syncthreads();

// == wrong reverse: pieces are exchanged, and not turned
- back[size - 1 - t]
+ back[t]
- front[size - 1 - t]
+ front[t]

// == wrong reverse: one side alone is stored
- text[n - first - size + t] = front[size - 1 - t];

// == wrong reverse: image begins one letter off
- n - first - size + t
+ n - 1 - first - size + t

// == wrong reverse: last block is taken for a whole one
- back[size - 1 - t]
+ back[blockDim.x - 1 - t]

// == wrong reverse: half of the piece alone
- if (t < size) {
+ if (t < size / 2) {
