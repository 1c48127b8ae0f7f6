// Broken on purpose. A thread writes its point before all others have read the old value.
__device__ bool is_inner(unsigned x, unsigned y, unsigned width, unsigned height) {
    return x > 0 && x + 1 < width && y > 0 && y + 1 < height;
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
