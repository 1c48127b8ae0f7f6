// Stencils on a line of n floats (and of n letters): each result needs its neighbours, so the threads of
// a block share what they load. Beyond the two ends the input counts as 0.
// What lies between [part ...] and [end] is what `warplab start` leaves to the student.
//
//  blur_naive         y[i] = x[i-1]/4 + x[i]/2 + x[i+1]/4, one element per thread, three loads from global memory.
//  blur_shared        like blur_naive, but the block first loads its elements into shared memory, and two
//                     threads load the halo, one element on each side.
//  blur_naive_double, blur_shared_double   the same two in double.
//  blur_wide          like blur_naive, but four adjacent elements per thread, as float4; their neighbours come
//                     from the neighbouring lanes by shuffles.
//  blur_twice         two blurs in one kernel: like blur_shared with a halo of two; the blur of the blur
//                     is computed from shared memory, and the first blur is never written out.
//  average5           the mean of five, x[i-2] ... x[i+2], with a halo of two on each side.
//  average5_published like average5, but as printed in a course: two of its four halo indices are wrong. It is not
//                     handed out.
//  reverse            reverses a text in place: each block swaps a piece with its mirror image.

template <class T>
__device__ void naive(const T* x, T* y, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    // [part naive] Store y[i] = x[i - 1] / 4 + x[i] / 2 + x[i + 1] / 4. Beyond the two ends x counts as 0. The last
    // block may have more threads than there are elements left.
    if (i >= n) return;
    T left = i > 0 ? x[i - 1] : T(0);
    T right = i + 1 < n ? x[i + 1] : T(0);
    y[i] = T(0.25) * left + T(0.5) * x[i] + T(0.25) * right;
    // [end]
}

extern "C" __global__ void blur_naive(const float* x, float* y, unsigned long long n) { naive(x, y, n); }
extern "C" __global__ void blur_naive_double(const double* x, double* y, unsigned long long n) { naive(x, y, n); }

// `s` has room for blockDim.x + 2 elements.
template <class T>
__device__ void shared(const T* x, T* y, size_t n, T* s) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned t = threadIdx.x;
    // [part shared] Load the block's elements to s[1] ... s[blockDim.x], with one neighbour on each side: each element
    // once. Then store the same blur as in part naive, from `s` alone.
    s[t + 1] = i < n ? x[i] : T(0);
    if (t == 0) s[0] = i > 0 ? x[i - 1] : T(0);
    if (t == blockDim.x - 1) s[t + 2] = i + 1 < n ? x[i + 1] : T(0);
    __syncthreads();  // for all threads, also those past the end: a barrier is for the whole block
    if (i < n) y[i] = T(0.25) * s[t] + T(0.5) * s[t + 1] + T(0.25) * s[t + 2];
    // [end]
}

extern "C" __global__ void blur_shared(const float* x, float* y, unsigned long long n) {
    extern __shared__ float s[];
    shared(x, y, n, s);
}
extern "C" __global__ void blur_shared_double(const double* x, double* y, unsigned long long n) {
    extern __shared__ double s_double[];
    shared(x, y, n, s_double);
}

// Thread i has elements 4 i to 4 i + 3. The block must consist of whole warps.
extern "C" __global__ void blur_wide(const float* __restrict__ x, float* __restrict__ y, unsigned long long n) {
    size_t i = 4 * ((size_t)blockIdx.x * blockDim.x + threadIdx.x);
    unsigned lane = threadIdx.x % 32;
    bool whole = i + 4 <= n;
    // [part wide] Load four elements as one float4, take the neighbours on both sides from the lanes next to this one,
    // and store four results. The first and the last lane of a warp load a neighbour themselves, and the last elements
    // of the line may fill no float4.
    float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (whole) {
        v = *(const float4*)&x[i];
    } else {
        if (i < n) v.x = x[i];
        if (i + 1 < n) v.y = x[i + 1];
        if (i + 2 < n) v.z = x[i + 2];
    }
    float left = __shfl_up_sync(0xffffffff, v.w, 1), right = __shfl_down_sync(0xffffffff, v.x, 1);
    if (lane == 0) left = i > 0 && i - 1 < n ? x[i - 1] : 0.0f;
    if (lane == 31) right = i + 4 < n ? x[i + 4] : 0.0f;
    float4 r = make_float4(0.25f * left + 0.5f * v.x + 0.25f * v.y, 0.25f * v.x + 0.5f * v.y + 0.25f * v.z,
                           0.25f * v.y + 0.5f * v.z + 0.25f * v.w, 0.25f * v.z + 0.5f * v.w + 0.25f * right);
    if (whole) {
        *(float4*)&y[i] = r;
    } else {
        if (i < n) y[i] = r.x;
        if (i + 1 < n) y[i + 1] = r.y;
        if (i + 2 < n) y[i + 2] = r.z;
    }
    // [end]
}

