// Laplace's equation on a plane of height x width floats by Jacobi's method: each step sets every inner
// point to the mean of its four neighbours of the step before; the border is given and does not change.
// All kernels add in the same order, left + right + above + below, so that they agree to the last bit.
//
//  sweep           one step, one point per thread.
//  sweep_change    like sweep, but also gives the largest change of any point, as the bits of a float:
//                  floats that are not negative compare as their bits do, so an integer atomicMax is enough.
//  sweep_marching  like sweep, but a thread goes down `rows` rows of four columns and keeps three rows in
//                  registers: for widths that are multiples of 4, and planes larger than the caches.
//  sweep_batch     like sweep_marching, but a thread has four rows, and loads them all before it takes the first mean:
//                  no load waits for the means of the row before.
//  sweeps_marching like sweep_marching, but four steps in one pass over memory: the rows of every step are in registers,
//                  and a row of the next step is made as soon as the row below it is there.
//  several         up to 8 steps per launch: a block keeps 32 x 32 points in shared memory. Their outer `steps`
//                  rings become invalid, and only the middle is written: work is done twice, launches are saved.
//  in_place        all steps in one cooperative launch on a single plane: a thread keeps the new value of its point in
//                  a register until all threads of the grid have read the old ones. It needs as many threads as points.
//  persistent      all steps in one cooperative launch, with a barrier of its own for the whole grid. Every
//                  `every` steps it looks at the largest change, and ends when that is at most `tolerance`.

__device__ bool is_inner(unsigned x, unsigned y, unsigned width, unsigned height) {
    return x > 0 && x + 1 < width && y > 0 && y + 1 < height;
}

extern "C" __global__ void sweep(const float* __restrict__ u, float* __restrict__ v, unsigned width, unsigned height) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    size_t i = (size_t)y * width + x;
    v[i] = is_inner(x, y, width, height) ? 0.25f * (u[i - 1] + u[i + 1] + u[i - width] + u[i + width]) : u[i];
}

extern "C" __global__ void sweep_change(const float* __restrict__ u, float* __restrict__ v, unsigned width,
                                        unsigned height, unsigned* largest) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float change = 0.0f;
    if (x < width && y < height) {
        size_t i = (size_t)y * width + x;
        float was = u[i];
        float is = is_inner(x, y, width, height) ? 0.25f * (u[i - 1] + u[i + 1] + u[i - width] + u[i + width]) : was;
        v[i] = is;
        change = fabsf(is - was);
    }
    // First the largest of the warp, so that there is one atomic for 32 points. The block is a multiple of 32 threads.
    for (unsigned step = 16; step > 0; step /= 2) change = fmaxf(change, __shfl_xor_sync(0xffffffff, change, step));
    unsigned thread = threadIdx.y * blockDim.x + threadIdx.x;
    if (thread % 32 == 0 && change > 0.0f) atomicMax(largest, __float_as_uint(change));
}

extern "C" __global__ void sweep_marching(const float* __restrict__ u, float* __restrict__ v, unsigned width,
                                          unsigned height, unsigned rows) {
    unsigned x = 4 * (blockIdx.x * blockDim.x + threadIdx.x), lane = threadIdx.x % 32;
    unsigned y = blockIdx.y * rows, left_rows = height - y < rows ? height - y : rows;
    bool here = x < width;
    const float4 none = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    const float* p = u + (size_t)y * width + x;
    float* q = v + (size_t)y * width + x;
    float4 above = here && y > 0 ? *(const float4*)(p - width) : none, centre = here ? *(const float4*)p : none;
#pragma unroll 4
    for (unsigned r = 0; r < left_rows; r++, p += width, q += width) {
        bool last = y + r + 1 >= height;
        float4 below = here && !last ? *(const float4*)(p + width) : none;
        float left = __shfl_up_sync(0xffffffff, centre.w, 1), right = __shfl_down_sync(0xffffffff, centre.x, 1);
        if (lane == 0 && here && x > 0) left = p[-1];
        if (lane == 31 && x + 4 < width) right = p[4];
        float4 mean = make_float4(0.25f * (left + centre.y + above.x + below.x),
                                  0.25f * (centre.x + centre.z + above.y + below.y),
                                  0.25f * (centre.y + centre.w + above.z + below.z),
                                  0.25f * (centre.z + right + above.w + below.w));
        if (y + r == 0 || last) mean = centre;
        if (x == 0) mean.x = centre.x;
        if (x + 4 == width) mean.w = centre.w;
        if (here) *(float4*)q = mean;
        above = centre;
        centre = below;
    }
}

