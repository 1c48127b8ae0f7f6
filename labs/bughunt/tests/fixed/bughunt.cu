// The kernels of the lab, fixed by the diffs of ANSWERS.md: what the lab must find right at every size.
//
//    1  bounds             differences       a difference between neighbours
//    2  stride             brighten          every pixel made brighter, in place
//    3  overflow           areas             areas of rectangles
//    4  index              turn              a picture with its rows and columns exchanged
//    5  countdown          last_positive     the last positive number of each row
//    6  no-barrier         mirror            each tile from its end to its beginning
//    7  divergent-barrier  steps             how far each number is from the one before
//    8  shared-race        tally             how often each kind occurs in a block
//    9  uninitialised      evens             how many numbers of a block are even
//   10  block-race         total             one sum over all blocks
//   11  wrong-mask         warp_sums         a sum for each warp
//   12  lockstep           warp_largest      the largest number for each warp
//   13  misaligned         powers            powers of a signal
//   14  nan                directions        vectors made one long
//   15  order              balances          what is left on accounts
//   16  wrong-launch       clamp             numbers cut to a range; the mistake is the host's
//   17  small-shared       smooth            means of neighbours; the mistake is the host's
//   18  no-wait            largest           the largest of all; the mistake is the host's
//   19  leak               digits            sums of decimal digits; the mistake is the host's
//   20  host-pointer       checksum          all numbers under exclusive or; the mistake is the host's
//
// The lab launches a thread for each of the n elements, in blocks of 256, and the last block has threads to spare. For
// 16 to 20 the host's part lies in this file too: see there.

const int BLOCK = 256;

__device__ inline size_t grid_index() { return (size_t)blockIdx.x * blockDim.x + threadIdx.x; }

// ---- 1
// d[i] = x[i + 1] - x[i]: the n differences between n + 1 samples.
extern "C" __global__ void differences(const float* x, float* d, size_t n) {
    size_t i = grid_index();
    if (i < n) d[i] = x[i + 1] - x[i];
}

// ---- 2
// Adds 10 to each of the n pixels, once. Right for any number of blocks, even for fewer threads than pixels.
extern "C" __global__ void brighten(unsigned* pixels, size_t n) {
    for (size_t i = grid_index(); i < n; i += (size_t)gridDim.x * blockDim.x) pixels[i] += 10;
}

// ---- 3
// area[i] = width times height of rectangle i, whose sides are sides[2 i] and sides[2 i + 1], each below 100000.
extern "C" __global__ void areas(const int* sides, long long* area, size_t n) {
    size_t i = grid_index();
    if (i < n) area[i] = (long long)sides[2 * i] * sides[2 * i + 1];
}

// ---- 4
// The picture has `height` rows of `width` pixels. Turned, it has `width` rows of `height` pixels: row x, column y holds
// what was in row y, column x.
extern "C" __global__ void turn(const float* picture, float* turned, size_t width, size_t height) {
    size_t i = grid_index();
    if (i >= width * height) return;
    size_t x = i % width, y = i / width;
    turned[x * height + y] = picture[i];
}

// ---- 5
// place[i] = the place, 0 to 7, of the last positive number among the eight of row i; -1 if there is none.
extern "C" __global__ void last_positive(const int* rows, int* place, size_t n) {
    size_t i = grid_index();
    if (i >= n) return;
    const int* row = rows + 8 * i;
    for (int k = 7; k >= 0; --k) {
        if (row[k] > 0) {
            place[i] = k;
            return;
        }
    }
    place[i] = -1;
}

// ---- 6
// Each tile of 256 numbers (the last may be shorter) is turned round: its last number comes first.
extern "C" __global__ void mirror(const float* x, float* y, size_t n) {
    __shared__ float tile[BLOCK];
    size_t start = (size_t)blockIdx.x * BLOCK;
    unsigned length = n - start < BLOCK ? n - start : BLOCK, t = threadIdx.x;
    if (t < length) tile[t] = x[start + t];
    __syncthreads();
    if (t < length) y[start + t] = tile[length - 1 - t];
}