// Takes 2 blockDim.x + 6 floats of dynamic shared memory: the input with two neighbours per side, its blur with one.
extern "C" __global__ void blur_twice(const float* x, float* y, unsigned long long n) {
    extern __shared__ float s[];
    float* once = s + blockDim.x + 4;
    long long first = (long long)blockIdx.x * blockDim.x;
    // [part fused] Load the block's elements to `s`, with two neighbours on each side. Blur them to `once`, with one
    // neighbour on each side, and from there to y. Beyond the ends x is 0, and so is its first blur.
    for (unsigned t = threadIdx.x; t < blockDim.x + 4; t += blockDim.x) {
        long long i = first + t - 2;
        s[t] = i >= 0 && i < (long long)n ? x[i] : 0.0f;
    }
    __syncthreads();
    for (unsigned t = threadIdx.x; t < blockDim.x + 2; t += blockDim.x) {
        // Beyond the ends the first blur is 0 by definition; it is not computed from the elements inside.
        long long i = first + t - 1;
        once[t] = i >= 0 && i < (long long)n ? 0.25f * s[t] + 0.5f * s[t + 1] + 0.25f * s[t + 2] : 0.0f;
    }
    __syncthreads();
    unsigned t = threadIdx.x;
    long long i = first + t;
    if (i < (long long)n) y[i] = 0.25f * once[t] + 0.5f * once[t + 1] + 0.25f * once[t + 2];
    // [end]
}

// Takes blockDim.x + 4 floats of dynamic shared memory.
extern "C" __global__ void average5(const float* x, float* y, unsigned long long n) {
    extern __shared__ float s[];
    size_t first = (size_t)blockIdx.x * blockDim.x, i = first + threadIdx.x;
    unsigned t = threadIdx.x;
    // [part average] Load the block's elements to s[2] ... s[blockDim.x + 1], with two neighbours on each side. Then
    // store the mean of five, x[i - 2] ... x[i + 2]. A block may have any number of threads, even 1.
    s[t + 2] = i < n ? x[i] : 0.0f;
    // Halo cell h is x[first + h - 2] on the left, x[first + blockDim.x + h] on the right. (A block may be 1 thread.)
    for (unsigned h = t; h < 2; h += blockDim.x) {
        size_t left = first + h, right = first + blockDim.x + h;
        s[h] = left >= 2 && left - 2 < n ? x[left - 2] : 0.0f;
        s[blockDim.x + 2 + h] = right < n ? x[right] : 0.0f;
    }
    __syncthreads();
    if (i < n) y[i] = (s[t] + s[t + 1] + s[t + 2] + s[t + 3] + s[t + 4]) / 5.0f;
    // [end]
}

// [not handed out]
// Blocks need at least two threads.
extern "C" __global__ void average5_published(const float* x, float* y, unsigned long long n) {
    extern __shared__ float s[];
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned t = threadIdx.x;
    s[t + 2] = i < n ? x[i] : 0.0f;
    if (t == 0) s[0] = i >= 2 && i - 2 < n ? x[i - 2] : 0.0f;
    if (t == 1) s[1] = i >= 1 && i - 1 < n ? x[i - 1] : 0.0f;  // lane 1 needs i - 2 as well
    if (t == blockDim.x - 2) s[t + 4] = i + 1 < n ? x[i + 1] : 0.0f;  // and lane blockDim - 2 needs i + 2
    if (t == blockDim.x - 1) s[t + 4] = i + 2 < n ? x[i + 2] : 0.0f;
    __syncthreads();
    if (i < n) y[i] = (s[t] + s[t + 1] + s[t + 2] + s[t + 3] + s[t + 4]) / 5.0f;
}
// [end]

// The grid covers the first half of the text, n / 2 letters; a letter in the middle stays where it is.
// Takes 2 blockDim.x bytes of dynamic shared memory.
extern "C" __global__ void reverse(unsigned char* text, unsigned long long n) {
    extern __shared__ unsigned char letters[];
    unsigned char *front = letters, *back = letters + blockDim.x;
    size_t first = (size_t)blockIdx.x * blockDim.x, half = n / 2;
    // The block's piece is [first, first + size), its mirror image [n - first - size, n - first).
    size_t left = first < half ? half - first : 0;
    unsigned size = left < blockDim.x ? (unsigned)left : blockDim.x, t = threadIdx.x;
    // [part reverse] Load the piece to `front` and its mirror image to `back`. Then store each in the other's place,
    // from its end to its beginning. The text is turned in place: who has read what is overwritten?
    if (t < size) {
        front[t] = text[first + t];
        back[t] = text[n - first - size + t];
    }
    __syncthreads();  // no thread overwrites a letter that another has not read yet
    if (t < size) {
        text[first + t] = back[size - 1 - t];
        text[n - first - size + t] = front[size - 1 - t];
    }
    // [end]
}