constexpr int BATCH = 4, STEPS = 4;

// Blocks of 128 threads with four columns each; blockIdx.x counts strips of columns, blockIdx.y strips of BATCH rows.
extern "C" __global__ void __launch_bounds__(128) sweep_batch(const float* __restrict__ u, float* __restrict__ v,
                                                             unsigned width, unsigned height) {
    unsigned x = 4 * (blockIdx.x * blockDim.x + threadIdx.x), y = blockIdx.y * BATCH, lane = threadIdx.x % 32;
    bool here = x < width;
    // held[1] is row y; side[r] is the neighbour of held[r] that no lane of this warp has.
    float4 held[BATCH + 2];
    float side[BATCH + 2];
#pragma unroll
    for (int r = 0; r < BATCH + 2; r++) {
        const float* p = u + (size_t)(y + r - 1) * width + x;
        bool in = here && y + r - 1 < height; // row -1 wraps around, and is outside as well
        held[r] = in ? *(const float4*)p : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        side[r] = 0.0f;
        if (in && lane == 0 && x > 0) side[r] = p[-1];
        if (in && lane == 31 && x + 4 < width) side[r] = p[4];
    }
#pragma unroll
    for (int r = 1; r <= BATCH; r++) {
        unsigned row = y + r - 1;
        float4 above = held[r - 1], centre = held[r], below = held[r + 1];
        float left = __shfl_up_sync(0xffffffff, centre.w, 1), right = __shfl_down_sync(0xffffffff, centre.x, 1);
        if (lane == 0) left = side[r];
        if (lane == 31) right = side[r];
        float4 mean = make_float4(0.25f * (left + centre.y + above.x + below.x),
                                  0.25f * (centre.x + centre.z + above.y + below.y),
                                  0.25f * (centre.y + centre.w + above.z + below.z),
                                  0.25f * (centre.z + right + above.w + below.w));
        if (row == 0 || row + 1 == height) mean = centre;
        if (x == 0) mean.x = centre.x;
        if (x + 4 == width) mean.w = centre.w;
        if (here && row < height) *(float4*)(v + (size_t)row * width + x) = mean;
    }
}