// ---- 7
// step[i] = |x[i] - x[i - 1]|; the first number of each tile of 256 has no number before it, and its step is 0.
extern "C" __global__ void steps(const float* x, float* step, size_t n) {
    __shared__ float tile[BLOCK];
    size_t i = grid_index();
    unsigned t = threadIdx.x;
    float distance = 0.0f;
    if (i < n) tile[t] = x[i];
    __syncthreads();
    if (t > 0 && i < n) {
        distance = fabsf(tile[t] - tile[t - 1]);
    }
    if (i < n) step[i] = distance;
}

// ---- 8
// counts[8 b + k] = how many of the 256 bytes of block b are of kind k. A byte's kind is its remainder by 8.
extern "C" __global__ void tally(const unsigned char* bytes, unsigned* counts, size_t n) {
    __shared__ unsigned bins[8];
    size_t i = grid_index();
    if (threadIdx.x < 8) bins[threadIdx.x] = 0;
    __syncthreads();
    if (i < n) atomicAdd(&bins[bytes[i] % 8], 1);
    __syncthreads();
    if (threadIdx.x < 8) counts[8 * blockIdx.x + threadIdx.x] = bins[threadIdx.x];
}

// ---- 9
// evens[b] = how many of the 256 numbers of block b are even.
extern "C" __global__ void evens(const unsigned* x, unsigned* evens, size_t n) {
    __shared__ unsigned count;
    size_t i = grid_index();
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    if (i < n && x[i] % 2 == 0) atomicAdd(&count, 1);
    __syncthreads();
    if (threadIdx.x == 0) evens[blockIdx.x] = count;
}

// ---- 10
// *sum = the sum of all n numbers. The host has set it to 0.
extern "C" __global__ void total(const unsigned* x, unsigned* sum, size_t n) {
    __shared__ unsigned words[BLOCK];
    size_t i = grid_index();
    unsigned t = threadIdx.x;
    words[t] = i < n ? x[i] : 0;
    for (unsigned half = BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) words[t] += words[t + half];
    }
    if (t == 0) atomicAdd(sum, words[0]);
}

// ---- 11
// sums[w] = the sum of the 32 numbers of warp w; the last warp may have fewer.
extern "C" __global__ void warp_sums(const int* x, int* sums, size_t n) {
    size_t i = grid_index();
    int sum = i < n ? x[i] : 0;
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, distance);
    }
    if (i < n && i % 32 == 0) sums[i / 32] = sum;
}

// ---- 12
// largest[w] = the largest of the 32 numbers of warp w; the last warp may have fewer. No number is below 0.
extern "C" __global__ void warp_largest(const int* x, int* largest, size_t n) {
    __shared__ int words[BLOCK];
    size_t i = grid_index();
    unsigned lane = threadIdx.x % 32;
    int* mine = words + (threadIdx.x - lane);
    mine[lane] = i < n ? x[i] : 0;
    for (unsigned half = 16; half > 0; half /= 2) {
        __syncwarp();
        if (lane < half) mine[lane] = max(mine[lane], mine[lane + half]);
    }
    if (lane == 0 && i < n) largest[i / 32] = mine[0];
}

// ---- 13
// A recording is one float, the sampling rate, and then n samples of two floats, re and im: power[i] = re^2 + im^2.
extern "C" __global__ void powers(const float* recording, float* power, size_t n) {
    size_t i = grid_index();
    const float* samples = recording + 1;
    if (i < n) {
        float re = samples[2 * i], im = samples[2 * i + 1];
        power[i] = re * re + im * im;
    }
}

// ---- 14
// Each of the n vectors (x, y), made one long. The vector (0, 0) has no direction, and stays (0, 0).
extern "C" __global__ void directions(const float* vectors, float* units, size_t n) {
    size_t i = grid_index();
    if (i >= n) return;
    float x = vectors[2 * i], y = vectors[2 * i + 1];
    float length = sqrtf(x * x + y * y);
    units[2 * i] = length > 0.0f ? x / length : 0.0f;
    units[2 * i + 1] = length > 0.0f ? y / length : 0.0f;
}

// ---- 15
// left[i] = deposit + interest - withdrawal of account i: three floats, in this order. Deposits are up to 10^8, interest
// is below 4, and what is left is below 40. It must be right to the last few bits.
extern "C" __global__ void balances(const float* accounts, float* left, size_t n) {
    size_t i = grid_index();
    if (i < n) left[i] = accounts[3 * i] - accounts[3 * i + 2] + accounts[3 * i + 1];
}

// ---- 16 and 17: the host's launch
// The host does not choose the launch: it runs the kernel whose name ends in _shape, with one thread, and launches the
// other with what it says, as a host program would between <<< and >>>.
struct Shape {
    unsigned blocks, threads, shared_bytes;
};

// y[i] = x[i], but no less than -1 and no more than 1. This kernel is right.
extern "C" __global__ void clamp(const float* x, float* y, size_t n) {
    size_t i = grid_index();
    if (i < n) y[i] = fminf(fmaxf(x[i], -1.0f), 1.0f);
}

extern "C" __global__ void clamp_shape(size_t n, Shape* shape) {
    shape->threads = 256;
    shape->blocks = (n + shape->threads - 1) / shape->threads;
    shape->shared_bytes = 0;
}

// y[i] = (x[i - 1] + x[i]) / 2; the first number of each block has no number before it, and stays. This kernel is right.
// It keeps a float for each of its threads in shared memory, of which the launch must give it enough.
extern "C" __global__ void smooth(const float* x, float* y, size_t n) {
    extern __shared__ float tile[];
    size_t i = grid_index();
    unsigned t = threadIdx.x;
    if (i < n) tile[t] = x[i];
    __syncthreads();
    if (i < n) y[i] = t == 0 ? tile[t] : (tile[t - 1] + tile[t]) / 2;
}

extern "C" __global__ void smooth_shape(size_t n, Shape* shape) {
    shape->threads = 256;
    shape->blocks = (n + shape->threads - 1) / shape->threads;
    shape->shared_bytes = shape->threads * sizeof(float);
}

// ---- 18 to 20: the host's calls
// The host does what these lists say, from left to right. A launch only queues its kernel: it begins when the host waits,
// which is as late as CUDA allows. All of these kernels are right.
enum Call {
    MALLOC,          // result = memory of the host, as malloc gives it
    MALLOC_MANAGED,  // result = memory that both the host and the device reach, as cudaMallocManaged gives it
    LAUNCH,          // kernel<<<blocks, 256>>>(x, result, n)
    WAIT,            // cudaDeviceSynchronize()
    READ,            // the host takes its answer from result
    FREE,            // free(result) or cudaFree(result)
};
// Either kind of memory is set to 0 as soon as the host has it.

// *largest = the largest of all n numbers.
extern "C" __global__ void largest(const unsigned* x, unsigned* largest, size_t n) {
    size_t i = grid_index();
    if (i < n) atomicMax(largest, x[i]);
}

// sums[i] = the sum of the decimal digits of x[i].
extern "C" __global__ void digits(const unsigned* x, unsigned* sums, size_t n) {
    size_t i = grid_index();
    if (i >= n) return;
    unsigned sum = 0;
    for (unsigned rest = x[i]; rest > 0; rest /= 10) sum += rest % 10;
    sums[i] = sum;
}

// *sum = all n numbers under exclusive or.
extern "C" __global__ void checksum(const unsigned* x, unsigned* sum, size_t n) {
    size_t i = grid_index();
    if (i < n) atomicXor(sum, x[i]);
}

extern "C" {
__constant__ int largest_calls[] = {MALLOC_MANAGED, LAUNCH, WAIT, READ, FREE};
// The host does all of this for each of four batches.
__constant__ int digits_calls[] = {MALLOC_MANAGED, LAUNCH, WAIT, READ, FREE};
__constant__ int checksum_calls[] = {MALLOC_MANAGED, LAUNCH, WAIT, READ, FREE};
}