// Whole warps. A warp has 128 columns, and goes down `rows` rows: blockIdx.y counts strips of rows. The outer lanes have
// columns of the neighbouring strips, which become invalid, a column a step; 120 columns are the warp's own.
extern "C" __global__ void __launch_bounds__(128) sweeps_marching(const float* __restrict__ u, float* __restrict__ v,
                                                                 unsigned width, unsigned height, unsigned rows) {
    constexpr int OWN = 128 - 2 * STEPS, AHEAD = 4;
    static_assert(STEPS == 4, "a lane has four columns, so that one lane on each side is enough");
    int w = width, h = height, lane = threadIdx.x % 32;
    int left_column = (int)((blockIdx.x * blockDim.x + threadIdx.x) / 32) * OWN, x = left_column - STEPS + 4 * lane;
    if (left_column >= w) return; // the whole warp
    int y = blockIdx.y * rows, end = h - y < (int)rows ? h : y + (int)rows;
    bool here = x >= 0 && x < w, own = here && lane > 0 && lane < 31;
    const float4 none = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    // Of each level the last two rows: `above` and `centre`. Row i of level 0 is loaded; row i - k of level k follows.
    float4 above[STEPS], centre[STEPS], next[AHEAD];
#pragma unroll
    for (int k = 0; k < STEPS; k++) above[k] = centre[k] = none;
    int first = y - STEPS, last = end + STEPS; // rows of level 0 that are needed
    const float* p = u + (ptrdiff_t)first * w + x;
    float* q = v + (ptrdiff_t)(first - STEPS) * w + x;
#pragma unroll
    for (int i = 0; i < AHEAD; i++, p += w) next[i] = here && first + i >= 0 && first + i < h ? *(const float4*)p : none;
    for (int r = first; r < last; r += AHEAD) {
#pragma unroll
        for (int i = 0; i < AHEAD; i++, p += w, q += w) {
            float4 below = next[i];
            int later = r + i + AHEAD;
            next[i] = here && later >= 0 && later < h && later < last ? *(const float4*)p : none;
#pragma unroll
            for (int k = 0; k < STEPS; k++) {
                float4 was = centre[k], up = above[k];
                float left = __shfl_up_sync(0xffffffff, was.w, 1), right = __shfl_down_sync(0xffffffff, was.x, 1);
                float4 mean = make_float4(0.25f * (left + was.y + up.x + below.x),
                                          0.25f * (was.x + was.z + up.y + below.y),
                                          0.25f * (was.y + was.w + up.z + below.z),
                                          0.25f * (was.z + right + up.w + below.w));
                int row = r + i - 1 - k;
                if (row <= 0 || row >= h - 1) mean = was;
                if (x == 0) mean.x = was.x;
                if (x + 4 == w) mean.w = was.w;
                above[k] = was;
                centre[k] = below;
                below = mean; // row `row` of level k + 1
            }
            int row = r + i - STEPS;
            if (own && row >= y && row < end) __stcs((float4*)q, below);
        }
    }
}

// Blocks of 32 x 32 threads; each writes a square of 32 - 2 steps points, so steps is at most 15.
extern "C" __global__ __launch_bounds__(1024) void several(const float* __restrict__ u, float* __restrict__ v,
                                                           unsigned width, unsigned height, unsigned steps) {
    __shared__ float s[2][32][32];
    unsigned tx = threadIdx.x, ty = threadIdx.y, core = 32 - 2 * steps;
    // Coordinates left of or above the plane wrap around to huge numbers, which are outside as well.
    unsigned x = blockIdx.x * core + tx - steps, y = blockIdx.y * core + ty - steps;
    bool here = x < width && y < height;
    float value = here ? u[(size_t)y * width + x] : 0.0f;
    // The outermost ring has no neighbours in the tile; the border of the plane is given.
    bool moves = here && is_inner(x, y, width, height) && tx > 0 && tx < 31 && ty > 0 && ty < 31;
    s[0][ty][tx] = value;
    for (unsigned k = 0; k < steps; k++) {
        __syncthreads();  // one barrier per step is enough, because the two tiles take turns
        const float(*from)[32] = s[k % 2];
        if (moves) value = 0.25f * (from[ty][tx - 1] + from[ty][tx + 1] + from[ty - 1][tx] + from[ty + 1][tx]);
        s[(k + 1) % 2][ty][tx] = value;
    }
    bool mine = tx >= steps && tx < 32 - steps && ty >= steps && ty < 32 - steps;
    if (here && mine) v[(size_t)y * width + x] = value;
}

// Waits until every block of the grid has arrived here `round` times. All blocks must be resident, which a
// cooperative launch guarantees. The fences make what was written before the barrier visible to all after it.
__device__ void grid_barrier(unsigned* arrived, unsigned& round) {
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        round++;
        __threadfence();
        atomicAdd(arrived, 1);
        // The signed difference is right even when the counter has wrapped around.
        unsigned all = round * (gridDim.x * gridDim.y);
        while ((int)(*(volatile unsigned*)arrived - all) < 0) {
        }
        __threadfence();
    }
    __syncthreads();
}

// u holds the start; v has the same size. A two-dimensional grid, with blocks of whole warps, strides over the plane.
// control: {arrivals, steps done, largest change of two alternate looks}, all 0 before. With every = 0
// no change is looked at. The result is in u after an even number of steps, and in v after an odd number.
extern "C" __global__ void persistent(float* u, float* v, unsigned width, unsigned height, unsigned steps,
                                      unsigned every, float tolerance, unsigned* control) {
    unsigned *arrived = control, *done = control + 1, *largest = control + 2;
    unsigned thread = threadIdx.y * blockDim.x + threadIdx.x;
    bool first = blockIdx.x == 0 && blockIdx.y == 0 && thread == 0;
    unsigned round = 0, look = 0;
    for (unsigned k = 1; k <= steps; k++) {
        bool looks = every > 0 && k % every == 0;
        float change = 0.0f;
        for (unsigned y = blockIdx.y * blockDim.y + threadIdx.y; y < height; y += gridDim.y * blockDim.y)
            for (unsigned x = blockIdx.x * blockDim.x + threadIdx.x; x < width; x += gridDim.x * blockDim.x) {
                size_t i = (size_t)y * width + x;
                float was = u[i];
                float is = is_inner(x, y, width, height) ? 0.25f * (u[i - 1] + u[i + 1] + u[i - width] + u[i + width])
                                                         : was;
                v[i] = is;
                change = fmaxf(change, fabsf(is - was));
            }
        if (looks) {
            for (unsigned step = 16; step > 0; step /= 2)
                change = fmaxf(change, __shfl_xor_sync(0xffffffff, change, step));
            if (thread % 32 == 0 && change > 0.0f) atomicMax(&largest[look % 2], __float_as_uint(change));
        }
        grid_barrier(arrived, round);
        float* t = u;
        u = v;
        v = t;
        if (first) *done = k;
        if (looks) {
            // All blocks read the same number, so either all leave or none.
            float seen = __uint_as_float(*(volatile unsigned*)&largest[look % 2]);
            if (seen <= tolerance) return;
            // All blocks have read the other cell long ago, and the barrier of the next step lies between this
            // reset and the next look. If every step looks, there is one more barrier for that.
            if (first) largest[(look + 1) % 2] = 0;
            look++;
            if (every == 1) grid_barrier(arrived, round);
        }
    }
}

// u holds the start and the result; control is that of `persistent`. One point per thread, blocks of whole warps.
extern "C" __global__ void in_place(float* u, unsigned width, unsigned height, unsigned steps, unsigned every,
                                    float tolerance, unsigned* control) {
    unsigned *arrived = control, *done = control + 1, *largest = control + 2;
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned thread = threadIdx.y * blockDim.x + threadIdx.x;
    bool moves = x < width && y < height && is_inner(x, y, width, height);
    size_t i = moves ? (size_t)y * width + x : 0;
    bool first = blockIdx.x == 0 && blockIdx.y == 0 && thread == 0;
    unsigned round = 0, look = 0;
    float was = moves ? u[i] : 0.0f;
    for (unsigned k = 1; k <= steps; k++) {
        bool looks = every > 0 && k % every == 0;
        float is = moves ? 0.25f * (u[i - 1] + u[i + 1] + u[i - width] + u[i + width]) : 0.0f;
        grid_barrier(arrived, round);  // all have read the old values
        if (moves) u[i] = is;
        if (looks) {
            float change = fabsf(is - was);
            for (unsigned step = 16; step > 0; step /= 2)
                change = fmaxf(change, __shfl_xor_sync(0xffffffff, change, step));
            if (thread % 32 == 0 && change > 0.0f) atomicMax(&largest[look % 2], __float_as_uint(change));
        }
        was = is;
        grid_barrier(arrived, round);  // all have written the new ones
        if (first) *done = k;
        if (looks) {
            float seen = __uint_as_float(*(volatile unsigned*)&largest[look % 2]);
            if (seen <= tolerance) return;
            // The first barrier of the next step lies between this reset and the next look.
            if (first) largest[(look + 1) % 2] = 0;
            look++;
        }
    }
}
